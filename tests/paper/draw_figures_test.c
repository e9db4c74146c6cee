// draw_figures_test.c -- the paper's figures from runs of our own, on small graphs in
// place of the paper's.

#include "base/context.h"
#include "experiment/evaluation_data.h"
#include "math/real.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/pdf_reader.h"
#include "support/planetoid_writer.h"
#include "support/support.h"
#include "support/svg_reader.h"
#include "support/trial.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static opn_ctx *ctx;

// ---- drawing -------------------------------------------------------------------------

enum { MAX_DRAWN = 16 };

typedef struct drawn {
    char path[MAX_DRAWN][SUPPORT_PATH];
    int n;
    int n_trainings;
} drawn;

static void keep_path(void *user, const char *path)
{
    drawn *to = user;
    assert_true(to->n < MAX_DRAWN);
    snprintf(to->path[to->n++], SUPPORT_PATH, "%s", path);
}

static void count_trainings(void *user, const opn_progress *progress)
{
    drawn *to = user;
    to->n_trainings +=
            progress->done == progress->total && strcmp(progress->stage, "model") == 0;
}

static opn_status
try_draw(const char *settings, const char *data_dir, const char *folder, drawn *to)
{
    const opn_hooks hooks = {
            .size = sizeof(opn_hooks), .progress = count_trainings, .user = to};
    opn_params *params = trial_params(ctx, settings);
    *to = (drawn){.n = 0};
    if (data_dir != NULL)
        assert_int_equal(opn_params_set(ctx, params, "data_dir", data_dir), OPN_OK);
    assert_int_equal(opn_ctx_set_hooks(ctx, &hooks), OPN_OK);
    const opn_status status = opn_draw_figures(ctx, params, folder, keep_path, to);
    assert_int_equal(opn_ctx_set_hooks(ctx, NULL), OPN_OK);
    opn_params_free(params);
    return status;
}

static void
draw(const char *settings, const char *data_dir, const char *folder, drawn *to)
{
    if (try_draw(settings, data_dir, folder, to) != OPN_OK)
        fail_msg("%s: %s", settings, opn_ctx_error(ctx));
}

// Asserts that figure n is FOLDER/NAME.svg, and the same as PDF; returns the SVG, to be
// freed.
static char *expect_drawn(const drawn *d, int n, const char *folder, const char *name)
{
    char file[64];
    char path[SUPPORT_PATH];
    size_t n_bytes = 0;
    assert_true(2 * n + 1 < d->n);
    snprintf(file, sizeof(file), "%s.pdf", name);
    assert_string_equal(d->path[2 * n + 1], support_path(path, folder, file));
    char *bytes = support_read_file(path, &n_bytes);
    free(support_expect_pdf(bytes, n_bytes));
    free(bytes);
    snprintf(file, sizeof(file), "%s.svg", name);
    assert_string_equal(d->path[2 * n], support_path(path, folder, file));
    char *text = support_read_file(path, &n_bytes);
    support_expect_svg(text, n_bytes);
    return text;
}

// ---- simplex -------------------------------------------------------------------------

static void simplex_needs_neither_data_nor_training(void **state)
{
    (void)state;
    drawn d;
    stage *s = support_open_stage("run");
    draw("figure=simplex", "/nonexistent", s->path, &d);
    char *text = expect_drawn(&d, 0, s->path, "simplex");
    assert_int_equal(d.n, 2);
    assert_int_equal(d.n_trainings, 0);
    assert_non_null(strstr(text, "Three opinions about three classes"));
    assert_non_null(strstr(text, "confident"));
    assert_non_null(strstr(text, "conflicting"));
    assert_non_null(strstr(text, "out-of-distribution"));
    assert_non_null(strstr(text, "vacuity 1.00"));
    free(text);
    support_close_stage(s);
}

// The captions are the measures of the paper's three examples.
static void captions_of_the_simplex_are_its_measures(void **state)
{
    (void)state;
    static const float alpha[9] = {41, 2, 2, 41, 41, 41, 1, 1, 1};
    drawn d;
    float value[OPN_N_PAPER_MEASURES][3];
    float *measure[OPN_N_PAPER_MEASURES];
    stage *s = support_open_stage("run");
    for (int m = 0; m < OPN_N_PAPER_MEASURES; m++)
        measure[m] = value[m];
    assert_int_equal(opn_opinion(ctx, 3, 3, alpha, OPN_N_PAPER_MEASURES, measure),
                     OPN_OK);
    draw("figure=simplex", NULL, s->path, &d);
    char *text = expect_drawn(&d, 0, s->path, "simplex");
    for (int p = 0; p < 3; p++)
        for (int m = 0; m < OPN_N_PAPER_MEASURES; m++) {
            char part[48];
            snprintf(part, sizeof(part), "%s %.2f", opn_measure_name((opn_measure)m),
                     (double)value[m][p]);
            if (strstr(text, part) == NULL)
                fail_msg("%s is not in the figure", part);
        }
    free(text);
    support_close_stage(s);
}

static void without_a_folder_figures_go_beside_the_caller(void **state)
{
    (void)state;
    drawn d;
    stage *s = support_open_stage("simplex.svg");
    const int back = open(".", O_RDONLY | O_DIRECTORY);
    assert_true(back >= 0);
    assert_int_equal(chdir(s->folder), 0);
    draw("figure=simplex", NULL, NULL, &d);
    free(expect_drawn(&d, 0, ".", "simplex"));
    assert_int_equal(d.n, 2);
    assert_int_equal(fchdir(back), 0);
    close(back);
    assert_int_equal(support_count_entries(s->folder), 2); // and no folder of a run
    support_close_stage(s);
}

static void the_caller_need_not_be_told(void **state)
{
    (void)state;
    stage *s = support_open_stage("run");
    char path[SUPPORT_PATH];
    opn_params *params = trial_params(ctx, "figure=simplex");
    assert_int_equal(opn_draw_figures(ctx, params, s->path, NULL, NULL), OPN_OK);
    free(support_read_file(support_path(path, s->path, "simplex.svg"), NULL));
    opn_params_free(params);
    support_close_stage(s);
}

static void a_folder_that_cannot_be_written_to_is_refused(void **state)
{
    (void)state;
    drawn d;
    stage *s = support_open_stage("file");
    char path[SUPPORT_PATH];
    support_write_text(s->path, "no folder");
    assert_int_not_equal(try_draw("figure=simplex", NULL, s->path, &d), OPN_OK);
    support_expect_error(ctx, s->path);
    support_path(path, s->path, "below");
    assert_int_equal(try_draw("figure=simplex", NULL, path, &d), OPN_ERR_WRITE);
    support_expect_error(ctx, path);
    assert_int_equal(d.n, 0);
    // A folder where the file should be.
    support_path(path, s->folder, "simplex.svg");
    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(try_draw("figure=simplex", NULL, s->folder, &d), OPN_ERR_WRITE);
    support_expect_error(ctx, path);
    assert_int_equal(d.n, 0);
    support_close_stage(s);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    stage *s = support_open_stage("run");
    char path[SUPPORT_PATH];
    opn_params *params = trial_params(ctx, "figure=simplex");
    bool is_reached = true;
    support_path(path, s->path, "simplex.pdf"); // the last to be written
    for (long k = 1; is_reached; k++) {
        meter m = {0};
        opn_ctx *one = support_ctx(&m);
        m.fail_at = m.n_requests + k;
        const opn_status status = opn_draw_figures(one, params, s->path, NULL, NULL);
        is_reached = m.n_requests >= m.fail_at;
        assert_int_equal(status, is_reached ? OPN_ERR_NOMEM : OPN_OK);
        assert_int_equal(access(path, F_OK) == 0, !is_reached);
        assert_true(is_reached || k > 3);
        support_ctx_free(one, &m);
    }
    opn_params_free(params);
    support_close_stage(s);
}

// ---- the others ----------------------------------------------------------------------

// Small graphs under the names of cora and photo.
static void write_data(const char *folder)
{
    char path[SUPPORT_PATH];
    opn_graph *photo = trial_draw(ctx, "nodes=720 classes=8 features=20 homophily=0.4");
    assert_int_equal(mkdir(support_path(path, folder, "planetoid"), 0777), 0);
    assert_int_equal(mkdir(support_path(path, folder, "gnn-benchmark"), 0777), 0);
    support_write_planetoid(support_path(path, folder, "planetoid/ind.cora"));
    support_path(path, folder, "gnn-benchmark/amazon_electronics_photo.npz");
    assert_int_equal(opn_graph_save(ctx, photo, path), OPN_OK);
    opn_graph_free(photo);
}

static const char some[] = " epochs=4 samples=2 hidden=4";

static void named_figures_of_named_datasets_are_drawn(void **state)
{
    (void)state;
    enum { N = 8 };
    static const char *const names[N] = {"maps-cora", "maps-photo", "pr-cora",
                                         "pr-photo",  "roc-photo",  "simplex",
                                         "framework", "gkde"};
    static drawn d;
    stage *s = support_open_stage("run");
    char settings[128];
    char *text[N];
    write_data(s->folder);
    snprintf(settings, sizeof(settings), "dataset=cora,photo%s", some);
    draw(settings, s->folder, s->path, &d);
    assert_int_equal(d.n, 2 * N);
    for (int f = 0; f < N; f++)
        text[f] = expect_drawn(&d, f, s->path, names[f]);
    // Of cora s-bgcn-t-k and gcn, as which drop-gcn is trained; of photo two more.
    assert_int_equal(d.n_trainings, 4);
    assert_non_null(strstr(text[0], "Cora: opinions of S-BGCN-T-K"));
    assert_non_null(strstr(text[1], "Amazon Photo: vacuity without and with the prior"));
    assert_non_null(strstr(text[2], "Cora: misclassification"));
    assert_non_null(strstr(text[2], ">Drop-GCN entropy, AUPR "));
    assert_non_null(strstr(text[2], ">GCN entropy, AUPR "));
    assert_non_null(strstr(text[3], "Amazon Photo: out-of-distribution"));
    assert_non_null(strstr(text[3], "recall"));
    assert_non_null(strstr(text[4], "false positive rate"));
    assert_non_null(strstr(text[1], ">unknown class (OOD), "));
    assert_non_null(strstr(text[1], "AUROC "));
    assert_null(strstr(text[4], "seeds")); // one, so there is nothing to average
    // Once more: the models are there, and the bytes are the same. (The file of a model
    // holds floats: in a double build the stored model differs a little.)
    draw(settings, s->folder, s->path, &d);
    assert_int_equal(d.n_trainings, 0);
    for (int f = 0; f < N; f++) {
        if (sizeof(opn_real) == sizeof(float))
            support_expect_file(d.path[2 * f], text[f], strlen(text[f]));
        free(text[f]);
    }
    support_close_stage(s);
}

static void figures_are_named_with_commas_between(void **state)
{
    (void)state;
    static drawn d;
    stage *s = support_open_stage("run");
    char settings[128];
    write_data(s->folder);
    snprintf(settings, sizeof(settings), "figure=simplex,pr dataset=photo%s", some);
    draw(settings, s->folder, s->path, &d);
    assert_int_equal(d.n, 4);
    free(expect_drawn(&d, 0, s->path, "pr-photo"));
    free(expect_drawn(&d, 1, s->path, "simplex"));
    snprintf(settings, sizeof(settings), "figure=roc dataset=cora%s", some);
    assert_int_equal(try_draw(settings, s->folder, s->path, &d), OPN_ERR_INVALID_ARG);
    support_expect_error(ctx,
                         "roc of photo, computers and physics"); // the paper has none
    assert_int_equal(d.n, 0);
    support_close_stage(s);
}

// Areas in the legend are those that an evaluation of the whole pool finds.
static void areas_are_those_of_an_evaluation(void **state)
{
    (void)state;
    static drawn d;
    stage *s = support_open_stage("run");
    opn_graph *raw = NULL;
    opn_graph *graph = NULL;
    opn_evaluation *found = NULL;
    write_data(s->folder);
    draw("figure=roc,pr dataset=photo epochs=4 samples=2 hidden=4", s->folder, s->path,
         &d);
    char *text[2] = {expect_drawn(&d, 1, s->path, "roc-photo"),
                     expect_drawn(&d, 0, s->path, "pr-photo")};
    opn_params *params = trial_params(ctx, "model=s-bgcn-t-k task=ood seeds=1 epochs=4 "
                                           "samples=2 hidden=4 protocol=full");
    assert_int_equal(opn_graph_load(ctx, "photo", s->folder, &raw), OPN_OK);
    assert_int_equal(opn_graph_prepare(ctx, raw, opn_graph_usual_steps(raw), &graph),
                     OPN_OK);
    assert_int_equal(opn_evaluate(ctx, graph, params, NULL, &found), OPN_OK);
    for (int m = 0; m < OPN_N_PAPER_MEASURES; m++)
        for (int k = 0; k < 2; k++) {
            char part[48];
            snprintf(part, sizeof(part), ">%s, %s %.1f %%<",
                     opn_measure_name((opn_measure)m), k == 0 ? "AUROC" : "AUPR",
                     opn_i_evaluation_cells(found, 0)
                             ->metric[k == 0 ? OPN_METRIC_AUROC : OPN_METRIC_AUPR][m]);
            if (strstr(text[k], part) == NULL)
                fail_msg("%s is not in the figure", part);
        }
    opn_evaluation_free(found);
    opn_params_free(params);
    opn_graph_free(raw);
    opn_graph_free(graph);
    free(text[0]);
    free(text[1]);
    support_close_stage(s);
}

static const char *heading_of(const char *text)
{
    const char *at = strstr(text, "mean of ");
    return at == NULL ? "" : at;
}

// With --seeds that many; without, those that the folder has of all models.
static void curves_are_means_over_the_seeds_of_the_run(void **state)
{
    (void)state;
    static drawn d;
    stage *s = support_open_stage("run");
    char settings[128];
    write_data(s->folder);
    snprintf(settings, sizeof(settings), "figure=pr dataset=cora seeds=3%s", some);
    draw(settings, s->folder, s->path, &d);
    assert_int_equal(d.n_trainings, 6); // s-bgcn-t-k and gcn
    char *three = expect_drawn(&d, 0, s->path, "pr-cora");
    assert_memory_equal(heading_of(three), "mean of 3 seeds<", 16);
    assert_non_null(strstr(three, "one standard deviation over seeds"));
    assert_non_null(strstr(three, "fill-opacity"));
    snprintf(settings, sizeof(settings), "figure=pr dataset=cora%s", some);
    draw(settings, s->folder, s->path, &d);
    assert_int_equal(d.n_trainings, 0);
    char *again = expect_drawn(&d, 0, s->path, "pr-cora");
    if (sizeof(opn_real) == sizeof(float)) // as above
        assert_string_equal(again, three);
    free(again);
    free(three);
    snprintf(settings, sizeof(settings), "figure=pr dataset=cora seeds=1%s", some);
    draw(settings, s->folder, s->path, &d);
    char *one = expect_drawn(&d, 0, s->path, "pr-cora");
    assert_string_equal(heading_of(one), "");
    assert_null(strstr(one, "fill-opacity"));
    free(one);
    support_close_stage(s);
}

static void data_that_are_not_there_are_refused(void **state)
{
    (void)state;
    static drawn d;
    stage *s = support_open_stage("run");
    char data[SUPPORT_PATH];
    assert_int_equal(unsetenv("OPINE_DATA"), 0);
    assert_int_equal(setenv("XDG_DATA_HOME", s->folder, 1), 0);
    support_path(data, s->folder, "empty");
    assert_int_equal(mkdir(data, 0777), 0);
    assert_int_equal(try_draw("figure=maps dataset=cora", data, s->path, &d),
                     OPN_ERR_READ);
    support_expect_error(ctx, "cora");
    assert_int_equal(d.n, 0);
    support_close_stage(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(simplex_needs_neither_data_nor_training),
            WITH_CTX(captions_of_the_simplex_are_its_measures),
            WITH_CTX(without_a_folder_figures_go_beside_the_caller),
            WITH_CTX(the_caller_need_not_be_told),
            WITH_CTX(a_folder_that_cannot_be_written_to_is_refused),
            WITH_CTX(every_allocation_may_fail),
            WITH_CTX(named_figures_of_named_datasets_are_drawn),
            WITH_CTX(figures_are_named_with_commas_between),
            WITH_CTX(areas_are_those_of_an_evaluation),
            WITH_CTX(curves_are_means_over_the_seeds_of_the_run),
            WITH_CTX(data_that_are_not_there_are_refused),
    };
    return cmocka_run_group_tests_name("draw_figures", tests, NULL, NULL);
}
