// special.c -- gamma functions for x >= 1, and the KL divergence of Dirichlets.

#include "math/special.h"

#include <assert.h>
#include <math.h>

static const double half_log_2pi = 0.91893853320467274178;

#ifdef OPN_REAL_DOUBLE

// From here on the series below are exact to the last digit; smaller x use recurrence.
static const double series_from = 12.0;

static opn_real series_q(opn_real y) // for x >= series_from
{
    const opn_real t = y * y;
    return 0.5 + y * (1.0 / 6 +
                      t * (-1.0 / 30 +
                           t * (1.0 / 42 +
                                t * (-1.0 / 30 + t * (5.0 / 66 + t * (-691.0 / 2730 +
                                                                      t * (7.0 / 6)))))));
}

opn_real opn_k_trigamma_q(opn_real y)
{
    opn_real x = 1.0 / y;
    if (x >= series_from)
        return series_q(y);
    opn_real climbed = 0.0;
    opn_real at = x;
    while (at < series_from) {
        climbed += 1.0 / (at * at);
        at += 1.0;
    }
    const opn_real up = 1.0 / at;
    const opn_real trigamma = climbed + up * (1.0 + up * series_q(up));
    return x * (x * trigamma - 1.0);
}

opn_real opn_k_digamma_r(opn_real y)
{
    opn_real x = 1.0 / y;
    if (x < series_from) {
        opn_real climbed = 0.0;
        opn_real at = x;
        while (at < series_from) {
            climbed += 1.0 / at;
            at += 1.0;
        }
        const opn_real up = 1.0 / at;
        return x * (log(x) - (log(at) - up * opn_k_digamma_r(up) - climbed));
    }
    const opn_real t = y * y;
    return 0.5 + y * (1.0 / 12 -
                      t * (1.0 / 120 -
                           t * (1.0 / 252 -
                                t * (1.0 / 240 -
                                     t * (1.0 / 132 - t * (691.0 / 32760 - t / 12))))));
}

opn_real opn_k_lgamma_s(opn_real y)
{
    opn_real x = 1.0 / y;
    if (x < series_from) {
        opn_real climbed = 1.0;
        opn_real at = x;
        while (at < series_from) {
            climbed *= at;
            at += 1.0;
        }
        const opn_real up = 1.0 / at;
        // The difference of two Stirling formulas, in which the constants cancel exactly.
        return x * ((at - 0.5) * log(at) - (x - 0.5) * log(x) - (at - x) - log(climbed) +
                    up * opn_k_lgamma_s(up));
    }
    const opn_real t = y * y;
    return 1.0 / 12 - t * (1.0 / 360 -
                           t * (1.0 / 1260 -
                                t * (1.0 / 1680 -
                                     t * (1.0 / 1188 - t * (691.0 / 360360 - t / 156)))));
}

#else

// Horner's rule; the highest coefficient is last in the array.
static float polynomial(const float *coefficient, int n, float y)
{
    float sum = coefficient[n - 1];
    for (int k = n - 2; k >= 0; k--)
        sum = sum * y + coefficient[k];
    return sum;
}

opn_real opn_k_trigamma_q(opn_real y)
{
    static const float q[] = {OPN_TRIGAMMA_Q};
    return polynomial(q, OPN_TRIGAMMA_Q_TERMS, y);
}

opn_real opn_k_digamma_r(opn_real y)
{
    // Relative error of the fit 1.6e-9.
    static const float r[] = {4.999999992e-01f,  8.333350594e-02f,  -6.041041100e-06f,
                              -8.250789464e-03f, -5.745308922e-04f, 6.245428389e-03f,
                              -5.244245548e-03f, 1.975168063e-03f,  -2.250082071e-04f,
                              -3.782198711e-05f};
    return polynomial(r, 10, y);
}

opn_real opn_k_lgamma_s(opn_real y)
{
    // Relative error of the fit 7.5e-9.
    static const float s[] = {8.333333396e-02f,  -1.024880545e-07f, -2.775019727e-03f,
                              -2.822303329e-05f, 9.337165344e-04f,  -3.563773748e-04f,
                              -2.194040615e-04f, 2.359617408e-04f,  -6.241923872e-05f};
    return polynomial(s, 9, y);
}

#endif

// Both are summed in double: the terms of lgamma cancel near 1 and 2.
opn_real opn_k_digamma(opn_real x)
{
    const opn_real y = 1 / x;
    return (opn_real)(log((double)x) - (double)(y * opn_k_digamma_r(y)));
}

opn_real opn_k_lgamma(opn_real x)
{
    const opn_real y = 1 / x;
    const double at = (double)x;
    return (opn_real)((at - 0.5) * log(at) - at + half_log_2pi +
                      (double)(y * opn_k_lgamma_s(y)));
}

opn_real opn_k_trigamma(opn_real x)
{
    const opn_real y = 1 / x;
    return y * (1 + y * opn_k_trigamma_q(y));
}

opn_real opn_k_kl_half(opn_real x, opn_real x_hat)
{
    const opn_real y = 1 / x;
    const opn_real q = opn_k_trigamma_q(y);
    return y * (q - x_hat * (1 + y * q));
}

void opn_k_digamma_n(size_t n, const opn_real *x, opn_real *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = opn_k_digamma(x[i]);
}

void opn_k_trigamma_n(size_t n, const opn_real *x, opn_real *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = opn_k_trigamma(x[i]);
}

void opn_k_lgamma_n(size_t n, const opn_real *x, opn_real *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = opn_k_lgamma(x[i]);
}

void opn_k_kl_half_n(size_t n, const opn_real *x, const opn_real *x_hat, opn_real *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = opn_k_kl_half(x[i], x_hat[i]);
}

// The terms of lgamma and digamma that grow with alpha cancel analytically and are left
// out here; numerically they would cancel only up to rounding.
double opn_k_dirichlet_kl(int32_t n, const opn_real *alpha, const opn_real *prior)
{
    opn_real strength = 0;
    opn_real prior_sum = 0;
    assert(n > 0);
    for (int32_t k = 0; k < n; k++) {
        strength += alpha[k];
        prior_sum += prior[k];
    }
    const opn_real inverse = 1 / strength;
    const double digamma_sum = (double)opn_k_digamma(strength);
    double kl = -0.5 * log((double)strength) + half_log_2pi * (1 - n) +
                (double)(inverse * opn_k_lgamma_s(inverse) + opn_k_digamma_r(inverse)) -
                (double)opn_k_lgamma(prior_sum);
    for (int32_t k = 0; k < n; k++) {
        const opn_real y = 1 / alpha[k];
        kl += 0.5 * log((double)alpha[k]) -
              (double)(y * opn_k_lgamma_s(y) + opn_k_digamma_r(y)) +
              (double)opn_k_lgamma(prior[k]) -
              (double)prior[k] * ((double)opn_k_digamma(alpha[k]) - digamma_sum);
    }
    return kl;
}
