// score.c -- scores a trained model on one split.

#include "experiment/score.h"

#include "base/clock.h"
#include "base/random.h"
#include "opinion/detection.h"
#include "opinion/quality.h"
#include "predict/prediction_data.h"
#include "train/train.h"

#include <math.h>
#include <string.h>

// The paper draws 1000 nodes 50 times, its authors' code 10 times.
enum { N_DRAWN = 1000, PAPER_DRAWS = 50, REFERENCE_DRAWS = 10 };

static const double percent = 100.0;

typedef struct scoring {
    opn_ctx *ctx;
    const opn_graph *graph;
    const opn_split *split;
    const opn_params *params;
    opn_prediction *said;      // for every node
    int32_t n_pool;            // nodes that may be scored
    int32_t *node;             // [n_pool]
    uint8_t *positive, *wrong; // [n_pool]
    float *pooled;             // [n_pool] one score of the pool's nodes
    int32_t *draw;             // [n_draws, n_drawn]
    opn_i_pool pool;
} scoring;

static void release_scoring(scoring *j)
{
    const opn_alloc *alloc = &j->ctx->alloc;
    opn_prediction_free(j->said);
    opn_i_release(alloc, j->node);
    opn_i_release(alloc, j->positive);
    opn_i_release(alloc, j->wrong);
    opn_i_release(alloc, j->pooled);
    opn_i_release(alloc, j->draw);
}

// The class a node should get; -1 if unlabelled or of a held-out class.
static int32_t target_of(const scoring *j, int32_t i)
{
    const int32_t label = j->graph->label[i];
    return label < 0 ? -1 : opn_split_known(j->split)[label];
}

// ---- test nodes ----------------------------------------------------------------------

// Accuracy, Brier score, likelihood and calibration over the test nodes of known classes.
static opn_status score_quality(scoring *j, double quality[OPN_N_QUALITIES])
{
    opn_status status = OPN_OK;
    const int32_t n_nodes = opn_i_graph_n_nodes(j->graph);
    const uint8_t *role = opn_split_roles(j->split);
    int32_t *target = NULL;
    OPN_TRY_NEW(j->ctx, target, n_nodes);
    for (int32_t i = 0; i < n_nodes; i++)
        target[i] = role[i] == OPN_ROLE_TEST ? target_of(j, i) : -1;
    OPN_TRY(opn_i_quality(j->ctx, n_nodes, j->said->n_classes, target, j->said->predicted,
                          j->said->probability, quality));
cleanup:
    opn_i_release(&j->ctx->alloc, target);
    return status;
}

// ---- pool ----------------------------------------------------------------------------

static opn_status collect_pool(scoring *j, bool is_ood)
{
    opn_status status = OPN_OK;
    const int32_t n_nodes = opn_i_graph_n_nodes(j->graph);
    const uint8_t *in_pool = opn_split_pool(j->split);
    const size_t room = (size_t)opn_split_pool_size(j->split);
    OPN_TRY_NEW(j->ctx, j->node, room);
    OPN_TRY_NEW(j->ctx, j->positive, room);
    OPN_TRY_NEW(j->ctx, j->wrong, room);
    OPN_TRY_NEW(j->ctx, j->pooled, room);
    for (int32_t i = 0; i < n_nodes; i++) {
        if (!in_pool[i])
            continue;
        const int32_t target = target_of(j, i);
        const bool is_right = j->said->predicted[i] == target;
        j->node[j->n_pool] = i;
        j->positive[j->n_pool] = is_ood ? target < 0 : is_right;
        j->wrong[j->n_pool] = !is_right;
        j->n_pool++;
    }
cleanup:
    return status;
}

// Draws n_drawn distinct nodes of the pool per draw: the start of a shuffle.
static opn_status draw_nodes(scoring *j)
{
    opn_status status = OPN_OK;
    const uint64_t seed = (uint64_t)opn_params_int(j->params, "seed");
    int32_t *order = NULL;
    OPN_TRY_NEW(j->ctx, order, j->n_pool);
    OPN_TRY_NEW(j->ctx, j->draw, (size_t)j->pool.n_draws * (size_t)j->pool.n_drawn);
    for (int32_t i = 0; i < j->n_pool; i++)
        order[i] = i;
    for (int32_t d = 0; d < j->pool.n_draws; d++) {
        opn_i_rng rng = opn_i_rng_start(seed, OPN_STREAM_POOL, (uint32_t)d);
        int32_t *draw = j->draw + (size_t)d * (size_t)j->pool.n_drawn;
        for (int32_t at = 0; at < j->pool.n_drawn; at++) {
            const int32_t other =
                    at + (int32_t)opn_i_rng_below(&rng, (uint32_t)(j->n_pool - at));
            draw[at] = order[other];
            order[other] = order[at];
            order[at] = draw[at];
        }
    }
cleanup:
    opn_i_release(&j->ctx->alloc, order);
    return status;
}

static opn_status prepare_pool(scoring *j)
{
    opn_status status = OPN_OK;
    const bool holds_out = opn_split_n_known(j->split) < opn_split_n_classes(j->split);
    const bool is_ood = strcmp(opn_i_task_scored(j->params, holds_out), "ood") == 0;
    const char *protocol = opn_params_text(j->params, "protocol");
    OPN_TRY(collect_pool(j, is_ood));
    const bool takes_all = strcmp(protocol, "full") == 0 || j->n_pool <= N_DRAWN;
    j->pool = (opn_i_pool){
            .n = j->n_pool,
            .positive = j->positive,
            .wrong = j->wrong,
            .ranks_by_more = is_ood,
            .n_draws = takes_all                            ? 1
                       : strcmp(protocol, "reference") == 0 ? REFERENCE_DRAWS
                                                            : PAPER_DRAWS,
            .n_drawn = takes_all ? j->n_pool : N_DRAWN,
    };
    OPN_TRY(draw_nodes(j));
    j->pool.draw = j->draw;
cleanup:
    return status;
}

static opn_status score_measures(scoring *j, opn_cell *cell)
{
    opn_status status = OPN_OK;
    double metric[OPN_N_METRICS];
    int32_t n_positive = 0;
    for (int32_t s = 0; s < OPN_N_SCORES; s++) {
        const float *score = opn_i_prediction_score(j->said, s);
        for (int m = 0; m < OPN_N_METRICS; m++)
            cell->metric[m][s] = (double)NAN;
        if (score == NULL)
            continue;
        for (int32_t i = 0; i < j->n_pool; i++)
            j->pooled[i] = score[j->node[i]];
        OPN_TRY(opn_i_detect(j->ctx, &j->pool, j->pooled, metric));
        for (int m = 0; m < OPN_N_METRICS; m++)
            cell->metric[m][s] = percent * metric[m];
    }
    for (int32_t i = 0; i < j->n_pool; i++)
        n_positive += j->positive[i];
    cell->n_pool = j->n_pool;
    cell->prevalence = percent * n_positive / j->n_pool;
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
    scoring j = {.ctx = ctx, .graph = graph, .split = split, .params = params};
    const double start = opn_i_clock();
    OPN_TRY(opn_model_predict(ctx, model, graph, params, OPN_KEEP_ENERGY, &j.said));
    out->seconds.infer = opn_i_clock() - start;
    OPN_TRY(score_quality(&j, out->quality));
    OPN_TRY(prepare_pool(&j));
    OPN_TRY(score_measures(&j, out));
cleanup:
    release_scoring(&j);
    return status;
}
