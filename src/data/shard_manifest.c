// shard_manifest.c -- what manifest.json says of a folder of shards.

#include "data/shard_manifest.h"

#include "data/loaders.h"
#include "io/bytes.h"
#include "io/json_write.h"
#include "io/path.h"

#include <stdio.h>
#include <string.h>

static const char format_text[] = "opine shards 1";

const char *opn_i_shard_name(int32_t b, char name[OPN_SHARD_NAME])
{
    snprintf(name, OPN_SHARD_NAME, "block-%04d.safetensors", b);
    return name;
}

void opn_i_shard_manifest_deinit(const opn_alloc *alloc, opn_i_shard_manifest *manifest)
{
    opn_i_release(alloc, manifest->block);
    *manifest = (opn_i_shard_manifest){0};
}

// ---- writing -------------------------------------------------------------------------

static void put(json_t *object, const char *key, json_t *value)
{
    (void)opn_i_json_set(object, key, value);
}

static json_t *block_as_json(const opn_i_shard_block *block)
{
    json_t *one = json_object();
    put(one, "first_row", json_integer(block->first_row));
    put(one, "rows", json_integer(block->n_rows));
    put(one, "first_entry", json_integer(block->first_entry));
    put(one, "entries", json_integer(block->n_entries));
    put(one, "first_feature_entry", json_integer(block->first_feature_entry));
    put(one, "feature_entries", json_integer(block->n_feature_entries));
    put(one, "sha256", opn_i_json_string(block->sha256));
    return one;
}

static json_t *cut_as_json(const opn_i_cut *cut)
{
    json_t *one = json_object();
    put(one, "ranks", json_integer(cut->n_ranks));
    put(one, "edges_cut", opn_i_json_number(cut->edges));
    put(one, "halo", opn_i_json_number(cut->halo));
    return one;
}

static json_t *manifest_as_json(const opn_i_shard_manifest *manifest)
{
    json_t *document = json_object();
    json_t *blocks = json_array();
    json_t *cuts = json_array();
    for (int32_t b = 0; b < manifest->n_blocks; b++)
        (void)opn_i_json_append(blocks, block_as_json(&manifest->block[b]));
    for (int c = 0; c < manifest->n_cuts; c++)
        (void)opn_i_json_append(cuts, cut_as_json(&manifest->cut[c]));
    put(document, "format", opn_i_json_string(format_text));
    put(document, "hash", opn_i_json_string(manifest->hash));
    put(document, "nodes", json_integer(manifest->n_nodes));
    put(document, "entries", json_integer(manifest->n_entries));
    put(document, "features", json_integer(manifest->n_features));
    put(document, "feature_entries", json_integer(manifest->n_feature_entries));
    put(document, "classes", json_integer(manifest->n_classes));
    put(document, "isolated", json_boolean(manifest->has_isolated));
    put(document, "negative", json_boolean(manifest->has_negative));
    put(document, "normalise", opn_i_json_string(manifest->suits));
    put(document, "nodes_sha256", opn_i_json_string(manifest->nodes_sha256));
    put(document, "cuts", cuts);
    put(document, "blocks", blocks);
    return document;
}

// Reads it back, because Jansson drops what it has no memory for.
opn_status opn_i_shard_manifest_save(opn_ctx *ctx,
                                     const opn_i_shard_manifest *manifest,
                                     const char *folder)
{
    opn_status status = OPN_OK;
    opn_i_shard_manifest back = {0};
    char *path = NULL;
    OPN_TRY(opn_i_join_path(ctx, folder, OPN_SHARD_MANIFEST, "", &path));
    OPN_TRY(opn_i_json_save(ctx, path, manifest_as_json(manifest), 6));
    status = opn_i_shard_manifest_load(ctx, folder, &back);
    if (status == OPN_ERR_FORMAT)
        status = opn_i_fail(ctx, OPN_ERR_NOMEM, "out of memory for a manifest");
cleanup:
    opn_i_shard_manifest_deinit(&ctx->alloc, &back);
    opn_i_release(&ctx->alloc, path);
    return status;
}

// ---- reading -------------------------------------------------------------------------

// The file that is read, for messages.
typedef struct source {
    opn_ctx *ctx;
    const char *path;
} source;

static opn_status get_number(const source *from,
                             const json_t *object,
                             const char *key,
                             int64_t max,
                             int64_t *to)
{
    opn_status status = OPN_OK;
    const json_t *value = json_object_get(object, key);
    const json_int_t number = json_is_integer(value) ? json_integer_value(value) : -1;
    OPN_FAIL_IF(from->ctx, number < 0 || number > max, OPN_ERR_FORMAT,
                "%s: \"%s\" is no integer from 0 to %lld", from->path, key,
                (long long)max);
    *to = number;
cleanup:
    return status;
}

static opn_status get_small(const source *from,
                            const json_t *object,
                            const char *key,
                            int32_t max,
                            int32_t *to)
{
    int64_t number = 0;
    const opn_status status = get_number(from, object, key, max, &number);
    *to = (int32_t)number;
    return status;
}

static opn_status get_hash(const source *from,
                           const json_t *object,
                           const char *key,
                           char to[OPN_SHA256_TEXT])
{
    opn_status status = OPN_OK;
    const char *text = json_string_value(json_object_get(object, key));
    OPN_FAIL_IF(from->ctx,
                text == NULL || strlen(text) != OPN_SHA256_TEXT - 1 ||
                        strspn(text, "0123456789abcdef") != OPN_SHA256_TEXT - 1,
                OPN_ERR_FORMAT, "%s: \"%s\" is no SHA-256 of 64 hexadecimal digits",
                from->path, key);
    memcpy(to, text, OPN_SHA256_TEXT);
cleanup:
    return status;
}

// Reads a block, which begins where the one before it ends.
static opn_status get_block(const source *from,
                            const json_t *object,
                            const opn_i_shard_manifest *manifest,
                            const opn_i_shard_block *before,
                            opn_i_shard_block *to)
{
    opn_status status = OPN_OK;
    const opn_i_shard_block none = {0};
    const opn_i_shard_block *last = before == NULL ? &none : before;
    const int32_t row = last->first_row + last->n_rows;
    const int64_t entry = last->first_entry + last->n_entries;
    const int64_t feature = last->first_feature_entry + last->n_feature_entries;
    OPN_TRY(get_small(from, object, "first_row", INT32_MAX, &to->first_row));
    OPN_TRY(get_small(from, object, "rows", manifest->n_nodes - row, &to->n_rows));
    OPN_TRY(get_number(from, object, "first_entry", INT64_MAX, &to->first_entry));
    OPN_TRY(get_number(from, object, "entries", manifest->n_entries - entry,
                       &to->n_entries));
    OPN_TRY(get_number(from, object, "first_feature_entry", INT64_MAX,
                       &to->first_feature_entry));
    OPN_TRY(get_number(from, object, "feature_entries",
                       manifest->n_feature_entries - feature, &to->n_feature_entries));
    OPN_FAIL_IF(from->ctx,
                to->first_row != row || to->first_entry != entry ||
                        to->first_feature_entry != feature,
                OPN_ERR_FORMAT, "%s: a block does not begin where the one before ends",
                from->path);
    OPN_TRY(get_hash(from, object, "sha256", to->sha256));
cleanup:
    return status;
}

static opn_status
get_flag(const source *from, const json_t *object, const char *key, bool *to)
{
    opn_status status = OPN_OK;
    const json_t *value = json_object_get(object, key);
    OPN_FAIL_IF(from->ctx, !json_is_boolean(value), OPN_ERR_FORMAT,
                "%s: \"%s\" is neither true nor false", from->path, key);
    *to = json_is_true(value);
cleanup:
    return status;
}

// How features are normalised where nobody says so.
static opn_status
get_suits(const source *from, const json_t *object, opn_i_shard_manifest *to)
{
    opn_status status = OPN_OK;
    const char *text = json_string_value(json_object_get(object, "normalise"));
    OPN_FAIL_IF(
            from->ctx,
            text == NULL || (strcmp(text, "l2") != 0 && strcmp(text, "standard") != 0),
            OPN_ERR_FORMAT, "%s: \"normalise\" is neither l2 nor standard", from->path);
    snprintf(to->suits, sizeof(to->suits), "%s", text);
cleanup:
    return status;
}

static opn_status
get_manifest(const source *from, const json_t *document, opn_i_shard_manifest *to)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = from->ctx;
    const char *format = json_string_value(json_object_get(document, "format"));
    const json_t *blocks = json_object_get(document, "blocks");
    const size_t n_blocks = json_array_size(blocks);
    OPN_FAIL_IF(ctx, format == NULL || strcmp(format, format_text) != 0, OPN_ERR_FORMAT,
                "%s: not the manifest of shards, or of another version of opine",
                from->path);
    OPN_FAIL_IF(ctx,
                n_blocks < 1 || n_blocks > OPN_MAX_BLOCKS || n_blocks & (n_blocks - 1),
                OPN_ERR_FORMAT, "%s: %zu blocks, which must be a power of two up to %d",
                from->path, n_blocks, OPN_MAX_BLOCKS);
    OPN_TRY(get_small(from, document, "nodes", INT32_MAX - 1, &to->n_nodes));
    OPN_TRY(get_number(from, document, "entries", INT64_MAX / 16, &to->n_entries));
    OPN_TRY(get_small(from, document, "features", INT32_MAX - 1, &to->n_features));
    OPN_TRY(get_number(from, document, "feature_entries", INT64_MAX / 16,
                       &to->n_feature_entries));
    OPN_TRY(get_small(from, document, "classes", INT32_MAX - 1, &to->n_classes));
    OPN_TRY(get_hash(from, document, "hash", to->hash));
    OPN_TRY(get_flag(from, document, "isolated", &to->has_isolated));
    OPN_TRY(get_flag(from, document, "negative", &to->has_negative));
    OPN_TRY(get_suits(from, document, to));
    OPN_TRY(get_hash(from, document, "nodes_sha256", to->nodes_sha256));
    to->n_blocks = (int32_t)n_blocks;
    OPN_TRY_NEW(ctx, to->block, n_blocks);
    for (size_t b = 0; b < n_blocks; b++)
        OPN_TRY(get_block(from, json_array_get(blocks, b), to,
                          b == 0 ? NULL : &to->block[b - 1], &to->block[b]));
    const opn_i_shard_block *last = &to->block[n_blocks - 1];
    OPN_FAIL_IF(ctx,
                to->n_nodes < 1 || last->first_row + last->n_rows != to->n_nodes ||
                        last->first_entry + last->n_entries != to->n_entries ||
                        last->first_feature_entry + last->n_feature_entries !=
                                to->n_feature_entries,
                OPN_ERR_FORMAT, "%s: the blocks do not add up to the graph", from->path);
cleanup:
    return status;
}

opn_status
opn_i_shard_manifest_load(opn_ctx *ctx, const char *folder, opn_i_shard_manifest *out)
{
    opn_status status = OPN_OK;
    opn_i_shard_manifest manifest = {0};
    opn_i_bytes bytes = {0};
    json_t *document = NULL;
    json_error_t error;
    char *path = NULL;
    OPN_TRY(opn_i_join_path(ctx, folder, OPN_SHARD_MANIFEST, "", &path));
    OPN_TRY(opn_i_regular_file_read(ctx, path, &bytes));
    document =
            json_loadb((const char *)bytes.data, bytes.n, JSON_REJECT_DUPLICATES, &error);
    OPN_FAIL_IF(ctx, document == NULL, OPN_ERR_FORMAT, "%s:%d: %s", path, error.line,
                error.text);
    const source from = {ctx, path};
    OPN_TRY(get_manifest(&from, document, &manifest));
    *out = manifest;
    manifest = (opn_i_shard_manifest){0};
cleanup:
    json_decref(document);
    opn_i_bytes_release(ctx, &bytes);
    opn_i_release(&ctx->alloc, path);
    opn_i_shard_manifest_deinit(&ctx->alloc, &manifest);
    return status;
}
