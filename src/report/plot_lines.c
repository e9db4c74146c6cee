// plot_lines.c -- how the lines of a figure look.

#include "report/palette.h"
#include "report/plot.h"

opn_i_line_style opn_i_line_style_at(int64_t number)
{
    enum { N_DASHES = 5, N_MARKERS = OPN_MARKER_PLUS }; // 35 together
    static const char *const dashes[N_DASHES] = {NULL, "8 3", "2 2.5", "8 3 2 3", "4 2"};
    return (opn_i_line_style){
            .colour = opn_i_group_colour(number),
            .dashes = dashes[number % N_DASHES],
            .marker = (opn_i_marker)(OPN_MARKER_CIRCLE + number % N_MARKERS),
    };
}

opn_i_line_style opn_i_line_style_of_chance(void)
{
    return (opn_i_line_style){.colour = opn_i_palette.chance, .dashes = "1.5 3"};
}

opn_i_pen opn_i_line_pen(const opn_i_line_style *style)
{
    return (opn_i_pen){.width = style->marker == OPN_MARKER_NONE ? 1.2 : 1.6,
                       .stroke = style->colour,
                       .dashes = style->dashes};
}

enum { MAX_CORNERS = 4 };

// Corners within a circle of radius 1; a pair of each two for strokes.
static const struct {
    int n;
    bool is_strokes;
    double corner[MAX_CORNERS][2];
} shapes[] = {
        [OPN_MARKER_SQUARE] = {4,
                               false,
                               {{-0.8, -0.8}, {0.8, -0.8}, {0.8, 0.8}, {-0.8, 0.8}}},
        [OPN_MARKER_TRIANGLE] = {3, false, {{0, -1.1}, {1, 0.7}, {-1, 0.7}}},
        [OPN_MARKER_DIAMOND] = {4, false, {{0, -1.2}, {1.2, 0}, {0, 1.2}, {-1.2, 0}}},
        [OPN_MARKER_WEDGE] = {3, false, {{0, 1.1}, {1, -0.7}, {-1, -0.7}}},
        [OPN_MARKER_CROSS] = {4,
                              true,
                              {{-0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}, {0.9, -0.9}}},
        [OPN_MARKER_PLUS] = {4, true, {{-1.1, 0}, {1.1, 0}, {0, -1.1}, {0, 1.1}}},
};

// White inside, so that a marker is seen on other lines.
void opn_i_plot_marker(opn_i_canvas *canvas,
                       const opn_i_line_style *style,
                       double x,
                       double y)
{
    const double radius = 3;
    const opn_i_pen pen = {
            .width = 1.3, .stroke = style->colour, .is_filled = true, .fill = 0xffffff};
    if (style->marker == OPN_MARKER_NONE)
        return;
    opn_i_canvas_begin(canvas, &pen);
    if (style->marker == OPN_MARKER_CIRCLE) {
        opn_i_canvas_circle(canvas, x, y, 0.9 * radius);
    } else {
        const bool is_strokes = shapes[style->marker].is_strokes;
        for (int c = 0; c < shapes[style->marker].n; c++) {
            const double *at = shapes[style->marker].corner[c];
            if (c == 0 || (is_strokes && c % 2 == 0))
                opn_i_canvas_move(canvas, x + radius * at[0], y + radius * at[1]);
            else
                opn_i_canvas_line(canvas, x + radius * at[0], y + radius * at[1]);
        }
        if (!is_strokes)
            opn_i_canvas_join(canvas);
    }
    opn_i_canvas_end(canvas);
}
