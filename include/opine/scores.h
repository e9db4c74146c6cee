// scores.h -- decisions from what another tool says about nodes.

#ifndef OPINE_SCORES_H
#define OPINE_SCORES_H

#include "measure.h"
#include "prediction.h"
#include "split.h"

#ifdef __cplusplus
extern "C" {
#endif

// Reads the scores of another tool, a CSV, npz or JSON file with p, logits or alpha of
// every class for each node, and makes of them what decide.h and prediction.h work on:
// *prediction with the measures that follow from the scores, calibrated as the parameter
// calibrate says; *graph with the nodes and their labels, the classes of the scores being
// its first ones; *split with the roles. docs/file-formats.md has the columns.
//
// Parameters: `labels` names a table of labels that replace those in the file. `graph`
// names a graph of these nodes, which a pool needs; its labels and roles count where
// there are no others, and nodes are in its order. Labelled nodes without roles are
// shared out: half of each class, drawn by `seed`, calibrates, and the others test. A
// label of a class that the scores do not know is allowed only for nodes with the role
// test or pool.
//
// Errors: READ, FORMAT and UNSUPPORTED (the message names the file, the line or item, and
// what was expected), SHAPE (nodes that the graph does not have or the scores lack, no
// labelled nodes, or all of one class, unless calibrate is none and nothing else needs
// them), INVALID_ARG (calibrate pool or set_score daps is given, without a graph), NOMEM,
// INTERRUPTED.
OPN_API OPN_NODISCARD opn_status opn_scores_load(opn_ctx *ctx,
                                                 const char *path,
                                                 const opn_params *params,
                                                 opn_graph **graph,
                                                 opn_split **split,
                                                 opn_prediction **prediction);

// What another tool says about V nodes, as arrays, which are borrowed.
typedef struct opn_scores {
    opn_opinion_input input; // PROBABILITY, SOFTMAX or ALPHA
    int32_t n_samples;       // S, passes with dropout or members of an ensemble; or 1
    int32_t n_nodes;         // V
    int32_t n_classes;       // K, 2 or more
    opn_numbers x;           // [S,V,K]
    int32_t n_names;         // of classes: K, more if labels are of others too, or 0
    const char *const *class_name; // [n_names]; without them classes are 0, 1, …
    const int32_t *label;          // [V] classes, -1 for none; NULL: those of the graph
    const uint8_t *role;           // [V] of opn_role; NULL: those of the graph, or drawn
    const opn_graph *graph;        // of these nodes in their order, or NULL
} opn_scores;

// The same from arrays. The parameters `labels` and `graph`, which name files, are not
// used. Errors: INVALID_ARG (a number that cannot be what it should be, a label or a role
// that does not exist; the message says which), else as above.
OPN_API OPN_NODISCARD opn_status opn_scores_create(opn_ctx *ctx,
                                                   const opn_scores *scores,
                                                   const opn_params *params,
                                                   opn_graph **graph,
                                                   opn_split **split,
                                                   opn_prediction **prediction);

#ifdef __cplusplus
}
#endif

#endif // OPINE_SCORES_H
