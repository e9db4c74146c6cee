// metrics.c -- the quality of detections and probabilities.

#include "opine/metrics.h"

#include "opinion/careful_sum.h"
#include "opinion/curves.h"
#include "opinion/ranking.h"

#include <math.h>
#include <string.h>

// ---- detection -----------------------------------------------------------------------

// The ranked values, and their names in the caller's terms.
typedef struct ranked_input {
    int32_t n;
    const uint8_t *flag;
    const char *flag_name;
    opn_i_values score;
    const char *score_name;
} ranked_input;

static opn_status check_ranked(opn_ctx *ctx, const ranked_input *in)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, in->n < 1, OPN_ERR_INVALID_ARG,
                "%d nodes: a metric needs at least one", in->n);
    for (int32_t i = 0; i < in->n; i++) {
        OPN_FAIL_IF(ctx, isnan(opn_i_value_at(in->score, i)), OPN_ERR_INVALID_ARG,
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
                                 opn_i_values score,
                                 opn_i_ranking *out)
{
    const ranked_input in = {.n = n,
                             .flag = positive,
                             .flag_name = "positive",
                             .score = score,
                             .score_name = "score"};
    return rank(ctx, &in, out);
}

static opn_status
auroc(opn_ctx *ctx, int32_t n, const uint8_t *positive, opn_i_values score, double *out)
{
    opn_status status = OPN_OK;
    opn_i_ranking ranking = {0};
    OPN_TRY(rank_detection(ctx, n, positive, score, &ranking));
    *out = opn_i_ranking_auroc(&ranking, OPN_BY_MORE);
cleanup:
    opn_i_ranking_deinit(&ctx->alloc, &ranking);
    return status;
}

static opn_status average_precision(
        opn_ctx *ctx, int32_t n, const uint8_t *positive, opn_i_values score, double *out)
{
    opn_status status = OPN_OK;
    opn_i_ranking ranking = {0};
    OPN_TRY(rank_detection(ctx, n, positive, score, &ranking));
    *out = opn_i_ranking_precision(&ranking, OPN_BY_MORE);
cleanup:
    opn_i_ranking_deinit(&ctx->alloc, &ranking);
    return status;
}

static opn_status fpr_at_tpr(opn_ctx *ctx,
                             int32_t n,
                             const uint8_t *positive,
                             opn_i_values score,
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

static opn_status risk_coverage(opn_ctx *ctx,
                                int32_t n,
                                const uint8_t *wrong,
                                opn_i_values uncertainty,
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
    opn_i_values probability; // [n, n_classes]
    const int32_t *label;     // [n]
} classified;

static double p_of(const classified *in, int32_t i, int32_t k)
{
    return opn_i_value_at(in->probability, (int64_t)i * in->n_classes + k);
}

static opn_status check_classified(opn_ctx *ctx, const classified *in)
{
    static const double most = 1.0001; // 1 with rounding error
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, in->n < 1, OPN_ERR_INVALID_ARG,
                "%d nodes: a metric needs at least one", in->n);
    OPN_FAIL_IF(ctx, in->n_classes < 1, OPN_ERR_INVALID_ARG,
                "%d classes: a metric needs at least one", in->n_classes);
    for (int32_t i = 0; i < in->n; i++) {
        OPN_FAIL_IF(ctx, in->label[i] < 0 || in->label[i] >= in->n_classes,
                    OPN_ERR_INVALID_ARG, "label of node %d is %d, outside [0, %d)", i,
                    in->label[i], in->n_classes);
        for (int32_t k = 0; k < in->n_classes; k++)
            OPN_FAIL_IF(ctx, !(p_of(in, i, k) >= 0.0 && p_of(in, i, k) <= most),
                        OPN_ERR_INVALID_ARG,
                        "probability of node %d and class %d is %g, which must be in "
                        "[0, 1]",
                        i, k, p_of(in, i, k));
    }
cleanup:
    return status;
}

static opn_status brier(opn_ctx *ctx, const classified *in, double *out)
{
    opn_status status = OPN_OK;
    opn_i_sum sum = {0};
    OPN_TRY(check_classified(ctx, in));
    for (int32_t i = 0; i < in->n; i++)
        for (int32_t k = 0; k < in->n_classes; k++) {
            const double distance = p_of(in, i, k) - (k == in->label[i]);
            opn_i_sum_add(&sum, distance * distance);
        }
    *out = opn_i_sum_total(&sum) / in->n;
cleanup:
    return status;
}

static opn_status nll(opn_ctx *ctx, const classified *in, double *out)
{
    opn_status status = OPN_OK;
    const double least = opn_i_values_epsilon(in->probability);
    opn_i_sum sum = {0};
    OPN_TRY(check_classified(ctx, in));
    for (int32_t i = 0; i < in->n; i++)
        opn_i_sum_add(&sum, -log(fmax(p_of(in, i, in->label[i]), least)));
    *out = opn_i_sum_total(&sum) / in->n;
cleanup:
    return status;
}

static opn_status
calibration_error(opn_ctx *ctx, const classified *in, int32_t n_bins, double *out)
{
    opn_status status = OPN_OK;
    opn_i_bin *bins = NULL;
    OPN_FAIL_IF(ctx, n_bins < 1, OPN_ERR_INVALID_ARG,
                "%d bins: calibration needs at least one", n_bins);
    OPN_TRY(check_classified(ctx, in));
    OPN_TRY_NEW(ctx, bins, n_bins);
    opn_i_reliability(in->n, in->n_classes, in->probability, in->label, n_bins, bins);
    double sum = 0.0; // of |accuracy - confidence| times the nodes of the bin
    for (int32_t b = 0; b < n_bins; b++)
        sum += fabs(bins[b].n_right - opn_i_sum_total(&bins[b].sum));
    *out = sum / in->n;
cleanup:
    opn_i_release(&ctx->alloc, bins);
    return status;
}

// ---- entries for either precision ----------------------------------------------------

opn_status opn_metric_auroc(
        opn_ctx *ctx, int32_t n, const uint8_t *positive, const float *score, double *out)
{
    OPN_REJECT_NULL(ctx, positive, score, out);
    return auroc(ctx, n, positive, opn_i_floats(score), out);
}

opn_status opn_metric_average_precision(
        opn_ctx *ctx, int32_t n, const uint8_t *positive, const float *score, double *out)
{
    OPN_REJECT_NULL(ctx, positive, score, out);
    return average_precision(ctx, n, positive, opn_i_floats(score), out);
}

opn_status opn_metric_fpr_at_tpr(opn_ctx *ctx,
                                 int32_t n,
                                 const uint8_t *positive,
                                 const float *score,
                                 double tpr,
                                 double *out)
{
    OPN_REJECT_NULL(ctx, positive, score, out);
    return fpr_at_tpr(ctx, n, positive, opn_i_floats(score), tpr, out);
}

opn_status opn_metric_risk_coverage(opn_ctx *ctx,
                                    int32_t n,
                                    const uint8_t *wrong,
                                    const float *uncertainty,
                                    double *risk,
                                    double *area)
{
    OPN_REJECT_NULL(ctx, wrong, uncertainty, area);
    return risk_coverage(ctx, n, wrong, opn_i_floats(uncertainty), risk, area);
}

opn_status opn_metric_brier(opn_ctx *ctx,
                            int32_t n,
                            int32_t n_classes,
                            const float *probability,
                            const int32_t *label,
                            double *out)
{
    OPN_REJECT_NULL(ctx, probability, label, out);
    const classified in = {n, n_classes, opn_i_floats(probability), label};
    return brier(ctx, &in, out);
}

opn_status opn_metric_nll(opn_ctx *ctx,
                          int32_t n,
                          int32_t n_classes,
                          const float *probability,
                          const int32_t *label,
                          double *out)
{
    OPN_REJECT_NULL(ctx, probability, label, out);
    const classified in = {n, n_classes, opn_i_floats(probability), label};
    return nll(ctx, &in, out);
}

opn_status opn_metric_calibration_error(opn_ctx *ctx,
                                        int32_t n,
                                        int32_t n_classes,
                                        const float *probability,
                                        const int32_t *label,
                                        int32_t n_bins,
                                        double *out)
{
    OPN_REJECT_NULL(ctx, probability, label, out);
    const classified in = {n, n_classes, opn_i_floats(probability), label};
    return calibration_error(ctx, &in, n_bins, out);
}

opn_status opn_metric_auroc_f64(opn_ctx *ctx,
                                int32_t n,
                                const uint8_t *positive,
                                const double *score,
                                double *out)
{
    OPN_REJECT_NULL(ctx, positive, score, out);
    return auroc(ctx, n, positive, opn_i_doubles(score), out);
}

opn_status opn_metric_average_precision_f64(opn_ctx *ctx,
                                            int32_t n,
                                            const uint8_t *positive,
                                            const double *score,
                                            double *out)
{
    OPN_REJECT_NULL(ctx, positive, score, out);
    return average_precision(ctx, n, positive, opn_i_doubles(score), out);
}

opn_status opn_metric_fpr_at_tpr_f64(opn_ctx *ctx,
                                     int32_t n,
                                     const uint8_t *positive,
                                     const double *score,
                                     double tpr,
                                     double *out)
{
    OPN_REJECT_NULL(ctx, positive, score, out);
    return fpr_at_tpr(ctx, n, positive, opn_i_doubles(score), tpr, out);
}

opn_status opn_metric_risk_coverage_f64(opn_ctx *ctx,
                                        int32_t n,
                                        const uint8_t *wrong,
                                        const double *uncertainty,
                                        double *risk,
                                        double *area)
{
    OPN_REJECT_NULL(ctx, wrong, uncertainty, area);
    return risk_coverage(ctx, n, wrong, opn_i_doubles(uncertainty), risk, area);
}

opn_status opn_metric_brier_f64(opn_ctx *ctx,
                                int32_t n,
                                int32_t n_classes,
                                const double *probability,
                                const int32_t *label,
                                double *out)
{
    OPN_REJECT_NULL(ctx, probability, label, out);
    const classified in = {n, n_classes, opn_i_doubles(probability), label};
    return brier(ctx, &in, out);
}

opn_status opn_metric_nll_f64(opn_ctx *ctx,
                              int32_t n,
                              int32_t n_classes,
                              const double *probability,
                              const int32_t *label,
                              double *out)
{
    OPN_REJECT_NULL(ctx, probability, label, out);
    const classified in = {n, n_classes, opn_i_doubles(probability), label};
    return nll(ctx, &in, out);
}

opn_status opn_metric_calibration_error_f64(opn_ctx *ctx,
                                            int32_t n,
                                            int32_t n_classes,
                                            const double *probability,
                                            const int32_t *label,
                                            int32_t n_bins,
                                            double *out)
{
    OPN_REJECT_NULL(ctx, probability, label, out);
    const classified in = {n, n_classes, opn_i_doubles(probability), label};
    return calibration_error(ctx, &in, n_bins, out);
}
