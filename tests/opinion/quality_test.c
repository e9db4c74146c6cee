// quality_test.c -- how good the probabilities of some nodes are: the metrics of just
// those nodes that have a class.

#include "opine/calibrate.h"
#include "opinion/quality.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <math.h>
#include <string.h>

static opn_ctx *ctx;

enum { N = 200, K = 4 };

// Nodes of which some have no class, and probabilities that favour the right one.
typedef struct drawn {
    int32_t target[N], predicted[N];
    float probability[N * K];
    int32_t n; // that have a class
    int32_t label[N];
    float scored[N * K];
    int32_t n_right;
} drawn;

static void draw(drawn *d)
{
    uint64_t state = 5;
    *d = (drawn){.n = 0};
    for (int32_t i = 0; i < N; i++) {
        float *p = d->probability + (size_t)i * K;
        float sum = 0.0F;
        d->target[i] = (int32_t)below(&state, K + 1) - 1;
        for (int32_t k = 0; k < K; k++) {
            p[k] = (float)below(&state, 1000) + (k == d->target[i] ? 400.0F : 1.0F);
            sum += p[k];
        }
        for (int32_t k = 0; k < K; k++) {
            p[k] /= sum;
            d->predicted[i] = p[k] > p[d->predicted[i]] ? k : d->predicted[i];
        }
        if (d->target[i] < 0)
            continue;
        memcpy(d->scored + (size_t)d->n * K, p, K * sizeof(*p));
        d->label[d->n++] = d->target[i];
        d->n_right += d->predicted[i] == d->target[i];
    }
    assert_true(d->n > 100 && d->n < N && d->n_right > 20 && d->n_right < d->n);
}

static void only_nodes_that_have_a_class_are_scored(void **state)
{
    (void)state;
    static drawn d;
    opn_i_scored scored = {0};
    draw(&d);
    assert_int_equal(opn_i_scored_init(ctx, N, K, d.target, d.probability, &scored),
                     OPN_OK);
    assert_int_equal(scored.n, d.n);
    assert_int_equal(scored.n_classes, K);
    assert_memory_equal(scored.label, d.label, (size_t)d.n * sizeof(*d.label));
    assert_memory_equal(scored.probability, d.scored, (size_t)d.n * K * sizeof(float));
    opn_i_scored_deinit(&ctx->alloc, &scored);
    assert_null(scored.probability);
}

static void qualities_are_the_metrics_of_those_nodes(void **state)
{
    (void)state;
    static drawn d;
    double got[OPN_N_QUALITIES];
    double want[OPN_N_QUALITIES];
    draw(&d);
    want[OPN_QUALITY_ACCURACY] = 100.0 * d.n_right / d.n;
    assert_int_equal(opn_metric_brier(ctx, d.n, K, opn_f32(d.scored), d.label,
                                      &want[OPN_QUALITY_BRIER]),
                     OPN_OK);
    assert_int_equal(opn_metric_nll(ctx, d.n, K, opn_f32(d.scored), d.label,
                                    &want[OPN_QUALITY_NLL]),
                     OPN_OK);
    assert_int_equal(opn_metric_calibration_error(ctx, d.n, K, opn_f32(d.scored), d.label,
                                                  15, &want[OPN_QUALITY_ECE]),
                     OPN_OK);
    want[OPN_QUALITY_ECE] *= 100.0;
    opn_probability_quality by_rank;
    assert_int_equal(opn_probability_measure(ctx, d.n, K, opn_f32(d.scored), d.label, 15,
                                             &by_rank),
                     OPN_OK);
    want[OPN_QUALITY_ADAPTIVE_ECE] = 100.0 * by_rank.adaptive_ece;
    for (int q = OPN_QUALITY_CALIBRATED_BRIER; q < OPN_N_QUALITIES; q++)
        want[q] = want[q - OPN_QUALITY_CALIBRATED_BRIER + OPN_QUALITY_BRIER];
    assert_int_equal(opn_i_quality(ctx, N, K, d.target, d.predicted, d.probability,
                                   d.probability, got),
                     OPN_OK);
    for (int q = 0; q < OPN_N_QUALITIES; q++)
        if (got[q] != want[q])
            fail_msg("%s: %g is not %g", opn_quality_name((opn_quality)q), got[q],
                     want[q]);
}

// The predicted class may differ from the most probable one where two are equal.
static void a_node_is_right_by_what_was_predicted(void **state)
{
    (void)state;
    const int32_t target[2] = {1, 1};
    const float probability[4] = {0.5F, 0.5F, 0.5F, 0.5F};
    for (int32_t n_right = 0; n_right <= 2; n_right++) {
        const int32_t predicted[2] = {n_right > 0, n_right > 1};
        double quality[OPN_N_QUALITIES];
        assert_int_equal(
                opn_i_quality(ctx, 2, 2, target, predicted, probability, NULL, quality),
                OPN_OK);
        assert_true(quality[OPN_QUALITY_ACCURACY] == 50.0 * n_right);
        assert_true(quality[OPN_QUALITY_ADAPTIVE_ECE] == 50.0);
        for (int q = OPN_QUALITY_CALIBRATED_BRIER; q < OPN_N_QUALITIES; q++)
            assert_true(isnan(quality[q]));
    }
}

static void of_no_node_there_is_no_quality(void **state)
{
    (void)state;
    const int32_t target[2] = {-1, -1};
    const int32_t predicted[2] = {0, 1};
    const float probability[4] = {0.5F, 0.5F, 0.5F, 0.5F};
    double quality[OPN_N_QUALITIES] = {0};
    assert_int_equal(
            opn_i_quality(ctx, 2, 2, target, predicted, probability, NULL, quality),
            OPN_OK);
    for (int q = 0; q < OPN_N_QUALITIES; q++)
        assert_true(isnan(quality[q]));
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static drawn d;
    bool is_reached = true;
    draw(&d);
    for (long k = 1; is_reached; k++) {
        meter m = {0};
        double quality[OPN_N_QUALITIES];
        opn_ctx *one = support_ctx(&m);
        m.fail_at = m.n_requests + k;
        const opn_status status = opn_i_quality(one, N, K, d.target, d.predicted,
                                                d.probability, d.probability, quality);
        is_reached = m.n_requests >= m.fail_at;
        assert_int_equal(status, is_reached ? OPN_ERR_NOMEM : OPN_OK);
        assert_true(is_reached || k > 2);
        support_ctx_free(one, &m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(only_nodes_that_have_a_class_are_scored),
            WITH_CTX(qualities_are_the_metrics_of_those_nodes),
            WITH_CTX(a_node_is_right_by_what_was_predicted),
            WITH_CTX(of_no_node_there_is_no_quality),
            WITH_CTX(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("quality", tests, NULL, NULL);
}
