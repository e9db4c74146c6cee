// principal.h -- projects rows onto their two principal directions.

#ifndef OPN_PRINCIPAL_H
#define OPN_PRINCIPAL_H

#include "base/context.h"
#include "math/real.h"

// plane [V,2] = the rows of x [V,n_cols], minus their mean, projected onto the two
// directions of largest variance, found by `n_steps` steps of orthogonal iteration. These
// approximate the principal components, and equal them if the variances differ enough. 0
// along a direction without variance.
// Errors: NOMEM, OVERFLOW, INTERRUPTED. Cost: O(V n_cols^2 + n_steps n_cols^2), memory
// O(n_cols^2).
OPN_NODISCARD opn_status opn_i_principal_plane(opn_ctx *ctx,
                                               int32_t n_rows,
                                               int32_t n_cols,
                                               const opn_real *x,
                                               int n_steps,
                                               double *plane);

#endif // OPN_PRINCIPAL_H
