// number_array_test.c -- arrays that are not there.

#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <stdio.h>

static opn_ctx *ctx;

// The status of a call that lacks the array of this name.
static void expect_refused(opn_status status, const char *name)
{
    char message[64];
    assert_int_equal(status, OPN_ERR_INVALID_ARG);
    snprintf(message, sizeof(message), "argument %s is NULL", name);
    support_expect_error(ctx, message);
}

static const opn_numbers none;
static const opn_number_room nowhere;
static const float two[4] = {0.25f, 0.75f, 0.5f, 0.5f};
static const uint8_t flag[2] = {0, 1};
static const int32_t label[2] = {0, 1};

static void metrics_refuse_numbers_that_are_not_there(void **state)
{
    (void)state;
    double out = 7.0;
    opn_probability_quality quality;
    expect_refused(opn_metric_auroc(ctx, 2, flag, none, &out), "score");
    expect_refused(opn_metric_average_precision(ctx, 2, flag, none, &out), "score");
    expect_refused(opn_metric_fpr_at_tpr(ctx, 2, flag, none, 0.8, &out), "score");
    expect_refused(opn_metric_risk_coverage(ctx, 2, flag, none, NULL, &out),
                   "uncertainty");
    expect_refused(opn_metric_brier(ctx, 2, 2, none, label, &out), "probability");
    expect_refused(opn_metric_nll(ctx, 2, 2, none, label, &out), "probability");
    expect_refused(opn_metric_calibration_error(ctx, 2, 2, none, label, 5, &out),
                   "probability");
    expect_refused(opn_probability_measure(ctx, 2, 2, none, label, 5, &quality), "p");
    assert_true(out == 7.0);
}

static void decisions_refuse_numbers_that_are_not_there(void **state)
{
    (void)state;
    const opn_numbers some = opn_f32(two);
    const opn_set_options options = {.kind = OPN_SET_LAC};
    double p_value[2];
    double threshold[2];
    float score[4];
    uint8_t member[4];
    opn_control control;
    expect_refused(opn_control_accuracy(ctx, 2, none, flag, 2, some, 0.9, 0.9, &control),
                   "score");
    expect_refused(opn_control_accuracy(ctx, 2, some, flag, 2, none, 0.9, 0.9, &control),
                   "candidate");
    expect_refused(opn_conformal_p_values(ctx, 2, none, 2, some, p_value), "calibration");
    expect_refused(opn_conformal_p_values(ctx, 2, some, 2, none, p_value), "score");
    expect_refused(opn_set_score(ctx, &options, 2, 2, none, opn_into_f32(score)), "p");
    expect_refused(opn_set_score(ctx, &options, 2, 2, some, nowhere), "score");
    expect_refused(opn_set_calibrate(ctx, 2, 2, none, label, 0.9, 0, threshold), "score");
    expect_refused(opn_set_members(ctx, 2, 2, none, threshold, member), "score");
}

static void calibration_and_opinions_refuse_numbers_that_are_not_there(void **state)
{
    (void)state;
    const opn_numbers some = opn_f32(two);
    opn_calibrator calibrator = {.kind = OPN_CALIBRATION_TEMPERATURE};
    float calibrated[4];
    expect_refused(opn_calibrator_fit(ctx, OPN_CALIBRATION_TEMPERATURE, 2, 2, none, none,
                                      label, &calibrator),
                   "p");
    expect_refused(opn_calibrator_apply(ctx, &calibrator, 2, 2, none, none,
                                        opn_into_f32(calibrated)),
                   "p");
    expect_refused(opn_calibrator_apply(ctx, &calibrator, 2, 2, some, none, nowhere),
                   "calibrated");
    expect_refused(opn_opinion_from(ctx, OPN_OPINION_ALPHA, 1, 2, 2, none, 0, NULL,
                                    nowhere, nowhere),
                   "x");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(metrics_refuse_numbers_that_are_not_there),
            WITH_CTX(decisions_refuse_numbers_that_are_not_there),
            WITH_CTX(calibration_and_opinions_refuse_numbers_that_are_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
