// infer.h -- stochastic forward passes, accumulated into moments, and their opinions.

#ifndef OPN_INFER_H
#define OPN_INFER_H

#include "base/context.h"
#include "network/head.h"
#include "network/network.h"

typedef struct opn_i_infer_options {
    const opn_i_head *head;
    opn_i_evidence_kind evidence;
    int32_t n_samples; // passes with dropout; 0: one pass without
    opn_i_rates rates;
    uint64_t seed;
    opn_i_streams streams;
    bool has_logits; // the moments have them, which take a third of the memory
} opn_i_infer_options;

// Results of inference; [V, width] or [V], in double. Owned by the holder.
typedef struct opn_i_moments {
    int32_t n_nodes, n_classes, width;
    size_t length;
    double *arena;   // [length]: all of these
    double *alpha;   // mean alpha; NULL for a softmax head
    double *z;       // mean logits; NULL unless asked for
    double *p;       // mean p
    double *entropy; // [V] mean H(p), in nats: not yet divided by ln K
} opn_i_moments;

void opn_i_moments_deinit(const opn_alloc *alloc, opn_i_moments *moments);

// The mean of several: add those of the same network to the first, then divide by n.
void opn_i_moments_add(opn_i_moments *to, const opn_i_moments *from);
void opn_i_moments_divide(opn_i_moments *moments, int32_t n);

// The plan of its passes, for the workspace they run in.
opn_i_plan opn_i_infer_plan(const opn_i_infer_options *options);

// Runs the passes. Memory does not depend on their number.
// Errors: NOMEM, INTERRUPTED, NONFINITE (names the pass).
OPN_NODISCARD opn_status opn_i_infer(opn_ctx *ctx,
                                     const opn_i_exec *exec,
                                     opn_i_network *network,
                                     const opn_real *weights,
                                     const opn_i_infer_options *options,
                                     opn_i_moments *out);

#endif // OPN_INFER_H
