// tune_folder_test.c -- searches that keep their runs in a folder and resume from it, bit
// for bit, whatever has happened in between.

#include "base/context.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"
#include "tune/tune_folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static opn_ctx *ctx;

// ---- the scene -----------------------------------------------------------------------

static const char settings[] = "trials=7 seeds=6 epochs=6 samples=2 hidden=4";
enum { N_RUNS = 7 * 2 + 5 * 4, N_RUNS_AND_DEFAULT = N_RUNS + 4 };

// A graph, and the path of a folder that does not exist yet.
typedef struct place {
    stage *s;
    opn_graph *graph;
    char trials[SUPPORT_PATH];
} place;

static place open_place(void)
{
    place at = {.s = support_open_stage("run")};
    at.graph = trial_draw_split(ctx, "nodes=60 classes=3 features=12 homophily=0.5", 3);
    support_path(at.trials, at.s->path, "trials.jsonl");
    return at;
}

static void close_place(place *at)
{
    opn_graph_free(at->graph);
    support_close_stage(at->s);
}

static opn_status try_tune(opn_ctx *on,
                           const place *at,
                           const char *with,
                           const char *folder,
                           opn_tuning **out)
{
    opn_params *params = trial_paper_params(on, with);
    const opn_status status = opn_tune(on, at->graph, params, NULL, folder, out);
    opn_params_free(params);
    return status;
}

static opn_tuning *tune(const place *at, const char *with, const char *folder)
{
    opn_tuning *found = NULL;
    if (try_tune(ctx, at, with, folder, &found) != OPN_OK)
        fail_msg("%s: %s", with, opn_ctx_error(ctx));
    return found;
}

static bool is_same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

// A command that tunes with more seeds ends with the folder, if there is one.
static size_t length_to_output(const char *command)
{
    const char *output = strstr(command, " -o ");
    return output == NULL ? strlen(command) : (size_t)(output - command);
}

static void expect_same(const opn_tuning *a, const opn_tuning *b)
{
    const size_t n = length_to_output(opn_tuning_command(a));
    assert_int_equal(opn_tuning_n_trials(a), opn_tuning_n_trials(b));
    assert_int_equal(opn_tuning_n_seeds(a), opn_tuning_n_seeds(b));
    assert_int_equal(length_to_output(opn_tuning_command(b)), n);
    assert_memory_equal(opn_tuning_command(a), opn_tuning_command(b), n);
    for (int32_t t = 0; t < opn_tuning_n_trials(a); t++) {
        assert_int_equal(opn_tuning_ranked(a, t), opn_tuning_ranked(b, t));
        for (int32_t s = 0; s < opn_tuning_n_seeds(a); s++) {
            const opn_trial_run *x = &opn_tuning_runs(a, t)[s];
            const opn_trial_run *y = &opn_tuning_runs(b, t)[s];
            assert_true(is_same_number(x->objective, y->objective));
            assert_true(is_same_number(x->accuracy, y->accuracy));
            assert_true(is_same_number(x->detection, y->detection));
        }
    }
}

// What the folder and the settings give is what no folder gives.
static void expect_right(const place *at, const char *with)
{
    opn_tuning *kept = tune(at, with, at->s->path);
    opn_tuning *fresh = tune(at, with, NULL);
    expect_same(kept, fresh);
    opn_tuning_free(kept);
    opn_tuning_free(fresh);
}

static int count_lines(const char *path)
{
    int n = 0;
    char *text = support_read_file(path, NULL);
    for (const char *c = text; *c != 0; c++)
        n += *c == '\n';
    free(text);
    return n;
}

// ---- going on ------------------------------------------------------------------------

static void count_epochs(void *user, const opn_progress *progress)
{
    *(int *)user += strcmp(progress->stage, "model") == 0;
}

static void a_second_call_trains_nothing_and_gives_the_same_bits(void **state)
{
    (void)state;
    place at = open_place();
    int n_epochs = 0;
    const opn_hooks hooks = {
            .size = sizeof(opn_hooks), .progress = count_epochs, .user = &n_epochs};
    opn_tuning *first = tune(&at, settings, at.s->path);
    const int n_lines = count_lines(at.trials);
    assert_in_range(n_lines, N_RUNS, N_RUNS_AND_DEFAULT);
    assert_int_equal(opn_ctx_set_hooks(ctx, &hooks), OPN_OK);
    opn_tuning *second = tune(&at, settings, at.s->path);
    assert_int_equal(opn_ctx_set_hooks(ctx, NULL), OPN_OK);
    assert_int_equal(n_epochs, 0);
    assert_int_equal(count_lines(at.trials), n_lines);
    expect_same(first, second);
    opn_tuning_free(first);
    opn_tuning_free(second);
    expect_right(&at, settings);
    close_place(&at);
}

static void an_interruption_at_any_moment_loses_nothing_and_changes_no_bit(void **state)
{
    (void)state;
    static const char with[] = "trials=3 seeds=2 epochs=3 samples=2 hidden=4 task=ood";
    place at = open_place();
    opn_tuning *whole = tune(&at, with, NULL);
    opn_status status = OPN_ERR_INTERRUPTED;
    int n_rounds = 0;
    for (long k = 1; status == OPN_ERR_INTERRUPTED; k += 11, n_rounds++) {
        listener heard = {.interrupt_at = k};
        opn_tuning *found = NULL;
        support_listen(ctx, &heard);
        status = try_tune(ctx, &at, with, at.s->path, &found);
        assert_int_equal(opn_ctx_set_hooks(ctx, NULL), OPN_OK);
        assert_true((found != NULL) == (status == OPN_OK));
        if (status == OPN_ERR_INTERRUPTED)
            support_expect_error(ctx, at.s->path);
        opn_tuning_free(found);
        found = tune(&at, with, at.s->path);
        expect_same(found, whole);
        opn_tuning_free(found);
        assert_int_equal(count_lines(at.trials), 6); // each run once
        support_remove_folder(at.s->path);
    }
    assert_int_equal(status, OPN_OK);
    assert_true(n_rounds > 5);
    opn_tuning_free(whole);
    close_place(&at);
}

static void without_a_folder_an_interruption_says_how_to_keep(void **state)
{
    (void)state;
    place at = open_place();
    listener heard = {.interrupt_at = 9};
    opn_tuning *found = NULL;
    support_listen(ctx, &heard);
    assert_int_equal(try_tune(ctx, &at, settings, NULL, &found), OPN_ERR_INTERRUPTED);
    assert_int_equal(opn_ctx_set_hooks(ctx, NULL), OPN_OK);
    assert_null(found);
    support_expect_error(ctx, "kept only in a folder");
    close_place(&at);
}

static void runs_on_several_threads_are_kept_whole(void **state)
{
    (void)state;
    place at = open_place();
    opn_graph *metered = at.graph;
    opn_ctx *own = support_ctx(NULL); // the meter counts for one thread only
    opn_tuning *found = NULL;
    at.graph = trial_draw_split(own, "nodes=60 classes=3 features=12 homophily=0.5", 3);
    own->n_threads = 3;
    assert_int_equal(try_tune(own, &at, settings, at.s->path, &found), OPN_OK);
    opn_tuning_free(found);
    opn_graph_free(at.graph);
    opn_ctx_free(own);
    at.graph = metered;
    const int n_lines = count_lines(at.trials);
    expect_right(&at, settings);
    assert_int_equal(count_lines(at.trials), n_lines);
    close_place(&at);
}

// Whichever of two settings comes first, the other gets its own result.
static void other_settings_do_not_mix(void **state)
{
    (void)state;
    static const char base[] = "trials=2 seeds=2 epochs=4 hidden=4 samples=2 ";
    static const char *const pairs[][2] = {{"task=ood lambda1=0.1", "lambda1=0.1"},
                                           {"patience=2", ""},
                                           {"seed=1", ""},
                                           {"sample_dropout=0.5", ""},
                                           {"propagate=2", ""},
                                           {"model=s-gcn", "model=edl-gcn"},
                                           {"model=gcn", "model=drop-gcn"}};
    for (size_t p = 0; p < sizeof(pairs) / sizeof(pairs[0]); p++)
        for (int first = 0; first < 2; first++) {
            place at = open_place();
            for (int run = 0; run < 2; run++) {
                char with[256];
                snprintf(with, sizeof(with), "%s%s", base, pairs[p][(first + run) % 2]);
                expect_right(&at, with);
            }
            close_place(&at);
        }
}

static void more_trials_and_seeds_later_take_what_is_there(void **state)
{
    (void)state;
    place at = open_place();
    expect_right(&at, "trials=3 seeds=2 epochs=4 model=s-gcn");
    const int n_few = count_lines(at.trials);
    assert_int_equal(n_few, 6);
    expect_right(&at, "trials=5 seeds=3 epochs=4 model=s-gcn");
    assert_int_equal(count_lines(at.trials), 15);
    close_place(&at);
}

// ---- what a crash or a careless hand leaves ------------------------------------------

static void a_torn_last_line_is_done_again(void **state)
{
    (void)state;
    place at = open_place();
    size_t n = 0;
    opn_tuning *first = tune(&at, settings, at.s->path);
    char *text = support_read_file(at.trials, &n);
    const int n_lines = count_lines(at.trials);
    support_write_file(at.trials, text, n - 7);
    opn_tuning *second = tune(&at, settings, at.s->path);
    expect_same(first, second);
    assert_int_equal(count_lines(at.trials), n_lines);
    expect_right(&at, settings); // from what the second has left
    free(text);
    opn_tuning_free(first);
    opn_tuning_free(second);
    close_place(&at);
}

static void a_broken_line_is_refused_by_name_and_number(void **state)
{
    (void)state;
    static const char *const lines[] = {
            "",
            "{",
            "[]",
            "{}",
            "not JSON",
            "{\"key\":\"k\"}",
            "{\"key\":\"k\",\"objective\":1,\"accuracy\":1,\"detection\":1}",
            "{\"objective\":1,\"accuracy\":1,\"detection\":1,\"seconds\":1}",
            "{\"key\":7,\"objective\":1,\"accuracy\":1,\"detection\":1,\"seconds\":1}",
            "{\"key\":\"k\",\"objective\":\"1\",\"accuracy\":1,\"detection\":1,"
            "\"seconds\":1}",
            "{\"key\":\"k\",\"objective\":null,\"accuracy\":1,\"detection\":1,"
            "\"seconds\":1}",
            "{\"key\":\"k\",\"objective\":2,\"accuracy\":1,\"detection\":1,\"seconds\":"
            "1}",
            "{\"key\":\"k\",\"objective\":101,\"accuracy\":101,\"detection\":101,"
            "\"seconds\":1}",
            "{\"key\":\"k\",\"objective\":-1,\"accuracy\":-1,\"detection\":-1,"
            "\"seconds\":1}"};
    place at = open_place();
    opn_tuning_free(tune(&at, "trials=2 seeds=2 epochs=2 model=gcn", at.s->path));
    char *good = support_read_file(at.trials, NULL);
    const int n_first = (int)(strchr(good, '\n') + 1 - good);
    for (size_t l = 0; l < sizeof(lines) / sizeof(lines[0]); l++) {
        char where[SUPPORT_PATH + 32];
        opn_tuning *found = NULL;
        const size_t room = strlen(good) + strlen(lines[l]) + 2;
        char *text = malloc(room);
        assert_non_null(text);
        snprintf(text, room, "%.*s%s\n%s", n_first, good, lines[l], good + n_first);
        support_write_text(at.trials, text);
        assert_int_equal(try_tune(ctx, &at, "trials=2 seeds=2 epochs=2 model=gcn",
                                  at.s->path, &found),
                         OPN_ERR_FORMAT);
        assert_null(found);
        snprintf(where, sizeof(where), "%s:2: is not a run of a trial", at.trials);
        support_expect_error(ctx, where);
        support_expect_file(at.trials, text, strlen(text)); // for the user to look at
        free(text);
    }
    free(good);
    close_place(&at);
}

static void a_line_that_cannot_be_written_is_an_error(void **state)
{
    (void)state;
    place at = open_place();
    opn_tuning *found = NULL;
    support_write_text(at.s->path, "a file");
    assert_int_equal(try_tune(ctx, &at, settings, at.s->path, &found), OPN_ERR_WRITE);
    assert_null(found);
    support_expect_error(ctx, "run: is not a folder");
    close_place(&at);
}

static void two_searches_do_not_write_to_one_file(void **state)
{
    (void)state;
    static const char with[] = "trials=1 seeds=2 epochs=1 model=gcn";
    place at = open_place();
    opn_i_journal *other = NULL;
    opn_tuning *found = NULL;
    assert_int_equal(opn_i_tune_folder_open(ctx, at.s->path, NULL, &other), OPN_OK);
    assert_int_equal(try_tune(ctx, &at, with, at.s->path, &found), OPN_ERR_WRITE);
    assert_null(found);
    support_expect_error(ctx, "trials.jsonl: another run is writing to it");
    opn_i_journal_close(other);
    expect_right(&at, with);
    close_place(&at);
}

static void every_allocation_failure_leaves_a_folder_to_go_on_from(void **state)
{
    (void)state;
    static const char with[] = "trials=1 seeds=2 epochs=1 model=gcn hidden=2";
    place at = open_place();
    opn_tuning *whole = tune(&at, with, NULL);
    opn_status status = OPN_ERR_NOMEM;
    for (long fail_at = 1; status != OPN_OK; fail_at++) {
        meter m = {0};
        opn_ctx *own = support_ctx(&m);
        opn_tuning *found = NULL;
        opn_params *params = trial_paper_params(ctx, with);
        m.n_requests = 0;
        m.fail_at = fail_at;
        status = opn_tune(own, at.graph, params, NULL, at.s->path, &found);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
        opn_tuning_free(found);
        opn_params_free(params);
        support_ctx_free(own, &m);
        if (fail_at % 16 == 0) {
            found = tune(&at, with, at.s->path);
            expect_same(found, whole);
            opn_tuning_free(found);
            support_remove_folder(at.s->path);
        }
    }
    opn_tuning_free(whole);
    close_place(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(a_second_call_trains_nothing_and_gives_the_same_bits),
            WITH_CTX(an_interruption_at_any_moment_loses_nothing_and_changes_no_bit),
            WITH_CTX(without_a_folder_an_interruption_says_how_to_keep),
            WITH_CTX(runs_on_several_threads_are_kept_whole),
            WITH_CTX(other_settings_do_not_mix),
            WITH_CTX(more_trials_and_seeds_later_take_what_is_there),
            WITH_CTX(a_torn_last_line_is_done_again),
            WITH_CTX(a_broken_line_is_refused_by_name_and_number),
            WITH_CTX(a_line_that_cannot_be_written_is_an_error),
            WITH_CTX(two_searches_do_not_write_to_one_file),
            WITH_CTX(every_allocation_failure_leaves_a_folder_to_go_on_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
