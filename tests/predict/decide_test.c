// decide_test.c -- thresholds on measures: read, applied, chosen on validation nodes.

#include "base/context.h"
#include "golden/proportion_golden.h"
#include "opine/opine.h"
#include "opinion/proportion.h"
#include "opinion/threshold.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

enum { MOST = 64 };

static opn_thresholds parsed(const char *text)
{
    opn_thresholds *read = NULL;
    if (opn_thresholds_parse(ctx, text, &read) != OPN_OK)
        fail_msg("%s", opn_ctx_error(ctx));
    const opn_thresholds out = *read;
    for (int m = 0; m < OPN_N_MEASURES; m++)
        assert_memory_equal(&(double){opn_thresholds_most(read, (opn_measure)m)},
                            &out.most[m], sizeof(double));
    opn_thresholds_free(read);
    return out;
}

// ---- thresholds ----------------------------------------------------------------------

static void thresholds_are_read_by_name(void **state)
{
    (void)state;
    const opn_thresholds t = parsed("entropy=1,vacuity=0.5,dissonance=0");
    assert_true(t.most[OPN_MEASURE_VACUITY] == 0.5);
    assert_true(t.most[OPN_MEASURE_DISSONANCE] == 0.0);
    assert_true(isnan(t.most[OPN_MEASURE_ALEATORIC]));
    assert_true(isnan(t.most[OPN_MEASURE_EPISTEMIC]));
    assert_true(t.most[OPN_MEASURE_ENTROPY] == 1.0);
    const opn_thresholds none = parsed("");
    for (int m = 0; m < OPN_N_MEASURES; m++)
        assert_true(isnan(none.most[m]));
}

static void thresholds_that_are_none_are_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
            {"vacuity", "\"vacuity\" is not of the form"},
            {",", "\"\" is not of the form"},
            {"vacuity=0.5,", "\"\" is not of the form"},
            {"vacuty=0.5", "\"vacuty\" is not one of"},
            {"=0.5", "\"\" is not one of"},
            {"vacuity=", "vacuity is \"\""},
            {"vacuity=x", "vacuity is \"x\""},
            {"vacuity=nan", "vacuity is \"nan\""},
            {"vacuity=1.5", "vacuity is \"1.5\""},
            {"vacuity=-0.5", "vacuity is \"-0.5\""},
            {"entropy=0.5,entropy=0.5", "entropy is given twice"},
            {"vacuity=0.0000000000000000000000000000000000000000000000000000000000000001",
             "must be a number"},
    };
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        opn_thresholds *out = NULL;
        assert_int_equal(opn_thresholds_parse(ctx, cases[c].text, &out),
                         OPN_ERR_INVALID_ARG);
        support_expect_error(ctx, cases[c].part);
        assert_null(out);
    }
}

static void the_measure_that_exceeds_most_decides(void **state)
{
    (void)state;
    static const struct {
        float vacuity, dissonance, entropy;
        int decision, by;
    } cases[] = {
            {0.5f, 0.25f, 0.0f, OPN_DECISION_ACCEPT, -1}, // at a threshold is not above
            {0.51f, 0.0f, 0.9f, OPN_DECISION_OOD, OPN_MEASURE_VACUITY},
            {0.0f, 0.26f, 0.9f, OPN_DECISION_MISCLASSIFIED, OPN_MEASURE_DISSONANCE},
            {0.75f, 0.5f, 0.9f, OPN_DECISION_MISCLASSIFIED, OPN_MEASURE_DISSONANCE},
            {1.0f, 0.375f, 0.9f, OPN_DECISION_OOD, OPN_MEASURE_VACUITY},
            {0.75f, 0.375f, 0.9f, OPN_DECISION_OOD, OPN_MEASURE_VACUITY}, // same factor
    };
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        float value[3] = {cases[c].vacuity, cases[c].dissonance, cases[c].entropy};
        const float *measure[OPN_N_MEASURES] = {&value[0], &value[1], NULL, NULL,
                                                &value[2]};
        const opn_thresholds t = parsed("vacuity=0.5,dissonance=0.25");
        uint8_t decision = 77;
        int8_t by = 77;
        assert_int_equal(opn_decide(ctx, 1, OPN_N_MEASURES, measure, &t, &decision, &by),
                         OPN_OK);
        assert_int_equal(decision, cases[c].decision);
        assert_int_equal(by, cases[c].by);
        assert_int_equal(opn_decide(ctx, 1, OPN_N_MEASURES, measure, &t, &decision, NULL),
                         OPN_OK);
    }
}

static void every_measure_but_lack_of_evidence_says_misclassified(void **state)
{
    (void)state;
    for (int m = 0; m < OPN_N_MEASURES; m++) {
        opn_thresholds t = parsed("");
        const float low = (float)opn_i_measure_at(m)->low;
        float value[2] = {low, nextafterf(low, INFINITY)};
        const float *measure[OPN_N_MEASURES] = {NULL};
        uint8_t decision[2];
        int8_t by[2];
        measure[m] = value;
        t.most[m] = (double)low; // whatever is above the least is so by any factor
        assert_int_equal(opn_decide(ctx, 2, OPN_N_MEASURES, measure, &t, decision, by),
                         OPN_OK);
        assert_int_equal(decision[0], OPN_DECISION_ACCEPT);
        assert_int_equal(by[0], -1);
        assert_int_equal(decision[1], m == OPN_MEASURE_VACUITY || m == OPN_MEASURE_FUSED
                                              ? OPN_DECISION_OOD
                                              : OPN_DECISION_MISCLASSIFIED);
        assert_int_equal(by[1], m);
    }
}

static void a_threshold_survives_nine_digits(void **state)
{
    (void)state;
    uint64_t random = 5;
    for (int r = 0; r < 1000; r++) {
        float value = (float)below(&random, 1u << 30) / (float)(1u << 30);
        const float *measure[OPN_N_MEASURES] = {&value};
        char text[64];
        uint8_t decision = 77;
        snprintf(text, sizeof(text), "vacuity=%.9g", (double)value);
        const opn_thresholds t = parsed(text);
        assert_int_equal(opn_decide(ctx, 1, OPN_N_MEASURES, measure, &t, &decision, NULL),
                         OPN_OK);
        assert_int_equal(decision, OPN_DECISION_ACCEPT);
    }
}

static void measures_that_are_not_there_are_refused(void **state)
{
    (void)state;
    float value[2] = {0.5f, NAN};
    const float *measure[OPN_N_MEASURES] = {value};
    uint8_t decision[2] = {77, 77};
    const opn_thresholds vacuity = parsed("vacuity=0.5");
    const opn_thresholds entropy = parsed("entropy=0.5");
    assert_int_equal(
            opn_decide(ctx, 2, OPN_N_MEASURES, measure, &vacuity, decision, NULL),
            OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "vacuity of node 1 is not a number");
    assert_int_equal(
            opn_decide(ctx, 2, OPN_N_MEASURES, measure, &entropy, decision, NULL),
            OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "entropy");
    assert_int_equal(opn_decide(ctx, 2, 0, NULL, &vacuity, decision, NULL),
                     OPN_ERR_INVALID_ARG);
    assert_int_equal(decision[0], 77);
    assert_int_equal(
            opn_decide(ctx, 1, OPN_N_MEASURES, measure, &vacuity, decision, NULL),
            OPN_OK);
}

static void decisions_have_names(void **state)
{
    (void)state;
    assert_string_equal(opn_decision_name(OPN_DECISION_ACCEPT), "accept");
    assert_string_equal(opn_decision_name(OPN_DECISION_MISCLASSIFIED),
                        "abstain (conflict)");
    assert_string_equal(opn_decision_name(OPN_DECISION_OOD), "abstain (little evidence)");
    assert_string_equal(opn_decision_name(OPN_DECISION_UNKNOWN), "unknown class");
}

// ---- choosing ------------------------------------------------------------------------

typedef struct scored {
    int32_t n;
    float measure[MOST];
    uint8_t right[MOST];
} scored;

static opn_coverage pick(const scored *j, double target, int *is_reached)
{
    opn_coverage out = {0};
    if (opn_pick_threshold(ctx, j->n, j->measure, j->right, target, is_reached, &out) !=
        OPN_OK)
        fail_msg("%s", opn_ctx_error(ctx));
    return out;
}

// What comes of accepting everything up to a threshold, counted one by one.
static opn_coverage count(const scored *j, double threshold)
{
    opn_coverage c = {.threshold = threshold, .n = j->n};
    for (int32_t i = 0; i < j->n; i++)
        if ((double)j->measure[i] <= threshold) {
            c.n_accepted++;
            c.n_right += j->right[i];
        }
    c.coverage = (double)c.n_accepted / c.n;
    c.accuracy = (double)c.n_right / c.n_accepted;
    opn_i_proportion_interval(c.n_right, c.n_accepted, &c.low, &c.high);
    return c;
}

static void expect_coverage(const opn_coverage *got, const opn_coverage *want)
{
    assert_true(got->threshold == want->threshold);
    assert_int_equal(got->n, want->n);
    assert_int_equal(got->n_accepted, want->n_accepted);
    assert_int_equal(got->n_right, want->n_right);
    assert_true(got->coverage == want->coverage && got->accuracy == want->accuracy);
    assert_true(got->low == want->low && got->high == want->high);
}

// Each value of a node as the threshold, the best of them by the words of the header.
static opn_coverage search(const scored *j, double target, int *is_reached)
{
    opn_coverage best = {0};
    *is_reached = 0;
    for (int32_t i = 0; i < j->n; i++) {
        const opn_coverage c = count(j, (double)j->measure[i]);
        const int reaches = c.accuracy >= target;
        const int is_better = reaches != *is_reached ? reaches
                              : reaches              ? c.n_accepted > best.n_accepted
                                        : best.n == 0 || c.accuracy > best.accuracy ||
                                                  (c.accuracy == best.accuracy &&
                                                   c.n_accepted > best.n_accepted);
        if (is_better) {
            best = c;
            *is_reached = reaches;
        }
    }
    return best;
}

static scored draw_scored(uint64_t *random)
{
    scored j = {.n = 1 + (int32_t)below(random, MOST)};
    const uint32_t levels = 1u << below(random, 12);
    const uint32_t percent = below(random, 101);
    for (int32_t i = 0; i < j.n; i++) {
        j.measure[i] = (float)below(random, levels) / (float)levels;
        j.right[i] = below(random, 100) < percent;
    }
    return j;
}

static void the_pick_is_the_best_of_all_thresholds(void **state)
{
    (void)state;
    static const double targets[] = {0.0, 0.3, 0.5, 0.75, 0.9, 0.95, 1.0};
    uint64_t random = 1;
    int n_reached = 0;
    int n_failed = 0;
    for (int r = 0; r < 2000; r++) {
        const scored j = draw_scored(&random);
        for (size_t t = 0; t < sizeof(targets) / sizeof(targets[0]); t++) {
            int is_reached = 77;
            int should_be = 77;
            const opn_coverage got = pick(&j, targets[t], &is_reached);
            const opn_coverage want = search(&j, targets[t], &should_be);
            assert_int_equal(is_reached, should_be);
            expect_coverage(&got, &want);
            n_reached += is_reached;
            n_failed += !is_reached;
        }
    }
    assert_true(n_reached > 1000 && n_failed > 1000);
}

static void the_order_of_the_nodes_does_not_matter(void **state)
{
    (void)state;
    uint64_t random = 2;
    for (int r = 0; r < 200; r++) {
        scored j = draw_scored(&random);
        int is_reached = 0;
        const opn_coverage before = pick(&j, 0.8, &is_reached);
        for (int32_t i = j.n - 1; i > 0; i--) {
            const uint32_t other = below(&random, (uint32_t)i + 1);
            const float measure = j.measure[i];
            const uint8_t right = j.right[i];
            j.measure[i] = j.measure[other];
            j.right[i] = j.right[other];
            j.measure[other] = measure;
            j.right[other] = right;
        }
        const opn_coverage after = pick(&j, 0.8, &is_reached);
        expect_coverage(&after, &before);
    }
}

static void nodes_of_one_value_are_accepted_together(void **state)
{
    (void)state;
    const scored j = {5, {0.5f, 0.25f, 0.5f, 0.5f, 0.75f}, {1, 1, 0, 1, 0}};
    int is_reached = 0;
    const opn_coverage three =
            pick(&j, 0.75, &is_reached); // not 0.5 without its wrong one
    assert_true(is_reached && three.threshold == 0.5 && three.n_accepted == 4);
    const opn_coverage one = pick(&j, 0.8, &is_reached);
    assert_true(is_reached && one.threshold == 0.25 && one.n_accepted == 1);
    const scored zeros = {2, {-0.0f, 0.0f}, {1, 0}};
    const opn_coverage both = pick(&zeros, 0.5, &is_reached);
    assert_int_equal(both.n_accepted, 2);
}

static void a_target_is_reached_to_the_last_digit(void **state)
{
    (void)state;
    // k right of n reach the target k / n, and not the next double above it.
    for (int32_t n = 1; n <= MOST; n++)
        for (int32_t k = 0; k <= n; k++) {
            scored j = {.n = n};
            int is_reached = 0;
            for (int32_t i = 0; i < k; i++)
                j.right[i] = 1;
            (void)pick(&j, (double)k / n, &is_reached);
            assert_true(is_reached);
            if (k < n)
                (void)pick(&j, nextafter((double)k / n, 1.0), &is_reached);
            assert_int_equal(is_reached, k == n);
        }
    scored twenty = {.n = 20};
    int is_reached = 0;
    for (int32_t i = 0; i < 19; i++)
        twenty.right[i] = 1;
    (void)pick(&twenty, strtod("0.95", NULL), &is_reached);
    assert_true(is_reached);
}

static void all_wrong_and_all_right_are_picked_too(void **state)
{
    (void)state;
    scored j = {4, {0.1f, 0.2f, 0.3f, 0.4f}, {0, 0, 0, 0}};
    int is_reached = 77;
    const opn_coverage wrong = pick(&j, 0.5, &is_reached);
    assert_int_equal(is_reached, 0);
    assert_true(wrong.n_accepted == 4 && wrong.accuracy == 0.0 && wrong.low == 0.0);
    const opn_coverage any = pick(&j, 0.0, &is_reached);
    assert_true(is_reached && any.n_accepted == 4);
    memset(j.right, 1, sizeof(j.right));
    const opn_coverage right = pick(&j, 1.0, &is_reached);
    assert_true(is_reached && right.n_accepted == 4 && right.high == 1.0);
    j.right[2] = 0;
    const opn_coverage two = pick(&j, 1.0, &is_reached);
    assert_true(is_reached && two.n_accepted == 2 && two.threshold == (double)0.2f);
}

static void the_curve_has_the_least_threshold_of_each_coverage(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (int r = 0; r < 500; r++) {
        const scored j = draw_scored(&random);
        opn_coverage curve[OPN_N_COVERAGES];
        assert_int_equal(opn_risk_coverage(ctx, j.n, j.measure, j.right, curve), OPN_OK);
        for (int c = 0; c < OPN_N_COVERAGES; c++) {
            double least = (double)INFINITY;
            for (int32_t i = 0; i < j.n; i++) {
                const opn_coverage at = count(&j, (double)j.measure[i]);
                if (10 * at.n_accepted >= (c + 1) * j.n && at.threshold < least)
                    least = at.threshold;
            }
            const opn_coverage want = count(&j, least);
            expect_coverage(&curve[c], &want);
        }
    }
}

static void inputs_that_cannot_be_ranked_are_refused(void **state)
{
    (void)state;
    scored j = {2, {0.1f, NAN}, {1, 1}};
    opn_coverage out = {.n = 77};
    opn_coverage curve[OPN_N_COVERAGES];
    int is_reached = 77;
    assert_int_equal(
            opn_pick_threshold(ctx, 2, j.measure, j.right, 0.5, &is_reached, &out),
            OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "measure of node 1 is not a number");
    assert_int_equal(opn_risk_coverage(ctx, 2, j.measure, j.right, curve),
                     OPN_ERR_INVALID_ARG);
    j.measure[1] = 0.2f;
    j.right[0] = 2;
    assert_int_equal(
            opn_pick_threshold(ctx, 2, j.measure, j.right, 0.5, &is_reached, &out),
            OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "right of node 0 is 2");
    assert_int_equal(
            opn_pick_threshold(ctx, 0, j.measure, j.right, 0.5, &is_reached, &out),
            OPN_ERR_INVALID_ARG);
    static const double targets[] = {-0.1, 1.1, (double)NAN};
    for (int t = 0; t < 3; t++)
        assert_int_equal(opn_pick_threshold(ctx, 1, j.measure + 1, j.right + 1,
                                            targets[t], &is_reached, &out),
                         OPN_ERR_INVALID_ARG);
    assert_true(out.n == 77 && is_reached == 77);
}

static void intervals_agree_with_fifty_digits(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof(golden_proportions) / sizeof(golden_proportions[0]);
         c++) {
        const golden_proportion *g = &golden_proportions[c];
        double low = 7.0;
        double high = 7.0;
        opn_i_proportion_interval(g->n_right, g->n, &low, &high);
        assert_true(fabs(low - g->low) <= 1e-12);
        assert_true(fabs(high - g->high) <= 1e-12);
    }
}

// ---- a graph -------------------------------------------------------------------------

typedef struct scene {
    opn_graph *graph;
    opn_model *model;
    opn_split *split;
    opn_prediction *said;
} scene;

static scene open_scene(const char *settings)
{
    scene at = {.graph = trial_draw(ctx, "nodes=300 classes=3 features=60 seed=3")};
    uint8_t role[300];
    for (int i = 0; i < 300; i++)
        role[i] = i % 3 == 0   ? OPN_ROLE_TRAIN
                  : i % 3 == 1 ? OPN_ROLE_VALIDATION
                               : OPN_ROLE_TEST;
    assert_int_equal(opn_graph_set_roles(ctx, at.graph, role), OPN_OK);
    at.model = trial_train(ctx, at.graph, settings);
    assert_int_equal(opn_model_split(ctx, at.model, at.graph, &at.split), OPN_OK);
    at.said = opinions_ask(ctx, at.model, at.graph, NULL);
    return at;
}

static void close_scene(scene *at)
{
    opn_prediction_free(at->said);
    opn_split_free(at->split);
    opn_model_free(at->model);
    opn_graph_free(at->graph);
}

static opn_status
decide(const scene *at, const opn_split *split, const char *settings, opn_decisions *out)
{
    opn_params *params = trial_params(ctx, settings);
    const opn_status checked = opn_decide_check(ctx, at->model, at->graph, split, params);
    opn_decisions *made = NULL;
    const opn_status status = opn_prediction_decide(ctx, at->model, at->graph, split,
                                                    params, at->said, &made);
    assert_int_equal(status == OPN_OK, made != NULL);
    if (status == OPN_OK) {
        *out = *made;
        out->thresholds = NULL; // freed with the rest
    }
    opn_decisions_free(made);
    // Whatever can be checked beforehand is.
    assert_true(checked == OPN_OK ? status == OPN_OK || status == OPN_ERR_UNSUPPORTED
                                  : status == checked);
    opn_params_free(params);
    return status;
}

static void the_recommended_measure_is_the_best_that_the_model_has(void **state)
{
    (void)state;
    const struct {
        const char *settings;
        opn_measure want;
    } cases[] = {{"model=s-gcn epochs=1", OPN_MEASURE_DISSONANCE},
                 {"model=gcn epochs=1", OPN_MEASURE_ENTROPY}};
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        scene at = open_scene(cases[c].settings);
        assert_int_equal(opn_decide_recommended(at.model), cases[c].want);
        close_scene(&at);
    }
}

static void a_target_is_picked_on_the_validation_nodes_alone(void **state)
{
    (void)state;
    scene at = open_scene("epochs=60 samples=5");
    opn_decisions d;
    assert_int_equal(decide(&at, at.split, "pick=best-looking target_accuracy=0.9", &d),
                     OPN_OK);
    assert_int_equal(d.measure, OPN_MEASURE_DISSONANCE);
    // The same by hand.
    float measure[300];
    uint8_t right[300];
    int n = 0;
    for (int i = 1; i < 300; i += 3) {
        measure[n] = at.said->measure[OPN_MEASURE_DISSONANCE][i];
        right[n++] = at.said->predicted[i] == opn_graph_labels(at.graph)[i];
    }
    int is_reached = 0;
    opn_coverage want;
    assert_int_equal(opn_pick_threshold(ctx, n, measure, right, 0.9, &is_reached, &want),
                     OPN_OK);
    assert_true(is_reached);
    expect_coverage(&d.picked, &want);
    assert_true(d.picked.n_accepted < n); // or the test would prove nothing
    int n_test = 0;
    int n_right = 0;
    int n_accepted = 0;
    for (int i = 0; i < 300; i++) {
        const bool is_accepted =
                (double)at.said->measure[OPN_MEASURE_DISSONANCE][i] <= want.threshold;
        assert_int_equal(at.said->decision[i],
                         is_accepted ? OPN_DECISION_ACCEPT : OPN_DECISION_MISCLASSIFIED);
        assert_int_equal(at.said->decided_by[i],
                         is_accepted ? -1 : OPN_MEASURE_DISSONANCE);
        n_accepted += is_accepted;
        n_test += i % 3 == 2 && is_accepted;
        n_right += i % 3 == 2 && is_accepted &&
                   at.said->predicted[i] == opn_graph_labels(at.graph)[i];
    }
    assert_int_equal(d.n_decided[OPN_DECISION_ACCEPT], n_accepted);
    assert_int_equal(d.n_test, 100);
    assert_int_equal(d.n_accepted_test, n_test);
    assert_int_equal(d.n_right_test, n_right);
    // Other labels of the test nodes are counted, and change nothing else.
    int32_t label[300];
    for (int i = 0; i < 300; i++)
        label[i] = i % 3 == 2 ? (at.said->predicted[i] + 1) % 3
                              : opn_graph_labels(at.graph)[i];
    opn_decisions other;
    assert_int_equal(opn_graph_set_labels(ctx, at.graph, 3, label), OPN_OK);
    assert_int_equal(
            decide(&at, at.split, "pick=best-looking target_accuracy=0.9", &other),
            OPN_OK);
    expect_coverage(&other.picked, &d.picked);
    assert_int_equal(other.n_right_test, 0);
    close_scene(&at);
}

static void what_thresholds_refuse_is_not_there_to_be_picked(void **state)
{
    (void)state;
    scene at = open_scene("epochs=60 samples=5");
    opn_decisions d;
    char settings[128];
    float most = 0.0f; // a vacuity in the middle
    for (int i = 0; i < 300; i++)
        most += at.said->measure[OPN_MEASURE_VACUITY][i] / 300.0f;
    snprintf(settings, sizeof(settings),
             "pick=best-looking target_accuracy=0.9 abstain_above=vacuity=%.9g",
             (double)most);
    assert_int_equal(decide(&at, at.split, settings, &d), OPN_OK);
    int n_left = 0;
    for (int i = 1; i < 300; i += 3)
        n_left += at.said->measure[OPN_MEASURE_VACUITY][i] <= most;
    assert_int_equal(d.picked.n, n_left);
    assert_true(n_left > 0 && n_left < 100);
    for (int i = 0; i < 300; i++)
        if (at.said->measure[OPN_MEASURE_VACUITY][i] > most)
            assert_true(at.said->decision[i] != OPN_DECISION_ACCEPT);
    assert_int_equal(
            decide(&at, at.split,
                   "pick=best-looking target_accuracy=0.9 abstain_above=vacuity=0", &d),
            OPN_ERR_UNSUPPORTED);
    support_expect_error(ctx, "accepts none of the 100 labelled nodes");
    close_scene(&at);
}

static void what_cannot_be_decided_is_said(void **state)
{
    (void)state;
    scene at = open_scene("epochs=0 samples=1 model=gcn");
    opn_decisions d = {.n_test = 77};
    static const struct {
        const char *settings, *part;
        bool has_split;
        opn_status status;
    } cases[] = {
            {"abstain_above=vacuity=0.5", "gcn has no vacuity", true,
             OPN_ERR_INVALID_ARG},
            {"abstain_above=nothing", "not of the form", true, OPN_ERR_INVALID_ARG},
            {"decide_by=entropy", "needs `target_accuracy`", true, OPN_ERR_INVALID_ARG},
            {"target_accuracy=0.5 decide_by=dissonance", "gcn has no dissonance", true,
             OPN_ERR_INVALID_ARG},
            {"target_accuracy=0.5 abstain_above=entropy=0.5",
             "entropy has a "
             "threshold",
             true, OPN_ERR_INVALID_ARG},
            {"target_accuracy=0.5", "not the graph the model was trained on", false,
             OPN_ERR_SHAPE},
            {"coverage=0.9", "nodes for `coverage`", false, OPN_ERR_SHAPE},
            {"ood_fdr=0.1", "nodes for `ood_fdr`", false, OPN_ERR_SHAPE},
            {"coverage=0", "`coverage` is 0", true, OPN_ERR_INVALID_ARG},
            {"coverage=1", "`coverage` is 1", true, OPN_ERR_INVALID_ARG},
            {"ood_fdr=1", "`ood_fdr` is 1", true, OPN_ERR_INVALID_ARG},
            {"target_accuracy=1", "`target_accuracy` is 1", true, OPN_ERR_INVALID_ARG},
            {"target_accuracy=0.9 confidence=0", "`confidence` is 0", true,
             OPN_ERR_INVALID_ARG},
    };
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        assert_int_equal(
                decide(&at, cases[c].has_split ? at.split : NULL, cases[c].settings, &d),
                cases[c].status);
        support_expect_error(ctx, cases[c].part);
        assert_int_equal(d.n_test, 77);
    }
    // Thresholds need no split, and the model's measure is picked for.
    assert_int_equal(decide(&at, NULL, "abstain_above=entropy=1", &d), OPN_OK);
    assert_int_equal(d.n_decided[OPN_DECISION_ACCEPT], 300);
    assert_int_equal(d.n_test, 0);
    assert_int_equal(decide(&at, at.split, "pick=best-looking target_accuracy=0.2", &d),
                     OPN_OK);
    assert_int_equal(d.measure, OPN_MEASURE_ENTROPY);
    uint8_t before[300];
    memcpy(before, opn_prediction_decision(at.said), sizeof(before));
    // All wrong: nothing can be reached but 0, and what was decided stays.
    for (int i = 0; i < 300; i++)
        at.said->predicted[i] = (opn_graph_labels(at.graph)[i] + 1) % 3;
    assert_int_equal(decide(&at, at.split, "pick=best-looking target_accuracy=0.5", &d),
                     OPN_ERR_UNSUPPORTED);
    support_expect_error(ctx, "accuracy is 0.0000, at a coverage of 1.0000");
    assert_memory_equal(opn_prediction_decision(at.said), before, sizeof(before));
    assert_int_equal(decide(&at, at.split, "decide_by=entropy", &d), OPN_ERR_INVALID_ARG);
    close_scene(&at);
}

static void a_model_without_validation_nodes_has_no_target(void **state)
{
    (void)state;
    scene at = open_scene("epochs=0 samples=1");
    uint8_t role[300];
    opn_split *split = NULL;
    opn_decisions d;
    for (int i = 0; i < 300; i++)
        role[i] = i % 3 == 0 ? OPN_ROLE_TRAIN : OPN_ROLE_TEST;
    assert_int_equal(opn_graph_set_roles(ctx, at.graph, role), OPN_OK);
    assert_int_equal(opn_split_create(ctx, at.graph, OPN_SPLIT_GIVEN, 0, NULL, 0, &split),
                     OPN_OK);
    assert_int_equal(decide(&at, split, "target_accuracy=0.5", &d), OPN_ERR_SHAPE);
    support_expect_error(ctx, "without calibration or validation nodes");
    opn_split_free(split);
    close_scene(&at);
}

static void the_recommended_measure_is_one_that_the_model_has(void **state)
{
    (void)state;
    scene evidential = open_scene("epochs=2 samples=2");
    scene plain = open_scene("model=gcn epochs=2");
    assert_int_equal(opn_decide_recommended(evidential.model), OPN_MEASURE_DISSONANCE);
    assert_int_equal(opn_decide_recommended(plain.model), OPN_MEASURE_ENTROPY);
    assert_int_equal(opn_decide_recommended(NULL), OPN_MEASURE_ENTROPY);
    close_scene(&evidential);
    close_scene(&plain);
}

static void decisions_are_the_last_columns(void **state)
{
    (void)state;
    scene at = open_scene("epochs=0 samples=1");
    stage *s = support_open_stage("out.csv");
    char path[SUPPORT_PATH];
    opn_decisions d;
    assert_int_equal(decide(&at, NULL, "abstain_above=vacuity=0,dissonance=0", &d),
                     OPN_OK);
    at.said->decision[1] = OPN_DECISION_ACCEPT;
    at.said->decided_by[1] = -1;
    at.said->decision[2] = OPN_DECISION_MISCLASSIFIED;
    at.said->decided_by[2] = OPN_MEASURE_DISSONANCE;
    assert_int_equal(opn_prediction_save(ctx, at.model, at.graph, NULL, at.said, s->path),
                     OPN_OK);
    char *csv = support_read_file(s->path, NULL);
    static const char *const ends[] = {",predicted,decision,decided_by",
                                       ",abstain (little evidence),vacuity", ",accept,",
                                       ",abstain (conflict),dissonance"};
    char *line = csv;
    for (int l = 0; l < 4; l++) {
        char *end = strchr(line, '\n');
        assert_non_null(end);
        *end = 0;
        const size_t n = strlen(ends[l]);
        assert_true((size_t)(end - line) > n);
        assert_string_equal(end - n, ends[l]);
        line = end + 1;
    }
    free(csv);
    assert_int_equal(opn_prediction_save(ctx, at.model, at.graph, NULL, at.said,
                                         support_path(path, s->folder, "out.json")),
                     OPN_OK);
    char *json = support_read_file(path, NULL);
    assert_non_null(strstr(
            json,
            "\"decision\":\"abstain (little evidence)\",\"decided_by\":\"vacuity\""));
    assert_non_null(strstr(json, "\"decision\":\"accept\",\"decided_by\":null"));
    free(json);
    support_close_stage(s);
    close_scene(&at);
}

static opn_status decide_and_save(scene *at, const opn_params *params, const char *path)
{
    opn_status status = OPN_OK;
    opn_decisions *d = NULL;
    OPN_TRY(opn_prediction_decide(ctx, at->model, at->graph, at->split, params, at->said,
                                  &d));
    OPN_TRY(opn_prediction_save(ctx, at->model, at->graph, at->split, at->said, path));
cleanup:
    opn_decisions_free(d);
    return status;
}

static void every_allocation_failure_is_reported(void **state)
{
    (void)state;
    static const char *const forms[] = {"out.csv", "out.npz", "out.json"};
    scene at = open_scene("epochs=0 samples=1");
    stage *s = support_open_stage("unused");
    opn_params *params =
            trial_params(ctx, "target_accuracy=0.1 coverage=0.5 ood_fdr=0.5");
    meter *m = ctx->alloc.user;
    // Of decisions that are there already none are left over.
    assert_int_equal(decide_and_save(&at, params, s->path), OPN_OK);
    for (int f = 0; f < 3; f++) {
        char path[SUPPORT_PATH];
        int n_refused = 0;
        support_path(path, s->folder, forms[f]);
        for (long fail_at = 1;; fail_at++) {
            const long n_live = m->n_live;
            m->fail_at = m->n_requests + fail_at;
            const opn_status status = decide_and_save(&at, params, path);
            m->fail_at = 0;
            assert_int_equal(m->n_live, n_live);
            if (status == OPN_OK)
                break;
            assert_int_equal(status, OPN_ERR_NOMEM);
            n_refused++;
        }
        assert_true(n_refused > 4);
    }
    opn_params_free(params);
    support_close_stage(s);
    close_scene(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(thresholds_are_read_by_name),
            WITH_CTX(thresholds_that_are_none_are_refused_by_name),
            WITH_CTX(the_measure_that_exceeds_most_decides),
            WITH_CTX(every_measure_but_lack_of_evidence_says_misclassified),
            WITH_CTX(a_threshold_survives_nine_digits),
            WITH_CTX(measures_that_are_not_there_are_refused),
            WITH_CTX(decisions_have_names),
            WITH_CTX(the_pick_is_the_best_of_all_thresholds),
            WITH_CTX(the_order_of_the_nodes_does_not_matter),
            WITH_CTX(nodes_of_one_value_are_accepted_together),
            WITH_CTX(a_target_is_reached_to_the_last_digit),
            WITH_CTX(all_wrong_and_all_right_are_picked_too),
            WITH_CTX(the_curve_has_the_least_threshold_of_each_coverage),
            WITH_CTX(inputs_that_cannot_be_ranked_are_refused),
            WITH_CTX(intervals_agree_with_fifty_digits),
            WITH_CTX(the_recommended_measure_is_the_best_that_the_model_has),
            WITH_CTX(a_target_is_picked_on_the_validation_nodes_alone),
            WITH_CTX(what_thresholds_refuse_is_not_there_to_be_picked),
            WITH_CTX(what_cannot_be_decided_is_said),
            WITH_CTX(a_model_without_validation_nodes_has_no_target),
            WITH_CTX(the_recommended_measure_is_one_that_the_model_has),
            WITH_CTX(decisions_are_the_last_columns),
            WITH_CTX(every_allocation_failure_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
