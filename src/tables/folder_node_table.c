// folder_node_table.c -- reads a table with everything about the nodes: their features,
// and perhaps labels, a split, and what programs that draw or predict have added.

#include "io/path.h"
#include "tables/folder_words.h"
#include "tables/label_columns.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef struct node_table {
    opn_i_folder *folder;
    const char *path;
    opn_i_grid grid;
    bool *hidden; // [columns] those that are no features
    bool *chosen; // [columns] scratch
    opn_i_label_columns columns;
} node_table;

static const char *head_of(const node_table *t, size_t column)
{
    return opn_i_grid_cell(&t->grid, 0, column);
}

// As in a table of features: a row of words alone is a header, and so is one that names
// the nodes.
static bool has_header(const opn_i_grid *grid)
{
    size_t n_words = 0;
    size_t n_nodes = 0;
    for (size_t f = 0; f < grid->n_columns; f++) {
        n_words += !opn_i_is_number(opn_i_grid_cell(grid, 0, f));
        n_nodes += opn_i_names_node(opn_i_grid_cell(grid, 0, f));
    }
    return n_nodes > 0 || n_words == grid->n_columns;
}

// ---- columns that are no features ----------------------------------------------------

// Hides the chosen columns and says why.
static opn_status hide_chosen(node_table *t, const char *after, const char *after_many)
{
    for (size_t f = 0; f < t->grid.n_columns; f++)
        t->hidden[f] = t->hidden[f] || t->chosen[f];
    return opn_i_note_columns(t->folder, t->path, &t->grid.cells, t->chosen,
                              t->grid.n_columns, after, after_many);
}

static bool has_column(const node_table *t, const char *name)
{
    for (size_t f = 0; f < t->grid.n_columns; f++)
        if (strcmp(head_of(t, f), name) == 0)
            return true;
    return false;
}

static bool is_of_class(const char *name)
{
    static const char *const starts[] = {"p_", "alpha_", "calibrated_"};
    for (size_t s = 0; s < sizeof(starts) / sizeof(starts[0]); s++)
        if (strncmp(name, starts[s], strlen(starts[s])) == 0)
            return true;
    return false;
}

// What `opine predict` writes: to train on it would be to learn from an older model.
static opn_status hide_predictions(node_table *t)
{
    if (!has_column(t, "predicted") || !has_column(t, "entropy"))
        return OPN_OK;
    for (size_t f = 0; f < t->grid.n_columns; f++)
        t->chosen[f] =
                !t->hidden[f] && (opn_i_word_means(head_of(t, f), OPN_MEANS_PREDICTION) ||
                                  opn_i_word_means(head_of(t, f), OPN_MEANS_ROLE) ||
                                  is_of_class(head_of(t, f)));
    return hide_chosen(t, "is a prediction and is not used",
                       "are predictions and are not used");
}

// Where Gephi has put a node, and in which size and colour.
static opn_status hide_drawing(node_table *t)
{
    static const char *const names[] = {"x", "y", "size", "r", "g", "b"};
    enum { N_NAMES = sizeof(names) / sizeof(names[0]) };
    bool is_drawn = true;
    for (size_t d = 0; d < N_NAMES; d++)
        is_drawn = is_drawn && has_column(t, names[d]);
    for (size_t f = 0; f < t->grid.n_columns; f++) {
        t->chosen[f] = false;
        for (size_t d = 0; d < N_NAMES && is_drawn; d++)
            if (strcmp(head_of(t, f), names[d]) == 0)
                t->chosen[f] = !t->hidden[f];
    }
    return hide_chosen(t, "", "are how Gephi draws the nodes and are not used");
}

// Labels and roles, which are read from here unless there is a file of labels.
static opn_status hide_labels(node_table *t)
{
    opn_status status = OPN_OK;
    const bool is_other = t->folder->has_label_file;
    OPN_TRY(opn_i_choose_node_columns(t->folder, t->path, &t->grid, &t->columns));
    for (size_t f = 0; f < t->grid.n_columns; f++)
        t->chosen[f] = f == t->columns.label;
    OPN_TRY(hide_chosen(t, is_other ? "is not used" : "holds the labels", ""));
    for (size_t f = 0; f < t->grid.n_columns; f++)
        t->chosen[f] =
                f != t->columns.label && opn_i_is_role_column(&t->columns.roles, f);
    OPN_TRY(hide_chosen(t, is_other ? "is not used" : "gives the split",
                        is_other ? "are not used" : "give the split"));
cleanup:
    return status;
}

// A word for every node is no feature: it is what the node is called.
static opn_status hide_titles(node_table *t)
{
    opn_status status = OPN_OK;
    opn_i_names values = {0};
    for (size_t f = 0; f < t->grid.n_columns; f++) {
        t->chosen[f] = false;
        if (t->hidden[f] || !opn_i_names_label(head_of(t, f)))
            continue;
        OPN_TRY(opn_i_grid_distinct(t->folder->ctx, &t->grid, f, &values));
        t->chosen[f] = (size_t)values.n == t->grid.n_rows - t->grid.n_head &&
                       values.n > 2 && !opn_i_is_number(opn_i_names_at(&values, 0));
        opn_i_names_deinit(&t->folder->ctx->alloc, &values);
    }
    OPN_TRY(hide_chosen(t, "has a value of its own for every node and is not used",
                        "have a value of their own for every node and are not used"));
cleanup:
    opn_i_names_deinit(&t->folder->ctx->alloc, &values);
    return status;
}

// ---- rows ----------------------------------------------------------------------------

// The column that names the nodes, if there is no other left.
static size_t find_lone_node(const node_table *t)
{
    size_t lone = OPN_NO_COLUMN;
    for (size_t f = 0; f < t->grid.n_columns; f++) {
        if (t->hidden[f])
            continue;
        if (lone != OPN_NO_COLUMN || !opn_i_names_node(head_of(t, f)))
            return OPN_NO_COLUMN;
        lone = f;
    }
    return lone;
}

static opn_status declare_nodes(node_table *t, size_t column, int32_t *node)
{
    opn_status status = OPN_OK;
    opn_i_folder *folder = t->folder;
    for (size_t row = t->grid.n_head; row < t->grid.n_rows; row++) {
        const char *name = opn_i_grid_cell(&t->grid, row, column);
        int32_t *of_row = &node[row - t->grid.n_head];
        OPN_FAIL_IF(folder->ctx, name[0] == 0, OPN_ERR_FORMAT,
                    "%s:%zu: the node has no name", t->path, t->grid.line[row]);
        OPN_TRY(opn_i_declare_node(folder, name, strlen(name), of_row));
        OPN_TRY(opn_i_list_once(folder, t->path, t->grid.line[row], *of_row,
                                OPN_IN_FEATURES));
    }
    OPN_TRY(opn_i_note_no_features(folder));
cleanup:
    return status;
}

static opn_status read_visible(node_table *t, int32_t **node)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = t->folder->ctx;
    opn_i_table visible = {0};
    bool has_row = false;
    const size_t lone = find_lone_node(t);
    if (lone != OPN_NO_COLUMN && t->grid.n_head == 1) {
        OPN_TRY_NEW(ctx, *node, t->grid.n_rows - t->grid.n_head);
        OPN_TRY(declare_nodes(t, lone, *node));
        goto cleanup;
    }
    OPN_TRY(opn_i_table_open_grid(ctx, t->path, &t->grid, t->hidden, &visible));
    OPN_TRY(opn_i_table_next(ctx, &visible, 0, &has_row));
    OPN_TRY(opn_i_folder_read_dense(t->folder, &visible, node));
cleanup:
    opn_i_table_close(ctx, &visible);
    return status;
}

opn_status opn_i_folder_read_nodes(opn_i_folder *folder, opn_i_table *table)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    node_table t = {.folder = folder, .path = table->path};
    int32_t *node = NULL;
    OPN_TRY(opn_i_grid_read(ctx, table, false, &t.grid));
    OPN_FAIL_IF(ctx, t.grid.n_rows == 0, OPN_ERR_FORMAT, "%s: is empty", table->path);
    t.grid.n_head = has_header(&t.grid);
    OPN_TRY_NEW(ctx, t.hidden, t.grid.n_columns);
    OPN_TRY_NEW(ctx, t.chosen, t.grid.n_columns);
    OPN_TRY(hide_drawing(&t));
    OPN_TRY(hide_labels(&t));
    OPN_TRY(hide_predictions(&t));
    OPN_TRY(hide_titles(&t));
    OPN_TRY(read_visible(&t, &node));
    folder->has_node_table = folder->features.n > 0 && t.columns.label == OPN_NO_COLUMN;
    if (t.columns.label != OPN_NO_COLUMN && !folder->has_label_file) {
        snprintf(folder->label_file, sizeof(folder->label_file), "%s",
                 opn_i_base_name(table->path));
        OPN_TRY(opn_i_read_node_labels(folder, table->path, &t.grid, &t.columns, node));
    }
cleanup:
    opn_i_grid_deinit(ctx, &t.grid);
    opn_i_release(&ctx->alloc, t.hidden);
    opn_i_release(&ctx->alloc, t.chosen);
    opn_i_release(&ctx->alloc, node);
    return status;
}
