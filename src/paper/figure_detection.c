// figure_detection.c -- ROC and precision-recall curves of a run, averaged over seeds.

#include "paper/figure_detection.h"

#include "base/number.h"
#include "opinion/measure_table.h"
#include "paper/figure_curves.h"
#include "paper/figure_names.h"
#include "paper/mean_curve.h"
#include "report/palette.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_LINES = OPN_N_PAPER_MEASURES + OPN_FIGURE_MODELS - 1 };
static_assert((int)OPN_N_PAPER_MEASURES == (int)OPN_MEASURE_COLOURS,
              "each measure has a colour");

struct opn_i_detection {
    opn_alloc alloc;
    bool is_roc, is_ood;
    int32_t n_lines, n_seeds;
    double chance; // mean share of positives
    opn_i_mean_curve mean[MAX_LINES];
    double low[MAX_LINES][OPN_MEAN_POINTS], high[MAX_LINES][OPN_MEAN_POINTS];
};

void opn_i_detection_free(opn_i_detection *found)
{
    if (found == NULL)
        return;
    const opn_alloc alloc = found->alloc;
    opn_i_release(&alloc, found);
}

// ---- curves --------------------------------------------------------------------------

static opn_status add_curve(opn_ctx *ctx,
                            const opn_i_view *view,
                            opn_measure measure,
                            opn_i_detection *found,
                            opn_i_mean_curve *mean)
{
    opn_status status = OPN_OK;
    const opn_i_order order = found->is_ood ? OPN_BY_MORE : OPN_BY_LESS;
    opn_i_curve curve = {0};
    opn_i_ranking ranking = {0};
    OPN_TRY(opn_i_view_rank(ctx, view, found->is_ood, measure, &ranking));
    OPN_TRY(found->is_roc ? opn_i_curve_roc(ctx, &ranking, order, &curve)
                          : opn_i_curve_precision(ctx, &ranking, order, &curve));
    OPN_FAIL_IF(ctx, curve.n == 0, OPN_ERR_INVALID_ARG,
                "%s, seed %lld: all nodes of the pool are of one kind, so there is no "
                "curve to draw",
                view->model, (long long)view->seed);
    opn_i_mean_curve_add(mean, found->is_roc ? OPN_CURVE_ROC : OPN_CURVE_PRECISION,
                         &curve,
                         found->is_roc ? opn_i_ranking_auroc(&ranking, order)
                                       : opn_i_ranking_precision(&ranking, order));
    if (mean == &found->mean[0])
        found->chance += (double)ranking.n_positive / ranking.n / found->n_seeds;
cleanup:
    opn_i_curve_deinit(&ctx->alloc, &curve);
    opn_i_ranking_deinit(&ctx->alloc, &ranking);
    return status;
}

// The paper's measures of the first model, and entropy of the others for comparison.
static opn_status
add_model(const opn_i_figure_run *run, int32_t m, int32_t s, opn_i_detection *found)
{
    opn_status status = OPN_OK;
    opn_i_view view = {0};
    OPN_TRY(opn_i_figure_view(run, m, s, false, &view));
    if (m > 0)
        OPN_TRY(add_curve(run->ctx, &view, OPN_MEASURE_ENTROPY, found,
                          &found->mean[OPN_N_PAPER_MEASURES + m - 1]));
    for (int k = 0; k < OPN_N_PAPER_MEASURES && m == 0; k++)
        OPN_TRY(add_curve(run->ctx, &view, (opn_measure)k, found, &found->mean[k]));
cleanup:
    opn_i_view_deinit(&run->ctx->alloc, &view);
    return status;
}

opn_status opn_i_detection_make(const opn_i_figure_run *run, opn_i_detection **out)
{
    opn_status status = OPN_OK;
    const int32_t n_models = opn_i_figure_n_models(run->plan);
    opn_i_detection *found = NULL;
    OPN_TRY_NEW(run->ctx, found, 1);
    found->alloc = run->ctx->alloc;
    found->is_roc = strcmp(run->plan->figure, "roc") == 0;
    found->is_ood = strcmp(run->plan->task, "ood") == 0;
    found->n_lines = OPN_N_PAPER_MEASURES + n_models - 1;
    OPN_TRY(opn_i_figure_count_seeds(run, &found->n_seeds));
    for (int32_t s = 0; s < found->n_seeds; s++)
        for (int32_t m = 0; m < n_models; m++)
            OPN_TRY(add_model(run, m, s, found));
    for (int32_t l = 0; l < found->n_lines; l++)
        opn_i_mean_curve_band(&found->mean[l], found->low[l], found->high[l]);
    *out = found;
    found = NULL;
cleanup:
    opn_i_detection_free(found);
    return status;
}

// ---- figure --------------------------------------------------------------------------

typedef char line_name[96];

// "vacuity, AUROC 88.0 ± 1.2 %"
static void name_line(const opn_i_figure_run *run,
                      const opn_i_detection *found,
                      int32_t l,
                      line_name name)
{
    const opn_i_mean_curve *mean = &found->mean[l];
    char model[OPN_MODEL_ROOM] = "";
    char spread[32] = "";
    if (l >= OPN_N_PAPER_MEASURES)
        opn_i_figure_model(run->plan->models[1 + l - OPN_N_PAPER_MEASURES], model);
    if (mean->n_curves > 1)
        opn_i_format(spread, sizeof(spread), " \u00b1 %.1f",
                     100 * opn_i_mean_curve_deviation(mean, mean->area_squares));
    opn_i_format(name, sizeof(line_name), "%s%s%s, %s %.1f%s %%", model,
                 model[0] != 0 ? " " : "",
                 opn_measure_name(model[0] != 0 ? OPN_MEASURE_ENTROPY : (opn_measure)l),
                 found->is_roc ? "AUROC" : "AUPR", 100 * mean->area, spread);
}

static opn_i_line line_of(const opn_i_detection *found, int32_t l, const char *name)
{
    const bool has_band = found->mean[l].n_curves > 1;
    return (opn_i_line){.name = name,
                        .n = OPN_MEAN_POINTS,
                        .x = found->mean[l].x,
                        .y = found->mean[l].y,
                        .low = has_band ? found->low[l] : NULL,
                        .high = has_band ? found->high[l] : NULL,
                        .colour =
                                l < OPN_N_PAPER_MEASURES
                                        ? opn_i_palette.measure[l]
                                        : opn_i_palette.rival[l - OPN_N_PAPER_MEASURES]};
}

// Lower end of the scale: if most nodes are positive, precision stays far above 0.
static double lowest_shown(const opn_i_detection *found)
{
    const double step = 0.05;
    double low = found->is_roc ? 0 : found->chance;
    for (int32_t l = 0; l < found->n_lines; l++)
        for (int32_t p = 0; p < OPN_MEAN_POINTS; p++)
            low = fmin(low, found->mean[l].y[p]);
    return floor(low / step) * step;
}

static opn_status draw_lines(const opn_i_figure_run *run,
                             const opn_i_detection *found,
                             const char *path,
                             int32_t n_lines,
                             const opn_i_line *line)
{
    char model[OPN_MODEL_ROOM];
    char title[96];
    char heading[96];
    char band[64];
    const bool is_mean = found->n_seeds > 1;
    opn_i_figure_model(run->plan->models[0], model);
    (void)snprintf(title, sizeof(title), "%s: %s",
                   opn_i_figure_dataset(run->plan->dataset),
                   found->is_ood ? "out-of-distribution" : "misclassification");
    (void)snprintf(heading, sizeof(heading), is_mean ? "%s, mean of %d seeds" : "%s",
                   model, (int)found->n_seeds);
    (void)snprintf(band, sizeof(band), "one standard deviation over seeds");
    const opn_i_curve_panel panel = {
            .title = heading,
            .band_name = band,
            .x_name = found->is_roc ? "false positive rate" : "recall",
            .y_name = found->is_roc ? "true positive rate" : "precision",
            .n_lines = n_lines,
            .line = line,
            .y = {lowest_shown(found), 1.0},
    };
    return opn_i_figure_curves(run->ctx, path, title, 1, &panel, 1);
}

opn_status opn_i_detection_draw(const opn_i_figure_run *run,
                                const opn_i_detection *found,
                                const char *path)
{
    opn_i_line line[MAX_LINES + 1]; // plus that of random guessing
    line_name name[MAX_LINES + 1];
    const double ends[2] = {0.0, 1.0};
    const double level[2] = {found->chance, found->chance};
    for (int32_t l = 0; l < found->n_lines; l++) {
        name_line(run, found, l, name[l]);
        line[l] = line_of(found, l, name[l]);
    }
    opn_i_format(name[found->n_lines], sizeof(line_name), "random guess, %s %.1f %%",
                 found->is_roc ? "AUROC" : "AUPR",
                 found->is_roc ? 50.0 : 100 * found->chance);
    line[found->n_lines] = (opn_i_line){.name = name[found->n_lines],
                                        .n = 2,
                                        .x = ends,
                                        .y = found->is_roc ? ends : level,
                                        .is_chance = true};
    return draw_lines(run, found, path, found->n_lines + 1, line);
}
