// evidence.c -- conversion of logits to evidence.

#include "network/evidence.h"

#include <math.h>
#include <string.h>

static const char *const names[OPN_N_EVIDENCES] = {"exp", "relu", "softplus", "elu"};

const char *opn_i_evidence_name(opn_i_evidence_kind kind)
{
    return names[kind];
}

bool opn_i_evidence_parse(const char *text, opn_i_evidence_kind *kind)
{
    for (int k = 0; k < OPN_N_EVIDENCES; k++) {
        if (strcmp(names[k], text) == 0) {
            *kind = (opn_i_evidence_kind)k;
            return true;
        }
    }
    return false;
}

bool opn_i_evidence_is_signed(opn_i_evidence_kind kind)
{
    return kind == OPN_EVIDENCE_ELU;
}

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
        // ln(1 + exp(z)) without overflow in exp.
        *e = (opn_real)((z > 0 ? (double)z : 0.0) + log1p(exp(-fabs((double)z))));
        *slope = (opn_real)(1.0 / (1.0 + exp(-(double)z)));
        return;
    case OPN_EVIDENCE_ELU:
        *e = z > 0 ? z : (opn_real)expm1((double)z);
        *slope = z > 0 ? 1 : exp_of(z);
        return;
    }
}

void opn_i_evidence_row(opn_i_evidence_kind kind,
                        int32_t n_classes,
                        const opn_real *z,
                        opn_real *e,
                        opn_real *slope)
{
    for (int32_t k = 0; k < n_classes; k++)
        evidence_of(kind, z[k], &e[k], &slope[k]);
}

void opn_i_training_alpha_row(opn_i_evidence_kind kind,
                              int32_t n_classes,
                              const opn_real *z,
                              opn_real *alpha)
{
    for (int32_t k = 0; k < n_classes; k++) {
        opn_real slope = 0;
        evidence_of(kind, z[k], &alpha[k], &slope);
        alpha[k] += 1;
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

void opn_i_evidence_to_exp(opn_i_evidence_kind kind,
                           int32_t n_nodes,
                           int32_t n_classes,
                           int32_t width,
                           opn_real *z)
{
    if (kind == OPN_EVIDENCE_EXP)
        return;
    for (int32_t i = 0; i < n_nodes; i++) {
        opn_real *row = z + (size_t)i * (size_t)width;
        for (int32_t k = 0; k < n_classes; k++) {
            opn_real alpha = 0;
            opn_i_alpha_row(kind, 1, row + k, &alpha);
            // -87, which is finite, stands for no evidence.
            row[k] = alpha > 1 ? (opn_real)log((double)alpha - 1.0) : -87;
        }
    }
}
