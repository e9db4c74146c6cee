// special_test.c -- gamma functions and KL halves against high precision.

#include "math/special.h"
#include "support/cmocka_test.h"
#include "support/sample_network.h"
#include "support/support.h"

#include <math.h>
#include <string.h>

// What the project promises: an error of at most this times max(1, |f|), or times |f|.
static double promised(void)
{
    return by_build(1e-6, 1e-13);
}

// ---- against high precision ----------------------------------------------------------

static void digamma_is_within_its_promise(void **state)
{
    (void)state;
    for (int n = 0; n < GOLDEN_N_SPECIAL; n++)
        expect_close((double)opn_k_digamma((opn_real)golden_special_x[n]),
                     golden_digamma[n], promised(), 1.0);
}

static void lgamma_is_within_its_promise(void **state)
{
    (void)state;
    for (int n = 0; n < GOLDEN_N_SPECIAL; n++)
        expect_close((double)opn_k_lgamma((opn_real)golden_special_x[n]),
                     golden_lgamma[n], promised(), 1.0);
}

static void trigamma_is_within_its_relative_promise(void **state)
{
    (void)state;
    for (int n = 0; n < GOLDEN_N_SPECIAL; n++)
        expect_close((double)opn_k_trigamma((opn_real)golden_special_x[n]),
                     golden_trigamma[n], promised(), 0.0);
}

// Up to x = 1e20, where the plain formula has long been 1 - 1.
static void halves_are_within_their_relative_promise(void **state)
{
    (void)state;
    for (int h = 0; h < GOLDEN_N_SPECIAL_HAT; h++)
        for (int n = 0; n < GOLDEN_N_SPECIAL; n++)
            expect_close((double)opn_k_kl_half((opn_real)golden_special_x[n],
                                               (opn_real)golden_special_x_hat[h]),
                         golden_kl_half[h * GOLDEN_N_SPECIAL + n], promised(), 0.0);
}

// ---- between the golden points -------------------------------------------------------

// From 1 to about 1e7 in steps of 1/1000, exact in the build's type.
static opn_real point(int n)
{
    return (opn_real)exp(0.001 * n);
}

enum { N_POINTS = 16000 };

static void lgamma_follows_the_c_library(void **state)
{
    (void)state;
    for (int n = 0; n < N_POINTS; n++)
        expect_close((double)opn_k_lgamma(point(n)), lgamma((double)point(n)), promised(),
                     1.0);
}

// f(x + 1) = f(x) + step(x): the two sides use different parts of the fit.
static void digamma_and_trigamma_keep_their_recurrences(void **state)
{
    (void)state;
    const double within = 2.0 * promised();
    for (int n = 0; n < N_POINTS / 2; n++) {
        const opn_real x = point(n);
        const double next = (double)(opn_real)((double)x + 1.0);
        const double step = next - (double)x; // not quite 1 where x is rounded
        const double scale = fabs(log(next)) + 1.0;
        if (fabs(step - 1.0) > 0.0)
            continue;
        expect_close((double)opn_k_digamma((opn_real)next),
                     (double)opn_k_digamma(x) + 1.0 / (double)x, within, scale);
        expect_close((double)opn_k_trigamma((opn_real)next) +
                             1.0 / ((double)x * (double)x),
                     (double)opn_k_trigamma(x), within, 0.0);
    }
}

static void a_half_is_what_its_formula_says_where_that_loses_nothing(void **state)
{
    (void)state;
    for (int n = 0; n < 2000; n++) {
        const opn_real x = point(n);
        const opn_real x_hat = point((7 * n) % 4000);
        const double plain =
                ((double)x - (double)x_hat) * (double)opn_k_trigamma(x) - 1.0;
        expect_close((double)opn_k_kl_half(x, x_hat), plain, 4.0 * promised(),
                     1.0 + (double)x_hat);
    }
}

// ---- over arrays ---------------------------------------------------------------------

static void arrays_hold_what_single_calls_give(void **state)
{
    (void)state;
    enum { N = 77 };
    opn_real x[N], x_hat[N], out[5][N], want[4][N];
    for (int n = 0; n < N; n++) {
        x[n] = point(150 * n);
        x_hat[n] = point(90 * (N - n));
        want[0][n] = opn_k_digamma(x[n]);
        want[1][n] = opn_k_trigamma(x[n]);
        want[2][n] = opn_k_lgamma(x[n]);
        want[3][n] = opn_k_kl_half(x[n], x_hat[n]);
    }
    opn_k_digamma_n(N, x, out[0]);
    opn_k_trigamma_n(N, x, out[1]);
    opn_k_lgamma_n(N, x, out[2]);
    opn_k_kl_half_n(N, x, x_hat, out[3]);
    assert_memory_equal(out, want, sizeof(want));
    memcpy(out[4], x, sizeof(x));
    opn_k_digamma_n(N, out[4], out[4]); // in place
    assert_memory_equal(out[4], want[0], sizeof(want[0]));
    opn_k_trigamma_n(0, x, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(digamma_is_within_its_promise),
            cmocka_unit_test(lgamma_is_within_its_promise),
            cmocka_unit_test(trigamma_is_within_its_relative_promise),
            cmocka_unit_test(halves_are_within_their_relative_promise),
            cmocka_unit_test(lgamma_follows_the_c_library),
            cmocka_unit_test(digamma_and_trigamma_keep_their_recurrences),
            cmocka_unit_test(a_half_is_what_its_formula_says_where_that_loses_nothing),
            cmocka_unit_test(arrays_hold_what_single_calls_give),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
