// params_test.c -- the table of parameters, and values for it.

#include "opine/params.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static opn_params *new_params(opn_ctx *ctx)
{
    opn_params *params = NULL;
    assert_int_equal(opn_params_create(ctx, &params), OPN_OK);
    return params;
}

static void to_kebab(const char *name, char out[64])
{
    snprintf(out, 64, "%s", name);
    for (char *c = out; *c != 0; c++)
        *c = (char)(*c == '_' ? '-' : *c);
}

// ---- the table -----------------------------------------------------------------------

static void test_table_ends_where_it_says(void **state)
{
    (void)state;
    assert_true(opn_param_count() > 0);
    for (size_t i = 0; i < opn_param_count(); i++)
        assert_non_null(opn_param_at(i));
    assert_null(opn_param_at(opn_param_count()));
    assert_null(opn_param_at(SIZE_MAX));
}

static void test_table_names_are_snake_case_and_unique(void **state)
{
    (void)state;
    for (size_t i = 0; i < opn_param_count(); i++) {
        const char *name = opn_param_at(i)->name;
        assert_in_range(name[0], 'a', 'z');
        assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_"),
                         strlen(name));
        assert_true(strlen(name) < 60); // messages hold the option in 64 bytes
        assert_null(strstr(name, "__"));
        assert_int_not_equal(name[strlen(name) - 1], '_');
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(name, opn_param_at(j)->name);
    }
}

static void test_table_texts_are_there_and_help_is_a_sentence(void **state)
{
    (void)state;
    for (size_t i = 0; i < opn_param_count(); i++) {
        const opn_param *param = opn_param_at(i);
        assert_true(param->affects != 0);
        assert_true(param->unit == NULL || param->unit[0] != 0);
        assert_non_null(param->default_text);
        const size_t n = strlen(param->help);
        assert_true(n > 10);
        if (param->help[0] < 'A' || param->help[0] > 'Z' || param->help[n - 1] != '.' ||
            strstr(param->help, ". ") != NULL || strchr(param->help, '\n') != NULL)
            fail_msg("%s: \"%s\" is not one sentence", param->name, param->help);
    }
}

// Except for kinds without bounds, where any would be a slip.
static void test_table_bounds_hold_the_default(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    opn_params *params = new_params(ctx);
    for (size_t i = 0; i < opn_param_count(); i++) {
        const opn_param *param = opn_param_at(i);
        const bool is_number =
                param->kind == OPN_PARAM_INT || param->kind == OPN_PARAM_REAL;
        const double value = is_number ? opn_params_real(params, param->name) : 0.0;
        assert_true(param->min <= value && value <= param->max);
        assert_true(is_number ? param->min < param->max : param->max == 0.0);
        assert_true((param->kind == OPN_PARAM_CHOICE ||
                     param->kind == OPN_PARAM_CHOICES) == (param->choices != NULL));
    }
    opn_params_free(params);
    opn_ctx_free(ctx);
}

static void test_table_defaults_may_be_given_too(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    opn_params *params = new_params(ctx);
    for (size_t i = 0; i < opn_param_count(); i++) {
        const opn_param *param = opn_param_at(i);
        assert_int_equal(opn_params_set(ctx, params, param->name, param->default_text),
                         OPN_OK);
        assert_string_equal(opn_params_text(params, param->name), param->default_text);
    }
    opn_params_free(params);
    opn_ctx_free(ctx);
}

static void test_a_part_is_one_of_those_there_are(void **state)
{
    (void)state;
    static const char *const right[] = {"1/1", "1/4", "4/4", "007/10", "10000/10000"};
    static const struct {
        const char *text, *message;
    } wrong[] = {{"0/4", "0/4 is none of the parts 1/4 to 4/4"},
                 {"5/4", "5/4 is none of the parts 1/4 to 4/4"},
                 {"1/0", "1/0: the number of parts is outside [1, 10000]"},
                 {"1/10001", "the number of parts is outside [1, 10000]"},
                 {"99999999999999999999/4", "is not of the form I/N, such as 1/4"},
                 {"-1/4", "\"-1/4\" is not of the form I/N"},
                 {"1/4/2", "is not of the form I/N"},
                 {"1.5/4", "is not of the form I/N"},
                 {"1 /4", "is not of the form I/N"},
                 {"1/", "is not of the form I/N"},
                 {"/4", "is not of the form I/N"},
                 {"2", "is not of the form I/N"},
                 {"first", "is not of the form I/N"},
                 {"", "is not of the form I/N"}};
    opn_ctx *ctx = support_ctx(NULL);
    opn_params *params = new_params(ctx);
    assert_false(opn_params_given(params, "shard"));
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_int_equal(opn_params_set(ctx, params, "shard", wrong[i].text),
                         OPN_ERR_INVALID_ARG);
        support_expect_error(ctx, wrong[i].message);
    }
    assert_false(opn_params_given(params, "shard"));
    for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++)
        assert_int_equal(opn_params_set(ctx, params, "shard", right[i]), OPN_OK);
    opn_params_free(params);
    opn_ctx_free(ctx);
}

static void test_find_takes_snake_and_kebab_case(void **state)
{
    (void)state;
    for (size_t i = 0; i < opn_param_count(); i++) {
        char kebab[64];
        char longer[80];
        const opn_param *param = opn_param_at(i);
        to_kebab(param->name, kebab);
        snprintf(longer, sizeof(longer), "%sx", param->name);
        assert_ptr_equal(opn_param_find(param->name), param);
        assert_ptr_equal(opn_param_find(kebab), param);
        assert_null(opn_param_find(longer));
        longer[strlen(param->name) - 1] = 0; // one letter short
        assert_ptr_not_equal(opn_param_find(longer), param);
    }
    assert_null(opn_param_find(""));
    assert_null(opn_param_find("Seed"));
    assert_null(opn_param_find("mean degree"));
}

// ---- values --------------------------------------------------------------------------

static void test_params_start_with_the_defaults(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    opn_params *params = new_params(ctx);
    for (size_t i = 0; i < opn_param_count(); i++) {
        const opn_param *param = opn_param_at(i);
        assert_string_equal(opn_params_text(params, param->name), param->default_text);
        assert_false(opn_params_given(params, param->name));
    }
    assert_int_equal(opn_params_int(params, "nodes"), 2500);
    assert_true(opn_params_real(params, "homophily") == 0.8);
    assert_false(opn_params_flag(params, "json"));
    assert_string_equal(opn_params_text(params, "output"), "");
    opn_params_free(params);
    opn_params_free(NULL);
    support_ctx_free(ctx, &m);
}

static void test_params_keep_what_was_set_last(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    opn_params *params = new_params(ctx);
    char path[] = "out";
    assert_int_equal(opn_params_set(ctx, params, "nodes", "7"), OPN_OK);
    assert_int_equal(opn_params_set(ctx, params, "nodes", "1e3"), OPN_OK);
    assert_int_equal(opn_params_set(ctx, params, "mean-degree", "2.5"), OPN_OK);
    assert_int_equal(opn_params_set(ctx, params, "json", "on"), OPN_OK);
    assert_int_equal(opn_params_set(ctx, params, "output", path), OPN_OK);
    path[0] = '?'; // the text was copied
    assert_int_equal(opn_params_int(params, "nodes"), 1000);
    assert_string_equal(opn_params_text(params, "nodes"), "1e3");
    assert_true(opn_params_real(params, "mean_degree") == 2.5);
    assert_true(opn_params_flag(params, "json"));
    assert_string_equal(opn_params_text(params, "output"), "out");
    assert_true(opn_params_given(params, "nodes"));
    assert_true(opn_params_given(params, "mean_degree"));
    assert_false(opn_params_given(params, "homophily"));
    assert_int_equal(opn_params_set(ctx, params, "json", "off"), OPN_OK);
    assert_false(opn_params_flag(params, "json"));
    assert_true(opn_params_given(params, "json"));
    opn_params_free(params);
    support_ctx_free(ctx, &m);
}

static void expect_refused(const char *name, const char *text, const char *message)
{
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    opn_params *params = new_params(ctx);
    if (opn_params_set(ctx, params, name, text) != OPN_ERR_INVALID_ARG)
        fail_msg("%s took \"%s\"", name, text);
    assert_string_equal(opn_ctx_error(ctx), message);
    for (size_t i = 0; i < opn_param_count(); i++)
        assert_false(opn_params_given(params, opn_param_at(i)->name));
    opn_params_free(params);
    support_ctx_free(ctx, &m);
}

static void test_params_refuse_an_unknown_name(void **state)
{
    (void)state;
    expect_refused("sead", "1", "no parameter is called sead");
}

static void test_params_refuse_what_is_no_number(void **state)
{
    (void)state;
    static const char *const texts[] = {
            "",     " ",     "x",   "nan", "NaN", "inf",   "-inf",  "infinity", "0x1",
            "0x1p", "1 ",    " 1",  "1,5", "1e",  "e1",    "1e999", "-1e999",   "--1",
            "+-1",  "1.2.3", "1e+", ".",   "-",   "12abc", "1_000", "١"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        char message[128];
        snprintf(message, sizeof(message), "`seed`: \"%s\" is not a number", texts[i]);
        expect_refused("seed", texts[i], message);
        snprintf(message, sizeof(message), "`mean_degree`: \"%s\" is not a number",
                 texts[i]);
        expect_refused("mean_degree", texts[i], message);
    }
}

static void test_params_refuse_a_fraction_where_whole_numbers_count(void **state)
{
    (void)state;
    expect_refused("nodes", "2.5", "`nodes`: 2.5 is not a whole number");
    expect_refused("nodes", "1e-3", "`nodes`: 1e-3 is not a whole number");
}

static void test_params_refuse_what_is_out_of_bounds(void **state)
{
    (void)state;
    expect_refused("nodes", "0", "`nodes`: 0 is outside [1, 100000000]");
    expect_refused("nodes", "-5", "`nodes`: -5 is outside [1, 100000000]");
    expect_refused("nodes", "100000001", "`nodes`: 100000001 is outside [1, 100000000]");
    expect_refused("homophily", "1.0000001", "`homophily`: 1.0000001 is outside [0, 1]");
    expect_refused("homophily", "-1e-300", "`homophily`: -1e-300 is outside [0, 1]");
    expect_refused("threads", "1025", "`threads`: 1025 is outside [0, 1024]");
}

// Beyond 2^53 a double skips whole numbers, and two seeds would be one.
static void test_params_never_change_a_whole_number(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    opn_params *params = new_params(ctx);
    assert_int_equal(opn_params_set(ctx, params, "seed", "9007199254740991"), OPN_OK);
    assert_true(opn_params_int(params, "seed") == INT64_C(9007199254740991));
    assert_int_equal(opn_params_set(ctx, params, "seed", "9007199254740993"),
                     OPN_ERR_INVALID_ARG);
    assert_int_equal(opn_params_set(ctx, params, "seed", "18446744073709551616"),
                     OPN_ERR_INVALID_ARG);
    opn_params_free(params);
    opn_ctx_free(ctx);
}

static void test_params_take_their_bounds(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    opn_params *params = new_params(ctx);
    for (size_t i = 0; i < opn_param_count(); i++) {
        const opn_param *param = opn_param_at(i);
        char text[64];
        if (param->kind != OPN_PARAM_INT && param->kind != OPN_PARAM_REAL)
            continue;
        snprintf(text, sizeof(text), "%.17g", param->min);
        assert_int_equal(opn_params_set(ctx, params, param->name, text), OPN_OK);
        assert_true(opn_params_real(params, param->name) == param->min);
        snprintf(text, sizeof(text), "%.17g", param->max);
        assert_int_equal(opn_params_set(ctx, params, param->name, text), OPN_OK);
        assert_true(opn_params_real(params, param->name) == param->max);
    }
    opn_params_free(params);
    opn_ctx_free(ctx);
}

static void test_params_refuse_what_is_neither_on_nor_off(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "yes", "1", "ON", "on ", "offf"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        char message[128];
        snprintf(message, sizeof(message), "`json`: \"%s\" is neither on nor off",
                 texts[i]);
        expect_refused("json", texts[i], message);
    }
}

static void test_params_keep_a_choice_to_its_choices(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    opn_params *params = new_params(ctx);
    for (size_t i = 0; i < opn_param_count(); i++) {
        const opn_param *param = opn_param_at(i);
        if (param->kind != OPN_PARAM_CHOICE)
            continue;
        for (const char *at = param->choices; *at != 0;) {
            char text[64];
            const size_t n = strcspn(at, "|");
            snprintf(text, sizeof(text), "%.*s", (int)n, at);
            assert_int_equal(opn_params_set(ctx, params, param->name, text), OPN_OK);
            assert_string_equal(opn_params_text(params, param->name), text);
            text[n - 1] = 0;
            assert_int_equal(opn_params_set(ctx, params, param->name, text),
                             OPN_ERR_INVALID_ARG);
            at += n + (at[n] == '|');
        }
        assert_int_equal(opn_params_set(ctx, params, param->name, param->choices),
                         strchr(param->choices, '|') ? OPN_ERR_INVALID_ARG : OPN_OK);
        assert_int_equal(opn_params_set(ctx, params, param->name, ""),
                         OPN_ERR_INVALID_ARG);
    }
    opn_params_free(params);
    opn_ctx_free(ctx);
}

// Every list of texts that are choices is taken, and no other.
static void test_params_keep_a_list_to_its_choices(void **state)
{
    (void)state;
    static const char *const lists[] = {
            "gcn", "gcn,s-gcn", "s-bgcn-t-k,gcn,s-bgcn",
            "gcn,gcn,gcn", // a list may repeat; evaluate sees to that
            "gcn,drop-gcn,dropedge-gcn,edl-gcn,dpn-gcn,s-gcn,s-bgcn,s-bgcn-t,s-bgcn-t-k"};
    opn_ctx *ctx = support_ctx(NULL);
    opn_params *params = new_params(ctx);
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        assert_int_equal(opn_params_set(ctx, params, "model", lists[i]), OPN_OK);
        assert_string_equal(opn_params_text(params, "model"), lists[i]);
    }
    assert_int_equal(opn_params_set(ctx, params, "model", ""), OPN_OK);
    assert_string_equal(opn_params_text(params, "model"), "");
    assert_true(opn_params_given(params, "model"));
    opn_params_free(params);
    opn_ctx_free(ctx);
}

static void test_params_name_the_wrong_member_of_a_list(void **state)
{
    (void)state;
    static const char choices[] = "main|main-appendix|ablation-main|ablation-appendix|"
                                  "dropedge|gat|images|rule|beyond|encoders|rivals";
    static const struct {
        const char *list, *wrong;
        const char *meant; // NULL: nobody can tell
    } lists[] = {{"mian", "mian", "main"},
                 {"main,mian", "mian", "main"},
                 {"mian,main,nowhere", "mian", "main"},
                 {"main,", "", NULL},
                 {",", "", NULL},
                 {",main", "", NULL},
                 {"main,,beyond", "", NULL},
                 {"main, beyond", " beyond", "beyond"},
                 {"Main", "Main", "main"},
                 {"main|beyond", "main|beyond", NULL},
                 {"mai", "mai", "main"},
                 {"mainx", "mainx", "main"},
                 {"nothing", "nothing", NULL},
                 {"main;beyond", "main;beyond", NULL}};
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        char message[256];
        if (lists[i].meant != NULL)
            snprintf(message, sizeof(message),
                     "`table`: there is no \"%s\"; did you mean %s?", lists[i].wrong,
                     lists[i].meant);
        else
            snprintf(message, sizeof(message), "`table`: \"%s\" is not one of %s",
                     lists[i].wrong, choices);
        expect_refused("table", lists[i].list, message);
    }
}

static void test_params_keep_the_old_value_when_a_new_one_is_refused(void **state)
{
    (void)state;
    opn_ctx *ctx = support_ctx(NULL);
    opn_params *params = new_params(ctx);
    assert_int_equal(opn_params_set(ctx, params, "nodes", "42"), OPN_OK);
    assert_int_equal(opn_params_set(ctx, params, "nodes", "zero"), OPN_ERR_INVALID_ARG);
    assert_int_equal(opn_params_int(params, "nodes"), 42);
    assert_string_equal(opn_params_text(params, "nodes"), "42");
    opn_params_free(params);
    opn_ctx_free(ctx);
}

static void test_params_do_not_depend_on_the_locale(void **state)
{
    (void)state;
    char folder[SUPPORT_PATH];
    opn_ctx *ctx = support_ctx(NULL);
    opn_params *params = NULL;
    support_temp_folder(folder);
    support_set_comma_locale(folder);
    const opn_status created = opn_params_create(ctx, &params);
    opn_status with_point = OPN_ERR_INTERNAL;
    opn_status with_comma = OPN_ERR_INTERNAL;
    opn_status with_many_digits = OPN_ERR_INTERNAL;
    if (created == OPN_OK) {
        with_comma = opn_params_set(ctx, params, "homophily", "0,25");
        with_point = opn_params_set(ctx, params, "homophily", "0.25");
        with_many_digits =
                opn_params_set(ctx, params, "topic_overlap", "0.12345678901234567890123");
    }
    setlocale(LC_ALL, "C");
    support_remove_folder(folder);
    assert_int_equal(created, OPN_OK); // the default of homophily is 0.8
    assert_int_equal(with_comma, OPN_ERR_INVALID_ARG);
    assert_int_equal(with_point, OPN_OK);
    assert_int_equal(with_many_digits, OPN_OK);
    assert_true(opn_params_real(params, "homophily") == 0.25);
    assert_true(opn_params_real(params, "topic_overlap") == 0.12345678901234567890123);
    opn_params_free(params);
    opn_ctx_free(ctx);
}

static opn_status make_and_set(opn_ctx *ctx, opn_params **params)
{
    const opn_status status = opn_params_create(ctx, params);
    return status == OPN_OK ? opn_params_set(ctx, *params, "output", "somewhere")
                            : status;
}

static void test_params_survive_any_allocation_failure(void **state)
{
    (void)state;
    opn_status status = OPN_ERR_NOMEM;
    long n_rounds = 0;
    for (; status == OPN_ERR_NOMEM; n_rounds++) {
        meter m = {0};
        opn_ctx *ctx = support_ctx(&m);
        opn_params *params = NULL;
        m.fail_at = m.n_requests + 1 + n_rounds;
        status = make_and_set(ctx, &params);
        assert_true((params == NULL) == (n_rounds == 0));
        if (params != NULL)
            assert_int_equal(opn_params_given(params, "output"), status == OPN_OK);
        opn_params_free(params);
        support_ctx_free(ctx, &m);
    }
    assert_int_equal(status, OPN_OK);
    assert_int_equal(n_rounds, 3); // the values, the text, then success
}

// ---- copies --------------------------------------------------------------------------

static void test_a_copy_has_the_same_values_and_the_same_given(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    opn_params *params = new_params(ctx);
    opn_params *copy = NULL;
    assert_int_equal(opn_params_set(ctx, params, "nodes", "1e3"), OPN_OK);
    assert_int_equal(opn_params_set(ctx, params, "homophily", "0.8"), OPN_OK);
    assert_int_equal(opn_params_set(ctx, params, "json", "on"), OPN_OK);
    assert_int_equal(opn_params_set(ctx, params, "model", "gcn,s-gcn"), OPN_OK);
    assert_int_equal(opn_params_set(ctx, params, "table", ""), OPN_OK);
    assert_int_equal(opn_params_copy(ctx, params, &copy), OPN_OK);
    for (size_t i = 0; i < opn_param_count(); i++) {
        const char *name = opn_param_at(i)->name;
        assert_string_equal(opn_params_text(copy, name), opn_params_text(params, name));
        assert_int_equal(opn_params_given(copy, name), opn_params_given(params, name));
        assert_true(opn_params_real(copy, name) == opn_params_real(params, name));
    }
    opn_params_free(params);
    opn_params_free(copy);
    support_ctx_free(ctx, &m);
}

static void test_a_copy_goes_its_own_way(void **state)
{
    (void)state;
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    opn_params *params = new_params(ctx);
    opn_params *copy = NULL;
    assert_int_equal(opn_params_set(ctx, params, "output", "a"), OPN_OK);
    assert_int_equal(opn_params_copy(ctx, params, &copy), OPN_OK);
    assert_int_equal(opn_params_set(ctx, copy, "output", "b"), OPN_OK);
    assert_int_equal(opn_params_set(ctx, copy, "seed", "5"), OPN_OK);
    assert_string_equal(opn_params_text(params, "output"), "a");
    assert_false(opn_params_given(params, "seed"));
    opn_params_free(params);
    assert_string_equal(opn_params_text(copy, "output"), "b");
    opn_params_free(copy);
    support_ctx_free(ctx, &m);
}

static void test_a_copy_survives_any_allocation_failure(void **state)
{
    (void)state;
    opn_status status = OPN_ERR_NOMEM;
    long n_rounds = 0;
    for (; status == OPN_ERR_NOMEM; n_rounds++) {
        meter m = {0};
        opn_ctx *ctx = support_ctx(&m);
        opn_params *params = new_params(ctx);
        opn_params *copy = NULL;
        assert_int_equal(opn_params_set(ctx, params, "output", "x"), OPN_OK);
        assert_int_equal(opn_params_set(ctx, params, "seed", "1"), OPN_OK);
        m.fail_at = m.n_requests + 1 + n_rounds;
        status = opn_params_copy(ctx, params, &copy);
        assert_true((copy != NULL) == (status == OPN_OK));
        opn_params_free(params);
        opn_params_free(copy);
        support_ctx_free(ctx, &m);
    }
    assert_int_equal(status, OPN_OK);
    assert_int_equal(n_rounds, 4); // the values, two texts, then success
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_table_ends_where_it_says),
            cmocka_unit_test(test_table_names_are_snake_case_and_unique),
            cmocka_unit_test(test_table_texts_are_there_and_help_is_a_sentence),
            cmocka_unit_test(test_table_bounds_hold_the_default),
            cmocka_unit_test(test_table_defaults_may_be_given_too),
            cmocka_unit_test(test_a_part_is_one_of_those_there_are),
            cmocka_unit_test(test_find_takes_snake_and_kebab_case),
            cmocka_unit_test(test_params_start_with_the_defaults),
            cmocka_unit_test(test_params_keep_what_was_set_last),
            cmocka_unit_test(test_params_refuse_an_unknown_name),
            cmocka_unit_test(test_params_refuse_what_is_no_number),
            cmocka_unit_test(test_params_refuse_a_fraction_where_whole_numbers_count),
            cmocka_unit_test(test_params_refuse_what_is_out_of_bounds),
            cmocka_unit_test(test_params_never_change_a_whole_number),
            cmocka_unit_test(test_params_take_their_bounds),
            cmocka_unit_test(test_params_refuse_what_is_neither_on_nor_off),
            cmocka_unit_test(test_params_keep_a_choice_to_its_choices),
            cmocka_unit_test(test_params_keep_a_list_to_its_choices),
            cmocka_unit_test(test_params_name_the_wrong_member_of_a_list),
            cmocka_unit_test(test_params_keep_the_old_value_when_a_new_one_is_refused),
            cmocka_unit_test(test_params_do_not_depend_on_the_locale),
            cmocka_unit_test(test_params_survive_any_allocation_failure),
            cmocka_unit_test(test_a_copy_has_the_same_values_and_the_same_given),
            cmocka_unit_test(test_a_copy_goes_its_own_way),
            cmocka_unit_test(test_a_copy_survives_any_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
