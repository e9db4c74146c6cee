// review.c -- compares a trained model with simple methods, and says what is wrong with
// it.

#include "graph/homophily.h"
#include "graph/roles.h"
#include "model/features.h"
#include "model/model_choice.h"
#include "train/baseline.h"
#include "train/folds.h"
#include "train/jobs.h"
#include "train/train.h"
#include "train/training_cost.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char mlp_name[] = "mlp";
static const char logistic_name[] = "logistic regression";
static const char majority_name[] = "majority class";

// Below this, neighbours of another class outweigh those of the own.
static const double low_homophily = 0.4;
enum { ENOUGH_EDGES = 100 };

typedef struct review {
    opn_ctx *ctx;
    const opn_graph *graph;
    const opn_split *split;
    const opn_params *params;
    opn_model *model;
} review;

// ---- baselines -----------------------------------------------------------------------

// Whether logistic regression needs little memory: without features it would have one for
// each node.
static bool is_cheap(const opn_graph *graph)
{
    static const int64_t most_weights = 2000000;
    return graph->features.n_cols > 0 &&
           (int64_t)graph->features.n_cols * graph->n_classes <= most_weights;
}

static opn_i_candidate candidate_called(const char *name)
{
    opn_i_candidate made = {.is_baseline = false};
    snprintf(made.name, sizeof(made.name), "%s", name);
    return made;
}

// The settings of the model, without what an MLP cannot have.
static opn_status mlp_params(const review *r, opn_params **out)
{
    opn_status status = OPN_OK;
    opn_params *params = NULL;
    OPN_TRY(opn_params_create(r->ctx, &params));
    for (size_t p = 0; p < opn_param_count(); p++) {
        const char *name = opn_param_at(p)->name;
        if (opn_params_given(r->params, name) && strcmp(name, "evidence") != 0)
            OPN_TRY(opn_params_set(r->ctx, params, name,
                                   opn_params_text(r->params, name)));
    }
    OPN_TRY(opn_params_set(r->ctx, params, "model", mlp_name));
    *out = params;
    params = NULL;
cleanup:
    opn_params_free(params);
    return status;
}

// *out stays NULL if its weights become infinite.
static opn_status
train_mlp(const review *r, const opn_split *fold, opn_i_candidate *sum, opn_model **out)
{
    opn_status status = OPN_OK;
    opn_params *params = NULL;
    opn_train_summary s;
    OPN_TRY(mlp_params(r, &params));
    status = opn_i_train_one(r->ctx, r->graph, fold, params, NULL, out);
    if (status == OPN_ERR_NONFINITE)
        status = OPN_OK;
    OPN_TRY(status);
    if (*out != NULL) {
        opn_model_summary(*out, &s);
        opn_i_candidate_add(sum, s.n_validation, s.validation_accuracy, s.validation_nll);
    }
cleanup:
    opn_params_free(params);
    return status;
}

// The class of each node in that role, -1 for others.
static void
targets_of(const review *r, const opn_split *fold, opn_role role, int32_t *target)
{
    const int32_t *known = opn_split_known(fold);
    for (opn_vid i = 0; i < opn_i_graph_n_nodes(r->graph); i++)
        target[i] = opn_split_roles(fold)[i] == (uint8_t)role ? known[r->graph->label[i]]
                                                              : -1;
}

// The classes that simple methods learn from and are checked with.
typedef struct targets {
    int32_t *train, *check; // [V]
} targets;

static opn_status init_targets(const review *r, const opn_split *fold, targets *out)
{
    opn_status status = OPN_OK;
    const opn_vid n = opn_i_graph_n_nodes(r->graph);
    OPN_TRY_NEW(r->ctx, out->train, n);
    OPN_TRY_NEW(r->ctx, out->check, n);
    targets_of(r, fold, OPN_ROLE_TRAIN, out->train);
    targets_of(r, fold, OPN_ROLE_VALIDATION, out->check);
cleanup:
    return status;
}

// Logistic regression on the features as an MLP sees them. A centre of the features would
// only move the intercept.
static opn_status review_logistic(const review *r,
                                  const opn_split *fold,
                                  const targets *t,
                                  const opn_model *mlp,
                                  opn_i_candidate *logistic)
{
    opn_status status = OPN_OK;
    opn_i_ready_features features = {0};
    opn_i_baseline_score score;
    OPN_TRY(opn_i_features_ready(r->ctx, mlp, r->graph, &features));
    OPN_TRY(opn_i_baseline(r->ctx, &features.x, opn_split_n_known(fold), t->train,
                           t->check, &score));
    opn_i_candidate_add(logistic, opn_split_count(fold, OPN_ROLE_VALIDATION),
                        score.accuracy, score.nll);
cleanup:
    opn_i_ready_features_deinit(&r->ctx->alloc, &features);
    return status;
}

static opn_status review_majority(const review *r,
                                  const opn_split *fold,
                                  const targets *t,
                                  opn_i_candidate *majority)
{
    opn_status status = OPN_OK;
    double share = 0.0;
    OPN_TRY(opn_i_majority_share(r->ctx, opn_i_graph_n_nodes(r->graph),
                                 opn_split_n_known(fold), t->train, t->check, &share));
    opn_i_candidate_add(majority, opn_split_count(fold, OPN_ROLE_VALIDATION), share,
                        (double)NAN);
cleanup:
    return status;
}

// ---- folds ---------------------------------------------------------------------------

enum { MLP = 0, LOGISTIC = 1, MAJORITY = 2, N_BASELINES = 3 };

// The work on all folds; each job writes the results of its own.
typedef struct comparison {
    const review *r;
    opn_i_folds folds;
    opn_i_candidate result[OPN_MAX_FOLDS][N_BASELINES];
} comparison;

static opn_status compare_fold(opn_ctx *ctx, void *user, int32_t f)
{
    opn_status status = OPN_OK;
    comparison *c = user;
    review r = *c->r;
    opn_model *model = NULL;
    opn_i_candidate *result = c->result[f];
    const bool is_mlp = strcmp(r.model->kind->id, mlp_name) == 0;
    const opn_split *fold = c->folds.split[f];
    targets t = {NULL, NULL};
    r.ctx = ctx;
    OPN_TRY(init_targets(&r, fold, &t));
    OPN_TRY(review_majority(&r, fold, &t, &result[MAJORITY]));
    if (r.graph->features.n_cols > 0 && !is_mlp)
        OPN_TRY(train_mlp(&r, fold, &result[MLP], &model));
    const opn_model *seen = is_mlp ? r.model : model;
    if (seen != NULL && is_cheap(r.graph))
        OPN_TRY(review_logistic(&r, fold, &t, seen, &result[LOGISTIC]));
cleanup:
    opn_i_release(&ctx->alloc, t.train);
    opn_i_release(&ctx->alloc, t.check);
    opn_model_free(model);
    return status;
}

static void say_nothing(opn_ctx *ctx, void *user, int32_t f)
{
    (void)ctx;
    (void)user;
    (void)f;
}

static void note_if_scored(opn_model *model, const opn_i_candidate *candidate)
{
    if (candidate->n > 0)
        opn_i_model_note_candidate(model, candidate);
}

// The model itself, where it was not chosen from several.
static void note_own(opn_model *model)
{
    opn_train_summary s;
    opn_i_candidate own = candidate_called(model->kind->id);
    opn_model_summary(model, &s);
    opn_i_candidate_add(&own, s.n_validation, s.validation_accuracy, s.validation_nll);
    own.is_chosen = true;
    note_if_scored(model, &own);
}

// Forgets the baselines of an earlier review; returns whether the model was chosen from
// several.
static bool forget_baselines(opn_model *model)
{
    int n = 0;
    for (int c = 0; c < model->n_candidates; c++)
        if (!model->candidate[c].is_baseline)
            model->candidate[n++] = model->candidate[c];
    model->n_candidates = n > 1 ? n : 0;
    return n > 1;
}

static opn_status compare(const review *r)
{
    opn_status status = OPN_OK;
    static const char *const names[N_BASELINES] = {mlp_name, logistic_name,
                                                   majority_name};
    comparison c = {.r = r};
    const uint64_t seed = (uint64_t)opn_params_int(r->params, "seed");
    const opn_i_training_cost cost = opn_i_training_cost_of(r->graph, r->params);
    const bool was_chosen = forget_baselines(r->model);
    if (was_chosen) // on the same nodes as the others
        OPN_TRY(opn_i_folds_init(r->ctx, r->graph, r->split, seed, &c.folds));
    else
        c.folds = (opn_i_folds){.n = 1, .split = {r->split}};
    if (opn_i_folds_n_validation(&c.folds) == 0)
        goto cleanup;
    const opn_i_jobs jobs = {.stage = "comparing with simple methods",
                             .n = c.folds.n,
                             .n_at_once = opn_i_trainings_that_fit(&cost),
                             .run = compare_fold,
                             .tell = say_nothing,
                             .user = &c};
    OPN_TRY(opn_i_jobs_run(r->ctx, &jobs));
    if (!was_chosen)
        note_own(r->model);
    for (int b = 0; b < N_BASELINES; b++) {
        opn_i_candidate sum = candidate_called(names[b]);
        sum.is_baseline = true;
        for (int f = 0; f < c.folds.n; f++)
            opn_i_candidate_merge(&sum, &c.result[f][b]);
        note_if_scored(r->model, &sum);
    }
cleanup:
    opn_i_folds_deinit(&c.folds);
    return status;
}

// ---- warnings ------------------------------------------------------------------------

static const opn_i_candidate *find_candidate(const opn_model *model, const char *name)
{
    for (int c = 0; c < model->n_candidates; c++)
        if (strcmp(model->candidate[c].name, name) == 0 && model->candidate[c].n > 0)
            return &model->candidate[c];
    return NULL;
}

static void warn_of_baselines(const review *r)
{
    const opn_i_candidate *own = find_candidate(r->model, r->model->kind->id);
    const opn_i_candidate *mlp = find_candidate(r->model, mlp_name);
    const opn_i_candidate *majority = find_candidate(r->model, majority_name);
    const bool sees_edges = opn_i_encoder_sees_edges(r->model->kind->encoder);
    if (own == NULL)
        return;
    if (majority != NULL && own->n_right < own->n &&
        opn_i_candidate_accuracy(own) - 2.0 * opn_i_candidate_error(own) <=
                opn_i_candidate_accuracy(majority))
        opn_i_log(
                r->ctx, OPN_LOG_WARNING,
                "%s: %.1f %% of the validation nodes are right, and %.1f %% would be by "
                "always predicting the commonest class; check that the labels belong "
                "to the nodes, or label more of them",
                r->graph->name, 100.0 * opn_i_candidate_accuracy(own),
                100.0 * opn_i_candidate_accuracy(majority));
    if (mlp != NULL &&
        opn_i_candidate_accuracy(mlp) >
                opn_i_candidate_accuracy(own) + 2.0 * opn_i_candidate_error(own))
        opn_i_log(
                r->ctx, OPN_LOG_WARNING,
                "%s: %.1f %% of the validation nodes are right, but %.1f %% with an MLP "
                "on the features alone%s%s; `model` auto finds one that fits",
                r->graph->name, 100.0 * opn_i_candidate_accuracy(own),
                100.0 * opn_i_candidate_accuracy(mlp),
                sees_edges ? ": the edges mislead " : "",
                sees_edges ? r->model->kind->id : "");
}

static void warn_of_limit(const review *r)
{
    opn_train_summary s;
    opn_model_summary(r->model, &s);
    if (opn_params_int(r->params, "patience") > 0 && s.n_validation > 0 && !s.ended_early)
        opn_i_log(r->ctx, OPN_LOG_WARNING,
                  "%s: training ended at the limit of %lld epochs, before the validation "
                  "%s stopped improving; raise `epochs`",
                  r->graph->name, (long long)opn_params_int(r->params, "epochs"),
                  strcmp(opn_params_text(r->params, "stop_on"), "loss") == 0 ? "loss"
                                                                             : "score");
}

// Only labels that training may see count.
static opn_status warn_of_homophily(const review *r)
{
    opn_status status = OPN_OK;
    const opn_vid n = opn_i_graph_n_nodes(r->graph);
    const uint8_t *role = opn_split_roles(r->split);
    int32_t *label = NULL;
    opn_i_homophily_info found;
    // A normalised matrix of edges averages a node with its neighbours.
    if (r->model->kind->encoder->edges != OPN_EDGES_NORMALISED ||
        strcmp(opn_params_text(r->params, "model"), "auto") == 0)
        return OPN_OK;
    OPN_TRY_NEW(r->ctx, label, n);
    for (opn_vid i = 0; i < n; i++)
        label[i] = opn_i_role_learns(role[i]) ? r->graph->label[i] : -1;
    OPN_TRY(opn_i_homophily(r->ctx, r->graph, label, &found));
    if (found.n_edges >= ENOUGH_EDGES && found.adjusted < low_homophily)
        opn_i_log(
                r->ctx, OPN_LOG_WARNING,
                "%s: neighbours often differ in class (adjusted homophily %.2f), and %s "
                "averages over them; s-bsage-t-k, or `model` auto, may do better",
                r->graph->name, found.adjusted, r->model->kind->id);
cleanup:
    opn_i_release(&r->ctx->alloc, label);
    return status;
}

opn_status opn_model_review(opn_ctx *ctx,
                            const opn_graph *graph,
                            const opn_split *split,
                            const opn_params *params,
                            opn_model *model)
{
    OPN_REJECT_NULL(ctx, graph, split, params, model);
    opn_status status = OPN_OK;
    const review r = {ctx, graph, split, params, model};
    if (graph->shards != NULL) // of which a process may have a part only
        return OPN_OK;
    OPN_TRY(compare(&r));
    warn_of_baselines(&r);
    warn_of_limit(&r);
    OPN_TRY(warn_of_homophily(&r));
cleanup:
    return status;
}
