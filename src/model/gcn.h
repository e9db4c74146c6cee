// gcn.h -- the graph convolution as an encoder.
//
//   z = A^ . drop(ReLU(A^ . drop(X) . W0)) . W1,  A^ = D^-1/2 (A + I) D^-1/2

#ifndef OPN_GCN_H
#define OPN_GCN_H

#include "model/network.h"

// What its passes leave; matrices of hidden units are in panels.
typedef struct opn_i_gcn_layers {
    uint64_t *keep_hidden; // one bit for each element of hidden, as it is stored
    opn_real *arena;       // the rest
    opn_real *p;           // [V,H] X W0, and on the way back its gradient
    opn_real *hidden;      // [V,H]
    opn_real *d_hidden;    // [V,H]; until the way back X W0 with nothing dropped
    opn_real *q;           // [V,K] hidden W1, and on the way back its gradient
    opn_real *w1_turned;   // [K,H] W1 transposed
    opn_real *partial;     // OPN_SUM_BLOCKS times [H,K]
} opn_i_gcn_layers;

#endif // OPN_GCN_H
