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

static opn_status
read_all(opn_ctx *ctx, const char *path, int file, size_t n_expected, opn_i_bytes *out)
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
    *out = bytes;
    bytes.data = NULL;
cleanup:
    if (started)
        inflateEnd(&stream);
    opn_i_release(&ctx->alloc, bytes.data);
    return status;
}

opn_status opn_i_file_read(opn_ctx *ctx, const char *path, opn_i_bytes *out)
{
    opn_status status = OPN_OK;
    opn_i_bytes bytes = {0};
    struct stat info;
    const int file =
            strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    path = opn_i_input_name(path);
    OPN_FAIL_IF(ctx, file < 0, OPN_ERR_READ, "%s: cannot be opened: %s", path,
                strerror(errno));
    OPN_FAIL_IF(ctx, fstat(file, &info) != 0, OPN_ERR_READ, "%s: cannot be read: %s",
                path, strerror(errno));
    OPN_FAIL_IF(ctx, S_ISDIR(info.st_mode), OPN_ERR_READ,
                "%s: is a folder; expected a file", path);
    OPN_FAIL_IF(ctx, S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode), OPN_ERR_READ,
                "%s: is a device; expected a file", path);
    const size_t n_expected = info.st_size > 0 ? (size_t)info.st_size : 0;
    OPN_TRY(read_all(ctx, path, file, n_expected, &bytes));
    if (is_gzip(&bytes)) {
        OPN_TRY(unpack_gzip(ctx, path, &bytes, out));
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
