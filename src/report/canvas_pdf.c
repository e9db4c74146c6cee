// canvas_pdf.c -- figures as PDF 1.4: one page, its drawing packed, standard fonts.

#include "io/utf8.h"
#include "report/canvas_format.h"
#include "report/palette.h"
#include "report/pdf_font.h"

#include <string.h>
#include <zlib.h>

static const double points = 72 / 25.4 / 4; // in a unit

static void put_operator(opn_i_canvas *canvas, const char *name)
{
    opn_i_text_add(&canvas->content, "%s\n", name);
}

static void put_numbers(opn_i_canvas *canvas, int n, const double *number)
{
    for (int i = 0; i < n; i++) {
        opn_i_canvas_put_number(canvas, number[i]);
        opn_i_canvas_put(canvas, " ");
    }
}

static void put_colour(opn_i_canvas *canvas, uint32_t colour, const char *name)
{
    opn_i_text_add(&canvas->content, "%.3f %.3f %.3f %s\n", (colour >> 16) / 255.0,
                   (colour >> 8 & 0xff) / 255.0, (colour & 0xff) / 255.0, name);
}

// ---- paths ---------------------------------------------------------------------------

static void open_page(opn_i_canvas *canvas, const char *title)
{
    (void)title; // stands outside of the drawing
    const opn_i_box page = {0, 0, canvas->width, canvas->height};
    opn_i_text_add(&canvas->content, "%.6f 0 0 %.6f 0 %.3f cm\n", points, -points,
                   points * canvas->height);
    opn_i_canvas_fill(canvas, &page, 0xffffff);
}

static void begin_path(opn_i_canvas *canvas)
{
    const opn_i_pen *pen = &canvas->pen;
    put_operator(canvas, "q");
    if (pen->is_filled)
        put_colour(canvas, pen->fill, "rg");
    if (pen->is_filled && pen->opacity > 0) {
        canvas->has_opacity[pen->opacity] = true;
        opn_i_text_add(&canvas->content, "/G%d gs\n", pen->opacity);
    }
    if (pen->width > 0) {
        put_colour(canvas, pen->stroke, "RG");
        put_numbers(canvas, 1, &pen->width);
        put_operator(canvas, pen->is_round ? "w 1 J 1 j" : "w");
        if (pen->dashes != NULL)
            opn_i_text_add(&canvas->content, "[%s] 0 d\n", pen->dashes);
    }
}

static void step_path(opn_i_canvas *canvas, char kind, const double *at)
{
    const int n_points = kind == 'Z' ? 0 : kind == 'C' ? 3 : 1;
    put_numbers(canvas, 2 * n_points, at);
    put_operator(canvas, kind == 'M' ? "m" : kind == 'L' ? "l" : kind == 'C' ? "c" : "h");
}

static void end_path(opn_i_canvas *canvas)
{
    const opn_i_pen *pen = &canvas->pen;
    const char *paint = pen->is_filled && pen->width > 0 ? "B"
                        : pen->is_filled                 ? "f"
                        : pen->width > 0                 ? "S"
                                                         : "n";
    put_operator(canvas, paint);
    put_operator(canvas, "Q");
}

static void clip(opn_i_canvas *canvas, const opn_i_box *box)
{
    put_operator(canvas, "q");
    put_numbers(canvas, 4, (const double[]){box->x, box->y, box->width, box->height});
    put_operator(canvas, "re W n");
}

static void unclip(opn_i_canvas *canvas)
{
    put_operator(canvas, "Q");
}

// ---- dots ----------------------------------------------------------------------------

static void begin_dots(opn_i_canvas *canvas, double diameter)
{
    put_operator(canvas, "q");
    put_numbers(canvas, 1, &diameter);
    put_operator(canvas, "w 1 J");
}

// A zero-length line with round ends is a dot.
static void put_dots(opn_i_canvas *canvas, uint32_t colour, int32_t n, const double *at)
{
    put_colour(canvas, colour, "RG");
    for (int32_t i = 0; i < n; i++) {
        step_path(canvas, 'M', at + 2 * (size_t)i);
        step_path(canvas, 'L', at + 2 * (size_t)i);
    }
    put_operator(canvas, "S");
}

static void end_dots(opn_i_canvas *canvas)
{
    put_operator(canvas, "Q");
}

// ---- text ----------------------------------------------------------------------------

enum {
    HAT = 0x302, // drawn above the letter before it; other accents are left out
    HAT_BYTE = 0x88,
    HAT_WIDTH = 333,
    FIRST_MARK = 0x300,
    LAST_MARK = 0x36f,
    FONT_NONE = OPN_N_PDF_FONTS
};

// The next character of valid text; 0 at its end.
static uint32_t next_code(const char **text)
{
    uint32_t code = 0;
    const size_t n = strlen(*text);
    if (n > 0)
        *text += opn_i_utf8_get((const unsigned char *)*text, n, &code);
    return code;
}

static bool is_mark(uint32_t code)
{
    return code >= FIRST_MARK && code <= LAST_MARK;
}

static double width_of(const char *text, bool is_bold)
{
    double width = 0;
    for (uint32_t code = next_code(&text); code != 0; code = next_code(&text))
        if (!is_mark(code))
            width += opn_i_pdf_glyph_of(code, is_bold).width / 1000.0;
    return width;
}

static void choose_font(opn_i_canvas *canvas, int font, double size, int *current)
{
    if (font == *current)
        return;
    opn_i_text_add(&canvas->content, "/F%d ", font);
    opn_i_canvas_put_number(canvas, size);
    put_operator(canvas, " Tf");
    *current = font;
}

static void
put_characters(opn_i_canvas *canvas, const char *text, double size, bool is_bold)
{
    int current = FONT_NONE;
    opn_i_pdf_glyph glyph = {0};
    for (uint32_t code = next_code(&text); code != 0; code = next_code(&text)) {
        if (code == HAT) {
            choose_font(canvas, OPN_PDF_HELVETICA, size, &current);
            opn_i_text_add(&canvas->content, "[%d <%02x> %d] TJ\n",
                           (glyph.width + HAT_WIDTH) / 2, (unsigned)HAT_BYTE,
                           (HAT_WIDTH - glyph.width) / 2);
        } else if (!is_mark(code)) {
            glyph = opn_i_pdf_glyph_of(code, is_bold);
            choose_font(canvas, (int)glyph.font, size, &current);
            opn_i_text_add(&canvas->content, "<%02x> Tj\n", (unsigned)glyph.byte);
        }
    }
}

static void put_text(opn_i_canvas *canvas,
                     const opn_i_font *font,
                     double x,
                     double y,
                     const char *text)
{
    const double width = font->size * width_of(text, font->is_bold);
    const double before = font->anchor == OPN_ANCHOR_START    ? 0
                          : font->anchor == OPN_ANCHOR_MIDDLE ? width / 2
                                                              : width;
    const double at[2] = {font->is_rotated ? x : x - before,
                          font->is_rotated ? y + before : y};
    put_operator(canvas, "BT");
    put_colour(canvas, font->colour != 0 ? font->colour : opn_i_palette.ink, "rg");
    opn_i_canvas_put(canvas, font->is_rotated ? "0 -1 -1 0 " : "1 0 0 -1 ");
    put_numbers(canvas, 2, at);
    put_operator(canvas, "Tm");
    put_characters(canvas, text, font->size, font->is_bold);
    put_operator(canvas, "ET");
}

// ---- file ----------------------------------------------------------------------------

enum { N_OBJECTS = 5 + OPN_N_PDF_FONTS }; // catalogue, pages, page, drawing, title, fonts

typedef struct pdf {
    opn_i_text text;
    size_t offset[N_OBJECTS];
    int n; // objects begun
} pdf;

static void begin_object(pdf *to)
{
    to->offset[to->n++] = to->text.n;
    opn_i_text_add(&to->text, "%d 0 obj\n", to->n);
}

static void end_object(pdf *to)
{
    opn_i_text_add(&to->text, "\nendobj\n");
}

static void put_page(const opn_i_canvas *canvas, pdf *to)
{
    begin_object(to);
    opn_i_text_add(&to->text, "<< /Type /Catalog /Pages 2 0 R >>");
    end_object(to);
    begin_object(to);
    opn_i_text_add(&to->text, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
    end_object(to);
    begin_object(to);
    opn_i_text_add(&to->text,
                   "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %.3f %.3f] /Contents 4 0 "
                   "R\n/Resources << /ProcSet [/PDF /Text] /Font <<",
                   points * canvas->width, points * canvas->height);
    for (int f = 0; f < OPN_N_PDF_FONTS; f++)
        opn_i_text_add(&to->text, " /F%d %d 0 R", f, N_OBJECTS - OPN_N_PDF_FONTS + 1 + f);
    opn_i_text_add(&to->text, " >> /ExtGState <<");
    for (int p = 0; p <= OPN_FULL_OPACITY; p++)
        if (canvas->has_opacity[p])
            opn_i_text_add(&to->text, " /G%d << /ca %.2f >>", p, p / 100.0);
    opn_i_text_add(&to->text, " >> >> >>");
    end_object(to);
}

static opn_status put_drawing(const opn_i_canvas *canvas, pdf *to)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = canvas->ctx;
    unsigned char *packed = NULL;
    uLongf n = compressBound((uLong)canvas->content.n);
    OPN_TRY_NEW(ctx, packed, n);
    OPN_FAIL_IF(ctx,
                compress2(packed, &n,
                          (const unsigned char *)opn_i_text_chars(&canvas->content),
                          (uLong)canvas->content.n, Z_BEST_COMPRESSION) != Z_OK,
                OPN_ERR_NOMEM, "a figure cannot be packed: out of memory");
    begin_object(to);
    opn_i_text_add(&to->text, "<< /Length %lu /Filter /FlateDecode >>\nstream\n",
                   (unsigned long)n);
    opn_i_text_put(&to->text, (const char *)packed, n);
    opn_i_text_add(&to->text, "\nendstream");
    end_object(to);
cleanup:
    opn_i_release(&ctx->alloc, packed);
    return status;
}

// UTF-16, as PDF wants text that is not drawn.
static void put_title(const char *title, pdf *to)
{
    begin_object(to);
    opn_i_text_add(&to->text, "<< /Producer (opine) /Title <feff");
    for (uint32_t code = next_code(&title); code != 0; code = next_code(&title)) {
        const uint32_t high = code - 0x10000;
        if (code < 0x10000)
            opn_i_text_add(&to->text, "%04x", (unsigned)code);
        else
            opn_i_text_add(&to->text, "%04x%04x", (unsigned)(0xd800 + (high >> 10)),
                           (unsigned)(0xdc00 + (high & 0x3ff)));
    }
    opn_i_text_add(&to->text, "> >>");
    end_object(to);
}

static void put_fonts(pdf *to)
{
    for (int f = 0; f < OPN_N_PDF_FONTS; f++) {
        begin_object(to);
        opn_i_text_add(&to->text, "<< /Type /Font /Subtype /Type1 /BaseFont /%s%s >>",
                       opn_i_pdf_font_name((opn_i_pdf_font)f),
                       f == OPN_PDF_SYMBOL ? "" : " /Encoding /WinAnsiEncoding");
        end_object(to);
    }
}

static void put_table(pdf *to)
{
    const size_t at = to->text.n;
    opn_i_text_add(&to->text, "xref\n0 %d\n0000000000 65535 f \n", to->n + 1);
    for (int i = 0; i < to->n; i++)
        opn_i_text_add(&to->text, "%010lu 00000 n \n", (unsigned long)to->offset[i]);
    opn_i_text_add(&to->text,
                   "trailer\n<< /Size %d /Root 1 0 R /Info 5 0 R >>\nstartxref\n%lu\n"
                   "%%%%EOF\n",
                   to->n + 1, (unsigned long)at);
}

static opn_status write_page(opn_i_canvas *canvas, opn_i_file_writer *file)
{
    opn_status status = OPN_OK;
    pdf to = {.text = {.ctx = canvas->ctx}};
    OPN_TRY(canvas->content.status);
    opn_i_text_add(&to.text, "%%PDF-1.4\n%%\xe2\xe3\xcf\xd3\n"); // holds bytes, not text
    put_page(canvas, &to);
    OPN_TRY(put_drawing(canvas, &to));
    put_title(canvas->title.text, &to);
    put_fonts(&to);
    put_table(&to);
    OPN_TRY(to.text.status);
    opn_i_file_writer_put(file, opn_i_text_chars(&to.text), to.text.n);
cleanup:
    opn_i_text_free(&to.text);
    return status;
}

const opn_i_canvas_format opn_i_canvas_pdf = {
        .ending = ".pdf",
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
