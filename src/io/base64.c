// base64.c -- bytes as text of the usual 64 characters.

#include "io/base64.h"

static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Three bytes, of which n are there, as four characters.
static void encode_group(const unsigned char *bytes, size_t n, char *out)
{
    uint32_t group = 0;
    for (size_t j = 0; j < 3; j++)
        group = group << 8 | (j < n ? bytes[j] : 0u);
    for (size_t c = 0; c < 4; c++)
        out[c] = c <= n ? digits[group >> (18 - 6 * c) & 63] : '=';
}

void opn_i_base64_put(opn_i_file_writer *file, const unsigned char *bytes, size_t n)
{
    char text[4096];
    size_t n_text = 0;
    for (size_t at = 0; at < n; at += 3) {
        encode_group(bytes + at, n - at < 3 ? n - at : 3, text + n_text);
        n_text += 4;
        if (n_text == sizeof(text) || at + 3 >= n) {
            opn_i_file_writer_put(file, text, n_text);
            n_text = 0;
        }
    }
}
