// reproduction_export.c -- the paper's figures and ours, as CSV and JSON.

#include "paper/rivals.h"

#include "io/file_write.h"
#include "io/json_write.h"
#include "paper/image_table.h"
#include "report/estimate_output.h"

#include <math.h>
#include <string.h>

static const char *metric_of(const opn_i_result_row *row, int k)
{
    return strcmp(row->measure, "accuracy") == 0 ? "accuracy"
                                                 : opn_metric_name((opn_metric)k);
}

// ---- CSV -----------------------------------------------------------------------------

static void put_number(opn_i_file_writer *file, double number)
{
    if (isnan(number))
        opn_i_file_writer_put(file, ",", 1);
    else
        opn_i_file_writer_printf(file, ",%.6g", number);
}

static void put_csv(opn_i_file_writer *file, const opn_reproduction *found)
{
    opn_i_file_writer_printf(file, "table,task,dataset,model,setting,metric,measure,"
                                   "paper,ours,difference,low,high,std,seeds\n");
    for (int32_t r = 0; r < found->n_rows; r++) {
        const opn_i_result_row *row = &found->row[r];
        for (int k = 0; k < OPN_AUROC_AUPR; k++) {
            const opn_estimate *ours = &row->ours[k];
            const char *metric = metric_of(row, k);
            const bool is_accuracy = strcmp(metric, "accuracy") == 0;
            if (ours->n == 0)
                continue;
            opn_i_file_writer_printf(file, "%s,%s,%s,%s,\"%s\",%s,%s", row->table,
                                     row->task, row->dataset, row->model, row->setting,
                                     metric, is_accuracy ? "" : row->measure);
            put_number(file, row->paper[k]);
            put_number(file, ours->mean);
            put_number(file, ours->mean - row->paper[k]);
            put_number(file, ours->low);
            put_number(file, ours->high);
            put_number(file, ours->std);
            opn_i_file_writer_printf(file, ",%d\n", (int)ours->n);
        }
    }
}

static void put_rivals_csv(opn_i_file_writer *file, const opn_reproduction *found)
{
    for (int32_t r = 0; r < found->n_rivals; r++) {
        const opn_i_rival_row *row = &found->rival[r];
        const bool is_published = strcmp(row->score, "published") == 0;
        for (int f = 0; f < OPN_N_RIVAL_FIGURES; f++) {
            const opn_estimate *e = &row->figure[f];
            if (e->n == 0)
                continue;
            opn_i_file_writer_printf(file, "rivals,ood,%s,%s,\"%s %s %s\",%s,%s",
                                     row->dataset, row->method, row->protocol, row->shift,
                                     row->isolated, opn_i_rival_figure_name(f),
                                     row->score);
            put_number(file, is_published ? e->mean : (double)NAN);
            put_number(file, is_published ? (double)NAN : e->mean);
            put_number(file, (double)NAN);
            put_number(file, e->low);
            put_number(file, e->high);
            put_number(file, e->std);
            opn_i_file_writer_printf(file, ",%d\n", is_published ? 0 : (int)e->n);
        }
    }
}

// ---- JSON ----------------------------------------------------------------------------

static json_t *json_row(const opn_i_result_row *row, int k)
{
    const opn_estimate *ours = &row->ours[k];
    json_t *object = json_object();
    opn_i_json_set(object, "table", opn_i_json_string(row->table));
    opn_i_json_set(object, "task", opn_i_json_string(row->task));
    opn_i_json_set(object, "dataset", opn_i_json_string(row->dataset));
    opn_i_json_set(object, "model", opn_i_json_string(row->model));
    opn_i_json_set(object, "setting", opn_i_json_string(row->setting));
    opn_i_json_set(object, "metric", opn_i_json_string(metric_of(row, k)));
    opn_i_json_set(object, "measure", opn_i_json_string(row->measure));
    opn_i_json_set(object, "paper", opn_i_json_number(row->paper[k]));
    opn_i_json_set(object, "mean", opn_i_json_number(ours->mean));
    opn_i_json_set(object, "difference", opn_i_json_number(ours->mean - row->paper[k]));
    opn_i_json_set(object, "ci95", opn_i_json_interval(ours->low, ours->high));
    opn_i_json_set(object, "std", opn_i_json_number(ours->std));
    opn_i_json_set(object, "seeds", json_integer(ours->n));
    return object;
}

static json_t *json_answer(const opn_i_answer *answer)
{
    json_t *object = json_object();
    char name[4] = {'A', (char)('0' + answer->number), 0, 0};
    opn_i_json_set(object, "answer", opn_i_json_string(name));
    opn_i_json_set(object, "question", opn_i_json_string(opn_i_question(answer->number)));
    opn_i_json_set(object, "dataset", opn_i_json_string(answer->dataset));
    opn_i_json_set(object, "against", opn_i_json_string(answer->rival));
    opn_i_json_set(object, "verdict",
                   opn_i_json_string(opn_i_verdict(&answer->difference[0])));
    for (int k = 0; k < OPN_AUROC_AUPR; k++)
        opn_i_json_set(object, opn_metric_name((opn_metric)k),
                       opn_i_json_comparison(&answer->difference[k]));
    return object;
}

static json_t *json_cost(const opn_i_cost *cost)
{
    json_t *object = json_object();
    opn_i_json_set(object, "dataset", opn_i_json_string(cost->dataset));
    opn_i_json_set(object, "task", opn_i_json_string(cost->task));
    opn_i_json_set(object, "model", opn_i_json_string(cost->model));
    opn_i_json_set(object, "setting", opn_i_json_string(cost->setting));
    opn_i_json_set(object, "seeds", json_integer(cost->n_seeds));
    opn_i_json_set(object, "pool", opn_i_json_number(cost->n_pool));
    opn_i_json_set(object, "prevalence", opn_i_json_number(cost->prevalence));
    opn_i_json_set(object, "epochs", opn_i_json_number(cost->n_epochs));
    opn_i_json_set(object, "seconds", opn_i_json_number(cost->seconds));
    return object;
}

static json_t *json_rival(const opn_i_rival_row *row)
{
    json_t *object = json_object();
    opn_i_json_set(object, "dataset", opn_i_json_string(row->dataset));
    opn_i_json_set(object, "protocol", opn_i_json_string(row->protocol));
    opn_i_json_set(object, "shift", opn_i_json_string(row->shift));
    opn_i_json_set(object, "method", opn_i_json_string(row->method));
    opn_i_json_set(object, "score", opn_i_json_string(row->score));
    opn_i_json_set(object, "isolated", opn_i_json_string(row->isolated));
    for (int f = 0; f < OPN_N_RIVAL_FIGURES; f++)
        if (row->figure[f].n > 0)
            opn_i_json_set(object, opn_i_rival_figure_name(f),
                           opn_i_json_estimate(&row->figure[f]));
    return object;
}

static json_t *as_document(const opn_reproduction *found)
{
    json_t *document = json_object();
    json_t *rows = json_array();
    json_t *answers = json_array();
    json_t *costs = json_array();
    json_t *rivals = json_array();
    for (int32_t r = 0; r < found->n_rows; r++)
        for (int k = 0; k < OPN_AUROC_AUPR; k++)
            if (found->row[r].ours[k].n > 0)
                opn_i_json_append(rows, json_row(&found->row[r], k));
    for (int32_t a = 0; a < found->n_answers; a++)
        opn_i_json_append(answers, json_answer(&found->answer[a]));
    for (int32_t c = 0; c < found->n_costs; c++)
        opn_i_json_append(costs, json_cost(&found->cost[c]));
    for (int32_t r = 0; r < found->n_rivals; r++)
        opn_i_json_append(rivals, json_rival(&found->rival[r]));
    opn_i_json_set(document, "version", opn_i_json_string(opn_version()));
    opn_i_json_set(document, "answers", answers);
    opn_i_json_set(document, "results", rows);
    opn_i_json_set(document, "rivals", rivals);
    opn_i_json_set(document, "runs", costs);
    if (found->n_image_seeds > 0)
        opn_i_json_set(document, "images", opn_i_image_json(found));
    return document;
}

opn_status opn_i_reproduction_export(opn_ctx *ctx,
                                     const opn_reproduction *found,
                                     const char *path,
                                     bool as_json)
{
    opn_status status = OPN_OK;
    opn_i_file_writer *file = NULL;
    if (as_json)
        return opn_i_json_save(ctx, path, as_document(found), 9);
    OPN_TRY(opn_i_file_writer_open(ctx, path, &file));
    put_csv(file, found);
    put_rivals_csv(file, found);
    opn_i_image_csv(found, file);
    status = opn_i_file_writer_commit(file);
cleanup:
    return status;
}
