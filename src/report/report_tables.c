// report_tables.c -- the tables of a report, from results written by opine.

#include "io/json_write.h"
#include "report/report_data.h"

#include <string.h>

static json_t *new_table(opn_report *report,
                         const char *title,
                         const char *note,
                         const char *const *column,
                         int n_columns)
{
    json_t *table = json_object();
    json_t *columns = json_array();
    json_t *rows = json_array();
    for (int c = 0; c < n_columns; c++)
        opn_i_json_append(columns, opn_i_json_string(column[c]));
    opn_i_json_set(table, "title", opn_i_json_string(title));
    opn_i_json_set(table, "note", opn_i_json_string(note));
    opn_i_json_set(table, "columns", columns);
    opn_i_json_set(table, "rows", rows);
    return opn_i_json_append(report->tables, table) == 0 ? rows : NULL;
}

// A new reference to a value, or null if there is none.
static json_t *or_null(json_t *value)
{
    return value != NULL ? json_incref(value) : json_null();
}

static json_t *member(const json_t *object, const char *name)
{
    return or_null(json_object_get(object, name));
}

// {NAME, "ci95": [low, high]} as {mean, low, high}; null if there is none.
static json_t *json_cell_of(const json_t *estimate, const char *name)
{
    const json_t *interval = json_object_get(estimate, "ci95");
    json_t *mean = json_object_get(estimate, name);
    if (!json_is_number(mean))
        return json_null();
    json_t *cell = json_object();
    json_object_set(cell, "mean", mean);
    opn_i_json_set(cell, "low", or_null(json_array_get(interval, 0)));
    opn_i_json_set(cell, "high", or_null(json_array_get(interval, 1)));
    return cell;
}

static json_t *json_cell(const json_t *estimate)
{
    return json_cell_of(estimate, "mean");
}

// ---- evaluation.json -----------------------------------------------------------------

// One row per score of the model.
static void add_scores(json_t *rows, const json_t *result)
{
    json_t *auroc = json_object_get(result, "auroc");
    for (void *at = json_object_iter(auroc); at != NULL;
         at = json_object_iter_next(auroc, at)) {
        const char *score = json_object_iter_key(at);
        json_t *row = json_array();
        opn_i_json_append(row, member(result, "model"));
        opn_i_json_append(row, opn_i_json_string(score));
        for (int m = 0; m < OPN_N_METRICS; m++) {
            const json_t *metric =
                    json_object_get(result, opn_metric_name((opn_metric)m));
            opn_i_json_append(row, json_cell(json_object_get(metric, score)));
        }
        opn_i_json_append(rows, row);
    }
}

static void add_qualities(json_t *rows, const json_t *result)
{
    json_t *row = json_array();
    opn_i_json_append(row, member(result, "model"));
    for (int q = 0; q <= OPN_QUALITY_ECE; q++)
        opn_i_json_append(row, json_cell(json_object_get(
                                       result, opn_quality_name((opn_quality)q))));
    opn_i_json_append(row,
                      json_cell(json_object_get(
                              result, opn_quality_name(OPN_QUALITY_CALIBRATED_ECE))));
    opn_i_json_append(row, member(json_object_get(result, "epochs"), "mean"));
    opn_i_json_append(row, member(json_object_get(result, "seconds"), "total"));
    opn_i_json_append(rows, row);
}

// The first model against each other one; no table for a single model or seed.
static void add_comparisons(opn_report *report, const json_t *evaluation)
{
    static const char *const columns[] = {"model",    "against", "accuracy",  "p",
                                          "AUROC by", "AUROC",   "p of AUROC"};
    const json_t *list = json_object_get(evaluation, "comparisons");
    const json_t *first = json_array_get(json_object_get(evaluation, "results"), 0);
    if (json_array_size(list) == 0 ||
        json_integer_value(json_object_get(first, "seeds")) < 2)
        return;
    json_t *rows = new_table(report, "Differences, paired over the seeds",
                             "The first model minus the other, in points: mean "
                             "difference with its 95 % interval, and p of the Wilcoxon "
                             "signed-rank test.",
                             columns, 7);
    for (size_t c = 0; c < json_array_size(list); c++) {
        const json_t *duel = json_array_get(list, c);
        json_t *row = json_array();
        opn_i_json_append(row, member(duel, "model"));
        opn_i_json_append(row, member(duel, "against"));
        const json_t *accuracy = json_object_get(duel, "accuracy");
        const json_t *auroc = json_object_get(duel, "auroc");
        opn_i_json_append(row, json_cell_of(accuracy, "difference"));
        opn_i_json_append(row, member(accuracy, "p_value"));
        opn_i_json_append(row, member(duel, "score"));
        opn_i_json_append(row, json_cell_of(auroc, "difference"));
        opn_i_json_append(row, member(auroc, "p_value"));
        opn_i_json_append(rows, row);
    }
}

static void note_members(opn_report *report, const json_t *object)
{
    static const char *const names[] = {"dataset", "task",    "protocol", "shift",
                                        "preset",  "version", "data_hash"};
    for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
        const char *value = json_string_value(json_object_get(object, names[n]));
        if (value != NULL && strcmp(value, "none") != 0) // most have no shift
            opn_i_report_note(report, names[n], value);
    }
}

opn_status opn_i_report_add_evaluation(opn_ctx *ctx,
                                       opn_report *report,
                                       const char *path,
                                       const json_t *evaluation)
{
    static const char *const scores[2 + OPN_N_METRICS] = {
            "model", "score", "AUROC", "AUPR", "AUPR err", "FPR95", "AURC", "FPR95 err"};
    static const char *const qualities[] = {"model",  "accuracy", "Brier",
                                            "NLL",    "ECE",      "ECE calibrated",
                                            "epochs", "seconds"};
    opn_status status = OPN_OK;
    const json_t *results = json_object_get(evaluation, "results");
    OPN_FAIL_IF(ctx, !json_is_array(results), OPN_ERR_FORMAT,
                "%s: has no member \"results\"; expected the results of an evaluation",
                path);
    json_t *detection = new_table(report, "Detection by each score",
                                  "Percent; mean over the seeds with its 95 % interval. "
                                  "Scores with ~ are smoothed over the graph.",
                                  scores, 2 + OPN_N_METRICS);
    json_t *quality =
            new_table(report, "Classification",
                      "Test nodes of known classes; seconds per seed.", qualities, 8);
    for (size_t r = 0; r < json_array_size(results); r++) {
        const json_t *result = json_array_get(results, r);
        add_scores(detection, result);
        add_qualities(quality, result);
    }
    add_comparisons(report, evaluation);
    note_members(report, evaluation);
cleanup:
    return status;
}

// ---- results.json --------------------------------------------------------------------

static json_t *json_result_row(const json_t *result)
{
    static const char *const names[] = {"dataset", "task",   "model", "setting",
                                        "measure", "metric", "paper"};
    json_t *row = json_array();
    for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++)
        opn_i_json_append(row, member(result, names[n]));
    opn_i_json_append(row, json_cell(result));
    opn_i_json_append(row, member(result, "difference"));
    return row;
}

// The rows of the table that a result belongs to, which is created if needed.
static json_t *rows_of(opn_report *report, const char *title)
{
    static const char *const columns[] = {"dataset", "task",    "model",
                                          "setting", "measure", "metric",
                                          "paper",   "ours",    "difference"};
    for (size_t t = 0; t < json_array_size(report->tables); t++) {
        const json_t *table = json_array_get(report->tables, t);
        const char *there = json_string_value(json_object_get(table, "title"));
        if (there != NULL && strcmp(there, title) == 0)
            return json_object_get(table, "rows");
    }
    return new_table(
            report, title,
            "Percent; the paper's figure, ours as the mean over the seeds with its "
            "95 % interval, and the difference.",
            columns, 9);
}

opn_status opn_i_report_add_results(opn_ctx *ctx,
                                    opn_report *report,
                                    const char *path,
                                    const json_t *results)
{
    opn_status status = OPN_OK;
    const json_t *rows = json_object_get(results, "results");
    OPN_FAIL_IF(ctx, !json_is_array(rows), OPN_ERR_FORMAT,
                "%s: has no member \"results\"; expected the results of a reproduction",
                path);
    for (size_t r = 0; r < json_array_size(rows); r++) {
        const json_t *row = json_array_get(rows, r);
        const char *name = json_string_value(json_object_get(row, "table"));
        OPN_FAIL_IF(ctx, name == NULL, OPN_ERR_FORMAT, "%s: result %zu names no table",
                    path, r);
        json_t *title = json_sprintf("Table %s", name);
        OPN_FAIL_IF(ctx, title == NULL, OPN_ERR_NOMEM, "out of memory for a table");
        opn_i_json_append(rows_of(report, json_string_value(title)),
                          json_result_row(row));
        json_decref(title);
    }
    note_members(report, results);
cleanup:
    return status;
}
