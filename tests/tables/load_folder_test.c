// load_folder_test.c -- folders of CSV files as users write them.

#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/refusal.h"
#include "support/support.h"
#include "support/table_writer.h"

#include <stdint.h>
#include <string.h>
#include <zlib.h>

static char folder[SUPPORT_PATH];

// Prints what the folder holds when that is not `wanted`; counts those.
static int check_folder(const char *what, const char *wanted)
{
    opn_ctx *ctx = support_ctx(NULL);
    opn_graph *graph = NULL;
    char text[2048];
    int n_wrong = 0;
    if (opn_graph_load(ctx, folder, NULL, &graph) != OPN_OK) {
        print_error("%s: %s\n", what, opn_ctx_error(ctx));
        n_wrong = 1;
    } else if (strcmp(graph_text(graph, text), wanted) != 0) {
        print_error("%s:\n  is  %s\n  not %s\n", what, text, wanted);
        n_wrong = 1;
    }
    opn_graph_free(graph);
    opn_ctx_free(ctx);
    return n_wrong;
}

typedef struct good_case {
    const char *what;
    tables files;
    const char *graph; // as graph_text() tells it
} good_case;

static const good_case good_cases[] = {
        {"numbers alone",
         {"0,1\n1,2\n", "1,0\n0,0.5\n-2,1\n", "0\n1\n0\n", NULL, NULL},
         "0:0 1:1 2:0; 0>1 1>2; 0.0 1.1=0.5 2.0=-2 2.1; 0 1; 0 1"},
        {"headers everywhere",
         {"source,target\n0,1\n", "node,red,blue\n0,1,0\n1,0,2\n",
          "node,label\n0,no\n1,yes\n", "node,role\n0,train\n1,val\n", NULL},
         "0:no 1:yes; 0>1; 0.red 1.blue=2; no yes; red blue"},
        {"numbers in any order",
         {"2,0\n", "node,x\n2,3\n0,1\n1,2\n", "node,label\n1,b\n2,c\n0,a\n", NULL, NULL},
         "0:a 1:b 2:c; 2>0; 0.x 1.x=2 2.x=3; a b c; x"},
        {"ids of a database",
         {"10023,20017\n", "id,x\n10023,1\n20017,2\n", "id,class\n20017,7\n10023,3\n",
          NULL, NULL},
         "20017:7 10023:3; 10023>20017; 20017.x=2 10023.x; 3 7; x"},
        {"numbers with a gap",
         {"0,2\n", "node,x\n0,1\n2,1\n", "node,label\n0,a\n2,a\n", NULL, NULL},
         "0:a 2:a; 0>2; 0.x 2.x; a; x"},
        {"leading zeros are names",
         {"007,008\n", "node,x\n007,1\n008,1\n", "node,label\n007,a\n008,b\n", NULL,
          NULL},
         "007:a 008:b; 007>008; 007.x 008.x; a b; x"},
        {"labels for some nodes only",
         {"a,b\nb,c\n", "node,x\na,1\nb,1\nc,1\n", "node,label\nc,yes\n", NULL, NULL},
         "c:yes a: b:; a>b b>c; c.x a.x b.x; yes; x"},
        {"no labels",
         {"0,1\n", "1\n2\n", NULL, NULL, NULL},
         "0: 1:; 0>1; 0.0 1.0=2; ; 0"},
        {"an empty field is no label",
         {"", "1\n1\n1\n", "node,label\n0,x\n1,\n2,\"\"\n", NULL, NULL},
         "0:x 1: 2:; ; 0.0 1.0 2.0; x; 0"},
        {"an empty line is no label",
         {"", "1\n1\n1\n", "x\n\ny\n", NULL, NULL},
         "0:x 1: 2:y; ; 0.0 1.0 2.0; x y; 0"},
        {"one class",
         {"0,1\n", "1\n1\n", "label\nspam\nspam\n", NULL, NULL},
         "0:spam 1:spam; 0>1; 0.0 1.0; spam; 0"},
        {"classes are sorted as numbers, then as words",
         {"", "1\n1\n1\n1\n", "10\nb\n9\na\n", NULL, NULL},
         "0:10 1:b 2:9 3:a; ; 0.0 1.0 2.0 3.0; 9 10 a b; 0"},
        {"classes with blanks inside",
         {"", "1\n1\n", "Neural Networks\nRule Learning\n", NULL, NULL},
         "0:Neural Networks 1:Rule Learning; ; 0.0 1.0; Neural Networks Rule Learning; "
         "0"},
        {"a class called y in the first row",
         {"", "node,x\nann,1\nbob,1\n", "ann,y\nbob,n\n", NULL, NULL},
         "ann:y bob:n; ; ann.x bob.x; n y; x"},
        {"weights",
         {"0,1,0.5\n1,0,2e1\n", "1\n1\n", "a\nb\n", NULL, NULL},
         "0:a 1:b; 0>1=0.5 1>0=20; 0.0 1.0; a b; 0"},
        {"weights that are all 1 are none",
         {"source,target,weight\n0,1,1\n1,0,1.0\n", "1\n1\n", "a\nb\n", NULL, NULL},
         "0:a 1:b; 0>1 1>0; 0.0 1.0; a b; 0"},
        {"repeated edges, loops and isolated nodes are kept",
         {"0,1\n0,1\n1,1\n", "1\n1\n1\n", "a\nb\na\n", NULL, NULL},
         "0:a 1:b 2:a; 0>1 0>1 1>1; 0.0 1.0 2.0; a b; 0"},
        {"sparse features",
         {"ann,bob\n", "node,feature,value\nann,red,1\nbob,blue,2\nbob,green,0\n",
          "node,label\nann,no\nbob,yes\n", NULL, NULL},
         "ann:no bob:yes; ann>bob; ann.red bob.blue=2; no yes; red blue green"},
        {"sparse features by number",
         {"0,1\n", "node,feature,value\n0,2,1\n1,0,2\n1,1,0\n", "a\nb\n", NULL, NULL},
         "0:a 1:b; 0>1; 0.2 1.0=2; a b; 0 1 2"},
        {"nodes with no features at all",
         {"ann,cid\n", "node,feature,value\nann,red,1\n",
          "node,label\nann,a\nbob,b\ncid,\n", NULL, NULL},
         "ann:a bob:b cid:; ann>cid; ann.red; a b; red"},
        {"Windows line ends and a byte order mark",
         {"source,target\r\n0,1\r\n", "\xEF\xBB\xBFnode,x\r\n0,1\r\n1,2\r\n",
          "\xEF\xBB\xBFnode,label\r\n0,a\r\n1,b\r\n", "node,role\r\n0,train\r\n", NULL},
         "0:a 1:b; 0>1; 0.x 1.x=2; a b; x"},
        {"blanks around fields",
         {"0, 1\n", "1 , 2\n 0,0\n", "node , label\n0 , a\n1, b \n", NULL, NULL},
         "0:a 1:b; 0>1; 0.0 0.1=2; a b; 0 1"},
        {"quotes",
         {"\"a,b\",\"c \"\"d\"\"\"\n", "node,\"x,y\"\n\"a,b\",\"1\"\n\"c \"\"d\"\"\",0\n",
          "node,label\n\"a,b\",\"u, v\"\n\"c \"\"d\"\"\",w\n", NULL, NULL},
         "a,b:u, v c \"d\":w; a,b>c \"d\"; a,b.x,y; u, v w; x,y"},
        {"names beyond ASCII",
         {"Zoë,Łukasz\n", "node,größe\nZoë,1\nŁukasz,2\n", "node,label\nZoë,ja\n", NULL,
          NULL},
         "Zoë:ja Łukasz:; Zoë>Łukasz; Zoë.größe Łukasz.größe=2; ja; größe"},
        {"no line end at the end, empty lines between",
         {"0,1\n\n1,0", "1\n\n2", "node,label\n\n0,a\n1,b", "0,train\n\n1,test", NULL},
         "0:a 1:b; 0>1 1>0; 0.0 1.0=2; a b; 0"},
        {"numbers of every spelling",
         {"0,1,+1.5\n", "+1,-.5,1E2,0.,1e-3\n0,-0,00,0e9,.0\n", "a\nb\n", NULL, NULL},
         "0:a 1:b; 0>1=1.5; 0.0 0.1=-0.5 0.2=100 0.4=0.001; a b; 0 1 2 3 4"},
        {"classes in an order of their own",
         {"", "1\n1\n", "low\nhigh\n", NULL, "low\nmedium\nhigh\n"},
         "0:low 1:high; ; 0.0 1.0; low medium high; 0"},
        {"one node", {"", "1\n", "a\n", NULL, NULL}, "0:a; ; 0.0; a; 0"},
};

static void test_folders_as_users_write_them_are_read_as_they_mean_them(void **state)
{
    (void)state;
    int n_wrong = 0;
    for (size_t c = 0; c < sizeof(good_cases) / sizeof(good_cases[0]); c++) {
        tables_write(folder, &good_cases[c].files, ".csv");
        n_wrong += check_folder(good_cases[c].what, good_cases[c].graph);
    }
    assert_int_equal(n_wrong, 0);
}

static const char sample_text[] =
        "ann:no bob:yes cid:; ann>bob=2 bob>cid; ann.red bob.blue=3 cid.blue; no yes; "
        "red blue";

static void test_tables_may_be_tab_separated(void **state)
{
    (void)state;
    const tables tabs = {
            "source\ttarget\tweight\nann\tbob\t2\nbob\tcid\t1\n",
            "node\tfeature\tvalue\nann\tred\t1\nbob\tblue\t3\ncid\tblue\t1\n",
            "node\tlabel\nann\tno\nbob\tyes\ncid\t\n",
            "node\trole\nann\ttrain\nbob\tvalidation\n",
            "class\nno\nyes\n",
    };
    tables_write(folder, &tabs, ".tsv");
    assert_int_equal(check_folder("tabs", sample_text), 0);
}

// The text as gzip packs it; returns how many bytes.
static size_t pack(const char *text, unsigned char packed[1024])
{
    z_stream stream = {0};
    const size_t n = strlen(text);
    unsigned char copy[1024]; // zlib's input is not const
    memcpy(copy, text, n);
    stream.next_in = copy;
    stream.avail_in = (uInt)n;
    stream.next_out = packed;
    stream.avail_out = 1024;
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, 0), Z_OK);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    deflateEnd(&stream);
    return 1024 - stream.avail_out;
}

static void test_tables_may_be_gzipped(void **state)
{
    (void)state;
    unsigned char packed[1024];
    char path[SUPPORT_PATH];
    for (size_t t = 0; t < N_TABLES; t++) {
        const size_t n = pack(table_text(&tables_sample, t), packed);
        support_write_file(table_path(path, folder, table_names[t], ".csv.gz"), packed,
                           n);
    }
    assert_int_equal(check_folder("gzip", sample_text), 0);
}

static void test_a_damaged_gzip_file_is_refused_at_every_length(void **state)
{
    (void)state;
    unsigned char packed[1024];
    char path[SUPPORT_PATH];
    const tables rest = {NULL, tables_sample.features, tables_sample.labels,
                         tables_sample.split, NULL};
    const size_t n = pack(tables_sample.edges, packed);
    int n_wrong = 0;
    tables_write(folder, &rest, ".csv");
    table_path(path, folder, "edges", ".csv.gz");
    for (size_t n_kept = 2; n_kept < n; n_kept++) {
        support_write_file(path, packed, n_kept);
        n_wrong += !load_is_refused("gzip", folder, 1024, "edges.csv.gz: the gzip data",
                                    "truncated");
    }
    packed[n - 5] ^= 1; // the checksum
    support_write_file(path, packed, n);
    n_wrong += !load_is_refused("gzip", folder, 1024, "edges.csv.gz: broken gzip", NULL);
    assert_int_equal(n_wrong, 0);
}

static void test_a_split_file_gives_the_usual_split(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    opn_graph *graph = NULL;
    opn_split *split = NULL;
    const tables files = {"", "1\n1\n1\n1\n1\n", "a\na\nb\nb\n\n",
                          "0,train\n3,test\n2,val\n4,test\n", NULL};
    tables_write(folder, &files, ".csv");
    assert_int_equal(opn_graph_load(ctx, folder, NULL, &graph), OPN_OK);
    assert_int_equal(opn_split_create(ctx, graph, OPN_SPLIT_USUAL, 1, NULL, 0, &split),
                     OPN_OK);
    static const uint8_t wanted[] = {OPN_ROLE_TRAIN, OPN_ROLE_POOL, OPN_ROLE_VALIDATION,
                                     OPN_ROLE_TEST, OPN_ROLE_UNLABELLED};
    assert_memory_equal(opn_split_roles(split), wanted, sizeof(wanted));
    opn_split_free(split);
    opn_graph_free(graph);
    opn_ctx_free(ctx);
}

static void test_a_folder_without_labels_is_warned_about(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    opn_graph *graph = NULL;
    listener heard = {0};
    support_listen(ctx, &heard);
    tables_write(folder, &(tables){"0,1\n", "1\n1\n", NULL, NULL, NULL}, ".csv");
    assert_int_equal(opn_graph_load(ctx, folder, NULL, &graph), OPN_OK);
    assert_int_equal(heard.n_messages[OPN_LOG_WARNING], 1);
    assert_non_null(strstr(heard.log, "no node has a label"));
    opn_graph_free(graph);
    opn_ctx_free(ctx);
}

static void test_a_label_among_the_features_is_named_where_no_node_has_one(void **state)
{
    (void)state;
    static const char *const features[] = {"node,p,Label\n0,5,1\n1,6,2\n",
                                           "node,Label,p\n0,red,5\n1,blue,6\n"};
    for (size_t f = 0; f < 2; f++) {
        opn_ctx *ctx = support_ctx(NULL);
        opn_graph *graph = NULL;
        listener heard = {0};
        support_listen(ctx, &heard);
        tables_write(folder, &(tables){"0,1\n", features[f], NULL, NULL, NULL}, ".csv");
        assert_int_equal(opn_graph_load(ctx, folder, NULL, &graph), OPN_OK);
        assert_non_null(strstr(heard.log, "move column Label of features.csv"));
        opn_graph_free(graph);
        opn_ctx_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_FOLDER(test_folders_as_users_write_them_are_read_as_they_mean_them),
            WITH_FOLDER(test_tables_may_be_tab_separated),
            WITH_FOLDER(test_tables_may_be_gzipped),
            WITH_FOLDER(test_a_damaged_gzip_file_is_refused_at_every_length),
            WITH_FOLDER(test_a_split_file_gives_the_usual_split),
            WITH_FOLDER(test_a_folder_without_labels_is_warned_about),
            WITH_FOLDER(test_a_label_among_the_features_is_named_where_no_node_has_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
