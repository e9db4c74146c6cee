// load_prepared.c -- loads the graph named on the command line and preprocesses it as for
// training.

#include "base/context.h"
#include "opine/graph.h"

opn_status opn_steps_from_params(opn_ctx *ctx,
                                 const opn_graph *graph,
                                 const opn_params *params,
                                 uint32_t *steps)
{
    if (opn_params_given(params, "steps"))
        return opn_steps_parse(ctx, opn_params_text(params, "steps"), steps);
    *steps = opn_params_flag(params, "raw") ? 0 : opn_graph_usual_steps(graph);
    return OPN_OK;
}

opn_status opn_graph_load_prepared(opn_ctx *ctx,
                                   const char *data,
                                   const opn_params *params,
                                   opn_graph **out)
{
    opn_status status = OPN_OK;
    opn_graph *raw = NULL;
    uint32_t steps = 0;
    const char *data_dir = opn_params_text(params, "data_dir");
    OPN_TRY(opn_graph_load(ctx, data, data_dir[0] != 0 ? data_dir : NULL, &raw));
    OPN_TRY(opn_steps_from_params(ctx, raw, params, &steps));
    OPN_TRY(opn_graph_prepare(ctx, raw, steps, out));
cleanup:
    opn_graph_free(raw);
    return status;
}
