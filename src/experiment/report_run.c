// report_run.c -- the report of the folder of an evaluation or a reproduction.

#include "experiment/report_run.h"

#include "base/number.h"
#include "data/loaders.h"
#include "experiment/kept_model.h"
#include "experiment/run_folder.h"
#include "io/bytes.h"
#include "io/json_write.h"
#include "io/path.h"
#include "predict/model_measures.h"
#include "report/report_data.h"
#include "train/training_key.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A result in the folder that may be shown. Strings point into `line`.
typedef struct candidate {
    json_t *line; // of a file with results
    const opn_i_model_kind *kind;
    const char *dataset, *source, *data_hash, *task, *preset, *key;
    json_int_t seed;
    double n_epochs; // maximum number of epochs
} candidate;

typedef struct candidates {
    candidate *list;
    size_t n, room;
} candidates;

static void release_candidates(const opn_alloc *alloc, candidates *c)
{
    for (size_t j = 0; j < c->n; j++)
        json_decref(c->list[j].line);
    opn_i_release(alloc, c->list);
    *c = (candidates){0};
}

// ---- reading -------------------------------------------------------------------------

static opn_status
read_json(opn_ctx *ctx, const char *folder, const char *name, char **path, json_t **out)
{
    opn_status status = OPN_OK;
    opn_i_bytes bytes = {0};
    json_error_t error;
    OPN_TRY(opn_i_join_path(ctx, folder, name, "", path));
    if (opn_i_file_exists(*path)) {
        OPN_TRY(opn_i_regular_file_read(ctx, *path, &bytes));
        *out = json_loadb((const char *)bytes.data, bytes.n, 0, &error);
        OPN_FAIL_IF(ctx, *out == NULL, OPN_ERR_FORMAT, "%s:%d: is not JSON: %s", *path,
                    error.line, error.text);
    }
cleanup:
    opn_i_bytes_release(ctx, &bytes);
    return status;
}

static const char *text_member(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text != NULL ? text : "";
}

static candidate candidate_of(json_t *line)
{
    const json_t *parameters = json_object_get(line, "parameters");
    // Results of older versions only have the name.
    const bool has_source = json_object_get(line, "source") != NULL;
    return (candidate){
            .line = line,
            .kind = opn_i_model_kind_find(text_member(line, "model")),
            .dataset = text_member(line, "dataset"),
            .source = text_member(line, has_source ? "source" : "dataset"),
            .data_hash = text_member(line, "data_hash"),
            .task = text_member(line, "task"),
            .preset = text_member(parameters, "preset"),
            .key = text_member(line, "key"),
            .seed = json_integer_value(json_object_get(line, "seed")),
            .n_epochs = json_number_value(json_object_get(parameters, "epochs")),
    };
}

static opn_status add_candidate(opn_ctx *ctx, json_t *line, candidates *out)
{
    opn_status status = OPN_OK;
    OPN_TRY_RESERVE(ctx, out->list, out->room, out->n, out->n + 1);
    out->list[out->n++] = candidate_of(json_incref(line));
cleanup:
    return status;
}

static opn_status read_file(opn_ctx *ctx, const char *path, candidates *out)
{
    opn_status status = OPN_OK;
    opn_i_bytes bytes = {0};
    json_t *line = NULL;
    int64_t number = 1;
    OPN_TRY(opn_i_regular_file_read(ctx, path, &bytes));
    const char *at = (const char *)bytes.data;
    const char *last = at + bytes.n;
    const char *end = NULL; // a truncated line after the last one is ignored
    for (; (end = memchr(at, '\n', (size_t)(last - at))) != NULL;
         at = end + 1, number++) {
        line = json_loadb(at, (size_t)(end - at), 0, NULL);
        OPN_FAIL_IF(ctx, !json_is_object(json_object_get(line, "parameters")),
                    OPN_ERR_FORMAT, "%s:%lld: is not a result of an evaluation", path,
                    (long long)number);
        OPN_TRY(add_candidate(ctx, line, out));
        json_decref(line);
        line = NULL;
    }
cleanup:
    json_decref(line);
    opn_i_bytes_release(ctx, &bytes);
    return status;
}

// Reads the results of undivided runs and of shards.
static opn_status read_cells(opn_ctx *ctx, const char *folder, candidates *out)
{
    opn_status status = OPN_OK;
    opn_i_names paths = {0};
    char *whole = NULL;
    OPN_TRY(opn_i_join_path(ctx, folder, opn_i_cells_file, "", &whole));
    OPN_TRY(opn_i_shard_list(ctx, folder, opn_i_cells_shards, &paths));
    if (opn_i_file_exists(whole))
        OPN_TRY(opn_i_names_add(ctx, &paths, whole, strlen(whole)));
    OPN_FAIL_IF(ctx, paths.n == 0, OPN_ERR_READ,
                "%s: has no cells.jsonl; expected the folder of an evaluation or a "
                "reproduction",
                folder);
    for (int64_t i = 0; i < paths.n; i++)
        OPN_TRY(read_file(ctx, opn_i_names_at(&paths, i), out));
    OPN_FAIL_IF(ctx, out->n == 0, OPN_ERR_FORMAT, "%s: has no results yet", whole);
cleanup:
    opn_i_names_deinit(&ctx->alloc, &paths);
    opn_i_release(&ctx->alloc, whole);
    return status;
}

// ---- selection -----------------------------------------------------------------------

static int n_measures(const opn_i_model_kind *kind)
{
    int n = 0;
    for (int m = 0; m < OPN_N_MEASURES; m++)
        n += opn_i_kind_measures(kind, m);
    return n;
}

// Models with the most measures come first, later ones in the table before earlier ones.
// For the same model and task, the paper's preset, the first seed and the fewest epochs
// come first.
static int compare(const void *left, const void *right)
{
    const candidate *a = left;
    const candidate *b = right;
    if (a->kind != b->kind) {
        const int more = n_measures(b->kind) - n_measures(a->kind);
        return more != 0 ? more : a->kind < b->kind ? 1 : -1;
    }
    if (strcmp(a->task, b->task) != 0)
        return strcmp(a->task, b->task);
    if (strcmp(a->preset, b->preset) != 0)
        return strcmp(a->preset, b->preset);
    if (a->seed != b->seed)
        return a->seed < b->seed ? -1 : 1;
    if (a->n_epochs < b->n_epochs || a->n_epochs > b->n_epochs)
        return a->n_epochs < b->n_epochs ? -1 : 1;
    return strcmp(a->key, b->key);
}

static bool is_named(const opn_params *params, const char *name, const char *value)
{
    return !opn_params_given(params, name) ||
           opn_i_is_listed(opn_params_text(params, name), value);
}

// Keeps the first n candidates and frees the others.
static void keep_first(candidates *c, size_t n)
{
    for (size_t j = n; j < c->n; j++)
        json_decref(c->list[j].line);
    c->n = n;
}

// Moves a candidate to the end of those that are kept so far, which are in order.
static void keep_next(candidates *c, size_t j, size_t *n_kept)
{
    const candidate one = c->list[j];
    c->list[j] = c->list[*n_kept];
    c->list[(*n_kept)++] = one;
}

// Keeps the candidates that the parameters select.
static opn_status select_candidates(opn_ctx *ctx,
                                    const char *folder,
                                    const opn_params *params,
                                    candidates *c)
{
    opn_status status = OPN_OK;
    size_t n = 0;
    for (size_t j = 0; j < c->n; j++) {
        const candidate *one = &c->list[j];
        if (one->kind != NULL && is_named(params, "dataset", one->dataset) &&
            is_named(params, "task", one->task) &&
            is_named(params, "model", one->kind->id))
            keep_next(c, j, &n);
    }
    OPN_FAIL_IF(ctx, n == 0, OPN_ERR_INVALID_ARG,
                "%s: has no results for this `dataset`, `task` and `model`", folder);
    keep_first(c, n);
cleanup:
    return status;
}

// Keeps the candidates that are about this graph, as it is now.
static opn_status keep_of_graph(opn_ctx *ctx,
                                const char *folder,
                                const char *data,
                                const opn_graph *graph,
                                candidates *c)
{
    opn_status status = OPN_OK;
    char hash[65];
    size_t n = 0;
    OPN_TRY(opn_graph_hash(ctx, graph, hash));
    for (size_t j = 0; j < c->n; j++)
        if (strcmp(c->list[j].data_hash, hash) == 0)
            keep_next(c, j, &n);
    OPN_FAIL_IF(ctx, n == 0 && data != NULL, OPN_ERR_SHAPE,
                "%s: the results are for another graph than %s", folder,
                opn_graph_name(graph));
    OPN_FAIL_IF(ctx, n == 0, OPN_ERR_SHAPE,
                "%s: the results are for %s, which has changed since; name the graph to "
                "show them on",
                folder, c->list[0].source);
    if (n < c->n && data == NULL)
        opn_i_log(ctx, OPN_LOG_INFO,
                  "%s: has results for several graphs; showing %s, choose another with "
                  "`dataset` or by naming the graph",
                  folder, c->list[0].dataset);
    keep_first(c, n);
cleanup:
    return status;
}

// Keeps one result per model and task, in the order in which they are shown, as many as a
// page has room for. Returns how many there are.
static size_t keep_plainest(opn_ctx *ctx, const char *folder, candidates *c)
{
    size_t n = 0;
    qsort(c->list, c->n, sizeof(*c->list), compare);
    for (size_t j = 0; j < c->n; j++) {
        const candidate *last = n > 0 ? &c->list[n - 1] : NULL;
        if (last == NULL || last->kind != c->list[j].kind ||
            strcmp(last->task, c->list[j].task) != 0)
            keep_next(c, j, &n);
    }
    if (n > OPN_MAX_VIEWS)
        opn_i_log(ctx, OPN_LOG_INFO,
                  "%s: showing %d of %zu models; choose others with `model` and `task`",
                  folder, OPN_MAX_VIEWS, n);
    keep_first(c, n < OPN_MAX_VIEWS ? n : OPN_MAX_VIEWS);
    return n;
}

// The page names what it leaves out.
static void note_models(opn_report *report, size_t n_shown, size_t n_there)
{
    char text[80];
    if (n_shown == n_there)
        return;
    snprintf(text, sizeof(text), "%zu of %zu, the others only in the tables", n_shown,
             n_there);
    opn_i_report_note(report, "models", text);
}

// ---- display -------------------------------------------------------------------------

// Whether a parameter already has that value, so that defaults are not marked as given.
static bool
has_value(const opn_params *params, const opn_param *param, const json_t *value)
{
    if (json_is_string(value))
        return strcmp(opn_params_text(params, param->name), json_string_value(value)) ==
               0;
    const double number = param->kind == OPN_PARAM_INT
                                  ? (double)opn_params_int(params, param->name)
                                  : opn_params_real(params, param->name);
    return opn_i_real_to_bits(number) == opn_i_real_to_bits(json_number_value(value));
}

// A number as people write it: "0.005" and "5", not "5.0".
static char *text_of(const json_t *number)
{
    char *text = opn_i_json_text(number, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
    const size_t n = text == NULL ? 0 : strlen(text);
    if (n > 2 && strcmp(text + n - 2, ".0") == 0)
        text[n - 2] = 0;
    return text;
}

static opn_status
set_parameter(opn_ctx *ctx, opn_params *params, const char *name, const json_t *value)
{
    opn_status status = OPN_OK;
    const opn_param *param = opn_param_find(name);
    char *text = NULL;
    if (param == NULL || has_value(params, param, value)) // NULL: from another version
        return OPN_OK;
    if (json_is_string(value))
        return opn_params_set(ctx, params, name, json_string_value(value));
    text = text_of(value);
    OPN_FAIL_IF(ctx, text == NULL, OPN_ERR_NOMEM, "out of memory for a parameter");
    status = opn_params_set(ctx, params, name, text);
cleanup:
    free(text);
    return status;
}

static opn_status params_of(opn_ctx *ctx, const candidate *c, opn_params **out)
{
    opn_status status = OPN_OK;
    opn_params *params = NULL;
    json_t *given = json_object_get(c->line, "parameters");
    OPN_TRY(opn_params_create(ctx, &params));
    for (void *at = json_object_iter(given); at != NULL;
         at = json_object_iter_next(given, at))
        OPN_TRY(set_parameter(ctx, params, json_object_iter_key(at),
                              json_object_iter_value(at)));
    OPN_TRY(opn_params_set(ctx, params, "model", c->kind->id));
    *out = params;
    params = NULL;
cleanup:
    opn_params_free(params);
    return status;
}

static opn_status show_candidate(opn_ctx *ctx,
                                 const char *folder,
                                 const candidate *c,
                                 const opn_params *wanted,
                                 opn_report *report)
{
    opn_status status = OPN_OK;
    opn_params *params = NULL;
    opn_split *split = NULL;
    opn_model *model = NULL;
    char *path = NULL;
    bool was_there = false;
    OPN_TRY(params_of(ctx, c, &params));
    OPN_TRY(opn_split_from_params(ctx, report->graph, params, &split));
    opn_i_training training = {.graph = report->graph,
                               .dataset = c->dataset,
                               .params = params,
                               .split = split,
                               .kind = c->kind};
    OPN_TRY(opn_i_training_key(ctx, c->data_hash, split, params, c->kind, training.key));
    // A report does not modify the folder.
    OPN_TRY(opn_i_kept_model(ctx, &training, folder, false, &was_there, &model));
    opn_i_model_see_as(model, c->kind);
    OPN_TRY(opn_report_add_model(ctx, report, model, wanted));
    OPN_TRY(opn_i_kept_model_path(ctx, &training, folder, &path));
    if (was_there)
        OPN_TRY(opn_i_report_tell_file(ctx, report, path));
cleanup:
    opn_i_release(&ctx->alloc, path);
    opn_model_free(model);
    opn_split_free(split);
    opn_params_free(params);
    return status;
}

// The last evaluation in a folder may be of another graph than the one that is shown.
static bool is_of_graph(const json_t *evaluation, const char *data_hash)
{
    const char *hash = json_string_value(json_object_get(evaluation, "data_hash"));
    return hash == NULL || strcmp(hash, data_hash) == 0;
}

static opn_status
add_tables(opn_ctx *ctx, const char *folder, const char *data_hash, opn_report *report)
{
    opn_status status = OPN_OK;
    char *path[2] = {NULL, NULL};
    json_t *document[2] = {NULL, NULL};
    OPN_TRY(read_json(ctx, folder, "evaluation.json", &path[0], &document[0]));
    OPN_TRY(read_json(ctx, folder, "results.json", &path[1], &document[1]));
    if (document[0] != NULL && !is_of_graph(document[0], data_hash))
        opn_i_log(ctx, OPN_LOG_INFO, "%s: is of another graph, so it is not shown",
                  path[0]);
    else if (document[0] != NULL)
        OPN_TRY(opn_i_report_add_evaluation(ctx, report, path[0], document[0]));
    if (document[1] != NULL)
        OPN_TRY(opn_i_report_add_results(ctx, report, path[1], document[1]));
    if (document[0] == NULL && document[1] == NULL)
        opn_i_log(ctx, OPN_LOG_WARNING,
                  "%s: is not finished; run the same command again to finish it", folder);
cleanup:
    for (int d = 0; d < 2; d++) {
        json_decref(document[d]);
        opn_i_release(&ctx->alloc, path[d]);
    }
    return status;
}

// The graph of the run, prepared as for its protocol and with the labels that its models
// were trained on.
static opn_status load_graph(opn_ctx *ctx,
                             const char *folder,
                             const candidate *one,
                             const char *data,
                             const opn_params *given,
                             opn_graph **out)
{
    opn_status status = OPN_OK;
    opn_params *params = NULL;
    const json_t *kept = json_object_get(one->line, "parameters");
    const char *label = text_member(kept, "label");
    OPN_TRY(opn_params_copy(ctx, given, &params));
    if (text_member(kept, "protocol")[0] != 0)
        OPN_TRY(opn_params_set(ctx, params, "protocol", text_member(kept, "protocol")));
    if (data == NULL)
        OPN_TRY(opn_i_report_source(ctx, folder, one->source, params, label, out));
    else
        OPN_TRY(opn_i_graph_load_labelled(ctx, data, params, label, out));
cleanup:
    opn_params_free(params);
    return status;
}

opn_status opn_i_report_of_run(opn_ctx *ctx,
                               const char *folder,
                               const char *data,
                               const opn_params *params,
                               opn_report **out)
{
    opn_status status = OPN_OK;
    candidates c = {0};
    opn_graph *graph = NULL;
    opn_report *report = NULL;
    OPN_TRY(read_cells(ctx, folder, &c));
    OPN_TRY(select_candidates(ctx, folder, params, &c));
    OPN_TRY(load_graph(ctx, folder, &c.list[0], data, params, &graph));
    OPN_TRY(keep_of_graph(ctx, folder, data, graph, &c));
    const size_t n_models = keep_plainest(ctx, folder, &c);
    OPN_TRY(opn_i_report_new(ctx, c.list[0].dataset, graph, &report));
    report->own_graph = graph;
    graph = NULL;
    OPN_TRY(opn_i_report_tell_source(ctx, report,
                                     data != NULL ? data : c.list[0].source));
    OPN_TRY(add_tables(ctx, folder, c.list[0].data_hash, report));
    note_models(report, c.n, n_models);
    for (size_t j = 0; j < c.n; j++)
        OPN_TRY(show_candidate(ctx, folder, &c.list[j], params, report));
    *out = report;
    report = NULL;
cleanup:
    opn_report_free(report);
    opn_graph_free(graph);
    release_candidates(&ctx->alloc, &c);
    return status;
}
