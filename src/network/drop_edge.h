// drop_edge.h -- DropEdge: the graph convolution's matrix with some edges dropped.

#ifndef OPN_DROP_EDGE_H
#define OPN_DROP_EDGE_H

#include "math/csr.h"
#include "math/exec.h"

// A' is A without the edges whose bit in `keep` is 0; both directions of an edge are
// dropped together. The result is D'^-1/2 (A' + I) D'^-1/2, D' the row sums of A' + I: a
// dropped edge does not count in the sums, and every node keeps its self-loop.
typedef struct opn_i_edge_dropper {
    const opn_i_csr *topology; // A, borrowed: symmetric, sorted, without self-loops
    opn_off n_edges;           // half its entries
    uint32_t *edge;            // [entries] edge number of each entry
    opn_off *upper;            // [V] first entry of a row after the diagonal
    // Of the current pass.
    uint64_t *keep;  // one bit per edge
    double *shrink;  // [V] D'^-1/2
    opn_off *begin;  // [V] where a row starts, with room for all its edges
    opn_off *end;    // [V]
    int32_t *col;    // [entries + V]
    opn_real *value; // [entries + V]
} opn_i_edge_dropper;

// Cost: O(V + E). Errors: NOMEM, OVERFLOW (more than 2^32 - 1 edges).
OPN_NODISCARD opn_status opn_i_edge_dropper_init(opn_ctx *ctx,
                                                 const opn_i_csr *topology,
                                                 opn_i_edge_dropper *out);
void opn_i_edge_dropper_deinit(const opn_alloc *alloc, opn_i_edge_dropper *dropper);

// Rebuilds the matrix from the bits in dropper->keep. With all bits set it is
// bit-identical to opn_i_graph_normalise(). Allocates nothing. Cost: O(V + E).
void opn_i_edge_dropper_drop(const opn_i_exec *exec, opn_i_edge_dropper *dropper);

// The matrix built last; it is symmetric.
opn_k_sparse opn_i_edge_dropper_view(const opn_i_edge_dropper *dropper);

#endif // OPN_DROP_EDGE_H
