// batch.h -- training on the labelled nodes and a few unlabelled ones at a time, where no
// edges join them.
//
// The network has a row for each labelled node, for each place in the batch and for each
// validation node. Every epoch fills the places with other nodes: the next ones of a
// random order of those that are neither for training nor for validation, which is drawn
// anew when all have had their turn.

#ifndef OPN_BATCH_H
#define OPN_BATCH_H

#include "model/workspace.h"

typedef struct opn_i_batch {
    const opn_i_feature_matrix *whole; // of the workspace, borrowed
    opn_real *array;                   // that the rows of the places are written to
    int32_t *place;                    // [n_places] their rows in the network
    int32_t n_places;
    int32_t *pool;  // [n_pool] nodes, in the order of the round
    int32_t *nodes; // [n_pool] the same by number
    int32_t n_pool;
    int32_t round; // of `pool`; -1: none yet
    uint64_t seed;
} opn_i_batch;

// A trainee with n_places places, at most as many as there are nodes for them. target and
// validation are in the order of the workspace.
// Errors: INVALID_ARG (the model looks at edges, or there are too many features), SHAPE
// (no node is left for the batches), NOMEM.
OPN_NODISCARD opn_status opn_i_batch_init(opn_ctx *ctx,
                                          opn_i_workspace *workspace,
                                          const int32_t *target,
                                          const int32_t *validation,
                                          int32_t n_places,
                                          uint64_t seed,
                                          opn_i_trainee *trainee,
                                          opn_i_batch *out);
void opn_i_batch_deinit(const opn_alloc *alloc, opn_i_batch *batch);

// Fills the places for that epoch, which depends on nothing else.
void opn_i_batch_fill(opn_i_batch *batch, int32_t epoch);

#endif // OPN_BATCH_H
