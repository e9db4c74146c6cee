// normalise.c -- the normalised adjacency matrix.

#include "graph/normalise.h"

#include "graph/shards.h"

#include <math.h>

// Writes row i of A + I, not yet normalised, starting at `at`; returns its end.
static opn_off put_row(const opn_i_csr *a, int32_t i, opn_i_csr *out, opn_off at)
{
    bool has_self = false;
    for (opn_off e = a->row_ptr[i]; e <= a->row_ptr[i + 1]; e++) {
        const bool is_end = e == a->row_ptr[i + 1];
        if (!has_self && (is_end || a->col_idx[e] > i)) {
            out->col_idx[at] = i;
            out->value[at++] = 1;
            has_self = true;
        }
        if (!is_end) {
            out->col_idx[at] = a->col_idx[e];
            out->value[at++] = a->value == NULL ? 1 : a->value[e];
        }
    }
    return at;
}

// Scale factor of a node, from the sum of its row.
static double shrink_of(opn_i_edge_rule rule, double degree)
{
    if (rule == OPN_EDGES_PLAIN)
        return 1.0;
    if (rule == OPN_EDGES_NORMALISED)
        return 1.0 / sqrt(degree);
    return degree > 0.0 ? 1.0 / degree : 0.0;
}

static double
entry_of(opn_i_edge_rule rule, double value, const double *shrink, int32_t i, int32_t j)
{
    if (opn_i_edge_rule_is_symmetric(rule))
        return value * shrink[i] * shrink[j];
    return i == j ? 0.0 : value * shrink[rule == OPN_EDGES_MEAN ? i : j];
}

static opn_status make_identity(opn_ctx *ctx, int32_t n, opn_i_csr *out)
{
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_csr_init(ctx, n, n, n, false, out));
    for (int32_t i = 0; i < n; i++) {
        out->col_idx[i] = i;
        out->row_ptr[i + 1] = i + 1;
    }
cleanup:
    return status;
}

opn_status opn_i_graph_normalise(opn_ctx *ctx,
                                 const opn_graph *graph,
                                 opn_i_edge_rule rule,
                                 opn_i_csr *out)
{
    opn_status status = OPN_OK;
    const opn_i_csr *a = &graph->topology;
    opn_i_csr normal = {0};
    double *shrink = NULL; // [V]
    OPN_TRY(opn_i_graph_check_undirected(ctx, graph));
    if (rule == OPN_EDGES_NONE)
        return make_identity(ctx, a->n_rows, out);
    OPN_TRY_NEW(ctx, shrink, a->n_rows);
    OPN_TRY(opn_i_csr_init(ctx, a->n_rows, a->n_cols, opn_i_csr_n_entries(a) + a->n_rows,
                           true, &normal));
    for (int32_t i = 0; i < a->n_rows; i++) {
        OPN_TRY_GO_ON_ROWS(ctx, i, "normalising the edges");
        const opn_off first = normal.row_ptr[i];
        double degree = 0.0;
        normal.row_ptr[i + 1] = put_row(a, i, &normal, first);
        for (opn_off e = first; e < normal.row_ptr[i + 1]; e++)
            if (rule == OPN_EDGES_NORMALISED || normal.col_idx[e] != i)
                degree += (double)normal.value[e];
        shrink[i] = shrink_of(rule, degree);
    }
    OPN_TRY(opn_i_graph_share_rows(ctx, graph, sizeof(*shrink), shrink));
    for (int32_t i = 0; i < a->n_rows; i++) {
        OPN_TRY_GO_ON_ROWS(ctx, i, "normalising the edges");
        for (opn_off e = normal.row_ptr[i]; e < normal.row_ptr[i + 1]; e++)
            normal.value[e] = (opn_real)entry_of(rule, (double)normal.value[e], shrink, i,
                                                 normal.col_idx[e]);
    }
    *out = normal;
    normal = (opn_i_csr){0};
cleanup:
    opn_i_release(&ctx->alloc, shrink);
    opn_i_csr_deinit(&ctx->alloc, &normal);
    return status;
}
