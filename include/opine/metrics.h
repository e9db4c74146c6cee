// metrics.h -- metrics of detection and of probabilities, with intervals.
//
// Arrays in, numbers out: no model is needed. Scores and probabilities may be float or
// double, opn_f32(x) or opn_f64(x). All values are fractions, not percent, and sums are
// kept in double. Every metric needs at least one node and says in the message
// which element of its input it refuses. Errors of all: INVALID_ARG (n < 1, a score that
// is NaN, a flag that is neither 0 nor 1, a probability outside [0, 1], a label outside
// [0, n_classes)), NOMEM, INTERRUPTED.

#ifndef OPINE_METRICS_H
#define OPINE_METRICS_H

#include "numbers.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- detection -----------------------------------------------------------------------

// positive [n] is 1 for the nodes to detect, and a higher score [n] means more likely
// positive. Nodes with equal scores are treated together, so the order of the nodes
// never matters, not even to the last bit. Values agree with those of scikit-learn.
// Cost: O(n), of doubles O(n log n).

// Share of the pairs of a positive and a negative node in which the positive one has the
// higher score, ties counted half: the area under the ROC curve. NaN if all nodes are of
// one kind.
OPN_API OPN_NODISCARD opn_status opn_metric_auroc(
        opn_ctx *ctx, int32_t n, const uint8_t *positive, opn_numbers score, double *out);

// Sum over thresholds of precision times the recall gained there, without interpolation:
// the area under the precision-recall curve (AUPR). 0 if no node is positive.
OPN_API OPN_NODISCARD opn_status opn_metric_average_precision(
        opn_ctx *ctx, int32_t n, const uint8_t *positive, opn_numbers score, double *out);

// Smallest false positive rate at a threshold with a true positive rate of at least
// `tpr`; 0.95 is usual. NaN if all nodes are of one kind. Errors: also INVALID_ARG (tpr
// outside [0, 1]).
OPN_API OPN_NODISCARD opn_status opn_metric_fpr_at_tpr(opn_ctx *ctx,
                                                       int32_t n,
                                                       const uint8_t *positive,
                                                       opn_numbers score,
                                                       double tpr,
                                                       double *out);

// risk[i] is the share of `wrong` [n] nodes among the i + 1 least uncertain ones, area
// the mean of risk over all i. With ties, risk is the mean over all orders of the tied
// nodes. risk [n] may be NULL. Cost: O(n).
OPN_API OPN_NODISCARD opn_status opn_metric_risk_coverage(opn_ctx *ctx,
                                                          int32_t n,
                                                          const uint8_t *wrong,
                                                          opn_numbers uncertainty,
                                                          double *risk,
                                                          double *area);

// ---- probabilities -------------------------------------------------------------------

// probability [n, n_classes] by rows, which are used as given and not normalised.
// Rounding may leave a probability slightly above 1. label [n] is the true class. Cost:
// O(n n_classes).

// Mean over nodes of sum_k (p_k - y_k)^2, y being 1 for the true class: from 0 to 2.
OPN_API OPN_NODISCARD opn_status opn_metric_brier(opn_ctx *ctx,
                                                  int32_t n,
                                                  int32_t n_classes,
                                                  opn_numbers probability,
                                                  const int32_t *label,
                                                  double *out);

// Mean over nodes of -ln p of the true class, where p below the epsilon of its type,
// FLT_EPSILON or DBL_EPSILON, counts as that, as in scikit-learn's log_loss: at most
// 15.95 for floats.
OPN_API OPN_NODISCARD opn_status opn_metric_nll(opn_ctx *ctx,
                                                int32_t n,
                                                int32_t n_classes,
                                                opn_numbers probability,
                                                const int32_t *label,
                                                double *out);

// Expected calibration error: nodes are put by their largest probability into n_bins bins
// (lo, hi] of equal width, 15 being usual, and the distances between accuracy and mean
// largest probability of the bins are averaged by their shares of the nodes. Of equal
// probabilities the first class is predicted; a largest probability of 0 is in the first
// bin. Errors: also INVALID_ARG (n_bins < 1). Cost: also O(n_bins).
OPN_API OPN_NODISCARD opn_status opn_metric_calibration_error(opn_ctx *ctx,
                                                              int32_t n,
                                                              int32_t n_classes,
                                                              opn_numbers probability,
                                                              const int32_t *label,
                                                              int32_t n_bins,
                                                              double *out);

// ---- statistics over runs ------------------------------------------------------------

// A mean over runs.
typedef struct opn_estimate {
    int32_t n;        // values that are not NaN
    double mean;      // NaN if n is 0
    double std;       // of the sample (n - 1); NaN if n < 2
    double low, high; // 95 % interval of the mean by Student's t; NaN if n < 2
} opn_estimate;

// The mean of value [n] with its interval. NaN values are ignored, so a run without a
// value does not hide the others; NULL has none. Cost: O(n).
OPN_API void opn_estimate_mean(int32_t n, const double *value, opn_estimate *out);

// How one of two differs from the other.
typedef struct opn_comparison {
    int32_t n;         // pairs without a NaN
    double difference; // mean of a - b; NaN if n is 0
    double low, high;  // 95 % percentile bootstrap interval of it; NaN if n is 0
    double p_value;    // of the two-sided Wilcoxon signed-rank test
} opn_comparison;

// Compares paired values a [n] and b [n], for example of two models on the same splits.
// Pairs with a NaN are ignored. The interval comes from 10,000 resamples of the pairs,
// which depend on `seed` alone; of a single pair both ends are its difference.
//
// Differences of 0 are left out of the test. Its p-value is exact for at most 50 pairs
// of which no difference is 0 and no two are equally large, else from the normal
// distribution with correction for ties but not for continuity. It is 1 if no pair
// differs, also if there is none. SciPy 1.10's wilcoxon() agrees, except that for at
// most 50 pairs with ties it truncates the rank sum to an integer and continues as if
// there were none, so swapping a and b changes its result. Errors: INVALID_ARG (a
// difference that is not finite), NOMEM. Cost: O(10,000 n).
OPN_API OPN_NODISCARD opn_status opn_compare(opn_ctx *ctx,
                                             int32_t n,
                                             const double *a,
                                             const double *b,
                                             uint64_t seed,
                                             opn_comparison *out);

#ifdef __cplusplus
}
#endif

#endif // OPINE_METRICS_H
