// sparse_input.c -- matrices from NumPy arrays of a file, validated as they are read.

#include "graph/sparse_input.h"

#include <float.h>
#include <math.h>

opn_status opn_i_ndarray_to_real(opn_ctx *ctx,
                                 const char *what,
                                 const opn_i_ndarray *array,
                                 opn_real *out)
{
    opn_status status = OPN_OK;
#ifdef OPN_REAL_DOUBLE
    OPN_TRY(opn_i_ndarray_to_f64(ctx, what, array, out));
#else
    OPN_TRY(opn_i_ndarray_to_f32(ctx, what, array, out));
#endif
    for (int64_t i = 0; i < array->n_items; i++)
        OPN_FAIL_IF(ctx, !isfinite((double)out[i]), OPN_ERR_FORMAT,
                    "%s: item %lld is %g, expected a finite number", what, (long long)i,
                    (double)out[i]);
cleanup:
    return status;
}

opn_status opn_i_features_tidy(opn_ctx *ctx, const char *what, opn_i_csr *features)
{
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_csr_tidy(ctx, features));
    if (features->value == NULL)
        goto cleanup;
    for (int32_t i = 0; i < features->n_rows; i++)
        for (opn_off e = features->row_ptr[i]; e < features->row_ptr[i + 1]; e++)
            OPN_FAIL_IF(ctx, !(fabs((double)features->value[e]) <= (double)FLT_MAX),
                        OPN_ERR_FORMAT,
                        "%s: the values of node %d and feature %d add up to %g, too "
                        "large for a 32-bit float",
                        what, i, features->col_idx[e], (double)features->value[e]);
cleanup:
    return status;
}

static opn_status check_lengths(opn_ctx *ctx, const opn_i_sparse_input *input)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, input->n_rows < 0 || input->n_cols < 0, OPN_ERR_FORMAT,
                "%s: a matrix of %lld rows and %lld columns", input->indptr_name,
                (long long)input->n_rows, (long long)input->n_cols);
    OPN_FAIL_IF(ctx, input->n_rows >= INT32_MAX || input->n_cols >= INT32_MAX,
                OPN_ERR_OVERFLOW,
                "%s: a matrix of %lld rows and %lld columns is too large",
                input->indptr_name, (long long)input->n_rows, (long long)input->n_cols);
    OPN_FAIL_IF(ctx, input->indptr->n_items != input->n_rows + 1, OPN_ERR_FORMAT,
                "%s: %lld offsets for %lld rows, expected %lld", input->indptr_name,
                (long long)input->indptr->n_items, (long long)input->n_rows,
                (long long)input->n_rows + 1);
    OPN_FAIL_IF(
            ctx, input->data != NULL && input->data->n_items != input->indices->n_items,
            OPN_ERR_FORMAT, "%s: %lld values for %lld column numbers", input->data_name,
            (long long)input->data->n_items, (long long)input->indices->n_items);
cleanup:
    return status;
}

static opn_status
check_csr(opn_ctx *ctx, const opn_i_sparse_input *input, const opn_i_csr *csr)
{
    opn_status status = OPN_OK;
    const int64_t n_entries = input->indices->n_items;
    OPN_FAIL_IF(ctx, csr->row_ptr[0] != 0, OPN_ERR_FORMAT,
                "%s: the first offset is %lld, it must be 0", input->indptr_name,
                (long long)csr->row_ptr[0]);
    for (int32_t i = 0; i < csr->n_rows; i++)
        OPN_FAIL_IF(ctx, csr->row_ptr[i + 1] < csr->row_ptr[i], OPN_ERR_FORMAT,
                    "%s: item %d is smaller than the one before it; offsets must not "
                    "decrease",
                    input->indptr_name, i + 1);
    OPN_FAIL_IF(ctx, csr->row_ptr[csr->n_rows] != n_entries, OPN_ERR_FORMAT,
                "%s: the last offset is %lld, but there are %lld entries",
                input->indptr_name, (long long)csr->row_ptr[csr->n_rows],
                (long long)n_entries);
    for (int64_t e = 0; e < n_entries; e++)
        OPN_FAIL_IF(ctx, csr->col_idx[e] < 0 || csr->col_idx[e] >= csr->n_cols,
                    OPN_ERR_FORMAT, "%s: item %lld is %d, outside [0, %d)",
                    input->indices_name, (long long)e, csr->col_idx[e], csr->n_cols);
cleanup:
    return status;
}

opn_status
opn_i_sparse_input_read(opn_ctx *ctx, const opn_i_sparse_input *input, opn_i_csr *out)
{
    opn_status status = OPN_OK;
    opn_i_csr csr = {0};
    OPN_TRY(check_lengths(ctx, input));
    OPN_TRY(opn_i_csr_init(ctx, (int32_t)input->n_rows, (int32_t)input->n_cols,
                           input->indices->n_items, input->data != NULL, &csr));
    OPN_TRY(opn_i_ndarray_to_i64(ctx, input->indptr_name, input->indptr, csr.row_ptr));
    OPN_TRY(opn_i_ndarray_to_i32(ctx, input->indices_name, input->indices, csr.col_idx));
    OPN_TRY(check_csr(ctx, input, &csr));
    if (input->data != NULL)
        OPN_TRY(opn_i_ndarray_to_real(ctx, input->data_name, input->data, csr.value));
    *out = csr;
    csr = (opn_i_csr){0};
cleanup:
    opn_i_csr_deinit(&ctx->alloc, &csr);
    return status;
}

opn_status opn_i_dense_input_read(opn_ctx *ctx,
                                  const char *what,
                                  const opn_i_ndarray *array,
                                  opn_i_csr *out)
{
    opn_status status = OPN_OK;
    opn_real *dense = NULL;
    opn_i_csr csr = {0};
    OPN_FAIL_IF(ctx, array->n_dims != 2, OPN_ERR_FORMAT,
                "%s: %d dimensions, expected rows and columns", what, array->n_dims);
    OPN_FAIL_IF(ctx, array->shape[0] >= INT32_MAX || array->shape[1] >= INT32_MAX,
                OPN_ERR_OVERFLOW,
                "%s: a matrix of %lld rows and %lld columns is too large", what,
                (long long)array->shape[0], (long long)array->shape[1]);
    OPN_TRY_NEW(ctx, dense, array->n_items);
    OPN_TRY(opn_i_ndarray_to_real(ctx, what, array, dense));
    opn_off n_entries = 0;
    for (int64_t i = 0; i < array->n_items; i++)
        n_entries += dense[i] != 0;
    const int32_t n_rows = (int32_t)array->shape[0];
    const int32_t n_cols = (int32_t)array->shape[1];
    OPN_TRY(opn_i_csr_init(ctx, n_rows, n_cols, n_entries, true, &csr));
    opn_off n = 0;
    for (int32_t i = 0; i < n_rows; i++) {
        const opn_real *row = dense + (size_t)i * (size_t)n_cols;
        for (int32_t k = 0; k < n_cols; k++) {
            if (row[k] != 0) {
                csr.col_idx[n] = k;
                csr.value[n++] = row[k];
            }
        }
        csr.row_ptr[i + 1] = n;
    }
    *out = csr;
cleanup:
    opn_i_release(&ctx->alloc, dense);
    return status;
}
