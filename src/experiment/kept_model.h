// kept_model.h -- a trained model from the folder of a run, or from training.

#ifndef OPN_KEPT_MODEL_H
#define OPN_KEPT_MODEL_H

#include "graph/graph_data.h"
#include "io/sha256.h"
#include "model/model_data.h"

// What a training is known by.
typedef struct opn_i_training {
    const opn_graph *graph;
    const char *dataset; // in the name of its file
    const opn_params *params;
    const opn_split *split;
    const opn_i_model_kind *kind;
    char key[OPN_SHA256_TEXT];
} opn_i_training;

// The model that the folder keeps under this key, or else a new one, which it keeps from
// then on if `keeps` says so. `folder` may be NULL. Errors: those of opn_model_load(),
// opn_model_train() and opn_model_save().
OPN_NODISCARD opn_status opn_i_kept_model(opn_ctx *ctx,
                                          const opn_i_training *training,
                                          const char *folder,
                                          bool keeps,
                                          bool *was_there,
                                          opn_model **out);

#endif // OPN_KEPT_MODEL_H
