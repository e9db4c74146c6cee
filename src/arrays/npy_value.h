// npy_value.h -- the content of an npy file that may hold Python objects: an array, a
// SciPy matrix, or a list of texts and numbers.

#ifndef OPN_NPY_VALUE_H
#define OPN_NPY_VALUE_H

#include "arrays/pickle.h"
#include "io/bytes.h"

// Zero-initialise; release after use. Exactly one of the three is there: `sparse` if that
// is not NULL, else `objects` if that is not NULL, else `array`.
typedef struct opn_i_npy_value {
    opn_i_bytes bytes;                 // what the others point into
    opn_i_pickle *pickle;              // likewise; NULL if there are no objects
    opn_i_ndarray array;               // numbers or text
    const opn_i_pickle_sparse *sparse; // a matrix
    const opn_i_pickle_list *objects;  // texts and numbers, in C order
    int n_dims;
    int64_t shape[OPN_NDARRAY_MAX_DIMS]; // of any of the three
} opn_i_npy_value;

// Reads the bytes of a whole .npy file, which are consumed even on failure: *take is left
// empty. Python objects are read by opn_i_pickle_load(), which executes nothing. `what`
// names the file in messages.
// Errors: those of opn_i_npy_read() and opn_i_pickle_load(), but objects are supported if
// they are texts, numbers, None, or a single array, matrix or list.
OPN_NODISCARD opn_status opn_i_npy_value_read(opn_ctx *ctx,
                                              const char *what,
                                              opn_i_bytes *take,
                                              opn_i_npy_value *out);

void opn_i_npy_value_release(opn_ctx *ctx, opn_i_npy_value *value);

// Number of items of an array or of objects.
int64_t opn_i_npy_value_n_items(const opn_i_npy_value *value);

// Bytes that opn_i_npy_value_text() needs for any of the items, including its NUL.
// Errors: FORMAT (a few texts are shared so often that opn_i_expansion_allowed() forbids
// to write them out).
OPN_NODISCARD opn_status opn_i_npy_value_text_room(opn_ctx *ctx,
                                                   const char *what,
                                                   const opn_i_npy_value *value,
                                                   size_t *room);

// Item i (C order) of a text array or of objects as NUL-terminated UTF-8 without embedded
// NULs. A whole number becomes its digits, None and NaN become "".
// Errors: FORMAT (an array of numbers, a matrix, an item that is neither text nor number,
// text that is not UTF-8).
OPN_NODISCARD opn_status opn_i_npy_value_text(opn_ctx *ctx,
                                              const char *what,
                                              const opn_i_npy_value *value,
                                              int64_t i,
                                              char *out,
                                              size_t *n_chars);

#endif // OPN_NPY_VALUE_H
