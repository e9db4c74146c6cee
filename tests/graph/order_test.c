// order_test.c -- the order in which products visit the nodes.

#include "graph/order.h"
#include "support/cmocka_test.h"
#include "support/sample_network.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

enum { A_BLOCK = 256 }; // nodes that are sorted by their neighbours

// ---- graphs --------------------------------------------------------------------------

// Edges of a graph whose nodes were shuffled.
typedef struct edge_list {
    int32_t n_nodes, n;
    int32_t *name; // [n_nodes] what node i is called
    int32_t *edge; // [2 n]
} edge_list;

static edge_list new_edges(int32_t n_nodes, int32_t room, uint64_t *random)
{
    edge_list list = {.n_nodes = n_nodes,
                      .name = calloc((size_t)n_nodes + 1, sizeof(int32_t)),
                      .edge = calloc(2 * (size_t)room + 1, sizeof(int32_t))};
    assert_non_null(list.name);
    assert_non_null(list.edge);
    for (int32_t i = 0; i < n_nodes; i++) { // Fisher-Yates from inside out
        const int32_t j = (int32_t)below(random, (uint32_t)i + 1);
        list.name[i] = list.name[j];
        list.name[j] = i;
    }
    return list;
}

static void add_edge(edge_list *list, int32_t i, int32_t j)
{
    int32_t *edge = list->edge + 2 * (size_t)list->n++;
    edge[0] = list->name[i];
    edge[1] = list->name[j];
}

static opn_graph *take_graph(edge_list *list)
{
    opn_graph *graph = network_graph(ctx, list->n_nodes, list->n, list->edge, NULL);
    free(list->name);
    free(list->edge);
    return graph;
}

// Rings of n_ring nodes each; the last may be smaller. A ring of all nodes is one, and
// one of two nodes a pair.
static opn_graph *make_rings(int32_t n_nodes, int32_t n_ring, uint64_t *random)
{
    edge_list list = new_edges(n_nodes, n_nodes, random);
    for (int32_t i = 0; i < n_nodes; i++) {
        const int32_t first = i - i % n_ring;
        const int32_t n_here = n_nodes - first < n_ring ? n_nodes - first : n_ring;
        if (n_here > 1)
            add_edge(&list, i, first + (i - first + 1) % n_here);
    }
    return take_graph(&list);
}

static opn_graph *make_path(int32_t n_nodes, uint64_t *random)
{
    edge_list list = new_edges(n_nodes, n_nodes, random);
    for (int32_t i = 0; i + 1 < n_nodes; i++)
        add_edge(&list, i, i + 1);
    return take_graph(&list);
}

static opn_graph *make_grid(int32_t side, uint64_t *random)
{
    edge_list list = new_edges(side * side, 2 * side * side, random);
    for (int32_t i = 0; i < side * side; i++) {
        if (i % side + 1 < side)
            add_edge(&list, i, i + 1);
        if (i + side < side * side)
            add_edge(&list, i, i + side);
    }
    return take_graph(&list);
}

static opn_graph *make_star(int32_t n_nodes, uint64_t *random)
{
    edge_list list = new_edges(n_nodes, n_nodes, random);
    for (int32_t i = 1; i < n_nodes; i++)
        add_edge(&list, 0, i);
    return take_graph(&list);
}

// ---- orders --------------------------------------------------------------------------

// The order of a graph and its inverse, after checking that it is a permutation.
typedef struct ordered {
    const opn_i_csr *topology;
    int32_t *order, *place;
} ordered;

static ordered order_graph(const opn_graph *graph)
{
    const int32_t n = graph->topology.n_rows;
    ordered o = {.topology = &graph->topology,
                 .order = calloc((size_t)n + 1, sizeof(int32_t)),
                 .place = calloc((size_t)n + 1, sizeof(int32_t))};
    assert_non_null(o.order);
    assert_non_null(o.place);
    memset(o.place, 0xff, (size_t)n * sizeof(*o.place));
    assert_int_equal(opn_i_graph_order(ctx, o.topology, o.order), OPN_OK);
    opn_i_order_invert(n, o.order, o.place);
    for (int32_t i = 0; i < n; i++) { // n places that lead back: each node once
        assert_true(o.place[i] >= 0 && o.place[i] < n);
        assert_int_equal(o.order[o.place[i]], i);
    }
    return o;
}

static void free_order(ordered *o)
{
    free(o->order);
    free(o->place);
}

static opn_off degree(const ordered *o, int32_t i)
{
    return o->topology->row_ptr[i + 1] - o->topology->row_ptr[i];
}

// Within every block the degree falls, and the first node of all has the largest.
static void expect_falling_degrees(const ordered *o)
{
    opn_off largest = 0;
    for (int32_t r = 0; r < o->topology->n_rows; r++) {
        const opn_off here = degree(o, o->order[r]);
        largest = here > largest ? here : largest;
        if (r % A_BLOCK > 0)
            assert_true(here <= degree(o, o->order[r - 1]));
    }
    if (o->topology->n_rows > 0)
        assert_int_equal(degree(o, o->order[0]), largest);
}

// Mean distance of the places of neighbours.
static double mean_distance(const ordered *o)
{
    double sum = 0.0;
    for (int32_t i = 0; i < o->topology->n_rows; i++)
        for (opn_off e = o->topology->row_ptr[i]; e < o->topology->row_ptr[i + 1]; e++)
            sum += abs(o->place[i] - o->place[o->topology->col_idx[e]]);
    return sum / (double)opn_i_csr_n_entries(o->topology);
}

static void any_graph_has_an_order_with_each_node_once(void **state)
{
    (void)state;
    static const int32_t sizes[] = {0, 1, 2, 3, 255, 256, 257, 512, 700, 1000};
    uint64_t random = 1;
    for (int c = 0; c < 10; c++) {
        const int32_t n = sizes[c];
        opn_graph *graphs[] = {
                network_graph(ctx, n, 0, NULL, NULL),
                make_path(n, &random),
                make_rings(n, n + 1, &random),
                make_rings(n, 100, &random),
                make_rings(n, 3, &random),
                make_star(n, &random),
                n == 0 ? NULL : network_drawn_graph(ctx, n, 0, &random),
                n == 0 ? NULL : network_drawn_graph(ctx, n, 7, &random),
        };
        for (int g = 0; g < 8 && graphs[g] != NULL; g++) {
            ordered o = order_graph(graphs[g]);
            expect_falling_degrees(&o);
            free_order(&o);
            opn_graph_free(graphs[g]);
        }
    }
}

static void nodes_without_edges_stay_in_order(void **state)
{
    (void)state;
    opn_graph *graph = network_graph(ctx, 700, 0, NULL, NULL);
    ordered o = order_graph(graph);
    for (int32_t i = 0; i < 700; i++)
        assert_int_equal(o.order[i], i);
    free_order(&o);
    opn_graph_free(graph);
}

// In a random order neighbours are a third of all nodes apart. On a ring a search goes
// both ways at once; on a grid its front is as long as the diagonal.
static void neighbours_come_together(void **state)
{
    (void)state;
    enum { N_RING = 5000, SIDE = 70 };
    uint64_t random = 2;
    opn_graph *graphs[] = {make_rings(N_RING, N_RING, &random),
                           make_path(N_RING, &random), make_grid(SIDE, &random)};
    static const double most[] = {2.5, 2.5, 3.0 * SIDE};
    for (int g = 0; g < 3; g++) {
        ordered o = order_graph(graphs[g]);
        assert_true(mean_distance(&o) < most[g]);
        free_order(&o);
        opn_graph_free(graphs[g]);
    }
}

// Components are not mixed, except those that share a block.
static void components_come_one_after_the_other(void **state)
{
    (void)state;
    enum { N = 3000, A_RING = 500 };
    uint64_t random = 3;
    edge_list list = new_edges(N, N, &random);
    int32_t ring[N];
    for (int32_t i = 0; i < N; i++) {
        ring[list.name[i]] = i / A_RING;
        add_edge(&list, i, i - i % A_RING + (i % A_RING + 1) % A_RING);
    }
    opn_graph *graph = take_graph(&list);
    ordered o = order_graph(graph);
    for (int c = 0; c < N / A_RING; c++) {
        int32_t first = N;
        int32_t last = 0;
        for (int32_t i = 0; i < N; i++) {
            if (ring[i] != c)
                continue;
            first = o.place[i] < first ? o.place[i] : first;
            last = o.place[i] > last ? o.place[i] : last;
        }
        assert_true(last - first < A_RING); // all degrees are 2, so no block mixes them
    }
    free_order(&o);
    opn_graph_free(graph);
}

// The search begins at the centre, whose neighbours follow as they are called.
static void a_star_begins_with_its_centre(void **state)
{
    (void)state;
    uint64_t random = 4;
    opn_graph *graph = make_star(1000, &random);
    ordered o = order_graph(graph);
    assert_int_equal(degree(&o, o.order[0]), 999);
    for (int32_t r = 2; r < 1000; r++)
        assert_true(o.order[r] > o.order[r - 1]);
    free_order(&o);
    opn_graph_free(graph);
}

// Nodes i and j are in the same group if their quotients by A_GROUP are equal. Each node
// has six edges within its group and one to any node.
enum { N_LARGE = 204800, A_GROUP = 800 };

static opn_graph *make_groups(uint64_t *random)
{
    edge_list list = new_edges(N_LARGE, 7 * N_LARGE, random);
    for (int32_t i = 0; i < N_LARGE; i++) {
        for (int n = 0; n < 6; n++)
            add_edge(&list, i, i - i % A_GROUP + (int32_t)below(random, A_GROUP));
        add_edge(&list, i, (int32_t)below(random, N_LARGE));
    }
    return take_graph(&list);
}

// Five in six of the edges are within groups; a search alone mixes them.
static void groups_of_a_large_graph_come_together(void **state)
{
    (void)state;
    uint64_t random = 6;
    opn_graph *graph = make_groups(&random);
    ordered o = order_graph(graph);
    double n_near = 0.0;
    for (int32_t i = 0; i < N_LARGE; i++)
        for (opn_off e = o.topology->row_ptr[i]; e < o.topology->row_ptr[i + 1]; e++)
            n_near += abs(o.place[i] - o.place[o.topology->col_idx[e]]) < 2 * A_GROUP;
    assert_true(n_near > 0.7 * (double)opn_i_csr_n_entries(o.topology));
    ordered again = order_graph(graph);
    assert_memory_equal(again.order, o.order, N_LARGE * sizeof(*o.order));
    free_order(&again);
    free_order(&o);
    opn_graph_free(graph);
}

// A ring is no group: the order of the search must not get lost in grouping.
static void a_large_ring_stays_together(void **state)
{
    (void)state;
    uint64_t random = 7;
    opn_graph *graph = make_rings(N_LARGE, N_LARGE, &random);
    ordered o = order_graph(graph);
    assert_true(mean_distance(&o) < A_BLOCK);
    free_order(&o);
    opn_graph_free(graph);
}

static void large_stars_and_graphs_without_edges_have_an_order(void **state)
{
    (void)state;
    uint64_t random = 8;
    opn_graph *graphs[] = {make_star(N_LARGE, &random),
                           network_graph(ctx, N_LARGE, 0, NULL, NULL)};
    for (int g = 0; g < 2; g++) {
        ordered o = order_graph(graphs[g]);
        expect_falling_degrees(&o);
        free_order(&o);
        opn_graph_free(graphs[g]);
    }
}

static void inverting_twice_gives_the_order_back(void **state)
{
    (void)state;
    static const int32_t order[] = {3, 0, 4, 1, 2};
    static const int32_t want[] = {1, 3, 4, 0, 2};
    int32_t place[5], back[5];
    opn_i_order_invert(5, order, place);
    assert_memory_equal(place, want, sizeof(want));
    opn_i_order_invert(5, place, back);
    assert_memory_equal(back, order, sizeof(order));
    opn_i_order_invert(0, NULL, NULL);
}

static void expect_failures(opn_graph *graph, int n_allocations)
{
    int32_t *order = calloc((size_t)graph->topology.n_rows, sizeof(*order));
    int n_failed = 0;
    assert_non_null(order);
    for (long fail_at = 1;; fail_at++) {
        meter m = {0};
        opn_ctx *other = support_ctx(&m);
        m.fail_at = m.n_requests + fail_at;
        const opn_status status = opn_i_graph_order(other, &graph->topology, order);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
        support_ctx_free(other, &m);
        if (status == OPN_OK)
            break;
        n_failed++;
    }
    assert_int_equal(n_failed, n_allocations);
    free(order);
    opn_graph_free(graph);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    uint64_t random = 5;
    expect_failures(make_grid(5, &random), 3);
    expect_failures(make_rings(N_LARGE, 3, &random), 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(any_graph_has_an_order_with_each_node_once),
            WITH_CTX(nodes_without_edges_stay_in_order),
            WITH_CTX(neighbours_come_together),
            WITH_CTX(components_come_one_after_the_other),
            WITH_CTX(a_star_begins_with_its_centre),
            WITH_CTX(groups_of_a_large_graph_come_together),
            WITH_CTX(a_large_ring_stays_together),
            WITH_CTX(large_stars_and_graphs_without_edges_have_an_order),
            WITH_CTX(inverting_twice_gives_the_order_back),
            WITH_CTX(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
