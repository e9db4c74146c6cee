// workspace.c -- the setup that training and prediction share.

#include "model/workspace.h"

#include "graph/normalise.h"
#include "graph/order.h"
#include "graph/shards.h"

#include <string.h>

void opn_i_workspace_deinit(const opn_alloc *alloc, opn_i_workspace *workspace)
{
    opn_i_network_deinit(alloc, &workspace->network);
    opn_i_feature_matrix_deinit(alloc, &workspace->features);
    opn_i_blocks_deinit(alloc, &workspace->blocks);
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

// ---- by blocks -----------------------------------------------------------------------

opn_status opn_i_workspace_divides(opn_ctx *ctx,
                                   const opn_model *model,
                                   const opn_graph *graph,
                                   opn_i_plan plan,
                                   bool *out)
{
    opn_status status = OPN_OK;
    const opn_i_model_kind *kind = model->kind;
    *out = graph->shards != NULL && !kind->encoder->has_heads && !kind->drops_edges &&
           !plan.needs_whole && model->n_node_features == 0;
    OPN_FAIL_IF(ctx, !*out && opn_i_graph_is_partial(graph), OPN_ERR_UNSUPPORTED,
                "%s: several ranks cannot share it yet%s; models of GCN, SAGE and MLP on "
                "features, without DropEdge and terms for unlabelled nodes, can",
                kind->id,
                graph->features.n_cols == 0 ? " on a graph without features" : "");
cleanup:
    return status;
}

// The rows of a matrix over all nodes that this process has. Columns are places in the
// order of all blocks, by which the entries of a row are sorted, whoever has them.
static opn_status take_own(opn_ctx *ctx,
                           const opn_graph *graph,
                           opn_i_edge_rule rule,
                           const int32_t *place,
                           opn_i_csr *out)
{
    opn_status status = OPN_OK;
    opn_i_csr adjacency = {0};
    int32_t n_own = 0;
    const int32_t *own = opn_i_shards_nodes(graph->shards, &n_own);
    OPN_TRY(opn_i_graph_normalise(ctx, graph, rule, &adjacency));
    OPN_TRY(opn_i_csr_take_rows(ctx, &adjacency, own, n_own, out));
    OPN_TRY(opn_i_csr_rename_cols(ctx, place, adjacency.n_cols, out));
cleanup:
    opn_i_csr_deinit(&ctx->alloc, &adjacency);
    return status;
}

// Numbers the columns that others have behind the own ones, in their order; *needed are
// their places, to be freed.
static opn_status number_columns(opn_ctx *ctx,
                                 const opn_i_csr *rows,
                                 int32_t first,
                                 int32_t *number,
                                 int32_t **needed,
                                 int32_t *n_needed)
{
    opn_status status = OPN_OK;
    const int32_t last = first + rows->n_rows;
    for (int32_t r = 0; r < rows->n_cols; r++)
        number[r] = r >= first && r < last ? r - first : -1;
    for (opn_off e = 0; e < opn_i_csr_n_entries(rows); e++)
        if (number[rows->col_idx[e]] == -1)
            number[rows->col_idx[e]] = -2;
    for (int32_t r = 0; r < rows->n_cols; r++)
        *n_needed += number[r] == -2;
    OPN_TRY_NEW(ctx, *needed, *n_needed);
    for (int32_t r = 0, n = 0; r < rows->n_cols; r++)
        if (number[r] == -2) {
            (*needed)[n] = r;
            number[r] = rows->n_rows + n++;
        }
cleanup:
    return status;
}

// Entries keep their order.
static void renumber(const int32_t *number, int32_t n_cols, opn_i_csr *rows)
{
    for (opn_off e = 0; e < opn_i_csr_n_entries(rows); e++)
        rows->col_idx[e] = number[rows->col_idx[e]];
    rows->n_cols = n_cols;
}

// The first row of each rank, and the end.
static opn_status rank_rows(opn_ctx *ctx, const opn_i_shards *shards, int32_t **out)
{
    opn_status status = OPN_OK;
    const int n = opn_i_comm_of(ctx)->n_ranks;
    OPN_TRY_NEW(ctx, *out, (size_t)n + 1);
    for (int r = 0; r <= n; r++)
        (*out)[r] =
                shards->blocks.start[opn_i_shards_first(shards->blocks.n_blocks, n, r)];
cleanup:
    return status;
}

// The matrices of the edges of this process's nodes.
static opn_status place_own_edges(opn_ctx *ctx,
                                  const opn_model *model,
                                  const opn_graph *graph,
                                  size_t row_bytes,
                                  opn_i_workspace *workspace)
{
    opn_status status = OPN_OK;
    const opn_i_shards *shards = graph->shards;
    const opn_i_edge_rule rule = model->kind->encoder->edges;
    const int32_t n_nodes = opn_i_graph_n_nodes(graph);
    opn_i_hop_store *hop = &workspace->hop;
    int32_t *place = NULL;
    int32_t *needed = NULL;
    int32_t *first = NULL;
    int32_t n_needed = 0;
    OPN_TRY_NEW(ctx, place, n_nodes);
    opn_i_order_invert(n_nodes, shards->blocks.order, place);
    OPN_TRY(take_own(ctx, graph, rule, place, &hop->rows));
    if (rule == OPN_EDGES_MEAN)
        OPN_TRY(take_own(ctx, graph, OPN_EDGES_MEAN_BACK, place, &hop->transposed));
    OPN_TRY(rank_rows(ctx, shards, &first));
    const int rank = opn_i_comm_of(ctx)->rank;
    OPN_TRY(number_columns(ctx, &hop->rows, first[rank], place, &needed, &n_needed));
    renumber(place, hop->rows.n_rows + n_needed, &hop->rows);
    if (hop->transposed.row_ptr != NULL)
        renumber(place, hop->rows.n_cols, &hop->transposed);
    if (opn_i_graph_is_partial(graph))
        OPN_TRY(opn_i_halo_init(ctx, first, n_needed, needed, row_bytes, &hop->halo));
cleanup:
    opn_i_release(&ctx->alloc, place);
    opn_i_release(&ctx->alloc, needed);
    opn_i_release(&ctx->alloc, first);
    return status;
}

static opn_status place_own_features(opn_ctx *ctx,
                                     const opn_model *model,
                                     const opn_graph *graph,
                                     unsigned uses,
                                     opn_i_workspace *workspace)
{
    opn_status status = OPN_OK;
    opn_i_blocks *blocks = &workspace->blocks;
    opn_i_ready_features ready = {0};
    for (int32_t b = 0; b < blocks->n; b++) {
        const int32_t n = blocks->start[b + 1] - blocks->start[b];
        if (n == 0)
            continue;
        OPN_TRY(opn_i_features_ready_rows(
                ctx, model, graph, workspace->order + blocks->start[b], n, &ready));
        OPN_TRY(opn_i_feature_matrix_init_for(ctx, &ready.x, ready.centre, NULL, uses,
                                              &blocks->features[b]));
        opn_i_ready_features_deinit(&ctx->alloc, &ready);
    }
cleanup:
    opn_i_ready_features_deinit(&ctx->alloc, &ready);
    return status;
}

static opn_status init_blocks(opn_ctx *ctx,
                              const opn_model *model,
                              const opn_graph *graph,
                              opn_i_plan plan,
                              opn_i_workspace *workspace)
{
    opn_status status = OPN_OK;
    const opn_i_partition *cut = &graph->shards->blocks;
    const opn_i_encoder *encoder = model->kind->encoder;
    opn_i_weight list[OPN_MAX_WEIGHTS];
    size_t n_weights = 0;
    int32_t n_own = 0;
    const int32_t *own = opn_i_shards_nodes(graph->shards, &n_own);
    OPN_TRY_NEW(ctx, workspace->order, n_own);
    memcpy(workspace->order, own, (size_t)n_own * sizeof(*own));
    OPN_TRY(opn_i_blocks_init(ctx, cut->n_blocks, cut->start, &workspace->blocks));
    (void)opn_i_place_weights(encoder, &model->sizes, list, &n_weights);
    const int32_t widest = list[0].width > list[encoder->second].width
                                   ? list[0].width
                                   : list[encoder->second].width;
    OPN_TRY(place_own_edges(ctx, model, graph, (size_t)widest * sizeof(opn_real),
                            workspace));
    OPN_TRY(place_own_features(ctx, model, graph, opn_i_plan_uses(plan), workspace));
    const opn_i_hop hop = opn_i_hop_view(&workspace->hop);
    const opn_i_reach whole = {hop, hop};
    OPN_TRY(opn_i_network_init_blocks(ctx, encoder, &model->sizes, &whole,
                                      &workspace->blocks, &workspace->network));
cleanup:
    return status;
}

// ---- whole ---------------------------------------------------------------------------

static opn_status init_whole(opn_ctx *ctx,
                             const opn_model *model,
                             const opn_graph *graph,
                             opn_i_plan plan,
                             opn_i_workspace *workspace)
{
    opn_status status = OPN_OK;
    OPN_TRY(place_edges(ctx, model, graph, plan.trains, workspace));
    OPN_TRY(opn_i_features_place(ctx, model, graph, workspace->order,
                                 opn_i_plan_uses(plan), &workspace->features));
    const opn_i_hop hop = opn_i_hop_view(&workspace->hop);
    const opn_i_reach whole = {hop, hop};
    OPN_TRY(opn_i_network_init(ctx, model->kind->encoder, &model->sizes, &whole,
                               model->kind->drops_edges ? &workspace->dropper : NULL,
                               &workspace->features, &workspace->network));
cleanup:
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
    bool divides = false;
    *workspace = (opn_i_workspace){
            .exec = {.kernels = opn_k_select(), .n_threads = opn_i_threads(ctx)}};
    OPN_TRY(opn_i_workspace_divides(ctx, model, graph, plan, &divides));
    OPN_TRY(divides ? init_blocks(ctx, model, graph, plan, workspace)
                    : init_whole(ctx, model, graph, plan, workspace));
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
    if (whole->blocks != NULL)
        return opn_i_subgraph_init_whole(ctx, &whole->reach, target, validation,
                                         subgraph);
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
