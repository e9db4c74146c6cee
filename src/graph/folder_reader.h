// folder_reader.h -- state shared by the readers of a folder's tables.

#ifndef OPN_FOLDER_READER_H
#define OPN_FOLDER_READER_H

#include "base/names.h"
#include "io/csv.h"
#include "math/real.h"

// Files that list a node; the last is indexed by final node number, as roles are.
enum { OPN_IN_LABELS = 1, OPN_IN_FEATURES = 2, OPN_IN_SPLIT = 4 };

typedef struct opn_i_folder {
    opn_ctx *ctx;
    const char *path;
    opn_i_names nodes;   // in order of first appearance
    opn_i_names classes; // likewise
    bool has_classes;    // classes.csv lists all classes
    opn_i_names features;
    int32_t *label;  // [nodes] class by first appearance, -1 unlabelled
    uint8_t *listed; // [nodes] OPN_IN_…: the files that list the node
    size_t label_room, listed_room;
    int32_t *row, *col; // [n_entries] non-zero features
    opn_real *value;    // [n_entries]
    size_t n_entries, row_room, col_room, value_room;
    int32_t *number;          // [nodes] final number of each node
    bool is_numbered;         // node names are the numbers 0 … n-1
    int32_t *source, *target; // [n_edges] final node numbers
    opn_real *weight;         // [n_edges]
    size_t n_edges, source_room, target_room, weight_room;
    bool is_weighted;
    int32_t n_label_rows;  // rows of labels.csv
    bool has_named_labels; // labels.csv names its nodes
} opn_i_folder;

// A table of the folder, and the path used in error messages.
typedef struct opn_i_table {
    char *path;
    opn_i_csv rows;
    bool is_there;
} opn_i_table;

// Opens NAME.csv, NAME.tsv or either of them gzipped; table->is_there tells whether one
// was found.
OPN_NODISCARD opn_status opn_i_table_open(opn_i_folder *folder,
                                          const char *name,
                                          opn_i_table *table);
void opn_i_table_close(opn_ctx *ctx, opn_i_table *table);

// Reads the next row that is not an empty line; checks that it has n_fields unless that
// is 0.
OPN_NODISCARD opn_status opn_i_table_next(opn_ctx *ctx,
                                          opn_i_table *table,
                                          size_t n_fields,
                                          bool *has_row);

// Whether the row is an empty line.
bool opn_i_row_is_blank(const opn_i_csv *rows);

// Whether the field is one of the words, a NULL-terminated list, in upper or lower case.
bool opn_i_field_is(const opn_i_csv_field *field, const char *const *words);

// Header names of the node column.
extern const char *const opn_i_node_words[];

// Parses a number that is also finite in single precision.
OPN_NODISCARD opn_status opn_i_field_value(opn_ctx *ctx,
                                           const opn_i_csv *rows,
                                           size_t f,
                                           double *out);

// Reads classes.csv: fills classes.
OPN_NODISCARD opn_status opn_i_folder_read_classes(opn_i_folder *folder);

// Reads labels.csv: declares nodes and fills label and classes.
OPN_NODISCARD opn_status opn_i_folder_read_labels(opn_i_folder *folder);

// Reads features.csv: declares nodes and fills features and entries.
OPN_NODISCARD opn_status opn_i_folder_read_features(opn_i_folder *folder);

#endif // OPN_FOLDER_READER_H
