// part_file.h -- a file that arrives piece by piece, under a name of its own until it is
// whole.

#ifndef OPN_PART_FILE_H
#define OPN_PART_FILE_H

#include "base/context.h"

// What has come so far lies in "<final path>.part" and stays there when the rest does not
// come, for the next try. One program at a time may write to it.
typedef struct opn_i_part {
    opn_ctx *ctx;
    const char *final_path; // borrowed
    char *path;             // final path and ".part"
    int file;
    int64_t n_bytes; // of the whole file
    int64_t n_have;  // of them here; never more than n_bytes
    int64_t n_kept;  // of those, from an earlier try
} opn_i_part;

// Opens what an earlier try has left, or begins anew; more bytes than the file has are
// thrown away. On failure part->file is -1 and there is nothing to close.
// Errors: WRITE (the folder is missing or not writable, something else has that name,
// another program is writing to it), NOMEM.
OPN_NODISCARD opn_status opn_i_part_open(opn_ctx *ctx,
                                         const char *final_path,
                                         int64_t n_bytes,
                                         opn_i_part *part);

// Appends bytes; no more than n_bytes - n_have. Errors: WRITE.
OPN_NODISCARD opn_status opn_i_part_put(opn_i_part *part,
                                        const void *data,
                                        size_t n_bytes);

// Throws away what is here. Errors: WRITE.
OPN_NODISCARD opn_status opn_i_part_restart(opn_i_part *part);

// Syncs the file and gives it its final name. Errors: WRITE; it is a .part as before.
OPN_NODISCARD opn_status opn_i_part_commit(opn_i_part *part);

// Keeps what is here for the next try, if anything is. Call it after commit, too.
void opn_i_part_close(opn_i_part *part);

#endif // OPN_PART_FILE_H
