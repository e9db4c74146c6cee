// nearest.h -- finds the nearest rows of each row of a matrix, by brute force.

#ifndef OPN_NEAREST_H
#define OPN_NEAREST_H

#include "base/context.h"
#include "math/kernels.h"

typedef struct opn_i_near {
    opn_real square; // of the distance
    int32_t row;
} opn_i_near;

// near [V,n_near] = the n_near rows nearest to each of the n_rows rows of x [V,n_cols],
// excluding the row itself, nearest first, ties in row order. 0 <= n_near < n_rows, or
// n_rows == 0. Squares of differences must not overflow.
// Errors: NOMEM, OVERFLOW, INTERRUPTED. Cost: O(V^2 n_cols), one copy of x.
OPN_NODISCARD opn_status opn_i_nearest(opn_ctx *ctx,
                                       const opn_k_table *kernels,
                                       int32_t n_rows,
                                       int32_t n_cols,
                                       const opn_real *x,
                                       int32_t n_near,
                                       opn_i_near *near);

#endif // OPN_NEAREST_H
