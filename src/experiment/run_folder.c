// run_folder.c -- saves results to a folder as they arrive: cells, models, manifest.

#include "experiment/run_folder.h"

#include "experiment/cell_json.h"
#include "experiment/journal.h"
#include "io/bytes.h"
#include "io/json_write.h"
#include "io/path.h"

#include <unistd.h>

struct opn_i_run_folder {
    opn_alloc alloc;
    char *path;
    char *made_models; // to be removed if it is empty; NULL if it was there before
    char *shards;      // the folder of their results
    opn_i_shard *shard;
    opn_i_journal *cells;
};

const char opn_i_cells_file[] = "cells.jsonl";
const char opn_i_cells_shards[] = "cells.d";

static bool cell_to_json(const void *record, json_t *object)
{
    return opn_i_cell_to_json(record, object);
}

static bool cell_from_json(const json_t *object, void *record)
{
    return opn_i_cell_from_json(object, record);
}

static const opn_i_journal_kind cells = {.file = opn_i_cells_file,
                                         .shards = opn_i_cells_shards,
                                         .what = "result of an evaluation",
                                         .n_bytes = sizeof(opn_cell),
                                         .to_json = cell_to_json,
                                         .from_json = cell_from_json};

void opn_i_run_folder_close(opn_i_run_folder *folder)
{
    if (folder == NULL)
        return;
    const opn_alloc alloc = folder->alloc;
    // A shard that trains now will want it.
    if (folder->made_models != NULL && !opn_i_folder_exists(folder->shards))
        (void)rmdir(folder->made_models); // only if it is empty
    opn_i_journal_close(folder->cells);
    opn_i_release(&alloc, folder->made_models);
    opn_i_release(&alloc, folder->shards);
    opn_i_release(&alloc, folder->path);
    opn_i_release(&alloc, folder);
}

const char *opn_i_run_folder_path(const opn_i_run_folder *folder)
{
    return folder->path;
}

opn_i_shard *opn_i_run_folder_shard(const opn_i_run_folder *folder)
{
    return folder->shard;
}

opn_status opn_i_run_folder_open(opn_ctx *ctx,
                                 const char *path,
                                 opn_i_shard *shard,
                                 opn_i_run_folder **out)
{
    opn_status status = OPN_OK;
    opn_i_run_folder *folder = NULL;
    char *models = NULL;
    OPN_TRY_NEW(ctx, folder, 1);
    folder->alloc = ctx->alloc;
    folder->shard = shard;
    OPN_TRY(opn_i_join_path(ctx, NULL, path, "", &folder->path));
    OPN_TRY(opn_i_join_path(ctx, path, opn_i_cells_shards, "", &folder->shards));
    OPN_TRY(opn_i_journal_open(ctx, path, &cells, shard, &folder->cells));
    OPN_TRY(opn_i_join_path(ctx, path, "models", "", &models));
    const bool is_new = !opn_i_folder_exists(models);
    OPN_TRY(opn_i_make_folder(ctx, models));
    if (is_new && shard == NULL) {
        folder->made_models = models;
        models = NULL;
    }
    *out = folder;
    folder = NULL;
cleanup:
    opn_i_release(&ctx->alloc, models);
    opn_i_run_folder_close(folder);
    return status;
}

opn_status opn_i_run_folder_refresh(opn_ctx *ctx, opn_i_run_folder *folder)
{
    return opn_i_journal_refresh(ctx, folder->cells);
}

bool opn_i_run_folder_find(opn_i_run_folder *folder, const char *key, opn_cell *out)
{
    return opn_i_journal_find(folder->cells, key, out);
}

opn_status opn_i_run_folder_add(opn_ctx *ctx,
                                opn_i_run_folder *folder,
                                const char *key,
                                json_t *about,
                                const opn_cell *cell)
{
    return opn_i_journal_add(ctx, folder->cells, key, about, cell);
}

opn_status opn_i_run_folder_make_models(opn_ctx *ctx, const char *folder)
{
    opn_status status = OPN_OK;
    char *models = NULL;
    OPN_TRY(opn_i_join_path(ctx, folder, "models", "", &models));
    OPN_TRY(opn_i_make_folder(ctx, models));
cleanup:
    opn_i_release(&ctx->alloc, models);
    return status;
}

opn_status
opn_i_run_folder_model(opn_ctx *ctx, const char *folder, const char *name, char **out)
{
    opn_status status = OPN_OK;
    char *models = NULL;
    OPN_TRY(opn_i_join_path(ctx, folder, "models", "", &models));
    OPN_TRY(opn_i_join_path(ctx, models, name, ".safetensors", out));
cleanup:
    opn_i_release(&ctx->alloc, models);
    return status;
}

// ---- manifest ------------------------------------------------------------------------

static opn_status read_manifest(opn_ctx *ctx, const char *path, json_t **out)
{
    opn_status status = OPN_OK;
    opn_i_bytes bytes = {0};
    json_error_t error;
    if (!opn_i_file_exists(path)) {
        *out = json_array();
        goto cleanup;
    }
    OPN_TRY(opn_i_regular_file_read(ctx, path, &bytes));
    *out = json_loadb((const char *)bytes.data, bytes.n, 0, &error);
    OPN_FAIL_IF(ctx, !json_is_array(*out), OPN_ERR_FORMAT,
                "%s: is not a manifest; move it away and a new one will be "
                "written",
                path);
cleanup:
    opn_i_bytes_release(ctx, &bytes);
    return status;
}

static void put_entry(json_t *manifest, json_t *entry)
{
    const json_t *id = json_object_get(entry, "id");
    for (size_t i = 0; i < json_array_size(manifest); i++) {
        if (json_equal(json_object_get(json_array_get(manifest, i), "id"), id)) {
            json_array_set(manifest, i, entry);
            return;
        }
    }
    json_array_append(manifest, entry);
}

opn_status
opn_i_run_folder_note(opn_ctx *ctx, const opn_i_run_folder *folder, json_t *entry)
{
    opn_status status = OPN_OK;
    json_t *manifest = NULL;
    char *path = NULL;
    OPN_TRY(opn_i_join_path(ctx, folder->path, "manifest.json", "", &path));
    OPN_TRY(read_manifest(ctx, path, &manifest));
    put_entry(manifest, entry);
    status = opn_i_json_save(ctx, path, manifest, 17);
    manifest = NULL;
cleanup:
    json_decref(manifest);
    json_decref(entry);
    opn_i_release(&ctx->alloc, path);
    return status;
}
