// feature_scale.c -- scaling of features.

#include "graph/feature_scale.h"

#include <math.h>

static double sum_of_sizes(const opn_real *x, opn_off n)
{
    double sum = 0.0;
    for (opn_off e = 0; e < n; e++)
        sum += fabs((double)x[e]);
    return sum;
}

// Scaled by the largest size, so that squares neither overflow nor vanish.
static double euclidean_length(const opn_real *x, opn_off n)
{
    double top = 0.0;
    double sum = 0.0;
    for (opn_off e = 0; e < n; e++)
        top = fmax(top, fabs((double)x[e]));
    for (opn_off e = 0; e < n && top > 0.0; e++)
        sum += (double)x[e] / top * ((double)x[e] / top);
    return top * sqrt(sum);
}

// Divides each row by its norm.
static opn_status
divide_rows(opn_ctx *ctx, double (*norm)(const opn_real *x, opn_off n), opn_i_csr *x)
{
    opn_status status = OPN_OK;
    const opn_off n = opn_i_csr_n_entries(x);
    if (x->value == NULL) {
        OPN_TRY_NEW(ctx, x->value, n);
        for (opn_off e = 0; e < n; e++)
            x->value[e] = 1;
    }
    for (int32_t i = 0; i < x->n_rows; i++) {
        const opn_off first = x->row_ptr[i];
        const double length = norm(x->value + first, x->row_ptr[i + 1] - first);
        for (opn_off e = first; e < x->row_ptr[i + 1] && length > 0.0; e++)
            x->value[e] = (opn_real)((double)x->value[e] / length);
    }
    OPN_TRY(opn_i_csr_tidy(ctx, x)); // quotients may underflow to 0, or all become 1
cleanup:
    return status;
}

opn_status opn_i_features_row_normalise(opn_ctx *ctx, opn_i_csr *x)
{
    return divide_rows(ctx, sum_of_sizes, x);
}

opn_status opn_i_features_l2_normalise(opn_ctx *ctx, opn_i_csr *x)
{
    return divide_rows(ctx, euclidean_length, x);
}

opn_status
opn_i_features_moments(opn_ctx *ctx, const opn_i_csr *x, double *mean, double *scale)
{
    opn_status status = OPN_OK;
    const opn_off n = opn_i_csr_n_entries(x);
    int32_t *n_stored = NULL;
    OPN_TRY_NEW(ctx, n_stored, x->n_cols);
    for (opn_off e = 0; e < n; e++) {
        mean[x->col_idx[e]] += x->value == NULL ? 1.0 : (double)x->value[e];
        n_stored[x->col_idx[e]]++;
    }
    for (int32_t k = 0; k < x->n_cols; k++) {
        mean[k] /= x->n_rows;
        scale[k] = (x->n_rows - n_stored[k]) * mean[k] * mean[k]; // due to the zeros
    }
    for (opn_off e = 0; e < n; e++) {
        const int32_t k = x->col_idx[e];
        const double away = (x->value == NULL ? 1.0 : (double)x->value[e]) - mean[k];
        scale[k] += away * away;
    }
    for (int32_t k = 0; k < x->n_cols; k++) {
        scale[k] = sqrt(scale[k] / x->n_rows);
        if (scale[k] <= 1e-7 * fabs(mean[k]) || scale[k] == 0.0)
            scale[k] = 1.0; // the spread is only rounding error
    }
cleanup:
    opn_i_release(&ctx->alloc, n_stored);
    return status;
}

opn_status opn_i_features_standardise(opn_ctx *ctx,
                                      opn_i_csr *x,
                                      const double *mean,
                                      const double *scale)
{
    opn_status status = OPN_OK;
    opn_i_csr dense = {0};
    OPN_TRY(opn_i_csr_init(ctx, x->n_rows, x->n_cols, (opn_off)x->n_rows * x->n_cols,
                           true, &dense));
    for (int32_t i = 0; i < x->n_rows; i++) {
        const opn_off first = (opn_off)i * x->n_cols;
        for (int32_t k = 0; k < x->n_cols; k++) {
            dense.col_idx[first + k] = k;
            dense.value[first + k] = (opn_real)(-mean[k] / scale[k]);
        }
        for (opn_off e = x->row_ptr[i]; e < x->row_ptr[i + 1]; e++) {
            const int32_t k = x->col_idx[e];
            const double value = x->value == NULL ? 1.0 : (double)x->value[e];
            dense.value[first + k] = (opn_real)((value - mean[k]) / scale[k]);
        }
        dense.row_ptr[i + 1] = first + x->n_cols;
    }
    for (opn_off e = 0; e < opn_i_csr_n_entries(&dense); e++)
        OPN_FAIL_IF(ctx, !isfinite((double)dense.value[e]), OPN_ERR_NONFINITE,
                    "feature %d has too wide a range to be "
                    "standardised",
                    dense.col_idx[e]);
    OPN_TRY(opn_i_csr_tidy(ctx, &dense)); // constant columns are now zero
    opn_i_csr_deinit(&ctx->alloc, x);
    *x = dense;
    dense = (opn_i_csr){0};
cleanup:
    opn_i_csr_deinit(&ctx->alloc, &dense);
    return status;
}
