// svg_reader.h -- whether a text is an SVG such as figures are.

#ifndef OPN_SVG_READER_H
#define OPN_SVG_READER_H

#include <stddef.h>

// Asserts that the text, n bytes and a NUL, is well-formed XML of the few elements that a
// figure needs: nothing that runs, nothing from elsewhere, no number that is none, no
// mark that turns the direction of text.
void support_expect_svg(const char *text, size_t n);

#endif // OPN_SVG_READER_H
