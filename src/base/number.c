// number.c -- number parsing and formatting, independent of the locale.

#include "base/number.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef OPN_HAS_XLOCALE_H
#    include <xlocale.h>
#endif

bool opn_i_parse_int(
        const char *text, size_t n_chars, int64_t min, int64_t max, int64_t *out)
{
    const char *at = text;
    const char *end = at + n_chars;
    const bool negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    if (at == end)
        return false;

    uint64_t size = 0;
    for (; at < end; at++) {
        const unsigned digit = (unsigned)(unsigned char)*at - '0'; // huge below '0'
        if (digit > 9 || size > INT64_MAX / 10)
            return false;
        size = 10 * size + digit;
    }
    if (size > (uint64_t)INT64_MAX + negative)
        return false;
    // -(size - 1) - 1, because -INT64_MIN does not fit in int64_t.
    const int64_t value = negative && size > 0 ? -(int64_t)(size - 1) - 1 : (int64_t)size;
    if (value < min || value > max)
        return false;
    *out = value;
    return true;
}

// mantissa * 10^exponent
typedef struct decimal {
    uint64_t mantissa;
    int64_t exponent;
    bool negative;
    bool rounded; // the mantissa does not hold all digits
} decimal;

static const char *scan_digits(const char *at, decimal *number)
{
    for (; *at >= '0' && *at <= '9'; at++) {
        if (number->mantissa <= (UINT64_MAX - 9) / 10)
            number->mantissa = 10 * number->mantissa + (uint64_t)(*at - '0');
        else
            number->rounded = true;
    }
    return at;
}

// Returns the end of the exponent, or NULL if it has no digits.
static const char *scan_exponent(const char *at, int64_t *exponent)
{
    enum { ENOUGH = 1 << 20 }; // beyond any double, and far from overflow
    const bool negative = *at == '-';
    at += *at == '-' || *at == '+';
    if (*at < '0' || *at > '9')
        return NULL;
    int64_t size = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        size = size < ENOUGH ? 10 * size + (*at - '0') : size;
    *exponent = negative ? -size : size;
    return at;
}

static bool scan_decimal(const char *text, size_t n_chars, decimal *number)
{
    const char *at = text;
    number->negative = *at == '-';
    at += *at == '-' || *at == '+';
    const char *whole = at;
    at = scan_digits(at, number);
    int64_t n_digits = at - whole;
    int64_t n_fraction = 0;
    if (*at == '.') {
        const char *fraction = at + 1;
        at = scan_digits(fraction, number);
        n_fraction = at - fraction;
        n_digits += n_fraction;
    }
    if (n_digits == 0)
        return false;
    if (*at == 'e' || *at == 'E')
        at = scan_exponent(at + 1, &number->exponent);
    number->exponent -= n_fraction;
    return at == text + n_chars;
}

// strtod() uses the decimal point of the thread's locale, so the C locale is set for the
// call. False only if the "C" locale is unavailable.
static bool parse_in_c_locale(const char *text, double *out)
{
    const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c_locale == (locale_t)0)
        return false;
    const locale_t before = uselocale(c_locale);
    *out = strtod(text, NULL);
    uselocale(before);
    freelocale(c_locale);
    return true;
}

bool opn_i_parse_part(const char *text, int64_t *i, int64_t *n)
{
    const size_t n_first = strcspn(text, "/");
    return text[n_first] == '/' && opn_i_parse_int(text, n_first, 0, INT64_MAX, i) &&
           opn_i_parse_int(text + n_first + 1, strlen(text + n_first + 1), 0, INT64_MAX,
                           n);
}

bool opn_i_parse_real(const char *text, size_t n_chars, double *out)
{
    // All powers of ten that are exact in a double.
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    decimal number = {0};
    if (!scan_decimal(text, n_chars, &number))
        return false;

    // The product or quotient of two exact doubles is rounded once, hence correctly
    // (Clinger 1990), unless the machine computes in more than double precision.
    const int64_t exponent = number.exponent;
    if (FLT_EVAL_METHOD == 0 && !number.rounded &&
        number.mantissa <= UINT64_C(1) << DBL_MANT_DIG && exponent >= -22 &&
        exponent <= 22) {
        const double mantissa = (double)number.mantissa;
        const double size =
                exponent < 0 ? mantissa / power[-exponent] : mantissa * power[exponent];
        *out = number.negative ? -size : size;
        return true;
    }

    double value;
    if (!parse_in_c_locale(text, &value) || !isfinite(value))
        return false;
    *out = value;
    return true;
}

int opn_i_format_list(char *to, size_t room, const char *fmt, va_list args)
{
    const locale_t c_locale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    const locale_t before = c_locale != (locale_t)0 ? uselocale(c_locale) : (locale_t)0;
    const int n = vsnprintf(to, room, fmt, args);
    if (c_locale != (locale_t)0) { // if out of memory, the caller's locale is used
        uselocale(before);
        freelocale(c_locale);
    }
    return n;
}

int opn_i_format(char *to, size_t room, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const int n = opn_i_format_list(to, room, fmt, args);
    va_end(args);
    return n;
}
