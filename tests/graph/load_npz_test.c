// load_npz_test.c -- archives of the gnn-benchmark form, right, wrong and damaged.

#include "golden/load_samples.h"
#include "graph/graph_data.h"
#include "io/npz.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/refusal.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[SUPPORT_PATH];
static char path[SUPPORT_PATH];

static int set_up(void **state)
{
    (void)state;
    support_temp_folder(folder);
    support_path(path, folder, "graph.npz");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    support_remove_folder(folder);
    return 0;
}

static const load_sample *sample_called(const char *name)
{
    for (size_t s = 0; s < sizeof(load_npz_samples) / sizeof(load_npz_samples[0]); s++)
        if (strcmp(load_npz_samples[s].name, name) == 0)
            return &load_npz_samples[s];
    fail_msg("no sample %s", name);
    return NULL;
}

static const load_sample *write_sample(const char *name)
{
    const load_sample *sample = sample_called(name);
    support_write_file(path, sample->data, sample->n_bytes);
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
    if (opn_graph_load(ctx, path, NULL, &graph) != OPN_OK)
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
    };
    opn_ctx *ctx = support_ctx(NULL);
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        write_sample(cases[c].name);
        expect_graph(ctx, cases[c].name, cases[c].graph);
    }
    opn_ctx_free(ctx);
}

static void test_names_kept_as_python_objects_are_warned_about(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    listener heard = {0};
    support_listen(ctx, &heard);
    write_sample("npz_object_names");
    expect_graph(ctx, "npz_object_names", by_number);
    assert_int_equal(heard.n_messages[OPN_LOG_WARNING], 1);
    assert_non_null(strstr(heard.log, "node_names.npy"));
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
    assert_int_equal(opn_graph_load(ctx, path, NULL, &graph), OPN_OK);
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

typedef enum array_type { ABSENT, I32, I64, F32, F64, TEXT } array_type;

typedef struct array {
    const char *name;
    array_type type;
    const void *data;
    int n_dims;
    int64_t shape[3];
} array;

#define VALUES(type, ...) ((const type[]){__VA_ARGS__})

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

enum { N_BASE = sizeof(base) / sizeof(base[0]), MAX_CHANGES = 4 };

static void add_array(opn_i_npz_writer *writer, const array *a)
{
    switch (a->type) {
    case ABSENT:
        break;
    case I32:
        opn_i_npz_writer_add_i32(writer, a->name, a->data, a->shape, a->n_dims);
        break;
    case I64:
        opn_i_npz_writer_add_i64(writer, a->name, a->data, a->shape, a->n_dims);
        break;
    case F32:
        opn_i_npz_writer_add_f32(writer, a->name, a->data, a->shape, a->n_dims);
        break;
    case F64:
        opn_i_npz_writer_add_f64(writer, a->name, a->data, a->shape, a->n_dims);
        break;
    case TEXT:
        opn_i_npz_writer_add_text(writer, a->name, a->data, a->shape, a->n_dims);
        break;
    }
}

// The base with arrays replaced, left out or added; returns the size of the file.
static size_t write_archive(const array changes[MAX_CHANGES])
{
    opn_ctx *ctx = support_ctx(NULL);
    opn_i_npz_writer *writer = NULL;
    struct stat info;
    assert_int_equal(opn_i_npz_writer_open(ctx, path, &writer), OPN_OK);
    for (size_t b = 0; b < N_BASE; b++) {
        bool is_changed = false;
        for (size_t c = 0; c < MAX_CHANGES && changes[c].name != NULL; c++)
            is_changed = is_changed || strcmp(changes[c].name, base[b].name) == 0;
        if (!is_changed)
            add_array(writer, &base[b]);
    }
    for (size_t c = 0; c < MAX_CHANGES && changes[c].name != NULL; c++)
        add_array(writer, &changes[c]);
    assert_int_equal(opn_i_npz_writer_commit(writer), OPN_OK);
    opn_ctx_free(ctx);
    assert_int_equal(stat(path, &info), 0);
    return (size_t)info.st_size;
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

typedef struct bad_case {
    const char *what;
    array changes[MAX_CHANGES];
    const char *part;
    const char *hint;
} bad_case;

#define TEXTS(...) ((const char *const[]){__VA_ARGS__})

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
        {"no labels",
         {{"labels", ABSENT, NULL, 0, {0}}},
         "has no member labels.npy",
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
         "adj_data.npy: item 2 is -2",
         "negative"},
        {"weights of text",
         {{"adj_data", TEXT, TEXTS("1", "1", "1"), 1, {3}}},
         "adj_data.npy: holds text",
         NULL},
        // Features
        {"a feature of NaN",
         {{"attr_data", F64, VALUES(double, 1, 2, (double)NAN), 1, {3}}},
         "attr_data.npy: item 2 is nan",
         "finite"},
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
         "attr_matrix.npy: 1 dimensions",
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
         "attr_matrix.npy: item 2 is nan",
         "finite"},
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
        {"one-hot labels",
         {{"labels", I32, VALUES(int32_t, 0, 1, 1, 0, 0, 1), 2, {3, 2}}},
         "labels.npy: 6 items",
         "3 nodes"},
        {"a label of -2",
         {{"labels", I32, VALUES(int32_t, 0, 1, -2), 1, {3}}},
         "labels.npy: item 2 is -2",
         "-1 for unlabelled"},
        {"a label beyond the nodes",
         {{"labels", I32, VALUES(int32_t, 0, 1, 3), 1, {3}}},
         "labels.npy: item 2 is 3, outside [0, 3)",
         NULL},
        {"a huge label",
         {{"labels", I64, VALUES(int64_t, 0, INT64_MAX, 1), 1, {3}}},
         "labels.npy: item 1 is 9223372036854775807",
         NULL},
        {"a label beyond the classes",
         {{"class_names", TEXT, TEXTS("no"), 1, {1}}},
         "labels.npy: item 1 is 1, outside [0, 1)",
         NULL},
        {"labels of text",
         {{"labels", TEXT, TEXTS("a", "b", "c"), 1, {3}}},
         "labels.npy: holds text",
         "numbers"},
        {"labels of NaN",
         {{"labels", F32, VALUES(float, 0, 1, NAN), 1, {3}}},
         "labels.npy: item 2 is nan",
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
        n_wrong += !load_is_refused(bad_cases[c].what, path, n_bytes, bad_cases[c].part,
                                    bad_cases[c].hint);
    }
    assert_int_equal(n_wrong, 0);
}

// Nothing says that there must not be as many features, but they are not in the file.
static void test_empty_columns_cost_no_memory(void **state)
{
    (void)state;
    opn_status status;
    const array changes[MAX_CHANGES] = {
            {"attr_shape", I64, VALUES(int64_t, 3, 2147483646), 1, {2}},
            {"attr_indices", I32, VALUES(int32_t, 1, 0, 0), 1, {3}}}; // not sorted
    const size_t n_bytes = write_archive(changes);
    assert_true(load_is_sound("2^31 - 2 features", path, n_bytes, &status, NULL));
}

static void test_what_is_no_archive_is_refused(void **state)
{
    (void)state;
    support_write_text(path, "");
    assert_true(load_is_refused("empty", path, 0, "is not a zip archive", NULL));
    support_write_text(path, "node,label\n0,a\n");
    assert_true(load_is_refused("text", path, 15, "is not a zip archive", NULL));
    unlink(path);
    assert_true(load_is_refused("missing", path, 0, "no such data", ".npz"));
    assert_int_equal(mkdir(path, 0755), 0);
    assert_true(load_is_refused("a folder", path, 0, "no edges.csv", NULL));
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(symlink("/proc/self/mem", path), 0);
    assert_true(load_is_refused("unreadable", path, 0, "cannot be ", NULL));
}

// ---- damage --------------------------------------------------------------------------

static void test_an_archive_cut_at_any_byte_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"npz_names", "npz_deflated"};
    int n_wrong = 0;
    for (size_t s = 0; s < sizeof(names) / sizeof(names[0]); s++) {
        const load_sample *sample = sample_called(names[s]);
        for (size_t n_kept = 0; n_kept < sample->n_bytes; n_kept++) {
            unlink(path); // many times faster than to cut the old one
            support_write_file(path, sample->data, n_kept);
            n_wrong += !load_is_refused(names[s], path, sample->n_bytes,
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
        const load_sample *sample = sample_called(names[s]);
        const size_t step = s == 0 ? 1 : 9;
        unsigned char *data = malloc(sample->n_bytes);
        assert_non_null(data);
        memcpy(data, sample->data, sample->n_bytes);
        for (size_t bit = 0; bit < 8 * sample->n_bytes; bit += step) {
            opn_status status;
            data[bit / 8] ^= (unsigned char)(1 << bit % 8);
            unlink(path);
            support_write_file(path, data, sample->n_bytes);
            n_wrong += !load_is_sound(names[s], path, sample->n_bytes, &status, NULL);
            data[bit / 8] = sample->data[bit / 8];
        }
        free(data);
    }
    assert_int_equal(n_wrong, 0);
}

static void test_loading_survives_any_allocation_failure(void **state)
{
    (void)state;
    write_sample("npz_names");
    expect_load_survives_failing_memory(path);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
            IN_FOLDER(test_one_graph_is_read_from_every_way_to_write_it),
            IN_FOLDER(test_names_kept_as_python_objects_are_warned_about),
            IN_FOLDER(test_the_split_of_an_archive_is_the_usual_one),
            IN_FOLDER(test_the_archive_the_wrong_ones_are_made_from_is_right),
            IN_FOLDER(test_stored_zeros_are_no_edges_and_no_features),
            IN_FOLDER(test_what_is_wrong_is_refused_with_file_and_member),
            IN_FOLDER(test_empty_columns_cost_no_memory),
            IN_FOLDER(test_what_is_no_archive_is_refused),
            IN_FOLDER(test_an_archive_cut_at_any_byte_is_refused),
            IN_FOLDER(test_any_flipped_bit_of_an_archive_is_endured),
            IN_FOLDER(test_loading_survives_any_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
