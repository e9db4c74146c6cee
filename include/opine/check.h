// check.h -- warnings about likely mistakes in the data.

#ifndef OPINE_CHECK_H
#define OPINE_CHECK_H

#include "graph.h"
#include "params.h"

#ifdef __cplusplus
extern "C" {
#endif

// Something in the data that looks like a mistake.
typedef struct opn_warning {
    const char *kind;    // "isolated-nodes"; stable, docs/file-formats.md lists them
    int64_t count;       // how many nodes, edges, classes or features are meant
    const char *message; // one line without a line end: what, count, an example, why
} opn_warning;

// Receives a warning; its strings are valid during the call.
typedef void opn_warning_fn(void *user, const opn_warning *warning);

// Reports what looks wrong in a graph, each kind once. Check a graph as loaded, before
// opn_graph_prepare(), which removes duplicate edges and self-loops. The parameter
// normalise determines whether the scales of features matter. Datasets known by name
// are not checked.
//
// tell  NULL: warnings go to the log of the context, after the name of the graph
//
// Errors: NOMEM. Cost: O(V + E + entries of the features) time and memory.
OPN_API OPN_NODISCARD opn_status opn_graph_warnings(opn_ctx *ctx,
                                                    const opn_graph *graph,
                                                    const opn_params *params,
                                                    opn_warning_fn *tell,
                                                    void *user);

#ifdef __cplusplus
}
#endif

#endif // OPINE_CHECK_H
