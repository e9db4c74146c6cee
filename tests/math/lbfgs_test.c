// lbfgs_test.c -- the minimiser on functions whose minimum is known.

#include "math/lbfgs.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <math.h>

static opn_ctx *ctx;

static const opn_i_lbfgs_options exact = {
        .stage = "test", .max_steps = 2000, .tolerance = 1e-9};

enum { N = 40 };

// sum_i c_i (x_i - i)^2 / 2 with curvatures from 1 to 1e4.
static double bowl(const void *user, const double *x, double *d_x)
{
    double value = 0;
    (void)user;
    for (int i = 0; i < N; i++) {
        const double c = pow(1e4, i / (N - 1.0));
        value += c * (x[i] - i) * (x[i] - i) / 2;
        d_x[i] = c * (x[i] - i);
    }
    return value;
}

static void the_minimum_of_a_stretched_bowl_is_found(void **state)
{
    (void)state;
    double x[N] = {0};
    assert_int_equal(opn_i_lbfgs(ctx, N, bowl, NULL, &exact, x), OPN_OK);
    for (int i = 0; i < N; i++)
        assert_true(fabs(x[i] - i) < 1e-8);
}

static double rosenbrock(const void *user, const double *x, double *d_x)
{
    const double across = x[1] - x[0] * x[0];
    (void)user;
    d_x[0] = -400 * x[0] * across - 2 * (1 - x[0]);
    d_x[1] = 200 * across;
    return 100 * across * across + (1 - x[0]) * (1 - x[0]);
}

static void the_end_of_a_bent_valley_is_found(void **state)
{
    (void)state;
    double x[2] = {-1.2, 1};
    assert_int_equal(opn_i_lbfgs(ctx, 2, rosenbrock, NULL, &exact, x), OPN_OK);
    assert_true(fabs(x[0] - 1) < 1e-6 && fabs(x[1] - 1) < 1e-6);
}

// x - ln x, which is NaN below 0, where the second step from 30 leads.
static double fenced(const void *user, const double *x, double *d_x)
{
    (void)user;
    d_x[0] = 1 - 1 / x[0];
    return x[0] - log(x[0]);
}

static void steps_out_of_the_domain_are_shortened(void **state)
{
    (void)state;
    double x[1] = {30};
    assert_int_equal(opn_i_lbfgs(ctx, 1, fenced, NULL, &exact, x), OPN_OK);
    assert_true(fabs(x[0] - 1) < 1e-6);
}

// Claims a slope that is not there, as rounding does near a minimum.
static double liar(const void *user, const double *x, double *d_x)
{
    (void)user;
    (void)x;
    d_x[0] = 1;
    return 7;
}

static void where_no_step_helps_the_point_stays(void **state)
{
    (void)state;
    double x[1] = {3};
    assert_int_equal(opn_i_lbfgs(ctx, 1, liar, NULL, &exact, x), OPN_OK);
    assert_true(x[0] == 3);
}

static void it_stops_at_the_tolerance_and_at_the_limit(void **state)
{
    (void)state;
    double x[N] = {0};
    double d_x[N];
    const opn_i_lbfgs_options rough = {.stage = "test", .max_steps = 500, .tolerance = 1};
    assert_int_equal(opn_i_lbfgs(ctx, N, bowl, NULL, &rough, x), OPN_OK);
    (void)bowl(NULL, x, d_x);
    double most = 0;
    for (int i = 0; i < N; i++)
        most = fmax(most, fabs(d_x[i]));
    assert_true(most <= 1 && most > 1e-6);
    listener heard = {0};
    double y[N] = {0};
    const opn_i_lbfgs_options brief = {.stage = "test", .max_steps = 3, .tolerance = 0};
    support_listen(ctx, &heard);
    assert_int_equal(opn_i_lbfgs(ctx, N, bowl, NULL, &brief, y), OPN_OK);
    assert_int_equal(heard.n_progress, 3);
    assert_string_equal(heard.last.stage, "test");
}

static void an_interruption_is_heard(void **state)
{
    (void)state;
    double x[N] = {0};
    listener heard = {.interrupt_at = 4};
    support_listen(ctx, &heard);
    assert_int_equal(opn_i_lbfgs(ctx, N, bowl, NULL, &exact, x), OPN_ERR_INTERRUPTED);
    assert_int_equal(heard.n_asked, 4);
}

static void what_cannot_be_allocated_is_an_error(void **state)
{
    (void)state;
    double x[N] = {0};
    meter *m = ctx->alloc.user;
    m->fail_at = m->n_requests + 1;
    assert_int_equal(opn_i_lbfgs(ctx, N, bowl, NULL, &exact, x), OPN_ERR_NOMEM);
    assert_int_equal(opn_i_lbfgs(ctx, SIZE_MAX / 3, bowl, NULL, &exact, x),
                     OPN_ERR_OVERFLOW);
    support_expect_error(ctx, "too many to optimise");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(the_minimum_of_a_stretched_bowl_is_found),
            WITH_CTX(the_end_of_a_bent_valley_is_found),
            WITH_CTX(steps_out_of_the_domain_are_shortened),
            WITH_CTX(where_no_step_helps_the_point_stays),
            WITH_CTX(it_stops_at_the_tolerance_and_at_the_limit),
            WITH_CTX(an_interruption_is_heard),
            WITH_CTX(what_cannot_be_allocated_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
