// calibrate_test.c -- probabilities that mean what they say.

#include "base/context.h"
#include "golden/decisions_golden.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/scored_nodes.h"
#include "support/support.h"

#include <math.h>
#include <string.h>

static opn_ctx *ctx;

enum { MOST_NUMBERS = SCORED_MOST * SCORED_MOST_CLASSES };
#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

static scored_nodes nodes;
static const scored_rule usual = {11, 400, 4, 100, 300, 85};

static void draw_golden(const golden_calibrated *g)
{
    const scored_rule rule = {g->seed,   g->n,    g->n_classes,
                              g->levels, g->lift, g->percent};
    scored_draw(&rule, &nodes);
}

static opn_status fit(opn_ctx *with, opn_calibration kind, opn_calibrator *out)
{
    return opn_calibrator_fit(with, kind, nodes.n, nodes.n_classes, opn_f64(nodes.p),
                              opn_f64(nodes.q), nodes.label, out);
}

static void expect_near(double value, double wanted, double tolerance)
{
    assert_true(fabs(value - wanted) <= tolerance * fmax(1.0, fabs(wanted)));
}

// ---- golden values -------------------------------------------------------------------

static void fits_agree_with_a_minimiser_of_scipy(void **state)
{
    (void)state;
    for (size_t c = 0; c < N_OF(golden_calibrateds); c++) {
        const golden_calibrated *g = &golden_calibrateds[c];
        opn_calibrator cool = {0};
        opn_calibrator pool = {0};
        draw_golden(g);
        assert_int_equal(fit(ctx, OPN_CALIBRATION_TEMPERATURE, &cool), OPN_OK);
        assert_int_equal(fit(ctx, OPN_CALIBRATION_POOL, &pool), OPN_OK);
        assert_int_equal(cool.n, g->n);
        expect_near(cool.nll_before, g->nll, 1e-12);
        expect_near(cool.nll_after, g->cool_nll, 1e-9);
        expect_near(pool.nll_after, g->pool_nll, 1e-9);
        assert_true(cool.b == 0.0);
        expect_near(cool.a, g->a, 1e-5);
        expect_near(pool.a, g->pool_a, 1e-5);
        expect_near(pool.b, g->pool_b, 1e-5);
    }
}

static void quality_agrees_with_scikit_learn(void **state)
{
    (void)state;
    for (size_t c = 0; c < N_OF(golden_calibrateds); c++) {
        const golden_calibrated *g = &golden_calibrateds[c];
        opn_probability_quality q = {0};
        draw_golden(g);
        assert_int_equal(opn_probability_measure(ctx, g->n, g->n_classes,
                                                 opn_f64(nodes.p), nodes.label, 15, &q),
                         OPN_OK);
        assert_int_equal(q.n, g->n);
        expect_near(q.nll, g->nll, 1e-12);
        expect_near(q.brier, g->brier, 1e-12);
        expect_near(q.accuracy, g->accuracy, 1e-12);
        expect_near(q.ece, g->ece, 1e-12);
        expect_near(q.adaptive_ece, g->adaptive_ece, 1e-12);
    }
}

// ---- properties ----------------------------------------------------------------------

static void calibration_lowers_the_loss_and_the_calibration_error(void **state)
{
    (void)state;
    static double calibrated[MOST_NUMBERS];
    opn_calibrator pool = {0};
    opn_probability_quality before = {0};
    opn_probability_quality after = {0};
    scored_draw(&usual, &nodes);
    assert_int_equal(fit(ctx, OPN_CALIBRATION_POOL, &pool), OPN_OK);
    assert_int_equal(opn_calibrator_apply(ctx, &pool, nodes.n, nodes.n_classes,
                                          opn_f64(nodes.p), opn_f64(nodes.q),
                                          opn_into_f64(calibrated)),
                     OPN_OK);
    assert_int_equal(opn_probability_measure(ctx, nodes.n, nodes.n_classes,
                                             opn_f64(nodes.p), nodes.label, 15, &before),
                     OPN_OK);
    assert_int_equal(opn_probability_measure(ctx, nodes.n, nodes.n_classes,
                                             opn_f64(calibrated), nodes.label, 15,
                                             &after),
                     OPN_OK);
    assert_true(after.nll < before.nll);
    assert_true(after.ece < 0.5 * before.ece);
    assert_true(after.adaptive_ece < 0.5 * before.adaptive_ece);
    expect_near(after.nll, pool.nll_after, 1e-12);
    expect_near(before.nll, pool.nll_before, 1e-12);
}

static void a_temperature_keeps_the_order_of_the_classes(void **state)
{
    (void)state;
    static double calibrated[MOST_NUMBERS];
    opn_calibrator cool = {0};
    scored_draw(&usual, &nodes);
    assert_int_equal(fit(ctx, OPN_CALIBRATION_TEMPERATURE, &cool), OPN_OK);
    assert_int_equal(opn_calibrator_apply(ctx, &cool, nodes.n, nodes.n_classes,
                                          opn_f64(nodes.p), opn_f64(NULL),
                                          opn_into_f64(calibrated)),
                     OPN_OK);
    for (int32_t i = 0; i < nodes.n; i++) {
        const double *p = nodes.p + i * nodes.n_classes;
        const double *c = calibrated + i * nodes.n_classes;
        double sum = 0.0;
        for (int32_t k = 0; k < nodes.n_classes; k++) {
            sum += c[k];
            for (int32_t l = 0; l < nodes.n_classes; l++)
                assert_true(p[k] < p[l] ? c[k] < c[l] : c[k] >= c[l]);
        }
        expect_near(sum, 1.0, 1e-12);
    }
}

static void nodes_without_a_label_do_not_count(void **state)
{
    (void)state;
    opn_calibrator all = {0};
    opn_calibrator some = {0};
    opn_probability_quality q = {0};
    scored_draw(&usual, &nodes);
    nodes.n = 300;
    assert_int_equal(fit(ctx, OPN_CALIBRATION_POOL, &all), OPN_OK);
    nodes.n = 400;
    for (int32_t i = 300; i < 400; i++)
        nodes.label[i] = -1;
    nodes.p[350 * nodes.n_classes] = (double)NAN; // nor do they need to be numbers
    assert_int_equal(fit(ctx, OPN_CALIBRATION_POOL, &some), OPN_OK);
    assert_memory_equal(&all, &some, sizeof(all));
    assert_int_equal(opn_probability_measure(ctx, nodes.n, nodes.n_classes,
                                             opn_f64(nodes.p), nodes.label, 15, &q),
                     OPN_OK);
    assert_int_equal(q.n, 300);
}

static void floats_give_what_their_doubles_give(void **state)
{
    (void)state;
    static float p[MOST_NUMBERS];
    static float calibrated[MOST_NUMBERS];
    static double wide[MOST_NUMBERS];
    opn_calibrator of_float = {0};
    opn_calibrator of_double = {0};
    scored_draw(&usual, &nodes);
    for (int j = 0; j < nodes.n * nodes.n_classes; j++) {
        p[j] = (float)nodes.p[j];
        nodes.p[j] = (double)p[j];
    }
    assert_int_equal(fit(ctx, OPN_CALIBRATION_TEMPERATURE, &of_double), OPN_OK);
    assert_int_equal(opn_calibrator_fit(ctx, OPN_CALIBRATION_TEMPERATURE, nodes.n,
                                        nodes.n_classes, opn_f32(p), opn_f32(NULL),
                                        nodes.label, &of_float),
                     OPN_OK);
    assert_memory_equal(&of_float, &of_double, sizeof(of_float));
    assert_int_equal(opn_calibrator_apply(ctx, &of_float, nodes.n, nodes.n_classes,
                                          opn_f32(p), opn_f32(NULL),
                                          opn_into_f32(calibrated)),
                     OPN_OK);
    assert_int_equal(opn_calibrator_apply(ctx, &of_float, nodes.n, nodes.n_classes,
                                          opn_f64(nodes.p), opn_f64(NULL),
                                          opn_into_f64(wide)),
                     OPN_OK);
    for (int j = 0; j < nodes.n * nodes.n_classes; j++)
        assert_true(calibrated[j] == (float)wide[j]);
}

static void n_nodes_that_are_all_right_leave_a_doubt_of_one_in_n(void **state)
{
    (void)state;
    const scored_rule faint = {5, 120, 2, 1, 1, 100}; // 2/3 against 1/3, always right
    static double calibrated[MOST_NUMBERS];
    opn_calibrator fitted = {0};
    scored_draw(&faint, &nodes);
    for (int kind = OPN_CALIBRATION_TEMPERATURE; kind <= OPN_CALIBRATION_POOL; kind++) {
        assert_int_equal(fit(ctx, (opn_calibration)kind, &fitted), OPN_OK);
        assert_int_equal(opn_calibrator_apply(ctx, &fitted, nodes.n, nodes.n_classes,
                                              opn_f64(nodes.p), opn_f64(nodes.q),
                                              opn_into_f64(calibrated)),
                         OPN_OK);
        // The label of one more node is half for either class.
        expect_near(fitted.nll_after, -log(120.5 / 121.0), 1e-9);
        expect_near(calibrated[nodes.label[0]], 120.5 / 121.0, 1e-9);
    }
    for (int j = 0; j < nodes.n * nodes.n_classes; j++) // all wrong
        nodes.p[j] = nodes.q[j] = 1.0 - nodes.p[j];
    assert_int_equal(fit(ctx, OPN_CALIBRATION_POOL, &fitted), OPN_OK);
    assert_true(fitted.a == 0.01 && fitted.b == 0.01);
}

static void opinions_that_say_the_same_are_pooled(void **state)
{
    (void)state;
    opn_calibrator cool = {0};
    opn_calibrator pool = {0};
    scored_draw(&usual, &nodes);
    memcpy(nodes.q, nodes.p, sizeof(nodes.q));
    assert_int_equal(fit(ctx, OPN_CALIBRATION_TEMPERATURE, &cool), OPN_OK);
    assert_int_equal(fit(ctx, OPN_CALIBRATION_POOL, &pool), OPN_OK);
    expect_near(pool.a + pool.b, cool.a, 1e-5);
    expect_near(pool.nll_after, cool.nll_after, 1e-10);
}

static void impossible_classes_leave_a_finite_loss(void **state)
{
    (void)state;
    opn_calibrator cool = {0};
    scored_draw(&usual, &nodes);
    for (int32_t i = 0; i < nodes.n; i++)
        for (int32_t k = 0; k < nodes.n_classes; k++)
            nodes.p[i * nodes.n_classes + k] = k == scored_top(&nodes, i) ? 1.0 : 0.0;
    assert_int_equal(fit(ctx, OPN_CALIBRATION_TEMPERATURE, &cool), OPN_OK);
    assert_true(isfinite(cool.nll_before) && isfinite(cool.nll_after));
    assert_true(cool.nll_after < cool.nll_before && cool.a < 0.1);
}

static void equal_confidences_share_an_adaptive_bin_in_any_order(void **state)
{
    (void)state;
    // Of ten nodes of confidence 0.6 the five right ones come first, or last.
    double p[20];
    int32_t right_first[10];
    int32_t right_last[10];
    opn_probability_quality first = {0};
    opn_probability_quality last = {0};
    for (int i = 0; i < 10; i++) {
        p[2 * i] = 0.6;
        p[2 * i + 1] = 0.4;
        right_first[i] = i >= 5;
        right_last[i] = i < 5;
    }
    assert_int_equal(
            opn_probability_measure(ctx, 10, 2, opn_f64(p), right_first, 5, &first),
            OPN_OK);
    assert_int_equal(
            opn_probability_measure(ctx, 10, 2, opn_f64(p), right_last, 5, &last),
            OPN_OK);
    expect_near(first.adaptive_ece, 0.1, 1e-12);
    assert_true(first.adaptive_ece == last.adaptive_ece);
}

static void what_labels_are_enough_for_has_its_limits(void **state)
{
    (void)state;
    assert_int_equal(opn_calibration_affordable(OPN_CALIBRATION_POOL, 100),
                     OPN_CALIBRATION_POOL);
    assert_int_equal(opn_calibration_affordable(OPN_CALIBRATION_POOL, 99),
                     OPN_CALIBRATION_TEMPERATURE);
    assert_int_equal(opn_calibration_affordable(OPN_CALIBRATION_POOL, 19),
                     OPN_CALIBRATION_NONE);
    assert_int_equal(opn_calibration_affordable(OPN_CALIBRATION_TEMPERATURE, 1000),
                     OPN_CALIBRATION_TEMPERATURE);
    assert_int_equal(opn_calibration_affordable(OPN_CALIBRATION_NONE, 1000),
                     OPN_CALIBRATION_NONE);
    assert_string_equal(opn_calibration_name(OPN_CALIBRATION_POOL), "pool");
}

// ---- refusals ------------------------------------------------------------------------

static void expect_refused(opn_calibration kind, const char *why)
{
    opn_calibrator out = {.n = -7};
    assert_int_equal(fit(ctx, kind, &out), OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, why);
    assert_int_equal(out.n, -7);
}

static void bad_labels_are_refused(void **state)
{
    (void)state;
    scored_draw(&usual, &nodes);
    nodes.n = 19;
    expect_refused(OPN_CALIBRATION_TEMPERATURE, "19 labelled nodes");
    nodes.n = 99;
    expect_refused(OPN_CALIBRATION_POOL, "at least 100");
    nodes.n = 0;
    expect_refused(OPN_CALIBRATION_TEMPERATURE, "0 labelled nodes");
    nodes.n = 400;
    nodes.label[3] = 4;
    expect_refused(OPN_CALIBRATION_POOL, "label of node 3 is 4");
    nodes.label[3] = -2;
    expect_refused(OPN_CALIBRATION_POOL, "label of node 3 is -2");
    for (int32_t i = 0; i < nodes.n; i++)
        nodes.label[i] = 2;
    expect_refused(OPN_CALIBRATION_POOL, "of class 2");
    nodes.n_classes = 1;
    expect_refused(OPN_CALIBRATION_POOL, "1 classes");
}

static void bad_probabilities_are_refused(void **state)
{
    (void)state;
    static const double bad[] = {-0.1, (double)NAN, (double)INFINITY};
    static double calibrated[MOST_NUMBERS];
    const opn_calibrator cool = {.kind = OPN_CALIBRATION_TEMPERATURE, .a = 2.0};
    for (size_t b = 0; b < N_OF(bad); b++) {
        scored_draw(&usual, &nodes);
        nodes.q[4 * 7 + 1] = bad[b];
        expect_refused(OPN_CALIBRATION_POOL, "q of node 7 and class 1");
        nodes.p[4 * 9 + 2] = bad[b];
        expect_refused(OPN_CALIBRATION_TEMPERATURE, "p of node 9 and class 2");
        assert_int_equal(opn_calibrator_apply(ctx, &cool, nodes.n, nodes.n_classes,
                                              opn_f64(nodes.p), opn_f64(NULL),
                                              opn_into_f64(calibrated)),
                         OPN_ERR_INVALID_ARG);
        support_expect_error(ctx, "p of node 9 and class 2");
    }
}

static void calibrators_that_cannot_be_are_refused(void **state)
{
    (void)state;
    static double calibrated[MOST_NUMBERS];
    const opn_calibrator bad[] = {{.kind = OPN_CALIBRATION_TEMPERATURE, .a = 0.0},
                                  {.kind = OPN_CALIBRATION_TEMPERATURE, .a = (double)NAN},
                                  {.kind = OPN_CALIBRATION_POOL, .a = 1.0, .b = -1.0}};
    const opn_calibrator pool = {.kind = OPN_CALIBRATION_POOL, .a = 1.0, .b = 1.0};
    scored_draw(&usual, &nodes);
    for (size_t b = 0; b < N_OF(bad); b++) {
        assert_int_equal(opn_calibrator_apply(ctx, &bad[b], nodes.n, nodes.n_classes,
                                              opn_f64(nodes.p), opn_f64(nodes.q),
                                              opn_into_f64(calibrated)),
                         OPN_ERR_INVALID_ARG);
        support_expect_error(ctx, "above 0");
    }
    assert_int_equal(opn_calibrator_apply(ctx, &pool, nodes.n, nodes.n_classes,
                                          opn_f64(nodes.p), opn_f64(NULL),
                                          opn_into_f64(calibrated)),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "second opinion");
}

static void kinds_and_outputs_that_cannot_be_are_refused(void **state)
{
    (void)state;
    static const double p[2] = {0.5, 0.5};
    static const int32_t label[1] = {0};
    opn_calibrator calibrator = {.kind = (opn_calibration)7, .a = 1.0};
    double out[2];
    assert_int_equal(opn_calibrator_fit(ctx, calibrator.kind, 1, 2, opn_f64(p),
                                        opn_f64(NULL), label, &calibrator),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "7 is not a way to calibrate");
    assert_int_equal(opn_calibrator_apply(ctx, &calibrator, 1, 2, opn_f64(p),
                                          opn_f64(NULL), opn_into_f64(out)),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "7 is not a way to calibrate");
    calibrator.kind = OPN_CALIBRATION_NONE;
    assert_int_equal(opn_calibrator_apply(ctx, &calibrator, 1, 2, opn_f64(p),
                                          opn_f64(NULL), opn_into_f64(NULL)),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "argument calibrated is NULL");
}

static void nothing_to_measure_is_refused(void **state)
{
    (void)state;
    opn_probability_quality q = {0};
    scored_draw(&usual, &nodes);
    for (int32_t i = 0; i < nodes.n; i++)
        nodes.label[i] = -1;
    assert_int_equal(opn_probability_measure(ctx, nodes.n, nodes.n_classes,
                                             opn_f64(nodes.p), nodes.label, 15, &q),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "no node has a label");
    nodes.label[5] = 4;
    assert_int_equal(opn_probability_measure(ctx, nodes.n, nodes.n_classes,
                                             opn_f64(nodes.p), nodes.label, 15, &q),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "label of node 5");
    assert_int_equal(
            opn_probability_measure(ctx, 0, 2, opn_f64(nodes.p), nodes.label, 15, &q),
            OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "0 nodes");
}

static opn_status use_all(opn_ctx *own)
{
    static double calibrated[MOST_NUMBERS];
    opn_status status = OPN_OK;
    opn_calibrator pool = {0};
    opn_probability_quality q = {0};
    OPN_TRY(fit(own, OPN_CALIBRATION_POOL, &pool));
    OPN_TRY(opn_calibrator_apply(own, &pool, nodes.n, nodes.n_classes, opn_f64(nodes.p),
                                 opn_f64(nodes.q), opn_into_f64(calibrated)));
    OPN_TRY(opn_probability_measure(own, nodes.n, nodes.n_classes, opn_f64(calibrated),
                                    nodes.label, 15, &q));
cleanup:
    return status;
}

static void every_allocation_failure_is_reported(void **state)
{
    (void)state;
    scored_draw(&usual, &nodes);
    assert_true(support_fail_allocations(use_all) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(fits_agree_with_a_minimiser_of_scipy),
            WITH_CTX(quality_agrees_with_scikit_learn),
            WITH_CTX(calibration_lowers_the_loss_and_the_calibration_error),
            WITH_CTX(a_temperature_keeps_the_order_of_the_classes),
            WITH_CTX(nodes_without_a_label_do_not_count),
            WITH_CTX(floats_give_what_their_doubles_give),
            WITH_CTX(n_nodes_that_are_all_right_leave_a_doubt_of_one_in_n),
            WITH_CTX(opinions_that_say_the_same_are_pooled),
            WITH_CTX(impossible_classes_leave_a_finite_loss),
            WITH_CTX(equal_confidences_share_an_adaptive_bin_in_any_order),
            WITH_CTX(what_labels_are_enough_for_has_its_limits),
            WITH_CTX(bad_labels_are_refused),
            WITH_CTX(bad_probabilities_are_refused),
            WITH_CTX(calibrators_that_cannot_be_are_refused),
            WITH_CTX(kinds_and_outputs_that_cannot_be_are_refused),
            WITH_CTX(nothing_to_measure_is_refused),
            cmocka_unit_test(every_allocation_failure_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
