// prediction_csv.c -- reads predictions from a CSV table: the header, then row by row.

#include "predict/prediction_reader.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef enum column_kind {
    COLUMN_SKIPPED = 0,
    COLUMN_NODE,
    COLUMN_ROLE,
    COLUMN_LABEL,
    COLUMN_PREDICTED,
    COLUMN_P,
    COLUMN_ALPHA,
    COLUMN_MEASURE
} column_kind;

typedef struct column {
    column_kind kind;
    int32_t k;    // class of P and ALPHA, opn_measure of MEASURE
    int32_t head; // index of its name, unless it is skipped
} column;

typedef struct table {
    opn_i_csv rows;
    opn_i_names heads; // names of the columns that are not skipped
    column *column;    // [n_columns]
    size_t n_columns;
    const opn_i_number_kind *numbers; // which columns have the numbers that classes go by
    int32_t n_alphas;
    opn_i_prediction_parts parts;
} table;

static const char alpha_prefix[] = "alpha_";

static bool begins_with(const opn_i_csv_field *field, const char *prefix)
{
    return strncmp(field->text, prefix, strlen(prefix)) == 0;
}

// ---- header --------------------------------------------------------------------------

// The first kind of numbers that has a column; p if none has.
static const opn_i_number_kind *find_numbers(const opn_i_csv *rows)
{
    for (int n = 0; n < OPN_N_NUMBER_KINDS; n++)
        for (size_t f = 0; f < rows->n_fields; f++)
            if (begins_with(&rows->field[f], opn_i_number_kinds[n].prefix))
                return &opn_i_number_kinds[n];
    return &opn_i_number_kinds[0];
}

static column column_of(const table *t, const opn_i_csv_field *field)
{
    static const struct {
        const char *word;
        column_kind kind;
    } words[] = {{"node", COLUMN_NODE},
                 {"role", COLUMN_ROLE},
                 {"label", COLUMN_LABEL},
                 {"predicted", COLUMN_PREDICTED}};
    for (size_t w = 0; w < sizeof(words) / sizeof(words[0]); w++)
        if (strcmp(field->text, words[w].word) == 0)
            return (column){.kind = words[w].kind};
    const int32_t m = opn_measure_find(field->text);
    if (m >= 0)
        return (column){.kind = COLUMN_MEASURE, .k = m};
    if (begins_with(field, t->numbers->prefix))
        return (column){.kind = COLUMN_P};
    if (begins_with(field, alpha_prefix))
        return (column){.kind = COLUMN_ALPHA};
    return (column){.kind = COLUMN_SKIPPED};
}

// Finds the kind of every column. Those of the numbers name the classes, in order.
static opn_status read_kinds(opn_ctx *ctx, table *t, opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    for (size_t f = 0; f < t->n_columns; f++) {
        const opn_i_csv_field *field = &t->rows.field[f];
        column *made = &t->column[f];
        const size_t n_prefix = strlen(t->numbers->prefix);
        const int64_t n_before = t->heads.n;
        *made = column_of(t, field);
        // After the predicted class it is the p-value, not a class called known.
        if (strcmp(field->text, "p_known") == 0 &&
            opn_i_names_find(&t->heads, "predicted", strlen("predicted")) >= 0)
            made->kind = COLUMN_SKIPPED;
        if (made->kind == COLUMN_SKIPPED)
            continue;
        OPN_TRY(opn_i_names_intern(ctx, &t->heads, field->text, field->n_chars,
                                   &made->head));
        OPN_FAIL_IF(ctx, made->head < n_before, OPN_ERR_FORMAT,
                    "column \"%s\" appears twice", field->text);
        if (made->kind == COLUMN_MEASURE)
            t->parts.has_measure[made->k] = true;
        if (made->kind != COLUMN_P)
            continue;
        made->k = file->n_known;
        OPN_TRY(opn_i_prediction_add_class(ctx, file, field->text + n_prefix,
                                           field->n_chars - n_prefix));
    }
cleanup:
    return status;
}

static opn_status
check_columns(opn_ctx *ctx, const table *t, const opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    // Columns that other tables are least likely to have come first.
    static const char *const needed[] = {"role", "predicted", "node", "label"};
    for (size_t c = 0; c < sizeof(needed) / sizeof(needed[0]); c++)
        OPN_FAIL_IF(ctx,
                    opn_i_names_find(&t->heads, needed[c], strlen(needed[c])) < 0 &&
                            !(file->is_foreign && strcmp(needed[c], "node") != 0),
                    OPN_ERR_FORMAT, "no column \"%s\"; %s", needed[c],
                    opn_i_prediction_hint(file));
    OPN_FAIL_IF(ctx, file->n_known == 0, OPN_ERR_FORMAT, "no column \"p_CLASS\"%s; %s",
                file->is_foreign ? ", \"logit_CLASS\" or \"alpha_CLASS\"" : "",
                opn_i_prediction_hint(file));
cleanup:
    return status;
}

// An alpha column may precede its p column, so this runs once all classes are known.
static opn_status match_alphas(opn_ctx *ctx, table *t, const opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    const size_t n_prefix = strlen(alpha_prefix);
    for (size_t f = 0; f < t->n_columns; f++) {
        const opn_i_csv_field *field = &t->rows.field[f];
        if (t->column[f].kind != COLUMN_ALPHA)
            continue;
        const int32_t k = opn_i_names_find(&file->classes, field->text + n_prefix,
                                           field->n_chars - n_prefix);
        OPN_FAIL_IF(ctx, k < 0, OPN_ERR_FORMAT, "column \"%s\" without a column \"p_%s\"",
                    field->text, field->text + n_prefix);
        t->column[f].k = k;
        t->n_alphas++;
    }
    OPN_FAIL_IF(ctx, t->n_alphas > 0 && t->n_alphas != file->n_known, OPN_ERR_FORMAT,
                "%d columns \"alpha_CLASS\", but %d of \"p_CLASS\"", t->n_alphas,
                file->n_known);
    t->parts.has_alpha = t->n_alphas > 0;
cleanup:
    return status;
}

// ---- rows ----------------------------------------------------------------------------

// A number, or NaN for an empty field.
static opn_status read_number(opn_ctx *ctx, const table *t, size_t f, float *out)
{
    opn_status status = OPN_OK;
    const opn_i_csv_field *field = &t->rows.field[f];
    double number = (double)NAN;
    OPN_FAIL_IF(ctx,
                field->n_chars > 0 && (!opn_i_csv_real(field, &number) ||
                                       fabs(number) > (double)FLT_MAX),
                OPN_ERR_FORMAT, "%s is \"%s\", expected a finite number",
                opn_i_names_at(&t->heads, t->column[f].head), field->text);
    *out = (float)number;
cleanup:
    return status;
}

static opn_status
read_field(opn_ctx *ctx, const table *t, size_t f, opn_i_prediction_file *file)
{
    const opn_i_csv_field *field = &t->rows.field[f];
    const int32_t i = file->n_nodes;
    const int32_t k = t->column[f].k;
    const size_t at = (size_t)i * (size_t)file->n_known + (size_t)k;
    switch (t->column[f].kind) {
    case COLUMN_SKIPPED:
        break;
    case COLUMN_NODE:
        return opn_i_names_add(ctx, &file->nodes, field->text, field->n_chars);
    case COLUMN_ROLE:
        return opn_i_prediction_set_role(ctx, file, i, field->text);
    case COLUMN_LABEL:
        return opn_i_prediction_set_label(ctx, file, i, field->text, field->n_chars);
    case COLUMN_PREDICTED:
        return opn_i_prediction_set_predicted(ctx, file, i, field->text, field->n_chars);
    case COLUMN_P:
        return read_number(ctx, t, f, &file->said->probability[at]);
    case COLUMN_ALPHA:
        return read_number(ctx, t, f, &file->said->alpha[at]);
    case COLUMN_MEASURE:
        return read_number(ctx, t, f, &file->said->measure[k][i]);
    }
    return OPN_OK;
}

static opn_status read_row(opn_ctx *ctx, const table *t, opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, t->rows.n_fields != t->n_columns, OPN_ERR_FORMAT,
                "%zu %s, but the first row has %zu", t->rows.n_fields,
                opn_i_fields_word(t->rows.n_fields), t->n_columns);
    for (size_t f = 0; f < t->n_columns; f++)
        OPN_TRY(read_field(ctx, t, f, file));
    OPN_TRY(opn_i_prediction_check(ctx, file, file->n_nodes));
    file->n_nodes++;
cleanup:
    return status;
}

// ---- file ----------------------------------------------------------------------------

opn_status opn_i_prediction_next_row(opn_ctx *ctx, opn_i_csv *rows, bool *has_row)
{
    opn_status status = OPN_OK;
    do
        OPN_TRY(opn_i_csv_next(ctx, rows, has_row));
    while (*has_row && rows->n_fields == 1 && rows->field[0].n_chars == 0);
cleanup:
    return status;
}

static opn_status read_head(opn_ctx *ctx, table *t, opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    t->n_columns = t->rows.n_fields;
    t->numbers = file->is_foreign ? find_numbers(&t->rows) : &opn_i_number_kinds[0];
    file->input = t->numbers->input;
    OPN_TRY_NEW(ctx, t->column, t->n_columns);
    OPN_TRY(read_kinds(ctx, t, file));
    OPN_TRY(check_columns(ctx, t, file));
    OPN_TRY(match_alphas(ctx, t, file));
    file->has_roles = opn_i_names_find(&t->heads, "role", strlen("role")) >= 0;
cleanup:
    return status;
}

// Upper bound on the rows left: line ends, plus a last row without one.
static size_t count_rows(const opn_i_csv *rows)
{
    size_t n_rows = 1;
    for (const unsigned char *at = rows->at; at < rows->bytes.data + rows->bytes.n; at++)
        n_rows += *at == '\n' || (*at == '\r' && at[1] != '\n');
    return n_rows;
}

opn_status opn_i_prediction_read_csv(opn_ctx *ctx,
                                     const char *path,
                                     opn_i_bytes *take,
                                     opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    table t = {0};
    opn_i_csv *rows = &t.rows;
    bool has_row = false;
    OPN_TRY(opn_i_csv_open(ctx, path, take, ',', rows));
    OPN_TRY(opn_i_prediction_next_row(ctx, rows, &has_row));
    OPN_FAIL_IF(ctx, !has_row, OPN_ERR_FORMAT, "%s: is empty; %s", path,
                opn_i_prediction_hint(file));
    OPN_TRY(opn_i_prediction_at(ctx, read_head(ctx, &t, file), "%s", path));
    OPN_TRY(opn_i_prediction_make_room(
            ctx, file, opn_i_prediction_bound(file, count_rows(rows), rows->bytes.n),
            &t.parts));
    for (;;) {
        OPN_TRY(opn_i_prediction_next_row(ctx, rows, &has_row));
        if (!has_row)
            break;
        OPN_TRY(opn_i_prediction_at(ctx, read_row(ctx, &t, file), "%s:%zu", path,
                                    rows->line));
    }
cleanup:
    opn_i_csv_close(ctx, rows);
    opn_i_names_deinit(&ctx->alloc, &t.heads);
    opn_i_release(&ctx->alloc, t.column);
    return status;
}
