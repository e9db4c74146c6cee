// folder_dense.c -- reads features with one row per node: numbers, booleans and words, of
// which some may be missing. Which column names the nodes may show only at the end
// (dense_nodes.c), so until then entries have the row for a node and the column for a
// feature.

#include "tables/dense_reader.h"
#include "tables/folder_words.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static void deinit_reader(opn_i_dense_reader *d)
{
    const opn_alloc *alloc = &d->folder->ctx->alloc;
    for (size_t f = 0; f < d->n_columns && d->column != NULL; f++) {
        opn_i_names_deinit(alloc, &d->column[f].words);
        opn_i_names_deinit(alloc, &d->column[f].ids);
    }
    opn_i_names_deinit(alloc, &d->head);
    opn_i_release(alloc, d->column);
    opn_i_release(alloc, d->word);
}

// ---- first row -----------------------------------------------------------------------

bool opn_i_numbers_columns(const opn_i_csv *rows)
{
    const size_t n_before = rows->field[0].n_chars == 0; // an index has no name
    char number[24];
    for (size_t f = n_before; f < rows->n_fields; f++) {
        snprintf(number, sizeof(number), "%zu", f - n_before);
        if (strcmp(rows->field[f].text, number) != 0)
            return false;
    }
    return rows->n_fields >= 3; // two values may well be 0 and 1
}

// A row of words alone is a header, and so is one that names the nodes' column or numbers
// all of them.
static opn_status find_header(opn_i_dense_reader *d)
{
    opn_status status = OPN_OK;
    const opn_i_csv *rows = &d->table->rows;
    opn_ctx *ctx = d->folder->ctx;
    size_t n_words = 0;
    size_t n_missing = 0;
    size_t n_nodes = 0;
    size_t a_word = 0;
    for (size_t f = 0; f < rows->n_fields; f++) {
        const char *text = rows->field[f].text;
        double number;
        n_nodes += opn_i_names_node(text);
        if (opn_i_field_number(rows, f, &number))
            continue;
        n_missing += opn_i_is_missing(text);
        n_words++;
        a_word = opn_i_is_missing(text) ? a_word : f;
    }
    d->n_columns = rows->n_fields;
    d->has_header =
            n_nodes > 0 || n_words == rows->n_fields || opn_i_numbers_columns(rows);
    OPN_FAIL_IF(ctx, !d->has_header && n_words > n_missing, OPN_ERR_FORMAT,
                "%s:%zu: \"%s\" is not a number; a column of node names needs a header "
                "that begins with node",
                rows->name, rows->line, rows->field[a_word].text);
    OPN_FAIL_IF(ctx,
                rows->n_fields == 1 &&
                        opn_i_word_means(rows->field[0].text, OPN_MEANS_NODE),
                OPN_ERR_FORMAT, "%s:%zu: no features beside the nodes", rows->name,
                rows->line);
cleanup:
    return status;
}

// Names the columns by the header, or by their numbers. Leaves the first row of values to
// be read.
static opn_status read_head(opn_i_dense_reader *d, bool *has_row)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = d->folder->ctx;
    const opn_i_csv *rows = &d->table->rows;
    char number[24];
    OPN_TRY(find_header(d));
    d->head_line = rows->line;
    OPN_TRY_NEW(ctx, d->column, d->n_columns);
    for (size_t f = 0; f < d->n_columns; f++) {
        snprintf(number, sizeof(number), "%zu", f);
        const char *name = d->has_header ? rows->field[f].text : number;
        OPN_TRY(opn_i_names_add(ctx, &d->head, name, strlen(name)));
        d->column[f].may_be_node = d->n_columns > 1 && opn_i_names_node(name);
        d->column[f].is_index = f == 0 && opn_i_is_unnamed(name);
        d->column[f].may_be_ids = d->n_columns > 1 && !d->column[f].may_be_node;
    }
    *has_row = true;
    if (d->has_header)
        OPN_TRY(opn_i_table_next(ctx, d->table, d->n_columns, has_row));
cleanup:
    return status;
}

// ---- values --------------------------------------------------------------------------

static opn_status put_word(opn_i_dense_reader *d, size_t f, int32_t word)
{
    opn_status status = OPN_OK;
    OPN_TRY_RESERVE(d->folder->ctx, d->word, d->word_room, d->n_words, d->n_words + 1);
    d->word[d->n_words++] = (opn_i_word_entry){(int32_t)d->n_rows, (int32_t)f, word};
cleanup:
    return status;
}

// Keeps the text of a value that may name a node, and where it could not.
static opn_status read_name(opn_i_dense_reader *d, size_t f)
{
    opn_status status = OPN_OK;
    const opn_i_csv *rows = &d->table->rows;
    const opn_i_csv_field *field = &rows->field[f];
    opn_i_dense_column *column = &d->column[f];
    const int64_t n_before = column->words.n;
    int32_t word = -1;
    if (field->n_chars == 0) {
        column->n_missing++;
        column->unnamed_line =
                column->unnamed_line == 0 ? rows->line : column->unnamed_line;
    } else {
        OPN_TRY(opn_i_names_intern(d->folder->ctx, &column->words, field->text,
                                   field->n_chars, &word));
    }
    if (word >= 0 && word < n_before && column->twice_line == 0) {
        column->twice_line = rows->line;
        column->twice_word = word;
    }
    OPN_TRY(put_word(d, f, word));
cleanup:
    return status;
}

// Whether the value could name a node: all but fractions and what is missing.
static bool is_like_id(const opn_i_csv_field *field)
{
    const bool is_whole = strspn(field->text, "0123456789") == field->n_chars;
    return !opn_i_is_missing(field->text) && (is_whole || !opn_i_is_number(field->text));
}

// Keeps the values of a column that is not known by name for as long as they could name
// the nodes: most columns hold a fraction, or a value twice, within a few rows.
static opn_status watch_ids(opn_i_dense_reader *d, size_t f)
{
    opn_status status = OPN_OK;
    const opn_i_csv_field *field = &d->table->rows.field[f];
    opn_i_dense_column *column = &d->column[f];
    int32_t word = -1;
    if (is_like_id(field))
        OPN_TRY(opn_i_names_intern(d->folder->ctx, &column->ids, field->text,
                                   field->n_chars, &word));
    column->may_be_ids = word == (int32_t)d->n_rows;
    if (!column->may_be_ids)
        opn_i_names_deinit(&d->folder->ctx->alloc, &column->ids);
cleanup:
    return status;
}

static opn_status read_word(opn_i_dense_reader *d, size_t f)
{
    opn_status status = OPN_OK;
    const opn_i_csv *rows = &d->table->rows;
    opn_i_dense_column *column = &d->column[f];
    int32_t word = 0;
    OPN_FAIL_IF(d->folder->ctx, column->has_number || !d->has_header, OPN_ERR_FORMAT,
                "%s:%zu: field %zu, \"%s\", is not a finite number, as the others of its "
                "column are%s",
                rows->name, rows->line, f + 1, rows->field[f].text,
                opn_i_is_dressed_number(rows->field[f].text) ? "; " OPN_UNDRESS : "");
    column->has_word = true;
    OPN_TRY(opn_i_names_intern(d->folder->ctx, &column->words, rows->field[f].text,
                               rows->field[f].n_chars, &word));
    OPN_TRY(put_word(d, f, word));
cleanup:
    return status;
}

static opn_status read_value(opn_i_dense_reader *d, size_t f)
{
    opn_status status = OPN_OK;
    const opn_i_csv *rows = &d->table->rows;
    opn_i_dense_column *column = &d->column[f];
    double value = 0.0;
    if (column->is_index)
        return OPN_OK;
    if (column->may_be_node)
        return read_name(d, f);
    if (!opn_i_field_number(rows, f, &value)) {
        if (!opn_i_is_missing(rows->field[f].text))
            return read_word(d, f);
        column->n_missing++;
        return put_word(d, f, -1);
    }
    OPN_FAIL_IF(d->folder->ctx, column->has_word, OPN_ERR_FORMAT,
                "%s:%zu: field %zu, \"%s\", is a number, but the others of its column "
                "are words",
                rows->name, rows->line, f + 1, rows->field[f].text);
    column->has_number = true;
    if (!opn_i_is_value(value))
        return opn_i_field_value(d->folder->ctx, rows, f, &value); // says so
    if (rows->delimiter == ';' && strchr(rows->field[f].text, ',') != NULL)
        d->has_decimal_comma = true;
    OPN_TRY(opn_i_put_entry(d->folder, (int32_t)d->n_rows, (int32_t)f, value));
cleanup:
    return status;
}

static opn_status read_rows(opn_i_dense_reader *d, bool has_row)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = d->folder->ctx;
    while (has_row) {
        OPN_FAIL_IF(ctx, d->n_rows == INT32_MAX, OPN_ERR_OVERFLOW,
                    "%s: more than %d rows", d->table->path, INT32_MAX);
        for (size_t f = 0; f < d->n_columns; f++) {
            OPN_TRY(read_value(d, f));
            if (d->column[f].may_be_ids)
                OPN_TRY(watch_ids(d, f));
        }
        d->n_rows++;
        OPN_TRY(opn_i_table_next(ctx, d->table, d->n_columns, &has_row));
    }
cleanup:
    return status;
}

// ---- the table ------------------------------------------------------------------------

opn_status
opn_i_folder_read_dense(opn_i_folder *folder, opn_i_table *table, int32_t **out)
{
    opn_status status = OPN_OK;
    opn_i_dense_reader reader = {.folder = folder, .table = table};
    int32_t *node = NULL;
    bool has_row = false;
    OPN_TRY(read_head(&reader, &has_row));
    OPN_TRY(read_rows(&reader, has_row));
    OPN_TRY_NEW(folder->ctx, node, reader.n_rows);
    OPN_TRY(opn_i_dense_find_nodes(&reader, node));
    OPN_TRY(opn_i_dense_settle(&reader, node));
    *out = node;
    node = NULL;
cleanup:
    deinit_reader(&reader);
    opn_i_release(&folder->ctx->alloc, node);
    return status;
}
