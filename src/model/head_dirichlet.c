// head_dirichlet.c -- evidence that is to be that of a sharp Dirichlet, 50 y + 1.1.

#include "model/head.h"

#include "math/special.h"

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

// Both halves as in opn_k_evidence_row().
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
