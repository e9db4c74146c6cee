// subgraph.h -- the nodes that the logits of some nodes depend on, and no others.

#ifndef OPN_SUBGRAPH_H
#define OPN_SUBGRAPH_H

#include "model/hop.h"

// Two layers see two hops far, so a loss on few nodes needs no more of the graph than
// that; nothing is left out that would change a logit or a gradient. The teacher of Cora,
// with 140 labelled nodes, takes 0.4 of the time, and that of Pubmed, with 60, a tenth.
//
// Nodes get new numbers: those that training reaches come first, then those that only
// validation does, both in the order they have in the graph.
typedef struct opn_i_subgraph {
    int32_t n_nodes;     // that have a number
    int32_t *node;       // [n_nodes] which they are
    int32_t *target;     // [train.n_outputs] class of each labelled node, -1 for others
    int32_t *validation; // [check.n_outputs] class of each validation node
    opn_i_reach train;   // what the loss depends on
    opn_i_reach check;   // and what validation does
    opn_i_hop_store train_outer, train_inner; // unless it is the whole
    opn_i_hop_store check_outer, check_inner;
} opn_i_subgraph;

// Of the nodes with a target >= 0 and with a validation >= 0, [V] both, where `whole` is
// of all nodes and borrowed. is_whole: the loss depends on all nodes, and they keep their
// numbers. needs_entries: hop.entry is set where something is taken back. Cost: O(V + E).
// Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_subgraph_init(opn_ctx *ctx,
                                             const opn_i_csr *adjacency,
                                             const opn_i_reach *whole,
                                             const int32_t *target,
                                             const int32_t *validation,
                                             bool is_whole,
                                             bool needs_entries,
                                             opn_i_subgraph *out);
void opn_i_subgraph_deinit(const opn_alloc *alloc, opn_i_subgraph *subgraph);

#endif // OPN_SUBGRAPH_H
