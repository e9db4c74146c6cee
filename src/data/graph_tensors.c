// graph_tensors.c -- parts of a graph to and from the tensors of safetensors files.

#include "data/graph_tensors.h"

#include "io/utf8.h"

#include <math.h>
#include <string.h>

const opn_i_matrix_names opn_i_topology_names = {"row_ptr", "col_idx", "weight", "node",
                                                 true};
const opn_i_matrix_names opn_i_feature_names = {"x_row_ptr", "x_col_idx", "x_value",
                                                "feature", false};

// ---- lists of texts ------------------------------------------------------------------

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

opn_status opn_i_tensor_put(opn_i_safetensors_writer *writer,
                            const char *name,
                            opn_i_tensor_type type,
                            int64_t n,
                            const void *data)
{
    return opn_i_safetensors_writer_add_tensor(writer, name, type, &n, 1, data);
}

opn_status opn_i_tensor_put_values(opn_ctx *ctx,
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
        return opn_i_tensor_put(writer, name, OPN_TENSOR_F32, n, value);
    OPN_TRY_NEW(ctx, *packed, n);
    for (opn_off e = 0; e < n; e++)
        (*packed)[e] = (float)value[e];
    OPN_TRY(opn_i_tensor_put(writer, name, OPN_TENSOR_F32, n, *packed));
cleanup:
    return status;
}

opn_status opn_i_tensor_put_matrix(opn_ctx *ctx,
                                   opn_i_safetensors_writer *writer,
                                   const opn_i_matrix_names *names,
                                   const opn_i_csr *csr,
                                   float **packed)
{
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_tensor_put(writer, names->row_ptr, OPN_TENSOR_I64,
                             (int64_t)csr->n_rows + 1, csr->row_ptr));
    OPN_TRY(opn_i_tensor_put(writer, names->col_idx, OPN_TENSOR_I32,
                             opn_i_csr_n_entries(csr), csr->col_idx));
    OPN_TRY(opn_i_tensor_put_values(ctx, writer, names->value, opn_i_csr_n_entries(csr),
                                    csr->value, packed));
cleanup:
    return status;
}

opn_status opn_i_tensor_put_nodes(opn_i_safetensors_writer *writer,
                                  const opn_graph *graph)
{
    opn_status status = OPN_OK;
    const int64_t n = opn_i_graph_n_nodes(graph);
    const opn_i_names *const lists[N_LISTS] = {&graph->node_names, &graph->class_names,
                                               &graph->feature_names, &graph->notes};
    OPN_TRY(opn_i_tensor_put(writer, "label", OPN_TENSOR_I32, n, graph->label));
    if (graph->given_role != NULL)
        OPN_TRY(opn_i_tensor_put(writer, "role", OPN_TENSOR_U8, n, graph->given_role));
    for (int l = 0; l < N_LISTS; l++)
        if (lists[l]->n > 0)
            OPN_TRY(opn_i_tensor_put(writer, list_names[l], OPN_TENSOR_U8,
                                     (int64_t)lists[l]->n_text, lists[l]->text));
cleanup:
    return status;
}

// ---- reading -------------------------------------------------------------------------

opn_status opn_i_tensor_find(opn_ctx *ctx,
                             const char *what,
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

opn_status opn_i_tensor_need(opn_ctx *ctx,
                             const char *what,
                             const opn_i_safetensors *file,
                             const char *name,
                             opn_i_tensor_type type,
                             int64_t n,
                             const opn_i_tensor_view **out)
{
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_tensor_find(ctx, what, file, name, type, out));
    OPN_FAIL_IF(ctx, *out == NULL || (*out)->n_items != n, OPN_ERR_FORMAT,
                "%s: %s does not have %lld items", what, name, (long long)n);
cleanup:
    return status;
}

// Values, as the type of all arithmetic; none where the bytes have none.
static opn_status get_values(opn_ctx *ctx,
                             const char *what,
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
    OPN_TRY(opn_i_tensor_need(ctx, what, file, name, OPN_TENSOR_F32, n, &tensor));
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

opn_status opn_i_tensor_get_matrix(opn_ctx *ctx,
                                   const char *what,
                                   const opn_i_safetensors *file,
                                   const opn_i_matrix_names *names,
                                   int64_t n_rows,
                                   int64_t n_cols,
                                   opn_i_csr *out)
{
    opn_status status = OPN_OK;
    const opn_i_tensor_view *row_ptr = NULL;
    const opn_i_tensor_view *col_idx = NULL;
    opn_i_csr csr = {0};
    OPN_TRY(opn_i_tensor_need(ctx, what, file, names->row_ptr, OPN_TENSOR_I64, n_rows + 1,
                              &row_ptr));
    OPN_TRY(opn_i_tensor_find(ctx, what, file, names->col_idx, OPN_TENSOR_I32, &col_idx));
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
    OPN_TRY(get_values(ctx, what, file, names->value, names->is_weight, &csr));
    *out = csr;
    csr = (opn_i_csr){0};
cleanup:
    opn_i_csr_deinit(&ctx->alloc, &csr);
    if (status == OPN_ERR_INVALID_ARG)
        status = opn_i_fail_within(ctx, OPN_ERR_FORMAT, what);
    return status;
}

static opn_status get_labels(opn_ctx *ctx,
                             const char *what,
                             const opn_i_safetensors *file,
                             int64_t n_nodes,
                             opn_graph *graph)
{
    opn_status status = OPN_OK;
    const opn_i_tensor_view *tensor = NULL;
    OPN_TRY(opn_i_tensor_need(ctx, what, file, "label", OPN_TENSOR_I32, n_nodes,
                              &tensor));
    OPN_TRY_NEW(ctx, graph->label, n_nodes);
    OPN_TRY(opn_i_tensor_to_i32(ctx, what, tensor, graph->label));
    for (int64_t i = 0; i < n_nodes; i++)
        OPN_FAIL_IF(ctx, graph->label[i] < -1 || graph->label[i] >= graph->n_classes,
                    OPN_ERR_FORMAT, "%s: label %d of node %lld outside [0, %d)", what,
                    graph->label[i], (long long)i, graph->n_classes);
    if (opn_i_safetensors_find(file, "role") == NULL)
        return OPN_OK;
    OPN_TRY(opn_i_tensor_need(ctx, what, file, "role", OPN_TENSOR_U8, n_nodes, &tensor));
    status = opn_graph_set_roles(ctx, graph, tensor->data);
    if (status == OPN_ERR_INVALID_ARG)
        status = opn_i_fail_within(ctx, OPN_ERR_FORMAT, what);
cleanup:
    return status;
}

// A list of texts, of which there must be n unless n is -1.
static opn_status get_list(opn_ctx *ctx,
                           const char *what,
                           const opn_i_safetensors *file,
                           const char *name,
                           int64_t n,
                           opn_i_names *names)
{
    opn_status status = OPN_OK;
    const opn_i_tensor_view *tensor = NULL;
    OPN_TRY(opn_i_tensor_find(ctx, what, file, name, OPN_TENSOR_U8, &tensor));
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

opn_status opn_i_tensor_get_nodes(opn_ctx *ctx,
                                  const char *what,
                                  const opn_i_safetensors *file,
                                  int64_t n_nodes,
                                  int64_t n_features,
                                  opn_graph *graph)
{
    opn_status status = OPN_OK;
    const int64_t count[N_LISTS] = {n_nodes, graph->n_classes, n_features, -1};
    OPN_TRY(get_labels(ctx, what, file, n_nodes, graph));
    for (int l = 0; l < N_LISTS; l++)
        OPN_TRY(get_list(ctx, what, file, list_names[l], count[l], list_of(graph, l)));
cleanup:
    return status;
}
