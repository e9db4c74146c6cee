// archive_writer.h -- npz archives in a folder of their own: samples that NumPy wrote,
// and a few arrays typed by hand.

#ifndef OPN_ARCHIVE_WRITER_H
#define OPN_ARCHIVE_WRITER_H

#include "support/support.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// An empty folder for each test, and the path of graph.npz in it.
extern char archive_folder[SUPPORT_PATH];
extern char archive_path[SUPPORT_PATH];

int archive_set_up(void **state);
int archive_tear_down(void **state);

#define WITH_ARCHIVE(test) \
    cmocka_unit_test_setup_teardown(test, archive_set_up, archive_tear_down)

// Sample i of tests/golden/load_samples.py; false from the last on.
typedef struct archive_sample {
    const char *name;
    const unsigned char *data;
    size_t n_bytes;
} archive_sample;

bool archive_sample_at(size_t i, archive_sample *out);

// The sample of that name; fails the test if there is none.
archive_sample archive_sample_called(const char *name);

typedef enum array_type { ABSENT, I32, I64, F32, F64, TEXT } array_type;

typedef struct array {
    const char *name;
    array_type type;
    const void *data;
    int n_dims;
    int64_t shape[3];
} array;

#define VALUES(type, ...) ((const type[]){__VA_ARGS__})
#define TEXTS(...)        ((const char *const[]){__VA_ARGS__})

enum { MAX_CHANGES = 4 };

// Writes the arrays of `base` to archive_path, some of them replaced or left out, and
// others added; `changes` ends with the first that has no name. Returns the size of the
// file.
size_t archive_write(const array *base, size_t n_base, const array changes[MAX_CHANGES]);

#endif // OPN_ARCHIVE_WRITER_H
