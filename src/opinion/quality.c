// quality.c -- the quality of predicted probabilities.

#include "opinion/quality.h"

#include <math.h>
#include <string.h>

static const double percent = 100.0;

void opn_i_scored_deinit(const opn_alloc *alloc, opn_i_scored *scored)
{
    opn_i_release(alloc, scored->probability);
    opn_i_release(alloc, scored->label);
    *scored = (opn_i_scored){0};
}

opn_status opn_i_scored_init(opn_ctx *ctx,
                             int32_t n_nodes,
                             int32_t n_classes,
                             const int32_t *target,
                             const float *probability,
                             opn_i_scored *out)
{
    opn_status status = OPN_OK;
    const size_t width = (size_t)n_classes;
    opn_i_scored scored = {.n_classes = n_classes};
    OPN_TRY_NEW(ctx, scored.probability, (size_t)n_nodes * width);
    OPN_TRY_NEW(ctx, scored.label, n_nodes);
    for (int32_t i = 0; i < n_nodes; i++) {
        if (target[i] < 0)
            continue;
        memcpy(scored.probability + (size_t)scored.n * width,
               probability + (size_t)i * width, width * sizeof(*probability));
        scored.label[scored.n++] = target[i];
    }
    *out = scored;
    scored = (opn_i_scored){0};
cleanup:
    opn_i_scored_deinit(&ctx->alloc, &scored);
    return status;
}

opn_status opn_i_quality(opn_ctx *ctx,
                         int32_t n_nodes,
                         int32_t n_classes,
                         const int32_t *target,
                         const int32_t *predicted,
                         const float *probability,
                         double quality[OPN_N_QUALITIES])
{
    opn_status status = OPN_OK;
    opn_i_scored j = {0};
    int32_t n_right = 0;
    for (int q = 0; q < OPN_N_QUALITIES; q++)
        quality[q] = (double)NAN;
    OPN_TRY(opn_i_scored_init(ctx, n_nodes, n_classes, target, probability, &j));
    for (int32_t i = 0; i < n_nodes; i++)
        n_right += target[i] >= 0 && predicted[i] == target[i];
    if (j.n > 0) {
        quality[OPN_QUALITY_ACCURACY] = percent * n_right / j.n;
        OPN_TRY(opn_metric_brier(ctx, j.n, n_classes, opn_f32(j.probability), j.label,
                                 &quality[OPN_QUALITY_BRIER]));
        OPN_TRY(opn_metric_nll(ctx, j.n, n_classes, opn_f32(j.probability), j.label,
                               &quality[OPN_QUALITY_NLL]));
        OPN_TRY(opn_metric_calibration_error(ctx, j.n, n_classes, opn_f32(j.probability),
                                             j.label, OPN_CALIBRATION_BINS,
                                             &quality[OPN_QUALITY_ECE]));
        quality[OPN_QUALITY_ECE] *= percent;
    }
cleanup:
    opn_i_scored_deinit(&ctx->alloc, &j);
    return status;
}
