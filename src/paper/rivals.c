// rivals.c -- measures under the protocols of other papers.

#include "paper/rivals.h"

#include "experiment/evaluate_parts.h"
#include "paper/reproduce_rows.h"

#include <math.h>
#include <string.h>

// A protocol of another paper with its shift, and how costs call it.
static const struct {
    const char *protocol, *shift, *setting;
} tasks[] = {{"gnnsafe", "structure", "structure"},
             {"gnnsafe", "feature", "feature"},
             {"gnnsafe", "label", "label"},
             {"gpn", "none", "gpn"}};
enum { N_TASKS = sizeof(tasks) / sizeof(tasks[0]) };

// Where a shift isolates nodes, both conventions for them are shown, if the library has
// the choice.
static const char *const conventions[] = {"uncertain", "keep"};

// What is compared; a score that the library or the model does not have is left out.
static const char models[] = "s-bgcn-t-k,gcn";
static const struct {
    int32_t model; // its place among the models
    const char *score;
} scores[] = {{0, "vacuity"}, {0, "vacuity~"}, {0, "fused"}, {1, "gnnsafe"}};
enum { N_SCORES = sizeof(scores) / sizeof(scores[0]) };

static const int metrics[OPN_N_RIVAL_FIGURES - 1] = {OPN_METRIC_AUROC, OPN_METRIC_AUPR,
                                                     OPN_METRIC_AUPR_ERRORS,
                                                     OPN_METRIC_FPR95_ERRORS};

const char *opn_i_rival_figure_name(int f)
{
    return f < OPN_N_RIVAL_FIGURES - 1 ? opn_metric_name((opn_metric)metrics[f])
                                       : opn_quality_name(OPN_QUALITY_ACCURACY);
}

static opn_status
add_row(opn_ctx *ctx, const opn_i_rival_row *row, opn_reproduction *found)
{
    opn_status status = OPN_OK;
    OPN_TRY_RESERVE(ctx, found->rival, found->rival_room, (size_t)found->n_rivals,
                    (size_t)found->n_rivals + 1);
    found->rival[found->n_rivals++] = *row;
cleanup:
    return status;
}

// Whether the convention for isolated nodes changes a score.
static bool is_changed(const char *score)
{
    return strchr(score, '~') != NULL || strcmp(score, "fused") == 0;
}

// Whether a score that no convention changes is in the table of this task already.
static bool
is_told(const opn_i_rival_row *head, const char *score, const opn_reproduction *found)
{
    for (int32_t r = 0; r < found->n_rivals && !is_changed(score); r++)
        if (strcmp(found->rival[r].dataset, head->dataset) == 0 &&
            strcmp(found->rival[r].protocol, head->protocol) == 0 &&
            strcmp(found->rival[r].shift, head->shift) == 0 &&
            strcmp(found->rival[r].score, score) == 0)
            return true;
    return false;
}

static opn_status add_measured(opn_ctx *ctx,
                               const opn_i_rival_row *head,
                               const opn_evaluation *evaluation,
                               opn_reproduction *found)
{
    opn_status status = OPN_OK;
    for (int s = 0; s < N_SCORES; s++) {
        const int32_t score = opn_score_find(scores[s].score);
        const int32_t m = scores[s].model;
        opn_i_rival_row row = *head;
        if (score < 0 ||
            opn_evaluation_metric(evaluation, m, OPN_METRIC_AUROC, score).n == 0 ||
            is_told(head, scores[s].score, found))
            continue;
        row.method = opn_i_model_kind_find(opn_evaluation_model(evaluation, m))->id;
        row.score = scores[s].score;
        row.isolated = is_changed(scores[s].score) ? head->isolated : "";
        for (int f = 0; f < OPN_N_RIVAL_FIGURES - 1; f++)
            row.figure[f] =
                    opn_evaluation_metric(evaluation, m, (opn_metric)metrics[f], score);
        row.figure[OPN_N_RIVAL_FIGURES - 1] =
                opn_evaluation_quality(evaluation, m, OPN_QUALITY_ACCURACY);
        OPN_TRY(add_row(ctx, &row, found));
    }
cleanup:
    return status;
}

// One row for each published method, with the figures that are known.
static opn_status
add_published(opn_ctx *ctx, const opn_i_rival_row *head, opn_reproduction *found)
{
    opn_status status = OPN_OK;
    for (size_t p = 0; p < opn_i_rival_figure_count(); p++) {
        const opn_i_rival_figure *figure = opn_i_rival_figure_at(p);
        opn_i_rival_row row = *head;
        if (strcmp(figure->protocol, head->protocol) != 0 ||
            strcmp(figure->shift, head->shift) != 0 ||
            strcmp(figure->dataset, head->dataset) != 0 ||
            strcmp(figure->metric, "auroc") != 0)
            continue;
        row.method = figure->method;
        row.score = "published";
        row.figure[0] = (opn_estimate){.n = 1,
                                       .mean = figure->value,
                                       .std = (double)NAN,
                                       .low = (double)NAN,
                                       .high = (double)NAN};
        OPN_TRY(add_row(ctx, &row, found));
    }
cleanup:
    return status;
}

// The parameters of one task: what is frozen in the preset strong, for all graphs.
static opn_status
set_task(opn_ctx *ctx, const opn_params *given, int task, opn_params **out)
{
    opn_status status = OPN_OK;
    opn_params *params = NULL;
    OPN_TRY(opn_params_copy(ctx, given, &params));
    OPN_TRY(opn_params_set(ctx, params, "protocol", tasks[task].protocol));
    OPN_TRY(opn_params_set(ctx, params, "shift", tasks[task].shift));
    OPN_TRY(opn_params_set(ctx, params, "task", "ood"));
    OPN_TRY(opn_params_set(ctx, params, "model", models));
    OPN_TRY(opn_params_set(ctx, params, "preset", "strong"));
    *out = params;
    params = NULL;
cleanup:
    opn_params_free(params);
    return status;
}

// Evaluates one task with one convention for isolated nodes, "" for the usual one.
static opn_status measure_convention(opn_ctx *ctx,
                                     const opn_graph *graph,
                                     opn_params *params,
                                     const opn_i_rival_row *head,
                                     opn_i_run_folder *folder,
                                     opn_reproduction *found,
                                     opn_evaluation **out)
{
    opn_status status = OPN_OK;
    opn_evaluation_free(*out);
    *out = NULL;
    if (head->isolated[0] != 0)
        OPN_TRY(opn_params_set(ctx, params, "isolated", head->isolated));
    OPN_TRY(opn_i_evaluate(ctx, graph, params, folder, out));
    if (*out != NULL) // a shard makes no table
        OPN_TRY(add_measured(ctx, head, *out, found));
cleanup:
    return status;
}

static opn_status measure_task(opn_ctx *ctx,
                               const opn_params *given,
                               const char *dataset,
                               int task,
                               opn_i_run_folder *folder,
                               opn_reproduction *found)
{
    opn_status status = OPN_OK;
    opn_params *params = NULL;
    opn_graph *graph = NULL;
    opn_evaluation *evaluation = NULL;
    opn_i_rival_row head = {.dataset = dataset,
                            .protocol = tasks[task].protocol,
                            .shift = tasks[task].shift,
                            .isolated = ""};
    const bool has_both =
            strcmp(head.shift, "structure") == 0 && opn_param_find("isolated") != NULL;
    OPN_TRY(set_task(ctx, given, task, &params));
    OPN_TRY(opn_graph_load_prepared(ctx, dataset, params, &graph));
    for (int c = 0; c < (has_both ? 2 : 1); c++) {
        head.isolated = has_both ? conventions[c] : "";
        OPN_TRY(measure_convention(ctx, graph, params, &head, folder, found,
                                   &evaluation));
    }
    if (evaluation == NULL)
        goto cleanup;
    const opn_i_measured measured = {dataset, "ood", tasks[task].setting, evaluation};
    head.isolated = "";
    OPN_TRY(add_published(ctx, &head, found));
    OPN_TRY(opn_i_add_costs(ctx, &measured, found));
cleanup:
    opn_evaluation_free(evaluation);
    opn_graph_free(graph);
    opn_params_free(params);
    return status;
}

opn_status opn_i_add_rivals(opn_ctx *ctx,
                            const opn_params *params,
                            const char *dataset,
                            opn_i_run_folder *folder,
                            opn_reproduction *found)
{
    opn_status status = OPN_OK;
    for (int task = 0; task < N_TASKS; task++)
        OPN_TRY(measure_task(ctx, params, dataset, task, folder, found));
cleanup:
    return status;
}
