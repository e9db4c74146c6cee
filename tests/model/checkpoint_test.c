// checkpoint_test.c -- training that is interrupted and resumed: the same bits as if
// nothing had happened, and no other training resumed by mistake.

#include "base/context.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static opn_ctx *ctx;

static const char settings[] = "model=s-bgcn-t-k epochs=4 hidden=3 samples=2";

static bool exists(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0;
}

// Trains until the k-th time that the library asks whether to stop.
static opn_status train_until(const opn_graph *graph,
                              const char *with,
                              const char *checkpoint,
                              long interrupt_at,
                              opn_model **model)
{
    listener heard = {.interrupt_at = interrupt_at};
    support_listen(ctx, &heard);
    const opn_status status = trial_try_train(ctx, graph, with, checkpoint, model);
    assert_int_equal(opn_ctx_set_hooks(ctx, NULL), OPN_OK);
    return status;
}

// Leaves the checkpoint of a run that was interrupted.
static void interrupt(const opn_graph *graph, const char *with, const char *checkpoint)
{
    opn_model *model = NULL;
    assert_int_equal(train_until(graph, with, checkpoint, 9, &model),
                     OPN_ERR_INTERRUPTED);
    assert_null(model);
    assert_true(exists(checkpoint));
}

// Interrupts at each question in turn and resumes each time. Returns how often.
static int expect_same_after_any_interruption(const opn_graph *graph, const char *with)
{
    stage *s = support_open_stage("m.checkpoint");
    opn_model *whole = trial_train(ctx, graph, with);
    int n_kept = 0;
    for (long at = 1;; at++) {
        opn_model *model = NULL;
        const opn_status status = train_until(graph, with, s->path, at, &model);
        if (status == OPN_OK) {
            trial_expect_same(ctx, whole, model);
            opn_model_free(model);
            break;
        }
        assert_int_equal(status, OPN_ERR_INTERRUPTED);
        assert_null(model);
        n_kept += exists(s->path);
        if (exists(s->path))
            support_expect_error(ctx, s->path);
        assert_int_equal(trial_try_train(ctx, graph, with, s->path, &model), OPN_OK);
        trial_expect_same(ctx, whole, model);
        assert_int_equal(support_count_entries(s->folder), 0);
        opn_model_free(model);
    }
    opn_model_free(whole);
    support_close_stage(s);
    return n_kept;
}

// ---- going on ------------------------------------------------------------------------

static void a_run_interrupted_anywhere_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    opn_graph *graph = trial_groups(ctx);
    for (int m = 0; m < TRIAL_N_MODELS; m++) {
        char with[96];
        snprintf(with, sizeof(with), "model=%s epochs=4 hidden=3 samples=2",
                 trial_models[m]);
        assert_true(expect_same_after_any_interruption(graph, with) >= 4);
    }
    assert_true(expect_same_after_any_interruption(
                        graph, "model=s-bgat-t-k epochs=4 hidden=6 heads=3 samples=2 "
                               "drop_edge=0.4 patience=3 stop_on=both") >= 4);
    assert_true(expect_same_after_any_interruption(
                        graph, "model=s-bsage-t-k epochs=4 hidden=3 samples=2") >= 4);
    opn_graph_free(graph);
}

static void a_run_that_stops_early_does_so_however_often_interrupted(void **state)
{
    (void)state;
    opn_graph *graph = trial_draw(ctx, "nodes=60 classes=3 features=12 homophily=0.4");
    opn_train_summary summary;
    for (int seed = 0; seed < 4; seed++) {
        char with[128];
        snprintf(with, sizeof(with),
                 "model=s-bgcn-t epochs=40 patience=2 learning_rate=0.3 hidden=3 seed=%d",
                 seed);
        opn_model *model = trial_train(ctx, graph, with);
        opn_model_summary(model, &summary);
        assert_true(summary.teacher_epochs < 40); // or nothing is tested
        opn_model_free(model);
        assert_true(expect_same_after_any_interruption(graph, with) >= 4);
    }
    opn_graph_free(graph);
}

// Of this graph an epoch asks several times, between the products of large matrices.
static void a_run_interrupted_inside_an_epoch_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    opn_graph *graph = trial_draw(ctx, "nodes=4000 classes=3 features=30 mean_degree=12");
    assert_true(expect_same_after_any_interruption(
                        graph, "model=s-bgcn-t-k epochs=2 hidden=64 patience=1") >= 30);
    assert_true(expect_same_after_any_interruption(
                        graph, "model=s-gat epochs=2 hidden=32 heads=2") >= 20);
    opn_graph_free(graph);
}

static void a_run_interrupted_again_and_again_ends_with_the_same_bits(void **state)
{
    (void)state;
    stage *s = support_open_stage("m.checkpoint");
    opn_graph *graph = trial_groups(ctx);
    opn_model *whole = trial_train(ctx, graph, settings);
    opn_model *model = NULL;
    int n_runs = 1;
    // Enough questions for one epoch per run.
    for (long at = 1; train_until(graph, settings, s->path, at, &model) != OPN_OK;
         at += n_runs % 4 == 0)
        n_runs++;
    assert_true(n_runs > 8);
    trial_expect_same(ctx, whole, model);
    assert_false(exists(s->path));
    opn_model_free(model);
    opn_model_free(whole);
    opn_graph_free(graph);
    support_close_stage(s);
}

static void threads_may_change_between_the_parts_of_a_run(void **state)
{
    (void)state;
    stage *s = support_open_stage("m.checkpoint");
    opn_graph *graph = trial_draw(ctx, "nodes=700 classes=3 features=60");
    opn_model *whole = trial_train(ctx, graph, settings);
    opn_model *model = NULL;
    interrupt(graph, settings, s->path);
    assert_int_equal(opn_ctx_set_threads(ctx, 3), OPN_OK);
    assert_int_equal(trial_try_train(ctx, graph, settings, s->path, &model), OPN_OK);
    trial_expect_same(ctx, whole, model);
    opn_model_free(model);
    opn_model_free(whole);
    opn_graph_free(graph);
    support_close_stage(s);
}

// Neither resuming nor the path of the model makes it another training.
static void options_that_do_not_shape_the_model_may_change(void **state)
{
    (void)state;
    static const char *const more[] = {"resume=on", "output=m.safetensors",
                                       "json=on",   "data_dir=/nowhere",
                                       "quiet=on",  "threads=2"};
    opn_graph *graph = trial_groups(ctx);
    for (size_t o = 0; o < sizeof(more) / sizeof(more[0]); o++) {
        stage *s = support_open_stage("m.checkpoint");
        char with[128];
        opn_model *model = NULL;
        snprintf(with, sizeof(with), "%s %s", settings, more[o]);
        interrupt(graph, settings, s->path);
        if (trial_try_train(ctx, graph, with, s->path, &model) != OPN_OK)
            fail_msg("%s: %s", more[o], opn_ctx_error(ctx));
        opn_model_free(model);
        support_close_stage(s);
    }
    opn_graph_free(graph);
}

static void without_a_path_nothing_is_kept(void **state)
{
    (void)state;
    stage *s = support_open_stage("m.checkpoint");
    opn_graph *graph = trial_groups(ctx);
    opn_model *model = NULL;
    assert_int_equal(train_until(graph, settings, NULL, 9, &model), OPN_ERR_INTERRUPTED);
    assert_null(model);
    assert_int_equal(support_count_entries(s->folder), 0);
    opn_graph_free(graph);
    support_close_stage(s);
}

// ---- other work ----------------------------------------------------------------------

// Refused, and the checkpoint is as it was.
static void expect_refused(const opn_graph *graph,
                           const char *with,
                           const char *path,
                           const char *part)
{
    size_t n_bytes = 0;
    char *before = support_read_file(path, &n_bytes);
    opn_model *model = NULL;
    const opn_status status = trial_try_train(ctx, graph, with, path, &model);
    if (status != OPN_ERR_FORMAT)
        fail_msg("%s: status %d", with, (int)status);
    assert_null(model);
    support_expect_error(ctx, path);
    support_expect_error(ctx, part);
    support_expect_file(path, before, n_bytes);
    free(before);
}

static void a_checkpoint_of_other_parameters_is_refused(void **state)
{
    (void)state;
    static const char *const other[] = {
            "seed=1",    "epochs=5",          "hidden=4",           "dropout=0.4",
            "lambda1=1", "weight_decay=0.1",  "learning_rate=0.02", "model=s-bgcn-t",
            "sigma=2",   "patience=1",        "normalise=none",     "evidence=relu",
            "model=gcn", "kernel_constant=on"};
    stage *s = support_open_stage("m.checkpoint");
    opn_graph *graph = trial_groups(ctx);
    interrupt(graph, settings, s->path);
    for (size_t o = 0; o < sizeof(other) / sizeof(other[0]); o++) {
        char with[128];
        snprintf(with, sizeof(with), "%s %s", settings, other[o]);
        expect_refused(graph, with, s->path, "remove it to begin anew");
    }
    opn_graph_free(graph);
    support_close_stage(s);
}

static void a_checkpoint_of_other_data_is_refused(void **state)
{
    (void)state;
    stage *s = support_open_stage("m.checkpoint");
    opn_graph *graph = trial_groups(ctx);
    opn_graph *other = trial_groups_of(ctx, TRIAL_EDGES - 1, TRIAL_FEATURES,
                                       trial_features, trial_labels);
    opn_graph *wider = trial_draw(ctx, "nodes=30 classes=2 features=7");
    interrupt(graph, settings, s->path);
    expect_refused(other, settings, s->path, "other data");
    expect_refused(wider, settings, s->path, "other data");
    opn_graph_free(graph);
    opn_graph_free(other);
    opn_graph_free(wider);
    support_close_stage(s);
}

static void a_checkpoint_of_another_split_is_refused(void **state)
{
    (void)state;
    const uint8_t role[][TRIAL_NODES] = {{0, 0, 1, 4, 4, 0, 0, 1, 4},
                                         {0, 1, 0, 4, 4, 0, 0, 1, 4}};
    stage *s = support_open_stage("m.checkpoint");
    opn_graph *graph = trial_groups(ctx);
    assert_int_equal(opn_graph_set_roles(ctx, graph, role[0]), OPN_OK);
    interrupt(graph, settings, s->path);
    assert_int_equal(opn_graph_set_roles(ctx, graph, role[1]), OPN_OK);
    expect_refused(graph, settings, s->path, "remove it to begin anew");
    opn_graph_free(graph);
    support_close_stage(s);
}

// ---- broken files --------------------------------------------------------------------

static void a_checkpoint_cut_anywhere_is_refused(void **state)
{
    (void)state;
    stage *s = support_open_stage("m.checkpoint");
    opn_graph *graph = trial_groups(ctx);
    size_t n_bytes = 0;
    interrupt(graph, settings, s->path);
    char *bytes = support_read_file(s->path, &n_bytes);
    for (size_t n = 0; n < n_bytes; n += 1 + n / 64) {
        support_write_file(s->path, bytes, n);
        expect_refused(graph, settings, s->path, "");
    }
    free(bytes);
    opn_graph_free(graph);
    support_close_stage(s);
}

static void a_checkpoint_with_a_bit_flipped_harms_nothing(void **state)
{
    (void)state;
    stage *s = support_open_stage("m.checkpoint");
    opn_graph *graph = trial_groups(ctx);
    size_t n_bytes = 0;
    int n_refused = 0;
    interrupt(graph, settings, s->path);
    char *bytes = support_read_file(s->path, &n_bytes);
    for (size_t n = 0; n < n_bytes; n++) {
        opn_model *model = NULL;
        support_flip_bit(bytes, 8 * n + n % 7);
        support_write_file(s->path, bytes, n_bytes);
        const opn_status status = trial_try_train(ctx, graph, settings, s->path, &model);
        assert_int_equal(status == OPN_OK, model != NULL);
        assert_true(status == OPN_OK || status == OPN_ERR_FORMAT ||
                    status == OPN_ERR_UNSUPPORTED || status == OPN_ERR_NONFINITE);
        n_refused += status != OPN_OK;
        opn_model_free(model);
        support_flip_bit(bytes, 8 * n + n % 7);
    }
    assert_true(n_refused > 0);
    free(bytes);
    opn_graph_free(graph);
    support_close_stage(s);
}

static void a_file_that_is_no_checkpoint_is_refused_and_kept(void **state)
{
    (void)state;
    stage *s = support_open_stage("m.checkpoint");
    opn_graph *graph = trial_groups(ctx);
    opn_model *model = trial_train(ctx, graph, settings);
    support_write_text(s->path, "my diary");
    expect_refused(graph, settings, s->path, "");
    assert_int_equal(opn_model_save(ctx, model, s->path), OPN_OK);
    expect_refused(graph, settings, s->path, "is no checkpoint");
    opn_model_free(model);
    opn_graph_free(graph);
    support_close_stage(s);
}

static void a_disk_too_full_for_the_checkpoint_is_told(void **state)
{
    (void)state;
    stage *s = support_open_stage("m.checkpoint");
    opn_graph *graph = trial_groups(ctx);
    opn_model *model = NULL;
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit limit = before;
    limit.rlim_cur = 100;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const opn_status status = train_until(graph, settings, s->path, 9, &model);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(status, OPN_ERR_WRITE);
    assert_null(model);
    support_expect_error(ctx, s->path);
    assert_int_equal(support_count_entries(s->folder), 0);
    opn_graph_free(graph);
    support_close_stage(s);
}

// ---- from time to time ---------------------------------------------------------------

// Looks for the checkpoint while training goes on, and keeps a copy as a crash would.
typedef struct witness {
    const char *path;
    char *bytes; // to be freed
    size_t n_bytes;
    int n_seen, n_warnings;
} witness;

static void look(void *user, const opn_progress *progress)
{
    witness *w = user;
    (void)progress;
    if (!exists(w->path))
        return;
    free(w->bytes);
    w->bytes = support_read_file(w->path, &w->n_bytes);
    w->n_seen++;
}

static void count_warnings(void *user, opn_log_level level, const char *message)
{
    witness *w = user;
    w->n_warnings += level == OPN_LOG_WARNING && strstr(message, "checkpoint") != NULL;
}

static opn_model *train_watched(const opn_graph *graph, const char *with, witness *w)
{
    opn_model *model = NULL;
    const opn_hooks hooks = {.size = sizeof(opn_hooks),
                             .log = count_warnings,
                             .progress = look,
                             .user = w};
    assert_int_equal(opn_ctx_set_hooks(ctx, &hooks), OPN_OK);
    const opn_status status = trial_try_train(ctx, graph, with, w->path, &model);
    assert_int_equal(opn_ctx_set_hooks(ctx, NULL), OPN_OK);
    assert_int_equal(status, OPN_OK);
    return model;
}

static void what_is_kept_from_time_to_time_is_gone_on_from(void **state)
{
    (void)state;
    stage *s = support_open_stage("m.checkpoint");
    opn_graph *graph = trial_groups(ctx);
    static const char often[] =
            "model=s-bgcn-t-k epochs=4 hidden=3 samples=2 checkpoint_every=0.000001";
    witness w = {.path = s->path};
    opn_model *whole = trial_train(ctx, graph, settings);
    opn_model *watched = train_watched(graph, often, &w);
    trial_expect_same(ctx, whole, watched);
    assert_true(w.n_seen > 0 && w.n_warnings == 0);
    assert_int_equal(support_count_entries(s->folder), 0);
    support_write_file(s->path, w.bytes, w.n_bytes); // as if that run had been killed
    opn_model *resumed =
            train_watched(graph, settings, &w); // however often this one keeps
    trial_expect_same(ctx, whole, resumed);
    assert_int_equal(support_count_entries(s->folder), 0);
    free(w.bytes);
    opn_model_free(whole);
    opn_model_free(watched);
    opn_model_free(resumed);
    opn_graph_free(graph);
    support_close_stage(s);
}

static void nothing_is_kept_before_its_time(void **state)
{
    (void)state;
    stage *s = support_open_stage("m.checkpoint");
    opn_graph *graph = trial_groups(ctx);
    static const char *const rarely[] = {
            "model=s-bgcn-t epochs=4 hidden=3",
            "model=s-bgcn-t epochs=4 hidden=3 checkpoint_every=0"};
    for (int r = 0; r < 2; r++) {
        witness w = {.path = s->path};
        opn_model_free(train_watched(graph, rarely[r], &w));
        assert_int_equal(w.n_seen, 0);
    }
    opn_graph_free(graph);
    support_close_stage(s);
}

static void a_checkpoint_that_cannot_be_written_does_not_end_a_training(void **state)
{
    (void)state;
    stage *s = support_open_stage("m.checkpoint");
    opn_graph *graph = trial_groups(ctx);
    witness w = {.path = s->path};
    opn_model *whole = trial_train(ctx, graph, settings);
    struct rlimit usual;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &usual), 0);
    const struct rlimit none = {.rlim_cur = 0, .rlim_max = usual.rlim_max};
    signal(SIGXFSZ, SIG_IGN); // writing beyond the limit fails then
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    opn_model *model = train_watched(
            graph,
            "model=s-bgcn-t-k epochs=4 hidden=3 samples=2 checkpoint_every=0.000001", &w);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &usual), 0);
    signal(SIGXFSZ, SIG_DFL);
    trial_expect_same(ctx, whole, model);
    assert_true(w.n_warnings > 0);
    opn_model_free(whole);
    opn_model_free(model);
    opn_graph_free(graph);
    support_close_stage(s);
}

static void every_allocation_failure_while_going_on_is_reported(void **state)
{
    (void)state;
    stage *s = support_open_stage("m.checkpoint");
    opn_graph *graph = trial_groups(ctx);
    opn_params *params = trial_params(ctx, settings);
    opn_split *split = NULL;
    assert_int_equal(opn_split_from_params(ctx, graph, params, &split), OPN_OK);
    interrupt(graph, settings, s->path);
    opn_checkpoint *place = NULL;
    assert_int_equal(opn_checkpoint_open(ctx, s->path, 1, &place), OPN_OK);
    opn_status status = OPN_ERR_NOMEM;
    for (long fail_at = 1; status != OPN_OK; fail_at++) {
        meter m = {0};
        opn_ctx *own = support_ctx(&m);
        opn_model *model = NULL;
        m.n_requests = 0;
        m.fail_at = fail_at;
        status = opn_model_train(own, graph, split, params, place, &model);
        assert_int_equal(status == OPN_OK, model != NULL);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
        assert_true(exists(s->path)); // what was learnt so far is not lost
        opn_model_free(model);
        support_ctx_free(own, &m);
    }
    opn_checkpoint_close(place, 1);
    assert_false(exists(s->path));
    opn_split_free(split);
    opn_params_free(params);
    opn_graph_free(graph);
    support_close_stage(s);
}

// ---- the place of a checkpoint -------------------------------------------------------

static void train_without_resume_does_not_delete_a_checkpoint(void **state)
{
    (void)state;
    stage *s = support_open_stage("m.checkpoint");
    opn_graph *graph = trial_groups(ctx);
    opn_checkpoint *place = NULL;
    interrupt(graph, settings, s->path);
    assert_int_equal(opn_checkpoint_open(ctx, s->path, 0, &place), OPN_ERR_INVALID_ARG);
    assert_non_null(strstr(opn_ctx_error(ctx), "`resume`"));
    assert_null(place);
    assert_true(exists(s->path));
    assert_int_equal(opn_checkpoint_open(ctx, s->path, 1, &place), OPN_OK);
    assert_true(opn_checkpoint_exists(place));
    opn_checkpoint_close(place, 0);
    assert_true(exists(s->path));
    assert_int_equal(remove(s->path), 0);
    opn_graph_free(graph);
    support_close_stage(s);
}

static void two_trainings_of_one_file_are_refused(void **state)
{
    (void)state;
    stage *s = support_open_stage("m.checkpoint");
    opn_checkpoint *first = NULL;
    opn_checkpoint *second = NULL;
    assert_int_equal(opn_checkpoint_open(ctx, s->path, 0, &first), OPN_OK);
    assert_int_equal(opn_checkpoint_open(ctx, s->path, 1, &second), OPN_ERR_WRITE);
    assert_non_null(strstr(opn_ctx_error(ctx), "another training"));
    assert_int_equal(opn_checkpoint_open(ctx, s->path, 1, &second), OPN_ERR_WRITE);
    opn_checkpoint_close(first, 0);
    assert_int_equal(opn_checkpoint_open(ctx, s->path, 1, &second), OPN_OK);
    opn_checkpoint_close(second, 1);
    support_close_stage(s); // which must be empty
}

static void a_model_that_cannot_be_saved_does_not_lose_the_training(void **state)
{
    (void)state;
    stage *s = support_open_stage("m.checkpoint");
    opn_graph *graph = trial_groups(ctx);
    opn_params *params = trial_params(ctx, settings);
    opn_split *split = NULL;
    opn_checkpoint *place = NULL;
    opn_model *first = NULL;
    opn_model *second = NULL;
    assert_int_equal(opn_split_from_params(ctx, graph, params, &split), OPN_OK);
    assert_int_equal(opn_checkpoint_open(ctx, s->path, 0, &place), OPN_OK);
    assert_int_equal(opn_model_train(ctx, graph, split, params, place, &first), OPN_OK);
    assert_int_equal(opn_model_save(ctx, first, "/no/such/folder/m.safetensors"),
                     OPN_ERR_WRITE);
    opn_checkpoint_close(place, 0);
    assert_int_equal(opn_checkpoint_open(ctx, s->path, 1, &place), OPN_OK);
    assert_int_equal(opn_model_train(ctx, graph, split, params, place, &second), OPN_OK);
    trial_expect_same(ctx, first, second);
    opn_checkpoint_close(place, 1);
    assert_false(exists(s->path));
    opn_model_free(first);
    opn_model_free(second);
    opn_split_free(split);
    opn_params_free(params);
    opn_graph_free(graph);
    support_close_stage(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(train_without_resume_does_not_delete_a_checkpoint),
            WITH_CTX(two_trainings_of_one_file_are_refused),
            WITH_CTX(a_model_that_cannot_be_saved_does_not_lose_the_training),
            WITH_CTX(a_run_interrupted_anywhere_goes_on_with_the_same_bits),
            WITH_CTX(a_run_that_stops_early_does_so_however_often_interrupted),
            WITH_CTX(a_run_interrupted_inside_an_epoch_goes_on_with_the_same_bits),
            WITH_CTX(a_run_interrupted_again_and_again_ends_with_the_same_bits),
            WITH_CTX(threads_may_change_between_the_parts_of_a_run),
            WITH_CTX(options_that_do_not_shape_the_model_may_change),
            WITH_CTX(without_a_path_nothing_is_kept),
            WITH_CTX(a_checkpoint_of_other_parameters_is_refused),
            WITH_CTX(a_checkpoint_of_other_data_is_refused),
            WITH_CTX(a_checkpoint_of_another_split_is_refused),
            WITH_CTX(a_checkpoint_cut_anywhere_is_refused),
            WITH_CTX(a_checkpoint_with_a_bit_flipped_harms_nothing),
            WITH_CTX(a_file_that_is_no_checkpoint_is_refused_and_kept),
            WITH_CTX(a_disk_too_full_for_the_checkpoint_is_told),
            WITH_CTX(what_is_kept_from_time_to_time_is_gone_on_from),
            WITH_CTX(nothing_is_kept_before_its_time),
            WITH_CTX(a_checkpoint_that_cannot_be_written_does_not_end_a_training),
            WITH_CTX(every_allocation_failure_while_going_on_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
