// batch.c -- training on a few unlabelled nodes at a time.

#include "model/batch.h"

#include <string.h>

void opn_i_batch_deinit(const opn_alloc *alloc, opn_i_batch *batch)
{
    opn_i_release(alloc, batch->place);
    opn_i_release(alloc, batch->pool);
    opn_i_release(alloc, batch->nodes);
    *batch = (opn_i_batch){0};
}

static opn_status
check_encoder(opn_ctx *ctx, const opn_i_workspace *workspace, int32_t n_pool)
{
    opn_status status = OPN_OK;
    const opn_i_encoder *encoder = workspace->network.encoder;
    const int32_t n_features = workspace->features.rows.n_cols;
    OPN_FAIL_IF(
            ctx, opn_i_encoder_sees_edges(encoder), OPN_ERR_INVALID_ARG,
            "`batch`: only models that look at no edges, such as drop-mlp, train on a "
            "few nodes at a time; 0 takes all");
    OPN_FAIL_IF(ctx, n_features > OPN_MAX_ARRAY_COLS, OPN_ERR_INVALID_ARG,
                "`batch`: %d features, but batches take at most %d; 0 takes all nodes at "
                "once",
                n_features, (int)OPN_MAX_ARRAY_COLS);
    OPN_FAIL_IF(ctx, n_pool == 0, OPN_ERR_SHAPE,
                "`batch`: every node is for training or validation, and none is left for "
                "the batches; 0 does without");
cleanup:
    return status;
}

static opn_status find_pool(opn_ctx *ctx,
                            int32_t n_nodes,
                            const int32_t *target,
                            const int32_t *validation,
                            opn_i_batch *batch)
{
    opn_status status = OPN_OK;
    OPN_TRY_NEW(ctx, batch->nodes, n_nodes);
    OPN_TRY_NEW(ctx, batch->pool, n_nodes);
    for (int32_t i = 0; i < n_nodes; i++)
        if (target[i] < 0 && validation[i] < 0)
            batch->nodes[batch->n_pool++] = i;
cleanup:
    return status;
}

// The subgraph of the labelled nodes and of as many others as there are places, which
// then count as unlabelled.
static opn_status take_rows(opn_ctx *ctx,
                            const opn_i_workspace *workspace,
                            const int32_t *target,
                            const int32_t *validation,
                            opn_i_subgraph *subgraph,
                            opn_i_batch *batch)
{
    opn_status status = OPN_OK;
    const opn_i_network *whole = &workspace->network;
    int32_t *marked = NULL;
    int32_t n = 0;
    OPN_TRY_NEW(ctx, marked, whole->n_nodes);
    OPN_TRY_NEW(ctx, batch->place, batch->n_places);
    memcpy(marked, target, (size_t)whole->n_nodes * sizeof(*marked));
    for (int32_t b = 0; b < batch->n_places; b++)
        marked[batch->nodes[b]] = 0;
    OPN_TRY(opn_i_subgraph_init(ctx, &workspace->hop.rows, &whole->reach, marked,
                                validation, false, whole->encoder->needs_entries,
                                subgraph));
    for (int32_t r = 0; r < subgraph->train.outer.n_rows; r++) {
        if (target[subgraph->node[r]] >= 0)
            continue;
        subgraph->target[r] = -1;
        batch->place[n++] = r;
    }
cleanup:
    opn_i_release(&ctx->alloc, marked);
    return status;
}

// An array of the rows, of which those of the places are written anew later.
static opn_status fill_array(opn_ctx *ctx,
                             const opn_i_feature_matrix *whole,
                             const opn_i_subgraph *subgraph,
                             opn_i_feature_matrix *out)
{
    opn_status status = OPN_OK;
    const int32_t n_cols = whole->rows.n_cols;
    const size_t stride = (size_t)opn_i_width(n_cols);
    opn_real *array = NULL;
    OPN_TRY_NEW(ctx, array, OPN_MARGIN + (size_t)subgraph->n_nodes * stride);
    for (int32_t r = 0; r < subgraph->n_nodes; r++)
        opn_i_feature_matrix_row(whole, subgraph->node[r],
                                 opn_i_on_line(array) + (size_t)r * stride);
    OPN_TRY(opn_i_feature_matrix_init_array(ctx, array, subgraph->n_nodes, n_cols,
                                            whole->centre, OPN_USE_BACKWARD, out));
    out->n_trained = subgraph->train.inner.n_cols;
    array = NULL;
cleanup:
    opn_i_release(&ctx->alloc, array);
    return status;
}

opn_status opn_i_batch_init(opn_ctx *ctx,
                            opn_i_workspace *workspace,
                            const int32_t *target,
                            const int32_t *validation,
                            int32_t n_places,
                            uint64_t seed,
                            opn_i_trainee *trainee,
                            opn_i_batch *out)
{
    opn_status status = OPN_OK;
    const opn_i_network *whole = &workspace->network;
    opn_i_batch batch = {.whole = &workspace->features, .round = -1, .seed = seed};
    *trainee = (opn_i_trainee){.network = &trainee->part};
    OPN_TRY(find_pool(ctx, whole->n_nodes, target, validation, &batch));
    OPN_TRY(check_encoder(ctx, workspace, batch.n_pool));
    batch.n_places = n_places < batch.n_pool ? n_places : batch.n_pool;
    OPN_TRY(take_rows(ctx, workspace, target, validation, &trainee->subgraph, &batch));
    OPN_TRY(fill_array(ctx, batch.whole, &trainee->subgraph, &trainee->features));
    batch.array = opn_i_on_line(trainee->features.array);
    OPN_TRY(opn_i_network_init(ctx, whole->encoder, &whole->sizes,
                               &trainee->subgraph.train, NULL, &trainee->features,
                               &trainee->part));
    *out = batch;
    batch = (opn_i_batch){0};
cleanup:
    opn_i_batch_deinit(&ctx->alloc, &batch);
    if (status != OPN_OK)
        opn_i_trainee_deinit(&ctx->alloc, trainee);
    return status;
}

void opn_i_batch_fill(opn_i_batch *batch, int32_t epoch)
{
    const int32_t n_steps = batch->n_pool / batch->n_places; // what is left over waits
    const int32_t round = epoch / n_steps;
    const int32_t first = epoch % n_steps * batch->n_places;
    const size_t stride = (size_t)opn_i_width(batch->whole->rows.n_cols);
    if (round != batch->round) {
        opn_i_rng rng = opn_i_rng_start(batch->seed, OPN_STREAM_BATCH, (uint32_t)round);
        memcpy(batch->pool, batch->nodes, (size_t)batch->n_pool * sizeof(*batch->pool));
        opn_i_rng_shuffle(&rng, batch->pool, batch->n_pool);
        batch->round = round;
    }
    for (int32_t b = 0; b < batch->n_places; b++)
        opn_i_feature_matrix_row(batch->whole, batch->pool[first + b],
                                 batch->array + (size_t)batch->place[b] * stride);
}
