// file_write_test.c -- files that appear whole or not at all.

#include "io/file_write.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

static opn_i_file_writer *open_writer(stage *s)
{
    opn_i_file_writer *writer = NULL;
    assert_int_equal(opn_i_file_writer_open(s->ctx, s->path, &writer), OPN_OK);
    return writer;
}

static void expect_open_fails(stage *s, const char *path, const char *reason)
{
    opn_i_file_writer *writer = NULL;
    assert_int_equal(opn_i_file_writer_open(s->ctx, path, &writer), OPN_ERR_WRITE);
    assert_null(writer);
    support_expect_error(s->ctx, path);
    support_expect_error(s->ctx, reason);
    assert_int_equal(s->m.n_live, 1); // the context
}

// Bytes without a short period, so that a block in the wrong place is seen.
static unsigned char *pattern(size_t n)
{
    unsigned char *data = malloc(n + 1);
    assert_non_null(data);
    for (size_t i = 0; i < n; i++)
        data[i] = (unsigned char)(i * 2654435761u >> 13);
    return data;
}

// ---- success -------------------------------------------------------------------------

static void test_writer_writes_pieces_of_any_size(void **state)
{
    (void)state;
    enum { N = 400000 };
    static const size_t sizes[] = {1, 7, 4096, 65535, 65536, 65537, 200000, N};
    stage *s = support_open_stage("out");
    unsigned char *data = pattern(N);
    for (size_t t = 0; t < sizeof(sizes) / sizeof(sizes[0]); t++) {
        opn_i_file_writer *writer = open_writer(s);
        for (size_t at = 0; at < N; at += sizes[t])
            opn_i_file_writer_put(writer, data + at,
                                  N - at < sizes[t] ? N - at : sizes[t]);
        assert_int_equal(opn_i_file_writer_commit(writer), OPN_OK);
        support_expect_file(s->path, data, N);
    }
    free(data);
    support_close_stage(s);
}

static void test_writer_keeps_the_order_of_small_and_large_pieces(void **state)
{
    (void)state;
    enum { N = 300000 };
    stage *s = support_open_stage("out");
    unsigned char *data = pattern(N);
    opn_i_file_writer *writer = open_writer(s);
    size_t at = 0;
    for (size_t n = 1; at < N; n = n * 5 % 100003) { // from 1 to beyond the buffer
        const size_t n_put = n < N - at ? n : N - at;
        opn_i_file_writer_put(writer, data + at, n_put);
        at += n_put;
    }
    assert_int_equal(opn_i_file_writer_commit(writer), OPN_OK);
    support_expect_file(s->path, data, N);
    free(data);
    support_close_stage(s);
}

static void test_writer_writes_an_empty_file(void **state)
{
    (void)state;
    stage *s = support_open_stage("out");
    assert_int_equal(opn_i_file_writer_commit(open_writer(s)), OPN_OK);
    support_expect_file(s->path, "", 0);
    support_close_stage(s);
}

static void test_writer_prints(void **state)
{
    (void)state;
    stage *s = support_open_stage("out");
    opn_i_file_writer *writer = open_writer(s);
    opn_i_file_writer_printf(writer, "node,%s\n", "label");
    opn_i_file_writer_printf(writer, "%d,%.9g\n", 17, 0.1);
    assert_int_equal(opn_i_file_writer_commit(writer), OPN_OK);
    support_expect_file(s->path, "node,label\n17,0.1\n", 18);
    support_close_stage(s);
}

static void test_writer_prints_the_same_in_every_locale(void **state)
{
    (void)state;
    stage *s = support_open_stage("out");
    support_set_comma_locale(s->folder);
    opn_i_file_writer *writer = open_writer(s);
    opn_i_file_writer_printf(writer, "%.9g", 0.5);
    const opn_status status = opn_i_file_writer_commit(writer);
    setlocale(LC_ALL, "C");
    assert_int_equal(status, OPN_OK);
    support_expect_file(s->path, "0.5", 3); // a comma would be one more field
    support_close_stage(s);
}

static void test_writer_refuses_to_cut_what_it_prints(void **state)
{
    (void)state;
    stage *s = support_open_stage("out");
    char text[1024];
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = 0;
    opn_i_file_writer *writer = open_writer(s);
    opn_i_file_writer_printf(writer, "%s", text);
    opn_i_file_writer_printf(writer, "fits");
    assert_int_equal(opn_i_file_writer_commit(writer), OPN_ERR_WRITE);
    assert_int_equal(support_count_entries(s->folder), 0);
    support_close_stage(s);
}

static void test_writer_ends_lines_of_any_length_without_blanks(void **state)
{
    (void)state;
    stage *s = support_open_stage("out");
    opn_i_file_writer *writer = open_writer(s);
    opn_i_text *line = opn_i_file_writer_line(writer);
    opn_i_file_writer_end_line(writer);
    opn_i_text_add(line, "%-9s%3s", "one", "");
    opn_i_file_writer_end_line(writer);
    opn_i_text_add(line, "%600s", "two");
    opn_i_file_writer_end_line(writer);
    assert_int_equal(opn_i_file_writer_commit(writer), OPN_OK);
    char wanted[1 + 4 + 601 + 1];
    snprintf(wanted, sizeof(wanted), "\none\n%600s\n", "two");
    support_expect_file(s->path, wanted, sizeof(wanted) - 1);
    support_close_stage(s);
}

static void test_writer_without_memory_for_a_line_leaves_no_file(void **state)
{
    (void)state;
    stage *s = support_open_stage("out");
    opn_i_file_writer *writer = open_writer(s);
    s->m.fail_at = s->m.n_requests + 1;
    opn_i_text_add(opn_i_file_writer_line(writer), "lost");
    s->m.fail_at = 0;
    opn_i_file_writer_end_line(writer);
    assert_int_equal(opn_i_file_writer_commit(writer), OPN_ERR_NOMEM);
    assert_int_equal(support_count_entries(s->folder), 0);
    support_close_stage(s);
}

static void test_writer_shows_nothing_before_commit(void **state)
{
    (void)state;
    stage *s = support_open_stage("out");
    opn_i_file_writer *writer = open_writer(s);
    opn_i_file_writer_put(writer, "new", 3);
    assert_int_not_equal(access(s->path, F_OK), 0);
    assert_int_equal(opn_i_file_writer_commit(writer), OPN_OK);
    support_expect_file(s->path, "new", 3);
    assert_int_equal(support_count_entries(s->folder), 1);
    support_close_stage(s);
}

static void test_writer_replaces_a_file_at_commit(void **state)
{
    (void)state;
    stage *s = support_open_stage("out");
    support_write_text(s->path, "something longer than the new text");
    opn_i_file_writer *writer = open_writer(s);
    opn_i_file_writer_put(writer, "new", 3);
    support_expect_file(s->path, "something longer than the new text", 34);
    assert_int_equal(opn_i_file_writer_commit(writer), OPN_OK);
    support_expect_file(s->path, "new", 3);
    assert_int_equal(support_count_entries(s->folder), 1);
    support_close_stage(s);
}

static void test_writers_of_one_path_do_not_mix(void **state)
{
    (void)state;
    stage *s = support_open_stage("out");
    opn_i_file_writer *one = open_writer(s);
    opn_i_file_writer *other = open_writer(s);
    opn_i_file_writer_put(one, "one", 3);
    opn_i_file_writer_put(other, "other", 5);
    assert_int_equal(opn_i_file_writer_commit(other), OPN_OK);
    support_expect_file(s->path, "other", 5);
    assert_int_equal(opn_i_file_writer_commit(one), OPN_OK);
    support_expect_file(s->path, "one", 3);
    assert_int_equal(support_count_entries(s->folder), 1);
    support_close_stage(s);
}

static void test_writer_follows_the_umask(void **state)
{
    (void)state;
    static const mode_t masks[] = {0, 022, 027, 077};
    stage *s = support_open_stage("out");
    for (size_t t = 0; t < sizeof(masks) / sizeof(masks[0]); t++) {
        struct stat info;
        const mode_t before = umask(masks[t]);
        const opn_status status = opn_i_file_writer_commit(open_writer(s));
        assert_int_equal(umask(before), masks[t]); // and leaves it alone
        assert_int_equal(status, OPN_OK);
        assert_int_equal(stat(s->path, &info), 0);
        assert_int_equal(info.st_mode & 07777, 0666 & ~masks[t]);
    }
    support_close_stage(s);
}

static void test_writer_takes_a_bare_name(void **state)
{
    (void)state;
    stage *s = support_open_stage("out");
    const int before = open(".", O_RDONLY | O_DIRECTORY);
    assert_true(before >= 0);
    assert_int_equal(chdir(s->folder), 0);
    opn_i_file_writer *writer = NULL;
    const opn_status opened = opn_i_file_writer_open(s->ctx, "out", &writer);
    opn_i_file_writer_put(writer, "new", 3);
    const opn_status committed = opn_i_file_writer_commit(writer);
    assert_int_equal(fchdir(before), 0);
    close(before);
    assert_int_equal(opened, OPN_OK);
    assert_int_equal(committed, OPN_OK);
    support_expect_file(s->path, "new", 3);
    support_close_stage(s);
}

// A link is replaced like any other name; what it pointed at stays as it was.
static void test_writer_replaces_a_link_and_not_its_target(void **state)
{
    (void)state;
    stage *s = support_open_stage("out");
    char target[SUPPORT_PATH];
    struct stat info;
    support_write_text(support_path(target, s->folder, "target"), "old");
    assert_int_equal(symlink("target", s->path), 0);
    opn_i_file_writer *writer = open_writer(s);
    opn_i_file_writer_put(writer, "new", 3);
    assert_int_equal(opn_i_file_writer_commit(writer), OPN_OK);
    assert_int_equal(lstat(s->path, &info), 0);
    assert_true(S_ISREG(info.st_mode));
    support_expect_file(s->path, "new", 3);
    support_expect_file(target, "old", 3);
    assert_int_equal(support_count_entries(s->folder), 2);
    support_close_stage(s);
}

static void test_writer_writes_to_a_device_and_never_replaces_it(void **state)
{
    (void)state;
    stage *s = support_open_stage("out");
    char pipe_path[SUPPORT_PATH];
    char got[16] = "";
    struct stat info;
    assert_int_equal(mkfifo(support_path(pipe_path, s->folder, "pipe"), 0600), 0);
    const int reader = open(pipe_path, O_RDONLY | O_NONBLOCK);
    opn_i_file_writer *writer = NULL;
    assert_int_equal(opn_i_file_writer_open(s->ctx, pipe_path, &writer), OPN_OK);
    opn_i_file_writer_put(writer, "through", 7);
    assert_int_equal(opn_i_file_writer_commit(writer), OPN_OK);
    assert_int_equal(read(reader, got, sizeof(got)), 7);
    assert_string_equal(got, "through");
    close(reader);

    assert_int_equal(opn_i_file_writer_open(s->ctx, "/dev/full", &writer), OPN_OK);
    opn_i_file_writer_put(writer, "lost", 4);
    assert_int_equal(opn_i_file_writer_commit(writer), OPN_ERR_WRITE);
    support_expect_error(s->ctx, "/dev/full: cannot be written: ");
    assert_int_equal(stat("/dev/full", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
    assert_int_equal(stat(pipe_path, &info), 0);
    assert_true(S_ISFIFO(info.st_mode));
    assert_int_equal(support_count_entries(s->folder), 1);
    support_close_stage(s);
}

// ---- failure -------------------------------------------------------------------------

static void test_writer_discarded_leaves_all_as_it_was(void **state)
{
    (void)state;
    stage *s = support_open_stage("out");
    opn_i_file_writer_discard(open_writer(s));
    opn_i_file_writer_discard(NULL);
    assert_int_equal(support_count_entries(s->folder), 0);
    support_write_text(s->path, "old");
    opn_i_file_writer *writer = open_writer(s);
    opn_i_file_writer_put(writer, "new", 3);
    opn_i_file_writer_discard(writer);
    support_expect_file(s->path, "old", 3);
    assert_int_equal(support_count_entries(s->folder), 1);
    support_close_stage(s);
}

// Writes n bytes where a file may hold 100 kB, as on a disk that runs full.
static opn_status write_limited(stage *s, const unsigned char *data, size_t n)
{
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit small = {100000, before.rlim_max};
    opn_i_file_writer *writer = open_writer(s);
    void (*const handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    for (size_t at = 0; at < n; at += 1000)
        opn_i_file_writer_put(writer, data + at, 1000);
    const opn_status status = opn_i_file_writer_commit(writer);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    return status;
}

static void test_writer_keeps_the_old_file_when_the_disk_is_full(void **state)
{
    (void)state;
    stage *s = support_open_stage("out");
    unsigned char *data = pattern(300000);
    assert_int_equal(write_limited(s, data, 300000), OPN_ERR_WRITE);
    assert_int_equal(support_count_entries(s->folder), 0);
    support_write_text(s->path, "old");
    assert_int_equal(write_limited(s, data, 300000), OPN_ERR_WRITE); // in the middle
    support_expect_error(s->ctx, s->path);
    support_expect_error(s->ctx, "too large");
    assert_int_equal(write_limited(s, data, 110000), OPN_ERR_WRITE); // in the last block
    support_expect_file(s->path, "old", 3);
    assert_int_equal(support_count_entries(s->folder), 1);
    assert_int_equal(write_limited(s, data, 100000), OPN_OK);
    support_expect_file(s->path, data, 100000);
    free(data);
    support_close_stage(s);
}

static void test_writer_names_what_cannot_be_written(void **state)
{
    (void)state;
    stage *s = support_open_stage("out");
    char path[SUPPORT_PATH];
    expect_open_fails(s, support_path(path, s->folder, "no/out"), "No such file");
    expect_open_fails(s, s->folder, "is a folder");
    support_write_text(s->path, "old");
    // Not a folder without permission: tests may run as root.
    expect_open_fails(s, support_path(path, s->folder, "out/out"), "Not a directory");
    support_expect_file(s->path, "old", 3);
    assert_int_equal(support_count_entries(s->folder), 1);
    support_close_stage(s);
}

static void test_writer_fails_when_its_folder_is_gone_by_commit(void **state)
{
    (void)state;
    stage *s = support_open_stage("out");
    char inner[SUPPORT_PATH];
    char path[SUPPORT_PATH];
    opn_i_file_writer *writer = NULL;
    assert_int_equal(mkdir(support_path(inner, s->folder, "inner"), 0777), 0);
    support_path(path, inner, "out");
    assert_int_equal(opn_i_file_writer_open(s->ctx, path, &writer), OPN_OK);
    support_remove_folder(inner);
    assert_int_equal(opn_i_file_writer_commit(writer), OPN_ERR_WRITE);
    support_expect_error(s->ctx, path);
    support_close_stage(s);
}

static void test_writer_survives_any_allocation_failure(void **state)
{
    (void)state;
    stage *s = support_open_stage("out");
    opn_status status = OPN_ERR_NOMEM;
    long n_rounds = 0;
    for (; status == OPN_ERR_NOMEM; n_rounds++) {
        opn_i_file_writer *writer = NULL;
        s->m.fail_at = s->m.n_requests + 1 + n_rounds;
        status = opn_i_file_writer_open(s->ctx, s->path, &writer);
        assert_true((writer == NULL) == (status != OPN_OK));
        opn_i_file_writer_discard(writer);
        assert_int_equal(s->m.n_live, 1);
        assert_int_equal(support_count_entries(s->folder), 0);
    }
    assert_int_equal(status, OPN_OK);
    assert_true(n_rounds > 2);
    support_close_stage(s);
}

// ---- temporary names -----------------------------------------------------------------

static void test_make_temporary_makes_a_new_file_or_folder_beside(void **state)
{
    (void)state;
    stage *s = support_open_stage("out");
    char *name[4] = {NULL};
    int file = -1;
    for (int t = 0; t < 4; t++) {
        struct stat info;
        assert_int_equal(opn_i_make_temporary(s->ctx, s->path, t >= 2, &name[t], &file),
                         OPN_OK);
        assert_int_equal(strncmp(name[t], s->path, strlen(s->path)), 0);
        assert_null(strchr(name[t] + strlen(s->path), '/'));
        assert_int_equal(stat(name[t], &info), 0);
        assert_true(t < 2 ? S_ISREG(info.st_mode) : S_ISDIR(info.st_mode));
        if (t < 2)
            assert_int_equal(close(file), 0);
    }
    assert_int_equal(support_count_entries(s->folder), 4);
    for (int t = 0; t < 4; t++)
        opn_i_release(&s->ctx->alloc, name[t]);
    support_close_stage(s);
}

static void test_a_name_of_the_greatest_length_can_be_written(void **state)
{
    (void)state;
    enum { LONGEST = 255 }; // bytes of a name, of every file system in use
    stage *s = support_open_stage("out");
    char name[LONGEST + 2] = "";
    for (int is_wide = 0; is_wide < 2; is_wide++) {
        char path[SUPPORT_PATH];
        opn_i_file_writer *writer = NULL;
        for (int n = 0; n < LONGEST; n++) // "é" is two bytes, and may not be cut in half
            name[n] = (char)(is_wide ? (n % 2 ? 0xa9 : 0xc3) : 'n');
        if (is_wide)
            name[LONGEST - 1] = 'e';
        name[LONGEST] = 0;
        support_path(path, s->folder, name);
        assert_int_equal(opn_i_file_writer_open(s->ctx, path, &writer), OPN_OK);
        opn_i_file_writer_put(writer, "whole", 5);
        assert_int_equal(opn_i_file_writer_commit(writer), OPN_OK);
        support_expect_file(path, "whole", 5);
        assert_int_equal(support_count_entries(s->folder), is_wide + 1);
    }
    memset(name, 'n', LONGEST + 1);
    char beyond[SUPPORT_PATH];
    expect_open_fails(s, support_path(beyond, s->folder, name), "File name too long");
    assert_int_equal(support_count_entries(s->folder), 2);
    support_close_stage(s);
}

static void do_nothing(int number)
{
    (void)number;
}

static void test_waiting_for_the_reader_of_a_pipe_can_be_interrupted(void **state)
{
    (void)state;
    stage *s = support_open_stage("pipe");
    int n_calls = 1; // the wait itself, and then no more
    const opn_hooks hooks = {.size = sizeof(opn_hooks),
                             .interrupted = support_stop_after_calls,
                             .user = &n_calls};
    const struct sigaction action = {.sa_handler = do_nothing}; // without SA_RESTART
    const struct itimerval soon = {.it_interval = {.tv_usec = 20000},
                                   .it_value = {.tv_usec = 20000}};
    const struct itimerval never = {.it_value = {0}};
    struct sigaction before;
    opn_i_file_writer *writer = NULL;
    assert_int_equal(mkfifo(s->path, 0600), 0);
    assert_int_equal(opn_ctx_set_hooks(s->ctx, &hooks), OPN_OK);
    assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
    const opn_status status = opn_i_file_writer_open(s->ctx, s->path, &writer);
    assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
    assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
    assert_int_equal(status, OPN_ERR_INTERRUPTED);
    support_expect_error(s->ctx, "waiting for a pipe");
    support_close_stage(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_writer_writes_pieces_of_any_size),
            cmocka_unit_test(test_writer_keeps_the_order_of_small_and_large_pieces),
            cmocka_unit_test(test_writer_writes_an_empty_file),
            cmocka_unit_test(test_writer_prints),
            cmocka_unit_test(test_writer_prints_the_same_in_every_locale),
            cmocka_unit_test(test_writer_refuses_to_cut_what_it_prints),
            cmocka_unit_test(test_writer_ends_lines_of_any_length_without_blanks),
            cmocka_unit_test(test_writer_without_memory_for_a_line_leaves_no_file),
            cmocka_unit_test(test_writer_shows_nothing_before_commit),
            cmocka_unit_test(test_writer_replaces_a_file_at_commit),
            cmocka_unit_test(test_writers_of_one_path_do_not_mix),
            cmocka_unit_test(test_writer_follows_the_umask),
            cmocka_unit_test(test_writer_takes_a_bare_name),
            cmocka_unit_test(test_writer_replaces_a_link_and_not_its_target),
            cmocka_unit_test(test_writer_writes_to_a_device_and_never_replaces_it),
            cmocka_unit_test(test_writer_discarded_leaves_all_as_it_was),
            cmocka_unit_test(test_writer_keeps_the_old_file_when_the_disk_is_full),
            cmocka_unit_test(test_writer_names_what_cannot_be_written),
            cmocka_unit_test(test_writer_fails_when_its_folder_is_gone_by_commit),
            cmocka_unit_test(test_writer_survives_any_allocation_failure),
            cmocka_unit_test(test_make_temporary_makes_a_new_file_or_folder_beside),
            cmocka_unit_test(test_a_name_of_the_greatest_length_can_be_written),
            cmocka_unit_test(test_waiting_for_the_reader_of_a_pipe_can_be_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
