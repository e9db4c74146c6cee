// folder_table.c -- opens tables, detects how their fields are separated, and reads them
// row by row.

#include "io/path.h"
#include "tables/folder_reader.h"

#include <float.h>
#include <string.h>

enum { BYTES_A_TICK = 1 << 20 }; // some 20 ms of a table of numbers

void opn_i_table_close(opn_ctx *ctx, opn_i_table *table)
{
    opn_i_csv_close(ctx, &table->rows);
    opn_i_release(&ctx->alloc, table->path);
}

// ---- opening -------------------------------------------------------------------------

// What usually separates the fields of a file of that name.
static char usual_delimiter(const char *path)
{
    return opn_i_path_has_suffix(path, ".tsv")   ? '\t'
           : opn_i_path_has_suffix(path, ".csv") ? ','
                                                 : OPN_CSV_BLANKS;
}

// Other matrices of numbers would be read as edges, the line with their size included.
static opn_status check_text(opn_ctx *ctx, const char *path, const opn_i_bytes *bytes)
{
    static const char matrix_market[] = "%%MatrixMarket";
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx,
                bytes->n >= strlen(matrix_market) &&
                        memcmp(bytes->data, matrix_market, strlen(matrix_market)) == 0,
                OPN_ERR_UNSUPPORTED,
                "%s: is a Matrix Market file; scipy.sparse.save_npz(name, "
                "scipy.io.mmread(file)) makes an .npz file of it",
                path);
cleanup:
    return status;
}

static opn_status open_file(const opn_i_folder *folder, bool is_list, opn_i_table *table)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    opn_i_bytes bytes = {0};
    const char usual = usual_delimiter(table->path);
    const bool is_plain = usual == OPN_CSV_BLANKS;
    OPN_TRY(opn_i_regular_file_read(ctx, table->path, &bytes));
    OPN_TRY(check_text(ctx, table->path, &bytes));
    const char delimiter = !is_list   ? opn_i_csv_delimiter(&bytes, usual)
                           : is_plain ? '\t' // a name may have blanks
                                      : usual;
    OPN_TRY(opn_i_csv_open(ctx, table->path, &bytes, delimiter, &table->rows));
    table->rows.has_comments = is_plain;
cleanup:
    opn_i_bytes_release(ctx, &bytes);
    return status;
}

static opn_status
open_given(const opn_i_folder *folder, const char *name, opn_i_table *table)
{
    opn_status status = OPN_OK;
    for (const opn_i_given_table *given = folder->given; given->name != NULL; given++)
        if (strcmp(given->name, name) == 0)
            table->grid = given->grid;
    if (table->grid != NULL)
        OPN_TRY(opn_i_join_path(folder->ctx, NULL, folder->path, "", &table->path));
    table->rows.name = table->path;
    table->rows.delimiter = ',';
    table->is_there = table->grid != NULL;
cleanup:
    return status;
}

opn_status opn_i_table_open(const opn_i_folder *folder,
                            const char *name,
                            bool is_list,
                            opn_i_table *table)
{
    opn_status status = OPN_OK;
    if (folder->given != NULL)
        return open_given(folder, name, table);
    if (strcmp(name, "edges") != 0)
        OPN_TRY(opn_i_table_find(folder, name, &table->path));
    else if (folder->edge_path != NULL)
        OPN_TRY(opn_i_join_path(folder->ctx, NULL, folder->edge_path, "", &table->path));
    table->is_there = table->path != NULL;
    if (table->is_there)
        OPN_TRY(open_file(folder, is_list, table));
cleanup:
    return status;
}

opn_status opn_i_table_open_grid(opn_ctx *ctx,
                                 const char *path,
                                 const opn_i_grid *grid,
                                 const bool *hidden,
                                 opn_i_table *table)
{
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_join_path(ctx, NULL, path, "", &table->path));
    table->grid = grid;
    table->hidden = hidden;
    table->rows.name = table->path;
    table->rows.delimiter = ',';
    table->is_there = true;
cleanup:
    return status;
}

// ---- rows ----------------------------------------------------------------------------

// Hands out the next row of a table in memory as if it had been read.
static opn_status next_grid_row(opn_ctx *ctx, opn_i_table *table, bool *has_row)
{
    opn_status status = OPN_OK;
    const opn_i_grid *grid = table->grid;
    opn_i_csv *rows = &table->rows;
    *has_row = table->next_row < grid->n_rows;
    if (!*has_row)
        goto cleanup;
    OPN_TRY_RESERVE(ctx, rows->field, rows->field_room, 0, grid->n_columns);
    rows->n_fields = 0;
    for (size_t f = 0; f < grid->n_columns; f++) {
        const char *text = opn_i_grid_cell(grid, table->next_row, f);
        if (table->hidden == NULL || !table->hidden[f])
            rows->field[rows->n_fields++] = (opn_i_csv_field){text, strlen(text), false};
    }
    rows->line = grid->line[table->next_row++];
cleanup:
    return status;
}

opn_status opn_i_table_next_line(opn_ctx *ctx, opn_i_table *table, bool *has_row)
{
    return table->grid != NULL ? next_grid_row(ctx, table, has_row)
                               : opn_i_csv_next(ctx, &table->rows, has_row);
}

bool opn_i_row_is_blank(const opn_i_csv *rows)
{
    return rows->n_fields == 1 && rows->field[0].n_chars == 0 && !rows->field[0].quoted;
}

opn_status
opn_i_table_next(opn_ctx *ctx, opn_i_table *table, size_t n_fields, bool *has_row)
{
    opn_status status = OPN_OK;
    opn_i_csv *rows = &table->rows;
    do
        OPN_TRY(opn_i_table_next_line(ctx, table, has_row));
    while (*has_row && table->grid == NULL && opn_i_row_is_blank(rows));
    OPN_FAIL_IF(ctx, *has_row && n_fields > 0 && rows->n_fields != n_fields,
                OPN_ERR_FORMAT, "%s:%zu: %zu %s, but the first row has %zu%s", rows->name,
                rows->line, rows->n_fields, opn_i_fields_word(rows->n_fields), n_fields,
                rows->n_fields == 1 || n_fields == 1 ? "; " OPN_CSV_SEPARATORS : "");
    const size_t n_read = (size_t)(rows->at - rows->bytes.data);
    if (n_read - table->n_told >= BYTES_A_TICK) {
        table->n_told = n_read;
        OPN_TRY(opn_i_progress(ctx, "reading rows", (int64_t)rows->line, 0, "rows"));
    }
cleanup:
    return status;
}

bool opn_i_field_number(const opn_i_csv *rows, size_t f, double *out)
{
    char text[64];
    opn_i_csv_field field = rows->field[f];
    if (opn_i_csv_real(&field, out))
        return true;
    const char *comma = field.n_chars < sizeof(text) ? strchr(field.text, ',') : NULL;
    if (rows->delimiter != ';' || comma == NULL)
        return false;
    memcpy(text, field.text, field.n_chars + 1);
    text[comma - field.text] = '.';
    field.text = text;
    return opn_i_csv_real(&field, out);
}

bool opn_i_is_value(double number)
{
    return number <= (double)FLT_MAX && number >= -(double)FLT_MAX;
}

opn_status opn_i_field_value(opn_ctx *ctx, const opn_i_csv *rows, size_t f, double *out)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, !opn_i_field_number(rows, f, out) || !opn_i_is_value(*out),
                OPN_ERR_FORMAT, "%s:%zu: field %zu, \"%s\", is not a finite number",
                rows->name, rows->line, f + 1, rows->field[f].text);
cleanup:
    return status;
}

bool opn_i_is_number(const char *text)
{
    const opn_i_csv_field field = {.text = text, .n_chars = strlen(text)};
    double number;
    return opn_i_csv_real(&field, &number);
}
