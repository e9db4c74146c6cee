// model.h -- models that know what they do not know: train, predict, save, load.

#ifndef OPINE_MODEL_H
#define OPINE_MODEL_H

#include "graph.h"
#include "params.h"
#include "split.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct opn_model opn_model; // immutable once trained or loaded

// ---- parameters ----------------------------------------------------------------------

// Fills in the values of the preset for this graph and task, where `params` were not
// set: hidden, dropout, weight_decay, epochs, teacher_epochs, patience, lambda1,
// propagate.
OPN_API OPN_NODISCARD opn_status opn_params_use_preset(opn_ctx *ctx,
                                                       const opn_graph *graph,
                                                       opn_params *params);

// The split for the parameters seed, task, protocol and ood_classes: classes named in
// ood_classes are held out, or with task ood the usual ones of a dataset known by name.
// Errors: INVALID_ARG (not a class of the graph), and those of opn_split_create().
OPN_API OPN_NODISCARD opn_status opn_split_from_params(opn_ctx *ctx,
                                                       const opn_graph *graph,
                                                       const opn_params *params,
                                                       opn_split **out);

// The split a model was trained with. *out is NULL if it is not known: the graph is not
// the training graph, or its split has changed, which gives a warning.
OPN_API OPN_NODISCARD opn_status opn_model_split(opn_ctx *ctx,
                                                 const opn_model *model,
                                                 const opn_graph *graph,
                                                 opn_split **out);

// ---- training ------------------------------------------------------------------------

// Trains the model that `params` describe (model, hidden, epochs, teacher_epochs,
// learning_rate, dropout, weight_decay, lambda1, sigma, kernel_constant, evidence,
// patience, normalise, seed) on the training nodes of `split`. The graph must be
// undirected; opn_graph_prepare() makes it so. Features are normalised according to
// `normalise`, on a copy.
//
// checkpoint  where to keep what was learnt when the work is interrupted and every
//             `checkpoint_every` seconds, or NULL. A checkpoint of the same work that is
//             already there is gone on from, with the same bits as if nothing had
//             happened; it is removed at the end.
//
// Errors: INVALID_ARG (parameters that do not fit together), SHAPE (directed graph, no
// features, fewer than two classes), NONFINITE (names epoch and tensor), INTERRUPTED,
// NOMEM, and those of the checkpoint's file. Cost: O(epochs (entries of the features +
// edges) hidden); memory O((V + F) hidden + E).
OPN_API OPN_NODISCARD opn_status opn_model_train(opn_ctx *ctx,
                                                 const opn_graph *graph,
                                                 const opn_split *split,
                                                 const opn_params *params,
                                                 const char *checkpoint,
                                                 opn_model **out);
OPN_API void opn_model_free(opn_model *model); // accepts NULL

// ---- files ---------------------------------------------------------------------------

// A safetensors file with all that prediction needs: weights, every parameter, names.
OPN_API OPN_NODISCARD opn_status opn_model_save(opn_ctx *ctx,
                                                const opn_model *model,
                                                const char *path);

// `path` may be "-" for standard input. Errors: READ, FORMAT (not a model of opine, or
// damaged; the message says what).
OPN_API OPN_NODISCARD opn_status opn_model_load(opn_ctx *ctx,
                                                const char *path,
                                                opn_model **out);

// ---- prediction ----------------------------------------------------------------------

typedef enum opn_measure {
    OPN_MEASURE_VACUITY = 0,    // how little evidence there is
    OPN_MEASURE_DISSONANCE = 1, // how much of it conflicts
    OPN_MEASURE_ALEATORIC = 2,  // how noisy the data are
    OPN_MEASURE_EPISTEMIC = 3,  // how unsure the model is
    OPN_MEASURE_ENTROPY = 4     // all together
} opn_measure;
enum { OPN_N_MEASURES = 5 };

OPN_API const char *opn_measure_name(opn_measure measure); // "vacuity"

// Whether the model has that measure.
OPN_API int opn_model_measures(const opn_model *model, opn_measure measure);

// Output arrays of predictions, owned by the caller; each may be NULL. V is the number
// of nodes, K the number of classes of the model. Measures that a model does not have
// are NaN.
typedef struct opn_prediction {
    int32_t *predicted;              // [V] class
    float *probability;              // [V,K]
    float *alpha;                    // [V,K] evidence + 1
    float *measure[OPN_N_MEASURES];  // [V] each
    float *belief;                   // [V,K] (alpha - 1) / S; with vacuity it sums to 1
    float *smoothed[OPN_N_MEASURES]; // [V] each, measure after `propagate` steps
    float *energy;                   // [V] -ln sum exp(z) of the mean logits
    // By opn_prediction_decide(), see decide.h; opn_model_predict() leaves them alone.
    uint8_t *decision;  // [V] opn_decision
    int8_t *decided_by; // [V] opn_measure, or -1 where accepted
} opn_prediction;

// Predicts every node of `graph`, which need not be the one trained on but must have the
// same features. samples, average and propagate of params are used, NULL for those of
// training.
// Errors: SHAPE (another number of features, or a feature whose name the model does not
// know; directed graph), NONFINITE, INTERRUPTED, NOMEM.
OPN_API OPN_NODISCARD opn_status opn_model_predict(opn_ctx *ctx,
                                                   const opn_model *model,
                                                   const opn_graph *graph,
                                                   const opn_params *params,
                                                   const opn_prediction *out);

// The hidden layer of every node without dropout, hidden [V,H] with H =
// opn_model_n_hidden(); used to draw maps of the nodes. Errors: as above.
OPN_API OPN_NODISCARD opn_status opn_model_hidden(opn_ctx *ctx,
                                                  const opn_model *model,
                                                  const opn_graph *graph,
                                                  float *hidden);
OPN_API int32_t opn_model_n_hidden(const opn_model *model);

// Writes predictions with the names of nodes and classes: a table node, role, label,
// p_CLASS…, alpha_CLASS…, vacuity … entropy, vacuity~ … entropy~ (the smoothed ones),
// energy, predicted, decision, decided_by, with empty fields for what is not measured.
// `path` ends in .npz or .json, or else is a CSV file; "-" is CSV and "-.json" JSON on
// standard output. Arrays that are NULL in `prediction` are left out. Roles are those of
// `split`; without one labelled nodes are "pool".
OPN_API OPN_NODISCARD opn_status opn_prediction_save(opn_ctx *ctx,
                                                     const opn_model *model,
                                                     const opn_graph *graph,
                                                     const opn_split *split,
                                                     const opn_prediction *prediction,
                                                     const char *path);

OPN_API const char *opn_model_id(const opn_model *model); // "s-bgcn-t-k"
OPN_API int32_t opn_model_n_classes(const opn_model *model);
OPN_API const char *opn_model_class_name(const opn_model *model, int32_t k);
OPN_API int32_t opn_model_n_features(const opn_model *model);

// Value of a parameter the model was trained with, as text; "" for an unknown one.
OPN_API const char *opn_model_param(const opn_model *model, const char *name);

// Hash of the graph the model was trained on.
OPN_API const char *opn_model_data_hash(const opn_model *model);

// What training did.
typedef struct opn_train_summary {
    int32_t teacher_epochs; // 0 without a teacher
    int32_t epochs;
    int32_t n_train;
    int32_t n_validation;
    double validation_accuracy; // NaN without validation nodes
    int64_t n_bounded_logits;   // how often exp(z) was clipped
    // Wall-clock seconds; 0 for a loaded model.
    double teacher_seconds, prior_seconds, train_seconds;
} opn_train_summary;
OPN_API void opn_model_summary(const opn_model *model, opn_train_summary *summary);

// ---- opinions without a model --------------------------------------------------------

// All five measures of Dirichlets alpha [n, K], in closed form; each output [n] may be
// NULL. Errors: INVALID_ARG (K < 2, or an alpha below 1 or not finite).
OPN_API OPN_NODISCARD opn_status opn_opinion(opn_ctx *ctx,
                                             int64_t n,
                                             int32_t n_classes,
                                             const float *alpha,
                                             float *const measure[OPN_N_MEASURES]);

#ifdef __cplusplus
}
#endif

#endif // OPINE_MODEL_H
