// svg.c -- static figures as SVG 1.1: the file, shapes, text and panels.

#include "report/svg.h"

#include "report/label.h"
#include "report/palette.h"

#include <math.h>
#include <stdlib.h>

enum {
    MARGIN = 6,  // around the figure
    GAP = 16,    // between panels
    TITLE = 24,  // height of the figure's title
    HEADING = 20 // height of a panel's title
};

// ---- layout --------------------------------------------------------------------------

static int32_t columns_for(int32_t n_columns, int32_t n_panels)
{
    enum { MAX_COLUMNS = 4 }; // more would leave no room for text
    int32_t n = n_columns < MAX_COLUMNS ? n_columns : MAX_COLUMNS;
    n = n < n_panels ? n : n_panels;
    return n > 1 ? n : 1;
}

double opn_i_svg_full_width(int32_t n_columns, int32_t n_panels)
{
    return (columns_for(n_columns, n_panels) == 1 ? 360 : 640) - 2 * MARGIN;
}

static int32_t rows_of(const opn_i_svg_grid *grid)
{
    return grid->n_panels / grid->n_columns + (grid->n_panels % grid->n_columns > 0);
}

void opn_i_svg_layout(opn_i_svg_grid *grid)
{
    const double inside = opn_i_svg_full_width(grid->n_columns, grid->n_panels);
    grid->n_columns = columns_for(grid->n_columns, grid->n_panels);
    grid->cell_width = (inside - GAP * (grid->n_columns - 1)) / grid->n_columns;
    const double plot_width = grid->cell_width - grid->left - grid->right;
    grid->cell_height = HEADING + plot_width * grid->aspect + grid->below;
    grid->top = MARGIN + (grid->has_title ? TITLE : 0);
    grid->width = inside + 2 * MARGIN;
    grid->height = grid->top + grid->cell_height * rows_of(grid) + grid->legend + MARGIN;
}

opn_i_box opn_i_svg_plot(const opn_i_svg_grid *grid, int32_t p)
{
    const int32_t column = p % grid->n_columns;
    const int32_t row = p / grid->n_columns;
    return (opn_i_box){
            .x = MARGIN + column * (grid->cell_width + GAP) + grid->left,
            .y = grid->top + row * grid->cell_height + HEADING,
            .width = grid->cell_width - grid->left - grid->right,
            .height = grid->cell_height - HEADING - grid->below,
    };
}

opn_i_box opn_i_svg_legend_box(const opn_i_svg_grid *grid)
{
    return (opn_i_box){MARGIN, grid->top + grid->cell_height * rows_of(grid),
                       grid->width - 2 * MARGIN, grid->legend};
}

// ---- numbers and shapes --------------------------------------------------------------

// Hand-written to keep numbers as short as possible: most of a map is numbers.
static void put_number(opn_i_file_writer *svg, double number)
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
    opn_i_file_writer_put(svg, text + at, sizeof(text) - at);
}

void opn_i_svg_attribute(opn_i_file_writer *svg, const char *name, double number)
{
    opn_i_file_writer_printf(svg, " %s=\"", name);
    put_number(svg, number);
    opn_i_file_writer_put(svg, "\"", 1);
}

void opn_i_svg_colour(opn_i_file_writer *svg, const char *name, uint32_t colour)
{
    opn_i_file_writer_printf(svg, " %s=\"#%06x\"", name, (unsigned)colour);
}

void opn_i_svg_move(opn_i_file_writer *svg, char command, double x, double y)
{
    opn_i_file_writer_put(svg, &command, 1);
    put_number(svg, x);
    opn_i_file_writer_put(svg, " ", 1);
    put_number(svg, y);
}

static void put_box(opn_i_file_writer *svg, const opn_i_box *box)
{
    opn_i_file_writer_printf(svg, "<rect");
    opn_i_svg_attribute(svg, "x", box->x);
    opn_i_svg_attribute(svg, "y", box->y);
    opn_i_svg_attribute(svg, "width", box->width);
    opn_i_svg_attribute(svg, "height", box->height);
}

void opn_i_svg_fill(opn_i_file_writer *svg, const opn_i_box *box, uint32_t colour)
{
    put_box(svg, box);
    opn_i_svg_colour(svg, "fill", colour);
    opn_i_file_writer_printf(svg, "/>\n");
}

void opn_i_svg_outline(opn_i_file_writer *svg, const opn_i_box *box, uint32_t colour)
{
    put_box(svg, box);
    opn_i_svg_colour(svg, "stroke", colour);
    opn_i_file_writer_printf(svg, " fill=\"none\"/>\n");
}

// ---- text ----------------------------------------------------------------------------

static void put_escaped(opn_i_file_writer *svg, const char *text)
{
    for (; *text != 0; text++) {
        switch (*text) {
        case '&':
            opn_i_file_writer_printf(svg, "&amp;");
            break;
        case '<':
            opn_i_file_writer_printf(svg, "&lt;");
            break;
        case '>':
            opn_i_file_writer_printf(svg, "&gt;");
            break;
        default:
            opn_i_file_writer_put(svg, text, 1);
            break;
        }
    }
}

// Writes everything before the text itself; the caller closes the element.
static void
begin_text(opn_i_file_writer *svg, const opn_i_svg_font *font, double x, double y)
{
    static const char *const anchors[] = {"", " text-anchor=\"middle\"",
                                          " text-anchor=\"end\""};
    opn_i_file_writer_printf(svg, "<text");
    opn_i_svg_attribute(svg, "x", x);
    opn_i_svg_attribute(svg, "y", y);
    opn_i_svg_attribute(svg, "font-size", font->size);
    opn_i_file_writer_printf(svg, "%s%s", anchors[font->anchor],
                             font->is_bold ? " font-weight=\"bold\"" : "");
    if (font->is_rotated) {
        opn_i_file_writer_printf(svg, " transform=\"rotate(-90 ");
        put_number(svg, x);
        opn_i_file_writer_put(svg, " ", 1);
        put_number(svg, y);
        opn_i_file_writer_printf(svg, ")\"");
    }
    opn_i_file_writer_put(svg, ">", 1);
}

void opn_i_svg_text(opn_i_file_writer *svg,
                    const opn_i_svg_font *font,
                    double x,
                    double y,
                    const char *text)
{
    opn_i_label label;
    const double em = font->size * (font->is_bold ? 1.12 : 1);
    (void)opn_i_label_take(text, font->room / em, false, &label);
    if (label.text[0] == 0)
        return;
    begin_text(svg, font, x, y);
    put_escaped(svg, label.text);
    opn_i_file_writer_printf(svg, "</text>\n");
}

char opn_i_svg_letter(int32_t n_panels, int32_t p)
{
    return (char)(n_panels > 1 && n_panels <= 26 ? 'a' + p : 0);
}

void opn_i_svg_panel_title(opn_i_file_writer *svg,
                           const opn_i_svg_grid *grid,
                           int32_t p,
                           const char *title)
{
    const opn_i_box plot = opn_i_svg_plot(grid, p);
    const char letter[] = {'(', opn_i_svg_letter(grid->n_panels, p), ')', 0};
    const bool has_letter = letter[1] != 0;
    const double indent = has_letter ? 24 : 0;
    const opn_i_svg_font bold = {.size = 12, .room = 40, .is_bold = true};
    const opn_i_svg_font font = {.size = 12, .room = plot.width + grid->right - indent};
    if (has_letter)
        opn_i_svg_text(svg, &bold, plot.x, plot.y - 7, letter);
    opn_i_svg_text(svg, &font, plot.x + indent, plot.y - 7, title);
}

// ---- file ----------------------------------------------------------------------------

opn_status opn_i_svg_open(opn_ctx *ctx,
                          const char *path,
                          const char *title,
                          const opn_i_svg_grid *grid,
                          opn_i_file_writer **out)
{
    opn_status status = OPN_OK;
    opn_i_file_writer *svg = NULL;
    const opn_i_box page = {0, 0, grid->width, grid->height};
    const opn_i_svg_font font = {.size = 14,
                                 .room = grid->width - 2 * MARGIN,
                                 .anchor = OPN_ANCHOR_MIDDLE,
                                 .is_bold = true};
    opn_i_label label;
    OPN_TRY(opn_i_file_writer_open(ctx, path, &svg));
    opn_i_file_writer_printf(svg, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                                  "<svg xmlns=\"http://www.w3.org/2000/svg\" "
                                  "version=\"1.1\" width=\"");
    put_number(svg, grid->width / 4);
    opn_i_file_writer_printf(svg, "mm\" height=\"");
    put_number(svg, grid->height / 4);
    opn_i_file_writer_printf(svg, "mm\" viewBox=\"0 0 ");
    put_number(svg, grid->width);
    opn_i_file_writer_put(svg, " ", 1);
    put_number(svg, grid->height);
    opn_i_file_writer_printf(svg, "\" font-family=\"Helvetica, Arial, sans-serif\"");
    opn_i_svg_colour(svg, "fill", opn_i_palette.ink);
    opn_i_file_writer_printf(svg, ">\n<title>");
    (void)opn_i_label_take(title, OPN_LABEL_ROOM, false, &label);
    put_escaped(svg, label.text);
    opn_i_file_writer_printf(svg, "</title>\n");
    opn_i_svg_fill(svg, &page, 0xffffff);
    if (grid->has_title)
        opn_i_svg_text(svg, &font, grid->width / 2, MARGIN + 12, title);
    *out = svg;
cleanup:
    return status;
}

opn_status opn_i_svg_close(opn_i_file_writer *svg)
{
    opn_i_file_writer_printf(svg, "</svg>\n");
    return opn_i_file_writer_commit(svg);
}
