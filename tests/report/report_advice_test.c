// report_advice_test.c -- what a page advises: promises, nodes to label, who judges.

#include "graph/gkde.h"
#include "graph/graph_data.h"
#include "opine/opine.h"
#include "report/view.h"
#include "support/cmocka_test.h"
#include "support/page_reader.h"
#include "support/report_scene.h"
#include "support/support.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

// ---- promises ------------------------------------------------------------------------

// The same decision by the public function.
static opn_control decided(const scene *at, const char *measure, double target)
{
    opn_params *params = NULL;
    opn_decisions *d = NULL;
    char text[32];
    assert_int_equal(opn_params_create(ctx, &params), OPN_OK);
    snprintf(text, sizeof(text), "%.9g", target);
    assert_int_equal(opn_params_set(ctx, params, "target_accuracy", text), OPN_OK);
    assert_int_equal(opn_params_set(ctx, params, "decide_by", measure), OPN_OK);
    assert_int_equal(opn_prediction_decide(ctx, at->model, at->graph, at->split, params,
                                           at->said, &d),
                     OPN_OK);
    const opn_control found = d->control;
    opn_decisions_free(d);
    opn_params_free(params);
    return found;
}

static void a_promise_of_the_page_is_that_of_a_decision(void **state)
{
    (void)state;
    scene at = scene_open(ctx, scene_bayesian);
    const json_t *promises = page_member(page_view(&at.read, 0), "promises");
    float *threshold = page_floats(&at.read, 0, "thresholds",
                                   OPN_N_MEASURES * (size_t)OPN_N_PROMISED);
    for (int m = 0; m < OPN_N_MEASURES; m++)
        for (int t = 0; t < OPN_N_PROMISED; t++) {
            const char *measure = opn_measure_name((opn_measure)m);
            const opn_control want = decided(&at, measure, opn_i_promised[t]);
            char path[48];
            snprintf(path, sizeof(path), "measures.%s.%d", measure, t);
            const json_t *got = page_member(promises, path);
            assert_int_equal(json_is_true(page_member(got, "shown")), want.is_shown);
            assert_int_equal(page_number(got, "accepted"), want.n_accepted);
            assert_int_equal(page_number(got, "right"), want.n_right);
            assert_int_equal(page_number(got, "needed"), want.n_needed);
            assert_true((double)threshold[m * OPN_N_PROMISED + t] == want.threshold);
            assert_int_equal(page_number(promises, "nodes"), want.n);
        }
    free(threshold);
    scene_close(&at);
}

// ---- nodes to label ------------------------------------------------------------------

static void nodes_to_label_are_those_of_suggest(void **state)
{
    (void)state;
    scene at = scene_open(ctx, scene_bayesian);
    const json_t *list = page_member(page_view(&at.read, 0), "suggestions");
    opn_suggestions *want = NULL;
    assert_int_equal(opn_suggest(ctx, at.model, at.graph, NULL, 20, &want), OPN_OK);
    assert_int_equal(json_array_size(list), want->n);
    for (int32_t r = 0; r < want->n; r++) {
        const json_t *row = json_array_get(list, (size_t)r);
        assert_int_equal(page_number(row, "0"), want->suggestion[r].node);
        scene_expect_number(row, "1", want->suggestion[r].gain);
    }
    opn_suggestions_free(want);
    scene_close(&at);
}

// ---- the prior -----------------------------------------------------------------------

static void the_radius_of_the_prior_is_that_of_training(void **state)
{
    (void)state;
    scene at = scene_open(ctx, "model=s-bgcn-t-k epochs=3 samples=2 kernel_constant=on");
    const json_t *prior = page_member(page_view(&at.read, 0), "prior");
    int64_t n = 0;
    for (int i = 0; i < SCENE_NODES; i++)
        n += opn_split_roles(at.split)[i] == OPN_ROLE_TRAIN;
    assert_true(json_is_true(page_member(prior, "constant")));
    assert_int_equal(page_number(prior, "radius"), opn_i_gkde_radius(1.0, true, n));
    scene_close(&at);
}

// ---- who judges ----------------------------------------------------------------------

// A graph whose labelled nodes all train or validate.
static opn_graph *graph_without_test(void)
{
    opn_graph *graph = scene_graph(ctx);
    uint8_t role[SCENE_NODES];
    for (int i = 0; i < SCENE_NODES; i++)
        role[i] = (uint8_t)(opn_graph_labels(graph)[i] < 0 ? OPN_ROLE_UNLABELLED
                            : i % 3 == 0                   ? OPN_ROLE_VALIDATION
                                                           : OPN_ROLE_TRAIN);
    assert_int_equal(opn_graph_set_roles(ctx, graph, role), OPN_OK);
    return graph;
}

static void without_test_nodes_the_validation_nodes_judge(void **state)
{
    (void)state;
    stage *s = support_open_stage("page.html");
    opn_graph *graph = graph_without_test();
    opn_model *model = trial_train(ctx, graph, "model=s-bgcn epochs=8 samples=4");
    page read = scene_show(ctx, graph, model, s->path);
    const json_t *view = page_view(&read, 0);
    uint32_t *judges = page_array(&read, 0, "judges", "u8", SCENE_NODES);
    uint32_t *role = page_array(&read, 0, "role", "u8", SCENE_NODES);
    int n = 0;
    assert_string_equal(page_string(view, "basis"), "validation");
    for (int i = 0; i < SCENE_NODES; i++) {
        assert_int_equal(judges[i], role[i] == OPN_ROLE_VALIDATION ? 3 : 0);
        n += role[i] == OPN_ROLE_VALIDATION;
    }
    assert_true(n > 0);
    assert_int_equal(page_number(view, "quality.nodes"), n);
    assert_int_equal(page_number(view, "pool.nodes"), n);
    assert_false(page_is_null(view, "reliability"));
    assert_false(page_is_null(view, "detection.misclassification"));
    // Confidence was calibrated on the same nodes, so they cannot judge that.
    assert_true(page_is_null(view, "calibrated_reliability"));
    free(judges);
    free(role);
    page_free(&read);
    opn_model_free(model);
    opn_graph_free(graph);
    support_close_stage(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(a_promise_of_the_page_is_that_of_a_decision),
            WITH_CTX(nodes_to_label_are_those_of_suggest),
            WITH_CTX(the_radius_of_the_prior_is_that_of_training),
            WITH_CTX(without_test_nodes_the_validation_nodes_judge),
    };
    return cmocka_run_group_tests_name("report_advice", tests, NULL, NULL);
}
