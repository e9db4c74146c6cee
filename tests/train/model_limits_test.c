// model_limits_test.c -- training at its limits: odd graphs, extreme numbers, and what is
// refused.

#include "math/real.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static opn_ctx *ctx;

// ---- odd data ------------------------------------------------------------------------

static void every_model_copes_with(const opn_graph *graph, const char *more)
{
    for (int m = 0; m < TRIAL_N_ALL_MODELS; m++) {
        char settings[128];
        snprintf(settings, sizeof(settings), "model=%s epochs=6 samples=3 %s",
                 trial_models[m], more);
        trial_expect_sound(ctx, graph, settings);
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
    for (int m = 0; m < TRIAL_N_ALL_MODELS;
         m += m < 8 ? 8 : 1) { // gcn and from s-bgcn-t-k on
        char settings[64];
        snprintf(settings, sizeof(settings), "model=%s epochs=3 samples=2",
                 trial_models[m]);
        trial_expect_sound(ctx, graph, settings);
    }
    opn_graph_free(graph);
}

static void no_epochs_give_the_untrained_model(void **state)
{
    (void)state;
    opn_graph *graph = trial_groups(ctx);
    for (int m = 0; m < TRIAL_N_ALL_MODELS; m++) {
        char settings[64];
        opn_train_summary summary;
        snprintf(settings, sizeof(settings), "model=%s epochs=0 patience=%d",
                 trial_models[m], m % 2);
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

static void expect_no_model(const opn_graph *graph, const char *settings, opn_status want)
{
    opn_model *model = NULL;
    assert_int_equal(trial_try_train(ctx, graph, settings, NULL, &model), want);
    assert_null(model);
}

static void features_beyond_all_bounds_stop_training_by_epoch(void **state)
{
    (void)state;
    float value[TRIAL_NODES * TRIAL_FEATURES];
    for (int j = 0; j < TRIAL_NODES * TRIAL_FEATURES; j++)
        value[j] = 3e38f * trial_features[j];
    opn_graph *graph =
            trial_groups_of(ctx, TRIAL_EDGES, TRIAL_FEATURES, value, trial_labels);
    if (sizeof(opn_real) == sizeof(float))
        for (int m = 0; m < TRIAL_N_ALL_MODELS; m++) {
            char settings[64];
            snprintf(settings, sizeof(settings), "model=%s epochs=9 normalise=none",
                     trial_models[m]);
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
    for (int m = 0; m < TRIAL_N_ALL_MODELS; m++) {
        char settings[128];
        opn_model *model = NULL;
        snprintf(settings, sizeof(settings),
                 "model=%s epochs=100 learning_rate=1e6 weight_decay=1e6",
                 trial_models[m]);
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
    trial_expect_sound(ctx, graph, "model=s-bsage hidden=10 heads=8 epochs=2 samples=2");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(a_graph_without_edges_is_learnt_from_its_features),
            WITH_CTX(a_graph_without_features_is_learnt_from_its_edges),
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
            WITH_CTX(data_that_cannot_be_learnt_are_refused),
            WITH_CTX(a_directed_graph_is_refused_with_the_remedy),
            WITH_CTX(evidence_that_does_not_fit_the_model_is_refused),
            WITH_CTX(heads_that_cannot_share_the_hidden_units_are_refused),
            WITH_CTX(what_does_not_fit_together_is_refused_without_a_graph),
            WITH_CTX(a_split_of_another_graph_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
