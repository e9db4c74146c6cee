// canvas_format.h -- what a file format of figures has to do.

#ifndef OPN_CANVAS_FORMAT_H
#define OPN_CANVAS_FORMAT_H

#include "base/text.h"
#include "io/file_write.h"
#include "report/canvas.h"
#include "report/label.h"

typedef struct opn_i_canvas_format {
    const char *ending;
    // A page in which nothing is drawn yet.
    void (*open)(opn_i_canvas *canvas, const char *title);
    void (*begin)(opn_i_canvas *canvas);
    // A step of a path: 'M' or 'L' with one point, 'C' with three, 'Z' with none.
    void (*step)(opn_i_canvas *canvas, char kind, const double *at);
    void (*end)(opn_i_canvas *canvas);
    void (*clip)(opn_i_canvas *canvas, const opn_i_box *box);
    void (*unclip)(opn_i_canvas *canvas);
    void (*begin_dots)(opn_i_canvas *canvas, double diameter);
    void (*dots)(opn_i_canvas *canvas, uint32_t colour, int32_t n, const double *at);
    void (*end_dots)(opn_i_canvas *canvas);
    // The text is cleaned, cut and not empty.
    void (*text)(opn_i_canvas *canvas,
                 const opn_i_font *font,
                 double x,
                 double y,
                 const char *text);
    // Writes the whole file. Errors: NOMEM; those of the writer are its own.
    opn_status (*write)(opn_i_canvas *canvas, opn_i_file_writer *file);
} opn_i_canvas_format;

enum { OPN_FULL_OPACITY = 100 };

struct opn_i_canvas {
    opn_ctx *ctx;
    char *path;
    const opn_i_canvas_format *format;
    double width, height;
    opn_i_text content; // what has been drawn so far, in the words of the format
    opn_i_pen pen;      // of the path in progress
    opn_i_label title;
    bool has_opacity[OPN_FULL_OPACITY + 1]; // percentages in use
};

extern const opn_i_canvas_format opn_i_canvas_svg;
extern const opn_i_canvas_format opn_i_canvas_pdf;

// Appends a number in tenths, as short as possible: most of a map is numbers.
void opn_i_canvas_put_number(opn_i_canvas *canvas, double number);
void opn_i_canvas_put(opn_i_canvas *canvas, const char *text);

#endif // OPN_CANVAS_FORMAT_H
