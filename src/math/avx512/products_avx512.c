// products_avx512.c -- products of sparse, binary and dense matrices on slices. Slices of
// eight columns, half a vector, go to the kernels for AVX2.

#include "math/avx512/avx512.h"

#ifdef OPN_HAS_AVX512

#    include "math/simd/products.h"

#endif
