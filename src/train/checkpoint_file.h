// checkpoint_file.h -- where the training of a model file keeps what it has learnt.

#ifndef OPN_CHECKPOINT_FILE_H
#define OPN_CHECKPOINT_FILE_H

#include "base/context.h"
#include "opine/model.h"

// Opens a checkpoint to resume from, if there is one; *out is NULL if another training
// holds it, or if the file system cannot tell because it has no locks. Errors: WRITE,
// NOMEM.
OPN_NODISCARD opn_status opn_i_checkpoint_claim(opn_ctx *ctx,
                                                const char *path,
                                                opn_checkpoint **out);

// The path of the checkpoint, or of one part of it in a folder of that path, which is
// made; freed by the caller. Errors: WRITE, FORMAT (there is a file instead of a folder),
// NOMEM.
OPN_NODISCARD opn_status opn_i_checkpoint_part(opn_ctx *ctx,
                                               const opn_checkpoint *checkpoint,
                                               const char *part,
                                               char **out);

// Logs that a training goes on from the checkpoint, if there is one.
void opn_i_checkpoint_tell(opn_ctx *ctx, const opn_checkpoint *checkpoint);

// Names the checkpoint in the message of an interruption, if something was learnt.
OPN_NODISCARD opn_status opn_i_checkpoint_interrupted(opn_ctx *ctx,
                                                      const opn_checkpoint *checkpoint);

// Says that training cannot go on from what is there. A part of a checkpoint is not
// named: to remove it alone would not help. Returns FORMAT.
OPN_NODISCARD opn_status opn_i_checkpoint_refuse(opn_ctx *ctx,
                                                 const opn_checkpoint *checkpoint);

#endif // OPN_CHECKPOINT_FILE_H
