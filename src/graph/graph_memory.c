// graph_memory.c -- graphs from the caller's arrays.

#include "graph/graph_data.h"
#include "graph/roles.h"

#include <math.h>
#include <string.h>

// Creates a graph with that topology, which is consumed, and without features and labels.
static opn_status take_topology(opn_ctx *ctx, opn_i_csr *directed, opn_graph **out)
{
    opn_status status = OPN_OK;
    opn_graph *graph = NULL;
    const opn_vid n_nodes = directed->n_rows;
    OPN_TRY(opn_i_graph_new(ctx, "graph", &graph));
    OPN_TRY(opn_i_topology_undirect(ctx, directed, &graph->topology));
    graph->is_undirected = true;
    OPN_TRY(opn_i_csr_init(ctx, n_nodes, 0, 0, false, &graph->features));
    OPN_TRY_NEW(ctx, graph->label, n_nodes);
    for (opn_vid i = 0; i < n_nodes; i++)
        graph->label[i] = -1;
    *out = graph;
    graph = NULL;
cleanup:
    opn_graph_free(graph);
    opn_i_csr_deinit(&ctx->alloc, directed);
    return status;
}

static opn_status check_edge(opn_ctx *ctx,
                             opn_off e,
                             opn_vid source,
                             opn_vid target,
                             const float *weight,
                             opn_vid n_nodes)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, source < 0 || source >= n_nodes || target < 0 || target >= n_nodes,
                OPN_ERR_INVALID_ARG, "edge %lld, from %d to %d: node id outside [0, %d)",
                (long long)e, source, target, n_nodes);
    OPN_FAIL_IF(ctx, weight != NULL && (!isfinite(weight[e]) || weight[e] <= 0),
                OPN_ERR_INVALID_ARG,
                "edge %lld, from %d to %d: weight %g, which must be above "
                "0",
                (long long)e, source, target, (double)weight[e]);
cleanup:
    return status;
}

// Converts floats to the type of all arithmetic; NULL stays NULL.
static opn_status copy_floats(opn_ctx *ctx, const float *from, opn_off n, opn_real **out)
{
    opn_status status = OPN_OK;
    if (from == NULL)
        return OPN_OK;
    OPN_TRY_NEW(ctx, *out, n);
    for (opn_off e = 0; e < n; e++)
        (*out)[e] = (opn_real)from[e];
cleanup:
    return status;
}

opn_status opn_graph_create_edges(opn_ctx *ctx,
                                  opn_vid n_nodes,
                                  opn_off n_edges,
                                  const opn_vid *source,
                                  const opn_vid *target,
                                  const float *weight,
                                  opn_graph **out)
{
    opn_status status = OPN_OK;
    opn_real *value = NULL;
    opn_i_csr directed = {0};
    OPN_FAIL_IF(ctx, n_nodes < 1 || n_nodes == INT32_MAX || n_edges < 0,
                OPN_ERR_INVALID_ARG,
                "%d nodes and %lld edges: a graph has at least one node", n_nodes,
                (long long)n_edges);
    for (opn_off e = 0; e < n_edges; e++)
        OPN_TRY(check_edge(ctx, e, source[e], target[e], weight, n_nodes));
    OPN_TRY(copy_floats(ctx, weight, n_edges, &value));
    OPN_TRY(opn_i_csr_from_triples(ctx, n_nodes, n_nodes, n_edges, source, target, value,
                                   &directed));
    OPN_TRY(take_topology(ctx, &directed, out));
cleanup:
    opn_i_release(&ctx->alloc, value);
    return status;
}

// Offsets must start at 0 and never decrease.
static opn_status check_offsets(opn_ctx *ctx, opn_vid n_rows, const opn_off *row_ptr)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, row_ptr[0] != 0, OPN_ERR_INVALID_ARG,
                "row_ptr begins at %lld, not 0", (long long)row_ptr[0]);
    for (opn_vid i = 0; i < n_rows; i++)
        OPN_FAIL_IF(ctx, row_ptr[i + 1] < row_ptr[i], OPN_ERR_INVALID_ARG,
                    "row_ptr decreases after row %d", i);
cleanup:
    return status;
}

opn_status opn_graph_create_csr(opn_ctx *ctx,
                                opn_vid n_nodes,
                                const opn_off *row_ptr,
                                const opn_vid *col_idx,
                                const float *weight,
                                opn_graph **out)
{
    opn_status status = OPN_OK;
    opn_vid *source = NULL;
    OPN_FAIL_IF(ctx, n_nodes < 1 || n_nodes == INT32_MAX, OPN_ERR_INVALID_ARG,
                "%d nodes: a graph has at least one", n_nodes);
    OPN_TRY(check_offsets(ctx, n_nodes, row_ptr));
    OPN_TRY_NEW(ctx, source, row_ptr[n_nodes]);
    for (opn_vid i = 0; i < n_nodes; i++)
        for (opn_off e = row_ptr[i]; e < row_ptr[i + 1]; e++)
            source[e] = i;
    OPN_TRY(opn_graph_create_edges(ctx, n_nodes, row_ptr[n_nodes], source, col_idx,
                                   weight, out));
cleanup:
    opn_i_release(&ctx->alloc, source);
    return status;
}

opn_status opn_graph_set_features_csr(opn_ctx *ctx,
                                      opn_graph *graph,
                                      int32_t n_features,
                                      const opn_off *row_ptr,
                                      const int32_t *col_idx,
                                      const float *value)
{
    opn_status status = OPN_OK;
    opn_i_csr x = {0};
    const opn_vid n_nodes = opn_i_graph_n_nodes(graph);
    OPN_FAIL_IF(ctx, n_features < 0 || n_features == INT32_MAX, OPN_ERR_INVALID_ARG,
                "%d features", n_features);
    OPN_TRY(check_offsets(ctx, n_nodes, row_ptr));
    const opn_off n = row_ptr[n_nodes];
    for (opn_off e = 0; e < n; e++) {
        OPN_FAIL_IF(ctx, col_idx[e] < 0 || col_idx[e] >= n_features, OPN_ERR_INVALID_ARG,
                    "entry %lld: feature %d outside [0, %d)", (long long)e, col_idx[e],
                    n_features);
        OPN_FAIL_IF(ctx, value != NULL && !isfinite(value[e]), OPN_ERR_INVALID_ARG,
                    "entry %lld: %g is not finite", (long long)e, (double)value[e]);
    }
    OPN_TRY(opn_i_csr_init(ctx, n_nodes, n_features, n, false, &x));
    memcpy(x.row_ptr, row_ptr, ((size_t)n_nodes + 1) * sizeof(*row_ptr));
    if (n > 0)
        memcpy(x.col_idx, col_idx, (size_t)n * sizeof(*col_idx));
    OPN_TRY(copy_floats(ctx, value, n, &x.value));
    OPN_TRY(opn_i_csr_tidy(ctx, &x));
    opn_i_csr_deinit(&graph->alloc, &graph->features);
    graph->features = x;
    x = (opn_i_csr){0};
cleanup:
    opn_i_csr_deinit(&ctx->alloc, &x);
    return status;
}

opn_status opn_graph_set_features(opn_ctx *ctx,
                                  opn_graph *graph,
                                  int32_t n_features,
                                  const float *value)
{
    opn_status status = OPN_OK;
    const opn_vid n_nodes = opn_i_graph_n_nodes(graph);
    opn_off *row_ptr = NULL;
    int32_t *col_idx = NULL;
    OPN_FAIL_IF(ctx, n_features < 0, OPN_ERR_INVALID_ARG, "%d features", n_features);
    OPN_TRY_NEW(ctx, row_ptr, (size_t)n_nodes + 1);
    OPN_TRY_NEW(ctx, col_idx, (opn_off)n_nodes * n_features);
    for (opn_vid i = 0; i < n_nodes; i++) {
        row_ptr[i + 1] = (opn_off)(i + 1) * n_features;
        for (int32_t k = 0; k < n_features; k++)
            col_idx[row_ptr[i] + k] = k;
    }
    OPN_TRY(opn_graph_set_features_csr(ctx, graph, n_features, row_ptr, col_idx, value));
cleanup:
    opn_i_release(&ctx->alloc, row_ptr);
    opn_i_release(&ctx->alloc, col_idx);
    return status;
}

opn_status opn_graph_set_labels(opn_ctx *ctx,
                                opn_graph *graph,
                                int32_t n_classes,
                                const int32_t *label)
{
    opn_status status = OPN_OK;
    const opn_vid n_nodes = opn_i_graph_n_nodes(graph);
    for (opn_vid i = 0; i < n_nodes; i++)
        OPN_FAIL_IF(ctx, label[i] < -1 || label[i] >= n_classes, OPN_ERR_INVALID_ARG,
                    "node %d: label %d outside [0, %d) and not -1", i, label[i],
                    n_classes);
    memcpy(graph->label, label, (size_t)n_nodes * sizeof(*label));
    graph->n_classes = n_classes;
cleanup:
    return status;
}

opn_status opn_graph_set_roles(opn_ctx *ctx, opn_graph *graph, const uint8_t *role)
{
    opn_status status = OPN_OK;
    const opn_vid n_nodes = opn_i_graph_n_nodes(graph);
    uint8_t *copy = NULL;
    for (opn_vid i = 0; i < n_nodes; i++) {
        OPN_FAIL_IF(ctx, role[i] >= OPN_N_ROLES, OPN_ERR_INVALID_ARG,
                    "node %d: %d is not a role", i, role[i]);
        OPN_FAIL_IF(ctx, !opn_i_role_fits(role[i], graph->label[i]), OPN_ERR_INVALID_ARG,
                    "node %d is used to %s but has no label", i,
                    opn_i_role_verb(role[i]));
    }
    OPN_TRY_NEW(ctx, copy, n_nodes);
    memcpy(copy, role, (size_t)n_nodes);
    opn_i_release(&graph->alloc, graph->given_role);
    graph->given_role = copy;
cleanup:
    return status;
}
