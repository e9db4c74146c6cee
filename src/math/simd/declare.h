// declare.h -- the kernels of an instruction set; kernels.h says what each does.

#ifndef OPN_SIMD_DECLARE_H
#define OPN_SIMD_DECLARE_H

#include "math/kernels.h"

#define INLINE static inline __attribute__((always_inline))

// clang-format off
#define OPN_K_DECLARE_KERNELS(set) \
    opn_k_philox opn_k_##set##_philox; \
    opn_k_keep opn_k_##set##_keep; \
    opn_k_compact opn_k_##set##_compact; \
    opn_k_count opn_k_##set##_count; \
    opn_k_spread opn_k_##set##_spread; \
    opn_k_transpose opn_k_##set##_transpose; \
    opn_k_spmm opn_k_##set##_spmm; \
    opn_k_scatter opn_k_##set##_scatter; \
    opn_k_lookup opn_k_##set##_lookup; \
    opn_k_matmul opn_k_##set##_matmul; \
    opn_k_matmul_tn opn_k_##set##_matmul_tn; \
    opn_k_mask opn_k_##set##_mask; \
    opn_k_adam opn_k_##set##_adam; \
    opn_k_exp_evidence_gradient opn_k_##set##_exp_evidence_gradient; \
    opn_k_add_moments opn_k_##set##_add_moments; \
    extern const opn_k_attention_table opn_k_attention_##set; \
    extern const opn_k_embedding_table opn_k_embedding_##set;
// clang-format on

#endif // OPN_SIMD_DECLARE_H
