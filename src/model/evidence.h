// evidence.h -- how logits become evidence e, and alpha = e + 1.

#ifndef OPN_EVIDENCE_H
#define OPN_EVIDENCE_H

#include "math/real.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum opn_i_evidence_kind {
    OPN_EVIDENCE_EXP = 0,
    OPN_EVIDENCE_RELU = 1,
    OPN_EVIDENCE_SOFTPLUS = 2,
    OPN_EVIDENCE_ELU = 3 // e = elu(z) in training, exp(elu(z)) afterwards
} opn_i_evidence_kind;
enum { OPN_N_EVIDENCES = 4 };

// exp(z) is exp(min(z, this)): far beyond any logit of a healthy run, far from overflow.
#define OPN_MAX_LOGIT ((opn_real)60)

// How the parameter evidence spells it, and back; false when there is none.
const char *opn_i_evidence_name(opn_i_evidence_kind kind);
bool opn_i_evidence_parse(const char *text, opn_i_evidence_kind *kind);

// Whether it goes below 0 in training, where nothing can be compared with a Dirichlet.
bool opn_i_evidence_is_signed(opn_i_evidence_kind kind);

// e and de/dz of the logits of one node, in training.
void opn_i_evidence_row(opn_i_evidence_kind kind,
                        int32_t n_classes,
                        const opn_real *z,
                        opn_real *e,
                        opn_real *slope);

// alpha of the logits of one node, in training and afterwards.
void opn_i_training_alpha_row(opn_i_evidence_kind kind,
                              int32_t n_classes,
                              const opn_real *z,
                              opn_real *alpha);
void opn_i_alpha_row(opn_i_evidence_kind kind,
                     int32_t n_classes,
                     const opn_real *z,
                     opn_real *alpha);

// Logits of n_nodes nodes, of which exp makes the alpha that this kind has afterwards:
// the evidence that kernels know.
void opn_i_evidence_to_exp(opn_i_evidence_kind kind,
                           int32_t n_nodes,
                           int32_t n_classes,
                           int32_t width,
                           opn_real *z);

#endif // OPN_EVIDENCE_H
