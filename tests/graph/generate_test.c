// generate_test.c -- generated graphs are as their parameters say, bit for bit on any
// number of threads.

#include "graph/graph_data.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// The hash of the embedded graph. Every figure published for `demo` depends on it.
static const char demo_hash[] =
        "2c508c5bd3924d8889fe628e56b629ff310c276576ca76b08e4405501dcdc979";

// Parameters as the user writes them; NULL is the default.
typedef struct wish {
    const char *nodes, *classes, *mean_degree, *homophily, *features, *words;
    const char *topic_overlap, *label_noise, *seed;
} wish;

static void
set_param(opn_ctx *ctx, opn_params *params, const char *name, const char *text)
{
    if (text != NULL)
        assert_int_equal(opn_params_set(ctx, params, name, text), OPN_OK);
}

static opn_params *make_params(opn_ctx *ctx, const wish *w)
{
    opn_params *params = NULL;
    assert_int_equal(opn_params_create(ctx, &params), OPN_OK);
    set_param(ctx, params, "nodes", w->nodes);
    set_param(ctx, params, "classes", w->classes);
    set_param(ctx, params, "mean_degree", w->mean_degree);
    set_param(ctx, params, "homophily", w->homophily);
    set_param(ctx, params, "features", w->features);
    set_param(ctx, params, "words", w->words);
    set_param(ctx, params, "topic_overlap", w->topic_overlap);
    set_param(ctx, params, "label_noise", w->label_noise);
    set_param(ctx, params, "seed", w->seed);
    return params;
}

static opn_status try_generate(opn_ctx *ctx, const wish *w, opn_graph **out)
{
    opn_params *params = make_params(ctx, w);
    const opn_status status = opn_graph_generate(ctx, params, out);
    opn_params_free(params);
    return status;
}

static int compare_ids(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a;
    const int32_t y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

// A generated graph is undirected, sorted, has no loops, labels in range and tidy
// features.
static void expect_sound(const opn_graph *graph)
{
    const opn_i_csr *a = &graph->topology;
    const opn_i_csr *x = &graph->features.lists;
    assert_true(graph->is_undirected);
    assert_null(a->value);
    assert_null(x->value);
    assert_int_equal(a->n_rows, a->n_cols);
    assert_int_equal(a->n_rows, x->n_rows);
    for (int32_t i = 0; i < a->n_rows; i++) {
        assert_in_range(graph->label[i], 0, graph->n_classes - 1);
        for (opn_off e = a->row_ptr[i]; e < a->row_ptr[i + 1]; e++) {
            const int32_t j = a->col_idx[e];
            assert_in_range(j, 0, a->n_rows - 1);
            assert_true(j != i);
            assert_true(e == a->row_ptr[i] || a->col_idx[e - 1] < j);
            const int32_t *there = bsearch(&i, a->col_idx + a->row_ptr[j],
                                           (size_t)(a->row_ptr[j + 1] - a->row_ptr[j]),
                                           sizeof(i), compare_ids);
            assert_non_null(there);
        }
        for (opn_off e = x->row_ptr[i]; e < x->row_ptr[i + 1]; e++) {
            assert_in_range(x->col_idx[e], 0, x->n_cols - 1);
            assert_true(e == x->row_ptr[i] || x->col_idx[e - 1] < x->col_idx[e]);
        }
    }
}

static opn_graph *generate(opn_ctx *ctx, const wish *w)
{
    opn_graph *graph = NULL;
    if (try_generate(ctx, w, &graph) != OPN_OK)
        fail_msg("generate: %s", opn_ctx_error(ctx));
    expect_sound(graph);
    return graph;
}

static opn_graph_info describe(opn_ctx *ctx, const opn_graph *graph)
{
    opn_graph_info info;
    assert_int_equal(opn_graph_describe(ctx, graph, &info), OPN_OK);
    return info;
}

static void expect_near(double got, double want, double within)
{
    if (!(fabs(got - want) <= within))
        fail_msg("%g is not within %g of %g", got, within, want);
}

// ---- parameters ----------------------------------------------------------------------

static void sizes_are_as_asked(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    opn_graph *graph =
            generate(ctx, &(wish){.nodes = "3000", .classes = "7", .features = "321"});
    assert_int_equal(opn_graph_n_nodes(graph), 3000);
    assert_int_equal(opn_graph_n_classes(graph), 7);
    assert_int_equal(opn_graph_n_features(graph), 321);
    assert_int_equal(opn_graph_usual_steps(graph), OPN_STEP_UNDIRECTED);
    opn_graph_free(graph);
    support_ctx_free(ctx, &m);
}

static void the_mean_degree_is_met_within_a_hundredth(void **state)
{
    (void)state;
    static const char *const degrees[] = {"0.5", "2", "4", "10", "37.5"};
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    for (size_t d = 0; d < sizeof(degrees) / sizeof(degrees[0]); d++)
        for (int c = 0; c < 3; c++) {
            const wish w = {.nodes = "4000",
                            .mean_degree = degrees[d],
                            .homophily = c == 0   ? "0"
                                         : c == 1 ? "0.6"
                                                  : "1",
                            .words = "1"};
            opn_graph *graph = generate(ctx, &w);
            const double want = strtod(degrees[d], NULL);
            expect_near(describe(ctx, graph).mean_degree, want, 0.01 * want);
            opn_graph_free(graph);
        }
    support_ctx_free(ctx, &m);
}

// 20,000 edges: three standard deviations of a share are at most 0.011. Edges that repeat
// inside a community are drawn again, which costs up to 0.02 of the share.
static void homophily_is_the_share_of_edges_within_a_class(void **state)
{
    (void)state;
    static const char *const shares[] = {"0", "0.1", "0.35", "0.5", "0.8", "0.95", "1"};
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    for (size_t s = 0; s < sizeof(shares) / sizeof(shares[0]); s++) {
        const wish w = {.nodes = "10000", .homophily = shares[s], .words = "1"};
        opn_graph *graph = generate(ctx, &w);
        const double want = strtod(shares[s], NULL);
        const double loss = want == 0.0 || want == 1.0 ? 0.0 : 0.01;
        const double chance = want == 0.0 || want == 1.0 ? 0.0 : 0.012;
        expect_near(describe(ctx, graph).homophily, want - loss, loss + chance);
        opn_graph_free(graph);
    }
    support_ctx_free(ctx, &m);
}

// Shares lie in [1, 2) before they are made to sum to one, so no class is more than twice
// as large as another; 5 % is left for chance.
static void no_class_is_twice_as_large_as_another(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    bool unequal = false;
    for (int seed = 0; seed < 10; seed++) {
        char text[16];
        snprintf(text, sizeof(text), "%d", seed);
        const wish w = {.nodes = "60000", .mean_degree = "1", .words = "0", .seed = text};
        opn_graph *graph = generate(ctx, &w);
        int32_t size[6];
        int32_t least = INT32_MAX;
        int32_t most = 0;
        opn_graph_class_sizes(graph, size);
        for (int k = 0; k < 6; k++) {
            least = size[k] < least ? size[k] : least;
            most = size[k] > most ? size[k] : most;
        }
        assert_true(most < 2.0 * 1.05 * least);
        unequal = unequal || most > 1.2 * least;
        opn_graph_free(graph);
    }
    assert_true(unequal);
    support_ctx_free(ctx, &m);
}

// Degrees follow a power law: hubs are far above the mean, unlike in a binomial.
// Every node begins an edge, and is alone only where that one came back to it.
static void degrees_have_a_heavy_tail(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    opn_graph *graph = generate(ctx, &(wish){.nodes = "20000", .words = "1"});
    const opn_graph_info info = describe(ctx, graph);
    assert_true(info.max_degree > 8 * info.mean_degree);
    assert_true(info.median_degree < info.mean_degree);
    assert_true(info.n_isolated < 20);
    opn_graph_free(graph);
    support_ctx_free(ctx, &m);
}

// A vocabulary so large that a node seldom draws a word twice.
static void words_are_the_mean_number_drawn_for_a_node(void **state)
{
    (void)state;
    static const char *const words[] = {"0", "0.4", "3", "10"};
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    for (size_t c = 0; c < sizeof(words) / sizeof(words[0]); c++) {
        const wish w = {.nodes = "20000",
                        .classes = "2",
                        .mean_degree = "1",
                        .features = "200000",
                        .words = words[c]};
        opn_graph *graph = generate(ctx, &w);
        const double want = strtod(words[c], NULL);
        const double got = (double)describe(ctx, graph).n_feature_entries / 20000;
        expect_near(got, want, want == 0.0 ? 0.0 : 0.015 + 0.02 * want);
        opn_graph_free(graph);
    }
    support_ctx_free(ctx, &m);
}

// With edges only inside the classes an edge still joins one label when both ends kept
// theirs, or both changed to the same other.
static void label_noise_is_the_share_of_labels_replaced(void **state)
{
    (void)state;
    static const char *const shares[] = {"0", "0.1", "0.5", "1"};
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    wish w = {.nodes = "20000", .classes = "5", .homophily = "1", .words = "1"};
    opn_graph *clean = generate(ctx, &w);
    for (size_t s = 0; s < sizeof(shares) / sizeof(shares[0]); s++) {
        w.label_noise = shares[s];
        opn_graph *noisy = generate(ctx, &w);
        const double noise = strtod(shares[s], NULL);
        int32_t n_replaced = 0;
        for (opn_vid i = 0; i < 20000; i++)
            n_replaced += noisy->label[i] != clean->label[i];
        expect_near(n_replaced / 20000.0, noise,
                    noise == 1.0 ? 0.0 : 0.011 * (noise > 0));
        const double alike = (1 - noise) * (1 - noise) + noise * noise / 4;
        expect_near(describe(ctx, noisy).homophily, alike, 0.015);
        opn_graph_free(noisy);
    }
    opn_graph_free(clean);
    support_ctx_free(ctx, &m);
}

// Share of the second half of the nodes whose class the words tell: naive Bayes from the
// first half.
static double bayes_accuracy(const opn_graph *graph)
{
    const opn_i_csr *x = &graph->features.lists;
    const int32_t n_classes = graph->n_classes;
    const size_t n_cells = (size_t)n_classes * (size_t)x->n_cols;
    double *seen = calloc(n_cells, sizeof(*seen));
    double *total = calloc((size_t)n_classes, sizeof(*total));
    double *size = calloc((size_t)n_classes, sizeof(*size));
    int32_t n_right = 0;
    const int32_t half = x->n_rows / 2;
    assert_true(seen != NULL && total != NULL && size != NULL);
    for (int32_t i = 0; i < half; i++) {
        const int32_t k = graph->label[i];
        size[k]++;
        for (opn_off e = x->row_ptr[i]; e < x->row_ptr[i + 1]; e++, total[k]++)
            seen[(size_t)k * (size_t)x->n_cols + (size_t)x->col_idx[e]]++;
    }
    for (int32_t i = half; i < x->n_rows; i++) {
        double best = -(double)INFINITY;
        int32_t said = 0;
        for (int32_t k = 0; k < n_classes; k++) {
            double score = log(size[k]);
            for (opn_off e = x->row_ptr[i]; e < x->row_ptr[i + 1]; e++) {
                const size_t at = (size_t)k * (size_t)x->n_cols + (size_t)x->col_idx[e];
                score += log((seen[at] + 1) / (total[k] + x->n_cols));
            }
            said = score > best ? k : said;
            best = score > best ? score : best;
        }
        n_right += said == graph->label[i];
    }
    free(seen);
    free(total);
    free(size);
    return (double)n_right / (x->n_rows - half);
}

static void topic_overlap_takes_the_classes_out_of_the_words(void **state)
{
    (void)state;
    static const char *const overlaps[] = {"0", "0.7", "0.9", "1"};
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    double accuracy[4];
    double largest = 0.0;
    for (size_t c = 0; c < 4; c++) {
        const wish w = {.nodes = "8000",
                        .mean_degree = "1",
                        .homophily = "1", // no community leans, so words tell the class
                        .features = "300",
                        .topic_overlap = overlaps[c]};
        opn_graph *graph = generate(ctx, &w);
        int32_t size[6];
        opn_graph_class_sizes(graph, size);
        for (int k = 0; k < 6; k++)
            largest = size[k] / 8000.0 > largest ? size[k] / 8000.0 : largest;
        accuracy[c] = bayes_accuracy(graph);
        opn_graph_free(graph);
    }
    assert_true(accuracy[0] > 0.95);
    assert_true(accuracy[0] > accuracy[1] && accuracy[1] > accuracy[2]);
    assert_true(accuracy[2] > largest + 0.05);
    assert_true(accuracy[3] < largest + 0.02); // no better than always saying one class
    support_ctx_free(ctx, &m);
}

// ---- determinism ---------------------------------------------------------------------

static void expect_hash(opn_ctx *ctx, const opn_graph *graph, const char *want)
{
    char got[65];
    assert_int_equal(opn_graph_hash(ctx, graph, got), OPN_OK);
    assert_string_equal(got, want);
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    static const int threads[] = {1, 1, 2, 3, 8};
    opn_ctx *ctx = support_ctx(NULL);
    char first[65] = "";
    const wish w = {.nodes = "30000", .mean_degree = "6", .label_noise = "0.1"};
    for (size_t t = 0; t < sizeof(threads) / sizeof(threads[0]); t++) {
        assert_int_equal(opn_ctx_set_threads(ctx, threads[t]), OPN_OK);
        opn_graph *graph = generate(ctx, &w);
        if (t == 0)
            assert_int_equal(opn_graph_hash(ctx, graph, first), OPN_OK);
        expect_hash(ctx, graph, first);
        opn_graph_free(graph);
    }
    support_ctx_free(ctx, NULL);
}

static void every_parameter_and_every_seed_changes_the_graph(void **state)
{
    (void)state;
    static const wish wishes[] = {
            {.seed = "0"},
            {.seed = "1"},
            {.seed = "4294967296"},
            {.seed = "9007199254740991"},
            {.nodes = "2501"},
            {.classes = "5"},
            {.mean_degree = "5"},
            {.homophily = "0.7"},
            {.features = "999"},
            {.words = "17"},
            {.topic_overlap = "0.6"},
            {.label_noise = "0.01"},
    };
    enum { N_WISHES = sizeof(wishes) / sizeof(wishes[0]) };
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    char hash[N_WISHES][65];
    for (size_t w = 0; w < N_WISHES; w++) {
        opn_graph *graph = generate(ctx, &wishes[w]);
        assert_int_equal(opn_graph_hash(ctx, graph, hash[w]), OPN_OK);
        for (size_t v = 0; v < w; v++)
            assert_string_not_equal(hash[v], hash[w]);
        opn_graph_free(graph);
    }
    support_ctx_free(ctx, &m);
}

// ---- extremes ------------------------------------------------------------------------

static void extremes_are_graphs_too(void **state)
{
    (void)state;
    static const struct {
        wish wish;
        int64_t least_edges, most_edges;
    } cases[] = {
            {{.nodes = "1", .classes = "1"}, 0, 0},
            // A class of one node has no edge of its own, so the node looks elsewhere.
            {{.nodes = "2", .classes = "2", .homophily = "1"}, 1, 1},
            {{.nodes = "2", .classes = "2", .homophily = "0"}, 1, 1},
            {{.nodes = "2", .classes = "1", .homophily = "0"}, 1, 1},
            {{.nodes = "6", .classes = "6"}, 0, 12},
            // Each of these classes leans to one other, which is one node.
            {{.nodes = "50", .classes = "50", .homophily = "0"}, 25, 50},
            {{.nodes = "500", .classes = "1"}, 990, 1000},
            {{.nodes = "500", .mean_degree = "0"}, 0, 0},
            {{.nodes = "20", .classes = "2", .mean_degree = "10000"}, 100, 190},
            {{.nodes = "100", .features = "1"}, 190, 200},
            {{.nodes = "100", .features = "1", .words = "0"}, 190, 200},
            {{.nodes = "100", .words = "10000"}, 190, 200},
            {{.nodes = "100", .label_noise = "1"}, 190, 200},
    };
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        opn_graph *graph = generate(ctx, &cases[c].wish);
        const opn_graph_info info = describe(ctx, graph);
        assert_in_range(info.n_edges, cases[c].least_edges, cases[c].most_edges);
        opn_graph_free(graph);
    }
    support_ctx_free(ctx, &m);
}

static void no_class_is_empty_without_noise(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    opn_graph *graph = generate(ctx, &(wish){.nodes = "40", .classes = "40"});
    int32_t size[40];
    opn_graph_class_sizes(graph, size);
    for (int k = 0; k < 40; k++)
        assert_int_equal(size[k], 1);
    opn_graph_free(graph);
    support_ctx_free(ctx, &m);
}

static void fewer_nodes_than_classes_are_refused(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    opn_graph *graph = NULL;
    assert_int_equal(try_generate(ctx, &(wish){.nodes = "5"}, &graph),
                     OPN_ERR_INVALID_ARG);
    assert_null(graph);
    support_expect_error(ctx, "5 nodes cannot fill 6 classes");
    support_ctx_free(ctx, &m);
}

// ---- interruption and memory ---------------------------------------------------------

static void drawing_stops_whenever_it_is_asked_to(void **state)
{
    (void)state;
    opn_status status = OPN_ERR_INTERRUPTED;
    long n_stopped = 0;
    for (long at = 1; status != OPN_OK; at += 3) { // a third of the questions
        meter m = {0};
        opn_ctx *ctx = support_ctx(&m);
        listener to = {.interrupt_at = at};
        support_listen(ctx, &to);
        opn_graph *graph = NULL;
        status = try_generate(ctx, &(wish){.nodes = "66000", .words = "2"}, &graph);
        assert_int_equal(graph != NULL, status == OPN_OK);
        if (status != OPN_OK) {
            assert_int_equal(status, OPN_ERR_INTERRUPTED);
            support_expect_error(ctx, "interrupted");
            n_stopped++;
        }
        assert_true(to.last.done <= to.last.total);
        opn_graph_free(graph);
        support_ctx_free(ctx, &m);
    }
    assert_true(n_stopped >= 2); // among the edges, and among the words
}

// The longest time between two questions, in CPU time, because the machine may be busy.
typedef struct stretch {
    double last, longest;
} stretch;

static double cpu_seconds(void)
{
    struct timespec now;
    assert_int_equal(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now), 0);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int note_question(void *user)
{
    stretch *so_far = user;
    const double now = cpu_seconds();
    so_far->longest = fmax(so_far->longest, now - so_far->last);
    so_far->last = now;
    return 0;
}

static void no_part_of_drawing_a_large_graph_is_deaf_for_long(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    const double start = cpu_seconds();
    stretch heard = {.last = start};
    const opn_hooks hooks = {
            .size = sizeof(hooks), .interrupted = note_question, .user = &heard};
    opn_graph *graph = NULL;
    assert_int_equal(opn_ctx_set_hooks(ctx, &hooks), OPN_OK);
    assert_int_equal(try_generate(ctx, &(wish){.nodes = "600000"}, &graph), OPN_OK);
    assert_int_equal(note_question(&heard), 0);
    assert_true(heard.longest < 0.1 * (cpu_seconds() - start));
    opn_graph_free(graph);
    opn_ctx_free(ctx);
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    opn_status status = OPN_ERR_NOMEM;
    for (long fail_at = 1; status != OPN_OK; fail_at++) {
        meter m = {0};
        opn_ctx *ctx = support_ctx(&m);
        opn_graph *graph = NULL;
        opn_params *params = make_params(ctx, &(wish){.nodes = "30"});
        m.fail_at = m.n_requests + fail_at;
        status = opn_graph_generate(ctx, params, &graph);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
        assert_int_equal(graph != NULL, status == OPN_OK);
        opn_graph_free(graph);
        opn_params_free(params);
        support_ctx_free(ctx, &m);
    }
}

// ---- the embedded graph --------------------------------------------------------------

static void the_embedded_graph_is_always_the_same(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    opn_graph *graph = NULL;
    assert_int_equal(opn_graph_load(ctx, "demo", NULL, &graph), OPN_OK);
    expect_sound(graph);
    const opn_graph_info info = describe(ctx, graph);
    assert_in_range(info.n_nodes, 2400, 2600);
    assert_int_equal(info.n_classes, 6);
    assert_int_equal(info.n_unlabelled, 0);
    assert_string_equal(opn_graph_name(graph), "demo");
    expect_hash(ctx, graph, demo_hash);
    opn_split *split = NULL;
    static const int32_t ood[] = {4, 5};
    assert_int_equal(opn_split_create(ctx, graph, OPN_SPLIT_USUAL, 0, ood, 2, &split),
                     OPN_OK);
    assert_int_equal(opn_split_count(split, OPN_ROLE_TRAIN), 80);
    opn_split_free(split);
    opn_graph_free(graph);
    support_ctx_free(ctx, &m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(sizes_are_as_asked),
            cmocka_unit_test(the_mean_degree_is_met_within_a_hundredth),
            cmocka_unit_test(homophily_is_the_share_of_edges_within_a_class),
            cmocka_unit_test(no_class_is_twice_as_large_as_another),
            cmocka_unit_test(degrees_have_a_heavy_tail),
            cmocka_unit_test(words_are_the_mean_number_drawn_for_a_node),
            cmocka_unit_test(label_noise_is_the_share_of_labels_replaced),
            cmocka_unit_test(topic_overlap_takes_the_classes_out_of_the_words),
            cmocka_unit_test(threads_do_not_change_a_bit),
            cmocka_unit_test(every_parameter_and_every_seed_changes_the_graph),
            cmocka_unit_test(extremes_are_graphs_too),
            cmocka_unit_test(no_class_is_empty_without_noise),
            cmocka_unit_test(fewer_nodes_than_classes_are_refused),
            cmocka_unit_test(drawing_stops_whenever_it_is_asked_to),
            cmocka_unit_test(no_part_of_drawing_a_large_graph_is_deaf_for_long),
            cmocka_unit_test(any_allocation_may_fail),
            cmocka_unit_test(the_embedded_graph_is_always_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
