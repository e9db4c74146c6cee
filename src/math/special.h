// special.h -- gamma functions for x >= 1, and the halves of a Dirichlet's KL gradient.
//
// With y = 1/x:  trigamma(x) = y p,  p = 1 + y q;  digamma(x) = ln x - y r;
// lgamma(x) = (x - 1/2) ln x - x + ln(2 pi)/2 + y s. q, r and s are smooth on (0, 1], so
// that one polynomial covers every x in float; the double build uses Stirling's series.

#ifndef OPN_SPECIAL_H
#define OPN_SPECIAL_H

#include "math/real.h"

#include <stddef.h>
#include <stdint.h>

// q of trigamma, r of digamma and s of lgamma, for y in (0, 1].
opn_real opn_k_trigamma_q(opn_real y);
opn_real opn_k_digamma_r(opn_real y);
opn_real opn_k_lgamma_s(opn_real y);

opn_real opn_k_digamma(opn_real x);
opn_real opn_k_trigamma(opn_real x);
opn_real opn_k_lgamma(opn_real x);

// (x - x_hat) trigamma(x) - 1 for x, x_hat >= 1. Computed as y (q - x_hat p), which loses
// no digits where the first form is 1 - 1.
opn_real opn_k_kl_half(opn_real x, opn_real x_hat);

// The same over arrays; out may alias x.
void opn_k_digamma_n(size_t n, const opn_real *x, opn_real *out);
void opn_k_trigamma_n(size_t n, const opn_real *x, opn_real *out);
void opn_k_lgamma_n(size_t n, const opn_real *x, opn_real *out);
void opn_k_kl_half_n(size_t n, const opn_real *x, const opn_real *x_hat, opn_real *out);

// KL[Dir(alpha) || Dir(prior)] of n > 0 classes.
double opn_k_dirichlet_kl(int32_t n, const opn_real *alpha, const opn_real *prior);

#ifndef OPN_REAL_DOUBLE
// Coefficients of q, lowest first: a Chebyshev fit on [0, 1] with relative error 1.1e-8.
#    define OPN_TRIGAMMA_Q                                                        \
        4.999999946e-01f, 1.666678330e-01f, -4.221014158e-05f, -3.273338326e-02f, \
                -4.375684275e-03f, 4.214866284e-02f, -4.521170475e-02f,           \
                2.477047198e-02f, -7.107579143e-03f, 8.176636543e-04f
enum { OPN_TRIGAMMA_Q_TERMS = 10 };
#endif

#endif // OPN_SPECIAL_H
