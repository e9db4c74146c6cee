// evaluation_data.h -- what stands behind opn_evaluation.

#ifndef OPN_EVALUATION_DATA_H
#define OPN_EVALUATION_DATA_H

#include "base/names.h"
#include "opine/evaluate.h"

enum { OPN_MAX_SEEDS = 1000 }; // as the parameter seeds has it

struct opn_evaluation {
    opn_alloc alloc;
    char *dataset;
    opn_params *params; // as given, with what the preset fills in
    char data_hash[65];
    int n_threads;
    opn_i_names models; // n_models
    int32_t n_seeds;
    opn_cell *cell; // [n_models, n_seeds]
};

// Means over the seeds of what is no figure of quality. Seconds are NaN when a model was
// there already and took no time.
typedef struct opn_i_means {
    double n_pool, prevalence, n_epochs;
    opn_seconds seconds;
    double total_seconds;
} opn_i_means;

opn_i_means opn_i_evaluation_means(const opn_evaluation *evaluation, int32_t m);

#endif // OPN_EVALUATION_DATA_H
