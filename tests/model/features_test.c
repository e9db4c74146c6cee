// features_test.c -- features as models take them: normalised, with links, or of the
// nodes alone; and which graphs a model knows.

#include "model/features.h"
#include "support/cmocka_test.h"
#include "support/sample_network.h"
#include "support/support.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static opn_ctx *ctx;

enum { V = 12, F = 4 };

// Feature 0 of few nodes, feature 1 of all, feature 2 of half, feature 3 of none; node 5
// has feature 1 alone. Node 11 has no neighbours.
static double feature_at(int32_t i, int32_t k)
{
    const bool has = k == 1 || (i != 5 && (k == 0 ? i % 6 == 1 : k == 2 && i % 2 == 0));
    return has ? 1.0 + 0.25 * ((3 * i + k) % 7) : 0.0;
}

static double link_at(int32_t i, int32_t j)
{
    const int32_t near = i < j ? i : j;
    const int32_t far = i < j ? j : i;
    if (i == j)
        return 1.0;
    return far < 11 && (far == near + 1 || near == 0) ? 0.5 + 0.25 * far : 0.0;
}

static opn_graph *make_graph(int32_t n_features)
{
    opn_vid source[V * V];
    opn_vid target[V * V];
    float weight[V * V];
    float value[V * F];
    int32_t label[V];
    opn_graph *graph = NULL;
    int n = 0;
    for (int32_t i = 0; i < V; i++) {
        label[i] = i % 2;
        for (int32_t j = i + 1; j < V; j++) {
            if (link_at(i, j) == 0.0)
                continue;
            source[n] = i;
            target[n] = j;
            weight[n++] = (float)link_at(i, j);
        }
        for (int32_t k = 0; k < n_features; k++)
            value[i * n_features + k] = (float)feature_at(i, k);
    }
    assert_int_equal(opn_graph_create_edges(ctx, V, n, source, target, weight, &graph),
                     OPN_OK);
    assert_int_equal(opn_graph_set_features(ctx, graph, n_features, value), OPN_OK);
    assert_int_equal(opn_graph_set_labels(ctx, graph, 2, label), OPN_OK);
    return graph;
}

// ---- a dense computation -------------------------------------------------------------

typedef struct matrix {
    int32_t n_cols;
    double x[V][F + V];
} matrix;

static double norm_of(int32_t i, bool is_l2, int32_t n, double (*at)(int32_t, int32_t))
{
    double sum = 0.0;
    for (int32_t k = 0; k < n; k++)
        sum += is_l2 ? at(i, k) * at(i, k) : fabs(at(i, k));
    return is_l2 ? sqrt(sum) : sum;
}

// Mean and standard deviation of a column; 1 for a constant one.
static void measure(int32_t k, double *mean, double *scale)
{
    *mean = *scale = 0.0;
    for (int32_t i = 0; i < V; i++)
        *mean += feature_at(i, k) / V;
    for (int32_t i = 0; i < V; i++)
        *scale += (feature_at(i, k) - *mean) * (feature_at(i, k) - *mean) / V;
    *scale = *scale > 0.0 ? sqrt(*scale) : 1.0;
}

// Features, if there are any, and then links, the nodes themselves, or nothing.
static matrix expected(int32_t n_features, const char *normalise, bool has_links)
{
    const bool has_nodes = has_links || n_features == 0;
    matrix m = {.n_cols = n_features + (has_nodes ? V : 0)};
    for (int32_t i = 0; i < V; i++) {
        for (int32_t k = 0; k < n_features; k++) {
            double mean = 0.0;
            double scale = 1.0;
            if (strcmp(normalise, "standard") == 0)
                measure(k, &mean, &scale);
            else if (strcmp(normalise, "none") != 0)
                scale = norm_of(i, strcmp(normalise, "l2") == 0, F, feature_at);
            m.x[i][k] = (feature_at(i, k) - mean) / scale;
        }
        for (int32_t j = 0; j < V && has_nodes; j++)
            m.x[i][n_features + j] =
                    has_links ? link_at(i, j) / norm_of(i, true, V, link_at) : i == j;
    }
    return m;
}

static matrix unpack(const opn_i_ready_features *ready)
{
    matrix m = {.n_cols = ready->x.n_cols};
    assert_int_equal(ready->x.n_rows, V);
    assert_true(m.n_cols <= F + V);
    for (int32_t i = 0; i < V; i++) {
        for (int32_t k = 0; k < m.n_cols && ready->centre != NULL; k++)
            m.x[i][k] = -(double)ready->centre[k];
        for (opn_off e = ready->x.lists.row_ptr[i]; e < ready->x.lists.row_ptr[i + 1];
             e++) {
            assert_true(e == ready->x.lists.row_ptr[i] ||
                        ready->x.lists.col_idx[e] > ready->x.lists.col_idx[e - 1]);
            m.x[i][ready->x.lists.col_idx[e]] +=
                    ready->x.lists.value == NULL ? 1.0 : (double)ready->x.lists.value[e];
        }
    }
    return m;
}

static void expect_same(const matrix *got, const matrix *want)
{
    assert_int_equal(got->n_cols, want->n_cols);
    for (int32_t i = 0; i < V; i++)
        for (int32_t k = 0; k < want->n_cols; k++)
            expect_close(got->x[i][k], want->x[i][k], 1e-6, 1.0);
}

static const char *const normalises[] = {"none", "row", "l2", "standard"};
enum { N_NORMALISES = 4 };

// Models with and without links, on a graph with features and without; trained.
typedef struct scene {
    opn_graph *graph;
    opn_model *model;
    matrix want;
} scene;
enum { N_SCENES = 4 * N_NORMALISES };

static scene open_scene(int c)
{
    const bool has_links = c % 2 == 1;
    const int32_t n_features = c / 2 % 2 == 0 ? F : 0;
    const char *normalise = normalises[c / 4];
    char settings[128];
    scene s = {.graph = make_graph(n_features),
               .want = expected(n_features, normalise, has_links)};
    snprintf(settings, sizeof(settings), "model=%s normalise=%s epochs=9 hidden=5",
             has_links ? "links" : "mlp", normalise);
    s.model = trial_train(ctx, s.graph, settings);
    assert_int_equal(opn_model_n_features(s.model), n_features);
    return s;
}

static void close_scene(scene *s)
{
    opn_model_free(s->model);
    opn_graph_free(s->graph);
}

static void each_block_of_features_is_normalised_on_its_own(void **state)
{
    (void)state;
    for (int c = 0; c < N_SCENES; c++) {
        scene s = open_scene(c);
        opn_i_ready_features ready = {0};
        assert_int_equal(opn_i_features_ready(ctx, s.model, s.graph, &ready), OPN_OK);
        const matrix got = unpack(&ready);
        expect_same(&got, &s.want);
        // Of the given features the one of few nodes stays sparse, if standardised.
        assert_int_equal(ready.centre != NULL, c / 4 == 3 && c / 2 % 2 == 0);
        for (int32_t k = 0; k < got.n_cols && ready.centre != NULL; k++)
            assert_int_equal(ready.centre[k] != 0, k == 0);
        opn_i_ready_features_deinit(&ctx->alloc, &ready);
        close_scene(&s);
    }
}

static double weight_at(const opn_model *model, int m, int32_t i, int32_t k)
{
    opn_i_weight list[OPN_MAX_WEIGHTS];
    size_t n = 0;
    (void)opn_i_place_weights(model->kind->encoder, &model->sizes, list, &n);
    return (double)model->member[0].student[opn_i_weight_place(&list[m], i, k)];
}

// softmax(ReLU(x W0) W1), of one node.
static void predict_densely(const scene *s, int32_t i, double p[2])
{
    double sum = 0.0;
    p[0] = p[1] = 0.0;
    for (int32_t h = 0; h < 5; h++) {
        double unit = 0.0;
        for (int32_t k = 0; k < s->want.n_cols; k++)
            unit += s->want.x[i][k] * weight_at(s->model, 0, k, h);
        for (int32_t k = 0; k < 2; k++)
            p[k] += fmax(0.0, unit) * weight_at(s->model, 1, h, k);
    }
    for (int32_t k = 0; k < 2; k++)
        sum += exp(p[k]);
    for (int32_t k = 0; k < 2; k++)
        p[k] = exp(p[k]) / sum;
}

static void predictions_are_those_of_a_dense_computation(void **state)
{
    (void)state;
    for (int c = 0; c < N_SCENES; c++) {
        scene s = open_scene(c);
        opn_prediction *said = opinions_ask(ctx, s.model, s.graph, NULL);
        for (int32_t i = 0; i < V; i++) {
            double p[2];
            predict_densely(&s, i, p);
            for (int32_t k = 0; k < 2; k++)
                expect_close((double)said->probability[2 * i + k], p[k], 1e-5, 1.0);
        }
        opn_prediction_free(said);
        close_scene(&s);
    }
}

// ---- graphs a model knows ------------------------------------------------------------

static void expect_refused(const opn_model *model, const opn_graph *graph)
{
    opn_prediction *said = NULL;
    assert_int_equal(opn_model_predict(ctx, model, graph, NULL, 0, &said), OPN_ERR_SHAPE);
    assert_null(said);
    support_expect_error(ctx, "knows only the nodes of the graph it was trained on");
    support_expect_error(ctx, opn_model_id(model));
}

// As many nodes, but other edges.
static opn_graph *make_ring(void)
{
    opn_vid source[V];
    opn_vid target[V];
    opn_graph *graph = NULL;
    for (int32_t i = 0; i < V; i++) {
        source[i] = i;
        target[i] = (i + 1) % V;
    }
    assert_int_equal(opn_graph_create_edges(ctx, V, V, source, target, NULL, &graph),
                     OPN_OK);
    return graph;
}

static void a_model_with_features_of_nodes_knows_only_its_own_graph(void **state)
{
    (void)state;
    static const char *const models[] = {"links",       "gcn",        "s-bgat-t-k",
                                         "s-bsage-t-k", "s-bmlp-t-k", "s-blinks-t-k"};
    stage *s = support_open_stage("m.safetensors");
    for (size_t m = 0; m < sizeof(models) / sizeof(models[0]); m++) {
        char settings[128];
        opn_model *again = NULL;
        opn_graph *graph = make_graph(0);
        opn_graph *other = make_ring();
        snprintf(settings, sizeof(settings), "model=%s epochs=2 samples=2 hidden=8",
                 models[m]);
        opn_model *model = trial_train(ctx, graph, settings);
        assert_int_equal(opn_model_save(ctx, model, s->path), OPN_OK);
        assert_int_equal(opn_model_load(ctx, s->path, &again), OPN_OK);
        opn_prediction *said = opinions_ask(ctx, again, graph, NULL);
        opinions_expect_sound(model, said);
        expect_refused(model, other);
        expect_refused(again, other);
        opn_prediction_free(said);
        opn_model_free(again);
        opn_model_free(model);
        opn_graph_free(graph);
        opn_graph_free(other);
    }
    support_close_stage(s);
}

// The hash of a file may lie; the number of nodes must still be right.
static void a_model_of_more_nodes_than_the_graph_has_is_refused(void **state)
{
    (void)state;
    stage *s = support_open_stage("m.safetensors");
    opn_graph *graph = make_graph(F);
    opn_model *model = trial_train(ctx, graph, "model=links epochs=1");
    model->n_node_features++;
    expect_refused(model, graph);
    model->n_node_features = F + V + 1;
    assert_int_equal(opn_model_save(ctx, model, s->path), OPN_OK);
    opn_model *again = NULL;
    assert_int_equal(opn_model_load(ctx, s->path, &again), OPN_ERR_FORMAT);
    support_expect_error(ctx, "17 features of nodes for the 16 rows of w0");
    opn_model_free(model);
    opn_graph_free(graph);
    support_close_stage(s);
}

static void features_of_another_graph_fit_a_model_without_links(void **state)
{
    (void)state;
    opn_graph *graph = make_graph(F);
    opn_graph *fewer = make_graph(F - 1);
    opn_model *model = trial_train(ctx, graph, "model=mlp epochs=1 normalise=standard");
    opn_graph *other = trial_groups_of(ctx, TRIAL_EDGES, F,
                                       (float[TRIAL_NODES * F]){1, 2}, trial_labels);
    opn_prediction *said = opinions_ask(ctx, model, other, NULL);
    opinions_expect_sound(model, said);
    opn_prediction_free(said);
    said = NULL;
    assert_int_equal(opn_model_predict(ctx, model, fewer, NULL, 0, &said), OPN_ERR_SHAPE);
    support_expect_error(ctx, "has 3 features, but the model was trained on 4");
    opn_model_free(model);
    opn_graph_free(graph);
    opn_graph_free(fewer);
    opn_graph_free(other);
}

// ---- memory --------------------------------------------------------------------------

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (int c = 1; c < N_SCENES; c += 2) {
        scene s = open_scene(c);
        opn_status status = OPN_ERR_NOMEM;
        for (long fail_at = 1; status != OPN_OK; fail_at++) {
            meter m = {0};
            opn_ctx *other = support_ctx(&m);
            opn_i_ready_features ready = {0};
            m.fail_at = m.n_requests + fail_at;
            status = opn_i_features_ready(other, s.model, s.graph, &ready);
            assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
            assert_int_equal(status == OPN_OK, ready.x.lists.row_ptr != NULL);
            assert_true(fail_at < 200);
            opn_i_ready_features_deinit(&other->alloc, &ready);
            support_ctx_free(other, &m);
        }
        close_scene(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(each_block_of_features_is_normalised_on_its_own),
            WITH_CTX(predictions_are_those_of_a_dense_computation),
            WITH_CTX(a_model_with_features_of_nodes_knows_only_its_own_graph),
            WITH_CTX(a_model_of_more_nodes_than_the_graph_has_is_refused),
            WITH_CTX(features_of_another_graph_fit_a_model_without_links),
            WITH_CTX(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
