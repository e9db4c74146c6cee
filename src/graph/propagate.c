// propagate.c -- smoothing of values over the graph.

#include "graph/graph_data.h"

// One step for node i: half its own value, half the mean over itself and its neighbours,
// weighted by edge weight.
static double smooth_node(const opn_i_csr *a, int32_t i, const double *value)
{
    double sum = value[i];
    double weight = 1.0;
    for (opn_off e = a->row_ptr[i]; e < a->row_ptr[i + 1]; e++) {
        const double w = a->value == NULL ? 1.0 : (double)a->value[e];
        sum += w * value[a->col_idx[e]];
        weight += w;
    }
    return 0.5 * value[i] + 0.5 * sum / weight;
}

opn_status
opn_graph_propagate(opn_ctx *ctx, const opn_graph *graph, int64_t n_steps, float *value)
{
    OPN_REJECT_NULL(ctx, graph, value);
    opn_status status = OPN_OK;
    const opn_i_csr *a = &graph->topology;
    double *now = NULL;
    double *next = NULL;
    OPN_FAIL_IF(ctx, n_steps < 0, OPN_ERR_INVALID_ARG, "%lld steps of propagation",
                (long long)n_steps);
    OPN_FAIL_IF(ctx, !graph->is_undirected, OPN_ERR_SHAPE,
                "%s: the graph is directed; prepare it with "
                "OPN_STEP_UNDIRECTED",
                graph->name);
    OPN_TRY_NEW(ctx, now, a->n_rows);
    OPN_TRY_NEW(ctx, next, a->n_rows);
    for (int32_t i = 0; i < a->n_rows; i++)
        now[i] = (double)value[i];
    for (int64_t step = 0; step < n_steps; step++) {
        OPN_TRY(opn_i_progress(ctx, "propagating", step, n_steps, "steps"));
        for (int32_t i = 0; i < a->n_rows; i++)
            next[i] = smooth_node(a, i, now);
        double *const other = now;
        now = next;
        next = other;
    }
    for (int32_t i = 0; i < a->n_rows; i++)
        value[i] = (float)now[i];
cleanup:
    opn_i_release(&ctx->alloc, now);
    opn_i_release(&ctx->alloc, next);
    return status;
}
