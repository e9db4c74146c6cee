// repulsion.h -- repulsive forces between points in a plane, by the Barnes-Hut method,
// which treats distant points as one.
//
// The tree halves the points along the longer side of their box, so its shape is the same
// for any positions, even equal ones, and it is never deep. Neighbouring points traverse
// it together, and what they meet is evaluated several at a time.

#ifndef OPN_REPULSION_H
#define OPN_REPULSION_H

#include "base/context.h"
#include "math/exec.h"

typedef struct opn_i_cell {
    opn_real x, y; // mean of its points
    opn_real low_x, high_x, low_y, high_y;
    opn_real longer_square; // of the longer side
    opn_real n;
} opn_i_cell;

// Zero-initialise.
typedef struct opn_i_tree {
    int32_t n_points;
    int n_levels;     // below the root
    int32_t *order;   // [V] points in leaf order
    opn_real *x, *y;  // [V] in that order
    opn_i_cell *cell; // [2^(n_levels + 1) - 1], children of c are 2c + 1 and 2c + 2
    double *sum;      // [2^n_levels] per leaf
} opn_i_tree;

OPN_NODISCARD opn_status opn_i_tree_init(opn_ctx *ctx, int32_t n_points, opn_i_tree *out);
void opn_i_tree_deinit(const opn_alloc *alloc, opn_i_tree *tree);

// Sorts the points of position [V,2] into the tree. Cost: O(V log V), less if the last
// order is nearly right.
void opn_i_tree_sort(int n_threads, const opn_real *position, opn_i_tree *tree);

// force [V,2] = sum over j of q_ij^2 (y_i - y_j), where q_ij = 1 / (1 + |y_i - y_j|^2).
// Returns the sum of all q_ij, i != j. A cell is treated as one point if it is smaller
// than theta times its distance; 0 <= theta <= 0.7, and 0 is exact. The positions may
// have changed since the points were sorted: the result is as good, only slower. Bitwise
// identical for any number of threads.
double opn_i_repel(const opn_i_exec *exec,
                   const opn_real *position,
                   double theta,
                   opn_i_tree *tree,
                   opn_real *force);

#endif // OPN_REPULSION_H
