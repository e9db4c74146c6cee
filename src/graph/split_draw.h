// split_draw.h -- draws that splits are made of.

#ifndef OPN_SPLIT_DRAW_H
#define OPN_SPLIT_DRAW_H

#include "graph/graph_data.h"

// The labelled nodes in random order, those of known classes only unless `known` is NULL;
// known [K] is -1 for other classes. The caller frees *out. Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_shuffle_labelled(opn_ctx *ctx,
                                                const opn_graph *graph,
                                                const int32_t *known,
                                                uint64_t seed,
                                                opn_vid **out,
                                                opn_vid *n_out);

// ---- protocols of other papers -------------------------------------------------------

// Both draw roles into role [V], which is UNLABELLED on entry and stays so for unlabelled
// nodes. Errors: NOMEM.

// GNNSafe: of the nodes of known classes, whatever their class, the first tenth trains,
// the second validates, the rest tests; other labelled nodes are POOL.
OPN_NODISCARD opn_status opn_i_draw_tenths(opn_ctx *ctx,
                                           const opn_graph *graph,
                                           const int32_t *known,
                                           uint64_t seed,
                                           uint8_t *role);

// GPN: of each class 5 % train, 15 % of what is left validate, 80 % of what is left then
// test; the remainder is POOL.
OPN_NODISCARD opn_status opn_i_draw_shares(opn_ctx *ctx,
                                           const opn_graph *graph,
                                           uint64_t seed,
                                           uint8_t *role);

#endif // OPN_SPLIT_DRAW_H
