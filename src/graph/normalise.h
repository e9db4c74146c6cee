// normalise.h -- the matrix by which nodes see their neighbours.

#ifndef OPN_NORMALISE_H
#define OPN_NORMALISE_H

#include "graph/graph_data.h"

typedef enum opn_i_edge_rule { // what becomes of an entry of A + I
    OPN_EDGES_NORMALISED = 0, // D^-1/2 (A + I) D^-1/2, D the row sums of A + I; it is its
                              // own transpose
    OPN_EDGES_MEAN = 1        // D^-1 A, D the row sums of A; 0 for the node itself
} opn_i_edge_rule;

// The matrix of an undirected graph; an edge counts as much as its weight. Rows are
// sorted, and all have the entry of the node itself. Cost: O(V + E). Errors: SHAPE (the
// graph is directed), NOMEM.
OPN_NODISCARD opn_status opn_i_graph_normalise(opn_ctx *ctx,
                                               const opn_graph *graph,
                                               opn_i_edge_rule rule,
                                               opn_i_csr *out);

#endif // OPN_NORMALISE_H
