// encoder_claims.h -- properties that must hold for any encoder, for their tests.

#ifndef OPN_TEST_ENCODER_CLAIMS_H
#define OPN_TEST_ENCODER_CLAIMS_H

#include "support/sample_network.h"

// The first golden objective of encoders is a cross-entropy; the second is that of
// s-bgcn-t-k with decay of all weights.
enum { N_GOLDEN_OBJECTIVES = 2 };
opn_i_objective encoder_objective(const network *net, int which);
double encoder_decay(int which);

// The gradient of loss and decay in net->d_weights, after a pass of that step.
void encoder_gradient(network *net,
                      const opn_i_objective *objective,
                      int32_t epoch,
                      opn_i_rates rates,
                      double decay);

// The objective, computed from the current logits.
double encoder_loss(const network *net,
                    const opn_i_objective *objective,
                    int32_t epoch,
                    double decay);

// Gradients match central differences in every weight, and are 0 in the padding.
void claim_differences(network *net, opn_i_rates rates);

// Losses of the second objective before each of n_steps steps of Adam with rate 0.01 and
// fixed masks.
void claim_adam(
        network *net, int32_t epoch, opn_i_rates rates, int n_steps, const double *loss);

// Permuting the nodes permutes the logits.
void claim_permutation(network *net);

// Forward and backward passes are bitwise identical for any number of threads.
void claim_bits(network *net, opn_i_rates rates);

// Both kernel tables give the same results within a tolerance.
void claim_tables(network *net);

// Passes allocate nothing, and every allocation before them may fail.
void claim_memory(network *net);

// Bytes that a network takes besides graph and features.
size_t encoder_bytes(const network *net, const network_kind *kind);

#endif // OPN_TEST_ENCODER_CLAIMS_H
