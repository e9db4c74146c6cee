// suggestion_list.h -- nodes to label next, from predictions that are there already.

#ifndef OPN_SUGGESTION_LIST_H
#define OPN_SUGGESTION_LIST_H

#include "opine/labels.h"

// How many nodes may be suggested: the unlabelled ones, or if all have a label those
// whose label the model did not use. `split` is that of training, NULL on another graph.
int32_t opn_i_suggestion_candidates(const opn_graph *graph, const opn_split *split);

// As opn_suggest(), of which it is the second half. Errors: SHAPE (no candidate), and
// those of opn_label_choose().
OPN_NODISCARD opn_status opn_i_suggest_predicted(opn_ctx *ctx,
                                                 const opn_graph *graph,
                                                 const opn_split *split,
                                                 const opn_prediction *prediction,
                                                 int32_t n,
                                                 opn_suggestions **out);

#endif // OPN_SUGGESTION_LIST_H
