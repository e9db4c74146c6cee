// idx.c -- IDX, the file of a single array that MNIST and its kin come in.

#include "arrays/idx.h"

#include "io/byte_order.h"

#include <string.h>

enum { N_MAGIC = 4, N_DIMENSION = 4 }; // bytes

// The types by their code, in NumPy's words.
static const struct {
    unsigned char code;
    const char *type;
} types[] = {{0x08, "|u1"}, {0x09, "|i1"}, {0x0B, ">i2"},
             {0x0C, ">i4"}, {0x0D, ">f4"}, {0x0E, ">f8"}};

static const char *type_of(unsigned char code)
{
    for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++)
        if (types[t].code == code)
            return types[t].type;
    return NULL;
}

opn_status opn_i_idx_read(opn_ctx *ctx,
                          const char *what,
                          const unsigned char *data,
                          size_t n_bytes,
                          opn_i_ndarray *out)
{
    opn_status status = OPN_OK;
    opn_i_ndarray array = {0};
    int64_t shape[OPN_NDARRAY_MAX_DIMS];
    OPN_FAIL_IF(ctx, n_bytes < N_MAGIC || data[0] != 0 || data[1] != 0, OPN_ERR_FORMAT,
                "%s: is no IDX file, which begins with two zero bytes", what);
    const char *type = type_of(data[2]);
    const int n_dims = data[3];
    OPN_FAIL_IF(ctx, type == NULL, OPN_ERR_FORMAT,
                "%s: byte 2: 0x%02x is no type of IDX files; bytes are 0x08", what,
                (unsigned)data[2]);
    OPN_FAIL_IF(ctx, n_dims < 1 || n_dims > OPN_NDARRAY_MAX_DIMS, OPN_ERR_FORMAT,
                "%s: byte 3: %d dimensions, expected 1 to %d", what, n_dims,
                OPN_NDARRAY_MAX_DIMS);
    const size_t n_header = N_MAGIC + (size_t)n_dims * N_DIMENSION;
    OPN_FAIL_IF(ctx, n_bytes < n_header, OPN_ERR_FORMAT,
                "%s: %zu bytes, too few for a header of %d dimensions", what, n_bytes,
                n_dims);
    for (int d = 0; d < n_dims; d++)
        shape[d] = opn_i_get_be32(data + N_MAGIC + (size_t)d * N_DIMENSION);
    OPN_TRY(opn_i_ndarray_set_type(ctx, what, type, strlen(type), &array));
    OPN_TRY(opn_i_ndarray_set_shape(ctx, what, shape, n_dims, n_bytes - n_header,
                                    &array));
    array.data = data + n_header;
    *out = array;
cleanup:
    return status;
}
