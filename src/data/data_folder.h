// data_folder.h -- the folders that hold named datasets.

#ifndef OPN_DATA_FOLDER_H
#define OPN_DATA_FOLDER_H

#include "base/context.h"

// The user data folder of the XDG convention, which the caller frees; NULL if there is no
// home folder.
OPN_NODISCARD opn_status opn_i_user_data_folder(opn_ctx *ctx, char **out);

// Creates a folder and any missing parents.
// Errors: WRITE (the message names the folder that cannot be created), NOMEM.
OPN_NODISCARD opn_status opn_i_make_folders(opn_ctx *ctx, const char *path);

#endif // OPN_DATA_FOLDER_H
