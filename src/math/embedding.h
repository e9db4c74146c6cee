// embedding.h -- the expensive parts of embedding rows in a plane, as the kernels see
// them.
//
// All tables give the same bits: a long sum is kept in eight lanes, each of which takes
// every eighth term, the lanes are added up in order, and nothing is fused.

#ifndef OPN_EMBEDDING_H
#define OPN_EMBEDDING_H

#include "math/real.h"
#include "opine/base.h"

enum { OPN_NEAR_PANEL = 16 };

// Adds up the eight lanes of a sum, in order.
static inline opn_real opn_k_sum_lanes(const opn_real lane[8])
{
    opn_real sum = lane[0];
    for (int l = 1; l < 8; l++)
        sum += lane[l];
    return sum;
}

// Points that repel, or cells that represent several. Their number is padded to a
// multiple of eight with n = 0.
typedef struct opn_k_crowd {
    const opn_real *x, *y;
    const opn_real *n; // points that each represents
    int32_t size;
} opn_k_crowd;

// sum over a crowd of n q^2 (y_i - y_j), by axis, and of n q, where
// q = 1 / (1 + |y_i - y_j|^2).
typedef struct opn_k_push {
    double x, y, sum;
} opn_k_push;

typedef struct opn_k_embedding_table {
    // Squared distances of rows a and b [n_cols] from the 16 rows of a panel [n_cols,16],
    // where below limit_a and limit_b. Bit c of the result says whether that from row c
    // to a is below, and then it is in square[c]; bit 16 + c and square[16 + c] are for
    // b. Uses differences, not |a|^2 + |b|^2 - 2ab, so that equal rows are at distance 0
    // and close rows lose no digits.
    uint32_t (*measure)(int32_t n_cols,
                        const opn_real *panel,
                        const opn_real *a,
                        const opn_real *b,
                        opn_real limit_a,
                        opn_real limit_b,
                        opn_real *square);

    // Adds to push[i] the repulsion of the crowd on the point at (x[i], y[i]).
    void (*repel)(const opn_k_crowd *crowd,
                  int32_t n_points,
                  const opn_real *x,
                  const opn_real *y,
                  opn_k_push *push);

    // force [V,2] of rows [first, last) = sum over their entries of value q (y_i - y_j),
    // where the y are point [V,2].
    void (*attract)(const opn_off *row_ptr,
                    const int32_t *col,
                    const opn_real *value,
                    const opn_real *point,
                    int32_t first,
                    int32_t last,
                    opn_real *force);
} opn_k_embedding_table;

extern const opn_k_embedding_table opn_k_embedding_ref;

#endif // OPN_EMBEDDING_H
