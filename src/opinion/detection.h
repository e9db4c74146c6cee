// detection.h -- how well scores rank nodes, over many draws from one pool.

#ifndef OPN_DETECTION_H
#define OPN_DETECTION_H

#include "base/context.h"
#include "opine/evaluate.h"

// Nodes that could be scored, and the draws that are.
typedef struct opn_i_pool {
    int32_t n;               // nodes
    const uint8_t *positive; // [n]
    const uint8_t *wrong;    // [n] a risk if the node is accepted
    bool ranks_by_more;      // positives should have higher scores, else lower
    int32_t n_draws;
    int32_t n_drawn;     // nodes per draw
    const int32_t *draw; // [n_draws, n_drawn] numbers below n, distinct within a draw
} opn_i_pool;

// Means over the draws, as fractions; ties as in scikit-learn. A draw with only
// positives, or with none, has no AUROC and no FPR95, and is left out of their means.
// score [n] has no NaN. Cost: O(n_draws n_drawn). Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_detect(opn_ctx *ctx,
                                      const opn_i_pool *pool,
                                      const float *score,
                                      double metric[OPN_N_METRICS]);

#endif // OPN_DETECTION_H
