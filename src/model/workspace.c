// workspace.c -- the setup that training and prediction share.

#include "model/workspace.h"

#include "graph/normalise.h"
#include "graph/order.h"

void opn_i_workspace_deinit(const opn_alloc *alloc, opn_i_workspace *workspace)
{
    opn_i_network_deinit(alloc, &workspace->network);
    opn_i_feature_matrix_deinit(alloc, &workspace->features);
    opn_i_edge_dropper_deinit(alloc, &workspace->dropper);
    opn_i_csr_deinit(alloc, &workspace->topology);
    opn_i_hop_store_deinit(alloc, &workspace->hop);
    opn_i_release(alloc, workspace->order);
    *workspace = (opn_i_workspace){0};
}

// Reorders the rows and columns of a matrix over the nodes.
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

// Builds the matrices of the edges.
static opn_status place_edges(opn_ctx *ctx,
                              const opn_model *model,
                              const opn_graph *graph,
                              bool with_backward,
                              opn_i_workspace *workspace)
{
    opn_status status = OPN_OK;
    const int32_t n_nodes = opn_i_graph_n_nodes(graph);
    const opn_i_encoder *encoder = model->kind->encoder;
    opn_i_csr adjacency = {0};
    int32_t *place = NULL;
    OPN_TRY(opn_i_graph_normalise(ctx, graph, encoder->edges, &adjacency));
    OPN_TRY_NEW(ctx, workspace->order, n_nodes);
    OPN_TRY_NEW(ctx, place, n_nodes);
    OPN_TRY(opn_i_graph_order(ctx, &graph->topology, workspace->order));
    opn_i_order_invert(n_nodes, workspace->order, place);
    OPN_TRY(reorder(ctx, workspace->order, place, &adjacency, &workspace->hop.rows));
    if (with_backward)
        OPN_TRY(opn_i_hop_store_transpose(ctx,
                                          opn_i_edge_rule_is_symmetric(encoder->edges),
                                          encoder->needs_entries, &workspace->hop));
    if (model->kind->drops_edges) {
        OPN_TRY(reorder(ctx, workspace->order, place, &graph->topology,
                        &workspace->topology));
        OPN_TRY(opn_i_edge_dropper_init(ctx, &workspace->topology, &workspace->dropper));
    }
cleanup:
    opn_i_release(&ctx->alloc, place);
    opn_i_csr_deinit(&ctx->alloc, &adjacency);
    return status;
}

// The workspace must not move afterwards: the network points into it.
opn_status opn_i_workspace_init(opn_ctx *ctx,
                                const opn_model *model,
                                const opn_graph *graph,
                                opn_i_plan plan,
                                opn_i_workspace *workspace)
{
    opn_status status = OPN_OK;
    const unsigned uses = opn_i_plan_uses(plan);
    *workspace = (opn_i_workspace){
            .exec = {.kernels = opn_k_select(), .n_threads = opn_i_threads(ctx)}};
    OPN_TRY(place_edges(ctx, model, graph, plan.trains, workspace));
    OPN_TRY(opn_i_features_place(ctx, model, graph, workspace->order, uses,
                                 &workspace->features));
    const opn_i_hop hop = opn_i_hop_view(&workspace->hop);
    const opn_i_reach whole = {hop, hop};
    OPN_TRY(opn_i_network_init(ctx, model->kind->encoder, &model->sizes, &whole,
                               model->kind->drops_edges ? &workspace->dropper : NULL,
                               &workspace->features, &workspace->network));
cleanup:
    if (status != OPN_OK)
        opn_i_workspace_deinit(&ctx->alloc, workspace);
    return status;
}

void opn_i_trainee_deinit(const opn_alloc *alloc, opn_i_trainee *trainee)
{
    opn_i_network_deinit(alloc, &trainee->part);
    opn_i_feature_matrix_deinit(alloc, &trainee->features);
    opn_i_subgraph_deinit(alloc, &trainee->subgraph);
    *trainee = (opn_i_trainee){0};
}

opn_status opn_i_trainee_init(opn_ctx *ctx,
                              opn_i_workspace *workspace,
                              const int32_t *target,
                              const int32_t *validation,
                              bool is_whole,
                              opn_i_trainee *trainee)
{
    opn_status status = OPN_OK;
    const opn_i_network *whole = &workspace->network;
    *trainee = (opn_i_trainee){.network = &workspace->network};
    opn_i_subgraph *subgraph = &trainee->subgraph;
    OPN_TRY(opn_i_subgraph_init(ctx, &workspace->hop.rows, &whole->reach, target,
                                validation, is_whole, whole->encoder->needs_entries,
                                subgraph));
    if (!is_whole) {
        trainee->network = &trainee->part;
        OPN_TRY(opn_i_feature_matrix_init_part(
                ctx, &workspace->features, subgraph->node, subgraph->n_nodes,
                subgraph->train.inner.n_cols, &trainee->features));
        OPN_TRY(opn_i_network_init(ctx, whole->encoder, &whole->sizes, &subgraph->train,
                                   NULL, &trainee->features, &trainee->part));
    }
cleanup:
    if (status != OPN_OK)
        opn_i_trainee_deinit(&ctx->alloc, trainee);
    return status;
}
