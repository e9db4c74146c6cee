// journal.c -- saves results to a folder as they arrive, one JSON object per line.

#include "experiment/journal.h"

#include "experiment/line_file.h"
#include "io/json_write.h"
#include "io/path.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct opn_i_journal {
    opn_alloc alloc;
    const opn_i_journal_kind *kind;
    char *folder;
    char *made_folder; // to be removed if it is empty; NULL if it was there before
    pthread_mutex_t lock;
    opn_i_names keys;
    unsigned char *record;  // [keys.n, kind->n_bytes]
    size_t room;            // bytes
    unsigned char *scratch; // one record

    opn_i_shard *shard;      // or NULL
    opn_i_append_file whole; // of an undivided run
    opn_i_replace_file own;  // of a shard
    opn_i_names own_keys;    // of the lines of `own`

    opn_i_names shards;      // paths of the files of shards that were read
    opn_i_file_stamp *stamp; // [shards.n] when they were
    size_t stamp_room;
};

void opn_i_journal_close(opn_i_journal *journal)
{
    if (journal == NULL)
        return;
    const opn_alloc alloc = journal->alloc;
    opn_i_append_file_close(&alloc, &journal->whole);
    if (journal->made_folder != NULL)
        (void)rmdir(journal->made_folder); // only if it is empty
    opn_i_replace_file_deinit(&alloc, &journal->own);
    (void)pthread_mutex_destroy(&journal->lock);
    opn_i_names_deinit(&alloc, &journal->keys);
    opn_i_names_deinit(&alloc, &journal->own_keys);
    opn_i_names_deinit(&alloc, &journal->shards);
    opn_i_release(&alloc, journal->stamp);
    opn_i_release(&alloc, journal->made_folder);
    opn_i_release(&alloc, journal->record);
    opn_i_release(&alloc, journal->scratch);
    opn_i_release(&alloc, journal->folder);
    opn_i_release(&alloc, journal);
}

// ---- reading -------------------------------------------------------------------------

static opn_status
remember(opn_ctx *ctx, opn_i_journal *journal, const char *key, const void *record)
{
    opn_status status = OPN_OK;
    const size_t n_bytes = journal->kind->n_bytes;
    int32_t at = -1;
    OPN_TRY(opn_i_names_intern(ctx, &journal->keys, key, strlen(key), &at));
    OPN_TRY_RESERVE(ctx, journal->record, journal->room, (size_t)at * n_bytes,
                    ((size_t)at + 1) * n_bytes);
    memcpy(journal->record + (size_t)at * n_bytes, record, n_bytes);
cleanup:
    return status;
}

// Takes a line with its end into the text of the own file, unless its key is there.
static opn_status keep_own(
        opn_ctx *ctx, opn_i_journal *journal, const char *key, const char *line, size_t n)
{
    opn_status status = OPN_OK;
    int32_t at = -1;
    if (opn_i_names_find(&journal->own_keys, key, strlen(key)) >= 0)
        return OPN_OK;
    OPN_TRY(opn_i_replace_file_put(ctx, &journal->own, line, n));
    OPN_TRY(opn_i_names_intern(ctx, &journal->own_keys, key, strlen(key), &at));
cleanup:
    return status;
}

// Where a line stands.
typedef struct line_place {
    const char *path;
    int64_t number;
    bool is_own; // in the file that this shard writes
} line_place;

// Reads a line of n characters with its end.
static opn_status read_line(opn_ctx *ctx,
                            opn_i_journal *journal,
                            const line_place *at,
                            const char *line,
                            size_t n)
{
    opn_status status = OPN_OK;
    json_error_t error;
    json_t *object = json_loadb(line, n - 1, JSON_REJECT_DUPLICATES, &error);
    const char *key = json_string_value(json_object_get(object, "key"));
    OPN_FAIL_IF(ctx, key == NULL || !journal->kind->from_json(object, journal->scratch),
                OPN_ERR_FORMAT, "%s:%lld: is not a %s", at->path, (long long)at->number,
                journal->kind->what);
    OPN_TRY(remember(ctx, journal, key, journal->scratch));
    if (at->is_own)
        OPN_TRY(keep_own(ctx, journal, key, line, n));
cleanup:
    json_decref(object);
    return status;
}

// Reads all lines that have an end; *n_whole is how many bytes they are.
static opn_status read_lines(opn_ctx *ctx,
                             opn_i_journal *journal,
                             const char *path,
                             const opn_i_bytes *bytes,
                             size_t *n_whole)
{
    opn_status status = OPN_OK;
    const char *text = (const char *)bytes->data;
    line_place at = {.path = path,
                     .number = 1,
                     .is_own = journal->shard != NULL &&
                               strcmp(path, journal->own.path) == 0};
    size_t from = 0;
    for (const char *end = memchr(text, '\n', bytes->n); end != NULL;
         end = memchr(text + from, '\n', bytes->n - from)) {
        const size_t n_line = (size_t)(end - text) + 1 - from;
        OPN_TRY(read_line(ctx, journal, &at, text + from, n_line));
        from += n_line;
        at.number++;
    }
    *n_whole = from;
cleanup:
    return status;
}

// Reads a file that another process writes, without changing it. One that is not there,
// or is removed at this moment, has no lines; the rest of a line without an end is for
// its writer to do anew.
static opn_status read_other(opn_ctx *ctx, opn_i_journal *journal, const char *path)
{
    opn_status status = OPN_OK;
    opn_i_bytes bytes = {0};
    size_t n_whole = 0;
    if (!opn_i_file_exists(path))
        return OPN_OK;
    status = opn_i_regular_file_read(ctx, path, &bytes);
    if (status == OPN_ERR_READ && !opn_i_file_exists(path))
        return OPN_OK;
    OPN_TRY(status);
    OPN_TRY(read_lines(ctx, journal, path, &bytes, &n_whole));
cleanup:
    opn_i_bytes_release(ctx, &bytes);
    return status;
}

// The stamp of the file of a shard when it was read; all 0 before.
static opn_status
stamp_of(opn_ctx *ctx, opn_i_journal *journal, const char *path, opn_i_file_stamp **out)
{
    opn_status status = OPN_OK;
    int32_t at = opn_i_names_find(&journal->shards, path, strlen(path));
    if (at < 0) {
        const size_t n = (size_t)journal->shards.n;
        OPN_TRY_RESERVE(ctx, journal->stamp, journal->stamp_room, n, n + 1);
        OPN_TRY(opn_i_names_intern(ctx, &journal->shards, path, strlen(path), &at));
        journal->stamp[at] = (opn_i_file_stamp){0};
    }
    *out = &journal->stamp[at];
cleanup:
    return status;
}

// Reads the file of a shard, unless it is as it was.
static opn_status read_shard(opn_ctx *ctx, opn_i_journal *journal, const char *path)
{
    opn_status status = OPN_OK;
    const opn_i_file_stamp now = opn_i_file_stamp_of(path); // before it is read
    opn_i_file_stamp *before = NULL;
    OPN_TRY(stamp_of(ctx, journal, path, &before));
    if (opn_i_file_stamp_is_same(&now, before))
        goto cleanup;
    OPN_TRY(read_other(ctx, journal, path));
    *before = now;
cleanup:
    return status;
}

static opn_status read_shards(opn_ctx *ctx, opn_i_journal *journal)
{
    opn_status status = OPN_OK;
    opn_i_names paths = {0};
    OPN_TRY(opn_i_shard_list(ctx, journal->folder, journal->kind->shards, &paths));
    for (int64_t i = 0; i < paths.n; i++)
        OPN_TRY(read_shard(ctx, journal, opn_i_names_at(&paths, i)));
cleanup:
    opn_i_names_deinit(&ctx->alloc, &paths);
    return status;
}

opn_status opn_i_journal_refresh(opn_ctx *ctx, opn_i_journal *journal)
{
    (void)pthread_mutex_lock(&journal->lock);
    const opn_status status = read_shards(ctx, journal);
    (void)pthread_mutex_unlock(&journal->lock);
    return status;
}

// Reads the file of undivided runs, for a shard.
static opn_status read_whole(opn_ctx *ctx, opn_i_journal *journal)
{
    opn_status status = OPN_OK;
    char *path = NULL;
    OPN_TRY(opn_i_join_path(ctx, journal->folder, journal->kind->file, "", &path));
    OPN_TRY(read_other(ctx, journal, path));
cleanup:
    opn_i_release(&ctx->alloc, path);
    return status;
}

// ---- opening -------------------------------------------------------------------------

opn_status opn_i_make_folder(opn_ctx *ctx, const char *path)
{
    opn_status status = OPN_OK;
    if (opn_i_folder_exists(path)) // even if it could not be created now
        return OPN_OK;
    OPN_FAIL_IF(ctx, mkdir(path, 0777) != 0 && errno != EEXIST, OPN_ERR_WRITE,
                "%s: cannot be created: %s", path, strerror(errno));
    // Another process may have removed an empty one at this moment.
    OPN_FAIL_IF(ctx, !opn_i_folder_exists(path) && opn_i_path_is_taken(path),
                OPN_ERR_WRITE, "%s: is not a folder", path);
cleanup:
    return status;
}

static opn_status open_undivided(opn_ctx *ctx, opn_i_journal *journal)
{
    opn_status status = OPN_OK;
    opn_i_bytes bytes = {0};
    char *path = NULL;
    size_t n_whole = 0;
    if (!opn_i_folder_exists(journal->folder)) {
        OPN_TRY(opn_i_make_folder(ctx, journal->folder));
        OPN_TRY(opn_i_join_path(ctx, NULL, journal->folder, "", &journal->made_folder));
    }
    OPN_TRY(opn_i_join_path(ctx, journal->folder, journal->kind->file, "", &path));
    OPN_TRY(opn_i_append_file_open(ctx, path, &journal->whole));
    OPN_TRY(opn_i_append_file_read(ctx, &journal->whole, &bytes));
    OPN_TRY(read_lines(ctx, journal, path, &bytes, &n_whole));
    if (n_whole < bytes.n)
        OPN_TRY(opn_i_append_file_cut(ctx, &journal->whole, n_whole));
    OPN_TRY(read_shards(ctx, journal));
cleanup:
    opn_i_bytes_release(ctx, &bytes);
    opn_i_release(&ctx->alloc, path);
    return status;
}

// Makes the folder of shards and the one around it. An undivided run that ends at this
// moment may remove the latter while it is empty, which can take the system a while.
static opn_status make_shards(opn_ctx *ctx, const opn_i_journal *journal)
{
    enum { MAX_TRIES = 1000 };
    static const struct timespec pause = {.tv_nsec = 1000000};
    opn_status status = OPN_OK;
    char *shards = NULL;
    bool is_lost = true;
    OPN_TRY(opn_i_join_path(ctx, journal->folder, journal->kind->shards, "", &shards));
    for (int t = 0; t < MAX_TRIES && is_lost; t++) {
        OPN_TRY(opn_i_make_folder(ctx, journal->folder));
        is_lost = mkdir(shards, 0777) != 0 && errno == ENOENT;
        if (is_lost)
            (void)nanosleep(&pause, NULL);
    }
    OPN_TRY(opn_i_make_folder(ctx, shards));
cleanup:
    opn_i_release(&ctx->alloc, shards);
    return status;
}

static opn_status open_shard(opn_ctx *ctx, opn_i_journal *journal)
{
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_shard_path(ctx, journal->folder, journal->kind->shards, journal->shard,
                             &journal->own.path));
    OPN_TRY(make_shards(ctx, journal));
    OPN_TRY(read_whole(ctx, journal));
    OPN_TRY(read_shards(ctx, journal));
cleanup:
    return status;
}

opn_status opn_i_journal_open(opn_ctx *ctx,
                              const char *folder,
                              const opn_i_journal_kind *kind,
                              opn_i_shard *shard,
                              opn_i_journal **out)
{
    opn_status status = OPN_OK;
    opn_i_journal *journal = NULL;
    OPN_TRY_NEW(ctx, journal, 1);
    journal->alloc = ctx->alloc;
    journal->kind = kind;
    journal->shard = shard;
    journal->whole.file = -1;
    (void)pthread_mutex_init(&journal->lock, NULL);
    OPN_TRY_NEW(ctx, journal->scratch, kind->n_bytes);
    OPN_TRY(opn_i_join_path(ctx, NULL, folder, "", &journal->folder));
    OPN_TRY(shard != NULL ? open_shard(ctx, journal) : open_undivided(ctx, journal));
    *out = journal;
    journal = NULL;
cleanup:
    opn_i_journal_close(journal);
    return status;
}

// ---- records -------------------------------------------------------------------------

bool opn_i_journal_find(opn_i_journal *journal, const char *key, void *record)
{
    const size_t n_bytes = journal->kind->n_bytes;
    (void)pthread_mutex_lock(&journal->lock);
    const int32_t at = opn_i_names_find(&journal->keys, key, strlen(key));
    if (at >= 0)
        memcpy(record, journal->record + (size_t)at * n_bytes, n_bytes);
    (void)pthread_mutex_unlock(&journal->lock);
    return at >= 0;
}

// Writes the own file anew with one more line. Another process may do the same shard by
// mistake: what it has written since is kept, save in the moment between the two steps,
// which costs a result and never a file.
static opn_status replace_own(
        opn_ctx *ctx, opn_i_journal *journal, const char *key, const char *line, size_t n)
{
    opn_status status = OPN_OK;
    opn_i_file_stamp *stamp = NULL;
    OPN_TRY(read_shard(ctx, journal, journal->own.path));
    OPN_TRY(keep_own(ctx, journal, key, line, n));
    OPN_TRY(opn_i_replace_file_write(ctx, &journal->own));
    OPN_TRY(stamp_of(ctx, journal, journal->own.path, &stamp));
    *stamp = opn_i_file_stamp_of(journal->own.path);
cleanup:
    return status;
}

opn_status opn_i_journal_add(opn_ctx *ctx,
                             opn_i_journal *journal,
                             const char *key,
                             json_t *about,
                             const void *record)
{
    opn_status status = OPN_OK;
    char *line = NULL;
    if (json_object_set_new(about, "key", opn_i_json_string(key)) == 0 &&
        journal->kind->to_json(record, about))
        line = opn_i_json_text(about, JSON_COMPACT | JSON_REAL_PRECISION(17));
    (void)pthread_mutex_lock(&journal->lock);
    OPN_FAIL_IF(ctx, line == NULL, OPN_ERR_NOMEM, "out of memory for a result");
    OPN_TRY(remember(ctx, journal, key, record));
    const size_t n = strlen(line) + 1;
    line[n - 1] = '\n'; // replaces the NUL
    if (journal->shard != NULL)
        OPN_TRY(replace_own(ctx, journal, key, line, n));
    else
        OPN_TRY(opn_i_append_file_add(ctx, &journal->whole, line, n));
    if (journal->shard != NULL)
        journal->shard->n_results++;
cleanup:
    (void)pthread_mutex_unlock(&journal->lock);
    free(line);
    json_decref(about);
    return status;
}
