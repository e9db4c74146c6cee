// blocks.h -- the nodes of a divided graph, block by block: their features, and sums over
// them that are the same for every number of ranks.
//
// A sum over nodes is one over each block, then over a binary tree of blocks. A rank adds
// up the whole subtrees within its blocks; their roots are exchanged, and every rank adds
// up the rest. So each addition is of the same two numbers, whoever does it.

#ifndef OPN_BLOCKS_H
#define OPN_BLOCKS_H

#include "comm/comm.h"
#include "network/feature_matrix.h"

// Zero-initialise; owned by the holder. It must not move while a network uses it.
typedef struct opn_i_blocks {
    const opn_i_comm *comm;
    int32_t n_all;                  // blocks of the graph, a power of two
    int32_t first, n;               // this process has the n blocks from `first` on
    int32_t *start;                 // [n + 1] the rows of each of them
    int32_t first_row;              // of the first one among all
    int32_t n_others;               // rows that other ranks have
    opn_i_feature_matrix *features; // [n]; unset where a block has no rows
    opn_real *scale;                // [rows] the factors of the rows of the pass
    // Sums of the weights' gradients: a stack of subtrees.
    size_t n_numbers;   // in a sum
    size_t n_sums;      // the same in whole cache lines
    int32_t *n_roots;   // [n_ranks] subtrees that each rank sends
    opn_real *sums;     // [deepest stack, n_sums]
    opn_real *gathered; // [roots of all ranks, n_sums], of several ranks
    double *block_sums; // [n_all, OPN_BLOCK_SUMS] those of all ranks
    double seconds;     // that sums over ranks took so far, waiting for others included
} opn_i_blocks;

// Most numbers that are added up in one call of opn_i_blocks_add().
enum { OPN_BLOCK_SUMS = 4 };

void opn_i_blocks_deinit(const opn_alloc *alloc, opn_i_blocks *blocks);

// For n_all blocks that start at the rows start[0 … n_all], of which the process has
// those of its rank; all but the features is set. Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_blocks_init(opn_ctx *ctx,
                                           int32_t n_all,
                                           const int32_t *start,
                                           opn_i_blocks *out);

// Makes room for sums of n_sums numbers. Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_blocks_make_room(opn_ctx *ctx,
                                                size_t n_sums,
                                                opn_i_blocks *blocks);

// Sums the rows [first, last) of block b into `sum`.
typedef void opn_i_block_sum(const opn_i_exec *exec,
                             void *user,
                             int32_t b,
                             int32_t first,
                             int32_t last,
                             opn_real *sum);

// The numbers [at, at + n) of the sum.
void opn_i_blocks_sum(const opn_i_exec *exec,
                      opn_i_blocks *blocks,
                      size_t at,
                      size_t n,
                      opn_i_block_sum *sum,
                      void *user);

// The sum over all ranks, when all of its numbers have been summed.
void opn_i_blocks_total(opn_i_blocks *blocks, opn_real *total);

// The same for n numbers of each of this process's blocks, sum [blocks->n, n].
void opn_i_blocks_add(opn_i_blocks *blocks, int n, const double *sum, double *total);

// ---- features ------------------------------------------------------------------------

// The functions of feature_matrix.h for the rows of all blocks.
void opn_i_blocks_keep(const opn_i_exec *exec,
                       opn_i_blocks *blocks,
                       uint64_t seed,
                       opn_i_stream stream,
                       uint32_t step,
                       double rate);
void opn_i_blocks_drop(const opn_i_exec *exec,
                       opn_i_blocks *blocks,
                       double rate,
                       unsigned uses);
void opn_i_blocks_product(const opn_i_exec *exec,
                          const opn_i_blocks *blocks,
                          int32_t width,
                          const opn_real *w,
                          opn_real *p);
void opn_i_blocks_subtract(const opn_i_exec *exec,
                           const opn_i_blocks *blocks,
                           int32_t width,
                           const opn_real *w,
                           const opn_real *whole,
                           opn_real *p);

// Numbers [0, F width) of the sum: X^T G.
void opn_i_blocks_product_transposed(const opn_i_exec *exec,
                                     opn_i_blocks *blocks,
                                     int32_t width,
                                     const opn_real *g);

#endif // OPN_BLOCKS_H
