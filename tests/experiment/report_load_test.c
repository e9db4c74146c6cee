// report_load_test.c -- reports of what runs have left behind: models, predictions, and
// the folders of evaluations and reproductions.

#include "experiment/evaluation_data.h"
#include "graph/graph_data.h"
#include "math/real.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/page_reader.h"
#include "support/support.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static opn_ctx *ctx;

// Nothing here is to survive the machine.
int fdatasync(int fildes)
{
    (void)fildes;
    return 0;
}

// ---- the scene -----------------------------------------------------------------------

enum { N_NODES = 60, N_CLASSES = 3 };

// Of five nodes one trains, one validates, the others are scored.
static opn_graph *draw_graph(const char *drawn)
{
    opn_graph *graph = trial_draw(ctx, drawn);
    uint8_t role[N_NODES];
    for (int i = 0; i < N_NODES; i++)
        role[i] = i % 5 == 0   ? OPN_ROLE_TRAIN
                  : i % 5 == 1 ? OPN_ROLE_VALIDATION
                               : OPN_ROLE_TEST;
    assert_int_equal(opn_graph_set_roles(ctx, graph, role), OPN_OK);
    return graph;
}

// A graph that is also a folder of CSV files, and a run to be.
typedef struct place {
    char folder[SUPPORT_PATH];
    char data[SUPPORT_PATH], other[SUPPORT_PATH]; // two graphs
    char run[SUPPORT_PATH], cells[SUPPORT_PATH], models[SUPPORT_PATH];
    char evaluation[SUPPORT_PATH], results[SUPPORT_PATH];
    char model[SUPPORT_PATH], page[SUPPORT_PATH];
    opn_graph *graph;
} place;

static void save_graph(const char *drawn, const char *path)
{
    opn_graph *graph = draw_graph(drawn);
    assert_int_equal(opn_graph_save(ctx, graph, path), OPN_OK);
    opn_graph_free(graph);
}

static opn_graph *load_graph(const char *data)
{
    opn_graph *graph = NULL;
    opn_params *params = NULL;
    assert_int_equal(opn_params_create(ctx, &params), OPN_OK);
    assert_int_equal(opn_graph_load_prepared(ctx, data, params, &graph), OPN_OK);
    opn_params_free(params);
    return graph;
}

static place open_place(void)
{
    static const char drawn[] = "nodes=60 classes=3 features=12 homophily=0.5";
    place at = {.graph = NULL};
    support_temp_folder(at.folder);
    support_path(at.data, at.folder, "data");
    support_path(at.other, at.folder, "other");
    support_path(at.run, at.folder, "run");
    support_path(at.cells, at.run, "cells.jsonl");
    support_path(at.models, at.run, "models");
    support_path(at.evaluation, at.run, "evaluation.json");
    support_path(at.results, at.run, "results.json");
    support_path(at.model, at.folder, "model.safetensors");
    support_path(at.page, at.folder, "page.html");
    save_graph(drawn, at.data);
    save_graph("nodes=60 classes=3 features=12 homophily=0.5 seed=9", at.other);
    at.graph = load_graph(at.data);
    return at;
}

static void close_place(place *at)
{
    opn_graph_free(at->graph);
    support_remove_folder(at->folder);
}

static opn_status try_load(const char *run, const char *data, const char *settings)
{
    opn_params *params = trial_params(ctx, settings);
    opn_report *report = NULL;
    const opn_status status = opn_report_load(ctx, run, data, params, &report);
    assert_int_equal(report != NULL, status == OPN_OK);
    opn_report_free(report);
    opn_params_free(params);
    return status;
}

static void expect_refused(const char *run,
                           const char *data,
                           const char *settings,
                           opn_status want,
                           const char *part)
{
    const opn_status status = try_load(run, data, settings);
    if (status != want)
        fail_msg("%s: %s", opn_status_name(status), opn_ctx_error(ctx));
    support_expect_error(ctx, part);
}

static page load(const place *at, const char *run, const char *data, const char *settings)
{
    opn_params *params = trial_params(ctx, settings);
    opn_report *report = NULL;
    if (opn_report_load(ctx, run, data, params, &report) != OPN_OK)
        fail_msg("%s: %s", run, opn_ctx_error(ctx));
    assert_int_equal(opn_report_save(ctx, report, at->page), OPN_OK);
    opn_report_free(report);
    opn_params_free(params);
    return page_read(at->page);
}

static int n_views(const page *read)
{
    return (int)json_array_size(page_member(read->about, "views"));
}

static void expect_models(const page *read, int n, const char *const *model)
{
    assert_int_equal(n_views(read), n);
    for (int v = 0; v < n; v++)
        assert_string_equal(page_string(page_view(read, v), "model"), model[v]);
}

static void
expect_unit(const page *read, int v, const char *name, const float *want, size_t n)
{
    uint32_t *got = page_array(read, v, name, "u16", n);
    for (size_t j = 0; j < n; j++)
        if (fabs(got[j] / 65535.0 - (double)want[j]) > 1e-5)
            fail_msg("%s of %zu: %g is not %g", name, j, got[j] / 65535.0,
                     (double)want[j]);
    free(got);
}

// The file of a model holds floats: in a double build the weights are a little others.
static void expect_same_weights(const json_t *view)
{
    assert_int_equal(strstr(page_string(view, "training_note"), "same weights") != NULL,
                     sizeof(opn_real) == sizeof(float));
}

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
    place at = open_place();
    opn_graph *graph = draw_graph("nodes=60 classes=3 features=12");
    save_model(&at, graph, "model=gcn epochs=2");
    expect_refused(at.model, NULL, "", OPN_ERR_INVALID_ARG, "name the graph");
    support_expect_error(ctx, at.model);
    expect_refused(at.model, "nowhere", "", OPN_ERR_READ, "nowhere");
    opn_graph_free(graph);
    close_place(&at);
}

static void a_model_finds_the_graph_it_was_trained_on(void **state)
{
    (void)state;
    place at = open_place();
    save_model(&at, at.graph, "model=gcn epochs=2");
    page read = load(&at, at.model, NULL, "");
    assert_string_equal(page_string(read.about, "title"), "data");
    assert_int_equal(n_views(&read), 1);
    page_free(&read);
    support_remove_folder(at.data);
    expect_refused(at.model, NULL, "", OPN_ERR_READ, "cannot be read any more");
    support_expect_error(ctx, at.data);
    save_graph("nodes=60 classes=3 features=12 seed=7", at.data);
    expect_refused(at.model, NULL, "", OPN_ERR_SHAPE, "which has changed since");
    assert_int_equal(try_load(at.model, at.data, ""), OPN_OK);
    close_place(&at);
}

static void a_model_is_shown_on_its_graph(void **state)
{
    (void)state;
    place at = open_place();
    opn_model *model = trial_train(ctx, at.graph, "model=s-bgcn-t-k epochs=5 samples=3");
    assert_int_equal(opn_model_save(ctx, model, at.model), OPN_OK);
    page read = load(&at, at.model, at.data, "perplexity=9");
    opn_prediction *said = opinions_ask(ctx, model, at.graph, NULL);
    const json_t *view = page_view(&read, 0);
    assert_int_equal(n_views(&read), 1);
    assert_string_equal(page_string(read.about, "title"), "data");
    for (int m = 0; m < OPN_N_MEASURES; m++)
        expect_unit(&read, 0, opn_measure_name((opn_measure)m), said->measure[m],
                    N_NODES);
    assert_true(page_number(view, "embedding.perplexity") == 9.0);
    assert_int_equal(json_array_size(page_member(view, "training")), 2);
    expect_same_weights(view);
    page_free(&read);
    opn_prediction_free(said);
    opn_model_free(model);
    close_place(&at);
}

static void a_model_that_does_not_fit_the_graph_is_refused(void **state)
{
    (void)state;
    place at = open_place();
    opn_graph *wide = trial_draw(ctx, "nodes=60 classes=3 features=13");
    opn_model *model = trial_train(ctx, wide, "model=gcn epochs=2");
    assert_int_equal(opn_model_save(ctx, model, at.model), OPN_OK);
    assert_int_equal(try_load(at.model, at.data, ""), OPN_ERR_SHAPE);
    opn_model_free(model);
    opn_graph_free(wide);
    close_place(&at);
}

static void what_is_nothing_of_ours_is_refused(void **state)
{
    (void)state;
    static const char header[] = "\x07\0\0\0\0\0\0\0{\"a\":1}"; // as a model begins
    place at = open_place();
    expect_refused("nowhere/to/be/found", NULL, "", OPN_ERR_READ, "nowhere/to/be/found");
    support_write_text(at.model, "this is no model\n");
    assert_int_equal(try_load(at.model, at.data, ""), OPN_ERR_FORMAT);
    support_write_text(at.model, "");
    assert_int_equal(try_load(at.model, at.data, ""), OPN_ERR_FORMAT);
    support_write_file(at.model, header, sizeof(header) - 1);
    assert_int_equal(try_load(at.model, at.data, ""), OPN_ERR_FORMAT);
    support_expect_error(ctx, at.model);
    close_place(&at);
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
    uint32_t *role = page_array(read, 0, "role", "u8", N_NODES);
    uint32_t *predicted = page_array(read, 0, "predicted", "u16", N_NODES);
    int n_pool = 0;
    assert_int_equal(opn_model_split(ctx, model, at->graph, &split), OPN_OK);
    for (int i = 0; i < N_NODES; i++) {
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
            expect_unit(read, 0, opn_measure_name((opn_measure)m), said->measure[m],
                        N_NODES);
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
    place at = open_place();
    for (int c = 0; c < 9; c++) {
        char path[SUPPORT_PATH];
        const bool is_ood = c / 3 == 1;
        support_path(path, at.folder, forms[c % 3]);
        save_predictions(&at, settings[c / 3], path);
        for (int with = 0; with < 2; with++) {
            page read = load(&at, path, with ? at.data : NULL, "");
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
                             N_CLASSES);
            assert_int_equal(json_array_size(page_member(view, "known")),
                             is_ood ? 2 : N_CLASSES);
            page_free(&read);
        }
    }
    close_place(&at);
}

static void predictions_of_other_nodes_are_refused(void **state)
{
    (void)state;
    place at = open_place();
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
    expect_refused(path, at.data, "", OPN_ERR_SHAPE, "has 59 nodes, but data has 60");
    *last = '\n';
    char *third = text;
    for (int line = 0; line < 3; line++)
        third = strchr(third, '\n') + 1;
    *third = 'z';
    support_write_text(path, text);
    expect_refused(path, at.data, "", OPN_ERR_SHAPE,
                   "node 2 is \"z\", but in data it is \"2\"");
    page read = load(&at, path, NULL, "");
    assert_string_equal(page_string(read.about, "graph.names.2"), "z");
    page_free(&read);
    free(text);
    close_place(&at);
}

// ---- folders of evaluations ----------------------------------------------------------

static opn_evaluation *evaluate(const place *at, const char *settings)
{
    opn_params *params = trial_params(ctx, settings);
    opn_evaluation *found = NULL;
    if (opn_evaluate(ctx, at->graph, params, at->run, &found) != OPN_OK)
        fail_msg("%s", opn_ctx_error(ctx));
    opn_params_free(params);
    return found;
}

// Numbers are written as no program would.
static const char both[] = "seeds=2 model=gcn,s-bgcn-t,drop-gcn epochs=04 samples=2 "
                           "hidden=4 protocol=full weight_decay=0.000022 "
                           "learning_rate=0.010";

// The folder of a run of both tasks, and its evaluation.json.
static void make_run(const place *at)
{
    opn_evaluation *found = evaluate(at, both);
    assert_int_equal(opn_evaluation_save(ctx, found, at->evaluation), OPN_OK);
    opn_evaluation_free(found);
}

static void expect_estimate(const json_t *cell, opn_estimate want)
{
    const double got[3] = {page_number(cell, "mean"), page_number(cell, "low"),
                           page_number(cell, "high")};
    const double values[3] = {want.mean, want.low, want.high};
    for (int n = 0; n < 3; n++)
        if (fabs(got[n] - values[n]) > 2e-3)
            fail_msg("%g is not %g", got[n], values[n]);
}

static int32_t score_of(const char *name)
{
    for (int32_t s = 0; s < OPN_N_SCORES; s++)
        if (strcmp(opn_score_name(s), name) == 0)
            return s;
    fail_msg("%s is no score", name);
    return -1;
}

static int32_t model_of(const opn_evaluation *found, const char *id)
{
    for (int32_t m = 0; m < opn_evaluation_n_models(found); m++)
        if (strcmp(opn_evaluation_model(found, m), id) == 0)
            return m;
    fail_msg("%s is no model", id);
    return -1;
}

static void tables_are_those_of_the_evaluation(void **state)
{
    (void)state;
    place at = open_place();
    make_run(&at);
    opn_evaluation *found = evaluate(&at, both);
    page read = load(&at, at.run, at.data, "model=gcn");
    const json_t *detection = page_member(read.about, "tables.0");
    const json_t *quality = page_member(read.about, "tables.1");
    const json_t *rows = page_member(detection, "rows");
    int n_rows = 0;
    size_t r = 0;
    json_t *row = NULL;
    assert_int_equal(json_array_size(page_member(read.about, "tables")), 2);
    assert_int_equal(json_array_size(page_member(detection, "columns")), 7);
    json_array_foreach(rows, r, row)
    {
        const int32_t m = model_of(found, page_string(row, "0"));
        const int32_t s = score_of(page_string(row, "1"));
        for (int k = 0; k < OPN_N_METRICS; k++)
            expect_estimate(json_array_get(row, 2 + (size_t)k),
                            opn_evaluation_metric(found, m, (opn_metric)k, s));
    }
    for (int32_t m = 0; m < 3; m++) {
        row = json_array_get(page_member(quality, "rows"), (size_t)m);
        assert_string_equal(page_string(row, "0"), opn_evaluation_model(found, m));
        for (int q = 0; q < OPN_N_QUALITIES; q++)
            expect_estimate(json_array_get(row, 1 + (size_t)q),
                            opn_evaluation_quality(found, m, (opn_quality)q));
        assert_int_equal(page_number(row, "5"), 4);
        assert_true(page_number(row, "6") >= 0.0);
        for (int32_t s = 0; s < OPN_N_SCORES; s++)
            n_rows += !isnan(opn_evaluation_metric(found, m, OPN_METRIC_AUROC, s).mean);
    }
    assert_int_equal(json_array_size(rows), n_rows);
    assert_string_equal(page_string(read.about, "manifest.1.0"), "dataset");
    assert_string_equal(page_string(read.about, "manifest.1.1"), "data");
    page_free(&read);
    opn_evaluation_free(found);
    close_place(&at);
}

static void an_interval_of_one_seed_is_null(void **state)
{
    (void)state;
    place at = open_place();
    opn_evaluation *found = evaluate(&at, "seeds=1 model=gcn epochs=2 protocol=full");
    assert_int_equal(opn_evaluation_save(ctx, found, at.evaluation), OPN_OK);
    opn_evaluation_free(found);
    page read = load(&at, at.run, at.data, "");
    const json_t *cell = page_member(read.about, "tables.1.rows.0.1");
    assert_true(page_number(cell, "mean") >= 0.0);
    assert_true(page_is_null(cell, "low") && page_is_null(cell, "high"));
    page_free(&read);
    close_place(&at);
}

// What each model says in the run is what it says when it is trained by itself.
static void views_are_those_of_the_kept_models(void **state)
{
    (void)state;
    static const char *const models[] = {"s-bgcn-t", "drop-gcn", "gcn"};
    place at = open_place();
    make_run(&at);
    page read = load(&at, at.run, at.data, "");
    opn_evaluation *found = evaluate(&at, both);
    expect_models(&read, 3, models);
    for (int v = 0; v < 3; v++) {
        const json_t *view = page_view(&read, v);
        const int32_t m = model_of(found, models[v]);
        const opn_cell *cell = &opn_i_evaluation_cells(found, m)[0];
        assert_int_equal(page_number(view, "seed"), 0);
        for (int q = 0; q < OPN_N_QUALITIES; q++) {
            const double got = page_number(page_member(view, "quality"),
                                           opn_quality_name((opn_quality)q));
            assert_true(fabs(got - cell->quality[q]) <= 2e-3);
        }
        const json_t *one = page_of_measure(
                page_member(view, "detection.misclassification.measures"), "entropy");
        const double auroc = cell->metric[OPN_METRIC_AUROC][OPN_MEASURE_ENTROPY];
        assert_true(fabs(page_number(one, "auroc") - auroc) <= 2e-3);
        expect_same_weights(view);
    }
    assert_string_equal(page_string(read.about, "title"), "data");
    opn_evaluation_free(found);
    page_free(&read);
    close_place(&at);
}

static void parameters_choose_models_and_tasks(void **state)
{
    (void)state;
    static const char *const first[] = {"s-bgcn-t"};
    static const char *const two[] = {"drop-gcn", "gcn"};
    static const char *const tasks[] = {"s-bgcn-t", "s-bgcn-t"};
    place at = open_place();
    make_run(&at);
    opn_evaluation_free(evaluate(&at,
                                 "seeds=1 model=s-bgcn-t epochs=4 samples=2 hidden=4 "
                                 "task=ood ood_classes=2"));
    page read = load(&at, at.run, at.data, "model=s-bgcn-t");
    expect_models(&read, 2, tasks);
    assert_string_equal(page_string(page_view(&read, 0), "task"), "misclassification");
    assert_string_equal(page_string(page_view(&read, 1), "task"), "ood");
    assert_int_equal(json_array_size(page_member(page_view(&read, 1), "known")), 2);
    page_free(&read);
    read = load(&at, at.run, at.data, "task=ood");
    expect_models(&read, 1, first);
    assert_string_equal(page_string(page_view(&read, 0), "task"), "ood");
    page_free(&read);
    read = load(&at, at.run, at.data, "model=gcn,drop-gcn");
    expect_models(&read, 2, two);
    page_free(&read);
    expect_refused(at.run, at.data, "model=sage", OPN_ERR_INVALID_ARG,
                   "has no results for this `dataset`, `task` and `model`");
    expect_refused(at.run, at.data, "dataset=cora", OPN_ERR_INVALID_ARG, at.run);
    close_place(&at);
}

// Of the same model the paper's preset, the first seed, the fewest epochs.
static void of_several_results_the_plainest_is_shown(void **state)
{
    (void)state;
    place at = open_place();
    opn_evaluation_free(evaluate(&at, "seeds=1 seed=4 model=gcn epochs=5 preset=strong"));
    opn_evaluation_free(evaluate(&at, "seeds=1 seed=7 model=gcn epochs=5"));
    opn_evaluation_free(evaluate(&at, "seeds=2 seed=5 model=gcn epochs=6"));
    opn_evaluation_free(evaluate(&at, "seeds=1 seed=5 model=gcn epochs=3"));
    page read = load(&at, at.run, at.data, "");
    assert_int_equal(n_views(&read), 1);
    assert_int_equal(page_number(page_view(&read, 0), "seed"), 5);
    assert_int_equal(
            json_array_size(page_member(page_view(&read, 0), "training.0.epoch")), 3);
    page_free(&read);
    close_place(&at);
}

static void of_more_than_six_models_the_most_telling_are_shown(void **state)
{
    (void)state;
    static const char *const shown[] = {"s-bgcn-t-k", "s-bgcn-t", "s-bgcn",
                                        "dpn-gcn",    "s-gcn",    "edl-gcn"};
    place at = open_place();
    listener l = {.n_progress = 0};
    opn_evaluation_free(evaluate(&at, "seeds=1 epochs=1 samples=2 model=gcn,drop-gcn,"
                                      "edl-gcn,s-gcn,s-bgcn,s-bgcn-t"));
    opn_evaluation_free(evaluate(&at, "seeds=1 epochs=1 samples=2 model=dpn-gcn,"
                                      "s-bgcn-t-k"));
    support_listen(ctx, &l);
    page read = load(&at, at.run, at.data, "");
    assert_int_equal(opn_ctx_set_hooks(ctx, NULL), OPN_OK);
    assert_int_equal(n_views(&read), 6);
    for (int v = 0; v < 3; v++)
        assert_string_equal(page_string(page_view(&read, v), "model"), shown[v]);
    for (int v = 0; v < 6; v++) {
        const char *id = page_string(page_view(&read, v), "model");
        assert_true(strcmp(id, "gcn") != 0 && strcmp(id, "drop-gcn") != 0);
    }
    assert_non_null(strstr(l.log, "showing 6 of 8 models"));
    page_free(&read);
    close_place(&at);
}

static void count_trainings(void *user, const opn_progress *progress)
{
    int *n = user;
    *n += progress->done == progress->total && strcmp(progress->stage, "model") == 0;
}

// Each view is trained once to see how, and once more where no model was kept.
static void kept_models_are_not_trained(void **state)
{
    (void)state;
    place at = open_place();
    int n_trainings = 0;
    const opn_hooks hooks = {
            .size = sizeof(opn_hooks), .progress = count_trainings, .user = &n_trainings};
    make_run(&at);
    for (int kept = 1; kept >= 0; kept--) {
        if (!kept)
            support_remove_folder(at.models);
        n_trainings = 0;
        assert_int_equal(opn_ctx_set_hooks(ctx, &hooks), OPN_OK);
        page read = load(&at, at.run, at.data, "");
        assert_int_equal(opn_ctx_set_hooks(ctx, NULL), OPN_OK);
        assert_int_equal(n_views(&read), 3);
        assert_int_equal(n_trainings, kept ? 3 : 6);
        page_free(&read);
    }
    close_place(&at);
}

static void a_report_leaves_the_folder_as_it_is(void **state)
{
    (void)state;
    place at = open_place();
    make_run(&at);
    const int n_entries = support_count_entries(at.run);
    const int n_models = support_count_entries(at.models);
    size_t n_cells = 0;
    char *cells = support_read_file(at.cells, &n_cells);
    page read = load(&at, at.run, at.data, "");
    support_expect_file(at.cells, cells, n_cells);
    assert_int_equal(support_count_entries(at.run), n_entries);
    assert_int_equal(support_count_entries(at.models), n_models);
    free(cells);
    page_free(&read);
    close_place(&at);
}

static void the_graph_that_a_run_names_is_found(void **state)
{
    (void)state;
    place at = open_place();
    opn_graph_free(at.graph);
    at.graph = load_graph("demo");
    opn_evaluation_free(evaluate(&at, "seeds=1 model=gcn epochs=2"));
    page read = load(&at, at.run, NULL, "");
    assert_string_equal(page_string(read.about, "graph.name"), "demo");
    assert_string_equal(page_string(read.about, "title"), "demo");
    assert_int_equal(page_number(read.about, "graph.nodes"), opn_graph_n_nodes(at.graph));
    page_free(&read);
    close_place(&at);
}

static void a_run_finds_its_own_data(void **state)
{
    (void)state;
    place at = open_place();
    make_run(&at);
    page read = load(&at, at.run, NULL, "");
    assert_string_equal(page_string(read.about, "graph.name"), "data");
    page_free(&read);
    support_remove_folder(at.data);
    expect_refused(at.run, NULL, "", OPN_ERR_READ, "cannot be read any more; name the");
    support_expect_error(ctx, at.data);
    save_graph("nodes=60 classes=3 features=12 seed=7", at.data);
    expect_refused(at.run, NULL, "", OPN_ERR_SHAPE, "which has changed since; name the");
    support_expect_error(ctx, at.data);
    close_place(&at);
}

static void evaluate_graph(place *at, const char *data)
{
    opn_graph_free(at->graph);
    at->graph = load_graph(data);
    opn_evaluation *found = evaluate(at, "seeds=1 model=gcn epochs=2");
    assert_int_equal(opn_evaluation_save(ctx, found, at->evaluation), OPN_OK);
    opn_evaluation_free(found);
}

static void a_run_of_two_graphs_shows_the_one_that_is_named(void **state)
{
    (void)state;
    place at = open_place();
    evaluate_graph(&at, at.data);
    evaluate_graph(&at, at.other);
    const struct {
        const char *data, *want;
    } cases[] = {{NULL, "data"}, {at.data, "data"}, {at.other, "other"}};
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        listener heard = {0};
        support_listen(ctx, &heard);
        page read = load(&at, at.run, cases[c].data, "");
        assert_string_equal(page_string(read.about, "graph.name"), cases[c].want);
        assert_int_equal(n_views(&read), 1);
        // The tables are of the graph that was evaluated last.
        assert_int_equal(json_array_size(page_member(read.about, "tables")) > 0,
                         strcmp(cases[c].want, "other") == 0);
        page_free(&read);
        assert_int_equal(opn_ctx_set_hooks(ctx, NULL), OPN_OK);
    }
    close_place(&at);
}

static void a_run_whose_data_have_changed_shows_them_as_they_are(void **state)
{
    (void)state;
    place at = open_place();
    evaluate_graph(&at, at.data);
    support_remove_folder(at.data);
    save_graph("nodes=60 classes=3 features=12 seed=7", at.data);
    evaluate_graph(&at, at.data);
    for (int named = 0; named < 2; named++) {
        page read = load(&at, at.run, named ? at.data : NULL, "");
        assert_int_equal(n_views(&read), 1);
        assert_int_equal(json_array_size(page_member(read.about, "tables")) > 0, 1);
        page_free(&read);
    }
    close_place(&at);
}

// ---- folders that are broken ---------------------------------------------------------

static void a_folder_that_is_no_run_is_refused(void **state)
{
    (void)state;
    place at = open_place();
    expect_refused(at.data, NULL, "", OPN_ERR_READ, "has no cells.jsonl");
    assert_int_equal(mkdir(at.run, 0777), 0);
    support_write_text(at.cells, "");
    expect_refused(at.run, at.data, "", OPN_ERR_FORMAT, "has no results yet");
    support_write_text(at.cells, "{\"model\":\"gcn\"");
    expect_refused(at.run, at.data, "", OPN_ERR_FORMAT, "has no results yet");
    close_place(&at);
}

static void a_run_of_another_graph_is_refused(void **state)
{
    (void)state;
    place at = open_place();
    make_run(&at);
    expect_refused(at.run, at.other, "", OPN_ERR_SHAPE,
                   "the results are for another graph than other");
    close_place(&at);
}

static void append(const char *path, const char *text)
{
    char *was = support_read_file(path, NULL);
    char *all = malloc(strlen(was) + strlen(text) + 1);
    assert_non_null(all);
    strcpy(all, was);
    strcat(all, text);
    support_write_text(path, all);
    free(was);
    free(all);
}

static void a_last_line_that_was_cut_is_passed_over(void **state)
{
    (void)state;
    place at = open_place();
    make_run(&at);
    append(at.cells, "{\"model\":\"s-gcn\",\"parameters\":{\"epo");
    page read = load(&at, at.run, at.data, "");
    assert_int_equal(n_views(&read), 3);
    page_free(&read);
    close_place(&at);
}

static void a_broken_line_is_named(void **state)
{
    (void)state;
    static const char *const lines[] = {"{\"model\":\"s-gcn\",\"parame\n",
                                        "\n",
                                        "[]\n",
                                        "7\n",
                                        "{}\n",
                                        "{\"parameters\":[]}\n"};
    place at = open_place();
    make_run(&at);
    char *cells = support_read_file(at.cells, NULL);
    int n = 1;
    for (const char *c = cells; *c != 0; c++)
        n += *c == '\n';
    for (size_t j = 0; j < sizeof(lines) / sizeof(lines[0]); j++) {
        char where[64];
        support_write_text(at.cells, cells);
        append(at.cells, lines[j]);
        snprintf(where, sizeof(where), "cells.jsonl:%d: is not a result of an evaluation",
                 n);
        expect_refused(at.run, at.data, "", OPN_ERR_FORMAT, where);
    }
    free(cells);
    close_place(&at);
}

// Models of a later version are passed over; so is what it calls a parameter.
static void results_that_this_version_does_not_know_are_passed_over(void **state)
{
    (void)state;
    place at = open_place();
    make_run(&at);
    append(at.cells, "{\"model\":\"s-xyz\",\"task\":\"ood\",\"parameters\":{}}\n");
    page read = load(&at, at.run, at.data, "");
    assert_int_equal(n_views(&read), 3);
    page_free(&read);
    support_write_text(at.cells, "{\"model\":\"s-xyz\",\"parameters\":{}}\n");
    expect_refused(at.run, at.data, "", OPN_ERR_INVALID_ARG, "has no results for this");
    close_place(&at);
}

// Every value of every parameter of a result, replaced by what it should not be.
static void parameters_that_make_no_sense_do_no_harm(void **state)
{
    (void)state;
    static const char *const values[] = {
            "null", "true",  "[]",          "{}",
            "-7",   "1e300", "\"\\u0000\"", "\"no such thing\""};
    place at = open_place();
    opn_evaluation_free(evaluate(&at, "seeds=1 model=gcn epochs=2 hidden=4"));
    char *cells = support_read_file(at.cells, NULL);
    json_t *line = json_loads(cells, JSON_DISABLE_EOF_CHECK, NULL);
    const char *name = NULL;
    json_t *was = NULL;
    json_object_foreach(page_member(line, "parameters"), name, was)
    {
        for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
            json_t *copy = json_deep_copy(line);
            json_t *value = json_loads(values[v], JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
            assert_non_null(value);
            json_object_set_new(page_member(copy, "parameters"), name, value);
            char *text = json_dumps(copy, 0);
            support_write_text(at.cells, text);
            append(at.cells, "\n");
            opn_status status = OPN_OK;
            // Of so many epochs or units the model would be trained.
            if (strcmp(values[v], "1e300") != 0 || strcmp(name, "epochs") != 0)
                status = try_load(at.run, at.data, "");
            if (status == OPN_ERR_INTERNAL || status == OPN_ERR_NONFINITE)
                fail_msg("%s: %s: %s", name, values[v], opn_ctx_error(ctx));
            free(text);
            json_decref(copy);
        }
    }
    json_decref(line);
    free(cells);
    close_place(&at);
}

static void an_evaluation_that_is_broken_is_refused(void **state)
{
    (void)state;
    place at = open_place();
    make_run(&at);
    support_write_text(at.evaluation, "{\n\"results\": [\n}");
    expect_refused(at.run, at.data, "", OPN_ERR_FORMAT, "evaluation.json:3: is not JSON");
    support_write_text(at.evaluation, "{}");
    expect_refused(at.run, at.data, "", OPN_ERR_FORMAT, "has no member \"results\"");
    support_expect_error(ctx, at.evaluation);
    support_write_text(at.evaluation, "[1]");
    expect_refused(at.run, at.data, "", OPN_ERR_FORMAT, "results of an evaluation");
    // Results without what they should have are rows without it.
    support_write_text(at.evaluation,
                       "{\"results\":[7,{},{\"model\":\"m\",\"auroc\":{\"s\":"
                       "{\"mean\":1}}}]}");
    page read = load(&at, at.run, at.data, "model=gcn");
    assert_int_equal(json_array_size(page_member(read.about, "tables.0.rows")), 1);
    assert_int_equal(json_array_size(page_member(read.about, "tables.1.rows")), 3);
    assert_true(page_number(read.about, "tables.0.rows.0.2.mean") == 1.0);
    assert_true(page_is_null(read.about, "tables.0.rows.0.2.low"));
    assert_true(page_is_null(read.about, "tables.0.rows.0.3"));
    page_free(&read);
    close_place(&at);
}

static void a_run_without_tables_yet_is_warned_of(void **state)
{
    (void)state;
    place at = open_place();
    listener l = {.n_progress = 0};
    make_run(&at);
    assert_int_equal(unlink(at.evaluation), 0);
    support_listen(ctx, &l);
    page read = load(&at, at.run, at.data, "model=gcn");
    assert_int_equal(opn_ctx_set_hooks(ctx, NULL), OPN_OK);
    assert_int_equal(json_array_size(page_member(read.about, "tables")), 0);
    assert_int_equal(l.n_messages[OPN_LOG_WARNING], 1);
    assert_non_null(strstr(l.log, "is not finished"));
    page_free(&read);
    close_place(&at);
}

// ---- reproductions -------------------------------------------------------------------

static void results_of_a_reproduction_are_a_table_each(void **state)
{
    (void)state;
    place at = open_place();
    make_run(&at);
    assert_int_equal(unlink(at.evaluation), 0);
    support_write_text(
            at.results,
            "{\"version\":\"0.1.0\",\"results\":["
            "{\"table\":\"2\",\"dataset\":\"cora\",\"task\":\"ood\",\"model\":\"gcn\","
            "\"setting\":\"usual\",\"measure\":\"entropy\",\"metric\":\"auroc\","
            "\"paper\":81.5,\"mean\":82.5,\"ci95\":[80.25,84.75],\"difference\":1},"
            "{\"table\":\"3\",\"dataset\":\"pubmed\",\"mean\":null},"
            "{\"table\":\"2\",\"dataset\":\"citeseer\",\"mean\":5}]}");
    page read = load(&at, at.run, at.data, "model=gcn");
    const json_t *table = page_member(read.about, "tables.0");
    assert_int_equal(json_array_size(page_member(read.about, "tables")), 2);
    assert_string_equal(page_string(table, "title"), "Table 2");
    assert_string_equal(page_string(read.about, "tables.1.title"), "Table 3");
    assert_int_equal(json_array_size(page_member(table, "columns")), 9);
    assert_int_equal(json_array_size(page_member(table, "rows")), 2);
    assert_string_equal(page_string(table, "rows.0.0"), "cora");
    assert_string_equal(page_string(table, "rows.0.5"), "auroc");
    assert_true(page_number(table, "rows.0.6") == 81.5);
    assert_true(page_number(table, "rows.0.7.mean") == 82.5);
    assert_true(page_number(table, "rows.0.7.low") == 80.25);
    assert_true(page_number(table, "rows.0.7.high") == 84.75);
    assert_true(page_number(table, "rows.0.8") == 1.0);
    assert_string_equal(page_string(table, "rows.1.0"), "citeseer");
    assert_true(page_is_null(read.about, "tables.1.rows.0.7"));
    page_free(&read);
    support_write_text(at.results, "{\"results\":[{\"table\":\"2\"},{\"mean\":5}]}");
    expect_refused(at.run, at.data, "", OPN_ERR_FORMAT, "result 1 names no table");
    support_write_text(at.results, "{}");
    expect_refused(at.run, at.data, "", OPN_ERR_FORMAT, "results of a reproduction");
    close_place(&at);
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
            WITH_CTX(tables_are_those_of_the_evaluation),
            WITH_CTX(an_interval_of_one_seed_is_null),
            WITH_CTX(views_are_those_of_the_kept_models),
            WITH_CTX(parameters_choose_models_and_tasks),
            WITH_CTX(of_several_results_the_plainest_is_shown),
            WITH_CTX(of_more_than_six_models_the_most_telling_are_shown),
            WITH_CTX(kept_models_are_not_trained),
            WITH_CTX(a_report_leaves_the_folder_as_it_is),
            WITH_CTX(the_graph_that_a_run_names_is_found),
            WITH_CTX(a_run_finds_its_own_data),
            WITH_CTX(a_run_of_two_graphs_shows_the_one_that_is_named),
            WITH_CTX(a_run_whose_data_have_changed_shows_them_as_they_are),
            WITH_CTX(a_folder_that_is_no_run_is_refused),
            WITH_CTX(a_run_of_another_graph_is_refused),
            WITH_CTX(a_last_line_that_was_cut_is_passed_over),
            WITH_CTX(a_broken_line_is_named),
            WITH_CTX(results_that_this_version_does_not_know_are_passed_over),
            WITH_CTX(parameters_that_make_no_sense_do_no_harm),
            WITH_CTX(an_evaluation_that_is_broken_is_refused),
            WITH_CTX(a_run_without_tables_yet_is_warned_of),
            WITH_CTX(results_of_a_reproduction_are_a_table_each),
    };
    return cmocka_run_group_tests_name("report_load", tests, NULL, NULL);
}
