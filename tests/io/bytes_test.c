// bytes_test.c -- whole files into memory, packed or not.

#include "io/bytes.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

static void expect_read(stage *s, const void *data, size_t n)
{
    opn_i_bytes bytes = {0};
    assert_int_equal(opn_i_file_read(s->ctx, s->path, &bytes), OPN_OK);
    assert_int_equal(bytes.n, n);
    if (n > 0)
        assert_memory_equal(bytes.data, data, n);
    assert_int_equal(bytes.data[n], 0);
    opn_i_bytes_release(s->ctx, &bytes);
    assert_null(bytes.data);
    assert_int_equal(bytes.n, 0);
}

static void
expect_failure(stage *s, const char *path, opn_status want, const char *reason)
{
    opn_i_bytes bytes = {.data = (unsigned char *)s, .n = 77};
    assert_int_equal(opn_i_file_read(s->ctx, path, &bytes), want);
    assert_ptr_equal(bytes.data, s); // untouched
    assert_int_equal(bytes.n, 77);
    support_expect_error(s->ctx, reason);
    assert_int_equal(s->m.n_live, 1); // the context
}

// Appends data [n] packed as one gzip member to out [room], of which `used` bytes are in
// use; returns how many are then.
static size_t
add_member(const void *data, size_t n, unsigned char *out, size_t used, size_t room)
{
    z_stream stream = {0};
    unsigned char *input = malloc(n + 1); // zlib wants it writable
    assert_non_null(input);
    if (n > 0)
        memcpy(input, data, n);
    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY),
                     Z_OK);
    stream.next_in = input;
    stream.avail_in = (uInt)n;
    stream.next_out = out + used;
    stream.avail_out = (uInt)(room - used);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    used += stream.total_out;
    deflateEnd(&stream);
    free(input);
    return used;
}

static const char text[] = "node,label\n0,a\n1,b\n2,a\n3,a\n4,b\n5,b\n6,a\n7,b\n8,a\n";
enum { N_TEXT = sizeof(text) - 1 };

// ---- plain files ---------------------------------------------------------------------

static void test_read_takes_files_of_any_size(void **state)
{
    (void)state;
    enum { MIB = 1 << 20 };
    static const size_t sizes[] = {0,    1,       2,   63,      64,         65,
                                   4096, MIB - 1, MIB, MIB + 1, 3 * MIB + 5};
    stage *s = support_open_stage("in");
    unsigned char *data = malloc(4 * MIB);
    assert_non_null(data);
    for (size_t i = 0; i < 4 * MIB; i++)
        data[i] = (unsigned char)(i * 2654435761u >> 13);
    for (size_t t = 0; t < sizeof(sizes) / sizeof(sizes[0]); t++) {
        support_write_file(s->path, data, sizes[t]);
        expect_read(s, data, sizes[t]);
    }
    assert_true(s->m.largest < 4 * MIB); // about the file's own size
    free(data);
    support_close_stage(s);
}

static void test_read_names_a_missing_file(void **state)
{
    (void)state;
    stage *s = support_open_stage("in");
    expect_failure(s, s->path, OPN_ERR_READ, "in: cannot be opened: No such file");
    support_expect_error(s->ctx, s->path);
    support_close_stage(s);
}

static void test_read_refuses_a_folder(void **state)
{
    (void)state;
    stage *s = support_open_stage("in");
    expect_failure(s, s->folder, OPN_ERR_READ, "is a folder; expected a file");
    support_close_stage(s);
}

static void test_read_names_what_cannot_be_read(void **state)
{
    (void)state;
    stage *s = support_open_stage("in");
    assert_int_equal(symlink("in", s->path), 0); // leads to itself
    expect_failure(s, s->path, OPN_ERR_READ, "in: cannot be opened: ");
    // Opens like a file, but nothing is mapped at address 0.
    expect_failure(s, "/proc/self/mem", OPN_ERR_READ, "/proc/self/mem: cannot be read: ");
    support_close_stage(s);
}

static void test_read_takes_a_file_of_unknown_size(void **state)
{
    (void)state;
    stage *s = support_open_stage("in");
    opn_i_bytes bytes = {0};
    assert_int_equal(opn_i_file_read(s->ctx, "/proc/self/status", &bytes), OPN_OK);
    assert_true(bytes.n > 10);
    assert_memory_equal(bytes.data, "Name:", 5);
    opn_i_bytes_release(s->ctx, &bytes);
    support_close_stage(s);
}

static void expect_read_through_pipe(const void *data, size_t n, const void *want)
{
    stage *s = support_open_stage("in");
    assert_int_equal(mkfifo(s->path, 0600), 0);
    const pid_t writer = fork();
    assert_true(writer >= 0);
    if (writer == 0) {
        FILE *file = fopen(s->path, "wb");
        const bool is_written = file != NULL && fwrite(data, 1, n, file) == n;
        _exit(is_written && fclose(file) == 0 ? 0 : 1);
    }
    int exit_status = -1;
    expect_read(s, want, want == data ? n : N_TEXT);
    assert_int_equal(waitpid(writer, &exit_status, 0), writer);
    assert_int_equal(exit_status, 0);
    support_close_stage(s);
}

static void test_read_takes_a_pipe(void **state)
{
    (void)state;
    enum { N = 3000000 };
    unsigned char *data = malloc(N);
    assert_non_null(data);
    for (size_t i = 0; i < N; i++)
        data[i] = (unsigned char)(i * 2654435761u >> 13);
    expect_read_through_pipe(data, N, data);
    free(data);
    unsigned char packed[512];
    expect_read_through_pipe(packed, add_member(text, N_TEXT, packed, 0, 512), text);
}

// ---- pipes ---------------------------------------------------------------------------

static void test_a_named_pipe_is_read_to_its_end(void **state)
{
    (void)state;
    stage *s = support_open_stage("in");
    assert_int_equal(mkfifo(s->path, 0600), 0);
    const pid_t writer = fork();
    assert_true(writer >= 0);
    if (writer == 0) {
        FILE *file = fopen(s->path, "wb");
        const bool is_written = file != NULL && fwrite(text, 1, N_TEXT, file) == N_TEXT;
        _exit(is_written && fclose(file) == 0 ? 0 : 1);
    }
    expect_read(s, text, N_TEXT);
    int result = 1;
    assert_int_equal(waitpid(writer, &result, 0), writer);
    assert_int_equal(result, 0);
    support_close_stage(s);
}

static void ignore_alarm(int signal)
{
    (void)signal;
}

static void test_waiting_for_a_pipe_no_one_writes_to_can_be_interrupted(void **state)
{
    (void)state;
    stage *s = support_open_stage("in");
    listener heard = {.interrupt_at = 2};
    const struct sigaction wakes = {.sa_handler = ignore_alarm};
    struct sigaction before;
    const struct itimerval often = {{0, 20000}, {0, 20000}}; // s, us
    const struct itimerval never = {{0, 0}, {0, 0}};
    assert_int_equal(mkfifo(s->path, 0600), 0);
    support_listen(s->ctx, &heard);
    assert_int_equal(sigaction(SIGALRM, &wakes, &before), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
    opn_i_bytes bytes = {0};
    const opn_status status = opn_i_file_read(s->ctx, s->path, &bytes);
    assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
    assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
    assert_int_equal(status, OPN_ERR_INTERRUPTED);
    support_close_stage(s);
}

static void test_a_reader_that_looks_for_files_refuses_a_pipe(void **state)
{
    (void)state;
    stage *s = support_open_stage("in");
    opn_i_bytes bytes = {0};
    assert_int_equal(mkfifo(s->path, 0600), 0);
    assert_int_equal(opn_i_regular_file_read(s->ctx, s->path, &bytes), OPN_ERR_READ);
    support_expect_error(s->ctx, "is a pipe; expected a file");
    expect_failure(s, "/dev/null", OPN_ERR_READ, "is a device; expected a file");
    support_close_stage(s);
}

static void test_a_path_is_taken_by_whatever_opening_it_would_complain_about(void **state)
{
    (void)state;
    stage *s = support_open_stage("in");
    assert_false(opn_i_path_is_taken(s->path));
    assert_int_equal(symlink("in", s->path), 0); // leads to itself
    assert_true(opn_i_path_is_taken(s->path));
    assert_false(opn_i_file_exists(s->path));
    support_close_stage(s);
}

static void test_exists_tells_files_from_folders(void **state)
{
    (void)state;
    stage *s = support_open_stage("in");
    assert_false(opn_i_file_exists(s->path));
    assert_false(opn_i_folder_exists(s->path));
    support_write_text(s->path, "");
    assert_true(opn_i_file_exists(s->path));
    assert_false(opn_i_folder_exists(s->path));
    assert_false(opn_i_file_exists(s->folder));
    assert_true(opn_i_folder_exists(s->folder));
    assert_true(opn_i_file_exists("/dev/null"));
    support_close_stage(s);
}

// ---- gzip ----------------------------------------------------------------------------

static void test_read_unpacks_whatever_the_name(void **state)
{
    (void)state;
    stage *s = support_open_stage("in");
    unsigned char packed[512];
    support_write_file(s->path, packed, add_member(text, N_TEXT, packed, 0, 512));
    expect_read(s, text, N_TEXT);
    support_path(s->path, s->folder, "plain.gz");
    support_write_text(s->path, text);
    expect_read(s, text, N_TEXT);
    support_write_file(s->path, "\x1f", 1); // too short to be packed
    expect_read(s, "\x1f", 1);
    support_close_stage(s);
}

static void test_read_joins_the_members_of_a_packed_file(void **state)
{
    (void)state;
    stage *s = support_open_stage("in");
    unsigned char packed[1024];
    char twice[2 * N_TEXT];
    memcpy(twice, text, N_TEXT);
    memcpy(twice + N_TEXT, text, N_TEXT);
    size_t n = add_member("", 0, packed, 0, sizeof(packed));
    support_write_file(s->path, packed, n);
    expect_read(s, "", 0);
    n = add_member(text, N_TEXT, packed, n, sizeof(packed));
    n = add_member("", 0, packed, n, sizeof(packed));
    n = add_member(text, N_TEXT, packed, n, sizeof(packed));
    n = add_member("", 0, packed, n, sizeof(packed));
    support_write_file(s->path, packed, n);
    expect_read(s, twice, 2 * N_TEXT);
    support_close_stage(s);
}

static void test_read_unpacks_more_than_one_step(void **state)
{
    (void)state;
    enum { N = 5000000 };
    stage *s = support_open_stage("in");
    unsigned char *data = malloc(N);
    unsigned char *packed = malloc(N + 10000);
    assert_non_null(data);
    assert_non_null(packed);
    for (size_t i = 0; i < N; i++)
        data[i] = (unsigned char)("0123456789abcdef"[i * 2654435761u >> 20 & 15]);
    support_write_file(s->path, packed, add_member(data, N, packed, 0, N + 10000));
    expect_read(s, data, N);
    free(data);
    free(packed);
    support_close_stage(s);
}

static void test_read_sees_a_packed_file_cut_at_any_byte(void **state)
{
    (void)state;
    stage *s = support_open_stage("in");
    unsigned char packed[1024];
    const size_t n_one = add_member(text, N_TEXT, packed, 0, sizeof(packed));
    const size_t n_two = add_member(text, N_TEXT, packed, n_one, sizeof(packed));
    for (size_t n = 0; n < n_two; n++) {
        support_write_file(s->path, packed, n);
        if (n < 2) // not yet known as gzip
            expect_read(s, packed, n);
        else if (n == n_one)
            expect_read(s, text, N_TEXT);
        else
            expect_failure(s, s->path, OPN_ERR_FORMAT, "in: the gzip data end early");
    }
    support_close_stage(s);
}

// A changed bit is either detected, or is one of the few that say nothing about the
// content (the time, the system), or makes the file no gzip file at all.
static void test_read_sees_every_bit_that_matters(void **state)
{
    (void)state;
    stage *s = support_open_stage("in");
    unsigned char packed[512];
    const size_t n = add_member(text, N_TEXT, packed, 0, sizeof(packed));
    int n_found = 0;
    for (size_t bit = 16; bit < 8 * n; bit++) {
        opn_i_bytes bytes = {0};
        support_flip_bit(packed, bit);
        support_write_file(s->path, packed, n);
        const opn_status status = opn_i_file_read(s->ctx, s->path, &bytes);
        support_flip_bit(packed, bit);
        if (status == OPN_OK) {
            assert_int_equal(bytes.n, N_TEXT);
            assert_memory_equal(bytes.data, text, N_TEXT);
        } else {
            assert_int_equal(status, OPN_ERR_FORMAT);
            support_expect_error(s->ctx, s->path);
            n_found++;
        }
        opn_i_bytes_release(s->ctx, &bytes);
    }
    assert_true(n_found >= 8 * ((int)n - 10)); // all behind the header of ten bytes
    support_close_stage(s);
}

static void test_read_refuses_what_follows_the_last_member(void **state)
{
    (void)state;
    stage *s = support_open_stage("in");
    unsigned char packed[512];
    size_t n = add_member(text, N_TEXT, packed, 0, 500);
    memcpy(packed + n, "rubbish", 7);
    support_write_file(s->path, packed, n + 7);
    expect_failure(s, s->path, OPN_ERR_FORMAT, "in: broken gzip data");
    support_close_stage(s);
}

// ---- limits --------------------------------------------------------------------------

static void test_expansion_is_free_at_first_and_then_in_proportion(void **state)
{
    (void)state;
    const size_t mib = (size_t)1 << 20;
    assert_true(opn_i_expansion_allowed(0, OPN_FREE_EXPANSION));
    assert_false(opn_i_expansion_allowed(0, OPN_FREE_EXPANSION + 256));
    assert_false(opn_i_expansion_allowed(mib / 4 - 1, 64 * mib + 1));
    assert_true(opn_i_expansion_allowed(mib, 256 * mib));
    assert_false(opn_i_expansion_allowed(mib, 256 * mib + 256));
    assert_true(opn_i_expansion_allowed(SIZE_MAX, SIZE_MAX));
    assert_false(opn_i_expansion_allowed(1, SIZE_MAX));
}

// A quarter of what is free, packed into one member, n_members times.
static size_t write_bomb(stage *s, int n_members)
{
    enum { N_PACKED = 1 << 16 };
    const size_t n = OPN_FREE_EXPANSION / 4;
    unsigned char *zeros = calloc(1, n);
    unsigned char *packed = malloc((size_t)n_members * N_PACKED);
    assert_non_null(zeros);
    assert_non_null(packed);
    const size_t n_packed = add_member(zeros, n, packed, 0, N_PACKED);
    for (int i = 1; i < n_members; i++)
        memcpy(packed + (size_t)i * n_packed, packed, n_packed);
    support_write_file(s->path, packed, (size_t)n_members * n_packed);
    free(zeros);
    free(packed);
    return (size_t)n_members * n_packed;
}

static void test_read_refuses_a_bomb(void **state)
{
    (void)state;
    stage *s = support_open_stage("in");
    opn_i_bytes bytes = {0};
    write_bomb(s, 4);
    assert_int_equal(opn_i_file_read(s->ctx, s->path, &bytes), OPN_OK);
    assert_int_equal(bytes.n, OPN_FREE_EXPANSION);
    opn_i_bytes_release(s->ctx, &bytes);
    assert_true(write_bomb(s, 12) < 3 * OPN_FREE_EXPANSION / OPN_MAX_EXPANSION);
    expect_failure(s, s->path, OPN_ERR_FORMAT, "more than 256 times its size");
    assert_true(s->m.largest < 2 * OPN_FREE_EXPANSION); // it stopped at the limit
    support_close_stage(s);
}

// ---- hooks and memory ----------------------------------------------------------------

static void test_read_tells_how_far_it_has_come(void **state)
{
    (void)state;
    stage *s = support_open_stage("in");
    listener heard = {0};
    support_listen(s->ctx, &heard);
    support_write_text(s->path, text);
    expect_read(s, text, N_TEXT);
    assert_true(heard.n_progress > 0);
    assert_int_equal(heard.last.done, N_TEXT);
    assert_int_equal(heard.last.total, N_TEXT);
    support_close_stage(s);
}

static void test_read_may_be_interrupted_at_any_time(void **state)
{
    (void)state;
    enum { N = 5 << 20 };
    stage *s = support_open_stage("in");
    unsigned char *zeros = calloc(1, N);
    unsigned char packed[N / 256];
    listener heard = {0};
    assert_non_null(zeros);
    support_write_file(s->path, packed, add_member(zeros, N, packed, 0, sizeof(packed)));
    support_listen(s->ctx, &heard);
    expect_read(s, zeros, N);
    const long n_asked = heard.n_asked;
    assert_true(n_asked > 5); // at least once for each MiB
    for (long at = 1; at <= n_asked; at++) {
        heard = (listener){.interrupt_at = at};
        expect_failure(s, s->path, OPN_ERR_INTERRUPTED, "interrupted while ");
    }
    support_write_file(s->path, zeros, N);
    heard = (listener){.interrupt_at = 1};
    expect_failure(s, s->path, OPN_ERR_INTERRUPTED, "interrupted while ");
    free(zeros);
    support_close_stage(s);
}

static void test_read_survives_any_allocation_failure(void **state)
{
    (void)state;
    stage *s = support_open_stage("in");
    unsigned char packed[512];
    opn_status status = OPN_ERR_NOMEM;
    long n_rounds = 0;
    support_write_file(s->path, packed, add_member(text, N_TEXT, packed, 0, 512));
    for (; status == OPN_ERR_NOMEM; n_rounds++) {
        opn_i_bytes bytes = {0};
        s->m.fail_at = s->m.n_requests + 1 + n_rounds;
        status = opn_i_file_read(s->ctx, s->path, &bytes);
        assert_true((bytes.data == NULL) == (status != OPN_OK));
        opn_i_bytes_release(s->ctx, &bytes);
        assert_int_equal(s->m.n_live, 1);
    }
    assert_int_equal(status, OPN_OK);
    assert_true(n_rounds > 2);
    support_close_stage(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_read_takes_files_of_any_size),
            cmocka_unit_test(test_read_names_a_missing_file),
            cmocka_unit_test(test_read_refuses_a_folder),
            cmocka_unit_test(test_read_names_what_cannot_be_read),
            cmocka_unit_test(test_read_takes_a_file_of_unknown_size),
            cmocka_unit_test(test_read_takes_a_pipe),
            cmocka_unit_test(test_a_named_pipe_is_read_to_its_end),
            cmocka_unit_test(test_waiting_for_a_pipe_no_one_writes_to_can_be_interrupted),
            cmocka_unit_test(test_a_reader_that_looks_for_files_refuses_a_pipe),
            cmocka_unit_test(
                    test_a_path_is_taken_by_whatever_opening_it_would_complain_about),
            cmocka_unit_test(test_exists_tells_files_from_folders),
            cmocka_unit_test(test_read_unpacks_whatever_the_name),
            cmocka_unit_test(test_read_joins_the_members_of_a_packed_file),
            cmocka_unit_test(test_read_unpacks_more_than_one_step),
            cmocka_unit_test(test_read_sees_a_packed_file_cut_at_any_byte),
            cmocka_unit_test(test_read_sees_every_bit_that_matters),
            cmocka_unit_test(test_read_refuses_what_follows_the_last_member),
            cmocka_unit_test(test_expansion_is_free_at_first_and_then_in_proportion),
            cmocka_unit_test(test_read_refuses_a_bomb),
            cmocka_unit_test(test_read_tells_how_far_it_has_come),
            cmocka_unit_test(test_read_may_be_interrupted_at_any_time),
            cmocka_unit_test(test_read_survives_any_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
