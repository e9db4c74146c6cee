// explain_test.c -- why a model holds its opinion of a node: sums that must agree,
// and the sentence.

#include "base/context.h"
#include "graph/gkde.h"
#include "opine/opine.h"
#include "opinion/conflict.h"
#include "opinion/measures.h"
#include "support/cmocka_test.h"
#include "support/sample_network.h"
#include "support/support.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

typedef struct scene {
    opn_graph *graph;
    opn_model *model;
    opn_split *split;
    opn_prediction *said;
} scene;

static scene scene_of(opn_graph *graph, const char *settings)
{
    scene at = {.graph = graph, .model = trial_train(ctx, graph, settings)};
    assert_int_equal(opn_model_split(ctx, at.model, graph, &at.split), OPN_OK);
    at.said = opinions_ask(ctx, at.model, graph, NULL);
    return at;
}

static void close_scene(scene *at)
{
    opn_prediction_free(at->said);
    opn_split_free(at->split);
    opn_model_free(at->model);
    opn_graph_free(at->graph);
}

static opn_explanation *explain(const scene *at, const opn_split *split, opn_vid node)
{
    opn_explanation *e = NULL;
    if (opn_explain_predicted(ctx, at->model, at->graph, split, at->said, node, &e) !=
        OPN_OK)
        fail_msg("%s", opn_ctx_error(ctx));
    return e;
}

static void expect_sentence(const scene *at, const opn_split *split, const char *sentence)
{
    opn_explanation *e = explain(at, split, 0);
    assert_string_equal(opn_explanation_sentence(e), sentence);
    opn_explanation_free(e);
}

// ---- the conflict --------------------------------------------------------------------

static void parts_of_pairs_sum_to_the_dissonance(void **state)
{
    (void)state;
    enum { MOST = 12 };
    uint64_t random = 1;
    for (int r = 0; r < 2000; r++) {
        const int32_t n = 2 + (int32_t)below(&random, MOST - 1);
        double alpha[MOST];
        double others[MOST];
        double sum = 0.0;
        for (int32_t k = 0; k < n; k++)
            alpha[k] = 1.0 +
                       (below(&random, 4) == 0 ? 0.0 : exp(draw(&random, -15.0, 15.0)));
        opn_i_conflict_others(n, alpha, others);
        for (int32_t j = 0; j < n; j++)
            for (int32_t k = j + 1; k < n; k++) {
                const double part = opn_i_conflict_part(n, alpha, others, j, k);
                assert_true(part >= 0.0);
                assert_true(fabs(part - opn_i_conflict_part(n, alpha, others, k, j)) <=
                            1e-15);
                sum += part;
            }
        assert_true(fabs(sum - opn_i_dissonance(n, alpha)) <= 1e-13);
    }
}

// ---- whole graphs --------------------------------------------------------------------

static void check_conflicts(const scene *at, const opn_explanation *e)
{
    double sum = e->conflict_left;
    double shares = 0.0;
    for (int32_t c = 0; c < e->n_conflicts; c++) {
        const opn_conflict *pair = &e->conflict[c];
        assert_true(c == 0 || pair->dissonance <= e->conflict[c - 1].dissonance);
        assert_true(e->alpha[pair->a] >= e->alpha[pair->b] && pair->a != pair->b);
        sum += pair->dissonance;
        shares += pair->share;
    }
    assert_true(fabs(sum - (double)e->measure[OPN_MEASURE_DISSONANCE]) <= 1e-5);
    if (e->n_conflicts > 0 && e->n_conflicts_left == 0)
        assert_true(fabs(shares - 1.0) <= 1e-12);
    assert_true(e->n_conflicts + e->n_conflicts_left <=
                at->said->n_classes * (at->said->n_classes - 1) / 2);
}

static void check_prior(const opn_explanation *e, const opn_real *prior, int32_t width)
{
    double sum = 0.0;
    double shares = 0.0;
    double by_class[16] = {0.0};
    for (int32_t l = 0; l < e->n_sources; l++) {
        const opn_source *from = &e->source[l];
        assert_true(l == 0 || from->hops >= e->source[l - 1].hops);
        by_class[from->k] += from->weight;
        shares += from->share;
    }
    for (int32_t k = 0; k < e->n_classes; k++) {
        const double wanted = (double)prior[(size_t)e->node * (size_t)width + (size_t)k];
        assert_true(fabs(1.0 + e->prior[k] - wanted) <= by_build(1e-6, 1e-13) * wanted);
        assert_true(fabs(by_class[k] - e->prior[k]) <= 1e-12);
        sum += e->prior[k];
    }
    assert_true(fabs(sum - e->prior_sum) <= 1e-12);
    if (e->n_sources > 0)
        assert_true(fabs(shares - 1.0) <= 1e-12);
}

static void check_neighbours(const scene *at, const opn_explanation *e)
{
    const opn_off *row_ptr = opn_graph_row_ptr(at->graph);
    int32_t n_agreeing = 0;
    assert_int_equal(e->n_neighbours, row_ptr[e->node + 1] - row_ptr[e->node]);
    for (int32_t j = 0; j < e->n_neighbours; j++) {
        const opn_neighbour *other = &e->neighbour[j];
        const bool agrees = other->predicted == e->predicted;
        bool is_there = false;
        for (opn_off x = row_ptr[e->node]; x < row_ptr[e->node + 1]; x++)
            is_there |= opn_graph_col_idx(at->graph)[x] == other->node;
        assert_true(is_there);
        assert_int_equal(other->predicted, at->said->predicted[other->node]);
        assert_true(other->measure[OPN_MEASURE_ENTROPY] ==
                    at->said->measure[OPN_MEASURE_ENTROPY][other->node]);
        assert_int_equal(agrees, j >= e->n_neighbours - e->n_agreeing);
        n_agreeing += agrees;
    }
    assert_int_equal(n_agreeing, e->n_agreeing);
}

// Every node of a drawn graph, with a prior of that kernel.
static void check_graph(const char *settings, double sigma, bool has_constant)
{
    enum { N = 240 };
    opn_graph *graph = trial_draw(ctx, "nodes=240 classes=5 features=50 mean_degree=1");
    uint8_t role[N];
    for (int i = 0; i < N; i++)
        role[i] = i % 6 == 0 ? OPN_ROLE_TRAIN : OPN_ROLE_TEST;
    assert_int_equal(opn_graph_set_roles(ctx, graph, role), OPN_OK);
    scene at = scene_of(graph, settings);
    const int32_t n = N;
    const int32_t width = opn_i_width(5);
    int32_t *target = calloc((size_t)n, sizeof(*target));
    opn_real *prior = calloc((size_t)n * (size_t)width, sizeof(*prior));
    int n_lost = 0;
    for (int32_t i = 0; i < n; i++)
        target[i] = opn_split_roles(at.split)[i] == OPN_ROLE_TRAIN
                            ? opn_graph_labels(at.graph)[i]
                            : -1;
    assert_int_equal(
            opn_i_gkde(ctx, at.graph, target, 5, sigma, has_constant, width, prior),
            OPN_OK);
    for (int32_t i = 0; i < n; i++) {
        opn_explanation *e = explain(&at, at.split, i);
        assert_int_equal(e->node, i);
        assert_true(e->is_of_training && e->has_prior);
        check_prior(e, prior, width);
        check_conflicts(&at, e);
        check_neighbours(&at, e);
        n_lost += e->nearest_hops < 0;
        assert_int_equal(e->nearest_hops == 0, target[i] >= 0);
        opn_explanation_free(e);
    }
    assert_in_range(n_lost, 1, 3 * n / 4);
    free(target);
    free(prior);
    close_scene(&at);
}

static void sources_sum_to_the_prior_for_every_kernel(void **state)
{
    (void)state;
    check_graph("epochs=20 samples=3", 1.0, false);
    check_graph("epochs=2 samples=1 sigma=0.3", 0.3, false);
    check_graph("epochs=2 samples=1 sigma=4 kernel_constant=on", 4.0, true);
}

// Node i is joined to i + 1; the last two are isolated. Labels at both ends of the path.
static opn_graph *path_graph(void)
{
    enum { N = 8 };
    static const opn_vid source[] = {0, 1, 2, 3, 4, 6};
    static const opn_vid target[] = {1, 2, 3, 4, 5, 7};
    static const int32_t label[N] = {0, -1, -1, -1, -1, 1, -1, -1};
    static const float value[2 * N] = {1, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1};
    uint8_t role[N];
    opn_graph *graph = NULL;
    assert_int_equal(opn_graph_create_edges(ctx, N, 6, source, target, NULL, &graph),
                     OPN_OK);
    assert_int_equal(opn_graph_set_features(ctx, graph, 2, value), OPN_OK);
    assert_int_equal(opn_graph_set_labels(ctx, graph, 2, label), OPN_OK);
    for (int i = 0; i < N; i++)
        role[i] = label[i] < 0 ? OPN_ROLE_UNLABELLED : OPN_ROLE_TRAIN;
    assert_int_equal(opn_graph_set_roles(ctx, graph, role), OPN_OK);
    return graph;
}

static void hops_are_those_of_the_shortest_path(void **state)
{
    (void)state;
    scene at = scene_of(path_graph(), "epochs=1 samples=1");
    for (int32_t i = 0; i < 6; i++) {
        opn_explanation *e = explain(&at, at.split, i);
        assert_int_equal(e->hops[0], i);
        assert_int_equal(e->hops[1], 5 - i);
        assert_int_equal(e->nearest_hops, i < 3 ? i : 5 - i);
        assert_int_equal(e->n_sources, 2);
        assert_int_equal(e->source[0].node, i < 3 ? 0 : 5);
        assert_true(fabs(e->source[0].weight -
                         exp(-0.5 * e->source[0].hops * e->source[0].hops)) <= 1e-15);
        opn_explanation_free(e);
    }
    opn_explanation *lost = explain(&at, at.split, 7);
    assert_true(lost->hops[0] == -1 && lost->hops[1] == -1 && lost->nearest_hops == -1);
    assert_true(lost->n_sources == 0 && lost->prior_sum == 0.0);
    opn_explanation_free(lost);
    close_scene(&at);
}

static void other_models_and_graphs_lack_what_they_lack(void **state)
{
    (void)state;
    for (int t = 0; t < TRIAL_N_MODELS; t++) {
        char settings[64];
        snprintf(settings, sizeof(settings), "epochs=3 samples=2 model=%s",
                 trial_models[t]);
        scene at = scene_of(trial_groups(ctx), settings);
        for (opn_vid i = 0; i < TRIAL_NODES; i++)
            for (int of_training = 0; of_training < 2; of_training++) {
                opn_explanation *e = explain(&at, of_training ? at.split : NULL, i);
                const bool has_prior = strcmp(trial_models[t], "s-bgcn-t-k") == 0;
                assert_int_equal(e->has_prior, has_prior);
                assert_int_equal(e->prior != NULL, has_prior && of_training);
                assert_int_equal(e->hops != NULL, of_training);
                assert_int_equal(e->belief != NULL,
                                 opn_model_measures(at.model, OPN_MEASURE_VACUITY));
                assert_int_equal(e->alpha == NULL, at.said->alpha == NULL);
                assert_true(e->belief != NULL || e->n_conflicts == 0);
                assert_true(strlen(opn_explanation_sentence(e)) > 20);
                opn_explanation_free(e);
            }
        close_scene(&at);
    }
}

static void one_call_says_the_same_as_prediction_and_explanation(void **state)
{
    (void)state;
    scene at = scene_of(trial_groups(ctx), "epochs=5 samples=3");
    opn_explanation *whole = NULL;
    opn_explanation *e = explain(&at, at.split, 4);
    assert_int_equal(opn_explain(ctx, at.model, at.graph, 4, NULL, &whole), OPN_OK);
    assert_string_equal(opn_explanation_sentence(whole), opn_explanation_sentence(e));
    assert_memory_equal(whole->alpha, e->alpha, 2 * sizeof(float));
    assert_memory_equal(whole->measure, e->measure, sizeof(e->measure));
    assert_int_equal(whole->is_of_training, 1);
    assert_int_equal(whole->role, e->role);
    opn_explanation_free(whole);
    opn_explanation_free(e);
    opn_params *params = trial_params(ctx, "samples=1");
    assert_int_equal(opn_explain(ctx, at.model, at.graph, 4, params, &whole), OPN_OK);
    opn_explanation_free(whole);
    opn_params_free(params);
    // Another graph has no training nodes.
    opn_graph *other = trial_groups_of(ctx, TRIAL_EDGES - 1, TRIAL_FEATURES,
                                       trial_features, trial_labels);
    assert_int_equal(opn_explain(ctx, at.model, other, 4, NULL, &whole), OPN_OK);
    assert_true(!whole->is_of_training && whole->prior == NULL);
    opn_explanation_free(whole);
    opn_graph_free(other);
    close_scene(&at);
}

static void questions_without_an_answer_are_refused(void **state)
{
    (void)state;
    scene at = scene_of(trial_groups(ctx), "epochs=1 samples=1");
    opn_explanation *e = NULL;
    assert_int_equal(opn_explain(ctx, at.model, at.graph, -1, NULL, &e),
                     OPN_ERR_INVALID_ARG);
    assert_int_equal(opn_explain(ctx, at.model, at.graph, TRIAL_NODES, NULL, &e),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "there is no node 9");
    opn_graph *large = path_graph();
    assert_int_equal(
            opn_explain_predicted(ctx, at.model, large, at.split, at.said, 0, &e),
            OPN_ERR_SHAPE);
    support_expect_error(ctx, "the split belongs to another graph");
    assert_int_equal(opn_explain_predicted(ctx, at.model, large, NULL, at.said, 0, &e),
                     OPN_ERR_SHAPE);
    support_expect_error(ctx, "the prediction is of another graph");
    opn_graph_free(large);
    // Without measures and alpha there is less to say, and nothing fails.
    const opn_prediction little = {.n_nodes = at.said->n_nodes,
                                   .n_classes = at.said->n_classes,
                                   .predicted = at.said->predicted,
                                   .probability = at.said->probability};
    assert_int_equal(
            opn_explain_predicted(ctx, at.model, at.graph, at.split, &little, 0, &e),
            OPN_OK);
    assert_true(e->alpha == NULL && e->belief == NULL && e->n_conflicts == 0);
    assert_true(isnan(e->measure[OPN_MEASURE_VACUITY]));
    assert_int_equal(e->reason, OPN_REASON_SURE);
    opn_explanation_free(e);
    opn_explanation_free(NULL);
    close_scene(&at);
}

// ---- the sentence --------------------------------------------------------------------

// Node 0 in the middle of a star, its opinion and the classes of its neighbours.
typedef struct star {
    const char *model;
    double alpha[3]; // or probabilities
    int32_t n_neighbours;
    int32_t predicted[12];
    int32_t labelled; // the node that trains for each class in turn: 0 middle, 1 near
    const char *sentence;
} star;

// Nodes 1 … n are neighbours; behind node 1 a tail of two nodes when there is one.
enum { TAIL = 13, TAIL_END = 14, APART = 15 };
static scene star_scene(const star *s)
{
    enum { N = 18, N_EDGES = 14 };
    opn_vid source[N_EDGES];
    opn_vid target[N_EDGES];
    int32_t label[N];
    uint8_t role[N];
    float value[N];
    opn_off n = 0;
    opn_graph *graph = NULL;
    for (int32_t j = 0; j < s->n_neighbours; j++, n++) {
        source[n] = 0;
        target[n] = j + 1;
    }
    source[n] = 1;
    target[n++] = TAIL;
    source[n] = TAIL;
    target[n++] = TAIL_END;
    for (int i = 0; i < N; i++) {
        value[i] = 1.0f;
        label[i] = -1;
    }
    label[s->labelled] = 0; // class 1 and 2 are learnt where nobody gets to
    label[N - 2] = 1;
    label[N - 1] = 2;
    for (int i = 0; i < N; i++)
        role[i] = label[i] < 0 ? OPN_ROLE_UNLABELLED : OPN_ROLE_TRAIN;
    assert_int_equal(opn_graph_create_edges(ctx, N, n, source, target, NULL, &graph),
                     OPN_OK);
    assert_int_equal(opn_graph_set_features(ctx, graph, 1, value), OPN_OK);
    assert_int_equal(opn_graph_set_labels(ctx, graph, 3, label), OPN_OK);
    assert_int_equal(opn_graph_set_roles(ctx, graph, role), OPN_OK);
    char settings[64];
    snprintf(settings, sizeof(settings), "epochs=0 samples=1 model=%s", s->model);
    scene at = scene_of(graph, settings);
    const bool has_evidence = opn_model_measures(at.model, OPN_MEASURE_VACUITY) != 0;
    double sum = 0.0;
    double p[3];
    int32_t best = 0;
    for (int k = 0; k < 3; k++)
        sum += s->alpha[k];
    for (int k = 0; k < 3; k++) {
        p[k] = s->alpha[k] / sum;
        at.said->probability[k] = (float)p[k];
        if (has_evidence)
            at.said->alpha[k] = (float)s->alpha[k];
        best = p[k] > p[best] ? k : best;
    }
    at.said->predicted[0] = best;
    at.said->measure[OPN_MEASURE_ENTROPY][0] = (float)opn_i_entropy(3, p);
    if (has_evidence) {
        at.said->measure[OPN_MEASURE_VACUITY][0] = (float)opn_i_vacuity(3, s->alpha);
        at.said->measure[OPN_MEASURE_DISSONANCE][0] =
                (float)opn_i_dissonance(3, s->alpha);
    }
    for (int32_t j = 0; j < s->n_neighbours; j++)
        at.said->predicted[j + 1] = s->predicted[j];
    return at;
}

static const star stars[] = {
        {"s-gcn",
         {3, 3, 3},
         3,
         {0, 0, 1},
         APART, // more unknown than believed, yet more conflict, a third of it each
         "The evidence about node 0 conflicts between several classes, among "
         "them class 0 and class 1 (dissonance 0.67), because two of its three "
         "neighbours are predicted class 0 and the other class 1."},
        {"s-gcn",
         {1.5, 1, 1},
         3,
         {0, 0, 0},
         TAIL_END,
         "There is little evidence about node 0 (vacuity 0.86) because the "
         "nearest labelled node is three hops away."},
        {"s-gcn",
         {1.5, 1, 1},
         3,
         {0, 0, 0},
         TAIL,
         "There is little evidence about node 0 (vacuity 0.86) because the "
         "nearest labelled node is two hops away."},
        {"s-gcn",
         {1.5, 1, 1},
         3,
         {0, 0, 0},
         2,
         "There is little evidence about node 0 (vacuity 0.86) although the "
         "nearest labelled node is one hop away."},
        {"s-gcn",
         {1.5, 1, 1},
         3,
         {0, 0, 0},
         0,
         "There is little evidence about node 0 (vacuity 0.86) although it is "
         "labelled itself."},
        {"s-gcn",
         {1.5, 1, 1},
         3,
         {0, 0, 0},
         APART,
         "There is little evidence about node 0 (vacuity 0.86) because no "
         "labelled node can be reached from it."},
        {"s-gcn",
         {1.5, 1, 1},
         0,
         {0},
         APART,
         "There is little evidence about node 0 (vacuity 0.86) because it has no"
         " neighbours."},
        {"s-gcn",
         {1, 21, 17},
         4,
         {1, 1, 2, 0},
         APART,
         "The evidence about node 0 conflicts, mainly between class 1 and class "
         "2 (dissonance 0.82), because two of its four neighbours are predicted "
         "class 1 and one class 2."},
        {"s-gcn",
         {1, 21, 17},
         4,
         {1, 1, 2, 2},
         APART,
         "The evidence about node 0 conflicts, mainly between class 1 and class "
         "2 (dissonance 0.82), because two of its four neighbours are predicted "
         "class 1 and the other two class 2."},
        {"s-gcn",
         {1, 21, 17},
         2,
         {1, 2},
         APART,
         "The evidence about node 0 conflicts, mainly between class 1 and class "
         "2 (dissonance 0.82), because one of its two neighbours is predicted "
         "class 1 and the other class 2."},
        {"s-gcn",
         {1, 21, 17},
         4,
         {1, 1, 1, 1},
         APART,
         "The evidence about node 0 conflicts, mainly between class 1 and class "
         "2 (dissonance 0.82); all four of its neighbours are predicted class 1."},
        {"s-gcn",
         {1, 21, 17},
         2,
         {2, 2},
         APART,
         "The evidence about node 0 conflicts, mainly between class 1 and class "
         "2 (dissonance 0.82); both of its neighbours are predicted class 2."},
        {"s-gcn",
         {1, 21, 17},
         2,
         {2, 0},
         APART,
         "The evidence about node 0 conflicts, mainly between class 1 and class "
         "2 (dissonance 0.82); one of its two neighbours is predicted class 2, "
         "none class 1."},
        {"s-gcn",
         {1, 21, 17},
         3,
         {1, 0, 1},
         APART,
         "The evidence about node 0 conflicts, mainly between class 1 and class "
         "2 (dissonance 0.82); two of its three neighbours are predicted class "
         "1, none class 2."},
        {"s-gcn",
         {1, 21, 17},
         3,
         {0, 0, 0},
         APART,
         "The evidence about node 0 conflicts, mainly between class 1 and class "
         "2 (dissonance 0.82); none of its three neighbours are predicted class "
         "1 or class 2."},
        {"s-gcn",
         {1, 21, 17},
         2,
         {0, 0},
         APART,
         "The evidence about node 0 conflicts, mainly between class 1 and class "
         "2 (dissonance 0.82); neither of its neighbours is predicted class 1 or"
         " class 2."},
        {"s-gcn",
         {1, 21, 17},
         1,
         {2},
         APART,
         "The evidence about node 0 conflicts, mainly between class 1 and class "
         "2 (dissonance 0.82); its only neighbour is predicted class 2."},
        {"s-gcn",
         {1, 21, 17},
         1,
         {0},
         APART,
         "The evidence about node 0 conflicts, mainly between class 1 and class "
         "2 (dissonance 0.82); its only neighbour is predicted class 0."},
        {"s-gcn",
         {1, 21, 17},
         0,
         {0},
         APART,
         "The evidence about node 0 conflicts, mainly between class 1 and class "
         "2 (dissonance 0.82); it has no neighbours."},
        {"s-gcn",
         {101, 3, 1},
         3,
         {0, 0, 2},
         TAIL_END,
         "Node 0 is predicted class 0 (belief 0.95) because two of its three "
         "neighbours are too."},
        {"s-gcn",
         {101, 3, 1},
         3,
         {0, 0, 0},
         TAIL,
         "Node 0 is predicted class 0 (belief 0.95) because all three of its "
         "neighbours are too and a labelled node of that class is two hops away."},
        {"s-gcn",
         {101, 3, 1},
         2,
         {0, 0},
         APART,
         "Node 0 is predicted class 0 (belief 0.95) because both of its "
         "neighbours are too."},
        {"s-gcn",
         {101, 3, 1},
         2,
         {0, 1},
         APART,
         "Node 0 is predicted class 0 (belief 0.95) because one of its two "
         "neighbours is too."},
        {"s-gcn",
         {101, 3, 1},
         2,
         {1, 1},
         APART,
         "Node 0 is predicted class 0 (belief 0.95) although neither of its "
         "neighbours is."},
        {"s-gcn",
         {101, 3, 1},
         3,
         {1, 1, 2},
         APART,
         "Node 0 is predicted class 0 (belief 0.95) although none of its three "
         "neighbours are."},
        {"s-gcn",
         {101, 3, 1},
         3,
         {0, 1, 2},
         1,
         "Node 0 is predicted class 0 (belief 0.95) although only one of its "
         "three neighbours is; a labelled node of that class is one hop away."},
        {"s-gcn",
         {101, 3, 1},
         1,
         {0},
         0,
         "Node 0 is predicted class 0 (belief 0.95) because its only neighbour "
         "is too and it is labelled with that class itself."},
        {"s-gcn",
         {101, 3, 1},
         1,
         {1},
         APART,
         "Node 0 is predicted class 0 (belief 0.95) although its only neighbour "
         "is not."},
        {"s-gcn",
         {101, 3, 1},
         0,
         {0},
         APART,
         "Node 0 is predicted class 0 (belief 0.95); it has no neighbours."},
        {"s-gcn",
         {101, 3, 1},
         0,
         {0},
         0,
         "Node 0 is predicted class 0 (belief 0.95); it has no neighbours and it"
         " is labelled with that class itself."},
        {"s-gcn",
         {101, 3, 1},
         12,
         {0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1},
         APART,
         "Node 0 is predicted class 0 (belief 0.95) although only 3 of its 12 "
         "neighbours are."},
        {"s-gcn",
         {101, 3, 1},
         12,
         {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
         APART,
         "Node 0 is predicted class 0 (belief 0.95) although none of its 12 "
         "neighbours are."},
        {"gcn",
         {0.5, 0.1, 0.4},
         3,
         {0, 2, 2},
         APART,
         "Node 0 is undecided, mainly between class 0 and class 2 (entropy "
         "0.86), because one of its three neighbours is predicted class 0 and "
         "the other two class 2."},
        {"gcn",
         {0.05, 0.9, 0.05},
         3,
         {1, 1, 2},
         APART,
         "Node 0 is predicted class 1 (probability 0.90) because two of its "
         "three neighbours are too."},
};

static void the_sentence_follows_its_rules(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof(stars) / sizeof(stars[0]); s++) {
        scene at = star_scene(&stars[s]);
        expect_sentence(&at, at.split, stars[s].sentence);
        close_scene(&at);
    }
    scene at = star_scene(&stars[1]);
    expect_sentence(
            &at, NULL,
            "There is little evidence about node 0 (vacuity 0.86); which nodes were "
            "labelled in training is not known for this graph.");
    close_scene(&at);
}

static void phrases_and_names_are_there_for_every_value(void **state)
{
    (void)state;
    for (int m = 0; m < OPN_N_MEASURES; m++) {
        const opn_i_measure *row = opn_i_measure_at(m);
        const char *low = opn_measure_phrase((opn_measure)m, row->low);
        const char *high = opn_measure_phrase((opn_measure)m, row->high);
        assert_true(strcmp(low, high) != 0 && strlen(low) > 5 && strlen(high) > 5);
        assert_string_equal(opn_measure_phrase((opn_measure)m, (double)NAN), "");
    }
    assert_string_equal(opn_measure_phrase(OPN_MEASURE_VACUITY, 0.5),
                        "there is little evidence");
    assert_string_equal(opn_reason_name(OPN_REASON_LITTLE_EVIDENCE), "little-evidence");
    assert_string_equal(opn_reason_name(OPN_REASON_SURE), "sure");
    assert_string_equal(opn_reason_name(OPN_REASON_CONFLICT), "conflict");
    assert_string_equal(opn_reason_name(OPN_REASON_UNDECIDED), "undecided");
}

static void nodes_are_found_by_their_numbers(void **state)
{
    (void)state;
    opn_graph *graph = trial_groups(ctx);
    assert_int_equal(opn_graph_find_node(graph, "8"), 8);
    assert_int_equal(opn_graph_find_node(graph, "9"), -1);
    assert_int_equal(opn_graph_find_node(graph, "08"), -1);
    assert_int_equal(opn_graph_find_node(graph, ""), -1);
    opn_graph_free(graph);
}

static void many_classes_keep_their_greatest_conflicts(void **state)
{
    (void)state;
    enum { K = 20 };
    scene at = scene_of(trial_draw(ctx, "nodes=400 classes=20 features=50"),
                        "epochs=0 samples=1 model=s-gcn");
    for (int k = 0; k < K; k++)
        at.said->alpha[k] = 2.0f + (float)((7 * k) % K);
    double alpha[K];
    for (int k = 0; k < K; k++)
        alpha[k] = (double)at.said->alpha[k];
    at.said->measure[OPN_MEASURE_DISSONANCE][0] = (float)opn_i_dissonance(K, alpha);
    opn_explanation *e = explain(&at, at.split, 0);
    assert_int_equal(e->n_conflicts, OPN_MAX_CONFLICTS);
    assert_int_equal(e->n_conflicts_left, K * (K - 1) / 2 - OPN_MAX_CONFLICTS);
    check_conflicts(&at, e);
    // None of those left out is greater than the last.
    double others[K];
    int n_greater = 0;
    opn_i_conflict_others(K, alpha, others);
    for (int32_t j = 0; j < K; j++)
        for (int32_t k = j + 1; k < K; k++)
            n_greater += opn_i_conflict_part(K, alpha, others, j, k) >
                         e->conflict[OPN_MAX_CONFLICTS - 1].dissonance;
    assert_true(n_greater < OPN_MAX_CONFLICTS);
    opn_explanation_free(e);
    close_scene(&at);
}

static void every_allocation_failure_is_reported(void **state)
{
    (void)state;
    scene at = scene_of(trial_groups(ctx), "epochs=1 samples=1");
    meter *m = ctx->alloc.user;
    int n_refused = 0;
    for (long fail_at = 1;; fail_at++) {
        const long n_live = m->n_live;
        opn_explanation *e = NULL;
        m->fail_at = m->n_requests + fail_at;
        const opn_status status = opn_explain(ctx, at.model, at.graph, 4, NULL, &e);
        m->fail_at = 0;
        opn_explanation_free(e);
        assert_int_equal(m->n_live, n_live);
        if (status == OPN_OK)
            break;
        assert_int_equal(status, OPN_ERR_NOMEM);
        assert_null(e);
        n_refused++;
    }
    assert_true(n_refused > 15);
    close_scene(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(parts_of_pairs_sum_to_the_dissonance),
            WITH_CTX(sources_sum_to_the_prior_for_every_kernel),
            WITH_CTX(hops_are_those_of_the_shortest_path),
            WITH_CTX(other_models_and_graphs_lack_what_they_lack),
            WITH_CTX(one_call_says_the_same_as_prediction_and_explanation),
            WITH_CTX(questions_without_an_answer_are_refused),
            WITH_CTX(the_sentence_follows_its_rules),
            WITH_CTX(phrases_and_names_are_there_for_every_value),
            WITH_CTX(nodes_are_found_by_their_numbers),
            WITH_CTX(many_classes_keep_their_greatest_conflicts),
            WITH_CTX(every_allocation_failure_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
