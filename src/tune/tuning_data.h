// tuning_data.h -- the implementation of opn_tuning.

#ifndef OPN_TUNING_DATA_H
#define OPN_TUNING_DATA_H

#include "base/names.h"
#include "opine/tune.h"

typedef struct opn_i_setting {
    opn_params *params; // all parameters of a trial
} opn_i_setting;

struct opn_tuning {
    opn_alloc alloc;
    char *dataset;
    char data_hash[65];
    int n_threads;
    int32_t n_trials, n_seeds;
    int32_t n_first_seeds;  // seeds that every trial runs on
    int32_t n_finalists;    // trials that run on all seeds, including the default
    opn_i_setting *setting; // [n_trials]
    opn_trial_run *run;     // [n_trials, n_seeds]
    int32_t *ranked;        // [n_trials] best first
    int32_t n_validation;   // nodes scored on the first seed
    bool is_halved;         // the other half of the validation nodes stops training
    int32_t score;          // of OPN_N_SCORES, used to rank the nodes
    opn_i_names held_out;   // classes, in turn; empty for misclassification
    // The best trial's objective minus that of the default, paired by seed, and Student's
    // 95 % interval of it.
    double difference, low, high;
    int32_t recommended;
    int32_t n_needed_seeds; // to tell the best trial from the default; 0: enough
    char *command;
};

// Mean and interval over the seeds that a trial ran on.
typedef enum opn_i_trial_figure {
    OPN_TRIAL_OBJECTIVE = 0,
    OPN_TRIAL_ACCURACY = 1,
    OPN_TRIAL_DETECTION = 2,
    OPN_TRIAL_SECONDS = 3
} opn_i_trial_figure;

opn_estimate
opn_i_trial_estimate(const opn_tuning *tuning, int32_t t, opn_i_trial_figure figure);

#endif // OPN_TUNING_DATA_H
