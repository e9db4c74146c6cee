// embedding_neon.c -- the embedding kernels.

#include "math/neon/neon.h"

#ifdef OPN_HAS_NEON

#    include "math/simd/embedding_kernels.h"

const opn_k_embedding_table opn_k_embedding_neon = EMBEDDING_KERNELS;

#endif
