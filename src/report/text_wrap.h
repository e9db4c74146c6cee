// text_wrap.h -- wraps text to fit a terminal.

#ifndef OPN_TEXT_WRAP_H
#define OPN_TEXT_WRAP_H

#include "io/file_write.h"

enum { OPN_TEXT_COLUMNS = 80 };

// Text wrapped at OPN_TEXT_COLUMNS, written piece by piece; zero-initialise all but
// `file`. Lines break at blanks; words longer than a line break anywhere. `column` is
// where the next piece begins, `indent` where lines after the first begin. A character
// counts as one column.
typedef struct opn_i_wrapper {
    opn_i_file_writer *file;
    int column, indent;
    bool has_blank; // before the next word
} opn_i_wrapper;

void opn_i_wrap(opn_i_wrapper *wrapper, const char *text);

// Wraps the current line of the file writer, then empties it.
void opn_i_wrap_line(opn_i_wrapper *wrapper);

void opn_i_wrap_end(opn_i_wrapper *wrapper);

#endif // OPN_TEXT_WRAP_H
