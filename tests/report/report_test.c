// report_test.c -- pages of reports, read back and compared with what the models say.

#include "graph/graph_data.h"
#include "io/sha256.h"
#include "opine/embed.h"
#include "opine/report.h"
#include "report/view.h"
#include "support/cmocka_test.h"
#include "support/page_reader.h"
#include "support/support.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

// ---- scenes --------------------------------------------------------------------------

enum { N_NODES = 120, NONE = 65535 };
static const char drawn[] = "nodes=120 classes=4 features=24 homophily=0.5 mean_degree=5";
static const char bayesian[] = "model=s-bgcn-t-k epochs=12 teacher_epochs=7 samples=5 "
                               "hidden=6 learning_rate=0.05";
static const char held_out[] = "model=s-bgcn-t-k epochs=12 teacher_epochs=7 samples=5 "
                               "hidden=6 learning_rate=0.05 task=ood ood_classes=1";

// Of five nodes one trains, one validates, the others are scored; some have no label.
static opn_graph *draw_graph(void)
{
    opn_graph *graph = trial_draw(ctx, drawn);
    int32_t label[N_NODES];
    uint8_t role[N_NODES];
    memcpy(label, opn_graph_labels(graph), sizeof(label));
    for (int i = 0; i < N_NODES; i++) {
        label[i] = i % 13 == 7 ? -1 : label[i];
        role[i] = label[i] < 0  ? OPN_ROLE_UNLABELLED
                  : i % 5 == 0  ? OPN_ROLE_TRAIN
                  : i % 5 == 1  ? OPN_ROLE_VALIDATION
                  : i % 10 == 4 ? OPN_ROLE_POOL
                                : OPN_ROLE_TEST;
    }
    assert_int_equal(opn_graph_set_labels(ctx, graph, 4, label), OPN_OK);
    assert_int_equal(opn_graph_set_roles(ctx, graph, role), OPN_OK);
    return graph;
}

typedef struct scene {
    stage *s;
    opn_graph *graph;
    opn_model *model;
    opn_split *split;
    opinions said;
    page read;
    int32_t known[8];        // graph's class of each of the model's
    int32_t target[N_NODES]; // the model's class of each node's label; -1 none, -2
                             // unknown
} scene;

static void save_report(const opn_report *report, const char *path)
{
    if (opn_report_save(ctx, report, path) != OPN_OK)
        fail_msg("%s", opn_ctx_error(ctx));
}

static void add_model(opn_report *report, const opn_model *model, const char *settings)
{
    opn_params *params = trial_params(ctx, settings);
    if (opn_report_add_model(ctx, report, model, params) != OPN_OK)
        fail_msg("%s", opn_ctx_error(ctx));
    opn_params_free(params);
}

// The page of one model.
static page show(const opn_graph *graph, const opn_model *model, const char *path)
{
    opn_report *report = NULL;
    assert_int_equal(opn_report_create(ctx, graph, NULL, &report), OPN_OK);
    add_model(report, model, "");
    save_report(report, path);
    opn_report_free(report);
    return page_read(path);
}

static scene open_scene(const char *settings)
{
    scene at = {.s = support_open_stage("page.html")};
    at.graph = draw_graph();
    at.model = trial_train(ctx, at.graph, settings);
    assert_int_equal(opn_model_split(ctx, at.model, at.graph, &at.split), OPN_OK);
    at.said = opinions_ask(ctx, at.model, at.graph, NULL);
    at.read = show(at.graph, at.model, at.s->path);
    for (int32_t c = 0; c < opn_graph_n_classes(at.graph); c++)
        if (opn_split_known(at.split)[c] >= 0)
            at.known[opn_split_known(at.split)[c]] = c;
    for (int i = 0; i < N_NODES; i++) {
        const int32_t label = opn_graph_labels(at.graph)[i];
        at.target[i] = label < 0 ? -1
                       : opn_split_known(at.split)[label] >= 0
                               ? opn_split_known(at.split)[label]
                               : -2;
    }
    return at;
}

static void close_scene(scene *at)
{
    page_free(&at->read);
    opinions_free(&at->said);
    opn_split_free(at->split);
    opn_model_free(at->model);
    opn_graph_free(at->graph);
    support_close_stage(at->s);
}

static bool is_near(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance;
}

// Six digits of every number are written.
static void expect_number(const json_t *object, const char *path, double want)
{
    const double got = page_number(object, path);
    if (!is_near(got, want, 2e-5 * fabs(want) + 1e-9))
        fail_msg("%s: %.9g is not %.9g", path, got, want);
}

static bool is_right(const scene *at, int i)
{
    return at->target[i] == at->said.at.predicted[i];
}

// ---- numbers of nodes ----------------------------------------------------------------

static void graph_is_told_as_it_is(void **state)
{
    (void)state;
    scene at = open_scene(bayesian);
    const json_t *graph = page_member(at.read.about, "graph");
    char hash[65];
    assert_int_equal(page_number(at.read.about, "format"), 1);
    assert_string_equal(page_string(at.read.about, "opine"), opn_version());
    assert_string_equal(page_string(at.read.about, "title"), opn_graph_name(at.graph));
    assert_string_equal(page_string(graph, "name"), opn_graph_name(at.graph));
    assert_int_equal(page_number(graph, "nodes"), N_NODES);
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
    close_scene(&at);
}

static void labels_and_roles_are_those_of_the_split(void **state)
{
    (void)state;
    static const char *const settings[] = {bayesian, held_out};
    for (int c = 0; c < 2; c++) {
        scene at = open_scene(settings[c]);
        uint32_t *label = page_array(&at.read, -1, "label", "u16", N_NODES);
        uint32_t *role = page_array(&at.read, 0, "role", "u8", N_NODES);
        int n_roles[5] = {0};
        for (int i = 0; i < N_NODES; i++) {
            const int32_t want = opn_graph_labels(at.graph)[i];
            assert_int_equal(label[i], want < 0 ? NONE : want);
            assert_int_equal(role[i], opn_split_roles(at.split)[i]);
            n_roles[role[i]]++;
        }
        for (int r = 0; r < 5; r++)
            assert_true(n_roles[r] > 0);
        free(label);
        free(role);
        close_scene(&at);
    }
}

static void each_edge_is_there_once_from_its_smaller_end(void **state)
{
    (void)state;
    scene at = open_scene("model=gcn epochs=2");
    const opn_off *row_ptr = opn_graph_row_ptr(at.graph);
    const opn_vid *col_idx = opn_graph_col_idx(at.graph);
    const size_t n_edges = (size_t)opn_graph_n_entries(at.graph) / 2;
    uint32_t *start = page_array(&at.read, -1, "starts", "u32", N_NODES + 1);
    uint32_t *end = page_array(&at.read, -1, "ends", "u32", n_edges);
    assert_int_equal(start[0], 0);
    assert_int_equal(start[N_NODES], n_edges);
    for (opn_vid i = 0; i < N_NODES; i++) {
        size_t n = start[i];
        for (opn_off e = row_ptr[i]; e < row_ptr[i + 1]; e++)
            if (col_idx[e] > i)
                assert_int_equal(end[n++], col_idx[e]);
        assert_int_equal(n, start[i + 1]);
    }
    free(start);
    free(end);
    close_scene(&at);
}

static void expect_unit(const scene *at, const char *name, const float *want, size_t n)
{
    uint32_t *got = page_array(&at->read, 0, name, "u16", n);
    for (size_t j = 0; j < n; j++)
        if (!is_near(got[j] / 65535.0, (double)want[j], 0.51 / 65535.0))
            fail_msg("%s of %zu: %g is not %g", name, j, got[j] / 65535.0,
                     (double)want[j]);
    free(got);
}

static void expect_predicted(const scene *at)
{
    uint32_t *predicted = page_array(&at->read, 0, "predicted", "u16", N_NODES);
    for (int i = 0; i < N_NODES; i++)
        assert_int_equal(predicted[i], at->known[at->said.at.predicted[i]]);
    free(predicted);
}

// alpha = exp(v / 1424), exact to 0.04 %.
static void opinions_of_every_node_are_the_models(void **state)
{
    (void)state;
    static const char *const settings[] = {bayesian, held_out,
                                           "model=s-gat epochs=4 hidden=8",
                                           "model=s-bsage-t epochs=4 samples=3"};
    for (int c = 0; c < 4; c++) {
        scene at = open_scene(settings[c]);
        const size_t n = N_NODES * (size_t)at.said.n_classes;
        uint32_t *alpha = page_array(&at.read, 0, "alpha", "u16", n);
        assert_true(json_is_true(page_member(page_view(&at.read, 0), "has_alpha")));
        assert_false(page_has_array(&at.read, "0.p"));
        for (size_t j = 0; j < n; j++) {
            const double want = (double)at.said.at.alpha[j];
            if (!is_near(exp(alpha[j] / 1424.0), want, 4e-4 * want))
                fail_msg("alpha %zu: %g is not %g", j, exp(alpha[j] / 1424.0), want);
        }
        for (int m = 0; m < OPN_N_MEASURES; m++) {
            const char *name = opn_measure_name((opn_measure)m);
            char full[32];
            snprintf(full, sizeof(full), "0.%s", name);
            assert_int_equal(page_has_array(&at.read, full),
                             opn_model_measures(at.model, (opn_measure)m));
            if (opn_model_measures(at.model, (opn_measure)m))
                expect_unit(&at, name, at.said.at.measure[m], N_NODES);
        }
        expect_predicted(&at);
        free(alpha);
        close_scene(&at);
    }
}

static void a_model_without_evidence_shows_probabilities(void **state)
{
    (void)state;
    scene at = open_scene("model=drop-gcn epochs=6 samples=4");
    const json_t *view = page_view(&at.read, 0);
    assert_true(json_is_false(page_member(view, "has_alpha")));
    assert_false(page_has_array(&at.read, "0.alpha"));
    assert_false(page_has_array(&at.read, "0.vacuity"));
    expect_unit(&at, "p", at.said.at.probability, N_NODES * (size_t)at.said.n_classes);
    expect_unit(&at, "entropy", at.said.at.measure[OPN_MEASURE_ENTROPY], N_NODES);
    expect_predicted(&at);
    assert_string_equal(page_string(view, "recommended"), "entropy");
    assert_true(page_is_null(view, "prior"));
    close_scene(&at);
}

static void places_are_the_map_of_the_hidden_layer(void **state)
{
    (void)state;
    scene at = open_scene("model=s-bgcn-t-k epochs=4 samples=2 hidden=6 seed=3");
    const json_t *view = page_view(&at.read, 0);
    float hidden[N_NODES * 6];
    float place[2][N_NODES];
    float pair[N_NODES * 2];
    assert_int_equal(opn_model_hidden(ctx, at.model, at.graph, hidden), OPN_OK);
    assert_int_equal(opn_embed(ctx, N_NODES, 6, hidden, 30.0, 3, pair), OPN_OK);
    for (int i = 0; i < N_NODES; i++)
        for (int d = 0; d < 2; d++)
            place[d][i] = pair[2 * i + d];
    expect_unit(&at, "x", place[0], N_NODES);
    expect_unit(&at, "y", place[1], N_NODES);
    assert_string_equal(page_string(view, "embedding.of"), "hidden layer");
    assert_int_equal(page_number(view, "embedding.dimensions"), 6);
    expect_number(view, "embedding.perplexity", 30.0);
    close_scene(&at);
}

static void perplexity_is_the_callers(void **state)
{
    (void)state;
    scene at = open_scene("model=gcn epochs=2 hidden=4");
    opn_report *report = NULL;
    assert_int_equal(opn_report_create(ctx, at.graph, "twice", &report), OPN_OK);
    add_model(report, at.model, "perplexity=7.5");
    add_model(report, at.model, "");
    save_report(report, at.s->path);
    opn_report_free(report);
    page read = page_read(at.s->path);
    uint32_t *x[2];
    for (int v = 0; v < 2; v++)
        x[v] = page_array(&read, v, "x", "u16", N_NODES);
    expect_number(page_view(&read, 0), "embedding.perplexity", 7.5);
    expect_number(page_view(&read, 1), "embedding.perplexity", 30.0);
    assert_memory_not_equal(x[0], x[1], N_NODES * sizeof(**x));
    assert_string_equal(page_string(read.about, "title"), "twice");
    for (int v = 0; v < 2; v++)
        free(x[v]);
    page_free(&read);
    close_scene(&at);
}

// ---- heads ---------------------------------------------------------------------------

static void a_view_tells_what_its_model_is(void **state)
{
    (void)state;
    static const char *const measures[] = {"vacuity", "dissonance", "aleatoric",
                                           "epistemic", "entropy"};
    scene at = open_scene("model=s-bgcn-t-k epochs=3 samples=2 sigma=1.5 seed=4");
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
    expect_number(view, "prior.sigma", 1.5);
    json_array_foreach(page_member(view, "parameters"), p, pair)
    {
        assert_int_equal(json_array_size(pair), 2);
        assert_string_equal(page_string(pair, "1"),
                            opn_model_param(at.model, page_string(pair, "0")));
        has_sigma = has_sigma || strcmp(page_string(pair, "0"), "sigma") == 0;
    }
    assert_true(has_sigma);
    close_scene(&at);
}

static void classes_that_were_held_out_are_not_known(void **state)
{
    (void)state;
    scene at = open_scene(held_out);
    const json_t *view = page_view(&at.read, 0);
    assert_string_equal(page_string(view, "task"), "ood");
    assert_string_equal(page_string(view, "recommended"), "vacuity");
    assert_int_equal(json_array_size(page_member(view, "known")), 3);
    assert_int_equal(page_number(view, "known.0"), 0);
    assert_int_equal(page_number(view, "known.1"), 2);
    assert_int_equal(page_number(view, "known.2"), 3);
    assert_int_equal(json_array_size(page_member(at.read.about, "graph.classes")), 4);
    close_scene(&at);
}

// ---- judgements ----------------------------------------------------------------------

// Nodes of the pool: outcome 0 right, 1 wrong, 2 of a class that is not known.
typedef struct pooled {
    int32_t n, n_of[3];
    int32_t node[N_NODES];
    int outcome[N_NODES];
} pooled;

static pooled pool_of(const scene *at)
{
    pooled pool = {.n = 0};
    for (int i = 0; i < N_NODES; i++) {
        if (!opn_split_pool(at->split)[i])
            continue;
        const int outcome = at->target[i] == -2 ? 2 : !is_right(at, i);
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
    static const char *const settings[] = {bayesian, held_out};
    for (int c = 0; c < 2; c++) {
        scene at = open_scene(settings[c]);
        const pooled pool = pool_of(&at);
        const json_t *told = page_member(page_view(&at.read, 0), "pool");
        assert_int_equal(page_number(told, "nodes"), opn_split_pool_size(at.split));
        assert_int_equal(page_number(told, "nodes"), pool.n);
        assert_int_equal(page_number(told, "correct"), pool.n_of[0]);
        assert_int_equal(page_number(told, "wrong"), pool.n_of[1]);
        assert_int_equal(page_number(told, "ood"), pool.n_of[2]);
        assert_true(pool.n_of[0] > 0 && pool.n_of[1] > 0 &&
                    (pool.n_of[2] > 0) == (c == 1));
        close_scene(&at);
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
    assert_true(is_near(json_number_value(json_array_get(list, 0)), first, 1e-6));
    assert_true(is_near(json_number_value(json_array_get(list, n - 1)), last, 1e-6));
}

static void
expect_detection(const scene *at, const json_t *task, const pooled *pool, bool is_ood)
{
    uint8_t positive[N_NODES];
    float score[N_NODES];
    int32_t n_positive = 0;
    for (int m = 0; m < OPN_N_MEASURES; m++) {
        int32_t n = 0;
        double auroc = 0.0;
        double aupr = 0.0;
        n_positive = 0;
        for (int32_t j = 0; j < pool->n; j++) {
            const float value = at->said.at.measure[m][pool->node[j]];
            if (!is_ood && pool->outcome[j] == 2)
                continue;
            positive[n] = pool->outcome[j] == (is_ood ? 2 : 0);
            n_positive += positive[n];
            score[n++] = is_ood ? value : -value;
        }
        assert_int_equal(opn_metric_auroc(ctx, n, positive, score, &auroc), OPN_OK);
        assert_int_equal(opn_metric_average_precision(ctx, n, positive, score, &aupr),
                         OPN_OK);
        const json_t *told = page_of_measure(page_member(task, "measures"),
                                             opn_measure_name((opn_measure)m));
        expect_number(told, "auroc", 100.0 * auroc);
        expect_number(told, "aupr", 100.0 * aupr);
        assert_true(is_near(area_under(page_member(told, "roc")), auroc, 2e-3));
        expect_ends(page_member(told, "roc.x"), 0.0, 1.0);
        expect_ends(page_member(told, "roc.y"), 0.0, 1.0);
        assert_true(area_under(page_member(told, "pr")) > 0.0);
        expect_number(task, "prevalence", 100.0 * n_positive / n);
    }
    assert_int_equal(json_array_size(page_member(task, "measures")), OPN_N_MEASURES);
    assert_string_equal(page_string(task, "positives"),
                        is_ood ? "out-of-distribution" : "correctly classified");
}

static void detection_is_the_metrics_of_the_pool(void **state)
{
    (void)state;
    scene at = open_scene(held_out);
    const pooled pool = pool_of(&at);
    const json_t *view = page_view(&at.read, 0);
    expect_detection(&at, page_member(view, "detection.misclassification"), &pool, false);
    expect_detection(&at, page_member(view, "detection.ood"), &pool, true);
    close_scene(&at);
}

static void detection_of_one_kind_only_is_null(void **state)
{
    (void)state;
    scene at = open_scene(bayesian);
    const json_t *view = page_view(&at.read, 0);
    assert_true(page_is_null(view, "detection.ood"));
    assert_false(page_is_null(view, "detection.misclassification"));
    close_scene(&at);
}

// Labels are what the model says.
static void detection_where_all_is_right_is_null(void **state)
{
    (void)state;
    stage *s = support_open_stage("page.html");
    opn_graph *graph = trial_groups(ctx);
    opn_graph *other = trial_groups(ctx);
    opn_model *model = trial_train(ctx, graph, "model=s-gcn epochs=5");
    opinions said = opinions_ask(ctx, model, other, NULL);
    assert_int_equal(opn_graph_set_labels(ctx, other, 2, said.at.predicted), OPN_OK);
    page read = show(other, model, s->path);
    const json_t *view = page_view(&read, 0);
    assert_int_equal(page_number(view, "pool.correct"), TRIAL_NODES);
    assert_true(page_is_null(view, "detection.misclassification"));
    assert_true(page_is_null(view, "detection.ood"));
    assert_int_equal(page_number(view, "quality.accuracy"), 100);
    page_free(&read);
    opinions_free(&said);
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
            const opn_i_view view = {.n_nodes = 1,
                                     .n_known = 3,
                                     .known = known,
                                     .label = &label,
                                     .predicted = &predicted};
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
    scene at = open_scene(held_out);
    const pooled pool = pool_of(&at);
    const json_t *list = page_member(page_view(&at.read, 0), "risk");
    assert_int_equal(json_array_size(list), OPN_N_MEASURES);
    for (int m = 0; m < OPN_N_MEASURES; m++) {
        uint8_t wrong[N_NODES];
        float value[N_NODES];
        double area = 0.0;
        for (int32_t j = 0; j < pool.n; j++) {
            wrong[j] = pool.outcome[j] != 0;
            value[j] = at.said.at.measure[m][pool.node[j]];
        }
        assert_int_equal(opn_metric_risk_coverage(ctx, pool.n, wrong, value, NULL, &area),
                         OPN_OK);
        const json_t *told = page_of_measure(list, opn_measure_name((opn_measure)m));
        const json_t *risk = page_member(told, "risk");
        const json_t *coverage = page_member(told, "coverage");
        const size_t n = json_array_size(risk);
        expect_number(told, "aurc", 100.0 * area);
        assert_int_equal(json_array_size(coverage), n);
        assert_true(is_near(json_number_value(json_array_get(risk, n - 1)),
                            1.0 - (double)pool.n_of[0] / pool.n, 1e-5));
        assert_true(
                is_near(json_number_value(json_array_get(coverage, n - 1)), 1.0, 1e-6));
    }
    close_scene(&at);
}

// Counted by hand. A value at the border of two bins may fall to either side.
static void histograms_count_the_pool_by_its_values(void **state)
{
    (void)state;
    enum { BINS = 40 };
    static const char *const names[] = {"correct", "wrong", "ood"};
    scene at = open_scene(held_out);
    const pooled pool = pool_of(&at);
    const json_t *list = page_member(page_view(&at.read, 0), "histograms");
    assert_int_equal(json_array_size(list), OPN_N_MEASURES);
    for (int m = 0; m < OPN_N_MEASURES; m++) {
        const json_t *told = page_of_measure(list, opn_measure_name((opn_measure)m));
        const float *value = at.said.at.measure[m];
        int count[3][BINS] = {{0}};
        double high = 0.0;
        int n_apart = 0;
        for (int i = 0; i < N_NODES; i++)
            high = fmax(high, (double)value[i]);
        expect_number(told, "low", 0.0);
        expect_number(told, "high", high);
        for (int32_t j = 0; j < pool.n; j++) {
            const int bin = (int)(BINS * (double)value[pool.node[j]] / high);
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
    close_scene(&at);
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
    for (int q = 0; q < OPN_N_QUALITIES; q++)
        expect_number(page_member(view, "quality"), opn_quality_name((opn_quality)q),
                      cell->quality[q]);
    expect_number(view, "pool.nodes", cell->n_pool);
    expect_number(told, "prevalence", cell->prevalence);
    for (int m = 0; m < OPN_N_MEASURES; m++) {
        if (!opn_model_measures(model, (opn_measure)m))
            continue;
        const char *name = opn_measure_name((opn_measure)m);
        const json_t *one = page_of_measure(page_member(told, "measures"), name);
        expect_number(one, "auroc", cell->metric[OPN_METRIC_AUROC][m]);
        expect_number(one, "aupr", cell->metric[OPN_METRIC_AUPR][m]);
        expect_number(page_of_measure(page_member(view, "risk"), name), "aurc",
                      cell->metric[OPN_METRIC_AURC][m]);
    }
}

static void quality_and_detection_equal_those_of_an_evaluation(void **state)
{
    (void)state;
    static const char *const settings[] = {
            "model=s-bgcn-t-k epochs=9 samples=3 protocol=full seeds=1",
            "model=s-bgcn-t-k epochs=9 samples=3 protocol=full seeds=1 task=ood "
            "ood_classes=1",
            "model=drop-gcn epochs=6 samples=4 protocol=full seeds=1"};
    for (int c = 0; c < 3; c++) {
        stage *s = support_open_stage("page.html");
        opn_graph *graph = draw_graph();
        opn_params *params = trial_params(ctx, settings[c]);
        opn_evaluation *found = NULL;
        assert_int_equal(opn_evaluate(ctx, graph, params, NULL, &found), OPN_OK);
        opn_model *model = train_by_preset(graph, params);
        page read = show(graph, model, s->path);
        expect_cell(page_view(&read, 0), model, opn_evaluation_cells(found, 0));
        page_free(&read);
        opn_evaluation_free(found);
        opn_params_free(params);
        opn_model_free(model);
        opn_graph_free(graph);
        support_close_stage(s);
    }
}

static void reliability_adds_up_to_the_calibration_error(void **state)
{
    (void)state;
    scene at = open_scene(held_out);
    const json_t *view = page_view(&at.read, 0);
    const json_t *told = page_member(view, "reliability");
    int32_t n_test = 0;
    double n_all = 0.0;
    double error = 0.0;
    for (int i = 0; i < N_NODES; i++)
        n_test += opn_split_roles(at.split)[i] == OPN_ROLE_TEST && at.target[i] >= 0;
    assert_int_equal(page_number(view, "quality.nodes"), n_test);
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
    assert_true(is_near(100.0 * error / n_all, page_number(told, "ece"), 1e-2));
    assert_true(page_number(told, "ece") == page_number(view, "quality.ece"));
    close_scene(&at);
}

static void summary_names_accuracy_and_the_best_measure(void **state)
{
    (void)state;
    for (int c = 0; c < 2; c++) {
        scene at = open_scene(c == 0 ? bayesian : held_out);
        const json_t *view = page_view(&at.read, 0);
        const json_t *task =
                page_member(page_member(view, "detection"), page_string(view, "task"));
        const char *best = NULL;
        double top = 0.0;
        char want[160];
        for (int m = 0; m < OPN_N_MEASURES; m++) {
            const char *name = opn_measure_name((opn_measure)m);
            const double auroc = page_number(
                    page_of_measure(page_member(task, "measures"), name), "auroc");
            best = auroc > top ? name : best;
            top = fmax(top, auroc);
        }
        assert_int_equal(json_array_size(page_member(at.read.about, "summary")), 2);
        snprintf(want, sizeof(want), " classifies %.1f %% of %.0f test nodes correctly.",
                 page_number(view, "quality.accuracy"),
                 page_number(view, "quality.nodes"));
        const char *first = page_string(at.read.about, "summary.0");
        assert_true(strncmp(first, "s-bgcn-t-k", 10) == 0);
        assert_non_null(strstr(first, c == 0 ? want : want + 1));
        assert_int_equal(strstr(first, "trained without some classes") != NULL, c == 1);
        snprintf(want, sizeof(want),
                 "Best measure for detecting %s nodes: %s (AUROC %.1f %%).",
                 c == 0 ? "misclassified" : "out-of-distribution", best, top);
        assert_string_equal(page_string(at.read.about, "summary.1"), want);
        close_scene(&at);
    }
}

// ---- training ------------------------------------------------------------------------

enum { MAX_EPOCHS = 1300 };
typedef struct history {
    opn_epoch epoch[MAX_EPOCHS];
    int n;
    int n_done; // stages of which progress came to the end
} history;

static void keep_epoch(void *user, const opn_epoch *epoch)
{
    history *to = user;
    assert_true(to->n < MAX_EPOCHS);
    to->epoch[to->n++] = *epoch;
}

static void count_stages(void *user, const opn_progress *progress)
{
    history *to = user;
    to->n_done += progress->done == progress->total &&
                  (strcmp(progress->stage, "model") == 0 ||
                   strcmp(progress->stage, "teacher") == 0);
}

static const char *const terms[] = {"loss",    "labels", "prior",
                                    "teacher", "decay",  "accuracy"};
enum { N_TERMS = 6 };

static double term_of(const opn_epoch *epoch, int t)
{
    const double value[N_TERMS] = {epoch->loss,  epoch->labels,
                                   epoch->prior, epoch->teacher,
                                   epoch->decay, 100.0 * epoch->accuracy};
    return value[t];
}

// Asserts that a stage of the page is some of the n epochs from `first` on.
static void expect_stage(const json_t *told, const opn_epoch *first, int n)
{
    const json_t *number = page_member(told, "epoch");
    const size_t n_points = json_array_size(number);
    assert_string_equal(page_string(told, "stage"), first->stage);
    assert_int_equal(json_integer_value(json_array_get(number, 0)), 1);
    assert_int_equal(json_integer_value(json_array_get(number, n_points - 1)), n);
    if (n < 250)
        assert_int_equal(n_points, n);
    assert_true(n_points <= 251 && (n < 250 || n_points > 120));
    for (int t = 0; t < N_TERMS; t++) {
        const json_t *values = page_member(told, terms[t]);
        if (isnan(term_of(first, t))) {
            assert_true(json_is_null(values));
            continue;
        }
        assert_int_equal(json_array_size(values), n_points);
        for (size_t p = 0; p < n_points; p++) {
            const json_int_t e = json_integer_value(json_array_get(number, p));
            const double want = term_of(&first[e - 1], t);
            const double got = json_number_value(json_array_get(values, p));
            if (!is_near(got, want, 2e-5 * fabs(want) + 1e-9))
                fail_msg("%s of epoch %d: %g is not %g", terms[t], (int)e, got, want);
        }
    }
}

static void curves_are_the_epochs_of_training(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        int n_teacher;
    } cases[] = {{"model=s-bgcn-t-k epochs=12 teacher_epochs=7 samples=2", 7},
                 {"model=gcn epochs=249", 0},
                 {"model=gcn epochs=250", 0},
                 {"model=s-gcn epochs=740", 0},
                 {"model=s-bsage-t epochs=1 samples=2", 1},
                 {"model=gat epochs=20 patience=4 learning_rate=0.3 hidden=8", 0}};
    static history h;
    stage *s = support_open_stage("page.html");
    opn_graph *graph = draw_graph();
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        const opn_hooks hooks = {.epoch = keep_epoch, .user = &h};
        h = (history){.n = 0};
        opn_ctx_set_hooks(ctx, &hooks);
        opn_model *model = trial_train(ctx, graph, cases[c].settings);
        opn_ctx_set_hooks(ctx, NULL);
        page read = show(graph, model, s->path);
        const json_t *view = page_view(&read, 0);
        const json_t *training = page_member(view, "training");
        const int n_teacher = cases[c].n_teacher;
        assert_int_equal(json_array_size(training), n_teacher > 0 ? 2 : 1);
        if (n_teacher > 0)
            expect_stage(json_array_get(training, 0), h.epoch, n_teacher);
        expect_stage(json_array_get(training, n_teacher > 0), h.epoch + n_teacher,
                     h.n - n_teacher);
        assert_string_equal(page_string(view, "training_note"),
                            "Recorded by training the model again, which gave exactly "
                            "the same weights.");
        page_free(&read);
        opn_model_free(model);
    }
    opn_graph_free(graph);
    support_close_stage(s);
}

static void accuracy_of_no_validation_node_is_null(void **state)
{
    (void)state;
    stage *s = support_open_stage("page.html");
    opn_graph *graph = draw_graph();
    uint8_t role[N_NODES];
    for (int i = 0; i < N_NODES; i++)
        role[i] = opn_graph_labels(graph)[i] < 0 ? OPN_ROLE_UNLABELLED
                  : i % 2 == 0                   ? OPN_ROLE_TRAIN
                                                 : OPN_ROLE_TEST;
    assert_int_equal(opn_graph_set_roles(ctx, graph, role), OPN_OK);
    opn_model *model = trial_train(ctx, graph, "model=gcn epochs=3");
    page read = show(graph, model, s->path);
    assert_true(page_is_null(page_view(&read, 0), "training.0.accuracy"));
    assert_true(page_is_null(page_view(&read, 0), "training.0.prior"));
    page_free(&read);
    opn_model_free(model);
    opn_graph_free(graph);
    support_close_stage(s);
}

// Weights that nobody learnt: one was changed since.
static void weights_that_differ_are_told(void **state)
{
    (void)state;
    stage *s = support_open_stage("model.safetensors");
    char path[SUPPORT_PATH];
    size_t n_bytes = 0;
    opn_graph *graph = draw_graph();
    opn_model *model = trial_train(ctx, graph, "model=gcn epochs=3");
    opn_model *other = NULL;
    char *bytes = trial_bytes(ctx, model, &n_bytes);
    support_flip_bit(bytes, 8 * n_bytes - 8 * 4); // the last bit of the last weight
    support_write_file(s->path, bytes, n_bytes);
    assert_int_equal(opn_model_load(ctx, s->path, &other), OPN_OK);
    page read = show(graph, other, support_path(path, s->folder, "page.html"));
    const char *note = page_string(page_view(&read, 0), "training_note");
    assert_non_null(strstr(note, "the weights differ from the model's"));
    assert_null(strstr(note, "same weights"));
    page_free(&read);
    free(bytes);
    opn_model_free(other);
    opn_model_free(model);
    opn_graph_free(graph);
    support_close_stage(s);
}

static void a_model_of_no_epoch_has_no_curves(void **state)
{
    (void)state;
    scene at = open_scene("model=gcn epochs=0");
    assert_true(page_is_null(page_view(&at.read, 0), "training"));
    close_scene(&at);
}

// The hooks of the caller are his again afterwards, and he hears of the progress.
static void caller_hears_the_progress_but_not_the_epochs(void **state)
{
    (void)state;
    static history h;
    const opn_hooks hooks = {.epoch = keep_epoch, .progress = count_stages, .user = &h};
    opn_report *report = NULL;
    opn_graph *graph = draw_graph();
    opn_model *model = trial_train(ctx, graph, "model=s-bgcn-t epochs=3 samples=2");
    assert_int_equal(opn_report_create(ctx, graph, NULL, &report), OPN_OK);
    h = (history){.n = 0};
    opn_ctx_set_hooks(ctx, &hooks);
    add_model(report, model, "");
    assert_int_equal(h.n, 0);
    assert_int_equal(h.n_done, 2);
    opn_model_free(trial_train(ctx, graph, "model=gcn epochs=3"));
    assert_int_equal(h.n, 3);
    opn_ctx_set_hooks(ctx, NULL);
    opn_report_free(report);
    opn_model_free(model);
    opn_graph_free(graph);
}

static void every_moment_may_be_interrupted(void **state)
{
    (void)state;
    opn_graph *graph = trial_groups(ctx);
    opn_model *model = trial_train(ctx, graph, "model=s-bgcn-t epochs=3 samples=2");
    opn_params *params = trial_params(ctx, "");
    long n_interrupted = 0;
    bool is_reached = true;
    for (long k = 1; is_reached; k += k < 40 ? 1 : 97) {
        listener l = {.interrupt_at = k};
        opn_report *report = NULL;
        assert_int_equal(opn_report_create(ctx, graph, NULL, &report), OPN_OK);
        support_listen(ctx, &l);
        const opn_status status = opn_report_add_model(ctx, report, model, params);
        opn_ctx_set_hooks(ctx, NULL);
        is_reached = l.n_asked >= k;
        assert_int_equal(status, is_reached ? OPN_ERR_INTERRUPTED : OPN_OK);
        n_interrupted += is_reached;
        opn_report_free(report);
    }
    assert_true(n_interrupted > 10);
    opn_params_free(params);
    opn_model_free(model);
    opn_graph_free(graph);
}

static void keep_stage(void *user, const opn_progress *progress)
{
    const char **at = user;
    *at = progress->stage;
}

static int interrupt_model(void *user)
{
    const char *const *at = user;
    return *at != NULL && strcmp(*at, "model") == 0;
}

// Training once more may take long, and hears the caller too.
static void training_once_more_may_be_interrupted(void **state)
{
    (void)state;
    const char *at = NULL;
    const opn_hooks hooks = {
            .progress = keep_stage, .interrupted = interrupt_model, .user = &at};
    opn_graph *graph = trial_groups(ctx);
    opn_model *model = trial_train(ctx, graph, "model=gcn epochs=3");
    opn_params *params = trial_params(ctx, "");
    opn_report *report = NULL;
    assert_int_equal(opn_report_create(ctx, graph, NULL, &report), OPN_OK);
    opn_ctx_set_hooks(ctx, &hooks);
    assert_int_equal(opn_report_add_model(ctx, report, model, params),
                     OPN_ERR_INTERRUPTED);
    opn_ctx_set_hooks(ctx, NULL);
    opn_report_free(report);
    opn_params_free(params);
    opn_model_free(model);
    opn_graph_free(graph);
}

// ---- other graphs --------------------------------------------------------------------

static void name_classes(opn_graph *graph, int n, const char *const *name)
{
    opn_i_names_deinit(&ctx->alloc, &graph->class_names);
    for (int k = 0; k < n; k++)
        assert_int_equal(
                opn_i_names_add(ctx, &graph->class_names, name[k], strlen(name[k])),
                OPN_OK);
}

// Nine nodes as those of trial_groups, labelled anew.
static opn_graph *groups_of(const int32_t *label, int n_classes, const char *const *name)
{
    opn_graph *graph = trial_groups(ctx);
    assert_int_equal(opn_graph_set_labels(ctx, graph, n_classes, label), OPN_OK);
    name_classes(graph, n_classes, name);
    return graph;
}

static void on_another_graph_labelled_nodes_are_the_pool_and_judge_the_model(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b"};
    static const char *const others[] = {"b", "new", "a"};
    static const int32_t labels[TRIAL_NODES] = {2, 2, -1, 0, 1, 0, 1, -1, 2};
    stage *s = support_open_stage("page.html");
    opn_graph *graph = groups_of(trial_labels, 2, names);
    opn_graph *other = groups_of(labels, 3, others);
    opn_model *model = trial_train(ctx, graph, "model=s-gcn epochs=5 task=ood");
    opinions said = opinions_ask(ctx, model, other, NULL);
    page read = show(other, model, s->path);
    const json_t *view = page_view(&read, 0);
    uint32_t *role = page_array(&read, 0, "role", "u8", TRIAL_NODES);
    uint32_t *predicted = page_array(&read, 0, "predicted", "u16", TRIAL_NODES);
    assert_int_equal(page_number(view, "known.0"), 2);
    assert_int_equal(page_number(view, "known.1"), 0);
    assert_int_equal(json_array_size(page_member(read.about, "graph.classes")), 3);
    for (int i = 0; i < TRIAL_NODES; i++) {
        assert_int_equal(role[i], labels[i] < 0 ? OPN_ROLE_UNLABELLED : OPN_ROLE_POOL);
        assert_int_equal(predicted[i], said.at.predicted[i] == 0 ? 2 : 0);
    }
    assert_int_equal(page_number(view, "pool.nodes"), 7);
    assert_int_equal(page_number(view, "pool.ood"), 2);
    assert_int_equal(page_number(view, "quality.nodes"), 5);
    assert_true(page_is_null(view, "training"));
    assert_string_equal(page_string(view, "training_note"),
                        "Not available: the model was trained on another graph, or on "
                        "another split of it.");
    assert_non_null(strstr(page_string(read.about, "summary.0"),
                           "labelled nodes correctly, some of which may have been "
                           "used to train it"));
    free(role);
    free(predicted);
    page_free(&read);
    opinions_free(&said);
    opn_model_free(model);
    opn_graph_free(other);
    opn_graph_free(graph);
    support_close_stage(s);
}

// Nodes that trained must never seem to test.
static void a_split_that_has_changed_is_not_taken_for_that_of_training(void **state)
{
    (void)state;
    stage *s = support_open_stage("page.html");
    opn_graph *graph = draw_graph();
    opn_model *model = trial_train(ctx, graph, "model=s-gcn epochs=5");
    uint8_t swapped[N_NODES];
    opn_split *split = NULL;
    listener l = {.interrupt_at = 0};
    assert_int_equal(opn_model_split(ctx, model, graph, &split), OPN_OK);
    for (int i = 0; i < N_NODES; i++) {
        const uint8_t role = opn_split_roles(split)[i];
        swapped[i] = role == OPN_ROLE_TRAIN  ? OPN_ROLE_TEST
                     : role == OPN_ROLE_TEST ? OPN_ROLE_TRAIN
                                             : role;
    }
    opn_split_free(split);
    assert_int_equal(opn_graph_set_roles(ctx, graph, swapped), OPN_OK);
    support_listen(ctx, &l);
    assert_int_equal(opn_model_split(ctx, model, graph, &split), OPN_OK);
    opn_ctx_set_hooks(ctx, NULL);
    assert_null(split);
    assert_non_null(strstr(l.log, "the split differs from the one used in training"));
    page read = show(graph, model, s->path);
    uint32_t *role = page_array(&read, 0, "role", "u8", N_NODES);
    for (int i = 0; i < N_NODES; i++)
        assert_true(role[i] == OPN_ROLE_POOL || role[i] == OPN_ROLE_UNLABELLED);
    free(role);
    page_free(&read);
    opn_model_free(model);
    opn_graph_free(graph);
    support_close_stage(s);
}

static void classes_that_the_graph_does_not_have_come_after_its_own(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b"};
    static const char *const others[] = {"x", "b"};
    stage *s = support_open_stage("page.html");
    static const int32_t labels[TRIAL_NODES] = {1, 0, -1, 0, 1, 0, 1, -1, 1};
    opn_graph *graph = groups_of(trial_labels, 2, names);
    opn_graph *other = groups_of(labels, 2, others);
    opn_model *model = trial_train(ctx, graph, "model=s-gcn epochs=5");
    page read = show(other, model, s->path);
    assert_int_equal(json_array_size(page_member(read.about, "graph.classes")), 3);
    assert_string_equal(page_string(read.about, "graph.classes.2"), "a");
    assert_int_equal(page_number(page_view(&read, 0), "known.0"), 2);
    assert_int_equal(page_number(page_view(&read, 0), "known.1"), 1);
    page_free(&read);
    opn_model_free(model);
    opn_graph_free(other);
    opn_graph_free(graph);
    support_close_stage(s);
}

static void nothing_labelled_is_nothing_to_judge(void **state)
{
    (void)state;
    static const int32_t labels[TRIAL_NODES] = {-1, -1, -1, -1, -1, -1, -1, -1, -1};
    static const char *const names[] = {"0", "1"};
    stage *s = support_open_stage("page.html");
    opn_graph *graph = trial_groups(ctx);
    opn_graph *other = groups_of(labels, 2, names);
    opn_model *model = trial_train(ctx, graph, "model=s-gcn epochs=5");
    page read = show(other, model, s->path);
    const json_t *view = page_view(&read, 0);
    assert_int_equal(page_number(view, "pool.nodes"), 0);
    assert_int_equal(page_number(view, "quality.nodes"), 0);
    assert_true(page_is_null(view, "quality.accuracy"));
    assert_true(page_is_null(view, "detection.misclassification"));
    assert_true(page_is_null(view, "detection.ood"));
    assert_int_equal(json_array_size(page_member(view, "risk")), 0);
    assert_string_equal(page_string(read.about, "summary.0"),
                        "There are no test nodes to score s-gcn on.");
    assert_true(page_is_null(view, "reliability"));
    page_free(&read);
    opn_model_free(model);
    opn_graph_free(other);
    opn_graph_free(graph);
    support_close_stage(s);
}

// ---- names ---------------------------------------------------------------------------

static size_t count(const char *text, size_t n, const char *part)
{
    size_t found = 0;
    const size_t n_part = strlen(part);
    for (size_t at = 0; at + n_part <= n; at++)
        found += memcmp(text + at, part, n_part) == 0;
    return found;
}

static const char *const hostile[] = {
        "</script><script>alert(1)</script>",
        "</SCRIPT\n>",
        "<!-- <script>",
        "-->",
        "]]>",
        "a & b &lt; &#60;",
        "\"double\" and 'single' and \\back\\",
        "line\xe2\x80\xa8 and paragraph\xe2\x80\xa9 ends",
        "\xe2\x80\xae tfel-ot-thgir \xd7\x90",
        "\xf0\x9f\xa6\x89 \xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x94\xac",
        "tab\tnewline\nreturn\rbell\adelete\x7f",
        "\x01\x02\x1f",
        "@DATA@ @SCRIPT@ %s %n",
        "",
        "\\u003c/script\\u003e"};
enum { N_HOSTILE = sizeof(hostile) / sizeof(hostile[0]) };

static void add_name(opn_i_names *names, const char *name)
{
    assert_int_equal(opn_i_names_add(ctx, names, name, strlen(name)), OPN_OK);
}

static void expect_harmless(const page *read, const page *plain)
{
    static const char *const parts[] = {"</script", "<script", "<!--", "-->", "]]>"};
    for (size_t p = 0; p < sizeof(parts) / sizeof(parts[0]); p++)
        assert_int_equal(count(read->text, read->n_text, parts[p]),
                         count(plain->text, plain->n_text, parts[p]));
    for (size_t j = 0; j < read->n_about; j++) {
        const unsigned char c = (unsigned char)read->about_text[j];
        if (c < 0x20 || c > 0x7f || c == '<' || c == '>' || c == '&')
            fail_msg("byte %d stands in the text", c);
    }
}

static void names_come_back_whole_and_do_no_harm(void **state)
{
    (void)state;
    static char longest[5001];
    stage *s = support_open_stage("page.html");
    opn_graph *graph = draw_graph();
    opn_model *gcn = trial_train(ctx, graph, "model=gcn epochs=1");
    page plain = show(graph, gcn, s->path);
    opn_report *report = NULL;
    memset(longest, '<', 5000);
    for (int i = 0; i < N_NODES; i++)
        add_name(&graph->node_names, i < N_HOSTILE ? hostile[i] : longest);
    for (int k = 0; k < 4; k++)
        add_name(&graph->class_names, k == 3 ? longest : hostile[4 * k]);
    opn_model *model = trial_train(ctx, graph, "model=s-gcn epochs=1");
    assert_int_equal(opn_report_create(ctx, graph, hostile[0], &report), OPN_OK);
    add_model(report, model, "");
    save_report(report, s->path);
    page read = page_read(s->path);
    expect_harmless(&read, &plain);
    assert_string_equal(page_string(read.about, "title"), hostile[0]);
    for (int i = 0; i < N_NODES; i++)
        assert_string_equal(json_string_value(json_array_get(
                                    page_member(read.about, "graph.names"), (size_t)i)),
                            i < N_HOSTILE ? hostile[i] : longest);
    assert_int_equal(json_array_size(page_member(read.about, "graph.classes")), 4);
    for (int k = 0; k < 4; k++)
        assert_string_equal(json_string_value(json_array_get(
                                    page_member(read.about, "graph.classes"), (size_t)k)),
                            k == 3 ? longest : hostile[4 * k]);
    page_free(&read);
    page_free(&plain);
    opn_report_free(report);
    opn_model_free(model);
    opn_model_free(gcn);
    opn_graph_free(graph);
    support_close_stage(s);
}

static void a_title_that_is_no_text_is_a_question_mark(void **state)
{
    (void)state;
    stage *s = support_open_stage("page.html");
    opn_graph *graph = trial_groups(ctx);
    opn_report *report = NULL;
    assert_int_equal(opn_report_create(ctx, graph, "caf\xe9", &report), OPN_OK);
    save_report(report, s->path);
    page read = page_read(s->path);
    assert_string_equal(page_string(read.about, "title"), "?");
    page_free(&read);
    opn_report_free(report);
    opn_graph_free(graph);
    support_close_stage(s);
}

// ---- the file ------------------------------------------------------------------------

static void page_has_the_same_bytes_on_any_number_of_threads(void **state)
{
    (void)state;
    scene at = open_scene(held_out);
    for (int t = 1; t <= 4; t++) {
        assert_int_equal(opn_ctx_set_threads(ctx, t), OPN_OK);
        page read = show(at.graph, at.model, at.s->path);
        assert_int_equal(read.n_text, at.read.n_text);
        assert_memory_equal(read.text, at.read.text, read.n_text);
        page_free(&read);
    }
    assert_int_equal(opn_ctx_set_threads(ctx, 1), OPN_OK);
    close_scene(&at);
}

// No marker of the frame is left, and nothing is fetched.
static void page_is_one_whole_file(void **state)
{
    (void)state;
    static const char *const markers[] = {"@POLICY@", "@STYLE@",   "@LICENCE@",
                                          "@DATA@",   "@LIBRARY@", "@SCRIPT@"};
    scene at = open_scene("model=gcn epochs=1");
    assert_true(opn_report_is_supported());
    for (size_t m = 0; m < 6; m++)
        assert_null(strstr(at.read.text, markers[m]));
    assert_non_null(strstr(at.read.text, "default-src 'none'"));
    assert_int_equal(count(at.read.text, at.read.n_text, " 'sha256-"), 3);
    assert_null(strstr(at.read.text, "rel=\"stylesheet\""));
    assert_null(strstr(at.read.text, "src=\"http"));
    assert_int_equal(at.read.n_text, strlen(at.read.text));
    assert_int_equal(support_count_entries(at.s->folder), 1);
    close_scene(&at);
}

// The next 'sha256-…' from *at on is of what stands between the next such tag from *from
// on and the one that closes it.
static void
expect_allowed(const char **at, const char **from, const char *tag, const char *end)
{
    unsigned char digest[OPN_SHA256_BYTES];
    opn_i_sha256 *sha = NULL;
    size_t n_told = 0;
    *from = strstr(*from, tag);
    assert_non_null(*from);
    *from += strlen(tag);
    assert_int_equal(opn_i_sha256_start(ctx, &sha), OPN_OK);
    opn_i_sha256_add(sha, *from, (size_t)(strstr(*from, end) - *from));
    assert_int_equal(opn_i_sha256_finish_bytes(sha, digest), OPN_OK);
    *at = strstr(*at, " 'sha256-");
    assert_non_null(*at);
    *at += strlen(" 'sha256-");
    unsigned char *told = base64_decode(*at, strcspn(*at, "'"), &n_told);
    assert_int_equal(n_told, sizeof(digest));
    assert_memory_equal(told, digest, sizeof(digest));
    free(told);
}

static void policy_allows_what_stands_in_the_page_and_nothing_else(void **state)
{
    (void)state;
    scene at = open_scene("model=gcn epochs=1");
    const char *hash = at.read.text;
    const char *element = at.read.text;
    expect_allowed(&hash, &element, "<style>", "</style>");
    expect_allowed(&hash, &element, "\n<script>", "</script>");
    expect_allowed(&hash, &element, "\n<script>", "</script>");
    assert_null(strstr(hash, " 'sha256-"));
    close_scene(&at);
}

static void a_report_shows_six_models_and_no_seventh(void **state)
{
    (void)state;
    stage *s = support_open_stage("page.html");
    opn_graph *graph = trial_groups(ctx);
    opn_report *report = NULL;
    opn_params *params = trial_params(ctx, "");
    assert_int_equal(opn_report_create(ctx, graph, NULL, &report), OPN_OK);
    for (int v = 0; v < 7; v++) {
        char settings[64];
        snprintf(settings, sizeof(settings), "model=%s epochs=1 samples=2",
                 trial_models[v]);
        opn_model *model = trial_train(ctx, graph, settings);
        assert_int_equal(opn_report_add_model(ctx, report, model, params),
                         v < 6 ? OPN_OK : OPN_ERR_INVALID_ARG);
        opn_model_free(model);
    }
    support_expect_error(ctx, "at most 6 models");
    save_report(report, s->path);
    page read = page_read(s->path);
    assert_int_equal(json_array_size(page_member(read.about, "views")), 6);
    for (int v = 0; v < 6; v++)
        assert_string_equal(page_string(page_view(&read, v), "model"), trial_models[v]);
    page_free(&read);
    opn_params_free(params);
    opn_report_free(report);
    opn_graph_free(graph);
    support_close_stage(s);
}

static void a_report_without_models_shows_the_graph(void **state)
{
    (void)state;
    stage *s = support_open_stage("page.html");
    opn_graph *graph = trial_groups(ctx);
    opn_report *report = NULL;
    assert_int_equal(opn_report_create(ctx, graph, NULL, &report), OPN_OK);
    save_report(report, s->path);
    page read = page_read(s->path);
    assert_int_equal(json_array_size(page_member(read.about, "views")), 0);
    free(page_array(&read, -1, "ends", "u32", TRIAL_EDGES));
    page_free(&read);
    opn_report_free(report);
    opn_report_free(NULL);
    opn_graph_free(graph);
    support_close_stage(s);
}

// A page could not show which way an edge goes.
static void a_directed_graph_is_refused(void **state)
{
    (void)state;
    stage *s = support_open_stage("graph");
    char path[SUPPORT_PATH];
    opn_graph *graph = NULL;
    opn_report *report = NULL;
    opn_graph *groups = trial_groups(ctx);
    assert_int_equal(opn_graph_save(ctx, groups, s->path), OPN_OK);
    support_write_text(support_path(path, s->path, "edges.csv"),
                       "source,target\n0,1\n0,2\n0,3\n0,4\n0,5\n0,6\n0,7\n0,8\n1,2\n");
    assert_int_equal(opn_graph_load(ctx, s->path, NULL, &graph), OPN_OK);
    assert_int_equal(opn_report_create(ctx, graph, NULL, &report), OPN_ERR_SHAPE);
    support_expect_error(ctx, "directed");
    assert_null(report);
    opn_graph_free(graph);
    opn_graph_free(groups);
    support_close_stage(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(graph_is_told_as_it_is),
            WITH_CTX(labels_and_roles_are_those_of_the_split),
            WITH_CTX(each_edge_is_there_once_from_its_smaller_end),
            WITH_CTX(opinions_of_every_node_are_the_models),
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
            WITH_CTX(summary_names_accuracy_and_the_best_measure),
            WITH_CTX(curves_are_the_epochs_of_training),
            WITH_CTX(accuracy_of_no_validation_node_is_null),
            WITH_CTX(weights_that_differ_are_told),
            WITH_CTX(a_model_of_no_epoch_has_no_curves),
            WITH_CTX(caller_hears_the_progress_but_not_the_epochs),
            WITH_CTX(every_moment_may_be_interrupted),
            WITH_CTX(training_once_more_may_be_interrupted),
            WITH_CTX(on_another_graph_labelled_nodes_are_the_pool_and_judge_the_model),
            WITH_CTX(a_split_that_has_changed_is_not_taken_for_that_of_training),
            WITH_CTX(classes_that_the_graph_does_not_have_come_after_its_own),
            WITH_CTX(nothing_labelled_is_nothing_to_judge),
            WITH_CTX(names_come_back_whole_and_do_no_harm),
            WITH_CTX(a_title_that_is_no_text_is_a_question_mark),
            WITH_CTX(page_has_the_same_bytes_on_any_number_of_threads),
            WITH_CTX(page_is_one_whole_file),
            WITH_CTX(policy_allows_what_stands_in_the_page_and_nothing_else),
            WITH_CTX(a_report_shows_six_models_and_no_seventh),
            WITH_CTX(a_report_without_models_shows_the_graph),
            WITH_CTX(a_directed_graph_is_refused),
    };
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
