// misread_folder_test.c -- folders that were once read otherwise than their owners meant,
// and are now read that way with a note, or refused.

#include "graph/graph_data.h"
#include "support/cmocka_test.h"
#include "support/own_folder.h"
#include "support/refusal.h"

#define N_OF(cases) (sizeof(cases) / sizeof((cases)[0]))

// ---- labels --------------------------------------------------------------------------

static void test_numbers_are_classes_in_the_order_of_their_values(void **state)
{
    (void)state;
    static const own_case cases[] = {
            {"numbers below 0",
             {BY_NUMBER, {"labels.csv", "2\n-1\n-10\n1\n"}},
             NULL,
             BY_NUMBER_TEXT("0:2 1:-1 2:-10 3:1", "-10 -1 1 2"),
             ""},
            {"fractions",
             {BY_NUMBER, {"labels.csv", "node,label\n0,10\n1,2.5\n2,b\n3,-2.5\n"}},
             NULL,
             BY_NUMBER_TEXT("0:10 1:2.5 2:b 3:-2.5", "-2.5 2.5 10 b"),
             ""},
    };
    expect_folders(cases, N_OF(cases));
}

static void test_words_for_nothing_are_no_classes_and_are_counted(void **state)
{
    (void)state;
    static const own_case cases[] = {
            {"None",
             {BY_NUMBER, {"labels.csv", "node,label\n0,a\n1,None\n2,NULL\n3,a\n"}},
             NULL,
             BY_NUMBER_TEXT("0:a 1: 2: 3:a", "a"),
             "labels.csv: 2 nodes whose label is None or NULL count as unlabelled"},
            {"one of them",
             {BY_NUMBER, {"labels.csv", "node,label\n0,a\n1,None\n2,b\n3,a\n"}},
             NULL,
             BY_NUMBER_TEXT("0:a 1: 2:b 3:a", "a b"),
             "labels.csv: 1 node whose label is None counts as unlabelled"},
            {"none is a word like others",
             {BY_NUMBER, {"labels.csv", "node,label\n0,none\n1,some\n2,none\n3,all\n"}},
             NULL,
             BY_NUMBER_TEXT("0:none 1:some 2:none 3:all", "all none some"),
             ""},
    };
    expect_folders(cases, N_OF(cases));
}

static void test_a_heading_no_one_knows_does_not_shift_the_labels(void **state)
{
    (void)state;
    static const own_case cases[] = {
            {"a word over numbers",
             {BY_NUMBER, {"labels.csv", "churned\n0\n1\n\n0\n"}},
             NULL,
             BY_NUMBER_TEXT("0:0 1:1 2: 3:0", "0 1"),
             "labels.csv: the first row, churned, is taken as a heading"},
            {"a word over words, with one row too many",
             {BY_NUMBER, {"labels.csv", "mood\nhigh\nlow\nhigh\nmid\n"}},
             NULL,
             BY_NUMBER_TEXT("0:high 1:low 2:high 3:mid", "high low mid"),
             "labels.csv: the first row, mood, is taken as a heading"},
            {"the same where only edges have nodes",
             {{"edges.csv", "0,1\n1,3\n"},
              {"labels.csv", "mood\nhigh\nlow\nhigh\nlow\n"}},
             NULL,
             "0:high 1:low 2:high 3:low; 0>1 1>3; ; high low; ",
             "labels.csv: the first row, mood, is taken as a heading | no "
             "features.csv: nodes have no features, and only the structure of the graph "
             "is used"},
            {"a class of one node comes first",
             {BY_NUMBER, {"labels.csv", "mood\nhigh\nlow\nhigh\n"}},
             NULL,
             BY_NUMBER_TEXT("0:mood 1:high 2:low 3:high", "high low mood"),
             ""},
            {"two words over words",
             {{"edges.csv", "x,y\ny,z\n"},
              {"features.csv", "node,p\nx,1\ny,1\nz,1\n"},
              {"labels.csv", "customer,mood\nx,a\ny,b\nz,a\n"}},
             NULL,
             "x:a y:b z:a; x>y y>z; x.p y.p z.p; a b; p",
             "labels.csv: the first row, customer and mood, is taken as a heading"},
    };
    static const wrong_case wrong[] = {
            {"neither fits",
             {BY_NUMBER, {"labels.csv", "mood\nhigh\nlow\nhigh\nlow\nlow\n"}},
             "labels.csv:1: \"mood\" may be a heading or a label, and 6 rows fit the 4 "
             "nodes",
             "call a heading label"},
    };
    expect_folders(cases, N_OF(cases));
    expect_refused_folders(wrong, N_OF(wrong));
}

static void test_the_column_of_nodes_is_refused_as_the_label(void **state)
{
    (void)state;
    write_files((file[MAX_FILES]){
            BY_NUMBER, {"target.csv", "id,views,kind\n0,7,x\n1,8,y\n2,9,x\n3,6,y\n"}});
    expect_label_refused("ID", "target.csv: column id names the nodes and is no label; "
                               "name one with `label`: kind");
    write_files((file[MAX_FILES]){
            BY_NUMBER, {"target.csv", "who,a,b\n3,x,y\n2,x,y\n1,z,y\n0,z,v\n"}});
    expect_label_refused("who",
                         "column who names the nodes and is no label; name one with "
                         "`label`: a or b");
}

// ---- splits --------------------------------------------------------------------------

#define MASKS "id,kind,train_mask,val_mask,test_mask\n"
#define HOLDS "labels.csv: column kind holds the labels | labels.csv: column"

static const own_case split_cases[] = {
        {"masks",
         {BY_NUMBER,
          {"labels.csv", MASKS "0,a,True,False,False\n1,b,False,True,False\n"
                               "2,a,False,False,True\n3,b,False,,False\n"}},
         NULL,
         BY_NUMBER_TEXT("0:a 1:b 2:a 3:b", "a b"),
         HOLDS "s train_mask, val_mask and test_mask give the split"},
        {"masks with one for calibration",
         {BY_NUMBER,
          {"labels.csv", "id,kind,train_mask,cal_mask,val_mask,test_mask\n0,a,1,0,0,0\n"
                         "1,b,0,0,1,0\n2,a,0,0,0,1\n3,b,0,,0,0\n"}},
         NULL,
         BY_NUMBER_TEXT("0:a 1:b 2:a 3:b", "a b"),
         HOLDS "s train_mask, cal_mask, val_mask and test_mask give the split"},
        {"roles",
         {BY_NUMBER,
          {"labels.csv", "id,Split,kind\n0,train,a\n1,VAL,b\n2,test,a\n3,,b\n"}},
         NULL,
         BY_NUMBER_TEXT("0:a 1:b 2:a 3:b", "a b"),
         HOLDS " Split gives the split"},
        {"roles beside labels without nodes",
         {BY_NUMBER, {"labels.csv", "label,split\na,train\nb,val\na,test\nb,pool\n"}},
         NULL,
         BY_NUMBER_TEXT("0:a 1:b 2:a 3:b", "a b"),
         "labels.csv: no column names the nodes, so its rows are the nodes 0, 1, 2, … in "
         "order | labels.csv: column label holds the labels | labels.csv: column split "
         "gives the split"},
};

static void test_a_split_beside_the_labels_is_used(void **state)
{
    (void)state;
    static const uint8_t wanted[] = {OPN_ROLE_TRAIN, OPN_ROLE_VALIDATION, OPN_ROLE_TEST,
                                     OPN_ROLE_POOL};
    expect_folders(split_cases, N_OF(split_cases));
    for (size_t c = 0; c < N_OF(split_cases); c++) {
        opn_ctx *ctx = support_ctx(NULL);
        opn_graph *graph = NULL;
        write_files(split_cases[c].files);
        assert_int_equal(load_folder(ctx, NULL, &graph), OPN_OK);
        assert_non_null(graph->given_role);
        assert_memory_equal(graph->given_role, wanted, sizeof(wanted));
        opn_graph_free(graph);
        opn_ctx_free(ctx);
    }
}

static void test_nodes_are_set_aside_for_calibration_in_any_form(void **state)
{
    (void)state;
    static const file forms[][MAX_FILES] = {
            {BY_NUMBER,
             {"labels.csv", "id,kind,train,calibration\n"
                            "0,a,1,0\n1,b,1,0\n2,a,0,1\n3,b,0,1\n"}},
            {BY_NUMBER,
             {"labels.csv", "id,split,kind\n"
                            "0,train,a\n1,train,b\n2,calibration,a\n3,CAL,b\n"}},
            {BY_NUMBER,
             {"labels.csv", "0,a\n1,b\n2,a\n3,b\n"},
             {"split.csv", "0,train\n1,train\n2,calib\n3,calibration\n"}}};
    static const uint8_t wanted[] = {OPN_ROLE_TRAIN, OPN_ROLE_TRAIN, OPN_ROLE_CALIBRATION,
                                     OPN_ROLE_CALIBRATION};
    for (size_t f = 0; f < N_OF(forms); f++) {
        opn_ctx *ctx = support_ctx(NULL);
        opn_graph *graph = NULL;
        write_files(forms[f]);
        assert_int_equal(load_folder(ctx, NULL, &graph), OPN_OK);
        assert_non_null(graph->given_role);
        assert_memory_equal(graph->given_role, wanted, sizeof(wanted));
        opn_graph_free(graph);
        opn_ctx_free(ctx);
    }
}

static void test_a_split_beside_the_labels_is_refused_where_it_contradicts(void **state)
{
    (void)state;
    static const own_case cases[] = {
            {"split.csv comes first",
             {BY_NUMBER,
              {"labels.csv", "id,split,kind\n0,train,a\n1,val,b\n2,test,a\n3,test,b\n"},
              {"split.csv", "0,train\n1,train\n"}},
             NULL,
             BY_NUMBER_TEXT("0:a 1:b 2:a 3:b", "a b"),
             HOLDS " split gives the split | split.csv: the split in labels.csv is not "
                   "used, because there is this file"},
            {"a set of other words is no split",
             {BY_NUMBER, {"labels.csv", "id,set,label\n0,A,a\n1,B,b\n2,A,a\n3,B,b\n"}},
             NULL,
             BY_NUMBER_TEXT("0:a 1:b 2:a 3:b", "a b"),
             "labels.csv: column label holds the labels | labels.csv: column set is not "
             "used"},
            {"a split may be asked for as the label",
             {BY_NUMBER,
              {"labels.csv", "id,split,kind\n0,train,a\n1,val,b\n2,val,a\n"
                             "3,train,b\n"}},
             "split",
             BY_NUMBER_TEXT("0:train 1:val 2:val 3:train", "train val"),
             "labels.csv: column kind is not used"},
    };
    static const wrong_case wrong[] = {
            {"masks that overlap",
             {BY_NUMBER, {"labels.csv", MASKS "0,a,1,0,1\n1,b,0,1,0\n2,a,0,0,1\n"}},
             "labels.csv:2: train_mask and test_mask are both true",
             "must not overlap"},
            {"an unlabelled node trains",
             {BY_NUMBER, {"labels.csv", MASKS "0,a,1,0,0\n1,,1,0,0\n2,a,0,0,1\n"}},
             "labels.csv:3: node \"1\" is used to train but has no label",
             NULL},
    };
    expect_folders(cases, N_OF(cases));
    expect_refused_folders(wrong, N_OF(wrong));
}

// ---- features ------------------------------------------------------------------------

static void test_a_column_of_nodes_is_known_under_any_name(void **state)
{
    (void)state;
    static const own_case cases[] = {
            {"numbers in the first column",
             {{"edges.csv", "0,1\n1,2\n"},
              {"features.csv", "customer,p\n2,7\n0,8\n1,9\n"}},
             NULL,
             "0: 1: 2:; 0>1 1>2; 0.p=8 1.p=9 2.p=7; ; p",
             "features.csv: column customer names the nodes, for it holds those of "
             "edges.csv"},
            {"words in the last column",
             {{"edges.csv", "x,y\n"}, {"features.csv", "p,who\n7,y\n8,x\n9,z\n"}},
             NULL,
             "y: x: z:; x>y; y.p=7 x.p=8 z.p=9; ; p",
             "features.csv: column who names the nodes, for it holds those of edges.csv"},
            {"a first column without a header",
             {{"edges.csv", "0,1\n1,2\n"}, {"features.csv", "2,0.5\n1,0.25\n0,4\n"}},
             NULL,
             "0: 1: 2:; 0>1 1>2; 0.1=4 1.1=0.25 2.1=0.5; ; 1",
             "features.csv: column 0 names the nodes, for it holds those of edges.csv"},
            {"the first of two",
             {{"edges.csv", "0,1\n1,2\n"}, {"features.csv", "who,rank\n2,0\n0,2\n1,1\n"}},
             NULL,
             "0: 1: 2:; 0>1 1>2; 0.rank=2 1.rank; ; rank",
             "features.csv: column who names the nodes, for it holds those of edges.csv"},
            {"not one that lacks a node of the labels",
             {{"edges.csv", "0,1\n"},
              {"features.csv", "p,q\n0,5\n1,5\n3,5\n"},
              {"labels.csv", "a\nb\na\n"}},
             NULL,
             "0:a 1:b 2:a; 0>1; 0.q=5 1.p 1.q=5 2.p=3 2.q=5; a b; p q",
             IN_ORDER},
            {"rows in order",
             {{"edges.csv", "0,1\n"}, {"features.csv", "p,q\n7,1\n7,1\n"}},
             NULL,
             "0: 1:; 0>1; 0.p=7 0.q 1.p=7 1.q; ; p q",
             IN_ORDER},
    };
    static const wrong_case wrong[] = {
            {"two columns of nodes, neither the first",
             {{"edges.csv", "0,1\n"},
              {"features.csv", "p,a,b\n.5,0,1\n.5,1,2\n.5,2,0\n"}},
             "features.csv:1: columns a and b hold the nodes",
             "node"},
    };
    expect_folders(cases, N_OF(cases));
    expect_refused_folders(wrong, N_OF(wrong));
}

static void test_tables_of_pandas_with_their_index_are_read(void **state)
{
    (void)state;
    static const own_case cases[] = {
            {"an index without a name that holds the nodes",
             {{"edges.csv", ",source,target\n0,0,1\n1,1,2\n"},
              {"features.csv", ",p\n2,7\n0,8\n1,9\n"}},
             NULL,
             "0: 1: 2:; 0>1 1>2; 0.p=8 1.p=9 2.p=7; ; p",
             "features.csv: column \"\" names the nodes, for it holds those of edges.csv "
             "| edges.csv: column \"\" is not used"},
            {"an index over columns that are numbers",
             {{"edges.csv", "0,1\n1,2\n"},
              {"features.csv", ",0,1\n0,5,6\n1,5,7\n2,8,7\n"}},
             NULL,
             "0: 1: 2:; 0>1 1>2; 0.0=5 0.1=6 1.0=5 1.1=7 2.0=8 2.1=7; ; 0 1",
             "features.csv: column \"\" names the nodes, for it holds those of edges.csv"},
            {"columns that are numbers are no node",
             {{"edges.csv", "0,1\n"},
              {"features.csv", "0,1,2\n5,6,5\n5,6,5\n"},
              {"labels.csv", "node,label\n0,a\n1,b\n"}},
             NULL,
             "0:a 1:b; 0>1; 0.0=5 0.1=6 0.2=5 1.0=5 1.1=6 1.2=5; a b; 0 1 2",
             IN_ORDER},
    };
    static const wrong_case wrong[] = {
            {"an index that lacks a node",
             {{"edges.csv", "0,9\n"}, {"features.csv", ",p\n0,7\n1,8\n2,9\n"}},
             "features.csv:1: the first column has no name",
             "node"},
    };
    expect_folders(cases, N_OF(cases));
    expect_refused_folders(wrong, N_OF(wrong));
}

static void test_numbers_in_another_dress_are_named(void **state)
{
    (void)state;
    static const own_case cases[] = {
            {"currency and thousands",
             {{"edges.csv", "0,1\n"},
              {"features.csv", "node,price,sold,day\n0,$5,\"1,200\",2024-01-02\n"
                               "1,$5,\"1,200\",2024-01-02\n"}},
             NULL,
             "0: 1:; 0>1; 0.price=$5 0.sold=1,200 0.day=2024-01-02 1.price=$5 "
             "1.sold=1,200 1.day=2024-01-02; ; price=$5 sold=1,200 day=2024-01-02",
             "features.csv: columns price, sold and day hold words: 3 features, one for "
             "each value | features.csv: columns price and sold hold \"$5\" and the like "
             "as words; write numbers without currency, % and thousands separators"},
    };
    static const wrong_case wrong[] = {
            {"a percentage among numbers",
             {{"edges.csv", "0,1\n"}, {"features.csv", "node,p\n0,1\n1,12%\n"}},
             "features.csv:3: field 2, \"12%\", is not a finite number",
             "thousands separators"},
    };
    expect_folders(cases, N_OF(cases));
    expect_refused_folders(wrong, N_OF(wrong));
}

static void test_json_of_pandas_is_read_or_refused(void **state)
{
    (void)state;
    static const own_case cases[] = {
            {"records with an id",
             {{"edges.csv", "x,y\n"},
              {"features.json",
               "[{\"p\": 7, \"id\": \"y\"}, {\"p\": 8, \"id\": \"x\"}]"}},
             NULL,
             "y: x:; x>y; y.p=7 x.p=8; ; p",
             "features.json: id names the node of each item"},
            {"records with numbers of nodes under another name",
             {{"edges.csv", "0,1\n"},
              {"features.json", "[{\"who\": 1, \"p\": 7}, {\"who\": 0, \"p\": 8}]"}},
             NULL,
             "0: 1:; 0>1; 0.p=8 1.p=7; ; p",
             "features.json: who names the node of each item"},
            {"records in order",
             {{"edges.csv", "0,1\n"}, {"features.json", "[{\"p\": 7}, {\"p\": 8}]"}},
             NULL,
             "0: 1:; 0>1; 0.p=7 1.p=8; ; p",
             "features.json: nothing names the nodes, so its items are the nodes 0, 1, 2, "
             "… in order"},
            {"columns",
             {{"edges.csv", "0,1\n"},
              {"features.json",
               "{\"p\": {\"0\": 7, \"1\": 8}, \"q\": {\"0\": 1, \"1\": 0}}"}},
             NULL,
             "0: 1:; 0>1; 0.p=7 0.q 1.p=8; ; p q",
             "features.json: its members are taken as features, with a value for each "
             "node"},
            {"rows of 0 and 1",
             {{"edges.csv", "0,1\n"}, {"features.json", "[[1, 0, 1], [0, 1, 0]]"}},
             NULL,
             "0: 1:; 0>1; 0.0 0.2 1.1; ; 0 1 2",
             "features.json: the lists are taken as a value for each feature"},
            {"short rows of 0 and 1",
             {{"edges.csv", "0,1\n"}, {"features.json", "[[1, 0], [0, 1]]"}},
             NULL,
             "0: 1:; 0>1; 0.0 1.1; ; 0 1",
             "features.json: the lists are taken as a value for each feature"},
            {"rows of counts",
             {{"edges.csv", "0,1\n"}, {"features.json", "[[3, 0, 3], [0, 1, 2]]"}},
             NULL,
             "0: 1:; 0>1; 0.0=3 0.2=3 1.1 1.2=2; ; 0 1 2",
             "features.json: the lists are taken as a value for each feature"},
    };
    static const wrong_case wrong[] = {
            {"columns, one of which names the nodes",
             {{"edges.csv", "x,y\n"},
              {"features.json",
               "{\"id\": {\"0\": \"x\", \"1\": \"y\"}, \"p\": {\"0\": 1, "
               "\"1\": 2}}"}},
             "features.json: a table by columns",
             "orient=\"records\""},
            {"a split table",
             {{"edges.csv", "0,1\n"},
              {"features.json", "{\"columns\": [\"p\"], \"index\": [0, 1], \"data\": "
                                "[[1], [2]]}"}},
             "features.json: a table with its columns and its data apart",
             "orient=\"records\""},
    };
    expect_folders(cases, N_OF(cases));
    expect_refused_folders(wrong, N_OF(wrong));
}

// ---- tables --------------------------------------------------------------------------

static void test_one_field_is_called_so_with_the_separators_that_are_known(void **state)
{
    (void)state;
    static const wrong_case cases[] = {
            {"edges between spaces",
             {{"edges.csv", "0 1\n"}},
             "edges.csv:1: 1 field, expected source,target",
             "commas, semicolons or tabs"},
            {"an edge between bars",
             {{"edges.csv", "0,1\n0|1\n"}, {"features.csv", "1\n1\n"}},
             "edges.csv:2: 1 field, but the first row has 2",
             "commas, semicolons or tabs"},
            {"a role between spaces",
             {BY_NUMBER, {"split.csv", "0 train\n"}},
             "split.csv:1: 1 field, expected node,role",
             "commas, semicolons or tabs"},
    };
    expect_refused_folders(cases, N_OF(cases));
}

static void test_nodes_numbered_from_0_and_from_1_are_noted(void **state)
{
    (void)state;
    static const own_case cases[] = {
            {"labels from 0, features from 1",
             {{"edges.csv", "1,2\n2,3\n"},
              {"features.csv", "node,p\n1,5\n2,5\n3,5\n"},
              {"labels.csv", "a\nb\na\n"}},
             NULL,
             "0:a 1:b 2:a 3:; 1>2 2>3; 1.p=5 2.p=5 3.p=5; a b; p",
             "labels.csv numbers the nodes from 0 to 2, but features.csv from 1 to 3: these "
             "are taken as 4 nodes, of which 0 has no features and 3 no label; number them "
             "alike if they are the same"},
            {"labels from 1, edges from 0",
             {{"edges.csv", "0,1\n1,2\n"}, {"labels.csv", "node,label\n1,a\n2,b\n3,a\n"}},
             NULL,
             "0: 1:a 2:b 3:a; 0>1 1>2; ; a b; ",
             "no features.csv: nodes have no features, and only the structure of the graph "
             "is used | labels.csv numbers the nodes from 1 to 3, but edges.csv from 0 to "
             "2: these are taken as 4 nodes, of which 3 has no edge and 0 no label; number "
             "them alike if they are the same"},
            {"labels of some nodes",
             {{"edges.csv", "0,1\n1,2\n"}, {"labels.csv", "node,label\n1,a\n2,b\n"}},
             NULL,
             "0: 1:a 2:b; 0>1 1>2; ; a b; ",
             "no features.csv: nodes have no features, and only the structure of the graph "
             "is used"},
    };
    expect_folders(cases, N_OF(cases));
}

#define NOT_USED                                                                 \
    " not used; one file each is read for edges, features, labels, classes and " \
    "split, under these names"

static void test_numbers_written_in_two_ways_are_refused(void **state)
{
    (void)state;
    static const wrong_case cases[] = {
            {"features with a point",
             {{"edges.csv", "0,1\n1,2\n"},
              {"features.csv", "node,p\n0.0,1\n1.0,2\n2.0,3\n"},
              {"labels.csv", "node,label\n0,a\n1,b\n2,a\n"}},
             "node \"0.0\" in features.csv is \"0\" in labels.csv",
             "alike"},
            {"labels with leading zeros",
             {{"edges.csv", "0,1\n1,2\n"},
              {"features.csv", "node,p\n0,1\n1,2\n2,3\n"},
              {"labels.csv", "node,label\n000,a\n001,b\n002,a\n"}},
             "node \"000\" in labels.csv is \"0\" in features.csv",
             "alike"},
            {"edges with a point",
             {{"edges.csv", "0.0,1.0\n"}, {"labels.csv", "node,label\n0,a\n1,b\n"}},
             "node \"0.0\" in edges.csv is \"0\" in labels.csv",
             "alike"},
            {"edges with a point beside features",
             {{"edges.csv", "source,target\n0.0,1.0\n"},
              {"features.csv", "node,p\n0,1\n1,2\n"}},
             "edges.csv:2: node \"0.0\" is called \"0\" elsewhere",
             "alike"},
            {"edges from 1",
             {{"edges.csv", "source,target\n1,2\n"}, {"features.csv", "1\n2\n"}},
             "edges.csv:2: node id 2 outside [0, 2)",
             "subtract 1 if this file numbers the nodes from 1"},
            {"an adjacency matrix",
             {{"edges.csv", "0,1,0,0\n1,0,1,0\n0,1,0,1\n0,0,1,0\n"}},
             "edges.csv:1: 4 fields, expected source,target",
             "adj_matrix"},
    };
    expect_refused_folders(cases, N_OF(cases));
}

static void test_edges_that_may_count_from_1_and_missing_features_are_noted(void **state)
{
    (void)state;
    static const own_case cases[] = {
            {"edges that leave out node 0",
             {{"edges.csv", "source,target\n1,2\n"}, {"features.csv", "1\n2\n3\n"}},
             NULL,
             "0: 1: 2:; 1>2; 0.0 1.0=2 2.0=3; ; 0",
             "edges.csv joins node 0 to none; subtract 1 from its nodes if it numbers them "
             "from 1, for rows without names are numbered from 0"},
            {"features that lack a node",
             {{"edges.csv", "a,b\nb,c\n"},
              {"features.csv", "node,p\na,1\nb,2\n"},
              {"labels.csv", "node,label\na,x\nb,y\nc,x\n"}},
             NULL,
             "a:x b:y c:x; a>b b>c; a.p b.p=2; x y; p",
             "features.csv lacks 1 of the nodes in labels.csv, for example \"c\"; their "
             "features are taken as 0"},
    };
    expect_folders(cases, N_OF(cases));
}

static void test_what_programs_add_to_tables_is_no_data(void **state)
{
    (void)state;
    static const own_case cases[] = {
            {"the separator that Excel names",
             {{"edges.csv", "sep=;\r\nsource;target\r\n0;1\r\n"},
              {"labels.csv", "\xEF\xBB\xBFsep=\t\nnode\tlabel\n0\ta\n1\tb\n"}},
             NULL,
             "0:a 1:b; 0>1; ; a b; ",
             "no features.csv: nodes have no features, and only the structure of the graph "
             "is used"},
            {"an index that pandas has read without a name",
             {{"edges.csv", "x,y\ny,z\n"},
              {"features.csv", "Unnamed: 0,node,p\n0,x,1\n1,y,2\n2,z,3\n"},
              {"labels.csv", "Unnamed: 0,label\nx,a\ny,b\nz,a\n"}},
             NULL,
             "x:a y:b z:a; x>y y>z; x.p y.p=2 z.p=3; a b; p",
             "features.csv: column \"Unnamed: 0\" has no name and is not used"},
    };
    expect_folders(cases, N_OF(cases));
}

static void test_files_that_are_not_read_are_named(void **state)
{
    (void)state;
    static const own_case cases[] = {
            {"two files of labels",
             {BY_NUMBER, {"target.csv", "0\n0\n0\n0\n"}, {"labels.csv", "a\nb\na\nb\n"}},
             NULL,
             BY_NUMBER_TEXT("0:a 1:b 2:a 3:b", "a b"),
             "target.csv is" NOT_USED},
            {"two files of features, and nodes",
             {BY_NUMBER, {"features.json", "[[1, 2]]"}, {"nodes.csv", "id\n0\n"}},
             NULL,
             BY_NUMBER_TEXT("0: 1: 2: 3:", ""),
             "features.json and nodes.csv are" NOT_USED},
            {"files of other kinds are no matter",
             {BY_NUMBER, {"README.md", "none"}, {"edges.npy", "none"}},
             NULL,
             BY_NUMBER_TEXT("0: 1: 2: 3:", ""),
             ""},
    };
    expect_folders(cases, N_OF(cases));
}

// ---- memory --------------------------------------------------------------------------

static void test_loading_survives_any_allocation_failure(void **state)
{
    (void)state;
    static const file folders[][MAX_FILES] = {
            {{"edges.csv", "0,1\n1,2\n"},
             {"features.csv", "customer,p\n2,$7\n0,$8\n1,$9\n"},
             {"labels.csv",
              "id,kind,train_mask,test_mask\n0,a,1,0\n1,None,0,0\n2,a,0,1\n"},
             {"nodes.csv", "id\n"},
             {"target.csv", "0\n"}},
            {{"edges.csv", "0,1\n"},
             {"features.json", "[{\"id\": 1, \"p\": 7}, {\"id\": 0, \"p\": 8}]"},
             {"labels.csv", "mood\nhigh\nlow\n"}},
            {{"edges.csv", "0,1\n"},
             {"features.json", "{\"p\": {\"0\": 7, \"1\": 8}}"},
             {"labels.csv", "customer,mood\n0,a\n1,a\n"}},
            {{"edges.csv", "0,1\n"}, {"features.json", "[[1, 0, 1], [0, 1, 0]]"}},
    };
    for (size_t f = 0; f < N_OF(folders); f++) {
        write_files(folders[f]);
        expect_load_survives_failing_memory(own_folder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            IN_FOLDER(test_numbers_are_classes_in_the_order_of_their_values),
            IN_FOLDER(test_words_for_nothing_are_no_classes_and_are_counted),
            IN_FOLDER(test_a_column_of_nodes_is_known_under_any_name),
            IN_FOLDER(test_a_heading_no_one_knows_does_not_shift_the_labels),
            IN_FOLDER(test_the_column_of_nodes_is_refused_as_the_label),
            IN_FOLDER(test_a_split_beside_the_labels_is_used),
            IN_FOLDER(test_nodes_are_set_aside_for_calibration_in_any_form),
            IN_FOLDER(test_a_split_beside_the_labels_is_refused_where_it_contradicts),
            IN_FOLDER(test_json_of_pandas_is_read_or_refused),
            IN_FOLDER(test_tables_of_pandas_with_their_index_are_read),
            IN_FOLDER(test_numbers_written_in_two_ways_are_refused),
            IN_FOLDER(test_edges_that_may_count_from_1_and_missing_features_are_noted),
            IN_FOLDER(test_what_programs_add_to_tables_is_no_data),
            IN_FOLDER(test_files_that_are_not_read_are_named),
            IN_FOLDER(test_nodes_numbered_from_0_and_from_1_are_noted),
            IN_FOLDER(test_numbers_in_another_dress_are_named),
            IN_FOLDER(test_one_field_is_called_so_with_the_separators_that_are_known),
            IN_FOLDER(test_loading_survives_any_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
