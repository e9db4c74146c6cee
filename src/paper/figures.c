// figures.c -- the figures of the paper, drawn from our own runs.

#include "base/number.h"
#include "experiment/kept_model.h"
#include "experiment/run_folder.h"
#include "experiment/view_model.h"
#include "io/path.h"
#include "opinion/curves.h"
#include "paper/figure_curves.h"
#include "paper/figure_maps.h"
#include "paper/figure_simplex.h"
#include "train/training_key.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// One output file: which models of which run it shows.
typedef struct plan {
    const char *figure, *dataset, *task;
    const char *models[3]; // NULL-terminated unless there are three
} plan;

static const plan plans[] = {
        {"maps", "cora", "misclassification", {"s-bgcn-t-k"}},
        {"maps", "citeseer", "misclassification", {"s-bgcn-t-k"}},
        {"maps", "photo", "ood", {"s-bgcn-t", "s-bgcn-t-k"}},
        {"pr", "cora", "misclassification", {"s-bgcn-t-k", "drop-gcn", "gcn"}},
        {"pr", "citeseer", "misclassification", {"s-bgcn-t-k", "drop-gcn", "gcn"}},
        {"pr", "pubmed", "misclassification", {"s-bgcn-t-k", "drop-gcn", "gcn"}},
        {"pr", "photo", "ood", {"s-bgcn-t-k"}},
        {"pr", "computers", "ood", {"s-bgcn-t-k"}},
        {"pr", "physics", "ood", {"s-bgcn-t-k"}},
        {"roc", "photo", "ood", {"s-bgcn-t-k"}},
        {"roc", "computers", "ood", {"s-bgcn-t-k"}},
        {"roc", "physics", "ood", {"s-bgcn-t-k"}},
};
enum { MAX_MODELS = 3, MAX_LINES = OPN_N_PAPER_MEASURES + MAX_MODELS, MAX_PANELS = 6 };

// A figure in progress.
typedef struct drawing {
    opn_ctx *ctx;
    const opn_params *params;
    const char *folder;
    const plan *plan;
    opn_report *report; // holds graph and views
    int32_t n_nodes;
    int n_drawn; // files
    void (*drawn)(void *user, const char *path);
    void *user;
} drawing;

// ---- models --------------------------------------------------------------------------

static opn_status set_params(drawing *d, const char *model, opn_params **out)
{
    opn_status status = OPN_OK;
    opn_params *params = NULL;
    OPN_TRY(opn_params_copy(d->ctx, d->params, &params));
    OPN_TRY(opn_params_set(d->ctx, params, "task", d->plan->task));
    OPN_TRY(opn_params_set(d->ctx, params, "model", model));
    OPN_TRY(opn_params_use_preset(d->ctx, d->report->graph, params));
    *out = params;
    params = NULL;
cleanup:
    opn_params_free(params);
    return status;
}

// Trains a model, or loads it from the folder, and adds its view.
static opn_status add_view(drawing *d, const char *model_id, bool with_map)
{
    opn_status status = OPN_OK;
    opn_params *params = NULL;
    opn_split *split = NULL;
    opn_model *model = NULL;
    opn_i_view view = {0};
    char hash[65];
    bool was_there = false;
    OPN_TRY(set_params(d, model_id, &params));
    OPN_TRY(opn_split_from_params(d->ctx, d->report->graph, params, &split));
    opn_i_training training = {.graph = d->report->graph,
                               .dataset = d->plan->dataset,
                               .params = params,
                               .split = split,
                               .kind = opn_i_model_kind_find(model_id)};
    OPN_TRY(opn_graph_hash(d->ctx, d->report->graph, hash));
    OPN_TRY(opn_i_training_key(d->ctx, hash, split, params, training.kind, training.key));
    OPN_TRY(opn_i_kept_model(d->ctx, &training, d->folder, true, &was_there, &model));
    opn_i_model_see_as(model, training.kind);
    OPN_TRY(opn_i_view_of_model(d->ctx, d->report, model, &view));
    if (with_map)
        OPN_TRY(opn_i_view_add_map(d->ctx, d->report->graph, model,
                                   opn_params_real(d->params, "perplexity"), &view));
    OPN_TRY(opn_i_report_take_view(d->ctx, d->report, &view));
cleanup:
    opn_i_view_deinit(&d->ctx->alloc, &view);
    opn_model_free(model);
    opn_split_free(split);
    opn_params_free(params);
    return status;
}

// ---- maps ----------------------------------------------------------------------------

static opn_status mark_training(drawing *d, const opn_i_view *view, uint8_t **out)
{
    opn_status status = OPN_OK;
    OPN_TRY_NEW(d->ctx, *out, d->n_nodes);
    for (int32_t i = 0; i < d->n_nodes; i++)
        (*out)[i] = view->role[i] == OPN_ROLE_TRAIN;
cleanup:
    return status;
}

static opn_i_map_panel
panel_of(const opn_i_view *view, const uint8_t *is_large, const char *title)
{
    return (opn_i_map_panel){.title = title, .place = view->place, .is_large = is_large};
}

static void show_measure(const opn_i_view *view, opn_measure m, opn_i_map_panel *panel)
{
    const float *value = view->said->measure[m];
    panel->value = value;
    panel->low = panel->high = (double)value[0];
    for (int32_t i = 1; i < view->n_nodes; i++) {
        panel->low = (double)value[i] < panel->low ? (double)value[i] : panel->low;
        panel->high = (double)value[i] > panel->high ? (double)value[i] : panel->high;
    }
}

// Classes, prediction and four uncertainties of one model.
static opn_status draw_opinions(drawing *d, const char *path, const char *title)
{
    static const opn_measure shown[] = {OPN_MEASURE_VACUITY, OPN_MEASURE_DISSONANCE,
                                        OPN_MEASURE_ALEATORIC, OPN_MEASURE_EPISTEMIC};
    opn_status status = OPN_OK;
    const opn_i_view *view = &d->report->view[0];
    opn_i_map_panel panel[MAX_PANELS];
    uint8_t *is_large = NULL;
    int32_t *predicted = NULL;
    OPN_TRY(mark_training(d, view, &is_large));
    OPN_TRY_NEW(d->ctx, predicted, d->n_nodes);
    for (int32_t i = 0; i < d->n_nodes; i++)
        predicted[i] = view->known[view->said->predicted[i]];
    for (int p = 0; p < 2; p++) {
        panel[p] = panel_of(view, is_large, p == 0 ? "class" : "prediction");
        panel[p].group = p == 0 ? view->label : predicted;
        panel[p].group_names = &d->report->classes;
        panel[p].n_groups = (int32_t)d->report->classes.n;
    }
    for (int p = 2; p < MAX_PANELS; p++) {
        panel[p] = panel_of(view, is_large, opn_measure_name(shown[p - 2]));
        show_measure(view, shown[p - 2], &panel[p]);
    }
    OPN_TRY(opn_i_figure_maps(d->ctx, path, title, d->n_nodes, MAX_PANELS, panel, 3));
cleanup:
    opn_i_release(&d->ctx->alloc, is_large);
    opn_i_release(&d->ctx->alloc, predicted);
    return status;
}

// Vacuity of two models side by side, on the same scale.
static opn_status draw_vacuities(drawing *d, const char *path, const char *title)
{
    opn_status status = OPN_OK;
    opn_i_map_panel panel[2];
    uint8_t *is_large = NULL;
    OPN_TRY(mark_training(d, &d->report->view[0], &is_large));
    for (int p = 0; p < 2; p++) {
        panel[p] = panel_of(&d->report->view[p], is_large, d->report->view[p].model);
        panel[p].value = d->report->view[p].said->measure[OPN_MEASURE_VACUITY];
        panel[p].high = 1.0;
    }
    OPN_TRY(opn_i_figure_maps(d->ctx, path, title, d->n_nodes, 2, panel, 2));
cleanup:
    opn_i_release(&d->ctx->alloc, is_large);
    return status;
}

static opn_status draw_maps(drawing *d, const char *path)
{
    char title[160];
    if (d->report->n_views == 1) {
        snprintf(title, sizeof(title), "%s: opinions of %s", d->plan->dataset,
                 d->report->view[0].model);
        return draw_opinions(d, path, title);
    }
    snprintf(title, sizeof(title), "%s: vacuity without and with the prior",
             d->plan->dataset);
    return draw_vacuities(d, path, title);
}

// ---- curves --------------------------------------------------------------------------

typedef struct lines {
    opn_i_line line[MAX_LINES + 1]; // plus the line of random guessing
    opn_i_curve curve[MAX_LINES];
    char name[MAX_LINES][64];
    int32_t n;
    double chance;
} lines;

static opn_status add_line(drawing *d, const opn_i_view *view, int measure, lines *l)
{
    opn_status status = OPN_OK;
    const bool is_ood = opn_i_view_is_ood(view);
    const bool is_roc = strcmp(d->plan->figure, "roc") == 0;
    const opn_i_order order = is_ood ? OPN_BY_MORE : OPN_BY_LESS;
    opn_i_curve *curve = &l->curve[l->n];
    opn_i_ranking ranking = {0};
    OPN_TRY(opn_i_view_rank(d->ctx, view, is_ood, (opn_measure)measure, &ranking));
    OPN_TRY(is_roc ? opn_i_curve_roc(d->ctx, &ranking, order, curve)
                   : opn_i_curve_precision(d->ctx, &ranking, order, curve));
    opn_i_curve_thin(curve, OPN_CURVE_TOLERANCE);
    const bool is_first = view == &d->report->view[0];
    opn_i_format(l->name[l->n], sizeof(l->name[0]), "%s%s%s %.1f",
                 is_first ? "" : view->model, is_first ? "" : " ",
                 opn_measure_name((opn_measure)measure),
                 100.0 * (is_roc ? opn_i_ranking_auroc(&ranking, order)
                                 : opn_i_ranking_precision(&ranking, order)));
    l->chance = ranking.n > 0 ? (double)ranking.n_positive / ranking.n : 0.0;
    l->line[l->n] = (opn_i_line){l->name[l->n], curve->n, curve->x, curve->y, false};
    l->n++;
cleanup:
    opn_i_ranking_deinit(&d->ctx->alloc, &ranking);
    return status;
}

// The paper's measures of the first model, and entropy of the others for comparison.
static opn_status add_lines(drawing *d, lines *l)
{
    opn_status status = OPN_OK;
    for (int m = 0; m < OPN_N_PAPER_MEASURES; m++)
        OPN_TRY(add_line(d, &d->report->view[0], m, l));
    for (int32_t v = 1; v < d->report->n_views; v++)
        OPN_TRY(add_line(d, &d->report->view[v], OPN_MEASURE_ENTROPY, l));
cleanup:
    return status;
}

// Lower end of the scale that shows all lines: if most nodes are positive, precision
// stays far above 0.
static double lowest_tenth(const lines *l)
{
    double low = l->chance;
    for (int32_t c = 0; c < l->n; c++)
        for (int32_t p = 0; p < l->curve[c].n; p++)
            low = l->curve[c].y[p] < low ? l->curve[c].y[p] : low;
    return floor(10.0 * low) / 10.0;
}

static opn_status draw_curves(drawing *d, const char *path)
{
    opn_status status = OPN_OK;
    const bool is_roc = strcmp(d->plan->figure, "roc") == 0;
    const bool is_ood = strcmp(d->plan->task, "ood") == 0;
    lines l = {.n = 0};
    char title[160];
    OPN_TRY(add_lines(d, &l));
    const double ends[2] = {0.0, 1.0};
    const double level[2] = {l.chance, l.chance};
    l.line[l.n] = (opn_i_line){"chance", 2, ends, is_roc ? ends : level, true};
    const opn_i_curve_panel panel = {
            .x_name = is_roc ? "false positive rate" : "recall",
            .y_name = is_roc ? "true positive rate" : "precision",
            .n_lines = l.n + 1,
            .line = l.line,
            .y = {lowest_tenth(&l), 1.0},
    };
    snprintf(title, sizeof(title), "%s: %s", d->plan->dataset,
             is_ood ? "out-of-distribution" : "misclassification");
    OPN_TRY(opn_i_figure_curves(d->ctx, path, title, 1, &panel, 1));
cleanup:
    for (int c = 0; c < MAX_LINES; c++)
        opn_i_curve_deinit(&d->ctx->alloc, &l.curve[c]);
    return status;
}

// ---- simplex -------------------------------------------------------------------------

// Figure 1 of the paper: a Dirichlet whose evidence supports one class, all classes, and
// none.
static opn_status draw_simplex(opn_ctx *ctx, const char *path)
{
    static const struct {
        const char *title;
        float alpha[3];
    } example[3] = {{"confident", {41.0F, 2.0F, 2.0F}},
                    {"conflicting", {41.0F, 41.0F, 41.0F}},
                    {"out-of-distribution", {1.0F, 1.0F, 1.0F}}};
    opn_status status = OPN_OK;
    opn_i_simplex_panel panel[3];
    char caption[3][160];
    for (int p = 0; p < 3; p++) {
        float value[OPN_N_PAPER_MEASURES];
        float *measure[OPN_N_PAPER_MEASURES];
        for (int m = 0; m < OPN_N_PAPER_MEASURES; m++)
            measure[m] = &value[m];
        OPN_TRY(opn_opinion(ctx, 1, 3, example[p].alpha, OPN_N_PAPER_MEASURES, measure));
        opn_i_format(caption[p], sizeof(caption[p]),
                     "vacuity %.2f, dissonance %.2f, aleatoric %.2f, epistemic %.2f, "
                     "entropy %.2f",
                     (double)value[0], (double)value[1], (double)value[2],
                     (double)value[3], (double)value[4]);
        panel[p] = (opn_i_simplex_panel){.title = example[p].title,
                                         .corner = {"class 1", "class 2", "class 3"},
                                         .caption = caption[p]};
        for (int k = 0; k < 3; k++)
            panel[p].alpha[k] = (double)example[p].alpha[k];
    }
    OPN_TRY(opn_i_figure_simplex(ctx, path, "Three opinions about three classes", 3,
                                 panel));
cleanup:
    return status;
}

// ---- all figures ---------------------------------------------------------------------

static opn_status path_of(opn_ctx *ctx,
                          const char *folder,
                          const char *figure,
                          const char *dataset,
                          char **out)
{
    char name[64];
    snprintf(name, sizeof(name), "%s%s%s", figure, dataset[0] != 0 ? "-" : "", dataset);
    return opn_i_join_path(ctx, folder, name, ".svg", out);
}

static opn_status draw_plan(drawing *d, const char *path)
{
    opn_status status = OPN_OK;
    const bool is_map = strcmp(d->plan->figure, "maps") == 0;
    opn_graph *graph = NULL;
    OPN_TRY(opn_graph_load_prepared(d->ctx, d->plan->dataset, d->params, &graph));
    OPN_TRY(opn_i_report_new(d->ctx, d->plan->dataset, graph, &d->report));
    d->report->own_graph = graph;
    d->n_nodes = opn_i_graph_n_nodes(graph);
    graph = NULL;
    for (int m = 0; m < MAX_MODELS && d->plan->models[m] != NULL; m++)
        OPN_TRY(add_view(d, d->plan->models[m], is_map));
    OPN_TRY(is_map ? draw_maps(d, path) : draw_curves(d, path));
cleanup:
    opn_graph_free(graph);
    opn_report_free(d->report);
    d->report = NULL;
    return status;
}

static opn_status draw_one(drawing *d, const char *figure, const char *dataset)
{
    opn_status status = OPN_OK;
    char *path = NULL;
    OPN_TRY(path_of(d->ctx, d->folder != NULL ? d->folder : ".", figure, dataset, &path));
    OPN_TRY(d->plan != NULL ? draw_plan(d, path) : draw_simplex(d->ctx, path));
    d->n_drawn++;
    if (d->drawn != NULL)
        d->drawn(d->user, path);
cleanup:
    opn_i_release(&d->ctx->alloc, path);
    return status;
}

opn_status opn_draw_figures(opn_ctx *ctx,
                            const opn_params *params,
                            const char *folder,
                            void (*drawn)(void *user, const char *path),
                            void *user)
{
    OPN_REJECT_NULL(ctx, params);
    opn_status status = OPN_OK;
    const char *figures = opn_params_text(params, "figure");
    const char *datasets = opn_params_text(params, "dataset");
    opn_i_run_folder *kept = NULL;
    drawing d = {
            .ctx = ctx, .params = params, .folder = folder, .drawn = drawn, .user = user};
    OPN_TRY(opn_i_shard_refuse(ctx, params, "draws no figure"));
    if (folder != NULL)
        OPN_TRY(opn_i_run_folder_open(ctx, folder, NULL, &kept));
    for (size_t p = 0; p < sizeof(plans) / sizeof(plans[0]); p++) {
        d.plan = &plans[p];
        if (opn_i_is_listed(figures, d.plan->figure) &&
            opn_i_is_listed(datasets, d.plan->dataset))
            OPN_TRY(draw_one(&d, d.plan->figure, d.plan->dataset));
    }
    d.plan = NULL;
    if (opn_i_is_listed(figures, "simplex"))
        OPN_TRY(draw_one(&d, "simplex", ""));
    OPN_FAIL_IF(
            ctx, d.n_drawn == 0, OPN_ERR_INVALID_ARG,
            "`figure` %s `dataset` %s: the paper draws maps of cora, citeseer and photo, "
            "pr of all six, roc of photo, computers and physics",
            figures, datasets);
cleanup:
    opn_i_run_folder_close(kept);
    return status;
}
