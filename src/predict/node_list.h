// node_list.h -- writes lists of nodes as CSV and JSON files.

#ifndef OPN_NODE_LIST_H
#define OPN_NODE_LIST_H

#include "graph/graph_data.h"

// One field of a row: the text if there is one, else the number, which is NaN if there
// is none.
typedef struct opn_i_list_field {
    const char *text;
    double number;
} opn_i_list_field;

typedef struct opn_i_node_list {
    const opn_graph *graph;
    const void *rows; // what `field` reads
    int32_t n_rows;
    int n_columns;
    const char *const *column; // their names
    // A name that is a number is written to `room`.
    opn_i_list_field (*field)(const struct opn_i_node_list *list,
                              int32_t row,
                              int column,
                              char room[12]);
} opn_i_node_list;

// The class as a field; none for -1.
opn_i_list_field opn_i_list_class(const opn_graph *graph, int32_t k, char room[12]);

// A path that ends in .json gives a list of objects, any other a CSV table; "-" is CSV
// and "-.json" JSON on standard output. Errors: WRITE, NOMEM.
OPN_NODISCARD opn_status opn_i_node_list_save(opn_ctx *ctx,
                                              const opn_i_node_list *list,
                                              const char *path);

#endif // OPN_NODE_LIST_H
