// feature_scale.c -- scaling of features.

#include "graph/feature_scale.h"

#include <math.h>

static const char scaling[] = "scaling the features"; // in messages

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
        OPN_TRY_GO_ON_ROWS(ctx, i, scaling);
        const double length = norm(x->value + first, x->row_ptr[i + 1] - first);
        for (opn_off e = first; e < x->row_ptr[i + 1] && length > 0.0; e++)
            x->value[e] = (opn_real)((double)x->value[e] / length);
    }
    OPN_TRY(opn_i_csr_tidy(ctx, x)); // quotients may underflow to 0, or all become 1
cleanup:
    return status;
}

void opn_i_features_row_of_norm_1(const opn_i_csr *x,
                                  int32_t i,
                                  bool is_euclidean,
                                  opn_real *row)
{
    const opn_off first = x->row_ptr[i], n = x->row_ptr[i + 1] - first;
    const double length = is_euclidean ? euclidean_length(x->value + first, n)
                                       : sum_of_sizes(x->value + first, n);
    for (opn_off e = first; e < first + n; e++)
        row[x->col_idx[e]] =
                length > 0.0 ? (opn_real)((double)x->value[e] / length) : x->value[e];
}

opn_status opn_i_features_row_normalise(opn_ctx *ctx, opn_i_csr *x)
{
    return divide_rows(ctx, sum_of_sizes, x);
}

opn_status opn_i_features_l2_normalise(opn_ctx *ctx, opn_i_csr *x)
{
    return divide_rows(ctx, euclidean_length, x);
}

static double value_at(const opn_i_csr *x, opn_off e)
{
    return x->value == NULL ? 1.0 : (double)x->value[e];
}

// Entries of each column; to be freed.
static opn_status count_stored(opn_ctx *ctx, const opn_i_csr *x, int32_t **out)
{
    opn_status status = OPN_OK;
    int32_t *n_stored = NULL;
    OPN_TRY_NEW(ctx, n_stored, x->n_cols);
    for (opn_off e = 0; e < opn_i_csr_n_entries(x); e++) {
        OPN_TRY_GO_ON(ctx, e, scaling);
        n_stored[x->col_idx[e]]++;
    }
    *out = n_stored;
    n_stored = NULL;
cleanup:
    opn_i_release(&ctx->alloc, n_stored);
    return status;
}

opn_status
opn_i_features_moments(opn_ctx *ctx, const opn_i_csr *x, double *mean, double *scale)
{
    opn_status status = OPN_OK;
    const opn_off n = opn_i_csr_n_entries(x);
    int32_t *n_stored = NULL;
    OPN_TRY(count_stored(ctx, x, &n_stored));
    for (opn_off e = 0; e < n; e++) {
        OPN_TRY_GO_ON(ctx, e, scaling);
        mean[x->col_idx[e]] += value_at(x, e);
    }
    for (int32_t k = 0; k < x->n_cols; k++) {
        mean[k] /= x->n_rows;
        scale[k] = (x->n_rows - n_stored[k]) * mean[k] * mean[k]; // due to the zeros
    }
    for (opn_off e = 0; e < n; e++) {
        const int32_t k = x->col_idx[e];
        OPN_TRY_GO_ON(ctx, e, scaling);
        const double away = value_at(x, e) - mean[k];
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

// Columns of which less than this share is stored stay sparse. An epoch then takes 0.38
// of the time, and less for less. Above it dropout would be too coarse: the mean of a
// column of share q is up to sqrt(q / (1 - q)) standard deviations from 0, here 0.58, and
// this is how far a dropped entry is from the others.
static const double most_stored = 0.25;

opn_status opn_i_features_centre(opn_ctx *ctx,
                                 const opn_i_csr *x,
                                 const double *mean,
                                 const double *scale,
                                 double *centre)
{
    opn_status status = OPN_OK;
    int32_t *n_stored = NULL;
    OPN_TRY(count_stored(ctx, x, &n_stored));
    for (int32_t k = 0; k < x->n_cols; k++)
        centre[k] = n_stored[k] < most_stored * x->n_rows ? mean[k] / scale[k] : 0.0;
cleanup:
    opn_i_release(&ctx->alloc, n_stored);
    return status;
}

static bool has_centre(const double *centre, int32_t k)
{
    return centre != NULL && centre[k] != 0.0;
}

// place[k] = the position of column k among those without a centre, or -1; returns how
// many there are.
static int32_t place_filled(int32_t n_cols, const double *centre, int32_t *place)
{
    int32_t n = 0;
    for (int32_t k = 0; k < n_cols; k++)
        place[k] = has_centre(centre, k) ? -1 : n++;
    return n;
}

// Writes row i at out->row_ptr[i]: first the columns that are filled, then the others.
static void standardise_row(const opn_i_csr *x,
                            int32_t i,
                            const double *mean,
                            const double *scale,
                            const int32_t *place,
                            opn_i_csr *out)
{
    const opn_off first = out->row_ptr[i];
    opn_off end = first;
    for (int32_t k = 0; k < x->n_cols; k++) {
        if (place[k] < 0)
            continue;
        out->col_idx[end] = k;
        out->value[end++] = (opn_real)(-mean[k] / scale[k]);
    }
    for (opn_off e = x->row_ptr[i]; e < x->row_ptr[i + 1]; e++) {
        const int32_t k = x->col_idx[e];
        if (place[k] >= 0) {
            out->value[first + place[k]] =
                    (opn_real)((value_at(x, e) - mean[k]) / scale[k]);
            continue;
        }
        out->col_idx[end] = k;
        out->value[end++] = (opn_real)(value_at(x, e) / scale[k]);
    }
    out->row_ptr[i + 1] = end;
}

static opn_status fail_to_standardise(opn_ctx *ctx, int32_t k)
{
    return opn_i_fail(ctx, OPN_ERR_NONFINITE,
                      "feature %d has too wide a range to be standardised", k);
}

opn_status opn_i_features_standard_row(opn_ctx *ctx,
                                       const opn_i_csr *x,
                                       int32_t i,
                                       const double *mean,
                                       const double *scale,
                                       const double *centre,
                                       opn_real *row)
{
    for (int32_t k = 0; k < x->n_cols; k++)
        row[k] = has_centre(centre, k) ? 0 : (opn_real)(-mean[k] / scale[k]);
    for (opn_off e = x->row_ptr[i]; e < x->row_ptr[i + 1]; e++) {
        const int32_t k = x->col_idx[e];
        row[k] = (opn_real)((value_at(x, e) - (has_centre(centre, k) ? 0.0 : mean[k])) /
                            scale[k]);
    }
    for (int32_t k = 0; k < x->n_cols; k++)
        if (!isfinite((double)row[k]))
            return fail_to_standardise(ctx, k);
    return OPN_OK;
}

opn_status opn_i_features_standardise(opn_ctx *ctx,
                                      opn_i_csr *x,
                                      const double *mean,
                                      const double *scale,
                                      const double *centre)
{
    opn_status status = OPN_OK;
    opn_i_csr scaled = {0};
    int32_t *place = NULL;
    OPN_TRY_NEW(ctx, place, x->n_cols);
    const int32_t n_filled = place_filled(x->n_cols, centre, place);
    const opn_off n_kept = n_filled == x->n_cols ? 0 : opn_i_csr_n_entries(x);
    OPN_TRY(opn_i_csr_init(ctx, x->n_rows, x->n_cols,
                           (opn_off)x->n_rows * n_filled + n_kept, true, &scaled));
    for (int32_t i = 0; i < x->n_rows; i++) {
        OPN_TRY_GO_ON_ROWS(ctx, i, scaling);
        standardise_row(x, i, mean, scale, place, &scaled);
    }
    for (opn_off e = 0; e < opn_i_csr_n_entries(&scaled); e++)
        if (!isfinite((double)scaled.value[e]))
            OPN_TRY(fail_to_standardise(ctx, scaled.col_idx[e]));
    OPN_TRY(opn_i_csr_tidy(ctx, &scaled)); // constant columns are now zero
    opn_i_csr_deinit(&ctx->alloc, x);
    *x = scaled;
    scaled = (opn_i_csr){0};
cleanup:
    opn_i_release(&ctx->alloc, place);
    opn_i_csr_deinit(&ctx->alloc, &scaled);
    return status;
}
