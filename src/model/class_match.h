// class_match.h -- the classes of a graph beside those that a model knows, by name.

#ifndef OPN_CLASS_MATCH_H
#define OPN_CLASS_MATCH_H

#include "graph/graph_data.h"
#include "model/model_data.h"

// Brings those classes of the graph that the model knows by name into the model's order,
// among themselves, and warns about the others. Nothing happens unless both name their
// classes. Errors: SHAPE (there are labels, but the model knows none of them).
OPN_NODISCARD opn_status opn_i_classes_match(opn_ctx *ctx,
                                             const opn_model *model,
                                             opn_graph *graph);

// Whether the graph has all classes of the model, in its order; others may stand between
// them. True unless both name their classes.
bool opn_i_classes_agree(const opn_model *model, const opn_graph *graph);

#endif // OPN_CLASS_MATCH_H
