// feature_rule.c -- which scaling suits the features of a graph.

#include "graph/feature_rule.h"

#include <math.h>
#include <stdlib.h>

// Counts of words differ by less than this, an income and an age by more.
static const double equal_scales = 10.0;

bool opn_i_features_are_signed(const opn_i_csr *x)
{
    for (opn_off e = 0; x->value != NULL && e < opn_i_csr_n_entries(x); e++)
        if (x->value[e] < 0)
            return true;
    return false;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

// Root mean square of the non-zero values of each feature that has some; returns how many
// have. A frequent word is not of another scale than a rare one.
static opn_status
find_scales(opn_ctx *ctx, const opn_i_csr *x, double *scale, int32_t *n_scales)
{
    opn_status status = OPN_OK;
    int32_t *n_stored = NULL;
    int32_t n = 0;
    OPN_TRY_NEW(ctx, n_stored, x->n_cols);
    for (opn_off e = 0; e < opn_i_csr_n_entries(x); e++) {
        scale[x->col_idx[e]] += (double)x->value[e] * (double)x->value[e];
        n_stored[x->col_idx[e]]++;
    }
    for (int32_t k = 0; k < x->n_cols; k++)
        if (n_stored[k] > 0)
            scale[n++] = sqrt(scale[k] / n_stored[k]);
    *n_scales = n;
cleanup:
    opn_i_release(&ctx->alloc, n_stored);
    return status;
}

opn_status opn_i_features_suit(opn_ctx *ctx, const opn_i_csr *x, const char **normalise)
{
    opn_status status = OPN_OK;
    double *scale = NULL;
    int32_t n = 0;
    *normalise = "l2";
    if (x->value == NULL) // all are 1
        return OPN_OK;
    OPN_TRY_NEW(ctx, scale, x->n_cols);
    OPN_TRY(find_scales(ctx, x, scale, &n));
    qsort(scale, (size_t)n, sizeof(*scale), compare);
    if (opn_i_features_are_signed(x) ||
        (n > 0 && scale[n - 1] > equal_scales * scale[n / 2]))
        *normalise = "standard";
cleanup:
    opn_i_release(&ctx->alloc, scale);
    return status;
}
