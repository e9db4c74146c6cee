// fetch_test.c -- files from a real server on the loopback, which sends them correctly
// or not, and from folders: only a complete and correct file gets its name.

#include "base/clock.h"
#include "support/cmocka_test.h"
#include "support/fetch_scene.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// Asserts the failure, that its message names the address and the reason, and how much of
// the file stays for the next try.
static void expect_failure(fetch_scene *scn,
                           const char *behaviour,
                           opn_status status,
                           const char *reason,
                           size_t n_kept)
{
    const opn_fetch_info before = scn->info;
    assert_int_equal(fetch_as(scn, behaviour), status);
    support_expect_error(scn->s->ctx, scn->mirror);
    support_expect_error(scn->s->ctx, "/planetoid/");
    support_expect_error(scn->s->ctx, reason);
    assert_false(fetch_exists(scn->path));
    assert_memory_equal(&scn->info, &before, sizeof(before));
    if (n_kept > 0)
        support_expect_file(scn->part, fetch_server.data, n_kept);
    else
        assert_false(fetch_exists(scn->part));
}

// ---- success -------------------------------------------------------------------------

static void test_a_file_is_fetched_once(void **state)
{
    (void)state;
    fetch_scene *scn = fetch_open(LARGE);
    assert_int_equal(fetch_as(scn, "whole"), OPN_OK);
    fetch_expect_whole(scn);
    assert_int_equal(scn->info.n_files, 1);
    assert_int_equal(scn->info.n_fetched, 1);
    assert_int_equal(scn->info.n_bytes_fetched, LARGE);
    assert_int_equal(fetch_as(scn, "whole"), OPN_OK);
    assert_int_equal(scn->info.n_fetched, 0);
    assert_int_equal(scn->info.n_bytes_fetched, 0);
    assert_int_equal(scn->info.n_bytes, LARGE);
    fetch_expect_requests("whole 200000 -\n");
    fetch_close(scn);
}

static void test_the_origin_has_no_folders(void **state)
{
    (void)state;
    fetch_scene *scn = fetch_open(SMALL);
    char origin[SUPPORT_PATH];
    snprintf(origin, sizeof(origin), "http://127.0.0.1:%d/whole", fetch_server.port);
    scn->source.origin = origin;
    assert_int_equal(fetch_from(scn, NULL), OPN_OK);
    fetch_expect_whole(scn);
    fetch_close(scn);
}

static void test_all_files_of_a_source_are_fetched_and_counted(void **state)
{
    (void)state;
    fetch_scene *scn = fetch_open(SMALL);
    char hash[OPN_SHA256_TEXT];
    char path[SUPPORT_PATH];
    fetch_hash(scn->s->ctx, LARGE, hash);
    const opn_i_data_file files[] = {scn->file,
                                     {"gnn-benchmark/200000.bin", LARGE, hash}};
    assert_int_equal(fetch_as(scn, "whole"), OPN_OK);
    scn->source.file = files;
    scn->source.n_files = 2;
    assert_int_equal(fetch_as(scn, "whole"), OPN_OK);
    assert_int_equal(scn->info.n_files, 2);
    assert_int_equal(scn->info.n_fetched, 1);
    assert_int_equal(scn->info.n_bytes, SMALL + LARGE);
    assert_int_equal(scn->info.n_bytes_fetched, LARGE);
    fetch_expect_whole(scn);
    support_expect_file(support_path(path, scn->folder, files[1].path), fetch_server.data,
                        LARGE);
    fetch_close(scn);
}

static void test_good_answers_of_every_kind_are_taken(void **state)
{
    (void)state;
    static const char *const good[] = {"whole/", "moved", "unannounced", "rangeless"};
    for (size_t b = 0; b < 4; b++) {
        fetch_scene *scn = fetch_open(LARGE);
        assert_int_equal(fetch_as(scn, good[b]), OPN_OK);
        fetch_expect_whole(scn);
        fetch_close(scn);
    }
}

static void test_progress_counts_the_bytes(void **state)
{
    (void)state;
    fetch_scene *scn = fetch_open(LARGE);
    listener heard = {0};
    support_listen(scn->s->ctx, &heard);
    assert_int_equal(fetch_as(scn, "whole"), OPN_OK);
    assert_true(heard.n_progress > 1);
    assert_int_equal(heard.last.done, LARGE);
    assert_int_equal(heard.last.total, LARGE);
    assert_string_equal(heard.last.unit, "bytes");
    fetch_close(scn);
}

// ---- going on ------------------------------------------------------------------------

static void test_a_fetch_goes_on_where_it_ended(void **state)
{
    (void)state;
    fetch_scene *scn = fetch_open(LARGE);
    expect_failure(scn, "truncated", OPN_ERR_READ, "after 100000 of 200000 bytes",
                   100000);
    expect_failure(scn, "truncated", OPN_ERR_READ, "after 150000 of 200000 bytes",
                   150000);
    assert_int_equal(fetch_as(scn, "whole"), OPN_OK);
    fetch_expect_whole(scn);
    fetch_expect_requests("truncated 200000 -\ntruncated 200000 bytes=100000-\n"
                          "whole 200000 bytes=150000-\n");
    fetch_close(scn);
}

static void test_a_server_without_ranges_starts_again(void **state)
{
    (void)state;
    static const struct {
        const char *behaviour, *requests;
    } cases[] = {
            {"rangeless", "rangeless 5000 bytes=1000-\n"},
            {"unannounced", "unannounced 5000 bytes=1000-\n"},
            {"unsatisfied", "unsatisfied 5000 bytes=1000-\nunsatisfied 5000 -\n"},
            {"shifted", "shifted 5000 bytes=1000-\nshifted 5000 -\n"},
    };
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        fetch_scene *scn = fetch_open(SMALL);
        fetch_leave_part(scn, 1000);
        assert_int_equal(fetch_as(scn, cases[c].behaviour), OPN_OK);
        fetch_expect_whole(scn);
        fetch_expect_requests(cases[c].requests);
        fetch_close(scn);
    }
}

static void test_a_part_of_another_file_is_thrown_away(void **state)
{
    (void)state;
    fetch_scene *scn = fetch_open(SMALL);
    fetch_make_folder(scn);
    support_write_text(scn->part, "of another file");
    assert_int_equal(fetch_as(scn, "whole"), OPN_OK);
    fetch_expect_whole(scn);
    fetch_expect_requests("whole 5000 bytes=15-\nwhole 5000 -\n");
    fetch_close(scn);
}

static void test_a_part_with_all_bytes_is_checked_without_the_server(void **state)
{
    (void)state;
    fetch_scene *scn = fetch_open(SMALL);
    fetch_leave_part(scn, SMALL);
    assert_int_equal(fetch_as(scn, "missing"), OPN_OK);
    fetch_expect_whole(scn);
    fetch_expect_requests("");
    fetch_close(scn);
    scn = fetch_open(SMALL);
    fetch_leave_part(scn, SMALL + 1); // longer than it can be
    assert_int_equal(fetch_as(scn, "whole"), OPN_OK);
    fetch_expect_whole(scn);
    fetch_expect_requests("whole 5000 -\n");
    fetch_close(scn);
}

static void test_a_changed_file_is_fetched_anew_only_once(void **state)
{
    (void)state;
    fetch_scene *scn = fetch_open(SMALL);
    fetch_leave_part(scn, 1000);
    expect_failure(scn, "corrupted", OPN_ERR_FORMAT, "SHA-256", 0);
    fetch_expect_requests("corrupted 5000 bytes=1000-\ncorrupted 5000 -\n");
    fetch_close(scn);
}

// ---- failures of the server ----------------------------------------------------------

static void test_what_is_wrong_is_said_and_not_kept(void **state)
{
    (void)state;
    static const struct {
        const char *behaviour;
        opn_status status;
        const char *reason;
    } cases[] = {
            {"missing", OPN_ERR_READ, "the server answered 404"},
            {"forbidden", OPN_ERR_READ, "the server answered 403"},
            {"nothing", OPN_ERR_READ, "was closed early"},
            {"partial", OPN_ERR_READ, "a different part"},
            {"shorter", OPN_ERR_FORMAT, "has 4999 bytes, expected 5000"},
            {"longer", OPN_ERR_FORMAT, "has 5001 bytes, expected 5000"},
            {"endless", OPN_ERR_FORMAT, "sends more than the expected 5000 bytes"},
            {"loop", OPN_ERR_READ, "redirects more than 5 times"},
            {"local", OPN_ERR_READ, "an address that is not http or https"},
            {"silent", OPN_ERR_READ, "no data for 2 seconds"},
    };
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        fetch_scene *scn = fetch_open(SMALL);
        char path[SUPPORT_PATH];
        support_write_file(support_path(path, fetch_server.folder, "local.bin"),
                           fetch_server.data, SMALL);
        if (strcmp(cases[c].behaviour, "silent") == 0)
            scn->limits.stall_seconds = 2;
        const double start = opn_i_clock();
        fetch_limit_files(SMALL); // one byte more would be another failure
        expect_failure(scn, cases[c].behaviour, cases[c].status, cases[c].reason, 0);
        fetch_limit_files(RLIM_INFINITY);
        assert_true(opn_i_clock() - start < 20.0);
        fetch_close(scn);
    }
}

static void test_a_wrong_hash_names_both(void **state)
{
    (void)state;
    fetch_scene *scn = fetch_open(SMALL);
    char got[OPN_SHA256_TEXT];
    fetch_server.data[SMALL - 1] ^= 1;
    fetch_hash(scn->s->ctx, SMALL, got);
    fetch_server.data[SMALL - 1] ^= 1;
    expect_failure(scn, "corrupted", OPN_ERR_FORMAT, scn->sha256, 0);
    support_expect_error(scn->s->ctx, got);
    fetch_expect_requests("corrupted 5000 -\n");
    fetch_close(scn);
}

static void test_what_came_before_a_failure_is_kept(void **state)
{
    (void)state;
    fetch_scene *scn = fetch_open(SMALL);
    expect_failure(scn, "unannounced_half", OPN_ERR_READ, "after 2500 of 5000 bytes",
                   2500);
    assert_int_equal(fetch_as(scn, "missing"), OPN_ERR_READ);
    support_expect_file(scn->part, fetch_server.data, 2500);
    assert_null(strstr(opn_ctx_error(scn->s->ctx), "goes on"));
    fetch_close(scn);
}

static void test_a_stalled_server_is_left(void **state)
{
    (void)state;
    fetch_scene *scn = fetch_open(SMALL);
    scn->limits.stall_seconds = 3;
    expect_failure(scn, "stalled", OPN_ERR_READ,
                   "no data for 3 seconds, after 1000 of 5000 bytes", 1000);
    fetch_close(scn);
}

// ---- https -------------------------------------------------------------------------

static void test_https_serves_whom_it_should(void **state)
{
    (void)state;
    static const char *const behaviours[] = {"whole", "moved"};
    for (int b = 0; b < 2; b++) {
        fetch_scene *scn = fetch_open(SMALL);
        scn->limits.certificates = fetch_certificate;
        assert_int_equal(fetch_by_tls(scn, behaviours[b]), OPN_OK);
        fetch_expect_whole(scn);
        fetch_close(scn);
    }
    fetch_scene *scn = fetch_open(SMALL);
    scn->limits.certificates = fetch_certificate;
    assert_int_equal(fetch_as(scn, "upgrade"), OPN_OK);
    fetch_expect_whole(scn);
    fetch_expect_requests("upgrade 5000 -\nwhole 5000 -\n");
    fetch_close(scn);
}

static void
expect_refusal_by_tls(fetch_scene *scn, const char *behaviour, const char *reason)
{
    assert_int_equal(fetch_by_tls(scn, behaviour), OPN_ERR_READ);
    support_expect_error(scn->s->ctx, scn->mirror);
    support_expect_error(scn->s->ctx, reason);
    assert_false(fetch_exists(scn->path));
    assert_false(fetch_exists(scn->part));
}

static void test_a_redirect_from_https_to_http_is_not_followed(void **state)
{
    (void)state;
    fetch_scene *scn = fetch_open(SMALL);
    scn->limits.certificates = fetch_certificate;
    expect_refusal_by_tls(scn, "downgrade", "an address that is not https");
    fetch_expect_requests("downgrade 5000 -\n");
    expect_refusal_by_tls(scn, "detour", "an address that is not https");
    fetch_expect_requests("detour 5000 -\ndowngrade 5000 -\n");
    expect_refusal_by_tls(scn, "local", "an address that is not https");
    fetch_close(scn);
}

static void test_a_server_that_nobody_vouches_for_is_not_asked(void **state)
{
    (void)state;
    fetch_scene *scn = fetch_open(SMALL);
    expect_refusal_by_tls(scn, "whole", "ertificate"); // in the words of the TLS library
    fetch_expect_requests("");
    fetch_close(scn);
}

static void test_a_server_that_is_not_there_is_named(void **state)
{
    (void)state;
    fetch_scene *scn = fetch_open(SMALL);
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t n_address = sizeof(address);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int taken = socket(AF_INET, SOCK_STREAM, 0); // bound, but nobody listens
    assert_int_equal(bind(taken, (struct sockaddr *)&address, n_address), 0);
    assert_int_equal(getsockname(taken, (struct sockaddr *)&address, &n_address), 0);
    snprintf(scn->mirror, sizeof(scn->mirror), "http://127.0.0.1:%d",
             ntohs(address.sin_port));
    assert_int_equal(fetch_from(scn, scn->mirror), OPN_ERR_READ);
    support_expect_error(scn->s->ctx, scn->mirror);
    support_expect_error(scn->s->ctx, "connect");
    assert_false(fetch_exists(scn->part));
    close(taken);
    fetch_close(scn);
}

// Asks to stop once so many bytes are here, and a while has passed.
typedef struct patience {
    int64_t n_wanted;
    int64_t n_done;
    int n_asked;
} patience;

static void on_progress(void *user, const opn_progress *progress)
{
    ((patience *)user)->n_done = progress->done;
}

static int on_interrupted(void *user)
{
    patience *p = user;
    return p->n_done >= p->n_wanted && ++p->n_asked > 3;
}

static void test_an_interrupt_is_felt_at_once_and_keeps_what_came(void **state)
{
    (void)state;
    static const struct {
        const char *behaviour;
        size_t n_bytes;
    } cases[] = {{"stalled", 1000}, {"silent", 0}};
    for (size_t c = 0; c < 2; c++) {
        fetch_scene *scn = fetch_open(SMALL);
        patience user = {.n_wanted = (int64_t)cases[c].n_bytes};
        const opn_hooks hooks = {.size = sizeof(opn_hooks),
                                 .progress = on_progress,
                                 .interrupted = on_interrupted,
                                 .user = &user};
        assert_int_equal(opn_ctx_set_hooks(scn->s->ctx, &hooks), OPN_OK);
        const double start = opn_i_clock();
        assert_int_equal(fetch_as(scn, cases[c].behaviour), OPN_ERR_INTERRUPTED);
        assert_true(opn_i_clock() - start < 30.0); // long before the stall is noticed
        support_expect_error(scn->s->ctx, "interrupted while fetching 5000.bin");
        assert_false(fetch_exists(scn->path));
        if (cases[c].n_bytes > 0)
            support_expect_file(scn->part, fetch_server.data, cases[c].n_bytes);
        assert_int_equal(opn_ctx_set_hooks(scn->s->ctx, NULL), OPN_OK);
        assert_int_equal(fetch_as(scn, "whole"), OPN_OK);
        fetch_expect_whole(scn);
        fetch_close(scn);
    }
}

// ---- mirrors -------------------------------------------------------------------------

static void test_mirrors_that_are_no_plain_address_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *mirror, *reason;
        opn_status status;
    } cases[] = {
            {"ftp://127.0.0.1/", "http:// or https://", OPN_ERR_INVALID_ARG},
            {"file:///tmp", "http:// or https://", OPN_ERR_INVALID_ARG},
            {"http://", "is not an address", OPN_ERR_INVALID_ARG},
            {"http://127.0.0.1:99999/", "is not an address", OPN_ERR_INVALID_ARG},
            {"http://me:secret@127.0.0.1/", "user name or password", OPN_ERR_INVALID_ARG},
            {"https://127.0.0.1/?key=1", "must not contain ?", OPN_ERR_INVALID_ARG},
            {"http://127.0.0.1/#top", "must not contain ?", OPN_ERR_INVALID_ARG},
            {"/no/such", "no such folder", OPN_ERR_READ},
    };
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        fetch_scene *scn = fetch_open(SMALL);
        assert_int_equal(fetch_from(scn, cases[c].mirror), cases[c].status);
        support_expect_error(scn->s->ctx, cases[c].reason);
        assert_null(strstr(opn_ctx_error(scn->s->ctx), "secret"));
        assert_false(fetch_exists(scn->folder));
        fetch_close(scn);
    }
}

static void test_a_folder_is_copied_from_under_the_same_checks(void **state)
{
    (void)state;
    fetch_scene *scn = fetch_open(LARGE);
    char path[SUPPORT_PATH];
    fetch_make_mirror(scn, LARGE - 1);
    assert_int_equal(fetch_from(scn, scn->mirror), OPN_ERR_FORMAT);
    support_expect_error(scn->s->ctx, "has 199999 bytes, expected 200000");
    assert_false(fetch_exists(scn->part));
    support_path(path, scn->mirror, scn->file.path);
    unlink(path);
    assert_int_equal(fetch_from(scn, scn->mirror), OPN_ERR_READ);
    support_expect_error(scn->s->ctx, path);
    support_expect_error(scn->s->ctx, "no such file");
    fetch_server.data[100] ^= 1;
    support_write_file(path, fetch_server.data, LARGE);
    fetch_server.data[100] ^= 1;
    assert_int_equal(fetch_from(scn, scn->mirror), OPN_ERR_FORMAT);
    support_expect_error(scn->s->ctx, "SHA-256");
    assert_false(fetch_exists(scn->part));
    support_write_file(path, fetch_server.data, LARGE);
    fetch_leave_part(scn, 10); // of another mirror: a copy starts anew
    assert_int_equal(fetch_from(scn, scn->mirror), OPN_OK);
    fetch_expect_whole(scn);
    fetch_expect_requests("");
    fetch_close(scn);
}

static void test_copying_can_be_interrupted_at_any_step(void **state)
{
    (void)state;
    bool is_reached = true;
    for (long k = 1; is_reached; k++) {
        fetch_scene *scn = fetch_open(LARGE);
        listener heard = {.interrupt_at = k};
        fetch_make_mirror(scn, LARGE);
        support_listen(scn->s->ctx, &heard);
        const opn_status status = fetch_from(scn, scn->mirror);
        is_reached = heard.n_asked >= k;
        assert_int_equal(status, is_reached ? OPN_ERR_INTERRUPTED : OPN_OK);
        assert_int_equal(fetch_exists(scn->path), !is_reached);
        fetch_close(scn);
        assert_true(is_reached || k > 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_a_file_is_fetched_once),
            cmocka_unit_test(test_the_origin_has_no_folders),
            cmocka_unit_test(test_all_files_of_a_source_are_fetched_and_counted),
            cmocka_unit_test(test_good_answers_of_every_kind_are_taken),
            cmocka_unit_test(test_progress_counts_the_bytes),
            cmocka_unit_test(test_a_fetch_goes_on_where_it_ended),
            cmocka_unit_test(test_a_server_without_ranges_starts_again),
            cmocka_unit_test(test_a_part_of_another_file_is_thrown_away),
            cmocka_unit_test(test_a_part_with_all_bytes_is_checked_without_the_server),
            cmocka_unit_test(test_a_changed_file_is_fetched_anew_only_once),
            cmocka_unit_test(test_what_is_wrong_is_said_and_not_kept),
            cmocka_unit_test(test_a_wrong_hash_names_both),
            cmocka_unit_test(test_what_came_before_a_failure_is_kept),
            cmocka_unit_test(test_a_stalled_server_is_left),
            cmocka_unit_test(test_https_serves_whom_it_should),
            cmocka_unit_test(test_a_redirect_from_https_to_http_is_not_followed),
            cmocka_unit_test(test_a_server_that_nobody_vouches_for_is_not_asked),
            cmocka_unit_test(test_a_server_that_is_not_there_is_named),
            cmocka_unit_test(test_an_interrupt_is_felt_at_once_and_keeps_what_came),
            cmocka_unit_test(test_mirrors_that_are_no_plain_address_are_refused),
            cmocka_unit_test(test_a_folder_is_copied_from_under_the_same_checks),
            cmocka_unit_test(test_copying_can_be_interrupted_at_any_step),
    };
    return cmocka_run_group_tests(tests, fetch_start_server, fetch_stop_server);
}
