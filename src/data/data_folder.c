// data_folder.c -- the folders that hold named datasets.

#include "data/data_folder.h"

#include "io/bytes.h"
#include "io/path.h"
#include "opine/graph.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

opn_status opn_i_user_data_folder(opn_ctx *ctx, char **out)
{
    const char *base = getenv("XDG_DATA_HOME");
    if (base != NULL && base[0] == '/')
        return opn_i_join_path(ctx, base, "opine", "", out);
    base = getenv("HOME");
    *out = NULL;
    if (base == NULL || base[0] == 0) // joined to "", the folder would be below the root
        return OPN_OK;
    return opn_i_join_path(ctx, base, ".local/share/opine", "", out);
}

opn_status opn_data_folder(opn_ctx *ctx, const char *data_dir, char *path, size_t n_room)
{
    OPN_REJECT_NULL(ctx, path);
    opn_status status = OPN_OK;
    char *home = NULL;
    const char *folder = data_dir;
    if (folder == NULL || folder[0] == 0)
        folder = getenv("OPINE_DATA");
    if (folder == NULL || folder[0] == 0) {
        OPN_TRY(opn_i_user_data_folder(ctx, &home));
        folder = home;
    }
    OPN_FAIL_IF(
            ctx, folder == NULL, OPN_ERR_INVALID_ARG,
            "no data folder: $HOME is empty or not set; name a folder with `data_dir` "
            "or $OPINE_DATA");
    OPN_FAIL_IF(ctx, strlen(folder) >= n_room, OPN_ERR_INVALID_ARG,
                "the path of the data folder is longer than %zu bytes", n_room - 1);
    memcpy(path, folder, strlen(folder) + 1);
cleanup:
    opn_i_release(&ctx->alloc, home);
    return status;
}

static opn_status make_folder(opn_ctx *ctx, const char *path)
{
    opn_status status = OPN_OK;
    if (mkdir(path, 0777) == 0)
        return OPN_OK;
    // If the folder already exists, the error of mkdir() does not matter.
    const int error = errno;
    OPN_FAIL_IF(ctx, !opn_i_folder_exists(path), OPN_ERR_WRITE, "%s: %s%s", path,
                error == EEXIST ? "is not a folder" : "cannot be created: ",
                error == EEXIST ? "" : strerror(error));
cleanup:
    return status;
}

opn_status opn_i_make_folders(opn_ctx *ctx, const char *path)
{
    opn_status status = OPN_OK;
    char *copy = NULL;
    OPN_TRY(opn_i_join_path(ctx, NULL, path, "", &copy));
    for (size_t i = 1; copy[i] != 0; i++) {
        if (copy[i] != '/' || copy[i - 1] == '/')
            continue;
        copy[i] = 0;
        OPN_TRY(make_folder(ctx, copy));
        copy[i] = '/';
    }
    OPN_TRY(make_folder(ctx, copy));
cleanup:
    opn_i_release(&ctx->alloc, copy);
    return status;
}
