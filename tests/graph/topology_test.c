// topology_test.c -- the undirected view and the components, against dense oracles.

#include "graph/graph_data.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <string.h>

enum { MAX_NODES = 40, MAX_EDGES = 160, N_CASES = 600 };

// Directed edges with repeats, self-loops and isolated nodes, and their dense matrix.
typedef struct sample {
    int32_t n_nodes, n_edges;
    int32_t source[MAX_EDGES], target[MAX_EDGES];
    opn_real weight[MAX_EDGES];
    opn_real best[MAX_NODES][MAX_NODES]; // largest weight in either direction, 0 for none
} sample;

static sample random_sample(uint64_t *state)
{
    sample s = {.n_nodes = (int32_t)below(state, MAX_NODES + 1)};
    if (s.n_nodes > 0)
        s.n_edges = (int32_t)below(state, below(state, 2) == 0 ? 20 : MAX_EDGES);
    const uint32_t n = (uint32_t)s.n_nodes;
    const uint32_t reach = 1 + below(state, MAX_NODES); // nodes beyond stay alone
    for (int32_t e = 0; e < s.n_edges; e++) {
        const int32_t i = (int32_t)(below(state, reach) % n);
        const int32_t j = below(state, 8) == 0 ? i : (int32_t)(below(state, reach) % n);
        s.source[e] = i;
        s.target[e] = j;
        s.weight[e] = (opn_real)(1 + below(state, 9)) / 4;
    }
    return s;
}

// Fills best; `with_weight` false takes every weight as 1.
static void make_dense(sample *s, bool with_weight)
{
    memset(s->best, 0, sizeof(s->best));
    for (int32_t e = 0; e < s->n_edges; e++) {
        const int32_t i = s->source[e];
        const int32_t j = s->target[e];
        const opn_real weight = with_weight ? s->weight[e] : 1;
        if (i == j)
            continue;
        if (weight > s->best[i][j])
            s->best[i][j] = s->best[j][i] = weight;
    }
}

static opn_i_csr directed(opn_ctx *ctx, const sample *s, bool with_weight)
{
    opn_i_csr csr = {0};
    assert_int_equal(opn_i_csr_from_triples(ctx, s->n_nodes, s->n_nodes, s->n_edges,
                                            s->source, s->target,
                                            with_weight ? s->weight : NULL, &csr),
                     OPN_OK);
    return csr;
}

static void expect_dense(const opn_i_csr *got, const sample *s, bool with_weight)
{
    opn_off e = 0;
    assert_int_equal(got->n_rows, s->n_nodes);
    assert_int_equal(got->n_cols, s->n_nodes);
    assert_int_equal(got->value != NULL, with_weight);
    for (int32_t i = 0; i < s->n_nodes; i++) {
        assert_int_equal(got->row_ptr[i], e);
        for (int32_t j = 0; j < s->n_nodes; j++) {
            if (s->best[i][j] == 0)
                continue;
            assert_true(e < opn_i_csr_n_entries(got));
            assert_int_equal(got->col_idx[e], j);
            if (with_weight)
                assert_true(got->value[e] == s->best[i][j]);
            e++;
        }
    }
    assert_int_equal(opn_i_csr_n_entries(got), e);
}

static void the_undirected_view_is_the_dense_one_with_largest_weights(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    uint64_t rng = 11;
    for (int c = 0; c < N_CASES; c++) {
        sample s = random_sample(&rng);
        const bool with_weight = c % 2 == 0;
        make_dense(&s, with_weight);
        opn_i_csr from = directed(ctx, &s, with_weight);
        opn_i_csr view = {0};
        opn_i_csr again = {0};
        assert_int_equal(opn_i_topology_undirect(ctx, &from, &view), OPN_OK);
        expect_dense(&view, &s, with_weight);
        assert_int_equal(opn_i_topology_undirect(ctx, &view, &again), OPN_OK);
        expect_dense(&again, &s, with_weight);
        opn_i_csr_deinit(&ctx->alloc, &from);
        opn_i_csr_deinit(&ctx->alloc, &view);
        opn_i_csr_deinit(&ctx->alloc, &again);
    }
    support_ctx_free(ctx, &m);
}

static void rows_need_not_be_sorted(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    opn_i_csr from = {0};
    assert_int_equal(opn_i_csr_init(ctx, 3, 3, 4, true, &from), OPN_OK);
    memcpy(from.row_ptr, (const opn_off[]){0, 3, 4, 4}, 4 * sizeof(opn_off));
    memcpy(from.col_idx, (const int32_t[]){2, 1, 2, 0}, 4 * sizeof(int32_t));
    memcpy(from.value, (const opn_real[]){5, 1, 7, 3}, 4 * sizeof(opn_real));
    opn_i_csr view = {0};
    assert_int_equal(opn_i_topology_undirect(ctx, &from, &view), OPN_OK);
    assert_memory_equal(view.row_ptr, ((const opn_off[]){0, 2, 3, 4}),
                        4 * sizeof(opn_off));
    assert_memory_equal(view.col_idx, ((const int32_t[]){1, 2, 0, 0}),
                        4 * sizeof(int32_t));
    assert_memory_equal(view.value, ((const opn_real[]){3, 7, 3, 7}),
                        4 * sizeof(opn_real));
    opn_i_csr_deinit(&ctx->alloc, &from);
    opn_i_csr_deinit(&ctx->alloc, &view);
    support_ctx_free(ctx, &m);
}

// Spreads the smallest number over the edges until nothing changes, then counts.
static int32_t slow_components(const sample *s, int32_t component[MAX_NODES])
{
    int32_t least[MAX_NODES];
    for (int32_t i = 0; i < s->n_nodes; i++)
        least[i] = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t i = 0; i < s->n_nodes; i++)
            for (int32_t j = 0; j < s->n_nodes; j++)
                if (s->best[i][j] != 0 && least[j] < least[i]) {
                    least[i] = least[j];
                    changed = true;
                }
    }
    int32_t n = 0;
    for (int32_t i = 0; i < s->n_nodes; i++)
        component[i] = least[i] == i ? n++ : component[least[i]];
    return n;
}

static void components_are_those_of_brute_force_by_their_smallest_node(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    uint64_t rng = 12;
    for (int c = 0; c < N_CASES; c++) {
        sample s = random_sample(&rng);
        make_dense(&s, true);
        const opn_graph graph = {.topology = directed(ctx, &s, c % 2 == 0)};
        int32_t want[MAX_NODES] = {0};
        int32_t got[MAX_NODES] = {0};
        int32_t n_got = -1;
        const int32_t n_want = slow_components(&s, want);
        assert_int_equal(opn_i_graph_components(ctx, &graph, got, &n_got), OPN_OK);
        assert_int_equal(n_got, n_want);
        assert_memory_equal(got, want, sizeof(want));
        opn_i_csr topology = graph.topology;
        opn_i_csr_deinit(&ctx->alloc, &topology);
    }
    support_ctx_free(ctx, &m);
}

// Node i joined to one far away, in an order that makes a careless union slow.
static void a_long_path_is_one_component(void **state)
{
    (void)state;
    enum { N = 200000 };
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    opn_i_csr path = {0};
    assert_int_equal(opn_i_csr_init(ctx, N, N, N, false, &path), OPN_OK);
    for (int32_t i = 0; i < N; i++) {
        path.row_ptr[i + 1] = i + 1;
        path.col_idx[i] = i < N / 2 ? N - 1 - i : N - i; // 0, N-1, 1, N-2, 2, ...
    }
    const opn_graph graph = {.topology = path};
    int32_t *component = opn_i_calloc(&ctx->alloc, N, sizeof(*component));
    int32_t n_components = 0;
    assert_non_null(component);
    assert_int_equal(opn_i_graph_components(ctx, &graph, component, &n_components),
                     OPN_OK);
    assert_int_equal(n_components, 1);
    for (int32_t i = 0; i < N; i++)
        assert_int_equal(component[i], 0);
    opn_i_release(&ctx->alloc, component);
    opn_i_csr_deinit(&ctx->alloc, &path);
    support_ctx_free(ctx, &m);
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    uint64_t rng = 13;
    sample s = random_sample(&rng);
    opn_status status = OPN_ERR_NOMEM;
    for (long fail_at = 1; status != OPN_OK; fail_at++) {
        meter m = {0};
        opn_ctx *ctx = support_ctx(&m);
        opn_graph graph = {.topology = directed(ctx, &s, true)};
        opn_i_csr view = {0};
        int32_t component[MAX_NODES];
        int32_t n_components = -1;
        m.fail_at = m.n_requests + fail_at;
        status = opn_i_topology_undirect(ctx, &graph.topology, &view);
        assert_int_equal(view.row_ptr != NULL, status == OPN_OK);
        if (status == OPN_OK)
            status = opn_i_graph_components(ctx, &graph, component, &n_components);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
        opn_i_csr_deinit(&ctx->alloc, &view);
        opn_i_csr_deinit(&ctx->alloc, &graph.topology);
        support_ctx_free(ctx, &m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(the_undirected_view_is_the_dense_one_with_largest_weights),
            cmocka_unit_test(rows_need_not_be_sorted),
            cmocka_unit_test(components_are_those_of_brute_force_by_their_smallest_node),
            cmocka_unit_test(a_long_path_is_one_component),
            cmocka_unit_test(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
