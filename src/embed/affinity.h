// affinity.h -- how much rows belong together: the probabilities P of t-SNE.

#ifndef OPN_AFFINITY_H
#define OPN_AFFINITY_H

#include "embed/nearest.h"
#include "math/csr.h"

// P [V,V] = (p_{j|i} + p_{i|j}) / 2V, symmetric to the bit, of sum 1. p_{j|i} falls with
// the square of the distance as a Gaussian of that perplexity, and is 0 for all but the
// n_near >= 1 rows in near [V,n_near]. Where no width of the Gaussian has the perplexity,
// as among equal rows, the nearest one that a width has is taken.
// Errors: NOMEM, INTERRUPTED. Cost: O(V n_near).
OPN_NODISCARD opn_status opn_i_affinity(opn_ctx *ctx,
                                        int32_t n_rows,
                                        int32_t n_near,
                                        const opn_i_near *near,
                                        double perplexity,
                                        opn_i_csr *out);

#endif // OPN_AFFINITY_H
