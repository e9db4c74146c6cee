// calibrated.c -- fits a model's calibration after training, and applies it.

#include "predict/calibrated.h"

#include "graph/graph_data.h"
#include "model/model_data.h"

#include <string.h>

// With fewer nodes hardly any promise can be shown, so that labels which also stopped
// training or chose the model are taken as well.
enum { ENOUGH_CALIBRATION = 50 };

// ---- labels --------------------------------------------------------------------------

void opn_i_guarantee_deinit(const opn_alloc *alloc, opn_i_guarantee *guarantee)
{
    opn_i_release(alloc, guarantee->target);
    *guarantee = (opn_i_guarantee){0};
}

opn_status opn_i_guarantee_init(opn_ctx *ctx,
                                const opn_graph *graph,
                                const opn_split *split,
                                opn_i_guarantee *out)
{
    opn_status status = OPN_OK;
    opn_i_guarantee made = {0};
    const opn_vid n_nodes = opn_i_graph_n_nodes(graph);
    const uint8_t *role = opn_split_roles(split);
    const bool takes_validation =
            opn_split_count(split, OPN_ROLE_CALIBRATION) < ENOUGH_CALIBRATION;
    OPN_TRY_NEW(ctx, made.target, n_nodes);
    for (opn_vid i = 0; i < n_nodes; i++) {
        const bool validates = role[i] == OPN_ROLE_VALIDATION;
        const bool is_taken =
                role[i] == OPN_ROLE_CALIBRATION || (validates && takes_validation);
        made.target[i] = is_taken ? opn_split_known(split)[graph->label[i]] : -1;
        made.n += made.target[i] >= 0;
        made.n_validation += validates && made.target[i] >= 0;
    }
    *out = made;
    made = (opn_i_guarantee){0};
cleanup:
    opn_i_guarantee_deinit(&ctx->alloc, &made);
    return status;
}

// ---- fit -----------------------------------------------------------------------------

opn_calibration opn_i_calibration_wanted(const opn_params *params)
{
    const char *text = opn_params_text(params, "calibrate");
    for (int c = OPN_CALIBRATION_NONE; c < OPN_CALIBRATION_POOL; c++)
        if (strcmp(text, opn_calibration_name((opn_calibration)c)) == 0)
            return (opn_calibration)c;
    return OPN_CALIBRATION_POOL;
}

// The kind of calibration that the labels and the prediction are enough for.
static opn_calibration affordable(opn_calibration wanted,
                                  const opn_prediction *prediction,
                                  const opn_i_guarantee *guarantee)
{
    int32_t first = -1;
    bool differ = false;
    for (int32_t i = 0; i < prediction->n_nodes; i++) {
        const int32_t k = guarantee->target[i];
        differ = differ || (k >= 0 && first >= 0 && k != first);
        first = k >= 0 ? k : first;
    }
    if (!differ)
        return OPN_CALIBRATION_NONE;
    if (wanted == OPN_CALIBRATION_POOL && prediction->around == NULL)
        wanted = OPN_CALIBRATION_TEMPERATURE;
    return opn_calibration_affordable(wanted, guarantee->n);
}

opn_status opn_i_calibration_fit(opn_ctx *ctx,
                                 opn_calibration wanted,
                                 const opn_prediction *prediction,
                                 const opn_i_guarantee *guarantee,
                                 opn_calibrator *out)
{
    const opn_calibration kind = affordable(wanted, prediction, guarantee);
    *out = (opn_calibrator){0};
    if (kind == OPN_CALIBRATION_NONE)
        return OPN_OK;
    return opn_calibrator_fit(ctx, kind, prediction->n_nodes, prediction->n_classes,
                              opn_f32(prediction->probability),
                              opn_f32(prediction->around), guarantee->target, out);
}

static opn_status calibrate_one(opn_ctx *ctx,
                                const opn_graph *graph,
                                const opn_i_guarantee *guarantee,
                                opn_calibration wanted,
                                opn_model *model)
{
    opn_status status = OPN_OK;
    opn_prediction *prediction = NULL;
    // Fitted already where the labels took turns: on several times as many nodes.
    if (model->calibrator.kind ==
                opn_calibration_affordable(wanted, model->calibrator.n) &&
        model->calibrator.n > guarantee->n)
        return OPN_OK;
    model->calibrator = (opn_calibrator){0};
    OPN_TRY(opn_model_predict(ctx, model, graph, NULL, OPN_KEEP_AROUND, &prediction));
    OPN_TRY(opn_i_calibration_fit(ctx, wanted, prediction, guarantee,
                                  &model->calibrator));
cleanup:
    opn_prediction_free(prediction);
    return status;
}

opn_status opn_model_calibrate(opn_ctx *ctx,
                               const opn_graph *graph,
                               const opn_split *split,
                               const opn_params *params,
                               opn_model *model)
{
    OPN_REJECT_NULL(ctx, graph, split, params, model);
    opn_status status = OPN_OK;
    opn_i_guarantee guarantee = {0};
    const opn_calibration wanted = opn_i_calibration_wanted(params);
    if (wanted == OPN_CALIBRATION_NONE) {
        model->calibrator = (opn_calibrator){0};
        return OPN_OK;
    }
    OPN_TRY(opn_i_guarantee_init(ctx, graph, split, &guarantee));
    OPN_TRY(calibrate_one(ctx, graph, &guarantee, wanted, model));
    if (model->elsewhere != NULL)
        OPN_TRY(calibrate_one(ctx, graph, &guarantee, wanted, model->elsewhere));
    if (model->calibrator.kind == OPN_CALIBRATION_NONE)
        opn_i_log(ctx, OPN_LOG_WARNING,
                  "%s: %d labelled nodes beside those that train are too few to "
                  "calibrate probabilities",
                  graph->name, guarantee.n);
cleanup:
    opn_i_guarantee_deinit(&ctx->alloc, &guarantee);
    return status;
}

const opn_calibrator *opn_model_calibrator(const opn_model *model)
{
    OPN_RETURN_IF_NULL(model, NULL);
    return &model->calibrator;
}

// ---- use -----------------------------------------------------------------------------

opn_status opn_i_calibration_apply(opn_ctx *ctx,
                                   const opn_calibrator *calibrator,
                                   opn_prediction *prediction)
{
    opn_status status = OPN_OK;
    const size_t n = (size_t)prediction->n_nodes;
    const size_t width = (size_t)prediction->n_classes;
    float *calibrated = NULL;
    float *confidence = NULL;
    if (calibrator->kind == OPN_CALIBRATION_NONE)
        return OPN_OK;
    OPN_TRY_NEW(ctx, calibrated, n * width);
    OPN_TRY_NEW(ctx, confidence, n);
    OPN_TRY(opn_calibrator_apply(ctx, calibrator, prediction->n_nodes,
                                 prediction->n_classes, opn_f32(prediction->probability),
                                 opn_f32(prediction->around), opn_into_f32(calibrated)));
    for (size_t i = 0; i < n; i++)
        confidence[i] = calibrated[i * width + (size_t)prediction->predicted[i]];
    prediction->calibrated = calibrated;
    prediction->confidence = confidence;
    calibrated = NULL;
    confidence = NULL;
cleanup:
    opn_i_release(&ctx->alloc, calibrated);
    opn_i_release(&ctx->alloc, confidence);
    return status;
}

opn_status opn_i_calibration_add(opn_ctx *ctx,
                                 const opn_graph *graph,
                                 const opn_split *split,
                                 const opn_params *params,
                                 opn_prediction *prediction)
{
    opn_status status = OPN_OK;
    opn_i_guarantee guarantee = {0};
    opn_calibrator calibrator = {0};
    const opn_calibration wanted = opn_i_calibration_wanted(params);
    if (prediction->calibrated != NULL || wanted == OPN_CALIBRATION_NONE)
        return OPN_OK;
    OPN_TRY(opn_i_guarantee_init(ctx, graph, split, &guarantee));
    OPN_TRY(opn_i_calibration_fit(ctx, wanted, prediction, &guarantee, &calibrator));
    OPN_TRY(opn_i_calibration_apply(ctx, &calibrator, prediction));
cleanup:
    opn_i_guarantee_deinit(&ctx->alloc, &guarantee);
    return status;
}
