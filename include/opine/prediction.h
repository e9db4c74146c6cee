// prediction.h -- what a model says about every node of a graph.

#ifndef OPINE_PREDICTION_H
#define OPINE_PREDICTION_H

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

// About V nodes of the graph and the K classes of the model.
typedef struct opn_prediction opn_prediction;

// Arrays that few callers want, and that a prediction has only when asked for.
enum { OPN_KEEP_BELIEF = 1 << 0, OPN_KEEP_ENERGY = 1 << 1, OPN_KEEP_AROUND = 1 << 2 };

// Predicts every node of `graph`, which need not be the one trained on but must have the
// same features; a model with links, or trained without features, knows only that one.
// samples, average and propagate of params are used, NULL for those of training. `keep`
// has bits OPN_KEEP_...; 0 for none.
// Errors: INVALID_ARG (an unknown bit), SHAPE (another number of features, or a feature
// whose name the model does not know; a graph it cannot know; directed graph), NONFINITE,
// INTERRUPTED, NOMEM.
// Memory: 4 V (2 K + 1 + measures) bytes stay, and as much again for the smoothed ones.
OPN_API OPN_NODISCARD opn_status opn_model_predict(opn_ctx *ctx,
                                                   const opn_model *model,
                                                   const opn_graph *graph,
                                                   const opn_params *params,
                                                   uint32_t keep,
                                                   opn_prediction **out);
OPN_API void opn_prediction_free(opn_prediction *prediction); // accepts NULL

// ---- what it says --------------------------------------------------------------------

// Arrays belong to the prediction and live as long as it does. One that is not there is
// NULL: what the model does not measure, or was not asked for.

OPN_API int32_t opn_prediction_n_nodes(const opn_prediction *prediction);
OPN_API int32_t opn_prediction_n_classes(const opn_prediction *prediction);

// [V] class
OPN_API const int32_t *opn_prediction_predicted(const opn_prediction *prediction);

// [V,K]
OPN_API const float *opn_prediction_probability(const opn_prediction *prediction);

// [V,K] evidence + 1; NULL for a model without evidence
OPN_API const float *opn_prediction_alpha(const opn_prediction *prediction);

// [V,K] (alpha - 1) / S, which with vacuity sums to 1; NULL for a model without vacuity,
// and without OPN_KEEP_BELIEF
OPN_API const float *opn_prediction_belief(const opn_prediction *prediction);

// [V]; NULL for what the model does not measure
OPN_API const float *opn_prediction_measure(const opn_prediction *prediction,
                                            opn_measure measure);

// [V] the measure after `propagate` steps over the graph; NULL also when there are none
OPN_API const float *opn_prediction_smoothed(const opn_prediction *prediction,
                                             opn_measure measure);

// [V] -ln sum exp(z) of the mean logits; NULL without OPN_KEEP_ENERGY
OPN_API const float *opn_prediction_energy(const opn_prediction *prediction);

// [V,K] the mean of what teacher and student give the classes, diffused over the graph;
// NULL for a model without a teacher, and without OPN_KEEP_AROUND unless a pool needs it
OPN_API const float *opn_prediction_around(const opn_prediction *prediction);

// [V,K] calibrated probabilities, and [V] that of the predicted class; NULL for a model
// that is not calibrated
OPN_API const float *opn_prediction_calibrated(const opn_prediction *prediction);
OPN_API const float *opn_prediction_confidence(const opn_prediction *prediction);

// [V] p-value of "of a known class, like the calibration nodes", and [V,K] 1 for the
// classes in the set of a node; NULL before opn_prediction_decide() was asked for them
OPN_API const float *opn_prediction_p_known(const opn_prediction *prediction);
OPN_API const uint8_t *opn_prediction_set(const opn_prediction *prediction);

// [V] opn_decision, and the opn_measure that decided or -1 where the node is accepted;
// NULL before opn_prediction_decide() of decide.h
OPN_API const uint8_t *opn_prediction_decision(const opn_prediction *prediction);
OPN_API const int8_t *opn_prediction_decided_by(const opn_prediction *prediction);

// What was decided, as a JSON object with the members decisions (thresholds, counts and
// what a target accuracy was reached with) and risk_coverage; both are null before
// opn_prediction_decide(). docs/file-formats.md has the members.
OPN_API const char *opn_prediction_summary(const opn_prediction *prediction);

// ---- files ---------------------------------------------------------------------------

// Writes predictions with the names of nodes and classes: a table node, role, label,
// p_CLASS…, alpha_CLASS…, vacuity … entropy, vacuity~ … entropy~ (the smoothed ones),
// energy, predicted, decision, decided_by, confidence, calibrated_CLASS…, set, p_known.
// Fields are empty for what the model does not measure; smoothed measures, energy, what
// is calibrated and decisions are left out where there are none. A JSON file is an
// object: the members of opn_prediction_summary(), and nodes, a list. A GraphML file is
// the graph with these as attributes of its nodes. `path` ends in .npz, .json or
// .graphml, or else is a CSV file; "-" is CSV and "-.json" JSON on standard output. Roles
// are those of `split`; without one labelled nodes are "pool". `model` may be NULL for a
// prediction that no model made (scores.h): its classes are the first ones of the graph.
OPN_API OPN_NODISCARD opn_status opn_prediction_save(opn_ctx *ctx,
                                                     const opn_model *model,
                                                     const opn_graph *graph,
                                                     const opn_split *split,
                                                     const opn_prediction *prediction,
                                                     const char *path);

#ifdef __cplusplus
}
#endif

#endif // OPINE_PREDICTION_H
