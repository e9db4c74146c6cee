// folds.h -- divisions of the labelled nodes, each with other validation nodes.

#ifndef OPN_FOLDS_H
#define OPN_FOLDS_H

#include "opine/split.h"

enum { OPN_MAX_FOLDS = 5 };

// The split itself, and where it has few validation nodes others like it.
// Zero-initialise.
typedef struct opn_i_folds {
    int n;
    const opn_split *split[OPN_MAX_FOLDS];
    opn_split *made[OPN_MAX_FOLDS]; // owned; [0] is NULL, the split is the caller's
} opn_i_folds;

// How many folds it takes to compare models on enough validation nodes; 1 is the split
// alone.
int opn_i_n_folds(int32_t n_train, int32_t n_validation);

// Divisions that would leave nothing to train or to validate on are left out. Errors:
// NOMEM.
OPN_NODISCARD opn_status opn_i_folds_init(opn_ctx *ctx,
                                          const opn_graph *graph,
                                          const opn_split *split,
                                          uint64_t seed,
                                          opn_i_folds *out);
// Over all folds.
int32_t opn_i_folds_n_validation(const opn_i_folds *folds);

void opn_i_folds_deinit(opn_i_folds *folds);

#endif // OPN_FOLDS_H
