// own_npz_test.c -- graphs of GraphGallery, whose archives hold pickled SciPy matrices.
//
//   own_npz_test NAME    acm dblp blogcatalog
//
// NAME.npz is looked for in own/ of $OPINE_DATA, then of $OPINE_SHARED_DATA; where there
// is none the exit code is 77.

#include "opine/opine.h"
#include "support/cmocka_test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SKIPPED = 77, MAX_CLASSES = 6 };

// What NumPy and SciPy find in the files.
typedef struct promise {
    const char *name;
    int32_t n_nodes;
    int64_t n_edges;
    int32_t n_features;
    int64_t n_feature_entries;
    int32_t n_classes;
    int32_t class_size[MAX_CLASSES];
    const char *first_class, *last_class;
} promise;

// clang-format off
static const promise promises[] = {
        {"acm", 3025, 13128, 1870, 253300, 3, {1061, 965, 999}, "0", "2"},
        {"dblp", 17716, 52867, 1639, 92192, 4, {7920, 5645, 1982, 2169}, "0", "3"},
        {"blogcatalog", 5196, 171743, 8189, 369435, 6, {885, 777, 921, 858, 892, 863},
         "1", "6"},
};
// clang-format on

static const promise *promised;
static char path[512];

static void the_promised_figures_come_out_exactly(void **state)
{
    (void)state;
    opn_ctx *ctx = NULL;
    opn_graph *raw = NULL;
    opn_graph *graph = NULL;
    opn_graph_info info;
    int32_t size[MAX_CLASSES] = {0};
    char number[12];
    assert_int_equal(opn_ctx_create(NULL, &ctx), OPN_OK);
    if (opn_graph_load(ctx, path, NULL, &raw) != OPN_OK)
        fail_msg("%s", opn_ctx_error(ctx));
    assert_int_equal(opn_graph_prepare(ctx, raw, OPN_STEP_UNDIRECTED, &graph), OPN_OK);
    assert_int_equal(opn_graph_describe(ctx, graph, &info), OPN_OK);
    assert_int_equal(info.n_nodes, promised->n_nodes);
    assert_int_equal(info.n_edges, promised->n_edges);
    assert_int_equal(info.n_features, promised->n_features);
    assert_int_equal(info.n_feature_entries, promised->n_feature_entries);
    assert_int_equal(info.n_classes, promised->n_classes);
    assert_int_equal(info.n_unlabelled, 0);
    opn_graph_class_sizes(graph, size);
    assert_memory_equal(size, promised->class_size, sizeof(size));
    assert_string_equal(opn_graph_class_name(graph, 0, number), promised->first_class);
    assert_string_equal(opn_graph_class_name(graph, promised->n_classes - 1, number),
                        promised->last_class);
    opn_graph_free(graph);
    opn_graph_free(raw);
    opn_ctx_free(ctx);
}

static bool has_data(void)
{
    const char *const folders[] = {getenv("OPINE_DATA"), getenv("OPINE_SHARED_DATA")};
    for (size_t f = 0; f < 2; f++) {
        if (folders[f] == NULL)
            continue;
        snprintf(path, sizeof(path), "%.400s/own/%s.npz", folders[f], promised->name);
        if (access(path, R_OK) == 0)
            return true;
    }
    return false;
}

int main(int argc, char **argv)
{
    for (size_t p = 0; argc == 2 && p < sizeof(promises) / sizeof(promises[0]); p++)
        if (strcmp(promises[p].name, argv[1]) == 0)
            promised = &promises[p];
    if (promised == NULL) {
        fprintf(stderr, "usage: own_npz_test NAME, one of acm dblp blogcatalog\n");
        return EXIT_FAILURE;
    }
    if (!has_data()) {
        printf("skipped: %s: no own/%s.npz in $OPINE_DATA or $OPINE_SHARED_DATA\n",
               promised->name, promised->name);
        return SKIPPED;
    }
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(the_promised_figures_come_out_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
