// pdf_reader.h -- checks that bytes are a PDF as written by the figures.

#ifndef OPN_PDF_READER_H
#define OPN_PDF_READER_H

#include <stddef.h>

// Asserts that the n bytes are a whole PDF of one page: every offset of its table leads
// to its object, the drawing has the length it says, and its operators are those that a
// figure needs, balanced, with as many numbers before them as they take. Returns the
// operators of the page as text, to be freed.
char *support_expect_pdf(const char *bytes, size_t n);

// The text that the page shows, words of one text call on one line; Greek as "?". To be
// freed.
char *support_pdf_words(const char *drawing);

#endif // OPN_PDF_READER_H
