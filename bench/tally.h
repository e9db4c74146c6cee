// tally.h -- an allocator that knows how much is in use, and its peak.

#ifndef BENCH_TALLY_H
#define BENCH_TALLY_H

#include "opine/opine.h"

#include <stddef.h>

typedef struct tally {
    size_t n_bytes; // in use
    size_t n_most;  // since tally_start()
} tally;

// Allocates from malloc(); borrows the tally.
opn_alloc tally_alloc(tally *of);

// Resets the peak; returns what is in use now.
size_t tally_start(tally *of);

// The peak in MB beyond what tally_start() returned.
double tally_megabytes(const tally *of, size_t n_before);

#endif // BENCH_TALLY_H
