// terminal_text.h -- text on a terminal: how wide it is, what it can show, and what must
// not reach it.

#ifndef OPINE_TERMINAL_TEXT_H
#define OPINE_TERMINAL_TEXT_H

#include <stdbool.h>

// Columns of the terminal behind a file descriptor; 80 where there is none, or one that
// does not tell.
int terminal_columns(int stream);

// Whether the user's locale says that text is UTF-8.
bool is_utf8_locale(void);

// Makes each control character, C1 ones and marks of direction included, and each byte
// that is no UTF-8 a '?'.
// What comes from a file could else move the cursor or give orders to the terminal.
void clean_text(char *text);

// Prints a name from a file, cleaned, in at least `width` columns.
void print_name(const char *name, int width);

// The same in exactly `width` columns; a name that is longer ends in "~".
void print_cell(const char *name, int width);

// Prints words, cleaned, in lines of n_columns, every line but the first after `indent`
// blanks; `column` is where the first begins. A word longer than a line stands alone and
// sticks out; bounds, which end a text in brackets, are kept together where a line has
// room for them.
void print_wrapped(const char *text, int n_columns, int indent, int column);

#endif // OPINE_TERMINAL_TEXT_H
