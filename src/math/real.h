// real.h -- the type all arithmetic uses.

#ifndef OPN_REAL_H
#define OPN_REAL_H

// Inside only, so that the double build of the tests never changes the public ABI.
#ifdef OPN_REAL_DOUBLE // test build: finite differences need the extra digits
typedef double opn_real;
#else
typedef float opn_real;
#endif

#endif // OPN_REAL_H
