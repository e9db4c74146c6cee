// evidence_avx2.c -- the optimiser, the gradient of the evidence loss and the moments.

#include "math/avx2/avx2.h"

#ifdef OPN_HAS_AVX2

#    include "math/simd/losses.h"

#endif
