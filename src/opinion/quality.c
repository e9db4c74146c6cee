// quality.c -- the quality of predicted probabilities.

#include "opinion/quality.h"

#include "opine/calibrate.h"

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

// The four figures of probabilities [V,K] on the nodes of target [V] that have a class.
static opn_status measure(opn_ctx *ctx,
                          int32_t n_nodes,
                          int32_t n_classes,
                          const int32_t *target,
                          const float *probability,
                          double figure[4])
{
    opn_status status = OPN_OK;
    opn_probability_quality found;
    OPN_TRY(opn_probability_measure(ctx, n_nodes, n_classes, opn_f32(probability), target,
                                    OPN_CALIBRATION_BINS, &found));
    figure[0] = found.brier;
    figure[1] = found.nll;
    figure[2] = percent * found.ece;
    figure[3] = percent * found.adaptive_ece;
cleanup:
    return status;
}

opn_status opn_i_quality(opn_ctx *ctx,
                         int32_t n_nodes,
                         int32_t n_classes,
                         const int32_t *target,
                         const int32_t *predicted,
                         const float *probability,
                         const float *calibrated,
                         double quality[OPN_N_QUALITIES])
{
    opn_status status = OPN_OK;
    int32_t n = 0;
    int32_t n_right = 0;
    for (int q = 0; q < OPN_N_QUALITIES; q++)
        quality[q] = (double)NAN;
    for (int32_t i = 0; i < n_nodes; i++) {
        n += target[i] >= 0;
        n_right += target[i] >= 0 && predicted[i] == target[i];
    }
    if (n == 0)
        return OPN_OK;
    quality[OPN_QUALITY_ACCURACY] = percent * n_right / n;
    OPN_TRY(measure(ctx, n_nodes, n_classes, target, probability,
                    &quality[OPN_QUALITY_BRIER]));
    if (calibrated != NULL)
        OPN_TRY(measure(ctx, n_nodes, n_classes, target, calibrated,
                        &quality[OPN_QUALITY_CALIBRATED_BRIER]));
cleanup:
    return status;
}
