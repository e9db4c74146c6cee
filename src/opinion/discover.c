// discover.c -- which nodes do not belong to the known classes, at a known error rate.

#include "opine/conformal.h"

#include "opinion/number_array.h"

#include <math.h>

// Numbers of sorted [n] that are below x.
static int32_t count_below(int32_t n, const double *sorted, double x)
{
    int32_t low = 0;
    int32_t high = n;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (sorted[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

opn_status opn_conformal_p_values(opn_ctx *ctx,
                                  int32_t n_calibration,
                                  opn_numbers calibration,
                                  int32_t n,
                                  opn_numbers score,
                                  double *p_value)
{
    OPN_REJECT_NULL(ctx, p_value);
    OPN_REJECT_MISSING(ctx, calibration);
    OPN_REJECT_MISSING(ctx, score);
    opn_status status = OPN_OK;
    double *sorted = NULL;
    OPN_FAIL_IF(ctx, n_calibration < 1, OPN_ERR_INVALID_ARG,
                "%d calibration nodes: a p-value needs at least one", n_calibration);
    OPN_TRY(opn_i_numbers_sorted(ctx, n_calibration, calibration,
                                 "score of calibration node", &sorted));
    for (int32_t i = 0; i < n; i++)
        OPN_FAIL_IF(ctx, isnan(opn_i_number(score, (size_t)i)), OPN_ERR_INVALID_ARG,
                    "score of node %d is not a number", i);
    for (int32_t i = 0; i < n; i++) {
        OPN_TRY_GO_ON(ctx, i, "computing p-values");
        const int32_t n_below =
                count_below(n_calibration, sorted, opn_i_number(score, (size_t)i));
        p_value[i] = (1.0 + n_calibration - n_below) / (1.0 + n_calibration);
    }
cleanup:
    opn_i_release(&ctx->alloc, sorted);
    return status;
}

opn_status opn_discover(opn_ctx *ctx,
                        int32_t n,
                        const double *p_value,
                        double level,
                        uint8_t *found,
                        double *threshold,
                        int32_t *n_found)
{
    // Conformal p-values are often exactly on the line, which neither product may miss.
    static const double with_rounding = 1.0 + 1e-12;
    OPN_REJECT_NULL(ctx, p_value, found, threshold, n_found);
    opn_status status = OPN_OK;
    double *sorted = NULL;
    int32_t n_marked = 0;
    OPN_FAIL_IF(ctx, !(level > 0.0 && level < 1.0), OPN_ERR_INVALID_ARG,
                "a false discovery rate of %g, which must be between 0 and 1", level);
    for (int32_t i = 0; i < n; i++)
        OPN_FAIL_IF(ctx, !(p_value[i] >= 0.0 && p_value[i] <= 1.0), OPN_ERR_INVALID_ARG,
                    "p-value of node %d is %g, which must be in [0, 1]", i, p_value[i]);
    OPN_TRY(opn_i_numbers_sorted(ctx, n, opn_f64(p_value), "p-value of node", &sorted));
    for (int32_t i = n; i > 0 && n_marked == 0; i--)
        if (sorted[i - 1] * n <= level * i * with_rounding)
            n_marked = i;
    *threshold = n_marked > 0 ? sorted[n_marked - 1] : 0.0;
    for (int32_t i = 0; i < n; i++)
        found[i] = n_marked > 0 && p_value[i] <= *threshold;
    *n_found = n_marked;
cleanup:
    opn_i_release(&ctx->alloc, sorted);
    return status;
}
