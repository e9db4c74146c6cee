// protocol.h -- what the parameters protocol and shift stand for: which graph, split and
// nodes an evaluation is about. docs/protocols.md has the definitions.

#ifndef OPN_PROTOCOL_H
#define OPN_PROTOCOL_H

#include "graph/graph_data.h"

typedef struct opn_i_protocol {
    const char *name;
    opn_split_rule rule;
    int32_t n_draws; // of 1000 nodes from the pool; 0: all of it, once
    bool is_rival;   // of another paper: whole graphs, and ood is the usual task
} opn_i_protocol;

const opn_i_protocol *opn_i_protocol_of(const opn_params *params);

// Whether out-of-distribution nodes are those of a shifted graph, and of which.
bool opn_i_protocol_shifts(const opn_params *params, opn_shift *shift);

// Refuses what makes no sense together: a shift without its protocol or the reverse, a
// task that the protocol does not have, classes to hold out where none are. Errors:
// INVALID_ARG.
OPN_NODISCARD opn_status opn_i_protocol_check(opn_ctx *ctx, const opn_params *params);

// The steps of opn_graph_prepare() that the protocol calls for.
uint32_t opn_i_protocol_steps(const opn_i_protocol *protocol, const opn_graph *graph);

// Writes the classes that task ood holds out where none are named to classes [K], and
// returns their number. *ignored is the one of them that is not scored either, or -1.
int32_t opn_i_protocol_classes(const opn_params *params,
                               const opn_graph *graph,
                               int32_t *classes,
                               int32_t *ignored);

#endif // OPN_PROTOCOL_H
