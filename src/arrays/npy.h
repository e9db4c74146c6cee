// npy.h -- NumPy's file of a single array.

#ifndef OPN_NPY_H
#define OPN_NPY_H

#include "arrays/ndarray.h"
#include "io/bytes.h"

// Reads the bytes of a whole .npy file, format 1.0, 2.0 or 3.0. The array borrows its
// items from `data`. `what` names the file in messages.
// Errors: FORMAT (not an npy file, a broken header, or the wrong number of bytes for the
// shape), UNSUPPORTED (another version; objects, records, complex numbers, dates).
// Cost: O(length of the header).
OPN_NODISCARD opn_status opn_i_npy_read(opn_ctx *ctx,
                                        const char *what,
                                        const unsigned char *data,
                                        size_t n_bytes,
                                        opn_i_ndarray *out);

// What the header of a .npy file says, whatever the items are.
typedef struct opn_i_npy_about {
    char type[40]; // NumPy's name of the type, cut if longer
    int n_dims;
    int64_t shape[OPN_NDARRAY_MAX_DIMS];
    size_t n_header; // bytes before the items
} opn_i_npy_about;

// Errors: FORMAT and UNSUPPORTED as opn_i_npy_read(), but of the header only.
OPN_NODISCARD opn_status opn_i_npy_look(opn_ctx *ctx,
                                        const char *what,
                                        const unsigned char *data,
                                        size_t n_bytes,
                                        opn_i_npy_about *out);

// Enough for any header: eight dimensions of 19 digits and the longest type take 241.
enum { OPN_NPY_HEADER_ROOM = 256 };

// Writes the header of a .npy file of format 1.0 for the array, padded to a multiple of
// 64 bytes as NumPy does, and returns its length. The items follow unchanged, so large
// arrays need no copy.
size_t opn_i_npy_header(const opn_i_ndarray *array,
                        unsigned char out[OPN_NPY_HEADER_ROOM]);

// Builds a text array (<U…, as wide as the longest text, at least 1) from NUL-terminated
// UTF-8 texts, as many as the product of shape. The array borrows its items from *owner,
// which the caller releases. Errors: FORMAT (a text is not UTF-8), OVERFLOW (a text of
// more than 2^29 characters), NOMEM.
OPN_NODISCARD opn_status opn_i_npy_text(opn_ctx *ctx,
                                        const char *what,
                                        const char *const *text,
                                        const int64_t *shape,
                                        int n_dims,
                                        opn_i_bytes *owner,
                                        opn_i_ndarray *out);

#endif // OPN_NPY_H
