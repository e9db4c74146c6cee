// control.h -- thresholds that keep their promise.

#ifndef OPINE_CONTROL_H
#define OPINE_CONTROL_H

#include "numbers.h"

#ifdef __cplusplus
extern "C" {
#endif

// A threshold, and what the labels show about it.
typedef struct opn_control {
    double target, confidence; // as asked for
    int is_shown;              // the labels show that a threshold keeps the promise
    double threshold; // accept the nodes with at most this score; -infinity for none
    int32_t n;        // calibration nodes
    int32_t n_accepted, n_right; // accepted among these, and right among the accepted
    double low; // the accuracy is at least this, at the level it was tested at; else NaN
    // Where nothing is shown: labelled nodes that would be enough if accuracies stay as
    // they are; 0 if no threshold looks good enough, so that more labels would not help.
    int32_t n_needed;
} opn_control;

// The largest threshold that is shown to keep this promise: the nodes with at most that
// score are right with a probability of at least `target`. It fails to with a probability
// of at most 1 - confidence, over draws of the calibration nodes, score [n] and right
// [n], 0 or 1, whose labels were not used to train or choose the model.
//
// Thresholds are the 1 %, 2 %, … 100 % quantiles of candidate [n_candidates], the scores
// of the nodes to decide about. They are tested from the strictest on, each by the exact
// binomial probability of so many right ones if the accuracy was the target. The allowed
// error 1 - confidence is shared among four starts, at the first threshold that could
// pass and at those that accept two, four and eight times as many; a share passes from a
// threshold that is shown to the next one, and is lost at one that is not (the fallback
// procedure, a fixed sequence with several starts). With the calibration nodes' own
// scores as candidates the promise also needs that the accuracy does not increase with
// the threshold.
//
// Errors: INVALID_ARG (n or n_candidates < 1, a score that is NaN, a flag that is neither
// 0 nor 1, a target or confidence outside (0, 1)), NOMEM, INTERRUPTED. Cost: O(n log n +
// n_candidates log n_candidates).
OPN_API OPN_NODISCARD opn_status opn_control_accuracy(opn_ctx *ctx,
                                                      int32_t n,
                                                      opn_numbers score,
                                                      const uint8_t *right,
                                                      int32_t n_candidates,
                                                      opn_numbers candidate,
                                                      double target,
                                                      double confidence,
                                                      opn_control *out);

#ifdef __cplusplus
}
#endif

#endif // OPINE_CONTROL_H
