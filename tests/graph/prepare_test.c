// prepare_test.c -- each step of preprocessing, against dense oracles.

#include "graph/graph_data.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_NODES = 40, MAX_EDGES = 60, MAX_FEATURES = 9, N_CASES = 300 };

static const double tolerance = sizeof(opn_real) == sizeof(double) ? 1e-12 : 1e-6;

// A random graph, and the same as lists and a dense matrix.
typedef struct sample {
    opn_graph graph; // arrays in here where the graph only borrows them
    int32_t n_nodes, n_edges, n_features;
    int32_t source[MAX_EDGES], target[MAX_EDGES];
    opn_real weight[MAX_EDGES];
    double x[MAX_NODES][MAX_FEATURES];
    int32_t label[MAX_NODES];
    uint8_t role[MAX_NODES];
    char name[8];
} sample;

static void add_name(opn_ctx *ctx, opn_i_names *names, char letter, int32_t i)
{
    char text[16];
    const int n = snprintf(text, sizeof(text), "%c%d", letter, i);
    assert_int_equal(opn_i_names_add(ctx, names, text, (size_t)n), OPN_OK);
}

// Features with zeros, rows and columns of zeros, negative values and constant columns.
static void fill_features(opn_ctx *ctx, sample *s, uint64_t *rng)
{
    int32_t row[MAX_NODES * MAX_FEATURES];
    int32_t col[MAX_NODES * MAX_FEATURES];
    opn_real value[MAX_NODES * MAX_FEATURES];
    opn_off n = 0;
    const bool binary = below(rng, 3) == 0;
    for (int32_t i = 0; i < s->n_nodes; i++)
        for (int32_t k = 0; k < s->n_features; k++) {
            double x = ((int)below(rng, 33) - 16) / 8.0;
            if (below(rng, 2) == 0 || i % 7 == 3 || k == 5)
                x = 0.0;
            if (k == 2)
                x = 0.625;
            if (binary && x != 0.0)
                x = 1.0;
            s->x[i][k] = x;
            if (x == 0.0)
                continue;
            row[n] = i;
            col[n] = k;
            value[n++] = (opn_real)x;
        }
    assert_int_equal(opn_i_csr_from_triples(ctx, s->n_nodes, s->n_features, n, row, col,
                                            value, &s->graph.features.lists),
                     OPN_OK);
    assert_int_equal(opn_i_csr_tidy(ctx, &s->graph.features.lists), OPN_OK);
}

static void fill_edges(opn_ctx *ctx, sample *s, uint64_t *rng)
{
    s->n_edges = s->n_nodes == 0 ? 0 : (int32_t)below(rng, MAX_EDGES + 1);
    for (int32_t e = 0; e < s->n_edges; e++) {
        s->source[e] = (int32_t)below(rng, (uint32_t)s->n_nodes);
        s->target[e] = (int32_t)below(rng, (uint32_t)s->n_nodes);
        s->weight[e] = (opn_real)(1 + below(rng, 9)) / 4;
    }
    assert_int_equal(opn_i_csr_from_triples(ctx, s->n_nodes, s->n_nodes, s->n_edges,
                                            s->source, s->target,
                                            below(rng, 2) == 0 ? s->weight : NULL,
                                            &s->graph.topology),
                     OPN_OK);
}

static void make_sample(opn_ctx *ctx, int32_t n_nodes, uint64_t *rng, sample *s)
{
    *s = (sample){.n_nodes = n_nodes, .name = "sample"};
    s->n_features = (int32_t)below(rng, MAX_FEATURES + 1);
    fill_edges(ctx, s, rng);
    fill_features(ctx, s, rng);
    const bool named = below(rng, 2) == 0;
    for (int32_t i = 0; i < n_nodes; i++) {
        s->label[i] = (int32_t)below(rng, 4) - 1;
        s->role[i] = (uint8_t)below(rng, OPN_ROLE_UNLABELLED);
        if (named)
            add_name(ctx, &s->graph.node_names, 'n', i);
    }
    for (int32_t k = 0; k < s->n_features && named; k++)
        add_name(ctx, &s->graph.feature_names, 'f', k);
    for (int32_t k = 0; k < 3 && named; k++)
        add_name(ctx, &s->graph.class_names, 'c', k);
    s->graph.name = s->name;
    s->graph.alloc = ctx->alloc;
    s->graph.n_classes = 3;
    s->graph.label = s->label;
    s->graph.given_role = below(rng, 2) == 0 ? s->role : NULL;
    s->graph.usual_steps = OPN_STEP_UNDIRECTED;
    s->graph.usual_split = OPN_SPLIT_OWN;
}

static void free_sample(opn_ctx *ctx, sample *s)
{
    opn_i_csr_deinit(&ctx->alloc, &s->graph.topology);
    opn_i_csr_deinit(&ctx->alloc, &s->graph.features.lists);
    opn_i_names_deinit(&ctx->alloc, &s->graph.node_names);
    opn_i_names_deinit(&ctx->alloc, &s->graph.class_names);
    opn_i_names_deinit(&ctx->alloc, &s->graph.feature_names);
}

static opn_graph *prepared(opn_ctx *ctx, const sample *s, uint32_t steps)
{
    opn_graph *graph = NULL;
    const opn_status status = opn_graph_prepare(ctx, &s->graph, steps, &graph);
    if (status != OPN_OK)
        fail_msg("prepare: %s", opn_ctx_error(ctx));
    return graph;
}

// The dense features of a graph.
static void unpack(const opn_graph *graph, double x[MAX_NODES][MAX_FEATURES])
{
    const opn_i_csr *f = &graph->features.lists;
    memset(x, 0, sizeof(double[MAX_NODES][MAX_FEATURES]));
    for (int32_t i = 0; i < f->n_rows; i++)
        for (opn_off e = f->row_ptr[i]; e < f->row_ptr[i + 1]; e++)
            x[i][f->col_idx[e]] = f->value == NULL ? 1.0 : (double)f->value[e];
}

static void expect_features(const opn_graph *graph, double want[MAX_NODES][MAX_FEATURES])
{
    double got[MAX_NODES][MAX_FEATURES];
    unpack(graph, got);
    for (int32_t i = 0; i < graph->features.lists.n_rows; i++)
        for (int32_t k = 0; k < graph->features.lists.n_cols; k++)
            if (!(fabs(got[i][k] - want[i][k]) <= tolerance * fmax(1, fabs(want[i][k]))))
                fail_msg("feature (%d, %d): %.17g, want %.17g", i, k, got[i][k],
                         want[i][k]);
}

// Sorted, no zeros, no values when all are 1.
static void expect_tidy(const opn_i_csr *csr)
{
    opn_off n_ones = 0;
    for (int32_t i = 0; i < csr->n_rows; i++)
        for (opn_off e = csr->row_ptr[i]; e < csr->row_ptr[i + 1]; e++) {
            assert_true(e == csr->row_ptr[i] || csr->col_idx[e - 1] < csr->col_idx[e]);
            assert_true(csr->value == NULL || csr->value[e] != 0);
            n_ones += csr->value == NULL || csr->value[e] == 1;
        }
    assert_int_equal(csr->value == NULL, n_ones == opn_i_csr_n_entries(csr));
}

// ---- words ---------------------------------------------------------------------------

static void steps_are_read_from_words(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t steps;
    } cases[] = {
            {"", 0},
            {"none", 0},
            {"undirected", OPN_STEP_UNDIRECTED},
            {"largest-component", OPN_STEP_LARGEST_COMPONENT},
            {"binary-features", OPN_STEP_BINARY_FEATURES},
            {"row-normalise", OPN_STEP_ROW_NORMALISE},
            {"standardise", OPN_STEP_STANDARDISE},
            {"standardise,undirected", OPN_STEP_STANDARDISE | OPN_STEP_UNDIRECTED},
            {"undirected,undirected", OPN_STEP_UNDIRECTED},
    };
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        uint32_t steps = 99;
        assert_int_equal(opn_steps_parse(ctx, cases[c].text, &steps), OPN_OK);
        assert_int_equal(steps, cases[c].steps);
    }
    support_ctx_free(ctx, &m);
}

static void a_word_that_is_no_step_is_named(void **state)
{
    (void)state;
    static const char *const wrong[] = {"directed",  "Undirected",  "undirected ,none",
                                        "undirecte", "undirectedd", "undirected,,none"};
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    for (size_t c = 0; c < sizeof(wrong) / sizeof(wrong[0]); c++) {
        uint32_t steps = 99;
        assert_int_equal(opn_steps_parse(ctx, wrong[c], &steps), OPN_ERR_INVALID_ARG);
        assert_int_equal(steps, 99);
        support_expect_error(ctx, "is not a step");
        support_expect_error(ctx, "largest-component");
    }
    assert_int_equal(opn_steps_parse(ctx, "undirected,row", &(uint32_t){0}),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "\"row\" is not a step");
    support_ctx_free(ctx, &m);
}

static void an_unknown_bit_is_refused(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    uint64_t rng = 20;
    sample s;
    make_sample(ctx, 3, &rng, &s);
    opn_graph *graph = NULL;
    assert_int_equal(opn_graph_prepare(ctx, &s.graph, 1u << 5, &graph),
                     OPN_ERR_INVALID_ARG);
    assert_null(graph);
    support_expect_error(ctx, "unknown step");
    free_sample(ctx, &s);
    support_ctx_free(ctx, &m);
}

static uint32_t steps_by(opn_ctx *ctx, const char *name, const char *value)
{
    const opn_graph graph = {.usual_steps = OPN_STEP_LARGEST_COMPONENT};
    opn_params *params = NULL;
    uint32_t steps = 0;
    assert_int_equal(opn_params_create(ctx, &params), OPN_OK);
    if (name != NULL)
        assert_int_equal(opn_params_set(ctx, params, name, value), OPN_OK);
    assert_int_equal(opn_steps_from_params(ctx, &graph, params, &steps), OPN_OK);
    opn_params_free(params);
    return steps;
}

static void steps_are_those_of_training_unless_parameters_say_otherwise(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    assert_int_equal(steps_by(ctx, NULL, NULL), OPN_STEP_LARGEST_COMPONENT);
    assert_int_equal(steps_by(ctx, "raw", "on"), 0);
    assert_int_equal(steps_by(ctx, "steps", "none"), 0);
    assert_int_equal(steps_by(ctx, "steps", "undirected"), OPN_STEP_UNDIRECTED);
    support_ctx_free(ctx, &m);
}

// ---- all steps -----------------------------------------------------------------------

static void expect_same_names(const opn_i_names *got, const opn_i_names *want)
{
    assert_int_equal(got->n, want->n);
    for (int64_t i = 0; i < want->n; i++)
        assert_string_equal(opn_i_names_at(got, i), opn_i_names_at(want, i));
}

static void no_step_gives_an_equal_graph(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    uint64_t rng = 21;
    sample s;
    for (int c = 0; c < N_CASES; c++) {
        make_sample(ctx, (int32_t)below(&rng, MAX_NODES + 1), &rng, &s);
        opn_graph *graph = prepared(ctx, &s, 0);
        char before[65];
        char after[65];
        assert_int_equal(opn_graph_hash(ctx, &s.graph, before), OPN_OK);
        assert_int_equal(opn_graph_hash(ctx, graph, after), OPN_OK);
        assert_string_equal(before, after);
        assert_string_equal(opn_graph_name(graph), "sample");
        expect_same_names(&graph->node_names, &s.graph.node_names);
        expect_same_names(&graph->class_names, &s.graph.class_names);
        expect_same_names(&graph->feature_names, &s.graph.feature_names);
        assert_int_equal(graph->given_role != NULL, s.graph.given_role != NULL);
        if (graph->given_role != NULL)
            assert_memory_equal(graph->given_role, s.role, (size_t)s.n_nodes);
        assert_false(graph->is_undirected);
        assert_int_equal(opn_graph_usual_steps(graph), OPN_STEP_UNDIRECTED);
        opn_graph_free(graph);
        free_sample(ctx, &s);
    }
    support_ctx_free(ctx, &m);
}

static void the_graph_itself_is_never_changed(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    uint64_t rng = 22;
    sample s;
    for (uint32_t steps = 0; steps < 2 * OPN_STEP_STANDARDISE; steps++) {
        make_sample(ctx, 1 + (int32_t)below(&rng, MAX_NODES), &rng, &s);
        char before[65];
        char after[65];
        assert_int_equal(opn_graph_hash(ctx, &s.graph, before), OPN_OK);
        opn_graph *graph = prepared(ctx, &s, steps);
        assert_int_equal(opn_graph_hash(ctx, &s.graph, after), OPN_OK);
        assert_string_equal(before, after);
        assert_ptr_not_equal(graph->label, s.label);
        opn_graph_free(graph);
        free_sample(ctx, &s);
    }
    support_ctx_free(ctx, &m);
}

// The same edges, each reversed and in another order, give the same undirected graph.
static void direction_and_order_do_not_matter_once_undirected(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    uint64_t rng = 23;
    sample s;
    for (int c = 0; c < N_CASES; c++) {
        make_sample(ctx, (int32_t)below(&rng, MAX_NODES + 1), &rng, &s);
        opn_graph turned = s.graph;
        const bool weighted = s.graph.topology.value != NULL;
        assert_int_equal(opn_i_csr_from_triples(
                                 ctx, s.n_nodes, s.n_nodes, s.n_edges, s.target, s.source,
                                 weighted ? s.weight : NULL, &turned.topology),
                         OPN_OK);
        opn_graph *one = prepared(ctx, &s, OPN_STEP_UNDIRECTED);
        opn_graph *other = NULL;
        assert_int_equal(opn_graph_prepare(ctx, &turned, OPN_STEP_UNDIRECTED, &other),
                         OPN_OK);
        char hash_one[65];
        char hash_other[65];
        assert_int_equal(opn_graph_hash(ctx, one, hash_one), OPN_OK);
        assert_int_equal(opn_graph_hash(ctx, other, hash_other), OPN_OK);
        assert_string_equal(hash_one, hash_other);
        assert_true(one->is_undirected);
        opn_graph_free(one);
        opn_graph_free(other);
        opn_i_csr_deinit(&ctx->alloc, &turned.topology);
        free_sample(ctx, &s);
    }
    support_ctx_free(ctx, &m);
}

// ---- the largest component -----------------------------------------------------------

// Nodes of the largest component by brute force, the one with the smallest node of
// equals.
static int32_t slow_largest(const sample *s, int32_t kept[MAX_NODES])
{
    int32_t least[MAX_NODES];
    int32_t size[MAX_NODES] = {0};
    for (int32_t i = 0; i < s->n_nodes; i++)
        least[i] = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t e = 0; e < s->n_edges; e++) {
            int32_t *a = &least[s->source[e]];
            int32_t *b = &least[s->target[e]];
            changed = changed || *a != *b;
            *a = *b = *a < *b ? *a : *b;
        }
    }
    int32_t best = 0;
    for (int32_t i = 0; i < s->n_nodes; i++)
        size[least[i]]++;
    for (int32_t i = 0; i < s->n_nodes; i++)
        if (size[i] > size[best])
            best = i;
    int32_t n = 0;
    for (int32_t i = 0; i < s->n_nodes; i++)
        if (least[i] == best)
            kept[n++] = i;
    return n;
}

static void expect_node(const opn_graph *got, const sample *s, int32_t i, int32_t was)
{
    char number[12];
    assert_int_equal(got->label[i], s->label[was]);
    if (s->graph.given_role != NULL)
        assert_int_equal(got->given_role[i], s->role[was]);
    if (s->graph.node_names.n > 0)
        assert_string_equal(opn_graph_node_name(got, i, number),
                            opn_i_names_at(&s->graph.node_names, was));
}

static void the_largest_component_keeps_all_that_belongs_to_its_nodes(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    uint64_t rng = 24;
    sample s;
    for (int c = 0; c < N_CASES; c++) {
        make_sample(ctx, (int32_t)below(&rng, MAX_NODES + 1), &rng, &s);
        int32_t kept[MAX_NODES];
        const int32_t n = slow_largest(&s, kept);
        opn_graph *whole = prepared(ctx, &s, OPN_STEP_UNDIRECTED);
        opn_graph *got = prepared(ctx, &s, OPN_STEP_LARGEST_COMPONENT);
        assert_int_equal(opn_graph_n_nodes(got), n);
        assert_int_equal(opn_graph_n_features(got), s.n_features);
        assert_int_equal(opn_graph_n_classes(got), 3);
        assert_true(got->is_undirected);
        assert_int_equal(got->topology.n_cols, n);
        double want[MAX_NODES][MAX_FEATURES] = {{0}};
        for (int32_t i = 0; i < n; i++) {
            expect_node(got, &s, i, kept[i]);
            memcpy(want[i], s.x[kept[i]], sizeof(want[i]));
            // A component is closed: every neighbour is there, under its new number.
            const opn_off first = whole->topology.row_ptr[kept[i]];
            const opn_off n_row = whole->topology.row_ptr[kept[i] + 1] - first;
            assert_int_equal(got->topology.row_ptr[i + 1] - got->topology.row_ptr[i],
                             n_row);
            for (opn_off e = 0; e < n_row; e++) {
                const opn_off at = got->topology.row_ptr[i] + e;
                assert_int_equal(kept[got->topology.col_idx[at]],
                                 whole->topology.col_idx[first + e]);
                if (whole->topology.value != NULL)
                    assert_true(got->topology.value[at] ==
                                whole->topology.value[first + e]);
            }
        }
        expect_features(got, want);
        expect_same_names(&got->class_names, &s.graph.class_names);
        expect_same_names(&got->feature_names, &s.graph.feature_names);
        opn_graph_free(whole);
        opn_graph_free(got);
        free_sample(ctx, &s);
    }
    support_ctx_free(ctx, &m);
}

static void of_equal_components_the_one_with_the_smallest_node_is_kept(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    uint64_t rng = 25;
    sample s;
    make_sample(ctx, 7, &rng, &s);
    // {0}, {1, 4}, {2, 6}, {3, 5}
    static const int32_t source[] = {6, 5, 4};
    static const int32_t target[] = {2, 3, 1};
    opn_i_csr_deinit(&ctx->alloc, &s.graph.topology);
    assert_int_equal(
            opn_i_csr_from_triples(ctx, 7, 7, 3, source, target, NULL, &s.graph.topology),
            OPN_OK);
    opn_graph *got = prepared(ctx, &s, OPN_STEP_LARGEST_COMPONENT);
    assert_int_equal(opn_graph_n_nodes(got), 2);
    expect_node(got, &s, 0, 1);
    expect_node(got, &s, 1, 4);
    opn_graph_free(got);
    free_sample(ctx, &s);
    support_ctx_free(ctx, &m);
}

// ---- features ------------------------------------------------------------------------

static void binary_features_are_ones_where_something_was(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    uint64_t rng = 26;
    sample s;
    for (int c = 0; c < N_CASES; c++) {
        make_sample(ctx, (int32_t)below(&rng, MAX_NODES + 1), &rng, &s);
        opn_graph *got = prepared(ctx, &s, OPN_STEP_BINARY_FEATURES);
        for (int32_t i = 0; i < s.n_nodes; i++)
            for (int32_t k = 0; k < s.n_features; k++)
                s.x[i][k] = s.x[i][k] != 0.0;
        expect_features(got, s.x);
        expect_tidy(&got->features.lists);
        opn_graph_free(got);
        free_sample(ctx, &s);
    }
    support_ctx_free(ctx, &m);
}

static void divide_rows(sample *s)
{
    for (int32_t i = 0; i < s->n_nodes; i++) {
        double sum = 0.0;
        for (int32_t k = 0; k < s->n_features; k++)
            sum += fabs(s->x[i][k]);
        for (int32_t k = 0; k < s->n_features && sum > 0.0; k++)
            s->x[i][k] /= sum;
    }
}

static void rows_are_divided_by_the_sum_of_their_sizes(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    uint64_t rng = 27;
    sample s;
    for (int c = 0; c < N_CASES; c++) {
        make_sample(ctx, (int32_t)below(&rng, MAX_NODES + 1), &rng, &s);
        opn_graph *got = prepared(ctx, &s, OPN_STEP_ROW_NORMALISE);
        divide_rows(&s);
        expect_features(got, s.x);
        expect_tidy(&got->features.lists);
        opn_graph_free(got);
        free_sample(ctx, &s);
    }
    support_ctx_free(ctx, &m);
}

// A share too small for the type is no feature any more: a zero that stayed would be
// counted as an entry, and be lost on the way through a file.
static void a_share_that_vanishes_is_not_stored(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    uint64_t rng = 28;
    sample s;
    make_sample(ctx, 2, &rng, &s);
    static const int32_t row[] = {0, 0, 1};
    static const int32_t col[] = {0, 1, 1};
    static const opn_real value[] = {(opn_real)1e30, (opn_real)1e-30, 3};
    opn_i_csr_deinit(&ctx->alloc, &s.graph.features.lists);
    assert_int_equal(opn_i_csr_from_triples(ctx, 2, 2, 3, row, col, value,
                                            &s.graph.features.lists),
                     OPN_OK);
    opn_graph *got = prepared(ctx, &s, OPN_STEP_ROW_NORMALISE);
    expect_tidy(&got->features.lists);
    opn_graph_free(got);
    free_sample(ctx, &s);
    support_ctx_free(ctx, &m);
}

static void centre_columns(sample *s)
{
    for (int32_t k = 0; k < s->n_features; k++) {
        double mean = 0.0;
        double variance = 0.0;
        bool constant = true;
        for (int32_t i = 0; i < s->n_nodes; i++) {
            mean += s->x[i][k] / s->n_nodes;
            constant = constant && s->x[i][k] == s->x[0][k];
        }
        for (int32_t i = 0; i < s->n_nodes; i++)
            variance += (s->x[i][k] - mean) * (s->x[i][k] - mean) / s->n_nodes;
        for (int32_t i = 0; i < s->n_nodes; i++)
            s->x[i][k] = constant ? 0.0 : (s->x[i][k] - mean) / sqrt(variance);
    }
}

static void standardised_features_have_mean_0_and_variance_1(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    uint64_t rng = 29;
    sample s;
    for (int c = 0; c < N_CASES; c++) {
        make_sample(ctx, (int32_t)below(&rng, MAX_NODES + 1), &rng, &s);
        opn_graph *got = prepared(ctx, &s, OPN_STEP_STANDARDISE);
        centre_columns(&s);
        expect_features(got, s.x);
        expect_tidy(&got->features.lists); // a constant column is not stored at all
        double x[MAX_NODES][MAX_FEATURES];
        unpack(got, x);
        for (int32_t k = 0; k < s.n_features; k++) {
            double mean = 0.0;
            double square = 0.0;
            for (int32_t i = 0; i < s.n_nodes; i++) {
                mean += x[i][k] / s.n_nodes;
                square += x[i][k] * x[i][k] / s.n_nodes;
            }
            assert_true(fabs(mean) < 1e-6);
            assert_true(square == 0.0 || fabs(square - 1.0) < 1e-5);
        }
        opn_graph_free(got);
        free_sample(ctx, &s);
    }
    support_ctx_free(ctx, &m);
}

static void steps_apply_in_their_order(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    uint64_t rng = 30;
    sample s;
    for (int c = 0; c < N_CASES; c++) {
        make_sample(ctx, 1 + (int32_t)below(&rng, MAX_NODES), &rng, &s);
        int32_t kept[MAX_NODES];
        const int32_t n = slow_largest(&s, kept);
        opn_graph *got = prepared(ctx, &s, 2 * OPN_STEP_STANDARDISE - 1);
        for (int32_t i = 0; i < n; i++)
            for (int32_t k = 0; k < s.n_features; k++)
                s.x[i][k] = s.x[kept[i]][k] != 0.0; // kept[i] >= i
        s.n_nodes = n;
        divide_rows(&s);
        centre_columns(&s);
        double x[MAX_NODES][MAX_FEATURES];
        unpack(got, x);
        assert_int_equal(opn_graph_n_nodes(got), n);
        // Shares such as 1/3 are rounded before the spread is taken, so a little is lost.
        for (int32_t i = 0; i < n; i++)
            for (int32_t k = 0; k < s.n_features; k++)
                assert_true(fabs(x[i][k] - s.x[i][k]) < 1e-4);
        opn_graph_free(got);
        free_sample(ctx, &s);
    }
    support_ctx_free(ctx, &m);
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    opn_status status = OPN_ERR_NOMEM;
    for (long fail_at = 1; status != OPN_OK; fail_at++) {
        meter m = {0};
        opn_ctx *ctx = support_ctx(&m);
        uint64_t rng = 31;
        sample s;
        make_sample(ctx, 9, &rng, &s);
        opn_graph *graph = NULL;
        m.fail_at = m.n_requests + fail_at;
        status = opn_graph_prepare(ctx, &s.graph, 2 * OPN_STEP_STANDARDISE - 1, &graph);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
        assert_int_equal(graph != NULL, status == OPN_OK);
        opn_graph_free(graph);
        free_sample(ctx, &s);
        support_ctx_free(ctx, &m);
    }
}

static void source_and_notes_survive_every_step(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    opn_graph *graph = NULL;
    opn_graph *made = NULL;
    const opn_vid ends[] = {0, 1};
    assert_int_equal(opn_graph_create_edges(ctx, 3, 1, &ends[0], &ends[1], NULL, &graph),
                     OPN_OK);
    assert_string_equal(opn_graph_source(graph), "");
    assert_int_equal(opn_i_graph_set_source(ctx, graph, "/own/graph.npz"), OPN_OK);
    assert_int_equal(opn_i_graph_note(ctx, graph, "%d rows were read", 3), OPN_OK);
    assert_int_equal(opn_graph_prepare(ctx, graph, OPN_STEP_LARGEST_COMPONENT, &made),
                     OPN_OK);
    assert_string_equal(opn_graph_source(made), "/own/graph.npz");
    assert_int_equal(opn_graph_note_count(made), 1);
    assert_string_equal(opn_graph_note(made, 0), "3 rows were read");
    opn_graph_free(graph);
    opn_graph_free(made);
    support_ctx_free(ctx, &m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(source_and_notes_survive_every_step),
            cmocka_unit_test(steps_are_read_from_words),
            cmocka_unit_test(a_word_that_is_no_step_is_named),
            cmocka_unit_test(an_unknown_bit_is_refused),
            cmocka_unit_test(steps_are_those_of_training_unless_parameters_say_otherwise),
            cmocka_unit_test(no_step_gives_an_equal_graph),
            cmocka_unit_test(the_graph_itself_is_never_changed),
            cmocka_unit_test(direction_and_order_do_not_matter_once_undirected),
            cmocka_unit_test(the_largest_component_keeps_all_that_belongs_to_its_nodes),
            cmocka_unit_test(of_equal_components_the_one_with_the_smallest_node_is_kept),
            cmocka_unit_test(binary_features_are_ones_where_something_was),
            cmocka_unit_test(rows_are_divided_by_the_sum_of_their_sizes),
            cmocka_unit_test(a_share_that_vanishes_is_not_stored),
            cmocka_unit_test(standardised_features_have_mean_0_and_variance_1),
            cmocka_unit_test(steps_apply_in_their_order),
            cmocka_unit_test(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
