// load_folder.h -- a graph from a folder of tables.

#ifndef OPN_LOAD_FOLDER_H
#define OPN_LOAD_FOLDER_H

#include "graph/graph_data.h"

// What a caller may say about the files beside their path.
typedef struct opn_i_load_options {
    const char *data_dir; // where named datasets are looked for first; NULL for nowhere
    const char *label;    // the column of the labels in a folder of tables, or ""
    bool requires_label;  // whether it is an error if the data have no such column
} opn_i_load_options;

// A folder with edges.csv, features.csv or .json, labels.csv and perhaps split.csv; each
// table may be a .tsv, and each file may be gzipped.
OPN_NODISCARD opn_status opn_i_load_folder(opn_ctx *ctx,
                                           const char *folder,
                                           const opn_i_load_options *options,
                                           opn_graph **out);

#endif // OPN_LOAD_FOLDER_H
