// folder_files.c -- which files hold the tables of a graph: those of a folder, or those
// beside a file of edges that begin as it does.

#include "io/path.h"
#include "tables/folder_reader.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const suffixes_of_tables[] = {".csv", ".csv.gz", ".tsv", ".tsv.gz",
                                                 ".txt", ".txt.gz", NULL};
static const char *const suffixes_of_lists[] = {"", ".gz", NULL};

// What a file of edges is called, the plainest first; SNAP's are NAME.ungraph.txt.
static const char *const edge_kinds[] = {"edges", "edge_list", "edgelist",
                                         "edge",  "links",     NULL};
static const char *const listed_kinds[] = {"edges", "edge_list", "edgelist", "edge",
                                           "links", "ungraph",   NULL};

// ---- names ---------------------------------------------------------------------------

// Bytes of the name before an ending, in upper or lower case; SIZE_MAX if it has another.
static size_t length_before(const char *name, size_t n, const char *ending)
{
    const size_t n_end = strlen(ending);
    return n >= n_end && strncasecmp(name + n - n_end, ending, n_end) == 0 ? n - n_end
                                                                           : SIZE_MAX;
}

// The same for `kind` `suffix`; what stands before has to end in a mark.
static size_t length_before_kind(const char *name, const char *kind, const char *suffix)
{
    size_t n = length_before(name, strlen(name), suffix);
    n = n == SIZE_MAX ? n : length_before(name, n, kind);
    if (n == SIZE_MAX || n == 0)
        return n;
    return n > 1 && strchr("_-.", name[n - 1]) != NULL ? n - 1 : SIZE_MAX;
}

bool opn_i_path_has_suffix(const char *path, const char *suffix)
{
    const size_t n = strlen(path);
    const size_t n_packed = length_before(path, n, ".gz");
    return length_before(path, n_packed == SIZE_MAX ? n : n_packed, suffix) != SIZE_MAX;
}

bool opn_i_path_is_edge_list(const char *path)
{
    static const char *const endings[] = {".csv",      ".tsv",   ".txt",
                                          ".edgelist", ".edges", ".el"};
    for (size_t e = 0; e < sizeof(endings) / sizeof(endings[0]); e++)
        if (opn_i_path_has_suffix(path, endings[e]))
            return true;
    return false;
}

// ---- a folder ------------------------------------------------------------------------

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

static opn_status list_entries(opn_i_folder *folder)
{
    opn_status status = OPN_OK;
    opn_i_names found = {0};
    DIR *entries = opendir(folder->dir != NULL ? folder->dir : ".");
    if (entries == NULL)
        return OPN_OK; // it may be closed to listing and open to reading
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;)
        if (entry->d_name[0] != '.')
            OPN_TRY(opn_i_names_add(folder->ctx, &found, entry->d_name,
                                    strlen(entry->d_name)));
    OPN_TRY(sort_names(folder->ctx, &found, &folder->entries));
cleanup:
    closedir(entries);
    opn_i_names_deinit(&folder->ctx->alloc, &found);
    return status;
}

// How well the name of a file fits, small is better; -1 is not at all. A name that begins
// like the file of the edges is better than one that any graph may have.
static int rank_entry(const opn_i_folder *folder,
                      const char *entry,
                      const char *kind,
                      const char *suffix)
{
    const size_t n_before = length_before_kind(entry, kind, suffix);
    if (n_before == 0)
        return 2 + (strncmp(entry, kind, strlen(kind)) != 0);
    if (n_before == SIZE_MAX || folder->stem == NULL ||
        n_before != strlen(folder->stem) ||
        strncasecmp(entry, folder->stem, n_before) != 0)
        return -1;
    return strncmp(entry, folder->stem, n_before) != 0;
}

// The path of a name in a folder that cannot be listed; NULL if nothing is there.
static opn_status probe(const opn_i_folder *folder,
                        const char *name,
                        const char *const *suffixes,
                        char **out)
{
    opn_status status = OPN_OK;
    char *path = NULL;
    for (; *suffixes != NULL; suffixes++) {
        OPN_TRY(opn_i_join_path(folder->ctx, folder->dir, name, *suffixes, &path));
        // Whatever has the name is accepted, so that opening it reports the problem.
        if (opn_i_path_is_taken(path))
            break;
        opn_i_release(&folder->ctx->alloc, path);
        path = NULL;
    }
    *out = path;
cleanup:
    return status;
}

opn_status opn_i_folder_find(const opn_i_folder *folder,
                             const char *name,
                             const char *const *suffixes,
                             char **out)
{
    opn_status status = OPN_OK;
    const char *best = NULL;
    int best_rank = 0;
    *out = NULL;
    if (folder->given != NULL)
        return OPN_OK;
    if (folder->entries.n == 0)
        return probe(folder, name, suffixes, out);
    for (const char *const *s = suffixes; *s != NULL; s++)
        for (int64_t i = 0; i < folder->entries.n; i++) {
            const char *entry = opn_i_names_at(&folder->entries, i);
            const int rank = rank_entry(folder, entry, name, *s);
            if (rank >= 0 && (best == NULL || rank < best_rank)) {
                best = entry;
                best_rank = rank;
            }
        }
    if (best != NULL)
        OPN_TRY(opn_i_join_path(folder->ctx, folder->dir, best, "", out));
cleanup:
    return status;
}

opn_status opn_i_table_find(const opn_i_folder *folder, const char *name, char **out)
{
    return opn_i_folder_find(folder, name, suffixes_of_tables, out);
}

// ---- the edges -----------------------------------------------------------------------

static void keep_edge_path(opn_i_folder *folder, char *path)
{
    folder->edge_path = path;
    snprintf(folder->edge_file, sizeof(folder->edge_file), "%s", opn_i_base_name(path));
}

// Bytes of a name before what says that it is one of edges: SIZE_MAX if nothing does, 0
// if nothing is before.
static size_t edge_stem_length(const char *name)
{
    for (const char *const *kind = listed_kinds; *kind != NULL; kind++) {
        size_t n = SIZE_MAX;
        for (const char *const *s = suffixes_of_tables; *s != NULL && n == SIZE_MAX; s++)
            n = length_before_kind(name, *kind, *s);
        for (const char *const *s = suffixes_of_lists; *s != NULL && n == SIZE_MAX; s++)
            n = length_before_kind(name, *kind, *s);
        if (n != SIZE_MAX)
            return n;
    }
    return SIZE_MAX;
}

static opn_status set_stem(opn_i_folder *folder, const char *name, size_t n)
{
    opn_status status = OPN_OK;
    OPN_TRY_NEW(folder->ctx, folder->stem, n + 1);
    memcpy(folder->stem, name, n);
cleanup:
    return status;
}

// The only file whose name ends as those of edges do; the other tables begin as it does.
static opn_status find_named_edges(opn_i_folder *folder)
{
    opn_status status = OPN_OK;
    opn_i_text list = {.ctx = folder->ctx};
    char *path = NULL;
    bool *chosen = NULL;
    size_t n_found = 0;
    int64_t found = 0;
    const size_t n = (size_t)folder->entries.n;
    OPN_TRY_NEW(folder->ctx, chosen, n);
    for (size_t i = 0; i < n; i++) {
        const char *name = opn_i_names_at(&folder->entries, (int64_t)i);
        const size_t n_stem = edge_stem_length(name);
        chosen[i] = n_stem != SIZE_MAX && n_stem > 0;
        found = chosen[i] ? (int64_t)i : found;
        n_found += chosen[i];
    }
    opn_i_list_names(&list, &folder->entries, chosen, n, "and");
    OPN_TRY(list.status);
    OPN_FAIL_IF(folder->ctx, n_found > 1, OPN_ERR_FORMAT,
                "%s: several files of edges: %s; name the one to read", folder->path,
                opn_i_text_chars(&list));
    if (n_found == 0)
        goto cleanup;
    const char *name = opn_i_names_at(&folder->entries, found);
    OPN_TRY(set_stem(folder, name, edge_stem_length(name)));
    OPN_TRY(opn_i_join_path(folder->ctx, folder->dir, name, "", &path));
    keep_edge_path(folder, path);
cleanup:
    opn_i_text_free(&list);
    opn_i_release(&folder->ctx->alloc, chosen);
    return status;
}

opn_status opn_i_folder_open(opn_i_folder *folder)
{
    opn_status status = OPN_OK;
    char *path = NULL;
    OPN_TRY(opn_i_join_path(folder->ctx, NULL, folder->path, "", &folder->dir));
    OPN_TRY(list_entries(folder));
    for (const char *const *kind = edge_kinds; *kind != NULL && path == NULL; kind++)
        OPN_TRY(opn_i_table_find(folder, *kind, &path));
    if (path != NULL)
        keep_edge_path(folder, path);
    else
        OPN_TRY(find_named_edges(folder));
cleanup:
    return status;
}

// Bytes of a name before .txt, .csv.gz and so on.
static size_t stem_length(const char *name)
{
    const size_t n = strlen(name);
    size_t end = length_before(name, n, ".gz");
    end = end == SIZE_MAX ? n : end;
    while (end > 1 && name[end - 1] != '.')
        end--;
    return end > 1 ? end - 1 : n;
}

// Whether the name is that of another table than one of edges.
static bool is_other_table(const char *name)
{
    static const char *const kinds[] = {"labels",   "label",   "target", "targets",
                                        "features", "classes", "split",  "nodes"};
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
        for (const char *const *s = suffixes_of_tables; *s != NULL; s++)
            if (length_before_kind(name, kinds[k], *s) != SIZE_MAX)
                return true;
    return false;
}

opn_status opn_i_edge_list_open(opn_i_folder *folder)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    const char *name = opn_i_base_name(folder->path);
    char *path = NULL;
    OPN_FAIL_IF(ctx, is_other_table(name), OPN_ERR_READ,
                "%s: is a single table; name the folder that holds edges.csv, "
                "features.csv and labels.csv, or the file of the edges",
                folder->path);
    if (name > folder->path) {
        OPN_TRY(opn_i_join_path(ctx, NULL, folder->path, "", &folder->dir));
        folder->dir[name - folder->path - (name - folder->path > 1)] = 0;
    }
    const size_t n_edges = edge_stem_length(name);
    const size_t n_stem = n_edges == SIZE_MAX ? stem_length(name) : n_edges;
    if (n_stem > 0)
        OPN_TRY(set_stem(folder, name, n_stem));
    OPN_TRY(list_entries(folder));
    OPN_TRY(opn_i_join_path(ctx, NULL, folder->path, "", &path));
    keep_edge_path(folder, path);
cleanup:
    return status;
}
