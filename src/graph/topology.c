// topology.c -- the undirected view of a graph, and its components.

#include "graph/graph_data.h"

static opn_real weight_of(const opn_i_csr *csr, opn_off e)
{
    return csr->value == NULL ? 1 : csr->value[e];
}

// Appends column k to the row being built at *n, or raises the weight of its last entry.
static void
put_neighbour(opn_i_csr *out, opn_off first, opn_off *n, int32_t k, opn_real weight)
{
    if (*n > first && out->col_idx[*n - 1] == k) {
        if (out->value != NULL && weight > out->value[*n - 1])
            out->value[*n - 1] = weight;
        return;
    }
    out->col_idx[*n] = k;
    if (out->value != NULL)
        out->value[*n] = weight;
    (*n)++;
}

// Merges row i of a and of b, both sorted, into one without i itself.
static void
merge_row(const opn_i_csr *a, const opn_i_csr *b, int32_t i, opn_i_csr *out, opn_off *n)
{
    const opn_off first = *n;
    opn_off ea = a->row_ptr[i];
    opn_off eb = b->row_ptr[i];
    while (ea < a->row_ptr[i + 1] || eb < b->row_ptr[i + 1]) {
        const bool from_a = eb == b->row_ptr[i + 1] ||
                            (ea < a->row_ptr[i + 1] && a->col_idx[ea] <= b->col_idx[eb]);
        const opn_i_csr *source = from_a ? a : b;
        const opn_off e = from_a ? ea++ : eb++;
        if (source->col_idx[e] != i)
            put_neighbour(out, first, n, source->col_idx[e], weight_of(source, e));
    }
}

opn_status opn_i_topology_undirect(opn_ctx *ctx, const opn_i_csr *from, opn_i_csr *out)
{
    opn_status status = OPN_OK;
    opn_i_csr backward = {0};
    opn_i_csr forward = {0};
    opn_i_csr merged = {0};
    const opn_off n_entries = opn_i_csr_n_entries(from);
    OPN_TRY(opn_i_csr_transpose(ctx, from, &backward));
    OPN_TRY(opn_i_csr_transpose(ctx, &backward, &forward)); // `from` with sorted rows
    OPN_TRY(opn_i_csr_init(ctx, from->n_rows, from->n_cols, 2 * n_entries,
                           from->value != NULL, &merged));
    opn_off n = 0;
    for (int32_t i = 0; i < from->n_rows; i++) {
        OPN_TRY_GO_ON(ctx, i, "joining edges");
        merge_row(&forward, &backward, i, &merged, &n);
        merged.row_ptr[i + 1] = n;
    }
    opn_i_csr_deinit(&ctx->alloc, &forward);
    OPN_TRY(opn_i_csr_copy(ctx, &merged, out)); // usually half of it is unused
cleanup:
    opn_i_csr_deinit(&ctx->alloc, &backward);
    opn_i_csr_deinit(&ctx->alloc, &forward);
    opn_i_csr_deinit(&ctx->alloc, &merged);
    return status;
}

// Smallest node known to be in the component of i; halves the paths it follows.
static int32_t root_of(int32_t *parent, int32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

opn_status opn_i_graph_components(opn_ctx *ctx,
                                  const opn_graph *graph,
                                  int32_t *component,
                                  int32_t *n_components)
{
    opn_status status = OPN_OK;
    const opn_i_csr *a = &graph->topology;
    int32_t *parent = NULL;
    OPN_TRY_NEW(ctx, parent, a->n_rows);
    for (int32_t i = 0; i < a->n_rows; i++)
        parent[i] = i;
    for (int32_t i = 0; i < a->n_rows; i++) {
        for (opn_off e = a->row_ptr[i]; e < a->row_ptr[i + 1]; e++) {
            const int32_t one = root_of(parent, i);
            const int32_t other = root_of(parent, a->col_idx[e]);
            if (one < other)
                parent[other] = one;
            else
                parent[one] = other;
        }
    }
    int32_t n = 0;
    for (int32_t i = 0; i < a->n_rows; i++) {
        const int32_t root = root_of(parent, i);
        component[i] = root == i ? n++ : component[root]; // a root precedes its nodes
    }
    *n_components = n;
cleanup:
    opn_i_release(&ctx->alloc, parent);
    return status;
}
