// statistics_test.c -- how sure a mean over runs is, and whether two differ.

#include "base/context.h"
#include "golden/metrics_golden.h"
#include "opine/opine.h"
#include "opinion/statistics.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static opn_ctx *ctx;

enum { MOST = 500 };
#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

static void expect_near(double value, double wanted, double tolerance)
{
    if (isnan(wanted))
        assert_true(isnan(value));
    else
        assert_true(fabs(value - wanted) <= tolerance);
}

// ---- Student's t ---------------------------------------------------------------------

static void quantiles_of_student_agree_with_mpmath(void **state)
{
    (void)state;
    for (int q = 0; q < GOLDEN_N_QUANTILES; q++)
        for (int f = 0; f < GOLDEN_N_FREES; f++) {
            const double wanted = golden_student[q * GOLDEN_N_FREES + f];
            expect_near(opn_i_student_quantile(golden_quantile_p[q], golden_n_free[f]),
                        wanted, (golden_n_free[f] <= 1000 ? 1e-12 : 1e-10) * wanted);
        }
}

static void quantiles_of_student_have_their_closed_forms(void **state)
{
    (void)state;
    static const double pi = 3.14159265358979323846;
    for (double p = 0.5; p < 0.9999; p += 0.0137) {
        const double u = 2.0 * p - 1.0;
        const double one = tan(0.5 * pi * u);
        const double two = u * sqrt(2.0 / (1.0 - u * u));
        expect_near(opn_i_student_quantile(p, 1), one, 1e-12 * one);
        expect_near(opn_i_student_quantile(p, 2), two, 1e-12 * two);
        if (p == 0.5)
            assert_true(opn_i_student_quantile(p, 30) == 0.0);
    }
}

// ---- one mean ------------------------------------------------------------------------

static void estimates_agree_with_numpy(void **state)
{
    (void)state;
    for (size_t c = 0; c < N_OF(golden_estimates); c++) {
        const golden_estimate *g = &golden_estimates[c];
        uint64_t random = g->seed;
        double value[MOST];
        for (int32_t i = 0; i < g->n; i++) {
            const bool is_nan = below(&random, 100) < (uint32_t)g->percent;
            value[i] = (double)below(&random, (uint32_t)g->levels) / g->levels;
            value[i] = is_nan ? (double)NAN : value[i];
        }
        opn_estimate e;
        opn_estimate_mean(g->n, value, &e);
        assert_int_equal(e.n, g->n_known);
        expect_near(e.mean, g->mean, 1e-14);
        expect_near(e.std, g->std, 1e-14);
        expect_near(e.low, g->low, 1e-13);
        expect_near(e.high, g->high, 1e-13);
    }
}

// ---- two means -----------------------------------------------------------------------

typedef struct pairs {
    int32_t n;
    double a[MOST];
    double b[MOST];
} pairs;

static void draw_pairs(const golden_comparison *g, pairs *out)
{
    uint64_t random = g->seed;
    out->n = g->n;
    for (int32_t i = 0; i < g->n; i++) {
        const int32_t level = (int32_t)below(&random, (uint32_t)g->levels);
        out->a[i] = (double)(level + g->lift) / g->levels;
        out->b[i] = (double)below(&random, (uint32_t)g->levels) / g->levels;
    }
}

static opn_comparison compared(int32_t n, const double *a, const double *b, uint64_t seed)
{
    opn_comparison c;
    assert_int_equal(opn_compare(ctx, n, a, b, seed, &c), OPN_OK);
    return c;
}

static void expect_same(const opn_comparison *one, const opn_comparison *other)
{
    assert_int_equal(one->n, other->n);
    assert_memory_equal(&one->difference, &other->difference, sizeof(double));
    assert_memory_equal(&one->low, &other->low, sizeof(double));
    assert_memory_equal(&one->high, &other->high, sizeof(double));
    assert_memory_equal(&one->p_value, &other->p_value, sizeof(double));
}

static void comparisons_agree_with_scipy(void **state)
{
    (void)state;
    pairs p;
    for (size_t k = 0; k < N_OF(golden_comparisons); k++) {
        const golden_comparison *g = &golden_comparisons[k];
        draw_pairs(g, &p);
        const opn_comparison c = compared(p.n, p.a, p.b, g->seed);
        assert_int_equal(c.n, g->n);
        expect_near(c.difference, g->difference, 1e-14);
        expect_near(c.low, g->low, 1e-13);
        expect_near(c.high, g->high, 1e-13);
        expect_near(c.p_value, g->p_value, 1e-12 * g->p_value);
    }
}

// The exact p-value by trying all signs of the ranks 1 … n.
static double p_value_by_all_signs(int32_t n, int32_t rank_sum)
{
    const int32_t middle = n * (n + 1) / 2; // twice the mean
    int32_t n_as_far = 0;
    for (uint32_t signs = 0; signs < 1u << n; signs++) {
        int32_t sum = 0;
        for (int32_t rank = 1; rank <= n; rank++)
            sum += (signs >> (rank - 1) & 1) != 0 ? rank : 0;
        n_as_far += abs(2 * sum - middle) >= abs(2 * rank_sum - middle);
    }
    return (double)n_as_far / (double)(1u << n);
}

static void small_p_values_count_the_signs(void **state)
{
    (void)state;
    static const double zero[8] = {0};
    for (int32_t n = 1; n <= 8; n++)
        for (uint32_t signs = 0; signs < 1u << n; signs++) {
            double difference[8];
            int32_t rank_sum = 0;
            for (int32_t i = 0; i < n; i++) {
                const bool is_plus = (signs >> i & 1) != 0;
                difference[i] = is_plus ? i + 1.0 : -i - 1.0;
                rank_sum += is_plus ? i + 1 : 0;
            }
            if (signs % 5 != 0 && n > 4) // the bootstrap beside it takes its time
                continue;
            const opn_comparison c = compared(n, difference, zero, 0);
            expect_near(c.p_value, p_value_by_all_signs(n, rank_sum), 1e-15);
        }
}

static void exchange_turns_the_difference_and_keeps_the_p_value(void **state)
{
    (void)state;
    pairs p;
    for (size_t k = 0; k < N_OF(golden_comparisons); k++) {
        draw_pairs(&golden_comparisons[k], &p);
        const opn_comparison forth = compared(p.n, p.a, p.b, 1);
        const opn_comparison back = compared(p.n, p.b, p.a, 1);
        assert_true(back.difference == -forth.difference);
        assert_true(back.p_value == forth.p_value);
        expect_near(back.low, -forth.high, 1e-13);
        expect_near(back.high, -forth.low, 1e-13);
    }
}

static void interval_is_as_wide_as_the_normal_one(void **state)
{
    (void)state;
    static pairs p;
    opn_estimate e;
    uint64_t random = 8;
    p.n = MOST;
    for (int32_t i = 0; i < p.n; i++)
        p.a[i] = (double)below(&random, 1000);
    opn_estimate_mean(p.n, p.a, &e);
    const double reach = 1.96 * e.std / sqrt(p.n);
    const opn_comparison c = compared(p.n, p.a, p.b, 2);
    expect_near(c.low, c.difference - reach, 0.05 * reach);
    expect_near(c.high, c.difference + reach, 0.05 * reach);
}

static void interval_depends_on_the_seed_alone(void **state)
{
    (void)state;
    pairs p;
    draw_pairs(&golden_comparisons[10], &p);
    const opn_comparison one = compared(p.n, p.a, p.b, 1);
    const opn_comparison again = compared(p.n, p.a, p.b, 1);
    const opn_comparison other = compared(p.n, p.a, p.b, (uint64_t)1 << 32 | 1);
    expect_same(&one, &again);
    assert_true(one.low != other.low && one.high != other.high);
    assert_true(one.p_value == other.p_value);
}

static void pairs_with_a_gap_are_left_out(void **state)
{
    (void)state;
    static const double a[] = {0.5, (double)NAN, 0.25, 0.75, 0.125, (double)NAN};
    static const double b[] = {0.25, 0.5, 0.75, (double)NAN, 0.5, (double)NAN};
    static const double whole_a[] = {0.5, 0.25, 0.125};
    static const double whole_b[] = {0.25, 0.75, 0.5};
    const opn_comparison with = compared(6, a, b, 3);
    const opn_comparison without = compared(3, whole_a, whole_b, 3);
    assert_int_equal(with.n, 3);
    expect_same(&with, &without);
}

static void without_a_difference_nothing_is_found(void **state)
{
    (void)state;
    static const double gap[] = {(double)NAN};
    static const double same[] = {0.5, 0.25, 0.75};
    for (int32_t n = -1; n <= 1; n++) {
        const opn_comparison c = compared(n, gap, gap, 0);
        assert_int_equal(c.n, 0);
        assert_true(isnan(c.difference) && isnan(c.low) && isnan(c.high));
        assert_true(c.p_value == 1.0);
    }
    const opn_comparison c = compared(3, same, same, 0);
    assert_int_equal(c.n, 3);
    assert_true(c.difference == 0.0 && c.low == 0.0 && c.high == 0.0);
    assert_true(c.p_value == 1.0);
}

static void infinite_differences_are_refused_by_pair(void **state)
{
    (void)state;
    static const double bad[][2] = {{(double)INFINITY, 0.0},
                                    {0.0, -(double)INFINITY},
                                    {(double)INFINITY, (double)INFINITY},
                                    {1e308, -1e308}};
    for (size_t k = 0; k < N_OF(bad); k++) {
        const double a[] = {0.5, bad[k][0]};
        const double b[] = {0.25, bad[k][1]};
        opn_comparison c = {.n = -7};
        assert_int_equal(opn_compare(ctx, 2, a, b, 0, &c), OPN_ERR_INVALID_ARG);
        support_expect_error(ctx, "pair 1 is ");
        support_expect_error(ctx, "its difference must be finite");
        assert_int_equal(c.n, -7);
    }
}

static void every_allocation_failure_is_reported(void **state)
{
    (void)state;
    static const double a[] = {0.5, 0.25};
    static const double b[] = {0.25, 0.75};
    int n_refused = 0;
    for (long fail_at = 1;; fail_at++) {
        meter m = {0};
        opn_ctx *own = support_ctx(&m);
        opn_comparison c;
        m.fail_at = m.n_requests + fail_at;
        const opn_status status = opn_compare(own, 2, a, b, 0, &c);
        support_ctx_free(own, &m);
        if (status == OPN_OK)
            break;
        assert_int_equal(status, OPN_ERR_NOMEM);
        n_refused++;
    }
    assert_int_equal(n_refused, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(quantiles_of_student_agree_with_mpmath),
            cmocka_unit_test(quantiles_of_student_have_their_closed_forms),
            cmocka_unit_test(estimates_agree_with_numpy),
            WITH_CTX(comparisons_agree_with_scipy),
            WITH_CTX(small_p_values_count_the_signs),
            WITH_CTX(exchange_turns_the_difference_and_keeps_the_p_value),
            WITH_CTX(interval_is_as_wide_as_the_normal_one),
            WITH_CTX(interval_depends_on_the_seed_alone),
            WITH_CTX(pairs_with_a_gap_are_left_out),
            WITH_CTX(without_a_difference_nothing_is_found),
            WITH_CTX(infinite_differences_are_refused_by_pair),
            cmocka_unit_test(every_allocation_failure_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
