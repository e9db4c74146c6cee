// head_softmax.c -- the softmax, with cross-entropy.

#include "model/head.h"

#include <math.h>

void opn_i_log_softmax_row(int32_t n_classes, const opn_real *z, opn_real *log_p)
{
    double top = (double)z[0];
    double sum = 0.0;
    for (int32_t k = 1; k < n_classes; k++)
        top = (double)z[k] > top ? (double)z[k] : top;
    for (int32_t k = 0; k < n_classes; k++)
        sum += exp((double)z[k] - top);
    for (int32_t k = 0; k < n_classes; k++)
        log_p[k] = (opn_real)((double)z[k] - top - log(sum));
}

void opn_i_softmax_row(int32_t n_classes, const opn_real *z, opn_real *p)
{
    opn_i_log_softmax_row(n_classes, z, p);
    for (int32_t k = 0; k < n_classes; k++)
        p[k] = (opn_real)exp((double)p[k]);
}

static double
cross_entropy(const opn_i_objective *objective, int32_t target, const opn_real *z)
{
    opn_real log_p[OPN_MAX_CLASSES];
    opn_i_log_softmax_row(objective->n_classes, z, log_p);
    return -(double)log_p[target];
}

static void cross_entropy_gradient(const opn_i_objective *objective,
                                   int32_t target,
                                   const opn_real *z,
                                   opn_real *d_z)
{
    opn_i_softmax_row(objective->n_classes, z, d_z);
    d_z[target] -= 1;
}

const opn_i_head opn_i_softmax_head = {
        .name = "softmax",
        .evidence = OPN_HEAD_HAS_NONE,
        .value = cross_entropy,
        .gradient = cross_entropy_gradient,
};
