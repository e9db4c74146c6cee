// folder_unused.c -- tables in a folder that are not read: others of the same kind, or of
// names that mean nothing here.

#include "io/path.h"
#include "tables/folder_reader.h"

#include <string.h>
#include <strings.h>

// Whether it is called like a table that someone may have meant for the graph; a .txt may
// be anything but where its name begins as the others do.
static bool is_table(const opn_i_folder *folder, const char *name)
{
    return opn_i_path_has_suffix(name, ".csv") || opn_i_path_has_suffix(name, ".tsv") ||
           opn_i_path_has_suffix(name, ".json") ||
           (folder->stem != NULL && opn_i_path_has_suffix(name, ".txt"));
}

static opn_status list_used(const opn_i_folder *folder, opn_i_names *used)
{
    static const char *const kinds[] = {"classes", "split"};
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    char *path = NULL;
    int32_t number = 0;
    OPN_TRY(opn_i_names_intern(ctx, used, folder->edge_file, strlen(folder->edge_file),
                               &number));
    OPN_TRY(opn_i_names_intern(ctx, used, folder->label_file, strlen(folder->label_file),
                               &number));
    OPN_TRY(opn_i_names_intern(ctx, used, folder->feature_file,
                               strlen(folder->feature_file), &number));
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        OPN_TRY(opn_i_table_find(folder, kinds[k], &path));
        const char *name = path == NULL ? "" : opn_i_base_name(path);
        OPN_TRY(opn_i_names_intern(ctx, used, name, strlen(name), &number));
        opn_i_release(&ctx->alloc, path);
        path = NULL;
    }
cleanup:
    opn_i_release(&ctx->alloc, path);
    return status;
}

// Beside a file of edges, only what begins as it does may have been meant.
static bool is_of_graph(const opn_i_folder *folder, const char *name)
{
    const size_t n = folder->stem == NULL ? 0 : strlen(folder->stem);
    const bool is_lone = n > 0 || opn_i_path_is_edge_list(folder->path);
    return !is_lone || (n > 0 && strncasecmp(name, folder->stem, n) == 0 &&
                        name[n] != 0 && strchr("_-.", name[n]) != NULL);
}

// Whether the file is the one of the edges, packed or not.
static bool is_copy_of_edges(const opn_i_folder *folder, const char *name)
{
    const char *edges = folder->edge_file;
    const size_t n = strlen(name) < strlen(edges) ? strlen(name) : strlen(edges);
    return strncmp(name, edges, n) == 0 &&
           (strcmp(name + n, ".gz") == 0 || strcmp(edges + n, ".gz") == 0);
}

static opn_status
list_unused(const opn_i_folder *folder, const opn_i_names *used, opn_i_names *unused)
{
    opn_status status = OPN_OK;
    for (int64_t i = 0; i < folder->entries.n; i++) {
        const char *name = opn_i_names_at(&folder->entries, i);
        const size_t n = strlen(name);
        if (is_table(folder, name) && is_of_graph(folder, name) &&
            !is_copy_of_edges(folder, name) && opn_i_names_find(used, name, n) < 0)
            OPN_TRY(opn_i_names_add(folder->ctx, unused, name, n));
    }
cleanup:
    return status;
}

opn_status opn_i_folder_note_unused(opn_i_folder *folder)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    opn_i_names used = {0};
    opn_i_names unused = {0};
    opn_i_text list = {.ctx = ctx};
    bool *all = NULL;
    OPN_TRY(list_used(folder, &used));
    OPN_TRY(list_unused(folder, &used, &unused));
    if (unused.n == 0)
        goto cleanup;
    OPN_TRY_NEW(ctx, all, unused.n);
    memset(all, true, (size_t)unused.n * sizeof(*all));
    opn_i_list_names(&list, &unused, all, (size_t)unused.n, "and");
    OPN_TRY(list.status);
    OPN_TRY(opn_i_graph_note(ctx, folder->graph,
                             "%s %s not used; one file each is read for edges, features, "
                             "labels, classes and split, under these names",
                             opn_i_text_chars(&list), unused.n == 1 ? "is" : "are"));
cleanup:
    opn_i_text_free(&list);
    opn_i_names_deinit(&ctx->alloc, &used);
    opn_i_names_deinit(&ctx->alloc, &unused);
    opn_i_release(&ctx->alloc, all);
    return status;
}
