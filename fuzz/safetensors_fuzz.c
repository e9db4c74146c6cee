// safetensors_fuzz.c -- any bytes as a safetensors file.

#include "fuzz_target.h"
#include "io/safetensors.h"

#include <stdlib.h>
#include <string.h>

// Reads each byte of the tensor, so that the sanitizer sees a view beyond the file.
static void read_tensor(opn_ctx *ctx, const opn_i_tensor_view *tensor)
{
    const size_t n_bytes = (size_t)tensor->n_items * opn_i_tensor_type_size(tensor->type);
    void *copy = malloc(n_bytes + 1);
    if (copy == NULL)
        return;
    opn_status status = OPN_OK;
    if (tensor->type == OPN_TENSOR_F32)
        status = opn_i_tensor_to_f32(ctx, "fuzz", tensor, copy);
    else if (tensor->type == OPN_TENSOR_I32)
        status = opn_i_tensor_to_i32(ctx, "fuzz", tensor, copy);
    else if (tensor->type == OPN_TENSOR_I64)
        status = opn_i_tensor_to_i64(ctx, "fuzz", tensor, copy);
    else
        memcpy(copy, tensor->data, n_bytes);
    fuzz_check(status == OPN_OK);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    opn_ctx *ctx = NULL;
    opn_i_safetensors *file = NULL;
    if (opn_ctx_create(NULL, &ctx) != OPN_OK)
        return 0;
    if (opn_i_safetensors_open(ctx, "fuzz", data, size, &file) == OPN_OK) {
        size_t n_bytes = 0;
        for (size_t i = 0; i < opn_i_safetensors_n_tensors(file); i++) {
            const opn_i_tensor_view *tensor = opn_i_safetensors_tensor(file, i);
            fuzz_check(opn_i_safetensors_find(file, tensor->name) == tensor);
            read_tensor(ctx, tensor);
            n_bytes += (size_t)tensor->n_items * opn_i_tensor_type_size(tensor->type);
        }
        fuzz_check(n_bytes <= size);
        for (size_t i = 0; i < opn_i_safetensors_n_metadata(file); i++)
            fuzz_check(opn_i_safetensors_metadata(file, opn_i_safetensors_key(file, i)) ==
                       opn_i_safetensors_value(file, i));
    }
    opn_i_safetensors_free(file);
    opn_ctx_free(ctx);
    return 0;
}
