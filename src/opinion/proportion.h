// proportion.h -- confidence intervals of proportions.

#ifndef OPN_PROPORTION_H
#define OPN_PROPORTION_H

#include <stdint.h>

// The exact 95 % Clopper-Pearson interval of the probability behind n_right of n draws, 0
// <= n_right <= n, n >= 1: at its ends that many or more, or that few or fewer, have
// probability 2.5 %. Accurate to 12 digits. Cost: O(n) for each of some 60 steps.
void opn_i_proportion_interval(int32_t n_right, int32_t n, double *low, double *high);

// The lower end alone, with the probability `tail` in (0, 0.5) instead of 2.5 %.
double opn_i_proportion_low(int32_t n_right, int32_t n, double tail);

// P(X >= k) of n >= 0 draws with probability p, 0 < p < 1, 0 <= k <= n. Accurate to 12
// digits where it is below a half. Cost: O(n).
double opn_i_binomial_tail(int32_t n, int32_t k, double p);

#endif // OPN_PROPORTION_H
