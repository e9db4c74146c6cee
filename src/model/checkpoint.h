// checkpoint.h -- the training state so far, saved in case training is interrupted.

#ifndef OPN_CHECKPOINT_H
#define OPN_CHECKPOINT_H

#include "model/trainer.h"

// `key` identifies the run: the data's hash and every parameter.
typedef struct opn_i_checkpoint {
    const char *key;
    opn_i_train_state *teacher; // or NULL
    opn_i_train_state *student;
} opn_i_checkpoint;

OPN_NODISCARD opn_status opn_i_checkpoint_save(opn_ctx *ctx,
                                               const char *path,
                                               const opn_i_checkpoint *checkpoint);

// Restores the states from the file.
// Errors: READ, FORMAT (not a checkpoint, or one of another run).
OPN_NODISCARD opn_status opn_i_checkpoint_load(opn_ctx *ctx,
                                               const char *path,
                                               const opn_i_checkpoint *checkpoint);

#endif // OPN_CHECKPOINT_H
