// figures_test.c -- static figures: valid whatever they are given, the same bytes always,
// whole or not there at all.

#include "paper/figure_curves.h"
#include "paper/figure_framework.h"
#include "paper/figure_gkde.h"
#include "paper/figure_maps.h"
#include "paper/figure_simplex.h"
#include "report/palette.h"
#include "support/cmocka_test.h"
#include "support/pdf_reader.h"
#include "support/support.h"
#include "support/svg_reader.h"

#include <errno.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

// ---- calls that fail on demand -------------------------------------------------------

// These replace the functions of the C library in all of this program.
static struct {
    bool is_armed;
    long n_calls;
    long fail_at; // 1-based
} writes;

static bool fails(void)
{
    if (!writes.is_armed || ++writes.n_calls != writes.fail_at)
        return false;
    errno = ENOSPC;
    return true;
}

ssize_t write(int file, const void *data, size_t n_bytes)
{
    // writev() does not write to its parts, but has no type to say so.
    struct iovec part = {NULL, n_bytes};
    memcpy(&part.iov_base, &data, sizeof(data));
    return fails() ? -1 : writev(file, &part, 1);
}

// Nothing here has to survive a crash, so nothing is really synced. Where a folder
// cannot be, the file in it is whole all the same.
int fsync(int file)
{
    struct stat info;
    return fstat(file, &info) == 0 && S_ISREG(info.st_mode) && fails() ? -1 : 0;
}

// ---- what is in a figure ------------------------------------------------------------

// The file of a stage, well-formed; to be freed.
static char *read_figure(const stage *s)
{
    size_t n;
    char *text = support_read_file(s->path, &n);
    support_expect_svg(text, n);
    return text;
}

static long count(const char *text, const char *part)
{
    long n = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part))
        n++;
    return n;
}

static void expect_text(const char *figure, const char *part)
{
    if (strstr(figure, part) == NULL)
        fail_msg("\"%s\" is not in the figure", part);
}

// ---- figures to draw -----------------------------------------------------------------

enum { N_POINTS = 300, N_LARGE = 15, N_MARKED_EACH = 10, N_NAN = 6, N_GROUPS = 5 };

static struct {
    float place[2 * N_POINTS];
    uint8_t is_large[N_POINTS], is_marked[N_POINTS];
    int32_t group[N_POINTS];
    float value[N_POINTS];
    double x[N_POINTS], y[N_POINTS];
    const char *label; // of everything that has one
    opn_i_names names;
    opn_i_map_panel map[3];
    opn_i_line line[3];
    opn_i_curve_panel curve[2];
    opn_i_simplex_panel simplex[3];
} scene;

static void make_points(void)
{
    uint64_t seed = 5;
    for (int i = 0; i < N_POINTS; i++) {
        scene.place[2 * i] = (float)below(&seed, 1001) / 1000;
        scene.place[2 * i + 1] = (float)below(&seed, 1001) / 1000;
        scene.is_large[i] = i % (N_POINTS / N_LARGE) == 0;
        scene.is_marked[i] = i % N_MARKED_EACH == 3;
        scene.group[i] = (int32_t)below(&seed, N_GROUPS);
        scene.value[i] = (float)below(&seed, 1000) / 999;
        scene.x[i] = (double)i / (N_POINTS - 1);
        scene.y[i] = sqrt(scene.x[i]);
    }
    for (int i = 1; i < N_POINTS; i += N_POINTS / N_NAN) // none of them large
        scene.value[i] = NAN;
}

static void make_scene(const char *label)
{
    static const double alpha[3][3] = {{30, 1, 1}, {20, 20, 20}, {1, 1, 1}};
    make_points();
    scene.label = label;
    scene.names = (opn_i_names){0};
    scene.map[0] = (opn_i_map_panel){.title = label,
                                     .place = scene.place,
                                     .is_large = scene.is_large,
                                     .group = scene.group,
                                     .group_names = &scene.names,
                                     .n_groups = N_GROUPS};
    scene.map[1] = scene.map[0];
    scene.map[2] = (opn_i_map_panel){.title = label,
                                     .place = scene.place,
                                     .is_large = scene.is_large,
                                     .value = scene.value,
                                     .high = 1,
                                     .is_marked = scene.is_marked,
                                     .marked_name = label,
                                     .caption = label};
    for (int l = 0; l < 3; l++)
        scene.line[l] = (opn_i_line){.name = label,
                                     .n = N_POINTS,
                                     .x = scene.x,
                                     .y = l == 2 ? scene.x : scene.y,
                                     .low = l == 1 ? scene.x : NULL,
                                     .high = l == 1 ? scene.y : NULL,
                                     .is_chance = l == 2};
    for (int p = 0; p < 2; p++)
        scene.curve[p] = (opn_i_curve_panel){.title = label,
                                             .x_name = label,
                                             .y_name = label,
                                             .band_name = label,
                                             .line = scene.line};
    scene.curve[0].n_lines = scene.curve[1].n_lines = 3;
    for (int p = 0; p < 3; p++) {
        scene.simplex[p] = (opn_i_simplex_panel){
                .title = label, .corner = {label, label, label}, .caption = label};
        memcpy(scene.simplex[p].alpha, alpha[p], sizeof(alpha[p]));
    }
}

typedef opn_status figure(opn_ctx *ctx, const char *path);

static opn_status draw_maps(opn_ctx *ctx, const char *path)
{
    opn_status status = OPN_OK;
    for (int k = 0; k < N_GROUPS; k++)
        OPN_TRY(opn_i_names_add(ctx, &scene.names, scene.label, strlen(scene.label)));
    OPN_TRY(opn_i_figure_maps(ctx, path, scene.label, N_POINTS, 3, scene.map, 3));
cleanup:
    opn_i_names_deinit(&ctx->alloc, &scene.names);
    scene.names = (opn_i_names){0};
    return status;
}

static opn_status draw_curves(opn_ctx *ctx, const char *path)
{
    return opn_i_figure_curves(ctx, path, scene.label, 2, scene.curve, 2);
}

static opn_status draw_simplex(opn_ctx *ctx, const char *path)
{
    return opn_i_figure_simplex(ctx, path, scene.label, 3, scene.simplex);
}

// The first ones show the label of the scene.
static figure *const figures[] = {draw_maps, draw_curves, draw_simplex,
                                  opn_i_figure_framework, opn_i_figure_gkde};

enum { N_FIGURES = sizeof(figures) / sizeof(figures[0]), N_LABELLED = 3 };

static const char *const files[] = {"figure.svg", "figure.pdf"};

enum { N_FORMATS = sizeof(files) / sizeof(files[0]) };

// The file of a stage, whole in its format.
static void expect_figure(const stage *s)
{
    size_t n;
    char *text = support_read_file(s->path, &n);
    if (strstr(s->path, ".pdf") != NULL)
        free(support_expect_pdf(text, n));
    else
        support_expect_svg(text, n);
    free(text);
}

// ---- labels -------------------------------------------------------------------------

static void test_hostile_labels_are_drawn_as_harmless_text(void **state)
{
    (void)state;
    static char endless[100001];
    static char accents[20001];
    memset(endless, 'W', sizeof(endless) - 1);
    for (size_t c = 0; c + 1 < sizeof(accents); c++)
        accents[c] = "\xcc\x81"[c % 2];
    const char *const labels[] = {
            "</text></svg><script>alert(1)</script>",
            "\"/><image href='http://example.org/x.png'/>",
            "&xxe; &#0; &amp; ]]> <!-- <![CDATA[ <?php",
            "\xff\xfe\x80 \xc0\x80 \xf4\x90\x80\x80",
            "\x01\x02\x08\x0b\x0c\x1b[31m\x7f\xc2\x80",
            "\xe2\x80\xaeneddih\xe2\x81\xa7",
            "\xef\xbf\xbe\xef\xbf\xbf\xf0\x9f\xbf\xbe",
            "%s%n%d",
            "'\"`${}\\",
            endless,
            accents,
            "",
            " ",
    };
    stage *s = support_open_stage("figure.svg");
    stage *pdf = support_open_stage("figure.pdf");
    for (size_t l = 0; l < sizeof(labels) / sizeof(labels[0]); l++) {
        make_scene(labels[l]);
        for (size_t f = 0; f < N_LABELLED; f++) {
            assert_int_equal(figures[f](s->ctx, s->path), OPN_OK);
            char *text = read_figure(s);
            assert_int_equal(count(text, "<script"), 0);
            assert_true(strlen(text) < 200000);
            if (labels[l] == endless)
                expect_text(text, "WWW\xe2\x80\xa6</text>");
            free(text);
            assert_int_equal(figures[f](pdf->ctx, pdf->path), OPN_OK);
            expect_figure(pdf);
        }
    }
    support_close_stage(pdf);
    support_close_stage(s);
}

// ---- maps ----------------------------------------------------------------------------

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
    assert_int_equal(count(text, "h0"), N_POINTS - 1 + 2 * N_LARGE);
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
    assert_int_equal(count(text, "h0"), N_POINTS + 2 * N_LARGE);
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
        assert_int_equal(count(text, "h0"), N_POINTS + 2 * N_LARGE);
        assert_int_equal(count(text, ">nan"), 0);
        free(text);
    }
    support_close_stage(s);
}

static void test_panels_of_one_set_of_classes_share_a_legend(void **state)
{
    (void)state;
    stage *s = support_open_stage("figure.svg");
    make_scene("kind");
    assert_int_equal(draw_maps(s->ctx, s->path), OPN_OK);
    char *text = read_figure(s);
    // And titles, the name of marked points and the caption.
    assert_int_equal(count(text, ">kind</text>"), 1 + 3 + N_GROUPS + 2);
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
    assert_int_equal(count(text, "h0"), N_POINTS + N_POINTS / N_MARKED_EACH);
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
        assert_int_equal(count(text, part), 3);
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

// ---- curves --------------------------------------------------------------------------

static void test_lines_of_one_name_share_a_colour_and_a_key(void **state)
{
    (void)state;
    stage *s = support_open_stage("figure.svg");
    make_scene("label");
    scene.line[0].name = "first";
    scene.line[1].name = "second";
    scene.line[2].name = "guess";
    assert_int_equal(draw_curves(s->ctx, s->path), OPN_OK);
    char *text = read_figure(s);
    // In two panels and the legend.
    assert_int_equal(count(text, " stroke=\"#0072b2\" stroke-width=\"1.6\" d"), 3);
    assert_int_equal(count(text, " stroke=\"#e69f00\" stroke-width=\"1.6\" "
                                 "stroke-dasharray=\"8 3\""),
                     3);
    assert_int_equal(count(text, " stroke=\"#808080\" stroke-width=\"1.2\" "
                                 "stroke-dasharray=\"1.5 3\""),
                     3);
    // Six markers on each line in each panel, and one in the legend.
    assert_int_equal(count(text, " stroke=\"#0072b2\" stroke-width=\"1.3\""), 2 * 6 + 1);
    assert_int_equal(count(text, " stroke=\"#e69f00\" stroke-width=\"1.3\""), 2 * 6 + 1);
    // A band in each panel, and its key.
    assert_int_equal(count(text, " fill=\"#e69f00\" fill-opacity=\"0.16\""), 2);
    assert_int_equal(count(text, " fill-opacity=\"0.16\""), 3);
    assert_int_equal(count(text, ">first</text>"), 1);
    assert_int_equal(count(text, ">guess</text>"), 1);
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
    assert_int_equal(count(at, "M"), 3);
    assert_int_equal(count(at, "L"), 2);
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

// ---- simplex -------------------------------------------------------------------------

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
        assert_int_equal(draw_simplex(s->ctx, s->path), OPN_OK);
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
        assert_int_equal(draw_simplex(s->ctx, s->path), OPN_ERR_INVALID_ARG);
        support_expect_error(s->ctx, "panel 2 of the figure: alpha[2]");
        assert_int_equal(support_count_entries(s->folder), 0);
    }
    support_close_stage(s);
}

// ---- all figures ---------------------------------------------------------------------

static void test_figures_of_nothing_are_figures(void **state)
{
    (void)state;
    stage *s = support_open_stage("figure.svg");
    const opn_i_map_panel no_points[2] = {{.title = "none"}, {.high = 1}};
    const opn_i_line no_line = {.name = "none"};
    const opn_i_curve_panel no_lines[2] = {{.title = "none"},
                                           {.n_lines = 1, .line = &no_line}};
    const opn_i_simplex_panel no_text = {.alpha = {1, 2, 3}};
    for (int n = 0; n < 3; n++) {
        assert_int_equal(opn_i_figure_maps(s->ctx, s->path, NULL, 0, n, no_points, n),
                         OPN_OK);
        free(read_figure(s));
        assert_int_equal(opn_i_figure_curves(s->ctx, s->path, "", n, no_lines, n),
                         OPN_OK);
        free(read_figure(s));
        assert_int_equal(opn_i_figure_simplex(s->ctx, s->path, NULL, n > 0, &no_text),
                         OPN_OK);
        free(read_figure(s));
    }
    support_close_stage(s);
}

static void test_any_number_of_columns_will_do(void **state)
{
    (void)state;
    static const int32_t columns[] = {INT32_MIN, -1, 0, 1, 2, 3, 4, 5, INT32_MAX};
    stage *s = support_open_stage("figure.svg");
    make_scene("label");
    opn_i_map_panel many[30];
    for (int p = 0; p < 30; p++)
        many[p] = scene.map[2];
    for (size_t c = 0; c < sizeof(columns) / sizeof(columns[0]); c++) {
        assert_int_equal(
                opn_i_figure_maps(s->ctx, s->path, NULL, 20, 30, many, columns[c]),
                OPN_OK);
        free(read_figure(s));
    }
    support_close_stage(s);
}

static void check_that_figures_are_the_same_bytes_in_every_locale(const char *file)
{
    stage *s = support_open_stage(file);
    char *want[N_FIGURES];
    size_t n_want[N_FIGURES];
    opn_status status[N_FIGURES];
    make_scene("label 0.5");
    for (size_t f = 0; f < N_FIGURES; f++) {
        assert_int_equal(figures[f](s->ctx, s->path), OPN_OK);
        want[f] = support_read_file(s->path, &n_want[f]);
    }
    support_set_comma_locale(s->folder);
    for (size_t f = 0; f < N_FIGURES; f++) {
        status[f] = figures[f](s->ctx, s->path);
        size_t n;
        char *got = support_read_file(s->path, &n);
        status[f] = n == n_want[f] && memcmp(got, want[f], n) == 0 ? status[f]
                                                                   : OPN_ERR_INTERNAL;
        free(got);
        free(want[f]);
    }
    setlocale(LC_ALL, "C");
    for (size_t f = 0; f < N_FIGURES; f++)
        assert_int_equal(status[f], OPN_OK);
    support_close_stage(s);
}

static void test_figures_are_the_same_bytes_in_every_locale(void **state)
{
    (void)state;
    for (size_t f = 0; f < N_FORMATS; f++)
        check_that_figures_are_the_same_bytes_in_every_locale(files[f]);
}

static void check_that_every_allocation_may_fail(const char *file)
{
    stage *s = support_open_stage(file);
    make_scene("label");
    for (size_t f = 0; f < N_FIGURES; f++) {
        bool is_reached = true;
        for (long k = 1; is_reached; k++) {
            meter m = {0};
            opn_ctx *ctx = support_ctx(&m);
            m.fail_at = m.n_requests + k;
            const opn_status status = figures[f](ctx, s->path);
            is_reached = m.n_requests >= m.fail_at;
            assert_int_equal(status, is_reached ? OPN_ERR_NOMEM : OPN_OK);
            assert_int_equal(support_count_entries(s->folder), !is_reached);
            assert_true(is_reached || k > 2); // there was something to refuse
            support_ctx_free(ctx, &m);
        }
        assert_int_equal(unlink(s->path), 0);
    }
    support_close_stage(s);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    for (size_t f = 0; f < N_FORMATS; f++)
        check_that_every_allocation_may_fail(files[f]);
}

static void check_that_every_write_may_fail(const char *file)
{
    stage *s = support_open_stage(file);
    make_scene("label");
    for (size_t f = 0; f < N_FIGURES; f++) {
        bool is_reached = true;
        support_write_text(s->path, "old");
        for (long k = 1; is_reached; k++) {
            writes.is_armed = true;
            writes.n_calls = 0;
            writes.fail_at = k;
            const opn_status status = figures[f](s->ctx, s->path);
            writes.is_armed = false;
            is_reached = writes.n_calls >= k;
            assert_int_equal(status, is_reached ? OPN_ERR_WRITE : OPN_OK);
            assert_int_equal(support_count_entries(s->folder), 1);
            if (is_reached)
                support_expect_file(s->path, "old", 3);
            else
                expect_figure(s);
            assert_true(is_reached || k > 2); // a write and a sync were refused
        }
    }
    support_close_stage(s);
}

static void test_every_write_may_fail(void **state)
{
    (void)state;
    for (size_t f = 0; f < N_FORMATS; f++)
        check_that_every_write_may_fail(files[f]);
}

static void test_a_folder_that_is_missing_is_named(void **state)
{
    (void)state;
    stage *s = support_open_stage("figure.svg");
    char path[SUPPORT_PATH];
    make_scene("label");
    support_path(path, s->folder, "missing/figure.svg");
    for (size_t f = 0; f < N_FIGURES; f++) {
        assert_int_equal(figures[f](s->ctx, path), OPN_ERR_WRITE);
        support_expect_error(s->ctx, path);
    }
    support_close_stage(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_hostile_labels_are_drawn_as_harmless_text),
            cmocka_unit_test(test_every_point_is_drawn_once_in_the_colour_of_its_class),
            cmocka_unit_test(test_values_that_are_none_are_grey),
            cmocka_unit_test(test_values_over_no_range_are_the_middle),
            cmocka_unit_test(test_panels_of_one_set_of_classes_share_a_legend),
            cmocka_unit_test(test_marked_points_have_an_outline_and_a_key),
            cmocka_unit_test(test_groups_are_numbered_where_they_are),
            cmocka_unit_test(test_six_maps_of_7487_points_are_below_a_megabyte),
            cmocka_unit_test(test_lines_of_one_name_share_a_colour_and_a_key),
            cmocka_unit_test(test_lines_are_broken_at_what_is_no_number),
            cmocka_unit_test(test_steps_too_small_to_see_are_left_out),
            cmocka_unit_test(test_bands_of_a_dirichlet_end_where_they_should),
            cmocka_unit_test(test_no_evidence_is_the_middle_from_corner_to_corner),
            cmocka_unit_test(test_any_evidence_makes_a_figure),
            cmocka_unit_test(test_what_is_no_evidence_is_refused),
            cmocka_unit_test(test_figures_of_nothing_are_figures),
            cmocka_unit_test(test_any_number_of_columns_will_do),
            cmocka_unit_test(test_figures_are_the_same_bytes_in_every_locale),
            cmocka_unit_test(test_every_allocation_may_fail),
            cmocka_unit_test(test_every_write_may_fail),
            cmocka_unit_test(test_a_folder_that_is_missing_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
