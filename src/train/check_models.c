// check_models.c -- whether models can be trained, before there is a graph.

#include "model/model_data.h"

#include <stdio.h>
#include <string.h>

// What can be told of one model. A preset may set `hidden`, depending on the graph, so
// units are checked only where they are given.
static opn_status check_model(opn_ctx *ctx, const opn_params *params, const char *id)
{
    opn_status status = OPN_OK;
    opn_model model = {.kind = opn_i_model_kind_find(id)};
    OPN_FAIL_IF(ctx, model.kind == NULL, OPN_ERR_INVALID_ARG, "there is no model %s", id);
    OPN_TRY(opn_i_model_choose_evidence(ctx, params, &model));
    model.sizes = opn_i_model_sizes(model.kind, params);
    if (opn_params_given(params, "hidden"))
        OPN_TRY(opn_i_model_check_sizes(ctx, model.kind, &model.sizes));
cleanup:
    return status;
}

opn_status opn_params_check_models(opn_ctx *ctx, const opn_params *params, int several)
{
    opn_status status = OPN_OK;
    const char *models = opn_params_text(params, "model");
    const char *at = models;
    int32_t n = 0;
    while (*at != 0) {
        char id[32];
        const int n_chars = (int)strcspn(at, ",");
        snprintf(id, sizeof(id), "%.*s", n_chars, at);
        at += n_chars + (at[n_chars] == ',');
        OPN_FAIL_IF(ctx, n == 1 && !several, OPN_ERR_INVALID_ARG,
                    "`model` %s: only one model at a time can be trained", models);
        OPN_FAIL_IF(ctx, *at != 0 && opn_i_is_listed(at, id), OPN_ERR_INVALID_ARG,
                    "`model` names %s twice", id);
        OPN_TRY(check_model(ctx, params, id));
        n++;
    }
    OPN_FAIL_IF(ctx, n == 0, OPN_ERR_INVALID_ARG, "`model` is empty");
cleanup:
    return status;
}
