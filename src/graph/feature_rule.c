// feature_rule.c -- which scaling suits the features of a graph.

#include "graph/feature_rule.h"

#include <math.h>

// Word counts and embeddings lose nothing by their scales; a table with an amount beside
// yes and no loses nearly all but the amount.
static const double least_share = 0.7;

// Rows of length 1 that differ by less than this share of their squared length are too
// alike to learn from: of 20 features of variance 1, an MLP keeps its accuracy with a
// mean of 3 (a share of 0.11) and loses a third of it with a mean of 10 (0.01).
static const double least_spread = 0.05;

static const char looking[] = "looking at the features"; // in messages

bool opn_i_features_are_signed(const opn_i_features *x)
{
    for (int32_t i = 0; i < x->n_rows && !opn_i_features_are_ones(x); i++) {
        opn_off n = 0;
        const opn_real *value = opn_i_features_stored(x, i, &n);
        for (opn_off e = 0; e < n; e++)
            if (value[e] < 0)
                return true;
    }
    return false;
}

// Root mean square of the non-zero values of each feature, 1 if it has none. A frequent
// word is not of another scale than a rare one.
static opn_status find_scales(opn_ctx *ctx, const opn_i_features *x, double *scale)
{
    opn_status status = OPN_OK;
    int32_t *n_stored = NULL;
    OPN_TRY_NEW(ctx, n_stored, x->n_cols);
    for (int32_t i = 0; i < x->n_rows; i++) {
        OPN_TRY_GO_ON_ROWS(ctx, i, looking);
        for (opn_i_feature_cursor at = opn_i_features_row(x, i);
             opn_i_feature_next(&at);) {
            scale[at.col] += (double)at.value * (double)at.value;
            n_stored[at.col]++;
        }
    }
    for (int32_t k = 0; k < x->n_cols; k++)
        scale[k] = n_stored[k] > 0 && scale[k] > 0.0 ? sqrt(scale[k] / n_stored[k]) : 1.0;
cleanup:
    opn_i_release(&ctx->alloc, n_stored);
    return status;
}

// Of the entry that was reached.
static double squared(const opn_i_feature_cursor *at, const double *scale)
{
    const double value = (double)at->value / (scale == NULL ? 1.0 : scale[at->col]);
    return value * value;
}

static double squared_length(const opn_i_features *x, const double *scale, int32_t i)
{
    double length = 0.0;
    for (opn_i_feature_cursor at = opn_i_features_row(x, i); opn_i_feature_next(&at);)
        length += squared(&at, scale);
    return length;
}

// How many features decide the direction of rows: 1 / sum of s_k^2, where s_k is the
// share of feature k in the squared length of a row, on average. `scale` divides the
// features, unless it is NULL; share [F] is scratch.
static opn_status count_deciding(opn_ctx *ctx,
                                 const opn_i_features *x,
                                 const double *scale,
                                 double *share,
                                 double *out)
{
    opn_status status = OPN_OK;
    double sum = 0.0;
    double sum_squares = 0.0;
    for (int32_t k = 0; k < x->n_cols; k++)
        share[k] = 0.0;
    for (int32_t i = 0; i < x->n_rows; i++) {
        OPN_TRY_GO_ON_ROWS(ctx, i, looking);
        const double length = squared_length(x, scale, i);
        for (opn_i_feature_cursor at = opn_i_features_row(x, i);
             length > 0.0 && opn_i_feature_next(&at);)
            share[at.col] += squared(&at, scale) / length;
    }
    for (int32_t k = 0; k < x->n_cols; k++) {
        sum += share[k];
        sum_squares += share[k] * share[k];
    }
    *out = sum_squares > 0.0 ? sum * sum / sum_squares : 0.0;
cleanup:
    return status;
}

// The share of the squared length of rows, scaled to length 1, in which they differ from
// their mean: near 0 if all values are far from 0, as years are. mean [F] is scratch.
static double find_spread(const opn_i_features *x, double *mean)
{
    double squared_mean = 0.0;
    int32_t n_rows = 0;
    for (int32_t k = 0; k < x->n_cols; k++)
        mean[k] = 0.0;
    for (int32_t i = 0; i < x->n_rows; i++) {
        const double length = squared_length(x, NULL, i);
        for (opn_i_feature_cursor at = opn_i_features_row(x, i);
             length > 0.0 && opn_i_feature_next(&at);)
            mean[at.col] += (double)at.value / sqrt(length);
        n_rows += length > 0.0;
    }
    for (int32_t k = 0; k < x->n_cols; k++)
        squared_mean += mean[k] / n_rows * (mean[k] / n_rows);
    return n_rows > 0 ? 1.0 - squared_mean : 1.0;
}

// Whether some feature has two values; those that no row stores are 0. first [F] is
// scratch.
static bool features_vary(const opn_i_features *x, double *first)
{
    opn_off n_first = 0;
    for (int32_t k = 0; k < x->n_cols; k++)
        first[k] = 0.0;
    for (int32_t i = 0; i < x->n_rows; i++) {
        for (opn_i_feature_cursor at = opn_i_features_row(x, i);
             opn_i_feature_next(&at);) {
            if (i == 0) {
                first[at.col] = (double)at.value;
                n_first++;
            }
            if ((double)at.value != first[at.col])
                return true;
        }
    }
    return opn_i_features_n_entries(x) != x->n_rows * n_first;
}

opn_status
opn_i_features_suit(opn_ctx *ctx, const opn_i_features *x, const char **normalise)
{
    opn_status status = OPN_OK;
    double *scale = NULL;
    double *share = NULL;
    double n_plain = 0.0;
    double n_scaled = 0.0;
    *normalise = "l2";
    if (opn_i_features_are_ones(x))
        return OPN_OK;
    OPN_TRY_NEW(ctx, scale, x->n_cols);
    OPN_TRY_NEW(ctx, share, x->n_cols);
    OPN_TRY(find_scales(ctx, x, scale));
    OPN_TRY(count_deciding(ctx, x, NULL, share, &n_plain));
    OPN_TRY(count_deciding(ctx, x, scale, share, &n_scaled));
    if (opn_i_features_are_signed(x) || n_plain < least_share * n_scaled ||
        (find_spread(x, share) < least_spread && features_vary(x, share)))
        *normalise = "standard";
cleanup:
    opn_i_release(&ctx->alloc, scale);
    opn_i_release(&ctx->alloc, share);
    return status;
}
