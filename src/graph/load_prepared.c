// load_prepared.c -- the graph that a word on the command line names, as training sees
// it.

#include "graph/load_prepared.h"

opn_status opn_i_load_prepared(opn_ctx *ctx,
                               const char *data,
                               const opn_params *params,
                               opn_graph **out)
{
    opn_status status = OPN_OK;
    opn_graph *raw = NULL;
    const char *data_dir = opn_params_text(params, "data_dir");
    OPN_TRY(opn_graph_load(ctx, data, data_dir[0] != 0 ? data_dir : NULL, &raw));
    OPN_TRY(opn_graph_prepare(ctx, raw, opn_graph_usual_steps(raw), out));
cleanup:
    opn_graph_free(raw);
    return status;
}
