// exec_test.c -- kernels over all rows: right for whole matrices and for some columns of
// wider ones, the same bits on any
// number of threads, and the bits of dropout.

#include "math/exec.h"
#include "support/cmocka_test.h"
#include "support/sample_network.h"
#include "support/support.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *new_items(size_t n, size_t size)
{
    void *items = calloc(n + 1, size);
    assert_non_null(items);
    return items;
}

// ---- layouts -------------------------------------------------------------------------

// Widths of one slice and of several.
static const int32_t widths[] = {8, 16, 24, 64, 88};

enum { N_WIDTHS = sizeof(widths) / sizeof(widths[0]) };

static void widths_are_whole_vectors_and_are_cut_into_slices(void **state)
{
    (void)state;
    for (int32_t n_cols = 1; n_cols <= 70; n_cols++) {
        const int32_t width = opn_i_width(n_cols);
        assert_true(width % OPN_LANES == 0 && width >= n_cols);
        assert_true(width - n_cols < OPN_LANES);
        int32_t at = 0;
        while (at < width) {
            const int32_t n = opn_i_slice(width, at);
            assert_true(n == 8 || n == 16 || n == 32 || n == OPN_SLICE);
            assert_true(n == OPN_SLICE || at + 2 * n > width);
            at += n;
        }
        assert_int_equal(at, width);
    }
}

static void columns_of_a_matrix_keep_its_stride(void **state)
{
    (void)state;
    enum { N = 5, WIDTH = 24 };
    opn_real data[N * WIDTH];
    const opn_i_dense x = opn_i_rows(data, N, WIDTH);
    const opn_i_dense part = opn_i_columns(x, 8, 16);
    assert_int_equal(part.width, 16);
    for (int32_t i = 0; i < N; i++)
        for (int32_t k = 0; k < 16; k++)
            assert_ptr_equal(opn_i_element(part, i, k), opn_i_element(x, i, 8 + k));
}

static void arenas_begin_on_a_line_and_are_cut_at_lines(void **state)
{
    (void)state;
    static opn_real arena[3 * OPN_LINE];
    for (size_t j = 0; j <= OPN_LINE; j++) {
        opn_real *line = opn_i_on_line(arena + j);
        assert_true(line >= arena + j && line < arena + j + OPN_LINE);
        assert_true((uintptr_t)line % (OPN_LINE * sizeof(*line)) == 0);
        assert_ptr_equal(opn_i_on_line(line), line);
    }
    for (size_t n = 0; n <= 3 * OPN_LINE; n++) {
        const size_t whole = opn_i_whole_lines(n);
        assert_true(whole % OPN_LINE == 0 && whole >= n && whole - n < OPN_LINE);
    }
}

// ---- whole matrices and columns of wider ones ----------------------------------------

// What is beyond the requested rows.
static const opn_real untouched = 77;

// Has four numbers more, of which none may change. A part is the first columns of a wider
// matrix.
static opn_i_dense new_dense(int32_t n_rows, int32_t width, bool is_part)
{
    const int32_t stride = is_part ? width + 16 : width;
    const size_t n = (size_t)n_rows * (size_t)stride + 4;
    opn_real *data = new_items(n, sizeof(*data));
    for (size_t j = 0; j < n; j++)
        data[j] = untouched;
    return (opn_i_dense){data, n_rows, width, stride};
}

// The same matrix, whole or a part; columns from n_cols on are 0.
static opn_i_dense
new_drawn(uint64_t seed, int32_t n_rows, int32_t n_cols, int32_t width, bool is_part)
{
    const opn_i_dense x = new_dense(n_rows, width, is_part);
    for (int32_t i = 0; i < n_rows; i++)
        for (int32_t k = 0; k < width; k++)
            *opn_i_element(x, i, k) = k < n_cols ? (opn_real)draw(&seed, -1.0, 1.0) : 0;
    return x;
}

static size_t n_bytes_of(opn_i_dense x)
{
    return ((size_t)x.n_rows * (size_t)x.stride + 4) * sizeof(*x.data);
}

// Asserts that the first n_rows rows are those of want [n_rows,width] and that all else
// is untouched. What is 0 must be so.
static void expect_dense(opn_i_dense y, int32_t n_rows, const double *want, double floor)
{
    for (int32_t i = 0; i < y.n_rows; i++) {
        for (int32_t k = 0; k < y.stride; k++) {
            const opn_real got = *opn_i_element(y, i, k);
            if (i >= n_rows || k >= y.width) {
                assert_true(got == untouched);
                continue;
            }
            const double right = want[(size_t)i * (size_t)y.width + (size_t)k];
            expect_close((double)got, right, by_build(1e-6, 1e-14),
                         right == 0.0 ? 0.0 : floor);
        }
    }
    for (size_t j = 0; j < 4; j++)
        assert_true(y.data[(size_t)y.n_rows * (size_t)y.stride + j] == untouched);
}

// ---- threads -------------------------------------------------------------------------

static void threads_are_as_many_as_the_work_is_worth(void **state)
{
    (void)state;
    const opn_i_exec exec = {.kernels = opn_k_table_ref(), .n_threads = 8};
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

// A product and all that it needs.
typedef struct product {
    const opn_k_sparse *a;
    const uint64_t *map;
    const opn_real *scale;
    const opn_k_finish *finish;
    int32_t n_rows, n_inner, n_blocks;
    opn_i_dense x, w;
    const opn_real *active;
    opn_real *partial;
    double floor; // of what is to be compared
} product;

typedef void run_product(const opn_i_exec *exec, const product *p, opn_i_dense y);

static int stop_at(void *user)
{
    long *n_left = user;
    return --*n_left < 0;
}

// Asserts that a product with a look after every few tasks has the same bits, and that
// one that is stopped leaves at once.
static void expect_watched(const opn_i_exec *exec,
                           run_product *run,
                           const product *p,
                           opn_i_dense y,
                           opn_i_dense other)
{
    opn_ctx *ctx = NULL;
    long n_left = LONG_MAX;
    const opn_hooks hooks = {
            .size = sizeof(hooks), .interrupted = stop_at, .user = &n_left};
    assert_int_equal(opn_ctx_create(NULL, &ctx), OPN_OK);
    assert_int_equal(opn_ctx_set_hooks(ctx, &hooks), OPN_OK);
    opn_i_watch watch = {.ctx = ctx, .stage = "multiplying", .work = 1 << 16};
    const opn_i_exec watched = opn_i_watched(exec, &watch);
    run(&watched, p, other);
    assert_memory_equal(other.data, y.data, n_bytes_of(y));
    assert_int_equal(watch.status, OPN_OK);
    const long n_looks = LONG_MAX - n_left;
    n_left = n_looks / 2;
    run(&watched, p, other);
    assert_int_equal(watch.status, n_looks == 0 ? OPN_OK : OPN_ERR_INTERRUPTED);
    assert_true(n_left >= -1); // it did not ask again
    if (n_looks > 0)
        assert_string_equal(opn_ctx_error(ctx), "interrupted while multiplying");
    opn_ctx_free(ctx);
}

// Asserts that the product is right, and the same on any number of threads.
static void
expect_product(run_product *run, const product *p, opn_i_dense y, const double *want)
{
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    const opn_i_dense other = new_dense(y.n_rows, y.width, y.stride > y.width);
    for (int t = 0; t < n_tables; t++) {
        for (int c = 0; c < N_THREAD_COUNTS; c++) {
            const opn_i_exec exec = {.kernels = table[t], .n_threads = thread_counts[c]};
            run(&exec, p, c == 0 ? y : other);
            if (c > 0)
                assert_memory_equal(other.data, y.data, n_bytes_of(y));
            if (t == 0) // whatever the kernels
                expect_watched(&exec, run, p, y, other);
        }
        expect_dense(y, p->n_rows, want, p->floor);
    }
    free(other.data);
}

// Numbers of rows around one chunk, and enough for four threads, so that every number of
// threads is another one.
static int32_t pick_rows(int size, int32_t in_chunk, int64_t work_a_row)
{
    const int32_t few[] = {0, 1, in_chunk, in_chunk + 1};
    return size < 4 ? few[size] : (int32_t)((INT64_C(9) << 19) / work_a_row);
}

enum { N_SIZES = 5 };

// Large ones take their time: a narrow and a wide one stand for all.
static bool is_spared(int size, int32_t width)
{
    return size == N_SIZES - 1 && width != 16 && width != 88;
}

// ---- sparse products -----------------------------------------------------------------

// A sparse matrix of rows with up to A_ROW entries, the last row without any.
enum { A_ROW = 7, SPARSE_COLS = 300 };

typedef struct sparse {
    opn_off *ptr;
    int32_t *col;
    opn_real *value, *scale;
} sparse;

static sparse new_sparse(uint64_t *random, int32_t n_rows)
{
    const size_t n = (size_t)n_rows;
    const sparse s = {.ptr = new_items(n + 1, sizeof(*s.ptr)),
                      .col = new_items(n * A_ROW + 1, sizeof(*s.col)),
                      .value = new_items(n * A_ROW + 1, sizeof(*s.value)),
                      .scale = new_items(n, sizeof(*s.scale))};
    for (int32_t i = 0; i < n_rows; i++) {
        s.ptr[i + 1] = s.ptr[i] + (i == n_rows - 1 ? 0 : i % (A_ROW + 1));
        s.scale[i] = (opn_real)draw(random, 0.5, 2.0);
    }
    for (opn_off e = 0; e < s.ptr[n_rows]; e++) {
        s.col[e] = (int32_t)below(random, SPARSE_COLS);
        s.value[e] = (opn_real)draw(random, -1.0, 1.0);
    }
    return s;
}

static void free_sparse(sparse s)
{
    free(s.ptr);
    free(s.col);
    free(s.value);
    free(s.scale);
}

static void run_spmm(const opn_i_exec *exec, const product *p, opn_i_dense y)
{
    opn_i_spmm(exec, p->a, p->n_rows, opn_i_as_const(p->x), y, p->finish);
}

// Element (i, k) of the product, finished.
static double spmm_element(const product *p, opn_i_dense y, int32_t i, int32_t k)
{
    const ptrdiff_t place = opn_i_element(y, i, k) - y.data;
    double sum = 0.0;
    for (opn_off e = p->a->begin[i]; e < p->a->end[i]; e++)
        sum += (double)p->a->value[e] * (double)*opn_i_element(p->x, p->a->col[e], k);
    sum *= (double)p->a->scale[i];
    if (p->finish == NULL)
        return sum;
    sum = (double)p->finish->base_factor * (double)p->finish->base[place] - sum;
    return opn_i_bit(p->finish->bits, p->finish->first_bit + place)
                   ? fmax(sum, 0.0) * (double)p->finish->factor
                   : 0.0;
}

static void spmm_is_right_in_whole_and_in_part_and_on_any_number_of_threads(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (int round = 0; round < N_WIDTHS * N_SIZES * 8; round++) {
        const int32_t width = widths[round % N_WIDTHS];
        const int size = round / N_WIDTHS % N_SIZES, kind = round / N_WIDTHS / N_SIZES;
        const bool has_finish = kind % 2 == 0, x_is_part = kind / 4 == 0;
        const bool y_is_part = (kind / 2 % 2 == 0) == x_is_part;
        if (is_spared(size, width) ||
            (size == N_SIZES - 1 && (!has_finish || x_is_part != y_is_part)))
            continue;
        const int32_t n_rows = pick_rows(size, 256, width * (A_ROW / 2 + 1));
        const sparse s = new_sparse(&random, n_rows);
        const opn_k_sparse a = {s.ptr, s.ptr + 1, s.col, s.value, s.scale};
        const opn_i_dense y = new_dense(n_rows + 3, width, y_is_part);
        const opn_i_dense base = new_drawn(2, n_rows + 3, width, width, y_is_part);
        const int64_t n_bits = 24 + (int64_t)(n_rows + 3) * y.stride;
        uint64_t *bits = new_items(opn_i_bit_words(n_bits), sizeof(*bits));
        const opn_i_exec one = {.kernels = opn_k_table_ref(), .n_threads = 1};
        opn_i_keep_bits(&one, 1, OPN_STREAM_STUDENT_HIDDEN, 0, 0.5, n_bits, bits);
        const opn_k_finish finish = {.base = base.data,
                                     .base_factor = (opn_real)1.75,
                                     .rectifies = true,
                                     .factor = (opn_real)1.25,
                                     .bits = bits,
                                     .first_bit = 24};
        const product p = {.a = &a,
                           .n_rows = n_rows,
                           .x = new_drawn(3, SPARSE_COLS, width, width, x_is_part),
                           .finish = has_finish ? &finish : NULL,
                           .floor = 10.0};
        double *want = new_items((size_t)n_rows * (size_t)width, sizeof(*want));
        for (int32_t i = 0; i < n_rows; i++)
            for (int32_t k = 0; k < width; k++)
                want[(size_t)i * (size_t)width + (size_t)k] = spmm_element(&p, y, i, k);
        expect_product(run_spmm, &p, y, want);
        free_sparse(s);
        free(y.data);
        free(base.data);
        free(bits);
        free(p.x.data);
        free(want);
    }
}

static void run_scatter(const opn_i_exec *exec, const product *p, opn_i_dense y)
{
    opn_i_scatter(exec, p->a, p->n_inner, opn_i_as_const(p->x), p->n_blocks, p->partial,
                  y);
}

static void scatter_sums_blocks_in_an_order_that_threads_do_not_change(void **state)
{
    (void)state;
    static const int32_t n_all_blocks[] = {1, 2, 7, 16};
    uint64_t random = 11;
    for (int round = 0; round < 2 * 2 * N_SIZES * 4; round++) {
        const int32_t width = round % 2 == 0 ? OPN_LANES : OPN_SLICE + OPN_LANES;
        const bool is_part = round / 2 % 2 == 0;
        const int32_t n_rows = pick_rows(round / 4 % N_SIZES, 16, width * (A_ROW / 2));
        const sparse s = new_sparse(&random, n_rows);
        const opn_k_sparse a = {s.ptr, s.ptr + 1, s.col, s.value, s.scale};
        const int32_t n_blocks = n_all_blocks[round / 4 / N_SIZES];
        const size_t n_partial = (size_t)((n_blocks - 1) * SPARSE_COLS * width);
        const opn_i_dense y = new_dense(SPARSE_COLS, width, is_part);
        const product p = {.a = &a,
                           .n_rows = SPARSE_COLS,
                           .n_inner = n_rows,
                           .n_blocks = n_blocks,
                           .x = new_drawn(12, n_rows, width, width, is_part),
                           .partial = new_items(n_partial, sizeof(*p.partial)),
                           .floor = 10.0 * (1.0 + sqrt(n_rows))};
        double want[SPARSE_COLS * 2 * OPN_SLICE] = {0.0};
        for (int32_t i = 0; i < n_rows; i++)
            for (opn_off e = s.ptr[i]; e < s.ptr[i + 1]; e++)
                for (int32_t k = 0; k < width; k++)
                    want[s.col[e] * width + k] += (double)s.scale[i] *
                                                  (double)s.value[e] *
                                                  (double)*opn_i_element(p.x, i, k);
        expect_product(run_scatter, &p, y, want);
        free_sparse(s);
        free(y.data);
        free(p.x.data);
        free(p.partial);
    }
}

// ---- binary products -----------------------------------------------------------------

static void run_lookup(const opn_i_exec *exec, const product *p, opn_i_dense y)
{
    opn_i_lookup(exec, p->map, p->scale, p->n_inner, opn_i_as_const(p->x), y);
}

static void lookup_is_right_for_any_columns_and_on_any_number_of_threads(void **state)
{
    (void)state;
    static const int32_t n_all_cols[] = {1, 64, 65, 200};
    uint64_t random = 4;
    for (int round = 0; round < N_WIDTHS * N_SIZES * 4 * 2; round++) {
        const int32_t width = widths[round % N_WIDTHS];
        const int size = round / N_WIDTHS % N_SIZES;
        const int32_t n_cols = n_all_cols[round / N_WIDTHS / N_SIZES % 4];
        const bool has_scale = round / N_WIDTHS / N_SIZES / 4 == 0;
        if (is_spared(size, width) ||
            (size == N_SIZES - 1 && (!has_scale || n_cols < 200)))
            continue;
        const bool is_part = !has_scale;
        const int32_t n_rows = pick_rows(size, 1024, width * n_cols / 4);
        const size_t n_words = (size_t)n_rows * (size_t)((n_cols + 63) / 64);
        const opn_i_dense y = new_dense(n_rows, width, is_part);
        const opn_i_dense x = new_drawn(5, n_cols, width, width, is_part);
        uint64_t *map = new_items(n_words, sizeof(*map));
        opn_real *scale = new_items((size_t)n_rows, sizeof(*scale));
        double *want = new_items((size_t)n_rows * (size_t)width, sizeof(*want));
        for (int32_t i = 0; i < n_rows; i++) {
            scale[i] = (opn_real)draw(&random, 0.5, 2.0);
            double *row = want + (size_t)i * (size_t)width;
            for (int32_t h = 0; h < n_cols; h++) {
                uint64_t *word = map + i + (size_t)(h / 64) * (size_t)n_rows;
                const bool is_set = below(&random, 3) == 0;
                *word |= (uint64_t)is_set << (h % 64);
                for (int32_t k = 0; k < width && is_set; k++)
                    row[k] += (double)*opn_i_element(x, h, k);
            }
            for (int32_t k = 0; k < width && has_scale; k++)
                row[k] *= (double)scale[i];
        }
        const product p = {.map = map,
                           .scale = has_scale ? scale : NULL,
                           .n_rows = n_rows,
                           .n_inner = n_cols,
                           .x = x,
                           .floor = 20.0};
        expect_product(run_lookup, &p, y, want);
        free(y.data);
        free(x.data);
        free(map);
        free(scale);
        free(want);
    }
}

// ---- dense products ------------------------------------------------------------------

static void run_matmul(const opn_i_exec *exec, const product *p, opn_i_dense y)
{
    opn_i_matmul(exec, p->n_rows, p->n_inner, opn_i_as_const(p->x), opn_i_as_const(p->w),
                 y, p->active, (opn_real)1.6);
}

static double matmul_element(const product *p, opn_i_dense y, int32_t i, int32_t k)
{
    double sum = 0.0;
    if (p->active != NULL && !(p->active[opn_i_element(y, i, k) - y.data] > 0))
        return 0.0;
    for (int32_t h = 0; h < p->n_inner; h++)
        sum += (double)*opn_i_element(p->x, i, h) * (double)*opn_i_element(p->w, h, k);
    return p->active == NULL ? sum : sum * (double)(opn_real)1.6;
}

static void
matmul_is_right_in_whole_and_in_part_and_on_any_number_of_threads(void **state)
{
    (void)state;
    static const int32_t n_inners[] = {1, 15, 16, 17, 40};
    for (int round = 0; round < N_WIDTHS * N_SIZES * 16; round++) {
        const int32_t width = widths[round % N_WIDTHS];
        const int size = round / N_WIDTHS % N_SIZES, kind = round / N_WIDTHS / N_SIZES;
        const bool x_is_part = kind % 2 == 0, w_is_part = kind / 2 % 2 == 0;
        const bool y_is_part = kind / 4 % 2 == 0, has_active = kind / 8 == 0;
        const bool is_mixed = x_is_part != w_is_part || x_is_part != y_is_part;
        if (is_spared(size, width) || (size == N_SIZES - 1 && (!has_active || is_mixed)))
            continue;
        const int32_t n_inner = size == N_SIZES - 1 ? 29 : n_inners[(kind + round) % 5];
        const int32_t n_rows = pick_rows(size, 256, width * n_inner / 4);
        const int32_t x_width = opn_i_width(n_inner);
        const opn_i_dense active = new_drawn(6, n_rows + 3, width, width, y_is_part);
        const opn_i_dense y = new_dense(n_rows + 3, width, y_is_part);
        const product p = {.n_rows = n_rows,
                           .n_inner = n_inner,
                           .x = new_drawn(7, n_rows, n_inner, x_width, x_is_part),
                           .w = new_drawn(8, n_inner, width, width, w_is_part),
                           .active = has_active ? active.data : NULL,
                           .floor = 10.0};
        double *want = new_items((size_t)n_rows * (size_t)width, sizeof(*want));
        for (int32_t i = 0; i < n_rows; i++)
            for (int32_t k = 0; k < width; k++)
                want[(size_t)i * (size_t)width + (size_t)k] = matmul_element(&p, y, i, k);
        expect_product(run_matmul, &p, y, want);
        free(active.data);
        free(y.data);
        free(p.x.data);
        free(p.w.data);
        free(want);
    }
}

static void run_matmul_tn(const opn_i_exec *exec, const product *p, opn_i_dense sum)
{
    opn_i_matmul_tn(exec, p->n_inner, p->n_rows, opn_i_as_const(p->x),
                    opn_i_as_const(p->w), p->partial, sum.data);
}

// Sums over rows: right at sizes around the number of blocks, and the same everywhere.
static void matmul_tn_sums_all_rows_in_an_order_that_threads_do_not_change(void **state)
{
    (void)state;
    enum { MOST_OUTER = 40, MOST_WIDTH = 88, N_COUNTS = 7 };
    static const int32_t n_outers[] = {9, 16, 17, MOST_OUTER};
    static const int32_t counts[N_COUNTS] = {0, 1, 15, 16, 17, 100, -1};
    for (int round = 0; round < N_WIDTHS * N_COUNTS * 4; round++) {
        const int32_t width = widths[round % N_WIDTHS];
        const bool x_is_part = round / N_WIDTHS / N_COUNTS % 2 == 0;
        const bool g_is_part = round / N_WIDTHS / N_COUNTS / 2 == 0;
        const int32_t n_outer = n_outers[(round + round / 4) % 4];
        const int32_t count = counts[round / N_WIDTHS % N_COUNTS];
        if (count < 0 && x_is_part != g_is_part)
            continue;
        const int32_t n = count < 0 ? pick_rows(4, 0, width * n_outer / 4) : count;
        const size_t n_sums = (size_t)n_outer * (size_t)width;
        const opn_i_dense sum = new_dense(n_outer, width, false);
        const product p = {.n_rows = n_outer,
                           .n_inner = n,
                           .x = new_drawn(9, n, n_outer, opn_i_width(n_outer), x_is_part),
                           .w = new_drawn(10, n, width, width, g_is_part),
                           .partial =
                                   new_items(OPN_SUM_BLOCKS * n_sums, sizeof(*p.partial)),
                           .floor = 10.0 * (1.0 + sqrt(n))};
        double want[MOST_OUTER * MOST_WIDTH] = {0.0};
        for (int32_t i = 0; i < n; i++)
            for (int32_t j = 0; j < n_outer * width; j++)
                want[j] += (double)*opn_i_element(p.x, i, j / width) *
                           (double)*opn_i_element(p.w, i, j % width);
        expect_product(run_matmul_tn, &p, sum, want);
        free(sum.data);
        free(p.x.data);
        free(p.w.data);
        free(p.partial);
    }
}

// ---- numbers -------------------------------------------------------------------------

static void one_number_that_is_not_finite_is_found_wherever_it_is(void **state)
{
    (void)state;
    enum { MOST = 40 };
    opn_real x[MOST + 1];
    for (int j = 0; j <= MOST; j++)
        x[j] = (opn_real)(j % 2 == 0 ? 3e38 : -3e38);
    for (size_t n = 0; n <= MOST; n++) {
        const opn_real kept = x[n];
        x[n] = (opn_real)NAN; // just beyond
        assert_true(opn_i_all_finite(n, x));
        x[n] = kept;
        for (size_t j = 0; j < n; j++) {
            const opn_real was = x[j];
            x[j] = (opn_real)(n % 3 == 0 ? NAN : n % 3 == 1 ? INFINITY : -INFINITY);
            assert_false(opn_i_all_finite(n, x));
            x[j] = was;
        }
    }
}

// ---- dropout -------------------------------------------------------------------------

// Eight bits decide at any rate but 1/2, one bit there, taken in order from the
// generator's words.
static void
expect_defined_bits(uint32_t step, double rate, int64_t n, const uint64_t *bits)
{
    for (int64_t j = 0; j < n; j++) {
        const int64_t word = rate == 0.5 ? j / 32 : j / 4;
        const opn_i_random4 drawn =
                opn_i_random(9, OPN_STREAM_SAMPLE_HIDDEN, step, (uint64_t)(word / 4));
        const uint32_t w = drawn.word[word % 4];
        const bool want = rate == 0.5 ? (w >> (j % 32) & 1) != 0
                                      : (w >> (8 * (j % 4)) & 0xff) >=
                                                (uint32_t)lround(rate * 256.0);
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
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    for (int round = 0; round < n_tables * 9 * 3; round++) {
        const opn_i_exec exec = {.kernels = table[round % n_tables], .n_threads = 1};
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
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    for (int r = 0; r < 2; r++) {
        const int64_t n = ((INT64_C(1) << 23) + 777) * (r == 0 ? 1 : 16);
        const size_t n_bytes = opn_i_bit_words(n) * sizeof(uint64_t);
        uint64_t *first = new_items(opn_i_bit_words(n), sizeof(*first));
        uint64_t *other = new_items(opn_i_bit_words(n), sizeof(*other));
        for (int t = 0; t < n_tables; t++) {
            for (int c = 0; c < N_THREAD_COUNTS; c++) {
                const opn_i_exec exec = {.kernels = table[t],
                                         .n_threads = thread_counts[c]};
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
    const opn_i_exec exec = {.kernels = opn_k_select(), .n_threads = 1};
    for (int r = 0; r < 6; r++) {
        const double kept = 1.0 - opn_i_met_rate(rates[r]);
        assert_true(fabs(opn_i_met_rate(rates[r]) - rates[r]) <= 1.0 / 512.0);
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

static void a_rate_that_is_not_0_drops_something_and_keeps_something(void **state)
{
    (void)state;
    static const double rates[][2] = {
            {0.0, 0.0},   {1e-9, 1.0 / 256},     {0.5, 0.5},
            {0.25, 0.25}, {1.0 / 3, 85.0 / 256}, {0.999999, 255.0 / 256}};
    for (int r = 0; r < 6; r++)
        assert_true(opn_i_met_rate(rates[r][0]) == rates[r][1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(widths_are_whole_vectors_and_are_cut_into_slices),
            cmocka_unit_test(columns_of_a_matrix_keep_its_stride),
            cmocka_unit_test(arenas_begin_on_a_line_and_are_cut_at_lines),
            cmocka_unit_test(threads_are_as_many_as_the_work_is_worth),
            cmocka_unit_test(
                    spmm_is_right_in_whole_and_in_part_and_on_any_number_of_threads),
            cmocka_unit_test(scatter_sums_blocks_in_an_order_that_threads_do_not_change),
            cmocka_unit_test(
                    lookup_is_right_for_any_columns_and_on_any_number_of_threads),
            cmocka_unit_test(
                    matmul_is_right_in_whole_and_in_part_and_on_any_number_of_threads),
            cmocka_unit_test(
                    matmul_tn_sums_all_rows_in_an_order_that_threads_do_not_change),
            cmocka_unit_test(one_number_that_is_not_finite_is_found_wherever_it_is),
            cmocka_unit_test(a_bit_depends_on_seed_stream_step_and_element_alone),
            cmocka_unit_test(bits_are_the_same_on_any_number_of_threads),
            cmocka_unit_test(the_rate_is_met_and_masks_of_two_steps_are_independent),
            cmocka_unit_test(a_rate_that_is_not_0_drops_something_and_keeps_something),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
