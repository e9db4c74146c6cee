// evaluate_shard_test.c -- evaluations and searches done in parts by several processes
// come to what one undivided run comes to.

#include "opine/opine.h"
#include "support/cell_sample.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"
#include "support/tuning_scene.h"

#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static opn_ctx *ctx;

// gcn and drop-gcn are trained as one: six trainings, nine results.
static const char settings[] = "seeds=3 model=gcn,s-bgcn-t,drop-gcn epochs=4 samples=2 "
                               "hidden=4";
enum { N_RUNS = 6, N_RESULTS = 9 };

typedef struct place {
    stage *s;
    opn_graph *graph;
    char shards[SUPPORT_PATH];
} place;

static place open_place(void)
{
    place at = {.s = support_open_stage("run")};
    at.graph = trial_draw_split(ctx, "nodes=60 classes=3 features=12 homophily=0.4", 5);
    support_path(at.shards, at.s->path, "cells.d");
    return at;
}

static void close_place(place *at)
{
    opn_graph_free(at->graph);
    support_close_stage(at->s);
}

// The settings and "shard=part/n_parts".
static opn_params *shard_params(opn_ctx *own, const char *with, int part, int n_parts)
{
    char text[16];
    opn_params *params = trial_params(own, with);
    snprintf(text, sizeof(text), "%d/%d", part, n_parts);
    if (opn_params_set(own, params, "shard", text) != OPN_OK)
        fail_msg("%s", opn_ctx_error(own));
    return params;
}

static opn_status try_shard(opn_ctx *own,
                            const place *at,
                            const char *with,
                            int part,
                            int n_parts,
                            opn_shard_summary *out)
{
    opn_params *params = shard_params(own, with, part, n_parts);
    const opn_status status =
            opn_evaluate_shard(own, at->graph, params, at->s->path, out);
    opn_params_free(params);
    return status;
}

static opn_shard_summary run_shard(const place *at, int part, int n_parts)
{
    opn_shard_summary done;
    if (try_shard(ctx, at, settings, part, n_parts, &done) != OPN_OK)
        fail_msg("%s", opn_ctx_error(ctx));
    assert_int_equal(done.part, part);
    assert_int_equal(done.n_parts, n_parts);
    assert_false(done.has_more);
    return done;
}

static opn_evaluation *evaluate(const place *at, const char *folder)
{
    opn_evaluation *found = NULL;
    opn_params *params = trial_params(ctx, settings);
    if (opn_evaluate(ctx, at->graph, params, folder, &found) != OPN_OK)
        fail_msg("%s", opn_ctx_error(ctx));
    opn_params_free(params);
    return found;
}

static void count_epochs(void *user, const opn_progress *progress)
{
    *(int *)user += strcmp(progress->stage, "model") == 0;
}

// Asserts that the folder gives what no folder gives; how many epochs it had to train.
static int expect_right(const place *at)
{
    int n_epochs = 0;
    const opn_hooks hooks = {
            .size = sizeof(opn_hooks), .progress = count_epochs, .user = &n_epochs};
    assert_int_equal(opn_ctx_set_hooks(ctx, &hooks), OPN_OK);
    opn_evaluation *kept = evaluate(at, at->s->path);
    assert_int_equal(opn_ctx_set_hooks(ctx, NULL), OPN_OK);
    opn_evaluation *fresh = evaluate(at, NULL);
    cell_expect_same_evaluations(kept, fresh);
    opn_evaluation_free(kept);
    opn_evaluation_free(fresh);
    return n_epochs;
}

// ---- evaluations ---------------------------------------------------------------------

static void any_number_of_shards_comes_to_what_one_run_comes_to(void **state)
{
    (void)state;
    static const int numbers[] = {1, 2, 4, 9}; // with nine, three have nothing to do
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        place at = open_place();
        int64_t n_runs = 0;
        int64_t n_results = 0;
        for (int part = numbers[i]; part >= 1; part--) {
            const opn_shard_summary done = run_shard(&at, part, numbers[i]);
            n_runs += done.n_runs;
            n_results += done.n_results;
        }
        assert_int_equal(n_runs, N_RUNS);
        assert_int_equal(n_results, N_RESULTS);
        assert_int_equal(expect_right(&at), 0);
        close_place(&at);
    }
}

static void what_no_shard_has_done_is_done_by_the_undivided_run(void **state)
{
    (void)state;
    place at = open_place();
    (void)run_shard(&at, 2, 3);
    assert_true(expect_right(&at) > 0);
    assert_int_equal(expect_right(&at), 0);
    close_place(&at);
}

static void what_is_there_is_not_done_again_by_other_divisions(void **state)
{
    (void)state;
    place at = open_place();
    int64_t n_results = run_shard(&at, 1, 2).n_results;
    assert_int_equal(run_shard(&at, 1, 2).n_results, 0);
    n_results += run_shard(&at, 1, 3).n_results;
    n_results += run_shard(&at, 1, 1).n_results;
    assert_int_equal(n_results, N_RESULTS);
    assert_int_equal(expect_right(&at), 0);
    close_place(&at);
}

static void a_shard_makes_no_table_and_needs_a_folder(void **state)
{
    (void)state;
    place at = open_place();
    opn_evaluation *found = NULL;
    opn_shard_summary done;
    opn_params *params = shard_params(ctx, settings, 1, 2);
    assert_int_equal(opn_evaluate(ctx, at.graph, params, at.s->path, &found),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "`shard` 1/2: a part of the runs makes no table");
    assert_int_equal(opn_evaluate_shard(ctx, at.graph, params, NULL, &done),
                     OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "`shard` needs a folder");
    assert_int_equal(support_count_entries(at.s->folder), 0);
    opn_params_free(params);
    close_place(&at);
}

// ---- processes -----------------------------------------------------------------------

static pid_t start_shard(const place *at, const char *with, int part, int n_parts)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        opn_ctx *own = support_ctx(NULL);
        opn_shard_summary done;
        _exit(try_shard(own, at, with, part, n_parts, &done) == OPN_OK ? 0 : 1);
    }
    return child;
}

static void wait_for(pid_t child)
{
    int code = -1;
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_int_equal(code, 0);
}

static void shards_run_side_by_side(void **state)
{
    (void)state;
    place at = open_place();
    pid_t child[4];
    for (int c = 0; c < 4; c++)
        child[c] = start_shard(&at, settings, c + 1, 4);
    for (int c = 0; c < 4; c++)
        wait_for(child[c]);
    assert_int_equal(expect_right(&at), 0);
    close_place(&at);
}

// The same shard twice, another division of the same runs, and all of them undivided.
static void processes_whose_runs_overlap_do_not_disturb_each_other(void **state)
{
    (void)state;
    place at = open_place();
    pid_t child[5] = {start_shard(&at, settings, 1, 2), start_shard(&at, settings, 1, 2),
                      start_shard(&at, settings, 1, 1), start_shard(&at, settings, 2, 3),
                      start_shard(&at, settings, 2, 2)};
    (void)expect_right(&at);
    for (int c = 0; c < 5; c++)
        wait_for(child[c]);
    assert_int_equal(expect_right(&at), 0);
    close_place(&at);
}

static void a_killed_shard_goes_on_where_it_stopped(void **state)
{
    (void)state;
    place at = open_place();
    char own[SUPPORT_PATH];
    support_path(own, at.shards, "1-of-1.jsonl");
    const pid_t child = start_shard(&at, settings, 1, 1);
    while (access(own, F_OK) != 0 && kill(child, 0) == 0)
        (void)sched_yield();
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_true(run_shard(&at, 1, 1).n_results < N_RESULTS);
    assert_int_equal(expect_right(&at), 0);
    close_place(&at);
}

// ---- searches ------------------------------------------------------------------------

static const char search[] = "model=gcn trials=6 seeds=3 epochs=8 hidden=4";
enum { N_FIRST = 6, N_FINALISTS = 5 }; // or 6, if the default is not among the best

static opn_shard_summary
tune_shard(const stage *s, const opn_graph *graph, int part, int n_parts)
{
    opn_shard_summary done;
    opn_params *params = shard_params(ctx, search, part, n_parts);
    if (opn_tune_shard(ctx, graph, params, s->path, &done) != OPN_OK)
        fail_msg("%s", opn_ctx_error(ctx));
    opn_params_free(params);
    return done;
}

static opn_tuning *tune(const opn_graph *graph, const char *folder)
{
    opn_tuning *found = NULL;
    opn_params *params = trial_params(ctx, search);
    if (opn_tune(ctx, graph, params, "my data", folder, &found) != OPN_OK)
        fail_msg("%s", opn_ctx_error(ctx));
    opn_params_free(params);
    return found;
}

static void expect_same_search(const opn_tuning *a, const opn_tuning *b)
{
    assert_int_equal(opn_tuning_recommended(a), opn_tuning_recommended(b));
    for (int32_t t = 0; t < opn_tuning_n_trials(a); t++) {
        assert_int_equal(opn_tuning_ranked(a, t), opn_tuning_ranked(b, t));
        for (int32_t s = 0; s < opn_tuning_n_seeds(a); s++) {
            const opn_trial_run *x = &opn_tuning_runs(a, t)[s];
            const opn_trial_run *y = &opn_tuning_runs(b, t)[s];
            assert_true(x->objective == y->objective ||
                        (isnan(x->objective) && isnan(y->objective)));
        }
    }
}

// The last shard finds the first round complete and does its part of the second; the
// others do theirs when they are started again.
static void a_search_in_shards_comes_to_what_one_search_comes_to(void **state)
{
    (void)state;
    stage *s = support_open_stage("run");
    opn_graph *graph = tuning_graph(ctx);
    int64_t n_results = 0;
    for (int part = 1; part <= 3; part++) {
        const opn_shard_summary done = tune_shard(s, graph, part, 3);
        assert_int_equal(done.has_more, part < 3);
        n_results += done.n_results;
    }
    for (int part = 1; part <= 3; part++) {
        const opn_shard_summary done = tune_shard(s, graph, part, 3);
        assert_false(done.has_more);
        n_results += done.n_results;
    }
    assert_in_range(n_results, N_FIRST + 2 * N_FINALISTS, 3 * N_FIRST);
    assert_int_equal(tune_shard(s, graph, 1, 1).n_results, 0);
    opn_tuning *kept = tune(graph, s->path);
    opn_tuning *fresh = tune(graph, NULL);
    expect_same_search(kept, fresh);
    opn_tuning_free(kept);
    opn_tuning_free(fresh);
    opn_graph_free(graph);
    support_close_stage(s);
}

static void a_search_that_only_some_shards_did_is_finished_by_the_undivided(void **state)
{
    (void)state;
    stage *s = support_open_stage("run");
    opn_graph *graph = tuning_graph(ctx);
    assert_true(tune_shard(s, graph, 2, 2).has_more);
    opn_tuning *kept = tune(graph, s->path);
    opn_tuning *fresh = tune(graph, NULL);
    expect_same_search(kept, fresh);
    assert_int_equal(tune_shard(s, graph, 1, 2).n_results, 0); // all is there
    opn_tuning_free(kept);
    opn_tuning_free(fresh);
    opn_graph_free(graph);
    support_close_stage(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(any_number_of_shards_comes_to_what_one_run_comes_to),
            WITH_CTX(what_no_shard_has_done_is_done_by_the_undivided_run),
            WITH_CTX(what_is_there_is_not_done_again_by_other_divisions),
            WITH_CTX(a_shard_makes_no_table_and_needs_a_folder),
            WITH_CTX(shards_run_side_by_side),
            WITH_CTX(processes_whose_runs_overlap_do_not_disturb_each_other),
            WITH_CTX(a_killed_shard_goes_on_where_it_stopped),
            WITH_CTX(a_search_in_shards_comes_to_what_one_search_comes_to),
            WITH_CTX(a_search_that_only_some_shards_did_is_finished_by_the_undivided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
