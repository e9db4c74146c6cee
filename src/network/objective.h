// objective.h -- the loss that training minimises.

#ifndef OPN_OBJECTIVE_H
#define OPN_OBJECTIVE_H

#include "math/exec.h"
#include "network/blocks.h"
#include "network/evidence.h"

// Largest number of classes accepted: rows of that length are kept on the stack.
enum { OPN_MAX_CLASSES = 4096 };

typedef struct opn_i_head opn_i_head; // head.h has them

typedef struct opn_i_objective {
    const opn_i_head *head;
    opn_i_evidence_kind evidence;
    int32_t n_nodes, n_classes, width;
    const int32_t *target;       // [V] class of each training node, -1 for others
    int32_t n_train;             // number of training nodes
    const opn_real *prior;       // [V,K] alpha_hat, or NULL
    const opn_real *prior_sum;   // [V]
    double lambda1;              // factor of the prior term
    const opn_real *log_teacher; // [V,K] ln p_hat, or NULL
    opn_i_blocks *blocks;        // of a divided graph, in whose order sums are; or NULL
    double teacher_epochs;       // lambda2 = min(1, epoch / teacher_epochs)
} opn_i_objective;

// d_z of the loss in that epoch, without weight decay. Adds to *n_bounded the number of
// logits above OPN_MAX_LOGIT.
void opn_i_objective_gradient(const opn_i_exec *exec,
                              const opn_i_objective *objective,
                              int32_t epoch,
                              const opn_real *z,
                              opn_real *d_z,
                              int64_t *n_bounded);

// The terms of the loss with their factors; training minimises their sum.
typedef struct opn_i_loss_terms {
    double supervised;
    double prior;
    double teacher;
    double unlabelled; // of unlabelled.h
    double decay;
} opn_i_loss_terms;

double opn_i_loss_sum(const opn_i_loss_terms *terms);

// All but unlabelled and decay. Cost: O(V K), with logarithms: for reports, not for every
// epoch.
opn_i_loss_terms
opn_i_objective_terms(const opn_i_objective *objective, int32_t epoch, const opn_real *z);

// The supervised term alone. Cost: O(V + training nodes K).
double opn_i_objective_labels(const opn_i_objective *objective, const opn_real *z);

// Mean supervised term and accuracy over n_nodes other targets, for validation.
double opn_i_objective_supervised(const opn_i_objective *objective,
                                  int32_t n_nodes,
                                  const int32_t *target,
                                  const opn_real *z,
                                  double *accuracy);

// Mean -ln p of the targets, p as predictions have it; NaN without targets.
double opn_i_objective_nll(const opn_i_objective *objective,
                           int32_t n_nodes,
                           const int32_t *target,
                           const opn_real *z);

#endif // OPN_OBJECTIVE_H
