// load_npz_test.c -- archives of the gnn-benchmark form, right, wrong and damaged.

#include "arrays/npz.h"
#include "graph/graph_data.h"
#include "opine/opine.h"
#include "support/archive_writer.h"
#include "support/cmocka_test.h"
#include "support/refusal.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static archive_sample write_sample(const char *name)
{
    const archive_sample sample = archive_sample_called(name);
    support_write_file(archive_path, sample.data, sample.n_bytes);
    return sample;
}

// ---- right ---------------------------------------------------------------------------

static const char by_number[] =
        "0:0 1:1 2: 3:1; 0>1 0>2=2 1>0=0.5 2>3 3>3; 0.0 1.1 1.2=3 3.2; 0 1; 0 1 2";
static const char by_name[] =
        "ann:no bob:yes cid: dot:yes; ann>bob ann>cid=2 bob>ann=0.5 cid>dot dot>dot; "
        "ann.red bob.green bob.blue=3 dot.blue; no yes; red green blue";

static void expect_graph(opn_ctx *ctx, const char *what, const char *wanted)
{
    opn_graph *graph = NULL;
    char text[2048];
    if (opn_graph_load(ctx, archive_path, NULL, &graph) != OPN_OK)
        fail_msg("%s: %s", what, opn_ctx_error(ctx));
    if (strcmp(graph_text(graph, text), wanted) != 0)
        fail_msg("%s is %s", what, text);
    assert_string_equal(opn_graph_name(graph), "graph");
    opn_graph_free(graph);
}

static void test_one_graph_is_read_from_every_way_to_write_it(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *graph;
    } cases[] = {
            {"npz_plain", by_number},       {"npz_names", by_name},
            {"npz_deflated", by_name},      {"npz_dense", by_number},
            {"npz_small_types", by_number}, {"npz_bytes_names", by_name},
            {"npz_object_names", by_name},
    };
    opn_ctx *ctx = support_ctx(NULL);
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        write_sample(cases[c].name);
        expect_graph(ctx, cases[c].name, cases[c].graph);
    }
    opn_ctx_free(ctx);
}

static void test_names_of_other_python_objects_are_warned_about(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    listener heard = {0};
    support_listen(ctx, &heard);
    write_sample("npz_dict_names");
    expect_graph(ctx, "npz_dict_names", by_number);
    assert_int_equal(heard.n_messages[OPN_LOG_WARNING], 1);
    assert_non_null(strstr(heard.log, "node_names.npy: holds a dict"));
    assert_non_null(strstr(heard.log, "without these names"));
    opn_ctx_free(ctx);
}

static void test_the_split_of_an_archive_is_the_usual_one(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    opn_graph *graph = NULL;
    opn_split *split = NULL;
    write_sample("npz_names");
    assert_int_equal(opn_graph_load(ctx, archive_path, NULL, &graph), OPN_OK);
    assert_int_equal(opn_split_create(ctx, graph, OPN_SPLIT_USUAL, 1, NULL, 0, &split),
                     OPN_OK);
    static const uint8_t wanted[] = {OPN_ROLE_TRAIN, OPN_ROLE_VALIDATION,
                                     OPN_ROLE_UNLABELLED, OPN_ROLE_TEST};
    assert_memory_equal(opn_split_roles(split), wanted, sizeof(wanted));
    opn_split_free(split);
    opn_graph_free(graph);
    opn_ctx_free(ctx);
}

// ---- archives made here --------------------------------------------------------------

// Three nodes: 0 and 1 are neighbours, 2 has a loop.
static const array base[] = {
        {"adj_data", F32, VALUES(float, 1, 1, 1), 1, {3}},
        {"adj_indices", I32, VALUES(int32_t, 1, 0, 2), 1, {3}},
        {"adj_indptr", I32, VALUES(int32_t, 0, 1, 2, 3), 1, {4}},
        {"adj_shape", I64, VALUES(int64_t, 3, 3), 1, {2}},
        {"attr_data", F32, VALUES(float, 1, 2, 3), 1, {3}},
        {"attr_indices", I32, VALUES(int32_t, 0, 1, 0), 1, {3}},
        {"attr_indptr", I32, VALUES(int32_t, 0, 2, 3, 3), 1, {4}},
        {"attr_shape", I64, VALUES(int64_t, 3, 2), 1, {2}},
        {"labels", I32, VALUES(int32_t, 0, 1, -1), 1, {3}},
};

enum { N_BASE = sizeof(base) / sizeof(base[0]) };

// The base with arrays replaced, left out or added; returns the size of the file.
static size_t write_archive(const array changes[MAX_CHANGES])
{
    return archive_write(base, N_BASE, changes);
}

static void test_the_archive_the_wrong_ones_are_made_from_is_right(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    write_archive((const array[MAX_CHANGES]){{0}});
    expect_graph(ctx, "base", "0:0 1:1 2:; 0>1 1>0 2>2; 0.0 0.1=2 1.0=3; 0 1; 0 1");
    opn_ctx_free(ctx);
}

static void test_stored_zeros_are_no_edges_and_no_features(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    const array changes[MAX_CHANGES] = {
            {"adj_data", F32, VALUES(float, 1, 0, 1), 1, {3}},
            {"attr_data", F64, VALUES(double, 0, 2, -0.0), 1, {3}}};
    write_archive(changes);
    expect_graph(ctx, "zeros", "0:0 1:1 2:; 0>1 2>2; 0.1=2; 0 1; 0 1");
    opn_ctx_free(ctx);
}

static void test_features_of_1_that_are_listed_twice_add_up(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    const array changes[MAX_CHANGES] = {
            {"attr_data", F64, VALUES(double, 1, 1, 1), 1, {3}},
            {"attr_indices", I32, VALUES(int32_t, 1, 1, 0), 1, {3}}};
    write_archive(changes);
    expect_graph(ctx, "twice", "0:0 1:1 2:; 0>1 1>0 2>2; 0.1=2 1.0; 0 1; 0 1");
    opn_ctx_free(ctx);
}

typedef struct bad_case {
    const char *what;
    array changes[MAX_CHANGES];
    const char *part;
    const char *hint;
} bad_case;

static const bad_case bad_cases[] = {
        // Members
        {"no edges",
         {{"adj_data", ABSENT, NULL, 0, {0}}},
         "has no member adj_data.npy",
         NULL},
        {"no shape",
         {{"adj_shape", ABSENT, NULL, 0, {0}}},
         "has no member adj_shape.npy",
         NULL},
        {"no features",
         {{"attr_indptr", ABSENT, NULL, 0, {0}}},
         "has no member attr_indptr.npy",
         NULL},
        // Neighbours
        {"a shape of three",
         {{"adj_shape", I64, VALUES(int64_t, 3, 3, 3), 1, {3}}},
         "adj_shape.npy: 3 items",
         "rows and columns"},
        {"a shape of text",
         {{"adj_shape", TEXT, TEXTS("3", "3"), 1, {2}}},
         "adj_shape.npy: holds text",
         "numbers"},
        {"a shape of 2.5",
         {{"adj_shape", F64, VALUES(double, 3, 2.5), 1, {2}}},
         "adj_shape.npy: item 1 is 2.5",
         "integer"},
        {"a negative shape",
         {{"adj_shape", I64, VALUES(int64_t, -3, 3), 1, {2}}},
         "-3 rows",
         NULL},
        {"an oblong shape",
         {{"adj_shape", I64, VALUES(int64_t, 3, 5), 1, {2}}},
         "adj_shape.npy: 3 by 5",
         "square"},
        {"a huge shape",
         {{"adj_shape", I64, VALUES(int64_t, INT64_MAX, INT64_MAX), 1, {2}}},
         "9223372036854775807 rows",
         "too large"},
        {"a shape of 2^31 - 2",
         {{"adj_shape", I64, VALUES(int64_t, 2147483646, 2147483646), 1, {2}}},
         "expected 2147483647",
         NULL},
        {"no nodes",
         {{"adj_shape", I64, VALUES(int64_t, 0, 0), 1, {2}},
          {"adj_indptr", I64, VALUES(int64_t, 0), 1, {1}},
          {"adj_indices", I32, VALUES(int32_t, 0), 1, {0}},
          {"adj_data", F32, VALUES(float, 0), 1, {0}}},
         "adj_shape.npy: the graph has no nodes",
         NULL},
        {"too few offsets",
         {{"adj_indptr", I32, VALUES(int32_t, 0, 1, 3), 1, {3}}},
         "adj_indptr.npy: 3 offsets for 3 rows",
         "expected 4"},
        {"offsets from 1",
         {{"adj_indptr", I32, VALUES(int32_t, 1, 1, 2, 3), 1, {4}}},
         "adj_indptr.npy: the first offset is 1",
         "must be 0"},
        {"a negative offset",
         {{"adj_indptr", I32, VALUES(int32_t, 0, -1, 2, 3), 1, {4}}},
         "adj_indptr.npy: item 1",
         NULL},
        {"falling offsets",
         {{"adj_indptr", I32, VALUES(int32_t, 0, 2, 1, 3), 1, {4}}},
         "adj_indptr.npy: item 2",
         "must not decrease"},
        {"offsets past the end",
         {{"adj_indptr", I32, VALUES(int32_t, 0, 1, 2, 9), 1, {4}}},
         "adj_indptr.npy: the last offset is 9",
         "3 entries"},
        {"a huge offset",
         {{"adj_indptr",
           I64,
           VALUES(int64_t, 0, INT64_MAX, INT64_MAX, INT64_MAX),
           1,
           {4}}},
         "adj_indptr.npy: the last offset",
         NULL},
        {"a column too large",
         {{"adj_indices", I32, VALUES(int32_t, 1, 0, 3), 1, {3}}},
         "adj_indices.npy: item 2 is 3, outside [0, 3)",
         NULL},
        {"a negative column",
         {{"adj_indices", I32, VALUES(int32_t, 1, -1, 2), 1, {3}}},
         "adj_indices.npy: item 1 is -1, outside [0, 3)",
         NULL},
        {"a column beyond 32 bits",
         {{"adj_indices", I64, VALUES(int64_t, 1, 0, 4294967298), 1, {3}}},
         "adj_indices.npy: item 2 is 4294967298",
         NULL},
        {"columns with fractions",
         {{"adj_indices", F64, VALUES(double, 1, 0.5, 2), 1, {3}}},
         "adj_indices.npy: item 1 is 0.5",
         NULL},
        {"more columns than values",
         {{"adj_data", F32, VALUES(float, 1, 1), 1, {2}}},
         "adj_data.npy: 2 values",
         "3"},
        {"a weight of NaN",
         {{"adj_data", F32, VALUES(float, 1, NAN, 1), 1, {3}}},
         "adj_data.npy: item 1 is nan",
         "finite"},
        {"a negative weight",
         {{"adj_data", F32, VALUES(float, 1, 1, -2), 1, {3}}},
         "adj_data.npy: the edge from node 2 to node 2 has the weight -2",
         "negative"},
        {"weights of text",
         {{"adj_data", TEXT, TEXTS("1", "1", "1"), 1, {3}}},
         "adj_data.npy: holds text",
         NULL},
        // Features
        {"a feature of NaN",
         {{"attr_data", F64, VALUES(double, 1, 2, (double)NAN), 1, {3}}},
         "attr_data.npy: item 2 is nan, at row 1 and column 0",
         "missing values"},
        {"an infinite feature",
         {{"attr_data", F32, VALUES(float, -INFINITY, 2, 3), 1, {3}}},
         "attr_data.npy: item 0 is -inf",
         "finite"},
        {"features whose sum is infinite",
         {{"attr_data", F32, VALUES(float, 3e38f, 3e38f, 1), 1, {3}},
          {"attr_indices", I32, VALUES(int32_t, 0, 0, 0), 1, {3}}},
         "attr_data.npy",
         NULL},
        {"more rows of features than nodes",
         {{"attr_shape", I64, VALUES(int64_t, 4, 2), 1, {2}},
          {"attr_indptr", I32, VALUES(int32_t, 0, 2, 3, 3, 3), 1, {5}}},
         "attr_shape.npy: 4 rows",
         "3 nodes"},
        {"a feature beyond the last",
         {{"attr_indices", I32, VALUES(int32_t, 0, 2, 0), 1, {3}}},
         "attr_indices.npy: item 1 is 2, outside [0, 2)",
         NULL},
        {"a flat matrix",
         {{"attr_matrix", F32, VALUES(float, 1, 2, 3), 1, {3}}},
         "attr_matrix.npy: 1 dimension",
         "rows and columns"},
        {"a cube",
         {{"attr_matrix", F32, VALUES(float, 1, 2, 3), 3, {3, 1, 1}}},
         "attr_matrix.npy: 3 dimensions",
         "rows and columns"},
        {"a matrix of fewer rows",
         {{"attr_matrix", F32, VALUES(float, 1, 2), 2, {2, 1}}},
         "attr_matrix.npy: 2 rows",
         "3 nodes"},
        {"a matrix with NaN",
         {{"attr_matrix", F32, VALUES(float, 1, 2, NAN), 2, {3, 1}}},
         "attr_matrix.npy: item 2 is nan, at row 2 and column 0",
         "missing values"},
        {"a matrix of text",
         {{"attr_matrix", TEXT, TEXTS("1", "2", "3"), 2, {3, 1}}},
         "attr_matrix.npy: holds text",
         NULL},
        {"a matrix of 2^31 - 2 empty rows",
         {{"attr_matrix", F32, VALUES(float, 0), 2, {2147483646, 0}}},
         "attr_matrix.npy: 2147483646 rows",
         "3 nodes"},
        // Labels
        {"fewer labels",
         {{"labels", I32, VALUES(int32_t, 0, 1), 1, {2}}},
         "labels.npy: 2 items",
         "3 nodes"},
        {"a label of -2",
         {{"labels", I32, VALUES(int32_t, 0, 1, -2), 1, {3}}},
         "labels.npy: item 2 is -2",
         "-1 for unlabelled"},
        {"labels with fractions",
         {{"labels", F32, VALUES(float, 0, 0.5f, 1), 1, {3}}},
         "labels.npy: item 1 is 0.5",
         "whole numbers, names or one-hot rows"},
        {"infinite labels",
         {{"labels", F32, VALUES(float, 0, INFINITY, 1), 1, {3}}},
         "labels.npy: item 1 is inf",
         "whole numbers"},
        {"two ones in a row",
         {{"labels", I32, VALUES(int32_t, 0, 1, 1, 1, 0, 1), 2, {3, 2}}},
         "labels.npy: row 1 has several ones",
         "one class only"},
        {"a two in a one-hot row",
         {{"labels", I32, VALUES(int32_t, 0, 1, 2, 0, 0, 1), 2, {3, 2}}},
         "labels.npy: row 1 has other values",
         "a single 1"},
        {"one-hot rows without columns",
         {{"labels", I32, VALUES(int32_t, 0), 2, {2147483646, 0}}},
         "labels.npy: one-hot labels without a column",
         NULL},
        {"more one-hot rows than nodes",
         {{"labels", I32, VALUES(int32_t, 0, 1, 1, 0, 0, 1, 1, 0), 2, {4, 2}}},
         "labels.npy: 4 rows",
         "3 nodes"},
        {"a label that is no class",
         {{"labels", TEXT, TEXTS("no", "yes", ""), 1, {3}},
          {"class_names", TEXT, TEXTS("no"), 1, {1}}},
         "the label \"yes\" is not in class_names",
         NULL},
        {"a class twice",
         {{"labels", TEXT, TEXTS("no", "no", ""), 1, {3}},
          {"class_names", TEXT, TEXTS("no", "no"), 1, {2}}},
         "class_names lists \"no\" twice",
         NULL},
        {"a label beyond the classes",
         {{"class_names", TEXT, TEXTS("no"), 1, {1}}},
         "labels.npy: item 1 is 1, outside [0, 1)",
         NULL},
        // Names and roles
        {"fewer names of nodes",
         {{"node_names", TEXT, TEXTS("a", "b"), 1, {2}}},
         "node_names.npy: 2 names",
         "expected 3"},
        {"more names of features",
         {{"attr_names", TEXT, TEXTS("a", "b", "c"), 1, {3}}},
         "attr_names.npy: 3 names",
         "expected 2"},
        {"names that are numbers",
         {{"node_names", I32, VALUES(int32_t, 5, 6, 7), 1, {3}}},
         "node_names.npy: ",
         "text"},
        {"fewer roles",
         {{"split", TEXT, TEXTS("train", "test"), 1, {2}}},
         "split.npy: 2 names",
         "expected 3"},
        {"no roles at all",
         {{"split", TEXT, NULL, 1, {0}}},
         "split.npy: 0 ",
         "expected 3"},
        {"an unknown role",
         {{"split", TEXT, TEXTS("train", "teach", ""), 1, {3}}},
         "split.npy: item 1 is \"teach\"",
         "train, validation"},
        {"an unlabelled node trains",
         {{"split", TEXT, TEXTS("train", "test", "train"), 1, {3}}},
         "split.npy: node 2 is used to train",
         "no label"},
        {"a role with a line end",
         {{"split", TEXT, TEXTS("a\nb", "", ""), 1, {3}}},
         "split.npy: item 0",
         NULL},
};

static void test_what_is_wrong_is_refused_with_file_and_member(void **state)
{
    (void)state;
    int n_wrong = 0;
    for (size_t c = 0; c < sizeof(bad_cases) / sizeof(bad_cases[0]); c++) {
        const size_t n_bytes = write_archive(bad_cases[c].changes);
        n_wrong += !load_is_refused(bad_cases[c].what, archive_path, n_bytes,
                                    bad_cases[c].part, bad_cases[c].hint);
    }
    assert_int_equal(n_wrong, 0);
}

// Nothing forbids so many features, but they are not in the file.
static void test_empty_columns_cost_no_memory(void **state)
{
    (void)state;
    opn_status status;
    const array changes[MAX_CHANGES] = {
            {"attr_shape", I64, VALUES(int64_t, 3, 2147483646), 1, {2}},
            {"attr_indices", I32, VALUES(int32_t, 1, 0, 0), 1, {3}}}; // not sorted
    const size_t n_bytes = write_archive(changes);
    assert_true(load_is_sound("2^31 - 2 features", archive_path, n_bytes, &status, NULL));
}

static void test_what_is_no_archive_is_refused(void **state)
{
    (void)state;
    support_write_text(archive_path, "");
    assert_true(load_is_refused("empty", archive_path, 0, "is not a zip archive", NULL));
    support_write_text(archive_path, "node,label\n0,a\n");
    assert_true(load_is_refused("text", archive_path, 15, "is not a zip archive", NULL));
    unlink(archive_path);
    assert_true(load_is_refused("missing", archive_path, 0, "no such data", ".npz"));
    assert_int_equal(mkdir(archive_path, 0755), 0);
    assert_true(load_is_refused("a folder", archive_path, 0, "no edges.csv", NULL));
    assert_int_equal(rmdir(archive_path), 0);
    assert_int_equal(symlink("/proc/self/mem", archive_path), 0);
    assert_true(load_is_refused("unreadable", archive_path, 0, "cannot be ", NULL));
}

// ---- damage --------------------------------------------------------------------------

static void test_an_archive_cut_at_any_byte_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"npz_names", "npz_deflated"};
    int n_wrong = 0;
    for (size_t s = 0; s < sizeof(names) / sizeof(names[0]); s++) {
        const archive_sample sample = archive_sample_called(names[s]);
        for (size_t n_kept = 0; n_kept < sample.n_bytes; n_kept++) {
            unlink(archive_path); // many times faster than to cut the old one
            support_write_file(archive_path, sample.data, n_kept);
            n_wrong += !load_is_refused(names[s], archive_path, sample.n_bytes,
                                        "graph.npz: ", NULL);
        }
    }
    assert_int_equal(n_wrong, 0);
}

// Every bit of the small archive, and of the others one of each byte.
static void test_any_flipped_bit_of_an_archive_is_endured(void **state)
{
    (void)state;
    static const char *const names[] = {"npz_dense", "npz_plain", "npz_deflated"};
    int n_wrong = 0;
    for (size_t s = 0; s < sizeof(names) / sizeof(names[0]); s++) {
        const archive_sample sample = archive_sample_called(names[s]);
        const size_t step = s == 0 ? 1 : 9;
        unsigned char *data = malloc(sample.n_bytes);
        assert_non_null(data);
        memcpy(data, sample.data, sample.n_bytes);
        for (size_t bit = 0; bit < 8 * sample.n_bytes; bit += step) {
            opn_status status;
            data[bit / 8] ^= (unsigned char)(1 << bit % 8);
            unlink(archive_path);
            support_write_file(archive_path, data, sample.n_bytes);
            n_wrong +=
                    !load_is_sound(names[s], archive_path, sample.n_bytes, &status, NULL);
            data[bit / 8] = sample.data[bit / 8];
        }
        free(data);
    }
    assert_int_equal(n_wrong, 0);
}

static void test_loading_survives_any_allocation_failure(void **state)
{
    (void)state;
    write_sample("npz_names");
    expect_load_survives_failing_memory(archive_path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_ARCHIVE(test_one_graph_is_read_from_every_way_to_write_it),
            WITH_ARCHIVE(test_names_of_other_python_objects_are_warned_about),
            WITH_ARCHIVE(test_the_split_of_an_archive_is_the_usual_one),
            WITH_ARCHIVE(test_the_archive_the_wrong_ones_are_made_from_is_right),
            WITH_ARCHIVE(test_stored_zeros_are_no_edges_and_no_features),
            WITH_ARCHIVE(test_features_of_1_that_are_listed_twice_add_up),
            WITH_ARCHIVE(test_what_is_wrong_is_refused_with_file_and_member),
            WITH_ARCHIVE(test_empty_columns_cost_no_memory),
            WITH_ARCHIVE(test_what_is_no_archive_is_refused),
            WITH_ARCHIVE(test_an_archive_cut_at_any_byte_is_refused),
            WITH_ARCHIVE(test_any_flipped_bit_of_an_archive_is_endured),
            WITH_ARCHIVE(test_loading_survives_any_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
