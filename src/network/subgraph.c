// subgraph.c -- the subgraph that the logits of some nodes depend on.

#include "network/subgraph.h"

#include <string.h>

void opn_i_subgraph_deinit(const opn_alloc *alloc, opn_i_subgraph *subgraph)
{
    opn_i_release(alloc, subgraph->node);
    opn_i_release(alloc, subgraph->target);
    opn_i_release(alloc, subgraph->validation);
    opn_i_hop_store_deinit(alloc, &subgraph->train_outer);
    opn_i_hop_store_deinit(alloc, &subgraph->train_inner);
    opn_i_hop_store_deinit(alloc, &subgraph->check_outer);
    opn_i_hop_store_deinit(alloc, &subgraph->check_inner);
    *subgraph = (opn_i_subgraph){0};
}

// A subset of the nodes: number[i] is the new number of node i, or -1.
typedef struct selection {
    int32_t n;
    int32_t *node;   // [n]
    int32_t *number; // [V]
} selection;

static void release_selection(const opn_alloc *alloc, selection *some)
{
    opn_i_release(alloc, some->node);
    opn_i_release(alloc, some->number);
    *some = (selection){0};
}

static opn_status new_selection(opn_ctx *ctx, int32_t n_nodes, selection *out)
{
    opn_status status = OPN_OK;
    OPN_TRY_NEW(ctx, out->node, n_nodes);
    OPN_TRY_NEW(ctx, out->number, n_nodes);
    for (int32_t i = 0; i < n_nodes; i++)
        out->number[i] = -1;
cleanup:
    return status;
}

// Numbers the nodes marked 1 in `wanted` that have no number yet.
static void number_marked(int32_t n_nodes, const uint8_t *wanted, selection *out)
{
    for (int32_t i = 0; i < n_nodes; i++) {
        if (!wanted[i] || out->number[i] >= 0)
            continue;
        out->number[i] = out->n;
        out->node[out->n++] = i;
    }
}

static void mark_labelled(int32_t n_nodes, const int32_t *label, uint8_t *mark)
{
    for (int32_t i = 0; i < n_nodes; i++)
        mark[i] = label[i] >= 0;
}

// Marks all columns of the marked rows of A^, which include the nodes themselves.
static void mark_neighbours(const opn_i_csr *adjacency, const uint8_t *from, uint8_t *to)
{
    memset(to, 0, (size_t)adjacency->n_rows);
    for (int32_t i = 0; i < adjacency->n_rows; i++)
        for (opn_off e = adjacency->row_ptr[i]; from[i] && e < adjacency->row_ptr[i + 1];
             e++)
            to[adjacency->col_idx[e]] = 1;
}

// Takes those rows of A^, whose entries are all in those columns.
static opn_status take_part(opn_ctx *ctx,
                            const opn_i_csr *adjacency,
                            const selection *rows,
                            const selection *cols,
                            opn_i_hop_store *out)
{
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_csr_take_rows(ctx, adjacency, rows->node, rows->n, &out->rows));
    OPN_TRY(opn_i_csr_rename_cols(ctx, cols->number, cols->n, &out->rows));
    OPN_TRY_NEW(ctx, out->own, rows->n);
    for (int32_t r = 0; r < rows->n; r++)
        out->own[r] = cols->number[rows->node[r]];
cleanup:
    return status;
}

// Classes of the selected nodes.
static opn_status
take_labels(opn_ctx *ctx, const selection *some, const int32_t *label, int32_t **out)
{
    opn_status status = OPN_OK;
    int32_t *taken = NULL;
    OPN_TRY_NEW(ctx, taken, some->n);
    for (int32_t r = 0; r < some->n; r++)
        taken[r] = label[some->node[r]];
    *out = taken;
cleanup:
    return status;
}

// The reach of the labelled nodes: both hops and the labels. Nodes up to two hops away
// are numbered in `inputs`.
static opn_status find_reach(opn_ctx *ctx,
                             const opn_i_csr *adjacency,
                             const int32_t *label,
                             selection *inputs,
                             opn_i_hop_store *outer,
                             opn_i_hop_store *inner,
                             int32_t **taken)
{
    opn_status status = OPN_OK;
    const int32_t n_nodes = adjacency->n_rows;
    selection outputs = {0};
    selection middle = {0};
    uint8_t *mark = NULL;
    uint8_t *next = NULL;
    OPN_TRY(new_selection(ctx, n_nodes, &outputs));
    OPN_TRY(new_selection(ctx, n_nodes, &middle));
    OPN_TRY_NEW(ctx, mark, n_nodes);
    OPN_TRY_NEW(ctx, next, n_nodes);
    mark_labelled(n_nodes, label, mark);
    number_marked(n_nodes, mark, &outputs);
    mark_neighbours(adjacency, mark, next);
    number_marked(n_nodes, next, &middle);
    mark_neighbours(adjacency, next, mark);
    number_marked(n_nodes, mark, inputs);
    OPN_TRY(take_part(ctx, adjacency, &outputs, &middle, outer));
    OPN_TRY(take_part(ctx, adjacency, &middle, inputs, inner));
    OPN_TRY(take_labels(ctx, &outputs, label, taken));
cleanup:
    release_selection(&ctx->alloc, &outputs);
    release_selection(&ctx->alloc, &middle);
    opn_i_release(&ctx->alloc, mark);
    opn_i_release(&ctx->alloc, next);
    return status;
}

// Selects all nodes, with their own numbers.
static opn_status reach_all(opn_ctx *ctx,
                            const opn_i_reach *whole,
                            const int32_t *target,
                            selection *inputs,
                            opn_i_subgraph *subgraph)
{
    opn_status status = OPN_OK;
    inputs->n = whole->inner.n_cols;
    for (int32_t i = 0; i < inputs->n; i++)
        inputs->number[i] = inputs->node[i] = i;
    subgraph->train = *whole;
    OPN_TRY(take_labels(ctx, inputs, target, &subgraph->target));
cleanup:
    return status;
}

static opn_status reach_labelled(opn_ctx *ctx,
                                 const opn_i_csr *adjacency,
                                 const int32_t *target,
                                 bool needs_entries,
                                 selection *inputs,
                                 opn_i_subgraph *subgraph)
{
    opn_status status = OPN_OK;
    OPN_TRY(find_reach(ctx, adjacency, target, inputs, &subgraph->train_outer,
                       &subgraph->train_inner, &subgraph->target));
    OPN_TRY(opn_i_hop_store_transpose(ctx, false, needs_entries, &subgraph->train_outer));
    OPN_TRY(opn_i_hop_store_transpose(ctx, false, needs_entries, &subgraph->train_inner));
    subgraph->train.outer = opn_i_hop_view(&subgraph->train_outer);
    subgraph->train.inner = opn_i_hop_view(&subgraph->train_inner);
cleanup:
    return status;
}

opn_status opn_i_subgraph_init(opn_ctx *ctx,
                               const opn_i_csr *adjacency,
                               const opn_i_reach *whole,
                               const int32_t *target,
                               const int32_t *validation,
                               bool is_whole,
                               bool needs_entries,
                               opn_i_subgraph *out)
{
    opn_status status = OPN_OK;
    opn_i_subgraph subgraph = {0};
    selection inputs = {0};
    OPN_TRY(new_selection(ctx, adjacency->n_rows, &inputs));
    if (is_whole)
        OPN_TRY(reach_all(ctx, whole, target, &inputs, &subgraph));
    else
        OPN_TRY(reach_labelled(ctx, adjacency, target, needs_entries, &inputs,
                               &subgraph));
    OPN_TRY(find_reach(ctx, adjacency, validation, &inputs, &subgraph.check_outer,
                       &subgraph.check_inner, &subgraph.validation));
    subgraph.check.outer = opn_i_hop_view(&subgraph.check_outer);
    subgraph.check.inner = opn_i_hop_view(&subgraph.check_inner);
    subgraph.n_nodes = inputs.n;
    subgraph.node = inputs.node;
    inputs.node = NULL;
    *out = subgraph;
    subgraph = (opn_i_subgraph){0};
cleanup:
    release_selection(&ctx->alloc, &inputs);
    opn_i_subgraph_deinit(&ctx->alloc, &subgraph);
    return status;
}

static opn_status
copy_labels(opn_ctx *ctx, const int32_t *label, int32_t n_nodes, int32_t **out)
{
    opn_status status = OPN_OK;
    OPN_TRY_NEW(ctx, *out, n_nodes);
    memcpy(*out, label, (size_t)n_nodes * sizeof(**out));
cleanup:
    return status;
}

opn_status opn_i_subgraph_init_whole(opn_ctx *ctx,
                                     const opn_i_reach *whole,
                                     const int32_t *target,
                                     const int32_t *validation,
                                     opn_i_subgraph *out)
{
    opn_status status = OPN_OK;
    const int32_t n_nodes = whole->outer.n_rows;
    opn_i_subgraph subgraph = {.n_nodes = n_nodes, .train = *whole, .check = *whole};
    OPN_TRY(copy_labels(ctx, target, n_nodes, &subgraph.target));
    OPN_TRY(copy_labels(ctx, validation, n_nodes, &subgraph.validation));
    *out = subgraph;
    subgraph = (opn_i_subgraph){0};
cleanup:
    opn_i_subgraph_deinit(&ctx->alloc, &subgraph);
    return status;
}
