// run_folder.c -- results kept in a folder as they come: cells, trained models, manifest.

#include "pipeline/run_folder.h"

#include "base/names.h"
#include "io/bytes.h"
#include "io/json_write.h"
#include "io/path.h"
#include "pipeline/cell_json.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct opn_i_run_folder {
    opn_alloc alloc;
    char *path;
    int file; // cells.jsonl, locked
    pthread_mutex_t lock;
    opn_i_names keys;
    opn_cell *cell; // [keys.n]
    size_t room;
};

void opn_i_run_folder_close(opn_i_run_folder *folder)
{
    if (folder == NULL)
        return;
    const opn_alloc alloc = folder->alloc;
    if (folder->file >= 0)
        (void)close(folder->file);
    (void)pthread_mutex_destroy(&folder->lock);
    opn_i_names_deinit(&alloc, &folder->keys);
    opn_i_release(&alloc, folder->cell);
    opn_i_release(&alloc, folder->path);
    opn_i_release(&alloc, folder);
}

const char *opn_i_run_folder_path(const opn_i_run_folder *folder)
{
    return folder->path;
}

// ---- opening -------------------------------------------------------------------------

static opn_status make_folder(opn_ctx *ctx, const char *path)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, mkdir(path, 0777) != 0 && errno != EEXIST, OPN_ERR_WRITE,
                "%s: cannot be made: %s", path, strerror(errno));
    OPN_FAIL_IF(ctx, !opn_i_folder_exists(path), OPN_ERR_WRITE, "%s: is no folder", path);
cleanup:
    return status;
}

static opn_status
remember(opn_ctx *ctx, opn_i_run_folder *folder, const char *key, const opn_cell *cell)
{
    opn_status status = OPN_OK;
    int32_t at = -1;
    OPN_TRY(opn_i_names_intern(ctx, &folder->keys, key, strlen(key), &at));
    OPN_TRY_RESERVE(ctx, folder->cell, folder->room, (size_t)at, (size_t)at + 1);
    folder->cell[at] = *cell;
cleanup:
    return status;
}

static opn_status read_line(opn_ctx *ctx,
                            opn_i_run_folder *folder,
                            const char *path,
                            const char *line,
                            size_t n_chars,
                            int64_t number)
{
    opn_status status = OPN_OK;
    json_error_t error;
    opn_cell cell;
    json_t *object = json_loadb(line, n_chars, JSON_REJECT_DUPLICATES, &error);
    const char *key = json_string_value(json_object_get(object, "key"));
    OPN_FAIL_IF(ctx, key == NULL || !opn_i_cell_from_json(object, &cell), OPN_ERR_FORMAT,
                "%s:%lld: is no result of an evaluation", path, (long long)number);
    OPN_TRY(remember(ctx, folder, key, &cell));
cleanup:
    json_decref(object);
    return status;
}

// Reads what is there, and takes away a last line without an end.
static opn_status read_cells(opn_ctx *ctx, opn_i_run_folder *folder, const char *path)
{
    opn_status status = OPN_OK;
    struct stat about;
    char *text = NULL;
    size_t n = 0;
    size_t from = 0;
    int64_t number = 1;
    OPN_FAIL_IF(ctx, fstat(folder->file, &about) != 0 || !S_ISREG(about.st_mode),
                OPN_ERR_READ, "%s: is no regular file", path);
    OPN_TRY_NEW(ctx, text, (size_t)about.st_size + 1);
    while (n < (size_t)about.st_size) {
        const ssize_t n_read =
                pread(folder->file, text + n, (size_t)about.st_size - n, (off_t)n);
        OPN_FAIL_IF(ctx, n_read == 0 || (n_read < 0 && errno != EINTR), OPN_ERR_READ,
                    "%s: cannot be read to its end", path);
        n += n_read > 0 ? (size_t)n_read : 0;
    }
    for (const char *end = memchr(text, '\n', n); end != NULL;
         end = memchr(text + from, '\n', n - from)) {
        const size_t n_line = (size_t)(end - text) - from;
        OPN_TRY(read_line(ctx, folder, path, text + from, n_line, number++));
        from += n_line + 1;
    }
    OPN_FAIL_IF(ctx, from < n && ftruncate(folder->file, (off_t)from) != 0, OPN_ERR_WRITE,
                "%s: cannot be written: %s", path, strerror(errno));
cleanup:
    opn_i_release(&ctx->alloc, text);
    return status;
}

static opn_status open_cells(opn_ctx *ctx, opn_i_run_folder *folder)
{
    opn_status status = OPN_OK;
    char *path = NULL;
    OPN_TRY(opn_i_join_path(ctx, folder->path, "cells.jsonl", "", &path));
    folder->file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    OPN_FAIL_IF(ctx, folder->file < 0, OPN_ERR_WRITE, "%s: cannot be opened: %s", path,
                strerror(errno));
    OPN_FAIL_IF(ctx, flock(folder->file, LOCK_EX | LOCK_NB) != 0, OPN_ERR_WRITE,
                "%s: another run is writing to it", path);
    OPN_TRY(read_cells(ctx, folder, path));
cleanup:
    opn_i_release(&ctx->alloc, path);
    return status;
}

opn_status opn_i_run_folder_open(opn_ctx *ctx, const char *path, opn_i_run_folder **out)
{
    opn_status status = OPN_OK;
    opn_i_run_folder *folder = NULL;
    char *models = NULL;
    OPN_TRY_NEW(ctx, folder, 1);
    folder->alloc = ctx->alloc;
    folder->file = -1;
    (void)pthread_mutex_init(&folder->lock, NULL);
    OPN_TRY(opn_i_join_path(ctx, NULL, path, "", &folder->path));
    OPN_TRY(make_folder(ctx, path));
    OPN_TRY(opn_i_join_path(ctx, path, "models", "", &models));
    OPN_TRY(make_folder(ctx, models));
    OPN_TRY(open_cells(ctx, folder));
    *out = folder;
    folder = NULL;
cleanup:
    opn_i_release(&ctx->alloc, models);
    opn_i_run_folder_close(folder);
    return status;
}

// ---- results -------------------------------------------------------------------------

bool opn_i_run_folder_find(opn_i_run_folder *folder, const char *key, opn_cell *out)
{
    (void)pthread_mutex_lock(&folder->lock);
    const int32_t at = opn_i_names_find(&folder->keys, key, strlen(key));
    if (at >= 0)
        *out = folder->cell[at];
    (void)pthread_mutex_unlock(&folder->lock);
    return at >= 0;
}

// The whole line or nothing of it; what a crash can leave is a line without an end.
static opn_status append(opn_ctx *ctx, opn_i_run_folder *folder, char *line)
{
    opn_status status = OPN_OK;
    const size_t n = strlen(line);
    const off_t end = lseek(folder->file, 0, SEEK_END);
    size_t n_put = 0;
    line[n] = '\n'; // in place of the NUL
    while (n_put < n + 1) {
        const ssize_t put = write(folder->file, line + n_put, n + 1 - n_put);
        OPN_FAIL_IF(ctx, put < 0 && errno != EINTR, OPN_ERR_WRITE,
                    "%s/cells.jsonl: cannot be written: %s", folder->path,
                    strerror(errno));
        n_put += put > 0 ? (size_t)put : 0;
    }
    OPN_FAIL_IF(ctx, fdatasync(folder->file) != 0, OPN_ERR_WRITE,
                "%s/cells.jsonl: cannot be written: %s", folder->path, strerror(errno));
cleanup:
    if (status != OPN_OK && end >= 0)
        (void)!ftruncate(folder->file, end);
    return status;
}

// An object as a line, to be freed, or NULL when there is no memory: also when jansson
// ran out of it within a text, which it does not tell.
static char *line_of(json_t *object)
{
    json_error_t error;
    char *line = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_t *back = line != NULL ? json_loads(line, 0, &error) : NULL;
    if (!json_equal(back, object)) {
        free(line);
        line = NULL;
    }
    json_decref(back);
    return line;
}

opn_status opn_i_run_folder_add(opn_ctx *ctx,
                                opn_i_run_folder *folder,
                                const char *key,
                                json_t *about,
                                const opn_cell *cell)
{
    opn_status status = OPN_OK;
    char *line = NULL;
    if (json_object_set_new(about, "key", json_string(key)) == 0 &&
        opn_i_cell_to_json(cell, about))
        line = line_of(about);
    (void)pthread_mutex_lock(&folder->lock);
    OPN_FAIL_IF(ctx, line == NULL, OPN_ERR_NOMEM, "out of memory for a result");
    OPN_TRY(remember(ctx, folder, key, cell));
    OPN_TRY(append(ctx, folder, line));
cleanup:
    (void)pthread_mutex_unlock(&folder->lock);
    free(line);
    json_decref(about);
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
    OPN_TRY(opn_i_file_read(ctx, path, &bytes));
    *out = json_loadb((const char *)bytes.data, bytes.n, 0, &error);
    OPN_FAIL_IF(ctx, !json_is_array(*out), OPN_ERR_FORMAT,
                "%s: is no manifest; move it away, and a new one is written", path);
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
