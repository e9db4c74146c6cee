// canvas.c -- the page that a figure is drawn on, whatever its format.

#include "report/canvas.h"

#include "base/names.h"
#include "io/path.h"
#include "report/canvas_format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- file ----------------------------------------------------------------------------

static const opn_i_canvas_format *format_of(const char *path)
{
    static const opn_i_canvas_format *const formats[] = {&opn_i_canvas_svg,
                                                         &opn_i_canvas_pdf};
    const size_t n = strlen(path);
    for (size_t f = 0; f < sizeof(formats) / sizeof(formats[0]); f++) {
        const size_t n_ending = strlen(formats[f]->ending);
        if (n >= n_ending && strcmp(path + n - n_ending, formats[f]->ending) == 0)
            return formats[f];
    }
    return NULL;
}

static void free_canvas(opn_i_canvas *canvas)
{
    if (canvas == NULL)
        return;
    const opn_alloc alloc = canvas->ctx->alloc;
    opn_i_text_free(&canvas->content);
    opn_i_release(&alloc, canvas->path);
    opn_i_release(&alloc, canvas);
}

opn_status opn_i_canvas_open(opn_ctx *ctx,
                             const char *path,
                             const char *title,
                             double width,
                             double height,
                             opn_i_canvas **out)
{
    opn_status status = OPN_OK;
    opn_i_canvas *canvas = NULL;
    OPN_FAIL_IF(ctx, format_of(path) == NULL, OPN_ERR_INVALID_ARG,
                "%s: figures are .svg or .pdf files", path);
    OPN_TRY_NEW(ctx, canvas, 1);
    canvas->ctx = ctx;
    canvas->format = format_of(path);
    canvas->width = width;
    canvas->height = height;
    canvas->content.ctx = ctx;
    OPN_TRY(opn_i_join_path(ctx, NULL, path, "", &canvas->path));
    (void)opn_i_label_take(title, OPN_LABEL_ROOM, false, &canvas->title);
    canvas->format->open(canvas, canvas->title.text);
    *out = canvas;
    canvas = NULL;
cleanup:
    free_canvas(canvas);
    return status;
}

opn_status opn_i_canvas_close(opn_i_canvas *canvas)
{
    opn_status status = OPN_OK;
    opn_i_file_writer *file = NULL;
    opn_ctx *ctx = canvas->ctx;
    OPN_TRY(opn_i_file_writer_open(ctx, canvas->path, &file));
    OPN_TRY(canvas->format->write(canvas, file));
    OPN_TRY(canvas->content.status);
    status = opn_i_file_writer_commit(file);
    file = NULL;
cleanup:
    opn_i_file_writer_discard(file);
    free_canvas(canvas);
    return status;
}

// ---- numbers -------------------------------------------------------------------------

void opn_i_canvas_put(opn_i_canvas *canvas, const char *text)
{
    opn_i_text_put(&canvas->content, text, strlen(text));
}

void opn_i_canvas_put_number(opn_i_canvas *canvas, double number)
{
    char text[24];
    size_t at = sizeof(text);
    const long tenths = lround(10 * number);
    long rest = labs(tenths);
    if (rest % 10 != 0) {
        text[--at] = (char)('0' + rest % 10);
        text[--at] = '.';
    }
    rest /= 10;
    do
        text[--at] = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (tenths < 0)
        text[--at] = '-';
    opn_i_text_put(&canvas->content, text + at, sizeof(text) - at);
}

// ---- paths ---------------------------------------------------------------------------

void opn_i_canvas_begin(opn_i_canvas *canvas, const opn_i_pen *pen)
{
    canvas->pen = *pen;
    canvas->format->begin(canvas);
}

void opn_i_canvas_move(opn_i_canvas *canvas, double x, double y)
{
    canvas->format->step(canvas, 'M', (const double[]){x, y});
}

void opn_i_canvas_line(opn_i_canvas *canvas, double x, double y)
{
    canvas->format->step(canvas, 'L', (const double[]){x, y});
}

void opn_i_canvas_join(opn_i_canvas *canvas)
{
    canvas->format->step(canvas, 'Z', NULL);
}

void opn_i_canvas_end(opn_i_canvas *canvas)
{
    canvas->format->end(canvas);
}

// A quarter of a circle about x, y from one direction to the next; the handle is that of
// the cubic curve closest to it.
static void put_quarter(opn_i_canvas *canvas, double x, double y, double radius, int turn)
{
    static const double along[5][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 0}};
    const double *a = along[turn];
    const double *b = along[turn + 1];
    const double reach = 0.5523 * radius;
    canvas->format->step(canvas, 'C',
                         (const double[]){x + a[0] * radius + b[0] * reach,
                                          y + a[1] * radius + b[1] * reach,
                                          x + b[0] * radius + a[0] * reach,
                                          y + b[1] * radius + a[1] * reach,
                                          x + b[0] * radius, y + b[1] * radius});
}

void opn_i_canvas_circle(opn_i_canvas *canvas, double x, double y, double radius)
{
    opn_i_canvas_move(canvas, x + radius, y);
    for (int turn = 0; turn < 4; turn++)
        put_quarter(canvas, x, y, radius, turn);
    opn_i_canvas_join(canvas);
}

void opn_i_canvas_box(opn_i_canvas *canvas, const opn_i_box *box, double rounding)
{
    const double r = rounding;
    const double right = box->x + box->width;
    const double bottom = box->y + box->height;
    opn_i_canvas_move(canvas, right, box->y + r);
    opn_i_canvas_line(canvas, right, bottom - r);
    if (r > 0)
        put_quarter(canvas, right - r, bottom - r, r, 0);
    opn_i_canvas_line(canvas, box->x + r, bottom);
    if (r > 0)
        put_quarter(canvas, box->x + r, bottom - r, r, 1);
    opn_i_canvas_line(canvas, box->x, box->y + r);
    if (r > 0)
        put_quarter(canvas, box->x + r, box->y + r, r, 2);
    if (r > 0) {
        opn_i_canvas_line(canvas, right - r, box->y);
        put_quarter(canvas, right - r, box->y + r, r, 3);
    }
    opn_i_canvas_join(canvas);
}

static void put_box(opn_i_canvas *canvas, const opn_i_box *box, const opn_i_pen *pen)
{
    opn_i_canvas_begin(canvas, pen);
    opn_i_canvas_box(canvas, box, 0);
    opn_i_canvas_end(canvas);
}

void opn_i_canvas_fill(opn_i_canvas *canvas, const opn_i_box *box, uint32_t colour)
{
    put_box(canvas, box, &(opn_i_pen){.is_filled = true, .fill = colour});
}

void opn_i_canvas_outline(opn_i_canvas *canvas, const opn_i_box *box, uint32_t colour)
{
    put_box(canvas, box, &(opn_i_pen){.width = 1, .stroke = colour});
}

void opn_i_canvas_clip(opn_i_canvas *canvas, const opn_i_box *box)
{
    canvas->format->clip(canvas, box);
}

void opn_i_canvas_unclip(opn_i_canvas *canvas)
{
    canvas->format->unclip(canvas);
}

// ---- dots ----------------------------------------------------------------------------

void opn_i_canvas_begin_dots(opn_i_canvas *canvas, double diameter)
{
    canvas->format->begin_dots(canvas, diameter);
}

void opn_i_canvas_dots(opn_i_canvas *canvas, uint32_t colour, int32_t n, const double *at)
{
    if (n > 0)
        canvas->format->dots(canvas, colour, n, at);
}

void opn_i_canvas_end_dots(opn_i_canvas *canvas)
{
    canvas->format->end_dots(canvas);
}

// ---- text ----------------------------------------------------------------------------

void opn_i_canvas_text(opn_i_canvas *canvas,
                       const opn_i_font *font,
                       double x,
                       double y,
                       const char *text)
{
    opn_i_label label;
    const double em = font->size * (font->is_bold ? 1.12 : 1);
    (void)opn_i_label_take(text, font->room / em, false, &label);
    if (label.text[0] != 0)
        canvas->format->text(canvas, font, x, y, label.text);
}
