// svg_reader.c -- whether a text is an SVG such as figures are.

#include "support/svg_reader.h"
#include "io/utf8.h"
#include "support/cmocka_test.h"

#include <stdbool.h>
#include <string.h>

// Reads as much of XML as figures may use and fails the test at anything else: no
// doctype, comment, CDATA or processing instruction but the first line.
typedef struct reader {
    const char *at;
    const char *end;
    int depth;
    const char *open[16]; // names of the elements around
    size_t n_open[16];
} reader;

static void refuse(const reader *xml, const char *reason)
{
    fail_msg("%s at: %.60s", reason, xml->at);
}

static bool starts(const reader *xml, const char *text)
{
    return strncmp(xml->at, text, strlen(text)) == 0;
}

static void skip_text(reader *xml, const char *text)
{
    if (!starts(xml, text))
        fail_msg("no %s at: %.60s", text, xml->at);
    xml->at += strlen(text);
}

static size_t name_length(const reader *xml)
{
    const size_t n = strspn(xml->at, "abcdefghijklmnopqrstuvwxyzBGPT-:0123456789");
    if (n == 0)
        refuse(xml, "no name");
    return n;
}

static bool is_allowed(uint32_t code)
{
    return code == '\n' || (code >= 0x20 && code < 0x7f) ||
           (code > 0x9f && code <= 0xfffd) || code > 0xffff;
}

// One character of text or of a value, escaped or not.
static void skip_character(reader *xml)
{
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    uint32_t code = 0;
    if (*xml->at == '&') {
        for (size_t e = 0; e < 4; e++) {
            if (starts(xml, entities[e])) {
                xml->at += strlen(entities[e]);
                return;
            }
        }
        refuse(xml, "a bare &");
    }
    const size_t n = opn_i_utf8_get((const unsigned char *)xml->at,
                                    (size_t)(xml->end - xml->at), &code);
    if (n == 0 || !is_allowed(code))
        refuse(xml, "a character that XML does not have");
    if (code == '>')
        refuse(xml, "a bare >");
    if ((code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069))
        refuse(xml, "a mark that turns the direction");
    xml->at += n;
}

static void read_attributes(reader *xml)
{
    const char *names[16];
    size_t n_names = 0;
    while (*xml->at == ' ') {
        xml->at++;
        const size_t n = name_length(xml);
        for (size_t a = 0; a < n_names; a++)
            if (strncmp(names[a], xml->at, n + 1) == 0)
                refuse(xml, "an attribute twice");
        assert_true(n_names < 16);
        names[n_names++] = xml->at;
        // Nothing that runs, and nothing from elsewhere.
        if (xml->at[0] == 'o' && xml->at[1] == 'n')
            refuse(xml, "a handler");
        if (starts(xml, "href") || starts(xml, "xlink") || starts(xml, "src"))
            refuse(xml, "a reference");
        xml->at += n;
        skip_text(xml, "=\"");
        if (starts(xml, "url") || starts(xml, "nan") || starts(xml, "inf"))
            refuse(xml, "a value");
        while (*xml->at != '"') {
            if (*xml->at == '<')
                refuse(xml, "a bare <");
            skip_character(xml);
        }
        xml->at++;
    }
}

static void read_tag(reader *xml)
{
    static const char *const known[] = {"svg", "title", "rect",  "text",
                                        "g",   "path",  "circle"};
    const bool is_end = xml->at[1] == '/';
    xml->at += is_end ? 2 : 1;
    const size_t n = name_length(xml);
    const char *name = xml->at;
    bool is_known = false;
    for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++)
        is_known = is_known || (strlen(known[k]) == n && strncmp(known[k], name, n) == 0);
    if (!is_known)
        refuse(xml, "an element of which figures have no need");
    xml->at += n;
    if (is_end) {
        if (xml->depth == 0 || xml->n_open[--xml->depth] != n ||
            strncmp(xml->open[xml->depth], name, n) != 0)
            refuse(xml, "the end of another element");
        skip_text(xml, ">");
        return;
    }
    read_attributes(xml);
    if (starts(xml, "/>")) {
        xml->at += 2;
        return;
    }
    skip_text(xml, ">");
    assert_true(xml->depth < 16);
    xml->open[xml->depth] = name;
    xml->n_open[xml->depth++] = n;
}

void support_expect_svg(const char *text, size_t n)
{
    reader xml = {.at = text, .end = text + n};
    assert_int_equal(strlen(text), n);
    skip_text(&xml, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    if (!starts(&xml, "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\""))
        refuse(&xml, "no SVG");
    do {
        if (*xml.at == '<')
            read_tag(&xml);
        else
            skip_character(&xml);
    } while (xml.depth > 0);
    skip_text(&xml, "\n");
    assert_ptr_equal(xml.at, xml.end);
}
