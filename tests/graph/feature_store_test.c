// feature_store_test.c -- features as lists and as an array: the same to all that reads
// them, and lent arrays.

#include "graph/feature_rule.h"
#include "graph/feature_scale.h"
#include "graph/graph_data.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/sample_network.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

// Enough entries for an array. Row 5 and column 8 are empty, column 7 has few entries, 9
// is constant and 10 holds -0.
enum { V = 800, F = 131 };

static float *draw_floats(double share)
{
    float *value = calloc((size_t)V * F, sizeof(*value));
    uint64_t random = 7;
    assert_non_null(value);
    for (int32_t i = 0; i < V; i++) {
        for (int32_t k = 0; k < F; k++) {
            const bool is_there = (double)below(&random, 1000) < 1000.0 * share;
            const float drawn = (float)draw(&random, -1.0, 3.0);
            if (i != 5 && k != 8 && k != 10 && is_there && (k != 7 || i % 40 == 0))
                value[i * F + k] = k == 9 ? 2.0f : drawn;
        }
        value[i * F + 10] = -0.0f;
    }
    return value;
}

static opn_i_features make_array(void)
{
    opn_i_features x = {0};
    float *value = draw_floats(0.8);
    assert_int_equal(opn_i_features_from_floats(ctx, value, V, F, NULL, &x), OPN_OK);
    assert_non_null(x.dense);
    free(value);
    return x;
}

// The same entries in the other form.
static opn_i_features make_lists(void)
{
    opn_i_features x = make_array();
    assert_int_equal(opn_i_features_to_lists(ctx, &x), OPN_OK);
    assert_null(x.dense);
    assert_non_null(x.lists.value);
    return x;
}

static void expect_same(const opn_i_features *a, const opn_i_features *b)
{
    assert_int_equal(a->n_rows, b->n_rows);
    assert_int_equal(a->n_cols, b->n_cols);
    assert_int_equal(opn_i_features_n_entries(a), opn_i_features_n_entries(b));
    for (int32_t i = 0; i < a->n_rows; i++) {
        opn_i_feature_cursor of_a = opn_i_features_row(a, i);
        opn_i_feature_cursor of_b = opn_i_features_row(b, i);
        while (opn_i_feature_next(&of_a)) {
            assert_true(opn_i_feature_next(&of_b));
            assert_int_equal(of_a.col, of_b.col);
            assert_true(of_a.value == of_b.value && of_a.value != 0);
        }
        assert_false(opn_i_feature_next(&of_b));
    }
}

// ---- both forms ----------------------------------------------------------------------

typedef opn_status change_fn(opn_i_features *x);

static opn_status divide_by_sums(opn_i_features *x)
{
    return opn_i_features_row_normalise(ctx, x);
}

static opn_status divide_by_lengths(opn_i_features *x)
{
    return opn_i_features_l2_normalise(ctx, x);
}

static opn_status standardise_with(opn_i_features *x, bool is_centred)
{
    double mean[F] = {0}, scale[F] = {0}, centre[F] = {0};
    opn_status status = opn_i_features_moments(ctx, x, mean, scale);
    if (status == OPN_OK)
        status = opn_i_features_centre(ctx, x, mean, scale, centre);
    assert_true(centre[7] != 0.0 && centre[0] == 0.0);
    return status != OPN_OK ? status
                            : opn_i_features_standardise(ctx, x, mean, scale,
                                                         is_centred ? centre : NULL);
}

static opn_status standardise(opn_i_features *x)
{
    return standardise_with(x, false);
}

static opn_status standardise_around_centres(opn_i_features *x)
{
    return standardise_with(x, true);
}

static opn_status take_some(opn_i_features *x)
{
    int32_t row[V];
    opn_i_features some = {0};
    for (int32_t r = 0; r < V; r++)
        row[r] = r * 3 % V;
    const opn_status status = opn_i_features_take_rows(ctx, x, row, V - 9, &some);
    opn_i_features_deinit(&ctx->alloc, x);
    *x = some;
    return status;
}

static opn_status renumber(opn_i_features *x)
{
    int32_t number[F];
    for (int32_t k = 0; k < F; k++)
        number[k] = k % 10 == 3 ? -1 : F + 4 - k;
    return opn_i_features_renumber(ctx, number, F + 5, x);
}

static opn_status stack_twice(opn_i_features *x)
{
    opn_i_features both = {0};
    const opn_status status = opn_i_features_stack(ctx, x, x, &both);
    opn_i_features_deinit(&ctx->alloc, x);
    *x = both;
    return status;
}

static opn_status share(opn_i_features *x)
{
    opn_i_features other = {0};
    const opn_status status = opn_i_features_copy(ctx, x, &other);
    opn_i_features_deinit(&ctx->alloc, x);
    *x = other;
    return status;
}

static void all_changes_are_the_same_to_the_bit_in_both_forms(void **state)
{
    (void)state;
    static change_fn *const changes[] = {
            divide_by_sums, divide_by_lengths, standardise, standardise_around_centres,
            take_some,      renumber,          stack_twice, share};
    for (size_t c = 0; c < sizeof(changes) / sizeof(changes[0]); c++) {
        opn_i_features array = make_array(), lists = make_lists();
        expect_same(&array, &lists);
        assert_int_equal(changes[c](&array), OPN_OK);
        assert_int_equal(changes[c](&lists), OPN_OK);
        assert_non_null(array.dense);
        expect_same(&array, &lists);
        opn_i_features_deinit(&ctx->alloc, &array);
        opn_i_features_deinit(&ctx->alloc, &lists);
    }
}

static void columns_are_the_same_in_both_forms_a_few_at_a_time(void **state)
{
    (void)state;
    opn_i_features array = make_array(), lists = make_lists();
    opn_i_csr whole = {0};
    assert_int_equal(opn_i_features_columns_at_once(&lists), F);
    assert_int_equal(opn_i_features_columns(ctx, &lists, 0, F, &whole), OPN_OK);
    for (int32_t first = 0; first < F; first += 25) {
        const int32_t last = first + 25 < F ? first + 25 : F;
        opn_i_csr part = {0};
        assert_int_equal(opn_i_features_columns(ctx, &array, first, last, &part), OPN_OK);
        const opn_off from = whole.row_ptr[first];
        const opn_off n = whole.row_ptr[last] - from;
        assert_int_equal(opn_i_csr_n_entries(&part), n);
        for (int32_t k = first; k <= last; k++)
            assert_int_equal(part.row_ptr[k - first], whole.row_ptr[k] - from);
        for (opn_off e = 0; e < n; e++) {
            assert_int_equal(part.col_idx[e], whole.col_idx[from + e]);
            assert_true(part.value[e] == whole.value[from + e]);
        }
        opn_i_csr_deinit(&ctx->alloc, &part);
    }
    opn_i_csr_deinit(&ctx->alloc, &whole);
    opn_i_features_deinit(&ctx->alloc, &array);
    opn_i_features_deinit(&ctx->alloc, &lists);
}

// ---- graphs --------------------------------------------------------------------------

static opn_graph *make_graph(opn_i_features *x)
{
    opn_vid source[V - 1], target[V - 1];
    int32_t label[V];
    opn_graph *graph = NULL;
    for (int32_t i = 0; i < V; i++) {
        label[i] = i % 3 - (i % 7 == 0 ? i % 3 + 1 : 0);
        if (i > 0) {
            source[i - 1] = i - 1;
            target[i - 1] = i;
        }
    }
    assert_int_equal(opn_graph_create_edges(ctx, V, V - 1, source, target, NULL, &graph),
                     OPN_OK);
    assert_int_equal(opn_graph_set_labels(ctx, graph, 3, label), OPN_OK);
    opn_i_features_deinit(&ctx->alloc, &graph->features);
    graph->features = *x;
    return graph;
}

static void expect_same_hash(const opn_graph *a, const opn_graph *b)
{
    char hash[2][65];
    assert_int_equal(opn_graph_hash(ctx, a, hash[0]), OPN_OK);
    assert_int_equal(opn_graph_hash(ctx, b, hash[1]), OPN_OK);
    assert_string_equal(hash[0], hash[1]);
}

static void warn_into(void *user, const opn_warning *warning)
{
    char *text = user;
    strcat(strcat(strcat(text, warning->kind), " "), warning->message);
}

static void a_graph_has_one_hash_and_one_set_of_warnings_in_both_forms(void **state)
{
    (void)state;
    opn_i_features array = make_array(), lists = make_lists();
    opn_graph *graph[2] = {make_graph(&array), make_graph(&lists)};
    opn_params *params = NULL;
    char warnings[2][4096] = {"", ""};
    const char *normalise[2] = {"", ""};
    assert_int_equal(opn_params_create(ctx, &params), OPN_OK);
    expect_same_hash(graph[0], graph[1]);
    for (int g = 0; g < 2; g++) {
        assert_int_equal(opn_i_features_suit(ctx, &graph[g]->features, &normalise[g]),
                         OPN_OK);
        assert_int_equal(
                opn_graph_warnings(ctx, graph[g], params, warn_into, warnings[g]),
                OPN_OK);
    }
    assert_string_equal(normalise[0], normalise[1]);
    assert_string_equal(warnings[0], warnings[1]);
    assert_non_null(strstr(warnings[0], "constant-features"));
    assert_non_null(strstr(warnings[0], "nodes-without-features"));
    opn_params_free(params);
    opn_graph_free(graph[0]);
    opn_graph_free(graph[1]);
}

static void prepared_and_shifted_graphs_are_the_same_in_both_forms(void **state)
{
    (void)state;
    static const uint32_t steps[] = {OPN_STEP_LARGEST_COMPONENT, OPN_STEP_BINARY_FEATURES,
                                     OPN_STEP_ROW_NORMALISE, OPN_STEP_STANDARDISE,
                                     OPN_STEP_ROW_NORMALISE | OPN_STEP_STANDARDISE};
    opn_i_features array = make_array(), lists = make_lists();
    opn_graph *graph[2] = {make_graph(&array), make_graph(&lists)};
    opn_graph *made[2] = {NULL, NULL};
    for (size_t s = 0; s <= sizeof(steps) / sizeof(steps[0]); s++) {
        for (int g = 0; g < 2; g++)
            assert_int_equal(
                    s == 0 ? opn_graph_shift(ctx, graph[g], OPN_SHIFT_FEATURE, 1,
                                             &made[g])
                           : opn_graph_prepare(ctx, graph[g], steps[s - 1], &made[g]),
                    OPN_OK);
        expect_same(&made[0]->features, &made[1]->features);
        expect_same_hash(made[0], made[1]);
        opn_graph_free(made[0]);
        opn_graph_free(made[1]);
    }
    opn_graph_free(graph[0]);
    opn_graph_free(graph[1]);
}

static void bytes_hold_an_array_as_it_is(void **state)
{
    (void)state;
    opn_i_features array = make_array();
    opn_graph *graph = make_graph(&array), *again = NULL;
    opn_bytes *bytes = NULL;
    assert_int_equal(opn_graph_write(ctx, graph, &bytes), OPN_OK);
    assert_true(opn_bytes_size(bytes) < 4 * V * F + 40 * V + 4000);
    assert_int_equal(
            opn_graph_read(ctx, opn_bytes_data(bytes), opn_bytes_size(bytes), &again),
            OPN_OK);
    assert_non_null(again->features.dense);
    expect_same(&graph->features, &again->features);
    opn_bytes_free(bytes);
    opn_graph_free(graph);
    opn_graph_free(again);
}

static void a_stop_ends_the_writing_of_bytes(void **state)
{
    (void)state;
    enum { N_ROWS = 20000, N_COLS = 120 }; // more than is written without asking
    opn_graph *graph = NULL;
    opn_bytes *bytes = NULL;
    int n_calls = 0;
    opn_hooks hooks = {.size = sizeof(hooks),
                       .interrupted = support_stop_after_calls,
                       .user = &n_calls};
    float *value = malloc((size_t)N_ROWS * N_COLS * sizeof(*value));
    assert_non_null(value);
    for (size_t j = 0; j < (size_t)N_ROWS * N_COLS; j++)
        value[j] = 0.5f + (float)(j % 7);
    assert_int_equal(opn_graph_create_edges(ctx, N_ROWS, 0, NULL, NULL, NULL, &graph),
                     OPN_OK);
    assert_int_equal(opn_graph_set_features(ctx, graph, N_COLS, value), OPN_OK);
    assert_int_equal(opn_ctx_set_hooks(ctx, &hooks), OPN_OK);
    assert_int_equal(opn_graph_write(ctx, graph, &bytes), OPN_ERR_INTERRUPTED);
    assert_null(bytes);
    opn_graph_free(graph);
    free(value);
}

// ---- which form ----------------------------------------------------------------------

static void the_form_is_the_one_that_takes_less_memory(void **state)
{
    (void)state;
    static const struct {
        double share;
        bool is_ones, is_array;
    } cases[] = {{0.8, false, true}, {0.4, false, false}, {0.8, true, false}};
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        float *value = draw_floats(cases[c].share);
        for (int32_t j = 0; cases[c].is_ones && j < V * F; j++)
            value[j] = value[j] != 0;
        opn_i_features x = {0};
        assert_int_equal(opn_i_features_from_floats(ctx, value, V, F, NULL, &x), OPN_OK);
        assert_int_equal(x.dense != NULL, cases[c].is_array);
        assert_int_equal(opn_i_features_are_ones(&x), cases[c].is_ones);
        assert_int_equal(opn_i_features_to_lists(ctx, &x), OPN_OK);
        assert_int_equal(opn_i_features_settle(ctx, &x), OPN_OK);
        assert_int_equal(x.dense != NULL, cases[c].is_array);
        opn_i_features_deinit(&ctx->alloc, &x);
        free(value);
    }
}

// ---- lent arrays ---------------------------------------------------------------------

static void count_release(void *user)
{
    ++*(int *)user;
}

static void
a_lent_array_is_released_once_by_the_last_graph_that_refers_to_it(void **state)
{
    (void)state;
    float *value = draw_floats(0.8);
    opn_i_features shared = make_lists();
    opn_graph *graph = make_graph(&shared), *copy = NULL, *made = NULL;
    int n_released = 0;
    const size_t n_before = ((meter *)ctx->alloc.user)->n_held;
    assert_int_equal(
            opn_graph_lend_features(ctx, graph, F, value, count_release, &n_released),
            OPN_OK);
    if (!IS_DOUBLE) { // or a copy was made and the array released
        assert_ptr_equal(graph->features.dense, value);
        assert_true(((meter *)ctx->alloc.user)->n_held < n_before);
    }
    assert_int_equal(n_released, IS_DOUBLE);
    assert_int_equal(opn_graph_copy(ctx, graph, &copy), OPN_OK);
    opn_graph_free(graph);
    assert_int_equal(opn_graph_prepare(ctx, copy, OPN_STEP_UNDIRECTED, &made), OPN_OK);
    opn_graph_free(copy);
    assert_int_equal(n_released, IS_DOUBLE);
    opn_graph_free(made);
    assert_int_equal(n_released, 1);
    free(value);
}

static void a_lent_array_of_zeros_is_released_at_once(void **state)
{
    (void)state;
    float *value = draw_floats(0.1);
    opn_i_features lists = make_lists();
    opn_graph *graph = make_graph(&lists);
    int n_released = 0;
    assert_int_equal(
            opn_graph_lend_features(ctx, graph, F, value, count_release, &n_released),
            OPN_OK);
    assert_int_equal(n_released, 1);
    free(value);
    assert_true(opn_graph_n_feature_entries(graph) < V * F / 5);
    opn_graph_free(graph);
    assert_int_equal(n_released, 1);
}

static void a_lent_array_that_is_refused_is_not_released(void **state)
{
    (void)state;
    float *value = draw_floats(0.8);
    opn_i_features lists = make_lists();
    opn_graph *graph = make_graph(&lists);
    int n_released = 0;
    value[V * F - 1] = (float)NAN;
    assert_int_equal(
            opn_graph_lend_features(ctx, graph, F, value, count_release, &n_released),
            OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "node 799, feature 130: nan is not finite");
    assert_int_equal(opn_graph_lend_features(ctx, graph, F, value, NULL, NULL),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "release");
    opn_graph_free(graph);
    assert_int_equal(n_released, 0);
    free(value);
}

// ---- memory --------------------------------------------------------------------------

static float *given; // [V,F] to every trial
static bool is_lent;

static opn_status store(opn_ctx *own)
{
    int n_released = 0;
    const opn_i_lender lender = {count_release, &n_released};
    opn_i_features x = {0}, some = {0};
    const int32_t row[] = {1, 0};
    opn_status status =
            opn_i_features_from_floats(own, given, V, F, is_lent ? &lender : NULL, &x);
    assert_true(status == OPN_OK || n_released == 0);
    if (status == OPN_OK)
        status = opn_i_features_l2_normalise(own, &x);
    if (status == OPN_OK)
        status = opn_i_features_take_rows(own, &x, row, 2, &some);
    if (status == OPN_OK)
        status = opn_i_features_to_lists(own, &x);
    if (status == OPN_OK)
        status = opn_i_features_settle(own, &x);
    opn_i_features_deinit(&own->alloc, &x);
    opn_i_features_deinit(&own->alloc, &some);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    given = draw_floats(0.8);
    for (int lends = 0; lends < 2; lends++) {
        is_lent = lends == 1;
        assert_true(support_fail_allocations(store) > 5);
    }
    free(given);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(all_changes_are_the_same_to_the_bit_in_both_forms),
            WITH_CTX(columns_are_the_same_in_both_forms_a_few_at_a_time),
            WITH_CTX(a_graph_has_one_hash_and_one_set_of_warnings_in_both_forms),
            WITH_CTX(prepared_and_shifted_graphs_are_the_same_in_both_forms),
            WITH_CTX(bytes_hold_an_array_as_it_is),
            WITH_CTX(a_stop_ends_the_writing_of_bytes),
            WITH_CTX(the_form_is_the_one_that_takes_less_memory),
            WITH_CTX(a_lent_array_is_released_once_by_the_last_graph_that_refers_to_it),
            WITH_CTX(a_lent_array_of_zeros_is_released_at_once),
            WITH_CTX(a_lent_array_that_is_refused_is_not_released),
            cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
