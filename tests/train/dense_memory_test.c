// dense_memory_test.c -- how much memory dense features take, in a graph and in training.

#include "base/context.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/sample_network.h"
#include "support/support.h"
#include "support/trial.h"

#include <stdlib.h>

// 32 MB of features, so that little else counts.
enum { V = 8000, F = 1000, ENTRIES = V * F };

static void forget(void *user)
{
    (void)user;
}

static opn_graph *make_graph(opn_ctx *ctx)
{
    static opn_vid source[V - 1], target[V - 1];
    static int32_t label[V];
    opn_graph *graph = NULL;
    for (int32_t i = 0; i < V; i++) {
        label[i] = i % 20 == 0 ? i / 20 % 3 : -1;
        if (i > 0) {
            source[i - 1] = i - 1;
            target[i - 1] = i;
        }
    }
    assert_int_equal(opn_graph_create_edges(ctx, V, V - 1, source, target, NULL, &graph),
                     OPN_OK);
    assert_int_equal(opn_graph_set_labels(ctx, graph, 3, label), OPN_OK);
    return graph;
}

static double per_entry(size_t n_bytes)
{
    return (double)n_bytes / ENTRIES;
}

// With few hidden units, so that the features are what takes memory.
static const char *const settings[] = {
        "model=gcn epochs=2 hidden=4 normalise=none",
        "model=gcn epochs=2 hidden=4 normalise=l2",
        "model=s-bgcn-t epochs=2 hidden=4 normalise=standard",
        "model=s-bmlp epochs=2 hidden=4 normalise=row",
};

static void a_lent_array_costs_the_graph_nothing_and_training_one_copy(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    opn_graph *graph = make_graph(ctx);
    opn_params *params = NULL;
    float *value = malloc(ENTRIES * sizeof(*value));
    uint64_t random = 5;
    assert_non_null(value);
    for (int32_t j = 0; j < ENTRIES; j++)
        value[j] = (float)draw(&random, -1.0, 1.0);
    const size_t n_before = m.peak = m.n_held;
    assert_int_equal(opn_graph_lend_features(ctx, graph, F, value, forget, NULL), OPN_OK);
    if (!IS_DOUBLE)
        assert_true(per_entry(m.peak - n_before) <= 1.0);
    assert_int_equal(opn_params_create(ctx, &params), OPN_OK);
    for (size_t s = 0; s < sizeof(settings) / sizeof(settings[0]); s++) {
        const size_t n_graph = m.peak = m.n_held;
        assert_int_equal(opn_graph_warnings(ctx, graph, params, NULL, NULL), OPN_OK);
        opn_model *model = trial_train(ctx, graph, settings[s]);
        assert_true(per_entry(m.peak - n_graph) <= by_build(6.0, 12.0));
        opn_model_free(model);
    }
    opn_params_free(params);
    opn_graph_free(graph);
    free(value);
    support_ctx_free(ctx, &m);
}

// A file of features in the library's own array, and a copy of it in the first layer.
static void a_copied_array_costs_its_size(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    opn_graph *graph = make_graph(ctx), *copy = NULL;
    float *value = malloc(ENTRIES * sizeof(*value));
    uint64_t random = 5;
    assert_non_null(value);
    for (int32_t j = 0; j < ENTRIES; j++)
        value[j] = (float)draw(&random, -1.0, 1.0);
    const size_t n_before = m.peak = m.n_held;
    assert_int_equal(opn_graph_set_features(ctx, graph, F, value), OPN_OK);
    assert_int_equal(opn_graph_copy(ctx, graph, &copy), OPN_OK);
    assert_true(per_entry(m.peak - n_before) <= by_build(5.0, 9.0));
    opn_graph_free(copy);
    opn_graph_free(graph);
    free(value);
    support_ctx_free(ctx, &m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(a_lent_array_costs_the_graph_nothing_and_training_one_copy),
            cmocka_unit_test(a_copied_array_costs_its_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
