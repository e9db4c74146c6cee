// products_neon.c -- products of sparse, binary and dense matrices on slices.

#include "math/neon/neon.h"

#ifdef OPN_HAS_NEON

#    include "math/simd/products.h"

#endif
