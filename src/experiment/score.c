// score.c -- scores a trained model on one split.

#include "experiment/score.h"

#include "base/clock.h"
#include "experiment/rival_score.h"
#include "experiment/score_pool.h"
#include "graph/feature_scale.h"
#include "graph/protocol.h"
#include "opinion/quality.h"
#include "predict/calibrated.h"

#include <math.h>

static const double percent = 100.0;

// A graph and what the model says about it.
typedef struct scene {
    const opn_graph *graph;
    opn_prediction *said; // for every node
    float *rival;         // [V] a score that the prediction does not have
} scene;

typedef struct scoring {
    opn_ctx *ctx;
    const opn_split *split;
    const opn_params *params;
    opn_graph *shifted;
    scene scene[2]; // the graph, and the shifted one if there is one
    opn_i_score_pool pool;
    float *pooled; // [pool.n] one score of the pool's nodes
} scoring;

static void release_scoring(scoring *j)
{
    const opn_alloc *alloc = &j->ctx->alloc;
    for (int s = 0; s < 2; s++) {
        opn_prediction_free(j->scene[s].said);
        opn_i_release(alloc, j->scene[s].rival);
    }
    opn_graph_free(j->shifted);
    opn_i_score_pool_deinit(alloc, &j->pool);
    opn_i_release(alloc, j->pooled);
}

// ---- predictions ---------------------------------------------------------------------

// The shifted graph. Rows are scaled before they are mixed, as the model scales them;
// standardising columns commutes with mixing, so that can wait.
static opn_status shift_graph(scoring *j, const opn_model *model, opn_shift shift)
{
    opn_status status = OPN_OK;
    opn_graph *scaled = NULL;
    const uint64_t seed = (uint64_t)opn_params_int(j->params, "seed");
    const bool is_row = model->normalise == OPN_NORMALISE_ROW;
    OPN_TRY(opn_graph_prepare(j->ctx, j->scene[0].graph,
                              is_row ? OPN_STEP_ROW_NORMALISE : 0, &scaled));
    if (model->normalise == OPN_NORMALISE_L2)
        OPN_TRY(opn_i_features_l2_normalise(j->ctx, &scaled->features));
    OPN_TRY(opn_graph_shift(j->ctx,
                            shift == OPN_SHIFT_FEATURE ? scaled : j->scene[0].graph,
                            shift, seed, &j->shifted));
    j->scene[1].graph = j->shifted;
cleanup:
    opn_graph_free(scaled);
    return status;
}

static opn_status
predict(scoring *j, const opn_model *model, uint32_t also_keep, scene *s)
{
    opn_status status = OPN_OK;
    OPN_TRY(opn_model_predict(j->ctx, model, s->graph, j->params,
                              OPN_KEEP_ENERGY | also_keep, &s->said));
    OPN_TRY_NEW(j->ctx, s->rival, opn_i_graph_n_nodes(s->graph));
cleanup:
    return status;
}

// ---- test nodes ----------------------------------------------------------------------

// Accuracy, Brier score, likelihood and calibration over the test nodes of known classes,
// also after calibration on other nodes.
static opn_status score_quality(scoring *j, double quality[OPN_N_QUALITIES])
{
    opn_status status = OPN_OK;
    const opn_graph *graph = j->scene[0].graph;
    const opn_prediction *said = j->scene[0].said;
    const int32_t n_nodes = opn_i_graph_n_nodes(graph);
    const uint8_t *role = opn_split_roles(j->split);
    int32_t *target = NULL;
    OPN_TRY_NEW(j->ctx, target, n_nodes);
    for (int32_t i = 0; i < n_nodes; i++)
        target[i] =
                role[i] == OPN_ROLE_TEST ? opn_i_score_target(graph, j->split, i) : -1;
    OPN_TRY(opn_i_quality(j->ctx, n_nodes, said->n_classes, target, said->predicted,
                          said->probability, said->calibrated, quality));
cleanup:
    opn_i_release(&j->ctx->alloc, target);
    return status;
}

// ---- pool ----------------------------------------------------------------------------

// A score of every node [V]; NULL if the model does not have it.
static opn_status score_of(opn_ctx *ctx, const scene *s, int32_t score, const float **out)
{
    opn_status status = OPN_OK;
    *out = opn_i_prediction_score(s->said, score);
    if (score >= OPN_SCORE_RIVALS) {
        OPN_TRY(opn_i_rival_score(ctx, s->graph, s->said, score, s->rival));
        *out = s->rival;
    }
cleanup:
    return status;
}

// Collects one score of the pool's nodes; false if the model does not have it.
static opn_status fill_pooled(scoring *j, int32_t score, bool *has_score)
{
    opn_status status = OPN_OK;
    const float *from[2] = {NULL, NULL};
    for (int s = 0; s < 2; s++)
        if (j->scene[s].said != NULL)
            OPN_TRY(score_of(j->ctx, &j->scene[s], score, &from[s]));
    *has_score = from[0] != NULL;
    for (int32_t i = 0; i < j->pool.n && *has_score; i++)
        j->pooled[i] = from[j->pool.is_shifted[i]][j->pool.node[i]];
cleanup:
    return status;
}

static opn_status score_measures(scoring *j, opn_cell *cell)
{
    opn_status status = OPN_OK;
    double metric[OPN_N_METRICS];
    bool has_score = false;
    int32_t n_positive = 0;
    OPN_TRY_NEW(j->ctx, j->pooled, j->pool.n);
    for (int32_t s = 0; s < OPN_N_SCORES; s++) {
        for (int m = 0; m < OPN_N_METRICS; m++)
            cell->metric[m][s] = (double)NAN;
        OPN_TRY(fill_pooled(j, s, &has_score));
        if (!has_score)
            continue;
        OPN_TRY(opn_i_detect(j->ctx, &j->pool.view, j->pooled, metric));
        for (int m = 0; m < OPN_N_METRICS; m++)
            cell->metric[m][s] = percent * metric[m];
    }
    for (int32_t i = 0; i < j->pool.n; i++)
        n_positive += j->pool.positive[i];
    cell->n_pool = j->pool.n;
    cell->prevalence = percent * n_positive / j->pool.n;
cleanup:
    return status;
}

opn_status opn_i_score_model(opn_ctx *ctx,
                             const opn_model *model,
                             const opn_graph *graph,
                             const opn_split *split,
                             const opn_params *params,
                             opn_cell *out)
{
    opn_status status = OPN_OK;
    scoring j = {
            .ctx = ctx, .split = split, .params = params, .scene = {{.graph = graph}}};
    const double start = opn_i_clock();
    opn_shift shift;
    OPN_TRY(predict(&j, model, OPN_KEEP_AROUND, &j.scene[0]));
    out->seconds.infer = opn_i_clock() - start;
    OPN_TRY(opn_i_calibration_add(ctx, graph, split, params, j.scene[0].said));
    if (opn_i_protocol_shifts(params, &shift)) {
        OPN_TRY(shift_graph(&j, model, shift));
        OPN_TRY(predict(&j, model, 0, &j.scene[1]));
    }
    OPN_TRY(score_quality(&j, out->quality));
    OPN_TRY(opn_i_score_pool_init(ctx, graph, split, params, j.scene[0].said->predicted,
                                  &j.pool));
    OPN_TRY(score_measures(&j, out));
cleanup:
    release_scoring(&j);
    return status;
}
