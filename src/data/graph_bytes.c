// graph_bytes.c -- graphs to and from memory, as the bytes of a safetensors file.
//
// Tensors: row_ptr, col_idx and weight of the topology, the features in the form that
// they have, the same with x_ before or x, label, role, and names as texts that a NUL
// ends each. Metadata: what else an opn_graph holds. Bytes may come from anywhere, so
// everything is checked.

#include "base/byte_block.h"
#include "data/loaders.h"
#include "io/safetensors.h"
#include "io/utf8.h"

#include <math.h>
#include <string.h>

static const char format_text[] = "opine graph 1";
static const char what[] = "the bytes of the graph"; // in messages
static const char array_name[] = "x";                // of dense features

// Lists of texts that a graph has, and what they are called.
enum { N_LISTS = 4 };
static const char *const list_names[N_LISTS] = {"node_names", "class_names",
                                                "feature_names", "notes"};

static opn_i_names *list_of(opn_graph *graph, int l)
{
    opn_i_names *const lists[N_LISTS] = {&graph->node_names, &graph->class_names,
                                         &graph->feature_names, &graph->notes};
    return lists[l];
}

// ---- writing -------------------------------------------------------------------------

// Arrays that the writer borrows until it is done.
typedef struct borrowed {
    float *weight, *value;
} borrowed;

static opn_status put_array(opn_i_safetensors_writer *writer,
                            const char *name,
                            opn_i_tensor_type type,
                            int64_t n,
                            const void *data)
{
    return opn_i_safetensors_writer_add_tensor(writer, name, type, &n, 1, data);
}

// n values as floats; none where all are 1.
static opn_status put_values(opn_ctx *ctx,
                             opn_i_safetensors_writer *writer,
                             const char *name,
                             opn_off n,
                             const opn_real *value,
                             float **packed)
{
    opn_status status = OPN_OK;
    if (value == NULL)
        return OPN_OK;
    if (sizeof(*value) == sizeof(float)) // the writer can have them as they are
        return put_array(writer, name, OPN_TENSOR_F32, n, value);
    OPN_TRY_NEW(ctx, *packed, n);
    for (opn_off e = 0; e < n; e++)
        (*packed)[e] = (float)value[e];
    OPN_TRY(put_array(writer, name, OPN_TENSOR_F32, n, *packed));
cleanup:
    return status;
}

static opn_status put_features(opn_ctx *ctx,
                               opn_i_safetensors_writer *writer,
                               const opn_i_features *x,
                               borrowed *b)
{
    opn_status status = OPN_OK;
    const opn_off n = opn_i_features_n_entries(x);
    if (x->dense != NULL)
        return put_values(ctx, writer, array_name, (opn_off)x->n_rows * x->n_cols,
                          x->dense, &b->value);
    OPN_TRY(put_array(writer, "x_row_ptr", OPN_TENSOR_I64, (int64_t)x->n_rows + 1,
                      x->lists.row_ptr));
    OPN_TRY(put_array(writer, "x_col_idx", OPN_TENSOR_I32, n, x->lists.col_idx));
    OPN_TRY(put_values(ctx, writer, "x_value", n, x->lists.value, &b->value));
cleanup:
    return status;
}

static opn_status put_arrays(opn_ctx *ctx,
                             opn_i_safetensors_writer *writer,
                             const opn_graph *graph,
                             borrowed *b)
{
    opn_status status = OPN_OK;
    const opn_i_csr *a = &graph->topology;
    const int64_t n = a->n_rows;
    OPN_TRY(put_array(writer, "row_ptr", OPN_TENSOR_I64, n + 1, a->row_ptr));
    OPN_TRY(put_array(writer, "col_idx", OPN_TENSOR_I32, opn_i_csr_n_entries(a),
                      a->col_idx));
    OPN_TRY(put_values(ctx, writer, "weight", opn_i_csr_n_entries(a), a->value,
                       &b->weight));
    OPN_TRY(put_features(ctx, writer, &graph->features, b));
    OPN_TRY(put_array(writer, "label", OPN_TENSOR_I32, n, graph->label));
    if (graph->given_role != NULL)
        OPN_TRY(put_array(writer, "role", OPN_TENSOR_U8, n, graph->given_role));
cleanup:
    return status;
}

static opn_status put_rest(opn_i_safetensors_writer *writer, const opn_graph *graph)
{
    opn_status status = OPN_OK;
    const opn_i_names *const lists[N_LISTS] = {&graph->node_names, &graph->class_names,
                                               &graph->feature_names, &graph->notes};
    for (int l = 0; l < N_LISTS; l++)
        if (lists[l]->n > 0)
            OPN_TRY(put_array(writer, list_names[l], OPN_TENSOR_U8,
                              (int64_t)lists[l]->n_text, lists[l]->text));
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
    OPN_TRY(put_rest(writer, graph));
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

// The tensor of that name, of one dimension and that type; NULL if there is none.
static opn_status find_array(opn_ctx *ctx,
                             const opn_i_safetensors *file,
                             const char *name,
                             opn_i_tensor_type type,
                             const opn_i_tensor_view **out)
{
    opn_status status = OPN_OK;
    const opn_i_tensor_view *tensor = opn_i_safetensors_find(file, name);
    OPN_FAIL_IF(ctx, tensor != NULL && (tensor->type != type || tensor->n_dims != 1),
                OPN_ERR_FORMAT, "%s: %s is no array of %s", what, name,
                opn_i_tensor_type_name(type));
    *out = tensor;
cleanup:
    return status;
}

// The same of a tensor that must have n items.
static opn_status need_array(opn_ctx *ctx,
                             const opn_i_safetensors *file,
                             const char *name,
                             opn_i_tensor_type type,
                             int64_t n,
                             const opn_i_tensor_view **out)
{
    opn_status status = OPN_OK;
    OPN_TRY(find_array(ctx, file, name, type, out));
    OPN_FAIL_IF(ctx, *out == NULL || (*out)->n_items != n, OPN_ERR_FORMAT,
                "%s: %s does not have %lld items", what, name, (long long)n);
cleanup:
    return status;
}

// Values, as the type of all arithmetic; none where the bytes have none.
static opn_status get_values(opn_ctx *ctx,
                             const opn_i_safetensors *file,
                             const char *name,
                             bool is_weight,
                             opn_i_csr *csr)
{
    opn_status status = OPN_OK;
    const opn_off n = opn_i_csr_n_entries(csr);
    const opn_i_tensor_view *tensor = NULL;
    float *packed = NULL;
    if (opn_i_safetensors_find(file, name) == NULL)
        return OPN_OK;
    OPN_TRY(need_array(ctx, file, name, OPN_TENSOR_F32, n, &tensor));
    OPN_TRY_NEW(ctx, packed, n);
    OPN_TRY(opn_i_tensor_to_f32(ctx, what, tensor, packed));
    OPN_TRY_NEW(ctx, csr->value, n + 1);
    for (opn_off e = 0; e < n; e++) {
        OPN_FAIL_IF(ctx, !isfinite(packed[e]) || (is_weight && packed[e] <= 0),
                    OPN_ERR_FORMAT, "%s: %s has %g at %lld", what, name,
                    (double)packed[e], (long long)e);
        csr->value[e] = (opn_real)packed[e];
    }
cleanup:
    opn_i_release(&ctx->alloc, packed);
    return status;
}

// The names of the tensors that make up a matrix.
typedef struct matrix_names {
    const char *row_ptr, *col_idx, *value, *column;
    bool is_weight;
} matrix_names;

static opn_status get_matrix(opn_ctx *ctx,
                             const opn_i_safetensors *file,
                             const matrix_names *names,
                             int64_t n_rows,
                             int64_t n_cols,
                             opn_i_csr *out)
{
    opn_status status = OPN_OK;
    const opn_i_tensor_view *row_ptr = NULL;
    const opn_i_tensor_view *col_idx = NULL;
    opn_i_csr csr = {0};
    OPN_TRY(need_array(ctx, file, names->row_ptr, OPN_TENSOR_I64, n_rows + 1, &row_ptr));
    OPN_TRY(find_array(ctx, file, names->col_idx, OPN_TENSOR_I32, &col_idx));
    OPN_FAIL_IF(ctx, col_idx == NULL, OPN_ERR_FORMAT, "%s: no %s", what, names->col_idx);
    OPN_TRY(opn_i_csr_init(ctx, (int32_t)n_rows, (int32_t)n_cols, col_idx->n_items, false,
                           &csr));
    OPN_TRY(opn_i_tensor_to_i64(ctx, what, row_ptr, csr.row_ptr));
    OPN_TRY(opn_i_tensor_to_i32(ctx, what, col_idx, csr.col_idx));
    // Before anything follows an offset.
    OPN_FAIL_IF(ctx, csr.row_ptr[n_rows] != col_idx->n_items, OPN_ERR_FORMAT,
                "%s: %s ends at %lld, not at %lld", what, names->row_ptr,
                (long long)csr.row_ptr[n_rows], (long long)col_idx->n_items);
    OPN_TRY(opn_i_csr_check(ctx, names->column, csr.n_rows, csr.n_cols, csr.row_ptr,
                            csr.col_idx));
    OPN_TRY(get_values(ctx, file, names->value, names->is_weight, &csr));
    *out = csr;
    csr = (opn_i_csr){0};
cleanup:
    opn_i_csr_deinit(&ctx->alloc, &csr);
    if (status == OPN_ERR_INVALID_ARG)
        status = opn_i_fail_within(ctx, OPN_ERR_FORMAT, what);
    return status;
}

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
    OPN_TRY(need_array(ctx, file, array_name, OPN_TENSOR_F32, (int64_t)n, &tensor));
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
    static const matrix_names names = {"x_row_ptr", "x_col_idx", "x_value", "feature",
                                       false};
    opn_status status = OPN_OK;
    if (opn_i_safetensors_find(file, array_name) != NULL)
        return get_array(ctx, file, n_rows, n_cols, out);
    OPN_TRY(get_matrix(ctx, file, &names, n_rows, n_cols, &out->lists));
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
    static const matrix_names names = {"row_ptr", "col_idx", "weight", "node", true};
    opn_status status = OPN_OK;
    opn_i_csr a = {0};
    OPN_TRY(get_matrix(ctx, file, &names, n_nodes, n_nodes, &a));
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
get_labels(opn_ctx *ctx, const opn_i_safetensors *file, int64_t n_nodes, opn_graph *graph)
{
    opn_status status = OPN_OK;
    const opn_i_tensor_view *tensor = NULL;
    OPN_TRY(need_array(ctx, file, "label", OPN_TENSOR_I32, n_nodes, &tensor));
    OPN_TRY_NEW(ctx, graph->label, n_nodes);
    OPN_TRY(opn_i_tensor_to_i32(ctx, what, tensor, graph->label));
    for (int64_t i = 0; i < n_nodes; i++)
        OPN_FAIL_IF(ctx, graph->label[i] < -1 || graph->label[i] >= graph->n_classes,
                    OPN_ERR_FORMAT, "%s: label %d of node %lld outside [0, %d)", what,
                    graph->label[i], (long long)i, graph->n_classes);
    if (opn_i_safetensors_find(file, "role") == NULL)
        return OPN_OK;
    OPN_TRY(need_array(ctx, file, "role", OPN_TENSOR_U8, n_nodes, &tensor));
    status = opn_graph_set_roles(ctx, graph, tensor->data);
    if (status == OPN_ERR_INVALID_ARG)
        status = opn_i_fail_within(ctx, OPN_ERR_FORMAT, what);
cleanup:
    return status;
}

// A list of texts, of which there must be n unless n is -1.
static opn_status get_list(opn_ctx *ctx,
                           const opn_i_safetensors *file,
                           const char *name,
                           int64_t n,
                           opn_i_names *names)
{
    opn_status status = OPN_OK;
    const opn_i_tensor_view *tensor = NULL;
    OPN_TRY(find_array(ctx, file, name, OPN_TENSOR_U8, &tensor));
    if (tensor == NULL)
        return OPN_OK;
    const unsigned char *text = tensor->data;
    const unsigned char *const end = text + tensor->n_items;
    OPN_FAIL_IF(ctx,
                tensor->n_items < 1 || end[-1] != 0 ||
                        !opn_i_utf8_is_valid(text, (size_t)tensor->n_items),
                OPN_ERR_FORMAT, "%s: %s is no list of texts", what, name);
    for (; text < end; text += strlen((const char *)text) + 1)
        OPN_TRY(opn_i_names_add(ctx, names, (const char *)text,
                                strlen((const char *)text)));
    OPN_FAIL_IF(ctx, n >= 0 && names->n != n, OPN_ERR_FORMAT,
                "%s: %lld %s, where %lld would fit", what, (long long)names->n, name,
                (long long)n);
cleanup:
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
    OPN_TRY(find_array(ctx, file, "row_ptr", OPN_TENSOR_I64, &row_ptr));
    OPN_FAIL_IF(ctx,
                row_ptr == NULL || row_ptr->n_items < 2 || row_ptr->n_items > INT32_MAX,
                OPN_ERR_FORMAT, "%s: no nodes, or too many", what);
    const int64_t n_nodes = row_ptr->n_items - 1;
    const int64_t count[N_LISTS] = {n_nodes, graph->n_classes, n_features, -1};
    const bool is_loaded = graph->is_loaded;
    graph->is_loaded = false; // until all of its parts are set
    OPN_TRY(get_topology(ctx, file, n_nodes, graph));
    OPN_TRY(get_features(ctx, file, n_nodes, n_features, &graph->features));
    OPN_TRY(get_labels(ctx, file, n_nodes, graph));
    for (int l = 0; l < N_LISTS; l++)
        OPN_TRY(get_list(ctx, file, list_names[l], count[l], list_of(graph, l)));
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
