// conflict.h -- which classes the dissonance of an opinion comes from.

#ifndef OPN_CONFLICT_H
#define OPN_CONFLICT_H

#include <stdint.h>

// Dissonance is a sum over ordered pairs of classes, so it splits into parts of unordered
// pairs: b_j b_k Bal(b_j, b_k) (1 / sum of all but b_j + 1 / sum of all but b_k). The
// parts of all pairs j < k sum to opn_i_dissonance().

// others [K] = sum of alpha - 1 over all other classes, as input for the function below.
void opn_i_conflict_others(int32_t n_classes, const double *alpha, double *others);

// The part of classes j != k; 0 if one of them has no evidence.
double opn_i_conflict_part(int32_t n_classes,
                           const double *alpha,
                           const double *others,
                           int32_t j,
                           int32_t k);

#endif // OPN_CONFLICT_H
