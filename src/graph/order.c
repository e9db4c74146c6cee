// order.c -- a node order that keeps neighbours close together.

#include "graph/order.h"

#include "base/sort.h"

#include <string.h>

enum { NODES_A_BLOCK = 256 };

// The rows that a product gathers of fewer nodes are near enough in any order: grouping
// ogbn-arxiv (169,343 nodes) gained nothing. Groups are of at most 1/64 of the nodes;
// 1/16 and 1/256 did as well.
enum { GROUPED_NODES = 200000, N_GROUPS = 64 };

// Sweeps end early once fewer than one node in MOVED_SHARE moves.
enum { N_SWEEPS = 5, MOVED_SHARE = 50 };

static const char ordering[] = "ordering the nodes";

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Sorts n nodes by decreasing number of neighbours; ties keep their order.
static opn_status sort_by_degree(
        opn_ctx *ctx, const opn_i_csr *topology, int32_t n, int32_t *node, uint64_t *key)
{
    opn_status status = OPN_OK;
    for (int32_t r = 0; r < n; r++) {
        const opn_off degree =
                topology->row_ptr[node[r] + 1] - topology->row_ptr[node[r]];
        key[r] = (uint64_t)(topology->n_rows - degree) << 32 | (uint32_t)r;
    }
    OPN_TRY(opn_i_sort(ctx, key, (size_t)n, sizeof(*key), compare_keys));
    // Replace all keys by nodes before overwriting the nodes.
    for (int32_t r = 0; r < n; r++)
        key[r] = (uint64_t)node[(uint32_t)key[r]];
    for (int32_t r = 0; r < n; r++)
        node[r] = (int32_t)key[r];
cleanup:
    return status;
}

// Appends the nodes that a search from `start` finds to the *n_found nodes of `order`.
static opn_status search_from(opn_ctx *ctx,
                              const opn_i_csr *topology,
                              int32_t start,
                              bool *is_met,
                              int32_t *n_found,
                              int32_t *order)
{
    opn_status status = OPN_OK;
    int32_t n = *n_found;
    int32_t next = n;
    is_met[start] = true;
    order[n++] = start;
    while (next < n) {
        OPN_TRY_GO_ON_ROWS(ctx, next, ordering);
        const int32_t i = order[next++];
        for (opn_off e = topology->row_ptr[i]; e < topology->row_ptr[i + 1]; e++) {
            const int32_t j = topology->col_idx[e];
            if (is_met[j])
                continue;
            is_met[j] = true;
            order[n++] = j;
        }
    }
    *n_found = n;
cleanup:
    return status;
}

// What label propagation works on.
typedef struct groups {
    int32_t *of;    // [V] group of each node, named after one that founded it
    int32_t *size;  // [V] nodes in each group
    int32_t *count; // [V] neighbours of the current node in each group; 0 between nodes
    int32_t *met;   // [V] groups of its neighbours
} groups;

static void groups_deinit(opn_ctx *ctx, groups *g)
{
    opn_i_release(&ctx->alloc, g->of);
    opn_i_release(&ctx->alloc, g->size);
    opn_i_release(&ctx->alloc, g->count);
    opn_i_release(&ctx->alloc, g->met);
}

// The group with most neighbours of node i that has room; its own if none has more.
static int32_t best_group(const opn_i_csr *topology, const groups *g, int32_t i)
{
    const int32_t n_most = topology->n_rows / N_GROUPS;
    int32_t n_met = 0;
    for (opn_off e = topology->row_ptr[i]; e < topology->row_ptr[i + 1]; e++) {
        const int32_t group = g->of[topology->col_idx[e]];
        if (g->count[group]++ == 0)
            g->met[n_met++] = group;
    }
    int32_t best = g->of[i];
    for (int32_t m = 0; m < n_met; m++)
        if (g->count[g->met[m]] > g->count[best] && g->size[g->met[m]] < n_most)
            best = g->met[m];
    for (int32_t m = 0; m < n_met; m++)
        g->count[g->met[m]] = 0;
    return best;
}

// Label propagation in the given order, one node after the other, so that the result is
// the same everywhere.
static opn_status propagate_groups(opn_ctx *ctx,
                                   const opn_i_csr *topology,
                                   const int32_t *order,
                                   const groups *g)
{
    opn_status status = OPN_OK;
    const int32_t n_nodes = topology->n_rows;
    for (int32_t i = 0; i < n_nodes; i++) {
        g->of[i] = i;
        g->size[i] = 1;
    }
    int32_t n_moved = n_nodes;
    for (int sweep = 0; sweep < N_SWEEPS && n_moved >= n_nodes / MOVED_SHARE; sweep++) {
        n_moved = 0;
        for (int32_t r = 0; r < n_nodes; r++) {
            OPN_TRY_GO_ON_ROWS(ctx, r, ordering);
            const int32_t i = order[r];
            const int32_t group = best_group(topology, g, i);
            n_moved += group != g->of[i];
            g->size[g->of[i]]--;
            g->size[group]++;
            g->of[i] = group;
        }
    }
cleanup:
    return status;
}

// Brings the nodes of a group together: groups follow each other as their first nodes do,
// and keep the order of their nodes.
static opn_status group_nodes(opn_ctx *ctx, const opn_i_csr *topology, int32_t *order)
{
    opn_status status = OPN_OK;
    const int32_t n_nodes = topology->n_rows;
    groups g = {0};
    OPN_TRY_NEW(ctx, g.of, n_nodes);
    OPN_TRY_NEW(ctx, g.size, n_nodes);
    OPN_TRY_NEW(ctx, g.count, n_nodes);
    OPN_TRY_NEW(ctx, g.met, n_nodes);
    OPN_TRY(propagate_groups(ctx, topology, order, &g));
    int32_t *const next = g.count; // [V] place of the next node of each group
    int32_t n_placed = 0;
    for (int32_t r = 0; r < n_nodes; r++) {
        const int32_t group = g.of[order[r]];
        if (g.size[group] == 0)
            continue; // placed already
        next[group] = n_placed;
        n_placed += g.size[group];
        g.size[group] = 0;
    }
    memcpy(g.met, order, (size_t)n_nodes * sizeof(*order));
    for (int32_t r = 0; r < n_nodes; r++)
        order[next[g.of[g.met[r]]]++] = g.met[r];
cleanup:
    groups_deinit(ctx, &g);
    return status;
}

opn_status opn_i_graph_order(opn_ctx *ctx, const opn_i_csr *topology, int32_t *order)
{
    opn_status status = OPN_OK;
    const int32_t n_nodes = topology->n_rows;
    int32_t *start = NULL; // all nodes, most neighbours first
    bool *is_met = NULL;
    uint64_t *key = NULL;
    int32_t n = 0;
    OPN_TRY_NEW(ctx, start, n_nodes);
    OPN_TRY_NEW(ctx, is_met, n_nodes);
    OPN_TRY_NEW(ctx, key, n_nodes);
    for (int32_t i = 0; i < n_nodes; i++)
        start[i] = i;
    OPN_TRY(sort_by_degree(ctx, topology, n_nodes, start, key));
    for (int32_t s = 0; s < n_nodes; s++)
        if (!is_met[start[s]])
            OPN_TRY(search_from(ctx, topology, start[s], is_met, &n, order));
    if (n_nodes >= GROUPED_NODES)
        OPN_TRY(group_nodes(ctx, topology, order));
    for (int32_t r = 0; r < n_nodes; r += NODES_A_BLOCK)
        OPN_TRY(sort_by_degree(ctx, topology,
                               n_nodes - r < NODES_A_BLOCK ? n_nodes - r : NODES_A_BLOCK,
                               order + r, key));
cleanup:
    opn_i_release(&ctx->alloc, start);
    opn_i_release(&ctx->alloc, is_met);
    opn_i_release(&ctx->alloc, key);
    return status;
}

void opn_i_order_invert(int32_t n, const int32_t *order, int32_t *place)
{
    for (int32_t r = 0; r < n; r++)
        place[order[r]] = r;
}
