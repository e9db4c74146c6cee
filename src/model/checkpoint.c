// checkpoint.c -- the training state so far, in a safetensors file.

#include "model/checkpoint.h"

#include "base/number.h"
#include "io/bytes.h"
#include "io/safetensors.h"

#include <stdio.h>
#include <string.h>

static const opn_i_tensor_type real_type =
        sizeof(opn_real) == sizeof(float) ? OPN_TENSOR_F32 : OPN_TENSOR_F64;

// The scalars of a state, in the order of writing and reading.
static const char *const progress_keys[] = {"epoch",         "best_epoch", "best_loss",
                                            "best_accuracy", "n_bounded",  "is_done"};
enum { N_PROGRESS = 6 };

static opn_status put_state(opn_i_safetensors_writer *writer,
                            const char *name,
                            const opn_i_train_state *state)
{
    opn_status status = OPN_OK;
    const int64_t shape[] = {(int64_t)state->n_blocks, (int64_t)state->n_weights};
    // Reals are stored as their bits: they are compared, not read.
    const int64_t progress[N_PROGRESS] = {
            state->epoch,
            state->best_epoch,
            (int64_t)opn_i_real_to_bits(state->best_loss),
            (int64_t)opn_i_real_to_bits(state->best_accuracy),
            state->n_bounded,
            state->is_done};
    char key[48];
    OPN_TRY(opn_i_safetensors_writer_add_tensor(writer, name, real_type, shape, 2,
                                                state->weights));
    for (int p = 0; p < N_PROGRESS; p++) {
        snprintf(key, sizeof(key), "%s.%s", name, progress_keys[p]);
        OPN_TRY(opn_i_safetensors_writer_add_int(writer, key, progress[p]));
    }
cleanup:
    return status;
}

opn_status
opn_i_checkpoint_save(opn_ctx *ctx, const char *path, const opn_i_checkpoint *checkpoint)
{
    opn_status status = OPN_OK;
    opn_i_safetensors_writer *writer = NULL;
    OPN_TRY(opn_i_safetensors_writer_create(ctx, &writer));
    OPN_TRY(opn_i_safetensors_writer_add_metadata(writer, "format",
                                                  "opine checkpoint 2"));
    OPN_TRY(opn_i_safetensors_writer_add_metadata(writer, "key", checkpoint->key));
    if (checkpoint->teacher != NULL)
        OPN_TRY(put_state(writer, "teacher", checkpoint->teacher));
    OPN_TRY(put_state(writer, "student", checkpoint->student));
    status = opn_i_safetensors_writer_commit(writer, path);
    writer = NULL;
cleanup:
    opn_i_safetensors_writer_discard(writer);
    return status;
}

static opn_status get_state(opn_ctx *ctx,
                            const char *path,
                            const opn_i_safetensors *file,
                            const char *name,
                            opn_i_train_state *state)
{
    opn_status status = OPN_OK;
    const opn_i_tensor_view *tensor = opn_i_safetensors_find(file, name);
    int64_t progress[N_PROGRESS];
    char key[48];
    OPN_FAIL_IF(ctx,
                tensor == NULL || tensor->type != real_type ||
                        tensor->n_items != (int64_t)(state->n_blocks * state->n_weights),
                OPN_ERR_FORMAT,
                "%s: holds no state of the %s that fits; remove it to begin anew", path,
                name);
    for (int p = 0; p < N_PROGRESS; p++) {
        const bool is_real = p == 2 || p == 3; // any bits
        snprintf(key, sizeof(key), "%s.%s", name, progress_keys[p]);
        OPN_TRY(opn_i_safetensors_int(ctx, path, file, key, is_real ? INT64_MIN : 0,
                                      p < 2 ? INT32_MAX : INT64_MAX, &progress[p]));
    }
    state->epoch = (int32_t)progress[0];
    state->best_epoch = (int32_t)progress[1];
    state->best_loss = opn_i_real_from_bits((uint64_t)progress[2]);
    state->best_accuracy = opn_i_real_from_bits((uint64_t)progress[3]);
    state->n_bounded = progress[4];
    state->is_done = progress[5] != 0;
    memcpy(state->weights, tensor->data,
           state->n_blocks * state->n_weights * sizeof(*state->weights));
cleanup:
    return status;
}

opn_status
opn_i_checkpoint_load(opn_ctx *ctx, const char *path, const opn_i_checkpoint *checkpoint)
{
    opn_status status = OPN_OK;
    opn_i_bytes bytes = {0};
    opn_i_safetensors *file = NULL;
    OPN_TRY(opn_i_regular_file_read(ctx, path, &bytes));
    OPN_TRY(opn_i_safetensors_open(ctx, path, bytes.data, bytes.n, &file));
    const char *format = opn_i_safetensors_metadata(file, "format");
    const char *key = opn_i_safetensors_metadata(file, "key");
    OPN_FAIL_IF(ctx, format == NULL || strcmp(format, "opine checkpoint 2") != 0,
                OPN_ERR_FORMAT, "%s: is no checkpoint of this version", path);
    OPN_FAIL_IF(
            ctx, key == NULL || strcmp(key, checkpoint->key) != 0, OPN_ERR_FORMAT,
            "%s: is the checkpoint of other data or parameters; remove it to begin anew",
            path);
    if (checkpoint->teacher != NULL)
        OPN_TRY(get_state(ctx, path, file, "teacher", checkpoint->teacher));
    OPN_TRY(get_state(ctx, path, file, "student", checkpoint->student));
cleanup:
    opn_i_safetensors_free(file);
    opn_i_bytes_release(ctx, &bytes);
    return status;
}
