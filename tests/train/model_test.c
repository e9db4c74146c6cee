// model_test.c -- models as someone who embeds the library meets them: trained, asked,
// saved and loaded, on good data, odd data and bad data.

#include "base/context.h"
#include "math/real.h"
#include "model/model_data.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

static opn_ctx *ctx;

// Those of the graph convolution, and of every other encoder the one with all terms.
enum { N_MODELS = TRIAL_N_MODELS + 5 };

static const char *model_at(int m)
{
    static const char *const others[] = {"gat", "s-bgat-t-k", "s-bsage-t-k", "s-bmlp-t-k",
                                         "s-blinks-t-k"};
    return m < TRIAL_N_MODELS ? trial_models[m] : others[m - TRIAL_N_MODELS];
}

static void expect_no_model(const opn_graph *graph, const char *settings, opn_status want)
{
    opn_model *model = NULL;
    assert_int_equal(trial_try_train(ctx, graph, settings, NULL, &model), want);
    assert_null(model);
}

// ---- the same bits -------------------------------------------------------------------

static void expect_same_bits_on_any_threads(const opn_graph *graph, const char *settings)
{
    static const int n_threads[] = {1, 1, 2, 3, 8};
    opn_model *first = NULL;
    opn_prediction *said = NULL;
    for (size_t t = 0; t < sizeof(n_threads) / sizeof(n_threads[0]); t++) {
        assert_int_equal(opn_ctx_set_threads(ctx, n_threads[t]), OPN_OK);
        opn_model *model = trial_train(ctx, graph, settings);
        opn_prediction *again = opinions_ask(ctx, model, graph, NULL);
        if (first == NULL) {
            first = model;
            said = again;
            continue;
        }
        trial_expect_same(ctx, first, model);
        opinions_expect_same(said, again);
        opn_model_free(model);
        opn_prediction_free(again);
    }
    opn_model_free(first);
    opn_prediction_free(said);
}

static void threads_do_not_change_a_bit_of_any_model(void **state)
{
    (void)state;
    opn_graph *graph = NULL;
    assert_int_equal(opn_graph_load(ctx, "demo", NULL, &graph), OPN_OK);
    for (int m = 0; m < N_MODELS; m++) {
        char settings[128];
        snprintf(settings, sizeof(settings), "model=%s epochs=2 samples=1 seed=%d",
                 model_at(m), m);
        expect_same_bits_on_any_threads(graph, settings);
    }
    opn_graph_free(graph);
}

static void threads_do_not_change_a_bit_on_a_wide_graph(void **state)
{
    (void)state;
    opn_graph *graph =
            trial_draw(ctx, "nodes=400 classes=3 features=40 mean_degree=30 seed=3");
    // dropedge-gcn, s-gcn, s-bgcn-t-k, s-bsage-t-k
    for (int m = 2; m < N_MODELS; m += 3) {
        char settings[128];
        snprintf(settings, sizeof(settings),
                 "model=%s epochs=2 samples=2 hidden=33 normalise=standard dropout=0.3",
                 model_at(m));
        expect_same_bits_on_any_threads(graph, settings);
    }
    expect_same_bits_on_any_threads(graph,
                                    "model=s-bgat-t-k epochs=2 samples=2 hidden=33 "
                                    "heads=3 out_heads=2 dropout=0.3 drop_edge=0.4");
    expect_same_bits_on_any_threads(graph,
                                    "model=s-blinks-t-k epochs=2 samples=2 hidden=33 "
                                    "normalise=standard dropout=0.3 patience=2");
    opn_graph_free(graph);
}

static void seeds_give_models_of_their_own(void **state)
{
    (void)state;
    opn_graph *graph = trial_groups(ctx);
    opn_model *model = trial_train(ctx, graph, "epochs=2 seed=1");
    opn_model *other = trial_train(ctx, graph, "epochs=2 seed=2");
    opn_prediction *said = opinions_ask(ctx, model, graph, NULL);
    opn_prediction *other_said = opinions_ask(ctx, other, graph, NULL);
    opinions_expect_other(said, other_said);
    opn_prediction_free(said);
    opn_prediction_free(other_said);
    opn_model_free(model);
    opn_model_free(other);
    opn_graph_free(graph);
}

static void expect_differently_said(const opn_graph *graph,
                                    const char *settings,
                                    const char *other_settings,
                                    bool differ)
{
    opn_model *model = trial_train(ctx, graph, settings);
    opn_model *other = trial_train(ctx, graph, other_settings);
    opn_prediction *said = opinions_ask(ctx, model, graph, NULL);
    opn_prediction *other_said = opinions_ask(ctx, other, graph, NULL);
    if (differ)
        opinions_expect_other(said, other_said);
    else
        opinions_expect_same(said, other_said);
    opn_prediction_free(said);
    opn_prediction_free(other_said);
    opn_model_free(model);
    opn_model_free(other);
}

static void dropedge_gcn_is_drop_gcn_but_for_the_edges(void **state)
{
    (void)state;
    opn_graph *graph = trial_draw(ctx, "nodes=90 classes=4 features=30");
    expect_differently_said(graph, "model=dropedge-gcn epochs=5 samples=5",
                            "model=drop-gcn epochs=5 samples=5", true);
    expect_differently_said(graph, "model=dropedge-gcn epochs=0 samples=5", // sampling
                            "model=drop-gcn epochs=0 samples=5", true);
    expect_differently_said(graph, "model=dropedge-gcn epochs=5 samples=5",
                            "model=dropedge-gcn epochs=5 samples=5 drop_edge=0.3", true);
    expect_differently_said(graph, "model=dropedge-gcn epochs=5 samples=5",
                            "model=dropedge-gcn epochs=5 samples=5 drop_edge=0.2", false);
    // Training draws its masks for other elements: drop-gcn looks at a part of the graph.
    expect_differently_said(graph, "model=dropedge-gcn epochs=0 samples=5 drop_edge=0",
                            "model=drop-gcn epochs=0 samples=5", false);
    expect_differently_said(graph, "model=drop-gcn epochs=5 samples=5 drop_edge=0.9",
                            "model=drop-gcn epochs=5 samples=5", false);
    opn_graph_free(graph);
}

static void dropedge_gcn_drops_edges_in_training_too(void **state)
{
    (void)state;
    enum { FEATURES = 30, HIDDEN = 16 };
    opn_graph *graph = trial_draw(ctx, "nodes=90 classes=4 features=30");
    static const char *const settings[] = {"model=dropedge-gcn epochs=5 hidden=16",
                                           "model=drop-gcn epochs=5 hidden=16"};
    opn_model *model[2];
    for (int m = 0; m < 2; m++)
        model[m] = trial_train(ctx, graph, settings[m]);
    assert_memory_not_equal(model[0]->weights, model[1]->weights,
                            sizeof(opn_real) * FEATURES * HIDDEN);
    opn_model_free(model[0]);
    opn_model_free(model[1]);
    opn_graph_free(graph);
}

static double accuracy_with(const char *kernel, const opn_graph *graph, const char *id)
{
    char settings[128];
    opn_train_summary summary;
    snprintf(settings, sizeof(settings), "model=%s epochs=60", id);
    if (kernel != NULL)
        assert_int_equal(setenv("OPINE_KERNEL", kernel, 1), 0);
    opn_model *model = trial_train(ctx, graph, settings);
    assert_int_equal(unsetenv("OPINE_KERNEL"), 0);
    opn_model_summary(model, &summary);
    opn_model_free(model);
    return summary.validation_accuracy;
}

static void reference_kernels_learn_as_well(void **state)
{
    (void)state;
    opn_graph *graph = NULL;
    assert_int_equal(opn_graph_load(ctx, "demo", NULL, &graph), OPN_OK);
    for (int m = 0; m < TRIAL_N_MODELS; m += 5) { // gcn and s-gcn
        const double fast = accuracy_with(NULL, graph, trial_models[m]);
        const double reference = accuracy_with("ref", graph, trial_models[m]);
        assert_true(fast > 0.3); // a sixth would be chance
        assert_true(fabs(fast - reference) < 0.03);
    }
    opn_graph_free(graph);
}

// ---- what a model says ---------------------------------------------------------------

static void every_measure_is_said_or_not_as_designed(void **state)
{
    (void)state;
    // vacuity, dissonance, aleatoric, epistemic, entropy
    static const char *const measures[TRIAL_N_MODELS] = {"....x", "..xxx", "..xxx",
                                                         "xx..x", "..xxx", "xx..x",
                                                         "xxxxx", "xxxxx", "xxxxx"};
    opn_graph *graph = trial_groups(ctx);
    for (int m = 0; m < TRIAL_N_MODELS; m++) {
        char settings[64];
        snprintf(settings, sizeof(settings), "model=%s epochs=3 samples=4",
                 trial_models[m]);
        opn_model *model = trial_train(ctx, graph, settings);
        opn_prediction *said = opinions_ask(ctx, model, graph, NULL);
        assert_string_equal(opn_model_id(model), trial_models[m]);
        for (int u = 0; u < OPN_N_MEASURES; u++) {
            const bool has = measures[m][u] == 'x';
            assert_int_equal(opn_model_measures(model, (opn_measure)u), has);
            assert_int_equal(opn_prediction_measure(said, (opn_measure)u) != NULL, has);
            assert_null(opn_prediction_smoothed(said, (opn_measure)u));
        }
        const bool has_alpha = strncmp(trial_models[m], "drop", 4) != 0 && m != 0;
        assert_int_equal(opn_prediction_alpha(said) != NULL, has_alpha);
        assert_int_equal(opn_prediction_belief(said) != NULL, measures[m][0] == 'x');
        opn_prediction_free(said);
        opn_model_free(model);
    }
    opn_graph_free(graph);
}

// Trains, and looks at what the model says of the same graph.
static void expect_sound_model(const opn_graph *graph, const char *settings)
{
    opn_model *model = trial_train(ctx, graph, settings);
    opn_prediction *said = opinions_ask(ctx, model, graph, NULL);
    opinions_expect_sound(model, said);
    opn_prediction_free(said);
    opn_model_free(model);
}

static void opinions_of_every_model_keep_their_bounds(void **state)
{
    (void)state;
    static const char *const more[] = {"",
                                       "average=logits",
                                       "samples=1",
                                       "dropout=0",
                                       "learning_rate=3",
                                       "hidden=1 heads=1",
                                       "drop_edge=0.99"};
    opn_graph *graph = trial_draw(ctx, "nodes=90 classes=4 features=30");
    for (int m = 0; m < N_MODELS; m++)
        for (size_t s = 0; s < sizeof(more) / sizeof(more[0]); s++) {
            char settings[128];
            snprintf(settings, sizeof(settings), "epochs=20 samples=5 model=%s %s",
                     model_at(m), more[s]);
            expect_sound_model(graph, settings);
        }
    opn_graph_free(graph);
}

static void opinions_of_every_evidence_keep_their_bounds(void **state)
{
    (void)state;
    static const char *const settings[] = {
            "model=s-bgcn-t-k evidence=relu",
            "model=s-bgcn-t-k evidence=softplus",
            "model=s-bgcn evidence=elu",
            "model=s-gcn evidence=relu",
            "model=edl-gcn evidence=relu",
            "model=edl-gcn evidence=exp",
            "model=edl-gcn average=logits",
            "model=s-bgcn-t evidence=softplus",
            "model=s-gcn evidence=elu epochs=30 learning_rate=1"};
    opn_graph *graph = trial_draw(ctx, "nodes=90 classes=4 features=30");
    for (size_t s = 0; s < sizeof(settings) / sizeof(settings[0]); s++) {
        char all[128];
        snprintf(all, sizeof(all), "epochs=15 samples=5 %s", settings[s]);
        expect_sound_model(graph, all);
    }
    opn_graph_free(graph);
}

static void one_sample_leaves_nothing_to_the_model_s_doubt(void **state)
{
    (void)state;
    opn_graph *graph = trial_groups(ctx);
    opn_model *model = trial_train(ctx, graph, "epochs=5");
    opn_prediction *said = opinions_ask(ctx, model, graph, "samples=1");
    for (int i = 0; i < TRIAL_NODES; i++)
        assert_float_equal(said->measure[OPN_MEASURE_EPISTEMIC][i], 0.0f, 1e-6f);
    opn_prediction_free(said);
    opn_model_free(model);
    opn_graph_free(graph);
}

static void samples_and_average_of_training_hold_unless_told(void **state)
{
    (void)state;
    opn_graph *graph = trial_groups(ctx);
    opn_model *model = trial_train(ctx, graph, "epochs=5 samples=7 average=logits");
    opn_prediction *said = opinions_ask(ctx, model, graph, NULL);
    opn_prediction *default_said = opinions_ask(ctx, model, graph, "");
    opn_prediction *told = opinions_ask(ctx, model, graph, "samples=7 average=logits");
    opn_prediction *other = opinions_ask(ctx, model, graph, "samples=8");
    opn_prediction *another = opinions_ask(ctx, model, graph, "average=alpha");
    opinions_expect_same(said, told);
    opinions_expect_same(said, default_said);
    opinions_expect_other(said, other);
    opinions_expect_other(said, another);
    opn_prediction_free(said);
    opn_prediction_free(default_said);
    opn_prediction_free(told);
    opn_prediction_free(other);
    opn_prediction_free(another);
    opn_model_free(model);
    opn_graph_free(graph);
}

static void arrays_nobody_asked_for_are_not_there(void **state)
{
    (void)state;
    opn_graph *graph = trial_groups(ctx);
    opn_model *model = trial_train(ctx, graph, "epochs=2 samples=2");
    opn_prediction *said = opinions_ask(ctx, model, graph, NULL);
    opn_prediction *less = NULL;
    assert_int_equal(opn_model_predict(ctx, model, graph, NULL, 0, &less), OPN_OK);
    assert_int_equal(opn_prediction_n_nodes(less), TRIAL_NODES);
    assert_int_equal(opn_prediction_n_classes(less), 2);
    assert_null(opn_prediction_belief(less));
    assert_null(opn_prediction_energy(less));
    assert_null(opn_prediction_decision(less));
    assert_null(opn_prediction_decided_by(less));
    assert_memory_equal(opn_prediction_predicted(less), opn_prediction_predicted(said),
                        TRIAL_NODES * sizeof(int32_t));
    assert_memory_equal(opn_prediction_probability(less),
                        opn_prediction_probability(said),
                        2 * TRIAL_NODES * sizeof(float));
    opn_prediction_free(less);
    opn_prediction_free(said);
    opn_prediction_free(NULL);
    opn_model_free(model);
    opn_graph_free(graph);
}

static void an_array_of_another_version_is_refused(void **state)
{
    (void)state;
    opn_graph *graph = trial_groups(ctx);
    opn_model *model = trial_train(ctx, graph, "model=gcn epochs=1");
    opn_prediction *said = NULL;
    assert_int_equal(opn_model_predict(ctx, model, graph, NULL, 1u << 31, &said),
                     OPN_ERR_INVALID_ARG);
    assert_null(said);
    support_expect_error(ctx, "0x80000000");
    opn_model_free(model);
    opn_graph_free(graph);
}

static void held_out_classes_are_not_predicted(void **state)
{
    (void)state;
    opn_graph *graph = trial_draw(ctx, "nodes=200 classes=5 features=30");
    opn_model *model = trial_train(ctx, graph, "epochs=3 samples=2 ood_classes=0,3");
    opn_split *split = NULL;
    opn_prediction *said = opinions_ask(ctx, model, graph, NULL);
    assert_int_equal(opn_model_n_classes(model), 3);
    assert_string_equal(opn_model_class_name(model, 0), "1");
    assert_string_equal(opn_model_class_name(model, 1), "2");
    assert_string_equal(opn_model_class_name(model, 2), "4");
    opinions_expect_sound(model, said);
    assert_int_equal(opn_model_split(ctx, model, graph, &split), OPN_OK);
    assert_int_equal(opn_split_n_known(split), 3);
    opn_split_free(split);
    opn_prediction_free(said);
    opn_model_free(model);
    opn_graph_free(graph);
}

static void an_interrupted_prediction_writes_nothing(void **state)
{
    (void)state;
    opn_graph *graph = trial_groups(ctx);
    opn_model *model = trial_train(ctx, graph, "epochs=2 samples=5");
    int n_interrupted = 0;
    for (long at = 1;; at++) {
        listener heard = {.interrupt_at = at};
        opn_prediction *said = NULL;
        support_listen(ctx, &heard);
        const opn_status status = opn_model_predict(ctx, model, graph, NULL, 0, &said);
        assert_int_equal(opn_ctx_set_hooks(ctx, NULL), OPN_OK);
        if (status != OPN_OK) {
            assert_int_equal(status, OPN_ERR_INTERRUPTED);
            assert_null(said);
            n_interrupted++;
        }
        opn_prediction_free(said);
        if (status == OPN_OK)
            break;
    }
    assert_true(n_interrupted >= 5);
    opn_model_free(model);
    opn_graph_free(graph);
}

// ---- other graphs --------------------------------------------------------------------

static void nodes_never_seen_get_opinions(void **state)
{
    (void)state;
    opn_graph *graph = trial_draw(ctx, "nodes=80 classes=3 features=20 seed=1");
    opn_graph *less = trial_draw(ctx, "nodes=7 classes=3 features=20 seed=2");
    opn_graph *more = trial_draw(ctx, "nodes=300 classes=5 features=20 seed=3");
    for (int m = 0; m < N_MODELS - 1; m++) { // links know no other node
        char settings[64];
        snprintf(settings, sizeof(settings), "model=%s epochs=5 samples=3", model_at(m));
        opn_model *model = trial_train(ctx, graph, settings);
        opn_prediction *said = opinions_ask(ctx, model, less, NULL);
        opn_prediction *said_more = opinions_ask(ctx, model, more, NULL);
        opinions_expect_sound(model, said);
        opinions_expect_sound(model, said_more);
        opn_prediction_free(said);
        opn_prediction_free(said_more);
        opn_model_free(model);
    }
    opn_graph_free(graph);
    opn_graph_free(less);
    opn_graph_free(more);
}

static void another_number_of_features_is_refused_with_both_numbers(void **state)
{
    (void)state;
    opn_graph *graph = trial_draw(ctx, "nodes=80 classes=3 features=20 seed=1");
    opn_graph *other = trial_draw(ctx, "nodes=80 classes=3 features=21 seed=1");
    opn_model *model = trial_train(ctx, graph, "epochs=1");
    opn_prediction *said = NULL;
    assert_int_equal(opn_model_predict(ctx, model, other, NULL, 0, &said), OPN_ERR_SHAPE);
    support_expect_error(ctx, "20");
    support_expect_error(ctx, "21");
    assert_null(said);
    opn_prediction_free(said);
    opn_model_free(model);
    opn_graph_free(graph);
    opn_graph_free(other);
}

// A folder of data whose features have names.
static opn_graph *named_graph(const stage *s, const char *name, const char *table)
{
    char folder[SUPPORT_PATH];
    char path[SUPPORT_PATH];
    opn_graph *raw = NULL;
    opn_graph *graph = NULL;
    assert_int_equal(mkdir(support_path(folder, s->folder, name), 0777), 0);
    support_write_text(support_path(path, folder, "features.csv"), table);
    support_write_text(support_path(path, folder, "edges.csv"),
                       "from,to\na,b\nb,c\nc,d\nd,a\n");
    support_write_text(support_path(path, folder, "labels.csv"),
                       "node,label\na,x\nb,y\nc,x\nd,\n");
    assert_int_equal(opn_graph_load(ctx, folder, NULL, &raw), OPN_OK);
    assert_int_equal(opn_graph_prepare(ctx, raw, OPN_STEP_UNDIRECTED, &graph), OPN_OK);
    opn_graph_free(raw);
    return graph;
}

static void features_are_found_by_their_names(void **state)
{
    (void)state;
    stage *s = support_open_stage("unused");
    opn_graph *graph =
            named_graph(s, "one", "node,u,v,w\na,1,0,1\nb,0,2,1\nc,1,0,0\nd,0,1,4\n");
    opn_graph *mixed =
            named_graph(s, "two", "node,w,u,v\na,1,1,0\nb,1,0,2\nc,0,1,0\nd,4,0,1\n");
    opn_graph *fewer = named_graph(s, "three", "node,w,v\na,1,0\nb,1,2\nc,0,0\nd,4,1\n");
    opn_graph *alien =
            named_graph(s, "four", "node,u,v,z\na,1,0,1\nb,0,2,1\nc,1,0,0\nd,0,1,4\n");
    static const char *const normalise[] = {"row", "standard", "none"};
    for (int n = 0; n < 3; n++) {
        char settings[64];
        snprintf(settings, sizeof(settings), "epochs=5 normalise=%s", normalise[n]);
        opn_model *model = trial_train(ctx, graph, settings);
        opn_prediction *said = opinions_ask(ctx, model, graph, NULL);
        opn_prediction *said_mixed = opinions_ask(ctx, model, mixed, NULL);
        opn_prediction *said_fewer = opinions_ask(ctx, model, fewer, NULL);
        opn_prediction *said_alien = NULL;
        opinions_expect_same(said, said_mixed);
        opinions_expect_sound(model, said_fewer);
        assert_int_equal(opn_model_predict(ctx, model, alien, NULL, 0, &said_alien),
                         OPN_ERR_SHAPE);
        assert_null(said_alien);
        support_expect_error(ctx, "\"z\"");
        opn_prediction_free(said);
        opn_prediction_free(said_mixed);
        opn_prediction_free(said_fewer);
        opn_model_free(model);
    }
    opn_graph_free(graph);
    opn_graph_free(mixed);
    opn_graph_free(fewer);
    opn_graph_free(alien);
    support_close_stage(s);
}

// ---- odd data ------------------------------------------------------------------------

static void every_model_copes_with(const opn_graph *graph, const char *more)
{
    for (int m = 0; m < N_MODELS; m++) {
        char settings[128];
        snprintf(settings, sizeof(settings), "model=%s epochs=6 samples=3 %s",
                 model_at(m), more);
        expect_sound_model(graph, settings);
    }
}

static void a_graph_without_edges_is_learnt_from_its_features(void **state)
{
    (void)state;
    opn_graph *graph =
            trial_groups_of(ctx, 0, TRIAL_FEATURES, trial_features, trial_labels);
    every_model_copes_with(graph, "");
    opn_graph_free(graph);
}

static void a_single_column_of_features_is_enough(void **state)
{
    (void)state;
    const float column[TRIAL_NODES] = {1, 2, 1, 2, 9, 8, 9, 8, 5};
    opn_graph *graph = trial_groups_of(ctx, TRIAL_EDGES, 1, column, trial_labels);
    every_model_copes_with(graph, "");
    every_model_copes_with(graph, "normalise=standard");
    opn_graph_free(graph);
}

static void features_that_are_all_zero_still_give_opinions(void **state)
{
    (void)state;
    const float zeros[TRIAL_NODES * TRIAL_FEATURES] = {0};
    opn_graph *graph =
            trial_groups_of(ctx, TRIAL_EDGES, TRIAL_FEATURES, zeros, trial_labels);
    every_model_copes_with(graph, "");
    every_model_copes_with(graph, "normalise=standard");
    every_model_copes_with(graph, "normalise=none");
    opn_graph_free(graph);
}

static void negative_features_are_standardised(void **state)
{
    (void)state;
    float value[TRIAL_NODES * TRIAL_FEATURES];
    for (int j = 0; j < TRIAL_NODES * TRIAL_FEATURES; j++)
        value[j] = trial_features[j] - 0.5f;
    opn_graph *graph =
            trial_groups_of(ctx, TRIAL_EDGES, TRIAL_FEATURES, value, trial_labels);
    opn_model *model = trial_train(ctx, graph, "epochs=3 samples=3");
    opn_model *standard =
            trial_train(ctx, graph, "epochs=3 samples=3 normalise=standard");
    opn_prediction *said = opinions_ask(ctx, model, graph, NULL);
    opn_prediction *said_standard = opinions_ask(ctx, standard, graph, NULL);
    opinions_expect_same(said, said_standard);
    every_model_copes_with(graph, "normalise=row");
    opn_prediction_free(said);
    opn_prediction_free(said_standard);
    opn_model_free(model);
    opn_model_free(standard);
    opn_graph_free(graph);
}

static void a_class_without_a_training_node_is_warned_about(void **state)
{
    (void)state;
    opn_graph *graph = trial_groups(ctx);
    assert_int_equal(opn_graph_set_labels(ctx, graph, 4, trial_labels), OPN_OK);
    listener heard = {0};
    support_listen(ctx, &heard);
    opn_model *model = trial_train(ctx, graph, "epochs=3");
    assert_int_equal(opn_ctx_set_hooks(ctx, NULL), OPN_OK);
    assert_int_equal(heard.n_messages[OPN_LOG_WARNING], 2);
    assert_non_null(strstr(heard.log, "class 2 has no training node"));
    assert_non_null(strstr(heard.log, "class 3 has no training node"));
    opn_prediction *said = opinions_ask(ctx, model, graph, NULL);
    opinions_expect_sound(model, said);
    opn_prediction_free(said);
    opn_model_free(model);
    every_model_copes_with(graph, "");
    opn_graph_free(graph);
}

static void three_hundred_classes_are_learnt(void **state)
{
    (void)state;
    opn_graph *graph = trial_draw(ctx, "nodes=900 classes=300 features=50");
    for (int m = 0; m < N_MODELS; m += m < 8 ? 8 : 1) { // gcn and from s-bgcn-t-k on
        char settings[64];
        snprintf(settings, sizeof(settings), "model=%s epochs=3 samples=2", model_at(m));
        expect_sound_model(graph, settings);
    }
    opn_graph_free(graph);
}

static void no_epochs_give_the_untrained_model(void **state)
{
    (void)state;
    opn_graph *graph = trial_groups(ctx);
    for (int m = 0; m < N_MODELS; m++) {
        char settings[64];
        opn_train_summary summary;
        snprintf(settings, sizeof(settings), "model=%s epochs=0 patience=%d", model_at(m),
                 m % 2);
        opn_model *model = trial_train(ctx, graph, settings);
        opn_prediction *said = opinions_ask(ctx, model, graph, NULL);
        opn_model_summary(model, &summary);
        assert_int_equal(summary.epochs, 0);
        opinions_expect_sound(model, said);
        opn_prediction_free(said);
        opn_model_free(model);
    }
    opn_graph_free(graph);
}

static void without_validation_nodes_there_is_no_accuracy(void **state)
{
    (void)state;
    const int32_t few[TRIAL_NODES] = {0, -1, -1, -1, -1, -1, -1, 1, -1};
    opn_graph *graph =
            trial_groups_of(ctx, TRIAL_EDGES, TRIAL_FEATURES, trial_features, few);
    opn_train_summary summary;
    opn_model *model = trial_train(ctx, graph, "epochs=5 patience=2");
    opn_model_summary(model, &summary);
    assert_int_equal(summary.n_train, 2);
    assert_int_equal(summary.n_validation, 0);
    assert_int_equal(summary.epochs, 5);
    assert_true(isnan(summary.validation_accuracy));
    opn_model_free(model);
    opn_graph_free(graph);
}

static void patience_stops_early_and_takes_the_best(void **state)
{
    (void)state;
    opn_graph *graph =
            trial_draw(ctx, "nodes=200 classes=3 features=40 homophily=0.4 seed=5");
    opn_train_summary summary;
    opn_model *model =
            trial_train(ctx, graph, "model=gcn epochs=5000 patience=4 learning_rate=0.2");
    opn_model_summary(model, &summary);
    assert_true(summary.epochs < 5000);
    assert_true(summary.epochs > 5); // it learns at first
    opn_model_free(model);
    opn_graph_free(graph);
}

// ---- refusals ------------------------------------------------------------------------

static void features_beyond_all_bounds_stop_training_by_epoch(void **state)
{
    (void)state;
    float value[TRIAL_NODES * TRIAL_FEATURES];
    for (int j = 0; j < TRIAL_NODES * TRIAL_FEATURES; j++)
        value[j] = 3e38f * trial_features[j];
    opn_graph *graph =
            trial_groups_of(ctx, TRIAL_EDGES, TRIAL_FEATURES, value, trial_labels);
    if (sizeof(opn_real) == sizeof(float))
        for (int m = 0; m < N_MODELS; m++) {
            char settings[64];
            snprintf(settings, sizeof(settings), "model=%s epochs=9 normalise=none",
                     model_at(m));
            expect_no_model(graph, settings, OPN_ERR_NONFINITE);
            support_expect_error(ctx, "epoch ");
            support_expect_error(ctx, "not finite");
        }
    opn_graph_free(graph);
}

static void the_wildest_learning_rate_gives_a_model_or_an_epoch(void **state)
{
    (void)state;
    opn_graph *graph = trial_groups(ctx);
    for (int m = 0; m < N_MODELS; m++) {
        char settings[128];
        opn_model *model = NULL;
        snprintf(settings, sizeof(settings),
                 "model=%s epochs=100 learning_rate=1e6 weight_decay=1e6", model_at(m));
        const opn_status status = trial_try_train(ctx, graph, settings, NULL, &model);
        if (status != OPN_OK) {
            assert_int_equal(status, OPN_ERR_NONFINITE);
            support_expect_error(ctx, "epoch ");
            support_expect_error(ctx, "learning rate");
        }
        opn_model_free(model);
    }
    opn_graph_free(graph);
}

static void a_graph_without_features_is_learnt_from_its_edges(void **state)
{
    (void)state;
    opn_graph *graph = trial_groups(ctx);
    assert_int_equal(opn_graph_set_features(ctx, graph, 0, NULL), OPN_OK);
    every_model_copes_with(graph, "");
    every_model_copes_with(graph, "normalise=standard");
    opn_model *model = trial_train(ctx, graph, "model=gcn epochs=50");
    opn_prediction *said = opinions_ask(ctx, model, graph, NULL);
    for (int i = 0; i < 8; i++) // the two groups, labelled or not
        assert_int_equal(said->predicted[i], i / 4);
    opn_prediction_free(said);
    opn_model_free(model);
    opn_graph_free(graph);
}

static void data_that_cannot_be_learnt_are_refused(void **state)
{
    (void)state;
    const int32_t one_class[TRIAL_NODES] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    opn_graph *graph = trial_groups(ctx);
    assert_int_equal(opn_graph_set_labels(ctx, graph, 1, one_class), OPN_OK);
    expect_no_model(graph, "", OPN_ERR_SHAPE);
    support_expect_error(ctx, "one class");
    assert_int_equal(opn_graph_set_labels(ctx, graph, 4097, trial_labels), OPN_OK);
    expect_no_model(graph, "", OPN_ERR_SHAPE);
    support_expect_error(ctx, "4096");
    opn_graph_free(graph);
}

static void a_directed_graph_is_refused_with_the_remedy(void **state)
{
    (void)state;
    stage *s = support_open_stage("graph.npz");
    opn_graph *graph = trial_groups(ctx);
    opn_graph *raw = NULL;
    opn_model *model = trial_train(ctx, graph, "epochs=1");
    opn_prediction *said = NULL;
    assert_int_equal(opn_graph_save(ctx, graph, s->path), OPN_OK);
    assert_int_equal(opn_graph_load(ctx, s->path, NULL, &raw), OPN_OK);
    expect_no_model(raw, "", OPN_ERR_SHAPE);
    support_expect_error(ctx, "directed");
    support_expect_error(ctx, "OPN_STEP_UNDIRECTED");
    assert_int_equal(opn_model_predict(ctx, model, raw, NULL, 0, &said), OPN_ERR_SHAPE);
    support_expect_error(ctx, "directed");
    opn_prediction_free(said);
    opn_model_free(model);
    opn_graph_free(raw);
    opn_graph_free(graph);
    support_close_stage(s);
}

static void evidence_that_does_not_fit_the_model_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *settings, *part;
    } bad[] = {{"model=s-bgcn-t evidence=elu", "`evidence` elu"},
               {"model=s-bgcn-t-k evidence=elu", "`evidence` elu"},
               {"model=dpn-gcn evidence=relu", "exp only"},
               {"model=dpn-gcn evidence=softplus", "exp only"},
               {"model=dpn-gcn evidence=elu", "exp only"},
               {"model=gcn evidence=relu", "evidence"},
               {"model=drop-gcn evidence=softplus", "evidence"},
               {"model=dropedge-gcn evidence=exp", "evidence"}};
    opn_graph *graph = trial_groups(ctx);
    for (size_t b = 0; b < sizeof(bad) / sizeof(bad[0]); b++) {
        expect_no_model(graph, bad[b].settings, OPN_ERR_INVALID_ARG);
        support_expect_error(ctx, bad[b].part);
    }
    opn_graph_free(graph);
}

static void heads_that_cannot_share_the_hidden_units_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"model=gat hidden=10",
                                      "model=s-bgat-t-k hidden=10 heads=3",
                                      "model=gat hidden=10 heads=8 out_heads=8"};
    opn_graph *graph = trial_groups(ctx);
    for (size_t b = 0; b < sizeof(bad) / sizeof(bad[0]); b++) {
        expect_no_model(graph, bad[b], OPN_ERR_INVALID_ARG);
        support_expect_error(ctx, "`hidden` 10");
        support_expect_error(ctx, "heads");
    }
    expect_sound_model(graph, "model=s-bsage hidden=10 heads=8 epochs=2 samples=2");
    opn_graph_free(graph);
}

static void what_does_not_fit_together_is_refused_without_a_graph(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        int several;
        const char *part; // of the message; NULL if all is well
    } cases[] = {{"model=gcn", false, NULL},
                 {"model=gcn,gat", true, NULL},
                 {"model=gcn,gat", false, "`model` gcn,gat: only one"},
                 {"model=gcn,s-gcn,gcn", true, "`model` names gcn twice"},
                 {"model=gat", false, NULL}, // presets set `hidden`
                 {"model=gat heads=3", false, "`hidden` 64: gat has 3 heads"},
                 {"model=gat hidden=10", false, "`hidden` 10: gat has 8 heads"},
                 {"model=gcn,gat hidden=10", true, "`hidden` 10: gat has 8 heads"},
                 {"model=gcn hidden=10 heads=3", false, NULL},
                 {"model=gcn evidence=relu", false, "`evidence` relu"},
                 {"evidence=relu", false, NULL},
                 {"evidence=elu", false, "`evidence` elu needs a named model"},
                 {"model=auto evidence=elu", false, "`evidence` elu needs a named model"},
                 {"model=s-bgcn-t evidence=elu", false, "teacher of s-bgcn-t"},
                 {"model=s-bgcn evidence=elu", false, NULL}};
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        opn_params *params = trial_params(ctx, cases[c].settings);
        assert_int_equal(opn_params_check_models(ctx, params, cases[c].several),
                         cases[c].part == NULL ? OPN_OK : OPN_ERR_INVALID_ARG);
        if (cases[c].part != NULL)
            support_expect_error(ctx, cases[c].part);
        opn_params_free(params);
    }
}

static void a_split_of_another_graph_is_refused(void **state)
{
    (void)state;
    opn_graph *graph = trial_groups(ctx);
    opn_graph *other = trial_draw(ctx, "nodes=40 classes=2 features=3");
    opn_params *params = trial_params(ctx, "epochs=1");
    opn_split *split = NULL;
    opn_model *model = NULL;
    assert_int_equal(opn_split_from_params(ctx, other, params, &split), OPN_OK);
    assert_int_equal(opn_model_train(ctx, graph, split, params, NULL, &model),
                     OPN_ERR_SHAPE);
    assert_null(model);
    opn_split_free(split);
    opn_params_free(params);
    opn_graph_free(graph);
    opn_graph_free(other);
}

// ---- memory --------------------------------------------------------------------------

typedef struct round_trip {
    const opn_graph *graph;
    const opn_split *split;
    const opn_params *params;
    const char *path;
} round_trip;

// Trains, saves, loads and predicts on its own context; *n_done tells how far it came.
static opn_status run_round_trip(opn_ctx *own, const round_trip *trip, int *n_done)
{
    opn_model *model = NULL;
    opn_model *loaded = NULL;
    opn_prediction *said = NULL;
    *n_done = 0;
    opn_status status =
            opn_model_train(own, trip->graph, trip->split, trip->params, NULL, &model);
    assert_int_equal(status == OPN_OK, model != NULL);
    if (status == OPN_OK && ++*n_done)
        status = opn_model_save(own, model, trip->path);
    if (status == OPN_OK && ++*n_done) {
        status = opn_model_load(own, trip->path, &loaded);
        assert_int_equal(status == OPN_OK, loaded != NULL);
    }
    if (status == OPN_OK && ++*n_done) {
        status = opn_model_predict(own, loaded, trip->graph, NULL, 0, &said);
        if (status != OPN_OK)
            assert_null(said);
    }
    opn_prediction_free(said);
    opn_model_free(loaded);
    opn_model_free(model);
    return status;
}

static void expect_every_allocation_to_be_reported(const char *settings)
{
    stage *s = support_open_stage("m.safetensors");
    opn_graph *graph = trial_groups(ctx);
    opn_params *params = trial_params(ctx, settings);
    opn_split *split = NULL;
    assert_int_equal(opn_split_from_params(ctx, graph, params, &split), OPN_OK);
    const round_trip trip = {graph, split, params, s->path};
    int n_refused[5] = {0};
    for (long fail_at = 1;; fail_at++) {
        meter m = {0};
        int n_done = 0;
        opn_ctx *own = support_ctx(&m);
        m.n_requests = 0;
        m.fail_at = fail_at;
        const opn_status status = run_round_trip(own, &trip, &n_done);
        support_ctx_free(own, &m);
        if (status == OPN_OK)
            break;
        assert_int_equal(status, OPN_ERR_NOMEM);
        n_refused[n_done]++;
    }
    for (int n = 0; n < 4; n++)
        assert_true(n_refused[n] > 3); // training, saving, loading, predicting
    opn_split_free(split);
    opn_params_free(params);
    opn_graph_free(graph);
    support_close_stage(s);
}

static void every_allocation_failure_is_reported_and_nothing_leaks(void **state)
{
    (void)state;
    expect_every_allocation_to_be_reported(
            "epochs=1 hidden=2 samples=2 normalise=standard model=s-bgcn-t-k");
    expect_every_allocation_to_be_reported(
            "epochs=1 hidden=2 samples=2 model=dropedge-gcn");
    expect_every_allocation_to_be_reported(
            "epochs=1 hidden=2 heads=2 samples=2 model=s-bgat-t-k");
    expect_every_allocation_to_be_reported(
            "epochs=1 hidden=2 samples=2 patience=1 model=s-bsage-t-k");
    expect_every_allocation_to_be_reported(
            "epochs=1 hidden=2 samples=2 normalise=standard model=s-blinks-t-k");
}

static void a_model_outlives_its_context(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *plain = ctx;
    opn_ctx *own = support_ctx(&m);
    ctx = own;
    opn_graph *graph = trial_groups(ctx);
    opn_model *model = trial_train(ctx, graph, "epochs=1");
    ctx = plain;
    opn_ctx_free(own);
    opn_prediction *said = opinions_ask(ctx, model, graph, NULL);
    opn_prediction_free(said);
    opn_model_free(model);
    opn_graph_free(graph);
    assert_int_equal(m.n_live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(threads_do_not_change_a_bit_of_any_model),
            WITH_CTX(threads_do_not_change_a_bit_on_a_wide_graph),
            WITH_CTX(seeds_give_models_of_their_own),
            WITH_CTX(dropedge_gcn_is_drop_gcn_but_for_the_edges),
            WITH_CTX(dropedge_gcn_drops_edges_in_training_too),
            WITH_CTX(reference_kernels_learn_as_well),
            WITH_CTX(every_measure_is_said_or_not_as_designed),
            WITH_CTX(opinions_of_every_model_keep_their_bounds),
            WITH_CTX(opinions_of_every_evidence_keep_their_bounds),
            WITH_CTX(one_sample_leaves_nothing_to_the_model_s_doubt),
            WITH_CTX(samples_and_average_of_training_hold_unless_told),
            WITH_CTX(arrays_nobody_asked_for_are_not_there),
            WITH_CTX(an_array_of_another_version_is_refused),
            WITH_CTX(held_out_classes_are_not_predicted),
            WITH_CTX(an_interrupted_prediction_writes_nothing),
            WITH_CTX(nodes_never_seen_get_opinions),
            WITH_CTX(another_number_of_features_is_refused_with_both_numbers),
            WITH_CTX(features_are_found_by_their_names),
            WITH_CTX(a_graph_without_edges_is_learnt_from_its_features),
            WITH_CTX(a_single_column_of_features_is_enough),
            WITH_CTX(features_that_are_all_zero_still_give_opinions),
            WITH_CTX(negative_features_are_standardised),
            WITH_CTX(a_class_without_a_training_node_is_warned_about),
            WITH_CTX(three_hundred_classes_are_learnt),
            WITH_CTX(no_epochs_give_the_untrained_model),
            WITH_CTX(without_validation_nodes_there_is_no_accuracy),
            WITH_CTX(patience_stops_early_and_takes_the_best),
            WITH_CTX(features_beyond_all_bounds_stop_training_by_epoch),
            WITH_CTX(the_wildest_learning_rate_gives_a_model_or_an_epoch),
            WITH_CTX(a_graph_without_features_is_learnt_from_its_edges),
            WITH_CTX(data_that_cannot_be_learnt_are_refused),
            WITH_CTX(a_directed_graph_is_refused_with_the_remedy),
            WITH_CTX(evidence_that_does_not_fit_the_model_is_refused),
            WITH_CTX(heads_that_cannot_share_the_hidden_units_are_refused),
            WITH_CTX(what_does_not_fit_together_is_refused_without_a_graph),
            WITH_CTX(a_split_of_another_graph_is_refused),
            WITH_CTX(every_allocation_failure_is_reported_and_nothing_leaks),
            WITH_CTX(a_model_outlives_its_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
