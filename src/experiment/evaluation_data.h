// evaluation_data.h -- the implementation of opn_evaluation.

#ifndef OPN_EVALUATION_DATA_H
#define OPN_EVALUATION_DATA_H

#include "base/names.h"
#include "model/model_data.h"
#include "opine/evaluate.h"
#include "opinion/measure_table.h"

enum { OPN_MAX_SEEDS = 1000 }; // upper bound of the parameter seeds

struct opn_cell {
    uint64_t seed;
    char split_hash[65];
    char chosen[32]; // the model that auto chose; "" if it was named, or is not known
    double n_pool, prevalence, n_epochs;
    opn_seconds seconds;
    double quality[OPN_N_QUALITIES];
    double metric[OPN_N_METRICS][OPN_N_SCORES];
};

struct opn_evaluation {
    opn_alloc alloc;
    char *dataset;
    opn_params *params; // as given, completed by the preset
    bool holds_out;     // some classes
    char *source;       // of the graph, "" if it is not known
    char data_hash[65];
    int n_threads;
    opn_i_names models; // n_models
    int32_t n_seeds;
    opn_cell *cell; // [n_models, n_seeds]
};

// How often auto chose a model.
typedef struct opn_i_chosen {
    const char *model;
    int32_t n;
} opn_i_chosen;

// The models that auto chose for the cells of model m, the most frequent first; their
// number. At most OPN_MAX_CANDIDATES are counted.
int opn_i_evaluation_chosen(const opn_evaluation *evaluation,
                            int32_t m,
                            opn_i_chosen chosen[OPN_MAX_CANDIDATES]);

// Means over the seeds of everything that is not a quality figure. Seconds are NaN if a
// model was loaded, which takes no time.
typedef struct opn_i_means {
    double n_pool, prevalence, n_epochs;
    opn_seconds seconds;
    double total_seconds;
} opn_i_means;

// The cells of model m, [n_seeds] in seed order.
const opn_cell *opn_i_evaluation_cells(const opn_evaluation *evaluation, int32_t m);

// The task that nodes are scored on, of opn_i_task_scored().
const char *opn_i_evaluation_scored(const opn_evaluation *evaluation);

opn_i_means opn_i_evaluation_means(const opn_evaluation *evaluation, int32_t m);

#endif // OPN_EVALUATION_DATA_H
