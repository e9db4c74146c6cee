// label_columns.h -- which columns of a table of labels hold the node and its label.

#ifndef OPN_LABEL_COLUMNS_H
#define OPN_LABEL_COLUMNS_H

#include "tables/folder_reader.h"

// Sets grid->n_head: 1 if the first row names the columns. Notes a heading that is not
// known by its words.
// Errors: FORMAT (the first row may be a heading or a label).
OPN_NODISCARD opn_status opn_i_find_label_heading(opn_i_folder *folder,
                                                  const char *path,
                                                  opn_i_grid *grid);

// Columns that hold a split; OPN_NO_COLUMN for those that are not there.
typedef struct opn_i_role_columns {
    size_t role;    // names the role of each node
    size_t mask[4]; // else: whether it is used to train, validate, calibrate or test
} opn_i_role_columns;

extern const opn_i_role_columns opn_i_no_roles;

// Finds them by names and values; none if they do not say which nodes train.
void opn_i_find_role_columns(const opn_i_grid *grid, opn_i_role_columns *out);

bool opn_i_is_role_column(const opn_i_role_columns *columns, size_t column);

// The role of the node in that row; OPN_ROLE_POOL if none is given.
// Errors: FORMAT (masks overlap).
OPN_NODISCARD opn_status opn_i_read_row_role(opn_ctx *ctx,
                                             const char *path,
                                             const opn_i_grid *grid,
                                             const opn_i_role_columns *columns,
                                             size_t row,
                                             uint8_t *role);

typedef struct opn_i_label_columns {
    size_t node; // OPN_NO_COLUMN: rows are the nodes 0, 1, …
    size_t label;
    opn_i_role_columns roles;
} opn_i_label_columns;

// Sets grid->n_head and the columns, and notes what is not obvious.
// Errors: FORMAT (several columns could be the label), INVALID_ARG (the folder's `label`
// is no column).
OPN_NODISCARD opn_status opn_i_choose_label_columns(opn_i_folder *folder,
                                                    const char *path,
                                                    opn_i_grid *grid,
                                                    opn_i_label_columns *out);

// The same for a table of nodes, in which columns are features unless their names say
// otherwise: label and roles, each OPN_NO_COLUMN if there is none. The node is not looked
// for. grid->n_head is set.
OPN_NODISCARD opn_status opn_i_choose_node_columns(opn_i_folder *folder,
                                                   const char *path,
                                                   const opn_i_grid *grid,
                                                   opn_i_label_columns *out);

// Reads labels and roles of a table of nodes; node [rows] is the node of each row below
// the header.
OPN_NODISCARD opn_status opn_i_read_node_labels(opn_i_folder *folder,
                                                const char *path,
                                                const opn_i_grid *grid,
                                                const opn_i_label_columns *columns,
                                                const int32_t *node);

#endif // OPN_LABEL_COLUMNS_H
