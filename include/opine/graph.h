// graph.h -- graphs with features and labels: load, prepare, describe, generate, save.

#ifndef OPINE_GRAPH_H
#define OPINE_GRAPH_H

#include "base.h"
#include "params.h"

#ifdef __cplusplus
extern "C" {
#endif

// Nodes, edges, features and labels. Immutable once loaded, or once its parts have been
// set: share freely from then on. What sets a part refuses a graph that was loaded;
// opn_graph_copy() gives one to change.
typedef struct opn_graph opn_graph;

// ---- datasets known by name ----------------------------------------------------------

// A published graph that can be loaded by its name.
typedef struct opn_dataset {
    const char *name;    // "cora"
    const char *file;    // below a data folder, "planetoid/ind.cora"; NULL: embedded
    const char *summary; // one phrase
    int32_t n_known;     // classes that count as known in out-of-distribution experiments
} opn_dataset;

OPN_API size_t opn_dataset_count(void);
OPN_API const opn_dataset *opn_dataset_at(size_t i); // i < opn_dataset_count()

// One of the original files of a dataset; all texts are static.
typedef struct opn_dataset_file {
    const char *path; // below a data folder, "planetoid/ind.cora.x"
    int64_t n_bytes;
    const char *sha256; // 64 hexadecimal digits
    const char *origin; // address of the folder where its authors host it
} opn_dataset_file;

// How many there are, 0 for an embedded dataset, and the i-th of them.
OPN_API size_t opn_dataset_n_files(const opn_dataset *dataset);
OPN_API void
opn_dataset_file_at(const opn_dataset *dataset, size_t i, opn_dataset_file *out);

// Whether the dataset is embedded or found in data_dir, $OPINE_DATA or the user's data
// folder (in that order; data_dir may be NULL).
OPN_API OPN_NODISCARD opn_status opn_dataset_find(opn_ctx *ctx,
                                                  const opn_dataset *dataset,
                                                  const char *data_dir,
                                                  int *found);

// The folder that opn_data_fetch() writes to: data_dir, else $OPINE_DATA, else the user's
// data folder (data_dir may be NULL). `path` has room for n_room bytes, NUL included.
// Errors: INVALID_ARG (none of the three is set, or the path does not fit), NOMEM.
OPN_API OPN_NODISCARD opn_status opn_data_folder(opn_ctx *ctx,
                                                 const char *data_dir,
                                                 char *path,
                                                 size_t n_room);

// What opn_data_fetch() has done.
typedef struct opn_fetch_info {
    int32_t n_files;   // of the dataset; 0 when it is embedded
    int32_t n_fetched; // of them downloaded
    int64_t n_bytes;   // of all files
    int64_t n_bytes_fetched;
} opn_fetch_info;

// Downloads the files of a dataset into the data folder, from their authors'
// repositories or from `mirror`: an http or https address or a folder, with the files
// below planetoid/, gnn-benchmark/ and images/ as in a data folder; NULL for
// $OPINE_DATA_MIRROR, if set. A file gets its name once its size and SHA-256 match the
// original; a partial download is kept as .part, and the next call resumes it. Existing
// files that match are kept; others are an error.
//
// Errors: READ and FORMAT (a file is missing, truncated or wrong; the message names its
// address or path), WRITE, INVALID_ARG (the mirror is not an address), NOMEM,
// INTERRUPTED.
OPN_API OPN_NODISCARD opn_status opn_data_fetch(opn_ctx *ctx,
                                                const opn_dataset *dataset,
                                                const char *data_dir,
                                                const char *mirror,
                                                opn_fetch_info *info);

// ---- loading and saving --------------------------------------------------------------

// Loads what `data` names, as it is in the file:
//   a dataset name                looked for as in opn_dataset_find()
//   FILE.npz                      adjacency or edges, features and labels, as the
//                                 gnn-benchmark collection, GraphGallery, PyTorch
//                                 Geometric, SciPy and others name them
//   FOLDER                        edges.csv, features.csv or .json, labels.csv or
//                                 target.csv, perhaps split.csv; or edges.csv and
//                                 nodes.csv with the rest
//   FILE.txt, .csv, .edgelist …   a list of edges as SNAP publishes them, perhaps
//                                 gzipped, with tables of the same stem beside it
//   FILE.graphml                  as Gephi and NetworkX write it, perhaps gzipped
//   FOLDER                        of the Open Graph Benchmark: raw/*.csv.gz and
//                                 split/*/*.csv.gz, untouched
//   PREFIX                        Planetoid: PREFIX.graph, PREFIX.allx and so on
//   train-images-idx3-ubyte       images, or a folder of them, as MNIST comes: a graph
//                                 without edges, with labels from the file beside them
//   -                             standard input, an npz file
// Node, class and feature names are kept. In a folder, columns are recognised by their
// names; opn_graph_note() tells what was decided where these leave a choice. Without
// features the graph has 0 of them. docs/file-formats.md has all names and forms.
// Errors: READ (nothing there), FORMAT (the message names file and line or member; also
// if several columns could be the label), NOMEM, INTERRUPTED. Cost: linear in the size of
// the files.
OPN_API OPN_NODISCARD opn_status opn_graph_load(opn_ctx *ctx,
                                                const char *data,
                                                const char *data_dir,
                                                opn_graph **out);

// The same with the parameters data_dir and label, the column of the labels in tables.
// Errors: also INVALID_ARG (a label is given, but there is no such column).
OPN_API OPN_NODISCARD opn_status opn_graph_load_params(opn_ctx *ctx,
                                                       const char *data,
                                                       const opn_params *params,
                                                       opn_graph **out);

// Writes a file that ends in .npz (gnn-benchmark form), the same to standard output for
// "-", or a new folder of CSV files. Either appears whole or not at all; an existing
// npz file is replaced, an existing folder that is not empty is an error.
OPN_API OPN_NODISCARD opn_status opn_graph_save(opn_ctx *ctx,
                                                const opn_graph *graph,
                                                const char *path);

// Writes a new folder of blocks of nodes that METIS cuts with few edges between them, for
// graphs that are trained on by several processes (docs/scaling.md); opn_graph_load()
// reads it as the same graph. The graph must be undirected, n_blocks a power of two up to
// 4096. Errors: INVALID_ARG (the number of blocks), SHAPE (directed), UNSUPPORTED (METIS
// is not installed), OVERFLOW (too large for it), WRITE, INTERRUPTED, NOMEM.
OPN_API OPN_NODISCARD opn_status opn_graph_save_shards(opn_ctx *ctx,
                                                       const opn_graph *graph,
                                                       int32_t n_blocks,
                                                       const char *path);

// Draws a degree-corrected contextual block model with bag-of-words features from the
// parameters nodes, classes, mean_degree, homophily, features, words, topic_overlap,
// label_noise and seed. The result is undirected. Cost: O(V log V + E log V + words).
OPN_API OPN_NODISCARD opn_status opn_graph_generate(opn_ctx *ctx,
                                                    const opn_params *params,
                                                    opn_graph **out);

OPN_API void opn_graph_free(opn_graph *graph); // accepts NULL

// The graph as bytes, with all that belongs to it: names, roles, notes and where it came
// from. A form of its own for keeping a graph for a moment, or sending it to another
// process with the same version of the library; opn_graph_save() writes files to keep.
// `data` is borrowed for the call.
// Errors: FORMAT (of the bytes; the message says what), NOMEM.
OPN_API OPN_NODISCARD opn_status opn_graph_write(opn_ctx *ctx,
                                                 const opn_graph *graph,
                                                 opn_bytes **out);
OPN_API OPN_NODISCARD opn_status opn_graph_read(opn_ctx *ctx,
                                                const void *data,
                                                size_t n_bytes,
                                                opn_graph **out);

// ---- graphs in memory ----------------------------------------------------------------

// An undirected graph from a list of edges, each in one direction or both. Nodes have no
// features and no labels until they are set. All arrays are copied.
//
// source, target  [n_edges] each in [0, n_nodes)
// weight          [n_edges] above 0 and finite, or NULL for 1
//
// Errors: INVALID_ARG (the message names the edge), NOMEM. Cost: O(V + E).
OPN_API OPN_NODISCARD opn_status opn_graph_create_edges(opn_ctx *ctx,
                                                        opn_vid n_nodes,
                                                        opn_off n_edges,
                                                        const opn_vid *source,
                                                        const opn_vid *target,
                                                        const float *weight,
                                                        opn_graph **out);

// The same from an adjacency matrix in CSR form: row_ptr [n_nodes + 1], col_idx
// [row_ptr[n_nodes]].
OPN_API OPN_NODISCARD opn_status opn_graph_create_csr(opn_ctx *ctx,
                                                      opn_vid n_nodes,
                                                      const opn_off *row_ptr,
                                                      const opn_vid *col_idx,
                                                      const float *weight,
                                                      opn_graph **out);

// A copy whose parts may be set. Cost: O(V + E + entries of the features).
OPN_API OPN_NODISCARD opn_status opn_graph_copy(opn_ctx *ctx,
                                                const opn_graph *graph,
                                                opn_graph **out);

// The functions below set a part of a graph and replace what was there. Errors of all:
// INVALID_ARG (also where the graph was loaded), NOMEM.

// Features [V, n_features], as a dense row-major matrix or as CSR (value NULL for 1).
// They are kept in whichever of the two forms takes less memory.
// Errors: INVALID_ARG (a value that is not finite, a column out of range, decreasing
// offsets), NOMEM.
OPN_API OPN_NODISCARD opn_status opn_graph_set_features(opn_ctx *ctx,
                                                        opn_graph *graph,
                                                        int32_t n_features,
                                                        const float *value);
OPN_API OPN_NODISCARD opn_status opn_graph_set_features_csr(opn_ctx *ctx,
                                                            opn_graph *graph,
                                                            int32_t n_features,
                                                            const opn_off *row_ptr,
                                                            const int32_t *col_idx,
                                                            const float *value);

// The dense matrix of the caller without a copy: the graph and what is made from it refer
// to `value`, which must not change, until release(user) is called. That happens once for
// each call that succeeds, on whichever thread frees the last of them, or before the call
// returns if most values are 0 and the graph keeps a smaller form of its own.
typedef void opn_release_fn(void *user);
OPN_API OPN_NODISCARD opn_status opn_graph_lend_features(opn_ctx *ctx,
                                                         opn_graph *graph,
                                                         int32_t n_features,
                                                         const float *value,
                                                         opn_release_fn *release,
                                                         void *user);

// Labels [V] in [0, n_classes), or -1 where unlabelled. Names of classes and roles, which
// belong to the labels before, are dropped, and the copy of a dataset known by name is
// own data from then on.
OPN_API OPN_NODISCARD opn_status opn_graph_set_labels(opn_ctx *ctx,
                                                      opn_graph *graph,
                                                      int32_t n_classes,
                                                      const int32_t *label);

// A split that comes with the graph: role [V] of the values of opn_role in split.h.
// Labels must be set first. Errors: INVALID_ARG (no such role, or an unlabelled node
// for training or validation), NOMEM.
OPN_API OPN_NODISCARD opn_status opn_graph_set_roles(opn_ctx *ctx,
                                                     opn_graph *graph,
                                                     const uint8_t *role);

// Names of the nodes [V], of the classes [K], of the features [F] and of the graph
// itself: UTF-8, copied. NULL for the names takes them away; the classes and features
// they are for must be set first. Errors: INVALID_ARG (not UTF-8, or two classes or two
// features of one name; the message says which), NOMEM.
OPN_API OPN_NODISCARD opn_status opn_graph_set_node_names(opn_ctx *ctx,
                                                          opn_graph *graph,
                                                          const char *const *name);
OPN_API OPN_NODISCARD opn_status opn_graph_set_class_names(opn_ctx *ctx,
                                                           opn_graph *graph,
                                                           const char *const *name);
OPN_API OPN_NODISCARD opn_status opn_graph_set_feature_names(opn_ctx *ctx,
                                                             opn_graph *graph,
                                                             const char *const *name);
OPN_API OPN_NODISCARD opn_status opn_graph_set_name(opn_ctx *ctx,
                                                    opn_graph *graph,
                                                    const char *name);

// ---- preprocessing -------------------------------------------------------------------

// Steps of opn_graph_prepare(), applied in this order.
enum {
    OPN_STEP_UNDIRECTED = 1 << 0,        // symmetric, no duplicates, no self-loops
    OPN_STEP_LARGEST_COMPONENT = 1 << 1, // other nodes are dropped; implies UNDIRECTED
    OPN_STEP_BINARY_FEATURES = 1 << 2,   // every stored value becomes 1
    OPN_STEP_ROW_NORMALISE = 1 << 3, // absolute values of each node's features sum to 1
    OPN_STEP_STANDARDISE = 1 << 4    // each feature has mean 0 and variance 1
};

// The steps that training applies to this graph: UNDIRECTED for own data (no node is ever
// dropped), and what the paper does for the datasets known by name.
OPN_API uint32_t opn_graph_usual_steps(const opn_graph *graph);

// Parses "undirected,largest-component"; "none" and "" mean no steps. Errors:
// INVALID_ARG (not a step).
OPN_API OPN_NODISCARD opn_status opn_steps_parse(opn_ctx *ctx,
                                                 const char *text,
                                                 uint32_t *steps);

// The steps that the parameters raw and steps call for; where neither is given, those
// that training applies, or under the protocols gnnsafe and gpn those of their authors.
// Errors: those of opn_steps_parse().
OPN_API OPN_NODISCARD opn_status opn_steps_from_params(opn_ctx *ctx,
                                                       const opn_graph *graph,
                                                       const opn_params *params,
                                                       uint32_t *steps);

// A new graph with the steps applied. If an edge occurs more than once, or in both
// directions, its largest weight is kept. Errors: INVALID_ARG (unknown step), NONFINITE
// (a feature whose variance overflows), OVERFLOW and NOMEM (STANDARDISE makes features
// dense).
OPN_API OPN_NODISCARD opn_status opn_graph_prepare(opn_ctx *ctx,
                                                   const opn_graph *graph,
                                                   uint32_t steps,
                                                   opn_graph **out);

// Loads a graph as training sees it: with opn_graph_load_params(), and the steps of
// opn_steps_from_params() applied.
// Errors: those of the two and of opn_graph_prepare().
OPN_API OPN_NODISCARD opn_status opn_graph_load_prepared(opn_ctx *ctx,
                                                         const char *data,
                                                         const opn_params *params,
                                                         opn_graph **out);

// ---- shifts --------------------------------------------------------------------------

// How a graph can differ from the one a model was trained on (GNNSafe, Wu et al. 2023).
// Nodes, labels and names stay.
typedef enum opn_shift {
    OPN_SHIFT_STRUCTURE = 0, // other edges: a block model of K blocks of consecutive
                             // nodes, 1.5 times as dense as the graph within blocks and
                             // half as dense between them
    OPN_SHIFT_FEATURE = 1    // each node has w x_a + (1 - w) x_b, of two random nodes and
                             // with a random weight
} opn_shift;

// A new graph with one shift. Features are mixed as they are, so scale them first (as
// with OPN_STEP_ROW_NORMALISE); a model that scales the rows of its features does not
// scale mixed ones again. The graph must be undirected. Errors: SHAPE (it is directed, or
// has no features to mix), INVALID_ARG (no such shift), NOMEM. Cost: O(V + E) and
// O(V + feature entries).
OPN_API OPN_NODISCARD opn_status opn_graph_shift(opn_ctx *ctx,
                                                 const opn_graph *graph,
                                                 opn_shift shift,
                                                 uint64_t seed,
                                                 opn_graph **out);

// ---- looking at a graph --------------------------------------------------------------

// What opn_graph_describe() counts.
typedef struct opn_graph_info {
    int32_t n_nodes;
    int64_t n_edges; // undirected: each pair once; as in the file: each stored entry
    int32_t n_features;
    int64_t n_feature_entries; // stored, non-zero
    int32_t n_classes;
    int32_t n_unlabelled;
    int32_t n_isolated;   // nodes with no neighbour but perhaps themselves
    int32_t n_components; // connected when directions are ignored
    int32_t largest_component;
    int64_t n_self_loops;           // 0 in an undirected graph
    int64_t n_repeated;             // entries that repeat an edge in the same direction
    int32_t min_degree, max_degree; // over the neighbours stored
    int32_t median_degree;          // the lower of two
    double mean_degree;
    double homophily; // share of edges between labelled nodes that join one class; NaN
                      // where there is no such edge. Self-loops do not count
    int is_undirected;
    int is_weighted;
    int64_t n_labelled_edges;  // those that homophily is about, counted like n_edges
    double adjusted_homophily; // 0 where edges ignore classes, 1 where they never leave
                               // one: (h - c) / (1 - c), where c is the homophily that
                               // the classes' degrees give by chance (Platonov et al.
                               // 2022); NaN unless such edges touch two classes
    int32_t n_empty_classes;   // without a labelled node
} opn_graph_info;

// Cost: O(V + E + K) time and O(V + K) memory.
OPN_API OPN_NODISCARD opn_status opn_graph_describe(opn_ctx *ctx,
                                                    const opn_graph *graph,
                                                    opn_graph_info *info);

// SHA-256 of nodes, edges, weights, features and labels, not of names: the same for the
// same data in any file form. `text` receives 64 digits and a NUL.
OPN_API OPN_NODISCARD opn_status opn_graph_hash(opn_ctx *ctx,
                                                const opn_graph *graph,
                                                char text[65]);

// Where it was loaded from: the absolute path of a user's own data, the name of a
// dataset, or "" for standard input and for graphs made in memory.
OPN_API const char *opn_graph_source(const opn_graph *graph);

// How its files were read, where that is not obvious: one sentence per note.
OPN_API int64_t opn_graph_note_count(const opn_graph *graph);
OPN_API const char *opn_graph_note(const opn_graph *graph, int64_t i);

OPN_API const char *opn_graph_name(const opn_graph *graph);
OPN_API opn_vid opn_graph_n_nodes(const opn_graph *graph);
OPN_API opn_off opn_graph_n_entries(const opn_graph *graph); // stored neighbours
OPN_API int32_t opn_graph_n_features(const opn_graph *graph);
OPN_API int32_t opn_graph_n_classes(const opn_graph *graph);

// Neighbours in CSR form, owned by the graph.
OPN_API const opn_off *opn_graph_row_ptr(const opn_graph *graph); // [V + 1]
OPN_API const opn_vid *opn_graph_col_idx(const opn_graph *graph); // [entries]

// Writes the weight of each stored neighbour to weight [entries], in the order of
// opn_graph_col_idx(); 1 where edges have none. Returns whether they have.
OPN_API int opn_graph_weights(const opn_graph *graph, float *weight);

// Features that are not 0, and all of them as a dense row-major matrix, which is written
// to value [V,F].
OPN_API opn_off opn_graph_n_feature_entries(const opn_graph *graph);
OPN_API void opn_graph_features(const opn_graph *graph, float *value);

// The same in CSR form without zeros, written to row_ptr [V + 1], col_idx [entries] and
// value [entries].
OPN_API void opn_graph_features_csr(const opn_graph *graph,
                                    opn_off *row_ptr,
                                    int32_t *col_idx,
                                    float *value);

// The roles [V] of the split that came with the graph or was set, values of opn_role in
// split.h; NULL without one.
OPN_API const uint8_t *opn_graph_roles(const opn_graph *graph);

// Labels [V], -1 where unlabelled, owned by the graph.
OPN_API const int32_t *opn_graph_labels(const opn_graph *graph);

// Writes the number of labelled nodes of each class to size [K].
OPN_API void opn_graph_class_sizes(const opn_graph *graph, int32_t *size);

// Whether nodes, classes or features have names; else they are only numbered.
OPN_API int opn_graph_has_node_names(const opn_graph *graph);
OPN_API int opn_graph_has_class_names(const opn_graph *graph);
OPN_API int opn_graph_has_feature_names(const opn_graph *graph);

// Names; a node, class or feature without one is called by its number, which is written
// to `number` (room for 12 bytes) and returned.
OPN_API const char *
opn_graph_node_name(const opn_graph *graph, opn_vid i, char number[12]);
OPN_API const char *
opn_graph_class_name(const opn_graph *graph, int32_t k, char number[12]);
OPN_API const char *
opn_graph_feature_name(const opn_graph *graph, int32_t k, char number[12]);

// ---- values of nodes ----------------------------------------------------------------

// How values spread over a graph: x <- t x0 + (1 - t) D^-1 A x, without self-loops.
typedef struct opn_diffusion {
    int64_t n_steps; // 0 or more
    double teleport; // t, in [0, 1]: how much of x0 every step keeps
    // What the neighbours of a node without any are taken to have; NaN: its own value,
    // so that it keeps it.
    double missing;
    int is_lazy; // 1: t is of the value before the step rather than of x0
} opn_diffusion;

// Diffuses the columns of value [V, n_columns], each on its own; neighbours count by edge
// weight. Errors: SHAPE (the graph is directed), INVALID_ARG, NOMEM, INTERRUPTED (value
// may have changed). Cost: O(n_columns n_steps (V + E)); memory O(V).
OPN_API OPN_NODISCARD opn_status opn_graph_diffuse(opn_ctx *ctx,
                                                   const opn_graph *graph,
                                                   const opn_diffusion *how,
                                                   int32_t n_columns,
                                                   float *value);

#ifdef __cplusplus
}
#endif

#endif // OPINE_GRAPH_H
