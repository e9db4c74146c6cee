// suspects_test.c -- labels that models which did not see them contradict.

#include "graph/graph_data.h"
#include "graph/narrow.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;
static char folder[SUPPORT_PATH];

#define DRAWN                                                                        \
    "nodes=300 classes=3 features=30 homophily=0.9 mean_degree=8 topic_overlap=0.3 " \
    "seed=5"
#define TRAINED "model=s-bgcn-t-k epochs=200 samples=4 hidden=8 seed=2"
enum { N_NODES = 300, N_CLASSES = 3, EVERY = 20, N_FLIPPED = N_NODES / EVERY };

// A drawn graph in which every twentieth label is another class than the true one.
static opn_graph *draw_flipped(void)
{
    opn_graph *graph = trial_draw(ctx, DRAWN);
    int32_t label[N_NODES];
    for (int i = 0; i < N_NODES; i++)
        label[i] = (graph->label[i] + (i % EVERY == 0)) % N_CLASSES;
    assert_int_equal(opn_graph_set_labels(ctx, graph, N_CLASSES, label), OPN_OK);
    return graph;
}

static opn_suspects *find(opn_ctx *with, const opn_model *model, const opn_graph *graph)
{
    opn_suspects *found = NULL;
    if (opn_suspects_find(with, model, graph, &found) != OPN_OK)
        fail_msg("%s", opn_ctx_error(with));
    return found;
}

// ---- parts ---------------------------------------------------------------------------

static void each_label_of_a_known_class_tests_once_and_never_trains_then(void **state)
{
    (void)state;
    enum { N_PARTS = 5 };
    opn_graph *graph = trial_draw(ctx, DRAWN);
    opn_split *split = NULL;
    const int32_t ood = 1;
    int n_tests[N_NODES] = {0};
    graph->label[7] = -1;
    assert_int_equal(opn_split_create(ctx, graph, OPN_SPLIT_OWN, 1, &ood, 1, &split),
                     OPN_OK);
    for (int part = 0; part < N_PARTS; part++) {
        opn_split *turn = NULL;
        int32_t n[OPN_N_ROLES] = {0};
        assert_int_equal(opn_i_split_turn(ctx, graph, split, OPN_TURNS_TEST, 3, N_PARTS,
                                          part, &turn),
                         OPN_OK);
        for (int i = 0; i < N_NODES; i++) {
            const uint8_t role = opn_split_roles(turn)[i];
            const bool is_known = graph->label[i] >= 0 && graph->label[i] != ood;
            n[role]++;
            n_tests[i] += role == OPN_ROLE_TEST;
            assert_true(is_known ==
                        (role == OPN_ROLE_TRAIN || role == OPN_ROLE_VALIDATION ||
                         role == OPN_ROLE_TEST));
        }
        for (int r = 0; r < OPN_N_ROLES; r++)
            assert_int_equal(n[r], opn_split_count(turn, (opn_role)r));
        assert_true(n[OPN_ROLE_TRAIN] > 2 * n[OPN_ROLE_TEST]);
        assert_true(n[OPN_ROLE_VALIDATION] > 0);
        opn_split_free(turn);
    }
    for (int i = 0; i < N_NODES; i++)
        assert_int_equal(n_tests[i], graph->label[i] >= 0 && graph->label[i] != ood);
    opn_split_free(split);
    opn_graph_free(graph);
}

// ---- what is found -------------------------------------------------------------------

static void labels_that_were_changed_come_first(void **state)
{
    (void)state;
    opn_graph *graph = draw_flipped();
    opn_model *model = trial_train(ctx, graph, TRAINED);
    opn_suspects *found = find(ctx, model, graph);
    int n_right = 0;
    int n_restored = 0;
    assert_int_equal(found->n_judged, N_NODES);
    assert_true(found->n >= N_FLIPPED && found->n < N_NODES / 2);
    for (int s = 0; s < N_FLIPPED; s++) {
        const opn_suspect *one = &found->suspect[s];
        const bool is_flipped = one->node % EVERY == 0;
        n_right += is_flipped;
        n_restored += is_flipped && (one->expected + 1) % N_CLASSES == one->label;
    }
    assert_true(n_right >= N_FLIPPED * 6 / 10);
    assert_true(n_restored >= n_right - 1);
    opn_suspects_free(found);
    opn_model_free(model);
    opn_graph_free(graph);
}

static void suspects_are_contradicted_and_sorted(void **state)
{
    (void)state;
    opn_graph *graph = draw_flipped();
    opn_model *model = trial_train(ctx, graph, TRAINED);
    opn_suspects *found = find(ctx, model, graph);
    double last = 1.0;
    for (int s = 0; s < found->n; s++) {
        const opn_suspect *one = &found->suspect[s];
        assert_int_equal(one->label, graph->label[one->node]);
        assert_int_not_equal(one->label, one->expected);
        assert_true(one->p_expected >= one->p_label && one->p_label >= 0.0);
        assert_true(one->p_expected - one->p_label <= last);
        assert_true(one->vacuity > 0.0f && one->vacuity <= 1.0f);
        last = one->p_expected - one->p_label;
    }
    opn_suspects_free(found);
    opn_model_free(model);
    opn_graph_free(graph);
}

static void held_out_classes_are_named_as_in_the_graph_and_not_judged(void **state)
{
    (void)state;
    opn_graph *graph = draw_flipped();
    opn_model *model = trial_train(ctx, graph,
                                   "model=s-gcn epochs=30 hidden=8 "
                                   "task=ood ood_classes=0");
    opn_suspects *found = find(ctx, model, graph);
    assert_true(found->n > 0 && found->n_judged < N_NODES);
    for (int s = 0; s < found->n; s++) {
        assert_true(found->suspect[s].label > 0 && found->suspect[s].expected > 0);
        assert_int_not_equal(found->suspect[s].label, found->suspect[s].expected);
    }
    opn_suspects_free(found);
    opn_model_free(model);
    opn_graph_free(graph);
}

static void threads_do_not_matter_to_suspects(void **state)
{
    (void)state;
    opn_graph *graph = draw_flipped();
    opn_model *model = trial_train(ctx, graph, TRAINED " members=2");
    opn_suspects *found[2] = {NULL, NULL};
    for (int t = 0; t < 2; t++) {
        assert_int_equal(opn_ctx_set_threads(ctx, 1 + 3 * t), OPN_OK);
        found[t] = find(ctx, model, graph);
    }
    assert_int_equal(found[0]->n, found[1]->n);
    for (int s = 0; s < found[0]->n; s++) {
        const opn_suspect *a = &found[0]->suspect[s];
        const opn_suspect *b = &found[1]->suspect[s];
        assert_int_equal(a->node, b->node);
        assert_int_equal(a->expected, b->expected);
        assert_true(a->p_label == b->p_label && a->p_expected == b->p_expected);
    }
    for (int t = 0; t < 2; t++)
        opn_suspects_free(found[t]);
    opn_model_free(model);
    opn_graph_free(graph);
}

// ---- refusals ------------------------------------------------------------------------

static void another_graph_and_too_few_labels_are_refused(void **state)
{
    (void)state;
    opn_graph *graph = trial_draw(ctx, DRAWN);
    opn_graph *other = trial_draw(ctx, "nodes=200 classes=3 features=30 seed=6");
    opn_graph *few = trial_groups(ctx);
    opn_model *model = trial_train(ctx, graph, "model=gcn epochs=2");
    opn_model *of_few = trial_train(ctx, few, "model=gcn epochs=2");
    opn_suspects *found = NULL;
    assert_int_equal(opn_suspects_find(ctx, model, other, &found), OPN_ERR_SHAPE);
    support_expect_error(ctx, "is not the graph that the model was trained on");
    assert_int_equal(opn_suspects_find(ctx, of_few, few, &found), OPN_ERR_SHAPE);
    support_expect_error(ctx, "has 6 labelled nodes of known classes");
    assert_null(found);
    opn_model_free(of_few);
    opn_model_free(model);
    opn_graph_free(few);
    opn_graph_free(other);
    opn_graph_free(graph);
}

// ---- files ---------------------------------------------------------------------------

static void suspects_are_written_as_tables_and_lists(void **state)
{
    (void)state;
    opn_ctx *own = support_ctx(NULL);
    opn_graph *graph = trial_groups(own);
    const char *const names[] = {"a,b", "c"};
    const opn_suspect suspect[] = {{0, 0, 1, 0.25, 0.75, 0.5f}, {4, 1, 0, 0.0, 1.0, NAN}};
    const opn_suspects all = {.n_judged = 6, .n = 2, .suspect = suspect};
    static const char table[] = "node,label,expected,p_label,p_expected,vacuity\n"
                                "0,\"a,b\",c,0.25,0.75,0.5\n"
                                "4,c,\"a,b\",0,1,\n";
    char path[SUPPORT_PATH];
    assert_int_equal(opn_graph_set_class_names(own, graph, names), OPN_OK);
    support_path(path, folder, "s.csv");
    assert_int_equal(opn_suspects_save(own, graph, &all, path), OPN_OK);
    support_expect_file(path, table, strlen(table));
    support_path(path, folder, "s.json");
    assert_int_equal(opn_suspects_save(own, graph, &all, path), OPN_OK);
    char *text = support_read_file(path, NULL);
    assert_non_null(strstr(text, "\"expected\": \"a,b\""));
    assert_non_null(strstr(text, "\"vacuity\": null"));
    free(text);
    support_path(path, folder, "none/s.csv");
    assert_int_equal(opn_suspects_save(own, graph, &all, path), OPN_ERR_WRITE);
    opn_graph_free(graph);
    support_ctx_free(own, NULL);
}

static opn_status find_in_small_graph(opn_ctx *own)
{
    opn_graph *graph = NULL;
    opn_split *split = NULL;
    opn_model *model = NULL;
    opn_suspects *found = NULL;
    opn_params *params = NULL;
    static const char *const settings[][2] = {{"nodes", "24"},   {"classes", "2"},
                                              {"features", "5"}, {"epochs", "1"},
                                              {"model", "gcn"},  {"hidden", "2"}};
    opn_status status = opn_params_create(own, &params);
    for (size_t s = 0; status == OPN_OK && s < sizeof(settings) / sizeof(settings[0]);
         s++)
        status = opn_params_set(own, params, settings[s][0], settings[s][1]);
    if (status == OPN_OK)
        status = opn_graph_generate(own, params, &graph);
    if (status == OPN_OK)
        status = opn_split_from_params(own, graph, params, &split);
    if (status == OPN_OK)
        status = opn_model_train(own, graph, split, params, NULL, &model);
    if (status == OPN_OK)
        status = opn_suspects_find(own, model, graph, &found);
    opn_suspects_free(found);
    opn_model_free(model);
    opn_split_free(split);
    opn_graph_free(graph);
    opn_params_free(params);
    return status;
}

static void every_failed_allocation_is_reported(void **state)
{
    (void)state;
    assert_true(support_fail_allocations(find_in_small_graph) > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(each_label_of_a_known_class_tests_once_and_never_trains_then),
            WITH_CTX(labels_that_were_changed_come_first),
            WITH_CTX(suspects_are_contradicted_and_sorted),
            WITH_CTX(held_out_classes_are_named_as_in_the_graph_and_not_judged),
            WITH_CTX(threads_do_not_matter_to_suspects),
            WITH_CTX(another_graph_and_too_few_labels_are_refused),
            WITH_FOLDER(suspects_are_written_as_tables_and_lists),
            cmocka_unit_test(every_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
