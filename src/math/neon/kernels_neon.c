// kernels_neon.c -- the kernel table for 64-bit ARM.

#include "math/neon/neon.h"

#ifdef OPN_HAS_NEON

const opn_k_table *opn_k_table_neon(void)
{
    static const opn_k_table table = {
            "neon",
            opn_k_neon_philox,
            opn_k_neon_keep,
            opn_k_neon_compact,
            opn_k_neon_count,
            opn_k_neon_spread,
            opn_k_neon_transpose,
            opn_k_neon_spmm,
            opn_k_neon_scatter,
            opn_k_neon_lookup,
            opn_k_neon_matmul,
            opn_k_neon_matmul_tn,
            opn_k_neon_mask,
            opn_k_neon_adam,
            opn_k_neon_exp_evidence_gradient,
            opn_k_neon_add_moments,
            &opn_k_attention_neon,
            &opn_k_embedding_neon,
    };
    return &table;
}

#else

const opn_k_table *opn_k_table_neon(void)
{
    return NULL;
}

#endif
