// tune_test.c -- what a search looks at, what it does not depend on, and what it refuses.

#include "base/context.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"
#include "support/tuning_scene.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static opn_ctx *ctx;

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

// ---- what is looked at ---------------------------------------------------------------

static const char *const scenes[] = {
        "trials=7 seeds=3 epochs=12 samples=3",
        "trials=7 seeds=3 epochs=12 samples=3 task=ood",
        "trials=7 seeds=3 epochs=12 samples=3 task=ood ood_classes=1",
        "trials=6 seeds=2 epochs=60 patience=4 model=gcn",
        "trials=6 seeds=2 epochs=60 patience=4 model=s-gcn task=ood",
        "trials=6 seeds=2 epochs=8 model=s-bgcn samples=2 propagate=2 task=ood"};
enum { N_SCENES = sizeof(scenes) / sizeof(scenes[0]) };

// Nodes that neither train nor validate get random labels, or none.
static void labels_of_test_nodes_change_nothing(void **state)
{
    (void)state;
    uint8_t role[TUNING_NODES];
    int32_t label[TUNING_NODES];
    uint64_t random = 7;
    opn_graph *graph = tuning_graph(ctx);
    tuning_roles(role);
    memcpy(label, opn_graph_labels(graph), sizeof(label));
    int n_changed = 0;
    for (int i = 0; i < TUNING_NODES; i++) {
        if (role[i] == OPN_ROLE_TRAIN || role[i] == OPN_ROLE_VALIDATION)
            continue;
        label[i] = (int32_t)below(&random, TUNING_CLASSES + 1) - 1;
        n_changed += label[i] != opn_graph_labels(graph)[i];
    }
    assert_true(n_changed > 40);
    opn_graph *garbage = tuning_graph(ctx);
    assert_int_equal(opn_graph_set_labels(ctx, garbage, TUNING_CLASSES, label), OPN_OK);
    assert_int_equal(opn_graph_set_roles(ctx, garbage, role), OPN_OK);
    for (size_t n = 0; n < N_SCENES; n++) {
        opn_tuning *honest = tuning_run(ctx, graph, scenes[n]);
        opn_tuning *blind = tuning_run(ctx, garbage, scenes[n]);
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
    int32_t label[TUNING_NODES];
    opn_graph *graph = tuning_graph(ctx);
    opn_tuning *before = tuning_run(ctx, graph, scenes[0]);
    memcpy(label, opn_graph_labels(graph), sizeof(label));
    for (int i = 1; i < TUNING_NODES; i += 5)
        label[i] = (label[i] + 1) % TUNING_CLASSES;
    uint8_t role[TUNING_NODES];
    tuning_roles(role);
    assert_int_equal(opn_graph_set_labels(ctx, graph, TUNING_CLASSES, label), OPN_OK);
    assert_int_equal(opn_graph_set_roles(ctx, graph, role), OPN_OK);
    opn_tuning *after = tuning_run(ctx, graph, scenes[0]);
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
    opn_graph *graph = tuning_graph(own);
    for (size_t n = 0; n < N_SCENES; n++) {
        own->n_threads = 1;
        opn_tuning *alone = tuning_run(own, graph, scenes[n]);
        own->n_threads = 3;
        opn_tuning *together = tuning_run(own, graph, scenes[n]);
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
    opn_graph *graph = tuning_graph(ctx);
    opn_tuning *few = tuning_run(ctx, graph, "trials=2 seeds=2 epochs=9 model=s-gcn");
    opn_tuning *many = tuning_run(ctx, graph, "trials=9 seeds=2 epochs=9 model=s-gcn");
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
    uint8_t role[TUNING_NODES];
    opn_graph *graph = tuning_graph(ctx);
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

// No area is defined with the only class held out, and no accuracy either.
static void ood_is_not_tuned_on_validation_nodes_of_one_class(void **state)
{
    (void)state;
    uint8_t role[TUNING_NODES];
    opn_graph *graph = tuning_graph(ctx);
    for (int i = 0; i < TUNING_NODES; i++)
        role[i] = opn_graph_labels(graph)[i] == 2 && i % 2 == 0 ? OPN_ROLE_VALIDATION
                                                                : OPN_ROLE_TRAIN;
    assert_int_equal(opn_graph_set_roles(ctx, graph, role), OPN_OK);
    expect_refused(graph, "task=ood model=gcn epochs=2 trials=2 seeds=2", OPN_ERR_SHAPE,
                   "all validation nodes are of class 2");
    opn_graph_free(graph);
}

static void every_allocation_failure_is_reported(void **state)
{
    (void)state;
    opn_graph *graph = tuning_graph(ctx);
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
            WITH_CTX(labels_of_test_nodes_change_nothing),
            WITH_CTX(labels_of_validation_nodes_do_change_something),
            WITH_CTX(threads_do_not_matter),
            WITH_CTX(more_trials_are_more_of_the_same),
            WITH_CTX(what_cannot_be_tuned_is_refused),
            WITH_CTX(ood_is_not_tuned_on_validation_nodes_of_one_class),
            WITH_CTX(every_allocation_failure_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
