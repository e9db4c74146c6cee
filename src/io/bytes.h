// bytes.h -- a block of bytes read from a file, and limits all readers share.

#ifndef OPN_BYTES_H
#define OPN_BYTES_H

#include "base/context.h"

// A compressed input may grow to this many bytes whatever its size, and beyond that to
// OPN_MAX_EXPANSION times its size: constant arrays pack a thousandfold, bombs do too.
#define OPN_FREE_EXPANSION ((size_t)64 << 20)
#define OPN_MAX_EXPANSION  ((size_t)256)

// Whether n_packed bytes may unpack to n_bytes.
bool opn_i_expansion_allowed(size_t n_packed, size_t n_bytes);

// Owned bytes; one NUL that is not counted stands behind them, so that text can be
// scanned without looking at the end at every step.
typedef struct opn_i_bytes {
    unsigned char *data;
    size_t n;
} opn_i_bytes;

void opn_i_bytes_release(opn_ctx *ctx, opn_i_bytes *bytes);

// Reads the whole file at `path`, or standard input to its end for "-"; what is gzipped
// is unpacked, whatever its name.
// Errors: READ (missing, a folder, no permission, read failure), FORMAT (broken gzip, or
// one that grows beyond the limit), NOMEM, INTERRUPTED.
OPN_NODISCARD opn_status opn_i_file_read(opn_ctx *ctx,
                                         const char *path,
                                         opn_i_bytes *out);

// What messages call it: `path`, or "standard input" for "-".
const char *opn_i_input_name(const char *path);

bool opn_i_file_exists(const char *path); // a regular file, or anything but a folder
bool opn_i_folder_exists(const char *path);
bool opn_i_path_ends_in(const char *path, const char *end);

#endif // OPN_BYTES_H
