// save_shards.c -- saves a graph as a folder of blocks.

#include "data/graph_tensors.h"
#include "data/shard_manifest.h"
#include "graph/shards.h"
#include "io/file_write.h"
#include "io/new_folder.h"
#include "io/path.h"

#include <string.h>

static const char writing[] = "writing blocks";

// Writes what `writer` has collected, which is consumed, and tells its hash.
static opn_status write_tensors(opn_ctx *ctx,
                                opn_i_safetensors_writer *writer,
                                const char *folder,
                                const char *name,
                                char sha256[OPN_SHA256_TEXT])
{
    opn_status status = OPN_OK;
    opn_i_file_writer *file = NULL;
    opn_i_sha256 *hash = NULL;
    char *path = NULL;
    char *bytes = NULL;
    size_t n = 0;
    OPN_TRY(opn_i_safetensors_writer_take(writer, &bytes, &n));
    OPN_TRY(opn_i_sha256_start(ctx, &hash));
    opn_i_sha256_add(hash, bytes, n);
    status = opn_i_sha256_finish(hash, sha256);
    hash = NULL;
    OPN_TRY(status);
    OPN_TRY(opn_i_join_path(ctx, folder, name, "", &path));
    OPN_TRY(opn_i_file_writer_open(ctx, path, &file));
    opn_i_file_writer_put(file, bytes, n);
    status = opn_i_file_writer_commit(file);
cleanup:
    opn_i_release(&ctx->alloc, path);
    opn_i_release(&ctx->alloc, bytes);
    return status;
}

static opn_status row_lengths(opn_ctx *ctx, const opn_i_csr *csr, int32_t **out)
{
    opn_status status = OPN_OK;
    int32_t *length = NULL;
    OPN_TRY_NEW(ctx, length, csr->n_rows);
    for (int32_t i = 0; i < csr->n_rows; i++)
        length[i] = (int32_t)(csr->row_ptr[i + 1] - csr->row_ptr[i]);
    *out = length;
cleanup:
    return status;
}

// What every process has to know of all nodes.
static opn_status write_nodes(opn_ctx *ctx,
                              const opn_graph *graph,
                              const opn_i_csr *features,
                              const opn_i_shards *shards,
                              const char *folder,
                              opn_i_shard_manifest *manifest)
{
    opn_status status = OPN_OK;
    opn_i_safetensors_writer *writer = NULL;
    const int64_t n_cols = graph->features.n_cols;
    int32_t *degree = NULL;
    int32_t *n_features = NULL;
    const int64_t n = manifest->n_nodes;
    OPN_TRY(row_lengths(ctx, &graph->topology, &degree));
    OPN_TRY(row_lengths(ctx, features, &n_features));
    OPN_TRY(opn_i_safetensors_writer_create(ctx, &writer));
    OPN_TRY(opn_i_tensor_put(writer, "order", OPN_TENSOR_I32, n, shards->blocks.order));
    OPN_TRY(opn_i_tensor_put(writer, "entries", OPN_TENSOR_I32, n, degree));
    OPN_TRY(opn_i_tensor_put(writer, "x_entries", OPN_TENSOR_I32, n, n_features));
    OPN_TRY(opn_i_tensor_put(writer, "x_mean", OPN_TENSOR_F64, n_cols, shards->mean));
    OPN_TRY(opn_i_tensor_put(writer, "x_scale", OPN_TENSOR_F64, n_cols, shards->scale));
    OPN_TRY(opn_i_tensor_put(writer, "x_centre", OPN_TENSOR_F64, n_cols, shards->centre));
    OPN_TRY(opn_i_tensor_put_nodes(writer, graph));
    status = write_tensors(ctx, writer, folder, OPN_SHARD_NODES, manifest->nodes_sha256);
    writer = NULL;
cleanup:
    opn_i_safetensors_writer_discard(writer);
    opn_i_release(&ctx->alloc, degree);
    opn_i_release(&ctx->alloc, n_features);
    return status;
}

// Writes a block and notes it, after the one before it.
static opn_status write_block(opn_ctx *ctx,
                              const opn_graph *graph,
                              const opn_i_csr *all_features,
                              const opn_i_partition *partition,
                              int32_t b,
                              const char *folder,
                              opn_i_shard_block *block)
{
    opn_status status = OPN_OK;
    opn_i_safetensors_writer *writer = NULL;
    opn_i_csr rows = {0};
    opn_i_csr features = {0};
    float *weight = NULL;
    float *value = NULL;
    char name[OPN_SHARD_NAME];
    const int32_t *node = partition->order + partition->start[b];
    block->first_row = partition->start[b];
    block->n_rows = partition->start[b + 1] - partition->start[b];
    if (b > 0) {
        block->first_entry = block[-1].first_entry + block[-1].n_entries;
        block->first_feature_entry =
                block[-1].first_feature_entry + block[-1].n_feature_entries;
    }
    OPN_TRY(opn_i_csr_take_rows(ctx, &graph->topology, node, block->n_rows, &rows));
    OPN_TRY(opn_i_csr_take_rows(ctx, all_features, node, block->n_rows, &features));
    block->n_entries = opn_i_csr_n_entries(&rows);
    block->n_feature_entries = opn_i_csr_n_entries(&features);
    OPN_TRY(opn_i_safetensors_writer_create(ctx, &writer));
    OPN_TRY(opn_i_tensor_put_matrix(ctx, writer, &opn_i_topology_names, &rows, &weight));
    OPN_TRY(opn_i_tensor_put_matrix(ctx, writer, &opn_i_feature_names, &features,
                                    &value));
    status = write_tensors(ctx, writer, folder, opn_i_shard_name(b, name), block->sha256);
    writer = NULL;
cleanup:
    opn_i_safetensors_writer_discard(writer);
    opn_i_csr_deinit(&ctx->alloc, &rows);
    opn_i_csr_deinit(&ctx->alloc, &features);
    opn_i_release(&ctx->alloc, weight);
    opn_i_release(&ctx->alloc, value);
    return status;
}

// Measures what few and many ranks would have to exchange; says so of few.
static opn_status measure_cuts(opn_ctx *ctx,
                               const opn_graph *graph,
                               const opn_i_partition *partition,
                               opn_i_shard_manifest *manifest)
{
    opn_status status = OPN_OK;
    for (int32_t n = 2; n <= partition->n_blocks && manifest->n_cuts < OPN_SHARD_CUTS;
         n *= 2) {
        opn_i_cut *cut = &manifest->cut[manifest->n_cuts++];
        OPN_TRY(opn_i_partition_cut(ctx, &graph->topology, partition, n, cut));
        if (n <= 4)
            opn_i_log(
                    ctx, OPN_LOG_INFO,
                    "%d ranks: %.1f %% of the edges join nodes of different ranks; they "
                    "need %.2f rows of others per node",
                    n, 100.0 * cut->edges, cut->halo);
    }
cleanup:
    return status;
}

static opn_status write_folder(opn_ctx *ctx,
                               const opn_graph *graph,
                               opn_i_shards *shards,
                               const char *folder,
                               opn_i_shard_manifest *manifest)
{
    opn_status status = OPN_OK;
    const opn_i_partition *partition = &shards->blocks;
    const opn_i_csr *features = NULL;
    opn_i_csr room = {0};
    OPN_TRY(opn_i_features_as_lists(ctx, &graph->features, &room, &features));
    OPN_TRY(opn_i_shards_describe(ctx, graph, shards));
    manifest->has_isolated = shards->has_isolated;
    manifest->has_negative = shards->has_negative;
    memcpy(manifest->suits, shards->suits, sizeof(manifest->suits));
    manifest->n_nodes = opn_i_graph_n_nodes(graph);
    manifest->n_entries = opn_i_csr_n_entries(&graph->topology);
    manifest->n_features = graph->features.n_cols;
    manifest->n_feature_entries = opn_i_csr_n_entries(features);
    manifest->n_classes = graph->n_classes;
    manifest->n_blocks = partition->n_blocks;
    OPN_TRY(opn_graph_hash(ctx, graph, manifest->hash));
    OPN_TRY(measure_cuts(ctx, graph, partition, manifest));
    OPN_TRY(write_nodes(ctx, graph, features, shards, folder, manifest));
    OPN_TRY_NEW(ctx, manifest->block, partition->n_blocks);
    for (int32_t b = 0; b < partition->n_blocks; b++) {
        OPN_TRY(opn_i_progress(ctx, writing, b, partition->n_blocks, "blocks"));
        OPN_TRY(write_block(ctx, graph, features, partition, b, folder,
                            &manifest->block[b]));
    }
    OPN_TRY(opn_i_shard_manifest_save(ctx, manifest, folder));
    OPN_TRY(opn_i_progress(ctx, writing, partition->n_blocks, partition->n_blocks,
                           "blocks"));
cleanup:
    opn_i_csr_deinit(&ctx->alloc, &room);
    return status;
}

opn_status opn_graph_save_shards(opn_ctx *ctx,
                                 const opn_graph *graph,
                                 int32_t n_blocks,
                                 const char *path)
{
    OPN_REJECT_NULL(ctx, graph, path);
    opn_status status = OPN_OK;
    opn_i_new_folder folder = {0};
    opn_i_shards *shards = NULL;
    opn_i_shard_manifest manifest = {0};
    OPN_FAIL_IF(ctx,
                n_blocks < 1 || n_blocks > OPN_MAX_BLOCKS || n_blocks & (n_blocks - 1),
                OPN_ERR_INVALID_ARG,
                "`blocks` %d: a graph is cut in two again and again, so their number is "
                "a power of two up to %d",
                n_blocks, OPN_MAX_BLOCKS);
    OPN_TRY(opn_i_graph_check_undirected(ctx, graph));
    OPN_FAIL_IF(ctx, opn_i_graph_is_partial(graph), OPN_ERR_UNSUPPORTED,
                "%s: several ranks cannot cut a graph", graph->name);
    OPN_TRY(opn_i_new_folder_open(ctx, path, "shards are written to a new folder",
                                  &folder));
    OPN_TRY_NEW(ctx, shards, 1);
    OPN_TRY(opn_i_partition_init(ctx, &graph->topology, n_blocks, &shards->blocks));
    OPN_TRY(write_folder(ctx, graph, shards, folder.temporary, &manifest));
    OPN_TRY(opn_i_new_folder_commit(&folder));
cleanup:
    opn_i_shards_free(&ctx->alloc, shards);
    opn_i_shard_manifest_deinit(&ctx->alloc, &manifest);
    opn_i_new_folder_close(&folder);
    return status;
}
