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

// What parts of the labelled nodes do when it is their turn.
typedef enum opn_i_turns {
    OPN_TURNS_VALIDATE, // parts of the training nodes: one validates, and the validation
                        // nodes train
    OPN_TURNS_TEST,     // parts of all nodes of known classes: one tests, the next
                        // validates and the others train
} opn_i_turns;

// Copies the split with the roles that it has when it is the turn of part `part` of
// n_parts, so that in n_parts such splits each node that takes turns validates or tests
// once. Parts are shuffled by `seed` and stratified by class; for TEST there are at least
// 3. Errors: SHAPE (no training node is left), NOMEM. Cost: O(V + K).
OPN_NODISCARD opn_status opn_i_split_turn(opn_ctx *ctx,
                                          const opn_graph *graph,
                                          const opn_split *split,
                                          opn_i_turns turns,
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
