// model.h -- models that know what they do not know: train, predict, save, load.

#ifndef OPINE_MODEL_H
#define OPINE_MODEL_H

#include "calibrate.h"
#include "graph.h"
#include "measure.h"
#include "params.h"
#include "split.h"

#ifdef __cplusplus
extern "C" {
#endif

// A trained network, or several whose predictions are averaged, with its parameters and
// the names of classes and features. Immutable once trained, reviewed and calibrated, or
// loaded.
typedef struct opn_model opn_model;

// What a training that may be interrupted has learnt so far, in a file.
typedef struct opn_checkpoint opn_checkpoint;

// ---- parameters ----------------------------------------------------------------------

// Fills in the values of the preset for this graph and task, where `params` were not
// set: task (ood under the protocols gnnsafe and gpn), model, normalise, hidden, dropout,
// weight_decay, epochs, teacher_epochs, patience, lambda1, propagate.
OPN_API OPN_NODISCARD opn_status opn_params_use_preset(opn_ctx *ctx,
                                                       const opn_graph *graph,
                                                       opn_params *params);

// Whether the models that the parameter model names can be trained, one or `several`, as
// far as that can be told without a graph: they exist, none is named twice, and evidence,
// heads and hidden units, where they are given, fit each of them. Errors: INVALID_ARG.
OPN_API OPN_NODISCARD opn_status opn_params_check_models(opn_ctx *ctx,
                                                         const opn_params *params,
                                                         int several);

// The split for the parameters seed, task, protocol, shift and ood_classes: classes named
// in ood_classes are held out, or with task ood the usual ones of a dataset known by
// name. Errors: INVALID_ARG (not a class of the graph, or none to hold out under the
// protocols gnnsafe and gpn), and those of opn_split_create().
OPN_API OPN_NODISCARD opn_status opn_split_from_params(opn_ctx *ctx,
                                                       const opn_graph *graph,
                                                       const opn_params *params,
                                                       opn_split **out);

// The split a model was trained with, under whichever protocol. *out is NULL if it is not
// known: the graph is not the training graph, or its split or the names of its classes
// have changed, which gives a warning.
OPN_API OPN_NODISCARD opn_status opn_model_split(opn_ctx *ctx,
                                                 const opn_model *model,
                                                 const opn_graph *graph,
                                                 opn_split **out);

// ---- training ------------------------------------------------------------------------

// Trains the model that `params` describe (model, hidden, epochs, teacher_epochs,
// learning_rate, dropout, weight_decay, lambda1, sigma, kernel_constant, evidence,
// patience, normalise, members, seed) on the training nodes of `split`. The graph must be
// undirected; opn_graph_prepare() makes it so. Features are normalised according to
// `normalise`, on a copy. With `model` auto several are trained, on the threads of ctx,
// and the best on the validation nodes is kept: opn_model_candidate() tells which there
// were.
//
// checkpoint  where to keep what was learnt when the work is interrupted and every
//             `checkpoint_every` seconds, or NULL. What an earlier training of the same
//             data and parameters left there is gone on from, with the same bits as if
//             nothing had happened.
//
// A graph without features is learnt from its edges: a node is its own feature.
//
// Errors: INVALID_ARG (parameters that do not fit together), SHAPE (directed graph, fewer
// than two classes), NONFINITE (names epoch and tensor), INTERRUPTED,
// NOMEM, and those of the checkpoint's file. Cost: O(epochs (entries of the features +
// edges) hidden); memory O((V + F) hidden + E).
OPN_API OPN_NODISCARD opn_status opn_model_train(opn_ctx *ctx,
                                                 const opn_graph *graph,
                                                 const opn_split *split,
                                                 const opn_params *params,
                                                 const opn_checkpoint *checkpoint,
                                                 opn_model **out);
OPN_API void opn_model_free(opn_model *model); // accepts NULL

// Compares a model with an MLP and a logistic regression on the features alone and with
// the commonest class, on the validation nodes of the same graph, split and parameters
// that it was trained with; notes the results in the model (opn_model_candidate()), and
// warns where it is no better, where its training ended too early, and where its edges
// mislead it. Errors: NOMEM, INTERRUPTED.
OPN_API OPN_NODISCARD opn_status opn_model_review(opn_ctx *ctx,
                                                  const opn_graph *graph,
                                                  const opn_split *split,
                                                  const opn_params *params,
                                                  opn_model *model);

// Fits what makes the model's probabilities mean what they say, as the parameter
// calibrate asks for and the labels allow (calibrate.h): on the calibration nodes of the
// split it was trained with, and on its validation nodes if there are fewer than 50 of
// these. A model that was chosen by labels which took turns to validate was fitted on all
// of those in training, by what models that had not seen them said, and stays so. A pool
// needs a model with a teacher, whose mean with the student, diffused over the graph, is
// the second opinion; others have a temperature. Warns if there are too few labels.
// Errors: those of opn_model_predict(), which is called once.
OPN_API OPN_NODISCARD opn_status opn_model_calibrate(opn_ctx *ctx,
                                                     const opn_graph *graph,
                                                     const opn_split *split,
                                                     const opn_params *params,
                                                     opn_model *model);

// Of the kind OPN_CALIBRATION_NONE if there is none; lives as long as the model.
OPN_API const opn_calibrator *opn_model_calibrator(const opn_model *model);

// ---- checkpoints ---------------------------------------------------------------------

// Takes the place `path` for the checkpoint of one training. Errors: INVALID_ARG
// (something is there although `resumes` is 0), WRITE (another training has the place, or
// the folder cannot be written to), NOMEM.
OPN_API OPN_NODISCARD opn_status opn_checkpoint_open(opn_ctx *ctx,
                                                     const char *path,
                                                     int resumes,
                                                     opn_checkpoint **out);

// Whether there is something to go on from.
OPN_API int opn_checkpoint_exists(const opn_checkpoint *checkpoint);

// Frees the handle, or NULL. Only when the model is saved (is_saved) is the checkpoint no
// longer needed: it is removed.
OPN_API void opn_checkpoint_close(opn_checkpoint *checkpoint, int is_saved);

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

// The same to and from memory: the bytes of the file. `data` is borrowed for the call.
OPN_API OPN_NODISCARD opn_status opn_model_write(opn_ctx *ctx,
                                                 const opn_model *model,
                                                 opn_bytes **out);
OPN_API OPN_NODISCARD opn_status opn_model_read(opn_ctx *ctx,
                                                const void *data,
                                                size_t n_bytes,
                                                opn_model **out);

// Loads a graph for the model as opn_graph_load_prepared() does. Unless `params` name
// one, labels are in the column that the model was trained with, if the data have it.
// Classes that the model knows by name come in its order; others are warned about.
// Errors: also SHAPE (there are labels, but the model knows none of their classes).
OPN_API OPN_NODISCARD opn_status opn_model_load_graph(opn_ctx *ctx,
                                                      const opn_model *model,
                                                      const char *data,
                                                      const opn_params *params,
                                                      opn_graph **out);

// The model that predicts on a graph: `model` itself, or, if that knows only the nodes it
// was trained on and the graph has others, the one it brings along for other graphs,
// which is logged. *out belongs to `model`. opn_model_predict() and opn_explain() choose
// in the same way; what names a model beside their results needs this one.
OPN_API OPN_NODISCARD opn_status opn_model_for_graph(opn_ctx *ctx,
                                                     const opn_model *model,
                                                     const opn_graph *graph,
                                                     const opn_model **out);

// ---- what it says --------------------------------------------------------------------

// Whether the model has that measure.
OPN_API int opn_model_measures(const opn_model *model, opn_measure measure);

// The hidden layer of every node without dropout, hidden [V,H] with H =
// opn_model_n_hidden(), of an ensemble that of its first member; used to draw maps of the
// nodes. Errors: those of
// opn_model_predict().
OPN_API OPN_NODISCARD opn_status opn_model_hidden(opn_ctx *ctx,
                                                  const opn_model *model,
                                                  const opn_graph *graph,
                                                  float *hidden);
OPN_API int32_t opn_model_n_hidden(const opn_model *model);

OPN_API const char *opn_model_id(const opn_model *model);    // "s-bgcn-t-k"
OPN_API int32_t opn_model_n_members(const opn_model *model); // more than 1: an ensemble
OPN_API int32_t opn_model_n_classes(const opn_model *model);
OPN_API const char *opn_model_class_name(const opn_model *model, int32_t k);

// Features of the graph it was trained on.
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

// What training did; of an ensemble, epochs and validation scores are means over its
// members, and the other figures sums.
typedef struct opn_train_summary {
    int32_t teacher_epochs; // 0 without a teacher
    int32_t epochs;
    int32_t n_train;
    int32_t n_validation;
    double validation_accuracy; // NaN without validation nodes
    // Mean -ln p of the class of the validation nodes, p without dropout. NaN without
    // such nodes, and for a file of an earlier version.
    double validation_nll;
    int ended_early; // 1: `patience` ended training before the last epoch; else 0
    int64_t n_bounded_logits; // how often exp(z) was clipped
    // Wall-clock seconds; 0 for a loaded model.
    double teacher_seconds, prior_seconds, train_seconds;
} opn_train_summary;
OPN_API void opn_model_summary(const opn_model *model, opn_train_summary *summary);

// What a model was compared with, on validation nodes: the models that `model` auto
// trained, and simpler methods on the features alone.
typedef struct opn_candidate {
    const char *name;     // "s-bgcn-t-k", "logistic regression"; owned by the model
    int is_chosen;        // it is this model
    int is_baseline;      // for comparison only
    int32_t n_validation; // nodes; with few, over several divisions of the labelled ones
    double accuracy;      // NaN without validation nodes, as the next two
    double error;         // its standard error
    double nll;           // mean -ln p of the class; NaN for a method without p
} opn_candidate;
OPN_API int32_t opn_model_candidate_count(const opn_model *model);
OPN_API void opn_model_candidate(const opn_model *model, int32_t i, opn_candidate *out);

#ifdef __cplusplus
}
#endif

#endif // OPINE_MODEL_H
