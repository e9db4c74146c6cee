// folder_split.c -- reads split.csv: the roles that nodes have.

#include "graph/roles.h"
#include "io/path.h"
#include "tables/folder_reader.h"
#include "tables/folder_words.h"

#include <limits.h>
#include <string.h>

typedef struct split_columns {
    size_t node;
    size_t role;
} split_columns;

static bool is_role(const char *text)
{
    uint8_t role;
    return opn_i_role_parse(text, &role);
}

static bool is_header(const opn_i_grid *grid)
{
    bool has_word = false;
    for (size_t f = 0; f < grid->n_columns; f++) {
        const char *name = opn_i_grid_cell(grid, 0, f);
        if (is_role(name))
            return false;
        has_word = has_word || opn_i_word_means(name, OPN_MEANS_ROLE) ||
                   opn_i_names_node(name);
    }
    return has_word;
}

// The column of that name, or in a table of two the one that begins with a role.
static size_t find_role(const opn_i_grid *grid)
{
    for (size_t f = 0; f < grid->n_columns && grid->n_head > 0; f++)
        if (opn_i_word_means(opn_i_grid_cell(grid, 0, f), OPN_MEANS_ROLE))
            return f;
    if (grid->n_columns != 2)
        return OPN_NO_COLUMN;
    const bool has_row = grid->n_rows > grid->n_head;
    return has_row && !is_role(opn_i_grid_cell(grid, grid->n_head, 1)) &&
                           is_role(opn_i_grid_cell(grid, grid->n_head, 0))
                   ? 0
                   : 1;
}

// The column that names the most nodes, the first among equals.
static size_t find_nodes(const opn_i_folder *folder, const opn_i_grid *grid, size_t role)
{
    size_t best = role == 0 ? 1 : 0;
    size_t most = 0;
    for (size_t f = 0; f < grid->n_columns && grid->n_columns > 2; f++) {
        size_t n_nodes = 0;
        for (size_t row = grid->n_head; row < grid->n_rows && f != role; row++) {
            const char *name = opn_i_grid_cell(grid, row, f);
            n_nodes += opn_i_find_node(folder, name, strlen(name)) >= 0;
        }
        if (n_nodes > most) {
            most = n_nodes;
            best = f;
        }
    }
    return best;
}

static opn_status choose_columns(const opn_i_folder *folder,
                                 const char *path,
                                 opn_i_grid *grid,
                                 split_columns *out)
{
    opn_status status = OPN_OK;
    bool *unused = NULL;
    grid->n_head = is_header(grid);
    out->role = find_role(grid);
    OPN_FAIL_IF(folder->ctx, grid->n_columns < 2 || out->role == OPN_NO_COLUMN,
                OPN_ERR_FORMAT, "%s:%zu: %zu %s, expected node,role%s", path,
                grid->line[0], grid->n_columns, opn_i_fields_word(grid->n_columns),
                grid->n_columns == 1 ? "; " OPN_CSV_SEPARATORS : "");
    out->node = find_nodes(folder, grid, out->role);
    OPN_TRY_NEW(folder->ctx, unused, grid->n_columns);
    for (size_t f = 0; f < grid->n_columns; f++)
        unused[f] = f != out->role && f != out->node;
    OPN_TRY(opn_i_note_columns(folder, path, &grid->cells, unused, grid->n_columns,
                               "is not used", "are not used"));
cleanup:
    opn_i_release(&folder->ctx->alloc, unused);
    return status;
}

opn_status opn_i_check_role(const opn_i_folder *folder,
                            const char *path,
                            size_t line,
                            const char *node,
                            uint8_t role,
                            int32_t label)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(folder->ctx, !opn_i_role_fits(role, label), OPN_ERR_FORMAT,
                "%s:%zu: node \"%s\" is used to %s but has no label", path, line, node,
                opn_i_role_verb(role));
cleanup:
    return status;
}

static opn_status read_role(opn_i_folder *folder,
                            const char *path,
                            size_t line,
                            const char *name,
                            const char *text)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    opn_graph *graph = folder->graph;
    int32_t node = 0;
    uint8_t role = OPN_ROLE_POOL;
    OPN_TRY(opn_i_require_node(folder, path, line, name, &node));
    OPN_FAIL_IF(ctx, !opn_i_role_parse(text, &role), OPN_ERR_FORMAT,
                "%s:%zu: role \"%s\", where " OPN_ROLE_WORDS " is needed", path, line,
                text);
    OPN_TRY(opn_i_check_role(folder, path, line, name, role, graph->label[node]));
    OPN_FAIL_IF(ctx, (folder->listed[node] & OPN_IN_SPLIT) != 0, OPN_ERR_FORMAT,
                "%s:%zu: node \"%s\" is listed twice", path, line, name);
    folder->listed[node] |= OPN_IN_SPLIT;
    graph->given_role[node] = role;
cleanup:
    return status;
}

// Takes the split that stands beside the labels.
static opn_status take_roles(opn_i_folder *folder)
{
    opn_status status = OPN_OK;
    opn_graph *graph = folder->graph;
    OPN_TRY_NEW(folder->ctx, graph->given_role, folder->nodes.n);
    for (int64_t i = 0; i < folder->nodes.n; i++)
        graph->given_role[folder->number[i]] = folder->role_of[i];
cleanup:
    return status;
}

// Nodes the file does not list are in the pool.
opn_status opn_i_folder_read_split(opn_i_folder *folder)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    opn_i_table file = {0};
    opn_i_grid grid = {0};
    split_columns columns = {0};
    OPN_TRY(opn_i_table_open(folder, "split", false, &file));
    if (!file.is_there && folder->has_roles)
        OPN_TRY(take_roles(folder));
    if (!file.is_there)
        goto cleanup;
    if (folder->has_roles)
        OPN_TRY(opn_i_graph_note(ctx, folder->graph,
                                 "%s: the split in %s is not used, because there is this "
                                 "file",
                                 opn_i_base_name(file.path), folder->label_file));
    OPN_TRY_NEW(ctx, folder->graph->given_role, folder->nodes.n);
    memset(folder->graph->given_role, OPN_ROLE_POOL, (size_t)folder->nodes.n);
    OPN_TRY(opn_i_grid_read(ctx, &file, false, &grid));
    if (grid.n_rows == 0)
        goto cleanup;
    OPN_TRY(choose_columns(folder, file.path, &grid, &columns));
    for (size_t row = grid.n_head; row < grid.n_rows; row++)
        OPN_TRY(read_role(folder, file.path, grid.line[row],
                          opn_i_grid_cell(&grid, row, columns.node),
                          opn_i_grid_cell(&grid, row, columns.role)));
cleanup:
    opn_i_grid_deinit(ctx, &grid);
    opn_i_table_close(ctx, &file);
    return status;
}
