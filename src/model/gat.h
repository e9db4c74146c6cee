// gat.h -- graph attention as an encoder.
//
//   hidden = ELU(attention(drop(X) W0) + b0), its heads side by side
//   z = attention(drop(hidden) W1) + b1, the mean of its heads

#ifndef OPN_GAT_H
#define OPN_GAT_H

#include "model/attention.h"

typedef struct opn_i_gat_layers {
    opn_i_attention first, second;
    uint64_t *keep_hidden; // a byte for each vector of hidden
    opn_real *arena;       // the rest
    opn_real *hidden;      // [V,H] in panels
    opn_real *w1_turned;   // W1 transposed
    opn_real *partial;     // OPN_SUM_BLOCKS times W1
} opn_i_gat_layers;

#endif // OPN_GAT_H
