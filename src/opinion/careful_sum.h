// careful_sum.h -- a sum so nearly exact that the order of its terms has no effect.

#ifndef OPN_CAREFUL_SUM_H
#define OPN_CAREFUL_SUM_H

#include <math.h>

// A sum and its accumulated rounding error (Neumaier). Initialise to {0}.
typedef struct opn_i_sum {
    double sum;
    double lost;
} opn_i_sum;

static inline void opn_i_sum_add(opn_i_sum *s, double x)
{
    const double sum = s->sum + x;
    s->lost += fabs(s->sum) >= fabs(x) ? (s->sum - sum) + x : (x - sum) + s->sum;
    s->sum = sum;
}

static inline double opn_i_sum_total(const opn_i_sum *s)
{
    return s->sum + s->lost;
}

#endif // OPN_CAREFUL_SUM_H
