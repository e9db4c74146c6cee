// figure_runs.c -- the trained models that a figure shows.

#include "paper/figure_runs.h"

#include "experiment/kept_model.h"
#include "experiment/view_model.h"
#include "train/training_key.h"

#include <inttypes.h>
#include <stdio.h>

opn_status opn_i_figure_run_open(opn_i_figure_run *run)
{
    opn_status status = OPN_OK;
    opn_graph *graph = NULL;
    OPN_TRY(opn_graph_load_prepared(run->ctx, run->plan->dataset, run->params, &graph));
    OPN_TRY(opn_i_report_new(run->ctx, run->plan->dataset, graph, &run->report));
    run->report->own_graph = graph;
    graph = NULL;
cleanup:
    opn_graph_free(graph);
    return status;
}

void opn_i_figure_run_close(opn_i_figure_run *run)
{
    opn_report_free(run->report);
    run->report = NULL;
}

int32_t opn_i_figure_n_models(const opn_i_figure_plan *plan)
{
    int32_t n = 0;
    while (n < OPN_FIGURE_MODELS && plan->models[n] != NULL)
        n++;
    return n;
}

// ---- models --------------------------------------------------------------------------

// A training and what it refers to.
typedef struct trained {
    opn_params *params;
    opn_split *split;
    opn_i_training training;
} trained;

static void deinit_trained(trained *t)
{
    opn_split_free(t->split);
    opn_params_free(t->params);
}

static opn_status
set_params(const opn_i_figure_run *run, int32_t m, int32_t s, opn_params *params)
{
    opn_status status = OPN_OK;
    char seed[24];
    snprintf(seed, sizeof(seed), "%" PRId64, opn_params_int(params, "seed") + s);
    OPN_TRY(opn_params_set(run->ctx, params, "seed", seed));
    OPN_TRY(opn_params_set(run->ctx, params, "task", run->plan->task));
    OPN_TRY(opn_params_set(run->ctx, params, "model", run->plan->models[m]));
    OPN_TRY(opn_params_use_preset(run->ctx, run->report->graph, params));
cleanup:
    return status;
}

// Freed by the caller, also on failure.
static opn_status describe(const opn_i_figure_run *run, int32_t m, int32_t s, trained *t)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = run->ctx;
    const opn_graph *graph = run->report->graph;
    char hash[OPN_SHA256_TEXT];
    OPN_TRY(opn_params_copy(ctx, run->params, &t->params));
    OPN_TRY(set_params(run, m, s, t->params));
    OPN_TRY(opn_split_from_params(ctx, graph, t->params, &t->split));
    t->training = (opn_i_training){.graph = graph,
                                   .dataset = run->plan->dataset,
                                   .params = t->params,
                                   .split = t->split,
                                   .kind = opn_i_model_kind_find(run->plan->models[m])};
    OPN_TRY(opn_graph_hash(ctx, graph, hash));
    OPN_TRY(opn_i_training_key(ctx, hash, t->split, t->params, t->training.kind,
                               t->training.key));
cleanup:
    return status;
}

opn_status opn_i_figure_view(
        const opn_i_figure_run *run, int32_t m, int32_t s, bool with_map, opn_i_view *out)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = run->ctx;
    trained t = {0};
    opn_model *model = NULL;
    opn_i_view view = {0};
    bool was_there = false;
    OPN_TRY(describe(run, m, s, &t));
    OPN_TRY(opn_i_kept_model(ctx, &t.training, run->folder, true, &was_there, &model));
    opn_i_model_see_as(model, t.training.kind);
    OPN_TRY(opn_i_view_of_model(ctx, run->report, model, &view));
    if (with_map)
        OPN_TRY(opn_i_view_add_map(ctx, run->report->graph, model,
                                   opn_params_real(run->params, "perplexity"), &view));
    *out = view;
    view = (opn_i_view){0};
cleanup:
    opn_i_view_deinit(&ctx->alloc, &view);
    opn_model_free(model);
    deinit_trained(&t);
    return status;
}

// ---- seeds ---------------------------------------------------------------------------

static opn_status has_all_models(const opn_i_figure_run *run, int32_t s, bool *out)
{
    opn_status status = OPN_OK;
    trained t = {0};
    *out = true;
    for (int32_t m = 0; m < opn_i_figure_n_models(run->plan) && *out; m++) {
        deinit_trained(&t);
        t = (trained){0};
        OPN_TRY(describe(run, m, s, &t));
        OPN_TRY(opn_i_is_model_kept(run->ctx, &t.training, run->folder, out));
    }
cleanup:
    deinit_trained(&t);
    return status;
}

opn_status opn_i_figure_count_seeds(const opn_i_figure_run *run, int32_t *out)
{
    opn_status status = OPN_OK;
    const int32_t most = (int32_t)opn_params_int(run->params, "seeds");
    const bool is_given = opn_params_given(run->params, "seeds");
    int32_t n = 0;
    bool has_all = run->folder != NULL && !is_given;
    while (has_all && n < most) {
        OPN_TRY(has_all_models(run, n, &has_all));
        n += has_all;
    }
    *out = is_given ? most : n > 1 ? n : 1;
cleanup:
    return status;
}
