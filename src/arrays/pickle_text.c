// pickle_text.c -- numbers and strings that pickles store as text.

#include "arrays/pickle_machine.h"

#include "base/number.h"
#include "io/utf8.h"

#include <limits.h>
#include <math.h>
#include <string.h>

opn_status opn_i_pickle_parse_int(opn_ctx *ctx, const char *line, size_t n, int64_t *out)
{
    opn_status status = OPN_OK;
    const bool negative = n > 0 && line[0] == '-';
    size_t i = n > 0 && (negative || line[0] == '+') ? 1 : 0;
    int64_t value = 0; // negative, because -INT64_MIN would overflow

    OPN_FAIL_IF(ctx, i == n, OPN_ERR_FORMAT, "an integer without digits");
    for (; i < n; i++) {
        const int digit = line[i] - '0';
        OPN_FAIL_IF(ctx, digit < 0 || digit > 9, OPN_ERR_FORMAT,
                    "byte 0x%02x in an integer; expected decimal digits",
                    (unsigned)(unsigned char)line[i]);
        OPN_FAIL_IF(ctx, value < (INT64_MIN + digit) / 10, OPN_ERR_OVERFLOW,
                    "an integer of more than 64 bits");
        value = value * 10 - digit;
    }
    OPN_FAIL_IF(ctx, !negative && value == INT64_MIN, OPN_ERR_OVERFLOW,
                "an integer of more than 64 bits");
    *out = negative ? value : -value;
cleanup:
    return status;
}

opn_status opn_i_pickle_parse_real(opn_ctx *ctx, const char *line, size_t n, double *out)
{
    opn_status status = OPN_OK;
    char text[64]; // repr() writes at most 24
    OPN_FAIL_IF(ctx, n >= sizeof(text), OPN_ERR_FORMAT, "a float of %zu characters", n);
    memcpy(text, line, n);
    text[n] = '\0';

    const bool negative = text[0] == '-';
    if (strcmp(text + negative, "inf") == 0)
        *out = negative ? -(double)INFINITY : (double)INFINITY;
    else if (strcmp(text, "nan") == 0)
        *out = (double)NAN;
    else
        OPN_FAIL_IF(ctx, !opn_i_parse_real(text, n, out), OPN_ERR_FORMAT,
                    "a float that is not a decimal number");
cleanup:
    return status;
}

// Value of n hexadecimal digits, or -1.
static int64_t parse_hex(const char *digits, size_t n)
{
    int64_t value = 0;
    for (size_t i = 0; i < n; i++) {
        const char c = digits[i];
        if (c >= '0' && c <= '9')
            value = value * 16 + (c - '0');
        else if (c >= 'a' && c <= 'f')
            value = value * 16 + (c - 'a' + 10);
        else if (c >= 'A' && c <= 'F')
            value = value * 16 + (c - 'A' + 10);
        else
            return -1;
    }
    return value;
}

// Byte for the escape after a backslash, or -1; *n_used chars of it are consumed.
static int escaped_byte(const char *escape, size_t n, size_t *n_used)
{
    static const char letter[] = "\\'\"nrt";
    static const char meaning[] = "\\'\"\n\r\t";
    if (n == 0)
        return -1;
    if (escape[0] == 'x' && n >= 3) {
        *n_used = 3;
        return (int)parse_hex(escape + 1, 2);
    }
    const char *found = memchr(letter, escape[0], sizeof(letter) - 1);
    *n_used = 1;
    return found == NULL ? -1 : meaning[found - letter];
}

opn_status opn_i_pickle_unquote(opn_i_pickle_machine *m,
                                const char *line,
                                size_t n,
                                opn_i_pickle_value *out)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(m->ctx,
                n < 2 || (line[0] != '\'' && line[0] != '"') || line[n - 1] != line[0],
                OPN_ERR_FORMAT, "a string that is not in quotes");
    line++;
    n -= 2;
    if (n == 0 || memchr(line, '\\', n) == NULL)
        return opn_i_pickle_new_text(m, OPN_PICKLE_BYTES, line, n, out);

    char *chars = opn_i_pickle_take(m->pickle, n, 1);
    size_t n_chars = 0;
    if (chars == NULL)
        return opn_i_fail_nomem(m->ctx, n, 1);
    for (size_t i = 0; i < n;) {
        if (line[i] != '\\') {
            chars[n_chars++] = line[i++];
            continue;
        }
        size_t n_used = 0;
        const int byte = escaped_byte(line + i + 1, n - i - 1, &n_used);
        OPN_FAIL_IF(m->ctx, byte < 0, OPN_ERR_FORMAT,
                    "a string with an escape that Python does not write");
        chars[n_chars++] = (char)byte;
        i += 1 + n_used;
    }
    status = opn_i_pickle_new_text(m, OPN_PICKLE_BYTES, chars, n_chars, out);
cleanup:
    return status;
}

opn_status opn_i_pickle_unescape(opn_i_pickle_machine *m,
                                 const char *line,
                                 size_t n,
                                 opn_i_pickle_value *out)
{
    opn_status status = OPN_OK;
    size_t n_high = 0; // Latin-1 beyond ASCII takes two bytes of UTF-8
    for (size_t i = 0; i < n; i++)
        n_high += (unsigned char)line[i] >> 7;
    if (n == 0 || (n_high == 0 && memchr(line, '\\', n) == NULL))
        return opn_i_pickle_new_text(m, OPN_PICKLE_TEXT, line, n, out);

    char *chars = opn_i_pickle_take(m->pickle, n + n_high, 1);
    size_t n_chars = 0;
    if (chars == NULL)
        return opn_i_fail_nomem(m->ctx, n + n_high, 1);
    for (size_t i = 0; i < n;) {
        const char next = i + 1 < n ? line[i + 1] : '\0';
        if (line[i] != '\\' || (next != 'u' && next != 'U')) {
            // Copy the character after a backslash too, so that the second of two
            // backslashes does not start an escape.
            const bool pair = line[i] == '\\' && i + 1 < n;
            for (size_t last = i + pair; i <= last; i++)
                n_chars += opn_i_utf8_put((unsigned char)line[i], chars + n_chars);
            continue;
        }
        const size_t n_digits = next == 'u' ? 4 : 8;
        const int64_t code =
                n - i - 2 < n_digits ? -1 : parse_hex(line + i + 2, n_digits);
        OPN_FAIL_IF(m->ctx, code < 0 || code > 0x10ffff, OPN_ERR_FORMAT,
                    "a text with a broken \\%c escape", next);
        n_chars += opn_i_utf8_put((uint32_t)code, chars + n_chars);
        i += 2 + n_digits;
    }
    status = opn_i_pickle_new_text(m, OPN_PICKLE_TEXT, chars, n_chars, out);
cleanup:
    return status;
}

// Decodes n bytes of UTF-8 to Latin-1; false if that is impossible.
static bool
decode_latin1(const unsigned char *from, size_t n, unsigned char *to, size_t *n_to)
{
    size_t n_chars = 0;
    for (size_t i = 0; i < n;) {
        uint32_t code = 0;
        const size_t n_bytes = opn_i_utf8_get(from + i, n - i, &code);
        if (n_bytes == 0 || code > UCHAR_MAX)
            return false;
        to[n_chars++] = (unsigned char)code;
        i += n_bytes;
    }
    *n_to = n_chars;
    return true;
}

opn_status opn_i_pickle_encode(opn_i_pickle_machine *m,
                               const opn_i_pickle_text *text,
                               opn_i_pickle_value *out)
{
    opn_status status = OPN_OK;
    size_t n_chars = 0;
    // Half, because one byte of the file may have become two of UTF-8.
    OPN_TRY(opn_i_pickle_spend(m, text->n / 2));
    unsigned char *to = opn_i_pickle_take(m->pickle, text->n, 1);
    OPN_FAIL_IF(m->ctx, to == NULL, OPN_ERR_NOMEM, "out of memory for %zu bytes",
                text->n);
    OPN_FAIL_IF(m->ctx,
                !decode_latin1((const unsigned char *)text->chars, text->n, to, &n_chars),
                OPN_ERR_FORMAT, "a character beyond Latin-1 where bytes are encoded");
    status = opn_i_pickle_new_text(m, OPN_PICKLE_BYTES, (const char *)to, n_chars, out);
cleanup:
    return status;
}

void opn_i_pickle_printable(const char *chars, size_t n, char *out, size_t n_out)
{
    const size_t n_kept = n < n_out - 1 ? n : n_out - 1;
    for (size_t i = 0; i < n_kept; i++)
        out[i] = chars[i] < 0x20 || chars[i] > 0x7e ? '?' : chars[i];
    out[n_kept] = '\0';
}
