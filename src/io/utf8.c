// utf8.c -- single characters of UTF-8 text, using utf8proc.

#include "io/utf8.h"

#include <utf8proc.h>

bool opn_i_utf8_is_character(uint32_t code)
{
    return utf8proc_codepoint_valid((utf8proc_int32_t)code);
}

size_t opn_i_utf8_put(uint32_t code, char *out)
{
    return (size_t)utf8proc_encode_char((utf8proc_int32_t)code, (unsigned char *)out);
}

size_t opn_i_utf8_get(const unsigned char *text, size_t n_left, uint32_t *code)
{
    // No more bytes are needed, and this fits utf8proc's type for any n_left.
    const size_t n_looked = n_left < OPN_UTF8_MAX ? n_left : OPN_UTF8_MAX;
    utf8proc_int32_t found;
    const utf8proc_ssize_t n = utf8proc_iterate(text, (utf8proc_ssize_t)n_looked, &found);
    if (n <= 0)
        return 0;
    *code = (uint32_t)found;
    return (size_t)n;
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
