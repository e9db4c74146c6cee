// tune_trial.h -- trains and scores one trial on one seed, without any test node.

#ifndef OPN_TUNE_TRIAL_H
#define OPN_TUNE_TRIAL_H

#include "model/model_data.h"
#include "opine/tune.h"

// Classes that are held out in turn: the result for a single one would depend on luck,
// and each costs a training.
enum { OPN_MOST_FOLDS = 3 };

typedef struct opn_i_trial {
    const opn_graph *graph;
    const opn_params *params;         // with the seed
    const opn_split *split;           // of that seed, before holding out classes
    int32_t held_out[OPN_MOST_FOLDS]; // a known class each, or -1 for none
    int32_t n_folds;
    int32_t score; // used to rank the nodes
} opn_i_trial;

// The score of the task, smoothed if the parameters ask for smoothed measures; entropy if
// the model does not have it.
int32_t opn_i_trial_score(const opn_i_model_kind *kind, const opn_params *params);

// Sets spared [V] to 1 for half, drawn by the seed, of the validation nodes of each
// class, the larger half if their number is odd. These score the trial, and the others
// stop its training. Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_trial_halve(opn_ctx *ctx,
                                           const opn_graph *graph,
                                           const opn_split *split,
                                           uint64_t seed,
                                           uint8_t *spared);

// Trains once per held-out class and averages the figures of the validation nodes. With
// patience the validation nodes are halved; otherwise training does not use them and all
// of them score it. A non-finite loss gives an accuracy of 0 and no error.
OPN_NODISCARD opn_status opn_i_trial_run(opn_ctx *ctx,
                                         const opn_i_trial *trial,
                                         opn_trial_run *out);

// Figures of n nodes, as fractions. target [n] is the correct class of each, -1 for a
// held-out one. If is_ood, `detection` is the AUROC of those among all nodes; otherwise
// it is the share of nodes classified correctly among the i + 1 least uncertain, averaged
// over all i. NaN if there is nothing to count. Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_trial_figures(opn_ctx *ctx,
                                             int32_t n,
                                             bool is_ood,
                                             const int32_t *target,
                                             const int32_t *predicted,
                                             const float *uncertainty,
                                             double *accuracy,
                                             double *detection);

// The mean of the two, or the one that is not NaN.
double opn_i_trial_objective(double accuracy, double detection);

#endif // OPN_TUNE_TRIAL_H
