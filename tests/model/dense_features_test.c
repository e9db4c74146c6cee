// dense_features_test.c -- dense features go straight into the array of the first layer,
// to the bit as through lists.

#include "model/features.h"
#include "support/cmocka_test.h"
#include "support/sample_network.h"
#include "support/support.h"
#include "support/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

// Enough entries for an array. Column 7 has few values, so that it keeps a centre, column
// 8 is constant, and row 5 is empty.
enum { V = 800, F = 131, STRIDE = 136 };

static opn_graph *make_graph(float factor)
{
    opn_vid source[V - 1], target[V - 1];
    int32_t label[V];
    float *value = calloc((size_t)V * F, sizeof(*value));
    opn_graph *graph = NULL;
    uint64_t random = 3;
    assert_non_null(value);
    for (int32_t i = 0; i < V; i++) {
        label[i] = i % 2;
        if (i > 0) {
            source[i - 1] = i - 1;
            target[i - 1] = i;
        }
        for (int32_t k = 0; k < F && i != 5; k++)
            if (k == 7 ? i % 40 == 0 : below(&random, 5) > 0 || k == 8)
                value[i * F + k] = k == 8 ? 2 : factor * (float)draw(&random, -1.0, 3.0);
    }
    assert_int_equal(opn_graph_create_edges(ctx, V, V - 1, source, target, NULL, &graph),
                     OPN_OK);
    assert_int_equal(opn_graph_set_features(ctx, graph, F, value), OPN_OK);
    assert_int_equal(opn_graph_set_labels(ctx, graph, 2, label), OPN_OK);
    free(value);
    return graph;
}

static void shuffle(int32_t *order)
{
    for (int32_t r = 0; r < V; r++)
        order[r] = (r * 7 + 3) % V; // 7 does not divide V
}

static void expect_same(const opn_i_ready_features *ready,
                        const int32_t *order,
                        const opn_i_feature_matrix *matrix)
{
    assert_non_null(matrix->dense);
    assert_int_equal(ready->centre != NULL, matrix->centre != NULL);
    for (int32_t k = 0; k < F && ready->centre != NULL; k++)
        assert_true(ready->centre[k] == matrix->centre[k]);
    for (int32_t r = 0; r < V; r++) {
        opn_real want[STRIDE] = {0};
        for (opn_i_feature_cursor at = opn_i_features_row(&ready->x, order[r]);
             opn_i_feature_next(&at);)
            want[at.col] = at.value;
        for (int32_t k = 0; k < STRIDE; k++)
            assert_true(matrix->dense[r * STRIDE + k] == want[k]);
    }
}

static void the_array_has_what_the_lists_would_have(void **state)
{
    (void)state;
    static const char *const settings[] = {
            "model=s-gcn epochs=1 hidden=4 normalise=none",
            "model=s-gcn epochs=1 hidden=4 normalise=row",
            "model=s-gcn epochs=1 hidden=4 normalise=l2",
            "model=s-gcn epochs=1 hidden=4 normalise=standard"};
    int32_t order[V];
    opn_graph *graph = make_graph(1);
    shuffle(order);
    for (int s = 0; s < 4; s++) {
        opn_model *model = trial_train(ctx, graph, settings[s]);
        opn_i_ready_features ready = {0};
        opn_i_feature_matrix matrix = {0};
        assert_int_equal(opn_i_features_ready(ctx, model, graph, &ready), OPN_OK);
        assert_int_equal(opn_i_features_place(ctx, model, graph, order, 0, &matrix),
                         OPN_OK);
        assert_int_equal(matrix.centre != NULL, s == 3);
        expect_same(&ready, order, &matrix);
        opn_i_feature_matrix_deinit(&ctx->alloc, &matrix);
        opn_i_ready_features_deinit(&ctx->alloc, &ready);
        opn_model_free(model);
    }
    opn_graph_free(graph);
}

// Mixed rows of a shifted graph stay as they are, in the array and in lists; columns are
// standardised as ever.
static void rows_that_are_scaled_already_are_not_scaled_again(void **state)
{
    (void)state;
    static const char *const settings[] = {
            "model=s-gcn epochs=1 hidden=4 normalise=row",
            "model=s-gcn epochs=1 hidden=4 normalise=l2",
            "model=s-gcn epochs=1 hidden=4 normalise=standard"};
    int32_t order[V];
    opn_graph *graph = make_graph(1);
    shuffle(order);
    for (int s = 0; s < 3; s++) {
        opn_model *model = trial_train(ctx, graph, settings[s]);
        opn_i_ready_features ready = {0};
        opn_i_feature_matrix matrix = {0};
        graph->rows_are_scaled = true;
        assert_int_equal(opn_i_features_ready(ctx, model, graph, &ready), OPN_OK);
        assert_int_equal(opn_i_features_place(ctx, model, graph, order, 0, &matrix),
                         OPN_OK);
        expect_same(&ready, order, &matrix);
        const bool is_as_given = memcmp(ready.x.dense, graph->features.dense,
                                        (size_t)V * F * sizeof(*ready.x.dense)) == 0;
        assert_int_equal(is_as_given, s < 2);
        opn_i_feature_matrix_deinit(&ctx->alloc, &matrix);
        opn_i_ready_features_deinit(&ctx->alloc, &ready);
        opn_model_free(model);
        graph->rows_are_scaled = false;
    }
    opn_graph_free(graph);
}

static void a_range_too_wide_to_standardise_is_refused(void **state)
{
    (void)state;
    int32_t order[V];
    opn_graph *graph = make_graph(1), *wide = make_graph(1e38f);
    opn_model *model =
            trial_train(ctx, graph, "model=s-gcn epochs=1 hidden=4 normalise=standard");
    opn_i_feature_matrix matrix = {0};
    shuffle(order);
    for (int32_t k = 0; k < F; k++)
        model->scale[k] *= 1e-3;
    assert_int_equal(opn_i_features_place(ctx, model, wide, order, 0, &matrix),
                     IS_DOUBLE ? OPN_OK : OPN_ERR_NONFINITE);
    if (!IS_DOUBLE)
        support_expect_error(ctx, "has too wide a range to be standardised");
    opn_i_feature_matrix_deinit(&ctx->alloc, &matrix);
    opn_model_free(model);
    opn_graph_free(graph);
    opn_graph_free(wide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(the_array_has_what_the_lists_would_have),
            WITH_CTX(rows_that_are_scaled_already_are_not_scaled_again),
            WITH_CTX(a_range_too_wide_to_standardise_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
