// products_avx2.c -- products of sparse, binary and dense matrices on slices.

#include "math/avx2/avx2.h"

#ifdef OPN_HAS_AVX2

#    include "math/simd/products.h"

#endif
