// feature_lists.c -- X as lists of entries, by rows and by columns.

#include "network/feature_strategy.h"

#include <assert.h>

// Clears all bits after the first n.
static void clear_rest(opn_off n, uint64_t *bits)
{
    bits[n / 64] &= (UINT64_C(1) << (n % 64)) - 1;
}

// Compacts the entries of the first n_rows rows whose bit is set. Blocks of words run in
// parallel; the number of bits set before a block tells where its entries go.
static void compact(const opn_i_exec *exec,
                    const opn_i_csr *from,
                    int32_t n_rows,
                    const uint64_t *bits,
                    opn_off *rank,
                    int32_t *col,
                    opn_real *value,
                    opn_off *row_ptr)
{
    enum { WORDS_A_BLOCK = 256 };
    const opn_off n = from->row_ptr[n_rows];
    const size_t n_words_used = (size_t)(n + 63) / 64;
    const int n_threads = opn_i_exec_threads(exec, 2 * n);
    (void)n_threads; // unused when built without OpenMP
    exec->kernels->count(n_words_used, bits, rank, n_rows + 1, from->row_ptr, row_ptr);
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1)
    for (size_t first = 0; first < n_words_used; first += WORDS_A_BLOCK) {
        const size_t last = n_words_used - first < WORDS_A_BLOCK ? n_words_used
                                                                 : first + WORDS_A_BLOCK;
        exec->kernels->compact(first, last, bits, from->col_idx, from->value, rank[first],
                               col, value);
    }
}

void opn_i_feature_list_rows(const opn_i_exec *exec, opn_i_feature_matrix *matrix)
{
    clear_rest(opn_i_feature_n_trained(matrix), matrix->keep);
    compact(exec, &matrix->rows, matrix->n_trained, matrix->keep, matrix->rank,
            matrix->rows_col, matrix->rows_value, matrix->rows_ptr);
}

opn_k_sparse opn_i_feature_rows(const opn_i_feature_matrix *matrix)
{
    if (matrix->rate == 0.0)
        return opn_i_csr_view(&matrix->rows);
    return (opn_k_sparse){.begin = matrix->rows_ptr,
                          .end = matrix->rows_ptr + 1,
                          .col = matrix->rows_col,
                          .value = matrix->rows_value};
}

static void product_by_rows(const opn_i_exec *exec,
                            const opn_i_feature_matrix *matrix,
                            opn_i_dense_const w,
                            opn_i_dense p)
{
    const bool is_whole = matrix->rate == 0.0;
    opn_k_sparse rows = opn_i_feature_rows(matrix);
    rows.scale = matrix->scale;
    opn_i_spmm(exec, &rows, is_whole ? matrix->rows.n_rows : matrix->n_trained, w, p,
               NULL);
}

// ---- X^T G by columns ----------------------------------------------------------------

// Builds the columns of the trained rows, and the index in `rows` of each entry.
static opn_status index_columns(opn_ctx *ctx, opn_i_feature_matrix *matrix)
{
    opn_status status = OPN_OK;
    opn_i_csr x = matrix->rows; // borrowed, truncated
    const opn_off n = opn_i_feature_n_trained(matrix);
    x.n_rows = matrix->n_trained;
    OPN_TRY(opn_i_csr_transpose(ctx, &x, &matrix->cols));
    OPN_TRY(opn_i_csr_transposed_entries(ctx, &x, &matrix->cols, &matrix->cols_entry));
    OPN_TRY_NEW(ctx, matrix->cols_keep, opn_i_bit_words(n));
    OPN_TRY_NEW(ctx, matrix->cols_row, n + 1);
    OPN_TRY_NEW(ctx, matrix->cols_ptr, (size_t)x.n_cols + 1);
    if (matrix->row_scale == NULL)
        OPN_TRY_NEW(ctx, matrix->cols_value, n + 1);
cleanup:
    return status;
}

static opn_status
init_columns(opn_ctx *ctx, bool with_backward, opn_i_feature_matrix *matrix)
{
    return with_backward ? index_columns(ctx, matrix) : OPN_OK;
}

// Permutes the bits of `keep` to column order.
static void transpose_bits(const opn_i_exec *exec, opn_i_feature_matrix *matrix)
{
    const int64_t n = opn_i_feature_n_trained(matrix);
    const int64_t n_words_used = (int64_t)opn_i_bit_words(n);
    const int n_threads = opn_i_exec_threads(exec, 2 * n);
    const uint64_t *keep = matrix->keep;
    (void)n_threads;
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1)
    for (int64_t w = 0; w < n_words_used; w++) {
        const int64_t n_bits = n - 64 * w < 64 ? n - 64 * w : 64;
        const uint32_t *entry = matrix->cols_entry + 64 * w;
        uint64_t word = 0;
        for (int64_t b = 0; b < n_bits; b++)
            word |= (keep[entry[b] / 64] >> (entry[b] % 64) & 1) << b;
        matrix->cols_keep[w] = word;
    }
}

static void drop_columns(const opn_i_exec *exec,
                         opn_i_feature_matrix *matrix,
                         bool forward,
                         bool backward)
{
    assert(!backward || matrix->cols.row_ptr != NULL);
    if (matrix->rate == 0.0)
        return;
    if (backward) {
        transpose_bits(exec, matrix);
        compact(exec, &matrix->cols, matrix->cols.n_rows, matrix->cols_keep, matrix->rank,
                matrix->cols_row, matrix->cols_value, matrix->cols_ptr);
    }
    if (forward)
        opn_i_feature_list_rows(exec, matrix);
}

static opn_k_sparse cols_in_use(const opn_i_feature_matrix *matrix)
{
    if (matrix->rate == 0.0)
        return opn_i_csr_view(&matrix->cols);
    return (opn_k_sparse){.begin = matrix->cols_ptr,
                          .end = matrix->cols_ptr + 1,
                          .col = matrix->cols_row,
                          .value = matrix->cols_value};
}

static void transposed_by_columns(const opn_i_exec *exec,
                                  const opn_i_feature_matrix *matrix,
                                  opn_i_dense_const g,
                                  opn_i_dense d_w)
{
    const opn_k_sparse cols = cols_in_use(matrix);
    opn_i_spmm(exec, &cols, matrix->rows.n_cols, g, d_w, NULL);
}

const opn_i_feature_strategy opn_i_feature_columns = {
        .init = init_columns,
        .drop = drop_columns,
        .product = product_by_rows,
        .product_transposed = transposed_by_columns,
};

// ---- X^T G from the rows -------------------------------------------------------------

static void drop_scatter(const opn_i_exec *exec,
                         opn_i_feature_matrix *matrix,
                         bool forward,
                         bool backward)
{
    if (matrix->rate > 0.0 && (forward || backward))
        opn_i_feature_list_rows(exec, matrix);
}

static void transposed_by_scatter(const opn_i_exec *exec,
                                  const opn_i_feature_matrix *matrix,
                                  opn_i_dense_const g,
                                  opn_i_dense d_w)
{
    const opn_k_sparse rows = opn_i_feature_rows(matrix);
    opn_i_scatter(exec, &rows, matrix->n_trained, g, matrix->n_blocks, matrix->partial,
                  d_w);
}

const opn_i_feature_strategy opn_i_feature_scatter = {
        .drop = drop_scatter,
        .product = product_by_rows,
        .product_transposed = transposed_by_scatter,
};
