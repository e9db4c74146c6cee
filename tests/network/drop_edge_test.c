// drop_edge_test.c -- DropEdge: the matrix of the edges that are left, against a dense
// one written out here.

#include "graph/normalise.h"
#include "network/drop_edge.h"
#include "support/cmocka_test.h"
#include "support/sample_network.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

static const double some_rates[] = {0.0, 0.2, 0.5, 0.9};

// A graph, its dropper, and one thread.
typedef struct scene {
    opn_graph *graph;
    opn_i_edge_dropper dropper;
    opn_i_exec exec;
} scene;

static scene open_scene(opn_graph *graph)
{
    scene s = {.graph = graph, .exec = {.kernels = opn_k_select(), .n_threads = 1}};
    assert_int_equal(opn_i_edge_dropper_init(ctx, &graph->topology, &s.dropper), OPN_OK);
    return s;
}

static void close_scene(scene *s)
{
    opn_i_edge_dropper_deinit(&ctx->alloc, &s->dropper);
    opn_graph_free(s->graph);
}

static void drop(scene *s, uint32_t step, double rate)
{
    opn_i_keep_bits(&s->exec, 4, OPN_STREAM_STUDENT_EDGES, step, rate, s->dropper.n_edges,
                    s->dropper.keep);
    opn_i_edge_dropper_drop(&s->exec, &s->dropper);
}

// Drawn edges, of drawn weights if wanted. Every seventh node is alone.
static opn_graph *draw_graph(int32_t n_nodes, bool is_weighted, uint64_t *random)
{
    opn_graph *graph = network_drawn_graph(ctx, n_nodes, 7, random);
    if (!is_weighted)
        return graph;
    const opn_i_csr *a = &graph->topology;
    int32_t *edge = calloc((size_t)opn_i_csr_n_entries(a) + 1, sizeof(*edge));
    opn_real *weight = calloc((size_t)opn_i_csr_n_entries(a) + 1, sizeof(*weight));
    assert_non_null(edge);
    assert_non_null(weight);
    opn_off n = 0;
    for (int32_t i = 0; i < n_nodes; i++) {
        for (opn_off e = a->row_ptr[i]; e < a->row_ptr[i + 1]; e++) {
            if (a->col_idx[e] < i)
                continue;
            edge[2 * n] = i;
            edge[2 * n + 1] = a->col_idx[e];
            weight[n++] = (opn_real)draw(random, 0.1, 3.0);
        }
    }
    opn_graph *weighted = network_graph(ctx, n_nodes, (int32_t)n, edge, weight);
    opn_graph_free(graph);
    free(edge);
    free(weight);
    return weighted;
}

// ---- the dense matrix ----------------------------------------------------------------

// [V,V] as the definition has it. Edges are counted as they come above the diagonal, row
// by row; *n_kept is how many are left.
static double *dense_matrix(const scene *s, opn_off *n_kept)
{
    const opn_i_csr *a = &s->graph->topology;
    const size_t n = (size_t)a->n_rows;
    double *left = calloc(n * n, sizeof(*left));
    double *degree = calloc(n, sizeof(*degree));
    assert_non_null(left);
    assert_non_null(degree);
    for (size_t i = 0; i < n; i++)
        for (opn_off e = a->row_ptr[i]; e < a->row_ptr[i + 1]; e++)
            left[i * n + (size_t)a->col_idx[e]] =
                    a->value == NULL ? 1.0 : (double)a->value[e];
    opn_off number = 0;
    *n_kept = 0;
    for (size_t i = 0; i < n; i++) {
        left[i * n + i] = 1.0;
        for (size_t j = i + 1; j < n; j++) {
            if (left[i * n + j] == 0.0)
                continue;
            const bool is_kept = opn_i_bit(s->dropper.keep, number++);
            if (!is_kept)
                left[i * n + j] = left[j * n + i] = 0.0;
            *n_kept += is_kept;
        }
    }
    assert_int_equal(number, s->dropper.n_edges);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            degree[i] += left[i * n + j];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            left[i * n + j] /= sqrt(degree[i] * degree[j]);
    free(degree);
    return left;
}

// Every entry that is there is right, and none is there that should not be.
static void expect_dense(const scene *s)
{
    const opn_k_sparse got = opn_i_edge_dropper_view(&s->dropper);
    const int32_t n = s->graph->topology.n_rows;
    opn_off n_kept = 0;
    opn_off n_entries = 0;
    double *want = dense_matrix(s, &n_kept);
    for (int32_t i = 0; i < n; i++) {
        for (opn_off e = got.begin[i]; e < got.end[i]; e++) {
            const double right = want[(size_t)i * (size_t)n + (size_t)got.col[e]];
            assert_true(right > 0.0);
            assert_true(e == got.begin[i] || got.col[e] > got.col[e - 1]);
            expect_close((double)got.value[e], right, by_build(1e-7, 1e-15), 0.0);
        }
        n_entries += got.end[i] - got.begin[i];
    }
    assert_int_equal(n_entries, 2 * n_kept + n);
    assert_null(got.scale);
    free(want);
}

static void the_matrix_is_the_dense_one_of_the_edges_left(void **state)
{
    (void)state;
    static const int32_t n_nodes[] = {1, 2, 5, 13, 31, 33, 64, 150};
    uint64_t random = 3;
    for (int round = 0; round < 2 * 8; round++) {
        scene s = open_scene(draw_graph(n_nodes[round / 2], round % 2 == 1, &random));
        for (uint32_t step = 0; step < 4; step++) {
            drop(&s, step, some_rates[step]);
            expect_dense(&s);
        }
        drop(&s, 1, some_rates[1]); // whatever was there before
        expect_dense(&s);
        close_scene(&s);
    }
}

// ---- the two ends --------------------------------------------------------------------

static void with_all_edges_it_has_the_bits_of_the_whole_matrix(void **state)
{
    (void)state;
    uint64_t random = 5;
    for (int round = 0; round < 2; round++) {
        opn_i_csr whole = {0};
        scene s = open_scene(draw_graph(300, round == 1, &random));
        assert_int_equal(
                opn_i_graph_normalise(ctx, s.graph, OPN_EDGES_NORMALISED, &whole),
                OPN_OK);
        drop(&s, 2, 0.9);
        drop(&s, 3, 0.0);
        const size_t n = (size_t)opn_i_csr_n_entries(&whole);
        assert_memory_equal(s.dropper.begin, whole.row_ptr, 300 * sizeof(opn_off));
        assert_memory_equal(s.dropper.end, whole.row_ptr + 1, 300 * sizeof(opn_off));
        assert_memory_equal(s.dropper.col, whole.col_idx, n * sizeof(int32_t));
        assert_memory_equal(s.dropper.value, whole.value, n * sizeof(opn_real));
        opn_i_csr_deinit(&ctx->alloc, &whole);
        close_scene(&s);
    }
}

static void expect_identity(const scene *s)
{
    const opn_k_sparse got = opn_i_edge_dropper_view(&s->dropper);
    for (int32_t i = 0; i < s->graph->topology.n_rows; i++) {
        assert_int_equal(got.end[i] - got.begin[i], 1);
        assert_int_equal(got.col[got.begin[i]], i);
        assert_true(got.value[got.begin[i]] == 1);
    }
}

static void without_edges_it_is_the_identity(void **state)
{
    (void)state;
    uint64_t random = 6;
    for (int round = 0; round < 3; round++) {
        scene s = open_scene(round == 2 ? network_graph(ctx, 9, 0, NULL, NULL)
                                        : draw_graph(100, round == 1, &random));
        drop(&s, 0, 0.0);
        memset(s.dropper.keep, 0,
               opn_i_bit_words(s.dropper.n_edges) * sizeof(*s.dropper.keep));
        opn_i_edge_dropper_drop(&s.exec, &s.dropper);
        expect_identity(&s);
        close_scene(&s);
    }
}

// ---- edges ---------------------------------------------------------------------------

// The value at (i, j), or 0.
static double value_at(const opn_k_sparse *a, int32_t i, int32_t j)
{
    for (opn_off e = a->begin[i]; e < a->end[i]; e++)
        if (a->col[e] == j)
            return (double)a->value[e];
    return 0.0;
}

static void the_matrix_is_symmetric(void **state)
{
    (void)state;
    uint64_t random = 7;
    scene s = open_scene(draw_graph(200, true, &random));
    const opn_k_sparse got = opn_i_edge_dropper_view(&s.dropper);
    for (uint32_t step = 0; step < 10; step++) {
        drop(&s, step, 0.2);
        for (int32_t i = 0; i < 200; i++)
            for (opn_off e = got.begin[i]; e < got.end[i]; e++)
                expect_close(value_at(&got, got.col[e], i), (double)got.value[e],
                             by_build(1e-7, 1e-15), 0.0);
    }
    close_scene(&s);
}

static void one_bit_takes_both_directions_of_one_edge(void **state)
{
    (void)state;
    uint64_t random = 8;
    scene s = open_scene(draw_graph(40, false, &random));
    const opn_i_csr *a = &s.graph->topology;
    const opn_k_sparse got = opn_i_edge_dropper_view(&s.dropper);
    for (int32_t i = 0; i < 40; i++) {
        for (opn_off e = a->row_ptr[i]; e < a->row_ptr[i + 1]; e++) {
            const uint32_t number = s.dropper.edge[e];
            opn_off n_left = 0;
            drop(&s, 0, 0.0);
            s.dropper.keep[number / 64] &= ~(UINT64_C(1) << (number % 64));
            opn_i_edge_dropper_drop(&s.exec, &s.dropper);
            for (int32_t j = 0; j < 40; j++)
                n_left += got.end[j] - got.begin[j];
            assert_int_equal(n_left, opn_i_csr_n_entries(a) + 40 - 2);
            assert_true(value_at(&got, i, a->col_idx[e]) == 0.0);
            assert_true(value_at(&got, a->col_idx[e], i) == 0.0);
        }
    }
    close_scene(&s);
}

static void the_share_of_edges_kept_is_what_the_rate_leaves(void **state)
{
    (void)state;
    enum { STEPS = 50 };
    uint64_t random = 9;
    scene s = open_scene(draw_graph(3000, false, &random));
    const double n = (double)s.dropper.n_edges * STEPS;
    for (int r = 0; r < 4; r++) {
        double n_kept = 0.0;
        for (uint32_t step = 0; step < STEPS; step++) {
            drop(&s, step, some_rates[r]);
            for (int32_t i = 0; i < 3000; i++)
                n_kept += 0.5 * (double)(s.dropper.end[i] - s.dropper.begin[i] - 1);
        }
        const double deviation = sqrt(some_rates[r] * (1.0 - some_rates[r]) / n);
        assert_true(fabs(n_kept / n - (1.0 - some_rates[r])) <= 5.0 * deviation + 2e-5);
    }
    close_scene(&s);
}

// ---- threads and memory --------------------------------------------------------------

static void it_has_the_same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    uint64_t random = 10;
    const int32_t n_nodes = network_for_threads.n_nodes;
    opn_graph *graph = draw_graph(n_nodes, true, &random);
    scene first = open_scene(graph);
    scene other = first;
    assert_int_equal(opn_i_edge_dropper_init(ctx, &graph->topology, &other.dropper),
                     OPN_OK);
    drop(&first, 1, 0.2);
    const size_t n = (size_t)opn_i_csr_n_entries(&graph->topology) + (size_t)n_nodes;
    for (int t = 0; t < N_THREAD_COUNTS; t++) {
        other.exec.n_threads = thread_counts[t];
        drop(&other, 0, 0.0);
        drop(&other, 0, 0.5); // what lies behind the rows is that of other passes
        drop(&other, 1, 0.2);
        assert_memory_equal(other.dropper.end, first.dropper.end,
                            (size_t)n_nodes * sizeof(opn_off));
        for (int32_t i = 0; i < n_nodes; i++) {
            const opn_off at = first.dropper.begin[i];
            const size_t n_here = (size_t)(first.dropper.end[i] - at);
            assert_true((size_t)at + n_here <= n);
            assert_memory_equal(other.dropper.col + at, first.dropper.col + at,
                                n_here * sizeof(int32_t));
            assert_memory_equal(other.dropper.value + at, first.dropper.value + at,
                                n_here * sizeof(opn_real));
        }
    }
    opn_i_edge_dropper_deinit(&ctx->alloc, &other.dropper);
    close_scene(&first);
}

static void dropping_allocates_nothing(void **state)
{
    (void)state;
    uint64_t random = 11;
    scene s = open_scene(draw_graph(100, true, &random));
    const meter *m = ctx->alloc.user;
    const long n_before = m->n_requests;
    for (uint32_t step = 0; step < 4; step++)
        drop(&s, step, some_rates[step]);
    assert_int_equal(m->n_requests, n_before);
    close_scene(&s);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    uint64_t random = 12;
    opn_graph *graph = draw_graph(20, true, &random);
    int n_failed = 0;
    for (long fail_at = 1;; fail_at++) {
        meter m = {0};
        opn_ctx *other = support_ctx(&m);
        opn_i_edge_dropper dropper = {0};
        m.fail_at = m.n_requests + fail_at;
        const opn_status status =
                opn_i_edge_dropper_init(other, &graph->topology, &dropper);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
        assert_true((status == OPN_OK) == (dropper.edge != NULL));
        opn_i_edge_dropper_deinit(&other->alloc, &dropper);
        support_ctx_free(other, &m);
        if (status == OPN_OK)
            break;
        n_failed++;
    }
    assert_int_equal(n_failed, 8);
    opn_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(the_matrix_is_the_dense_one_of_the_edges_left),
            WITH_CTX(with_all_edges_it_has_the_bits_of_the_whole_matrix),
            WITH_CTX(without_edges_it_is_the_identity),
            WITH_CTX(the_matrix_is_symmetric),
            WITH_CTX(one_bit_takes_both_directions_of_one_edge),
            WITH_CTX(the_share_of_edges_kept_is_what_the_rate_leaves),
            WITH_CTX(it_has_the_same_bits_on_any_number_of_threads),
            WITH_CTX(dropping_allocates_nothing),
            WITH_CTX(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
