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
static opn_i_csr draw_sparse(bool has_values, uint64_t *random)
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
    opn_i_csr x = {0};
    assert_int_equal(opn_i_csr_from_triples(ctx, N_ROWS, N_COLS, n, row, col,
                                            has_values ? value : NULL, &x),
                     OPN_OK);
    return x;
}

static void unpack(const opn_i_csr *x, double dense[N_ROWS][N_COLS])
{
    memset(dense, 0, sizeof(double[N_ROWS][N_COLS]));
    for (int32_t i = 0; i < x->n_rows; i++)
        for (opn_off e = x->row_ptr[i]; e < x->row_ptr[i + 1]; e++)
            dense[i][x->col_idx[e]] = x->value == NULL ? 1.0 : (double)x->value[e];
}

// ---- rows of length 1 ----------------------------------------------------------------

static void rows_keep_their_direction_and_get_length_1(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (int c = 0; c < 2; c++) {
        double before[N_ROWS][N_COLS];
        double after[N_ROWS][N_COLS];
        opn_i_csr x = draw_sparse(c == 1, &random);
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
        opn_i_csr_deinit(&ctx->alloc, &x);
    }
}

static void lengths_neither_overflow_nor_vanish(void **state)
{
    (void)state;
    const opn_real top = IS_DOUBLE ? (opn_real)1e300 : (opn_real)1e38f;
    const int32_t row[] = {0, 0, 1, 1};
    const int32_t col[] = {0, 1, 0, 1};
    const opn_real value[] = {(opn_real)0.75 * top, top, 3 / top, 4 / top};
    opn_i_csr x = {0};
    assert_int_equal(opn_i_csr_from_triples(ctx, 2, 2, 4, row, col, value, &x), OPN_OK);
    assert_int_equal(opn_i_features_l2_normalise(ctx, &x), OPN_OK);
    for (int e = 0; e < 4; e++)
        expect_close((double)x.value[e], e % 2 == 0 ? 0.6 : 0.8, 1e-5, 1.0);
    opn_i_csr_deinit(&ctx->alloc, &x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(rows_keep_their_direction_and_get_length_1),
            WITH_CTX(lengths_neither_overflow_nor_vanish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
