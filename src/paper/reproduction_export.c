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
    json_object_set_new(object, "table", json_string(row->table));
    json_object_set_new(object, "task", json_string(row->task));
    json_object_set_new(object, "dataset", json_string(row->dataset));
    json_object_set_new(object, "model", json_string(row->model));
    json_object_set_new(object, "setting", json_string(row->setting));
    json_object_set_new(object, "metric", json_string(metric_of(row, k)));
    json_object_set_new(object, "measure", json_string(row->measure));
    json_object_set_new(object, "paper", opn_i_json_number(row->paper[k]));
    json_object_set_new(object, "mean", opn_i_json_number(ours->mean));
    json_object_set_new(object, "difference",
                        opn_i_json_number(ours->mean - row->paper[k]));
    json_object_set_new(object, "ci95", opn_i_json_interval(ours->low, ours->high));
    json_object_set_new(object, "std", opn_i_json_number(ours->std));
    json_object_set_new(object, "seeds", json_integer(ours->n));
    return object;
}

static json_t *json_answer(const opn_i_answer *answer)
{
    json_t *object = json_object();
    char name[4] = {'A', (char)('0' + answer->number), 0, 0};
    json_object_set_new(object, "answer", json_string(name));
    json_object_set_new(object, "question", json_string(opn_i_question(answer->number)));
    json_object_set_new(object, "dataset", json_string(answer->dataset));
    json_object_set_new(object, "against", json_string(answer->rival));
    json_object_set_new(object, "verdict",
                        json_string(opn_i_verdict(&answer->difference[0])));
    for (int k = 0; k < OPN_AUROC_AUPR; k++)
        json_object_set_new(object, opn_metric_name((opn_metric)k),
                            opn_i_json_comparison(&answer->difference[k]));
    return object;
}

static json_t *json_cost(const opn_i_cost *cost)
{
    json_t *object = json_object();
    json_object_set_new(object, "dataset", json_string(cost->dataset));
    json_object_set_new(object, "task", json_string(cost->task));
    json_object_set_new(object, "model", json_string(cost->model));
    json_object_set_new(object, "setting", json_string(cost->setting));
    json_object_set_new(object, "seeds", json_integer(cost->n_seeds));
    json_object_set_new(object, "pool", opn_i_json_number(cost->n_pool));
    json_object_set_new(object, "prevalence", opn_i_json_number(cost->prevalence));
    json_object_set_new(object, "epochs", opn_i_json_number(cost->n_epochs));
    json_object_set_new(object, "seconds", opn_i_json_number(cost->seconds));
    return object;
}

static json_t *json_rival(const opn_i_rival_row *row)
{
    json_t *object = json_object();
    json_object_set_new(object, "dataset", json_string(row->dataset));
    json_object_set_new(object, "protocol", json_string(row->protocol));
    json_object_set_new(object, "shift", json_string(row->shift));
    json_object_set_new(object, "method", json_string(row->method));
    json_object_set_new(object, "score", json_string(row->score));
    json_object_set_new(object, "isolated", json_string(row->isolated));
    for (int f = 0; f < OPN_N_RIVAL_FIGURES; f++)
        if (row->figure[f].n > 0)
            json_object_set_new(object, opn_i_rival_figure_name(f),
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
                json_array_append_new(rows, json_row(&found->row[r], k));
    for (int32_t a = 0; a < found->n_answers; a++)
        json_array_append_new(answers, json_answer(&found->answer[a]));
    for (int32_t c = 0; c < found->n_costs; c++)
        json_array_append_new(costs, json_cost(&found->cost[c]));
    for (int32_t r = 0; r < found->n_rivals; r++)
        json_array_append_new(rivals, json_rival(&found->rival[r]));
    json_object_set_new(document, "version", json_string(opn_version()));
    json_object_set_new(document, "answers", answers);
    json_object_set_new(document, "results", rows);
    json_object_set_new(document, "rivals", rivals);
    json_object_set_new(document, "runs", costs);
    if (found->n_image_seeds > 0)
        json_object_set_new(document, "images", opn_i_image_json(found));
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
