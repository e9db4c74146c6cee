// figure_opinions.c -- maps of what models of a run say about each node.

#include "paper/figure_opinions.h"

#include "base/number.h"
#include "paper/figure_maps.h"
#include "paper/figure_names.h"

#include <math.h>
#include <stdio.h>

enum { MAX_PANELS = 6 };

opn_status opn_i_opinions_make(const opn_i_figure_run *run)
{
    opn_status status = OPN_OK;
    opn_i_view view = {0};
    for (int32_t m = 0; m < opn_i_figure_n_models(run->plan); m++) {
        OPN_TRY(opn_i_figure_view(run, m, 0, true, &view));
        OPN_TRY(opn_i_report_take_view(run->ctx, run->report, &view));
    }
cleanup:
    opn_i_view_deinit(&run->ctx->alloc, &view);
    return status;
}

// What several panels share; freed by the caller.
typedef struct marks {
    uint8_t *is_large;  // [V] training nodes
    uint8_t *is_ood;    // [V] of a class that the model does not know
    int32_t *predicted; // [V] in classes of the report
    opn_i_names classes;
} marks;

static void deinit_marks(const opn_alloc *alloc, marks *m)
{
    opn_i_release(alloc, m->is_large);
    opn_i_release(alloc, m->is_ood);
    opn_i_release(alloc, m->predicted);
    opn_i_names_deinit(alloc, &m->classes);
}

static opn_status
make_marks(const opn_i_figure_run *run, const opn_i_view *view, marks *m)
{
    opn_status status = OPN_OK;
    OPN_TRY_NEW(run->ctx, m->is_large, view->n_nodes);
    OPN_TRY_NEW(run->ctx, m->is_ood, view->n_nodes);
    OPN_TRY_NEW(run->ctx, m->predicted, view->n_nodes);
    for (int32_t i = 0; i < view->n_nodes; i++) {
        m->is_large[i] = view->role[i] == OPN_ROLE_TRAIN;
        m->is_ood[i] = opn_i_view_outcome(view, i) == OPN_OUTCOME_OOD;
        m->predicted[i] = view->known[view->said->predicted[i]];
    }
    OPN_TRY(opn_i_figure_classes(run->ctx, run->plan->dataset, &run->report->classes,
                                 view->n_nodes, view->label, &m->classes));
cleanup:
    return status;
}

static opn_i_map_panel panel_of(const opn_i_view *view, const marks *m, const char *title)
{
    return (opn_i_map_panel){
            .title = title, .place = view->place, .is_large = m->is_large};
}

static void show_measure(const opn_i_view *view, opn_measure m, opn_i_map_panel *panel)
{
    const float *value = view->said->measure[m];
    panel->value = value;
    panel->low = panel->high = (double)value[0];
    for (int32_t i = 1; i < view->n_nodes; i++) {
        panel->low = fmin(panel->low, (double)value[i]);
        panel->high = fmax(panel->high, (double)value[i]);
    }
}

static opn_status draw_opinions(const opn_i_figure_run *run, const char *path)
{
    static const opn_measure shown[] = {OPN_MEASURE_VACUITY, OPN_MEASURE_DISSONANCE,
                                        OPN_MEASURE_ALEATORIC, OPN_MEASURE_EPISTEMIC};
    opn_status status = OPN_OK;
    const opn_i_view *view = &run->report->view[0];
    opn_i_map_panel panel[MAX_PANELS];
    marks m = {0};
    char model[OPN_MODEL_ROOM];
    char title[96];
    OPN_TRY(make_marks(run, view, &m));
    for (int p = 0; p < 2; p++) {
        panel[p] = panel_of(view, &m, p == 0 ? "class" : "prediction");
        panel[p].group = p == 0 ? view->label : m.predicted;
        panel[p].group_names = &m.classes;
        panel[p].n_groups = (int32_t)m.classes.n;
    }
    for (int p = 2; p < MAX_PANELS; p++) {
        panel[p] = panel_of(view, &m, opn_measure_name(shown[p - 2]));
        show_measure(view, shown[p - 2], &panel[p]);
    }
    opn_i_figure_model(view->model, model);
    (void)snprintf(title, sizeof(title), "%s: opinions of %s",
                   opn_i_figure_dataset(run->plan->dataset), model);
    OPN_TRY(opn_i_figure_maps(run->ctx, path, title, view->n_nodes, MAX_PANELS, panel,
                              3));
cleanup:
    deinit_marks(&run->ctx->alloc, &m);
    return status;
}

// ---- with and without the prior ------------------------------------------------------

// Mean vacuity of the pool's known and unknown nodes, and how well it tells them apart.
static opn_status
caption_vacuity(opn_ctx *ctx, const opn_i_view *view, size_t room, char *caption)
{
    opn_status status = OPN_OK;
    opn_i_ranking ranking = {0};
    double sum[2] = {0};
    int32_t n[2] = {0};
    OPN_TRY(opn_i_view_rank(ctx, view, true, OPN_MEASURE_VACUITY, &ranking));
    for (int32_t i = 0; i < view->n_nodes; i++) {
        const int kind = opn_i_view_outcome(view, i) == OPN_OUTCOME_OOD;
        if (view->in_pool[i]) {
            sum[kind] += (double)view->said->measure[OPN_MEASURE_VACUITY][i];
            n[kind]++;
        }
    }
    opn_i_format(caption, room, "mean: known %.2f, outlined %.2f; AUROC %.1f %%",
                 sum[0] / fmax(n[0], 1), sum[1] / fmax(n[1], 1),
                 100 * opn_i_ranking_auroc(&ranking, OPN_BY_MORE));
cleanup:
    opn_i_ranking_deinit(&ctx->alloc, &ranking);
    return status;
}

// The scale of both panels: from 0 to the next tenth above all values.
static double highest_shown(const opn_report *report)
{
    double high = 0;
    for (int32_t v = 0; v < report->n_views; v++)
        for (int32_t i = 0; i < report->view[v].n_nodes; i++)
            high = fmax(high,
                        (double)report->view[v].said->measure[OPN_MEASURE_VACUITY][i]);
    return fmin(ceil(10 * high) / 10, 1);
}

static opn_status draw_vacuities(const opn_i_figure_run *run, const char *path)
{
    opn_status status = OPN_OK;
    opn_i_map_panel panel[2];
    char heading[2][64];
    char caption[2][96];
    char title[96];
    marks m = {0};
    OPN_TRY(make_marks(run, &run->report->view[0], &m));
    for (int p = 0; p < 2; p++) {
        const opn_i_view *view = &run->report->view[p];
        char model[OPN_MODEL_ROOM];
        opn_i_figure_model(view->model, model);
        (void)snprintf(heading[p], sizeof(heading[p]), "vacuity of %s", model);
        OPN_TRY(caption_vacuity(run->ctx, view, sizeof(caption[p]), caption[p]));
        panel[p] = panel_of(view, &m, heading[p]);
        panel[p].value = view->said->measure[OPN_MEASURE_VACUITY];
        panel[p].high = highest_shown(run->report);
        panel[p].is_marked = m.is_ood;
        panel[p].marked_name = "unknown class (OOD), an outline in the histogram too";
        panel[p].caption = caption[p];
    }
    (void)snprintf(title, sizeof(title), "%s: vacuity without and with the prior",
                   opn_i_figure_dataset(run->plan->dataset));
    OPN_TRY(opn_i_figure_maps(run->ctx, path, title, run->report->view[0].n_nodes, 2,
                              panel, 2));
cleanup:
    deinit_marks(&run->ctx->alloc, &m);
    return status;
}

opn_status opn_i_opinions_draw(const opn_i_figure_run *run, const char *path)
{
    return run->report->n_views == 1 ? draw_opinions(run, path)
                                     : draw_vacuities(run, path);
}
