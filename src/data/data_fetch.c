// data_fetch.c -- downloads or copies the files of a dataset into a data folder.

#include "data/data_folder.h"
#include "data/data_sources.h"
#include "fetch/fetch.h"
#include "io/bytes.h"
#include "io/path.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_FOLDER = 4096 };

// Slow connections are fine; stalled ones are dropped.
static const opn_i_http_limits usual_limits = {.connect_seconds = 30,
                                               .stall_seconds = 30};

// Address of a file: the origin is a flat folder, a mirror has our folder layout.
static opn_status address_of(opn_ctx *ctx,
                             const opn_i_data_source *source,
                             const char *mirror,
                             const char *path,
                             char **out)
{
    opn_status status = OPN_OK;
    char *base = NULL;
    if (mirror == NULL)
        return opn_i_join_path(ctx, source->origin, opn_i_base_name(path), "", out);
    OPN_TRY(opn_i_join_path(ctx, NULL, mirror, "", &base));
    for (size_t n = strlen(base); n > 1 && base[n - 1] == '/'; n--)
        base[n - 1] = 0;
    OPN_TRY(opn_i_join_path(ctx, base, path, "", out));
cleanup:
    opn_i_release(&ctx->alloc, base);
    return status;
}

// Creates the folder that a file goes into.
static opn_status make_room(opn_ctx *ctx, const char *path)
{
    opn_status status = OPN_OK;
    char *folder = NULL;
    OPN_TRY(opn_i_join_path(ctx, NULL, path, "", &folder));
    folder[opn_i_base_name(path) - path] = 0;
    OPN_TRY(opn_i_make_folders(ctx, folder));
cleanup:
    opn_i_release(&ctx->alloc, folder);
    return status;
}

// What file f of a source should be: the other packing, if that is there already or is
// what is to be copied.
static const opn_i_data_file *
expected(const opn_i_data_source *source, size_t f, const char *from, const char *to)
{
    struct stat info;
    const char *at = stat(to, &info) == 0 ? to : from;
    const bool is_repacked = source->repacked != NULL && !opn_i_is_address(at) &&
                             stat(at, &info) == 0 &&
                             info.st_size == source->repacked[f].n_bytes;
    return is_repacked ? &source->repacked[f] : &source->file[f];
}

static opn_status fetch_file(opn_ctx *ctx,
                             const opn_i_data_source *source,
                             size_t f,
                             const char *folder,
                             const char *mirror,
                             const opn_i_http_limits *limits,
                             bool *fetched)
{
    opn_status status = OPN_OK;
    char *from = NULL;
    char *to = NULL;
    OPN_TRY(address_of(ctx, source, mirror, source->file[f].path, &from));
    OPN_TRY(opn_i_join_path(ctx, folder, source->file[f].path, "", &to));
    OPN_TRY(make_room(ctx, to));
    const opn_i_data_file *file = expected(source, f, from, to);
    const opn_i_fetch_job job = {.from = from,
                                 .to = to,
                                 .name = opn_i_base_name(file->path),
                                 .sha256 = file->sha256,
                                 .n_bytes = file->n_bytes,
                                 .limits = *limits};
    OPN_TRY(opn_i_fetch(ctx, &job, fetched));
    if (*fetched)
        opn_i_log(ctx, OPN_LOG_DETAIL, "%s: %lld bytes, from %s", to,
                  (long long)file->n_bytes, from);
cleanup:
    opn_i_release(&ctx->alloc, from);
    opn_i_release(&ctx->alloc, to);
    return status;
}

opn_status opn_i_data_fetch(opn_ctx *ctx,
                            const opn_i_data_source *source,
                            const char *folder,
                            const char *mirror,
                            const opn_i_http_limits *limits,
                            opn_fetch_info *info)
{
    opn_status status = OPN_OK;
    opn_fetch_info done = {0};
    if (mirror != NULL && opn_i_is_address(mirror))
        OPN_TRY(opn_i_http_check(ctx, "mirror", mirror));
    OPN_FAIL_IF(ctx,
                mirror != NULL && !opn_i_is_address(mirror) &&
                        !opn_i_folder_exists(mirror),
                OPN_ERR_READ,
                "%s: no such folder to fetch from; an address begins with http:// or "
                "https://",
                mirror);
    for (size_t f = 0; f < source->n_files; f++) {
        bool fetched = false;
        OPN_TRY(fetch_file(ctx, source, f, folder, mirror, limits, &fetched));
        done.n_files++;
        done.n_bytes += source->file[f].n_bytes;
        done.n_fetched += fetched;
        done.n_bytes_fetched += fetched ? source->file[f].n_bytes : 0;
    }
    *info = done;
cleanup:
    return status;
}

opn_status opn_data_fetch(opn_ctx *ctx,
                          const opn_dataset *dataset,
                          const char *data_dir,
                          const char *mirror,
                          opn_fetch_info *info)
{
    OPN_REJECT_NULL(ctx, dataset, info);
    opn_status status = OPN_OK;
    char folder[MAX_FOLDER];
    const opn_i_data_source *source = opn_i_data_source_of(dataset->name);
    if (source == NULL) { // embedded: nothing to fetch
        *info = (opn_fetch_info){0};
        return OPN_OK;
    }
    if (mirror == NULL || mirror[0] == 0)
        mirror = getenv("OPINE_DATA_MIRROR");
    if (mirror != NULL && mirror[0] == 0)
        mirror = NULL;
    OPN_TRY(opn_data_folder(ctx, data_dir, folder, sizeof(folder)));
    OPN_TRY(opn_i_data_fetch(ctx, source, folder, mirror, &usual_limits, info));
cleanup:
    return status;
}
