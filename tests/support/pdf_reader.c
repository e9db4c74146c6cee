// pdf_reader.c -- whether bytes are a PDF such as figures are.

#include "support/pdf_reader.h"
#include "support/cmocka_test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

// ---- file ----------------------------------------------------------------------------

// memmem() is no part of C.
static const char *find(const char *in, size_t n, const char *part)
{
    const size_t n_part = strlen(part);
    for (size_t at = 0; at + n_part <= n; at++)
        if (memcmp(in + at, part, n_part) == 0)
            return in + at;
    fail_msg("no %s in the file", part);
    return NULL;
}

static void expect_at(const char *bytes, size_t n, size_t at, const char *part)
{
    assert_true(at + strlen(part) <= n);
    if (memcmp(bytes + at, part, strlen(part)) != 0)
        fail_msg("no %s at byte %lu", part, (unsigned long)at);
}

// The table at the end: its own offset, then one line of 20 bytes for each object.
static void check_table(const char *bytes, size_t n)
{
    const char *trailer = find(bytes, n, "startxref\n");
    const size_t table = strtoul(trailer + strlen("startxref\n"), NULL, 10);
    expect_at(bytes, n, table, "xref\n0 ");
    char *end = NULL;
    const long n_objects = strtol(bytes + table + strlen("xref\n0 "), &end, 10);
    const char *line = end + 1;
    assert_true(n_objects > 1 && n_objects < 100);
    assert_memory_equal(line, "0000000000 65535 f \n", 20);
    for (long o = 1; o < n_objects; o++) {
        char head[32];
        line += 20;
        assert_memory_equal(line + 10, " 00000 n \n", 10);
        snprintf(head, sizeof(head), "%ld 0 obj\n", o);
        expect_at(bytes, n, strtoul(line, NULL, 10), head);
    }
    expect_at(bytes, n, (size_t)(line + 20 - bytes), "trailer\n");
    char size[32];
    snprintf(size, sizeof(size), "/Size %ld ", n_objects);
    (void)find(line, n - (size_t)(line - bytes), size);
    expect_at(bytes, n, n - 6, "%%EOF\n");
}

static char *unpack(const char *bytes, size_t n)
{
    const char *length = find(bytes, n, "/Length ") + strlen("/Length ");
    const size_t n_packed = strtoul(length, NULL, 10);
    const char *stream = find(bytes, n, ">>\nstream\n") + strlen(">>\nstream\n");
    expect_at(bytes, n, (size_t)(stream - bytes) + n_packed, "\nendstream\nendobj\n");
    uLongf room = 1 << 24;
    char *drawing = malloc(room + 1);
    assert_non_null(drawing);
    assert_int_equal(uncompress((unsigned char *)drawing, &room,
                                (const unsigned char *)stream, (uLong)n_packed),
                     Z_OK);
    drawing[room] = 0;
    assert_int_equal(strlen(drawing), room);
    return drawing;
}

// ---- drawing -------------------------------------------------------------------------

// Operators with the count of what stands before them; -1 for any.
static const struct {
    const char *name;
    int n_operands;
} operators[] = {
        {"q", 0},  {"Q", 0},  {"cm", 6}, {"w", 1},  {"J", 1},   {"j", 1}, {"d", -1},
        {"rg", 3}, {"RG", 3}, {"gs", 1}, {"m", 2},  {"l", 2},   {"c", 6}, {"h", 0},
        {"re", 4}, {"W", 0},  {"n", 0},  {"f", 0},  {"S", 0},   {"B", 0}, {"BT", 0},
        {"ET", 0}, {"Tm", 6}, {"Tf", 2}, {"Tj", 1}, {"TJ", -1},
};

static void check_operator(const char *name, int n_before, int *depth, int *text)
{
    for (size_t o = 0; o < sizeof(operators) / sizeof(operators[0]); o++) {
        if (strcmp(operators[o].name, name) != 0)
            continue;
        if (operators[o].n_operands >= 0)
            assert_int_equal(n_before, operators[o].n_operands);
        *depth += strcmp(name, "q") == 0;
        *depth -= strcmp(name, "Q") == 0;
        *text += strcmp(name, "BT") == 0;
        *text -= strcmp(name, "ET") == 0;
        assert_true(*depth >= 0 && *depth < 8 && *text >= 0 && *text <= 1);
        return;
    }
    fail_msg("an operator of which figures have no need: %s", name);
}

static bool is_operand(const char *token)
{
    return strchr("0123456789-/<[]", token[0]) != NULL || token[strlen(token) - 1] == ']';
}

static void check_drawing(const char *drawing)
{
    int depth = 0;
    int text = 0;
    int n_before = 0;
    for (const char *at = drawing; *at != 0;) {
        char token[64];
        const size_t n = strcspn(at, " \n");
        assert_true(n > 0 && n < sizeof(token));
        memcpy(token, at, n);
        token[n] = 0;
        at += n + (at[n] != 0);
        at += strspn(at, " \n");
        if (is_operand(token)) {
            n_before++;
            continue;
        }
        check_operator(token, n_before, &depth, &text);
        n_before = 0;
    }
    assert_int_equal(depth, 0);
    assert_int_equal(text, 0);
    assert_int_equal(n_before, 0);
}

char *support_expect_pdf(const char *bytes, size_t n)
{
    assert_true(n > 100);
    expect_at(bytes, n, 0, "%PDF-1.4\n");
    check_table(bytes, n);
    (void)find(bytes, n, "/Type /Catalog /Pages 2 0 R");
    (void)find(bytes, n, "/Kids [3 0 R] /Count 1");
    char *drawing = unpack(bytes, n);
    check_drawing(drawing);
    return drawing;
}

// ---- text ----------------------------------------------------------------------------

char *support_pdf_words(const char *drawing)
{
    char *words = malloc(strlen(drawing) + 1);
    assert_non_null(words);
    size_t n = 0;
    bool is_symbol = false;
    for (const char *line = drawing; *line != 0; line += strcspn(line, "\n") + 1) {
        if (strncmp(line, "/F", 2) == 0)
            is_symbol = line[2] == '2';
        if (strncmp(line, "ET", 2) == 0)
            words[n++] = '\n';
        if (line[0] == '<')
            words[n++] = (char)(is_symbol ? '?' : strtol(line + 1, NULL, 16));
    }
    words[n] = 0;
    return words;
}
