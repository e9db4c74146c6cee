// fetch.c -- fetching a file of known size and SHA-256 from an address or another folder.

#include "fetch/fetch.h"

#include "io/path.h"
#include "io/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 1 << 16, STAGE_ROOM = 128 };

// Reads one block, or less at the end of the file.
static opn_status
read_block(opn_ctx *ctx, const char *path, int file, unsigned char *data, size_t *n)
{
    ssize_t n_read = 0;
    do
        n_read = read(file, data, BLOCK);
    while (n_read < 0 && errno == EINTR);
    if (n_read < 0)
        return opn_i_fail(ctx, OPN_ERR_READ, "%s: cannot be read: %s", path,
                          strerror(errno));
    *n = (size_t)n_read;
    return OPN_OK;
}

// Opens a regular file for reading; *file is -1 if it does not exist.
static opn_status open_file(opn_ctx *ctx, const char *path, int *file, int64_t *n_bytes)
{
    opn_status status = OPN_OK;
    struct stat about;
    // Non-blocking, in case it is a pipe.
    int opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    OPN_FAIL_IF(ctx, opened < 0 && errno != ENOENT, OPN_ERR_READ,
                "%s: cannot be read: %s", path, strerror(errno));
    OPN_FAIL_IF(ctx,
                opened >= 0 && (fstat(opened, &about) != 0 || !S_ISREG(about.st_mode)),
                OPN_ERR_READ, "%s: is not a regular file", path);
    *n_bytes = opened >= 0 ? (int64_t)about.st_size : 0;
    *file = opened;
    opened = -1;
cleanup:
    if (opened >= 0)
        (void)close(opened);
    return status;
}

// Hash of an open file, from its start.
static opn_status hash_file(opn_ctx *ctx,
                            const opn_i_fetch_job *job,
                            const char *path,
                            int file,
                            char text[OPN_SHA256_TEXT])
{
    opn_status status = OPN_OK;
    opn_i_sha256 *hash = NULL;
    unsigned char data[BLOCK];
    char stage[STAGE_ROOM];
    int64_t n_done = 0;
    size_t n = 0;
    snprintf(stage, sizeof(stage), "checking %s", job->name);
    OPN_TRY(opn_i_sha256_start(ctx, &hash));
    OPN_FAIL_IF(ctx, lseek(file, 0, SEEK_SET) != 0, OPN_ERR_READ,
                "%s: cannot be read: %s", path, strerror(errno));
    do {
        OPN_TRY(read_block(ctx, path, file, data, &n));
        opn_i_sha256_add(hash, data, n);
        n_done += (int64_t)n;
        OPN_TRY(opn_i_progress(ctx, stage, n_done, job->n_bytes, "bytes"));
    } while (n > 0);
    opn_i_sha256 *finished = hash;
    hash = NULL;
    OPN_TRY(opn_i_sha256_finish(finished, text));
cleanup:
    opn_i_sha256_discard(hash);
    return status;
}

// Whether the file is already there. A different file of that name may be someone's work,
// or the same data packed differently: its owner has to move it.
static opn_status look_for_file(opn_ctx *ctx, const opn_i_fetch_job *job, bool *is_there)
{
    opn_status status = OPN_OK;
    char got[OPN_SHA256_TEXT];
    int64_t n_bytes = 0;
    int file = -1;
    OPN_TRY(open_file(ctx, job->to, &file, &n_bytes));
    if (file >= 0) {
        OPN_FAIL_IF(ctx, n_bytes != job->n_bytes, OPN_ERR_FORMAT,
                    "%s: exists with %lld bytes, expected %lld; move it away to fetch "
                    "it again",
                    job->to, (long long)n_bytes, (long long)job->n_bytes);
        OPN_TRY(hash_file(ctx, job, job->to, file, got));
        OPN_FAIL_IF(ctx, strcmp(got, job->sha256) != 0, OPN_ERR_FORMAT,
                    "%s: exists with SHA-256 %s, expected %s; move it away to fetch it "
                    "again",
                    job->to, got, job->sha256);
    }
    *is_there = file >= 0;
cleanup:
    if (file >= 0)
        (void)close(file);
    return status;
}

static opn_status
copy_file(opn_ctx *ctx, const opn_i_fetch_job *job, const char *stage, opn_i_part *part)
{
    opn_status status = OPN_OK;
    unsigned char data[BLOCK];
    int64_t n_bytes = 0;
    int file = -1;
    size_t n = 0;
    OPN_TRY(open_file(ctx, job->from, &file, &n_bytes));
    OPN_FAIL_IF(ctx, file < 0, OPN_ERR_READ, "%s: no such file", job->from);
    OPN_FAIL_IF(ctx, n_bytes != job->n_bytes, OPN_ERR_FORMAT,
                "%s: has %lld bytes, expected %lld", job->from, (long long)n_bytes,
                (long long)job->n_bytes);
    OPN_TRY(opn_i_part_restart(part));
    while (part->n_have < part->n_bytes) {
        const int64_t n_left = part->n_bytes - part->n_have;
        OPN_TRY(read_block(ctx, job->from, file, data, &n));
        OPN_FAIL_IF(ctx, n == 0, OPN_ERR_READ, "%s: ends after %lld of %lld bytes",
                    job->from, (long long)part->n_have, (long long)part->n_bytes);
        OPN_TRY(opn_i_part_put(part, data, (int64_t)n < n_left ? n : (size_t)n_left));
        OPN_TRY(opn_i_progress(ctx, stage, part->n_have, part->n_bytes, "bytes"));
    }
cleanup:
    if (file >= 0)
        (void)close(file);
    return status;
}

// Fetches the missing bytes, then hashes the whole file.
static opn_status complete(opn_ctx *ctx,
                           const opn_i_fetch_job *job,
                           opn_i_part *part,
                           char got[OPN_SHA256_TEXT])
{
    opn_status status = OPN_OK;
    char stage[STAGE_ROOM];
    snprintf(stage, sizeof(stage), "fetching %s", job->name);
    if (part->n_have < part->n_bytes)
        OPN_TRY(opn_i_is_address(job->from)
                        ? opn_i_http_get(ctx, job->from, stage, &job->limits, part)
                        : copy_file(ctx, job, stage, part));
    OPN_TRY(hash_file(ctx, job, part->path, part->file, got));
cleanup:
    return status;
}

opn_status opn_i_fetch(opn_ctx *ctx, const opn_i_fetch_job *job, bool *fetched)
{
    opn_status status = OPN_OK;
    opn_i_part part = {.file = -1};
    char got[OPN_SHA256_TEXT];
    bool is_there = false;
    OPN_TRY(look_for_file(ctx, job, &is_there));
    if (!is_there) {
        OPN_TRY(opn_i_part_open(ctx, job->to, job->n_bytes, &part));
        OPN_TRY(complete(ctx, job, &part, got));
        // The kept bytes are from an earlier try, perhaps of another file.
        if (strcmp(got, job->sha256) != 0 && part.n_kept > 0) {
            OPN_TRY(opn_i_part_restart(&part));
            OPN_TRY(complete(ctx, job, &part, got));
        }
        if (strcmp(got, job->sha256) != 0) {
            OPN_TRY(opn_i_part_restart(&part));
            OPN_FAIL_IF(ctx, true, OPN_ERR_FORMAT, "%s: has SHA-256 %s, expected %s",
                        job->from, got, job->sha256);
        }
        OPN_TRY(opn_i_part_commit(&part));
    }
    *fetched = !is_there;
cleanup:
    if (part.file >= 0)
        opn_i_part_close(&part);
    return status;
}
