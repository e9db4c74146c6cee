// folder_nodes.c -- reads labels.csv and features.csv, which define the nodes.

#include "graph/folder_reader.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *const label_words[] = {"label", "labels", "class", NULL};

// ---- nodes ---------------------------------------------------------------------------

// Number of the node with that name; adds the node if it is new.
static opn_status
declare_node(opn_i_folder *folder, const char *text, size_t n_chars, int32_t *node)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    const size_t n = (size_t)folder->nodes.n;
    OPN_TRY_RESERVE(ctx, folder->label, folder->label_room, n, n + 1);
    OPN_TRY_RESERVE(ctx, folder->listed, folder->listed_room, n, n + 1);
    OPN_TRY(opn_i_names_intern(ctx, &folder->nodes, text, n_chars, node));
    if ((size_t)*node == n) {
        folder->label[n] = -1;
        folder->listed[n] = 0;
    }
cleanup:
    return status;
}

// The node of a row: named in its first field, or numbered by its position in the file.
static opn_status declare_row(opn_i_folder *folder,
                              const opn_i_csv *rows,
                              bool is_named,
                              int32_t n_rows_before,
                              int32_t *node)
{
    opn_status status = OPN_OK;
    char place[12];
    if (!is_named) {
        const int n = snprintf(place, sizeof(place), "%d", n_rows_before);
        return declare_node(folder, place, (size_t)n, node);
    }
    OPN_FAIL_IF(folder->ctx, rows->field[0].n_chars == 0, OPN_ERR_FORMAT,
                "%s:%zu: the node has no name", rows->name, rows->line);
    OPN_TRY(declare_node(folder, rows->field[0].text, rows->field[0].n_chars, node));
cleanup:
    return status;
}

// Records that the file `flag` lists the node; listing it twice is an error.
static opn_status
list_once(opn_i_folder *folder, const opn_i_csv *rows, int32_t node, uint8_t flag)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(folder->ctx, (folder->listed[node] & flag) != 0, OPN_ERR_FORMAT,
                "%s:%zu: node \"%s\" is listed twice%s", rows->name, rows->line,
                opn_i_names_at(&folder->nodes, node),
                flag == OPN_IN_FEATURES && rows->n_fields == 3
                        ? "; the header of a sparse table is node,feature,value"
                        : "");
    folder->listed[node] |= flag;
cleanup:
    return status;
}

// ---- classes.csv ---------------------------------------------------------------------

// One class per row, in the order of their numbers. Only needed if sorting the classes
// would give a different order, or if a class has no node.
opn_status opn_i_folder_read_classes(opn_i_folder *folder)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    opn_i_table file = {0};
    opn_i_csv *rows = &file.rows;
    bool has_row = false;
    OPN_TRY(opn_i_table_open(folder, "classes", &file));
    folder->has_classes = file.is_there;
    if (!file.is_there)
        goto cleanup;
    OPN_TRY(opn_i_table_next(ctx, &file, 0, &has_row));
    OPN_FAIL_IF(ctx, has_row && rows->n_fields != 1, OPN_ERR_FORMAT,
                "%s:%zu: %zu fields, expected one class per row", rows->name, rows->line,
                rows->n_fields);
    if (has_row && opn_i_field_is(&rows->field[0], label_words))
        OPN_TRY(opn_i_table_next(ctx, &file, 1, &has_row));
    while (has_row) {
        const int64_t n_before = folder->classes.n;
        int32_t k = 0;
        OPN_FAIL_IF(ctx, rows->field[0].n_chars == 0, OPN_ERR_FORMAT,
                    "%s:%zu: the class has no name", rows->name, rows->line);
        OPN_TRY(opn_i_names_intern(ctx, &folder->classes, rows->field[0].text,
                                   rows->field[0].n_chars, &k));
        OPN_FAIL_IF(ctx, k < n_before, OPN_ERR_FORMAT,
                    "%s:%zu: class \"%s\" is listed twice", rows->name, rows->line,
                    rows->field[0].text);
        OPN_TRY(opn_i_table_next(ctx, &file, 1, &has_row));
    }
cleanup:
    opn_i_table_close(ctx, &file);
    return status;
}

// ---- labels.csv ----------------------------------------------------------------------

static opn_status
read_label(opn_i_folder *folder, const opn_i_csv *rows, int32_t n_rows_before)
{
    opn_status status = OPN_OK;
    int32_t node = 0;
    const bool is_named = rows->n_fields == 2;
    const opn_i_csv_field *field = &rows->field[rows->n_fields - 1];
    OPN_TRY(declare_row(folder, rows, is_named, n_rows_before, &node));
    OPN_TRY(list_once(folder, rows, node, OPN_IN_LABELS));
    if (field->n_chars == 0)
        goto cleanup;
    const int64_t n_classes = folder->classes.n;
    OPN_TRY(opn_i_names_intern(folder->ctx, &folder->classes, field->text, field->n_chars,
                               &folder->label[node]));
    OPN_FAIL_IF(folder->ctx, folder->has_classes && folder->classes.n > n_classes,
                OPN_ERR_FORMAT, "%s:%zu: class \"%s\" is not in classes.csv", rows->name,
                rows->line, field->text);
cleanup:
    return status;
}

// node,label, with an empty label for an unlabelled node; or one label per line, where an
// empty line is an unlabelled node.
opn_status opn_i_folder_read_labels(opn_i_folder *folder)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    opn_i_table file = {0};
    opn_i_csv *rows = &file.rows;
    bool has_row = false;
    int32_t n_rows = 0;
    OPN_TRY(opn_i_table_open(folder, "labels", &file));
    if (!file.is_there)
        goto cleanup; // all nodes are unlabelled
    OPN_TRY(opn_i_csv_next(ctx, rows, &has_row));
    const size_t n_fields = rows->n_fields;
    OPN_FAIL_IF(ctx, has_row && n_fields > 2, OPN_ERR_FORMAT,
                "%s:%zu: %zu fields, expected node,label", rows->name, rows->line,
                n_fields);
    OPN_FAIL_IF(ctx,
                has_row && n_fields == 1 && strpbrk(rows->field[0].text, ";\t|") != NULL,
                OPN_ERR_FORMAT,
                "%s:%zu: one field, expected node,label; fields are separated by "
                "commas",
                rows->name, rows->line);
    if (has_row && (opn_i_field_is(&rows->field[n_fields - 1], label_words) ||
                    (n_fields == 2 && opn_i_field_is(&rows->field[0], opn_i_node_words))))
        OPN_TRY(opn_i_csv_next(ctx, rows, &has_row));
    while (has_row) {
        if (n_fields == 1 || !opn_i_row_is_blank(rows)) {
            OPN_FAIL_IF(ctx, rows->n_fields != n_fields, OPN_ERR_FORMAT,
                        "%s:%zu: %zu fields, but the first row has %zu", rows->name,
                        rows->line, rows->n_fields, n_fields);
            OPN_TRY(read_label(folder, rows, n_rows++));
        }
        OPN_TRY(opn_i_csv_next(ctx, rows, &has_row));
    }
    folder->n_label_rows = n_rows;
    folder->has_named_labels = n_fields == 2;
cleanup:
    opn_i_table_close(ctx, &file);
    return status;
}

// ---- features.csv --------------------------------------------------------------------

static opn_status put_entry(opn_i_folder *folder, int32_t i, int32_t k, double value)
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

static opn_status read_sparse_features(opn_i_folder *folder, opn_i_table *table)
{
    opn_status status = OPN_OK;
    const opn_i_csv *rows = &table->rows;
    opn_ctx *ctx = folder->ctx;
    for (;;) {
        bool has_row = false;
        int32_t node = 0;
        int32_t feature = 0;
        double value = 0.0;
        OPN_TRY(opn_i_table_next(ctx, table, 3, &has_row));
        if (!has_row)
            break;
        OPN_TRY(declare_row(folder, rows, true, 0, &node));
        OPN_FAIL_IF(ctx, rows->field[1].n_chars == 0, OPN_ERR_FORMAT,
                    "%s:%zu: the feature has no name", rows->name, rows->line);
        OPN_TRY(opn_i_names_intern(ctx, &folder->features, rows->field[1].text,
                                   rows->field[1].n_chars, &feature));
        OPN_TRY(opn_i_field_value(ctx, rows, 2, &value));
        OPN_TRY(put_entry(folder, node, feature, value)); // 0 only declares it
    }
cleanup:
    return status;
}

// What the first row of a dense file tells.
typedef struct dense_form {
    bool has_header;
    bool is_named; // the first column holds the node names
    size_t n_fields;
} dense_form;

static opn_status read_dense_form(opn_ctx *ctx, const opn_i_csv *rows, dense_form *form)
{
    opn_status status = OPN_OK;
    double number;
    size_t n_words = 0;
    size_t a_word = 0; // a field that is not a number
    for (size_t f = 0; f < rows->n_fields; f++) {
        if (opn_i_csv_real(&rows->field[f], &number))
            continue;
        a_word = f;
        n_words++;
    }
    form->n_fields = rows->n_fields;
    form->is_named = opn_i_field_is(&rows->field[0], opn_i_node_words);
    form->has_header = form->is_named || n_words == rows->n_fields;
    OPN_FAIL_IF(ctx, !form->has_header && n_words > 0, OPN_ERR_FORMAT,
                "%s:%zu: \"%s\" is not a number; a column of node names needs a header "
                "that begins with node",
                rows->name, rows->line, rows->field[a_word].text);
    OPN_FAIL_IF(
            ctx, form->has_header && !form->is_named && rows->field[0].n_chars == 0,
            OPN_ERR_FORMAT,
            "%s:%zu: the first column has no name; call it node if it holds the nodes, "
            "else leave it out",
            rows->name, rows->line);
    OPN_FAIL_IF(ctx, form->is_named && form->n_fields == 1, OPN_ERR_FORMAT,
                "%s:%zu: no features beside the nodes", rows->name, rows->line);
cleanup:
    return status;
}

static opn_status
name_dense_features(opn_i_folder *folder, const opn_i_csv *rows, const dense_form *form)
{
    opn_status status = OPN_OK;
    char number[24];
    for (size_t f = form->is_named; f < form->n_fields; f++) {
        const opn_i_csv_field *field = &rows->field[f];
        const size_t k = f - form->is_named;
        int32_t feature = 0;
        if (form->has_header)
            OPN_TRY(opn_i_names_intern(folder->ctx, &folder->features, field->text,
                                       field->n_chars, &feature));
        else
            OPN_TRY(opn_i_names_intern(folder->ctx, &folder->features, number,
                                       (size_t)snprintf(number, sizeof(number), "%zu", k),
                                       &feature));
        OPN_FAIL_IF(folder->ctx, (size_t)feature != k, OPN_ERR_FORMAT,
                    "%s:%zu: feature \"%s\" has two columns", rows->name, rows->line,
                    field->text);
    }
cleanup:
    return status;
}

static opn_status
read_dense_row(opn_i_folder *folder, const opn_i_csv *rows, bool is_named, int32_t n_rows)
{
    opn_status status = OPN_OK;
    int32_t node = 0;
    OPN_TRY(declare_row(folder, rows, is_named, n_rows, &node));
    OPN_TRY(list_once(folder, rows, node, OPN_IN_FEATURES));
    for (size_t f = is_named; f < rows->n_fields; f++) {
        double value = 0.0;
        OPN_TRY(opn_i_field_value(folder->ctx, rows, f, &value));
        OPN_TRY(put_entry(folder, node, (int32_t)(f - is_named), value));
    }
cleanup:
    return status;
}

// Rows without names are the nodes 0, 1, …, so labels.csv must list the same nodes.
static opn_status
check_places(const opn_i_folder *folder, const opn_i_csv *rows, int32_t n_rows)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(folder->ctx, folder->has_named_labels && folder->nodes.n > n_rows,
                OPN_ERR_FORMAT,
                "%s: %d rows without names, but labels.csv names other nodes; a header "
                "that begins with node says that the first column holds names",
                rows->name, n_rows);
    OPN_FAIL_IF(folder->ctx,
                !folder->has_named_labels && folder->n_label_rows > 0 &&
                        folder->n_label_rows != n_rows,
                OPN_ERR_FORMAT, "%s: %d rows, but labels.csv has %d", rows->name, n_rows,
                folder->n_label_rows);
cleanup:
    return status;
}

// The first row has already been read.
static opn_status read_dense_features(opn_i_folder *folder, opn_i_table *table)
{
    opn_status status = OPN_OK;
    const opn_i_csv *rows = &table->rows;
    dense_form form = {0};
    bool has_row = true;
    int32_t n_rows = 0;
    OPN_TRY(read_dense_form(folder->ctx, rows, &form));
    OPN_TRY(name_dense_features(folder, rows, &form));
    if (form.has_header)
        OPN_TRY(opn_i_table_next(folder->ctx, table, form.n_fields, &has_row));
    while (has_row) {
        OPN_TRY(read_dense_row(folder, rows, form.is_named, n_rows++));
        OPN_TRY(opn_i_table_next(folder->ctx, table, form.n_fields, &has_row));
    }
    if (!form.is_named)
        OPN_TRY(check_places(folder, rows, n_rows));
cleanup:
    return status;
}

static bool is_sparse_header(const opn_i_csv *rows)
{
    return rows->n_fields == 3 && opn_i_field_is(&rows->field[0], opn_i_node_words) &&
           strcasecmp(rows->field[1].text, "feature") == 0 &&
           strcasecmp(rows->field[2].text, "value") == 0;
}

opn_status opn_i_folder_read_features(opn_i_folder *folder)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    opn_i_table file = {0};
    bool has_row = false;
    OPN_TRY(opn_i_table_open(folder, "features", &file));
    OPN_FAIL_IF(ctx, !file.is_there, OPN_ERR_READ,
                "%s: no features.csv; a folder of data holds edges.csv, features.csv and "
                "labels.csv",
                folder->path);
    OPN_TRY(opn_i_table_next(ctx, &file, 0, &has_row));
    OPN_FAIL_IF(ctx, !has_row, OPN_ERR_FORMAT, "%s: is empty", file.path);
    if (is_sparse_header(&file.rows))
        OPN_TRY(read_sparse_features(folder, &file));
    else
        OPN_TRY(read_dense_features(folder, &file));
    OPN_FAIL_IF(ctx, folder->nodes.n == 0, OPN_ERR_FORMAT, "%s: has no nodes", file.path);
cleanup:
    opn_i_table_close(ctx, &file);
    return status;
}
