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

// Steps too small to be seen are skipped: a curve over ten thousand nodes has only a few
// hundred larger ones.
static void put_points(opn_i_file_writer *svg,
                       const opn_i_line *line,
                       const opn_i_box *view,
                       double pad,
                       opn_i_range x_range,
                       opn_i_range y_range)
{
    const double finest = 0.3;
    double x_last = 0;
    double y_last = 0;
    bool is_begun = false;
    for (int32_t i = 0; i < line->n; i++) {
        if (!isfinite(line->x[i]) || !isfinite(line->y[i])) {
            is_begun = false;
            continue;
        }
        const double x = pad + place_in(x_range, line->x[i], view->width);
        const double y = pad + view->height - place_in(y_range, line->y[i], view->height);
        const bool is_end = i + 1 == line->n || !isfinite(line->x[i + 1]) ||
                            !isfinite(line->y[i + 1]);
        if (is_begun && !is_end && fabs(x - x_last) < finest && fabs(y - y_last) < finest)
            continue;
        opn_i_svg_move(svg, is_begun ? 'L' : 'M', x, y);
        is_begun = true;
        x_last = x;
        y_last = y;
    }
}

static void put_line(opn_i_file_writer *svg,
                     const opn_i_line *line,
                     int32_t number,
                     const opn_i_box *view,
                     double pad,
                     const opn_i_curve_panel *panel)
{
    const opn_i_svg_sign sign = line->is_chance ? OPN_SIGN_DASHES : OPN_SIGN_LINE;
    opn_i_file_writer_printf(svg, "<path fill=\"none\" stroke-linejoin=\"round\"");
    opn_i_svg_attribute(svg, "stroke-width", line->is_chance ? 1.2 : 1.6);
    opn_i_svg_colour(svg, "stroke",
                     line->is_chance ? opn_i_palette.chance : opn_i_group_colour(number));
    opn_i_svg_dashes(svg, sign, number);
    opn_i_file_writer_printf(svg, " d=\"");
    put_points(svg, line, view, pad, opn_i_range_or_unit(panel->x),
               opn_i_range_or_unit(panel->y));
    opn_i_file_writer_printf(svg, "\"/>\n");
}

// A nested svg clips its contents without a clipping path, whose id would clash if
// several figures were put into one page.
static void begin_view(opn_i_file_writer *svg, const opn_i_box *plot, double pad)
{
    opn_i_file_writer_printf(svg, "<svg");
    opn_i_svg_attribute(svg, "x", plot->x - pad);
    opn_i_svg_attribute(svg, "y", plot->y - pad);
    opn_i_svg_attribute(svg, "width", plot->width + 2 * pad);
    opn_i_svg_attribute(svg, "height", plot->height + 2 * pad);
    opn_i_file_writer_printf(svg, ">\n");
}

// number [n_lines] is the colour index of each line of this panel.
static void put_panel(opn_i_file_writer *svg,
                      const opn_i_svg_grid *grid,
                      int32_t p,
                      const opn_i_curve_panel *panel,
                      const int32_t *number)
{
    const double pad = 1; // half a line width, so that the frame clips no line
    const opn_i_box plot = opn_i_svg_plot(grid, p);
    opn_i_svg_panel_title(svg, grid, p, panel->title);
    opn_i_svg_axes(svg, &plot, opn_i_range_or_unit(panel->x),
                   opn_i_range_or_unit(panel->y), panel->x_name, panel->y_name);
    begin_view(svg, &plot, pad);
    for (int is_chance = 1; is_chance >= 0; is_chance--) // below the others
        for (int32_t l = 0; l < panel->n_lines; l++)
            if (panel->line[l].is_chance == (is_chance == 1) && panel->line[l].n > 0)
                put_line(svg, &panel->line[l], number[l], &plot, pad, panel);
    opn_i_file_writer_printf(svg, "</svg>\n");
}

// ---- legend --------------------------------------------------------------------------

// Numbers the lines by name; a line without a name gets its index within the panel.
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

static void make_legend(int32_t n_panels,
                        const opn_i_curve_panel *panels,
                        const opn_i_names *names,
                        opn_i_svg_legend *to)
{
    const char *chance = NULL;
    for (int32_t p = 0; p < n_panels; p++)
        for (int32_t l = 0; l < panels[p].n_lines; l++)
            if (panels[p].line[l].is_chance && chance == NULL)
                chance = panels[p].line[l].name;
    to->n_reserved = 1;
    for (int64_t k = 0; k < names->n; k++) {
        const opn_i_svg_key key = {.sign = OPN_SIGN_LINE,
                                   .colour = opn_i_group_colour(k),
                                   .name = opn_i_names_at(names, k),
                                   .number = k};
        opn_i_svg_legend_add(to, &key);
    }
    to->n_reserved = 0;
    if (chance != NULL)
        opn_i_svg_legend_add(to, &(opn_i_svg_key){.sign = OPN_SIGN_DASHES,
                                                  .colour = opn_i_palette.chance,
                                                  .name = chance});
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
    opn_i_file_writer *svg = NULL;
    opn_i_names names = {0};
    opn_i_svg_legend legend = {0};
    int32_t *number = NULL;
    size_t n_lines = 0;
    opn_i_svg_grid grid = {.n_panels = n_panels,
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
    make_legend(n_panels, panels, &names, &legend);
    const double width = opn_i_svg_full_width(n_columns, n_panels);
    grid.legend = opn_i_svg_legend_height(&legend, width);
    opn_i_svg_layout(&grid);
    OPN_TRY(opn_i_svg_open(ctx, path, title, &grid, &svg));
    size_t first = 0;
    for (int32_t p = 0; p < n_panels; first += (size_t)panels[p].n_lines, p++)
        put_panel(svg, &grid, p, &panels[p], number + first);
    const opn_i_box box = opn_i_svg_legend_box(&grid);
    opn_i_svg_legend_draw(svg, &legend, &box);
    status = opn_i_svg_close(svg);
cleanup:
    opn_i_release(&ctx->alloc, number);
    opn_i_names_deinit(&ctx->alloc, &names);
    return status;
}
