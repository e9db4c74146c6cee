// load_idx_test.c -- images in IDX files, right, wrong and damaged.

#include "data/loaders.h"
#include "graph/graph_data.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/refusal.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static char folder[SUPPORT_PATH];

enum { N_BYTES = 256 }; // more than all files together

// Three images of 2 x 2 pixels, the second one black, and one more for testing.
static const unsigned char images[] = {0, 0, 8, 3,   0,  0, 0, 3, 0, 0, 0,   2, 0, 0,
                                       0, 2, 0, 255, 51, 0, 0, 0, 0, 0, 102, 0, 0, 255};
static const unsigned char labels[] = {0, 0, 8, 1, 0, 0, 0, 3, 1, 0, 1};
static const unsigned char test_images[] = {0, 0, 8, 3, 0, 0, 0,  1, 0, 0,
                                            0, 2, 0, 0, 0, 2, 51, 0, 0, 0};
static const unsigned char test_labels[] = {0, 0, 8, 1, 0, 0, 0, 1, 0};

static void put(const char *name, const void *data, size_t n_bytes)
{
    char path[SUPPORT_PATH];
    unlink(support_path(path, folder, name));
    support_write_file(path, data, n_bytes);
}

static void put_all(void)
{
    put("train-images-idx3-ubyte", images, sizeof(images));
    put("train-labels-idx1-ubyte", labels, sizeof(labels));
    put("t10k-images-idx3-ubyte", test_images, sizeof(test_images));
    put("t10k-labels-idx1-ubyte", test_labels, sizeof(test_labels));
}

static opn_graph *load(opn_ctx *ctx, const char *name)
{
    char path[SUPPORT_PATH];
    opn_graph *graph = NULL;
    if (opn_graph_load(ctx, support_path(path, folder, name), NULL, &graph) != OPN_OK)
        fail_msg("%s", opn_ctx_error(ctx));
    return graph;
}

static void expect_graph(const char *name, const char *wanted)
{
    opn_ctx *ctx = support_ctx(NULL);
    opn_graph *graph = load(ctx, name);
    char text[2048];
    assert_string_equal(graph_text(graph, text), wanted);
    assert_int_equal(graph->image_height, 2);
    assert_int_equal(graph->image_width, 2);
    opn_graph_free(graph);
    opn_ctx_free(ctx);
}

// ---- right ---------------------------------------------------------------------------

static const char both[] =
        "0:1 1:0 2:1 3:0; ; 0.1 0.2=0.2 2.0=0.4 2.3 3.0=0.2; 0 1; 0 1 2 3";
static const char first[] = "0:1 1:0 2:1; ; 0.1 0.2=0.2 2.0=0.4 2.3; 0 1; 0 1 2 3";

static void test_pixels_are_features_and_labels_stand_beside_them(void **state)
{
    (void)state;
    put_all();
    expect_graph("train-images-idx3-ubyte", both);
    expect_graph("t10k-images-idx3-ubyte", "0:0; ; 0.0=0.2; 0; 0 1 2 3");
}

static void test_a_test_set_beside_the_images_tests(void **state)
{
    (void)state;
    static const uint8_t wanted[] = {OPN_ROLE_TRAIN, OPN_ROLE_TRAIN, OPN_ROLE_TRAIN,
                                     OPN_ROLE_TEST};
    opn_ctx *ctx = support_ctx(NULL);
    put_all();
    opn_graph *graph = load(ctx, "train-images-idx3-ubyte");
    assert_memory_equal(graph->given_role, wanted, sizeof(wanted));
    opn_graph_free(graph);
    graph = load(ctx, "t10k-images-idx3-ubyte");
    assert_null(graph->given_role);
    opn_graph_free(graph);
    opn_ctx_free(ctx);
}

static void test_a_folder_of_images_is_read(void **state)
{
    (void)state;
    put_all();
    expect_graph("", both);
}

static void test_files_may_be_packed_or_have_a_dot(void **state)
{
    (void)state;
    char path[SUPPORT_PATH];
    put("train-labels-idx1-ubyte", labels, sizeof(labels));
    gzFile file = gzopen(support_path(path, folder, "train-images-idx3-ubyte.gz"), "wb");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, images, sizeof(images)), sizeof(images));
    assert_int_equal(gzclose(file), Z_OK);
    expect_graph("train-images-idx3-ubyte.gz", first);
    put("train-images.idx3-ubyte", images, sizeof(images));
    put("train-labels.idx1-ubyte", labels, sizeof(labels));
    expect_graph("train-images.idx3-ubyte", first);
}

static void test_images_need_no_labels(void **state)
{
    (void)state;
    put("train-images-idx3-ubyte", images, sizeof(images));
    expect_graph("train-images-idx3-ubyte",
                 "0: 1: 2:; ; 0.1 0.2=0.2 2.0=0.4 2.3; ; 0 1 2 3");
}

static void test_numbers_that_leave_some_out_become_names(void **state)
{
    (void)state;
    static const unsigned char gaps[] = {0, 0, 8, 1, 0, 0, 0, 3, 26, 1, 200};
    put("train-images-idx3-ubyte", images, sizeof(images));
    put("train-labels-idx1-ubyte", gaps, sizeof(gaps));
    expect_graph("train-images-idx3-ubyte",
                 "0:26 1:1 2:200; ; 0.1 0.2=0.2 2.0=0.4 2.3; 1 26 200; 0 1 2 3");
}

static void test_names_tell_idx_files_from_others(void **state)
{
    (void)state;
    assert_true(opn_i_path_is_idx("a/train-images-idx3-ubyte.gz"));
    assert_true(opn_i_path_is_idx("emnist-letters-train-images.idx3-ubyte"));
    assert_false(opn_i_path_is_idx("train-idx3/graph.npz"));
    assert_false(opn_i_path_is_idx("idx3.npz"));
    assert_false(opn_i_path_is_idx("idx.npz"));
    assert_false(opn_i_path_is_idx("ind.cora"));
}

// ---- wrong ---------------------------------------------------------------------------

typedef struct bad_case {
    const char *name;
    unsigned char data[24];
    size_t n_bytes;
    const char *part, *hint;
} bad_case;

#define BYTES(...) {__VA_ARGS__}, sizeof((unsigned char[]){__VA_ARGS__})

static const bad_case bad_cases[] = {
        {"train-images-idx3-ubyte", BYTES(0x93, 'N', 'U', 'M'), "is no IDX file",
         "two zero bytes"},
        {"train-images-idx3-ubyte", BYTES(0, 0, 7, 1), "byte 2: 0x07", "0x08"},
        {"train-images-idx3-ubyte", BYTES(0, 0, 8, 0), "0 dimensions", "1 to 8"},
        {"train-images-idx3-ubyte", BYTES(0, 0, 8, 9), "9 dimensions", "1 to 8"},
        {"train-images-idx3-ubyte", BYTES(0, 0, 8, 3, 0, 0, 0, 1), "8 bytes, too few",
         "3 dimensions"},
        {"train-images-idx3-ubyte", BYTES(0, 0, 8, 1, 0, 0, 0, 1, 5),
         "one number for each item", "name the file of the images"},
        {"train-images-idx3-ubyte", BYTES(0, 0, 8, 2, 0, 0, 0, 1, 0, 0, 0, 1, 5),
         "2 dimensions", "rows and columns"},
        {"train-images-idx3-ubyte",
         BYTES(0, 0, 8, 3, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0),
         "2147483647 images of 0 x 0", "at least one"},
        {"train-images-idx3-ubyte",
         BYTES(0, 0, 8, 3, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255),
         "beyond any file", NULL},
        {"train-images-idx3-ubyte",
         BYTES(0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 5), "needs 2 bytes, 1",
         NULL},
        {"train-images-idx3-ubyte",
         BYTES(0, 0, 13, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 63, 128, 0, 0),
         "items of 4 bytes, type f", "unsigned bytes"},
        {"train-labels-idx1-ubyte", BYTES(0, 0, 8, 1, 0, 0, 0, 2, 1, 0), "2 labels",
         "has 3 images"},
        {"train-labels-idx1-ubyte", BYTES(0, 0, 8, 2, 0, 0, 0, 3, 0, 0, 0, 1, 1, 0, 1),
         "2 dimensions", "one label for each image"},
        {"t10k-images-idx3-ubyte",
         BYTES(0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 4, 1, 2, 3, 4),
         "images of 1 x 4 pixels", "has 2 x 2"},
};

static void test_what_is_wrong_is_refused_with_the_file_it_is_in(void **state)
{
    (void)state;
    int n_wrong = 0;
    for (size_t c = 0; c < sizeof(bad_cases) / sizeof(bad_cases[0]); c++) {
        const bad_case *bad = &bad_cases[c];
        put_all();
        put(bad->name, bad->data, bad->n_bytes);
        n_wrong += !load_is_refused(bad->part, folder, N_BYTES, bad->name, bad->part);
        if (bad->hint != NULL)
            n_wrong += !load_is_refused(bad->hint, folder, N_BYTES, bad->hint, NULL);
    }
    assert_int_equal(n_wrong, 0);
}

static void test_a_file_that_cannot_be_read_is_refused(void **state)
{
    (void)state;
    char path[SUPPORT_PATH];
    put_all();
    unlink(support_path(path, folder, "train-labels-idx1-ubyte"));
    assert_int_equal(mkdir(path, 0755), 0);
    assert_true(load_is_refused("a folder", folder, N_BYTES, "train-labels", "folder"));
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(symlink("/proc/self/mem", path), 0);
    assert_true(
            load_is_refused("unreadable", folder, N_BYTES, "train-labels", "cannot be "));
}

// ---- damage --------------------------------------------------------------------------

static const struct {
    const char *name;
    const unsigned char *data;
    size_t n_bytes;
} files[] = {{"train-images-idx3-ubyte", images, sizeof(images)},
             {"train-labels-idx1-ubyte", labels, sizeof(labels)},
             {"t10k-images-idx3-ubyte", test_images, sizeof(test_images)},
             {"t10k-labels-idx1-ubyte", test_labels, sizeof(test_labels)}};
enum { N_FILES = sizeof(files) / sizeof(files[0]) };

static void test_files_cut_at_any_byte_are_refused(void **state)
{
    (void)state;
    int n_wrong = 0;
    put_all();
    for (size_t f = 0; f < N_FILES; f++) {
        for (size_t n_kept = 0; n_kept < files[f].n_bytes; n_kept++) {
            put(files[f].name, files[f].data, n_kept);
            n_wrong += !load_is_refused("cut", folder, N_BYTES, files[f].name, NULL);
        }
        put(files[f].name, files[f].data, files[f].n_bytes);
    }
    assert_int_equal(n_wrong, 0);
}

static void test_a_packed_file_cut_at_any_byte_is_refused(void **state)
{
    (void)state;
    char path[SUPPORT_PATH];
    size_t n_packed = 0;
    int n_wrong = 0;
    put_all();
    unlink(support_path(path, folder, "train-images-idx3-ubyte"));
    support_path(path, folder, "train-images-idx3-ubyte.gz");
    gzFile file = gzopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, images, sizeof(images)), sizeof(images));
    assert_int_equal(gzclose(file), Z_OK);
    char *packed = support_read_file(path, &n_packed);
    assert_true(n_packed > 20);
    for (size_t n_kept = 0; n_kept < n_packed; n_kept++) {
        put("train-images-idx3-ubyte.gz", packed, n_kept);
        n_wrong += !load_is_refused("cut", folder, N_BYTES, "train-images", NULL);
    }
    free(packed);
    unlink(path);
    assert_int_equal(n_wrong, 0);
}

static void test_any_flipped_bit_of_a_file_is_endured(void **state)
{
    (void)state;
    unsigned char data[N_BYTES];
    int n_wrong = 0;
    put_all();
    for (size_t f = 0; f < N_FILES; f++) {
        for (size_t bit = 0; bit < 8 * files[f].n_bytes; bit++) {
            opn_status status;
            memcpy(data, files[f].data, files[f].n_bytes);
            support_flip_bit(data, bit);
            put(files[f].name, data, files[f].n_bytes);
            n_wrong += !load_is_sound(files[f].name, folder, N_BYTES, &status, NULL);
        }
        put(files[f].name, files[f].data, files[f].n_bytes);
    }
    assert_int_equal(n_wrong, 0);
}

static void test_loading_survives_any_allocation_failure(void **state)
{
    (void)state;
    put_all();
    expect_load_survives_failing_memory(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_FOLDER(test_pixels_are_features_and_labels_stand_beside_them),
            WITH_FOLDER(test_a_test_set_beside_the_images_tests),
            WITH_FOLDER(test_a_folder_of_images_is_read),
            WITH_FOLDER(test_files_may_be_packed_or_have_a_dot),
            WITH_FOLDER(test_images_need_no_labels),
            WITH_FOLDER(test_numbers_that_leave_some_out_become_names),
            WITH_FOLDER(test_names_tell_idx_files_from_others),
            WITH_FOLDER(test_what_is_wrong_is_refused_with_the_file_it_is_in),
            WITH_FOLDER(test_a_file_that_cannot_be_read_is_refused),
            WITH_FOLDER(test_files_cut_at_any_byte_are_refused),
            WITH_FOLDER(test_a_packed_file_cut_at_any_byte_is_refused),
            WITH_FOLDER(test_any_flipped_bit_of_a_file_is_endured),
            WITH_FOLDER(test_loading_survives_any_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
