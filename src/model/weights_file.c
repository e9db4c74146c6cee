// weights_file.c -- the weights of a model as tensors of its file.
//
// The first member's matrices have the names of the encoder (w0, …), its teacher's begin
// with "teacher."; those of further members begin with "member1." and so on.

#include "model/weights_file.h"

#include "io/bytes.h"

#include <math.h>
#include <stdio.h>

// ---- blocks --------------------------------------------------------------------------

enum { MOST_NAME = 64 };

// The name of a matrix in the block of a member.
static const char *
name_of(int32_t member, bool is_teacher, const opn_i_weight *weight, char name[MOST_NAME])
{
    char prefix[24] = "";
    if (member > 0)
        snprintf(prefix, sizeof(prefix), "member%d.", (int)member);
    snprintf(name, MOST_NAME, "%s%s%s", prefix, is_teacher ? "teacher." : "",
             weight->name);
    return name;
}

// ---- saving --------------------------------------------------------------------------

void opn_i_packed_deinit(const opn_alloc *alloc, opn_i_packed *packed)
{
    for (size_t m = 0; m < packed->n; m++)
        opn_i_release(alloc, packed->matrix[m]);
    opn_i_release(alloc, packed->matrix);
    *packed = (opn_i_packed){0};
}

// A weight matrix in row-major order without padding, as floats.
static opn_status pack_matrix(opn_ctx *ctx,
                              const opn_real *weights,
                              const opn_i_weight *weight,
                              opn_i_packed *to)
{
    opn_status status = OPN_OK;
    float *packed = NULL;
    size_t n = 0;
    OPN_TRY_RESERVE(ctx, to->matrix, to->room, to->n, to->n + 1);
    OPN_TRY_NEW(ctx, packed, (size_t)weight->n_rows * (size_t)weight->n_cols);
    for (int32_t i = 0; i < weight->n_rows; i++)
        for (int32_t k = 0; k < weight->n_cols; k++)
            packed[n++] = (float)weights[opn_i_weight_place(weight, i, k)];
    to->matrix[to->n++] = packed;
cleanup:
    return status;
}

static opn_status put_block(opn_ctx *ctx,
                            opn_i_safetensors_writer *writer,
                            const opn_model *model,
                            int32_t member,
                            bool is_teacher,
                            opn_i_packed *packed)
{
    opn_status status = OPN_OK;
    opn_i_weight list[OPN_MAX_WEIGHTS];
    char name[MOST_NAME];
    size_t n_weights = 0;
    const opn_i_member *from = &model->member[member];
    const int n =
            opn_i_place_weights(model->kind->encoder, &model->sizes, list, &n_weights);
    for (int m = 0; m < n; m++) {
        const int64_t shape[] = {list[m].n_rows, list[m].n_cols};
        OPN_TRY(pack_matrix(ctx, is_teacher ? from->teacher : from->student, &list[m],
                            packed));
        OPN_TRY(opn_i_safetensors_writer_add_tensor(
                writer, name_of(member, is_teacher, &list[m], name), OPN_TENSOR_F32,
                shape, 2, packed->matrix[packed->n - 1]));
    }
cleanup:
    return status;
}

opn_status opn_i_weights_put(opn_ctx *ctx,
                             opn_i_safetensors_writer *writer,
                             const opn_model *model,
                             opn_i_packed *packed)
{
    opn_status status = OPN_OK;
    for (int32_t m = 0; m < model->n_members; m++) {
        OPN_TRY(put_block(ctx, writer, model, m, false, packed));
        if (model->member[m].teacher != NULL)
            OPN_TRY(put_block(ctx, writer, model, m, true, packed));
    }
cleanup:
    return status;
}

// ---- loading -------------------------------------------------------------------------

opn_status opn_i_weights_matrix(opn_ctx *ctx,
                                const char *path,
                                const opn_i_safetensors *file,
                                const char *name,
                                const opn_i_tensor_view **out)
{
    opn_status status = OPN_OK;
    const opn_i_tensor_view *tensor = opn_i_safetensors_find(file, name);
    OPN_FAIL_IF(ctx,
                tensor == NULL || tensor->n_dims != 2 || tensor->type != OPN_TENSOR_F32 ||
                        tensor->shape[0] < 1 || tensor->shape[1] < 1 ||
                        tensor->shape[0] >= INT32_MAX || tensor->shape[1] >= INT32_MAX,
                OPN_ERR_FORMAT, "%s: holds no matrix \"%s\" of 32-bit floats", path,
                name);
    *out = tensor;
cleanup:
    return status;
}

// The tensor of a weight matrix, which must have the same shape.
static opn_status find_weight(opn_ctx *ctx,
                              const char *path,
                              const opn_i_safetensors *file,
                              const char *name,
                              const opn_i_weight *weight,
                              const opn_i_tensor_view **out)
{
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_weights_matrix(ctx, path, file, name, out));
    const int64_t *shape = (*out)->shape;
    OPN_FAIL_IF(ctx, shape[0] != weight->n_rows || shape[1] != weight->n_cols,
                OPN_ERR_FORMAT, "%s: %s is %lld by %lld, but %d by %d would fit", path,
                name, (long long)shape[0], (long long)shape[1], weight->n_rows,
                weight->n_cols);
cleanup:
    return status;
}

static opn_status unpack_weight(opn_ctx *ctx,
                                const char *path,
                                const opn_i_tensor_view *tensor,
                                const char *name,
                                const opn_i_weight *weight,
                                opn_real *weights)
{
    opn_status status = OPN_OK;
    const size_t n_cols = (size_t)weight->n_cols;
    float *packed = NULL;
    OPN_TRY_NEW(ctx, packed, tensor->n_items);
    OPN_TRY(opn_i_tensor_to_f32(ctx, path, tensor, packed));
    for (size_t j = 0; j < (size_t)tensor->n_items; j++) {
        OPN_FAIL_IF(ctx, !isfinite(packed[j]), OPN_ERR_FORMAT,
                    "%s: tensor \"%s\": item %zu is not finite", path, name, j);
        weights[opn_i_weight_place(weight, (int32_t)(j / n_cols),
                                   (int32_t)(j % n_cols))] = (opn_real)packed[j];
    }
cleanup:
    opn_i_release(&ctx->alloc, packed);
    return status;
}

static opn_status get_block(opn_ctx *ctx,
                            const char *path,
                            const opn_i_safetensors *file,
                            const opn_model *model,
                            int32_t member,
                            bool is_teacher,
                            opn_real **out)
{
    opn_status status = OPN_OK;
    opn_i_weight list[OPN_MAX_WEIGHTS];
    const opn_i_tensor_view *tensor[OPN_MAX_WEIGHTS];
    char name[OPN_MAX_WEIGHTS][MOST_NAME];
    size_t n_weights = 0;
    const int n =
            opn_i_place_weights(model->kind->encoder, &model->sizes, list, &n_weights);
    // Check all shapes first: allocate nothing for a file that does not fit.
    for (int m = 0; m < n; m++)
        OPN_TRY(find_weight(ctx, path, file,
                            name_of(member, is_teacher, &list[m], name[m]), &list[m],
                            &tensor[m]));
    OPN_TRY_NEW(ctx, *out, n_weights);
    for (int m = 0; m < n; m++)
        OPN_TRY(unpack_weight(ctx, path, tensor[m], name[m], &list[m], *out));
cleanup:
    return status;
}

opn_status opn_i_weights_get(opn_ctx *ctx,
                             const char *path,
                             const opn_i_safetensors *file,
                             opn_model *model)
{
    opn_status status = OPN_OK;
    const bool has_teacher = model->kind->has_teacher &&
                             opn_i_safetensors_find(file, "teacher.w0") != NULL;
    for (int32_t m = 0; m < model->n_members; m++) {
        opn_i_member *to = &model->member[m];
        OPN_TRY(get_block(ctx, path, file, model, m, false, &to->student));
        if (has_teacher)
            OPN_TRY(get_block(ctx, path, file, model, m, true, &to->teacher));
    }
cleanup:
    return status;
}
