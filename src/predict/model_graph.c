// model_graph.c -- loads a graph with the labels that a model knows.

#include "data/loaders.h"
#include "opine/model.h"

opn_status opn_model_load_graph(opn_ctx *ctx,
                                const opn_model *model,
                                const char *data,
                                const opn_params *params,
                                opn_graph **out)
{
    return opn_i_graph_load_labelled(ctx, data, params, opn_model_param(model, "label"),
                                     out);
}
