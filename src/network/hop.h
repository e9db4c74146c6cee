// hop.h -- one hop over the edges: the only place that needs the rows of neighbours.

#ifndef OPN_HOP_H
#define OPN_HOP_H

#include "comm/comm.h"
#include "math/csr.h"
#include "math/exec.h"

// A sparse matrix from some nodes, the columns, to others, the rows. With a halo both
// directions have the own nodes as rows, and those of others too as columns.
typedef struct opn_i_hop {
    int32_t n_rows, n_cols;
    opn_k_sparse rows;  // [n_rows,n_cols]
    const int32_t *own; // [n_rows] column of each row's own node; NULL: the same index
    opn_k_sparse transposed; // [n_cols,n_rows], unset without a backward pass
    const uint32_t *entry; // [entries] index in `rows` of each of `transposed`, likewise
    opn_i_halo *halo; // columns behind those of the own rows, which other ranks have;
                      // NULL: there are none
} opn_i_hop;

// Logits of the rows of `outer` depend on the hidden units of its columns, which are the
// rows of `inner`, and these on the features of the first rows of X.
typedef struct opn_i_reach {
    opn_i_hop outer, inner;
} opn_i_reach;

static inline opn_off opn_i_hop_n_entries(const opn_i_hop *hop)
{
    return hop->n_rows > 0 ? hop->rows.end[hop->n_rows - 1] : 0;
}

// The column of a row's own node.
static inline int32_t opn_i_hop_own(const opn_i_hop *hop, int32_t i)
{
    return hop->own == NULL ? i : hop->own[i];
}

// The same nodes with other entries; the new matrix is symmetric.
opn_i_hop opn_i_hop_with(const opn_i_hop *hop, opn_k_sparse symmetric);

// ---- products ------------------------------------------------------------------------

// y = A x, A the matrix of the hop; `finish` may be NULL, as in opn_i_spmm(). The rows of
// x that other ranks have come from them.
void opn_i_hop_product(const opn_i_exec *exec,
                       const opn_i_hop *hop,
                       opn_i_dense x,
                       opn_i_dense y,
                       const opn_k_finish *finish);

// y = A^T x; row j of y is multiplied by scale[j] unless scale is NULL.
void opn_i_hop_product_transposed(const opn_i_exec *exec,
                                  const opn_i_hop *hop,
                                  const opn_real *scale,
                                  opn_i_dense x,
                                  opn_i_dense y);

// The same with attention coefficients, see attend.h. Forward: o, top and inverse of the
// rows from the data of the columns. Backward: d_score of the entries and the gradient of
// the columns' data. Both set the pattern of `layer`.
void opn_i_hop_attend(const opn_i_exec *exec,
                      const opn_i_hop *hop,
                      opn_k_attention *layer);
void opn_i_hop_attend_back(const opn_i_exec *exec,
                           const opn_i_hop *hop,
                           opn_k_attention *layer);

// ---- creation ------------------------------------------------------------------------

// The data that a hop borrows. Zero-initialise; the holder owns it.
typedef struct opn_i_hop_store {
    opn_i_csr rows;
    opn_i_csr transposed; // if needed and different from `rows`
    int32_t *own;         // or NULL
    uint32_t *entry;      // or NULL
    opn_i_halo halo;      // of one rank of several
} opn_i_hop_store;

void opn_i_hop_store_deinit(const opn_alloc *alloc, opn_i_hop_store *store);

// Builds what the backward pass needs besides store->rows: its transpose, unless that is
// the same, and the map of its entries if an encoder needs it.
OPN_NODISCARD opn_status opn_i_hop_store_transpose(opn_ctx *ctx,
                                                   bool is_symmetric,
                                                   bool needs_entries,
                                                   opn_i_hop_store *store);

// The hop in the form passes use; borrowed.
opn_i_hop opn_i_hop_view(opn_i_hop_store *store);

#endif // OPN_HOP_H
