// normalise.h -- the normalised adjacency matrix.

#ifndef OPN_NORMALISE_H
#define OPN_NORMALISE_H

#include "graph/graph_data.h"

typedef enum opn_i_edge_rule { // how an entry of A + I is normalised
    OPN_EDGES_NORMALISED = 0, // D^-1/2 (A + I) D^-1/2, D the row sums of A + I; symmetric
    OPN_EDGES_MEAN = 1,       // D^-1 A, D the row sums of A; 0 on the diagonal
    OPN_EDGES_NONE = 2,       // I: no edges at all; symmetric
    OPN_EDGES_PLAIN = 3,      // A + I itself; symmetric
    OPN_EDGES_MEAN_BACK = 4   // A D^-1, the transpose of OPN_EDGES_MEAN
} opn_i_edge_rule;

static inline bool opn_i_edge_rule_is_symmetric(opn_i_edge_rule rule)
{
    return rule != OPN_EDGES_MEAN && rule != OPN_EDGES_MEAN_BACK;
}

// The matrix of an undirected graph; edges count by their weight. Rows are sorted and all
// have a diagonal entry; those of a rank are whole, of others it has the diagonal. Cost:
// O(V + E). Errors: SHAPE (the graph is directed), NOMEM.
OPN_NODISCARD opn_status opn_i_graph_normalise(opn_ctx *ctx,
                                               const opn_graph *graph,
                                               opn_i_edge_rule rule,
                                               opn_i_csr *out);

#endif // OPN_NORMALISE_H
