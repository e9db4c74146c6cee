// feature_strategy.h -- the ways to multiply with X, of which feature_matrix.c chooses.

#ifndef OPN_FEATURE_STRATEGY_H
#define OPN_FEATURE_STRATEGY_H

#include "model/feature_matrix.h"

struct opn_i_feature_strategy {
    // Makes room that this one needs beside the lists by rows; NULL: none.
    opn_status (*init)(opn_ctx *ctx, bool with_backward, opn_i_feature_matrix *matrix);
    // Makes ready for X W, if `forward`, and for X^T G, if `backward`, of the entries
    // that matrix->keep keeps; at a rate of 0 it keeps all.
    void (*drop)(const opn_i_exec *exec,
                 opn_i_feature_matrix *matrix,
                 bool forward,
                 bool backward);
    void (*product)(const opn_i_exec *exec,
                    const opn_i_feature_matrix *matrix,
                    opn_i_dense_const w,
                    opn_i_dense p);
    void (*product_transposed)(const opn_i_exec *exec,
                               const opn_i_feature_matrix *matrix,
                               opn_i_dense_const g,
                               opn_i_dense d_w);
};

// X W by rows, and X^T G by a list of the entries of each column, or from the rows, which
// are scattered: for matrices of one slice.
extern const opn_i_feature_strategy opn_i_feature_columns, opn_i_feature_scatter;

// Both by a map of bits, of a pattern.
extern const opn_i_feature_strategy opn_i_feature_bits;

// Entries of the rows that train.
static inline opn_off opn_i_feature_n_trained(const opn_i_feature_matrix *matrix)
{
    return matrix->rows.row_ptr[matrix->n_trained];
}

// Lists the entries by rows whose bit in matrix->keep is set.
void opn_i_feature_list_rows(const opn_i_exec *exec, opn_i_feature_matrix *matrix);

// The rows of the pass: all entries, or those that were listed last.
opn_k_sparse opn_i_feature_rows(const opn_i_feature_matrix *matrix);

#endif // OPN_FEATURE_STRATEGY_H
