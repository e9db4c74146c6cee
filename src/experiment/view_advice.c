// view_advice.c -- what a report advises: thresholds that keep a promise, nodes to label.

#include "experiment/view_advice.h"

#include "graph/gkde.h"
#include "opine/decide.h"
#include "predict/promise.h"
#include "predict/suggestion_list.h"

enum { N_SUGGESTIONS = 20 };

// What opn_prediction_decide() would promise, measure by measure.
static opn_status add_promises(opn_ctx *ctx,
                               const opn_graph *graph,
                               const opn_split *split,
                               opn_i_view *view)
{
    opn_status status = OPN_OK;
    opn_i_promises *promises = &view->promises;
    opn_i_guarantee guarantee = {0};
    const opn_i_promise promise = {ctx, graph, split, view->said, &guarantee};
    uint8_t *decision = NULL; // no other threshold rejects a node
    OPN_TRY(opn_i_guarantee_init(ctx, graph, split, &guarantee));
    OPN_TRY_NEW(ctx, decision, view->n_nodes);
    promises->n = guarantee.n;
    promises->n_validation = guarantee.n_validation;
    for (int m = 0; m < OPN_N_MEASURES && guarantee.n > 0; m++)
        for (int t = 0; t < OPN_N_PROMISED && view->said->measure[m] != NULL; t++)
            OPN_TRY(opn_i_promise_accuracy(&promise, (opn_measure)m, decision,
                                           opn_i_promised[t], promises->confidence,
                                           &promises->of[m][t]));
cleanup:
    opn_i_guarantee_deinit(&ctx->alloc, &guarantee);
    opn_i_release(&ctx->alloc, decision);
    return status;
}

static void find_radius(opn_i_view *view)
{
    int64_t n_labelled = 0;
    for (int32_t i = 0; i < view->n_nodes; i++)
        n_labelled += view->role[i] == OPN_ROLE_TRAIN;
    view->radius = opn_i_gkde_radius(view->sigma, view->has_constant, n_labelled);
}

opn_status opn_i_view_add_advice(opn_ctx *ctx,
                                 const opn_graph *graph,
                                 const opn_model *model,
                                 const opn_params *params,
                                 opn_i_view *view)
{
    opn_status status = OPN_OK;
    opn_split *split = NULL;
    view->promises.confidence = opn_params_real(params, "confidence");
    if (view->basis != OPN_BASIS_LABELLED)
        OPN_TRY(opn_model_split(ctx, model, graph, &split));
    if (split != NULL)
        OPN_TRY(add_promises(ctx, graph, split, view));
    if (view->sigma > 0.0)
        find_radius(view);
    if (opn_i_suggestion_candidates(graph, split) > 0)
        OPN_TRY(opn_i_suggest_predicted(ctx, graph, split, view->said, N_SUGGESTIONS,
                                        &view->suggestions));
cleanup:
    opn_split_free(split);
    return status;
}
