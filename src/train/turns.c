// turns.c -- what models that did not learn from a node say about it.

#include "train/turns.h"

#include "graph/graph_data.h"

#include <string.h>

void opn_i_turn_deinit(const opn_alloc *alloc, opn_i_turn *turn)
{
    opn_i_release(alloc, turn->label);
    opn_i_release(alloc, turn->p);
    opn_i_release(alloc, turn->q);
    *turn = (opn_i_turn){0};
}

static opn_status
make_room(opn_ctx *ctx, size_t n, size_t n_classes, bool has_q, opn_i_turn *turn)
{
    opn_status status = OPN_OK;
    turn->n_classes = (int32_t)n_classes;
    OPN_TRY_NEW(ctx, turn->label, n);
    OPN_TRY_NEW(ctx, turn->p, n * n_classes);
    if (has_q)
        OPN_TRY_NEW(ctx, turn->q, n * n_classes);
cleanup:
    return status;
}

// Adds n nodes with their rows; q may be NULL if the turn has none.
static void
add_nodes(opn_i_turn *to, size_t n, const int32_t *label, const float *p, const float *q)
{
    const size_t width = (size_t)to->n_classes;
    const size_t at = (size_t)to->n * width;
    memcpy(to->label + to->n, label, n * sizeof(*label));
    memcpy(to->p + at, p, n * width * sizeof(*p));
    if (to->q != NULL)
        memcpy(to->q + at, q, n * width * sizeof(*q));
    to->n += (int32_t)n;
}

opn_status opn_i_turn_init(opn_ctx *ctx,
                           const opn_graph *graph,
                           const opn_split *fold,
                           const opn_model *model,
                           opn_i_turn *out)
{
    opn_status status = OPN_OK;
    opn_i_turn made = {0};
    opn_prediction *said = NULL;
    const uint8_t *role = opn_split_roles(fold);
    OPN_TRY(opn_model_predict(ctx, model, graph, NULL, OPN_KEEP_AROUND, &said));
    const size_t width = (size_t)said->n_classes;
    OPN_TRY(make_room(ctx, (size_t)opn_split_count(fold, OPN_ROLE_VALIDATION), width,
                      said->around != NULL, &made));
    for (opn_vid i = 0; i < said->n_nodes; i++) {
        if (role[i] != OPN_ROLE_VALIDATION)
            continue;
        const size_t at = (size_t)i * width;
        add_nodes(&made, 1, &opn_split_known(fold)[graph->label[i]],
                  said->probability + at, made.q == NULL ? NULL : said->around + at);
    }
    *out = made;
    made = (opn_i_turn){0};
cleanup:
    opn_i_turn_deinit(&ctx->alloc, &made);
    opn_prediction_free(said);
    return status;
}

opn_status opn_i_turns_calibrate(opn_ctx *ctx,
                                 opn_calibration wanted,
                                 int n_turns,
                                 const opn_i_turn *turn,
                                 opn_calibrator *out)
{
    opn_status status = OPN_OK;
    opn_i_turn all = {0};
    size_t n = 0;
    for (int t = 0; t < n_turns; t++)
        n += (size_t)turn[t].n;
    OPN_TRY(make_room(ctx, n, (size_t)turn[0].n_classes, turn[0].q != NULL, &all));
    for (int t = 0; t < n_turns; t++)
        add_nodes(&all, (size_t)turn[t].n, turn[t].label, turn[t].p, turn[t].q);
    const opn_prediction said = {.n_nodes = all.n,
                                 .n_classes = all.n_classes,
                                 .probability = all.p,
                                 .around = all.q};
    const opn_i_guarantee labels = {.n = all.n, .target = all.label};
    OPN_TRY(opn_i_calibration_fit(ctx, wanted, &said, &labels, out));
cleanup:
    opn_i_turn_deinit(&ctx->alloc, &all);
    return status;
}
