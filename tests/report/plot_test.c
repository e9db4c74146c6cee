// plot_test.c -- the parts of figures: labels, colours, lines, ticks.

#include "io/utf8.h"
#include "report/label.h"
#include "report/palette.h"
#include "report/plot.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- labels --------------------------------------------------------------------------

static void test_labels_are_cleaned(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
            {"plain", "plain"},
            {"", ""},
            {"  two\t\r\n words ", "two words"},
            {"a\x01\x7f"
             "b\x1f"
             "c",
             "ab c"},
            {"a\xc2\x9b"
             "b\xc2\x85"
             "c",
             "ab c"},
            {"gr\xc3\xbcn", "gr\xc3\xbcn"},
            {"a\xff"
             "b",
             "a\xef\xbf\xbd"
             "b"},
            {"cut \xe2\x82", "cut \xef\xbf\xbd\xef\xbf\xbd"},
            {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, // a surrogate
            {"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"}, // longer than needed
            {"\xef\xbf\xbf", "\xef\xbf\xbd"},         // U+FFFF
            {"a\xe2\x80\xae"
             "b\xe2\x81\xa6"
             "c\xe2\x80\x8f",
             "abc"}, // override, isolate, mark
            {"\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d", "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d"},
            {"\xef\xbb\xbf"
             "bom\xe2\x80\x8b",
             "bom"},
            {"e\u0301\u0302\u0303\u0304\u0305\u0306", "e\u0301\u0302\u0303\u0304"},
            {"\u1019\u103c\u102d\u102f\u1037",
             "\u1019\u103c\u102d\u102f\u1037"},                       // a town
            {"\u0646\u200c\u0647\u200d", "\u0646\u200c\u0647\u200d"}, // joiners stay
            {"a\u00a0b\u3000c\u2028d", "a\u00a0b c d"},
            {"a\u00ad\u2060\ufff9\U000e0041\U000e0001b", "ab"},
            {"\xcc\x81"
             "e",
             "e"},
            {"\xf0\x9f\x90\x88", "\xf0\x9f\x90\x88"},
    };
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        opn_i_label label;
        assert_null(opn_i_label_take(cases[c][0], 1000, false, &label));
        assert_string_equal(label.text, cases[c][1]);
    }
}

static void test_long_labels_are_cut_or_broken(void **state)
{
    (void)state;
    opn_i_label label;
    assert_null(opn_i_label_take("aaaaaaaaaa", 4.5, false, &label));
    assert_string_equal(label.text, "aaaaa\xe2\x80\xa6"); // 5 * 0.64 + 1
    assert_null(opn_i_label_take("aaaaaaaaaa", 6.5, false, &label));
    assert_string_equal(label.text, "aaaaaaaaaa");
    const char *rest = opn_i_label_take("aaa bbb  ccc", 5, true, &label);
    assert_string_equal(label.text, "aaa bbb");
    assert_null(opn_i_label_take(rest, 5, true, &label));
    assert_string_equal(label.text, "ccc");
    assert_int_equal(opn_i_label_count_lines("aaa bbb  ccc", 5, 9), 2);
    assert_int_equal(opn_i_label_count_lines("aaa bbb  ccc", 5, 1), 1);
    assert_int_equal(opn_i_label_count_lines(NULL, 5, 9), 0);
    assert_int_equal(opn_i_label_count_lines(" \x01", 5, 9), 0);
    assert_null(opn_i_label_take(NULL, 5, true, &label));
    assert_string_equal(label.text, "");
}

static void test_labels_of_any_bytes_are_valid_and_stay_within_their_room(void **state)
{
    (void)state;
    enum { LENGTH = 3000 };
    static char text[LENGTH + 1];
    uint64_t seed = 1;
    for (int t = 0; t < 300; t++) {
        for (int c = 0; c < LENGTH; c++)
            text[c] = (char)(1 + below(&seed, t % 2 == 0 ? 255 : 127));
        const double room = below(&seed, 4000);
        opn_i_label label;
        const char *rest = opn_i_label_take(text, room, t % 3 == 0, &label);
        assert_true(rest == NULL || (rest > text && rest <= text + LENGTH));
        assert_non_null(memchr(label.text, 0, sizeof(label.text)));
        assert_true(opn_i_utf8_is_valid((const unsigned char *)label.text,
                                        strlen(label.text)));
    }
}

// ---- colours -------------------------------------------------------------------------

static double luminance(uint32_t colour)
{
    static const double weight[] = {0.0722, 0.7152, 0.2126};
    double sum = 0;
    for (int c = 0; c < 3; c++)
        sum += weight[c] * pow((colour >> 8 * c & 0xff) / 255.0, 2.2);
    return sum;
}

static void test_the_ramp_grows_darker_all_the_way(void **state)
{
    (void)state;
    for (int s = 1; s < 64; s++)
        assert_true(luminance(opn_i_ramp_colour(s / 63.0)) <
                    luminance(opn_i_ramp_colour((s - 1) / 63.0)));
    assert_true(luminance(opn_i_ramp_colour(0)) < 0.75); // seen on white
    assert_int_equal(opn_i_ramp_colour(0), opn_i_palette.ramp[0]);
    assert_int_equal(opn_i_ramp_colour(0.5), opn_i_palette.ramp[4]);
    assert_int_equal(opn_i_ramp_colour(1), opn_i_palette.ramp[8]);
    assert_int_equal(opn_i_ramp_colour(-(double)INFINITY), opn_i_palette.ramp[0]);
    assert_int_equal(opn_i_ramp_colour((double)INFINITY), opn_i_palette.ramp[8]);
    assert_int_equal(opn_i_ramp_colour((double)NAN), opn_i_palette.none);
}

static void test_no_two_classes_have_one_colour_before_all_are_used(void **state)
{
    (void)state;
    for (int a = 0; a < OPN_GROUP_COLOURS; a++) {
        assert_int_not_equal(opn_i_group_colour(a), opn_i_palette.none);
        assert_int_equal(opn_i_group_colour(a), opn_i_group_colour(a + 28));
        for (int b = 0; b < a; b++) {
            int far = 0;
            for (int c = 0; c < 24; c += 8)
                far += abs((int)(opn_i_group_colour(a) >> c & 0xff) -
                           (int)(opn_i_group_colour(b) >> c & 0xff));
            assert_true(far > 40);
        }
    }
    assert_int_equal(opn_i_group_colour(-1), opn_i_palette.none);
}

// ---- lines ---------------------------------------------------------------------------

// As many as a figure has, without their colours.
static void test_lines_are_told_apart_in_grey(void **state)
{
    (void)state;
    enum { N = 12 };
    for (int a = 0; a < N; a++)
        for (int b = 0; b < a; b++) {
            const opn_i_line_style one = opn_i_line_style_at(a);
            const opn_i_line_style other = opn_i_line_style_at(b);
            assert_true(one.marker != other.marker || one.dashes != other.dashes);
            assert_int_not_equal(one.marker, OPN_MARKER_NONE);
        }
    assert_int_equal(opn_i_line_style_of_chance().marker, OPN_MARKER_NONE);
}

// ---- axes ----------------------------------------------------------------------------

static void test_ticks_are_round_numbers(void **state)
{
    (void)state;
    static const struct {
        double low, high;
        int most;
        const char *names;
    } cases[] = {
            {0, 1, 5, "0 0.2 0.4 0.6 0.8 1.0 "},
            {0, 1, 4, "0 0.5 1.0 "},
            {0, 1, 10, "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1.0 "},
            {0.1 + 0.2, 0.7, 4, "0.3 0.4 0.5 0.6 0.7 "},
            {-1, 1, 4, "-1.0 -0.5 0 0.5 1.0 "},
            {0, 0.02, 4, "0 0.005 0.010 0.015 0.020 "},
            {0, 200, 5, "0 50 100 150 200 "},
            {37, 42, 5, "37 38 39 40 41 42 "},
            {0, 3e5, 3, "0 1e5 2e5 3e5 "},
            {-2e-6, 0, 2, "-2e-6 -1e-6 0 "},
            {0, 30000, 3, "0 1e4 2e4 3e4 "},
            {0, 3000, 3, "0 1000 2000 3000 "},
            {1e300, 9e300, 4, "2e300 4e300 6e300 8e300 "},
            {0.41, 0.44, 1, ""},
            {1, 1, 5, ""},
            {2, 1, 5, ""},
            {0, 0, 5, ""},
            {0, (double)INFINITY, 5, ""},
            {(double)NAN, 1, 5, ""},
            {-DBL_MAX, DBL_MAX, 5, ""},
            {1e15, 1e15 + 1, 5, ""},
    };
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        const opn_i_ticks ticks =
                opn_i_ticks_make(cases[c].low, cases[c].high, cases[c].most);
        char all[512] = "";
        for (int32_t i = 0; i < ticks.n; i++) {
            char name[OPN_TICK_ROOM];
            opn_i_ticks_name(&ticks, i, name);
            const size_t n = strlen(all);
            snprintf(all + n, sizeof(all) - n, "%s ", name);
        }
        assert_string_equal(all, cases[c].names);
    }
}

static void test_ticks_mean_the_numbers_they_show(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int t = 0; t < 20000; t++) {
        const double scale = pow(10, (double)below(&seed, 40) - 20);
        const double low = ((double)below(&seed, 2001) - 1000) * scale;
        const double span = (1 + (double)below(&seed, 1000)) * scale;
        const int most = 3 + (int)below(&seed, 12);
        const opn_i_ticks ticks = opn_i_ticks_make(low, low + span, most);
        assert_true(ticks.n >= 1 && ticks.n <= most + 1);
        for (int32_t i = 0; i < ticks.n; i++) {
            char name[OPN_TICK_ROOM];
            const double at = opn_i_ticks_at(&ticks, i);
            opn_i_ticks_name(&ticks, i, name);
            assert_true(fabs(strtod(name, NULL) - at) <= 1e-14 * fabs(at));
            assert_true(at >= low - 1e-8 * span && at <= low + span * (1 + 1e-8));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_labels_are_cleaned),
            cmocka_unit_test(test_long_labels_are_cut_or_broken),
            cmocka_unit_test(
                    test_labels_of_any_bytes_are_valid_and_stay_within_their_room),
            cmocka_unit_test(test_the_ramp_grows_darker_all_the_way),
            cmocka_unit_test(test_no_two_classes_have_one_colour_before_all_are_used),
            cmocka_unit_test(test_lines_are_told_apart_in_grey),
            cmocka_unit_test(test_ticks_are_round_numbers),
            cmocka_unit_test(test_ticks_mean_the_numbers_they_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
