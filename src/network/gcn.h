// gcn.h -- the graph convolution as an encoder.
//
//   z = A^ . drop(ReLU(A^ . drop(X) . W0)) . W1,  A^ = D^-1/2 (A + I) D^-1/2

#ifndef OPN_GCN_H
#define OPN_GCN_H

#include "network/network.h"

// Buffers of its passes.
typedef struct opn_i_gcn_layers {
    opn_real *p;        // [V,H] X W0; in the backward pass its gradient
    opn_real *hidden;   // [V,H]
    opn_real *d_hidden; // [V,H]; until the backward pass X W0 with nothing dropped
    opn_real *q;        // [V,K] hidden W1; in the backward pass its gradient
} opn_i_gcn_layers;

// Its parts, for encoders that differ in their edges or features alone.
int opn_i_gcn_list_weights(const opn_i_sizes *sizes, opn_i_weight list[OPN_MAX_WEIGHTS]);
OPN_NODISCARD opn_status opn_i_gcn_init(opn_ctx *ctx, opn_i_network *network);
void opn_i_gcn_forward(const opn_i_exec *exec,
                       opn_i_network *network,
                       const opn_real *weights,
                       bool with_backward);
void opn_i_gcn_backward(const opn_i_exec *exec,
                        opn_i_network *network,
                        const opn_real *weights,
                        opn_real *d_weights);

#endif // OPN_GCN_H
