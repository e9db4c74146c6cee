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

#endif // OPN_EVALUATION_DATA_H
