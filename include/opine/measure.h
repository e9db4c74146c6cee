// measure.h -- the measures of uncertainty, and what nodes are ranked by.

#ifndef OPINE_MEASURE_H
#define OPINE_MEASURE_H

#include "numbers.h"

#ifdef __cplusplus
extern "C" {
#endif

// What is not known about a node, each higher for less certain ones; docs/method.md has
// the formulas. Values are ABI: append only, never renumber. A later version may have
// more than this header; opn_measure_count() says how many the library has.
typedef enum opn_measure {
    OPN_MEASURE_VACUITY = 0,    // how little evidence there is
    OPN_MEASURE_DISSONANCE = 1, // how much of it conflicts
    OPN_MEASURE_ALEATORIC = 2,  // how noisy the data are
    OPN_MEASURE_EPISTEMIC = 3,  // how unsure the model is
    OPN_MEASURE_ENTROPY = 4,    // all together
    // These also need the graph and the model's teacher, and have their own ranges.
    OPN_MEASURE_FUSED = 5, // vacuity of teacher and student around the node, logarithmic
    OPN_MEASURE_MARGIN = 6 // how close another class comes around the node
} opn_measure;

// Their names in this order, as a parameter lists its choices.
#define OPN_MEASURE_NAMES "vacuity|dissonance|aleatoric|epistemic|entropy|fused|margin"

OPN_API int32_t opn_measure_count(void);
OPN_API const char *opn_measure_name(opn_measure measure); // "vacuity"
OPN_API int32_t opn_measure_find(const char *name);        // -1 when there is none

// What a value of a measure means: "there is little evidence". "" for NaN.
OPN_API const char *opn_measure_phrase(opn_measure measure, double value);

// ---- scores --------------------------------------------------------------------------

// What nodes are ranked by: the measures under their own numbers, then the energy, the
// same again after they were smoothed over the graph, and what others rank by: the energy
// as GNNSafe propagates it, and 1 - max p.
OPN_API int32_t opn_score_count(void);
OPN_API const char *opn_score_name(int32_t score); // "vacuity", "energy", "vacuity~"
OPN_API int32_t opn_score_find(const char *name);  // -1 when there is none

// ---- opinions without a model --------------------------------------------------------

// Measures of Dirichlets alpha [n, K], in closed form. measure [n_measures] has the
// output of each opn_measure, [n] or NULL; those that n_measures leaves out are not
// wanted, and those that need a graph are NaN. Errors: INVALID_ARG (K < 2, or an alpha
// below 1 or not finite), NOMEM, INTERRUPTED (some nodes are written).
OPN_API OPN_NODISCARD opn_status opn_opinion(opn_ctx *ctx,
                                             int64_t n,
                                             int32_t n_classes,
                                             const float *alpha,
                                             int32_t n_measures,
                                             float *const *measure);

// What the output of a model is.
typedef enum opn_opinion_input {
    OPN_OPINION_ALPHA = 0,   // of Dirichlets, 1 or more
    OPN_OPINION_LOGITS = 1,  // of evidence: alpha = exp(z) + 1, z above 60 counts as 60
    OPN_OPINION_SOFTMAX = 2, // logits of a softmax: p alone, without evidence
    OPN_OPINION_PROBABILITY = 3 // p, whose rows are made to sum to 1
} opn_opinion_input;

// The opinions of any model about n nodes, from one output or n_samples of them (passes
// with dropout, members of an ensemble): x [n_samples, n, K]. Of several samples alpha is
// the mean, p the mean of the samples' p, and aleatoric the mean of their entropies; of
// one Dirichlet these are in closed form. Of one sample without evidence only the entropy
// is known, and of several not vacuity and dissonance: what is not known is NaN.
//
// measure      [n_measures] rooms of [n], or with neither pointer set if not wanted
// alpha        [n, K] and probability [n, K], with neither pointer set if not wanted;
//              probability is alpha / S where there is evidence
//
// Errors: INVALID_ARG (K < 2, n_samples < 1, a number that cannot be what it should be),
// NOMEM, INTERRUPTED (some nodes are written). Cost: O(n_samples n K), dissonance O(n
// K^2).
OPN_API OPN_NODISCARD opn_status opn_opinion_from(opn_ctx *ctx,
                                                  opn_opinion_input input,
                                                  int32_t n_samples,
                                                  int64_t n,
                                                  int32_t n_classes,
                                                  opn_numbers x,
                                                  int32_t n_measures,
                                                  const opn_number_room *measure,
                                                  opn_number_room alpha,
                                                  opn_number_room probability);

#ifdef __cplusplus
}
#endif

#endif // OPINE_MEASURE_H
