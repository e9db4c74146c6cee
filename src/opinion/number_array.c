// number_array.c -- arrays of numbers in order.

#include "opinion/number_array.h"

#include "base/sort.h"

#include <math.h>

int opn_i_compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

opn_status opn_i_numbers_sorted(
        opn_ctx *ctx, int32_t n, opn_numbers x, const char *what, double **out)
{
    opn_status status = OPN_OK;
    const size_t n_all = (size_t)(n > 0 ? n : 0);
    double *sorted = NULL;
    OPN_TRY_NEW(ctx, sorted, n_all);
    for (size_t i = 0; i < n_all; i++) {
        OPN_TRY_GO_ON(ctx, i, "sorting");
        sorted[i] = opn_i_number(x, i);
        OPN_FAIL_IF(ctx, isnan(sorted[i]), OPN_ERR_INVALID_ARG, "%s %zu is not a number",
                    what, i);
    }
    OPN_TRY(opn_i_sort(ctx, sorted, n_all, sizeof(*sorted), opn_i_compare_numbers));
    *out = sorted;
    sorted = NULL;
cleanup:
    opn_i_release(&ctx->alloc, sorted);
    return status;
}
