// shard_folder_test.c -- a folder that several processes write to: their own files, what
// a crash or a second process of the same shard does to them, and no locks.

#include "base/context.h"
#include "experiment/run_folder.h"
#include "support/cell_sample.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// Nothing here has to survive a crash, so nothing is really synced.
int fsync(int fd)
{
    (void)fd;
    return 0;
}

int fdatasync(int fildes)
{
    (void)fildes;
    return 0;
}

// A network file system without locks.
static int n_locks;

int flock(int fd, int operation)
{
    (void)fd;
    (void)operation;
    n_locks++;
    errno = ENOLCK;
    return -1;
}

// ---- folders -------------------------------------------------------------------------

// A folder that does not exist yet, and the file of its shard 1 of 2.
typedef struct place {
    stage *s;
    opn_ctx *ctx;
    char first[SUPPORT_PATH];
} place;

static place open_place(void)
{
    place at = {.s = support_open_stage("run")};
    at.ctx = at.s->ctx;
    support_path(at.first, at.s->path, "cells.d/1-of-2.jsonl");
    return at;
}

static opn_i_run_folder *open_folder(const place *at, opn_i_shard *shard)
{
    opn_i_run_folder *folder = NULL;
    if (opn_i_run_folder_open(at->ctx, at->s->path, shard, &folder) != OPN_OK)
        fail_msg("%s", opn_ctx_error(at->ctx));
    return folder;
}

// The cell of a key is drawn from the key.
static opn_cell cell_of(int key)
{
    uint64_t random = (uint64_t)key;
    return cell_draw(&random);
}

static opn_status try_add(opn_ctx *own, opn_i_run_folder *folder, int key)
{
    char text[12];
    const opn_cell cell = cell_of(key);
    snprintf(text, sizeof(text), "%d", key);
    return opn_i_run_folder_add(own, folder, text, json_object(), &cell);
}

static void add(const place *at, opn_i_run_folder *folder, int key)
{
    if (try_add(at->ctx, folder, key) != OPN_OK)
        fail_msg("%s", opn_ctx_error(at->ctx));
}

static bool has(opn_i_run_folder *folder, int key)
{
    char text[12];
    opn_cell got;
    const opn_cell want = cell_of(key);
    snprintf(text, sizeof(text), "%d", key);
    return opn_i_run_folder_find(folder, text, &got) && cell_is_same(&got, &want);
}

// Adds the keys from … to - 1 as a shard.
static void fill(const place *at, int32_t part, int32_t n_parts, int from, int to)
{
    opn_i_shard shard = {.part = part, .n_parts = n_parts};
    opn_i_run_folder *folder = open_folder(at, &shard);
    for (int key = from; key < to; key++)
        add(at, folder, key);
    assert_int_equal(shard.n_results, to - from);
    opn_i_run_folder_close(folder);
}

// Asserts that an undivided run finds the keys 0 … n - 1, to the bit, and no others.
static void expect_keys(const place *at, int n)
{
    opn_i_run_folder *folder = open_folder(at, NULL);
    for (int key = 0; key <= n; key++)
        assert_int_equal(has(folder, key), key < n);
    opn_i_run_folder_close(folder);
}

// ---- what is kept --------------------------------------------------------------------

static void what_shards_keep_is_found_by_all(void **state)
{
    (void)state;
    place at = open_place();
    fill(&at, 1, 2, 0, 3);
    fill(&at, 2, 2, 3, 5);
    expect_keys(&at, 5);
    opn_i_shard third = {.part = 3, .n_parts = 8}; // another number of shards
    opn_i_run_folder *folder = open_folder(&at, &third);
    for (int key = 0; key < 5; key++)
        assert_true(has(folder, key));
    add(&at, folder, 5);
    opn_i_run_folder_close(folder);
    expect_keys(&at, 6);
    support_close_stage(at.s);
}

static void a_shard_also_finds_what_an_undivided_run_kept(void **state)
{
    (void)state;
    place at = open_place();
    opn_i_shard shard = {.part = 1, .n_parts = 2};
    opn_i_run_folder *whole = open_folder(&at, NULL);
    add(&at, whole, 0);
    opn_i_run_folder *folder = open_folder(&at, &shard);
    assert_true(has(folder, 0));
    add(&at, folder, 1);
    assert_false(has(whole, 1));
    assert_int_equal(opn_i_run_folder_refresh(at.ctx, whole), OPN_OK);
    assert_true(has(whole, 1));
    add(&at, whole, 2);
    opn_i_run_folder_close(folder);
    opn_i_run_folder_close(whole);
    expect_keys(&at, 3);
    support_close_stage(at.s);
}

static void a_shard_needs_no_lock(void **state)
{
    (void)state;
    place at = open_place();
    n_locks = 0;
    fill(&at, 1, 2, 0, 2);
    assert_int_equal(n_locks, 0);
    expect_keys(&at, 2); // which tries one, and goes on without
    assert_true(n_locks > 0);
    support_close_stage(at.s);
}

static void two_processes_of_one_shard_keep_what_each_has_written(void **state)
{
    (void)state;
    place at = open_place();
    opn_i_shard one = {.part = 1, .n_parts = 2};
    opn_i_shard same = one;
    opn_i_run_folder *a = open_folder(&at, &one);
    opn_i_run_folder *b = open_folder(&at, &same);
    add(&at, a, 0);
    add(&at, b, 1);
    add(&at, b, 2);
    add(&at, a, 3);
    add(&at, b, 0); // both have done the same run
    opn_i_run_folder_close(a);
    opn_i_run_folder_close(b);
    expect_keys(&at, 4);
    size_t n_lines = 0;
    char *text = support_read_file(at.first, NULL);
    for (const char *c = text; *c != 0; c++)
        n_lines += *c == '\n';
    assert_int_equal(n_lines, 4);
    free(text);
    support_close_stage(at.s);
}

static void folders_that_others_may_write_to_are_left(void **state)
{
    (void)state;
    place at = open_place();
    char models[SUPPORT_PATH];
    support_path(models, at.s->path, "models");
    opn_i_run_folder *whole = open_folder(&at, NULL); // makes them
    fill(&at, 1, 2, 0, 0);
    opn_i_run_folder_close(whole); // without a result
    assert_int_equal(access(models, W_OK), 0);
    fill(&at, 2, 2, 0, 1);
    expect_keys(&at, 1);
    support_close_stage(at.s);
}

// ---- what a crash leaves -------------------------------------------------------------

static void a_last_line_torn_anywhere_is_passed_over_and_done_anew(void **state)
{
    (void)state;
    place at = open_place();
    size_t n_two = 0;
    size_t n_three = 0;
    fill(&at, 1, 2, 0, 2);
    free(support_read_file(at.first, &n_two));
    fill(&at, 1, 2, 2, 3);
    char *whole = support_read_file(at.first, &n_three);
    for (size_t cut = n_two; cut < n_three; cut += cut + 97 < n_three ? 97 : 1) {
        support_write_file(at.first, whole, cut);
        expect_keys(&at, 2);
        support_expect_file(at.first, whole, cut); // its writer may be at work
        fill(&at, 1, 2, 2, 3);
        support_expect_file(at.first, whole, n_three);
    }
    free(whole);
    support_close_stage(at.s);
}

static void a_broken_line_is_refused_by_name_and_number(void **state)
{
    (void)state;
    place at = open_place();
    opn_i_run_folder *folder = NULL;
    opn_i_shard other = {.part = 2, .n_parts = 2};
    size_t n = 0;
    fill(&at, 1, 2, 0, 1);
    char *text = support_read_file(at.first, &n);
    char *broken = malloc(n + 10);
    assert_non_null(broken);
    memcpy(broken, text, n);
    memcpy(broken + n, "nonsense\n", 9);
    support_write_file(at.first, broken, n + 9);
    assert_int_equal(opn_i_run_folder_open(at.ctx, at.s->path, &other, &folder),
                     OPN_ERR_FORMAT);
    support_expect_error(at.ctx, "cells.d/1-of-2.jsonl:2: is not a result of an "
                                 "evaluation");
    assert_int_equal(opn_i_run_folder_open(at.ctx, at.s->path, NULL, &folder),
                     OPN_ERR_FORMAT);
    support_expect_file(at.first, broken, n + 9); // for the user to look at
    free(broken);
    free(text);
    support_close_stage(at.s);
}

// A limit on the size of a file stands in for a full disk.
static void a_full_disk_leaves_the_file_as_it_was(void **state)
{
    (void)state;
    place at = open_place();
    struct rlimit before;
    size_t n = 0;
    opn_i_shard shard = {.part = 1, .n_parts = 2};
    fill(&at, 1, 2, 0, 2);
    char *text = support_read_file(at.first, &n);
    opn_i_run_folder *folder = open_folder(&at, &shard);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = before;
    limit.rlim_cur = (rlim_t)n + 10;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const opn_status status = try_add(at.ctx, folder, 2);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(status, OPN_ERR_WRITE);
    support_expect_error(at.ctx, "1-of-2.jsonl: cannot be written: ");
    support_expect_file(at.first, text, n);
    add(&at, folder, 3); // which also writes what did not fit
    opn_i_run_folder_close(folder);
    expect_keys(&at, 4);
    free(text);
    support_close_stage(at.s);
}

// ---- processes -----------------------------------------------------------------------

enum { N_WRITERS = 4, N_EACH = 30 };

// Adds every fourth key to a file of its own, or, if `part` is 0, to the same as all.
static void write_keys(const place *at, int32_t part, int from)
{
    opn_ctx *own = support_ctx(NULL);
    opn_i_shard shard = {.part = part + 1, .n_parts = N_WRITERS};
    opn_i_run_folder *folder = NULL;
    opn_status status = opn_i_run_folder_open(own, at->s->path, &shard, &folder);
    for (int c = 0; c < N_EACH && status == OPN_OK; c++)
        status = try_add(own, folder, from + c * N_WRITERS);
    opn_i_run_folder_close(folder);
    if (status != OPN_OK)
        (void)fprintf(stderr, "%s\n", opn_ctx_error(own));
    _exit(status == OPN_OK ? 0 : 1);
}

static void start_writers(const place *at, bool on_one_file, pid_t child[N_WRITERS])
{
    for (int w = 0; w < N_WRITERS; w++) {
        child[w] = fork();
        assert_true(child[w] >= 0);
        if (child[w] == 0)
            write_keys(at, on_one_file ? 0 : w, w);
    }
}

// Reads the folder again and again until all writers have ended well.
static void read_until_they_end(const place *at, const pid_t child[N_WRITERS])
{
    int n_ended = 0;
    while (n_ended < N_WRITERS) {
        int code = 0;
        opn_i_run_folder_close(open_folder(at, NULL)); // never an invalid line
        const pid_t ended = waitpid(-1, &code, WNOHANG);
        for (int w = 0; w < N_WRITERS && ended > 0; w++)
            if (ended == child[w]) {
                assert_int_equal(code, 0);
                n_ended++;
            }
    }
}

static void processes_write_side_by_side_while_another_reads(void **state)
{
    (void)state;
    place at = open_place();
    pid_t child[N_WRITERS];
    start_writers(&at, false, child);
    read_until_they_end(&at, child);
    expect_keys(&at, N_WRITERS * N_EACH);
    support_close_stage(at.s);
}

// They may lose a result to each other, never a file.
static void processes_of_one_shard_never_break_its_file(void **state)
{
    (void)state;
    place at = open_place();
    pid_t child[N_WRITERS];
    int n_found = 0;
    start_writers(&at, true, child);
    read_until_they_end(&at, child);
    opn_i_run_folder *folder = open_folder(&at, NULL);
    for (int key = 0; key < N_WRITERS * N_EACH; key++)
        n_found += has(folder, key);
    opn_i_run_folder_close(folder);
    assert_true(n_found >= N_EACH);
    support_close_stage(at.s);
}

// ---- failures ------------------------------------------------------------------------

static void every_allocation_failure_leaves_a_folder_to_go_on_from(void **state)
{
    (void)state;
    place at = open_place();
    opn_status status = OPN_ERR_NOMEM;
    long fail_at = 1;
    fill(&at, 1, 2, 0, 4);
    fill(&at, 2, 2, 4, 6);
    for (; status != OPN_OK; fail_at++) {
        meter m = {0};
        opn_ctx *own = support_ctx(&m);
        opn_i_shard shard = {.part = 1, .n_parts = 2};
        opn_i_run_folder *folder = NULL;
        m.n_requests = 0;
        m.fail_at = fail_at;
        status = opn_i_run_folder_open(own, at.s->path, &shard, &folder);
        if (status == OPN_OK)
            status = try_add(own, folder, 100);
        if (status == OPN_OK)
            status = opn_i_run_folder_refresh(own, folder);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
        opn_i_run_folder_close(folder);
        support_ctx_free(own, &m);
        expect_keys(&at, 6);
    }
    assert_true(fail_at > 10);
    support_close_stage(at.s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(what_shards_keep_is_found_by_all),
            cmocka_unit_test(a_shard_also_finds_what_an_undivided_run_kept),
            cmocka_unit_test(a_shard_needs_no_lock),
            cmocka_unit_test(two_processes_of_one_shard_keep_what_each_has_written),
            cmocka_unit_test(folders_that_others_may_write_to_are_left),
            cmocka_unit_test(a_last_line_torn_anywhere_is_passed_over_and_done_anew),
            cmocka_unit_test(a_broken_line_is_refused_by_name_and_number),
            cmocka_unit_test(a_full_disk_leaves_the_file_as_it_was),
            cmocka_unit_test(processes_write_side_by_side_while_another_reads),
            cmocka_unit_test(processes_of_one_shard_never_break_its_file),
            cmocka_unit_test(every_allocation_failure_leaves_a_folder_to_go_on_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
