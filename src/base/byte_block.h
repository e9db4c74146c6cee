// byte_block.h -- the definition of opn_bytes: what is written to memory for a caller.

#ifndef OPN_BYTE_BLOCK_H
#define OPN_BYTE_BLOCK_H

#include "base/context.h"

// Takes n bytes at `data`, allocated by ctx, which are freed on failure too.
OPN_NODISCARD opn_status opn_i_bytes_hand_over(opn_ctx *ctx,
                                               char *data,
                                               size_t n,
                                               opn_bytes **out);

#endif // OPN_BYTE_BLOCK_H
