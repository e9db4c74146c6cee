// text_line.h -- lines of a table, put together piece by piece.

#ifndef OPN_TEXT_LINE_H
#define OPN_TEXT_LINE_H

#include "io/file_write.h"
#include "opine/metrics.h"

// A line under way; zero-initialise. What does not fit is cut off.
typedef struct opn_i_text_line {
    char text[512];
} opn_i_text_line;

void opn_i_line_add(opn_i_text_line *line, const char *fmt, ...) OPN_PRINTF(2, 3);

// Writes the line without blanks at its end, and empties it.
void opn_i_line_end(opn_i_text_line *line, opn_i_file_writer *file);

// A mean and half its interval in OPN_ESTIMATE_WIDTH columns; one seed has no interval,
// none at all leaves blanks.
enum { OPN_ESTIMATE_WIDTH = 14 };
void opn_i_line_add_estimate(opn_i_text_line *line,
                             const opn_estimate *estimate,
                             int n_digits);

// A signed number with one digit, in at least `width` columns; never -0.0.
void opn_i_line_add_difference(opn_i_text_line *line, int width, double difference);

#endif // OPN_TEXT_LINE_H
