// figure_simplex_test.c -- Dirichlet distributions drawn as triangles.

#include "report/palette.h"
#include "support/cmocka_test.h"
#include "support/figure_scene.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The polygon of this colour in the first triangle, which ends with its frame.
static const char *next_polygon(const char *text, uint32_t colour)
{
    char begin[64];
    snprintf(begin, sizeof(begin), "<path fill=\"#%06x\" d=\"", (unsigned)colour);
    const char *at = strstr(text, begin);
    const char *frame = strstr(text, " stroke-linejoin=\"round\"");
    assert_non_null(frame);
    return at == NULL || at > frame ? NULL : at + strlen(begin);
}

// The largest x of a polygon.
static double right_end(const char *at)
{
    double most = 0;
    for (; *at != '"'; at++)
        if (*at == 'M' || *at == 'L')
            most = fmax(most, strtod(at + 1, NULL));
    return most;
}

// With alpha = (a, 1, 1) the density by the uniform one is a (a + 1) / 2 p^(a - 1), so
// that its bands end at a known p.
static void test_bands_of_a_dirichlet_end_where_they_should(void **state)
{
    (void)state;
    enum { N_BANDS = 25 };
    const double a = 30;
    const double decades = 3; // log10(30 * 31 / 2) = 2.67
    stage *s = support_open_stage("figure.svg");
    make_scene("label");
    assert_int_equal(opn_i_figure_simplex(s->ctx, s->path, NULL, 1, scene.simplex),
                     OPN_OK);
    char *text = read_figure(s);
    const char *triangle = next_polygon(text, opn_i_palette.ramp[0]);
    assert_non_null(triangle);
    const double left = strtod(triangle + 1, NULL);
    const double side = right_end(triangle) - left;
    int n_bands = 0;
    for (int b = 1; b < N_BANDS; b++) {
        const char *band = next_polygon(text, opn_i_ramp_colour(b / (N_BANDS - 1.0)));
        const double level = decades * (2.0 * b / N_BANDS - 1);
        assert_int_equal(band != NULL, level <= log10(a * (a + 1) / 2));
        if (band == NULL)
            continue;
        n_bands++;
        const double p = pow(pow(10, level) / (a * (a + 1) / 2), 1 / (a - 1));
        assert_true(fabs(right_end(band) - left - side * (1 - p)) < 0.2);
    }
    assert_int_equal(n_bands, 23);
    free(text);
    support_close_stage(s);
}

// With next to no evidence the density is that of the uniform distribution: one colour,
// the middle, over the whole triangle, wherever the mode is.
static void test_no_evidence_is_the_middle_from_corner_to_corner(void **state)
{
    (void)state;
    static const double alpha[][3] = {
            {1, 1, 1}, {1.0001, 1.0003, 1}, {1, 1.0001, 1.0002}};
    stage *s = support_open_stage("figure.svg");
    make_scene("label");
    for (size_t c = 0; c < 3; c++) {
        memcpy(scene.simplex[0].alpha, alpha[c], sizeof(alpha[c]));
        assert_int_equal(opn_i_figure_simplex(s->ctx, s->path, NULL, 1, scene.simplex),
                         OPN_OK);
        char *text = read_figure(s);
        const char *triangle = next_polygon(text, opn_i_palette.ramp[0]);
        const char *middle = next_polygon(text, opn_i_palette.ramp[4]);
        assert_true(triangle != NULL && middle != NULL);
        assert_null(next_polygon(text, opn_i_ramp_colour(13 / 24.0)));
        for (int k = 0; k < 3; k++) { // M left L right L top Z
            char corner[32];
            const size_t n = strcspn(triangle + 1, "LZ");
            snprintf(corner, sizeof(corner), "%.*s", (int)n, triangle + 1);
            triangle += 1 + n;
            const char *found = strstr(middle, corner);
            assert_true(found != NULL && found < strchr(middle, '"'));
        }
        free(text);
    }
    support_close_stage(s);
}

static void test_any_evidence_makes_a_figure(void **state)
{
    (void)state;
    static const double alpha[][3] = {
            {1 + DBL_EPSILON, 1, 1}, {1.001, 1, 1}, {1, 1, 1e9}, {1e9, 1e9, 1e9},
            {1.5, 1e6, 2},           {2, 2, 40},    {1, 12, 12}, {1, 1.0001, 500},
            {1e9, 1, 1 + 1e-9},      {3, 3, 1.2},   {1, 1, 1.5}, {7, 7, 7},
    };
    stage *s = support_open_stage("figure.svg");
    for (size_t c = 0; c < sizeof(alpha) / sizeof(alpha[0]); c++) {
        make_scene("label");
        memcpy(scene.simplex[0].alpha, alpha[c], sizeof(alpha[c]));
        assert_int_equal(draw_scene_simplex(s->ctx, s->path), OPN_OK);
        free(read_figure(s));
    }
    support_close_stage(s);
}

static void test_what_is_no_evidence_is_refused(void **state)
{
    (void)state;
    static const double wrong[] = {0.999, 0, -1, (double)NAN, (double)INFINITY, 2e9};
    stage *s = support_open_stage("figure.svg");
    for (size_t w = 0; w < sizeof(wrong) / sizeof(wrong[0]); w++) {
        make_scene("label");
        scene.simplex[1].alpha[2] = wrong[w];
        assert_int_equal(draw_scene_simplex(s->ctx, s->path), OPN_ERR_INVALID_ARG);
        support_expect_error(s->ctx, "panel 2 of the figure: alpha[2]");
        assert_int_equal(support_count_entries(s->folder), 0);
    }
    support_close_stage(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_bands_of_a_dirichlet_end_where_they_should),
            cmocka_unit_test(test_no_evidence_is_the_middle_from_corner_to_corner),
            cmocka_unit_test(test_any_evidence_makes_a_figure),
            cmocka_unit_test(test_what_is_no_evidence_is_refused),
    };
    return cmocka_run_group_tests_name("figure_simplex", tests, NULL, NULL);
}
