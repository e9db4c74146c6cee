// tune_trial.c -- trains and scores one trial on one seed, without any test node.

#include "tune/tune_trial.h"

#include "base/clock.h"
#include "base/random.h"
#include "experiment/evaluation_data.h"
#include "graph/graph_data.h"
#include "graph/narrow.h"
#include "opinion/measure_table.h"
#include "predict/model_measures.h"
#include "predict/prediction_data.h"

#include <math.h>
#include <string.h>

static const double percent = 100.0;

int32_t opn_i_trial_score(const opn_i_model_kind *kind, const opn_params *params)
{
    int32_t score = (int32_t)opn_i_recommended_measure(opn_params_text(params, "task"));
    if (!opn_i_kind_measures(kind, score))
        score = OPN_MEASURE_ENTROPY;
    return opn_params_int(params, "propagate") > 0 ? OPN_SCORE_SMOOTHED + score : score;
}

double opn_i_trial_objective(double accuracy, double detection)
{
    return isnan(detection)  ? accuracy
           : isnan(accuracy) ? detection
                             : 0.5 * (accuracy + detection);
}

opn_status opn_i_trial_halve(opn_ctx *ctx,
                             const opn_graph *graph,
                             const opn_split *split,
                             uint64_t seed,
                             uint8_t *spared)
{
    opn_status status = OPN_OK;
    const uint8_t *role = opn_split_roles(split);
    opn_vid *node = NULL;
    int32_t *n_seen = NULL; // per class
    int32_t n = 0;
    OPN_TRY_NEW(ctx, node, opn_i_graph_n_nodes(graph));
    OPN_TRY_NEW(ctx, n_seen, graph->n_classes);
    for (opn_vid i = 0; i < opn_i_graph_n_nodes(graph); i++)
        if (role[i] == OPN_ROLE_VALIDATION)
            node[n++] = i;
    opn_i_rng rng = opn_i_rng_start(seed, OPN_STREAM_TUNE_HALVES, 0);
    opn_i_rng_shuffle(&rng, node, n);
    memset(spared, 0, (size_t)opn_i_graph_n_nodes(graph));
    for (int32_t v = 0; v < n; v++)
        spared[node[v]] = n_seen[graph->label[node[v]]]++ % 2 == 0;
cleanup:
    opn_i_release(&ctx->alloc, node);
    opn_i_release(&ctx->alloc, n_seen);
    return status;
}

opn_status opn_i_trial_figures(opn_ctx *ctx,
                               int32_t n,
                               bool is_ood,
                               const int32_t *target,
                               const int32_t *predicted,
                               const float *uncertainty,
                               double *accuracy,
                               double *detection)
{
    opn_status status = OPN_OK;
    uint8_t *marked = NULL; // should be uncertain: of a held-out class, or wrong
    int32_t n_known = 0;
    int32_t n_right = 0;
    double area = (double)NAN;
    OPN_TRY_NEW(ctx, marked, n);
    for (int32_t v = 0; v < n; v++) {
        const bool is_right = target[v] >= 0 && predicted[v] == target[v];
        n_known += target[v] >= 0;
        n_right += is_right;
        marked[v] = is_ood ? target[v] < 0 : !is_right;
    }
    if (n > 0 && is_ood)
        OPN_TRY(opn_metric_auroc(ctx, n, marked, opn_f32(uncertainty), &area));
    else if (n > 0)
        OPN_TRY(opn_metric_risk_coverage(ctx, n, marked, opn_f32(uncertainty), NULL,
                                         &area));
    *accuracy = n_known > 0 ? (double)n_right / n_known : (double)NAN;
    *detection = is_ood ? area : 1.0 - area;
cleanup:
    opn_i_release(&ctx->alloc, marked);
    return status;
}

// ---- one fold: one class held out, or none -------------------------------------------

typedef struct fold {
    opn_ctx *ctx;
    const opn_i_trial *trial;
    const uint8_t *spared; // or NULL
    opn_split *split;
    opn_model *model;
    opn_prediction *said;
    int32_t *predicted; // of the scored nodes, as are the next two
    float *uncertainty;
    int32_t *target;
    double accuracy, detection;
} fold;

static void release_fold(fold *f)
{
    const opn_alloc *alloc = &f->ctx->alloc;
    opn_model_free(f->model);
    opn_split_free(f->split);
    opn_prediction_free(f->said);
    opn_i_release(alloc, f->predicted);
    opn_i_release(alloc, f->uncertainty);
    opn_i_release(alloc, f->target);
}

// Collects what is known about the scored nodes; *n_kept is their number.
static opn_status collect(fold *f, int32_t *n_kept)
{
    opn_status status = OPN_OK;
    const opn_i_trial *trial = f->trial;
    const opn_vid n_nodes = opn_i_graph_n_nodes(trial->graph);
    const uint8_t *role = opn_split_roles(trial->split);
    const int32_t *known = opn_split_known(f->split);
    const float *score = opn_i_prediction_score(f->said, trial->score);
    int32_t n = 0;
    OPN_TRY_NEW(f->ctx, f->predicted, n_nodes);
    OPN_TRY_NEW(f->ctx, f->uncertainty, n_nodes);
    OPN_TRY_NEW(f->ctx, f->target, n_nodes);
    for (opn_vid i = 0; i < n_nodes; i++) {
        if (role[i] != OPN_ROLE_VALIDATION || (f->spared != NULL && f->spared[i] == 0))
            continue;
        f->target[n] = known[trial->graph->label[i]];
        f->predicted[n] = f->said->predicted[i];
        f->uncertainty[n] = score[i];
        n++;
    }
    *n_kept = n;
cleanup:
    return status;
}

static opn_status run_fold(fold *f, int32_t held_out)
{
    opn_status status = OPN_OK;
    const opn_i_trial *trial = f->trial;
    int32_t n = 0;
    OPN_TRY(opn_i_split_narrow(f->ctx, trial->graph, trial->split, held_out, f->spared,
                               &f->split));
    OPN_TRY(opn_model_train(f->ctx, trial->graph, f->split, trial->params, NULL,
                            &f->model));
    OPN_TRY(opn_model_predict(f->ctx, f->model, trial->graph, trial->params, 0,
                              &f->said));
    OPN_TRY(collect(f, &n));
    OPN_TRY(opn_i_trial_figures(f->ctx, n, held_out >= 0, f->target, f->predicted,
                                f->uncertainty, &f->accuracy, &f->detection));
cleanup:
    return status;
}

// ---- whole trial ---------------------------------------------------------------------

opn_status opn_i_trial_run(opn_ctx *ctx, const opn_i_trial *trial, opn_trial_run *out)
{
    opn_status status = OPN_OK;
    const double start = opn_i_clock();
    double accuracy[OPN_MOST_FOLDS];
    double detection[OPN_MOST_FOLDS];
    opn_estimate mean;
    uint8_t *spared = NULL;
    opn_trial_run run = {.detection = (double)NAN};
    if (opn_params_int(trial->params, "patience") > 0) {
        OPN_TRY_NEW(ctx, spared, opn_i_graph_n_nodes(trial->graph));
        OPN_TRY(opn_i_trial_halve(ctx, trial->graph, trial->split,
                                  (uint64_t)opn_params_int(trial->params, "seed"),
                                  spared));
    }
    for (int32_t k = 0; k < trial->n_folds && status == OPN_OK; k++) {
        fold f = {.ctx = ctx, .trial = trial, .spared = spared};
        status = run_fold(&f, trial->held_out[k]);
        accuracy[k] = percent * f.accuracy;
        detection[k] = percent * f.detection;
        release_fold(&f);
    }
    if (status == OPN_OK) {
        opn_estimate_mean(trial->n_folds, accuracy, &mean);
        run.accuracy = mean.mean;
        opn_estimate_mean(trial->n_folds, detection, &mean);
        run.detection = mean.mean;
    }
    if (status == OPN_ERR_NONFINITE) // a setting that does not work, not a failure
        status = OPN_OK;
    OPN_TRY(status);
    run.objective = opn_i_trial_objective(run.accuracy, run.detection);
    run.seconds = opn_i_clock() - start;
    *out = run;
cleanup:
    opn_i_release(&ctx->alloc, spared);
    return status;
}
