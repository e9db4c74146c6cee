// fuzz_target.h -- what every fuzz target has.

#ifndef OPN_FUZZ_TARGET_H
#define OPN_FUZZ_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// The one function libFuzzer and corpus_main.c call.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void fuzz_check(bool holds)
{
    if (!holds)
        abort();
}

#endif // OPN_FUZZ_TARGET_H
