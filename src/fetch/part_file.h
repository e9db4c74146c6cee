// part_file.h -- a partial download, kept under a temporary name until it is complete.

#ifndef OPN_PART_FILE_H
#define OPN_PART_FILE_H

#include "base/context.h"

// The bytes received so far are in "<final path>.part" and stay there after a failure,
// for the next try. Only one program at a time may write to it.
typedef struct opn_i_part {
    opn_ctx *ctx;
    const char *final_path; // borrowed
    char *path;             // final path plus ".part"
    int file;
    int64_t n_bytes; // size of the whole file
    int64_t n_have;  // bytes received; never more than n_bytes
    int64_t n_kept;  // of those, bytes from an earlier try
} opn_i_part;

// Opens the rest of an earlier try, or starts a new file; bytes beyond n_bytes are
// discarded. On failure part->file is -1 and there is nothing to close.
// Errors: WRITE (the folder is missing or not writable, something else has that name,
// another program is writing to it), NOMEM.
OPN_NODISCARD opn_status opn_i_part_open(opn_ctx *ctx,
                                         const char *final_path,
                                         int64_t n_bytes,
                                         opn_i_part *part);

// Appends at most n_bytes - n_have bytes. Errors: WRITE.
OPN_NODISCARD opn_status opn_i_part_put(opn_i_part *part,
                                        const void *data,
                                        size_t n_bytes);

// Discards all bytes received. Errors: WRITE.
OPN_NODISCARD opn_status opn_i_part_restart(opn_i_part *part);

// Syncs the file and renames it to its final name. Errors: WRITE; it remains a .part.
OPN_NODISCARD opn_status opn_i_part_commit(opn_i_part *part);

// Keeps any bytes received for the next try. Must be called after commit, too.
void opn_i_part_close(opn_i_part *part);

#endif // OPN_PART_FILE_H
