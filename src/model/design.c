// design.c -- the features as the first layer takes them.

#include "model/design.h"

#include <string.h>

void opn_i_design_deinit(const opn_alloc *alloc, opn_i_design *design)
{
    opn_i_csr_deinit(alloc, &design->rows);
    opn_i_csr_deinit(alloc, &design->cols);
    opn_i_release(alloc, design->cols_entry);
    opn_i_release(alloc, design->row_scale);
    opn_i_release(alloc, design->keep);
    opn_i_release(alloc, design->cols_keep);
    opn_i_release(alloc, design->rows_col);
    opn_i_release(alloc, design->rows_value);
    opn_i_release(alloc, design->rows_ptr);
    opn_i_release(alloc, design->cols_row);
    opn_i_release(alloc, design->cols_value);
    opn_i_release(alloc, design->cols_ptr);
    opn_i_release(alloc, design->rank);
    opn_i_release(alloc, design->scale);
    *design = (opn_i_design){0};
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
static opn_status split_scale(opn_ctx *ctx, opn_i_design *design)
{
    opn_status status = OPN_OK;
    opn_i_csr *x = &design->rows;
    if (!has_constant_rows(x))
        return OPN_OK;
    OPN_TRY_NEW(ctx, design->row_scale, x->n_rows);
    for (int32_t i = 0; i < x->n_rows; i++) {
        const bool is_known = x->value != NULL && x->row_ptr[i] < x->row_ptr[i + 1];
        design->row_scale[i] = is_known ? x->value[x->row_ptr[i]] : 1;
    }
    opn_i_release(&ctx->alloc, x->value);
    x->value = NULL;
cleanup:
    return status;
}

// The columns, and where each of their entries stands in the rows.
static opn_status index_columns(opn_ctx *ctx, opn_i_design *design)
{
    opn_status status = OPN_OK;
    const opn_i_csr *x = &design->rows;
    opn_off *next = NULL;
    OPN_FAIL_IF(ctx, opn_i_csr_n_entries(x) > UINT32_MAX, OPN_ERR_OVERFLOW,
                "more than 2^32 - 1 entries of the features");
    OPN_TRY(opn_i_csr_transpose(ctx, x, &design->cols));
    OPN_TRY_NEW(ctx, design->cols_entry, opn_i_csr_n_entries(x));
    OPN_TRY_NEW(ctx, next, x->n_cols);
    memcpy(next, design->cols.row_ptr, (size_t)x->n_cols * sizeof(*next));
    for (opn_off e = 0; e < opn_i_csr_n_entries(x); e++)
        design->cols_entry[next[x->col_idx[e]]++] = (uint32_t)e;
cleanup:
    opn_i_release(&ctx->alloc, next);
    return status;
}

opn_status opn_i_design_init(opn_ctx *ctx, const opn_i_csr *features, opn_i_design *out)
{
    opn_status status = OPN_OK;
    opn_i_design design = {0};
    const opn_off n = opn_i_csr_n_entries(features);
    OPN_TRY(opn_i_csr_copy(ctx, features, &design.rows));
    OPN_TRY(split_scale(ctx, &design));
    OPN_TRY(index_columns(ctx, &design));
    OPN_TRY_NEW(ctx, design.keep, opn_i_bit_words(n));
    OPN_TRY_NEW(ctx, design.cols_keep, opn_i_bit_words(n));
    OPN_TRY_NEW(ctx, design.rows_col, n);
    OPN_TRY_NEW(ctx, design.rows_ptr, (size_t)features->n_rows + 1);
    OPN_TRY_NEW(ctx, design.rank, opn_i_bit_words(n) + 1);
    OPN_TRY_NEW(ctx, design.cols_row, n);
    OPN_TRY_NEW(ctx, design.cols_ptr, (size_t)features->n_cols + 1);
    OPN_TRY_NEW(ctx, design.scale, features->n_rows);
    if (design.row_scale == NULL) {
        OPN_TRY_NEW(ctx, design.rows_value, n);
        OPN_TRY_NEW(ctx, design.cols_value, n);
    }
    *out = design;
    design = (opn_i_design){0};
cleanup:
    opn_i_design_deinit(&ctx->alloc, &design);
    return status;
}

// No bit beyond the last entry is set.
static void clear_rest(const opn_i_csr *from, uint64_t *keep)
{
    const opn_off n = opn_i_csr_n_entries(from);
    keep[n / 64] &= (UINT64_C(1) << (n % 64)) - 1;
}

// Moves the kept entries together. Blocks of words are done side by side; where each of
// them goes follows from how many bits are set before it.
static void compact(const opn_i_exec *exec,
                    const opn_i_csr *from,
                    const uint64_t *keep,
                    opn_off *rank,
                    int32_t *col,
                    opn_real *value,
                    opn_off *row_ptr)
{
    enum { WORDS_A_BLOCK = 256 };
    const opn_off n = opn_i_csr_n_entries(from);
    const size_t n_words = (size_t)(n + 63) / 64;
    const int n_threads = opn_i_exec_threads(exec, 2 * n);
    (void)n_threads; // unused when built without OpenMP
    for (size_t w = 0; w < n_words; w++)
        rank[w + 1] = rank[w] + __builtin_popcountll(keep[w]);
    for (int32_t i = 0; i <= from->n_rows; i++) {
        const opn_off e = from->row_ptr[i];
        row_ptr[i] = rank[e / 64] +
                     __builtin_popcountll(keep[e / 64] & ((UINT64_C(1) << (e % 64)) - 1));
    }
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1)
    for (size_t first = 0; first < n_words; first += WORDS_A_BLOCK) {
        const size_t last =
                n_words - first < WORDS_A_BLOCK ? n_words : first + WORDS_A_BLOCK;
        exec->kernels->compact(first, last, keep, from->col_idx, from->value, rank[first],
                               col, value);
    }
}

// The bits of `keep` in the order of the columns.
static void turn_bits(const opn_i_exec *exec, opn_i_design *design)
{
    const int64_t n = opn_i_csr_n_entries(&design->rows);
    const int64_t n_words = (int64_t)opn_i_bit_words(n);
    const int n_threads = opn_i_exec_threads(exec, 2 * n);
    const uint64_t *keep = design->keep;
    (void)n_threads;
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1)
    for (int64_t w = 0; w < n_words; w++) {
        const int64_t n_bits = n - 64 * w < 64 ? n - 64 * w : 64;
        const uint32_t *entry = design->cols_entry + 64 * w;
        uint64_t word = 0;
        for (int64_t b = 0; b < n_bits; b++)
            word |= (keep[entry[b] / 64] >> (entry[b] % 64) & 1) << b;
        design->cols_keep[w] = word;
    }
}

void opn_i_design_drop(const opn_i_exec *exec,
                       opn_i_design *design,
                       double rate,
                       bool with_columns)
{
    const opn_real up = (opn_real)(1.0 / (1.0 - rate));
    for (int32_t i = 0; i < design->rows.n_rows; i++)
        design->scale[i] = design->row_scale == NULL ? up : up * design->row_scale[i];
    design->is_whole = rate == 0.0;
    if (design->is_whole)
        return;
    clear_rest(&design->rows, design->keep);
    compact(exec, &design->rows, design->keep, design->rank, design->rows_col,
            design->rows_value, design->rows_ptr);
    if (!with_columns)
        return;
    turn_bits(exec, design);
    compact(exec, &design->cols, design->cols_keep, design->rank, design->cols_row,
            design->cols_value, design->cols_ptr);
}

void opn_i_design_views(const opn_i_design *design,
                        opn_k_sparse *forward,
                        opn_k_sparse *backward)
{
    const opn_i_csr *rows = &design->rows;
    const opn_i_csr *cols = &design->cols;
    *forward = (opn_k_sparse){.begin = rows->row_ptr,
                              .end = rows->row_ptr + 1,
                              .col = rows->col_idx,
                              .value = rows->value,
                              .scale = design->scale};
    *backward = (opn_k_sparse){.begin = cols->row_ptr,
                               .end = cols->row_ptr + 1,
                               .col = cols->col_idx,
                               .value = cols->value};
    if (design->is_whole)
        return;
    forward->begin = design->rows_ptr;
    forward->end = design->rows_ptr + 1;
    forward->col = design->rows_col;
    forward->value = design->rows_value;
    backward->begin = design->cols_ptr;
    backward->end = design->cols_ptr + 1;
    backward->col = design->cols_row;
    backward->value = design->cols_value;
}
