// optimiser.h -- how weights follow their gradient: Adam.

#ifndef OPN_OPTIMISER_H
#define OPN_OPTIMISER_H

#include "math/exec.h"

typedef struct opn_i_optimiser_options {
    double learning_rate;
    double weight_decay; // factor of half the squared norm of the weights that decay
} opn_i_optimiser_options;

// Numbers kept for each weight from step to step, 0 before the first. A checkpoint holds
// them beside the weights.
enum { OPN_OPTIMISER_BLOCKS = 2 };

typedef struct opn_i_optimiser {
    size_t n_weights, n_decayed; // multiples of OPN_LANES; weights that decay come first
    opn_real *mean;              // of the gradient
    opn_real *square;            // of the gradient
} opn_i_optimiser;

// Keeps its numbers in `room`, which is borrowed, of OPN_OPTIMISER_BLOCKS times
// n_weights.
opn_i_optimiser opn_i_optimiser_view(size_t n_weights, size_t n_decayed, opn_real *room);

// The step that follows n_done others. d_weights is without the gradient of the decay.
void opn_i_optimiser_step(const opn_i_exec *exec,
                          const opn_i_optimiser *optimiser,
                          const opn_i_optimiser_options *options,
                          int32_t n_done,
                          const opn_real *d_weights,
                          opn_real *weights);

#endif // OPN_OPTIMISER_H
