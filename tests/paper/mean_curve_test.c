// mean_curve_test.c -- the mean of curves over seeds.

#include "paper/mean_curve.h"
#include "support/cmocka_test.h"

#include <math.h>

static void expect_near(double got, double want)
{
    if (!(fabs(got - want) < 1e-12))
        fail_msg("%.17g instead of %.17g", got, want);
}

static void add(opn_i_mean_curve *mean,
                opn_i_curve_kind kind,
                int32_t n,
                double *x,
                double *y,
                double area)
{
    const opn_i_curve curve = {.n = n, .x = x, .y = y};
    opn_i_mean_curve_add(mean, kind, &curve, area);
}

// The value of the mean at x, which is one of its points.
static double mean_at(const opn_i_mean_curve *mean, double x)
{
    for (int32_t p = OPN_MEAN_POINTS - 1; p >= 0; p--)
        if (fabs(mean->x[p] - x) < 1e-9)
            return mean->y[p];
    fail_msg("no point at %g", x);
    return 0;
}

static void a_single_curve_is_its_own_mean(void **state)
{
    (void)state;
    double x[] = {0, 0, 0.2, 1};
    double y[] = {0, 0.5, 0.9, 1};
    opn_i_mean_curve mean = {0};
    add(&mean, OPN_CURVE_ROC, 4, x, y, 0.85);
    expect_near(mean.y[0], 0); // the step straight up stays
    expect_near(mean.y[1], 0.5);
    expect_near(mean.x[1], 0);
    expect_near(mean_at(&mean, 0.1), 0.7);
    expect_near(mean_at(&mean, 0.2), 0.9);
    expect_near(mean_at(&mean, 0.6), 0.95);
    expect_near(mean_at(&mean, 1), 1);
    expect_near(mean.area, 0.85);
    expect_near(opn_i_mean_curve_deviation(&mean, mean.area_squares), 0);
}

// Average precision counts each step as high as its right end.
static void precision_is_read_at_the_right_end_of_its_step(void **state)
{
    (void)state;
    double x[] = {0, 0.5, 0.5, 1, 1};
    double y[] = {1, 1, 0.8, 0.6, 0.5};
    opn_i_mean_curve mean = {0};
    add(&mean, OPN_CURVE_PRECISION, 5, x, y, 0.8);
    expect_near(mean_at(&mean, 0), 1);
    expect_near(mean_at(&mean, 0.4), 1);
    expect_near(mean_at(&mean, 0.6), 0.6);
    expect_near(mean_at(&mean, 1), 0.6);
}

static void the_band_is_one_standard_deviation_to_either_side(void **state)
{
    (void)state;
    double x[] = {0, 1};
    double low[OPN_MEAN_POINTS];
    double high[OPN_MEAN_POINTS];
    opn_i_mean_curve mean = {0};
    for (int c = 0; c < 3; c++) {
        double y[] = {0.2 + 0.1 * c, 0.95};
        add(&mean, OPN_CURVE_ROC, 2, x, y, 0.5 + 0.1 * c);
    }
    opn_i_mean_curve_band(&mean, low, high);
    expect_near(mean.y[0], 0.3);
    expect_near(low[0], 0.2); // of 0.2, 0.3, 0.4
    expect_near(high[0], 0.4);
    expect_near(low[OPN_MEAN_POINTS - 1], 0.95);
    expect_near(mean.area, 0.6);
    expect_near(opn_i_mean_curve_deviation(&mean, mean.area_squares), 0.1);
}

static void bands_end_where_rates_do(void **state)
{
    (void)state;
    double x[] = {0, 1};
    double low[OPN_MEAN_POINTS];
    double high[OPN_MEAN_POINTS];
    opn_i_mean_curve mean = {0};
    for (int c = 0; c < 2; c++) {
        double y[] = {c, 1};
        add(&mean, OPN_CURVE_ROC, 2, x, y, 0.5);
    }
    opn_i_mean_curve_band(&mean, low, high);
    expect_near(low[0], 0);
    expect_near(high[0], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(a_single_curve_is_its_own_mean),
            cmocka_unit_test(precision_is_read_at_the_right_end_of_its_step),
            cmocka_unit_test(the_band_is_one_standard_deviation_to_either_side),
            cmocka_unit_test(bands_end_where_rates_do),
    };
    return cmocka_run_group_tests_name("mean_curve", tests, NULL, NULL);
}
