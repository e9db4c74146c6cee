// text_line.c -- lines of a table, put together piece by piece.

#include "io/text_line.h"

#include "base/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void opn_i_line_add(opn_i_text_line *line, const char *fmt, ...)
{
    const size_t n = strlen(line->text);
    va_list args;
    va_start(args, fmt);
    (void)opn_i_format_list(line->text + n, sizeof(line->text) - n, fmt, args);
    va_end(args);
}

void opn_i_line_end(opn_i_text_line *line, opn_i_file_writer *file)
{
    size_t n = strlen(line->text);
    while (n > 0 && line->text[n - 1] == ' ')
        n--;
    opn_i_file_writer_put(file, line->text, n);
    opn_i_file_writer_put(file, "\n", 1);
    line->text[0] = 0;
}

void opn_i_line_add_estimate(opn_i_text_line *line,
                             const opn_estimate *estimate,
                             int n_digits)
{
    if (estimate->n == 0)
        opn_i_line_add(line, "%*s", OPN_ESTIMATE_WIDTH, "");
    else if (estimate->n == 1)
        opn_i_line_add(line, "%6.*f%8s", n_digits, estimate->mean, "");
    else
        opn_i_line_add(line, "%6.*f ± %-5.*f", n_digits, estimate->mean, n_digits,
                       0.5 * (estimate->high - estimate->low));
}

// A number in at most `width` columns, where digits after the point can be spared.
static void format_within(char *out, size_t room, int width, int n_digits, double value)
{
    while (snprintf(out, room, "%.*f", n_digits, value) > width && n_digits > 0)
        n_digits--;
}

void opn_i_line_add_short(opn_i_text_line *line,
                          const opn_estimate *estimate,
                          int n_digits)
{
    const int mean_width = n_digits == 1 ? 5 : 6;
    const int half_width = n_digits == 1 ? 4 : 5;
    char mean[32] = "";
    char half[32] = "";
    if (estimate->n > 0)
        format_within(mean, sizeof(mean), mean_width, n_digits, estimate->mean);
    if (estimate->n > 1)
        format_within(half, sizeof(half), half_width, n_digits,
                      0.5 * (estimate->high - estimate->low));
    opn_i_line_add(line, "%*s %s%-*s", mean_width, mean, estimate->n > 1 ? "±" : " ",
                   half_width, half);
}

void opn_i_line_add_difference(opn_i_text_line *line, int width, double difference)
{
    const double rounded = round(10.0 * difference) / 10.0;
    opn_i_line_add(line, "%+*.1f", width, rounded == 0.0 ? 0.0 : rounded);
}

static void end_line(opn_i_wrapper *wrapper)
{
    static const char blanks[] = "                                                ";
    opn_i_file_writer_put(wrapper->file, "\n", 1);
    opn_i_file_writer_put(wrapper->file, blanks, (size_t)wrapper->indent);
    wrapper->column = wrapper->indent;
}

static bool begins_character(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

static void put_word(opn_i_wrapper *wrapper, const char *word, size_t n)
{
    int n_columns = 0;
    for (size_t c = 0; c < n; c++)
        n_columns += begins_character(word[c]);
    const int n_before = wrapper->column + wrapper->has_blank;
    if (n_before + n_columns > OPN_TEXT_COLUMNS && wrapper->column > wrapper->indent)
        end_line(wrapper);
    else if (wrapper->has_blank) {
        opn_i_file_writer_put(wrapper->file, " ", 1);
        wrapper->column++;
    }
    wrapper->has_blank = false;
    for (size_t c = 0; c < n; c++) {
        if (begins_character(word[c]) && wrapper->column++ == OPN_TEXT_COLUMNS) {
            end_line(wrapper);
            wrapper->column++;
        }
        opn_i_file_writer_put(wrapper->file, word + c, 1);
    }
}

void opn_i_wrap(opn_i_wrapper *wrapper, const char *text)
{
    while (*text != 0) {
        const size_t n_blanks = strspn(text, " ");
        const size_t n = strcspn(text + n_blanks, " ");
        wrapper->has_blank = wrapper->has_blank || n_blanks > 0;
        if (n > 0)
            put_word(wrapper, text + n_blanks, n);
        text += n_blanks + n;
    }
}

void opn_i_wrap_end(opn_i_wrapper *wrapper)
{
    opn_i_file_writer_put(wrapper->file, "\n", 1);
    wrapper->column = 0;
    wrapper->has_blank = false;
}
