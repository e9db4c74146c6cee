// view_model.h -- the view of a trained model: predictions, map, and training history.

#ifndef OPN_VIEW_MODEL_H
#define OPN_VIEW_MODEL_H

#include "model/model_data.h"
#include "report/report_data.h"

// A model's view of the report's graph, without map and training history.
// Errors: those of opn_model_predict().
OPN_NODISCARD opn_status opn_i_view_of_model(opn_ctx *ctx,
                                             opn_report *report,
                                             const opn_model *model,
                                             opn_i_view *out);

// Adds the map of the hidden layer. Errors: those of opn_embed().
OPN_NODISCARD opn_status opn_i_view_add_map(opn_ctx *ctx,
                                            const opn_graph *graph,
                                            const opn_model *model,
                                            double perplexity,
                                            opn_i_view *view);

#endif // OPN_VIEW_MODEL_H
