// opinion.c -- the measures of Dirichlets, without a model.

#include "base/context.h"
#include "opinion/measure_table.h"

#include <math.h>

opn_status opn_opinion(opn_ctx *ctx,
                       int64_t n,
                       int32_t n_classes,
                       const float *alpha,
                       int32_t n_measures,
                       float *const *measure)
{
    opn_status status = OPN_OK;
    double *row = NULL;
    double *p = NULL;
    OPN_FAIL_IF(ctx, n_classes < 2, OPN_ERR_INVALID_ARG,
                "%d classes: an opinion needs at least two", n_classes);
    OPN_TRY_NEW(ctx, row, n_classes);
    OPN_TRY_NEW(ctx, p, n_classes);
    for (int64_t j = 0; j < n * n_classes; j++) // checks all before writing any output
        OPN_FAIL_IF(ctx, !(alpha[j] >= 1.0f) || !isfinite(alpha[j]), OPN_ERR_INVALID_ARG,
                    "alpha of node %lld and class %lld is %g, which must be 1 or more",
                    (long long)(j / n_classes), (long long)(j % n_classes),
                    (double)alpha[j]);
    for (int64_t i = 0; i < n; i++) {
        double strength = 0.0;
        for (int32_t k = 0; k < n_classes; k++) {
            row[k] = (double)alpha[i * n_classes + k];
            strength += row[k];
        }
        for (int32_t k = 0; k < n_classes; k++)
            p[k] = row[k] / strength;
        const opn_i_opinion opinion = {
                .n_classes = n_classes, .alpha = row, .p = p, .is_closed = true};
        for (int m = 0; m < OPN_N_MEASURES && m < n_measures; m++)
            if (measure[m] != NULL)
                measure[m][i] = m < OPN_N_PAPER_MEASURES
                                        ? (float)opn_i_measure_at(m)->of(&opinion)
                                        : NAN;
    }
cleanup:
    opn_i_release(&ctx->alloc, row);
    opn_i_release(&ctx->alloc, p);
    return status;
}
