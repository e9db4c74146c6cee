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

// The same in fewer columns, "86.5 ±3.0": 11 for one digit, 13 for three. A number that
// needs more gives up digits after the point.
enum { OPN_SHORT_WIDTH = 11, OPN_SHORT_WIDTH_3 = 13 };
void opn_i_line_add_short(opn_i_text_line *line,
                          const opn_estimate *estimate,
                          int n_digits);

// A signed number with one digit, in at least `width` columns; never -0.0.
void opn_i_line_add_difference(opn_i_text_line *line, int width, double difference);

// Text wrapped at OPN_TEXT_COLUMNS, written piece by piece; zero-initialise but for file.
// Lines break at blanks, words longer than a line anywhere. `column` is where the next
// piece begins, `indent` where lines after the first do. A character counts as one
// column.
enum { OPN_TEXT_COLUMNS = 80 };
typedef struct opn_i_wrapper {
    opn_i_file_writer *file;
    int column, indent;
    bool has_blank; // before the next word
} opn_i_wrapper;

void opn_i_wrap(opn_i_wrapper *wrapper, const char *text);
void opn_i_wrap_end(opn_i_wrapper *wrapper);

#endif // OPN_TEXT_LINE_H
