// real_protocol_test.c -- the graphs, splits and shifts of GNNSafe and GPN on the real
// graphs: as many nodes as their published code takes.
//
// Usage: real_protocol_test DATASET. Data are looked for as the library does, then in
// $OPINE_SHARED_DATA; where there are none the exit code is 77.

#include "graph/graph_data.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIPPED = 77 };

// Nodes, then nodes that train, validate and test and out-of-distribution nodes that are
// scored; counted in the files with NumPy.
typedef struct promise {
    const char *dataset;
    int32_t n_nodes;
    int32_t whole[3];        // GNNSafe, structure and feature
    int32_t label[3], n_ood; // GNNSafe, label; test nodes of known classes
    int32_t gpn[3], gpn_ood; // GPN, likewise
} promise;

static const promise promises[] = {
        {"cora", 2708, {140, 500, 1000}, {60, 167, 316}, 986, {87, 256, 1167}, 585},
        {"citeseer", 3327, {120, 500, 1000}, {60, 231, 440}, 1805, {109, 313, 1427}, 713},
        {"pubmed", 19717, {60, 500, 1000}, {40, 292, 593}, 7875, {591, 1686, 7651}, 5088},
        {"photo", 7650, {765, 765, 6120}, {309, 309, 2477}, 3673, {226, 647, 2944}, 2000},
        {"computers",
         13752,
         {1375, 1375, 11002},
         {969, 969, 7754},
         4060,
         {482, 1380, 6262},
         2625},
        {"physics",
         34493,
         {3449, 3449, 27595},
         {2822, 2822, 22577},
         6272,
         {1410, 4020, 18232},
         4053},
};

static opn_ctx *ctx;
static const promise *promised;
static const char *data_dir;

static opn_graph *load(const char *settings)
{
    opn_params *params = trial_params(ctx, settings);
    opn_graph *graph = NULL;
    if (data_dir != NULL)
        assert_int_equal(opn_params_set(ctx, params, "data_dir", data_dir), OPN_OK);
    assert_int_equal(opn_graph_load_prepared(ctx, promised->dataset, params, &graph),
                     OPN_OK);
    assert_int_equal(opn_graph_n_nodes(graph), promised->n_nodes);
    opn_params_free(params);
    return graph;
}

static void expect_sizes(const char *settings, const int32_t known[3], int32_t n_ood)
{
    opn_graph *graph = load(settings);
    opn_params *params = trial_params(ctx, settings);
    opn_split *split = NULL;
    int32_t count[4] = {0}; // training, validation and test nodes, others that are scored
    assert_int_equal(opn_split_from_params(ctx, graph, params, &split), OPN_OK);
    for (opn_vid i = 0; i < promised->n_nodes; i++) {
        const int32_t k = opn_graph_labels(graph)[i];
        const bool is_known = k >= 0 && opn_split_known(split)[k] >= 0;
        const uint8_t role = opn_split_roles(split)[i];
        if (is_known && role <= OPN_ROLE_TEST)
            count[role]++;
        if (is_known)
            assert_int_equal(opn_split_pool(split)[i], role == OPN_ROLE_TEST);
        count[3] += !is_known && opn_split_pool(split)[i];
    }
    for (int r = 0; r < 3; r++)
        assert_int_equal(count[r], known[r]);
    assert_int_equal(count[3], n_ood);
    opn_split_free(split);
    opn_params_free(params);
    opn_graph_free(graph);
}

static void splits_and_pools_have_the_sizes_of_their_authors(void **state)
{
    (void)state;
    expect_sizes("task=ood protocol=gnnsafe shift=structure", promised->whole, 0);
    expect_sizes("task=ood protocol=gnnsafe shift=feature", promised->whole, 0);
    expect_sizes("task=ood protocol=gnnsafe shift=label", promised->label,
                 promised->n_ood);
    expect_sizes("task=ood protocol=gpn", promised->gpn, promised->gpn_ood);
}

// E (1/2 + 1/K) stored neighbours, within five standard deviations of as many pairs, and
// Poisson degrees.
static void a_shifted_structure_is_as_dense_as_it_should_be(void **state)
{
    (void)state;
    opn_graph *graph = load("protocol=gnnsafe");
    opn_graph *shifted = NULL;
    opn_graph_info info;
    assert_int_equal(opn_graph_shift(ctx, graph, OPN_SHIFT_STRUCTURE, 1, &shifted),
                     OPN_OK);
    const double want =
            (double)opn_graph_n_entries(graph) * (0.5 + 1.0 / opn_graph_n_classes(graph));
    assert_true(fabs((double)opn_graph_n_entries(shifted) - want) <
                5.0 * sqrt(2.0 * want) + 0.001 * want);
    assert_int_equal(opn_graph_describe(ctx, shifted, &info), OPN_OK);
    const double isolated = exp(-want / promised->n_nodes) * promised->n_nodes;
    // Blocks differ a little in size, and so do mean degrees.
    assert_true(fabs(info.n_isolated - isolated) <
                5.0 * sqrt(isolated) + 0.05 * isolated + 1);
    opn_graph_free(shifted);
    opn_graph_free(graph);
}

static void all_features_are_binary_where_their_authors_make_them_so(void **state)
{
    (void)state;
    const bool is_npz = promised->whole[0] == promised->whole[1];
    opn_graph *gnnsafe = load("protocol=gnnsafe");
    opn_graph *gpn = load("protocol=gpn");
    if (is_npz)
        assert_null(gnnsafe->features.lists.value);
    if (is_npz || strcmp(promised->dataset, "pubmed") == 0)
        assert_null(gpn->features.lists.value);
    if (strcmp(promised->dataset, "pubmed") == 0)
        assert_non_null(gnnsafe->features.lists.value);
    opn_graph_free(gnnsafe);
    opn_graph_free(gpn);
}

static bool has_data(const char *folder)
{
    for (size_t d = 0; d < opn_dataset_count(); d++) {
        int found = 0;
        if (strcmp(opn_dataset_at(d)->name, promised->dataset) == 0)
            return opn_dataset_find(ctx, opn_dataset_at(d), folder, &found) == OPN_OK &&
                   found;
    }
    return false;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(splits_and_pools_have_the_sizes_of_their_authors),
            cmocka_unit_test(a_shifted_structure_is_as_dense_as_it_should_be),
            cmocka_unit_test(all_features_are_binary_where_their_authors_make_them_so),
    };
    for (size_t p = 0; p < sizeof(promises) / sizeof(promises[0]); p++)
        if (argc == 2 && strcmp(argv[1], promises[p].dataset) == 0)
            promised = &promises[p];
    if (promised == NULL) {
        fprintf(stderr, "usage: real_protocol_test DATASET\n");
        return 2;
    }
    ctx = support_ctx(NULL);
    data_dir = has_data(NULL) ? NULL : getenv("OPINE_SHARED_DATA");
    if (!has_data(data_dir)) {
        printf("skipped: %s: no data in $OPINE_DATA, the user's data folder or "
               "$OPINE_SHARED_DATA\n",
               promised->dataset);
        support_ctx_free(ctx, NULL);
        return SKIPPED;
    }
    const int n_failed = cmocka_run_group_tests(tests, NULL, NULL);
    support_ctx_free(ctx, NULL);
    return n_failed;
}
