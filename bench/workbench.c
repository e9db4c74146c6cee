// workbench.c -- all that an epoch of training works on, set up once.

#include "workbench.h"

#include "graph/gkde.h"

#include <string.h>

void workbench_deinit(workbench *b)
{
    const opn_alloc *alloc = &b->ctx->alloc;
    opn_i_workspace_deinit(alloc, &b->workspace);
    opn_i_train_state_deinit(alloc, &b->state);
    opn_i_release(alloc, b->gradient);
    opn_i_release(alloc, b->target);
    opn_i_release(alloc, b->prior);
    opn_i_release(alloc, b->prior_sum);
    opn_i_release(alloc, b->log_teacher);
    opn_i_release(alloc, b->keep);
    opn_model_free(b->model);
    opn_split_free(b->split);
    opn_params_free(b->params);
    opn_graph_free(b->graph);
}

static opn_status load_graph(workbench *b, const char *data)
{
    opn_status status = OPN_OK;
    opn_graph *raw = NULL;
    OPN_TRY(opn_graph_load(b->ctx, data, NULL, &raw));
    OPN_TRY(opn_graph_prepare(b->ctx, raw, opn_graph_usual_steps(raw), &b->graph));
    OPN_TRY(opn_params_create(b->ctx, &b->params));
    OPN_TRY(opn_params_use_preset(b->ctx, b->graph, b->params));
    OPN_TRY(opn_split_from_params(b->ctx, b->graph, b->params, &b->split));
    b->dropout = opn_params_real(b->params, "dropout");
cleanup:
    opn_graph_free(raw);
    return status;
}

static opn_status make_network(workbench *b)
{
    opn_status status = OPN_OK;
    opn_i_network *gcn = &b->workspace.network;
    OPN_TRY(opn_i_model_new(b->ctx, &b->model));
    b->model->kind = opn_i_model_kind_find("s-bgcn-t-k");
    b->model->sizes = opn_i_model_sizes(b->model->kind, b->params);
    b->model->sizes.n_features = b->graph->features.n_cols;
    b->model->sizes.n_classes = opn_split_n_known(b->split);
    OPN_TRY(opn_i_features_fit(b->ctx, b->graph, opn_params_text(b->params, "normalise"),
                               b->model));
    const opn_i_plan plan = {.trains = true,
                             .has_whole = opn_params_int(b->params, "patience") > 0,
                             .dropout = b->dropout};
    OPN_TRY(opn_i_workspace_init(b->ctx, b->model, b->graph, plan, &b->workspace));
    b->uses = opn_i_plan_uses(plan);
    OPN_TRY(opn_i_train_state_init(b->ctx, gcn, &b->state));
    OPN_TRY_NEW(b->ctx, b->gradient, OPN_MARGIN + b->state.n_weights);
    b->d_weights = opn_i_on_line(b->gradient);
    opn_i_network_init_weights(gcn, 0, OPN_STREAM_STUDENT_WEIGHTS, b->state.weights);
cleanup:
    return status;
}

// Target and prior are left in the order of the graph, not that of the stage: what they
// say takes the same time whichever node it is said of.
static opn_status make_objective(workbench *b)
{
    opn_status status = OPN_OK;
    const opn_i_network *gcn = &b->workspace.network;
    const size_t width = (size_t)gcn->class_width;
    const size_t n_nodes = (size_t)gcn->n_nodes;
    const uint8_t *role = opn_split_roles(b->split);
    int32_t n_train = 0;
    OPN_TRY_NEW(b->ctx, b->target, n_nodes);
    OPN_TRY_NEW(b->ctx, b->prior, n_nodes * width);
    OPN_TRY_NEW(b->ctx, b->prior_sum, n_nodes);
    OPN_TRY_NEW(b->ctx, b->log_teacher, n_nodes * width); // of zeros: as good as any
    for (size_t i = 0; i < n_nodes; i++) {
        b->target[i] = role[i] == OPN_ROLE_TRAIN ? b->graph->label[i] : -1;
        n_train += b->target[i] >= 0;
    }
    OPN_TRY(opn_i_gkde(b->ctx, b->graph, b->target, gcn->sizes.n_classes,
                       opn_params_real(b->params, "sigma"), false, gcn->class_width,
                       b->prior));
    for (size_t i = 0; i < n_nodes; i++)
        for (size_t k = 0; k < (size_t)gcn->sizes.n_classes; k++)
            b->prior_sum[i] += b->prior[i * width + k];
    b->objective = (opn_i_objective){
            .head = b->model->kind->head,
            .evidence = b->model->kind->evidence,
            .n_nodes = gcn->n_nodes,
            .n_classes = gcn->sizes.n_classes,
            .width = gcn->class_width,
            .target = b->target,
            .n_train = n_train,
            .prior = b->prior,
            .prior_sum = b->prior_sum,
            .lambda1 = opn_params_real(b->params, "lambda1"),
            .log_teacher = b->log_teacher,
            .teacher_epochs = 200.0,
    };
cleanup:
    return status;
}

void workbench_draw(workbench *b)
{
    const opn_i_streams streams = {.features = OPN_STREAM_STUDENT_FEATURES,
                                   .hidden = OPN_STREAM_STUDENT_HIDDEN};
    opn_i_network_draw(&b->workspace.exec, &b->workspace.network, 0, &streams, 0,
                       (opn_i_rates){b->dropout, 0.0});
}

static opn_status keep_bits(workbench *b)
{
    opn_status status = OPN_OK;
    const opn_i_feature_matrix *features = &b->workspace.features;
    const int64_t n = opn_i_feature_matrix_n_bits(features);
    OPN_TRY_NEW(b->ctx, b->keep, opn_i_bit_words(n));
    workbench_draw(b);
    memcpy(b->keep, features->keep, opn_i_bit_words(n) * sizeof(*b->keep));
    for (int64_t e = 0; e < n; e++)
        b->n_kept += opn_i_bit(b->keep, e);
cleanup:
    return status;
}

opn_status workbench_init(opn_ctx *ctx, const char *data, workbench *out)
{
    opn_status status = OPN_OK;
    out->ctx = ctx;
    OPN_TRY(load_graph(out, data));
    OPN_TRY(make_network(out));
    OPN_TRY(make_objective(out));
    OPN_TRY(keep_bits(out));
cleanup:
    if (status != OPN_OK)
        workbench_deinit(out);
    return status;
}
