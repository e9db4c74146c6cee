// canvas_svg.c -- figures as SVG 1.1.

#include "report/canvas_format.h"
#include "report/palette.h"

#include <math.h>

static void put_attribute(opn_i_canvas *canvas, const char *name, double number)
{
    opn_i_text_add(&canvas->content, " %s=\"", name);
    opn_i_canvas_put_number(canvas, number);
    opn_i_canvas_put(canvas, "\"");
}

static void put_colour(opn_i_canvas *canvas, const char *name, uint32_t colour)
{
    opn_i_text_add(&canvas->content, " %s=\"#%06x\"", name, (unsigned)colour);
}

static void put_point(opn_i_canvas *canvas, double x, double y)
{
    opn_i_canvas_put_number(canvas, x);
    opn_i_canvas_put(canvas, " ");
    opn_i_canvas_put_number(canvas, y);
}

static void put_escaped(opn_i_canvas *canvas, const char *text)
{
    for (; *text != 0; text++) {
        const char *entity = *text == '&'   ? "&amp;"
                             : *text == '<' ? "&lt;"
                             : *text == '>' ? "&gt;"
                                            : NULL;
        if (entity != NULL)
            opn_i_canvas_put(canvas, entity);
        else
            opn_i_text_put(&canvas->content, text, 1);
    }
}

// ---- file ----------------------------------------------------------------------------

static void open_page(opn_i_canvas *canvas, const char *title)
{
    const opn_i_box page = {0, 0, canvas->width, canvas->height};
    opn_i_canvas_put(canvas, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                             "<svg xmlns=\"http://www.w3.org/2000/svg\" "
                             "version=\"1.1\" width=\"");
    opn_i_canvas_put_number(canvas, canvas->width / 4);
    opn_i_canvas_put(canvas, "mm\" height=\"");
    opn_i_canvas_put_number(canvas, canvas->height / 4);
    opn_i_canvas_put(canvas, "mm\" viewBox=\"0 0 ");
    put_point(canvas, canvas->width, canvas->height);
    opn_i_canvas_put(canvas, "\" font-family=\"Helvetica, Arial, sans-serif\"");
    put_colour(canvas, "fill", opn_i_palette.ink);
    opn_i_canvas_put(canvas, ">\n<title>");
    put_escaped(canvas, title);
    opn_i_canvas_put(canvas, "</title>\n");
    opn_i_canvas_fill(canvas, &page, 0xffffff);
}

static opn_status write_page(opn_i_canvas *canvas, opn_i_file_writer *file)
{
    opn_i_canvas_put(canvas, "</svg>\n");
    opn_i_file_writer_put(file, opn_i_text_chars(&canvas->content), canvas->content.n);
    return OPN_OK;
}

// ---- paths ---------------------------------------------------------------------------

static void begin_path(opn_i_canvas *canvas)
{
    const opn_i_pen *pen = &canvas->pen;
    opn_i_canvas_put(canvas, "<path");
    if (pen->is_filled)
        put_colour(canvas, "fill", pen->fill);
    else
        opn_i_canvas_put(canvas, " fill=\"none\"");
    if (pen->is_filled && pen->opacity > 0)
        opn_i_text_add(&canvas->content, " fill-opacity=\"%.2f\"", pen->opacity / 100.0);
    if (pen->width > 0) {
        put_colour(canvas, "stroke", pen->stroke);
        if (fabs(pen->width - 1) > 0)
            put_attribute(canvas, "stroke-width", pen->width);
        if (pen->is_round)
            opn_i_canvas_put(canvas,
                             " stroke-linecap=\"round\" stroke-linejoin=\"round\"");
        if (pen->dashes != NULL)
            opn_i_text_add(&canvas->content, " stroke-dasharray=\"%s\"", pen->dashes);
    }
    opn_i_canvas_put(canvas, " d=\"");
}

static void step_path(opn_i_canvas *canvas, char kind, const double *at)
{
    const size_t n_points = kind == 'Z' ? 0 : kind == 'C' ? 3 : 1;
    opn_i_text_put(&canvas->content, &kind, 1);
    for (size_t p = 0; p < n_points; p++) {
        if (p > 0)
            opn_i_canvas_put(canvas, " ");
        put_point(canvas, at[2 * p], at[2 * p + 1]);
    }
}

static void end_path(opn_i_canvas *canvas)
{
    opn_i_canvas_put(canvas, "\"/>\n");
}

// A nested svg clips its contents without a clipping path, whose id would clash if
// several figures were put into one page.
static void clip(opn_i_canvas *canvas, const opn_i_box *box)
{
    opn_i_canvas_put(canvas, "<svg");
    put_attribute(canvas, "x", box->x);
    put_attribute(canvas, "y", box->y);
    put_attribute(canvas, "width", box->width);
    put_attribute(canvas, "height", box->height);
    opn_i_canvas_put(canvas, " viewBox=\"");
    put_point(canvas, box->x, box->y);
    opn_i_canvas_put(canvas, " ");
    put_point(canvas, box->width, box->height);
    opn_i_canvas_put(canvas, "\">\n");
}

static void unclip(opn_i_canvas *canvas)
{
    opn_i_canvas_put(canvas, "</svg>\n");
}

// ---- dots ----------------------------------------------------------------------------

// Whole tenths without a decimal point, relative to the dot before: two fifths fewer
// bytes than coordinates as elsewhere.
static void begin_dots(opn_i_canvas *canvas, double diameter)
{
    opn_i_canvas_put(canvas, "<g fill=\"none\" stroke-linecap=\"round\" "
                             "transform=\"scale(.1)\"");
    put_attribute(canvas, "stroke-width", 10 * diameter);
    opn_i_canvas_put(canvas, ">\n");
}

static void end_dots(opn_i_canvas *canvas)
{
    opn_i_canvas_put(canvas, "</g>\n");
}

// A zero-length line with round ends is a dot.
static void put_dots(opn_i_canvas *canvas, uint32_t colour, int32_t n, const double *at)
{
    long last[2] = {0, 0};
    opn_i_canvas_put(canvas, "<path");
    put_colour(canvas, "stroke", colour);
    opn_i_canvas_put(canvas, " d=\"");
    for (size_t i = 0; i < (size_t)n; i++) {
        const long now[2] = {lround(10 * at[2 * i]), lround(10 * at[2 * i + 1])};
        const long by[2] = {now[0] - last[0], now[1] - last[1]};
        opn_i_text_add(&canvas->content, "%c%ld%s%ldh0", i == 0 ? 'M' : 'm', by[0],
                       by[1] < 0 ? "" : " ", by[1]);
        last[0] = now[0];
        last[1] = now[1];
    }
    end_path(canvas);
}

// ---- text ----------------------------------------------------------------------------

static void put_text(opn_i_canvas *canvas,
                     const opn_i_font *font,
                     double x,
                     double y,
                     const char *text)
{
    static const char *const anchors[] = {"", " text-anchor=\"middle\"",
                                          " text-anchor=\"end\""};
    opn_i_canvas_put(canvas, "<text");
    put_attribute(canvas, "x", x);
    put_attribute(canvas, "y", y);
    put_attribute(canvas, "font-size", font->size);
    opn_i_canvas_put(canvas, anchors[font->anchor]);
    if (font->is_bold)
        opn_i_canvas_put(canvas, " font-weight=\"bold\"");
    if (font->colour != 0)
        put_colour(canvas, "fill", font->colour);
    if (font->is_rotated) {
        opn_i_canvas_put(canvas, " transform=\"rotate(-90 ");
        put_point(canvas, x, y);
        opn_i_canvas_put(canvas, ")\"");
    }
    opn_i_canvas_put(canvas, ">");
    put_escaped(canvas, text);
    opn_i_canvas_put(canvas, "</text>\n");
}

const opn_i_canvas_format opn_i_canvas_svg = {
        .ending = ".svg",
        .open = open_page,
        .begin = begin_path,
        .step = step_path,
        .end = end_path,
        .clip = clip,
        .unclip = unclip,
        .begin_dots = begin_dots,
        .dots = put_dots,
        .end_dots = end_dots,
        .text = put_text,
        .write = write_page,
};
