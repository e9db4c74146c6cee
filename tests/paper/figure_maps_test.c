// figure_maps_test.c -- figures with panels of points.

#include "report/palette.h"
#include "support/cmocka_test.h"
#include "support/figure_scene.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Points in paths of this colour.
static long count_dots(const char *text, uint32_t colour)
{
    char begin[64];
    long n = 0;
    snprintf(begin, sizeof(begin), "<path stroke=\"#%06x\" d=\"M", (unsigned)colour);
    for (const char *at = text; (at = strstr(at, begin)) != NULL;) {
        const char *end = strchr(at + strlen(begin), '"');
        for (; at < end; at++)
            n += at[0] == 'h' && at[1] == '0';
    }
    return n;
}

static void test_every_point_is_drawn_once_in_the_colour_of_its_class(void **state)
{
    (void)state;
    stage *s = support_open_stage("figure.svg");
    make_scene("label");
    scene.group[7] = -1;
    scene.group[8] = N_GROUPS;
    long n_want[N_GROUPS] = {0};
    for (int i = 0; i < N_POINTS; i++)
        if (scene.group[i] >= 0 && scene.group[i] < N_GROUPS)
            n_want[scene.group[i]]++;
    scene.place[2 * 9] = NAN;
    n_want[scene.group[9]]--;
    assert_int_equal(opn_i_figure_maps(s->ctx, s->path, NULL, N_POINTS, 1, scene.map, 1),
                     OPN_OK);
    char *text = read_figure(s);
    for (int k = 0; k < N_GROUPS; k++)
        assert_int_equal(count_dots(text, opn_i_palette.group[k]), n_want[k]);
    assert_int_equal(count_dots(text, opn_i_palette.none), 2);
    assert_int_equal(count_dots(text, opn_i_palette.ink), N_LARGE);
    assert_int_equal(count_parts(text, "h0"), N_POINTS - 1 + 2 * N_LARGE);
    expect_text(text, ">0</text>"); // without names, classes go by their numbers
    expect_text(text, ">4</text>");
    expect_text(text, ">training node</text>");
    expect_text(text, ">no class</text>");
    free(text);
    support_close_stage(s);
}

static void test_values_that_are_none_are_grey(void **state)
{
    (void)state;
    stage *s = support_open_stage("figure.svg");
    make_scene("label");
    scene.value[2] = INFINITY;
    scene.value[3] = -INFINITY;
    scene.map[2].is_marked = NULL;
    assert_int_equal(
            opn_i_figure_maps(s->ctx, s->path, NULL, N_POINTS, 1, scene.map + 2, 1),
            OPN_OK);
    char *text = read_figure(s);
    assert_int_equal(count_dots(text, opn_i_palette.none), N_NAN);
    assert_true(count_dots(text, opn_i_palette.ramp[0]) > 0);
    assert_true(count_dots(text, opn_i_palette.ramp[8]) > 0);
    assert_int_equal(count_parts(text, "h0"), N_POINTS + 2 * N_LARGE);
    expect_text(text, ">no value</text>");
    free(text);
    support_close_stage(s);
}

static void test_values_over_no_range_are_the_middle(void **state)
{
    (void)state;
    static const double bounds[][2] = {{1, 1},
                                       {2, 1},
                                       {(double)NAN, 1},
                                       {0, (double)NAN},
                                       {0, (double)INFINITY},
                                       {-DBL_MAX, DBL_MAX}};
    stage *s = support_open_stage("figure.svg");
    make_scene("label");
    scene.map[2].is_marked = NULL;
    for (size_t b = 0; b < 6; b++) {
        scene.map[2].low = bounds[b][0];
        scene.map[2].high = bounds[b][1];
        assert_int_equal(
                opn_i_figure_maps(s->ctx, s->path, NULL, N_POINTS, 1, scene.map + 2, 1),
                OPN_OK);
        char *text = read_figure(s);
        assert_int_equal(count_parts(text, "h0"), N_POINTS + 2 * N_LARGE);
        assert_int_equal(count_parts(text, ">nan"), 0);
        free(text);
    }
    support_close_stage(s);
}

static void test_panels_of_one_set_of_classes_share_a_legend(void **state)
{
    (void)state;
    stage *s = support_open_stage("figure.svg");
    make_scene("kind");
    assert_int_equal(draw_scene_maps(s->ctx, s->path), OPN_OK);
    char *text = read_figure(s);
    // And titles, the name of marked points and the caption.
    assert_int_equal(count_parts(text, ">kind</text>"), 1 + 3 + N_GROUPS + 2);
    free(text);
    scene.map[1].n_groups = 2;
    assert_int_equal(opn_i_figure_maps(s->ctx, s->path, NULL, N_POINTS, 3, scene.map, 3),
                     OPN_OK);
    text = read_figure(s);
    expect_text(text, ">(a) 4</text>");
    expect_text(text, ">(b) 1</text>");
    free(text);
    scene.map[1] = scene.map[0];
    scene.map[0].n_groups = scene.map[1].n_groups = 1000;
    assert_int_equal(opn_i_figure_maps(s->ctx, s->path, NULL, N_POINTS, 3, scene.map, 3),
                     OPN_OK);
    text = read_figure(s);
    expect_text(text, ">and 956 more</text>");
    expect_text(text, ">training node</text>");
    free(text);
    support_close_stage(s);
}

static void test_marked_points_have_an_outline_and_a_key(void **state)
{
    (void)state;
    stage *s = support_open_stage("figure.svg");
    make_scene("label");
    scene.map[2].marked_name = "unknown class";
    scene.map[2].caption = "mean 0.50";
    scene.map[2].is_large = NULL;
    assert_int_equal(
            opn_i_figure_maps(s->ctx, s->path, NULL, N_POINTS, 1, scene.map + 2, 1),
            OPN_OK);
    char *text = read_figure(s);
    assert_int_equal(count_dots(text, opn_i_palette.ink), N_POINTS / N_MARKED_EACH);
    assert_int_equal(count_parts(text, "h0"), N_POINTS + N_POINTS / N_MARKED_EACH);
    expect_text(text, ">unknown class</text>");
    expect_text(text, ">mean 0.50</text>");
    // Below all other points, so that only a rim of it is seen.
    char ink[32];
    snprintf(ink, sizeof(ink), "<path stroke=\"#%06x\"", (unsigned)opn_i_palette.ink);
    assert_true(strstr(text, ink) < strstr(text, "h0\"/>\n<path stroke=\"#"));
    free(text);
    support_close_stage(s);
}

static void test_groups_are_numbered_where_they_are(void **state)
{
    (void)state;
    stage *s = support_open_stage("figure.svg");
    make_scene("label");
    assert_int_equal(opn_i_figure_maps(s->ctx, s->path, NULL, N_POINTS, 1, scene.map, 1),
                     OPN_OK);
    char *text = read_figure(s);
    for (int k = 0; k < N_GROUPS; k++) { // on the map, in the legend, and as a name
        char part[32];
        snprintf(part, sizeof(part), ">%d</text>", k);
        assert_int_equal(count_parts(text, part), 3);
    }
    free(text);
    support_close_stage(s);
}

static void test_six_maps_of_7487_points_are_below_a_megabyte(void **state)
{
    (void)state;
    enum { N = 7487 };
    stage *s = support_open_stage("figure.svg");
    float *place = malloc(2 * N * sizeof(*place));
    float *value = malloc(N * sizeof(*value));
    uint8_t *is_large = malloc(N);
    assert_true(place != NULL && value != NULL && is_large != NULL);
    opn_i_map_panel panels[6];
    uint64_t seed = 3;
    for (int i = 0; i < N; i++) {
        place[2 * i] = (float)below(&seed, 100000) / 100000;
        place[2 * i + 1] = (float)below(&seed, 100000) / 100000;
        value[i] = (float)below(&seed, 100000) / 100000;
        is_large[i] = below(&seed, 50) == 0;
    }
    for (int p = 0; p < 6; p++)
        panels[p] = (opn_i_map_panel){
                .place = place, .is_large = is_large, .value = value, .high = 1};
    assert_int_equal(opn_i_figure_maps(s->ctx, s->path, "large", N, 6, panels, 3),
                     OPN_OK);
    char *text = read_figure(s);
    assert_true(strlen(text) < 1000000);
    free(text);
    free(place);
    free(value);
    free(is_large);
    support_close_stage(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_every_point_is_drawn_once_in_the_colour_of_its_class),
            cmocka_unit_test(test_values_that_are_none_are_grey),
            cmocka_unit_test(test_values_over_no_range_are_the_middle),
            cmocka_unit_test(test_panels_of_one_set_of_classes_share_a_legend),
            cmocka_unit_test(test_marked_points_have_an_outline_and_a_key),
            cmocka_unit_test(test_groups_are_numbered_where_they_are),
            cmocka_unit_test(test_six_maps_of_7487_points_are_below_a_megabyte),
    };
    return cmocka_run_group_tests_name("figure_maps", tests, NULL, NULL);
}
