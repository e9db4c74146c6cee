// metrics.c -- the quality of detections and probabilities.

#include "opine/metrics.h"

#include "opinion/careful_sum.h"
#include "opinion/curves.h"
#include "opinion/ranking.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- detection -----------------------------------------------------------------------

// The ranked values, and their names in the caller's terms.
typedef struct ranked_input {
    int32_t n;
    const uint8_t *flag;
    const char *flag_name;
    const float *score;
    const char *score_name;
} ranked_input;

static opn_status check_ranked(opn_ctx *ctx, const ranked_input *in)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, in->n < 1, OPN_ERR_INVALID_ARG,
                "%d nodes: a metric needs at least one", in->n);
    for (int32_t i = 0; i < in->n; i++) {
        OPN_FAIL_IF(ctx, isnan(in->score[i]), OPN_ERR_INVALID_ARG,
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
    opn_i_rank(in->n, in->score, in->flag, in->flag, out);
cleanup:
    return status;
}

static opn_status rank_detection(opn_ctx *ctx,
                                 int32_t n,
                                 const uint8_t *positive,
                                 const float *score,
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
        opn_ctx *ctx, int32_t n, const uint8_t *positive, const float *score, double *out)
{
    opn_status status = OPN_OK;
    opn_i_ranking ranking = {0};
    OPN_TRY(rank_detection(ctx, n, positive, score, &ranking));
    *out = opn_i_ranking_auroc(&ranking, OPN_BY_MORE);
cleanup:
    opn_i_ranking_deinit(&ctx->alloc, &ranking);
    return status;
}

opn_status opn_metric_average_precision(
        opn_ctx *ctx, int32_t n, const uint8_t *positive, const float *score, double *out)
{
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
                                 const float *score,
                                 double tpr,
                                 double *out)
{
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
                                    const float *uncertainty,
                                    double *risk,
                                    double *area)
{
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

// ---- probabilities -------------------------------------------------------------------

typedef struct classified {
    int32_t n;
    int32_t n_classes;
    const float *probability; // [n, n_classes]
    const int32_t *label;     // [n]
} classified;

static const float *row_of(const classified *in, int32_t i)
{
    return in->probability + (int64_t)i * in->n_classes;
}

static opn_status check_classified(opn_ctx *ctx, const classified *in)
{
    static const float most = 1.0001f; // 1 with rounding error
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, in->n < 1, OPN_ERR_INVALID_ARG,
                "%d nodes: a metric needs at least one", in->n);
    OPN_FAIL_IF(ctx, in->n_classes < 1, OPN_ERR_INVALID_ARG,
                "%d classes: a metric needs at least one", in->n_classes);
    for (int32_t i = 0; i < in->n; i++) {
        const float *p = row_of(in, i);
        OPN_FAIL_IF(ctx, in->label[i] < 0 || in->label[i] >= in->n_classes,
                    OPN_ERR_INVALID_ARG, "label of node %d is %d, outside [0, %d)", i,
                    in->label[i], in->n_classes);
        for (int32_t k = 0; k < in->n_classes; k++)
            OPN_FAIL_IF(ctx, !(p[k] >= 0.0f && p[k] <= most), OPN_ERR_INVALID_ARG,
                        "probability of node %d and class %d is %g, which must be in "
                        "[0, 1]",
                        i, k, (double)p[k]);
    }
cleanup:
    return status;
}

opn_status opn_metric_brier(opn_ctx *ctx,
                            int32_t n,
                            int32_t n_classes,
                            const float *probability,
                            const int32_t *label,
                            double *out)
{
    opn_status status = OPN_OK;
    const classified in = {n, n_classes, probability, label};
    opn_i_sum sum = {0};
    OPN_TRY(check_classified(ctx, &in));
    for (int32_t i = 0; i < n; i++) {
        const float *p = row_of(&in, i);
        for (int32_t k = 0; k < n_classes; k++) {
            const double distance = (double)p[k] - (k == label[i]);
            opn_i_sum_add(&sum, distance * distance);
        }
    }
    *out = opn_i_sum_total(&sum) / n;
cleanup:
    return status;
}

opn_status opn_metric_nll(opn_ctx *ctx,
                          int32_t n,
                          int32_t n_classes,
                          const float *probability,
                          const int32_t *label,
                          double *out)
{
    opn_status status = OPN_OK;
    const classified in = {n, n_classes, probability, label};
    opn_i_sum sum = {0};
    OPN_TRY(check_classified(ctx, &in));
    for (int32_t i = 0; i < n; i++)
        opn_i_sum_add(&sum,
                      -log(fmax((double)row_of(&in, i)[label[i]], (double)FLT_EPSILON)));
    *out = opn_i_sum_total(&sum) / n;
cleanup:
    return status;
}

opn_status opn_metric_calibration_error(opn_ctx *ctx,
                                        int32_t n,
                                        int32_t n_classes,
                                        const float *probability,
                                        const int32_t *label,
                                        int32_t n_bins,
                                        double *out)
{
    opn_status status = OPN_OK;
    const classified in = {n, n_classes, probability, label};
    opn_i_bin *bins = NULL;
    OPN_FAIL_IF(ctx, n_bins < 1, OPN_ERR_INVALID_ARG,
                "%d bins: calibration needs at least one", n_bins);
    OPN_TRY(check_classified(ctx, &in));
    OPN_TRY_NEW(ctx, bins, n_bins);
    opn_i_reliability(n, n_classes, probability, label, n_bins, bins);
    double sum = 0.0; // of |accuracy - confidence| times the nodes of the bin
    for (int32_t b = 0; b < n_bins; b++)
        sum += fabs(bins[b].n_right - opn_i_sum_total(&bins[b].sum));
    *out = sum / n;
cleanup:
    opn_i_release(&ctx->alloc, bins);
    return status;
}
