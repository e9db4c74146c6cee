// line_file.c -- two ways to keep lines in a file, so that a crash costs one line at
// most.

#include "experiment/line_file.h"

#include "io/file_lock.h"
#include "io/file_write.h"
#include "io/path.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

opn_i_file_stamp opn_i_file_stamp_of(const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0)
        return (opn_i_file_stamp){0};
#ifdef OPN_HAS_ST_MTIM
    const struct timespec changed = about.st_mtim;
#else
    const struct timespec changed = about.st_mtimespec; // macOS
#endif
    return (opn_i_file_stamp){.inode = (uint64_t)about.st_ino,
                              .n_bytes = (int64_t)about.st_size,
                              .seconds = (int64_t)changed.tv_sec,
                              .nanoseconds = (int64_t)changed.tv_nsec};
}

bool opn_i_file_stamp_is_same(const opn_i_file_stamp *a, const opn_i_file_stamp *b)
{
    return a->inode == b->inode && a->n_bytes == b->n_bytes && a->seconds == b->seconds &&
           a->nanoseconds == b->nanoseconds;
}

// ---- appended ------------------------------------------------------------------------

opn_status opn_i_append_file_open(opn_ctx *ctx, const char *path, opn_i_append_file *out)
{
    opn_status status = OPN_OK;
    const bool is_new = !opn_i_file_exists(path);
    struct stat about;
    OPN_TRY(opn_i_join_path(ctx, NULL, path, "", &out->path));
    out->file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    OPN_FAIL_IF(ctx, out->file < 0, OPN_ERR_WRITE, "%s: cannot be opened: %s", path,
                strerror(errno));
    // A run that kept nothing removes the file when it ends.
    OPN_FAIL_IF(ctx,
                opn_i_file_lock(out->file) == OPN_LOCK_TAKEN ||
                        fstat(out->file, &about) != 0 || about.st_nlink == 0,
                OPN_ERR_WRITE, "%s: another run is writing to it", path);
    out->is_made = is_new;
cleanup:
    return status;
}

void opn_i_append_file_close(const opn_alloc *alloc, opn_i_append_file *file)
{
    struct stat about;
    if (file->is_made && fstat(file->file, &about) == 0 && about.st_size == 0)
        (void)unlink(file->path); // before the lock is released
    if (file->file >= 0)
        (void)close(file->file);
    opn_i_release(alloc, file->path);
    *file = (opn_i_append_file){.file = -1};
}

opn_status
opn_i_append_file_read(opn_ctx *ctx, const opn_i_append_file *file, opn_i_bytes *out)
{
    opn_status status = OPN_OK;
    struct stat about;
    opn_i_bytes bytes = {0};
    OPN_FAIL_IF(ctx, fstat(file->file, &about) != 0 || !S_ISREG(about.st_mode),
                OPN_ERR_READ, "%s: is not a regular file", file->path);
    const size_t n = (size_t)about.st_size;
    OPN_TRY_NEW(ctx, bytes.data, n + 1);
    while (bytes.n < n) {
        const ssize_t n_read =
                pread(file->file, bytes.data + bytes.n, n - bytes.n, (off_t)bytes.n);
        OPN_FAIL_IF(ctx, n_read == 0 || (n_read < 0 && errno != EINTR), OPN_ERR_READ,
                    "%s: cannot be read to its end", file->path);
        bytes.n += n_read > 0 ? (size_t)n_read : 0;
    }
    *out = bytes;
    bytes.data = NULL;
cleanup:
    opn_i_release(&ctx->alloc, bytes.data);
    return status;
}

opn_status opn_i_append_file_cut(opn_ctx *ctx, const opn_i_append_file *file, size_t n)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, ftruncate(file->file, (off_t)n) != 0, OPN_ERR_WRITE,
                "%s: cannot be written: %s", file->path, strerror(errno));
cleanup:
    return status;
}

// With what is needed to find the bytes again, but not the time of the change, where the
// system makes that difference.
static int put_on_disk(int file)
{
#ifdef OPN_HAS_FDATASYNC
    return fdatasync(file);
#else
    return fsync(file);
#endif
}

opn_status opn_i_append_file_add(opn_ctx *ctx,
                                 const opn_i_append_file *file,
                                 const char *line,
                                 size_t n)
{
    opn_status status = OPN_OK;
    const off_t end = lseek(file->file, 0, SEEK_END);
    size_t n_put = 0;
    while (n_put < n) {
        const ssize_t put = write(file->file, line + n_put, n - n_put);
        OPN_FAIL_IF(ctx, put < 0 && errno != EINTR, OPN_ERR_WRITE,
                    "%s: cannot be written: %s", file->path, strerror(errno));
        n_put += put > 0 ? (size_t)put : 0;
    }
    OPN_FAIL_IF(ctx, put_on_disk(file->file) != 0, OPN_ERR_WRITE,
                "%s: cannot be written: %s", file->path, strerror(errno));
cleanup:
    if (status != OPN_OK && end >= 0)
        (void)!ftruncate(file->file, end);
    return status;
}

// ---- replaced ------------------------------------------------------------------------

void opn_i_replace_file_deinit(const opn_alloc *alloc, opn_i_replace_file *file)
{
    opn_i_release(alloc, file->path);
    opn_i_release(alloc, file->text);
    *file = (opn_i_replace_file){0};
}

opn_status
opn_i_replace_file_put(opn_ctx *ctx, opn_i_replace_file *file, const char *line, size_t n)
{
    opn_status status = OPN_OK;
    OPN_TRY_RESERVE(ctx, file->text, file->room, file->n, file->n + n);
    memcpy(file->text + file->n, line, n);
    file->n += n;
cleanup:
    return status;
}

opn_status opn_i_replace_file_write(opn_ctx *ctx, opn_i_replace_file *file)
{
    opn_status status = OPN_OK;
    opn_i_file_writer *writer = NULL;
    OPN_TRY(opn_i_file_writer_open(ctx, file->path, &writer));
    opn_i_file_writer_put(writer, file->text, file->n);
    OPN_TRY(opn_i_file_writer_commit(writer));
cleanup:
    return status;
}
