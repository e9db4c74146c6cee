// report_load.c -- reports on the output of a run: a model, predictions, or a folder.

#include "data/loaders.h"
#include "experiment/report_run.h"
#include "io/bytes.h"
#include "io/path.h"
#include "opine/embed.h"
#include "opine/input.h"
#include "predict/prediction_file.h"
#include "report/report_data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- the graph that was used ---------------------------------------------------------

opn_status opn_i_report_source(opn_ctx *ctx,
                               const char *path,
                               const char *source,
                               const opn_params *params,
                               const char *label,
                               opn_graph **out)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, source[0] == 0, OPN_ERR_INVALID_ARG,
                "%s: does not say where its graph came from; name the graph to show it "
                "on",
                path);
    status = opn_i_graph_load_labelled(ctx, source, params, label, out);
    // The message about a dataset that is not there says how to get it.
    OPN_FAIL_IF(ctx, status == OPN_ERR_READ && source[0] == '/', OPN_ERR_READ,
                "%s: was made from %s, which cannot be read any more; name the graph to "
                "show it on",
                path, source);
cleanup:
    return status;
}

// ---- model ---------------------------------------------------------------------------

// The graph that a model was trained on, which must still be the same.
static opn_status load_training_graph(opn_ctx *ctx,
                                      const char *path,
                                      const opn_model *model,
                                      const opn_params *params,
                                      opn_graph **out)
{
    opn_status status = OPN_OK;
    opn_graph *graph = NULL;
    char hash[65];
    OPN_TRY(opn_i_report_source(ctx, path, opn_model_source(model), params,
                                opn_model_param(model, "label"), &graph));
    OPN_TRY(opn_graph_hash(ctx, graph, hash));
    OPN_FAIL_IF(ctx, strcmp(hash, opn_model_data_hash(model)) != 0, OPN_ERR_SHAPE,
                "%s: was trained on %s, which has changed since; name the graph to show "
                "it on",
                path, opn_model_source(model));
    *out = graph;
    graph = NULL;
cleanup:
    opn_graph_free(graph);
    return status;
}

opn_status opn_i_report_graph(opn_ctx *ctx,
                              const char *path,
                              const opn_model *model,
                              const char *data,
                              const opn_params *params,
                              opn_graph **out)
{
    return data != NULL ? opn_model_load_graph(ctx, model, data, params, out)
                        : load_training_graph(ctx, path, model, params, out);
}

static opn_status report_model(opn_ctx *ctx,
                               const char *path,
                               const char *data,
                               const opn_params *params,
                               opn_report **out)
{
    opn_status status = OPN_OK;
    opn_model *model = NULL;
    opn_graph *graph = NULL;
    opn_report *report = NULL;
    OPN_TRY(opn_model_load(ctx, path, &model));
    OPN_TRY(opn_i_report_graph(ctx, path, model, data, params, &graph));
    OPN_TRY(opn_i_report_new(ctx, graph->name, graph, &report));
    report->own_graph = graph;
    graph = NULL;
    OPN_TRY(opn_i_report_tell_source(ctx, report,
                                     data != NULL ? data : opn_model_source(model)));
    OPN_TRY(opn_report_add_model(ctx, report, model, params));
    OPN_TRY(opn_i_report_tell_file(ctx, report, path));
    *out = report;
    report = NULL;
cleanup:
    opn_report_free(report);
    opn_graph_free(graph);
    opn_model_free(model);
    return status;
}

// ---- predictions ---------------------------------------------------------------------

static opn_status check_nodes(opn_ctx *ctx,
                              const char *path,
                              const opn_i_prediction_file *file,
                              const opn_graph *graph)
{
    opn_status status = OPN_OK;
    char number[12];
    OPN_FAIL_IF(ctx, file->n_nodes != opn_i_graph_n_nodes(graph), OPN_ERR_SHAPE,
                "%s: has %d nodes, but %s has %d", path, file->n_nodes, graph->name,
                opn_i_graph_n_nodes(graph));
    for (int32_t i = 0; i < file->n_nodes; i++)
        OPN_FAIL_IF(ctx,
                    strcmp(opn_i_names_at(&file->nodes, i),
                           opn_graph_node_name(graph, i, number)) != 0,
                    OPN_ERR_SHAPE, "%s: node %d is \"%s\", but in %s it is \"%s\"", path,
                    i, opn_i_names_at(&file->nodes, i), graph->name,
                    opn_graph_node_name(graph, i, number));
cleanup:
    return status;
}

// Moves what is known about the nodes from the file into the view.
static void take_arrays(opn_i_prediction_file *file, opn_i_view *view)
{
    view->role = file->role;
    view->said = file->said;
    file->role = NULL;
    file->said = NULL;
}

// Without the hidden layer, nodes are placed by their opinions: ln alpha, or ln p.
static opn_status place_opinions(opn_ctx *ctx, double perplexity, opn_i_view *view)
{
    opn_status status = OPN_OK;
    const size_t n = (size_t)view->n_nodes * (size_t)view->n_known;
    const float *from =
            view->said->alpha != NULL ? view->said->alpha : view->said->probability;
    float *x = NULL;
    float *place = NULL;
    OPN_TRY_NEW(ctx, x, n);
    OPN_TRY_NEW(ctx, place, 2 * (size_t)view->n_nodes);
    for (size_t j = 0; j < n; j++)
        x[j] = logf(fmaxf(from[j], 1e-6F));
    OPN_TRY(opn_embed(ctx, view->n_nodes, view->n_known, x, perplexity, 0, place));
    view->perplexity = fmin(perplexity, (view->n_nodes - 1) / 3.0); // as opn_embed() does
    view->place = place;
    place = NULL;
cleanup:
    opn_i_release(&ctx->alloc, x);
    opn_i_release(&ctx->alloc, place);
    return status;
}

static opn_status view_predictions(opn_ctx *ctx,
                                   opn_i_prediction_file *file,
                                   double perplexity,
                                   opn_report *report)
{
    opn_status status = OPN_OK;
    opn_i_view view = {.model = "predictions",
                       .n_nodes = file->n_nodes,
                       .n_known = file->n_known,
                       .label = report->graph->label,
                       .training_note = "Not available: predictions do not record how "
                                        "their model was trained."};
    bool has_ood = false;
    OPN_TRY_NEW(ctx, view.known, view.n_known);
    OPN_TRY_NEW(ctx, view.in_pool, view.n_nodes);
    for (int32_t k = 0; k < view.n_known; k++)
        OPN_TRY(opn_i_report_class(ctx, report, opn_i_names_at(&file->classes, k),
                                   &view.known[k]));
    take_arrays(file, &view);
    for (int32_t i = 0; i < view.n_nodes; i++) {
        view.in_pool[i] = view.role[i] == OPN_ROLE_TEST || view.role[i] == OPN_ROLE_POOL;
        has_ood = has_ood || opn_i_view_outcome(&view, i) == OPN_OUTCOME_OOD;
    }
    opn_i_view_find_basis(&view);
    snprintf(view.task, sizeof(view.task), "%s", has_ood ? "ood" : "misclassification");
    OPN_TRY(place_opinions(ctx, perplexity, &view));
    OPN_TRY(opn_i_report_take_view(ctx, report, &view));
cleanup:
    opn_i_view_deinit(&ctx->alloc, &view);
    return status;
}

static opn_status report_predictions(opn_ctx *ctx,
                                     const char *path,
                                     const char *data,
                                     const opn_params *params,
                                     opn_report **out)
{
    opn_status status = OPN_OK;
    opn_i_prediction_file file = {0};
    opn_graph *graph = NULL;
    opn_report *report = NULL;
    OPN_TRY(opn_i_prediction_file_read(ctx, path, &file));
    if (data != NULL)
        OPN_TRY(opn_graph_load_prepared(ctx, data, params, &graph));
    else
        OPN_TRY(opn_i_prediction_file_graph(ctx, path, &file, &graph));
    OPN_TRY(check_nodes(ctx, path, &file, graph));
    OPN_TRY(opn_i_report_new(ctx, graph->name, graph, &report));
    report->own_graph = graph;
    graph = NULL;
    OPN_TRY(view_predictions(ctx, &file, opn_params_real(params, "perplexity"), report));
    *out = report;
    report = NULL;
cleanup:
    opn_report_free(report);
    opn_graph_free(graph);
    opn_i_prediction_file_deinit(&ctx->alloc, &file);
    return status;
}

// ---- any input -----------------------------------------------------------------------

opn_status opn_report_load(opn_ctx *ctx,
                           const char *run,
                           const char *data,
                           const opn_params *params,
                           opn_report **out)
{
    OPN_REJECT_NULL(ctx, run, params, out);
    if (opn_i_folder_exists(run))
        return opn_i_report_of_run(ctx, run, data, params, out);
    const opn_input kind = opn_input_recognise(run);
    if (kind == OPN_INPUT_MODEL || kind == OPN_INPUT_CHECKPOINT)
        return report_model(ctx, run, data, params, out);
    return report_predictions(ctx, run, data, params, out);
}
