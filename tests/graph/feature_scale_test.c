// feature_scale_test.c -- scaling of features, against what the formulas say.

#include "graph/feature_scale.h"
#include "support/cmocka_test.h"
#include "support/sample_network.h"
#include "support/support.h"

#include <math.h>
#include <string.h>

static opn_ctx *ctx;

enum { N_ROWS = 40, N_COLS = 12 };

// Row 5 and column 7 are empty, column 3 is full; the others have few entries.
static opn_i_features draw_sparse(bool has_values, uint64_t *random)
{
    int32_t row[N_ROWS * N_COLS];
    int32_t col[N_ROWS * N_COLS];
    opn_real value[N_ROWS * N_COLS];
    opn_off n = 0;
    for (int32_t i = 0; i < N_ROWS; i++) {
        for (int32_t k = 0; k < N_COLS; k++) {
            if (i == 5 || k == 7 || (k != 3 && below(random, 8) != 0))
                continue;
            row[n] = i;
            col[n] = k;
            value[n++] = (opn_real)draw(random, k == 3 ? 5.0 : -2.0, 7.0);
        }
    }
    opn_i_features x = {0};
    assert_int_equal(opn_i_csr_from_triples(ctx, N_ROWS, N_COLS, n, row, col,
                                            has_values ? value : NULL, &x.lists),
                     OPN_OK);
    return x;
}

static void unpack(const opn_i_features *x, double dense[N_ROWS][N_COLS])
{
    memset(dense, 0, sizeof(double[N_ROWS][N_COLS]));
    for (int32_t i = 0; i < x->n_rows; i++)
        for (opn_i_feature_cursor at = opn_i_features_row(x, i); opn_i_feature_next(&at);)
            dense[i][at.col] = (double)at.value;
}

// ---- rows of length 1 ----------------------------------------------------------------

static void rows_keep_their_direction_and_get_length_1(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (int c = 0; c < 2; c++) {
        double before[N_ROWS][N_COLS];
        double after[N_ROWS][N_COLS];
        opn_i_features x = draw_sparse(c == 1, &random);
        unpack(&x, before);
        assert_int_equal(opn_i_features_l2_normalise(ctx, &x), OPN_OK);
        unpack(&x, after);
        for (int32_t i = 0; i < N_ROWS; i++) {
            double square = 0.0;
            for (int32_t k = 0; k < N_COLS; k++)
                square += before[i][k] * before[i][k];
            for (int32_t k = 0; k < N_COLS; k++) // row 5 has no length and stays 0
                expect_close(after[i][k],
                             square > 0.0 ? before[i][k] / sqrt(square) : 0.0,
                             by_build(1e-6, 1e-14), 1.0);
        }
        opn_i_features_deinit(&ctx->alloc, &x);
    }
}

static void lengths_neither_overflow_nor_vanish(void **state)
{
    (void)state;
    const opn_real top = IS_DOUBLE ? (opn_real)1e300 : (opn_real)1e38f;
    const int32_t row[] = {0, 0, 1, 1};
    const int32_t col[] = {0, 1, 0, 1};
    const opn_real value[] = {(opn_real)0.75 * top, top, 3 / top, 4 / top};
    opn_i_features x = {0};
    assert_int_equal(opn_i_csr_from_triples(ctx, 2, 2, 4, row, col, value, &x.lists),
                     OPN_OK);
    assert_int_equal(opn_i_features_l2_normalise(ctx, &x), OPN_OK);
    for (int e = 0; e < 4; e++)
        expect_close((double)x.lists.value[e], e % 2 == 0 ? 0.6 : 0.8, 1e-5, 1.0);
    opn_i_features_deinit(&ctx->alloc, &x);
}

// ---- columns of mean 0 and variance 1 ------------------------------------------------

typedef struct columns {
    double mean[N_COLS], scale[N_COLS], centre[N_COLS];
} columns;

static columns measure(const opn_i_features *x)
{
    columns of = {0};
    assert_int_equal(opn_i_features_moments(ctx, x, of.mean, of.scale), OPN_OK);
    assert_int_equal(opn_i_features_centre(ctx, x, of.mean, of.scale, of.centre), OPN_OK);
    return of;
}

static void a_column_with_few_entries_has_a_centre_instead_of_more_entries(void **state)
{
    (void)state;
    uint64_t random = 4;
    for (int c = 0; c < 2; c++) {
        double before[N_ROWS][N_COLS];
        double after[N_ROWS][N_COLS];
        opn_i_features x = draw_sparse(c == 1, &random);
        const columns of = measure(&x);
        const opn_off n_before = opn_i_features_n_entries(&x);
        unpack(&x, before);
        assert_int_equal(
                opn_i_features_standardise(ctx, &x, of.mean, of.scale, of.centre),
                OPN_OK);
        unpack(&x, after);
        // Row 5 is the one that has no entry in the full column.
        assert_int_equal(opn_i_features_n_entries(&x), n_before + 1);
        for (int32_t k = 0; k < N_COLS; k++) {
            assert_int_equal(of.centre[k] == 0.0, k == 3 || k == 7);
            for (int32_t i = 0; i < N_ROWS; i++) {
                expect_close(after[i][k] - of.centre[k],
                             (before[i][k] - of.mean[k]) / of.scale[k],
                             by_build(1e-6, 1e-14), 1.0);
                assert_true(k == 3 || (after[i][k] == 0.0) == (before[i][k] == 0.0));
            }
        }
        opn_i_features_deinit(&ctx->alloc, &x);
    }
}

// However large its values, what is dropped must not be far from what is kept.
static void a_centre_is_less_than_a_standard_deviation(void **state)
{
    (void)state;
    for (int32_t n = 1; n <= N_ROWS; n++) {
        int32_t row[N_ROWS];
        int32_t col[N_ROWS] = {0};
        opn_real value[N_ROWS];
        opn_i_features x = {0};
        for (int32_t i = 0; i < n; i++) {
            row[i] = i;
            value[i] = 1000;
        }
        assert_int_equal(
                opn_i_csr_from_triples(ctx, N_ROWS, N_COLS, n, row, col, value, &x.lists),
                OPN_OK);
        const columns of = measure(&x);
        assert_int_equal(of.centre[0] != 0.0, 4 * n < N_ROWS);
        assert_true(of.centre[0] < 0.58);
        opn_i_features_deinit(&ctx->alloc, &x);
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    uint64_t random = 4;
    opn_i_features from = draw_sparse(true, &random);
    const columns of = measure(&from);
    opn_status status = OPN_ERR_NOMEM;
    for (long fail_at = 1; status != OPN_OK; fail_at++) {
        meter m = {0};
        opn_ctx *other = support_ctx(&m);
        opn_i_features x = {0};
        double centre[N_COLS];
        m.fail_at = m.n_requests + fail_at;
        status = opn_i_features_copy(other, &from, &x);
        if (status == OPN_OK)
            status = opn_i_features_centre(other, &x, of.mean, of.scale, centre);
        if (status == OPN_OK)
            status = opn_i_features_standardise(other, &x, of.mean, of.scale, centre);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
        assert_true(fail_at < 100);
        opn_i_features_deinit(&other->alloc, &x);
        support_ctx_free(other, &m);
    }
    opn_i_features_deinit(&ctx->alloc, &from);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(rows_keep_their_direction_and_get_length_1),
            WITH_CTX(lengths_neither_overflow_nor_vanish),
            WITH_CTX(a_column_with_few_entries_has_a_centre_instead_of_more_entries),
            WITH_CTX(a_centre_is_less_than_a_standard_deviation),
            WITH_CTX(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
