// curves_test.c -- what figures show: curves, thinned curves, reliability, histograms.

#include "base/context.h"
#include "golden/curves_golden.h"
#include "opine/metrics.h"
#include "opinion/curves.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <float.h>
#include <math.h>
#include <string.h>

static opn_ctx *ctx;

enum { MOST = 35000, N_CURVES = 3 };
#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

static bool is_near(double value, double wanted, double tolerance)
{
    return fabs(value - wanted) <= tolerance;
}

// ---- what is drawn -------------------------------------------------------------------

typedef struct nodes {
    int32_t n;
    uint8_t positive[MOST];
    float score[MOST];
} nodes;

static void draw_nodes(const golden_ranking *g, nodes *out)
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

// As many nodes as there may be, in ties of about n / levels.
static void draw_many(uint64_t seed, int32_t levels, nodes *out)
{
    const golden_ranking many = {
            .seed = seed, .n = MOST, .levels = levels, .percent = 30, .lift = levels / 3};
    draw_nodes(&many, out);
}

// The caller releases it. What is positive is also wrong.
static opn_i_ranking rank(const nodes *in)
{
    opn_i_ranking ranking = {0};
    assert_int_equal(opn_i_ranking_init(ctx, in->n, &ranking), OPN_OK);
    opn_i_rank(in->n, in->score, in->positive, in->positive, &ranking);
    return ranking;
}

static opn_status
make_curve(opn_ctx *own, int which, const opn_i_ranking *ranking, opn_i_curve *out)
{
    return which == 0   ? opn_i_curve_roc(own, ranking, OPN_BY_MORE, out)
           : which == 1 ? opn_i_curve_precision(own, ranking, OPN_BY_MORE, out)
                        : opn_i_curve_risk(own, ranking, out);
}

static opn_i_curve curve_of(int which, const nodes *in)
{
    opn_i_ranking ranking = rank(in);
    opn_i_curve curve = {0};
    assert_int_equal(make_curve(ctx, which, &ranking, &curve), OPN_OK);
    opn_i_ranking_deinit(&ctx->alloc, &ranking);
    return curve;
}

static opn_i_curve copy_of(const opn_i_curve *curve)
{
    const size_t n = (size_t)curve->n;
    opn_i_curve copy = {.n = curve->n};
    copy.x = opn_i_calloc(&ctx->alloc, 2 * n, sizeof(double));
    assert_non_null(copy.x);
    copy.y = copy.x + n;
    memcpy(copy.x, curve->x, n * sizeof(double));
    memcpy(copy.y, curve->y, n * sizeof(double));
    return copy;
}

static void free_curve(opn_i_curve *curve)
{
    opn_i_curve_deinit(&ctx->alloc, curve);
    assert_true(curve->n == 0 && curve->x == NULL && curve->y == NULL);
}

// ---- curves of a ranking -------------------------------------------------------------

static void expect_curve(const opn_i_curve *curve,
                         int32_t from,
                         const double *want_x,
                         const double *want_y)
{
    for (int32_t i = from; i < curve->n; i++)
        if (!is_near(curve->x[i], want_x[i - from], 1e-15) ||
            !is_near(curve->y[i], want_y[i - from], 1e-15))
            fail_msg("point %d is (%.17g, %.17g), should be (%.17g, %.17g)", i,
                     curve->x[i], curve->y[i], want_x[i - from], want_y[i - from]);
}

static void curves_have_the_points_of_scikit_learn_in_either_order(void **state)
{
    (void)state;
    static nodes drawn;
    for (int order = 0; order < 2; order++) {
        size_t at = 0;
        size_t at_precision = 0;
        for (size_t c = 0; c < N_OF(golden_rankings); c++) {
            const int32_t n_thresholds = golden_rankings[c].n_thresholds;
            const int32_t n_points = n_thresholds > 0 ? n_thresholds + 1 : 0;
            opn_i_curve curve = {0};
            draw_nodes(&golden_rankings[c], &drawn);
            for (int32_t i = 0; order == OPN_BY_LESS && i < drawn.n; i++)
                drawn.score[i] = -drawn.score[i];
            opn_i_ranking ranking = rank(&drawn);
            assert_int_equal(opn_i_curve_roc(ctx, &ranking, (opn_i_order)order, &curve),
                             OPN_OK);
            assert_int_equal(curve.n, n_points);
            expect_curve(&curve, 0, golden_roc_x + at, golden_roc_y + at);
            free_curve(&curve);
            assert_int_equal(
                    opn_i_curve_precision(ctx, &ranking, (opn_i_order)order, &curve),
                    OPN_OK);
            assert_int_equal(curve.n, n_points);
            expect_curve(&curve, 1, golden_recall + at_precision,
                         golden_precision + at_precision);
            assert_true(n_points == 0 || (curve.x[0] == 0.0 && curve.y[0] == curve.y[1]));
            free_curve(&curve);
            opn_i_ranking_deinit(&ctx->alloc, &ranking);
            at += (size_t)n_points;
            at_precision += (size_t)n_thresholds;
        }
        assert_true(at == N_OF(golden_roc_x) && at_precision == N_OF(golden_recall));
    }
}

static void areas_below_curves_are_the_metrics(void **state)
{
    (void)state;
    static nodes drawn;
    static const int32_t levels[] = {1, 2, 7, 100, 5000, 1 << 22};
    for (size_t l = 0; l < N_OF(levels); l++)
        for (int order = 0; order < 2; order++) {
            opn_i_curve roc = {0};
            opn_i_curve precision = {0};
            draw_many(l, levels[l], &drawn);
            opn_i_ranking ranking = rank(&drawn);
            assert_int_equal(opn_i_curve_roc(ctx, &ranking, (opn_i_order)order, &roc),
                             OPN_OK);
            assert_int_equal(
                    opn_i_curve_precision(ctx, &ranking, (opn_i_order)order, &precision),
                    OPN_OK);
            double area = 0.0;
            double steps = 0.0;
            for (int32_t i = 1; i < roc.n; i++) {
                area += (roc.x[i] - roc.x[i - 1]) * (roc.y[i] + roc.y[i - 1]) / 2.0;
                steps += (precision.x[i] - precision.x[i - 1]) * precision.y[i];
            }
            assert_true(is_near(area, opn_i_ranking_auroc(&ranking, (opn_i_order)order),
                                1e-12));
            assert_true(is_near(
                    steps, opn_i_ranking_precision(&ranking, (opn_i_order)order), 1e-12));
            assert_true(roc.x[0] == 0.0 && roc.y[0] == 0.0);
            assert_true(roc.x[roc.n - 1] == 1.0 && roc.y[roc.n - 1] == 1.0);
            assert_true(precision.x[0] == 0.0 && precision.x[precision.n - 1] == 1.0);
            free_curve(&roc);
            free_curve(&precision);
            opn_i_ranking_deinit(&ctx->alloc, &ranking);
        }
}

static void risk_is_that_of_the_ranking_over_its_coverage(void **state)
{
    (void)state;
    // Right, then right and wrong in either order, then wrong.
    static const nodes four = {4, {1, 0, 1, 0}, {0.5f, 0.5f, 0.9f, 0.1f}};
    static const double x[] = {0.25, 0.5, 0.75, 1.0};
    static const double y[] = {0.0, 0.25, 1.0 / 3, 0.5};
    static nodes drawn;
    opn_i_curve curve = curve_of(2, &four);
    assert_int_equal(curve.n, 4);
    expect_curve(&curve, 0, x, y);
    free_curve(&curve);
    draw_many(9, 500, &drawn);
    opn_i_ranking ranking = rank(&drawn);
    curve = curve_of(2, &drawn);
    assert_int_equal(curve.n, MOST);
    double sum = 0.0;
    for (int32_t i = 0; i < MOST; i++)
        sum += curve.y[i];
    assert_true(is_near(sum / MOST, opn_i_ranking_risk(&ranking, NULL), 1e-15));
    assert_true(curve.x[0] == 1.0 / MOST && curve.x[MOST - 1] == 1.0);
    free_curve(&curve);
    opn_i_ranking_deinit(&ctx->alloc, &ranking);
}

static void nodes_of_one_kind_have_a_risk_but_no_other_curve(void **state)
{
    (void)state;
    static const nodes single = {1, {1}, {0.5f}};
    static const nodes positive = {3, {1, 1, 1}, {0.5f, 0.25f, 0.5f}};
    static const nodes negative = {3, {0, 0, 0}, {0.5f, 0.25f, 0.5f}};
    static const nodes none = {.n = 0};
    static const nodes *const cases[] = {&single, &positive, &negative, &none};
    for (size_t c = 0; c < N_OF(cases); c++)
        for (int which = 0; which < N_CURVES; which++) {
            opn_i_curve curve = curve_of(which, cases[c]);
            assert_int_equal(curve.n, which == 2 ? cases[c]->n : 0);
            for (int32_t i = 0; i < curve.n; i++)
                assert_true(curve.y[i] == (double)cases[c]->positive[0]);
            opn_i_curve_thin(&curve, 0.001); // also of nothing
            assert_int_equal(curve.n, which < 2 || c == 3 ? 0 : c == 0 ? 1 : 2);
            free_curve(&curve);
        }
}

// ---- fewer points --------------------------------------------------------------------

static double distance_to_segment(double x, double y, const opn_i_curve *c, int32_t end)
{
    const double dx = c->x[end] - c->x[end - 1];
    const double dy = c->y[end] - c->y[end - 1];
    const double px = x - c->x[end - 1];
    const double py = y - c->y[end - 1];
    const double square = dx * dx + dy * dy;
    const double along = square > 0.0 ? (px * dx + py * dy) / square : 0.0;
    const double share = fmax(0.0, fmin(1.0, along));
    return hypot(px - share * dx, py - share * dy);
}

// Asserts that the points that are kept are points of the curve, including both ends, and
// that each dropped point is near the segment that replaces it. The line is then as near
// to the curve, which passes every place on it on the way from one end to the other.
static void
expect_near_line(const opn_i_curve *curve, const opn_i_curve *thin, double tolerance)
{
    int32_t end = 0;
    for (int32_t i = 0; i < curve->n; i++) {
        if (end < thin->n && curve->x[i] == thin->x[end] && curve->y[i] == thin->y[end])
            end++;
        else if (end == 0 || end == thin->n)
            fail_msg("point %d of %d is left out at an end", i, curve->n);
        else if (distance_to_segment(curve->x[i], curve->y[i], thin, end) >
                 tolerance + 1e-14)
            fail_msg("point %d of %d is off the line", i, curve->n);
    }
    assert_int_equal(end, thin->n);
}

static void expect_thinned(const opn_i_curve *curve, double tolerance, int32_t most)
{
    opn_i_curve thin = copy_of(curve);
    opn_i_curve_thin(&thin, tolerance);
    assert_true(thin.n >= (curve->n < 2 ? curve->n : 2));
    if (thin.n > most)
        fail_msg("%d of %d points stay, should be %d", thin.n, curve->n, most);
    expect_near_line(curve, &thin, tolerance);
    free_curve(&thin);
}

static void thinned_curves_of_rankings_stay_in_place(void **state)
{
    (void)state;
    static nodes drawn;
    static const int32_t levels[] = {2, 300, 1 << 22};
    static const double tolerance[] = {0.0001, 0.001, 0.01, 10.0};
    // Of ROC, precision and risk at 0.001; elsewhere it is not known.
    static const int32_t most[N_CURVES] = {80, 100, 40};
    for (size_t l = 0; l < N_OF(levels); l++)
        for (int which = 0; which < N_CURVES; which++) {
            draw_many(20 + l, levels[l], &drawn);
            opn_i_curve curve = curve_of(which, &drawn);
            for (size_t t = 0; t < N_OF(tolerance); t++)
                expect_thinned(&curve, tolerance[t],
                               t == 1   ? most[which]
                               : t == 3 ? 2
                                        : curve.n);
            free_curve(&curve);
        }
}

static opn_i_curve new_line(int32_t n)
{
    opn_i_curve curve = {.n = n};
    curve.x = opn_i_calloc(&ctx->alloc, 2 * (size_t)n, sizeof(double));
    assert_non_null(curve.x);
    curve.y = curve.x + n;
    return curve;
}

static void lines_that_jump_up_and_down_stay_in_place(void **state)
{
    (void)state;
    static const double amplitude[] = {0.0005, 0.001, 0.0015, 0.003, 0.1, 1.0};
    uint64_t random = 31;
    for (size_t a = 0; a < N_OF(amplitude); a++)
        for (uint32_t pace = 1; pace <= 10000;
             pace *= 10) { // n / pace steps to the right
            opn_i_curve curve = new_line(3000);
            uint32_t n_right = 0;
            for (int32_t i = 0; i < curve.n; i++) {
                n_right += below(&random, pace) == 0;
                curve.x[i] = n_right / 3000.0;
                // Never twice the same, so that a point that stays is known by it.
                curve.y[i] = amplitude[a] * below(&random, 1001) / 1000.0 + 1e-12 * i;
            }
            expect_thinned(&curve, 0.001, curve.n);
            free_curve(&curve);
        }
}

static void a_straight_line_needs_its_ends_only(void **state)
{
    (void)state;
    opn_i_curve curve = new_line(MOST);
    for (int32_t i = 0; i < curve.n; i++) {
        curve.x[i] = (double)i / curve.n;
        curve.y[i] = 0.25 + 0.5 * curve.x[i] + (i % 2 == 0 ? 0.0003 : -0.0003);
    }
    expect_thinned(&curve, 0.001, 2);
    for (int32_t i = 0; i < curve.n; i++) {
        curve.x[i] = i * 0x1p-16; // so short that every product is exact
        curve.y[i] = 2.0 * curve.x[i];
    }
    expect_thinned(&curve, 0.0, 2);
    for (int32_t i = 0; i < curve.n; i++)
        curve.x[i] = curve.y[i] = 0.5;
    opn_i_curve_thin(&curve, 0.0);
    assert_int_equal(curve.n, 2);
    free_curve(&curve);
}

static void a_way_there_and_back_keeps_its_turn(void **state)
{
    (void)state;
    // A peak without width, of which the foot is before and behind it.
    static double block[2][5] = {{0.0, 0.5, 0.5, 0.5, 0.5}, {0.5, 0.5, 0.9, 0.1, 0.5}};
    const opn_i_curve curve = {5, block[0], block[1]};
    opn_i_curve thin = copy_of(&curve);
    opn_i_curve_thin(&thin, 0.001);
    assert_int_equal(thin.n, 5);
    free_curve(&thin);
    // On one line, so that only the distance shows that it came back.
    static double up[2][4] = {{0.5, 0.5, 0.5, 0.5}, {0.0, 0.5, 1.0, 0.9}};
    const opn_i_curve back = {4, up[0], up[1]};
    thin = copy_of(&back);
    opn_i_curve_thin(&thin, 0.001);
    assert_int_equal(thin.n, 3);
    assert_true(thin.y[1] == 1.0 && thin.y[2] == 0.9);
    free_curve(&thin);
}

// ---- reliability ---------------------------------------------------------------------

enum { MOST_ROWS = 1000, MOST_CLASSES = 4, MOST_BINS = 16 };

typedef struct rows {
    int32_t n, n_classes;
    float probability[MOST_ROWS * MOST_CLASSES];
    int32_t label[MOST_ROWS];
} rows;

static void draw_rows(const golden_calibration *g, rows *out)
{
    uint64_t random = g->seed;
    out->n = g->n;
    out->n_classes = g->n_classes;
    for (int32_t i = 0; i < g->n; i++) {
        out->label[i] = (int32_t)below(&random, (uint32_t)g->n_classes);
        for (int32_t k = 0; k < g->n_classes; k++)
            out->probability[i * g->n_classes + k] =
                    (float)below(&random, (uint32_t)g->levels + 1) / (float)g->levels;
    }
}

static void bins_hold_what_scikit_learn_puts_there(void **state)
{
    (void)state;
    static rows drawn;
    size_t at = 0;
    for (size_t c = 0; c < N_OF(golden_calibrations); c++) {
        const golden_calibration *g = &golden_calibrations[c];
        opn_i_bin bin[MOST_BINS];
        memset(bin, 0x55, sizeof(bin));
        draw_rows(g, &drawn);
        opn_i_reliability(drawn.n, drawn.n_classes, opn_i_floats(drawn.probability),
                          drawn.label, g->n_bins, bin);
        for (int32_t b = 0; b < g->n_bins; b++, at++) {
            assert_int_equal(bin[b].n, golden_bin_n[at]);
            assert_true(is_near(bin[b].confidence, golden_bin_confidence[at], 1e-14));
            assert_true(is_near(bin[b].accuracy, golden_bin_accuracy[at], 1e-15));
        }
    }
    assert_int_equal(at, N_OF(golden_bin_n));
}

static void the_calibration_error_is_the_gap_of_the_bins(void **state)
{
    (void)state;
    static rows drawn;
    for (size_t c = 0; c < N_OF(golden_calibrations); c++) {
        const golden_calibration *g = &golden_calibrations[c];
        opn_i_bin bin[MOST_BINS];
        double error = -1.0;
        double gap = 0.0;
        draw_rows(g, &drawn);
        opn_i_reliability(drawn.n, drawn.n_classes, opn_i_floats(drawn.probability),
                          drawn.label, g->n_bins, bin);
        assert_int_equal(opn_metric_calibration_error(ctx, drawn.n, drawn.n_classes,
                                                      drawn.probability, drawn.label,
                                                      g->n_bins, &error),
                         OPN_OK);
        for (int32_t b = 0; b < g->n_bins; b++)
            gap += fabs(bin[b].accuracy - bin[b].confidence) * bin[b].n / drawn.n;
        assert_true(is_near(gap, error, 1e-14));
    }
}

static void borders_belong_to_the_bin_below(void **state)
{
    (void)state;
    static const float p[] = {0.0f, 0.25f, 0.25f + FLT_EPSILON, 0.5f, 1.0f, 1.00005f};
    static const int32_t label[] = {0, 0, 0, 0, 0, 0};
    static const int32_t n[] = {2, 2, 0, 2};
    opn_i_bin bin[4];
    opn_i_reliability(6, 1, opn_i_floats(p), label, 4, bin);
    for (int b = 0; b < 4; b++)
        assert_int_equal(bin[b].n, n[b]);
    opn_i_reliability(0, 1, opn_i_floats(NULL), NULL, 4, bin);
    for (int b = 0; b < 4; b++)
        assert_true(bin[b].n == 0 && bin[b].confidence == 0.0 && bin[b].accuracy == 0.0);
}

// ---- histograms ----------------------------------------------------------------------

static void histograms_agree_with_numpy(void **state)
{
    (void)state;
    size_t at = 0;
    for (size_t c = 0; c < N_OF(golden_histograms); c++) {
        const golden_histogram *g = &golden_histograms[c];
        const opn_i_scale scale = {g->low, g->high, g->n_bins};
        const size_t n_counts = (size_t)g->n_groups * (size_t)g->n_bins;
        uint64_t random = g->seed;
        float value[500];
        uint8_t group[500];
        int32_t count[96];
        for (int32_t i = 0; i < g->n; i++) {
            group[i] = (uint8_t)below(&random, (uint32_t)g->n_groups);
            const bool is_nan = below(&random, 100) < (uint32_t)g->percent;
            const int32_t level =
                    (int32_t)below(&random, (uint32_t)g->levels) - g->levels / 4;
            value[i] = is_nan ? NAN : (float)level / 8.0f;
        }
        memset(count, 0x55, sizeof(count));
        opn_i_histogram(&scale, g->n, value, g->n_groups, group, count);
        assert_memory_equal(count, golden_counts + at, n_counts * sizeof(*count));
        assert_int_equal(n_counts < N_OF(count) ? count[n_counts] : 0x55555555,
                         0x55555555);
        at += n_counts;
    }
    assert_int_equal(at, N_OF(golden_counts));
}

static void values_off_the_scale_are_in_the_nearest_bin(void **state)
{
    (void)state;
    static const float value[] = {-INFINITY, -FLT_MAX, -0.0f,          NAN, 0.5f, 1.0f,
                                  FLT_MAX,   NAN,      (float)INFINITY};
    static const int32_t want[] = {3, 0, 1, 3};
    const opn_i_scale scale = {0.0, 1.0, 4};
    int32_t count[4];
    opn_i_histogram(&scale, (int32_t)N_OF(value), value, 1, NULL, count);
    assert_memory_equal(count, want, sizeof(count));
    // What is just below the upper end, but not after rounding.
    const opn_i_scale wide = {-1e9, 1.0, 3};
    static const float below_one[] = {1.0f - FLT_EPSILON / 2.0f};
    opn_i_histogram(&wide, 1, below_one, 1, NULL, count);
    assert_true(count[0] == 0 && count[1] == 0 && count[2] == 1);
}

// ---- refusals ------------------------------------------------------------------------

static void every_allocation_failure_is_reported(void **state)
{
    (void)state;
    static const nodes few = {4, {1, 0, 1, 0}, {0.5f, 0.5f, 0.9f, 0.1f}};
    opn_i_ranking ranking = rank(&few);
    for (int which = 0; which < N_CURVES; which++)
        for (long fail_at = 1; fail_at <= 2; fail_at++) {
            meter m = {0};
            opn_ctx *own = support_ctx(&m);
            opn_i_curve curve = {.n = -7};
            m.fail_at = m.n_requests + fail_at;
            const opn_status status = make_curve(own, which, &ranking, &curve);
            assert_int_equal(status, fail_at == 1 ? OPN_ERR_NOMEM : OPN_OK);
            assert_int_equal(curve.n, fail_at == 1 ? -7 : 4); // three ties
            if (status == OPN_OK)
                opn_i_curve_deinit(&own->alloc, &curve);
            support_ctx_free(own, &m);
        }
    opn_i_ranking_deinit(&ctx->alloc, &ranking);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(curves_have_the_points_of_scikit_learn_in_either_order),
            WITH_CTX(areas_below_curves_are_the_metrics),
            WITH_CTX(risk_is_that_of_the_ranking_over_its_coverage),
            WITH_CTX(nodes_of_one_kind_have_a_risk_but_no_other_curve),
            WITH_CTX(thinned_curves_of_rankings_stay_in_place),
            WITH_CTX(lines_that_jump_up_and_down_stay_in_place),
            WITH_CTX(a_straight_line_needs_its_ends_only),
            WITH_CTX(a_way_there_and_back_keeps_its_turn),
            WITH_CTX(bins_hold_what_scikit_learn_puts_there),
            WITH_CTX(the_calibration_error_is_the_gap_of_the_bins),
            WITH_CTX(borders_belong_to_the_bin_below),
            WITH_CTX(histograms_agree_with_numpy),
            WITH_CTX(values_off_the_scale_are_in_the_nearest_bin),
            WITH_CTX(every_allocation_failure_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
