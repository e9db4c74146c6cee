// run_shard.c -- which runs of an experiment a process does, and the files of shards.

#include "experiment/run_shard.h"

#include "base/number.h"
#include "io/path.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- division ------------------------------------------------------------------------

opn_status opn_i_shard_init(opn_ctx *ctx,
                            const opn_params *params,
                            const char *folder,
                            opn_i_shard *out)
{
    opn_status status = OPN_OK;
    int64_t part = 0;
    int64_t n_parts = 0;
    OPN_FAIL_IF(ctx, !opn_params_given(params, "shard"), OPN_ERR_INVALID_ARG,
                "`shard`: say which part of the runs to do, such as 1/4");
    OPN_FAIL_IF(ctx, folder == NULL, OPN_ERR_INVALID_ARG,
                "`shard` needs a folder (`output`), where all shards keep their results");
    (void)opn_i_parse_part(opn_params_text(params, "shard"), &part, &n_parts);
    *out = (opn_i_shard){.part = (int32_t)part, .n_parts = (int32_t)n_parts};
cleanup:
    return status;
}

opn_status opn_i_shard_refuse(opn_ctx *ctx, const opn_params *params, const char *what)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, opn_params_given(params, "shard"), OPN_ERR_INVALID_ARG,
                "`shard` %s: a part of the runs %s", opn_params_text(params, "shard"),
                what);
cleanup:
    return status;
}

opn_i_share opn_i_shard_deal(opn_i_shard *shard, int32_t n)
{
    if (shard == NULL)
        return (opn_i_share){.first = 0, .step = 1, .n = n};
    const int64_t n_parts = shard->n_parts;
    const int64_t turn = shard->n_dealt % n_parts; // whose turn it is, from 0
    const int32_t first = (int32_t)((shard->part - 1 - turn + n_parts) % n_parts);
    const int32_t own = first < n ? (n - 1 - first) / shard->n_parts + 1 : 0;
    shard->n_dealt += n;
    shard->n_runs += own;
    return (opn_i_share){.first = first, .step = shard->n_parts, .n = own};
}

opn_shard_summary opn_i_shard_summary(const opn_i_shard *shard)
{
    return (opn_shard_summary){.part = shard->part,
                               .n_parts = shard->n_parts,
                               .n_runs = shard->n_runs,
                               .n_results = shard->n_results};
}

// ---- files ---------------------------------------------------------------------------

opn_status opn_i_shard_path(opn_ctx *ctx,
                            const char *folder,
                            const char *shards,
                            const opn_i_shard *shard,
                            char **out)
{
    opn_status status = OPN_OK;
    char *within = NULL;
    char name[40];
    snprintf(name, sizeof(name), "%d-of-%d.jsonl", (int)shard->part, (int)shard->n_parts);
    OPN_TRY(opn_i_join_path(ctx, folder, shards, "", &within));
    OPN_TRY(opn_i_join_path(ctx, within, name, "", out));
cleanup:
    opn_i_release(&ctx->alloc, within);
    return status;
}

// Whether a name is I-of-N.jsonl; what is being written has a longer one.
static bool is_shard_name(const char *name)
{
    static const char digits[] = "0123456789";
    const size_t n_part = strspn(name, digits);
    const char *of = name + n_part;
    if (n_part == 0 || strncmp(of, "-of-", 4) != 0)
        return false;
    const size_t n_parts = strspn(of + 4, digits);
    return n_parts > 0 && strcmp(of + 4 + n_parts, ".jsonl") == 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// Adds the names to `out` as paths, in order.
static opn_status
add_sorted(opn_ctx *ctx, const char *folder, const opn_i_names *names, opn_i_names *out)
{
    opn_status status = OPN_OK;
    const char **sorted = NULL;
    char *path = NULL;
    OPN_TRY_NEW(ctx, sorted, names->n);
    for (int64_t i = 0; i < names->n; i++)
        sorted[i] = opn_i_names_at(names, i);
    qsort((void *)sorted, (size_t)names->n, sizeof(*sorted), compare_names);
    for (int64_t i = 0; i < names->n; i++) {
        OPN_TRY(opn_i_join_path(ctx, folder, sorted[i], "", &path));
        OPN_TRY(opn_i_names_add(ctx, out, path, strlen(path)));
        opn_i_release(&ctx->alloc, path);
        path = NULL;
    }
cleanup:
    opn_i_release(&ctx->alloc, path);
    opn_i_release(&ctx->alloc, (void *)sorted);
    return status;
}

opn_status
opn_i_shard_list(opn_ctx *ctx, const char *folder, const char *shards, opn_i_names *out)
{
    opn_status status = OPN_OK;
    opn_i_names names = {0};
    char *within = NULL;
    DIR *listing = NULL;
    OPN_TRY(opn_i_join_path(ctx, folder, shards, "", &within));
    listing = opendir(within);
    OPN_FAIL_IF(ctx, listing == NULL && errno != ENOENT, OPN_ERR_READ,
                "%s: cannot be read: %s", within, strerror(errno));
    const struct dirent *entry = NULL;
    while (listing != NULL && (entry = readdir(listing)) != NULL)
        if (is_shard_name(entry->d_name))
            OPN_TRY(opn_i_names_add(ctx, &names, entry->d_name, strlen(entry->d_name)));
    if (names.n > 0)
        OPN_TRY(add_sorted(ctx, within, &names, out));
cleanup:
    if (listing != NULL)
        (void)closedir(listing);
    opn_i_names_deinit(&ctx->alloc, &names);
    opn_i_release(&ctx->alloc, within);
    return status;
}
