// canvas.h -- the page that a figure is drawn on: paths, dots and text, as SVG or PDF.
//
// A unit is a quarter of a millimetre, and y points down: a figure of two or more columns
// is 640 units (16 cm) wide, and text of size 11 is 7.8 points. Numbers are written in
// tenths of a unit, so that the same drawing gives the same SVG everywhere.

#ifndef OPN_CANVAS_H
#define OPN_CANVAS_H

#include "base/context.h"

typedef struct opn_i_canvas opn_i_canvas;

typedef struct opn_i_box {
    double x, y, width, height; // x, y: top left corner
} opn_i_box;

// A white page that becomes the file on close. The ending of its path (.svg or .pdf)
// chooses the format. `title`, any text or NULL, is what viewers show for the page.
// Errors: INVALID_ARG (another ending), NOMEM.
OPN_NODISCARD opn_status opn_i_canvas_open(opn_ctx *ctx,
                                           const char *path,
                                           const char *title,
                                           double width,
                                           double height,
                                           opn_i_canvas **out);

// Writes the file and frees the canvas, also on failure. Errors: WRITE, NOMEM.
OPN_NODISCARD opn_status opn_i_canvas_close(opn_i_canvas *canvas);

// ---- paths ---------------------------------------------------------------------------

typedef struct opn_i_pen {
    double width; // of the line; 0: none
    uint32_t stroke;
    bool is_filled;
    uint32_t fill;
    const char *dashes; // "4 3"; NULL: an unbroken line
    int opacity;        // of the fill in percent; 0: opaque
    bool is_round;      // ends and corners of the line
} opn_i_pen;

// Coordinates are finite and within a million.
void opn_i_canvas_begin(opn_i_canvas *canvas, const opn_i_pen *pen);
void opn_i_canvas_move(opn_i_canvas *canvas, double x, double y);
void opn_i_canvas_line(opn_i_canvas *canvas, double x, double y);
void opn_i_canvas_join(opn_i_canvas *canvas); // back to the last move
void opn_i_canvas_circle(opn_i_canvas *canvas, double x, double y, double radius);
void opn_i_canvas_box(opn_i_canvas *canvas, const opn_i_box *box, double rounding);
void opn_i_canvas_end(opn_i_canvas *canvas);

// A filled box of one colour, or its outline one unit wide.
void opn_i_canvas_fill(opn_i_canvas *canvas, const opn_i_box *box, uint32_t colour);
void opn_i_canvas_outline(opn_i_canvas *canvas, const opn_i_box *box, uint32_t colour);

// What is drawn until unclip is seen only inside the box. Clips do not nest.
void opn_i_canvas_clip(opn_i_canvas *canvas, const opn_i_box *box);
void opn_i_canvas_unclip(opn_i_canvas *canvas);

// ---- dots ----------------------------------------------------------------------------

// Thousands of dots of one size, in as few bytes as possible: between begin and end come
// any number of calls, one for each colour. at [n,2]: centres; the file is smallest if
// neighbours in the array are neighbours on the page.
void opn_i_canvas_begin_dots(opn_i_canvas *canvas, double diameter);
void opn_i_canvas_dots(opn_i_canvas *canvas,
                       uint32_t colour,
                       int32_t n,
                       const double *at);
void opn_i_canvas_end_dots(opn_i_canvas *canvas);

// ---- text ----------------------------------------------------------------------------

typedef enum opn_i_anchor {
    OPN_ANCHOR_START,
    OPN_ANCHOR_MIDDLE,
    OPN_ANCHOR_END
} opn_i_anchor;

typedef struct opn_i_font {
    double size;
    double room; // width at which the text is truncated
    opn_i_anchor anchor;
    uint32_t colour; // 0: that of all text
    bool is_bold;
    bool is_rotated; // runs upwards
} opn_i_font;

// One line of arbitrary text (NULL means none) with its baseline through x, y. In PDF,
// which has the standard fonts only, characters beyond Latin 1, Greek and a few signs
// become "?".
void opn_i_canvas_text(opn_i_canvas *canvas,
                       const opn_i_font *font,
                       double x,
                       double y,
                       const char *text);

#endif // OPN_CANVAS_H
