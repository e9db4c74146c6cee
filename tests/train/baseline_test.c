// baseline_test.c -- logistic regression against scikit-learn, and its gradient.

#include "golden/baseline_golden.h"
#include "math/lbfgs.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "train/baseline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

enum { N_GOLDEN = sizeof(golden_baselines) / sizeof(golden_baselines[0]) };

typedef struct sample {
    int32_t n_classes;
    opn_i_features features;
    int32_t *train; // [V]
    int32_t *check; // [V]
} sample;

// Draws a case of the golden file.
static sample draw_sample(const golden_baseline *g)
{
    sample s = {.n_classes = g->n_classes};
    uint64_t rng = g->seed;
    const size_t room = (size_t)g->n * (size_t)g->n_features;
    int32_t *row = malloc(room * sizeof(*row));
    int32_t *col = malloc(room * sizeof(*col));
    opn_real *value = malloc(room * sizeof(*value));
    s.train = malloc((size_t)g->n * sizeof(*s.train));
    s.check = malloc((size_t)g->n * sizeof(*s.check));
    opn_off n = 0;
    for (int32_t i = 0; i < g->n; i++) {
        const int32_t label = (int32_t)below(&rng, (uint32_t)g->n_classes);
        const bool trains = below(&rng, 3) > 0;
        s.train[i] = trains ? label : -1;
        s.check[i] = trains ? -1 : label;
        for (int32_t f = 0; f < g->n_features; f++) {
            if (below(&rng, 3) > 0)
                continue;
            const int32_t lift = f % g->n_classes == label ? g->lift : 0;
            row[n] = i;
            col[n] = f;
            value[n++] = (opn_real)((int32_t)below(&rng, 9) - 4 + lift) / 8;
        }
    }
    assert_int_equal(opn_i_csr_from_triples(ctx, g->n, g->n_features, n, row, col, value,
                                            &s.features.lists),
                     OPN_OK);
    free(row);
    free(col);
    free(value);
    return s;
}

static void release(sample *s)
{
    opn_i_features_deinit(&ctx->alloc, &s->features);
    free(s->train);
    free(s->check);
}

static opn_status score(const sample *s, opn_i_baseline_score *out)
{
    return opn_i_baseline(ctx, &s->features, s->n_classes, s->train, s->check, out);
}

static void scores_are_those_of_scikit_learn(void **state)
{
    (void)state;
    for (int c = 0; c < N_GOLDEN; c++) {
        const golden_baseline *g = &golden_baselines[c];
        sample s = draw_sample(g);
        opn_i_baseline_score got;
        assert_int_equal(score(&s, &got), OPN_OK);
        assert_true(fabs(got.majority - g->majority) < 1e-12);
        assert_true(fabs(got.accuracy - g->accuracy) < 1e-12);
        assert_true(fabs(got.nll - g->nll) < 1e-4);
        release(&s);
    }
}

static double loss_at(const opn_i_logistic *l, double *w, size_t c, double by)
{
    double d_w[256];
    const double kept = w[c];
    w[c] += by;
    const double loss = opn_i_logistic_loss(l, w, d_w);
    w[c] = kept;
    return loss;
}

static void the_gradient_is_that_of_differences(void **state)
{
    (void)state;
    for (int32_t n_classes = 2; n_classes <= 4; n_classes++) {
        const golden_baseline g = {
                .seed = 71, .n = 40, .n_features = 9, .n_classes = n_classes, .lift = 2};
        sample s = draw_sample(&g);
        double logit[4];
        double w[40];
        double d_w[40];
        const opn_i_logistic l = {.features = &s.features,
                                  .n_classes = n_classes,
                                  .target = s.train,
                                  .logit = logit};
        const size_t n = (size_t)(g.n_features + 1) * (size_t)n_classes;
        uint64_t rng = 72;
        for (size_t c = 0; c < n; c++)
            w[c] = (double)below(&rng, 1000) / 500 - 1;
        (void)opn_i_logistic_loss(&l, w, d_w);
        for (size_t c = 0; c < n; c++) {
            const double h = 1e-5;
            const double slope = (loss_at(&l, w, c, h) - loss_at(&l, w, c, -h)) / (2 * h);
            assert_true(fabs(slope - d_w[c]) < 1e-6 * fmax(1, fabs(slope)));
        }
        release(&s);
    }
}

// Four nodes without features: what is learnt is the intercept, the share of each class.
static void without_features_the_shares_of_the_classes_are_learnt(void **state)
{
    (void)state;
    opn_off row_ptr[7] = {0};
    const opn_i_features none = {.lists = {.n_rows = 6, .row_ptr = row_ptr}};
    const int32_t train[] = {2, 0, 2, 2, -1, -1};
    const int32_t check[] = {-1, -1, -1, -1, 0, 2};
    opn_i_baseline_score got;
    assert_int_equal(opn_i_baseline(ctx, &none, 3, train, check, &got), OPN_OK);
    assert_true(got.majority == 0.5 && got.accuracy == 0.5);
    assert_true(fabs(got.nll + (log(0.25) + log(0.75)) / 2) < 1e-4);
}

static void a_class_that_never_trained_is_never_predicted(void **state)
{
    (void)state;
    sample s = draw_sample(&golden_baselines[4]);
    sample wider = s;
    opn_i_baseline_score want;
    opn_i_baseline_score got;
    assert_int_equal(score(&s, &want), OPN_OK);
    wider.n_classes += 3;
    assert_int_equal(score(&wider, &got), OPN_OK);
    assert_memory_equal(&got, &want, sizeof(got));
    for (int32_t i = 0; i < s.features.n_rows; i++)
        if (s.check[i] >= 0) {
            s.check[i] = wider.n_classes - 1;
            break;
        }
    assert_int_equal(score(&wider, &got), OPN_OK);
    assert_true(isinf(got.nll) && got.nll > 0);
    assert_true(got.accuracy <= want.accuracy);
    release(&s);
}

static void one_class_is_always_right_about_itself(void **state)
{
    (void)state;
    sample s = draw_sample(&golden_baselines[3]);
    for (int32_t i = 0; i < s.features.n_rows; i++) {
        s.train[i] = s.train[i] >= 0 ? 1 : -1;
        s.check[i] = s.check[i] >= 0 ? 1 : -1;
    }
    opn_i_baseline_score got;
    assert_int_equal(score(&s, &got), OPN_OK);
    assert_true(got.majority == 1 && got.accuracy == 1 && got.nll == 0);
    release(&s);
}

static void without_validation_nodes_nothing_is_claimed(void **state)
{
    (void)state;
    sample s = draw_sample(&golden_baselines[1]);
    for (int32_t i = 0; i < s.features.n_rows; i++)
        s.check[i] = -1;
    opn_i_baseline_score got;
    assert_int_equal(score(&s, &got), OPN_OK);
    assert_true(isnan(got.majority) && isnan(got.accuracy) && isnan(got.nll));
    release(&s);
}

static void huge_features_do_not_break_it(void **state)
{
    (void)state;
    sample s = draw_sample(&golden_baselines[4]);
    for (opn_off e = 0; e < opn_i_features_n_entries(&s.features); e++)
        s.features.lists.value[e] *= (opn_real)1e37;
    opn_i_baseline_score got;
    assert_int_equal(score(&s, &got), OPN_OK);
    assert_true(got.accuracy >= 0 && got.accuracy <= 1);
    assert_true(isfinite(got.nll) && got.nll >= 0);
    release(&s);
}

static void an_interruption_is_heard(void **state)
{
    (void)state;
    sample s = draw_sample(&golden_baselines[5]);
    opn_i_baseline_score got = {.nll = -7};
    listener heard = {.interrupt_at = 3};
    support_listen(ctx, &heard);
    assert_int_equal(score(&s, &got), OPN_ERR_INTERRUPTED);
    assert_true(got.nll == -7);
    release(&s);
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    sample s = draw_sample(&golden_baselines[3]);
    meter *m = ctx->alloc.user;
    opn_status status = OPN_ERR_NOMEM;
    for (long fail_at = 1; status != OPN_OK; fail_at++) {
        opn_i_baseline_score got = {.nll = -7};
        const long n_live = m->n_live;
        m->fail_at = m->n_requests + fail_at;
        status = score(&s, &got);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
        assert_int_equal(got.nll == -7, status != OPN_OK);
        assert_int_equal(m->n_live, n_live);
    }
    release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(scores_are_those_of_scikit_learn),
            WITH_CTX(the_gradient_is_that_of_differences),
            WITH_CTX(without_features_the_shares_of_the_classes_are_learnt),
            WITH_CTX(a_class_that_never_trained_is_never_predicted),
            WITH_CTX(one_class_is_always_right_about_itself),
            WITH_CTX(without_validation_nodes_nothing_is_claimed),
            WITH_CTX(huge_features_do_not_break_it),
            WITH_CTX(an_interruption_is_heard),
            WITH_CTX(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
