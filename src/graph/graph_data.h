// graph_data.h -- the definition of opn_graph.

#ifndef OPN_GRAPH_DATA_H
#define OPN_GRAPH_DATA_H

#include "base/names.h"
#include "graph/feature_store.h"
#include "opine/graph.h"
#include "opine/split.h"

typedef struct opn_i_shards opn_i_shards; // shards.h has it

struct opn_graph {
    opn_alloc alloc; // copied from the context, so the graph may outlive it
    char *name;
    char *source;            // path of the files; NULL if they have none
    opn_i_names notes;       // how the files were read, where that is not obvious
    opn_i_csr topology;      // [V,V] neighbours; values are edge weights
    opn_i_features features; // [V,F]
    int32_t n_classes;       // K
    int32_t *label;          // [V] -1 where unlabelled
    uint8_t *given_role;     // [V] opn_role of the split that came with the data, or NULL
    opn_i_names node_names;  // each is empty if the nodes, classes or features
    opn_i_names class_names; // are only numbered
    opn_i_names feature_names;
    int32_t image_height; // features are the pixels of an image, row by row; else 0
    int32_t image_width;
    bool is_loaded;             // its parts may not be set
    bool is_undirected;         // symmetric, sorted, no duplicates, no self-loops
    bool rows_are_scaled;       // features mix rows that were scaled: models scale none
    uint32_t usual_steps;       // default steps of opn_graph_prepare()
    const opn_dataset *dataset; // the known dataset; NULL for a user's own data
    opn_i_shards *shards;       // its blocks; NULL if it is not divided
    opn_split_rule usual_split; // SAMPLED or OWN; GIVEN follows from given_role
};

// Creates an empty graph of that name for loaders to fill, with the steps and split for a
// user's own data.
OPN_NODISCARD opn_status opn_i_graph_new(opn_ctx *ctx, const char *name, opn_graph **out);

// Gives the graph another name, of n_chars bytes.
OPN_NODISCARD opn_status opn_i_graph_rename(opn_ctx *ctx,
                                            opn_graph *graph,
                                            const char *name,
                                            size_t n_chars);

OPN_NODISCARD opn_status opn_i_graph_set_source(opn_ctx *ctx,
                                                opn_graph *graph,
                                                const char *path);

// Notes how the files were read, for the user's eyes and for the models trained on the
// graph: a full sentence without a final stop.
OPN_NODISCARD opn_status opn_i_graph_note(opn_ctx *ctx,
                                          opn_graph *graph,
                                          const char *fmt,
                                          ...) OPN_PRINTF(3, 4);

static inline opn_vid opn_i_graph_n_nodes(const opn_graph *graph)
{
    return graph->topology.n_rows;
}

// SHAPE, with what to do about it, if the graph is directed.
OPN_NODISCARD opn_status opn_i_graph_check_undirected(opn_ctx *ctx,
                                                      const opn_graph *graph);

// Whether a node has no neighbour.
bool opn_i_graph_has_isolated(const opn_graph *graph);

// SHA-256 of nodes, edges and weights: the same whatever the features and labels are.
OPN_NODISCARD opn_status opn_i_graph_topology_hash(opn_ctx *ctx,
                                                   const opn_graph *graph,
                                                   char text[65]);

// Component of each node, ignoring directions; components are numbered from 0 by their
// smallest node. Cost: nearly O(V + E) time.
OPN_NODISCARD opn_status opn_i_graph_components(opn_ctx *ctx,
                                                const opn_graph *graph,
                                                int32_t *component,
                                                int32_t *n_components);

// The symmetric matrix without self-loops in which an edge has the largest of its
// weights.
OPN_NODISCARD opn_status opn_i_topology_undirect(opn_ctx *ctx,
                                                 const opn_i_csr *from,
                                                 opn_i_csr *out);

// Checks a matrix in CSR form from elsewhere: offsets start at 0 and never decrease, and
// columns are in range. `what` is its columns in messages, "node" or "feature". Errors:
// INVALID_ARG.
OPN_NODISCARD opn_status opn_i_csr_check(opn_ctx *ctx,
                                         const char *what,
                                         int32_t n_rows,
                                         int32_t n_cols,
                                         const opn_off *row_ptr,
                                         const int32_t *col_idx);

#endif // OPN_GRAPH_DATA_H
