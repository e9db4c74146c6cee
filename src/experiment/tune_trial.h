// tune_trial.h -- one trial on one seed: trained and scored without any test node.

#ifndef OPN_TUNE_TRIAL_H
#define OPN_TUNE_TRIAL_H

#include "model/model_data.h"
#include "opine/tune.h"

// Classes that take their turn as unknown ones: one alone is a matter of luck, and each
// costs a training.
enum { OPN_MOST_FOLDS = 3 };

typedef struct opn_i_trial {
    const opn_graph *graph;
    const opn_params *params;         // with the seed
    const opn_split *split;           // of that seed, before anything more is held out
    int32_t held_out[OPN_MOST_FOLDS]; // a known class each, or -1 for none
    int32_t n_folds;
    int32_t score; // what ranks the nodes
} opn_i_trial;

// The score of the task, smoothed if the parameters ask for smoothed measures; entropy
// where the model does not have it.
int32_t opn_i_trial_score(const opn_i_model_kind *kind, const opn_params *params);

// Half of the validation nodes of each class, by the seed and the larger half where they
// are odd, gets 1 in spared [V]: it scores the trial while the other half ends training.
// Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_trial_halve(opn_ctx *ctx,
                                           const opn_graph *graph,
                                           const opn_split *split,
                                           uint64_t seed,
                                           uint8_t *spared);

// Trains once for each class held out, and takes the means of what validation nodes say.
// With patience the validation nodes are halved, else training does not look at them and
// all of them score it. A loss that is not finite is an accuracy of 0 and no error.
OPN_NODISCARD opn_status opn_i_trial_run(opn_ctx *ctx,
                                         const opn_i_trial *trial,
                                         opn_trial_run *out);

// The figures of n nodes, as fractions. target [n] is the class that each should get, -1
// for one of a class held out. With is_ood `detection` is the AUROC of those among all
// nodes; else it is the share of nodes classified right among the i + 1 least uncertain,
// mean over all i. NaN where there is nothing to count. Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_trial_figures(opn_ctx *ctx,
                                             int32_t n,
                                             bool is_ood,
                                             const int32_t *target,
                                             const int32_t *predicted,
                                             const float *uncertainty,
                                             double *accuracy,
                                             double *detection);

// The mean of the two, or the one that is no NaN.
double opn_i_trial_objective(double accuracy, double detection);

#endif // OPN_TUNE_TRIAL_H
