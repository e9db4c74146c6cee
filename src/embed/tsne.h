// tsne.h -- rows of a matrix as points of a plane, near ones near each other: t-SNE (van
// der Maaten and Hinton 2008), its forces by the method of Barnes and Hut (2014).

#ifndef OPN_TSNE_H
#define OPN_TSNE_H

#include "embed/repulsion.h"
#include "math/csr.h"

typedef struct opn_i_tsne_options {
    double perplexity;     // neighbours that count, about; at least 1
    double theta;          // 0 … 0.7, of opn_i_repel()
    double exaggeration;   // of P in the first steps
    int32_t n_exaggerated; // of the steps
    int32_t n_steps;
    uint64_t seed;
} opn_i_tsne_options;

// Perplexity 30, theta 0.5, 1000 steps, the first 250 exaggerated 12 times.
opn_i_tsne_options opn_i_tsne_defaults(void);

// point [V,2] = the n_rows rows of x [V,n_cols] in the plane, around (0, 0). Starts from
// the plane in which the rows differ most, with a little noise to part equal ones. At
// most (V - 1) / 3 is taken for the perplexity. Numbers of x are between -1 and 1, so
// that no square overflows. `point` is written only on success; same bits on any number
// of threads and with any kernels.
// Errors: NOMEM, OVERFLOW, INTERRUPTED.
// Cost: O(V^2 n_cols) once and O(V (perplexity + log V)) a step.
OPN_NODISCARD opn_status opn_i_tsne(opn_ctx *ctx,
                                    int32_t n_rows,
                                    int32_t n_cols,
                                    const opn_real *x,
                                    const opn_i_tsne_options *options,
                                    opn_real *point);

// d_point [V,2] = the gradient of KL(P || Q) at `point`, with P times `exaggeration`.
// Uses tree, whose points have been sorted, and force [V,2].
void opn_i_tsne_gradient(const opn_i_exec *exec,
                         const opn_i_csr *affinity,
                         double exaggeration,
                         double theta,
                         const opn_real *point,
                         opn_i_tree *tree,
                         opn_real *force,
                         opn_real *d_point);

#endif // OPN_TSNE_H
