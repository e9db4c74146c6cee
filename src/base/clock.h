// clock.h -- time that has passed.

#ifndef OPN_CLOCK_H
#define OPN_CLOCK_H

#include <time.h>

// Seconds since some moment in the past, for differences.
static inline double opn_i_clock(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif // OPN_CLOCK_H
