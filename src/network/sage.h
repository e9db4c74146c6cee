// sage.h -- GraphSAGE with mean aggregation as an encoder.
//
//   hidden = ReLU(x W_self + M x W_near + b0),  x = drop(X),  M = D^-1 A
//   z = the same with drop(hidden) and other weights, and without the ReLU
//
// W_self and W_near are concatenated in one matrix, so that x is multiplied once.

#ifndef OPN_SAGE_H
#define OPN_SAGE_H

#include "network/network.h"

typedef struct opn_i_sage_layers {
    int32_t half;       // columns of one half of X W0
    opn_real *p;        // [V,2H] X W0; in the backward pass its gradient
    opn_real *hidden;   // [V,H]
    opn_real *d_hidden; // [V,2H], of which [V,H] is its gradient; until the backward pass
                        // X W0 with nothing dropped
    opn_real *q;        // [V,2K] hidden W1; in the backward pass its gradient
} opn_i_sage_layers;

#endif // OPN_SAGE_H
