// tune_trial_test.c -- how one trial is scored, and on which nodes.

#include "graph/narrow.h"
#include "math/real.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"
#include "support/tuning_scene.h"
#include "tune/tune_trial.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

static opn_ctx *ctx;

// ---- splits --------------------------------------------------------------------------

static void a_narrowed_split_is_the_one_drawn_with_the_class_held_out(void **state)
{
    (void)state;
    static const int32_t two[] = {3, 1};
    opn_graph *graph = tuning_graph(ctx);
    opn_split *wide = NULL;
    opn_split *want = NULL;
    opn_split *got = NULL;
    assert_int_equal(opn_split_create(ctx, graph, OPN_SPLIT_USUAL, 0, two, 1, &wide),
                     OPN_OK);
    assert_int_equal(opn_split_create(ctx, graph, OPN_SPLIT_USUAL, 0, two, 2, &want),
                     OPN_OK);
    assert_int_equal(opn_i_split_narrow(ctx, graph, wide, 1, NULL, &got), OPN_OK);
    assert_string_equal(opn_split_origin(got), opn_split_origin(wide));
    assert_memory_equal(opn_split_roles(got), opn_split_roles(want), TUNING_NODES);
    assert_memory_equal(opn_split_pool(got), opn_split_pool(want), TUNING_NODES);
    assert_memory_equal(opn_split_known(got), opn_split_known(want),
                        TUNING_CLASSES * sizeof(int32_t));
    assert_int_equal(opn_split_n_known(got), 2);
    assert_int_equal(opn_split_pool_size(got), opn_split_pool_size(want));
    for (int r = OPN_ROLE_TRAIN; r <= OPN_ROLE_UNLABELLED; r++)
        assert_int_equal(opn_split_count(got, (opn_role)r),
                         opn_split_count(want, (opn_role)r));
    opn_split_free(wide);
    opn_split_free(want);
    opn_split_free(got);
    opn_graph_free(graph);
}

static void halves_share_no_node_and_hold_half_of_each_class(void **state)
{
    (void)state;
    uint8_t spared[TUNING_NODES];
    uint8_t again[TUNING_NODES];
    opn_graph *graph = tuning_graph(ctx);
    const int32_t *label = opn_graph_labels(graph);
    opn_split *split = NULL;
    opn_split *watched = NULL;
    assert_int_equal(opn_split_create(ctx, graph, OPN_SPLIT_USUAL, 0, NULL, 0, &split),
                     OPN_OK);
    assert_int_equal(opn_i_trial_halve(ctx, graph, split, 5, spared), OPN_OK);
    assert_int_equal(opn_i_split_narrow(ctx, graph, split, -1, spared, &watched), OPN_OK);
    int n_spared[TUNING_CLASSES] = {0};
    int n_watched[TUNING_CLASSES] = {0};
    for (int i = 0; i < TUNING_NODES; i++) {
        const bool validates = opn_split_roles(split)[i] == OPN_ROLE_VALIDATION;
        const bool ends = opn_split_roles(watched)[i] == OPN_ROLE_VALIDATION;
        assert_int_equal(spared[i] + ends, validates);
        if (validates)
            (ends ? n_watched : n_spared)[label[i]]++;
    }
    for (int k = 0; k < TUNING_CLASSES; k++)
        assert_in_range(n_spared[k] - n_watched[k], 0, 1);
    assert_int_equal(opn_i_trial_halve(ctx, graph, split, 6, again), OPN_OK);
    assert_memory_not_equal(spared, again, TUNING_NODES);
    opn_split_free(split);
    opn_split_free(watched);
    opn_graph_free(graph);
}

// ---- how a trial is scored -----------------------------------------------------------

static void figures_are_those_counted_by_hand(void **state)
{
    (void)state;
    // Right, right, wrong, right; from the least uncertain: right wrong right right.
    static const int32_t target[] = {0, 1, 1, 2};
    static const int32_t predicted[] = {0, 1, 0, 2};
    static const float unsure[] = {0.1f, 0.4f, 0.2f, 0.3f};
    // The class held out is above two of the three known ones, and beside the third.
    static const int32_t unknown[] = {0, -1, 1, 0};
    static const int32_t said[] = {0, 0, 1, 1};
    static const float vacuity[] = {0.1f, 0.4f, 0.2f, 0.4f};
    double accuracy = 0.0;
    double detection = 0.0;
    assert_int_equal(opn_i_trial_figures(ctx, 4, false, target, predicted, unsure,
                                         &accuracy, &detection),
                     OPN_OK);
    assert_true(fabs(accuracy - 0.75) < 1e-15);
    assert_true(fabs(detection - (1.0 + 0.5 + 2.0 / 3.0 + 0.75) / 4.0) < 1e-15);
    assert_int_equal(opn_i_trial_figures(ctx, 4, true, unknown, said, vacuity, &accuracy,
                                         &detection),
                     OPN_OK);
    assert_true(fabs(accuracy - 2.0 / 3.0) < 1e-15);
    assert_true(fabs(detection - 2.5 / 3.0) < 1e-15);
    assert_int_equal(opn_i_trial_figures(ctx, 1, true, unknown, said, vacuity, &accuracy,
                                         &detection),
                     OPN_OK);
    assert_true(accuracy == 1.0 && isnan(detection));
    assert_true(opn_i_trial_objective(80, 60) == 70);
    assert_true(opn_i_trial_objective(80, (double)NAN) == 80);
    assert_true(opn_i_trial_objective((double)NAN, 60) == 60);
}

// Trains on a split made by the public functions, and counts over its validation nodes.
static void score_fold(const opn_graph *graph,
                       const char *with,
                       int32_t held_out,
                       double *accuracy,
                       double *auroc)
{
    char number[32] = "";
    char settings[256];
    if (held_out >= 0)
        snprintf(number, sizeof(number), " ood_classes=%d", (int)held_out);
    snprintf(settings, sizeof(settings), "%s%s", with, number);
    opn_model *model = trial_train(ctx, graph, settings);
    opn_prediction *o = opinions_ask(ctx, model, graph, settings);
    uint8_t positive[TUNING_NODES];
    float score[TUNING_NODES];
    int n = 0;
    int n_known = 0;
    int n_right = 0;
    for (int i = 1; i < TUNING_NODES; i += 5, n++) { // the validation nodes
        const int32_t label = opn_graph_labels(graph)[i];
        const bool is_known = label != held_out;
        const int32_t target = label - (held_out >= 0 && label > held_out);
        n_known += is_known;
        n_right += is_known && o->predicted[i] == target;
        positive[n] = !is_known;
        score[n] = o->measure[OPN_MEASURE_VACUITY][i];
    }
    *accuracy = 100.0 * n_right / n_known;
    assert_int_equal(opn_metric_auroc(ctx, n, positive, opn_f32(score), auroc), OPN_OK);
    opn_prediction_free(o);
    opn_model_free(model);
}

static void the_default_is_scored_as_anyone_could(void **state)
{
    (void)state;
    static const char with[] = "task=ood epochs=20 samples=3 seed=4 lambda1=0.1";
    opn_graph *graph = tuning_graph(ctx);
    int n_nodes[TUNING_CLASSES] = {0};
    for (int i = 1; i < TUNING_NODES; i += 5)
        n_nodes[opn_graph_labels(graph)[i]]++;
    int32_t least = 0; // which is the one that does not take its turn
    for (int32_t k = 1; k < TUNING_CLASSES; k++)
        least = n_nodes[k] <= n_nodes[least] ? k : least;
    double accuracy = 0.0;
    double auroc = 0.0;
    for (int32_t k = 0; k < TUNING_CLASSES; k++) {
        double of_fold[2];
        if (k == least)
            continue;
        score_fold(graph, with, k, &of_fold[0], &of_fold[1]);
        accuracy += of_fold[0] / 3;
        auroc += 100.0 * of_fold[1] / 3;
    }
    opn_tuning *found = tuning_run(
            ctx, graph, "trials=2 seeds=2 task=ood epochs=20 samples=3 seed=4");
    const opn_trial_run *run = opn_tuning_runs(found, 0);
    assert_true(fabs(run->accuracy - accuracy) < 1e-9);
    assert_true(fabs(run->detection - auroc) < 1e-9);
    assert_true(fabs(run->objective - 0.5 * (accuracy + auroc)) < 1e-9);
    opn_tuning_free(found);
    opn_graph_free(graph);
}

// The score on the spared half of a model whose training the other half has stopped.
static double score_half(const opn_graph *graph, int seed)
{
    uint8_t spared[TUNING_NODES];
    uint8_t wrong[TUNING_NODES];
    float unsure[TUNING_NODES];
    char with[80];
    int n = 0;
    double area = 0.0;
    snprintf(with, sizeof(with), "epochs=200 patience=2 model=s-gcn seed=%d", seed);
    opn_params *params = trial_paper_params(ctx, with);
    opn_split *split = NULL;
    opn_split *watched = NULL;
    opn_model *model = NULL;
    assert_int_equal(opn_split_from_params(ctx, graph, params, &split), OPN_OK);
    assert_int_equal(opn_i_trial_halve(ctx, graph, split, (uint64_t)seed, spared),
                     OPN_OK);
    assert_int_equal(opn_i_split_narrow(ctx, graph, split, -1, spared, &watched), OPN_OK);
    assert_int_equal(opn_model_train(ctx, graph, watched, params, NULL, &model), OPN_OK);
    opn_prediction *o = opinions_ask(ctx, model, graph, with);
    for (int i = 0; i < TUNING_NODES; i++) {
        wrong[n] = o->predicted[i] != opn_graph_labels(graph)[i];
        unsure[n] = o->measure[OPN_MEASURE_DISSONANCE][i];
        n += spared[i];
    }
    assert_int_equal(
            opn_metric_risk_coverage(ctx, n, wrong, opn_f32(unsure), NULL, &area),
            OPN_OK);
    opn_prediction_free(o);
    opn_model_free(model);
    opn_split_free(watched);
    opn_split_free(split);
    opn_params_free(params);
    return 100.0 * (1.0 - area);
}

static void with_patience_each_half_has_its_own_work(void **state)
{
    (void)state;
    opn_graph *graph = tuning_graph(ctx);
    opn_tuning *found =
            tuning_run(ctx, graph, "trials=2 seeds=8 epochs=200 patience=2 model=s-gcn");
    for (int s = 0; s < 8; s++)
        assert_true(fabs(opn_tuning_runs(found, 0)[s].detection - score_half(graph, s)) <
                    1e-9);
    opn_tuning_free(found);
    opn_graph_free(graph);
}

// Sums of such features overflow a float.
static void a_loss_beyond_all_numbers_is_a_bad_trial_and_no_failure(void **state)
{
    (void)state;
    static float feature[TUNING_NODES * 40];
    opn_graph *graph = tuning_graph(ctx);
    for (int f = 0; f < TUNING_NODES * 40; f++)
        feature[f] = 3e38f;
    assert_int_equal(opn_graph_set_features(ctx, graph, 40, feature), OPN_OK);
    opn_tuning *found = tuning_run(
            ctx, graph, "trials=2 seeds=2 epochs=9 model=s-gcn normalise=none");
    for (int32_t t = 0; t < 2; t++) {
        const opn_trial_run *run = opn_tuning_runs(found, t);
        if (sizeof(opn_real) == sizeof(float)) {
            assert_true(run->objective == 0.0 && run->accuracy == 0.0);
            assert_true(isnan(run->detection) != 0);
        }
    }
    assert_int_equal(opn_tuning_recommended(found), 0);
    opn_tuning_free(found);
    opn_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(a_narrowed_split_is_the_one_drawn_with_the_class_held_out),
            WITH_CTX(halves_share_no_node_and_hold_half_of_each_class),
            WITH_CTX(figures_are_those_counted_by_hand),
            WITH_CTX(the_default_is_scored_as_anyone_could),
            WITH_CTX(with_patience_each_half_has_its_own_work),
            WITH_CTX(a_loss_beyond_all_numbers_is_a_bad_trial_and_no_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
