// part_file.c -- a partial download, kept under a temporary name until it is complete.

#include "fetch/part_file.h"

#include "io/file_write.h"
#include "io/path.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static opn_status fail_write(const opn_i_part *part)
{
    return opn_i_fail(part->ctx, OPN_ERR_WRITE, "%s: cannot be written: %s", part->path,
                      strerror(errno));
}

// The lock belongs to the file, not to its name. If another program renamed it to its
// final name after we opened it, it is the finished file: we must not write to it.
static opn_status lock(const opn_i_part *part, struct stat *about)
{
    opn_status status = OPN_OK;
    struct stat named;
    OPN_FAIL_IF(part->ctx, fstat(part->file, about) != 0 || !S_ISREG(about->st_mode),
                OPN_ERR_WRITE, "%s: is not a regular file; move it away", part->path);
    OPN_FAIL_IF(part->ctx,
                flock(part->file, LOCK_EX | LOCK_NB) != 0 ||
                        lstat(part->path, &named) != 0 || named.st_ino != about->st_ino ||
                        named.st_dev != about->st_dev,
                OPN_ERR_WRITE, "%s: another program is writing to it", part->path);
    // The size may have changed before we got the lock.
    if (fstat(part->file, about) != 0)
        status = fail_write(part);
cleanup:
    return status;
}

opn_status
opn_i_part_open(opn_ctx *ctx, const char *final_path, int64_t n_bytes, opn_i_part *part)
{
    opn_status status = OPN_OK;
    struct stat about;
    *part = (opn_i_part){
            .ctx = ctx, .final_path = final_path, .file = -1, .n_bytes = n_bytes};
    OPN_TRY(opn_i_join_path(ctx, NULL, final_path, ".part", &part->path));
    // A symlink would redirect the bytes, and a pipe would make us wait for its reader.
    part->file =
            open(part->path,
                 O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (part->file < 0)
        OPN_TRY(fail_write(part));
    OPN_TRY(lock(part, &about));
    part->n_have = (int64_t)about.st_size;
    part->n_kept = part->n_have;
    if (part->n_have > n_bytes)
        OPN_TRY(opn_i_part_restart(part));
cleanup:
    if (status != OPN_OK) {
        if (part->file >= 0)
            (void)close(part->file);
        opn_i_release(&ctx->alloc, part->path);
        *part = (opn_i_part){.file = -1};
    }
    return status;
}

opn_status opn_i_part_put(opn_i_part *part, const void *data, size_t n_bytes)
{
    const unsigned char *from = data;
    assert((int64_t)n_bytes <= part->n_bytes - part->n_have);
    while (n_bytes > 0) {
        const ssize_t n_written = write(part->file, from, n_bytes);
        if (n_written < 0 && errno == EINTR)
            continue;
        if (n_written < 0)
            return fail_write(part);
        from += n_written;
        n_bytes -= (size_t)n_written;
        part->n_have += n_written;
    }
    return OPN_OK;
}

opn_status opn_i_part_restart(opn_i_part *part)
{
    if (ftruncate(part->file, 0) != 0)
        return fail_write(part);
    part->n_have = 0;
    part->n_kept = 0;
    return OPN_OK;
}

opn_status opn_i_part_commit(opn_i_part *part)
{
    if (fsync(part->file) != 0 || rename(part->path, part->final_path) != 0)
        return fail_write(part);
    opn_i_sync_folder_of(part->final_path);
    return OPN_OK;
}

void opn_i_part_close(opn_i_part *part)
{
    // Before the lock is released: a .part that another program opens next is not ours.
    if (part->n_have == 0 && part->n_bytes > 0)
        (void)unlink(part->path);
    (void)close(part->file);
    opn_i_release(&part->ctx->alloc, part->path);
}
