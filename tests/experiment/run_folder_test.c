// run_folder_test.c -- results kept in a folder: what a crash, another run, a full disk
// or a careless hand can do to it.

#include "base/context.h"
#include "experiment/cell_json.h"
#include "experiment/run_folder.h"
#include "support/cell_sample.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// Nothing here has to survive a crash, so nothing is really synced.
int fdatasync(int fildes)
{
    (void)fildes;
    return 0;
}

// ---- folders -------------------------------------------------------------------------

// The path of a folder that does not exist yet, its cells.jsonl and its manifest.
typedef struct place {
    stage *s;
    opn_ctx *ctx;
    char cells[SUPPORT_PATH], manifest[SUPPORT_PATH];
} place;

static place open_place(void)
{
    place at = {.s = support_open_stage("run")};
    at.ctx = at.s->ctx;
    support_path(at.cells, at.s->path, "cells.jsonl");
    support_path(at.manifest, at.s->path, "manifest.json");
    return at;
}

static opn_i_run_folder *open_folder(const place *at)
{
    opn_i_run_folder *folder = NULL;
    if (opn_i_run_folder_open(at->ctx, at->s->path, NULL, &folder) != OPN_OK)
        fail_msg("%s", opn_ctx_error(at->ctx));
    return folder;
}

static void expect_refused(const place *at, opn_status want, const char *part)
{
    opn_i_run_folder *folder = NULL;
    assert_int_equal(opn_i_run_folder_open(at->ctx, at->s->path, NULL, &folder), want);
    assert_null(folder);
    support_expect_error(at->ctx, part);
}

static void
add(const place *at, opn_i_run_folder *folder, const char *key, const opn_cell *cell)
{
    assert_int_equal(opn_i_run_folder_add(at->ctx, folder, key, json_object(), cell),
                     OPN_OK);
}

// A folder with the cells "0", "1" … of the numbers drawn from that seed.
static void fill(const place *at, int n, uint64_t random)
{
    opn_i_run_folder *folder = open_folder(at);
    for (int c = 0; c < n; c++) {
        char key[12];
        const opn_cell cell = cell_draw(&random);
        snprintf(key, sizeof(key), "%d", c);
        add(at, folder, key, &cell);
    }
    opn_i_run_folder_close(folder);
}

// Asserts that these and no more are there, to the bit.
static void expect_filled(const place *at, int n, uint64_t random)
{
    opn_i_run_folder *folder = open_folder(at);
    for (int c = 0; c <= n; c++) {
        char key[12];
        opn_cell got;
        const opn_cell want = cell_draw(&random);
        snprintf(key, sizeof(key), "%d", c);
        assert_int_equal(opn_i_run_folder_find(folder, key, &got), c < n);
        assert_true(c == n || cell_is_same(&got, &want));
    }
    opn_i_run_folder_close(folder);
}

// ---- what is kept --------------------------------------------------------------------

static void what_is_kept_is_found_again_to_the_bit(void **state)
{
    (void)state;
    place at = open_place();
    fill(&at, 30, 1);
    expect_filled(&at, 30, 1);
    expect_filled(&at, 30, 1); // looking changes nothing
    support_close_stage(at.s);
}

static void what_is_added_is_found_at_once(void **state)
{
    (void)state;
    place at = open_place();
    uint64_t random = 2;
    const opn_cell cell = cell_draw(&random);
    opn_cell got;
    opn_i_run_folder *folder = open_folder(&at);
    assert_false(opn_i_run_folder_find(folder, "a", &got));
    add(&at, folder, "a", &cell);
    assert_true(opn_i_run_folder_find(folder, "a", &got));
    assert_true(cell_is_same(&got, &cell));
    assert_false(opn_i_run_folder_find(folder, "b", &got));
    opn_i_run_folder_close(folder);
    support_close_stage(at.s);
}

static void a_line_tells_what_its_cell_is_about(void **state)
{
    (void)state;
    place at = open_place();
    uint64_t random = 3;
    json_error_t error;
    const opn_cell cell = cell_draw(&random);
    opn_i_run_folder *folder = open_folder(&at);
    assert_int_equal(opn_i_run_folder_add(at.ctx, folder, "k",
                                          json_pack("{s:s}", "model", "s-gcn"), &cell),
                     OPN_OK);
    opn_i_run_folder_close(folder);
    char *text = support_read_file(at.cells, NULL);
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    json_t *line = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    assert_string_equal(json_string_value(json_object_get(line, "key")), "k");
    assert_string_equal(json_string_value(json_object_get(line, "model")), "s-gcn");
    json_decref(line);
    free(text);
    support_close_stage(at.s);
}

static void models_have_a_folder_of_their_own(void **state)
{
    (void)state;
    place at = open_place();
    char want[SUPPORT_PATH];
    char *path = NULL;
    opn_i_run_folder *folder = open_folder(&at);
    assert_int_equal(opn_i_run_folder_model(at.ctx, at.s->path, "x", &path), OPN_OK);
    assert_string_equal(path, support_path(want, at.s->path, "models/x.safetensors"));
    support_write_text(path, "the folder is there");
    opn_i_release(&at.ctx->alloc, path);
    opn_i_run_folder_close(folder);
    support_close_stage(at.s);
}

enum { N_THREADS = 4, N_EACH = 25 };

typedef struct adder {
    opn_i_run_folder *folder;
    int number, n_failed;
} adder;

static void *add_many(void *user)
{
    adder *a = user;
    uint64_t random = (uint64_t)a->number;
    opn_ctx *own = support_ctx(NULL);
    for (int c = 0; c < N_EACH; c++) {
        char key[24];
        opn_cell got;
        const opn_cell cell = cell_draw(&random);
        snprintf(key, sizeof(key), "%d.%d", a->number, c);
        a->n_failed +=
                opn_i_run_folder_add(own, a->folder, key, json_object(), &cell) != OPN_OK;
        a->n_failed += !opn_i_run_folder_find(a->folder, key, &got);
    }
    opn_ctx_free(own);
    return NULL;
}

// On a context without a meter, which counts for one thread only.
static void threads_add_whole_lines_side_by_side(void **state)
{
    (void)state;
    place at = open_place();
    at.ctx = support_ctx(NULL);
    pthread_t thread[N_THREADS];
    adder adders[N_THREADS];
    opn_i_run_folder *folder = open_folder(&at);
    for (int t = 0; t < N_THREADS; t++) {
        adders[t] = (adder){.folder = folder, .number = t};
        assert_int_equal(pthread_create(&thread[t], NULL, add_many, &adders[t]), 0);
    }
    for (int t = 0; t < N_THREADS; t++) {
        assert_int_equal(pthread_join(thread[t], NULL), 0);
        assert_int_equal(adders[t].n_failed, 0);
    }
    opn_i_run_folder_close(folder);
    folder = open_folder(&at);
    for (int t = 0; t < N_THREADS; t++) {
        uint64_t random = (uint64_t)t;
        for (int c = 0; c < N_EACH; c++) {
            char key[24];
            opn_cell got;
            const opn_cell want = cell_draw(&random);
            snprintf(key, sizeof(key), "%d.%d", t, c);
            assert_true(opn_i_run_folder_find(folder, key, &got));
            assert_true(cell_is_same(&got, &want));
        }
    }
    opn_i_run_folder_close(folder);
    opn_ctx_free(at.ctx);
    support_close_stage(at.s);
}

// ---- what a crash leaves -------------------------------------------------------------

static void a_last_line_torn_anywhere_is_taken_away_and_done_anew(void **state)
{
    (void)state;
    place at = open_place();
    size_t n_two = 0;
    size_t n_three = 0;
    fill(&at, 2, 4);
    free(support_read_file(at.cells, &n_two));
    fill(&at, 3, 4); // which repeats the first two
    char *whole = support_read_file(at.cells, &n_three);
    memmove(whole + n_two, whole + 2 * n_two, n_three - 2 * n_two);
    n_three -= n_two;
    for (size_t cut = n_two; cut < n_three; cut += cut + 3 < n_three ? 3 : 1) {
        support_write_file(at.cells, whole, cut);
        expect_filled(&at, 2, 4);
        support_expect_file(at.cells, whole, n_two);
    }
    uint64_t random = 4;
    (void)cell_draw(&random);
    (void)cell_draw(&random);
    const opn_cell third = cell_draw(&random);
    opn_i_run_folder *folder = open_folder(&at);
    add(&at, folder, "2", &third);
    opn_i_run_folder_close(folder);
    support_expect_file(at.cells, whole, n_three);
    free(whole);
    support_close_stage(at.s);
}

static void of_a_key_twice_the_last_counts(void **state)
{
    (void)state;
    place at = open_place();
    uint64_t random = 5;
    opn_cell got;
    const opn_cell first = cell_draw(&random);
    const opn_cell second = cell_draw(&random);
    opn_i_run_folder *folder = open_folder(&at);
    add(&at, folder, "k", &first);
    add(&at, folder, "k", &second);
    opn_i_run_folder_close(folder);
    folder = open_folder(&at);
    assert_true(opn_i_run_folder_find(folder, "k", &got));
    assert_true(cell_is_same(&got, &second));
    opn_i_run_folder_close(folder);
    support_close_stage(at.s);
}

// ---- what is refused -----------------------------------------------------------------

// Puts `line` between two good ones.
static void write_between(const place *at, const char *line)
{
    size_t n = 0;
    char *good = support_read_file(at->cells, &n);
    char *first_end = strchr(good, '\n') + 1;
    char *text = malloc(n + strlen(line) + 2);
    assert_non_null(text);
    const int n_text =
            sprintf(text, "%.*s%s\n%s", (int)(first_end - good), good, line, first_end);
    support_write_file(at->cells, text, (size_t)n_text);
    free(text);
    free(good);
}

static void expect_line_refused(const char *line)
{
    place at = open_place();
    char where[SUPPORT_PATH + 8];
    size_t n = 0;
    fill(&at, 2, 6);
    write_between(&at, line);
    char *before = support_read_file(at.cells, &n);
    snprintf(where, sizeof(where), "%s:2: ", at.cells);
    expect_refused(&at, OPN_ERR_FORMAT, where);
    support_expect_file(at.cells, before, n); // for the user to look at
    free(before);
    support_close_stage(at.s);
}

static void a_broken_line_in_the_middle_is_refused_by_name_and_number(void **state)
{
    (void)state;
    static const char *const lines[] = {"",   "{",    "not JSON", "[]",
                                        "{}", "null", "\"key\"",  "{\"key\":\"k\"}"};
    for (size_t l = 0; l < sizeof(lines) / sizeof(lines[0]); l++)
        expect_line_refused(lines[l]);
}

// Without that member, or with a text or a list in its place.
static void expect_member_needed(json_t *whole, const char *member)
{
    for (int kind = 0; kind < 3; kind++) {
        json_t *damaged = json_deep_copy(whole);
        if (kind == 0)
            json_object_del(damaged, member);
        else
            json_object_set_new(damaged, member,
                                kind == 1 ? json_string("x") : json_array());
        char *line = json_dumps(damaged, JSON_COMPACT);
        if (kind != 1 || strcmp(member, "key") != 0)
            expect_line_refused(line);
        free(line);
        json_decref(damaged);
    }
}

static void a_line_without_any_of_its_figures_is_refused(void **state)
{
    (void)state;
    uint64_t random = 7;
    const opn_cell cell = cell_draw(&random);
    json_t *whole = json_pack("{s:s}", "key", "k");
    const char *member = NULL;
    json_t *value = NULL;
    int n_members = 0;
    opn_i_cell_to_json(&cell, whole);
    json_object_del(whole, "fpr95_errors"); // results of earlier versions lack these
    for (int q = OPN_QUALITY_ADAPTIVE_ECE; q < OPN_N_QUALITIES; q++)
        json_object_del(whole, opn_quality_name((opn_quality)q));
    json_object_foreach(whole, member, value)
    {
        json_t *copy = json_deep_copy(whole);
        expect_member_needed(copy, member);
        json_decref(copy);
        n_members++;
    }
    assert_int_equal(n_members, 6 + OPN_QUALITY_ADAPTIVE_ECE + OPN_N_METRICS);
    json_decref(whole);
}

static void a_result_of_an_earlier_version_lacks_later_metrics(void **state)
{
    (void)state;
    uint64_t random = 7;
    const opn_cell cell = cell_draw(&random);
    opn_cell read = {0};
    json_t *line = json_object();
    opn_i_cell_to_json(&cell, line);
    json_object_del(line, "fpr95_errors");
    assert_true(opn_i_cell_from_json(line, &read));
    for (int32_t s = 0; s < OPN_N_SCORES; s++)
        assert_true(isnan(read.metric[OPN_METRIC_FPR95_ERRORS][s]));
    json_object_set_new(line, "fpr95_errors", json_string("none"));
    assert_false(opn_i_cell_from_json(line, &read));
    json_decref(line);
}

static void a_result_of_an_earlier_version_lacks_later_qualities(void **state)
{
    (void)state;
    uint64_t random = 7;
    const opn_cell cell = cell_draw(&random);
    for (int q = OPN_QUALITY_ADAPTIVE_ECE; q < OPN_N_QUALITIES; q++) {
        const char *name = opn_quality_name((opn_quality)q);
        opn_cell read = {0};
        json_t *line = json_object();
        opn_i_cell_to_json(&cell, line);
        json_object_del(line, name);
        assert_true(opn_i_cell_from_json(line, &read));
        assert_true(isnan(read.quality[q]));
        json_object_set_new(line, name, json_string("none"));
        assert_false(opn_i_cell_from_json(line, &read));
        json_decref(line);
    }
}

static void a_score_that_is_no_number_is_refused(void **state)
{
    (void)state;
    uint64_t random = 8;
    const opn_cell cell = cell_draw(&random);
    json_t *line = json_pack("{s:s}", "key", "k");
    opn_i_cell_to_json(&cell, line);
    json_object_set_new(json_object_get(line, "auroc"), "dissonance", json_string("99"));
    char *text = json_dumps(line, JSON_COMPACT);
    expect_line_refused(text);
    free(text);
    json_decref(line);
}

static void what_is_no_folder_is_refused(void **state)
{
    (void)state;
    char path[SUPPORT_PATH];
    place at = open_place();
    support_write_text(at.s->path, "a file");
    expect_refused(&at, OPN_ERR_WRITE, "run: is not a folder");
    support_expect_file(at.s->path, "a file", 6);
    assert_int_equal(unlink(at.s->path), 0);
    assert_int_equal(mkdir(at.s->path, 0777), 0);
    support_write_text(support_path(path, at.s->path, "models"), "a file");
    expect_refused(&at, OPN_ERR_WRITE, "models: is not a folder");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(at.cells, 0777), 0);
    expect_refused(&at, OPN_ERR_WRITE, "cells.jsonl");
    assert_int_equal(rmdir(at.cells), 0);
    assert_int_equal(mkfifo(at.cells, 0666), 0);
    expect_refused(&at, OPN_ERR_READ, "cells.jsonl: is not a regular file");
    support_path(at.s->path, at.s->folder, "no/such/run");
    expect_refused(&at, OPN_ERR_WRITE, "no/such/run: cannot be created");
    support_close_stage(at.s);
}

// In a child process, which gives up the rights of root.
static void a_folder_that_may_not_be_written_is_refused(void **state)
{
    (void)state;
    place at = open_place();
    fill(&at, 1, 9);
    assert_int_equal(chmod(at.s->folder, 0755), 0);
    assert_int_equal(chmod(at.cells, 0444), 0);
    assert_int_equal(chmod(at.s->path, 0555), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        opn_i_run_folder *folder = NULL;
        if (geteuid() == 0 && setuid(65534) != 0)
            _exit(1);
        const opn_status status =
                opn_i_run_folder_open(at.ctx, at.s->path, NULL, &folder);
        _exit(status == OPN_ERR_WRITE &&
                              strstr(opn_ctx_error(at.ctx), "cells.jsonl: cannot be "
                                                            "opened: Permission") != NULL
                      ? 0
                      : 2);
    }
    int ended = -1;
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_int_equal(ended, 0);
    assert_int_equal(chmod(at.s->path, 0755), 0);
    support_close_stage(at.s);
}

static void a_folder_that_another_process_has_is_refused_until_it_ends(void **state)
{
    (void)state;
    place at = open_place();
    int ready[2];
    int over[2];
    char byte = 0;
    fill(&at, 2, 10);
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(over), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        opn_i_run_folder *folder = NULL;
        (void)close(over[1]);
        byte = opn_i_run_folder_open(at.ctx, at.s->path, NULL, &folder) == OPN_OK;
        (void)!write(ready[1], &byte, 1);
        (void)!read(over[0], &byte, 1);
        _exit(0); // without closing it, as a crash would
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(byte, 1);
    expect_refused(&at, OPN_ERR_WRITE, "cells.jsonl: another run is writing to it");
    assert_int_equal(close(over[1]), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    expect_filled(&at, 2, 10);
    (void)close(over[0]);
    (void)close(ready[0]);
    (void)close(ready[1]);
    support_close_stage(at.s);
}

static void a_folder_is_not_opened_twice_in_one_process(void **state)
{
    (void)state;
    place at = open_place();
    opn_i_run_folder *folder = open_folder(&at);
    expect_refused(&at, OPN_ERR_WRITE, "cells.jsonl: another run is writing to it");
    opn_i_run_folder_close(folder);
    expect_filled(&at, 0, 16);
    support_close_stage(at.s);
}

// ---- the manifest --------------------------------------------------------------------

static json_t *read_manifest(const place *at)
{
    json_error_t error;
    json_t *manifest = json_load_file(at->manifest, JSON_REJECT_DUPLICATES, &error);
    assert_true(json_is_array(manifest));
    return manifest;
}

static void note(const place *at, opn_i_run_folder *folder, const char *id, int seeds)
{
    json_t *entry = json_pack("{s:{s:s},s:i}", "id", "task", id, "seeds", seeds);
    assert_int_equal(opn_i_run_folder_note(at->ctx, folder, entry), OPN_OK);
}

static void the_manifest_replaces_an_entry_and_keeps_the_others(void **state)
{
    (void)state;
    place at = open_place();
    opn_i_run_folder *folder = open_folder(&at);
    note(&at, folder, "a", 1);
    note(&at, folder, "b", 2);
    note(&at, folder, "a", 3);
    opn_i_run_folder_close(folder);
    folder = open_folder(&at);
    note(&at, folder, "b", 4);
    opn_i_run_folder_close(folder);
    json_t *manifest = read_manifest(&at);
    json_t *want = json_pack("[{s:{s:s},s:i},{s:{s:s},s:i}]", "id", "task", "a", "seeds",
                             3, "id", "task", "b", "seeds", 4);
    assert_true(json_equal(manifest, want));
    json_decref(manifest);
    json_decref(want);
    support_close_stage(at.s);
}

static void a_damaged_manifest_is_refused_and_left_alone(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "[", "{}", "[] []"};
    for (int t = 0; t < 4; t++) {
        place at = open_place();
        opn_i_run_folder *folder = open_folder(&at);
        support_write_text(at.manifest, texts[t]);
        assert_int_equal(opn_i_run_folder_note(at.ctx, folder, json_object()),
                         OPN_ERR_FORMAT);
        support_expect_error(at.ctx, "manifest.json: is not a manifest; move it away");
        support_expect_file(at.manifest, texts[t], strlen(texts[t]));
        opn_i_run_folder_close(folder);
        support_close_stage(at.s);
    }
}

// ---- failures ------------------------------------------------------------------------

// A limit on the size of a file stands in for a full disk.
static void a_full_disk_takes_the_whole_line_or_nothing(void **state)
{
    (void)state;
    place at = open_place();
    struct rlimit before;
    struct stat about;
    uint64_t random = 11;
    const opn_cell cell = cell_draw(&random);
    fill(&at, 2, 12);
    assert_int_equal(stat(at.cells, &about), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    opn_i_run_folder *folder = open_folder(&at);
    for (rlim_t more = 0; more < 300; more += 60) {
        struct rlimit limit = before;
        struct stat after;
        limit.rlim_cur = (rlim_t)about.st_size + more;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        const opn_status status =
                opn_i_run_folder_add(at.ctx, folder, "2", json_object(), &cell);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(status, OPN_ERR_WRITE);
        support_expect_error(at.ctx, "cells.jsonl: cannot be written: ");
        assert_int_equal(stat(at.cells, &after), 0);
        assert_int_equal(after.st_size, about.st_size);
    }
    signal(SIGXFSZ, SIG_DFL);
    opn_i_run_folder_close(folder);
    expect_filled(&at, 2, 12);
    support_close_stage(at.s);
}

// Opens, adds, asks and notes; stops at the first failure.
static opn_status use_folder(const place *at, opn_ctx *own, const opn_cell *cell)
{
    opn_i_run_folder *folder = NULL;
    char *path = NULL;
    opn_status status = opn_i_run_folder_open(own, at->s->path, NULL, &folder);
    if (status == OPN_OK)
        status = opn_i_run_folder_add(own, folder, "new", json_object(), cell);
    if (status == OPN_OK)
        status = opn_i_run_folder_model(own, at->s->path, "m", &path);
    if (status == OPN_OK)
        status = opn_i_run_folder_note(own, folder, json_pack("{s:s}", "id", "x"));
    opn_i_release(&own->alloc, path);
    opn_i_run_folder_close(folder);
    return status;
}

static void every_allocation_failure_leaves_a_folder_to_go_on_from(void **state)
{
    (void)state;
    place at = open_place();
    uint64_t random = 13;
    const opn_cell cell = cell_draw(&random);
    opn_status status = OPN_ERR_NOMEM;
    long fail_at = 1;
    fill(&at, 9, 14);
    for (; status != OPN_OK; fail_at++) {
        meter m = {0};
        opn_ctx *own = support_ctx(&m);
        m.n_requests = 0;
        m.fail_at = fail_at;
        status = use_folder(&at, own, &cell);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
        if (status != OPN_OK)
            support_expect_error(own, "memory");
        support_ctx_free(own, &m);
        expect_filled(&at, 9, 14);
    }
    assert_true(fail_at > 10);
    support_close_stage(at.s);
}

// The same for the library that makes the lines.
static long n_until_refusal;

static void *refuse_once(size_t n_bytes)
{
    return --n_until_refusal == 0 ? NULL : malloc(n_bytes);
}

static void no_memory_for_json_writes_no_line_that_lacks_something(void **state)
{
    (void)state;
    uint64_t random = 15;
    const opn_cell cell = cell_draw(&random);
    bool was_refused = true;
    for (long fail_at = 1; was_refused; fail_at++) {
        place at = open_place();
        opn_i_run_folder *folder = open_folder(&at);
        n_until_refusal = fail_at;
        json_set_alloc_funcs(refuse_once, free);
        const opn_status status =
                opn_i_run_folder_add(at.ctx, folder, "0", json_object(), &cell);
        json_set_alloc_funcs(malloc, free);
        was_refused = n_until_refusal <= 0;
        assert_true(status == OPN_OK || (status == OPN_ERR_NOMEM && was_refused));
        opn_i_run_folder_close(folder);
        expect_filled(&at, status == OPN_OK, 15);
        support_close_stage(at.s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(what_is_kept_is_found_again_to_the_bit),
            cmocka_unit_test(what_is_added_is_found_at_once),
            cmocka_unit_test(a_line_tells_what_its_cell_is_about),
            cmocka_unit_test(models_have_a_folder_of_their_own),
            cmocka_unit_test(threads_add_whole_lines_side_by_side),
            cmocka_unit_test(a_last_line_torn_anywhere_is_taken_away_and_done_anew),
            cmocka_unit_test(of_a_key_twice_the_last_counts),
            cmocka_unit_test(a_broken_line_in_the_middle_is_refused_by_name_and_number),
            cmocka_unit_test(a_line_without_any_of_its_figures_is_refused),
            cmocka_unit_test(a_result_of_an_earlier_version_lacks_later_metrics),
            cmocka_unit_test(a_result_of_an_earlier_version_lacks_later_qualities),
            cmocka_unit_test(a_score_that_is_no_number_is_refused),
            cmocka_unit_test(what_is_no_folder_is_refused),
            cmocka_unit_test(a_folder_that_may_not_be_written_is_refused),
            cmocka_unit_test(a_folder_that_another_process_has_is_refused_until_it_ends),
            cmocka_unit_test(a_folder_is_not_opened_twice_in_one_process),
            cmocka_unit_test(the_manifest_replaces_an_entry_and_keeps_the_others),
            cmocka_unit_test(a_damaged_manifest_is_refused_and_left_alone),
            cmocka_unit_test(a_full_disk_takes_the_whole_line_or_nothing),
            cmocka_unit_test(every_allocation_failure_leaves_a_folder_to_go_on_from),
            cmocka_unit_test(no_memory_for_json_writes_no_line_that_lacks_something),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
