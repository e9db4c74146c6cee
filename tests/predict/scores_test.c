// scores_test.c -- predictions, labels and roles from the files of another tool.

#include "opine/scores.h"

#include "golden/scores_golden.h"
#include "graph/graph_data.h"
#include "opine/decide.h"
#include "predict/prediction_data.h"
#include "support/archive_writer.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static stage *s;

static int set_up(void **state)
{
    (void)state;
    archive_set_up(state);
    s = support_open_stage("scores.csv");
    return 0;
}

static int tear_down(void **state)
{
    support_close_stage(s);
    return archive_tear_down(state);
}

typedef struct loaded {
    opn_graph *graph;
    opn_split *split;
    opn_prediction *said;
} loaded;

static opn_params *params_of(opn_ctx *ctx, const char *settings, const char *labels)
{
    opn_params *params = trial_params(ctx, settings);
    if (labels != NULL)
        assert_int_equal(opn_params_set(ctx, params, "labels", labels), OPN_OK);
    return params;
}

static opn_status
try_load(const char *path, const char *settings, const char *labels, loaded *out)
{
    opn_params *params = params_of(s->ctx, settings, labels);
    const opn_status status =
            opn_scores_load(s->ctx, path, params, &out->graph, &out->split, &out->said);
    opn_params_free(params);
    return status;
}

static loaded load(const char *path, const char *settings, const char *labels)
{
    loaded at = {0};
    if (try_load(path, settings, labels, &at) != OPN_OK)
        fail_msg("%s", opn_ctx_error(s->ctx));
    return at;
}

static void let_go(loaded *at)
{
    opn_graph_free(at->graph);
    opn_split_free(at->split);
    opn_prediction_free(at->said);
}

static opn_decisions *decide(const loaded *at, const char *settings)
{
    opn_params *params = trial_params(s->ctx, settings);
    opn_decisions *made = NULL;
    if (opn_prediction_decide(s->ctx, NULL, at->graph, at->split, params, at->said,
                              &made) != OPN_OK)
        fail_msg("%s", opn_ctx_error(s->ctx));
    opn_params_free(params);
    return made;
}

static char *labels_path(char path[SUPPORT_PATH], const char *text)
{
    support_path(path, s->folder, "labels.csv");
    support_write_text(path, text);
    return path;
}

// A table of n nodes of the classes a and b; every fourth is given to the wrong one.
static void write_nodes(const char *path, const char *head, int n, const char *extra)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%s\n", head);
    for (int i = 0; i < n; i++) {
        const double p = 0.5 + 0.4 * (i + 1) / n;
        const int is_a = i % 2 == 0;
        const int is_wrong = i % 4 == 3;
        fprintf(file, "n%d,%s,%.6f,%.6f%s\n", i, is_a ? "a" : "b",
                is_a != is_wrong ? p : 1 - p, is_a != is_wrong ? 1 - p : p, extra);
    }
    fclose(file);
}

// ---- values --------------------------------------------------------------------------

static void decisions_from_scores_are_as_numpy_computes_them(void **state)
{
    (void)state;
    support_write_text(s->path, golden_scores);
    loaded at = load(s->path, "", NULL);
    opn_decisions *made = decide(&at, "coverage=0.8 ood_fdr=0.3");
    assert_int_equal(at.said->n_nodes, GOLDEN_SCORES);
    assert_int_equal(made->n_guarantee, opn_split_count(at.split, OPN_ROLE_CALIBRATION));
    assert_null(at.said->alpha);
    assert_null(at.said->measure[OPN_MEASURE_VACUITY]);
    for (int i = 0; i < GOLDEN_SCORES; i++) {
        const golden_score *want = &golden_decided[i];
        char set[32] = "";
        for (int k = 0; k < 3; k++) {
            char number[12];
            assert_float_equal(at.said->calibrated[3 * i + k], want->calibrated[k], 1e-6);
            if (at.said->member[3 * i + k])
                snprintf(set + strlen(set), sizeof(set) - strlen(set), "%s%s",
                         set[0] != 0 ? "|" : "",
                         opn_graph_class_name(at.graph, k, number));
        }
        assert_string_equal(set, want->set);
        assert_float_equal(at.said->measure[OPN_MEASURE_ENTROPY][i], want->entropy, 1e-6);
        assert_float_equal(at.said->p_known[i], want->p_known, 1e-6);
        assert_int_equal(at.said->decision[i] == OPN_DECISION_UNKNOWN, want->is_unknown);
    }
    opn_decisions_free(made);
    let_go(&at);
}

// Logits, alpha and p that say the same, in the three forms of files.
static void the_forms_of_numbers_agree(void **state)
{
    (void)state;
    static const char *const texts[] = {
            "node,label,p_a,p_b\nm,a,0.75,0.25\nn,b,0.5,0.5\n",
            "node,label,logit_a,logit_b\nm,a,1.0986122886681098,0\nn,b,-7,-7\n",
            "node,label,alpha_a,alpha_b\nm,a,3,1\nn,b,2,2\n",
            "[{\"node\":\"m\",\"label\":\"a\",\"p\":{\"a\":0.75,\"b\":0.25}},"
            "{\"node\":\"n\",\"label\":\"b\",\"p\":{\"a\":0.5,\"b\":0.5}}]",
            "{\"nodes\":[{\"node\":\"m\",\"label\":\"a\",\"logits\":{\"a\":1.0986123,"
            "\"b\":0}},{\"node\":\"n\",\"label\":\"b\",\"logits\":{\"a\":3,\"b\":3}}]}",
            "[{\"node\":\"m\",\"label\":\"a\",\"alpha\":{\"a\":3,\"b\":1}},"
            "{\"node\":\"n\",\"label\":\"b\",\"alpha\":{\"a\":2,\"b\":2}}]"};
    for (size_t t = 0; t < sizeof(texts) / sizeof(texts[0]); t++) {
        support_write_text(s->path, texts[t]);
        loaded at = load(s->path, "calibrate=none", NULL);
        static const float p[] = {0.75f, 0.25f, 0.5f, 0.5f};
        for (int j = 0; j < 4; j++)
            assert_float_equal(at.said->probability[j], p[j], 1e-6);
        assert_float_equal(at.said->measure[OPN_MEASURE_ENTROPY][1], 1.0, 1e-6);
        assert_int_equal(at.said->predicted[0], 0);
        assert_int_equal(at.said->predicted[1], 0); // the first of equal ones
        const bool has_evidence = t % 3 == 2;
        assert_int_equal(at.said->alpha != NULL, has_evidence);
        assert_int_equal(at.said->measure[OPN_MEASURE_VACUITY] != NULL, has_evidence);
        if (has_evidence)
            assert_float_equal(at.said->measure[OPN_MEASURE_VACUITY][0], 0.5, 1e-6);
        let_go(&at);
    }
}

static void samples_are_averaged_and_give_epistemic_uncertainty(void **state)
{
    (void)state;
    static const double p[] = {0.9, 0.1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}; // [2,2,2]
    const array arrays[] = {{"p", F64, p, 3, {2, 2, 2}},
                            {"label", I64, VALUES(int64_t, 1, -1), 1, {2}}};
    archive_write(arrays, 2, (const array[MAX_CHANGES]){{0}});
    loaded at = load(archive_path, "calibrate=none", NULL);
    assert_float_equal(at.said->probability[0], 0.7, 1e-6);
    assert_true(at.said->measure[OPN_MEASURE_EPISTEMIC][0] > 0.05f);
    assert_float_equal(at.said->measure[OPN_MEASURE_EPISTEMIC][1], 0.0, 1e-6);
    assert_int_equal(opn_graph_labels(at.graph)[0], 1);
    assert_int_equal(opn_graph_labels(at.graph)[1], -1);
    let_go(&at);
}

static void integers_in_an_archive_name_nodes_and_classes(void **state)
{
    (void)state;
    static const double z[] = {2.0, 0.0, 0.0, 1.0};
    const array arrays[] = {{"logits", F64, z, 2, {2, 2}},
                            {"node", I64, VALUES(int64_t, 70, 30), 1, {2}},
                            {"classes", I64, VALUES(int64_t, 5, 9), 1, {2}},
                            {"label", I64, VALUES(int64_t, 9, 5), 1, {2}}};
    char number[12];
    archive_write(arrays, 4, (const array[MAX_CHANGES]){{0}});
    loaded at = load(archive_path, "calibrate=none", NULL);
    assert_string_equal(opn_graph_node_name(at.graph, 0, number), "70");
    assert_string_equal(opn_graph_class_name(at.graph, 1, number), "9");
    assert_int_equal(opn_graph_labels(at.graph)[0], 1);
    let_go(&at);
    // Beside names, or none, they are places.
    archive_write(
            arrays, 4,
            (const array[MAX_CHANGES]){{"classes", TEXT, TEXTS("a", "b"), 1, {2}},
                                       {"label", I64, VALUES(int64_t, 1, 0), 1, {2}}});
    at = load(archive_path, "calibrate=none", NULL);
    assert_string_equal(
            opn_graph_class_name(at.graph, opn_graph_labels(at.graph)[0], number), "b");
    let_go(&at);
}

// ---- labels and roles ----------------------------------------------------------------

static void half_of_each_class_calibrates_where_no_roles_are_given(void **state)
{
    (void)state;
    int n_of[2][OPN_N_ROLES] = {{0}};
    listener heard = {0};
    write_nodes(s->path, "node,label,p_a,p_b", 81, "");
    support_listen(s->ctx, &heard);
    loaded at = load(s->path, "seed=3", NULL);
    loaded again = load(s->path, "seed=3", NULL);
    loaded other = load(s->path, "seed=4", NULL);
    for (int i = 0; i < 81; i++)
        n_of[opn_graph_labels(at.graph)[i]][opn_split_roles(at.split)[i]]++;
    assert_int_equal(n_of[0][OPN_ROLE_CALIBRATION], 21); // of 41
    assert_int_equal(n_of[0][OPN_ROLE_TEST], 20);
    assert_int_equal(n_of[1][OPN_ROLE_CALIBRATION], 20); // of 40
    assert_int_equal(n_of[1][OPN_ROLE_TEST], 20);
    assert_memory_equal(opn_split_roles(at.split), opn_split_roles(again.split), 81);
    assert_memory_not_equal(opn_split_roles(at.split), opn_split_roles(other.split), 81);
    assert_non_null(strstr(heard.log, "no roles say which nodes calibrate: 41 of 81"));
    let_go(&at);
    let_go(&again);
    let_go(&other);
}

static void roles_of_the_file_are_kept(void **state)
{
    (void)state;
    support_write_text(s->path, "node,role,label,p_a,p_b\nk,train,a,0.6,0.4\n"
                                "l,validation,a,0.6,0.4\nm,val,b,0.4,0.6\n"
                                "n,test,other,0.5,0.5\no,unlabelled,,0.5,0.5\n");
    loaded at = load(s->path, "calibrate=none", NULL);
    static const uint8_t want[] = {OPN_ROLE_TRAIN, OPN_ROLE_VALIDATION,
                                   OPN_ROLE_VALIDATION, OPN_ROLE_TEST,
                                   OPN_ROLE_UNLABELLED};
    assert_memory_equal(opn_split_roles(at.split), want, sizeof(want));
    assert_int_equal(opn_split_n_known(at.split), 2);
    assert_int_equal(opn_graph_n_classes(at.graph), 3);
    let_go(&at);
}

static void a_table_of_labels_replaces_those_of_the_scores(void **state)
{
    (void)state;
    char path[SUPPORT_PATH];
    listener heard = {0};
    support_write_text(s->path, "node,label,p_a,p_b\nm,a,0.6,0.4\nn,b,0.5,0.5\n"
                                "o,b,0.2,0.8\n");
    labels_path(path, "Role;Node ID;class\ncalibration;o;a\n;m;b\ntest;elsewhere;b\n");
    support_listen(s->ctx, &heard);
    loaded at = load(s->path, "calibrate=none", path);
    static const int32_t label[] = {1, -1, 0};
    static const uint8_t role[] = {OPN_ROLE_POOL, OPN_ROLE_UNLABELLED,
                                   OPN_ROLE_CALIBRATION};
    assert_memory_equal(opn_graph_labels(at.graph), label, sizeof(label));
    assert_memory_equal(opn_split_roles(at.split), role, sizeof(role));
    assert_non_null(strstr(heard.log, "1 of 3 nodes are not in "));
    let_go(&at);
}

// ---- graphs --------------------------------------------------------------------------

static void rows_follow_the_graph_and_its_neighbours_join_the_pool(void **state)
{
    (void)state;
    char path[SUPPORT_PATH];
    char settings[SUPPORT_PATH + 32];
    opn_graph *graph = trial_draw(s->ctx, "nodes=300 classes=2 seed=2");
    support_path(path, s->folder, "graph.npz");
    assert_int_equal(opn_graph_save(s->ctx, graph, path), OPN_OK);
    FILE *file = fopen(s->path, "w");
    assert_non_null(file);
    fprintf(file, "node,p_0,p_1\n");
    for (int i = 299; i >= 0; i--)
        fprintf(file, "%d,%.6f,%.6f\n", i, (i % 90 + 5) / 100.0,
                1.0 - (i % 90 + 5) / 100.0);
    fclose(file);
    snprintf(settings, sizeof(settings), "graph=%s", path);
    loaded at = load(s->path, settings, NULL);
    for (int i = 0; i < 300; i++)
        assert_float_equal(at.said->probability[2 * (size_t)i],
                           (float)(i % 90 + 5) / 100.0f, 1e-6f);
    assert_memory_equal(opn_graph_labels(at.graph), opn_graph_labels(graph),
                        300 * sizeof(int32_t));
    assert_int_equal(opn_graph_n_entries(at.graph), opn_graph_n_entries(graph));
    assert_non_null(at.said->around);
    assert_non_null(at.said->calibrated);
    opn_decisions *made = decide(&at, "coverage=0.9 set_score=daps");
    assert_true(made->sets.coverage > 0.8);
    opn_decisions_free(made);
    let_go(&at);
    opn_graph_free(graph);
}

// ---- what predict wrote --------------------------------------------------------------

static void what_opine_saved_is_read_back_with_its_measures(void **state)
{
    (void)state;
    static const char *const names[] = {"out.csv", "out.json", "out.npz"};
    opn_graph *graph = trial_draw_split(s->ctx, "nodes=200 classes=3 seed=5", 4);
    opn_model *model = trial_train(s->ctx, graph, "epochs=20 samples=4");
    opn_prediction *said = opinions_ask(s->ctx, model, graph, NULL);
    opn_split *split = NULL;
    assert_int_equal(opn_model_split(s->ctx, model, graph, &split), OPN_OK);
    for (int t = 0; t < 3; t++) {
        char path[SUPPORT_PATH];
        support_path(path, s->folder, names[t]);
        assert_int_equal(opn_prediction_save(s->ctx, model, graph, split, said, path),
                         OPN_OK);
        loaded at = load(path, "", NULL);
        assert_memory_equal(at.said->probability, said->probability, 600 * sizeof(float));
        assert_memory_equal(at.said->alpha, said->alpha, 600 * sizeof(float));
        assert_memory_equal(at.said->predicted, said->predicted, 200 * sizeof(int32_t));
        for (int m = 0; m < OPN_N_MEASURES; m++)
            assert_memory_equal(at.said->measure[m], said->measure[m],
                                200 * sizeof(float));
        assert_memory_equal(opn_split_roles(at.split), opn_split_roles(split), 200);
        // And what is saved now is the same table.
        assert_int_equal(
                opn_prediction_save(s->ctx, NULL, at.graph, at.split, at.said, path),
                OPN_OK);
        loaded again = load(path, "", NULL);
        opinions_expect_same(at.said, again.said);
        let_go(&again);
        let_go(&at);
    }
    opn_split_free(split);
    opn_prediction_free(said);
    opn_model_free(model);
    opn_graph_free(graph);
}

// ---- refusals ------------------------------------------------------------------------

typedef struct bad_input {
    const char *scores, *labels, *settings, *message;
} bad_input;

#define HEAD  "node,label,p_a,p_b\n"
#define NODES "m,a,0.6,0.4\nn,b,0.4,0.6\n"

static void bad_scores_are_refused_with_what_would_be_right(void **state)
{
    (void)state;
    static const bad_input bad[] = {
            {"node,p_a,p_b\nm,0.6,0.4\n", NULL, "", "no node has a label; name a table"},
            {HEAD "m,a,0.6,0.4\nn,a,0.4,0.6\n", NULL, "",
             "the labels to calibrate with are of one class, \"a\"; there must be two"},
            {HEAD "m,a,0.6,nan\n", NULL, "", ":2: p_b is \"nan\", expected a finite"},
            {HEAD "m,a,0.6,0.3\n", NULL, "",
             ":2: the p of all classes sum to 0.9, not 1"},
            {HEAD NODES "m,a,0.6,0.4\n", NULL, "", "node \"m\" appears twice"},
            {HEAD NODES ",a,0.6,0.4\n", NULL, "", "node 2 has no name"},
            {HEAD "m,a,0.6\n", NULL, "", ":2: 3 fields, but the first row has 4"},
            {HEAD NODES "o,c,0.6,0.4\n", NULL, "",
             "node \"o\" has the label \"c\", which is none of its 2 classes, \"a\", "
             "\"b\"; only nodes with the role test or pool"},
            {"node,label,p_a\nm,a,1\n", NULL, "", "has numbers of one class, \"a\""},
            {"node,label,x,y\n", NULL, "",
             "no column \"p_CLASS\", \"logit_CLASS\" or \"alpha_CLASS\"; expected a row"},
            {"label,p_a,p_b\n", NULL, "", "no column \"node\"; expected a row"},
            {"node,alpha_a,alpha_b\nm,1,0.5\n", NULL, "",
             ":2: alpha of class \"b\" is 0.5, expected a finite number of at least 1"},
            {"node,logit_a,logit_b\nm,1,\n", NULL, "",
             ":2: logit of class \"b\" is nan, expected a finite number"},
            {"node,role,label,p_a,p_b\nm,test,a,0.6,0.4\nn,train,b,0.5,0.5\n", NULL, "",
             "no labelled node has the role calibration or validation"},
            {"node,role,label,p_a,p_b\nm,tset,a,0.6,0.4\n", NULL, "",
             ":2: role \"tset\" is not one of train, validation, calibration, test, pool "
             "or unlabelled"},
            {"[{\"p\":{\"a\":1,\"b\":0}}]", NULL, "", "item 0: no \"node\"; expected"},
            {"[{\"node\":1}]", NULL, "", "item 0: no \"p\" of any class; expected"},
            {HEAD NODES, "node,label\nm,a\nm,b\n", "", ":3: node \"m\" appears twice"},
            {HEAD NODES, "node,label\nm,x\n", "", "has the label \"x\", which is none"},
            {HEAD NODES, "x,label\nm,a\n", "", "no column \"node\"; expected a table"},
            {HEAD NODES, "node,x\nm,a\n", "", "no column \"label\"; expected a table"},
            {HEAD NODES, "node,label\n0,a\n1,b\n", "", "none of its 2 nodes is in "},
            {HEAD NODES, "node,label,role\nm,,train\n", "",
             ":2: node \"m\" is used to train but has no label"},
            {HEAD NODES, "node,label\nm\n", "", ":2: 1 field, but the first row has 2"},
            {HEAD NODES, "", "", "is empty; expected a table of labels"},
            {HEAD NODES, NULL, "calibrate=pool", "`calibrate` pool needs the neighbours"},
            {HEAD NODES, NULL, "coverage=0.9 set_score=daps",
             "`set_score` daps needs the neighbours"},
            {HEAD NODES, NULL, "graph=demo", "has 2 nodes, but demo has 2500"},
    };
    for (size_t b = 0; b < sizeof(bad) / sizeof(bad[0]); b++) {
        char path[SUPPORT_PATH];
        loaded at = {0};
        support_write_text(s->path, bad[b].scores);
        if (bad[b].labels != NULL)
            labels_path(path, bad[b].labels);
        if (try_load(s->path, bad[b].settings, bad[b].labels != NULL ? path : NULL,
                     &at) == OPN_OK)
            fail_msg("accepted, without: %s", bad[b].message);
        assert_null(at.graph);
        assert_null(at.said);
        support_expect_error(s->ctx, bad[b].message);
    }
}

static void archives_of_a_wrong_shape_are_refused(void **state)
{
    (void)state;
    static const double x[] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
    const array base[] = {{"p", F64, x, 2, {2, 2}},
                          {"label", I64, VALUES(int64_t, 0, 1), 1, {2}}};
    const struct {
        array change;
        const char *message;
    } bad[] = {
            {{"p", F64, x, 1, {4}}, "p.npy: 4 items in 1 dimensions, expected nodes by"},
            {{"p", F64, x, 2, {0, 2}}, "p.npy: 0 items in 2 dimensions, expected nodes"},
            {{"classes", TEXT, TEXTS("a", "b", "c"), 1, {3}}, "2 nodes by 3 classes"},
            {{"node", TEXT, TEXTS("a", "b", "c"), 1, {3}}, "3 nodes by 2 classes"},
            {{"label", I64, VALUES(int64_t, 0, 2), 1, {2}},
             "item 1 is 2, outside [0, 2)"},
            {{"label", I64, VALUES(int64_t, 0), 1, {1}},
             "1 items, expected one for each"},
            {{"p", ABSENT, NULL, 0, {0}}, "no member p.npy, logits.npy or alpha.npy"},
    };
    for (size_t b = 0; b < sizeof(bad) / sizeof(bad[0]); b++) {
        loaded at = {0};
        archive_write(base, 2, (const array[MAX_CHANGES]){bad[b].change});
        assert_int_not_equal(try_load(archive_path, "", NULL, &at), OPN_OK);
        support_expect_error(s->ctx, bad[b].message);
    }
    static const double third[] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.4};
    loaded at = {0};
    archive_write(base, 2, (const array[MAX_CHANGES]){{"p", F64, third, 3, {2, 2, 2}}});
    assert_int_not_equal(try_load(archive_path, "", NULL, &at), OPN_OK);
    support_expect_error(s->ctx, "sample 1, node 1: the p of all classes sum to 0.9");
}

static void measures_that_the_scores_do_not_give_are_refused(void **state)
{
    (void)state;
    loaded at = {0};
    opn_decisions *made = NULL;
    write_nodes(s->path, "node,label,p_a,p_b", 40, "");
    at = load(s->path, "", NULL);
    opn_params *params = trial_params(s->ctx, "abstain_above=vacuity=0.5");
    assert_int_equal(opn_prediction_decide(s->ctx, NULL, at.graph, at.split, params,
                                           at.said, &made),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(s->ctx, "`abstain_above`: the prediction has no vacuity");
    opn_params_free(params);
    let_go(&at);
}

// ---- memory --------------------------------------------------------------------------

static char memory_path[SUPPORT_PATH], memory_labels[SUPPORT_PATH];

static opn_status load_once(opn_ctx *own)
{
    loaded at = {0};
    opn_params *params = NULL;
    opn_status status = opn_params_create(own, &params);
    if (status == OPN_OK)
        status = opn_params_set(own, params, "labels", memory_labels);
    if (status == OPN_OK)
        status =
                opn_scores_load(own, memory_path, params, &at.graph, &at.split, &at.said);
    opn_params_free(params);
    let_go(&at);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    write_nodes(s->path, "node,label,p_a,p_b", 60, "");
    snprintf(memory_path, sizeof(memory_path), "%s", s->path);
    support_path(memory_labels, s->folder, "labels.csv");
    write_nodes(memory_labels, "node,label,x,y", 60, "");
    assert_true(support_fail_allocations(load_once) > 20);
}

#define WITH_BOTH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_BOTH(decisions_from_scores_are_as_numpy_computes_them),
            WITH_BOTH(the_forms_of_numbers_agree),
            WITH_BOTH(samples_are_averaged_and_give_epistemic_uncertainty),
            WITH_BOTH(integers_in_an_archive_name_nodes_and_classes),
            WITH_BOTH(half_of_each_class_calibrates_where_no_roles_are_given),
            WITH_BOTH(roles_of_the_file_are_kept),
            WITH_BOTH(a_table_of_labels_replaces_those_of_the_scores),
            WITH_BOTH(rows_follow_the_graph_and_its_neighbours_join_the_pool),
            WITH_BOTH(what_opine_saved_is_read_back_with_its_measures),
            WITH_BOTH(bad_scores_are_refused_with_what_would_be_right),
            WITH_BOTH(archives_of_a_wrong_shape_are_refused),
            WITH_BOTH(measures_that_the_scores_do_not_give_are_refused),
            WITH_BOTH(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
