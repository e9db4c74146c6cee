// folder_unused.c -- tables in a folder that are not read: others of the same kind, or of
// names that mean nothing here.

#include "io/path.h"
#include "tables/folder_reader.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

// Whether it is called like a table that someone may have meant for the graph.
static bool is_table(const char *name)
{
    static const char *const endings[] = {".csv",    ".tsv",    ".json",
                                          ".csv.gz", ".tsv.gz", ".json.gz"};
    for (size_t e = 0; e < sizeof(endings) / sizeof(endings[0]); e++)
        if (name[0] != '.' && opn_i_path_ends_in(name, endings[e]))
            return true;
    return false;
}

static opn_status list_used(const opn_i_folder *folder, opn_i_names *used)
{
    static const char *const kinds[] = {"edges", "classes", "split"};
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    char *path = NULL;
    const char *suffix = NULL;
    int32_t number = 0;
    OPN_TRY(opn_i_names_intern(ctx, used, folder->label_file, strlen(folder->label_file),
                               &number));
    OPN_TRY(opn_i_names_intern(ctx, used, folder->feature_file,
                               strlen(folder->feature_file), &number));
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        OPN_TRY(opn_i_table_find(folder, kinds[k], &suffix, &path));
        const char *name = path == NULL ? "" : opn_i_base_name(path);
        OPN_TRY(opn_i_names_intern(ctx, used, name, strlen(name), &number));
        opn_i_release(&ctx->alloc, path);
        path = NULL;
    }
cleanup:
    opn_i_release(&ctx->alloc, path);
    return status;
}

static opn_status
list_unused(const opn_i_folder *folder, const opn_i_names *used, opn_i_names *unused)
{
    opn_status status = OPN_OK;
    DIR *entries = opendir(folder->path);
    if (entries == NULL)
        return OPN_OK; // it may be closed to listing and open to reading
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        const size_t n = strlen(entry->d_name);
        if (is_table(entry->d_name) && opn_i_names_find(used, entry->d_name, n) < 0)
            OPN_TRY(opn_i_names_add(folder->ctx, unused, entry->d_name, n));
    }
cleanup:
    closedir(entries);
    return status;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// In the order of their names, whatever the order in the folder.
static opn_status sort_names(opn_ctx *ctx, const opn_i_names *names, opn_i_names *sorted)
{
    opn_status status = OPN_OK;
    const char **text = NULL;
    OPN_TRY_NEW(ctx, text, names->n);
    for (int64_t i = 0; i < names->n; i++)
        text[i] = opn_i_names_at(names, i);
    qsort(text, (size_t)names->n, sizeof(*text), compare_texts);
    for (int64_t i = 0; i < names->n; i++)
        OPN_TRY(opn_i_names_add(ctx, sorted, text[i], strlen(text[i])));
cleanup:
    opn_i_release(&ctx->alloc, text);
    return status;
}

opn_status opn_i_folder_note_unused(opn_i_folder *folder)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    opn_i_names used = {0};
    opn_i_names unused = {0};
    opn_i_names sorted = {0};
    opn_i_text list = {.ctx = ctx};
    bool *all = NULL;
    OPN_TRY(list_used(folder, &used));
    OPN_TRY(list_unused(folder, &used, &unused));
    if (unused.n == 0)
        goto cleanup;
    OPN_TRY(sort_names(ctx, &unused, &sorted));
    OPN_TRY_NEW(ctx, all, sorted.n);
    memset(all, true, (size_t)sorted.n * sizeof(*all));
    opn_i_list_names(&list, &sorted, all, (size_t)sorted.n, "and");
    OPN_TRY(list.status);
    OPN_TRY(opn_i_graph_note(ctx, folder->graph,
                             "%s %s not used; one file each is read for edges, features, "
                             "labels, classes and split, under these names",
                             opn_i_text_chars(&list), sorted.n == 1 ? "is" : "are"));
cleanup:
    opn_i_text_free(&list);
    opn_i_names_deinit(&ctx->alloc, &used);
    opn_i_names_deinit(&ctx->alloc, &unused);
    opn_i_names_deinit(&ctx->alloc, &sorted);
    opn_i_release(&ctx->alloc, all);
    return status;
}
