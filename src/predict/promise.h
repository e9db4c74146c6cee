// promise.h -- what is promised about the nodes of a graph, and by which labels.

#ifndef OPN_PROMISE_H
#define OPN_PROMISE_H

#include "opine/control.h"
#include "predict/calibrated.h"

// The nodes that promises are about, and those that they rest on. Zero-initialise.
typedef struct opn_i_promise {
    opn_ctx *ctx;
    const opn_graph *graph;
    const opn_split *split;
    opn_prediction *prediction;
    const opn_i_guarantee *guarantee;
} opn_i_promise;

// The largest threshold on the measure that keeps the target accuracy with that
// confidence, among the nodes with decision [V] ACCEPT. Errors: those of
// opn_control_accuracy(), UNSUPPORTED (no node is left to show anything by).
OPN_NODISCARD opn_status opn_i_promise_accuracy(const opn_i_promise *promise,
                                                opn_measure measure,
                                                const uint8_t *decision,
                                                double target,
                                                double confidence,
                                                opn_control *out);

// Adds the sets of classes to the prediction, by the parameters coverage, set_score and
// coverage_by; *out is of the test nodes. Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_promise_sets(const opn_i_promise *promise,
                                            const opn_params *params,
                                            opn_set_quality *out);

// Adds the p-values of "of the known classes" to the prediction, and gives the decision
// UNKNOWN to the nodes that are marked at that false discovery rate; they are those that
// no promise rests on and that did not train. Returns the measure used. Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_promise_known(const opn_i_promise *promise,
                                             double fdr,
                                             uint8_t *decision,
                                             int8_t *decided_by,
                                             opn_measure *measure);

#endif // OPN_PROMISE_H
