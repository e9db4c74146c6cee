// bytes.h -- a block of bytes read from a file, and limits shared by all readers.

#ifndef OPN_BYTES_H
#define OPN_BYTES_H

#include "base/context.h"

// Compressed input may unpack to this many bytes, and beyond that to OPN_MAX_EXPANSION
// times its size: constant arrays pack a thousandfold, but so do bombs.
#define OPN_FREE_EXPANSION ((size_t)64 << 20)
#define OPN_MAX_EXPANSION  ((size_t)256)

// Whether n_packed bytes may unpack to n_bytes.
bool opn_i_expansion_allowed(size_t n_packed, size_t n_bytes);

// Owned bytes, followed by a NUL that is not counted, so that text can be scanned without
// checking for the end at every step.
typedef struct opn_i_bytes {
    unsigned char *data;
    size_t n;
    size_t n_packed; // bytes that they were unpacked from; 0 if they were not packed
} opn_i_bytes;

void opn_i_bytes_release(opn_ctx *ctx, opn_i_bytes *bytes);

// Reads the whole file at `path`, or standard input for "-". Gzipped data is unpacked,
// whatever the file is called. A pipe is waited for.
// Errors: READ (missing, a folder or device, no permission, read failure), FORMAT (broken
// gzip, or one that grows beyond the limit), NOMEM, INTERRUPTED.
OPN_NODISCARD opn_status opn_i_file_read(opn_ctx *ctx,
                                         const char *path,
                                         opn_i_bytes *out);

// The same for a file that the user has not named but a reader looks for: a pipe, which
// nobody may ever write to, is an error too.
OPN_NODISCARD opn_status opn_i_regular_file_read(opn_ctx *ctx,
                                                 const char *path,
                                                 opn_i_bytes *out);

// Name for messages: `path`, or "standard input" for "-".
const char *opn_i_input_name(const char *path);

bool opn_i_file_exists(const char *path); // a regular file, or anything but a folder
bool opn_i_folder_exists(const char *path);

// Whether opening the path would find something or say why not: also true for what cannot
// be reached, such as a link that leads to itself or a file of a closed folder.
bool opn_i_path_is_taken(const char *path);
bool opn_i_path_ends_in(const char *path, const char *end);

#endif // OPN_BYTES_H
