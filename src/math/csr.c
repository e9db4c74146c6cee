// csr.c -- sparse matrices in compressed sparse row form.

#include "math/csr.h"

#include <stdlib.h>
#include <string.h>

static const char sorting[] = "sorting a sparse matrix"; // in messages

void opn_i_csr_deinit(const opn_alloc *alloc, opn_i_csr *csr)
{
    opn_i_release(alloc, csr->row_ptr);
    opn_i_release(alloc, csr->col_idx);
    opn_i_release(alloc, csr->value);
    *csr = (opn_i_csr){0};
}

opn_status opn_i_csr_init(opn_ctx *ctx,
                          int32_t n_rows,
                          int32_t n_cols,
                          opn_off n_entries,
                          bool with_value,
                          opn_i_csr *out)
{
    opn_status status = OPN_OK;
    opn_i_csr csr = {.n_rows = n_rows, .n_cols = n_cols};
    OPN_TRY_NEW(ctx, csr.row_ptr, (size_t)n_rows + 1);
    // One extra entry: products may read past the last.
    OPN_TRY_NEW(ctx, csr.col_idx, n_entries + 1);
    if (with_value)
        OPN_TRY_NEW(ctx, csr.value, n_entries + 1);
    *out = csr;
    csr = (opn_i_csr){0};
cleanup:
    opn_i_csr_deinit(&ctx->alloc, &csr);
    return status;
}

// Turns the count of row i, stored at row_ptr[i + 1], into the start of row i, also
// stored at row_ptr[i + 1]: filling the row then advances it to the end of the row, which
// is the final value of row_ptr[i + 1].
static void counts_to_starts(opn_off *row_ptr, int32_t n_rows)
{
    opn_off start = 0;
    for (int32_t i = 0; i < n_rows; i++) {
        const opn_off count = row_ptr[i + 1];
        row_ptr[i + 1] = start;
        start += count;
    }
}

opn_status opn_i_csr_transpose(opn_ctx *ctx, const opn_i_csr *csr, opn_i_csr *out)
{
    opn_status status = OPN_OK;
    const opn_off n = opn_i_csr_n_entries(csr);
    opn_i_csr flipped = {0};
    OPN_TRY(opn_i_csr_init(ctx, csr->n_cols, csr->n_rows, n, csr->value != NULL,
                           &flipped));
    for (opn_off e = 0; e < n; e++) {
        OPN_TRY_GO_ON(ctx, e, sorting);
        flipped.row_ptr[csr->col_idx[e] + 1]++;
    }
    counts_to_starts(flipped.row_ptr, flipped.n_rows);
    for (int32_t i = 0; i < csr->n_rows; i++) {
        for (opn_off e = csr->row_ptr[i]; e < csr->row_ptr[i + 1]; e++) {
            OPN_TRY_GO_ON(ctx, e, sorting);
            const opn_off at = flipped.row_ptr[csr->col_idx[e] + 1]++;
            flipped.col_idx[at] = i;
            if (csr->value != NULL)
                flipped.value[at] = csr->value[e];
        }
    }
    *out = flipped;
    flipped = (opn_i_csr){0};
cleanup:
    opn_i_csr_deinit(&ctx->alloc, &flipped);
    return status;
}

// Whether the triples are sorted by row, then by column, as in most files.
static bool are_in_order(opn_off n, const int32_t *row, const int32_t *col)
{
    for (opn_off e = 1; e < n; e++)
        if (row[e] < row[e - 1] || (row[e] == row[e - 1] && col[e] < col[e - 1]))
            return false;
    return true;
}

static opn_status copy_in_order(opn_ctx *ctx,
                                int32_t n_rows,
                                int32_t n_cols,
                                opn_off n,
                                const int32_t *row,
                                const int32_t *col,
                                const opn_real *value,
                                opn_i_csr *out)
{
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_csr_init(ctx, n_rows, n_cols, n, value != NULL, out));
    for (opn_off e = 0; e < n; e++)
        out->row_ptr[row[e] + 1]++;
    for (int32_t i = 0; i < n_rows; i++)
        out->row_ptr[i + 1] += out->row_ptr[i];
    if (n > 0)
        memcpy(out->col_idx, col, (size_t)n * sizeof(*col));
    if (n > 0 && value != NULL)
        memcpy(out->value, value, (size_t)n * sizeof(*value));
cleanup:
    return status;
}

opn_status opn_i_csr_from_triples(opn_ctx *ctx,
                                  int32_t n_rows,
                                  int32_t n_cols,
                                  opn_off n,
                                  const int32_t *row,
                                  const int32_t *col,
                                  const opn_real *value,
                                  opn_i_csr *out)
{
    opn_status status = OPN_OK;
    opn_i_csr flipped = {0};
    if (are_in_order(n, row, col)) // saves two passes of random writes
        return copy_in_order(ctx, n_rows, n_cols, n, row, col, value, out);
    // Sorted by column here, and by row in the transpose that follows.
    OPN_TRY(opn_i_csr_init(ctx, n_cols, n_rows, n, value != NULL, &flipped));
    for (opn_off e = 0; e < n; e++) {
        OPN_TRY_GO_ON(ctx, e, sorting);
        flipped.row_ptr[col[e] + 1]++;
    }
    counts_to_starts(flipped.row_ptr, n_cols);
    for (opn_off e = 0; e < n; e++) {
        OPN_TRY_GO_ON(ctx, e, sorting);
        const opn_off at = flipped.row_ptr[col[e] + 1]++;
        flipped.col_idx[at] = row[e];
        if (value != NULL)
            flipped.value[at] = value[e];
    }
    OPN_TRY(opn_i_csr_transpose(ctx, &flipped, out));
cleanup:
    opn_i_csr_deinit(&ctx->alloc, &flipped);
    return status;
}

opn_status opn_i_csr_take_rows(opn_ctx *ctx,
                               const opn_i_csr *csr,
                               const int32_t *row,
                               int32_t n_rows,
                               opn_i_csr *out)
{
    opn_status status = OPN_OK;
    opn_i_csr taken = {0};
    opn_off n = 0;
    for (int32_t r = 0; r < n_rows; r++)
        n += csr->row_ptr[row[r] + 1] - csr->row_ptr[row[r]];
    OPN_TRY(opn_i_csr_init(ctx, n_rows, csr->n_cols, n, csr->value != NULL, &taken));
    for (int32_t r = 0; r < n_rows; r++) {
        OPN_TRY_GO_ON_ROWS(ctx, r, sorting);
        const opn_off from = csr->row_ptr[row[r]];
        const size_t n_row = (size_t)(csr->row_ptr[row[r] + 1] - from);
        const opn_off at = taken.row_ptr[r];
        memcpy(taken.col_idx + at, csr->col_idx + from, n_row * sizeof(*taken.col_idx));
        if (csr->value != NULL)
            memcpy(taken.value + at, csr->value + from, n_row * sizeof(*taken.value));
        taken.row_ptr[r + 1] = at + (opn_off)n_row;
    }
    *out = taken;
    taken = (opn_i_csr){0};
cleanup:
    opn_i_csr_deinit(&ctx->alloc, &taken);
    return status;
}

static opn_status copy_bytes(opn_ctx *ctx, void *to, const void *from, size_t n)
{
    opn_status status = OPN_OK;
    enum { BYTES_A_TICK = 1 << 26 };
    for (size_t at = 0; at < n; at += BYTES_A_TICK) {
        if (at > 0)
            OPN_TRY(opn_i_go_on(ctx, "copying a sparse matrix"));
        memcpy((char *)to + at, (const char *)from + at,
               n - at < BYTES_A_TICK ? n - at : BYTES_A_TICK);
    }
cleanup:
    return status;
}

opn_status opn_i_csr_copy(opn_ctx *ctx, const opn_i_csr *csr, opn_i_csr *out)
{
    opn_status status = OPN_OK;
    opn_i_csr copy = {0};
    const size_t n = (size_t)opn_i_csr_n_entries(csr);
    OPN_TRY(opn_i_csr_init(ctx, csr->n_rows, csr->n_cols, (opn_off)n, csr->value != NULL,
                           &copy));
    OPN_TRY(copy_bytes(ctx, copy.row_ptr, csr->row_ptr,
                       ((size_t)csr->n_rows + 1) * sizeof(*copy.row_ptr)));
    OPN_TRY(copy_bytes(ctx, copy.col_idx, csr->col_idx, n * sizeof(*copy.col_idx)));
    if (csr->value != NULL)
        OPN_TRY(copy_bytes(ctx, copy.value, csr->value, n * sizeof(*copy.value)));
    *out = copy;
    copy = (opn_i_csr){0};
cleanup:
    opn_i_csr_deinit(&ctx->alloc, &copy);
    return status;
}

static bool has_sorted_rows(const opn_i_csr *csr)
{
    for (int32_t i = 0; i < csr->n_rows; i++)
        for (opn_off e = csr->row_ptr[i] + 1; e < csr->row_ptr[i + 1]; e++)
            if (csr->col_idx[e] < csr->col_idx[e - 1])
                return false;
    return true;
}

static opn_status sort_by_transposing(opn_ctx *ctx, opn_i_csr *csr)
{
    opn_status status = OPN_OK;
    opn_i_csr flipped = {0};
    opn_i_csr sorted = {0};
    OPN_TRY(opn_i_csr_transpose(ctx, csr, &flipped));
    OPN_TRY(opn_i_csr_transpose(ctx, &flipped, &sorted));
    opn_i_csr_deinit(&ctx->alloc, csr);
    *csr = sorted;
cleanup:
    opn_i_csr_deinit(&ctx->alloc, &flipped);
    return status;
}

static int compare_columns(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a;
    const int32_t y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

// Sorts a matrix that has far more columns than entries, renumbering the columns in use.
static opn_status sort_wide(opn_ctx *ctx, opn_i_csr *csr)
{
    opn_status status = OPN_OK;
    const opn_off n = opn_i_csr_n_entries(csr);
    const int32_t n_cols = csr->n_cols;
    int32_t *used = NULL;
    int32_t n_used = 0;
    OPN_TRY_NEW(ctx, used, n);
    memcpy(used, csr->col_idx, (size_t)n * sizeof(*used));
    qsort(used, (size_t)n, sizeof(*used), compare_columns);
    for (opn_off e = 0; e < n; e++)
        if (n_used == 0 || used[n_used - 1] != used[e])
            used[n_used++] = used[e];
    for (opn_off e = 0; e < n; e++) {
        const int32_t *found = bsearch(&csr->col_idx[e], used, (size_t)n_used,
                                       sizeof(*used), compare_columns);
        csr->col_idx[e] = (int32_t)(found - used);
    }
    csr->n_cols = n_used;
    status = sort_by_transposing(ctx, csr);
    for (opn_off e = 0; e < n; e++)
        csr->col_idx[e] = used[csr->col_idx[e]];
    csr->n_cols = n_cols;
cleanup:
    opn_i_release(&ctx->alloc, used);
    return status;
}

opn_status opn_i_csr_transposed_entries(opn_ctx *ctx,
                                        const opn_i_csr *csr,
                                        const opn_i_csr *transposed,
                                        uint32_t **out)
{
    opn_status status = OPN_OK;
    const opn_off n = opn_i_csr_n_entries(csr);
    uint32_t *entry = NULL;
    opn_off *next = NULL;
    OPN_FAIL_IF(ctx, n > UINT32_MAX, OPN_ERR_OVERFLOW,
                "a sparse matrix of more than 2^32 - 1 entries");
    OPN_TRY_NEW(ctx, entry, n);
    OPN_TRY_NEW(ctx, next, csr->n_cols);
    memcpy(next, transposed->row_ptr, (size_t)csr->n_cols * sizeof(*next));
    for (opn_off e = 0; e < n; e++)
        entry[next[csr->col_idx[e]]++] = (uint32_t)e;
    *out = entry;
    entry = NULL;
cleanup:
    opn_i_release(&ctx->alloc, entry);
    opn_i_release(&ctx->alloc, next);
    return status;
}

opn_status opn_i_csr_sort(opn_ctx *ctx, opn_i_csr *csr)
{
    if (has_sorted_rows(csr))
        return OPN_OK;
    // Transposing needs a row per column, which may be far more than there are entries.
    if (csr->n_cols > opn_i_csr_n_entries(csr) + csr->n_rows)
        return sort_wide(ctx, csr);
    return sort_by_transposing(ctx, csr);
}

// Merges adjacent entries of the same column and drops zeros, in place.
static opn_status merge_rows(opn_ctx *ctx, opn_i_csr *csr)
{
    opn_status status = OPN_OK;
    opn_off n_kept = 0;
    opn_off e = 0;
    for (int32_t i = 0; i < csr->n_rows; i++) {
        const opn_off last = csr->row_ptr[i + 1];
        OPN_TRY_GO_ON(ctx, i, sorting);
        while (e < last) {
            const int32_t k = csr->col_idx[e];
            opn_real sum = csr->value[e++];
            for (; e < last && csr->col_idx[e] == k; e++)
                sum += csr->value[e];
            if (sum != 0) {
                csr->col_idx[n_kept] = k;
                csr->value[n_kept++] = sum;
            }
        }
        csr->row_ptr[i + 1] = n_kept;
    }
cleanup:
    return status;
}

// Whether columns are strictly increasing in every row.
static bool has_rising_rows(const opn_i_csr *csr)
{
    for (int32_t i = 0; i < csr->n_rows; i++)
        for (opn_off e = csr->row_ptr[i] + 1; e < csr->row_ptr[i + 1]; e++)
            if (csr->col_idx[e] <= csr->col_idx[e - 1])
                return false;
    return true;
}

static bool has_value(const opn_i_csr *csr, opn_real value)
{
    const opn_off n = opn_i_csr_n_entries(csr);
    for (opn_off e = 0; e < n; e++)
        if (csr->value[e] == value)
            return true;
    return false;
}

static bool has_only_ones(const opn_i_csr *csr)
{
    const opn_off n = opn_i_csr_n_entries(csr);
    for (opn_off e = 0; e < n; e++)
        if (csr->value[e] != 1)
            return false;
    return true;
}

opn_status opn_i_csr_tidy(opn_ctx *ctx, opn_i_csr *csr)
{
    opn_status status = OPN_OK;
    const bool is_rising = has_rising_rows(csr);
    if (is_rising && csr->value == NULL)
        return OPN_OK;
    if (csr->value == NULL) { // duplicate columns may add up to 2
        const opn_off n = opn_i_csr_n_entries(csr);
        OPN_TRY_NEW(ctx, csr->value, n + 1);
        for (opn_off e = 0; e < n; e++) {
            OPN_TRY_GO_ON(ctx, e, sorting);
            csr->value[e] = 1;
        }
    }
    OPN_TRY(opn_i_go_on(ctx, sorting));
    if (!is_rising || has_value(csr, 0)) {
        OPN_TRY(opn_i_csr_sort(ctx, csr));
        OPN_TRY(merge_rows(ctx, csr));
    }
    OPN_TRY(opn_i_go_on(ctx, sorting));
    if (has_only_ones(csr)) {
        opn_i_release(&ctx->alloc, csr->value);
        csr->value = NULL;
    }
cleanup:
    return status;
}

opn_status opn_i_csr_stack(opn_ctx *ctx,
                           const opn_i_csr *a,
                           const opn_i_csr *b,
                           int32_t n_empty,
                           opn_i_csr *out)
{
    opn_status status = OPN_OK;
    const opn_off n_a = opn_i_csr_n_entries(a);
    const opn_off n_b = opn_i_csr_n_entries(b);
    const int32_t n_both = a->n_rows + b->n_rows;
    OPN_TRY(opn_i_csr_init(ctx, n_both + n_empty, a->n_cols, n_a + n_b, true, out));
    memcpy(out->row_ptr, a->row_ptr, (size_t)a->n_rows * sizeof(*a->row_ptr));
    for (int32_t i = 0; i <= b->n_rows; i++)
        out->row_ptr[a->n_rows + i] = n_a + b->row_ptr[i];
    for (int32_t i = 1; i <= n_empty; i++)
        out->row_ptr[n_both + i] = n_a + n_b;
    memcpy(out->col_idx, a->col_idx, (size_t)n_a * sizeof(*a->col_idx));
    memcpy(out->col_idx + n_a, b->col_idx, (size_t)n_b * sizeof(*b->col_idx));
    for (opn_off e = 0; e < n_a; e++)
        out->value[e] = a->value == NULL ? 1 : a->value[e];
    for (opn_off e = 0; e < n_b; e++)
        out->value[n_a + e] = b->value == NULL ? 1 : b->value[e];
cleanup:
    return status;
}

opn_status
opn_i_csr_rename_cols(opn_ctx *ctx, const int32_t *number, int32_t n_cols, opn_i_csr *csr)
{
    opn_status status = OPN_OK;
    const opn_off n = opn_i_csr_n_entries(csr);
    for (opn_off e = 0; e < n; e++) {
        OPN_TRY_GO_ON(ctx, e, sorting);
        csr->col_idx[e] = number[csr->col_idx[e]];
    }
    csr->n_cols = n_cols;
    OPN_TRY(opn_i_csr_sort(ctx, csr));
cleanup:
    return status;
}
