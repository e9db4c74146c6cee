// save.c -- saves graphs as npz files and as folders of CSV files.

#include "arrays/npz.h"
#include "data/loaders.h"
#include "graph/graph_data.h"
#include "io/bytes.h"
#include "io/csv.h"
#include "io/file_write.h"
#include "io/new_folder.h"
#include "io/path.h"

#include <stdio.h>
#include <string.h>

// Whether a class has no node, so that the labels alone would not show it.
static opn_status has_empty_class(opn_ctx *ctx, const opn_graph *graph, bool *found)
{
    opn_status status = OPN_OK;
    int32_t *size = NULL;
    OPN_TRY_NEW(ctx, size, graph->n_classes);
    opn_graph_class_sizes(graph, size);
    *found = false;
    for (int32_t k = 0; k < graph->n_classes; k++)
        *found = *found || size[k] == 0;
cleanup:
    opn_i_release(&ctx->alloc, size);
    return status;
}

// ---- npz -----------------------------------------------------------------------------

// Arrays built for the archive, which borrows them until it is written.
typedef struct npz_parts {
    float *adj_data, *attr_data;
    opn_i_csr attr; // made where the features are no lists
    const char **node_names, **class_names, **attr_names, **split;
    int64_t adj_shape[2], attr_shape[2];
} npz_parts;

static void release_parts(opn_ctx *ctx, npz_parts *parts)
{
    opn_i_release(&ctx->alloc, parts->adj_data);
    opn_i_release(&ctx->alloc, parts->attr_data);
    opn_i_csr_deinit(&ctx->alloc, &parts->attr);
    opn_i_release(&ctx->alloc, parts->node_names);
    opn_i_release(&ctx->alloc, parts->class_names);
    opn_i_release(&ctx->alloc, parts->attr_names);
    opn_i_release(&ctx->alloc, parts->split);
}

// Values as floats, whatever type the build computes in; 1 where values are omitted.
static opn_status float_values(opn_ctx *ctx, const opn_i_csr *csr, float **out)
{
    opn_status status = OPN_OK;
    const opn_off n = opn_i_csr_n_entries(csr);
    OPN_TRY_NEW(ctx, *out, n);
    for (opn_off e = 0; e < n; e++)
        (*out)[e] = csr->value == NULL ? 1.0f : (float)csr->value[e];
cleanup:
    return status;
}

static opn_status add_matrix(opn_ctx *ctx,
                             opn_i_npz_writer *writer,
                             const char *prefix,
                             const opn_i_csr *csr,
                             float **data,
                             int64_t shape[2])
{
    opn_status status = OPN_OK;
    static const int64_t two = 2;
    const int64_t n_entries = opn_i_csr_n_entries(csr);
    const int64_t n_offsets = (int64_t)csr->n_rows + 1;
    char name[32];
    OPN_TRY(float_values(ctx, csr, data));
    shape[0] = csr->n_rows;
    shape[1] = csr->n_cols;
    snprintf(name, sizeof(name), "%s_data", prefix);
    opn_i_npz_writer_add_f32(writer, name, *data, &n_entries, 1);
    snprintf(name, sizeof(name), "%s_indices", prefix);
    opn_i_npz_writer_add_i32(writer, name, csr->col_idx, &n_entries, 1);
    snprintf(name, sizeof(name), "%s_indptr", prefix);
    opn_i_npz_writer_add_i64(writer, name, csr->row_ptr, &n_offsets, 1);
    snprintf(name, sizeof(name), "%s_shape", prefix);
    opn_i_npz_writer_add_i64(writer, name, shape, &two, 1);
cleanup:
    return status;
}

static opn_status add_names(opn_ctx *ctx,
                            opn_i_npz_writer *writer,
                            const char *array,
                            const opn_i_names *names,
                            const char ***texts)
{
    opn_status status = OPN_OK;
    if (names->n == 0)
        return OPN_OK;
    OPN_TRY_NEW(ctx, *texts, names->n);
    for (int64_t i = 0; i < names->n; i++)
        (*texts)[i] = opn_i_names_at(names, i);
    opn_i_npz_writer_add_text(writer, array, *texts, &names->n, 1);
cleanup:
    return status;
}

// Classes are named, by number if need be, when the labels do not include all of them.
static opn_status add_classes(opn_ctx *ctx,
                              opn_i_npz_writer *writer,
                              const opn_graph *graph,
                              const char ***texts)
{
    opn_status status = OPN_OK;
    opn_i_names numbers = {0};
    bool has_empty = false;
    char number[12];
    OPN_TRY(has_empty_class(ctx, graph, &has_empty));
    for (int32_t k = 0; has_empty && graph->class_names.n == 0 && k < graph->n_classes;
         k++)
        OPN_TRY(opn_i_names_add(ctx, &numbers, number,
                                (size_t)snprintf(number, sizeof(number), "%d", k)));
    OPN_TRY(add_names(ctx, writer, "class_names",
                      numbers.n > 0 ? &numbers : &graph->class_names, texts));
cleanup:
    opn_i_names_deinit(&ctx->alloc, &numbers);
    return status;
}

static opn_status add_split(opn_ctx *ctx,
                            opn_i_npz_writer *writer,
                            const opn_graph *graph,
                            const char ***texts)
{
    opn_status status = OPN_OK;
    const int64_t n = opn_i_graph_n_nodes(graph);
    if (graph->given_role == NULL)
        return OPN_OK;
    OPN_TRY_NEW(ctx, *texts, n);
    for (int64_t i = 0; i < n; i++)
        (*texts)[i] = opn_role_name((opn_role)graph->given_role[i]);
    opn_i_npz_writer_add_text(writer, "split", *texts, &n, 1);
cleanup:
    return status;
}

static opn_status save_npz(opn_ctx *ctx, const opn_graph *graph, const char *path)
{
    opn_status status = OPN_OK;
    opn_i_npz_writer *writer = NULL;
    npz_parts parts = {0};
    const opn_i_csr *attr = NULL;
    const int64_t n_nodes = opn_i_graph_n_nodes(graph);
    OPN_TRY(opn_i_npz_writer_open(ctx, path, &writer));
    OPN_TRY(add_matrix(ctx, writer, "adj", &graph->topology, &parts.adj_data,
                       parts.adj_shape));
    OPN_TRY(opn_i_features_as_lists(ctx, &graph->features, &parts.attr, &attr));
    OPN_TRY(add_matrix(ctx, writer, "attr", attr, &parts.attr_data, parts.attr_shape));
    opn_i_npz_writer_add_i32(writer, "labels", graph->label, &n_nodes, 1);
    OPN_TRY(add_names(ctx, writer, "node_names", &graph->node_names, &parts.node_names));
    OPN_TRY(add_classes(ctx, writer, graph, &parts.class_names));
    OPN_TRY(add_names(ctx, writer, "attr_names", &graph->feature_names,
                      &parts.attr_names));
    OPN_TRY(add_split(ctx, writer, graph, &parts.split));
    status = opn_i_npz_writer_commit(writer);
    writer = NULL;
cleanup:
    opn_i_npz_writer_discard(writer);
    release_parts(ctx, &parts);
    return status;
}

// ---- folder --------------------------------------------------------------------------

static void put_edges(opn_i_file_writer *file, const opn_graph *graph)
{
    const opn_i_csr *a = &graph->topology;
    char one[12];
    char other[12];
    opn_i_file_writer_printf(file, "source,target%s\n",
                             a->value != NULL ? ",weight" : "");
    for (opn_vid i = 0; i < a->n_rows && opn_i_file_writer_goes_on(file); i++) {
        for (opn_off e = a->row_ptr[i]; e < a->row_ptr[i + 1]; e++) {
            const opn_vid j = a->col_idx[e];
            if (graph->is_undirected && j < i)
                continue; // each pair only once
            opn_i_csv_put_text(file, opn_graph_node_name(graph, i, one), ',');
            opn_i_file_writer_put(file, ",", 1);
            opn_i_csv_put_text(file, opn_graph_node_name(graph, j, other), ',');
            if (a->value != NULL)
                opn_i_file_writer_printf(file, ",%.9g", (double)a->value[e]);
            opn_i_file_writer_put(file, "\n", 1);
        }
    }
}

static void put_entry(opn_i_file_writer *file,
                      const opn_graph *graph,
                      opn_vid i,
                      int32_t k,
                      double value)
{
    char number[12];
    opn_i_csv_put_text(file, opn_graph_node_name(graph, i, number), ',');
    opn_i_file_writer_put(file, ",", 1);
    opn_i_csv_put_text(file, opn_graph_feature_name(graph, k, number), ',');
    opn_i_file_writer_printf(file, ",%.9g\n", value);
}

// Sparse format. A zero for the first node declares each feature in order, so that a
// feature that no node has is not lost, and named ones keep their numbers.
static void put_features(opn_i_file_writer *file, const opn_graph *graph)
{
    const opn_i_features *x = &graph->features;
    opn_i_file_writer_printf(file, "node,feature,value\n");
    for (int32_t k = 0; k < x->n_cols; k++)
        put_entry(file, graph, 0, k, 0.0);
    for (opn_vid i = 0; i < x->n_rows && opn_i_file_writer_goes_on(file); i++)
        for (opn_i_feature_cursor at = opn_i_features_row(x, i); opn_i_feature_next(&at);)
            put_entry(file, graph, i, at.col, (double)at.value);
}

static void put_labels(opn_i_file_writer *file, const opn_graph *graph)
{
    char number[12];
    opn_i_file_writer_printf(file, "node,label\n");
    const opn_vid n_nodes = opn_i_graph_n_nodes(graph);
    for (opn_vid i = 0; i < n_nodes && opn_i_file_writer_goes_on(file); i++) {
        opn_i_csv_put_text(file, opn_graph_node_name(graph, i, number), ',');
        opn_i_file_writer_put(file, ",", 1);
        if (graph->label[i] >= 0)
            opn_i_csv_put_text(file, opn_graph_class_name(graph, graph->label[i], number),
                               ',');
        opn_i_file_writer_put(file, "\n", 1);
    }
}

static void put_classes(opn_i_file_writer *file, const opn_graph *graph)
{
    char number[12];
    opn_i_file_writer_printf(file, "class\n");
    for (int32_t k = 0; k < graph->n_classes; k++) {
        opn_i_csv_put_text(file, opn_graph_class_name(graph, k, number), ',');
        opn_i_file_writer_put(file, "\n", 1);
    }
}

static void put_split(opn_i_file_writer *file, const opn_graph *graph)
{
    char number[12];
    opn_i_file_writer_printf(file, "node,role\n");
    const opn_vid n_nodes = opn_i_graph_n_nodes(graph);
    for (opn_vid i = 0; i < n_nodes && opn_i_file_writer_goes_on(file); i++) {
        opn_i_csv_put_text(file, opn_graph_node_name(graph, i, number), ',');
        opn_i_file_writer_printf(file, ",%s\n",
                                 opn_role_name((opn_role)graph->given_role[i]));
    }
}

typedef void put_fn(opn_i_file_writer *file, const opn_graph *graph);

static const struct {
    const char *name;
    put_fn *put;
} tables[] = {{"classes.csv", put_classes},
              {"labels.csv", put_labels},
              {"features.csv", put_features},
              {"edges.csv", put_edges},
              {"split.csv", put_split}};

enum { N_TABLES = sizeof(tables) / sizeof(tables[0]) };

// classes.csv is written if sorting the labels would not give the classes, split.csv if
// the data came with a split.
static bool is_wanted(size_t t, const opn_graph *graph, bool has_empty)
{
    if (tables[t].put == put_classes)
        return has_empty || graph->class_names.n > 0;
    return tables[t].put != put_split || graph->given_role != NULL;
}

// Empty or duplicate names would be read back as something else.
static opn_status
check_names(opn_ctx *ctx, const char *path, const char *what, const opn_i_names *names)
{
    opn_status status = OPN_OK;
    opn_i_names seen = {0};
    for (int64_t i = 0; i < names->n; i++) {
        const char *name = opn_i_names_at(names, i);
        int32_t number = 0;
        OPN_FAIL_IF(
                ctx, name[0] == 0, OPN_ERR_UNSUPPORTED,
                "%s: %s %lld has an empty name, which CSV files cannot hold; write an "
                ".npz file",
                path, what, (long long)i);
        OPN_TRY(opn_i_names_intern(ctx, &seen, name, strlen(name), &number));
        OPN_FAIL_IF(
                ctx, number < i, OPN_ERR_UNSUPPORTED,
                "%s: %s %d and %lld are both called \"%s\", which CSV files cannot tell "
                "apart; write an .npz file",
                path, what, number, (long long)i, name);
    }
cleanup:
    opn_i_names_deinit(&ctx->alloc, &seen);
    return status;
}

static opn_status write_tables(opn_ctx *ctx, const opn_graph *graph, const char *folder)
{
    opn_status status = OPN_OK;
    bool has_empty = false;
    OPN_TRY(has_empty_class(ctx, graph, &has_empty));
    for (size_t t = 0; t < N_TABLES; t++) {
        opn_i_file_writer *file = NULL;
        char *path = NULL;
        if (!is_wanted(t, graph, has_empty))
            continue;
        OPN_TRY(opn_i_join_path(ctx, folder, tables[t].name, "", &path));
        status = opn_i_file_writer_open(ctx, path, &file);
        opn_i_release(&ctx->alloc, path);
        OPN_TRY(status);
        opn_i_file_writer_be_interruptible(file);
        tables[t].put(file, graph);
        OPN_TRY(opn_i_file_writer_commit(file));
        OPN_TRY(opn_i_progress(ctx, "writing tables", (int64_t)t + 1, N_TABLES,
                               "tables"));
    }
cleanup:
    return status;
}

static opn_status save_folder(opn_ctx *ctx, const opn_graph *graph, const char *path)
{
    opn_status status = OPN_OK;
    opn_i_new_folder folder = {0};
    OPN_TRY(opn_i_new_folder_open(
            ctx, path, "a graph is written to a new folder, or a name that ends in .npz",
            &folder));
    OPN_TRY(check_names(ctx, folder.path, "nodes", &graph->node_names));
    OPN_TRY(check_names(ctx, folder.path, "classes", &graph->class_names));
    OPN_TRY(check_names(ctx, folder.path, "features", &graph->feature_names));
    OPN_TRY(write_tables(ctx, graph, folder.temporary));
    OPN_TRY(opn_i_new_folder_commit(&folder));
cleanup:
    opn_i_new_folder_close(&folder);
    return status;
}

opn_status opn_graph_save(opn_ctx *ctx, const opn_graph *graph, const char *path)
{
    OPN_REJECT_NULL(ctx, graph, path);
    if (strcmp(path, "-") == 0 || opn_i_path_ends_in(path, ".npz"))
        return save_npz(ctx, graph, path);
    return save_folder(ctx, graph, path);
}
