// data_folder.h -- the folders that named datasets lie in.

#ifndef OPN_DATA_FOLDER_H
#define OPN_DATA_FOLDER_H

#include "base/context.h"

// The folder for users' data by the XDG convention, to be freed; NULL when there is no
// home.
OPN_NODISCARD opn_status opn_i_user_data_folder(opn_ctx *ctx, char **out);

// Makes a folder and those around it, as far as they are not there.
// Errors: WRITE (the message names the one that cannot be made), NOMEM.
OPN_NODISCARD opn_status opn_i_make_folders(opn_ctx *ctx, const char *path);

#endif // OPN_DATA_FOLDER_H
