// graph_memory.c -- graphs from the caller's arrays.

#include "graph/graph_data.h"
#include "graph/roles.h"
#include "io/utf8.h"

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
    OPN_TRY(opn_i_csr_init(ctx, n_nodes, 0, 0, false, &graph->features.lists));
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
    OPN_REJECT_NULL(ctx, out);
    opn_status status = OPN_OK;
    opn_real *value = NULL;
    opn_i_csr directed = {0};
    OPN_FAIL_IF(ctx, n_nodes < 1 || n_nodes == INT32_MAX || n_edges < 0,
                OPN_ERR_INVALID_ARG,
                "%d nodes and %lld edges: a graph has at least one node", n_nodes,
                (long long)n_edges);
    OPN_FAIL_IF(ctx, n_edges > 0 && (source == NULL || target == NULL),
                OPN_ERR_INVALID_ARG, "argument %s is NULL",
                source == NULL ? "source" : "target");
    for (opn_off e = 0; e < n_edges; e++) {
        OPN_TRY_GO_ON(ctx, e, "checking the graph");
        OPN_TRY(check_edge(ctx, e, source[e], target[e], weight, n_nodes));
    }
    OPN_TRY(copy_floats(ctx, weight, n_edges, &value));
    OPN_TRY(opn_i_csr_from_triples(ctx, n_nodes, n_nodes, n_edges, source, target, value,
                                   &directed));
    OPN_TRY(take_topology(ctx, &directed, out));
cleanup:
    opn_i_release(&ctx->alloc, value);
    return status;
}

opn_status opn_i_csr_check(opn_ctx *ctx,
                           const char *what,
                           int32_t n_rows,
                           int32_t n_cols,
                           const opn_off *row_ptr,
                           const int32_t *col_idx)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, row_ptr[0] != 0, OPN_ERR_INVALID_ARG,
                "row_ptr begins at %lld, not 0", (long long)row_ptr[0]);
    for (int32_t i = 0; i < n_rows; i++)
        OPN_FAIL_IF(ctx, row_ptr[i + 1] < row_ptr[i], OPN_ERR_INVALID_ARG,
                    "row_ptr decreases after row %d", i);
    OPN_FAIL_IF(ctx, row_ptr[n_rows] > 0 && col_idx == NULL, OPN_ERR_INVALID_ARG,
                "argument col_idx is NULL");
    for (opn_off e = 0; e < row_ptr[n_rows]; e++) {
        OPN_TRY_GO_ON(ctx, e, "checking the graph");
        OPN_FAIL_IF(ctx, col_idx[e] < 0 || col_idx[e] >= n_cols, OPN_ERR_INVALID_ARG,
                    "entry %lld: %s %d outside [0, %d)", (long long)e, what, col_idx[e],
                    n_cols);
    }
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
    OPN_REJECT_NULL(ctx, row_ptr, out);
    opn_status status = OPN_OK;
    opn_vid *source = NULL;
    OPN_FAIL_IF(ctx, n_nodes < 1 || n_nodes == INT32_MAX, OPN_ERR_INVALID_ARG,
                "%d nodes: a graph has at least one", n_nodes);
    OPN_TRY(opn_i_csr_check(ctx, "node", n_nodes, n_nodes, row_ptr, col_idx));
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

// Whether parts of the graph may be set.
static opn_status check_settable(opn_ctx *ctx, const opn_graph *graph)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, graph->is_loaded, OPN_ERR_INVALID_ARG,
                "the graph %s was loaded and does not change; opn_graph_copy() gives one "
                "that may",
                graph->name);
cleanup:
    return status;
}

static void replace_features(opn_graph *graph, opn_i_features *x)
{
    opn_i_features_deinit(&graph->alloc, &graph->features);
    opn_i_names_deinit(&graph->alloc, &graph->feature_names);
    graph->features = *x;
    *x = (opn_i_features){0};
}

static opn_status check_feature_count(opn_ctx *ctx, int32_t n_features)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, n_features < 0 || n_features == INT32_MAX, OPN_ERR_INVALID_ARG,
                "%d features", n_features);
cleanup:
    return status;
}

opn_status opn_graph_set_features_csr(opn_ctx *ctx,
                                      opn_graph *graph,
                                      int32_t n_features,
                                      const opn_off *row_ptr,
                                      const int32_t *col_idx,
                                      const float *value)
{
    OPN_REJECT_NULL(ctx, graph, row_ptr);
    opn_status status = OPN_OK;
    opn_i_features x = {0};
    const opn_vid n_nodes = opn_i_graph_n_nodes(graph);
    OPN_TRY(check_settable(ctx, graph));
    OPN_TRY(check_feature_count(ctx, n_features));
    OPN_TRY(opn_i_csr_check(ctx, "feature", n_nodes, n_features, row_ptr, col_idx));
    const opn_off n = row_ptr[n_nodes];
    for (opn_off e = 0; value != NULL && e < n; e++) {
        OPN_TRY_GO_ON(ctx, e, "checking the features");
        OPN_FAIL_IF(ctx, !isfinite(value[e]), OPN_ERR_INVALID_ARG,
                    "entry %lld: %g is not finite", (long long)e, (double)value[e]);
    }
    OPN_TRY(opn_i_csr_init(ctx, n_nodes, n_features, n, false, &x.lists));
    memcpy(x.lists.row_ptr, row_ptr, ((size_t)n_nodes + 1) * sizeof(*row_ptr));
    if (n > 0)
        memcpy(x.lists.col_idx, col_idx, (size_t)n * sizeof(*col_idx));
    OPN_TRY(copy_floats(ctx, value, n, &x.lists.value));
    OPN_TRY(opn_i_csr_tidy(ctx, &x.lists));
    OPN_TRY(opn_i_features_settle(ctx, &x));
    replace_features(graph, &x);
cleanup:
    opn_i_features_deinit(&ctx->alloc, &x);
    return status;
}

static opn_status
check_finite(opn_ctx *ctx, opn_vid n_nodes, int32_t n_features, const float *value)
{
    opn_status status = OPN_OK;
    for (opn_off j = 0; j < (opn_off)n_nodes * n_features; j++) {
        OPN_TRY_GO_ON(ctx, j, "checking the features");
        OPN_FAIL_IF(ctx, !isfinite(value[j]), OPN_ERR_INVALID_ARG,
                    "node %lld, feature %lld: %g is not finite",
                    (long long)(j / n_features), (long long)(j % n_features),
                    (double)value[j]);
    }
cleanup:
    return status;
}

// Sets features that are copied, or lent.
static opn_status set_dense(opn_ctx *ctx,
                            opn_graph *graph,
                            int32_t n_features,
                            const float *value,
                            const opn_i_lender *lender)
{
    opn_status status = OPN_OK;
    const opn_vid n_nodes = opn_i_graph_n_nodes(graph);
    opn_i_features x = {0};
    OPN_TRY(check_settable(ctx, graph));
    OPN_TRY(check_feature_count(ctx, n_features));
    OPN_FAIL_IF(ctx, n_features > 0 && value == NULL, OPN_ERR_INVALID_ARG,
                "argument value is NULL");
    OPN_TRY(check_finite(ctx, n_nodes, n_features, value));
    OPN_TRY(opn_i_features_from_floats(ctx, value, n_nodes, n_features, lender, &x));
    replace_features(graph, &x);
cleanup:
    return status;
}

opn_status opn_graph_set_features(opn_ctx *ctx,
                                  opn_graph *graph,
                                  int32_t n_features,
                                  const float *value)
{
    OPN_REJECT_NULL(ctx, graph);
    return set_dense(ctx, graph, n_features, value, NULL);
}

opn_status opn_graph_lend_features(opn_ctx *ctx,
                                   opn_graph *graph,
                                   int32_t n_features,
                                   const float *value,
                                   opn_release_fn *release,
                                   void *user)
{
    OPN_REJECT_NULL(ctx, graph, value);
    opn_status status = OPN_OK;
    const opn_i_lender lender = {release, user};
    OPN_FAIL_IF(ctx, release == NULL, OPN_ERR_INVALID_ARG, "argument release is NULL");
    OPN_TRY(set_dense(ctx, graph, n_features, value, &lender));
cleanup:
    return status;
}

opn_status opn_graph_set_labels(opn_ctx *ctx,
                                opn_graph *graph,
                                int32_t n_classes,
                                const int32_t *label)
{
    OPN_REJECT_NULL(ctx, graph, label);
    opn_status status = OPN_OK;
    const opn_vid n_nodes = opn_i_graph_n_nodes(graph);
    OPN_TRY(check_settable(ctx, graph));
    for (opn_vid i = 0; i < n_nodes; i++)
        OPN_FAIL_IF(ctx, label[i] < -1 || label[i] >= n_classes, OPN_ERR_INVALID_ARG,
                    "node %d: label %d outside [0, %d) and not -1", i, label[i],
                    n_classes);
    memcpy(graph->label, label, (size_t)n_nodes * sizeof(*label));
    graph->n_classes = n_classes;
    opn_i_names_deinit(&graph->alloc, &graph->class_names);
    opn_i_release(&graph->alloc, graph->given_role);
    graph->given_role = NULL;
    graph->usual_split = OPN_SPLIT_OWN; // the copy of a known dataset is own data now
    graph->dataset = NULL;
cleanup:
    return status;
}

opn_status opn_graph_set_roles(opn_ctx *ctx, opn_graph *graph, const uint8_t *role)
{
    OPN_REJECT_NULL(ctx, graph, role);
    opn_status status = OPN_OK;
    const opn_vid n_nodes = opn_i_graph_n_nodes(graph);
    uint8_t *copy = NULL;
    OPN_TRY(check_settable(ctx, graph));
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

// ---- names ---------------------------------------------------------------------------

// Checks n names of the kind `what`, "class", and copies them; NULL copies none.
static opn_status copy_names(opn_ctx *ctx,
                             const char *what,
                             bool is_unique,
                             int32_t n,
                             const char *const *name,
                             opn_i_names *out)
{
    opn_status status = OPN_OK;
    opn_i_names names = {0};
    for (int32_t i = 0; name != NULL && i < n; i++) {
        int32_t at = i;
        OPN_FAIL_IF(ctx, name[i] == NULL, OPN_ERR_INVALID_ARG, "%s %d has no name", what,
                    i);
        const size_t n_chars = strlen(name[i]);
        OPN_FAIL_IF(ctx, !opn_i_utf8_is_valid((const unsigned char *)name[i], n_chars),
                    OPN_ERR_INVALID_ARG, "the name of %s %d is not UTF-8", what, i);
        if (is_unique)
            OPN_TRY(opn_i_names_intern(ctx, &names, name[i], n_chars, &at));
        else
            OPN_TRY(opn_i_names_add(ctx, &names, name[i], n_chars));
        OPN_FAIL_IF(ctx, at != i, OPN_ERR_INVALID_ARG,
                    "%s %d and %d are both called \"%s\"", what, at, i, name[i]);
    }
    opn_i_names_deinit(&ctx->alloc, out);
    *out = names;
    names = (opn_i_names){0};
cleanup:
    opn_i_names_deinit(&ctx->alloc, &names);
    return status;
}

opn_status
opn_graph_set_node_names(opn_ctx *ctx, opn_graph *graph, const char *const *name)
{
    OPN_REJECT_NULL(ctx, graph);
    const opn_status status = check_settable(ctx, graph);
    return status != OPN_OK ? status
                            : copy_names(ctx, "node", false, opn_i_graph_n_nodes(graph),
                                         name, &graph->node_names);
}

opn_status
opn_graph_set_class_names(opn_ctx *ctx, opn_graph *graph, const char *const *name)
{
    OPN_REJECT_NULL(ctx, graph);
    const opn_status status = check_settable(ctx, graph);
    return status != OPN_OK ? status
                            : copy_names(ctx, "class", true, graph->n_classes, name,
                                         &graph->class_names);
}

opn_status
opn_graph_set_feature_names(opn_ctx *ctx, opn_graph *graph, const char *const *name)
{
    OPN_REJECT_NULL(ctx, graph);
    const opn_status status = check_settable(ctx, graph);
    return status != OPN_OK ? status
                            : copy_names(ctx, "feature", true, graph->features.n_cols,
                                         name, &graph->feature_names);
}

opn_status opn_graph_set_name(opn_ctx *ctx, opn_graph *graph, const char *name)
{
    OPN_REJECT_NULL(ctx, graph, name);
    const opn_status status = check_settable(ctx, graph);
    return status != OPN_OK ? status : opn_i_graph_rename(ctx, graph, name, strlen(name));
}
