// page_reader.h -- reads the data of a report page as a browser would.
//
// Anything that cannot be read fails the calling test.

#ifndef OPN_TEST_PAGE_READER_H
#define OPN_TEST_PAGE_READER_H

#include <jansson.h>
#include <stdint.h>

// Decodes base64, to be freed. Fails unless the text is whole groups of the usual
// characters, padded only at the end.
unsigned char *base64_decode(const char *text, size_t n_text, size_t *n_bytes);

typedef struct page {
    char *text; // the file
    size_t n_text;
    const char *about_text; // within it: contents of the element "about"
    size_t n_about;
    json_t *about;
    unsigned char *block; // contents of the element "numbers"
    size_t n_block;
} page;

page page_read(const char *path);
void page_free(page *read);

// A nested member, "quality.accuracy" or "detection.ood.measures"; fails if missing.
// Numbers between the dots are array indices.
json_t *page_member(const json_t *object, const char *path);
double page_number(const json_t *object, const char *path);
const char *page_string(const json_t *object, const char *path);
int page_is_null(const json_t *object, const char *path);

json_t *page_view(const page *read, int v);

// The item of `list` whose member "measure" is this; fails if missing.
json_t *page_of_measure(const json_t *list, const char *measure);

int page_has_array(const page *read, const char *name);

// Array NAME, or VIEW.NAME of a view (-1: none), which must have n items and be of this
// kind; to be freed.
uint32_t *
page_array(const page *read, int view, const char *name, const char *kind, size_t n);

// Likewise, of kind f32.
float *page_floats(const page *read, int view, const char *name, size_t n);

// The array of a view, of kind f32, must have these values to the last bit.
void page_expect_floats(
        const page *read, int view, const char *name, const float *want, size_t n);

#endif // OPN_TEST_PAGE_READER_H
