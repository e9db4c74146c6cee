// embed_test.c -- rows as places in the unit square: where they may lie, what does not
// matter, and what is refused.

#include "embed/tsne.h"
#include "opine/embed.h"
#include "support/cmocka_test.h"
#include "support/sample_network.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 100, F = 3 };

static opn_ctx *ctx;

// Of values that a few digits hold, so that none is lost by a power of two.
static void draw_x(uint64_t seed, float x[MOST_ROWS * F])
{
    for (int e = 0; e < MOST_ROWS * F; e++)
        x[e] = (float)floor(draw(&seed, -64.0, 64.0)) / 64.0f;
}

static void mark(float place[2 * MOST_ROWS])
{
    for (int e = 0; e < 2 * MOST_ROWS; e++)
        place[e] = 77.0f;
}

static void expect_untouched(const float place[2 * MOST_ROWS])
{
    for (int e = 0; e < 2 * MOST_ROWS; e++)
        assert_true(place[e] == 77.0f);
}

// ---- places --------------------------------------------------------------------------

// All lie in the square, one side takes all of it, and the other is in the middle.
static void expect_fitted(int n_rows, const float *place)
{
    double low[2] = {2.0, 2.0};
    double high[2] = {-1.0, -1.0};
    for (int e = 0; e < 2 * n_rows; e++) {
        assert_true(place[e] >= 0.0f && place[e] <= 1.0f);
        low[e % 2] = fmin(low[e % 2], (double)place[e]);
        high[e % 2] = fmax(high[e % 2], (double)place[e]);
    }
    const int longer = high[1] - low[1] > high[0] - low[0];
    assert_true(low[longer] == 0.0 && high[longer] == 1.0);
    expect_close(low[1 - longer], 1.0 - high[1 - longer], 1e-6, 1.0);
}

static void the_longer_side_spans_the_square_and_the_other_its_middle(void **state)
{
    (void)state;
    static const int sizes[] = {2, 3, 4, 5, 10, 40, 100};
    float x[MOST_ROWS * F];
    float place[2 * MOST_ROWS];
    draw_x(1, x);
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
        for (double perplexity = 2.0; perplexity <= 100.0; perplexity += 49.0) {
            mark(place);
            assert_int_equal(opn_embed(ctx, sizes[s], F, x, perplexity, s, place),
                             OPN_OK);
            expect_fitted(sizes[s], place);
            for (int e = 2 * sizes[s]; e < 2 * MOST_ROWS; e++)
                assert_true(place[e] == 77.0f);
        }
}

static void both_sides_have_one_scale(void **state)
{
    (void)state;
    float x[MOST_ROWS * F];
    float place[2 * MOST_ROWS];
    opn_real same[MOST_ROWS * F];
    opn_real point[2 * MOST_ROWS];
    opn_i_tsne_options options = opn_i_tsne_defaults();
    options.seed = 4;
    draw_x(2, x);
    for (int e = 0; e < MOST_ROWS * F; e++) { // the largest is between 1/2 and 1
        x[e] *= 0.75f;
        same[e] = (opn_real)x[e];
    }
    assert_int_equal(opn_embed(ctx, MOST_ROWS, F, x, 30.0, 4, place), OPN_OK);
    assert_int_equal(opn_i_tsne(ctx, MOST_ROWS, F, same, &options, point), OPN_OK);
    double scale = 0.0;
    for (int e = 2; e < 2 * MOST_ROWS; e++)
        scale = fmax(scale, fabs((double)place[e] - (double)place[e % 2]) /
                                    fabs((double)point[e] - (double)point[e % 2]));
    for (int e = 2; e < 2 * MOST_ROWS; e++)
        expect_close((double)place[e] - (double)place[e % 2],
                     scale * ((double)point[e] - (double)point[e % 2]), 1e-3, 0.1);
}

static void a_single_row_lies_in_the_middle(void **state)
{
    (void)state;
    const float x[F] = {1.0f, -2.0f, 3.0f};
    float place[2] = {77.0f, 77.0f};
    assert_int_equal(opn_embed(ctx, 1, F, x, 30.0, 0, place), OPN_OK);
    assert_true(place[0] == 0.5f && place[1] == 0.5f);
}

static void equal_rows_lie_in_the_square_apart(void **state)
{
    (void)state;
    static const float values[] = {0.0f, 5.0f, -3e38f};
    float x[MOST_ROWS * F];
    float place[2 * MOST_ROWS];
    for (int n_rows = 2; n_rows <= MOST_ROWS; n_rows += n_rows < 4 ? 1 : 16)
        for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
            for (int e = 0; e < n_rows * F; e++)
                x[e] = values[v];
            assert_int_equal(opn_embed(ctx, n_rows, F, x, 30.0, 7, place), OPN_OK);
            expect_fitted(n_rows, place);
        }
}

// ---- what does not matter ------------------------------------------------------------

static void places_have_the_same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    enum { V = 600 };
    uint64_t random = 3;
    float *x = calloc((size_t)V * F, sizeof(*x));
    float *first = calloc((size_t)V * 2, sizeof(*first));
    float *other = calloc((size_t)V * 2, sizeof(*other));
    assert_true(x != NULL && first != NULL && other != NULL);
    for (int e = 0; e < V * F; e++)
        x[e] = (float)draw(&random, -1.0, 1.0);
    for (int t = 0; t < N_THREAD_COUNTS; t++) {
        assert_int_equal(opn_ctx_set_threads(ctx, thread_counts[t]), OPN_OK);
        assert_int_equal(opn_embed(ctx, V, F, x, 30.0, 9, t == 0 ? first : other),
                         OPN_OK);
        if (t > 0)
            assert_memory_equal(first, other, (size_t)V * 2 * sizeof(*first));
    }
    free(x);
    free(first);
    free(other);
}

static void a_power_of_two_does_not_change_a_bit(void **state)
{
    (void)state;
    static const int exponents[] = {-140, -40, 40, 120};
    float x[MOST_ROWS * F];
    float scaled[MOST_ROWS * F];
    float first[2 * MOST_ROWS];
    float other[2 * MOST_ROWS];
    draw_x(5, x);
    assert_int_equal(opn_embed(ctx, MOST_ROWS, F, x, 20.0, 1, first), OPN_OK);
    for (size_t s = 0; s < sizeof(exponents) / sizeof(exponents[0]); s++) {
        for (int e = 0; e < MOST_ROWS * F; e++)
            scaled[e] = ldexpf(x[e], exponents[s]);
        assert_int_equal(opn_embed(ctx, MOST_ROWS, F, scaled, 20.0, 1, other), OPN_OK);
        assert_memory_equal(first, other, sizeof(first));
    }
}

static void the_seed_parts_equal_rows_in_other_ways(void **state)
{
    (void)state;
    const float x[20 * F] = {0};
    float first[40];
    float other[40];
    assert_int_equal(opn_embed(ctx, 20, F, x, 5.0, 1, first), OPN_OK);
    assert_int_equal(opn_embed(ctx, 20, F, x, 5.0, 1, other), OPN_OK);
    assert_memory_equal(first, other, sizeof(first));
    assert_int_equal(opn_embed(ctx, 20, F, x, 5.0, 2, other), OPN_OK);
    assert_memory_not_equal(first, other, sizeof(first));
}

// ---- refusals and failures -----------------------------------------------------------

static void infinity_and_nan_are_refused_by_row(void **state)
{
    (void)state;
    static const float bad[] = {INFINITY, -INFINITY, NAN};
    float x[MOST_ROWS * F];
    float place[2 * MOST_ROWS];
    mark(place);
    for (size_t b = 0; b < sizeof(bad) / sizeof(bad[0]); b++) {
        draw_x(7, x);
        x[F * 7 + 1] = bad[b];
        assert_int_equal(opn_embed(ctx, 10, F, x, 30.0, 1, place), OPN_ERR_NONFINITE);
        support_expect_error(ctx, "row 7");
        expect_untouched(place);
    }
}

static void arguments_out_of_range_are_refused(void **state)
{
    (void)state;
    static const double perplexities[] = {-1.0, 0.0, 1.999, 100.001, 1e300, (double)NAN};
    float x[MOST_ROWS * F];
    float place[2 * MOST_ROWS];
    mark(place);
    draw_x(8, x);
    for (size_t p = 0; p < sizeof(perplexities) / sizeof(perplexities[0]); p++) {
        assert_int_equal(opn_embed(ctx, 9, F, x, perplexities[p], 1, place),
                         OPN_ERR_INVALID_ARG);
        support_expect_error(ctx, "outside [2, 100]");
    }
    assert_int_equal(opn_embed(ctx, 0, F, x, 30.0, 1, place), OPN_ERR_INVALID_ARG);
    assert_int_equal(opn_embed(ctx, -1, F, x, 30.0, 1, place), OPN_ERR_INVALID_ARG);
    assert_int_equal(opn_embed(ctx, 9, 0, x, 30.0, 1, place), OPN_ERR_INVALID_ARG);
    expect_untouched(place);
}

static void an_interruption_leaves_the_places(void **state)
{
    (void)state;
    float x[MOST_ROWS * F];
    float place[2 * MOST_ROWS];
    listener ear = {.interrupt_at = 500};
    mark(place);
    draw_x(9, x);
    support_listen(ctx, &ear);
    assert_int_equal(opn_embed(ctx, 50, F, x, 30.0, 1, place), OPN_ERR_INTERRUPTED);
    assert_string_equal(ear.last.stage, "embedding");
    assert_int_equal(ear.last.total, 1000);
    expect_untouched(place);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    float x[MOST_ROWS * F];
    float place[2 * MOST_ROWS];
    opn_status status = OPN_ERR_NOMEM;
    mark(place);
    draw_x(10, x);
    for (long fail_at = 1; status != OPN_OK; fail_at++) {
        meter m = {0};
        opn_ctx *other = support_ctx(&m);
        m.fail_at = m.n_requests + fail_at;
        status = opn_embed(other, 20, F, x, 5.0, 1, place);
        support_ctx_free(other, &m);
        if (status == OPN_OK)
            break;
        assert_int_equal(status, OPN_ERR_NOMEM);
        expect_untouched(place);
        assert_true(fail_at < 1000);
    }
    expect_fitted(20, place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(the_longer_side_spans_the_square_and_the_other_its_middle),
            WITH_CTX(both_sides_have_one_scale),
            WITH_CTX(a_single_row_lies_in_the_middle),
            WITH_CTX(equal_rows_lie_in_the_square_apart),
            WITH_CTX(places_have_the_same_bits_on_any_number_of_threads),
            WITH_CTX(a_power_of_two_does_not_change_a_bit),
            WITH_CTX(the_seed_parts_equal_rows_in_other_ways),
            WITH_CTX(infinity_and_nan_are_refused_by_row),
            WITH_CTX(arguments_out_of_range_are_refused),
            WITH_CTX(an_interruption_leaves_the_places),
            WITH_CTX(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
