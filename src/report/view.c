// view.c -- one model's predictions for every node, as shown in reports and figures.

#include "report/view.h"

#include "opinion/measure_table.h"

#include <math.h>

const double opn_i_promised[OPN_N_PROMISED] = {0.6, 0.7,  0.75, 0.8, 0.85,
                                               0.9, 0.95, 0.98, 0.99};

void opn_i_view_deinit(const opn_alloc *alloc, opn_i_view *view)
{
    opn_i_release(alloc, view->known);
    opn_i_release(alloc, view->role);
    opn_i_release(alloc, view->in_pool);
    opn_prediction_free(view->said);
    opn_i_release(alloc, view->place);
    opn_i_release(alloc, view->file);
    opn_suggestions_free(view->suggestions);
    opn_i_release(alloc, view->training.epoch);
    opn_i_names_deinit(alloc, &view->param_names);
    opn_i_names_deinit(alloc, &view->param_values);
    *view = (opn_i_view){0};
}

// The model's index of a class, -1 if it does not know the class.
static int32_t own_class(const opn_i_view *view, int32_t label)
{
    for (int32_t k = 0; k < view->n_known; k++)
        if (view->known[k] == label)
            return k;
    return -1;
}

opn_i_outcome opn_i_view_outcome(const opn_i_view *view, int32_t i)
{
    const int32_t label = view->label[i];
    return label < 0                                        ? OPN_OUTCOME_UNLABELLED
           : label == view->known[view->said->predicted[i]] ? OPN_OUTCOME_CORRECT
           : own_class(view, label) >= 0                    ? OPN_OUTCOME_WRONG
                                                            : OPN_OUTCOME_OOD;
}

const char *opn_i_outcome_name(opn_i_outcome outcome)
{
    static const char *const names[] = {"correct", "wrong", "ood", "unlabelled"};
    return names[outcome];
}

const char *opn_i_basis_name(opn_i_basis basis)
{
    static const char *const names[] = {"test", "validation", "labelled"};
    return names[basis];
}

opn_measure opn_i_view_recommended(const opn_i_view *view)
{
    const opn_measure wanted = opn_i_recommended_measure(view->task);
    return view->said->measure[wanted] != NULL ? wanted : OPN_MEASURE_ENTROPY;
}

// Ranks the nodes of the pool that have one of two outcomes, one of which is `positive`;
// or all nodes, if takes_all.
static opn_status rank(opn_ctx *ctx,
                       const opn_i_view *view,
                       opn_measure measure,
                       bool takes_all,
                       opn_i_outcome positive,
                       opn_i_ranking *out)
{
    opn_status status = OPN_OK;
    float *score = NULL;
    uint8_t *mark = NULL; // [2, V] positive, wrong
    int32_t n = 0;
    OPN_TRY_NEW(ctx, score, view->n_nodes);
    OPN_TRY_NEW(ctx, mark, 2 * (size_t)view->n_nodes);
    uint8_t *wrong = mark + view->n_nodes;
    for (int32_t i = 0; i < view->n_nodes; i++) {
        const opn_i_outcome outcome = opn_i_view_outcome(view, i);
        if (!view->in_pool[i] || outcome == OPN_OUTCOME_UNLABELLED ||
            (!takes_all && outcome == OPN_OUTCOME_OOD))
            continue;
        score[n] = view->said->measure[measure][i];
        mark[n] = outcome == positive;
        wrong[n++] = outcome != OPN_OUTCOME_CORRECT;
    }
    OPN_TRY(opn_i_ranking_init(ctx, n, out));
    opn_i_rank(n, score, mark, wrong, out);
cleanup:
    opn_i_release(&ctx->alloc, score);
    opn_i_release(&ctx->alloc, mark);
    return status;
}

opn_status opn_i_view_rank(opn_ctx *ctx,
                           const opn_i_view *view,
                           bool is_ood,
                           opn_measure measure,
                           opn_i_ranking *out)
{
    return rank(ctx, view, measure, is_ood,
                is_ood ? OPN_OUTCOME_OOD : OPN_OUTCOME_CORRECT, out);
}

opn_status opn_i_view_rank_risk(opn_ctx *ctx,
                                const opn_i_view *view,
                                opn_measure measure,
                                opn_i_ranking *out)
{
    return rank(ctx, view, measure, true, OPN_OUTCOME_CORRECT, out);
}

void opn_i_view_find_basis(opn_i_view *view)
{
    bool has_pool = false;
    for (int32_t i = 0; i < view->n_nodes; i++)
        has_pool = has_pool || (view->in_pool[i] && view->label[i] >= 0);
    if (has_pool || view->basis == OPN_BASIS_LABELLED)
        return;
    view->basis = OPN_BASIS_VALIDATION;
    for (int32_t i = 0; i < view->n_nodes; i++)
        view->in_pool[i] = view->role[i] == OPN_ROLE_VALIDATION;
}

static bool is_of_basis(const opn_i_view *view, int32_t i)
{
    return view->basis == OPN_BASIS_LABELLED ||
           view->role[i] ==
                   (view->basis == OPN_BASIS_TEST ? OPN_ROLE_TEST : OPN_ROLE_VALIDATION);
}

opn_status opn_i_view_targets(opn_ctx *ctx, const opn_i_view *view, int32_t **out)
{
    opn_status status = OPN_OK;
    int32_t *target = NULL;
    OPN_TRY_NEW(ctx, target, view->n_nodes);
    for (int32_t i = 0; i < view->n_nodes; i++)
        target[i] = view->label[i] >= 0 && is_of_basis(view, i)
                            ? own_class(view, view->label[i])
                            : -1;
    *out = target;
cleanup:
    return status;
}
