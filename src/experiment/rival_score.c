// rival_score.c -- scores that others rank nodes by.

#include "experiment/rival_score.h"

// One step of GNNSafe's propagation for node i: e/2 + D^-1 A e/2. A node without
// neighbours gets nothing from them, so that it is halved.
static double pass_on(const opn_i_csr *a, int32_t i, const double *e)
{
    const opn_off n = a->row_ptr[i + 1] - a->row_ptr[i];
    double sum = 0.0;
    for (opn_off at = a->row_ptr[i]; at < a->row_ptr[i + 1]; at++)
        sum += e[a->col_idx[at]];
    return 0.5 * e[i] + (n > 0 ? 0.5 * sum / (double)n : 0.0);
}

// The energy after the two steps of GNNSafe.
static opn_status
propagated_energy(opn_ctx *ctx, const opn_graph *graph, const float *energy, float *value)
{
    opn_status status = OPN_OK;
    const opn_i_csr *a = &graph->topology;
    double *now = NULL;
    double *next = NULL;
    OPN_TRY_NEW(ctx, now, a->n_rows);
    OPN_TRY_NEW(ctx, next, a->n_rows);
    for (int32_t i = 0; i < a->n_rows; i++)
        now[i] = (double)energy[i];
    for (int32_t i = 0; i < a->n_rows; i++)
        next[i] = pass_on(a, i, now);
    for (int32_t i = 0; i < a->n_rows; i++)
        value[i] = (float)pass_on(a, i, next);
cleanup:
    opn_i_release(&ctx->alloc, now);
    opn_i_release(&ctx->alloc, next);
    return status;
}

static float unconfidence(const opn_prediction *said, int32_t i)
{
    const float *p = said->probability + (size_t)i * (size_t)said->n_classes;
    return 1.0f - p[said->predicted[i]];
}

opn_status opn_i_rival_score(opn_ctx *ctx,
                             const opn_graph *graph,
                             const opn_prediction *said,
                             int32_t score,
                             float *value)
{
    if (score == OPN_SCORE_GNNSAFE)
        return propagated_energy(ctx, graph, said->energy, value);
    for (int32_t i = 0; i < said->n_nodes; i++)
        value[i] = unconfidence(said, i);
    return OPN_OK;
}
