// view_json.h -- a view as JSON, without the per-node numbers.

#ifndef OPN_VIEW_JSON_H
#define OPN_VIEW_JSON_H

#include "report/view.h"

#include <jansson.h>

// Curves, quality, histograms, training and parameters of a view, in the format of
// web/data.js. Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_view_json(opn_ctx *ctx,
                                         const opn_i_view *view,
                                         json_t **out);

#endif // OPN_VIEW_JSON_H
