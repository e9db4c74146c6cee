// view_advice.h -- what a report advises: thresholds that keep a promise, nodes to label.

#ifndef OPN_VIEW_ADVICE_H
#define OPN_VIEW_ADVICE_H

#include "model/model_data.h"
#include "report/view.h"

// Adds the promises of each measure at `confidence` of the parameters, the radius of the
// prior, and the nodes to label next. Errors: NOMEM, INTERRUPTED.
OPN_NODISCARD opn_status opn_i_view_add_advice(opn_ctx *ctx,
                                               const opn_graph *graph,
                                               const opn_model *model,
                                               const opn_params *params,
                                               opn_i_view *view);

#endif // OPN_VIEW_ADVICE_H
