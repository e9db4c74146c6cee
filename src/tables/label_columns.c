// label_columns.c -- chooses the columns of a table of labels by their names and, where
// those do not decide, by what they hold.

#include "tables/label_columns.h"

#include "base/number.h"
#include "tables/folder_words.h"

#include <limits.h>
#include <math.h>
#include <string.h>
#include <strings.h>

// A column with more values is taken for a count or a name.
enum { MAX_LABEL_VALUES = 50 };

typedef struct chooser {
    opn_i_folder *folder;
    const char *path;
    const opn_i_grid *grid;
    bool *chosen; // [columns] scratch
    opn_i_label_columns columns;
} chooser;

static const char *column_name(const chooser *c, size_t column)
{
    return opn_i_names_at(&c->grid->cells, (int64_t)column);
}

// Whether the column is one of a split, and not the label that the caller named.
static bool gives_role(const chooser *c, size_t column)
{
    return column != c->columns.label && opn_i_is_role_column(&c->columns.roles, column);
}

// ---- label ---------------------------------------------------------------------------

// The column that the caller named.
static opn_status find_given(chooser *c)
{
    opn_status status = OPN_OK;
    const char *wanted = c->folder->label;
    const size_t n = c->grid->n_columns;
    opn_i_text list = {.ctx = c->folder->ctx};
    for (size_t f = 0; f < n && c->columns.label == OPN_NO_COLUMN; f++)
        if (strcmp(column_name(c, f), wanted) == 0)
            c->columns.label = f;
    for (size_t f = 0; f < n && c->columns.label == OPN_NO_COLUMN; f++)
        if (strcasecmp(column_name(c, f), wanted) == 0)
            c->columns.label = f;
    if (c->columns.label != OPN_NO_COLUMN || !c->folder->requires_label)
        goto cleanup;
    OPN_FAIL_IF(c->folder->ctx, c->grid->n_head == 0, OPN_ERR_INVALID_ARG,
                "%s: has no header, so no column is called %s; leave out `label`",
                c->path, wanted);
    for (size_t f = 0; f < n; f++)
        c->chosen[f] = !opn_i_names_node(column_name(c, f));
    opn_i_list_names(&list, &c->grid->cells, c->chosen, n, "or");
    OPN_TRY(list.status);
    OPN_FAIL_IF(c->folder->ctx, true, OPN_ERR_INVALID_ARG,
                "%s: no column is called %s; name one with `label`: %s", c->path, wanted,
                opn_i_text_chars(&list));
cleanup:
    opn_i_text_free(&list);
    return status;
}

// Whether the column holds few different values, each of several nodes: words, booleans
// or whole numbers.
static opn_status is_categorical(const chooser *c, size_t column, bool *out)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = c->folder->ctx;
    opn_i_names values = {0};
    int64_t n_values = 0;
    size_t n_rows = 0;
    bool has_fraction = false;
    OPN_TRY(opn_i_grid_distinct(ctx, c->grid, column, &values));
    for (int64_t k = 0; k < values.n; k++) {
        const char *text = opn_i_names_at(&values, k);
        double number = 0.0;
        n_values += !opn_i_is_missing(text);
        if (opn_i_parse_real(text, strlen(text), &number))
            has_fraction = has_fraction || number != floor(number);
    }
    for (size_t row = c->grid->n_head; row < c->grid->n_rows; row++)
        n_rows += !opn_i_is_missing(opn_i_grid_cell(c->grid, row, column));
    *out = n_values >= 2 && n_values <= MAX_LABEL_VALUES && !has_fraction &&
           (size_t)n_values * 2 <= n_rows;
cleanup:
    opn_i_names_deinit(&ctx->alloc, &values);
    return status;
}

// Whether each node has a value of its own in the column and that, or its name, makes it
// the column of the nodes.
static opn_status holds_ids(const chooser *c, size_t column, bool *out)
{
    opn_status status = OPN_OK;
    opn_i_names values = {0};
    OPN_TRY(opn_i_grid_distinct(c->folder->ctx, c->grid, column, &values));
    *out = opn_i_names_node(column_name(c, column));
    if (!*out)
        OPN_TRY(opn_i_holds_nodes(c->folder, &values, out));
    *out = *out && values.n > 2 && (size_t)values.n == c->grid->n_rows - c->grid->n_head;
cleanup:
    opn_i_names_deinit(&c->folder->ctx->alloc, &values);
    return status;
}

// Lists the columns that could be the label, or else all others than `column`.
static opn_status list_fitting(chooser *c, size_t column, opn_i_text *list)
{
    opn_status status = OPN_OK;
    const size_t n = c->grid->n_columns;
    size_t n_chosen = 0;
    for (size_t f = 0; f < n; f++) {
        c->chosen[f] = false;
        if (f != column && !gives_role(c, f))
            OPN_TRY(is_categorical(c, f, &c->chosen[f]));
        n_chosen += c->chosen[f];
    }
    for (size_t f = 0; f < n && n_chosen == 0; f++)
        c->chosen[f] = f != column;
    opn_i_list_names(list, &c->grid->cells, c->chosen, n, "or");
    OPN_TRY(list->status);
cleanup:
    return status;
}

// A label that tells every node apart from all others leaves nothing to learn.
static opn_status check_given(chooser *c)
{
    opn_status status = OPN_OK;
    const size_t label = c->columns.label;
    opn_i_text list = {.ctx = c->folder->ctx};
    bool is_id = false;
    if (label == OPN_NO_COLUMN || c->grid->n_columns == 1)
        goto cleanup;
    OPN_TRY(holds_ids(c, label, &is_id));
    if (!is_id)
        goto cleanup;
    OPN_TRY(list_fitting(c, label, &list));
    OPN_FAIL_IF(c->folder->ctx, true, OPN_ERR_INVALID_ARG,
                "%s: column %s names the nodes and is no label; name one with `label`: "
                "%s",
                c->path, column_name(c, label), opn_i_text_chars(&list));
cleanup:
    opn_i_text_free(&list);
    return status;
}

// Takes the only chosen column; several are an error that asks for one.
static opn_status take_chosen(chooser *c)
{
    opn_status status = OPN_OK;
    const size_t n = c->grid->n_columns;
    size_t n_chosen = 0;
    opn_i_text list = {.ctx = c->folder->ctx};
    for (size_t f = 0; f < n; f++)
        if (c->chosen[f]) {
            c->columns.label = f;
            n_chosen++;
        }
    if (n_chosen <= 1)
        goto cleanup;
    opn_i_list_names(&list, &c->grid->cells, c->chosen, n, "or");
    OPN_TRY(list.status);
    OPN_FAIL_IF(c->folder->ctx, true, OPN_ERR_FORMAT,
                "%s: several columns could be the label; name one with `label`: %s",
                c->path, opn_i_text_chars(&list));
cleanup:
    opn_i_text_free(&list);
    return status;
}

static opn_status find_label_by_name(chooser *c)
{
    if (c->folder->label[0] != 0) {
        opn_status status = find_given(c);
        if (status == OPN_OK)
            status = check_given(c);
        if (status != OPN_OK || c->columns.label != OPN_NO_COLUMN)
            return status;
    }
    const size_t n = c->grid->n_columns;
    for (size_t f = 0; f < n; f++)
        c->chosen[f] = opn_i_names_label(column_name(c, f));
    if (n == 2 && c->chosen[1])
        c->chosen[0] = false; // something has to name the nodes
    return take_chosen(c);
}

// Of the columns beside the nodes: the only one, or the only one that could be a label.
static opn_status find_label_by_values(chooser *c)
{
    opn_status status = OPN_OK;
    const size_t n = c->grid->n_columns;
    size_t n_chosen = 0;
    for (size_t f = 0; f < n; f++) {
        c->chosen[f] = f != c->columns.node && !gives_role(c, f);
        if (n > 2 && c->chosen[f])
            OPN_TRY(is_categorical(c, f, &c->chosen[f]));
        n_chosen += c->chosen[f];
    }
    for (size_t f = 0; f < n && n_chosen == 0; f++)
        c->chosen[f] = f != c->columns.node && !gives_role(c, f);
    OPN_TRY(take_chosen(c));
cleanup:
    return status;
}

// ---- node ----------------------------------------------------------------------------

// As opn_i_node_rank(); a first column without a name is better than none.
static int node_rank(const chooser *c, size_t column)
{
    const char *name = column_name(c, column);
    return column == 0 && opn_i_is_unnamed(name) ? INT_MAX - 1
                                                 : opn_i_node_rank(name, column == 0);
}

// Of the columns chosen, the one that holds the most nodes of the edges; among equals the
// one whose name says it best.
static opn_status find_node_by_values(chooser *c)
{
    opn_status status = OPN_OK;
    opn_i_names values = {0};
    int64_t most = -1;
    OPN_TRY(opn_i_folder_edge_nodes(c->folder));
    for (size_t f = 0; f < c->grid->n_columns; f++) {
        if (!c->chosen[f])
            continue;
        OPN_TRY(opn_i_grid_distinct(c->folder->ctx, c->grid, f, &values));
        const int64_t n_found = opn_i_count_edge_nodes(c->folder, &values);
        opn_i_names_deinit(&c->folder->ctx->alloc, &values);
        if (n_found > most ||
            (n_found == most && node_rank(c, f) < node_rank(c, c->columns.node))) {
            most = n_found;
            c->columns.node = f;
        }
    }
cleanup:
    opn_i_names_deinit(&c->folder->ctx->alloc, &values);
    return status;
}

// Whether all columns are the label and its split.
static bool has_no_node(const chooser *c)
{
    bool has_none = c->columns.label != OPN_NO_COLUMN;
    for (size_t f = 0; f < c->grid->n_columns && has_none; f++)
        has_none = f == c->columns.label || gives_role(c, f);
    return has_none;
}

static opn_status find_node(chooser *c)
{
    opn_status status = OPN_OK;
    const size_t n = c->grid->n_columns;
    size_t n_named = 0;
    if (has_no_node(c))
        return opn_i_graph_note(c->folder->ctx, c->folder->graph,
                                "%s: no column names the nodes, so its rows are the "
                                "nodes 0, 1, 2, … in order",
                                c->folder->label_file);
    for (size_t f = 0; f < n; f++) {
        c->chosen[f] = f != c->columns.label && node_rank(c, f) < INT_MAX;
        n_named += c->chosen[f];
        if (c->chosen[f])
            c->columns.node = f;
    }
    if (n_named == 1)
        goto cleanup;
    for (size_t f = 0; f < n && n_named == 0; f++)
        c->chosen[f] = f != c->columns.label && !gives_role(c, f);
    if (n == 2 && c->columns.label != OPN_NO_COLUMN) {
        c->columns.node = 1 - c->columns.label;
        goto cleanup;
    }
    OPN_TRY(find_node_by_values(c));
    for (size_t f = 0; f < n; f++)
        c->chosen[f] = n > 2 && f == c->columns.node && node_rank(c, f) >= 0;
    OPN_TRY(opn_i_note_node_column(c->folder, c->path, &c->grid->cells, c->chosen, n));
cleanup:
    return status;
}

// ---- both ----------------------------------------------------------------------------

static opn_status choose_named(chooser *c)
{
    opn_status status = OPN_OK;
    const size_t n = c->grid->n_columns;
    OPN_TRY(find_label_by_name(c));
    if (n == 1) {
        c->columns.label = 0;
        goto cleanup;
    }
    OPN_TRY(find_node(c));
    if (c->columns.label == OPN_NO_COLUMN)
        OPN_TRY(find_label_by_values(c));
    if (n == 2 && c->columns.node != OPN_NO_COLUMN)
        goto cleanup;
    for (size_t f = 0; f < n; f++)
        c->chosen[f] = f == c->columns.label && c->folder->label[0] == 0;
    OPN_TRY(opn_i_note_columns(c->folder, c->path, &c->grid->cells, c->chosen, n,
                               "holds the labels", ""));
    for (size_t f = 0; f < n; f++)
        c->chosen[f] = gives_role(c, f);
    OPN_TRY(opn_i_note_columns(c->folder, c->path, &c->grid->cells, c->chosen, n,
                               "gives the split", "give the split"));
    for (size_t f = 0; f < n; f++)
        c->chosen[f] = f != c->columns.label && f != c->columns.node && !gives_role(c, f);
    OPN_TRY(opn_i_note_columns(c->folder, c->path, &c->grid->cells, c->chosen, n,
                               "is not used", "are not used"));
cleanup:
    return status;
}

opn_status opn_i_choose_label_columns(opn_i_folder *folder,
                                      const char *path,
                                      opn_i_grid *grid,
                                      opn_i_label_columns *out)
{
    opn_status status = OPN_OK;
    chooser c = {.folder = folder, .path = path, .grid = grid};
    const size_t n = grid->n_columns;
    OPN_TRY_NEW(folder->ctx, c.chosen, n);
    OPN_TRY(opn_i_find_label_heading(folder, path, grid));
    c.columns.node = OPN_NO_COLUMN;
    c.columns.label = OPN_NO_COLUMN;
    opn_i_find_role_columns(grid, &c.columns.roles);
    if (grid->n_head == 1) {
        OPN_TRY(choose_named(&c));
    } else {
        if (folder->requires_label)
            OPN_TRY(find_given(&c));
        OPN_FAIL_IF(folder->ctx, n > 2, OPN_ERR_FORMAT,
                    "%s:%zu: %zu fields, expected node,label, or a header that names "
                    "the columns",
                    path, grid->line[0], n);
        c.columns.label = n - 1;
        c.columns.node = n == 2 ? 0 : OPN_NO_COLUMN;
    }
    if (opn_i_is_role_column(&c.columns.roles, c.columns.label))
        c.columns.roles = opn_i_no_roles;
    *out = c.columns;
cleanup:
    opn_i_release(&folder->ctx->alloc, c.chosen);
    return status;
}

// ---- a table of nodes ----------------------------------------------------------------

// Whether a column that is called a label may be one: programs that draw call the title
// of a node its label, and where it stands y.
static opn_status may_be_label(const chooser *c, size_t column, bool *out)
{
    opn_status status = OPN_OK;
    opn_i_names values = {0};
    bool has_fraction = false;
    OPN_TRY(opn_i_grid_distinct(c->folder->ctx, c->grid, column, &values));
    for (int64_t k = 0; k < values.n; k++) {
        const char *text = opn_i_names_at(&values, k);
        double number = 0.0;
        if (opn_i_parse_real(text, strlen(text), &number))
            has_fraction = has_fraction || number != floor(number);
    }
    *out = !has_fraction &&
           (values.n <= 2 || (size_t)values.n < c->grid->n_rows - c->grid->n_head);
cleanup:
    opn_i_names_deinit(&c->folder->ctx->alloc, &values);
    return status;
}

opn_status opn_i_choose_node_columns(opn_i_folder *folder,
                                     const char *path,
                                     const opn_i_grid *grid,
                                     opn_i_label_columns *out)
{
    opn_status status = OPN_OK;
    chooser c = {.folder = folder, .path = path, .grid = grid};
    const size_t n = grid->n_columns;
    OPN_TRY_NEW(folder->ctx, c.chosen, n);
    c.columns.node = OPN_NO_COLUMN;
    c.columns.label = OPN_NO_COLUMN;
    opn_i_find_role_columns(grid, &c.columns.roles);
    if (folder->label[0] != 0) {
        OPN_TRY(find_given(&c));
        OPN_TRY(check_given(&c));
    }
    for (size_t f = 0; f < n; f++) {
        c.chosen[f] = grid->n_head == 1 && opn_i_names_label(column_name(&c, f));
        if (c.chosen[f])
            OPN_TRY(may_be_label(&c, f, &c.chosen[f]));
    }
    if (c.columns.label == OPN_NO_COLUMN)
        OPN_TRY(take_chosen(&c));
    if (opn_i_is_role_column(&c.columns.roles, c.columns.label))
        c.columns.roles = opn_i_no_roles;
    *out = c.columns;
cleanup:
    opn_i_release(&folder->ctx->alloc, c.chosen);
    return status;
}
