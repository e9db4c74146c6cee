// plot_legend.c -- the legend of a figure: its colours and lines.

#include "report/label.h"
#include "report/palette.h"
#include "report/plot.h"

#include <math.h>
#include <stdio.h>

static const double key_size = 11;    // of the text
static const double key_height = 17;  // of a row
static const double line_width = 30;  // of the sign of a line
static const double sign_width = 36;  // before the text
static const double key_gap = 8;      // after it
static const double legend_above = 8; // between the panels and the first row

void opn_i_plot_legend_add(opn_i_plot_legend *legend, const opn_i_plot_key *key)
{
    if (legend->n < OPN_LEGEND_MAX - legend->n_reserved)
        legend->key[legend->n++] = *key;
    else
        legend->n_more++;
}

// ---- layout --------------------------------------------------------------------------

enum { KEY_TEXT = OPN_LABEL_ROOM + 8 };

// The text of a key and its approximate width in em.
static double name_key(const opn_i_plot_key *key, char text[KEY_TEXT])
{
    opn_i_label label;
    char number[24];
    char letter[8] = "";
    (void)snprintf(number, sizeof(number), "%lld", (long long)key->number);
    (void)opn_i_label_take(key->name == NULL ? number : key->name, OPN_LABEL_ROOM, false,
                           &label);
    if (key->letter != 0)
        (void)snprintf(letter, sizeof(letter), "(%c) ", key->letter);
    (void)snprintf(text, KEY_TEXT, "%s%s", letter, label.text);
    return label.width + (key->letter != 0 ? 2 : 0);
}

// Column width: that of the widest key, but a name that is much longer than the others is
// truncated instead of taking all the room.
static double column_width(const opn_i_plot_legend *legend, double width)
{
    char text[KEY_TEXT];
    double widest = 1;
    double sum = 0;
    for (int32_t k = 0; k < legend->n; k++) {
        const double em = name_key(&legend->key[k], text);
        widest = fmax(widest, em);
        sum += em;
    }
    const double usual = sign_width + 1.5 * sum / legend->n * key_size + key_gap;
    const double most =
            legend->n > 3 ? fmin(fmax(fmax(width / 3, 170), usual), width) : width;
    return fmin(sign_width + widest * key_size + key_gap, most);
}

// As many columns as fit, minus those that would only shorten the last row.
static int32_t count_columns(const opn_i_plot_legend *legend, double width)
{
    const double fit = width / column_width(legend, width) + 1e-9;
    const int32_t most = fit < legend->n ? (int32_t)fit : legend->n;
    if (most <= 1)
        return 1;
    const int32_t n_rows = (legend->n + most - 1) / most;
    return (legend->n + n_rows - 1) / n_rows;
}

double opn_i_plot_legend_height(const opn_i_plot_legend *legend, double width)
{
    const int32_t n_columns = count_columns(legend, width);
    const int32_t n_rows = (legend->n + n_columns - 1) / n_columns;
    if (legend->n == 0)
        return 0;
    return legend_above + key_height * (n_rows + (legend->n_more > 0));
}

// ---- drawing -------------------------------------------------------------------------

static void
put_dot(opn_i_canvas *canvas, double x, double y, double radius, uint32_t colour)
{
    opn_i_canvas_begin(canvas, &(opn_i_pen){.is_filled = true, .fill = colour});
    opn_i_canvas_circle(canvas, x, y, radius);
    opn_i_canvas_end(canvas);
}

void opn_i_plot_number(
        opn_i_canvas *canvas, int64_t number, uint32_t colour, double x, double y)
{
    const double radius = 5.6;
    const opn_i_font font = {
            .size = 8.5, .room = 20, .anchor = OPN_ANCHOR_MIDDLE, .is_bold = true};
    char text[24];
    (void)snprintf(text, sizeof(text), "%lld", (long long)number);
    put_dot(canvas, x, y, radius + 2.8, 0xffffff);
    put_dot(canvas, x, y, radius + 1.8, colour);
    put_dot(canvas, x, y, radius, 0xffffff);
    opn_i_canvas_text(canvas, &font, x, y + 3.1, text);
}

static void put_band(opn_i_canvas *canvas, uint32_t colour, double x, double y)
{
    const opn_i_box box = {x, y - 5, line_width, 10};
    opn_i_canvas_begin(
            canvas,
            &(opn_i_pen){.is_filled = true, .fill = colour, .opacity = OPN_BAND_OPACITY});
    opn_i_canvas_box(canvas, &box, 0);
    opn_i_canvas_end(canvas);
}

static void
put_line(opn_i_canvas *canvas, const opn_i_line_style *style, double x, double y)
{
    const opn_i_pen pen = opn_i_line_pen(style);
    opn_i_canvas_begin(canvas, &pen);
    opn_i_canvas_move(canvas, x, y);
    opn_i_canvas_line(canvas, x + line_width, y);
    opn_i_canvas_end(canvas);
    opn_i_plot_marker(canvas, style, x + line_width / 2, y);
}

static void put_sign(opn_i_canvas *canvas, const opn_i_plot_key *key, double x, double y)
{
    const double middle = x + line_width / 2;
    switch (key->sign) {
    case OPN_SIGN_DOT:
        put_dot(canvas, middle, y, 4, key->style.colour);
        break;
    case OPN_SIGN_NUMBER:
        opn_i_plot_number(canvas, key->number, key->style.colour, middle, y);
        break;
    case OPN_SIGN_LARGE_DOT:
        put_dot(canvas, middle, y, 5, opn_i_palette.ink);
        put_dot(canvas, middle, y, 4, key->style.colour);
        break;
    case OPN_SIGN_HALO:
        for (int part = 0; part < 6; part++)
            put_dot(canvas, middle + (part % 3 - 1) * 3.2, y, part < 3 ? 3.6 : 2.2,
                    part < 3 ? opn_i_palette.ink : key->style.colour);
        break;
    case OPN_SIGN_LINE:
        put_line(canvas, &key->style, x, y);
        break;
    case OPN_SIGN_BAND:
        put_band(canvas, key->style.colour, x, y);
        break;
    }
}

void opn_i_plot_legend_draw(opn_i_canvas *canvas,
                            const opn_i_plot_legend *legend,
                            const opn_i_box *box)
{
    char text[KEY_TEXT];
    const int32_t n_columns = count_columns(legend, box->width);
    const int32_t n_rows = (legend->n + n_columns - 1) / n_columns;
    const double column =
            fmin(box->width / n_columns, column_width(legend, box->width) + 2 * key_gap);
    const opn_i_font font = {.size = key_size, .room = column - sign_width};
    for (int32_t k = 0; k < legend->n; k++) {
        const opn_i_plot_key *key = &legend->key[k];
        const int32_t row = k / n_columns;
        const double x = box->x + k % n_columns * column;
        const double y = box->y + legend_above + (row + 0.5) * key_height;
        (void)name_key(key, text);
        put_sign(canvas, key, x, y);
        opn_i_canvas_text(canvas, &font, x + sign_width, y + 4, text);
    }
    if (legend->n_more > 0) {
        (void)snprintf(text, sizeof(text), "and %lld more", (long long)legend->n_more);
        opn_i_canvas_text(canvas, &font, box->x + sign_width,
                          box->y + legend_above + (n_rows + 0.5) * key_height + 4, text);
    }
}
