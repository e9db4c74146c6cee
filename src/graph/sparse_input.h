// sparse_input.h -- matrices from NumPy arrays of a file, validated as they are read.

#ifndef OPN_SPARSE_INPUT_H
#define OPN_SPARSE_INPUT_H

#include "arrays/ndarray.h"
#include "arrays/sparse_layout.h"
#include "graph/feature_store.h"

// A sparse matrix as three arrays of a file, each with its name for messages. `data` may
// be NULL for all ones.
typedef struct opn_i_sparse_input {
    opn_i_sparse_layout layout;
    int64_t n_rows;
    int64_t n_cols;
    const opn_i_ndarray *indptr;  // [n_rows + 1]; COLUMNS [n_cols + 1]; TRIPLES [entries]
    const opn_i_ndarray *indices; // [entries]
    const opn_i_ndarray *data;    // [entries]
    const char *indptr_name;
    const char *indices_name;
    const char *data_name;
} opn_i_sparse_input;

// Errors: FORMAT (not whole numbers, decreasing offsets, columns out of range, lengths
// that differ, values that are not finite; the message names array and item, and of a
// value row and column), OVERFLOW, NOMEM. Of COLUMNS and TRIPLES the caller has checked
// n_rows: memory grows with it, and the arrays do not bound it.
OPN_NODISCARD opn_status opn_i_sparse_input_read(opn_ctx *ctx,
                                                 const opn_i_sparse_input *input,
                                                 opn_i_csr *out);

// Reads a dense matrix.
// Errors: FORMAT (not two dimensions, not finite numbers), OVERFLOW, NOMEM.
OPN_NODISCARD opn_status opn_i_dense_input_read(opn_ctx *ctx,
                                                const char *what,
                                                const opn_i_ndarray *array,
                                                opn_i_features *out);

// Tidies features whose lists have been read, and settles them; duplicate entries are
// summed.
// Errors: FORMAT (a sum exceeds the range of floats; the message begins with `what`),
// NOMEM.
OPN_NODISCARD opn_status opn_i_features_tidy(opn_ctx *ctx,
                                             const char *what,
                                             opn_i_features *x);

// Converts items to the type of all arithmetic, after checking that they are finite.
OPN_NODISCARD opn_status opn_i_ndarray_to_real(opn_ctx *ctx,
                                               const char *what,
                                               const opn_i_ndarray *array,
                                               opn_real *out);

#endif // OPN_SPARSE_INPUT_H
