// metrics.c -- the quality of detections.

#include "opine/metrics.h"

#include "opinion/number_array.h"
#include "opinion/ranking.h"

#include <math.h>

// The ranked values, and their names in the caller's terms.
typedef struct ranked_input {
    int32_t n;
    const uint8_t *flag;
    const char *flag_name;
    opn_numbers score;
    const char *score_name;
} ranked_input;

static opn_status check_ranked(opn_ctx *ctx, const ranked_input *in)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, in->n < 1, OPN_ERR_INVALID_ARG,
                "%d nodes: a metric needs at least one", in->n);
    for (int32_t i = 0; i < in->n; i++) {
        OPN_TRY_GO_ON(ctx, i, "ranking");
        OPN_FAIL_IF(ctx, isnan(opn_i_number(in->score, (size_t)i)), OPN_ERR_INVALID_ARG,
                    "%s of node %d is not a number", in->score_name, i);
        OPN_FAIL_IF(ctx, in->flag[i] > 1, OPN_ERR_INVALID_ARG,
                    "%s of node %d is %d, which must be 0 or 1", in->flag_name, i,
                    in->flag[i]);
    }
cleanup:
    return status;
}

// The caller releases *out. The flag serves as both positive and wrong: a metric reads
// one.
static opn_status rank(opn_ctx *ctx, const ranked_input *in, opn_i_ranking *out)
{
    opn_status status = OPN_OK;
    OPN_TRY(check_ranked(ctx, in));
    OPN_TRY(opn_i_ranking_init(ctx, in->n, out));
    if (in->score.f64 != NULL)
        OPN_TRY(opn_i_rank_doubles(ctx, in->n, in->score.f64, in->flag, in->flag, out));
    else
        opn_i_rank(in->n, in->score.f32, in->flag, in->flag, out);
cleanup:
    return status;
}

static opn_status rank_detection(opn_ctx *ctx,
                                 int32_t n,
                                 const uint8_t *positive,
                                 opn_numbers score,
                                 opn_i_ranking *out)
{
    const ranked_input in = {.n = n,
                             .flag = positive,
                             .flag_name = "positive",
                             .score = score,
                             .score_name = "score"};
    return rank(ctx, &in, out);
}

opn_status opn_metric_auroc(
        opn_ctx *ctx, int32_t n, const uint8_t *positive, opn_numbers score, double *out)
{
    OPN_REJECT_NULL(ctx, positive, out);
    OPN_REJECT_MISSING(ctx, score);
    opn_status status = OPN_OK;
    opn_i_ranking ranking = {0};
    OPN_TRY(rank_detection(ctx, n, positive, score, &ranking));
    *out = opn_i_ranking_auroc(&ranking, OPN_BY_MORE);
cleanup:
    opn_i_ranking_deinit(&ctx->alloc, &ranking);
    return status;
}

opn_status opn_metric_average_precision(
        opn_ctx *ctx, int32_t n, const uint8_t *positive, opn_numbers score, double *out)
{
    OPN_REJECT_NULL(ctx, positive, out);
    OPN_REJECT_MISSING(ctx, score);
    opn_status status = OPN_OK;
    opn_i_ranking ranking = {0};
    OPN_TRY(rank_detection(ctx, n, positive, score, &ranking));
    *out = opn_i_ranking_precision(&ranking, OPN_BY_MORE);
cleanup:
    opn_i_ranking_deinit(&ctx->alloc, &ranking);
    return status;
}

opn_status opn_metric_fpr_at_tpr(opn_ctx *ctx,
                                 int32_t n,
                                 const uint8_t *positive,
                                 opn_numbers score,
                                 double tpr,
                                 double *out)
{
    OPN_REJECT_NULL(ctx, positive, out);
    OPN_REJECT_MISSING(ctx, score);
    opn_status status = OPN_OK;
    opn_i_ranking ranking = {0};
    OPN_FAIL_IF(ctx, !(tpr >= 0.0 && tpr <= 1.0), OPN_ERR_INVALID_ARG,
                "a true positive rate of %g: it must be in [0, 1]", tpr);
    OPN_TRY(rank_detection(ctx, n, positive, score, &ranking));
    *out = opn_i_ranking_fpr(&ranking, OPN_BY_MORE, tpr);
cleanup:
    opn_i_ranking_deinit(&ctx->alloc, &ranking);
    return status;
}

opn_status opn_metric_risk_coverage(opn_ctx *ctx,
                                    int32_t n,
                                    const uint8_t *wrong,
                                    opn_numbers uncertainty,
                                    double *risk,
                                    double *area)
{
    OPN_REJECT_NULL(ctx, wrong, area);
    OPN_REJECT_MISSING(ctx, uncertainty);
    opn_status status = OPN_OK;
    opn_i_ranking ranking = {0};
    const ranked_input in = {.n = n,
                             .flag = wrong,
                             .flag_name = "wrong",
                             .score = uncertainty,
                             .score_name = "uncertainty"};
    OPN_TRY(rank(ctx, &in, &ranking));
    *area = opn_i_ranking_risk(&ranking, risk);
cleanup:
    opn_i_ranking_deinit(&ctx->alloc, &ranking);
    return status;
}
