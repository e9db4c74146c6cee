// prepare.c -- preprocessing steps, each of which turns one graph into the next.

#include "graph/feature_scale.h"
#include "graph/graph_data.h"
#include "graph/shards.h"

#include <string.h>

static const struct {
    const char *name;
    uint32_t step;
} step_names[] = {
        {"undirected", OPN_STEP_UNDIRECTED},
        {"largest-component", OPN_STEP_LARGEST_COMPONENT},
        {"binary-features", OPN_STEP_BINARY_FEATURES},
        {"row-normalise", OPN_STEP_ROW_NORMALISE},
        {"standardise", OPN_STEP_STANDARDISE},
        {"none", 0},
};

enum { N_STEP_NAMES = sizeof(step_names) / sizeof(step_names[0]) };

opn_status opn_steps_parse(opn_ctx *ctx, const char *text, uint32_t *steps)
{
    OPN_REJECT_NULL(ctx, text, steps);
    opn_status status = OPN_OK;
    uint32_t found = 0;
    while (*text != 0) {
        const size_t n = strcspn(text, ",");
        size_t s = 0;
        while (s < N_STEP_NAMES && (strlen(step_names[s].name) != n ||
                                    memcmp(step_names[s].name, text, n) != 0))
            s++;
        OPN_FAIL_IF(ctx, s == N_STEP_NAMES, OPN_ERR_INVALID_ARG,
                    "\"%.*s\" is not a step; the steps are undirected, "
                    "largest-component, "
                    "binary-features, row-normalise, standardise and none",
                    (int)n, text);
        found |= step_names[s].step;
        text += n + (text[n] == ',');
    }
    *steps = found;
cleanup:
    return status;
}

uint32_t opn_graph_usual_steps(const opn_graph *graph)
{
    OPN_RETURN_IF_NULL(graph, 0);
    return graph->usual_steps;
}

static opn_status copy_array(opn_ctx *ctx, const void *from, size_t n_bytes, void **out)
{
    opn_status status = OPN_OK;
    unsigned char *copy = NULL;
    OPN_TRY_NEW(ctx, copy, n_bytes);
    memcpy(copy, from, n_bytes);
    *out = copy;
cleanup:
    return status;
}

// Copies all but the topology and the features.
static opn_status copy_rest(opn_ctx *ctx, const opn_graph *from, opn_graph **out)
{
    opn_status status = OPN_OK;
    opn_graph *graph = NULL;
    const size_t n_nodes = (size_t)opn_i_graph_n_nodes(from);
    void *copied = NULL;
    OPN_TRY(opn_i_graph_new(ctx, from->name, &graph));
    graph->n_classes = from->n_classes;
    graph->is_loaded = from->is_loaded;
    graph->is_undirected = from->is_undirected;
    graph->rows_are_scaled = from->rows_are_scaled;
    graph->usual_steps = from->usual_steps;
    graph->usual_split = from->usual_split;
    graph->dataset = from->dataset;
    graph->image_height = from->image_height;
    graph->image_width = from->image_width;
    OPN_TRY(copy_array(ctx, from->label, n_nodes * sizeof(*from->label), &copied));
    graph->label = copied;
    if (from->given_role != NULL) {
        OPN_TRY(copy_array(ctx, from->given_role, n_nodes, &copied));
        graph->given_role = copied;
    }
    OPN_TRY(opn_i_graph_set_source(ctx, graph, opn_graph_source(from)));
    OPN_TRY(opn_i_names_copy(ctx, &from->notes, &graph->notes));
    OPN_TRY(opn_i_names_copy(ctx, &from->node_names, &graph->node_names));
    OPN_TRY(opn_i_names_copy(ctx, &from->class_names, &graph->class_names));
    OPN_TRY(opn_i_names_copy(ctx, &from->feature_names, &graph->feature_names));
    *out = graph;
    graph = NULL;
cleanup:
    opn_graph_free(graph);
    return status;
}

// Nodes of the largest component, in order; among equal ones, the component with the
// smallest node, as SciPy users get from argmax.
static opn_status
largest_component(opn_ctx *ctx, const opn_graph *graph, int32_t **nodes, int32_t *n_nodes)
{
    opn_status status = OPN_OK;
    const int32_t n = opn_i_graph_n_nodes(graph);
    int32_t *component = NULL;
    int32_t *size = NULL;
    int32_t *kept = NULL;
    int32_t n_components = 0;
    OPN_TRY_NEW(ctx, component, n);
    OPN_TRY(opn_i_graph_components(ctx, graph, component, &n_components));
    OPN_TRY_NEW(ctx, size, (size_t)n_components + 1);
    for (int32_t i = 0; i < n; i++)
        size[component[i]]++;
    int32_t best = 0;
    for (int32_t c = 1; c < n_components; c++)
        if (size[c] > size[best])
            best = c;
    OPN_TRY_NEW(ctx, kept, size[best]);
    int32_t n_kept = 0;
    for (int32_t i = 0; i < n; i++)
        if (component[i] == best)
            kept[n_kept++] = i;
    *nodes = kept;
    *n_nodes = n_kept;
cleanup:
    opn_i_release(&ctx->alloc, component);
    opn_i_release(&ctx->alloc, size);
    return status;
}

// Renumbers the columns; all of them are kept nodes.
static opn_status
renumber_columns(opn_ctx *ctx, opn_i_csr *topology, const int32_t *node, int32_t n_kept)
{
    opn_status status = OPN_OK;
    int32_t *number = NULL;
    OPN_TRY_NEW(ctx, number, topology->n_cols);
    for (int32_t i = 0; i < n_kept; i++)
        number[node[i]] = i;
    for (opn_off e = 0; e < opn_i_csr_n_entries(topology); e++)
        topology->col_idx[e] = number[topology->col_idx[e]];
    topology->n_cols = n_kept;
cleanup:
    opn_i_release(&ctx->alloc, number);
    return status;
}

// Replaces the graph by its largest component. Components are closed, so only the edges
// of dropped nodes are lost.
static opn_status keep_largest_component(opn_ctx *ctx, opn_graph *graph)
{
    opn_status status = OPN_OK;
    int32_t *node = NULL;
    int32_t n_kept = 0;
    opn_i_csr topology = {0};
    opn_i_features features = {0};
    opn_i_names names = {0};
    OPN_TRY(largest_component(ctx, graph, &node, &n_kept));
    OPN_TRY(opn_i_csr_take_rows(ctx, &graph->topology, node, n_kept, &topology));
    OPN_TRY(renumber_columns(ctx, &topology, node, n_kept));
    OPN_TRY(opn_i_features_take_rows(ctx, &graph->features, node, n_kept, &features));
    for (int32_t i = 0; i < n_kept && graph->node_names.n > 0; i++) {
        const char *name = opn_i_names_at(&graph->node_names, node[i]);
        OPN_TRY(opn_i_names_add(ctx, &names, name, strlen(name)));
    }
    for (int32_t i = 0; i < n_kept;
         i++) { // node[i] >= i, so nothing is overwritten early
        graph->label[i] = graph->label[node[i]];
        if (graph->given_role != NULL)
            graph->given_role[i] = graph->given_role[node[i]];
    }
    opn_i_csr_deinit(&ctx->alloc, &graph->topology);
    opn_i_features_deinit(&ctx->alloc, &graph->features);
    opn_i_names_deinit(&ctx->alloc, &graph->node_names);
    graph->topology = topology;
    graph->features = features;
    graph->node_names = names;
    topology = (opn_i_csr){0};
    features = (opn_i_features){0};
    names = (opn_i_names){0};
cleanup:
    opn_i_release(&ctx->alloc, node);
    opn_i_csr_deinit(&ctx->alloc, &topology);
    opn_i_features_deinit(&ctx->alloc, &features);
    opn_i_names_deinit(&ctx->alloc, &names);
    return status;
}

static opn_status binarise(opn_ctx *ctx, opn_i_features *x)
{
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_features_to_lists(ctx, x));
    opn_i_release(&ctx->alloc, x->lists.value);
    x->lists.value = NULL;
cleanup:
    return status;
}

static opn_status standardise(opn_ctx *ctx, opn_i_features *x)
{
    opn_status status = OPN_OK;
    double *mean = NULL;
    double *scale = NULL;
    OPN_TRY_NEW(ctx, mean, x->n_cols);
    OPN_TRY_NEW(ctx, scale, x->n_cols);
    OPN_TRY(opn_i_features_moments(ctx, x, mean, scale));
    OPN_TRY(opn_i_features_standardise(ctx, x, mean, scale, NULL));
cleanup:
    opn_i_release(&ctx->alloc, mean);
    opn_i_release(&ctx->alloc, scale);
    return status;
}

static const char preparing[] = "preparing the graph"; // in messages

opn_status
opn_graph_prepare(opn_ctx *ctx, const opn_graph *graph, uint32_t steps, opn_graph **out)
{
    OPN_REJECT_NULL(ctx, graph, out);
    opn_status status = OPN_OK;
    opn_graph *made = NULL;
    OPN_FAIL_IF(ctx, (steps & ~(uint32_t)(2 * OPN_STEP_STANDARDISE - 1)) != 0,
                OPN_ERR_INVALID_ARG, "steps 0x%x: an unknown step of preprocessing",
                (unsigned)steps);
    OPN_FAIL_IF(ctx,
                opn_i_graph_is_partial(graph) && (steps & ~(uint32_t)OPN_STEP_UNDIRECTED),
                OPN_ERR_UNSUPPORTED,
                "%s: several ranks take the graph as it is in the shards; `steps` are "
                "for what is sharded",
                graph->name);
    if (steps & OPN_STEP_LARGEST_COMPONENT)
        steps |= OPN_STEP_UNDIRECTED;
    OPN_TRY(copy_rest(ctx, graph, &made));
    if ((steps & OPN_STEP_UNDIRECTED) && !graph->is_undirected)
        OPN_TRY(opn_i_topology_undirect(ctx, &graph->topology, &made->topology));
    else
        OPN_TRY(opn_i_csr_copy(ctx, &graph->topology, &made->topology));
    made->is_undirected |= (steps & OPN_STEP_UNDIRECTED) != 0;
    OPN_TRY(opn_i_go_on(ctx, preparing));
    OPN_TRY(opn_i_features_copy(ctx, &graph->features, &made->features));
    // What a step changes is another graph than the one that was divided.
    if (graph->shards != NULL && (steps & ~(uint32_t)OPN_STEP_UNDIRECTED) == 0)
        OPN_TRY(opn_i_shards_copy(ctx, graph, &made->shards));
    OPN_TRY(opn_i_go_on(ctx, preparing));
    if (steps & OPN_STEP_LARGEST_COMPONENT)
        OPN_TRY(keep_largest_component(ctx, made));
    if (steps & OPN_STEP_BINARY_FEATURES)
        OPN_TRY(binarise(ctx, &made->features));
    if (steps & OPN_STEP_ROW_NORMALISE)
        OPN_TRY(opn_i_features_row_normalise(ctx, &made->features));
    if (steps & OPN_STEP_STANDARDISE)
        OPN_TRY(standardise(ctx, &made->features));
    *out = made;
    made = NULL;
cleanup:
    opn_graph_free(made);
    return status;
}

opn_status opn_graph_copy(opn_ctx *ctx, const opn_graph *graph, opn_graph **out)
{
    OPN_REJECT_NULL(ctx, graph, out);
    opn_status status = OPN_OK;
    opn_graph *copy = NULL;
    OPN_TRY(opn_graph_prepare(ctx, graph, 0, &copy));
    copy->is_loaded = false;
    opn_i_shards_free(&copy->alloc, copy->shards); // it may be changed
    copy->shards = NULL;
    *out = copy;
cleanup:
    return status;
}
