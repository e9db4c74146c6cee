// load_folder.c -- loads a folder of CSV files: edges, features, labels, perhaps a split.
//
// Nodes are the names in labels.csv and features.csv, in order of first appearance; an
// edge to any other name is an error, because a misspelt name would otherwise become a
// node. Names that are exactly the numbers 0 … n-1 are taken as node numbers.

#include "graph/class_order.h"
#include "graph/folder_reader.h"
#include "graph/loaders.h"
#include "graph/roles.h"
#include "graph/sparse_input.h"
#include "io/path.h"

#include <string.h>

static const char *const source_words[] = {"source", "src", "from", "u", "node1", NULL};
static const char *const target_words[] = {"target", "dst", "to", "v", "node2", NULL};
static const char *const role_words[] = {"role", "split", "set", NULL};

static void release_folder(opn_i_folder *folder)
{
    const opn_alloc *alloc = &folder->ctx->alloc;
    opn_i_names_deinit(alloc, &folder->nodes);
    opn_i_names_deinit(alloc, &folder->classes);
    opn_i_names_deinit(alloc, &folder->features);
    opn_i_release(alloc, folder->label);
    opn_i_release(alloc, folder->listed);
    opn_i_release(alloc, folder->row);
    opn_i_release(alloc, folder->col);
    opn_i_release(alloc, folder->value);
    opn_i_release(alloc, folder->number);
    opn_i_release(alloc, folder->source);
    opn_i_release(alloc, folder->target);
    opn_i_release(alloc, folder->weight);
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
static opn_status settle_labels(opn_i_folder *folder, opn_graph *graph)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    int32_t *rank = NULL;
    OPN_TRY_NEW(ctx, rank, folder->classes.n);
    OPN_TRY(opn_i_classes_rank(ctx, &folder->classes, folder->has_classes, rank,
                               &graph->class_names));
    graph->n_classes = (int32_t)folder->classes.n;
    OPN_TRY_NEW(ctx, graph->label, folder->nodes.n);
    for (int64_t i = 0; i < folder->nodes.n; i++) {
        const int32_t label = folder->label[i];
        graph->label[folder->number[i]] = label < 0 ? -1 : rank[label];
    }
cleanup:
    opn_i_release(&ctx->alloc, rank);
    return status;
}

static opn_status settle_features(opn_i_folder *folder, opn_graph *graph)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
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
                                   folder->value, &graph->features));
    OPN_TRY(opn_i_join_path(ctx, folder->path, "features.csv", "", &path));
    OPN_TRY(opn_i_features_tidy(ctx, path, &graph->features));
    if (!is_numbered)
        OPN_TRY(opn_i_names_copy(ctx, &folder->features, &graph->feature_names));
cleanup:
    opn_i_release(&ctx->alloc, path);
    opn_i_release(&ctx->alloc, feature);
    return status;
}

// ---- edges.csv -----------------------------------------------------------------------

// Final number of the node that a field names, or -1.
static int32_t find_node(const opn_i_folder *folder, const opn_i_csv_field *field)
{
    int64_t number = -1;
    if (folder->is_numbered)
        return opn_i_csv_int(field, 0, folder->nodes.n - 1, &number) ? (int32_t)number
                                                                     : -1;
    return opn_i_names_find(&folder->nodes, field->text, field->n_chars);
}

static opn_status
require_node(const opn_i_folder *folder, const opn_i_csv *rows, size_t f, int32_t *node)
{
    opn_status status = OPN_OK;
    const opn_i_csv_field *field = &rows->field[f];
    *node = find_node(folder, field);
    if (*node >= 0)
        return OPN_OK;
    const size_t n_digits = strspn(field->text, "-0123456789");
    OPN_FAIL_IF(folder->ctx,
                folder->is_numbered && n_digits == field->n_chars && n_digits > 0,
                OPN_ERR_FORMAT, "%s:%zu: node id %s outside [0, %lld)", rows->name,
                rows->line, field->text, (long long)folder->nodes.n);
    OPN_FAIL_IF(folder->ctx, folder->is_numbered, OPN_ERR_FORMAT,
                "%s:%zu: \"%s\" is not a node id in [0, %lld)", rows->name, rows->line,
                field->text, (long long)folder->nodes.n);
    OPN_FAIL_IF(
            folder->ctx, true, OPN_ERR_FORMAT,
            "%s:%zu: node \"%s\" is in neither labels.csv nor features.csv; list it in "
            "labels.csv with an empty label if it belongs to the graph",
            rows->name, rows->line, field->text);
cleanup:
    return status;
}

static opn_status read_edge(opn_i_folder *folder, const opn_i_csv *rows)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    const size_t n = folder->n_edges;
    double weight = 1.0;
    OPN_TRY_RESERVE(ctx, folder->source, folder->source_room, n, n + 1);
    OPN_TRY_RESERVE(ctx, folder->target, folder->target_room, n, n + 1);
    OPN_TRY(require_node(folder, rows, 0, &folder->source[n]));
    OPN_TRY(require_node(folder, rows, 1, &folder->target[n]));
    if (folder->is_weighted) {
        OPN_TRY(opn_i_field_value(ctx, rows, 2, &weight));
        OPN_FAIL_IF(ctx, (opn_real)weight <= 0, OPN_ERR_FORMAT,
                    "%s:%zu: weight %s, which must be above 0", rows->name, rows->line,
                    rows->field[2].text);
        OPN_TRY_RESERVE(ctx, folder->weight, folder->weight_room, n, n + 1);
        folder->weight[n] = (opn_real)weight;
    }
    folder->n_edges++;
cleanup:
    return status;
}

// A first row of the usual words is a header, and so is one that names no node, unless it
// consists of numbers: those are ids out of range.
static bool is_edge_header(const opn_i_folder *folder, const opn_i_csv *rows)
{
    double number;
    if (opn_i_field_is(&rows->field[0], source_words) &&
        opn_i_field_is(&rows->field[1], target_words))
        return true;
    for (size_t f = 0; f < 2; f++)
        if (find_node(folder, &rows->field[f]) >= 0 ||
            opn_i_csv_real(&rows->field[f], &number))
            return false;
    return true;
}

static opn_status read_edges(opn_i_folder *folder)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    opn_i_table file = {0};
    opn_i_csv *rows = &file.rows;
    bool has_row = false;
    OPN_TRY(opn_i_table_open(folder, "edges", &file));
    OPN_FAIL_IF(ctx, !file.is_there, OPN_ERR_READ,
                "%s: no edges.csv; a folder of data holds edges.csv, features.csv and "
                "labels.csv",
                folder->path);
    OPN_TRY(opn_i_table_next(ctx, &file, 0, &has_row));
    if (!has_row)
        goto cleanup; // a graph may have no edges
    const size_t n_fields = rows->n_fields;
    OPN_FAIL_IF(ctx, n_fields != 2 && n_fields != 3, OPN_ERR_FORMAT,
                "%s:%zu: %zu fields, expected source,target or source,target,weight",
                rows->name, rows->line, n_fields);
    folder->is_weighted = n_fields == 3;
    OPN_FAIL_IF(ctx, rows->field[0].n_chars == 0, OPN_ERR_FORMAT,
                "%s:%zu: the first column has no name; leave it out, so that each row is "
                "source,target or source,target,weight",
                rows->name, rows->line);
    if (is_edge_header(folder, rows))
        OPN_TRY(opn_i_table_next(ctx, &file, n_fields, &has_row));
    while (has_row) {
        OPN_TRY(read_edge(folder, rows));
        OPN_TRY(opn_i_table_next(ctx, &file, n_fields, &has_row));
    }
cleanup:
    opn_i_table_close(ctx, &file);
    return status;
}

static opn_status settle_edges(opn_i_folder *folder, opn_graph *graph)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    const int32_t n_nodes = (int32_t)folder->nodes.n;
    opn_i_csr *a = &graph->topology;
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

// ---- split.csv -----------------------------------------------------------------------

static opn_status read_role(opn_i_folder *folder, const opn_i_csv *rows, opn_graph *graph)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    int32_t node = 0;
    uint8_t role = OPN_ROLE_POOL;
    OPN_TRY(require_node(folder, rows, 0, &node));
    OPN_FAIL_IF(ctx, !opn_i_role_parse(rows->field[1].text, &role), OPN_ERR_FORMAT,
                "%s:%zu: role \"%s\", where " OPN_ROLE_WORDS " is needed", rows->name,
                rows->line, rows->field[1].text);
    OPN_FAIL_IF(ctx, !opn_i_role_fits(role, graph->label[node]), OPN_ERR_FORMAT,
                "%s:%zu: node \"%s\" is used to %s but has no "
                "label",
                rows->name, rows->line, rows->field[0].text,
                role == OPN_ROLE_TRAIN ? "train" : "validate");
    OPN_FAIL_IF(ctx, (folder->listed[node] & OPN_IN_SPLIT) != 0, OPN_ERR_FORMAT,
                "%s:%zu: node \"%s\" is listed twice", rows->name, rows->line,
                rows->field[0].text);
    folder->listed[node] |= OPN_IN_SPLIT;
    graph->given_role[node] = role;
cleanup:
    return status;
}

// Nodes the file does not list are in the pool.
static opn_status read_split(opn_i_folder *folder, opn_graph *graph)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = folder->ctx;
    opn_i_table file = {0};
    opn_i_csv *rows = &file.rows;
    bool has_row = false;
    OPN_TRY(opn_i_table_open(folder, "split", &file));
    if (!file.is_there)
        goto cleanup;
    OPN_TRY_NEW(ctx, graph->given_role, folder->nodes.n);
    memset(graph->given_role, OPN_ROLE_POOL, (size_t)folder->nodes.n);
    OPN_TRY(opn_i_table_next(ctx, &file, 0, &has_row));
    OPN_FAIL_IF(ctx, has_row && rows->n_fields != 2, OPN_ERR_FORMAT,
                "%s:%zu: %zu fields, expected node,role", rows->name, rows->line,
                rows->n_fields);
    if (has_row && (opn_i_field_is(&rows->field[1], role_words) ||
                    opn_i_field_is(&rows->field[0], opn_i_node_words)))
        OPN_TRY(opn_i_table_next(ctx, &file, 2, &has_row));
    while (has_row) {
        OPN_TRY(read_role(folder, rows, graph));
        OPN_TRY(opn_i_table_next(ctx, &file, 2, &has_row));
    }
cleanup:
    opn_i_table_close(ctx, &file);
    return status;
}

// ---- the folder ----------------------------------------------------------------------

// Some tools write a word for a missing label.
static void warn_about_labels(const opn_i_folder *folder)
{
    static const char *const suspects[] = {"-1",   "NA",   "nan", "NaN",
                                           "null", "None", NULL};
    if (folder->classes.n == 0)
        opn_i_log(folder->ctx, OPN_LOG_WARNING, "%s: no node has a label", folder->path);
    for (const char *const *word = suspects; *word != NULL; word++)
        if (opn_i_names_find(&folder->classes, *word, strlen(*word)) >= 0)
            opn_i_log(folder->ctx, OPN_LOG_WARNING,
                      "%s: \"%s\" counts as a class; leave the label empty if there is "
                      "none",
                      folder->path, *word);
}

opn_status opn_i_load_folder(opn_ctx *ctx, const char *path, opn_graph **out)
{
    opn_status status = OPN_OK;
    opn_i_folder folder = {.ctx = ctx, .path = path};
    opn_graph *graph = NULL;
    OPN_TRY(opn_i_graph_new(ctx, opn_i_base_name(path), &graph));
    OPN_TRY(opn_i_folder_read_classes(&folder));
    OPN_TRY(opn_i_folder_read_labels(&folder));
    OPN_TRY(opn_i_folder_read_features(&folder));
    OPN_TRY(number_names(ctx, &folder.nodes, &folder.number, &folder.is_numbered));
    OPN_TRY(settle_labels(&folder, graph));
    OPN_TRY(settle_features(&folder, graph));
    OPN_TRY(read_edges(&folder));
    OPN_TRY(settle_edges(&folder, graph));
    OPN_TRY(read_split(&folder, graph));
    if (!folder.is_numbered)
        OPN_TRY(opn_i_names_copy(ctx, &folder.nodes, &graph->node_names));
    warn_about_labels(&folder);
    *out = graph;
    graph = NULL;
cleanup:
    release_folder(&folder);
    opn_graph_free(graph);
    return status;
}
