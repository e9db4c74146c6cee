// dense_nodes.c -- which column of a table of features names the nodes: by its name, or
// by what it holds.

#include "tables/dense_reader.h"

#include <string.h>

// ---- by name -------------------------------------------------------------------------

static int node_rank(const opn_i_dense_reader *d, size_t f)
{
    return opn_i_node_rank(opn_i_names_at(&d->head, (int64_t)f), f == 0);
}

// How many nodes of the edges are numbers of rows.
static int64_t count_places(const opn_i_dense_reader *d)
{
    int64_t n_found = 0;
    for (int64_t i = 0; i < d->folder->edge_nodes.n; i++) {
        const char *name = opn_i_names_at(&d->folder->edge_nodes, i);
        const opn_i_csv_field field = {.text = name, .n_chars = strlen(name)};
        int64_t place = 0;
        n_found += opn_i_csv_int(&field, 0, (int64_t)d->n_rows - 1, &place);
    }
    return n_found;
}

// Of the columns that may name the nodes, the one that has the most nodes of the edges;
// among equals the one whose name says it best. Rows may be the nodes 0, 1, … instead,
// where no column comes first and says node.
static opn_status find_node_by_values(opn_i_dense_reader *d)
{
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_folder_edge_nodes(d->folder));
    int64_t most = -1;
    for (size_t f = 0; f < d->n_columns; f++) {
        const opn_i_dense_column *column = &d->column[f];
        // What only may be an id, and is not unique, is none.
        if (!column->may_be_node ||
            (column->twice_line > 0 && node_rank(d, f) >= OPN_PERHAPS_NODE))
            continue;
        const int64_t n_found = opn_i_count_edge_nodes(d->folder, &column->words);
        if (n_found > most ||
            (n_found == most && node_rank(d, f) < node_rank(d, d->node))) {
            most = n_found;
            d->node = f;
        }
    }
    if (node_rank(d, 0) >= 0 && count_places(d) > most)
        d->node = OPN_NO_COLUMN;
cleanup:
    return status;
}

static opn_status find_node_by_name(opn_i_dense_reader *d, bool *is_noted)
{
    size_t n_candidates = 0;
    for (size_t f = 0; f < d->n_columns; f++)
        n_candidates += d->column[f].may_be_node;
    *is_noted = false;
    if (n_candidates == 0)
        return OPN_OK;
    if (n_candidates == 1 && d->column[0].may_be_node && node_rank(d, 0) < 0) {
        d->node = 0;
        return OPN_OK;
    }
    const opn_status status = find_node_by_values(d);
    *is_noted =
            n_candidates > 1 && d->node != OPN_NO_COLUMN && node_rank(d, d->node) >= 0;
    return status;
}

// ---- by contents ---------------------------------------------------------------------

enum { MIN_ROWS = 3 }; // of two nodes, any column of 0 and 1 would seem to hold them

// Under an unknown name, a column that holds all nodes names them: the first one, or else
// the only one. chosen [columns] is scratch.
static opn_status find_node_by_ids(opn_i_dense_reader *d, bool *chosen)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = d->folder->ctx;
    opn_i_text list = {.ctx = ctx};
    size_t n_found = 0;
    for (size_t f = 0; f < d->n_columns && !(n_found == 1 && d->node == 0); f++) {
        chosen[f] = false;
        if (d->column[f].may_be_ids)
            OPN_TRY(opn_i_holds_nodes(d->folder, &d->column[f].ids, &chosen[f]));
        d->node = chosen[f] ? f : d->node;
        n_found += chosen[f];
    }
    if (n_found < 2)
        goto cleanup;
    opn_i_list_names(&list, &d->head, chosen, d->n_columns, "and");
    OPN_TRY(list.status);
    OPN_FAIL_IF(ctx, true, OPN_ERR_FORMAT,
                "%s:%zu: columns %s hold the nodes; call the one that names them node",
                d->table->path, d->head_line, opn_i_text_chars(&list));
cleanup:
    opn_i_text_free(&list);
    return status;
}

// Finds the column and says how, unless its name says it already.
static opn_status find_node(opn_i_dense_reader *d)
{
    opn_status status = OPN_OK;
    bool *chosen = NULL;
    bool is_noted = false;
    d->node = OPN_NO_COLUMN;
    OPN_TRY_NEW(d->folder->ctx, chosen, d->n_columns);
    OPN_TRY(find_node_by_name(d, &is_noted));
    if (d->node == OPN_NO_COLUMN && d->n_rows >= MIN_ROWS) {
        OPN_TRY(find_node_by_ids(d, chosen));
        is_noted = d->node != OPN_NO_COLUMN;
    }
    OPN_FAIL_IF(d->folder->ctx, d->node == OPN_NO_COLUMN && d->column[0].is_index,
                OPN_ERR_FORMAT,
                "%s:%zu: the first column has no name; call it node if it holds the "
                "nodes, else leave it out",
                d->table->path, d->head_line);
    for (size_t f = 0; f < d->n_columns; f++)
        chosen[f] = is_noted && f == d->node;
    OPN_TRY(opn_i_note_node_column(d->folder, d->table->path, &d->head, chosen,
                                   d->n_columns));
    if (d->node == OPN_NO_COLUMN && d->has_header && d->n_rows > 0)
        OPN_TRY(opn_i_graph_note(d->folder->ctx, d->folder->graph,
                                 "%s: no column names the nodes, so its rows are the "
                                 "nodes 0, 1, 2, … in order",
                                 d->folder->feature_file));
cleanup:
    opn_i_release(&d->folder->ctx->alloc, chosen);
    return status;
}

// ---- rows ----------------------------------------------------------------------------

// Rows without names are the nodes 0, 1, …, so labels.csv must list the same nodes.
static opn_status check_places(const opn_i_dense_reader *d)
{
    opn_status status = OPN_OK;
    const opn_i_folder *folder = d->folder;
    OPN_FAIL_IF(folder->ctx,
                folder->has_named_labels && folder->nodes.n > (int64_t)d->n_rows,
                OPN_ERR_FORMAT,
                "%s: %zu rows without names, but %s names other nodes; a header "
                "that begins with node says that the first column holds names",
                d->table->path, d->n_rows, folder->label_file);
    OPN_FAIL_IF(folder->ctx,
                !folder->has_named_labels && folder->n_label_rows > 0 &&
                        folder->n_label_rows != (int32_t)d->n_rows,
                OPN_ERR_FORMAT, "%s: %zu rows, but %s has %d", d->table->path, d->n_rows,
                folder->label_file, folder->n_label_rows);
cleanup:
    return status;
}

// Declares the node of each row; node [n_rows] receives their numbers.
static opn_status declare_rows(opn_i_dense_reader *d, int32_t *node)
{
    opn_status status = OPN_OK;
    opn_i_folder *folder = d->folder;
    if (d->node == OPN_NO_COLUMN) {
        for (size_t row = 0; row < d->n_rows; row++)
            OPN_TRY(opn_i_declare_place(folder, row, &node[row]));
        OPN_TRY(check_places(d));
        goto cleanup;
    }
    const opn_i_dense_column *column = &d->column[d->node];
    const opn_i_names *names = column->may_be_ids ? &column->ids : &column->words;
    OPN_FAIL_IF(folder->ctx, column->unnamed_line > 0, OPN_ERR_FORMAT,
                "%s:%zu: the node has no name", d->table->path, column->unnamed_line);
    OPN_FAIL_IF(folder->ctx, column->twice_line > 0, OPN_ERR_FORMAT,
                "%s:%zu: node \"%s\" is listed twice%s", d->table->path,
                column->twice_line, opn_i_names_at(&column->words, column->twice_word),
                d->n_columns == 3 ? "; the header of a sparse table is node,feature,value"
                                  : "");
    for (size_t row = 0; row < d->n_rows; row++) { // no value is twice: row is word
        const char *name = opn_i_names_at(names, (int64_t)row);
        OPN_TRY(opn_i_declare_node(folder, name, strlen(name), &node[row]));
    }
cleanup:
    return status;
}

opn_status opn_i_dense_find_nodes(opn_i_dense_reader *d, int32_t *node)
{
    opn_status status = OPN_OK;
    OPN_TRY(find_node(d));
    OPN_TRY(declare_rows(d, node));
    for (size_t row = 0; row < d->n_rows; row++)
        d->folder->listed[node[row]] |= OPN_IN_FEATURES;
cleanup:
    return status;
}
