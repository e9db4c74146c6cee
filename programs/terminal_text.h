// terminal_text.h -- text on a terminal: its width, what it can show, and what must not
// reach it.

#ifndef OPINE_TERMINAL_TEXT_H
#define OPINE_TERMINAL_TEXT_H

#include <stdbool.h>

// Columns of the terminal on a file descriptor; 80 if it is not a terminal or does not
// say.
int terminal_columns(int stream);

// Whether the user's locale uses UTF-8.
bool is_utf8_locale(void);

// Replaces control characters, including C1 ones and direction marks, and bytes that are
// not UTF-8 by '?'. Otherwise text from a file could move the cursor or control the
// terminal.
void clean_text(char *text);

// Prints a name from a file, cleaned, padded to `width` columns.
void print_name(const char *name, int width);

// The same in exactly `width` columns; a longer name ends in "~".
void print_cell(const char *name, int width);

// Prints cleaned text in lines of n_columns; all lines but the first are indented by
// `indent` blanks, and the first begins at `column`. A word longer than a line is put on
// its own line and sticks out. Bounds, which end a text in brackets, are kept together if
// a line has room for them.
void print_wrapped(const char *text, int n_columns, int indent, int column);

#endif // OPINE_TERMINAL_TEXT_H
