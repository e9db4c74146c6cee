// page_reader.h -- the data of a report's page, read back as a browser would.
//
// What cannot be read fails the test that asked for it.

#ifndef OPN_TEST_PAGE_READER_H
#define OPN_TEST_PAGE_READER_H

#include <jansson.h>
#include <stdint.h>

// The bytes of a text of base64, to be freed; anything but whole groups of the usual
// characters, padded at the end only, fails.
unsigned char *base64_decode(const char *text, size_t n_text, size_t *n_bytes);

typedef struct page {
    char *text; // the file
    size_t n_text;
    const char *about_text; // within it: what stands in the element "about"
    size_t n_about;
    json_t *about;
    unsigned char *block; // what stands in the element "numbers"
    size_t n_block;
} page;

page page_read(const char *path);
void page_free(page *read);

// A member of a member, "quality.accuracy" or "detection.ood.measures"; fails where there
// is none. Numbers between the dots are places in arrays.
json_t *page_member(const json_t *object, const char *path);
double page_number(const json_t *object, const char *path);
const char *page_string(const json_t *object, const char *path);
int page_is_null(const json_t *object, const char *path);

json_t *page_view(const page *read, int v);

// The one of `list` whose member "measure" is this; fails where there is none.
json_t *page_of_measure(const json_t *list, const char *measure);

int page_has_array(const page *read, const char *name);

// Array NAME, or VIEW.NAME of a view (view -1: of none), which must have n items and be
// of this kind; to be freed.
uint32_t *
page_array(const page *read, int view, const char *name, const char *kind, size_t n);

#endif // OPN_TEST_PAGE_READER_H
