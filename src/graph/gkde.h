// gkde.h -- the graph-based kernel Dirichlet estimate: evidence from nearby labelled
// nodes.

#ifndef OPN_GKDE_H
#define OPN_GKDE_H

#include "graph/graph_data.h"

// prior [V, width] = 1 + sum over labelled nodes i of class k of g(d_ij), d in hops, g(d)
// = exp(-d^2 / (2 sigma^2)), times 1 / (sigma sqrt(2 pi)) with kernel_constant; 0 beyond
// column n_classes. A node that no labelled node reaches has 1 everywhere.
//
// target  [V] class of each labelled node, -1 for others
//
// Only the number of labelled nodes of each class at each distance matters: 512 of them
// are searched from at once, one bit each, up to the distance where all together add less
// than a float next to 1 can hold. Sums are integers: the bits are the same for any
// number of threads and any order of the nodes. Cost: O(ceil(L / 512 + K / 16) radius (V
// + E)) time. Memory besides prior: O(V) for each thread, up to 1 GiB beyond the first,
// and O(E) for large graphs with many labels, whose nodes are reordered. Errors: SHAPE
// (the graph is directed), INTERRUPTED, NOMEM.
OPN_NODISCARD opn_status opn_i_gkde(opn_ctx *ctx,
                                    const opn_graph *graph,
                                    const int32_t *target,
                                    int32_t n_classes,
                                    double sigma,
                                    bool kernel_constant,
                                    int32_t width,
                                    opn_real *prior);

// g(d) of one labelled node at that distance.
double opn_i_gkde_weight(double sigma, bool kernel_constant, int32_t hops);

// The first distance at which n_labelled nodes together add less than a float next to 1
// can hold: evidence from this distance on is ignored.
int32_t opn_i_gkde_radius(double sigma, bool kernel_constant, int64_t n_labelled);

#endif // OPN_GKDE_H
