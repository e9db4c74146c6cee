// context_test.c -- status, messages, hooks and threads of a context.

#define _GNU_SOURCE // for the default attributes of threads

#include "base/context.h"
#include "io/utf8.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// ---- status --------------------------------------------------------------------------

static void test_status_values_never_change(void **state)
{
    (void)state;
    static const opn_status by_value[] = {
            OPN_OK,
            OPN_ERR_NOMEM,
            OPN_ERR_INVALID_ARG,
            OPN_ERR_SHAPE,
            OPN_ERR_OVERFLOW,
            OPN_ERR_FORMAT,
            OPN_ERR_READ,
            OPN_ERR_WRITE,
            OPN_ERR_NONFINITE,
            OPN_ERR_INTERRUPTED,
            OPN_ERR_UNSUPPORTED,
            OPN_ERR_INTERNAL,
    };
    for (size_t i = 0; i < sizeof(by_value) / sizeof(by_value[0]); i++)
        assert_int_equal(by_value[i], i);
}

static void test_status_names_are_words_of_their_own(void **state)
{
    (void)state;
    for (int a = OPN_OK; a <= OPN_ERR_INTERNAL; a++) {
        const char *name = opn_status_name((opn_status)a);
        assert_string_not_equal(name, "");
        for (int b = a + 1; b <= OPN_ERR_INTERNAL + 1; b++)
            assert_string_not_equal(name, opn_status_name((opn_status)b));
    }
    assert_string_equal(opn_status_name((opn_status)1000), "unknown status");
}

static void test_version_is_the_one_of_the_build(void **state)
{
    (void)state;
    assert_string_equal(opn_version(), OPN_VERSION_TEXT);
}

// ---- life ----------------------------------------------------------------------------

static void test_ctx_create_refuses_half_an_allocator(void **state)
{
    (void)state;
    meter m = {0};
    const opn_alloc whole = meter_hooks(&m);
    const opn_alloc no_release = {.alloc = whole.alloc, .user = &m};
    const opn_alloc no_alloc = {.release = whole.release, .user = &m};
    opn_ctx *ctx = NULL;
    assert_int_equal(opn_ctx_create(&no_release, &ctx), OPN_ERR_INVALID_ARG);
    assert_int_equal(opn_ctx_create(&no_alloc, &ctx), OPN_ERR_INVALID_ARG);
    assert_int_equal(opn_ctx_create(&whole, NULL), OPN_ERR_INVALID_ARG);
    assert_null(ctx);
    assert_int_equal(m.n_requests, 0);
}

static void test_ctx_create_survives_exhaustion(void **state)
{
    (void)state;
    meter m = {.fail_at = 1};
    const opn_alloc hooks = meter_hooks(&m);
    opn_ctx *ctx = NULL;
    assert_int_equal(opn_ctx_create(&hooks, &ctx), OPN_ERR_NOMEM);
    assert_null(ctx);
    assert_int_equal(m.n_live, 0);
}

static void test_ctx_copies_the_allocator(void **state)
{
    (void)state;
    meter m = {0};
    opn_alloc hooks = meter_hooks(&m);
    opn_ctx *ctx = NULL;
    assert_int_equal(opn_ctx_create(&hooks, &ctx), OPN_OK);
    hooks = (opn_alloc){0};
    void *block = opn_i_calloc(&ctx->alloc, 1, 1);
    assert_int_equal(m.n_live, 2);
    opn_i_release(&ctx->alloc, block);
    support_ctx_free(ctx, &m);
}

static void test_ctx_free_accepts_null(void **state)
{
    (void)state;
    opn_ctx_free(NULL);
}

// ---- messages ------------------------------------------------------------------------

static void test_ctx_error_is_empty_before_the_first_failure(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    assert_string_equal(opn_ctx_error(ctx), "");
    opn_ctx_free(ctx);
}

static void test_fail_returns_its_code_and_keeps_the_message(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    assert_int_equal(opn_i_fail(ctx, OPN_ERR_FORMAT, "edges.csv:%d: node %s", 17, "a"),
                     OPN_ERR_FORMAT);
    assert_string_equal(opn_ctx_error(ctx), "edges.csv:17: node a");
    assert_int_equal(opn_i_fail(ctx, OPN_ERR_READ, "other"), OPN_ERR_READ);
    assert_string_equal(opn_ctx_error(ctx), "other");
    assert_int_equal(opn_i_fail_nomem(ctx, 12, 8), OPN_ERR_NOMEM);
    assert_string_equal(opn_ctx_error(ctx), "out of memory for 12 items of 8 bytes");
    opn_ctx_free(ctx);
}

static void test_fail_cuts_a_message_that_is_too_long(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    char text[4096];
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = 0;
    assert_int_equal(opn_i_fail(ctx, OPN_ERR_FORMAT, "%s", text), OPN_ERR_FORMAT);
    assert_int_equal(strlen(opn_ctx_error(ctx)), sizeof(ctx->error) - 1);
    assert_int_equal(opn_i_fail_within(ctx, OPN_ERR_FORMAT, "a.npz"), OPN_ERR_FORMAT);
    assert_int_equal(strlen(opn_ctx_error(ctx)), sizeof(ctx->error) - 1);
    assert_memory_equal(opn_ctx_error(ctx), "a.npz: xxx", 10);
    opn_ctx_free(ctx);
}

static void test_fail_within_names_the_outer_file_first(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    (void)opn_i_fail(ctx, OPN_ERR_FORMAT, "labels: %d%% bad", 5);
    assert_int_equal(opn_i_fail_within(ctx, OPN_ERR_SHAPE, "g.npz"), OPN_ERR_SHAPE);
    assert_string_equal(opn_ctx_error(ctx), "g.npz: labels: 5% bad");
    assert_int_equal(opn_i_fail_within(ctx, OPN_ERR_READ, "50% of it"), OPN_ERR_READ);
    assert_string_equal(opn_ctx_error(ctx), "50% of it: g.npz: labels: 5% bad");
    opn_ctx_free(ctx);
}

// ---- hooks ---------------------------------------------------------------------------

static void test_hooks_hear_the_log_with_its_level(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    listener heard = {0};
    support_listen(ctx, &heard);
    opn_i_log(ctx, OPN_LOG_WARNING, "%d odd", 3);
    opn_i_log(ctx, OPN_LOG_INFO, "reading");
    opn_i_log(ctx, OPN_LOG_DETAIL, "block");
    opn_i_log(ctx, OPN_LOG_DETAIL, "block");
    assert_int_equal(heard.n_messages[OPN_LOG_WARNING], 1);
    assert_int_equal(heard.n_messages[OPN_LOG_INFO], 1);
    assert_int_equal(heard.n_messages[OPN_LOG_DETAIL], 2);
    assert_string_equal(heard.log, "3 odd\nreading\nblock\nblock\n");
    assert_string_equal(opn_ctx_error(ctx), "");
    opn_ctx_free(ctx);
}

static void test_hooks_hear_progress_and_may_interrupt(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    listener heard = {.interrupt_at = 2};
    support_listen(ctx, &heard);
    assert_int_equal(opn_i_progress(ctx, "reading a.csv", 1, 4, "MB"), OPN_OK);
    assert_string_equal(heard.last.stage, "reading a.csv");
    assert_int_equal(heard.last.done, 1);
    assert_int_equal(heard.last.total, 4);
    assert_string_equal(heard.last.unit, "MB");
    assert_null(heard.last.note);
    assert_int_equal(opn_i_progress(ctx, "reading a.csv", 2, 4, "MB"),
                     OPN_ERR_INTERRUPTED);
    assert_string_equal(opn_ctx_error(ctx), "interrupted while reading a.csv");
    assert_int_equal(heard.n_progress, 2); // told before it was asked
    heard.interrupt_at = 3;
    assert_int_equal(opn_i_progress(ctx, "teacher", 3, 4, "epochs"), OPN_ERR_INTERRUPTED);
    assert_string_equal(opn_ctx_error(ctx), "interrupted while training the teacher");
    opn_ctx_free(ctx);
}

static void test_hooks_may_be_missing(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    listener heard = {.interrupt_at = 1};
    opn_i_log(ctx, OPN_LOG_WARNING, "nobody listens");
    assert_int_equal(opn_i_progress(ctx, "working", 1, 0, "nodes"), OPN_OK);
    support_listen(ctx, &heard);
    assert_int_equal(opn_ctx_set_hooks(ctx, NULL), OPN_OK);
    opn_i_log(ctx, OPN_LOG_WARNING, "nobody listens any more");
    assert_int_equal(opn_i_progress(ctx, "working", 1, 0, "nodes"), OPN_OK);
    assert_int_equal(heard.n_messages[OPN_LOG_WARNING] + heard.n_progress, 0);
    const opn_hooks none = {.size = sizeof(none)};
    assert_int_equal(opn_ctx_set_hooks(ctx, &none), OPN_OK);
    assert_int_equal(opn_i_progress(ctx, "working", 1, 0, "nodes"), OPN_OK);
    opn_ctx_free(ctx);
}

static void test_hooks_of_another_size_are_refused(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    listener heard = {0};
    const opn_hooks none = {0};
    const opn_hooks later = {.size = sizeof(later) + sizeof(void *)};
    support_listen(ctx, &heard);
    assert_int_equal(opn_ctx_set_hooks(ctx, &none), OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "sizeof(opn_hooks)");
    assert_int_equal(opn_ctx_set_hooks(ctx, &later), OPN_ERR_INVALID_ARG);
    opn_i_log(ctx, OPN_LOG_WARNING, "those before still listen");
    assert_int_equal(heard.n_messages[OPN_LOG_WARNING], 1);
    opn_ctx_free(ctx);
}

static void test_a_message_about_a_long_path_keeps_its_reason(void **state)
{
    (void)state;
    enum { LONGEST = 4095 };
    char path[LONGEST + 1];
    listener heard = {0};
    opn_ctx *ctx = support_ctx(NULL);
    for (int n = 0; n < LONGEST; n++) // "é" is two bytes, and may not be cut in half
        path[n] = (char)(n % 2 ? 0xa9 : 0xc3);
    path[LONGEST - 1] = 'x';
    path[LONGEST] = 0;
    for (int n = 1; n < LONGEST; n += 2) { // of any length
        const char *end = path + LONGEST - n;
        opn_i_set_error(ctx, "%s: cannot be opened: %s", end, "File name too long");
        const char *said = opn_ctx_error(ctx);
        assert_true(opn_i_utf8_is_valid((const unsigned char *)said, strlen(said)));
        support_expect_error(ctx, "x: cannot be opened: File name too long");
        assert_memory_equal(said, end, n < 400 ? (size_t)n : 400);
        assert_true(n < 900 ? strlen(said) == (size_t)n + 38 : strlen(said) > 900);
    }
    support_listen(ctx, &heard);
    opn_i_log(ctx, OPN_LOG_WARNING, "%s: is strange", path);
    assert_non_null(strstr(heard.log, "x: is strange"));
    support_ctx_free(ctx, NULL);
}

// Names in files may be longer than any path.
static void test_a_message_that_quotes_a_megabyte_keeps_its_reason(void **state)
{
    (void)state;
    enum { LONGEST = 1 << 20 };
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    char *name = malloc(LONGEST + 1);
    assert_non_null(name);
    memset(name, 'x', LONGEST);
    name[LONGEST] = 0;
    for (int n = 8000; n <= LONGEST; n = n < 8200 ? n + 1 : 2 * n) {
        const char *end = name + LONGEST - n;
        opn_i_set_error(ctx, "e.csv:3: node \"%s\" is in neither %s", end, "of them");
        support_expect_error(ctx, "x\" is in neither of them");
        assert_memory_equal(opn_ctx_error(ctx), "e.csv:3: node \"xxx", 18);
    }
    m.fail_at = m.n_requests + 1; // without memory it says at least where
    opn_i_set_error(ctx, "e.csv:3: node \"%s\" is in neither", name);
    assert_memory_equal(opn_ctx_error(ctx), "e.csv:3: node \"xxx", 18);
    free(name);
    support_ctx_free(ctx, &m);
}

// ---- threads -------------------------------------------------------------------------

static void test_ctx_starts_with_one_thread(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    assert_int_equal(opn_ctx_threads(ctx), 1);
    opn_ctx_free(ctx);
}

static void test_ctx_set_threads_keeps_to_its_bounds(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    assert_int_equal(opn_ctx_set_threads(ctx, 1024), OPN_OK);
    assert_int_equal(opn_ctx_threads(ctx), 1024);
    assert_int_equal(opn_ctx_set_threads(ctx, 1025), OPN_ERR_INVALID_ARG);
    assert_string_equal(opn_ctx_error(ctx), "1025 threads: outside [0, 1024]");
    assert_int_equal(opn_ctx_set_threads(ctx, -1), OPN_ERR_INVALID_ARG);
    assert_int_equal(opn_ctx_threads(ctx), 1024);
    assert_int_equal(opn_ctx_set_threads(ctx, 0), OPN_OK);
    assert_in_range(opn_ctx_threads(ctx), 1, 1024);
    opn_ctx_free(ctx);
}

// A default stack that no address space has room for, so that no thread can be started.
static void refuse_threads(pthread_attr_t *before)
{
    pthread_attr_t huge;
    assert_int_equal(pthread_getattr_default_np(before), 0);
    assert_int_equal(pthread_attr_init(&huge), 0);
    assert_int_equal(pthread_attr_setstacksize(&huge, (size_t)1 << 62), 0);
    assert_int_equal(pthread_setattr_default_np(&huge), 0);
    (void)pthread_attr_destroy(&huge);
}

static void test_threads_that_cannot_be_started_are_done_without(void **state)
{
    (void)state;
    pthread_attr_t before;
    listener heard = {0};
    opn_ctx *ctx = support_ctx(NULL);
    support_listen(ctx, &heard);
    assert_int_equal(opn_ctx_set_threads(ctx, 4), OPN_OK);
    const int n_asked = opn_ctx_threads(ctx); // 1 without OpenMP
    refuse_threads(&before);
    assert_int_equal(opn_i_threads(ctx), 1);
    assert_int_equal(opn_i_threads_for(ctx, 400, 100), 1);
    assert_int_equal(pthread_setattr_default_np(&before), 0);
    (void)pthread_attr_destroy(&before);
    assert_int_equal(heard.n_messages[OPN_LOG_WARNING], n_asked > 1);
    if (n_asked > 1)
        assert_non_null(strstr(heard.log, "only 1 of 4 threads can be started"));
    assert_int_equal(opn_ctx_set_threads(ctx, 4), OPN_OK); // tried again
    assert_int_equal(opn_i_threads(ctx), n_asked);
    support_ctx_free(ctx, NULL);
}

static void test_threads_for_gives_each_thread_its_grain(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    assert_int_equal(opn_ctx_set_threads(ctx, 4), OPN_OK);
    assert_int_equal(opn_i_threads_for(ctx, 0, 100), 1);
    assert_int_equal(opn_i_threads_for(ctx, 199, 100), 1);
    assert_int_equal(opn_i_threads_for(ctx, 200, 100), 2);
    assert_int_equal(opn_i_threads_for(ctx, 499, 100), 4);
    assert_int_equal(opn_i_threads_for(ctx, INT64_MAX, 1), 4);
    opn_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_status_values_never_change),
            cmocka_unit_test(test_status_names_are_words_of_their_own),
            cmocka_unit_test(test_version_is_the_one_of_the_build),
            cmocka_unit_test(test_ctx_create_refuses_half_an_allocator),
            cmocka_unit_test(test_ctx_create_survives_exhaustion),
            cmocka_unit_test(test_ctx_copies_the_allocator),
            cmocka_unit_test(test_ctx_free_accepts_null),
            cmocka_unit_test(test_ctx_error_is_empty_before_the_first_failure),
            cmocka_unit_test(test_fail_returns_its_code_and_keeps_the_message),
            cmocka_unit_test(test_fail_cuts_a_message_that_is_too_long),
            cmocka_unit_test(test_fail_within_names_the_outer_file_first),
            cmocka_unit_test(test_hooks_hear_the_log_with_its_level),
            cmocka_unit_test(test_hooks_hear_progress_and_may_interrupt),
            cmocka_unit_test(test_hooks_may_be_missing),
            cmocka_unit_test(test_hooks_of_another_size_are_refused),
            cmocka_unit_test(test_a_message_about_a_long_path_keeps_its_reason),
            cmocka_unit_test(test_a_message_that_quotes_a_megabyte_keeps_its_reason),
            cmocka_unit_test(test_ctx_starts_with_one_thread),
            cmocka_unit_test(test_ctx_set_threads_keeps_to_its_bounds),
            cmocka_unit_test(test_threads_that_cannot_be_started_are_done_without),
            cmocka_unit_test(test_threads_for_gives_each_thread_its_grain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
