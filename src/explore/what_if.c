// what_if.c -- what a model would say if some labels were others.

#include "explore/what_if.h"

#include "experiment/view_advice.h"
#include "experiment/view_model.h"
#include "report/page.h"

#include <stdio.h>
#include <string.h>

// ---- labels --------------------------------------------------------------------------

// The roles before nodes of classes that the model does not know were taken out of
// training: figures count those apart from the others. They are drawn again; if that
// gives anything else than the model's split otherwise, the roles of that will do.
static opn_status whole_roles(opn_ctx *ctx,
                              const opn_model *model,
                              const opn_graph *graph,
                              const opn_split *split,
                              uint8_t *role)
{
    opn_status status = OPN_OK;
    const size_t n = (size_t)opn_graph_n_nodes(graph);
    const int32_t *label = opn_graph_labels(graph);
    opn_params *params = NULL;
    opn_split *whole = NULL;
    bool is_same = true;
    memcpy(role, opn_split_roles(split), n);
    OPN_TRY(opn_i_model_params(ctx, model, &params));
    OPN_TRY(opn_params_set(ctx, params, "ood_classes", ""));
    OPN_TRY(opn_params_set(ctx, params, "task", "misclassification"));
    OPN_TRY(opn_split_from_params(ctx, graph, params, &whole));
    for (size_t i = 0; i < n && is_same; i++)
        is_same = (label[i] >= 0 && opn_split_known(split)[label[i]] < 0) ||
                  opn_split_roles(whole)[i] == role[i];
    if (is_same)
        memcpy(role, opn_split_roles(whole), n);
cleanup:
    opn_split_free(whole);
    opn_params_free(params);
    return status;
}

static opn_status copy_class_names(opn_ctx *ctx, const opn_graph *from, opn_graph *to)
{
    opn_status status = OPN_OK;
    const char **name = NULL;
    char number[12];
    if (!opn_graph_has_class_names(from))
        return OPN_OK;
    OPN_TRY_NEW(ctx, name, opn_graph_n_classes(from));
    for (int32_t k = 0; k < opn_graph_n_classes(from); k++)
        name[k] = opn_graph_class_name(from, k, number);
    OPN_TRY(opn_graph_set_class_names(ctx, to, name));
cleanup:
    opn_i_release(&ctx->alloc, name);
    return status;
}

opn_status opn_i_edit_graph(opn_ctx *ctx,
                            const opn_model *model,
                            const opn_graph *graph,
                            const opn_split *split,
                            const opn_i_edit *edit,
                            size_t n_edits,
                            opn_graph **out)
{
    opn_status status = OPN_OK;
    const opn_vid n_nodes = opn_graph_n_nodes(graph);
    opn_graph *edited = NULL;
    int32_t *label = NULL;
    uint8_t *role = NULL;
    OPN_TRY_NEW(ctx, label, n_nodes);
    OPN_TRY_NEW(ctx, role, n_nodes);
    memcpy(label, opn_graph_labels(graph), (size_t)n_nodes * sizeof(*label));
    OPN_TRY(whole_roles(ctx, model, graph, split, role));
    for (size_t e = 0; e < n_edits; e++) {
        label[edit[e].node] = edit[e].label;
        role[edit[e].node] = edit[e].label < 0 ? OPN_ROLE_UNLABELLED : OPN_ROLE_TRAIN;
    }
    OPN_TRY(opn_graph_copy(ctx, graph, &edited));
    OPN_TRY(opn_graph_set_labels(ctx, edited, opn_graph_n_classes(graph), label));
    OPN_TRY(copy_class_names(ctx, graph, edited));
    OPN_TRY(opn_graph_set_roles(ctx, edited, role));
    *out = edited;
    edited = NULL;
cleanup:
    opn_graph_free(edited);
    opn_i_release(&ctx->alloc, label);
    opn_i_release(&ctx->alloc, role);
    return status;
}

// ---- training ------------------------------------------------------------------------

// The classes that the split holds out, by name: those of a dataset known by name are
// known by the dataset, which edited labels no longer are.
static opn_status name_held_out(opn_ctx *ctx,
                                const opn_graph *graph,
                                const opn_split *split,
                                opn_params *params)
{
    opn_status status = OPN_OK;
    opn_i_text names = {.ctx = ctx};
    char number[12];
    for (int32_t k = 0; k < opn_graph_n_classes(graph); k++)
        if (opn_split_known(split)[k] < 0)
            opn_i_text_add(&names, "%s%s", names.n > 0 ? "," : "",
                           opn_graph_class_name(graph, k, number));
    OPN_TRY(names.status);
    if (names.n > 0)
        OPN_TRY(opn_params_set(ctx, params, "ood_classes", names.chars));
cleanup:
    opn_i_text_free(&names);
    return status;
}

opn_status opn_i_train_alike(opn_ctx *ctx,
                             const opn_model *model,
                             const opn_graph *graph,
                             const opn_split *split,
                             const opn_graph *edited,
                             opn_model **out)
{
    opn_status status = OPN_OK;
    opn_params *params = NULL;
    opn_split *drawn = NULL;
    opn_model *trained = NULL;
    OPN_TRY(opn_i_model_params(ctx, model, &params));
    OPN_TRY(opn_params_set(ctx, params, "model", opn_model_id(model)));
    OPN_TRY(name_held_out(ctx, graph, split, params));
    OPN_TRY(opn_split_from_params(ctx, edited, params, &drawn));
    OPN_TRY(opn_model_train(ctx, edited, drawn, params, NULL, &trained));
    OPN_TRY(opn_model_calibrate(ctx, edited, drawn, params, trained));
    *out = trained;
    trained = NULL;
cleanup:
    opn_model_free(trained);
    opn_split_free(drawn);
    opn_params_free(params);
    return status;
}

// ---- what it says --------------------------------------------------------------------

opn_status opn_i_view_text(opn_ctx *ctx,
                           const opn_model *model,
                           const opn_graph *graph,
                           const opn_params *params,
                           opn_i_text *out)
{
    opn_status status = OPN_OK;
    opn_report *report = NULL;
    opn_i_view view = {0};
    OPN_TRY(opn_report_create(ctx, graph, NULL, &report));
    OPN_TRY(opn_i_view_of_model(ctx, report, model, &view));
    OPN_TRY(opn_i_view_add_advice(ctx, graph, model, params, &view));
    snprintf(view.training_note, sizeof(view.training_note),
             "Not recorded: what-ifs train without looking at every term.");
    OPN_TRY(opn_i_report_take_view(ctx, report, &view));
    OPN_TRY(opn_i_report_data_text(ctx, report, out));
cleanup:
    opn_i_view_deinit(&ctx->alloc, &view);
    opn_report_free(report);
    return status;
}
