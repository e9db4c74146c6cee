// decide.h -- which predictions to accept, and which to leave to a person.

#ifndef OPINE_DECIDE_H
#define OPINE_DECIDE_H

#include "conformal.h"
#include "control.h"
#include "prediction.h"

#ifdef __cplusplus
extern "C" {
#endif

// What is decided about a node.
typedef enum opn_decision {
    OPN_DECISION_ACCEPT = 0,
    OPN_DECISION_MISCLASSIFIED = 1, // abstained: the predicted class may be wrong
    OPN_DECISION_OOD = 2,           // abstained: there is little evidence for any class
    OPN_DECISION_UNKNOWN = 3        // of no known class, at a false discovery rate
} opn_decision;
enum { OPN_N_DECISIONS = 4 };

OPN_API const char *opn_decision_name(opn_decision decision); // "abstain (conflict)"

// The decision for a node rejected because of this measure: OOD for vacuity,
// MISCLASSIFIED for any other.
OPN_API opn_decision opn_decision_for(opn_measure measure);

// ---- thresholds ----------------------------------------------------------------------

// The largest accepted value of each measure.
typedef struct opn_thresholds opn_thresholds;

// Reads a value of the parameter abstain_above, "vacuity=0.5,dissonance=0.4"; "" sets no
// threshold. Errors: INVALID_ARG (no such measure, a measure named twice, not a number or
// outside the measure's range), NOMEM.
OPN_API OPN_NODISCARD opn_status opn_thresholds_parse(opn_ctx *ctx,
                                                      const char *text,
                                                      opn_thresholds **out);
OPN_API void opn_thresholds_free(opn_thresholds *thresholds); // accepts NULL

// The threshold of one measure; NaN if it has none.
OPN_API double opn_thresholds_most(const opn_thresholds *thresholds, opn_measure measure);

// Decides about n nodes by measure [n_measures], the values of each opn_measure, [n] or
// NULL; those without a threshold are ignored. A node with a measure above its threshold
// is not accepted; if several are, the one that exceeds its threshold by the largest
// factor, from the least possible value, decides, on ties the first in the order of
// opn_measure. Thresholds are rounded to float before comparing, so one printed with nine
// digits and read back gives the same result.
//
// decision    [n] opn_decision
// decided_by  [n] opn_measure, or -1 for what is accepted; may be NULL
//
// Errors: INVALID_ARG (a threshold on a measure that is NULL, or NaN for some node).
// Cost: O(n).
OPN_API OPN_NODISCARD opn_status opn_decide(opn_ctx *ctx,
                                            int32_t n,
                                            int32_t n_measures,
                                            const float *const *measure,
                                            const opn_thresholds *thresholds,
                                            uint8_t *decision,
                                            int8_t *decided_by);

// ---- choosing a threshold ------------------------------------------------------------

// Result of accepting the nodes with a measure of at most the threshold.
typedef struct opn_coverage {
    double threshold;
    int32_t n, n_accepted, n_right; // nodes; accepted; correct among these
    double coverage;                // n_accepted / n
    double accuracy;                // n_right / n_accepted
    double low, high; // 95 % interval of the accuracy (Clopper and Pearson, exact)
} opn_coverage;

// The threshold with the largest coverage at which the accuracy of what is accepted is
// at least `target`; measure [n], right [n] 0 or 1. Nodes with equal values are
// accepted together or not at all, and at least one is accepted. If no threshold
// reaches the target, *is_reached is 0 and *out has the highest accuracy, on ties the
// largest coverage.
//
// The interval ignores that the threshold was chosen on these nodes; expect slightly
// lower accuracy on new ones. Errors: INVALID_ARG (n < 1, a measure that is NaN, a flag
// that is neither 0 nor 1, a target outside [0, 1]), NOMEM, INTERRUPTED. Cost: O(n log
// n).
OPN_API OPN_NODISCARD opn_status opn_pick_threshold(opn_ctx *ctx,
                                                    int32_t n,
                                                    const float *measure,
                                                    const uint8_t *right,
                                                    double target,
                                                    int *is_reached,
                                                    opn_coverage *out);

enum { OPN_N_COVERAGES = 10 };

// The smallest thresholds that accept at least 10 %, 20 %, … 100 % of the nodes. Errors
// and cost: as above.
OPN_API OPN_NODISCARD opn_status opn_risk_coverage(opn_ctx *ctx,
                                                   int32_t n,
                                                   const float *measure,
                                                   const uint8_t *right,
                                                   opn_coverage curve[OPN_N_COVERAGES]);

// ---- decisions about a graph ---------------------------------------------------------

// The measure that detects wrong predictions best: dissonance, or entropy for models
// without it.
OPN_API opn_measure opn_decide_recommended(const opn_model *model);

// What opn_prediction_decide() decided, and on what grounds.
typedef struct opn_decisions {
    const opn_thresholds *thresholds;
    int has_target;                      // a target accuracy was asked for, and then:
    opn_measure measure;                 // by which it is reached
    opn_coverage picked;                 // among the validation nodes
    opn_coverage curve[OPN_N_COVERAGES]; // likewise
    int32_t n_decided[OPN_N_DECISIONS];  // nodes of each opn_decision
    int32_t n_test, n_accepted_test;     // labelled test nodes; 0 without a split
    int32_t n_right_test;                // correct among the accepted
    // The labelled nodes that promises rest on, and how many of them are validation
    // nodes, whose labels may have chosen the model; 0 if nothing is promised.
    int32_t n_guarantee, n_guarantee_validation;
    int is_promised;      // the target is to be shown, and then this is what was:
    opn_control control;  // nothing accepted if is_shown is 0
    int has_sets;         // a coverage was asked for, and then:
    opn_set_quality sets; // of the test nodes
    int has_fdr;          // a false discovery rate was asked for, and then:
    opn_measure known_by; // the measure behind the p-values
} opn_decisions;

// Whether opn_prediction_decide() can do what the parameters ask for, before the work.
// Errors: INVALID_ARG (a measure that the model does not have, decide_by without
// target_accuracy, a measure with two thresholds), SHAPE (a target, but no split, or no
// validation node in it).
OPN_API OPN_NODISCARD opn_status opn_decide_check(opn_ctx *ctx,
                                                  const opn_model *model,
                                                  const opn_graph *graph,
                                                  const opn_split *split,
                                                  const opn_params *params);

// Decides about every node of the graph by the parameters abstain_above, target_accuracy,
// confidence, pick, decide_by, coverage, set_score, coverage_by and ood_fdr;
// opn_prediction_decision() and opn_prediction_decided_by() return the result. Promises
// rest on the calibration nodes of `split`, and on its validation nodes if there are
// fewer than 50 of these; test nodes are only counted afterwards. A target accuracy
// accepts what control.h shows, among the nodes that the given thresholds accept, or with
// `pick` best-looking what looks best on the validation nodes. split may be NULL when
// nothing needs labels, and model for a prediction that no model made (scores.h). Errors:
// those above, and UNSUPPORTED (no threshold reaches the target; the message says what
// can be reached), NOMEM. Cost: O(V + n log n) of n validation nodes.
OPN_API OPN_NODISCARD opn_status opn_prediction_decide(opn_ctx *ctx,
                                                       const opn_model *model,
                                                       const opn_graph *graph,
                                                       const opn_split *split,
                                                       const opn_params *params,
                                                       opn_prediction *prediction,
                                                       opn_decisions **out);
OPN_API void opn_decisions_free(opn_decisions *decisions); // accepts NULL

#ifdef __cplusplus
}
#endif

#endif // OPINE_DECIDE_H
