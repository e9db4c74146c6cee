// shards.h -- how a graph is divided into blocks, and which of them a process holds.

#ifndef OPN_SHARDS_H
#define OPN_SHARDS_H

#include "comm/comm.h"
#include "graph/graph_data.h"
#include "graph/partition.h"

// Of a graph from a folder of shards. A rank has all nodes with their labels and names,
// but rows of the topology and the features only for the nodes of its own blocks; those
// of others are empty.
struct opn_i_shards {
    opn_i_partition blocks;
    int32_t first, last;  // the blocks of this process: first … last - 1
    bool has_isolated;    // a node has no neighbour
    bool has_negative;    // features
    int32_t n_features;   // F
    char suits[16];       // the normalisation that suits the features
    double *mean, *scale; // [F] of the features
    double *centre;       // [F] where they are mostly 0
    char hash[65];        // of the whole graph
};

void opn_i_shards_free(const opn_alloc *alloc, opn_i_shards *shards); // accepts NULL
OPN_NODISCARD opn_status opn_i_shards_copy(opn_ctx *ctx,
                                           const opn_graph *graph,
                                           opn_i_shards **out);

// The first block of a rank, which is the end of the one before.
static inline int32_t opn_i_shards_first(int32_t n_blocks, int n_ranks, int rank)
{
    return (int32_t)((int64_t)n_blocks * rank / n_ranks);
}

// Whether other ranks have rows that this process does not.
static inline bool opn_i_graph_is_partial(const opn_graph *graph)
{
    return graph->shards != NULL &&
           graph->shards->last - graph->shards->first < graph->shards->blocks.n_blocks;
}

// The nodes of this process, in the order of its blocks; *n is how many. All nodes of a
// graph without shards are not in such an order.
const int32_t *opn_i_shards_nodes(const opn_i_shards *shards, int32_t *n);

// Each rank has the rows of its own nodes in data [V], rows of row_bytes; afterwards all
// ranks have all rows. Does nothing for a graph that is whole. Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_graph_share_rows(opn_ctx *ctx,
                                                const opn_graph *graph,
                                                size_t row_bytes,
                                                void *data);

// What ranks cannot find out alone, for whoever writes the shards; sets all but blocks,
// first, last and hash. Errors: NOMEM, INTERRUPTED.
OPN_NODISCARD opn_status opn_i_shards_describe(opn_ctx *ctx,
                                               const opn_graph *graph,
                                               opn_i_shards *shards);

#endif // OPN_SHARDS_H
