// load_planetoid_test.c -- Planetoid's seven files, right, wrong and damaged.

#include "golden/load_samples.h"
#include "graph/graph_data.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/refusal.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    N_FILES = sizeof(load_planetoid_files) / sizeof(load_planetoid_files[0]),
    N_BYTES = 8192, // more than all files together
};

static char folder[SUPPORT_PATH];
static char prefix[SUPPORT_PATH];

static char *file_path(char path[SUPPORT_PATH], const char *suffix)
{
    char name[64];
    snprintf(name, sizeof(name), "ind.small%s", suffix);
    return support_path(path, folder, name);
}

// Removed first, because that is many times faster than truncating the old file.
static void write_file(const char *suffix, const void *data, size_t n_bytes)
{
    char path[SUPPORT_PATH];
    unlink(file_path(path, suffix));
    support_write_file(path, data, n_bytes);
}

static void write_sample(size_t f)
{
    write_file(load_planetoid_files[f].name, load_planetoid_files[f].data,
               load_planetoid_files[f].n_bytes);
}

static int set_up(void **state)
{
    (void)state;
    support_temp_folder(folder);
    file_path(prefix, "");
    for (size_t f = 0; f < N_FILES; f++)
        write_sample(f);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    support_remove_folder(folder);
    return 0;
}

static size_t file_number(const char *suffix)
{
    for (size_t f = 0; f < N_FILES; f++)
        if (strcmp(load_planetoid_files[f].name, suffix) == 0)
            return f;
    fail_msg("no file %s", suffix);
    return 0;
}

// ---- right ---------------------------------------------------------------------------

static opn_graph *load(opn_ctx *ctx)
{
    opn_graph *graph = NULL;
    if (opn_graph_load(ctx, prefix, NULL, &graph) != OPN_OK)
        fail_msg("%s", opn_ctx_error(ctx));
    return graph;
}

// 502 nodes of allx, then 502 and 504 in the reverse order of their rows in tx and ty.
static void test_rows_of_test_nodes_go_where_the_index_says(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    opn_graph *graph = load(ctx);
    opn_graph_info info;
    assert_int_equal(opn_graph_describe(ctx, graph, &info), OPN_OK);
    assert_string_equal(opn_graph_name(graph), "ind.small");
    assert_int_equal(info.n_nodes, 506);
    assert_int_equal(info.n_features, 3);
    assert_int_equal(info.n_feature_entries, 6);
    assert_int_equal(info.n_classes, 2);
    assert_int_equal(info.n_edges, 8);
    assert_int_equal(info.n_unlabelled, 2);
    assert_int_equal(info.n_isolated, 502);
    assert_int_equal(info.n_self_loops, 1);
    assert_int_equal(info.n_repeated, 1);
    const int32_t *label = opn_graph_labels(graph);
    for (int32_t i = 0; i < 502; i++)
        assert_int_equal(label[i], i % 2);
    static const int32_t last[] = {0, -1, 1, -1};
    assert_memory_equal(label + 502, last, sizeof(last));
    const opn_i_csr *x = &graph->features.lists;
    static const opn_off row_ptr[] = {4, 5, 5, 6, 6}; // of 502 to 505, and the end
    assert_memory_equal(x->row_ptr + 502, row_ptr, sizeof(row_ptr));
    assert_true(x->col_idx[4] == 0 && x->value[4] == 2);
    assert_true(x->col_idx[5] == 1 && x->value[5] == 1);
    opn_graph_free(graph);
    opn_ctx_free(ctx);
}

static void test_the_first_nodes_train_and_the_next_500_validate(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    opn_graph *graph = load(ctx);
    opn_split *split = NULL;
    assert_int_equal(opn_split_create(ctx, graph, OPN_SPLIT_USUAL, 1, NULL, 0, &split),
                     OPN_OK);
    const uint8_t *role = opn_split_roles(split);
    for (int32_t i = 0; i < 502; i++)
        assert_int_equal(role[i], i < 2 ? OPN_ROLE_TRAIN : OPN_ROLE_VALIDATION);
    static const uint8_t last[] = {OPN_ROLE_TEST, OPN_ROLE_UNLABELLED, OPN_ROLE_TEST,
                                   OPN_ROLE_UNLABELLED};
    assert_memory_equal(role + 502, last, sizeof(last));
    opn_split_free(split);
    opn_graph_free(graph);
    opn_ctx_free(ctx);
}

// ---- wrong ---------------------------------------------------------------------------

// Puts the change in place; the caller puts the file back.
static void write_change(const load_change *change)
{
    const load_sample *file = &load_planetoid_files[file_number(change->suffix)];
    unsigned char *data = malloc(change->n_head + change->n_bytes + change->n_tail);
    assert_non_null(data);
    memcpy(data, file->data, change->n_head);
    memcpy(data + change->n_head, change->data, change->n_bytes);
    memcpy(data + change->n_head + change->n_bytes,
           file->data + file->n_bytes - change->n_tail, change->n_tail);
    write_file(change->suffix, data, change->n_head + change->n_bytes + change->n_tail);
    free(data);
}

static const struct {
    const char *what; // of load_planetoid_changes
    const char *part;
    const char *hint;
} bad_cases[] = {
        {"graph is a list", "small.graph: holds ", "a dict of neighbour lists"},
        {"graph is empty", "small.graph: 0 nodes", "1 to"},
        {"neighbour too large", "small.graph: node 3: neighbour 0", "[0, 506)"},
        {"neighbour negative", "small.graph: node 3: neighbour 0", "[0, 506)"},
        {"neighbour is text", "small.graph: node 3: neighbour 0", "[0, 506)"},
        {"node too large", "small.graph: node 700", "[0, 506)"},
        {"node is text", "small.graph: maps ", "numbers to lists"},
        {"neighbours are a tuple", "small.graph: maps ", "numbers to lists"},
        {"shared lists", "small.graph: more neighbours than bytes", NULL},
        {"fewer nodes than rows", "small.", "504"},
        {"allx is an array", "small.allx: holds ", "a SciPy matrix"},
        {"allx is by columns", "small.allx: ", "csr_matrix"},
        {"allx has NaN", "small.allx: item 1 is nan", "finite"},
        {"allx has infinity", "small.allx: item 2 is inf", "finite"},
        {"allx has text", "small.allx: ", "numbers"},
        {"column too large", "small.allx: item 2 is 3, outside [0, 3)", NULL},
        {"column negative", "small.allx: item 2 is -1, outside [0, 3)", NULL},
        {"offsets fall", "small.allx: item 3", "must not decrease"},
        {"offsets past the end", "small.allx: the last offset is 9", "4 entries"},
        {"fewer values", "small.allx: ", "4 indices for 2 values"},
        {"huge shape", "small.allx: ", "too large"},
        {"negative shape", "small.allx: ", "-502"},
        {"rows that wrap", "small.allx: ", "4294967798"},
        {"tx has other columns", "small.tx: 2 features", "has 3"},
        {"tx has more rows", "small.tx: 3 rows", "names 2 nodes"},
        {"ally has two ones", "small.ally: row 7", "expected a single 1"},
        {"ally has a 2", "small.ally: row 7", "expected a single 1"},
        {"ally has a -1", "small.ally: row 7", "expected a single 1"},
        {"ty has halves", "small.ty: item 0 is 0.5", NULL},
        {"ally is flat", "small.ally: 1 dimensions", "a column per class"},
        {"ally has fewer rows", "small.ally: 10 rows", "502"},
        {"ty is text", "small.ty: holds text", "numbers"},
        {"ally is a list", "small.ally: holds ", "a NumPy array"},
        {"ty has other classes", "small.ty: 3 classes", "have 2"},
        {"ty has more rows", "small.ty: 3 rows", "2 nodes"},
        {"y has other classes", "small.y: 1 class,", "have 2"},
        {"y trains too many", "small.y: 3 training", "502 rows"},
        {"index too small", "small.test.index:1: \"501\"", "[502, 506)"},
        {"index too large", "small.test.index:2: \"506\"", "[502, 506)"},
        {"index negative", "small.test.index:2: \"-502\"", "[502, 506)"},
        {"index is text", "small.test.index:2: \"node\"", "[502, 506)"},
        {"index twice", "small.test.index:2: node 504", "twice"},
        {"index in two columns", "small.test.index:1: ", "[502, 506)"},
        {"index too short", "small.tx: 2 rows", "names 1 nodes"},
        {"a training node has no label", "small.", "no label"},
        {"code", "small.y: ", "system"},
};

static const load_change *change_called(const char *what)
{
    enum { N = sizeof(load_planetoid_changes) / sizeof(load_planetoid_changes[0]) };
    for (size_t c = 0; c < N; c++)
        if (strcmp(load_planetoid_changes[c].what, what) == 0)
            return &load_planetoid_changes[c];
    fail_msg("no change %s", what);
    return NULL;
}

static void test_what_is_wrong_is_refused_with_the_file_it_is_in(void **state)
{
    (void)state;
    int n_wrong = 0;
    for (size_t c = 0; c < sizeof(bad_cases) / sizeof(bad_cases[0]); c++) {
        const load_change *change = change_called(bad_cases[c].what);
        write_change(change);
        n_wrong += !load_is_refused(change->what, prefix, N_BYTES, bad_cases[c].part,
                                    bad_cases[c].hint);
        write_sample(file_number(change->suffix));
    }
    assert_int_equal(n_wrong, 0);
}

// Both matrices claim 2^31 - 2 columns, of which the rows of allx are not sorted.
static void test_empty_columns_cost_no_memory(void **state)
{
    (void)state;
    opn_status status;
    write_change(change_called("many columns"));
    write_change(change_called("many columns of tx"));
    assert_true(load_is_sound("2^31 - 2 features", prefix, N_BYTES, &status, NULL));
}

static void test_training_nodes_beyond_any_count_are_refused(void **state)
{
    (void)state;
    for (size_t f = 0; f < sizeof(load_endless_files) / sizeof(load_endless_files[0]);
         f++)
        write_file(load_endless_files[f].name, load_endless_files[f].data,
                   load_endless_files[f].n_bytes);
    assert_true(load_is_refused("2^63 - 1 training nodes", prefix, N_BYTES,
                                "small.y: 9223372036854775807 training", "502 rows"));
}

static void test_a_file_that_is_missing_empty_or_a_folder_is_refused(void **state)
{
    (void)state;
    char path[SUPPORT_PATH];
    char part[64];
    int n_wrong = 0;
    for (size_t f = 0; f < N_FILES; f++) {
        const char *suffix = load_planetoid_files[f].name;
        snprintf(part, sizeof(part), "small%s: ", suffix);
        write_file(suffix, "", 0);
        // An empty test.index is a list of no nodes, which tx does not agree with.
        n_wrong += !load_is_refused("empty", prefix, N_BYTES,
                                    strcmp(suffix, ".test.index") != 0 ? part : "small.",
                                    NULL);
        unlink(file_path(path, suffix));
        n_wrong += !load_is_refused("missing", prefix, N_BYTES, part, NULL);
        assert_int_equal(mkdir(path, 0755), 0);
        n_wrong += !load_is_refused("a folder", prefix, N_BYTES, part, "folder");
        assert_int_equal(rmdir(path), 0);
        assert_int_equal(symlink("/proc/self/mem", path), 0);
        n_wrong += !load_is_refused("unreadable", prefix, N_BYTES, part, "cannot be ");
        write_sample(f);
    }
    assert_int_equal(n_wrong, 0);
}

// ---- damage --------------------------------------------------------------------------

// A list of numbers that ends early is still one; no pickle is.
static void test_files_cut_at_any_byte_are_refused(void **state)
{
    (void)state;
    int n_wrong = 0;
    for (size_t f = 0; f < N_FILES; f++) {
        const load_sample *file = &load_planetoid_files[f];
        char part[64];
        snprintf(part, sizeof(part), "small%s: ", file->name);
        const bool is_pickle = strcmp(file->name, ".test.index") != 0;
        for (size_t n_kept = 0; n_kept < file->n_bytes; n_kept++) {
            opn_status status;
            write_file(file->name, file->data, n_kept);
            if (is_pickle)
                n_wrong += !load_is_refused("cut", prefix, N_BYTES, part, NULL);
            else
                n_wrong += !load_is_sound("cut", prefix, N_BYTES, &status, NULL);
        }
        write_sample(f);
    }
    assert_int_equal(n_wrong, 0);
}

// One bit of each byte, and all of the smaller files.
static void test_any_flipped_bit_of_a_file_is_endured(void **state)
{
    (void)state;
    unsigned char data[N_BYTES];
    int n_wrong = 0;
    for (size_t f = 0; f < N_FILES; f++) {
        const load_sample *file = &load_planetoid_files[f];
        const size_t step = file->n_bytes < 500 ? 1 : 9;
        for (size_t bit = 0; bit < 8 * file->n_bytes; bit += step) {
            opn_status status;
            memcpy(data, file->data, file->n_bytes);
            data[bit / 8] ^= (unsigned char)(1 << bit % 8);
            write_file(file->name, data, file->n_bytes);
            n_wrong += !load_is_sound(file->name, prefix, N_BYTES, &status, NULL);
        }
        write_sample(f);
    }
    assert_int_equal(n_wrong, 0);
}

static void test_loading_survives_any_allocation_failure(void **state)
{
    (void)state;
    expect_load_survives_failing_memory(prefix);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
            IN_FOLDER(test_rows_of_test_nodes_go_where_the_index_says),
            IN_FOLDER(test_the_first_nodes_train_and_the_next_500_validate),
            IN_FOLDER(test_what_is_wrong_is_refused_with_the_file_it_is_in),
            IN_FOLDER(test_empty_columns_cost_no_memory),
            IN_FOLDER(test_training_nodes_beyond_any_count_are_refused),
            IN_FOLDER(test_a_file_that_is_missing_empty_or_a_folder_is_refused),
            IN_FOLDER(test_files_cut_at_any_byte_are_refused),
            IN_FOLDER(test_any_flipped_bit_of_a_file_is_endured),
            IN_FOLDER(test_loading_survives_any_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
