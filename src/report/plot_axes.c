// plot_axes.c -- axes with round numbers, and the colour bar.

#include "report/label.h"
#include "report/palette.h"
#include "report/plot.h"

#include <math.h>
#include <string.h>

// ---- round numbers -------------------------------------------------------------------

// pow() differs in the last bit between machines.
static double power_of_ten(int32_t exponent)
{
    double power = 1;
    for (int32_t e = 0; e < (exponent < 0 ? -exponent : exponent); e++)
        power *= 10;
    return exponent < 0 ? 1 / power : power;
}

static double step_of(const opn_i_ticks *ticks)
{
    // For 0.1 and below divide instead of multiplying: one rounding, so this is the
    // number that the text denotes.
    return ticks->exponent < 0 ? ticks->factor / power_of_ten(-ticks->exponent)
                               : ticks->factor * power_of_ten(ticks->exponent);
}

opn_i_ticks opn_i_ticks_make(double low, double high, int most)
{
    static const int32_t factors[] = {1, 2, 5};
    enum { MAX_EXPONENT = 300 };
    const double slack = 1e-9; // in steps: 0.3 is a tick of [0.1 + 0.2, 1]
    opn_i_ticks ticks = {.factor = 1};
    const double span = high - low;
    const double far = fmax(fabs(low), fabs(high));
    if (!isfinite(span) || span <= 1e-9 * far || far < 1e-280)
        return ticks;
    // Start from the largest power of ten that is too fine and go up.
    ticks.exponent = (int32_t)floor(log10(span / most)) - 1;
    for (size_t f = 0; span > most * step_of(&ticks) * (1 + slack); f++) {
        ticks.factor = factors[f % 3];
        ticks.exponent += f > 0 && f % 3 == 0;
        if (ticks.exponent > MAX_EXPONENT)
            return (opn_i_ticks){.factor = 1};
    }
    const double step = step_of(&ticks);
    ticks.first = (int64_t)ceil(low / step - slack);
    ticks.n = (int32_t)((int64_t)floor(high / step + slack) - ticks.first + 1);
    return ticks;
}

double opn_i_ticks_at(const opn_i_ticks *ticks, int32_t i)
{
    const double number = (double)((ticks->first + i) * ticks->factor);
    return ticks->exponent < 0 ? number / power_of_ten(-ticks->exponent)
                               : number * power_of_ten(ticks->exponent);
}

// Writes the digits of |number|, the last at text[end - 1]; returns where they begin.
static size_t put_digits(int64_t number, size_t n_least, char *text, size_t end)
{
    size_t at = end;
    uint64_t rest = number < 0 ? (uint64_t)-number : (uint64_t)number;
    while (rest > 0 || end - at < n_least) {
        text[--at] = (char)('0' + rest % 10);
        rest /= 10;
    }
    return at;
}

// Formats from integers, independently of the locale.
void opn_i_ticks_name(const opn_i_ticks *ticks, int32_t i, char text[OPN_TICK_ROOM])
{
    enum { FINEST = -3, COARSEST = 3 };
    int64_t number = (ticks->first + i) * ticks->factor;
    int32_t exponent = ticks->exponent;
    char digits[OPN_TICK_ROOM];
    size_t at = OPN_TICK_ROOM - 1;
    digits[at] = 0;
    if (number == 0) {
        digits[--at] = '0';
    } else if (exponent < FINEST || exponent > COARSEST) {
        for (; number % 10 == 0; number /= 10)
            exponent++;
        at = put_digits(exponent, 1, digits, at);
        if (exponent < 0)
            digits[--at] = '-';
        digits[--at] = 'e';
        at = put_digits(number, 1, digits, at);
    } else if (exponent < 0) {
        const int64_t unit = (int64_t)power_of_ten(-exponent);
        at = put_digits(number % unit, (size_t)-exponent, digits, at);
        digits[--at] = '.';
        at = put_digits(number / unit, 1, digits, at);
    } else {
        at = put_digits(number * (int64_t)power_of_ten(exponent), 1, digits, at);
    }
    if (number < 0)
        digits[--at] = '-';
    memcpy(text, digits + at, OPN_TICK_ROOM - at);
}

opn_i_range opn_i_range_or_unit(opn_i_range range)
{
    const bool is_range = isfinite(range.low) && isfinite(range.high) &&
                          isfinite(range.high - range.low) && range.low < range.high;
    return is_range ? range : (opn_i_range){0, 1};
}

// ---- axes ----------------------------------------------------------------------------

static const double tick_size = 10; // of the numbers

// As many ticks as fit without their numbers touching.
static opn_i_ticks ticks_across(opn_i_range x, double length)
{
    const double digit = 0.65 * tick_size;
    opn_i_ticks ticks = {.factor = 1};
    for (int most = (int)(length / 26); most >= 2; most--) {
        char text[OPN_TICK_ROOM];
        size_t longest = 0;
        ticks = opn_i_ticks_make(x.low, x.high, most);
        for (int32_t i = 0; i < ticks.n; i++) {
            opn_i_ticks_name(&ticks, i, text);
            longest = strlen(text) > longest ? strlen(text) : longest;
        }
        const double apart = length * step_of(&ticks) / (x.high - x.low);
        if ((double)longest * digit + 6 <= apart)
            break;
    }
    return ticks;
}

static opn_i_ticks ticks_up(opn_i_range y, double length)
{
    const double apart = 24;
    return opn_i_ticks_make(y.low, y.high,
                            length < 2 * apart ? 2 : (int)(length / apart));
}

static double place_in(opn_i_range range, double number)
{
    return (number - range.low) / (range.high - range.low);
}

static void put_line(opn_i_canvas *canvas, double x, double y, double across, double down)
{
    opn_i_canvas_move(canvas, x, y);
    opn_i_canvas_line(canvas, x + across, y + down);
}

static void begin_lines(opn_i_canvas *canvas, uint32_t colour)
{
    opn_i_canvas_begin(canvas, &(opn_i_pen){.width = 1, .stroke = colour});
}

void opn_i_plot_ticks_below(opn_i_canvas *canvas, const opn_i_box *box, opn_i_range x)
{
    const opn_i_ticks ticks = ticks_across(x, box->width);
    const opn_i_font font = {.size = tick_size, .room = 100, .anchor = OPN_ANCHOR_MIDDLE};
    const double y = box->y + box->height;
    char text[OPN_TICK_ROOM];
    if (ticks.n <= 0)
        return;
    begin_lines(canvas, opn_i_palette.frame);
    for (int32_t i = 0; i < ticks.n; i++) {
        const double at = place_in(x, opn_i_ticks_at(&ticks, i));
        put_line(canvas, box->x + at * box->width, y, 0, 4);
    }
    opn_i_canvas_end(canvas);
    for (int32_t i = 0; i < ticks.n; i++) {
        const double at = place_in(x, opn_i_ticks_at(&ticks, i));
        opn_i_ticks_name(&ticks, i, text);
        opn_i_canvas_text(canvas, &font, box->x + at * box->width, y + 14, text);
    }
}

static void put_ticks_beside(opn_i_canvas *canvas, const opn_i_box *box, opn_i_range y)
{
    const opn_i_ticks ticks = ticks_up(y, box->height);
    opn_i_font font = {.size = tick_size, .room = 100, .anchor = OPN_ANCHOR_END};
    char text[OPN_TICK_ROOM];
    opn_i_label label;
    if (ticks.n <= 0)
        return;
    for (int32_t i = 0; i < ticks.n; i++) { // shrink rather than truncate
        opn_i_ticks_name(&ticks, i, text);
        (void)opn_i_label_take(text, OPN_TICK_ROOM, false, &label);
        font.size = fmin(font.size, 33 / label.width);
    }
    begin_lines(canvas, opn_i_palette.frame);
    for (int32_t i = 0; i < ticks.n; i++) {
        const double at = 1 - place_in(y, opn_i_ticks_at(&ticks, i));
        put_line(canvas, box->x - 4, box->y + at * box->height, 4, 0);
    }
    opn_i_canvas_end(canvas);
    for (int32_t i = 0; i < ticks.n; i++) {
        const double at = 1 - place_in(y, opn_i_ticks_at(&ticks, i));
        opn_i_ticks_name(&ticks, i, text);
        opn_i_canvas_text(canvas, &font, box->x - 6, box->y + at * box->height + 3.5,
                          text);
    }
}

// Faint lines at the ticks, behind the data.
static void
put_rules(opn_i_canvas *canvas, const opn_i_box *box, opn_i_range x, opn_i_range y)
{
    const opn_i_ticks across = ticks_across(x, box->width);
    const opn_i_ticks up = ticks_up(y, box->height);
    begin_lines(canvas, opn_i_palette.rule);
    for (int32_t i = 0; i < across.n; i++) {
        const double at = place_in(x, opn_i_ticks_at(&across, i));
        put_line(canvas, box->x + at * box->width, box->y, 0, box->height);
    }
    for (int32_t i = 0; i < up.n; i++) {
        const double at = 1 - place_in(y, opn_i_ticks_at(&up, i));
        put_line(canvas, box->x, box->y + at * box->height, box->width, 0);
    }
    opn_i_canvas_end(canvas);
}

void opn_i_plot_axes(opn_i_canvas *canvas,
                     const opn_i_box *plot,
                     opn_i_range x,
                     opn_i_range y,
                     const char *x_name,
                     const char *y_name)
{
    const opn_i_font across = {
            .size = 11, .room = plot->width, .anchor = OPN_ANCHOR_MIDDLE};
    const opn_i_font up = {.size = 11,
                           .room = plot->height,
                           .anchor = OPN_ANCHOR_MIDDLE,
                           .is_rotated = true};
    put_rules(canvas, plot, x, y);
    opn_i_canvas_outline(canvas, plot, opn_i_palette.frame);
    opn_i_plot_ticks_below(canvas, plot, x);
    put_ticks_beside(canvas, plot, y);
    opn_i_canvas_text(canvas, &across, plot->x + plot->width / 2,
                      plot->y + plot->height + 29, x_name);
    opn_i_canvas_text(canvas, &up, plot->x - 42, plot->y + plot->height / 2, y_name);
}

// Each colour extends to the right end, under those after it, so that no gaps show.
void opn_i_plot_colour_bar(opn_i_canvas *canvas, const opn_i_box *box, int n_steps)
{
    for (int s = 0; s < n_steps; s++) {
        const double part = (double)s / n_steps;
        const opn_i_box rest = {box->x + part * box->width, box->y,
                                (1 - part) * box->width, box->height};
        opn_i_canvas_fill(canvas, &rest, opn_i_ramp_colour((double)s / (n_steps - 1)));
    }
    opn_i_canvas_outline(canvas, box, opn_i_palette.frame);
}
