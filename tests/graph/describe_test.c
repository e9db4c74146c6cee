// describe_test.c -- the figures of a graph against dense oracles, and its hash.

#include "golden/graphs_golden.h"
#include "graph/graph_data.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <math.h>
#include <string.h>

enum { MAX_NODES = 40, MAX_EDGES = 160, MAX_ENTRIES = 60, N_CASES = 400 };

// A graph as lists; after changing them, call build().
typedef struct sample {
    int32_t n_nodes, n_edges, n_features, n_entries, n_classes;
    int32_t source[MAX_EDGES], target[MAX_EDGES];
    opn_real weight[MAX_EDGES];
    int32_t row[MAX_ENTRIES], col[MAX_ENTRIES];
    opn_real value[MAX_ENTRIES];
    int32_t label[MAX_NODES];
} sample;

static sample random_sample(uint64_t *rng)
{
    sample s = {.n_nodes = (int32_t)below(rng, MAX_NODES + 1),
                .n_features = 1 + (int32_t)below(rng, 20),
                .n_classes = 1 + (int32_t)below(rng, 5)};
    if (s.n_nodes == 0)
        return s;
    const uint32_t n = (uint32_t)s.n_nodes;
    s.n_edges = (int32_t)below(rng, below(rng, 2) == 0 ? 15 : MAX_EDGES);
    for (int32_t e = 0; e < s.n_edges; e++) {
        s.source[e] = (int32_t)below(rng, n);
        s.target[e] = below(rng, 6) == 0 ? s.source[e] : (int32_t)below(rng, n);
        s.weight[e] = (opn_real)(1 + below(rng, 7)) / 2;
    }
    // At most one entry per node and column, so that nothing adds up to zero.
    for (int32_t i = 0; i < s.n_nodes && i < MAX_ENTRIES; i++) {
        if (below(rng, 4) == 0)
            continue;
        s.row[s.n_entries] = i;
        s.col[s.n_entries] = (int32_t)below(rng, (uint32_t)s.n_features);
        s.value[s.n_entries++] = (opn_real)(1 + below(rng, 7)) / 2;
    }
    for (int32_t i = 0; i < s.n_nodes; i++)
        s.label[i] = (int32_t)below(rng, (uint32_t)s.n_classes + 1) - 1;
    return s;
}

// The graph borrows the labels; release() frees the rest.
static opn_graph build(opn_ctx *ctx, sample *s, bool with_weight)
{
    opn_graph graph = {.n_classes = s->n_classes, .label = s->label};
    assert_int_equal(opn_i_csr_from_triples(
                             ctx, s->n_nodes, s->n_nodes, s->n_edges, s->source,
                             s->target, with_weight ? s->weight : NULL, &graph.topology),
                     OPN_OK);
    assert_int_equal(opn_i_csr_from_triples(ctx, s->n_nodes, s->n_features, s->n_entries,
                                            s->row, s->col, s->value,
                                            &graph.features.lists),
                     OPN_OK);
    assert_int_equal(opn_i_csr_tidy(ctx, &graph.features.lists), OPN_OK);
    return graph;
}

static void release(opn_ctx *ctx, opn_graph *graph)
{
    opn_i_csr_deinit(&ctx->alloc, &graph->topology);
    opn_i_csr_deinit(&ctx->alloc, &graph->features.lists);
}

// ---- figures -------------------------------------------------------------------------

// How often each edge is stored.
typedef struct dense {
    int32_t count[MAX_NODES][MAX_NODES];
} dense;

static dense dense_of(const sample *s, bool undirected)
{
    dense d = {{{0}}};
    for (int32_t e = 0; e < s->n_edges; e++) {
        const int32_t i = s->source[e];
        const int32_t j = s->target[e];
        if (!undirected)
            d.count[i][j]++;
        else if (i != j)
            d.count[i][j] = d.count[j][i] = 1;
    }
    return d;
}

static void count_edges(const sample *s, const dense *d, opn_graph_info *want)
{
    double n_scored = 0;
    double n_alike = 0;
    for (int32_t i = 0; i < s->n_nodes; i++) {
        bool alone = true;
        for (int32_t j = 0; j < s->n_nodes; j++) {
            const int32_t count = d->count[i][j];
            want->n_edges += count;
            want->n_repeated += count > 1 ? count - 1 : 0;
            if (i == j) {
                want->n_self_loops += count;
                continue;
            }
            alone = alone && count == 0 && d->count[j][i] == 0;
            if (s->label[i] >= 0 && s->label[j] >= 0) {
                n_scored += count;
                n_alike += s->label[i] == s->label[j] ? count : 0;
            }
        }
        want->n_isolated += alone;
    }
    want->n_labelled_edges = (int64_t)n_scored;
    want->homophily = n_scored > 0 ? n_alike / n_scored : (double)NAN;
}

// Chance taken literally: every edge end meets every edge end of the graph, and those of
// the same class count as alike.
static double chance_homophily(const sample *s, const dense *d)
{
    double n_ends[MAX_NODES] = {0}; // of each node
    double n_pairs = 0;
    double n_alike = 0;
    for (int32_t i = 0; i < s->n_nodes; i++)
        for (int32_t j = 0; j < s->n_nodes; j++)
            if (i != j && s->label[i] >= 0 && s->label[j] >= 0)
                n_ends[i] += d->count[i][j] + d->count[j][i];
    for (int32_t i = 0; i < s->n_nodes; i++)
        for (int32_t j = 0; j < s->n_nodes; j++) {
            n_pairs += n_ends[i] * n_ends[j];
            n_alike += s->label[i] == s->label[j] ? n_ends[i] * n_ends[j] : 0;
        }
    return n_alike / n_pairs;
}

static void count_labels(const sample *s, opn_graph_info *want)
{
    for (int32_t i = 0; i < s->n_nodes; i++)
        want->n_unlabelled += s->label[i] < 0;
    for (int32_t k = 0; k < s->n_classes; k++) {
        bool is_empty = true;
        for (int32_t i = 0; i < s->n_nodes; i++)
            is_empty = is_empty && s->label[i] != k;
        want->n_empty_classes += is_empty;
    }
}

static void count_degrees(const sample *s, const dense *d, opn_graph_info *want)
{
    int32_t degree[MAX_NODES] = {0};
    for (int32_t i = 0; i < s->n_nodes; i++) {
        int32_t n = 0;
        for (int32_t j = 0; j < s->n_nodes; j++)
            n += d->count[i][j];
        int32_t at = i; // insertion sort
        for (; at > 0 && degree[at - 1] > n; at--)
            degree[at] = degree[at - 1];
        degree[at] = n;
        want->mean_degree += (double)n / s->n_nodes;
    }
    if (s->n_nodes == 0)
        return;
    want->min_degree = degree[0];
    want->median_degree = degree[(s->n_nodes - 1) / 2]; // the lower of two
    want->max_degree = degree[s->n_nodes - 1];
}

static void count_components(const sample *s, const dense *d, opn_graph_info *want)
{
    int32_t least[MAX_NODES];
    int32_t size[MAX_NODES] = {0};
    for (int32_t i = 0; i < s->n_nodes; i++)
        least[i] = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t i = 0; i < s->n_nodes; i++)
            for (int32_t j = 0; j < s->n_nodes; j++)
                if (d->count[i][j] > 0 && least[i] != least[j]) {
                    least[i] = least[j] = least[i] < least[j] ? least[i] : least[j];
                    changed = true;
                }
    }
    for (int32_t i = 0; i < s->n_nodes; i++) {
        const int32_t n = ++size[least[i]];
        want->n_components += least[i] == i;
        want->largest_component =
                n > want->largest_component ? n : want->largest_component;
    }
}

static void expect_info(const opn_graph_info *got, const opn_graph_info *want)
{
    assert_int_equal(got->n_nodes, want->n_nodes);
    assert_int_equal(got->n_edges, want->n_edges);
    assert_int_equal(got->n_features, want->n_features);
    assert_int_equal(got->n_feature_entries, want->n_feature_entries);
    assert_int_equal(got->n_classes, want->n_classes);
    assert_int_equal(got->n_unlabelled, want->n_unlabelled);
    assert_int_equal(got->n_isolated, want->n_isolated);
    assert_int_equal(got->n_components, want->n_components);
    assert_int_equal(got->largest_component, want->largest_component);
    assert_int_equal(got->n_self_loops, want->n_self_loops);
    assert_int_equal(got->n_repeated, want->n_repeated);
    assert_int_equal(got->min_degree, want->min_degree);
    assert_int_equal(got->median_degree, want->median_degree);
    assert_int_equal(got->max_degree, want->max_degree);
    assert_true(fabs(got->mean_degree - want->mean_degree) < 1e-12);
    assert_int_equal(isnan(got->homophily), isnan(want->homophily));
    assert_false(fabs(got->homophily - want->homophily) > 1e-12);
    assert_int_equal(got->n_labelled_edges, want->n_labelled_edges);
    assert_int_equal(isnan(got->adjusted_homophily), isnan(want->adjusted_homophily));
    assert_false(fabs(got->adjusted_homophily - want->adjusted_homophily) > 1e-12);
    assert_int_equal(got->n_empty_classes, want->n_empty_classes);
    assert_int_equal(got->is_undirected, want->is_undirected);
    assert_int_equal(got->is_weighted, want->is_weighted);
}

static opn_graph_info slow_info(const sample *s, bool undirected, bool weighted)
{
    const dense d = dense_of(s, undirected);
    opn_graph_info want = {.n_nodes = s->n_nodes,
                           .n_features = s->n_features,
                           .n_feature_entries = s->n_entries,
                           .n_classes = s->n_classes,
                           .is_undirected = undirected,
                           .is_weighted = weighted};
    count_edges(s, &d, &want);
    count_degrees(s, &d, &want);
    count_components(s, &d, &want);
    count_labels(s, &want);
    const double chance = chance_homophily(s, &d);
    want.adjusted_homophily =
            chance < 1 ? (want.homophily - chance) / (1 - chance) : (double)NAN;
    if (undirected) {
        want.n_edges /= 2;
        want.n_labelled_edges /= 2;
    }
    return want;
}

static void figures_are_those_of_brute_force(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    uint64_t rng = 41;
    for (int c = 0; c < N_CASES; c++) {
        sample s = random_sample(&rng);
        const bool weighted = c % 2 == 0;
        opn_graph graph = build(ctx, &s, weighted);
        opn_graph_info got;
        const opn_graph_info want = slow_info(&s, false, weighted);
        assert_int_equal(opn_graph_describe(ctx, &graph, &got), OPN_OK);
        expect_info(&got, &want);
        release(ctx, &graph);
    }
    support_ctx_free(ctx, &m);
}

static void an_undirected_graph_counts_each_pair_once(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    uint64_t rng = 42;
    for (int c = 0; c < N_CASES; c++) {
        sample s = random_sample(&rng);
        const bool weighted = c % 2 == 0;
        opn_graph graph = build(ctx, &s, weighted);
        opn_i_csr view = {0};
        assert_int_equal(opn_i_topology_undirect(ctx, &graph.topology, &view), OPN_OK);
        opn_i_csr_deinit(&ctx->alloc, &graph.topology);
        graph.topology = view;
        graph.is_undirected = true;
        opn_graph_info got;
        const opn_graph_info want = slow_info(&s, true, weighted);
        assert_int_equal(opn_graph_describe(ctx, &graph, &got), OPN_OK);
        expect_info(&got, &want);
        release(ctx, &graph);
    }
    support_ctx_free(ctx, &m);
}

static opn_graph_info info_of_path(opn_ctx *ctx, const int32_t label[4])
{
    // The path 0 - 1 - 2 - 3 with a self-loop at 0, which homophily ignores.
    sample s = {.n_nodes = 4,
                .n_edges = 4,
                .n_features = 1,
                .n_classes = 3,
                .source = {0, 1, 2, 0},
                .target = {1, 2, 3, 0}};
    memcpy(s.label, label, 4 * sizeof(*label));
    opn_graph graph = build(ctx, &s, false);
    opn_graph_info info;
    assert_int_equal(opn_graph_describe(ctx, &graph, &info), OPN_OK);
    release(ctx, &graph);
    return info;
}

static void adjusted_homophily_is_that_worked_out_by_hand(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    // Two of three edges are alike; class 0 has 3 of the 6 ends and class 2 the other 3,
    // so half would be alike by chance: (2/3 - 1/2) / (1 - 1/2) = 1/3.
    opn_graph_info info = info_of_path(ctx, (const int32_t[]){0, 0, 2, 2});
    assert_true(fabs(info.homophily - 2.0 / 3) < 1e-15);
    assert_true(fabs(info.adjusted_homophily - 1.0 / 3) < 1e-15);
    assert_int_equal(info.n_labelled_edges, 3);
    assert_int_equal(info.n_empty_classes, 1);
    // Alternating classes: (0 - 1/2) / (1 - 1/2), the least there is.
    info = info_of_path(ctx, (const int32_t[]){1, 0, 1, 0});
    assert_true(fabs(info.adjusted_homophily + 1) < 1e-15);
    // Without the unlabelled node two edges are left, one of them alike; the ends are 3
    // and 1: (1/2 - 10/16) / (1 - 10/16) = -1/3.
    info = info_of_path(ctx, (const int32_t[]){1, 1, 2, -1});
    assert_true(fabs(info.adjusted_homophily + 1.0 / 3) < 1e-15);
    assert_int_equal(info.n_labelled_edges, 2);
    support_ctx_free(ctx, &m);
}

static void adjusted_homophily_needs_edges_of_two_classes(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    opn_graph_info info = info_of_path(ctx, (const int32_t[]){1, 1, 1, 1});
    assert_true(info.homophily == 1);
    assert_true(isnan(info.adjusted_homophily));
    // The class of node 3 has a node, but no edge to a labelled one.
    info = info_of_path(ctx, (const int32_t[]){1, 1, -1, 2});
    assert_true(isnan(info.adjusted_homophily));
    info = info_of_path(ctx, (const int32_t[]){0, -1, 1, -1});
    assert_true(isnan(info.homophily));
    assert_true(isnan(info.adjusted_homophily));
    assert_int_equal(info.n_labelled_edges, 0);
    support_ctx_free(ctx, &m);
}

static void class_sizes_leave_unlabelled_nodes_out(void **state)
{
    (void)state;
    int32_t label[] = {2, -1, 0, 2, -1, 2};
    const opn_graph graph = {.topology = {.n_rows = 6}, .n_classes = 4, .label = label};
    int32_t size[] = {9, 9, 9, 9};
    opn_graph_class_sizes(&graph, size);
    assert_memory_equal(size, ((const int32_t[]){1, 0, 3, 0}), sizeof(size));
}

static void without_names_numbers_are_the_names(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    opn_graph graph = {.topology = {.n_rows = 2000000000}};
    char number[12];
    assert_string_equal(opn_graph_node_name(&graph, 1999999999, number), "1999999999");
    assert_string_equal(opn_graph_class_name(&graph, 0, number), "0");
    assert_int_equal(opn_i_names_add(ctx, &graph.feature_names, "word", 4), OPN_OK);
    assert_string_equal(opn_graph_feature_name(&graph, 0, number), "word");
    opn_i_names_deinit(&ctx->alloc, &graph.feature_names);
    support_ctx_free(ctx, &m);
}

// ---- hash ----------------------------------------------------------------------------

typedef struct digest {
    char text[65];
} digest;

static digest hash_of(opn_ctx *ctx, const opn_graph *graph)
{
    digest d = {{0}};
    assert_int_equal(opn_graph_hash(ctx, graph, d.text), OPN_OK);
    assert_int_equal(strspn(d.text, "0123456789abcdef"), 64);
    return d;
}

static digest hash_sample(opn_ctx *ctx, sample *s)
{
    opn_graph graph = build(ctx, s, true);
    const digest d = hash_of(ctx, &graph);
    release(ctx, &graph);
    return d;
}

static void expect_same(digest a, digest b)
{
    assert_string_equal(a.text, b.text);
}

static void expect_other(digest a, digest b)
{
    assert_string_not_equal(a.text, b.text);
}

// The value from an independent implementation: another hash would orphan the models and
// results that people keep.
static void the_hash_of_a_known_graph_is_the_known_one(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    sample s = {.n_nodes = 4,
                .n_edges = 3,
                .n_features = 3,
                .n_entries = 2,
                .n_classes = 2,
                .source = {0, 0, 2},
                .target = {1, 1, 2},
                .weight = {(opn_real)2.5, 1, 1},
                .row = {0, 2},
                .col = {1, 0},
                .value = {(opn_real)0.5, -3},
                .label = {1, -1, 0, 0}};
    assert_string_equal(hash_sample(ctx, &s).text, GOLDEN_TINY_HASH);
    support_ctx_free(ctx, &m);
}

static void the_hash_knows_neither_order_names_nor_given_roles(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    uint64_t rng = 43;
    for (int c = 0; c < N_CASES; c++) {
        sample s = random_sample(&rng);
        for (int32_t e = 0; e < s.n_edges; e++)
            s.weight[e] = 1;
        opn_graph graph = build(ctx, &s, false);
        const digest first = hash_of(ctx, &graph);
        uint8_t role[MAX_NODES] = {0};
        graph.given_role = role;
        assert_int_equal(opn_i_names_add(ctx, &graph.class_names, "x", 1), OPN_OK);
        expect_same(first, hash_of(ctx, &graph));
        opn_i_names_deinit(&ctx->alloc, &graph.class_names);
        release(ctx, &graph);
        for (int32_t e = 0; e < s.n_edges / 2; e++) { // the same edges from the other end
            const int32_t last = s.n_edges - 1 - e;
            const int32_t source = s.source[e];
            const int32_t target = s.target[e];
            s.source[e] = s.source[last];
            s.target[e] = s.target[last];
            s.source[last] = source;
            s.target[last] = target;
        }
        expect_same(first, hash_sample(ctx, &s)); // weights of 1 are no weights
    }
    support_ctx_free(ctx, &m);
}

static void any_single_change_changes_the_hash(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    uint64_t rng = 44;
    for (int c = 0; c < 40; c++) {
        const sample s = random_sample(&rng);
        sample t = s;
        const digest before = hash_sample(ctx, &t);
        for (int32_t i = 0; i < s.n_nodes; i++) {
            t = s;
            t.label[i] = s.label[i] < 0 ? 0 : s.label[i] - 1;
            expect_other(before, hash_sample(ctx, &t));
        }
        for (int32_t e = 0; e < s.n_edges; e++) {
            t = s;
            t.weight[e] += (opn_real)0.25; // the others are multiples of 1/2
            expect_other(before, hash_sample(ctx, &t));
            t = s;
            t.target[e] = (t.target[e] + 1) % s.n_nodes;
            if (t.target[e] != s.target[e])
                expect_other(before, hash_sample(ctx, &t));
            t = s;
            t.source[e] = (t.source[e] + 1) % s.n_nodes;
            if (t.source[e] != s.source[e])
                expect_other(before, hash_sample(ctx, &t));
        }
        for (int32_t e = 0; e < s.n_entries; e++) {
            t = s;
            t.value[e] += (opn_real)0.25;
            expect_other(before, hash_sample(ctx, &t));
            t = s;
            t.col[e] = (t.col[e] + 1) % s.n_features;
            if (t.col[e] != s.col[e])
                expect_other(before, hash_sample(ctx, &t));
        }
        t = s;
        t.n_features++;
        expect_other(before, hash_sample(ctx, &t));
        t = s;
        t.n_classes++;
        expect_other(before, hash_sample(ctx, &t));
        if (s.n_nodes < MAX_NODES) {
            t = s;
            t.label[t.n_nodes++] = -1;
            expect_other(before, hash_sample(ctx, &t));
        }
    }
    support_ctx_free(ctx, &m);
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    uint64_t rng = 45;
    sample s = random_sample(&rng);
    opn_status status = OPN_ERR_NOMEM;
    for (long fail_at = 1; status != OPN_OK; fail_at++) {
        meter m = {0};
        opn_ctx *ctx = support_ctx(&m);
        opn_graph graph = build(ctx, &s, true);
        opn_graph_info info = {.n_nodes = -7};
        char text[65] = "";
        m.fail_at = m.n_requests + fail_at;
        status = opn_graph_describe(ctx, &graph, &info);
        assert_int_equal(info.n_nodes != -7, status == OPN_OK);
        if (status == OPN_OK)
            status = opn_graph_hash(ctx, &graph, text);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
        release(ctx, &graph);
        support_ctx_free(ctx, &m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(figures_are_those_of_brute_force),
            cmocka_unit_test(an_undirected_graph_counts_each_pair_once),
            cmocka_unit_test(adjusted_homophily_is_that_worked_out_by_hand),
            cmocka_unit_test(adjusted_homophily_needs_edges_of_two_classes),
            cmocka_unit_test(class_sizes_leave_unlabelled_nodes_out),
            cmocka_unit_test(without_names_numbers_are_the_names),
            cmocka_unit_test(the_hash_of_a_known_graph_is_the_known_one),
            cmocka_unit_test(the_hash_knows_neither_order_names_nor_given_roles),
            cmocka_unit_test(any_single_change_changes_the_hash),
            cmocka_unit_test(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
