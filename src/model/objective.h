// objective.h -- what a network is trained to minimise: heads and losses.

#ifndef OPN_OBJECTIVE_H
#define OPN_OBJECTIVE_H

#include "math/exec.h"

// How logits become evidence e, and alpha = e + 1.
typedef enum opn_i_evidence_kind {
    OPN_EVIDENCE_EXP = 0,
    OPN_EVIDENCE_RELU = 1,
    OPN_EVIDENCE_SOFTPLUS = 2,
    OPN_EVIDENCE_ELU = 3 // e = elu(z) in training, exp(elu(z)) afterwards
} opn_i_evidence_kind;

typedef enum opn_i_loss_kind {
    OPN_LOSS_CROSS_ENTROPY = 0, // of softmax(z)
    OPN_LOSS_SQUARED = 1,       // expected squared error of Dir(alpha)
    OPN_LOSS_DIRICHLET = 2      // KL[Dir(alpha) || Dir(50 y + 1.1)]
} opn_i_loss_kind;

// More classes than this are refused: rows of that length are kept on the stack.
enum { OPN_MAX_CLASSES = 4096 };

// exp(z) is exp(min(z, this)): far beyond any logit of a healthy run, far from overflow.
#define OPN_MAX_LOGIT ((opn_real)60)

typedef struct opn_i_objective {
    opn_i_loss_kind loss;
    opn_i_evidence_kind evidence;
    int32_t n_nodes, n_classes, width;
    const int32_t *target;       // [V] class of each training node, -1 for others
    int32_t n_train;             // of them
    const opn_real *prior;       // [V,K] alpha_hat, or NULL
    const opn_real *prior_sum;   // [V]
    double lambda1;              // of the prior's term
    const opn_real *log_teacher; // [V,K] ln p_hat, or NULL
    double teacher_epochs;       // lambda2 = min(1, epoch / teacher_epochs)
} opn_i_objective;

// d_z of the loss of that epoch, without the weights' decay. Adds to *n_bounded how many
// logits were above OPN_MAX_LOGIT.
void opn_i_objective_gradient(const opn_i_exec *exec,
                              const opn_i_objective *objective,
                              int32_t epoch,
                              const opn_real *z,
                              opn_real *d_z,
                              int64_t *n_bounded);

// The terms of the loss with their factors; their sum is what is minimised.
typedef struct opn_i_loss_terms {
    double supervised;
    double prior;
    double teacher;
    double decay;
} opn_i_loss_terms;

// All but decay. Cost: O(V K), with logarithms: for reports, not for every epoch.
opn_i_loss_terms
opn_i_objective_terms(const opn_i_objective *objective, int32_t epoch, const opn_real *z);

// Mean supervised term and accuracy over n_nodes other targets, for validation.
double opn_i_objective_supervised(const opn_i_objective *objective,
                                  int32_t n_nodes,
                                  const int32_t *target,
                                  const opn_real *z,
                                  double *accuracy);

// alpha [K] of one node's logits, as inference sees it; a softmax head has none.
void opn_i_alpha_row(opn_i_evidence_kind kind,
                     int32_t n_classes,
                     const opn_real *z,
                     opn_real *alpha);

// p = softmax(z) or its logarithm.
void opn_i_softmax_row(int32_t n_classes, const opn_real *z, opn_real *p);
void opn_i_log_softmax_row(int32_t n_classes, const opn_real *z, opn_real *log_p);

#endif // OPN_OBJECTIVE_H
