// partition.h -- a graph cut into blocks of nodes with few edges between them, by METIS.

#ifndef OPN_PARTITION_H
#define OPN_PARTITION_H

#include "math/csr.h"

// Most blocks that a graph is cut into.
enum { OPN_MAX_BLOCKS = 4096 };

// A graph cut in two, each half in two and so on, so that the first half of the blocks is
// one side of the first cut: any run of blocks is a part with few edges to the others.
// Zero-initialise; owned by the holder.
typedef struct opn_i_partition {
    int32_t n_blocks;
    int32_t *order; // [V] the graph's number of each node, block by block
    int32_t *start; // [n_blocks + 1] where each block begins in `order`
} opn_i_partition;

void opn_i_partition_deinit(const opn_alloc *alloc, opn_i_partition *partition);

// Nodes weigh their degree and 12, about what an epoch takes for them. Within a block
// they are in the order of order.h. `topology` is undirected, n_blocks a power of two.
// METIS draws from rand() after srand(), so another thread that draws changes the cuts,
// which is why the result is kept in files.
// Errors: UNSUPPORTED (METIS is not installed), OVERFLOW (too large for it), INTERRUPTED
// (between two cuts), NOMEM.
OPN_NODISCARD opn_status opn_i_partition_init(opn_ctx *ctx,
                                              const opn_i_csr *topology,
                                              int32_t n_blocks,
                                              opn_i_partition *out);

// The block of each node, [V].
void opn_i_partition_blocks(const opn_i_partition *partition, int32_t *block);

// What n_ranks processes with a run of blocks each have to exchange.
typedef struct opn_i_cut {
    int32_t n_ranks;
    double edges; // share of the edges that join nodes of different ranks
    double halo;  // rows that ranks need of others, together, per node of the graph
} opn_i_cut;

// For n_ranks a power of two, at most 64 and no more than there are blocks. Errors:
// NOMEM.
OPN_NODISCARD opn_status opn_i_partition_cut(opn_ctx *ctx,
                                             const opn_i_csr *topology,
                                             const opn_i_partition *partition,
                                             int32_t n_ranks,
                                             opn_i_cut *out);

#endif // OPN_PARTITION_H
