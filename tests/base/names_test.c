// names_test.c -- many texts in one block, and the way back from text to number.

#include "base/names.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static opn_status add(opn_ctx *ctx, opn_i_names *names, const char *text)
{
    return opn_i_names_add(ctx, names, text, strlen(text));
}

static int32_t intern(opn_ctx *ctx, opn_i_names *names, const char *text)
{
    int32_t i = -7;
    assert_int_equal(opn_i_names_intern(ctx, names, text, strlen(text), &i), OPN_OK);
    return i;
}

static int32_t find(const opn_i_names *names, const char *text)
{
    return opn_i_names_find(names, text, strlen(text));
}

static void test_names_add_keeps_every_text_in_order(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    opn_i_names names = {0};
    static const char *const texts[] = {"b", "", "a", "b", "Zürich", "a b,c"};
    for (int i = 0; i < 6; i++)
        assert_int_equal(add(ctx, &names, texts[i]), OPN_OK);
    assert_int_equal(names.n, 6);
    for (int i = 0; i < 6; i++)
        assert_string_equal(opn_i_names_at(&names, i), texts[i]);
    opn_i_names_deinit(&ctx->alloc, &names);
    assert_int_equal(names.n, 0);
    assert_null(names.text);
    support_ctx_free(ctx, &m);
}

static void test_names_take_as_many_characters_as_are_counted(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    opn_i_names names = {0};
    int32_t i = -1;
    assert_int_equal(opn_i_names_intern(ctx, &names, "abcdef", 3, &i), OPN_OK);
    assert_string_equal(opn_i_names_at(&names, 0), "abc");
    assert_int_equal(opn_i_names_find(&names, "abcxyz", 3), 0);
    assert_int_equal(opn_i_names_find(&names, "abcdef", 6), -1);
    assert_int_equal(opn_i_names_find(&names, "abc", 2), -1);
    opn_i_names_deinit(&ctx->alloc, &names);
    opn_ctx_free(ctx);
}

static void test_names_intern_gives_each_text_one_number(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    opn_i_names names = {0};
    assert_int_equal(find(&names, "x"), -1); // in a table without any
    assert_int_equal(intern(ctx, &names, "x"), 0);
    assert_int_equal(intern(ctx, &names, ""), 1);
    assert_int_equal(intern(ctx, &names, "X"), 2);
    assert_int_equal(intern(ctx, &names, "x"), 0);
    assert_int_equal(intern(ctx, &names, ""), 1);
    assert_int_equal(names.n, 3);
    assert_int_equal(find(&names, "X"), 2);
    assert_int_equal(find(&names, ""), 1);
    assert_int_equal(find(&names, "y"), -1);
    opn_i_names_deinit(&ctx->alloc, &names);
    support_ctx_free(ctx, &m);
}

static void test_names_find_each_of_many(void **state)
{
    (void)state;
    enum { N = 100000 };
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    opn_i_names names = {0};
    char text[32];
    for (int i = 0; i < N; i++) {
        snprintf(text, sizeof(text), "user%d", i);
        assert_int_equal(intern(ctx, &names, text), i);
    }
    for (int i = 0; i < N; i++) {
        snprintf(text, sizeof(text), "user%d", i);
        assert_int_equal(find(&names, text), i);
        assert_int_equal(intern(ctx, &names, text), i);
        assert_string_equal(opn_i_names_at(&names, i), text);
        snprintf(text, sizeof(text), "User%d", i);
        assert_int_equal(find(&names, text), -1);
    }
    assert_int_equal(names.n, N);
    assert_true(m.n_requests < 200);
    opn_i_names_deinit(&ctx->alloc, &names);
    support_ctx_free(ctx, &m);
}

// Long texts first, so that a short one meets those it begins.
static void test_names_tell_apart_texts_that_differ_in_one_byte(void **state)
{
    (void)state;
    enum { MAX = 64 };
    opn_ctx *ctx = support_ctx(NULL);
    opn_i_names names = {0};
    char text[MAX];
    int32_t n = 0;
    memset(text, 'a', sizeof(text));
    for (size_t length = MAX + 1; length-- > 0;) {
        for (size_t at = 0; at <= length; at++) { // none differs when at == length
            int32_t i = -1;
            if (at < length)
                text[at] = 'b';
            assert_int_equal(opn_i_names_find(&names, text, length), -1);
            assert_int_equal(opn_i_names_intern(ctx, &names, text, length, &i), OPN_OK);
            assert_int_equal(i, n++);
            if (at < length)
                text[at] = 'a';
        }
    }
    opn_i_names_deinit(&ctx->alloc, &names);
    opn_ctx_free(ctx);
}

static void test_names_copy_is_the_same_and_apart(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    opn_i_names from = {0};
    opn_i_names to = {0};
    intern(ctx, &from, "one");
    intern(ctx, &from, "");
    assert_int_equal(add(ctx, &from, "one"), OPN_OK);
    assert_int_equal(opn_i_names_copy(ctx, &from, &to), OPN_OK);
    opn_i_names_deinit(&ctx->alloc, &from);
    assert_int_equal(to.n, 3);
    assert_string_equal(opn_i_names_at(&to, 0), "one");
    assert_string_equal(opn_i_names_at(&to, 1), "");
    assert_string_equal(opn_i_names_at(&to, 2), "one");
    opn_i_names_deinit(&ctx->alloc, &to);
    assert_int_equal(opn_i_names_copy(ctx, &from, &to), OPN_OK); // of none
    assert_int_equal(to.n, 0);
    opn_i_names_deinit(&ctx->alloc, &to);
    support_ctx_free(ctx, &m);
}

// A table that was filled by add or copy has no slots yet, however many names it holds.
static void test_names_intern_finds_what_was_added(void **state)
{
    (void)state;
    enum { N = 1000 };
    opn_ctx *ctx = support_ctx(NULL);
    opn_i_names names = {0};
    char text[32];
    for (int i = 0; i < N; i++) {
        snprintf(text, sizeof(text), "%d", i);
        assert_int_equal(add(ctx, &names, text), OPN_OK);
    }
    alarm(10); // a full table would be searched for ever
    assert_int_equal(intern(ctx, &names, "0"), 0);
    assert_int_equal(intern(ctx, &names, "999"), 999);
    assert_int_equal(intern(ctx, &names, "1000"), 1000);
    alarm(0);
    opn_i_names_deinit(&ctx->alloc, &names);
    opn_ctx_free(ctx);
}

static opn_status fill(opn_ctx *ctx, opn_i_names *names, opn_i_names *copy)
{
    opn_status status = OPN_OK;
    char text[48];
    for (int i = 0; i < 300; i++) {
        int32_t number = -1;
        snprintf(text, sizeof(text), "a name of some length %d", i);
        status = opn_i_names_intern(ctx, names, text, strlen(text), &number);
        if (status != OPN_OK) { // all names before are there, this one is not
            assert_int_equal(number, -1);
            assert_int_equal(names->n, i);
            assert_int_equal(find(names, text), -1);
            for (int j = 0; j < i; j++) {
                snprintf(text, sizeof(text), "a name of some length %d", j);
                assert_int_equal(find(names, text), j);
            }
            return status;
        }
    }
    return opn_i_names_copy(ctx, names, copy);
}

static void test_names_survive_any_allocation_failure(void **state)
{
    (void)state;
    opn_status status = OPN_ERR_NOMEM;
    long n_rounds = 0;
    for (; status == OPN_ERR_NOMEM; n_rounds++) {
        meter m = {0};
        opn_ctx *ctx = support_ctx(&m);
        opn_i_names names = {0};
        opn_i_names copy = {0};
        m.fail_at = m.n_requests + 1 + n_rounds;
        status = fill(ctx, &names, &copy);
        assert_int_equal(copy.n, status == OPN_OK ? 300 : 0);
        assert_true((copy.text != NULL) == (status == OPN_OK));
        opn_i_names_deinit(&ctx->alloc, &names);
        opn_i_names_deinit(&ctx->alloc, &copy);
        support_ctx_free(ctx, &m);
    }
    assert_int_equal(status, OPN_OK);
    assert_true(n_rounds > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_names_add_keeps_every_text_in_order),
            cmocka_unit_test(test_names_take_as_many_characters_as_are_counted),
            cmocka_unit_test(test_names_intern_gives_each_text_one_number),
            cmocka_unit_test(test_names_find_each_of_many),
            cmocka_unit_test(test_names_tell_apart_texts_that_differ_in_one_byte),
            cmocka_unit_test(test_names_copy_is_the_same_and_apart),
            cmocka_unit_test(test_names_intern_finds_what_was_added),
            cmocka_unit_test(test_names_survive_any_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
