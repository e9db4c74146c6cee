// attention_avx2.c -- the attention kernels.

#include "math/avx2/avx2.h"

#ifdef OPN_HAS_AVX2

#    include "math/simd/attention_kernels.h"

const opn_k_attention_table opn_k_attention_avx2 = ATTENTION_KERNELS;

#endif
