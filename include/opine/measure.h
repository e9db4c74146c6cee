// measure.h -- the measures of uncertainty, and what nodes are ranked by.

#ifndef OPINE_MEASURE_H
#define OPINE_MEASURE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Values are ABI: append only, never renumber. A later version may have more than this
// header; opn_measure_count() says how many the library has.
typedef enum opn_measure {
    OPN_MEASURE_VACUITY = 0,    // how little evidence there is
    OPN_MEASURE_DISSONANCE = 1, // how much of it conflicts
    OPN_MEASURE_ALEATORIC = 2,  // how noisy the data are
    OPN_MEASURE_EPISTEMIC = 3,  // how unsure the model is
    OPN_MEASURE_ENTROPY = 4     // all together
} opn_measure;

// Their names in this order, as a parameter lists its choices.
#define OPN_MEASURE_NAMES "vacuity|dissonance|aleatoric|epistemic|entropy"

OPN_API int32_t opn_measure_count(void);
OPN_API const char *opn_measure_name(opn_measure measure); // "vacuity"
OPN_API int32_t opn_measure_find(const char *name);        // -1 when there is none

// What a value of a measure means: "there is little evidence". "" for NaN.
OPN_API const char *opn_measure_phrase(opn_measure measure, double value);

// ---- scores --------------------------------------------------------------------------

// What nodes are ranked by: the measures under their own numbers, then the energy, and
// the same again after they were smoothed over the graph.
OPN_API int32_t opn_score_count(void);
OPN_API const char *opn_score_name(int32_t score); // "vacuity", "energy", "vacuity~"
OPN_API int32_t opn_score_find(const char *name);  // -1 when there is none

// ---- opinions without a model --------------------------------------------------------

// Measures of Dirichlets alpha [n, K], in closed form. measure [n_measures] has the
// output of each opn_measure, [n] or NULL; those that n_measures leaves out are not
// wanted. Errors: INVALID_ARG (K < 2, or an alpha below 1 or not finite).
OPN_API OPN_NODISCARD opn_status opn_opinion(opn_ctx *ctx,
                                             int64_t n,
                                             int32_t n_classes,
                                             const float *alpha,
                                             int32_t n_measures,
                                             float *const *measure);

// What an array says about nodes; logits become evidence by one of the rules that models
// have, or probabilities.
typedef enum opn_opinion_input {
    OPN_OPINION_ALPHA = 0,      // of Dirichlets, 1 or more
    OPN_OPINION_EXP = 1,        // logits; evidence exp(z)
    OPN_OPINION_SOFTPLUS = 2,   // logits; evidence ln(1 + exp(z))
    OPN_OPINION_RELU = 3,       // logits; evidence max(z, 0)
    OPN_OPINION_SOFTMAX = 4,    // logits of a model without evidence
    OPN_OPINION_PROBABILITY = 5 // in [0, 1]; rows are used as given
} opn_opinion_input;

// Opinions from value [n_samples, n, K], for example of the passes of a model with
// dropout or of the members of an ensemble: as opn_model_predict() forms them from its
// own passes. One sample of Dirichlets has its entropies in closed form.
//
// alpha        [n, K] mean alpha; NaN without evidence; or NULL
// probability  [n, K] of the mean alpha, else the mean probability; or NULL
// measure      [n_measures] [n] or NULL as above; NaN for what the input does not tell:
//              vacuity and dissonance without evidence, aleatoric and epistemic of a
//              single sample of probabilities
//
// Errors: INVALID_ARG (K < 2, no sample, a number that cannot be; the message says
// which), NOMEM, INTERRUPTED. Cost: O(n_samples n K + n K^2).
OPN_API OPN_NODISCARD opn_status opn_opinion_from(opn_ctx *ctx,
                                                  opn_opinion_input input,
                                                  int64_t n_samples,
                                                  int64_t n,
                                                  int32_t n_classes,
                                                  const double *value,
                                                  double *alpha,
                                                  double *probability,
                                                  int32_t n_measures,
                                                  double *const *measure);

#ifdef __cplusplus
}
#endif

#endif // OPINE_MEASURE_H
