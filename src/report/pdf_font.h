// pdf_font.h -- text in the standard fonts of PDF, which no file needs to bring along.

#ifndef OPN_PDF_FONT_H
#define OPN_PDF_FONT_H

#include <stdbool.h>
#include <stdint.h>

typedef enum opn_i_pdf_font {
    OPN_PDF_HELVETICA,
    OPN_PDF_BOLD,
    OPN_PDF_SYMBOL, // Greek and mathematical signs
} opn_i_pdf_font;
enum { OPN_N_PDF_FONTS = 3 };

const char *opn_i_pdf_font_name(opn_i_pdf_font font); // "Helvetica-Bold"

// A character in one of the fonts, and its width in thousandths of the font's size.
typedef struct opn_i_pdf_glyph {
    opn_i_pdf_font font;
    unsigned char byte;
    int width;
} opn_i_pdf_glyph;

// The glyph of a character; that of "?" if the fonts have none.
opn_i_pdf_glyph opn_i_pdf_glyph_of(uint32_t code, bool is_bold);

#endif // OPN_PDF_FONT_H
