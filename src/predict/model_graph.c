// model_graph.c -- loads a graph with the labels that a model knows.

#include "data/loaders.h"
#include "model/class_match.h"

opn_status opn_model_load_graph(opn_ctx *ctx,
                                const opn_model *model,
                                const char *data,
                                const opn_params *params,
                                opn_graph **out)
{
    OPN_REJECT_NULL(ctx, model, data, params, out);
    opn_status status = OPN_OK;
    opn_graph *graph = NULL;
    OPN_TRY(opn_i_graph_load_labelled(ctx, data, params, opn_model_param(model, "label"),
                                      &graph));
    OPN_TRY(opn_i_classes_match(ctx, model, graph));
    *out = graph;
    graph = NULL;
cleanup:
    opn_graph_free(graph);
    return status;
}
