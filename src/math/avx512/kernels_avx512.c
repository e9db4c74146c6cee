// kernels_avx512.c -- the kernel table for CPUs with AVX-512.

#include "math/avx512/avx512.h"

#ifdef OPN_HAS_AVX512

const opn_k_table *opn_k_table_avx512(void)
{
    static const opn_k_table table = {
            "avx512",
            opn_k_avx512_philox,
            opn_k_avx512_keep,
            opn_k_avx512_compact,
            opn_k_avx2_count,
            opn_k_avx2_spread,
            opn_k_avx2_transpose,
            opn_k_avx512_spmm,
            opn_k_avx512_scatter,
            opn_k_avx512_lookup,
            opn_k_avx512_matmul,
            opn_k_avx512_matmul_tn,
            opn_k_avx512_mask,
            opn_k_avx512_adam,
            opn_k_avx512_exp_evidence_gradient,
            opn_k_avx512_add_moments,
            &opn_k_attention_avx2,
            &opn_k_embedding_avx2,
    };
    const bool is_known =
            __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    return is_known && opn_k_table_avx2() != NULL ? &table : NULL;
}

#else

const opn_k_table *opn_k_table_avx512(void)
{
    return NULL;
}

#endif
