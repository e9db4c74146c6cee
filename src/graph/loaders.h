// loaders.h -- one reader for each form of graph file, and one for whatever a user names.

#ifndef OPN_LOADERS_H
#define OPN_LOADERS_H

#include "graph/graph_data.h"
#include "opine/params.h"

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

// Loads `data`, as opn_graph_load() takes it, from the parameter data_dir, and prepares
// it by its usual steps. Errors: those of opn_graph_load() and opn_graph_prepare().
OPN_NODISCARD opn_status opn_i_load_prepared(opn_ctx *ctx,
                                             const char *data,
                                             const opn_params *params,
                                             opn_graph **out);

#endif // OPN_LOADERS_H
