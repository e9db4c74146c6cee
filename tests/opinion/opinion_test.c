// opinion_test.c -- the five measures of Dirichlets, without a model.

#include "base/context.h"
#include "opinion/measure_table.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static opn_ctx *ctx;

enum { MOST_ROWS = 64, MOST_CLASSES = 9 };

// The measures of n Dirichlets, by rows.
static float measured[OPN_N_MEASURES][MOST_ROWS];
static float *const all_five[OPN_N_MEASURES] = {measured[0], measured[1], measured[2],
                                                measured[3], measured[4]};

static float drawn_alpha(uint64_t *random)
{
    const float evidence = (float)below(random, 1000) / 50.0f;
    return below(random, 4) == 0 ? 1.0f : 1.0f + evidence;
}

// ---- values --------------------------------------------------------------------------

typedef struct worked_case {
    int32_t n_classes;
    float alpha[3];
    double measure[OPN_N_MEASURES];
} worked_case;

static void measures_of_worked_examples_are_right(void **state)
{
    (void)state;
    // By hand: the expected entropy is sum_k p_k (psi(S + 1) - psi(alpha_k + 1)), where
    // differences of psi at whole numbers are sums of 1 / n.
    static const worked_case cases[] = {
            {2, {1, 1, 0}, {1.0, 0.0, 0.72134752, 0.27865248, 1.0}},
            {2, {3, 1, 0}, {0.5, 0.0, 0.66123523, 0.15004290, 0.81127812}},
            {2, {2, 2, 0}, {0.5, 0.5, 0.84157211, 0.15842789, 1.0}},
            {3, {5, 3, 1}, {1.0 / 3.0, 4.0 / 9.0, 0.76298756, 0.08980493, 0.85279249}},
    };
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        assert_int_equal(opn_opinion(ctx, 1, cases[c].n_classes, cases[c].alpha,
                                     OPN_N_MEASURES, all_five),
                         OPN_OK);
        for (int m = 0; m < OPN_N_MEASURES; m++)
            assert_float_equal(measured[m][0], (float)cases[c].measure[m], 1e-6f);
    }
}

static void measures_of_drawn_dirichlets_keep_their_bounds_and_sums(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (int32_t n_classes = 2; n_classes <= MOST_CLASSES; n_classes++) {
        float alpha[MOST_ROWS * MOST_CLASSES];
        for (int j = 0; j < MOST_ROWS * n_classes; j++)
            alpha[j] = drawn_alpha(&random);
        assert_int_equal(
                opn_opinion(ctx, MOST_ROWS, n_classes, alpha, OPN_N_MEASURES, all_five),
                OPN_OK);
        for (int i = 0; i < MOST_ROWS; i++) {
            double strength = 0.0;
            int n_positive = 0;
            for (int k = 0; k < n_classes; k++) {
                strength += (double)alpha[i * n_classes + k];
                n_positive += alpha[i * n_classes + k] > 1.0f;
            }
            for (int m = 0; m < OPN_N_MEASURES; m++)
                assert_true(measured[m][i] >= 0.0f && measured[m][i] <= 1.0f);
            assert_float_equal(measured[OPN_MEASURE_VACUITY][i],
                               (float)(n_classes / strength), 1e-6f);
            assert_float_equal(measured[OPN_MEASURE_ENTROPY][i],
                               measured[OPN_MEASURE_ALEATORIC][i] +
                                       measured[OPN_MEASURE_EPISTEMIC][i],
                               1e-6f);
            if (n_positive < 2)
                assert_true(measured[OPN_MEASURE_DISSONANCE][i] == 0.0f);
        }
    }
}

static void order_of_classes_does_not_matter(void **state)
{
    (void)state;
    const float forth[] = {1.0f, 4.5f, 2.0f, 30.0f};
    const float back[] = {30.0f, 2.0f, 4.5f, 1.0f};
    float first[OPN_N_MEASURES];
    assert_int_equal(opn_opinion(ctx, 1, 4, forth, OPN_N_MEASURES, all_five), OPN_OK);
    for (int m = 0; m < OPN_N_MEASURES; m++)
        first[m] = measured[m][0];
    assert_int_equal(opn_opinion(ctx, 1, 4, back, OPN_N_MEASURES, all_five), OPN_OK);
    for (int m = 0; m < OPN_N_MEASURES; m++)
        assert_float_equal(measured[m][0], first[m], 1e-6f);
}

static void evidence_beyond_all_measure_is_still_an_opinion(void **state)
{
    (void)state;
    static const float alpha[][3] = {
            {3e38f, 3e38f, 3e38f}, {3e38f, 1.0f, 1.0f}, {1e20f, 1e10f, 1.0f}};
    assert_int_equal(opn_opinion(ctx, 3, 3, alpha[0], OPN_N_MEASURES, all_five), OPN_OK);
    for (int m = 0; m < OPN_N_MEASURES; m++)
        for (int i = 0; i < 3; i++)
            assert_true(measured[m][i] >= 0.0f && measured[m][i] <= 1.0f);
    assert_float_equal(measured[OPN_MEASURE_VACUITY][0], 0.0f, 1e-6f);
    assert_float_equal(measured[OPN_MEASURE_DISSONANCE][0], 1.0f, 1e-6f);
    assert_float_equal(measured[OPN_MEASURE_ENTROPY][0], 1.0f, 1e-6f);
    assert_float_equal(measured[OPN_MEASURE_EPISTEMIC][0], 0.0f, 1e-6f);
    assert_float_equal(measured[OPN_MEASURE_ENTROPY][1], 0.0f, 1e-6f);
}

// ---- what other models put out -------------------------------------------------------

static void expect_near(double value, double wanted, double tolerance)
{
    assert_true(fabs(value - wanted) <= tolerance);
}

static double wide[OPN_N_MEASURES][MOST_ROWS];
static const opn_number_room unwanted = {NULL, NULL};

// The measures of x [n_samples, n, 3] in double, and its probabilities.
static void measure_output(
        opn_opinion_input input, int32_t n_samples, int64_t n, const double *x, double *p)
{
    opn_number_room room[OPN_N_MEASURES];
    for (int m = 0; m < OPN_N_MEASURES; m++)
        room[m] = opn_into_f64(wide[m]);
    assert_int_equal(opn_opinion_from(ctx, input, n_samples, n, 3, opn_f64(x),
                                      OPN_N_MEASURES, room, unwanted, opn_into_f64(p)),
                     OPN_OK);
}

static void logits_are_evidence_or_those_of_a_softmax(void **state)
{
    (void)state;
    const double z[] = {log(4.0), log(2.0), -1000.0}; // alpha 5, 3, 1
    double p[3];
    measure_output(OPN_OPINION_LOGITS, 1, 1, z, p);
    expect_near(wide[OPN_MEASURE_VACUITY][0], 1.0 / 3.0, 1e-12);
    expect_near(wide[OPN_MEASURE_DISSONANCE][0], 4.0 / 9.0, 1e-12);
    expect_near(wide[OPN_MEASURE_ALEATORIC][0], 0.76298756, 1e-6);
    expect_near(p[0], 5.0 / 9.0, 1e-12);
    measure_output(OPN_OPINION_SOFTMAX, 1, 1, z, p);
    expect_near(p[0], 2.0 / 3.0, 1e-12);
    expect_near(p[2], 0.0, 1e-12);
    assert_true(isnan(wide[OPN_MEASURE_VACUITY][0]));
    assert_true(isnan(wide[OPN_MEASURE_DISSONANCE][0]));
    assert_true(isnan(wide[OPN_MEASURE_ALEATORIC][0]));
    assert_true(isnan(wide[OPN_MEASURE_EPISTEMIC][0]));
    const double entropy = (log(3.0) - 2.0 / 3.0 * log(2.0)) / log(3.0);
    expect_near(wide[OPN_MEASURE_ENTROPY][0], entropy, 1e-12);
}

static void samples_that_disagree_leave_the_model_unsure(void **state)
{
    (void)state;
    // Two samples of two nodes: one where they agree on a coin, one where each is
    // certain.
    const double p[] = {0.5, 0.5, 0.0, 1.0, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0, 1.0, 0.0};
    double mean[6];
    const double coin = log(2.0) / log(3.0);
    measure_output(OPN_OPINION_PROBABILITY, 2, 2, p, mean);
    for (int i = 0; i < 2; i++) {
        expect_near(wide[OPN_MEASURE_ENTROPY][i], coin, 1e-12);
        assert_true(isnan(wide[OPN_MEASURE_VACUITY][i]));
        expect_near(mean[3 * i], 0.5, 1e-12);
    }
    expect_near(wide[OPN_MEASURE_ALEATORIC][0], coin, 1e-12);
    expect_near(wide[OPN_MEASURE_EPISTEMIC][0], 0.0, 1e-12);
    expect_near(wide[OPN_MEASURE_ALEATORIC][1], 0.0, 1e-12);
    expect_near(wide[OPN_MEASURE_EPISTEMIC][1], coin, 1e-12);
}

static void samples_of_alpha_are_averaged(void **state)
{
    (void)state;
    const double alpha[] = {9.0, 1.0, 2.0, 1.0, 5.0, 6.0}; // means 5, 3, 4
    double p[3];
    double mean[3];
    assert_int_equal(opn_opinion_from(ctx, OPN_OPINION_ALPHA, 2, 1, 3, opn_f64(alpha), 0,
                                      NULL, opn_into_f64(mean), opn_into_f64(p)),
                     OPN_OK);
    expect_near(mean[0], 5.0, 1e-12);
    expect_near(mean[1], 3.0, 1e-12);
    expect_near(p[0], 5.0 / 12.0, 1e-12); // of the mean alpha, not of the mean p
    measure_output(OPN_OPINION_ALPHA, 2, 1, alpha, p);
    expect_near(wide[OPN_MEASURE_VACUITY][0], 0.25, 1e-12);
    const double total = wide[OPN_MEASURE_ALEATORIC][0] + wide[OPN_MEASURE_EPISTEMIC][0];
    expect_near(wide[OPN_MEASURE_ENTROPY][0], total, 1e-12);
}

static void probabilities_need_not_sum_to_one(void **state)
{
    (void)state;
    const double twice[] = {1.0, 0.6, 0.4};
    double p[3];
    measure_output(OPN_OPINION_PROBABILITY, 1, 1, twice, p);
    expect_near(p[0], 0.5, 1e-12);
}

static void output_that_cannot_be_is_refused(void **state)
{
    (void)state;
    static const double bad[][3] = {{0.5, 1.0, 1.0},
                                    {0.5, (double)INFINITY, 1.0},
                                    {0.5, (double)NAN, 1.0},
                                    {0.5, -0.1, 1.0}};
    static const int bad_class[] = {0, 1, 1, 1};
    for (int input = OPN_OPINION_ALPHA; input <= OPN_OPINION_PROBABILITY; input++) {
        char place[40];
        snprintf(place, sizeof(place), "node 0 and class %d", bad_class[input]);
        assert_int_equal(opn_opinion_from(ctx, (opn_opinion_input)input, 1, 1, 3,
                                          opn_f64(bad[input]), 0, NULL, unwanted,
                                          unwanted),
                         OPN_ERR_INVALID_ARG);
        support_expect_error(ctx, place);
        assert_int_equal(opn_opinion_from(ctx, (opn_opinion_input)input, 0, 1, 3,
                                          opn_f64(bad[input]), 0, NULL, unwanted,
                                          unwanted),
                         OPN_ERR_INVALID_ARG);
        support_expect_error(ctx, "0 samples");
    }
    const double nothing[] = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    assert_int_equal(opn_opinion_from(ctx, OPN_OPINION_PROBABILITY, 1, 2, 3,
                                      opn_f64(nothing), 0, NULL, unwanted, unwanted),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "node 1 are 0");
}

// ---- arguments -----------------------------------------------------------------------

static void outputs_nobody_wants_are_left_out(void **state)
{
    (void)state;
    const float alpha[] = {1.0f, 2.0f, 3.0f, 4.0f};
    float vacuity[2] = {-1.0f, -1.0f};
    float *const only_one[OPN_N_MEASURES] = {vacuity, NULL, NULL, NULL, NULL};
    float *const none[OPN_N_MEASURES] = {NULL, NULL, NULL, NULL, NULL};
    assert_int_equal(opn_opinion(ctx, 2, 2, alpha, OPN_N_MEASURES, only_one), OPN_OK);
    assert_float_equal(vacuity[0], 2.0f / 3.0f, 1e-6f);
    assert_float_equal(vacuity[1], 2.0f / 7.0f, 1e-6f);
    assert_int_equal(opn_opinion(ctx, 2, 2, alpha, OPN_N_MEASURES, none), OPN_OK);
    assert_int_equal(opn_opinion(ctx, 2, 2, alpha, 0, NULL), OPN_OK);
    assert_int_equal(opn_opinion(ctx, 0, 2, NULL, OPN_N_MEASURES, all_five), OPN_OK);
}

static void bad_alpha_is_refused_by_node_and_class(void **state)
{
    (void)state;
    static const float bad[] = {0.999f, 0.0f, -3.0f, NAN, INFINITY, -INFINITY};
    for (size_t b = 0; b < sizeof(bad) / sizeof(bad[0]); b++) {
        const float alpha[] = {1.0f, 2.0f, 3.0f, 4.0f, bad[b], 6.0f};
        assert_int_equal(opn_opinion(ctx, 3, 2, alpha, OPN_N_MEASURES, all_five),
                         OPN_ERR_INVALID_ARG);
        support_expect_error(ctx, "node 2");
        support_expect_error(ctx, "class 0");
    }
}

static void refused_alpha_leaves_the_outputs_as_they_were(void **state)
{
    (void)state;
    const float alpha[] = {1.0f, 2.0f, 3.0f, 0.0f};
    memset(measured, 0x55, sizeof(measured));
    float before[OPN_N_MEASURES][MOST_ROWS];
    memcpy(before, measured, sizeof(before));
    assert_int_equal(opn_opinion(ctx, 2, 2, alpha, OPN_N_MEASURES, all_five),
                     OPN_ERR_INVALID_ARG);
    assert_memory_equal(measured, before, sizeof(before));
}

static void an_input_that_does_not_exist_is_refused(void **state)
{
    (void)state;
    static const double p[2] = {0.5, 0.5};
    assert_int_equal(opn_opinion_from(ctx, (opn_opinion_input)9, 1, 1, 2, opn_f64(p), 0,
                                      &unwanted, unwanted, unwanted),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "9 is not a kind of output");
}

static void fewer_than_two_classes_are_refused(void **state)
{
    (void)state;
    const float alpha[] = {1.0f};
    for (int32_t n_classes = -1; n_classes < 2; n_classes++) {
        assert_int_equal(opn_opinion(ctx, 1, n_classes, alpha, OPN_N_MEASURES, all_five),
                         OPN_ERR_INVALID_ARG);
        support_expect_error(ctx, "at least two");
    }
}

static void every_allocation_failure_is_reported(void **state)
{
    (void)state;
    const float alpha[] = {1.0f, 2.0f};
    int n_refused = 0;
    for (long fail_at = 1;; fail_at++) {
        meter m = {0};
        opn_ctx *own = support_ctx(&m);
        m.n_requests = 0;
        m.fail_at = fail_at;
        const opn_status status = opn_opinion(own, 1, 2, alpha, OPN_N_MEASURES, all_five);
        support_ctx_free(own, &m);
        if (status == OPN_OK)
            break;
        assert_int_equal(status, OPN_ERR_NOMEM);
        n_refused++;
    }
    assert_true(n_refused > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(measures_of_worked_examples_are_right),
            WITH_CTX(measures_of_drawn_dirichlets_keep_their_bounds_and_sums),
            WITH_CTX(order_of_classes_does_not_matter),
            WITH_CTX(evidence_beyond_all_measure_is_still_an_opinion),
            WITH_CTX(logits_are_evidence_or_those_of_a_softmax),
            WITH_CTX(samples_that_disagree_leave_the_model_unsure),
            WITH_CTX(samples_of_alpha_are_averaged),
            WITH_CTX(probabilities_need_not_sum_to_one),
            WITH_CTX(output_that_cannot_be_is_refused),
            WITH_CTX(outputs_nobody_wants_are_left_out),
            WITH_CTX(bad_alpha_is_refused_by_node_and_class),
            WITH_CTX(refused_alpha_leaves_the_outputs_as_they_were),
            WITH_CTX(an_input_that_does_not_exist_is_refused),
            WITH_CTX(fewer_than_two_classes_are_refused),
            cmocka_unit_test(every_allocation_failure_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
