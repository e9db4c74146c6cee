// proportion.c -- confidence intervals of proportions.

#include "opinion/proportion.h"

#include <math.h>

// ln of n choose k.
static double log_choose(int32_t n, int32_t k)
{
    double sum = 0.0;
    if (k > n - k)
        k = n - k;
    for (int32_t i = 1; i <= k; i++)
        sum += log((double)(n - k + i) / i);
    return sum;
}

// P(X >= k) of n draws with probability p <= k / n, so that the terms decrease from the
// first on, and terms that underflow do not matter.
static double upper_tail(int32_t n, int32_t k, double p, double log_ways)
{
    double term = exp(log_ways + k * log(p) + (n - k) * log1p(-p));
    double sum = 0.0;
    for (int32_t i = k; i <= n && term > 1e-18 * sum; i++) {
        sum += term;
        term *= (double)(n - i) / (i + 1) * (p / (1.0 - p));
    }
    return sum;
}

static double lower_end(int32_t n_right, int32_t n)
{
    enum { MOST_STEPS = 200 };
    const double log_ways = log_choose(n, n_right);
    double low = 0.0;
    double high = (double)n_right / n; // here the tail is about a half, or 1
    if (n_right == 0)
        return 0.0;
    if (n_right == n)
        return pow(0.025, 1.0 / n); // the tail is p^n
    for (int step = 0; step < MOST_STEPS; step++) {
        const double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high)
            break;
        if (upper_tail(n, n_right, middle, log_ways) < 0.025)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void opn_i_proportion_interval(int32_t n_right, int32_t n, double *low, double *high)
{
    *low = lower_end(n_right, n);
    *high = 1.0 - lower_end(n - n_right, n); // by symmetry, from the other draws
}
