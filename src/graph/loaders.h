// loaders.h -- one reader for each form of graph file.

#ifndef OPN_LOADERS_H
#define OPN_LOADERS_H

#include "graph/graph_data.h"

// Planetoid: `prefix` is the common beginning of the file names, "planetoid/ind.cora".
OPN_NODISCARD opn_status opn_i_load_planetoid(opn_ctx *ctx,
                                              const char *prefix,
                                              opn_graph **out);

// The npz form of the gnn-benchmark collection.
OPN_NODISCARD opn_status opn_i_load_npz(opn_ctx *ctx, const char *path, opn_graph **out);

// A folder with edges.csv, features.csv, labels.csv and perhaps split.csv; each may be a
// .tsv, and gzipped.
OPN_NODISCARD opn_status opn_i_load_folder(opn_ctx *ctx,
                                           const char *folder,
                                           opn_graph **out);

// The last part of a path, for messages and as the name of a graph.
const char *opn_i_base_name(const char *path);

// `folder` "/" `file` `suffix`, or without the slash when folder is NULL. Freed by the
// caller.
OPN_NODISCARD opn_status opn_i_join_path(opn_ctx *ctx,
                                         const char *folder,
                                         const char *file,
                                         const char *suffix,
                                         char **out);

#endif // OPN_LOADERS_H
