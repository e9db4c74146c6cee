// feature_lists.c -- X as lists of entries by rows.

#include "network/feature_strategy.h"

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

opn_status opn_i_feature_list_init(opn_ctx *ctx,
                                   const opn_i_feature_matrix *matrix,
                                   opn_i_entries *out)
{
    opn_status status = OPN_OK;
    const opn_off n = opn_i_feature_n_trained(matrix) + 1; // kernels read one more
    OPN_TRY_NEW(ctx, out->col, n);
    OPN_TRY_NEW(ctx, out->ptr, (size_t)matrix->n_trained + 1);
    if (matrix->row_scale == NULL)
        OPN_TRY_NEW(ctx, out->value, n);
cleanup:
    return status;
}

void opn_i_feature_list(const opn_i_exec *exec,
                        const opn_i_feature_matrix *matrix,
                        opn_i_entries *to)
{
    clear_rest(opn_i_feature_n_trained(matrix), matrix->keep);
    compact(exec, &matrix->rows, matrix->n_trained, matrix->keep, matrix->rank, to->col,
            to->value, to->ptr);
}

opn_k_sparse opn_i_feature_list_view(const opn_i_entries *list)
{
    return (opn_k_sparse){.begin = list->ptr,
                          .end = list->ptr + 1,
                          .col = list->col,
                          .value = list->value};
}

// ---- the strategy --------------------------------------------------------------------

enum { MOST_BLOCKS = 8 };
static const size_t most_partial = (size_t)1 << 28; // bytes

// Blocks of rows: as many as can use several threads, if summing them is cheap compared
// to the rest.
static int32_t count_blocks(const opn_i_feature_matrix *matrix, size_t n_slice)
{
    const opn_off n_worth =
            opn_i_feature_n_trained(matrix) / (64 * (opn_off)matrix->rows.n_cols + 1);
    int32_t n = n_worth < 1 ? 1 : n_worth > MOST_BLOCKS ? MOST_BLOCKS : (int32_t)n_worth;
    while (n > 1 && (size_t)(n - 1) * n_slice * sizeof(opn_real) > most_partial)
        n--;
    return n;
}

static opn_status init_lists(opn_ctx *ctx, opn_i_feature_matrix *matrix)
{
    opn_status status = OPN_OK;
    const size_t n_slice = OPN_SLICE * (size_t)matrix->rows.n_cols;
    OPN_TRY(opn_i_feature_list_init(ctx, matrix, &matrix->kept));
    matrix->n_blocks = count_blocks(matrix, n_slice);
    OPN_TRY_NEW(ctx, matrix->partial_arena,
                OPN_MARGIN + (size_t)(matrix->n_blocks - 1) * n_slice);
    matrix->partial = opn_i_on_line(matrix->partial_arena);
cleanup:
    return status;
}

static void drop_lists(const opn_i_exec *exec,
                       opn_i_feature_matrix *matrix,
                       bool forward,
                       bool backward)
{
    if (matrix->rate > 0.0 && (forward || backward))
        opn_i_feature_list(exec, matrix, &matrix->kept);
}

static opn_k_sparse rows_of_pass(const opn_i_feature_matrix *matrix)
{
    return matrix->rate == 0.0 ? opn_i_csr_view(&matrix->rows)
                               : opn_i_feature_list_view(&matrix->kept);
}

static void product_by_rows(const opn_i_exec *exec,
                            const opn_i_feature_matrix *matrix,
                            opn_i_dense_const w,
                            opn_i_dense p)
{
    const bool is_whole = matrix->rate == 0.0;
    opn_k_sparse rows = rows_of_pass(matrix);
    rows.scale = matrix->scale;
    opn_i_spmm(exec, &rows, is_whole ? matrix->rows.n_rows : matrix->n_trained, w, p,
               NULL);
}

static void transposed_by_scatter(const opn_i_exec *exec,
                                  const opn_i_feature_matrix *matrix,
                                  opn_i_dense_const g,
                                  opn_i_dense d_w)
{
    const opn_k_sparse rows = rows_of_pass(matrix);
    opn_i_scatter(exec, &rows, matrix->n_trained, g, matrix->n_blocks, matrix->partial,
                  d_w);
}

const opn_i_feature_strategy opn_i_feature_lists = {
        .init = init_lists,
        .drop = drop_lists,
        .product = product_by_rows,
        .product_transposed = transposed_by_scatter,
};
