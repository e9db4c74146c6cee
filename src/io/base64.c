// base64.c -- bytes as text, RFC 4648.

#include "io/base64.h"

#include <stdint.h>

size_t opn_i_base64(const unsigned char *bytes, size_t n, char *text)
{
    static const char digits[] =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t n_text = 0;
    for (size_t at = 0; at < n; at += 3) {
        const size_t n_here = n - at < 3 ? n - at : 3;
        uint32_t group = 0;
        for (size_t b = 0; b < 3; b++)
            group = group << 8 | (b < n_here ? bytes[at + b] : 0u);
        for (size_t c = 0; c < 4; c++)
            text[n_text++] = c <= n_here ? digits[group >> (18 - 6 * c) & 63] : '=';
    }
    return n_text;
}
