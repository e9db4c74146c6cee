// figure_curves_test.c -- figures with panels of lines.

#include "support/cmocka_test.h"
#include "support/figure_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void test_lines_of_one_name_share_a_colour_and_a_key(void **state)
{
    (void)state;
    stage *s = support_open_stage("figure.svg");
    make_scene("label");
    scene.line[0].name = "first";
    scene.line[1].name = "second";
    scene.line[2].name = "guess";
    assert_int_equal(draw_scene_curves(s->ctx, s->path), OPN_OK);
    char *text = read_figure(s);
    // In two panels and the legend.
    assert_int_equal(count_parts(text, " stroke=\"#0072b2\" stroke-width=\"1.6\" d"), 3);
    assert_int_equal(count_parts(text, " stroke=\"#e69f00\" stroke-width=\"1.6\" "
                                       "stroke-dasharray=\"8 3\""),
                     3);
    assert_int_equal(count_parts(text, " stroke=\"#808080\" stroke-width=\"1.2\" "
                                       "stroke-dasharray=\"1.5 3\""),
                     3);
    // Six markers on each line in each panel, and one in the legend.
    assert_int_equal(count_parts(text, " stroke=\"#0072b2\" stroke-width=\"1.3\""),
                     2 * 6 + 1);
    assert_int_equal(count_parts(text, " stroke=\"#e69f00\" stroke-width=\"1.3\""),
                     2 * 6 + 1);
    // A band in each panel, and its key.
    assert_int_equal(count_parts(text, " fill=\"#e69f00\" fill-opacity=\"0.16\""), 2);
    assert_int_equal(count_parts(text, " fill-opacity=\"0.16\""), 3);
    assert_int_equal(count_parts(text, ">first</text>"), 1);
    assert_int_equal(count_parts(text, ">guess</text>"), 1);
    free(text);
    support_close_stage(s);
}

static void test_lines_are_broken_at_what_is_no_number(void **state)
{
    (void)state;
    stage *s = support_open_stage("figure.svg");
    static const double x[] = {0, 0.1, (double)NAN, 0.3, 0.4, 0.5, 0.6};
    static const double y[] = {0, 0.1, 0.2, 0.3, (double)INFINITY, 0.5, 1e300};
    const opn_i_line line = {.name = "line", .n = 7, .x = x, .y = y};
    const opn_i_curve_panel panel = {.n_lines = 1, .line = &line};
    assert_int_equal(opn_i_figure_curves(s->ctx, s->path, NULL, 1, &panel, 1), OPN_OK);
    char *text = read_figure(s);
    const char *at = strstr(text, "stroke=\"#0072b2\" stroke-width=\"1.6\" d=\"");
    assert_non_null(at);
    char *end = strchr(at + 39, '"');
    *end = 0;
    assert_int_equal(count_parts(at, "M"), 3);
    assert_int_equal(count_parts(at, "L"), 2);
    free(text);
    support_close_stage(s);
}

// A curve over a large graph has a point for each node.
static void test_steps_too_small_to_see_are_left_out(void **state)
{
    (void)state;
    enum { N = 200000 };
    stage *s = support_open_stage("figure.svg");
    double *x = malloc(N * sizeof(*x));
    assert_non_null(x);
    for (int i = 0; i < N; i++)
        x[i] = (double)i / (N - 1);
    const opn_i_line line = {.name = "line", .n = N, .x = x, .y = x};
    const opn_i_curve_panel panel = {.n_lines = 1, .line = &line};
    assert_int_equal(opn_i_figure_curves(s->ctx, s->path, NULL, 1, &panel, 1), OPN_OK);
    char *text = read_figure(s);
    assert_true(strlen(text) < 20000);
    free(text);
    free(x);
    support_close_stage(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_lines_of_one_name_share_a_colour_and_a_key),
            cmocka_unit_test(test_lines_are_broken_at_what_is_no_number),
            cmocka_unit_test(test_steps_too_small_to_see_are_left_out),
    };
    return cmocka_run_group_tests_name("figure_curves", tests, NULL, NULL);
}
