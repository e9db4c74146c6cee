// principal.c -- projects rows onto their two principal directions.

#include "embed/principal.h"

#include <math.h>

// A direction with less than this share of the total variance is rounding noise.
#define LEAST_SHARE 1e-12

// The caller may interrupt between rounds.
enum { WORK_A_ROUND = 1 << 28 };

// Column `a` of the covariance times n_rows, up to the diagonal.
static void add_up_products(int32_t n_rows,
                            size_t n_cols,
                            const opn_real *x,
                            const double *mean,
                            size_t a,
                            double *column)
{
    for (int32_t i = 0; i < n_rows; i++) {
        const opn_real *row = x + (size_t)i * n_cols;
        const double off = (double)row[a] - mean[a];
        for (size_t b = 0; b <= a; b++)
            column[b] += off * ((double)row[b] - mean[b]);
    }
}

// covariance [n_cols,n_cols], times n_rows. Each column is computed by one thread.
static opn_status find_covariance(opn_ctx *ctx,
                                  int32_t n_rows,
                                  size_t n_cols,
                                  const opn_real *x,
                                  const double *mean,
                                  double *covariance)
{
    opn_status status = OPN_OK;
    const int64_t work = (int64_t)n_rows * (int64_t)n_cols + 1; // per column
    const int n_threads = opn_i_threads_for(ctx, work, 1 << 16);
    (void)n_threads; // unused when built without OpenMP
    const size_t step = work < WORK_A_ROUND ? (size_t)(WORK_A_ROUND / work) : 1;
    for (size_t begin = 0; begin < n_cols; begin += step) {
        const size_t end = n_cols - begin < step ? n_cols : begin + step;
#pragma omp parallel for schedule(dynamic) num_threads(n_threads) if (n_threads > 1)
        for (size_t a = begin; a < end; a++)
            add_up_products(n_rows, n_cols, x, mean, a, covariance + a * n_cols);
        OPN_TRY(opn_i_progress(ctx, "finding directions", (int64_t)end, (int64_t)n_cols,
                               "columns"));
    }
    for (size_t a = 0; a < n_cols; a++)
        for (size_t b = a + 1; b < n_cols; b++)
            covariance[a * n_cols + b] = covariance[b * n_cols + a];
cleanup:
    return status;
}

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0.0;
    for (size_t k = 0; k < n; k++)
        sum += a[k] * b[k];
    return sum;
}

// to = covariance from, minus its component along `other` (may be NULL), normalised to
// length 1, or 0.
static void turn(size_t n_cols,
                 const double *covariance,
                 const double *from,
                 const double *other,
                 double *to)
{
    double variance = 0.0;
    for (size_t a = 0; a < n_cols; a++) {
        to[a] = dot(n_cols, covariance + a * n_cols, from);
        variance += covariance[a * n_cols + a];
    }
    const double along = other == NULL ? 0.0 : dot(n_cols, to, other);
    for (size_t a = 0; a < n_cols && other != NULL; a++)
        to[a] -= along * other[a];
    const double length = sqrt(dot(n_cols, to, to));
    const double scale = length > LEAST_SHARE * variance ? 1.0 / length : 0.0;
    for (size_t a = 0; a < n_cols; a++)
        to[a] *= scale;
}

opn_status opn_i_principal_plane(opn_ctx *ctx,
                                 int32_t n_rows,
                                 int32_t n_cols,
                                 const opn_real *x,
                                 int n_steps,
                                 double *plane)
{
    opn_status status = OPN_OK;
    const size_t width = (size_t)n_cols;
    double *mean = NULL;
    double *covariance = NULL;
    double *direction = NULL; // the two directions, and the previous two
    size_t n_products = 0;
    OPN_FAIL_IF(ctx, !opn_i_mul(width, width, &n_products), OPN_ERR_OVERFLOW,
                "%d columns: too many", n_cols);
    OPN_TRY_NEW(ctx, mean, width);
    OPN_TRY_NEW(ctx, covariance, n_products);
    OPN_TRY_NEW(ctx, direction, 4 * width);
    for (int32_t i = 0; i < n_rows; i++)
        for (size_t k = 0; k < width; k++)
            mean[k] += (double)x[(size_t)i * width + k] / n_rows;
    OPN_TRY(find_covariance(ctx, n_rows, width, x, mean, covariance));
    // Any start will do that is not orthogonal to the principal directions.
    for (size_t k = 0; k < width; k++) {
        direction[k] = 1.0 + sin((double)k);
        direction[width + k] = cos(3.0 * (double)k);
    }
    for (int step = 0; step < n_steps; step++) {
        double *const now = direction + 2 * width * (size_t)(step % 2);
        double *const next = direction + 2 * width * (size_t)((step + 1) % 2);
        turn(width, covariance, now, NULL, next);
        turn(width, covariance, now + width, next, next + width);
    }
    const double *const found = direction + 2 * width * (size_t)(n_steps % 2);
    for (int32_t i = 0; i < n_rows; i++)
        for (size_t axis = 0; axis < 2; axis++) {
            double along = 0.0;
            for (size_t k = 0; k < width; k++)
                along += ((double)x[(size_t)i * width + k] - mean[k]) *
                         found[axis * width + k];
            plane[2 * (size_t)i + axis] = along;
        }
cleanup:
    opn_i_release(&ctx->alloc, mean);
    opn_i_release(&ctx->alloc, covariance);
    opn_i_release(&ctx->alloc, direction);
    return status;
}
