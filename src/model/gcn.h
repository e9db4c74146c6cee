// gcn.h -- the graph convolution as an encoder.
//
//   z = A^ . drop(ReLU(A^ . drop(X) . W0)) . W1,  A^ = D^-1/2 (A + I) D^-1/2

#ifndef OPN_GCN_H
#define OPN_GCN_H

#include "model/network.h"

// What its passes leave; matrices of hidden units are in panels.
typedef struct opn_i_gcn_layers {
    opn_real *p;        // [V,H] X W0, and on the way back its gradient
    opn_real *hidden;   // [V,H]
    opn_real *d_hidden; // [V,H]; until the way back X W0 with nothing dropped
    opn_real *q;        // [V,K] hidden W1, and on the way back its gradient
} opn_i_gcn_layers;

#endif // OPN_GCN_H
