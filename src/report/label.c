// label.c -- makes names from any source safe to draw.

#include "report/label.h"

#include "io/utf8.h"

#include <stdint.h>
#include <string.h>
#include <utf8proc.h>

static const char ellipsis[] = "\xe2\x80\xa6";
static const double ellipsis_width = 1.0;

// The most marks that any script stacks on a letter: Burmese has three, pointed Hebrew
// four.
enum { MOST_MARKS = 4 };

// Accents, vowel signs, joiners and variants, which have no width of their own.
static bool is_mark(uint32_t code)
{
    const utf8proc_property_t *p = utf8proc_get_property((utf8proc_int32_t)code);
    return p->boundclass == UTF8PROC_BOUNDCLASS_EXTEND ||
           p->boundclass == UTF8PROC_BOUNDCLASS_ZWJ;
}

// Line and paragraph breaks and blanks, except non-breaking ones.
static bool is_space(uint32_t code)
{
    const utf8proc_property_t *p = utf8proc_get_property((utf8proc_int32_t)code);
    return p->bidi_class == UTF8PROC_BIDI_CLASS_B ||
           p->bidi_class == UTF8PROC_BIDI_CLASS_S ||
           p->bidi_class == UTF8PROC_BIDI_CLASS_WS;
}

// Controls, soft hyphen, direction marks, overrides, embeddings and isolates, invisible
// operators, byte order mark, annotations, tags. Right-to-left text needs none of them:
// each label is a text element, and so its own paragraph.
static bool is_dropped(uint32_t code)
{
    enum { NON_JOINER = 0x200c }; // affects the shape of adjacent letters
    const utf8proc_property_t *p = utf8proc_get_property((utf8proc_int32_t)code);
    const bool is_tag = p->boundclass == UTF8PROC_BOUNDCLASS_EXTEND &&
                        p->category == UTF8PROC_CATEGORY_CF && code != NON_JOINER;
    return is_tag || p->boundclass == UTF8PROC_BOUNDCLASS_CONTROL;
}

static bool is_picture(uint32_t code)
{
    return utf8proc_charwidth((utf8proc_int32_t)code) == 2 &&
           utf8proc_get_property((utf8proc_int32_t)code)->boundclass ==
                   UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC;
}

// U+FFFE, U+FFFF and the like: not characters, and some not allowed in XML. Unicode has
// fixed them permanently, and utf8proc cannot tell them from unassigned code points.
static bool is_noncharacter(uint32_t code)
{
    return (code & 0xfffe) == 0xfffe || (code >= 0xfdd0 && code <= 0xfdef);
}

// In em; from DejaVu Sans, which is one of the widest browser fonts.
static double width_of(uint32_t code)
{
    enum { FIRST_WIDE = 0x1100 }; // European and Near Eastern alphabets come before
    if (is_mark(code))
        return 0;
    if (code >= 0x80)
        return is_picture(code) ? 1.4 : code < FIRST_WIDE ? 0.8 : 1.0;
    if (strchr(" !',.:;I|ijl", (int)code) != NULL)
        return 0.34;
    if (strchr("()-/[\\]frt", (int)code) != NULL)
        return 0.42;
    if (strchr("%@MWmw", (int)code) != NULL)
        return 0.98;
    return (code >= 'A' && code <= 'Z') || strchr("#&+<=>~", (int)code) != NULL ? 0.78
                                                                                : 0.64;
}

// The next character to show; 0 for one that is dropped.
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
    size_t n_before_dots = 0; // length to keep if "…" must follow
    int n_marks = 0;
    out->width = 0;
    while (at < end) {
        const uint32_t code = next_code(&at, end);
        n_marks = is_mark(code) ? n_marks + 1 : code == 0 ? n_marks : 0;
        if (code == 0 || n_marks > MOST_MARKS ||
            (n == 0 && (code == ' ' || n_marks > 0)) ||
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
