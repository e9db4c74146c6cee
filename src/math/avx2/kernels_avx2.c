// kernels_avx2.c -- the kernel table for CPUs with AVX2, FMA and BMI2.

#include "math/avx2/avx2.h"

#ifdef OPN_HAS_AVX2

const opn_k_table *opn_k_table_avx2(void)
{
    static const opn_k_table table = {
            "avx2",
            opn_k_avx2_philox,
            opn_k_avx2_keep,
            opn_k_avx2_compact,
            opn_k_avx2_count,
            opn_k_avx2_spread,
            opn_k_avx2_transpose,
            opn_k_avx2_spmm,
            opn_k_avx2_scatter,
            opn_k_avx2_lookup,
            opn_k_avx2_matmul,
            opn_k_avx2_matmul_tn,
            opn_k_avx2_mask,
            opn_k_avx2_adam,
            opn_k_avx2_exp_evidence_gradient,
            opn_k_avx2_add_moments,
            &opn_k_attention_avx2,
            &opn_k_embedding_avx2,
    };
    const bool is_known = __builtin_cpu_supports("avx2") &&
                          __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    return is_known ? &table : NULL;
}

#else

const opn_k_table *opn_k_table_avx2(void)
{
    return NULL;
}

#endif
