// ledger.c -- the quality ledger.

#include "support/ledger.h"

#include "io/csv.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { KEY_COLUMNS = 6, COLUMNS = 9 };

static const char head[] = "dataset,task,model,seeds,metric,measure,mean,low,high";

void complain(complaints *about, const char *fmt, ...)
{
    const size_t n = strlen(about->text);
    va_list args;
    va_start(args, fmt);
    vsnprintf(about->text + n, sizeof(about->text) - n, fmt, args);
    va_end(args);
    about->n++;
}

// ---- files ---------------------------------------------------------------------------

// Joins the first n fields; false where there is no room for them.
static bool join_fields(const opn_i_csv *csv, size_t n, char *text, size_t room)
{
    size_t at = 0;
    for (size_t f = 0; f < n && at < room; f++)
        at += (size_t)snprintf(text + at, room - at, "%s%s", f > 0 ? "," : "",
                               csv->field[f].text);
    return at < room;
}

static bool is_head(const opn_i_csv *csv)
{
    char text[sizeof(head)];
    return csv->n_fields == COLUMNS && join_fields(csv, COLUMNS, text, sizeof(text)) &&
           strcmp(text, head) == 0;
}

// Says what is wrong with the current row, or returns NULL.
static const char *read_row(const opn_i_csv *csv, ledger_row *out)
{
    *out = (ledger_row){.line = csv->line};
    if (csv->n_fields != COLUMNS)
        return "a row has nine fields";
    if (!join_fields(csv, KEY_COLUMNS, out->key, sizeof(out->key)))
        return "the names are too long";
    if (!opn_i_csv_real(&csv->field[KEY_COLUMNS], &out->mean) ||
        !opn_i_csv_real(&csv->field[KEY_COLUMNS + 1], &out->low) ||
        !opn_i_csv_real(&csv->field[KEY_COLUMNS + 2], &out->high))
        return "mean, low and high must be numbers";
    if (!(out->low < out->mean && out->mean < out->high))
        return "the mean must lie between low and high";
    return NULL;
}

static opn_status read_rows(opn_ctx *ctx, opn_i_csv *csv, ledger *out, complaints *about)
{
    opn_status status = OPN_OK;
    bool has_row = false;
    OPN_TRY(opn_i_csv_next(ctx, csv, &has_row));
    if (!has_row || !is_head(csv)) {
        complain(about, "%s:1: the first line must be %s\n", csv->name, head);
        goto cleanup;
    }
    for (;;) {
        OPN_TRY(opn_i_csv_next(ctx, csv, &has_row));
        if (!has_row)
            break;
        OPN_FAIL_IF(ctx, out->n == LEDGER_ROOM, OPN_ERR_FORMAT, "%s: more than %d rows",
                    csv->name, (int)LEDGER_ROOM);
        const char *wrong = read_row(csv, &out->row[out->n]);
        if (wrong != NULL)
            complain(about, "%s:%zu: %s\n", csv->name, csv->line, wrong);
        out->n += wrong == NULL;
    }
cleanup:
    return status;
}

void ledger_read(opn_ctx *ctx, const char *path, ledger *out, complaints *about)
{
    opn_status status = OPN_OK;
    opn_i_bytes bytes = {0};
    opn_i_csv csv = {0};
    const char *slash = strrchr(path, '/');
    OPN_TRY(opn_i_file_read(ctx, path, &bytes));
    OPN_TRY(opn_i_csv_open(ctx, slash != NULL ? slash + 1 : path, &bytes, ',', &csv));
    OPN_TRY(read_rows(ctx, &csv, out, about));
cleanup:
    opn_i_csv_close(ctx, &csv);
    if (status != OPN_OK)
        complain(about, "%s\n", opn_ctx_error(ctx));
}

void ledger_write(opn_ctx *ctx, const char *path, const ledger *in, complaints *about)
{
    opn_status status = OPN_OK;
    opn_i_file_writer *writer = NULL;
    OPN_TRY(opn_i_file_writer_open(ctx, path, &writer));
    opn_i_file_writer_printf(writer, "%s\n", head);
    for (size_t r = 0; r < in->n; r++) {
        const ledger_row *row = &in->row[r];
        opn_i_file_writer_printf(writer, "%s,%.2f,%.2f,%.2f\n", row->key, row->mean,
                                 row->low, row->high);
    }
    OPN_TRY(opn_i_file_writer_commit(writer));
cleanup:
    if (status != OPN_OK)
        complain(about, "%s\n", opn_ctx_error(ctx));
}

// ---- rows ----------------------------------------------------------------------------

void ledger_add(ledger *to,
                const char *key,
                int32_t n_seeds,
                const opn_estimate *estimate,
                complaints *about)
{
    assert(to->n < LEDGER_ROOM);
    if (estimate->n != n_seeds) {
        complain(about, "%s: only %d of %d seeds have a figure\n", key, (int)estimate->n,
                 (int)n_seeds);
        return;
    }
    ledger_row *next = &to->row[to->n++];
    const double error = estimate->std / sqrt(estimate->n);
    const double half = fmax(LEDGER_STANDARD_ERRORS * error, LEDGER_LEAST_HALF_WIDTH);
    *next = (ledger_row){.mean = estimate->mean,
                         .low = estimate->mean - half,
                         .high = estimate->mean + half};
    snprintf(next->key, sizeof(next->key), "%s", key);
}

static ledger_row *find_unmatched(ledger *in, const char *key)
{
    for (size_t r = 0; r < in->n; r++)
        if (!in->row[r].is_matched && strcmp(in->row[r].key, key) == 0)
            return &in->row[r];
    return NULL;
}

void ledger_compare(ledger *kept,
                    const ledger *found,
                    const char *prefix,
                    complaints *about)
{
    for (size_t r = 0; r < found->n; r++) {
        const ledger_row *new = &found->row[r];
        ledger_row *old = find_unmatched(kept, new->key);
        if (old == NULL) {
            complain(about, "the ledger lacks %s (%.2f)\n", new->key, new->mean);
            continue;
        }
        old->is_matched = true;
        // So that NaN is outside as well.
        if (!(new->mean >= old->low &&new->mean <= old->high))
            complain(about, "line %zu: %s is %.2f, outside [%.2f, %.2f]\n", old->line,
                     new->key, new->mean, old->low, old->high);
    }
    for (size_t r = 0; r < kept->n; r++) {
        const ledger_row *old = &kept->row[r];
        if (!old->is_matched && strncmp(old->key, prefix, strlen(prefix)) == 0)
            complain(about, "line %zu: %s is one too many: nothing gives it\n", old->line,
                     old->key);
    }
}
