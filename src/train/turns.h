// turns.h -- what models that did not learn from a node say about it.
//
// Where labels are few, parts of them take turns to validate (folds.h). What the model of
// each fold says about its validation nodes is as good as what the final model says about
// nodes it has not seen, and there are several times as many of them.

#ifndef OPN_TURNS_H
#define OPN_TURNS_H

#include "predict/calibrated.h"

// The validation nodes of one fold. Zero-initialise.
typedef struct opn_i_turn {
    int32_t n, n_classes;
    int32_t *label; // [n] known classes
    float *p;       // [n,K] probabilities
    float *q;       // [n,K] those around the nodes; NULL if the model has none
} opn_i_turn;

// Asks the model of a fold about the fold's validation nodes. Errors: those of
// opn_model_predict().
OPN_NODISCARD opn_status opn_i_turn_init(opn_ctx *ctx,
                                         const opn_graph *graph,
                                         const opn_split *fold,
                                         const opn_model *model,
                                         opn_i_turn *out);
void opn_i_turn_deinit(const opn_alloc *alloc, opn_i_turn *turn);

// Fits what the nodes of all folds together allow, at most `wanted`, as
// opn_i_calibration_fit() does. Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_turns_calibrate(opn_ctx *ctx,
                                               opn_calibration wanted,
                                               int n_turns,
                                               const opn_i_turn *turn,
                                               opn_calibrator *out);

#endif // OPN_TURNS_H
