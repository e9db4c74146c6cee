// folder_refusal_test.c -- folders of CSV files that are wrong or damaged.

#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/refusal.h"
#include "support/support.h"
#include "support/table_writer.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[SUPPORT_PATH];

// ---- folders that are wrong ----------------------------------------------------------

// The files that a case does not mention: three nodes by number.
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
        {"an index column that does not hold the nodes",
         &by_number,
         {.features = ",x\n5,1\n6,2\n7,3\n"},
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
         "train, validation, calibration, test"},
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
        const size_t n_bytes = tables_write(folder, &files, ".csv");
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
        const size_t n_bytes = tables_write(folder, &tables_sample, ".csv");
        table_path(path, folder, table_names[t], ".csv");
        unlink(path);
        assert_int_equal(mkdir(path, 0755), 0);
        snprintf(part, sizeof(part), "%s.csv: is a folder", table_names[t]);
        n_wrong += !load_is_refused("a folder", folder, n_bytes, part, "file");
        rmdir(path);
    }
    assert_int_equal(n_wrong, 0);
}

// Root can read a file without permissions, but nobody can read this one.
static void test_a_file_that_cannot_be_read_is_refused(void **state)
{
    (void)state;
    char path[SUPPORT_PATH];
    char part[64];
    int n_wrong = 0;
    for (size_t t = 0; t < N_TABLES; t++) {
        const size_t n_bytes = tables_write(folder, &tables_sample, ".csv");
        table_path(path, folder, table_names[t], ".csv");
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
    support_path(path, folder, "labels.csv");
    support_write_text(path, "0,a\n");
    assert_true(load_is_refused("a table", path, 4, "edges.csv", "folder"));
}

// ---- damage --------------------------------------------------------------------------

// Puts n_bytes of damaged text in place of table t; the rest is as in tables_sample.
static bool endures(const char *what, size_t t, const char *text, size_t n_bytes)
{
    char path[SUPPORT_PATH];
    opn_status status;
    support_write_file(table_path(path, folder, table_names[t], ".csv"), text, n_bytes);
    return load_is_sound(what, folder, 512, &status, NULL);
}

static void test_a_table_cut_at_any_byte_is_endured(void **state)
{
    (void)state;
    char path[SUPPORT_PATH];
    int n_wrong = 0;
    tables_write(folder, &tables_sample, ".csv");
    for (size_t t = 0; t < N_TABLES; t++) {
        const char *text = table_text(&tables_sample, t);
        for (size_t n_kept = 0; n_kept < strlen(text); n_kept++)
            n_wrong += !endures(table_names[t], t, text, n_kept);
        support_write_text(table_path(path, folder, table_names[t], ".csv"), text);
    }
    assert_int_equal(n_wrong, 0);
}

static void test_any_flipped_bit_of_a_table_is_endured(void **state)
{
    (void)state;
    char path[SUPPORT_PATH];
    char text[256];
    int n_wrong = 0;
    tables_write(folder, &tables_sample, ".csv");
    for (size_t t = 0; t < N_TABLES; t++) {
        const size_t n = strlen(table_text(&tables_sample, t));
        for (size_t bit = 0; bit < 8 * n; bit++) {
            memcpy(text, table_text(&tables_sample, t), n);
            text[bit / 8] = (char)(text[bit / 8] ^ (1 << bit % 8));
            n_wrong += !endures(table_names[t], t, text, n);
        }
        support_write_text(table_path(path, folder, table_names[t], ".csv"),
                           table_text(&tables_sample, t));
    }
    assert_int_equal(n_wrong, 0);
}

static void test_loading_survives_any_allocation_failure(void **state)
{
    (void)state;
    tables_write(folder, &tables_sample, ".csv");
    expect_load_survives_failing_memory(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_FOLDER(test_what_is_wrong_is_refused_with_file_and_line),
            WITH_FOLDER(test_a_folder_in_place_of_a_file_is_refused),
            WITH_FOLDER(test_a_file_that_cannot_be_read_is_refused),
            WITH_FOLDER(test_an_empty_or_missing_folder_is_refused),
            WITH_FOLDER(test_a_table_cut_at_any_byte_is_endured),
            WITH_FOLDER(test_any_flipped_bit_of_a_table_is_endured),
            WITH_FOLDER(test_loading_survives_any_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
