// detection_test.c -- detection over many draws, against the public metrics of each draw.

#include "opinion/detection.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <math.h>
#include <string.h>

static opn_ctx *ctx;

enum { N_POOL = 60, N_DRAWS = 7, N_DRAWN = 25 };

typedef struct scene {
    uint8_t positive[N_POOL], wrong[N_POOL];
    float score[N_POOL];
    int32_t draw[N_DRAWS * N_DRAWN];
    opn_i_pool pool; // points to the above, so that a scene is never copied
} scene;

// Few different scores, so that many tie.
static void draw_scene(uint64_t *random, uint32_t n_scores, bool ranks_by_more, scene *at)
{
    for (int i = 0; i < N_POOL; i++) {
        at->positive[i] = below(random, 3) == 0;
        at->wrong[i] = below(random, 4) == 0;
        at->score[i] = (float)below(random, n_scores) / 8.0f - 1.0f;
    }
    for (int d = 0; d < N_DRAWS; d++) {
        int32_t order[N_POOL];
        for (int i = 0; i < N_POOL; i++)
            order[i] = i;
        for (int j = 0; j < N_DRAWN; j++) {
            const int other = j + (int)below(random, (uint32_t)(N_POOL - j));
            at->draw[d * N_DRAWN + j] = order[other];
            order[other] = order[j];
        }
    }
    at->pool = (opn_i_pool){.n = N_POOL,
                            .positive = at->positive,
                            .wrong = at->wrong,
                            .ranks_by_more = ranks_by_more,
                            .n_draws = N_DRAWS,
                            .n_drawn = N_DRAWN,
                            .draw = at->draw};
}

// The metrics of draw d, as the public functions have them.
static void expect_of_draw(const scene *at, int d, double metric[OPN_N_METRICS])
{
    uint8_t positive[N_DRAWN];
    uint8_t other[N_DRAWN];
    uint8_t wrong[N_DRAWN];
    float score[N_DRAWN];    // more of it: positive
    float opposite[N_DRAWN]; // more of it: another node
    float uncertainty[N_DRAWN];
    for (int j = 0; j < N_DRAWN; j++) {
        const int32_t i = at->draw[d * N_DRAWN + j];
        positive[j] = at->positive[i];
        other[j] = !at->positive[i];
        wrong[j] = at->wrong[i];
        uncertainty[j] = at->score[i];
        score[j] = at->pool.ranks_by_more ? at->score[i] : -at->score[i];
        opposite[j] = -score[j];
    }
    assert_int_equal(opn_metric_auroc(ctx, N_DRAWN, positive, opn_f32(score),
                                      &metric[OPN_METRIC_AUROC]),
                     OPN_OK);
    assert_int_equal(opn_metric_average_precision(ctx, N_DRAWN, positive, opn_f32(score),
                                                  &metric[OPN_METRIC_AUPR]),
                     OPN_OK);
    assert_int_equal(opn_metric_average_precision(ctx, N_DRAWN, other, opn_f32(opposite),
                                                  &metric[OPN_METRIC_AUPR_ERRORS]),
                     OPN_OK);
    assert_int_equal(opn_metric_fpr_at_tpr(ctx, N_DRAWN, positive, opn_f32(score), 0.95,
                                           &metric[OPN_METRIC_FPR95]),
                     OPN_OK);
    assert_int_equal(opn_metric_risk_coverage(ctx, N_DRAWN, wrong, opn_f32(uncertainty),
                                              NULL, &metric[OPN_METRIC_AURC]),
                     OPN_OK);
    assert_int_equal(opn_metric_fpr_at_tpr(ctx, N_DRAWN, other, opn_f32(opposite), 0.95,
                                           &metric[OPN_METRIC_FPR95_ERRORS]),
                     OPN_OK);
}

static bool is_same(double got, double want)
{
    return isnan(want) ? isnan(got) : fabs(got - want) < 1e-14;
}

// Means over the draws that have the metric.
static void expect_means(const scene *at)
{
    double got[OPN_N_METRICS];
    double sum[OPN_N_METRICS] = {0};
    int n[OPN_N_METRICS] = {0};
    assert_int_equal(opn_i_detect(ctx, &at->pool, at->score, got), OPN_OK);
    for (int d = 0; d < at->pool.n_draws; d++) {
        double one[OPN_N_METRICS];
        expect_of_draw(at, d, one);
        for (int m = 0; m < OPN_N_METRICS; m++) {
            sum[m] += isnan(one[m]) ? 0.0 : one[m];
            n[m] += !isnan(one[m]);
        }
    }
    for (int m = 0; m < OPN_N_METRICS; m++)
        if (!is_same(got[m], sum[m] / n[m]))
            fail_msg("%s: %.17g, should be %.17g", opn_metric_name((opn_metric)m), got[m],
                     sum[m] / n[m]);
}

static void every_metric_is_the_mean_of_the_public_one_over_the_draws(void **state)
{
    (void)state;
    static const uint32_t n_scores[] = {1, 2, 5, 20, 1000000};
    uint64_t random = 1;
    for (int c = 0; c < 100; c++) {
        scene at;
        draw_scene(&random, n_scores[c % 5], c / 5 % 2 == 0, &at);
        expect_means(&at);
    }
}

static void a_pool_drawn_as_a_whole_gives_its_own_metrics_whatever_the_order(void **state)
{
    (void)state;
    uint64_t random = 2;
    scene at;
    double got[OPN_N_METRICS];
    double backwards[OPN_N_METRICS];
    int32_t whole[N_POOL];
    draw_scene(&random, 9, true, &at);
    at.pool.n_draws = 1;
    at.pool.n_drawn = N_POOL;
    at.pool.draw = whole;
    for (int i = 0; i < N_POOL; i++)
        whole[i] = i;
    assert_int_equal(opn_i_detect(ctx, &at.pool, at.score, got), OPN_OK);
    for (int i = 0; i < N_POOL; i++)
        whole[i] = N_POOL - 1 - i;
    assert_int_equal(opn_i_detect(ctx, &at.pool, at.score, backwards), OPN_OK);
    assert_memory_equal(got, backwards, sizeof(got));
    double want = 0.0;
    assert_int_equal(opn_metric_auroc(ctx, N_POOL, at.positive, opn_f32(at.score), &want),
                     OPN_OK);
    assert_true(got[OPN_METRIC_AUROC] == want);
}

static void draws_of_one_kind_are_left_out_where_they_have_no_metric(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        uint64_t random = 3;
        scene at;
        draw_scene(&random, 20, true, &at);
        for (int j = 0; j < 3 * N_DRAWN; j++) // of the first three draws
            at.positive[at.draw[j]] = (uint8_t)kind;
        expect_means(&at);
        double one[OPN_N_METRICS];
        expect_of_draw(&at, 0, one);
        assert_true(isnan(one[OPN_METRIC_AUROC]) && isnan(one[OPN_METRIC_FPR95]));
        assert_true(one[OPN_METRIC_AUPR] == (double)kind);
    }
}

static void a_pool_of_one_kind_has_no_auroc_but_a_risk(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        uint64_t random = 4;
        scene at;
        double got[OPN_N_METRICS];
        draw_scene(&random, 20, false, &at);
        memset(at.positive, kind, sizeof(at.positive));
        assert_int_equal(opn_i_detect(ctx, &at.pool, at.score, got), OPN_OK);
        assert_true(isnan(got[OPN_METRIC_AUROC]) && isnan(got[OPN_METRIC_FPR95]));
        assert_true(got[OPN_METRIC_AUPR] == (double)kind);
        assert_true(got[OPN_METRIC_AUPR_ERRORS] == 1.0 - kind);
        assert_true(got[OPN_METRIC_AURC] > 0.0 && got[OPN_METRIC_AURC] < 1.0);
    }
}

static void a_score_that_tells_all_is_perfect_in_its_direction(void **state)
{
    (void)state;
    for (int by_more = 0; by_more < 2; by_more++) {
        uint64_t random = 5;
        scene at;
        double got[OPN_N_METRICS];
        draw_scene(&random, 20, by_more == 1, &at);
        for (int i = 0; i < N_POOL; i++) {
            const bool is_high = at.positive[i] == by_more;
            at.score[i] = is_high ? INFINITY : -INFINITY;
        }
        assert_int_equal(opn_i_detect(ctx, &at.pool, at.score, got), OPN_OK);
        assert_true(got[OPN_METRIC_AUROC] == 1.0 && got[OPN_METRIC_AUPR] == 1.0);
        assert_true(got[OPN_METRIC_AUPR_ERRORS] == 1.0 && got[OPN_METRIC_FPR95] == 0.0);
        assert_true(got[OPN_METRIC_FPR95_ERRORS] == 0.0);
    }
}

static void one_node_is_enough(void **state)
{
    (void)state;
    uint64_t random = 6;
    scene at;
    double got[OPN_N_METRICS];
    draw_scene(&random, 20, true, &at);
    at.pool.n_draws = at.pool.n_drawn = 1;
    assert_int_equal(opn_i_detect(ctx, &at.pool, at.score, got), OPN_OK);
    assert_true(isnan(got[OPN_METRIC_AUROC]));
    assert_true(got[OPN_METRIC_AURC] == (double)at.wrong[at.draw[0]]);
}

static void every_allocation_failure_is_reported(void **state)
{
    (void)state;
    uint64_t random = 7;
    scene at;
    opn_status status = OPN_ERR_NOMEM;
    draw_scene(&random, 20, true, &at);
    for (long fail_at = 1; status != OPN_OK; fail_at++) {
        meter m = {0};
        opn_ctx *own = support_ctx(&m);
        double got[OPN_N_METRICS];
        m.n_requests = 0;
        m.fail_at = fail_at;
        status = opn_i_detect(own, &at.pool, at.score, got);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
        assert_true(status != OPN_OK || fail_at > 4);
        support_ctx_free(own, &m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(every_metric_is_the_mean_of_the_public_one_over_the_draws),
            WITH_CTX(a_pool_drawn_as_a_whole_gives_its_own_metrics_whatever_the_order),
            WITH_CTX(draws_of_one_kind_are_left_out_where_they_have_no_metric),
            WITH_CTX(a_pool_of_one_kind_has_no_auroc_but_a_risk),
            WITH_CTX(a_score_that_tells_all_is_perfect_in_its_direction),
            WITH_CTX(one_node_is_enough),
            WITH_CTX(every_allocation_failure_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
