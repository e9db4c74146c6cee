// stage.c -- what training and prediction set up alike.

#include "pipeline/stage.h"

#include "graph/normalise.h"
#include "graph/order.h"

void opn_i_stage_deinit(const opn_alloc *alloc, opn_i_stage *stage)
{
    opn_i_gcn_deinit(alloc, &stage->gcn);
    opn_i_design_deinit(alloc, &stage->design);
    opn_i_edge_dropper_deinit(alloc, &stage->dropper);
    opn_i_csr_deinit(alloc, &stage->topology);
    opn_i_csr_deinit(alloc, &stage->adjacency);
    opn_i_release(alloc, stage->order);
    *stage = (opn_i_stage){0};
}

// Rows and columns of a matrix of nodes in another order.
static opn_status reorder(opn_ctx *ctx,
                          const int32_t *order,
                          const int32_t *place,
                          const opn_i_csr *from,
                          opn_i_csr *out)
{
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_csr_take_rows(ctx, from, order, from->n_rows, out));
    OPN_TRY(opn_i_csr_rename_cols(ctx, place, from->n_cols, out));
cleanup:
    return status;
}

// The matrices of the edges.
static opn_status place_edges(opn_ctx *ctx,
                              const opn_model *model,
                              const opn_graph *graph,
                              opn_i_stage *stage)
{
    opn_status status = OPN_OK;
    const int32_t n_nodes = opn_i_graph_n_nodes(graph);
    opn_i_csr adjacency = {0};
    int32_t *place = NULL;
    OPN_TRY(opn_i_graph_normalise(ctx, graph, &adjacency));
    OPN_TRY_NEW(ctx, stage->order, n_nodes);
    OPN_TRY_NEW(ctx, place, n_nodes);
    OPN_TRY(opn_i_graph_order(ctx, &graph->topology, stage->order));
    opn_i_order_invert(n_nodes, stage->order, place);
    OPN_TRY(reorder(ctx, stage->order, place, &adjacency, &stage->adjacency));
    if (model->kind->drops_edges) {
        OPN_TRY(reorder(ctx, stage->order, place, &graph->topology, &stage->topology));
        OPN_TRY(opn_i_edge_dropper_init(ctx, &stage->topology, &stage->dropper));
    }
cleanup:
    opn_i_release(&ctx->alloc, place);
    opn_i_csr_deinit(&ctx->alloc, &adjacency);
    return status;
}

static opn_status place_features(opn_ctx *ctx,
                                 const opn_model *model,
                                 const opn_graph *graph,
                                 unsigned uses,
                                 opn_i_stage *stage)
{
    opn_status status = OPN_OK;
    opn_i_csr features = {0};
    OPN_TRY(opn_i_features_ready(ctx, model, graph, &features));
    OPN_TRY(opn_i_design_init_for(ctx, &features, stage->order, uses, &stage->design));
cleanup:
    opn_i_csr_deinit(&ctx->alloc, &features);
    return status;
}

// The stage is where it was put when it is done: the network points into it.
opn_status opn_i_stage_init(opn_ctx *ctx,
                            const opn_model *model,
                            const opn_graph *graph,
                            unsigned uses,
                            opn_i_stage *stage)
{
    opn_status status = OPN_OK;
    *stage = (opn_i_stage){.exec = {opn_k_select(), opn_ctx_threads(ctx)}};
    OPN_TRY(place_edges(ctx, model, graph, stage));
    OPN_TRY(place_features(ctx, model, graph, uses, stage));
    const opn_i_reach whole = opn_i_reach_whole(&stage->adjacency);
    OPN_TRY(opn_i_gcn_init(ctx, &whole, model->kind->drops_edges ? &stage->dropper : NULL,
                           &stage->design, model->n_hidden, model->n_classes,
                           &stage->gcn));
cleanup:
    if (status != OPN_OK)
        opn_i_stage_deinit(&ctx->alloc, stage);
    return status;
}

void opn_i_trainee_deinit(const opn_alloc *alloc, opn_i_trainee *trainee)
{
    opn_i_gcn_deinit(alloc, &trainee->part);
    opn_i_design_deinit(alloc, &trainee->design);
    opn_i_field_deinit(alloc, &trainee->field);
    *trainee = (opn_i_trainee){0};
}

opn_status opn_i_trainee_init(opn_ctx *ctx,
                              opn_i_stage *stage,
                              const int32_t *target,
                              const int32_t *validation,
                              bool is_whole,
                              opn_i_trainee *trainee)
{
    opn_status status = OPN_OK;
    *trainee = (opn_i_trainee){.gcn = &stage->gcn};
    opn_i_field *field = &trainee->field;
    OPN_TRY(opn_i_field_init(ctx, &stage->adjacency, target, validation, is_whole,
                             field));
    if (!is_whole) {
        trainee->gcn = &trainee->part;
        OPN_TRY(opn_i_design_init_part(ctx, &stage->design, field->node, field->n_nodes,
                                       field->train.n_inputs, &trainee->design));
        OPN_TRY(opn_i_gcn_init(ctx, &field->train, NULL, &trainee->design,
                               stage->gcn.n_hidden, stage->gcn.n_classes,
                               &trainee->part));
    }
cleanup:
    if (status != OPN_OK)
        opn_i_trainee_deinit(&ctx->alloc, trainee);
    return status;
}
