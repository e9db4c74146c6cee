// suggestions_test.c -- nodes that are worth labelling next.

#include "graph/graph_data.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;
static char folder[SUPPORT_PATH];

enum { N = TRIAL_NODES };

#define DRAWN   "nodes=200 classes=3 features=30 seed=5"
#define TRAINED "model=s-bgcn-t-k epochs=40 samples=4 hidden=8 seed=2"

// ---- the choice ----------------------------------------------------------------------

// P^2 of the graph, dense.
static void average_twice(const opn_graph *graph, double p2[N][N])
{
    double p[N][N] = {{0}};
    const opn_i_csr *a = &graph->topology;
    for (int j = 0; j < N; j++) {
        const double n_neighbours = (double)(a->row_ptr[j + 1] - a->row_ptr[j]);
        p[j][j] = n_neighbours > 0.0 ? 0.5 : 1.0;
        for (opn_off e = a->row_ptr[j]; e < a->row_ptr[j + 1]; e++)
            p[j][a->col_idx[e]] += 0.5 / n_neighbours;
    }
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            p2[j][i] = 0.0;
            for (int k = 0; k < N; k++)
                p2[j][i] += p[j][k] * p[k][i];
        }
}

static void gains_are_those_of_the_formula(void **state)
{
    (void)state;
    opn_graph *graph = trial_groups(ctx);
    double left[N];
    double p2[N][N];
    float unsettled[N];
    uint8_t candidate[N];
    opn_vid node[N + 1];
    double gain[N + 1];
    int32_t n = 0;
    average_twice(graph, p2);
    for (int i = 0; i < N; i++) {
        unsettled[i] = (float)(1 + (i * 5) % 7) / 8.0f;
        left[i] = (double)unsettled[i];
        candidate[i] = i != 3;
    }
    assert_int_equal(
            opn_label_choose(ctx, graph, unsettled, candidate, N + 1, node, gain, &n),
            OPN_OK);
    assert_int_equal(n, N - 1);
    for (int r = 0; r < n; r++) {
        double most = -1.0;
        double chosen = 0.0;
        assert_true(candidate[node[r]]);
        for (int i = 0; i < N; i++) {
            double sum = 0.0;
            for (int j = 0; j < N; j++)
                sum += p2[j][i] * left[j];
            most = candidate[i] && sum > most ? sum : most;
            chosen = i == node[r] ? sum : chosen;
        }
        assert_true(chosen >= most - 1e-6);
        assert_float_equal((float)gain[r], (float)chosen, 1e-5f);
        const double own = p2[node[r]][node[r]];
        for (int j = 0; j < N; j++)
            left[j] *= fmax(0.0, 1.0 - p2[j][node[r]] / own);
        left[node[r]] = 0.0;
        candidate[node[r]] = 0;
    }
    opn_graph_free(graph);
}

static void the_second_node_is_chosen_in_the_other_group(void **state)
{
    (void)state;
    opn_graph *graph = trial_groups(ctx);
    float unsettled[N];
    uint8_t candidate[N];
    opn_vid node[2];
    double gain[2];
    int32_t n = 0;
    for (int i = 0; i < N; i++) {
        unsettled[i] = i < 4 ? 0.8f : 0.7f;
        candidate[i] = 1;
    }
    unsettled[N - 1] = 0.0f; // isolated
    assert_int_equal(
            opn_label_choose(ctx, graph, unsettled, candidate, 2, node, gain, &n),
            OPN_OK);
    assert_int_equal(n, 2);
    assert_true(node[0] < 4 && node[1] >= 4);
    assert_true(gain[0] > gain[1] && gain[1] > 0.0);
    opn_graph_free(graph);
}

static void bad_numbers_are_refused(void **state)
{
    (void)state;
    static const float bad[] = {NAN, INFINITY, -0.5f};
    opn_graph *graph = trial_groups(ctx);
    float unsettled[N] = {0};
    uint8_t candidate[N] = {1};
    opn_vid node[1];
    double gain[1];
    int32_t n = 77;
    for (int b = 0; b < 3; b++) {
        unsettled[5] = bad[b];
        assert_int_equal(
                opn_label_choose(ctx, graph, unsettled, candidate, 1, node, gain, &n),
                OPN_ERR_INVALID_ARG);
        support_expect_error(ctx, "node 5 is");
    }
    assert_int_equal(
            opn_label_choose(ctx, graph, unsettled, candidate, 0, node, gain, &n),
            OPN_ERR_INVALID_ARG);
    assert_int_equal(n, 77);
    opn_graph_free(graph);
}

// ---- suggestions of a model ----------------------------------------------------------

static opn_suggestions *suggest(const opn_model *model, const opn_graph *graph, int32_t n)
{
    opn_suggestions *found = NULL;
    if (opn_suggest(ctx, model, graph, NULL, n, &found) != OPN_OK)
        fail_msg("%s", opn_ctx_error(ctx));
    return found;
}

static void only_nodes_without_a_label_are_suggested_if_there_are_some(void **state)
{
    (void)state;
    opn_graph *graph = trial_draw(ctx, DRAWN);
    for (int i = 0; i < 200; i++)
        graph->label[i] = i % 4 == 0 ? -1 : graph->label[i];
    opn_model *model = trial_train(ctx, graph, TRAINED);
    opn_suggestions *found = suggest(model, graph, 70);
    assert_int_equal(found->n_candidates, 50);
    assert_int_equal(found->n, 50);
    for (int s = 0; s < found->n; s++) {
        const opn_suggestion *one = &found->suggestion[s];
        assert_int_equal(one->node % 4, 0);
        assert_true(one->vacuity > 0.0f && one->dissonance >= 0.0f);
        assert_true(one->predicted >= 0 && one->predicted < 3);
        for (int t = 0; t < s; t++)
            assert_int_not_equal(one->node, found->suggestion[t].node);
    }
    opn_suggestions_free(found);
    opn_model_free(model);
    opn_graph_free(graph);
}

static void nodes_whose_label_was_used_are_not_suggested(void **state)
{
    (void)state;
    opn_graph *graph = trial_draw_split(ctx, DRAWN, 4);
    opn_model *model = trial_train(ctx, graph, "model=gcn epochs=20");
    opn_suggestions *found = suggest(model, graph, 20);
    assert_int_equal(found->n_candidates, 100);
    assert_int_equal(found->n, 20);
    for (int s = 0; s < found->n; s++) {
        assert_true(found->suggestion[s].node % 4 >= 2);
        assert_true(isnan(found->suggestion[s].vacuity));
        assert_true(found->suggestion[s].entropy > 0.0f);
    }
    opn_suggestions_free(found);
    opn_model_free(model);
    opn_graph_free(graph);
}

static void a_graph_with_nothing_left_to_label_is_refused(void **state)
{
    (void)state;
    opn_graph *graph = trial_draw(ctx, DRAWN);
    opn_model *model = trial_train(ctx, graph, "model=gcn epochs=2");
    opn_suggestions *found = NULL;
    assert_int_equal(opn_suggest(ctx, model, graph, NULL, 5, &found), OPN_ERR_SHAPE);
    support_expect_error(ctx, "every label is known to the model");
    assert_int_equal(opn_suggest(ctx, model, graph, NULL, 0, &found),
                     OPN_ERR_INVALID_ARG);
    assert_null(found);
    opn_model_free(model);
    opn_graph_free(graph);
}

static void suggestions_are_written_in_their_order(void **state)
{
    (void)state;
    opn_ctx *own = support_ctx(NULL);
    opn_graph *graph = trial_groups(own);
    opn_model *model = trial_train(own, graph, "model=gcn epochs=1");
    const opn_suggestion suggestion[] = {{3, 1.5, 1, 0.5f, 0.25f, 1.0f},
                                         {8, 0.25, 0, NAN, NAN, 0.5f}};
    const opn_suggestions all = {.n_candidates = 3, .n = 2, .suggestion = suggestion};
    static const char table[] = "node,gain,predicted,vacuity,dissonance,entropy\n"
                                "3,1.5,1,0.5,0.25,1\n"
                                "8,0.25,0,,,0.5\n";
    char path[SUPPORT_PATH];
    support_path(path, folder, "s.csv");
    assert_int_equal(opn_suggestions_save(own, model, graph, &all, path), OPN_OK);
    support_expect_file(path, table, strlen(table));
    opn_model_free(model);
    opn_graph_free(graph);
    support_ctx_free(own, NULL);
}

static opn_status choose_in_groups(opn_ctx *own)
{
    const opn_vid source[] = {0, 1, 1, 2};
    const opn_vid target[] = {1, 0, 2, 1};
    const float unsettled[] = {0.5f, 0.25f, 1.0f};
    const uint8_t candidate[] = {1, 1, 1};
    opn_vid node[2];
    double gain[2];
    int32_t n = 0;
    opn_graph *raw = NULL;
    opn_graph *graph = NULL;
    opn_status status = opn_graph_create_edges(own, 3, 4, source, target, NULL, &raw);
    if (status == OPN_OK)
        status = opn_graph_prepare(own, raw, OPN_STEP_UNDIRECTED, &graph);
    if (status == OPN_OK)
        status = opn_label_choose(own, graph, unsettled, candidate, 2, node, gain, &n);
    opn_graph_free(graph);
    opn_graph_free(raw);
    return status;
}

static void every_failed_allocation_is_reported(void **state)
{
    (void)state;
    assert_true(support_fail_allocations(choose_in_groups) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(gains_are_those_of_the_formula),
            WITH_CTX(the_second_node_is_chosen_in_the_other_group),
            WITH_CTX(bad_numbers_are_refused),
            WITH_CTX(only_nodes_without_a_label_are_suggested_if_there_are_some),
            WITH_CTX(nodes_whose_label_was_used_are_not_suggested),
            WITH_CTX(a_graph_with_nothing_left_to_label_is_refused),
            WITH_FOLDER(suggestions_are_written_in_their_order),
            cmocka_unit_test(every_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
