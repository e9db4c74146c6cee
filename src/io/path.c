// path.c -- joining and splitting paths.

#include "io/path.h"

#include <string.h>

const char *opn_i_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != 0 ? slash + 1 : path;
}

bool opn_i_is_address(const char *text)
{
    return strstr(text, "://") != NULL;
}

opn_status opn_i_join_path(opn_ctx *ctx,
                           const char *folder,
                           const char *file,
                           const char *suffix,
                           char **out)
{
    opn_status status = OPN_OK;
    char *path = NULL;
    const size_t n_folder = folder != NULL ? strlen(folder) + 1 : 0;
    const size_t n_file = strlen(file);
    OPN_TRY_NEW(ctx, path, n_folder + n_file + strlen(suffix) + 1);
    if (folder != NULL) {
        memcpy(path, folder, n_folder - 1);
        path[n_folder - 1] = '/';
    }
    memcpy(path + n_folder, file, n_file);
    memcpy(path + n_folder + n_file, suffix, strlen(suffix));
    *out = path;
cleanup:
    return status;
}
