// diffuse.c -- diffusion of values over the graph.

#include "graph/shards.h"

#include <math.h>

// Rows of one thread at least: a row is a few additions.
enum { NODES_A_THREAD = 4096 };

// One column on its way.
typedef struct diffusing {
    const opn_graph *graph;
    const opn_i_csr *topology;
    const opn_diffusion *how;
    int n_threads;
    double *first, *now, *next; // [V] each
} diffusing;

// The mean over the neighbours of node i, weighted by edge weight.
static double neighbours_of(const diffusing *d, int32_t i)
{
    const opn_i_csr *a = d->topology;
    double sum = 0.0;
    double weight = 0.0;
    for (opn_off e = a->row_ptr[i]; e < a->row_ptr[i + 1]; e++) {
        const double w = a->value == NULL ? 1.0 : (double)a->value[e];
        sum += w * d->now[a->col_idx[e]];
        weight += w;
    }
    if (weight > 0.0)
        return sum / weight;
    return isnan(d->how->missing) ? d->now[i] : d->how->missing;
}

// Every row belongs to one thread and reads only what the step before has written, so
// that bits do not depend on the number of threads.
static void step_once(diffusing *d)
{
    const double teleport = d->how->teleport;
    const double *kept = d->how->is_lazy ? d->now : d->first;
    const int32_t n = d->topology->n_rows;
    const int n_threads = d->n_threads;
    (void)n_threads; // unused when built without OpenMP
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1)
    for (int32_t i = 0; i < n; i++)
        d->next[i] = teleport * kept[i] + (1.0 - teleport) * neighbours_of(d, i);
    double *const other = d->now;
    d->now = d->next;
    d->next = other;
}

// Diffuses the values that begin at `value` and lie `stride` apart.
static opn_status diffuse_column(opn_ctx *ctx, diffusing *d, float *value, size_t stride)
{
    opn_status status = OPN_OK;
    const int32_t n = d->topology->n_rows;
    const int64_t n_steps = d->how->n_steps;
    for (int32_t i = 0; i < n; i++)
        d->first[i] = d->now[i] = (double)value[(size_t)i * stride];
    for (int64_t step = 0; step < n_steps; step++) {
        OPN_TRY(opn_i_progress(ctx, "diffusing", step, n_steps, "steps"));
        step_once(d);
        OPN_TRY(opn_i_graph_share_rows(ctx, d->graph, sizeof(*d->now), d->now));
    }
    for (int32_t i = 0; i < n; i++)
        value[(size_t)i * stride] = (float)d->now[i];
cleanup:
    return status;
}

static opn_status
check_diffusion(opn_ctx *ctx, const opn_graph *graph, const opn_diffusion *how)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, how->n_steps < 0, OPN_ERR_INVALID_ARG, "%lld steps of diffusion",
                (long long)how->n_steps);
    OPN_FAIL_IF(ctx, !(how->teleport >= 0.0 && how->teleport <= 1.0), OPN_ERR_INVALID_ARG,
                "a teleport of %g, which must be from 0 to 1", how->teleport);
    OPN_FAIL_IF(ctx, isinf(how->missing), OPN_ERR_INVALID_ARG,
                "a missing value that is infinite");
    OPN_TRY(opn_i_graph_check_undirected(ctx, graph));
cleanup:
    return status;
}

opn_status opn_graph_diffuse(opn_ctx *ctx,
                             const opn_graph *graph,
                             const opn_diffusion *how,
                             int32_t n_columns,
                             float *value)
{
    OPN_REJECT_NULL(ctx, graph, how, value);
    opn_status status = OPN_OK;
    const int32_t n = opn_i_graph_n_nodes(graph);
    const int64_t work = n + opn_i_csr_n_entries(&graph->topology);
    double *room[3] = {NULL, NULL, NULL};
    OPN_TRY(check_diffusion(ctx, graph, how));
    for (int r = 0; r < 3; r++)
        OPN_TRY_NEW(ctx, room[r], n);
    diffusing d = {.graph = graph,
                   .topology = &graph->topology,
                   .how = how,
                   .n_threads = opn_i_threads_for(ctx, work, NODES_A_THREAD),
                   .first = room[0],
                   .now = room[1],
                   .next = room[2]};
    for (int32_t k = 0; k < n_columns; k++)
        OPN_TRY(diffuse_column(ctx, &d, value + k, (size_t)n_columns));
cleanup:
    for (int r = 0; r < 3; r++)
        opn_i_release(&ctx->alloc, room[r]);
    return status;
}

bool opn_i_graph_has_isolated(const opn_graph *graph)
{
    const opn_i_csr *a = &graph->topology;
    if (opn_i_graph_is_partial(graph))
        return graph->shards->has_isolated;
    for (int32_t i = 0; i < a->n_rows; i++)
        if (a->row_ptr[i] == a->row_ptr[i + 1])
            return true;
    return false;
}
