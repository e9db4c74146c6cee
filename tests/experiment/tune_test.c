// tune_test.c -- what a search draws, what it looks at, how it judges, what it advises.

#include "base/context.h"
#include "base/names.h"
#include "experiment/tune_command.h"
#include "experiment/tune_space.h"
#include "experiment/tune_trial.h"
#include "graph/narrow.h"
#include "math/real.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

// ---- the scene -----------------------------------------------------------------------

enum { N_NODES = 120, N_CLASSES = 4 };

static void role_of_nodes(uint8_t role[N_NODES])
{
    for (int i = 0; i < N_NODES; i++)
        role[i] = i % 5 == 0   ? OPN_ROLE_TRAIN
                  : i % 5 == 1 ? OPN_ROLE_VALIDATION
                  : i % 5 == 2 ? OPN_ROLE_POOL
                               : OPN_ROLE_TEST;
}

// Of five nodes one trains, one validates, and the others are nobody's business.
static opn_graph *draw_graph(opn_ctx *on)
{
    uint8_t role[N_NODES];
    opn_graph *graph = trial_draw(on, "nodes=120 classes=4 features=20 homophily=0.7");
    role_of_nodes(role);
    assert_int_equal(opn_graph_set_roles(on, graph, role), OPN_OK);
    return graph;
}

static opn_tuning *tune(opn_ctx *on, const opn_graph *graph, const char *with)
{
    opn_params *params = trial_paper_params(on, with);
    opn_tuning *found = NULL;
    if (opn_tune(on, graph, params, "my data", NULL, &found) != OPN_OK)
        fail_msg("%s: %s", with, opn_ctx_error(on));
    opn_params_free(params);
    return found;
}

static bool is_same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

// Everything but the times.
static void expect_same(const opn_tuning *a, const opn_tuning *b)
{
    assert_int_equal(opn_tuning_n_trials(a), opn_tuning_n_trials(b));
    assert_int_equal(opn_tuning_n_seeds(a), opn_tuning_n_seeds(b));
    assert_int_equal(opn_tuning_recommended(a), opn_tuning_recommended(b));
    assert_string_equal(opn_tuning_command(a), opn_tuning_command(b));
    for (int32_t t = 0; t < opn_tuning_n_trials(a); t++) {
        assert_int_equal(opn_tuning_ranked(a, t), opn_tuning_ranked(b, t));
        for (int32_t s = 0; s < opn_tuning_n_seeds(a); s++) {
            const opn_trial_run *x = &opn_tuning_runs(a, t)[s];
            const opn_trial_run *y = &opn_tuning_runs(b, t)[s];
            assert_true(is_same_number(x->objective, y->objective));
            assert_true(is_same_number(x->accuracy, y->accuracy));
            assert_true(is_same_number(x->detection, y->detection));
        }
    }
}

static void expect_same_params(const opn_params *a, const opn_params *b)
{
    for (size_t p = 0; p < opn_param_count(); p++)
        assert_string_equal(opn_params_text(a, opn_param_at(p)->name),
                            opn_params_text(b, opn_param_at(p)->name));
}

static double mean_objective(const opn_tuning *found, int32_t t)
{
    double sum = 0.0;
    for (int32_t s = 0; s < opn_tuning_n_seeds(found); s++)
        sum += opn_tuning_runs(found, t)[s].objective;
    return sum / opn_tuning_n_seeds(found);
}

// ---- what is drawn -------------------------------------------------------------------

// The parameters of trials 0 … n - 1 under these settings.
static void
draw_trials(const opn_graph *graph, const char *with, int32_t n, opn_params **out)
{
    opn_params *given = trial_paper_params(ctx, with);
    opn_params *usual = trial_paper_params(ctx, with);
    const opn_i_model_kind *kind = opn_i_model_kind_find(opn_params_text(given, "model"));
    const opn_i_space space = {given, usual, kind, true};
    assert_int_equal(opn_params_use_preset(ctx, graph, usual), OPN_OK);
    for (int32_t t = 0; t < n; t++)
        assert_int_equal(opn_i_space_draw(ctx, &space, t, &out[t]), OPN_OK);
    opn_params_free(given);
    opn_params_free(usual);
}

static void free_trials(int n, opn_params **trial)
{
    for (int t = 0; t < n; t++)
        opn_params_free(trial[t]);
}

static void trial_0_is_the_default(void **state)
{
    (void)state;
    static const char *const settings[] = {"trials=3 seeds=2 hidden=4",
                                           "trials=3 seeds=2 hidden=4 task=ood "
                                           "preset=strong epochs=5 samples=2"};
    opn_graph *graph = draw_graph(ctx);
    for (size_t n = 0; n < 2; n++) {
        opn_params *usual = trial_paper_params(ctx, settings[n]);
        assert_int_equal(opn_params_use_preset(ctx, graph, usual), OPN_OK);
        opn_tuning *found = tune(ctx, graph, settings[n]);
        expect_same_params(opn_tuning_params(found, 0), usual);
        assert_true(opn_tuning_runs(found, 0)[1].objective >= 0.0); // a finalist
        opn_tuning_free(found);
        opn_params_free(usual);
    }
    opn_graph_free(graph);
}

static bool is_one_of(const char *text, const char *list)
{
    return opn_i_is_listed(list, text);
}

static void own_graphs_start_from_the_choice_and_try_other_models(void **state)
{
    (void)state;
    static const char models[] = "s-bsage-t-k,s-bgcn-t-k,s-blinks-t-k";
    opn_graph *graph = draw_graph(ctx);
    assert_int_equal(opn_ctx_set_threads(ctx, 1), OPN_OK);
    opn_tuning *found =
            tune(ctx, graph, "preset=auto trials=12 seeds=2 hidden=4 epochs=4 samples=2");
    bool differs[2] = {false, false};
    for (int32_t t = 0; t < 12; t++) {
        const char *model = opn_params_text(opn_tuning_params(found, t), "model");
        const char *scaling = opn_params_text(opn_tuning_params(found, t), "normalise");
        assert_true(is_one_of(model, models));
        assert_true(is_one_of(scaling, "l2,row,standard"));
        differs[0] = differs[0] || strcmp(model, "s-bgcn-t-k") != 0;
        differs[1] = differs[1] || strcmp(scaling, "l2") != 0;
    }
    assert_true(differs[0] && differs[1]);
    assert_string_equal(opn_params_text(opn_tuning_params(found, 0), "normalise"), "l2");
    opn_tuning_free(found);
    opn_graph_free(graph);
}

static void without_features_their_scale_is_not_searched(void **state)
{
    (void)state;
    opn_graph *graph = draw_graph(ctx);
    assert_int_equal(opn_graph_set_features(ctx, graph, 0, NULL), OPN_OK);
    assert_int_equal(opn_ctx_set_threads(ctx, 1), OPN_OK);
    opn_tuning *found =
            tune(ctx, graph, "preset=auto trials=6 seeds=2 hidden=4 epochs=4 samples=2");
    const char *usual = opn_params_text(opn_tuning_params(found, 0), "normalise");
    for (int32_t t = 1; t < 6; t++)
        assert_string_equal(opn_params_text(opn_tuning_params(found, t), "normalise"),
                            usual);
    opn_tuning_free(found);
    opn_graph_free(graph);
}

static void thin_evidence_asks_for_more_seeds(void **state)
{
    (void)state;
    opn_graph *graph = draw_graph(ctx);
    int n_asked = 0;
    assert_int_equal(opn_ctx_set_threads(ctx, 1), OPN_OK);
    for (int n = 0; n < 12; n++) {
        char with[96];
        snprintf(with, sizeof(with),
                 "model=gcn trials=3 seeds=3 epochs=6 samples=2 hidden=4 seed=%d",
                 10 * n);
        opn_tuning *found = tune(ctx, graph, with);
        const int32_t n_needed = opn_tuning_needed_seeds(found);
        const char *command = opn_tuning_command(found);
        assert_int_equal(strncmp(command, "opine tune ", 11) == 0, n_needed > 0);
        if (n_needed > 0) {
            char seeds[32];
            snprintf(seeds, sizeof(seeds), "--seeds %d", (int)n_needed);
            assert_non_null(strstr(command, seeds));
            assert_in_range(n_needed, 4, 50);
            assert_int_equal(opn_tuning_recommended(found), 0);
        }
        n_asked += n_needed > 0;
        opn_tuning_free(found);
    }
    assert_true(n_asked > 0);
    opn_graph_free(graph);
}

static void trials_stay_within_the_table_and_spread_over_it(void **state)
{
    (void)state;
    enum { N = 300 };
    static const struct {
        const char *name;
        double low, high;
    } bounds[] = {{"learning_rate", 0.001, 0.1},
                  {"hidden", 8, 128},
                  {"dropout", 0, 0.8},
                  {"weight_decay", 1e-5, 1e-2},
                  {"epochs", 50, 1000},
                  {"lambda1", 1e-4, 1},
                  {"sigma", 0.5, 4}};
    opn_graph *graph = draw_graph(ctx);
    opn_params *trial[N];
    draw_trials(graph, "model=s-bgcn-t-k", N, trial);
    for (size_t b = 0; b < sizeof(bounds) / sizeof(bounds[0]); b++) {
        double least = (double)INFINITY;
        double most = -(double)INFINITY;
        for (int t = 1; t < N; t++) {
            const double value = opn_params_real(trial[t], bounds[b].name);
            least = fmin(least, value);
            most = fmax(most, value);
        }
        assert_true(least >= bounds[b].low * (1 - 1e-12));
        assert_true(most <= bounds[b].high * (1 + 1e-12));
        assert_true(least <= bounds[b].low * 1.1 && most >= bounds[b].high * 0.9);
    }
    free_trials(N, trial);
    opn_graph_free(graph);
}

static void numbers_have_two_digits_that_count_and_no_more(void **state)
{
    (void)state;
    enum { N = 100 };
    opn_graph *graph = draw_graph(ctx);
    opn_params *trial[N];
    char folder[SUPPORT_PATH];
    support_temp_folder(folder);
    support_set_comma_locale(folder);
    draw_trials(graph, "model=s-bgcn-t-k", N, trial);
    for (int t = 1; t < N; t++) {
        const char *text = opn_params_text(trial[t], "learning_rate");
        const char *digits = text + strspn(text, "0.");
        assert_true(strncmp(text, "0.", 2) == 0);
        assert_in_range(strlen(digits), 1, 2);
        assert_true(digits[strlen(digits) - 1] != '0');
        assert_int_equal(opn_params_int(trial[t], "hidden") % 8, 0);
        assert_null(strchr(opn_params_text(trial[t], "epochs"), '.'));
        assert_float_equal(fmod(100 * opn_params_real(trial[t], "dropout") + 1e-9, 5), 0,
                           1e-6);
    }
    free_trials(N, trial);
    setlocale(LC_ALL, "C");
    support_remove_folder(folder);
    opn_graph_free(graph);
}

static void what_is_given_or_has_no_say_is_not_searched(void **state)
{
    (void)state;
    enum { N = 6 };
    opn_graph *graph = draw_graph(ctx);
    opn_params *all[N];
    opn_params *some[N];
    opn_params *softmax[N];
    opn_params *patient[N];
    draw_trials(graph, "model=s-bgcn-t-k", N, all);
    draw_trials(graph, "model=s-bgcn-t-k dropout=0.33", N, some);
    draw_trials(graph, "model=gcn", N, softmax);
    draw_trials(graph, "model=gcn patience=10 epochs=77", N, patient);
    for (int t = 1; t < N; t++) {
        assert_string_equal(opn_params_text(some[t], "dropout"), "0.33");
        assert_string_equal(opn_params_text(some[t], "sigma"),
                            opn_params_text(all[t], "sigma")); // which comes after it
        assert_string_equal(opn_params_text(softmax[t], "lambda1"), "0.001");
        assert_string_equal(opn_params_text(softmax[t], "sigma"), "1");
        assert_string_equal(opn_params_text(patient[t], "epochs"), "77");
        assert_string_not_equal(opn_params_text(all[t], "learning_rate"),
                                opn_params_text(all[t - 1], "learning_rate"));
    }
    free_trials(N, all);
    free_trials(N, some);
    free_trials(N, softmax);
    free_trials(N, patient);
    opn_graph_free(graph);
}

static void attention_gets_whole_heads(void **state)
{
    (void)state;
    enum { N = 40 };
    opn_graph *graph = draw_graph(ctx);
    opn_params *trial[N];
    draw_trials(graph, "model=gat heads=3 patience=0", N, trial);
    for (int t = 1; t < N; t++)
        assert_int_equal(opn_params_int(trial[t], "hidden") % 3, 0);
    free_trials(N, trial);
    opn_graph_free(graph);
}

// ---- what is looked at ---------------------------------------------------------------

static const char *const scenes[] = {
        "trials=7 seeds=3 epochs=12 samples=3",
        "trials=7 seeds=3 epochs=12 samples=3 task=ood",
        "trials=7 seeds=3 epochs=12 samples=3 task=ood ood_classes=1",
        "trials=6 seeds=2 epochs=60 patience=4 model=gcn",
        "trials=6 seeds=2 epochs=60 patience=4 model=s-gcn task=ood",
        "trials=6 seeds=2 epochs=8 model=s-bgcn samples=2 propagate=2 task=ood"};
enum { N_SCENES = sizeof(scenes) / sizeof(scenes[0]) };

// The nodes that neither train nor validate get labels drawn blindly, and the unlabelled
// ones among them others.
static void labels_of_test_nodes_change_nothing(void **state)
{
    (void)state;
    uint8_t role[N_NODES];
    int32_t label[N_NODES];
    uint64_t random = 7;
    opn_graph *graph = draw_graph(ctx);
    role_of_nodes(role);
    memcpy(label, opn_graph_labels(graph), sizeof(label));
    int n_changed = 0;
    for (int i = 0; i < N_NODES; i++) {
        if (role[i] == OPN_ROLE_TRAIN || role[i] == OPN_ROLE_VALIDATION)
            continue;
        label[i] = (int32_t)below(&random, N_CLASSES + 1) - 1;
        n_changed += label[i] != opn_graph_labels(graph)[i];
    }
    assert_true(n_changed > 40);
    opn_graph *garbage = draw_graph(ctx);
    assert_int_equal(opn_graph_set_labels(ctx, garbage, N_CLASSES, label), OPN_OK);
    assert_int_equal(opn_graph_set_roles(ctx, garbage, role), OPN_OK);
    for (size_t n = 0; n < N_SCENES; n++) {
        opn_tuning *honest = tune(ctx, graph, scenes[n]);
        opn_tuning *blind = tune(ctx, garbage, scenes[n]);
        expect_same(honest, blind);
        opn_tuning_free(honest);
        opn_tuning_free(blind);
    }
    opn_graph_free(graph);
    opn_graph_free(garbage);
}

// The same test must be able to fail.
static void labels_of_validation_nodes_do_change_something(void **state)
{
    (void)state;
    int32_t label[N_NODES];
    opn_graph *graph = draw_graph(ctx);
    opn_tuning *before = tune(ctx, graph, scenes[0]);
    memcpy(label, opn_graph_labels(graph), sizeof(label));
    for (int i = 1; i < N_NODES; i += 5)
        label[i] = (label[i] + 1) % N_CLASSES;
    uint8_t role[N_NODES];
    role_of_nodes(role);
    assert_int_equal(opn_graph_set_labels(ctx, graph, N_CLASSES, label), OPN_OK);
    assert_int_equal(opn_graph_set_roles(ctx, graph, role), OPN_OK);
    opn_tuning *after = tune(ctx, graph, scenes[0]);
    assert_true(opn_tuning_runs(before, 0)->accuracy !=
                opn_tuning_runs(after, 0)->accuracy);
    opn_tuning_free(before);
    opn_tuning_free(after);
    opn_graph_free(graph);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    opn_ctx *own = support_ctx(NULL); // the meter counts for one thread only
    opn_graph *graph = draw_graph(own);
    for (size_t n = 0; n < N_SCENES; n++) {
        own->n_threads = 1;
        opn_tuning *alone = tune(own, graph, scenes[n]);
        own->n_threads = 3;
        opn_tuning *together = tune(own, graph, scenes[n]);
        expect_same(alone, together);
        opn_tuning_free(alone);
        opn_tuning_free(together);
    }
    opn_graph_free(graph);
    opn_ctx_free(own);
}

static void more_trials_are_more_of_the_same(void **state)
{
    (void)state;
    opn_graph *graph = draw_graph(ctx);
    opn_tuning *few = tune(ctx, graph, "trials=2 seeds=2 epochs=9 model=s-gcn");
    opn_tuning *many = tune(ctx, graph, "trials=9 seeds=2 epochs=9 model=s-gcn");
    for (int32_t t = 0; t < 2; t++) {
        assert_string_equal(opn_params_text(opn_tuning_params(few, t), "learning_rate"),
                            opn_params_text(opn_tuning_params(many, t), "learning_rate"));
        assert_true(opn_tuning_runs(few, t)->objective ==
                    opn_tuning_runs(many, t)->objective);
    }
    opn_tuning_free(few);
    opn_tuning_free(many);
    opn_graph_free(graph);
}

// ---- splits --------------------------------------------------------------------------

static void a_narrowed_split_is_the_one_drawn_with_the_class_held_out(void **state)
{
    (void)state;
    static const int32_t two[] = {3, 1};
    opn_graph *graph = draw_graph(ctx);
    opn_split *wide = NULL;
    opn_split *want = NULL;
    opn_split *got = NULL;
    assert_int_equal(opn_split_create(ctx, graph, OPN_SPLIT_USUAL, 0, two, 1, &wide),
                     OPN_OK);
    assert_int_equal(opn_split_create(ctx, graph, OPN_SPLIT_USUAL, 0, two, 2, &want),
                     OPN_OK);
    assert_int_equal(opn_i_split_narrow(ctx, graph, wide, 1, NULL, &got), OPN_OK);
    assert_string_equal(opn_split_origin(got), opn_split_origin(wide));
    assert_memory_equal(opn_split_roles(got), opn_split_roles(want), N_NODES);
    assert_memory_equal(opn_split_pool(got), opn_split_pool(want), N_NODES);
    assert_memory_equal(opn_split_known(got), opn_split_known(want),
                        N_CLASSES * sizeof(int32_t));
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
    uint8_t spared[N_NODES];
    uint8_t again[N_NODES];
    opn_graph *graph = draw_graph(ctx);
    const int32_t *label = opn_graph_labels(graph);
    opn_split *split = NULL;
    opn_split *watched = NULL;
    assert_int_equal(opn_split_create(ctx, graph, OPN_SPLIT_USUAL, 0, NULL, 0, &split),
                     OPN_OK);
    assert_int_equal(opn_i_trial_halve(ctx, graph, split, 5, spared), OPN_OK);
    assert_int_equal(opn_i_split_narrow(ctx, graph, split, -1, spared, &watched), OPN_OK);
    int n_spared[N_CLASSES] = {0};
    int n_watched[N_CLASSES] = {0};
    for (int i = 0; i < N_NODES; i++) {
        const bool validates = opn_split_roles(split)[i] == OPN_ROLE_VALIDATION;
        const bool ends = opn_split_roles(watched)[i] == OPN_ROLE_VALIDATION;
        assert_int_equal(spared[i] + ends, validates);
        if (validates)
            (ends ? n_watched : n_spared)[label[i]]++;
    }
    for (int k = 0; k < N_CLASSES; k++)
        assert_in_range(n_spared[k] - n_watched[k], 0, 1);
    assert_int_equal(opn_i_trial_halve(ctx, graph, split, 6, again), OPN_OK);
    assert_memory_not_equal(spared, again, N_NODES);
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
    uint8_t positive[N_NODES];
    float score[N_NODES];
    int n = 0;
    int n_known = 0;
    int n_right = 0;
    for (int i = 1; i < N_NODES; i += 5, n++) { // the validation nodes
        const int32_t label = opn_graph_labels(graph)[i];
        const bool is_known = label != held_out;
        const int32_t target = label - (held_out >= 0 && label > held_out);
        n_known += is_known;
        n_right += is_known && o->predicted[i] == target;
        positive[n] = !is_known;
        score[n] = o->measure[OPN_MEASURE_VACUITY][i];
    }
    *accuracy = 100.0 * n_right / n_known;
    assert_int_equal(opn_metric_auroc(ctx, n, positive, score, auroc), OPN_OK);
    opn_prediction_free(o);
    opn_model_free(model);
}

static void the_default_is_scored_as_anyone_could(void **state)
{
    (void)state;
    static const char with[] = "task=ood epochs=20 samples=3 seed=4 lambda1=0.1";
    opn_graph *graph = draw_graph(ctx);
    int n_nodes[N_CLASSES] = {0};
    for (int i = 1; i < N_NODES; i += 5)
        n_nodes[opn_graph_labels(graph)[i]]++;
    int32_t least = 0; // which is the one that does not take its turn
    for (int32_t k = 1; k < N_CLASSES; k++)
        least = n_nodes[k] <= n_nodes[least] ? k : least;
    double accuracy = 0.0;
    double auroc = 0.0;
    for (int32_t k = 0; k < N_CLASSES; k++) {
        double of_fold[2];
        if (k == least)
            continue;
        score_fold(graph, with, k, &of_fold[0], &of_fold[1]);
        accuracy += of_fold[0] / 3;
        auroc += 100.0 * of_fold[1] / 3;
    }
    opn_tuning *found =
            tune(ctx, graph, "trials=2 seeds=2 task=ood epochs=20 samples=3 seed=4");
    const opn_trial_run *run = opn_tuning_runs(found, 0);
    assert_true(fabs(run->accuracy - accuracy) < 1e-9);
    assert_true(fabs(run->detection - auroc) < 1e-9);
    assert_true(fabs(run->objective - 0.5 * (accuracy + auroc)) < 1e-9);
    opn_tuning_free(found);
    opn_graph_free(graph);
}

// What the half that is spared says of a model whose training the other half has ended.
static double score_half(const opn_graph *graph, int seed)
{
    uint8_t spared[N_NODES];
    uint8_t wrong[N_NODES];
    float unsure[N_NODES];
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
    for (int i = 0; i < N_NODES; i++) {
        wrong[n] = o->predicted[i] != opn_graph_labels(graph)[i];
        unsure[n] = o->measure[OPN_MEASURE_DISSONANCE][i];
        n += spared[i];
    }
    assert_int_equal(opn_metric_risk_coverage(ctx, n, wrong, unsure, NULL, &area),
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
    opn_graph *graph = draw_graph(ctx);
    opn_tuning *found =
            tune(ctx, graph, "trials=2 seeds=8 epochs=200 patience=2 model=s-gcn");
    for (int s = 0; s < 8; s++)
        assert_true(fabs(opn_tuning_runs(found, 0)[s].detection - score_half(graph, s)) <
                    1e-9);
    opn_tuning_free(found);
    opn_graph_free(graph);
}

// Sums of such features are beyond all floats.
static void a_loss_beyond_all_numbers_is_a_bad_trial_and_no_failure(void **state)
{
    (void)state;
    static float feature[N_NODES * 40];
    opn_graph *graph = draw_graph(ctx);
    for (int f = 0; f < N_NODES * 40; f++)
        feature[f] = 3e38f;
    assert_int_equal(opn_graph_set_features(ctx, graph, 40, feature), OPN_OK);
    opn_tuning *found =
            tune(ctx, graph, "trials=2 seeds=2 epochs=9 model=s-gcn normalise=none");
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

// ---- what is advised -----------------------------------------------------------------

static void ranks_follow_the_means_and_finalists_come_first(void **state)
{
    (void)state;
    opn_graph *graph = draw_graph(ctx);
    opn_tuning *found = tune(ctx, graph, "trials=30 seeds=6 epochs=8 model=s-gcn");
    bool is_seen[30] = {false};
    bool has_default = false;
    int n_finalists = 0;
    for (int32_t r = 0; r < 30; r++) {
        const int32_t t = opn_tuning_ranked(found, r);
        const opn_trial_run *run = opn_tuning_runs(found, t);
        assert_false(is_seen[t]);
        is_seen[t] = true;
        assert_true(run[1].objective >= 0.0); // two of six seeds for everyone
        assert_true(n_finalists == r || isnan(run[2].objective));
        if (isnan(run[2].objective))
            continue;
        n_finalists++;
        has_default = has_default || t == 0;
        if (r > 0)
            assert_true(mean_objective(found, t) <=
                        mean_objective(found, opn_tuning_ranked(found, r - 1)));
    }
    assert_true(has_default);
    assert_in_range(n_finalists, 8, 9);
    opn_tuning_free(found);
    opn_graph_free(graph);
}

// Recommended is the best trial if the interval of the differences is above 0, and only
// then: both happen here.
static void a_default_is_recommended_unless_it_is_beaten_beyond_doubt(void **state)
{
    (void)state;
    static const char *const settings[] = {
            "trials=12 seeds=8 model=s-gcn epochs=40 task=ood hidden=64",
            "trials=2 seeds=3 model=s-gcn epochs=3"};
    opn_graph *graph = draw_graph(ctx);
    for (int n = 0; n < 2; n++) {
        opn_tuning *found = tune(ctx, graph, settings[n]);
        const int32_t best = opn_tuning_ranked(found, 0);
        const int32_t n_seeds = opn_tuning_n_seeds(found);
        double difference[8];
        opn_estimate e;
        for (int32_t s = 0; s < n_seeds; s++)
            difference[s] = opn_tuning_runs(found, best)[s].objective -
                            opn_tuning_runs(found, 0)[s].objective;
        opn_estimate_mean(n_seeds, difference, &e);
        assert_int_not_equal(best, 0);
        assert_int_equal(e.low > 0.0, n == 0);
        assert_int_equal(opn_tuning_recommended(found), n == 0 ? best : 0);
        opn_tuning_free(found);
    }
    opn_graph_free(graph);
}

// Sets the parameters that a command line of plain words gives.
static opn_params *parse_command(const char *command)
{
    char text[1024];
    opn_params *params = NULL;
    assert_int_equal(opn_params_create(ctx, &params), OPN_OK);
    snprintf(text, sizeof(text), "%s", command);
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
        if (strncmp(word, "--", 2) != 0)
            continue;
        const opn_param *param = opn_param_find(word + 2);
        assert_non_null(param);
        const char *value = param->kind == OPN_PARAM_FLAG ? "on" : strtok(NULL, " ");
        assert_int_equal(opn_params_set(ctx, params, param->name, value), OPN_OK);
    }
    return params;
}

static void the_command_gives_the_parameters_of_its_trial(void **state)
{
    (void)state;
    enum { N = 12 };
    static const char *const settings[] = {
            "model=s-bgcn-t-k",
            "model=s-bgcn-t-k task=ood",
            "model=s-bgcn-t-k task=ood preset=strong seed=3",
            "model=gcn hidden=7",
            "model=gat task=ood",
            "model=s-bgat-t-k kernel_constant=on samples=7",
            "model=s-bgcn-t-k task=ood ood_classes=1 epochs=9"};
    opn_graph *graph = draw_graph(ctx);
    for (size_t n = 0; n < sizeof(settings) / sizeof(settings[0]); n++) {
        opn_params *trial[N];
        opn_params *given = trial_paper_params(ctx, settings[n]);
        draw_trials(graph, settings[n], N, trial);
        for (int t = 0; t < N; t++) {
            char *command = NULL;
            assert_int_equal(
                    opn_i_tune_command(ctx, graph, "demo", given, trial[t], &command),
                    OPN_OK);
            assert_memory_equal(command, "opine train demo --model ", 25);
            assert_non_null(strstr(command, " -o m.safetensors"));
            opn_params *replay = parse_command(command);
            assert_int_equal(opn_params_use_preset(ctx, graph, replay), OPN_OK);
            for (size_t p = 0; p < opn_param_count(); p++)
                if (opn_param_at(p)->affects & OPN_AFFECTS_PREDICTION)
                    assert_string_equal(opn_params_text(replay, opn_param_at(p)->name),
                                        opn_params_text(trial[t], opn_param_at(p)->name));
            opn_params_free(replay);
            opn_i_release(&ctx->alloc, command);
        }
        free_trials(N, trial);
        opn_params_free(given);
    }
    opn_graph_free(graph);
}

static void words_that_a_shell_would_change_are_quoted(void **state)
{
    (void)state;
    static const struct {
        const char *data, *want;
    } cases[] = {{"a/b-c.npz", "opine train a/b-c.npz --"},
                 {"my data", "opine train 'my data' --"},
                 {"it's", "opine train 'it'\\''s' --"},
                 {"$(rm)", "opine train '$(rm)' --"},
                 {"'", "opine train ''\\''' --"},
                 {"", "opine train '' --"}};
    opn_graph *graph = draw_graph(ctx);
    opn_params *params = trial_paper_params(ctx, "");
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        char *command = NULL;
        assert_int_equal(
                opn_i_tune_command(ctx, graph, cases[c].data, params, params, &command),
                OPN_OK);
        assert_memory_equal(command, cases[c].want, strlen(cases[c].want));
        opn_i_release(&ctx->alloc, command);
    }
    opn_params_free(params);
    opn_graph_free(graph);
}

static void all_trials_are_in_the_json(void **state)
{
    (void)state;
    stage *s = support_open_stage("tuning.json");
    opn_graph *graph = draw_graph(ctx);
    json_error_t error;
    opn_tuning *found = tune(ctx, graph, "trials=9 seeds=2 epochs=5 task=ood samples=2");
    assert_int_equal(opn_tuning_save(ctx, found, s->path), OPN_OK);
    json_t *document = json_load_file(s->path, JSON_REJECT_DUPLICATES, &error);
    json_t *trials = json_object_get(document, "trials");
    assert_int_equal(json_array_size(trials), 9);
    assert_int_equal(json_array_size(json_object_get(document, "held_out")), 3);
    assert_string_equal(json_string_value(json_object_get(document, "command")),
                        opn_tuning_command(found));
    for (int32_t r = 0; r < 9; r++) {
        json_t *trial = json_array_get(trials, (size_t)r);
        const int32_t t = opn_tuning_ranked(found, r);
        json_t *run = json_array_get(json_object_get(trial, "runs"), 0);
        assert_int_equal(json_integer_value(json_object_get(trial, "trial")), t);
        assert_true(fabs(json_number_value(json_object_get(run, "objective")) -
                         opn_tuning_runs(found, t)->objective) < 1e-6);
        assert_int_equal(json_object_size(json_object_get(trial, "differs")) == 0,
                         t == 0);
    }
    json_decref(document);
    assert_int_equal(opn_tuning_save(ctx, found, "/nowhere/tuning.txt"), OPN_ERR_WRITE);
    opn_tuning_free(found);
    opn_graph_free(graph);
    support_close_stage(s);
}

// ---- what cannot be done -------------------------------------------------------------

static void expect_refused(const opn_graph *graph,
                           const char *with,
                           opn_status want,
                           const char *part)
{
    opn_params *params = trial_paper_params(ctx, with);
    opn_tuning *found = NULL;
    assert_int_equal(opn_tune(ctx, graph, params, NULL, NULL, &found), want);
    assert_null(found);
    support_expect_error(ctx, part);
    opn_params_free(params);
}

static void what_cannot_be_tuned_is_refused(void **state)
{
    (void)state;
    uint8_t role[N_NODES];
    opn_graph *graph = draw_graph(ctx);
    expect_refused(graph, "seeds=1", OPN_ERR_INVALID_ARG, "`seeds`");
    expect_refused(graph, "model=gcn,s-gcn", OPN_ERR_INVALID_ARG, "one model");
    expect_refused(graph,
                   "model=gcn hidden=4 learning_rate=0.1 dropout=0 weight_decay=0 "
                   "epochs=2",
                   OPN_ERR_INVALID_ARG, "leave at least one to search");
    expect_refused(graph, "task=ood ood_classes=0,3", OPN_ERR_SHAPE,
                   "cannot be tuned with 2 known classes");
    expect_refused(graph, "task=ood ood_classes=0,3,1", OPN_ERR_SHAPE,
                   "with 1 known class:");
    memset(role, OPN_ROLE_TRAIN, sizeof(role));
    assert_int_equal(opn_graph_set_roles(ctx, graph, role), OPN_OK);
    expect_refused(graph, "", OPN_ERR_SHAPE, "no validation node");
    opn_graph_free(graph);
}

static void every_allocation_failure_is_reported(void **state)
{
    (void)state;
    opn_graph *graph = draw_graph(ctx);
    opn_params *params = trial_paper_params(
            ctx, "trials=2 seeds=2 model=s-gcn epochs=1 hidden=2 patience=1");
    opn_status status = OPN_ERR_NOMEM;
    for (long fail_at = 1; status != OPN_OK; fail_at += fail_at > 400 ? 7 : 1) {
        meter m = {0};
        opn_ctx *own = support_ctx(&m);
        opn_tuning *found = NULL;
        m.n_requests = 0;
        m.fail_at = fail_at;
        status = opn_tune(own, graph, params, "x", NULL, &found);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
        assert_true((found != NULL) == (status == OPN_OK));
        if (status != OPN_OK)
            support_expect_error(own, "memory");
        opn_tuning_free(found);
        support_ctx_free(own, &m);
    }
    opn_params_free(params);
    opn_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(trial_0_is_the_default),
            WITH_CTX(own_graphs_start_from_the_choice_and_try_other_models),
            WITH_CTX(without_features_their_scale_is_not_searched),
            WITH_CTX(thin_evidence_asks_for_more_seeds),
            WITH_CTX(trials_stay_within_the_table_and_spread_over_it),
            WITH_CTX(numbers_have_two_digits_that_count_and_no_more),
            WITH_CTX(what_is_given_or_has_no_say_is_not_searched),
            WITH_CTX(attention_gets_whole_heads),
            WITH_CTX(labels_of_test_nodes_change_nothing),
            WITH_CTX(labels_of_validation_nodes_do_change_something),
            WITH_CTX(threads_do_not_matter),
            WITH_CTX(more_trials_are_more_of_the_same),
            WITH_CTX(a_narrowed_split_is_the_one_drawn_with_the_class_held_out),
            WITH_CTX(halves_share_no_node_and_hold_half_of_each_class),
            WITH_CTX(figures_are_those_counted_by_hand),
            WITH_CTX(the_default_is_scored_as_anyone_could),
            WITH_CTX(with_patience_each_half_has_its_own_work),
            WITH_CTX(a_loss_beyond_all_numbers_is_a_bad_trial_and_no_failure),
            WITH_CTX(ranks_follow_the_means_and_finalists_come_first),
            WITH_CTX(a_default_is_recommended_unless_it_is_beaten_beyond_doubt),
            WITH_CTX(the_command_gives_the_parameters_of_its_trial),
            WITH_CTX(words_that_a_shell_would_change_are_quoted),
            WITH_CTX(all_trials_are_in_the_json),
            WITH_CTX(what_cannot_be_tuned_is_refused),
            WITH_CTX(every_allocation_failure_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
