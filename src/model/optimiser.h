// optimiser.h -- the optimiser of the weights: Adam.

#ifndef OPN_OPTIMISER_H
#define OPN_OPTIMISER_H

#include "math/exec.h"

typedef struct opn_i_optimiser_options {
    double learning_rate;
    double weight_decay; // factor of half the squared norm of the decayed weights
} opn_i_optimiser_options;

// Numbers kept per weight between steps, 0 before the first. A checkpoint stores them
// with the weights.
enum { OPN_OPTIMISER_BLOCKS = 2 };

typedef struct opn_i_optimiser {
    size_t n_weights, n_decayed; // multiples of OPN_LANES; decayed weights come first
    opn_real *mean;              // of the gradient
    opn_real *square;            // of the gradient
} opn_i_optimiser;

// Keeps its state in `room`, which is borrowed, of OPN_OPTIMISER_BLOCKS times n_weights.
opn_i_optimiser opn_i_optimiser_view(size_t n_weights, size_t n_decayed, opn_real *room);

// The step after n_done others. d_weights does not include the gradient of weight decay.
void opn_i_optimiser_step(const opn_i_exec *exec,
                          const opn_i_optimiser *optimiser,
                          const opn_i_optimiser_options *options,
                          int32_t n_done,
                          const opn_real *d_weights,
                          opn_real *weights);

#endif // OPN_OPTIMISER_H
