// graph_data.c -- creating, freeing and reading graphs.

#include "graph/graph_data.h"

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
    opn_i_csr_deinit(&alloc, &graph->features);
    opn_i_names_deinit(&alloc, &graph->node_names);
    opn_i_names_deinit(&alloc, &graph->class_names);
    opn_i_names_deinit(&alloc, &graph->feature_names);
    opn_i_release(&alloc, graph->label);
    opn_i_release(&alloc, graph->given_role);
    opn_i_release(&alloc, graph->name);
    opn_i_release(&alloc, graph);
}

const char *opn_graph_name(const opn_graph *graph)
{
    return graph->name;
}

opn_vid opn_graph_n_nodes(const opn_graph *graph)
{
    return opn_i_graph_n_nodes(graph);
}

opn_off opn_graph_n_entries(const opn_graph *graph)
{
    return opn_i_csr_n_entries(&graph->topology);
}

int32_t opn_graph_n_features(const opn_graph *graph)
{
    return graph->features.n_cols;
}

int32_t opn_graph_n_classes(const opn_graph *graph)
{
    return graph->n_classes;
}

const opn_off *opn_graph_row_ptr(const opn_graph *graph)
{
    return graph->topology.row_ptr;
}

const opn_vid *opn_graph_col_idx(const opn_graph *graph)
{
    return graph->topology.col_idx;
}

const int32_t *opn_graph_labels(const opn_graph *graph)
{
    return graph->label;
}

void opn_graph_class_sizes(const opn_graph *graph, int32_t *size)
{
    memset(size, 0, (size_t)graph->n_classes * sizeof(*size));
    for (opn_vid i = 0; i < opn_i_graph_n_nodes(graph); i++)
        if (graph->label[i] >= 0)
            size[graph->label[i]]++;
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
    return name_or_number(&graph->node_names, i, number);
}

const char *opn_graph_class_name(const opn_graph *graph, int32_t k, char number[12])
{
    return name_or_number(&graph->class_names, k, number);
}

const char *opn_graph_feature_name(const opn_graph *graph, int32_t k, char number[12])
{
    return name_or_number(&graph->feature_names, k, number);
}
