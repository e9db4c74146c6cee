// progress_bar_test.c -- the progress line fits every width and shows what matters.

#include "../programs/progress_bar.h"
#include "support/cmocka_test.h"

#include <string.h>

static const bar_pace no_pace = {-1.0, -1.0};
static const bar_pace usual_pace = {152.4, 12.9};
static const opn_progress usual = {"model", 74, 200, "epochs",
                                   "loss 0.5231, validation 78.8 %"};

static void expect_line(const opn_progress *p,
                        const bar_pace *pace,
                        int n_columns,
                        const char *wanted)
{
    char line[BAR_ROOM];
    bar_format(p, pace, n_columns, false, line);
    assert_string_equal(line, wanted);
    assert_true(text_columns(line) <= (n_columns > 0 ? n_columns : 0));
}

static void what_counts_least_leaves_first(void **state)
{
    (void)state;
    static const struct {
        int n_columns;
        const char *line;
    } cases[] = {
            {200, "model [##############--------------------------]  37% 74/200 epochs, "
                  "loss 0.5231, validation 78.8 %, 152 epochs/s, 0:12 left"},
            {92, "model [##------]  37% 74/200 epochs, loss 0.5231, validation 78.8 %, "
                 "152 epochs/s, 0:12 left"},
            {91, "model [#######--------------]  37% 74/200 epochs, loss 0.5231, "
                 "validation 78.8 %, 0:12 left"},
            {78, "model [##------]  37% 74/200 epochs, loss 0.5231, validation 78.8 %, "
                 "0:12 left"},
            {77, "model [#########-----------------]  37% 74/200 epochs, loss 0.5231, "
                 "0:12 left"},
            {59, "model [##------]  37% 74/200 epochs, loss 0.5231, 0:12 left"},
            {58, "model [#######-------------]  37% 74/200 epochs, 0:12 left"},
            {46, "model [##------]  37% 74/200 epochs, 0:12 left"},
            {45, "model [#####---------]  37% 74/200, 0:12 left"},
            {39, "model [##------]  37% 74/200, 0:12 left"},
            {38, "model [#####---------]  37%, 0:12 left"},
            {32, "model [##------]  37%, 0:12 left"},
            {31, "model [######------------]  37%"},
            {21, "model [##------]  37%"},
            {20, "model  37%"},
            {10, "model  37%"},
            {9, "model"},
            {3, "mod"},
            {0, ""},
            {-1, ""},
    };
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++)
        expect_line(&usual, &usual_pace, cases[c].n_columns, cases[c].line);
}

static void what_is_not_known_is_not_shown(void **state)
{
    (void)state;
    const opn_progress rows = {"reading rows", 1234, 0, "rows", NULL};
    const bar_pace fast = {2e6, -1.0};
    const opn_progress bytes = {"reading", 12300000, 40000000, "bytes", NULL};
    const opn_progress runs = {"evaluating", 3, 30, "runs", NULL};
    const bar_pace slow = {0.2, 135.0};
    const bar_pace ages = {0.001, 27000.0};
    const bar_pace eternity = {1e-9, 27e9};
    expect_line(&rows, &no_pace, 80, "reading rows 1234 rows");
    expect_line(&rows, &fast, 80, "reading rows 1234 rows, 2000000 rows/s");
    expect_line(&rows, &fast, 25, "reading rows 1234 rows");
    expect_line(&rows, &fast, 21, "reading rows");
    expect_line(&bytes, &fast, 46, "reading [##------]  31% 12.3/40.0 MB, 2.0 MB/s");
    expect_line(&runs, &no_pace, 36, "evaluating [--------]  10% 3/30 runs");
    expect_line(&runs, &slow, 47, "evaluating [--------]  10% 3/30 runs, 2:15 left");
    expect_line(&runs, &ages, 50, "evaluating [--------]  10% 3/30 runs, 7:30:00 left");
    expect_line(&runs, &eternity, 36, "evaluating [--------]  10% 3/30 runs");
}

static void wide_characters_take_two_columns(void **state)
{
    (void)state;
    assert_int_equal(text_columns(""), 0);
    assert_int_equal(text_columns("model"), 5);
    assert_int_equal(text_columns("übung"), 5);
    assert_int_equal(text_columns("読み込み"), 8);
    assert_int_equal(text_columns("한글"), 4);
    assert_int_equal(text_columns("\xf0\x9f\x98\x80"), 2);
    assert_int_equal(text_columns("e\u0301"), 1);      // an accent of its own
    assert_int_equal(text_columns("\u0915\u093e"), 2); // a vowel sign beside its letter
    assert_int_equal(text_columns("\xff\xfe\xe8"), 3); // broken: each byte for itself
    assert_int_equal(text_columns("\xc0\x80"), 2);     // an overlong NUL
    const opn_progress wide = {"読み込み", 1, 4, "行", NULL};
    char line[BAR_ROOM];
    bar_format(&wide, &no_pace, 31, true, line);
    assert_string_equal(line, "読み込み ██░░░░░░  25% 1/4 行");
    bar_format(&wide, &no_pace, 7, true, line); // half a character is none
    assert_string_equal(line, "読み込");
    bar_format(&wide, &no_pace, 31, false, line);
    assert_string_equal(line, "???? [##------]  25% 1/4 ?");
}

static void nothing_moves_the_cursor(void **state)
{
    (void)state;
    char line[BAR_ROOM];
    const opn_progress evil = {"a\033[2J\n\r\b\x7f\xc2\x9b"
                               "b\xff\u202e\u2028",
                               1, 0, "u\n", NULL};
    for (int has_utf8 = 0; has_utf8 < 2; has_utf8++) {
        bar_format(&evil, &no_pace, 80, has_utf8, line);
        assert_string_equal(line, "a?[2J?????b??? 1 u?");
    }
}

// Every width, with and without each part; only ASCII where the terminal has no more.
static void no_line_is_longer_than_its_width(void **state)
{
    (void)state;
    static const char *const stages[] = {
            "", "model", "読み込み中のファイル",
            ("a stage that is told at great length, with more "
             "words than any terminal has columns to spare")};
    static const char *const notes[] = {NULL, "", "loss 0.1", "読, み, 込, み", ",,,"};
    char line[BAR_ROOM];
    for (int n = -1; n <= 400; n++) {
        for (size_t k = 0; k < 4 * 5 * 8; k++) {
            const bool has_utf8 = k & 1;
            const opn_progress p = {stages[k / 40], 1 + (int64_t)(k & 2) * 2000000000,
                                    k & 4 ? 4000000001 : 0, k & 2 ? "bytes" : "epochs",
                                    notes[k / 8 % 5]};
            bar_format(&p, &usual_pace, n, has_utf8, line);
            assert_true(text_columns(line) <= (n > 0 ? n : 0));
            for (const char *c = line; *c != 0 && !has_utf8; c++)
                assert_true(*c >= ' ' && *c < 0x7f);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(what_counts_least_leaves_first),
            cmocka_unit_test(what_is_not_known_is_not_shown),
            cmocka_unit_test(wide_characters_take_two_columns),
            cmocka_unit_test(nothing_moves_the_cursor),
            cmocka_unit_test(no_line_is_longer_than_its_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
