// graph_bytes_test.c -- graphs to and from memory, copies that may be changed, and names.

#include "graph/graph_data.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

enum { NODES = 4, EDGES = 4, FEATURES = 2 };
static const char *const node_names[NODES] = {"ada", "", "\xc3\xa9t\xc3\xa9", "ada"};
static const char *const class_names[2] = {"red", "a,b"};
static const char *const feature_names[FEATURES] = {"speed", "skill"};
static const uint8_t roles[NODES] = {OPN_ROLE_TRAIN, OPN_ROLE_VALIDATION,
                                     OPN_ROLE_UNLABELLED, OPN_ROLE_TEST};

// A square with weights, names and roles.
static opn_graph *square(opn_ctx *own)
{
    static const opn_vid source[EDGES] = {0, 1, 2, 3};
    static const opn_vid target[EDGES] = {1, 2, 3, 0};
    static const float weight[EDGES] = {1, 2, 3, 4};
    static const float x[NODES * FEATURES] = {1, 0, 0.5f, -2, 0, 0, 7, 1};
    static const int32_t label[NODES] = {0, 1, -1, 0};
    opn_graph *graph = NULL;
    if (opn_graph_create_edges(own, NODES, EDGES, source, target, weight, &graph) ==
                OPN_OK &&
        opn_graph_set_features(own, graph, FEATURES, x) == OPN_OK &&
        opn_graph_set_labels(own, graph, 2, label) == OPN_OK &&
        opn_graph_set_roles(own, graph, roles) == OPN_OK &&
        opn_graph_set_node_names(own, graph, node_names) == OPN_OK &&
        opn_graph_set_class_names(own, graph, class_names) == OPN_OK &&
        opn_graph_set_feature_names(own, graph, feature_names) == OPN_OK &&
        opn_graph_set_name(own, graph, "square") == OPN_OK)
        return graph;
    opn_graph_free(graph);
    return NULL;
}

static opn_bytes *bytes_of(const opn_graph *graph)
{
    opn_bytes *bytes = NULL;
    assert_int_equal(opn_graph_write(ctx, graph, &bytes), OPN_OK);
    return bytes;
}

static opn_graph *read_back(const opn_bytes *bytes)
{
    opn_graph *graph = NULL;
    assert_int_equal(
            opn_graph_read(ctx, opn_bytes_data(bytes), opn_bytes_size(bytes), &graph),
            OPN_OK);
    return graph;
}

static void expect_same(const opn_graph *graph, const opn_graph *other)
{
    opn_bytes *a = bytes_of(graph);
    opn_bytes *b = bytes_of(other);
    assert_int_equal(opn_bytes_size(a), opn_bytes_size(b));
    assert_memory_equal(opn_bytes_data(a), opn_bytes_data(b), opn_bytes_size(a));
    opn_bytes_free(a);
    opn_bytes_free(b);
}

// ---- there and back ------------------------------------------------------------------

static void a_graph_comes_back_with_all_that_belongs_to_it(void **state)
{
    (void)state;
    opn_graph *graph = square(ctx);
    opn_bytes *bytes = bytes_of(graph);
    opn_graph *again = read_back(bytes);
    char number[12];
    char hash[2][65];
    assert_int_equal(opn_graph_hash(ctx, graph, hash[0]), OPN_OK);
    assert_int_equal(opn_graph_hash(ctx, again, hash[1]), OPN_OK);
    assert_string_equal(hash[0], hash[1]);
    assert_string_equal(opn_graph_name(again), "square");
    for (int i = 0; i < NODES; i++)
        assert_string_equal(opn_graph_node_name(again, i, number), node_names[i]);
    for (int k = 0; k < 2; k++) {
        assert_string_equal(opn_graph_class_name(again, k, number), class_names[k]);
        assert_string_equal(opn_graph_feature_name(again, k, number), feature_names[k]);
    }
    assert_memory_equal(opn_graph_roles(again), roles, sizeof(roles));
    expect_same(graph, again);
    opn_bytes_free(bytes);
    opn_graph_free(graph);
    opn_graph_free(again);
}

static void a_dataset_stays_one_and_is_trained_like_it(void **state)
{
    (void)state;
    opn_graph *demo = NULL;
    assert_int_equal(opn_graph_load(ctx, "demo", NULL, &demo), OPN_OK);
    opn_bytes *bytes = bytes_of(demo);
    opn_graph *again = read_back(bytes);
    expect_same(demo, again);
    assert_string_equal(opn_graph_source(again), "demo");
    assert_int_equal(opn_graph_usual_steps(again), opn_graph_usual_steps(demo));
    opn_model *model[2] = {trial_train(ctx, demo, "model=s-gcn epochs=2"),
                           trial_train(ctx, again, "model=s-gcn epochs=2")};
    trial_expect_same(ctx, model[0], model[1]);
    opn_model_free(model[0]);
    opn_model_free(model[1]);
    opn_bytes_free(bytes);
    opn_graph_free(demo);
    opn_graph_free(again);
}

static void a_directed_graph_keeps_its_directions(void **state)
{
    (void)state;
    opn_graph *graph = square(ctx);
    graph->is_undirected = false;
    graph->topology.row_ptr[1] = 0; // both entries of node 0 belong to node 1 now
    opn_bytes *bytes = bytes_of(graph);
    opn_graph *again = read_back(bytes);
    assert_false(again->is_undirected);
    expect_same(graph, again);
    opn_bytes_free(bytes);
    opn_graph_free(graph);
    opn_graph_free(again);
}

// ---- bytes from anywhere -------------------------------------------------------------

static void bytes_cut_short_are_refused(void **state)
{
    (void)state;
    opn_graph *graph = square(ctx);
    opn_bytes *bytes = bytes_of(graph);
    for (size_t n = 0; n < opn_bytes_size(bytes); n++) {
        opn_graph *again = NULL;
        assert_int_equal(opn_graph_read(ctx, opn_bytes_data(bytes), n, &again),
                         OPN_ERR_FORMAT);
        assert_null(again);
    }
    opn_bytes_free(bytes);
    opn_graph_free(graph);
}

// Reads what a graph claims to hold, for the sanitizers.
static void look_at(const opn_graph *graph)
{
    opn_graph_info info;
    char hash[65];
    assert_int_equal(opn_graph_describe(ctx, graph, &info), OPN_OK);
    assert_int_equal(opn_graph_hash(ctx, graph, hash), OPN_OK);
}

static void a_changed_byte_gives_an_error_or_a_sound_graph(void **state)
{
    (void)state;
    opn_graph *graph = square(ctx);
    opn_bytes *bytes = bytes_of(graph);
    const size_t n = opn_bytes_size(bytes);
    unsigned char *copy = malloc(n);
    int n_refused = 0;
    assert_non_null(copy);
    for (size_t at = 0; at < n; at++) {
        opn_graph *again = NULL;
        memcpy(copy, opn_bytes_data(bytes), n);
        copy[at] ^= (unsigned char)(0x81u >> at % 2);
        if (opn_graph_read(ctx, copy, n, &again) == OPN_OK)
            look_at(again);
        else
            n_refused++;
        opn_graph_free(again);
    }
    assert_true(n_refused > 100);
    free(copy);
    opn_bytes_free(bytes);
    opn_graph_free(graph);
}

// Seeds of another version are refused at the door, and the fuzzer never comes in.
static void the_seeds_of_the_fuzzer_are_graphs_of_this_version(void **state)
{
    (void)state;
    static const char *const seeds[] = {"triangle", "square", "image", "array"};
    for (size_t s = 0; s < sizeof(seeds) / sizeof(seeds[0]); s++) {
        char path[SUPPORT_PATH];
        size_t n_bytes = 0;
        opn_graph *graph = NULL;
        char *data =
                support_read_file(support_path(path, GRAPH_SEEDS, seeds[s]), &n_bytes);
        if (opn_graph_read(ctx, data, n_bytes, &graph) != OPN_OK)
            fail_msg("%s: %s", seeds[s], opn_ctx_error(ctx));
        opn_graph_free(graph);
        free(data);
    }
}

static void a_model_is_no_graph(void **state)
{
    (void)state;
    opn_graph *graph = trial_draw(ctx, "nodes=60 features=12");
    opn_model *model = trial_train(ctx, graph, "model=gcn epochs=1");
    opn_bytes *bytes = NULL;
    opn_graph *again = NULL;
    assert_int_equal(opn_model_write(ctx, model, &bytes), OPN_OK);
    assert_int_equal(
            opn_graph_read(ctx, opn_bytes_data(bytes), opn_bytes_size(bytes), &again),
            OPN_ERR_FORMAT);
    support_expect_error(ctx, "no graph of opine");
    opn_bytes_free(bytes);
    opn_model_free(model);
    opn_graph_free(graph);
}

// ---- what may be set -----------------------------------------------------------------

static void a_loaded_graph_refuses_what_its_copy_accepts(void **state)
{
    (void)state;
    opn_graph *demo = NULL;
    opn_graph *copy = NULL;
    assert_int_equal(opn_graph_load(ctx, "demo", NULL, &demo), OPN_OK);
    const opn_vid n = opn_graph_n_nodes(demo);
    int32_t *label = calloc((size_t)n, sizeof(*label));
    assert_non_null(label);
    assert_int_equal(opn_graph_set_labels(ctx, demo, 2, label), OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "demo was loaded");
    assert_int_equal(opn_graph_set_name(ctx, demo, "mine"), OPN_ERR_INVALID_ARG);
    assert_int_equal(opn_graph_set_class_names(ctx, demo, NULL), OPN_ERR_INVALID_ARG);
    assert_int_equal(opn_graph_copy(ctx, demo, &copy), OPN_OK);
    assert_int_equal(opn_graph_set_labels(ctx, copy, 2, label), OPN_OK);
    assert_int_equal(opn_graph_n_classes(copy), 2);
    assert_int_equal(opn_graph_n_classes(demo), 6);
    free(label);
    opn_graph_free(demo);
    opn_graph_free(copy);
}

static void new_labels_and_features_drop_the_names_of_the_old(void **state)
{
    (void)state;
    static const int32_t label[NODES] = {2, 1, 0, 0};
    static const float x[NODES] = {1, 2, 3, 4};
    opn_graph *graph = square(ctx);
    assert_true(opn_graph_has_class_names(graph) && opn_graph_has_feature_names(graph));
    assert_int_equal(opn_graph_set_labels(ctx, graph, 3, label), OPN_OK);
    assert_int_equal(opn_graph_set_features(ctx, graph, 1, x), OPN_OK);
    assert_false(opn_graph_has_class_names(graph));
    assert_false(opn_graph_has_feature_names(graph));
    assert_true(opn_graph_has_node_names(graph));
    assert_null(opn_graph_roles(graph));
    assert_int_equal(opn_graph_set_node_names(ctx, graph, NULL), OPN_OK);
    assert_false(opn_graph_has_node_names(graph));
    opn_graph_free(graph);
}

static void names_that_cannot_be_are_refused(void **state)
{
    (void)state;
    static const char *const twice[2] = {"red", "red"};
    static const char *const broken[NODES] = {"a", "b", "\xff", "c"};
    static const char *const none[NODES] = {"a", NULL, "b", "c"};
    opn_graph *graph = square(ctx);
    assert_int_equal(opn_graph_set_class_names(ctx, graph, twice), OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "class 0 and 1 are both called \"red\"");
    assert_int_equal(opn_graph_set_node_names(ctx, graph, broken), OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "node 2 is not UTF-8");
    assert_int_equal(opn_graph_set_node_names(ctx, graph, none), OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "node 1 has no name");
    assert_true(opn_graph_has_node_names(graph)); // those before
    opn_graph_free(graph);
}

static void getters_give_back_what_was_set(void **state)
{
    (void)state;
    static const opn_off row_ptr[NODES + 1] = {0, 1, 3, 3, 5};
    static const int32_t col_idx[] = {0, 0, 1, 0, 1};
    static const float value[] = {1, 0.5f, -2, 7, 1};
    static const float weights[2 * EDGES] = {1, 4, 1, 2, 2, 3, 4, 3};
    static const float dense[NODES * FEATURES] = {1, 0, 0.5f, -2, 0, 0, 7, 1};
    opn_graph *graph = square(ctx);
    float got[2 * EDGES];
    opn_off got_ptr[NODES + 1];
    int32_t got_idx[5];
    assert_int_equal(opn_graph_n_feature_entries(graph), 5);
    opn_graph_features_csr(graph, got_ptr, got_idx, got);
    assert_memory_equal(got_ptr, row_ptr, sizeof(row_ptr));
    assert_memory_equal(got_idx, col_idx, sizeof(col_idx));
    assert_memory_equal(got, value, sizeof(value));
    opn_graph_features(graph, got);
    assert_memory_equal(got, dense, sizeof(dense));
    assert_int_equal(opn_graph_weights(graph, got), 1);
    assert_memory_equal(got, weights, sizeof(weights));
    opn_graph_free(graph);
}

static void datasets_list_their_files(void **state)
{
    (void)state;
    for (size_t d = 0; d < opn_dataset_count(); d++) {
        const opn_dataset *dataset = opn_dataset_at(d);
        const size_t n = opn_dataset_n_files(dataset);
        opn_dataset_file file;
        bool is_there = false;
        assert_int_equal(n == 0, dataset->file == NULL);
        for (size_t i = 0; i < n; i++) {
            opn_dataset_file_at(dataset, i, &file);
            assert_int_equal(strlen(file.sha256), 64);
            assert_true(file.n_bytes > 0 && strstr(file.origin, "://") != NULL);
            is_there |= strncmp(file.path, dataset->file, strlen(dataset->file)) == 0;
        }
        assert_int_equal(is_there, n > 0);
        opn_dataset_file_at(dataset, n, &file);
        assert_null(file.path);
    }
}

static void images_and_scaled_rows_stay_what_they_are(void **state)
{
    (void)state;
    opn_graph *graph = square(ctx);
    opn_bytes *bytes = NULL;
    opn_graph *again = NULL;
    graph->image_height = 1;
    graph->image_width = 2;
    graph->rows_are_scaled = true;
    assert_int_equal(opn_graph_write(ctx, graph, &bytes), OPN_OK);
    assert_int_equal(
            opn_graph_read(ctx, opn_bytes_data(bytes), opn_bytes_size(bytes), &again),
            OPN_OK);
    assert_true(again->image_height == 1 && again->image_width == 2);
    assert_true(again->rows_are_scaled);
    opn_bytes_free(bytes);
    opn_graph_free(again);
    graph->image_width = 3; // of two features
    assert_int_equal(opn_graph_write(ctx, graph, &bytes), OPN_OK);
    assert_int_equal(
            opn_graph_read(ctx, opn_bytes_data(bytes), opn_bytes_size(bytes), &again),
            OPN_ERR_FORMAT);
    support_expect_error(ctx, "images of 1 x 3 pixels for 2 features");
    opn_bytes_free(bytes);
    opn_graph_free(graph);
}

// ---- faults --------------------------------------------------------------------------

static void every_allocation_failure_is_reported_and_nothing_leaks(void **state)
{
    (void)state;
    opn_status status = OPN_ERR_NOMEM;
    int n_refused = -1;
    for (long fail_at = 1; status != OPN_OK; fail_at++, n_refused++) {
        meter m = {0};
        opn_ctx *own = support_ctx(&m);
        opn_graph *graph = square(own);
        opn_graph *again = NULL;
        opn_bytes *bytes = NULL;
        m.n_requests = 0;
        m.fail_at = fail_at;
        status = opn_graph_write(own, graph, &bytes);
        if (status == OPN_OK)
            status = opn_graph_read(own, opn_bytes_data(bytes), opn_bytes_size(bytes),
                                    &again);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
        opn_graph_free(graph);
        opn_graph_free(again);
        opn_bytes_free(bytes);
        support_ctx_free(own, &m);
    }
    assert_true(n_refused > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(a_graph_comes_back_with_all_that_belongs_to_it),
            WITH_CTX(a_dataset_stays_one_and_is_trained_like_it),
            WITH_CTX(a_directed_graph_keeps_its_directions),
            WITH_CTX(bytes_cut_short_are_refused),
            WITH_CTX(a_changed_byte_gives_an_error_or_a_sound_graph),
            WITH_CTX(the_seeds_of_the_fuzzer_are_graphs_of_this_version),
            WITH_CTX(a_model_is_no_graph),
            WITH_CTX(a_loaded_graph_refuses_what_its_copy_accepts),
            WITH_CTX(new_labels_and_features_drop_the_names_of_the_old),
            WITH_CTX(names_that_cannot_be_are_refused),
            WITH_CTX(getters_give_back_what_was_set),
            WITH_CTX(datasets_list_their_files),
            WITH_CTX(images_and_scaled_rows_stay_what_they_are),
            cmocka_unit_test(every_allocation_failure_is_reported_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
