// kept_model.h -- gets a trained model from the folder of a run, or trains it.

#ifndef OPN_KEPT_MODEL_H
#define OPN_KEPT_MODEL_H

#include "graph/graph_data.h"
#include "io/sha256.h"
#include "model/model_data.h"

// Identifies a training.
typedef struct opn_i_training {
    const opn_graph *graph;
    const char *dataset; // part of its file name
    const opn_params *params;
    const opn_split *split;
    const opn_i_model_kind *kind;
    char key[OPN_SHA256_TEXT];
} opn_i_training;

// Loads the model with this key from the folder, or trains a new one, which is saved
// there if `keeps`. `folder` may be NULL. Errors: those of opn_model_load(),
// opn_model_train() and opn_model_save().
OPN_NODISCARD opn_status opn_i_kept_model(opn_ctx *ctx,
                                          const opn_i_training *training,
                                          const char *folder,
                                          bool keeps,
                                          bool *was_there,
                                          opn_model **out);

// Where the folder keeps the model with this key; the file need not exist. To be freed.
// Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_kept_model_path(opn_ctx *ctx,
                                               const opn_i_training *training,
                                               const char *folder,
                                               char **out);

// Whether the folder has the model with this key.
OPN_NODISCARD opn_status opn_i_is_model_kept(opn_ctx *ctx,
                                             const opn_i_training *training,
                                             const char *folder,
                                             bool *out);

#endif // OPN_KEPT_MODEL_H
