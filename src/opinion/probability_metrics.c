// probability_metrics.c -- the quality of probabilities.

#include "base/sort.h"
#include "opine/calibrate.h"
#include "opine/metrics.h"
#include "opinion/careful_sum.h"
#include "opinion/curves.h"
#include "opinion/number_array.h"

#include <float.h>
#include <math.h>

static const char measuring[] = "measuring probabilities";

typedef struct classified {
    int32_t n;
    int32_t n_classes;
    opn_numbers probability; // [n, n_classes]
    const int32_t *label;    // [n]
} classified;

static double probability_of(const classified *in, int32_t i, int32_t k)
{
    return opn_i_number(in->probability, (size_t)i * (size_t)in->n_classes + (size_t)k);
}

// Nodes of the label -1 are left out where `may_skip`.
static opn_status check_classified(opn_ctx *ctx, const classified *in, bool may_skip)
{
    static const double most = 1.0001; // 1 with rounding error
    opn_status status = OPN_OK;
    int64_t spent = 0;
    OPN_FAIL_IF(ctx, in->n < 1, OPN_ERR_INVALID_ARG,
                "%d nodes: a metric needs at least one", in->n);
    OPN_FAIL_IF(ctx, in->n_classes < 1, OPN_ERR_INVALID_ARG,
                "%d classes: a metric needs at least one", in->n_classes);
    for (int32_t i = 0; i < in->n; i++) {
        OPN_TRY_SPEND(ctx, spent, in->n_classes, measuring);
        if (may_skip && in->label[i] == -1)
            continue;
        OPN_FAIL_IF(ctx, in->label[i] < 0 || in->label[i] >= in->n_classes,
                    OPN_ERR_INVALID_ARG, "label of node %d is %d, outside [0, %d)", i,
                    in->label[i], in->n_classes);
        for (int32_t k = 0; k < in->n_classes; k++) {
            const double p = probability_of(in, i, k);
            OPN_FAIL_IF(ctx, !(p >= 0.0 && p <= most), OPN_ERR_INVALID_ARG,
                        "probability of node %d and class %d is %g, which must be in "
                        "[0, 1]",
                        i, k, p);
        }
    }
cleanup:
    return status;
}

// ---- checked input -------------------------------------------------------------------

static opn_status brier_of(opn_ctx *ctx, const classified *in, double *out)
{
    opn_status status = OPN_OK;
    opn_i_sum sum = {0};
    int64_t spent = 0;
    for (int32_t i = 0; i < in->n; i++) {
        OPN_TRY_SPEND(ctx, spent, in->n_classes, measuring);
        for (int32_t k = 0; k < in->n_classes; k++) {
            const double distance = probability_of(in, i, k) - (k == in->label[i]);
            opn_i_sum_add(&sum, distance * distance);
        }
    }
    *out = opn_i_sum_total(&sum) / in->n;
cleanup:
    return status;
}

// What a probability of 0 counts as.
static double least_of(opn_numbers probability)
{
    return probability.f64 != NULL ? DBL_EPSILON : (double)FLT_EPSILON;
}

static opn_status nll_of(opn_ctx *ctx, const classified *in, double least, double *out)
{
    opn_status status = OPN_OK;
    opn_i_sum sum = {0};
    for (int32_t i = 0; i < in->n; i++) {
        OPN_TRY_GO_ON(ctx, i, measuring);
        opn_i_sum_add(&sum, -log(fmax(probability_of(in, i, in->label[i]), least)));
    }
    *out = opn_i_sum_total(&sum) / in->n;
cleanup:
    return status;
}

static double error_of(int32_t n_bins, const opn_i_bin *bin, int32_t n)
{
    double sum = 0.0; // of |accuracy - confidence| times the nodes of the bin
    for (int32_t b = 0; b < n_bins; b++)
        sum += fabs(bin[b].n_right - opn_i_sum_total(&bin[b].sum));
    return sum / n;
}

static opn_status
calibration_error_of(opn_ctx *ctx, const classified *in, int32_t n_bins, double *out)
{
    opn_status status = OPN_OK;
    opn_i_bin *bins = NULL;
    OPN_TRY_NEW(ctx, bins, n_bins);
    opn_i_reliability(in->n, in->n_classes, in->probability, in->label, n_bins, bins);
    *out = error_of(n_bins, bins, in->n);
cleanup:
    opn_i_release(&ctx->alloc, bins);
    return status;
}

static opn_status check_bins(opn_ctx *ctx, int32_t n_bins)
{
    return n_bins >= 1 ? OPN_OK
                       : opn_i_fail(ctx, OPN_ERR_INVALID_ARG,
                                    "%d bins: calibration needs at least one", n_bins);
}

// ---- one metric ----------------------------------------------------------------------

opn_status opn_metric_brier(opn_ctx *ctx,
                            int32_t n,
                            int32_t n_classes,
                            opn_numbers probability,
                            const int32_t *label,
                            double *out)
{
    OPN_REJECT_NULL(ctx, label, out);
    OPN_REJECT_MISSING(ctx, probability);
    opn_status status = OPN_OK;
    const classified in = {n, n_classes, probability, label};
    OPN_TRY(check_classified(ctx, &in, false));
    OPN_TRY(brier_of(ctx, &in, out));
cleanup:
    return status;
}

opn_status opn_metric_nll(opn_ctx *ctx,
                          int32_t n,
                          int32_t n_classes,
                          opn_numbers probability,
                          const int32_t *label,
                          double *out)
{
    OPN_REJECT_NULL(ctx, label, out);
    OPN_REJECT_MISSING(ctx, probability);
    opn_status status = OPN_OK;
    const classified in = {n, n_classes, probability, label};
    OPN_TRY(check_classified(ctx, &in, false));
    OPN_TRY(nll_of(ctx, &in, least_of(probability), out));
cleanup:
    return status;
}

opn_status opn_metric_calibration_error(opn_ctx *ctx,
                                        int32_t n,
                                        int32_t n_classes,
                                        opn_numbers probability,
                                        const int32_t *label,
                                        int32_t n_bins,
                                        double *out)
{
    OPN_REJECT_NULL(ctx, label, out);
    OPN_REJECT_MISSING(ctx, probability);
    opn_status status = OPN_OK;
    const classified in = {n, n_classes, probability, label};
    OPN_TRY(check_bins(ctx, n_bins));
    OPN_TRY(check_classified(ctx, &in, false));
    OPN_TRY(calibration_error_of(ctx, &in, n_bins, out));
cleanup:
    return status;
}

// ---- all of them ---------------------------------------------------------------------

// A node in the order of confidence.
typedef struct sure_node {
    double confidence;
    bool is_right;
} sure_node;

static int compare_sure(const void *a, const void *b)
{
    const double x = ((const sure_node *)a)->confidence;
    const double y = ((const sure_node *)b)->confidence;
    return (x > y) - (x < y);
}

static void list_sure(const classified *in, sure_node *node, int32_t *n_right)
{
    *n_right = 0;
    for (int32_t i = 0; i < in->n; i++) {
        const size_t at = (size_t)i * (size_t)in->n_classes;
        const int32_t top = opn_i_largest(in->n_classes, in->probability, at);
        node[i].confidence = probability_of(in, i, top);
        node[i].is_right = top == in->label[i];
        *n_right += node[i].is_right;
    }
}

// Puts sorted nodes into bins by their rank; equal ones follow the first of them.
static void fill_by_rank(int32_t n, const sure_node *node, int32_t n_bins, opn_i_bin *bin)
{
    int32_t first = 0;
    for (int32_t i = 0; i < n; i++) {
        if (node[i].confidence != node[first].confidence)
            first = i;
        opn_i_bin *b = &bin[(int64_t)first * n_bins / n];
        b->n_right += node[i].is_right;
        opn_i_sum_add(&b->sum, node[i].confidence);
    }
}

static opn_status measure_by_rank(opn_ctx *ctx,
                                  const classified *in,
                                  int32_t n_bins,
                                  opn_probability_quality *out)
{
    opn_status status = OPN_OK;
    sure_node *node = NULL;
    opn_i_bin *bins = NULL;
    int32_t n_right = 0;
    OPN_TRY_NEW(ctx, node, in->n);
    OPN_TRY_NEW(ctx, bins, n_bins);
    list_sure(in, node, &n_right);
    OPN_TRY(opn_i_sort(ctx, node, (size_t)in->n, sizeof(*node), compare_sure));
    fill_by_rank(in->n, node, n_bins, bins);
    out->accuracy = (double)n_right / in->n;
    out->adaptive_ece = error_of(n_bins, bins, in->n);
cleanup:
    opn_i_release(&ctx->alloc, node);
    opn_i_release(&ctx->alloc, bins);
    return status;
}

// Packs the rows of the nodes with a label; returns their number.
static int32_t pack(const classified *in, double *p, int32_t *label)
{
    const size_t width = (size_t)in->n_classes;
    int32_t n_packed = 0;
    for (int32_t i = 0; i < in->n; i++) {
        if (in->label[i] < 0)
            continue;
        for (size_t k = 0; k < width; k++)
            p[(size_t)n_packed * width + k] = probability_of(in, i, (int32_t)k);
        label[n_packed++] = in->label[i];
    }
    return n_packed;
}

opn_status opn_probability_measure(opn_ctx *ctx,
                                   int32_t n,
                                   int32_t n_classes,
                                   opn_numbers p,
                                   const int32_t *label,
                                   int32_t n_bins,
                                   opn_probability_quality *out)
{
    OPN_REJECT_NULL(ctx, label, out);
    OPN_REJECT_MISSING(ctx, p);
    opn_status status = OPN_OK;
    const classified given = {n, n_classes, p, label};
    double *packed = NULL;
    int32_t *packed_label = NULL;
    opn_probability_quality q = {0};
    OPN_TRY(check_bins(ctx, n_bins));
    OPN_TRY(check_classified(ctx, &given, true));
    OPN_TRY_NEW(ctx, packed, (size_t)n * (size_t)n_classes);
    OPN_TRY_NEW(ctx, packed_label, n);
    q.n = pack(&given, packed, packed_label);
    OPN_FAIL_IF(ctx, q.n < 1, OPN_ERR_INVALID_ARG,
                "no node has a label: a metric needs at least one");
    const classified in = {q.n, n_classes, opn_f64(packed), packed_label};
    OPN_TRY(brier_of(ctx, &in, &q.brier));
    OPN_TRY(nll_of(ctx, &in, least_of(p), &q.nll));
    OPN_TRY(calibration_error_of(ctx, &in, n_bins, &q.ece));
    OPN_TRY(measure_by_rank(ctx, &in, n_bins, &q));
    *out = q;
cleanup:
    opn_i_release(&ctx->alloc, packed);
    opn_i_release(&ctx->alloc, packed_label);
    return status;
}
