// load_folder_test.c -- folders of CSV files as users write them, right and wrong.

#include "graph/graph_data.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/refusal.h"
#include "support/support.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

// The texts of a folder's files; NULL for a file that is not there.
typedef struct tables {
    const char *edges;
    const char *features;
    const char *labels;
    const char *split;
    const char *classes;
} tables;

enum { N_TABLES = 5 };

static const char *const table_names[N_TABLES] = {"edges", "features", "labels", "split",
                                                  "classes"};

static char folder[SUPPORT_PATH];

static int set_up(void **state)
{
    (void)state;
    support_temp_folder(folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    support_remove_folder(folder);
    return 0;
}

static const char *table_text(const tables *from, size_t t)
{
    const char *const texts[N_TABLES] = {from->edges, from->features, from->labels,
                                         from->split, from->classes};
    return texts[t];
}

static char *
table_path(char path[SUPPORT_PATH], const char *table_name, const char *suffix)
{
    char name[64];
    snprintf(name, sizeof(name), "%s%s", table_name, suffix);
    return support_path(path, folder, name);
}

// Writes the files that are there, removes the others, and returns the bytes written.
static size_t write_tables(const tables *from, const char *suffix)
{
    size_t n_bytes = 0;
    char path[SUPPORT_PATH];
    for (size_t t = 0; t < N_TABLES; t++) {
        const char *text = table_text(from, t);
        table_path(path, table_names[t], suffix);
        if (text == NULL) {
            unlink(path);
            continue;
        }
        support_write_text(path, text);
        n_bytes += strlen(text);
    }
    return n_bytes;
}

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

// ---- folders as users write them -----------------------------------------------------

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
        write_tables(&good_cases[c].files, ".csv");
        n_wrong += check_folder(good_cases[c].what, good_cases[c].graph);
    }
    assert_int_equal(n_wrong, 0);
}

static const tables sample = {
        "source,target,weight\nann,bob,2\nbob,cid,1\n",
        "node,feature,value\nann,red,1\nbob,blue,3\ncid,blue,1\n",
        "node,label\nann,no\nbob,yes\ncid,\n",
        "node,role\nann,train\nbob,validation\n",
        "class\nno\nyes\n",
};

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
    write_tables(&tabs, ".tsv");
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
        const size_t n = pack(table_text(&sample, t), packed);
        support_write_file(table_path(path, table_names[t], ".csv.gz"), packed, n);
    }
    assert_int_equal(check_folder("gzip", sample_text), 0);
}

static void test_a_damaged_gzip_file_is_refused_at_every_length(void **state)
{
    (void)state;
    unsigned char packed[1024];
    char path[SUPPORT_PATH];
    const tables rest = {NULL, sample.features, sample.labels, sample.split, NULL};
    const size_t n = pack(sample.edges, packed);
    int n_wrong = 0;
    write_tables(&rest, ".csv");
    table_path(path, "edges", ".csv.gz");
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
    write_tables(&files, ".csv");
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
    write_tables(&(tables){"0,1\n", "1\n1\n", NULL, NULL, NULL}, ".csv");
    assert_int_equal(opn_graph_load(ctx, folder, NULL, &graph), OPN_OK);
    assert_int_equal(heard.n_messages[OPN_LOG_WARNING], 1);
    assert_non_null(strstr(heard.log, "no node has a label"));
    opn_graph_free(graph);
    opn_ctx_free(ctx);
}

// ---- folders that are wrong ----------------------------------------------------------

// What stands in for the files a case does not speak of: three nodes by number.
static const tables by_number = {"0,1\n1,2\n", "1,0\n0,1\n1,1\n", "a\nb\n\n", NULL, NULL};
static const tables by_name = {"ann,bob\n", "node,x\nann,1\nbob,2\n",
                               "node,label\nann,a\nbob,\n", NULL, NULL};
static const char absent[] = "absent"; // a file that is not there

typedef struct bad_case {
    const char *what;
    const tables *rest;
    tables files; // NULL: as in rest
    const char *part;
    const char *hint;
} bad_case;

static const bad_case bad_cases[] = {
        // edges.csv
        {"no edges",
         &by_number,
         {.edges = absent},
         ": no edges.csv",
         "edges.csv, features"},
        {"one column", &by_number, {.edges = "0\n1\n"}, "edges.csv:1: ", "source,target"},
        {"four columns",
         &by_number,
         {.edges = "0,1,1,1\n"},
         "edges.csv:1: 4 fields",
         "source,target"},
        {"blanks for commas",
         &by_number,
         {.edges = "0 1\n1 2\n"},
         "edges.csv:1: ",
         "source,target"},
        {"a row too short",
         &by_number,
         {.edges = "0,1\n\n1\n"},
         "edges.csv:3: ",
         "has 2"},
        {"a row too long",
         &by_number,
         {.edges = "s,t\n0,1\n1,2,3\n"},
         "edges.csv:3: 3 fields",
         "has 2"},
        {"an id too large",
         &by_number,
         {.edges = "0,1\n0,3\n"},
         "edges.csv:2: node id 3 outside [0, 3)",
         NULL},
        {"an id too large in the first row",
         &by_number,
         {.edges = "7,8\n"},
         "edges.csv:1: node id 7 outside [0, 3)",
         NULL},
        {"a negative id",
         &by_number,
         {.edges = "0,-1\n"},
         "edges.csv:1: node id -1 outside [0, 3)",
         NULL},
        {"an id beyond 64 bits",
         &by_number,
         {.edges = "0,99999999999999999999\n"},
         "edges.csv:1: node id 99999999999999999999 outside",
         NULL},
        {"an id with a fraction",
         &by_number,
         {.edges = "0,1.0\n"},
         "edges.csv:1: ",
         "1.0"},
        {"a word for an id",
         &by_number,
         {.edges = "s,t\n0,one\n"},
         "edges.csv:2: ",
         "one"},
        {"no id", &by_number, {.edges = "s,t\n0,\n"}, "edges.csv:2: ", NULL},
        {"an unknown name",
         &by_name,
         {.edges = "s,t\nann,Bob\n"},
         "edges.csv:2: node \"Bob\" is in neither",
         "labels.csv with an empty label"},
        {"a header twice",
         &by_name,
         {.edges = "s,t\ns,t\n"},
         "edges.csv:2: node \"s\"",
         NULL},
        {"a weight of NaN",
         &by_number,
         {.edges = "0,1,nan\n"},
         "edges.csv:1: ",
         "\"nan\""},
        {"a weight of infinity",
         &by_number,
         {.edges = "0,1,inf\n"},
         "edges.csv:1: ",
         "\"inf\""},
        {"a weight too large",
         &by_number,
         {.edges = "0,1,1e39\n"},
         "edges.csv:1: ",
         "1e39"},
        {"a weight of 0",
         &by_number,
         {.edges = "0,1,0\n"},
         "edges.csv:1: weight 0",
         "above 0"},
        {"a negative weight",
         &by_number,
         {.edges = "0,1,-1\n"},
         "edges.csv:1: weight -1",
         "above 0"},
        {"no weight", &by_number, {.edges = "0,1,2\n1,2,\n"}, "edges.csv:2: ", "finite"},
        {"a word for a weight",
         &by_number,
         {.edges = "0,1,friend\n"},
         "edges.csv:1: ",
         "friend"},
        {"a quote that never ends",
         &by_number,
         {.edges = "0,1\n\"1,2\n"},
         "edges.csv:2: the quote",
         NULL},
        {"text after a quote",
         &by_number,
         {.edges = "\"0\"x,1\n"},
         "edges.csv:1: text after",
         NULL},
        {"UTF-16", &by_number, {.edges = "\xFF\xFE\x30"}, "edges.csv:1: ", "UTF-8"},
        {"Latin-1",
         &by_name,
         {.edges = "ann,bob\nann,Zo\xEB\n"},
         "edges.csv:2: ",
         "UTF-8"},
        {"control characters",
         &by_name,
         {.edges = "ann,\033[31mred\n"},
         "edges.csv:1: ",
         NULL},
        {"a name of two lines",
         &by_name,
         {.edges = "ann,\"bob\ncid\"\n"},
         "edges.csv:1: ",
         NULL},
        // features.csv
        {"empty features", &by_number, {.features = ""}, "features.csv: is empty", NULL},
        {"empty lines",
         &by_number,
         {.features = "\n\r\n\n"},
         "features.csv: is empty",
         NULL},
        {"a header alone",
         &by_number,
         {NULL, "node,x\n", absent, NULL, NULL},
         "features.csv: has no nodes",
         NULL},
        {"an infinite feature",
         &by_number,
         {.features = "1,0\n1,-inf\n0,0\n"},
         "features.csv:2: field 2, \"-inf\"",
         NULL},
        {"a feature too large",
         &by_number,
         {.features = "1,0\n1,-1e39\n0,0\n"},
         "features.csv:2: field 2, \"-1e39\"",
         NULL},
        {"a hexadecimal feature",
         &by_number,
         {.features = "1,0\n1,0x10\n0,0\n"},
         "features.csv:2: field 2, \"0x10\"",
         NULL},
        {"a short row",
         &by_number,
         {.features = "1,0\n1\n0,0\n"},
         "features.csv:2: ",
         "has 2"},
        {"a long row",
         &by_number,
         {.features = "1,0\n1,2,3\n0,0\n"},
         "features.csv:2: 3 fields",
         "has 2"},
        {"names without a header",
         &by_name,
         {.features = "ann,1\nbob,2\n"},
         "features.csv:1: \"ann\" is not a number",
         "begins with node"},
        {"nodes and no feature",
         &by_name,
         {.features = "node\nann\nbob\n"},
         "features.csv:1: no feature",
         NULL},
        {"two columns of a name",
         &by_name,
         {.features = "node,x,x\nann,1,2\n"},
         "features.csv:1: feature \"x\" has two columns",
         NULL},
        {"a node twice",
         &by_name,
         {.features = "node,x\nann,1\nann,2\n"},
         "features.csv:3: node \"ann\" is listed twice",
         NULL},
        {"a node without a name",
         &by_name,
         {.features = "node,x\nann,1\n,2\n"},
         "features.csv:3: the node has no name",
         NULL},
        {"a feature without a name",
         &by_name,
         {.features = "node,feature,value\nann,,1\n"},
         "features.csv:2: the feature has no name",
         NULL},
        {"a sparse row too short",
         &by_name,
         {.features = "node,feature,value\nann,x\n"},
         "features.csv:2: 2 fields",
         NULL},
        {"a sparse value of NaN",
         &by_name,
         {.features = "node,feature,value\nann,x,NaN\n"},
         "features.csv:2: field 3, \"NaN\"",
         "finite"},
        {"values whose sum is infinite",
         &by_name,
         {.features = "node,feature,value\nann,x,3e38\nann,x,3e38\n"},
         "features.csv",
         NULL},
        {"an index column before the features",
         &by_number,
         {.features = ",x\n0,1\n1,2\n2,3\n"},
         "features.csv:1: ",
         "node"},
        {"more rows of features than of labels",
         &by_number,
         {"0,1\n", "0,1\n1,0\n0,1\n1,1\n", "a\nb\na\n", NULL, NULL},
         "features.csv",
         NULL},
        {"fewer rows of features than of labels",
         &by_number,
         {"0,1\n", "0,1\n1,0\n", "a\nb\na\n", NULL, NULL},
         "features.csv",
         NULL},
        {"labels by name, features by place",
         &by_name,
         {.features = "1\n2\n"},
         "features.csv",
         "node"},
        // labels.csv
        {"a label row too short",
         &by_name,
         {.labels = "node,label\nann\n"},
         "labels.csv:2: ",
         "has 2"},
        {"a label row too long",
         &by_name,
         {.labels = "node,label\nann,a\nbob,b,c\n"},
         "labels.csv:3: 3 fields",
         "has 2"},
        {"two labels for a node",
         &by_name,
         {.labels = "node,label\nann,a\nann,b\n"},
         "labels.csv:3: node \"ann\" is listed twice",
         NULL},
        {"a label for no node",
         &by_name,
         {.labels = "node,label\n,a\n"},
         "labels.csv:2: the node has no name",
         NULL},
        {"labels in UTF-16",
         &by_number,
         {.labels = "\xFE\xFF\x30"},
         "labels.csv:1: ",
         "UTF-8"},
        // split.csv
        {"one column of roles",
         &by_number,
         {.split = "train\ntest\n"},
         "split.csv:1: ",
         "node,role"},
        {"three columns of roles",
         &by_number,
         {.split = "0,train,1\n"},
         "split.csv:1: 3 fields",
         "node,role"},
        {"an unknown role",
         &by_number,
         {.split = "node,role\n0,teach\n"},
         "split.csv:2: role \"teach\"",
         "train, validation, test"},
        {"a role for no one",
         &by_number,
         {.split = "3,train\n"},
         "split.csv:1: node id 3 outside [0, 3)",
         NULL},
        {"a role for a stranger",
         &by_name,
         {.split = "cid,test\n"},
         "split.csv:1: node \"cid\" is in neither",
         NULL},
        {"an unlabelled node trains",
         &by_number,
         {.split = "0,train\n2,train\n"},
         "split.csv:2: node \"2\" is used to train but has no label",
         NULL},
        {"an unlabelled node validates",
         &by_name,
         {.split = "bob,val\n"},
         "split.csv:1: node \"bob\" is used to validate but has no label",
         NULL},
        {"two roles for a node",
         &by_number,
         {.split = "0,train\n0,test\n"},
         "split.csv:2: node \"0\" is listed twice",
         NULL},
        // classes.csv
        {"a class that is not listed",
         &by_number,
         {.classes = "a\nc\n"},
         "labels.csv:2: class \"b\" is not in classes.csv",
         NULL},
        {"a class listed twice",
         &by_number,
         {.classes = "class\na\nb\na\n"},
         "classes.csv:4: class \"a\" is listed twice",
         NULL},
        {"a class without a name",
         &by_number,
         {.classes = "a\n\"\"\nb\n"},
         "classes.csv:2: the class has no name",
         NULL},
        {"classes in two columns",
         &by_number,
         {.classes = "0,a\n1,b\n"},
         "classes.csv:1: 2 fields",
         NULL},
};

static const char *replaced(const char *given, const char *otherwise)
{
    if (given == NULL)
        return otherwise;
    return given == absent ? NULL : given;
}

static void test_what_is_wrong_is_refused_with_file_and_line(void **state)
{
    (void)state;
    int n_wrong = 0;
    for (size_t c = 0; c < sizeof(bad_cases) / sizeof(bad_cases[0]); c++) {
        const bad_case *bad = &bad_cases[c];
        const tables files = {replaced(bad->files.edges, bad->rest->edges),
                              replaced(bad->files.features, bad->rest->features),
                              replaced(bad->files.labels, bad->rest->labels),
                              replaced(bad->files.split, bad->rest->split),
                              replaced(bad->files.classes, bad->rest->classes)};
        const size_t n_bytes = write_tables(&files, ".csv");
        n_wrong += !load_is_refused(bad->what, folder, n_bytes, bad->part, bad->hint);
    }
    assert_int_equal(n_wrong, 0);
}

static void test_a_folder_in_place_of_a_file_is_refused(void **state)
{
    (void)state;
    char path[SUPPORT_PATH];
    char part[64];
    int n_wrong = 0;
    for (size_t t = 0; t < N_TABLES; t++) {
        const size_t n_bytes = write_tables(&sample, ".csv");
        table_path(path, table_names[t], ".csv");
        unlink(path);
        assert_int_equal(mkdir(path, 0755), 0);
        snprintf(part, sizeof(part), "%s.csv: is a folder", table_names[t]);
        n_wrong += !load_is_refused("a folder", folder, n_bytes, part, "file");
        rmdir(path);
    }
    assert_int_equal(n_wrong, 0);
}

// No permission is no hindrance to root, but this file cannot be read by anyone.
static void test_a_file_that_cannot_be_read_is_refused(void **state)
{
    (void)state;
    char path[SUPPORT_PATH];
    char part[64];
    int n_wrong = 0;
    for (size_t t = 0; t < N_TABLES; t++) {
        const size_t n_bytes = write_tables(&sample, ".csv");
        table_path(path, table_names[t], ".csv");
        if (geteuid() == 0) {
            unlink(path);
            assert_int_equal(symlink("/proc/self/mem", path), 0);
        } else {
            assert_int_equal(chmod(path, 0), 0);
        }
        snprintf(part, sizeof(part), "%s.csv: cannot be ", table_names[t]);
        n_wrong += !load_is_refused("unreadable", folder, n_bytes, part, NULL);
        unlink(path);
    }
    assert_int_equal(n_wrong, 0);
}

static void test_an_empty_or_missing_folder_is_refused(void **state)
{
    (void)state;
    char path[SUPPORT_PATH];
    assert_true(load_is_refused("empty", folder, 0, ": no edges.csv", "features.csv"));
    support_path(path, folder, "nowhere");
    assert_true(load_is_refused("missing", path, 0, "no such data", ".npz"));
    support_path(path, folder, "edges.csv");
    support_write_text(path, "0,1\n");
    assert_true(load_is_refused("a table", path, 4, "edges.csv", "folder"));
}

// ---- damage --------------------------------------------------------------------------

// Puts n_bytes of damaged text in place of table t; the rest is as in `sample`.
static bool endures(const char *what, size_t t, const char *text, size_t n_bytes)
{
    char path[SUPPORT_PATH];
    opn_status status;
    support_write_file(table_path(path, table_names[t], ".csv"), text, n_bytes);
    return load_is_sound(what, folder, 512, &status, NULL);
}

static void test_a_table_cut_at_any_byte_is_endured(void **state)
{
    (void)state;
    char path[SUPPORT_PATH];
    int n_wrong = 0;
    write_tables(&sample, ".csv");
    for (size_t t = 0; t < N_TABLES; t++) {
        const char *text = table_text(&sample, t);
        for (size_t n_kept = 0; n_kept < strlen(text); n_kept++)
            n_wrong += !endures(table_names[t], t, text, n_kept);
        support_write_text(table_path(path, table_names[t], ".csv"), text);
    }
    assert_int_equal(n_wrong, 0);
}

static void test_any_flipped_bit_of_a_table_is_endured(void **state)
{
    (void)state;
    char path[SUPPORT_PATH];
    char text[256];
    int n_wrong = 0;
    write_tables(&sample, ".csv");
    for (size_t t = 0; t < N_TABLES; t++) {
        const size_t n = strlen(table_text(&sample, t));
        for (size_t bit = 0; bit < 8 * n; bit++) {
            memcpy(text, table_text(&sample, t), n);
            text[bit / 8] = (char)(text[bit / 8] ^ (1 << bit % 8));
            n_wrong += !endures(table_names[t], t, text, n);
        }
        support_write_text(table_path(path, table_names[t], ".csv"),
                           table_text(&sample, t));
    }
    assert_int_equal(n_wrong, 0);
}

static void test_loading_survives_any_allocation_failure(void **state)
{
    (void)state;
    write_tables(&sample, ".csv");
    expect_load_survives_failing_memory(folder);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
            IN_FOLDER(test_folders_as_users_write_them_are_read_as_they_mean_them),
            IN_FOLDER(test_tables_may_be_tab_separated),
            IN_FOLDER(test_tables_may_be_gzipped),
            IN_FOLDER(test_a_damaged_gzip_file_is_refused_at_every_length),
            IN_FOLDER(test_a_split_file_gives_the_usual_split),
            IN_FOLDER(test_a_folder_without_labels_is_warned_about),
            IN_FOLDER(test_what_is_wrong_is_refused_with_file_and_line),
            IN_FOLDER(test_a_folder_in_place_of_a_file_is_refused),
            IN_FOLDER(test_a_file_that_cannot_be_read_is_refused),
            IN_FOLDER(test_an_empty_or_missing_folder_is_refused),
            IN_FOLDER(test_a_table_cut_at_any_byte_is_endured),
            IN_FOLDER(test_any_flipped_bit_of_a_table_is_endured),
            IN_FOLDER(test_loading_survives_any_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
