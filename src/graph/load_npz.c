// load_npz.c -- loads the npz format of the gnn-benchmark collection.
//
// adj_{data,indices,indptr,shape}    neighbours as CSR
// attr_{data,indices,indptr,shape}   features as CSR, or attr_matrix, a dense matrix
// labels                             [V] class numbers, -1 where unlabelled
// node_names, attr_names, class_names, split: optional strings

#include "graph/loaders.h"
#include "graph/roles.h"
#include "graph/sparse_input.h"
#include "io/bytes.h"
#include "io/npz.h"
#include "io/path.h"

#include <stdio.h>
#include <string.h>

// An array of the archive and the bytes it points into.
typedef struct npz_array {
    opn_i_bytes owner;
    opn_i_ndarray array;
    char what[OPN_ZIP_WHAT_ROOM]; // its name in messages
} npz_array;

static opn_status
read_array(opn_ctx *ctx, const opn_i_zip *zip, const char *name, npz_array *out)
{
    opn_i_npz_what(zip, name, out->what);
    return opn_i_npz_read(ctx, zip, name, &out->owner, &out->array);
}

// Rows and columns from the array that holds the shape of a matrix.
static opn_status
read_shape(opn_ctx *ctx, const opn_i_zip *zip, const char *name, int64_t shape[2])
{
    opn_status status = OPN_OK;
    npz_array array = {0};
    OPN_TRY(read_array(ctx, zip, name, &array));
    OPN_FAIL_IF(ctx, array.array.n_items != 2, OPN_ERR_FORMAT,
                "%s: %lld items, expected rows and columns", array.what,
                (long long)array.array.n_items);
    OPN_TRY(opn_i_ndarray_to_i64(ctx, array.what, &array.array, shape));
cleanup:
    opn_i_bytes_release(ctx, &array.owner);
    return status;
}

// Reads the matrix whose array names start with `prefix`: "adj" or "attr".
static opn_status
read_sparse(opn_ctx *ctx, const opn_i_zip *zip, const char *prefix, opn_i_csr *out)
{
    opn_status status = OPN_OK;
    npz_array data = {0};
    npz_array indices = {0};
    npz_array indptr = {0};
    int64_t shape[2];
    char name[32];
    snprintf(name, sizeof(name), "%s_shape", prefix);
    OPN_TRY(read_shape(ctx, zip, name, shape));
    snprintf(name, sizeof(name), "%s_data", prefix);
    OPN_TRY(read_array(ctx, zip, name, &data));
    snprintf(name, sizeof(name), "%s_indices", prefix);
    OPN_TRY(read_array(ctx, zip, name, &indices));
    snprintf(name, sizeof(name), "%s_indptr", prefix);
    OPN_TRY(read_array(ctx, zip, name, &indptr));
    const opn_i_sparse_input input = {
            .n_rows = shape[0],
            .n_cols = shape[1],
            .indptr = &indptr.array,
            .indices = &indices.array,
            .data = &data.array,
            .indptr_name = indptr.what,
            .indices_name = indices.what,
            .data_name = data.what,
    };
    OPN_TRY(opn_i_sparse_input_read(ctx, &input, out));
cleanup:
    opn_i_bytes_release(ctx, &data.owner);
    opn_i_bytes_release(ctx, &indices.owner);
    opn_i_bytes_release(ctx, &indptr.owner);
    return status;
}

// Drops stored zeros, which are not edges; weights that are all 1 are omitted.
static opn_status clean_weights(opn_ctx *ctx, const opn_i_zip *zip, opn_i_csr *adjacency)
{
    opn_status status = OPN_OK;
    char what[OPN_ZIP_WHAT_ROOM];
    opn_off n_kept = 0;
    opn_off n_ones = 0;
    opn_off e = 0;
    for (int32_t i = 0; i < adjacency->n_rows; i++) {
        for (; e < adjacency->row_ptr[i + 1]; e++) {
            const opn_real weight = adjacency->value[e];
            OPN_FAIL_IF(ctx, weight < 0, OPN_ERR_FORMAT,
                        "%s: item %lld is %g, but a weight must not be negative",
                        opn_i_npz_what(zip, "adj_data", what), (long long)e,
                        (double)weight);
            if (weight == 0)
                continue;
            adjacency->col_idx[n_kept] = adjacency->col_idx[e];
            adjacency->value[n_kept++] = weight;
            n_ones += weight == 1;
        }
        adjacency->row_ptr[i + 1] = n_kept;
    }
    if (n_ones == n_kept) {
        opn_i_release(&ctx->alloc, adjacency->value);
        adjacency->value = NULL;
    }
cleanup:
    return status;
}

static opn_status read_topology(opn_ctx *ctx, const opn_i_zip *zip, opn_graph *graph)
{
    opn_status status = OPN_OK;
    opn_i_csr *a = &graph->topology;
    char what[OPN_ZIP_WHAT_ROOM];
    OPN_TRY(read_sparse(ctx, zip, "adj", a));
    OPN_FAIL_IF(ctx, a->n_rows != a->n_cols, OPN_ERR_FORMAT,
                "%s: %d by %d, but an adjacency matrix is square",
                opn_i_npz_what(zip, "adj_shape", what), a->n_rows, a->n_cols);
    OPN_FAIL_IF(ctx, a->n_rows == 0, OPN_ERR_FORMAT, "%s: the graph has no nodes",
                opn_i_npz_what(zip, "adj_shape", what));
    OPN_TRY(clean_weights(ctx, zip, a));
    OPN_TRY(opn_i_csr_sort(ctx, a));
cleanup:
    return status;
}

static opn_status read_features(opn_ctx *ctx, const opn_i_zip *zip, opn_graph *graph)
{
    opn_status status = OPN_OK;
    npz_array matrix = {0};
    const bool is_dense = opn_i_npz_has(zip, "attr_matrix");
    char what[OPN_ZIP_WHAT_ROOM];
    if (is_dense) {
        OPN_TRY(read_array(ctx, zip, "attr_matrix", &matrix));
        // Checked before allocating: rows without columns take no bytes in the file.
        OPN_FAIL_IF(ctx,
                    matrix.array.n_dims == 2 &&
                            matrix.array.shape[0] != opn_i_graph_n_nodes(graph),
                    OPN_ERR_FORMAT, "%s: %lld rows, but the graph has %d nodes",
                    matrix.what, (long long)matrix.array.shape[0],
                    opn_i_graph_n_nodes(graph));
        OPN_TRY(opn_i_dense_input_read(ctx, matrix.what, &matrix.array,
                                       &graph->features));
    } else {
        OPN_TRY(read_sparse(ctx, zip, "attr", &graph->features));
    }
    OPN_FAIL_IF(ctx, graph->features.n_rows != opn_i_graph_n_nodes(graph), OPN_ERR_FORMAT,
                "%s: %d rows, but the graph has %d nodes",
                opn_i_npz_what(zip, is_dense ? "attr_matrix" : "attr_shape", what),
                graph->features.n_rows, opn_i_graph_n_nodes(graph));
    opn_i_npz_what(zip, is_dense ? "attr_matrix" : "attr_data", what);
    OPN_TRY(opn_i_features_tidy(ctx, what, &graph->features));
cleanup:
    opn_i_bytes_release(ctx, &matrix.owner);
    return status;
}

static opn_status
check_one_per_node(opn_ctx *ctx, const npz_array *array, const opn_graph *graph)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, array->array.n_items != opn_i_graph_n_nodes(graph), OPN_ERR_FORMAT,
                "%s: %lld items, but the graph has %d nodes", array->what,
                (long long)array->array.n_items, opn_i_graph_n_nodes(graph));
cleanup:
    return status;
}

static opn_status read_labels(opn_ctx *ctx, const opn_i_zip *zip, opn_graph *graph)
{
    opn_status status = OPN_OK;
    npz_array array = {0};
    const opn_vid n = opn_i_graph_n_nodes(graph);
    OPN_TRY(read_array(ctx, zip, "labels", &array));
    OPN_TRY(check_one_per_node(ctx, &array, graph));
    OPN_TRY_NEW(ctx, graph->label, n);
    OPN_TRY(opn_i_ndarray_to_i32(ctx, array.what, &array.array, graph->label));
    // More classes than nodes are a mistake, and memory grows with the largest number.
    const int32_t n_named = (int32_t)graph->class_names.n;
    const int32_t bound = n_named > 0 ? n_named : n;
    for (opn_vid i = 0; i < n; i++) {
        OPN_FAIL_IF(ctx, graph->label[i] < -1 || graph->label[i] >= bound, OPN_ERR_FORMAT,
                    "%s: item %d is %d, outside [0, %d) and not -1 for unlabelled",
                    array.what, i, graph->label[i], bound);
        if (graph->label[i] >= graph->n_classes)
            graph->n_classes = graph->label[i] + 1;
    }
    if (n_named > 0)
        graph->n_classes = n_named;
cleanup:
    opn_i_bytes_release(ctx, &array.owner);
    return status;
}

// Names are optional: if an archive stores them as Python objects, they are skipped.
static opn_status
read_names(opn_ctx *ctx, const opn_i_zip *zip, const char *name, opn_i_names *names)
{
    opn_status status = OPN_OK;
    npz_array array = {0};
    char *text = NULL;
    if (!opn_i_npz_has(zip, name))
        return OPN_OK;
    status = read_array(ctx, zip, name, &array);
    if (status == OPN_ERR_UNSUPPORTED) {
        opn_i_log(ctx, OPN_LOG_WARNING, "%s; continuing without these names",
                  opn_ctx_error(ctx));
        status = OPN_OK;
        goto cleanup;
    }
    OPN_TRY(status);
    OPN_TRY_NEW(ctx, text, opn_i_ndarray_text_room(&array.array) + 1);
    for (int64_t i = 0; i < array.array.n_items; i++) {
        size_t n_chars = 0;
        OPN_TRY(opn_i_ndarray_text(ctx, array.what, &array.array, i, text, &n_chars));
        OPN_TRY(opn_i_names_add(ctx, names, text, n_chars));
    }
cleanup:
    opn_i_release(&ctx->alloc, text);
    opn_i_bytes_release(ctx, &array.owner);
    return status;
}

static opn_status check_name_count(opn_ctx *ctx,
                                   const opn_i_zip *zip,
                                   const char *name,
                                   const opn_i_names *names,
                                   int32_t n_wanted)
{
    opn_status status = OPN_OK;
    char what[OPN_ZIP_WHAT_ROOM];
    OPN_FAIL_IF(ctx, names->n != 0 && names->n != n_wanted, OPN_ERR_FORMAT,
                "%s: %lld names, expected %d", opn_i_npz_what(zip, name, what),
                (long long)names->n, n_wanted);
cleanup:
    return status;
}

static opn_status read_split(opn_ctx *ctx, const opn_i_zip *zip, opn_graph *graph)
{
    opn_status status = OPN_OK;
    opn_i_names roles = {0};
    char what[OPN_ZIP_WHAT_ROOM];
    const opn_vid n = opn_i_graph_n_nodes(graph);
    OPN_TRY(read_names(ctx, zip, "split", &roles));
    if (!opn_i_npz_has(zip, "split"))
        goto cleanup;
    OPN_FAIL_IF(ctx, roles.n != n, OPN_ERR_FORMAT, "%s: %lld names, expected %d",
                opn_i_npz_what(zip, "split", what), (long long)roles.n, n);
    OPN_TRY_NEW(ctx, graph->given_role, n);
    for (opn_vid i = 0; i < n; i++) {
        const char *text = opn_i_names_at(&roles, i);
        OPN_FAIL_IF(ctx, !opn_i_role_parse(text, &graph->given_role[i]), OPN_ERR_FORMAT,
                    "%s: item %d is \"%s\", where " OPN_ROLE_WORDS " is needed",
                    opn_i_npz_what(zip, "split", what), i, text);
        OPN_FAIL_IF(ctx, !opn_i_role_fits(graph->given_role[i], graph->label[i]),
                    OPN_ERR_FORMAT, "%s: node %d is used to %s but has no label",
                    opn_i_npz_what(zip, "split", what), i,
                    graph->given_role[i] == OPN_ROLE_TRAIN ? "train" : "validate");
    }
cleanup:
    opn_i_names_deinit(&ctx->alloc, &roles);
    return status;
}

opn_status opn_i_load_npz(opn_ctx *ctx, const char *path, opn_graph **out)
{
    opn_status status = OPN_OK;
    opn_i_bytes bytes = {0};
    opn_i_zip *zip = NULL;
    opn_graph *graph = NULL;
    OPN_TRY(opn_i_graph_new(ctx, opn_i_base_name(path), &graph));
    OPN_TRY(opn_i_file_read(ctx, path, &bytes));
    OPN_TRY(opn_i_zip_open(ctx, opn_i_input_name(path), bytes.data, bytes.n, &zip));
    OPN_TRY(read_names(ctx, zip, "node_names", &graph->node_names));
    OPN_TRY(read_names(ctx, zip, "class_names", &graph->class_names));
    OPN_TRY(read_names(ctx, zip, "attr_names", &graph->feature_names));
    OPN_TRY(read_topology(ctx, zip, graph));
    OPN_TRY(read_features(ctx, zip, graph));
    OPN_TRY(read_labels(ctx, zip, graph));
    OPN_TRY(check_name_count(ctx, zip, "node_names", &graph->node_names,
                             opn_i_graph_n_nodes(graph)));
    OPN_TRY(check_name_count(ctx, zip, "attr_names", &graph->feature_names,
                             graph->features.n_cols));
    OPN_TRY(read_split(ctx, zip, graph));
    *out = graph;
    graph = NULL;
cleanup:
    opn_i_zip_close(zip);
    opn_i_bytes_release(ctx, &bytes);
    opn_graph_free(graph);
    return status;
}
