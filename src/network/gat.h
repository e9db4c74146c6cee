// gat.h -- graph attention as an encoder.
//
//   hidden = ELU(attention(drop(X) W0) + b0), its heads concatenated
//   z = attention(drop(hidden) W1) + b1, averaged over its heads

#ifndef OPN_GAT_H
#define OPN_GAT_H

#include "network/attention.h"

typedef struct opn_i_gat_layers {
    opn_i_attention first, second;
    opn_real *hidden; // [V,H] in panels
} opn_i_gat_layers;

#endif // OPN_GAT_H
