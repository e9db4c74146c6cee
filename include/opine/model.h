// model.h -- models that know what they do not know: train, predict, save, load.

#ifndef OPINE_MODEL_H
#define OPINE_MODEL_H

#include "graph.h"
#include "measure.h"
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

// Whether the models that the parameter model names can be trained, one or `several`, as
// far as that can be told without a graph: they exist, none is named twice, and evidence,
// heads and hidden units, where they are given, fit each of them. Errors: INVALID_ARG.
OPN_API OPN_NODISCARD opn_status opn_params_check_models(opn_ctx *ctx,
                                                         const opn_params *params,
                                                         int several);

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

// ---- what it says --------------------------------------------------------------------

// Whether the model has that measure.
OPN_API int opn_model_measures(const opn_model *model, opn_measure measure);

// The hidden layer of every node without dropout, hidden [V,H] with H =
// opn_model_n_hidden(); used to draw maps of the nodes. Errors: those of
// opn_model_predict().
OPN_API OPN_NODISCARD opn_status opn_model_hidden(opn_ctx *ctx,
                                                  const opn_model *model,
                                                  const opn_graph *graph,
                                                  float *hidden);
OPN_API int32_t opn_model_n_hidden(const opn_model *model);

OPN_API const char *opn_model_id(const opn_model *model); // "s-bgcn-t-k"
OPN_API int32_t opn_model_n_classes(const opn_model *model);
OPN_API const char *opn_model_class_name(const opn_model *model, int32_t k);
OPN_API int32_t opn_model_n_features(const opn_model *model);

// Value of a parameter the model was trained with, as text; "" for an unknown one.
OPN_API const char *opn_model_param(const opn_model *model, const char *name);

// Hash of the graph the model was trained on.
OPN_API const char *opn_model_data_hash(const opn_model *model);

// Where that graph was loaded from, as opn_graph_source() says; "" if it is not known.
OPN_API const char *opn_model_source(const opn_model *model);

// How the files of that graph were read, as opn_graph_note() says.
OPN_API int64_t opn_model_note_count(const opn_model *model);
OPN_API const char *opn_model_note(const opn_model *model, int64_t i);

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

#ifdef __cplusplus
}
#endif

#endif // OPINE_MODEL_H
