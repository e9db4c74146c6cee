// svg.h -- static figures as SVG 1.1: panels in a grid, text, axes, legend, colour bar.
//
// A figure is a file writer between opn_i_svg_open() and opn_i_svg_close(). A unit is a
// quarter of a millimetre: a figure of two or more columns is 640 units (16 cm) wide, and
// text of size 11 is 7.8 points. Numbers are written in tenths of a unit, so that the
// same input gives the same bytes everywhere.

#ifndef OPN_SVG_H
#define OPN_SVG_H

#include "io/file_write.h"

// ---- layout --------------------------------------------------------------------------

typedef struct opn_i_box {
    double x, y, width, height; // x, y: top left corner
} opn_i_box;

// Panels of equal size, row by row. The caller sets the first part.
typedef struct opn_i_svg_grid {
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
} opn_i_svg_grid;

// Width of the box below all panels, needed to compute its height.
double opn_i_svg_full_width(int32_t n_columns, int32_t n_panels);

void opn_i_svg_layout(opn_i_svg_grid *grid);

// The plot of panel p, without its surroundings.
opn_i_box opn_i_svg_plot(const opn_i_svg_grid *grid, int32_t p);

// The box below all panels.
opn_i_box opn_i_svg_legend_box(const opn_i_svg_grid *grid);

// ---- file ----------------------------------------------------------------------------

// `title` may be NULL. Errors: WRITE, NOMEM.
OPN_NODISCARD opn_status opn_i_svg_open(opn_ctx *ctx,
                                        const char *path,
                                        const char *title,
                                        const opn_i_svg_grid *grid,
                                        opn_i_file_writer **out);

// Commits and frees the writer, also on failure. Errors: WRITE.
OPN_NODISCARD opn_status opn_i_svg_close(opn_i_file_writer *svg);

// ---- shapes and text -----------------------------------------------------------------

// ` name="12.3"`; numbers are finite and within a million.
void opn_i_svg_attribute(opn_i_file_writer *svg, const char *name, double number);

// ` name="#0072b2"`
void opn_i_svg_colour(opn_i_file_writer *svg, const char *name, uint32_t colour);

// A path command: M12.3 4.5
void opn_i_svg_move(opn_i_file_writer *svg, char command, double x, double y);

// A filled rectangle of one colour, or its outline one unit wide.
void opn_i_svg_fill(opn_i_file_writer *svg, const opn_i_box *box, uint32_t colour);
void opn_i_svg_outline(opn_i_file_writer *svg, const opn_i_box *box, uint32_t colour);

typedef enum opn_i_anchor {
    OPN_ANCHOR_START,
    OPN_ANCHOR_MIDDLE,
    OPN_ANCHOR_END
} opn_i_anchor;

typedef struct opn_i_svg_font {
    double size;
    double room; // width at which the text is truncated
    opn_i_anchor anchor;
    bool is_bold;
    bool is_rotated; // runs upwards
} opn_i_svg_font;

// One line of arbitrary text (NULL means none) with its baseline through x, y.
void opn_i_svg_text(opn_i_file_writer *svg,
                    const opn_i_svg_font *font,
                    double x,
                    double y,
                    const char *text);

// The letter of panel p; 0 if there is only one panel, or more panels than letters.
char opn_i_svg_letter(int32_t n_panels, int32_t p);

// "(a) title" above the plot of panel p.
void opn_i_svg_panel_title(opn_i_file_writer *svg,
                           const opn_i_svg_grid *grid,
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
void opn_i_svg_axes(opn_i_file_writer *svg,
                    const opn_i_box *plot,
                    opn_i_range x,
                    opn_i_range y,
                    const char *x_name,
                    const char *y_name);

// The ramp from left to right in n_steps colours.
void opn_i_svg_colour_bar(opn_i_file_writer *svg, const opn_i_box *box, int n_steps);

// Ticks with numbers below a box that spans `range`.
void opn_i_svg_ticks_below(opn_i_file_writer *svg, const opn_i_box *box, opn_i_range x);

// ---- legend --------------------------------------------------------------------------

typedef enum opn_i_svg_sign {
    OPN_SIGN_DOT,
    OPN_SIGN_LARGE_DOT, // with an outline
    OPN_SIGN_LINE,
    OPN_SIGN_DASHES,
} opn_i_svg_sign;

typedef struct opn_i_svg_key {
    opn_i_svg_sign sign;
    uint32_t colour;
    const char *name; // NULL: use the number
    int64_t number;   // of the class or line
    char letter;      // of its panel; 0 for all
} opn_i_svg_key;

enum { OPN_LEGEND_MAX = 48 };

// Zero-initialise. Keys that do not fit are only counted, and shown as "and 7 more".
typedef struct opn_i_svg_legend {
    int32_t n;
    int32_t n_reserved; // keys reserved for those to be added last
    int64_t n_more;
    opn_i_svg_key key[OPN_LEGEND_MAX];
} opn_i_svg_legend;

void opn_i_svg_legend_add(opn_i_svg_legend *legend, const opn_i_svg_key *key);

// Height of the keys when laid out in columns within this width; 0 for none.
double opn_i_svg_legend_height(const opn_i_svg_legend *legend, double width);

void opn_i_svg_legend_draw(opn_i_file_writer *svg,
                           const opn_i_svg_legend *legend,
                           const opn_i_box *box);

// ` stroke-dasharray="…"` for lines that need it: dashed ones, and later ones whose
// colour could be mistaken for another's.
void opn_i_svg_dashes(opn_i_file_writer *svg, opn_i_svg_sign sign, int64_t number);

#endif // OPN_SVG_H
