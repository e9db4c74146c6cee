// workbench.h -- all that an epoch of training works on, set up once.

#ifndef BENCH_WORKBENCH_H
#define BENCH_WORKBENCH_H

#include "model/trainer.h"
#include "model/workspace.h"
#include "network/gcn.h"

typedef struct workbench {
    opn_ctx *ctx;
    opn_graph *graph;
    opn_params *params;
    opn_split *split;
    opn_model *model; // untrained: it says how the features are made ready
    opn_i_workspace workspace;
    opn_i_train_state state;
    opn_real *gradient, *d_weights;
    int32_t *target;                           // [V]
    opn_real *prior, *prior_sum, *log_teacher; // [V,K] [V] [V,K]
    opn_i_objective objective;
    double dropout;
    unsigned uses;  // of X, in training
    uint64_t *keep; // entries of X that a pass keeps, one bit each
    int64_t n_kept; // of them
} workbench;

static inline opn_i_gcn_layers *layers_of(const opn_i_network *gcn)
{
    return gcn->layers;
}

// s-bgcn-t-k on that dataset with the paper's parameters; *out is zero before.
OPN_NODISCARD opn_status workbench_init(opn_ctx *ctx, const char *data, workbench *out);
void workbench_deinit(workbench *b);

// Draws which entries of X and which hidden units are kept: the same ones each time.
void workbench_draw(workbench *b);

#endif // BENCH_WORKBENCH_H
