// idx.h -- IDX, the file of a single array that MNIST and its kin come in.

#ifndef OPN_IDX_H
#define OPN_IDX_H

#include "arrays/ndarray.h"

// Reads the bytes of a whole IDX file: two zeros, a type, the number of dimensions, each
// dimension in four bytes, then the items, all big-endian. The array borrows its items
// from `data`. `what` names the file in messages.
// Errors: FORMAT (not an IDX file, or the wrong number of bytes for its dimensions).
OPN_NODISCARD opn_status opn_i_idx_read(opn_ctx *ctx,
                                        const char *what,
                                        const unsigned char *data,
                                        size_t n_bytes,
                                        opn_i_ndarray *out);

#endif // OPN_IDX_H
