// predict.c -- predicts an opinion about every node of a graph.

#include "model/model_choice.h"
#include "model/workspace.h"
#include "network/infer.h"
#include "predict/prediction_data.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// The alpha that gives vacuity, dissonance and the class; `alpha` holds K values.
static void opinion_alpha(const opn_i_moments *moments,
                          const opn_model *model,
                          bool averages_logits,
                          int32_t i,
                          double *alpha)
{
    const size_t at = (size_t)i * (size_t)moments->width;
    const bool has_evidence = opn_i_head_has_evidence(model->kind->head);
    for (int32_t k = 0; k < moments->n_classes; k++) {
        const double mean_z = moments->z[at + (size_t)k];
        alpha[k] = !has_evidence     ? (double)NAN
                   : averages_logits ? exp(fmin(mean_z, (double)OPN_MAX_LOGIT)) + 1.0
                                     : moments->alpha[at + (size_t)k];
    }
}

// Computes the measures that `out` holds for node i, stored at row r.
static void measure_node(const opn_model *model,
                         const opn_i_moments *moments,
                         int32_t r,
                         int32_t i,
                         const double *alpha,
                         opn_prediction *out)
{
    const int32_t n = moments->n_classes;
    const opn_i_opinion opinion = {.n_classes = n,
                                   .alpha = alpha,
                                   .p = moments->p + (size_t)r * (size_t)moments->width,
                                   .expected_entropy =
                                           n > 1 ? moments->entropy[r] / log(n) : 0.0,
                                   .is_closed = model->kind->head->has_closed_form};
    for (int m = 0; m < OPN_N_MEASURES; m++)
        if (out->measure[m] != NULL)
            out->measure[m][i] = (float)opn_i_measure_at(m)->of(&opinion);
}

static int32_t largest_of(int32_t n, const double *p)
{
    int32_t best = 0;
    for (int32_t k = 1; k < n; k++)
        if (p[k] > p[best])
            best = k;
    return best;
}

// -ln sum exp(z), without overflow for large z.
static double energy_of(int32_t n, const double *z)
{
    double top = z[0];
    double sum = 0.0;
    assert(n > 0);
    for (int32_t k = 1; k < n; k++)
        top = fmax(top, z[k]);
    for (int32_t k = 0; k < n; k++)
        sum += exp(z[k] - top);
    return -(top + log(sum));
}

// Writes row r of the prediction, for node i.
static void put_node(const opn_model *model,
                     const opn_i_moments *moments,
                     bool averages_logits,
                     int32_t r,
                     int32_t i,
                     double *alpha,
                     double *p,
                     opn_prediction *out)
{
    const int32_t n = moments->n_classes;
    const size_t at = (size_t)i * (size_t)n;
    const double *z = moments->z + (size_t)r * (size_t)moments->width;
    double strength = 0.0;
    opinion_alpha(moments, model, averages_logits, r, alpha);
    for (int32_t k = 0; k < n; k++)
        strength += alpha[k];
    for (int32_t k = 0; k < n; k++)
        p[k] = out->alpha != NULL
                       ? alpha[k] / strength
                       : moments->p[(size_t)r * (size_t)moments->width + (size_t)k];
    measure_node(model, moments, r, i, alpha, out);
    out->predicted[i] = largest_of(n, p);
    for (int32_t k = 0; k < n; k++) {
        out->probability[at + (size_t)k] = (float)p[k];
        if (out->alpha != NULL)
            out->alpha[at + (size_t)k] = (float)alpha[k];
        if (out->belief != NULL)
            out->belief[at + (size_t)k] = (float)((alpha[k] - 1.0) / strength);
    }
    if (out->energy != NULL)
        out->energy[i] = (float)energy_of(n, z);
}

static opn_status smooth_one(opn_ctx *ctx,
                             const opn_graph *graph,
                             int64_t n_steps,
                             const float *from,
                             float *to)
{
    if (to == NULL)
        return OPN_OK;
    memcpy(to, from, (size_t)opn_graph_n_nodes(graph) * sizeof(*to));
    return opn_graph_propagate(ctx, graph, n_steps, to);
}

static opn_status
smooth(opn_ctx *ctx, const opn_graph *graph, int64_t n_steps, opn_prediction *out)
{
    opn_status status = OPN_OK;
    for (int m = 0; m < OPN_N_MEASURES; m++)
        OPN_TRY(smooth_one(ctx, graph, n_steps, out->measure[m], out->smoothed[m]));
    OPN_TRY(smooth_one(ctx, graph, n_steps, out->energy, out->smoothed_energy));
cleanup:
    return status;
}

// The parameters to read `name` from: those of prediction if given, else of training.
static const opn_params *
given_or(const opn_params *given, const opn_params *trained, const char *name)
{
    return given != NULL && opn_params_given(given, name) ? given : trained;
}

// The rate for sampling; the training rate if no sampling rate is set.
static double rate_of(const opn_params *given,
                      const opn_params *trained,
                      const char *sampled,
                      const char *name)
{
    const double rate = opn_params_real(given_or(given, trained, sampled), sampled);
    return opn_i_met_rate(rate < 1.0 ? rate : opn_params_real(trained, name));
}

static opn_status read_options(opn_ctx *ctx,
                               const opn_model *model,
                               const opn_params *params,
                               opn_i_infer_options *options,
                               int64_t *n_steps)
{
    opn_status status = OPN_OK;
    opn_params *trained = NULL;
    OPN_TRY(opn_i_model_params(ctx, model, &trained));
    const char *average =
            opn_params_text(given_or(params, trained, "average"), "average");
    const int64_t n_samples =
            opn_params_int(given_or(params, trained, "samples"), "samples");
    *n_steps = opn_params_int(given_or(params, trained, "propagate"), "propagate");
    *options = (opn_i_infer_options){
            .head = model->kind->head,
            .evidence = model->evidence,
            .n_samples = model->kind->is_sampled ? (int32_t)n_samples : 0,
            .rates = {rate_of(params, trained, "sample_dropout", "dropout"),
                      rate_of(params, trained, "sample_drop_edge", "drop_edge")},
            .seed = (uint64_t)opn_params_int(trained, "seed"),
            .streams = {.features = OPN_STREAM_SAMPLE_FEATURES,
                        .hidden = OPN_STREAM_SAMPLE_HIDDEN,
                        .edges = OPN_STREAM_SAMPLE_EDGES,
                        .projected = OPN_STREAM_SAMPLE_PROJECTED},
            .averages_logits = strcmp(average, "logits") == 0,
    };
cleanup:
    opn_params_free(trained);
    return status;
}

static opn_status new_prediction(opn_ctx *ctx,
                                 const opn_model *model,
                                 const opn_graph *graph,
                                 uint32_t keep,
                                 bool is_smoothed,
                                 opn_prediction **out)
{
    opn_i_prediction_parts parts = {
            .has_alpha = opn_i_head_has_evidence(model->kind->head),
            .has_belief = (keep & OPN_KEEP_BELIEF) != 0 &&
                          opn_model_measures(model, OPN_MEASURE_VACUITY),
            .has_energy = (keep & OPN_KEEP_ENERGY) != 0,
            .is_smoothed = is_smoothed};
    for (int m = 0; m < OPN_N_MEASURES; m++)
        parts.has_measure[m] = opn_model_measures(model, (opn_measure)m) != 0;
    return opn_i_prediction_new(ctx, (size_t)opn_graph_n_nodes(graph),
                                model->sizes.n_classes, &parts, out);
}

opn_status opn_model_predict(opn_ctx *ctx,
                             const opn_model *model,
                             const opn_graph *graph,
                             const opn_params *params,
                             uint32_t keep,
                             opn_prediction **out)
{
    OPN_REJECT_NULL(ctx, model, graph, out);
    opn_status status = OPN_OK;
    opn_i_workspace workspace = {0};
    opn_i_moments moments = {0};
    opn_i_infer_options options = {0};
    opn_prediction *made = NULL;
    double *alpha = NULL;
    double *p = NULL;
    int64_t n_steps = 0;
    OPN_FAIL_IF(ctx, (keep & ~(uint32_t)(OPN_KEEP_BELIEF | OPN_KEEP_ENERGY)) != 0,
                OPN_ERR_INVALID_ARG, "keep 0x%x: an unknown array", (unsigned)keep);
    OPN_TRY(opn_model_for_graph(ctx, model, graph, &model));
    opn_i_features_warn(ctx, model, graph);
    OPN_TRY(read_options(ctx, model, params, &options, &n_steps));
    OPN_TRY(opn_i_workspace_init(ctx, model, graph, opn_i_infer_plan(&options),
                                 &workspace));
    OPN_TRY_NEW(ctx, alpha, model->sizes.n_classes);
    OPN_TRY_NEW(ctx, p, model->sizes.n_classes);
    OPN_TRY(opn_i_infer(ctx, &workspace.exec, &workspace.network, model->weights,
                        &options, &moments));
    OPN_TRY(new_prediction(ctx, model, graph, keep, n_steps > 0, &made));
    for (int32_t r = 0; r < moments.n_nodes; r++)
        put_node(model, &moments, options.averages_logits, r, workspace.order[r], alpha,
                 p, made);
    OPN_TRY(smooth(ctx, graph, n_steps, made));
    *out = made;
    made = NULL;
cleanup:
    opn_prediction_free(made);
    opn_i_release(&ctx->alloc, alpha);
    opn_i_release(&ctx->alloc, p);
    opn_i_moments_deinit(&ctx->alloc, &moments);
    opn_i_workspace_deinit(&ctx->alloc, &workspace);
    return status;
}

opn_status opn_model_hidden(opn_ctx *ctx,
                            const opn_model *model,
                            const opn_graph *graph,
                            float *hidden)
{
    OPN_REJECT_NULL(ctx, model, graph, hidden);
    opn_status status = OPN_OK;
    opn_i_workspace workspace = {0};
    const int32_t n = model->sizes.n_hidden;
    OPN_TRY(opn_model_for_graph(ctx, model, graph, &model));
    OPN_TRY(opn_i_workspace_init(ctx, model, graph, (opn_i_plan){0}, &workspace));
    opn_i_network_forward(&workspace.exec, &workspace.network, model->weights);
    for (int32_t r = 0; r < workspace.network.n_nodes; r++)
        for (int32_t h = 0; h < n; h++)
            hidden[(size_t)workspace.order[r] * (size_t)n + (size_t)h] =
                    (float)opn_i_network_hidden(&workspace.network, r, h);
cleanup:
    opn_i_workspace_deinit(&ctx->alloc, &workspace);
    return status;
}
