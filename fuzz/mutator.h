// mutator.h -- what the mutators share that know a format: random numbers, and a file
// that is put together anew, so that lengths and checksums in it are right.

#ifndef OPN_MUTATOR_H
#define OPN_MUTATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Of libFuzzer: changes bytes in place, to at most max_size of them, which it returns.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

// Which libFuzzer calls instead, where a target has one.
size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

enum { MUTATOR_ROOM = 1 << 16 };

// A file that is being written. What does not fit makes it useless.
typedef struct mutant {
    uint8_t bytes[MUTATOR_ROOM];
    size_t n;
    bool is_full;
} mutant;

// A number below n, which is not 0.
static inline uint32_t mutator_draw(uint32_t *state, size_t n)
{
    *state = *state * 1664525u + 1013904223u;
    return (uint32_t)((*state >> 8) % n);
}

static inline void mutant_put(mutant *out, const void *bytes, size_t n)
{
    out->is_full = out->is_full || n > sizeof(out->bytes) - out->n;
    if (out->is_full)
        return;
    if (n > 0)
        memcpy(out->bytes + out->n, bytes, n);
    out->n += n;
}

// The lowest first.
static inline void mutant_put_number(mutant *out, uint64_t number, size_t n_bytes)
{
    for (size_t i = 0; i < n_bytes; i++) {
        const uint8_t byte = (uint8_t)(number >> (8 * i));
        mutant_put(out, &byte, 1);
    }
}

// Puts bytes that libFuzzer has changed, at most `more` more of them than there were.
static inline void
mutant_put_changed(mutant *out, const uint8_t *bytes, size_t n, size_t more)
{
    const size_t start = out->n;
    mutant_put(out, bytes, n);
    if (out->is_full || n + more == 0)
        return;
    if (more > sizeof(out->bytes) - out->n)
        more = sizeof(out->bytes) - out->n;
    out->n = start + LLVMFuzzerMutate(out->bytes + start, n, n + more);
}

// What is tried in place of a mutant that is too large, or of a file that is not of the
// format.
static inline size_t
mutator_finish(const mutant *out, uint8_t *data, size_t size, size_t max_size)
{
    if (out->is_full || out->n > max_size || out->n == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    memcpy(data, out->bytes, out->n);
    return out->n;
}

#endif // OPN_MUTATOR_H
