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

#ifdef __cplusplus
}
#endif

#endif // OPINE_LABELS_H
