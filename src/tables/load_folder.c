// load_folder.c -- loads a folder of tables: edges, features, labels, perhaps a split.
//
// Nodes are the names in the labels and features, in order of first appearance; an edge
// to any other name is an error, because a misspelt name would otherwise become a node.
// Without features, edges name nodes as well. Names that are exactly the numbers 0 … n-1
// are taken as node numbers.

#include "tables/load_folder.h"

#include "graph/sparse_input.h"
#include "io/path.h"
#include "tables/class_order.h"
#include "tables/folder_reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void release_folder(opn_i_folder *folder)
{
    const opn_alloc *alloc = &folder->ctx->alloc;
    opn_i_names_deinit(alloc, &folder->nodes);
    opn_i_names_deinit(alloc, &folder->classes);
    opn_i_names_deinit(alloc, &folder->features);
    opn_i_names_deinit(alloc, &folder->edge_nodes);
    opn_i_names_deinit(alloc, &folder->entries);
    opn_i_release(alloc, folder->dir);
    opn_i_release(alloc, folder->stem);
    opn_i_release(alloc, folder->edge_path);
    opn_i_release(alloc, folder->label_of);
    opn_i_release(alloc, folder->listed);
    opn_i_release(alloc, folder->role_of);
    opn_i_release(alloc, folder->row);
    opn_i_release(alloc, folder->col);
    opn_i_release(alloc, folder->value);
    opn_i_release(alloc, folder->number);
    opn_i_release(alloc, folder->source);
    opn_i_release(alloc, folder->target);
    opn_i_release(alloc, folder->weight);
    opn_graph_free(folder->graph);
}

// ---- numbers for names ---------------------------------------------------------------

// Numbers n distinct names: by their value if they are 0 … n-1 in any order, else by
// their position. *is_numbered tells which.
static opn_status
number_names(opn_ctx *ctx, const opn_i_names *names, int32_t **out, bool *is_numbered)
{
    opn_status status = OPN_OK;
    int32_t *number = NULL;
    OPN_TRY_NEW(ctx, number, names->n);
    *is_numbered = true;
    for (int64_t i = 0; i < names->n && *is_numbered; i++) {
        const int64_t said = opn_i_plain_number(opn_i_names_at(names, i));
        *is_numbered = said >= 0 && said < names->n;
        number[i] = (int32_t)said;
    }
    for (int64_t i = 0; i < names->n && !*is_numbered; i++)
        number[i] = (int32_t)i;
    *out = number;
cleanup:
    return status;
}

// Moves the labels and class names into the graph.
static opn_status settle_labels(const opn_i_folder *folder)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    opn_graph *graph = folder->graph;
    int32_t *rank = NULL;
    OPN_TRY_NEW(ctx, rank, folder->classes.n);
    OPN_TRY(opn_i_classes_rank(ctx, &folder->classes, folder->has_classes, rank,
                               &graph->class_names));
    graph->n_classes = (int32_t)folder->classes.n;
    OPN_TRY_NEW(ctx, graph->label, folder->nodes.n);
    for (int64_t i = 0; i < folder->nodes.n; i++) {
        const int32_t label = folder->label_of[i];
        graph->label[folder->number[i]] = label < 0 ? -1 : rank[label];
    }
cleanup:
    opn_i_release(&ctx->alloc, rank);
    return status;
}

static opn_status settle_features(opn_i_folder *folder)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    opn_graph *graph = folder->graph;
    int32_t *feature = NULL;
    char *path = NULL;
    bool is_numbered = false;
    OPN_TRY(number_names(ctx, &folder->features, &feature, &is_numbered));
    for (size_t e = 0; e < folder->n_entries; e++) {
        folder->row[e] = folder->number[folder->row[e]];
        folder->col[e] = feature[folder->col[e]];
    }
    OPN_TRY(opn_i_csr_from_triples(ctx, (int32_t)folder->nodes.n,
                                   (int32_t)folder->features.n,
                                   (opn_off)folder->n_entries, folder->row, folder->col,
                                   folder->value, &graph->features.lists));
    if (folder->given != NULL)
        OPN_TRY(opn_i_join_path(ctx, NULL, folder->path, "", &path));
    else
        OPN_TRY(opn_i_join_path(ctx, folder->dir, folder->feature_file, "", &path));
    OPN_TRY(opn_i_features_tidy(ctx, path, &graph->features));
    if (!is_numbered)
        OPN_TRY(opn_i_names_copy(ctx, &folder->features, &graph->feature_names));
cleanup:
    opn_i_release(&ctx->alloc, path);
    opn_i_release(&ctx->alloc, feature);
    return status;
}

// ---- edges ---------------------------------------------------------------------------

static opn_status settle_edges(const opn_i_folder *folder)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    const int32_t n_nodes = (int32_t)folder->nodes.n;
    opn_i_csr *a = &folder->graph->topology;
    OPN_TRY(opn_i_csr_from_triples(ctx, n_nodes, n_nodes, (opn_off)folder->n_edges,
                                   folder->source, folder->target, folder->weight, a));
    size_t n_ones = 0;
    while (a->value != NULL && n_ones < folder->n_edges && a->value[n_ones] == 1)
        n_ones++;
    if (n_ones == folder->n_edges) { // weights that are all 1 are omitted
        opn_i_release(&ctx->alloc, a->value);
        a->value = NULL;
    }
cleanup:
    return status;
}

// Counts the edges of row i of `a` by whether row i of its transpose `back` has them too;
// both rows are sorted.
static void count_directions(const opn_i_csr *a,
                             const opn_i_csr *back,
                             int32_t i,
                             opn_off *n_both,
                             opn_off *n_single)
{
    opn_off at = back->row_ptr[i];
    for (opn_off e = a->row_ptr[i]; e < a->row_ptr[i + 1]; e++) {
        const int32_t j = a->col_idx[e];
        while (at < back->row_ptr[i + 1] && back->col_idx[at] < j)
            at++;
        const bool is_both = at < back->row_ptr[i + 1] && back->col_idx[at] == j;
        *n_both += j != i && is_both; // a loop has no direction
        *n_single += j != i && !is_both;
    }
}

// A list of undirected edges usually has each pair once, or each in both directions, with
// a few slips; one that mixes these may mean directions, which are not used.
static opn_status note_directions(const opn_i_folder *folder)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    const opn_i_csr *a = &folder->graph->topology;
    opn_i_csr back = {0};
    opn_off n_both = 0;
    opn_off n_single = 0;
    OPN_TRY(opn_i_csr_transpose(ctx, a, &back));
    for (int32_t i = 0; i < a->n_rows; i++)
        count_directions(a, &back, i, &n_both, &n_single);
    const opn_off some = (n_both / 2 + n_single) / 20; // fewer are slips
    if (n_both / 2 > some && n_single > some)
        OPN_TRY(opn_i_graph_note(ctx, folder->graph,
                                 "%s lists some pairs in both directions and others in "
                                 "one; edges are taken as undirected",
                                 folder->edge_file));
cleanup:
    opn_i_csr_deinit(&ctx->alloc, &back);
    return status;
}

// ---- the folder ----------------------------------------------------------------------

// The first feature whose column is called a label, or NULL.
static const char *find_label_feature(const opn_i_folder *folder, int *n_chars)
{
    char column[32];
    for (int64_t k = 0; k < folder->features.n; k++) {
        const char *name = opn_i_names_at(&folder->features, k);
        *n_chars = (int)strcspn(name, "="); // a word stands behind its column
        snprintf(column, sizeof(column), "%.*s", *n_chars, name);
        if ((size_t)*n_chars < sizeof(column) && opn_i_names_label(column))
            return name;
    }
    return NULL;
}

static void warn_of_no_label(const opn_i_folder *folder)
{
    int n_chars = 0;
    const char *feature = find_label_feature(folder, &n_chars);
    if (folder->has_node_table)
        opn_i_log(folder->ctx, OPN_LOG_WARNING,
                  "%s: no node has a label; name the column that holds them with `label`",
                  folder->path);
    else if (feature == NULL)
        opn_i_log(folder->ctx, OPN_LOG_WARNING, "%s: no node has a label", folder->path);
    else
        opn_i_log(folder->ctx, OPN_LOG_WARNING,
                  "%s: no node has a label; move column %.*s of %s, which is taken as a "
                  "feature, to a labels.csv if it is meant",
                  folder->path, n_chars, feature, folder->feature_file);
}

// Some tools write a word for a missing label.
static void warn_about_labels(const opn_i_folder *folder)
{
    static const char *const suspects[] = {"-1", "none", "NONE", NULL};
    if (folder->classes.n == 0)
        warn_of_no_label(folder);
    for (const char *const *word = suspects; *word != NULL && !folder->has_classes;
         word++)
        if (opn_i_names_find(&folder->classes, *word, strlen(*word)) >= 0)
            opn_i_log(folder->ctx, OPN_LOG_WARNING,
                      "%s: \"%s\" counts as a class; leave the label empty if there is "
                      "none",
                      folder->path, *word);
}

static opn_status read_tables(opn_i_folder *folder)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    OPN_TRY(opn_i_folder_read_classes(folder));
    OPN_TRY(opn_i_folder_read_labels(folder));
    OPN_TRY(opn_i_folder_read_features(folder));
    OPN_TRY(opn_i_folder_check_spelling(folder));
    OPN_TRY(opn_i_folder_note_ranges(folder));
    OPN_TRY(number_names(ctx, &folder->nodes, &folder->number, &folder->is_numbered));
    OPN_TRY(settle_labels(folder));
    OPN_TRY(settle_features(folder));
    OPN_TRY(opn_i_folder_read_edges(folder));
    OPN_TRY(settle_edges(folder));
    OPN_TRY(note_directions(folder));
    OPN_TRY(opn_i_folder_note_first_node(folder));
    OPN_TRY(opn_i_folder_read_split(folder));
    if (folder->given == NULL)
        OPN_TRY(opn_i_folder_note_unused(folder));
    if (!folder->is_numbered)
        OPN_TRY(opn_i_names_copy(ctx, &folder->nodes, &folder->graph->node_names));
    warn_about_labels(folder);
cleanup:
    return status;
}

// ---- where tables are ----------------------------------------------------------------

static opn_status open_folder(opn_i_folder *folder)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(folder->ctx, access(folder->path, X_OK) != 0, OPN_ERR_READ,
                "%s: cannot be opened: %s", folder->path, strerror(errno));
    OPN_TRY(opn_i_folder_open(folder));
cleanup:
    return status;
}

static opn_status open_given(opn_i_folder *folder)
{
    snprintf(folder->edge_file, sizeof(folder->edge_file), "%s",
             opn_i_base_name(folder->path));
    return OPN_OK;
}

// Which files were found beside the one that the caller named.
static opn_status note_beside(const opn_i_folder *folder)
{
    opn_status status = OPN_OK;
    if (folder->feature_file[0] != 0)
        OPN_TRY(opn_i_graph_note(folder->ctx, folder->graph,
                                 "the features are read from %s", folder->feature_file));
    if (folder->has_label_file)
        OPN_TRY(opn_i_graph_note(folder->ctx, folder->graph,
                                 "the labels are read from %s", folder->label_file));
cleanup:
    return status;
}

static opn_status load(opn_ctx *ctx,
                       const char *path,
                       const opn_i_given_table *given,
                       opn_status (*open)(opn_i_folder *folder),
                       const opn_i_load_options *options,
                       opn_graph **out)
{
    opn_status status = OPN_OK;
    opn_i_folder folder = {.ctx = ctx,
                           .path = path,
                           .given = given,
                           .label = options->label,
                           .requires_label = options->requires_label,
                           .edge_file = "edges.csv",
                           .label_file = "labels.csv"};
    OPN_TRY(opn_i_graph_new(ctx, opn_i_base_name(path), &folder.graph));
    OPN_TRY(open(&folder));
    OPN_TRY(read_tables(&folder));
    if (open == opn_i_edge_list_open)
        OPN_TRY(note_beside(&folder));
    *out = folder.graph;
    folder.graph = NULL;
cleanup:
    release_folder(&folder);
    return status;
}

opn_status opn_i_load_folder(opn_ctx *ctx,
                             const char *path,
                             const opn_i_load_options *options,
                             opn_graph **out)
{
    return load(ctx, path, NULL, open_folder, options, out);
}

opn_status opn_i_load_edge_list(opn_ctx *ctx,
                                const char *path,
                                const opn_i_load_options *options,
                                opn_graph **out)
{
    return load(ctx, path, NULL, opn_i_edge_list_open, options, out);
}

opn_status opn_i_load_tables(opn_ctx *ctx,
                             const char *path,
                             const opn_i_given_table *tables,
                             const opn_i_load_options *options,
                             opn_graph **out)
{
    return load(ctx, path, tables, open_given, options, out);
}
