// label_columns.h -- which columns of a table of labels hold the node and its label.

#ifndef OPN_LABEL_COLUMNS_H
#define OPN_LABEL_COLUMNS_H

#include "data/folder_reader.h"

// Sets grid->n_head: 1 if the first row names the columns. Notes a heading that is not
// known by its words.
// Errors: FORMAT (the first row may be a heading or a label).
OPN_NODISCARD opn_status opn_i_find_label_heading(opn_i_folder *folder,
                                                  const char *path,
                                                  opn_i_grid *grid);

typedef struct opn_i_label_columns {
    size_t node; // OPN_NO_COLUMN: rows are the nodes 0, 1, …
    size_t label;
} opn_i_label_columns;

// Sets grid->n_head and the columns, and notes what is not obvious.
// Errors: FORMAT (several columns could be the label), INVALID_ARG (the folder's `label`
// is no column).
OPN_NODISCARD opn_status opn_i_choose_label_columns(opn_i_folder *folder,
                                                    const char *path,
                                                    opn_i_grid *grid,
                                                    opn_i_label_columns *out);

#endif // OPN_LABEL_COLUMNS_H
