// choose.c -- trains several models on one graph and chooses one, by validation nodes
// alone.

#include "train/choose.h"

#include "graph/shards.h"
#include "model/model_choice.h"
#include "train/checkpoint_file.h"
#include "train/folds.h"
#include "train/history.h"
#include "train/jobs.h"
#include "train/members.h"
#include "train/train.h"
#include "train/training_cost.h"
#include "train/turns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const opn_i_candidate_models[OPN_N_CANDIDATES] = {"s-bsage-t-k", "s-bgcn-t-k",
                                                              "s-blinks-t-k"};

// ---- the rule ------------------------------------------------------------------------

int opn_i_choose_best(int n, const opn_i_candidate *candidate, const bool *is_excluded)
{
    int best = -1;
    int chosen = -1;
    for (int c = 0; c < n; c++)
        if (!is_excluded[c] &&
            (best < 0 || opn_i_candidate_accuracy(&candidate[c]) >
                                 opn_i_candidate_accuracy(&candidate[best])))
            best = c;
    if (best < 0)
        return -1;
    const double top = opn_i_candidate_accuracy(&candidate[best]);
    const double error = opn_i_candidate_error(&candidate[best]);
    for (int c = 0; c < n; c++)
        if (!is_excluded[c] && opn_i_candidate_accuracy(&candidate[c]) >= top - error &&
            (chosen < 0 || candidate[c].nll < candidate[chosen].nll))
            chosen = c;
    return chosen;
}

// ---- the trainings -------------------------------------------------------------------

typedef struct choosing {
    const opn_graph *graph;
    const opn_params *params;
    const opn_checkpoint *checkpoint; // or NULL
    opn_i_folds folds;
    opn_train_summary summary[OPN_N_CANDIDATES][OPN_MAX_FOLDS];
    bool is_broken[OPN_N_CANDIDATES][OPN_MAX_FOLDS]; // something became infinite
    char reason[OPN_N_CANDIDATES][512];              // what, of the first fold
    opn_model *model[OPN_N_CANDIDATES];              // of the first fold
    opn_i_history history[OPN_N_CANDIDATES];         // likewise, if someone listens
    bool is_heard;
    int32_t terms_every;
    opn_i_turn turn[OPN_N_CANDIDATES][OPN_MAX_FOLDS]; // empty with a single fold
} choosing;

static void release_choosing(const opn_alloc *alloc, choosing *c)
{
    opn_i_folds_deinit(&c->folds);
    for (int m = 0; m < OPN_N_CANDIDATES; m++) {
        opn_model_free(c->model[m]);
        opn_i_release(alloc, c->history[m].epoch);
        for (int f = 0; f < OPN_MAX_FOLDS; f++)
            opn_i_turn_deinit(alloc, &c->turn[m][f]);
    }
}

// Whether the nodes that take turns to validate calibrate the model. The members of an
// ensemble say together something else than the first of them alone.
static bool turns_calibrate(const choosing *c)
{
    return c->folds.n > 1 && opn_params_int(c->params, "members") == 1 &&
           opn_i_calibration_wanted(c->params) != OPN_CALIBRATION_NONE;
}

// Jobs are numbered fold by fold.
static int candidate_of(int32_t job)
{
    return job % OPN_N_CANDIDATES;
}

static int fold_of(int32_t job)
{
    return job / OPN_N_CANDIDATES;
}

// Trains a candidate on one fold. The epochs of the first are kept: once one of them is
// chosen, its epochs are those of the training.
static opn_status train_fold(opn_ctx *ctx,
                             choosing *c,
                             int m,
                             int f,
                             const opn_params *params,
                             const char *path,
                             opn_model **out)
{
    opn_i_listener listener;
    if (f > 0 || !c->is_heard)
        return opn_i_train_one(ctx, c->graph, c->folds.split[f], params, path, out);
    opn_i_listener_begin(ctx, c->terms_every, &c->history[m], &listener);
    const opn_status status =
            opn_i_train_one(ctx, c->graph, c->folds.split[f], params, path, out);
    return opn_i_listener_end(&listener, status);
}

static opn_status train_candidate(opn_ctx *ctx, void *user, int32_t job)
{
    opn_status status = OPN_OK;
    choosing *c = user;
    const int m = candidate_of(job);
    const int f = fold_of(job);
    opn_params *params = NULL;
    opn_model *model = NULL;
    char *path = NULL;
    char part[32];
    snprintf(part, sizeof(part), "%s-%d", opn_i_candidate_models[m], f);
    if (c->checkpoint != NULL)
        OPN_TRY(opn_i_checkpoint_part(ctx, c->checkpoint, part, &path));
    OPN_TRY(opn_params_copy(ctx, c->params, &params));
    OPN_TRY(opn_params_set(ctx, params, "model", opn_i_candidate_models[m]));
    status = train_fold(ctx, c, m, f, params, path, &model);
    c->is_broken[m][f] = status == OPN_ERR_NONFINITE;
    if (status == OPN_ERR_NONFINITE) { // others may work
        if (f == 0)
            snprintf(c->reason[m], sizeof(c->reason[m]), "%s", opn_ctx_error(ctx));
        status = OPN_OK;
    }
    if (status == OPN_ERR_FORMAT && c->checkpoint != NULL)
        status = opn_i_checkpoint_refuse(ctx, c->checkpoint);
    OPN_TRY(status);
    if (model != NULL)
        opn_model_summary(model, &c->summary[m][f]);
    if (model != NULL && turns_calibrate(c))
        OPN_TRY(opn_i_turn_init(ctx, c->graph, c->folds.split[f], model, &c->turn[m][f]));
    if (f == 0) {
        c->model[m] = model;
        model = NULL;
    }
cleanup:
    opn_i_release(&ctx->alloc, path);
    opn_params_free(params);
    opn_model_free(model);
    return status;
}

static void tell_candidate(opn_ctx *ctx, void *user, int32_t job)
{
    const choosing *c = user;
    const int m = candidate_of(job);
    const int f = fold_of(job);
    const opn_train_summary *s = &c->summary[m][f];
    if (c->is_broken[m][f] && f == 0)
        opn_i_log(ctx, OPN_LOG_WARNING, "%s does not train and is left out: %s",
                  opn_i_candidate_models[m], c->reason[m]);
    else if (s->n_validation > 0)
        opn_i_log(ctx, OPN_LOG_STEP, "%s: %d epochs, validation accuracy %.1f %%",
                  opn_i_candidate_models[m], (int)s->epochs,
                  100.0 * s->validation_accuracy);
}

// The results of one candidate over all folds; false if it did not train on some.
static bool pool_folds(const choosing *c, int m, opn_i_candidate *out)
{
    opn_i_candidate sum = {.is_chosen = false};
    snprintf(sum.name, sizeof(sum.name), "%s", opn_i_candidate_models[m]);
    for (int f = 0; f < c->folds.n; f++) {
        if (c->is_broken[m][f])
            return false;
        const opn_train_summary *s = &c->summary[m][f];
        opn_i_candidate_add(&sum, s->n_validation, s->validation_accuracy,
                            s->validation_nll);
    }
    *out = sum;
    return true;
}

// ---- the choice ----------------------------------------------------------------------

// Fits the calibration of a model on the nodes that took turns to validate.
static opn_status calibrate_chosen(opn_ctx *ctx, const choosing *c, int m)
{
    if (!turns_calibrate(c))
        return OPN_OK;
    return opn_i_turns_calibrate(ctx, opn_i_calibration_wanted(c->params), c->folds.n,
                                 c->turn[m], &c->model[m]->calibrator);
}

// A model that knows only its own nodes brings the best of the others along, for other
// graphs.
static opn_status add_elsewhere(opn_ctx *ctx,
                                choosing *c,
                                const opn_i_candidate *candidate,
                                bool is_excluded[OPN_N_CANDIDATES],
                                opn_model *model)
{
    for (int m = 0; m < OPN_N_CANDIDATES; m++)
        is_excluded[m] |= c->model[m] == NULL || c->model[m]->n_node_features > 0;
    const int other = opn_i_choose_best(OPN_N_CANDIDATES, candidate, is_excluded);
    if (other < 0)
        return OPN_OK;
    opn_status status = OPN_OK;
    OPN_TRY(calibrate_chosen(ctx, c, other));
    model->elsewhere = c->model[other];
    c->model[other] = NULL;
cleanup:
    return status;
}

static opn_status take_chosen(opn_ctx *ctx, choosing *c, opn_model **out)
{
    opn_status status = OPN_OK;
    opn_i_candidate candidate[OPN_N_CANDIDATES];
    bool is_excluded[OPN_N_CANDIDATES];
    for (int m = 0; m < OPN_N_CANDIDATES; m++)
        is_excluded[m] = !pool_folds(c, m, &candidate[m]);
    const int chosen = opn_i_choose_best(OPN_N_CANDIDATES, candidate, is_excluded);
    OPN_FAIL_IF(ctx, chosen < 0, OPN_ERR_NONFINITE, "%s: no model trains: %s",
                opn_graph_name(c->graph), c->reason[0]);
    opn_model *model = c->model[chosen];
    candidate[chosen].is_chosen = true;
    for (int m = 0; m < OPN_N_CANDIDATES; m++)
        if (!is_excluded[m])
            opn_i_model_note_candidate(model, &candidate[m]);
    OPN_TRY(calibrate_chosen(ctx, c, chosen));
    if (model->n_node_features > 0)
        OPN_TRY(add_elsewhere(ctx, c, candidate, is_excluded, model));
    opn_i_history_tell(ctx, &c->history[chosen]);
    c->model[chosen] = NULL;
    *out = model;
cleanup:
    return status;
}

// Says beforehand what is compared, and about how long that takes.
static void tell_work(opn_ctx *ctx, const choosing *c, const opn_i_training_cost *cost)
{
    const int n_jobs = OPN_N_CANDIDATES * c->folds.n;
    const int n_threads = opn_ctx_threads(ctx);
    const double seconds =
            cost->seconds * n_jobs / (n_threads < n_jobs ? n_threads : n_jobs);
    char time[48] = "";
    if (seconds >= 60.0)
        snprintf(time, sizeof(time), ", in about %.0f minutes", ceil(seconds / 60.0));
    else if (seconds >= 5.0)
        snprintf(time, sizeof(time), ", in about %.0f seconds", seconds);
    opn_i_log(ctx, OPN_LOG_INFO, "comparing %s, %s and %s on %d %s%s",
              opn_i_candidate_models[0], opn_i_candidate_models[1],
              opn_i_candidate_models[2], (int)opn_i_folds_n_validation(&c->folds),
              c->folds.n > 1 ? "nodes that take turns to validate" : "validation nodes",
              time);
}

static opn_status
choose_model(opn_ctx *ctx, const opn_split *split, choosing *c, opn_model **out)
{
    opn_status status = OPN_OK;
    const uint64_t seed = (uint64_t)opn_params_int(c->params, "seed");
    const opn_i_training_cost cost = opn_i_training_cost_of(c->graph, c->params);
    OPN_TRY(opn_i_folds_init(ctx, c->graph, split, seed, &c->folds));
    tell_work(ctx, c, &cost);
    opn_i_checkpoint_tell(ctx, c->checkpoint);
    const opn_i_jobs jobs = {.stage = "comparing models",
                             .n = OPN_N_CANDIDATES * c->folds.n,
                             .n_at_once = opn_i_trainings_that_fit(&cost),
                             .run = train_candidate,
                             .tell = tell_candidate,
                             .user = c};
    OPN_TRY(opn_i_jobs_run(ctx, &jobs));
    OPN_TRY(take_chosen(ctx, c, out));
cleanup:
    return status;
}

// ---- ensembles -----------------------------------------------------------------------

static bool is_ensemble(const choosing *c)
{
    return opn_params_int(c->params, "members") > 1;
}

static opn_i_ensemble
ensemble_of(const choosing *c, const opn_split *split, const char *part)
{
    return (opn_i_ensemble){.graph = c->graph,
                            .split = split,
                            .params = c->params,
                            .checkpoint = c->checkpoint,
                            .part = part};
}

// Chooses a model; of an ensemble, that is the first member of it, and of the one that it
// brings along.
static opn_status
choose_ensemble(opn_ctx *ctx, const opn_split *split, choosing *c, opn_model **out)
{
    opn_status status = OPN_OK;
    const opn_i_ensemble here = ensemble_of(c, split, "member");
    const opn_i_ensemble elsewhere = ensemble_of(c, split, "elsewhere");
    opn_model *model = NULL;
    OPN_TRY(choose_model(ctx, split, c, &model));
    if (is_ensemble(c))
        OPN_TRY(opn_i_train_members(ctx, &here, &model));
    if (is_ensemble(c) && model->elsewhere != NULL)
        OPN_TRY(opn_i_train_members(ctx, &elsewhere, &model->elsewhere));
    *out = model;
    model = NULL;
cleanup:
    opn_model_free(model);
    return status;
}

// Trains the one model that the parameters name, or an ensemble of it.
static opn_status
train_named(opn_ctx *ctx, const opn_split *split, const choosing *c, opn_model **out)
{
    opn_status status = OPN_OK;
    const opn_i_ensemble ensemble = ensemble_of(c, split, "member");
    opn_model *model = NULL;
    char *path = NULL;
    if (is_ensemble(c)) {
        opn_i_checkpoint_tell(ctx, c->checkpoint);
        OPN_TRY(opn_i_train_members(ctx, &ensemble, &model));
    } else {
        if (c->checkpoint != NULL)
            OPN_TRY(opn_i_checkpoint_part(ctx, c->checkpoint, NULL, &path));
        OPN_TRY(opn_i_train_one(ctx, c->graph, split, c->params, path, &model));
    }
    *out = model;
cleanup:
    opn_i_release(&ctx->alloc, path);
    return status;
}

static opn_status
check_classes(opn_ctx *ctx, const opn_graph *graph, const opn_split *split)
{
    opn_status status = OPN_OK;
    const int32_t n = opn_split_n_known(split);
    OPN_FAIL_IF(ctx, n < 2, OPN_ERR_SHAPE,
                "%s: only one class to learn; at least two are needed", graph->name);
    OPN_FAIL_IF(ctx, n > OPN_MAX_CLASSES, OPN_ERR_SHAPE,
                "%s: %d classes to learn; at most %d are supported", graph->name, (int)n,
                OPN_MAX_CLASSES);
cleanup:
    return status;
}

// Warns about classes without training nodes, which a model can never predict.
static opn_status
warn_about_classes(opn_ctx *ctx, const opn_graph *graph, const opn_split *split)
{
    opn_status status = OPN_OK;
    bool *has_node = NULL;
    char number[12];
    OPN_TRY_NEW(ctx, has_node, graph->n_classes);
    for (opn_vid i = 0; i < opn_i_graph_n_nodes(graph); i++)
        if (opn_split_roles(split)[i] == OPN_ROLE_TRAIN)
            has_node[graph->label[i]] = true;
    for (int32_t k = 0; k < graph->n_classes; k++)
        if (opn_split_known(split)[k] >= 0 && !has_node[k])
            opn_i_log(ctx, OPN_LOG_WARNING, "class %s has no training nodes",
                      opn_graph_class_name(graph, k, number));
cleanup:
    opn_i_release(&ctx->alloc, has_node);
    return status;
}

opn_status opn_model_train(opn_ctx *ctx,
                           const opn_graph *graph,
                           const opn_split *split,
                           const opn_params *params,
                           const opn_checkpoint *checkpoint,
                           opn_model **out)
{
    OPN_REJECT_NULL(ctx, graph, split, params, out);
    opn_status status = OPN_OK;
    choosing c = {.graph = graph,
                  .params = params,
                  .checkpoint = checkpoint,
                  .is_heard = ctx->hooks.epoch != NULL,
                  .terms_every = ctx->hooks.terms_every};
    OPN_FAIL_IF(ctx,
                opn_split_n_nodes(split) != opn_graph_n_nodes(graph) ||
                        opn_split_n_classes(split) != opn_graph_n_classes(graph),
                OPN_ERR_SHAPE, "%s: the split belongs to another graph",
                opn_graph_name(graph));
    OPN_FAIL_IF(ctx,
                opn_i_graph_is_partial(graph) &&
                        (strcmp(opn_params_text(params, "model"), "auto") == 0 ||
                         opn_params_int(params, "members") > 1),
                OPN_ERR_UNSUPPORTED,
                "several ranks train one model: name it with `model`, s-bgcn-t-k for "
                "example, and leave `members` 1");
    OPN_TRY(check_classes(ctx, graph, split));
    OPN_TRY(warn_about_classes(ctx, graph, split));
    status = strcmp(opn_params_text(params, "model"), "auto") == 0
                     ? choose_ensemble(ctx, split, &c, out)
                     : train_named(ctx, split, &c, out);
    if (status == OPN_ERR_INTERRUPTED && checkpoint != NULL)
        status = opn_i_checkpoint_interrupted(ctx, checkpoint);
cleanup:
    release_choosing(&ctx->alloc, &c);
    return status;
}
