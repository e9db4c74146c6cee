// folds.c -- divisions of the labelled nodes, each with other validation nodes.

#include "train/folds.h"

#include "base/context.h"
#include "graph/narrow.h"

// With so many validation nodes one standard error of an accuracy is below three points;
// with fewer the choice of a model would be a matter of luck.
enum { ENOUGH_NODES = 300 };

static int32_t at_least_one(int32_t n)
{
    return n < 1 ? 1 : n;
}

// Parts of the training nodes that are about as large as the validation set, so that
// training sets keep their size.
static int32_t count_parts(int32_t n_train, int32_t n_validation)
{
    return n_validation == 0 ? OPN_MAX_FOLDS
                             : at_least_one((n_train + n_validation / 2) / n_validation);
}

int opn_i_n_folds(int32_t n_train, int32_t n_validation)
{
    const int32_t n_most = 1 + count_parts(n_train, n_validation);
    int32_t n = n_validation == 0 ? OPN_MAX_FOLDS
                                  : (ENOUGH_NODES + n_validation - 1) / n_validation;
    n = n > n_most ? n_most : at_least_one(n);
    return n > OPN_MAX_FOLDS ? OPN_MAX_FOLDS : (int)n;
}

opn_status opn_i_folds_init(opn_ctx *ctx,
                            const opn_graph *graph,
                            const opn_split *split,
                            uint64_t seed,
                            opn_i_folds *out)
{
    opn_status status = OPN_OK;
    const int32_t n_train = opn_split_count(split, OPN_ROLE_TRAIN);
    const int32_t n_validation = opn_split_count(split, OPN_ROLE_VALIDATION);
    const int32_t n_parts = count_parts(n_train, n_validation);
    opn_i_folds folds = {.n = 1, .split = {split}};
    opn_split *made = NULL;
    const int n = opn_i_n_folds(n_train, n_validation);
    for (int32_t part = 0; part < n_parts && folds.n < n; part++) {
        status = opn_i_split_turn(ctx, graph, split, OPN_TURNS_VALIDATE, seed, n_parts,
                                  part, &made);
        if (status == OPN_ERR_SHAPE) { // nothing to train on
            status = OPN_OK;
            continue;
        }
        OPN_TRY(status);
        if (opn_split_count(made, OPN_ROLE_VALIDATION) > 0) {
            folds.split[folds.n] = made;
            folds.made[folds.n++] = made;
        } else {
            opn_split_free(made);
        }
        made = NULL;
    }
    *out = folds;
    folds = (opn_i_folds){0};
cleanup:
    opn_i_folds_deinit(&folds);
    return status;
}

void opn_i_folds_deinit(opn_i_folds *folds)
{
    for (int f = 0; f < folds->n; f++)
        opn_split_free(folds->made[f]);
    *folds = (opn_i_folds){0};
}

int32_t opn_i_folds_n_validation(const opn_i_folds *folds)
{
    int32_t n = 0;
    for (int f = 0; f < folds->n; f++)
        n += opn_split_count(folds->split[f], OPN_ROLE_VALIDATION);
    return n;
}
