// workspace.c -- what training and prediction set up alike.

#include "model/workspace.h"

#include "graph/normalise.h"
#include "graph/order.h"

void opn_i_stage_deinit(const opn_alloc *alloc, opn_i_stage *stage)
{
    opn_i_network_deinit(alloc, &stage->network);
    opn_i_design_deinit(alloc, &stage->design);
    opn_i_edge_dropper_deinit(alloc, &stage->dropper);
    opn_i_csr_deinit(alloc, &stage->topology);
    opn_i_hop_store_deinit(alloc, &stage->hop);
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
                              bool with_backward,
                              opn_i_stage *stage)
{
    opn_status status = OPN_OK;
    const int32_t n_nodes = opn_i_graph_n_nodes(graph);
    const opn_i_encoder *encoder = model->kind->encoder;
    opn_i_csr adjacency = {0};
    int32_t *place = NULL;
    OPN_TRY(opn_i_graph_normalise(ctx, graph, encoder->edges, &adjacency));
    OPN_TRY_NEW(ctx, stage->order, n_nodes);
    OPN_TRY_NEW(ctx, place, n_nodes);
    OPN_TRY(opn_i_graph_order(ctx, &graph->topology, stage->order));
    opn_i_order_invert(n_nodes, stage->order, place);
    OPN_TRY(reorder(ctx, stage->order, place, &adjacency, &stage->hop.rows));
    if (with_backward)
        OPN_TRY(opn_i_hop_store_turn(ctx, encoder->edges == OPN_EDGES_NORMALISED,
                                     encoder->needs_entries, &stage->hop));
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
                            bool with_backward,
                            bool subtracts,
                            opn_i_stage *stage)
{
    opn_status status = OPN_OK;
    const unsigned uses =
            opn_i_network_uses(opn_i_encoder_width(model->kind->encoder, &model->sizes),
                               with_backward, subtracts);
    *stage = (opn_i_stage){.exec = {opn_k_select(), opn_ctx_threads(ctx)}};
    OPN_TRY(place_edges(ctx, model, graph, with_backward, stage));
    OPN_TRY(place_features(ctx, model, graph, uses, stage));
    const opn_i_hop hop = opn_i_hop_view(&stage->hop);
    const opn_i_reach whole = {hop, hop};
    OPN_TRY(opn_i_network_init(ctx, model->kind->encoder, &model->sizes, &whole,
                               model->kind->drops_edges ? &stage->dropper : NULL,
                               &stage->design, &stage->network));
cleanup:
    if (status != OPN_OK)
        opn_i_stage_deinit(&ctx->alloc, stage);
    return status;
}

void opn_i_trainee_deinit(const opn_alloc *alloc, opn_i_trainee *trainee)
{
    opn_i_network_deinit(alloc, &trainee->part);
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
    const opn_i_network *whole = &stage->network;
    *trainee = (opn_i_trainee){.network = &stage->network};
    opn_i_field *field = &trainee->field;
    OPN_TRY(opn_i_field_init(ctx, &stage->hop.rows, &whole->reach, target, validation,
                             is_whole, whole->encoder->needs_entries, field));
    if (!is_whole) {
        trainee->network = &trainee->part;
        OPN_TRY(opn_i_design_init_part(ctx, &stage->design, field->node, field->n_nodes,
                                       field->train.inner.n_cols, &trainee->design));
        OPN_TRY(opn_i_network_init(ctx, whole->encoder, &whole->sizes, &field->train,
                                   NULL, &trainee->design, &trainee->part));
    }
cleanup:
    if (status != OPN_OK)
        opn_i_trainee_deinit(&ctx->alloc, trainee);
    return status;
}
