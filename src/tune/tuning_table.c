// tuning_table.c -- trials as text and JSON.

#include "io/bytes.h"
#include "io/file_write.h"
#include "io/json_write.h"
#include "opine/evaluate.h"
#include "report/estimate_output.h"
#include "report/text_wrap.h"
#include "tune/tuning_data.h"

#include <math.h>
#include <string.h>

enum { N_SHOWN = 5 };

static const char *text_of(const opn_tuning *tuning, const char *name)
{
    return opn_params_text(tuning->setting[0].params, name);
}

static bool is_ood(const opn_tuning *tuning)
{
    return strcmp(text_of(tuning, "task"), "ood") == 0;
}

static bool differs(const opn_tuning *tuning, int32_t t, const opn_param *param)
{
    return strcmp(opn_params_text(tuning->setting[t].params, param->name),
                  text_of(tuning, param->name)) != 0;
}

// ---- text ----------------------------------------------------------------------------

static void put_head(opn_i_file_writer *file, const opn_tuning *tuning)
{
    opn_i_wrapper head = {.file = file};
    opn_i_text *line = opn_i_file_writer_line(file);
    opn_i_text_add(line, ", %s, %s, preset %s: %d trial%s on %d seed%s, ",
                   text_of(tuning, "task"), text_of(tuning, "model"),
                   text_of(tuning, "preset"), (int)tuning->n_trials,
                   tuning->n_trials == 1 ? "" : "s", (int)tuning->n_first_seeds,
                   tuning->n_first_seeds == 1 ? "" : "s");
    opn_i_text_add(line, "%d finalist%s on %d seeds", (int)tuning->n_finalists,
                   tuning->n_finalists == 1 ? "" : "s", (int)tuning->n_seeds);
    opn_i_wrap(&head, tuning->dataset);
    opn_i_wrap_line(&head);
    opn_i_wrap_end(&head);
    opn_i_text_add(line, "scored on %d validation node%s%s by %s; no test nodes are used",
                   (int)tuning->n_validation, tuning->n_validation == 1 ? "" : "s",
                   tuning->is_halved ? " (the others control early stopping)" : "",
                   opn_score_name(tuning->score));
    opn_i_wrap_line(&head);
    opn_i_wrap_end(&head);
    for (int64_t k = 0; k < tuning->held_out.n; k++) {
        opn_i_wrap(&head, k == 0 ? "classes held out in turn: " : ", ");
        opn_i_wrap(&head, opn_i_names_at(&tuning->held_out, k));
    }
    if (tuning->held_out.n > 0)
        opn_i_wrap_end(&head);
    opn_i_wrap_end(&head);
}

static void put_trial(opn_i_file_writer *file, const opn_tuning *tuning, int32_t t)
{
    opn_i_text *line = opn_i_file_writer_line(file);
    opn_i_wrapper row = {.file = file, .indent = 48};
    bool is_first = true;
    if (t == 0)
        opn_i_text_add(line, "%-7s", "default");
    else
        opn_i_text_add(line, "%7d", (int)t);
    for (int f = OPN_TRIAL_OBJECTIVE; f <= OPN_TRIAL_DETECTION; f++) {
        const opn_estimate e = opn_i_trial_estimate(tuning, t, (opn_i_trial_figure)f);
        opn_i_text_add(line, "  ");
        opn_i_text_add_short(line, &e, 1);
    }
    if (t == 0) { // the default has no further columns
        opn_i_file_writer_end_line(file);
        return;
    }
    opn_i_file_writer_put(file, opn_i_text_chars(line), line->n);
    opn_i_text_empty(line);
    for (size_t p = 0; p < opn_param_count(); p++) {
        const opn_param *param = opn_param_at(p);
        if (!differs(tuning, t, param))
            continue;
        if (is_first) {
            opn_i_file_writer_put(file, "  ", 2);
            row.column = row.indent;
        }
        opn_i_text_add(line, "%s%s=%s", is_first ? "" : " ", param->name,
                       opn_params_text(tuning->setting[t].params, param->name));
        opn_i_wrap_line(&row);
        is_first = false;
    }
    opn_i_wrap_end(&row);
}

static void put_trials(opn_i_file_writer *file, const opn_tuning *tuning)
{
    opn_i_text *line = opn_i_file_writer_line(file);
    bool has_default = false;
    opn_i_text_add(line, "%7s   %-*s   %-*s   %-*s  changes", "trial",
                   OPN_SHORT_WIDTH - 1, "objective", OPN_SHORT_WIDTH - 1, "accuracy",
                   OPN_SHORT_WIDTH - 1, is_ood(tuning) ? "AUROC" : "selective");
    opn_i_file_writer_end_line(file);
    for (int32_t r = 0; r < tuning->n_finalists && r < N_SHOWN; r++) {
        put_trial(file, tuning, tuning->ranked[r]);
        has_default = has_default || tuning->ranked[r] == 0;
    }
    if (!has_default)
        put_trial(file, tuning, 0);
}

// Length of the command before the next option: up to a blank outside quotes that is
// followed by '-'.
static size_t length_to_option(const char *command)
{
    bool is_quoted = false;
    size_t n = 0;
    for (; command[n] != 0; n++) {
        if (command[n] == '\\' && !is_quoted && command[n + 1] != 0)
            n++;
        else if (command[n] == '\'')
            is_quoted = !is_quoted;
        else if (command[n] == ' ' && command[n + 1] == '-' && !is_quoted)
            break;
    }
    return n;
}

// Wraps before options, with shell continuation lines; words are never broken.
static void put_command(opn_i_file_writer *file, const char *command)
{
    enum { N_AFTER = 2 }; // columns of " \"
    static const char go_on[] = " \\\n   ";
    int column = 0;
    while (*command != 0) {
        const size_t n = length_to_option(command + 1) + 1;
        if (column > 0 && column + (int)n + N_AFTER > OPN_TEXT_COLUMNS) {
            opn_i_file_writer_put(file, go_on, strlen(go_on));
            column = 3;
        }
        opn_i_file_writer_put(file, command, n);
        column += (int)n;
        command += n;
    }
    opn_i_file_writer_put(file, "\n", 1);
}

static const char *advise(const opn_tuning *tuning)
{
    if (tuning->ranked[0] == 0)
        return "No trial is better than the default, which is recommended:";
    if (tuning->recommended != 0)
        return "Recommended:";
    if (tuning->n_needed_seeds > 0)
        return "The difference may be chance: more seeds are needed to tell.";
    return "The difference is too small to tell from chance, so the default is "
           "recommended:";
}

static void put_advice(opn_i_file_writer *file, const opn_tuning *tuning)
{
    const int32_t best = tuning->ranked[0];
    opn_i_wrapper advice = {.file = file};
    opn_i_text *line = opn_i_file_writer_line(file);
    opn_i_wrap_end(&advice);
    if (best != 0) {
        opn_i_text_add(
                line,
                "Trial %d minus the default, over the seeds: %+.1f, 95 %% interval "
                "[%.1f, %.1f].",
                (int)best, tuning->difference, tuning->low, tuning->high);
        opn_i_wrap_line(&advice);
        opn_i_wrap_end(&advice);
    }
    opn_i_wrap(&advice, advise(tuning));
    opn_i_wrap_end(&advice);
    put_command(file, tuning->command);
}

static opn_status save_text(opn_ctx *ctx, const opn_tuning *tuning, const char *path)
{
    opn_status status = OPN_OK;
    opn_i_file_writer *file = NULL;
    OPN_TRY(opn_i_file_writer_open(ctx, path, &file));
    put_head(file, tuning);
    put_trials(file, tuning);
    put_advice(file, tuning);
    status = opn_i_file_writer_commit(file);
    file = NULL;
cleanup:
    opn_i_file_writer_discard(file);
    return status;
}

// ---- JSON ----------------------------------------------------------------------------

static json_t *json_figure(const opn_tuning *tuning, int32_t t, opn_i_trial_figure figure)
{
    const opn_estimate e = opn_i_trial_estimate(tuning, t, figure);
    return opn_i_json_estimate(&e);
}

static json_t *json_runs(const opn_tuning *tuning, int32_t t)
{
    json_t *list = json_array();
    const opn_trial_run *run = opn_tuning_runs(tuning, t);
    const int64_t seed = opn_params_int(tuning->setting[0].params, "seed");
    for (int32_t s = 0; s < tuning->n_seeds; s++) {
        if (isnan(run[s].objective))
            continue;
        json_t *one = json_object();
        opn_i_json_set(one, "seed", json_integer(seed + s));
        opn_i_json_set(one, "objective", opn_i_json_number(run[s].objective));
        opn_i_json_set(one, "accuracy", opn_i_json_number(run[s].accuracy));
        opn_i_json_set(one, "detection", opn_i_json_number(run[s].detection));
        opn_i_json_set(one, "seconds", opn_i_json_number(run[s].seconds));
        opn_i_json_append(list, one);
    }
    return list;
}

static json_t *json_changes(const opn_tuning *tuning, int32_t t)
{
    json_t *object = json_object();
    for (size_t p = 0; p < opn_param_count(); p++) {
        const opn_param *param = opn_param_at(p);
        const double number =
                param->kind == OPN_PARAM_INT || param->kind == OPN_PARAM_REAL
                        ? opn_params_real(tuning->setting[t].params, param->name)
                        : (double)NAN;
        if (differs(tuning, t, param))
            opn_i_json_set(object, param->name, opn_i_json_number(number));
    }
    return object;
}

static json_t *json_trial(const opn_tuning *tuning, int32_t t, int32_t rank)
{
    json_t *object = json_object();
    opn_i_json_set(object, "trial", json_integer(t));
    opn_i_json_set(object, "finalist", json_boolean(rank < tuning->n_finalists));
    opn_i_json_set(object, "objective", json_figure(tuning, t, OPN_TRIAL_OBJECTIVE));
    opn_i_json_set(object, "accuracy", json_figure(tuning, t, OPN_TRIAL_ACCURACY));
    opn_i_json_set(object, "detection", json_figure(tuning, t, OPN_TRIAL_DETECTION));
    opn_i_json_set(object, "differs", json_changes(tuning, t));
    opn_i_json_set(object, "runs", json_runs(tuning, t));
    return object;
}

static json_t *json_head(const opn_tuning *tuning)
{
    json_t *document = json_object();
    json_t *held_out = json_array();
    static const char *const named[] = {"task", "model", "preset"};
    opn_i_json_set(document, "dataset", opn_i_json_string(tuning->dataset));
    for (size_t n = 0; n < sizeof(named) / sizeof(named[0]); n++)
        opn_i_json_set(document, named[n], opn_i_json_string(text_of(tuning, named[n])));
    opn_i_json_set(document, "version", opn_i_json_string(opn_version()));
    opn_i_json_set(document, "data_hash", opn_i_json_string(tuning->data_hash));
    opn_i_json_set(document, "threads", json_integer(tuning->n_threads));
    opn_i_json_set(document, "seeds", json_integer(tuning->n_seeds));
    opn_i_json_set(document, "first_seeds", json_integer(tuning->n_first_seeds));
    opn_i_json_set(document, "validation_nodes", json_integer(tuning->n_validation));
    opn_i_json_set(document, "detection",
                   opn_i_json_string(is_ood(tuning) ? "auroc" : "100 - aurc"));
    opn_i_json_set(document, "score", opn_i_json_string(opn_score_name(tuning->score)));
    for (int64_t k = 0; k < tuning->held_out.n; k++)
        opn_i_json_append(held_out,
                          opn_i_json_string(opn_i_names_at(&tuning->held_out, k)));
    opn_i_json_set(document, "held_out", held_out);
    return document;
}

static opn_status save_json(opn_ctx *ctx, const opn_tuning *tuning, const char *path)
{
    json_t *document = json_head(tuning);
    json_t *trials = json_array();
    json_t *difference = json_object();
    opn_i_json_set(document, "best", json_integer(tuning->ranked[0]));
    opn_i_json_set(difference, "mean", opn_i_json_number(tuning->difference));
    opn_i_json_set(difference, "ci95", opn_i_json_interval(tuning->low, tuning->high));
    opn_i_json_set(document, "best_less_default", difference);
    opn_i_json_set(document, "recommended", json_integer(tuning->recommended));
    opn_i_json_set(document, "needed_seeds", json_integer(tuning->n_needed_seeds));
    opn_i_json_set(document, "command", opn_i_json_string(tuning->command));
    for (int32_t r = 0; r < tuning->n_trials; r++)
        opn_i_json_append(trials, json_trial(tuning, tuning->ranked[r], r));
    opn_i_json_set(document, "trials", trials);
    return opn_i_json_save(ctx, path, document, 9);
}

opn_status opn_tuning_save(opn_ctx *ctx, const opn_tuning *tuning, const char *path)
{
    OPN_REJECT_NULL(ctx, tuning, path);
    if (strcmp(path, "-.json") == 0)
        return save_json(ctx, tuning, "-");
    if (opn_i_path_ends_in(path, ".json"))
        return save_json(ctx, tuning, path);
    return save_text(ctx, tuning, path);
}
