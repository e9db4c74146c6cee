// npz_forms_test.c -- archives as other collections and libraries write them.

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
#include <unistd.h>

static archive_sample write_sample(const char *name, const char *to)
{
    const archive_sample sample = archive_sample_called(name);
    support_write_file(to, sample.data, sample.n_bytes);
    return sample;
}

static void write_beside(const char *name, const char *text)
{
    char beside[SUPPORT_PATH];
    support_write_text(support_path(beside, archive_folder, name), text);
}

static opn_graph *load(opn_ctx *ctx, const char *what)
{
    opn_graph *graph = NULL;
    if (opn_graph_load(ctx, archive_path, NULL, &graph) != OPN_OK)
        fail_msg("%s: %s", what, opn_ctx_error(ctx));
    return graph;
}

// Checks the graph and, unless NULL, that one of its notes contains `note`.
static void
expect_graph(opn_ctx *ctx, const char *what, const char *wanted, const char *note)
{
    opn_graph *graph = load(ctx, what);
    char text[2048];
    bool is_noted = note == NULL;
    if (strcmp(graph_text(graph, text), wanted) != 0)
        fail_msg("%s is %s", what, text);
    for (int64_t i = 0; i < opn_graph_note_count(graph); i++)
        is_noted = is_noted || strstr(opn_graph_note(graph, i), note) != NULL;
    if (!is_noted)
        fail_msg("%s: nothing is noted about \"%s\"", what, note);
    opn_graph_free(graph);
}

// ---- the same graph in every form ----------------------------------------------------

static const char by_number[] =
        "0:0 1:1 2: 3:1; 0>1 0>2=2 1>0=0.5 2>3 3>3; 0.0 1.1 1.2=3 3.2; 0 1; 0 1 2";
static const char in_words[] =
        "0:no 1:yes 2: 3:yes; 0>1 0>2=2 1>0=0.5 2>3 3>3; 0.0 1.1 1.2=3 3.2; no yes; 0 1 2";

static void test_every_form_gives_the_same_graph_and_says_what_was_read(void **state)
{
    (void)state;
    static const struct {
        const char *name, *graph, *note;
    } cases[] = {
            {"form_gallery", by_number,
             "the edges are read from adj_matrix, the features from node_attr, the labels "
             "from node_label"},
            {"form_gallery_csc_coo", by_number, "in one direction only"},
            {"form_dense", by_number, "read from adj, the features from features"},
            {"form_geometric", by_number, "read from edge_index"},
            {"form_geometric_splits", by_number,
             "the first of the 2 splits in train_mask is used"},
            {"form_platonov", by_number,
             "the first of the 3 splits in train_masks is used"},
            {"form_one_hot", by_number, "one-hot rows of 2 columns"},
            {"form_sparse_one_hot", by_number, "one-hot rows of 2 columns"},
            {"form_words", in_words, NULL},
            {"form_object_words", in_words, NULL},
    };
    opn_ctx *ctx = support_ctx(NULL);
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        write_sample(cases[c].name, archive_path);
        expect_graph(ctx, cases[c].name, cases[c].graph, cases[c].note);
    }
    opn_ctx_free(ctx);
}

static void test_the_benchmark_form_is_read_without_a_note(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    write_sample("npz_plain", archive_path);
    opn_graph *graph = load(ctx, "npz_plain");
    assert_int_equal(opn_graph_note_count(graph), 0);
    opn_graph_free(graph);
    opn_ctx_free(ctx);
}

static void test_the_first_split_of_the_masks_becomes_the_roles(void **state)
{
    (void)state;
    static const char *const names[] = {"form_geometric", "form_geometric_splits",
                                        "form_platonov"};
    static const uint8_t wanted[] = {OPN_ROLE_TRAIN, OPN_ROLE_VALIDATION,
                                     OPN_ROLE_UNLABELLED, OPN_ROLE_TEST};
    opn_ctx *ctx = support_ctx(NULL);
    for (size_t s = 0; s < sizeof(names) / sizeof(names[0]); s++) {
        write_sample(names[s], archive_path);
        opn_graph *graph = load(ctx, names[s]);
        assert_non_null(graph->given_role);
        assert_memory_equal(graph->given_role, wanted, sizeof(wanted));
        opn_graph_free(graph);
    }
    opn_ctx_free(ctx);
}

// ---- a matrix with files beside it ---------------------------------------------------

static void test_a_lone_matrix_takes_labels_and_features_from_files_beside(void **state)
{
    (void)state;
    static const struct {
        const char *sample, *file, *labels, *graph;
    } cases[] = {
            {"form_saved_csr", "graph_labels.txt", "0\n1\n\n1\n", by_number},
            {"form_saved_csc", "graph.labels.csv", "label\nno\nyes\n-1\nyes\n", in_words},
            {"form_saved_coo", "labels.txt", "0\r\n1\r\nnan\r\n1\r\n", by_number},
    };
    opn_ctx *ctx = support_ctx(NULL);
    char beside[SUPPORT_PATH];
    write_sample("form_saved_features",
                 support_path(beside, archive_folder, "features.npz"));
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        write_sample(cases[c].sample, archive_path);
        write_beside(cases[c].file, cases[c].labels);
        expect_graph(ctx, cases[c].sample, cases[c].graph, cases[c].file);
        expect_graph(ctx, cases[c].sample, cases[c].graph, "features.npz");
        unlink(support_path(beside, archive_folder, cases[c].file));
    }
    opn_ctx_free(ctx);
}

static void test_a_lone_matrix_takes_features_from_an_array_beside(void **state)
{
    (void)state;
    static const char header[] =
            "\x93NUMPY\1\0\x3b\0{'descr': '<f4', 'fortran_order': False, "
            "'shape': (4, 3), }";
    static const float words[12] = {1, 0, 0, 0, 1, 3, 0, 0, 0, 0, 0, 1};
    enum { N_HEADER = sizeof(header) - 1 };
    unsigned char file[N_HEADER + sizeof(words)];
    char beside[SUPPORT_PATH];
    opn_ctx *ctx = support_ctx(NULL);
    memcpy(file, header, N_HEADER);
    memcpy(file + N_HEADER, words, sizeof(words));
    support_path(beside, archive_folder, "features.npy");
    support_write_file(beside, file, sizeof(file));
    write_sample("form_saved_csr", archive_path);
    write_beside("labels.txt", "0\n1\n\n1\n");
    expect_graph(ctx, "features.npy", by_number, "features.npy");
    expect_load_survives_failing_memory(archive_path);
    support_write_file(beside, file, sizeof(file) - 1);
    assert_int_equal(opn_graph_load(ctx, archive_path, NULL, &(opn_graph *){NULL}),
                     OPN_ERR_FORMAT);
    support_expect_error(ctx, "features.npy: ");
    opn_ctx_free(ctx);
}

static void test_a_lone_matrix_needs_neither_labels_nor_features(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    write_sample("form_saved_csr", archive_path);
    expect_graph(ctx, "alone", "0: 1: 2: 3:; 0>1 0>2=2 1>0=0.5 2>3 3>3; ; ; ",
                 "there is neither graph_labels.npy, graph.labels.npy nor labels.npy");
    write_beside("labels.csv", "a,b\n");
    char beside[SUPPORT_PATH];
    support_path(beside, archive_folder, "labels.csv");
    assert_int_equal(opn_graph_load(ctx, archive_path, NULL, &(opn_graph *){NULL}),
                     OPN_ERR_FORMAT);
    support_expect_error(ctx, "labels.csv:1: 2 fields, expected one label");
    write_beside("labels.csv", "a\nb\nc\n");
    assert_int_equal(opn_graph_load(ctx, archive_path, NULL, &(opn_graph *){NULL}),
                     OPN_ERR_FORMAT);
    support_expect_error(ctx, "labels.csv: 3 items, but the graph has 4 nodes");
    write_beside("labels.csv", "a\nb\na\nb\n");
    expect_graph(ctx, "no features",
                 "0:a 1:b 2:a 3:b; 0>1 0>2=2 1>0=0.5 2>3 3>3; ; a b; ",
                 "nodes have no features");
    opn_ctx_free(ctx);
}

// ---- archives made here --------------------------------------------------------------

// Three nodes in a line, with one feature.
static const array base[] = {
        {"edge_index", I64, VALUES(int64_t, 0, 1, 1, 2), 2, {2, 2}},
        {"x", F32, VALUES(float, 1, 2, 3), 2, {3, 1}},
        {"y", I64, VALUES(int64_t, 0, 1, 0), 1, {3}},
};

enum { N_BASE = sizeof(base) / sizeof(base[0]) };

static void test_lists_of_nodes_become_the_roles(void **state)
{
    (void)state;
    static const struct {
        const char *train, *validation, *test;
    } names[] = {{"train_idx", "val_idx", "test_idx"},
                 {"idx_train", "idx_val", "idx_test"},
                 {"train_index", "valid_index", "test_index"}};
    static const uint8_t wanted[] = {OPN_ROLE_VALIDATION, OPN_ROLE_TEST, OPN_ROLE_TRAIN};
    opn_ctx *ctx = support_ctx(NULL);
    for (size_t s = 0; s < sizeof(names) / sizeof(names[0]); s++) {
        const array changes[MAX_CHANGES] = {
                {names[s].train, I64, VALUES(int64_t, 2, 2), 1, {2}},
                {names[s].validation, I32, VALUES(int32_t, 0), 1, {1}},
                {names[s].test, I32, VALUES(int32_t, 1), 2, {1, 1}}};
        archive_write(base, N_BASE, changes);
        opn_graph *graph = load(ctx, names[s].train);
        assert_non_null(graph->given_role);
        assert_memory_equal(graph->given_role, wanted, sizeof(wanted));
        const char *note = opn_graph_note(graph, opn_graph_note_count(graph) - 1);
        assert_non_null(strstr(note, names[s].train));
        opn_graph_free(graph);
    }
    opn_ctx_free(ctx);
}

typedef struct form_case {
    const char *what;
    array changes[MAX_CHANGES];
    const char *wanted;
    const char *note;
} form_case;

static const form_case labels_cases[] = {
        {"a square list of edges is by columns",
         {{NULL, ABSENT, NULL, 0, {0}}},
         "0:0 1:1 2:0; 0>1 1>2; 0.0 1.0=2 2.0=3; 0 1; 0",
         "in one direction only"},
        {"edges by rows",
         {{"edge_index", ABSENT, NULL, 0, {0}},
          {"edges", I32, VALUES(int32_t, 0, 1, 1, 0), 2, {2, 2}}},
         "0:0 1:1 2:0; 0>1 1>0; 0.0 1.0=2 2.0=3; 0 1; 0",
         "read from edges"},
        {"edge_index by rows",
         {{"edge_index", I32, VALUES(int32_t, 0, 1, 1, 0, 2, 2), 2, {3, 2}}},
         "0:0 1:1 2:0; 0>1 1>0 2>2; 0.0 1.0=2 2.0=3; 0 1; 0",
         NULL},
        {"an edge of weight 0 is none",
         {{"edge_weight", F64, VALUES(double, 0, 2), 1, {2}}},
         "0:0 1:1 2:0; 1>2=2; 0.0 1.0=2 2.0=3; 0 1; 0",
         NULL},
        {"labels from 1",
         {{"y", I64, VALUES(int64_t, 2, 1, 2), 1, {3}}},
         "0:2 1:1 2:2; 0>1 1>2; 0.0 1.0=2 2.0=3; 1 2; 0",
         "the classes are the 2 numbers among the labels, from 1 to 2"},
        {"labels with a gap",
         {{"y", I64, VALUES(int64_t, 0, 10, 2), 1, {3}}},
         "0:0 1:10 2:2; 0>1 1>2; 0.0 1.0=2 2.0=3; 0 2 10; 0",
         "from 0 to 10"},
        {"labels as floats, one of them missing",
         {{"y", F64, VALUES(double, 3, (double)NAN, 5), 1, {3}}},
         "0:3 1: 2:5; 0>1 1>2; 0.0 1.0=2 2.0=3; 3 5; 0",
         NULL},
        {"labels in a column",
         {{"y", I32, VALUES(int32_t, 1, 0, 1), 2, {3, 1}}},
         "0:1 1:0 2:1; 0>1 1>2; 0.0 1.0=2 2.0=3; 0 1; 0",
         NULL},
        {"a row of zeros is unlabelled, an unused column no class",
         {{"y", F32, VALUES(float, 0, 0, 1, 0, 0, 0, 1, 0, 0), 2, {3, 3}}},
         "0:2 1: 2:0; 0>1 1>2; 0.0 1.0=2 2.0=3; 0 2; 0",
         "one-hot"},
        {"class names keep a class without nodes",
         {{"class_names", TEXT, TEXTS("no", "yes", "maybe"), 1, {3}}},
         "0:no 1:yes 2:no; 0>1 1>2; 0.0 1.0=2 2.0=3; no yes maybe; 0",
         NULL},
        {"class names order words",
         {{"class_names", TEXT, TEXTS("yes", "no"), 1, {2}},
          {"y", TEXT, TEXTS("no", "yes", ""), 1, {3}}},
         "0:no 1:yes 2:; 0>1 1>2; 0.0 1.0=2 2.0=3; yes no; 0",
         NULL},
        {"numbers as text are sorted by value",
         {{"y", TEXT, TEXTS("10", "9", "9"), 1, {3}}},
         "0:10 1:9 2:9; 0>1 1>2; 0.0 1.0=2 2.0=3; 9 10; 0",
         NULL},
        {"numbers as text, one of them below 0",
         {{"y", TEXT, TEXTS("1", "0", "-2"), 1, {3}}},
         "0:1 1:0 2:-2; 0>1 1>2; 0.0 1.0=2 2.0=3; -2 0 1; 0",
         NULL},
        {"a word for no label",
         {{"y", TEXT, TEXTS("b", "a", "NA"), 1, {3}}},
         "0:b 1:a 2:; 0>1 1>2; 0.0 1.0=2 2.0=3; a b; 0",
         "nodes without a label: 1; the label of node 2, \"NA\", is taken for none"},
        {"a word for no label that class_names lists",
         {{"class_names", TEXT, TEXTS("EU", "NA"), 1, {2}},
          {"y", TEXT, TEXTS("EU", "NA", ""), 1, {3}}},
         "0:EU 1:NA 2:; 0>1 1>2; 0.0 1.0=2 2.0=3; EU NA; 0",
         NULL},
        {"no features",
         {{"x", ABSENT, NULL, 0, {0}}},
         "0:0 1:1 2:0; 0>1 1>2; ; 0 1; ",
         "nodes have no features"},
        {"no labels",
         {{"y", ABSENT, NULL, 0, {0}}},
         "0: 1: 2:; 0>1 1>2; 0.0 1.0=2 2.0=3; ; 0",
         NULL},
        {"no labels, but their names",
         {{"y", ABSENT, NULL, 0, {0}}, {"class_names", TEXT, TEXTS("no", "yes"), 1, {2}}},
         "0: 1: 2:; 0>1 1>2; 0.0 1.0=2 2.0=3; no yes; 0",
         NULL},
        {"neither labels nor features",
         {{"y", ABSENT, NULL, 0, {0}}, {"x", ABSENT, NULL, 0, {0}}},
         "0: 1: 2:; 0>1 1>2; ; ; ",
         "nodes have no features"},
        {"masks without a train_mask",
         {{"test_mask", I32, VALUES(int32_t, 0, 1, 0), 1, {3}}},
         "0:0 1:1 2:0; 0>1 1>2; 0.0 1.0=2 2.0=3; 0 1; 0",
         "the masks are not used"},
        {"features of the edges are not used",
         {{"edge_attr", F32, VALUES(float, 1, 2), 2, {2, 1}},
          {"pos", F32, VALUES(float, 1, 2, 3), 1, {3}}},
         "0:0 1:1 2:0; 0>1 1>2; 0.0 1.0=2 2.0=3; 0 1; 0",
         "edge_attr and pos are not used"},
        {"weights beside a matrix are not used",
         {{"edge_index", ABSENT, NULL, 0, {0}},
          {"adj", F32, VALUES(float, 0, 1, 0, 1, 0, 0, 0, 0, 0), 2, {3, 3}},
          {"edge_weight", F32, VALUES(float, 5, 5), 1, {2}}},
         "0:0 1:1 2:0; 0>1 1>0; 0.0 1.0=2 2.0=3; 0 1; 0",
         "edge_weight is not used"},
};

static void test_edges_and_labels_are_read_as_people_write_them(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    for (size_t c = 0; c < sizeof(labels_cases) / sizeof(labels_cases[0]); c++) {
        archive_write(base, N_BASE, labels_cases[c].changes);
        expect_graph(ctx, labels_cases[c].what, labels_cases[c].wanted,
                     labels_cases[c].note);
    }
    opn_ctx_free(ctx);
}

typedef struct bad_case {
    const char *what;
    array changes[MAX_CHANGES];
    const char *part, *hint;
} bad_case;

static const bad_case bad_cases[] = {
        {"an edge to a node that is not there",
         {{"edge_index", I64, VALUES(int64_t, 0, 1, 1, 3), 2, {2, 2}}},
         "edge_index.npy: edge 1 joins node 1 to node 3",
         "from 0 to 2"},
        {"an edge from a node that is not there",
         {{"edge_index", I64, VALUES(int64_t, -1, 1, 1, 2), 2, {2, 2}}},
         "edge_index.npy: edge 0 joins node -1 to node 1",
         NULL},
        {"edges of three nodes",
         {{"edge_index", I64, VALUES(int64_t, 0, 1, 2, 0, 1, 2, 0, 1, 2), 2, {3, 3}}},
         "edge_index.npy: shape [3,3]",
         "[2,E] or [E,2]"},
        {"a flat list of edges",
         {{"edge_index", I64, VALUES(int64_t, 0, 1), 1, {2}}},
         "edge_index.npy: 1 dimension,",
         "[2,E] or [E,2]"},
        {"fewer weights than edges",
         {{"edge_weight", F32, VALUES(float, 1), 1, {1}}},
         "edge_weight.npy: 1 weight for 2 edges",
         NULL},
        {"a negative weight",
         {{"edge_weight", F32, VALUES(float, 1, -1), 1, {2}}},
         "edge_weight.npy: the edge from node 1 to node 2 has the weight -1",
         NULL},
        {"no labels, and an edge past the features",
         {{"y", ABSENT, NULL, 0, {0}},
          {"edge_index", I64, VALUES(int64_t, 0, 1, 1, 3), 2, {2, 2}}},
         "edge_index.npy: edge 1 joins node 1 to node 3, but nodes are numbered from 0 to 2",
         "subtract 1 if they are numbered from 1"},
        {"no labels, and a matrix of another size",
         {{"y", ABSENT, NULL, 0, {0}},
          {"edge_index", ABSENT, NULL, 0, {0}},
          {"adj", F32, VALUES(float, 0, 1, 1, 0), 2, {2, 2}}},
         "x has 3 rows, but the graph has 2 nodes",
         NULL},
        {"nothing but an edge to a large number",
         {{"y", ABSENT, NULL, 0, {0}},
          {"x", ABSENT, NULL, 0, {0}},
          {"edge_index", I64, VALUES(int64_t, 0, 2000000000), 2, {2, 1}}},
         "edge_index.npy: node 2000000000 is in one of only 1 edges",
         "numbered from 0 without gaps"},
        {"no nodes", {{"y", I64, NULL, 1, {0}}}, "the graph has no nodes", NULL},
        {"fewer features",
         {{"x", F32, VALUES(float, 1, 2), 2, {2, 1}}},
         "x.npy: 2 rows",
         "3 nodes"},
        {"masks that overlap",
         {{"train_mask", I32, VALUES(int32_t, 1, 1, 0), 1, {3}},
          {"test_mask", I32, VALUES(int32_t, 0, 1, 1), 1, {3}}},
         "test_mask.npy: node 1 is also used to train",
         "overlap"},
        {"masks that overlap in calibration",
         {{"train_mask", I32, VALUES(int32_t, 1, 0, 0), 1, {3}},
          {"calibration_mask", I32, VALUES(int32_t, 0, 1, 0), 1, {3}},
          {"test_mask", I32, VALUES(int32_t, 0, 1, 1), 1, {3}}},
         "test_mask.npy: node 1 is also used to calibrate",
         "overlap"},
        {"a mask of node numbers",
         {{"train_mask", I32, VALUES(int32_t, 0, 1, 2), 1, {3}}},
         "train_mask.npy: node 2 has 2",
         "true and false"},
        {"lists of nodes that overlap",
         {{"train_idx", I32, VALUES(int32_t, 0, 1), 1, {2}},
          {"test_idx", I32, VALUES(int32_t, 2, 1), 1, {2}}},
         "test_idx.npy: node 1 is also used to train",
         "overlap"},
        {"a list of nodes that are not there",
         {{"train_idx", I32, VALUES(int32_t, 0, 3), 1, {2}}},
         "train_idx.npy: item 1 is node 3, outside [0, 3)",
         NULL},
        {"a list of several splits",
         {{"train_idx", I32, VALUES(int32_t, 0, 1, 1, 2), 2, {2, 2}}},
         "train_idx.npy: 2 dimensions",
         "a list of node numbers"},
        {"a mask of fewer nodes",
         {{"train_mask", I32, VALUES(int32_t, 1, 0), 1, {2}}},
         "train_mask.npy: 2 items",
         "[V,S] or [S,V]"},
        {"a mask of text",
         {{"train_mask", TEXT, TEXTS("1", "0", "0"), 1, {3}}},
         "train_mask.npy: holds text",
         NULL},
        {"an unlabelled node trains",
         {{"y", I32, VALUES(int32_t, 0, -1, 0), 1, {3}},
          {"train_mask", I32, VALUES(int32_t, 1, 1, 0), 1, {3}}},
         "train_mask.npy: node 1 is used to train",
         "no label"},
        {"a coo matrix with a huge shape",
         {{"adj_data", F32, VALUES(float, 1), 1, {1}},
          {"adj_row", I32, VALUES(int32_t, 0), 1, {1}},
          {"adj_col", I32, VALUES(int32_t, 1), 1, {1}},
          {"adj_shape", I64, VALUES(int64_t, 2147483646, 2147483646), 1, {2}}},
         "adj_shape.npy: 2147483646 rows",
         "3 nodes"},
        {"coo features with a row too large",
         {{"attr_data", F32, VALUES(float, 1), 1, {1}},
          {"attr_row", I32, VALUES(int32_t, 3), 1, {1}},
          {"attr_col", I32, VALUES(int32_t, 1), 1, {1}},
          {"attr_shape", I64, VALUES(int64_t, 3, 2147483646), 1, {2}}},
         "attr_row.npy: item 0 is 3, outside [0, 3)",
         NULL},
        {"an unknown format",
         {{"adj_data", F32, VALUES(float, 1), 1, {1}},
          {"adj_format", TEXT, TEXTS("dia"), 0, {0}},
          {"adj_shape", I64, VALUES(int64_t, 3, 3), 1, {2}}},
         "adj_format.npy: \"dia\"",
         "csr, csc and coo"},
};

static void test_what_is_wrong_is_refused_with_file_and_member(void **state)
{
    (void)state;
    int n_wrong = 0;
    for (size_t c = 0; c < sizeof(bad_cases) / sizeof(bad_cases[0]); c++) {
        const size_t n_bytes = archive_write(base, N_BASE, bad_cases[c].changes);
        n_wrong += !load_is_refused(bad_cases[c].what, archive_path, n_bytes,
                                    bad_cases[c].part, bad_cases[c].hint);
    }
    assert_int_equal(n_wrong, 0);
}

static void test_what_code_would_make_is_refused_by_name(void **state)
{
    (void)state;
    const archive_sample sample = write_sample("form_code", archive_path);
    assert_true(load_is_refused("code", archive_path, sample.n_bytes,
                                "y.npy: ", "collections.Counter is refused"));
}

static void test_an_archive_without_a_graph_is_answered_with_its_members(void **state)
{
    (void)state;
    static const float pair[] = {1, 2};
    array unknown[12];
    char names[12][24];
    for (int i = 0; i < 12; i++) {
        snprintf(names[i], sizeof(names[i]), "part_%d", i);
        unknown[i] = (array){names[i], F32, pair, 2, {1, 2}};
    }
    const array none[MAX_CHANGES] = {{NULL, ABSENT, NULL, 0, {0}}};
    size_t n_bytes = archive_write(unknown, 2, none);
    assert_true(load_is_refused("two members", archive_path, n_bytes,
                                "no graph among its members: part_0.npy [1,2] <f4, "
                                "part_1.npy [1,2] <f4; this writes one:\n",
                                "np.savez('graph.npz', edge_index="));
    n_bytes = archive_write(unknown, 12, none);
    assert_true(load_is_refused("many members", archive_path, n_bytes,
                                "part_7.npy [1,2] <f4 and "
                                "4 more; ",
                                "edge_index="));
}

// ---- damage --------------------------------------------------------------------------

static void test_any_flipped_bit_of_any_form_is_endured(void **state)
{
    (void)state;
    int n_wrong = 0;
    write_beside("labels.txt", "0\n1\n\n1\n");
    archive_sample sample;
    for (size_t s = 0; archive_sample_at(s, &sample); s++) {
        if (strncmp(sample.name, "form_", 5) != 0)
            continue;
        unsigned char *data = malloc(sample.n_bytes);
        assert_non_null(data);
        memcpy(data, sample.data, sample.n_bytes);
        for (size_t bit = 0; bit < 8 * sample.n_bytes; bit += 9) {
            opn_status status;
            char message[1024];
            support_flip_bit(data, bit);
            unlink(archive_path);
            support_write_file(archive_path, data, sample.n_bytes);
            n_wrong += !load_is_sound(sample.name, archive_path, sample.n_bytes, &status,
                                      message);
            support_flip_bit(data, bit);
        }
        free(data);
    }
    assert_int_equal(n_wrong, 0);
}

static void test_loading_survives_any_allocation_failure(void **state)
{
    (void)state;
    char beside[SUPPORT_PATH];
    static const char *const names[] = {"form_gallery_csc_coo", "form_platonov",
                                        "form_sparse_one_hot", "form_object_words",
                                        "form_saved_coo"};
    write_beside("graph_labels.csv", "no\nyes\n\nyes\n");
    write_sample("form_saved_features",
                 support_path(beside, archive_folder, "features.npz"));
    for (size_t s = 0; s < sizeof(names) / sizeof(names[0]); s++) {
        write_sample(names[s], archive_path);
        expect_load_survives_failing_memory(archive_path);
    }
    const array listed[MAX_CHANGES] = {{"train_idx", I32, VALUES(int32_t, 0), 1, {1}},
                                       {"pos", F32, VALUES(float, 1), 1, {1}},
                                       {"y", TEXT, TEXTS("b", "a", "NA"), 1, {3}}};
    archive_write(base, N_BASE, listed);
    expect_load_survives_failing_memory(archive_path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_ARCHIVE(test_every_form_gives_the_same_graph_and_says_what_was_read),
            WITH_ARCHIVE(test_the_benchmark_form_is_read_without_a_note),
            WITH_ARCHIVE(test_the_first_split_of_the_masks_becomes_the_roles),
            WITH_ARCHIVE(test_a_lone_matrix_takes_labels_and_features_from_files_beside),
            WITH_ARCHIVE(test_a_lone_matrix_takes_features_from_an_array_beside),
            WITH_ARCHIVE(test_a_lone_matrix_needs_neither_labels_nor_features),
            WITH_ARCHIVE(test_edges_and_labels_are_read_as_people_write_them),
            WITH_ARCHIVE(test_lists_of_nodes_become_the_roles),
            WITH_ARCHIVE(test_what_is_wrong_is_refused_with_file_and_member),
            WITH_ARCHIVE(test_what_code_would_make_is_refused_by_name),
            WITH_ARCHIVE(test_an_archive_without_a_graph_is_answered_with_its_members),
            WITH_ARCHIVE(test_any_flipped_bit_of_any_form_is_endured),
            WITH_ARCHIVE(test_loading_survives_any_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
