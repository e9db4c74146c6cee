// tune.h -- search for better settings on validation nodes.

#ifndef OPINE_TUNE_H
#define OPINE_TUNE_H

#include "evaluate.h"
#include "metrics.h"
#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

// Trials on one graph, task and model. Trial 0 is the default: the given parameters and
// their preset. docs/tuning.md describes how the others are drawn and scored.
typedef struct opn_tuning opn_tuning;

// One trial on one seed, in percent. All NaN where the trial was not run on the seed.
typedef struct opn_trial_run {
    double objective; // the mean of the next two, or the one that exists
    double accuracy;  // of validation nodes; 0 if the loss diverged
    double detection; // misclassification: 100 - AURC; ood: AUROC of classes held out;
                      // NaN where there is none
    double seconds;   // wall-clock
} opn_trial_run;

// Draws `trials` settings of the parameters that are not given and affect the model,
// runs all of them on the first of `seeds` seeds and the best on all. Labels of nodes
// other than training and validation nodes are never read. Runs are distributed over
// the threads of ctx; results do not depend on their number.
//
// data    how the command that is recommended should name the graph; NULL for its name
// folder  where each run is kept as soon as it is done, in trials.jsonl, and where runs
//         that are there already are taken from; or NULL
//
// Errors: those of opn_model_train() and opn_model_predict(), save NONFINITE;
// INVALID_ARG (several models, fewer than two seeds, nothing left to search); SHAPE (no
// validation node, or fewer than three known classes for ood); READ, FORMAT and WRITE
// of the folder; INTERRUPTED (the runs so far are in the folder).
OPN_API OPN_NODISCARD opn_status opn_tune(opn_ctx *ctx,
                                          const opn_graph *graph,
                                          const opn_params *params,
                                          const char *data,
                                          const char *folder,
                                          opn_tuning **out);

// Does part `shard` of the runs of opn_tune(), as opn_evaluate_shard(): its part of the
// first round, and of the second if the first is complete by then, because the first
// decides what is in the second. Otherwise `has_more` is set: call it again when all
// shards are done, or leave the rest to opn_tune().
OPN_API OPN_NODISCARD opn_status opn_tune_shard(opn_ctx *ctx,
                                                const opn_graph *graph,
                                                const opn_params *params,
                                                const char *folder,
                                                opn_shard_summary *out);
OPN_API void opn_tuning_free(opn_tuning *tuning); // accepts NULL

OPN_API int32_t opn_tuning_n_trials(const opn_tuning *tuning);
OPN_API int32_t opn_tuning_n_seeds(const opn_tuning *tuning);

// All parameters of trial t, and its runs [n_seeds].
OPN_API const opn_params *opn_tuning_params(const opn_tuning *tuning, int32_t t);
OPN_API const opn_trial_run *opn_tuning_runs(const opn_tuning *tuning, int32_t t);

// The trial of that rank, 0 being the best: those run on all seeds first, by the mean of
// their objectives.
OPN_API int32_t opn_tuning_ranked(const opn_tuning *tuning, int32_t rank);

// The recommended trial: the best, or 0 if it is not significantly better than the
// default.
OPN_API int32_t opn_tuning_recommended(const opn_tuning *tuning);

// How many seeds would tell the best trial, which looks better than the default, from
// chance; 0 if they are enough, or if the gain is too small to matter.
OPN_API int32_t opn_tuning_needed_seeds(const opn_tuning *tuning);

// The command that trains a model with its parameters, or that tunes with more seeds
// where they are needed.
OPN_API const char *opn_tuning_command(const opn_tuning *tuning);

// Writes the best trials as a table of text, or all as JSON to a path that ends in .json;
// "-" is standard output, and "-.json" JSON there.
OPN_API OPN_NODISCARD opn_status opn_tuning_save(opn_ctx *ctx,
                                                 const opn_tuning *tuning,
                                                 const char *path);

#ifdef __cplusplus
}
#endif

#endif // OPINE_TUNE_H
