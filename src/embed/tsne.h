// tsne.h -- t-SNE: maps rows of a matrix to points in a plane, similar rows near each
// other (van der Maaten and Hinton 2008), with Barnes-Hut forces (2014).

#ifndef OPN_TSNE_H
#define OPN_TSNE_H

#include "embed/repulsion.h"
#include "math/csr.h"

typedef struct opn_i_tsne_options {
    double perplexity;     // effective number of neighbours; at least 1
    double theta;          // 0 … 0.7, for opn_i_repel()
    double exaggeration;   // of P in the first steps
    int32_t n_exaggerated; // number of those steps
    int32_t n_steps;
    uint64_t seed;
} opn_i_tsne_options;

// Perplexity 30, theta 0.5, 1000 steps, the first 250 exaggerated by 12.
opn_i_tsne_options opn_i_tsne_defaults(void);

// point [V,2] = the n_rows rows of x [V,n_cols] in the plane, centred at (0, 0). Starts
// from the principal plane of the rows, with a little noise to separate equal ones. The
// perplexity is capped at (V - 1) / 3. Values of x must lie in [-1, 1], so that no square
// overflows. `point` is written only on success. Bitwise identical for any number of
// threads and any kernels.
// Errors: NOMEM, OVERFLOW, INTERRUPTED.
// Cost: O(V^2 n_cols) once and O(V (perplexity + log V)) per step.
OPN_NODISCARD opn_status opn_i_tsne(opn_ctx *ctx,
                                    int32_t n_rows,
                                    int32_t n_cols,
                                    const opn_real *x,
                                    const opn_i_tsne_options *options,
                                    opn_real *point);

// d_point [V,2] = the gradient of KL(P || Q) at `point`, with P times `exaggeration`.
// Uses `tree`, whose points must be sorted, and force [V,2] as scratch.
void opn_i_tsne_gradient(const opn_i_exec *exec,
                         const opn_i_csr *affinity,
                         double exaggeration,
                         double theta,
                         const opn_real *point,
                         opn_i_tree *tree,
                         opn_real *force,
                         opn_real *d_point);

#endif // OPN_TSNE_H
