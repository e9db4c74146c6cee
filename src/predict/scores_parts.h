// scores_parts.h -- what scores from a file and from arrays share.

#ifndef OPN_SCORES_PARTS_H
#define OPN_SCORES_PARTS_H

#include "opine/scores.h"
#include "predict/prediction_file.h"

// Whether what the parameters ask for can be had with or without a graph.
OPN_NODISCARD opn_status opn_i_scores_check_params(opn_ctx *ctx,
                                                   const opn_params *params,
                                                   bool has_graph);

// Takes labels, and roles if the file has none, from its graph; where the file has
// labels, does nothing.
OPN_NODISCARD opn_status opn_i_scores_take_labels(opn_ctx *ctx,
                                                  const opn_graph *graph,
                                                  opn_i_prediction_file *file);

// Settles the roles of scores that have their labels, labels `*nodes`, a graph in their
// order, or makes one without edges if it is NULL, and calibrates. Takes *nodes and
// file->said over on success. `path` is what messages call the scores.
OPN_NODISCARD opn_status opn_i_scores_finish(opn_ctx *ctx,
                                             const char *path,
                                             const opn_params *params,
                                             opn_i_prediction_file *file,
                                             opn_graph **nodes,
                                             opn_split **split,
                                             opn_prediction **prediction);

#endif // OPN_SCORES_PARTS_H
