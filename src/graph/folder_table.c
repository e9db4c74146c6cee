// folder_table.c -- reads the tables of a folder row by row.

#include "graph/folder_reader.h"
#include "graph/loaders.h"
#include "io/bytes.h"
#include "io/path.h"

#include <float.h>
#include <strings.h>

enum { ROWS_A_TICK = 1 << 18 };

const char *const opn_i_node_words[] = {"node",      "node_id", "node id", "nodeid",
                                        "node_name", "id",      "name",    NULL};

void opn_i_table_close(opn_ctx *ctx, opn_i_table *table)
{
    opn_i_csv_close(ctx, &table->rows);
    opn_i_release(&ctx->alloc, table->path);
}

opn_status opn_i_table_open(opn_i_folder *folder, const char *name, opn_i_table *table)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    opn_i_bytes bytes = {0};
    static const char *const suffixes[] = {".csv", ".csv.gz", ".tsv", ".tsv.gz"};
    for (size_t s = 0; s < sizeof(suffixes) / sizeof(suffixes[0]); s++) {
        char *path = NULL;
        OPN_TRY(opn_i_join_path(ctx, folder->path, name, suffixes[s], &path));
        // A folder of that name is accepted here, so that opening it reports the problem.
        table->is_there = opn_i_file_exists(path) || opn_i_folder_exists(path);
        if (!table->is_there) {
            opn_i_release(&ctx->alloc, path);
            continue;
        }
        table->path = path;
        OPN_TRY(opn_i_file_read(ctx, path, &bytes));
        OPN_TRY(opn_i_csv_open(ctx, path, &bytes, suffixes[s][1] == 't' ? '\t' : ',',
                               &table->rows));
        break;
    }
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
                OPN_ERR_FORMAT, "%s:%zu: %zu fields, but the first row has %zu",
                rows->name, rows->line, rows->n_fields, n_fields);
    if (*has_row && rows->line % ROWS_A_TICK == 0)
        OPN_TRY(opn_i_progress(ctx, "reading rows", (int64_t)rows->line, 0, "rows"));
cleanup:
    return status;
}

bool opn_i_field_is(const opn_i_csv_field *field, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strcasecmp(field->text, *words) == 0)
            return true;
    return false;
}

opn_status opn_i_field_value(opn_ctx *ctx, const opn_i_csv *rows, size_t f, double *out)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx,
                !opn_i_csv_real(&rows->field[f], out) || *out > (double)FLT_MAX ||
                        *out < -(double)FLT_MAX,
                OPN_ERR_FORMAT, "%s:%zu: field %zu, \"%s\", is not a finite number",
                rows->name, rows->line, f + 1, rows->field[f].text);
cleanup:
    return status;
}
