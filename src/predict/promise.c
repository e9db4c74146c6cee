// promise.c -- promises about the nodes of a graph: accuracy, sets of classes, belonging.

#include "predict/promise.h"

#include "graph/graph_data.h"
#include "opine/conformal.h"
#include "opine/decide.h"

#include <math.h>
#include <string.h>

// Whether a promise is about node i: it neither trained nor stands behind the promise.
static bool is_asked_about(const opn_i_promise *promise, opn_vid i)
{
    return promise->guarantee->target[i] < 0 &&
           opn_split_roles(promise->split)[i] != OPN_ROLE_TRAIN;
}

// Room in the prediction, which may outlive the context.
static opn_status
new_bytes(const opn_i_promise *promise, size_t n, size_t size, void **out)
{
    *out = opn_i_calloc(&promise->prediction->alloc, n, size);
    return *out == NULL ? opn_i_fail_nomem(promise->ctx, n, size) : OPN_OK;
}

// ---- accuracy ------------------------------------------------------------------------

// Scores of the nodes that calibrate and of those to decide about, which are all others
// and if there are none the same.
typedef struct scored_nodes {
    int32_t n, n_asked;
    float *score, *asked;
    uint8_t *right;
} scored_nodes;

static opn_status collect(const opn_i_promise *promise,
                          const float *score,
                          const uint8_t *decision,
                          scored_nodes *out)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = promise->ctx;
    const opn_prediction *p = promise->prediction;
    OPN_TRY_NEW(ctx, out->score, p->n_nodes);
    OPN_TRY_NEW(ctx, out->asked, p->n_nodes);
    OPN_TRY_NEW(ctx, out->right, p->n_nodes);
    for (opn_vid i = 0; i < p->n_nodes; i++) {
        if (decision[i] != OPN_DECISION_ACCEPT)
            continue;
        if (promise->guarantee->target[i] >= 0) {
            out->score[out->n] = score[i];
            out->right[out->n++] = promise->guarantee->target[i] == p->predicted[i];
        } else if (is_asked_about(promise, i)) {
            out->asked[out->n_asked++] = score[i];
        }
    }
cleanup:
    return status;
}

opn_status opn_i_promise_accuracy(const opn_i_promise *promise,
                                  opn_measure measure,
                                  const uint8_t *decision,
                                  double target,
                                  double confidence,
                                  opn_control *out)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = promise->ctx;
    scored_nodes nodes = {0};
    OPN_TRY(collect(promise, promise->prediction->measure[measure], decision, &nodes));
    OPN_FAIL_IF(ctx, nodes.n == 0, OPN_ERR_UNSUPPORTED,
                "`target_accuracy`: `abstain_above` accepts none of the %d labelled "
                "nodes, so there are none to show an accuracy by",
                promise->guarantee->n);
    const bool has_asked = nodes.n_asked > 0;
    OPN_TRY(opn_control_accuracy(ctx, nodes.n, opn_f32(nodes.score), nodes.right,
                                 has_asked ? nodes.n_asked : nodes.n,
                                 opn_f32(has_asked ? nodes.asked : nodes.score), target,
                                 confidence, out));
cleanup:
    opn_i_release(&ctx->alloc, nodes.score);
    opn_i_release(&ctx->alloc, nodes.asked);
    opn_i_release(&ctx->alloc, nodes.right);
    return status;
}

// ---- sets ----------------------------------------------------------------------------

// Half of a node's score is its own, half the mean of its neighbours'.
static opn_status diffuse_scores(const opn_i_promise *promise, float *score)
{
    const opn_diffusion how = {.n_steps = 1, .teleport = 0.5, .missing = (double)NAN};
    return opn_graph_diffuse(promise->ctx, promise->graph, &how,
                             promise->prediction->n_classes, score);
}

static opn_status
score_classes(const opn_i_promise *promise, const char *kind, float *score)
{
    opn_status status = OPN_OK;
    const opn_prediction *p = promise->prediction;
    // Sums of probabilities are randomised: whole ones leave sets empty where the model
    // is sure. The seed is always the same, and so are the sets.
    opn_set_options options = {
            .kind = OPN_SET_LAC, .is_randomised = 1, .n_free = 2, .penalty = 0.01};
    if (strcmp(kind, "raps") == 0)
        options.kind = OPN_SET_RAPS;
    else if (strcmp(kind, "lac") != 0)
        options.kind = OPN_SET_APS;
    OPN_TRY(opn_set_score(promise->ctx, &options, p->n_nodes, p->n_classes,
                          opn_f32(p->calibrated != NULL ? p->calibrated : p->probability),
                          opn_into_f32(score)));
    if (strcmp(kind, "daps") == 0)
        OPN_TRY(diffuse_scores(promise, score));
cleanup:
    return status;
}

// The sets against the labels of the test nodes.
static opn_status measure_sets(const opn_i_promise *promise, opn_set_quality *out)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = promise->ctx;
    const opn_prediction *p = promise->prediction;
    int32_t *label = NULL;
    OPN_TRY_NEW(ctx, label, p->n_nodes);
    for (opn_vid i = 0; i < p->n_nodes; i++) {
        const int32_t given = promise->graph->label[i];
        const bool is_test = opn_split_roles(promise->split)[i] == OPN_ROLE_TEST;
        label[i] = is_test && given >= 0 ? opn_split_known(promise->split)[given] : -1;
    }
    OPN_TRY(opn_set_measure(ctx, p->n_nodes, p->n_classes, p->member, label, NULL, NULL,
                            out));
cleanup:
    opn_i_release(&ctx->alloc, label);
    return status;
}

opn_status opn_i_promise_sets(const opn_i_promise *promise,
                              const opn_params *params,
                              opn_set_quality *out)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = promise->ctx;
    opn_prediction *p = promise->prediction;
    const size_t n_wide = (size_t)p->n_nodes * (size_t)p->n_classes;
    float *score = NULL;
    double *threshold = NULL;
    uint8_t *member = NULL;
    OPN_TRY_NEW(ctx, score, n_wide);
    OPN_TRY_NEW(ctx, threshold, p->n_classes);
    OPN_TRY(new_bytes(promise, n_wide, sizeof(*member), (void **)&member));
    OPN_TRY(score_classes(promise, opn_params_text(params, "set_score"), score));
    OPN_TRY(opn_set_calibrate(
            ctx, p->n_nodes, p->n_classes, opn_f32(score), promise->guarantee->target,
            opn_params_real(params, "coverage"),
            strcmp(opn_params_text(params, "coverage_by"), "class") == 0, threshold));
    OPN_TRY(opn_set_members(ctx, p->n_nodes, p->n_classes, opn_f32(score), threshold,
                            member));
    opn_i_release(&p->alloc, p->member);
    p->member = member;
    member = NULL;
    OPN_TRY(measure_sets(promise, out));
cleanup:
    opn_i_release(&ctx->alloc, score);
    opn_i_release(&ctx->alloc, threshold);
    opn_i_release(&p->alloc, member);
    return status;
}

// ---- belonging -----------------------------------------------------------------------

// The measure that tells strange nodes best, of those the prediction has.
static opn_measure strangeness_of(const opn_prediction *p)
{
    return p->measure[OPN_MEASURE_FUSED] != NULL     ? OPN_MEASURE_FUSED
           : p->measure[OPN_MEASURE_VACUITY] != NULL ? OPN_MEASURE_VACUITY
                                                     : OPN_MEASURE_ENTROPY;
}

// Marks those of the nodes asked about whose p-values are small; `p` and `found` [V] have
// room for all nodes.
static opn_status mark_unknown(const opn_i_promise *promise,
                               double fdr,
                               const double *p_value,
                               double *p,
                               uint8_t *found)
{
    opn_status status = OPN_OK;
    const opn_vid n_nodes = promise->prediction->n_nodes;
    int32_t n = 0;
    int32_t n_found = 0;
    double threshold = 0.0;
    for (opn_vid i = 0; i < n_nodes; i++)
        if (is_asked_about(promise, i))
            p[n++] = p_value[i];
    OPN_TRY(opn_discover(promise->ctx, n, p, fdr, found, &threshold, &n_found));
    for (opn_vid i = 0; i < n_nodes; i++)
        found[i] = n_found > 0 && is_asked_about(promise, i) && p_value[i] <= threshold;
cleanup:
    return status;
}

opn_status opn_i_promise_known(const opn_i_promise *promise,
                               double fdr,
                               uint8_t *decision,
                               int8_t *decided_by,
                               opn_measure *measure)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = promise->ctx;
    opn_prediction *p = promise->prediction;
    const size_t n = (size_t)p->n_nodes;
    float *known = NULL;
    double *p_value = NULL;
    double *asked = NULL;
    uint8_t *found = NULL;
    float *p_known = NULL;
    int32_t n_known = 0;
    *measure = strangeness_of(p);
    const float *score = p->measure[*measure];
    OPN_TRY_NEW(ctx, known, n);
    OPN_TRY_NEW(ctx, p_value, n);
    OPN_TRY_NEW(ctx, asked, n);
    OPN_TRY_NEW(ctx, found, n);
    OPN_TRY(new_bytes(promise, n, sizeof(*p_known), (void **)&p_known));
    for (size_t i = 0; i < n; i++)
        if (promise->guarantee->target[i] >= 0)
            known[n_known++] = score[i];
    OPN_TRY(opn_conformal_p_values(ctx, n_known, opn_f32(known), p->n_nodes,
                                   opn_f32(score), p_value));
    OPN_TRY(mark_unknown(promise, fdr, p_value, asked, found));
    for (size_t i = 0; i < n; i++) {
        p_known[i] = (float)p_value[i];
        if (found[i]) {
            decision[i] = OPN_DECISION_UNKNOWN;
            decided_by[i] = (int8_t)*measure;
        }
    }
    opn_i_release(&p->alloc, p->p_known);
    p->p_known = p_known;
    p_known = NULL;
cleanup:
    opn_i_release(&ctx->alloc, known);
    opn_i_release(&ctx->alloc, p_value);
    opn_i_release(&ctx->alloc, asked);
    opn_i_release(&ctx->alloc, found);
    opn_i_release(&p->alloc, p_known);
    return status;
}
