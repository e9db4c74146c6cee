// baseline.h -- what simple methods reach on a split, to be shown beside a trained model.

#ifndef OPN_BASELINE_H
#define OPN_BASELINE_H

#include "graph/feature_store.h"

// A model that does not beat these has learnt nothing from the edges, or nothing at all.
// NaN if there is no validation node.
typedef struct opn_i_baseline_score {
    double majority; // share of the validation nodes in the commonest training class
    double accuracy; // share that logistic regression on the features alone gets right
    double nll;      // its mean -ln p of the true class; infinite if no training node is
                     // of the class of some validation node
} opn_i_baseline_score;

// The share of the validation nodes in the commonest training class, the first of equals;
// NaN without validation nodes. Arrays as for the next function. Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_majority_share(opn_ctx *ctx,
                                              opn_vid n_nodes,
                                              int32_t n_classes,
                                              const int32_t *train,
                                              const int32_t *check,
                                              double *out);

// Fits a multinomial logistic regression to the training nodes and scores it on the
// validation nodes: the least
//     sum_i -ln softmax(x_i W + b)[y_i] + 1/2 ||W||^2
// over the classes that occur in training, as LogisticRegression(C=1) of scikit-learn has
// it, two classes included: there its ||W||^2 is that of the difference of both columns.
//
// features  [V,F], of about unit scale: rows of Euclidean norm 1, or standardised. On a
//           smaller scale the penalty dominates, and little is learnt
// train     [V] class in [0, n_classes), -1 where the node does not train; one must
// check     [V] the same for validation nodes
//
// Deterministic, on one thread. Errors: NOMEM, OVERFLOW, INTERRUPTED. Cost: at most 300
// steps of O(entries K), 0.2 s for Photo; memory 17 F K doubles.
OPN_NODISCARD opn_status opn_i_baseline(opn_ctx *ctx,
                                        const opn_i_features *features,
                                        int32_t n_classes,
                                        const int32_t *train,
                                        const int32_t *check,
                                        opn_i_baseline_score *out);

// ---- parts, for tests ----------------------------------------------------------------

typedef struct opn_i_logistic {
    const opn_i_features *features; // [V,F]
    int32_t n_classes;              // K, each of a training node
    const int32_t *target;          // [V] -1 where the node does not train
    double *logit;                  // [K] scratch
} opn_i_logistic;

// The function above of w [F+1,K], whose last row is b; its gradient is written to d_w.
// An opn_i_smooth.
double opn_i_logistic_loss(const void *logistic, const double *w, double *d_w);

#endif // OPN_BASELINE_H
