// svg_reader.h -- checks that a text is an SVG as written by the figures.

#ifndef OPN_SVG_READER_H
#define OPN_SVG_READER_H

#include <stddef.h>

// Asserts that the text, n bytes and a NUL, is well-formed XML of the few elements that a
// figure needs: no scripts, no external resources, no invalid numbers, no marks that
// change the text direction.
void support_expect_svg(const char *text, size_t n);

#endif // OPN_SVG_READER_H
