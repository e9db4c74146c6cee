// sparse_input.c -- matrices from NumPy arrays of a file, validated as they are read.

#include "graph/sparse_input.h"

#include <float.h>
#include <math.h>

// Converts items, which may be infinite or NaN.
static opn_status
to_any_real(opn_ctx *ctx, const char *what, const opn_i_ndarray *array, opn_real *out)
{
#ifdef OPN_REAL_DOUBLE
    return opn_i_ndarray_to_f64(ctx, what, array, out);
#else
    return opn_i_ndarray_to_f32(ctx, what, array, out);
#endif
}

opn_status opn_i_ndarray_to_real(opn_ctx *ctx,
                                 const char *what,
                                 const opn_i_ndarray *array,
                                 opn_real *out)
{
    opn_status status = OPN_OK;
    OPN_TRY(to_any_real(ctx, what, array, out));
    for (int64_t i = 0; i < array->n_items; i++)
        OPN_FAIL_IF(ctx, !isfinite((double)out[i]), OPN_ERR_FORMAT,
                    "%s: item %lld is %g, expected a finite number", what, (long long)i,
                    (double)out[i]);
cleanup:
    return status;
}

// A value of a matrix that is not finite: NaN stands for a missing one.
static opn_status fail_value(
        opn_ctx *ctx, const char *what, int64_t item, int64_t i, int64_t k, double value)
{
    return opn_i_fail(
            ctx, OPN_ERR_FORMAT,
            "%s: item %lld is %g, at row %lld and column %lld; expected a finite "
            "number%s",
            what, (long long)item, value, (long long)i, (long long)k,
            isnan(value) ? ", missing values have to be filled in before" : "");
}

opn_status opn_i_features_tidy(opn_ctx *ctx, const char *what, opn_i_features *x)
{
    opn_status status = OPN_OK;
    if (x->dense == NULL)
        OPN_TRY(opn_i_csr_tidy(ctx, &x->lists));
    for (int32_t i = 0; i < x->n_rows; i++)
        for (opn_i_feature_cursor at = opn_i_features_row(x, i); opn_i_feature_next(&at);)
            OPN_FAIL_IF(ctx, !(fabs((double)at.value) <= (double)FLT_MAX), OPN_ERR_FORMAT,
                        "%s: the values of node %d and feature %d add up to %g, too "
                        "large for a 32-bit float",
                        what, i, at.col, (double)at.value);
    OPN_TRY(opn_i_features_settle(ctx, x));
cleanup:
    return status;
}

// Rows of offsets: of a matrix by columns, these are its columns.
typedef struct lines {
    int32_t n_lines;
    int32_t n_places; // in a line
} lines;

static lines lines_of(const opn_i_sparse_input *input)
{
    const bool by_columns = input->layout == OPN_SPARSE_COLUMNS;
    return (lines){(int32_t)(by_columns ? input->n_cols : input->n_rows),
                   (int32_t)(by_columns ? input->n_rows : input->n_cols)};
}

static opn_status check_size(opn_ctx *ctx, const opn_i_sparse_input *input)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, input->n_rows < 0 || input->n_cols < 0, OPN_ERR_FORMAT,
                "%s: a matrix of %lld rows and %lld columns", input->indptr_name,
                (long long)input->n_rows, (long long)input->n_cols);
    OPN_FAIL_IF(ctx, input->n_rows >= INT32_MAX || input->n_cols >= INT32_MAX,
                OPN_ERR_OVERFLOW,
                "%s: a matrix of %lld rows and %lld columns is too large",
                input->indptr_name, (long long)input->n_rows, (long long)input->n_cols);
cleanup:
    return status;
}

static opn_status check_lengths(opn_ctx *ctx, const opn_i_sparse_input *input)
{
    opn_status status = OPN_OK;
    OPN_TRY(check_size(ctx, input));
    const int64_t n_entries = input->indices->n_items;
    const int64_t n_lines = lines_of(input).n_lines;
    OPN_FAIL_IF(
            ctx,
            input->layout == OPN_SPARSE_TRIPLES && input->indptr->n_items != n_entries,
            OPN_ERR_FORMAT, "%s: %lld row numbers for %lld column numbers",
            input->indptr_name, (long long)input->indptr->n_items, (long long)n_entries);
    OPN_FAIL_IF(ctx,
                input->layout != OPN_SPARSE_TRIPLES &&
                        input->indptr->n_items != n_lines + 1,
                OPN_ERR_FORMAT, "%s: %lld offsets for %lld %s, expected %lld",
                input->indptr_name, (long long)input->indptr->n_items, (long long)n_lines,
                input->layout == OPN_SPARSE_COLUMNS ? "columns" : "rows",
                (long long)n_lines + 1);
    OPN_FAIL_IF(ctx, input->data != NULL && input->data->n_items != n_entries,
                OPN_ERR_FORMAT, "%s: %lld values for %lld column numbers",
                input->data_name, (long long)input->data->n_items, (long long)n_entries);
cleanup:
    return status;
}

static opn_status check_offsets(opn_ctx *ctx,
                                const opn_i_sparse_input *input,
                                int32_t n_lines,
                                const opn_off *offset)
{
    opn_status status = OPN_OK;
    const int64_t n_entries = input->indices->n_items;
    OPN_FAIL_IF(ctx, offset[0] != 0, OPN_ERR_FORMAT,
                "%s: the first offset is %lld, it must be 0", input->indptr_name,
                (long long)offset[0]);
    for (int32_t i = 0; i < n_lines; i++)
        OPN_FAIL_IF(ctx, offset[i + 1] < offset[i], OPN_ERR_FORMAT,
                    "%s: item %d is smaller than the one before it; offsets must not "
                    "decrease",
                    input->indptr_name, i + 1);
    OPN_FAIL_IF(ctx, offset[n_lines] != n_entries, OPN_ERR_FORMAT,
                "%s: the last offset is %lld, but there are %lld entries",
                input->indptr_name, (long long)offset[n_lines], (long long)n_entries);
cleanup:
    return status;
}

static opn_status check_places(opn_ctx *ctx,
                               const char *what,
                               const int32_t *place,
                               int64_t n_entries,
                               int32_t n_places)
{
    opn_status status = OPN_OK;
    for (int64_t e = 0; e < n_entries; e++)
        OPN_FAIL_IF(ctx, place[e] < 0 || place[e] >= n_places, OPN_ERR_FORMAT,
                    "%s: item %lld is %d, outside [0, %d)", what, (long long)e, place[e],
                    n_places);
cleanup:
    return status;
}

// The line that entry e is in.
static int32_t line_of(const opn_i_csr *csr, opn_off e)
{
    int32_t low = 0;
    int32_t high = csr->n_rows - 1;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (csr->row_ptr[middle + 1] <= e)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static opn_status
read_lines(opn_ctx *ctx, const opn_i_sparse_input *input, opn_i_csr *out)
{
    opn_status status = OPN_OK;
    opn_i_csr csr = {0};
    const lines size = lines_of(input);
    const int64_t n_entries = input->indices->n_items;
    OPN_TRY(opn_i_csr_init(ctx, size.n_lines, size.n_places, n_entries,
                           input->data != NULL, &csr));
    OPN_TRY(opn_i_ndarray_to_i64(ctx, input->indptr_name, input->indptr, csr.row_ptr));
    OPN_TRY(opn_i_ndarray_to_i32(ctx, input->indices_name, input->indices, csr.col_idx));
    OPN_TRY(check_offsets(ctx, input, size.n_lines, csr.row_ptr));
    OPN_TRY(check_places(ctx, input->indices_name, csr.col_idx, n_entries,
                         size.n_places));
    if (input->data != NULL)
        OPN_TRY(to_any_real(ctx, input->data_name, input->data, csr.value));
    for (int64_t e = 0; input->data != NULL && e < n_entries; e++) {
        const bool by_columns = input->layout == OPN_SPARSE_COLUMNS;
        if (isfinite((double)csr.value[e]))
            continue;
        const int32_t line = line_of(&csr, e);
        OPN_TRY(fail_value(ctx, input->data_name, e, by_columns ? csr.col_idx[e] : line,
                           by_columns ? line : csr.col_idx[e], (double)csr.value[e]));
    }
    *out = csr;
    csr = (opn_i_csr){0};
cleanup:
    opn_i_csr_deinit(&ctx->alloc, &csr);
    return status;
}

// Sorted by row alone, because memory must not grow with the number of columns.
static opn_status sort_triples(opn_ctx *ctx,
                               const opn_i_sparse_input *input,
                               const int32_t *row,
                               const int32_t *col,
                               const opn_real *value,
                               opn_i_csr *out)
{
    opn_status status = OPN_OK;
    const int64_t n = input->indices->n_items;
    OPN_TRY(opn_i_csr_init(ctx, (int32_t)input->n_rows, (int32_t)input->n_cols, n,
                           value != NULL, out));
    for (int64_t e = 0; e < n; e++)
        out->row_ptr[row[e] + 1]++;
    opn_off start = 0;
    for (int64_t i = 1; i <= input->n_rows; i++) { // filling moves it to the row's end
        const opn_off n_in_row = out->row_ptr[i];
        out->row_ptr[i] = start;
        start += n_in_row;
    }
    for (int64_t e = 0; e < n; e++) {
        const opn_off at = out->row_ptr[row[e] + 1]++;
        out->col_idx[at] = col[e];
        if (value != NULL)
            out->value[at] = value[e];
    }
cleanup:
    return status;
}

static opn_status
read_triples(opn_ctx *ctx, const opn_i_sparse_input *input, opn_i_csr *out)
{
    opn_status status = OPN_OK;
    const int64_t n = input->indices->n_items;
    int32_t *row = NULL;
    int32_t *col = NULL;
    opn_real *value = NULL;
    OPN_TRY_NEW(ctx, row, n);
    OPN_TRY_NEW(ctx, col, n);
    OPN_TRY(opn_i_ndarray_to_i32(ctx, input->indptr_name, input->indptr, row));
    OPN_TRY(opn_i_ndarray_to_i32(ctx, input->indices_name, input->indices, col));
    OPN_TRY(check_places(ctx, input->indptr_name, row, n, (int32_t)input->n_rows));
    OPN_TRY(check_places(ctx, input->indices_name, col, n, (int32_t)input->n_cols));
    if (input->data != NULL) {
        OPN_TRY_NEW(ctx, value, n);
        OPN_TRY(to_any_real(ctx, input->data_name, input->data, value));
    }
    for (int64_t e = 0; input->data != NULL && e < n; e++)
        if (!isfinite((double)value[e]))
            OPN_TRY(fail_value(ctx, input->data_name, e, row[e], col[e],
                               (double)value[e]));
    OPN_TRY(sort_triples(ctx, input, row, col, value, out));
cleanup:
    opn_i_release(&ctx->alloc, row);
    opn_i_release(&ctx->alloc, col);
    opn_i_release(&ctx->alloc, value);
    return status;
}

opn_status
opn_i_sparse_input_read(opn_ctx *ctx, const opn_i_sparse_input *input, opn_i_csr *out)
{
    opn_status status = OPN_OK;
    opn_i_csr by_columns = {0};
    OPN_TRY(check_lengths(ctx, input));
    if (input->layout == OPN_SPARSE_TRIPLES) {
        OPN_TRY(read_triples(ctx, input, out));
    } else if (input->layout == OPN_SPARSE_COLUMNS) {
        OPN_TRY(read_lines(ctx, input, &by_columns));
        OPN_TRY(opn_i_csr_transpose(ctx, &by_columns, out));
    } else {
        OPN_TRY(read_lines(ctx, input, out));
    }
cleanup:
    opn_i_csr_deinit(&ctx->alloc, &by_columns);
    return status;
}

opn_status opn_i_dense_input_read(opn_ctx *ctx,
                                  const char *what,
                                  const opn_i_ndarray *array,
                                  opn_i_features *out)
{
    opn_status status = OPN_OK;
    opn_real *dense = NULL;
    OPN_FAIL_IF(ctx, array->n_dims != 2, OPN_ERR_FORMAT,
                "%s: %d dimension%s, expected rows and columns", what, array->n_dims,
                array->n_dims == 1 ? "" : "s");
    OPN_FAIL_IF(ctx, array->shape[0] >= INT32_MAX || array->shape[1] >= INT32_MAX,
                OPN_ERR_OVERFLOW,
                "%s: a matrix of %lld rows and %lld columns is too large", what,
                (long long)array->shape[0], (long long)array->shape[1]);
    OPN_TRY_NEW(ctx, dense, array->n_items);
    OPN_TRY(to_any_real(ctx, what, array, dense));
    for (int64_t i = 0; i < array->n_items; i++)
        if (!isfinite((double)dense[i]))
            OPN_TRY(fail_value(ctx, what, i, i / array->shape[1], i % array->shape[1],
                               (double)dense[i]));
    status = opn_i_features_take_array(ctx, dense, (int32_t)array->shape[0],
                                       (int32_t)array->shape[1], out);
    dense = NULL;
cleanup:
    opn_i_release(&ctx->alloc, dense);
    return status;
}
