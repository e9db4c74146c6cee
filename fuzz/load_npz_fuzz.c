// load_npz_fuzz.c -- any bytes as an archive of the gnn-benchmark form.

#include "load_fuzz.h"

#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t get_number(const uint8_t *at, size_t n_bytes)
{
    size_t number = 0;
    for (size_t i = 0; i < n_bytes; i++)
        number |= (size_t)at[i] << (8 * i);
    return number;
}

static void put_number(uint8_t *at, size_t number)
{
    for (size_t i = 0; i < 4; i++)
        at[i] = (uint8_t)(number >> (8 * i));
}

// Gives the stored member that the directory's entry at `entry` is about the checksum it
// should have.
static void mend_member(uint8_t *data, size_t size, uint8_t *entry)
{
    enum { LOCAL = 30 };
    const size_t n_content = get_number(entry + 20, 4);
    const size_t local = get_number(entry + 42, 4);
    if (size < LOCAL || local > size - LOCAL || memcmp(data + local, "PK\3\4", 4) != 0)
        return;
    const size_t start = local + LOCAL + get_number(data + local + 26, 2) +
                         get_number(data + local + 28, 2);
    if (start > size || n_content > size - start)
        return;
    const size_t sum = crc32(crc32(0, NULL, 0), data + start, (uInt)n_content);
    put_number(entry + 16, sum);
    put_number(data + local + 14, sum);
}

// A change of content would never get past the checksums otherwise.
static void mend_checksums(uint8_t *data, size_t size)
{
    enum { ENTRY = 46 };
    for (size_t at = 0; at + ENTRY <= size; at++)
        if (memcmp(data + at, "PK\1\2", 4) == 0 && get_number(data + at + 10, 2) == 0)
            mend_member(data, size, data + at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"graph.npz"};
    char path[FUZZ_PATH];
    fuzz_open_folder(names, 1);
    fuzz_write_file(names[0], data, size);
    fuzz_load(fuzz_path(path, names[0]));

    uint8_t *mended = malloc(size + 1);
    fuzz_check(mended != NULL);
    if (size > 0)
        memcpy(mended, data, size);
    mend_checksums(mended, size);
    if (size > 0 && memcmp(mended, data, size) != 0) {
        fuzz_write_file(names[0], mended, size);
        fuzz_load(path);
    }
    free(mended);
    return 0;
}
