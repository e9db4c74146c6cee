// hop.h -- one hop over the edges: the only place where the rows of neighbours are
// needed.

#ifndef OPN_HOP_H
#define OPN_HOP_H

#include "math/csr.h"
#include "math/exec.h"

// The entries that some nodes, the rows, have of others, the columns.
typedef struct opn_i_hop {
    int32_t n_rows, n_cols;
    opn_k_sparse rows;  // [n_rows,n_cols]
    const int32_t *own; // [n_rows] column of each row's own node; NULL: the same number
    opn_k_sparse transposed; // [n_cols,n_rows], unset where nothing is taken back
    const uint32_t *entry; // [entries] number in `rows` of each of `transposed`, likewise
} opn_i_hop;

// Logits of the rows of `outer` depend on the hidden units of its columns, which are the
// rows of `inner`, and those on the features of the first rows of X.
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

// The same nodes with other entries, whose matrix is symmetric.
opn_i_hop opn_i_hop_with(const opn_i_hop *hop, opn_k_sparse symmetric);

// ---- products ------------------------------------------------------------------------

// y = A x, A the matrix of the hop; `finish` may be NULL, as opn_i_spmm() has it.
void opn_i_hop_product(const opn_i_exec *exec,
                       const opn_i_hop *hop,
                       opn_i_dense_const x,
                       opn_i_dense y,
                       const opn_k_finish *finish);

// y = A^T x, row j of it times scale[j] unless that is NULL.
void opn_i_hop_product_transposed(const opn_i_exec *exec,
                                  const opn_i_hop *hop,
                                  const opn_real *scale,
                                  opn_i_dense_const x,
                                  opn_i_dense y);

// The same with coefficients that the nodes find for themselves, as attend.h says: o, top
// and inverse of the rows from what the columns have; and back, d_score of the entries
// and the gradient of what the columns have. Both set the pattern of `layer`.
void opn_i_hop_attend(const opn_i_exec *exec,
                      const opn_i_hop *hop,
                      opn_k_attention *layer);
void opn_i_hop_attend_back(const opn_i_exec *exec,
                           const opn_i_hop *hop,
                           opn_k_attention *layer);

// ---- making --------------------------------------------------------------------------

// What a hop borrows from. Zero-initialise; owned by whoever holds it.
typedef struct opn_i_hop_store {
    opn_i_csr rows;
    opn_i_csr transposed; // where it is needed and not `rows` itself
    int32_t *own;         // or NULL
    uint32_t *entry;      // or NULL
} opn_i_hop_store;

void opn_i_hop_store_deinit(const opn_alloc *alloc, opn_i_hop_store *store);

// Makes what the way back needs beside store->rows: its transpose, unless that is the
// same, and the map of its entries where an encoder needs it.
OPN_NODISCARD opn_status opn_i_hop_store_transpose(opn_ctx *ctx,
                                                   bool is_symmetric,
                                                   bool needs_entries,
                                                   opn_i_hop_store *store);

// The hop as passes take it; borrowed.
opn_i_hop opn_i_hop_view(const opn_i_hop_store *store);

#endif // OPN_HOP_H
