// promise_test.c -- accuracies, sets and p-values that are promised about a graph.

#include "graph/graph_data.h"
#include "opinion/measure_table.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

enum { N_NODES = 1200, N_CLASSES = 4 };

// A model of a drawn graph; of every twelve nodes three train, one validates, four
// calibrate, three test and one has no label.
typedef struct scene {
    opn_graph *graph;
    opn_split *split;
    opn_model *model;
    opn_prediction *said;
} scene;

static uint8_t role_of(int i)
{
    static const uint8_t roles[12] = {
            OPN_ROLE_TRAIN,       OPN_ROLE_TRAIN,       OPN_ROLE_TRAIN,
            OPN_ROLE_VALIDATION,  OPN_ROLE_CALIBRATION, OPN_ROLE_CALIBRATION,
            OPN_ROLE_CALIBRATION, OPN_ROLE_CALIBRATION, OPN_ROLE_TEST,
            OPN_ROLE_TEST,        OPN_ROLE_TEST,        OPN_ROLE_UNLABELLED};
    return roles[i % 12];
}

static scene open_scene(void)
{
    scene at = {.graph = trial_draw(ctx, "nodes=1200 classes=4 features=80 seed=6")};
    opn_params *params = trial_paper_params(ctx, "epochs=60 samples=5");
    int32_t label[N_NODES];
    uint8_t role[N_NODES];
    for (int i = 0; i < N_NODES; i++) {
        role[i] = role_of(i);
        label[i] = role[i] == OPN_ROLE_UNLABELLED ? -1 : opn_graph_labels(at.graph)[i];
    }
    assert_int_equal(opn_graph_set_labels(ctx, at.graph, N_CLASSES, label), OPN_OK);
    assert_int_equal(opn_graph_set_roles(ctx, at.graph, role), OPN_OK);
    at.model = trial_train(ctx, at.graph, "epochs=60 samples=5");
    assert_int_equal(opn_model_split(ctx, at.model, at.graph, &at.split), OPN_OK);
    assert_int_equal(opn_model_calibrate(ctx, at.graph, at.split, params, at.model),
                     OPN_OK);
    at.said = opinions_ask(ctx, at.model, at.graph, NULL);
    opn_params_free(params);
    return at;
}

static void close_scene(scene *at)
{
    opn_prediction_free(at->said);
    opn_split_free(at->split);
    opn_model_free(at->model);
    opn_graph_free(at->graph);
}

static opn_decisions decide(const scene *at, const char *settings)
{
    opn_params *params = trial_params(ctx, settings);
    opn_decisions *made = NULL;
    if (opn_prediction_decide(ctx, at->model, at->graph, at->split, params, at->said,
                              &made) != OPN_OK)
        fail_msg("%s", opn_ctx_error(ctx));
    opn_decisions out = *made;
    out.thresholds = NULL; // freed with the rest
    opn_decisions_free(made);
    opn_params_free(params);
    return out;
}

static void an_accuracy_is_shown_by_the_calibration_nodes_alone(void **state)
{
    (void)state;
    scene at = open_scene();
    const float *measure = at.said->measure[OPN_MEASURE_DISSONANCE];
    float score[N_NODES];
    float asked[N_NODES];
    uint8_t right[N_NODES];
    int32_t n = 0;
    int32_t n_asked = 0;
    opn_control want = {0};
    for (int i = 0; i < N_NODES; i++) {
        if (role_of(i) == OPN_ROLE_CALIBRATION) {
            score[n] = measure[i];
            right[n++] = at.said->predicted[i] == opn_graph_labels(at.graph)[i];
        } else if (role_of(i) != OPN_ROLE_TRAIN) {
            asked[n_asked++] = measure[i];
        }
    }
    assert_int_equal(opn_control_accuracy(ctx, n, opn_f32(score), right, n_asked,
                                          opn_f32(asked), 0.9, 0.8, &want),
                     OPN_OK);
    const opn_decisions d =
            decide(&at, "target_accuracy=0.9 confidence=0.8 decide_by=dissonance");
    assert_true(d.is_promised && d.control.is_shown && want.is_shown);
    assert_true(d.control.threshold == want.threshold);
    assert_int_equal(d.control.n, 400);
    assert_int_equal(d.n_guarantee, 400);
    assert_int_equal(d.n_guarantee_validation, 0);
    for (int i = 0; i < N_NODES; i++)
        assert_int_equal(at.said->decision[i] == OPN_DECISION_ACCEPT,
                         (double)measure[i] <= want.threshold);
    assert_int_equal(d.picked.n_accepted, want.n_accepted);
    close_scene(&at);
}

static void what_cannot_be_shown_accepts_nothing(void **state)
{
    (void)state;
    scene at = open_scene();
    const opn_decisions d = decide(&at, "target_accuracy=0.9999 confidence=0.99");
    assert_true(d.is_promised && !d.control.is_shown);
    assert_int_equal(d.n_decided[OPN_DECISION_ACCEPT], 0);
    assert_int_equal(d.n_decided[OPN_DECISION_MISCLASSIFIED], N_NODES);
    assert_non_null(strstr(opn_prediction_summary(at.said), "\"shown\":false"));
    close_scene(&at);
}

static void sets_cover_the_test_nodes(void **state)
{
    (void)state;
    static const char *const kinds[] = {"lac", "aps", "raps", "daps"};
    scene at = open_scene();
    for (int k = 0; k < 8; k++) {
        char settings[96];
        snprintf(settings, sizeof(settings), "coverage=0.9 set_score=%s coverage_by=%s",
                 kinds[k % 4], k < 4 ? "all" : "class");
        const opn_decisions d = decide(&at, settings);
        assert_true(d.has_sets);
        assert_int_equal(d.sets.n, 300);
        // Three standard errors of 300 test and 400 calibration nodes.
        assert_true(d.sets.coverage > 0.9 - 0.07);
        assert_true(d.sets.mean_size < N_CLASSES - 0.5);
        assert_int_equal(d.n_decided[OPN_DECISION_ACCEPT], N_NODES);
    }
    close_scene(&at);
}

static void strangers_are_marked_and_others_are_not(void **state)
{
    (void)state;
    scene at = open_scene();
    assert_non_null(at.said->measure[OPN_MEASURE_FUSED]);
    // Ten test nodes that nothing like them is among the calibration nodes.
    for (int t = 0; t < 10; t++)
        at.said->measure[OPN_MEASURE_FUSED][12 * t + 8] = 5.0f;
    const opn_decisions d = decide(&at, "ood_fdr=0.2");
    assert_true(d.has_fdr && d.known_by == OPN_MEASURE_FUSED);
    int n_unknown = 0;
    for (int i = 0; i < N_NODES; i++) {
        assert_true(at.said->p_known[i] > 0.0f && at.said->p_known[i] <= 1.0f);
        if (at.said->decision[i] != OPN_DECISION_UNKNOWN)
            continue;
        n_unknown++;
        assert_int_equal(at.said->decided_by[i], OPN_MEASURE_FUSED);
        assert_true(role_of(i) != OPN_ROLE_TRAIN && role_of(i) != OPN_ROLE_CALIBRATION);
    }
    for (int t = 0; t < 10; t++)
        assert_true(at.said->p_known[12 * t + 8] == 1.0f / 401.0f);
    assert_int_equal(d.n_decided[OPN_DECISION_UNKNOWN], n_unknown);
    assert_true(n_unknown >= 10 && n_unknown < 30);
    close_scene(&at);
}

static void sets_and_p_values_are_columns_that_can_be_read(void **state)
{
    (void)state;
    scene at = open_scene();
    stage *s = support_open_stage("out.csv");
    char path[SUPPORT_PATH];
    (void)decide(&at, "coverage=0.99 ood_fdr=0.2");
    memset(at.said->member, 0, N_CLASSES); // an empty set is an empty field
    assert_int_equal(
            opn_prediction_save(ctx, at.model, at.graph, at.split, at.said, s->path),
            OPN_OK);
    char *csv = support_read_file(s->path, NULL);
    assert_non_null(strstr(csv, ",calibrated_3,set,p_known\n"));
    char *second = strchr(strchr(csv, '\n') + 1, '\n');
    *second = 0;
    assert_non_null(strstr(csv, ",,0")); // the empty set before its p-value
    *second = '\n';
    assert_non_null(strchr(csv, '|'));
    free(csv);
    static const char *const others[] = {"out.json", "out.npz"};
    for (int o = 0; o < 2; o++)
        assert_int_equal(opn_prediction_save(ctx, at.model, at.graph, at.split, at.said,
                                             support_path(path, s->folder, others[o])),
                         OPN_OK);
    char *json = support_read_file(support_path(path, s->folder, "out.json"), NULL);
    assert_non_null(strstr(json, "\"set\":[],\"p_known\":"));
    free(json);
    support_close_stage(s);
    close_scene(&at);
}

static void what_was_not_asked_for_is_not_there(void **state)
{
    (void)state;
    scene at = open_scene();
    assert_null(opn_prediction_set(at.said));
    assert_null(opn_prediction_p_known(at.said));
    assert_null(opn_prediction_set(NULL));
    assert_null(opn_prediction_p_known(NULL));
    const opn_decisions d = decide(&at, "coverage=0.9");
    assert_null(opn_prediction_p_known(at.said));
    const uint8_t *member = opn_prediction_set(at.said);
    int n_members = 0;
    int n_covered = 0;
    for (int i = 0; i < N_NODES; i++) {
        if (role_of(i) != OPN_ROLE_TEST)
            continue;
        n_covered += member[i * N_CLASSES + opn_graph_labels(at.graph)[i]];
        for (int k = 0; k < N_CLASSES; k++)
            n_members += member[i * N_CLASSES + k];
    }
    assert_true(fabs(d.sets.coverage - n_covered / 300.0) < 1e-12);
    assert_true(fabs(d.sets.mean_size - n_members / 300.0) < 1e-12);
    close_scene(&at);
}

static void probabilities_around_a_node_are_kept_if_asked_for(void **state)
{
    (void)state;
    opn_graph *graph = trial_draw(ctx, "nodes=200 classes=3 features=40 seed=2");
    opn_model *model = trial_train(ctx, graph, "epochs=5 samples=2");
    opn_prediction *without = opinions_ask(ctx, model, graph, NULL);
    opn_prediction *with = NULL;
    assert_int_equal(opn_model_predict(ctx, model, graph, NULL, OPN_KEEP_AROUND, &with),
                     OPN_OK);
    assert_null(opn_prediction_around(NULL));
    assert_null(opn_prediction_around(without));
    const float *around = opn_prediction_around(with);
    for (int i = 0; i < 200; i++) {
        const float *p = around + (size_t)i * 3;
        assert_true(p[0] >= 0.0f && p[1] >= 0.0f && p[2] >= 0.0f);
        assert_true(fabs((double)p[0] + (double)p[1] + (double)p[2] - 1.0) < 1e-5);
    }
    // Neighbours have their say: it is not what the student alone says.
    assert_memory_not_equal(around, opn_prediction_probability(with),
                            200 * 3 * sizeof(*around));
    opn_prediction_free(without);
    opn_prediction_free(with);
    opn_model_free(model);
    opn_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(an_accuracy_is_shown_by_the_calibration_nodes_alone),
            WITH_CTX(what_cannot_be_shown_accepts_nothing),
            WITH_CTX(sets_cover_the_test_nodes),
            WITH_CTX(strangers_are_marked_and_others_are_not),
            WITH_CTX(sets_and_p_values_are_columns_that_can_be_read),
            WITH_CTX(what_was_not_asked_for_is_not_there),
            WITH_CTX(probabilities_around_a_node_are_kept_if_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
