// page_reader.c -- the data of a report's page, read back as a browser would.

#include "support/page_reader.h"

#include "support/cmocka_test.h"
#include "support/support.h"

#include <limits.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned char *base64_decode(const char *text, size_t n_text, size_t *n_bytes)
{
    unsigned char *bytes = malloc(n_text / 4 * 3 + 1);
    assert_non_null(bytes);
    assert_true(n_text % 4 == 0 && n_text <= INT_MAX);
    const int n = EVP_DecodeBlock(bytes, (const unsigned char *)text, (int)n_text);
    if (n < 0)
        fail_msg("no base64: %.60s", text);
    *n_bytes = (size_t)n;
    for (size_t c = n_text; c > 0 && text[c - 1] == '='; c--)
        --*n_bytes; // a byte for each sign that pads, which libcrypto counts
    return bytes;
}

// ---- the page ------------------------------------------------------------------------

// What stands between this opening tag, which occurs once, and the next closing one.
static const char *element(const page *read, const char *tag, size_t *n)
{
    const char *at = strstr(read->text, tag);
    if (at == NULL)
        fail_msg("%s is not in the page", tag);
    assert_null(strstr(at + 1, tag));
    at += strlen(tag);
    const char *end = strstr(at, "</script");
    assert_non_null(end);
    *n = (size_t)(end - at);
    return at;
}

page page_read(const char *path)
{
    page read = {.text = NULL};
    json_error_t error;
    size_t n = 0;
    read.text = support_read_file(path, &read.n_text);
    read.about_text = element(&read, "<script type=\"application/json\" id=\"about\">",
                              &read.n_about);
    read.about = json_loadb(read.about_text, read.n_about, 0, &error);
    if (read.about == NULL)
        fail_msg("%s: %s", path, error.text);
    const char *numbers =
            element(&read, "<script type=\"text/plain\" id=\"numbers\">", &n);
    read.block = base64_decode(numbers, n, &read.n_block);
    return read;
}

void page_free(page *read)
{
    free(read->text);
    free(read->block);
    json_decref(read->about);
    *read = (page){0};
}

static json_t *member_or_null(const json_t *object, const char *path)
{
    json_t *at = NULL;
    while (*path != 0) {
        char name[64];
        const size_t n = strcspn(path, ".");
        assert_true(n < sizeof(name));
        memcpy(name, path, n);
        name[n] = 0;
        at = json_is_array(object) ? json_array_get(object, strtoul(name, NULL, 10))
                                   : json_object_get(object, name);
        object = at;
        path += n + (path[n] == '.');
    }
    return at;
}

json_t *page_member(const json_t *object, const char *path)
{
    json_t *found = member_or_null(object, path);
    if (found == NULL)
        fail_msg("the page has no %s", path);
    return found;
}

double page_number(const json_t *object, const char *path)
{
    const json_t *number = page_member(object, path);
    if (!json_is_number(number))
        fail_msg("%s of the page is not a number", path);
    return json_number_value(number);
}

const char *page_string(const json_t *object, const char *path)
{
    const char *text = json_string_value(page_member(object, path));
    if (text == NULL)
        fail_msg("%s of the page is not a string", path);
    return text;
}

int page_is_null(const json_t *object, const char *path)
{
    return json_is_null(page_member(object, path));
}

json_t *page_view(const page *read, int v)
{
    char path[32];
    snprintf(path, sizeof(path), "views.%d", v);
    return page_member(read->about, path);
}

json_t *page_of_measure(const json_t *list, const char *measure)
{
    size_t n = 0;
    json_t *one = NULL;
    json_t *found = NULL;
    json_array_foreach(list, n, one)
    {
        if (strcmp(page_string(one, "measure"), measure) == 0) {
            assert_null(found);
            found = one;
        }
    }
    if (found == NULL)
        fail_msg("the page has nothing of %s", measure);
    return found;
}

// ---- numbers -------------------------------------------------------------------------

static const json_t *array_of(const page *read, const char *name)
{
    size_t n = 0;
    json_t *one = NULL;
    const json_t *found = NULL;
    json_array_foreach(page_member(read->about, "arrays"), n, one)
    {
        if (strcmp(page_string(one, "name"), name) == 0) {
            assert_null(found);
            found = one;
        }
    }
    return found;
}

int page_has_array(const page *read, const char *name)
{
    return array_of(read, name) != NULL;
}

uint32_t *
page_array(const page *read, int view, const char *name, const char *kind, size_t n)
{
    char full[64];
    snprintf(full, sizeof(full), view < 0 ? "%.0d%s" : "%d.%s", view < 0 ? 0 : view,
             name);
    const json_t *about = array_of(read, full);
    if (about == NULL)
        fail_msg("the page has no array %s", full);
    const size_t offset = (size_t)page_number(about, "offset");
    const size_t width = strcmp(kind, "u8") == 0 ? 1 : strcmp(kind, "u16") == 0 ? 2 : 4;
    assert_string_equal(page_string(about, "kind"), kind);
    assert_int_equal(page_number(about, "length"), n);
    assert_int_equal(offset % 4, 0);
    assert_true(offset + n * width <= read->n_block);
    uint32_t *value = malloc((n + 1) * sizeof(*value));
    assert_non_null(value);
    for (size_t j = 0; j < n; j++) {
        value[j] = 0;
        for (size_t b = width; b-- > 0;)
            value[j] = value[j] << 8 | read->block[offset + j * width + b];
    }
    return value;
}

float *page_floats(const page *read, int view, const char *name, size_t n)
{
    uint32_t *bits = page_array(read, view, name, "f32", n);
    float *value = malloc((n + 1) * sizeof(*value));
    assert_non_null(value);
    memcpy(value, bits, n * sizeof(*value));
    free(bits);
    return value;
}

void page_expect_floats(
        const page *read, int view, const char *name, const float *want, size_t n)
{
    float *got = page_floats(read, view, name, n);
    for (size_t j = 0; j < n; j++)
        if (!support_is_same_figure((double)got[j], (double)want[j]))
            fail_msg("%s of %zu: %g is not %g", name, j, (double)got[j], (double)want[j]);
    free(got);
}
