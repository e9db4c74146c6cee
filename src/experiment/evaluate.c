// evaluate.c -- trains and scores many models on many seeds, and saves the results.

#include "base/names.h"
#include "base/text.h"
#include "experiment/evaluate_parts.h"
#include "experiment/evaluation_data.h"
#include "experiment/kept_model.h"
#include "experiment/run_folder.h"
#include "experiment/score.h"
#include "graph/protocol.h"
#include "opinion/measure_table.h"
#include "train/jobs.h"
#include "train/training_key.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A model to evaluate; those with the same `trained_as` share their trainings.
typedef struct entrant {
    const opn_i_model_kind *kind, *trained_as;
} entrant;

// An evaluation in progress. Workers only read it, except for the cells of their own
// jobs.
typedef struct evaluating {
    const opn_graph *graph;
    const opn_params *given; // before any preset, which depends on the model
    opn_evaluation *evaluation;
    opn_i_run_folder *folder; // or NULL
    entrant *entrant;         // [n_models]
    int32_t *leader; // [n_leaders] first model of each group that is trained alike
    int32_t n_models, n_leaders;
    opn_i_share share; // of the jobs, [n_leaders, n_seeds]
} evaluating;

static opn_cell *cell_of(const evaluating *e, int32_t m, int32_t s)
{
    return &e->evaluation->cell[(size_t)m * (size_t)e->evaluation->n_seeds + (size_t)s];
}

// ---- one job: a training and all models that use it ----------------------------------

typedef struct job {
    opn_ctx *ctx;
    const evaluating *e;
    int32_t leader, s;
    opn_params *params;
    opn_split *split;
    opn_model *model;
    bool was_loaded;
    opn_i_training training;
} job;

static bool is_in_job(const job *j, int32_t m)
{
    const evaluating *e = j->e;
    return e->entrant[m].trained_as == e->entrant[j->leader].trained_as;
}

// A saved model brings its own sampling parameters; those given now take precedence.
static opn_status give_sampling(opn_ctx *ctx, opn_params *params)
{
    opn_status status = OPN_OK;
    for (size_t p = 0; p < opn_param_count(); p++) {
        const opn_param *param = opn_param_at(p);
        if (param->affects & OPN_AFFECTS_SAMPLING)
            OPN_TRY(opn_params_set(ctx, params, param->name,
                                   opn_params_text(params, param->name)));
    }
cleanup:
    return status;
}

static opn_status prepare_job(job *j)
{
    opn_status status = OPN_OK;
    const evaluating *e = j->e;
    OPN_TRY(opn_params_copy(j->ctx, e->given, &j->params));
    OPN_TRY(opn_params_set(j->ctx, j->params, "model", e->entrant[j->leader].kind->id));
    OPN_TRY(opn_params_use_preset(j->ctx, e->graph, j->params));
    OPN_TRY(opn_i_params_move_seed(j->ctx, j->params, j->s));
    OPN_TRY(give_sampling(j->ctx, j->params));
    OPN_TRY(opn_split_from_params(j->ctx, e->graph, j->params, &j->split));
    j->training = (opn_i_training){.graph = e->graph,
                                   .dataset = e->evaluation->dataset,
                                   .params = j->params,
                                   .split = j->split,
                                   .kind = e->entrant[j->leader].kind};
    OPN_TRY(opn_i_training_key(j->ctx, e->evaluation->data_hash, j->split, j->params,
                               j->training.kind, j->training.key));
cleanup:
    return status;
}

static opn_status score_one_model(job *j, int32_t m, const char *key)
{
    opn_status status = OPN_OK;
    opn_train_summary s;
    opn_cell cell = {.seed = (uint64_t)opn_params_int(j->params, "seed")};
    opn_model_summary(j->model, &s);
    opn_i_model_see_as(j->model, j->e->entrant[m].kind);
    OPN_TRY(opn_i_split_hash(j->ctx, j->split, cell.split_hash));
    OPN_TRY(opn_i_score_model(j->ctx, j->model, j->e->graph, j->split, j->params, &cell));
    if (opn_i_model_kind_is_auto(j->e->entrant[m].kind))
        snprintf(cell.chosen, sizeof(cell.chosen), "%s", opn_model_id(j->model));
    cell.n_epochs = s.epochs;
    cell.seconds.teacher = j->was_loaded ? (double)NAN : s.teacher_seconds;
    cell.seconds.prior = j->was_loaded ? (double)NAN : s.prior_seconds;
    cell.seconds.train = j->was_loaded ? (double)NAN : s.train_seconds;
    *cell_of(j->e, m, j->s) = cell;
    if (j->e->folder != NULL) {
        json_t *about = opn_i_describe_cell(j->e->evaluation, j->params,
                                            j->e->entrant[m].kind->id);
        OPN_TRY(opn_i_run_folder_add(j->ctx, j->e->folder, key, about, &cell));
    }
cleanup:
    return status;
}

static job job_at(opn_ctx *ctx, const evaluating *e, int32_t number)
{
    const int32_t at = e->share.first + number * e->share.step;
    return (job){.ctx = ctx,
                 .e = e,
                 .leader = e->leader[at / e->evaluation->n_seeds],
                 .s = at % e->evaluation->n_seeds};
}

// Whether the cell of model m is in the folder, if need be since a moment ago: another
// process may have put it there.
static opn_status find_cell(const job *j, int32_t m, const char *key, bool *out)
{
    opn_status status = OPN_OK;
    opn_i_run_folder *folder = j->e->folder;
    opn_cell *cell = cell_of(j->e, m, j->s);
    *out = folder != NULL && opn_i_run_folder_find(folder, key, cell);
    if (folder != NULL && !*out) {
        OPN_TRY(opn_i_run_folder_refresh(j->ctx, folder));
        *out = opn_i_run_folder_find(folder, key, cell);
    }
cleanup:
    return status;
}

static opn_status run_job(opn_ctx *ctx, void *user, int32_t number)
{
    opn_status status = OPN_OK;
    const evaluating *e = user;
    const char *folder = e->folder != NULL ? opn_i_run_folder_path(e->folder) : NULL;
    job j = job_at(ctx, e, number);
    OPN_TRY(prepare_job(&j));
    for (int32_t m = 0; m < e->n_models; m++) {
        char key[OPN_SHA256_TEXT];
        bool is_there = false;
        if (!is_in_job(&j, m))
            continue;
        OPN_TRY(opn_i_cell_key(ctx, j.training.key, j.params, e->entrant[m].kind->id,
                               key));
        OPN_TRY(find_cell(&j, m, key, &is_there));
        if (is_there)
            continue;
        if (j.model == NULL)
            OPN_TRY(opn_i_kept_model(ctx, &j.training, folder, true, &j.was_loaded,
                                     &j.model));
        OPN_TRY(score_one_model(&j, m, key));
    }
cleanup:
    opn_model_free(j.model);
    opn_split_free(j.split);
    opn_params_free(j.params);
    return status;
}

// Logs the results of a finished job, one line per model.
static void tell_job(opn_ctx *ctx, void *user, int32_t number)
{
    const evaluating *e = user;
    const job j = job_at(ctx, e, number);
    const char *task = opn_params_text(e->evaluation->params, "task");
    for (int32_t m = 0; m < e->n_models; m++) {
        const opn_cell *cell = cell_of(e, m, j.s);
        int32_t score = (int32_t)opn_i_recommended_measure(
                opn_i_evaluation_scored(e->evaluation));
        if (!is_in_job(&j, m))
            continue;
        if (isnan(cell->metric[OPN_METRIC_AUROC][score]))
            score = OPN_MEASURE_ENTROPY;
        opn_i_text line = {.ctx = ctx};
        opn_i_text_add(&line, "%s, %s, %s, seed %lld", e->evaluation->dataset, task,
                       e->entrant[m].kind->id, (long long)cell->seed);
        if (!isnan(cell->quality[OPN_QUALITY_ACCURACY]))
            opn_i_text_add(&line, ": accuracy %.1f", cell->quality[OPN_QUALITY_ACCURACY]);
        if (!isnan(cell->metric[OPN_METRIC_AUROC][score]))
            opn_i_text_add(&line, ", AUROC by %s %.1f", opn_score_name(score),
                           cell->metric[OPN_METRIC_AUROC][score]);
        if (line.status == OPN_OK)
            opn_i_log(ctx, OPN_LOG_INFO, "%s", line.chars);
        opn_i_text_free(&line);
    }
}

// ---- whole evaluation ----------------------------------------------------------------

// Lists the models that the parameter names, and which of them lead a training.
static opn_status list_models(opn_ctx *ctx, evaluating *e)
{
    opn_status status = OPN_OK;
    opn_i_names *names = &e->evaluation->models;
    const char *at = opn_params_text(e->evaluation->params, "model");
    while (*at != 0) {
        const size_t n = strcspn(at, ",");
        OPN_TRY(opn_i_names_add(ctx, names, at, n));
        at += n + (at[n] == ',');
    }
    e->n_models = (int32_t)names->n;
    OPN_TRY_NEW(ctx, e->entrant, e->n_models);
    OPN_TRY_NEW(ctx, e->leader, e->n_models);
    for (int32_t m = 0; m < e->n_models; m++) {
        const opn_i_model_kind *kind = opn_i_model_kind_find(opn_i_names_at(names, m));
        bool leads = true;
        e->entrant[m] = (entrant){kind, opn_i_model_kind_trained_as(kind)};
        for (int32_t other = 0; other < m; other++)
            leads = leads && e->entrant[other].trained_as != e->entrant[m].trained_as;
        if (leads)
            e->leader[e->n_leaders++] = m;
    }
cleanup:
    return status;
}

// Reports problems with the task or the split early, on a context that logs.
static opn_status check_first_split(opn_ctx *ctx, const evaluating *e)
{
    opn_status status = OPN_OK;
    opn_split *split = NULL;
    OPN_TRY(opn_split_from_params(ctx, e->graph, e->evaluation->params, &split));
    e->evaluation->holds_out = opn_split_n_known(split) < opn_split_n_classes(split);
    OPN_FAIL_IF(ctx, opn_split_pool_size(split) == 0, OPN_ERR_SHAPE,
                "%s: every labelled node is used for training or validation, so none is "
                "left to score; give some the role test in split.csv",
                e->graph->name);
cleanup:
    opn_split_free(split);
    return status;
}

static opn_status prepare(opn_ctx *ctx, const opn_params *params, evaluating *e)
{
    opn_status status = OPN_OK;
    opn_evaluation *evaluation = NULL;
    const opn_graph *graph = e->graph;
    OPN_TRY(opn_params_check_models(ctx, params, true));
    OPN_TRY(opn_i_protocol_check(ctx, params));
    OPN_TRY_NEW(ctx, evaluation, 1);
    evaluation->alloc = ctx->alloc;
    e->evaluation = evaluation;
    evaluation->n_threads = opn_ctx_threads(ctx);
    evaluation->n_seeds = (int32_t)opn_params_int(params, "seeds");
    OPN_TRY(opn_i_join_path(ctx, NULL, opn_i_result_name(graph), "",
                            &evaluation->dataset));
    OPN_TRY(opn_i_join_path(ctx, NULL, opn_graph_source(graph), "", &evaluation->source));
    OPN_TRY(opn_params_copy(ctx, params, &evaluation->params));
    OPN_TRY(opn_params_use_preset(ctx, graph, evaluation->params));
    OPN_TRY(opn_graph_hash(ctx, graph, evaluation->data_hash));
    OPN_TRY(list_models(ctx, e));
    OPN_TRY_NEW(ctx, evaluation->cell, (size_t)e->n_models * (size_t)evaluation->n_seeds);
    OPN_TRY(check_first_split(ctx, e));
cleanup:
    return status;
}

opn_status opn_i_evaluate(opn_ctx *ctx,
                          const opn_graph *graph,
                          const opn_params *params,
                          opn_i_run_folder *folder,
                          opn_evaluation **out)
{
    opn_status status = OPN_OK;
    evaluating e = {.graph = graph, .given = params, .folder = folder};
    opn_i_text note = {.ctx = ctx};
    OPN_TRY(prepare(ctx, params, &e));
    opn_i_text_add(&note, "%s, %s", e.evaluation->dataset,
                   opn_params_text(e.evaluation->params, "task"));
    OPN_TRY(note.status);
    opn_i_shard *shard = folder != NULL ? opn_i_run_folder_shard(folder) : NULL;
    e.share = opn_i_shard_deal(shard, e.n_leaders * e.evaluation->n_seeds);
    const opn_i_jobs jobs = {.stage = "evaluating",
                             .note = opn_i_text_chars(&note),
                             .n = e.share.n,
                             .run = run_job,
                             .tell = tell_job,
                             .user = &e};
    status = opn_i_jobs_run(ctx, &jobs);
    OPN_FAIL_IF(ctx, status == OPN_ERR_INTERRUPTED && folder != NULL, OPN_ERR_INTERRUPTED,
                "interrupted; the results so far are in %s",
                opn_i_run_folder_path(folder));
    OPN_FAIL_IF(ctx, status == OPN_ERR_INTERRUPTED, OPN_ERR_INTERRUPTED,
                "interrupted; what is done so far is kept only in a folder (`output`)");
    OPN_TRY(status);
    *out = NULL;
    if (shard != NULL)
        goto cleanup;
    if (folder != NULL)
        OPN_TRY(opn_i_run_folder_note(ctx, folder,
                                      opn_i_describe_evaluation(e.evaluation)));
    *out = e.evaluation;
    e.evaluation = NULL;
cleanup:
    opn_i_text_free(&note);
    opn_i_release(&ctx->alloc, e.entrant);
    opn_i_release(&ctx->alloc, e.leader);
    opn_evaluation_free(e.evaluation);
    return status;
}

opn_status opn_evaluate(opn_ctx *ctx,
                        const opn_graph *graph,
                        const opn_params *params,
                        const char *folder,
                        opn_evaluation **out)
{
    OPN_REJECT_NULL(ctx, graph, params, out);
    opn_status status = OPN_OK;
    opn_i_run_folder *kept = NULL;
    OPN_TRY(opn_i_shard_refuse(ctx, params, "makes no table"));
    if (folder != NULL)
        OPN_TRY(opn_i_run_folder_open(ctx, folder, NULL, &kept));
    OPN_TRY(opn_i_evaluate(ctx, graph, params, kept, out));
cleanup:
    opn_i_run_folder_close(kept);
    return status;
}

opn_status opn_evaluate_shard(opn_ctx *ctx,
                              const opn_graph *graph,
                              const opn_params *params,
                              const char *folder,
                              opn_shard_summary *out)
{
    OPN_REJECT_NULL(ctx, graph, params, out);
    opn_status status = OPN_OK;
    opn_i_shard shard;
    opn_i_run_folder *kept = NULL;
    opn_evaluation *none = NULL;
    OPN_TRY(opn_i_shard_init(ctx, params, folder, &shard));
    OPN_TRY(opn_i_run_folder_open(ctx, folder, &shard, &kept));
    OPN_TRY(opn_i_evaluate(ctx, graph, params, kept, &none));
    *out = opn_i_shard_summary(&shard);
cleanup:
    opn_i_run_folder_close(kept);
    return status;
}
