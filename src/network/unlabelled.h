// unlabelled.h -- terms of the loss for nodes without a label, for any encoder and head.
//
//   vat            KL[p(X) || p(X + R)], R the shift of that length that changes p most
//                  (Miyato et al. 2018), by one step of power iteration
//   mean-teacher   sum over k (p_k - t_k)^2, t of weights averaged over the steps so far
//                  (Tarvainen and Valpola 2017)
//   pseudo-label   the head's loss with the class of the largest logit as the label (Lee
//                  2013)
//
// Each is a mean over the nodes that are not training nodes, times weight(t) = weight *
// min(1, t / ramp). p(X) and t are constants.

#ifndef OPN_UNLABELLED_H
#define OPN_UNLABELLED_H

#include "network/network.h"
#include "network/objective.h"

typedef enum opn_i_unlabelled_kind {
    OPN_UNLABELLED_NONE = 0,
    OPN_UNLABELLED_VAT = 1,
    OPN_UNLABELLED_MEAN_TEACHER = 2,
    OPN_UNLABELLED_PSEUDO_LABEL = 3
} opn_i_unlabelled_kind;

typedef struct opn_i_unlabelled_options {
    opn_i_unlabelled_kind kind;
    double weight;
    double ramp;         // epochs; 0: the whole weight at once
    double radius, step; // vat: lengths of R and of the step that finds its direction
    double decay;        // mean-teacher: of the averaged weights
    double noise;        // mean-teacher: standard deviation, added to features
    double threshold;    // pseudo-label: least probability of the class
    uint64_t seed;
} opn_i_unlabelled_options;

// Buffers, and what the passes of an epoch leave to each other.
typedef struct opn_i_unlabelled {
    opn_i_unlabelled_options options;
    int32_t n_unlabelled;
    opn_i_input_shift shift; // vat, and mean-teacher with noise
    opn_real *arena;         // with all that follows
    opn_real *belief;        // [V,K] p(X) or t
    opn_real *d_z;           // [V,K] pseudo-label: of the term
    opn_real *d_weights;     // vat: of the term
    int32_t *guess;          // [V] pseudo-label: class, or -1
} opn_i_unlabelled;

// The value of the parameter `unlabelled`; false if the text is unknown.
bool opn_i_unlabelled_parse(const char *text, opn_i_unlabelled_kind *kind);

// For the passes of a network and the nodes of an objective with target < 0.
OPN_NODISCARD opn_status opn_i_unlabelled_init(opn_ctx *ctx,
                                               const opn_i_unlabelled_options *options,
                                               const opn_i_network *network,
                                               const opn_i_objective *objective,
                                               opn_i_unlabelled *out);
void opn_i_unlabelled_deinit(const opn_alloc *alloc, opn_i_unlabelled *term);

// ---- an epoch, in this order ---------------------------------------------------------

// Before masks are drawn. Runs mean-teacher's pass, with the averaged weights and masks
// of its own, and makes vat record the pass that follows.
void opn_i_unlabelled_begin(const opn_i_exec *exec,
                            opn_i_unlabelled *term,
                            const opn_i_objective *objective,
                            opn_i_network *network,
                            const opn_real *average,
                            int32_t epoch,
                            opn_i_rates rates);

// After that pass. Adds the gradient of mean-teacher or pseudo-label to network->d_z.
void opn_i_unlabelled_add(const opn_i_exec *exec,
                          opn_i_unlabelled *term,
                          const opn_i_objective *objective,
                          opn_i_network *network,
                          int32_t epoch);

// After the backward pass. Runs vat's passes, and adds its gradient to d_weights.
void opn_i_unlabelled_perturb(const opn_i_exec *exec,
                              opn_i_unlabelled *term,
                              const opn_i_objective *objective,
                              opn_i_network *network,
                              const opn_real *weights,
                              int32_t epoch,
                              opn_i_rates rates,
                              opn_real *d_weights);

// The value of the term, times its weight, for the logits of the pass before: of mean
// teacher and pseudo-label after add(), of vat after perturb(). Cost: as
// opn_i_objective_terms().
double opn_i_unlabelled_value(const opn_i_unlabelled *term,
                              const opn_i_objective *objective,
                              int32_t epoch,
                              const opn_real *z);

// After the step. average = decay average + (1 - decay) weights; at first the weights
// have more say.
void opn_i_unlabelled_average(const opn_i_unlabelled *term,
                              int32_t epoch,
                              size_t n_weights,
                              const opn_real *weights,
                              opn_real *average);

#endif // OPN_UNLABELLED_H
