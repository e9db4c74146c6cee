// decide.c -- chooses which nodes of a graph to accept, from the validation nodes.

#include "graph/graph_data.h"
#include "model/model_data.h"
#include "opinion/proportion.h"
#include "opinion/threshold.h"
#include "predict/decisions_json.h"
#include "predict/promise.h"

#include <math.h>
#include <string.h>

// Who speaks: a model, or without one a prediction from the scores of another tool.
typedef struct speaker {
    const opn_model *model;
    const opn_prediction *prediction; // read only without a model
} speaker;

static bool measures(const speaker *who, opn_measure m)
{
    return who->model != NULL ? opn_model_measures(who->model, m) != 0
                              : who->prediction->measure[m] != NULL;
}

static opn_measure recommended(const speaker *who)
{
    return measures(who, OPN_MEASURE_DISSONANCE) ? OPN_MEASURE_DISSONANCE
                                                 : OPN_MEASURE_ENTROPY;
}

opn_measure opn_decide_recommended(const opn_model *model)
{
    OPN_RETURN_IF_NULL(model, OPN_MEASURE_ENTROPY);
    return recommended(&(speaker){model, NULL});
}

// ---- request -------------------------------------------------------------------------

typedef struct request {
    opn_thresholds *thresholds; // given by the user
    bool has_target;
    double target;
    opn_measure measure; // used to reach the target
    bool must_show;      // that the target is kept
    double confidence;
    bool has_sets, has_fdr;
    double fdr;
} request;

// The parameter that needs labelled nodes, or NULL.
static const char *needs_labels(const request *wanted)
{
    return wanted->has_target ? "target_accuracy"
           : wanted->has_sets ? "coverage"
           : wanted->has_fdr  ? "ood_fdr"
                              : NULL;
}

static opn_status check_rate(opn_ctx *ctx, const opn_params *params, const char *name)
{
    opn_status status = OPN_OK;
    const double rate = opn_params_real(params, name);
    OPN_FAIL_IF(ctx, !(rate > 0.0 && rate < 1.0), OPN_ERR_INVALID_ARG,
                "`%s` is %g, which must be between 0 and 1", name, rate);
cleanup:
    return status;
}

// A promise that is always or never kept is none.
static opn_status
check_rates(opn_ctx *ctx, const opn_params *params, const request *wanted)
{
    opn_status status = OPN_OK;
    if (wanted->has_target && wanted->must_show) {
        OPN_TRY(check_rate(ctx, params, "target_accuracy"));
        OPN_TRY(check_rate(ctx, params, "confidence"));
    }
    if (wanted->has_sets)
        OPN_TRY(check_rate(ctx, params, "coverage"));
    if (wanted->has_fdr)
        OPN_TRY(check_rate(ctx, params, "ood_fdr"));
cleanup:
    return status;
}

static const char *speaker_name(const speaker *who)
{
    return who->model != NULL ? who->model->kind->id : "the prediction";
}

static opn_measure measure_of(const speaker *who, const opn_params *params)
{
    const int32_t m = opn_measure_find(opn_params_text(params, "decide_by"));
    return m >= 0 ? (opn_measure)m : recommended(who);
}

static opn_status
read_request(opn_ctx *ctx, const speaker *who, const opn_params *params, request *out)
{
    opn_status status = OPN_OK;
    request wanted = {.has_target = opn_params_given(params, "target_accuracy") != 0,
                      .target = opn_params_real(params, "target_accuracy"),
                      .measure = measure_of(who, params),
                      .must_show = strcmp(opn_params_text(params, "pick"), "shown") == 0,
                      .confidence = opn_params_real(params, "confidence"),
                      .has_sets = opn_params_given(params, "coverage") != 0,
                      .has_fdr = opn_params_given(params, "ood_fdr") != 0,
                      .fdr = opn_params_real(params, "ood_fdr")};
    const char *name = opn_measure_name(wanted.measure);
    OPN_TRY(opn_thresholds_parse(ctx, opn_params_text(params, "abstain_above"),
                                 &wanted.thresholds));
    for (int m = 0; m < OPN_N_MEASURES; m++)
        OPN_FAIL_IF(ctx,
                    !isnan(wanted.thresholds->most[m]) && !measures(who, (opn_measure)m),
                    OPN_ERR_INVALID_ARG, "`abstain_above`: %s has no %s",
                    speaker_name(who), opn_measure_name((opn_measure)m));
    OPN_FAIL_IF(ctx, !wanted.has_target && opn_params_given(params, "decide_by"),
                OPN_ERR_INVALID_ARG, "`decide_by` %s needs `target_accuracy`",
                opn_params_text(params, "decide_by"));
    OPN_FAIL_IF(ctx, wanted.has_target && !measures(who, wanted.measure),
                OPN_ERR_INVALID_ARG, "`decide_by`: %s has no %s", speaker_name(who),
                name);
    OPN_FAIL_IF(ctx, wanted.has_target && !isnan(wanted.thresholds->most[wanted.measure]),
                OPN_ERR_INVALID_ARG,
                "`abstain_above`: %s has a threshold, and `target_accuracy` would pick "
                "another; name another measure with `decide_by`",
                name);
    OPN_TRY(check_rates(ctx, params, &wanted));
    *out = wanted;
    wanted.thresholds = NULL;
cleanup:
    opn_thresholds_free(wanted.thresholds);
    return status;
}

static opn_status check_split(opn_ctx *ctx,
                              const opn_graph *graph,
                              const opn_split *split,
                              const request *wanted)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx,
                split != NULL &&
                        (opn_split_n_nodes(split) != opn_i_graph_n_nodes(graph) ||
                         opn_split_n_classes(split) != graph->n_classes),
                OPN_ERR_SHAPE, "%s: the split belongs to another graph", graph->name);
    const char *name = needs_labels(wanted);
    if (name == NULL)
        return OPN_OK;
    OPN_FAIL_IF(ctx, split == NULL, OPN_ERR_SHAPE,
                "%s: is not the graph the model was trained on, so it has no calibration "
                "or validation nodes for `%s`; use `abstain_above` with a threshold "
                "picked on the training graph",
                graph->name, name);
    OPN_FAIL_IF(ctx,
                opn_split_count(split, OPN_ROLE_VALIDATION) +
                                opn_split_count(split, OPN_ROLE_CALIBRATION) ==
                        0,
                OPN_ERR_SHAPE,
                "%s: the model was trained without calibration or validation nodes, so "
                "there are none for `%s`",
                graph->name, name);
cleanup:
    return status;
}

opn_status opn_decide_check(opn_ctx *ctx,
                            const opn_model *model,
                            const opn_graph *graph,
                            const opn_split *split,
                            const opn_params *params)
{
    OPN_REJECT_NULL(ctx, model, graph, params);
    opn_status status = OPN_OK;
    const speaker who = {model, NULL};
    request wanted = {0};
    OPN_TRY(read_request(ctx, &who, params, &wanted));
    OPN_TRY(check_split(ctx, graph, split, &wanted));
cleanup:
    opn_thresholds_free(wanted.thresholds);
    return status;
}

// ---- picking a threshold -------------------------------------------------------------

static bool is_right(const opn_graph *graph,
                     const opn_split *split,
                     const opn_prediction *prediction,
                     opn_vid i)
{
    return opn_split_known(split)[graph->label[i]] == prediction->predicted[i];
}

// Accepting up to the threshold that was shown, among the nodes it was shown by.
static opn_coverage shown_coverage(const opn_control *c)
{
    opn_coverage at = {.threshold = c->threshold,
                       .n = c->n,
                       .n_accepted = c->n_accepted,
                       .n_right = c->n_right,
                       .coverage = (double)c->n_accepted / c->n,
                       .accuracy = (double)NAN,
                       .low = (double)NAN,
                       .high = (double)NAN};
    if (c->n_accepted > 0) {
        at.accuracy = (double)c->n_right / c->n_accepted;
        opn_i_proportion_interval(c->n_right, c->n_accepted, &at.low, &at.high);
    }
    return at;
}

// The threshold that looks best on the n nodes, which promises nothing.
static opn_status pick_best_looking(opn_ctx *ctx,
                                    const request *wanted,
                                    int32_t n,
                                    const float *measure,
                                    const uint8_t *right,
                                    opn_coverage *picked)
{
    opn_status status = OPN_OK;
    int is_reached = 0;
    OPN_TRY(opn_pick_threshold(ctx, n, measure, right, wanted->target, &is_reached,
                               picked));
    OPN_FAIL_IF(ctx, !is_reached, OPN_ERR_UNSUPPORTED,
                "`target_accuracy` %g cannot be reached with %s on the %d labelled "
                "nodes; the best accuracy is %.4f, at a coverage of %.4f (%d of %d "
                "correct)",
                wanted->target, opn_measure_name(wanted->measure), n,
                floor(1e4 * picked->accuracy) / 1e4, picked->coverage, picked->n_right,
                picked->n_accepted);
cleanup:
    return status;
}

static opn_status pick(const opn_i_promise *promise,
                       const request *wanted,
                       const uint8_t *decision,
                       opn_decisions *d)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = promise->ctx;
    const opn_prediction *prediction = promise->prediction;
    const int32_t *target = promise->guarantee->target;
    float *measure = NULL;
    uint8_t *right = NULL;
    int32_t n = 0;
    OPN_TRY_NEW(ctx, measure, promise->guarantee->n);
    OPN_TRY_NEW(ctx, right, promise->guarantee->n);
    for (opn_vid i = 0; i < prediction->n_nodes; i++) {
        // Nodes that the given thresholds reject cannot be accepted.
        if (target[i] < 0 || decision[i] != OPN_DECISION_ACCEPT)
            continue;
        measure[n] = prediction->measure[wanted->measure][i];
        right[n++] = target[i] == prediction->predicted[i];
    }
    OPN_FAIL_IF(ctx, n == 0, OPN_ERR_UNSUPPORTED,
                "`target_accuracy`: `abstain_above` accepts none of the %d labelled "
                "nodes, so there are none to pick a threshold on",
                promise->guarantee->n);
    OPN_TRY(opn_risk_coverage(ctx, n, measure, right, d->curve));
    d->is_promised = wanted->must_show;
    if (wanted->must_show) {
        OPN_TRY(opn_i_promise_accuracy(promise, wanted->measure, decision, wanted->target,
                                       wanted->confidence, &d->control));
        d->picked = shown_coverage(&d->control);
    } else {
        OPN_TRY(pick_best_looking(ctx, wanted, n, measure, right, &d->picked));
    }
    wanted->thresholds->most[wanted->measure] = d->picked.threshold;
cleanup:
    opn_i_release(&ctx->alloc, measure);
    opn_i_release(&ctx->alloc, right);
    return status;
}

static void count_nodes(const opn_graph *graph,
                        const opn_split *split,
                        const opn_prediction *prediction,
                        const uint8_t *decision,
                        opn_decisions *d)
{
    for (opn_vid i = 0; i < opn_i_graph_n_nodes(graph); i++) {
        const bool is_accepted = decision[i] == OPN_DECISION_ACCEPT;
        d->n_decided[decision[i]]++;
        if (split == NULL || opn_split_roles(split)[i] != OPN_ROLE_TEST ||
            graph->label[i] < 0)
            continue;
        d->n_test++;
        d->n_accepted_test += is_accepted;
        d->n_right_test += is_accepted && is_right(graph, split, prediction, i);
    }
}

// Allocated by the prediction's allocator, since the prediction may outlive the context.
static opn_status make_room(opn_ctx *ctx,
                            const opn_prediction *prediction,
                            uint8_t **decision,
                            int8_t **decided_by)
{
    const size_t n = (size_t)prediction->n_nodes;
    *decision = opn_i_calloc(&prediction->alloc, n, sizeof(**decision));
    *decided_by = opn_i_calloc(&prediction->alloc, n, sizeof(**decided_by));
    return *decision == NULL || *decided_by == NULL ? opn_i_fail_nomem(ctx, n, 1)
                                                    : OPN_OK;
}

// Applies the given thresholds, and what labels are asked for.
static opn_status decide(const opn_i_promise *promise,
                         const opn_params *params,
                         const request *wanted,
                         uint8_t *decision,
                         int8_t *decided_by,
                         opn_decisions *d)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = promise->ctx;
    const opn_prediction *prediction = promise->prediction;
    const opn_vid n = prediction->n_nodes;
    const float *measure[OPN_N_MEASURES];
    for (int m = 0; m < OPN_N_MEASURES; m++)
        measure[m] = prediction->measure[m];
    OPN_TRY(opn_decide(ctx, n, OPN_N_MEASURES, measure, wanted->thresholds, decision,
                       decided_by));
    if (wanted->has_target) {
        OPN_TRY(pick(promise, wanted, decision, d));
        OPN_TRY(opn_decide(ctx, n, OPN_N_MEASURES, measure, wanted->thresholds, decision,
                           decided_by));
    }
    if (wanted->has_sets)
        OPN_TRY(opn_i_promise_sets(promise, params, &d->sets));
    if (wanted->has_fdr)
        OPN_TRY(opn_i_promise_known(promise, wanted->fdr, decision, decided_by,
                                    &d->known_by));
    d->has_sets = wanted->has_sets;
    d->has_fdr = wanted->has_fdr;
    d->n_guarantee = promise->guarantee->n;
    d->n_guarantee_validation = promise->guarantee->n_validation;
    count_nodes(promise->graph, promise->split, prediction, decision, d);
cleanup:
    return status;
}

// The decisions and the memory they own.
typedef struct decisions {
    opn_decisions shown; // first, so that a pointer to it is one to the struct
    opn_alloc alloc;
    opn_thresholds *thresholds;
} decisions;

void opn_decisions_free(opn_decisions *shown)
{
    decisions *d = (decisions *)(void *)shown;
    if (d == NULL)
        return;
    const opn_alloc alloc = d->alloc;
    opn_thresholds_free(d->thresholds);
    opn_i_release(&alloc, d);
}

static opn_status check_prediction(opn_ctx *ctx,
                                   const opn_graph *graph,
                                   const opn_prediction *prediction,
                                   const request *wanted)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, prediction->n_nodes != opn_i_graph_n_nodes(graph), OPN_ERR_SHAPE,
                "%s: has %d nodes, but the prediction is of %d", graph->name,
                opn_i_graph_n_nodes(graph), prediction->n_nodes);
    OPN_FAIL_IF(ctx, wanted->has_target && prediction->measure[wanted->measure] == NULL,
                OPN_ERR_INVALID_ARG, "a threshold on %s, which is not there",
                opn_measure_name(wanted->measure));
cleanup:
    return status;
}

opn_status opn_prediction_decide(opn_ctx *ctx,
                                 const opn_model *model,
                                 const opn_graph *graph,
                                 const opn_split *split,
                                 const opn_params *params,
                                 opn_prediction *prediction,
                                 opn_decisions **out)
{
    OPN_REJECT_NULL(ctx, graph, params, prediction, out);
    opn_status status = OPN_OK;
    const speaker who = {model, prediction};
    decisions *d = NULL;
    request wanted = {0};
    uint8_t *decision = NULL;
    int8_t *decided_by = NULL;
    char *summary = NULL;
    opn_i_guarantee guarantee = {0};
    const opn_i_promise promise = {ctx, graph, split, prediction, &guarantee};
    OPN_TRY(read_request(ctx, &who, params, &wanted));
    OPN_TRY(check_split(ctx, graph, split, &wanted));
    OPN_TRY(check_prediction(ctx, graph, prediction, &wanted));
    OPN_TRY_NEW(ctx, d, 1);
    d->alloc = ctx->alloc;
    d->shown.has_target = wanted.has_target;
    d->shown.measure = wanted.measure;
    OPN_TRY(make_room(ctx, prediction, &decision, &decided_by));
    if (needs_labels(&wanted) != NULL)
        OPN_TRY(opn_i_guarantee_init(ctx, graph, split, &guarantee));
    OPN_TRY(decide(&promise, params, &wanted, decision, decided_by, &d->shown));
    d->shown.thresholds = d->thresholds = wanted.thresholds;
    wanted.thresholds = NULL;
    OPN_TRY(opn_i_decisions_to_json(ctx, &prediction->alloc, &d->shown, wanted.target,
                                    &summary));
    opn_i_release(&prediction->alloc, prediction->decision);
    opn_i_release(&prediction->alloc, prediction->decided_by);
    opn_i_release(&prediction->alloc, prediction->summary);
    prediction->decision = decision;
    prediction->decided_by = decided_by;
    prediction->summary = summary;
    decision = NULL;
    decided_by = NULL;
    *out = &d->shown;
    d = NULL;
cleanup:
    opn_i_release(&prediction->alloc, decision);
    opn_i_release(&prediction->alloc, decided_by);
    opn_i_guarantee_deinit(&ctx->alloc, &guarantee);
    opn_thresholds_free(wanted.thresholds);
    opn_decisions_free(d == NULL ? NULL : &d->shown);
    return status;
}
