// svg_legend.c -- the legend of a figure: its colours and lines.

#include "report/label.h"
#include "report/palette.h"
#include "report/svg.h"

#include <math.h>
#include <stdio.h>

static const double key_size = 11;    // of the text
static const double key_height = 16;  // of a row
static const double sign_width = 22;  // before the text
static const double key_gap = 8;      // after it
static const double legend_above = 8; // between the panels and the first row

void opn_i_svg_legend_add(opn_i_svg_legend *legend, const opn_i_svg_key *key)
{
    if (legend->n < OPN_LEGEND_MAX - legend->n_reserved)
        legend->key[legend->n++] = *key;
    else
        legend->n_more++;
}

// ---- layout --------------------------------------------------------------------------

enum { KEY_TEXT = OPN_LABEL_ROOM + 8 };

// The text of a key and its approximate width in em.
static double name_key(const opn_i_svg_key *key, char text[KEY_TEXT])
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

// Column width: that of the widest key, but a single name that is much longer than the
// others is truncated instead of taking all the room.
static double column_width(const opn_i_svg_legend *legend, double width)
{
    char text[KEY_TEXT];
    double widest = 1;
    for (int32_t k = 0; k < legend->n; k++) {
        const double em = name_key(&legend->key[k], text);
        widest = em > widest ? em : widest;
    }
    const double most = legend->n > 3 ? fmax(width / 3, 170) : width;
    return fmin(sign_width + widest * key_size + key_gap, most);
}

// As many columns as fit, minus those that would only shorten the last row.
static int32_t count_columns(const opn_i_svg_legend *legend, double width)
{
    const double fit = width / column_width(legend, width) + 1e-9;
    const int32_t most = fit < legend->n ? (int32_t)fit : legend->n;
    if (most <= 1)
        return 1;
    const int32_t n_rows = (legend->n + most - 1) / most;
    return (legend->n + n_rows - 1) / n_rows;
}

double opn_i_svg_legend_height(const opn_i_svg_legend *legend, double width)
{
    const int32_t n_columns = count_columns(legend, width);
    const int32_t n_rows = (legend->n + n_columns - 1) / n_columns;
    if (legend->n == 0)
        return 0;
    return legend_above + key_height * (n_rows + (legend->n_more > 0));
}

// ---- drawing -------------------------------------------------------------------------

void opn_i_svg_dashes(opn_i_file_writer *svg, opn_i_svg_sign sign, int64_t number)
{
    enum { ROUND = 7 }; // colours that are easily told apart
    static const char *const patterns[] = {NULL, "7 2", "2 2"};
    const char *pattern = sign == OPN_SIGN_DASHES ? "4 3" : patterns[number / ROUND % 3];
    if (pattern != NULL)
        opn_i_file_writer_printf(svg, " stroke-dasharray=\"%s\"", pattern);
}

static void
put_dot(opn_i_file_writer *svg, double x, double y, double radius, uint32_t colour)
{
    opn_i_file_writer_printf(svg, "<circle");
    opn_i_svg_attribute(svg, "cx", x);
    opn_i_svg_attribute(svg, "cy", y);
    opn_i_svg_attribute(svg, "r", radius);
    opn_i_svg_colour(svg, "fill", colour);
    opn_i_file_writer_printf(svg, "/>\n");
}

static void put_sign(opn_i_file_writer *svg, const opn_i_svg_key *key, double x, double y)
{
    switch (key->sign) {
    case OPN_SIGN_DOT:
        put_dot(svg, x + 12, y, 4, key->colour);
        break;
    case OPN_SIGN_LARGE_DOT:
        put_dot(svg, x + 12, y, 5, opn_i_palette.ink);
        put_dot(svg, x + 12, y, 4, key->colour);
        break;
    case OPN_SIGN_LINE:
    case OPN_SIGN_DASHES:
        opn_i_file_writer_printf(svg, "<path fill=\"none\" stroke-width=\"2\"");
        opn_i_svg_colour(svg, "stroke", key->colour);
        opn_i_svg_dashes(svg, key->sign, key->number);
        opn_i_file_writer_printf(svg, " d=\"");
        opn_i_svg_move(svg, 'M', x, y);
        opn_i_file_writer_printf(svg, "h18\"/>\n");
        break;
    }
}

void opn_i_svg_legend_draw(opn_i_file_writer *svg,
                           const opn_i_svg_legend *legend,
                           const opn_i_box *box)
{
    char text[KEY_TEXT];
    const int32_t n_columns = count_columns(legend, box->width);
    const int32_t n_rows = (legend->n + n_columns - 1) / n_columns;
    const double column =
            fmin(box->width / n_columns, column_width(legend, box->width) + 2 * key_gap);
    const opn_i_svg_font font = {.size = key_size, .room = column - sign_width};
    for (int32_t k = 0; k < legend->n; k++) {
        const opn_i_svg_key *key = &legend->key[k];
        const int32_t row = k / n_columns;
        const double x = box->x + k % n_columns * column;
        const double y = box->y + legend_above + (row + 0.5) * key_height;
        (void)name_key(key, text);
        put_sign(svg, key, x, y);
        opn_i_svg_text(svg, &font, x + sign_width, y + 4, text);
    }
    if (legend->n_more > 0) {
        (void)snprintf(text, sizeof(text), "and %lld more", (long long)legend->n_more);
        opn_i_svg_text(svg, &font, box->x + sign_width,
                       box->y + legend_above + (n_rows + 0.5) * key_height + 4, text);
    }
}
