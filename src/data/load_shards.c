// load_shards.c -- loads a graph from a folder of blocks, block by block.

#include "data/graph_tensors.h"
#include "data/loaders.h"
#include "data/shard_manifest.h"
#include "graph/shards.h"
#include "io/bytes.h"
#include "io/path.h"

#include <string.h>

opn_status opn_i_is_shards(opn_ctx *ctx, const char *path, bool *found)
{
    opn_status status = OPN_OK;
    char *manifest = NULL;
    char *nodes = NULL;
    OPN_TRY(opn_i_join_path(ctx, path, OPN_SHARD_MANIFEST, "", &manifest));
    OPN_TRY(opn_i_join_path(ctx, path, OPN_SHARD_NODES, "", &nodes));
    *found = opn_i_file_exists(manifest) && opn_i_file_exists(nodes);
cleanup:
    opn_i_release(&ctx->alloc, manifest);
    opn_i_release(&ctx->alloc, nodes);
    return status;
}

// ---- files ---------------------------------------------------------------------------

// A file of the folder, checked against its hash. Zero-initialise.
typedef struct tensor_file {
    char *path;
    opn_i_bytes bytes;
    opn_i_safetensors *tensors;
} tensor_file;

static void close_file(opn_ctx *ctx, tensor_file *file)
{
    opn_i_safetensors_free(file->tensors);
    opn_i_bytes_release(ctx, &file->bytes);
    opn_i_release(&ctx->alloc, file->path);
    *file = (tensor_file){0};
}

static opn_status open_file(opn_ctx *ctx,
                            const char *folder,
                            const char *name,
                            const char *sha256,
                            tensor_file *file)
{
    opn_status status = OPN_OK;
    opn_i_sha256 *hash = NULL;
    char found[OPN_SHA256_TEXT];
    OPN_TRY(opn_i_join_path(ctx, folder, name, "", &file->path));
    OPN_TRY(opn_i_regular_file_read(ctx, file->path, &file->bytes));
    OPN_TRY(opn_i_sha256_start(ctx, &hash));
    OPN_TRY(opn_i_sha256_add_large(hash, file->bytes.data, file->bytes.n));
    status = opn_i_sha256_finish(hash, found);
    hash = NULL;
    OPN_TRY(status);
    OPN_FAIL_IF(ctx, strcmp(found, sha256) != 0, OPN_ERR_FORMAT,
                "%s: is not the file that %s was written with: its SHA-256 is %.12s… "
                "instead of %.12s…",
                file->path, OPN_SHARD_MANIFEST, found, sha256);
    OPN_TRY(opn_i_safetensors_open(ctx, file->path, file->bytes.data, file->bytes.n,
                                   &file->tensors));
cleanup:
    opn_i_sha256_discard(hash);
    return status;
}

// ---- all nodes -----------------------------------------------------------------------

typedef struct loading {
    opn_ctx *ctx;
    const char *folder;
    opn_i_shard_manifest manifest;
    opn_graph *graph;
    opn_i_shards *shards; // of the graph
} loading;

static opn_status
get_counts(loading *l, const tensor_file *file, const char *name, int32_t **out)
{
    opn_status status = OPN_OK;
    const opn_i_tensor_view *tensor = NULL;
    OPN_TRY(opn_i_tensor_need(l->ctx, file->path, file->tensors, name, OPN_TENSOR_I32,
                              l->manifest.n_nodes, &tensor));
    OPN_TRY_NEW(l->ctx, *out, l->manifest.n_nodes);
    OPN_TRY(opn_i_tensor_to_i32(l->ctx, file->path, tensor, *out));
cleanup:
    return status;
}

// Checks that every node is in the order once.
static opn_status check_order(loading *l, const char *path)
{
    opn_status status = OPN_OK;
    const int32_t n = l->manifest.n_nodes;
    bool *is_met = NULL;
    OPN_TRY_NEW(l->ctx, is_met, n);
    for (int32_t r = 0; r < n; r++) {
        const int32_t i = l->shards->blocks.order[r];
        OPN_FAIL_IF(l->ctx, i < 0 || i >= n || is_met[i], OPN_ERR_FORMAT,
                    "%s: order has %d at %d, which is no node or was there before", path,
                    i, r);
        is_met[i] = true;
    }
cleanup:
    opn_i_release(&l->ctx->alloc, is_met);
    return status;
}

// Checks that the rows have n_entries in all.
static opn_status
check_counts(loading *l, const char *path, const int32_t *length, int64_t n_entries)
{
    opn_status status = OPN_OK;
    int64_t left = n_entries;
    bool is_short = false;
    for (int32_t i = 0; i < l->manifest.n_nodes && !is_short; i++) {
        is_short = length[i] < 0 || length[i] > left;
        left -= length[i];
    }
    OPN_FAIL_IF(l->ctx, is_short || left != 0, OPN_ERR_FORMAT,
                "%s: the rows do not add up to %lld entries", path, (long long)n_entries);
cleanup:
    return status;
}

// Empties the rows of nodes whose blocks others have, and adds up the rest.
static int64_t keep_own(const loading *l, int32_t *length)
{
    const opn_i_partition *blocks = &l->shards->blocks;
    int64_t n = 0;
    for (int32_t r = 0; r < l->manifest.n_nodes; r++) {
        const bool is_own = r >= blocks->start[l->shards->first] &&
                            r < blocks->start[l->shards->last];
        length[blocks->order[r]] = is_own ? length[blocks->order[r]] : 0;
        n += length[blocks->order[r]];
    }
    return n;
}

// A matrix whose own rows have room for so many entries each; `length` is used up.
static opn_status make_rows(loading *l, int32_t *length, int32_t n_cols, opn_i_csr *out)
{
    opn_status status = OPN_OK;
    const int32_t n = l->manifest.n_nodes;
    const int64_t n_entries = keep_own(l, length);
    OPN_TRY(opn_i_csr_init(l->ctx, n, n_cols, n_entries, false, out));
    for (int32_t i = 0; i < n; i++)
        out->row_ptr[i + 1] = out->row_ptr[i] + length[i];
cleanup:
    return status;
}

// What the manifest says of the blocks, and which of them are this rank's.
static opn_status find_blocks(loading *l)
{
    opn_status status = OPN_OK;
    const opn_i_comm *comm = opn_i_comm_of(l->ctx);
    const opn_i_shard_manifest *m = &l->manifest;
    opn_i_shards *shards = l->shards;
    OPN_FAIL_IF(l->ctx, comm->n_ranks > m->n_blocks, OPN_ERR_INVALID_ARG,
                "%s: %d ranks for %d blocks; start fewer, or cut more blocks", l->folder,
                comm->n_ranks, m->n_blocks);
    shards->blocks.n_blocks = m->n_blocks;
    shards->first = opn_i_shards_first(m->n_blocks, comm->n_ranks, comm->rank);
    shards->last = opn_i_shards_first(m->n_blocks, comm->n_ranks, comm->rank + 1);
    shards->n_features = m->n_features;
    shards->has_isolated = m->has_isolated;
    shards->has_negative = m->has_negative;
    memcpy(shards->suits, m->suits, sizeof(shards->suits));
    memcpy(shards->hash, m->hash, sizeof(shards->hash));
    OPN_TRY_NEW(l->ctx, shards->blocks.start, (size_t)m->n_blocks + 1);
    for (int32_t b = 0; b < m->n_blocks; b++)
        shards->blocks.start[b] = m->block[b].first_row;
    shards->blocks.start[m->n_blocks] = m->n_nodes;
cleanup:
    return status;
}

static opn_status
get_doubles(loading *l, const tensor_file *file, const char *name, double **out)
{
    opn_status status = OPN_OK;
    const opn_i_tensor_view *tensor = NULL;
    OPN_TRY(opn_i_tensor_need(l->ctx, file->path, file->tensors, name, OPN_TENSOR_F64,
                              l->manifest.n_features, &tensor));
    OPN_TRY_NEW(l->ctx, *out, l->manifest.n_features);
    OPN_TRY(opn_i_tensor_to_f64(l->ctx, file->path, tensor, *out));
cleanup:
    return status;
}

static opn_status load_nodes(loading *l)
{
    opn_status status = OPN_OK;
    const opn_i_shard_manifest *m = &l->manifest;
    tensor_file file = {0};
    int32_t *degree = NULL;
    int32_t *n_features = NULL;
    OPN_TRY(open_file(l->ctx, l->folder, OPN_SHARD_NODES, m->nodes_sha256, &file));
    OPN_TRY(get_counts(l, &file, "order", &l->shards->blocks.order));
    OPN_TRY(check_order(l, file.path));
    OPN_TRY(get_counts(l, &file, "entries", &degree));
    OPN_TRY(get_counts(l, &file, "x_entries", &n_features));
    OPN_TRY(get_doubles(l, &file, "x_mean", &l->shards->mean));
    OPN_TRY(get_doubles(l, &file, "x_scale", &l->shards->scale));
    OPN_TRY(get_doubles(l, &file, "x_centre", &l->shards->centre));
    // Of what the files are sure to hold, as the manifest and these counts agree on it.
    OPN_TRY(check_counts(l, file.path, degree, m->n_entries));
    OPN_TRY(check_counts(l, file.path, n_features, m->n_feature_entries));
    OPN_TRY(make_rows(l, degree, m->n_nodes, &l->graph->topology));
    OPN_TRY(make_rows(l, n_features, m->n_features, &l->graph->features.lists));
    l->graph->n_classes = m->n_classes;
    OPN_TRY(opn_i_tensor_get_nodes(l->ctx, file.path, file.tensors, m->n_nodes,
                                   m->n_features, l->graph));
cleanup:
    opn_i_release(&l->ctx->alloc, degree);
    opn_i_release(&l->ctx->alloc, n_features);
    close_file(l->ctx, &file);
    return status;
}

// ---- blocks --------------------------------------------------------------------------

// Moves the rows of a block to where its nodes are in the graph.
static opn_status place_rows(loading *l,
                             const char *path,
                             const int32_t *node,
                             const opn_i_csr *rows,
                             opn_i_csr *to)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(l->ctx, (rows->value != NULL) != (to->value != NULL), OPN_ERR_FORMAT,
                "%s: has values, unlike other blocks, or lacks them", path);
    for (int32_t r = 0; r < rows->n_rows; r++) {
        const opn_off from = rows->row_ptr[r], at = to->row_ptr[node[r]];
        const size_t n = (size_t)(rows->row_ptr[r + 1] - from);
        OPN_FAIL_IF(l->ctx, (opn_off)n != to->row_ptr[node[r] + 1] - at, OPN_ERR_FORMAT,
                    "%s: row %d has %zu entries, unlike in %s", path, r, n,
                    OPN_SHARD_NODES);
        memcpy(to->col_idx + at, rows->col_idx + from, n * sizeof(*to->col_idx));
        if (to->value != NULL)
            memcpy(to->value + at, rows->value + from, n * sizeof(*to->value));
    }
cleanup:
    return status;
}

// Reads one of the matrices of a block. The first of the blocks tells whether there are
// values.
static opn_status load_matrix(loading *l,
                              const tensor_file *file,
                              const opn_i_matrix_names *names,
                              int32_t b,
                              int64_t n_entries,
                              opn_i_csr *to)
{
    opn_status status = OPN_OK;
    const opn_i_shard_block *block = &l->manifest.block[b];
    opn_i_csr rows = {0};
    OPN_TRY(opn_i_tensor_get_matrix(l->ctx, file->path, file->tensors, names,
                                    block->n_rows, to->n_cols, &rows));
    OPN_FAIL_IF(l->ctx, opn_i_csr_n_entries(&rows) != n_entries, OPN_ERR_FORMAT,
                "%s: %lld entries of %s, where %s has %lld", file->path,
                (long long)opn_i_csr_n_entries(&rows), names->col_idx, OPN_SHARD_MANIFEST,
                (long long)n_entries);
    if (b == l->shards->first && rows.value != NULL)
        OPN_TRY_NEW(l->ctx, to->value, opn_i_csr_n_entries(to) + 1);
    OPN_TRY(place_rows(l, file->path, l->shards->blocks.order + block->first_row, &rows,
                       to));
cleanup:
    opn_i_csr_deinit(&l->ctx->alloc, &rows);
    return status;
}

static opn_status load_block(loading *l, int32_t b)
{
    opn_status status = OPN_OK;
    const opn_i_shard_block *block = &l->manifest.block[b];
    tensor_file file = {0};
    char name[OPN_SHARD_NAME];
    OPN_TRY(open_file(l->ctx, l->folder, opn_i_shard_name(b, name), block->sha256,
                      &file));
    OPN_TRY(load_matrix(l, &file, &opn_i_topology_names, b, block->n_entries,
                        &l->graph->topology));
    OPN_TRY(load_matrix(l, &file, &opn_i_feature_names, b, block->n_feature_entries,
                        &l->graph->features.lists));
cleanup:
    close_file(l->ctx, &file);
    return status;
}

// A symmetric matrix stays as it is; another would mislead all that trusts the claim.
static opn_status ensure_undirected(opn_ctx *ctx, opn_graph *graph)
{
    opn_status status = OPN_OK;
    opn_i_csr symmetric = {0};
    OPN_TRY(opn_i_topology_undirect(ctx, &graph->topology, &symmetric));
    opn_i_csr_deinit(&ctx->alloc, &graph->topology);
    graph->topology = symmetric;
    graph->is_undirected = true;
cleanup:
    return status;
}

// Every rank must read the same folder, with the same program on the same kind of CPU:
// other kernels give other bits, of which a model would be made up.
static opn_status check_ranks(const loading *l)
{
    opn_status status = OPN_OK;
    const char *const build[] = {opn_version(), opn_k_select()->name,
                                 sizeof(opn_real) == sizeof(float) ? "float" : "double"};
    for (size_t b = 0; b < sizeof(build) / sizeof(build[0]); b++)
        OPN_FAIL_IF(l->ctx, !opn_i_comm_is_same(l->ctx, build[b], strlen(build[b])),
                    OPN_ERR_UNSUPPORTED,
                    "%s: ranks run different programs or kernels, here opine %s with %s; "
                    "$OPINE_KERNEL sets the kernels",
                    l->folder, build[0], build[1]);
    OPN_FAIL_IF(l->ctx,
                !opn_i_comm_is_same(l->ctx, l->manifest.nodes_sha256, OPN_SHA256_TEXT) ||
                        !opn_i_comm_is_same(l->ctx, l->manifest.block,
                                            (size_t)l->manifest.n_blocks *
                                                    sizeof(*l->manifest.block)),
                OPN_ERR_FORMAT, "%s: ranks read different manifests", l->folder);
cleanup:
    return status;
}

static opn_status load_blocks(loading *l)
{
    opn_status status = OPN_OK;
    const int32_t first = l->shards->first, n = l->shards->last - first;
    for (int32_t b = 0; b < n; b++) {
        OPN_TRY(opn_i_progress(l->ctx, "reading blocks", b, n, "blocks"));
        OPN_TRY(load_block(l, first + b));
    }
    OPN_TRY(opn_i_progress(l->ctx, "reading blocks", n, n, "blocks"));
    OPN_TRY(opn_i_csr_tidy(l->ctx, &l->graph->features.lists));
    if (opn_i_graph_is_partial(l->graph)) {
        l->graph->is_undirected = true; // of which a rank sees too little to tell
    } else {
        OPN_TRY(opn_i_features_settle(l->ctx, &l->graph->features));
        OPN_TRY(ensure_undirected(l->ctx, l->graph));
    }
cleanup:
    return status;
}

opn_status opn_i_load_shards(opn_ctx *ctx, const char *path, opn_graph **out)
{
    opn_status status = OPN_OK;
    loading l = {.ctx = ctx, .folder = path};
    OPN_TRY(opn_i_comm_agree(ctx, opn_i_shard_manifest_load(ctx, path, &l.manifest)));
    OPN_TRY(check_ranks(&l));
    OPN_TRY(opn_i_graph_new(ctx, "graph", &l.graph));
    OPN_TRY_NEW(ctx, l.shards, 1);
    l.graph->shards = l.shards;
    OPN_TRY(find_blocks(&l));
    OPN_TRY(opn_i_comm_agree(ctx, load_nodes(&l)));
    OPN_TRY(opn_i_comm_agree(ctx, load_blocks(&l)));
    *out = l.graph;
    l.graph = NULL;
cleanup:
    opn_i_shard_manifest_deinit(&ctx->alloc, &l.manifest);
    opn_graph_free(l.graph);
    return status;
}
