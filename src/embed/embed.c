// embed.c -- maps the rows of any matrix to points in the unit square.

#include "opine/embed.h"

#include "embed/tsne.h"

#include <math.h>

#define LEAST_PERPLEXITY 2.0
#define MOST_PERPLEXITY  100.0

// A copy of x scaled to at most 1 in magnitude, so that no square overflows. The factor
// is a power of two, so that equal distances stay equal.
static opn_status
scale_rows(opn_ctx *ctx, int32_t n_rows, int32_t n_cols, const float *x, opn_real **out)
{
    opn_status status = OPN_OK;
    opn_real *scaled = NULL;
    float largest = 0.0f;
    int exponent = 0;
    size_t n = 0;
    OPN_FAIL_IF(ctx, !opn_i_mul((size_t)n_rows, (size_t)n_cols, &n), OPN_ERR_OVERFLOW,
                "%d rows of %d columns: too many", n_rows, n_cols);
    for (size_t e = 0; e < n; e++) {
        OPN_FAIL_IF(ctx, !isfinite(x[e]), OPN_ERR_NONFINITE,
                    "row %zu to embed holds infinity or NaN", e / (size_t)n_cols);
        largest = fmaxf(largest, fabsf(x[e]));
    }
    (void)frexpf(largest, &exponent);
    OPN_TRY_NEW(ctx, scaled, n);
    for (size_t e = 0; e < n; e++)
        scaled[e] = (opn_real)ldexp((double)x[e], -exponent);
    *out = scaled;
cleanup:
    return status;
}

// Scales points to the unit square so that their longer side fills it.
static void fit_square(int32_t n_rows, const opn_real *point, float *place)
{
    double low[2] = {(double)INFINITY, (double)INFINITY};
    double side[2] = {0.0, 0.0};
    for (size_t e = 0; e < 2 * (size_t)n_rows; e++)
        low[e % 2] = fmin(low[e % 2], (double)point[e]);
    for (size_t e = 0; e < 2 * (size_t)n_rows; e++)
        side[e % 2] = fmax(side[e % 2], (double)point[e] - low[e % 2]);
    const double longer = fmax(side[0], side[1]);
    const double unit = longer > 0.0 ? longer : 1.0;
    for (size_t e = 0; e < 2 * (size_t)n_rows; e++) {
        const double margin = longer > 0.0 ? 0.5 * (1.0 - side[e % 2] / unit) : 0.5;
        place[e] = (float)(margin + ((double)point[e] - low[e % 2]) / unit);
    }
}

opn_status opn_embed(opn_ctx *ctx,
                     int32_t n_rows,
                     int32_t n_cols,
                     const float *x,
                     double perplexity,
                     uint64_t seed,
                     float *place)
{
    OPN_REJECT_NULL(ctx, x, place);
    opn_status status = OPN_OK;
    opn_real *scaled = NULL;
    opn_real *point = NULL;
    opn_i_tsne_options options = opn_i_tsne_defaults();
    OPN_FAIL_IF(ctx, n_rows < 1 || n_cols < 1, OPN_ERR_INVALID_ARG,
                "%d rows of %d columns to embed: at least one of each is needed", n_rows,
                n_cols);
    OPN_FAIL_IF(ctx, !(perplexity >= LEAST_PERPLEXITY && perplexity <= MOST_PERPLEXITY),
                OPN_ERR_INVALID_ARG, "perplexity %g: outside [%g, %g]", perplexity,
                LEAST_PERPLEXITY, MOST_PERPLEXITY);
    options.perplexity = perplexity;
    options.seed = seed;
    OPN_TRY(scale_rows(ctx, n_rows, n_cols, x, &scaled));
    OPN_TRY_NEW(ctx, point, 2 * (size_t)n_rows);
    OPN_TRY(opn_i_tsne(ctx, n_rows, n_cols, scaled, &options, point));
    fit_square(n_rows, point, place);
cleanup:
    opn_i_release(&ctx->alloc, scaled);
    opn_i_release(&ctx->alloc, point);
    return status;
}
