// svg.h -- static figures as SVG 1.1: panels in a grid, text, axes, legend, colour bar.
//
// A figure is a file writer between opn_i_svg_open() and opn_i_svg_close(). A unit is a
// quarter of a millimetre: a figure of two columns or more is 640 units, 16 cm, wide, and
// text of size 11 is 7.8 points. Numbers are written in tenths of a unit, so that the
// same input makes the same bytes everywhere.

#ifndef OPN_SVG_H
#define OPN_SVG_H

#include "io/file_write.h"

// ---- layout --------------------------------------------------------------------------

typedef struct opn_i_box {
    double x, y, width, height; // x, y: the corner top left
} opn_i_box;

// Panels of one size, row by row. The caller sets the first part.
typedef struct opn_i_svg_grid {
    int32_t n_panels;
    int32_t n_columns;  // wanted; taken to 1 … 4 and to no more than there are panels
    bool has_title;     // of the figure
    double left, right; // room beside each plot
    double below;       // room beneath each plot; its title stands above
    double aspect;      // height of a plot by its width
    double legend;      // height of what stands beneath all panels

    double width, height; // of the figure, from here on set by layout
    double cell_width, cell_height;
    double top; // where the panels begin
} opn_i_svg_grid;

// Width of what stands beneath all panels, which is needed to tell its height.
double opn_i_svg_full_width(int32_t n_columns, int32_t n_panels);

void opn_i_svg_layout(opn_i_svg_grid *grid);

// The plot of panel p, without what stands around it.
opn_i_box opn_i_svg_plot(const opn_i_svg_grid *grid, int32_t p);

// The box beneath all panels.
opn_i_box opn_i_svg_legend_box(const opn_i_svg_grid *grid);

// ---- the file ------------------------------------------------------------------------

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

// A command of a path: M12.3 4.5
void opn_i_svg_move(opn_i_file_writer *svg, char command, double x, double y);

// A rectangle of one colour, filled; or its outline one unit wide.
void opn_i_svg_fill(opn_i_file_writer *svg, const opn_i_box *box, uint32_t colour);
void opn_i_svg_outline(opn_i_file_writer *svg, const opn_i_box *box, uint32_t colour);

typedef enum opn_i_anchor {
    OPN_ANCHOR_START,
    OPN_ANCHOR_MIDDLE,
    OPN_ANCHOR_END
} opn_i_anchor;

typedef struct opn_i_svg_font {
    double size;
    double room; // width at which the text is cut
    opn_i_anchor anchor;
    bool is_bold;
    bool is_rotated; // runs upwards
} opn_i_svg_font;

// One line of any text (NULL is none) with its base line through x, y.
void opn_i_svg_text(opn_i_file_writer *svg,
                    const opn_i_svg_font *font,
                    double x,
                    double y,
                    const char *text);

// The letter that panel p goes by; 0 when there is one panel, or more than letters.
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

// At most `most` + 1 ticks within [low, high]; none when that is empty, not finite, or
// too narrow for its distance from 0.
opn_i_ticks opn_i_ticks_make(double low, double high, int most);

double opn_i_ticks_at(const opn_i_ticks *ticks, int32_t i);

enum { OPN_TICK_ROOM = 48 };
void opn_i_ticks_name(const opn_i_ticks *ticks, int32_t i, char text[OPN_TICK_ROOM]);

// A range as axes take it: 0 to 1 when low >= high or one is not finite.
typedef struct opn_i_range {
    double low, high;
} opn_i_range;

opn_i_range opn_i_range_or_unit(opn_i_range range);

enum {
    OPN_AXIS_LEFT = 53, // room that ticks and name take beside the plot, and beneath it
    OPN_AXIS_BELOW = 34,
    OPN_TICKS_BELOW = 18, // the same for ticks without a name
};

// Frame, ticks with numbers and faint lines, and names, around a plot.
void opn_i_svg_axes(opn_i_file_writer *svg,
                    const opn_i_box *plot,
                    opn_i_range x,
                    opn_i_range y,
                    const char *x_name,
                    const char *y_name);

// The ramp from left to right in n_steps colours.
void opn_i_svg_colour_bar(opn_i_file_writer *svg, const opn_i_box *box, int n_steps);

// Ticks with numbers beneath a box that spans `range`.
void opn_i_svg_ticks_below(opn_i_file_writer *svg, const opn_i_box *box, opn_i_range x);

// ---- legend --------------------------------------------------------------------------

typedef enum opn_i_svg_sign {
    OPN_SIGN_DOT,
    OPN_SIGN_LARGE_DOT, // with a rim
    OPN_SIGN_LINE,
    OPN_SIGN_DASHES,
} opn_i_svg_sign;

typedef struct opn_i_svg_key {
    opn_i_svg_sign sign;
    uint32_t colour;
    const char *name; // NULL: the number
    int64_t number;   // of the class or line
    char letter;      // of the panel it belongs to; 0 for all
} opn_i_svg_key;

enum { OPN_LEGEND_MAX = 48 };

// Zero-initialise. Keys beyond the room are counted only, and told as "and 7 more".
typedef struct opn_i_svg_legend {
    int32_t n;
    int32_t n_reserved; // places to keep for keys that are to be added last
    int64_t n_more;
    opn_i_svg_key key[OPN_LEGEND_MAX];
} opn_i_svg_legend;

void opn_i_svg_legend_add(opn_i_svg_legend *legend, const opn_i_svg_key *key);

// Height that the keys take in columns within this width; 0 for none.
double opn_i_svg_legend_height(const opn_i_svg_legend *legend, double width);

void opn_i_svg_legend_draw(opn_i_file_writer *svg,
                           const opn_i_svg_legend *legend,
                           const opn_i_box *box);

// ` stroke-dasharray="…"` for a line that needs it: one of dashes, or a later one whose
// colour alone might be taken for another's.
void opn_i_svg_dashes(opn_i_file_writer *svg, opn_i_svg_sign sign, int64_t number);

#endif // OPN_SVG_H
