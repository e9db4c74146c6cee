// gcn.h -- the graph convolution as an encoder.
//
//   z = A^ . drop(ReLU(A^ . drop(X) . W0)) . W1,  A^ = D^-1/2 (A + I) D^-1/2

#ifndef OPN_GCN_H
#define OPN_GCN_H

#include "model/network.h"

// Buffers of its passes; matrices of hidden units are in panels.
typedef struct opn_i_gcn_layers {
    opn_real *p;        // [V,H] X W0; in the backward pass its gradient
    opn_real *hidden;   // [V,H]
    opn_real *d_hidden; // [V,H]; until the backward pass X W0 with nothing dropped
    opn_real *q;        // [V,K] hidden W1; in the backward pass its gradient
} opn_i_gcn_layers;

#endif // OPN_GCN_H
