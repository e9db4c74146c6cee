// decide.h -- which predictions to accept, and which to leave to someone else.

#ifndef OPINE_DECIDE_H
#define OPINE_DECIDE_H

#include "prediction.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum opn_decision {
    OPN_DECISION_ACCEPT = 0,
    OPN_DECISION_MISCLASSIFIED = 1, // the predicted class may be the wrong one
    OPN_DECISION_OOD = 2            // there may be no right one among those known
} opn_decision;
enum { OPN_N_DECISIONS = 3 };

OPN_API const char *opn_decision_name(opn_decision decision); // "misclassified?"

// What a node that is not accepted because of this measure is taken for: too much vacuity
// for OOD, too much of any other for MISCLASSIFIED.
OPN_API opn_decision opn_decision_for(opn_measure measure);

// ---- thresholds ----------------------------------------------------------------------

// The most of each measure that is accepted.
typedef struct opn_thresholds opn_thresholds;

// Reads a value of the parameter abstain_above, "vacuity=0.5,dissonance=0.4"; "" sets no
// threshold. Errors: INVALID_ARG (no such measure, one named twice, a number that is none
// or outside of the measure's range), NOMEM.
OPN_API OPN_NODISCARD opn_status opn_thresholds_parse(opn_ctx *ctx,
                                                      const char *text,
                                                      opn_thresholds **out);
OPN_API void opn_thresholds_free(opn_thresholds *thresholds); // accepts NULL

// NaN where any value is accepted.
OPN_API double opn_thresholds_most(const opn_thresholds *thresholds, opn_measure measure);

// Decides about n nodes by measure [n_measures], which has the values of each
// opn_measure, [n] or NULL; those without a threshold are not looked at. A node of which
// a measure is above its threshold is not accepted; of several the one that exceeds by
// the greatest factor decides, of equal factors the first in the order of opn_measure. A
// threshold is rounded to float before it is compared, so that one which was printed with
// nine digits and read back is the same.
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

// What comes of accepting the nodes of which a measure is at most the threshold.
typedef struct opn_coverage {
    double threshold;
    int32_t n, n_accepted, n_right; // nodes; accepted; right among these
    double coverage;                // n_accepted / n
    double accuracy;                // n_right / n_accepted
    double low, high; // 95 % interval of the accuracy (Clopper and Pearson, exact)
} opn_coverage;

// The threshold with the largest coverage at which the accuracy of what is accepted is at
// least `target`; measure [n], right [n] 0 or 1. Nodes of one value are accepted together
// or not at all, and at least one is accepted. If no threshold reaches the target
// *is_reached is 0, and *out the one of the highest accuracy, of several that of the
// largest coverage.
//
// The interval is that of nodes chosen beforehand. The threshold was chosen by these very
// nodes, so that new ones will do somewhat worse on average.
// Errors: INVALID_ARG (n < 1, a measure that is NaN, a flag that is neither 0 nor 1, a
// target outside [0, 1]), NOMEM. Cost: O(n log n).
OPN_API OPN_NODISCARD opn_status opn_pick_threshold(opn_ctx *ctx,
                                                    int32_t n,
                                                    const float *measure,
                                                    const uint8_t *right,
                                                    double target,
                                                    int *is_reached,
                                                    opn_coverage *out);

enum { OPN_N_COVERAGES = 10 };

// The least thresholds that accept at least 10 %, 20 %, … 100 % of the nodes. Errors and
// cost: as above.
OPN_API OPN_NODISCARD opn_status opn_risk_coverage(opn_ctx *ctx,
                                                   int32_t n,
                                                   const float *measure,
                                                   const uint8_t *right,
                                                   opn_coverage curve[OPN_N_COVERAGES]);

// ---- decisions about a graph ---------------------------------------------------------

// The measure that tells wrong predictions best: dissonance, or entropy for a model that
// has none.
OPN_API opn_measure opn_decide_recommended(const opn_model *model);

typedef struct opn_decisions {
    const opn_thresholds *thresholds;
    int has_target;                      // a target accuracy was asked for, and then:
    opn_measure measure;                 // by which it is reached
    opn_coverage picked;                 // among the validation nodes
    opn_coverage curve[OPN_N_COVERAGES]; // likewise
    int32_t n_decided[OPN_N_DECISIONS];  // nodes of each opn_decision
    int32_t n_test, n_accepted_test;     // labelled test nodes; 0 without a split
    int32_t n_right_test;                // right ones among those accepted
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

// Decides about every node of the graph by the parameters abstain_above, target_accuracy
// and decide_by; opn_prediction_decision() and opn_prediction_decided_by() have it. For a
// target accuracy a threshold is picked on the validation nodes of `split`, of those that
// the thresholds given accept; test nodes are counted, and never looked at before. split
// may be NULL when there is no target. Errors: those above, and UNSUPPORTED (no threshold
// reaches the target; the message says what can be reached), NOMEM. Cost: O(V + n log n)
// of n validation nodes.
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
