// folder_features.c -- reads the features of a folder in the form they have: a table with
// one value per row or one node per row, JSON, or none.

#include "io/path.h"
#include "tables/folder_reader.h"
#include "tables/folder_words.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

opn_status opn_i_put_entry(opn_i_folder *folder, int32_t i, int32_t k, double value)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    const size_t n = folder->n_entries;
    if (value == 0.0)
        return OPN_OK;
    OPN_TRY_RESERVE(ctx, folder->row, folder->row_room, n, n + 1);
    OPN_TRY_RESERVE(ctx, folder->col, folder->col_room, n, n + 1);
    OPN_TRY_RESERVE(ctx, folder->value, folder->value_room, n, n + 1);
    folder->row[n] = i;
    folder->col[n] = k;
    folder->value[n] = (opn_real)value;
    folder->n_entries++;
cleanup:
    return status;
}

// ---- one value per row ---------------------------------------------------------------

typedef struct sparse_columns {
    size_t node, feature, value;
} sparse_columns;

// Whether the row names these three columns and no other, in any order.
static bool find_sparse_columns(const opn_i_csv *rows, sparse_columns *out)
{
    sparse_columns columns = {OPN_NO_COLUMN, OPN_NO_COLUMN, OPN_NO_COLUMN};
    if (rows->n_fields != 3)
        return false;
    for (size_t f = 0; f < 3; f++) {
        const char *name = rows->field[f].text;
        if (opn_i_word_means(name, OPN_MEANS_FEATURE))
            columns.feature = f;
        else if (opn_i_word_means(name, OPN_MEANS_VALUE))
            columns.value = f;
        else if (opn_i_names_node(name))
            columns.node = f;
    }
    *out = columns;
    return columns.node != OPN_NO_COLUMN && columns.feature != OPN_NO_COLUMN &&
           columns.value != OPN_NO_COLUMN;
}

static opn_status
read_sparse(opn_i_folder *folder, opn_i_table *table, const sparse_columns *columns)
{
    opn_status status = OPN_OK;
    const opn_i_csv *rows = &table->rows;
    opn_ctx *ctx = folder->ctx;
    folder->has_sparse_features = true;
    for (;;) {
        bool has_row = false;
        int32_t node = 0;
        int32_t feature = 0;
        double value = 0.0;
        OPN_TRY(opn_i_table_next(ctx, table, 3, &has_row));
        if (!has_row)
            break;
        const opn_i_csv_field *name = &rows->field[columns->node];
        const opn_i_csv_field *what = &rows->field[columns->feature];
        OPN_FAIL_IF(ctx, name->n_chars == 0, OPN_ERR_FORMAT,
                    "%s:%zu: the node has no name", rows->name, rows->line);
        OPN_TRY(opn_i_declare_node(folder, name->text, name->n_chars, &node));
        folder->listed[node] |= OPN_IN_FEATURES;
        OPN_FAIL_IF(ctx, what->n_chars == 0, OPN_ERR_FORMAT,
                    "%s:%zu: the feature has no name", rows->name, rows->line);
        OPN_TRY(opn_i_names_intern(ctx, &folder->features, what->text, what->n_chars,
                                   &feature));
        OPN_TRY(opn_i_field_value(ctx, rows, columns->value, &value));
        OPN_TRY(opn_i_put_entry(folder, node, feature, value)); // 0 only declares it
    }
cleanup:
    return status;
}

// ---- none ----------------------------------------------------------------------------

// Two words in the first row of edges.csv that no other row has may be names of columns.
static opn_status note_first_edge(const opn_i_folder *folder)
{
    static const bool both[2] = {true, true};
    opn_status status = OPN_OK;
    opn_i_text list = {.ctx = folder->ctx};
    bool is_odd = folder->is_first_edge_odd;
    for (int64_t i = 0; i < 2 && is_odd; i++) {
        const char *name = opn_i_names_at(&folder->edge_nodes, i);
        is_odd = opn_i_names_find(&folder->nodes, name, strlen(name)) < 0;
    }
    if (!is_odd)
        goto cleanup;
    opn_i_list_names(&list, &folder->edge_nodes, both, 2, "and");
    OPN_TRY(list.status);
    OPN_TRY(opn_i_graph_note(
            folder->ctx, folder->graph,
            "%s: the first row, %s, is taken as an edge; call the columns source and "
            "target if it is a header",
            folder->edge_file, opn_i_text_chars(&list)));
cleanup:
    opn_i_text_free(&list);
    return status;
}

opn_status opn_i_note_no_features(const opn_i_folder *folder)
{
    return opn_i_graph_note(folder->ctx, folder->graph,
                            "%snodes have no features, and only the structure of the "
                            "graph is used",
                            folder->given != NULL ? "" : "no features.csv: ");
}

static opn_status declare_edge_nodes(opn_i_folder *folder)
{
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_folder_edge_nodes(folder));
    OPN_TRY(note_first_edge(folder));
    // Labels without names are those of all nodes.
    const bool is_complete = folder->n_label_rows > 0 && !folder->has_named_labels;
    for (int64_t i = 0; i < folder->edge_nodes.n && !is_complete; i++) {
        const char *name = opn_i_names_at(&folder->edge_nodes, i);
        int32_t node = 0;
        OPN_TRY(opn_i_declare_node(folder, name, strlen(name), &node));
    }
    OPN_TRY(opn_i_note_no_features(folder));
cleanup:
    return status;
}

// ---- any -----------------------------------------------------------------------------

static opn_status read_table(opn_i_folder *folder, opn_i_table *file)
{
    opn_status status = OPN_OK;
    sparse_columns columns;
    int32_t *node = NULL;
    bool has_row = false;
    OPN_TRY(opn_i_table_next(folder->ctx, file, 0, &has_row));
    OPN_FAIL_IF(folder->ctx, !has_row, OPN_ERR_FORMAT, "%s: is empty", file->path);
    if (find_sparse_columns(&file->rows, &columns))
        OPN_TRY(read_sparse(folder, file, &columns));
    else
        OPN_TRY(opn_i_folder_read_dense(folder, file, &node));
cleanup:
    opn_i_release(&folder->ctx->alloc, node);
    return status;
}

// A first row of words alone, or one that names the nodes or numbers the columns, is a
// header.
static bool is_header(const opn_i_csv *rows)
{
    size_t n_words = 0;
    for (size_t f = 0; f < rows->n_fields; f++) {
        n_words += !opn_i_is_number(rows->field[f].text);
        if (opn_i_names_node(rows->field[f].text))
            return true;
    }
    return n_words == rows->n_fields || opn_i_numbers_columns(rows);
}

opn_status opn_i_folder_count_rows(const opn_i_folder *folder, size_t *out)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    opn_i_table file = {0};
    sparse_columns columns;
    size_t n_rows = 0;
    bool has_row = false;
    OPN_TRY(opn_i_table_open(folder, "features", false, &file));
    if (file.is_there)
        OPN_TRY(opn_i_table_next(ctx, &file, 0, &has_row));
    const bool is_sparse = has_row && find_sparse_columns(&file.rows, &columns);
    if (has_row && is_header(&file.rows))
        OPN_TRY(opn_i_table_next(ctx, &file, 0, &has_row));
    while (has_row && !is_sparse) {
        n_rows++;
        OPN_TRY(opn_i_table_next(ctx, &file, 0, &has_row));
    }
    *out = n_rows;
cleanup:
    opn_i_table_close(ctx, &file);
    return status;
}

static opn_status find_json(const opn_i_folder *folder, char **out)
{
    static const char *const suffixes[] = {".json", ".json.gz", NULL};
    return opn_i_folder_find(folder, "features", suffixes, out);
}

opn_status opn_i_folder_has_features(const opn_i_folder *folder, bool *out)
{
    opn_status status = OPN_OK;
    char *table = NULL;
    char *json = NULL;
    OPN_TRY(opn_i_table_find(folder, "features", &table));
    OPN_TRY(find_json(folder, &json));
    *out = table != NULL || json != NULL;
cleanup:
    opn_i_release(&folder->ctx->alloc, table);
    opn_i_release(&folder->ctx->alloc, json);
    return status;
}

// Opens the table of the features, or else that of the nodes; *json is the path of a
// features.json instead of either, or NULL.
static opn_status
open_features(const opn_i_folder *folder, opn_i_table *file, bool *is_nodes, char **json)
{
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_table_open(folder, "features", false, file));
    if (!file->is_there)
        OPN_TRY(find_json(folder, json));
    if (!file->is_there && *json == NULL) {
        OPN_TRY(opn_i_table_open(folder, "nodes", false, file));
        *is_nodes = file->is_there;
    }
cleanup:
    return status;
}

opn_status opn_i_folder_read_features(opn_i_folder *folder)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    opn_i_table file = {0};
    char *json = NULL;
    bool is_nodes = false;
    OPN_TRY(open_features(folder, &file, &is_nodes, &json));
    const char *path = file.is_there ? file.path : json;
    if (path != NULL)
        snprintf(folder->feature_file, sizeof(folder->feature_file), "%s",
                 opn_i_base_name(path));
    if (is_nodes)
        OPN_TRY(opn_i_folder_read_nodes(folder, &file));
    else if (file.is_there)
        OPN_TRY(read_table(folder, &file));
    else if (json != NULL)
        OPN_TRY(opn_i_folder_read_json(folder, json));
    else
        OPN_TRY(declare_edge_nodes(folder));
    OPN_FAIL_IF(ctx, folder->nodes.n == 0, OPN_ERR_FORMAT, "%s: has no nodes",
                path != NULL ? path : folder->path);
cleanup:
    opn_i_release(&ctx->alloc, json);
    opn_i_table_close(ctx, &file);
    return status;
}
