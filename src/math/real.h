// real.h -- the floating-point type of all arithmetic.

#ifndef OPN_REAL_H
#define OPN_REAL_H

// Internal only, so that the double build of the tests does not change the public ABI.
#ifdef OPN_REAL_DOUBLE // test build: finite differences need the extra digits
typedef double opn_real;
#else
typedef float opn_real;
#endif

#endif // OPN_REAL_H
