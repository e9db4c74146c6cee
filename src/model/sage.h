// sage.h -- GraphSAGE with means as an encoder.
//
//   hidden = ReLU(x W_self + M x W_near + b0),  x = drop(X),  M = D^-1 A
//   z = the same of drop(hidden) with other weights, and without the ReLU
//
// W_self and W_near are side by side in one matrix, so that x is multiplied once.

#ifndef OPN_SAGE_H
#define OPN_SAGE_H

#include "model/network.h"

typedef struct opn_i_sage_layers {
    int32_t half;       // columns of one part of X W0
    opn_real *p;        // [V,2H] X W0 in panels, and on the way back its gradient
    opn_real *hidden;   // [V,H] in panels
    opn_real *d_hidden; // [V,2H] of which [V,H] are its gradient in panels; until the
                        // way back X W0 with nothing dropped
    opn_real *q;        // [V,2K] hidden W1, and on the way back its gradient
    opn_real *d_near;   // [V,K] the half of it that comes from neighbours
} opn_i_sage_layers;

#endif // OPN_SAGE_H
