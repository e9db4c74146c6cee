// evidence.h -- conversion of logits to evidence e, and alpha = e + 1.

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

// exp(z) is computed as exp(min(z, this)): far above any logit of a healthy run, far
// below overflow.
#define OPN_MAX_LOGIT ((opn_real)60)

// The value of the parameter `evidence`, and its parser; false if the text is unknown.
const char *opn_i_evidence_name(opn_i_evidence_kind kind);
bool opn_i_evidence_parse(const char *text, opn_i_evidence_kind *kind);

// Whether e can be below 0 in training, where it cannot be compared with a Dirichlet.
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

// Converts the logits of n_nodes nodes so that exp gives the alpha this kind has after
// training: kernels only know that evidence.
void opn_i_evidence_to_exp(opn_i_evidence_kind kind,
                           int32_t n_nodes,
                           int32_t n_classes,
                           int32_t width,
                           opn_real *z);

#endif // OPN_EVIDENCE_H
