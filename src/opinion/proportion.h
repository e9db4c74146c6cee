// proportion.h -- how sure a share of some nodes is.

#ifndef OPN_PROPORTION_H
#define OPN_PROPORTION_H

#include <stdint.h>

// The exact 95 % interval of Clopper and Pearson for the chance behind n_right of n
// draws, 0 <= n_right <= n, n >= 1: at its ends so many or more, or so few or fewer, have
// chance 2.5 %. Good to 12 digits. Cost: O(n) a step of some 60.
void opn_i_proportion_interval(int32_t n_right, int32_t n, double *low, double *high);

#endif // OPN_PROPORTION_H
