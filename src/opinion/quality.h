// quality.h -- the quality of predicted probabilities.

#ifndef OPN_QUALITY_H
#define OPN_QUALITY_H

#include "base/context.h"
#include "opine/evaluate.h"

enum { OPN_CALIBRATION_BINS = 15 };

// The nodes of target [V] that have a class, and their rows of probability [V,K], packed.
// Errors: NOMEM.
typedef struct opn_i_scored {
    int32_t n, n_classes;
    float *probability; // [n,K]
    int32_t *label;     // [n]
} opn_i_scored;

OPN_NODISCARD opn_status opn_i_scored_init(opn_ctx *ctx,
                                           int32_t n_nodes,
                                           int32_t n_classes,
                                           const int32_t *target,
                                           const float *probability,
                                           opn_i_scored *out);
void opn_i_scored_deinit(const opn_alloc *alloc, opn_i_scored *scored);

// All of them; NaN if there are no nodes, and those of calibrated [V,K] if it is NULL. A
// node is right if its class is `predicted` [V]. Errors: as those of the metrics.
OPN_NODISCARD opn_status opn_i_quality(opn_ctx *ctx,
                                       int32_t n_nodes,
                                       int32_t n_classes,
                                       const int32_t *target,
                                       const int32_t *predicted,
                                       const float *probability,
                                       const float *calibrated,
                                       double quality[OPN_N_QUALITIES]);

#endif // OPN_QUALITY_H
