// image_tiles_test.c -- images in a report: which ones, and that they are PNG.

#include "report/image_tiles.h"
#include "report/png.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <openssl/evp.h>
#include <string.h>
#include <zlib.h>

static opn_ctx *ctx;

// ---- files ---------------------------------------------------------------------------

static uint32_t be32(const unsigned char *from)
{
    return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 |
           from[3];
}

// The pixels of a PNG of `height` rows, each behind its filter 0.
static void unpack(const char *address, int height, int width, unsigned char *rows)
{
    static const char head[] = "data:image/png;base64,";
    unsigned char file[1024];
    uLongf n_rows = (uLongf)(height * (width + 1));
    assert_int_equal(strncmp(address, head, strlen(head)), 0);
    const char *text = address + strlen(head);
    assert_true(strlen(text) < 1024);
    const int n = EVP_DecodeBlock(file, (const unsigned char *)text, (int)strlen(text));
    assert_true(n > 57);
    assert_memory_equal(file, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
    assert_int_equal(be32(file + 16), width);
    assert_int_equal(be32(file + 20), height);
    assert_memory_equal(file + 24, "\x08\0\0\0\0", 5); // 8 bits, grey
    assert_int_equal(be32(file + 29), crc32(0, file + 12, 17));
    assert_memory_equal(file + 37, "IDAT", 4);
    const uint32_t n_packed = be32(file + 33);
    assert_int_equal(be32(file + 41 + n_packed), crc32(0, file + 37, n_packed + 4));
    assert_int_equal(uncompress(rows, &n_rows, file + 41, n_packed), Z_OK);
    assert_int_equal(n_rows, height * (width + 1));
    assert_memory_equal(file + 41 + n_packed + 4, "\0\0\0\0IEND\xae\x42\x60\x82", 12);
}

static void pixels_come_back_from_a_png(void **state)
{
    (void)state;
    static const unsigned char pixel[] = {0, 1, 127, 128, 254, 255};
    unsigned char rows[8];
    char *address = NULL;
    assert_int_equal(opn_i_png_address(ctx, 2, 3, pixel, &address), OPN_OK);
    unpack(address, 2, 3, rows);
    assert_memory_equal(rows, "\0\0\1\x7f\0\x80\xfe\xff", 8);
    opn_i_release(&ctx->alloc, address);
}

static void packing_survives_any_allocation_failure(void **state)
{
    (void)state;
    static const unsigned char pixel[6] = {0};
    meter *m = ctx->alloc.user;
    opn_status status = OPN_ERR_NOMEM;
    char *address = NULL;
    for (long k = 1; status != OPN_OK; k++) {
        m->fail_at = m->n_requests + k;
        status = opn_i_png_address(ctx, 2, 3, pixel, &address);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
    }
    m->fail_at = 0;
    opn_i_release(&ctx->alloc, address);
}

// ---- choice --------------------------------------------------------------------------

enum { N_NODES = 40 };

// Images of one row of two pixels: node i has the shades i / 255 and 1. Entropy is least
// in the middle of the numbers, and every other node tests.
typedef struct scene {
    opn_graph *graph;
    opn_i_view view;
    uint8_t role[N_NODES];
} scene;

static void open_scene(scene *s)
{
    float pixel[2 * N_NODES];
    static const opn_i_prediction_parts parts = {
            .has_measure = {[OPN_MEASURE_ENTROPY] = 1}};
    *s = (scene){0};
    for (int i = 0; i < N_NODES; i++) {
        pixel[2 * i] = (float)(i / 255.0);
        pixel[2 * i + 1] = 1.0f;
        s->role[i] = i % 2 == 0 ? OPN_ROLE_TEST : OPN_ROLE_TRAIN;
    }
    assert_int_equal(opn_graph_create_edges(ctx, N_NODES, 0, NULL, NULL, NULL, &s->graph),
                     OPN_OK);
    assert_int_equal(opn_graph_set_features(ctx, s->graph, 2, pixel), OPN_OK);
    s->graph->image_height = 1;
    s->graph->image_width = 2;
    s->view = (opn_i_view){.n_nodes = N_NODES, .role = s->role};
    assert_int_equal(opn_i_prediction_new(ctx, N_NODES, 2, &parts, &s->view.said),
                     OPN_OK);
    for (int i = 0; i < N_NODES; i++)
        s->view.said->measure[OPN_MEASURE_ENTROPY][i] =
                (float)((i - 20) * (i - 20) / 400.0);
}

static void close_scene(scene *s)
{
    opn_prediction_free(s->view.said);
    opn_graph_free(s->graph);
}

static int node_at(const json_t *images, const char *list, size_t t)
{
    const json_t *tile = json_array_get(json_object_get(images, list), t);
    return (int)json_integer_value(json_object_get(tile, "node"));
}

static void the_most_and_least_certain_test_images_are_shown_in_order(void **state)
{
    (void)state;
    scene s;
    json_t *images = NULL;
    unsigned char rows[3];
    open_scene(&s);
    assert_int_equal(opn_i_image_tiles(ctx, s.graph, &s.view, &images), OPN_OK);
    assert_int_equal(json_array_size(json_object_get(images, "certain")), 16);
    assert_int_equal(json_array_size(json_object_get(images, "uncertain")), 16);
    assert_string_equal(json_string_value(json_object_get(images, "of")), "test");
    assert_int_equal(node_at(images, "certain", 0), 20);
    assert_int_equal(node_at(images, "certain", 1), 18); // as certain as 22
    assert_int_equal(node_at(images, "certain", 2), 22);
    assert_int_equal(node_at(images, "uncertain", 0), 0);
    assert_int_equal(node_at(images, "uncertain", 1), 2);
    assert_int_equal(node_at(images, "uncertain", 2), 38);
    const json_t *last = json_array_get(json_object_get(images, "uncertain"), 2);
    unpack(json_string_value(json_object_get(last, "png")), 1, 2, rows);
    assert_memory_equal(rows, "\0\x26\xff", 3); // 38 and 255
    json_decref(images);
    close_scene(&s);
}

static void without_test_nodes_all_but_training_nodes_are_shown(void **state)
{
    (void)state;
    scene s;
    json_t *images = NULL;
    open_scene(&s);
    for (int i = 0; i < N_NODES; i++)
        s.role[i] = i < 3 ? OPN_ROLE_UNLABELLED : OPN_ROLE_TRAIN;
    assert_int_equal(opn_i_image_tiles(ctx, s.graph, &s.view, &images), OPN_OK);
    assert_int_equal(json_array_size(json_object_get(images, "certain")), 3);
    assert_int_equal(node_at(images, "certain", 0), 2);
    assert_string_equal(json_string_value(json_object_get(images, "of")), "other");
    json_decref(images);
    close_scene(&s);
}

static void nodes_that_are_no_images_show_none(void **state)
{
    (void)state;
    scene s;
    json_t *images = NULL;
    open_scene(&s);
    s.graph->image_height = s.graph->image_width = 0;
    assert_int_equal(opn_i_image_tiles(ctx, s.graph, &s.view, &images), OPN_OK);
    assert_true(json_is_null(images));
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(pixels_come_back_from_a_png),
            WITH_CTX(packing_survives_any_allocation_failure),
            WITH_CTX(the_most_and_least_certain_test_images_are_shown_in_order),
            WITH_CTX(without_test_nodes_all_but_training_nodes_are_shown),
            WITH_CTX(nodes_that_are_no_images_show_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
