// clock.h -- elapsed time.

#ifndef OPN_CLOCK_H
#define OPN_CLOCK_H

#include <time.h>

// Seconds since an arbitrary point in the past; only differences are meaningful.
static inline double opn_i_clock(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif // OPN_CLOCK_H
