// training_cost.h -- about how much a training takes.

#ifndef OPN_TRAINING_COST_H
#define OPN_TRAINING_COST_H

#include "graph/graph_data.h"

typedef struct opn_i_training_cost {
    double n_bytes; // of memory at its peak
    double seconds; // of one core
} opn_i_training_cost;

// A rough estimate for a teacher and a student with the parameters epochs, patience and
// hidden.
opn_i_training_cost opn_i_training_cost_of(const opn_graph *graph,
                                           const opn_params *params);

// How many such trainings fit into the memory that is free now, at least 1.
int opn_i_trainings_that_fit(const opn_i_training_cost *cost);

#endif // OPN_TRAINING_COST_H
