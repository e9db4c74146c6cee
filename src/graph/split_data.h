// split_data.h -- what a split holds.

#ifndef OPN_SPLIT_DATA_H
#define OPN_SPLIT_DATA_H

#include "graph/graph_data.h"
#include "opine/split.h"

struct opn_split {
    opn_alloc alloc;
    opn_split_rule origin; // the rule that drew it, never USUAL
    opn_vid n_nodes;
    int32_t n_classes;
    int32_t n_known;
    opn_vid n_pool;
    opn_vid count[OPN_N_ROLES];
    uint8_t *role;  // [V]
    uint8_t *pool;  // [V]
    int32_t *known; // [K]
};

// Numbers the classes that are not among ood_classes [n_ood] in the order of their own
// numbers; `known` of the split is all 0 before. Errors: INVALID_ARG (a class that does
// not exist, or is named twice; none is left), SHAPE (no labels).
OPN_NODISCARD opn_status opn_i_split_number_known(opn_ctx *ctx,
                                                  const opn_graph *graph,
                                                  const int32_t *ood_classes,
                                                  int32_t n_ood,
                                                  opn_split *split);

#endif // OPN_SPLIT_DATA_H
