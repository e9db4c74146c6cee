// check_models.c -- whether models can be trained, before there is a graph.

#include "model/model_data.h"
#include "train/train.h"

#include <stdio.h>
#include <string.h>

// Whether a model that nobody named can use the evidence: with a prior and a teacher, as
// all that are chosen or used by default have them.
static opn_status check_evidence(opn_ctx *ctx, const opn_params *params, const char *id)
{
    opn_status status = OPN_OK;
    opn_i_evidence_kind evidence = OPN_EVIDENCE_EXP;
    const char *text = opn_params_text(params, "evidence");
    const bool is_named = opn_params_given(params, "model") && strcmp(id, "auto") != 0;
    if (is_named || !opn_params_given(params, "evidence"))
        return OPN_OK;
    OPN_FAIL_IF(ctx,
                opn_i_evidence_parse(text, &evidence) &&
                        opn_i_evidence_is_signed(evidence),
                OPN_ERR_INVALID_ARG,
                "`evidence` %s needs a named model without prior and teacher: `model` "
                "s-bgcn for example",
                text);
cleanup:
    return status;
}

// Whether the heads of attention can share the hidden units, as given or by any preset.
static opn_status
check_heads(opn_ctx *ctx, const opn_params *given, const opn_i_model_kind *kind)
{
    opn_status status = OPN_OK;
    opn_params *params = NULL;
    if (opn_i_model_kind_is_auto(kind) || !kind->encoder->has_heads)
        return OPN_OK;
    OPN_TRY(opn_params_copy(ctx, given, &params));
    if (!opn_params_given(given, "hidden"))
        OPN_TRY(opn_params_set(ctx, params, "hidden", opn_i_attention_hidden));
    const opn_i_sizes sizes = opn_i_model_sizes(kind, params);
    OPN_TRY(opn_i_model_check_sizes(ctx, kind, &sizes));
cleanup:
    opn_params_free(params);
    return status;
}

static opn_status check_model(opn_ctx *ctx, const opn_params *params, const char *id)
{
    opn_status status = OPN_OK;
    opn_model model = {.kind = opn_i_model_kind_find(id)};
    OPN_FAIL_IF(ctx, model.kind == NULL, OPN_ERR_INVALID_ARG, "there is no model %s", id);
    OPN_TRY(check_evidence(ctx, params, id));
    OPN_TRY(opn_i_model_choose_evidence(ctx, params, &model));
    OPN_TRY(check_heads(ctx, params, model.kind));
cleanup:
    return status;
}

opn_status opn_params_check_models(opn_ctx *ctx, const opn_params *params, int several)
{
    OPN_REJECT_NULL(ctx, params);
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
