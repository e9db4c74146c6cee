// metrics_test.c -- how good detections and probabilities are.

#include "base/context.h"
#include "golden/metrics_golden.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <float.h>
#include <math.h>
#include <string.h>

static opn_ctx *ctx;

enum { MOST = 1000, MOST_CLASSES = 10 };
#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

static void expect_near(double value, double wanted, double tolerance)
{
    if (isnan(wanted))
        assert_true(isnan(value));
    else
        assert_true(fabs(value - wanted) <= tolerance);
}

// ---- what is measured ----------------------------------------------------------------

typedef struct detection {
    int32_t n;
    uint8_t positive[MOST];
    float score[MOST];
} detection;

enum { N_FIGURES = 4 };

// AUROC, average precision, FPR at 0.8 and area of the risk.
static void measure_detection(const detection *d, double figure[N_FIGURES])
{
    assert_int_equal(
            opn_metric_auroc(ctx, d->n, d->positive, opn_f32(d->score), &figure[0]),
            OPN_OK);
    assert_int_equal(opn_metric_average_precision(ctx, d->n, d->positive,
                                                  opn_f32(d->score), &figure[1]),
                     OPN_OK);
    assert_int_equal(opn_metric_fpr_at_tpr(ctx, d->n, d->positive, opn_f32(d->score), 0.8,
                                           &figure[2]),
                     OPN_OK);
    assert_int_equal(opn_metric_risk_coverage(ctx, d->n, d->positive, opn_f32(d->score),
                                              NULL, &figure[3]),
                     OPN_OK);
}

static void draw_detection(const golden_detection *g, detection *out)
{
    uint64_t random = g->seed;
    out->n = g->n;
    for (int32_t i = 0; i < g->n; i++) {
        out->positive[i] = below(&random, 100) < (uint32_t)g->percent;
        const int32_t level = (int32_t)below(&random, (uint32_t)g->levels) -
                              g->levels / 2 + (out->positive[i] ? g->lift : 0);
        out->score[i] = (float)level * 0.125f;
    }
}

typedef struct classification {
    int32_t n;
    int32_t n_classes;
    int32_t label[MOST];
    float probability[MOST * MOST_CLASSES];
} classification;

// Brier score, NLL and calibration error.
static void measure_classification(const classification *c, int32_t n_bins, double out[3])
{
    assert_int_equal(opn_metric_brier(ctx, c->n, c->n_classes, opn_f32(c->probability),
                                      c->label, &out[0]),
                     OPN_OK);
    assert_int_equal(opn_metric_nll(ctx, c->n, c->n_classes, opn_f32(c->probability),
                                    c->label, &out[1]),
                     OPN_OK);
    assert_int_equal(opn_metric_calibration_error(ctx, c->n, c->n_classes,
                                                  opn_f32(c->probability), c->label,
                                                  n_bins, &out[2]),
                     OPN_OK);
}

static void draw_classification(const golden_classification *g, classification *out)
{
    uint64_t random = g->seed;
    out->n = g->n;
    out->n_classes = g->n_classes;
    for (int32_t i = 0; i < g->n; i++) {
        uint32_t weight[MOST_CLASSES];
        uint32_t sum = 0;
        out->label[i] = (int32_t)below(&random, (uint32_t)g->n_classes);
        for (int32_t k = 0; k < g->n_classes; k++) {
            weight[k] = below(&random, (uint32_t)g->levels);
            weight[k] += k == out->label[i] ? (uint32_t)g->lift : 0;
            sum += weight[k];
        }
        if (sum == 0)
            weight[0] = sum = 1;
        for (int32_t k = 0; k < g->n_classes; k++)
            out->probability[i * g->n_classes + k] = (float)weight[k] / (float)sum;
    }
}

// ---- golden values -------------------------------------------------------------------

static void detections_are_scored_as_by_scikit_learn(void **state)
{
    (void)state;
    static detection d;
    for (size_t c = 0; c < N_OF(golden_detections); c++) {
        const golden_detection *g = &golden_detections[c];
        double figure[N_FIGURES];
        draw_detection(g, &d);
        measure_detection(&d, figure);
        expect_near(figure[0], g->auroc, 1e-14);
        expect_near(figure[1], g->average_precision, 1e-14);
        for (int t = 0; t < GOLDEN_N_TPRS; t++) {
            double fpr = -1.0;
            assert_int_equal(opn_metric_fpr_at_tpr(ctx, d.n, d.positive, opn_f32(d.score),
                                                   golden_tpr[t], &fpr),
                             OPN_OK);
            expect_near(fpr, g->fpr[t], 1e-15);
        }
    }
}

static void risk_over_coverage_agrees_with_numpy(void **state)
{
    (void)state;
    static detection d;
    static double risk[MOST];
    for (size_t c = 0; c < N_OF(golden_detections); c++) {
        const golden_detection *g = &golden_detections[c];
        double area = -1.0;
        double placed = 0.0;
        draw_detection(g, &d);
        assert_int_equal(opn_metric_risk_coverage(ctx, d.n, d.positive, opn_f32(d.score),
                                                  risk, &area),
                         OPN_OK);
        for (int32_t i = 0; i < d.n; i++)
            placed += risk[i] * (i + 1.0) / d.n;
        expect_near(area, g->area, 1e-14);
        expect_near(placed, g->placed_risk, 1e-11);
    }
}

static void probabilities_are_scored_as_by_numpy(void **state)
{
    (void)state;
    static classification drawn;
    for (size_t c = 0; c < N_OF(golden_classifications); c++) {
        const golden_classification *g = &golden_classifications[c];
        double figure[3];
        draw_classification(g, &drawn);
        measure_classification(&drawn, g->n_bins, figure);
        expect_near(figure[0], g->brier, 1e-14);
        expect_near(figure[1], g->nll, 1e-13);
        expect_near(figure[2], g->calibration_error, 1e-14);
    }
}

// ---- against the definitions ---------------------------------------------------------

// Any of the 2^32 floats except NaN.
static float any_float(uint64_t *random)
{
    float x;
    do {
        const uint32_t bits = below(random, 1u << 16) << 16 | below(random, 1u << 16);
        memcpy(&x, &bits, sizeof(x));
    } while (isnan(x));
    return x;
}

static double naive_auroc(const detection *d)
{
    double n_won = 0.0;
    double n_pairs = 0.0;
    for (int32_t i = 0; i < d->n; i++)
        for (int32_t j = 0; j < d->n; j++)
            if (d->positive[i] && !d->positive[j]) {
                n_pairs += 1.0;
                n_won += d->score[i] > d->score[j]    ? 1.0
                         : d->score[i] == d->score[j] ? 0.5
                                                      : 0.0;
            }
    return n_won / n_pairs;
}

// The mean over positive nodes of the precision at their own score.
static double naive_average_precision(const detection *d)
{
    double sum = 0.0;
    int32_t n_positive = 0;
    for (int32_t i = 0; i < d->n; i++) {
        int32_t n_above = 0;
        int32_t n_found = 0;
        for (int32_t j = 0; j < d->n; j++)
            if (d->score[j] >= d->score[i]) {
                n_above++;
                n_found += d->positive[j];
            }
        sum += d->positive[i] ? (double)n_found / n_above : 0.0;
        n_positive += d->positive[i];
    }
    return n_positive > 0 ? sum / n_positive : 0.0;
}

static void any_floats_are_ranked_as_the_definitions_say(void **state)
{
    (void)state;
    static detection d;
    uint64_t random = 11;
    for (d.n = 1; d.n <= 130; d.n++) {
        const uint32_t n_levels = 1 + below(&random, 2 * (uint32_t)d.n);
        float level[260];
        double figure[N_FIGURES];
        for (uint32_t l = 0; l < n_levels; l++)
            level[l] = any_float(&random);
        for (int32_t i = 0; i < d.n; i++) {
            d.positive[i] = below(&random, 3) == 0;
            d.score[i] = level[below(&random, n_levels)];
        }
        measure_detection(&d, figure);
        expect_near(figure[0], naive_auroc(&d), 1e-14);
        expect_near(figure[1], naive_average_precision(&d), 1e-14);
    }
}

static void infinities_and_the_two_zeros_have_their_place(void **state)
{
    (void)state;
    static const float tiny = FLT_MIN / 4.0f;
    const detection rising = {
            8,
            {0, 0, 0, 0, 1, 1, 1, 1},
            {-INFINITY, -FLT_MAX, -1.0f, -tiny, 0.0f, tiny, FLT_MAX, INFINITY}};
    const detection zeros = {2, {1, 0}, {-0.0f, 0.0f}};
    double figure[N_FIGURES];
    measure_detection(&rising, figure);
    assert_true(figure[0] == 1.0 && figure[1] == 1.0 && figure[2] == 0.0);
    measure_detection(&zeros, figure);
    assert_true(figure[0] == 0.5 && figure[1] == 0.5 && figure[2] == 1.0);
}

static void risk_of_ties_is_the_mean_over_their_orders(void **state)
{
    (void)state;
    // Right, then right and wrong in either order, then wrong.
    static const uint8_t wrong[] = {1, 0, 1, 0};
    static const float uncertainty[] = {0.5f, 0.5f, 0.9f, 0.1f};
    static const double wanted[] = {0.0, (1.0 / 2 + 0.0) / 2, 1.0 / 3, 2.0 / 4};
    double risk[4];
    double area = -1.0;
    assert_int_equal(
            opn_metric_risk_coverage(ctx, 4, wrong, opn_f32(uncertainty), risk, &area),
            OPN_OK);
    for (int i = 0; i < 4; i++)
        expect_near(risk[i], wanted[i], 1e-15);
    expect_near(area, (wanted[0] + wanted[1] + wanted[2] + wanted[3]) / 4, 1e-15);
}

static void borders_belong_to_the_bin_below(void **state)
{
    (void)state;
    // One bin would let the two errors of a half cancel.
    static const float p[] = {0.5f, 0.5f, 0.75f, 0.25f};
    static const int32_t wrong_right[] = {1, 0};
    double error = -1.0;
    assert_int_equal(
            opn_metric_calibration_error(ctx, 2, 2, opn_f32(p), wrong_right, 2, &error),
            OPN_OK);
    expect_near(error, (0.5 + 0.25) / 2, 1e-15);
    assert_int_equal(
            opn_metric_calibration_error(ctx, 2, 2, opn_f32(p), wrong_right, 1, &error),
            OPN_OK);
    expect_near(error, 0.25 / 2, 1e-15);
    static const float ends[] = {0.0f, 1.0f};
    static const int32_t only[] = {0, 0};
    assert_int_equal(
            opn_metric_calibration_error(ctx, 2, 1, opn_f32(ends), only, 7, &error),
            OPN_OK);
    expect_near(error, 0.5, 1e-15);
}

static void certainty_in_the_wrong_class_costs_a_bounded_likelihood(void **state)
{
    (void)state;
    static const float p[] = {0.0f, 1.0f, 1.00005f, 0.0f};
    static const int32_t label[] = {0, 0};
    double nll = -1.0;
    assert_int_equal(opn_metric_nll(ctx, 1, 2, opn_f32(p), label, &nll), OPN_OK);
    expect_near(nll, -log((double)FLT_EPSILON), 1e-14);
    assert_int_equal(opn_metric_nll(ctx, 1, 2, opn_f32(p + 2), label, &nll), OPN_OK);
    expect_near(nll, -5e-5, 1e-7);
}

// ---- invariants ----------------------------------------------------------------------

static void negated_scores_detect_the_opposite(void **state)
{
    (void)state;
    static detection d;
    for (size_t c = 0; c < N_OF(golden_detections); c++) {
        double auroc = -1.0;
        draw_detection(&golden_detections[c], &d);
        for (int32_t i = 0; i < d.n; i++)
            d.score[i] = -d.score[i];
        assert_int_equal(opn_metric_auroc(ctx, d.n, d.positive, opn_f32(d.score), &auroc),
                         OPN_OK);
        expect_near(auroc, 1.0 - golden_detections[c].auroc, 1e-14);
    }
}

static void only_the_order_of_scores_matters(void **state)
{
    (void)state;
    static detection d;
    uint64_t random = 5;
    d.n = 200;
    for (int32_t i = 0; i < d.n; i++) {
        d.positive[i] = below(&random, 2) == 0;
        d.score[i] = (float)below(&random, 90) - 45.0f;
    }
    double before[N_FIGURES];
    double after[N_FIGURES];
    measure_detection(&d, before);
    for (int32_t i = 0; i < d.n; i++) // exact, so that no two scores fall together
        d.score[i] = d.score[i] * d.score[i] * d.score[i] + 7.0f;
    measure_detection(&d, after);
    assert_memory_equal(after, before, sizeof(before));
    for (int32_t i = 0; i < d.n; i++)
        d.score[i] *= 0x1p100f;
    measure_detection(&d, after);
    assert_memory_equal(after, before, sizeof(before));
}

static void order_of_nodes_changes_no_bit_of_a_detection(void **state)
{
    (void)state;
    static detection d;
    uint64_t random = 3;
    for (size_t c = 0; c < N_OF(golden_detections); c++) {
        double before[N_FIGURES];
        double after[N_FIGURES];
        draw_detection(&golden_detections[c], &d);
        measure_detection(&d, before);
        for (int32_t i = d.n - 1; i > 0; i--) {
            const uint32_t j = below(&random, (uint32_t)i + 1);
            const uint8_t flag = d.positive[i];
            const float score = d.score[i];
            d.positive[i] = d.positive[j];
            d.score[i] = d.score[j];
            d.positive[j] = flag;
            d.score[j] = score;
        }
        measure_detection(&d, after);
        assert_memory_equal(after, before, sizeof(before));
    }
}

static void order_of_nodes_changes_no_bit_of_a_classification(void **state)
{
    (void)state;
    static classification drawn;
    static classification turned;
    uint64_t random = 4;
    for (size_t c = 0; c < N_OF(golden_classifications); c++) {
        double before[3];
        double after[3];
        draw_classification(&golden_classifications[c], &drawn);
        turned = drawn;
        const size_t row_bytes = sizeof(float) * (size_t)drawn.n_classes;
        const uint32_t from = below(&random, (uint32_t)drawn.n);
        for (int32_t i = 0; i < drawn.n; i++) { // backwards from anywhere
            const int32_t j = ((int32_t)from - i + drawn.n) % drawn.n;
            turned.label[i] = drawn.label[j];
            memcpy(turned.probability + i * drawn.n_classes,
                   drawn.probability + j * drawn.n_classes, row_bytes);
        }
        measure_classification(&drawn, 15, before);
        measure_classification(&turned, 15, after);
        assert_memory_equal(after, before, sizeof(before));
    }
}

// ---- refusals ------------------------------------------------------------------------

static void bad_detections_are_refused_by_node(void **state)
{
    (void)state;
    const uint8_t flag[] = {0, 1, 0};
    const uint8_t bad_flag[] = {0, 1, 2};
    const float score[] = {0.1f, 0.2f, 0.3f};
    const float bad_score[] = {0.1f, NAN, 0.3f};
    double out = -7.0;
    double risk[3] = {-7.0, -7.0, -7.0};
    assert_int_equal(opn_metric_auroc(ctx, 0, flag, opn_f32(score), &out),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "0 nodes: a metric needs at least one");
    assert_int_equal(opn_metric_average_precision(ctx, 3, flag, opn_f32(bad_score), &out),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "score of node 1 is not a number");
    assert_int_equal(opn_metric_fpr_at_tpr(ctx, 3, bad_flag, opn_f32(score), 0.95, &out),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "positive of node 2 is 2, which must be 0 or 1");
    static const double bad_tpr[] = {-0.01, 1.01, (double)NAN};
    for (size_t t = 0; t < N_OF(bad_tpr); t++) {
        assert_int_equal(
                opn_metric_fpr_at_tpr(ctx, 3, flag, opn_f32(score), bad_tpr[t], &out),
                OPN_ERR_INVALID_ARG);
        support_expect_error(ctx, "it must be in [0, 1]");
    }
    assert_int_equal(
            opn_metric_risk_coverage(ctx, 3, flag, opn_f32(bad_score), risk, &out),
            OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "uncertainty of node 1 is not a number");
    assert_int_equal(
            opn_metric_risk_coverage(ctx, 3, bad_flag, opn_f32(score), risk, &out),
            OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "wrong of node 2 is 2");
    assert_true(out == -7.0 && risk[0] == -7.0 && risk[2] == -7.0);
}

static void bad_probabilities_are_refused_by_node_and_class(void **state)
{
    (void)state;
    const float p[] = {0.5f, 0.5f, 1.0f, 0.0f};
    static const float bad[] = {-0.01f, 1.01f, NAN, INFINITY};
    const int32_t label[] = {0, 1};
    double out = -7.0;
    assert_int_equal(opn_metric_brier(ctx, 0, 2, opn_f32(p), label, &out),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "0 nodes");
    assert_int_equal(opn_metric_nll(ctx, 2, 0, opn_f32(p), label, &out),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "0 classes");
    assert_int_equal(opn_metric_calibration_error(ctx, 2, 2, opn_f32(p), label, 0, &out),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "0 bins");
    for (int32_t wrong = -1; wrong < 3; wrong += 3) {
        const int32_t bad_label[] = {0, wrong};
        assert_int_equal(opn_metric_nll(ctx, 2, 2, opn_f32(p), bad_label, &out),
                         OPN_ERR_INVALID_ARG);
        support_expect_error(ctx, wrong < 0 ? "label of node 1 is -1, outside [0, 2)"
                                            : "label of node 1 is 2, outside [0, 2)");
    }
    for (size_t b = 0; b < N_OF(bad); b++) {
        const float with_bad[] = {0.5f, 0.5f, 1.0f, bad[b]};
        assert_int_equal(opn_metric_brier(ctx, 2, 2, opn_f32(with_bad), label, &out),
                         OPN_ERR_INVALID_ARG);
        support_expect_error(ctx, "probability of node 1 and class 1 is ");
        assert_int_equal(opn_metric_calibration_error(ctx, 2, 2, opn_f32(with_bad), label,
                                                      15, &out),
                         OPN_ERR_INVALID_ARG);
    }
    assert_true(out == -7.0);
}

// All metrics that allocate, one after the other.
static opn_status run_all(opn_ctx *own)
{
    static const uint8_t flag[] = {0, 1, 0};
    static const float score[] = {0.1f, 0.2f, 0.3f};
    static const int32_t label[] = {0, 0, 0};
    opn_status status = OPN_OK;
    double out;
    OPN_TRY(opn_metric_auroc(own, 3, flag, opn_f32(score), &out));
    OPN_TRY(opn_metric_average_precision(own, 3, flag, opn_f32(score), &out));
    OPN_TRY(opn_metric_fpr_at_tpr(own, 3, flag, opn_f32(score), 0.95, &out));
    OPN_TRY(opn_metric_risk_coverage(own, 3, flag, opn_f32(score), NULL, &out));
    OPN_TRY(opn_metric_calibration_error(own, 3, 1, opn_f32(score), label, 15, &out));
cleanup:
    return status;
}

static void every_allocation_failure_is_reported(void **state)
{
    (void)state;
    int n_refused = 0;
    for (long fail_at = 1;; fail_at++) {
        meter m = {0};
        opn_ctx *own = support_ctx(&m);
        m.fail_at = m.n_requests + fail_at;
        const opn_status status = run_all(own);
        support_ctx_free(own, &m);
        if (status == OPN_OK)
            break;
        assert_int_equal(status, OPN_ERR_NOMEM);
        n_refused++;
    }
    assert_int_equal(n_refused, 9);
}

// ---- doubles -------------------------------------------------------------------------

static void doubles_give_what_floats_give(void **state)
{
    (void)state;
    static detection d;
    static double score[MOST];
    for (size_t g = 0; g < N_OF(golden_detections); g++) {
        double wanted[N_FIGURES];
        double got[N_FIGURES];
        draw_detection(&golden_detections[g], &d);
        measure_detection(&d, wanted);
        for (int32_t i = 0; i < d.n; i++)
            score[i] = (double)d.score[i];
        assert_int_equal(opn_metric_auroc(ctx, d.n, d.positive, opn_f64(score), &got[0]),
                         OPN_OK);
        assert_int_equal(opn_metric_average_precision(ctx, d.n, d.positive,
                                                      opn_f64(score), &got[1]),
                         OPN_OK);
        assert_int_equal(
                opn_metric_fpr_at_tpr(ctx, d.n, d.positive, opn_f64(score), 0.8, &got[2]),
                OPN_OK);
        assert_int_equal(opn_metric_risk_coverage(ctx, d.n, d.positive, opn_f64(score),
                                                  NULL, &got[3]),
                         OPN_OK);
        for (int f = 0; f < N_FIGURES; f++)
            expect_near(got[f], wanted[f], 0.0);
    }
}

static void doubles_that_floats_would_tie_are_told_apart(void **state)
{
    (void)state;
    static const uint8_t positive[] = {0, 1, 0, 1, 0, 1};
    const float rough[] = {1, 1, 1, 1, -1, -1};
    const double score[] = {1.0,        1.0 + 1e-12, 1.0 - 1e-12,
                            1.0 + 2e-9, -1.0,        -1.0 + 1e-15};
    double auroc = 0.0;
    assert_int_equal(opn_metric_auroc(ctx, 6, positive, opn_f32(rough), &auroc), OPN_OK);
    expect_near(auroc, 0.5, 0.0);
    assert_int_equal(opn_metric_auroc(ctx, 6, positive, opn_f64(score), &auroc), OPN_OK);
    expect_near(auroc, 7.0 / 9.0, 1e-15);
    const double broken[] = {1, 2, (double)NAN};
    assert_int_equal(opn_metric_auroc(ctx, 3, positive, opn_f64(broken), &auroc),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "score of node 2 is not a number");
}

static void probabilities_as_doubles_keep_their_digits(void **state)
{
    (void)state;
    static const int32_t label[] = {0, 1, 1};
    const double p[] = {1e-12, 1.0 - 1e-12, 0.25, 0.75, 1.0, 0.0};
    double got[3];
    assert_int_equal(opn_metric_nll(ctx, 3, 2, opn_f64(p), label, &got[0]), OPN_OK);
    expect_near(got[0], -(log(1e-12) + log(0.75) + log(DBL_EPSILON)) / 3.0, 1e-14);
    assert_int_equal(opn_metric_brier(ctx, 3, 2, opn_f64(p), label, &got[1]), OPN_OK);
    const double miss = 1.0 - 1e-12;
    expect_near(got[1], (2.0 * miss * miss + 2.0 * 0.0625 + 2.0) / 3.0, 1e-15);
    assert_int_equal(
            opn_metric_calibration_error(ctx, 3, 2, opn_f64(p), label, 15, &got[2]),
            OPN_OK);
    expect_near(got[2], (2.0 - 1e-12 + 0.25) / 3.0, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(doubles_give_what_floats_give),
            WITH_CTX(doubles_that_floats_would_tie_are_told_apart),
            WITH_CTX(probabilities_as_doubles_keep_their_digits),
            WITH_CTX(detections_are_scored_as_by_scikit_learn),
            WITH_CTX(risk_over_coverage_agrees_with_numpy),
            WITH_CTX(probabilities_are_scored_as_by_numpy),
            WITH_CTX(any_floats_are_ranked_as_the_definitions_say),
            WITH_CTX(infinities_and_the_two_zeros_have_their_place),
            WITH_CTX(risk_of_ties_is_the_mean_over_their_orders),
            WITH_CTX(borders_belong_to_the_bin_below),
            WITH_CTX(certainty_in_the_wrong_class_costs_a_bounded_likelihood),
            WITH_CTX(negated_scores_detect_the_opposite),
            WITH_CTX(only_the_order_of_scores_matters),
            WITH_CTX(order_of_nodes_changes_no_bit_of_a_detection),
            WITH_CTX(order_of_nodes_changes_no_bit_of_a_classification),
            WITH_CTX(bad_detections_are_refused_by_node),
            WITH_CTX(bad_probabilities_are_refused_by_node_and_class),
            cmocka_unit_test(every_allocation_failure_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
