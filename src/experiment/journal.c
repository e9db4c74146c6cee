// journal.c -- saves results to a file as they arrive, one JSON object per line.

#include "experiment/journal.h"

#include "base/names.h"
#include "io/bytes.h"
#include "io/path.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct opn_i_journal {
    opn_alloc alloc;
    const opn_i_journal_kind *kind;
    char *path;
    int file;          // locked
    char *made_folder; // NULL if it was there before
    bool is_made;      // the file, by this run
    pthread_mutex_t lock;
    opn_i_names keys;
    unsigned char *record;  // [keys.n, kind->n_bytes]
    size_t room;            // bytes
    unsigned char *scratch; // one record
};

void opn_i_journal_close(opn_i_journal *journal)
{
    if (journal == NULL)
        return;
    const opn_alloc alloc = journal->alloc;
    struct stat about;
    if (journal->is_made && fstat(journal->file, &about) == 0 && about.st_size == 0)
        (void)unlink(journal->path); // before the lock is released
    if (journal->file >= 0)
        (void)close(journal->file);
    if (journal->made_folder != NULL)
        (void)rmdir(journal->made_folder); // only if it is empty
    opn_i_release(&alloc, journal->made_folder);
    (void)pthread_mutex_destroy(&journal->lock);
    opn_i_names_deinit(&alloc, &journal->keys);
    opn_i_release(&alloc, journal->record);
    opn_i_release(&alloc, journal->scratch);
    opn_i_release(&alloc, journal->path);
    opn_i_release(&alloc, journal);
}

// ---- opening -------------------------------------------------------------------------

opn_status opn_i_make_folder(opn_ctx *ctx, const char *path)
{
    opn_status status = OPN_OK;
    if (opn_i_folder_exists(path)) // even if it could not be created now
        return OPN_OK;
    OPN_FAIL_IF(ctx, mkdir(path, 0777) != 0 && errno != EEXIST, OPN_ERR_WRITE,
                "%s: cannot be created: %s", path, strerror(errno));
    OPN_FAIL_IF(ctx, !opn_i_folder_exists(path), OPN_ERR_WRITE,
                "%s: is not a "
                "folder",
                path);
cleanup:
    return status;
}

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

static opn_status read_line(opn_ctx *ctx,
                            opn_i_journal *journal,
                            const char *line,
                            size_t n_chars,
                            int64_t number)
{
    opn_status status = OPN_OK;
    json_error_t error;
    json_t *object = json_loadb(line, n_chars, JSON_REJECT_DUPLICATES, &error);
    const char *key = json_string_value(json_object_get(object, "key"));
    OPN_FAIL_IF(ctx, key == NULL || !journal->kind->from_json(object, journal->scratch),
                OPN_ERR_FORMAT, "%s:%lld: is not a %s", journal->path, (long long)number,
                journal->kind->what);
    OPN_TRY(remember(ctx, journal, key, journal->scratch));
cleanup:
    json_decref(object);
    return status;
}

// Reads the existing lines and removes an unterminated last one.
static opn_status read_lines(opn_ctx *ctx, opn_i_journal *journal)
{
    opn_status status = OPN_OK;
    const char *path = journal->path;
    struct stat about;
    char *text = NULL;
    size_t n = 0;
    size_t from = 0;
    int64_t number = 1;
    OPN_FAIL_IF(ctx, fstat(journal->file, &about) != 0 || !S_ISREG(about.st_mode),
                OPN_ERR_READ, "%s: is not a regular file", path);
    OPN_TRY_NEW(ctx, text, (size_t)about.st_size + 1);
    while (n < (size_t)about.st_size) {
        const ssize_t n_read =
                pread(journal->file, text + n, (size_t)about.st_size - n, (off_t)n);
        OPN_FAIL_IF(ctx, n_read == 0 || (n_read < 0 && errno != EINTR), OPN_ERR_READ,
                    "%s: cannot be read to its end", path);
        n += n_read > 0 ? (size_t)n_read : 0;
    }
    for (const char *end = memchr(text, '\n', n); end != NULL;
         end = memchr(text + from, '\n', n - from)) {
        const size_t n_line = (size_t)(end - text) - from;
        OPN_TRY(read_line(ctx, journal, text + from, n_line, number++));
        from += n_line + 1;
    }
    OPN_FAIL_IF(ctx, from < n && ftruncate(journal->file, (off_t)from) != 0,
                OPN_ERR_WRITE, "%s: cannot be written: %s", path, strerror(errno));
cleanup:
    opn_i_release(&ctx->alloc, text);
    return status;
}

static opn_status open_file(opn_ctx *ctx, opn_i_journal *journal)
{
    opn_status status = OPN_OK;
    const char *path = journal->path;
    const bool is_new = !opn_i_file_exists(path);
    struct stat about;
    journal->file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    OPN_FAIL_IF(ctx, journal->file < 0, OPN_ERR_WRITE, "%s: cannot be opened: %s", path,
                strerror(errno));
    // A run that kept nothing removes the file when it ends.
    OPN_FAIL_IF(ctx,
                flock(journal->file, LOCK_EX | LOCK_NB) != 0 ||
                        fstat(journal->file, &about) != 0 || about.st_nlink == 0,
                OPN_ERR_WRITE, "%s: another run is writing to it", path);
    journal->is_made = is_new;
cleanup:
    return status;
}

static opn_status open_folder(opn_ctx *ctx, const char *path, opn_i_journal *journal)
{
    opn_status status = OPN_OK;
    if (opn_i_folder_exists(path))
        return OPN_OK;
    OPN_TRY(opn_i_make_folder(ctx, path));
    OPN_TRY(opn_i_join_path(ctx, NULL, path, "", &journal->made_folder));
cleanup:
    return status;
}

opn_status opn_i_journal_open(opn_ctx *ctx,
                              const char *folder,
                              const opn_i_journal_kind *kind,
                              opn_i_journal **out)
{
    opn_status status = OPN_OK;
    opn_i_journal *journal = NULL;
    OPN_TRY_NEW(ctx, journal, 1);
    journal->alloc = ctx->alloc;
    journal->kind = kind;
    journal->file = -1;
    (void)pthread_mutex_init(&journal->lock, NULL);
    OPN_TRY_NEW(ctx, journal->scratch, kind->n_bytes);
    OPN_TRY(opn_i_join_path(ctx, folder, kind->file, "", &journal->path));
    OPN_TRY(open_folder(ctx, folder, journal));
    OPN_TRY(open_file(ctx, journal));
    OPN_TRY(read_lines(ctx, journal));
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

// Writes the whole line or nothing; a crash can only leave an unterminated line.
static opn_status append(opn_ctx *ctx, opn_i_journal *journal, char *line)
{
    opn_status status = OPN_OK;
    const size_t n = strlen(line);
    const off_t end = lseek(journal->file, 0, SEEK_END);
    size_t n_put = 0;
    line[n] = '\n'; // replaces the NUL
    while (n_put < n + 1) {
        const ssize_t put = write(journal->file, line + n_put, n + 1 - n_put);
        OPN_FAIL_IF(ctx, put < 0 && errno != EINTR, OPN_ERR_WRITE,
                    "%s: cannot be written: %s", journal->path, strerror(errno));
        n_put += put > 0 ? (size_t)put : 0;
    }
    OPN_FAIL_IF(ctx, fdatasync(journal->file) != 0, OPN_ERR_WRITE,
                "%s: cannot be written: %s", journal->path, strerror(errno));
cleanup:
    if (status != OPN_OK && end >= 0)
        (void)!ftruncate(journal->file, end);
    return status;
}

// An object as a line, to be freed; NULL if out of memory, including inside a string,
// which jansson does not report.
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

opn_status opn_i_journal_add(opn_ctx *ctx,
                             opn_i_journal *journal,
                             const char *key,
                             json_t *about,
                             const void *record)
{
    opn_status status = OPN_OK;
    char *line = NULL;
    if (json_object_set_new(about, "key", json_string(key)) == 0 &&
        journal->kind->to_json(record, about))
        line = line_of(about);
    (void)pthread_mutex_lock(&journal->lock);
    OPN_FAIL_IF(ctx, line == NULL, OPN_ERR_NOMEM, "out of memory for a result");
    OPN_TRY(remember(ctx, journal, key, record));
    OPN_TRY(append(ctx, journal, line));
cleanup:
    (void)pthread_mutex_unlock(&journal->lock);
    free(line);
    json_decref(about);
    return status;
}
