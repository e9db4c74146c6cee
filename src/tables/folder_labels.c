// folder_labels.c -- reads classes.csv and labels.csv.

#include "io/path.h"
#include "tables/folder_reader.h"
#include "tables/folder_words.h"
#include "tables/label_columns.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char reading[] = "reading the labels"; // in messages

// ---- classes.csv ---------------------------------------------------------------------

// Beside features, a table of nodes is one of labels if a column is called so; without
// them it holds those too.
static opn_status nodes_hold_labels(const opn_i_folder *folder, bool *out)
{
    opn_status status = OPN_OK;
    opn_i_table nodes = {0};
    bool has_features = false;
    bool has_row = false;
    *out = false;
    OPN_TRY(opn_i_folder_has_features(folder, &has_features));
    if (has_features)
        OPN_TRY(opn_i_table_open(folder, "nodes", false, &nodes));
    if (nodes.is_there)
        OPN_TRY(opn_i_table_next(folder->ctx, &nodes, 0, &has_row));
    for (size_t f = 0; has_row && f < nodes.rows.n_fields; f++)
        *out = *out || opn_i_names_label(nodes.rows.field[f].text) ||
               (folder->label[0] != 0 &&
                strcasecmp(nodes.rows.field[f].text, folder->label) == 0);
cleanup:
    opn_i_table_close(folder->ctx, &nodes);
    return status;
}

opn_status opn_i_labels_open(const opn_i_folder *folder, opn_i_table *table)
{
    static const char *const names[] = {"labels", "label", "target", "targets"};
    opn_status status = OPN_OK;
    bool holds_labels = false;
    for (size_t f = 0; f < sizeof(names) / sizeof(names[0]) && !table->is_there; f++)
        OPN_TRY(opn_i_table_open(folder, names[f], false, table));
    if (!table->is_there)
        OPN_TRY(nodes_hold_labels(folder, &holds_labels));
    if (holds_labels)
        OPN_TRY(opn_i_table_open(folder, "nodes", false, table));
cleanup:
    return status;
}

// A table in classes.csv, where no other file has the labels, is one of labels.
static opn_status
classes_hold_labels(const opn_i_folder *folder, const opn_i_table *classes, bool *out)
{
    opn_status status = OPN_OK;
    opn_i_table labels = {0};
    *out = classes->rows.n_fields > 1;
    if (*out)
        OPN_TRY(opn_i_labels_open(folder, &labels));
    *out = *out && !labels.is_there;
cleanup:
    opn_i_table_close(folder->ctx, &labels);
    return status;
}

// One class per row, in the order of their numbers. Only needed if sorting the classes
// would give a different order, or if a class has no node.
opn_status opn_i_folder_read_classes(opn_i_folder *folder)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    opn_i_table file = {0};
    opn_i_csv *rows = &file.rows;
    bool has_row = false;
    bool holds_labels = false;
    OPN_TRY(opn_i_table_open(folder, "classes", true, &file));
    if (!file.is_there)
        goto cleanup;
    OPN_TRY(opn_i_table_next(ctx, &file, 0, &has_row));
    if (has_row)
        OPN_TRY(classes_hold_labels(folder, &file, &holds_labels));
    if (holds_labels)
        goto cleanup;
    folder->has_classes = true;
    OPN_FAIL_IF(ctx, has_row && rows->n_fields != 1, OPN_ERR_FORMAT,
                "%s:%zu: %zu %s, expected one class per row", rows->name, rows->line,
                rows->n_fields, opn_i_fields_word(rows->n_fields));
    if (has_row && opn_i_word_means(rows->field[0].text, OPN_MEANS_LABEL))
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

// ---- labels that are missing ---------------------------------------------------------

// Many tools write -1 where there is no label. It is a class where it is one of few
// numbers that do not begin at 0, as in -1 and 1.
static bool is_minus_one_missing(const opn_i_names *labels)
{
    bool has_zero = false;
    for (int64_t k = 0; k < labels->n; k++) {
        const char *text = opn_i_names_at(labels, k);
        has_zero = has_zero || strcmp(text, "0") == 0;
        if (!opn_i_is_missing(text) && strcmp(text, "-1") != 0 &&
            strspn(text, "0123456789") < strlen(text))
            return false;
    }
    return has_zero && opn_i_names_find(labels, "-1", 2) >= 0;
}

// Sets missing [labels]: those that mean that there is no label. What classes.csv lists
// is a class.
static void
find_missing(const opn_i_folder *folder, const opn_i_names *labels, bool *missing)
{
    const bool is_minus_one = is_minus_one_missing(labels);
    for (int64_t k = 0; k < labels->n; k++) {
        const char *text = opn_i_names_at(labels, k);
        const bool is_listed =
                opn_i_names_find(&folder->classes, text, strlen(text)) >= 0;
        missing[k] = !is_listed && (opn_i_is_missing(text) ||
                                    (is_minus_one && strcmp(text, "-1") == 0));
    }
}

// ---- labels.csv ----------------------------------------------------------------------

typedef struct label_reader {
    const opn_i_grid *grid;
    const char *path;
    opn_i_label_columns columns;
    const int32_t *node; // [rows] or NULL
    opn_i_names labels;  // distinct
    bool *missing;       // [labels]
} label_reader;

static opn_status
read_node(opn_i_folder *folder, const label_reader *r, size_t row, int32_t *node)
{
    opn_status status = OPN_OK;
    const size_t line = r->grid->line[row];
    if (r->node != NULL) {
        *node = r->node[row - r->grid->n_head];
    } else if (r->columns.node == OPN_NO_COLUMN) {
        OPN_TRY(opn_i_declare_place(folder, row - r->grid->n_head, node));
    } else {
        const char *name = opn_i_grid_cell(r->grid, row, r->columns.node);
        OPN_FAIL_IF(folder->ctx, name[0] == 0, OPN_ERR_FORMAT,
                    "%s:%zu: the node has no name", r->path, line);
        OPN_TRY(opn_i_declare_node(folder, name, strlen(name), node));
    }
    OPN_TRY(opn_i_list_once(folder, r->path, line, *node, OPN_IN_LABELS));
cleanup:
    return status;
}

static opn_status read_label(opn_i_folder *folder, const label_reader *r, size_t row)
{
    opn_status status = OPN_OK;
    int32_t node = 0;
    const size_t line = r->grid->line[row];
    const char *text = opn_i_grid_cell(r->grid, row, r->columns.label);
    const size_t n_chars = strlen(text);
    OPN_TRY(read_node(folder, r, row, &node));
    const bool is_missing = r->missing[opn_i_names_find(&r->labels, text, n_chars)];
    OPN_TRY(opn_i_read_row_role(folder->ctx, r->path, r->grid, &r->columns.roles, row,
                                &folder->role_of[node]));
    OPN_TRY(opn_i_check_role(folder, r->path, line, opn_i_names_at(&folder->nodes, node),
                             folder->role_of[node], is_missing ? -1 : 0));
    if (is_missing)
        goto cleanup;
    const int64_t n_classes = folder->classes.n;
    OPN_TRY(opn_i_names_intern(folder->ctx, &folder->classes, text, n_chars,
                               &folder->label_of[node]));
    OPN_FAIL_IF(folder->ctx, folder->has_classes && folder->classes.n > n_classes,
                OPN_ERR_FORMAT, "%s:%zu: class \"%s\" is not in classes.csv", r->path,
                line, text);
cleanup:
    return status;
}

// Says which words mean no label, and of how many nodes; empty labels need no word.
static opn_status note_missing(const opn_i_folder *folder, const label_reader *r)
{
    opn_status status = OPN_OK;
    opn_i_text list = {.ctx = folder->ctx};
    size_t n_nodes = 0;
    bool is_noted = false;
    for (size_t row = r->grid->n_head; row < r->grid->n_rows; row++) {
        OPN_TRY_GO_ON(folder->ctx, row, reading);
        const char *text = opn_i_grid_cell(r->grid, row, r->columns.label);
        const bool is_missing =
                r->missing[opn_i_names_find(&r->labels, text, strlen(text))];
        n_nodes += is_missing;
        is_noted = is_noted || (is_missing && text[0] != 0);
    }
    if (!is_noted)
        goto cleanup;
    opn_i_list_names(&list, &r->labels, r->missing, (size_t)r->labels.n, "or");
    OPN_TRY(list.status);
    OPN_TRY(opn_i_graph_note(folder->ctx, folder->graph,
                             "%s: %zu %s whose label is %s %s as unlabelled",
                             folder->label_file, n_nodes, n_nodes == 1 ? "node" : "nodes",
                             opn_i_text_chars(&list), n_nodes == 1 ? "counts" : "count"));
cleanup:
    opn_i_text_free(&list);
    return status;
}

static opn_status read_rows(opn_i_folder *folder, label_reader *r)
{
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_grid_distinct(folder->ctx, r->grid, r->columns.label, &r->labels));
    OPN_TRY_NEW(folder->ctx, r->missing, r->labels.n);
    find_missing(folder, &r->labels, r->missing);
    OPN_TRY(note_missing(folder, r));
    for (size_t row = r->grid->n_head; row < r->grid->n_rows; row++) {
        OPN_TRY_GO_ON(folder->ctx, row, reading);
        OPN_TRY(read_label(folder, r, row));
    }
    folder->n_label_rows = (int32_t)(r->grid->n_rows - r->grid->n_head);
    folder->has_named_labels = r->columns.node != OPN_NO_COLUMN;
    folder->has_roles = r->columns.roles.role != OPN_NO_COLUMN ||
                        r->columns.roles.mask[0] != OPN_NO_COLUMN;
cleanup:
    opn_i_names_deinit(&folder->ctx->alloc, &r->labels);
    opn_i_release(&folder->ctx->alloc, r->missing);
    return status;
}

opn_status opn_i_read_node_labels(opn_i_folder *folder,
                                  const char *path,
                                  const opn_i_grid *grid,
                                  const opn_i_label_columns *columns,
                                  const int32_t *node)
{
    label_reader reader = {.grid = grid, .path = path, .columns = *columns, .node = node};
    return read_rows(folder, &reader);
}

// Whether a column that the caller named may be in nodes.csv, which is read later.
static opn_status is_node_table_next(const opn_i_folder *folder, bool *out)
{
    opn_status status = OPN_OK;
    opn_i_table nodes = {0};
    bool has_features = false;
    OPN_TRY(opn_i_folder_has_features(folder, &has_features));
    if (!has_features)
        OPN_TRY(opn_i_table_open(folder, "nodes", false, &nodes));
    *out = nodes.is_there;
cleanup:
    opn_i_table_close(folder->ctx, &nodes);
    return status;
}

// node,label, with an empty label for an unlabelled node; or one label per line, where an
// empty line is an unlabelled node.
opn_status opn_i_folder_read_labels(opn_i_folder *folder)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    opn_i_table file = {0};
    opn_i_grid grid = {0};
    OPN_TRY(opn_i_labels_open(folder, &file));
    if (!file.is_there && !folder->has_classes)
        OPN_TRY(opn_i_table_open(folder, "classes", false, &file));
    bool may_follow = file.is_there;
    if (!may_follow && folder->requires_label)
        OPN_TRY(is_node_table_next(folder, &may_follow));
    OPN_FAIL_IF(ctx, !may_follow && folder->requires_label, OPN_ERR_INVALID_ARG,
                "%s: has no labels.csv, target.csv or nodes.csv with a column `label` %s",
                folder->path, folder->label);
    folder->has_label_file = file.is_there;
    if (!file.is_there)
        goto cleanup; // nodes.csv has the labels, or all nodes are unlabelled
    snprintf(folder->label_file, sizeof(folder->label_file), "%s",
             opn_i_base_name(file.path));
    OPN_TRY(opn_i_grid_read(ctx, &file, true, &grid));
    if (grid.n_rows == 0)
        goto cleanup;
    label_reader reader = {.grid = &grid, .path = file.path};
    OPN_TRY(opn_i_choose_label_columns(folder, file.path, &grid, &reader.columns));
    OPN_TRY(read_rows(folder, &reader));
cleanup:
    opn_i_grid_deinit(ctx, &grid);
    opn_i_table_close(ctx, &file);
    return status;
}
