// model_test.c -- models as someone who embeds the library meets them: trained, saved,
// loaded, and asked about their own graph and others.

#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static opn_ctx *ctx;

// ---- what a model says ---------------------------------------------------------------

static void every_measure_is_said_or_not_as_designed(void **state)
{
    (void)state;
    // vacuity, dissonance, aleatoric, epistemic, entropy, fused, margin
    static const char *const measures[TRIAL_N_MODELS] = {"....x..", "..xxx..", "..xxx..",
                                                         "xx..x..", "..xxx..", "xx..x..",
                                                         "xxxxx..", "xxxxxxx", "xxxxxxx"};
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
    for (int m = 0; m < TRIAL_N_ALL_MODELS; m++)
        for (size_t s = 0; s < sizeof(more) / sizeof(more[0]); s++) {
            char settings[128];
            snprintf(settings, sizeof(settings), "epochs=20 samples=5 model=%s %s",
                     trial_models[m], more[s]);
            trial_expect_sound(ctx, graph, settings);
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
        trial_expect_sound(ctx, graph, all);
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
    for (int m = 0; m < TRIAL_N_ALL_MODELS - 1; m++) { // links know no other node
        char settings[64];
        snprintf(settings, sizeof(settings), "model=%s epochs=5 samples=3",
                 trial_models[m]);
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

// ---- memory --------------------------------------------------------------------------

typedef struct round_trip {
    const opn_graph *graph;
    const opn_split *split;
    const opn_params *params;
    const char *path;
} round_trip;

// Trains, saves, loads and predicts on its own context; *n_done says how far it got.
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
            WITH_CTX(every_allocation_failure_is_reported_and_nothing_leaks),
            WITH_CTX(a_model_outlives_its_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
