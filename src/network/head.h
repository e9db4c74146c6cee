// head.h -- heads: what a model's logits mean, and how far they are from the labels.
//
// docs/adding-a-model.md adds one.

#ifndef OPN_HEAD_H
#define OPN_HEAD_H

#include "network/objective.h"

typedef enum opn_i_head_evidence {
    OPN_HEAD_HAS_NONE = 0, // p = softmax(z), and no alpha
    OPN_HEAD_TAKES_EXP = 1,
    OPN_HEAD_TAKES_ANY = 2 // that opn_i_evidence_kind has
} opn_i_head_evidence;

struct opn_i_head {
    const char *name;
    opn_i_head_evidence evidence;
    bool has_closed_form; // alpha tells aleatoric and epistemic uncertainty, not samples
    // The loss of one training node.
    double (*value)(const opn_i_objective *objective, int32_t target, const opn_real *z);
    // Its gradient; d_z is 0 before.
    void (*gradient)(const opn_i_objective *objective,
                     int32_t target,
                     const opn_real *z,
                     opn_real *d_z);
    // Instead of `gradient`, for a head with a kernel: the mean over training nodes and
    // all other terms of nodes first … last - 1. Returns how many logits were above
    // OPN_MAX_LOGIT. Only such a head can have a prior and a teacher.
    int64_t (*kernel)(const opn_i_exec *exec,
                      const opn_i_objective *objective,
                      const opn_k_evidence *terms,
                      int32_t first,
                      int32_t last,
                      const opn_real *z,
                      opn_real *d_z);
};

// Cross-entropy of softmax(z).
extern const opn_i_head opn_i_softmax_head;

// Expected squared error of Dir(alpha).
extern const opn_i_head opn_i_squared_head;

// KL[Dir(alpha) || Dir(50 y + 1.1)], of the Dirichlet prior network.
extern const opn_i_head opn_i_dirichlet_head;

static inline bool opn_i_head_has_evidence(const opn_i_head *head)
{
    return head->evidence != OPN_HEAD_HAS_NONE;
}

// Adds the logits of a pass to the sums of nodes first … last - 1; they are used up.
void opn_i_head_add_moments(const opn_i_exec *exec,
                            const opn_i_head *head,
                            opn_i_evidence_kind evidence,
                            const opn_k_moments *sums,
                            int32_t first,
                            int32_t last,
                            opn_real *z);

// p = softmax(z) or its logarithm.
void opn_i_softmax_row(int32_t n_classes, const opn_real *z, opn_real *p);
void opn_i_log_softmax_row(int32_t n_classes, const opn_real *z, opn_real *log_p);

#endif // OPN_HEAD_H
