// shards_test.c -- a graph comes back from a folder of blocks, or is refused.

#include "data/shard_manifest.h"
#include "graph/graph_data.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static opn_ctx *ctx;

enum { NODES = 9, BLOCKS = 4 };

// Two groups with weights, names of all sorts, roles and a node without label.
static opn_graph *make_graph(opn_ctx *own)
{
    static const opn_vid source[] = {0, 0, 1, 2, 3, 4, 4, 5, 6, 3};
    static const opn_vid target[] = {1, 2, 2, 3, 0, 5, 6, 6, 7, 4};
    static const float weight[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 0.5f};
    static const float x[NODES * 2] = {1, 0, 0.5f, -2, 0, 0, 7, 1,
                                       1, 1, 0,    3,  2, 2, 5, 0};
    static const int32_t label[NODES] = {0, 0, 1, 0, 1, 1, -1, 1, 0};
    static const char *const nodes[NODES] = {"a",        "b,c", "",   "d",   "d",
                                             "\xc3\xa9", "7",   "-1", "x\ny"};
    static const char *const classes[2] = {"red", "blue"};
    static const char *const features[2] = {"speed", "skill"};
    uint8_t role[NODES] = {OPN_ROLE_TRAIN, OPN_ROLE_TEST, OPN_ROLE_TRAIN,
                           OPN_ROLE_TEST,  OPN_ROLE_TEST, OPN_ROLE_VALIDATION};
    opn_graph *graph = NULL;
    role[6] = OPN_ROLE_UNLABELLED;
    role[7] = role[8] = OPN_ROLE_TEST;
    if (opn_graph_create_edges(own, NODES, 10, source, target, weight, &graph) ==
                OPN_OK &&
        opn_graph_set_features(own, graph, 2, x) == OPN_OK &&
        opn_graph_set_labels(own, graph, 2, label) == OPN_OK &&
        opn_graph_set_roles(own, graph, role) == OPN_OK &&
        opn_graph_set_node_names(own, graph, nodes) == OPN_OK &&
        opn_graph_set_class_names(own, graph, classes) == OPN_OK &&
        opn_graph_set_feature_names(own, graph, features) == OPN_OK)
        return graph;
    opn_graph_free(graph);
    return NULL;
}

static void expect_same_names(const opn_i_names *one, const opn_i_names *other)
{
    assert_int_equal(one->n, other->n);
    for (int64_t i = 0; i < one->n; i++)
        assert_string_equal(opn_i_names_at(one, i), opn_i_names_at(other, i));
}

static void expect_same(const opn_graph *graph, const opn_graph *other)
{
    char one[65], two[65];
    const size_t n = (size_t)opn_graph_n_nodes(graph);
    assert_int_equal(opn_graph_hash(ctx, graph, one), OPN_OK);
    assert_int_equal(opn_graph_hash(ctx, other, two), OPN_OK);
    assert_string_equal(one, two); // nodes, edges, weights, features and labels
    assert_int_equal(graph->given_role != NULL, other->given_role != NULL);
    if (graph->given_role != NULL)
        assert_memory_equal(graph->given_role, other->given_role, n);
    expect_same_names(&graph->node_names, &other->node_names);
    expect_same_names(&graph->class_names, &other->class_names);
    expect_same_names(&graph->feature_names, &other->feature_names);
    assert_true(other->is_undirected);
}

static opn_graph *come_back(const opn_graph *graph, int32_t n_blocks, const char *path)
{
    opn_graph *back = NULL;
    assert_int_equal(opn_graph_save_shards(ctx, graph, n_blocks, path), OPN_OK);
    assert_int_equal(opn_graph_load(ctx, path, NULL, &back), OPN_OK);
    return back;
}

static void a_graph_comes_back_with_names_and_roles(void **state)
{
    (void)state;
    char folder[SUPPORT_PATH], path[SUPPORT_PATH];
    support_temp_folder(folder);
    opn_graph *graph = make_graph(ctx);
    for (int32_t n_blocks = 1; n_blocks <= 16; n_blocks *= 2) {
        char name[32];
        snprintf(name, sizeof(name), "g%d.shards", n_blocks);
        opn_graph *back = come_back(graph, n_blocks, support_path(path, folder, name));
        expect_same(graph, back);
        snprintf(name, sizeof(name), "g%d", n_blocks);
        assert_string_equal(opn_graph_name(back), name);
        assert_int_equal(support_count_entries(path), n_blocks + 2);
        opn_graph_free(back);
    }
    assert_int_equal(support_count_entries(folder), 5); // nothing left beside them
    opn_graph_free(graph);
    support_remove_folder(folder);
}

static void a_graph_without_weights_features_and_names_comes_back(void **state)
{
    (void)state;
    char folder[SUPPORT_PATH], path[SUPPORT_PATH];
    support_temp_folder(folder);
    opn_graph *words = trial_draw(ctx, "nodes=300 classes=3 features=40 seed=3");
    opn_graph *back = come_back(words, 8, support_path(path, folder, "words"));
    expect_same(words, back);
    assert_null(back->topology.value);
    opn_graph_free(back);
    opn_graph_free(words);
    static const opn_vid source[] = {0, 1}, target[] = {1, 2};
    opn_graph *bare = NULL;
    assert_int_equal(opn_graph_create_edges(ctx, 5, 2, source, target, NULL, &bare),
                     OPN_OK);
    back = come_back(bare, 2, support_path(path, folder, "bare"));
    expect_same(bare, back);
    opn_graph_free(back);
    opn_graph_free(bare);
    support_remove_folder(folder);
}

static void the_manifest_tells_where_blocks_begin(void **state)
{
    (void)state;
    char folder[SUPPORT_PATH], path[SUPPORT_PATH], hash[65];
    support_temp_folder(folder);
    opn_graph *graph = make_graph(ctx);
    opn_graph_free(come_back(graph, BLOCKS, support_path(path, folder, "g")));
    opn_i_shard_manifest m = {0};
    assert_int_equal(opn_i_shard_manifest_load(ctx, path, &m), OPN_OK);
    assert_int_equal(opn_graph_hash(ctx, graph, hash), OPN_OK);
    assert_string_equal(m.hash, hash);
    assert_int_equal(m.n_blocks, BLOCKS);
    assert_int_equal(m.n_nodes, NODES);
    assert_int_equal(m.n_entries, 20);
    for (int b = 1; b < BLOCKS; b++)
        assert_int_equal(m.block[b].first_row,
                         m.block[b - 1].first_row + m.block[b - 1].n_rows);
    opn_i_shard_manifest_deinit(&ctx->alloc, &m);
    opn_graph_free(graph);
    support_remove_folder(folder);
}

static void expect_refused(const char *path, opn_status expected, const char *why)
{
    opn_graph *graph = NULL;
    assert_int_equal(opn_graph_load(ctx, path, NULL, &graph), expected);
    assert_null(graph);
    support_expect_error(ctx, why);
}

static void a_changed_or_missing_file_is_refused_by_name(void **state)
{
    (void)state;
    char folder[SUPPORT_PATH], path[SUPPORT_PATH], file[SUPPORT_PATH];
    support_temp_folder(folder);
    opn_graph *graph = make_graph(ctx);
    opn_graph_free(come_back(graph, BLOCKS, support_path(path, folder, "g")));
    static const char *const names[] = {"nodes.safetensors", "block-0002.safetensors"};
    for (int f = 0; f < 2; f++) {
        size_t n = 0;
        char *bytes = support_read_file(support_path(file, path, names[f]), &n);
        support_flip_bit(bytes, 8 * n - 1);
        support_write_file(file, bytes, n);
        expect_refused(path, OPN_ERR_FORMAT, names[f]);
        support_expect_error(ctx, "SHA-256");
        support_flip_bit(bytes, 8 * n - 1);
        support_write_file(file, bytes, n);
        free(bytes);
    }
    assert_int_equal(unlink(support_path(file, path, "block-0003.safetensors")), 0);
    expect_refused(path, OPN_ERR_READ, "block-0003.safetensors");
    opn_graph_free(graph);
    support_remove_folder(folder);
}

// Replaces the first `from` in the manifest.
static void edit_manifest(const char *path, const char *from, const char *to)
{
    char file[SUPPORT_PATH];
    char *text = support_read_file(support_path(file, path, "manifest.json"), NULL);
    char *at = strstr(text, from);
    char edited[1 << 14];
    assert_non_null(at);
    snprintf(edited, sizeof(edited), "%.*s%s%s", (int)(at - text), text, to,
             at + strlen(from));
    support_write_text(file, edited);
    free(text);
}

static void a_manifest_that_does_not_add_up_is_refused(void **state)
{
    static const char *const edits[][3] = {
            {"\"format\": \"opine shards 1\"", "\"format\": \"opine shards 9\"",
             "another version"},
            {"\"nodes\": 9", "\"nodes\": 8", "rows"},
            {"\"nodes\": 9", "\"nodes\": 10", "do not add up"},
            {"\"nodes\": 9", "\"nodes\": -9", "\"nodes\""},
            {"\"entries\": 20", "\"entries\": 20000000000", "do not add up"},
            {"\"classes\": 2", "\"classes\": \"two\"", "\"classes\""},
            {"\"classes\": 2", "\"classes\": 1", "label"},
            {"\"features\": 2", "\"features\": 1", "x_mean"},
            {"\"first_row\": 0", "\"first_row\": 1", "begin"},
            {"\"hash\": \"", "\"hash\": \"x", "SHA-256"},
            {"\"blocks\": [", "\"blocks\": [1, ", "power of two"},
            {"{", "", "manifest.json:"},
    };
    (void)state;
    for (size_t e = 0; e < sizeof(edits) / sizeof(edits[0]); e++) {
        char folder[SUPPORT_PATH], path[SUPPORT_PATH];
        support_temp_folder(folder);
        opn_graph *graph = make_graph(ctx);
        opn_graph_free(come_back(graph, BLOCKS, support_path(path, folder, "g")));
        edit_manifest(path, edits[e][0], edits[e][1]);
        expect_refused(path, OPN_ERR_FORMAT, edits[e][2]);
        opn_graph_free(graph);
        support_remove_folder(folder);
    }
}

static void what_cannot_be_written_is_refused_and_leaves_nothing(void **state)
{
    (void)state;
    char folder[SUPPORT_PATH], path[SUPPORT_PATH];
    support_temp_folder(folder);
    opn_graph *graph = make_graph(ctx);
    support_path(path, folder, "g");
    assert_int_equal(opn_graph_save_shards(ctx, graph, 3, path), OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "power of two");
    assert_int_equal(opn_graph_save_shards(ctx, graph, 0, path), OPN_ERR_INVALID_ARG);
    assert_int_equal(opn_graph_save_shards(ctx, graph, 8192, path), OPN_ERR_INVALID_ARG);
    assert_int_equal(support_count_entries(folder), 0);
    support_write_text(path, "a file");
    assert_int_equal(opn_graph_save_shards(ctx, graph, 2, path), OPN_ERR_WRITE);
    support_expect_error(ctx, "is a file");
    graph->is_undirected = false;
    assert_int_equal(
            opn_graph_save_shards(ctx, graph, 2, support_path(path, folder, "h")),
            OPN_ERR_SHAPE);
    assert_int_equal(support_count_entries(folder), 1);
    opn_graph_free(graph);
    support_remove_folder(folder);
}

static void an_interruption_leaves_nothing(void **state)
{
    (void)state;
    char folder[SUPPORT_PATH], path[SUPPORT_PATH];
    support_temp_folder(folder);
    opn_graph *graph = make_graph(ctx);
    opn_status status = OPN_ERR_INTERRUPTED;
    int n_stopped = 0;
    for (int at = 1; status == OPN_ERR_INTERRUPTED; at++, n_stopped++) {
        listener l = {.interrupt_at = at};
        support_listen(ctx, &l);
        status = opn_graph_save_shards(ctx, graph, BLOCKS,
                                       support_path(path, folder, "g"));
        if (status == OPN_ERR_INTERRUPTED)
            assert_int_equal(support_count_entries(folder), 0);
    }
    assert_int_equal(status, OPN_OK);
    assert_true(n_stopped > BLOCKS); // in between cuts and blocks
    opn_graph_free(graph);
    support_remove_folder(folder);
}

static char shared[SUPPORT_PATH];

static opn_status save_and_load(opn_ctx *own)
{
    static int n_tries = 0;
    opn_graph *graph = make_graph(own);
    opn_graph *back = NULL;
    char path[SUPPORT_PATH], name[16];
    if (graph == NULL)
        return OPN_ERR_NOMEM;
    snprintf(name, sizeof(name), "%d", n_tries++);
    support_path(path, shared, name);
    opn_status status = opn_graph_save_shards(own, graph, 2, path);
    if (status == OPN_OK)
        status = opn_graph_load(own, path, NULL, &back);
    opn_graph_free(graph);
    opn_graph_free(back);
    return status;
}

static void every_allocation_failure_is_reported_and_nothing_leaks(void **state)
{
    (void)state;
    support_temp_folder(shared);
    assert_true(support_fail_allocations(save_and_load) > 60);
    support_remove_folder(shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(a_graph_comes_back_with_names_and_roles),
            WITH_CTX(a_graph_without_weights_features_and_names_comes_back),
            WITH_CTX(the_manifest_tells_where_blocks_begin),
            WITH_CTX(a_changed_or_missing_file_is_refused_by_name),
            WITH_CTX(a_manifest_that_does_not_add_up_is_refused),
            WITH_CTX(what_cannot_be_written_is_refused_and_leaves_nothing),
            WITH_CTX(an_interruption_leaves_nothing),
            cmocka_unit_test(every_allocation_failure_is_reported_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
