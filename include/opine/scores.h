// scores.h -- decisions from what another tool says about nodes.

#ifndef OPINE_SCORES_H
#define OPINE_SCORES_H

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

#ifdef __cplusplus
}
#endif

#endif // OPINE_SCORES_H
