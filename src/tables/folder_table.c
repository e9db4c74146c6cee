// folder_table.c -- finds the files of a folder, detects how their fields are separated,
// and reads them row by row.

#include "io/path.h"
#include "tables/folder_reader.h"

#include <float.h>
#include <string.h>

enum { BYTES_A_TICK = 1 << 20 }; // some 20 ms of a table of numbers

static const char *const suffixes_of_tables[] = {".csv", ".csv.gz", ".tsv", ".tsv.gz",
                                                 NULL};

void opn_i_table_close(opn_ctx *ctx, opn_i_table *table)
{
    opn_i_csv_close(ctx, &table->rows);
    opn_i_release(&ctx->alloc, table->path);
}

opn_status opn_i_folder_find(const opn_i_folder *folder,
                             const char *name,
                             const char *const *suffixes,
                             const char **suffix,
                             char **out)
{
    opn_status status = OPN_OK;
    char *path = NULL;
    for (; *suffixes != NULL; suffixes++) {
        OPN_TRY(opn_i_join_path(folder->ctx, folder->path, name, *suffixes, &path));
        // Whatever has the name is accepted, so that opening it reports the problem.
        if (opn_i_path_is_taken(path))
            break;
        opn_i_release(&folder->ctx->alloc, path);
        path = NULL;
    }
    *suffix = *suffixes;
    *out = path;
cleanup:
    return status;
}

opn_status opn_i_table_find(const opn_i_folder *folder,
                            const char *name,
                            const char **suffix,
                            char **out)
{
    return opn_i_folder_find(folder, name, suffixes_of_tables, suffix, out);
}

opn_status opn_i_table_open(const opn_i_folder *folder,
                            const char *name,
                            bool is_list,
                            opn_i_table *table)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    opn_i_bytes bytes = {0};
    const char *suffix = NULL;
    OPN_TRY(opn_i_table_find(folder, name, &suffix, &table->path));
    table->is_there = table->path != NULL;
    if (!table->is_there)
        goto cleanup;
    OPN_TRY(opn_i_regular_file_read(ctx, table->path, &bytes));
    const char usual = suffix[1] == 't' ? '\t' : ',';
    OPN_TRY(opn_i_csv_open(ctx, table->path, &bytes,
                           is_list ? usual : opn_i_csv_delimiter(&bytes, usual),
                           &table->rows));
cleanup:
    opn_i_bytes_release(ctx, &bytes);
    return status;
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
        OPN_TRY(opn_i_csv_next(ctx, rows, has_row));
    while (*has_row && opn_i_row_is_blank(rows));
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
