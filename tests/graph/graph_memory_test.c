// graph_memory_test.c -- graphs from the caller's arrays, right and wrong.

#include "base/context.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/refusal.h"
#include "support/support.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static opn_ctx *ctx;

// Two triangles that share node 2.
enum { NODES = 5, EDGES = 6, FEATURES = 2 };
static const opn_vid source[EDGES] = {0, 1, 2, 2, 3, 4};
static const opn_vid target[EDGES] = {1, 2, 0, 3, 4, 2};
static const float features[NODES * FEATURES] = {1, 0, 0, 2, -3, 0.5f, 0, 0, 1, 1};
static const int32_t labels[NODES] = {0, 1, -1, 1, 0};

static opn_graph *two_triangles(void)
{
    opn_graph *graph = NULL;
    assert_int_equal(
            opn_graph_create_edges(ctx, NODES, EDGES, source, target, NULL, &graph),
            OPN_OK);
    return graph;
}

static opn_graph *whole_graph(void)
{
    opn_graph *graph = two_triangles();
    assert_int_equal(opn_graph_set_features(ctx, graph, FEATURES, features), OPN_OK);
    assert_int_equal(opn_graph_set_labels(ctx, graph, 2, labels), OPN_OK);
    return graph;
}

static void expect_text(const opn_graph *graph, const char *want)
{
    char text[2048];
    assert_string_equal(graph_text(graph, text), want);
}

static void expect_same(const opn_graph *graph, const opn_graph *other)
{
    char hash[65];
    char other_hash[65];
    assert_int_equal(opn_graph_hash(ctx, graph, hash), OPN_OK);
    assert_int_equal(opn_graph_hash(ctx, other, other_hash), OPN_OK);
    assert_string_equal(hash, other_hash);
}

// ---- topology ------------------------------------------------------------------------

static void an_edge_joins_its_nodes_in_both_directions(void **state)
{
    (void)state;
    opn_graph *graph = two_triangles();
    const opn_off row_ptr[NODES + 1] = {0, 2, 4, 8, 10, 12};
    const opn_vid col_idx[2 * EDGES] = {1, 2, 0, 2, 0, 1, 3, 4, 2, 4, 2, 3};
    opn_graph_info info;
    assert_int_equal(opn_graph_n_nodes(graph), NODES);
    assert_int_equal(opn_graph_n_entries(graph), 2 * EDGES);
    assert_memory_equal(opn_graph_row_ptr(graph), row_ptr, sizeof(row_ptr));
    assert_memory_equal(opn_graph_col_idx(graph), col_idx, sizeof(col_idx));
    assert_int_equal(opn_graph_describe(ctx, graph, &info), OPN_OK);
    assert_true(info.is_undirected);
    assert_int_equal(info.n_edges, EDGES);
    assert_int_equal(info.n_features, 0);
    assert_int_equal(info.n_classes, 0);
    assert_int_equal(info.n_unlabelled, NODES);
    opn_graph_free(graph);
}

static void both_directions_repeats_and_loops_change_nothing(void **state)
{
    (void)state;
    enum { N = 2 * EDGES + 3 };
    opn_vid from[N] = {2, 0, 1};
    opn_vid to[N] = {2, 1, 0}; // a loop and two repeats, then every edge both ways
    for (int e = 0; e < EDGES; e++) {
        from[3 + e] = to[3 + EDGES + e] = source[e];
        to[3 + e] = from[3 + EDGES + e] = target[e];
    }
    opn_graph *graph = two_triangles();
    opn_graph *again = NULL;
    assert_int_equal(opn_graph_create_edges(ctx, NODES, N, from, to, NULL, &again),
                     OPN_OK);
    expect_same(graph, again);
    opn_graph_free(graph);
    opn_graph_free(again);
}

static void csr_gives_the_same_graph_as_edges(void **state)
{
    (void)state;
    const opn_off row_ptr[NODES + 1] = {0, 1, 2, 4, 5, 6};
    opn_graph *graph = two_triangles();
    opn_graph *again = NULL;
    assert_int_equal(opn_graph_create_csr(ctx, NODES, row_ptr, target, NULL, &again),
                     OPN_OK);
    expect_same(graph, again);
    opn_graph_free(graph);
    opn_graph_free(again);
}

static void the_largest_weight_of_an_edge_is_kept(void **state)
{
    (void)state;
    const opn_vid from[] = {0, 1, 0, 1};
    const opn_vid to[] = {1, 0, 1, 2};
    const float weight[] = {2, 5, 3, 0.5f};
    opn_graph *graph = NULL;
    assert_int_equal(opn_graph_create_edges(ctx, 3, 4, from, to, weight, &graph), OPN_OK);
    expect_text(graph, "0: 1: 2:; 0>1=5 1>0=5 1>2=0.5 2>1=0.5; ; ; ");
    opn_graph_free(graph);
}

static void nodes_without_edges_make_a_graph(void **state)
{
    (void)state;
    const opn_off row_ptr[] = {0, 0, 0, 0};
    opn_graph *graph = NULL;
    assert_int_equal(opn_graph_create_edges(ctx, 3, 0, NULL, NULL, NULL, &graph), OPN_OK);
    assert_int_equal(opn_graph_n_nodes(graph), 3);
    assert_int_equal(opn_graph_n_entries(graph), 0);
    opn_graph_free(graph);
    assert_int_equal(opn_graph_create_csr(ctx, 3, row_ptr, NULL, NULL, &graph), OPN_OK);
    assert_int_equal(opn_graph_n_entries(graph), 0);
    opn_graph_free(graph);
}

static void a_bad_edge_is_refused_by_number(void **state)
{
    (void)state;
    static const struct {
        opn_vid from, to;
        float weight;
        const char *part;
    } bad[] = {
            {0, NODES, 1, "from 0 to 5: node id outside [0, 5)"},
            {-1, 0, 1, "from -1 to 0: node id outside [0, 5)"},
            {INT_MAX, 0, 1, "node id outside [0, 5)"},
            {0, INT_MIN, 1, "node id outside [0, 5)"},
            {3, 4, 0, "weight 0"},
            {3, 4, -2, "weight -2"},
            {3, 4, NAN, "weight"},
            {3, 4, INFINITY, "weight inf"},
    };
    for (size_t b = 0; b < sizeof(bad) / sizeof(bad[0]); b++) {
        const opn_vid from[] = {0, bad[b].from};
        const opn_vid to[] = {1, bad[b].to};
        const float weight[] = {1, bad[b].weight};
        opn_graph *graph = NULL;
        assert_int_equal(opn_graph_create_edges(ctx, NODES, 2, from, to, weight, &graph),
                         OPN_ERR_INVALID_ARG);
        assert_null(graph);
        support_expect_error(ctx, "edge 1");
        support_expect_error(ctx, bad[b].part);
    }
}

static void impossible_sizes_are_refused(void **state)
{
    (void)state;
    static const opn_vid n_nodes[] = {0, -1, INT_MIN, INT_MAX};
    const opn_off none[] = {0, 0};
    opn_graph *graph = NULL;
    for (size_t n = 0; n < sizeof(n_nodes) / sizeof(n_nodes[0]); n++) {
        assert_int_equal(
                opn_graph_create_edges(ctx, n_nodes[n], 0, NULL, NULL, NULL, &graph),
                OPN_ERR_INVALID_ARG);
        assert_int_equal(opn_graph_create_csr(ctx, n_nodes[n], none, NULL, NULL, &graph),
                         OPN_ERR_INVALID_ARG);
        assert_null(graph);
    }
    assert_int_equal(opn_graph_create_edges(ctx, 2, -1, NULL, NULL, NULL, &graph),
                     OPN_ERR_INVALID_ARG);
    assert_null(graph);
}

static void offsets_that_fall_or_begin_late_are_refused(void **state)
{
    (void)state;
    const opn_off falls[] = {0, 2, 1, 2};
    const opn_off late[] = {1, 1, 1, 1};
    const opn_vid col_idx[] = {1, 2};
    opn_graph *graph = NULL;
    assert_int_equal(opn_graph_create_csr(ctx, 3, falls, col_idx, NULL, &graph),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "row 1");
    assert_int_equal(opn_graph_create_csr(ctx, 3, late, col_idx, NULL, &graph),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "begins at 1");
    assert_null(graph);
}

// ---- features ------------------------------------------------------------------------

static void features_are_the_same_whole_or_sparse(void **state)
{
    (void)state;
    const opn_off row_ptr[] = {0, 1, 2, 4, 5, 7};
    const int32_t col_idx[] = {0, 1, 1, 0, 0, 0, 1}; // unsorted in row 2, a 0 in row 3
    const float value[] = {1, 2, 0.5f, -3, 0, 1, 1};
    opn_graph *graph = whole_graph();
    opn_graph *again = two_triangles();
    assert_int_equal(
            opn_graph_set_features_csr(ctx, again, FEATURES, row_ptr, col_idx, value),
            OPN_OK);
    assert_int_equal(opn_graph_set_labels(ctx, again, 2, labels), OPN_OK);
    expect_same(graph, again);
    expect_text(again, "0:0 1:1 2: 3:1 4:0; 0>1 0>2 1>0 1>2 2>0 2>1 2>3 2>4 3>2 3>4 4>2 "
                       "4>3; 0.0 1.1=2 2.0=-3 2.1=0.5 4.0 4.1; 0 1; 0 1");
    opn_graph_free(graph);
    opn_graph_free(again);
}

static void features_without_values_are_ones(void **state)
{
    (void)state;
    const opn_off row_ptr[] = {0, 1, 1, 1, 1, 3};
    const int32_t col_idx[] = {2, 0, 1};
    const float value[] = {1, 1, 1};
    opn_graph *graph = two_triangles();
    opn_graph *again = two_triangles();
    assert_int_equal(opn_graph_set_features_csr(ctx, graph, 3, row_ptr, col_idx, NULL),
                     OPN_OK);
    assert_int_equal(opn_graph_set_features_csr(ctx, again, 3, row_ptr, col_idx, value),
                     OPN_OK);
    expect_same(graph, again);
    opn_graph_free(graph);
    opn_graph_free(again);
}

static void the_last_features_and_labels_set_are_those_kept(void **state)
{
    (void)state;
    const float column[NODES] = {1, 2, 3, 4, 5};
    const int32_t other[NODES] = {2, 2, 2, -1, 0};
    opn_graph *graph = whole_graph();
    assert_int_equal(opn_graph_set_features(ctx, graph, 1, column), OPN_OK);
    assert_int_equal(opn_graph_set_labels(ctx, graph, 3, other), OPN_OK);
    assert_int_equal(opn_graph_n_features(graph), 1);
    assert_int_equal(opn_graph_n_classes(graph), 3);
    assert_memory_equal(opn_graph_labels(graph), other, sizeof(other));
    opn_graph_free(graph);
}

static void bad_features_are_refused_and_the_old_ones_stay(void **state)
{
    (void)state;
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    opn_graph *graph = whole_graph();
    opn_graph *before = whole_graph();
    for (size_t b = 0; b < sizeof(bad) / sizeof(bad[0]); b++) {
        float value[NODES * FEATURES] = {0};
        value[7] = bad[b];
        assert_int_equal(opn_graph_set_features(ctx, graph, FEATURES, value),
                         OPN_ERR_INVALID_ARG);
        support_expect_error(ctx, "node 3, feature 1");
    }
    const opn_off row_ptr[] = {0, 0, 0, 0, 0, 1};
    const opn_off falls[] = {0, 1, 0, 1, 1, 1};
    static const int32_t column[] = {-1, 2, INT_MAX};
    for (size_t c = 0; c < sizeof(column) / sizeof(column[0]); c++) {
        assert_int_equal(
                opn_graph_set_features_csr(ctx, graph, 2, row_ptr, &column[c], NULL),
                OPN_ERR_INVALID_ARG);
        support_expect_error(ctx, "outside [0, 2)");
    }
    assert_int_equal(opn_graph_set_features_csr(ctx, graph, 2, falls, column, NULL),
                     OPN_ERR_INVALID_ARG);
    assert_int_equal(opn_graph_set_features(ctx, graph, -1, features),
                     OPN_ERR_INVALID_ARG);
    expect_same(graph, before);
    opn_graph_free(graph);
    opn_graph_free(before);
}

// ---- labels and roles ----------------------------------------------------------------

static void bad_labels_are_refused_by_node_and_the_old_ones_stay(void **state)
{
    (void)state;
    static const int32_t bad[] = {-2, 2, INT_MAX, INT_MIN};
    opn_graph *graph = whole_graph();
    for (size_t b = 0; b < sizeof(bad) / sizeof(bad[0]); b++) {
        const int32_t label[NODES] = {1, 1, 1, bad[b], 1};
        assert_int_equal(opn_graph_set_labels(ctx, graph, 2, label), OPN_ERR_INVALID_ARG);
        support_expect_error(ctx, "node 3");
    }
    assert_memory_equal(opn_graph_labels(graph), labels, sizeof(labels));
    opn_graph_free(graph);
}

static void roles_decide_the_split(void **state)
{
    (void)state;
    const uint8_t role[NODES] = {OPN_ROLE_TRAIN, OPN_ROLE_TRAIN, OPN_ROLE_UNLABELLED,
                                 OPN_ROLE_VALIDATION, OPN_ROLE_TEST};
    opn_graph *graph = whole_graph();
    opn_split *split = NULL;
    assert_int_equal(opn_graph_set_roles(ctx, graph, role), OPN_OK);
    assert_int_equal(opn_graph_set_roles(ctx, graph, role), OPN_OK); // replaces them
    assert_int_equal(opn_split_create(ctx, graph, OPN_SPLIT_USUAL, 0, NULL, 0, &split),
                     OPN_OK);
    assert_memory_equal(opn_split_roles(split), role, sizeof(role));
    opn_split_free(split);
    opn_graph_free(graph);
}

static void roles_that_do_not_fit_are_refused_by_node(void **state)
{
    (void)state;
    static const struct {
        uint8_t role;
        const char *part;
    } bad[] = {{OPN_ROLE_TRAIN, "node 2 is used to train but has no label"},
               {OPN_ROLE_VALIDATION, "node 2 is used to validate but has no label"},
               {OPN_ROLE_CALIBRATION, "node 2 is used to calibrate but has no label"},
               {OPN_N_ROLES, "node 2: 6 is not a role"},
               {255, "node 2: 255 is not a role"}};
    opn_graph *graph = whole_graph();
    for (size_t b = 0; b < sizeof(bad) / sizeof(bad[0]); b++) {
        const uint8_t role[NODES] = {0, 0, bad[b].role, 0, 0};
        assert_int_equal(opn_graph_set_roles(ctx, graph, role), OPN_ERR_INVALID_ARG);
        support_expect_error(ctx, bad[b].part);
    }
    opn_graph_free(graph);
}

// ---- ownership -----------------------------------------------------------------------

static void the_callers_arrays_are_copied(void **state)
{
    (void)state;
    opn_vid from[EDGES];
    opn_vid to[EDGES];
    float value[NODES * FEATURES];
    int32_t label[NODES];
    opn_graph *graph = NULL;
    opn_graph *kept = whole_graph();
    memcpy(from, source, sizeof(from));
    memcpy(to, target, sizeof(to));
    memcpy(value, features, sizeof(value));
    memcpy(label, labels, sizeof(label));
    assert_int_equal(opn_graph_create_edges(ctx, NODES, EDGES, from, to, NULL, &graph),
                     OPN_OK);
    assert_int_equal(opn_graph_set_features(ctx, graph, FEATURES, value), OPN_OK);
    assert_int_equal(opn_graph_set_labels(ctx, graph, 2, label), OPN_OK);
    memset(from, 0, sizeof(from));
    memset(to, 0, sizeof(to));
    memset(value, 0, sizeof(value));
    memset(label, 0, sizeof(label));
    expect_same(graph, kept);
    opn_graph_free(graph);
    opn_graph_free(kept);
}

static opn_status build(opn_ctx *own, opn_graph **out)
{
    const uint8_t role[NODES] = {0, 0, OPN_ROLE_UNLABELLED, 1, 2};
    const float weight[EDGES] = {1, 2, 3, 4, 5, 6};
    const opn_off row_ptr[NODES + 1] = {0, 1, 2, 4, 5, 6};
    opn_graph *graph = NULL;
    opn_status status = opn_graph_create_csr(own, NODES, row_ptr, target, weight, &graph);
    if (status == OPN_OK)
        status = opn_graph_set_features(own, graph, FEATURES, features);
    if (status == OPN_OK)
        status = opn_graph_set_labels(own, graph, 2, labels);
    if (status == OPN_OK)
        status = opn_graph_set_roles(own, graph, role);
    if (status == OPN_OK)
        *out = graph;
    else
        opn_graph_free(graph);
    return status;
}

static void every_allocation_failure_is_reported_and_nothing_leaks(void **state)
{
    (void)state;
    int n_refused = 0;
    for (long fail_at = 1;; fail_at++) {
        meter m = {0};
        opn_ctx *own = support_ctx(&m);
        opn_graph *graph = NULL;
        m.n_requests = 0;
        m.fail_at = fail_at;
        const opn_status status = build(own, &graph);
        assert_int_equal(status == OPN_OK, graph != NULL);
        opn_graph_free(graph);
        support_ctx_free(own, &m);
        if (status == OPN_OK)
            break;
        assert_int_equal(status, OPN_ERR_NOMEM);
        n_refused++;
    }
    assert_true(n_refused > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(an_edge_joins_its_nodes_in_both_directions),
            WITH_CTX(both_directions_repeats_and_loops_change_nothing),
            WITH_CTX(csr_gives_the_same_graph_as_edges),
            WITH_CTX(the_largest_weight_of_an_edge_is_kept),
            WITH_CTX(nodes_without_edges_make_a_graph),
            WITH_CTX(a_bad_edge_is_refused_by_number),
            WITH_CTX(impossible_sizes_are_refused),
            WITH_CTX(offsets_that_fall_or_begin_late_are_refused),
            WITH_CTX(features_are_the_same_whole_or_sparse),
            WITH_CTX(features_without_values_are_ones),
            WITH_CTX(the_last_features_and_labels_set_are_those_kept),
            WITH_CTX(bad_features_are_refused_and_the_old_ones_stay),
            WITH_CTX(bad_labels_are_refused_by_node_and_the_old_ones_stay),
            WITH_CTX(roles_decide_the_split),
            WITH_CTX(roles_that_do_not_fit_are_refused_by_node),
            WITH_CTX(the_callers_arrays_are_copied),
            cmocka_unit_test(every_allocation_failure_is_reported_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
