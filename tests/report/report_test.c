// report_test.c -- pages of reports, read back and compared with what the models say.

#include "experiment/evaluation_data.h"
#include "graph/graph_data.h"
#include "opine/embed.h"
#include "opine/report.h"
#include "report/view.h"
#include "support/cmocka_test.h"
#include "support/page_reader.h"
#include "support/report_scene.h"
#include "support/support.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

// ---- numbers of nodes ----------------------------------------------------------------

static void graph_is_told_as_it_is(void **state)
{
    (void)state;
    scene at = scene_open(ctx, scene_bayesian);
    const json_t *graph = page_member(at.read.about, "graph");
    char hash[65];
    assert_int_equal(page_number(at.read.about, "format"), 2);
    assert_string_equal(page_string(at.read.about, "opine"), opn_version());
    assert_string_equal(page_string(at.read.about, "title"), opn_graph_name(at.graph));
    assert_string_equal(page_string(graph, "name"), opn_graph_name(at.graph));
    assert_int_equal(page_number(graph, "nodes"), SCENE_NODES);
    assert_int_equal(2 * page_number(graph, "edges"), opn_graph_n_entries(at.graph));
    assert_int_equal(page_number(graph, "features"), 24);
    assert_int_equal(opn_graph_hash(ctx, at.graph, hash), OPN_OK);
    assert_string_equal(page_string(graph, "hash"), hash);
    assert_int_equal(json_array_size(page_member(graph, "classes")), 4);
    assert_string_equal(page_string(graph, "classes.2"), "2");
    assert_true(page_is_null(graph, "names"));
    assert_int_equal(json_array_size(page_member(at.read.about, "views")), 1);
    assert_int_equal(json_array_size(page_member(at.read.about, "tables")), 0);
    assert_string_equal(page_string(at.read.about, "manifest.0.0"), "opine");
    assert_string_equal(page_string(at.read.about, "manifest.0.1"), opn_version());
    scene_close(&at);
}

static void labels_and_roles_are_those_of_the_split(void **state)
{
    (void)state;
    static const char *const settings[] = {scene_bayesian, scene_held_out};
    for (int c = 0; c < 2; c++) {
        scene at = scene_open(ctx, settings[c]);
        uint32_t *label = page_array(&at.read, -1, "label", "u16", SCENE_NODES);
        uint32_t *role = page_array(&at.read, 0, "role", "u8", SCENE_NODES);
        int n_roles[5] = {0};
        for (int i = 0; i < SCENE_NODES; i++) {
            const int32_t want = opn_graph_labels(at.graph)[i];
            assert_int_equal(label[i], want < 0 ? SCENE_NONE : want);
            assert_int_equal(role[i], opn_split_roles(at.split)[i]);
            n_roles[role[i]]++;
        }
        for (int r = 0; r < 5; r++)
            assert_true(n_roles[r] > 0);
        free(label);
        free(role);
        scene_close(&at);
    }
}

static void each_edge_is_there_once_from_its_smaller_end(void **state)
{
    (void)state;
    scene at = scene_open(ctx, "model=gcn epochs=2");
    const opn_off *row_ptr = opn_graph_row_ptr(at.graph);
    const opn_vid *col_idx = opn_graph_col_idx(at.graph);
    const size_t n_edges = (size_t)opn_graph_n_entries(at.graph) / 2;
    uint32_t *start = page_array(&at.read, -1, "starts", "u32", SCENE_NODES + 1);
    uint32_t *end = page_array(&at.read, -1, "ends", "u16", n_edges);
    assert_int_equal(start[0], 0);
    assert_int_equal(start[SCENE_NODES], n_edges);
    for (opn_vid i = 0; i < SCENE_NODES; i++) {
        size_t n = start[i];
        for (opn_off e = row_ptr[i]; e < row_ptr[i + 1]; e++)
            if (col_idx[e] > i)
                assert_int_equal(end[n++], col_idx[e]);
        assert_int_equal(n, start[i + 1]);
    }
    free(start);
    free(end);
    scene_close(&at);
}

static void expect_unit(const scene *at, const char *name, const float *want, size_t n)
{
    uint32_t *got = page_array(&at->read, 0, name, "u16", n);
    for (size_t j = 0; j < n; j++)
        if (!scene_is_near(got[j] / 65535.0, (double)want[j], 0.6 / 65535.0))
            fail_msg("%s of %zu: %g is not %g", name, j, got[j] / 65535.0,
                     (double)want[j]);
    free(got);
}

static void expect_predicted(const scene *at)
{
    uint32_t *predicted = page_array(&at->read, 0, "predicted", "u16", SCENE_NODES);
    for (int i = 0; i < SCENE_NODES; i++)
        assert_int_equal(predicted[i], at->known[at->said->predicted[i]]);
    free(predicted);
}

static void opinions_of_every_node_are_the_models_to_the_last_bit(void **state)
{
    (void)state;
    static const char *const settings[] = {scene_bayesian, scene_held_out,
                                           "model=s-gat epochs=4 hidden=8",
                                           "model=s-bsage-t epochs=4 samples=3"};
    for (int c = 0; c < 4; c++) {
        scene at = scene_open(ctx, settings[c]);
        const size_t n = SCENE_NODES * (size_t)at.said->n_classes;
        assert_true(json_is_true(page_member(page_view(&at.read, 0), "has_alpha")));
        assert_false(page_has_array(&at.read, "0.p"));
        page_expect_floats(&at.read, 0, "alpha", at.said->alpha, n);
        for (int m = 0; m < OPN_N_MEASURES; m++) {
            const char *name = opn_measure_name((opn_measure)m);
            char full[32];
            snprintf(full, sizeof(full), "0.%s", name);
            assert_int_equal(page_has_array(&at.read, full),
                             opn_model_measures(at.model, (opn_measure)m));
            if (opn_model_measures(at.model, (opn_measure)m))
                page_expect_floats(&at.read, 0, name, at.said->measure[m], SCENE_NODES);
        }
        expect_predicted(&at);
        scene_close(&at);
    }
}

static void a_model_without_evidence_shows_probabilities(void **state)
{
    (void)state;
    scene at = scene_open(ctx, "model=drop-gcn epochs=6 samples=4");
    const json_t *view = page_view(&at.read, 0);
    assert_true(json_is_false(page_member(view, "has_alpha")));
    assert_false(page_has_array(&at.read, "0.alpha"));
    assert_false(page_has_array(&at.read, "0.vacuity"));
    page_expect_floats(&at.read, 0, "p", at.said->probability,
                       SCENE_NODES * (size_t)at.said->n_classes);
    page_expect_floats(&at.read, 0, "entropy", at.said->measure[OPN_MEASURE_ENTROPY],
                       SCENE_NODES);
    expect_predicted(&at);
    assert_string_equal(page_string(view, "recommended"), "entropy");
    assert_true(page_is_null(view, "prior"));
    scene_close(&at);
}

static void places_are_the_map_of_the_hidden_layer(void **state)
{
    (void)state;
    scene at = scene_open(ctx, "model=s-bgcn-t-k epochs=4 samples=2 hidden=6 seed=3");
    const json_t *view = page_view(&at.read, 0);
    float hidden[SCENE_NODES * 6];
    float place[2][SCENE_NODES];
    float pair[SCENE_NODES * 2];
    assert_int_equal(opn_model_hidden(ctx, at.model, at.graph, hidden), OPN_OK);
    assert_int_equal(opn_embed(ctx, SCENE_NODES, 6, hidden, 30.0, 3, pair), OPN_OK);
    for (int i = 0; i < SCENE_NODES; i++)
        for (int d = 0; d < 2; d++)
            place[d][i] = pair[2 * i + d];
    expect_unit(&at, "x", place[0], SCENE_NODES);
    expect_unit(&at, "y", place[1], SCENE_NODES);
    assert_string_equal(page_string(view, "embedding.of"), "hidden layer");
    assert_int_equal(page_number(view, "embedding.dimensions"), 6);
    scene_expect_number(view, "embedding.perplexity", 30.0);
    scene_close(&at);
}

static void perplexity_is_the_callers(void **state)
{
    (void)state;
    scene at = scene_open(ctx, "model=gcn epochs=2 hidden=4");
    opn_report *report = NULL;
    assert_int_equal(opn_report_create(ctx, at.graph, "twice", &report), OPN_OK);
    scene_add_model(ctx, report, at.model, "perplexity=7.5");
    scene_add_model(ctx, report, at.model, "");
    scene_save(ctx, report, at.s->path);
    opn_report_free(report);
    page read = page_read(at.s->path);
    uint32_t *x[2];
    for (int v = 0; v < 2; v++)
        x[v] = page_array(&read, v, "x", "u16", SCENE_NODES);
    scene_expect_number(page_view(&read, 0), "embedding.perplexity", 7.5);
    scene_expect_number(page_view(&read, 1), "embedding.perplexity", 30.0);
    assert_memory_not_equal(x[0], x[1], SCENE_NODES * sizeof(**x));
    assert_string_equal(page_string(read.about, "title"), "twice");
    for (int v = 0; v < 2; v++)
        free(x[v]);
    page_free(&read);
    scene_close(&at);
}

// ---- heads ---------------------------------------------------------------------------

static void a_view_tells_what_its_model_is(void **state)
{
    (void)state;
    static const char *const measures[] = {"vacuity",   "dissonance", "aleatoric",
                                           "epistemic", "entropy",    "fused",
                                           "margin"};
    scene at = scene_open(ctx, "model=s-bgcn-t-k epochs=3 samples=2 sigma=1.5 seed=4");
    const json_t *view = page_view(&at.read, 0);
    size_t p = 0;
    json_t *pair = NULL;
    bool has_sigma = false;
    assert_string_equal(page_string(view, "model"), "s-bgcn-t-k");
    assert_string_equal(page_string(view, "task"), "misclassification");
    assert_int_equal(page_number(view, "seed"), 4);
    assert_int_equal(json_array_size(page_member(view, "measures")), OPN_N_MEASURES);
    for (size_t m = 0; m < OPN_N_MEASURES; m++)
        assert_string_equal(
                json_string_value(json_array_get(page_member(view, "measures"), m)),
                measures[m]);
    assert_string_equal(page_string(view, "recommended"), "dissonance");
    scene_expect_number(view, "prior.sigma", 1.5);
    assert_true(json_is_false(page_member(view, "prior.constant")));
    assert_string_equal(page_string(view, "basis"), "test");
    json_array_foreach(page_member(view, "parameters"), p, pair)
    {
        assert_int_equal(json_array_size(pair), 2);
        assert_string_equal(page_string(pair, "1"),
                            opn_model_param(at.model, page_string(pair, "0")));
        has_sigma = has_sigma || strcmp(page_string(pair, "0"), "sigma") == 0;
    }
    assert_true(has_sigma);
    scene_close(&at);
}

static void classes_that_were_held_out_are_not_known(void **state)
{
    (void)state;
    scene at = scene_open(ctx, scene_held_out);
    const json_t *view = page_view(&at.read, 0);
    assert_string_equal(page_string(view, "task"), "ood");
    assert_string_equal(page_string(view, "recommended"), "vacuity");
    assert_int_equal(json_array_size(page_member(view, "known")), 3);
    assert_int_equal(page_number(view, "known.0"), 0);
    assert_int_equal(page_number(view, "known.1"), 2);
    assert_int_equal(page_number(view, "known.2"), 3);
    assert_int_equal(json_array_size(page_member(at.read.about, "graph.classes")), 4);
    scene_close(&at);
}

// ---- judgements ----------------------------------------------------------------------

// Nodes of the pool: outcome 0 right, 1 wrong, 2 of a class that is not known.
typedef struct pooled {
    int32_t n, n_of[3];
    int32_t node[SCENE_NODES];
    int outcome[SCENE_NODES];
} pooled;

static pooled pool_of(const scene *at)
{
    pooled pool = {.n = 0};
    for (int i = 0; i < SCENE_NODES; i++) {
        if (!opn_split_pool(at->split)[i])
            continue;
        const int outcome = at->target[i] == -2 ? 2 : !scene_is_right(at, i);
        pool.node[pool.n] = i;
        pool.outcome[pool.n++] = outcome;
        pool.n_of[outcome]++;
    }
    assert_true(pool.n > 0);
    return pool;
}

static void pool_is_counted_by_what_became_of_it(void **state)
{
    (void)state;
    static const char *const settings[] = {scene_bayesian, scene_held_out};
    for (int c = 0; c < 2; c++) {
        scene at = scene_open(ctx, settings[c]);
        const pooled pool = pool_of(&at);
        const json_t *told = page_member(page_view(&at.read, 0), "pool");
        assert_int_equal(page_number(told, "nodes"), opn_split_pool_size(at.split));
        assert_int_equal(page_number(told, "nodes"), pool.n);
        assert_int_equal(page_number(told, "correct"), pool.n_of[0]);
        assert_int_equal(page_number(told, "wrong"), pool.n_of[1]);
        assert_int_equal(page_number(told, "ood"), pool.n_of[2]);
        assert_true(pool.n_of[0] > 0 && pool.n_of[1] > 0 &&
                    (pool.n_of[2] > 0) == (c == 1));
        scene_close(&at);
    }
}

// The area under a curve of straight lines.
static double area_under(const json_t *curve)
{
    const json_t *x = page_member(curve, "x");
    const json_t *y = page_member(curve, "y");
    double area = 0.0;
    assert_int_equal(json_array_size(x), json_array_size(y));
    for (size_t j = 1; j < json_array_size(x); j++) {
        const double x0 = json_number_value(json_array_get(x, j - 1));
        const double x1 = json_number_value(json_array_get(x, j));
        assert_true(x1 >= x0);
        area += (x1 - x0) *
                (json_number_value(json_array_get(y, j - 1)) +
                 json_number_value(json_array_get(y, j))) /
                2.0;
    }
    return area;
}

static void expect_ends(const json_t *list, double first, double last)
{
    const size_t n = json_array_size(list);
    assert_true(n >= 2);
    assert_true(scene_is_near(json_number_value(json_array_get(list, 0)), first, 1e-6));
    assert_true(
            scene_is_near(json_number_value(json_array_get(list, n - 1)), last, 1e-6));
}

static void
expect_detection(const scene *at, const json_t *task, const pooled *pool, bool is_ood)
{
    uint8_t positive[SCENE_NODES];
    float score[SCENE_NODES];
    int32_t n_positive = 0;
    for (int m = 0; m < OPN_N_MEASURES; m++) {
        int32_t n = 0;
        double auroc = 0.0;
        double aupr = 0.0;
        n_positive = 0;
        for (int32_t j = 0; j < pool->n; j++) {
            const float value = at->said->measure[m][pool->node[j]];
            if (!is_ood && pool->outcome[j] == 2)
                continue;
            positive[n] = pool->outcome[j] == (is_ood ? 2 : 0);
            n_positive += positive[n];
            score[n++] = is_ood ? value : -value;
        }
        assert_int_equal(opn_metric_auroc(ctx, n, positive, opn_f32(score), &auroc),
                         OPN_OK);
        assert_int_equal(
                opn_metric_average_precision(ctx, n, positive, opn_f32(score), &aupr),
                OPN_OK);
        const json_t *told = page_of_measure(page_member(task, "measures"),
                                             opn_measure_name((opn_measure)m));
        scene_expect_number(told, "auroc", 100.0 * auroc);
        scene_expect_number(told, "aupr", 100.0 * aupr);
        assert_true(scene_is_near(area_under(page_member(told, "roc")), auroc, 2e-3));
        expect_ends(page_member(told, "roc.x"), 0.0, 1.0);
        expect_ends(page_member(told, "roc.y"), 0.0, 1.0);
        assert_true(area_under(page_member(told, "pr")) > 0.0);
        scene_expect_number(task, "prevalence", 100.0 * n_positive / n);
    }
    assert_int_equal(json_array_size(page_member(task, "measures")), OPN_N_MEASURES);
    assert_string_equal(page_string(task, "positives"),
                        is_ood ? "out-of-distribution" : "correctly classified");
}

static void detection_is_the_metrics_of_the_pool(void **state)
{
    (void)state;
    scene at = scene_open(ctx, scene_held_out);
    const pooled pool = pool_of(&at);
    const json_t *view = page_view(&at.read, 0);
    expect_detection(&at, page_member(view, "detection.misclassification"), &pool, false);
    expect_detection(&at, page_member(view, "detection.ood"), &pool, true);
    scene_close(&at);
}

static void detection_of_one_kind_only_is_null(void **state)
{
    (void)state;
    scene at = scene_open(ctx, scene_bayesian);
    const json_t *view = page_view(&at.read, 0);
    assert_true(page_is_null(view, "detection.ood"));
    assert_false(page_is_null(view, "detection.misclassification"));
    scene_close(&at);
}

// Labels are what the model says.
static void detection_where_all_is_right_is_null(void **state)
{
    (void)state;
    stage *s = support_open_stage("page.html");
    opn_graph *graph = trial_groups(ctx);
    opn_graph *other = trial_groups(ctx);
    opn_model *model = trial_train(ctx, graph, "model=s-gcn epochs=5");
    opn_prediction *said = opinions_ask(ctx, model, other, NULL);
    assert_int_equal(opn_graph_set_labels(ctx, other, 2, said->predicted), OPN_OK);
    page read = scene_show(ctx, other, model, s->path);
    const json_t *view = page_view(&read, 0);
    assert_int_equal(page_number(view, "pool.correct"), TRIAL_NODES);
    assert_true(page_is_null(view, "detection.misclassification"));
    assert_true(page_is_null(view, "detection.ood"));
    assert_int_equal(page_number(view, "quality.accuracy"), 100);
    page_free(&read);
    opn_prediction_free(said);
    opn_model_free(model);
    opn_graph_free(other);
    opn_graph_free(graph);
    support_close_stage(s);
}

// Of each class as label and each class of the model as prediction.
static void outcome_depends_on_label_and_prediction_alone(void **state)
{
    (void)state;
    int32_t known[3] = {2, 0, 3};
    for (int32_t label = -1; label < 4; label++) {
        for (int32_t predicted = 0; predicted < 3; predicted++) {
            opn_prediction said = {.predicted = &predicted};
            const opn_i_view view = {.n_nodes = 1,
                                     .n_known = 3,
                                     .known = known,
                                     .label = &label,
                                     .said = &said};
            const opn_i_outcome want = label < 0    ? OPN_OUTCOME_UNLABELLED
                                       : label == 1 ? OPN_OUTCOME_OOD
                                       : label == known[predicted] ? OPN_OUTCOME_CORRECT
                                                                   : OPN_OUTCOME_WRONG;
            assert_int_equal(opn_i_view_outcome(&view, 0), want);
        }
    }
}

static void risk_is_that_of_all_nodes_of_the_pool(void **state)
{
    (void)state;
    scene at = scene_open(ctx, scene_held_out);
    const pooled pool = pool_of(&at);
    const json_t *list = page_member(page_view(&at.read, 0), "risk");
    assert_int_equal(json_array_size(list), OPN_N_MEASURES);
    for (int m = 0; m < OPN_N_MEASURES; m++) {
        uint8_t wrong[SCENE_NODES];
        float value[SCENE_NODES];
        double area = 0.0;
        for (int32_t j = 0; j < pool.n; j++) {
            wrong[j] = pool.outcome[j] != 0;
            value[j] = at.said->measure[m][pool.node[j]];
        }
        assert_int_equal(
                opn_metric_risk_coverage(ctx, pool.n, wrong, opn_f32(value), NULL, &area),
                OPN_OK);
        const json_t *told = page_of_measure(list, opn_measure_name((opn_measure)m));
        const json_t *risk = page_member(told, "risk");
        const json_t *coverage = page_member(told, "coverage");
        const size_t n = json_array_size(risk);
        scene_expect_number(told, "aurc", 100.0 * area);
        assert_int_equal(json_array_size(coverage), n);
        assert_true(scene_is_near(json_number_value(json_array_get(risk, n - 1)),
                                  1.0 - (double)pool.n_of[0] / pool.n, 1e-5));
        assert_true(scene_is_near(json_number_value(json_array_get(coverage, n - 1)), 1.0,
                                  1e-6));
    }
    scene_close(&at);
}

// Counted by hand. A value at the border of two bins may fall to either side.
static void histograms_count_the_pool_by_its_values(void **state)
{
    (void)state;
    enum { BINS = 40 };
    static const char *const names[] = {"correct", "wrong", "ood"};
    scene at = scene_open(ctx, scene_held_out);
    const pooled pool = pool_of(&at);
    const json_t *list = page_member(page_view(&at.read, 0), "histograms");
    assert_int_equal(json_array_size(list), OPN_N_MEASURES);
    for (int m = 0; m < OPN_N_MEASURES; m++) {
        const json_t *told = page_of_measure(list, opn_measure_name((opn_measure)m));
        const float *value = at.said->measure[m];
        int count[3][BINS] = {{0}};
        double low = 0.0;
        double high = 1e-9;
        int n_apart = 0;
        for (int i = 0; i < SCENE_NODES; i++) {
            low = fmin(low, (double)value[i]);
            high = fmax(high, (double)value[i]);
        }
        scene_expect_number(told, "low", low);
        scene_expect_number(told, "high", high);
        for (int32_t j = 0; j < pool.n; j++) {
            const int bin =
                    (int)(BINS * ((double)value[pool.node[j]] - low) / (high - low));
            count[pool.outcome[j]][bin < BINS ? bin : BINS - 1]++;
        }
        for (int o = 0; o < 3; o++) {
            const json_t *counts = page_member(told, names[o]);
            int sum = 0;
            assert_int_equal(json_array_size(counts), BINS);
            for (size_t b = 0; b < BINS; b++) {
                const int n = (int)json_integer_value(json_array_get(counts, b));
                sum += n;
                n_apart += abs(n - count[o][b]);
            }
            assert_int_equal(sum, pool.n_of[o]);
        }
        assert_true(n_apart <= 2);
    }
    scene_close(&at);
}

static opn_model *train_by_preset(const opn_graph *graph, opn_params *params)
{
    opn_model *model = NULL;
    opn_split *split = NULL;
    assert_int_equal(opn_params_use_preset(ctx, graph, params), OPN_OK);
    assert_int_equal(opn_split_from_params(ctx, graph, params, &split), OPN_OK);
    assert_int_equal(opn_model_train(ctx, graph, split, params, NULL, &model), OPN_OK);
    opn_split_free(split);
    return model;
}

static void expect_cell(const json_t *view, const opn_model *model, const opn_cell *cell)
{
    const json_t *told =
            page_member(page_member(view, "detection"), page_string(view, "task"));
    const json_t *quality = page_member(view, "quality");
    for (int q = 0; q < OPN_N_QUALITIES; q++) {
        const char *name = opn_quality_name((opn_quality)q);
        if (isnan(cell->quality[q]))
            assert_true(page_is_null(quality, name));
        else
            scene_expect_number(quality, name, cell->quality[q]);
    }
    scene_expect_number(view, "pool.nodes", cell->n_pool);
    scene_expect_number(told, "prevalence", cell->prevalence);
    for (int m = 0; m < OPN_N_MEASURES; m++) {
        if (!opn_model_measures(model, (opn_measure)m))
            continue;
        const char *name = opn_measure_name((opn_measure)m);
        const json_t *one = page_of_measure(page_member(told, "measures"), name);
        scene_expect_number(one, "auroc", cell->metric[OPN_METRIC_AUROC][m]);
        scene_expect_number(one, "aupr", cell->metric[OPN_METRIC_AUPR][m]);
        scene_expect_number(page_of_measure(page_member(view, "risk"), name), "aurc",
                            cell->metric[OPN_METRIC_AURC][m]);
    }
}

static void quality_and_detection_equal_those_of_an_evaluation(void **state)
{
    (void)state;
    static const char *const settings[] = {
            "model=s-bgcn-t-k epochs=9 samples=3 protocol=full seeds=1",
            ("model=s-bgcn-t-k epochs=9 samples=3 protocol=full seeds=1 task=ood "
             "ood_classes=1"),
            "model=drop-gcn epochs=6 samples=4 protocol=full seeds=1"};
    for (int c = 0; c < 3; c++) {
        stage *s = support_open_stage("page.html");
        opn_graph *graph = scene_graph(ctx);
        opn_params *params = trial_params(ctx, settings[c]);
        opn_evaluation *found = NULL;
        assert_int_equal(opn_evaluate(ctx, graph, params, NULL, &found), OPN_OK);
        opn_model *model = train_by_preset(graph, params);
        page read = scene_show(ctx, graph, model, s->path);
        const opn_cell *cell = opn_i_evaluation_cells(found, 0);
        expect_cell(page_view(&read, 0), model, cell);
        // Without one of the classes there are too few labels to calibrate with.
        assert_true(isnan(cell->quality[OPN_QUALITY_CALIBRATED_ECE]) == (c == 1));
        page_free(&read);
        opn_evaluation_free(found);
        opn_params_free(params);
        opn_model_free(model);
        opn_graph_free(graph);
        support_close_stage(s);
    }
}

static void expect_reliability(const json_t *told, int32_t n_test, double ece)
{
    double n_all = 0.0;
    double error = 0.0;
    assert_int_equal(json_array_size(page_member(told, "nodes")), 15);
    for (int b = 0; b < 15; b++) {
        char path[32];
        snprintf(path, sizeof(path), "nodes.%d", b);
        const double n = page_number(told, path);
        n_all += n;
        if (n == 0.0)
            continue;
        snprintf(path, sizeof(path), "confidence.%d", b);
        const double confidence = page_number(told, path);
        assert_true(confidence > b / 15.0 - 1e-5 && confidence < (b + 1) / 15.0 + 1e-5);
        snprintf(path, sizeof(path), "accuracy.%d", b);
        error += n * fabs(page_number(told, path) - confidence);
    }
    assert_int_equal(n_all, n_test);
    assert_true(scene_is_near(100.0 * error / n_all, page_number(told, "ece"), 1e-2));
    assert_true(page_number(told, "ece") == ece);
}

static void reliability_adds_up_to_the_calibration_error(void **state)
{
    (void)state;
    const char *const settings[] = {scene_bayesian, scene_held_out};
    for (int c = 0; c < 2; c++) {
        scene at = scene_open(ctx, settings[c]);
        const json_t *view = page_view(&at.read, 0);
        int32_t n_test = 0;
        for (int i = 0; i < SCENE_NODES; i++)
            n_test += opn_split_roles(at.split)[i] == OPN_ROLE_TEST && at.target[i] >= 0;
        assert_int_equal(page_number(view, "quality.nodes"), n_test);
        expect_reliability(page_member(view, "reliability"), n_test,
                           page_number(view, "quality.ece"));
        assert_true(page_is_null(view, "calibrated_reliability") == (c == 1));
        if (c == 0)
            expect_reliability(page_member(view, "calibrated_reliability"), n_test,
                               page_number(view, "quality.calibrated_ece"));
        scene_close(&at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(graph_is_told_as_it_is),
            WITH_CTX(labels_and_roles_are_those_of_the_split),
            WITH_CTX(each_edge_is_there_once_from_its_smaller_end),
            WITH_CTX(opinions_of_every_node_are_the_models_to_the_last_bit),
            WITH_CTX(a_model_without_evidence_shows_probabilities),
            WITH_CTX(places_are_the_map_of_the_hidden_layer),
            WITH_CTX(perplexity_is_the_callers),
            WITH_CTX(a_view_tells_what_its_model_is),
            WITH_CTX(classes_that_were_held_out_are_not_known),
            WITH_CTX(pool_is_counted_by_what_became_of_it),
            WITH_CTX(detection_is_the_metrics_of_the_pool),
            WITH_CTX(detection_of_one_kind_only_is_null),
            WITH_CTX(detection_where_all_is_right_is_null),
            WITH_CTX(outcome_depends_on_label_and_prediction_alone),
            WITH_CTX(risk_is_that_of_all_nodes_of_the_pool),
            WITH_CTX(histograms_count_the_pool_by_its_values),
            WITH_CTX(quality_and_detection_equal_those_of_an_evaluation),
            WITH_CTX(reliability_adds_up_to_the_calibration_error),
    };
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
