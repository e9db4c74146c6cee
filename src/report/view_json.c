// view_json.c -- a view as JSON, without the per-node numbers.

#include "report/view_json.h"

#include "io/json_write.h"
#include "opinion/curves.h"
#include "opinion/quality.h"

#include <math.h>

static const double percent = 100.0;

enum { HISTOGRAM_BINS = 40 };

// ---- curves --------------------------------------------------------------------------

static json_t *
json_curve(const opn_i_curve *curve, const char *x_name, const char *y_name)
{
    json_t *object = json_object();
    opn_i_json_set(object, x_name, opn_i_json_numbers(curve->n, curve->x));
    opn_i_json_set(object, y_name, opn_i_json_numbers(curve->n, curve->y));
    return object;
}

// How well a measure ranks the pool: areas in percent, and the curves.
static opn_status
add_ranked(opn_ctx *ctx, const opn_i_view *view, bool is_ood, int measure, json_t *list)
{
    opn_status status = OPN_OK;
    const opn_i_order order = is_ood ? OPN_BY_MORE : OPN_BY_LESS;
    opn_i_ranking ranking = {0};
    opn_i_curve roc = {0};
    opn_i_curve pr = {0};
    OPN_TRY(opn_i_view_rank(ctx, view, is_ood, (opn_measure)measure, &ranking));
    OPN_TRY(opn_i_curve_roc(ctx, &ranking, order, &roc));
    OPN_TRY(opn_i_curve_precision(ctx, &ranking, order, &pr));
    opn_i_curve_thin(&roc, OPN_CURVE_TOLERANCE);
    opn_i_curve_thin(&pr, OPN_CURVE_TOLERANCE);
    json_t *object = json_object();
    opn_i_json_set(object, "measure",
                   opn_i_json_string(opn_measure_name((opn_measure)measure)));
    opn_i_json_set(object, "auroc",
                   opn_i_json_number(percent * opn_i_ranking_auroc(&ranking, order)));
    opn_i_json_set(object, "aupr",
                   opn_i_json_number(percent * opn_i_ranking_precision(&ranking, order)));
    opn_i_json_set(object, "roc", json_curve(&roc, "x", "y"));
    opn_i_json_set(object, "pr", json_curve(&pr, "x", "y"));
    opn_i_json_append(list, object);
cleanup:
    opn_i_curve_deinit(&ctx->alloc, &roc);
    opn_i_curve_deinit(&ctx->alloc, &pr);
    opn_i_ranking_deinit(&ctx->alloc, &ranking);
    return status;
}

static void count_outcomes(const opn_i_view *view, int32_t n[OPN_N_OUTCOMES])
{
    for (int32_t i = 0; i < view->n_nodes; i++)
        n[opn_i_view_outcome(view, i)] += view->in_pool[i];
}

// For one task; null if the pool has only one kind of node.
static opn_status
add_detection(opn_ctx *ctx, const opn_i_view *view, bool is_ood, json_t *detection)
{
    opn_status status = OPN_OK;
    int32_t n[OPN_N_OUTCOMES] = {0};
    count_outcomes(view, n);
    const int32_t n_known = n[OPN_OUTCOME_CORRECT] + n[OPN_OUTCOME_WRONG];
    const int32_t n_positive = n[is_ood ? OPN_OUTCOME_OOD : OPN_OUTCOME_CORRECT];
    const int32_t n_all = is_ood ? n_known + n[OPN_OUTCOME_OOD] : n_known;
    json_t *task = json_object();
    json_t *list = json_array();
    opn_i_json_set(
            task, "positives",
            opn_i_json_string(is_ood ? "out-of-distribution" : "correctly classified"));
    opn_i_json_set(task, "prevalence",
                   opn_i_json_number(percent * n_positive / (n_all > 0 ? n_all : 1)));
    opn_i_json_set(task, "measures", list);
    for (int m = 0; m < OPN_N_MEASURES && n_positive > 0 && n_positive < n_all; m++)
        if (view->said->measure[m] != NULL)
            OPN_TRY(add_ranked(ctx, view, is_ood, m, list));
    opn_i_json_set(detection, is_ood ? "ood" : "misclassification",
                   json_array_size(list) > 0 ? json_incref(task) : json_null());
cleanup:
    json_decref(task);
    return status;
}

static opn_status
add_risk(opn_ctx *ctx, const opn_i_view *view, int measure, json_t *list)
{
    opn_status status = OPN_OK;
    opn_i_ranking ranking = {0};
    opn_i_curve curve = {0};
    OPN_TRY(opn_i_view_rank_risk(ctx, view, (opn_measure)measure, &ranking));
    if (ranking.n > 0) {
        OPN_TRY(opn_i_curve_risk(ctx, &ranking, &curve));
        opn_i_curve_thin(&curve, OPN_CURVE_TOLERANCE);
        json_t *object = json_curve(&curve, "coverage", "risk");
        opn_i_json_set(object, "measure",
                       opn_i_json_string(opn_measure_name((opn_measure)measure)));
        opn_i_json_set(object, "aurc",
                       opn_i_json_number(percent * opn_i_ranking_risk(&ranking, NULL)));
        opn_i_json_append(list, object);
    }
cleanup:
    opn_i_curve_deinit(&ctx->alloc, &curve);
    opn_i_ranking_deinit(&ctx->alloc, &ranking);
    return status;
}

static opn_status add_curves(opn_ctx *ctx, const opn_i_view *view, json_t *object)
{
    opn_status status = OPN_OK;
    json_t *detection = json_object();
    json_t *risk = json_array();
    opn_i_json_set(object, "detection", detection);
    opn_i_json_set(object, "risk", risk);
    OPN_TRY(add_detection(ctx, view, false, detection));
    OPN_TRY(add_detection(ctx, view, true, detection));
    for (int m = 0; m < OPN_N_MEASURES; m++)
        if (view->said->measure[m] != NULL)
            OPN_TRY(add_risk(ctx, view, m, risk));
cleanup:
    return status;
}

// ---- probabilities -------------------------------------------------------------------

static json_t *json_bins(const opn_i_bin bin[OPN_CALIBRATION_BINS], double ece)
{
    double column[3][OPN_CALIBRATION_BINS];
    for (int b = 0; b < OPN_CALIBRATION_BINS; b++) {
        column[0][b] = bin[b].confidence;
        column[1][b] = bin[b].accuracy;
        column[2][b] = bin[b].n;
    }
    json_t *object = json_object();
    opn_i_json_set(object, "ece", opn_i_json_number(ece));
    opn_i_json_set(object, "confidence",
                   opn_i_json_numbers(OPN_CALIBRATION_BINS, column[0]));
    opn_i_json_set(object, "accuracy",
                   opn_i_json_numbers(OPN_CALIBRATION_BINS, column[1]));
    opn_i_json_set(object, "nodes", opn_i_json_numbers(OPN_CALIBRATION_BINS, column[2]));
    return object;
}

// Of probability [V,K] on the nodes of target [V] that have a class; null if there are no
// such nodes or no probabilities.
static opn_status add_reliability(opn_ctx *ctx,
                                  const opn_i_view *view,
                                  const int32_t *target,
                                  const float *probability,
                                  double ece,
                                  json_t *object,
                                  const char *key)
{
    opn_status status = OPN_OK;
    opn_i_scored scored = {0};
    opn_i_bin bin[OPN_CALIBRATION_BINS];
    if (probability != NULL)
        OPN_TRY(opn_i_scored_init(ctx, view->n_nodes, view->n_known, target, probability,
                                  &scored));
    opn_i_reliability(scored.n, scored.n_classes, opn_f32(scored.probability),
                      scored.label, OPN_CALIBRATION_BINS, bin);
    opn_i_json_set(object, key, scored.n > 0 ? json_bins(bin, ece) : json_null());
cleanup:
    opn_i_scored_deinit(&ctx->alloc, &scored);
    return status;
}

// Whether the nodes that judge the model are those its confidence was calibrated on,
// which would look better than it is.
static bool is_fitted_to_basis(const opn_i_view *view)
{
    return view->basis == OPN_BASIS_VALIDATION && view->promises.n_validation > 0;
}

static opn_status add_quality(opn_ctx *ctx, const opn_i_view *view, json_t *object)
{
    opn_status status = OPN_OK;
    double quality[OPN_N_QUALITIES];
    int32_t *target = NULL;
    int32_t n = 0;
    OPN_TRY(opn_i_view_targets(ctx, view, &target));
    OPN_TRY(opn_i_quality(ctx, view->n_nodes, view->n_known, target,
                          view->said->predicted, view->said->probability,
                          view->said->calibrated, quality));
    for (int32_t i = 0; i < view->n_nodes; i++)
        n += target[i] >= 0;
    json_t *list = json_object();
    for (int q = 0; q < OPN_N_QUALITIES; q++)
        opn_i_json_set(list, opn_quality_name((opn_quality)q),
                       opn_i_json_number(quality[q]));
    opn_i_json_set(list, "nodes", json_integer(n));
    opn_i_json_set(object, "quality", list);
    OPN_TRY(add_reliability(ctx, view, target, view->said->probability,
                            quality[OPN_QUALITY_ECE], object, "reliability"));
    OPN_TRY(add_reliability(
            ctx, view, target, is_fitted_to_basis(view) ? NULL : view->said->calibrated,
            quality[OPN_QUALITY_CALIBRATED_ECE], object, "calibrated_reliability"));
cleanup:
    opn_i_release(&ctx->alloc, target);
    return status;
}

// ---- histograms ----------------------------------------------------------------------

// All histograms range from 0, or the least value below it, to the greatest value, so
// that groups can be compared.
// Nodes outside the pool count as unlabelled, which are not shown.
static opn_status
add_histogram(opn_ctx *ctx, const opn_i_view *view, int measure, json_t *list)
{
    opn_status status = OPN_OK;
    const float *value = view->said->measure[measure];
    opn_i_scale scale = {.high = 1e-9, .n_bins = HISTOGRAM_BINS};
    int32_t count[OPN_N_OUTCOMES][HISTOGRAM_BINS];
    uint8_t *group = NULL;
    OPN_TRY_NEW(ctx, group, view->n_nodes);
    for (int32_t i = 0; i < view->n_nodes; i++) {
        group[i] = view->in_pool[i] ? (uint8_t)opn_i_view_outcome(view, i)
                                    : OPN_OUTCOME_UNLABELLED;
        scale.low = fmin(scale.low, (double)value[i]);
        scale.high = fmax(scale.high, (double)value[i]);
    }
    opn_i_histogram(&scale, view->n_nodes, value, OPN_N_OUTCOMES, group, count[0]);
    json_t *object = json_object();
    opn_i_json_set(object, "measure",
                   opn_i_json_string(opn_measure_name((opn_measure)measure)));
    opn_i_json_set(object, "low", opn_i_json_number(scale.low));
    opn_i_json_set(object, "high", opn_i_json_number(scale.high));
    for (int o = 0; o < OPN_OUTCOME_UNLABELLED; o++) {
        json_t *counts = json_array();
        for (int b = 0; b < HISTOGRAM_BINS; b++)
            opn_i_json_append(counts, json_integer(count[o][b]));
        opn_i_json_set(object, opn_i_outcome_name((opn_i_outcome)o), counts);
    }
    opn_i_json_append(list, object);
cleanup:
    opn_i_release(&ctx->alloc, group);
    return status;
}

static opn_status add_histograms(opn_ctx *ctx, const opn_i_view *view, json_t *object)
{
    opn_status status = OPN_OK;
    json_t *list = json_array();
    opn_i_json_set(object, "histograms", list);
    for (int m = 0; m < OPN_N_MEASURES; m++)
        if (view->said->measure[m] != NULL)
            OPN_TRY(add_histogram(ctx, view, m, list));
cleanup:
    return status;
}

// ---- training ------------------------------------------------------------------------

enum { N_TERMS = 7 };
static const char *const term_names[N_TERMS] = {
        "loss", "labels", "prior", "teacher", "unlabelled", "decay", "accuracy"};

static double term_of(const opn_epoch *epoch, int term)
{
    const double value[N_TERMS] = {epoch->loss,
                                   epoch->labels,
                                   epoch->prior,
                                   epoch->teacher,
                                   epoch->unlabelled,
                                   epoch->decay,
                                   percent * epoch->accuracy};
    return value[term];
}

// The epochs [first, last) of one stage.
static json_t *json_stage(const opn_epoch *epoch, size_t first, size_t last)
{
    json_t *stage = json_object();
    json_t *number = json_array();
    opn_i_json_set(stage, "stage", opn_i_json_string(epoch[first].stage));
    for (size_t e = first; e < last; e++)
        opn_i_json_append(number, json_integer(epoch[e].number));
    opn_i_json_set(stage, "epoch", number);
    for (int t = 0; t < N_TERMS; t++) {
        json_t *values = json_array();
        for (size_t e = first; e < last; e++)
            opn_i_json_append(values, opn_i_json_number(term_of(&epoch[e], t)));
        opn_i_json_set(stage, term_names[t],
                       isnan(term_of(&epoch[first], t)) ? json_null()
                                                        : json_incref(values));
        json_decref(values);
    }
    return stage;
}

// A stage begins where the epoch count restarts at 1.
static void add_training(const opn_i_view *view, json_t *object)
{
    const opn_i_history *history = &view->training;
    json_t *list = json_array();
    size_t first = 0;
    for (size_t e = 1; e <= history->n; e++)
        if (e == history->n || history->epoch[e].number == 1) {
            opn_i_json_append(list, json_stage(history->epoch, first, e));
            first = e;
        }
    opn_i_json_set(object, "training", history->n > 0 ? json_incref(list) : json_null());
    json_decref(list);
    opn_i_json_set(object, "training_note", opn_i_json_string(view->training_note));
}

// ---- decisions -----------------------------------------------------------------------

// What is promised at each accuracy by a threshold on the measure. The thresholds
// themselves are an array of the page, with all their digits.
static json_t *json_promises(const opn_control control[OPN_N_PROMISED])
{
    json_t *list = json_array();
    for (int t = 0; t < OPN_N_PROMISED; t++) {
        const opn_control *c = &control[t];
        opn_i_json_append(list,
                          json_pack("{s:b,s:i,s:i,s:o,s:i}", "shown", c->is_shown,
                                    "accepted", c->n_accepted, "right", c->n_right, "low",
                                    opn_i_json_number(c->low), "needed", c->n_needed));
    }
    return list;
}

static json_t *json_all_promises(const opn_i_view *view)
{
    const opn_i_promises *p = &view->promises;
    json_t *measures = json_object();
    for (int m = 0; m < OPN_N_MEASURES; m++)
        if (view->said->measure[m] != NULL && p->n > 0)
            opn_i_json_set(measures, opn_measure_name((opn_measure)m),
                           json_promises(p->of[m]));
    return json_pack("{s:i,s:i,s:f,s:o,s:o}", "nodes", p->n, "validation",
                     p->n_validation, "confidence", p->confidence, "targets",
                     opn_i_json_numbers(OPN_N_PROMISED, opn_i_promised), "measures",
                     measures);
}

static json_t *json_suggestions(const opn_suggestions *s)
{
    json_t *list = json_array();
    for (int32_t r = 0; s != NULL && r < s->n; r++)
        opn_i_json_append(list, json_pack("[i,o]", s->suggestion[r].node,
                                          opn_i_json_number(s->suggestion[r].gain)));
    return list;
}

// ---- whole view ----------------------------------------------------------------------

static void add_parameters(const opn_i_view *view, json_t *object)
{
    json_t *list = json_array();
    for (int64_t p = 0; p < view->param_names.n; p++)
        opn_i_json_append(
                list,
                json_pack("[o,o]",
                          opn_i_json_string(opn_i_names_at(&view->param_names, p)),
                          opn_i_json_string(opn_i_names_at(&view->param_values, p))));
    opn_i_json_set(object, "parameters", list);
}

static json_t *json_embedding(const opn_i_view *view)
{
    if (view->place == NULL)
        return json_null();
    return json_pack("{s:s,s:i,s:f}", "of",
                     view->n_hidden > 0 ? "hidden layer" : "opinions", "dimensions",
                     view->n_hidden > 0 ? view->n_hidden : view->n_known, "perplexity",
                     view->perplexity);
}

static json_t *json_pool(const opn_i_view *view)
{
    int32_t n[OPN_N_OUTCOMES] = {0};
    json_t *pool = json_object();
    count_outcomes(view, n);
    for (int o = 0; o < OPN_OUTCOME_UNLABELLED; o++)
        opn_i_json_set(pool, opn_i_outcome_name((opn_i_outcome)o), json_integer(n[o]));
    opn_i_json_set(pool, "nodes",
                   json_integer((json_int_t)n[OPN_OUTCOME_CORRECT] +
                                n[OPN_OUTCOME_WRONG] + n[OPN_OUTCOME_OOD]));
    return pool;
}

static void add_head(const opn_i_view *view, json_t *object)
{
    json_t *known = json_array();
    json_t *measures = json_array();
    for (int32_t k = 0; k < view->n_known; k++)
        opn_i_json_append(known, json_integer(view->known[k]));
    for (int m = 0; m < OPN_N_MEASURES; m++)
        if (view->said->measure[m] != NULL)
            opn_i_json_append(measures,
                              opn_i_json_string(opn_measure_name((opn_measure)m)));
    opn_i_json_set(object, "model", opn_i_json_string(view->model));
    opn_i_json_set(object, "task", opn_i_json_string(view->task));
    opn_i_json_set(object, "seed", json_integer(view->seed));
    opn_i_json_set(object, "known", known);
    opn_i_json_set(object, "measures", measures);
    opn_i_json_set(object, "recommended",
                   opn_i_json_string(opn_measure_name(opn_i_view_recommended(view))));
    opn_i_json_set(object, "has_alpha", json_boolean(view->said->alpha != NULL));
    opn_i_json_set(object, "embedding", json_embedding(view));
    opn_i_json_set(object, "prior",
                   view->sigma > 0.0
                           ? json_pack("{s:f,s:b,s:i}", "sigma", view->sigma, "constant",
                                       view->has_constant, "radius", view->radius)
                           : json_null());
    opn_i_json_set(object, "basis", opn_i_json_string(opn_i_basis_name(view->basis)));
    opn_i_json_set(object, "file",
                   view->file != NULL ? opn_i_json_string(view->file) : json_null());
    opn_i_json_set(object, "pool", json_pool(view));
}

opn_status opn_i_view_json(opn_ctx *ctx, const opn_i_view *view, json_t **out)
{
    opn_status status = OPN_OK;
    json_t *object = json_object();
    add_head(view, object);
    OPN_TRY(add_quality(ctx, view, object));
    OPN_TRY(add_curves(ctx, view, object));
    OPN_TRY(add_histograms(ctx, view, object));
    opn_i_json_set(object, "promises", json_all_promises(view));
    opn_i_json_set(object, "suggestions", json_suggestions(view->suggestions));
    add_training(view, object);
    add_parameters(view, object);
    *out = json_incref(object);
cleanup:
    json_decref(object);
    return status;
}
