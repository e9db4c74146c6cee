// folder_reader.h -- state shared by the readers of a folder's tables.
//
// Tables are files of a folder, files beside one of edges, or held in memory by a loader
// of another format (`given`). Each table goes the same way: its dialect is detected
// (folder_table.c), its columns are named by meaning (folder_words.c) and chosen, with
// the nodes of the edges to decide where several columns could name the node, and then
// its rows are read.

#ifndef OPN_FOLDER_READER_H
#define OPN_FOLDER_READER_H

#include "base/names.h"
#include "base/text.h"
#include "graph/graph_data.h"
#include "io/csv.h"
#include "math/real.h"
#include "tables/folder_words.h"
#include "tables/load_folder.h"

// Files that list a node; the last is indexed by final node number, as roles are.
enum { OPN_IN_LABELS = 1, OPN_IN_FEATURES = 2, OPN_IN_SPLIT = 4 };

#define OPN_NO_COLUMN SIZE_MAX

enum { OPN_FILE_NAME_ROOM = 256 };

typedef struct opn_i_folder {
    opn_ctx *ctx;
    const char *path;    // the folder or file as the caller named it
    char *dir;           // where its files are, NULL for the working folder
    char *stem;          // what their names begin with, or NULL
    char *edge_path;     // the file of the edges, or NULL
    opn_i_names entries; // the files of the folder; none if it cannot be listed
    const opn_i_given_table *given; // the tables, if they are no files; the last unnamed
    opn_graph *graph;               // what is read, and notes about how
    const char *label;              // the column of the labels, or ""

    opn_i_names nodes;   // in order of first appearance
    opn_i_names classes; // likewise
    opn_i_names features;
    int32_t *label_of; // [nodes] class by first appearance, -1 unlabelled
    uint8_t *listed;   // [nodes] OPN_IN_…: the files that list the node
    uint8_t *role_of;  // [nodes] role that the labels file gives, if has_roles
    size_t label_room, listed_room, role_room;
    int32_t *row, *col; // [n_entries] non-zero features
    opn_real *value;    // [n_entries]
    size_t n_entries, row_room, col_room, value_room;
    int32_t *number;          // [nodes] final number of each node
    int32_t *source, *target; // [n_edges] final node numbers
    opn_real *weight;         // [n_edges]
    size_t n_edges, source_room, target_room, weight_room;
    int32_t n_label_rows;     // rows of labels.csv
    bool requires_label;      // it is an error if there is no column `label`
    bool has_classes;         // classes.csv lists all classes
    bool is_numbered;         // node names are the numbers 0 … n-1
    bool has_named_labels;    // labels.csv names its nodes
    bool has_roles;           // labels.csv gives a split
    bool has_node_table;      // with columns, one of which may hold the labels
    bool has_sparse_features; // a node without entries need not be listed
    bool has_places;          // rows of features or labels without names are 0, 1, …
    bool has_label_file;      // there is a labels.csv, or what takes its place
    char edge_file[OPN_FILE_NAME_ROOM];    // as it is called, for messages
    char label_file[OPN_FILE_NAME_ROOM];   // likewise
    char feature_file[OPN_FILE_NAME_ROOM]; // likewise; "" if there is none
    opn_i_names edge_nodes; // nodes of edges.csv, once opn_i_folder_edge_nodes() ran
    bool has_edge_nodes;
    bool is_first_edge_odd; // the first row of edges.csv has two words found nowhere else
} opn_i_folder;

// ---- files (folder_files.c) ----------------------------------------------------------

// Lists the folder at `path` and finds its edges.
// Errors: FORMAT (several files of edges).
OPN_NODISCARD opn_status opn_i_folder_open(opn_i_folder *folder);

// The same for the file of edges at `path` and those beside it.
// Errors: READ (a table of something else).
OPN_NODISCARD opn_status opn_i_edge_list_open(opn_i_folder *folder);

// Path of the file that holds NAME, in upper or lower case: STEM_NAME, STEM-NAME or
// STEM.NAME where files have a stem, else NAME, with one of the suffixes, a
// NULL-terminated list. NULL if there is none.
OPN_NODISCARD opn_status opn_i_folder_find(const opn_i_folder *folder,
                                           const char *name,
                                           const char *const *suffixes,
                                           char **out);

// The same for a .csv, .tsv or .txt, each perhaps gzipped.
OPN_NODISCARD opn_status opn_i_table_find(const opn_i_folder *folder,
                                          const char *name,
                                          char **out);

// ---- tables (folder_table.c) ---------------------------------------------------------

// A table of the folder, and the path used in error messages.
typedef struct opn_i_table {
    char *path;
    opn_i_csv rows;         // only its current row, if there is a grid
    const opn_i_grid *grid; // where the table is in memory
    const bool *hidden;     // [columns] those of the grid to leave out, or NULL
    size_t next_row;        // of the grid
    size_t n_told;          // bytes read when progress was last reported
    bool is_there;
} opn_i_table;

// Opens the table; table->is_there tells whether one was found. Fields are separated by
// commas, semicolons or tabs, as in its first lines, or in a .txt by any blanks; a file
// of one column, `is_list`, only as its name says.
OPN_NODISCARD opn_status opn_i_table_open(const opn_i_folder *folder,
                                          const char *name,
                                          bool is_list,
                                          opn_i_table *table);

// Opens a table in memory, which is borrowed.
OPN_NODISCARD opn_status opn_i_table_open_grid(opn_ctx *ctx,
                                               const char *path,
                                               const opn_i_grid *grid,
                                               const bool *hidden,
                                               opn_i_table *table);
void opn_i_table_close(opn_ctx *ctx, opn_i_table *table);

// Reads the next row, be it an empty line.
OPN_NODISCARD opn_status opn_i_table_next_line(opn_ctx *ctx,
                                               opn_i_table *table,
                                               bool *has_row);

// Reads the next row that is not an empty line; checks that it has n_fields unless that
// is 0.
OPN_NODISCARD opn_status opn_i_table_next(opn_ctx *ctx,
                                          opn_i_table *table,
                                          size_t n_fields,
                                          bool *has_row);

// Whether the row is an empty line.
bool opn_i_row_is_blank(const opn_i_csv *rows);

// Parses a number; where semicolons separate fields, also one with a decimal comma.
bool opn_i_field_number(const opn_i_csv *rows, size_t f, double *out);

// The same for a number that is also finite in single precision.
bool opn_i_is_value(double number);
OPN_NODISCARD opn_status opn_i_field_value(opn_ctx *ctx,
                                           const opn_i_csv *rows,
                                           size_t f,
                                           double *out);

bool opn_i_is_number(const char *text);

// ---- whole tables in memory (folder_grid.c) ------------------------------------------

// Reads all rows. Empty lines are skipped, but are rows of a file of one column if
// `keeps_blank`.
OPN_NODISCARD opn_status opn_i_grid_read(opn_ctx *ctx,
                                         opn_i_table *table,
                                         bool keeps_blank,
                                         opn_i_grid *grid);
void opn_i_grid_deinit(opn_ctx *ctx, opn_i_grid *grid);

// Adds the fields of the current row.
OPN_NODISCARD opn_status opn_i_grid_add_row(opn_ctx *ctx,
                                            const opn_i_csv *rows,
                                            opn_i_grid *grid);

const char *opn_i_grid_cell(const opn_i_grid *grid, size_t row, size_t column);

// The distinct cells of a column below the header.
OPN_NODISCARD opn_status opn_i_grid_distinct(opn_ctx *ctx,
                                             const opn_i_grid *grid,
                                             size_t column,
                                             opn_i_names *out);

// Adds the names that are chosen [n], with quotes where needed: "a, b or c" for `last`
// "or".
void opn_i_list_names(opn_i_text *text,
                      const opn_i_names *names,
                      const bool *chosen,
                      size_t n,
                      const char *last);

// Notes "FILE: " and what is done with columns, named between `before` and `after`; the
// words that follow a plural are `after_many`. Notes nothing if none is chosen.
OPN_NODISCARD opn_status opn_i_note_columns(const opn_i_folder *folder,
                                            const char *path,
                                            const opn_i_names *names,
                                            const bool *chosen,
                                            size_t n,
                                            const char *after,
                                            const char *after_many);

// Notes that the chosen column, if there is one, names the nodes.
OPN_NODISCARD opn_status opn_i_note_node_column(const opn_i_folder *folder,
                                                const char *path,
                                                const opn_i_names *names,
                                                const bool *chosen,
                                                size_t n);

// ---- nodes (folder_nodes.c) ----------------------------------------------------------

// Number of the node with that name; adds the node if it is new. Whoever lists it in the
// features then sets OPN_IN_FEATURES, which may be set twice.
OPN_NODISCARD opn_status opn_i_declare_node(opn_i_folder *folder,
                                            const char *text,
                                            size_t n_chars,
                                            int32_t *node);

// The same for the node at a place in a file that names none.
OPN_NODISCARD opn_status opn_i_declare_place(opn_i_folder *folder,
                                             size_t place,
                                             int32_t *node);

// Records that the file `flag` lists the node; listing it twice is an error.
OPN_NODISCARD opn_status opn_i_list_once(
        opn_i_folder *folder, const char *path, size_t line, int32_t node, uint8_t flag);

// Fails if two files write the number of a node in different ways, as 7 and 7.0, which
// would make two nodes of it.
OPN_NODISCARD opn_status opn_i_folder_check_spelling(const opn_i_folder *folder);

// Final number of the node of that name; once nodes are numbered. -1 if there is none.
int32_t opn_i_find_node(const opn_i_folder *folder, const char *text, size_t n_chars);

// The same where there must be one.
OPN_NODISCARD opn_status opn_i_require_node(const opn_i_folder *folder,
                                            const char *path,
                                            size_t line,
                                            const char *text,
                                            int32_t *node);

// Whether all nodes known so far, those of the labels and of the edges, are among the
// values, interned in `values`; false if none is known.
OPN_NODISCARD opn_status opn_i_holds_nodes(opn_i_folder *folder,
                                           const opn_i_names *values,
                                           bool *out);

// How many nodes of the edges are among the values of a column, interned in `values`.
int64_t opn_i_count_edge_nodes(const opn_i_folder *folder, const opn_i_names *values);

// ---- the files -----------------------------------------------------------------------

// Reads classes.csv: fills classes.
OPN_NODISCARD opn_status opn_i_folder_read_classes(opn_i_folder *folder);

// Reads labels.csv: declares nodes and fills label_of and classes.
OPN_NODISCARD opn_status opn_i_folder_read_labels(opn_i_folder *folder);

// Opens labels.csv, or the file that takes its place: target.csv and so on.
OPN_NODISCARD opn_status opn_i_labels_open(const opn_i_folder *folder,
                                           opn_i_table *table);

// Reads features.csv or features.json: declares nodes and fills features and entries.
// Without either, the nodes of the edges are declared.
OPN_NODISCARD opn_status opn_i_folder_read_features(opn_i_folder *folder);

// Reads a table of features with one row per node, whose first row has been read. *node
// receives the node of each row and is the caller's to free.
OPN_NODISCARD opn_status opn_i_folder_read_dense(opn_i_folder *folder,
                                                 opn_i_table *table,
                                                 int32_t **node);

// Whether there is a features.csv or features.json.
OPN_NODISCARD opn_status opn_i_folder_has_features(const opn_i_folder *folder, bool *out);

// Notes that nodes have no features.
OPN_NODISCARD opn_status opn_i_note_no_features(const opn_i_folder *folder);

// Reads nodes.csv, a table of features which may also hold labels and roles, where no
// other file has the features.
OPN_NODISCARD opn_status opn_i_folder_read_nodes(opn_i_folder *folder,
                                                 opn_i_table *table);
OPN_NODISCARD opn_status opn_i_folder_read_json(opn_i_folder *folder, const char *path);

// Whether a first row has the numbers of its columns, 0, 1, 2 and so on, as pandas writes
// them over values without names, perhaps after the empty name of an index.
bool opn_i_numbers_columns(const opn_i_csv *rows);

// Counts the rows of a features.csv with one row per node, before it is read; 0 if there
// is none.
OPN_NODISCARD opn_status opn_i_folder_count_rows(const opn_i_folder *folder, size_t *out);

// Notes if labels and features, or edges where there are none, number the nodes from 0
// and from 1, or else if features lack nodes that have labels; once these are read.
OPN_NODISCARD opn_status opn_i_folder_note_ranges(opn_i_folder *folder);

// Notes if edges may number the nodes from 1 where rows without names are 0, 1, …; once
// edges are read.
OPN_NODISCARD opn_status opn_i_folder_note_first_node(const opn_i_folder *folder);

// Adds an entry unless it is 0.
OPN_NODISCARD opn_status opn_i_put_entry(opn_i_folder *folder,
                                         int32_t i,
                                         int32_t k,
                                         double value);

// Fills edge_nodes, in order of appearance, unless that has been done.
OPN_NODISCARD opn_status opn_i_folder_edge_nodes(opn_i_folder *folder);

// Reads edges.csv, once nodes are numbered: fills source, target and weight.
OPN_NODISCARD opn_status opn_i_folder_read_edges(opn_i_folder *folder);

// Fails unless a node of that role may have that label, -1 for none.
OPN_NODISCARD opn_status opn_i_check_role(const opn_i_folder *folder,
                                          const char *path,
                                          size_t line,
                                          const char *node,
                                          uint8_t role,
                                          int32_t label);

// Reads split.csv, or else takes the roles that the labels file gives, once nodes are
// numbered and labelled: fills the roles of the graph.
OPN_NODISCARD opn_status opn_i_folder_read_split(opn_i_folder *folder);

// Notes the tables of the folder that were not read, once all others were.
OPN_NODISCARD opn_status opn_i_folder_note_unused(opn_i_folder *folder);

#endif // OPN_FOLDER_READER_H
