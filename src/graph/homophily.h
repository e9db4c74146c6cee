// homophily.h -- how often edges join nodes of the same class.

#ifndef OPN_HOMOPHILY_H
#define OPN_HOMOPHILY_H

#include "graph/graph_data.h"

typedef struct opn_i_homophily_info {
    int64_t n_edges; // between two labelled nodes
    double share;    // of them that join one class; NaN without such edges
    double adjusted; // beyond chance: 0 for classes that do not matter, 1 for all edges
                     // within a class; NaN unless two classes have an edge
} opn_i_homophily_info;

// label [V] is that of the graph, or has -1 where a label may not be used.
// Errors: NOMEM. Cost: O(V + E + K).
OPN_NODISCARD opn_status opn_i_homophily(opn_ctx *ctx,
                                         const opn_graph *graph,
                                         const int32_t *label,
                                         opn_i_homophily_info *out);

#endif // OPN_HOMOPHILY_H
