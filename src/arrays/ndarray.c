// ndarray.c -- types, shapes and strings of borrowed NumPy arrays.

#include "arrays/ndarray.h"

#include "io/byte_order.h"
#include "io/utf8.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Zero-size items take no bytes in a file, so their number needs its own limit.
enum { MAX_EMPTY_ITEMS = 65536 };

// ---- types ---------------------------------------------------------------------------

// Contents of a NumPy kind that is not supported; NULL for all other kinds.
static const char *name_of_refused(char kind)
{
    switch (kind) {
    case 'O':
        return "Python objects";
    case 'c':
        return "complex numbers";
    case 'M':
    case 'm':
        return "dates or times";
    case 'V':
        return "records";
    default:
        return NULL;
    }
}

static bool is_number_size(char kind, int64_t size)
{
    if (kind == 'b')
        return size == 1;
    if (kind == 'f')
        return size == 2 || size == 4 || size == 8;
    return size == 1 || size == 2 || size == 4 || size == 8;
}

// Parses decimal digits up to the end of the text; -1 if invalid or too long.
static int64_t parse_size(const char *text, size_t n_chars)
{
    int64_t size = 0;
    if (n_chars > 10)
        return -1;
    for (size_t i = 0; i < n_chars; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        size = size * 10 + (text[i] - '0');
    }
    return size;
}

opn_status opn_i_ndarray_set_type(opn_ctx *ctx,
                                  const char *what,
                                  const char *type,
                                  size_t n_chars,
                                  opn_i_ndarray *array)
{
    opn_status status = OPN_OK;
    const int n_shown = n_chars < 40 ? (int)n_chars : 40;
    size_t at = 0;

    for (size_t i = 0; i < n_chars; i++)
        OPN_FAIL_IF(ctx, type[i] < 0x20 || type[i] > 0x7e, OPN_ERR_FORMAT,
                    "%s: the type name holds byte 0x%02x; expected a name such as <f8",
                    what, (unsigned)(unsigned char)type[i]);

    bool big_endian = opn_i_host_is_big_endian();
    if (n_chars > 0 && strchr("<>|=", type[0]) != NULL) {
        if (type[0] == '<' || type[0] == '>')
            big_endian = type[0] == '>';
        at = 1;
    }
    const char kind = at < n_chars ? type[at++] : '\0';
    const char *refused = name_of_refused(kind);
    OPN_FAIL_IF(ctx, refused != NULL, OPN_ERR_UNSUPPORTED,
                "%s: type %.*s holds %s; only arrays of booleans, integers, floats and "
                "text are read",
                what, n_shown, type, refused);

    int64_t size = parse_size(type + at, n_chars - at);
    OPN_FAIL_IF(ctx, kind == 'f' && (size == 10 || size == 12 || size == 16),
                OPN_ERR_UNSUPPORTED,
                "%s: type %.*s holds long doubles; floats of 2, 4 and 8 bytes are read",
                what, n_shown, type);
    if (kind == 'U')
        size *= 4;
    const bool is_text = kind == 'S' || kind == 'U';
    const bool is_number = kind == 'b' || kind == 'i' || kind == 'u' || kind == 'f';
    OPN_FAIL_IF(ctx,
                (!is_text && !is_number) || (is_number && !is_number_size(kind, size)) ||
                        size < 0 || size > INT32_MAX,
                OPN_ERR_FORMAT, "%s: '%.*s' is not a type; expected a name such as <f8",
                what, n_shown, type);

    array->kind = kind;
    array->item_size = (int32_t)size;
    array->big_endian = big_endian;
cleanup:
    return status;
}

// ---- shapes --------------------------------------------------------------------------

enum { SHAPE_CHARS = OPN_NDARRAY_MAX_DIMS * 22 + 4 };

// The shape in Python notation, for messages.
static const char *shape_text(const int64_t *shape, int n_dims, char text[SHAPE_CHARS])
{
    size_t n = 0;
    text[n++] = '(';
    for (int d = 0; d < n_dims; d++)
        n += (size_t)snprintf(text + n, SHAPE_CHARS - n, "%s%" PRId64, d > 0 ? ", " : "",
                              shape[d]);
    snprintf(text + n, SHAPE_CHARS - n, n_dims == 1 ? ",)" : ")");
    return text;
}

opn_status opn_i_ndarray_set_shape(opn_ctx *ctx,
                                   const char *what,
                                   const int64_t *shape,
                                   int n_dims,
                                   size_t n_bytes,
                                   opn_i_ndarray *array)
{
    opn_status status = OPN_OK;
    char text[SHAPE_CHARS];
    OPN_FAIL_IF(ctx, n_dims < 0 || n_dims > OPN_NDARRAY_MAX_DIMS, OPN_ERR_FORMAT,
                "%s: %d dimensions; at most %d are read", what, n_dims,
                OPN_NDARRAY_MAX_DIMS);

    // Zeros are left out of the product, so that (0, 2^62, 2^62) overflows in any order.
    size_t product = 1;
    size_t needed = 0;
    bool fits = true;
    bool is_empty = false;
    for (int d = 0; d < n_dims; d++) {
        OPN_FAIL_IF(ctx, shape[d] < 0, OPN_ERR_FORMAT, "%s: negative dimension in %s",
                    what, shape_text(shape, n_dims, text));
        if (shape[d] == 0)
            is_empty = true;
        else
            fits = fits && opn_i_mul(product, (size_t)shape[d], &product);
    }
    fits = fits && product <= INT64_MAX &&
           opn_i_mul(product, (size_t)array->item_size, &needed);
    if (fits && is_empty)
        product = needed = 0;
    OPN_FAIL_IF(ctx, !fits, OPN_ERR_FORMAT,
                "%s: shape %s of %" PRId32 "-byte items is beyond any file", what,
                shape_text(shape, n_dims, text), array->item_size);
    OPN_FAIL_IF(ctx, needed != n_bytes, OPN_ERR_FORMAT,
                "%s: shape %s of %" PRId32 "-byte items needs %zu bytes, %zu are there",
                what, shape_text(shape, n_dims, text), array->item_size, needed, n_bytes);
    OPN_FAIL_IF(ctx, array->item_size == 0 && product > MAX_EMPTY_ITEMS, OPN_ERR_FORMAT,
                "%s: shape %s of items without a byte; at most %d of them are read", what,
                shape_text(shape, n_dims, text), MAX_EMPTY_ITEMS);

    array->n_dims = n_dims;
    for (int d = 0; d < n_dims; d++)
        array->shape[d] = shape[d];
    array->n_items = (int64_t)product;
cleanup:
    return status;
}

bool opn_i_ndarray_is_c_order(const opn_i_ndarray *array)
{
    int n_long = 0;
    for (int d = 0; d < array->n_dims; d++)
        n_long += array->shape[d] > 1;
    return !array->fortran_order || n_long < 2;
}

// ---- text ----------------------------------------------------------------------------

// Byte offset of item i (C order) from the start of the data.
static size_t item_offset(const opn_i_ndarray *array, int64_t i)
{
    if (opn_i_ndarray_is_c_order(array))
        return (size_t)i * (size_t)array->item_size;
    size_t stride = (size_t)array->n_items * (size_t)array->item_size;
    size_t offset = 0;
    for (int d = array->n_dims - 1; d >= 0; d--) {
        stride /= (size_t)array->shape[d];
        offset += (size_t)(i % array->shape[d]) * stride;
        i /= array->shape[d];
    }
    return offset;
}

static opn_status fail_nul(opn_ctx *ctx, const char *what, int64_t i)
{
    return opn_i_fail(ctx, OPN_ERR_FORMAT,
                      "%s: item %" PRId64 " holds a NUL inside its text", what, i);
}

// UTF-8 is copied; anything else was most likely written as latin-1, in which each byte
// is its code point.
static opn_status put_bytes(opn_ctx *ctx,
                            const char *what,
                            const opn_i_ndarray *array,
                            int64_t i,
                            char *out,
                            size_t *n_chars)
{
    const unsigned char *from = array->data + item_offset(array, i);
    size_t n = (size_t)array->item_size;
    size_t n_out = 0;
    while (n > 0 && from[n - 1] == 0)
        n--;
    if (n > 0 && memchr(from, 0, n) != NULL)
        return fail_nul(ctx, what, i);
    if (opn_i_utf8_is_valid(from, n)) {
        memcpy(out, from, n);
        n_out = n;
    } else {
        for (size_t c = 0; c < n; c++)
            n_out += opn_i_utf8_put(from[c], out + n_out);
    }
    *n_chars = n_out;
    return OPN_OK;
}

static uint32_t code_point(const opn_i_ndarray *array, const unsigned char *from)
{
    uint32_t code;
    memcpy(&code, from, sizeof(code));
    return array->big_endian != opn_i_host_is_big_endian() ? opn_i_swap_32(code) : code;
}

static opn_status put_code_points(opn_ctx *ctx,
                                  const char *what,
                                  const opn_i_ndarray *array,
                                  int64_t i,
                                  char *out,
                                  size_t *n_chars)
{
    const unsigned char *from = array->data + item_offset(array, i);
    size_t n = (size_t)array->item_size;
    size_t n_out = 0;
    while (n > 0 && code_point(array, from + n - 4) == 0)
        n -= 4;
    for (size_t c = 0; c < n; c += 4) {
        const uint32_t code = code_point(array, from + c);
        if (code == 0)
            return fail_nul(ctx, what, i);
        if (!opn_i_utf8_is_character(code))
            return opn_i_fail(ctx, OPN_ERR_FORMAT,
                              "%s: item %" PRId64 " holds 0x%" PRIx32
                              ", which is not a Unicode character",
                              what, i, code);
        n_out += opn_i_utf8_put(code, out + n_out);
    }
    *n_chars = n_out;
    return OPN_OK;
}

size_t opn_i_ndarray_text_room(const opn_i_ndarray *array)
{
    const size_t n_bytes = (size_t)array->item_size;
    return array->kind == 'S' ? 2 * n_bytes : n_bytes; // at most 4 bytes per code point
}

opn_status opn_i_ndarray_text(opn_ctx *ctx,
                              const char *what,
                              const opn_i_ndarray *array,
                              int64_t i,
                              char *out,
                              size_t *n_chars)
{
    if (array->kind != 'S' && array->kind != 'U')
        return opn_i_fail(ctx, OPN_ERR_FORMAT, "%s: holds %s, not text", what,
                          array->kind == 'O' ? "Python objects" : "numbers");
    assert(i >= 0 && i < array->n_items);
    if (array->item_size == 0) { // data may be NULL
        *n_chars = 0;
        return OPN_OK;
    }
    return array->kind == 'S' ? put_bytes(ctx, what, array, i, out, n_chars)
                              : put_code_points(ctx, what, array, i, out, n_chars);
}
