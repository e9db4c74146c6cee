// features.h -- preprocessing of features for a model, the same in training and
// prediction.

#ifndef OPN_FEATURES_H
#define OPN_FEATURES_H

#include "graph/graph_data.h"
#include "model/model_data.h"

// Some models have features of the nodes of the training graph besides the F given ones,
// one for each node, and know no other graph. In row i of these V columns are
//   - the links of node i, if the encoder uses them: row i of A + I, of Euclidean length
//   1
//     whatever the normalisation of the others. Columns are in the graph's order;
//   - else node i itself, if there are no given features: row i of I.

// Chooses the normalisation and stores its parameters in the model: "row" for
// non-negative features, else "standard", unless `wanted` is not "auto". Also sets how
// many features there are. Errors: OVERFLOW (too many), NOMEM.
OPN_NODISCARD opn_status opn_i_features_fit(opn_ctx *ctx,
                                            const opn_graph *graph,
                                            const char *wanted,
                                            opn_model *model);

// How the model scales the features of this graph: as in training, but rows that are
// scaled already stay as they are.
opn_i_normalise opn_i_features_scaling(const opn_model *model, const opn_graph *graph);

// X - 1 centre^T, as opn_i_feature_matrix has it. Zero-initialise; owned by the holder.
typedef struct opn_i_ready_features {
    opn_i_features x;
    opn_real *centre; // [columns of x], or NULL: 0
} opn_i_ready_features;

// The graph's features in the model's order, normalised, followed by those of its nodes.
// Features are matched by name if both have names, else by number. Errors: SHAPE (they do
// not fit the model, or it knows only the nodes of another graph).
OPN_NODISCARD opn_status opn_i_features_ready(opn_ctx *ctx,
                                              const opn_model *model,
                                              const opn_graph *graph,
                                              opn_i_ready_features *out);
// The same of the rows node[0 … n_rows-1], for a model without features of nodes.
OPN_NODISCARD opn_status opn_i_features_ready_rows(opn_ctx *ctx,
                                                   const opn_model *model,
                                                   const opn_graph *graph,
                                                   const int32_t *node,
                                                   int32_t n_rows,
                                                   opn_i_ready_features *out);
void opn_i_ready_features_deinit(const opn_alloc *alloc, opn_i_ready_features *ready);

// *out = the centre of n_cols columns, 0 for those of nodes; nothing if there is none.
OPN_NODISCARD opn_status opn_i_features_copy_centre(opn_ctx *ctx,
                                                    const opn_model *model,
                                                    int32_t n_cols,
                                                    opn_real **out);

// The features of the nodes order[0 … V-1], as the first layer multiplies with them;
// `uses` are those of the feature matrix.
OPN_NODISCARD opn_status opn_i_features_place(opn_ctx *ctx,
                                              const opn_model *model,
                                              const opn_graph *graph,
                                              const int32_t *order,
                                              unsigned uses,
                                              opn_i_feature_matrix *out);

// Whether the model can predict on the graph: it needs no node features, or the graph has
// the nodes and edges of the one it was trained on. Labels may differ.
OPN_NODISCARD opn_status opn_i_features_know_nodes(opn_ctx *ctx,
                                                   const opn_model *model,
                                                   const opn_graph *graph,
                                                   bool *out);

// Moves the entries of x, the features of the graph, to the columns that the model has
// for them, by name if both have names. A value of a column of words that was not seen in
// training, and the mark of a missing value where none was missing, have no column and
// are dropped. Errors: SHAPE (another number of features, or one that the model does not
// know).
OPN_NODISCARD opn_status opn_i_features_match(opn_ctx *ctx,
                                              const opn_model *model,
                                              const opn_graph *graph,
                                              opn_i_features *x);

// Warns about features of the model that the graph does not have, which count as 0, and
// about values that the model was not trained on.
void opn_i_features_warn(opn_ctx *ctx, const opn_model *model, const opn_graph *graph);

#endif // OPN_FEATURES_H
