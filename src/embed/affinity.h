// affinity.h -- pairwise affinities between rows: the probabilities P of t-SNE.

#ifndef OPN_AFFINITY_H
#define OPN_AFFINITY_H

#include "embed/nearest.h"
#include "math/csr.h"

// P [V,V] = (p_{j|i} + p_{i|j}) / 2V, bitwise symmetric, with sum 1. p_{j|i} is a
// Gaussian of the distance with the given perplexity, and 0 for all but the n_near >= 1
// rows in near [V,n_near]. If no width of the Gaussian gives the perplexity, as with
// equal rows, the closest attainable one is used.
// Errors: NOMEM, INTERRUPTED. Cost: O(V n_near).
OPN_NODISCARD opn_status opn_i_affinity(opn_ctx *ctx,
                                        int32_t n_rows,
                                        int32_t n_near,
                                        const opn_i_near *near,
                                        double perplexity,
                                        opn_i_csr *out);

#endif // OPN_AFFINITY_H
