// narrow.h -- variants of a split, for callers that may not use test nodes.

#ifndef OPN_NARROW_H
#define OPN_NARROW_H

#include "opine/split.h"

// Copies the split, with one more class removed from training and validation unless
// held_out is -1, and without the validation nodes where spared [V] is 1, unless it is
// NULL. Removed nodes get the role POOL. `graph` is the graph of the split.
// Errors: INVALID_ARG (no class is left), SHAPE (no training node is left), NOMEM. Cost:
// O(V + K).
OPN_NODISCARD opn_status opn_i_split_narrow(opn_ctx *ctx,
                                            const opn_graph *graph,
                                            const opn_split *split,
                                            int32_t held_out,
                                            const uint8_t *spared,
                                            opn_split **out);

// Copies the split with the roles of some nodes exchanged, so that several such splits
// validate on different nodes: the training nodes, shuffled by `seed`, are divided into
// n_parts stratified parts, of which part `part` validates while the validation nodes
// train.
// Errors: SHAPE (no training node is left), NOMEM. Cost: O(V + K).
OPN_NODISCARD opn_status opn_i_split_exchange(opn_ctx *ctx,
                                              const opn_graph *graph,
                                              const opn_split *split,
                                              uint64_t seed,
                                              int32_t n_parts,
                                              int32_t part,
                                              opn_split **out);

// Copies the split with the roles of all labelled nodes of known classes dealt anew, so
// that in n_parts such splits each of them tests once: shuffled by `seed` they are
// divided into n_parts stratified parts, of which part `part` tests, the next validates
// and the others train. n_parts is at least 3. Errors: SHAPE (no training node is left),
// NOMEM. Cost: O(V + K).
OPN_NODISCARD opn_status opn_i_split_rotate(opn_ctx *ctx,
                                            const opn_graph *graph,
                                            const opn_split *split,
                                            uint64_t seed,
                                            int32_t n_parts,
                                            int32_t part,
                                            opn_split **out);

// The split of the roles that the graph came with, of which none need train: for
// predictions of a model that was trained elsewhere. Otherwise as opn_split_create().
OPN_NODISCARD opn_status opn_i_split_untrained(opn_ctx *ctx,
                                               const opn_graph *graph,
                                               const int32_t *ood_classes,
                                               int32_t n_ood,
                                               opn_split **out);

// Takes the nodes of class k out of the pool: they are neither learnt from nor scored.
void opn_i_split_ignore(const opn_graph *graph, int32_t k, opn_split *split);

#endif // OPN_NARROW_H
