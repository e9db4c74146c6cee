// weights_file.h -- the weights of a model as tensors of its file.

#ifndef OPN_WEIGHTS_FILE_H
#define OPN_WEIGHTS_FILE_H

#include "io/safetensors.h"
#include "model/model_data.h"

// Matrices that a writer borrows until it has written them.
typedef struct opn_i_packed {
    float **matrix; // [n]
    size_t n, room;
} opn_i_packed;

void opn_i_packed_deinit(const opn_alloc *alloc, opn_i_packed *packed);

// Adds the weights of all members; `packed` must live until the file is written.
OPN_NODISCARD opn_status opn_i_weights_put(opn_ctx *ctx,
                                           opn_i_safetensors_writer *writer,
                                           const opn_model *model,
                                           opn_i_packed *packed);

// The tensor of that name, which must be a matrix of floats. Errors: FORMAT.
OPN_NODISCARD opn_status opn_i_weights_matrix(opn_ctx *ctx,
                                              const char *path,
                                              const opn_i_safetensors *file,
                                              const char *name,
                                              const opn_i_tensor_view **out);

// Reads the weights of model->n_members members, whose kind and sizes are known. A file
// of an earlier version has no teacher. Errors: FORMAT (a matrix is missing, of another
// shape or not finite), NOMEM.
OPN_NODISCARD opn_status opn_i_weights_get(opn_ctx *ctx,
                                           const char *path,
                                           const opn_i_safetensors *file,
                                           opn_model *model);

#endif // OPN_WEIGHTS_FILE_H
