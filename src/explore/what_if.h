// what_if.h -- what a model would say if some labels were others.

#ifndef OPN_WHAT_IF_H
#define OPN_WHAT_IF_H

#include "base/text.h"
#include "opine/model.h"

// A label that is set, changed or, with -1, taken away.
typedef struct opn_i_edit {
    opn_vid node;
    int32_t label; // class of the graph
} opn_i_edit;

// The graph with these labels, as own data that come with a split: nodes that were given
// a label train, those that lost it are unlabelled, and all others keep the role they had
// when the model was trained. It is what `opine train` would be given to have the labels
// in its files. Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_edit_graph(opn_ctx *ctx,
                                          const opn_model *model,
                                          const opn_graph *graph,
                                          const opn_split *split,
                                          const opn_i_edit *edit,
                                          size_t n_edits,
                                          opn_graph **out);

// Trains a model like `model`, with the parameters, seed and calibration that it has, on
// such a graph. Same bits as a fresh training on these data. Errors: those of
// opn_model_train().
OPN_NODISCARD opn_status opn_i_train_alike(opn_ctx *ctx,
                                           const opn_model *model,
                                           const opn_graph *graph,
                                           const opn_split *split,
                                           const opn_graph *edited,
                                           opn_model **out);

// What the model says about the graph, as the page reads it (opn_i_report_data_text()),
// without a map and a history of training. `confidence` of params is used. Errors: those
// of opn_model_predict().
OPN_NODISCARD opn_status opn_i_view_text(opn_ctx *ctx,
                                         const opn_model *model,
                                         const opn_graph *graph,
                                         const opn_params *params,
                                         opn_i_text *out);

#endif // OPN_WHAT_IF_H
