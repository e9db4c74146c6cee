// json_write_test.c -- documents are whole or not written.

#include "io/json_write.h"
#include "support/cmocka_test.h"

#include <stdlib.h>
#include <string.h>

// ---- memory that runs out
// --------------------------------------------------------------

static long n_left; // allocations until one fails; negative: none does

static void *allocate(size_t n)
{
    return n_left-- == 0 ? NULL : malloc(n);
}

static json_t *sample(void)
{
    json_t *document = json_object();
    json_t *list = json_array();
    opn_i_json_append(list, opn_i_json_number(0.5));
    opn_i_json_append(list, opn_i_json_string("two"));
    opn_i_json_set(document, "a name that is long enough", opn_i_json_string("a value"));
    opn_i_json_set(document, "list", list);
    opn_i_json_set(document, "interval", opn_i_json_interval(1.0, 2.0));
    return document;
}

static char *text_of_sample(void)
{
    json_t *document = sample();
    char *text = opn_i_json_text(document, JSON_COMPACT);
    json_decref(document);
    return text;
}

static void test_a_text_is_whole_or_there_is_none(void **state)
{
    (void)state;
    int n_failures = 0;
    n_left = -1;
    char *whole = text_of_sample();
    assert_non_null(whole);
    json_set_alloc_funcs(allocate, free);
    for (long k = 0;; k++) {
        n_left = k;
        char *text = text_of_sample();
        const bool has_failed = n_left < 0;
        if (text != NULL)
            assert_string_equal(text, whole);
        n_failures += text == NULL;
        free(text);
        if (!has_failed)
            break;
    }
    json_set_alloc_funcs(malloc, free);
    assert_true(n_failures > 10);
    free(whole);
}

static void test_what_was_dropped_is_forgotten_once_it_was_told(void **state)
{
    (void)state;
    opn_i_json_append(NULL, json_true());
    assert_null(text_of_sample());
    char *text = text_of_sample();
    assert_non_null(text);
    free(text);
    opn_i_json_set(NULL, "name", json_true());
    assert_true(opn_i_json_is_short());
    assert_false(opn_i_json_is_short());
}

// ---- texts
// -----------------------------------------------------------------------------

static void expect_mended(const char *text, const char *want)
{
    json_t *string = opn_i_json_string(text);
    assert_string_equal(json_string_value(string), want);
    json_decref(string);
}

static void test_bytes_that_are_not_utf8_are_marked(void **state)
{
    (void)state;
    expect_mended("plain", "plain");
    expect_mended("", "");
    expect_mended("na\xc3\xafve", "na\xc3\xafve");
    expect_mended("/tmp/\xff\xfe.npz", "/tmp/??.npz");
    expect_mended("cut \xc3", "cut ?");
    expect_mended("\xe2\x82\xac and \x80", "\xe2\x82\xac and ?");
    assert_true(json_is_null(opn_i_json_string(NULL)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_a_text_is_whole_or_there_is_none),
            cmocka_unit_test(test_what_was_dropped_is_forgotten_once_it_was_told),
            cmocka_unit_test(test_bytes_that_are_not_utf8_are_marked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
