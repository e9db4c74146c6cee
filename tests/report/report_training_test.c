// report_training_test.c -- the training that a report shows, and how it may be
// interrupted.

#include "opine/report.h"
#include "support/cmocka_test.h"
#include "support/page_reader.h"
#include "support/report_scene.h"
#include "support/support.h"
#include "support/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

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

static const char *const terms[] = {"loss",       "labels", "prior",   "teacher",
                                    "unlabelled", "decay",  "accuracy"};
enum { N_TERMS = 7 };

static double term_of(const opn_epoch *epoch, int t)
{
    const double value[N_TERMS] = {
            epoch->loss,       epoch->labels, epoch->prior,           epoch->teacher,
            epoch->unlabelled, epoch->decay,  100.0 * epoch->accuracy};
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
    if (n <= 100)
        assert_int_equal(n_points, n);
    assert_true(n_points <= 101 && (n <= 100 || n_points > 50));
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
            if (!scene_is_near(got, want, 2e-5 * fabs(want) + 1e-9))
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
                 {"model=gcn epochs=100", 0},
                 {"model=gcn epochs=101", 0},
                 {"model=s-gcn epochs=740", 0},
                 {"model=s-bsage-t epochs=1 samples=2", 1},
                 {"model=gat epochs=20 patience=4 learning_rate=0.3 hidden=8", 0}};
    static history h;
    stage *s = support_open_stage("page.html");
    opn_graph *graph = scene_graph(ctx);
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        const opn_hooks hooks = {
                .size = sizeof(opn_hooks), .epoch = keep_epoch, .user = &h};
        h = (history){.n = 0};
        assert_int_equal(opn_ctx_set_hooks(ctx, &hooks), OPN_OK);
        opn_model *model = trial_train(ctx, graph, cases[c].settings);
        assert_int_equal(opn_ctx_set_hooks(ctx, NULL), OPN_OK);
        page read = scene_show(ctx, graph, model, s->path);
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
    opn_graph *graph = scene_graph(ctx);
    uint8_t role[SCENE_NODES];
    for (int i = 0; i < SCENE_NODES; i++)
        role[i] = opn_graph_labels(graph)[i] < 0 ? OPN_ROLE_UNLABELLED
                  : i % 2 == 0                   ? OPN_ROLE_TRAIN
                                                 : OPN_ROLE_TEST;
    assert_int_equal(opn_graph_set_roles(ctx, graph, role), OPN_OK);
    opn_model *model = trial_train(ctx, graph, "model=gcn epochs=3");
    page read = scene_show(ctx, graph, model, s->path);
    assert_true(page_is_null(page_view(&read, 0), "training.0.accuracy"));
    assert_true(page_is_null(page_view(&read, 0), "training.0.prior"));
    page_free(&read);
    opn_model_free(model);
    opn_graph_free(graph);
    support_close_stage(s);
}

// Weights that no training gives: one was changed afterwards.
static void weights_that_differ_are_told(void **state)
{
    (void)state;
    stage *s = support_open_stage("model.safetensors");
    char path[SUPPORT_PATH];
    size_t n_bytes = 0;
    opn_graph *graph = scene_graph(ctx);
    opn_model *model = trial_train(ctx, graph, "model=gcn epochs=3");
    opn_model *other = NULL;
    char *bytes = trial_bytes(ctx, model, &n_bytes);
    support_flip_bit(bytes, 8 * n_bytes - 8 * 4); // the last bit of the last weight
    support_write_file(s->path, bytes, n_bytes);
    assert_int_equal(opn_model_load(ctx, s->path, &other), OPN_OK);
    page read = scene_show(ctx, graph, other, support_path(path, s->folder, "page.html"));
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
    scene at = scene_open(ctx, "model=gcn epochs=0");
    assert_true(page_is_null(page_view(&at.read, 0), "training"));
    scene_close(&at);
}

// The caller hears of the progress, and has its own hooks again afterwards.
static void caller_hears_the_progress_but_not_the_epochs(void **state)
{
    (void)state;
    static history h;
    const opn_hooks hooks = {.size = sizeof(opn_hooks),
                             .epoch = keep_epoch,
                             .progress = count_stages,
                             .user = &h};
    opn_report *report = NULL;
    opn_graph *graph = scene_graph(ctx);
    opn_model *model = trial_train(ctx, graph, "model=s-bgcn-t epochs=3 samples=2");
    assert_int_equal(opn_report_create(ctx, graph, NULL, &report), OPN_OK);
    h = (history){.n = 0};
    assert_int_equal(opn_ctx_set_hooks(ctx, &hooks), OPN_OK);
    scene_add_model(ctx, report, model, "");
    assert_int_equal(h.n, 0);
    assert_int_equal(h.n_done, 2);
    opn_model_free(trial_train(ctx, graph, "model=gcn epochs=3"));
    assert_int_equal(h.n, 3);
    assert_int_equal(opn_ctx_set_hooks(ctx, NULL), OPN_OK);
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
        assert_int_equal(opn_ctx_set_hooks(ctx, NULL), OPN_OK);
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

// Training again may take long, so the caller can interrupt it too.
static void training_once_more_may_be_interrupted(void **state)
{
    (void)state;
    const char *at = NULL;
    const opn_hooks hooks = {.size = sizeof(opn_hooks),
                             .progress = keep_stage,
                             .interrupted = interrupt_model,
                             .user = &at};
    opn_graph *graph = trial_groups(ctx);
    opn_model *model = trial_train(ctx, graph, "model=gcn epochs=3");
    opn_params *params = trial_params(ctx, "");
    opn_report *report = NULL;
    assert_int_equal(opn_report_create(ctx, graph, NULL, &report), OPN_OK);
    assert_int_equal(opn_ctx_set_hooks(ctx, &hooks), OPN_OK);
    assert_int_equal(opn_report_add_model(ctx, report, model, params),
                     OPN_ERR_INTERRUPTED);
    assert_int_equal(opn_ctx_set_hooks(ctx, NULL), OPN_OK);
    opn_report_free(report);
    opn_params_free(params);
    opn_model_free(model);
    opn_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(curves_are_the_epochs_of_training),
            WITH_CTX(accuracy_of_no_validation_node_is_null),
            WITH_CTX(weights_that_differ_are_told),
            WITH_CTX(a_model_of_no_epoch_has_no_curves),
            WITH_CTX(caller_hears_the_progress_but_not_the_epochs),
            WITH_CTX(every_moment_may_be_interrupted),
            WITH_CTX(training_once_more_may_be_interrupted),
    };
    return cmocka_run_group_tests_name("report_training", tests, NULL, NULL);
}
