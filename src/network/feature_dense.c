// feature_dense.c -- X as an array: for features most of which are not 0. A pass copies
// the kept entries of a few rows at a time, and multiplies those by the dense kernels.

#include "network/feature_strategy.h"

#include <string.h>

// Numbers of rows copied at once, which stay in the L1 or L2 cache until they are used.
enum { BUFFER = OPN_MAX_ARRAY_COLS };

// Lists of an entry take twice its bytes, and four times those of an array that is full;
// with fewer entries either fits the caches.
enum { LEAST_ENTRIES = 1 << 16, MOST_COLS = BUFFER / 4 };

bool opn_i_features_are_dense(const opn_i_features *x)
{
    const opn_off n = opn_i_features_n_entries(x);
    return n >= LEAST_ENTRIES && x->n_cols <= MOST_COLS &&
           (double)n >= 0.5 * x->n_rows * x->n_cols &&
           !opn_i_feature_rows_are_constant(x);
}

opn_status opn_i_feature_dense_fill(opn_ctx *ctx,
                                    const opn_i_features *x,
                                    const int32_t *order,
                                    opn_i_feature_matrix *matrix)
{
    opn_status status = OPN_OK;
    const size_t stride = (size_t)opn_i_width(x->n_cols);
    matrix->rows.n_rows = x->n_rows;
    matrix->rows.n_cols = x->n_cols;
    OPN_TRY_NEW(ctx, matrix->array, OPN_MARGIN + (size_t)x->n_rows * stride);
    opn_real *dense = opn_i_on_line(matrix->array);
    matrix->dense = dense;
    for (int32_t r = 0; r < x->n_rows; r++) {
        const int32_t i = order == NULL ? r : order[r];
        for (opn_i_feature_cursor at = opn_i_features_row(x, i); opn_i_feature_next(&at);)
            dense[(size_t)r * stride + (size_t)at.col] = at.value;
    }
cleanup:
    return status;
}

opn_status opn_i_feature_dense_part(opn_ctx *ctx,
                                    const opn_i_feature_matrix *whole,
                                    const int32_t *node,
                                    int32_t n_rows,
                                    opn_i_feature_matrix *matrix)
{
    opn_status status = OPN_OK;
    matrix->rows.n_rows = n_rows;
    matrix->rows.n_cols = whole->rows.n_cols;
    matrix->dense = whole->dense;
    OPN_TRY_NEW(ctx, matrix->row, n_rows);
    for (int32_t r = 0; r < n_rows; r++)
        matrix->row[r] = whole->row == NULL ? node[r] : whole->row[node[r]];
cleanup:
    return status;
}

static opn_status init_dense(opn_ctx *ctx, opn_i_feature_matrix *matrix)
{
    opn_status status = OPN_OK;
    const size_t n_sums = (size_t)matrix->rows.n_cols * OPN_SLICE;
    OPN_TRY_NEW(ctx, matrix->partial_arena, OPN_MARGIN + OPN_SUM_BLOCKS * n_sums);
    matrix->partial = opn_i_on_line(matrix->partial_arena);
cleanup:
    return status;
}

static void drop_dense(const opn_i_exec *exec,
                       opn_i_feature_matrix *matrix,
                       bool forward,
                       bool backward)
{
    (void)exec, (void)matrix, (void)forward, (void)backward; // passes look at the bits
}

// Rows [first, last) as the pass has them, each kept entry times `factor`: in place where
// nothing is dropped, else in the buffer.
static opn_k_in rows_of_pass(const opn_i_exec *exec,
                             const opn_i_feature_matrix *matrix,
                             int32_t first,
                             int32_t last,
                             opn_real factor,
                             opn_real *buffer)
{
    const int32_t stride = opn_i_width(matrix->rows.n_cols);
    const bool is_whole = matrix->rate == 0.0;
    if (is_whole && matrix->row == NULL)
        return (opn_k_in){matrix->dense + (size_t)first * (size_t)stride, stride, false};
    for (int32_t r = first; r < last; r++) {
        const size_t i = (size_t)(matrix->row == NULL ? r : matrix->row[r]);
        exec->kernels->mask((size_t)stride, matrix->dense + i * (size_t)stride,
                            is_whole ? NULL : matrix->keep, (int64_t)r * stride, factor,
                            buffer + (size_t)(r - first) * (size_t)stride);
    }
    return (opn_k_in){buffer, stride, false};
}

static int32_t rows_at_once(const opn_i_feature_matrix *matrix)
{
    return BUFFER / opn_i_width(matrix->rows.n_cols);
}

// Rows [first, last) of the product.
static void multiply_rows(const opn_i_exec *exec,
                          const opn_i_feature_matrix *matrix,
                          int32_t first,
                          int32_t last,
                          opn_real factor,
                          opn_i_dense_const w,
                          opn_i_dense p)
{
    opn_real buffer[BUFFER] __attribute__((aligned(64)));
    const opn_k_in x = rows_of_pass(exec, matrix, first, last, factor, buffer);
    for (int32_t at = 0; at < p.width; at += opn_i_slice(p.width, at)) {
        const opn_k_in from = {w.data + at, w.stride, false};
        const opn_k_out to = {opn_i_element(p, first, at), p.stride};
        exec->kernels->matmul(0, last - first, w.n_rows, opn_i_slice(p.width, at), x,
                              from, to, NULL, 1);
    }
}

static void product_by_array(const opn_i_exec *exec,
                             const opn_i_feature_matrix *matrix,
                             opn_i_dense_const w,
                             opn_i_dense p)
{
    const opn_real factor = (opn_real)(1.0 / (1.0 - matrix->rate));
    const int32_t n = matrix->rate == 0.0 ? matrix->rows.n_rows : matrix->n_trained;
    const int32_t n_step = rows_at_once(matrix);
    const int64_t work = (int64_t)n * w.n_rows * p.width / 4;
    const int n_threads = opn_i_exec_threads(exec, work);
    const int32_t n_tasks = (n + n_step - 1) / n_step;
    opn_i_part part = {0};
    (void)n_threads; // unused when built without OpenMP
    while (opn_i_next_part(exec, work, n_tasks, &part)) {
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1)
        for (int32_t t = part.begin; t < part.end; t++)
            multiply_rows(exec, matrix, t * n_step,
                          n - t * n_step < n_step ? n : (t + 1) * n_step, factor, w, p);
    }
}

// The sum of rows [first, last) of one slice, of that width.
static void sum_rows(const opn_i_exec *exec,
                     const opn_i_feature_matrix *matrix,
                     int32_t first,
                     int32_t last,
                     opn_i_dense_const g,
                     int32_t at,
                     int32_t width,
                     opn_real *sum)
{
    opn_real buffer[BUFFER] __attribute__((aligned(64)));
    const int32_t n_cols = matrix->rows.n_cols, n_step = rows_at_once(matrix);
    const opn_k_out to = {sum, width};
    memset(sum, 0, (size_t)n_cols * (size_t)width * sizeof(*sum));
    for (int32_t from = first; from < last; from += n_step) {
        const int32_t end = last - from < n_step ? last : from + n_step;
        const opn_k_in slopes = {opn_i_element_const(g, from, at), g.stride, false};
        exec->kernels->matmul_tn(0, end - from, n_cols, width,
                                 rows_of_pass(exec, matrix, from, end, 1, buffer), slopes,
                                 true, to);
    }
}

static void transposed_by_array(const opn_i_exec *exec,
                                const opn_i_feature_matrix *matrix,
                                opn_i_dense_const g,
                                opn_i_dense d_w)
{
    const int32_t n = matrix->n_trained, n_cols = matrix->rows.n_cols;
    const int64_t work = (int64_t)n * n_cols * g.width / 4;
    const int n_threads = opn_i_exec_threads(exec, work);
    (void)n_threads;
    for (int32_t at = 0; at < g.width; at += opn_i_slice(g.width, at)) {
        const int32_t width = opn_i_slice(g.width, at);
        const size_t n_sums = (size_t)n_cols * (size_t)width;
        opn_i_part part = {0};
        while (opn_i_next_part(exec, work, OPN_SUM_BLOCKS, &part)) {
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1)
            for (int b = part.begin; b < part.end; b++)
                sum_rows(exec, matrix, opn_i_block_start(n, b),
                         opn_i_block_start(n, b + 1), g, at, width,
                         matrix->partial + (size_t)b * n_sums);
        }
        if (part.end < OPN_SUM_BLOCKS)
            return;
        for (int32_t k = 0; k < n_cols; k++) {
            opn_real *to = opn_i_element(d_w, k, at);
            memset(to, 0, (size_t)width * sizeof(*to));
            for (size_t b = 0; b < OPN_SUM_BLOCKS; b++)
                for (int32_t h = 0; h < width; h++)
                    to[h] += matrix->partial[b * n_sums + (size_t)(k * width + h)];
        }
    }
}

const opn_i_feature_strategy opn_i_feature_dense = {
        .init = init_dense,
        .drop = drop_dense,
        .product = product_by_array,
        .product_transposed = transposed_by_array,
};
