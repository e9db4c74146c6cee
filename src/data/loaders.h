// loaders.h -- one reader for each graph file format.

#ifndef OPN_LOADERS_H
#define OPN_LOADERS_H

#include "tables/load_folder.h"

// Planetoid: `prefix` is the common start of the file names, "planetoid/ind.cora".
OPN_NODISCARD opn_status opn_i_load_planetoid(opn_ctx *ctx,
                                              const char *prefix,
                                              opn_graph **out);

// An npz archive with adjacency or edges, features and labels, under the names that
// npz_members.c lists; or a lone matrix with files beside it.
OPN_NODISCARD opn_status opn_i_load_npz(opn_ctx *ctx, const char *path, opn_graph **out);

// GraphML: nodes with attributes, which become features, labels and roles, and edges.
OPN_NODISCARD opn_status opn_i_load_graphml(opn_ctx *ctx,
                                            const char *path,
                                            const opn_i_load_options *options,
                                            opn_graph **out);

// IDX: images, with labels and perhaps the images of a test set in files beside them.
OPN_NODISCARD opn_status opn_i_load_idx(opn_ctx *ctx, const char *path, opn_graph **out);

// Whether the name of a file says that it is IDX, "train-images-idx3-ubyte.gz".
bool opn_i_path_is_idx(const char *path);

// The images in a folder; NULL if there are none. Freed by the caller.
OPN_NODISCARD opn_status opn_i_folder_images(opn_ctx *ctx,
                                             const char *folder,
                                             char **out);

// The dataset of that name, or NULL.
const opn_dataset *opn_i_dataset_called(const char *name);

// An untouched folder of the Open Graph Benchmark for nodes, with raw/edge.csv.gz.
OPN_NODISCARD opn_status opn_i_is_ogb(opn_ctx *ctx, const char *path, bool *found);
OPN_NODISCARD opn_status opn_i_load_ogb(opn_ctx *ctx, const char *path, opn_graph **out);

// A folder that opn_graph_save_shards() wrote.
OPN_NODISCARD opn_status opn_i_is_shards(opn_ctx *ctx, const char *path, bool *found);
OPN_NODISCARD opn_status opn_i_load_shards(opn_ctx *ctx,
                                           const char *path,
                                           opn_graph **out);

// opn_graph_load() with options.
OPN_NODISCARD opn_status opn_i_graph_load(opn_ctx *ctx,
                                          const char *data,
                                          const opn_i_load_options *options,
                                          opn_graph **out);

// opn_graph_load_prepared(), but with the labels in the column `label` unless `params`
// name one; not an error if the data have no such column.
OPN_NODISCARD opn_status opn_i_graph_load_labelled(opn_ctx *ctx,
                                                   const char *data,
                                                   const opn_params *params,
                                                   const char *label,
                                                   opn_graph **out);

#endif // OPN_LOADERS_H
