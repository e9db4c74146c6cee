// head.c -- the heads: softmax, evidence with the squared error, evidence of a sharp
// Dirichlet; and the moments of all.

#include "network/head.h"

#include "math/special.h"

#include <math.h>
#include <string.h>

// ---- softmax, with cross-entropy ------------------------------------------------------

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

// ---- evidence, with the expected squared error of its Dirichlet -----------------------

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

// ---- evidence fitted to a sharp Dirichlet, 50 y + 1.1 ---------------------------------

static const opn_real sharp_hit = (opn_real)51.1;
static const opn_real sharp_miss = (opn_real)1.1;

static double
sharp_kl(const opn_i_objective *objective, int32_t target, const opn_real *z)
{
    const int32_t n = objective->n_classes;
    opn_real alpha[OPN_MAX_CLASSES];
    opn_real sharp[OPN_MAX_CLASSES];
    opn_i_training_alpha_row(objective->evidence, n, z, alpha);
    for (int32_t k = 0; k < n; k++)
        sharp[k] = k == target ? sharp_hit : sharp_miss;
    return opn_k_dirichlet_kl(n, alpha, sharp);
}

// Both halves are as in opn_k_evidence_row().
static void sharp_kl_gradient(const opn_i_objective *objective,
                              int32_t target,
                              const opn_real *z,
                              opn_real *d_z)
{
    const int32_t n = objective->n_classes;
    opn_real e[OPN_MAX_CLASSES];
    opn_real slope[OPN_MAX_CLASSES];
    opn_real strength = (opn_real)n;
    opn_i_evidence_row(objective->evidence, n, z, e, slope);
    for (int32_t k = 0; k < n; k++)
        strength += e[k];
    const opn_real sharp_sum = sharp_hit + (opn_real)(n - 1) * sharp_miss;
    const opn_real common = opn_k_kl_half(strength, sharp_sum);
    for (int32_t k = 0; k < n; k++) {
        const opn_real own =
                opn_k_kl_half(e[k] + 1, k == target ? sharp_hit : sharp_miss);
        d_z[k] = slope[k] * (own - common);
    }
}

const opn_i_head opn_i_dirichlet_head = {
        .name = "dirichlet",
        .evidence = OPN_HEAD_TAKES_EXP,
        .has_closed_form = true,
        .value = sharp_kl,
        .gradient = sharp_kl_gradient,
};

// ---- moments --------------------------------------------------------------------------

void opn_i_head_add_moments(const opn_i_exec *exec,
                            const opn_i_head *head,
                            opn_i_evidence_kind evidence,
                            const opn_k_moments *sums,
                            int32_t first,
                            int32_t last,
                            opn_real *z)
{
    opn_k_moments own = *sums;
    own.max_logit = OPN_MAX_LOGIT;
    own.is_softmax = !opn_i_head_has_evidence(head);
    if (own.is_softmax)
        own.alpha = NULL;
    else
        opn_i_evidence_to_exp(evidence, last - first, sums->n_classes, sums->width,
                              z + (size_t)first * (size_t)sums->width);
    exec->kernels->add_moments(&own, first, last, z);
}
