// label_heading.c -- whether the first row of a table of labels names its columns: by
// known words, or because it is unlike the others.

#include "tables/class_order.h"
#include "tables/label_columns.h"

#include <string.h>
#include <strings.h>

// Whether the column has a word in the first row and numbers below it.
static bool is_word_over_numbers(const opn_i_grid *grid, size_t column)
{
    const char *first = opn_i_grid_cell(grid, 0, column);
    bool has_number = false;
    if (opn_i_is_missing(first) || opn_i_is_number(first))
        return false;
    for (size_t row = 1; row < grid->n_rows; row++) {
        const char *text = opn_i_grid_cell(grid, row, column);
        if (!opn_i_is_number(text) && !opn_i_is_missing(text))
            return false;
        has_number = has_number || opn_i_is_number(text);
    }
    return has_number;
}

static bool is_repeated(const opn_i_grid *grid, size_t column)
{
    const char *first = opn_i_grid_cell(grid, 0, column);
    for (size_t row = 1; row < grid->n_rows; row++)
        if (strcmp(first, opn_i_grid_cell(grid, row, column)) == 0)
            return true;
    return false;
}

static opn_status note_heading(const opn_i_folder *folder, const opn_i_grid *grid)
{
    static const bool all[2] = {true, true};
    opn_status status = OPN_OK;
    opn_i_text list = {.ctx = folder->ctx};
    opn_i_list_names(&list, &grid->cells, all, grid->n_columns, "and");
    OPN_TRY(list.status);
    OPN_TRY(opn_i_graph_note(folder->ctx, folder->graph,
                             "%s: the first row, %s, is taken as a heading",
                             folder->label_file, opn_i_text_chars(&list)));
cleanup:
    opn_i_text_free(&list);
    return status;
}

// ---- one column ----------------------------------------------------------------------

// The first row of a column of words is a label where there are as many rows as nodes,
// and a heading where there is one more.
static opn_status
compare_rows(opn_i_folder *folder, const char *path, const opn_i_grid *grid, bool *out)
{
    opn_status status = OPN_OK;
    opn_i_names values = {0};
    const char *first = opn_i_grid_cell(grid, 0, 0);
    size_t n_nodes = 0;
    OPN_TRY(opn_i_folder_count_rows(folder, &n_nodes));
    OPN_FAIL_IF(folder->ctx,
                n_nodes > 0 && grid->n_rows != n_nodes && grid->n_rows != n_nodes + 1,
                OPN_ERR_FORMAT,
                "%s:%zu: \"%s\" may be a heading or a label, and %zu rows fit the %zu "
                "nodes of features.csv in neither case; call a heading label",
                path, grid->line[0], first, grid->n_rows, n_nodes);
    *out = n_nodes > 0 && grid->n_rows == n_nodes + 1;
    if (n_nodes > 0)
        goto cleanup;
    // Edges may lack the last nodes, so the other labels have to be unlike the first.
    OPN_TRY(opn_i_folder_edge_nodes(folder));
    int64_t largest = -1;
    for (int64_t i = 0; i < folder->edge_nodes.n; i++) {
        const int64_t node = opn_i_plain_number(opn_i_names_at(&folder->edge_nodes, i));
        largest = node > largest ? node : largest;
    }
    OPN_TRY(opn_i_grid_distinct(folder->ctx, grid, 0, &values));
    *out = (int64_t)grid->n_rows == largest + 2 &&
           2 * (values.n - 1) <= (int64_t)grid->n_rows - 1;
cleanup:
    opn_i_names_deinit(&folder->ctx->alloc, &values);
    return status;
}

// In a file of one column, "y" and "target" may be classes.
static opn_status find_list_heading(opn_i_folder *folder,
                                    const char *path,
                                    const opn_i_grid *grid,
                                    bool *out)
{
    opn_status status = OPN_OK;
    const char *first = opn_i_grid_cell(grid, 0, 0);
    *out = opn_i_word_means(first, OPN_MEANS_LABEL) ||
           (opn_i_word_means(first, OPN_MEANS_CLASS) && !is_repeated(grid, 0));
    if (*out || opn_i_is_missing(first) || opn_i_is_number(first) || is_repeated(grid, 0))
        goto cleanup;
    *out = is_word_over_numbers(grid, 0);
    if (!*out && !folder->has_classes)
        OPN_TRY(compare_rows(folder, path, grid, out));
    if (*out)
        OPN_TRY(note_heading(folder, grid));
cleanup:
    return status;
}

// ---- several columns -----------------------------------------------------------------

static bool has_heading(const opn_i_grid *grid)
{
    const size_t n = grid->n_columns;
    size_t n_other_words = 0;
    size_t n_label_words = 0;
    size_t n_numbers = 0;
    bool is_over_numbers = is_word_over_numbers(grid, 0);
    for (size_t f = 0; f < n; f++) {
        const char *name = opn_i_grid_cell(grid, 0, f);
        n_other_words += opn_i_names_node(name) ||
                         opn_i_word_means(name, OPN_MEANS_ROLE) ||
                         opn_i_word_means(name, OPN_MEANS_TRAIN);
        n_label_words += opn_i_names_label(name);
        n_numbers += opn_i_is_number(name);
        is_over_numbers = is_over_numbers || (n > 2 && is_word_over_numbers(grid, f));
    }
    // In two columns one word is enough; "y" may be a class, and "user" a node.
    if (n == 2 && (opn_i_word_means(opn_i_grid_cell(grid, 0, 1), OPN_MEANS_LABEL) ||
                   opn_i_word_means(opn_i_grid_cell(grid, 0, 0), OPN_MEANS_NODE)))
        return true;
    return (n_other_words > 0 && n_label_words > 0) ||
           (is_over_numbers && n_numbers == 0);
}

// Whether the first row of two columns is unlike the others, which begin with a node of
// the edges.
static opn_status
find_odd_heading(opn_i_folder *folder, const opn_i_grid *grid, bool *out)
{
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_folder_edge_nodes(folder));
    bool is_odd = grid->n_rows > 2 && !is_repeated(grid, 1);
    for (size_t row = 0; row < grid->n_rows && is_odd; row++) {
        const char *name = opn_i_grid_cell(grid, row, 0);
        is_odd = (opn_i_names_find(&folder->edge_nodes, name, strlen(name)) >= 0) ==
                 (row > 0);
    }
    *out = is_odd;
    if (is_odd)
        OPN_TRY(note_heading(folder, grid));
cleanup:
    return status;
}

opn_status
opn_i_find_label_heading(opn_i_folder *folder, const char *path, opn_i_grid *grid)
{
    opn_status status = OPN_OK;
    bool is_heading = false;
    for (size_t f = 0; f < grid->n_columns; f++)
        if (folder->label[0] != 0 &&
            strcasecmp(opn_i_grid_cell(grid, 0, f), folder->label) == 0)
            is_heading = true;
    if (is_heading)
        goto cleanup;
    if (grid->n_columns == 1)
        OPN_TRY(find_list_heading(folder, path, grid, &is_heading));
    else
        is_heading = has_heading(grid);
    if (!is_heading && grid->n_columns == 2 &&
        !opn_i_is_number(opn_i_grid_cell(grid, 0, 0)))
        OPN_TRY(find_odd_heading(folder, grid, &is_heading));
cleanup:
    grid->n_head = is_heading;
    return status;
}
