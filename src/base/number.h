// number.h -- number parsing and formatting, independent of the locale.

#ifndef OPN_NUMBER_H
#define OPN_NUMBER_H

#include "opine/base.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Parses a decimal integer in [min, max], with optional sign; otherwise returns false and
// leaves *out unchanged.
bool opn_i_parse_int(
        const char *text, size_t n_chars, int64_t min, int64_t max, int64_t *out);

// Parses a decimal number such as -1.25e-3 to the nearest double. False for anything
// else, including hexadecimal, infinite, too large and missing numbers. text[n_chars]
// must be NUL.
bool opn_i_parse_real(const char *text, size_t n_chars, double *out);

// Parses "I/N", two integers of 0 or more; which of them make sense is for the caller to
// say.
bool opn_i_parse_part(const char *text, int64_t *i, int64_t *n);

// Like snprintf(), with a decimal point in every locale.
int opn_i_format(char *to, size_t room, const char *fmt, ...) OPN_PRINTF(3, 4);
int opn_i_format_list(char *to, size_t room, const char *fmt, va_list args)
        OPN_PRINTF(3, 0);

// The bits of a double, for files that must restore the exact value in every locale.
static inline uint64_t opn_i_real_to_bits(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof(bits));
    return bits;
}

static inline double opn_i_real_from_bits(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof(number));
    return number;
}

#endif // OPN_NUMBER_H
