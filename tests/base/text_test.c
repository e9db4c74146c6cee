// text_test.c -- text put together piece by piece.

#include "base/text.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <locale.h>
#include <string.h>

static void pieces_of_any_length_are_joined(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    opn_i_text text = {.ctx = ctx};
    assert_string_equal(opn_i_text_chars(&text), "");
    for (int i = 0; i < 1000; i++) {
        opn_i_text_add(&text, "%*d", i % 7 + 1, i % 10);
        opn_i_text_put(&text, "ab", 1);
        assert_int_equal(strlen(text.chars), text.n);
    }
    assert_int_equal(text.status, OPN_OK);
    assert_memory_equal(text.chars, "0a 1a  2a   3a", 14);
    opn_i_text_free(&text);
    support_ctx_free(ctx, &m);
}

static void numbers_have_a_point_in_every_locale(void **state)
{
    (void)state;
    stage *s = support_open_stage("none");
    opn_i_text text = {.ctx = s->ctx};
    support_set_comma_locale(s->folder);
    opn_i_text_add(&text, "%.2f", 0.25);
    setlocale(LC_ALL, "C");
    assert_string_equal(opn_i_text_chars(&text), "0.25");
    opn_i_text_free(&text);
    support_close_stage(s);
}

static void what_is_taken_belongs_to_the_caller(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    opn_i_text text = {.ctx = ctx};
    char *taken = NULL;
    char *nothing = NULL;
    opn_i_text_add(&text, "one");
    assert_int_equal(opn_i_text_take(&text, &taken), OPN_OK);
    assert_int_equal(opn_i_text_take(&text, &nothing), OPN_OK);
    opn_i_text_free(&text);
    assert_string_equal(taken, "one");
    assert_string_equal(nothing, "");
    opn_i_release(&ctx->alloc, taken);
    opn_i_release(&ctx->alloc, nothing);
    support_ctx_free(ctx, &m);
}

static void an_emptied_text_begins_anew_in_its_room(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    opn_i_text text = {.ctx = ctx};
    opn_i_text_empty(&text);
    opn_i_text_add(&text, "first");
    const size_t room = text.room;
    opn_i_text_empty(&text);
    assert_string_equal(opn_i_text_chars(&text), "");
    opn_i_text_add(&text, "next");
    assert_string_equal(text.chars, "next");
    assert_int_equal(text.room, room);
    opn_i_text_free(&text);
    support_ctx_free(ctx, &m);
}

// What was there before stays whole, and nothing that comes later follows a gap.
static void the_first_failure_is_kept_and_nothing_added_after_it(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    opn_i_text text = {.ctx = ctx};
    char *taken = NULL;
    opn_i_text_add(&text, "kept");
    m.fail_at = m.n_requests + 1;
    opn_i_text_add(&text, "%500s", "lost");
    m.fail_at = 0;
    assert_int_equal(text.status, OPN_ERR_NOMEM);
    opn_i_text_add(&text, "more");
    opn_i_text_put(&text, "more", 4);
    assert_string_equal(text.chars, "kept");
    assert_int_equal(opn_i_text_take(&text, &taken), OPN_ERR_NOMEM);
    assert_null(taken);
    opn_i_text_free(&text);
    support_ctx_free(ctx, &m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(pieces_of_any_length_are_joined),
            cmocka_unit_test(numbers_have_a_point_in_every_locale),
            cmocka_unit_test(what_is_taken_belongs_to_the_caller),
            cmocka_unit_test(an_emptied_text_begins_anew_in_its_room),
            cmocka_unit_test(the_first_failure_is_kept_and_nothing_added_after_it),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
