// embed.h -- t-SNE: rows of a matrix as points in the plane.

#ifndef OPINE_EMBED_H
#define OPINE_EMBED_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Places the rows of x [n_rows, n_cols], for example hidden representations, so that
// similar rows are close together: Barnes-Hut t-SNE, 1000 steps from the first two
// principal components.
//
// perplexity  about how many neighbours of a row count, 30 being usual; of few rows at
//             most (n_rows - 1) / 3 are taken
// seed        of the little noise that parts equal rows
// place       [n_rows, 2], from 0 to 1: the longer side of what is drawn spans all of
//             that, the other lies in its middle at the same scale, and a single row lies
//             in the middle of both. Written only on success.
//
// The result depends on the arguments alone, to the bit, not on the number of threads;
// scaling x by a power of two does not change it. Progress is reported as "finding
// directions", "finding neighbours" and "computing affinities", then as "embedding",
// step by step. Errors: INVALID_ARG (fewer than one row or column, perplexity outside
// [2, 100]), NONFINITE (in x, named by its row), OVERFLOW, INTERRUPTED, NOMEM. Cost:
// O(n_rows^2 n_cols + n_rows n_cols^2) once, and O(n_rows (perplexity + log n_rows)) a
// step; memory O(n_rows (n_cols + perplexity) + n_cols^2).
OPN_API OPN_NODISCARD opn_status opn_embed(opn_ctx *ctx,
                                           int32_t n_rows,
                                           int32_t n_cols,
                                           const float *x,
                                           double perplexity,
                                           uint64_t seed,
                                           float *place);

#ifdef __cplusplus
}
#endif

#endif // OPINE_EMBED_H
