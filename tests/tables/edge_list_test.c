// edge_list_test.c -- lists of edges as SNAP and NetworkX write them, the tables beside
// them, and tables with everything about the nodes.

#include "support/cmocka_test.h"
#include "support/own_folder.h"
#include "support/refusal.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define N_OF(cases) (sizeof(cases) / sizeof((cases)[0]))
#define NO_FEATURES \
    "no features.csv: nodes have no features, and only the structure of the graph is used"

// ---- lists of edges ------------------------------------------------------------------

static void test_a_list_of_edges_is_read_alone(void **state)
{
    (void)state;
    static const own_case cases[] = {
            {"as SNAP writes it",
             {{"com-x.ungraph.txt", "# Undirected graph: com-x\n# Nodes: 3 Edges: 2\n"
                                    "# FromNodeId\tToNodeId\n1\t4\n4\t9\n"}},
             NULL,
             "1: 4: 9:; 1>4 4>9; ; ; ",
             NO_FEATURES},
            {"between spaces",
             {{"facebook_combined.txt", "0 1\n0 2\n"}},
             NULL,
             "0: 1: 2:; 0>1 0>2; ; ; ",
             NO_FEATURES},
            {"with weights, spaces before them and CRLF",
             {{"edges.txt", "0  1   2.5 \r\n 1 2 1\r\n"}},
             NULL,
             "0: 1: 2:; 0>1=2.5 1>2; ; ; ",
             NO_FEATURES " | edges.txt: the third column is taken as the weight of the "
                         "edges"},
            {"with a comment among the edges",
             {{"x.edges", "a b\n% rest\nb c\n"}},
             NULL,
             "a: b: c:; a>b b>c; ; ; ",
             NO_FEATURES},
            {"with a header that is no comment",
             {{"x.txt", "FromNodeId ToNodeId\n5 6\n6 7\n"}},
             NULL,
             "5: 6: 7:; 5>6 6>7; ; ; ",
             NO_FEATURES},
            {"by write_edgelist() of NetworkX",
             {{"karate.edgelist", "0 1 {}\n1 2 {}\n"}},
             NULL,
             "0: 1: 2:; 0>1 1>2; ; ; ",
             NO_FEATURES},
            {"as a .csv",
             {{"g.csv", "source,target\n0,1\n"}},
             NULL,
             "0: 1:; 0>1; ; ; ",
             NO_FEATURES},
    };
    expect_first_files(cases, N_OF(cases));
}

static void test_tables_are_found_beside_a_list_of_edges(void **state)
{
    (void)state;
    static const own_case cases[] = {
            {"by its stem",
             {{"g_edges.txt", "0 1\n1 2\n"},
              {"g_labels.txt", "0 a\n1 b\n2 a\n"},
              {"g.features.csv", "node,p\n0,1\n1,2\n2,3\n"},
              {"h_labels.csv", "node,label\n0,x\n"}},
             NULL,
             "0:a 1:b 2:a; 0>1 1>2; 0.p 1.p=2 2.p=3; a b; p",
             "the features are read from g.features.csv | the labels are read from "
             "g_labels.txt"},
            {"by its stem before plain names",
             {{"com-x.ungraph.txt", "0 1\n1 2\n"},
              {"com-x-labels.csv", "node,label\n0,a\n1,b\n2,a\n"},
              {"labels.csv", "node,label\n0,x\n1,x\n2,y\n"}},
             NULL,
             "0:a 1:b 2:a; 0>1 1>2; ; a b; ",
             NO_FEATURES " | the labels are read from com-x-labels.csv"},
            {"by plain names",
             {{"com-x.ungraph.txt", "0 1\n1 2\n"},
              {"labels.csv", "node,label\n0,x\n1,x\n2,y\n"},
              {"other.csv", "none"}},
             NULL,
             "0:x 1:x 2:y; 0>1 1>2; ; x y; ",
             NO_FEATURES " | the labels are read from labels.csv"},
            {"and what begins alike but is not known is named",
             {{"g.txt", "0 1\n1 2\n"}, {"g-departments.txt", "0 1\n"}},
             NULL,
             "0: 1: 2:; 0>1 1>2; ; ; ",
             NO_FEATURES " | g-departments.txt is not used; one file each is read for "
                         "edges, features, labels, classes and split, under these names"},
    };
    expect_first_files(cases, N_OF(cases));
}

static void test_a_folder_may_hold_plain_text_and_files_with_a_stem(void **state)
{
    (void)state;
    static const own_case cases[] = {
            {"plain text",
             {{"edges.txt", "# edges\nx y\ny z\n"},
              {"labels.txt", "x 1\ny 0\nz 1\n"},
              {"features.txt", "node p q\nx 1 2\ny 3 4\nz 5 6\n"},
              {"split.txt", "x train\ny validation\nz test\n"}},
             NULL,
             "x:1 y:0 z:1; x>y y>z; x.p x.q=2 y.p=3 y.q=4 z.p=5 z.q=6; 0 1; p q",
             ""},
            {"names in upper case",
             {{"EDGES.CSV", "source,target\n0,1\n"}, {"Labels.csv", "a\nb\n"}},
             NULL,
             "0:a 1:b; 0>1; ; a b; ",
             NO_FEATURES},
            {"a stem that all files have",
             {{"musae_git_edges.csv", "id_1,id_2\n0,1\n"},
              {"musae_git_features.json", "{\"0\": [1], \"1\": [0]}"},
              {"musae_git_target.csv", "id,ml_target\n0,1\n1,0\n"}},
             NULL,
             "0:1 1:0; 0>1; 0.1 1.0; 0 1; 0 1",
             "musae_git_features.json: the lists are taken as the numbers of features that "
             "are 1"},
    };
    expect_folders(cases, N_OF(cases));
}

static void test_lists_of_edges_that_cannot_be_read_are_refused(void **state)
{
    (void)state;
    static const wrong_case cases[] = {
            {"attributes",
             {{"x.edgelist", "0 1 {'weight': 2.0}\n"}},
             "x.edgelist:1: attributes \"{'weight': 2.0}\"",
             "write_weighted_edgelist()"},
            {"Matrix Market",
             {{"x.txt", "%%MatrixMarket matrix coordinate\n2 2 1\n1 2\n"}},
             "x.txt: is a Matrix Market file",
             "save_npz"},
            {"a list of neighbours",
             {{"x.txt", "0 1 2 3\n1 2\n"}},
             "x.txt:1: 4 fields, expected source,target",
             NULL},
            {"a row of one field",
             {{"x.txt", "0 1\n2\n"}},
             "x.txt:2: 1 field, but the first row has 2",
             NULL},
            {"comments alone",
             {{"x.txt", "#a #b\n#b #c\n"}},
             "x.txt: has no nodes",
             NULL},
    };
    expect_refused_first_files(cases, N_OF(cases));
}

static void test_a_folder_with_two_lists_of_edges_is_refused(void **state)
{
    (void)state;
    static const wrong_case cases[] = {
            {"two stems",
             {{"a_edges.csv", "0,1\n"}, {"b_edges.csv", "0,1\n"}},
             ": several files of edges: a_edges.csv and b_edges.csv",
             "name the one to read"},
    };
    expect_refused_folders(cases, N_OF(cases));
}

static void test_a_gzipped_list_of_edges_is_read(void **state)
{
    (void)state;
    static const char text[] = "# x\n0 1\n1 2\n";
    char path[SUPPORT_PATH];
    char got[2048];
    opn_ctx *ctx = support_ctx(NULL);
    opn_graph *graph = NULL;
    gzFile packed = gzopen(support_path(path, own_folder, "com-x.ungraph.txt.gz"), "wb");
    assert_non_null(packed);
    assert_int_equal(gzwrite(packed, text, sizeof(text) - 1), sizeof(text) - 1);
    assert_int_equal(gzclose(packed), Z_OK);
    assert_int_equal(opn_graph_load(ctx, path, NULL, &graph), OPN_OK);
    assert_string_equal(graph_text(graph, got), "0: 1: 2:; 0>1 1>2; ; ; ");
    assert_string_equal(opn_graph_name(graph), "com-x.ungraph");
    opn_graph_free(graph);
    opn_ctx_free(ctx);
}

// ---- a table of nodes ----------------------------------------------------------------

#define LINE                                          \
    {                                                 \
        "edges.csv", "source,target\na,b\nb,c\nc,d\n" \
    }

static void test_a_table_of_nodes_may_hold_everything(void **state)
{
    (void)state;
    static const own_case cases[] = {
            {"features, labels and a split",
             {LINE,
              {"nodes.csv", "id,age,label,split\na,1,x,train\nb,2,y,train\n"
                            "c,3,x,test\nd,4,,\n"}},
             NULL,
             "a:x b:y c:x d:; a>b b>c c>d; a.age b.age=2 c.age=3 d.age=4; x y; age",
             "nodes.csv: column label holds the labels | nodes.csv: column split gives "
             "the split"},
            {"labels alone",
             {LINE, {"nodes.csv", "id,label\na,x\nb,y\nc,x\nd,y\n"}},
             NULL,
             "a:x b:y c:x d:y; a>b b>c c>d; ; x y; ",
             "nodes.csv: column label holds the labels | " NO_FEATURES},
            {"features alone",
             {LINE, {"nodes.csv", "id,age\na,1\nb,2\nc,3\nd,4\n"}},
             NULL,
             "a: b: c: d:; a>b b>c c>d; a.age b.age=2 c.age=3 d.age=4; ; age",
             ""},
            {"the label that the user names",
             {LINE, {"nodes.csv", "id,kind,age\na,x,1\nb,y,2\nc,x,3\nd,y,4\n"}},
             "kind",
             "a:x b:y c:x d:y; a>b b>c c>d; a.age b.age=2 c.age=3 d.age=4; x y; age",
             "nodes.csv: column kind holds the labels"},
            {"a title of each node that Gephi calls its label",
             {LINE, {"nodes.csv", "Id,Label,age\na,Ann,1\nb,Bob,2\nc,Cat,3\nd,Dan,4\n"}},
             NULL,
             "a: b: c: d:; a>b b>c c>d; a.age b.age=2 c.age=3 d.age=4; ; age",
             "nodes.csv: column Label has a value of its own for every node and is not "
             "used"},
            {"labels of a file of their own before those of the nodes",
             {LINE,
              {"labels.csv", "node,label\na,p\nb,q\nc,p\nd,q\n"},
              {"nodes.csv", "id,age,label\na,1,x\nb,2,y\nc,3,x\nd,4,x\n"}},
             NULL,
             "a:p b:q c:p d:q; a>b b>c c>d; a.age b.age=2 c.age=3 d.age=4; p q; age",
             "nodes.csv: column label is not used"},
            {"labels beside a file of features",
             {LINE,
              {"features.csv", "id,age\na,1\nb,2\nc,3\nd,4\n"},
              {"nodes.csv", "id,label\na,x\nb,y\nc,x\nd,x\n"}},
             NULL,
             "a:x b:y c:x d:x; a>b b>c c>d; a.age b.age=2 c.age=3 d.age=4; x y; age",
             ""},
    };
    expect_folders(cases, N_OF(cases));
}

static void test_predictions_in_a_table_of_nodes_are_no_features(void **state)
{
    (void)state;
    static const own_case cases[] = {
            {"opine predict -o nodes.csv",
             {LINE,
              {"nodes.csv", "node,role,label,p_x,p_y,vacuity,entropy,predicted\n"
                            "a,train,x,1,0,0.1,0.2,x\nb,pool,y,0,1,0.1,0.2,y\n"
                            "c,pool,x,1,0,0.1,0.2,x\nd,unlabelled,,1,0,0.1,0.2,x\n"}},
             NULL,
             "a:x b:y c:x d:; a>b b>c c>d; ; x y; ",
             "nodes.csv: column label holds the labels | nodes.csv: column role gives the "
             "split | nodes.csv: columns p_x, p_y, vacuity, entropy and predicted are "
             "predictions and are not used | " NO_FEATURES},
    };
    expect_folders(cases, N_OF(cases));
}

static void test_tables_of_nodes_that_cannot_be_read_are_refused(void **state)
{
    (void)state;
    static const wrong_case cases[] = {
            {"several labels",
             {LINE, {"nodes.csv", "id,label,category\na,x,1\nb,y,2\nc,x,1\nd,y,2\n"}},
             "nodes.csv: several columns could be the label",
             "label or category"},
            {"a node twice",
             {LINE, {"nodes.csv", "id,label\na,x\na,y\nb,x\n"}},
             "nodes.csv:3: node \"a\" is listed twice",
             NULL},
            {"an edge to a node that is not there",
             {LINE, {"nodes.csv", "id,label,age\na,x,1\nb,x,2\nc,y,3\n"}},
             "edges.csv:4: there is no node \"d\"",
             "nodes.csv"},
            {"nothing", {LINE, {"nodes.csv", ""}}, "nodes.csv: is empty", NULL},
    };
    expect_refused_folders(cases, N_OF(cases));
}

// ---- memory --------------------------------------------------------------------------

static void test_loading_survives_any_allocation_failure(void **state)
{
    (void)state;
    char path[SUPPORT_PATH];
    write_files(
            (file[MAX_FILES]){{"g_edges.txt", "# x\n0 1\n1 2\n"},
                              {"g_nodes.txt", "id age label\n0 1 a\n1 2 b\n2 3 a\n"}});
    expect_load_survives_failing_memory(support_path(path, own_folder, "g_edges.txt"));
    expect_load_survives_failing_memory(own_folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            IN_FOLDER(test_a_list_of_edges_is_read_alone),
            IN_FOLDER(test_tables_are_found_beside_a_list_of_edges),
            IN_FOLDER(test_a_folder_may_hold_plain_text_and_files_with_a_stem),
            IN_FOLDER(test_lists_of_edges_that_cannot_be_read_are_refused),
            IN_FOLDER(test_a_folder_with_two_lists_of_edges_is_refused),
            IN_FOLDER(test_a_gzipped_list_of_edges_is_read),
            IN_FOLDER(test_a_table_of_nodes_may_hold_everything),
            IN_FOLDER(test_predictions_in_a_table_of_nodes_are_no_features),
            IN_FOLDER(test_tables_of_nodes_that_cannot_be_read_are_refused),
            IN_FOLDER(test_loading_survives_any_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
