// pdf_font.c -- text in the standard fonts of PDF.

#include "report/pdf_font.h"

#include <stddef.h>

const char *opn_i_pdf_font_name(opn_i_pdf_font font)
{
    static const char *const names[] = {"Helvetica", "Helvetica-Bold", "Symbol"};
    return names[font];
}

enum { FIRST_LOW = 0x20, LAST_LOW = 0x7e, FIRST_HIGH = 0xa0, LAST_HIGH = 0xff };

// Widths of Adobe's metrics for the characters of ASCII, then for the upper half of
// Latin 1, whose bytes are those of WinAnsiEncoding.
static const uint16_t low_width[2][LAST_LOW - FIRST_LOW + 1] = {
        {278,  278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
         556,  556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
         1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
         667,  778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
         333,  556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
         556,  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584},
        {278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278,
         556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611,
         975, 722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722, 611, 833, 722, 778,
         667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584, 556,
         333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611,
         611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584},
};

static const uint16_t high_width[2][LAST_HIGH - FIRST_HIGH + 1] = {
        {278, 333, 556, 556, 556, 556, 260,  556, 333, 737, 370, 556, 584, 333, 737, 333,
         400, 584, 333, 333, 333, 556, 537,  278, 333, 333, 365, 556, 834, 834, 834, 611,
         667, 667, 667, 667, 667, 667, 1000, 722, 667, 667, 667, 667, 278, 278, 278, 278,
         722, 722, 778, 778, 778, 778, 778,  584, 778, 722, 722, 722, 722, 667, 667, 611,
         556, 556, 556, 556, 556, 556, 889,  500, 556, 556, 556, 556, 278, 278, 278, 278,
         556, 556, 556, 556, 556, 556, 556,  584, 611, 556, 556, 556, 556, 500, 556, 500},
        {278, 333, 556, 556, 556, 556, 280,  556, 333, 737, 370, 556, 584, 333, 737, 333,
         400, 584, 333, 333, 333, 611, 556,  278, 333, 333, 365, 556, 834, 834, 834, 611,
         722, 722, 722, 722, 722, 722, 1000, 722, 667, 667, 667, 667, 278, 278, 278, 278,
         722, 722, 778, 778, 778, 778, 778,  584, 778, 722, 722, 722, 722, 667, 667, 611,
         556, 556, 556, 556, 556, 556, 889,  556, 556, 556, 556, 556, 278, 278, 278, 278,
         611, 611, 611, 611, 611, 611, 611,  584, 611, 611, 611, 611, 611, 556, 611, 556},
};

// Others that labels or formulas have, all but the first three in Symbol.
static const struct {
    uint16_t code;
    unsigned char byte;
    uint16_t width;
} others[] = {
        {0x2013, 0x96, 556}, {0x2014, 0x97, 1000}, {0x2026, 0x85, 1000},
        {0x0393, 0x47, 603}, {0x0394, 0x44, 612},  {0x0398, 0x51, 741},
        {0x039b, 0x4c, 686}, {0x03a0, 0x50, 768},  {0x03a3, 0x53, 592},
        {0x03a6, 0x46, 763}, {0x03a8, 0x59, 795},  {0x03a9, 0x57, 768},
        {0x03b1, 0x61, 631}, {0x03b2, 0x62, 549},  {0x03b3, 0x67, 411},
        {0x03b4, 0x64, 494}, {0x03b5, 0x65, 439},  {0x03b6, 0x7a, 494},
        {0x03b7, 0x68, 603}, {0x03b8, 0x71, 521},  {0x03bb, 0x6c, 549},
        {0x03bc, 0x6d, 576}, {0x03bd, 0x6e, 521},  {0x03c0, 0x70, 549},
        {0x03c1, 0x72, 549}, {0x03c3, 0x73, 603},  {0x03c4, 0x74, 439},
        {0x03c6, 0x66, 521}, {0x03c7, 0x63, 549},  {0x03c8, 0x79, 686},
        {0x03c9, 0x77, 686}, {0x2192, 0xae, 987},  {0x2211, 0xe5, 713},
        {0x2212, 0x2d, 549}, {0x2248, 0xbb, 549},  {0x2264, 0xa3, 549},
        {0x2265, 0xb3, 549},
};
enum { N_HELVETICA = 3 };

opn_i_pdf_glyph opn_i_pdf_glyph_of(uint32_t code, bool is_bold)
{
    const opn_i_pdf_font font = is_bold ? OPN_PDF_BOLD : OPN_PDF_HELVETICA;
    if (code >= FIRST_LOW && code <= LAST_LOW)
        return (opn_i_pdf_glyph){font, (unsigned char)code,
                                 low_width[is_bold][code - FIRST_LOW]};
    if (code >= FIRST_HIGH && code <= LAST_HIGH)
        return (opn_i_pdf_glyph){font, (unsigned char)code,
                                 high_width[is_bold][code - FIRST_HIGH]};
    for (size_t o = 0; o < sizeof(others) / sizeof(others[0]); o++)
        if (others[o].code == code)
            return (opn_i_pdf_glyph){o < N_HELVETICA ? font : OPN_PDF_SYMBOL,
                                     others[o].byte, others[o].width};
    return (opn_i_pdf_glyph){font, '?', low_width[is_bold]['?' - FIRST_LOW]};
}
