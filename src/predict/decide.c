// decide.c -- chooses which nodes of a graph to accept, from the validation nodes.

#include "graph/graph_data.h"
#include "model/model_data.h"
#include "opinion/threshold.h"
#include "predict/decisions_json.h"
#include "predict/prediction_data.h"

#include <math.h>

opn_measure opn_decide_recommended(const opn_model *model)
{
    OPN_RETURN_IF_NULL(model, OPN_MEASURE_ENTROPY);
    return opn_model_measures(model, OPN_MEASURE_DISSONANCE) ? OPN_MEASURE_DISSONANCE
                                                             : OPN_MEASURE_ENTROPY;
}

// ---- request -------------------------------------------------------------------------

typedef struct request {
    opn_thresholds *thresholds; // given by the user
    bool has_target;
    double target;
    opn_measure measure; // used to reach the target
} request;

static opn_measure measure_of(const opn_model *model, const opn_params *params)
{
    const int32_t m = opn_measure_find(opn_params_text(params, "decide_by"));
    return m >= 0 ? (opn_measure)m : opn_decide_recommended(model);
}

static opn_status
read_request(opn_ctx *ctx, const opn_model *model, const opn_params *params, request *out)
{
    opn_status status = OPN_OK;
    request wanted = {.has_target = opn_params_given(params, "target_accuracy") != 0,
                      .target = opn_params_real(params, "target_accuracy"),
                      .measure = measure_of(model, params)};
    const char *name = opn_measure_name(wanted.measure);
    OPN_TRY(opn_thresholds_parse(ctx, opn_params_text(params, "abstain_above"),
                                 &wanted.thresholds));
    for (int m = 0; m < OPN_N_MEASURES; m++)
        OPN_FAIL_IF(ctx,
                    !isnan(wanted.thresholds->most[m]) &&
                            !opn_model_measures(model, (opn_measure)m),
                    OPN_ERR_INVALID_ARG, "`abstain_above`: %s has no %s", model->kind->id,
                    opn_measure_name((opn_measure)m));
    OPN_FAIL_IF(ctx, !wanted.has_target && opn_params_given(params, "decide_by"),
                OPN_ERR_INVALID_ARG, "`decide_by` %s needs `target_accuracy`",
                opn_params_text(params, "decide_by"));
    OPN_FAIL_IF(ctx, wanted.has_target && !opn_model_measures(model, wanted.measure),
                OPN_ERR_INVALID_ARG, "`decide_by`: %s has no %s", model->kind->id, name);
    OPN_FAIL_IF(ctx, wanted.has_target && !isnan(wanted.thresholds->most[wanted.measure]),
                OPN_ERR_INVALID_ARG,
                "`abstain_above`: %s has a threshold, and `target_accuracy` would pick "
                "another; name another measure with `decide_by`",
                name);
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
    if (!wanted->has_target)
        return OPN_OK;
    OPN_FAIL_IF(ctx, split == NULL, OPN_ERR_SHAPE,
                "%s: is not the graph the model was trained on, so it has no validation "
                "nodes to pick a threshold on for `target_accuracy`; use `abstain_above` "
                "with a threshold picked on the training graph",
                graph->name);
    OPN_FAIL_IF(ctx, opn_split_count(split, OPN_ROLE_VALIDATION) == 0, OPN_ERR_SHAPE,
                "%s: the model was trained without validation nodes, so there are none "
                "to pick a threshold on for `target_accuracy`",
                graph->name);
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
    request wanted = {0};
    OPN_TRY(read_request(ctx, model, params, &wanted));
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

static opn_status pick(opn_ctx *ctx,
                       const opn_graph *graph,
                       const opn_split *split,
                       const request *wanted,
                       const opn_prediction *prediction,
                       const uint8_t *decision,
                       opn_decisions *d)
{
    opn_status status = OPN_OK;
    const size_t n_most = (size_t)opn_split_count(split, OPN_ROLE_VALIDATION);
    const uint8_t *role = opn_split_roles(split);
    const char *name = opn_measure_name(wanted->measure);
    float *measure = NULL;
    uint8_t *right = NULL;
    int32_t n = 0;
    int is_reached = 0;
    OPN_TRY_NEW(ctx, measure, n_most);
    OPN_TRY_NEW(ctx, right, n_most);
    for (opn_vid i = 0; i < opn_i_graph_n_nodes(graph); i++) {
        // Nodes that the given thresholds reject cannot be accepted.
        if (role[i] != OPN_ROLE_VALIDATION || decision[i] != OPN_DECISION_ACCEPT)
            continue;
        measure[n] = prediction->measure[wanted->measure][i];
        right[n++] = is_right(graph, split, prediction, i);
    }
    OPN_FAIL_IF(ctx, n == 0, OPN_ERR_UNSUPPORTED,
                "`target_accuracy`: `abstain_above` accepts none of the %zu validation "
                "nodes, so there are none to pick a threshold on",
                n_most);
    OPN_TRY(opn_risk_coverage(ctx, n, measure, right, d->curve));
    OPN_TRY(opn_pick_threshold(ctx, n, measure, right, wanted->target, &is_reached,
                               &d->picked));
    OPN_FAIL_IF(ctx, !is_reached, OPN_ERR_UNSUPPORTED,
                "`target_accuracy` %g cannot be reached with %s on the %d validation "
                "nodes; the best accuracy is %.4f, at a coverage of %.4f (%d of %d "
                "correct)",
                wanted->target, name, n, floor(1e4 * d->picked.accuracy) / 1e4,
                d->picked.coverage, d->picked.n_right, d->picked.n_accepted);
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

// Applies the given thresholds and, if there is a target, the one picked for it.
static opn_status decide(opn_ctx *ctx,
                         const opn_graph *graph,
                         const opn_split *split,
                         const request *wanted,
                         const opn_prediction *prediction,
                         uint8_t *decision,
                         int8_t *decided_by,
                         opn_decisions *d)
{
    opn_status status = OPN_OK;
    const opn_vid n = prediction->n_nodes;
    const float *measure[OPN_N_MEASURES];
    for (int m = 0; m < OPN_N_MEASURES; m++)
        measure[m] = prediction->measure[m];
    OPN_TRY(opn_decide(ctx, n, OPN_N_MEASURES, measure, wanted->thresholds, decision,
                       decided_by));
    if (wanted->has_target) {
        OPN_TRY(pick(ctx, graph, split, wanted, prediction, decision, d));
        OPN_TRY(opn_decide(ctx, n, OPN_N_MEASURES, measure, wanted->thresholds, decision,
                           decided_by));
    }
    count_nodes(graph, split, prediction, decision, d);
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
    OPN_REJECT_NULL(ctx, model, graph, params, prediction, out);
    opn_status status = OPN_OK;
    decisions *d = NULL;
    request wanted = {0};
    uint8_t *decision = NULL;
    int8_t *decided_by = NULL;
    char *summary = NULL;
    OPN_TRY(read_request(ctx, model, params, &wanted));
    OPN_TRY(check_split(ctx, graph, split, &wanted));
    OPN_TRY(check_prediction(ctx, graph, prediction, &wanted));
    OPN_TRY_NEW(ctx, d, 1);
    d->alloc = ctx->alloc;
    d->shown.has_target = wanted.has_target;
    d->shown.measure = wanted.measure;
    OPN_TRY(make_room(ctx, prediction, &decision, &decided_by));
    OPN_TRY(decide(ctx, graph, split, &wanted, prediction, decision, decided_by,
                   &d->shown));
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
    opn_thresholds_free(wanted.thresholds);
    opn_decisions_free(d == NULL ? NULL : &d->shown);
    return status;
}
