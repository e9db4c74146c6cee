// ledger_test.c -- the quality ledger: the figures of every model, which must stay.
//
//   ledger_test NAME        recomputes what tests/ledger.csv says of demo, cora or citeseer
//   ledger_test --update    writes the file anew; never run by ctest
//
// A row of the file is a mean over seeds, in percent, of the preset and the protocol of
// the paper, and an interval that a recomputed mean must lie in: three standard errors of
// the mean to either side, and at least half a point. The last bits, which another
// processor or compiler changes, stay well within; a change of the method does not.
//
// Data are looked for as the library does, then in $OPINE_SHARED_DATA; where there are
// none the exit code is 77.

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "io/csv.h"
#include "opine/opine.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SKIPPED = 77,
    N_SEEDS = 5,
    MOST_ROWS = 1000,
    KEY_COLUMNS = 6, // the columns that name a row
    COLUMNS = 9
};

static const double n_standard_errors = 3.0;
static const double least_half_width = 0.5; // points

static const char head[] = "dataset,task,model,seeds,metric,measure,mean,low,high";

#define EVERY_MODEL                                                                    \
    "gcn,drop-gcn,dropedge-gcn,edl-gcn,dpn-gcn,s-gcn,s-bgcn,s-bgcn-t,s-bgcn-t-k"

// One evaluation. That of Citeseer's ood would take as long as all others of two graphs,
// so it has only the plain, the sampled and the full model.
typedef struct plan {
    const char *dataset, *task, *models;
} plan;

static const plan plans[] = {
        {"demo", "misclassification", EVERY_MODEL},
        {"demo", "ood", EVERY_MODEL},
        {"cora", "misclassification", EVERY_MODEL},
        {"cora", "ood", EVERY_MODEL},
        {"citeseer", "misclassification", EVERY_MODEL},
        {"citeseer", "ood", "gcn,drop-gcn,s-bgcn-t-k"},
};

enum { N_PLANS = sizeof(plans) / sizeof(plans[0]) };

typedef struct row {
    char key[96]; // the first columns as in the file: "cora,ood,gcn,5,auroc,entropy"
    double mean, low, high;
    size_t line; // in the file; 0 if computed
    bool is_matched;
} row;

typedef struct ledger {
    size_t n;
    row row[MOST_ROWS];
} ledger;

// What is wrong, one complaint a line, as far as there is room.
typedef struct complaints {
    int n;
    char text[1 << 15];
} complaints;

static opn_ctx *ctx;
static const char *dataset_name;

OPN_PRINTF(2, 3) static void complain(complaints *about, const char *fmt, ...)
{
    const size_t n = strlen(about->text);
    va_list args;
    va_start(args, fmt);
    vsnprintf(about->text + n, sizeof(about->text) - n, fmt, args);
    va_end(args);
    about->n++;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

// ---- reading the file ----------------------------------------------------------------

static bool is_of_plan(const char *key, const plan *p)
{
    const size_t n = strlen(p->dataset);
    const size_t m = strlen(p->task);
    return strncmp(key, p->dataset, n) == 0 && key[n] == ',' &&
           strncmp(key + n + 1, p->task, m) == 0 && key[n + 1 + m] == ',';
}

static bool is_of_any_plan(const char *key)
{
    bool is_planned = false;
    for (size_t p = 0; p < N_PLANS; p++)
        is_planned = is_planned || is_of_plan(key, &plans[p]);
    return is_planned;
}

// Joins the first n fields; false where that is longer than any row that is computed.
static bool join_fields(const opn_i_csv *csv, size_t n, char *text, size_t room)
{
    size_t at = 0;
    for (size_t f = 0; f < n && at < room; f++)
        at += (size_t)snprintf(text + at, room - at, "%s%s", f > 0 ? "," : "",
                               csv->field[f].text);
    return at < room;
}

// Says what is wrong with the fields of a row, or returns NULL.
static const char *read_row(const opn_i_csv *csv, row *out)
{
    if (csv->n_fields != COLUMNS)
        return "a row has nine fields";
    if (!join_fields(csv, KEY_COLUMNS, out->key, sizeof(out->key)))
        return "a name is too long";
    if (!is_of_any_plan(out->key))
        return "no such evaluation is made";
    if (!opn_i_csv_real(&csv->field[KEY_COLUMNS], &out->mean) ||
        !opn_i_csv_real(&csv->field[KEY_COLUMNS + 1], &out->low) ||
        !opn_i_csv_real(&csv->field[KEY_COLUMNS + 2], &out->high))
        return "mean, low and high are numbers";
    if (!(out->low < out->mean && out->mean < out->high))
        return "low, mean and high rise";
    out->line = csv->line;
    return NULL;
}

static void read_rows(opn_i_csv *csv, ledger *out, complaints *about)
{
    bool has_row = false;
    char text[sizeof(head) + 1];
    opn_status status = opn_i_csv_next(ctx, csv, &has_row);
    if (status == OPN_OK && (!has_row || csv->n_fields != COLUMNS ||
                             !join_fields(csv, COLUMNS, text, sizeof(text)) ||
                             strcmp(text, head) != 0))
        complain(about, "%s:1: the first line is not \"%s\"\n", csv->name, head);
    while (status == OPN_OK && has_row && out->n < MOST_ROWS) {
        status = opn_i_csv_next(ctx, csv, &has_row);
        if (status != OPN_OK || !has_row)
            break;
        row *next = &out->row[out->n];
        const char *wrong = read_row(csv, next);
        if (wrong != NULL)
            complain(about, "%s:%zu: %s\n", csv->name, csv->line, wrong);
        out->n += wrong == NULL;
    }
    if (status != OPN_OK)
        complain(about, "%s\n", opn_ctx_error(ctx));
    if (out->n == MOST_ROWS)
        complain(about, "%s: %d rows or more\n", csv->name, (int)MOST_ROWS);
}

static ledger *read_ledger(const char *path, complaints *about)
{
    ledger *out = test_calloc(1, sizeof(*out));
    opn_i_bytes bytes = {0};
    opn_i_csv csv = {0};
    if (opn_i_file_read(ctx, path, &bytes) != OPN_OK ||
        opn_i_csv_open(ctx, base_name(path), &bytes, ',', &csv) != OPN_OK)
        complain(about, "%s\n", opn_ctx_error(ctx));
    else
        read_rows(&csv, out, about);
    opn_i_csv_close(ctx, &csv);
    return out;
}

// ---- computing it anew ---------------------------------------------------------------

// Adds a row, or none if no seed has a figure, as for a measure that the model lacks.
static void add_row(ledger *out,
                    const plan *p,
                    const char *model,
                    const char *metric,
                    const char *measure,
                    opn_estimate estimate,
                    complaints *about)
{
    row *next = &out->row[out->n];
    if (estimate.n == 0)
        return;
    assert(out->n < MOST_ROWS);
    const double error = estimate.std / sqrt(estimate.n);
    const double half = fmax(n_standard_errors * error, least_half_width);
    snprintf(next->key, sizeof(next->key), "%s,%s,%s,%d,%s,%s", p->dataset, p->task,
             model, (int)N_SEEDS, metric, measure);
    next->mean = estimate.mean;
    next->low = estimate.mean - half;
    next->high = estimate.mean + half;
    out->n++;
    if (estimate.n != N_SEEDS)
        complain(about, "%s: only %d of the seeds have a figure\n", next->key,
                 (int)estimate.n);
}

static void
add_rows(ledger *out, const plan *p, const opn_evaluation *found, complaints *about)
{
    for (int32_t m = 0; m < opn_evaluation_n_models(found); m++) {
        const char *model = opn_evaluation_model(found, m);
        add_row(out, p, model, opn_quality_name(OPN_QUALITY_ACCURACY), "",
                opn_evaluation_quality(found, m, OPN_QUALITY_ACCURACY), about);
        for (opn_metric metric = OPN_METRIC_AUROC; metric <= OPN_METRIC_AUPR; metric++)
            for (int32_t measure = 0; measure < OPN_N_MEASURES; measure++)
                add_row(out, p, model, opn_metric_name(metric), opn_score_name(measure),
                        opn_evaluation_metric(found, m, metric, measure), about);
    }
}

static opn_status paper_params(const plan *p, opn_params **out)
{
    char seeds[12];
    snprintf(seeds, sizeof(seeds), "%d", (int)N_SEEDS);
    const char *const setting[][2] = {{"task", p->task},     {"model", p->models},
                                      {"preset", "paper"},   {"protocol", "paper"},
                                      {"seeds", seeds},      {"seed", "0"}};
    opn_status status = opn_params_create(ctx, out);
    for (size_t s = 0; s < sizeof(setting) / sizeof(setting[0]); s++)
        if (status == OPN_OK)
            status = opn_params_set(ctx, *out, setting[s][0], setting[s][1]);
    return status;
}

// Appends the rows of an evaluation.
static void
evaluate(const opn_graph *graph, const plan *p, ledger *out, complaints *about)
{
    opn_params *params = NULL;
    opn_evaluation *found = NULL;
    opn_status status = paper_params(p, &params);
    if (status == OPN_OK)
        status = opn_evaluate(ctx, graph, params, NULL, &found);
    if (status == OPN_OK)
        add_rows(out, p, found, about);
    else
        complain(about, "%s, %s: %s\n", p->dataset, p->task, opn_ctx_error(ctx));
    opn_evaluation_free(found);
    opn_params_free(params);
}

// ---- comparing -----------------------------------------------------------------------

static row *find_unmatched(ledger *in, const char *key)
{
    for (size_t r = 0; r < in->n; r++)
        if (!in->row[r].is_matched && strcmp(in->row[r].key, key) == 0)
            return &in->row[r];
    return NULL;
}

// Compares the rows of a plan, marking those of `kept` that were found.
static void compare(ledger *kept, const ledger *found, const plan *p, complaints *about)
{
    for (size_t r = 0; r < found->n; r++) {
        const row *new = &found->row[r];
        row *old = find_unmatched(kept, new->key);
        if (old == NULL) {
            complain(about, "ledger.csv lacks %s, which is %.2f\n", new->key, new->mean);
            continue;
        }
        old->is_matched = true;
        if (!(new->mean >= old->low && new->mean <= old->high))
            complain(about, "ledger.csv:%zu: %s is %.2f, outside [%.2f, %.2f]\n",
                     old->line, new->key, new->mean, old->low, old->high);
    }
    for (size_t r = 0; r < kept->n; r++)
        if (is_of_plan(kept->row[r].key, p) && !kept->row[r].is_matched)
            complain(about, "ledger.csv:%zu: %s is not among what was computed\n",
                     kept->row[r].line, kept->row[r].key);
}

// ---- the graphs ----------------------------------------------------------------------

// Whether the dataset is there, and in *data_dir where, or NULL if the library knows.
static bool has_data(const char *name, const char **data_dir)
{
    int found = 0;
    for (size_t d = 0; d < opn_dataset_count(); d++) {
        const opn_dataset *dataset = opn_dataset_at(d);
        if (strcmp(dataset->name, name) != 0)
            continue;
        *data_dir = NULL;
        if (opn_dataset_find(ctx, dataset, NULL, &found) == OPN_OK && found)
            return true;
        *data_dir = getenv("OPINE_SHARED_DATA");
        return opn_dataset_find(ctx, dataset, *data_dir, &found) == OPN_OK && found;
    }
    return false;
}

static opn_graph *load(const char *name, complaints *about)
{
    const char *data_dir = NULL;
    opn_graph *raw = NULL;
    opn_graph *graph = NULL;
    opn_status status = OPN_ERR_READ;
    if (has_data(name, &data_dir))
        status = opn_graph_load(ctx, name, data_dir, &raw);
    if (status == OPN_OK)
        status = opn_graph_prepare(ctx, raw, opn_graph_usual_steps(raw), &graph);
    if (status != OPN_OK)
        complain(about, "%s: not loaded: %s\n", name, opn_ctx_error(ctx));
    opn_graph_free(raw);
    return graph;
}

