// feature_bits.c -- X as a bitmap; the products of whole words are looked up.

#include "network/feature_strategy.h"

#include <string.h>

static int32_t n_words(int32_t n_bits)
{
    return (n_bits + 63) / 64;
}

static opn_status init_map(opn_ctx *ctx, opn_i_feature_matrix *matrix)
{
    opn_status status = OPN_OK;
    const opn_i_csr *x = &matrix->rows;
    const size_t n = (size_t)x->n_rows * (size_t)n_words(x->n_cols);
    OPN_TRY_NEW(ctx, matrix->map, n);
    OPN_TRY_NEW(ctx, matrix->kept_map, n);
    // Transposed in whole blocks of 64 by 64.
    OPN_TRY_NEW(ctx, matrix->kept_transposed,
                (size_t)n_words(matrix->n_trained) * 64 * (size_t)n_words(x->n_cols));
    for (int32_t i = 0; i < x->n_rows; i++)
        for (opn_off e = x->row_ptr[i]; e < x->row_ptr[i + 1]; e++)
            matrix->map[(size_t)i + (size_t)(x->col_idx[e] / 64) * (size_t)x->n_rows] |=
                    UINT64_C(1) << (x->col_idx[e] % 64);
cleanup:
    return status;
}

// Computes the kept part of the map.
static void keep_map(const opn_i_exec *exec, opn_i_feature_matrix *matrix)
{
    enum { ROWS_A_CHUNK = 256 };
    const opn_i_csr *x = &matrix->rows;
    const int32_t n_wide = n_words(x->n_cols);
    const int32_t n = matrix->n_trained;
    const int n_threads = opn_i_exec_threads(exec, 16 * (int64_t)n * n_wide);
    (void)n_threads;
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1)
    for (int32_t first = 0; first < n; first += ROWS_A_CHUNK)
        exec->kernels->spread(first, n - first < ROWS_A_CHUNK ? n : first + ROWS_A_CHUNK,
                              x->n_rows, n_wide, x->row_ptr, matrix->keep, matrix->map,
                              matrix->kept_map);
}

// Computes kept_transposed from a map, 64 by 64 bits at a time.
static void
transpose_map(const opn_i_exec *exec, opn_i_feature_matrix *matrix, const uint64_t *map)
{
    const opn_i_csr *x = &matrix->rows;
    const int32_t n = matrix->n_trained;
    const int n_threads = opn_i_exec_threads(exec, 16 * (int64_t)n * n_words(x->n_cols));
    (void)n_threads;
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1)
    for (int32_t first = 0; first < n; first += 64) {
        const size_t n_here = (size_t)(n - first < 64 ? n - first : 64);
        uint64_t *to = matrix->kept_transposed + (size_t)(first / 64) * (size_t)x->n_cols;
        for (int32_t k = 0; k < x->n_cols; k += 64) {
            const size_t n_transposed = (size_t)(x->n_cols - k < 64 ? x->n_cols - k : 64);
            const uint64_t *from =
                    map + (size_t)(k / 64) * (size_t)x->n_rows + (size_t)first;
            uint64_t block[64] = {0};
            uint64_t transposed[64];
            memcpy(block, from, n_here * sizeof(*block));
            exec->kernels->transpose(block, transposed);
            memcpy(to + k, transposed, n_transposed * sizeof(*transposed));
        }
    }
}

static void drop_map(const opn_i_exec *exec,
                     opn_i_feature_matrix *matrix,
                     bool forward,
                     bool backward)
{
    const bool is_whole = matrix->rate == 0.0;
    if (!is_whole && (forward || backward))
        keep_map(exec, matrix);
    if (backward)
        transpose_map(exec, matrix, is_whole ? matrix->map : matrix->kept_map);
}

static void product_by_bits(const opn_i_exec *exec,
                            const opn_i_feature_matrix *matrix,
                            opn_i_dense_const w,
                            opn_i_dense p)
{
    opn_i_lookup(exec, matrix->rate == 0.0 ? matrix->map : matrix->kept_map,
                 matrix->scale, matrix->rows.n_cols, w, p);
}

static void transposed_by_bits(const opn_i_exec *exec,
                               const opn_i_feature_matrix *matrix,
                               opn_i_dense_const g,
                               opn_i_dense d_w)
{
    opn_i_lookup(exec, matrix->kept_transposed, NULL, matrix->n_trained, g, d_w);
}

const opn_i_feature_strategy opn_i_feature_bits = {
        .init = init_map,
        .drop = drop_map,
        .product = product_by_bits,
        .product_transposed = transposed_by_bits,
};
