// check_test.c -- each suspicious thing in the data is reported once, and nothing else.

#include "graph/check_parts.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

// ---- samples -------------------------------------------------------------------------

enum {
    NODES = 40,
    ROOM = 100,
    FEATURES = 5,
    ENTRIES = NODES * FEATURES,
    MAX_CLASSES = 4
};

// A graph as lists, in which nothing is wrong until a test changes it.
typedef struct sample {
    int32_t n_edges;
    int32_t source[ROOM], target[ROOM];
    opn_real x[NODES][FEATURES];
    int32_t label[NODES];
    int32_t n_classes;
    const char *class_name[MAX_CLASSES];
    const char *feature_name[FEATURES];
    const char *node_name; // of node 7
    const char *normalise;
    const opn_dataset *dataset;
} sample;

// A ring with chords, two classes and a few unlabelled nodes; amounts, a yes or no that
// goes with the class most of the time, and counts. Edges are also stored in the other
// direction, which does not repeat them.
static sample clean_sample(void)
{
    sample s = {.n_classes = 2,
                .class_name = {"fraud", "ok"},
                .feature_name = {"amount", "online", "age", "logins", "rate"},
                .node_name = "acc-7",
                .normalise = "auto"};
    uint64_t rng = 7;
    for (int32_t i = 0; i < NODES; i++) {
        s.source[s.n_edges] = i;
        s.target[s.n_edges++] = (i + 1) % NODES;
        if (i % 4 == 0) {
            s.source[s.n_edges] = (i + 1) % NODES;
            s.target[s.n_edges++] = i;
        }
        s.label[i] = i % 8 == 3 ? -1 : i % 3 != 0;
        s.x[i][0] = (opn_real)(100 + below(&rng, 900)) / 8;
        s.x[i][1] = (opn_real)(below(&rng, 5) == 0 ? i % 3 == 0 : i % 3 != 0);
        s.x[i][2] = (opn_real)(18 + below(&rng, 60));
        s.x[i][3] = (opn_real)below(&rng, 4);
        s.x[i][4] = (opn_real)(1 + below(&rng, 1000)) / 1000;
    }
    return s;
}

static void add_edge(sample *s, int32_t source, int32_t target)
{
    s->source[s->n_edges] = source;
    s->target[s->n_edges++] = target;
}

// Leaves out the edges that join the nodes below `n` with the others.
static void cut_off(sample *s, int32_t n)
{
    int32_t n_kept = 0;
    for (int32_t e = 0; e < s->n_edges; e++) {
        if ((s->source[e] < n) != (s->target[e] < n))
            continue;
        s->source[n_kept] = s->source[e];
        s->target[n_kept++] = s->target[e];
    }
    s->n_edges = n_kept;
}

static void name_all(const sample *s, opn_graph *graph)
{
    char text[16];
    for (int32_t i = 0; i < NODES; i++) {
        snprintf(text, sizeof(text), "acc-%d", i);
        const char *name = i == 7 ? s->node_name : text;
        assert_int_equal(opn_i_names_add(ctx, &graph->node_names, name, strlen(name)),
                         OPN_OK);
    }
    for (int32_t k = 0; k < s->n_classes; k++)
        assert_int_equal(opn_i_names_add(ctx, &graph->class_names, s->class_name[k],
                                         strlen(s->class_name[k])),
                         OPN_OK);
    for (int32_t k = 0; k < FEATURES; k++)
        assert_int_equal(opn_i_names_add(ctx, &graph->feature_names, s->feature_name[k],
                                         strlen(s->feature_name[k])),
                         OPN_OK);
}

// As a loader would make it.
static opn_graph *build(const sample *s)
{
    opn_graph *graph = NULL;
    int32_t row[ENTRIES];
    int32_t col[ENTRIES];
    opn_real value[ENTRIES];
    for (int32_t e = 0; e < ENTRIES; e++) {
        row[e] = e / FEATURES;
        col[e] = e % FEATURES;
        value[e] = s->x[row[e]][col[e]];
    }
    assert_int_equal(opn_i_graph_new(ctx, "accounts", &graph), OPN_OK);
    assert_int_equal(opn_i_csr_from_triples(ctx, NODES, NODES, s->n_edges, s->source,
                                            s->target, NULL, &graph->topology),
                     OPN_OK);
    assert_int_equal(opn_i_csr_from_triples(ctx, NODES, FEATURES, ENTRIES, row, col,
                                            value, &graph->features.lists),
                     OPN_OK);
    assert_int_equal(opn_i_csr_tidy(ctx, &graph->features.lists), OPN_OK);
    graph->label = opn_i_calloc(&ctx->alloc, NODES, sizeof(*graph->label));
    assert_non_null(graph->label);
    memcpy(graph->label, s->label, sizeof(s->label));
    graph->n_classes = s->n_classes;
    graph->dataset = s->dataset;
    name_all(s, graph);
    return graph;
}

// ---- listening -----------------------------------------------------------------------

// What was reported, one "kind count message" per line.
typedef struct told {
    int n;
    char text[4096];
} told;

static void hear(void *user, const opn_warning *warning)
{
    told *to = user;
    const size_t n = strlen(to->text);
    snprintf(to->text + n, sizeof(to->text) - n, "%s %lld %s\n", warning->kind,
             (long long)warning->count, warning->message);
    to->n++;
}

static opn_params *params_of(const sample *s)
{
    opn_params *params = NULL;
    assert_int_equal(opn_params_create(ctx, &params), OPN_OK);
    assert_int_equal(opn_params_set(ctx, params, "normalise", s->normalise), OPN_OK);
    return params;
}

static told listen_to(const sample *s)
{
    told to = {0};
    opn_graph *graph = build(s);
    opn_params *params = params_of(s);
    assert_int_equal(opn_graph_warnings(ctx, graph, params, hear, &to), OPN_OK);
    opn_params_free(params);
    opn_graph_free(graph);
    return to;
}

static void expect_told(const sample *s, const char *want)
{
    const told to = listen_to(s);
    assert_string_equal(to.text, want);
}

// ---- edges and labels ----------------------------------------------------------------

static void a_graph_in_order_says_nothing(void **state)
{
    (void)state;
    const sample s = clean_sample();
    expect_told(&s, "");
}

static void repeated_edges_are_told_once_with_a_count(void **state)
{
    (void)state;
    sample s = clean_sample();
    add_edge(&s, 9, 10);
    add_edge(&s, 2, 3);
    add_edge(&s, 2, 3);
    expect_told(&s, "repeated-edges 3 duplicate edges: 3, for example "
                    "\"acc-2\" to \"acc-3\"; each pair counts once, with its largest "
                    "weight\n");
}

static void self_loops_are_told_also_when_they_repeat(void **state)
{
    (void)state;
    sample s = clean_sample();
    add_edge(&s, 5, 5);
    add_edge(&s, 5, 5);
    expect_told(&s, "self-loops 2 self-loops: 2, for example \"acc-5\"; they are "
                    "ignored\n");
}

static void a_node_alone_is_isolated_with_or_without_a_label(void **state)
{
    (void)state;
    sample s = clean_sample();
    cut_off(&s, 1);
    expect_told(&s, "isolated-nodes 1 isolated nodes: 1, for example \"acc-0\"; they "
                    "are classified by their own features alone\n");
    s.label[0] = -1;
    assert_int_equal(listen_to(&s).n, 1);
}

static void a_part_without_a_label_is_told(void **state)
{
    (void)state;
    sample s = clean_sample();
    cut_off(&s, 2);
    expect_told(&s, ""); // both are labelled
    s.label[0] = -1;
    expect_told(&s, "");
    s.label[1] = -1;
    expect_told(&s, "unlabelled-parts 1 components without a labelled node: 1, "
                    "for example that of \"acc-0\"; no label can reach them\n");
}

static void without_any_label_no_part_is_singled_out(void **state)
{
    (void)state;
    sample s = clean_sample();
    cut_off(&s, 2);
    for (int32_t i = 0; i < NODES; i++)
        s.label[i] = -1;
    s.n_classes = 0;
    expect_told(&s, "");
}

static void classes_of_one_or_two_nodes_are_told(void **state)
{
    (void)state;
    sample s = clean_sample();
    s.n_classes = 3;
    s.class_name[2] = "theft";
    for (int32_t i = 0; i <= 20; i += 10)
        s.label[i] = 2;
    expect_told(&s, "");
    s.label[20] = -1;
    expect_told(&s, "small-classes 1 classes with fewer than 3 labelled nodes: 1, for "
                    "example \"theft\" with 2; too few to learn from or to score\n");
}

static void classes_that_differ_in_case_or_blanks_are_told(void **state)
{
    (void)state;
    sample s = clean_sample();
    s.n_classes = 4;
    s.class_name[0] = "Fraud ";
    s.class_name[2] = "fraud";
    s.class_name[3] = "not ok";
    for (int32_t i = 0; i < 16; i++)
        s.label[i] = i % 4;
    expect_told(&s, "alike-classes 1 class names that differ only in case or spaces: 1, "
                    "for example \"Fraud \" and \"fraud\"; they count as different "
                    "classes\n");
    s.class_name[2] = "fraude";
    expect_told(&s, "");
}

// ---- features ------------------------------------------------------------------------

static void a_node_without_features_is_told(void **state)
{
    (void)state;
    sample s = clean_sample();
    memset(s.x[7], 0, sizeof(s.x[7]));
    expect_told(&s, "nodes-without-features 1 nodes whose features are all 0: 1, "
                    "for example \"acc-7\"; they are classified by their neighbours "
                    "alone\n");
}

static void features_of_one_value_are_told_zero_or_not(void **state)
{
    (void)state;
    sample s = clean_sample();
    for (int32_t i = 0; i < NODES; i++) {
        s.x[i][2] = 5;
        s.x[i][3] = 0;
    }
    expect_told(&s, "constant-features 2 constant features: 2, "
                    "for example \"age\"; they carry no information\n");
    s.x[0][2] = 0; // one node is enough to differ
    s.x[1][3] = 1;
    expect_told(&s, "");
}

static void features_of_unequal_scale_are_told_unless_they_are_standardised(void **state)
{
    (void)state;
    sample s = clean_sample();
    for (int32_t i = 0; i < NODES; i++)
        s.x[i][0] *= 100;
    const char *want = "unequal-scales 3 features more than 1000 times smaller than "
                       "\"amount\": 3, for example \"online\"; `normalise` standard "
                       "puts all on one scale\n";
    expect_told(&s, ""); // they are, if that is left to the preset
    s.normalise = "none";
    expect_told(&s, want);
    s.normalise = "row";
    expect_told(&s, want);
    s.normalise = "standard";
    expect_told(&s, "");
}

static void a_number_of_its_own_at_every_node_looks_like_an_id(void **state)
{
    (void)state;
    const char *want = "id-features 1 features that look like an id: 1, for example "
                       "\"age\"; remove columns that only number the nodes\n";
    sample s = clean_sample();
    s.normalise = "standard";
    for (int32_t i = 0; i < NODES; i++)
        s.x[i][2] = (opn_real)(i * 7 % NODES); // all of 0 … 39 in a jumble, one 0
    expect_told(&s, want);
    s.x[4][2] = s.x[5][2];
    expect_told(&s, ""); // one twice
    for (int32_t i = 0; i < NODES; i++)
        s.x[i][2] = (opn_real)(9000 - 31 * i); // far apart, but falling
    expect_told(&s, want);
    s.x[20][2] += 400; // neither falling nor close: an amount
    expect_told(&s, "");
    for (int32_t i = 0; i < NODES; i++)
        s.x[i][2] = (opn_real)(i * 7 % NODES) + (opn_real)0.5;
    expect_told(&s, ""); // no whole numbers
    for (int32_t i = 0; i < NODES; i++)
        s.x[i][2] = (opn_real)(i * 7 % NODES - 20); // the 0 stands inside
    expect_told(&s, want);
    for (int32_t i = 0; i < NODES; i++)
        s.x[i][3] = (opn_real)(i * 11 % NODES);
    assert_non_null(strstr(listen_to(&s).text, "id-features 2 "));
}

// Only that "rate" gives the class away.
static void expect_leak(const sample *s, const char *class_name)
{
    char want[256];
    snprintf(want, sizeof(want),
             "leaking-features 1 features that alone separate a class from all others: "
             "1, for "
             "example \"rate\" and class \"%s\"; remove what is known only once the "
             "label is\n",
             class_name);
    expect_told(s, want);
}

static void a_feature_that_gives_the_label_away_is_told(void **state)
{
    (void)state;
    sample s = clean_sample();
    for (int32_t i = 0; i < NODES; i++)
        s.x[i][4] = (opn_real)(s.label[i] != 0); // zero for fraud
    expect_leak(&s, "ok");
    for (int32_t i = 0; i < NODES; i++)
        s.x[i][4] = (opn_real)(s.label[i] == 0);
    expect_leak(&s, "fraud");
    for (int32_t i = 0; i < NODES; i++) // not the same value, but a clear line between
        s.x[i][4] = (opn_real)(i % 5 + 1) + (opn_real)(s.label[i] == 0 ? 5 : 0);
    expect_leak(&s, "fraud");
    s.x[6][4] = 5; // one fraud on the line
    expect_told(&s, "");
}

static void a_class_that_alone_lacks_a_feature_is_given_away(void **state)
{
    (void)state;
    sample s = clean_sample();
    s.n_classes = 4;
    s.class_name[2] = "theft";
    s.class_name[3] = "loss";
    for (int32_t i = 0; i < NODES; i++) {
        s.label[i] = i % 4;
        s.x[i][4] = (opn_real)(s.label[i] != 2);
    }
    expect_leak(&s, "theft");
    for (int32_t i = 0; i < NODES; i++)
        s.x[i][4] = (opn_real)(s.label[i] >= 2); // two classes share each value
    expect_told(&s, "");
    for (int32_t i = 0; i < NODES; i++)
        s.x[i][4] = (opn_real) - (s.label[i] == 3);
    expect_leak(&s, "loss");
    s.x[3][4] = 0; // one of them like the others
    expect_told(&s, "");
}

static void few_labels_may_be_told_apart_by_luck(void **state)
{
    (void)state;
    sample s = clean_sample();
    for (int32_t i = 0; i < NODES; i++) {
        s.label[i] = i < 6 ? i % 2 : -1;
        s.x[i][4] = (opn_real)(s.label[i] == 0);
    }
    expect_told(&s, "");
}

// ---- telling -------------------------------------------------------------------------

static void datasets_known_by_name_are_not_judged(void **state)
{
    (void)state;
    sample s = clean_sample();
    add_edge(&s, 5, 5);
    s.dataset = opn_dataset_at(1);
    expect_told(&s, "");
}

static void without_a_listener_warnings_go_to_the_log(void **state)
{
    (void)state;
    sample s = clean_sample();
    add_edge(&s, 5, 5);
    opn_graph *graph = build(&s);
    opn_params *params = params_of(&s);
    const meter *m = ctx->alloc.user;
    const long n_requests = m->n_requests;
    assert_int_equal(opn_graph_warnings(ctx, graph, params, NULL, NULL), OPN_OK);
    assert_int_equal(m->n_requests, n_requests); // nobody listens, nothing is looked at
    listener heard = {0};
    support_listen(ctx, &heard);
    assert_int_equal(opn_graph_warnings(ctx, graph, params, NULL, NULL), OPN_OK);
    assert_int_equal(heard.n_messages[OPN_LOG_WARNING], 1);
    assert_string_equal(heard.log, "accounts: self-loops: 1, for "
                                   "example \"acc-5\"; they are ignored\n");
    opn_params_free(params);
    opn_graph_free(graph);
}

static void names_are_shown_on_one_line(void **state)
{
    (void)state;
    char shown[OPN_SHOWN_NAME];
    char name[200];
    assert_string_equal(opn_i_shown_name("a\nb\033[31m\177", shown), "\"a?b?[31m?\"");
    assert_string_equal(opn_i_shown_name("", shown), "\"\"");
    memset(name, 'x', sizeof(name));
    name[58] = 0;
    assert_int_equal(strlen(opn_i_shown_name(name, shown)), 60);
    name[58] = 'x';
    name[59] = 0;
    assert_int_equal(strlen(opn_i_shown_name(name, shown)), 63);
    assert_string_equal(shown + 59, "…\"");
    memcpy(name + 57, "äöü", 7); // the cut would fall inside a letter
    assert_string_equal(opn_i_shown_name(name, shown) + 58, "…\"");
}

static void a_graph_of_nothing_says_nothing(void **state)
{
    (void)state;
    const sample s = clean_sample();
    opn_params *params = params_of(&s);
    told to = {0};
    const opn_graph none = {0};
    assert_int_equal(opn_graph_warnings(ctx, &none, params, hear, &to), OPN_OK);
    opn_graph *bare = NULL;
    const opn_vid source[] = {0};
    const opn_vid target[] = {1};
    assert_int_equal(opn_graph_create_edges(ctx, 2, 1, source, target, NULL, &bare),
                     OPN_OK);
    assert_int_equal(opn_graph_warnings(ctx, bare, params, hear, &to), OPN_OK);
    assert_int_equal(to.n, 0);
    opn_graph_free(bare);
    opn_params_free(params);
}

static void the_graph_drawn_by_default_says_nothing(void **state)
{
    (void)state;
    opn_params *params = NULL;
    opn_graph *graph = NULL;
    told to = {0};
    assert_int_equal(opn_params_create(ctx, &params), OPN_OK);
    assert_int_equal(opn_graph_generate(ctx, params, &graph), OPN_OK);
    assert_int_equal(opn_graph_warnings(ctx, graph, params, hear, &to), OPN_OK);
    assert_string_equal(to.text, "");
    opn_graph_free(graph);
    opn_params_free(params);
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    sample s = clean_sample();
    add_edge(&s, 5, 5);
    opn_graph *graph = build(&s);
    opn_params *params = params_of(&s);
    meter *m = ctx->alloc.user;
    opn_status status = OPN_ERR_NOMEM;
    int n_failed = -1;
    while (status == OPN_ERR_NOMEM) {
        told to = {0};
        n_failed++;
        m->fail_at = m->n_requests + n_failed + 1;
        status = opn_graph_warnings(ctx, graph, params, hear, &to);
    }
    m->fail_at = 0;
    assert_int_equal(status, OPN_OK);
    assert_in_range(n_failed, 10, 100);
    opn_params_free(params);
    opn_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(a_graph_in_order_says_nothing),
            WITH_CTX(repeated_edges_are_told_once_with_a_count),
            WITH_CTX(self_loops_are_told_also_when_they_repeat),
            WITH_CTX(a_node_alone_is_isolated_with_or_without_a_label),
            WITH_CTX(a_part_without_a_label_is_told),
            WITH_CTX(without_any_label_no_part_is_singled_out),
            WITH_CTX(classes_of_one_or_two_nodes_are_told),
            WITH_CTX(classes_that_differ_in_case_or_blanks_are_told),
            WITH_CTX(a_node_without_features_is_told),
            WITH_CTX(features_of_one_value_are_told_zero_or_not),
            WITH_CTX(features_of_unequal_scale_are_told_unless_they_are_standardised),
            WITH_CTX(a_number_of_its_own_at_every_node_looks_like_an_id),
            WITH_CTX(a_feature_that_gives_the_label_away_is_told),
            WITH_CTX(a_class_that_alone_lacks_a_feature_is_given_away),
            WITH_CTX(few_labels_may_be_told_apart_by_luck),
            WITH_CTX(datasets_known_by_name_are_not_judged),
            WITH_CTX(without_a_listener_warnings_go_to_the_log),
            WITH_CTX(names_are_shown_on_one_line),
            WITH_CTX(a_graph_of_nothing_says_nothing),
            WITH_CTX(the_graph_drawn_by_default_says_nothing),
            WITH_CTX(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
