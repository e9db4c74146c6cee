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
    opn_i_release(alloc, design->rows_col);
    opn_i_release(alloc, design->rows_value);
    opn_i_release(alloc, design->rows_end);
    opn_i_release(alloc, design->cols_row);
    opn_i_release(alloc, design->cols_value);
    opn_i_release(alloc, design->cols_end);
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
    OPN_TRY(opn_i_csr_transpose(ctx, x, &design->cols));
    OPN_TRY_NEW(ctx, design->cols_entry, opn_i_csr_n_entries(x));
    OPN_TRY_NEW(ctx, next, x->n_cols);
    memcpy(next, design->cols.row_ptr, (size_t)x->n_cols * sizeof(*next));
    for (opn_off e = 0; e < opn_i_csr_n_entries(x); e++)
        design->cols_entry[next[x->col_idx[e]]++] = e;
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
    OPN_TRY_NEW(ctx, design.rows_col, n);
    OPN_TRY_NEW(ctx, design.rows_end, features->n_rows);
    OPN_TRY_NEW(ctx, design.cols_row, n);
    OPN_TRY_NEW(ctx, design.cols_end, features->n_cols);
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

// Moves the kept entries of row i to its beginning. Every entry is written, and the place
// moves on only for a kept one: no branch for the CPU to guess wrong half of the time.
static void compact_row(const opn_i_csr *from,
                        const opn_off *entry,
                        const uint64_t *keep,
                        int32_t i,
                        int32_t *col,
                        opn_real *value,
                        opn_off *end)
{
    opn_off at = from->row_ptr[i];
    for (opn_off e = from->row_ptr[i]; e < from->row_ptr[i + 1]; e++) {
        col[at] = from->col_idx[e];
        if (value != NULL)
            value[at] = from->value[e];
        at += opn_i_bit(keep, entry == NULL ? e : entry[e]);
    }
    end[i] = at;
}

static void compact(const opn_i_exec *exec,
                    const opn_i_csr *from,
                    const opn_off *entry,
                    const uint64_t *keep,
                    int32_t *col,
                    opn_real *value,
                    opn_off *end)
{
    const int n_threads = opn_i_exec_threads(exec, 4 * opn_i_csr_n_entries(from));
    (void)n_threads; // unused when built without OpenMP
#pragma omp parallel for schedule(static, 64) num_threads(n_threads) if (n_threads > 1)
    for (int32_t i = 0; i < from->n_rows; i++)
        compact_row(from, entry, keep, i, col, value, end);
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
    compact(exec, &design->rows, NULL, design->keep, design->rows_col, design->rows_value,
            design->rows_end);
    if (with_columns)
        compact(exec, &design->cols, design->cols_entry, design->keep, design->cols_row,
                design->cols_value, design->cols_end);
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
    forward->end = design->rows_end;
    forward->col = design->rows_col;
    forward->value = design->rows_value;
    backward->end = design->cols_end;
    backward->col = design->cols_row;
    backward->value = design->cols_value;
}
