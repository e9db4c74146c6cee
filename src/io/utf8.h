// utf8.h -- single characters of UTF-8 text.

#ifndef OPN_UTF8_H
#define OPN_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Buffer size that opn_i_utf8_put() needs.
enum { OPN_UTF8_MAX = 4 };

// Whether text may contain the code point: within Unicode and not a surrogate.
bool opn_i_utf8_is_character(uint32_t code);

// Writes the character and returns its length in bytes.
size_t opn_i_utf8_put(uint32_t code, char *out);

// Decodes the character at `text`, which has n_left >= 1 bytes, and returns its length in
// bytes; 0 if it is truncated, overlong or not a character.
size_t opn_i_utf8_get(const unsigned char *text, size_t n_left, uint32_t *code);

bool opn_i_utf8_is_valid(const unsigned char *text, size_t n);

#endif // OPN_UTF8_H
