// labels.h -- labels that look wrong, and nodes that are worth labelling next.
//
// Experimental: docs/decisions.md has the rules and what was measured of them.

#ifndef OPINE_LABELS_H
#define OPINE_LABELS_H

#include "prediction.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- labels that look wrong ----------------------------------------------------------

// A label that a model which did not see it contradicts.
typedef struct opn_suspect {
    opn_vid node;
    int32_t label, expected;    // classes of the graph: as given, and the likeliest one
    double p_label, p_expected; // what that model gives the two
    float vacuity;              // of its opinion; NaN for a model without vacuity
} opn_suspect;

// What opn_suspects_find() found.
typedef struct opn_suspects {
    int32_t n_judged;           // labels
    int32_t n;                  // of them suspect
    const opn_suspect *suspect; // [n] the largest p_expected - p_label first
} opn_suspects;

// Judges every label of a class that the model knows, whatever the role of the node: the
// labelled nodes are divided into five stratified parts, and the labels of each part are
// judged by a model like `model` (one, where that is an ensemble) that trains on three of
// the others and validates on the fourth. Same bits for any number of threads.
// Errors: SHAPE (the graph is not the one that the model was trained on, or has fewer
// than ten such labels), and those of opn_model_train() and opn_model_predict(). Cost:
// five trainings, on the threads of ctx.
OPN_API OPN_NODISCARD opn_status opn_suspects_find(opn_ctx *ctx,
                                                   const opn_model *model,
                                                   const opn_graph *graph,
                                                   opn_suspects **out);
OPN_API void opn_suspects_free(opn_suspects *suspects); // accepts NULL

// Writes a table node, label, expected, p_label, p_expected, vacuity; `path` ends in
// .json, or else is a CSV file; "-" is CSV and "-.json" JSON on standard output. `graph`
// is the one that was judged. Errors: WRITE, NOMEM.
OPN_API OPN_NODISCARD opn_status opn_suspects_save(opn_ctx *ctx,
                                                   const opn_graph *graph,
                                                   const opn_suspects *suspects,
                                                   const char *path);

// ---- nodes worth labelling next ------------------------------------------------------

// Chooses at most n of the nodes where candidate [V] is 1, one after the other: always
// the one among most that are unsettled, itself included, up to two hops away,
//     gain_i = sum_j (P^2)_ji u_j,    P_ji = 1/2 [i = j] + 1/2 w_ji / sum_k w_jk,
// where P^2 is what two steps of a lazy average over the neighbours take from i to j, and
// u starts as unsettled [V], from 0 on. Then u_j falls by the share (P^2)_ji / (P^2)_ii,
// so that the next node is chosen elsewhere; u_i becomes 0. Of equal gains the first node
// is chosen.
//
// node  [n] the chosen ones, in order; gain [n], when each was chosen
//
// *n_chosen is n, or the number of candidates if that is smaller. Errors: INVALID_ARG
// (n < 1, a value of `unsettled` that is negative or not finite), SHAPE (directed graph),
// NOMEM, INTERRUPTED. Cost: O(n (V + E)).
OPN_API OPN_NODISCARD opn_status opn_label_choose(opn_ctx *ctx,
                                                  const opn_graph *graph,
                                                  const float *unsettled,
                                                  const uint8_t *candidate,
                                                  int32_t n,
                                                  opn_vid *node,
                                                  double *gain,
                                                  int32_t *n_chosen);

// A node to label, and what the model says about it now.
typedef struct opn_suggestion {
    opn_vid node;
    double gain;                        // as above
    int32_t predicted;                  // class of the model
    float vacuity, dissonance, entropy; // NaN for what the model does not measure
} opn_suggestion;

// What opn_suggest() chose.
typedef struct opn_suggestions {
    int32_t n_candidates;
    int32_t n;
    const opn_suggestion *suggestion; // [n] in the order to label them
} opn_suggestions;

// Suggests at most n nodes to label: u is vacuity + dissonance, little evidence or
// evidence that conflicts, and for a model without them entropy; 0 where the model knows
// the label. Candidates are the nodes without a label; if all have one, those whose label
// was not used. samples, average and the rest are taken from params as in
// opn_model_predict(); NULL for those of training. Errors: INVALID_ARG (n < 1), SHAPE (no
// candidate), and those of opn_model_predict().
OPN_API OPN_NODISCARD opn_status opn_suggest(opn_ctx *ctx,
                                             const opn_model *model,
                                             const opn_graph *graph,
                                             const opn_params *params,
                                             int32_t n,
                                             opn_suggestions **out);
OPN_API void opn_suggestions_free(opn_suggestions *suggestions); // accepts NULL

// Writes a table node, gain, predicted, vacuity, dissonance, entropy, as
// opn_suspects_save() does.
OPN_API OPN_NODISCARD opn_status opn_suggestions_save(opn_ctx *ctx,
                                                      const opn_model *model,
                                                      const opn_graph *graph,
                                                      const opn_suggestions *suggestions,
                                                      const char *path);

#ifdef __cplusplus
}
#endif

#endif // OPINE_LABELS_H
