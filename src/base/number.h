// number.h -- numbers from text and back, the same in every locale.

#ifndef OPN_NUMBER_H
#define OPN_NUMBER_H

#include "opine/base.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// A decimal integer in [min, max], with or without sign; else false, and *out is as it
// was.
bool opn_i_parse_int(
        const char *text, size_t n_chars, int64_t min, int64_t max, int64_t *out);

// The double nearest to a decimal number such as -1.25e-3. False for anything else, also
// for hexadecimal, infinite, too large and missing numbers. A NUL stands at
// text[n_chars].
bool opn_i_parse_real(const char *text, size_t n_chars, double *out);

// As snprintf(), with a decimal point in every locale.
int opn_i_format(char *to, size_t room, const char *fmt, ...) OPN_PRINTF(3, 4);
int opn_i_format_list(char *to, size_t room, const char *fmt, va_list args)
        OPN_PRINTF(3, 0);

// A double as its bits, for files that give back the very same in every locale.
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
