// normalise_test.c -- the matrices by which nodes see their neighbours.

#include "graph/normalise.h"
#include "support/cmocka_test.h"
#include "support/sample_network.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

static opn_i_csr normalised(const opn_graph *graph)
{
    opn_i_csr a = {0};
    assert_int_equal(opn_i_graph_normalise(ctx, graph, OPN_EDGES_NORMALISED, &a), OPN_OK);
    return a;
}

static void the_small_graph_is_normalised_as_the_golden_one(void **state)
{
    (void)state;
    for (int c = 0; c < 2; c++) {
        opn_real weight[GOLDEN_E];
        double dense[GOLDEN_V * GOLDEN_V] = {0.0};
        for (int e = 0; e < GOLDEN_E; e++)
            weight[e] = (opn_real)golden_cases[c].edge_weight[e];
        opn_graph *graph = network_graph(ctx, GOLDEN_V, GOLDEN_E, golden_edge, weight);
        opn_i_csr a = normalised(graph);
        assert_int_equal(opn_i_csr_n_entries(&a), 2 * GOLDEN_E + GOLDEN_V);
        for (int32_t i = 0; i < GOLDEN_V; i++) {
            for (opn_off e = a.row_ptr[i]; e < a.row_ptr[i + 1]; e++) {
                assert_true(e == a.row_ptr[i] || a.col_idx[e] > a.col_idx[e - 1]);
                dense[i * GOLDEN_V + a.col_idx[e]] = (double)a.value[e];
            }
        }
        for (int j = 0; j < GOLDEN_V * GOLDEN_V; j++)
            expect_close(dense[j], golden_cases[c].a_hat[j], by_build(2e-7, 1e-15), 0.0);
        opn_i_csr_deinit(&ctx->alloc, &a);
        opn_graph_free(graph);
    }
}

// Â D^1/2 1 = D^1/2 1: the largest eigenvalue is 1, and no weight is lost.
static void the_roots_of_the_degrees_are_kept_by_the_product(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (int round = 0; round < 20; round++) {
        opn_graph *graph = network_drawn_graph(ctx, 1 + 17 * round, 5, &random);
        opn_i_csr a = normalised(graph);
        const opn_off *row_ptr = graph->topology.row_ptr;
        for (int32_t i = 0; i < a.n_rows; i++) {
            double sum = 0.0;
            for (opn_off e = a.row_ptr[i]; e < a.row_ptr[i + 1]; e++) {
                const int32_t j = a.col_idx[e];
                sum += (double)a.value[e] *
                       sqrt((double)(row_ptr[j + 1] - row_ptr[j]) + 1.0);
            }
            expect_close(sum, sqrt((double)(row_ptr[i + 1] - row_ptr[i]) + 1.0),
                         by_build(1e-6, 1e-14), 0.0);
        }
        opn_i_csr_deinit(&ctx->alloc, &a);
        opn_graph_free(graph);
    }
}

static void an_isolated_node_keeps_itself_whole(void **state)
{
    (void)state;
    const int32_t edge[] = {0, 2};
    opn_graph *graph = network_graph(ctx, 4, 1, edge, NULL);
    opn_i_csr a = normalised(graph);
    const opn_off row_ptr[] = {0, 2, 3, 5, 6};
    const int32_t col_idx[] = {0, 2, 1, 0, 2, 3};
    const double value[] = {0.5, 0.5, 1.0, 0.5, 0.5, 1.0};
    assert_memory_equal(a.row_ptr, row_ptr, sizeof(row_ptr));
    assert_memory_equal(a.col_idx, col_idx, sizeof(col_idx));
    for (int e = 0; e < 6; e++)
        expect_close((double)a.value[e], value[e], by_build(1e-7, 1e-15), 0.0);
    opn_i_csr_deinit(&ctx->alloc, &a);
    opn_graph_free(graph);
}

// ---- means ---------------------------------------------------------------------------

static opn_i_csr means(const opn_graph *graph)
{
    opn_i_csr a = {0};
    assert_int_equal(opn_i_graph_normalise(ctx, graph, OPN_EDGES_MEAN, &a), OPN_OK);
    return a;
}

static void rows_of_means_sum_to_one_and_have_a_zero_for_the_node_itself(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (int round = 0; round < 20; round++) {
        opn_graph *graph = network_drawn_graph(ctx, 1 + 17 * round, 5, &random);
        opn_i_csr a = means(graph);
        const opn_i_csr *topology = &graph->topology;
        assert_int_equal(opn_i_csr_n_entries(&a),
                         opn_i_csr_n_entries(topology) + topology->n_rows);
        for (int32_t i = 0; i < a.n_rows; i++) {
            double sum = 0.0;
            int n_self = 0;
            for (opn_off e = a.row_ptr[i]; e < a.row_ptr[i + 1]; e++) {
                assert_true(e == a.row_ptr[i] || a.col_idx[e] > a.col_idx[e - 1]);
                assert_true((a.value[e] == 0) == (a.col_idx[e] == i));
                n_self += a.col_idx[e] == i;
                sum += (double)a.value[e];
            }
            assert_int_equal(n_self, 1);
            const bool is_alone = topology->row_ptr[i] == topology->row_ptr[i + 1];
            expect_close(sum, is_alone ? 0.0 : 1.0, by_build(1e-6, 1e-14), 0.0);
        }
        opn_i_csr_deinit(&ctx->alloc, &a);
        opn_graph_free(graph);
    }
}

static void an_edge_counts_in_a_mean_as_much_as_its_weight(void **state)
{
    (void)state;
    const int32_t edge[] = {0, 1, 0, 2, 1, 2};
    const opn_real weight[] = {1, 3, (opn_real)0.5};
    opn_graph *graph = network_graph(ctx, 4, 3, edge, weight);
    opn_i_csr a = means(graph);
    const opn_off row_ptr[] = {0, 3, 6, 9, 10};
    const int32_t col_idx[] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 3};
    const double value[] = {0.0,       0.25,      0.75,      2.0 / 3.0, 0.0,
                            1.0 / 3.0, 6.0 / 7.0, 1.0 / 7.0, 0.0,       0.0};
    assert_memory_equal(a.row_ptr, row_ptr, sizeof(row_ptr));
    assert_memory_equal(a.col_idx, col_idx, sizeof(col_idx));
    for (int e = 0; e < 10; e++)
        expect_close((double)a.value[e], value[e], by_build(1e-7, 1e-15), 0.0);
    opn_i_csr_deinit(&ctx->alloc, &a);
    opn_graph_free(graph);
}

// ---- no edges ------------------------------------------------------------------------

static void without_edges_a_node_sees_itself_alone(void **state)
{
    (void)state;
    uint64_t random = 1;
    opn_graph *graph = network_drawn_graph(ctx, 30, 5, &random);
    opn_i_csr a = {0};
    assert_int_equal(opn_i_graph_normalise(ctx, graph, OPN_EDGES_NONE, &a), OPN_OK);
    assert_int_equal(a.n_cols, 30);
    assert_null(a.value);
    for (int32_t i = 0; i < 30; i++) {
        assert_int_equal(a.row_ptr[i + 1], i + 1);
        assert_int_equal(a.col_idx[i], i);
    }
    opn_i_csr_deinit(&ctx->alloc, &a);
    opn_graph_free(graph);
}

// ---- refusals ------------------------------------------------------------------------

static void a_directed_graph_is_refused(void **state)
{
    (void)state;
    const int32_t edge[] = {0, 1};
    opn_graph *graph = network_graph(ctx, 2, 1, edge, NULL);
    opn_i_csr a = {0};
    graph->is_undirected = false;
    assert_int_equal(opn_i_graph_normalise(ctx, graph, OPN_EDGES_NORMALISED, &a),
                     OPN_ERR_SHAPE);
    support_expect_error(ctx, "small: the graph is directed");
    assert_null(a.row_ptr);
    opn_graph_free(graph);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    uint64_t random = 1;
    opn_graph *graph = network_drawn_graph(ctx, 30, 5, &random);
    int n_failed = 0;
    for (long fail_at = 1;; fail_at++) {
        meter m = {0};
        opn_ctx *other = support_ctx(&m);
        opn_i_csr a = {0};
        m.fail_at = m.n_requests + fail_at;
        const opn_status status =
                opn_i_graph_normalise(other, graph, OPN_EDGES_NORMALISED, &a);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
        assert_true((status == OPN_OK) == (a.row_ptr != NULL));
        opn_i_csr_deinit(&other->alloc, &a);
        support_ctx_free(other, &m);
        if (status == OPN_OK)
            break;
        n_failed++;
    }
    assert_true(n_failed >= 4);
    opn_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(the_small_graph_is_normalised_as_the_golden_one),
            WITH_CTX(the_roots_of_the_degrees_are_kept_by_the_product),
            WITH_CTX(an_isolated_node_keeps_itself_whole),
            WITH_CTX(rows_of_means_sum_to_one_and_have_a_zero_for_the_node_itself),
            WITH_CTX(an_edge_counts_in_a_mean_as_much_as_its_weight),
            WITH_CTX(without_edges_a_node_sees_itself_alone),
            WITH_CTX(a_directed_graph_is_refused),
            WITH_CTX(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
