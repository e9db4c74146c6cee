// prediction_graphml.h -- writes predictions as a GraphML file.

#ifndef OPN_PREDICTION_GRAPHML_H
#define OPN_PREDICTION_GRAPHML_H

#include "opine/prediction.h"

// The graph with its predictions as attributes of the nodes, as NetworkX and Gephi read
// it; each edge once. `split` may be NULL. Errors: WRITE, NOMEM, INTERRUPTED.
OPN_NODISCARD opn_status opn_i_prediction_save_graphml(opn_ctx *ctx,
                                                       const opn_model *model,
                                                       const opn_graph *graph,
                                                       const opn_split *split,
                                                       const opn_prediction *prediction,
                                                       const char *path);

#endif // OPN_PREDICTION_GRAPHML_H
