// plot.h -- parts of figures: panels in a grid, axes, lines, legend, colour bar.

#ifndef OPN_PLOT_H
#define OPN_PLOT_H

#include "report/canvas.h"

// ---- layout --------------------------------------------------------------------------

// Panels of equal size, row by row. The caller sets the first part.
typedef struct opn_i_plot_grid {
    int32_t n_panels;
    int32_t n_columns;  // wanted; clamped to 1 … 4 and to the number of panels
    bool has_title;     // for the figure
    double left, right; // room beside each plot
    double below;       // room below each plot; its title is above
    double aspect;      // height of a plot / its width
    double legend;      // height of the box below all panels

    double width, height; // of the figure; from here on set by layout
    double cell_width, cell_height;
    double top; // of the panels
} opn_i_plot_grid;

// Width of the box below all panels, needed to compute its height.
double opn_i_plot_full_width(int32_t n_columns, int32_t n_panels);

void opn_i_plot_layout(opn_i_plot_grid *grid);

// The plot of panel p, without its surroundings.
opn_i_box opn_i_plot_at(const opn_i_plot_grid *grid, int32_t p);

// The box below all panels.
opn_i_box opn_i_plot_legend_box(const opn_i_plot_grid *grid);

// Opens the canvas of a figure and draws its title, which may be NULL. Errors:
// INVALID_ARG (the path is neither .svg nor .pdf), NOMEM.
OPN_NODISCARD opn_status opn_i_plot_open(opn_ctx *ctx,
                                         const char *path,
                                         const char *title,
                                         const opn_i_plot_grid *grid,
                                         opn_i_canvas **out);

// The letter of panel p; 0 if there is only one panel, or more panels than letters.
char opn_i_plot_letter(int32_t n_panels, int32_t p);

// "(a) title" above the plot of panel p.
void opn_i_plot_panel_title(opn_i_canvas *canvas,
                            const opn_i_plot_grid *grid,
                            int32_t p,
                            const char *title);

// ---- axes ----------------------------------------------------------------------------

// Round numbers (first + i) * factor * 10^exponent, i < n.
typedef struct opn_i_ticks {
    int64_t first;
    int32_t n;
    int32_t factor; // 1, 2 or 5
    int32_t exponent;
} opn_i_ticks;

// At most `most` + 1 ticks within [low, high]; none if that is empty, not finite, or too
// narrow for its distance from 0.
opn_i_ticks opn_i_ticks_make(double low, double high, int most);

double opn_i_ticks_at(const opn_i_ticks *ticks, int32_t i);

enum { OPN_TICK_ROOM = 48 };
void opn_i_ticks_name(const opn_i_ticks *ticks, int32_t i, char text[OPN_TICK_ROOM]);

// Makes a range valid for axes: 0 to 1 if low >= high or either is not finite.
typedef struct opn_i_range {
    double low, high;
} opn_i_range;

opn_i_range opn_i_range_or_unit(opn_i_range range);

enum {
    OPN_AXIS_LEFT = 53, // room for ticks and name beside the plot, and below it
    OPN_AXIS_BELOW = 34,
    OPN_TICKS_BELOW = 18, // the same for ticks without a name
};

// Draws frame, ticks with numbers, grid lines and axis names around a plot.
void opn_i_plot_axes(opn_i_canvas *canvas,
                     const opn_i_box *plot,
                     opn_i_range x,
                     opn_i_range y,
                     const char *x_name,
                     const char *y_name);

// The ramp from left to right in n_steps colours.
void opn_i_plot_colour_bar(opn_i_canvas *canvas, const opn_i_box *box, int n_steps);

// Ticks with numbers below a box that spans `range`.
void opn_i_plot_ticks_below(opn_i_canvas *canvas, const opn_i_box *box, opn_i_range x);

// ---- lines ---------------------------------------------------------------------------

typedef enum opn_i_marker {
    OPN_MARKER_NONE,
    OPN_MARKER_CIRCLE,
    OPN_MARKER_SQUARE,
    OPN_MARKER_TRIANGLE,
    OPN_MARKER_DIAMOND,
    OPN_MARKER_WEDGE, // a triangle on its tip
    OPN_MARKER_CROSS,
    OPN_MARKER_PLUS,
} opn_i_marker;

// Lines are told apart by any one of the three, so that they are in grey too.
typedef struct opn_i_line_style {
    uint32_t colour;
    const char *dashes; // NULL: unbroken
    opn_i_marker marker;
} opn_i_line_style;

// The style of line `number`, which wraps around, and that of random guessing.
opn_i_line_style opn_i_line_style_at(int64_t number);
opn_i_line_style opn_i_line_style_of_chance(void);

opn_i_pen opn_i_line_pen(const opn_i_line_style *style);

void opn_i_plot_marker(opn_i_canvas *canvas,
                       const opn_i_line_style *style,
                       double x,
                       double y);

// ---- legend --------------------------------------------------------------------------

typedef enum opn_i_plot_sign {
    OPN_SIGN_DOT,
    OPN_SIGN_NUMBER,    // that of the class, in a ring
    OPN_SIGN_LARGE_DOT, // with an outline
    OPN_SIGN_HALO,      // a dark rim around dots
    OPN_SIGN_LINE,
    OPN_SIGN_BAND,
} opn_i_plot_sign;

typedef struct opn_i_plot_key {
    opn_i_plot_sign sign;
    opn_i_line_style style; // its colour; for lines all of it
    const char *name;       // NULL: use the number
    int64_t number;         // of the class or line
    char letter;            // of its panel; 0 for all
} opn_i_plot_key;

enum { OPN_LEGEND_MAX = 48, OPN_BAND_OPACITY = 16 };

// Zero-initialise. Keys that do not fit are only counted, and shown as "and 7 more".
typedef struct opn_i_plot_legend {
    int32_t n;
    int32_t n_reserved; // keys reserved for those to be added last
    int64_t n_more;
    opn_i_plot_key key[OPN_LEGEND_MAX];
} opn_i_plot_legend;

void opn_i_plot_legend_add(opn_i_plot_legend *legend, const opn_i_plot_key *key);

// Height of the keys when laid out in columns within this width; 0 for none.
double opn_i_plot_legend_height(const opn_i_plot_legend *legend, double width);

// The number of a class in a ring of its colour, for those who cannot tell the colours.
void opn_i_plot_number(
        opn_i_canvas *canvas, int64_t number, uint32_t colour, double x, double y);

void opn_i_plot_legend_draw(opn_i_canvas *canvas,
                            const opn_i_plot_legend *legend,
                            const opn_i_box *box);

#endif // OPN_PLOT_H
