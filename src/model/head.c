// head.c -- what heads have in common.

#include "model/head.h"

void opn_i_head_add_moments(const opn_i_exec *exec,
                            const opn_i_head *head,
                            opn_i_evidence_kind evidence,
                            const opn_k_moments *sums,
                            int32_t first,
                            int32_t last,
                            opn_real *z)
{
    opn_k_moments own = *sums;
    own.max_logit = OPN_MAX_LOGIT;
    own.is_softmax = !opn_i_head_has_evidence(head);
    if (own.is_softmax)
        own.alpha = NULL;
    else
        opn_i_evidence_to_exp(evidence, last - first, sums->n_classes, sums->width,
                              z + (size_t)first * (size_t)sums->width);
    exec->kernels->add_moments(&own, first, last, z);
}
