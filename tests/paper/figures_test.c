// figures_test.c -- static figures: valid whatever they are given, the same bytes always,
// whole or not there at all.

#include "paper/figure_framework.h"
#include "paper/figure_gkde.h"
#include "support/cmocka_test.h"
#include "support/figure_scene.h"
#include "support/pdf_reader.h"
#include "support/svg_reader.h"

#include <errno.h>
#include <locale.h>
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

// ---- figures to draw -----------------------------------------------------------------

typedef opn_status figure(opn_ctx *ctx, const char *path);

// The first ones show the label of the scene.
static figure *const figures[] = {draw_scene_maps, draw_scene_curves, draw_scene_simplex,
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
            assert_int_equal(count_parts(text, "<script"), 0);
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
            cmocka_unit_test(test_figures_of_nothing_are_figures),
            cmocka_unit_test(test_any_number_of_columns_will_do),
            cmocka_unit_test(test_figures_are_the_same_bytes_in_every_locale),
            cmocka_unit_test(test_every_allocation_may_fail),
            cmocka_unit_test(test_every_write_may_fail),
            cmocka_unit_test(test_a_folder_that_is_missing_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
