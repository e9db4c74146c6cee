// utf8.c -- single characters of UTF-8 text.

#include "io/utf8.h"

bool opn_i_utf8_is_character(uint32_t code)
{
    return code < 0xd800 || (code > 0xdfff && code <= 0x10ffff);
}

static size_t length_of(uint32_t code)
{
    return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

size_t opn_i_utf8_put(uint32_t code, char *out)
{
    static const unsigned char lead[] = {0, 0x00, 0xc0, 0xe0, 0xf0};
    const size_t n = length_of(code);
    for (size_t c = n - 1; c > 0; c--, code >>= 6)
        out[c] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(lead[n] | code);
    return n;
}

size_t opn_i_utf8_get(const unsigned char *text, size_t n_left, uint32_t *code)
{
    const unsigned char lead = text[0];
    if (lead < 0x80) {
        *code = lead;
        return 1;
    }
    const size_t n = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc0 || lead > 0xf7 || n_left < n)
        return 0;
    uint32_t found = lead & (0x7fu >> n);
    for (size_t c = 1; c < n; c++) {
        if ((text[c] & 0xc0) != 0x80)
            return 0;
        found = found << 6 | (text[c] & 0x3f);
    }
    if (length_of(found) != n || !opn_i_utf8_is_character(found))
        return 0;
    *code = found;
    return n;
}

bool opn_i_utf8_is_valid(const unsigned char *text, size_t n)
{
    uint32_t code;
    for (size_t at = 0; at < n;) {
        const size_t n_char = opn_i_utf8_get(text + at, n - at, &code);
        if (n_char == 0)
            return false;
        at += n_char;
    }
    return true;
}
