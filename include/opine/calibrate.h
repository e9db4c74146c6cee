// calibrate.h -- probabilities that mean what they say.
//
// Arrays in, arrays out: the probabilities may come from any model. docs/decisions.md has
// the reasons and the formulas.

#ifndef OPINE_CALIBRATE_H
#define OPINE_CALIBRATE_H

#include "numbers.h"

#ifdef __cplusplus
extern "C" {
#endif

// How probabilities are made to fit labels. Values are stored in model files: append
// only.
typedef enum opn_calibration {
    OPN_CALIBRATION_NONE = 0,
    OPN_CALIBRATION_TEMPERATURE = 1, // softmax(a ln p), a = 1 / T
    OPN_CALIBRATION_POOL = 2         // softmax(a ln p + b ln q)
} opn_calibration;

// Their names in this order, as a parameter lists its choices.
#define OPN_CALIBRATION_NAMES "none|temperature|pool"
OPN_API const char *opn_calibration_name(opn_calibration calibration); // "temperature"

// What n labelled nodes are enough for, at most `wanted`: 20 for a temperature, 100 for a
// pool.
OPN_API opn_calibration opn_calibration_affordable(opn_calibration wanted, int32_t n);

// What was fitted. p [n,K] are the probabilities, q [n,K] those of another opinion about
// the same nodes, such as the mean of their neighbours'. A probability below 1e-30 counts
// as 1e-30.
typedef struct opn_calibrator {
    opn_calibration kind;
    int32_t n;                    // nodes it was fitted on
    double a, b;                  // exponents of p and q, 0.01 … 100; unused ones are 0
    double nll_before, nll_after; // mean -ln p of the true class on these nodes
} opn_calibrator;

// The calibrator with the least mean -ln p of the true class on the nodes of label [n],
// which is -1 for those to leave out, and of one more label that is spread evenly over
// all nodes and classes: n nodes that are all right leave a doubt of about 1 / n. Rows of
// p and q need not sum to 1; q is read only by a pool. Errors: INVALID_ARG (fewer labels
// than opn_calibration_affordable() asks for, all of one class, K < 2, a label outside
// [-1, K), a probability that is negative or not finite), NOMEM, INTERRUPTED. Cost: O(n
// K) for each of some 10 steps.
OPN_API OPN_NODISCARD opn_status opn_calibrator_fit(opn_ctx *ctx,
                                                    opn_calibration kind,
                                                    int32_t n,
                                                    int32_t n_classes,
                                                    opn_numbers p,
                                                    opn_numbers q,
                                                    const int32_t *label,
                                                    opn_calibrator *out);

// calibrated [n,K], whose rows sum to 1; it may be p. A calibrator of the kind NONE only
// makes the rows sum to 1. A temperature keeps the order of the classes; a pool may not.
// Errors: INVALID_ARG (a or b not above 0, K < 1, a probability that is negative or not
// finite), NOMEM, INTERRUPTED (some rows are written).
OPN_API OPN_NODISCARD opn_status opn_calibrator_apply(opn_ctx *ctx,
                                                      const opn_calibrator *calibrator,
                                                      int32_t n,
                                                      int32_t n_classes,
                                                      opn_numbers p,
                                                      opn_numbers q,
                                                      opn_number_room calibrated);

// ---- how well they mean it -----------------------------------------------------------

// How probabilities do on nodes whose class is known.
typedef struct opn_probability_quality {
    int32_t n;
    double accuracy;
    double nll, brier;   // as opn_metric_nll() and opn_metric_brier()
    double ece;          // as opn_metric_calibration_error()
    double adaptive_ece; // likewise, in bins of as many nodes each
} opn_probability_quality;

// All of it for p [n,K] on the nodes of label [n], which is -1 for those to leave out.
// Nodes of equal confidence are in the same adaptive bin, so that the order of the nodes
// has no effect. Errors: those of the metrics, NOMEM.
OPN_API OPN_NODISCARD opn_status opn_probability_measure(opn_ctx *ctx,
                                                         int32_t n,
                                                         int32_t n_classes,
                                                         opn_numbers p,
                                                         const int32_t *label,
                                                         int32_t n_bins,
                                                         opn_probability_quality *out);

#ifdef __cplusplus
}
#endif

#endif // OPINE_CALIBRATE_H
