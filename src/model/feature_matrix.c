// feature_matrix.c -- the features as the first layer takes them.

#include "model/feature_matrix.h"

#include <assert.h>
#include <string.h>

static const unsigned any_use = OPN_USE_BACKWARD | OPN_USE_NARROW | OPN_USE_WHOLE;

void opn_i_feature_matrix_deinit(const opn_alloc *alloc, opn_i_feature_matrix *matrix)
{
    opn_i_csr_deinit(alloc, &matrix->rows);
    opn_i_csr_deinit(alloc, &matrix->cols);
    opn_i_release(alloc, matrix->cols_entry);
    opn_i_release(alloc, matrix->row_scale);
    opn_i_release(alloc, matrix->keep);
    opn_i_release(alloc, matrix->cols_keep);
    opn_i_release(alloc, matrix->rows_col);
    opn_i_release(alloc, matrix->rows_value);
    opn_i_release(alloc, matrix->rows_ptr);
    opn_i_release(alloc, matrix->cols_row);
    opn_i_release(alloc, matrix->cols_value);
    opn_i_release(alloc, matrix->cols_ptr);
    opn_i_release(alloc, matrix->rank);
    opn_i_release(alloc, matrix->map);
    opn_i_release(alloc, matrix->kept);
    opn_i_release(alloc, matrix->kept_transposed);
    opn_i_release(alloc, matrix->partial);
    opn_i_release(alloc, matrix->scale);
    *matrix = (opn_i_feature_matrix){0};
}

static bool has_constant_rows(const opn_i_csr *x)
{
    if (x->value == NULL)
        return true;
    for (int32_t i = 0; i < x->n_rows; i++)
        for (opn_off e = x->row_ptr[i] + 1; e < x->row_ptr[i + 1]; e++)
            if (x->value[e] != x->value[e - 1])
                return false;
    return true;
}

// Moves the common value of each row into row_scale.
static opn_status split_scale(opn_ctx *ctx, opn_i_feature_matrix *matrix)
{
    opn_status status = OPN_OK;
    opn_i_csr *x = &matrix->rows;
    if (!has_constant_rows(x))
        return OPN_OK;
    OPN_TRY_NEW(ctx, matrix->row_scale, x->n_rows);
    for (int32_t i = 0; i < x->n_rows; i++) {
        const bool is_known = x->value != NULL && x->row_ptr[i] < x->row_ptr[i + 1];
        matrix->row_scale[i] = is_known ? x->value[x->row_ptr[i]] : 1;
    }
    opn_i_release(&ctx->alloc, x->value);
    x->value = NULL;
cleanup:
    return status;
}

static int32_t n_words(int32_t n_bits)
{
    return (n_bits + 63) / 64;
}

// Entries of the rows that train.
static opn_off n_trained_entries(const opn_i_feature_matrix *matrix)
{
    return matrix->rows.row_ptr[matrix->n_trained];
}

// The columns of the rows that train, and where each of their entries stands in the rows.
static opn_status index_columns(opn_ctx *ctx, opn_i_feature_matrix *matrix)
{
    opn_status status = OPN_OK;
    opn_i_csr x = matrix->rows; // borrowed, cut short
    const opn_off n = n_trained_entries(matrix);
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

static bool is_worth_bits(const opn_i_feature_matrix *matrix)
{
    const opn_i_csr *x = &matrix->rows;
    return matrix->row_scale != NULL &&
           (double)opn_i_csr_n_entries(x) > 0.125 * x->n_rows * x->n_cols;
}

static opn_status draw_map(opn_ctx *ctx, opn_i_feature_matrix *matrix)
{
    opn_status status = OPN_OK;
    const opn_i_csr *x = &matrix->rows;
    const size_t n = (size_t)x->n_rows * (size_t)n_words(x->n_cols);
    OPN_TRY_NEW(ctx, matrix->map, n);
    OPN_TRY_NEW(ctx, matrix->kept, n);
    // Whole blocks of 64 by 64 are transposed.
    OPN_TRY_NEW(ctx, matrix->kept_transposed,
                (size_t)n_words(matrix->n_trained) * 64 * (size_t)n_words(x->n_cols));
    for (int32_t i = 0; i < x->n_rows; i++)
        for (opn_off e = x->row_ptr[i]; e < x->row_ptr[i + 1]; e++)
            matrix->map[(size_t)i + (size_t)(x->col_idx[e] / 64) * (size_t)x->n_rows] |=
                    UINT64_C(1) << (x->col_idx[e] % 64);
cleanup:
    return status;
}

enum { MOST_BLOCKS = 8 };

// Whether X^T G goes by the kept rows. By columns it takes a list of the kept entries of
// each, which costs more than it gains where a row of G is one line of the cache:
// scattered, an epoch of Citeseer takes 0.9 of the time.
static bool is_scattered(unsigned uses)
{
    return (uses & OPN_USE_NARROW) != 0 && (uses & OPN_USE_WHOLE) == 0;
}

// Room for the passes, once the rows are there.
static opn_status make_room(opn_ctx *ctx, unsigned uses, opn_i_feature_matrix *matrix)
{
    opn_status status = OPN_OK;
    const opn_off n = n_trained_entries(matrix);
    if (is_worth_bits(matrix))
        OPN_TRY(draw_map(ctx, matrix));
    else if ((uses & OPN_USE_BACKWARD) != 0 && !is_scattered(uses))
        OPN_TRY(index_columns(ctx, matrix));
    // As many as several threads are worth, if adding them up is little beside the rest.
    const opn_off n_worth = n / (64 * (opn_off)matrix->rows.n_cols + 1);
    matrix->n_blocks = n_worth < 1             ? 1
                       : n_worth > MOST_BLOCKS ? MOST_BLOCKS
                                               : (int32_t)n_worth;
    OPN_TRY_NEW(ctx, matrix->partial,
                (size_t)(matrix->n_blocks - 1) * OPN_SLICE * (size_t)matrix->rows.n_cols);
    OPN_TRY_NEW(ctx, matrix->keep, opn_i_bit_words(n) + 1); // spread() reads a word more
    OPN_TRY_NEW(ctx, matrix->rows_col, n + 1);
    OPN_TRY_NEW(ctx, matrix->rows_ptr, (size_t)matrix->n_trained + 1);
    OPN_TRY_NEW(ctx, matrix->rank, opn_i_bit_words(n) + 1);
    OPN_TRY_NEW(ctx, matrix->scale, matrix->rows.n_rows);
    if (matrix->row_scale == NULL)
        OPN_TRY_NEW(ctx, matrix->rows_value, n + 1);
cleanup:
    return status;
}

// Takes over a matrix that has its rows, and what they are multiplied by if that is
// known.
static opn_status finish_matrix(opn_ctx *ctx,
                                unsigned uses,
                                opn_i_feature_matrix *matrix,
                                opn_i_feature_matrix *out)
{
    opn_status status = OPN_OK;
    if (matrix->row_scale == NULL)
        OPN_TRY(split_scale(ctx, matrix));
    OPN_TRY(make_room(ctx, uses, matrix));
    *out = *matrix;
    *matrix = (opn_i_feature_matrix){0};
cleanup:
    return status;
}

opn_status opn_i_feature_matrix_init(opn_ctx *ctx,
                                     const opn_i_csr *features,
                                     opn_i_feature_matrix *out)
{
    opn_status status = OPN_OK;
    opn_i_feature_matrix matrix = {.n_trained = features->n_rows};
    OPN_TRY(opn_i_csr_copy(ctx, features, &matrix.rows));
    OPN_TRY(finish_matrix(ctx, any_use, &matrix, out));
cleanup:
    opn_i_feature_matrix_deinit(&ctx->alloc, &matrix);
    return status;
}

opn_status opn_i_feature_matrix_init_for(opn_ctx *ctx,
                                         const opn_i_csr *features,
                                         const int32_t *order,
                                         unsigned uses,
                                         opn_i_feature_matrix *out)
{
    opn_status status = OPN_OK;
    opn_i_feature_matrix matrix = {.n_trained = features->n_rows};
    OPN_TRY(opn_i_csr_take_rows(ctx, features, order, features->n_rows, &matrix.rows));
    OPN_TRY(finish_matrix(ctx, uses, &matrix, out));
cleanup:
    opn_i_feature_matrix_deinit(&ctx->alloc, &matrix);
    return status;
}

opn_status opn_i_feature_matrix_init_part(opn_ctx *ctx,
                                          const opn_i_feature_matrix *whole,
                                          const int32_t *node,
                                          int32_t n_rows,
                                          int32_t n_trained,
                                          opn_i_feature_matrix *out)
{
    opn_status status = OPN_OK;
    opn_i_feature_matrix matrix = {.n_trained = n_trained};
    OPN_TRY(opn_i_csr_take_rows(ctx, &whole->rows, node, n_rows, &matrix.rows));
    if (whole->row_scale != NULL) {
        OPN_TRY_NEW(ctx, matrix.row_scale, n_rows);
        for (int32_t r = 0; r < n_rows; r++)
            matrix.row_scale[r] = whole->row_scale[node[r]];
    }
    OPN_TRY(finish_matrix(ctx, any_use, &matrix, out));
cleanup:
    opn_i_feature_matrix_deinit(&ctx->alloc, &matrix);
    return status;
}

// No bit beyond the last of n is set.
static void clear_rest(opn_off n, uint64_t *bits)
{
    bits[n / 64] &= (UINT64_C(1) << (n % 64)) - 1;
}

// Moves the entries of the first n_rows rows whose bit is set together. Blocks of words
// are done side by side; where each of them goes follows from how many bits are set
// before it.
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

// The bits of `keep` in the order of the columns.
static void transpose_bits(const opn_i_exec *exec, opn_i_feature_matrix *matrix)
{
    const int64_t n = n_trained_entries(matrix);
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

// The kept part of the map.
static void drop_map(const opn_i_exec *exec, opn_i_feature_matrix *matrix)
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
                              matrix->kept);
}

// kept_transposed from a map, 64 by 64 bits at a time.
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

// The kept entries by columns.
static void drop_columns(const opn_i_exec *exec, opn_i_feature_matrix *matrix)
{
    transpose_bits(exec, matrix);
    compact(exec, &matrix->cols, matrix->cols.n_rows, matrix->cols_keep, matrix->rank,
            matrix->cols_row, matrix->cols_value, matrix->cols_ptr);
}

// The entries by rows that are kept, or those that are dropped.
static void drop_rows(const opn_i_exec *exec, opn_i_feature_matrix *matrix)
{
    const opn_off n = n_trained_entries(matrix);
    for (size_t w = 0; w < opn_i_bit_words(n) && matrix->has_dropped; w++)
        matrix->keep[w] = ~matrix->keep[w];
    clear_rest(n, matrix->keep);
    compact(exec, &matrix->rows, matrix->n_trained, matrix->keep, matrix->rank,
            matrix->rows_col, matrix->rows_value, matrix->rows_ptr);
}

void opn_i_feature_matrix_drop(const opn_i_exec *exec,
                               opn_i_feature_matrix *matrix,
                               double rate,
                               unsigned uses)
{
    const opn_real up = (opn_real)(1.0 / (1.0 - rate));
    const bool is_backward = (uses & OPN_USE_BACKWARD) != 0;
    const bool has_map = matrix->map != NULL;
    for (int32_t i = 0; i < matrix->rows.n_rows; i++)
        matrix->scale[i] = matrix->row_scale == NULL ? up : up * matrix->row_scale[i];
    matrix->rate = rate;
    matrix->has_dropped = rate > 0.0 && (uses & OPN_USE_WHOLE) != 0;
    matrix->scatters = !has_map && is_scattered(uses);
    assert(!is_backward || has_map || matrix->scatters || matrix->cols.row_ptr != NULL);
    if (rate > 0.0) {
        if (has_map && (is_backward || !matrix->has_dropped))
            drop_map(exec, matrix);
        if (!has_map && is_backward && !matrix->scatters)
            drop_columns(exec, matrix);
        if (!has_map || matrix->has_dropped)
            drop_rows(exec, matrix); // last: it may invert the bits
    }
    if (has_map && is_backward)
        transpose_map(exec, matrix, rate > 0.0 ? matrix->kept : matrix->map);
}

// The rows of the pass: all entries, or those of them that drop_rows() left.
static opn_k_sparse rows_in_use(const opn_i_feature_matrix *matrix)
{
    if (matrix->rate == 0.0)
        return opn_i_csr_view(&matrix->rows);
    return (opn_k_sparse){.begin = matrix->rows_ptr,
                          .end = matrix->rows_ptr + 1,
                          .col = matrix->rows_col,
                          .value = matrix->rows_value};
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

void opn_i_feature_matrix_product(const opn_i_exec *exec,
                                  const opn_i_feature_matrix *matrix,
                                  int32_t width,
                                  const opn_real *w,
                                  const opn_real *whole,
                                  opn_real *p)
{
    const opn_i_csr *x = &matrix->rows;
    const opn_i_dense_const from = opn_i_panels_const(w, x->n_cols, width);
    const opn_i_dense to = opn_i_panels(p, x->n_rows, width);
    const bool is_whole = matrix->rate == 0.0;
    const opn_k_finish finish = {.base = whole,
                                 .base_factor = (opn_real)(1.0 / (1.0 - matrix->rate))};
    if (matrix->map != NULL && !matrix->has_dropped) {
        opn_i_lookup(exec, is_whole ? matrix->map : matrix->kept, matrix->scale,
                     x->n_cols, from, to);
        return;
    }
    opn_k_sparse rows = rows_in_use(matrix);
    rows.scale = matrix->scale;
    opn_i_spmm(exec, &rows, is_whole ? x->n_rows : matrix->n_trained, from, to,
               matrix->has_dropped ? &finish : NULL);
}

void opn_i_feature_matrix_product_transposed(const opn_i_exec *exec,
                                             const opn_i_feature_matrix *matrix,
                                             int32_t width,
                                             const opn_real *g,
                                             opn_real *d_w)
{
    const opn_i_dense_const from = opn_i_panels_const(g, matrix->rows.n_rows, width);
    const opn_i_dense to = opn_i_panels(d_w, matrix->rows.n_cols, width);
    if (matrix->map != NULL) {
        opn_i_lookup(exec, matrix->kept_transposed, NULL, matrix->n_trained, from, to);
    } else if (matrix->scatters) {
        const opn_k_sparse rows = rows_in_use(matrix);
        opn_i_scatter(exec, &rows, matrix->n_trained, from, matrix->n_blocks,
                      matrix->partial, to);
    } else {
        const opn_k_sparse cols = cols_in_use(matrix);
        opn_i_spmm(exec, &cols, matrix->rows.n_cols, from, to, NULL);
    }
}
