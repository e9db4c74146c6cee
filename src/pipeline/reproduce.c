// reproduce.c -- which runs the tables of the paper need, and what becomes of them.

#include "graph/graph_data.h"
#include "model/model_data.h"
#include "report/evaluation_data.h"
#include "report/reproduction_data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// What a run differs in. The paper took the epistemic row of S-BGCN-T-K on the citation
// graphs after 10,000 epochs, and its other rows as everywhere.
typedef struct setting {
    const char *name, *preset, *epochs;
} setting;

static const setting as_paper = {"paper", "paper", NULL};
static const setting as_epistemic = {"10,000 epochs", "paper", "10000"};
static const setting as_strong = {"strong", "strong", NULL};

// Steps of propagation for the smoothed scores of every run.
static const char steps_text[] = "5";

// The models of the table beyond.
static const char beyond_models[] = "s-bgcn-t-k,gcn";

// The graphs whose splits are drawn take minutes a run.
enum { SEEDS_OF_LARGE = 5 };

static const char *const datasets[] = {"cora",  "citeseer",  "pubmed",
                                       "photo", "computers", "physics"};
static const char *const tasks[] = {"misclassification", "ood"};
enum { N_DATASETS = sizeof(datasets) / sizeof(datasets[0]), N_TASKS = 2 };

// What is being measured now.
typedef struct reproducing {
    opn_ctx *ctx;
    const opn_params *params;
    const char *folder; // or NULL
    opn_reproduction *found;
    const char *dataset, *task;
    const setting *setting;
    const opn_graph *graph;
    const opn_evaluation *evaluation;
} reproducing;

// Whether a comma-separated list names it; an empty list names all.
static bool is_listed(const char *list, const char *name)
{
    const size_t n_name = strlen(name);
    if (list[0] == 0)
        return true;
    while (*list != 0) {
        const size_t n = strcspn(list, ",");
        if (n == n_name && memcmp(list, name, n) == 0)
            return true;
        list += n + (list[n] == ',');
    }
    return false;
}

static bool wants_table(const reproducing *r, const char *table)
{
    const bool is_ours = strcmp(table, "gat") != 0; // whose models are yet to come
    return is_ours && is_listed(opn_params_text(r->params, "table"), table);
}

// Whether a figure is of what is being measured now.
static bool is_wanted(const reproducing *r, const opn_figure *figure)
{
    return strcmp(figure->dataset, r->dataset) == 0 &&
           strcmp(figure->task, r->task) == 0 && wants_table(r, figure->table);
}

// ---- rows ----------------------------------------------------------------------------

static int32_t find_model(const opn_evaluation *evaluation, const char *model)
{
    for (int32_t m = 0; m < opn_evaluation_n_models(evaluation); m++)
        if (strcmp(opn_evaluation_model(evaluation, m), model) == 0)
            return m;
    return -1;
}

static int32_t find_score(const char *name)
{
    for (int32_t s = 0; s < OPN_N_SCORES; s++)
        if (strcmp(opn_score_name(s), name) == 0)
            return s;
    return -1;
}

static opn_status add_row(reproducing *r, const opn_i_result_row *row)
{
    opn_status status = OPN_OK;
    opn_reproduction *found = r->found;
    OPN_TRY_RESERVE(r->ctx, found->row, found->row_room, (size_t)found->n_rows,
                    (size_t)found->n_rows + 1);
    found->row[found->n_rows++] = *row;
cleanup:
    return status;
}

// The paper's figure, or NaN; of any table that has it when `table` is NULL.
static double figure_of(const reproducing *r,
                        const char *table,
                        const char *model,
                        const char *metric,
                        const char *measure)
{
    for (size_t f = 0; f < opn_figure_count(); f++) {
        const opn_figure *figure = opn_figure_at(f);
        if ((table == NULL || strcmp(figure->table, table) == 0) &&
            strcmp(figure->task, r->task) == 0 &&
            strcmp(figure->dataset, r->dataset) == 0 &&
            strcmp(figure->model, model) == 0 && strcmp(figure->metric, metric) == 0 &&
            strcmp(figure->measure, measure) == 0)
            return figure->value;
    }
    return (double)NAN;
}

static opn_i_result_row
make_row(const reproducing *r, const char *table, const char *model, int32_t score)
{
    const int32_t m = find_model(r->evaluation, model);
    opn_i_result_row row = {.table = table,
                            .task = r->task,
                            .dataset = r->dataset,
                            .model = model,
                            .setting = r->setting->name,
                            .measure = opn_score_name(score)};
    for (int k = 0; k < OPN_AUROC_AUPR; k++) {
        row.paper[k] =
                figure_of(r, table, model, opn_metric_name((opn_metric)k), row.measure);
        row.ours[k] = opn_evaluation_metric(r->evaluation, m, (opn_metric)k, score);
    }
    return row;
}

static opn_status add_accuracy(reproducing *r, const opn_figure *figure)
{
    const int32_t m = find_model(r->evaluation, figure->model);
    const opn_i_result_row row = {
            .table = figure->table,
            .task = r->task,
            .dataset = r->dataset,
            .model = figure->model,
            .setting = r->setting->name,
            .measure = "accuracy",
            .paper = {figure->value, (double)NAN},
            .ours = {opn_evaluation_quality(r->evaluation, m, OPN_QUALITY_ACCURACY)}};
    return add_row(r, &row);
}

// A row for each AUROC and each accuracy of the paper. A run over 10,000 epochs is for
// the epistemic row alone.
static opn_status add_paper_rows(reproducing *r)
{
    opn_status status = OPN_OK;
    const bool is_epistemic = r->setting == &as_epistemic;
    for (size_t f = 0; f < opn_figure_count(); f++) {
        const opn_figure *figure = opn_figure_at(f);
        if (!is_wanted(r, figure) || find_model(r->evaluation, figure->model) < 0)
            continue;
        if (strcmp(figure->metric, "accuracy") == 0 && !is_epistemic)
            OPN_TRY(add_accuracy(r, figure));
        if (strcmp(figure->metric, "auroc") != 0 ||
            (is_epistemic && strcmp(figure->measure, "epistemic") != 0))
            continue;
        const opn_i_result_row row =
                make_row(r, figure->table, figure->model, find_score(figure->measure));
        OPN_TRY(add_row(r, &row));
    }
cleanup:
    return status;
}

// What the paper does not have: smoothed measures and energies, beside its own best cell.
static opn_status add_beyond_rows(reproducing *r)
{
    static const struct {
        const char *task, *model, *score;
    } rows[] = {
            {"misclassification", "s-bgcn-t-k", "dissonance"},
            {"misclassification", "s-bgcn-t-k", "dissonance~"},
            {"misclassification", "s-bgcn-t-k", "entropy~"},
            {"misclassification", "gcn", "entropy~"},
            {"misclassification", "gcn", "energy"},
            {"misclassification", "gcn", "energy~"},
            {"ood", "s-bgcn-t-k", "vacuity"},
            {"ood", "s-bgcn-t-k", "vacuity~"},
            {"ood", "s-bgcn-t-k", "energy~"},
            {"ood", "gcn", "energy"},
            {"ood", "gcn", "entropy~"},
            {"ood", "gcn", "energy~"},
    };
    opn_status status = OPN_OK;
    const char *best = strcmp(r->task, "ood") == 0 ? "vacuity" : "dissonance";
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        if (strcmp(rows[n].task, r->task) != 0)
            continue;
        opn_i_result_row row =
                make_row(r, "beyond", rows[n].model, find_score(rows[n].score));
        for (int k = 0; k < OPN_AUROC_AUPR; k++)
            row.paper[k] = figure_of(r, NULL, "s-bgcn-t-k",
                                     opn_metric_name((opn_metric)k), best);
        OPN_TRY(add_row(r, &row));
    }
cleanup:
    return status;
}

static opn_status add_costs(reproducing *r)
{
    opn_status status = OPN_OK;
    opn_reproduction *found = r->found;
    const int32_t n = opn_evaluation_n_seeds(r->evaluation);
    for (int32_t m = 0; m < opn_evaluation_n_models(r->evaluation); m++) {
        const opn_cell *cell = opn_evaluation_cells(r->evaluation, m);
        opn_i_cost cost = {
                .dataset = r->dataset,
                .task = r->task,
                .model =
                        opn_i_model_kind_find(opn_evaluation_model(r->evaluation, m))->id,
                .setting = r->setting->name,
                .n_seeds = n};
        for (int32_t s = 0; s < n; s++) {
            const opn_seconds *took = &cell[s].seconds;
            cost.seconds += (took->teacher + took->prior + took->train + took->infer) / n;
            cost.n_epochs += cell[s].n_epochs / n;
            cost.n_pool += cell[s].n_pool / n;
            cost.prevalence += cell[s].prevalence / n;
        }
        OPN_TRY_RESERVE(r->ctx, found->cost, found->cost_room, (size_t)found->n_costs,
                        (size_t)found->n_costs + 1);
        found->cost[found->n_costs++] = cost;
    }
cleanup:
    return status;
}

// ---- answers -------------------------------------------------------------------------

static void take_values(
        const opn_evaluation *evaluation, int32_t m, int k, int32_t score, double *value)
{
    const opn_cell *cell = opn_evaluation_cells(evaluation, m);
    for (int32_t s = 0; s < opn_evaluation_n_seeds(evaluation); s++)
        value[s] = cell[s].metric[k][score];
}

static opn_status add_answer(reproducing *r,
                             int number,
                             int32_t model,
                             int32_t score,
                             int32_t other_model,
                             int32_t other_score)
{
    opn_status status = OPN_OK;
    opn_reproduction *found = r->found;
    double ours[OPN_MAX_SEEDS];
    double theirs[OPN_MAX_SEEDS];
    opn_i_answer answer = {.number = number,
                           .dataset = r->dataset,
                           .rival = model == other_model ? opn_score_name(other_score)
                                                         : "s-bgcn-t"};
    for (int k = 0; k < OPN_AUROC_AUPR; k++) {
        take_values(r->evaluation, model, k, score, ours);
        take_values(r->evaluation, other_model, k, other_score, theirs);
        OPN_TRY(opn_compare(r->ctx, opn_evaluation_n_seeds(r->evaluation), ours, theirs,
                            0, &answer.difference[k]));
    }
    OPN_TRY_RESERVE(r->ctx, found->answer, found->answer_room, (size_t)found->n_answers,
                    (size_t)found->n_answers + 1);
    found->answer[found->n_answers++] = answer;
cleanup:
    return status;
}

// A1 and A2 set the measure against the best other measure of the same model, A3 the
// model against the one without the prior.
static opn_status add_answers(reproducing *r)
{
    opn_status status = OPN_OK;
    const bool is_ood = strcmp(r->task, "ood") == 0;
    const int32_t m = find_model(r->evaluation, "s-bgcn-t-k");
    const int32_t without_prior = find_model(r->evaluation, "s-bgcn-t");
    const int32_t best = is_ood ? OPN_MEASURE_VACUITY : OPN_MEASURE_DISSONANCE;
    int32_t rival = -1;
    double highest = -1.0;
    if (m < 0)
        return OPN_OK;
    for (int32_t s = 0; s < OPN_N_MEASURES; s++) {
        const double mean =
                opn_evaluation_metric(r->evaluation, m, OPN_METRIC_AUROC, s).mean;
        if (s != best && mean > highest) {
            highest = mean;
            rival = s;
        }
    }
    OPN_TRY(add_answer(r, is_ood ? 2 : 1, m, best, m, rival));
    if (is_ood && without_prior >= 0)
        OPN_TRY(add_answer(r, 3, m, best, without_prior, best));
cleanup:
    return status;
}

// ---- runs ----------------------------------------------------------------------------

static void add_model(char *list, size_t room, const char *model)
{
    const size_t n = strlen(list);
    if (n == 0 || !is_listed(list, model))
        snprintf(list + n, room - n, "%s%s", n > 0 ? "," : "", model);
}

// The models that the wanted tables need in the paper's setting, "" when there are none.
static void list_models(const reproducing *r, char *list, size_t room)
{
    list[0] = 0;
    for (size_t f = 0; f < opn_figure_count(); f++)
        if (is_wanted(r, opn_figure_at(f)))
            add_model(list, room, opn_figure_at(f)->model);
    if (wants_table(r, "beyond")) {
        add_model(list, room, "s-bgcn-t-k");
        add_model(list, room, "gcn");
    }
}

static int64_t count_seeds(const reproducing *r)
{
    const bool is_large = r->graph->given_role == NULL; // its splits are drawn
    return is_large && !opn_params_given(r->params, "seeds")
                   ? SEEDS_OF_LARGE
                   : opn_params_int(r->params, "seeds");
}

static opn_status evaluate(reproducing *r, const char *models, opn_evaluation **out)
{
    opn_status status = OPN_OK;
    opn_params *params = NULL;
    char seeds[12];
    snprintf(seeds, sizeof(seeds), "%d", (int)count_seeds(r));
    OPN_TRY(opn_params_copy(r->ctx, r->params, &params));
    OPN_TRY(opn_params_set(r->ctx, params, "seeds", seeds));
    OPN_TRY(opn_params_set(r->ctx, params, "task", r->task));
    OPN_TRY(opn_params_set(r->ctx, params, "model", models));
    OPN_TRY(opn_params_set(r->ctx, params, "preset", r->setting->preset));
    OPN_TRY(opn_params_set(r->ctx, params, "propagate", steps_text));
    if (r->setting->epochs != NULL)
        OPN_TRY(opn_params_set(r->ctx, params, "epochs", r->setting->epochs));
    OPN_TRY(opn_evaluate(r->ctx, r->graph, params, r->folder, out));
cleanup:
    opn_params_free(params);
    return status;
}

// Measures models in a setting, and adds what that gives to the tables.
static opn_status measure(reproducing *r, const setting *how, const char *models)
{
    opn_status status = OPN_OK;
    opn_evaluation *evaluation = NULL;
    r->setting = how;
    OPN_TRY(evaluate(r, models, &evaluation));
    r->evaluation = evaluation;
    if (how != &as_strong)
        OPN_TRY(add_paper_rows(r));
    if (how != &as_epistemic && wants_table(r, "beyond"))
        OPN_TRY(add_beyond_rows(r));
    if (how == &as_paper)
        OPN_TRY(add_answers(r));
    OPN_TRY(add_costs(r));
cleanup:
    r->evaluation = NULL;
    opn_evaluation_free(evaluation);
    return status;
}

static bool wants_epistemic(const reproducing *r)
{
    if (r->graph->given_role == NULL) // no citation graph
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
    opn_graph *raw = NULL;
    opn_graph *graph = NULL;
    char models[256];
    const char *data_dir = opn_params_text(r->params, "data_dir");
    OPN_TRY(opn_graph_load(r->ctx, r->dataset, data_dir[0] != 0 ? data_dir : NULL, &raw));
    OPN_TRY(opn_graph_prepare(r->ctx, raw, opn_graph_usual_steps(raw), &graph));
    r->graph = graph;
    for (int t = 0; t < N_TASKS; t++) {
        r->task = tasks[t];
        list_models(r, models, sizeof(models));
        if (models[0] != 0)
            OPN_TRY(measure(r, &as_paper, models));
        if (wants_epistemic(r))
            OPN_TRY(measure(r, &as_epistemic, "s-bgcn-t-k"));
        if (strcmp(r->task, "ood") == 0 && wants_table(r, "beyond"))
            OPN_TRY(measure(r, &as_strong, beyond_models));
    }
cleanup:
    r->graph = NULL;
    opn_graph_free(graph);
    opn_graph_free(raw);
    return status;
}

// Whether the datasets asked for are in the tables.
static opn_status check_datasets(opn_ctx *ctx, const char *list)
{
    opn_status status = OPN_OK;
    while (*list != 0) {
        const size_t n = strcspn(list, ",");
        bool is_known = false;
        for (int d = 0; d < N_DATASETS; d++)
            is_known = is_known ||
                       (strlen(datasets[d]) == n && memcmp(datasets[d], list, n) == 0);
        OPN_FAIL_IF(ctx, !is_known, OPN_ERR_INVALID_ARG,
                    "--dataset: \"%.*s\" is in no table of the paper; cora, citeseer, "
                    "pubmed, photo, computers and physics are",
                    (int)n, list);
        list += n + (list[n] == ',');
    }
cleanup:
    return status;
}

opn_status opn_reproduce(opn_ctx *ctx,
                         const opn_params *params,
                         const char *folder,
                         opn_reproduction **out)
{
    opn_status status = OPN_OK;
    reproducing r = {.ctx = ctx, .params = params, .folder = folder};
    const char *wanted = opn_params_text(params, "dataset");
    OPN_TRY(check_datasets(ctx, wanted));
    OPN_TRY_NEW(ctx, r.found, 1);
    r.found->alloc = ctx->alloc;
    for (int d = 0; d < N_DATASETS; d++) {
        r.dataset = datasets[d];
        if (is_listed(wanted, r.dataset))
            OPN_TRY(reproduce_dataset(&r));
    }
    *out = r.found;
    r.found = NULL;
cleanup:
    opn_reproduction_free(r.found);
    return status;
}
