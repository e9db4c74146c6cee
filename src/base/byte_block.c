// byte_block.c -- bytes that the library writes to memory for a caller.

#include "base/byte_block.h"

struct opn_bytes {
    opn_alloc alloc; // copied from the context, so the bytes may outlive it
    char *data;
    size_t n;
};

opn_status opn_i_bytes_hand_over(opn_ctx *ctx, char *data, size_t n, opn_bytes **out)
{
    opn_status status = OPN_OK;
    opn_bytes *bytes = NULL;
    OPN_TRY_NEW(ctx, bytes, 1);
    *bytes = (opn_bytes){.alloc = ctx->alloc, .data = data, .n = n};
    *out = bytes;
    data = NULL;
cleanup:
    opn_i_release(&ctx->alloc, data);
    return status;
}

const void *opn_bytes_data(const opn_bytes *bytes)
{
    OPN_RETURN_IF_NULL(bytes, NULL);
    return bytes->data;
}

size_t opn_bytes_size(const opn_bytes *bytes)
{
    OPN_RETURN_IF_NULL(bytes, 0);
    return bytes->n;
}

void opn_bytes_free(opn_bytes *bytes)
{
    if (bytes == NULL)
        return;
    const opn_alloc alloc = bytes->alloc;
    opn_i_release(&alloc, bytes->data);
    opn_i_release(&alloc, bytes);
}
