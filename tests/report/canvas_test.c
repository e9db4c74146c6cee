// canvas_test.c -- the page of a figure: the same drawing as SVG and as PDF.

#include "report/canvas.h"
#include "report/pdf_font.h"
#include "support/cmocka_test.h"
#include "support/pdf_reader.h"
#include "support/support.h"
#include "support/svg_reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double dots[] = {10, 10, 10.4, 9.6, 200, 30.3};

// Every kind of thing once.
static void draw_all(opn_i_canvas *canvas, const char *text)
{
    const opn_i_box box = {10, 20, 30, 40};
    const opn_i_font font = {.size = 11, .room = 300, .anchor = OPN_ANCHOR_MIDDLE};
    const opn_i_font rotated = {
            .size = 9, .room = 300, .anchor = OPN_ANCHOR_END, .is_rotated = true};
    opn_i_canvas_outline(canvas, &box, 0x0072b2);
    opn_i_canvas_clip(canvas, &box);
    opn_i_canvas_begin(canvas, &(opn_i_pen){.width = 1.6,
                                            .stroke = 0xd55e00,
                                            .is_filled = true,
                                            .fill = 0x009e73,
                                            .opacity = 16,
                                            .dashes = "4 3",
                                            .is_round = true});
    opn_i_canvas_circle(canvas, 50, 60, 7);
    opn_i_canvas_box(canvas, &box, 3);
    opn_i_canvas_end(canvas);
    opn_i_canvas_unclip(canvas);
    opn_i_canvas_begin_dots(canvas, 2.5);
    opn_i_canvas_dots(canvas, 0xcc79a7, 3, dots);
    opn_i_canvas_dots(canvas, 0xcc79a7, 0, dots);
    opn_i_canvas_end_dots(canvas);
    opn_i_canvas_text(canvas, &font, 100, 50, text);
    opn_i_canvas_text(canvas, &rotated, 100, 50, text);
    opn_i_canvas_text(canvas, &font, 100, 50, NULL);
}

static char *draw(stage *s, const char *text, size_t *n)
{
    opn_i_canvas *canvas = NULL;
    assert_int_equal(opn_i_canvas_open(s->ctx, s->path, text, 300, 200, &canvas), OPN_OK);
    draw_all(canvas, text);
    assert_int_equal(opn_i_canvas_close(canvas), OPN_OK);
    return support_read_file(s->path, n);
}

// ---- both ----------------------------------------------------------------------------

static void test_the_ending_of_the_path_chooses_the_format(void **state)
{
    (void)state;
    size_t n;
    stage *s = support_open_stage("a.svg");
    char *text = draw(s, "words", &n);
    support_expect_svg(text, n);
    free(text);
    support_close_stage(s);
    s = support_open_stage("a.pdf");
    text = draw(s, "words", &n);
    free(support_expect_pdf(text, n));
    free(text);
    support_close_stage(s);
}

static void test_other_endings_are_refused(void **state)
{
    (void)state;
    static const char *const paths[] = {"a.png", "svg", "", "a.svg.gz", "a.PDF"};
    stage *s = support_open_stage("a");
    for (size_t p = 0; p < sizeof(paths) / sizeof(paths[0]); p++) {
        opn_i_canvas *canvas = NULL;
        assert_int_equal(opn_i_canvas_open(s->ctx, paths[p], NULL, 9, 9, &canvas),
                         OPN_ERR_INVALID_ARG);
        support_expect_error(s->ctx, ".svg or .pdf");
        assert_null(canvas);
    }
    support_close_stage(s);
}

// ---- PDF -----------------------------------------------------------------------------

// Numbers before the last "Tm" that precedes the n-th line of words.
static void place_of(const char *drawing, int which, double at[2])
{
    const char *line = drawing;
    for (int n = 0; n <= which; n++) {
        line = strstr(line + 1, "BT\n");
        assert_non_null(line);
    }
    const char *matrix = strstr(line, "rg\n");
    assert_non_null(matrix);
    double number[6];
    char *next = NULL;
    matrix += 3;
    for (int i = 0; i < 6; i++, matrix = next)
        number[i] = strtod(matrix, &next);
    at[0] = number[4];
    at[1] = number[5];
}

// "Hello": 722 + 556 + 222 + 222 + 556 thousandths in Helvetica.
static void test_text_is_anchored_by_its_width_in_helvetica(void **state)
{
    (void)state;
    size_t n;
    double at[2];
    stage *s = support_open_stage("a.pdf");
    char *bytes = draw(s, "Hello", &n);
    char *drawing = support_expect_pdf(bytes, n);
    place_of(drawing, 0, at);
    assert_true(fabs(at[0] - (100 - 11 * 2.278 / 2)) < 0.051);
    assert_true(fabs(at[1] - 50) < 0.051);
    place_of(drawing, 1, at); // upwards, so that its end is at 50
    assert_true(fabs(at[0] - 100) < 0.051);
    assert_true(fabs(at[1] - (50 + 9 * 2.278)) < 0.051);
    free(drawing);
    free(bytes);
    support_close_stage(s);
}

static void test_text_survives_as_far_as_the_standard_fonts_have_it(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
            {"plain (text) \\ 100 %", "plain (text) \\ 100 %"},
            {"gr\u00fcn \u00b1 1", "gr\xfcn \xb1 1"},
            {"p\u0302 = \u03b1", "p\x88 = ?"}, // the hat in Helvetica, alpha in Symbol
            {"e\u0301", "e"},
            {"\u4e2d\u6587", "??"},
            {"a\u2026", "a\x85"},
    };
    stage *s = support_open_stage("a.pdf");
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        size_t n;
        char *bytes = draw(s, cases[c][0], &n);
        char *drawing = support_expect_pdf(bytes, n);
        char *words = support_pdf_words(drawing);
        *strchr(words, '\n') = 0;
        // A hat stands within brackets, which the reader of words leaves out.
        if (strchr(cases[c][1], '\x88') != NULL)
            assert_non_null(strstr(drawing, "<88> -111] TJ"));
        else
            assert_string_equal(words, cases[c][1]);
        free(words);
        free(drawing);
        free(bytes);
    }
    support_close_stage(s);
}

static void test_widths_are_those_of_the_standard_fonts(void **state)
{
    (void)state;
    static const struct {
        uint32_t code;
        bool is_bold;
        int width;
    } cases[] = {{' ', false, 278},   {'i', false, 222},    {'W', true, 944},
                 {'~', true, 584},    {0xe9, false, 556},   {0xff, true, 556},
                 {0x3b1, true, 631},  {0x2211, false, 713}, {0x2026, false, 1000},
                 {0x4e2d, true, 611}, {0x7f, false, 556}};
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++)
        assert_int_equal(opn_i_pdf_glyph_of(cases[c].code, cases[c].is_bold).width,
                         cases[c].width);
}

static void test_titles_are_kept_in_every_script(void **state)
{
    (void)state;
    size_t n;
    stage *s = support_open_stage("a.pdf");
    char *bytes = draw(s, "\u4e2d\U0001f408>", &n);
    free(support_expect_pdf(bytes, n));
    bool is_there = false;
    const char *want = "/Title <feff4e2dd83ddc08003e>";
    for (size_t at = 0; at + strlen(want) < n; at++)
        is_there = is_there || memcmp(bytes + at, want, strlen(want)) == 0;
    assert_true(is_there);
    free(bytes);
    support_close_stage(s);
}

// ---- SVG -----------------------------------------------------------------------------

static void test_dots_are_written_relative_to_each_other(void **state)
{
    (void)state;
    size_t n;
    stage *s = support_open_stage("a.svg");
    char *text = draw(s, "words", &n);
    assert_non_null(strstr(text, "transform=\"scale(.1)\" stroke-width=\"25\""));
    assert_non_null(strstr(text, "d=\"M100 100h0m4-4h0m1896 207h0\""));
    free(text);
    support_close_stage(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_the_ending_of_the_path_chooses_the_format),
            cmocka_unit_test(test_other_endings_are_refused),
            cmocka_unit_test(test_text_is_anchored_by_its_width_in_helvetica),
            cmocka_unit_test(test_text_survives_as_far_as_the_standard_fonts_have_it),
            cmocka_unit_test(test_widths_are_those_of_the_standard_fonts),
            cmocka_unit_test(test_titles_are_kept_in_every_script),
            cmocka_unit_test(test_dots_are_written_relative_to_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
