// objective.c -- the loss: the head's supervised term, and the terms of prior and
// teacher.

#include "network/head.h"

#include "math/special.h"

#include <math.h>
#include <string.h>

enum { NODES_A_CHUNK = 256 };

// ---- gradients -----------------------------------------------------------------------

static double lambda2_at(const opn_i_objective *objective, int32_t epoch)
{
    const double ramp = epoch / objective->teacher_epochs;
    return ramp < 1.0 ? ramp : 1.0;
}

static opn_k_evidence kernel_terms(const opn_i_objective *objective, int32_t epoch)
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

// Gradient of the head's mean loss over the training nodes.
static void gradient_rows(const opn_i_objective *objective,
                          int32_t first,
                          int32_t last,
                          const opn_real *z,
                          opn_real *d_z)
{
    const size_t width = (size_t)objective->width;
    memset(d_z + (size_t)first * width, 0, (size_t)(last - first) * width * sizeof(*d_z));
    for (int32_t i = first; i < last; i++) {
        opn_real *d_row = d_z + (size_t)i * width;
        if (objective->target[i] < 0)
            continue;
        objective->head->gradient(objective, objective->target[i], z + (size_t)i * width,
                                  d_row);
        for (int32_t k = 0; k < objective->n_classes; k++)
            d_row[k] /= (opn_real)objective->n_train;
    }
}

void opn_i_objective_gradient(const opn_i_exec *exec,
                              const opn_i_objective *objective,
                              int32_t epoch,
                              const opn_real *z,
                              opn_real *d_z,
                              int64_t *n_bounded)
{
    const opn_k_evidence terms = kernel_terms(objective, epoch);
    const int32_t n_nodes = objective->n_nodes;
    const int64_t work = 16 * (int64_t)n_nodes * objective->width;
    const int n_threads = opn_i_exec_threads(exec, work);
    const int32_t n_tasks = (n_nodes + NODES_A_CHUNK - 1) / NODES_A_CHUNK;
    opn_i_part part = {0};
    int64_t n = 0;
    (void)n_threads; // unused when built without OpenMP
    while (opn_i_next_part(exec, work, n_tasks, &part)) {
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1) \
        reduction(+ : n)
        for (int32_t t = part.begin; t < part.end; t++) {
            const int32_t first = t * NODES_A_CHUNK;
            const int32_t last =
                    n_nodes - first < NODES_A_CHUNK ? n_nodes : first + NODES_A_CHUNK;
            if (objective->head->kernel == NULL)
                gradient_rows(objective, first, last, z, d_z);
            else
                n += objective->head->kernel(exec, objective, &terms, first, last, z,
                                             d_z);
        }
    }
    *n_bounded += n;
}

// ---- values --------------------------------------------------------------------------

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

double opn_i_loss_sum(const opn_i_loss_terms *terms)
{
    return terms->supervised + terms->prior + terms->teacher + terms->unlabelled +
           terms->decay;
}

double opn_i_objective_labels(const opn_i_objective *objective, const opn_real *z)
{
    double sum = 0.0;
    for (int32_t i = 0; i < objective->n_nodes; i++)
        if (objective->target[i] >= 0)
            sum += objective->head->value(objective, objective->target[i],
                                          z + (size_t)i * (size_t)objective->width);
    return sum / objective->n_train;
}

opn_i_loss_terms
opn_i_objective_terms(const opn_i_objective *objective, int32_t epoch, const opn_real *z)
{
    opn_i_loss_terms terms = {.supervised = opn_i_objective_labels(objective, z)};
    opn_real alpha[OPN_MAX_CLASSES];
    const int32_t n = objective->n_classes;
    const bool has_more = objective->prior != NULL || objective->log_teacher != NULL;
    for (int32_t i = 0; i < objective->n_nodes && has_more; i++) {
        const size_t at = (size_t)i * (size_t)objective->width;
        opn_i_training_alpha_row(objective->evidence, n, z + at, alpha);
        if (objective->prior != NULL)
            terms.prior += opn_k_dirichlet_kl(n, alpha, objective->prior + at);
        if (objective->log_teacher != NULL)
            terms.teacher += teacher_of(n, alpha, objective->log_teacher + at);
    }
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
        sum += objective->head->value(objective, target[i], row);
        n_right += largest_of(objective->n_classes, row) == target[i];
        n++;
    }
    *accuracy = n > 0 ? (double)n_right / (double)n : 0.0;
    return n > 0 ? sum / (double)n : 0.0;
}

// -ln p of a class: p = alpha / S, or a softmax.
static double minus_log_p(const opn_i_objective *objective, int32_t k, const opn_real *z)
{
    opn_real row[OPN_MAX_CLASSES];
    double strength = 0.0;
    if (!opn_i_head_has_evidence(objective->head)) {
        opn_i_log_softmax_row(objective->n_classes, z, row);
        return -(double)row[k];
    }
    opn_i_alpha_row(objective->evidence, objective->n_classes, z, row);
    for (int32_t l = 0; l < objective->n_classes; l++)
        strength += (double)row[l];
    return log(strength) - log((double)row[k]);
}

double opn_i_objective_nll(const opn_i_objective *objective,
                           int32_t n_nodes,
                           const int32_t *target,
                           const opn_real *z)
{
    double sum = 0.0;
    int64_t n = 0;
    for (int32_t i = 0; i < n_nodes; i++) {
        if (target[i] < 0)
            continue;
        sum += minus_log_p(objective, target[i],
                           z + (size_t)i * (size_t)objective->width);
        n++;
    }
    return n > 0 ? sum / (double)n : (double)NAN;
}
