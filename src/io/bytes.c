// bytes.c -- reading whole files into memory.

#include "io/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { READ_CHUNK = 1 << 20 };

bool opn_i_expansion_allowed(size_t n_packed, size_t n_bytes)
{
    return n_bytes <= OPN_FREE_EXPANSION || n_bytes / OPN_MAX_EXPANSION <= n_packed;
}

void opn_i_bytes_release(opn_ctx *ctx, opn_i_bytes *bytes)
{
    opn_i_release(&ctx->alloc, bytes->data);
    *bytes = (opn_i_bytes){0};
}

bool opn_i_file_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISDIR(info.st_mode);
}

bool opn_i_folder_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool opn_i_path_ends_in(const char *path, const char *end)
{
    const size_t n_path = strlen(path);
    const size_t n_end = strlen(end);
    return n_path >= n_end && strcmp(path + n_path - n_end, end) == 0;
}

const char *opn_i_input_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

// *is_stale says whether another machine has replaced the file while it was read.
static opn_status read_all(opn_ctx *ctx,
                           const char *path,
                           int file,
                           size_t n_expected,
                           bool *is_stale,
                           opn_i_bytes *out)
{
    opn_status status = OPN_OK;
    opn_i_bytes bytes = {0};
    size_t room = 0;
    // One byte for the NUL, and one more so that end of file is seen without growing.
    OPN_TRY_RESERVE(ctx, bytes.data, room, 0, n_expected + 2);
    for (;;) {
        OPN_TRY_RESERVE(ctx, bytes.data, room, bytes.n, bytes.n + 2);
        size_t n_wanted = room - 1 - bytes.n;
        n_wanted = n_wanted > READ_CHUNK ? READ_CHUNK : n_wanted;
        const ssize_t n_read = read(file, bytes.data + bytes.n, n_wanted);
        if (n_read < 0 && errno == EINTR) { // a pipe may be silent for long
            OPN_TRY(opn_i_progress(ctx, "reading", (int64_t)bytes.n, (int64_t)n_expected,
                                   "bytes"));
            continue;
        }
        *is_stale = n_read < 0 && errno == ESTALE;
        OPN_FAIL_IF(ctx, n_read < 0, OPN_ERR_READ, "%s: cannot be read: %s", path,
                    strerror(errno));
        if (n_read == 0)
            break;
        bytes.n += (size_t)n_read;
        OPN_TRY(opn_i_progress(ctx, "reading", (int64_t)bytes.n, (int64_t)n_expected,
                               "bytes"));
    }
    bytes.data[bytes.n] = 0;
    *out = bytes;
    bytes.data = NULL;
cleanup:
    opn_i_release(&ctx->alloc, bytes.data);
    return status;
}

static bool is_gzip(const opn_i_bytes *bytes)
{
    return bytes->n >= 2 && bytes->data[0] == 0x1f && bytes->data[1] == 0x8b;
}

// Inflates all of `stream`, gzip member by member.
static opn_status inflate_all(opn_ctx *ctx,
                              const char *path,
                              z_stream *stream,
                              size_t n_packed,
                              opn_i_bytes *bytes)
{
    opn_status status = OPN_OK;
    size_t room = 0;
    int result = Z_OK;
    do {
        OPN_TRY_RESERVE(ctx, bytes->data, room, bytes->n, bytes->n + 2);
        const size_t n_free = room - 1 - bytes->n;
        const uInt n_step = n_free > READ_CHUNK ? READ_CHUNK : (uInt)n_free;
        stream->next_out = bytes->data + bytes->n;
        stream->avail_out = n_step;
        result = inflate(stream, Z_NO_FLUSH);
        bytes->n += n_step - stream->avail_out;
        OPN_FAIL_IF(ctx, result == Z_MEM_ERROR, OPN_ERR_NOMEM, "%s: out of memory", path);
        OPN_FAIL_IF(ctx, result == Z_BUF_ERROR, OPN_ERR_FORMAT,
                    "%s: the gzip data end early; the file is truncated", path);
        OPN_FAIL_IF(ctx, result != Z_OK && result != Z_STREAM_END, OPN_ERR_FORMAT,
                    "%s: broken gzip data", path);
        OPN_FAIL_IF(ctx, !opn_i_expansion_allowed(n_packed, bytes->n), OPN_ERR_FORMAT,
                    "%s: unpacks to more than %zu times its size; unpack it first", path,
                    OPN_MAX_EXPANSION);
        OPN_TRY(opn_i_progress(ctx, "unpacking", (int64_t)bytes->n, 0, "bytes"));
        // Several members may be concatenated; inflateReset keeps the input position.
        if (result == Z_STREAM_END && stream->avail_in > 0 &&
            inflateReset(stream) == Z_OK)
            result = Z_OK;
    } while (result != Z_STREAM_END);
    bytes->data[bytes->n] = 0;
cleanup:
    return status;
}

static opn_status
unpack_gzip(opn_ctx *ctx, const char *path, const opn_i_bytes *packed, opn_i_bytes *out)
{
    opn_status status = OPN_OK;
    opn_i_bytes bytes = {0};
    enum { GZIP_WINDOW = 15 + 16 }; // the largest window, gzip wrapping
    z_stream stream = {.next_in = packed->data, .avail_in = (uInt)packed->n};
    bool started = false;
    OPN_FAIL_IF(ctx, packed->n > UINT32_MAX, OPN_ERR_OVERFLOW,
                "%s: gzip files of more than 4 GB are not supported; unpack it "
                "first",
                path);
    OPN_FAIL_IF(ctx, inflateInit2(&stream, GZIP_WINDOW) != Z_OK, OPN_ERR_NOMEM,
                "%s: out of memory", path);
    started = true;
    OPN_TRY(inflate_all(ctx, path, &stream, packed->n, &bytes));
    bytes.n_packed = packed->n;
    *out = bytes;
    bytes.data = NULL;
cleanup:
    if (started)
        inflateEnd(&stream);
    opn_i_release(&ctx->alloc, bytes.data);
    return status;
}

// What may be read beside regular files.
typedef enum input_kind { INPUT_REGULAR, INPUT_NAMED, INPUT_STANDARD } input_kind;

static opn_status check_kind(opn_ctx *ctx, const char *name, input_kind kind, mode_t mode)
{
    opn_status status = OPN_OK;
    const bool is_pipe = S_ISFIFO(mode);
    if (S_ISREG(mode) || (is_pipe && kind != INPUT_REGULAR) ||
        (S_ISSOCK(mode) && kind == INPUT_STANDARD))
        return OPN_OK;
    OPN_FAIL_IF(ctx, true, OPN_ERR_READ, "%s: is a %s; expected a file", name,
                S_ISDIR(mode)    ? "folder"
                : is_pipe        ? "pipe"
                : S_ISSOCK(mode) ? "socket"
                                 : "device");
cleanup:
    return status;
}

// Opening a pipe waits for someone to write to it, until a signal ends the wait. Nothing
// else may wait, even if it has become a pipe since its kind was looked at.
static opn_status
open_input(opn_ctx *ctx, const char *path, input_kind kind, bool is_pipe, int *file)
{
    opn_status status = OPN_OK;
    const int flags = O_RDONLY | O_CLOEXEC | (is_pipe ? 0 : O_NONBLOCK);
    do {
        if (is_pipe)
            OPN_TRY(opn_i_progress(ctx, "waiting for a pipe", 0, 0, "bytes"));
        *file = kind == INPUT_STANDARD ? dup(STDIN_FILENO) : open(path, flags);
    } while (is_pipe && *file < 0 && errno == EINTR);
    OPN_FAIL_IF(ctx, *file < 0, OPN_ERR_READ, "%s: cannot be opened: %s",
                opn_i_input_name(path), strerror(errno));
cleanup:
    return status;
}

static opn_status read_once(
        opn_ctx *ctx, const char *path, input_kind kind, bool *is_stale, opn_i_bytes *out)
{
    opn_status status = OPN_OK;
    const char *name = opn_i_input_name(path);
    opn_i_bytes bytes = {0};
    struct stat info = {.st_mode = S_IFREG};
    int file = -1;
    // Also before opening, since a device may do something when it is opened.
    if (kind != INPUT_STANDARD && stat(path, &info) == 0)
        OPN_TRY(check_kind(ctx, name, kind, info.st_mode));
    OPN_TRY(open_input(ctx, path, kind, S_ISFIFO(info.st_mode), &file));
    OPN_FAIL_IF(ctx, fstat(file, &info) != 0, OPN_ERR_READ, "%s: cannot be read: %s",
                name, strerror(errno));
    OPN_TRY(check_kind(ctx, name, kind, info.st_mode));
    OPN_TRY(read_all(ctx, name, file, info.st_size > 0 ? (size_t)info.st_size : 0,
                     is_stale, &bytes));
    if (is_gzip(&bytes)) {
        OPN_TRY(unpack_gzip(ctx, name, &bytes, out));
    } else {
        *out = bytes;
        bytes.data = NULL;
    }
cleanup:
    if (file >= 0)
        close(file);
    opn_i_bytes_release(ctx, &bytes);
    return status;
}

// A file that is replaced on a network file system leaves its readers with a handle to
// nothing; the new one is there at once.
static opn_status
read_input(opn_ctx *ctx, const char *path, input_kind kind, opn_i_bytes *out)
{
    enum { MAX_TRIES = 8 };
    bool is_stale = true;
    opn_status status = OPN_OK;
    for (int t = 0; t < MAX_TRIES && is_stale; t++) {
        is_stale = false;
        status = read_once(ctx, path, kind, &is_stale, out);
    }
    return status;
}

opn_status opn_i_file_read(opn_ctx *ctx, const char *path, opn_i_bytes *out)
{
    return read_input(ctx, path, strcmp(path, "-") == 0 ? INPUT_STANDARD : INPUT_NAMED,
                      out);
}

opn_status opn_i_regular_file_read(opn_ctx *ctx, const char *path, opn_i_bytes *out)
{
    return read_input(ctx, path, INPUT_REGULAR, out);
}

bool opn_i_path_is_taken(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 || (errno != ENOENT && errno != ENOTDIR);
}
