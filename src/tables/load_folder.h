// load_folder.h -- a graph from tables: those of a folder, a file of edges and what is
// beside it, or tables that another reader holds in memory.

#ifndef OPN_LOAD_FOLDER_H
#define OPN_LOAD_FOLDER_H

#include "graph/graph_data.h"

// What a caller may say about the files beside their path.
typedef struct opn_i_load_options {
    const char *data_dir; // where named datasets are looked for first; NULL for nowhere
    const char *label;    // the column of the labels in tables, or ""
    bool requires_label;  // whether it is an error if the data have no such column
} opn_i_load_options;

// A folder with edges.csv, features.csv or .json, labels.csv and perhaps split.csv; each
// table may be a .tsv, and each file may be gzipped.
OPN_NODISCARD opn_status opn_i_load_folder(opn_ctx *ctx,
                                           const char *folder,
                                           const opn_i_load_options *options,
                                           opn_graph **out);

// A list of edges in a .csv, .tsv, .txt, .edgelist, .edges or .el, perhaps gzipped, and
// the other tables beside it: STEM_features.csv, STEM.labels.txt, labels.csv and so on.
OPN_NODISCARD opn_status opn_i_load_edge_list(opn_ctx *ctx,
                                              const char *path,
                                              const opn_i_load_options *options,
                                              opn_graph **out);

// Whether the name of a file is that of such a list.
bool opn_i_path_is_edge_list(const char *path);

// Whether a path has that suffix, in upper or lower case, perhaps with .gz behind it.
bool opn_i_path_has_suffix(const char *path, const char *suffix);

// A whole table in memory.
typedef struct opn_i_grid {
    opn_i_names cells; // row by row; those of row 0 come first
    size_t *line;      // [n_rows] where each row begins in its file
    size_t n_rows, n_columns, line_room;
    size_t n_head; // 1 if row 0 is a header, else 0
} opn_i_grid;

typedef struct opn_i_given_table {
    const char *name; // "edges" or "nodes"
    const opn_i_grid *grid;
} opn_i_given_table;

// Tables that were read from the file at `path`; the last of the list has no name.
OPN_NODISCARD opn_status opn_i_load_tables(opn_ctx *ctx,
                                           const char *path,
                                           const opn_i_given_table *tables,
                                           const opn_i_load_options *options,
                                           opn_graph **out);

#endif // OPN_LOAD_FOLDER_H
