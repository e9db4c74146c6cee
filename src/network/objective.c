// objective.c -- the loss: the head's supervised term, and the terms of prior and
// teacher.

#include "network/head.h"

#include "math/special.h"

#include <math.h>
#include <string.h>

enum { NODES_A_CHUNK = 256 };

// ---- gradients -----------------------------------------------------------------------

// Nodes of all ranks.
static double count_nodes(const opn_i_objective *objective)
{
    return objective->n_nodes +
           (objective->blocks == NULL ? 0 : objective->blocks->n_others);
}

static double lambda2_at(const opn_i_objective *objective, int32_t epoch)
{
    const double ramp = epoch / objective->teacher_epochs;
    return ramp < 1.0 ? ramp : 1.0;
}

static opn_k_evidence kernel_terms(const opn_i_objective *objective, int32_t epoch)
{
    const double n_nodes = count_nodes(objective);
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

// What a sum is over: nodes, their classes or -1, and logits.
typedef struct rows {
    const opn_i_objective *objective;
    const int32_t *target;
    const opn_real *z;
} rows;

// Adds the terms of the nodes [first, last) to `sum`.
typedef void add_rows(const rows *of, int32_t first, int32_t last, double *sum);

static void sum_blocks(const rows *of, add_rows *add, int n_sums, double *sum)
{
    opn_i_blocks *blocks = of->objective->blocks;
    double part[OPN_MAX_RANKS * OPN_BLOCK_SUMS] = {0}; // as many as there are blocks
    for (int32_t b = 0; b < blocks->n; b++)
        add(of, blocks->start[b], blocks->start[b + 1],
            part + (size_t)b * (size_t)n_sums);
    opn_i_blocks_add(blocks, n_sums, part, sum);
}

// Sums n_sums terms over n_nodes nodes, of a divided graph block by block.
static void
sum_rows(const rows *of, int32_t n_nodes, add_rows *add, int n_sums, double *sum)
{
    memset(sum, 0, (size_t)n_sums * sizeof(*sum));
    if (of->objective->blocks != NULL)
        sum_blocks(of, add, n_sums, sum);
    else
        add(of, 0, n_nodes, sum);
}

static void add_labels(const rows *of, int32_t first, int32_t last, double *sum)
{
    const opn_i_objective *objective = of->objective;
    for (int32_t i = first; i < last; i++)
        if (of->target[i] >= 0)
            *sum += objective->head->value(objective, of->target[i],
                                           of->z + (size_t)i * (size_t)objective->width);
}

double opn_i_objective_labels(const opn_i_objective *objective, const opn_real *z)
{
    const rows of = {objective, objective->target, z};
    double sum = 0.0;
    sum_rows(&of, objective->n_nodes, add_labels, 1, &sum);
    return sum / objective->n_train;
}

enum { PRIOR, TEACHER, N_TERMS };

static void add_terms(const rows *of, int32_t first, int32_t last, double *sum)
{
    const opn_i_objective *objective = of->objective;
    const int32_t n = objective->n_classes;
    opn_real alpha[OPN_MAX_CLASSES];
    for (int32_t i = first; i < last; i++) {
        const size_t at = (size_t)i * (size_t)objective->width;
        opn_i_training_alpha_row(objective->evidence, n, of->z + at, alpha);
        if (objective->prior != NULL)
            sum[PRIOR] += opn_k_dirichlet_kl(n, alpha, objective->prior + at);
        if (objective->log_teacher != NULL)
            sum[TEACHER] += teacher_of(n, alpha, objective->log_teacher + at);
    }
}

opn_i_loss_terms
opn_i_objective_terms(const opn_i_objective *objective, int32_t epoch, const opn_real *z)
{
    const rows of = {objective, objective->target, z};
    const double n_nodes = count_nodes(objective);
    double sum[N_TERMS] = {0};
    opn_i_loss_terms terms = {.supervised = opn_i_objective_labels(objective, z)};
    if (objective->prior != NULL || objective->log_teacher != NULL)
        sum_rows(&of, objective->n_nodes, add_terms, N_TERMS, sum);
    terms.prior = sum[PRIOR] * (objective->lambda1 / n_nodes);
    terms.teacher = sum[TEACHER] * (lambda2_at(objective, epoch) / n_nodes);
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

enum { LOSS, RIGHT, COUNT, N_SCORES };

static void add_scores(const rows *of, int32_t first, int32_t last, double *sum)
{
    const opn_i_objective *objective = of->objective;
    for (int32_t i = first; i < last; i++) {
        const opn_real *row = of->z + (size_t)i * (size_t)objective->width;
        if (of->target[i] < 0)
            continue;
        sum[LOSS] += objective->head->value(objective, of->target[i], row);
        sum[RIGHT] += largest_of(objective->n_classes, row) == of->target[i];
        sum[COUNT] += 1.0;
    }
}

double opn_i_objective_supervised(const opn_i_objective *objective,
                                  int32_t n_nodes,
                                  const int32_t *target,
                                  const opn_real *z,
                                  double *accuracy)
{
    const rows of = {objective, target, z};
    double sum[N_SCORES];
    sum_rows(&of, n_nodes, add_scores, N_SCORES, sum);
    *accuracy = sum[COUNT] > 0.0 ? sum[RIGHT] / sum[COUNT] : 0.0;
    return sum[COUNT] > 0.0 ? sum[LOSS] / sum[COUNT] : 0.0;
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

enum { MINUS_LOG, LABELS, N_NLL };

static void add_nll(const rows *of, int32_t first, int32_t last, double *sum)
{
    for (int32_t i = first; i < last; i++) {
        if (of->target[i] < 0)
            continue;
        sum[MINUS_LOG] += minus_log_p(of->objective, of->target[i],
                                      of->z + (size_t)i * (size_t)of->objective->width);
        sum[LABELS] += 1.0;
    }
}

double opn_i_objective_nll(const opn_i_objective *objective,
                           int32_t n_nodes,
                           const int32_t *target,
                           const opn_real *z)
{
    const rows of = {objective, target, z};
    double sum[N_NLL];
    sum_rows(&of, n_nodes, add_nll, N_NLL, sum);
    return sum[LABELS] > 0.0 ? sum[MINUS_LOG] / sum[LABELS] : (double)NAN;
}
