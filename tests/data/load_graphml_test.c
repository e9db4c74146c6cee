// load_graphml_test.c -- GraphML as NetworkX, Gephi, igraph, yEd and opine write it, and
// files that are broken or hostile.

#include "support/cmocka_test.h"
#include "support/own_folder.h"
#include "support/refusal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define N_OF(cases) (sizeof(cases) / sizeof((cases)[0]))
#define NO_FEATURES "nodes have no features, and only the structure of the graph is used"

#define HEAD                                   \
    "<?xml version='1.0' encoding='utf-8'?>\n" \
    "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
#define KEY(id, of, name) \
    "<key id=\"" id "\" for=\"" of "\" attr.name=\"" name "\" attr.type=\"string\"/>\n"
#define GRAPH          "<graph edgedefault=\"undirected\">\n"
#define DATA(key, of)  "<data key=\"" key "\">" of "</data>"
#define NODE(id, data) "<node id=\"" id "\">" data "</node>\n"
#define EDGE(a, b)     "<edge source=\"" a "\" target=\"" b "\"/>\n"
#define TAIL           "</graph>\n</graphml>\n"

#define LINE(a, b, c) EDGE(a, b) EDGE(b, c)

// ---- what is understood --------------------------------------------------------------

static void test_attributes_become_features_labels_and_roles(void **state)
{
    (void)state;
    static const own_case cases[] = {
            {"as NetworkX writes them",
             {{"g.graphml",
               HEAD KEY("d3", "edge", "weight") KEY("d2", "node", "split") KEY(
                       "d1", "node",
                       "label") KEY("d0", "node",
                                    "age") GRAPH NODE("a",
                                                      DATA("d0", "1.5") DATA("d1", "x")
                                                              DATA("d2", "train"))
                       NODE("b", DATA("d0", "2") DATA("d1", "y") DATA("d2", "test"))
                               NODE("c", "\n  " DATA("d1", "x") "\n  " DATA("d0", " 3 ") "\n") "<edge source=\"a\" target=\"b\">" DATA(
                                       "d3",
                                       "2.5") "</edge>"
                                              "<edge source=\"b\" target=\"c\">" DATA(
                                                      "d3", "1") "</edge>" TAIL}},
             NULL,
             "a:x b:y c:x; a>b=2.5 b>c; a.age=1.5 b.age=2 c.age=3; x y; age",
             "g.graphml: column label holds the labels | g.graphml: column split gives "
             "the split"},
            {"a label that the user names",
             {{"g.graphml", HEAD KEY("k", "node", "club") KEY("w", "node", "w")
                                    GRAPH NODE("0", DATA("k", "p") DATA("w", "1"))
                                            NODE("1", DATA("k", "q") DATA("w", "2")) NODE(
                                                    "2", DATA("k", "p") DATA("w", "3"))
                                                    LINE("0", "1", "2") TAIL}},
             "club",
             "0:p 1:q 2:p; 0>1 1>2; 0.w 1.w=2 2.w=3; p q; w",
             "g.graphml: column club holds the labels"},
            {"no attributes at all",
             {{"g.graphml",
               HEAD GRAPH NODE("0", "") NODE("1", "") NODE("9", "") EDGE("0", "1") TAIL}},
             NULL,
             "0: 1: 9:; 0>1; ; ; ",
             NO_FEATURES},
            {"values where none is given, and some that are missing",
             {{"g.graphml", HEAD
               "<key id=\"d\" for=\"node\" attr.name=\"age\"><default>7</default>"
               "</key><key id=\"e\" attr.name=\"size\"/>" GRAPH NODE("x", "")
                       NODE("y", DATA("d", "8") DATA("e", "1")) EDGE("x", "y") TAIL}},
             NULL,
             "x: y:; x>y; x.age=7 x.size is missing y.age=8 y.size; ; age size size is "
             "missing",
             "g.graphml: column size lacks values: they are 0, and one more feature marks "
             "them | g.graphml: column size is not used"},
            {"words, true and false",
             {{"g.graphml", HEAD KEY("a", "node", "on") KEY("b", "node", "kind")
                                    GRAPH NODE("x", DATA("a", "true") DATA("b", "p"))
                                            NODE("y", DATA("a", "false") DATA("b", "q"))
                                                    EDGE("x", "y") TAIL}},
             NULL,
             "x: y:; x>y; x.on x.kind=p y.kind=q; ; on kind=p kind=q",
             "g.graphml: column kind holds words: 2 features, one for each value"},
            {"text in CDATA and as entities that XML knows",
             {{"g.graphml",
               HEAD KEY("l", "node", "label") GRAPH NODE("x&amp;y", DATA("l", "a &lt; b"))
                       NODE("z", DATA("l", "<![CDATA[a < b]]>"))
                               NODE("w", DATA("l", "&#65;")) EDGE("z", "x&amp;y") TAIL}},
             NULL,
             "x&y:a < b z:a < b w:A; z>x&y; ; A a < b; ",
             "g.graphml: column label holds the labels | " NO_FEATURES},
    };
    expect_first_files(cases, N_OF(cases));
}

static void test_what_programs_that_draw_add_is_no_feature(void **state)
{
    (void)state;
    static const own_case cases[] = {
            {"Gephi",
             {{"g.graphml",
               HEAD KEY("label", "node", "label") KEY("weight", "edge", "weight") KEY(
                       "r", "node", "r") KEY("g", "node",
                                             "g") KEY("b", "node",
                                                      "b") KEY("x", "node",
                                                               "x") KEY("y", "node", "y")
                       KEY("size", "node", "size") KEY("v", "node", "v") GRAPH NODE(
                               "0", DATA("label", "Ann") DATA("x", "1.5") DATA(
                                            "y", "-2.5")
                                            DATA("v", "1")) NODE("1", DATA("label",
                                                                           "Bob") DATA("x", "2.5")
                                                                              DATA("y", "3.5") DATA("v", "2"))
                               NODE("2",
                                    DATA("label", "Cy") DATA("size", "10") DATA("r", "0") DATA(
                                            "v",
                                            "3")) "<edge id=\"0\" source=\"0\" target=\"1\">" DATA("weight",
                                                                                                   "1.0") "</edge>" TAIL}},
             NULL,
             "0: 1: 2:; 0>1; 0.v 1.v=2 2.v=3; ; v",
             "g.graphml: columns r, g, b, x, y and size are how Gephi draws the nodes and "
             "are not used | g.graphml: column label has a value of its own for every node "
             "and is not used"},
            {"yEd",
             {{"g.graphml",
               "<?xml version=\"1.0\"?><graphml xmlns=\"http://graphml.graphdrawing.org/"
               "xmlns\" xmlns:y=\"http://www.yworks.com/xml/graphml\"><!-- yEd -->"
               "<key for=\"node\" id=\"d6\" yfiles.type=\"nodegraphics\"/>" GRAPH NODE(
                       "n0", "<data key=\"d6\"><y:ShapeNode><y:NodeLabel>a</y:NodeLabel>"
                             "</y:ShapeNode></data>") NODE("n1", "<port name=\"p\"/>")
                       EDGE("n0", "n1") TAIL}},
             NULL,
             "n0: n1:; n0>n1; ; ; ",
             NO_FEATURES},
    };
    expect_first_files(cases, N_OF(cases));
}

static void test_nodes_are_called_by_their_names_where_ids_are_made_up(void **state)
{
    (void)state;
    static const own_case cases[] = {
            {"as igraph and opine write them",
             {{"g.graphml",
               HEAD KEY("v_name", "node", "name") GRAPH NODE("n0", DATA("v_name", "ann"))
                       NODE("n1", DATA("v_name", "bob")) EDGE("n1", "n0") TAIL}},
             NULL,
             "ann: bob:; bob>ann; ; ; ",
             NO_FEATURES},
            {"numbers",
             {{"g.graphml",
               HEAD KEY("name", "node", "name") GRAPH NODE("n0", DATA("name", "1"))
                       NODE("n1", DATA("name", "0")) EDGE("n0", "n1") TAIL}},
             NULL,
             "0: 1:; 1>0; ; ; ",
             NO_FEATURES},
            {"but not if two nodes have the same name",
             {{"g.graphml", HEAD KEY("name", "node", "name") GRAPH NODE(
                                    "n0", DATA("name", "a")) NODE("n1", DATA("name", "a"))
                                    NODE("n2", DATA("name", "b")) EDGE("n0", "n1") TAIL}},
             NULL,
             "n0: n1: n2:; n0>n1; n0.name=a n1.name=a n2.name=b; ; name=a name=b",
             "g.graphml: column name holds words: 2 features, one for each value"},
    };
    expect_first_files(cases, N_OF(cases));
}

static void test_a_gzipped_document_in_utf_16_is_read(void **state)
{
    (void)state;
    static const char text[] = "<graphml><graph><node id=\"a\"/></graph></graphml>";
    char wide[2 * sizeof(text)];
    char path[SUPPORT_PATH];
    char got[2048];
    opn_ctx *ctx = support_ctx(NULL);
    opn_graph *graph = NULL;
    memcpy(wide, "\xFF\xFE", 2);
    for (size_t i = 0; i + 1 < sizeof(text); i++) {
        wide[2 + 2 * i] = text[i];
        wide[3 + 2 * i] = 0;
    }
    gzFile packed = gzopen(support_path(path, own_folder, "G.GraphML.gz"), "wb");
    assert_non_null(packed);
    assert_int_equal(gzwrite(packed, wide, sizeof(wide)), sizeof(wide));
    assert_int_equal(gzclose(packed), Z_OK);
    assert_int_equal(opn_graph_load(ctx, path, NULL, &graph), OPN_OK);
    assert_string_equal(graph_text(graph, got), "a:; ; ; ; ");
    opn_graph_free(graph);
    opn_ctx_free(ctx);
}

// ---- what is refused -----------------------------------------------------------------

static void test_documents_that_are_no_graph_are_refused(void **state)
{
    (void)state;
    static const wrong_case cases[] = {
            {"nothing", {{"g.graphml", ""}}, "g.graphml:1: is not well-formed XML", NULL},
            {"no XML",
             {{"g.graphml", "0,1\n"}},
             "g.graphml:1: is not well-formed XML",
             NULL},
            {"another root",
             {{"g.graphml", "<gexf/>"}},
             "g.graphml: is XML, but not GraphML",
             NULL},
            {"no graph", {{"g.graphml", "<graphml/>"}}, "g.graphml: has no graph", NULL},
            {"no nodes",
             {{"g.graphml", "<graphml><graph/></graphml>"}},
             "g.graphml: has no nodes",
             NULL},
            {"an end that does not fit",
             {{"g.graphml", "<graphml>\n<graph>\n</node></graphml>"}},
             "g.graphml:2: is not well-formed XML: ",
             "node"},
            {"a second graph",
             {{"g.graphml", HEAD GRAPH NODE("a", "") "</graph>" GRAPH TAIL}},
             "g.graphml:5: a second graph",
             NULL},
            {"a graph within a node",
             {{"g.graphml", HEAD GRAPH NODE("a", "<graph/>") TAIL}},
             "g.graphml:4: a graph within a node",
             NULL},
            {"a hyperedge",
             {{"g.graphml", HEAD GRAPH NODE("a", "") "<hyperedge/>" TAIL}},
             "g.graphml:5: a hyperedge",
             NULL},
            {"a node without id",
             {{"g.graphml", HEAD GRAPH "<node/>" TAIL}},
             "g.graphml:4: <node> without id",
             NULL},
            {"a node twice",
             {{"g.graphml", HEAD GRAPH NODE("a", "") NODE("a", "") TAIL}},
             "g.graphml:5: node \"a\" is listed twice",
             NULL},
            {"a made-up id twice",
             {{"g.graphml", HEAD KEY("k", "node", "name") GRAPH NODE("n0", DATA("k", "a"))
                                    NODE("n0", DATA("k", "b")) TAIL}},
             "g.graphml:6: node \"n0\" is listed twice",
             NULL},
            {"an edge without target",
             {{"g.graphml", HEAD GRAPH NODE("a", "") "<edge source=\"a\"/>" TAIL}},
             "g.graphml:5: <edge> without target",
             NULL},
            {"an edge to nowhere",
             {{"g.graphml", HEAD GRAPH NODE("a", "") EDGE("a", "b") TAIL}},
             "g.graphml:5: there is no node \"b\"",
             NULL},
            {"a key that is not declared",
             {{"g.graphml", HEAD GRAPH NODE("a", DATA("d", "1")) TAIL}},
             "g.graphml:4: data with the key \"d\", which is not declared",
             NULL},
            {"a key twice",
             {{"g.graphml", HEAD KEY("d", "node", "a") KEY("d", "node", "b") GRAPH TAIL}},
             "g.graphml:4: a second key with the id \"d\"",
             NULL},
            {"two attributes of one name",
             {{"g.graphml", HEAD KEY("d", "node", "a") KEY("e", "node", "a")
                                    GRAPH NODE("x", DATA("d", "1") DATA("e", "2")) TAIL}},
             "feature \"a\" has two columns",
             NULL},
            {"a weight that is none",
             {{"g.graphml", HEAD KEY("w", "edge", "weight") GRAPH NODE("a", "")
                                    NODE("b", "") "<edge source=\"a\" target=\"b\">" DATA(
                                            "w", "heavy") "</edge>" TAIL}},
             "g.graphml:7: field 3, \"heavy\", is not a finite number",
             NULL},
    };
    expect_refused_first_files(cases, N_OF(cases));
}

static void test_entities_are_refused(void **state)
{
    (void)state;
    static const wrong_case cases[] = {
            {"entities that grow",
             {{"g.graphml", "<!DOCTYPE graphml [<!ENTITY a \"aaaaaaaaaa\">"
                            "<!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">"
                            "<!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;\">]>\n"
                            "<graphml><graph><node id=\"&c;\"/></graph></graphml>"}},
             "g.graphml:1: the document type declares entities",
             NULL},
            {"an entity that is a file",
             {{"g.graphml", "<!DOCTYPE graphml [<!ENTITY a SYSTEM \"/etc/passwd\">]>\n"
                            "<graphml><key id=\"d\" attr.name=\"t\"/><graph>"
                            "<node id=\"n\"><data key=\"d\">&a;</data></node></graph>"
                            "</graphml>"}},
             "g.graphml:1: the document type declares entities",
             NULL},
            {"an entity that is not declared",
             {{"g.graphml", "<graphml><graph><node id=\"&a;\"/></graph></graphml>"}},
             "g.graphml:1: is not well-formed XML",
             NULL},
    };
    static const own_case named[] = {
            {"a document type that declares nothing",
             {{"g.graphml",
               "<!DOCTYPE graphml SYSTEM \"http://graphml.graphdrawing.org/dtds/"
               "graphml.dtd\"><graphml><graph><node id=\"a\"/></graph></graphml>"}},
             NULL,
             "a:; ; ; ; ",
             NO_FEATURES},
    };
    expect_refused_first_files(cases, N_OF(cases));
    expect_first_files(named, N_OF(named));
}

static void test_elements_nested_without_end_are_refused(void **state)
{
    (void)state;
    enum { N_LEVELS = 3000 };
    char path[SUPPORT_PATH];
    char *text = malloc(N_LEVELS * 3 + 64);
    size_t n = (size_t)sprintf(text, "<graphml>");
    for (int level = 0; level < N_LEVELS; level++)
        n += (size_t)sprintf(text + n, "<a>");
    support_write_file(support_path(path, own_folder, "g.graphml"), text, n);
    assert_true(load_is_refused("deep", path, n, "is not well-formed XML: ", "depth"));
    free(text);
}

// ---- damage --------------------------------------------------------------------------

static const char rich[] = HEAD KEY("w", "edge", "weight") KEY("l", "node", "label") KEY(
        "a", "node", "age") KEY("n", "node", "name") GRAPH NODE("n0",
                                                                DATA("a", "1") DATA("l",
                                                                                    "x")
                                                                        DATA("n", "ann"))
        NODE("n1",
             DATA("a", "2") DATA(
                     "n",
                     "bob")) "<edge source=\"n0\" target=\"n1\">" DATA("w",
                                                                       "2.5") "</edge>" TAIL;

static void test_a_document_cut_or_flipped_anywhere_is_endured(void **state)
{
    (void)state;
    char path[SUPPORT_PATH];
    char text[sizeof(rich)];
    int n_wrong = 0;
    opn_status status;
    support_path(path, own_folder, "g.graphml");
    for (size_t n = 0; n < sizeof(rich); n += 3) {
        support_write_file(path, rich, n);
        n_wrong += !load_is_sound("cut", path, 4096, &status, NULL);
    }
    for (size_t bit = 0; bit < 8 * (sizeof(rich) - 1); bit += 7) { // each bit of a byte
        memcpy(text, rich, sizeof(rich));
        text[bit / 8] = (char)(text[bit / 8] ^ (1 << bit % 8));
        support_write_file(path, text, sizeof(rich) - 1);
        n_wrong += !load_is_sound("flipped", path, 4096, &status, NULL);
    }
    assert_int_equal(n_wrong, 0);
}

static void test_loading_survives_any_allocation_failure(void **state)
{
    (void)state;
    char path[SUPPORT_PATH];
    support_write_text(support_path(path, own_folder, "g.graphml"), rich);
    expect_load_survives_failing_memory(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            IN_FOLDER(test_attributes_become_features_labels_and_roles),
            IN_FOLDER(test_what_programs_that_draw_add_is_no_feature),
            IN_FOLDER(test_nodes_are_called_by_their_names_where_ids_are_made_up),
            IN_FOLDER(test_a_gzipped_document_in_utf_16_is_read),
            IN_FOLDER(test_documents_that_are_no_graph_are_refused),
            IN_FOLDER(test_entities_are_refused),
            IN_FOLDER(test_elements_nested_without_end_are_refused),
            IN_FOLDER(test_a_document_cut_or_flipped_anywhere_is_endured),
            IN_FOLDER(test_loading_survives_any_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
