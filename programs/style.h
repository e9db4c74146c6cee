// style.h -- bold and dim text on standard output, where it is a terminal that has them.

#ifndef OPINE_STYLE_H
#define OPINE_STYLE_H

typedef enum style_kind { STYLE_PLAIN, STYLE_HEADING, STYLE_SECONDARY } style_kind;

// What begins text of that kind, to be printed before it; STYLE_PLAIN ends it. Empty
// unless standard output is a terminal, NO_COLOR is unset or empty and TERM is not dumb.
const char *style(style_kind kind);

// Prints the name of a result in the 13 columns before it.
void print_key(const char *key);

#endif // OPINE_STYLE_H
