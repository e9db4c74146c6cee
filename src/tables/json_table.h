// json_table.h -- tables of features that pandas writes as JSON: a list of rows, or an
// object of columns.

#ifndef OPN_JSON_TABLE_H
#define OPN_JSON_TABLE_H

#include "tables/folder_reader.h"

#include <jansson.h>

enum { OPN_JSON_NAME_ROOM = 256 };

typedef struct opn_i_json_table {
    const char *id;     // the member of each row that names its node, or NULL; borrowed
    bool is_by_columns; // an object of columns, in each of which nodes have values
} opn_i_json_table;

// Sees what a document is: neither, if nodes name its members or it has no objects. Notes
// what is not obvious.
// Errors: FORMAT (a table in a form that names no nodes).
OPN_NODISCARD opn_status opn_i_json_find_table(opn_i_folder *folder,
                                               const char *path,
                                               json_t *document,
                                               opn_i_json_table *out);

// The name of the row's node, in `room` or borrowed; NULL if rows have none.
const char *opn_i_json_id(const opn_i_json_table *table,
                          const json_t *row,
                          char room[OPN_JSON_NAME_ROOM]);

#endif // OPN_JSON_TABLE_H
