// encoder_claims.h -- what must hold of a network whatever its encoder, for the tests of
// each.

#ifndef OPN_TEST_ENCODER_CLAIMS_H
#define OPN_TEST_ENCODER_CLAIMS_H

#include "support/sample_network.h"

// The first of the golden objectives of encoders is a cross-entropy, the second is that
// of s-bgcn-t-k with the decay of all weights.
enum { N_GOLDEN_OBJECTIVES = 2 };
opn_i_objective encoder_objective(const network *net, int which);
double encoder_decay(int which);

// The gradient of the loss and of the decay in net->d_weights, after a pass of that step.
void encoder_gradient(network *net,
                      const opn_i_objective *objective,
                      int32_t epoch,
                      opn_i_rates rates,
                      double decay);

// What is minimised, of the logits in flight.
double encoder_loss(const network *net,
                    const opn_i_objective *objective,
                    int32_t epoch,
                    double decay);

// Gradients are central differences in every weight, and 0 where no weight is.
void claim_differences(network *net, opn_i_rates rates);

// Losses of the second before each of n_steps steps of Adam, by 0.01 and with the masks
// as they are.
void claim_adam(
        network *net, int32_t epoch, opn_i_rates rates, int n_steps, const double *loss);

// Permuting the nodes permutes the logits.
void claim_permutation(network *net);

// Both ways have the same bits on any number of threads.
void claim_bits(network *net, opn_i_rates rates);

// Both tables of kernels give the same within a tolerance.
void claim_tables(network *net);

// Passes allocate nothing, and every allocation before them may fail.
void claim_memory(network *net);

// Bytes that a network takes beside graph and features.
size_t encoder_bytes(const network *net, const network_kind *kind);

#endif // OPN_TEST_ENCODER_CLAIMS_H
