// style.h -- bold and dim text on standard output, if it is a terminal that supports
// them.

#ifndef OPINE_STYLE_H
#define OPINE_STYLE_H

typedef enum style_kind { STYLE_PLAIN, STYLE_HEADING, STYLE_SECONDARY } style_kind;

// The escape sequence that starts a style; STYLE_PLAIN ends it. Empty unless standard
// output is a terminal, NO_COLOR is unset or empty and TERM is not dumb.
const char *style(style_kind kind);

// Prints the name of a result, padded to 13 columns.
void print_key(const char *key);

#endif // OPINE_STYLE_H
