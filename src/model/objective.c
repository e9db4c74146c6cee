// objective.c -- heads and losses, their gradients and values.

#include "model/objective.h"

#include "math/special.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Dir(50 y + 1.1), the target of the Dirichlet prior network.
static const opn_real sharp_hit = (opn_real)51.1;
static const opn_real sharp_miss = (opn_real)1.1;

enum { NODES_A_CHUNK = 256 };

// ---- heads ---------------------------------------------------------------------------

static opn_real exp_of(opn_real z)
{
    return (opn_real)exp((double)z);
}

static opn_real bounded(opn_real z)
{
    return z < OPN_MAX_LOGIT ? z : OPN_MAX_LOGIT;
}

// e and de/dz in training.
static void
evidence_of(opn_i_evidence_kind kind, opn_real z, opn_real *e, opn_real *slope)
{
    switch (kind) {
    case OPN_EVIDENCE_EXP:
        *e = exp_of(bounded(z));
        *slope = *e;
        return;
    case OPN_EVIDENCE_RELU:
        *e = z > 0 ? z : 0;
        *slope = z > 0 ? 1 : 0;
        return;
    case OPN_EVIDENCE_SOFTPLUS:
        // ln(1 + exp(z)) without the overflow of exp.
        *e = (opn_real)((z > 0 ? (double)z : 0.0) + log1p(exp(-fabs((double)z))));
        *slope = (opn_real)(1.0 / (1.0 + exp(-(double)z)));
        return;
    case OPN_EVIDENCE_ELU:
        *e = z > 0 ? z : (opn_real)expm1((double)z);
        *slope = z > 0 ? 1 : exp_of(z);
        return;
    }
}

void opn_i_alpha_row(opn_i_evidence_kind kind,
                     int32_t n_classes,
                     const opn_real *z,
                     opn_real *alpha)
{
    for (int32_t k = 0; k < n_classes; k++) {
        opn_real e = 0;
        opn_real slope = 0;
        evidence_of(kind, z[k], &e, &slope);
        alpha[k] = (kind == OPN_EVIDENCE_ELU ? exp_of(bounded(e)) : e) + 1;
    }
}

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
        p[k] = exp_of(p[k]);
}

// ---- gradients -----------------------------------------------------------------------

static double lambda2_at(const opn_i_objective *objective, int32_t epoch)
{
    const double ramp = epoch / objective->teacher_epochs;
    return ramp < 1.0 ? ramp : 1.0;
}

static opn_k_evidence kernel_loss(const opn_i_objective *objective, int32_t epoch)
{
    const double n_nodes = objective->n_nodes;
    return (opn_k_evidence){
            .n_classes = objective->n_classes,
            .width = objective->width,
            .prior = objective->prior,
            .prior_sum = objective->prior_sum,
            .log_teacher = objective->log_teacher,
            .target = objective->target,
            .target_weight = (opn_real)(1.0 / objective->n_train),
            .prior_weight = (opn_real)(objective->lambda1 / n_nodes),
            .teacher_weight = (opn_real)(lambda2_at(objective, epoch) /
                                         (n_nodes * objective->n_classes)),
            .max_logit = OPN_MAX_LOGIT,
    };
}

static void cross_entropy_row(const opn_i_objective *objective,
                              int32_t i,
                              const opn_real *z,
                              opn_real *d_z)
{
    const int32_t target = objective->target[i];
    if (target < 0)
        return;
    opn_i_softmax_row(objective->n_classes, z, d_z);
    d_z[target] -= 1;
    for (int32_t k = 0; k < objective->n_classes; k++)
        d_z[k] /= (opn_real)objective->n_train;
}

// KL[Dir(alpha) || Dir(sharp)] of a training node; both halves as in
// opn_k_evidence_row().
static void dirichlet_row(const opn_i_objective *objective,
                          int32_t i,
                          const opn_real *z,
                          opn_real *d_z)
{
    const int32_t n = objective->n_classes;
    const int32_t target = objective->target[i];
    opn_real strength = (opn_real)n;
    if (target < 0)
        return;
    for (int32_t k = 0; k < n; k++)
        strength += exp_of(bounded(z[k]));
    const opn_real sharp_sum = sharp_hit + (opn_real)(n - 1) * sharp_miss;
    const opn_real common = opn_k_kl_half(strength, sharp_sum);
    for (int32_t k = 0; k < n; k++) {
        const opn_real e = exp_of(bounded(z[k]));
        const opn_real own = opn_k_kl_half(e + 1, k == target ? sharp_hit : sharp_miss);
        d_z[k] = e * (own - common) / (opn_real)objective->n_train;
    }
}

static void other_evidence_row(const opn_i_objective *objective,
                               const opn_k_evidence *loss,
                               int32_t i,
                               const opn_real *z,
                               opn_real *d_z)
{
    opn_real e[OPN_MAX_CLASSES];
    opn_real slope[OPN_MAX_CLASSES];
    for (int32_t k = 0; k < objective->n_classes; k++)
        evidence_of(objective->evidence, z[k], &e[k], &slope[k]);
    opn_k_evidence_row(loss, i, e, slope, d_z);
}

static void gradient_chunk(const opn_i_exec *exec,
                           const opn_i_objective *objective,
                           const opn_k_evidence *loss,
                           int32_t first,
                           int32_t last,
                           const opn_real *z,
                           opn_real *d_z,
                           int64_t *n_bounded)
{
    const bool is_evidence = objective->loss == OPN_LOSS_SQUARED;
    if (is_evidence && objective->evidence == OPN_EVIDENCE_EXP) {
        *n_bounded += exec->kernels->exp_evidence_gradient(loss, first, last, z, d_z);
        return;
    }
    const size_t width = (size_t)objective->width;
    memset(d_z + (size_t)first * width, 0, (size_t)(last - first) * width * sizeof(*d_z));
    for (int32_t i = first; i < last; i++) {
        const opn_real *z_row = z + (size_t)i * width;
        opn_real *d_row = d_z + (size_t)i * width;
        if (is_evidence)
            other_evidence_row(objective, loss, i, z_row, d_row);
        else if (objective->loss == OPN_LOSS_DIRICHLET)
            dirichlet_row(objective, i, z_row, d_row);
        else
            cross_entropy_row(objective, i, z_row, d_row);
    }
}

void opn_i_objective_gradient(const opn_i_exec *exec,
                              const opn_i_objective *objective,
                              int32_t epoch,
                              const opn_real *z,
                              opn_real *d_z,
                              int64_t *n_bounded)
{
    const opn_k_evidence loss = kernel_loss(objective, epoch);
    const int32_t n_nodes = objective->n_nodes;
    const int n_threads =
            opn_i_exec_threads(exec, 16 * (int64_t)n_nodes * objective->width);
    int64_t n = 0;
    (void)n_threads; // unused when built without OpenMP
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1) \
        reduction(+ : n)
    for (int32_t first = 0; first < n_nodes; first += NODES_A_CHUNK) {
        const int32_t last =
                n_nodes - first < NODES_A_CHUNK ? n_nodes : first + NODES_A_CHUNK;
        gradient_chunk(exec, objective, &loss, first, last, z, d_z, &n);
    }
    *n_bounded += n;
}

// ---- values --------------------------------------------------------------------------

// KL[Dir(alpha) || Dir(prior)]. The terms of lgamma and digamma that grow with alpha
// cancel on paper, and are left out here, where they would cancel in the last digits
// only.
static double dirichlet_kl(int32_t n, const opn_real *alpha, const opn_real *prior)
{
    const double half_log_2pi = 0.91893853320467274178;
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

static double squared_error(int32_t n, const opn_real *alpha, int32_t target)
{
    double strength = 0.0;
    double sum = 0.0;
    for (int32_t k = 0; k < n; k++)
        strength += (double)alpha[k];
    for (int32_t k = 0; k < n; k++) {
        const double p = (double)alpha[k] / strength;
        const double miss = (k == target) - p;
        sum += miss * miss + p * (1.0 - p) / (strength + 1.0);
    }
    return sum;
}

static void
training_alpha(const opn_i_objective *objective, const opn_real *z, opn_real *alpha)
{
    for (int32_t k = 0; k < objective->n_classes; k++) {
        opn_real slope = 0;
        evidence_of(objective->evidence, z[k], &alpha[k], &slope);
        alpha[k] += 1;
    }
}

static double
supervised_of(const opn_i_objective *objective, int32_t target, const opn_real *z)
{
    const int32_t n = objective->n_classes;
    opn_real row[OPN_MAX_CLASSES];
    opn_real sharp[OPN_MAX_CLASSES];
    switch (objective->loss) {
    case OPN_LOSS_CROSS_ENTROPY:
        opn_i_log_softmax_row(n, z, row);
        return -(double)row[target];
    case OPN_LOSS_SQUARED:
        training_alpha(objective, z, row);
        return squared_error(n, row, target);
    case OPN_LOSS_DIRICHLET:
        training_alpha(objective, z, row);
        for (int32_t k = 0; k < n; k++)
            sharp[k] = k == target ? sharp_hit : sharp_miss;
        return dirichlet_kl(n, row, sharp);
    }
    return 0.0;
}

static double teacher_of(int32_t n, const opn_real *alpha, const opn_real *log_teacher)
{
    double strength = 0.0;
    double sum = 0.0;
    for (int32_t k = 0; k < n; k++)
        strength += (double)alpha[k];
    for (int32_t k = 0; k < n; k++) {
        const double p = (double)alpha[k] / strength;
        sum += p * (log(p) - (double)log_teacher[k]);
    }
    return sum / n;
}

opn_i_loss_terms
opn_i_objective_terms(const opn_i_objective *objective, int32_t epoch, const opn_real *z)
{
    opn_i_loss_terms terms = {0};
    opn_real alpha[OPN_MAX_CLASSES];
    const int32_t n = objective->n_classes;
    for (int32_t i = 0; i < objective->n_nodes; i++) {
        const size_t at = (size_t)i * (size_t)objective->width;
        if (objective->target[i] >= 0)
            terms.supervised += supervised_of(objective, objective->target[i], z + at);
        if (objective->prior == NULL && objective->log_teacher == NULL)
            continue;
        training_alpha(objective, z + at, alpha);
        if (objective->prior != NULL)
            terms.prior += dirichlet_kl(n, alpha, objective->prior + at);
        if (objective->log_teacher != NULL)
            terms.teacher += teacher_of(n, alpha, objective->log_teacher + at);
    }
    terms.supervised /= objective->n_train;
    terms.prior *= objective->lambda1 / objective->n_nodes;
    terms.teacher *= lambda2_at(objective, epoch) / objective->n_nodes;
    return terms;
}

static int32_t largest_of(int32_t n, const opn_real *z)
{
    int32_t best = 0;
    for (int32_t k = 1; k < n; k++)
        if (z[k] > z[best])
            best = k;
    return best;
}

double opn_i_objective_supervised(const opn_i_objective *objective,
                                  int32_t n_nodes,
                                  const int32_t *target,
                                  const opn_real *z,
                                  double *accuracy)
{
    double sum = 0.0;
    int64_t n = 0;
    int64_t n_right = 0;
    for (int32_t i = 0; i < n_nodes; i++) {
        const opn_real *row = z + (size_t)i * (size_t)objective->width;
        if (target[i] < 0)
            continue;
        sum += supervised_of(objective, target[i], row);
        n_right += largest_of(objective->n_classes, row) == target[i];
        n++;
    }
    *accuracy = n > 0 ? (double)n_right / (double)n : 0.0;
    return n > 0 ? sum / (double)n : 0.0;
}
