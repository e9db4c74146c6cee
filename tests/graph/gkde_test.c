// gkde_test.c -- the prior from labelled nodes nearby: golden values, plain searches and
// the paper's proposition.

#include "graph/gkde.h"
#include "support/cmocka_test.h"
#include "support/sample_network.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

static opn_real *new_prior(int32_t n_nodes, int32_t width)
{
    opn_real *prior = calloc((size_t)n_nodes * (size_t)width + 1, sizeof(*prior));
    assert_non_null(prior);
    for (size_t j = 0; j < (size_t)n_nodes * (size_t)width; j++)
        prior[j] = 77; // nothing of it may be left
    return prior;
}

static opn_real *prior_of(const opn_graph *graph,
                          const int32_t *target,
                          int32_t n_classes,
                          double sigma,
                          bool has_constant)
{
    const int32_t width = opn_i_width(n_classes);
    opn_real *prior = new_prior(opn_i_graph_n_nodes(graph), width);
    assert_int_equal(
            opn_i_gkde(ctx, graph, target, n_classes, sigma, has_constant, width, prior),
            OPN_OK);
    return prior;
}

static double tolerance(void)
{
    return by_build(1e-6, 1e-13);
}

// ---- golden --------------------------------------------------------------------------

static void the_small_graph_has_the_golden_prior_for_every_kernel(void **state)
{
    (void)state;
    opn_graph *graph = network_graph(ctx, GOLDEN_V, GOLDEN_E, golden_edge, NULL);
    int32_t target[GOLDEN_V];
    for (int32_t i = 0; i < GOLDEN_V; i++)
        target[i] = -1;
    for (int l = 0; l < GOLDEN_L; l++)
        target[golden_training[l]] = golden_label[golden_training[l]];
    for (int n = 0; n < GOLDEN_N_KERNELS; n++) {
        opn_real *prior = prior_of(graph, target, GOLDEN_K, golden_kernel_sigma[n],
                                   golden_kernel_constant[n] != 0);
        expect_rows(GOLDEN_V, GOLDEN_K, OPN_LANES, prior,
                    golden_prior + n * GOLDEN_V * GOLDEN_K, tolerance(), 1.0);
        free(prior);
    }
    opn_graph_free(graph);
}

static opn_graph *formula_graph(void)
{
    int32_t edge[2 * (GOLDEN_FORMULA_V + GOLDEN_FORMULA_V / 5)];
    int32_t n = 0;
    for (int32_t i = 0; i < GOLDEN_FORMULA_JOINED - 1; i++) {
        if (i % 37 == 0)
            continue;
        edge[2 * n] = i;
        edge[2 * n++ + 1] = i + 1;
    }
    for (int32_t i = 0; i < GOLDEN_FORMULA_JOINED; i += 5) {
        edge[2 * n] = i;
        edge[2 * n++ + 1] = (7 * i + 3) % GOLDEN_FORMULA_JOINED;
    }
    opn_graph *graph = network_graph(ctx, GOLDEN_FORMULA_V, n, edge, NULL);
    assert_int_equal(opn_i_csr_n_entries(&graph->topology), 2 * GOLDEN_FORMULA_E);
    return graph;
}

static void a_graph_with_more_labels_than_machine_words_is_golden(void **state)
{
    (void)state;
    enum { V = GOLDEN_FORMULA_V, K = GOLDEN_FORMULA_CLASSES };
    static const double *const wants[] = {golden_formula_prior,
                                          golden_formula_prior_wide};
    static const double *const sums[] = {golden_formula_prior_sum,
                                         golden_formula_prior_wide_sum};
    static const double sigmas[] = {1.0, 3.0};
    opn_graph *graph = formula_graph();
    int32_t target[V];
    for (int32_t i = 0; i < V; i++)
        target[i] = i % 3 == 1 ? i % K : -1;
    for (int s = 0; s < 2; s++) {
        opn_real *prior = prior_of(graph, target, K, sigmas[s], false);
        double sum[K] = {0.0};
        for (int32_t i = 0; i < V; i++)
            for (int32_t k = 0; k < K; k++)
                sum[k] += (double)prior[i * OPN_LANES + k] - 1.0;
        for (int n = 0; n < GOLDEN_N_FORMULA_NODES; n++)
            expect_rows(1, K, OPN_LANES, prior + OPN_LANES * golden_formula_node[n],
                        wants[s] + K * n, tolerance(), 1.0);
        for (int k = 0; k < K; k++)
            expect_close(sum[k], sums[s][k], tolerance(), 1.0);
        free(prior);
    }
    opn_graph_free(graph);
}

// ---- against plain searches ----------------------------------------------------------

enum { FAR = 1 << 20 };

// Hops from `source` to all nodes; FAR where there is no path.
static void search_plainly(const opn_graph *graph, int32_t source, int32_t *hops)
{
    const opn_i_csr *a = &graph->topology;
    int32_t *queue = calloc((size_t)a->n_rows, sizeof(*queue));
    assert_non_null(queue);
    int32_t n = 0;
    for (int32_t i = 0; i < a->n_rows; i++)
        hops[i] = FAR;
    hops[source] = 0;
    queue[n++] = source;
    for (int32_t at = 0; at < n; at++) {
        const int32_t i = queue[at];
        for (opn_off e = a->row_ptr[i]; e < a->row_ptr[i + 1]; e++) {
            if (hops[a->col_idx[e]] != FAR)
                continue;
            hops[a->col_idx[e]] = hops[i] + 1;
            queue[n++] = a->col_idx[e];
        }
    }
    free(queue);
}

// alpha_hat [V,K] in double, and, if wanted, the hops [L,V].
static double *plain_prior(const opn_graph *graph,
                           const int32_t *target,
                           int32_t n_classes,
                           double sigma,
                           int32_t *all_hops)
{
    const int32_t n_nodes = opn_i_graph_n_nodes(graph);
    double *prior = calloc((size_t)n_nodes * (size_t)n_classes + 1, sizeof(*prior));
    int32_t *hops = calloc((size_t)n_nodes, sizeof(*hops));
    assert_non_null(prior);
    assert_non_null(hops);
    for (int32_t j = 0; j < n_nodes * n_classes; j++)
        prior[j] = 1.0;
    int32_t n_labelled = 0;
    for (int32_t i = 0; i < n_nodes; i++) {
        if (target[i] < 0)
            continue;
        search_plainly(graph, i, hops);
        for (int32_t j = 0; j < n_nodes; j++)
            if (hops[j] != FAR)
                prior[j * n_classes + target[i]] +=
                        exp(-0.5 * hops[j] * (double)hops[j] / (sigma * sigma));
        if (all_hops != NULL)
            memcpy(all_hops + (size_t)n_labelled * (size_t)n_nodes, hops,
                   (size_t)n_nodes * sizeof(*hops));
        n_labelled++;
    }
    free(hops);
    return prior;
}

static void drawn_graphs_have_the_prior_of_plain_searches(void **state)
{
    (void)state;
    static const int32_t n_nodes[] = {1, 2, 50, 700, 1500};
    static const int32_t n_classes[] = {2, 3, 8, 9, 300};
    static const double sigmas[] = {0.5, 1.0, 2.0};
    uint64_t random = 9;
    for (int n = 0; n < 5; n++) {
        opn_graph *graph = network_drawn_graph(ctx, n_nodes[n], 6, &random);
        int32_t *target = calloc((size_t)n_nodes[n], sizeof(*target));
        assert_non_null(target);
        for (int32_t i = 0; i < n_nodes[n]; i++) // more than 256 in the larger graphs
            target[i] = below(&random, 5) < 3
                                ? (int32_t)below(&random, (uint32_t)n_classes[n])
                                : -1;
        for (int s = 0; s < 3; s++) {
            opn_real *prior = prior_of(graph, target, n_classes[n], sigmas[s], false);
            double *want = plain_prior(graph, target, n_classes[n], sigmas[s], NULL);
            expect_rows(n_nodes[n], n_classes[n], opn_i_width(n_classes[n]), prior, want,
                        by_build(3e-6, 1e-13), 1.0);
            free(want);
            free(prior);
        }
        free(target);
        opn_graph_free(graph);
    }
}

// A star whose rays end in labelled nodes: each alone is too far to count.
static void many_labelled_nodes_count_where_one_would_not(void **state)
{
    (void)state;
    enum { RAYS = 300, LENGTH = 6, V = 1 + RAYS * LENGTH };
    static int32_t edge[2 * RAYS * LENGTH], target[V];
    for (int32_t i = 0; i < V; i++)
        target[i] = -1;
    for (int32_t e = 0; e < RAYS * LENGTH; e++) {
        edge[2 * e] = e % LENGTH == 0 ? 0 : e;
        edge[2 * e + 1] = e + 1;
        if (e % LENGTH == LENGTH - 1)
            target[e + 1] = 1;
    }
    opn_graph *graph = network_graph(ctx, V, RAYS * LENGTH, edge, NULL);
    opn_real *prior = prior_of(graph, target, 2, 1.0, false);
    expect_close((double)prior[1], 1.0 + RAYS * exp(-18.0), tolerance(), 1.0);
    assert_true(prior[1] > 1);
    assert_true(prior[0] == 1);
    free(prior);
    opn_graph_free(graph);
}

// ---- the proposition -----------------------------------------------------------------

static double vacuity_of(const opn_real *prior, int32_t i, int32_t n_classes)
{
    double sum = 0.0;
    for (int32_t k = 0; k < n_classes; k++)
        sum += (double)prior[i * opn_i_width(n_classes) + k];
    return n_classes / sum;
}

static void proposition_1_nodes_farther_from_all_labels_are_more_vacuous(void **state)
{
    (void)state;
    enum { V = 60, K = 4, MOST = V };
    static int32_t hops[MOST * V];
    uint64_t random = 12;
    long n_pairs = 0;
    for (int round = 0; round < 60; round++) {
        opn_graph *graph = network_drawn_graph(ctx, V, round % 3 == 0 ? 9 : 0, &random);
        int32_t target[V];
        int32_t n_labelled = 0;
        for (int32_t i = 0; i < V; i++) {
            target[i] = below(&random, 15) == 0 ? (int32_t)below(&random, K) : -1;
            n_labelled += target[i] >= 0;
        }
        opn_real *prior = prior_of(graph, target, K, 1.0, false);
        free(plain_prior(graph, target, K, 1.0, hops));
        for (int32_t i = 0; i < V; i++) {
            for (int32_t j = 0; j < V; j++) {
                bool is_farther = true;
                for (int32_t l = 0; l < n_labelled; l++)
                    is_farther &= hops[l * V + i] >= hops[l * V + j];
                if (!is_farther)
                    continue;
                n_pairs += i != j;
                assert_true(vacuity_of(prior, i, K) >=
                            vacuity_of(prior, j, K) - by_build(1e-6, 1e-14));
            }
        }
        free(prior);
        opn_graph_free(graph);
    }
    assert_true(n_pairs > 1000);
}

static void nodes_that_no_label_reaches_keep_vacuity_one(void **state)
{
    (void)state;
    const int32_t edge[] = {0, 1, 2, 3};
    const int32_t target[] = {2, -1, -1, -1, -1};
    opn_graph *graph = network_graph(ctx, 5, 2, edge, NULL);
    opn_real *prior = prior_of(graph, target, 3, 1.0, false);
    for (int32_t i = 2; i < 5; i++)
        for (int32_t k = 0; k < 3; k++)
            assert_true(prior[i * OPN_LANES + k] == 1);
    assert_true(vacuity_of(prior, 2, 3) == 1.0);
    assert_true(prior[2] == 2);
    expect_close((double)prior[OPN_LANES + 2], 1.0 + exp(-0.5), tolerance(), 1.0);
    free(prior);
    opn_graph_free(graph);
}

static void without_labels_all_is_one(void **state)
{
    (void)state;
    const int32_t edge[] = {0, 1};
    const int32_t target[] = {-1, -1};
    opn_graph *graph = network_graph(ctx, 2, 1, edge, NULL);
    opn_real *prior = prior_of(graph, target, 2, 1.0, true);
    const double want[] = {1.0, 1.0, 1.0, 1.0};
    expect_rows(2, 2, OPN_LANES, prior, want, 0.0, 0.0);
    free(prior);
    opn_graph_free(graph);
}

// ---- invariants ----------------------------------------------------------------------

static void permuting_the_nodes_permutes_the_prior(void **state)
{
    (void)state;
    enum { V = 90, E = 150, K = 5 };
    uint64_t random = 3;
    int32_t edge[2 * E], turned[2 * E], target[V], turned_target[V];
    for (int e = 0; e < 2 * E; e++)
        edge[e] = (int32_t)below(&random, V);
    for (int32_t i = 0; i < V; i++)
        target[i] = i % 4 == 0 ? (int32_t)below(&random, K) : -1;
    opn_graph *graph = network_graph(ctx, V, E, edge, NULL);
    opn_real *prior = prior_of(graph, target, K, 1.0, false);
    for (int32_t by = 1; by < V; by += 13) { // V and 7 have no common factor
        for (int e = 0; e < 2 * E; e++)
            turned[e] = (7 * edge[e] + by) % V;
        for (int32_t i = 0; i < V; i++)
            turned_target[(7 * i + by) % V] = target[i];
        opn_graph *other = network_graph(ctx, V, E, turned, NULL);
        opn_real *other_prior = prior_of(other, turned_target, K, 1.0, false);
        for (int32_t i = 0; i < V; i++)
            assert_memory_equal(other_prior + OPN_LANES * ((7 * i + by) % V),
                                prior + OPN_LANES * i, OPN_LANES * sizeof(*prior));
        free(other_prior);
        opn_graph_free(other);
    }
    free(prior);
    opn_graph_free(graph);
}

// Asserts that node i, labelled if i modulo `every` is 0, has the same prior on 1 to 8
// threads.
static void expect_same_bits(int32_t n_nodes, int32_t every, int32_t n_classes)
{
    uint64_t random = 4;
    const size_t n_bytes =
            (size_t)n_nodes * (size_t)opn_i_width(n_classes) * sizeof(opn_real);
    opn_graph *graph = network_drawn_graph(ctx, n_nodes, 11, &random);
    int32_t *target = calloc((size_t)n_nodes, sizeof(*target));
    assert_non_null(target);
    for (int32_t i = 0; i < n_nodes; i++)
        target[i] = i % every == 0 ? (int32_t)below(&random, (uint32_t)n_classes) : -1;
    assert_int_equal(opn_ctx_set_threads(ctx, 1), OPN_OK);
    opn_real *first = prior_of(graph, target, n_classes, 1.0, false);
    for (int n_threads = 2; n_threads <= 8; n_threads++) {
        assert_int_equal(opn_ctx_set_threads(ctx, n_threads), OPN_OK);
        opn_real *other = prior_of(graph, target, n_classes, 1.0, false);
        assert_memory_equal(other, first, n_bytes);
        free(other);
    }
    free(first);
    free(target);
    opn_graph_free(graph);
}

static void rows_shared_by_threads_have_the_same_bits(void **state)
{
    (void)state;
    expect_same_bits(40000, 100, 3); // one batch
}

static void batches_shared_by_threads_have_the_same_bits(void **state)
{
    (void)state;
    expect_same_bits(52000, 11, 20); // ten batches of nodes that are reordered
}

// Sums are moved to the prior before integers would overflow or lose digits.
static void any_number_of_labels_of_a_class_adds_up(void **state)
{
    (void)state;
    enum { V = 140000 };
    int32_t *edge = calloc((size_t)2 * V, sizeof(*edge));
    int32_t *target = calloc(V, sizeof(*target));
    assert_non_null(edge);
    assert_non_null(target);
    for (int32_t i = 0; i + 1 < V; i++) {
        edge[2 * i] = i;
        edge[2 * i + 1] = i + 1;
    }
    opn_graph *graph = network_graph(ctx, V, V - 1, edge, NULL);
    opn_real *prior = prior_of(graph, target, 2, 1.0, false);
    double evidence = 1.0;
    for (int d = 1; d < 12; d++)
        evidence += 2.0 * exp(-0.5 * d * d);
    for (int32_t i = 20; i < V - 20; i++) {
        expect_close((double)prior[i * OPN_LANES], 1.0 + evidence, tolerance(), 1.0);
        assert_true(prior[i * OPN_LANES + 1] == 1);
    }
    free(prior);
    free(target);
    free(edge);
    opn_graph_free(graph);
}

static void hubs_within_reach_of_every_label_add_up(void **state)
{
    (void)state;
    enum { V = 70000 };
    int32_t *edge = calloc((size_t)2 * V, sizeof(*edge));
    int32_t *target = calloc(V, sizeof(*target));
    assert_non_null(edge);
    assert_non_null(target);
    for (int32_t i = 1; i < V; i++)
        edge[2 * (i - 1) + 1] = i;
    opn_graph *graph = network_graph(ctx, V, V - 1, edge, NULL); // a star
    for (int n = 0; n < 2; n++) {
        const double g = n == 0 ? 1.0 : 1.0 / (0.5 * sqrt(2.0 * acos(-1.0)));
        const double by = n == 0 ? 0.5 : 2.0; // 1 / (2 sigma^2)
        opn_real *prior = prior_of(graph, target, 2, n == 0 ? 1.0 : 0.5, n == 1);
        expect_close((double)prior[0], 1.0 + g * (1.0 + (V - 1) * exp(-by)),
                     by_build(2e-7, 0x1p-30), 1.0);
        expect_close((double)prior[OPN_LANES],
                     1.0 + g * (1.0 + exp(-by) + (V - 2) * exp(-4.0 * by)),
                     by_build(2e-7, 0x1p-30), 1.0);
        free(prior);
    }
    free(target);
    free(edge);
    opn_graph_free(graph);
}

// Beside the prior, memory does not grow with the number of classes or labels.
static void memory_is_linear_in_the_nodes(void **state)
{
    (void)state;
    enum { V = 3000 };
    uint64_t random = 4;
    opn_graph *graph = network_drawn_graph(ctx, V, 0, &random);
    int32_t target[V];
    for (int32_t i = 0; i < V; i++)
        target[i] = i % 300;
    const meter *m = ctx->alloc.user;
    const size_t n_before = m->n_bytes;
    free(prior_of(graph, target, 300, 1.0, false));
    assert_true(m->n_bytes - n_before < (size_t)V * 384 + 65536);
    opn_graph_free(graph);
}

// ---- failures ------------------------------------------------------------------------

static void a_directed_graph_is_refused(void **state)
{
    (void)state;
    const int32_t edge[] = {0, 1};
    const int32_t target[] = {0, -1};
    opn_graph *graph = network_graph(ctx, 2, 1, edge, NULL);
    opn_real prior[2 * OPN_LANES];
    graph->is_undirected = false;
    assert_int_equal(opn_i_gkde(ctx, graph, target, 2, 1.0, false, OPN_LANES, prior),
                     OPN_ERR_SHAPE);
    support_expect_error(ctx, "small: the graph is directed");
    opn_graph_free(graph);
}

static void a_search_can_be_interrupted(void **state)
{
    (void)state;
    uint64_t random = 1;
    opn_graph *graph = network_drawn_graph(ctx, 100, 0, &random);
    int32_t target[100];
    for (int32_t i = 0; i < 100; i++)
        target[i] = i % 9 == 0 ? 0 : -1;
    opn_real *prior = new_prior(100, OPN_LANES);
    listener ear = {.interrupt_at = 2};
    support_listen(ctx, &ear);
    assert_int_equal(opn_i_gkde(ctx, graph, target, 2, 1.0, false, OPN_LANES, prior),
                     OPN_ERR_INTERRUPTED);
    free(prior);
    opn_graph_free(graph);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    uint64_t random = 1;
    opn_graph *graph = network_drawn_graph(ctx, 30, 5, &random);
    int32_t target[30];
    for (int32_t i = 0; i < 30; i++)
        target[i] = i % 3 - 1;
    opn_real *prior = new_prior(30, OPN_LANES);
    int n_failed = 0;
    for (long fail_at = 1;; fail_at++) {
        meter m = {0};
        opn_ctx *other = support_ctx(&m);
        m.fail_at = m.n_requests + fail_at;
        const opn_status status =
                opn_i_gkde(other, graph, target, 2, 1.0, false, OPN_LANES, prior);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
        support_ctx_free(other, &m);
        if (status == OPN_OK)
            break;
        n_failed++;
    }
    assert_true(n_failed >= 4);
    free(prior);
    opn_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(the_small_graph_has_the_golden_prior_for_every_kernel),
            WITH_CTX(a_graph_with_more_labels_than_machine_words_is_golden),
            WITH_CTX(drawn_graphs_have_the_prior_of_plain_searches),
            WITH_CTX(many_labelled_nodes_count_where_one_would_not),
            WITH_CTX(proposition_1_nodes_farther_from_all_labels_are_more_vacuous),
            WITH_CTX(nodes_that_no_label_reaches_keep_vacuity_one),
            WITH_CTX(without_labels_all_is_one),
            WITH_CTX(permuting_the_nodes_permutes_the_prior),
            WITH_CTX(rows_shared_by_threads_have_the_same_bits),
            WITH_CTX(batches_shared_by_threads_have_the_same_bits),
            WITH_CTX(any_number_of_labels_of_a_class_adds_up),
            WITH_CTX(hubs_within_reach_of_every_label_add_up),
            WITH_CTX(memory_is_linear_in_the_nodes),
            WITH_CTX(a_directed_graph_is_refused),
            WITH_CTX(a_search_can_be_interrupted),
            WITH_CTX(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
