// embedding_avx2.c -- the embedding kernels.

#include "math/avx2/avx2.h"

#ifdef OPN_HAS_AVX2

#    include "math/simd/embedding_kernels.h"

const opn_k_embedding_table opn_k_embedding_avx2 = EMBEDDING_KERNELS;

#endif
