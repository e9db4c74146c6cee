// detection.c -- how well scores rank nodes, over many draws from one pool.

#include "opinion/detection.h"

#include "opinion/ranking.h"

#include <math.h>

// One draw from the pool, and its nodes ranked by a score.
typedef struct draw {
    float *score;
    uint8_t *positive, *wrong;
    opn_i_ranking ranking;
} draw;

static void release_draw(opn_ctx *ctx, draw *d)
{
    opn_i_release(&ctx->alloc, d->score);
    opn_i_release(&ctx->alloc, d->positive);
    opn_i_release(&ctx->alloc, d->wrong);
    opn_i_ranking_deinit(&ctx->alloc, &d->ranking);
}

static opn_status make_draw(opn_ctx *ctx, int32_t n, draw *d)
{
    opn_status status = OPN_OK;
    OPN_TRY_NEW(ctx, d->score, n);
    OPN_TRY_NEW(ctx, d->positive, n);
    OPN_TRY_NEW(ctx, d->wrong, n);
    OPN_TRY(opn_i_ranking_init(ctx, n, &d->ranking));
cleanup:
    return status;
}

static void measure_draw(const opn_i_pool *pool,
                         const float *score,
                         const int32_t *node,
                         draw *d,
                         double metric[OPN_N_METRICS])
{
    const opn_i_order order = pool->ranks_by_more ? OPN_BY_MORE : OPN_BY_LESS;
    const opn_i_ranking *r = &d->ranking;
    for (int32_t j = 0; j < pool->n_drawn; j++) {
        d->score[j] = score[node[j]];
        d->positive[j] = pool->positive[node[j]];
        d->wrong[j] = pool->wrong[node[j]];
    }
    opn_i_rank(pool->n_drawn, d->score, d->positive, d->wrong, &d->ranking);
    metric[OPN_METRIC_AUROC] = opn_i_ranking_auroc(r, order);
    metric[OPN_METRIC_AUPR] = opn_i_ranking_precision(r, order);
    metric[OPN_METRIC_AUPR_ERRORS] = opn_i_ranking_precision_of_others(r, order);
    metric[OPN_METRIC_FPR95] = opn_i_ranking_fpr(r, order, 0.95);
    metric[OPN_METRIC_AURC] = opn_i_ranking_risk(r, NULL);
    metric[OPN_METRIC_FPR95_ERRORS] = opn_i_ranking_fpr_of_others(r, order, 0.95);
}

opn_status opn_i_detect(opn_ctx *ctx,
                        const opn_i_pool *pool,
                        const float *score,
                        double metric[OPN_N_METRICS])
{
    opn_status status = OPN_OK;
    draw d = {0};
    double sum[OPN_N_METRICS] = {0};
    int32_t n_used[OPN_N_METRICS] = {0};
    OPN_TRY(make_draw(ctx, pool->n_drawn, &d));
    for (int32_t j = 0; j < pool->n_draws; j++) {
        double one[OPN_N_METRICS];
        measure_draw(pool, score, pool->draw + (size_t)j * (size_t)pool->n_drawn, &d,
                     one);
        for (int m = 0; m < OPN_N_METRICS; m++) {
            if (isnan(one[m]))
                continue;
            sum[m] += one[m];
            n_used[m]++;
        }
    }
    for (int m = 0; m < OPN_N_METRICS; m++)
        metric[m] = n_used[m] > 0 ? sum[m] / n_used[m] : (double)NAN;
cleanup:
    release_draw(ctx, &d);
    return status;
}
