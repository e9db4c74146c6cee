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

// The norm of row i, whose entries are not all 1; zeros do not change it.
static double norm_of_row(const opn_i_features *x, int32_t i, bool is_euclidean)
{
    opn_off n = 0;
    const opn_real *value = opn_i_features_stored(x, i, &n);
    return is_euclidean ? euclidean_length(value, n) : sum_of_sizes(value, n);
}

void opn_i_features_row_of_norm_1(const opn_i_features *x,
                                  int32_t i,
                                  bool is_euclidean,
                                  opn_real *row)
{
    const double length = norm_of_row(x, i, is_euclidean);
    for (opn_i_feature_cursor at = opn_i_features_row(x, i); opn_i_feature_next(&at);)
        row[at.col] = length > 0.0 ? (opn_real)((double)at.value / length) : at.value;
}

// Divides each row of lists by its norm.
static opn_status divide_lists(opn_ctx *ctx, bool is_euclidean, opn_i_features *x)
{
    opn_status status = OPN_OK;
    opn_i_csr *lists = &x->lists;
    const opn_off n = opn_i_csr_n_entries(lists);
    if (lists->value == NULL) {
        OPN_TRY_NEW(ctx, lists->value, n);
        for (opn_off e = 0; e < n; e++)
            lists->value[e] = 1;
    }
    for (int32_t i = 0; i < x->n_rows; i++) {
        OPN_TRY_GO_ON_ROWS(ctx, i, scaling);
        const double length = norm_of_row(x, i, is_euclidean);
        for (opn_off e = lists->row_ptr[i]; e < lists->row_ptr[i + 1] && length > 0.0;
             e++)
            lists->value[e] = (opn_real)((double)lists->value[e] / length);
    }
    OPN_TRY(opn_i_csr_tidy(ctx, lists)); // quotients may underflow to 0, or all become 1
cleanup:
    return status;
}

// Makes an array of the rows that `fill` makes, and replaces x by it.
typedef opn_status
fill_fn(opn_ctx *ctx, const void *how, const opn_i_features *x, int32_t i, opn_real *row);

static opn_status
fill_array(opn_ctx *ctx, fill_fn *fill, const void *how, opn_i_features *x)
{
    opn_status status = OPN_OK;
    opn_real *array = NULL;
    opn_i_features made = {0};
    OPN_TRY_NEW(ctx, array, (size_t)x->n_rows * (size_t)x->n_cols);
    for (int32_t i = 0; i < x->n_rows; i++) {
        OPN_TRY_GO_ON_ROWS(ctx, i, scaling);
        OPN_TRY(fill(ctx, how, x, i, array + (size_t)i * (size_t)x->n_cols));
    }
    status = opn_i_features_take_array(ctx, array, x->n_rows, x->n_cols, &made);
    array = NULL;
    OPN_TRY(status);
    opn_i_features_deinit(&ctx->alloc, x);
    *x = made;
cleanup:
    opn_i_release(&ctx->alloc, array);
    return status;
}

static opn_status fill_divided(
        opn_ctx *ctx, const void *how, const opn_i_features *x, int32_t i, opn_real *row)
{
    const bool *is_euclidean = how;
    (void)ctx;
    opn_i_features_row_of_norm_1(x, i, *is_euclidean, row);
    return OPN_OK;
}

static opn_status divide_rows(opn_ctx *ctx, bool is_euclidean, opn_i_features *x)
{
    return x->dense != NULL ? fill_array(ctx, fill_divided, &is_euclidean, x)
                            : divide_lists(ctx, is_euclidean, x);
}

opn_status opn_i_features_row_normalise(opn_ctx *ctx, opn_i_features *x)
{
    return divide_rows(ctx, false, x);
}

opn_status opn_i_features_l2_normalise(opn_ctx *ctx, opn_i_features *x)
{
    return divide_rows(ctx, true, x);
}

// Entries of each column; to be freed.
static opn_status count_stored(opn_ctx *ctx, const opn_i_features *x, int32_t **out)
{
    opn_status status = OPN_OK;
    int32_t *n_stored = NULL;
    OPN_TRY_NEW(ctx, n_stored, x->n_cols);
    for (int32_t i = 0; i < x->n_rows; i++) {
        OPN_TRY_GO_ON_ROWS(ctx, i, scaling);
        for (opn_i_feature_cursor at = opn_i_features_row(x, i); opn_i_feature_next(&at);)
            n_stored[at.col]++;
    }
    *out = n_stored;
    n_stored = NULL;
cleanup:
    opn_i_release(&ctx->alloc, n_stored);
    return status;
}

opn_status
opn_i_features_moments(opn_ctx *ctx, const opn_i_features *x, double *mean, double *scale)
{
    opn_status status = OPN_OK;
    int32_t *n_stored = NULL;
    OPN_TRY(count_stored(ctx, x, &n_stored));
    for (int32_t i = 0; i < x->n_rows; i++) {
        OPN_TRY_GO_ON_ROWS(ctx, i, scaling);
        for (opn_i_feature_cursor at = opn_i_features_row(x, i); opn_i_feature_next(&at);)
            mean[at.col] += (double)at.value;
    }
    for (int32_t k = 0; k < x->n_cols; k++) {
        mean[k] /= x->n_rows;
        scale[k] = (x->n_rows - n_stored[k]) * mean[k] * mean[k]; // due to the zeros
    }
    for (int32_t i = 0; i < x->n_rows; i++) {
        OPN_TRY_GO_ON_ROWS(ctx, i, scaling);
        for (opn_i_feature_cursor at = opn_i_features_row(x, i);
             opn_i_feature_next(&at);) {
            const double away = (double)at.value - mean[at.col];
            scale[at.col] += away * away;
        }
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
                                 const opn_i_features *x,
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
static void standardise_row(const opn_i_features *x,
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
    for (opn_i_feature_cursor at = opn_i_features_row(x, i); opn_i_feature_next(&at);) {
        const int32_t k = at.col;
        if (place[k] >= 0) {
            out->value[first + place[k]] =
                    (opn_real)(((double)at.value - mean[k]) / scale[k]);
            continue;
        }
        out->col_idx[end] = k;
        out->value[end++] = (opn_real)((double)at.value / scale[k]);
    }
    out->row_ptr[i + 1] = end;
}

static opn_status fail_to_standardise(opn_ctx *ctx, int32_t k)
{
    return opn_i_fail(ctx, OPN_ERR_NONFINITE,
                      "feature %d has too wide a range to be standardised", k);
}

opn_status opn_i_features_standard_row(opn_ctx *ctx,
                                       const opn_i_features *x,
                                       int32_t i,
                                       const double *mean,
                                       const double *scale,
                                       const double *centre,
                                       opn_real *row)
{
    for (int32_t k = 0; k < x->n_cols; k++)
        row[k] = has_centre(centre, k) ? 0 : (opn_real)(-mean[k] / scale[k]);
    for (opn_i_feature_cursor at = opn_i_features_row(x, i); opn_i_feature_next(&at);) {
        const int32_t k = at.col;
        row[k] = (opn_real)(((double)at.value - (has_centre(centre, k) ? 0.0 : mean[k])) /
                            scale[k]);
    }
    for (int32_t k = 0; k < x->n_cols; k++)
        if (!isfinite((double)row[k]))
            return fail_to_standardise(ctx, k);
    return OPN_OK;
}

typedef struct standard {
    const double *mean, *scale, *centre;
} standard;

static opn_status fill_standard(
        opn_ctx *ctx, const void *how, const opn_i_features *x, int32_t i, opn_real *row)
{
    const standard *s = how;
    return opn_i_features_standard_row(ctx, x, i, s->mean, s->scale, s->centre, row);
}

static opn_status standardise_lists(opn_ctx *ctx,
                                    const standard *s,
                                    opn_off n,
                                    const int32_t *place,
                                    opn_i_features *x)
{
    opn_status status = OPN_OK;
    opn_i_features scaled = {0};
    OPN_TRY(opn_i_csr_init(ctx, x->n_rows, x->n_cols, n, true, &scaled.lists));
    for (int32_t i = 0; i < x->n_rows; i++) {
        OPN_TRY_GO_ON_ROWS(ctx, i, scaling);
        standardise_row(x, i, s->mean, s->scale, place, &scaled.lists);
    }
    for (opn_off e = 0; e < opn_i_csr_n_entries(&scaled.lists); e++)
        if (!isfinite((double)scaled.lists.value[e]))
            OPN_TRY(fail_to_standardise(ctx, scaled.lists.col_idx[e]));
    OPN_TRY(opn_i_csr_tidy(ctx, &scaled.lists)); // constant columns are now zero
    opn_i_features_deinit(&ctx->alloc, x);
    *x = scaled;
    scaled = (opn_i_features){0};
cleanup:
    opn_i_features_deinit(&ctx->alloc, &scaled);
    return status;
}

opn_status opn_i_features_standardise(opn_ctx *ctx,
                                      opn_i_features *x,
                                      const double *mean,
                                      const double *scale,
                                      const double *centre)
{
    opn_status status = OPN_OK;
    const standard s = {mean, scale, centre};
    int32_t *place = NULL;
    OPN_TRY_NEW(ctx, place, x->n_cols);
    const int32_t n_filled = place_filled(x->n_cols, centre, place);
    const opn_off n_kept = n_filled == x->n_cols ? 0 : opn_i_features_n_entries(x);
    const opn_off n = (opn_off)x->n_rows * n_filled + n_kept;
    if (x->dense != NULL || opn_i_features_prefer_array(x->n_rows, x->n_cols, n))
        OPN_TRY(fill_array(ctx, fill_standard, &s, x));
    else
        OPN_TRY(standardise_lists(ctx, &s, n, place, x));
cleanup:
    opn_i_release(&ctx->alloc, place);
    return status;
}
