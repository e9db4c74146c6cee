// conflict.c -- which classes the dissonance of an opinion comes from.

#include "opinion/conflict.h"

// Summed separately for each class: subtracting from the total would lose the digits of
// small evidence next to large.
void opn_i_conflict_others(int32_t n_classes, const double *alpha, double *others)
{
    for (int32_t k = 0; k < n_classes; k++) {
        others[k] = 0.0;
        for (int32_t j = 0; j < n_classes; j++)
            if (j != k)
                others[k] += alpha[j] - 1.0;
    }
}

double opn_i_conflict_part(int32_t n_classes,
                           const double *alpha,
                           const double *others,
                           int32_t j,
                           int32_t k)
{
    const double a = alpha[j] - 1.0;
    const double b = alpha[k] - 1.0;
    if (!(a > 0.0) || !(b > 0.0))
        return 0.0;
    // S = K + all evidence; Bal(a, b) = 2 min(a, b) / (a + b)
    const double strength = n_classes + others[j] + a;
    const double balance = 2.0 * (a < b ? a : b) / (a + b);
    return balance * (a / strength * (b / others[j]) + b / strength * (a / others[k]));
}
