// reproduce.c -- runs the evaluations that the paper's tables need.

#include "base/text.h"
#include "experiment/evaluate_parts.h"
#include "graph/graph_data.h"
#include "paper/image_runs.h"
#include "paper/reproduce_rows.h"
#include "paper/rivals.h"

#include <string.h>

// What differs between runs. For the citation graphs the paper took the epistemic row of
// S-BGCN-T-K after 10,000 epochs, and the other rows as usual.
typedef struct setting {
    const char *name, *preset, *epochs;
} setting;

static const setting as_paper = {"paper", "paper", NULL};
static const setting as_epistemic = {"10,000 epochs", "paper", "10000"};
static const setting as_strong = {"strong", "strong", NULL};

// Propagation steps for the smoothed scores of every run.
static const char steps_text[] = "10";

// The models of the tables "rule" and "beyond", in the setting "strong".
static const char beyond_models[] = "s-bgcn-t-k,gcn";

static const char *const datasets[] = {"cora",  "citeseer",  "pubmed",
                                       "photo", "computers", "physics"};
static const char *const tasks[] = {"misclassification", "ood"};
// Tables of the paper, and our own.
static const char *const tables[] = {
        "main", "main-appendix", "ablation-main", "ablation-appendix", "dropedge", "gat"};
static const char *const own_tables[] = {"rule", "beyond", "encoders"};
enum {
    N_DATASETS = sizeof(datasets) / sizeof(datasets[0]),
    N_TASKS = 2,
    N_TABLES = sizeof(tables) / sizeof(tables[0]),
    N_OWN_TABLES = sizeof(own_tables) / sizeof(own_tables[0])
};

// What is being measured.
typedef struct reproducing {
    opn_ctx *ctx;
    const opn_params *params;
    opn_i_run_folder *folder; // or NULL; held for the whole run
    opn_reproduction *found;
    const char *dataset, *task;
    const setting *setting;
    const opn_graph *graph;
} reproducing;

static bool wants_table(const reproducing *r, const char *table)
{
    return opn_i_is_listed(opn_params_text(r->params, "table"), table);
}

// Whether a figure belongs to what is being measured.
static bool is_wanted(const reproducing *r, const opn_figure *figure)
{
    bool is_table = false;
    for (int t = 0; t < N_TABLES; t++)
        is_table = is_table || strcmp(figure->table, tables[t]) == 0;
    return is_table && strcmp(figure->dataset, r->dataset) == 0 &&
           opn_i_is_figure_of(figure, r->task) && wants_table(r, figure->table);
}

// ---- runs ----------------------------------------------------------------------------

static void add_model(opn_i_text *list, const char *model)
{
    if (list->n == 0 || !opn_i_is_listed(list->chars, model))
        opn_i_text_add(list, "%s%s", list->n > 0 ? "," : "", model);
}

// The models that the wanted tables need in the paper's setting, "" if none.
static void list_models(const reproducing *r, opn_i_text *list)
{
    opn_i_text_empty(list);
    for (size_t f = 0; f < opn_figure_count(); f++)
        if (is_wanted(r, opn_figure_at(f)))
            add_model(list, opn_figure_at(f)->model);
    for (size_t n = 0; n < opn_i_own_row_count(); n++) {
        const opn_i_own_row *own = opn_i_own_row_at(n);
        if (strcmp(own->task, r->task) == 0 && wants_table(r, own->table))
            add_model(list, own->model);
    }
}

static opn_status evaluate(reproducing *r, const char *models, opn_evaluation **out)
{
    opn_status status = OPN_OK;
    opn_params *params = NULL;
    OPN_TRY(opn_params_copy(r->ctx, r->params, &params));
    OPN_TRY(opn_params_set(r->ctx, params, "task", r->task));
    OPN_TRY(opn_params_set(r->ctx, params, "model", models));
    OPN_TRY(opn_params_set(r->ctx, params, "preset", r->setting->preset));
    OPN_TRY(opn_params_set(r->ctx, params, "propagate", steps_text));
    if (r->setting->epochs != NULL)
        OPN_TRY(opn_params_set(r->ctx, params, "epochs", r->setting->epochs));
    OPN_TRY(opn_i_evaluate(r->ctx, r->graph, params, r->folder, out));
cleanup:
    opn_params_free(params);
    return status;
}

static opn_status add_tables(reproducing *r, const opn_i_measured *measured)
{
    opn_status status = OPN_OK;
    for (int t = 0; t < N_TABLES; t++)
        if (wants_table(r, tables[t]))
            OPN_TRY(opn_i_add_table_rows(r->ctx, measured, tables[t],
                                         r->setting == &as_epistemic ? "epistemic" : NULL,
                                         r->found));
cleanup:
    return status;
}

// The setting in which our own answer for the task is sought.
static const setting *rule_setting(const reproducing *r)
{
    return strcmp(r->task, "ood") == 0 ? &as_strong : &as_paper;
}

// Evaluates models in a setting, and adds the results to the tables.
static opn_status measure(reproducing *r, const setting *how, const char *models)
{
    opn_status status = OPN_OK;
    opn_evaluation *evaluation = NULL;
    r->setting = how;
    OPN_TRY(evaluate(r, models, &evaluation));
    if (evaluation == NULL) // a shard makes no table
        goto cleanup;
    const opn_i_measured measured = {r->dataset, r->task, how->name, evaluation};
    if (how != &as_strong)
        OPN_TRY(add_tables(r, &measured));
    for (int t = 0; t < N_OWN_TABLES; t++)
        if (how != &as_epistemic && wants_table(r, own_tables[t]) &&
            (how == &as_paper || strcmp(own_tables[t], "encoders") != 0))
            OPN_TRY(opn_i_add_own_rows(r->ctx, &measured, own_tables[t], r->found));
    if (how == &as_paper)
        OPN_TRY(opn_i_add_answers(r->ctx, &measured, r->found));
    if (wants_table(r, "rule") && how == rule_setting(r))
        OPN_TRY(opn_i_add_rule_answer(r->ctx, &measured, r->found));
    OPN_TRY(opn_i_add_costs(r->ctx, &measured, r->found));
cleanup:
    opn_evaluation_free(evaluation);
    return status;
}

static bool wants_epistemic(const reproducing *r)
{
    if (r->graph->given_role == NULL) // not a citation graph
        return false;
    for (size_t f = 0; f < opn_figure_count(); f++) {
        const opn_figure *figure = opn_figure_at(f);
        if (is_wanted(r, figure) && strcmp(figure->model, "s-bgcn-t-k") == 0 &&
            strcmp(figure->measure, "epistemic") == 0)
            return true;
    }
    return false;
}

static opn_status reproduce_dataset(reproducing *r)
{
    opn_status status = OPN_OK;
    opn_graph *graph = NULL;
    opn_i_text models = {.ctx = r->ctx};
    OPN_TRY(opn_graph_load_prepared(r->ctx, r->dataset, r->params, &graph));
    r->graph = graph;
    for (int t = 0; t < N_TASKS; t++) {
        r->task = tasks[t];
        list_models(r, &models);
        OPN_TRY(models.status);
        if (models.n > 0)
            OPN_TRY(measure(r, &as_paper, models.chars));
        if (wants_epistemic(r))
            OPN_TRY(measure(r, &as_epistemic, "s-bgcn-t-k"));
        if (strcmp(r->task, "ood") == 0 &&
            (wants_table(r, "rule") || wants_table(r, "beyond")))
            OPN_TRY(measure(r, &as_strong, beyond_models));
    }
    if (wants_table(r, "rivals"))
        OPN_TRY(opn_i_add_rivals(r->ctx, r->params, r->dataset, r->folder, r->found));
cleanup:
    opn_i_text_free(&models);
    r->graph = NULL;
    opn_graph_free(graph);
    return status;
}

// The images are no graphs, take 20 minutes and have to be asked for.
static bool wants_images(const reproducing *r)
{
    return opn_params_text(r->params, "table")[0] != 0 && wants_table(r, "images");
}

static bool wants_graphs(const reproducing *r)
{
    bool wants = false;
    for (int t = 0; t < N_TABLES; t++)
        wants = wants || wants_table(r, tables[t]);
    for (int t = 0; t < N_OWN_TABLES; t++)
        wants = wants || wants_table(r, own_tables[t]);
    return wants;
}

// What a shard does is in the folder; its tables are empty.
static opn_status reproduce(opn_ctx *ctx,
                            const opn_params *params,
                            const char *folder,
                            opn_i_shard *shard,
                            opn_reproduction **out)
{
    opn_status status = OPN_OK;
    reproducing r = {.ctx = ctx, .params = params};
    const char *wanted = opn_params_text(params, "dataset");
    if (folder != NULL)
        OPN_TRY(opn_i_run_folder_open(ctx, folder, shard, &r.folder));
    OPN_TRY_NEW(ctx, r.found, 1);
    r.found->alloc = ctx->alloc;
    if (wants_images(&r))
        OPN_TRY(opn_i_run_images(ctx, params, folder, shard, r.found));
    for (int d = 0; d < N_DATASETS && wants_graphs(&r); d++) {
        r.dataset = datasets[d];
        if (opn_i_is_listed(wanted, r.dataset))
            OPN_TRY(reproduce_dataset(&r));
    }
    *out = r.found;
    r.found = NULL;
cleanup:
    opn_i_run_folder_close(r.folder);
    opn_reproduction_free(r.found);
    return status;
}

opn_status opn_reproduce(opn_ctx *ctx,
                         const opn_params *params,
                         const char *folder,
                         opn_reproduction **out)
{
    OPN_REJECT_NULL(ctx, params, out);
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_shard_refuse(ctx, params, "makes no table"));
    OPN_TRY(reproduce(ctx, params, folder, NULL, out));
cleanup:
    return status;
}

opn_status opn_reproduce_shard(opn_ctx *ctx,
                               const opn_params *params,
                               const char *folder,
                               opn_shard_summary *out)
{
    OPN_REJECT_NULL(ctx, params, out);
    opn_status status = OPN_OK;
    opn_i_shard shard;
    opn_reproduction *empty = NULL;
    OPN_TRY(opn_i_shard_init(ctx, params, folder, &shard));
    OPN_TRY(reproduce(ctx, params, folder, &shard, &empty));
    *out = opn_i_shard_summary(&shard);
cleanup:
    opn_reproduction_free(empty);
    return status;
}
