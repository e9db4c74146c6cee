// own_folder_test.c -- folders as people have them: other names, orders, separators and
// values than our own form, and what is said about them.

#include "support/cmocka_test.h"
#include "support/own_folder.h"
#include "support/refusal.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- what is understood --------------------------------------------------------------

static const own_case own_cases[] = {
        // headers
        {"a header of labels in another order",
         {BY_NUMBER, {"labels.csv", "label,node\nb,3\na,0\na,1\nb,2\n"}},
         NULL,
         BY_NUMBER_TEXT("0:a 1:a 2:b 3:b", "a b"),
         ""},
        {"headers in any case and spelling",
         {{"edges.csv", "FROM,To\nx,y\n"},
          {"features.csv", "Age,Node ID\n3,x\n4,y\n"},
          {"labels.csv", "CLASS,NodeId\nu,y\nv,x\n"},
          {"split.csv", "Set,User\nTRAIN,x\nValid,y\n"}},
         NULL,
         "y:u x:v; x>y; y.Age=4 x.Age=3; u v; Age",
         ""},
        {"edges by id_1 and id_2",
         {{"edges.csv", "id_1,id_2\n0,1\n"}, {"labels.csv", "a\nb\n"}},
         NULL,
         "0:a 1:b; 0>1; ; a b; ",
         "no features.csv: nodes have no features, and only the structure of the graph is "
         "used"},
        {"edges with columns in another order",
         {{"edges.csv", "type,weight,dst,src\nf,2,1,0\ng,3,2,1\n"},
          {"features.csv", "1\n1\n1\n"}},
         NULL,
         "0: 1: 2:; 0>1=2 1>2=3; 0.0 1.0 2.0; ; 0",
         "edges.csv: column type is not used"},
        {"an index column of pandas before the edges",
         {{"edges.csv", ",source,target\n0,0,1\n1,1,2\n"}, {"features.csv", "1\n1\n1\n"}},
         NULL,
         "0: 1: 2:; 0>1 1>2; 0.0 1.0 2.0; ; 0",
         "edges.csv: column \"\" is not used"},
        {"a third column of another name is the weight",
         {{"edges.csv", "u,v,similarity\n0,1,0.5\n"}, {"features.csv", "1\n1\n"}},
         NULL,
         "0: 1:; 0>1=0.5; 0.0 1.0; ; 0",
         "edges.csv: column similarity is taken as the weight of the edges"},
        {"a third column of words is no weight",
         {{"edges.csv", "a,b,how\n0,1,friend\n"}, {"features.csv", "1\n1\n"}},
         NULL,
         "0: 1:; 0>1; 0.0 1.0; ; 0",
         "edges.csv: column how is not used"},
        {"a time is no weight",
         {{"edges.csv", "source,target,timestamp\n0,1,1600000000\n"},
          {"features.csv", "1\n1\n"}},
         NULL,
         "0: 1:; 0>1; 0.0 1.0; ; 0",
         "edges.csv: column timestamp is not used"},
        // separators
        {"semicolons",
         {{"edges.csv", "source;target\nx;y\n"},
          {"features.csv", "node;p;q\nx;1;2\ny;0;3\n"},
          {"labels.csv", "node;label\nx;a,b\ny;c\n"}},
         NULL,
         "x:a,b y:c; x>y; x.p x.q=2 y.q=3; a,b c; p q",
         ""},
        {"tabs in a .csv",
         {{"edges.csv", "0\t1\n"}, {"features.csv", "node\tp\n0\t1\n1\t2\n"}},
         NULL,
         "0: 1:; 0>1; 0.p 1.p=2; ; p",
         ""},
        {"commas in a .tsv",
         {{"edges.tsv", "0,1\n"}, {"features.csv", "1\n2\n"}},
         NULL,
         "0: 1:; 0>1; 0.0 1.0=2; ; 0",
         ""},
        {"decimal commas",
         {{"edges.csv", "0;1;0,5\n"}, {"features.csv", "p;q\n0,5;1\n-1,25;2\n"}},
         NULL,
         "0: 1:; 0>1=0.5; 0.p=0.5 0.q 1.p=-1.25 1.q=2; ; p q",
         IN_ORDER " | features.csv: a comma in a number is taken as its decimal point | "
                  "edges.csv: the third column is taken as the weight of the edges"},
        // labels
        {"a file called target.csv",
         {BY_NUMBER, {"target.csv", "id,target\n0,1\n1,0\n2,1\n3,1\n"}},
         NULL,
         BY_NUMBER_TEXT("0:1 1:0 2:1 3:1", "0 1"),
         ""},
        {"a table of labels called classes.csv",
         {BY_NUMBER, {"classes.csv", "txId,class\n0,2\n1,1\n2,1\n3,2\n"}},
         NULL,
         BY_NUMBER_TEXT("0:2 1:1 2:1 3:2", "1 2"),
         ""},
        {"one column called label among others",
         {BY_NUMBER, {"labels.csv", "node,age,label\n0,7,a\n1,8,b\n2,7,a\n3,8,b\n"}},
         NULL,
         BY_NUMBER_TEXT("0:a 1:b 2:a 3:b", "a b"),
         "labels.csv: column label holds the labels | labels.csv: column age is not used"},
        {"one column that could be the label",
         {BY_NUMBER, {"target.csv", "id,views,kind\n0,17,x\n1,28,y\n2,39,x\n3,40,y\n"}},
         NULL,
         BY_NUMBER_TEXT("0:x 1:y 2:x 3:y", "x y"),
         "target.csv: column kind holds the labels | target.csv: column views is not "
         "used"},
        {"a column named by the user",
         {BY_NUMBER, {"target.csv", "id,p,q\n0,T,F\n1,T,F\n2,F,T\n3,F,F\n"}},
         "Q",
         BY_NUMBER_TEXT("0:F 1:F 2:T 3:F", "F T"),
         "target.csv: column p is not used"},
        {"ids that are not those of the edges",
         {BY_NUMBER, {"target.csv", "id,kind,new_id\n90,x,3\n91,y,2\n92,x,1\n93,y,0\n"}},
         NULL,
         BY_NUMBER_TEXT("0:y 1:x 2:y 3:x", "x y"),
         "target.csv: column new_id names the nodes, for it holds those of edges.csv | "
         "target.csv: column kind holds the labels | target.csv: column id is not used"},
        {"classes from 1 are no more than there are",
         {BY_NUMBER, {"labels.csv", "1\n2\n3\n1\n"}},
         NULL,
         BY_NUMBER_TEXT("0:1 1:2 2:3 3:1", "1 2 3"),
         ""},
        {"labels that are missing",
         {BY_NUMBER, {"labels.csv", "node,label\n0,a\n1,NA\n2,nan\n3,\n"}},
         NULL,
         BY_NUMBER_TEXT("0:a 1: 2: 3:", "a"),
         "labels.csv: 3 nodes whose label is NA, nan or \"\" count as unlabelled"},
        {"-1 for no label",
         {BY_NUMBER, {"labels.csv", "0\n-1\n1\n-1\n"}},
         NULL,
         BY_NUMBER_TEXT("0:0 1: 2:1 3:", "0 1"),
         "labels.csv: 2 nodes whose label is -1 count as unlabelled"},
        {"-1 against 1",
         {BY_NUMBER, {"labels.csv", "1\n-1\n1\n-1\n"}},
         NULL,
         BY_NUMBER_TEXT("0:1 1:-1 2:1 3:-1", "-1 1"),
         ""},
        {"NA is a class where classes.csv lists it",
         {BY_NUMBER,
          {"labels.csv", "NA\nEU\nNA\nEU\n"},
          {"classes.csv", "class\nEU\nNA\n"}},
         NULL,
         BY_NUMBER_TEXT("0:NA 1:EU 2:NA 3:EU", "EU NA"),
         ""},
        {"a header no one knows over numbers",
         {BY_NUMBER, {"labels.csv", "customer,churned\n0,no\n1,yes\n2,no\n3,no\n"}},
         NULL,
         BY_NUMBER_TEXT("0:no 1:yes 2:no 3:no", "no yes"),
         ""},
        // features
        {"one value per row under other names",
         {{"edges.csv", "0,1\n"},
          {"features.csv", "value,node_id,feature_id\n1.0,0,7\n2,1,9\n"}},
         NULL,
         "0: 1:; 0>1; 0.7 1.9=2; ; 7 9",
         ""},
        {"booleans",
         {{"edges.csv", "0,1\n"}, {"features.csv", "node,p,q\n0,True,no\n1,false,YES\n"}},
         NULL,
         "0: 1:; 0>1; 0.p 1.q; ; p q",
         ""},
        {"words",
         {{"edges.csv", "0,1\n"},
          {"features.csv", "node,p,colour\n0,1,red\n1,2,blue\n2,3,red\n"}},
         NULL,
         "0: 1: 2:; 0>1; 0.p 0.colour=red 1.p=2 1.colour=blue 2.p=3 2.colour=red; ; p "
         "colour=red colour=blue",
         "features.csv: column colour holds words: 2 features, one for each value"},
        {"numbers that are missing",
         {{"edges.csv", "0,1\n"}, {"features.csv", "p,q\n1,5\n,NA\n3,?\n"}},
         NULL,
         "0: 1: 2:; 0>1; 0.p 0.q=5 1.p is missing 1.q is missing 2.p=3 2.q is missing; ; p "
         "p is missing q q is missing",
         IN_ORDER
         " | features.csv: columns p and q lack values: they are 0, and one more feature for "
         "each marks them"},
        {"words that are missing",
         {{"edges.csv", "0,1\n"}, {"features.csv", "node,c\n0,x\n1,null\n"}},
         NULL,
         "0: 1:; 0>1; 0.c=x 1.c is missing; ; c=x c is missing",
         "features.csv: column c holds words: 1 feature, one for each value | "
         "features.csv: column c lacks values: they are 0, and one more feature marks "
         "them"},
        {"a value missing in the first row",
         {{"edges.csv", "0,1\n"}, {"features.csv", "1,nan\n2,3\n"}},
         NULL,
         "0: 1:; 0>1; 0.0 0.1 is missing 1.0=2 1.1=3; ; 0 1 1 is missing",
         "features.csv: column 1 lacks values: they are 0, and one more feature marks "
         "them"},
        {"the column of the nodes is the last",
         {{"edges.csv", "x,y\n"}, {"features.csv", "p,user_id\n1,x\n2,y\n"}},
         NULL,
         "x: y:; x>y; x.p y.p=2; ; p",
         ""},
        {"a user_id that names no node of the edges is a feature",
         {{"edges.csv", "0,1\n"}, {"features.csv", "user_id,p\n901,1\n902,2\n"}},
         NULL,
         "0: 1:; 0>1; 0.user_id=901 0.p 1.user_id=902 1.p=2; ; user_id p",
         IN_ORDER},
        {"an index column of pandas before the features",
         {{"edges.csv", "x,y\n"}, {"features.csv", ",node,p\n0,x,1\n1,y,2\n"}},
         NULL,
         "x: y:; x>y; x.p y.p=2; ; p",
         "features.csv: column \"\" has no name and is not used"},
        // JSON
        {"numbers of features",
         {{"edges.csv", "0,1\n"}, {"features.json", "{\"1\": [4, 7], \"0\": [7]}"}},
         NULL,
         "0: 1:; 0>1; 0.7 1.4 1.7; ; 4 7",
         ""},
        {"a feature listed twice",
         {{"edges.csv", "0,1\n"}, {"features.json", "{\"0\": [2, 2, 2], \"1\": [2]}"}},
         NULL,
         "0: 1:; 0>1; 0.2 1.2; ; 2",
         "features.json: 1 node lists a feature more than once; it counts once"},
        {"lists of one length",
         {{"edges.csv", "0,1\n"}, {"features.json", "{\"0\": [3, 5], \"1\": [4, 5]}"}},
         NULL,
         "0: 1:; 0>1; 0.3 0.5 1.5 1.4; ; 3 5 4",
         "features.json: the lists are taken as the numbers of features that are 1"},
        {"objects of names and values",
         {{"edges.csv", "x,y\n"},
          {"features.json", "{\"x\": {\"p\": 1.5, \"q\": true}, \"y\": {\"p\": 2}}"}},
         NULL,
         "x: y:; x>y; x.p=1.5 x.q y.p=2; ; p q",
         ""},
        {"rows of values",
         {{"edges.csv", "0,1\n"}, {"features.json", "[[0, 0, 1], [1, 0.5, 0]]"}},
         NULL,
         "0: 1:; 0>1; 0.2 1.0 1.1=0.5; ; 0 1 2",
         ""},
        // edges alone
        {"edges and some labels",
         {{"edges.csv", "x,y\ny,z\n"}, {"labels.csv", "node,label\ny,a\nw,b\n"}},
         NULL,
         "y:a w:b x: z:; y>z x>y; ; a b; ",
         "no features.csv: nodes have no features, and only the structure of the graph is "
         "used"},
        {"a header of words over numbers",
         {{"edges.csv", "person_a,person_b\n5,6\n6,9\n"}},
         NULL,
         "5: 6: 9:; 5>6 6>9; ; ; ",
         "no features.csv: nodes have no features, and only the structure of the graph is "
         "used"},
        {"a first row that may be a header",
         {{"edges.csv", "person a,person b\nann,bob\nbob,cid\n"}},
         NULL,
         "person a: person b: ann: bob: cid:; person a>person b ann>bob bob>cid; ; ; ",
         "edges.csv: the first row, \"person a\" and \"person b\", is taken as an edge; "
         "call the columns source and target if it is a header | no features.csv: nodes "
         "have no features, and only the structure of the graph is used"},
        {"some pairs in both directions",
         {{"edges.csv", "0,1\n1,0\n1,2\n"}, {"features.csv", "1\n1\n1\n"}},
         NULL,
         "0: 1: 2:; 0>1 1>0 1>2; 0.0 1.0 2.0; ; 0",
         "edges.csv lists some pairs in both directions and others in one; edges are taken "
         "as undirected"},
        {"all pairs in both directions",
         {{"edges.csv", "0,1\n1,0\n1,2\n2,1\n"}, {"features.csv", "1\n1\n1\n"}},
         NULL,
         "0: 1: 2:; 0>1 1>0 1>2 2>1; 0.0 1.0 2.0; ; 0",
         ""},
};

static void test_folders_as_people_have_them_are_understood_and_noted(void **state)
{
    (void)state;
    expect_folders(own_cases, sizeof(own_cases) / sizeof(own_cases[0]));
}

// Words that number in the thousands are no categories.
static void test_a_column_of_names_is_left_out(void **state)
{
    (void)state;
    static char features[4096];
    size_t n = (size_t)snprintf(features, sizeof(features), "node,p,title\n");
    for (int i = 0; i < 30; i++)
        n += (size_t)snprintf(features + n, sizeof(features) - n, "%d,%d,book %d\n", i,
                              i % 3, i);
    opn_ctx *ctx = support_ctx(NULL);
    opn_graph *graph = NULL;
    char notes[NOTES_ROOM];
    write_files((file[MAX_FILES]){{"edges.csv", "0,1\n"}, {"features.csv", features}});
    assert_int_equal(load_folder(ctx, NULL, &graph), OPN_OK);
    assert_int_equal(opn_graph_n_features(graph), 1);
    assert_string_equal(notes_of(graph, notes),
                        "features.csv: column title has too many different words for a "
                        "feature and is not used");
    opn_graph_free(graph);
    opn_ctx_free(ctx);
}

// ---- what is not ---------------------------------------------------------------------

static const wrong_case wrong_cases[] = {
        {"two columns that could be the label",
         {BY_NUMBER, {"target.csv", "id,a,b,c\n0,T,F,1\n1,F,F,2\n2,T,T,3\n3,F,T,4\n"}},
         "target.csv: several columns could be the label",
         "`label`: a or b"},
        {"two columns called label",
         {BY_NUMBER, {"labels.csv", "id,class,category\n0,a,b\n1,a,b\n"}},
         "labels.csv: several columns could be the label",
         "class or category"},
        {"no column that could be the label",
         {BY_NUMBER, {"labels.csv", "id,p,q\n0,1.5,a\n1,2.5,b\n2,3.5,c\n3,4.5,d\n"}},
         "labels.csv: several columns",
         "p or q"},
        {"three columns of labels without a header",
         {BY_NUMBER, {"labels.csv", "0,a,x\n1,b,x\n"}},
         "labels.csv:1: 3 fields",
         "node,label"},
        {"four columns of edges that no one knows",
         {{"edges.csv", "this,that,p,q\n0,1,2,3\n"}, {"features.csv", "1\n1\n"}},
         "edges.csv:1: 4 fields",
         "source,target"},
        {"an edge to no one, where labels are those of all nodes",
         {{"edges.csv", "0,1\n0,9\n"}, {"labels.csv", "a\nb\n"}},
         "edges.csv:2: node id 9 outside [0, 2)",
         NULL},
        {"an edge to no one, where features.json has the nodes",
         {{"edges.csv", "s,t\nx,y\n"}, {"features.json", "{\"x\": [1]}"}},
         "edges.csv:2: node \"y\" is in neither labels.csv nor features.json",
         "labels.csv with an empty label"},
        {"an edge without an end, where only edges have the nodes",
         {{"edges.csv", "x,y\nx,\n"}},
         "edges.csv:2: the node has no name",
         NULL},
        {"no nodes at all", {{"edges.csv", "source,target\n"}}, ": has no nodes", NULL},
        {"a word among numbers",
         {{"edges.csv", "0,1\n"}, {"features.csv", "node,p\n0,1\n1,l0\n"}},
         "features.csv:3: field 2, \"l0\", is not a finite number",
         NULL},
        {"a number among words",
         {{"edges.csv", "0,1\n"}, {"features.csv", "node,p\n0,x\n1,7\n"}},
         "features.csv:3: field 2, \"7\", is a number",
         "words"},
        {"a node twice, in a column that is not the first",
         {{"edges.csv", "x,y\n"}, {"features.csv", "p,node\n1,x\n2,y\n3,x\n"}},
         "features.csv:4: node \"x\" is listed twice",
         NULL},
        {"an index column before the features, and no node",
         {{"edges.csv", "0,1\n"}, {"features.csv", ",p\n0,1\n1,2\n"}},
         "features.csv:1: the first column has no name",
         "node"},
        {"JSON that is none",
         {{"edges.csv", "0,1\n"}, {"features.json", "{\"0\": [1],\n\"1\": [2"}},
         "features.json:2: is not JSON",
         NULL},
        {"a node twice",
         {{"edges.csv", "0,1\n"}, {"features.json", "{\"0\": [1], \"0\": [2]}"}},
         "features.json:1: is not JSON: duplicate",
         "\"0\""},
        {"a negative number of a feature",
         {{"edges.csv", "0,1\n"}, {"features.json", "{\"0\": [1], \"1\": [2, -3]}"}},
         "features.json: node \"1\": item 1",
         "from 0"},
        {"a word for a number",
         {{"edges.csv", "0,1\n"}, {"features.json", "{\"0\": [1], \"1\": [2, \"x\"]}"}},
         "features.json: node \"1\": item 1",
         NULL},
        {"a number beyond all features",
         {{"edges.csv", "0,1\n"}, {"features.json", "{\"0\": [1], \"1\": [1, 1e300]}"}},
         "features.json: node \"1\": item 1",
         NULL},
        {"a word for a value",
         {{"edges.csv", "0,1\n"}, {"features.json", "{\"0\": {\"p\": \"tall\"}}"}},
         "features.json: node \"0\": feature \"p\"",
         "number"},
        {"a value too large",
         {{"edges.csv", "0,1\n"}, {"features.json", "{\"0\": {\"p\": 1e300}}"}},
         "features.json: node \"0\": feature \"p\"",
         "finite"},
        {"a list after an object",
         {{"edges.csv", "0,1\n"}, {"features.json", "{\"0\": {\"p\": 1}, \"1\": [1]}"}},
         "features.json: node \"1\": is a list",
         NULL},
        {"a number for a node",
         {{"edges.csv", "0,1\n"}, {"features.json", "{\"0\": 3}"}},
         "features.json: node \"0\": expected a list",
         NULL},
        {"a text for all",
         {{"edges.csv", "0,1\n"}, {"features.json", "[1, 2]"}},
         "features.json: node \"0\": expected a list",
         NULL},
        {"fewer nodes than labels",
         {{"edges.csv", "0,1\n"},
          {"features.json", "[[1, 0.5], [2, 1]]"},
          {"labels.csv", "a\nb\na\n"}},
         "features.json: 2 nodes without names",
         "labels.csv"},
        {"three columns of roles that no one knows",
         {BY_NUMBER, {"split.csv", "0,train,x\n"}},
         "split.csv:1: 3 fields",
         "node,role"},
};

static void test_what_is_not_understood_is_refused_with_a_reason(void **state)
{
    (void)state;
    expect_refused_folders(wrong_cases, sizeof(wrong_cases) / sizeof(wrong_cases[0]));
}

static void test_a_label_that_is_no_column_is_refused_with_those_there_are(void **state)
{
    (void)state;
    write_files((file[MAX_FILES]){BY_NUMBER, {"target.csv", "id,p,q\n0,a,b\n1,a,b\n"}});
    expect_label_refused("r", "no column is called r; name one with `label`: p or q");
    write_files((file[MAX_FILES]){BY_NUMBER, {"labels.csv", "a\nb\na\nb\n"}});
    expect_label_refused("r", "has no header, so no column is called r");
    write_files((file[MAX_FILES]){BY_NUMBER});
    expect_label_refused("r", "no labels.csv, target.csv or nodes.csv");
}

static void test_a_label_is_for_folders_only(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    opn_params *params = NULL;
    opn_graph *graph = NULL;
    assert_int_equal(opn_params_create(ctx, &params), OPN_OK);
    assert_int_equal(opn_params_set(ctx, params, "label", "x"), OPN_OK);
    assert_int_equal(opn_graph_load_prepared(ctx, "demo", params, &graph),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "`label` names a column of tables");
    opn_params_free(params);
    opn_ctx_free(ctx);
}

// ---- files that are none -------------------------------------------------------------

static const file plain[MAX_FILES] = {{"edges.csv", "0,1\n"},
                                      {"features.csv", "1\n1\n"},
                                      {"labels.csv", "a\nb\n"},
                                      {"split.csv", "0,train\n"}};

static void test_a_pipe_in_a_folder_is_refused_and_not_waited_for(void **state)
{
    (void)state;
    char path[SUPPORT_PATH];
    char part[64];
    for (size_t f = 0; f < 4; f++) {
        write_files(plain);
        support_path(path, own_folder, plain[f].name);
        unlink(path);
        assert_int_equal(mkfifo(path, 0600), 0);
        snprintf(part, sizeof(part), "%s: is a pipe", plain[f].name);
        assert_true(load_is_refused("a pipe", own_folder, 64, part, "expected a file"));
    }
}

static void test_a_link_that_leads_to_itself_is_named(void **state)
{
    (void)state;
    char path[SUPPORT_PATH];
    char part[96];
    for (size_t f = 0; f < 4; f++) {
        write_files(plain);
        support_path(path, own_folder, plain[f].name);
        unlink(path);
        assert_int_equal(symlink(plain[f].name, path), 0);
        snprintf(part, sizeof(part), "%s: cannot be opened: Too many levels of",
                 plain[f].name);
        assert_true(load_is_refused("a loop", own_folder, 64, part, NULL));
    }
    support_path(path, own_folder, "loop");
    assert_int_equal(symlink("loop", path), 0);
    assert_true(load_is_refused("a loop", path, 0, "cannot be opened: Too many", NULL));
}

static void test_a_link_to_nothing_is_named(void **state)
{
    (void)state;
    char path[SUPPORT_PATH];
    write_files(plain);
    support_path(path, own_folder, "labels.csv");
    unlink(path);
    assert_int_equal(symlink("gone.csv", path), 0);
    assert_true(load_is_refused("gone", own_folder, 64, "labels.csv: cannot be opened",
                                NULL));
}

// Root may enter any folder.
static void test_a_closed_folder_is_called_that(void **state)
{
    (void)state;
    write_files(plain);
    if (geteuid() == 0)
        skip();
    assert_int_equal(chmod(own_folder, 0600), 0);
    const bool is_refused = load_is_refused("closed", own_folder, 64,
                                            ": cannot be opened: Permission", NULL);
    assert_int_equal(chmod(own_folder, 0700), 0);
    assert_true(is_refused);
}

// ---- damage --------------------------------------------------------------------------

enum { N_RICH = 4 };

static const file rich[N_RICH][MAX_FILES] = {
        {{"edges.csv", "weight;id_1;id_2\n1;0;1\n2,5;1;2\n"},
         {"features.csv", "x;node;c;b;id\n1;0;red;yes;7\n;1;blue;no;8\n3;2;;yes;9\n"},
         {"target.csv", "id;kind;new_id;other\n9;a;0;x\n8;b;1;x\n7;NA;2;y\n"},
         {"split.csv", "set;n;node\nTrain;5;0\nVAL;6;1\n"},
         {"classes.csv", "class\na\nb\n"}},
        {{"edges.csv", "from,to,time\n10,11,5\n11,12,6\n12,11,6\n"},
         {"features.json", "{\"10\": [4, 7, 7], \"11\": [7], \"12\": []}"},
         {"labels.csv", "class,user\n0,10\n-1,11\n1,12\n"}},
        {{"edges.csv", "0,1\n1,2\n"},
         {"features.json", "[{\"who\": 2, \"p\": 1}, {\"who\": 0, \"p\": 2}, "
                           "{\"who\": 1, \"p\": 3}]"},
         {"labels.csv", "id,kind,train_mask,test_mask\n0,a,1,0\n1,None,0,0\n2,a,0,1\n"}},
        {{"edges.csv", "0,1\n1,2\n"},
         {"features.json", "{\"p\": {\"0\": 7, \"1\": 8, \"2\": 9}}"},
         {"labels.csv", "mood\nhigh\nlow\nhigh\n"}},
};

// Puts damaged text in place of a file; the rest is as it was.
static bool endures(const file *of, const char *text, size_t n_bytes)
{
    char path[SUPPORT_PATH];
    opn_status status;
    support_write_file(support_path(path, own_folder, of->name), text, n_bytes);
    return load_is_sound(of->name, own_folder, 512, &status, NULL);
}

static void test_a_file_cut_at_any_byte_is_endured(void **state)
{
    (void)state;
    int n_wrong = 0;
    for (size_t r = 0; r < N_RICH; r++) {
        write_files(rich[r]);
        for (size_t f = 0; f < MAX_FILES && rich[r][f].name != NULL; f++) {
            const file *of = &rich[r][f];
            for (size_t n_kept = 0; n_kept <= strlen(of->text); n_kept++)
                n_wrong += !endures(of, of->text, n_kept);
        }
    }
    assert_int_equal(n_wrong, 0);
}

static void test_any_flipped_bit_of_a_file_is_endured(void **state)
{
    (void)state;
    int n_wrong = 0;
    for (size_t r = 0; r < N_RICH; r++) {
        write_files(rich[r]);
        for (size_t f = 0; f < MAX_FILES && rich[r][f].name != NULL; f++) {
            const file *of = &rich[r][f];
            const size_t n = strlen(of->text);
            char text[256];
            for (size_t bit = 0; bit < 8 * n; bit++) {
                memcpy(text, of->text, n);
                text[bit / 8] = (char)(text[bit / 8] ^ (1 << bit % 8));
                n_wrong += !endures(of, text, n);
            }
            n_wrong += !endures(of, of->text, n);
        }
    }
    assert_int_equal(n_wrong, 0);
}

static void test_loading_survives_any_allocation_failure(void **state)
{
    (void)state;
    static const file ok[MAX_FILES] = {
            {"edges.csv", "weight;id_1;id_2\n1;0;1\n2,5;1;2\n"},
            {"features.csv", "x;node;c;b;id\n1;0;red;yes;7\n;1;blue;no;8\n3;2;;yes;9\n"},
            {"target.csv", "id;new_id;label\n9;0;a\n8;1;b\n7;2;NA\n"},
            {"split.csv", "set;n;node\nTrain;5;0\nVAL;6;1\n"}};
    write_files(ok);
    expect_load_survives_failing_memory(own_folder);
    write_files(rich[1]);
    expect_load_survives_failing_memory(own_folder);
    write_files((file[MAX_FILES]){{"edges.csv", "x,y\ny,z\n"}});
    expect_load_survives_failing_memory(own_folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            IN_FOLDER(test_folders_as_people_have_them_are_understood_and_noted),
            IN_FOLDER(test_a_column_of_names_is_left_out),
            IN_FOLDER(test_what_is_not_understood_is_refused_with_a_reason),
            IN_FOLDER(test_a_label_that_is_no_column_is_refused_with_those_there_are),
            IN_FOLDER(test_a_label_is_for_folders_only),
            IN_FOLDER(test_a_pipe_in_a_folder_is_refused_and_not_waited_for),
            IN_FOLDER(test_a_link_that_leads_to_itself_is_named),
            IN_FOLDER(test_a_link_to_nothing_is_named),
            IN_FOLDER(test_a_closed_folder_is_called_that),
            IN_FOLDER(test_a_file_cut_at_any_byte_is_endured),
            IN_FOLDER(test_any_flipped_bit_of_a_file_is_endured),
            IN_FOLDER(test_loading_survives_any_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
