// score_pool.c -- the nodes that a model is scored on, and draws from them.

#include "experiment/score_pool.h"

#include "base/random.h"
#include "graph/protocol.h"
#include "train/train.h"

#include <string.h>

enum { N_DRAWN = 1000 }; // nodes of a draw, in the paper and its authors' code

void opn_i_score_pool_deinit(const opn_alloc *alloc, opn_i_score_pool *pool)
{
    opn_i_release(alloc, pool->node);
    opn_i_release(alloc, pool->is_shifted);
    opn_i_release(alloc, pool->positive);
    opn_i_release(alloc, pool->wrong);
    opn_i_release(alloc, pool->draw);
    *pool = (opn_i_score_pool){0};
}

int32_t opn_i_score_target(const opn_graph *graph, const opn_split *split, int32_t i)
{
    const int32_t label = graph->label[i];
    return label < 0 ? -1 : opn_split_known(split)[label];
}

static void
add_node(opn_i_score_pool *pool, int32_t i, bool is_shifted, bool positive, bool wrong)
{
    pool->node[pool->n] = i;
    pool->is_shifted[pool->n] = is_shifted;
    pool->positive[pool->n] = positive;
    pool->wrong[pool->n] = wrong;
    pool->n++;
}

static opn_status collect(opn_ctx *ctx,
                          const opn_graph *graph,
                          const opn_split *split,
                          const int32_t *predicted,
                          bool is_ood,
                          bool is_shifted,
                          opn_i_score_pool *pool)
{
    opn_status status = OPN_OK;
    const int32_t n_nodes = opn_i_graph_n_nodes(graph);
    const size_t room =
            (size_t)opn_split_pool_size(split) + (is_shifted ? (size_t)n_nodes : 0);
    OPN_TRY_NEW(ctx, pool->node, room);
    OPN_TRY_NEW(ctx, pool->is_shifted, room);
    OPN_TRY_NEW(ctx, pool->positive, room);
    OPN_TRY_NEW(ctx, pool->wrong, room);
    for (int32_t i = 0; i < n_nodes; i++) {
        const int32_t target = opn_i_score_target(graph, split, i);
        const bool is_right = predicted[i] == target;
        if (opn_split_pool(split)[i])
            add_node(pool, i, false, is_ood ? target < 0 : is_right, !is_right);
    }
    for (int32_t i = 0; i < n_nodes && is_shifted; i++)
        add_node(pool, i, true, true, true);
cleanup:
    return status;
}

// Draws n_drawn distinct nodes of the pool per draw: the start of a shuffle.
static opn_status draw_nodes(opn_ctx *ctx, uint64_t seed, opn_i_score_pool *pool)
{
    opn_status status = OPN_OK;
    const int32_t n_drawn = pool->view.n_drawn;
    int32_t *order = NULL;
    OPN_TRY_NEW(ctx, order, pool->n);
    OPN_TRY_NEW(ctx, pool->draw, (size_t)pool->view.n_draws * (size_t)n_drawn);
    for (int32_t i = 0; i < pool->n; i++)
        order[i] = i;
    for (int32_t d = 0; d < pool->view.n_draws; d++) {
        opn_i_rng rng = opn_i_rng_start(seed, OPN_STREAM_POOL, (uint32_t)d);
        int32_t *draw = pool->draw + (size_t)d * (size_t)n_drawn;
        for (int32_t at = 0; at < n_drawn; at++) {
            const int32_t other =
                    at + (int32_t)opn_i_rng_below(&rng, (uint32_t)(pool->n - at));
            draw[at] = order[other];
            order[other] = order[at];
            order[at] = draw[at];
        }
    }
cleanup:
    opn_i_release(&ctx->alloc, order);
    return status;
}

opn_status opn_i_score_pool_init(opn_ctx *ctx,
                                 const opn_graph *graph,
                                 const opn_split *split,
                                 const opn_params *params,
                                 const int32_t *predicted,
                                 opn_i_score_pool *out)
{
    opn_status status = OPN_OK;
    opn_i_score_pool pool = {0};
    opn_shift shift;
    const bool holds_out = opn_split_n_known(split) < opn_split_n_classes(split);
    const bool is_ood = strcmp(opn_i_task_scored(params, holds_out), "ood") == 0;
    const int32_t n_draws = opn_i_protocol_of(params)->n_draws;
    OPN_TRY(collect(ctx, graph, split, predicted, is_ood,
                    opn_i_protocol_shifts(params, &shift), &pool));
    const bool takes_all = n_draws == 0 || pool.n <= N_DRAWN;
    pool.view = (opn_i_pool){.n = pool.n,
                             .positive = pool.positive,
                             .wrong = pool.wrong,
                             .ranks_by_more = is_ood,
                             .n_draws = takes_all ? 1 : n_draws,
                             .n_drawn = takes_all ? pool.n : N_DRAWN};
    OPN_TRY(draw_nodes(ctx, (uint64_t)opn_params_int(params, "seed"), &pool));
    pool.view.draw = pool.draw;
    *out = pool;
    pool = (opn_i_score_pool){0};
cleanup:
    opn_i_score_pool_deinit(&ctx->alloc, &pool);
    return status;
}
