// loaders.h -- one reader for each graph file format.

#ifndef OPN_LOADERS_H
#define OPN_LOADERS_H

#include "graph/graph_data.h"

// Planetoid: `prefix` is the common start of the file names, "planetoid/ind.cora".
OPN_NODISCARD opn_status opn_i_load_planetoid(opn_ctx *ctx,
                                              const char *prefix,
                                              opn_graph **out);

// An npz archive with adjacency or edges, features and labels, under the names that
// npz_members.c lists; or a lone matrix with files beside it.
OPN_NODISCARD opn_status opn_i_load_npz(opn_ctx *ctx, const char *path, opn_graph **out);

// A folder with edges.csv, features.csv, labels.csv and perhaps split.csv; each may be a
// .tsv, and each may be gzipped.
OPN_NODISCARD opn_status opn_i_load_folder(opn_ctx *ctx,
                                           const char *folder,
                                           opn_graph **out);

#endif // OPN_LOADERS_H
