// subgraph.h -- the subgraph that the logits of some nodes depend on.

#ifndef OPN_SUBGRAPH_H
#define OPN_SUBGRAPH_H

#include "network/hop.h"

// Two layers reach two hops, so a loss on few nodes needs no more of the graph than that;
// no logit or gradient changes. The teacher of Cora, with 140 labelled nodes, takes 0.4
// of the time, and that of Pubmed, with 60, a tenth.
//
// Nodes are renumbered: those that training reaches come first, then those that only
// validation reaches, both in graph order.
typedef struct opn_i_subgraph {
    int32_t n_nodes;     // nodes in the subgraph
    int32_t *node;       // [n_nodes] their numbers in the graph
    int32_t *target;     // [train.n_outputs] class of each labelled node, -1 for others
    int32_t *validation; // [check.n_outputs] class of each validation node
    opn_i_reach train;   // what the loss depends on
    opn_i_reach check;   // what validation depends on
    opn_i_hop_store train_outer, train_inner; // unless that is the whole graph
    opn_i_hop_store check_outer, check_inner;
} opn_i_subgraph;

// For the nodes with target >= 0 and with validation >= 0, [V] both; `whole` covers all
// nodes and is borrowed. is_whole: the loss depends on all nodes, and they keep their
// numbers. needs_entries: hop.entry is set if there is a backward pass. Cost: O(V + E).
// Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_subgraph_init(opn_ctx *ctx,
                                             const opn_i_csr *adjacency,
                                             const opn_i_reach *whole,
                                             const int32_t *target,
                                             const int32_t *validation,
                                             bool is_whole,
                                             bool needs_entries,
                                             opn_i_subgraph *out);

// The same for a divided graph, of which both losses take all of the n_nodes own nodes:
// they are where they are, and masks are those of their places among all ranks' nodes.
OPN_NODISCARD opn_status opn_i_subgraph_init_whole(opn_ctx *ctx,
                                                   const opn_i_reach *whole,
                                                   const int32_t *target,
                                                   const int32_t *validation,
                                                   opn_i_subgraph *out);
void opn_i_subgraph_deinit(const opn_alloc *alloc, opn_i_subgraph *subgraph);

#endif // OPN_SUBGRAPH_H
