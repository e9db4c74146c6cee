// rival_score.h -- scores that others rank nodes by, from a prediction.

#ifndef OPN_RIVAL_SCORE_H
#define OPN_RIVAL_SCORE_H

#include "graph/graph_data.h"
#include "predict/prediction_data.h"

// Writes the score, from OPN_SCORE_RIVALS on, of every node to value [V]; higher is more
// uncertain. The prediction must have energies. Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_rival_score(opn_ctx *ctx,
                                           const opn_graph *graph,
                                           const opn_prediction *said,
                                           int32_t score,
                                           float *value);

#endif // OPN_RIVAL_SCORE_H
