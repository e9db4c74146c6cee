// measures.h -- opinions about one node: belief, and five kinds of uncertainty.

#ifndef OPN_MEASURES_H
#define OPN_MEASURES_H

#include <stdint.h>

// All take alpha [K] of a Dirichlet, alpha >= 1, K >= 2; all are within [0, 1], entropies
// divided by ln K. In double throughout: differences of entropies are small.

// u = K / S
double opn_i_vacuity(int32_t n_classes, const double *alpha);

// sum_k b_k (sum_j b_j Bal(b_j, b_k)) / (sum_j b_j), j != k, with beliefs b = (alpha - 1)
// / S and Bal(a, b) = 1 - |a - b| / (a + b); 0 where fewer than two beliefs are positive.
// Cost: O(K^2).
double opn_i_dissonance(int32_t n_classes, const double *alpha);

// H(p) / ln K of probabilities p [K]
double opn_i_entropy(int32_t n_classes, const double *p);

// E[H(p)] / ln K over p ~ Dir(alpha): the part of the entropy due to noise (aleatoric)
double opn_i_expected_entropy(int32_t n_classes, const double *alpha);

// H(E[p]) - E[H(p)], over ln K: the part due to doubt about p (epistemic)
double opn_i_mutual_information(int32_t n_classes, const double *alpha);

#endif // OPN_MEASURES_H
