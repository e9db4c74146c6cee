// view_model.c -- the view of a trained model: predictions, map, and training history.

#include "experiment/view_model.h"

#include "experiment/view_advice.h"
#include "model/workspace.h"
#include "opine/embed.h"
#include "predict/calibrated.h"
#include "train/history.h"
#include "train/jobs.h"
#include "train/train.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- predictions ---------------------------------------------------------------------

// Stores the parameters of training, and the numbers that the page needs from them.
static opn_status keep_parameters(opn_ctx *ctx, const opn_model *model, opn_i_view *view)
{
    opn_status status = OPN_OK;
    opn_params *params = NULL;
    OPN_TRY(opn_i_model_params(ctx, model, &params));
    snprintf(view->model, sizeof(view->model), "%s", model->kind->id);
    const bool holds_out = opn_params_text(params, "ood_classes")[0] != 0;
    snprintf(view->task, sizeof(view->task), "%s", opn_i_task_scored(params, holds_out));
    view->seed = opn_params_int(params, "seed");
    view->sigma = model->kind->has_prior ? opn_params_real(params, "sigma") : 0.0;
    view->has_constant = opn_params_flag(params, "kernel_constant") != 0;
    OPN_TRY(opn_i_names_copy(ctx, &model->param_names, &view->param_names));
    OPN_TRY(opn_i_names_copy(ctx, &model->param_values, &view->param_values));
cleanup:
    opn_params_free(params);
    return status;
}

static opn_status
find_classes(opn_ctx *ctx, opn_report *report, const opn_model *model, opn_i_view *view)
{
    opn_status status = OPN_OK;
    view->n_known = model->sizes.n_classes;
    OPN_TRY_NEW(ctx, view->known, view->n_known);
    for (int32_t k = 0; k < view->n_known; k++)
        OPN_TRY(opn_i_report_class(ctx, report, opn_model_class_name(model, k),
                                   &view->known[k]));
cleanup:
    return status;
}

// Roles come from the training split; if it is not known, all labelled nodes are the
// pool.
static opn_status find_roles(opn_ctx *ctx, const opn_split *split, opn_i_view *view)
{
    opn_status status = OPN_OK;
    OPN_TRY_NEW(ctx, view->role, view->n_nodes);
    OPN_TRY_NEW(ctx, view->in_pool, view->n_nodes);
    view->basis = split == NULL ? OPN_BASIS_LABELLED : OPN_BASIS_TEST;
    for (int32_t i = 0; i < view->n_nodes; i++) {
        const bool is_labelled = view->label[i] >= 0;
        view->role[i] = split != NULL ? opn_split_roles(split)[i]
                        : is_labelled ? OPN_ROLE_POOL
                                      : OPN_ROLE_UNLABELLED;
        view->in_pool[i] = split != NULL ? opn_split_pool(split)[i] : is_labelled;
    }
    opn_i_view_find_basis(view);
cleanup:
    return status;
}

// The models of a run are kept before they are calibrated.
static opn_status predict(opn_ctx *ctx,
                          const opn_model *model,
                          const opn_graph *graph,
                          const opn_split *split,
                          opn_i_view *view)
{
    opn_status status = OPN_OK;
    opn_params *params = NULL;
    OPN_TRY(opn_model_predict(ctx, model, graph, NULL, OPN_KEEP_AROUND, &view->said));
    if (split != NULL) {
        OPN_TRY(opn_i_model_params(ctx, model, &params));
        OPN_TRY(opn_i_calibration_add(ctx, graph, split, params, view->said));
    }
cleanup:
    opn_params_free(params);
    return status;
}

opn_status opn_i_view_of_model(opn_ctx *ctx,
                               opn_report *report,
                               const opn_model *model,
                               opn_i_view *out)
{
    opn_status status = OPN_OK;
    const opn_graph *graph = report->graph;
    opn_split *split = NULL;
    opn_i_view view = {.n_nodes = opn_i_graph_n_nodes(graph), .label = graph->label};
    OPN_TRY(keep_parameters(ctx, model, &view));
    OPN_TRY(find_classes(ctx, report, model, &view));
    OPN_TRY(opn_model_split(ctx, model, graph, &split));
    OPN_TRY(find_roles(ctx, split, &view));
    OPN_TRY(predict(ctx, model, graph, split, &view));
    *out = view;
    view = (opn_i_view){0};
cleanup:
    opn_split_free(split);
    opn_i_view_deinit(&ctx->alloc, &view);
    return status;
}

// ---- map -----------------------------------------------------------------------------

opn_status opn_i_view_add_map(opn_ctx *ctx,
                              const opn_graph *graph,
                              const opn_model *model,
                              double perplexity,
                              opn_i_view *view)
{
    opn_status status = OPN_OK;
    const size_t n = (size_t)view->n_nodes;
    float *hidden = NULL;
    float *place = NULL;
    OPN_TRY_NEW(ctx, hidden, n * (size_t)model->sizes.n_hidden);
    OPN_TRY_NEW(ctx, place, 2 * n);
    OPN_TRY(opn_model_hidden(ctx, model, graph, hidden));
    OPN_TRY(opn_embed(ctx, view->n_nodes, model->sizes.n_hidden, hidden, perplexity,
                      (uint64_t)view->seed, place));
    view->n_hidden = model->sizes.n_hidden;
    view->perplexity = fmin(perplexity, (view->n_nodes - 1) / 3.0); // as opn_embed() does
    view->place = place;
    place = NULL;
cleanup:
    opn_i_release(&ctx->alloc, hidden);
    opn_i_release(&ctx->alloc, place);
    return status;
}

// ---- training history ----------------------------------------------------------------

// All terms of an epoch cost as much as three epochs, and a curve is two hands wide.
enum { CURVE_POINTS = 100 };

// Leaves the epochs that have all terms.
static void keep_whole(opn_i_history *history)
{
    size_t n = 0;
    for (size_t e = 0; e < history->n; e++)
        if (!isnan(history->epoch[e].loss))
            history->epoch[n++] = history->epoch[e];
    history->n = n;
}

static opn_status train_again(opn_ctx *ctx,
                              const opn_model *model,
                              const opn_graph *graph,
                              opn_i_history *history,
                              opn_model **out)
{
    opn_status status = OPN_OK;
    opn_params *params = NULL;
    opn_split *split = NULL;
    opn_i_listener listener;
    OPN_TRY(opn_i_model_params(ctx, model, &params));
    OPN_TRY(opn_params_set(ctx, params, "model", model->kind->id));
    OPN_TRY(opn_params_set(ctx, params, "members", "1")); // the first stands for all
    OPN_TRY(opn_model_split(ctx, model, graph, &split));
    OPN_FAIL_IF(ctx, split == NULL, OPN_ERR_INTERNAL, "the split of training is gone");
    const int32_t n_epochs = (int32_t)opn_params_int(params, "epochs");
    opn_i_listener_begin(ctx, (n_epochs + CURVE_POINTS - 1) / CURVE_POINTS, history,
                         &listener);
    status = opn_model_train(ctx, graph, split, params, NULL, out);
    OPN_TRY(opn_i_listener_end(&listener, status));
    keep_whole(history);
cleanup:
    opn_split_free(split);
    opn_params_free(params);
    return status;
}

static bool
has_same_weights(const opn_model *a, const opn_model *b, const opn_i_network *shape)
{
    return memcmp(a->member[0].student, b->member[0].student,
                  shape->n_weights * sizeof(*a->member[0].student)) == 0;
}

// Trains again and compares the weights with the model's; the page says whether they are
// the same.
static opn_status add_training(opn_ctx *ctx,
                               const opn_graph *graph,
                               const opn_model *model,
                               opn_i_view *view)
{
    opn_status status = OPN_OK;
    opn_model *again = NULL;
    opn_i_network shape = {0};
    if (view->basis == OPN_BASIS_LABELLED) {
        snprintf(view->training_note, sizeof(view->training_note),
                 "Not available: the model was trained on another graph, or on another "
                 "split of it.");
        return OPN_OK;
    }
    OPN_TRY(train_again(ctx, model, graph, &view->training, &again));
    (void)opn_i_place_weights(model->kind->encoder, &model->sizes, shape.weight,
                              &shape.n_weights);
    snprintf(view->training_note, sizeof(view->training_note),
             "Recorded by training the model%s again%s",
             model->n_members > 1 ? "'s first member" : "",
             has_same_weights(again, model, &shape)
                     ? ", which gave exactly the same weights."
                     : "; the weights differ from the model's, as they may with another "
                       "build or CPU.");
cleanup:
    opn_model_free(again);
    return status;
}

// ---- the whole view ------------------------------------------------------------------

// What takes long and can be done at once, each on half of the threads: these wait for
// one another at every step, and the fewer there are the less.
enum { MAP, TRAINING, N_LONG };
typedef struct long_parts {
    const opn_graph *graph;
    const opn_model *model;
    double perplexity;
    opn_i_view *view; // each writes members of its own
} long_parts;

static opn_status add_part(opn_ctx *ctx, void *user, int32_t part)
{
    const long_parts *p = user;
    return part == MAP
                   ? opn_i_view_add_map(ctx, p->graph, p->model, p->perplexity, p->view)
                   : add_training(ctx, p->graph, p->model, p->view);
}

static opn_status add_long_parts(opn_ctx *ctx, long_parts *parts)
{
    const opn_i_jobs jobs = {.stage = "map and training curves",
                             .n = N_LONG,
                             .run = add_part,
                             .user = parts};
    return opn_i_jobs_run(ctx, &jobs);
}

opn_status opn_report_add_model(opn_ctx *ctx,
                                opn_report *report,
                                const opn_model *model,
                                const opn_params *params)
{
    OPN_REJECT_NULL(ctx, report, model, params);
    opn_status status = OPN_OK;
    opn_i_view view = {0};
    OPN_TRY(opn_model_for_graph(ctx, model, report->graph, &model));
    OPN_TRY(opn_i_view_of_model(ctx, report, model, &view));
    OPN_TRY(opn_i_view_add_advice(ctx, report->graph, model, params, &view));
    long_parts parts = {report->graph, model, opn_params_real(params, "perplexity"),
                        &view};
    OPN_TRY(add_long_parts(ctx, &parts));
    OPN_TRY(opn_i_report_take_view(ctx, report, &view));
cleanup:
    opn_i_view_deinit(&ctx->alloc, &view);
    return status;
}
