// order.c -- a node order that keeps neighbours close together.

#include "graph/order.h"

#include <stdlib.h>
#include <string.h>

enum { NODES_A_BLOCK = 256 };

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Sorts n nodes by decreasing number of neighbours; ties keep their order.
static void
sort_by_degree(const opn_i_csr *topology, int32_t n, int32_t *node, uint64_t *key)
{
    for (int32_t r = 0; r < n; r++) {
        const opn_off degree =
                topology->row_ptr[node[r] + 1] - topology->row_ptr[node[r]];
        key[r] = (uint64_t)(topology->n_rows - degree) << 32 | (uint32_t)r;
    }
    qsort(key, (size_t)n, sizeof(*key), compare_keys);
    // Replace all keys by nodes before overwriting the nodes.
    for (int32_t r = 0; r < n; r++)
        key[r] = (uint64_t)node[(uint32_t)key[r]];
    for (int32_t r = 0; r < n; r++)
        node[r] = (int32_t)key[r];
}

// Appends the nodes that a search from `start` finds to the n nodes of `order`; returns
// the new count.
static int32_t search_from(
        const opn_i_csr *topology, int32_t start, bool *is_met, int32_t n, int32_t *order)
{
    int32_t next = n;
    is_met[start] = true;
    order[n++] = start;
    while (next < n) {
        const int32_t i = order[next++];
        for (opn_off e = topology->row_ptr[i]; e < topology->row_ptr[i + 1]; e++) {
            const int32_t j = topology->col_idx[e];
            if (is_met[j])
                continue;
            is_met[j] = true;
            order[n++] = j;
        }
    }
    return n;
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
    sort_by_degree(topology, n_nodes, start, key);
    for (int32_t s = 0; s < n_nodes; s++)
        if (!is_met[start[s]])
            n = search_from(topology, start[s], is_met, n, order);
    for (int32_t r = 0; r < n_nodes; r += NODES_A_BLOCK)
        sort_by_degree(topology,
                       n_nodes - r < NODES_A_BLOCK ? n_nodes - r : NODES_A_BLOCK,
                       order + r, key);
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
