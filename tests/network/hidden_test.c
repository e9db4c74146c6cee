// hidden_test.c -- the hidden layer of every node, against loops over dense matrices.

#include "model/model_data.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

// ---- by dense loops ------------------------------------------------------------------

// A graph whose features are known, and what a layer makes of them.
enum { V = 40, F = 7, MAX_H = 24 };

typedef struct layer {
    const opn_graph *graph;
    const opn_model *model;
    double x[V][F];
    double hidden[V][MAX_H];
    opn_i_weight weight[OPN_MAX_WEIGHTS];
} layer;

static double weight_at(const layer *l, int m, int32_t i, int32_t k)
{
    return (double)l->model->member[0].student[opn_i_weight_place(&l->weight[m], i, k)];
}

static bool is_edge(const opn_graph *graph, int32_t i, int32_t j)
{
    for (opn_off e = opn_graph_row_ptr(graph)[i]; e < opn_graph_row_ptr(graph)[i + 1];
         e++)
        if (opn_graph_col_idx(graph)[e] == j)
            return true;
    return false;
}

static int32_t degree(const opn_graph *graph, int32_t i)
{
    return (int32_t)(opn_graph_row_ptr(graph)[i + 1] - opn_graph_row_ptr(graph)[i]);
}

// (X W0)_ik
static double projected(const layer *l, int32_t i, int32_t k)
{
    double sum = 0.0;
    for (int32_t f = 0; f < F; f++)
        sum += l->x[i][f] * weight_at(l, 0, f, k);
    return sum;
}

// ReLU(A^ X W0), A^ = D^-1/2 (A + I) D^-1/2.
static void see_gcn(layer *l, int32_t i, int32_t h)
{
    double sum = 0.0;
    for (int32_t j = 0; j < V; j++)
        if (i == j || is_edge(l->graph, i, j))
            sum += projected(l, j, h) /
                   sqrt((degree(l->graph, i) + 1.0) * (degree(l->graph, j) + 1.0));
    l->hidden[i][h] = fmax(0.0, sum);
}

// ReLU(X W_self + D^-1 A X W_near + b0)
static void see_sage(layer *l, int32_t i, int32_t h)
{
    double near = 0.0;
    for (int32_t j = 0; j < V; j++)
        if (is_edge(l->graph, i, j))
            near += projected(l, j, l->model->sizes.n_hidden + h);
    const int32_t n = degree(l->graph, i);
    l->hidden[i][h] = fmax(0.0, projected(l, i, h) + (n > 0 ? near / n : 0.0) +
                                        weight_at(l, 1, 0, h));
}

// The score that node i gives node j, in the head of unit h.
static double score(const layer *l, int32_t i, int32_t j, int32_t h)
{
    const int32_t n_units = l->model->sizes.n_hidden / l->model->sizes.n_heads;
    const int32_t head = h / n_units;
    double s = weight_at(l, 2, 0, head) + weight_at(l, 2, 1, head);
    for (int32_t k = head * n_units; k < (head + 1) * n_units; k++)
        s += weight_at(l, 1, 0, k) * projected(l, i, k) +
             weight_at(l, 1, 1, k) * projected(l, j, k);
    return s > 0.0 ? s : 0.2 * s;
}

// ELU(the mean of X W0 over the node and its neighbours, by softmax of the scores, + b0)
static void see_gat(layer *l, int32_t i, int32_t h)
{
    double sum = 0.0;
    double total = 0.0;
    for (int32_t j = 0; j < V; j++) {
        if (i != j && !is_edge(l->graph, i, j))
            continue;
        const double w = exp(score(l, i, j, h));
        total += w;
        sum += w * projected(l, j, h);
    }
    const double y = sum / total + weight_at(l, 3, 0, h);
    l->hidden[i][h] = y > 0.0 ? y : expm1(y);
}

// Edges at random; the last two nodes have none.
static opn_graph *draw_graph(double x[V][F])
{
    enum { E = 60 };
    uint64_t state = 3;
    opn_vid source[E];
    opn_vid target[E];
    int32_t label[V];
    float value[V * F];
    opn_graph *graph = NULL;
    for (int e = 0; e < E; e++) {
        source[e] = (opn_vid)below(&state, V - 2);
        target[e] = (opn_vid)((source[e] + 1 + (opn_vid)below(&state, V - 3)) % (V - 2));
    }
    for (int32_t i = 0; i < V; i++) {
        label[i] = i % 3;
        for (int32_t f = 0; f < F; f++) {
            value[i * F + f] = (float)below(&state, 9) / 4.0F - 1.0F;
            x[i][f] = (double)value[i * F + f];
        }
    }
    assert_int_equal(opn_graph_create_edges(ctx, V, E, source, target, NULL, &graph),
                     OPN_OK);
    assert_int_equal(opn_graph_set_features(ctx, graph, F, value), OPN_OK);
    assert_int_equal(opn_graph_set_labels(ctx, graph, 3, label), OPN_OK);
    return graph;
}

static void expect_layer(const char *settings,
                         void (*see)(layer *l, int32_t i, int32_t h))
{
    static layer l;
    float hidden[V * MAX_H];
    size_t n_weights = 0;
    double largest = 0.0;
    opn_graph *graph = draw_graph(l.x);
    opn_model *model = trial_train(ctx, graph, settings);
    const int32_t n = opn_model_n_hidden(model);
    assert_in_range(n, 1, MAX_H);
    assert_int_equal(n, strtol(opn_model_param(model, "hidden"), NULL, 10));
    l.graph = graph;
    l.model = model;
    (void)opn_i_place_weights(model->kind->encoder, &model->sizes, l.weight, &n_weights);
    assert_int_equal(opn_model_hidden(ctx, model, graph, hidden), OPN_OK);
    for (int32_t i = 0; i < V; i++) {
        for (int32_t h = 0; h < n; h++) {
            see(&l, i, h);
            const double got = (double)hidden[i * n + h];
            largest = fmax(largest, got);
            if (fabs(got - l.hidden[i][h]) > 1e-5)
                fail_msg("%s: unit %d of node %d: %g is not %g", settings, h, i, got,
                         l.hidden[i][h]);
        }
    }
    assert_true(largest > 0.1); // there was something to compare
    opn_model_free(model);
    opn_graph_free(graph);
}

static void hidden_layer_of_gcn_is_relu_of_a_x_w0(void **state)
{
    (void)state;
    expect_layer("model=gcn epochs=20 normalise=none hidden=16", see_gcn);
    expect_layer("model=s-bgcn-t-k epochs=5 normalise=none hidden=5", see_gcn);
    expect_layer("model=dropedge-gcn epochs=5 normalise=none hidden=9", see_gcn);
}

static void hidden_layer_of_sage_is_relu_of_self_and_neighbours(void **state)
{
    (void)state;
    expect_layer("model=sage epochs=20 normalise=none hidden=16", see_sage);
    expect_layer("model=s-bsage-t epochs=5 normalise=none hidden=5", see_sage);
}

// Unit 0 of the first head first, then its others, then the next head.
static void hidden_layer_of_gat_is_elu_of_attention_head_by_head(void **state)
{
    (void)state;
    expect_layer("model=gat epochs=20 normalise=none hidden=16", see_gat);
    expect_layer("model=gat epochs=20 normalise=none hidden=24 heads=8 out_heads=2",
                 see_gat);
    expect_layer("model=s-bgat-t epochs=5 normalise=none hidden=15 heads=3", see_gat);
    expect_layer("model=gat epochs=5 normalise=none hidden=5 heads=1", see_gat);
}

// ---- whatever the encoder ------------------------------------------------------------

static const char *const encoders[] = {
        "model=s-bgcn-t-k epochs=3 hidden=10", "model=gat epochs=3 hidden=24",
        "model=s-bgat epochs=3 hidden=9 heads=3", "model=s-bsage epochs=3 hidden=10"};
enum { N_ENCODERS = 4 };

static float *hidden_of(const opn_model *model, const opn_graph *graph)
{
    const size_t n = (size_t)opn_graph_n_nodes(graph) * (size_t)opn_model_n_hidden(model);
    float *hidden = malloc(n * sizeof(*hidden));
    assert_non_null(hidden);
    memset(hidden, 0x55, n * sizeof(*hidden));
    assert_int_equal(opn_model_hidden(ctx, model, graph, hidden), OPN_OK);
    return hidden;
}

static void hidden_layer_has_the_same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    opn_graph *graph = trial_draw(ctx, "nodes=700 classes=3 features=40");
    for (int e = 0; e < N_ENCODERS; e++) {
        opn_model *model = trial_train(ctx, graph, encoders[e]);
        float *want = hidden_of(model, graph);
        for (int t = 2; t <= 4; t++) {
            assert_int_equal(opn_ctx_set_threads(ctx, t), OPN_OK);
            float *got = hidden_of(model, graph);
            assert_memory_equal(got, want,
                                700 * (size_t)opn_model_n_hidden(model) * sizeof(*got));
            free(got);
        }
        assert_int_equal(opn_ctx_set_threads(ctx, 1), OPN_OK);
        free(want);
        opn_model_free(model);
    }
    opn_graph_free(graph);
}

// The same graph with its nodes the other way round: rows go with their nodes.
static void rows_are_in_the_order_of_the_graph(void **state)
{
    (void)state;
    static const opn_vid source[] = {0, 1, 2, 4};
    static const opn_vid target[] = {1, 2, 3, 5};
    enum { N = 6 };
    opn_graph *graph[2];
    for (int g = 0; g < 2; g++) {
        opn_vid ends[2][4];
        float value[N * 2];
        int32_t label[N];
        for (int e = 0; e < 4; e++) {
            ends[0][e] = g == 0 ? source[e] : N - 1 - source[e];
            ends[1][e] = g == 0 ? target[e] : N - 1 - target[e];
        }
        for (int i = 0; i < N; i++) {
            const int to = g == 0 ? i : N - 1 - i;
            value[2 * to] = (float)(i + 1);
            value[2 * to + 1] = (float)(i * i) / 8.0F;
            label[to] = i % 2;
        }
        assert_int_equal(
                opn_graph_create_edges(ctx, N, 4, ends[0], ends[1], NULL, &graph[g]),
                OPN_OK);
        assert_int_equal(opn_graph_set_features(ctx, graph[g], 2, value), OPN_OK);
        assert_int_equal(opn_graph_set_labels(ctx, graph[g], 2, label), OPN_OK);
    }
    for (int e = 0; e < N_ENCODERS; e++) {
        opn_model *model = trial_train(ctx, graph[0], encoders[e]);
        const int32_t n = opn_model_n_hidden(model);
        float *forth = hidden_of(model, graph[0]);
        float *back = hidden_of(model, graph[1]);
        for (int32_t i = 0; i < N; i++)
            for (int32_t h = 0; h < n; h++)
                assert_float_equal(forth[i * n + h], back[(N - 1 - i) * n + h], 1e-5F);
        free(forth);
        free(back);
        opn_model_free(model);
    }
    for (int g = 0; g < 2; g++)
        opn_graph_free(graph[g]);
}

static void what_predict_refuses_hidden_refuses_in_the_same_words(void **state)
{
    (void)state;
    opn_graph *graph = trial_groups(ctx);
    opn_graph *other = trial_draw(ctx, "nodes=30 classes=2 features=12");
    opn_model *model = trial_train(ctx, graph, "model=s-gcn epochs=2");
    float hidden[30 * 16];
    float before[30 * 16];
    char message[1024];
    opn_prediction *said = NULL;
    memset(hidden, 0x55, sizeof(hidden));
    memcpy(before, hidden, sizeof(hidden));
    assert_int_equal(opn_model_predict(ctx, model, other, NULL, 0, &said), OPN_ERR_SHAPE);
    snprintf(message, sizeof(message), "%s", opn_ctx_error(ctx));
    assert_int_equal(opn_model_hidden(ctx, model, other, hidden), OPN_ERR_SHAPE);
    assert_string_equal(opn_ctx_error(ctx), message);
    assert_memory_equal(hidden, before, sizeof(hidden));
    opn_model_free(model);
    opn_graph_free(graph);
    opn_graph_free(other);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    opn_graph *graph = trial_groups(ctx);
    for (int e = 0; e < N_ENCODERS; e++) {
        opn_model *model = trial_train(ctx, graph, encoders[e]);
        float *want = hidden_of(model, graph);
        const size_t n = TRIAL_NODES * (size_t)opn_model_n_hidden(model);
        bool is_reached = true;
        for (long k = 1; is_reached; k++) {
            meter m = {0};
            float *got = calloc(n, sizeof(*got));
            opn_ctx *one = support_ctx(&m);
            assert_non_null(got);
            m.fail_at = m.n_requests + k;
            const opn_status status = opn_model_hidden(one, model, graph, got);
            is_reached = m.n_requests >= m.fail_at;
            assert_int_equal(status, is_reached ? OPN_ERR_NOMEM : OPN_OK);
            if (!is_reached)
                assert_memory_equal(got, want, n * sizeof(*got));
            assert_true(is_reached || k > 5);
            support_ctx_free(one, &m);
            free(got);
        }
        free(want);
        opn_model_free(model);
    }
    opn_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(hidden_layer_of_gcn_is_relu_of_a_x_w0),
            WITH_CTX(hidden_layer_of_sage_is_relu_of_self_and_neighbours),
            WITH_CTX(hidden_layer_of_gat_is_elu_of_attention_head_by_head),
            WITH_CTX(hidden_layer_has_the_same_bits_on_any_number_of_threads),
            WITH_CTX(rows_are_in_the_order_of_the_graph),
            WITH_CTX(what_predict_refuses_hidden_refuses_in_the_same_words),
            WITH_CTX(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("hidden", tests, NULL, NULL);
}
