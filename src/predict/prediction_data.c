// prediction_data.c -- creates, frees and reads predictions.

#include "predict/prediction_data.h"

void opn_prediction_free(opn_prediction *prediction)
{
    if (prediction == NULL)
        return;
    const opn_alloc alloc = prediction->alloc;
    opn_i_release(&alloc, prediction->predicted);
    opn_i_release(&alloc, prediction->probability);
    opn_i_release(&alloc, prediction->alpha);
    opn_i_release(&alloc, prediction->belief);
    opn_i_release(&alloc, prediction->around);
    opn_i_release(&alloc, prediction->calibrated);
    opn_i_release(&alloc, prediction->confidence);
    opn_i_release(&alloc, prediction->p_known);
    opn_i_release(&alloc, prediction->member);
    for (int m = 0; m < OPN_N_MEASURES; m++) {
        opn_i_release(&alloc, prediction->measure[m]);
        opn_i_release(&alloc, prediction->smoothed[m]);
    }
    opn_i_release(&alloc, prediction->energy);
    opn_i_release(&alloc, prediction->smoothed_energy);
    opn_i_release(&alloc, prediction->decision);
    opn_i_release(&alloc, prediction->decided_by);
    opn_i_release(&alloc, prediction->summary);
    opn_i_release(&alloc, prediction);
}

// Allocates the arrays with one number per node.
static opn_status make_columns(opn_ctx *ctx,
                               size_t n,
                               const opn_i_prediction_parts *parts,
                               opn_prediction *made)
{
    opn_status status = OPN_OK;
    for (int m = 0; m < OPN_N_MEASURES; m++) {
        if (parts->has_measure[m])
            OPN_TRY_NEW(ctx, made->measure[m], n);
        // The others are of a node's surroundings already.
        if (parts->has_measure[m] && parts->is_smoothed && m < OPN_N_PAPER_MEASURES)
            OPN_TRY_NEW(ctx, made->smoothed[m], n);
    }
    if (parts->has_energy)
        OPN_TRY_NEW(ctx, made->energy, n);
    if (parts->has_energy && parts->is_smoothed)
        OPN_TRY_NEW(ctx, made->smoothed_energy, n);
cleanup:
    return status;
}

opn_status opn_i_prediction_new(opn_ctx *ctx,
                                size_t n_nodes,
                                int32_t n_classes,
                                const opn_i_prediction_parts *parts,
                                opn_prediction **out)
{
    opn_status status = OPN_OK;
    opn_prediction *made = NULL;
    size_t n_wide = 0;
    OPN_FAIL_IF(ctx, !opn_i_mul(n_nodes, (size_t)n_classes, &n_wide), OPN_ERR_OVERFLOW,
                "%zu nodes of %d classes are too many", n_nodes, n_classes);
    OPN_TRY_NEW(ctx, made, 1);
    made->alloc = ctx->alloc;
    made->n_nodes = (int32_t)n_nodes;
    made->n_classes = n_classes;
    OPN_TRY_NEW(ctx, made->predicted, n_nodes);
    OPN_TRY_NEW(ctx, made->probability, n_wide);
    if (parts->has_alpha)
        OPN_TRY_NEW(ctx, made->alpha, n_wide);
    if (parts->has_belief)
        OPN_TRY_NEW(ctx, made->belief, n_wide);
    if (parts->has_around)
        OPN_TRY_NEW(ctx, made->around, n_wide);
    OPN_TRY(make_columns(ctx, n_nodes, parts, made));
    *out = made;
    made = NULL;
cleanup:
    opn_prediction_free(made);
    return status;
}

const float *opn_i_prediction_score(const opn_prediction *prediction, int32_t score)
{
    const bool is_smoothed = score >= OPN_SCORE_SMOOTHED;
    const int32_t of = score % OPN_SCORE_SMOOTHED;
    if (score >= OPN_SCORE_RIVALS)
        return NULL;
    if (of == OPN_SCORE_ENERGY)
        return is_smoothed ? prediction->smoothed_energy : prediction->energy;
    return (is_smoothed ? prediction->smoothed : prediction->measure)[of];
}

const char *opn_i_prediction_class(const opn_model *model,
                                   const opn_graph *graph,
                                   int32_t k,
                                   char number[12])
{
    return model != NULL ? opn_model_class_name(model, k)
                         : opn_graph_class_name(graph, k, number);
}

bool opn_i_prediction_is_smoothed(const opn_prediction *prediction)
{
    for (int m = 0; m < OPN_N_MEASURES; m++)
        if (prediction->smoothed[m] != NULL)
            return true;
    return false;
}

// ---- getters -------------------------------------------------------------------------

int32_t opn_prediction_n_nodes(const opn_prediction *prediction)
{
    OPN_RETURN_IF_NULL(prediction, 0);
    return prediction->n_nodes;
}

int32_t opn_prediction_n_classes(const opn_prediction *prediction)
{
    OPN_RETURN_IF_NULL(prediction, 0);
    return prediction->n_classes;
}

const int32_t *opn_prediction_predicted(const opn_prediction *prediction)
{
    OPN_RETURN_IF_NULL(prediction, NULL);
    return prediction->predicted;
}

const float *opn_prediction_probability(const opn_prediction *prediction)
{
    OPN_RETURN_IF_NULL(prediction, NULL);
    return prediction->probability;
}

const float *opn_prediction_alpha(const opn_prediction *prediction)
{
    OPN_RETURN_IF_NULL(prediction, NULL);
    return prediction->alpha;
}

const float *opn_prediction_belief(const opn_prediction *prediction)
{
    OPN_RETURN_IF_NULL(prediction, NULL);
    return prediction->belief;
}

const float *opn_prediction_measure(const opn_prediction *prediction, opn_measure measure)
{
    OPN_RETURN_IF_NULL(prediction, NULL);
    return prediction->measure[measure];
}

const float *opn_prediction_smoothed(const opn_prediction *prediction,
                                     opn_measure measure)
{
    OPN_RETURN_IF_NULL(prediction, NULL);
    return prediction->smoothed[measure];
}

const float *opn_prediction_energy(const opn_prediction *prediction)
{
    OPN_RETURN_IF_NULL(prediction, NULL);
    return prediction->energy;
}

const float *opn_prediction_around(const opn_prediction *prediction)
{
    OPN_RETURN_IF_NULL(prediction, NULL);
    return prediction->around;
}

const float *opn_prediction_calibrated(const opn_prediction *prediction)
{
    OPN_RETURN_IF_NULL(prediction, NULL);
    return prediction->calibrated;
}

const float *opn_prediction_confidence(const opn_prediction *prediction)
{
    OPN_RETURN_IF_NULL(prediction, NULL);
    return prediction->confidence;
}

const float *opn_prediction_p_known(const opn_prediction *prediction)
{
    OPN_RETURN_IF_NULL(prediction, NULL);
    return prediction->p_known;
}

const uint8_t *opn_prediction_set(const opn_prediction *prediction)
{
    OPN_RETURN_IF_NULL(prediction, NULL);
    return prediction->member;
}

const uint8_t *opn_prediction_decision(const opn_prediction *prediction)
{
    OPN_RETURN_IF_NULL(prediction, NULL);
    return prediction->decision;
}

const int8_t *opn_prediction_decided_by(const opn_prediction *prediction)
{
    OPN_RETURN_IF_NULL(prediction, NULL);
    return prediction->decided_by;
}

const char *opn_prediction_summary(const opn_prediction *prediction)
{
    OPN_RETURN_IF_NULL(prediction, "");
    static const char none[] = "{\"decisions\":null,\"risk_coverage\":null}";
    return prediction->summary != NULL ? prediction->summary : none;
}
