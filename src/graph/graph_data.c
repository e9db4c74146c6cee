// graph_data.c -- creating, freeing and reading graphs.

#include "graph/graph_data.h"
#include "graph/shards.h"

#include "base/text.h"
#include "io/path.h"

#include <stdio.h>
#include <string.h>

opn_status opn_i_graph_new(opn_ctx *ctx, const char *name, opn_graph **out)
{
    opn_status status = OPN_OK;
    opn_graph *graph = NULL;
    const size_t n_name = strlen(name);
    OPN_TRY_NEW(ctx, graph, 1);
    graph->alloc = ctx->alloc;
    graph->usual_steps = OPN_STEP_UNDIRECTED;
    graph->usual_split = OPN_SPLIT_OWN;
    OPN_TRY_NEW(ctx, graph->name, n_name + 1);
    memcpy(graph->name, name, n_name);
    *out = graph;
    graph = NULL;
cleanup:
    opn_graph_free(graph);
    return status;
}

void opn_graph_free(opn_graph *graph)
{
    if (graph == NULL)
        return;
    const opn_alloc alloc = graph->alloc;
    opn_i_csr_deinit(&alloc, &graph->topology);
    opn_i_features_deinit(&alloc, &graph->features);
    opn_i_names_deinit(&alloc, &graph->node_names);
    opn_i_names_deinit(&alloc, &graph->class_names);
    opn_i_names_deinit(&alloc, &graph->feature_names);
    opn_i_shards_free(&alloc, graph->shards);
    opn_i_release(&alloc, graph->label);
    opn_i_release(&alloc, graph->given_role);
    opn_i_names_deinit(&alloc, &graph->notes);
    opn_i_release(&alloc, graph->source);
    opn_i_release(&alloc, graph->name);
    opn_i_release(&alloc, graph);
}

opn_status opn_i_graph_check_undirected(opn_ctx *ctx, const opn_graph *graph)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, !graph->is_undirected, OPN_ERR_SHAPE,
                "%s: the graph is directed; prepare it with OPN_STEP_UNDIRECTED",
                graph->name);
cleanup:
    return status;
}

opn_status
opn_i_graph_rename(opn_ctx *ctx, opn_graph *graph, const char *name, size_t n_chars)
{
    opn_status status = OPN_OK;
    char *copy = NULL;
    OPN_TRY_NEW(ctx, copy, n_chars + 1);
    memcpy(copy, name, n_chars);
    opn_i_release(&graph->alloc, graph->name);
    graph->name = copy;
cleanup:
    return status;
}

opn_status opn_i_graph_set_source(opn_ctx *ctx, opn_graph *graph, const char *path)
{
    opn_status status = OPN_OK;
    char *copy = NULL;
    OPN_TRY(opn_i_join_path(ctx, NULL, path, "", &copy));
    opn_i_release(&graph->alloc, graph->source);
    graph->source = copy;
cleanup:
    return status;
}

opn_status opn_i_graph_note(opn_ctx *ctx, opn_graph *graph, const char *fmt, ...)
{
    opn_status status = OPN_OK;
    opn_i_text text = {.ctx = ctx};
    va_list args;
    va_start(args, fmt);
    opn_i_text_add_list(&text, fmt, args);
    va_end(args);
    OPN_TRY(text.status);
    OPN_TRY(opn_i_names_add(ctx, &graph->notes, text.chars, text.n));
    opn_i_log(ctx, OPN_LOG_INFO, "%s", text.chars);
cleanup:
    opn_i_text_free(&text);
    return status;
}

const char *opn_graph_source(const opn_graph *graph)
{
    OPN_RETURN_IF_NULL(graph, "");
    return graph->source == NULL ? "" : graph->source;
}

int64_t opn_graph_note_count(const opn_graph *graph)
{
    OPN_RETURN_IF_NULL(graph, 0);
    return graph->notes.n;
}

const char *opn_graph_note(const opn_graph *graph, int64_t i)
{
    OPN_RETURN_IF_NULL(graph, "");
    return opn_i_names_at(&graph->notes, i);
}

const char *opn_graph_name(const opn_graph *graph)
{
    OPN_RETURN_IF_NULL(graph, "");
    return graph->name;
}

opn_vid opn_graph_n_nodes(const opn_graph *graph)
{
    OPN_RETURN_IF_NULL(graph, 0);
    return opn_i_graph_n_nodes(graph);
}

opn_off opn_graph_n_entries(const opn_graph *graph)
{
    OPN_RETURN_IF_NULL(graph, 0);
    return opn_i_csr_n_entries(&graph->topology);
}

int32_t opn_graph_n_features(const opn_graph *graph)
{
    OPN_RETURN_IF_NULL(graph, 0);
    return graph->features.n_cols;
}

int32_t opn_graph_n_classes(const opn_graph *graph)
{
    OPN_RETURN_IF_NULL(graph, 0);
    return graph->n_classes;
}

const opn_off *opn_graph_row_ptr(const opn_graph *graph)
{
    OPN_RETURN_IF_NULL(graph, NULL);
    return graph->topology.row_ptr;
}

const opn_vid *opn_graph_col_idx(const opn_graph *graph)
{
    OPN_RETURN_IF_NULL(graph, NULL);
    return graph->topology.col_idx;
}

int opn_graph_weights(const opn_graph *graph, float *weight)
{
    OPN_RETURN_IF_NULL(graph, 0);
    OPN_RETURN_IF_NULL(weight, 0);
    const opn_real *own = graph->topology.value;
    for (opn_off e = 0; e < opn_i_csr_n_entries(&graph->topology); e++)
        weight[e] = own == NULL ? 1.0f : (float)own[e]; // whatever the build computes in
    return own != NULL;
}

opn_off opn_graph_n_feature_entries(const opn_graph *graph)
{
    OPN_RETURN_IF_NULL(graph, 0);
    return opn_i_features_n_entries(&graph->features);
}

void opn_graph_features_csr(const opn_graph *graph,
                            opn_off *row_ptr,
                            int32_t *col_idx,
                            float *value)
{
    if (graph == NULL || row_ptr == NULL || col_idx == NULL || value == NULL)
        return;
    const opn_i_features *x = &graph->features;
    const opn_off n = opn_i_features_n_entries(x);
    opn_off e = 0;
    row_ptr[0] = 0;
    for (opn_vid i = 0; i < x->n_rows; i++) {
        opn_i_feature_cursor at = opn_i_features_row(x, i);
        for (; e < n && opn_i_feature_next(&at); e++) {
            col_idx[e] = at.col;
            value[e] = (float)at.value;
        }
        row_ptr[i + 1] = e;
    }
}

void opn_graph_features(const opn_graph *graph, float *value)
{
    if (graph == NULL || value == NULL)
        return;
    const opn_i_features *x = &graph->features;
    for (opn_vid i = 0; i < x->n_rows; i++) {
        float *row = value + (size_t)i * (size_t)x->n_cols;
        memset(row, 0, (size_t)x->n_cols * sizeof(*row));
        for (opn_i_feature_cursor at = opn_i_features_row(x, i); opn_i_feature_next(&at);)
            row[at.col] = (float)at.value;
    }
}

const uint8_t *opn_graph_roles(const opn_graph *graph)
{
    OPN_RETURN_IF_NULL(graph, NULL);
    return graph->given_role;
}

const int32_t *opn_graph_labels(const opn_graph *graph)
{
    OPN_RETURN_IF_NULL(graph, NULL);
    return graph->label;
}

void opn_graph_class_sizes(const opn_graph *graph, int32_t *size)
{
    if (graph == NULL)
        return;
    if (size == NULL)
        return;
    memset(size, 0, (size_t)graph->n_classes * sizeof(*size));
    for (opn_vid i = 0; i < opn_i_graph_n_nodes(graph); i++)
        if (graph->label[i] >= 0)
            size[graph->label[i]]++;
}

int opn_graph_has_node_names(const opn_graph *graph)
{
    OPN_RETURN_IF_NULL(graph, 0);
    return graph->node_names.n > 0;
}

int opn_graph_has_class_names(const opn_graph *graph)
{
    OPN_RETURN_IF_NULL(graph, 0);
    return graph->class_names.n > 0;
}

int opn_graph_has_feature_names(const opn_graph *graph)
{
    OPN_RETURN_IF_NULL(graph, 0);
    return graph->feature_names.n > 0;
}

static const char *name_or_number(const opn_i_names *names, int32_t i, char number[12])
{
    if (i < names->n)
        return opn_i_names_at(names, i);
    snprintf(number, 12, "%d", i);
    return number;
}

const char *opn_graph_node_name(const opn_graph *graph, opn_vid i, char number[12])
{
    OPN_RETURN_IF_NULL(graph, "");
    OPN_RETURN_IF_NULL(number, "");
    return name_or_number(&graph->node_names, i, number);
}

const char *opn_graph_class_name(const opn_graph *graph, int32_t k, char number[12])
{
    OPN_RETURN_IF_NULL(graph, "");
    OPN_RETURN_IF_NULL(number, "");
    return name_or_number(&graph->class_names, k, number);
}

const char *opn_graph_feature_name(const opn_graph *graph, int32_t k, char number[12])
{
    OPN_RETURN_IF_NULL(graph, "");
    OPN_RETURN_IF_NULL(number, "");
    return name_or_number(&graph->feature_names, k, number);
}
