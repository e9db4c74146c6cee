// feature_strategy.h -- algorithms for products with X; feature_matrix.c chooses one.

#ifndef OPN_FEATURE_STRATEGY_H
#define OPN_FEATURE_STRATEGY_H

#include "network/feature_matrix.h"

struct opn_i_feature_strategy {
    // Allocates what it needs besides the lists by rows; NULL: nothing.
    opn_status (*init)(opn_ctx *ctx, bool with_backward, opn_i_feature_matrix *matrix);
    // Prepares X W, if `forward`, and X^T G, if `backward`, for the entries that
    // matrix->keep keeps; at rate 0 all are kept.
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

// X W by rows, and X^T G by a list of the entries of each column, or scattered from the
// rows: for matrices of one slice.
extern const opn_i_feature_strategy opn_i_feature_columns, opn_i_feature_scatter;

// Both by a bitmap, for a pattern.
extern const opn_i_feature_strategy opn_i_feature_bits;

// Entries of the trained rows.
static inline opn_off opn_i_feature_n_trained(const opn_i_feature_matrix *matrix)
{
    return matrix->rows.row_ptr[matrix->n_trained];
}

// Lists by rows the entries whose bit in matrix->keep is set.
void opn_i_feature_list_rows(const opn_i_exec *exec, opn_i_feature_matrix *matrix);

// p += factor 1 c^T W for the rows of the pass; nothing without a centre c.
void opn_i_feature_shift(const opn_i_exec *exec,
                         const opn_i_feature_matrix *matrix,
                         double factor,
                         opn_i_dense_const w,
                         opn_i_dense p);

// d_w -= c 1^T G, likewise, where the rows of g are already multiplied by matrix->scale.
void opn_i_feature_shift_back(const opn_i_exec *exec,
                              const opn_i_feature_matrix *matrix,
                              opn_i_dense_const g,
                              opn_i_dense d_w);

// The rows of the pass: all entries, or those listed last.
opn_k_sparse opn_i_feature_rows(const opn_i_feature_matrix *matrix);

#endif // OPN_FEATURE_STRATEGY_H
