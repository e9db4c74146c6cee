// ndarray.h -- a borrowed view of a NumPy array, as found in npy members and pickles.

#ifndef OPN_NDARRAY_H
#define OPN_NDARRAY_H

#include "base/context.h"

enum { OPN_NDARRAY_MAX_DIMS = 8 };

typedef struct opn_i_ndarray {
    char kind; // NumPy's letter: b bool, i signed, u unsigned, f float, S bytes, U text;
               // O Python objects, only in pickles: these have no bytes and no size
    bool big_endian;
    bool fortran_order;
    int n_dims;
    int32_t item_size; // bytes; 0 is possible for S and U
    int64_t shape[OPN_NDARRAY_MAX_DIMS];
    int64_t n_items;           // product of shape; 1 for a scalar
    const unsigned char *data; // borrowed, n_items * item_size bytes, of any alignment
} opn_i_ndarray;

// Parses a NumPy type name ("<f8", "|b1", ">i4", "<U12") into kind, item_size and
// big_endian. No byte order, | and = all mean the host's. `what` names the array in the
// message.
// Errors: UNSUPPORTED (objects, complex numbers, dates, records), FORMAT (no such type).
OPN_NODISCARD opn_status opn_i_ndarray_set_type(opn_ctx *ctx,
                                                const char *what,
                                                const char *type,
                                                size_t n_chars,
                                                opn_i_ndarray *array);

// Sets the shape and n_items, after checking that the items, whose type must be set, take
// exactly n_bytes. At most 65536 zero-size items are allowed.
// Errors: FORMAT (negative or too many dimensions, or the wrong number of bytes).
OPN_NODISCARD opn_status opn_i_ndarray_set_shape(opn_ctx *ctx,
                                                 const char *what,
                                                 const int64_t *shape,
                                                 int n_dims,
                                                 size_t n_bytes,
                                                 opn_i_ndarray *array);

// Whether the items are in C order. Also true of a Fortran array in which both orders are
// the same, because fewer than two dimensions are longer than 1.
bool opn_i_ndarray_is_c_order(const opn_i_ndarray *array);

// Whether the array has items, and all are the same number 1. Costs less than a copy.
bool opn_i_ndarray_is_ones(const opn_i_ndarray *array);

// Converts all items, to C order whatever the stored order; `out` holds n_items. Halves
// and booleans count as numbers; integers beyond 2^53 are rounded when converted to
// floats; floats keep infinities and NaN.
// Errors: FORMAT (not numbers, a value that does not fit, or for integers a fraction; the
// message names the item).
OPN_NODISCARD opn_status opn_i_ndarray_to_i64(opn_ctx *ctx,
                                              const char *what,
                                              const opn_i_ndarray *array,
                                              int64_t *out);
OPN_NODISCARD opn_status opn_i_ndarray_to_i32(opn_ctx *ctx,
                                              const char *what,
                                              const opn_i_ndarray *array,
                                              int32_t *out);
OPN_NODISCARD opn_status opn_i_ndarray_to_f64(opn_ctx *ctx,
                                              const char *what,
                                              const opn_i_ndarray *array,
                                              double *out);
OPN_NODISCARD opn_status opn_i_ndarray_to_f32(opn_ctx *ctx,
                                              const char *what,
                                              const opn_i_ndarray *array,
                                              float *out);

// Item i (C order) of an S or U array as UTF-8 without trailing NULs. `out` has room for
// opn_i_ndarray_text_room() bytes; *n_chars receives the length (no NUL is added). Bytes
// (S) that are not UTF-8 are read as latin-1.
// Errors: FORMAT (not text, a NUL inside, or a code point outside Unicode).
size_t opn_i_ndarray_text_room(const opn_i_ndarray *array);
OPN_NODISCARD opn_status opn_i_ndarray_text(opn_ctx *ctx,
                                            const char *what,
                                            const opn_i_ndarray *array,
                                            int64_t i,
                                            char *out,
                                            size_t *n_chars);

#endif // OPN_NDARRAY_H
