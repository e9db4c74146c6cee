// evaluate_folder_test.c -- evaluations that keep their results in a folder and
// resume from it, bit for bit, whatever has happened in between.

#include "base/context.h"
#include "experiment/run_folder.h"
#include "math/real.h"
#include "opine/opine.h"
#include "support/cell_sample.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <dirent.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static opn_ctx *ctx;

// ---- the scene -----------------------------------------------------------------------

static const char settings[] = "seeds=3 model=gcn,s-bgcn-t,drop-gcn epochs=4 samples=2 "
                               "hidden=4";
enum { N_CELLS = 9, N_TRAININGS = 6 }; // gcn and drop-gcn are trained as one

// A graph, and the path of a folder that does not exist yet.
typedef struct place {
    stage *s;
    opn_graph *graph;
    char cells[SUPPORT_PATH], models[SUPPORT_PATH], manifest[SUPPORT_PATH];
} place;

static place open_place(void)
{
    place at = {.s = support_open_stage("run")};
    at.graph = trial_draw_split(ctx, "nodes=60 classes=3 features=12 homophily=0.4", 5);
    support_path(at.cells, at.s->path, "cells.jsonl");
    support_path(at.models, at.s->path, "models");
    support_path(at.manifest, at.s->path, "manifest.json");
    return at;
}

static void close_place(place *at)
{
    opn_graph_free(at->graph);
    support_close_stage(at->s);
}

static opn_status try_evaluate(opn_ctx *on,
                               const place *at,
                               const char *with,
                               const char *folder,
                               opn_evaluation **out)
{
    opn_params *params = trial_params(on, with);
    const opn_status status = opn_evaluate(on, at->graph, params, folder, out);
    opn_params_free(params);
    return status;
}

// With the folder, or with none.
static opn_evaluation *evaluate(const place *at, const char *with, const char *folder)
{
    opn_evaluation *found = NULL;
    if (try_evaluate(ctx, at, with, folder, &found) != OPN_OK)
        fail_msg("%s: %s", with, opn_ctx_error(ctx));
    return found;
}

// Runs that were trained to their end, and all epochs of any.
typedef struct count {
    int n_trainings, n_epochs;
} count;

static void count_epochs(void *user, const opn_progress *progress)
{
    count *c = user;
    const bool is_student = strcmp(progress->stage, "model") == 0;
    c->n_trainings += is_student && progress->done == progress->total;
    c->n_epochs += is_student || strcmp(progress->stage, "teacher") == 0;
}

static opn_evaluation *evaluate_counting(const place *at, const char *with, count *c)
{
    const opn_hooks hooks = {
            .size = sizeof(opn_hooks), .progress = count_epochs, .user = c};
    *c = (count){0};
    assert_int_equal(opn_ctx_set_hooks(ctx, &hooks), OPN_OK);
    opn_evaluation *found = evaluate(at, with, at->s->path);
    assert_int_equal(opn_ctx_set_hooks(ctx, NULL), OPN_OK);
    return found;
}

static void expect_same_number(double a, double b)
{
    assert_true(a == b || (isnan(a) && isnan(b)));
}

static void expect_same_seconds(const opn_seconds *a, const opn_seconds *b)
{
    expect_same_number(a->teacher, b->teacher);
    expect_same_number(a->prior, b->prior);
    expect_same_number(a->train, b->train);
    expect_same_number(a->infer, b->infer);
}

// Asserts what the folder and the settings give, and that it is what no folder gives.
static void expect_right(const place *at, const char *with)
{
    opn_evaluation *kept = evaluate(at, with, at->s->path);
    opn_evaluation *fresh = evaluate(at, with, NULL);
    cell_expect_same_evaluations(kept, fresh);
    opn_evaluation_free(kept);
    opn_evaluation_free(fresh);
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

static int count_models(const place *at, const char *ending)
{
    int n = 0;
    DIR *entries = opendir(at->models);
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        const size_t n_name = strlen(entry->d_name);
        n += n_name > strlen(ending) &&
             strcmp(entry->d_name + n_name - strlen(ending), ending) == 0;
    }
    closedir(entries);
    return n;
}

// The file of a model holds floats: a double build scores a kept model slightly
// differently from the one it was made from.
static void skip_double_build(void)
{
    if (sizeof(opn_real) != sizeof(float))
        skip();
}

// ---- going on ------------------------------------------------------------------------

static void a_second_call_trains_nothing_and_gives_the_same_bits(void **state)
{
    (void)state;
    place at = open_place();
    count c;
    opn_evaluation *first = evaluate_counting(&at, settings, &c);
    assert_int_equal(c.n_trainings, N_TRAININGS);
    assert_int_equal(count_lines(at.cells), N_CELLS);
    assert_int_equal(count_models(&at, ".safetensors"), N_TRAININGS);
    support_remove_folder(at.models); // so that it cannot even predict
    opn_evaluation *second = evaluate_counting(&at, settings, &c);
    assert_int_equal(c.n_epochs, 0);
    assert_int_equal(count_lines(at.cells), N_CELLS);
    cell_expect_same_evaluations(first, second);
    for (int32_t m = 0; m < 3; m++)
        for (int32_t s = 0; s < 3; s++)
            expect_same_seconds(&opn_i_evaluation_cells(first, m)[s].seconds,
                                &opn_i_evaluation_cells(second, m)[s].seconds);
    opn_evaluation_free(first);
    opn_evaluation_free(second);
    expect_right(&at, settings);
    close_place(&at);
}

static void a_kept_model_is_scored_again_without_training(void **state)
{
    (void)state;
    skip_double_build();
    place at = open_place();
    count c;
    opn_evaluation *first = evaluate_counting(&at, settings, &c);
    assert_int_equal(unlink(at.cells), 0);
    opn_evaluation *second = evaluate_counting(&at, settings, &c);
    assert_int_equal(c.n_epochs, 0);
    cell_expect_same_evaluations(first, second);
    assert_true(isnan(opn_i_evaluation_cells(second, 1)->seconds.train));
    assert_true(opn_i_evaluation_cells(second, 1)->seconds.infer >= 0.0);
    opn_evaluation_free(first);
    opn_evaluation_free(second);
    close_place(&at);
}

static void more_seeds_and_models_later_take_what_is_there(void **state)
{
    (void)state;
    skip_double_build();
    place at = open_place();
    count c;
    opn_evaluation *found = evaluate_counting(&at, "seeds=2 model=gcn epochs=4", &c);
    assert_int_equal(c.n_trainings, 2);
    opn_evaluation_free(found);
    found = evaluate_counting(&at, "seeds=5 model=gcn epochs=4", &c);
    assert_int_equal(c.n_trainings, 3);
    opn_evaluation_free(found);
    found = evaluate_counting(&at, "seeds=4 model=drop-gcn,gcn epochs=4", &c);
    assert_int_equal(c.n_trainings, 0); // which learns as gcn does
    opn_evaluation_free(found);
    found = evaluate_counting(&at, "seeds=2 seed=3 model=gcn epochs=4", &c);
    assert_int_equal(c.n_trainings, 0); // seeds 3 and 4
    opn_evaluation_free(found);
    expect_right(&at, "seeds=4 model=drop-gcn,gcn epochs=4");
    expect_right(&at, "seeds=5 model=gcn,s-gcn epochs=4");
    close_place(&at);
}

// Whichever of two settings comes first, the other gets its own result.
static void other_parameters_do_not_mix(void **state)
{
    (void)state;
    skip_double_build();
    static const char base[] = "seeds=1 model=s-bgcn-t-k epochs=4 hidden=4 ";
    static const char *const pairs[][2] = {
            {"samples=2", "samples=3"},
            {"samples=2", ""},
            {"samples=2 average=logits", "samples=2"},
            {"samples=2 propagate=2", "samples=2"},
            {"samples=2 propagate=2", "samples=2 propagate=3"},
            {"samples=2 dropout=0.3", "samples=2"},
            {"samples=2 evidence=softplus", "samples=2"},
            {"samples=2 lambda1=0.5", "samples=2"},
            {"samples=2 protocol=reference", "samples=2"},
            {"samples=2 normalise=none", "samples=2"},
            {"samples=2 sigma=2", "samples=2"},
            {"samples=2 kernel_constant=on", "samples=2"},
            {"samples=2 ood_classes=1 lambda1=0.1", "samples=2 lambda1=0.1"},
            {"samples=2 ood_classes=1 lambda1=0.1 task=ood",
             "samples=2 ood_classes=1 lambda1=0.1"},
            {"samples=2 preset=strong task=ood ood_classes=1",
             "samples=2 task=ood ood_classes=1"}};
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

static void other_data_do_not_mix(void **state)
{
    (void)state;
    place at = open_place();
    expect_right(&at, "seeds=1 model=gcn epochs=3");
    opn_graph_free(at.graph);
    at.graph = trial_draw_split(ctx,
                                "nodes=60 classes=3 features=12 homophily=0.4 seed=1", 5);
    expect_right(&at, "seeds=1 model=gcn epochs=3");
    assert_int_equal(count_lines(at.cells), 2);
    close_place(&at);
}

// ---- interruption and crashes --------------------------------------------------------

static void an_interruption_at_any_moment_loses_nothing_and_changes_no_bit(void **state)
{
    (void)state;
    skip_double_build();
    static const char with[] = "seeds=2 model=gcn,s-bgcn-t-k epochs=3 samples=2 hidden=3 "
                               "propagate=2";
    place at = open_place();
    opn_evaluation *whole = evaluate(&at, with, NULL);
    opn_status status = OPN_ERR_INTERRUPTED;
    int n_rounds = 0;
    for (long k = 1; status == OPN_ERR_INTERRUPTED; k += 3, n_rounds++) {
        listener heard = {.interrupt_at = k};
        opn_evaluation *found = NULL;
        support_listen(ctx, &heard);
        status = try_evaluate(ctx, &at, with, at.s->path, &found);
        assert_int_equal(opn_ctx_set_hooks(ctx, NULL), OPN_OK);
        assert_true((found != NULL) == (status == OPN_OK));
        if (status == OPN_ERR_INTERRUPTED)
            support_expect_error(ctx, at.s->path);
        opn_evaluation_free(found);
        found = evaluate(&at, with, at.s->path);
        cell_expect_same_evaluations(found, whole);
        opn_evaluation_free(found);
        assert_int_equal(count_models(&at, ".checkpoint"), 0);
        assert_int_equal(count_lines(at.cells), 4);
        support_remove_folder(at.s->path);
    }
    assert_int_equal(status, OPN_OK);
    assert_true(n_rounds > 10);
    opn_evaluation_free(whole);
    close_place(&at);
}

static void what_was_done_before_an_interruption_is_not_done_again(void **state)
{
    (void)state;
    place at = open_place();
    count c;
    listener heard = {.interrupt_at = 30};
    opn_evaluation *found = NULL;
    support_listen(ctx, &heard);
    assert_int_equal(try_evaluate(ctx, &at, settings, at.s->path, &found),
                     OPN_ERR_INTERRUPTED);
    assert_int_equal(opn_ctx_set_hooks(ctx, NULL), OPN_OK);
    const int n_kept = count_lines(at.cells);
    assert_in_range(n_kept, 1, N_CELLS - 1);
    found = evaluate_counting(&at, settings, &c);
    assert_true(c.n_trainings < N_TRAININGS);
    assert_int_equal(count_lines(at.cells), N_CELLS);
    opn_evaluation_free(found);
    close_place(&at);
}

static int stop_after_a_cell(void *user)
{
    struct stat about;
    return stat(user, &about) == 0 && about.st_size > 0;
}

static void an_interruption_of_several_threads_goes_on_on_one(void **state)
{
    (void)state;
    skip_double_build();
    place at = open_place();
    opn_graph *metered = at.graph;
    opn_ctx *own = support_ctx(NULL); // the meter counts for one thread only
    const opn_hooks hooks = {.size = sizeof(opn_hooks),
                             .interrupted = stop_after_a_cell,
                             .user = at.cells};
    opn_evaluation *found = NULL;
    at.graph = trial_draw_split(own, "nodes=60 classes=3 features=12 homophily=0.4", 5);
    own->n_threads = 3;
    assert_int_equal(opn_ctx_set_hooks(own, &hooks), OPN_OK);
    const opn_status status =
            try_evaluate(own, &at, "seeds=50 model=gcn,s-bgcn-t-k epochs=20 samples=2",
                         at.s->path, &found);
    assert_true(status == OPN_ERR_INTERRUPTED || status == OPN_OK);
    opn_evaluation_free(found);
    opn_graph_free(at.graph);
    opn_ctx_free(own);
    at.graph = metered;
    expect_right(&at, "seeds=6 model=gcn,s-bgcn-t-k epochs=20 samples=2");
    close_place(&at);
}

static void a_torn_last_line_is_done_again(void **state)
{
    (void)state;
    skip_double_build();
    place at = open_place();
    size_t n = 0;
    opn_evaluation *first = evaluate(&at, settings, at.s->path);
    char *text = support_read_file(at.cells, &n);
    support_write_file(at.cells, text, n - 7);
    opn_evaluation *second = evaluate(&at, settings, at.s->path);
    cell_expect_same_evaluations(first, second);
    assert_int_equal(count_lines(at.cells), N_CELLS);
    expect_right(&at, settings); // from what the second has left
    free(text);
    opn_evaluation_free(first);
    opn_evaluation_free(second);
    close_place(&at);
}

// ---- the manifest --------------------------------------------------------------------

static json_t *read_manifest(const place *at)
{
    json_error_t error;
    json_t *manifest = json_load_file(at->manifest, JSON_REJECT_DUPLICATES, &error);
    assert_true(json_is_array(manifest));
    return manifest;
}

static void the_manifest_has_one_entry_for_each_evaluation(void **state)
{
    (void)state;
    static const struct {
        const char *with;
        size_t n_entries;
    } runs[] = {{"seeds=1 model=gcn epochs=2", 1},
                {"seeds=1 model=gcn epochs=2", 1},
                {"seeds=2 model=gcn epochs=2", 1}, // more of the same
                {"seeds=2 model=gcn epochs=3", 2},
                {"seeds=2 model=gcn epochs=3 task=ood ood_classes=1", 3},
                {"seeds=1 model=gcn epochs=3 protocol=full", 4},
                {"seeds=2 model=gcn epochs=2", 4}};
    place at = open_place();
    for (size_t r = 0; r < sizeof(runs) / sizeof(runs[0]); r++) {
        opn_evaluation_free(evaluate(&at, runs[r].with, at.s->path));
        json_t *manifest = read_manifest(&at);
        assert_int_equal(json_array_size(manifest), runs[r].n_entries);
        json_decref(manifest);
    }
    json_t *manifest = read_manifest(&at);
    const json_t *entry = json_array_get(manifest, 0);
    const json_t *id = json_object_get(entry, "id");
    const json_t *seeds = json_object_get(entry, "seeds");
    assert_string_equal(json_string_value(json_object_get(id, "version")), opn_version());
    assert_string_equal(json_string_value(json_object_get(id, "task")),
                        "both"); // the default for own data
    assert_int_equal(strlen(json_string_value(json_object_get(id, "data_hash"))), 64);
    assert_true(json_number_value(json_object_get(json_object_get(id, "parameters"),
                                                  "epochs")) == 2.0);
    assert_int_equal(json_array_size(seeds), 2);
    assert_int_equal(
            json_integer_value(json_object_get(json_array_get(seeds, 1), "seed")), 1);
    json_decref(manifest);
    close_place(&at);
}

// ---- what is refused -----------------------------------------------------------------

static void expect_refused(const place *at, opn_status want, const char *part)
{
    opn_evaluation *found = NULL;
    assert_int_equal(try_evaluate(ctx, at, settings, at->s->path, &found), want);
    assert_null(found);
    support_expect_error(ctx, part);
}

static void folders_that_will_not_do_are_refused(void **state)
{
    (void)state;
    place at = open_place();
    support_write_text(at.s->path, "a file");
    expect_refused(&at, OPN_ERR_WRITE, "run: is not a folder");
    assert_int_equal(unlink(at.s->path), 0);
    opn_evaluation_free(evaluate(&at, settings, at.s->path));
    char *text = support_read_file(at.cells, NULL);
    text[0] = '?';
    support_write_text(at.cells, text);
    expect_refused(&at, OPN_ERR_FORMAT,
                   "cells.jsonl:1: is not a result of an "
                   "evaluation");
    text[0] = '{';
    support_write_text(at.cells, text);
    free(text);
    support_write_text(at.manifest, "{}");
    expect_refused(&at, OPN_ERR_FORMAT, "manifest.json: is not a manifest");
    close_place(&at);
}

static void a_damaged_model_is_refused_by_name(void **state)
{
    (void)state;
    place at = open_place();
    char path[SUPPORT_PATH];
    opn_evaluation_free(evaluate(&at, "seeds=1 model=gcn epochs=2", at.s->path));
    assert_int_equal(unlink(at.cells), 0);
    DIR *entries = opendir(at.models);
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
        if (entry->d_name[0] != '.')
            support_write_text(support_path(path, at.models, entry->d_name), "damaged");
    closedir(entries);
    opn_evaluation *found = NULL;
    assert_int_equal(
            try_evaluate(ctx, &at, "seeds=1 model=gcn epochs=2", at.s->path, &found),
            OPN_ERR_FORMAT);
    support_expect_error(ctx, path);
    close_place(&at);
}

static void a_folder_in_use_by_another_process_is_refused(void **state)
{
    (void)state;
    place at = open_place();
    int ready[2];
    int over[2];
    char byte = 0;
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(over), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        opn_i_run_folder *folder = NULL;
        (void)close(over[1]);
        byte = opn_i_run_folder_open(ctx, at.s->path, NULL, &folder) == OPN_OK;
        (void)!write(ready[1], &byte, 1);
        (void)!read(over[0], &byte, 1);
        _exit(0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(byte, 1);
    expect_refused(&at, OPN_ERR_WRITE, "another run is writing to it");
    assert_int_equal(close(over[1]), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    expect_right(&at, settings);
    (void)close(over[0]);
    (void)close(ready[0]);
    (void)close(ready[1]);
    close_place(&at);
}

static void every_allocation_failure_leaves_a_folder_to_go_on_from(void **state)
{
    (void)state;
    skip_double_build();
    static const char with[] = "seeds=1 model=s-bgcn-t-k,gcn epochs=1 hidden=2 samples=1 "
                               "propagate=1";
    place at = open_place();
    opn_graph_free(at.graph);
    at.graph = trial_draw_split(ctx, "nodes=15 classes=2 features=5", 5);
    opn_params *params = trial_params(ctx, with);
    opn_evaluation *whole = evaluate(&at, with, NULL);
    opn_status status = OPN_ERR_NOMEM;
    for (long fail_at = 1; status != OPN_OK; fail_at++) {
        meter m = {0};
        opn_ctx *own = support_ctx(&m);
        opn_evaluation *found = NULL;
        m.n_requests = 0;
        m.fail_at = fail_at;
        status = opn_evaluate(own, at.graph, params, at.s->path, &found);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
        assert_true((found != NULL) == (status == OPN_OK));
        if (status != OPN_OK)
            support_expect_error(own, "memory");
        opn_evaluation_free(found);
        support_ctx_free(own, &m);
        found = evaluate(&at, with, at.s->path);
        cell_expect_same_evaluations(found, whole);
        opn_evaluation_free(found);
        support_remove_folder(at.s->path);
    }
    opn_evaluation_free(whole);
    opn_params_free(params);
    close_place(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(a_second_call_trains_nothing_and_gives_the_same_bits),
            WITH_CTX(a_kept_model_is_scored_again_without_training),
            WITH_CTX(more_seeds_and_models_later_take_what_is_there),
            WITH_CTX(other_parameters_do_not_mix),
            WITH_CTX(other_data_do_not_mix),
            WITH_CTX(an_interruption_at_any_moment_loses_nothing_and_changes_no_bit),
            WITH_CTX(what_was_done_before_an_interruption_is_not_done_again),
            WITH_CTX(an_interruption_of_several_threads_goes_on_on_one),
            WITH_CTX(a_torn_last_line_is_done_again),
            WITH_CTX(the_manifest_has_one_entry_for_each_evaluation),
            WITH_CTX(folders_that_will_not_do_are_refused),
            WITH_CTX(a_damaged_model_is_refused_by_name),
            WITH_CTX(a_folder_in_use_by_another_process_is_refused),
            WITH_CTX(every_allocation_failure_leaves_a_folder_to_go_on_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
