// normalise.h -- the matrix a graph convolution multiplies with.

#ifndef OPN_NORMALISE_H
#define OPN_NORMALISE_H

#include "graph/graph_data.h"

// D^-1/2 (A + I) D^-1/2 of an undirected graph, D the row sums of A + I; an edge counts
// as much as its weight. Rows are sorted. Cost: O(V + E). Errors: SHAPE (the graph is
// directed), NOMEM.
OPN_NODISCARD opn_status opn_i_graph_normalise(opn_ctx *ctx,
                                               const opn_graph *graph,
                                               opn_i_csr *out);

#endif // OPN_NORMALISE_H
