// score.h -- scores a trained model on one split.

#ifndef OPN_SCORE_H
#define OPN_SCORE_H

#include "experiment/evaluation_data.h"
#include "graph/graph_data.h"
#include "model/model_data.h"

// Predicts every node, of a shifted graph too if the parameter shift asks for one, and
// scores the nodes selected by the parameters task, protocol, shift, seed, samples,
// average and propagate. Fills the whole cell except seed, split_hash,
// n_epochs and the seconds of training.
// The pool must not be empty. Errors: those of opn_model_predict().
OPN_NODISCARD opn_status opn_i_score_model(opn_ctx *ctx,
                                           const opn_model *model,
                                           const opn_graph *graph,
                                           const opn_split *split,
                                           const opn_params *params,
                                           opn_cell *out);

#endif // OPN_SCORE_H
