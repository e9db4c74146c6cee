// measures.c -- opinions about one node.

#include "opinion/measures.h"

#include <math.h>

static double sum_of(int32_t n, const double *x)
{
    double sum = 0.0;
    for (int32_t k = 0; k < n; k++)
        sum += x[k];
    return sum;
}

double opn_i_vacuity(int32_t n_classes, const double *alpha)
{
    return n_classes / sum_of(n_classes, alpha);
}

double opn_i_dissonance(int32_t n_classes, const double *alpha)
{
    const double strength = sum_of(n_classes, alpha);
    const double evidence = strength - n_classes;
    double dissonance = 0.0;
    for (int32_t k = 0; k < n_classes; k++) {
        const double own = alpha[k] - 1.0;
        double others = 0.0;
        double balance = 0.0;
        for (int32_t j = 0; j < n_classes; j++) {
            const double other = alpha[j] - 1.0;
            if (j == k || other <= 0.0)
                continue;
            others += other;
            // Bal(a, b) = 2 min(a, b) / (a + b)
            balance += other * 2.0 * (own < other ? own : other) / (own + other);
        }
        if (own > 0.0 && others > 0.0)
            dissonance += own / strength * balance / others;
    }
    return evidence > 0.0 ? dissonance : 0.0;
}

double opn_i_entropy(int32_t n_classes, const double *p)
{
    double sum = 0.0;
    for (int32_t k = 0; k < n_classes; k++)
        if (p[k] > 0.0)
            sum -= p[k] * log(p[k]);
    return n_classes > 1 ? sum / log(n_classes) : 0.0;
}

// digamma, always in double: shifts the argument up to 12, then Stirling's series.
static double digamma_of(double x)
{
    double climbed = 0.0;
    while (x < 12.0) {
        climbed += 1.0 / x;
        x += 1.0;
    }
    const double t = 1.0 / (x * x);
    const double tail =
            t *
            (1.0 / 12 - t * (1.0 / 120 - t * (1.0 / 252 - t * (1.0 / 240 - t / 132))));
    return log(x) - 0.5 / x - tail - climbed;
}

double opn_i_expected_entropy(int32_t n_classes, const double *alpha)
{
    const double strength = sum_of(n_classes, alpha);
    const double whole = digamma_of(strength + 1.0);
    double sum = 0.0;
    for (int32_t k = 0; k < n_classes; k++)
        sum -= alpha[k] / strength * (digamma_of(alpha[k] + 1.0) - whole);
    return n_classes > 1 ? sum / log(n_classes) : 0.0;
}

double opn_i_mutual_information(int32_t n_classes, const double *alpha)
{
    const double strength = sum_of(n_classes, alpha);
    const double whole = digamma_of(strength + 1.0);
    double sum = 0.0;
    for (int32_t k = 0; k < n_classes; k++) {
        const double p = alpha[k] / strength;
        sum -= p * (log(p) - digamma_of(alpha[k] + 1.0) + whole);
    }
    return n_classes > 1 && sum > 0.0 ? sum / log(n_classes) : 0.0;
}
