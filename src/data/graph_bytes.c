// graph_bytes.c -- graphs to and from memory, as the bytes of a safetensors file.
//
// Tensors: those of graph_tensors.h, with dense features as an array x. Metadata: what
// else an opn_graph holds. Bytes may come from anywhere, so everything is checked.

#include "base/byte_block.h"
#include "data/graph_tensors.h"
#include "data/loaders.h"

#include <math.h>
#include <string.h>

static const char format_text[] = "opine graph 1";
static const char what[] = "the bytes of the graph"; // in messages
static const char array_name[] = "x";                // of dense features

// ---- writing -------------------------------------------------------------------------

// Arrays that the writer borrows until it is done.
typedef struct borrowed {
    float *weight, *value;
} borrowed;

static opn_status put_features(opn_ctx *ctx,
                               opn_i_safetensors_writer *writer,
                               const opn_i_features *x,
                               borrowed *b)
{
    if (x->dense != NULL)
        return opn_i_tensor_put_values(ctx, writer, array_name,
                                       (opn_off)x->n_rows * x->n_cols, x->dense,
                                       &b->value);
    return opn_i_tensor_put_matrix(ctx, writer, &opn_i_feature_names, &x->lists,
                                   &b->value);
}

static opn_status put_arrays(opn_ctx *ctx,
                             opn_i_safetensors_writer *writer,
                             const opn_graph *graph,
                             borrowed *b)
{
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_tensor_put_matrix(ctx, writer, &opn_i_topology_names, &graph->topology,
                                    &b->weight));
    OPN_TRY(put_features(ctx, writer, &graph->features, b));
    OPN_TRY(opn_i_tensor_put_nodes(writer, graph));
cleanup:
    return status;
}

static opn_status put_metadata(opn_i_safetensors_writer *writer, const opn_graph *graph)
{
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_safetensors_writer_add_metadata(writer, "format", format_text));
    OPN_TRY(opn_i_safetensors_writer_add_metadata(writer, "name", graph->name));
    if (graph->source != NULL)
        OPN_TRY(opn_i_safetensors_writer_add_metadata(writer, "source", graph->source));
    if (graph->dataset != NULL)
        OPN_TRY(opn_i_safetensors_writer_add_metadata(writer, "dataset",
                                                      graph->dataset->name));
    OPN_TRY(opn_i_safetensors_writer_add_int(writer, "features", graph->features.n_cols));
    OPN_TRY(opn_i_safetensors_writer_add_int(writer, "classes", graph->n_classes));
    OPN_TRY(opn_i_safetensors_writer_add_int(writer, "undirected", graph->is_undirected));
    OPN_TRY(opn_i_safetensors_writer_add_int(writer, "loaded", graph->is_loaded));
    OPN_TRY(opn_i_safetensors_writer_add_int(writer, "steps", graph->usual_steps));
    OPN_TRY(opn_i_safetensors_writer_add_int(writer, "split", graph->usual_split));
    OPN_TRY(opn_i_safetensors_writer_add_int(writer, "scaled", graph->rows_are_scaled));
    OPN_TRY(opn_i_safetensors_writer_add_int(writer, "image_height",
                                             graph->image_height));
    OPN_TRY(opn_i_safetensors_writer_add_int(writer, "image_width", graph->image_width));
cleanup:
    return status;
}

opn_status opn_graph_write(opn_ctx *ctx, const opn_graph *graph, opn_bytes **out)
{
    OPN_REJECT_NULL(ctx, graph, out);
    opn_status status = OPN_OK;
    opn_i_safetensors_writer *writer = NULL;
    borrowed b = {0};
    char *bytes = NULL;
    size_t n = 0;
    OPN_TRY(opn_i_safetensors_writer_create(ctx, &writer));
    OPN_TRY(put_arrays(ctx, writer, graph, &b));
    OPN_TRY(put_metadata(writer, graph));
    status = opn_i_safetensors_writer_take(writer, &bytes, &n);
    writer = NULL;
    OPN_TRY(status);
    OPN_TRY(opn_i_bytes_hand_over(ctx, bytes, n, out));
cleanup:
    opn_i_safetensors_writer_discard(writer);
    opn_i_release(&ctx->alloc, b.weight);
    opn_i_release(&ctx->alloc, b.value);
    return status;
}

// ---- reading -------------------------------------------------------------------------

// Dense features [n_rows,n_cols].
static opn_status get_array(opn_ctx *ctx,
                            const opn_i_safetensors *file,
                            int64_t n_rows,
                            int64_t n_cols,
                            opn_i_features *out)
{
    opn_status status = OPN_OK;
    const opn_i_tensor_view *tensor = NULL;
    opn_real *array = NULL;
    size_t n = 0;
    OPN_FAIL_IF(
            ctx, !opn_i_mul((size_t)n_rows, (size_t)n_cols, &n) || n > (size_t)INT64_MAX,
            OPN_ERR_FORMAT, "%s: %lld features are too many", what, (long long)n_cols);
    OPN_TRY(opn_i_tensor_need(ctx, what, file, array_name, OPN_TENSOR_F32, (int64_t)n,
                              &tensor));
    OPN_TRY_NEW_ROOM(ctx, array, n);
    for (size_t e = 0; e < n; e++) {
        float value = 0.0f;
        OPN_TRY_GO_ON(ctx, e, "reading the features");
        memcpy(&value, tensor->data + e * sizeof(value), sizeof(value));
        OPN_FAIL_IF(ctx, !isfinite(value), OPN_ERR_FORMAT, "%s: %s has %g at %zu", what,
                    array_name, (double)value, e);
        array[e] = (opn_real)value;
    }
    status = opn_i_features_take_array(ctx, array, (int32_t)n_rows, (int32_t)n_cols, out);
    array = NULL;
cleanup:
    opn_i_release(&ctx->alloc, array);
    return status;
}

static opn_status get_features(opn_ctx *ctx,
                               const opn_i_safetensors *file,
                               int64_t n_rows,
                               int64_t n_cols,
                               opn_i_features *out)
{
    opn_status status = OPN_OK;
    if (opn_i_safetensors_find(file, array_name) != NULL)
        return get_array(ctx, file, n_rows, n_cols, out);
    OPN_TRY(opn_i_tensor_get_matrix(ctx, what, file, &opn_i_feature_names, n_rows, n_cols,
                                    &out->lists));
    OPN_TRY(opn_i_csr_tidy(ctx, &out->lists));
    OPN_TRY(opn_i_features_settle(ctx, out));
cleanup:
    return status;
}

// Edges as they are, or, where the graph claims to be undirected, made so: a symmetric
// matrix stays as it is, and another would mislead all that trusts the claim.
static opn_status get_topology(opn_ctx *ctx,
                               const opn_i_safetensors *file,
                               int64_t n_nodes,
                               opn_graph *graph)
{
    opn_status status = OPN_OK;
    opn_i_csr a = {0};
    OPN_TRY(opn_i_tensor_get_matrix(ctx, what, file, &opn_i_topology_names, n_nodes,
                                    n_nodes, &a));
    if (graph->is_undirected) {
        OPN_TRY(opn_i_topology_undirect(ctx, &a, &graph->topology));
    } else {
        graph->topology = a;
        a = (opn_i_csr){0};
    }
cleanup:
    opn_i_csr_deinit(&ctx->alloc, &a);
    return status;
}

static opn_status
get_metadata(opn_ctx *ctx, const opn_i_safetensors *file, int64_t *n, opn_graph *graph)
{
    static const struct {
        const char *key;
        int64_t max;
    } numbers[] = {{"features", INT32_MAX - 1},
                   {"classes", INT32_MAX - 1},
                   {"undirected", 1},
                   {"loaded", 1},
                   {"steps", UINT32_MAX},
                   {"split", OPN_SPLIT_REFERENCE},
                   {"scaled", 1},
                   {"image_height", INT32_MAX},
                   {"image_width", INT32_MAX}};
    enum { N_NUMBERS = sizeof(numbers) / sizeof(numbers[0]) };
    opn_status status = OPN_OK;
    int64_t value[N_NUMBERS];
    const char *name = opn_i_safetensors_metadata(file, "name");
    const char *source = opn_i_safetensors_metadata(file, "source");
    const char *dataset = opn_i_safetensors_metadata(file, "dataset");
    for (int m = 0; m < N_NUMBERS; m++)
        OPN_TRY(opn_i_safetensors_int(ctx, what, file, numbers[m].key, 0, numbers[m].max,
                                      &value[m]));
    *n = value[0];
    graph->n_classes = (int32_t)value[1];
    graph->is_undirected = value[2] != 0;
    graph->is_loaded = value[3] != 0;
    graph->usual_steps = (uint32_t)value[4];
    graph->usual_split = (opn_split_rule)value[5];
    graph->rows_are_scaled = value[6] != 0;
    graph->image_height = (int32_t)value[7];
    graph->image_width = (int32_t)value[8];
    OPN_FAIL_IF(ctx, value[7] * value[8] != (value[7] == 0 && value[8] == 0 ? 0 : *n),
                OPN_ERR_FORMAT, "%s: images of %d x %d pixels for %lld features", what,
                graph->image_height, graph->image_width, (long long)*n);
    if (name != NULL)
        OPN_TRY(opn_i_graph_rename(ctx, graph, name, strlen(name)));
    if (source != NULL)
        OPN_TRY(opn_i_graph_set_source(ctx, graph, source));
    graph->dataset = dataset == NULL ? NULL : opn_i_dataset_called(dataset);
cleanup:
    return status;
}

static opn_status get_graph(opn_ctx *ctx, const opn_i_safetensors *file, opn_graph *graph)
{
    opn_status status = OPN_OK;
    const opn_i_tensor_view *row_ptr = NULL;
    const char *format = opn_i_safetensors_metadata(file, "format");
    int64_t n_features = 0;
    OPN_FAIL_IF(ctx, format == NULL || strcmp(format, format_text) != 0, OPN_ERR_FORMAT,
                "%s: no graph of opine, or of another version", what);
    OPN_TRY(get_metadata(ctx, file, &n_features, graph));
    OPN_TRY(opn_i_tensor_find(ctx, what, file, "row_ptr", OPN_TENSOR_I64, &row_ptr));
    OPN_FAIL_IF(ctx,
                row_ptr == NULL || row_ptr->n_items < 2 || row_ptr->n_items > INT32_MAX,
                OPN_ERR_FORMAT, "%s: no nodes, or too many", what);
    const int64_t n_nodes = row_ptr->n_items - 1;
    const bool is_loaded = graph->is_loaded;
    graph->is_loaded = false; // until all of its parts are set
    OPN_TRY(get_topology(ctx, file, n_nodes, graph));
    OPN_TRY(get_features(ctx, file, n_nodes, n_features, &graph->features));
    OPN_TRY(opn_i_tensor_get_nodes(ctx, what, file, n_nodes, n_features, graph));
    graph->is_loaded = is_loaded;
cleanup:
    return status;
}

opn_status opn_graph_read(opn_ctx *ctx, const void *data, size_t n_bytes, opn_graph **out)
{
    OPN_REJECT_NULL(ctx, data, out);
    opn_status status = OPN_OK;
    opn_i_safetensors *file = NULL;
    opn_graph *graph = NULL;
    OPN_TRY(opn_i_safetensors_open(ctx, what, data, n_bytes, &file));
    OPN_TRY(opn_i_graph_new(ctx, "graph", &graph));
    OPN_TRY(get_graph(ctx, file, graph));
    *out = graph;
    graph = NULL;
cleanup:
    opn_i_safetensors_free(file);
    opn_graph_free(graph);
    return status;
}
