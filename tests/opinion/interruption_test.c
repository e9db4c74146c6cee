// interruption_test.c -- what works on large arrays stops when it is asked to.

#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <math.h>

static opn_ctx *ctx;

enum { N = 200000, K = 3 };

static double p[N * K], room[N * K], score[N], risk[N];
static float measure[N];
static uint8_t flag[N], member[N * K];
static int32_t label[N];

static void fill(void)
{
    for (int32_t i = 0; i < N; i++) {
        score[i] = fmod(i * 0.6180339887, 1.0);
        measure[i] = (float)score[i];
        flag[i] = (uint8_t)(i % 2);
        label[i] = i % K;
        for (int32_t k = 0; k < K; k++)
            p[i * K + k] = k == i % K ? 0.5 + 0.25 * score[i] : 0.25 - 0.125 * score[i];
    }
}

// ---- the calls -----------------------------------------------------------------------

static opn_status auroc(void)
{
    double out;
    return opn_metric_auroc(ctx, N, flag, opn_f64(score), &out);
}

static opn_status precision(void)
{
    double out;
    return opn_metric_average_precision(ctx, N, flag, opn_f32(measure), &out);
}

static opn_status fpr(void)
{
    double out;
    return opn_metric_fpr_at_tpr(ctx, N, flag, opn_f64(score), 0.95, &out);
}

static opn_status area(void)
{
    double out;
    return opn_metric_risk_coverage(ctx, N, flag, opn_f64(score), risk, &out);
}

static opn_status brier(void)
{
    double out;
    return opn_metric_brier(ctx, N, K, opn_f64(p), label, &out);
}

static opn_status nll(void)
{
    double out;
    return opn_metric_nll(ctx, N, K, opn_f64(p), label, &out);
}

static opn_status quality(void)
{
    opn_probability_quality out;
    return opn_probability_measure(ctx, N, K, opn_f64(p), label, 15, &out);
}

static opn_status fit(void)
{
    opn_calibrator out;
    return opn_calibrator_fit(ctx, OPN_CALIBRATION_TEMPERATURE, N, K, opn_f64(p),
                              opn_f64(NULL), label, &out);
}

static opn_status apply(void)
{
    const opn_calibrator how = {.kind = OPN_CALIBRATION_TEMPERATURE, .n = 100, .a = 0.5};
    return opn_calibrator_apply(ctx, &how, N, K, opn_f64(p), opn_f64(NULL),
                                opn_into_f64(room));
}

static opn_status control(void)
{
    opn_control out;
    return opn_control_accuracy(ctx, N, opn_f64(score), flag, N, opn_f64(score), 0.4, 0.9,
                                &out);
}

static opn_status pick(void)
{
    int is_reached;
    opn_coverage out;
    return opn_pick_threshold(ctx, N, measure, flag, 0.4, &is_reached, &out);
}

static opn_status set_score(void)
{
    const opn_set_options options = {.kind = OPN_SET_APS};
    return opn_set_score(ctx, &options, N, K, opn_f64(p), opn_into_f64(room));
}

static opn_status set_calibrate(void)
{
    double threshold[K];
    return opn_set_calibrate(ctx, N, K, opn_f64(p), label, 0.9, 0, threshold);
}

static opn_status set_members(void)
{
    const double threshold[K] = {0.5, 0.5, 0.5};
    return opn_set_members(ctx, N, K, opn_f64(p), threshold, member);
}

static opn_status p_values(void)
{
    return opn_conformal_p_values(ctx, N, opn_f64(score), N, opn_f64(score), room);
}

static opn_status discover(void)
{
    double threshold;
    int32_t n_found;
    return opn_discover(ctx, N, score, 0.1, flag, &threshold, &n_found);
}

static opn_status opinion(void)
{
    const opn_number_room none = {NULL, NULL};
    const opn_number_room rooms[] = {opn_into_f64(risk)};
    return opn_opinion_from(ctx, OPN_OPINION_SOFTMAX, 1, N, K, opn_f64(p), 1, rooms, none,
                            opn_into_f64(room));
}

static opn_status (*const calls[])(void) = {
        auroc,         precision,   fpr,      area,     brier,  nll,
        quality,       fit,         apply,    control,  pick,   set_score,
        set_calibrate, set_members, p_values, discover, opinion};
#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

// ---- tests ---------------------------------------------------------------------------

static opn_status call_with(opn_status (*call)(void), int n_questions)
{
    int left = n_questions;
    const opn_hooks hooks = {.size = sizeof(hooks),
                             .interrupted = support_stop_after_calls,
                             .user = &left};
    fill();
    assert_int_equal(opn_ctx_set_hooks(ctx, &hooks), OPN_OK);
    return call();
}

static void every_call_about_many_nodes_can_be_interrupted(void **state)
{
    (void)state;
    for (size_t c = 0; c < N_OF(calls); c++) {
        assert_int_equal(call_with(calls[c], 0), OPN_ERR_INTERRUPTED);
        assert_int_equal(call_with(calls[c], 1), OPN_ERR_INTERRUPTED);
        assert_int_equal(call_with(calls[c], 1000000), OPN_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(every_call_about_many_nodes_can_be_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
