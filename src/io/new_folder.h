// new_folder.h -- a folder of files that appears whole or not at all.

#ifndef OPN_NEW_FOLDER_H
#define OPN_NEW_FOLDER_H

#include "base/context.h"

// Files are written to `temporary`, a folder next to `path`, which is renamed on commit.
// Zero-initialise.
typedef struct opn_i_new_folder {
    opn_ctx *ctx;
    char *path;      // without trailing slashes
    char *temporary; // NULL once it is renamed
} opn_i_new_folder;

// `instead` says what may be written where there is a file: "a graph is written to a new
// folder". Errors: WRITE (a file or a folder that is not empty is there, or the parent
// folder is missing or not writable), NOMEM.
OPN_NODISCARD opn_status opn_i_new_folder_open(opn_ctx *ctx,
                                               const char *path,
                                               const char *instead,
                                               opn_i_new_folder *out);

// Errors: WRITE.
OPN_NODISCARD opn_status opn_i_new_folder_commit(opn_i_new_folder *folder);

// Frees it; what was not committed is removed, as far as that goes. Accepts one that is
// all zero.
void opn_i_new_folder_close(opn_i_new_folder *folder);

#endif // OPN_NEW_FOLDER_H
