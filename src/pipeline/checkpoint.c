// checkpoint.c -- what is learnt so far, in a safetensors file.

#include "pipeline/checkpoint.h"

#include "base/number.h"
#include "io/bytes.h"
#include "io/safetensors.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const opn_i_tensor_type real_type =
        sizeof(opn_real) == sizeof(float) ? OPN_TENSOR_F32 : OPN_TENSOR_F64;

enum { N_BLOCKS = 4 }; // weights, mean, square, best: the whole arena

static opn_status put_state(opn_i_safetensors_writer *writer,
                            const char *name,
                            const opn_i_train_state *state)
{
    opn_status status = OPN_OK;
    const int64_t shape[] = {N_BLOCKS, (int64_t)state->n_weights};
    char key[48];
    char value[64];
    OPN_TRY(opn_i_safetensors_writer_add_tensor(writer, name, real_type, shape, 2,
                                                state->arena));
    // The loss as its bits: it is compared, not read.
    snprintf(key, sizeof(key), "%s.progress", name);
    snprintf(value, sizeof(value), "%d %d %" PRIx64 " %lld", state->epoch,
             state->best_epoch, opn_i_real_to_bits(state->best_loss),
             (long long)state->n_bounded);
    OPN_TRY(opn_i_safetensors_writer_add_metadata(writer, key, value));
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
                                                  "opine checkpoint 1"));
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
    char key[48];
    uint64_t loss_bits = 0;
    long long n_bounded = 0;
    const opn_i_tensor_view *tensor = opn_i_safetensors_find(file, name);
    snprintf(key, sizeof(key), "%s.progress", name);
    const char *progress = opn_i_safetensors_metadata(file, key);
    OPN_FAIL_IF(ctx,
                tensor == NULL || progress == NULL || tensor->type != real_type ||
                        tensor->n_items != N_BLOCKS * (int64_t)state->n_weights,
                OPN_ERR_FORMAT,
                "%s: holds no state of the %s that fits; remove it to begin anew", path,
                name);
    OPN_FAIL_IF(ctx,
                sscanf(progress, "%d %d %" SCNx64 " %lld", &state->epoch,
                       &state->best_epoch, &loss_bits, &n_bounded) != 4 ||
                        state->epoch < 0,
                OPN_ERR_FORMAT, "%s: \"%s\" is no progress of training", path, progress);
    state->best_loss = opn_i_real_from_bits(loss_bits);
    state->n_bounded = n_bounded;
    memcpy(state->arena, tensor->data,
           N_BLOCKS * state->n_weights * sizeof(*state->arena));
cleanup:
    return status;
}

opn_status
opn_i_checkpoint_load(opn_ctx *ctx, const char *path, const opn_i_checkpoint *checkpoint)
{
    opn_status status = OPN_OK;
    opn_i_bytes bytes = {0};
    opn_i_safetensors *file = NULL;
    OPN_TRY(opn_i_file_read(ctx, path, &bytes));
    OPN_TRY(opn_i_safetensors_open(ctx, path, bytes.data, bytes.n, &file));
    const char *format = opn_i_safetensors_metadata(file, "format");
    const char *key = opn_i_safetensors_metadata(file, "key");
    OPN_FAIL_IF(ctx, format == NULL || strcmp(format, "opine checkpoint 1") != 0,
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
