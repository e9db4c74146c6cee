// scores_array_test.c -- decisions from the arrays of another tool, as from its files.

#include "graph/graph_data.h"
#include "opine/opine.h"
#include "predict/prediction_data.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static opn_ctx *ctx;

enum { V = 90, K = 3 };

typedef struct scored {
    opn_graph *graph;
    opn_split *split;
    opn_prediction *said;
} scored;

static void let_go(scored *at)
{
    opn_graph_free(at->graph);
    opn_split_free(at->split);
    opn_prediction_free(at->said);
}

// Of three classes; every fifth node is given to the wrong one.
static void draw_scores(float x[V * K], int32_t label[V])
{
    for (int32_t i = 0; i < V; i++) {
        const int32_t top = (i + (i % 5 == 0)) % K;
        const float p = 0.5f + 0.4f * (float)i / V;
        label[i] = i % 4 == 3 ? -1 : i % K;
        for (int32_t k = 0; k < K; k++)
            x[i * K + k] = k == top ? p : (1.0f - p) / (K - 1);
    }
}

static opn_status try_create(const opn_scores *given, const char *settings, scored *out)
{
    opn_params *params = trial_params(ctx, settings);
    const opn_status status =
            opn_scores_create(ctx, given, params, &out->graph, &out->split, &out->said);
    opn_params_free(params);
    return status;
}

static opn_decisions *decide(const scored *at, const char *settings)
{
    opn_params *params = trial_params(ctx, settings);
    opn_decisions *made = NULL;
    if (opn_prediction_decide(ctx, NULL, at->graph, at->split, params, at->said, &made) !=
        OPN_OK)
        fail_msg("%s", opn_ctx_error(ctx));
    opn_params_free(params);
    return made;
}

static const char *const class_names[] = {"red", "green", "blue", "grey"};

static opn_scores scores_of(const float *x, const int32_t *label)
{
    return (opn_scores){.input = OPN_OPINION_PROBABILITY,
                        .n_samples = 1,
                        .n_nodes = V,
                        .n_classes = K,
                        .x = opn_f32(x),
                        .n_names = K,
                        .class_name = class_names,
                        .label = label};
}

static void write_scores(const char *path, const float *x, const int32_t *label)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "node,label,p_red,p_green,p_blue\n");
    for (int32_t i = 0; i < V; i++)
        fprintf(file, "%d,%s,%.9g,%.9g,%.9g\n", i,
                label[i] < 0 ? "" : class_names[label[i]], (double)x[K * i],
                (double)x[K * i + 1], (double)x[K * i + 2]);
    fclose(file);
}

static void arrays_are_decided_about_as_a_file_of_them_is(void **state)
{
    (void)state;
    static const char settings[] = "coverage=0.8 ood_fdr=0.3 target_accuracy=0.6";
    stage *s = support_open_stage("scores.csv");
    float x[V * K];
    int32_t label[V];
    scored from_file = {0}, from_array = {0};
    draw_scores(x, label);
    write_scores(s->path, x, label);
    const opn_scores given = scores_of(x, label);
    opn_params *params = trial_params(ctx, "seed=3");
    assert_int_equal(opn_scores_load(ctx, s->path, params, &from_file.graph,
                                     &from_file.split, &from_file.said),
                     OPN_OK);
    opn_params_free(params);
    assert_int_equal(try_create(&given, "seed=3", &from_array), OPN_OK);
    opn_decisions_free(decide(&from_file, settings));
    opn_decisions_free(decide(&from_array, settings));
    const opn_prediction *a = from_file.said, *b = from_array.said;
    assert_non_null(b->calibrated);
    assert_memory_equal(a->probability, b->probability, sizeof(x));
    assert_memory_equal(a->calibrated, b->calibrated, sizeof(x));
    assert_memory_equal(a->member, b->member, V * K);
    assert_memory_equal(a->decision, b->decision, V);
    assert_memory_equal(opn_graph_roles(from_file.graph),
                        opn_graph_roles(from_array.graph), V);
    let_go(&from_file);
    let_go(&from_array);
    support_close_stage(s);
}

static void labels_and_roles_of_a_graph_count_where_no_others_are_given(void **state)
{
    (void)state;
    float x[V * K];
    int32_t label[V];
    uint8_t role[V];
    opn_vid source[V - 1], target[V - 1];
    opn_graph *graph = NULL;
    scored at = {0};
    draw_scores(x, label);
    for (int32_t i = 0; i < V; i++) {
        role[i] = label[i] < 0 ? OPN_ROLE_UNLABELLED
                  : i % 2      ? OPN_ROLE_CALIBRATION
                               : OPN_ROLE_TEST;
        if (i > 0) {
            source[i - 1] = i - 1;
            target[i - 1] = i;
        }
    }
    assert_int_equal(opn_graph_create_edges(ctx, V, V - 1, source, target, NULL, &graph),
                     OPN_OK);
    assert_int_equal(opn_graph_set_labels(ctx, graph, K, label), OPN_OK);
    assert_int_equal(opn_graph_set_class_names(ctx, graph, class_names), OPN_OK);
    assert_int_equal(opn_graph_set_roles(ctx, graph, role), OPN_OK);
    opn_scores given = scores_of(x, NULL);
    given.graph = graph;
    assert_int_equal(try_create(&given, "set_score=daps coverage=0.8", &at), OPN_OK);
    assert_memory_equal(opn_graph_roles(at.graph), role, V);
    assert_memory_equal(opn_graph_labels(at.graph), label, sizeof(label));
    assert_int_equal(opn_graph_n_entries(at.graph), 2 * (V - 1));
    let_go(&at);
    opn_graph_free(graph);
}

static void samples_of_doubles_are_averaged(void **state)
{
    (void)state;
    static const double x[] = {0.9, 0.1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}; // [2,2,2]
    const int32_t label[] = {1, -1};
    const opn_scores given = {.input = OPN_OPINION_PROBABILITY,
                              .n_samples = 2,
                              .n_nodes = 2,
                              .n_classes = 2,
                              .x = opn_f64(x),
                              .label = label};
    char number[12];
    scored at = {0};
    assert_int_equal(try_create(&given, "calibrate=none", &at), OPN_OK);
    assert_float_equal(at.said->probability[0], 0.7, 1e-6);
    assert_true(at.said->measure[OPN_MEASURE_EPISTEMIC][0] > 0.05f);
    assert_string_equal(opn_graph_class_name(at.graph, 1, number), "1");
    let_go(&at);
}

static void what_is_wrong_with_arrays_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *settings, *message;
    } cases[] = {
            {"", "node 7: p of class \"blue\" is -2, outside [0, 1]"},
            {"", "node 4: label 3 outside [0, 3) and not -1"},
            {"", "node 4: 9 is not a role"},
            {"", "1 samples of 90 nodes and 1 classes"},
            {"", "2 names for 3 classes"},
            {"", "input 1: scores are probabilities, logits of a softmax or alpha"},
            {"", "node \"4\" has the label \"grey\", which is none of its 3 classes"},
            {"calibrate=pool", "`calibrate` pool needs the neighbours of each node"},
            {"", "class 1 has no name"},
    };
    for (int c = 0; c < (int)(sizeof(cases) / sizeof(cases[0])); c++) {
        const char *names[] = {"red", "green", "blue", "grey"};
        float x[V * K];
        int32_t label[V];
        uint8_t role[V] = {0};
        scored at = {0};
        draw_scores(x, label);
        opn_scores given = scores_of(x, label);
        given.class_name = names;
        x[7 * K + 2] = c == 0 ? -2.0f : x[7 * K + 2];
        label[4] = c == 1 || c == 6 ? 3 : label[4];
        role[4] = 9;
        given.role = c == 2 ? role : NULL;
        given.n_classes = c == 3 ? 1 : K;
        given.n_names = c == 4 ? 2 : c == 6 ? 4 : given.n_names;
        given.input = c == 5 ? OPN_OPINION_LOGITS : given.input;
        names[1] = c == 8 ? NULL : names[1];
        const opn_status status = try_create(&given, cases[c].settings, &at);
        assert_true(status == OPN_ERR_INVALID_ARG || status == OPN_ERR_SHAPE);
        support_expect_error(ctx, cases[c].message);
        assert_null(at.graph);
    }
}

static opn_status create_once(opn_ctx *own)
{
    float x[V * K];
    int32_t label[V];
    scored at = {0};
    opn_params *params = NULL;
    draw_scores(x, label);
    const opn_scores given = scores_of(x, label);
    opn_status status = opn_params_create(own, &params);
    if (status == OPN_OK)
        status = opn_scores_create(own, &given, params, &at.graph, &at.split, &at.said);
    opn_params_free(params);
    let_go(&at);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(support_fail_allocations(create_once) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(arrays_are_decided_about_as_a_file_of_them_is),
            WITH_CTX(labels_and_roles_of_a_graph_count_where_no_others_are_given),
            WITH_CTX(samples_of_doubles_are_averaged),
            WITH_CTX(what_is_wrong_with_arrays_is_said),
            cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
