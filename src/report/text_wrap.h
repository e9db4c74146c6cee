// text_wrap.h -- text in lines that fit a terminal.

#ifndef OPN_TEXT_WRAP_H
#define OPN_TEXT_WRAP_H

#include "io/file_write.h"

enum { OPN_TEXT_COLUMNS = 80 };

// Text wrapped at OPN_TEXT_COLUMNS, written piece by piece; zero-initialise but for file.
// Lines break at blanks, words longer than a line anywhere. `column` is where the next
// piece begins, `indent` where lines after the first do. A character counts as one
// column.
typedef struct opn_i_wrapper {
    opn_i_file_writer *file;
    int column, indent;
    bool has_blank; // before the next word
} opn_i_wrapper;

void opn_i_wrap(opn_i_wrapper *wrapper, const char *text);

// What stands in the line of the file, which is empty afterwards.
void opn_i_wrap_line(opn_i_wrapper *wrapper);

void opn_i_wrap_end(opn_i_wrapper *wrapper);

#endif // OPN_TEXT_WRAP_H
