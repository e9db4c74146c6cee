// tune.c -- hyper-parameter search: runs trials, scored on validation nodes, and picks
// the best.

#include "base/text.h"
#include "experiment/evaluate_parts.h"
#include "graph/graph_data.h"
#include "io/path.h"
#include "train/jobs.h"
#include "tune/tune_command.h"
#include "tune/tune_folder.h"
#include "tune/tune_space.h"
#include "tune/tuning_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Every trial runs on a fifth of the seeds, and the best quarter on all of them.
enum { FIRST_SHARE = 5, FINAL_SHARE = 4, LEAST_FINALISTS = 5 };

// A search in progress. Workers only read it, except for the runs of their own jobs.
typedef struct tuning_work {
    const opn_graph *graph;
    const opn_params *given; // before the preset
    opn_i_journal *journal;  // or NULL
    opn_tuning *tuning;
    opn_i_shard *shard;              // or NULL
    opn_i_trial trial;               // shared by all runs
    int32_t first_seed, n_now_seeds; // of the round
    opn_i_share share;               // of its runs
} tuning_work;

static const opn_i_model_kind *kind_of(const opn_params *params)
{
    return opn_i_model_kind_find(opn_params_text(params, "model"));
}

static opn_trial_run *run_of(const tuning_work *w, int32_t t, int32_t s)
{
    return &w->tuning->run[(size_t)t * (size_t)w->tuning->n_seeds + (size_t)s];
}

// ---- one job: a trial on one seed ----------------------------------------------------

static int32_t trial_of(const tuning_work *w, int32_t job)
{
    const int32_t at = w->share.first + job * w->share.step;
    return w->tuning->ranked[at / w->n_now_seeds];
}

static int32_t seed_of(const tuning_work *w, int32_t job)
{
    const int32_t at = w->share.first + job * w->share.step;
    return w->first_seed + at % w->n_now_seeds;
}

// The parameters of trial t for a seed, and the split they specify.
static opn_status prepare_run(opn_ctx *ctx,
                              const tuning_work *w,
                              int32_t t,
                              int32_t s,
                              opn_params **params,
                              opn_split **split)
{
    opn_status status = OPN_OK;
    OPN_TRY(opn_params_copy(ctx, w->tuning->setting[t].params, params));
    OPN_TRY(opn_i_params_move_seed(ctx, *params, s));
    OPN_TRY(opn_split_from_params(ctx, w->graph, *params, split));
cleanup:
    return status;
}

// Finds a run in the folder, if need be since a moment ago, or does it if `does`.
static opn_status find_or_do(opn_ctx *ctx, const tuning_work *w, int32_t job, bool does)
{
    opn_status status = OPN_OK;
    const int32_t t = trial_of(w, job);
    opn_trial_run *run = run_of(w, t, seed_of(w, job));
    opn_i_trial trial = w->trial;
    opn_params *params = NULL;
    opn_split *split = NULL;
    char key[OPN_SHA256_TEXT];
    OPN_TRY(prepare_run(ctx, w, t, seed_of(w, job), &params, &split));
    trial.params = params;
    trial.split = split;
    OPN_TRY(opn_i_tune_key(ctx, w->tuning->data_hash, kind_of(params), &trial, key));
    bool is_there = w->journal != NULL && opn_i_journal_find(w->journal, key, run);
    if (w->journal != NULL && !is_there && does) {
        OPN_TRY(opn_i_journal_refresh(ctx, w->journal));
        is_there = opn_i_journal_find(w->journal, key, run);
    }
    if (!is_there && does) {
        OPN_TRY(opn_i_trial_run(ctx, &trial, run));
        if (w->journal != NULL)
            OPN_TRY(opn_i_tune_folder_add(ctx, w->journal, key, &trial, t, run));
    }
cleanup:
    opn_split_free(split);
    opn_params_free(params);
    return status;
}

static opn_status run_job(opn_ctx *ctx, void *user, int32_t number)
{
    return find_or_do(ctx, user, number, true);
}

static opn_status look_for_job(opn_ctx *ctx, void *user, int32_t number)
{
    return find_or_do(ctx, user, number, false);
}

static void tell_nothing(opn_ctx *ctx, void *user, int32_t number)
{
    (void)ctx;
    (void)user;
    (void)number;
}

static void tell_job(opn_ctx *ctx, void *user, int32_t number)
{
    const tuning_work *w = user;
    const int32_t t = trial_of(w, number);
    const int32_t s = seed_of(w, number);
    const opn_trial_run *run = run_of(w, t, s);
    const opn_params *params = w->tuning->setting[t].params;
    opn_i_text line = {.ctx = ctx};
    opn_i_text_add(&line, "%s, %s, %s, trial %d, seed %lld: objective %.1f",
                   w->tuning->dataset, opn_params_text(params, "task"),
                   opn_params_text(params, "model"), (int)t,
                   (long long)opn_params_int(params, "seed") + s, run->objective);
    if (!isnan(run->accuracy))
        opn_i_text_add(&line, ", accuracy %.1f", run->accuracy);
    if (!isnan(run->detection))
        opn_i_text_add(&line, ", %s by %s %.1f",
                       w->trial.held_out[0] < 0 ? "selective accuracy" : "AUROC",
                       opn_score_name(w->tuning->score), run->detection);
    if (line.status == OPN_OK)
        opn_i_log(ctx, OPN_LOG_INFO, "%s", line.chars);
    opn_i_text_free(&line);
}

// ---- rounds --------------------------------------------------------------------------

typedef struct ranked_trial {
    double mean;
    int32_t t;
} ranked_trial;

// Best first; ties in trial order.
static int compare_trials(const void *a, const void *b)
{
    const ranked_trial *x = a;
    const ranked_trial *y = b;
    return x->mean != y->mean ? (x->mean < y->mean) - (x->mean > y->mean)
                              : (x->t > y->t) - (x->t < y->t);
}

// Sorts ranked[begin … end).
static opn_status rank(opn_ctx *ctx, opn_tuning *tuning, int32_t begin, int32_t end)
{
    opn_status status = OPN_OK;
    ranked_trial *list = NULL;
    const int32_t n = end - begin;
    int32_t *ranked = tuning->ranked + begin;
    OPN_TRY_NEW(ctx, list, n);
    for (int32_t r = 0; r < n; r++)
        list[r] = (ranked_trial){
                opn_i_trial_estimate(tuning, ranked[r], OPN_TRIAL_OBJECTIVE).mean,
                ranked[r]};
    qsort(list, (size_t)n, sizeof(list[0]), compare_trials);
    for (int32_t r = 0; r < n; r++)
        ranked[r] = list[r].t;
cleanup:
    opn_i_release(&ctx->alloc, list);
    return status;
}

// Selects the best of the first round, followed by the default if it is not among them.
static void choose_finalists(opn_tuning *tuning)
{
    int32_t n = (tuning->n_trials + FINAL_SHARE - 1) / FINAL_SHARE;
    int32_t at = 0;
    n = n > LEAST_FINALISTS ? n : LEAST_FINALISTS;
    n = n < tuning->n_trials ? n : tuning->n_trials;
    while (tuning->ranked[at] != 0)
        at++;
    if (at >= n) {
        memmove(tuning->ranked + n + 1, tuning->ranked + n,
                (size_t)(at - n) * sizeof(tuning->ranked[0]));
        tuning->ranked[n++] = 0;
    }
    tuning->n_finalists = n;
}

// Runs the first n trials of the ranking on seeds [first_seed, end_seed).
static opn_status run_round(opn_ctx *ctx,
                            tuning_work *w,
                            const char *stage,
                            int32_t n,
                            int32_t first_seed,
                            int32_t end_seed)
{
    w->first_seed = first_seed;
    w->n_now_seeds = end_seed - first_seed;
    w->share = opn_i_shard_deal(w->shard, n * w->n_now_seeds);
    const opn_i_jobs jobs = {
            .stage = stage, .n = w->share.n, .run = run_job, .tell = tell_job, .user = w};
    return opn_i_jobs_run(ctx, &jobs);
}

// Takes the runs of all shards in the first round from the folder. False if some are
// missing yet.
static opn_status gather_round(opn_ctx *ctx, tuning_work *w, bool *is_complete)
{
    opn_status status = OPN_OK;
    const opn_tuning *tuning = w->tuning;
    const opn_i_jobs jobs = {.stage = "reading the first round",
                             .n = tuning->n_trials * w->n_now_seeds,
                             .run = look_for_job,
                             .tell = tell_nothing,
                             .user = w};
    w->share = opn_i_shard_deal(NULL, jobs.n);
    OPN_TRY(opn_i_journal_refresh(ctx, w->journal));
    OPN_TRY(opn_i_jobs_run(ctx, &jobs));
    *is_complete = true;
    for (int32_t t = 0; t < tuning->n_trials; t++)
        for (int32_t s = 0; s < tuning->n_first_seeds; s++)
            *is_complete = *is_complete && !isnan(run_of(w, t, s)->objective);
cleanup:
    return status;
}

// The rounds as far as a shard can go.
static opn_status run_shard_rounds(opn_ctx *ctx, tuning_work *w, bool *is_complete)
{
    opn_status status = OPN_OK;
    opn_tuning *tuning = w->tuning;
    OPN_TRY(run_round(ctx, w, "tuning", tuning->n_trials, 0, tuning->n_first_seeds));
    OPN_TRY(gather_round(ctx, w, is_complete));
    if (!*is_complete)
        goto cleanup;
    OPN_TRY(rank(ctx, tuning, 0, tuning->n_trials));
    choose_finalists(tuning);
    OPN_TRY(run_round(ctx, w, "tuning the finalists", tuning->n_finalists,
                      tuning->n_first_seeds, tuning->n_seeds));
cleanup:
    return status;
}

static opn_status run_rounds(opn_ctx *ctx, tuning_work *w)
{
    opn_status status = OPN_OK;
    opn_tuning *tuning = w->tuning;
    OPN_TRY(run_round(ctx, w, "tuning", tuning->n_trials, 0, tuning->n_first_seeds));
    OPN_TRY(rank(ctx, tuning, 0, tuning->n_trials));
    choose_finalists(tuning);
    OPN_TRY(run_round(ctx, w, "tuning the finalists", tuning->n_finalists,
                      tuning->n_first_seeds, tuning->n_seeds));
    OPN_TRY(rank(ctx, tuning, 0, tuning->n_finalists));
    OPN_TRY(rank(ctx, tuning, tuning->n_finalists, tuning->n_trials));
cleanup:
    return status;
}

// ---- recommendation ------------------------------------------------------------------

// About how many seeds would tell the best trial from the default: the interval shrinks
// with the root of their number. 0 if they would be too many, for too small a gain.
static int32_t count_needed_seeds(const opn_tuning *tuning)
{
    enum { ROUND = 5, MOST = 50 };
    const double half = tuning->difference - tuning->low;
    const double times = half / tuning->difference;
    const double n = ceil(1.2 * tuning->n_seeds * times * times / ROUND) * ROUND;
    return n > MOST ? 0 : (int32_t)n;
}

// Paired by seed, because a hard seed is hard for both.
static void compare_with_default(opn_tuning *tuning)
{
    double difference[OPN_MAX_SEEDS];
    opn_estimate e;
    const opn_trial_run *best = opn_tuning_runs(tuning, tuning->ranked[0]);
    const opn_trial_run *usual = opn_tuning_runs(tuning, 0);
    for (int32_t s = 0; s < tuning->n_seeds; s++)
        difference[s] = best[s].objective - usual[s].objective;
    opn_estimate_mean(tuning->n_seeds, difference, &e);
    tuning->difference = e.mean;
    tuning->low = e.low;
    tuning->high = e.high;
    tuning->recommended = e.low > 0.0 ? tuning->ranked[0] : 0;
    if (e.mean > 0.0 && e.low <= 0.0)
        tuning->n_needed_seeds = count_needed_seeds(tuning);
}

// The command to copy: train with the recommended setting, or tune with more seeds.
static opn_status
write_command(opn_ctx *ctx, tuning_work *w, const char *data, const char *folder)
{
    opn_tuning *tuning = w->tuning;
    if (tuning->n_needed_seeds > 0)
        return opn_i_tune_more_command(ctx, data, w->given, tuning->n_needed_seeds,
                                       folder, &tuning->command);
    return opn_i_tune_command(ctx, w->graph, data, w->given,
                              tuning->setting[tuning->recommended].params,
                              &tuning->command);
}

// ---- whole search --------------------------------------------------------------------

// Picks the known classes with the most validation nodes, which give the best estimates.
static opn_status choose_classes(opn_ctx *ctx, tuning_work *w, const opn_split *split)
{
    opn_status status = OPN_OK;
    const int32_t n_known = opn_split_n_known(split);
    const uint8_t *role = opn_split_roles(split);
    char number[12];
    int32_t *n_nodes = NULL; // per class
    OPN_TRY_NEW(ctx, n_nodes, w->graph->n_classes);
    OPN_FAIL_IF(
            ctx, n_known < 3, OPN_ERR_SHAPE,
            "%s: ood cannot be tuned with %d known class%s: one at a time is held out "
            "as unknown, and at least two must remain",
            w->graph->name, (int)n_known, n_known == 1 ? "" : "es");
    for (opn_vid i = 0; i < opn_i_graph_n_nodes(w->graph); i++)
        if (role[i] == OPN_ROLE_VALIDATION)
            n_nodes[w->graph->label[i]]++;
    for (w->trial.n_folds = 0; w->trial.n_folds < OPN_MOST_FOLDS; w->trial.n_folds++) {
        int32_t most = 0;
        for (int32_t k = 1; k < w->graph->n_classes; k++)
            most = n_nodes[k] > n_nodes[most] ? k : most;
        if (n_nodes[most] == 0)
            break;
        n_nodes[most] = 0;
        w->trial.held_out[w->trial.n_folds] = most;
        const char *name = opn_graph_class_name(w->graph, most, number);
        OPN_TRY(opn_i_names_add(ctx, &w->tuning->held_out, name, strlen(name)));
    }
    OPN_FAIL_IF(ctx, w->trial.n_folds == 1, OPN_ERR_SHAPE,
                "%s: ood cannot be tuned, because all validation nodes are of class %s; "
                "nodes of another one are needed to tell them from",
                w->graph->name,
                opn_graph_class_name(w->graph, w->trial.held_out[0], number));
cleanup:
    opn_i_release(&ctx->alloc, n_nodes);
    return status;
}

static opn_status
check_validation(opn_ctx *ctx, const opn_graph *graph, const opn_split *split)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, opn_split_count(split, OPN_ROLE_VALIDATION) == 0, OPN_ERR_SHAPE,
                "%s: has no validation nodes to score trials on; give some the role "
                "validation in split.csv",
                graph->name);
cleanup:
    return status;
}

// Reports problems with the task or the split early, on a context that logs.
static opn_status look_at_split(opn_ctx *ctx, tuning_work *w)
{
    opn_status status = OPN_OK;
    opn_tuning *tuning = w->tuning;
    opn_params *params = NULL;
    opn_split *split = NULL;
    uint8_t *spared = NULL;
    OPN_TRY(prepare_run(ctx, w, 0, 0, &params, &split));
    OPN_TRY(check_validation(ctx, w->graph, split));
    tuning->n_validation = opn_split_count(split, OPN_ROLE_VALIDATION);
    tuning->is_halved = opn_params_int(params, "patience") > 0;
    if (tuning->is_halved) {
        OPN_TRY_NEW(ctx, spared, opn_i_graph_n_nodes(w->graph));
        OPN_TRY(opn_i_trial_halve(ctx, w->graph, split,
                                  (uint64_t)opn_params_int(params, "seed"), spared));
        tuning->n_validation = 0;
        for (opn_vid i = 0; i < opn_i_graph_n_nodes(w->graph); i++)
            tuning->n_validation += spared[i];
    }
    w->trial.n_folds = 1;
    w->trial.held_out[0] = -1;
    if (strcmp(opn_params_text(params, "task"), "ood") == 0)
        OPN_TRY(choose_classes(ctx, w, split));
cleanup:
    opn_i_release(&ctx->alloc, spared);
    opn_split_free(split);
    opn_params_free(params);
    return status;
}

// Replaces `model` auto by what it chooses on the first split.
static opn_status settle_model(opn_ctx *ctx, const opn_graph *graph, opn_params *usual)
{
    opn_status status = OPN_OK;
    opn_split *split = NULL;
    opn_model *model = NULL;
    if (strcmp(opn_params_text(usual, "model"), "auto") != 0)
        return OPN_OK;
    OPN_TRY(opn_split_from_params(ctx, graph, usual, &split));
    OPN_TRY(check_validation(ctx, graph, split));
    OPN_TRY(opn_model_train(ctx, graph, split, usual, NULL, &model));
    OPN_TRY(opn_params_set(ctx, usual, "model", opn_model_id(model)));
cleanup:
    opn_split_free(split);
    opn_model_free(model);
    return status;
}

static opn_status draw_trials(opn_ctx *ctx, tuning_work *w)
{
    opn_status status = OPN_OK;
    opn_tuning *tuning = w->tuning;
    opn_params *usual = NULL;
    OPN_TRY(opn_params_copy(ctx, w->given, &usual));
    OPN_TRY(opn_params_use_preset(ctx, w->graph, usual));
    OPN_FAIL_IF(ctx, kind_of(usual) == NULL, OPN_ERR_INVALID_ARG,
                "`model` %s: one model is tuned at a time",
                opn_params_text(usual, "model"));
    OPN_TRY(settle_model(ctx, w->graph, usual));
    const opn_i_model_kind *kind = kind_of(usual);
    const opn_i_space space = {.given = w->given,
                               .usual = usual,
                               .kind = kind,
                               .has_features = w->graph->features.n_cols > 0};
    OPN_FAIL_IF(ctx, opn_i_space_is_empty(&space), OPN_ERR_INVALID_ARG,
                "every tunable parameter is given; leave at least one to search");
    for (int32_t t = 0; t < tuning->n_trials; t++) {
        OPN_TRY(opn_i_space_draw(ctx, &space, t, &tuning->setting[t].params));
        tuning->ranked[t] = t;
    }
    tuning->score = opn_i_trial_score(kind, usual);
    w->trial.score = tuning->score;
cleanup:
    opn_params_free(usual);
    return status;
}

static opn_status prepare(opn_ctx *ctx, tuning_work *w)
{
    opn_status status = OPN_OK;
    const opn_graph *graph = w->graph;
    opn_tuning *tuning = NULL;
    OPN_TRY_NEW(ctx, tuning, 1);
    w->tuning = tuning;
    tuning->alloc = ctx->alloc;
    tuning->n_threads = opn_ctx_threads(ctx);
    tuning->n_trials = (int32_t)opn_params_int(w->given, "trials");
    tuning->n_seeds = (int32_t)opn_params_int(w->given, "seeds");
    tuning->n_first_seeds = (tuning->n_seeds + FIRST_SHARE - 1) / FIRST_SHARE;
    OPN_FAIL_IF(ctx, tuning->n_seeds < 2, OPN_ERR_INVALID_ARG,
                "`seeds`: one seed cannot tell a better setting from luck; use at least "
                "2");
    OPN_TRY(opn_i_join_path(ctx, NULL, opn_i_result_name(graph), "", &tuning->dataset));
    OPN_TRY(opn_graph_hash(ctx, graph, tuning->data_hash));
    OPN_TRY_NEW(ctx, tuning->setting, tuning->n_trials);
    OPN_TRY_NEW(ctx, tuning->ranked, tuning->n_trials);
    OPN_TRY_NEW(ctx, tuning->run, (size_t)tuning->n_trials * (size_t)tuning->n_seeds);
    for (int32_t t = 0; t < tuning->n_trials; t++)
        for (int32_t s = 0; s < tuning->n_seeds; s++)
            *run_of(w, t, s) =
                    (opn_trial_run){(double)NAN, (double)NAN, (double)NAN, (double)NAN};
    OPN_TRY(draw_trials(ctx, w));
    OPN_TRY(look_at_split(ctx, w));
cleanup:
    return status;
}

// Says where the results of an interrupted search are, if it was that.
static opn_status tell_interrupted(opn_ctx *ctx,
                                   const tuning_work *w,
                                   const char *folder,
                                   opn_status status)
{
    OPN_FAIL_IF(ctx, status == OPN_ERR_INTERRUPTED && w->journal != NULL,
                OPN_ERR_INTERRUPTED, "interrupted; the results so far are in %s", folder);
    OPN_FAIL_IF(ctx, status == OPN_ERR_INTERRUPTED && folder == NULL, OPN_ERR_INTERRUPTED,
                "interrupted; what is done so far is kept only in a folder (`output`)");
cleanup:
    return status;
}

opn_status opn_tune(opn_ctx *ctx,
                    const opn_graph *graph,
                    const opn_params *params,
                    const char *data,
                    const char *folder,
                    opn_tuning **out)
{
    OPN_REJECT_NULL(ctx, graph, params, out);
    opn_status status = OPN_OK;
    tuning_work w = {.graph = graph, .given = params, .trial = {.graph = graph}};
    OPN_TRY(opn_i_shard_refuse(ctx, params, "makes no table"));
    status = prepare(ctx, &w);
    if (status == OPN_OK && folder != NULL)
        OPN_TRY(opn_i_tune_folder_open(ctx, folder, NULL, &w.journal));
    if (status == OPN_OK)
        status = run_rounds(ctx, &w);
    OPN_TRY(tell_interrupted(ctx, &w, folder, status));
    compare_with_default(w.tuning);
    OPN_TRY(write_command(ctx, &w, data != NULL ? data : graph->name, folder));
    *out = w.tuning;
    w.tuning = NULL;
cleanup:
    opn_i_journal_close(w.journal);
    opn_tuning_free(w.tuning);
    return status;
}

opn_status opn_tune_shard(opn_ctx *ctx,
                          const opn_graph *graph,
                          const opn_params *params,
                          const char *folder,
                          opn_shard_summary *out)
{
    OPN_REJECT_NULL(ctx, graph, params, out);
    opn_status status = OPN_OK;
    opn_i_shard shard;
    tuning_work w = {
            .graph = graph, .given = params, .shard = &shard, .trial = {.graph = graph}};
    bool is_complete = false;
    OPN_TRY(opn_i_shard_init(ctx, params, folder, &shard));
    status = prepare(ctx, &w);
    if (status == OPN_OK)
        OPN_TRY(opn_i_tune_folder_open(ctx, folder, &shard, &w.journal));
    if (status == OPN_OK)
        status = run_shard_rounds(ctx, &w, &is_complete);
    OPN_TRY(tell_interrupted(ctx, &w, folder, status));
    *out = opn_i_shard_summary(&shard);
    out->has_more = !is_complete;
cleanup:
    opn_i_journal_close(w.journal);
    opn_tuning_free(w.tuning);
    return status;
}
