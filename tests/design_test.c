// design_test.c -- features as the first layer takes them, whole and with entries
// dropped.

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "model/design.h"
#include "support/network.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

enum { V = 37, F = 21, WIDTH = 16 };

// Kinds of features, each with empty rows and an empty column.
typedef enum feature_kind { BINARY, CONSTANT_ROWS, FREE_VALUES, N_KINDS } feature_kind;

static opn_i_csr draw_features(feature_kind kind, uint64_t *random)
{
    int32_t row[V * F], col[V * F];
    opn_real value[V * F];
    opn_off n = 0;
    for (int32_t i = 0; i < V; i++) {
        const double of_row = draw(random, 0.1, 2.0);
        for (int32_t k = 0; k < F; k++) {
            if (i % 6 == 2 || k == 13 || below(random, 3) != 0)
                continue;
            row[n] = i;
            col[n] = k;
            value[n++] =
                    (opn_real)(kind == FREE_VALUES ? draw(random, -2.0, 2.0) : of_row);
        }
    }
    opn_i_csr x = {0};
    assert_int_equal(opn_i_csr_from_triples(ctx, V, F, n, row, col,
                                            kind == BINARY ? NULL : value, &x),
                     OPN_OK);
    return x;
}

// drop(X) [V,F] in double, from the matrix itself and the bits.
static void
drop_densely(const opn_i_csr *x, const uint64_t *keep, double rate, double *dense)
{
    memset(dense, 0, V * F * sizeof(*dense));
    for (int32_t i = 0; i < V; i++)
        for (opn_off e = x->row_ptr[i]; e < x->row_ptr[i + 1]; e++)
            if (rate == 0.0 || opn_i_bit(keep, e))
                dense[i * F + x->col_idx[e]] =
                        (x->value == NULL ? 1.0 : (double)x->value[e]) / (1.0 - rate);
}

static void expect_products(const opn_i_exec *exec,
                            const opn_i_design *design,
                            const double *dense,
                            uint64_t *random)
{
    opn_real w[F * WIDTH], y[V * WIDTH], g[V * WIDTH], d_w[F * WIDTH];
    double want_y[V * WIDTH] = {0.0}, want_d_w[F * WIDTH] = {0.0};
    opn_k_sparse forward, backward;
    draw_rows(random, F, WIDTH, WIDTH, -1.0, 1.0, w);
    draw_rows(random, V, WIDTH, WIDTH, -1.0, 1.0, g);
    for (int32_t i = 0; i < V; i++) {
        for (int32_t k = 0; k < F; k++) {
            for (int32_t h = 0; h < WIDTH; h++) {
                want_y[i * WIDTH + h] += dense[i * F + k] * (double)w[k * WIDTH + h];
                want_d_w[k * WIDTH + h] += dense[i * F + k] * (double)g[i * WIDTH + h];
            }
        }
    }
    opn_i_design_views(design, &forward, &backward);
    opn_i_spmm(exec, &forward, V, WIDTH, w, y);
    expect_rows(V, WIDTH, WIDTH, y, want_y, by_build(1e-6, 1e-14), 10.0);
    for (int32_t j = 0; j < V * WIDTH; j++)
        g[j] *= design->scale[j / WIDTH];
    opn_i_spmm(exec, &backward, F, WIDTH, g, d_w);
    expect_rows(F, WIDTH, WIDTH, d_w, want_d_w, by_build(1e-6, 1e-14), 10.0);
}

static void products_are_those_of_the_dropped_matrix_both_ways(void **state)
{
    (void)state;
    static const double rates[] = {0.5, 0.0, 0.2, 0.9};
    const opn_k_table *table[2];
    const int n_tables = all_tables(table);
    uint64_t random = 1;
    for (int kind = 0; kind < N_KINDS; kind++) {
        opn_i_csr x = draw_features((feature_kind)kind, &random);
        opn_i_design design = {0};
        assert_int_equal(opn_i_design_init(ctx, &x, &design), OPN_OK);
        for (int round = 0; round < 4 * n_tables; round++) {
            const opn_i_exec exec = {table[round / 4], 1};
            const double rate = rates[round % 4];
            double dense[V * F];
            opn_i_keep_bits(&exec, 4, OPN_STREAM_STUDENT_FEATURES, (uint32_t)round,
                            rate == 0.0 ? 0.5 : rate, opn_i_csr_n_entries(&x),
                            design.keep);
            drop_densely(&x, design.keep, rate, dense);
            opn_i_design_drop(&exec, &design, rate, true);
            expect_products(&exec, &design, dense, &random);
        }
        opn_i_design_deinit(&ctx->alloc, &design);
        opn_i_csr_deinit(&ctx->alloc, &x);
    }
}

static void rows_of_one_value_are_kept_as_a_pattern_and_a_factor(void **state)
{
    (void)state;
    uint64_t random = 2;
    for (int kind = 0; kind < N_KINDS; kind++) {
        opn_i_csr x = draw_features((feature_kind)kind, &random);
        opn_i_design design = {0};
        assert_int_equal(opn_i_design_init(ctx, &x, &design), OPN_OK);
        assert_true((design.row_scale != NULL) == (kind != FREE_VALUES));
        assert_true((design.rows.value == NULL) == (kind != FREE_VALUES));
        assert_true((design.cols.value == NULL) == (kind != FREE_VALUES));
        assert_true((design.rows_value == NULL) == (kind != FREE_VALUES));
        for (opn_off e = 0; e < opn_i_csr_n_entries(&x); e++) {
            const opn_off at = design.cols_entry[e];
            assert_true(at >= 0 && at < opn_i_csr_n_entries(&x));
            int32_t row = 0;
            while (x.row_ptr[row + 1] <= at)
                row++;
            assert_int_equal(design.cols.col_idx[e], row);
            const opn_off first = design.cols.row_ptr[x.col_idx[at]];
            assert_true(e >= first && e < design.cols.row_ptr[x.col_idx[at] + 1]);
        }
        opn_i_design_deinit(&ctx->alloc, &design);
        opn_i_csr_deinit(&ctx->alloc, &x);
    }
}

static void features_that_are_all_zero_give_zero(void **state)
{
    (void)state;
    opn_i_csr x = {0};
    const opn_i_exec exec = {opn_k_select(), 1};
    uint64_t random = 3;
    double dense[V * F] = {0.0};
    assert_int_equal(opn_i_csr_init(ctx, V, F, 0, true, &x), OPN_OK);
    opn_i_design design = {0};
    assert_int_equal(opn_i_design_init(ctx, &x, &design), OPN_OK);
    for (int r = 0; r < 2; r++) {
        opn_i_design_drop(&exec, &design, 0.5 * r, true);
        expect_products(&exec, &design, dense, &random);
    }
    opn_i_design_deinit(&ctx->alloc, &design);
    opn_i_csr_deinit(&ctx->alloc, &x);
}

enum { MANY_ROWS = 50000, MANY_COLS = 500, A_ROW = 45 }; // worth four threads

static opn_i_csr draw_many_features(void)
{
    opn_i_csr x = {0};
    uint64_t random = 4;
    assert_int_equal(opn_i_csr_init(ctx, MANY_ROWS, MANY_COLS, (opn_off)MANY_ROWS * A_ROW,
                                    true, &x),
                     OPN_OK);
    for (int32_t i = 0; i < MANY_ROWS; i++)
        x.row_ptr[i + 1] = x.row_ptr[i] + A_ROW;
    for (opn_off e = 0; e < x.row_ptr[MANY_ROWS]; e++) {
        x.col_idx[e] = (int32_t)(e % A_ROW * 11 + e / A_ROW % 5);
        x.value[e] = (opn_real)draw(&random, -1.0, 1.0);
    }
    return x;
}

static void expect_same_drop(const opn_i_design *got, const opn_i_design *want)
{
    const size_t n = (size_t)want->rows_ptr[MANY_ROWS];
    assert_int_equal(want->cols_ptr[MANY_COLS], n);
    assert_memory_equal(got->rows_ptr, want->rows_ptr, (MANY_ROWS + 1) * sizeof(opn_off));
    assert_memory_equal(got->cols_ptr, want->cols_ptr, (MANY_COLS + 1) * sizeof(opn_off));
    assert_memory_equal(got->rows_col, want->rows_col, n * sizeof(int32_t));
    assert_memory_equal(got->rows_value, want->rows_value, n * sizeof(opn_real));
    assert_memory_equal(got->cols_row, want->cols_row, n * sizeof(int32_t));
    assert_memory_equal(got->cols_value, want->cols_value, n * sizeof(opn_real));
}

// At high rates whole words keep nothing, and a thread's last entries lie close to the
// next thread's first.
static void dropping_gives_the_same_on_any_number_of_threads(void **state)
{
    (void)state;
    static const double rates[] = {0.5, 0.9, 0.99};
    opn_i_csr x = draw_many_features();
    const opn_off n_entries = opn_i_csr_n_entries(&x);
    opn_i_design one = {0};
    opn_i_design design = {0};
    const opn_i_exec plain = {opn_k_table_ref(), 1};
    assert_int_equal(opn_i_design_init(ctx, &x, &one), OPN_OK);
    assert_int_equal(opn_i_design_init(ctx, &x, &design), OPN_OK);
    for (uint32_t round = 0; round < 3 * 3; round++) {
        const double rate = rates[round % 3];
        opn_i_keep_bits(&plain, 1, OPN_STREAM_STUDENT_FEATURES, round, rate, n_entries,
                        one.keep);
        memcpy(design.keep, one.keep, opn_i_bit_words(n_entries) * sizeof(uint64_t));
        opn_i_design_drop(&plain, &one, rate, true);
        for (int c = 0; c < N_THREAD_COUNTS; c++) {
            const opn_i_exec exec = {opn_k_select(), thread_counts[c]};
            memset(design.rows_ptr, 0, (MANY_ROWS + 1) * sizeof(*design.rows_ptr));
            opn_i_design_drop(&exec, &design, rate, true);
            expect_same_drop(&design, &one);
        }
    }
    opn_i_design_deinit(&ctx->alloc, &one);
    opn_i_design_deinit(&ctx->alloc, &design);
    opn_i_csr_deinit(&ctx->alloc, &x);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    uint64_t random = 5;
    opn_i_csr x = draw_features(FREE_VALUES, &random);
    int n_failed = 0;
    for (long fail_at = 1;; fail_at++) {
        meter m = {0};
        opn_ctx *other = support_ctx(&m);
        opn_i_design design = {0};
        m.fail_at = m.n_requests + fail_at;
        const opn_status status = opn_i_design_init(other, &x, &design);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
        assert_true((status == OPN_OK) == (design.keep != NULL));
        opn_i_design_deinit(&other->alloc, &design);
        support_ctx_free(other, &m);
        if (status == OPN_OK)
            break;
        n_failed++;
    }
    assert_true(n_failed >= 10);
    opn_i_csr_deinit(&ctx->alloc, &x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(products_are_those_of_the_dropped_matrix_both_ways),
            WITH_CTX(rows_of_one_value_are_kept_as_a_pattern_and_a_factor),
            WITH_CTX(features_that_are_all_zero_give_zero),
            WITH_CTX(dropping_gives_the_same_on_any_number_of_threads),
            WITH_CTX(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
