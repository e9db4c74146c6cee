// load_ogb_test.c -- folders of the Open Graph Benchmark.

#include "graph/graph_data.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static char folder[SUPPORT_PATH];

typedef struct text_file {
    const char *name, *text;
} text_file;

// Four nodes, of which one has no label, three edges and a split.
static const text_file whole[] = {{"raw/num-node-list.csv", "4\n"},
                                  {"raw/num-edge-list.csv", "3\n"},
                                  {"raw/edge.csv", "0,1\n1,2\n3,2\n"},
                                  {"raw/node-feat.csv", "0.5,-1e-3\n0,2\r\n0,0\n1,1"},
                                  {"raw/node-label.csv", "1\n0\nnan\n2\n"},
                                  {"split/time/train.csv", "0\n2\n"},
                                  {"split/time/valid.csv", "1\n"},
                                  {"split/time/test.csv", "3\n"}};
enum { N_FILES = sizeof(whole) / sizeof(whole[0]) };

static void write_files(const text_file *other)
{
    char path[SUPPORT_PATH];
    static const char *const folders[] = {"raw", "split", "split/time"};
    for (size_t f = 0; f < 3; f++)
        (void)mkdir(support_path(path, folder, folders[f]), 0777);
    for (int f = 0; f < N_FILES; f++) {
        const bool is_other = other != NULL && strcmp(other->name, whole[f].name) == 0;
        const char *text = is_other ? other->text : whole[f].text;
        if (text == NULL)
            continue;
        FILE *file = fopen(support_path(path, folder, whole[f].name), "wb");
        assert_non_null(file);
        assert_true(fputs(text, file) >= 0);
        assert_int_equal(fclose(file), 0);
    }
}

static void a_folder_gives_its_edges_features_labels_and_split(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    opn_graph *graph = NULL;
    static const int32_t labels[] = {1, 0, -1, 2};
    static const uint8_t roles[] = {OPN_ROLE_TRAIN, OPN_ROLE_VALIDATION,
                                    OPN_ROLE_UNLABELLED, OPN_ROLE_TEST};
    static const float values[] = {0.5f, -1e-3f, 2, 1, 1};
    opn_off row_ptr[5];
    int32_t col_idx[5];
    float got[5];
    write_files(NULL);
    assert_int_equal(opn_graph_load(ctx, folder, NULL, &graph), OPN_OK);
    assert_int_equal(opn_graph_n_nodes(graph), 4);
    assert_int_equal(opn_graph_n_entries(graph), 3);
    assert_int_equal(opn_graph_n_classes(graph), 3);
    assert_memory_equal(opn_graph_labels(graph), labels, sizeof(labels));
    assert_memory_equal(opn_graph_roles(graph), roles, sizeof(roles));
    assert_int_equal(opn_graph_n_feature_entries(graph), 5);
    opn_graph_features_csr(graph, row_ptr, col_idx, got);
    assert_memory_equal(got, values, sizeof(values));
    opn_graph_free(graph);
    support_ctx_free(ctx, NULL);
}

static void what_is_wrong_is_named_by_file_and_row(void **state)
{
    (void)state;
    static const struct {
        text_file file;
        opn_status status;
        const char *message;
    } cases[] = {
            {{"raw/edge.csv", "0,1\n1,4\n"}, OPN_ERR_FORMAT, "edge.csv:2: 4 is no whole"},
            {{"raw/edge.csv", "0,1,2\n"}, OPN_ERR_FORMAT, "3 columns, where 2"},
            {{"raw/edge.csv", "0,x\n"}, OPN_ERR_FORMAT, "edge.csv:1: \"x\" is not a"},
            {{"raw/node-feat.csv", "1\n2\n"}, OPN_ERR_FORMAT, "2 rows, where 4"},
            {{"raw/node-feat.csv", "1\n2,3\n4\n5\n"}, OPN_ERR_FORMAT, "csv:2: 2 numbers"},
            {{"raw/node-feat.csv", "1\nnan\n4\n5\n"},
             OPN_ERR_FORMAT,
             "node 1, feature 0"},
            {{"raw/node-label.csv", NULL}, OPN_ERR_READ, "has no node-label.csv.gz"},
            {{"raw/node-label.csv", "0,1\n0,1\n0,1\n0,1\n"},
             OPN_ERR_UNSUPPORTED,
             "2 labels for each node"},
            {{"raw/num-node-list.csv", "4\n4\n"}, OPN_ERR_UNSUPPORTED, "2 graphs"},
            {{"split/time/test.csv", "9\n"}, OPN_ERR_FORMAT, "test.csv:1: 9 is no whole"},
    };
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        meter m = {0};
        opn_ctx *ctx = support_ctx(&m);
        opn_graph *graph = NULL;
        support_remove_folder(folder);
        (void)mkdir(folder, 0777);
        write_files(&cases[c].file);
        assert_int_equal(opn_graph_load(ctx, folder, NULL, &graph), cases[c].status);
        support_expect_error(ctx, cases[c].message);
        support_ctx_free(ctx, &m);
    }
}

static void a_folder_may_have_neither_features_nor_a_split(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    opn_graph *graph = NULL;
    const text_file none = {"raw/node-feat.csv", NULL};
    char path[SUPPORT_PATH];
    write_files(&none);
    support_remove_folder(support_path(path, folder, "split"));
    assert_int_equal(opn_graph_load(ctx, folder, NULL, &graph), OPN_OK);
    assert_int_equal(opn_graph_n_features(graph), 0);
    assert_null(opn_graph_roles(graph));
    opn_graph_free(graph);
    support_ctx_free(ctx, NULL);
}

static void every_allocation_failure_is_reported_and_nothing_leaks(void **state)
{
    (void)state;
    opn_status status = OPN_ERR_NOMEM;
    write_files(NULL);
    for (long fail_at = 1; status != OPN_OK; fail_at++) {
        meter m = {.fail_at = 0};
        opn_ctx *ctx = support_ctx(&m);
        opn_graph *graph = NULL;
        m.n_requests = 0;
        m.fail_at = fail_at;
        status = opn_graph_load(ctx, folder, NULL, &graph);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
        opn_graph_free(graph);
        support_ctx_free(ctx, &m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_FOLDER(a_folder_gives_its_edges_features_labels_and_split),
            WITH_FOLDER(what_is_wrong_is_named_by_file_and_row),
            WITH_FOLDER(a_folder_may_have_neither_features_nor_a_split),
            WITH_FOLDER(every_allocation_failure_is_reported_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
