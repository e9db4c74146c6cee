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

void opn_i_line_add_difference(opn_i_text_line *line, int width, double difference)
{
    const double rounded = round(10.0 * difference) / 10.0;
    opn_i_line_add(line, "%+*.1f", width, rounded == 0.0 ? 0.0 : rounded);
}
