// predict.c -- predicts an opinion about every node of a graph.

#include "graph/shards.h"
#include "model/model_choice.h"
#include "model/workspace.h"
#include "network/infer.h"
#include "predict/calibrated.h"
#include "predict/fused.h"
#include "predict/prediction_data.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { OPN_KEEP_ALL = OPN_KEEP_BELIEF | OPN_KEEP_ENERGY | OPN_KEEP_AROUND };

typedef struct predict_options {
    opn_i_infer_options infer;
    bool averages_logits;    // alpha = exp(mean z) + 1 rather than mean alpha
    opn_diffusion diffusion; // of the smoothed measures
    bool keeps_isolated;     // nodes without neighbours keep their values
} predict_options;

// What the networks say, kept without them: these and the finished prediction together
// would be the largest thing that training and prediction ever have in memory.
typedef struct answers {
    int32_t *order;         // [rows of the moments] the graph's number of each node
    opn_i_moments students; // over all passes of all members
    float *teacher_vacuity; // [V], or NULL: there is no teacher to ask
    float *teacher_p;       // [V,K], with it
} answers;

// ---- one node ------------------------------------------------------------------------

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
        alpha[k] =
                !has_evidence ? (double)NAN
                : !averages_logits
                        ? moments->alpha[at + (size_t)k]
                        : exp(fmin(moments->z[at + (size_t)k], (double)OPN_MAX_LOGIT)) +
                                  1.0;
    }
}

// Computes the measures that `out` holds for node i, stored at row r. p are its
// probabilities, of which a single Dirichlet has no others.
static void measure_node(const opn_model *model,
                         const opn_i_moments *moments,
                         int32_t r,
                         int32_t i,
                         const double *alpha,
                         const double *p,
                         opn_prediction *out)
{
    const int32_t n = moments->n_classes;
    const bool is_closed = model->kind->head->has_closed_form;
    const opn_i_opinion opinion = {
            .n_classes = n,
            .alpha = alpha,
            .p = is_closed ? p : moments->p + (size_t)r * (size_t)moments->width,
            .expected_entropy = n > 1 ? moments->entropy[r] / log(n) : 0.0,
            .is_closed = is_closed};
    for (int m = 0; m < OPN_N_PAPER_MEASURES; m++)
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
    double strength = 0.0;
    opinion_alpha(moments, model, averages_logits, r, alpha);
    for (int32_t k = 0; k < n; k++)
        strength += alpha[k];
    for (int32_t k = 0; k < n; k++)
        p[k] = out->alpha != NULL
                       ? alpha[k] / strength
                       : moments->p[(size_t)r * (size_t)moments->width + (size_t)k];
    measure_node(model, moments, r, i, alpha, p, out);
    out->predicted[i] = largest_of(n, p);
    for (int32_t k = 0; k < n; k++) {
        out->probability[at + (size_t)k] = (float)p[k];
        if (out->alpha != NULL)
            out->alpha[at + (size_t)k] = (float)alpha[k];
        if (out->belief != NULL)
            out->belief[at + (size_t)k] = (float)((alpha[k] - 1.0) / strength);
    }
    if (out->energy != NULL)
        out->energy[i] =
                (float)energy_of(n, moments->z + (size_t)r * (size_t)moments->width);
}

// ---- surroundings --------------------------------------------------------------------

static opn_status smooth_one(opn_ctx *ctx,
                             const opn_graph *graph,
                             const opn_diffusion *how,
                             const float *from,
                             float *to)
{
    if (to == NULL)
        return OPN_OK;
    memcpy(to, from, (size_t)opn_graph_n_nodes(graph) * sizeof(*to));
    return opn_graph_diffuse(ctx, graph, how, 1, to);
}

static opn_status smooth(opn_ctx *ctx,
                         const opn_graph *graph,
                         const predict_options *options,
                         opn_prediction *out)
{
    opn_status status = OPN_OK;
    opn_diffusion how = options->diffusion;
    for (int m = 0; m < OPN_N_MEASURES; m++) {
        if (!options->keeps_isolated)
            how.missing = opn_i_measure_at(m)->high;
        OPN_TRY(smooth_one(ctx, graph, &how, out->measure[m], out->smoothed[m]));
    }
    if (!options->keeps_isolated)
        how.missing = 0.0; // the energy of evidence 1, which GNNSafe takes as well
    OPN_TRY(smooth_one(ctx, graph, &how, out->energy, out->smoothed_energy));
cleanup:
    return status;
}

// Adds what a teacher says to its vacuity's evidence [V] and to p [V,K].
static void add_teacher(const opn_i_moments *moments,
                        const int32_t *order,
                        double *evidence,
                        float *p)
{
    const size_t n = (size_t)moments->n_classes;
    for (int32_t r = 0; r < moments->n_nodes; r++) {
        const size_t from = (size_t)r * (size_t)moments->width;
        const size_t i = (size_t)order[r];
        for (size_t k = 0; k < n; k++) {
            evidence[i] += exp(fmin(moments->z[from + k], (double)OPN_MAX_LOGIT));
            p[i * n + k] += (float)moments->p[from + k];
        }
    }
}

// The teachers' vacuity K / (K + sum exp z) [V] and probabilities [V,K], without dropout;
// evidence and probabilities of several are averaged.
static opn_status ask_teachers(opn_ctx *ctx,
                               const opn_model *model,
                               const opn_graph *graph,
                               opn_i_workspace *workspace,
                               float *vacuity,
                               float *p)
{
    opn_status status = OPN_OK;
    const opn_i_infer_options options = {.head = &opn_i_softmax_head, .has_logits = true};
    const double n_classes = model->sizes.n_classes;
    const size_t n_nodes = (size_t)opn_i_graph_n_nodes(graph);
    const size_t n_wide = n_nodes * (size_t)model->sizes.n_classes;
    opn_i_moments moments = {0};
    double *evidence = NULL;
    OPN_TRY_NEW(ctx, evidence, n_nodes);
    for (int32_t m = 0; m < model->n_members; m++) {
        OPN_TRY(opn_i_infer(ctx, &workspace->exec, &workspace->network,
                            model->member[m].teacher, &options, &moments));
        add_teacher(&moments, workspace->order, evidence, p);
        opn_i_moments_deinit(&ctx->alloc, &moments);
    }
    OPN_TRY(opn_i_graph_share_rows(ctx, graph, sizeof(*evidence), evidence));
    OPN_TRY(opn_i_graph_share_rows(ctx, graph,
                                   (size_t)model->sizes.n_classes * sizeof(*p), p));
    for (size_t i = 0; i < n_nodes; i++)
        vacuity[i] = (float)(n_classes / (n_classes + evidence[i] / model->n_members));
    for (size_t j = 0; j < n_wide && model->n_members > 1; j++)
        p[j] /= (float)model->n_members;
cleanup:
    opn_i_moments_deinit(&ctx->alloc, &moments);
    opn_i_release(&ctx->alloc, evidence);
    return status;
}

// Adds the measures that teacher and student make together.
static opn_status fuse(opn_ctx *ctx,
                       const opn_graph *graph,
                       const predict_options *options,
                       const answers *said,
                       opn_prediction *out)
{
    opn_status status = OPN_OK;
    const float *p = said->teacher_p;
    if (p == NULL)
        return OPN_OK;
    OPN_TRY(opn_i_fused(ctx, graph, options->keeps_isolated, said->teacher_vacuity,
                        out->measure[OPN_MEASURE_VACUITY],
                        out->measure[OPN_MEASURE_FUSED]));
    OPN_TRY(opn_i_margin(ctx, graph, options->keeps_isolated, out->n_classes, p,
                         out->probability, out->predicted,
                         out->measure[OPN_MEASURE_MARGIN]));
    if (out->around != NULL)
        OPN_TRY(opn_i_around(ctx, graph, options->keeps_isolated, out->n_classes, p,
                             out->probability, out->around));
cleanup:
    return status;
}

// ---- options -------------------------------------------------------------------------

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
                               bool has_energy,
                               predict_options *options)
{
    opn_status status = OPN_OK;
    opn_params *trained = NULL;
    OPN_TRY(opn_i_model_params(ctx, model, &trained));
    const char *average =
            opn_params_text(given_or(params, trained, "average"), "average");
    const int64_t n_samples =
            opn_params_int(given_or(params, trained, "samples"), "samples");
    const char *isolated =
            opn_params_text(given_or(params, trained, "isolated"), "isolated");
    options->averages_logits = strcmp(average, "logits") == 0;
    options->keeps_isolated = strcmp(isolated, "keep") == 0 ||
                              (strcmp(isolated, "auto") == 0 && model->may_be_isolated);
    options->diffusion = (opn_diffusion){
            .n_steps =
                    opn_params_int(given_or(params, trained, "propagate"), "propagate"),
            .teleport =
                    opn_params_real(given_or(params, trained, "teleport"), "teleport"),
            .missing = (double)NAN,
    };
    options->infer = (opn_i_infer_options){
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
            .has_logits = has_energy || options->averages_logits,
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
            .has_around = opn_model_measures(model, OPN_MEASURE_FUSED) &&
                          ((keep & OPN_KEEP_AROUND) != 0 ||
                           model->calibrator.kind == OPN_CALIBRATION_POOL),
            .is_smoothed = is_smoothed};
    for (int m = 0; m < OPN_N_MEASURES; m++)
        parts.has_measure[m] = opn_model_measures(model, (opn_measure)m) != 0;
    return opn_i_prediction_new(ctx, (size_t)opn_graph_n_nodes(graph),
                                model->sizes.n_classes, &parts, out);
}

// ---- whole prediction ----------------------------------------------------------------

// What all passes of all members say; every pass weighs the same.
static opn_status infer(opn_ctx *ctx,
                        const opn_model *model,
                        const opn_i_infer_options *options,
                        opn_i_workspace *workspace,
                        opn_i_moments *out)
{
    opn_status status = OPN_OK;
    opn_i_moments moments = {0};
    for (int32_t m = 0; m < model->n_members; m++) {
        opn_i_infer_options own = *options;
        own.seed = opn_i_member_seed(options->seed, m);
        OPN_TRY(opn_i_infer(ctx, &workspace->exec, &workspace->network,
                            model->member[m].student, &own, m == 0 ? out : &moments));
        if (m > 0)
            opn_i_moments_add(out, &moments);
        opn_i_moments_deinit(&ctx->alloc, &moments);
    }
    if (model->n_members > 1)
        opn_i_moments_divide(out, model->n_members);
cleanup:
    return status;
}

// Each rank has written what it says of its own nodes; all get it of all.
static opn_status share_nodes(opn_ctx *ctx, const opn_graph *graph, opn_prediction *out)
{
    opn_status status = OPN_OK;
    const size_t wide = (size_t)out->n_classes * sizeof(float);
    float *const matrices[] = {out->probability, out->alpha, out->belief};
    OPN_TRY(opn_i_graph_share_rows(ctx, graph, sizeof(*out->predicted), out->predicted));
    for (size_t m = 0; m < sizeof(matrices) / sizeof(matrices[0]); m++)
        if (matrices[m] != NULL)
            OPN_TRY(opn_i_graph_share_rows(ctx, graph, wide, matrices[m]));
    for (int m = 0; m < OPN_N_PAPER_MEASURES; m++)
        if (out->measure[m] != NULL)
            OPN_TRY(opn_i_graph_share_rows(ctx, graph, sizeof(float), out->measure[m]));
    if (out->energy != NULL)
        OPN_TRY(opn_i_graph_share_rows(ctx, graph, sizeof(float), out->energy));
cleanup:
    return status;
}

static void answers_deinit(const opn_alloc *alloc, answers *said)
{
    opn_i_release(alloc, said->order);
    opn_i_moments_deinit(alloc, &said->students);
    opn_i_release(alloc, said->teacher_vacuity);
    opn_i_release(alloc, said->teacher_p);
}

// Runs the networks, teachers first, since their moments are in memory only until their
// mean is taken. The caller deinits *said, also on failure.
static opn_status ask(opn_ctx *ctx,
                      const opn_model *model,
                      const opn_graph *graph,
                      const opn_i_infer_options *options,
                      answers *said)
{
    opn_status status = OPN_OK;
    opn_i_workspace workspace = {0};
    const size_t n = (size_t)opn_graph_n_nodes(graph);
    OPN_TRY(opn_i_workspace_init(ctx, model, graph, opn_i_infer_plan(options),
                                 &workspace));
    if (opn_model_measures(model, OPN_MEASURE_FUSED)) {
        OPN_TRY_NEW(ctx, said->teacher_vacuity, n);
        OPN_TRY_NEW(ctx, said->teacher_p, n * (size_t)model->sizes.n_classes);
        OPN_TRY(ask_teachers(ctx, model, graph, &workspace, said->teacher_vacuity,
                             said->teacher_p));
    }
    OPN_TRY(infer(ctx, model, options, &workspace, &said->students));
    said->order = workspace.order;
    workspace.order = NULL;
cleanup:
    opn_i_workspace_deinit(&ctx->alloc, &workspace);
    return status;
}

// Writes what the students say about every node.
static opn_status put_nodes(opn_ctx *ctx,
                            const opn_model *model,
                            const opn_graph *graph,
                            bool averages_logits,
                            const answers *said,
                            opn_prediction *out)
{
    opn_status status = OPN_OK;
    double *alpha = NULL;
    double *p = NULL;
    OPN_TRY_NEW(ctx, alpha, model->sizes.n_classes);
    OPN_TRY_NEW(ctx, p, model->sizes.n_classes);
    for (int32_t r = 0; r < said->students.n_nodes; r++)
        put_node(model, &said->students, averages_logits, r, said->order[r], alpha, p,
                 out);
    OPN_TRY(share_nodes(ctx, graph, out));
cleanup:
    opn_i_release(&ctx->alloc, alpha);
    opn_i_release(&ctx->alloc, p);
    return status;
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
    predict_options options = {0};
    answers said = {0};
    opn_prediction *made = NULL;
    OPN_FAIL_IF(ctx, (keep & ~(uint32_t)OPN_KEEP_ALL) != 0, OPN_ERR_INVALID_ARG,
                "keep 0x%x: an unknown array", (unsigned)keep);
    OPN_TRY(opn_model_for_graph(ctx, model, graph, &model));
    opn_i_features_warn(ctx, model, graph);
    OPN_TRY(read_options(ctx, model, params, (keep & OPN_KEEP_ENERGY) != 0, &options));
    OPN_TRY(ask(ctx, model, graph, &options.infer, &said));
    OPN_TRY(new_prediction(ctx, model, graph, keep, options.diffusion.n_steps > 0,
                           &made));
    OPN_TRY(put_nodes(ctx, model, graph, options.averages_logits, &said, made));
    opn_i_moments_deinit(&ctx->alloc, &said.students);
    OPN_TRY(fuse(ctx, graph, &options, &said, made));
    OPN_TRY(smooth(ctx, graph, &options, made));
    OPN_TRY(opn_i_calibration_apply(ctx, &model->calibrator, made));
    *out = made;
    made = NULL;
cleanup:
    opn_prediction_free(made);
    answers_deinit(&ctx->alloc, &said);
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
    OPN_TRY(opn_i_network_pass(ctx, &workspace.exec, &workspace.network,
                               model->member[0].student, "predicting"));
    for (int32_t r = 0; r < workspace.network.n_nodes; r++)
        for (int32_t h = 0; h < n; h++)
            hidden[(size_t)workspace.order[r] * (size_t)n + (size_t)h] =
                    (float)opn_i_network_hidden(&workspace.network, r, h);
cleanup:
    opn_i_workspace_deinit(&ctx->alloc, &workspace);
    return status;
}
