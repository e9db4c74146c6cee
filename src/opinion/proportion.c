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

double opn_i_binomial_tail(int32_t n, int32_t k, double p)
{
    if (k <= 0)
        return 1.0;
    if (k >= n * p)
        return upper_tail(n, k, p, log_choose(n, k));
    const int32_t n_others = n - k + 1; // of the other kind, if X < k
    return 1.0 - upper_tail(n, n_others, 1.0 - p, log_choose(n, n_others));
}

double opn_i_proportion_low(int32_t n_right, int32_t n, double tail)
{
    enum { MOST_STEPS = 200 };
    const double log_ways = log_choose(n, n_right);
    double low = 0.0;
    double high = (double)n_right / n; // here the tail is about a half, or 1
    if (n_right == 0)
        return 0.0;
    if (n_right == n)
        return pow(tail, 1.0 / n); // the tail is p^n
    for (int step = 0; step < MOST_STEPS; step++) {
        const double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high)
            break;
        if (upper_tail(n, n_right, middle, log_ways) < tail)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void opn_i_proportion_interval(int32_t n_right, int32_t n, double *low, double *high)
{
    static const double tail = 0.025;
    *low = opn_i_proportion_low(n_right, n, tail);
    *high = 1.0 - opn_i_proportion_low(n - n_right, n,
                                       tail); // by symmetry, from the other draws
}
