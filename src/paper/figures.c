// figures.c -- the figures of the paper, drawn from our own runs.

#include "base/number.h"
#include "experiment/run_folder.h"
#include "experiment/run_shard.h"
#include "io/path.h"
#include "opinion/measure_table.h"
#include "paper/figure_detection.h"
#include "paper/figure_framework.h"
#include "paper/figure_gkde.h"
#include "paper/figure_opinions.h"
#include "paper/figure_simplex.h"

#include <stdio.h>
#include <string.h>

static const opn_i_figure_plan plans[] = {
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

// A figure that needs neither data nor training.
static const struct {
    const char *figure;
    opn_status (*draw)(opn_ctx *ctx, const char *path);
} illustrations[] = {
        {"simplex", draw_simplex},
        {"framework", opn_i_figure_framework},
        {"gkde", opn_i_figure_gkde},
};

static const char *const endings[] = {".svg", ".pdf"};
enum { N_FORMATS = sizeof(endings) / sizeof(endings[0]) };

// Figures in progress.
typedef struct drawing {
    opn_i_figure_run run;
    int n_drawn; // figures
    void (*drawn)(void *user, const char *path);
    void *user;
} drawing;

static opn_status path_of(const drawing *d,
                          const char *figure,
                          const char *dataset,
                          const char *ending,
                          char **out)
{
    const char *folder = d->run.folder != NULL ? d->run.folder : ".";
    char name[64];
    (void)snprintf(name, sizeof(name), "%s%s%s", figure, dataset[0] != 0 ? "-" : "",
                   dataset);
    return opn_i_join_path(d->run.ctx, folder, name, ending, out);
}

static void tell(drawing *d, const char *path)
{
    if (d->drawn != NULL)
        d->drawn(d->user, path);
}

static opn_status draw_plan(drawing *d, const opn_i_figure_plan *plan)
{
    opn_status status = OPN_OK;
    const bool is_map = strcmp(plan->figure, "maps") == 0;
    opn_i_detection *found = NULL;
    char *path = NULL;
    d->run.plan = plan;
    OPN_TRY(opn_i_figure_run_open(&d->run));
    OPN_TRY(is_map ? opn_i_opinions_make(&d->run)
                   : opn_i_detection_make(&d->run, &found));
    for (int f = 0; f < N_FORMATS; f++) {
        opn_i_release(&d->run.ctx->alloc, path);
        path = NULL;
        OPN_TRY(path_of(d, plan->figure, plan->dataset, endings[f], &path));
        OPN_TRY(is_map ? opn_i_opinions_draw(&d->run, path)
                       : opn_i_detection_draw(&d->run, found, path));
        tell(d, path);
    }
    d->n_drawn++;
cleanup:
    opn_i_release(&d->run.ctx->alloc, path);
    opn_i_detection_free(found);
    opn_i_figure_run_close(&d->run);
    return status;
}

static opn_status draw_illustration(drawing *d, size_t which)
{
    opn_status status = OPN_OK;
    char *path = NULL;
    for (int f = 0; f < N_FORMATS; f++) {
        opn_i_release(&d->run.ctx->alloc, path);
        path = NULL;
        OPN_TRY(path_of(d, illustrations[which].figure, "", endings[f], &path));
        OPN_TRY(illustrations[which].draw(d->run.ctx, path));
        tell(d, path);
    }
    d->n_drawn++;
cleanup:
    opn_i_release(&d->run.ctx->alloc, path);
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
    drawing d = {.run = {.ctx = ctx, .params = params, .folder = folder},
                 .drawn = drawn,
                 .user = user};
    OPN_TRY(opn_i_shard_refuse(ctx, params, "draws no figure"));
    if (folder != NULL)
        OPN_TRY(opn_i_run_folder_open(ctx, folder, NULL, &kept));
    for (size_t p = 0; p < sizeof(plans) / sizeof(plans[0]); p++)
        if (opn_i_is_listed(figures, plans[p].figure) &&
            opn_i_is_listed(datasets, plans[p].dataset))
            OPN_TRY(draw_plan(&d, &plans[p]));
    for (size_t i = 0; i < sizeof(illustrations) / sizeof(illustrations[0]); i++)
        if (opn_i_is_listed(figures, illustrations[i].figure))
            OPN_TRY(draw_illustration(&d, i));
    OPN_FAIL_IF(
            ctx, d.n_drawn == 0, OPN_ERR_INVALID_ARG,
            "`figure` %s `dataset` %s: the paper draws maps of cora, citeseer and photo, "
            "pr of all six, roc of photo, computers and physics",
            figures, datasets);
cleanup:
    opn_i_run_folder_close(kept);
    return status;
}
