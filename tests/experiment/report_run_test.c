// report_run_test.c -- reports of the folders that evaluations and reproductions leave.

#include "experiment/evaluation_data.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/page_reader.h"
#include "support/run_place.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static opn_ctx *ctx;

static void expect_estimate(const json_t *cell, opn_estimate want)
{
    if (isnan(want.mean)) {
        assert_true(json_is_null(cell));
        return;
    }
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
    place at = place_open(ctx);
    place_make_run(ctx, &at);
    opn_evaluation *found = place_evaluate(ctx, &at, place_settings);
    page read = place_load(ctx, &at, at.run, at.data, "model=gcn");
    const json_t *detection = page_member(read.about, "tables.0");
    const json_t *quality = page_member(read.about, "tables.1");
    const json_t *rows = page_member(detection, "rows");
    int n_rows = 0;
    size_t r = 0;
    json_t *row = NULL;
    assert_int_equal(json_array_size(page_member(read.about, "tables")), 3);
    assert_int_equal(json_array_size(page_member(detection, "columns")),
                     2 + OPN_N_METRICS);
    json_array_foreach(rows, r, row)
    {
        assert_int_equal(json_array_size(row), 2 + OPN_N_METRICS);
        const int32_t m = model_of(found, page_string(row, "0"));
        const int32_t s = score_of(page_string(row, "1"));
        for (int k = 0; k < OPN_N_METRICS; k++)
            expect_estimate(json_array_get(row, 2 + (size_t)k),
                            opn_evaluation_metric(found, m, (opn_metric)k, s));
    }
    for (int32_t m = 0; m < 3; m++) {
        row = json_array_get(page_member(quality, "rows"), (size_t)m);
        assert_string_equal(page_string(row, "0"), opn_evaluation_model(found, m));
        for (int q = 0; q <= OPN_QUALITY_ECE; q++)
            expect_estimate(json_array_get(row, 1 + (size_t)q),
                            opn_evaluation_quality(found, m, (opn_quality)q));
        expect_estimate(json_array_get(row, 5),
                        opn_evaluation_quality(found, m, OPN_QUALITY_CALIBRATED_ECE));
        assert_int_equal(page_number(row, "6"), 4);
        assert_true(page_number(row, "7") >= 0.0);
        for (int32_t s = 0; s < OPN_N_SCORES; s++)
            n_rows += !isnan(opn_evaluation_metric(found, m, OPN_METRIC_AUROC, s).mean);
    }
    assert_int_equal(json_array_size(rows), n_rows);
    assert_string_equal(page_string(read.about, "manifest.1.0"), "dataset");
    assert_string_equal(page_string(read.about, "manifest.1.1"), "data");
    page_free(&read);
    opn_evaluation_free(found);
    place_close(&at);
}

static void models_are_compared_by_the_paired_test_of_the_terminal(void **state)
{
    (void)state;
    place at = place_open(ctx);
    place_make_run(ctx, &at);
    json_t *saved = json_load_file(at.evaluation, 0, NULL);
    page read = place_load(ctx, &at, at.run, at.data, "");
    const json_t *rows = page_member(read.about, "tables.2.rows");
    assert_int_equal(json_array_size(rows), 2); // three models
    for (size_t r = 0; r < 2; r++) {
        const json_t *row = json_array_get(rows, r);
        const json_t *want = json_array_get(json_object_get(saved, "comparisons"), r);
        assert_string_equal(page_string(row, "1"), page_string(want, "against"));
        assert_true(fabs(page_number(row, "2.mean") -
                         page_number(want, "accuracy.difference")) < 1e-4);
        assert_true(fabs(page_number(row, "3") - page_number(want, "accuracy.p_value")) <
                    1e-5);
        assert_true(fabs(page_number(row, "5.low") - page_number(want, "auroc.ci95.0")) <
                    1e-4);
    }
    json_decref(saved);
    page_free(&read);
    place_close(&at);
}

static void a_run_tells_by_which_words_a_command_finds_its_models(void **state)
{
    (void)state;
    place at = place_open(ctx);
    place_make_run(ctx, &at);
    page read = place_load(ctx, &at, at.run, at.data, "");
    assert_string_equal(page_string(read.about, "graph.source"), at.data);
    for (int v = 0; v < place_n_views(&read); v++) {
        opn_model *model = NULL;
        const char *file = page_string(page_view(&read, v), "file");
        assert_int_equal(opn_model_load(ctx, file, &model), OPN_OK);
        opn_model_free(model);
    }
    page_free(&read);
    place_close(&at);
}

static void an_interval_of_one_seed_is_null(void **state)
{
    (void)state;
    place at = place_open(ctx);
    opn_evaluation *found =
            place_evaluate(ctx, &at, "seeds=1 model=gcn epochs=2 protocol=full");
    assert_int_equal(opn_evaluation_save(ctx, found, at.evaluation), OPN_OK);
    opn_evaluation_free(found);
    page read = place_load(ctx, &at, at.run, at.data, "");
    const json_t *cell = page_member(read.about, "tables.1.rows.0.1");
    assert_true(page_number(cell, "mean") >= 0.0);
    assert_true(page_is_null(cell, "low") && page_is_null(cell, "high"));
    page_free(&read);
    place_close(&at);
}

static void expect_models(const page *read, int n, const char *const *model)
{
    assert_int_equal(place_n_views(read), n);
    for (int v = 0; v < n; v++)
        assert_string_equal(page_string(page_view(read, v), "model"), model[v]);
}

// What each model says in the run is what it says when it is trained by itself.
static void views_are_those_of_the_kept_models(void **state)
{
    (void)state;
    static const char *const models[] = {"s-bgcn-t", "drop-gcn", "gcn"};
    place at = place_open(ctx);
    place_make_run(ctx, &at);
    page read = place_load(ctx, &at, at.run, at.data, "");
    opn_evaluation *found = place_evaluate(ctx, &at, place_settings);
    expect_models(&read, 3, models);
    for (int v = 0; v < 3; v++) {
        const json_t *view = page_view(&read, v);
        const int32_t m = model_of(found, models[v]);
        const opn_cell *cell = &opn_i_evaluation_cells(found, m)[0];
        assert_int_equal(page_number(view, "seed"), 0);
        for (int q = 0; q < OPN_N_QUALITIES; q++) {
            const char *name = opn_quality_name((opn_quality)q);
            const json_t *told = page_member(view, "quality");
            assert_true(isnan(cell->quality[q]) ? page_is_null(told, name)
                                                : fabs(page_number(told, name) -
                                                       cell->quality[q]) <= 2e-3);
        }
        const json_t *one = page_of_measure(
                page_member(view, "detection.misclassification.measures"), "entropy");
        const double auroc = cell->metric[OPN_METRIC_AUROC][OPN_MEASURE_ENTROPY];
        assert_true(fabs(page_number(one, "auroc") - auroc) <= 2e-3);
        place_expect_same_weights(view);
    }
    assert_string_equal(page_string(read.about, "title"), "data");
    opn_evaluation_free(found);
    page_free(&read);
    place_close(&at);
}

static void parameters_choose_models_and_tasks(void **state)
{
    (void)state;
    static const char *const first[] = {"s-bgcn-t"};
    static const char *const two[] = {"drop-gcn", "gcn"};
    static const char *const tasks[] = {"s-bgcn-t", "s-bgcn-t"};
    place at = place_open(ctx);
    place_make_run(ctx, &at);
    opn_evaluation_free(
            place_evaluate(ctx, &at,
                           "seeds=1 model=s-bgcn-t epochs=4 samples=2 hidden=4 "
                           "task=ood ood_classes=2"));
    page read = place_load(ctx, &at, at.run, at.data, "model=s-bgcn-t");
    expect_models(&read, 2, tasks);
    assert_string_equal(page_string(page_view(&read, 0), "task"), "misclassification");
    assert_string_equal(page_string(page_view(&read, 1), "task"), "ood");
    assert_int_equal(json_array_size(page_member(page_view(&read, 1), "known")), 2);
    page_free(&read);
    read = place_load(ctx, &at, at.run, at.data, "task=ood");
    expect_models(&read, 1, first);
    assert_string_equal(page_string(page_view(&read, 0), "task"), "ood");
    page_free(&read);
    read = place_load(ctx, &at, at.run, at.data, "model=gcn,drop-gcn");
    expect_models(&read, 2, two);
    page_free(&read);
    place_expect_refused(ctx, at.run, at.data, "model=sage", OPN_ERR_INVALID_ARG,
                         "has no results for this `dataset`, `task` and `model`");
    place_expect_refused(ctx, at.run, at.data, "dataset=cora", OPN_ERR_INVALID_ARG,
                         at.run);
    place_close(&at);
}

// Of the same model the paper's preset, the first seed, the fewest epochs.
static void of_several_results_the_plainest_is_shown(void **state)
{
    (void)state;
    place at = place_open(ctx);
    opn_evaluation_free(
            place_evaluate(ctx, &at, "seeds=1 seed=4 model=gcn epochs=5 preset=strong"));
    opn_evaluation_free(place_evaluate(ctx, &at, "seeds=1 seed=7 model=gcn epochs=5"));
    opn_evaluation_free(place_evaluate(ctx, &at, "seeds=2 seed=5 model=gcn epochs=6"));
    opn_evaluation_free(place_evaluate(ctx, &at, "seeds=1 seed=5 model=gcn epochs=3"));
    page read = place_load(ctx, &at, at.run, at.data, "");
    assert_int_equal(place_n_views(&read), 1);
    assert_int_equal(page_number(page_view(&read, 0), "seed"), 5);
    assert_int_equal(
            json_array_size(page_member(page_view(&read, 0), "training.0.epoch")), 3);
    page_free(&read);
    place_close(&at);
}

static void of_more_than_six_models_the_most_telling_are_shown(void **state)
{
    (void)state;
    static const char *const shown[] = {"s-bgcn-t-k", "s-bgcn-t", "s-bgcn",
                                        "dpn-gcn",    "s-gcn",    "edl-gcn"};
    place at = place_open(ctx);
    listener l = {.n_progress = 0};
    opn_evaluation_free(place_evaluate(ctx, &at,
                                       "seeds=1 epochs=1 samples=2 model=gcn,drop-gcn,"
                                       "edl-gcn,s-gcn,s-bgcn,s-bgcn-t"));
    opn_evaluation_free(place_evaluate(ctx, &at,
                                       "seeds=1 epochs=1 samples=2 model=dpn-gcn,"
                                       "s-bgcn-t-k"));
    support_listen(ctx, &l);
    page read = place_load(ctx, &at, at.run, at.data, "");
    assert_int_equal(opn_ctx_set_hooks(ctx, NULL), OPN_OK);
    assert_int_equal(place_n_views(&read), 6);
    for (int v = 0; v < 3; v++)
        assert_string_equal(page_string(page_view(&read, v), "model"), shown[v]);
    for (int v = 0; v < 6; v++) {
        const char *id = page_string(page_view(&read, v), "model");
        assert_true(strcmp(id, "gcn") != 0 && strcmp(id, "drop-gcn") != 0);
    }
    assert_non_null(strstr(l.log, "showing 6 of 8 models"));
    page_free(&read);
    place_close(&at);
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
    place at = place_open(ctx);
    int n_trainings = 0;
    const opn_hooks hooks = {
            .size = sizeof(opn_hooks), .progress = count_trainings, .user = &n_trainings};
    place_make_run(ctx, &at);
    for (int kept = 1; kept >= 0; kept--) {
        if (!kept)
            support_remove_folder(at.models);
        n_trainings = 0;
        assert_int_equal(opn_ctx_set_hooks(ctx, &hooks), OPN_OK);
        page read = place_load(ctx, &at, at.run, at.data, "");
        assert_int_equal(opn_ctx_set_hooks(ctx, NULL), OPN_OK);
        assert_int_equal(place_n_views(&read), 3);
        assert_int_equal(n_trainings, kept ? 3 : 6);
        page_free(&read);
    }
    place_close(&at);
}

static void a_report_leaves_the_folder_as_it_is(void **state)
{
    (void)state;
    place at = place_open(ctx);
    place_make_run(ctx, &at);
    const int n_entries = support_count_entries(at.run);
    const int n_models = support_count_entries(at.models);
    size_t n_cells = 0;
    char *cells = support_read_file(at.cells, &n_cells);
    page read = place_load(ctx, &at, at.run, at.data, "");
    support_expect_file(at.cells, cells, n_cells);
    assert_int_equal(support_count_entries(at.run), n_entries);
    assert_int_equal(support_count_entries(at.models), n_models);
    free(cells);
    page_free(&read);
    place_close(&at);
}

static void the_graph_that_a_run_names_is_found(void **state)
{
    (void)state;
    place at = place_open(ctx);
    opn_graph_free(at.graph);
    at.graph = place_load_graph(ctx, "demo");
    opn_evaluation_free(place_evaluate(ctx, &at, "seeds=1 model=gcn epochs=2"));
    page read = place_load(ctx, &at, at.run, NULL, "");
    assert_string_equal(page_string(read.about, "graph.name"), "demo");
    assert_string_equal(page_string(read.about, "title"), "demo");
    assert_int_equal(page_number(read.about, "graph.nodes"), opn_graph_n_nodes(at.graph));
    page_free(&read);
    place_close(&at);
}

static void a_run_finds_its_own_data(void **state)
{
    (void)state;
    place at = place_open(ctx);
    place_make_run(ctx, &at);
    page read = place_load(ctx, &at, at.run, NULL, "");
    assert_string_equal(page_string(read.about, "graph.name"), "data");
    page_free(&read);
    support_remove_folder(at.data);
    place_expect_refused(ctx, at.run, NULL, "", OPN_ERR_READ,
                         "cannot be read any more; name the");
    support_expect_error(ctx, at.data);
    place_save_graph(ctx, "nodes=60 classes=3 features=12 seed=7", at.data);
    place_expect_refused(ctx, at.run, NULL, "", OPN_ERR_SHAPE,
                         "which has changed since; name the");
    support_expect_error(ctx, at.data);
    place_close(&at);
}

static void evaluate_graph(place *at, const char *data)
{
    opn_graph_free(at->graph);
    at->graph = place_load_graph(ctx, data);
    opn_evaluation *found = place_evaluate(ctx, at, "seeds=1 model=gcn epochs=2");
    assert_int_equal(opn_evaluation_save(ctx, found, at->evaluation), OPN_OK);
    opn_evaluation_free(found);
}

static void a_run_of_two_graphs_shows_the_one_that_is_named(void **state)
{
    (void)state;
    place at = place_open(ctx);
    evaluate_graph(&at, at.data);
    evaluate_graph(&at, at.other);
    const struct {
        const char *data, *want;
    } cases[] = {{NULL, "data"}, {at.data, "data"}, {at.other, "other"}};
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        listener heard = {0};
        support_listen(ctx, &heard);
        page read = place_load(ctx, &at, at.run, cases[c].data, "");
        assert_string_equal(page_string(read.about, "graph.name"), cases[c].want);
        assert_int_equal(place_n_views(&read), 1);
        // The tables are of the graph that was evaluated last.
        assert_int_equal(json_array_size(page_member(read.about, "tables")) > 0,
                         strcmp(cases[c].want, "other") == 0);
        page_free(&read);
        assert_int_equal(opn_ctx_set_hooks(ctx, NULL), OPN_OK);
    }
    place_close(&at);
}

static void a_run_whose_data_have_changed_shows_them_as_they_are(void **state)
{
    (void)state;
    place at = place_open(ctx);
    evaluate_graph(&at, at.data);
    support_remove_folder(at.data);
    place_save_graph(ctx, "nodes=60 classes=3 features=12 seed=7", at.data);
    evaluate_graph(&at, at.data);
    for (int named = 0; named < 2; named++) {
        page read = place_load(ctx, &at, at.run, named ? at.data : NULL, "");
        assert_int_equal(place_n_views(&read), 1);
        assert_int_equal(json_array_size(page_member(read.about, "tables")) > 0, 1);
        page_free(&read);
    }
    place_close(&at);
}

// ---- reproductions -------------------------------------------------------------------

static void results_of_a_reproduction_are_a_table_each(void **state)
{
    (void)state;
    place at = place_open(ctx);
    place_make_run(ctx, &at);
    assert_int_equal(unlink(at.evaluation), 0);
    support_write_text(
            at.results,
            "{\"version\":\"0.1.0\",\"results\":["
            "{\"table\":\"2\",\"dataset\":\"cora\",\"task\":\"ood\",\"model\":\"gcn\","
            "\"setting\":\"usual\",\"measure\":\"entropy\",\"metric\":\"auroc\","
            "\"paper\":81.5,\"mean\":82.5,\"ci95\":[80.25,84.75],\"difference\":1},"
            "{\"table\":\"3\",\"dataset\":\"pubmed\",\"mean\":null},"
            "{\"table\":\"2\",\"dataset\":\"citeseer\",\"mean\":5}]}");
    page read = place_load(ctx, &at, at.run, at.data, "model=gcn");
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
    place_expect_refused(ctx, at.run, at.data, "", OPN_ERR_FORMAT,
                         "result 1 names no table");
    support_write_text(at.results, "{}");
    place_expect_refused(ctx, at.run, at.data, "", OPN_ERR_FORMAT,
                         "results of a reproduction");
    place_close(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(tables_are_those_of_the_evaluation),
            WITH_CTX(models_are_compared_by_the_paired_test_of_the_terminal),
            WITH_CTX(a_run_tells_by_which_words_a_command_finds_its_models),
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
            WITH_CTX(results_of_a_reproduction_are_a_table_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
