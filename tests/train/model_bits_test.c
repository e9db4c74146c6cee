// model_bits_test.c -- what changes the bits of a model and what must not: threads,
// seeds, dropped edges, kernels.

#include "math/real.h"
#include "model/model_data.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static opn_ctx *ctx;

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
    for (int m = 0; m < TRIAL_N_ALL_MODELS; m++) {
        char settings[128];
        snprintf(settings, sizeof(settings), "model=%s epochs=2 samples=1 seed=%d",
                 trial_models[m], m);
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
    for (int m = 2; m < TRIAL_N_ALL_MODELS; m += 3) {
        char settings[128];
        snprintf(settings, sizeof(settings),
                 "model=%s epochs=2 samples=2 hidden=33 normalise=standard dropout=0.3",
                 trial_models[m]);
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

static void threads_do_not_change_a_bit_of_unlabelled_terms(void **state)
{
    (void)state;
    static const char *const terms[] = {"vat", "mean-teacher mean_teacher_noise=0.1",
                                        "pseudo-label pseudo_label_threshold=0.2"};
    opn_graph *graph =
            trial_draw(ctx, "nodes=400 classes=3 features=40 mean_degree=30 seed=3");
    opn_graph *demo =
            NULL; // which has nodes that are for neither training nor validation
    assert_int_equal(opn_graph_load(ctx, "demo", NULL, &demo), OPN_OK);
    for (size_t t = 0; t < sizeof(terms) / sizeof(terms[0]); t++) {
        char settings[160];
        snprintf(settings, sizeof(settings),
                 "model=s-bgcn-t-k epochs=3 samples=1 hidden=33 unlabelled=%s", terms[t]);
        expect_same_bits_on_any_threads(graph, settings);
        snprintf(settings, sizeof(settings),
                 "model=drop-mlp epochs=3 samples=1 batch=50 unlabelled=%s", terms[t]);
        expect_same_bits_on_any_threads(demo, settings);
    }
    opn_graph_free(demo);
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
    // Masks of training are drawn for other elements: drop-gcn trains on a subgraph.
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
    assert_memory_not_equal(model[0]->member[0].student, model[1]->member[0].student,
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

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(threads_do_not_change_a_bit_of_any_model),
            WITH_CTX(threads_do_not_change_a_bit_on_a_wide_graph),
            WITH_CTX(threads_do_not_change_a_bit_of_unlabelled_terms),
            WITH_CTX(seeds_give_models_of_their_own),
            WITH_CTX(dropedge_gcn_is_drop_gcn_but_for_the_edges),
            WITH_CTX(dropedge_gcn_drops_edges_in_training_too),
            WITH_CTX(reference_kernels_learn_as_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
