// folder_edges.c -- reads edges.csv, and before that the nodes that it names where other
// files leave open which they are.

#include "io/path.h"
#include "tables/folder_reader.h"
#include "tables/folder_words.h"

#include <string.h>

typedef struct edge_columns {
    size_t source, target;
    size_t weight;       // or OPN_NO_COLUMN
    bool is_weight_sure; // its name says so, or the file has no header
    bool is_header;      // the names of the first row are known words
    size_t n_fields;
} edge_columns;

// ---- columns -------------------------------------------------------------------------

static size_t find_column(const opn_i_csv *rows, opn_i_meaning meaning)
{
    for (size_t f = 0; f < rows->n_fields; f++)
        if (opn_i_word_means(rows->field[f].text, meaning))
            return f;
    return OPN_NO_COLUMN;
}

// Beside source and target, a third column may be the weight under any name that is not
// known to be something else.
static size_t third_column(const opn_i_csv *rows, const edge_columns *columns)
{
    if (rows->n_fields != 3)
        return OPN_NO_COLUMN;
    const size_t third = 3 - columns->source - columns->target;
    const char *name = rows->field[third].text;
    return name[0] == 0 || opn_i_word_means(name, OPN_MEANS_ASIDE) ? OPN_NO_COLUMN
                                                                   : third;
}

static bool is_all_numbers(const opn_i_csv *rows)
{
    for (size_t f = 0; f < rows->n_fields; f++)
        if (!opn_i_is_number(rows->field[f].text))
            return false;
    return true;
}

// Names the columns by the words of the first row, or else by their order.
static opn_status choose_columns(opn_ctx *ctx, const opn_i_csv *rows, edge_columns *out)
{
    opn_status status = OPN_OK;
    const size_t n = rows->n_fields;
    const size_t source = find_column(rows, OPN_MEANS_SOURCE);
    const size_t target = find_column(rows, OPN_MEANS_TARGET);
    edge_columns columns = {0, 1, n == 3 ? 2 : OPN_NO_COLUMN, true, false, n};
    if (source != OPN_NO_COLUMN && target != OPN_NO_COLUMN) {
        columns.source = source;
        columns.target = target;
        columns.is_header = true;
        columns.weight = find_column(rows, OPN_MEANS_WEIGHT);
        columns.is_weight_sure = columns.weight != OPN_NO_COLUMN;
        if (!columns.is_weight_sure)
            columns.weight = third_column(rows, &columns);
    } else {
        OPN_FAIL_IF(ctx, n > 3 && is_all_numbers(rows), OPN_ERR_FORMAT,
                    "%s:%zu: %zu fields, expected source,target or "
                    "source,target,weight; an adjacency matrix can be read from what "
                    "numpy.savez(name, adj_matrix=a) writes",
                    rows->name, rows->line, n);
        OPN_FAIL_IF(ctx, n != 2 && n != 3, OPN_ERR_FORMAT,
                    "%s:%zu: %zu %s, expected source,target or "
                    "source,target,weight, or a header that names these columns%s",
                    rows->name, rows->line, n, opn_i_fields_word(n),
                    n == 1 ? "; " OPN_CSV_SEPARATORS : "");
        OPN_FAIL_IF(
                ctx, rows->field[0].n_chars == 0, OPN_ERR_FORMAT,
                "%s:%zu: the first column has no name; leave it out, so that each row is "
                "source,target or source,target,weight",
                rows->name, rows->line);
    }
    *out = columns;
cleanup:
    return status;
}

static opn_status note_columns(const opn_i_folder *folder,
                               const opn_i_names *head,
                               const char *path,
                               const edge_columns *columns)
{
    opn_status status = OPN_OK;
    bool *chosen = NULL;
    const size_t n = columns->n_fields;
    OPN_TRY_NEW(folder->ctx, chosen, n);
    for (size_t f = 0; f < n; f++)
        chosen[f] = f == columns->weight && !columns->is_weight_sure;
    OPN_TRY(opn_i_note_columns(folder, path, head, chosen, n,
                               "is taken as the weight of the edges", ""));
    for (size_t f = 0; f < n; f++)
        chosen[f] = f != columns->source && f != columns->target && f != columns->weight;
    OPN_TRY(opn_i_note_columns(folder, path, head, chosen, n, "is not used",
                               "are not used"));
cleanup:
    opn_i_release(&folder->ctx->alloc, chosen);
    return status;
}

// ---- rows ----------------------------------------------------------------------------

// Opens the file and reads its first row; *has_row is false if it is empty.
static opn_status open_edges(const opn_i_folder *folder,
                             opn_i_table *file,
                             edge_columns *columns,
                             bool *has_row)
{
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_table_open(folder, "edges", false, file));
    OPN_FAIL_IF(folder->ctx, !file->is_there, OPN_ERR_READ,
                "%s: no edges.csv; a folder of data holds edges.csv, features.csv and "
                "labels.csv. If another of its files lists the edges, name that file",
                folder->path);
    OPN_TRY(opn_i_table_next(folder->ctx, file, 0, has_row));
    if (*has_row)
        OPN_TRY(choose_columns(folder->ctx, &file->rows, columns));
cleanup:
    return status;
}

static opn_status read_weight(opn_i_folder *folder, const opn_i_csv *rows, size_t column)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    const size_t n = folder->n_edges;
    double weight = 1.0;
    OPN_TRY(opn_i_field_value(ctx, rows, column, &weight));
    OPN_FAIL_IF(ctx, (opn_real)weight <= 0, OPN_ERR_FORMAT,
                "%s:%zu: weight %s, which must be above 0", rows->name, rows->line,
                rows->field[column].text);
    OPN_TRY_RESERVE(ctx, folder->weight, folder->weight_room, n, n + 1);
    folder->weight[n] = (opn_real)weight;
cleanup:
    return status;
}

// A third field in braces holds attributes, as NetworkX writes them; empty ones hold
// none.
static opn_status
set_braces_aside(opn_ctx *ctx, const opn_i_csv *rows, edge_columns *columns)
{
    opn_status status = OPN_OK;
    const char *text = columns->weight < rows->n_fields && !columns->is_header
                               ? rows->field[columns->weight].text
                               : "";
    OPN_FAIL_IF(ctx, text[0] == '{' && strcmp(text, "{}") != 0, OPN_ERR_FORMAT,
                "%s:%zu: attributes \"%s\" after the edge; write_weighted_edgelist() of "
                "NetworkX writes weights that can be read, "
                "write_edgelist(data=False) none",
                rows->name, rows->line, text);
    if (text[0] == '{')
        columns->weight = OPN_NO_COLUMN;
cleanup:
    return status;
}

static opn_status
read_edge(opn_i_folder *folder, const opn_i_csv *rows, const edge_columns *columns)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    const size_t n = folder->n_edges;
    OPN_TRY_RESERVE(ctx, folder->source, folder->source_room, n, n + 1);
    OPN_TRY_RESERVE(ctx, folder->target, folder->target_room, n, n + 1);
    OPN_TRY(opn_i_require_node(folder, rows->name, rows->line,
                               rows->field[columns->source].text, &folder->source[n]));
    OPN_TRY(opn_i_require_node(folder, rows->name, rows->line,
                               rows->field[columns->target].text, &folder->target[n]));
    if (columns->weight != OPN_NO_COLUMN)
        OPN_TRY(read_weight(folder, rows, columns->weight));
    folder->n_edges++;
cleanup:
    return status;
}

// A first row of the usual words is a header, and so is one that names no node, unless it
// consists of numbers: those are ids out of range.
static bool
is_header(const opn_i_folder *folder, const opn_i_csv *rows, const edge_columns *columns)
{
    if (columns->is_header)
        return true;
    for (size_t f = 0; f < 2; f++)
        if (opn_i_find_node(folder, rows->field[f].text, rows->field[f].n_chars) >= 0 ||
            opn_i_is_number(rows->field[f].text))
            return false;
    return true;
}

// Moves on from a header to the first edge. A third column of unknown name that does not
// begin with a number is no weight.
static opn_status
skip_header(opn_i_folder *folder, opn_i_table *file, edge_columns *columns, bool *has_row)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    opn_i_csv *rows = &file->rows;
    opn_i_names head = {0};
    for (size_t f = 0; f < columns->n_fields; f++)
        OPN_TRY(opn_i_names_add(ctx, &head, rows->field[f].text, rows->field[f].n_chars));
    if (!columns->is_header && columns->weight != OPN_NO_COLUMN)
        columns->is_weight_sure =
                opn_i_word_means(rows->field[columns->weight].text, OPN_MEANS_WEIGHT);
    OPN_TRY(opn_i_table_next(ctx, file, columns->n_fields, has_row));
    if (*has_row && !columns->is_weight_sure && columns->weight != OPN_NO_COLUMN &&
        !opn_i_is_number(rows->field[columns->weight].text))
        columns->weight = OPN_NO_COLUMN;
    OPN_TRY(note_columns(folder, &head, file->path, columns));
cleanup:
    opn_i_names_deinit(&ctx->alloc, &head);
    return status;
}

opn_status opn_i_folder_read_edges(opn_i_folder *folder)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    opn_i_table file = {0};
    edge_columns columns = {0};
    bool has_row = false;
    OPN_TRY(open_edges(folder, &file, &columns, &has_row));
    if (!has_row)
        goto cleanup; // a graph may have no edges
    OPN_TRY(set_braces_aside(ctx, &file.rows, &columns));
    if (is_header(folder, &file.rows, &columns))
        OPN_TRY(skip_header(folder, &file, &columns, &has_row));
    else if (columns.weight != OPN_NO_COLUMN)
        OPN_TRY(opn_i_graph_note(ctx, folder->graph,
                                 "%s: the third column is taken as the weight of the "
                                 "edges",
                                 opn_i_base_name(file.path)));
    while (has_row) {
        OPN_TRY(read_edge(folder, &file.rows, &columns));
        OPN_TRY(opn_i_table_next(ctx, &file, columns.n_fields, &has_row));
    }
cleanup:
    opn_i_table_close(ctx, &file);
    return status;
}

// ---- nodes of the edges --------------------------------------------------------------

// Interns both nodes of a row; *n_known counts those that are among the first n_first.
static opn_status add_ends(opn_i_folder *folder,
                           const opn_i_csv *rows,
                           const edge_columns *columns,
                           int64_t n_first,
                           int64_t *n_known)
{
    opn_status status = OPN_OK;
    const size_t ends[2] = {columns->source, columns->target};
    for (size_t e = 0; e < 2; e++) {
        const opn_i_csv_field *field = &rows->field[ends[e]];
        int32_t node = 0;
        OPN_FAIL_IF(folder->ctx, field->n_chars == 0, OPN_ERR_FORMAT,
                    "%s:%zu: the node has no name", rows->name, rows->line);
        OPN_TRY(opn_i_names_intern(folder->ctx, &folder->edge_nodes, field->text,
                                   field->n_chars, &node));
        *n_known += node < n_first;
    }
cleanup:
    return status;
}

// Removes the n first names, if all the others are numbers and these are words.
static opn_status drop_header(opn_i_folder *folder, int64_t n)
{
    opn_status status = OPN_OK;
    opn_i_names rest = {0};
    opn_i_names *nodes = &folder->edge_nodes;
    int32_t node = 0;
    bool is_header = nodes->n > n;
    for (int64_t i = 0; i < nodes->n && is_header; i++)
        is_header = opn_i_is_number(opn_i_names_at(nodes, i)) == (i >= n);
    for (int64_t i = n; i < nodes->n && is_header; i++) {
        const char *name = opn_i_names_at(nodes, i);
        OPN_TRY(opn_i_names_intern(folder->ctx, &rest, name, strlen(name), &node));
    }
    if (is_header) {
        opn_i_names_deinit(&folder->ctx->alloc, nodes);
        *nodes = rest;
        rest = (opn_i_names){0};
    }
cleanup:
    opn_i_names_deinit(&folder->ctx->alloc, &rest);
    return status;
}

opn_status opn_i_folder_edge_nodes(opn_i_folder *folder)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    opn_i_table file = {0};
    edge_columns columns = {0};
    bool has_row = false;
    int64_t n_first = 0;
    int64_t n_known = 0;
    if (folder->has_edge_nodes)
        return OPN_OK;
    OPN_TRY(open_edges(folder, &file, &columns, &has_row));
    if (has_row && columns.is_header)
        OPN_TRY(opn_i_table_next(ctx, &file, columns.n_fields, &has_row));
    while (has_row) {
        OPN_TRY(add_ends(folder, &file.rows, &columns, n_first, &n_known));
        n_first = n_first == 0 ? folder->edge_nodes.n : n_first;
        OPN_TRY(opn_i_table_next(ctx, &file, columns.n_fields, &has_row));
    }
    if (!columns.is_header)
        OPN_TRY(drop_header(folder, n_first));
    folder->is_first_edge_odd = !columns.is_header && n_known == 0 &&
                                folder->edge_nodes.n > n_first && n_first == 2 &&
                                !opn_i_is_number(opn_i_names_at(&folder->edge_nodes, 0));
    folder->has_edge_nodes = true;
cleanup:
    opn_i_table_close(ctx, &file);
    return status;
}
