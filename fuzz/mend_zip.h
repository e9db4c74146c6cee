// mend_zip.h -- archives a fuzz target has changed, made whole again.

#ifndef OPN_MEND_ZIP_H
#define OPN_MEND_ZIP_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

static inline size_t mend_get_number(const uint8_t *at, size_t n_bytes)
{
    size_t number = 0;
    for (size_t i = 0; i < n_bytes; i++)
        number |= (size_t)at[i] << (8 * i);
    return number;
}

static inline void mend_put_number(uint8_t *at, size_t number)
{
    for (size_t i = 0; i < 4; i++)
        at[i] = (uint8_t)(number >> (8 * i));
}

// Gives the stored member that the directory's entry at `entry` is about the checksum it
// should have.
static inline void mend_member(uint8_t *data, size_t size, uint8_t *entry)
{
    enum { LOCAL = 30 };
    const size_t n_content = mend_get_number(entry + 20, 4);
    const size_t local = mend_get_number(entry + 42, 4);
    if (size < LOCAL || local > size - LOCAL || memcmp(data + local, "PK\3\4", 4) != 0)
        return;
    const size_t start = local + LOCAL + mend_get_number(data + local + 26, 2) +
                         mend_get_number(data + local + 28, 2);
    if (start > size || n_content > size - start)
        return;
    const size_t sum = crc32(crc32(0, NULL, 0), data + start, (uInt)n_content);
    mend_put_number(entry + 16, sum);
    mend_put_number(data + local + 14, sum);
}

// A change of content would never get past the checksums otherwise.
static inline void mend_checksums(uint8_t *data, size_t size)
{
    enum { ENTRY = 46 };
    for (size_t at = 0; at + ENTRY <= size; at++)
        if (memcmp(data + at, "PK\1\2", 4) == 0 &&
            mend_get_number(data + at + 10, 2) == 0)
            mend_member(data, size, data + at);
}

#endif // OPN_MEND_ZIP_H
