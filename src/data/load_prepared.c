// load_prepared.c -- loads the graph named on the command line and preprocesses it as for
// training.

#include "data/loaders.h"

#include "graph/protocol.h"

opn_status opn_steps_from_params(opn_ctx *ctx,
                                 const opn_graph *graph,
                                 const opn_params *params,
                                 uint32_t *steps)
{
    OPN_REJECT_NULL(ctx, graph, params, steps);
    if (opn_params_given(params, "steps"))
        return opn_steps_parse(ctx, opn_params_text(params, "steps"), steps);
    *steps = opn_params_flag(params, "raw")
                     ? 0
                     : opn_i_protocol_steps(opn_i_protocol_of(params), graph);
    return OPN_OK;
}

// What the parameters say about loading; `label` is the one to use if they name none.
static opn_i_load_options options_of(const opn_params *params, const char *label)
{
    const char *data_dir = opn_params_text(params, "data_dir");
    const char *own_label = opn_params_text(params, "label");
    const bool has_label = own_label[0] != 0;
    return (opn_i_load_options){.data_dir = data_dir[0] != 0 ? data_dir : NULL,
                                .label = has_label ? own_label : label,
                                .requires_label = has_label};
}

opn_status opn_graph_load_params(opn_ctx *ctx,
                                 const char *data,
                                 const opn_params *params,
                                 opn_graph **out)
{
    OPN_REJECT_NULL(ctx, data, params, out);
    const opn_i_load_options options = options_of(params, "");
    return opn_i_graph_load(ctx, data, &options, out);
}

opn_status opn_i_graph_load_labelled(opn_ctx *ctx,
                                     const char *data,
                                     const opn_params *params,
                                     const char *label,
                                     opn_graph **out)
{
    opn_status status = OPN_OK;
    opn_graph *raw = NULL;
    uint32_t steps = 0;
    const opn_i_load_options options = options_of(params, label);
    OPN_TRY(opn_i_graph_load(ctx, data, &options, &raw));
    OPN_TRY(opn_steps_from_params(ctx, raw, params, &steps));
    OPN_TRY(opn_graph_prepare(ctx, raw, steps, out));
cleanup:
    opn_graph_free(raw);
    return status;
}

opn_status opn_graph_load_prepared(opn_ctx *ctx,
                                   const char *data,
                                   const opn_params *params,
                                   opn_graph **out)
{
    OPN_REJECT_NULL(ctx, data, params, out);
    return opn_i_graph_load_labelled(ctx, data, params, "", out);
}
