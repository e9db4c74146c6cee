// lbfgs.h -- minimises a smooth function of many variables.

#ifndef OPN_LBFGS_H
#define OPN_LBFGS_H

#include "base/context.h"

// The function at x [n]; writes its gradient to d_x [n].
typedef double (*opn_i_smooth)(const void *user, const double *x, double *d_x);

typedef struct opn_i_lbfgs_options {
    const char *stage; // name of the progress
    int64_t max_steps;
    double tolerance; // stops once no partial derivative is further from 0
} opn_i_lbfgs_options;

// Limited-memory BFGS with backtracking. The value never increases from x on entry, where
// it must be finite, to x on return; wherever it is not finite, a shorter step is tried.
// Converges to the minimum of a convex function, or returns what max_steps or rounding
// leave. Deterministic. Errors: NOMEM, INTERRUPTED. Memory: 16 n doubles.
OPN_NODISCARD opn_status opn_i_lbfgs(opn_ctx *ctx,
                                     size_t n,
                                     opn_i_smooth function,
                                     const void *user,
                                     const opn_i_lbfgs_options *options,
                                     double *x);

#endif // OPN_LBFGS_H
