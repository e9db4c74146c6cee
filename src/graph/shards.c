// shards.c -- how a graph is divided into blocks, and which of them a process holds.

#include "graph/shards.h"

#include "graph/feature_rule.h"
#include "graph/feature_scale.h"

#include <stdio.h>
#include <string.h>

void opn_i_shards_free(const opn_alloc *alloc, opn_i_shards *shards)
{
    if (shards == NULL)
        return;
    opn_i_partition_deinit(alloc, &shards->blocks);
    opn_i_release(alloc, shards->mean);
    opn_i_release(alloc, shards->scale);
    opn_i_release(alloc, shards->centre);
    opn_i_release(alloc, shards);
}

static opn_status copy_doubles(opn_ctx *ctx, const double *from, size_t n, double **out)
{
    opn_status status = OPN_OK;
    OPN_TRY_NEW(ctx, *out, n);
    memcpy(*out, from, n * sizeof(**out));
cleanup:
    return status;
}

opn_status opn_i_shards_copy(opn_ctx *ctx, const opn_graph *graph, opn_i_shards **out)
{
    opn_status status = OPN_OK;
    const opn_i_shards *from = graph->shards;
    const size_t n = (size_t)opn_i_graph_n_nodes(graph);
    const size_t n_blocks = (size_t)from->blocks.n_blocks;
    const size_t n_features = (size_t)from->n_features;
    opn_i_shards *copy = NULL;
    OPN_TRY_NEW(ctx, copy, 1);
    *copy = *from;
    copy->blocks = (opn_i_partition){.n_blocks = from->blocks.n_blocks};
    copy->mean = copy->scale = copy->centre = NULL;
    OPN_TRY_NEW(ctx, copy->blocks.order, n);
    OPN_TRY_NEW(ctx, copy->blocks.start, n_blocks + 1);
    memcpy(copy->blocks.order, from->blocks.order, n * sizeof(int32_t));
    memcpy(copy->blocks.start, from->blocks.start, (n_blocks + 1) * sizeof(int32_t));
    OPN_TRY(copy_doubles(ctx, from->mean, n_features, &copy->mean));
    OPN_TRY(copy_doubles(ctx, from->scale, n_features, &copy->scale));
    OPN_TRY(copy_doubles(ctx, from->centre, n_features, &copy->centre));
    *out = copy;
    copy = NULL;
cleanup:
    opn_i_shards_free(&ctx->alloc, copy);
    return status;
}

const int32_t *opn_i_shards_nodes(const opn_i_shards *shards, int32_t *n)
{
    const int32_t *start = shards->blocks.start;
    *n = start[shards->last] - start[shards->first];
    return shards->blocks.order + start[shards->first];
}

opn_status
opn_i_graph_share_rows(opn_ctx *ctx, const opn_graph *graph, size_t row_bytes, void *data)
{
    opn_status status = OPN_OK;
    const opn_i_comm *comm = opn_i_comm_of(ctx);
    const opn_i_shards *shards = graph->shards;
    unsigned char *rows = data;
    unsigned char *own = NULL;
    unsigned char *all = NULL;
    int32_t *count = NULL;
    int32_t n_own = 0;
    if (!opn_i_graph_is_partial(graph))
        return OPN_OK;
    const opn_i_partition *blocks = &shards->blocks;
    const int32_t *node = opn_i_shards_nodes(shards, &n_own);
    const size_t n_nodes = (size_t)opn_i_graph_n_nodes(graph);
    OPN_TRY_NEW(ctx, own, (size_t)n_own * row_bytes);
    OPN_TRY_NEW(ctx, all, n_nodes * row_bytes);
    OPN_TRY_NEW(ctx, count, comm->n_ranks);
    for (int r = 0; r < comm->n_ranks; r++)
        count[r] = blocks->start[opn_i_shards_first(blocks->n_blocks, comm->n_ranks,
                                                    r + 1)] -
                   blocks->start[opn_i_shards_first(blocks->n_blocks, comm->n_ranks, r)];
    for (int32_t r = 0; r < n_own; r++)
        memcpy(own + (size_t)r * row_bytes, rows + (size_t)node[r] * row_bytes,
               row_bytes);
    comm->gather(comm, row_bytes, count, own, all);
    for (size_t r = 0; r < n_nodes; r++)
        memcpy(rows + (size_t)blocks->order[r] * row_bytes, all + r * row_bytes,
               row_bytes);
cleanup:
    opn_i_release(&ctx->alloc, own);
    opn_i_release(&ctx->alloc, all);
    opn_i_release(&ctx->alloc, count);
    return status;
}

opn_status
opn_i_shards_describe(opn_ctx *ctx, const opn_graph *graph, opn_i_shards *shards)
{
    opn_status status = OPN_OK;
    const opn_i_features *x = &graph->features;
    const char *suits = NULL;
    shards->n_features = x->n_cols;
    shards->has_isolated = opn_i_graph_has_isolated(graph);
    shards->has_negative = opn_i_features_are_signed(x);
    OPN_TRY(opn_i_features_suit(ctx, x, &suits));
    snprintf(shards->suits, sizeof(shards->suits), "%s", suits);
    OPN_TRY_NEW(ctx, shards->mean, x->n_cols);
    OPN_TRY_NEW(ctx, shards->scale, x->n_cols);
    OPN_TRY_NEW(ctx, shards->centre, x->n_cols);
    OPN_TRY(opn_i_features_moments(ctx, x, shards->mean, shards->scale));
    OPN_TRY(opn_i_features_centre(ctx, x, shards->mean, shards->scale, shards->centre));
cleanup:
    return status;
}
