// label.c -- names from anywhere, made fit to be drawn.

#include "report/label.h"

#include "io/utf8.h"

#include <stdint.h>
#include <string.h>

static const char ellipsis[] = "\xe2\x80\xa6";
static const double ellipsis_width = 1.0;

typedef struct code_range {
    uint32_t first, last;
} code_range;

static bool is_within(uint32_t code, const code_range *range, size_t n)
{
    for (size_t r = 0; r < n; r++)
        if (code >= range[r].first && code <= range[r].last)
            return true;
    return false;
}

// Controls, soft hyphen, direction marks, overrides, embeddings and isolates, joiners and
// operators without a shape, byte order mark, annotations, tags. What is written from
// right to left needs none of them: each label is a text element, hence a paragraph, of
// its own.
static bool is_dropped(uint32_t code)
{
    static const code_range dropped[] = {
            {0x00, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},     {0x61c, 0x61c},
            {0x180e, 0x180e}, {0x200b, 0x200b}, {0x200e, 0x200f}, {0x202a, 0x202e},
            {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
    };
    return is_within(code, dropped, sizeof(dropped) / sizeof(dropped[0]));
}

// Accents, joiners and variants: they take no room of their own.
static bool is_mark(uint32_t code)
{
    static const code_range marks[] = {
            {0x300, 0x36f},   {0x483, 0x489},   {0x1ab0, 0x1aff},
            {0x1dc0, 0x1dff}, {0x200c, 0x200d}, {0x20d0, 0x20ff},
            {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xe0100, 0xe01ef},
    };
    return is_within(code, marks, sizeof(marks) / sizeof(marks[0]));
}

static bool is_space(uint32_t code)
{
    return code == ' ' || (code >= '\t' && code <= '\r') || code == 0x85 ||
           code == 0x2028 || code == 0x2029;
}

// U+FFFE, U+FFFF and their like: not characters, and some not allowed in XML.
static bool is_noncharacter(uint32_t code)
{
    return (code & 0xfffe) == 0xfffe || (code >= 0xfdd0 && code <= 0xfdef);
}

// In em; from DejaVu Sans, which is among the widest that a browser comes with.
static double width_of(uint32_t code)
{
    if (is_mark(code))
        return 0;
    if (code >= 0x80)
        return code < 0x1100 ? 0.8 : code < 0x1f000 ? 1.0 : 1.4;
    if (strchr(" !',.:;I|ijl", (int)code) != NULL)
        return 0.34;
    if (strchr("()-/[\\]frt", (int)code) != NULL)
        return 0.42;
    if (strchr("%@MWmw", (int)code) != NULL)
        return 0.98;
    return (code >= 'A' && code <= 'Z') || strchr("#&+<=>~", (int)code) != NULL ? 0.78
                                                                                : 0.64;
}

// The next character as it is to be shown; 0 for one that is dropped.
static uint32_t next_code(const unsigned char **at, const unsigned char *end)
{
    uint32_t code;
    const size_t n = opn_i_utf8_get(*at, (size_t)(end - *at), &code);
    *at += n > 0 ? n : 1;
    if (n == 0 || is_noncharacter(code))
        return 0xfffd;
    if (is_space(code))
        return ' ';
    return is_dropped(code) ? 0 : code;
}

const char *
opn_i_label_take(const char *text, double room, bool may_break, opn_i_label *out)
{
    const unsigned char *at = (const unsigned char *)(text == NULL ? "" : text);
    const unsigned char *end = at + strlen((const char *)at);
    const unsigned char *break_at = NULL;
    size_t n = 0;
    size_t n_before_break = 0;
    size_t n_before_dots = 0; // what stays when dots must follow
    int n_marks = 0;
    out->width = 0;
    while (at < end) {
        const uint32_t code = next_code(&at, end);
        n_marks = is_mark(code) ? n_marks + 1 : code == 0 ? n_marks : 0;
        if (code == 0 || n_marks > 2 || (n == 0 && (code == ' ' || n_marks > 0)) ||
            (code == ' ' && out->text[n - 1] == ' '))
            continue;
        if (code == ' ') {
            n_before_break = n;
            break_at = at;
        }
        const double width = width_of(code);
        if (out->width + width > room ||
            n + OPN_UTF8_MAX + sizeof(ellipsis) > OPN_LABEL_ROOM) {
            if (may_break && break_at != NULL) {
                out->text[n_before_break] = 0;
                return (const char *)break_at;
            }
            memcpy(out->text + n_before_dots, ellipsis, sizeof(ellipsis));
            return NULL;
        }
        n += opn_i_utf8_put(code, out->text + n);
        out->width += width;
        if (out->width + ellipsis_width <= room)
            n_before_dots = n;
    }
    n -= n > 0 && out->text[n - 1] == ' ';
    out->text[n] = 0;
    return NULL;
}

int opn_i_label_count_lines(const char *text, double room, int most)
{
    int n = 0;
    opn_i_label line;
    for (const char *rest = text; rest != NULL && n < most; n++) {
        rest = opn_i_label_take(rest, room, true, &line);
        if (rest == NULL && line.text[0] == 0)
            break;
    }
    return n;
}
