// conformal_test.c -- sets and p-values whose error rate is known in advance.

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
static double score[MOST_NUMBERS];
static uint8_t member[MOST_NUMBERS];
static const scored_rule usual = {21, 600, 4, 100, 200, 80};

static void draw_golden(int32_t at)
{
    const golden_calibrated *g = &golden_calibrateds[at];
    const scored_rule rule = {g->seed,   g->n,    g->n_classes,
                              g->levels, g->lift, g->percent};
    scored_draw(&rule, &nodes);
}

// Calibrates on the first half of the nodes, and measures the others.
static opn_set_quality halves(const opn_set_options *options,
                              double coverage,
                              int is_per_class,
                              double *threshold)
{
    static int32_t calibration[SCORED_MOST];
    opn_set_quality q = {0};
    const int32_t half = nodes.n / 2;
    const size_t from = (size_t)half * (size_t)nodes.n_classes;
    for (int32_t i = 0; i < nodes.n; i++)
        calibration[i] = i < half ? nodes.label[i] : -1;
    assert_int_equal(opn_set_score(ctx, options, nodes.n, nodes.n_classes,
                                   opn_f64(nodes.p), opn_into_f64(score)),
                     OPN_OK);
    assert_int_equal(opn_set_calibrate(ctx, nodes.n, nodes.n_classes, opn_f64(score),
                                       calibration, coverage, is_per_class, threshold),
                     OPN_OK);
    for (int32_t k = 0; k < nodes.n_classes; k++)
        threshold[k] += 1e-12; // sums of another order differ in their last bits
    assert_int_equal(opn_set_members(ctx, nodes.n, nodes.n_classes, opn_f64(score),
                                     threshold, member),
                     OPN_OK);
    assert_int_equal(opn_set_measure(ctx, nodes.n - half, nodes.n_classes, member + from,
                                     nodes.label + half, NULL, NULL, &q),
                     OPN_OK);
    return q;
}

// ---- golden values -------------------------------------------------------------------

static void sets_agree_with_numpy(void **state)
{
    (void)state;
    double threshold[SCORED_MOST_CLASSES];
    for (size_t c = 0; c < N_OF(golden_sets); c++) {
        const golden_set *g = &golden_sets[c];
        const opn_set_options options = {.kind = (opn_set_kind)g->kind,
                                         .is_randomised = g->is_randomised,
                                         .seed = golden_calibrateds[g->nodes].seed,
                                         .n_free = 2,
                                         .penalty = 0.01};
        draw_golden(g->nodes);
        const opn_set_quality q =
                halves(&options, g->coverage, g->is_per_class, threshold);
        assert_true(fabs(fmin(threshold[0], 9.0) - g->threshold) < 1e-11);
        assert_int_equal(q.n_covered, g->n_covered);
        assert_int_equal(q.n_empty, g->n_empty);
        assert_int_equal(q.n_single, g->n_single);
        assert_true(fabs(q.mean_size - g->mean_size) < 1e-12);
    }
}

// The score of node i: 1 - max p, and more if it is of the first class.
static double strangeness(int32_t i)
{
    const double top = nodes.p[i * nodes.n_classes + scored_top(&nodes, i)];
    return 1.0 - top + 0.3 * (nodes.label[i] == 0);
}

static void discoveries_agree_with_numpy(void **state)
{
    (void)state;
    static double known[SCORED_MOST];
    static double asked[SCORED_MOST];
    static double p_value[SCORED_MOST];
    static uint8_t found[SCORED_MOST];
    for (size_t c = 0; c < N_OF(golden_discoveries); c++) {
        const golden_discovery *g = &golden_discoveries[c];
        int32_t n_known = 0;
        int32_t n_found = -1;
        double threshold = -1.0;
        double sum = 0.0;
        draw_golden(g->nodes);
        const int32_t half = nodes.n / 2;
        for (int32_t i = 0; i < half; i++)
            if (nodes.label[i] > 0)
                known[n_known++] = strangeness(i);
        for (int32_t i = half; i < nodes.n; i++)
            asked[i - half] = strangeness(i);
        assert_int_equal(opn_conformal_p_values(ctx, n_known, opn_f64(known),
                                                nodes.n - half, opn_f64(asked), p_value),
                         OPN_OK);
        for (int32_t i = 0; i < nodes.n - half; i++)
            sum += p_value[i];
        assert_true(fabs(sum - g->sum) < 1e-9);
        assert_int_equal(opn_discover(ctx, nodes.n - half, p_value, g->level, found,
                                      &threshold, &n_found),
                         OPN_OK);
        assert_int_equal(n_found, g->n_found);
        for (int32_t i = 0; i < nodes.n - half; i++) {
            n_found -= found[i];
            assert_true(found[i] == (g->n_found > 0 && p_value[i] <= threshold));
        }
        assert_int_equal(n_found, 0);
    }
}

// ---- what is promised ----------------------------------------------------------------

// The share of nodes covered, over 200 draws of 600 nodes, half of them for calibration.
static double covered_share(const opn_set_options *options,
                            double coverage,
                            int is_per_class,
                            const uint8_t *of_label)
{
    double threshold[SCORED_MOST_CLASSES];
    int64_t n = 0;
    int64_t n_covered = 0;
    for (uint64_t draw = 0; draw < 200; draw++) {
        scored_rule rule = usual;
        rule.seed = 1000 + draw;
        scored_draw(&rule, &nodes);
        halves(options, coverage, is_per_class, threshold);
        for (int32_t i = nodes.n / 2; i < nodes.n; i++) {
            if (of_label != NULL && !of_label[nodes.label[i]])
                continue;
            n++;
            n_covered += member[i * nodes.n_classes + nodes.label[i]];
        }
    }
    return (double)n_covered / (double)n;
}

static void sets_cover_as_often_as_promised(void **state)
{
    (void)state;
    // The share over draws of both halves has a standard error of about sqrt(c (1 - c)
    // (1 / 300 + 1 / 300) / 200), 0.0017 at 0.9; randomised or continuous scores are not
    // far above what is promised, the sums of the deterministic ones are.
    for (int kind = OPN_SET_LAC; kind <= OPN_SET_RAPS; kind++)
        for (int is_randomised = 0; is_randomised <= 1; is_randomised++) {
            const opn_set_options options = {.kind = (opn_set_kind)kind,
                                             .is_randomised = is_randomised,
                                             .seed = 3,
                                             .n_free = 1,
                                             .penalty = 0.05};
            const double share = covered_share(&options, 0.9, 0, NULL);
            assert_true(share > 0.9 - 0.007 && share < 0.9 + 0.012);
        }
}

static void each_class_is_covered_as_often_as_promised(void **state)
{
    (void)state;
    const opn_set_options lac = {.kind = OPN_SET_LAC};
    for (int k = 0; k < usual.n_classes; k++) {
        uint8_t of_label[SCORED_MOST_CLASSES] = {0};
        of_label[k] = 1;
        const double share = covered_share(&lac, 0.9, 1, of_label);
        assert_true(share > 0.9 - 0.014 && share < 0.9 + 0.03);
    }
}

static void more_coverage_never_removes_a_class(void **state)
{
    (void)state;
    static uint8_t before[MOST_NUMBERS];
    double threshold[SCORED_MOST_CLASSES];
    for (int kind = OPN_SET_LAC; kind <= OPN_SET_RAPS; kind++) {
        const opn_set_options options = {
                .kind = (opn_set_kind)kind, .n_free = 1, .penalty = 0.1};
        scored_draw(&usual, &nodes);
        memset(before, 0, sizeof(before));
        for (int percent = 5; percent < 100; percent += 5) {
            halves(&options, percent / 100.0, 0, threshold);
            for (int j = 0; j < nodes.n * nodes.n_classes; j++)
                assert_true(member[j] >= before[j]);
            memcpy(before, member, sizeof(before));
        }
    }
}

// The share of falsely marked nodes among 200 known and 100 strange ones, over draws.
static double false_share(double level, double *power)
{
    enum { N_KNOWN = 200, N_STRANGE = 100, N_CALIBRATION = 500, N_DRAWS = 400 };
    static double calibration[N_CALIBRATION];
    static double asked[N_KNOWN + N_STRANGE];
    static double p_value[N_KNOWN + N_STRANGE];
    static uint8_t found[N_KNOWN + N_STRANGE];
    uint64_t random = 77;
    double sum = 0.0;
    *power = 0.0;
    for (int draw = 0; draw < N_DRAWS; draw++) {
        int32_t n_found = 0;
        int32_t n_false = 0;
        double threshold = 0.0;
        for (int i = 0; i < N_CALIBRATION; i++)
            calibration[i] = below(&random, 1000000);
        for (int i = 0; i < N_KNOWN + N_STRANGE; i++)
            asked[i] = below(&random, 1000000) + (i < N_KNOWN ? 0.0 : 800000.0);
        assert_int_equal(opn_conformal_p_values(ctx, N_CALIBRATION, opn_f64(calibration),
                                                N_KNOWN + N_STRANGE, opn_f64(asked),
                                                p_value),
                         OPN_OK);
        assert_int_equal(opn_discover(ctx, N_KNOWN + N_STRANGE, p_value, level, found,
                                      &threshold, &n_found),
                         OPN_OK);
        for (int i = 0; i < N_KNOWN; i++)
            n_false += found[i];
        sum += n_found > 0 ? (double)n_false / n_found : 0.0;
        *power += (double)(n_found - n_false) / N_STRANGE / N_DRAWS;
    }
    return sum / N_DRAWS;
}

static void falsely_marked_nodes_stay_below_the_level(void **state)
{
    (void)state;
    static const double levels[] = {0.05, 0.1, 0.3};
    for (size_t l = 0; l < N_OF(levels); l++) {
        double power;
        // Two thirds of the nodes are known, so that the share is 2/3 of the level.
        const double share = false_share(levels[l], &power);
        assert_true(share < levels[l]);
        assert_true(share > 0.4 * levels[l]);
        assert_true(power > 0.5);
    }
}

// ---- worked examples -----------------------------------------------------------------

static void the_scores_of_a_row_are_as_defined(void **state)
{
    (void)state;
    static const double p[] = {0.2, 0.5, 0.2, 0.1};
    static const double aps[] = {0.7, 0.5, 0.9, 1.0};
    static const double raps[] = {0.7 + 0.5, 0.5, 0.9 + 1.0, 1.0 + 1.5};
    const opn_set_options options[] = {
            {.kind = OPN_SET_APS}, {.kind = OPN_SET_RAPS, .n_free = 1, .penalty = 0.5}};
    double out[4];
    float narrow[4];
    for (int o = 0; o < 2; o++) {
        assert_int_equal(
                opn_set_score(ctx, &options[o], 1, 4, opn_f64(p), opn_into_f64(out)),
                OPN_OK);
        for (int k = 0; k < 4; k++)
            assert_true(fabs(out[k] - (o == 0 ? aps : raps)[k]) < 1e-12);
        assert_int_equal(
                opn_set_score(ctx, &options[o], 1, 4, opn_f64(p), opn_into_f32(narrow)),
                OPN_OK);
        for (int k = 0; k < 4; k++)
            assert_true(narrow[k] == (float)out[k]);
    }
}

static void too_few_nodes_promise_nothing_and_hold_every_class(void **state)
{
    (void)state;
    // Nine calibration nodes can promise 0.9 and no more; the tenth smallest is not
    // there.
    static const double nine[18] = {0.1, 0.9, 0.2, 0.8, 0.3, 0.7, 0.4, 0.6, 0.5,
                                    0.5, 0.6, 0.4, 0.7, 0.3, 0.8, 0.2, 0.9, 0.1};
    static const int32_t label[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    double threshold[2];
    assert_int_equal(
            opn_set_calibrate(ctx, 9, 2, opn_f64(nine), label, 0.9, 0, threshold),
            OPN_OK);
    assert_true(threshold[0] == 0.9 && threshold[1] == 0.9);
    assert_int_equal(
            opn_set_calibrate(ctx, 9, 2, opn_f64(nine), label, 0.91, 0, threshold),
            OPN_OK);
    assert_true(isinf(threshold[0]));
    assert_int_equal(
            opn_set_calibrate(ctx, 9, 2, opn_f64(nine), label, 0.9, 1, threshold),
            OPN_OK);
    assert_true(threshold[0] == 0.9 && isinf(threshold[1]));
    assert_int_equal(opn_set_members(ctx, 9, 2, opn_f64(nine), threshold, member),
                     OPN_OK);
    for (int i = 0; i < 9; i++)
        assert_true(member[2 * i] == 1 && member[2 * i + 1] == 1);
}

static void sets_are_counted_as_they_are(void **state)
{
    (void)state;
    static const uint8_t of[] = {1, 0, 0, 0, 0, 0, 1, 1, 1, 0, 1, 0};
    static const int32_t label[] = {0, 1, 2, -1};
    int32_t covered[3];
    int32_t of_class[3];
    opn_set_quality q = {0};
    assert_int_equal(opn_set_measure(ctx, 4, 3, of, label, covered, of_class, &q),
                     OPN_OK);
    assert_int_equal(q.n, 3);
    assert_int_equal(q.n_covered, 2);
    assert_int_equal(q.n_empty, 1);
    assert_int_equal(q.n_single, 1);
    assert_true(fabs(q.mean_size - 4.0 / 3.0) < 1e-15);
    assert_int_equal(covered[0] + 2 * covered[1] + 4 * covered[2], 5);
    assert_int_equal(of_class[0] + of_class[1] + of_class[2], 3);
    assert_int_equal(opn_set_measure(ctx, 0, 3, of, label, NULL, NULL, &q), OPN_OK);
    assert_true(q.n == 0 && isnan(q.coverage) && isnan(q.mean_size));
}

static void p_values_count_the_stranger_and_the_tied(void **state)
{
    (void)state;
    static const float known[] = {0.5f, 0.1f, 0.5f, 0.9f};
    static const float asked[] = {0.0f, 0.1f, 0.5f, 0.6f, 0.9f, 1.0f};
    static const double wanted[] = {1.0, 1.0, 0.8, 0.4, 0.4, 0.2};
    double p_value[6];
    assert_int_equal(
            opn_conformal_p_values(ctx, 4, opn_f32(known), 6, opn_f32(asked), p_value),
            OPN_OK);
    for (int i = 0; i < 6; i++)
        assert_true(fabs(p_value[i] - wanted[i]) < 1e-15);
}

// ---- refusals ------------------------------------------------------------------------

// 6 p-values of 0.1 among 9 are on the line at 0.15, where 9 × 0.1 is above 6 × 0.15 by
// rounding.
static void a_p_value_on_the_line_is_found_in_spite_of_rounding(void **state)
{
    (void)state;
    static const double p_value[9] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.9, 1.0, 1.0};
    uint8_t found[9];
    double threshold = 0.0;
    int32_t n_found = 0;
    assert_true(p_value[0] * 9 > 0.15 * 6);
    assert_int_equal(opn_discover(ctx, 9, p_value, 0.15, found, &threshold, &n_found),
                     OPN_OK);
    assert_int_equal(n_found, 6);
    assert_int_equal(
            opn_discover(ctx, 9, p_value, 0.1499999, found, &threshold, &n_found),
            OPN_OK);
    assert_int_equal(n_found, 0);
}

static void counts_kinds_and_outputs_that_cannot_be_are_refused(void **state)
{
    (void)state;
    static const double p[2] = {0.5, 0.5};
    static const double most[2] = {0.5, 0.5};
    opn_set_options options = {.kind = OPN_SET_APS};
    double out[2];
    uint8_t set[2];
    assert_int_equal(opn_set_score(ctx, &options, -1, 2, opn_f64(p), opn_into_f64(out)),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "-1 nodes");
    assert_int_equal(opn_set_members(ctx, -1, 2, opn_f64(p), most, set),
                     OPN_ERR_INVALID_ARG);
    assert_int_equal(opn_set_members(ctx, 1, -1, opn_f64(p), most, set),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "-1 classes");
    assert_int_equal(opn_set_score(ctx, &options, 1, 2, opn_f64(p), opn_into_f64(NULL)),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "argument score is NULL");
    options.kind = (opn_set_kind)9;
    assert_int_equal(opn_set_score(ctx, &options, 1, 2, opn_f64(p), opn_into_f64(out)),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "9 is not a kind of set");
}

static void bad_input_of_sets_is_refused(void **state)
{
    (void)state;
    static const double rates[] = {0.0, 1.0, -0.1, 1.1, (double)NAN};
    const opn_set_options bad_penalty = {.kind = OPN_SET_RAPS, .penalty = (double)NAN};
    const opn_set_options bad_free = {.kind = OPN_SET_RAPS, .n_free = -1};
    const opn_set_options lac = {.kind = OPN_SET_LAC};
    double p[] = {0.5, 0.5, 0.2, 0.8};
    double threshold[2] = {0.5, 0.5};
    int32_t label[] = {0, 1};
    double out[4];
    for (size_t r = 0; r < N_OF(rates); r++) {
        assert_int_equal(
                opn_set_calibrate(ctx, 2, 2, opn_f64(p), label, rates[r], 0, threshold),
                OPN_ERR_INVALID_ARG);
        support_expect_error(ctx, "coverage");
    }
    assert_int_equal(
            opn_set_score(ctx, &bad_penalty, 2, 2, opn_f64(p), opn_into_f64(out)),
            OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "penalty");
    assert_int_equal(opn_set_score(ctx, &bad_free, 2, 2, opn_f64(p), opn_into_f64(out)),
                     OPN_ERR_INVALID_ARG);
    label[1] = 2;
    assert_int_equal(opn_set_calibrate(ctx, 2, 2, opn_f64(p), label, 0.9, 0, threshold),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "label of node 1 is 2");
    label[0] = label[1] = -1;
    assert_int_equal(opn_set_calibrate(ctx, 2, 2, opn_f64(p), label, 0.9, 0, threshold),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "no calibration nodes");
    assert_int_equal(opn_set_calibrate(ctx, 0, 2, opn_f64(p), label, 0.9, 0, threshold),
                     OPN_ERR_INVALID_ARG);
    p[3] = (double)NAN;
    label[1] = 1;
    assert_int_equal(opn_set_calibrate(ctx, 2, 2, opn_f64(p), label, 0.9, 0, threshold),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "not a number");
    assert_int_equal(opn_set_score(ctx, &lac, 2, 2, opn_f64(p), opn_into_f64(out)),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "node 1 and class 1");
    assert_int_equal(opn_set_members(ctx, 2, 2, opn_f64(p), threshold, member),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "node 1 and class 1");
    threshold[1] = (double)NAN;
    assert_int_equal(opn_set_members(ctx, 1, 2, opn_f64(p), threshold, member),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "threshold of class 1");
}

static void bad_input_of_p_values_is_refused(void **state)
{
    (void)state;
    double x[] = {0.1, 0.2, (double)NAN};
    double p_value[3];
    uint8_t found[3];
    double threshold;
    int32_t n_found;
    assert_int_equal(opn_conformal_p_values(ctx, 0, opn_f64(x), 2, opn_f64(x), p_value),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "0 calibration nodes");
    assert_int_equal(opn_conformal_p_values(ctx, 3, opn_f64(x), 2, opn_f64(x), p_value),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "calibration node 2");
    assert_int_equal(opn_conformal_p_values(ctx, 2, opn_f64(x), 3, opn_f64(x), p_value),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "score of node 2");
    assert_int_equal(opn_discover(ctx, 3, x, 0.1, found, &threshold, &n_found),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "p-value of node 2");
    assert_int_equal(opn_discover(ctx, 2, x, 1.0, found, &threshold, &n_found),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "false discovery rate");
    assert_int_equal(opn_discover(ctx, 0, x, 0.1, found, &threshold, &n_found), OPN_OK);
    assert_true(n_found == 0 && threshold == 0.0);
}

static opn_status use_all(opn_ctx *own)
{
    static double p_value[SCORED_MOST];
    static uint8_t found[SCORED_MOST];
    const opn_set_options aps = {.kind = OPN_SET_APS};
    double threshold[SCORED_MOST_CLASSES];
    opn_status status = OPN_OK;
    int32_t n_found;
    OPN_TRY(opn_set_score(own, &aps, nodes.n, nodes.n_classes, opn_f64(nodes.p),
                          opn_into_f64(score)));
    OPN_TRY(opn_set_calibrate(own, nodes.n, nodes.n_classes, opn_f64(score), nodes.label,
                              0.9, 1, threshold));
    OPN_TRY(opn_conformal_p_values(own, 50, opn_f64(nodes.p), 50, opn_f64(nodes.q),
                                   p_value));
    OPN_TRY(opn_discover(own, 50, p_value, 0.1, found, threshold, &n_found));
cleanup:
    return status;
}

static void every_allocation_failure_is_reported(void **state)
{
    (void)state;
    scored_draw(&usual, &nodes);
    assert_int_equal(support_fail_allocations(use_all), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(sets_agree_with_numpy),
            WITH_CTX(discoveries_agree_with_numpy),
            WITH_CTX(sets_cover_as_often_as_promised),
            WITH_CTX(each_class_is_covered_as_often_as_promised),
            WITH_CTX(more_coverage_never_removes_a_class),
            WITH_CTX(falsely_marked_nodes_stay_below_the_level),
            WITH_CTX(the_scores_of_a_row_are_as_defined),
            WITH_CTX(too_few_nodes_promise_nothing_and_hold_every_class),
            WITH_CTX(sets_are_counted_as_they_are),
            WITH_CTX(p_values_count_the_stranger_and_the_tied),
            WITH_CTX(a_p_value_on_the_line_is_found_in_spite_of_rounding),
            WITH_CTX(counts_kinds_and_outputs_that_cannot_be_are_refused),
            WITH_CTX(bad_input_of_sets_is_refused),
            WITH_CTX(bad_input_of_p_values_is_refused),
            cmocka_unit_test(every_allocation_failure_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
