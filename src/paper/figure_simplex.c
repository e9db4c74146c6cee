// figure_simplex.c -- Dirichlet distributions over three classes, drawn as triangles.
//
// With alpha >= 1 the log density is concave, so the points at or above any level form a
// convex region around the mode. Each colour band is therefore one polygon, found along
// rays from the mode, and drawn on top of the previous one.

#include "paper/figure_simplex.h"

#include "report/label.h"
#include "report/palette.h"
#include "report/plot.h"

#include <math.h>

enum {
    N_BANDS = 25,  // odd, so that the uniform density is in the middle of a band
    N_ROUND = 144, // rays around the mode; a multiple of 6, so that some run along edges
    N_RAYS = N_ROUND + 3, // plus rays to the corners, which the polygons must not cut off
    CAPTION_LINES = 3,
};

static const double root_3 = 1.7320508075688772;
static const double ln_10 = 2.302585092994046;
static const double full_turn = 6.283185307179586;
static const double caption_size = 10;
static const double caption_line = 13;

// ---- density -------------------------------------------------------------------------

// ln Gamma(x), x >= 1. lgamma() would set a global variable. The recurrence moves x to
// where four terms of Stirling's series are accurate enough.
static double log_gamma(double x)
{
    double product = 1;
    while (x < 16) {
        product *= x;
        x += 1;
    }
    const double y = 1 / (x * x);
    const double series = (1.0 / 12 - y * (1.0 / 360 - y * (1.0 / 1260 - y / 1680))) / x;
    return (x - 0.5) * log(x) - x + 0.9189385332046727 + series - log(product);
}

typedef struct dirichlet {
    double power[3]; // alpha - 1
    double mode[3];  // centre of the triangle if all powers are 0
    double constant; // log10 of the density / the uniform one, minus sum power log10 p
} dirichlet;

static dirichlet make_dirichlet(const double alpha[3])
{
    dirichlet d;
    double total = 0; // S - 3, but without rounding when there is little evidence
    for (int k = 0; k < 3; k++) {
        d.power[k] = alpha[k] - 1;
        total += d.power[k];
    }
    d.constant = log_gamma(3 + total) - log(2.0); // the uniform one is Gamma(3) = 2
    for (int k = 0; k < 3; k++) {
        d.mode[k] = total > 0 ? d.power[k] / total : 1.0 / 3;
        d.constant -= log_gamma(alpha[k]);
    }
    d.constant /= ln_10;
    return d;
}

// log10 of the density at p relative to the uniform distribution; -inf on an edge where
// the density falls to 0.
static double height_at(const dirichlet *d, const double p[3])
{
    double height = d->constant;
    for (int k = 0; k < 3; k++)
        if (d->power[k] > 0)
            height += d->power[k] * log10(fmax(p[k], 0));
    return height;
}

// ---- bands ---------------------------------------------------------------------------

// In a triangle of side 1 with its left corner at 0, 0: x = p1 + p2 / 2, y = p2 sqrt(3) /
// 2.
static double across(const double p[3])
{
    return p[1] + p[2] / 2;
}

static double up(const double p[3])
{
    return p[2] * root_3 / 2;
}

static void sort_angles(double angle[N_RAYS])
{
    for (int r = 1; r < N_RAYS; r++) {
        const double one = angle[r];
        int at = r;
        for (; at > 0 && angle[at - 1] > one; at--)
            angle[at] = angle[at - 1];
        angle[at] = one;
    }
}

static void make_angles(const dirichlet *d, double angle[N_RAYS])
{
    static const double corner[3][2] = {{0, 0}, {1, 0}, {0.5, 0.8660254037844386}};
    for (int r = 0; r < N_ROUND; r++)
        angle[r] = full_turn * ((double)r / N_ROUND - 0.5);
    for (int k = 0; k < 3; k++)
        angle[N_ROUND + k] =
                atan2(corner[k][1] - up(d->mode), corner[k][0] - across(d->mode));
    sort_angles(angle);
}

static void
step_from(const double from[3], const double direction[3], double t, double p[3])
{
    for (int k = 0; k < 3; k++)
        p[k] = from[k] + t * direction[k];
}

// Moves from the mode at this angle as far as the density is at least the level.
static void find_edge(const dirichlet *d, double angle, double level, double p[3])
{
    enum { N_HALVINGS = 40 };
    const double rounding = 1e-9; // a ray along an edge does not cross it
    const double rise = sin(angle) * 2 / root_3;
    const double run = cos(angle) - rise / 2;
    const double direction[3] = {-rise - run, run, rise};
    double high = 2;
    for (int k = 0; k < 3; k++)
        if (direction[k] < -rounding)
            high = fmin(high, d->mode[k] / -direction[k]);
    step_from(d->mode, direction, high, p);
    if (height_at(d, p) >= level)
        return;
    double low = 0;
    for (int h = 0; h < N_HALVINGS; h++) {
        const double middle = (low + high) / 2;
        step_from(d->mode, direction, middle, p);
        if (height_at(d, p) >= level)
            low = middle;
        else
            high = middle;
    }
    step_from(d->mode, direction, low, p);
}

// The triangle stands on the lower edge of its box and is equally wide.
static void
put_corner(opn_i_canvas *canvas, bool is_first, const opn_i_box *box, const double p[3])
{
    const double x = box->x + across(p) * box->width;
    const double y = box->y + box->height - up(p) * box->width;
    if (is_first)
        opn_i_canvas_move(canvas, x, y);
    else
        opn_i_canvas_line(canvas, x, y);
}

static void put_triangle(opn_i_canvas *canvas, const opn_i_box *box, const opn_i_pen *pen)
{
    static const double corner[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    opn_i_canvas_begin(canvas, pen);
    for (int k = 0; k < 3; k++)
        put_corner(canvas, k == 0, box, corner[k]);
    opn_i_canvas_join(canvas);
    opn_i_canvas_end(canvas);
}

static opn_i_pen pen_of_band(int b)
{
    return (opn_i_pen){.is_filled = true,
                       .fill = opn_i_ramp_colour((double)b / (N_BANDS - 1))};
}

static void
put_bands(opn_i_canvas *canvas, const opn_i_box *box, const dirichlet *d, int32_t decades)
{
    const opn_i_pen lowest = pen_of_band(0);
    const opn_i_pen frame = {.width = 1, .stroke = opn_i_palette.ink, .is_round = true};
    const double peak = height_at(d, d->mode);
    double angle[N_RAYS];
    make_angles(d, angle);
    put_triangle(canvas, box, &lowest);
    for (int b = 1; b < N_BANDS; b++) {
        const double level = decades * (2.0 * b / N_BANDS - 1);
        const opn_i_pen pen = pen_of_band(b);
        if (peak < level)
            break;
        opn_i_canvas_begin(canvas, &pen);
        for (int r = 0; r < N_RAYS; r++) {
            double p[3];
            find_edge(d, angle[r], level, p);
            put_corner(canvas, r == 0, box, p);
        }
        opn_i_canvas_join(canvas);
        opn_i_canvas_end(canvas);
    }
    put_triangle(canvas, box, &frame);
}

// ---- figure --------------------------------------------------------------------------

static void
put_texts(opn_i_canvas *canvas, const opn_i_box *plot, const opn_i_simplex_panel *panel)
{
    const double middle = plot->x + plot->width / 2;
    const double base = plot->y + plot->height;
    opn_i_font font = {.size = 11, .room = plot->width / 2 - 6};
    opn_i_canvas_text(canvas, &font, plot->x, base + 13, panel->corner[0]);
    font.anchor = OPN_ANCHOR_END;
    opn_i_canvas_text(canvas, &font, plot->x + plot->width, base + 13, panel->corner[1]);
    font.anchor = OPN_ANCHOR_MIDDLE;
    font.room = plot->width;
    opn_i_canvas_text(canvas, &font, middle, plot->y + 10, panel->corner[2]);
    font.size = caption_size;
    const char *rest = panel->caption;
    for (int l = 0; l < CAPTION_LINES && rest != NULL; l++) {
        opn_i_label line;
        rest = opn_i_label_take(rest, font.room / font.size, l + 1 < CAPTION_LINES,
                                &line);
        opn_i_canvas_text(canvas, &font, middle, base + 31 + l * caption_line, line.text);
    }
}

static void put_panel(opn_i_canvas *canvas,
                      const opn_i_plot_grid *grid,
                      int32_t p,
                      const opn_i_simplex_panel *panel,
                      int32_t decades)
{
    const opn_i_box plot = opn_i_plot_at(grid, p);
    const dirichlet d = make_dirichlet(panel->alpha);
    const double side = (plot.height - 16) * 2 / root_3; // 16: name above the triangle
    const opn_i_box box = {plot.x + (plot.width - side) / 2, plot.y, side, plot.height};
    opn_i_plot_panel_title(canvas, grid, p, panel->title);
    put_bands(canvas, &box, &d, decades);
    put_texts(canvas, &plot, panel);
}

// The colour bar spans 10^-decades to 10^decades.
static void put_bar(opn_i_canvas *canvas, const opn_i_box *box, int32_t decades)
{
    const opn_i_box bar = {box->x + box->width / 4, box->y + 10, box->width / 2, 8};
    const opn_i_font name = {.size = 11, .room = box->width, .anchor = OPN_ANCHOR_MIDDLE};
    const opn_i_font number = {.size = 10, .room = 100, .anchor = OPN_ANCHOR_MIDDLE};
    const int32_t step = (decades + 2) / 3; // at most seven numbers
    opn_i_plot_colour_bar(canvas, &bar, N_BANDS);
    for (int32_t e = -decades / step * step; e <= decades; e += step) {
        const opn_i_ticks power = {.first = 1, .n = 1, .factor = 1, .exponent = e};
        const double x = bar.x + bar.width * (1 + (double)e / decades) / 2;
        char text[OPN_TICK_ROOM];
        opn_i_ticks_name(&power, 0, text);
        opn_i_canvas_text(canvas, &number, x, bar.y + bar.height + 12, text);
    }
    opn_i_canvas_text(canvas, &name, box->x + box->width / 2, bar.y + bar.height + 27,
                      "density relative to the uniform distribution");
}

static opn_status
check_panels(opn_ctx *ctx, int32_t n_panels, const opn_i_simplex_panel *panels)
{
    opn_status status = OPN_OK;
    for (int32_t p = 0; p < n_panels; p++)
        for (int k = 0; k < 3; k++)
            OPN_FAIL_IF(ctx, !(panels[p].alpha[k] >= 1 && panels[p].alpha[k] <= 1e9),
                        OPN_ERR_INVALID_ARG,
                        "panel %d of the figure: alpha[%d] = %g outside [1, 1e9]",
                        (int)p + 1, k, panels[p].alpha[k]);
cleanup:
    return status;
}

// The highest peak of all panels in whole powers of ten; at least one, so that a lone
// uniform distribution has a scale too.
static int32_t count_decades(int32_t n_panels, const opn_i_simplex_panel *panels)
{
    double most = 1;
    for (int32_t p = 0; p < n_panels; p++) {
        const dirichlet d = make_dirichlet(panels[p].alpha);
        most = fmax(most, height_at(&d, d.mode));
    }
    return (int32_t)ceil(most);
}

static int count_caption_lines(const opn_i_plot_grid *grid,
                               int32_t n_panels,
                               const opn_i_simplex_panel *panels)
{
    const double room = opn_i_plot_at(grid, 0).width / caption_size;
    int most = 0;
    for (int32_t p = 0; p < n_panels; p++) {
        const int n = opn_i_label_count_lines(panels[p].caption, room, CAPTION_LINES);
        most = n > most ? n : most;
    }
    return most;
}

opn_status opn_i_figure_simplex(opn_ctx *ctx,
                                const char *path,
                                const char *title,
                                int32_t n_panels,
                                const opn_i_simplex_panel *panels)
{
    opn_status status = OPN_OK;
    opn_i_canvas *canvas = NULL;
    opn_i_plot_grid grid = {.n_panels = n_panels,
                            .n_columns = n_panels == 4 ? 2 : 3,
                            .has_title = title != NULL && title[0] != 0,
                            .below = 30,
                            .aspect = 0.85,
                            .legend = n_panels > 0 ? 50 : 0};
    OPN_TRY(check_panels(ctx, n_panels, panels));
    opn_i_plot_layout(&grid); // the panel width determines how captions are wrapped
    grid.below += caption_line * count_caption_lines(&grid, n_panels, panels);
    opn_i_plot_layout(&grid);
    const int32_t decades = count_decades(n_panels, panels);
    OPN_TRY(opn_i_plot_open(ctx, path, title, &grid, &canvas));
    for (int32_t p = 0; p < n_panels; p++)
        put_panel(canvas, &grid, p, &panels[p], decades);
    if (n_panels > 0) {
        const opn_i_box box = opn_i_plot_legend_box(&grid);
        put_bar(canvas, &box, decades);
    }
    status = opn_i_canvas_close(canvas);
cleanup:
    return status;
}
