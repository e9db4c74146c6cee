// features.c -- preprocessing of features for a model.

#include "model/features.h"

#include "graph/feature_rule.h"
#include "graph/feature_scale.h"
#include "graph/normalise.h"
#include "graph/shards.h"

#include <string.h>

static opn_i_normalise choose(const char *wanted, bool is_negative)
{
    static const char *const name[OPN_N_NORMALISES] = {
            [OPN_NORMALISE_NONE] = "none",
            [OPN_NORMALISE_ROW] = "row",
            [OPN_NORMALISE_STANDARD] = "standard",
            [OPN_NORMALISE_L2] = "l2",
    };
    for (int n = 0; n < OPN_N_NORMALISES; n++)
        if (strcmp(wanted, name[n]) == 0)
            return (opn_i_normalise)n;
    return is_negative ? OPN_NORMALISE_STANDARD : OPN_NORMALISE_ROW;
}

static bool has_other_than_0(int32_t n, const double *x)
{
    for (int32_t k = 0; k < n; k++)
        if (x[k] != 0.0)
            return true;
    return false;
}

// The moments, or those of all ranks where each has a part.
static opn_status fit_moments(
        opn_ctx *ctx, const opn_graph *graph, double *mean, double *scale, double *centre)
{
    opn_status status = OPN_OK;
    const opn_i_features *x = &graph->features;
    const size_t n_bytes = (size_t)x->n_cols * sizeof(*mean);
    if (opn_i_graph_is_partial(graph)) {
        memcpy(mean, graph->shards->mean, n_bytes);
        memcpy(scale, graph->shards->scale, n_bytes);
        memcpy(centre, graph->shards->centre, n_bytes);
        return OPN_OK;
    }
    OPN_TRY(opn_i_features_moments(ctx, x, mean, scale));
    OPN_TRY(opn_i_features_centre(ctx, x, mean, scale, centre));
cleanup:
    return status;
}

static opn_status fit_standard(opn_ctx *ctx, const opn_graph *graph, opn_model *model)
{
    opn_status status = OPN_OK;
    const opn_i_features *x = &graph->features;
    double *centre = NULL;
    OPN_TRY_NEW(ctx, model->mean, x->n_cols);
    OPN_TRY_NEW(ctx, model->scale, x->n_cols);
    OPN_TRY_NEW(ctx, centre, x->n_cols);
    OPN_TRY(fit_moments(ctx, graph, model->mean, model->scale, centre));
    if (has_other_than_0(x->n_cols, centre)) {
        model->centre = centre;
        centre = NULL;
    }
cleanup:
    opn_i_release(&ctx->alloc, centre);
    return status;
}

opn_status opn_i_features_fit(opn_ctx *ctx,
                              const opn_graph *graph,
                              const char *wanted,
                              opn_model *model)
{
    opn_status status = OPN_OK;
    const opn_i_features *x = &graph->features;
    const int32_t n_nodes = opn_i_graph_n_nodes(graph);
    OPN_FAIL_IF(ctx, x->n_cols >= INT32_MAX - n_nodes, OPN_ERR_OVERFLOW,
                "%s: %d features and %d nodes are too many", graph->name, x->n_cols,
                n_nodes);
    if (x->n_cols > 0)
        model->normalise = choose(wanted, opn_i_graph_is_partial(graph)
                                                  ? graph->shards->has_negative
                                                  : opn_i_features_are_signed(x));
    if (x->n_cols == 0 || model->kind->encoder->uses_links) {
        model->n_node_features = n_nodes;
        OPN_TRY(opn_i_graph_topology_hash(ctx, graph, model->topology_hash));
    }
    model->sizes.n_features = x->n_cols + model->n_node_features;
    OPN_TRY(opn_i_names_copy(ctx, &graph->feature_names, &model->feature_names));
    if (model->normalise == OPN_NORMALISE_STANDARD)
        OPN_TRY(fit_standard(ctx, graph, model));
cleanup:
    return status;
}

opn_i_normalise opn_i_features_scaling(const opn_model *model, const opn_graph *graph)
{
    const bool is_by_row =
            model->normalise == OPN_NORMALISE_ROW || model->normalise == OPN_NORMALISE_L2;
    return is_by_row && graph->rows_are_scaled ? OPN_NORMALISE_NONE : model->normalise;
}

static opn_status
normalise(opn_ctx *ctx, const opn_model *model, const opn_graph *graph, opn_i_features *x)
{
    switch (opn_i_features_scaling(model, graph)) {
    case OPN_NORMALISE_ROW:
        return opn_i_features_row_normalise(ctx, x);
    case OPN_NORMALISE_L2:
        return opn_i_features_l2_normalise(ctx, x);
    case OPN_NORMALISE_STANDARD:
        return opn_i_features_standardise(ctx, x, model->mean, model->scale,
                                          model->centre);
    case OPN_NORMALISE_NONE:
        break;
    }
    return OPN_OK;
}

// ---- features of the nodes -----------------------------------------------------------

opn_status opn_i_features_know_nodes(opn_ctx *ctx,
                                     const opn_model *model,
                                     const opn_graph *graph,
                                     bool *out)
{
    opn_status status = OPN_OK;
    char hash[sizeof(model->data_hash)];
    const bool has_topology = model->topology_hash[0] != 0;
    *out = model->n_node_features == 0;
    if (model->n_node_features != opn_i_graph_n_nodes(graph))
        return OPN_OK;
    OPN_TRY(has_topology ? opn_i_graph_topology_hash(ctx, graph, hash)
                         : opn_graph_hash(ctx, graph, hash));
    *out = strcmp(hash, has_topology ? model->topology_hash : model->data_hash) == 0;
cleanup:
    return status;
}

static opn_status
check_nodes(opn_ctx *ctx, const opn_model *model, const opn_graph *graph)
{
    opn_status status = OPN_OK;
    bool is_known = true;
    OPN_TRY(opn_i_features_know_nodes(ctx, model, graph, &is_known));
    OPN_FAIL_IF(ctx, !is_known, OPN_ERR_SHAPE,
                "%s: %s knows only the nodes of the graph it was trained on%s",
                graph->name, model->kind->id,
                model->kind->encoder->uses_links ? "" : ", which had no features");
cleanup:
    return status;
}

// Row i of `to`, whose rows before it are complete, takes that of `from`, from column
// `first` on.
static void put_row(const opn_i_features *from, int32_t i, int32_t first, opn_i_csr *to)
{
    opn_off e = to->row_ptr[i + 1];
    for (opn_i_feature_cursor at = opn_i_features_row(from, i);
         opn_i_feature_next(&at);) {
        to->col_idx[e] = first + at.col;
        to->value[e++] = at.value;
    }
    to->row_ptr[i + 1] = e;
}

// Appends the columns of `more` to x.
static opn_status
append_columns(opn_ctx *ctx, const opn_i_features *more, opn_i_features *x)
{
    opn_status status = OPN_OK;
    opn_i_features both = {0};
    OPN_TRY(opn_i_csr_init(ctx, x->n_rows, x->n_cols + more->n_cols,
                           opn_i_features_n_entries(x) + opn_i_features_n_entries(more),
                           true, &both.lists));
    for (int32_t i = 0; i < x->n_rows; i++) {
        both.lists.row_ptr[i + 1] = both.lists.row_ptr[i];
        put_row(x, i, 0, &both.lists);
        put_row(more, i, x->n_cols, &both.lists);
    }
    opn_i_features_deinit(&ctx->alloc, x);
    *x = both;
cleanup:
    return status;
}

static opn_status
add_nodes(opn_ctx *ctx, const opn_model *model, const opn_graph *graph, opn_i_features *x)
{
    opn_status status = OPN_OK;
    const bool uses_links = model->kind->encoder->uses_links;
    opn_i_features nodes = {0};
    if (model->n_node_features == 0)
        return OPN_OK;
    OPN_TRY(opn_i_graph_normalise(
            ctx, graph, uses_links ? OPN_EDGES_PLAIN : OPN_EDGES_NONE, &nodes.lists));
    OPN_TRY(opn_i_features_l2_normalise(ctx, &nodes));
    if (x->n_cols > 0) {
        OPN_TRY(append_columns(ctx, &nodes, x));
    } else {
        opn_i_features_deinit(&ctx->alloc, x);
        *x = nodes;
        nodes = (opn_i_features){0};
    }
cleanup:
    opn_i_features_deinit(&ctx->alloc, &nodes);
    return status;
}

// ---- all features --------------------------------------------------------------------

opn_status opn_i_features_copy_centre(opn_ctx *ctx,
                                      const opn_model *model,
                                      int32_t n_cols,
                                      opn_real **out)
{
    opn_status status = OPN_OK;
    if (model->centre == NULL)
        return OPN_OK;
    OPN_TRY_NEW(ctx, *out, n_cols);
    for (int32_t k = 0; k < opn_model_n_features(model); k++)
        (*out)[k] = (opn_real)model->centre[k];
cleanup:
    return status;
}

void opn_i_ready_features_deinit(const opn_alloc *alloc, opn_i_ready_features *ready)
{
    opn_i_features_deinit(alloc, &ready->x);
    opn_i_release(alloc, ready->centre);
    *ready = (opn_i_ready_features){0};
}

opn_status opn_i_features_ready_rows(opn_ctx *ctx,
                                     const opn_model *model,
                                     const opn_graph *graph,
                                     const int32_t *node,
                                     int32_t n_rows,
                                     opn_i_ready_features *out)
{
    opn_status status = OPN_OK;
    opn_i_ready_features ready = {0};
    OPN_TRY(opn_i_features_take_rows(ctx, &graph->features, node, n_rows, &ready.x));
    // In one form, whatever that of the whole is: a rank may have it in another.
    OPN_TRY(opn_i_features_to_lists(ctx, &ready.x));
    OPN_TRY(opn_i_features_match(ctx, model, graph, &ready.x));
    OPN_TRY(normalise(ctx, model, graph, &ready.x));
    OPN_TRY(opn_i_features_copy_centre(ctx, model, ready.x.n_cols, &ready.centre));
    *out = ready;
    ready = (opn_i_ready_features){0};
cleanup:
    opn_i_ready_features_deinit(&ctx->alloc, &ready);
    return status;
}

opn_status opn_i_features_ready(opn_ctx *ctx,
                                const opn_model *model,
                                const opn_graph *graph,
                                opn_i_ready_features *out)
{
    opn_status status = OPN_OK;
    opn_i_ready_features ready = {0};
    OPN_TRY(check_nodes(ctx, model, graph));
    if (graph->features.n_cols > 0)
        OPN_TRY(opn_i_features_copy(ctx, &graph->features, &ready.x));
    OPN_TRY(opn_i_features_match(ctx, model, graph, &ready.x));
    OPN_TRY(normalise(ctx, model, graph, &ready.x));
    OPN_TRY(add_nodes(ctx, model, graph, &ready.x));
    OPN_TRY(opn_i_features_copy_centre(ctx, model, ready.x.n_cols, &ready.centre));
    *out = ready;
    ready = (opn_i_ready_features){0};
cleanup:
    opn_i_ready_features_deinit(&ctx->alloc, &ready);
    return status;
}
