// attention_neon.c -- the attention kernels.

#include "math/neon/neon.h"

#ifdef OPN_HAS_NEON

#    include "math/simd/attention_kernels.h"

const opn_k_attention_table opn_k_attention_neon = ATTENTION_KERNELS;

#endif
