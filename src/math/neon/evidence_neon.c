// evidence_neon.c -- the optimiser, the gradient of the evidence loss and the moments.

#include "math/neon/neon.h"

#ifdef OPN_HAS_NEON

#    include "math/simd/losses.h"

#endif
