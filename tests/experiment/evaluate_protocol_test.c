// evaluate_protocol_test.c -- evaluations under the protocols of GNNSafe and GPN: the
// same figures as by hand, on any number of threads and from a folder.

#include "base/context.h"
#include "experiment/evaluation_data.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

enum { N_NODES = 180 };
#define SMALL "preset=paper hidden=4 epochs=6 samples=2 "

// Every eleventh node has no label.
static opn_graph *draw_graph(void)
{
    opn_graph *graph = trial_draw(ctx, "nodes=180 classes=4 features=40 words=4 "
                                       "mean_degree=3 homophily=0.5 label_noise=0.2");
    int32_t label[N_NODES];
    for (int i = 0; i < N_NODES; i++)
        label[i] = i % 11 == 5 ? -1 : opn_graph_labels(graph)[i];
    assert_int_equal(opn_graph_set_labels(ctx, graph, 4, label), OPN_OK);
    return graph;
}

static opn_evaluation *
evaluate(opn_ctx *on, const opn_graph *graph, const char *settings, const char *folder)
{
    opn_params *params = trial_params(on, settings);
    opn_evaluation *found = NULL;
    if (opn_evaluate(on, graph, params, folder, &found) != OPN_OK)
        fail_msg("%s: %s", settings, opn_ctx_error(on));
    opn_params_free(params);
    return found;
}

static void expect_same(const opn_evaluation *a, const opn_evaluation *b)
{
    for (int32_t s = 0; s < opn_evaluation_n_seeds(a); s++)
        for (int k = 0; k < OPN_N_METRICS; k++)
            for (int32_t score = 0; score < OPN_N_SCORES; score++) {
                const double x = opn_i_evaluation_cells(a, 0)[s].metric[k][score];
                const double y = opn_i_evaluation_cells(b, 0)[s].metric[k][score];
                assert_true(x == y || (isnan(x) && isnan(y)));
            }
}

// ---- shifted graphs ------------------------------------------------------------------

// Test nodes of the graph, then all nodes of the shifted one, by the vacuity of one
// model.
typedef struct pool {
    int32_t n;
    uint8_t is_ood[2 * N_NODES], is_id[2 * N_NODES];
    float score[2 * N_NODES], opposite[2 * N_NODES];
} pool;

static void add_node(pool *p, bool is_ood, float score)
{
    p->is_ood[p->n] = is_ood;
    p->is_id[p->n] = !is_ood;
    p->score[p->n] = score;
    p->opposite[p->n++] = -score;
}

static void expect_percent(double got, double want)
{
    assert_true(fabs(got - 100.0 * want) < 1e-9);
}

static void expect_metrics(const pool *p, const opn_cell *cell)
{
    double want = 0.0;
    assert_true(cell->n_pool == (double)p->n);
    expect_percent(cell->prevalence, (double)N_NODES / p->n);
    assert_int_equal(opn_metric_auroc(ctx, p->n, p->is_ood, opn_f32(p->score), &want),
                     OPN_OK);
    expect_percent(cell->metric[OPN_METRIC_AUROC][OPN_MEASURE_VACUITY], want);
    assert_int_equal(
            opn_metric_average_precision(ctx, p->n, p->is_ood, opn_f32(p->score), &want),
            OPN_OK);
    expect_percent(cell->metric[OPN_METRIC_AUPR][OPN_MEASURE_VACUITY], want);
    assert_int_equal(opn_metric_average_precision(ctx, p->n, p->is_id,
                                                  opn_f32(p->opposite), &want),
                     OPN_OK);
    expect_percent(cell->metric[OPN_METRIC_AUPR_ERRORS][OPN_MEASURE_VACUITY], want);
    assert_int_equal(
            opn_metric_fpr_at_tpr(ctx, p->n, p->is_id, opn_f32(p->opposite), 0.95, &want),
            OPN_OK);
    expect_percent(cell->metric[OPN_METRIC_FPR95_ERRORS][OPN_MEASURE_VACUITY], want);
}

static opn_prediction *ask(const opn_model *model, const opn_graph *graph)
{
    opn_prediction *said = NULL;
    assert_int_equal(opn_model_predict(ctx, model, graph, NULL, 0, &said), OPN_OK);
    return said;
}

static void expect_shift_scored(const opn_graph *graph, const char *name, opn_shift shift)
{
    char settings[160];
    pool p = {0};
    opn_split *split = NULL;
    opn_graph *scaled = NULL;
    opn_graph *shifted = NULL;
    snprintf(settings, sizeof(settings),
             SMALL "model=s-gcn normalise=row seed=4 protocol=gnnsafe shift=%s task=ood",
             name);
    opn_params *params = trial_params(ctx, settings);
    assert_int_equal(opn_split_from_params(ctx, graph, params, &split), OPN_OK);
    assert_int_equal(opn_split_n_known(split), 4);
    opn_model *model = trial_train(ctx, graph, settings);
    assert_int_equal(
            opn_graph_prepare(ctx, graph,
                              shift == OPN_SHIFT_FEATURE ? OPN_STEP_ROW_NORMALISE : 0,
                              &scaled),
            OPN_OK);
    assert_int_equal(opn_graph_shift(ctx, scaled, shift, 4, &shifted), OPN_OK);
    opn_prediction *said = ask(model, graph);
    opn_prediction *other = ask(model, shifted);
    for (int i = 0; i < N_NODES; i++)
        if (opn_split_roles(split)[i] == OPN_ROLE_TEST)
            add_node(&p, false, opn_prediction_measure(said, OPN_MEASURE_VACUITY)[i]);
    for (int i = 0; i < N_NODES; i++)
        add_node(&p, true, opn_prediction_measure(other, OPN_MEASURE_VACUITY)[i]);
    strcat(settings, " seeds=1");
    opn_evaluation *found = evaluate(ctx, graph, settings, NULL);
    expect_metrics(&p, opn_i_evaluation_cells(found, 0));
    opn_evaluation_free(found);
    opn_prediction_free(said);
    opn_prediction_free(other);
    opn_graph_free(scaled);
    opn_graph_free(shifted);
    opn_model_free(model);
    opn_split_free(split);
    opn_params_free(params);
}

static void test_nodes_are_ranked_against_all_nodes_of_the_shifted_graph(void **state)
{
    (void)state;
    opn_graph *graph = draw_graph();
    expect_shift_scored(graph, "structure", OPN_SHIFT_STRUCTURE);
    expect_shift_scored(graph, "feature", OPN_SHIFT_FEATURE);
    opn_graph_free(graph);
}

static void each_seed_draws_its_own_shift_and_threads_change_none(void **state)
{
    (void)state;
    static const char *const settings[] = {
            SMALL "model=s-gcn seeds=3 protocol=gnnsafe shift=structure",
            SMALL "model=s-gcn seeds=3 protocol=gnnsafe shift=feature normalise=l2",
            SMALL
            "model=s-gcn seeds=3 protocol=gnnsafe shift=feature normalise=standard"};
    opn_graph *graph = draw_graph();
    for (int c = 0; c < 3; c++) {
        opn_evaluation *found[2];
        for (int t = 0; t < 2; t++) {
            opn_ctx *own = support_ctx(NULL);
            assert_int_equal(opn_ctx_set_threads(own, t == 0 ? 1 : 3), OPN_OK);
            found[t] = evaluate(own, graph, settings[c], NULL);
            support_ctx_free(own, NULL);
        }
        expect_same(found[0], found[1]);
        const opn_cell *cell = opn_i_evaluation_cells(found[0], 0);
        assert_true(cell[0].metric[0][0] != cell[1].metric[0][0]);
        opn_evaluation_free(found[0]);
        opn_evaluation_free(found[1]);
    }
    opn_graph_free(graph);
}

// ---- folders -------------------------------------------------------------------------

static int count_files(const char *folder)
{
    char command[SUPPORT_PATH + 64];
    int n = -1;
    snprintf(command, sizeof(command), "ls %s/models | wc -l", folder);
    FILE *lines = popen(command, "r");
    assert_non_null(lines);
    assert_int_equal(fscanf(lines, "%d", &n), 1);
    pclose(lines);
    return n;
}

static void a_folder_keeps_a_result_for_each_shift_and_shares_their_models(void **state)
{
    (void)state;
    static const char *const settings[] = {
            SMALL "model=s-gcn seeds=2 protocol=gnnsafe shift=structure",
            SMALL "model=s-gcn seeds=2 protocol=gnnsafe shift=feature",
            SMALL "model=s-gcn seeds=2 protocol=gnnsafe shift=label ood_classes=1",
            SMALL "model=s-gcn seeds=2 protocol=gpn ood_classes=1"};
    static const int n_models[] = {2, 2, 4, 6}; // other edges need no other model
    char folder[SUPPORT_PATH];
    char path[SUPPORT_PATH];
    opn_graph *graph = draw_graph();
    support_temp_folder(folder);
    for (int c = 0; c < 4; c++) {
        opn_evaluation *first = evaluate(ctx, graph, settings[c], folder);
        assert_int_equal(count_files(folder), n_models[c]);
        opn_evaluation *again = evaluate(ctx, graph, settings[c], folder);
        expect_same(first, again);
        opn_evaluation_free(first);
        opn_evaluation_free(again);
    }
    FILE *file = fopen(support_path(path, folder, "cells.jsonl"), "r");
    char line[16384];
    int n_lines = 0;
    assert_non_null(file);
    for (; fgets(line, sizeof(line), file) != NULL; n_lines++) {
        json_t *cell = json_loads(line, 0, NULL);
        static const char *const shifts[] = {"structure", "feature", "label", "none"};
        assert_string_equal(json_string_value(json_object_get(cell, "protocol")),
                            n_lines < 6 ? "gnnsafe" : "gpn");
        assert_string_equal(json_string_value(json_object_get(cell, "shift")),
                            shifts[n_lines / 2]);
        assert_string_equal(json_string_value(json_object_get(cell, "task")), "ood");
        json_decref(cell);
    }
    fclose(file);
    assert_int_equal(n_lines, 8);
    support_remove_folder(folder);
    opn_graph_free(graph);
}

// A model file does not name the protocol it was trained under.
static void the_split_of_a_model_is_found_whatever_its_protocol(void **state)
{
    (void)state;
    static const char *const settings[] = {
            SMALL "model=gcn task=ood ood_classes=1",
            SMALL "model=gcn protocol=reference",
            SMALL "model=gcn task=ood protocol=gnnsafe shift=feature",
            SMALL "model=gcn task=ood protocol=gnnsafe shift=label ood_classes=1",
            SMALL "model=gcn task=ood protocol=gpn ood_classes=1",
            SMALL "model=gcn protocol=gpn"};
    opn_graph *graph = draw_graph();
    for (size_t c = 0; c < sizeof(settings) / sizeof(settings[0]); c++) {
        opn_params *params = trial_params(ctx, settings[c]);
        opn_model *model = trial_train(ctx, graph, settings[c]);
        opn_split *split = NULL;
        opn_split *found = NULL;
        assert_int_equal(opn_split_from_params(ctx, graph, params, &split), OPN_OK);
        assert_int_equal(opn_model_split(ctx, model, graph, &found), OPN_OK);
        assert_non_null(found);
        assert_memory_equal(opn_split_roles(found), opn_split_roles(split), N_NODES);
        assert_memory_equal(opn_split_pool(found), opn_split_pool(split), N_NODES);
        opn_split_free(split);
        opn_split_free(found);
        opn_model_free(model);
        opn_params_free(params);
    }
    opn_graph_free(graph);
}

// ---- refusals ------------------------------------------------------------------------

static void expect_refused(const opn_graph *graph,
                           const char *settings,
                           opn_status status,
                           const char *part)
{
    opn_params *params = trial_params(ctx, settings);
    opn_evaluation *found = NULL;
    assert_int_equal(opn_evaluate(ctx, graph, params, NULL, &found), status);
    assert_null(found);
    support_expect_error(ctx, part);
    opn_params_free(params);
}

static void what_cannot_be_evaluated_is_refused(void **state)
{
    (void)state;
    opn_graph *graph = draw_graph();
    expect_refused(graph, SMALL "protocol=gnnsafe", OPN_ERR_INVALID_ARG,
                   "needs a `shift`");
    expect_refused(graph, SMALL "protocol=gnnsafe shift=label", OPN_ERR_INVALID_ARG,
                   "`protocol` gnnsafe holds classes out; name them with `ood_classes`");
    expect_refused(graph, SMALL "protocol=gpn", OPN_ERR_INVALID_ARG,
                   "`protocol` gpn holds classes out; name them with `ood_classes`");
    expect_refused(graph, SMALL "model=links seeds=1 protocol=gnnsafe shift=structure",
                   OPN_ERR_SHAPE, "links knows only the nodes of the graph");
    opn_graph_free(graph);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    opn_graph *graph = draw_graph();
    opn_params *params = trial_params(
            ctx, "preset=paper hidden=2 epochs=1 samples=1 model=s-gcn seeds=1 "
                 "protocol=gnnsafe shift=feature normalise=l2");
    opn_status status = OPN_ERR_NOMEM;
    for (long fail_at = 1; status != OPN_OK; fail_at += 1 + fail_at / 40) {
        meter m = {0};
        opn_ctx *own = support_ctx(&m);
        opn_evaluation *found = NULL;
        assert_int_equal(opn_ctx_set_threads(own, 1), OPN_OK);
        m.n_requests = 0;
        m.fail_at = fail_at;
        status = opn_evaluate(own, graph, params, NULL, &found);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
        opn_evaluation_free(found);
        support_ctx_free(own, &m);
    }
    opn_params_free(params);
    opn_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(test_nodes_are_ranked_against_all_nodes_of_the_shifted_graph),
            WITH_CTX(each_seed_draws_its_own_shift_and_threads_change_none),
            WITH_CTX(a_folder_keeps_a_result_for_each_shift_and_shares_their_models),
            WITH_CTX(the_split_of_a_model_is_found_whatever_its_protocol),
            WITH_CTX(what_cannot_be_evaluated_is_refused),
            WITH_CTX(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
