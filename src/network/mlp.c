// mlp.c -- two layers without hops over the edges, on features or on features and links:
// a graph convolution whose hops stay where they are.
//
//   z = drop(ReLU(drop(X) . W0)) . W1
//
// A hop of one entry per row copies the rows; in training these are the labelled nodes
// alone. Without the hop of the logits an epoch on Cora takes 0.97 of the time, which is
// not worth code of its own.

#include "network/gcn.h"

#define LAYERS                                                                    \
    .edges = OPN_EDGES_NONE, .second = 1, .list_weights = opn_i_gcn_list_weights, \
    .init = opn_i_gcn_init, .forward = opn_i_gcn_forward, .backward = opn_i_gcn_backward

const opn_i_encoder opn_i_mlp_encoder = {LAYERS};

const opn_i_encoder opn_i_links_encoder = {LAYERS, .uses_links = true};
