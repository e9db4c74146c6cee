// head_squared.c -- evidence, with the expected squared error of its Dirichlet.

#include "model/head.h"

#include <string.h>

static double
squared_error(const opn_i_objective *objective, int32_t target, const opn_real *z)
{
    const int32_t n = objective->n_classes;
    opn_real alpha[OPN_MAX_CLASSES];
    double strength = 0.0;
    double sum = 0.0;
    opn_i_training_alpha_row(objective->evidence, n, z, alpha);
    for (int32_t k = 0; k < n; k++)
        strength += (double)alpha[k];
    for (int32_t k = 0; k < n; k++) {
        const double p = (double)alpha[k] / strength;
        const double miss = (k == target) - p;
        sum += miss * miss + p * (1.0 - p) / (strength + 1.0);
    }
    return sum;
}

static int64_t squared_kernel(const opn_i_exec *exec,
                              const opn_i_objective *objective,
                              const opn_k_evidence *terms,
                              int32_t first,
                              int32_t last,
                              const opn_real *z,
                              opn_real *d_z)
{
    const size_t width = (size_t)objective->width;
    opn_real e[OPN_MAX_CLASSES];
    opn_real slope[OPN_MAX_CLASSES];
    if (objective->evidence == OPN_EVIDENCE_EXP)
        return exec->kernels->exp_evidence_gradient(terms, first, last, z, d_z);
    memset(d_z + (size_t)first * width, 0, (size_t)(last - first) * width * sizeof(*d_z));
    for (int32_t i = first; i < last; i++) {
        const size_t at = (size_t)i * width;
        opn_i_evidence_row(objective->evidence, objective->n_classes, z + at, e, slope);
        opn_k_evidence_row(terms, i, e, slope, d_z + at);
    }
    return 0;
}

const opn_i_head opn_i_squared_head = {
        .name = "squared",
        .evidence = OPN_HEAD_TAKES_ANY,
        .value = squared_error,
        .kernel = squared_kernel,
};
