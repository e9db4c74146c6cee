// folder_grid.c -- tables held in memory as a whole, and lists of their columns.

#include "io/path.h"
#include "tables/folder_reader.h"

#include <stdio.h>
#include <string.h>

void opn_i_grid_deinit(opn_ctx *ctx, opn_i_grid *grid)
{
    opn_i_names_deinit(&ctx->alloc, &grid->cells);
    opn_i_release(&ctx->alloc, grid->line);
}

opn_status opn_i_grid_add_row(opn_ctx *ctx, const opn_i_csv *rows, opn_i_grid *grid)
{
    opn_status status = OPN_OK;
    OPN_TRY_RESERVE(ctx, grid->line, grid->line_room, grid->n_rows, grid->n_rows + 1);
    for (size_t f = 0; f < rows->n_fields; f++)
        OPN_TRY(opn_i_names_add(ctx, &grid->cells, rows->field[f].text,
                                rows->field[f].n_chars));
    grid->line[grid->n_rows++] = rows->line;
cleanup:
    return status;
}

opn_status
opn_i_grid_read(opn_ctx *ctx, opn_i_table *table, bool keeps_blank, opn_i_grid *grid)
{
    opn_status status = OPN_OK;
    const opn_i_csv *rows = &table->rows;
    bool has_row = false;
    if (keeps_blank)
        OPN_TRY(opn_i_table_next_line(ctx, table, &has_row));
    else
        OPN_TRY(opn_i_table_next(ctx, table, 0, &has_row));
    grid->n_columns = rows->n_fields;
    while (has_row) {
        OPN_TRY(opn_i_grid_add_row(ctx, rows, grid));
        if (keeps_blank && grid->n_columns == 1) {
            OPN_TRY(opn_i_table_next_line(ctx, table, &has_row));
            OPN_FAIL_IF(ctx, has_row && rows->n_fields != 1, OPN_ERR_FORMAT,
                        "%s:%zu: %zu fields, but the first row has 1", rows->name,
                        rows->line, rows->n_fields);
        } else {
            OPN_TRY(opn_i_table_next(ctx, table, grid->n_columns, &has_row));
        }
    }
cleanup:
    return status;
}

const char *opn_i_grid_cell(const opn_i_grid *grid, size_t row, size_t column)
{
    return opn_i_names_at(&grid->cells, (int64_t)(row * grid->n_columns + column));
}

opn_status
opn_i_grid_distinct(opn_ctx *ctx, const opn_i_grid *grid, size_t column, opn_i_names *out)
{
    opn_status status = OPN_OK;
    int32_t number = 0;
    for (size_t row = grid->n_head; row < grid->n_rows; row++) {
        OPN_TRY_GO_ON(ctx, row, "reading a table");
        const char *cell = opn_i_grid_cell(grid, row, column);
        OPN_TRY(opn_i_names_intern(ctx, out, cell, strlen(cell), &number));
    }
cleanup:
    return status;
}

// ---- lists of columns ----------------------------------------------------------------

enum { MAX_LISTED = 8, MAX_CHARS = 40 }; // a list is for people to read

// Line ends and the like would break the line of a message; a name with blanks or commas
// is quoted, so that one sees where it ends.
static void add_name(opn_i_text *text, const char *name)
{
    const size_t n = strlen(name);
    const char *quote = n == 0 || strpbrk(name, " \t\r\n,;\"") != NULL ? "\"" : "";
    size_t n_shown = n < MAX_CHARS ? n : MAX_CHARS;
    while (n_shown < n && n_shown > 0 && ((unsigned char)name[n_shown] & 0xC0) == 0x80)
        n_shown--; // not within a character
    opn_i_text_add(text, "%s", quote);
    for (size_t c = 0; c < n_shown; c++) {
        const char shown =
                (unsigned char)name[c] < 0x20 || name[c] == 0x7f ? ' ' : name[c];
        opn_i_text_put(text, &shown, 1);
    }
    opn_i_text_add(text, "%s%s", n_shown < n ? "…" : "", quote);
}

void opn_i_list_names(opn_i_text *text,
                      const opn_i_names *names,
                      const bool *chosen,
                      size_t n,
                      const char *last)
{
    size_t n_chosen = 0;
    size_t n_put = 0;
    for (size_t i = 0; i < n; i++)
        n_chosen += chosen[i];
    const size_t n_shown = n_chosen > MAX_LISTED ? MAX_LISTED : n_chosen;
    for (size_t i = 0; i < n && n_put < n_shown; i++) {
        if (!chosen[i])
            continue;
        const bool is_last = n_put + 1 == n_chosen;
        if (n_put > 0 && is_last)
            opn_i_text_add(text, " %s ", last);
        else if (n_put > 0)
            opn_i_text_add(text, ", ");
        add_name(text, opn_i_names_at(names, (int64_t)i));
        n_put++;
    }
    if (n_chosen > n_shown)
        opn_i_text_add(text, " %s %zu more", last, n_chosen - n_shown);
}

opn_status opn_i_note_columns(const opn_i_folder *folder,
                              const char *path,
                              const opn_i_names *names,
                              const bool *chosen,
                              size_t n,
                              const char *after,
                              const char *after_many)
{
    opn_status status = OPN_OK;
    opn_i_text list = {.ctx = folder->ctx};
    size_t n_chosen = 0;
    for (size_t i = 0; i < n; i++)
        n_chosen += chosen[i];
    if (n_chosen == 0)
        goto cleanup;
    opn_i_list_names(&list, names, chosen, n, "and");
    OPN_TRY(list.status);
    OPN_TRY(opn_i_graph_note(folder->ctx, folder->graph, "%s: column%s %s %s",
                             opn_i_base_name(path), n_chosen == 1 ? "" : "s",
                             opn_i_text_chars(&list),
                             n_chosen == 1 ? after : after_many));
cleanup:
    opn_i_text_free(&list);
    return status;
}

opn_status opn_i_note_node_column(const opn_i_folder *folder,
                                  const char *path,
                                  const opn_i_names *names,
                                  const bool *chosen,
                                  size_t n)
{
    char after[OPN_FILE_NAME_ROOM + 64];
    snprintf(after, sizeof(after), "names the nodes, for it holds those of %s",
             folder->given != NULL ? "the edges" : folder->edge_file);
    return opn_i_note_columns(folder, path, names, chosen, n, after, "");
}
