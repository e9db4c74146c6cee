// evidence_avx512.c -- the optimiser, the gradient of the evidence loss and the moments.

#include "math/avx512/avx512.h"

#ifdef OPN_HAS_AVX512

#    include "math/simd/losses.h"

#endif
