// new_folder.c -- a folder of files that appears whole or not at all.

#include "io/new_folder.h"

#include "io/file_write.h"
#include "io/path.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_entry(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static bool has_contents(const char *path)
{
    DIR *folder = opendir(path);
    bool found = false;
    if (folder == NULL)
        return false;
    for (const struct dirent *entry; !found && (entry = readdir(folder)) != NULL;)
        found = is_entry(entry);
    closedir(folder);
    return found;
}

// Best effort: only called for a folder that this process created.
static void remove_folder(opn_ctx *ctx, const char *path)
{
    DIR *folder = opendir(path);
    if (folder == NULL)
        return;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char *file = NULL;
        if (is_entry(entry) &&
            opn_i_join_path(ctx, path, entry->d_name, "", &file) == OPN_OK)
            (void)unlink(file);
        opn_i_release(&ctx->alloc, file);
    }
    closedir(folder);
    (void)rmdir(path);
}

opn_status opn_i_new_folder_open(opn_ctx *ctx,
                                 const char *path,
                                 const char *instead,
                                 opn_i_new_folder *out)
{
    opn_status status = OPN_OK;
    opn_i_new_folder folder = {.ctx = ctx};
    size_t n_path = strlen(path);
    struct stat info;
    while (n_path > 1 && path[n_path - 1] == '/') // else the new folder goes inside
        n_path--;
    OPN_TRY_NEW(ctx, folder.path, n_path + 1);
    memcpy(folder.path, path, n_path);
    OPN_FAIL_IF(ctx, stat(folder.path, &info) == 0 && !S_ISDIR(info.st_mode),
                OPN_ERR_WRITE, "%s: is a file; %s", folder.path, instead);
    OPN_FAIL_IF(ctx, has_contents(folder.path), OPN_ERR_WRITE,
                "%s: the folder is not empty; name a new one", folder.path);
    OPN_TRY(opn_i_make_temporary(ctx, folder.path, true, &folder.temporary, NULL));
    *out = folder;
    folder = (opn_i_new_folder){0};
cleanup:
    opn_i_new_folder_close(&folder);
    return status;
}

opn_status opn_i_new_folder_commit(opn_i_new_folder *folder)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    OPN_FAIL_IF(ctx, rename(folder->temporary, folder->path) != 0, OPN_ERR_WRITE,
                "%s: cannot be created: %s", folder->path, strerror(errno));
    opn_i_release(&ctx->alloc, folder->temporary);
    folder->temporary = NULL;
cleanup:
    return status;
}

void opn_i_new_folder_close(opn_i_new_folder *folder)
{
    if (folder->ctx == NULL)
        return;
    if (folder->temporary != NULL)
        remove_folder(folder->ctx, folder->temporary);
    opn_i_release(&folder->ctx->alloc, folder->path);
    opn_i_release(&folder->ctx->alloc, folder->temporary);
    *folder = (opn_i_new_folder){0};
}
