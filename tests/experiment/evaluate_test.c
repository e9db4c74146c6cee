// evaluate_test.c -- many models on many seeds: the same figures as from the parts of the
// library by hand, on any number of threads, and as text and JSON.

#include "base/context.h"
#include "experiment/evaluation_data.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

// ---- the scene -----------------------------------------------------------------------

// Noisy enough for every model to err. Of six nodes one trains, one validates, two test,
// and two are in no role; every eleventh has no label.
enum { N_CLASSES = 4 };
#define DRAWN " classes=4 features=40 words=4 mean_degree=3 homophily=0.5 label_noise=0.2"

static opn_graph *draw_graph(opn_ctx *on, int n_nodes)
{
    static const uint8_t cycle[] = {OPN_ROLE_TRAIN, OPN_ROLE_VALIDATION, OPN_ROLE_TEST,
                                    OPN_ROLE_TEST,  OPN_ROLE_POOL,       OPN_ROLE_POOL};
    char settings[128];
    snprintf(settings, sizeof(settings), "nodes=%d%s", n_nodes, DRAWN);
    opn_graph *graph = trial_draw(on, settings);
    uint8_t *role = malloc((size_t)n_nodes);
    int32_t *label = malloc((size_t)n_nodes * sizeof(*label));
    assert_non_null(role);
    assert_non_null(label);
    for (int i = 0; i < n_nodes; i++) {
        label[i] = i % 11 == 5 ? -1 : opn_graph_labels(graph)[i];
        role[i] = label[i] < 0 ? OPN_ROLE_UNLABELLED : cycle[i % 6];
    }
    assert_int_equal(opn_graph_set_labels(on, graph, N_CLASSES, label), OPN_OK);
    assert_int_equal(opn_graph_set_roles(on, graph, role), OPN_OK);
    free(role);
    free(label);
    return graph;
}

static opn_evaluation *evaluate(opn_ctx *on, const opn_graph *graph, const char *settings)
{
    opn_params *params = trial_params(on, settings);
    opn_evaluation *found = NULL;
    if (opn_evaluate(on, graph, params, NULL, &found) != OPN_OK)
        fail_msg("%s: %s", settings, opn_ctx_error(on));
    opn_params_free(params);
    return found;
}

static void expect_failure(const opn_graph *graph,
                           const char *settings,
                           opn_status status,
                           const char *part)
{
    opn_params *params = trial_params(ctx, settings);
    opn_evaluation *found = NULL;
    assert_int_equal(opn_evaluate(ctx, graph, params, NULL, &found), status);
    assert_null(found);
    support_expect_error(ctx, part);
    opn_params_free(params);
}

static void expect_refused(const opn_graph *graph, const char *settings, const char *part)
{
    expect_failure(graph, settings, OPN_ERR_INVALID_ARG, part);
}

static bool is_same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

// Everything but the times, by the getters and by the fields.
static void expect_same_cell(const opn_cell *a, const opn_cell *b)
{
    assert_true(opn_cell_seed(a) == b->seed);
    assert_string_equal(opn_cell_split_hash(a), b->split_hash);
    assert_true(opn_cell_n_pool(a) == b->n_pool);
    assert_true(opn_cell_prevalence(a) == b->prevalence);
    assert_true(opn_cell_n_epochs(a) == b->n_epochs);
    assert_true(is_same_number(opn_cell_seconds(a).infer, a->seconds.infer));
    for (int q = 0; q < OPN_N_QUALITIES; q++)
        assert_true(is_same_number(opn_cell_quality(a, (opn_quality)q), b->quality[q]));
    for (int k = 0; k < OPN_N_METRICS; k++)
        for (int32_t s = 0; s < OPN_N_SCORES; s++)
            assert_true(is_same_number(opn_cell_metric(a, (opn_metric)k, s),
                                       b->metric[k][s]));
}

static void expect_same(const opn_evaluation *a, const opn_evaluation *b)
{
    assert_int_equal(opn_evaluation_n_models(a), opn_evaluation_n_models(b));
    assert_int_equal(opn_evaluation_n_seeds(a), opn_evaluation_n_seeds(b));
    for (int32_t m = 0; m < opn_evaluation_n_models(a); m++)
        for (int32_t s = 0; s < opn_evaluation_n_seeds(a); s++)
            expect_same_cell(opn_evaluation_cell(a, m, s), opn_evaluation_cell(b, m, s));
}

// ---- by hand -------------------------------------------------------------------------

// One model trained and asked by the parts of the library.
typedef struct witness {
    opn_params *params;
    opn_split *split;
    opn_model *model;
    opn_vid n;
    int32_t n_classes; // known ones
    opn_prediction *said;
    const int32_t *predicted;
    const float *probability;
    float *score[OPN_N_SCORES]; // [V] each; NULL where the model has none
    bool is_ood;
} witness;

static void *room(size_t n, size_t size)
{
    void *made = calloc(n + 1, size);
    assert_non_null(made);
    return made;
}

// Energy after e <- e/2 + D^-1 A e/2, twice, and 1 - max p.
static void ask_for_rivals(witness *w, const opn_graph *graph)
{
    const opn_off *row_ptr = opn_graph_row_ptr(graph);
    float *energy = w->score[OPN_SCORE_GNNSAFE] = room((size_t)w->n, sizeof(float));
    float *unsure = w->score[OPN_SCORE_UNCONFIDENCE] = room((size_t)w->n, sizeof(float));
    double *now = room((size_t)w->n, sizeof(double));
    double *next = room((size_t)w->n, sizeof(double));
    for (opn_vid i = 0; i < w->n; i++)
        now[i] = (double)opn_prediction_energy(w->said)[i];
    for (int step = 0; step < 2; step++) {
        for (opn_vid i = 0; i < w->n; i++) {
            const opn_off degree = row_ptr[i + 1] - row_ptr[i];
            next[i] = now[i] / 2.0;
            for (opn_off e = row_ptr[i]; e < row_ptr[i + 1]; e++)
                next[i] += now[opn_graph_col_idx(graph)[e]] / (double)degree / 2.0;
        }
        memcpy(now, next, (size_t)w->n * sizeof(double));
    }
    for (opn_vid i = 0; i < w->n; i++) {
        float most = 0.0f;
        for (int32_t k = 0; k < w->n_classes; k++)
            most = fmaxf(most, w->probability[i * w->n_classes + k]);
        energy[i] = (float)now[i];
        unsure[i] = 1.0f - most;
    }
    free(now);
    free(next);
}

// Fused and margin are of a node's surroundings already.
static bool is_smoothable(int32_t plain)
{
    return plain < OPN_N_PAPER_MEASURES || plain == OPN_SCORE_ENERGY;
}

// Diffused by hand, whatever the prediction says. A graph without isolated nodes does not
// care what these get.
static void ask_witness(witness *w, const opn_graph *graph)
{
    const opn_diffusion how = {.n_steps = opn_params_int(w->params, "propagate"),
                               .teleport = opn_params_real(w->params, "teleport"),
                               .missing = (double)NAN};
    const size_t n_bytes = (size_t)w->n * sizeof(float);
    assert_int_equal(
            opn_model_predict(ctx, w->model, graph, w->params, OPN_KEEP_ENERGY, &w->said),
            OPN_OK);
    w->predicted = opn_prediction_predicted(w->said);
    w->probability = opn_prediction_probability(w->said);
    ask_for_rivals(w, graph);
    for (int32_t s = 0; s < OPN_SCORE_RIVALS; s++) {
        const int32_t plain = s % OPN_SCORE_SMOOTHED;
        const float *from = plain == OPN_SCORE_ENERGY
                                    ? opn_prediction_energy(w->said)
                                    : opn_prediction_measure(w->said, (opn_measure)plain);
        if (from == NULL || (s >= OPN_SCORE_SMOOTHED && !is_smoothable(plain)))
            continue;
        w->score[s] = room((size_t)w->n, sizeof(float));
        memcpy(w->score[s], from, n_bytes);
        if (s >= OPN_SCORE_SMOOTHED)
            assert_int_equal(opn_graph_diffuse(ctx, graph, &how, 1, w->score[s]), OPN_OK);
    }
}

static witness call_witness(const opn_graph *graph, const char *settings)
{
    witness w = {.params = trial_params(ctx, settings), .n = opn_graph_n_nodes(graph)};
    assert_int_equal(opn_params_use_preset(ctx, graph, w.params), OPN_OK);
    assert_int_equal(opn_split_from_params(ctx, graph, w.params, &w.split), OPN_OK);
    assert_int_equal(opn_model_train(ctx, graph, w.split, w.params, NULL, &w.model),
                     OPN_OK);
    assert_int_equal(opn_model_calibrate(ctx, graph, w.split, w.params, w.model), OPN_OK);
    w.n_classes = opn_model_n_classes(w.model);
    w.is_ood = strcmp(opn_params_text(w.params, "task"), "misclassification") != 0 &&
               opn_split_n_known(w.split) < opn_split_n_classes(w.split);
    ask_witness(&w, graph);
    return w;
}

static void dismiss_witness(witness *w)
{
    for (int32_t s = 0; s < OPN_N_SCORES; s++)
        free(w->score[s]);
    opn_prediction_free(w->said);
    opn_model_free(w->model);
    opn_split_free(w->split);
    opn_params_free(w->params);
}

static int32_t target_of(const witness *w, const opn_graph *graph, opn_vid i)
{
    const int32_t label = opn_graph_labels(graph)[i];
    return label < 0 ? -1 : opn_split_known(w->split)[label];
}

static bool has_score(const witness *w, int32_t s)
{
    const int32_t plain = s % OPN_SCORE_SMOOTHED;
    if (s >= OPN_SCORE_RIVALS)
        return true;
    if (s >= OPN_SCORE_SMOOTHED &&
        (opn_params_int(w->params, "propagate") == 0 || !is_smoothable(plain)))
        return false;
    return plain == OPN_SCORE_ENERGY ||
           opn_model_measures(w->model, (opn_measure)plain) != 0;
}

static void expect_percent(double got, double want)
{
    if (isnan(want) ? !isnan(got) : !(fabs(got - 100.0 * want) < 1e-9))
        fail_msg("%.17g, should be %.17g", got, 100.0 * want);
}

// The pool by the public metrics of score s.
static void
expect_score(const witness *w, const opn_graph *graph, int32_t s, const opn_cell *cell)
{
    uint8_t *flag[3]; // positive, other, wrong
    float *score = room((size_t)w->n, sizeof(float));
    float *opposite = room((size_t)w->n, sizeof(float));
    float *uncertainty = room((size_t)w->n, sizeof(float));
    double want[OPN_N_METRICS];
    int32_t n = 0;
    int32_t n_positive = 0;
    for (int f = 0; f < 3; f++)
        flag[f] = room((size_t)w->n, 1);
    for (opn_vid i = 0; i < w->n; i++) {
        if (!opn_split_pool(w->split)[i])
            continue;
        const int32_t target = target_of(w, graph, i);
        const bool is_right = w->predicted[i] == target;
        const bool is_positive = w->is_ood ? target < 0 : is_right;
        flag[0][n] = is_positive;
        flag[1][n] = !is_positive;
        flag[2][n] = !is_right;
        uncertainty[n] = w->score[s][i];
        score[n] = w->is_ood ? w->score[s][i] : -w->score[s][i];
        opposite[n] = -score[n];
        n_positive += is_positive;
        n++;
    }
    assert_true(cell->n_pool == (double)n);
    expect_percent(cell->prevalence, (double)n_positive / n);
    assert_int_equal(opn_metric_auroc(ctx, n, flag[0], opn_f32(score), &want[0]), OPN_OK);
    assert_int_equal(
            opn_metric_average_precision(ctx, n, flag[0], opn_f32(score), &want[1]),
            OPN_OK);
    assert_int_equal(
            opn_metric_average_precision(ctx, n, flag[1], opn_f32(opposite), &want[2]),
            OPN_OK);
    assert_int_equal(
            opn_metric_fpr_at_tpr(ctx, n, flag[0], opn_f32(score), 0.95, &want[3]),
            OPN_OK);
    assert_int_equal(opn_metric_risk_coverage(ctx, n, flag[2], opn_f32(uncertainty), NULL,
                                              &want[4]),
                     OPN_OK);
    assert_int_equal(
            opn_metric_fpr_at_tpr(ctx, n, flag[1], opn_f32(opposite), 0.95, &want[5]),
            OPN_OK);
    for (int k = 0; k < OPN_N_METRICS; k++)
        expect_percent(cell->metric[k][s], want[k]);
    for (int f = 0; f < 3; f++)
        free(flag[f]);
    free(score);
    free(opposite);
    free(uncertainty);
}

// The calibrated probabilities of a calibrated model, or NaN if there are none.
static void
expect_calibrated(const witness *w, const int32_t *target, const opn_cell *cell)
{
    const double *got = &cell->quality[OPN_QUALITY_CALIBRATED_BRIER];
    const float *calibrated = opn_prediction_calibrated(w->said);
    opn_probability_quality want = {.brier = (double)NAN,
                                    .nll = (double)NAN,
                                    .ece = (double)NAN,
                                    .adaptive_ece = (double)NAN};
    if (calibrated != NULL)
        assert_int_equal(opn_probability_measure(ctx, w->n, w->n_classes,
                                                 opn_f32(calibrated), target, 15, &want),
                         OPN_OK);
    assert_true(is_same_number(got[0], want.brier));
    assert_true(is_same_number(got[1], want.nll));
    expect_percent(got[2], want.ece);
    expect_percent(got[3], want.adaptive_ece);
}

// The test nodes of known classes by the public metrics.
static void
expect_qualities(const witness *w, const opn_graph *graph, const opn_cell *cell)
{
    const size_t width = (size_t)w->n_classes;
    float *p = room((size_t)w->n * width, sizeof(float));
    int32_t *label = room((size_t)w->n, sizeof(int32_t));
    int32_t *targets = room((size_t)w->n, sizeof(int32_t));
    int32_t n = 0;
    int32_t n_right = 0;
    double brier, nll, ece;
    for (opn_vid i = 0; i < w->n; i++) {
        const bool is_tested = opn_split_roles(w->split)[i] == OPN_ROLE_TEST;
        const int32_t target = is_tested ? target_of(w, graph, i) : -1;
        targets[i] = target;
        if (target < 0)
            continue;
        memcpy(p + (size_t)n * width, w->probability + (size_t)i * width,
               width * sizeof(*p));
        n_right += w->predicted[i] == target;
        label[n++] = target;
    }
    assert_int_equal(opn_metric_brier(ctx, n, w->n_classes, opn_f32(p), label, &brier),
                     OPN_OK);
    assert_int_equal(opn_metric_nll(ctx, n, w->n_classes, opn_f32(p), label, &nll),
                     OPN_OK);
    assert_int_equal(opn_metric_calibration_error(ctx, n, w->n_classes, opn_f32(p), label,
                                                  15, &ece),
                     OPN_OK);
    expect_percent(cell->quality[OPN_QUALITY_ACCURACY], (double)n_right / n);
    expect_percent(cell->quality[OPN_QUALITY_ECE], ece);
    assert_true(cell->quality[OPN_QUALITY_BRIER] == brier);
    assert_true(cell->quality[OPN_QUALITY_NLL] == nll);
    expect_calibrated(w, targets, cell);
    free(p);
    free(label);
    free(targets);
}

static void
expect_cell(const opn_graph *graph, const char *settings, const opn_cell *cell)
{
    opn_train_summary summary;
    witness w = call_witness(graph, settings);
    opn_model_summary(w.model, &summary);
    assert_true(cell->n_epochs == (double)summary.epochs);
    expect_qualities(&w, graph, cell);
    for (int32_t s = 0; s < OPN_N_SCORES; s++) {
        if (has_score(&w, s))
            expect_score(&w, graph, s, cell);
        for (int k = 0; k < OPN_N_METRICS && !has_score(&w, s); k++)
            assert_true(isnan(cell->metric[k][s]));
    }
    dismiss_witness(&w);
}

// Every cell against its witness.
static void
expect_witnessed(const opn_graph *graph, const char *model, const char *common)
{
    char settings[256];
    snprintf(settings, sizeof(settings), "seeds=2 seed=5 model=%s %s", model, common);
    opn_evaluation *found = evaluate(ctx, graph, settings);
    for (int s = 0; s < 2; s++) {
        snprintf(settings, sizeof(settings), "seed=%d model=%s %s", 5 + s, model, common);
        expect_cell(graph, settings, &opn_i_evaluation_cells(found, 0)[s]);
    }
    opn_evaluation_free(found);
}

// ---- what a cell is ------------------------------------------------------------------

static void a_cell_is_what_training_prediction_and_the_public_metrics_give(void **state)
{
    (void)state;
    opn_graph *graph = draw_graph(ctx, 150);
    for (int m = 0; m < TRIAL_N_MODELS; m++) {
        expect_witnessed(graph, trial_models[m], "protocol=full epochs=5 samples=3");
        expect_witnessed(graph, trial_models[m],
                         "protocol=full task=ood ood_classes=1,3 epochs=5 samples=3 "
                         "propagate=2");
    }
    expect_witnessed(graph, "s-bgcn-t-k", "protocol=full task=both epochs=5 samples=3");
    expect_witnessed(graph, "s-bgcn-t-k",
                     "protocol=full task=both ood_classes=1,3 epochs=5 samples=3");
    expect_witnessed(
            graph, "s-bgcn-t-k",
            "protocol=full members=2 task=both epochs=5 samples=3 isolated=keep");
    opn_graph_free(graph);
}

static void presets_and_drawn_splits_come_through(void **state)
{
    (void)state;
    opn_graph *graph = draw_graph(ctx, 150);
    opn_graph *splitless = trial_draw(ctx, "nodes=260" DRAWN);
    expect_witnessed(graph, "s-bgcn-t-k",
                     "preset=strong task=ood ood_classes=0 epochs=4 samples=2");
    expect_witnessed(splitless, "s-gcn", "protocol=reference epochs=4");
    expect_witnessed(splitless, "s-gcn", "protocol=gpn ood_classes=1,3 epochs=4");
    expect_witnessed(splitless, "s-gcn", "protocol=gpn task=misclassification epochs=4");
    expect_witnessed(splitless, "gcn",
                     "protocol=gnnsafe shift=label ood_classes=0 epochs=4");
    opn_graph_free(splitless);
    opn_graph_free(graph);
}

static void accuracy_for_ood_counts_test_nodes_of_known_classes_only(void **state)
{
    (void)state;
    opn_graph *graph = draw_graph(ctx, 150);
    opn_evaluation *found =
            evaluate(ctx, graph, "seeds=1 model=gcn task=ood ood_classes=2 epochs=5");
    witness w = call_witness(graph, "model=gcn task=ood ood_classes=2 epochs=5");
    int n_known = 0;
    int n_held_out = 0;
    int n_right = 0;
    for (opn_vid i = 0; i < w.n; i++) {
        if (opn_split_roles(w.split)[i] != OPN_ROLE_TEST)
            continue;
        const bool is_held_out = opn_graph_labels(graph)[i] == 2;
        n_held_out += is_held_out;
        n_known += !is_held_out;
        n_right += !is_held_out && w.predicted[i] == target_of(&w, graph, i);
    }
    const opn_cell *cell = opn_i_evaluation_cells(found, 0);
    assert_true(n_held_out > 0);
    assert_true(cell->quality[OPN_QUALITY_ACCURACY] == 100.0 * n_right / n_known);
    dismiss_witness(&w);
    opn_evaluation_free(found);
    opn_graph_free(graph);
}

// Otherwise the witnesses would only agree that there is nothing.
static void calibration_is_as_asked_for_and_lowers_the_nll(void **state)
{
    (void)state;
    static const char *const ways[] = {"none", "temperature", "pool"};
    opn_graph *graph =
            trial_draw_split(ctx, "nodes=900 classes=4 features=40 homophily=0.9", 5);
    double nll[3];
    for (int w = 0; w < 3; w++) {
        char settings[128];
        snprintf(settings, sizeof(settings),
                 "seed=5 model=s-bgcn-t-k epochs=60 samples=3 calibrate=%s protocol=full",
                 ways[w]);
        opn_evaluation *found = evaluate(ctx, graph, settings);
        const opn_cell *cell = opn_i_evaluation_cells(found, 0);
        expect_cell(graph, settings, cell);
        nll[w] = cell->quality[w == 0 ? OPN_QUALITY_NLL : OPN_QUALITY_CALIBRATED_NLL];
        assert_true(isnan(cell->quality[OPN_QUALITY_CALIBRATED_NLL]) == (w == 0));
        opn_evaluation_free(found);
    }
    assert_true(nll[1] < nll[0] && nll[2] < nll[0] && nll[1] != nll[2]);
    opn_graph_free(graph);
}

static void
a_score_the_model_lacks_is_nan_and_smoothed_ones_need_propagation(void **state)
{
    (void)state;
    opn_graph *graph = draw_graph(ctx, 150);
    opn_evaluation *plain = evaluate(ctx, graph, "seeds=1 model=gcn,s-gcn epochs=2");
    opn_evaluation *smooth =
            evaluate(ctx, graph, "seeds=1 model=gcn,s-gcn epochs=2 propagate=1");
    for (int32_t s = 0; s < OPN_SCORE_RIVALS; s++) {
        const int32_t of = s % OPN_SCORE_SMOOTHED;
        const bool is_smoothed = s >= OPN_SCORE_SMOOTHED;
        const bool gcn_has = of == OPN_MEASURE_ENTROPY || of == OPN_SCORE_ENERGY;
        const opn_cell *cell = opn_i_evaluation_cells(plain, 0);
        assert_int_equal(!isnan(cell->metric[0][s]), gcn_has && !is_smoothed);
        cell = opn_i_evaluation_cells(smooth, 0);
        assert_int_equal(!isnan(cell->metric[0][s]), gcn_has);
        cell = opn_i_evaluation_cells(smooth, 1);
        assert_int_equal(!isnan(cell->metric[0][s]),
                         gcn_has || of == OPN_MEASURE_VACUITY ||
                                 of == OPN_MEASURE_DISSONANCE);
    }
    opn_evaluation_free(plain);
    opn_evaluation_free(smooth);
    opn_graph_free(graph);
}

// ---- protocols -----------------------------------------------------------------------

static void a_pool_below_a_thousand_is_taken_as_a_whole(void **state)
{
    (void)state;
    opn_graph *graph = draw_graph(ctx, 150);
    opn_evaluation *full =
            evaluate(ctx, graph, "seeds=2 model=gcn,s-gcn epochs=3 protocol=full");
    opn_evaluation *paper = evaluate(ctx, graph, "seeds=2 model=gcn,s-gcn epochs=3");
    opn_evaluation *reference =
            evaluate(ctx, graph, "seeds=2 model=gcn,s-gcn epochs=3 protocol=reference");
    expect_same(full, paper);
    assert_true(opn_i_evaluation_cells(full, 0)->n_pool <
                opn_i_evaluation_cells(reference, 0)->n_pool); // validation nodes too
    opn_evaluation_free(full);
    opn_evaluation_free(paper);
    opn_evaluation_free(reference);
    opn_graph_free(graph);
}

static void a_larger_pool_is_drawn_from_and_the_draws_come_close_to_it(void **state)
{
    (void)state;
    static const char *const protocols[] = {"full", "paper", "reference"};
    double auroc[3];
    opn_graph *graph = draw_graph(ctx, 2200);
    for (int p = 0; p < 3; p++) {
        char settings[128];
        snprintf(settings, sizeof(settings), "seeds=1 model=gcn epochs=10 protocol=%s",
                 protocols[p]);
        opn_evaluation *found = evaluate(ctx, graph, settings);
        assert_true(opn_i_evaluation_cells(found, 0)->n_pool > 1000.0);
        auroc[p] = opn_i_evaluation_cells(found, 0)->metric[0][OPN_MEASURE_ENTROPY];
        opn_evaluation_free(found);
    }
    assert_true(fabs(auroc[1] - auroc[0]) > 1e-4 && fabs(auroc[1] - auroc[0]) < 1.0);
    assert_true(fabs(auroc[2] - auroc[1]) > 1e-4 && fabs(auroc[2] - auroc[0]) < 4.0);
    opn_graph_free(graph);
}

// ---- who is trained ------------------------------------------------------------------

static void count_trainings(void *user, const opn_progress *progress)
{
    int *n = user;
    *n += strcmp(progress->stage, "model") == 0 && progress->done == progress->total;
}

static opn_evaluation *
evaluate_counting(const opn_graph *graph, const char *settings, int *n_trainings)
{
    const opn_hooks hooks = {
            .size = sizeof(opn_hooks), .progress = count_trainings, .user = n_trainings};
    *n_trainings = 0;
    assert_int_equal(opn_ctx_set_hooks(ctx, &hooks), OPN_OK);
    opn_evaluation *found = evaluate(ctx, graph, settings);
    assert_int_equal(opn_ctx_set_hooks(ctx, NULL), OPN_OK);
    return found;
}

static void models_that_learn_alike_are_trained_once_and_scored_as_if_alone(void **state)
{
    (void)state;
    int n_trainings = 0;
    opn_graph *graph = draw_graph(ctx, 150);
    opn_evaluation *both = evaluate_counting(
            graph, "seeds=3 model=gcn,drop-gcn epochs=5 samples=4", &n_trainings);
    assert_int_equal(n_trainings, 3);
    for (int32_t m = 0; m < 2; m++) {
        char settings[64];
        snprintf(settings, sizeof(settings), "seeds=3 model=%s epochs=5 samples=4",
                 opn_evaluation_model(both, m));
        opn_evaluation *alone = evaluate_counting(graph, settings, &n_trainings);
        assert_int_equal(n_trainings, 3);
        for (int32_t s = 0; s < 3; s++)
            expect_same_cell(&opn_i_evaluation_cells(both, m)[s],
                             &opn_i_evaluation_cells(alone, 0)[s]);
        opn_evaluation_free(alone);
    }
    opn_evaluation_free(both);
    opn_graph_free(graph);
}

// Each is trained with the preset of its own encoder, whatever the other models.
static void models_of_several_encoders_are_scored_as_if_alone(void **state)
{
    (void)state;
    static const char *const alone[] = {
            "seeds=2 samples=3 epochs=4 model=s-bgcn",
            "seeds=2 samples=3 epochs=4 model=s-bgat",
            "seeds=2 samples=3 epochs=4 model=s-bsage",
    };
    opn_graph *graph = draw_graph(ctx, 150);
    opn_evaluation *all = evaluate(
            ctx, graph, "seeds=2 samples=3 epochs=4 model=s-bgcn,s-bgat,s-bsage");
    for (int32_t m = 0; m < 3; m++) {
        opn_evaluation *one = evaluate(ctx, graph, alone[m]);
        for (int32_t s = 0; s < 2; s++)
            expect_same_cell(&opn_i_evaluation_cells(all, m)[s],
                             &opn_i_evaluation_cells(one, 0)[s]);
        opn_evaluation_free(one);
    }
    opn_evaluation_free(all);
    opn_graph_free(graph);
}

static void results_are_the_same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    static const int thread_counts[] = {1, 2, 5};
    opn_evaluation *found[3];
    opn_ctx *own = support_ctx(NULL); // the meter counts for one thread only
    opn_graph *graph = draw_graph(own, 150);
    for (int t = 0; t < 3; t++) {
        own->n_threads = thread_counts[t]; // also where there is no OpenMP
        found[t] = evaluate(own, graph,
                            "seeds=3 model=gcn,s-bgcn-t-k,drop-gcn,dropedge-gcn epochs=5 "
                            "samples=4 propagate=2");
    }
    expect_same(found[0], found[1]);
    expect_same(found[0], found[2]);
    for (int t = 0; t < 3; t++)
        opn_evaluation_free(found[t]);
    opn_graph_free(graph);
    opn_ctx_free(own);
}

static void seeds_follow_the_first_and_models_stand_as_named(void **state)
{
    (void)state;
    opn_graph *graph = draw_graph(ctx, 150);
    opn_evaluation *found =
            evaluate(ctx, graph, "seeds=3 seed=41 model=s-gcn,gcn,drop-gcn epochs=1");
    static const char *const names[] = {"s-gcn", "gcn", "drop-gcn"};
    assert_int_equal(opn_evaluation_n_models(found), 3);
    assert_int_equal(opn_evaluation_n_seeds(found), 3);
    for (int32_t m = 0; m < 3; m++) {
        assert_string_equal(opn_evaluation_model(found, m), names[m]);
        for (int32_t s = 0; s < 3; s++) {
            const opn_cell *cell = &opn_i_evaluation_cells(found, m)[s];
            assert_int_equal(cell->seed, 41 + s);
            assert_int_equal(strlen(cell->split_hash), 64);
            assert_true(cell->seconds.train >= 0.0 && cell->seconds.infer >= 0.0);
        }
    }
    opn_evaluation_free(found);
    opn_graph_free(graph);
}

static void estimates_are_those_of_the_cells(void **state)
{
    (void)state;
    opn_graph *graph = draw_graph(ctx, 150);
    opn_evaluation *found = evaluate(ctx, graph, "seeds=3 model=gcn,s-gcn epochs=4");
    for (int32_t m = 0; m < 2; m++) {
        const opn_cell *cell = opn_i_evaluation_cells(found, m);
        for (int32_t s = 0; s < OPN_N_SCORES; s++) {
            const double value[] = {cell[0].metric[1][s], cell[1].metric[1][s],
                                    cell[2].metric[1][s]};
            opn_estimate want;
            opn_estimate_mean(3, value, &want);
            const opn_estimate got = opn_evaluation_metric(found, m, OPN_METRIC_AUPR, s);
            assert_int_equal(got.n, want.n);
            assert_true(is_same_number(got.mean, want.mean));
            assert_true(is_same_number(got.low, want.low));
        }
        const opn_estimate accuracy =
                opn_evaluation_quality(found, m, OPN_QUALITY_ACCURACY);
        assert_int_equal(accuracy.n, 3);
        assert_true(fabs(accuracy.mean -
                         (cell[0].quality[0] + cell[1].quality[0] + cell[2].quality[0]) /
                                 3.0) < 1e-10);
    }
    opn_evaluation_free(found);
    opn_graph_free(graph);
}

// No node is out-of-distribution, so there is no AUROC to report.
static void the_log_has_a_line_for_each_cell_and_no_nan(void **state)
{
    (void)state;
    listener heard = {0};
    opn_graph *graph = draw_graph(ctx, 60);
    support_listen(ctx, &heard);
    opn_evaluation_free(
            evaluate(ctx, graph, "seeds=2 model=gcn,drop-gcn epochs=1 task=ood"));
    assert_int_equal(opn_ctx_set_hooks(ctx, NULL), OPN_OK);
    assert_int_equal(heard.n_messages[OPN_LOG_INFO], 4);
    assert_int_equal(heard.n_messages[OPN_LOG_WARNING], 1); // that none is held out
    assert_non_null(strstr(heard.log, "generated, ood, drop-gcn, seed 1: accuracy "));
    assert_null(strstr(heard.log, " nan"));
    opn_graph_free(graph);
}

// ---- failures ------------------------------------------------------------------------

static void what_cannot_be_evaluated_is_refused(void **state)
{
    (void)state;
    opn_graph *graph = draw_graph(ctx, 60);
    expect_refused(graph, "epochs=1 model=gcn,s-gcn,gcn", "names gcn twice");
    expect_refused(graph, "epochs=1 task=ood ood_classes=9", "`ood_classes`");
    expect_refused(graph, "epochs=1 task=ood ood_classes=0,1,2,3", "none is left");
    expect_refused(graph, "epochs=1 seeds=3 model=gcn seed=9007199254740990", "`seed`");
    opn_params *params = trial_params(ctx, "epochs=1");
    opn_evaluation *found = NULL;
    assert_int_equal(opn_params_set(ctx, params, "model", ""), OPN_OK);
    assert_int_equal(opn_evaluate(ctx, graph, params, NULL, &found), OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "`model` is empty");
    opn_params_free(params);
    opn_graph_free(graph);
}

static void data_with_nothing_to_score_are_no_fault_of_the_parameters(void **state)
{
    (void)state;
    opn_graph *poolless = trial_draw(ctx, "nodes=60" DRAWN);
    expect_failure(poolless, "epochs=1", OPN_ERR_SHAPE, "none is left to score");
    opn_graph_free(poolless);
}

static void every_allocation_failure_is_reported(void **state)
{
    (void)state;
    opn_graph *graph = draw_graph(ctx, 24);
    opn_params *params = trial_params(
            ctx, "seeds=1 model=s-gcn,gcn epochs=1 hidden=2 propagate=1 samples=1");
    opn_status status = OPN_ERR_NOMEM;
    for (long fail_at = 1; status != OPN_OK; fail_at++) {
        meter m = {0};
        opn_ctx *own = support_ctx(&m);
        opn_evaluation *found = NULL;
        m.n_requests = 0;
        m.fail_at = fail_at;
        status = opn_evaluate(own, graph, params, NULL, &found);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
        assert_true((found != NULL) == (status == OPN_OK));
        if (status != OPN_OK)
            support_expect_error(own, "memory");
        opn_evaluation_free(found);
        support_ctx_free(own, &m);
    }
    opn_params_free(params);
    opn_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(a_cell_is_what_training_prediction_and_the_public_metrics_give),
            WITH_CTX(presets_and_drawn_splits_come_through),
            WITH_CTX(accuracy_for_ood_counts_test_nodes_of_known_classes_only),
            WITH_CTX(calibration_is_as_asked_for_and_lowers_the_nll),
            WITH_CTX(a_score_the_model_lacks_is_nan_and_smoothed_ones_need_propagation),
            WITH_CTX(a_pool_below_a_thousand_is_taken_as_a_whole),
            WITH_CTX(a_larger_pool_is_drawn_from_and_the_draws_come_close_to_it),
            WITH_CTX(models_that_learn_alike_are_trained_once_and_scored_as_if_alone),
            WITH_CTX(models_of_several_encoders_are_scored_as_if_alone),
            WITH_CTX(results_are_the_same_bits_on_any_number_of_threads),
            WITH_CTX(seeds_follow_the_first_and_models_stand_as_named),
            WITH_CTX(estimates_are_those_of_the_cells),
            WITH_CTX(the_log_has_a_line_for_each_cell_and_no_nan),
            WITH_CTX(what_cannot_be_evaluated_is_refused),
            WITH_CTX(data_with_nothing_to_score_are_no_fault_of_the_parameters),
            WITH_CTX(every_allocation_failure_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
