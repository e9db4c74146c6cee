// curves.h -- the data behind figures of rankings, probabilities and scores.

#ifndef OPN_CURVES_H
#define OPN_CURVES_H

#include "opinion/careful_sum.h"
#include "opinion/ranking.h"
#include "opinion/values.h"

// ---- curves of a ranking -------------------------------------------------------------

// Points from left to right, in one block that the owner frees.
typedef struct opn_i_curve {
    int32_t n;
    double *x; // [n], the start of the block
    double *y; // [n], inside it
} opn_i_curve;

void opn_i_curve_deinit(const opn_alloc *alloc, opn_i_curve *curve);

// All points, without thinning. Errors: NOMEM. Cost: O(n) of the ranking.

// x false positive rate, y true positive rate, from (0, 0) to (1, 1) with one point for
// each tie. The area under the line segments is opn_i_ranking_auroc(). No points, and no
// error, if all nodes are of one kind.
OPN_NODISCARD opn_status opn_i_curve_roc(opn_ctx *ctx,
                                         const opn_i_ranking *ranking,
                                         opn_i_order order,
                                         opn_i_curve *out);

// x recall, y precision, one point for each tie, after one at recall 0 with the precision
// of the first tie: nothing is found there, and the 1 that scikit-learn uses instead
// would draw a peak that no threshold has. After the first point of recall 1, precision
// falls to the fraction of positives. The area under the steps, each as high as its right
// end, is opn_i_ranking_precision(). No points, and no error, if all nodes are of one
// kind.
OPN_NODISCARD opn_status opn_i_curve_precision(opn_ctx *ctx,
                                               const opn_i_ranking *ranking,
                                               opn_i_order order,
                                               opn_i_curve *out);

// x coverage, the fraction of nodes accepted in order of increasing score, y the fraction
// of them that are wrong; one point for each node, from (1 / n, .) to (1, .), since risk
// is curved within a tie. The mean of y is opn_i_ranking_risk().
OPN_NODISCARD opn_status opn_i_curve_risk(opn_ctx *ctx,
                                          const opn_i_ranking *ranking,
                                          opn_i_curve *out);

// ---- fewer points --------------------------------------------------------------------

// Removes points from a curve, but never its ends, so that no point of the old line is
// farther than the tolerance from the new one, or the reverse. Cost: O(n), no memory.
#define OPN_CURVE_TOLERANCE 0.0005 // half a pixel of a large screen
void opn_i_curve_thin(opn_i_curve *curve, double tolerance);

// ---- reliability ---------------------------------------------------------------------

// Nodes of similar confidence, which is their largest probability.
typedef struct opn_i_bin {
    int32_t n;
    int32_t n_right;
    double confidence; // mean, 0 if there are no nodes
    double accuracy;   // n_right / n, 0 if there are no nodes
    opn_i_sum sum;     // of the confidences
} opn_i_bin;

// Fills bin [n_bins] with the bins (b / n_bins, (b + 1) / n_bins] of
// opn_metric_calibration_error(), n_bins >= 1; 0 is in the first. probability [n,
// n_classes] is from 0 to 1 up to rounding, label [n]. Cost: O(n n_classes).
void opn_i_reliability(int32_t n,
                       int32_t n_classes,
                       opn_i_values probability,
                       const int32_t *label,
                       int32_t n_bins,
                       opn_i_bin *bin);

// ---- histograms ----------------------------------------------------------------------

// Bins [low + b width, low + (b + 1) width); the last includes its upper end.
typedef struct opn_i_scale {
    double low, high; // low < high
    int32_t n_bins;   // >= 1
} opn_i_scale;

// Counts the values [n] of each group in each bin, in count [n_groups, n_bins]. Values
// outside the range go to the nearest bin, NaN to none. group [n] holds numbers below
// n_groups; NULL puts all values in the first. Cost: O(n + n_groups n_bins).
void opn_i_histogram(const opn_i_scale *scale,
                     int32_t n,
                     const float *value,
                     int32_t n_groups,
                     const uint8_t *group,
                     int32_t *count);

#endif // OPN_CURVES_H
