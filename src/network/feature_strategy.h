// feature_strategy.h -- algorithms for products with X; feature_matrix.c chooses one.

#ifndef OPN_FEATURE_STRATEGY_H
#define OPN_FEATURE_STRATEGY_H

#include "network/feature_matrix.h"

struct opn_i_feature_strategy {
    // Allocates what its passes need.
    opn_status (*init)(opn_ctx *ctx, opn_i_feature_matrix *matrix);
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

// X W by rows, and X^T G scattered from the rows.
extern const opn_i_feature_strategy opn_i_feature_lists;

// Both by a bitmap, for a pattern.
extern const opn_i_feature_strategy opn_i_feature_bits;

// Both by an array, for features most of which are not 0.
extern const opn_i_feature_strategy opn_i_feature_dense;

// Makes the array, of rows order[0 … V-1] of x; or borrows some rows of another one's.
// `order` may be NULL.
OPN_NODISCARD opn_status opn_i_feature_dense_fill(opn_ctx *ctx,
                                                  const opn_i_features *x,
                                                  const int32_t *order,
                                                  opn_i_feature_matrix *matrix);
OPN_NODISCARD opn_status opn_i_feature_dense_part(opn_ctx *ctx,
                                                  const opn_i_feature_matrix *whole,
                                                  const int32_t *node,
                                                  int32_t n_rows,
                                                  opn_i_feature_matrix *matrix);

// Whether each row has one value besides 0.
bool opn_i_feature_rows_are_constant(const opn_i_features *x);

// Entries of the trained rows.
static inline opn_off opn_i_feature_n_trained(const opn_i_feature_matrix *matrix)
{
    return matrix->rows.row_ptr[matrix->n_trained];
}

// A list of entries of the trained rows, and how the entries whose bit in matrix->keep is
// set come into it.
OPN_NODISCARD opn_status opn_i_feature_list_init(opn_ctx *ctx,
                                                 const opn_i_feature_matrix *matrix,
                                                 opn_i_entries *out);
void opn_i_feature_list(const opn_i_exec *exec,
                        const opn_i_feature_matrix *matrix,
                        opn_i_entries *to);
opn_k_sparse opn_i_feature_list_view(const opn_i_entries *list);

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

#endif // OPN_FEATURE_STRATEGY_H
