// report_load_test.c -- reports of a model or of predictions, read from their files.

#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/page_reader.h"
#include "support/run_place.h"
#include "support/support.h"
#include "support/trial.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

// ---- models --------------------------------------------------------------------------

static void save_model(const place *at, const opn_graph *graph, const char *settings)
{
    opn_model *model = trial_train(ctx, graph, settings);
    assert_int_equal(opn_model_save(ctx, model, at->model), OPN_OK);
    opn_model_free(model);
}

static void a_model_of_a_graph_in_memory_needs_one_to_be_shown_on(void **state)
{
    (void)state;
    place at = place_open(ctx);
    opn_graph *graph = trial_draw_split(ctx, "nodes=60 classes=3 features=12", 5);
    save_model(&at, graph, "model=gcn epochs=2");
    place_expect_refused(ctx, at.model, NULL, "", OPN_ERR_INVALID_ARG, "name the graph");
    support_expect_error(ctx, at.model);
    place_expect_refused(ctx, at.model, "nowhere", "", OPN_ERR_READ, "nowhere");
    opn_graph_free(graph);
    place_close(&at);
}

static void a_model_finds_the_graph_it_was_trained_on(void **state)
{
    (void)state;
    place at = place_open(ctx);
    save_model(&at, at.graph, "model=gcn epochs=2");
    page read = place_load(ctx, &at, at.model, NULL, "");
    assert_string_equal(page_string(read.about, "title"), "data");
    assert_int_equal(place_n_views(&read), 1);
    page_free(&read);
    support_remove_folder(at.data);
    place_expect_refused(ctx, at.model, NULL, "", OPN_ERR_READ,
                         "cannot be read any more");
    support_expect_error(ctx, at.data);
    place_save_graph(ctx, "nodes=60 classes=3 features=12 seed=7", at.data);
    place_expect_refused(ctx, at.model, NULL, "", OPN_ERR_SHAPE,
                         "which has changed since");
    assert_int_equal(place_try_load(ctx, at.model, at.data, ""), OPN_OK);
    place_close(&at);
}

static void a_model_is_shown_on_its_graph(void **state)
{
    (void)state;
    place at = place_open(ctx);
    opn_model *model = trial_train(ctx, at.graph, "model=s-bgcn-t-k epochs=5 samples=3");
    assert_int_equal(opn_model_save(ctx, model, at.model), OPN_OK);
    page read = place_load(ctx, &at, at.model, at.data, "perplexity=9");
    opn_prediction *said = opinions_ask(ctx, model, at.graph, NULL);
    const json_t *view = page_view(&read, 0);
    assert_int_equal(place_n_views(&read), 1);
    assert_string_equal(page_string(read.about, "title"), "data");
    for (int m = 0; m < OPN_N_MEASURES; m++)
        page_expect_floats(&read, 0, opn_measure_name((opn_measure)m), said->measure[m],
                           PLACE_NODES);
    assert_true(page_number(view, "embedding.perplexity") == 9.0);
    assert_int_equal(json_array_size(page_member(view, "training")), 2);
    place_expect_same_weights(view);
    page_free(&read);
    opn_prediction_free(said);
    opn_model_free(model);
    place_close(&at);
}

static void a_model_that_does_not_fit_the_graph_is_refused(void **state)
{
    (void)state;
    place at = place_open(ctx);
    opn_graph *wide = trial_draw(ctx, "nodes=60 classes=3 features=13");
    opn_model *model = trial_train(ctx, wide, "model=gcn epochs=2");
    assert_int_equal(opn_model_save(ctx, model, at.model), OPN_OK);
    assert_int_equal(place_try_load(ctx, at.model, at.data, ""), OPN_ERR_SHAPE);
    opn_model_free(model);
    opn_graph_free(wide);
    place_close(&at);
}

static void what_is_nothing_of_ours_is_refused(void **state)
{
    (void)state;
    static const char header[] = "\x07\0\0\0\0\0\0\0{\"a\":1}"; // as a model begins
    place at = place_open(ctx);
    place_expect_refused(ctx, "nowhere/to/be/found", NULL, "", OPN_ERR_READ,
                         "nowhere/to/be/found");
    support_write_text(at.model, "this is no model\n");
    assert_int_equal(place_try_load(ctx, at.model, at.data, ""), OPN_ERR_FORMAT);
    support_write_text(at.model, "");
    assert_int_equal(place_try_load(ctx, at.model, at.data, ""), OPN_ERR_FORMAT);
    support_write_file(at.model, header, sizeof(header) - 1);
    assert_int_equal(place_try_load(ctx, at.model, at.data, ""), OPN_ERR_FORMAT);
    support_expect_error(ctx, at.model);
    place_close(&at);
}

// ---- predictions ---------------------------------------------------------------------

static const char *const forms[] = {"out.csv", "out.npz", "out.json"};

static void save_predictions(const place *at, const char *settings, const char *path)
{
    opn_model *model = trial_train(ctx, at->graph, settings);
    opn_prediction *said = opinions_ask(ctx, model, at->graph, NULL);
    opn_split *split = NULL;
    assert_int_equal(opn_model_split(ctx, model, at->graph, &split), OPN_OK);
    assert_int_equal(opn_prediction_save(ctx, model, at->graph, split, said, path),
                     OPN_OK);
    opn_split_free(split);
    opn_prediction_free(said);
    opn_model_free(model);
}

static void expect_predictions(const place *at, const page *read, const char *settings)
{
    opn_model *model = trial_train(ctx, at->graph, settings);
    opn_split *split = NULL;
    opn_prediction *said = opinions_ask(ctx, model, at->graph, NULL);
    const json_t *view = page_view(read, 0);
    const bool has_alpha = opn_model_measures(model, OPN_MEASURE_VACUITY);
    uint32_t *role = page_array(read, 0, "role", "u8", PLACE_NODES);
    uint32_t *predicted = page_array(read, 0, "predicted", "u16", PLACE_NODES);
    int n_pool = 0;
    assert_int_equal(opn_model_split(ctx, model, at->graph, &split), OPN_OK);
    for (int i = 0; i < PLACE_NODES; i++) {
        char number[12];
        const int32_t k = said->predicted[i];
        char path[32];
        snprintf(path, sizeof(path), "graph.classes.%u", (unsigned)predicted[i]);
        assert_string_equal(page_string(read->about, path),
                            opn_model_class_name(model, k));
        assert_int_equal(role[i], opn_split_roles(split)[i]);
        n_pool += role[i] == OPN_ROLE_TEST || role[i] == OPN_ROLE_POOL;
        // Without names nodes are called by their numbers.
        const json_t *names = page_member(read->about, "graph.names");
        snprintf(path, sizeof(path), "%d", i);
        assert_string_equal(json_is_null(names) ? path : page_string(names, path),
                            opn_graph_node_name(at->graph, i, number));
    }
    for (int m = 0; m < OPN_N_MEASURES; m++)
        if (opn_model_measures(model, (opn_measure)m))
            page_expect_floats(read, 0, opn_measure_name((opn_measure)m),
                               said->measure[m], PLACE_NODES);
    assert_int_equal(page_has_array(read, "0.alpha"), has_alpha);
    assert_int_equal(page_number(view, "pool.nodes"), n_pool);
    assert_string_equal(page_string(view, "model"), "predictions");
    assert_string_equal(page_string(view, "embedding.of"), "opinions");
    assert_int_equal(page_number(view, "embedding.dimensions"), said->n_classes);
    assert_true(page_is_null(view, "training"));
    assert_non_null(
            strstr(page_string(view, "training_note"), "predictions do not record"));
    free(role);
    free(predicted);
    opn_prediction_free(said);
    opn_split_free(split);
    opn_model_free(model);
}

static void predictions_are_shown_with_their_graph_and_without(void **state)
{
    (void)state;
    static const char *const settings[] = {
            "model=s-bgcn-t-k epochs=5 samples=3",
            "model=s-bgcn-t epochs=5 samples=3 task=ood ood_classes=1",
            "model=drop-gcn epochs=5 samples=3"};
    place at = place_open(ctx);
    for (int c = 0; c < 9; c++) {
        char path[SUPPORT_PATH];
        const bool is_ood = c / 3 == 1;
        support_path(path, at.folder, forms[c % 3]);
        save_predictions(&at, settings[c / 3], path);
        for (int with = 0; with < 2; with++) {
            page read = place_load(ctx, &at, path, with ? at.data : NULL, "");
            const json_t *view = page_view(&read, 0);
            expect_predictions(&at, &read, settings[c / 3]);
            assert_int_equal(page_number(read.about, "graph.edges"),
                             with ? opn_graph_n_entries(at.graph) / 2 : 0);
            assert_string_equal(page_string(read.about, "title"),
                                with ? "data" : forms[c % 3]);
            assert_string_equal(page_string(view, "task"),
                                is_ood ? "ood" : "misclassification");
            assert_int_equal(page_number(view, "pool.ood") > 0.0, is_ood);
            assert_int_equal(json_array_size(page_member(read.about, "graph.classes")),
                             PLACE_CLASSES);
            assert_int_equal(json_array_size(page_member(view, "known")),
                             is_ood ? 2 : PLACE_CLASSES);
            page_free(&read);
        }
    }
    place_close(&at);
}

static void predictions_of_other_nodes_are_refused(void **state)
{
    (void)state;
    place at = place_open(ctx);
    char path[SUPPORT_PATH];
    save_predictions(&at, "model=s-gcn epochs=2",
                     support_path(path, at.folder, "out.csv"));
    // One node fewer, and one of another name.
    char *text = support_read_file(path, NULL);
    char *last = strrchr(text, '\n');
    assert_non_null(last);
    *last = 0;
    char *cut = strrchr(text, '\n');
    support_write_file(path, text, (size_t)(cut + 1 - text));
    place_expect_refused(ctx, path, at.data, "", OPN_ERR_SHAPE,
                         "has 59 nodes, but data has 60");
    *last = '\n';
    char *third = text;
    for (int line = 0; line < 3; line++)
        third = strchr(third, '\n') + 1;
    *third = 'z';
    support_write_text(path, text);
    place_expect_refused(ctx, path, at.data, "", OPN_ERR_SHAPE,
                         "node 2 is \"z\", but in data it is \"2\"");
    page read = place_load(ctx, &at, path, NULL, "");
    assert_string_equal(page_string(read.about, "graph.names.2"), "z");
    page_free(&read);
    free(text);
    place_close(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(a_model_of_a_graph_in_memory_needs_one_to_be_shown_on),
            WITH_CTX(a_model_finds_the_graph_it_was_trained_on),
            WITH_CTX(a_model_is_shown_on_its_graph),
            WITH_CTX(a_model_that_does_not_fit_the_graph_is_refused),
            WITH_CTX(what_is_nothing_of_ours_is_refused),
            WITH_CTX(predictions_are_shown_with_their_graph_and_without),
            WITH_CTX(predictions_of_other_nodes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
