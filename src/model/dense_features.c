// dense_features.c -- features for the first layer: straight into its array if they are
// dense, which takes a third of the memory of lists, else through lists.

#include "graph/feature_scale.h"
#include "model/features.h"

#include <string.h>

// Whether the model has the graph's features in their order.
static bool has_same_order(const opn_model *model, const opn_graph *graph)
{
    const opn_i_names *known = &model->feature_names, *names = &graph->feature_names;
    if (known->n == 0 || names->n == 0)
        return graph->features.n_cols == opn_model_n_features(model);
    for (int64_t k = 0; k < known->n && known->n == names->n; k++)
        if (strcmp(opn_i_names_at(known, k), opn_i_names_at(names, k)) != 0)
            return false;
    return known->n == names->n;
}

static opn_status fill_row(opn_ctx *ctx,
                           const opn_model *model,
                           const opn_graph *graph,
                           int32_t i,
                           opn_real *row)
{
    const opn_i_features *x = &graph->features;
    switch (opn_i_features_scaling(model, graph)) {
    case OPN_NORMALISE_STANDARD:
        return opn_i_features_standard_row(ctx, x, i, model->mean, model->scale,
                                           model->centre, row);
    case OPN_NORMALISE_ROW:
    case OPN_NORMALISE_L2:
        opn_i_features_row_of_norm_1(x, i, model->normalise == OPN_NORMALISE_L2, row);
        break;
    case OPN_NORMALISE_NONE:
        for (opn_i_feature_cursor at = opn_i_features_row(x, i); opn_i_feature_next(&at);)
            row[at.col] = at.value;
        break;
    }
    return OPN_OK;
}

static opn_status place_dense(opn_ctx *ctx,
                              const opn_model *model,
                              const opn_graph *graph,
                              const int32_t *order,
                              unsigned uses,
                              opn_i_feature_matrix *out)
{
    opn_status status = OPN_OK;
    const opn_i_features *x = &graph->features;
    const size_t stride = (size_t)opn_i_width(x->n_cols);
    opn_real *array = NULL;
    opn_real *centre = NULL;
    OPN_TRY_NEW(ctx, array, OPN_MARGIN + (size_t)x->n_rows * stride);
    opn_real *rows = opn_i_on_line(array);
    for (int32_t r = 0; r < x->n_rows; r++) {
        OPN_TRY_GO_ON_ROWS(ctx, r, "placing the features");
        OPN_TRY(fill_row(ctx, model, graph, order[r], rows + (size_t)r * stride));
    }
    OPN_TRY(opn_i_features_copy_centre(ctx, model, x->n_cols, &centre));
    OPN_TRY(opn_i_feature_matrix_init_array(ctx, array, x->n_rows, x->n_cols, centre,
                                            uses, out));
    array = NULL;
cleanup:
    opn_i_release(&ctx->alloc, array);
    opn_i_release(&ctx->alloc, centre);
    return status;
}

opn_status opn_i_features_place(opn_ctx *ctx,
                                const opn_model *model,
                                const opn_graph *graph,
                                const int32_t *order,
                                unsigned uses,
                                opn_i_feature_matrix *out)
{
    opn_status status = OPN_OK;
    opn_i_ready_features ready = {0};
    if (model->n_node_features == 0 && has_same_order(model, graph) &&
        opn_i_features_are_dense(&graph->features))
        return place_dense(ctx, model, graph, order, uses, out);
    OPN_TRY(opn_i_features_ready(ctx, model, graph, &ready));
    OPN_TRY(opn_i_feature_matrix_init_for(ctx, &ready.x, ready.centre, order, uses, out));
cleanup:
    opn_i_ready_features_deinit(&ctx->alloc, &ready);
    return status;
}
