// figure_curves.c -- figures with panels of lines.

#include "paper/figure_curves.h"

#include "base/names.h"
#include "report/palette.h"

#include <math.h>
#include <string.h>

// ---- lines ---------------------------------------------------------------------------

// Maps a number to plot coordinates, with the corner at 0, 0. Points far outside are
// clamped to keep their numbers short.
static double place_in(opn_i_range range, double number, double length)
{
    const double part = (number - range.low) / (range.high - range.low);
    return fmin(fmax(part, -50), 50) * length;
}

// Where the numbers of a panel are on the page.
typedef struct view {
    opn_i_box plot;
    opn_i_range x, y;
} view;

static bool is_point(const opn_i_line *line, int32_t i)
{
    return isfinite(line->x[i]) && isfinite(line->y[i]);
}

static double page_x(const view *v, double x)
{
    return v->plot.x + place_in(v->x, x, v->plot.width);
}

static double page_y(const view *v, double y)
{
    return v->plot.y + v->plot.height - place_in(v->y, y, v->plot.height);
}

// Steps too small to be seen are skipped: a curve over ten thousand nodes has only a few
// hundred larger ones.
static void put_points(opn_i_canvas *canvas, const opn_i_line *line, const view *v)
{
    const double finest = 0.3;
    double x_last = 0;
    double y_last = 0;
    bool is_begun = false;
    for (int32_t i = 0; i < line->n; i++) {
        if (!is_point(line, i)) {
            is_begun = false;
            continue;
        }
        const double x = page_x(v, line->x[i]);
        const double y = page_y(v, line->y[i]);
        const bool is_end = i + 1 == line->n || !is_point(line, i + 1);
        if (is_begun && !is_end && fabs(x - x_last) < finest && fabs(y - y_last) < finest)
            continue;
        if (is_begun)
            opn_i_canvas_line(canvas, x, y);
        else
            opn_i_canvas_move(canvas, x, y);
        is_begun = true;
        x_last = x;
        y_last = y;
    }
}

static void
put_band(opn_i_canvas *canvas, const opn_i_line *line, uint32_t colour, const view *v)
{
    if (line->low == NULL || line->n == 0)
        return;
    opn_i_canvas_begin(
            canvas,
            &(opn_i_pen){.is_filled = true, .fill = colour, .opacity = OPN_BAND_OPACITY});
    opn_i_canvas_move(canvas, page_x(v, line->x[0]), page_y(v, line->low[0]));
    for (int32_t i = 1; i < line->n; i++)
        opn_i_canvas_line(canvas, page_x(v, line->x[i]), page_y(v, line->low[i]));
    for (int32_t i = line->n - 1; i >= 0; i--)
        opn_i_canvas_line(canvas, page_x(v, line->x[i]), page_y(v, line->high[i]));
    opn_i_canvas_join(canvas);
    opn_i_canvas_end(canvas);
}

// Length on the page of the step that ends at point i; 0 across a gap.
static double step_length(const opn_i_line *line, int32_t i, const view *v)
{
    if (i == 0 || !is_point(line, i) || !is_point(line, i - 1))
        return 0;
    return hypot(page_x(v, line->x[i]) - page_x(v, line->x[i - 1]),
                 page_y(v, line->y[i]) - page_y(v, line->y[i - 1]));
}

// Markers at equal distances along the line; each line begins at another part of the
// distance, so that those of lines that lie on each other do not.
static void put_markers(opn_i_canvas *canvas,
                        const opn_i_line *line,
                        const opn_i_line_style *style,
                        double begin,
                        const view *v)
{
    enum { N_MARKERS = 6 };
    double length = 0;
    for (int32_t i = 0; i < line->n; i++)
        length += step_length(line, i, v);
    const double apart = length / N_MARKERS;
    double next = begin * apart;
    double at = 0;
    for (int32_t i = 1; i < line->n && apart > 0; i++) {
        const double step = step_length(line, i, v);
        while (step > 0 && next <= at + step) {
            const double part = (next - at) / step;
            const double x = line->x[i - 1] + part * (line->x[i] - line->x[i - 1]);
            const double y = line->y[i - 1] + part * (line->y[i] - line->y[i - 1]);
            opn_i_plot_marker(canvas, style, page_x(v, x), page_y(v, y));
            next += apart;
        }
        at += step;
    }
}

static opn_i_line_style style_of(const opn_i_line *line, int32_t number)
{
    opn_i_line_style style =
            line->is_chance ? opn_i_line_style_of_chance() : opn_i_line_style_at(number);
    if (line->colour != 0)
        style.colour = line->colour;
    return style;
}

// Bands lie below all lines, lines below all markers.
typedef enum layer { BANDS, CHANCE, LINES, MARKERS, N_LAYERS } layer;

static void put_layer(opn_i_canvas *canvas,
                      layer which,
                      const opn_i_curve_panel *panel,
                      const int32_t *number,
                      const view *v)
{
    for (int32_t l = 0; l < panel->n_lines; l++) {
        const opn_i_line *line = &panel->line[l];
        const opn_i_line_style style = style_of(line, number[l]);
        const opn_i_pen pen = opn_i_line_pen(&style);
        if (which == BANDS)
            put_band(canvas, line, style.colour, v);
        else if (which == MARKERS)
            put_markers(canvas, line, &style, (l + 0.5) / panel->n_lines, v);
        else if (line->n > 0 && line->is_chance == (which == CHANCE)) {
            opn_i_canvas_begin(canvas, &pen);
            put_points(canvas, line, v);
            opn_i_canvas_end(canvas);
        }
    }
}

// number [n_lines] is the index of the style of each line of this panel.
static void put_panel(opn_i_canvas *canvas,
                      const opn_i_plot_grid *grid,
                      int32_t p,
                      const opn_i_curve_panel *panel,
                      const int32_t *number)
{
    const double pad = 4; // a marker, so that the frame clips none
    const view v = {opn_i_plot_at(grid, p), opn_i_range_or_unit(panel->x),
                    opn_i_range_or_unit(panel->y)};
    const opn_i_box around = {v.plot.x - pad, v.plot.y - pad, v.plot.width + 2 * pad,
                              v.plot.height + 2 * pad};
    opn_i_plot_panel_title(canvas, grid, p, panel->title);
    opn_i_plot_axes(canvas, &v.plot, v.x, v.y, panel->x_name, panel->y_name);
    for (layer which = BANDS; which < N_LAYERS; which++) {
        opn_i_canvas_clip(canvas, which == MARKERS ? &around : &v.plot);
        put_layer(canvas, which, panel, number, &v);
        opn_i_canvas_unclip(canvas);
    }
}

// ---- legend --------------------------------------------------------------------------

// Numbers the lines by name, in order of appearance; a line without a name gets its index
// within the panel.
static opn_status number_lines(opn_ctx *ctx,
                               int32_t n_panels,
                               const opn_i_curve_panel *panels,
                               opn_i_names *names,
                               int32_t *number)
{
    opn_status status = OPN_OK;
    size_t at = 0;
    for (int32_t p = 0; p < n_panels; p++) {
        for (int32_t l = 0; l < panels[p].n_lines; l++, at++) {
            const opn_i_line *line = &panels[p].line[l];
            if (line->name != NULL && !line->is_chance)
                OPN_TRY(opn_i_names_intern(ctx, names, line->name, strlen(line->name),
                                           &number[at]));
            else
                number[at] = l;
        }
    }
cleanup:
    return status;
}

static bool has_band(const opn_i_curve_panel *panel)
{
    for (int32_t l = 0; l < panel->n_lines; l++)
        if (panel->line[l].low != NULL)
            return true;
    return false;
}

// The lines in the order of their names, each once; then what random guessing gives, and
// what the bands are.
static void make_legend(int32_t n_panels,
                        const opn_i_curve_panel *panels,
                        const int32_t *number,
                        opn_i_plot_legend *to)
{
    const opn_i_plot_key band = {.sign = OPN_SIGN_BAND,
                                 .style = {.colour = opn_i_palette.ink}};
    opn_i_plot_key last[2] = {{0}};
    int32_t n_named = 0;
    to->n_reserved = 2;
    for (int32_t p = 0; p < n_panels; p++) {
        for (int32_t l = 0; l < panels[p].n_lines; l++, number++) {
            const opn_i_line *line = &panels[p].line[l];
            opn_i_plot_key key = {.sign = OPN_SIGN_LINE,
                                  .style = style_of(line, *number),
                                  .name = line->name,
                                  .number = *number};
            if (line->name != NULL && line->is_chance && last[0].name == NULL)
                last[0] = key;
            if (line->name == NULL || line->is_chance || *number < n_named)
                continue;
            n_named = *number + 1;
            opn_i_plot_legend_add(to, &key);
        }
        if (has_band(&panels[p]) && last[1].name == NULL) {
            last[1] = band;
            last[1].name = panels[p].band_name;
        }
    }
    to->n_reserved = 0;
    for (int k = 0; k < 2; k++)
        if (last[k].name != NULL)
            opn_i_plot_legend_add(to, &last[k]);
}

// ---- figure --------------------------------------------------------------------------

opn_status opn_i_figure_curves(opn_ctx *ctx,
                               const char *path,
                               const char *title,
                               int32_t n_panels,
                               const opn_i_curve_panel *panels,
                               int32_t n_columns)
{
    opn_status status = OPN_OK;
    opn_i_canvas *canvas = NULL;
    opn_i_names names = {0};
    opn_i_plot_legend legend = {0};
    int32_t *number = NULL;
    size_t n_lines = 0;
    opn_i_plot_grid grid = {.n_panels = n_panels,
                            .n_columns = n_columns,
                            .has_title = title != NULL && title[0] != 0,
                            .left = OPN_AXIS_LEFT,
                            .right = 10, // half of the last number below the plot
                            .below = OPN_AXIS_BELOW + 6,
                            .aspect = 0.9};
    for (int32_t p = 0; p < n_panels; p++)
        n_lines += (size_t)panels[p].n_lines;
    OPN_TRY_NEW(ctx, number, n_lines);
    OPN_TRY(number_lines(ctx, n_panels, panels, &names, number));
    make_legend(n_panels, panels, number, &legend);
    const double width = opn_i_plot_full_width(n_columns, n_panels);
    grid.legend = opn_i_plot_legend_height(&legend, width);
    opn_i_plot_layout(&grid);
    OPN_TRY(opn_i_plot_open(ctx, path, title, &grid, &canvas));
    size_t first = 0;
    for (int32_t p = 0; p < n_panels; first += (size_t)panels[p].n_lines, p++)
        put_panel(canvas, &grid, p, &panels[p], number + first);
    const opn_i_box box = opn_i_plot_legend_box(&grid);
    opn_i_plot_legend_draw(canvas, &legend, &box);
    status = opn_i_canvas_close(canvas);
cleanup:
    opn_i_release(&ctx->alloc, number);
    opn_i_names_deinit(&ctx->alloc, &names);
    return status;
}
