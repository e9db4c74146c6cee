// real_data_test.c -- the graphs of the paper, number by number.
//
//   real_data_test NAME    cora citeseer pubmed photo computers physics
//
// Data are looked for as the library does, then in $OPINE_SHARED_DATA; where there are
// none the exit code is 77.

#include "golden/graphs_golden.h"
#include "graph/graph_data.h"
#include "opine/check.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIPPED = 77, N_SAMPLED = 10, MAX_CLASSES = 10 };

// The table the project promises, typed from there and not from any program's output.
typedef struct promise {
    const char *name;
    int32_t n_nodes, n_isolated, n_unlabelled;
    int64_t n_edges;
    int32_t n_features;
    int64_t n_feature_entries;
    int32_t n_classes;
    int32_t class_size[MAX_CLASSES];
} promise;

// clang-format off
static const promise promises[] = {
        {"cora", 2708, 0, 0, 5278, 1433, 49216,
         7, {351, 217, 418, 818, 426, 298, 180}},
        {"citeseer", 3327, 48, 15, 4552, 3703, 105165,
         6, {249, 590, 668, 701, 596, 508}},
        {"pubmed", 19717, 0, 0, 44324, 500, 988031,
         3, {4103, 7739, 7875}},
        {"photo", 7487, 0, 0, 119043, 745, 1950178,
         8, {365, 1634, 686, 901, 872, 798, 1900, 331}},
        {"computers", 13381, 0, 0, 245778, 767, 3607444,
         10, {434, 2094, 1412, 522, 4961, 297, 483, 802, 2093, 283}},
        {"physics", 34493, 0, 0, 247962, 8415, 1137311,
         5, {5750, 5045, 17426, 2753, 3519}},
};
// clang-format on

enum { N_GRAPHS = sizeof(promises) / sizeof(promises[0]) };

_Static_assert(sizeof(golden_graphs) / sizeof(golden_graphs[0]) == N_GRAPHS,
               "a graph without golden values");

// What the tests look at; set up once.
static const promise *promised;
static const golden_graph *golden;
static const opn_dataset *dataset;
static opn_ctx *ctx;
static opn_graph *raw;
static opn_graph *prepared;

// ---- figures -------------------------------------------------------------------------

static opn_graph_info describe(const opn_graph *graph)
{
    opn_graph_info info;
    assert_int_equal(opn_graph_describe(ctx, graph, &info), OPN_OK);
    return info;
}

static void the_promised_table_comes_out_exactly(void **state)
{
    (void)state;
    const opn_graph_info info = describe(prepared);
    assert_int_equal(info.n_nodes, promised->n_nodes);
    assert_int_equal(info.n_edges, promised->n_edges);
    assert_int_equal(info.n_features, promised->n_features);
    assert_int_equal(info.n_feature_entries, promised->n_feature_entries);
    assert_int_equal(info.n_classes, promised->n_classes);
    assert_int_equal(info.n_isolated, promised->n_isolated);
    assert_int_equal(info.n_unlabelled, promised->n_unlabelled);
    int32_t size[MAX_CLASSES] = {0};
    opn_graph_class_sizes(prepared, size);
    assert_memory_equal(size, promised->class_size, sizeof(size));
    assert_true(info.is_undirected);
    assert_false(info.is_weighted);
}

static void expect_form(const opn_graph *graph, const golden_form *want)
{
    const opn_graph_info info = describe(graph);
    assert_int_equal(info.n_nodes, want->n_nodes);
    assert_int_equal(info.n_edges, want->n_edges);
    assert_int_equal(info.n_features, want->n_features);
    assert_int_equal(info.n_feature_entries, want->n_feature_entries);
    assert_int_equal(info.n_classes, want->n_classes);
    assert_int_equal(info.n_unlabelled, want->n_unlabelled);
    assert_int_equal(info.n_isolated, want->n_isolated);
    assert_int_equal(info.n_components, want->n_components);
    assert_int_equal(info.largest_component, want->largest_component);
    assert_int_equal(info.n_self_loops, want->n_self_loops);
    assert_int_equal(info.n_repeated, want->n_repeated);
    assert_int_equal(info.max_degree, want->max_degree);
    assert_true(fabs(info.homophily - want->homophily) < 1e-12);
    int32_t size[MAX_CLASSES] = {0};
    opn_graph_class_sizes(graph, size);
    assert_memory_equal(size, want->class_size, sizeof(size));
}

// Every entry counts by its place, so that no two of them can be exchanged.
static uint64_t place_sum(const opn_i_csr *csr)
{
    uint64_t sum = 0;
    for (int32_t i = 0; i < csr->n_rows; i++)
        for (opn_off e = csr->row_ptr[i]; e < csr->row_ptr[i + 1]; e++)
            sum += ((uint64_t)e + 1) *
                   ((uint64_t)i * 1000003 + (uint64_t)csr->col_idx[e]);
    return sum;
}

static void expect_close(double got, double want)
{
    if (!(fabs(got - want) <= 1e-6 * fabs(want)))
        fail_msg("%.17g, want %.17g", got, want);
}

static void expect_contents(const opn_graph *graph, const golden_form *want)
{
    assert_true(place_sum(&graph->topology) == want->neighbour_sum);
    assert_true(place_sum(&graph->features.lists) == want->feature_sum);
    uint64_t label_sum = 0;
    for (opn_vid i = 0; i < want->n_nodes; i++)
        label_sum += ((uint64_t)i + 1) * (uint64_t)(graph->label[i] + 2);
    assert_true(label_sum == want->label_sum);
    const opn_i_csr *x = &graph->features.lists;
    double value_sum = 0.0;
    double placed_value_sum = 0.0;
    for (opn_off e = 0; e < opn_i_csr_n_entries(x); e++) {
        const double value = x->value == NULL ? 1.0 : (double)x->value[e];
        value_sum += value;
        placed_value_sum += ((double)e + 1.0) * value;
    }
    expect_close(value_sum, want->value_sum);
    expect_close(placed_value_sum, want->placed_value_sum);
    char hash[65];
    assert_int_equal(opn_graph_hash(ctx, graph, hash), OPN_OK);
    if (want->hash[0] != 0)
        assert_string_equal(hash, want->hash);
}

static void the_file_is_read_as_scipy_reads_it(void **state)
{
    (void)state;
    expect_form(raw, &golden->raw);
    expect_contents(raw, &golden->raw);
}

static void preparation_gives_what_scipy_gives(void **state)
{
    (void)state;
    expect_form(prepared, &golden->prepared);
    expect_contents(prepared, &golden->prepared);
}

static void normalised_rows_sum_to_one(void **state)
{
    (void)state;
    opn_graph *graph = NULL;
    assert_int_equal(opn_graph_prepare(ctx, prepared, OPN_STEP_ROW_NORMALISE, &graph),
                     OPN_OK);
    const opn_i_csr *x = &graph->features.lists;
    int32_t n_empty = 0;
    for (int32_t i = 0; i < x->n_rows; i++) {
        double sum = 0.0;
        for (opn_off e = x->row_ptr[i]; e < x->row_ptr[i + 1]; e++)
            sum += x->value == NULL ? 1.0 : (double)x->value[e];
        n_empty += x->row_ptr[i] == x->row_ptr[i + 1];
        assert_true(fabs(sum - 1.0) < 1e-5 || sum == 0.0);
    }
    assert_true(n_empty < x->n_rows / 20);
    opn_graph_free(graph);
}

// ---- what looks wrong ----------------------------------------------------------------

static void count_warning(void *user, const opn_warning *warning)
{
    (void)warning;
    ++*(int *)user;
}

// Edges, parts and constant columns of these files are as they are; a warning
// about a feature or a label would be wrong.
static void refuse_accusation(void *user, const opn_warning *warning)
{
    static const char *const accusations[] = {"small-classes", "alike-classes",
                                              "unequal-scales", "id-features",
                                              "leaking-features"};
    (void)user;
    for (size_t a = 0; a < sizeof(accusations) / sizeof(accusations[0]); a++)
        if (strcmp(warning->kind, accusations[a]) == 0)
            fail_msg("%s", warning->message);
}

static void nothing_looks_wrong(void **state)
{
    (void)state;
    opn_params *params = NULL;
    int n = 0;
    assert_int_equal(opn_params_create(ctx, &params), OPN_OK);
    assert_int_equal(opn_graph_warnings(ctx, raw, params, count_warning, &n), OPN_OK);
    assert_int_equal(opn_graph_warnings(ctx, prepared, params, count_warning, &n),
                     OPN_OK);
    assert_int_equal(n, 0);
    const opn_dataset *known_as = raw->dataset;
    raw->dataset = NULL; // as if it were someone's own
    assert_int_equal(opn_graph_warnings(ctx, raw, params, refuse_accusation, NULL),
                     OPN_OK);
    raw->dataset = known_as;
    opn_params_free(params);
}

// ---- splits --------------------------------------------------------------------------

// The classes from n_known on.
static int32_t ood_classes(int32_t ood[MAX_CLASSES])
{
    int32_t n = 0;
    for (int32_t k = dataset->n_known; k < promised->n_classes; k++)
        ood[n++] = k;
    return n;
}

static opn_split *make_split(opn_split_rule rule, uint64_t seed, bool with_ood)
{
    int32_t ood[MAX_CLASSES];
    const int32_t n_ood = ood_classes(ood);
    opn_split *split = NULL;
    if (opn_split_create(ctx, prepared, rule, seed, ood, with_ood ? n_ood : 0, &split) !=
        OPN_OK)
        fail_msg("split: %s", opn_ctx_error(ctx));
    return split;
}

static bool is_ood(opn_vid i)
{
    return prepared->label[i] >= dataset->n_known;
}

static int32_t count_class(const opn_split *split, opn_role role, int32_t k)
{
    int32_t n = 0;
    for (opn_vid i = 0; i < promised->n_nodes; i++)
        n += opn_split_roles(split)[i] == role && prepared->label[i] == k;
    return n;
}

static int32_t count_pool_ood(const opn_split *split)
{
    int32_t n = 0;
    for (opn_vid i = 0; i < promised->n_nodes; i++)
        n += opn_split_pool(split)[i] && is_ood(i);
    return n;
}

static void expect_no_ood_is_learnt(const opn_split *split)
{
    const uint8_t *role = opn_split_roles(split);
    for (opn_vid i = 0; i < promised->n_nodes; i++)
        assert_false((role[i] == OPN_ROLE_TRAIN || role[i] == OPN_ROLE_VALIDATION) &&
                     (is_ood(i) || prepared->label[i] < 0));
    assert_int_equal(opn_split_n_known(split), dataset->n_known);
}

static void expect_prevalence(const opn_split *split, double want, double within)
{
    const double got = (double)count_pool_ood(split) / opn_split_pool_size(split);
    if (!(fabs(got - want) <= within))
        fail_msg("prevalence %g, want %g", got, want);
}

static void expect_planetoid_split(const opn_split *split)
{
    for (int32_t k = 0; k < promised->n_classes; k++)
        assert_int_equal(count_class(split, OPN_ROLE_TRAIN, k), 20);
    assert_int_equal(opn_split_count(split, OPN_ROLE_VALIDATION), 500);
    assert_int_equal(opn_split_count(split, OPN_ROLE_TEST), 1000);
    uint64_t role_sum = 0;
    for (opn_vid i = 0; i < promised->n_nodes; i++)
        role_sum += ((uint64_t)i + 1) * ((uint64_t)opn_split_roles(split)[i] + 1);
    assert_true(role_sum == golden->role_sum);
    for (int r = OPN_ROLE_TRAIN; r <= OPN_ROLE_UNLABELLED; r++)
        assert_int_equal(opn_split_count(split, (opn_role)r), golden->role_size[r]);
    assert_int_equal(opn_split_count(split, OPN_ROLE_UNLABELLED), promised->n_unlabelled);
}

static void planetoid_splits_are_the_published_ones(void **state)
{
    (void)state;
    if (golden->n_pool == 0)
        return; // no split came with the data
    static const opn_split_rule rules[] = {OPN_SPLIT_USUAL, OPN_SPLIT_GIVEN,
                                           OPN_SPLIT_REFERENCE};
    for (size_t r = 0; r < 3; r++) {
        opn_split *split = make_split(rules[r], r, false);
        expect_planetoid_split(split);
        const int32_t n_more = rules[r] == OPN_SPLIT_REFERENCE ? 500 : 0;
        assert_int_equal(opn_split_pool_size(split), golden->n_pool + n_more);
        opn_split_free(split);
    }
}

static void planetoid_pools_have_the_golden_prevalence(void **state)
{
    (void)state;
    if (golden->n_pool == 0)
        return;
    opn_split *split = make_split(OPN_SPLIT_USUAL, 0, true);
    expect_no_ood_is_learnt(split);
    assert_int_equal(opn_split_count(split, OPN_ROLE_TRAIN), 20 * dataset->n_known);
    assert_int_equal(opn_split_count(split, OPN_ROLE_TEST), 1000);
    assert_int_equal(opn_split_pool_size(split), golden->n_pool);
    assert_int_equal(count_pool_ood(split), golden->n_pool_ood);
    expect_prevalence(split, golden->ood_share, 0.01); // 640 nodes less hardly change it
    opn_split_free(split);
}

static void expect_sampled(const opn_split *split)
{
    const int32_t n_train = 20 * promised->n_classes;
    for (int32_t k = 0; k < promised->n_classes; k++)
        assert_int_equal(count_class(split, OPN_ROLE_TRAIN, k), 20);
    assert_int_equal(opn_split_count(split, OPN_ROLE_VALIDATION), 500);
    assert_int_equal(opn_split_count(split, OPN_ROLE_TEST),
                     promised->n_nodes - n_train - 500);
    assert_int_equal(opn_split_count(split, OPN_ROLE_POOL), 0);
    assert_int_equal(opn_split_count(split, OPN_ROLE_UNLABELLED), 0);
    assert_int_equal(opn_split_pool_size(split), promised->n_nodes - n_train - 500);
}

static void ten_sampled_splits_hold_the_paper_s_numbers_and_differ(void **state)
{
    (void)state;
    if (golden->n_pool != 0)
        return; // a split came with the data
    opn_split *split[N_SAMPLED];
    for (uint64_t seed = 0; seed < N_SAMPLED; seed++) {
        split[seed] = make_split(OPN_SPLIT_USUAL, seed, false);
        expect_sampled(split[seed]);
        for (uint64_t other = 0; other < seed; other++)
            assert_memory_not_equal(opn_split_roles(split[seed]),
                                    opn_split_roles(split[other]),
                                    (size_t)promised->n_nodes);
    }
    for (uint64_t seed = 0; seed < N_SAMPLED; seed++)
        opn_split_free(split[seed]);
}

// Training takes 20 of every class and validation whatever comes, so the share of the
// pool is that of what training leaves, give or take the 500 of validation.
static void sampled_pools_have_the_prevalence_of_what_training_leaves(void **state)
{
    (void)state;
    if (golden->n_pool != 0)
        return;
    const int32_t n_ood = promised->n_classes - dataset->n_known;
    const double n_left = promised->n_nodes - 20.0 * promised->n_classes;
    const double want = (golden->ood_share * promised->n_nodes - 20.0 * n_ood) / n_left;
    for (uint64_t seed = 0; seed < N_SAMPLED; seed++) {
        opn_split *split = make_split(OPN_SPLIT_USUAL, seed, true);
        expect_no_ood_is_learnt(split);
        assert_int_equal(opn_split_count(split, OPN_ROLE_TRAIN), 20 * dataset->n_known);
        assert_int_equal(opn_split_pool_size(split),
                         promised->n_nodes - 20 * promised->n_classes - 500);
        expect_prevalence(split, want, 0.01);
        opn_split_free(split);
    }
}

static void reference_splits_are_as_the_authors_drew_them(void **state)
{
    (void)state;
    if (golden->n_pool != 0)
        return;
    opn_split *split = make_split(OPN_SPLIT_REFERENCE, 0, false);
    const int32_t n_train = 20 * promised->n_classes;
    assert_int_equal(opn_split_count(split, OPN_ROLE_TRAIN), n_train);
    assert_int_equal(opn_split_count(split, OPN_ROLE_VALIDATION),
                     30 * promised->n_classes);
    assert_int_equal(opn_split_pool_size(split), promised->n_nodes - n_train);
    opn_split_free(split);
}

// ---- setting up ----------------------------------------------------------------------

static const opn_dataset *dataset_called(const char *name)
{
    for (size_t d = 0; d < opn_dataset_count(); d++)
        if (strcmp(opn_dataset_at(d)->name, name) == 0)
            return opn_dataset_at(d);
    return NULL;
}

static int load(void **state)
{
    (void)state;
    const char *shared = getenv("OPINE_SHARED_DATA");
    int found = 0;
    assert_int_equal(opn_dataset_find(ctx, dataset, NULL, &found), OPN_OK);
    if (opn_graph_load(ctx, dataset->name, found ? NULL : shared, &raw) != OPN_OK ||
        opn_graph_prepare(ctx, raw, opn_graph_usual_steps(raw), &prepared) != OPN_OK) {
        fprintf(stderr, "%s\n", opn_ctx_error(ctx));
        return 1;
    }
    return 0;
}

static int unload(void **state)
{
    (void)state;
    opn_graph_free(raw);
    opn_graph_free(prepared);
    return 0;
}

static bool has_data(void)
{
    int found = 0;
    int found_shared = 0;
    if (opn_dataset_find(ctx, dataset, NULL, &found) != OPN_OK ||
        opn_dataset_find(ctx, dataset, getenv("OPINE_SHARED_DATA"), &found_shared) !=
                OPN_OK)
        return false;
    return found || found_shared;
}

static void the_dataset_knows_its_classes(void **state)
{
    (void)state;
    assert_int_equal(dataset->n_known, golden->n_known);
    assert_string_equal(opn_graph_name(raw), dataset->name);
    assert_string_equal(opn_graph_name(prepared), dataset->name);
}

static int check_graph(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(the_dataset_knows_its_classes),
            cmocka_unit_test(the_promised_table_comes_out_exactly),
            cmocka_unit_test(the_file_is_read_as_scipy_reads_it),
            cmocka_unit_test(preparation_gives_what_scipy_gives),
            cmocka_unit_test(normalised_rows_sum_to_one),
            cmocka_unit_test(nothing_looks_wrong),
            cmocka_unit_test(planetoid_splits_are_the_published_ones),
            cmocka_unit_test(planetoid_pools_have_the_golden_prevalence),
            cmocka_unit_test(ten_sampled_splits_hold_the_paper_s_numbers_and_differ),
            cmocka_unit_test(sampled_pools_have_the_prevalence_of_what_training_leaves),
            cmocka_unit_test(reference_splits_are_as_the_authors_drew_them),
    };
    return cmocka_run_group_tests(tests, load, unload);
}

int main(int argc, char **argv)
{
    for (size_t g = 0; argc == 2 && g < N_GRAPHS; g++) {
        if (strcmp(promises[g].name, argv[1]) == 0)
            promised = &promises[g];
        if (strcmp(golden_graphs[g].name, argv[1]) == 0)
            golden = &golden_graphs[g];
    }
    dataset = argc == 2 ? dataset_called(argv[1]) : NULL;
    if (promised == NULL || golden == NULL || dataset == NULL) {
        fprintf(stderr, "usage: real_data_test NAME, one of cora citeseer pubmed photo "
                        "computers physics\n");
        return EXIT_FAILURE;
    }
    if (opn_ctx_create(NULL, &ctx) != OPN_OK)
        return EXIT_FAILURE;
    int result = SKIPPED;
    if (has_data())
        result = check_graph();
    else
        printf("skipped: %s: no data in $OPINE_DATA, the user's data folder or "
               "$OPINE_SHARED_DATA\n",
               dataset->name);
    opn_ctx_free(ctx);
    return result;
}
