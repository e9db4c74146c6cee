// file_write.c -- atomic file writing.

#include "io/file_write.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef OPN_HAS_XLOCALE_H
#    include <xlocale.h>
#endif

enum { BUFFER_SIZE = 1 << 16 };

struct opn_i_file_writer {
    opn_ctx *ctx;
    char *path;
    char *temporary; // path written to until commit; NULL for a device
    int file;
    bool is_interruptible;
    int error;         // errno of the first failure, or 0
    locale_t c_locale; // for a decimal point in any user locale
    opn_i_text line;
    size_t n_buffered;
    unsigned char buffer[BUFFER_SIZE];
};

static void release_writer(opn_i_file_writer *writer)
{
    const opn_alloc *alloc = &writer->ctx->alloc;
    if (writer->c_locale != (locale_t)0)
        freelocale(writer->c_locale);
    opn_i_text_free(&writer->line);
    opn_i_release(alloc, writer->path);
    opn_i_release(alloc, writer->temporary);
    opn_i_release(alloc, writer);
}

enum { SUFFIX_ROOM = 64 }; // for what a temporary name ends in

// Whether the name of `path` may be cut to make room for a suffix, and how many bytes of
// `path` are left then. If not, errno is ENAMETOOLONG still: `path` itself is too long.
static bool can_cut(const char *path, size_t *n_kept)
{
    struct stat info;
    const char *slash = strrchr(path, '/');
    const size_t start = slash != NULL ? (size_t)(slash - path) + 1 : 0;
    const size_t n_path = strlen(path);
    if (n_path <= start + SUFFIX_ROOM ||
        (lstat(path, &info) != 0 && errno == ENAMETOOLONG))
        return false;
    *n_kept = n_path - SUFFIX_ROOM;
    while (*n_kept > start && ((unsigned char)path[*n_kept] & 0xC0) == 0x80)
        --*n_kept; // some file systems take whole characters of UTF-8 only
    return true;
}

// Creates a file (its descriptor is returned) or folder whose name begins with n_kept
// bytes of `path` and is written to `name`; -1 and errno on failure. O_EXCL with our own
// names instead of mkstemp(), which ignores the user's umask.
static int make_beside(const char *path, size_t n_kept, bool is_folder, char *name)
{
    enum { MAX_TRIES = 1000 };
    int made = -1;
    memcpy(name, path, n_kept);
    for (int t = 0; t < MAX_TRIES && made < 0; t++) {
        snprintf(name + n_kept, SUFFIX_ROOM, ".%ld-%d.tmp", (long)getpid(), t);
        made = is_folder ? mkdir(name, 0777)
                         : open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (made < 0 && errno != EEXIST)
            break;
    }
    return made;
}

opn_status opn_i_make_temporary(
        opn_ctx *ctx, const char *path, bool is_folder, char **out, int *file)
{
    opn_status status = OPN_OK;
    size_t n_kept = strlen(path);
    char *name = NULL;
    OPN_TRY_NEW(ctx, name, n_kept + SUFFIX_ROOM);
    int made = make_beside(path, n_kept, is_folder, name);
    if (made < 0 && errno == ENAMETOOLONG && can_cut(path, &n_kept))
        made = make_beside(path, n_kept, is_folder, name);
    OPN_FAIL_IF(ctx, made < 0, OPN_ERR_WRITE, "%s: cannot be written: %s", path,
                strerror(errno));
    if (!is_folder)
        *file = made;
    *out = name;
    name = NULL;
cleanup:
    opn_i_release(&ctx->alloc, name);
    return status;
}

// A device or pipe is written to directly: replacing it would be a disaster. Opening a
// pipe waits for someone to read from it, until a signal ends the wait.
static opn_status
open_special(opn_ctx *ctx, const struct stat *info, const char *path, int *file)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, S_ISDIR(info->st_mode), OPN_ERR_WRITE,
                "%s: is a folder; expected a file to write", path);
    do {
        if (S_ISFIFO(info->st_mode))
            OPN_TRY(opn_i_progress(ctx, "waiting for a pipe", 0, 0, "bytes"));
        *file = open(path, O_WRONLY | O_CLOEXEC);
    } while (*file < 0 && errno == EINTR && S_ISFIFO(info->st_mode));
    OPN_FAIL_IF(ctx, *file < 0, OPN_ERR_WRITE, "%s: cannot be written: %s", path,
                strerror(errno));
cleanup:
    return status;
}

opn_status opn_i_file_writer_open(opn_ctx *ctx, const char *path, opn_i_file_writer **out)
{
    opn_status status = OPN_OK;
    opn_i_file_writer *writer = NULL;
    struct stat info;
    OPN_TRY_NEW(ctx, writer, 1);
    writer->ctx = ctx;
    writer->line.ctx = ctx;
    const char *shown = strcmp(path, "-") == 0 ? "standard output" : path;
    const size_t n_path = strlen(shown);
    OPN_TRY_NEW(ctx, writer->path, n_path + 1);
    memcpy(writer->path, shown, n_path);
    writer->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    OPN_FAIL_IF(ctx, writer->c_locale == (locale_t)0, OPN_ERR_NOMEM, "%s: out of memory",
                path);
    if (strcmp(path, "-") == 0) {
        writer->file = dup(STDOUT_FILENO);
        OPN_FAIL_IF(ctx, writer->file < 0, OPN_ERR_WRITE,
                    "standard output cannot be written: %s", strerror(errno));
    } else if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        OPN_TRY(open_special(ctx, &info, path, &writer->file));
    else
        OPN_TRY(opn_i_make_temporary(ctx, path, false, &writer->temporary,
                                     &writer->file));
    *out = writer;
    writer = NULL;
cleanup:
    if (writer != NULL)
        release_writer(writer);
    return status;
}

static void
write_out(opn_i_file_writer *writer, const unsigned char *data, size_t n_bytes)
{
    while (n_bytes > 0 && writer->error == 0) {
        const ssize_t n_written = write(writer->file, data, n_bytes);
        if (n_written < 0) {
            if (errno != EINTR)
                writer->error = errno;
            continue;
        }
        data += n_written;
        n_bytes -= (size_t)n_written;
    }
}

static void flush_buffer(opn_i_file_writer *writer)
{
    if (writer->is_interruptible && writer->error == 0 &&
        opn_i_go_on(writer->ctx, "writing") != OPN_OK)
        writer->error = ECANCELED;
    write_out(writer, writer->buffer, writer->n_buffered);
    writer->n_buffered = 0;
}

void opn_i_file_writer_be_interruptible(opn_i_file_writer *writer)
{
    writer->is_interruptible = true;
}

bool opn_i_file_writer_goes_on(const opn_i_file_writer *writer)
{
    return writer->error == 0;
}

void opn_i_file_writer_put(opn_i_file_writer *writer, const void *data, size_t n_bytes)
{
    if (n_bytes > BUFFER_SIZE - writer->n_buffered)
        flush_buffer(writer);
    if (n_bytes > BUFFER_SIZE) {
        write_out(writer, data, n_bytes);
        return;
    }
    memcpy(writer->buffer + writer->n_buffered, data, n_bytes);
    writer->n_buffered += n_bytes;
}

void opn_i_file_writer_printf(opn_i_file_writer *writer, const char *fmt, ...)
{
    char text[512];
    va_list args;
    const locale_t before = uselocale(writer->c_locale);
    va_start(args, fmt);
    const int n = vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    uselocale(before);
    if (n < 0 || (size_t)n >= sizeof(text)) {
        if (writer->error == 0)
            writer->error = EOVERFLOW; // text of unknown length must use put
        return;
    }
    opn_i_file_writer_put(writer, text, (size_t)n);
}

opn_i_text *opn_i_file_writer_line(opn_i_file_writer *writer)
{
    return &writer->line;
}

void opn_i_file_writer_end_line(opn_i_file_writer *writer)
{
    opn_i_text *line = &writer->line;
    if (line->status != OPN_OK && writer->error == 0)
        writer->error = ENOMEM;
    while (line->n > 0 && line->chars[line->n - 1] == ' ')
        line->n--;
    opn_i_file_writer_put(writer, opn_i_text_chars(line), line->n);
    opn_i_file_writer_put(writer, "\n", 1);
    opn_i_text_empty(line);
}

// The rename is durable only once the folder is synced. Some file systems cannot sync a
// folder; the file is still complete there.
void opn_i_sync_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char folder[4096] = ".";
    if (slash != NULL) {
        const size_t n = slash == path ? 1 : (size_t)(slash - path);
        if (n >= sizeof(folder))
            return;
        memcpy(folder, path, n);
        folder[n] = 0;
    }
    const int file = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
    if (file < 0)
        return;
    (void)fsync(file);
    close(file);
}

opn_status opn_i_file_writer_commit(opn_i_file_writer *writer)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = writer->ctx;
    const bool is_special = writer->temporary == NULL;
    flush_buffer(writer);
    if (writer->error == 0 && !is_special && fsync(writer->file) != 0)
        writer->error = errno;
    if (close(writer->file) != 0 && writer->error == 0)
        writer->error = errno;
    if (writer->error == 0 && !is_special && rename(writer->temporary, writer->path) != 0)
        writer->error = errno;
    OPN_FAIL_IF(ctx, writer->error == ENOMEM, OPN_ERR_NOMEM, "%s: out of memory",
                writer->path);
    OPN_FAIL_IF(ctx, writer->error == ECANCELED, OPN_ERR_INTERRUPTED,
                "interrupted while writing %s", writer->path);
    OPN_FAIL_IF(ctx, writer->error != 0, OPN_ERR_WRITE, "%s: cannot be written: %s",
                writer->path, strerror(writer->error));
    if (!is_special)
        opn_i_sync_folder_of(writer->path);
cleanup:
    if (status != OPN_OK && !is_special)
        unlink(writer->temporary);
    release_writer(writer);
    return status;
}

void opn_i_file_writer_discard(opn_i_file_writer *writer)
{
    if (writer == NULL)
        return;
    close(writer->file);
    if (writer->temporary != NULL)
        unlink(writer->temporary);
    release_writer(writer);
}
