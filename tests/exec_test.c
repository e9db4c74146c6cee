// exec_test.c -- kernels over all rows: the same bits on any number of threads, and the
// bits of dropout.

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "math/exec.h"
#include "support/network.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *new_items(size_t n, size_t size)
{
    void *items = calloc(n + 1, size);
    assert_non_null(items);
    return items;
}

static opn_real *new_drawn(uint64_t *random, int32_t n_rows, int32_t width)
{
    opn_real *rows = new_items((size_t)n_rows * (size_t)width, sizeof(*rows));
    draw_rows(random, n_rows, width, width, -1.0, 1.0, rows);
    return rows;
}

// ---- threads -------------------------------------------------------------------------

static void threads_are_as_many_as_the_work_is_worth(void **state)
{
    (void)state;
    const opn_i_exec exec = {opn_k_table_ref(), 8};
    assert_int_equal(opn_i_exec_threads(&exec, 0), 1);
    assert_int_equal(opn_i_exec_threads(&exec, 1), 1);
    assert_int_equal(opn_i_exec_threads(&exec, INT64_MAX), 8);
    int last = 1;
    for (int64_t work = 1; work < INT64_C(1) << 40; work *= 2) {
        const int n = opn_i_exec_threads(&exec, work);
        assert_true(n >= last && n <= 8);
        last = n;
    }
}

// Work for eight threads and more.
enum { SPARSE_ROWS = 30011, SPARSE_WIDTH = 64, A_ROW = 5 };

static void spmm_has_the_same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    const opn_k_table *table[2];
    const int n_tables = all_tables(table);
    const size_t n = (size_t)SPARSE_ROWS * SPARSE_WIDTH;
    uint64_t random = 1;
    opn_off *begin = new_items(SPARSE_ROWS, sizeof(*begin));
    int32_t *col = new_items((size_t)SPARSE_ROWS * A_ROW, sizeof(*col));
    opn_real *x = new_drawn(&random, SPARSE_ROWS, SPARSE_WIDTH);
    opn_real *first = new_items(n, sizeof(*first));
    opn_real *other = new_items(n, sizeof(*other));
    for (int32_t i = 0; i < SPARSE_ROWS; i++)
        begin[i + 1] = begin[i] + i % (A_ROW + 1);
    for (opn_off e = 0; e < begin[SPARSE_ROWS]; e++)
        col[e] = (int32_t)below(&random, SPARSE_ROWS);
    const opn_k_sparse a = {.begin = begin, .end = begin + 1, .col = col};
    for (int t = 0; t < n_tables; t++) {
        table[t]->spmm(&a, 0, SPARSE_ROWS, SPARSE_WIDTH, x, first);
        for (int c = 0; c < N_THREAD_COUNTS; c++) {
            const opn_i_exec exec = {table[t], thread_counts[c]};
            memset(other, 0xff, n * sizeof(*other));
            opn_i_spmm(&exec, &a, SPARSE_ROWS, SPARSE_WIDTH, x, other);
            assert_memory_equal(other, first, n * sizeof(*first));
        }
    }
    free(begin);
    free(col);
    free(x);
    free(first);
    free(other);
}

static void matmul_has_the_same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    enum { ROWS = 70003, INNER = 29, X_WIDTH = 32, WIDTH = 16 };
    const opn_k_table *table[2];
    const int n_tables = all_tables(table);
    uint64_t random = 2;
    opn_real *x = new_drawn(&random, ROWS, X_WIDTH);
    opn_real *w = new_drawn(&random, INNER, WIDTH);
    opn_real *first = new_items((size_t)ROWS * WIDTH, sizeof(*first));
    opn_real *other = new_items((size_t)ROWS * WIDTH, sizeof(*other));
    for (int t = 0; t < n_tables; t++) {
        table[t]->matmul(0, ROWS, INNER, X_WIDTH, WIDTH, x, w, first);
        for (int c = 0; c < N_THREAD_COUNTS; c++) {
            const opn_i_exec exec = {table[t], thread_counts[c]};
            memset(other, 0xff, (size_t)ROWS * WIDTH * sizeof(*other));
            opn_i_matmul(&exec, ROWS, INNER, X_WIDTH, WIDTH, x, w, other);
            assert_memory_equal(other, first, (size_t)ROWS * WIDTH * sizeof(*first));
        }
    }
    free(x);
    free(w);
    free(first);
    free(other);
}

// Sums over rows: right at sizes around the number of blocks, and the same everywhere.
static void matmul_tn_sums_all_rows_in_an_order_that_threads_do_not_change(void **state)
{
    (void)state;
    enum { OUTER = 9, X_WIDTH = 16, WIDTH = 16 };
    static const int32_t sizes[] = {0, 1, 15, 16, 17, 100, 240007};
    static opn_real partial[OPN_SUM_BLOCKS * OUTER * WIDTH];
    const opn_k_table *table[2];
    const int n_tables = all_tables(table);
    uint64_t random = 3;
    for (int s = 0; s < 7; s++) {
        opn_real *x = new_drawn(&random, sizes[s], X_WIDTH);
        opn_real *g = new_drawn(&random, sizes[s], WIDTH);
        double want[OUTER * WIDTH] = {0.0};
        for (int32_t i = 0; i < sizes[s]; i++)
            for (int j = 0; j < OUTER * WIDTH; j++)
                want[j] += (double)x[i * X_WIDTH + j / WIDTH] *
                           (double)g[i * WIDTH + j % WIDTH];
        for (int t = 0; t < n_tables; t++) {
            opn_real first[OUTER * WIDTH], other[OUTER * WIDTH];
            for (int c = 0; c < N_THREAD_COUNTS; c++) {
                const opn_i_exec exec = {table[t], thread_counts[c]};
                opn_i_matmul_tn(&exec, sizes[s], OUTER, X_WIDTH, WIDTH, x, g, partial,
                                c == 0 ? first : other);
                if (c > 0)
                    assert_memory_equal(other, first, sizeof(first));
            }
            expect_rows(OUTER, WIDTH, WIDTH, first, want, by_build(1e-5, 1e-13),
                        1.0 + sqrt(sizes[s]));
        }
        free(x);
        free(g);
    }
}

static void relu_drop_has_the_same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    const int64_t n = (INT64_C(1) << 23) + 1000;
    const opn_i_exec one = {opn_k_select(), 1};
    uint64_t random = 4;
    opn_real *was = new_drawn(&random, (int32_t)(n / 8), 8);
    opn_real *first = new_items((size_t)n, sizeof(*first));
    opn_real *other = new_items((size_t)n, sizeof(*other));
    uint64_t *bits = new_items(opn_i_bit_words(n), sizeof(*bits));
    const size_t n_bytes = (size_t)n * sizeof(*first);
    opn_i_keep_bits(&one, 1, OPN_STREAM_STUDENT_HIDDEN, 0, 0.5, n, bits);
    memcpy(first, was, n_bytes);
    one.kernels->relu_drop((size_t)n, 2, bits, first);
    for (int c = 0; c < N_THREAD_COUNTS; c++) {
        const opn_i_exec exec = {one.kernels, thread_counts[c]};
        memcpy(other, was, n_bytes);
        opn_i_relu_drop(&exec, (size_t)n, 2, bits, other);
        assert_memory_equal(other, first, n_bytes);
        memcpy(other, was, n_bytes);
        opn_i_relu_drop_back(&exec, (size_t)n, 2, first, other);
        for (int64_t j = 0; j < n; j++)
            assert_true(other[j] == (first[j] > 0 ? 2 * was[j] : 0));
    }
    free(was);
    free(first);
    free(other);
    free(bits);
}

// ---- dropout -------------------------------------------------------------------------

// Sixteen bits decide at any rate but 1/2, one bit there, taken in order from the
// generator's words.
static void
expect_defined_bits(uint32_t step, double rate, int64_t n, const uint64_t *bits)
{
    for (int64_t j = 0; j < n; j++) {
        const int64_t word = rate == 0.5 ? j / 32 : j / 2;
        const opn_i_random4 drawn =
                opn_i_random(9, OPN_STREAM_SAMPLE_HIDDEN, step, (uint64_t)(word / 4));
        const uint32_t w = drawn.word[word % 4];
        const bool want = rate == 0.5 ? (w >> (j % 32) & 1) != 0
                                      : (w >> (16 * (j % 2)) & 0xffff) >=
                                                (uint32_t)lround(rate * 65536.0);
        assert_true(opn_i_bit(bits, j) == want);
    }
}

static void a_bit_depends_on_seed_stream_step_and_element_alone(void **state)
{
    (void)state;
    enum { MOST = 300000 };
    static const int64_t sizes[] = {1, 63, 64, 65, 127, 128, 129, 5000, MOST};
    static const double rates[] = {0.5, 0.2, 0.75};
    static uint64_t bits[MOST / 64 + 1];
    const opn_k_table *table[2];
    const int n_tables = all_tables(table);
    for (int round = 0; round < n_tables * 9 * 3; round++) {
        const opn_i_exec exec = {table[round % n_tables], 1};
        const int64_t n = sizes[round / n_tables % 9];
        const double rate = rates[round / n_tables / 9];
        opn_i_keep_bits(&exec, 9, OPN_STREAM_SAMPLE_HIDDEN, 3, rate, n, bits);
        expect_defined_bits(3, rate, n, bits);
    }
}

static void bits_are_the_same_on_any_number_of_threads(void **state)
{
    (void)state;
    static const double rates[] = {0.3, 0.5};
    const opn_k_table *table[2];
    const int n_tables = all_tables(table);
    for (int r = 0; r < 2; r++) {
        const int64_t n = ((INT64_C(1) << 23) + 777) * (r == 0 ? 1 : 16);
        const size_t n_bytes = opn_i_bit_words(n) * sizeof(uint64_t);
        uint64_t *first = new_items(opn_i_bit_words(n), sizeof(*first));
        uint64_t *other = new_items(opn_i_bit_words(n), sizeof(*other));
        for (int t = 0; t < n_tables; t++) {
            for (int c = 0; c < N_THREAD_COUNTS; c++) {
                const opn_i_exec exec = {table[t], thread_counts[c]};
                const bool is_first = t == 0 && c == 0;
                opn_i_keep_bits(&exec, 5, OPN_STREAM_STUDENT_FEATURES, 8, rates[r], n,
                                is_first ? first : other);
                if (!is_first)
                    assert_memory_equal(other, first, n_bytes);
            }
        }
        free(first);
        free(other);
    }
}

static int64_t count_bits(int64_t n, const uint64_t *a, const uint64_t *b)
{
    int64_t n_set = 0;
    for (int64_t j = 0; j < n; j++)
        n_set += opn_i_bit(a, j) && opn_i_bit(b, j);
    return n_set;
}

// Five standard deviations; seeds are fixed, so this holds always or never.
static void the_rate_is_met_and_masks_of_two_steps_are_independent(void **state)
{
    (void)state;
    enum { N = 400000 };
    static const double rates[] = {0.01, 0.1, 0.2, 0.5, 0.8, 0.99};
    static uint64_t bits[4][N / 64 + 1];
    const opn_i_exec exec = {opn_k_select(), 1};
    for (int r = 0; r < 6; r++) {
        const double kept = 1.0 - rates[r];
        opn_i_keep_bits(&exec, 1, OPN_STREAM_STUDENT_HIDDEN, 0, rates[r], N, bits[0]);
        opn_i_keep_bits(&exec, 1, OPN_STREAM_STUDENT_HIDDEN, 1, rates[r], N, bits[1]);
        opn_i_keep_bits(&exec, 1, OPN_STREAM_TEACHER_HIDDEN, 0, rates[r], N, bits[2]);
        opn_i_keep_bits(&exec, 2, OPN_STREAM_STUDENT_HIDDEN, 0, rates[r], N, bits[3]);
        for (int m = 0; m < 4; m++) {
            const double want = m == 0 ? kept : kept * kept;
            const double got = (double)count_bits(N, bits[0], bits[m]) / N;
            assert_true(fabs(got - want) < 5.0 * sqrt(want * (1.0 - want) / N));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(threads_are_as_many_as_the_work_is_worth),
            cmocka_unit_test(spmm_has_the_same_bits_on_any_number_of_threads),
            cmocka_unit_test(matmul_has_the_same_bits_on_any_number_of_threads),
            cmocka_unit_test(
                    matmul_tn_sums_all_rows_in_an_order_that_threads_do_not_change),
            cmocka_unit_test(relu_drop_has_the_same_bits_on_any_number_of_threads),
            cmocka_unit_test(a_bit_depends_on_seed_stream_step_and_element_alone),
            cmocka_unit_test(bits_are_the_same_on_any_number_of_threads),
            cmocka_unit_test(the_rate_is_met_and_masks_of_two_steps_are_independent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
