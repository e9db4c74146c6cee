// ndarray_convert.c -- conversion of NumPy arrays of numbers to other types.

#include "arrays/ndarray.h"

#include "io/byte_order.h"

#include <float.h>
#include <inttypes.h>
#include <string.h>

// ---- loading -------------------------------------------------------------------------

// Items are converted through a block that stays in the L1 cache, in the widest type of
// the source's family: 21 loaders and 4 stores instead of 84 loops.
enum { BLOCK = 1024 };

typedef union block {
    int64_t i[BLOCK];
    uint64_t u[BLOCK];
    double f[BLOCK];
} block;

typedef enum family { FAMILY_SIGNED, FAMILY_UNSIGNED, FAMILY_FLOAT } family;

// Loads n items that are `step` bytes apart into block items first, first + 1, …
typedef void
load_items(const unsigned char *from, size_t step, size_t n, size_t first, block *to);

// Exact value of an IEEE 754 half.
static inline double half_value(uint16_t bits)
{
    const uint64_t sign = (uint64_t)(bits >> 15) << 63;
    const uint64_t exponent = bits >> 10 & 31;
    const uint64_t fraction = bits & 1023;
    uint64_t wide = sign;
    double value;
    if (exponent == 0) { // zero or subnormal: fraction * 2^-24
        value = (double)fraction * 0x1p-24;
        return sign != 0 ? -value : value;
    }
    wide |= (exponent == 31 ? (uint64_t)2047 : exponent - 15 + 1023) << 52;
    wide |= fraction << 42;
    memcpy(&value, &wide, sizeof(value));
    return value;
}

#define AS_IT_IS(x) (x)
#define AS_BOOL(x)  ((x) != 0)

// One loop per stored type: `order` swaps the bytes, `value` converts the bits.
#define DEFINE_LOAD(name, raw, type, member, order, value)                           \
    static void name(const unsigned char *from, size_t step, size_t n, size_t first, \
                     block *to)                                                      \
    {                                                                                \
        for (size_t i = 0; i < n; i++) {                                             \
            raw bits;                                                                \
            type item;                                                               \
            memcpy(&bits, from + i * step, sizeof(bits));                            \
            bits = order(bits);                                                      \
            memcpy(&item, &bits, sizeof(item));                                      \
            to->member[first + i] = value(item);                                     \
        }                                                                            \
    }

DEFINE_LOAD(load_b1, uint8_t, uint8_t, u, AS_IT_IS, AS_BOOL)
DEFINE_LOAD(load_i1, uint8_t, int8_t, i, AS_IT_IS, AS_IT_IS)
DEFINE_LOAD(load_i2, uint16_t, int16_t, i, AS_IT_IS, AS_IT_IS)
DEFINE_LOAD(load_i4, uint32_t, int32_t, i, AS_IT_IS, AS_IT_IS)
DEFINE_LOAD(load_i8, uint64_t, int64_t, i, AS_IT_IS, AS_IT_IS)
DEFINE_LOAD(load_u1, uint8_t, uint8_t, u, AS_IT_IS, AS_IT_IS)
DEFINE_LOAD(load_u2, uint16_t, uint16_t, u, AS_IT_IS, AS_IT_IS)
DEFINE_LOAD(load_u4, uint32_t, uint32_t, u, AS_IT_IS, AS_IT_IS)
DEFINE_LOAD(load_u8, uint64_t, uint64_t, u, AS_IT_IS, AS_IT_IS)
DEFINE_LOAD(load_f2, uint16_t, uint16_t, f, AS_IT_IS, half_value)
DEFINE_LOAD(load_f4, uint32_t, float, f, AS_IT_IS, (double))
DEFINE_LOAD(load_f8, uint64_t, double, f, AS_IT_IS, AS_IT_IS)
DEFINE_LOAD(load_i2_swapped, uint16_t, int16_t, i, opn_i_swap_16, AS_IT_IS)
DEFINE_LOAD(load_i4_swapped, uint32_t, int32_t, i, opn_i_swap_32, AS_IT_IS)
DEFINE_LOAD(load_i8_swapped, uint64_t, int64_t, i, opn_i_swap_64, AS_IT_IS)
DEFINE_LOAD(load_u2_swapped, uint16_t, uint16_t, u, opn_i_swap_16, AS_IT_IS)
DEFINE_LOAD(load_u4_swapped, uint32_t, uint32_t, u, opn_i_swap_32, AS_IT_IS)
DEFINE_LOAD(load_u8_swapped, uint64_t, uint64_t, u, opn_i_swap_64, AS_IT_IS)
DEFINE_LOAD(load_f2_swapped, uint16_t, uint16_t, f, opn_i_swap_16, half_value)
DEFINE_LOAD(load_f4_swapped, uint32_t, float, f, opn_i_swap_32, (double))
DEFINE_LOAD(load_f8_swapped, uint64_t, double, f, opn_i_swap_64, AS_IT_IS)

typedef struct number_type {
    char kind;
    int32_t item_size;
    family family;
    load_items *load;
    load_items *load_swapped;
} number_type;

static const number_type number_types[] = {
        {'b', 1, FAMILY_UNSIGNED, load_b1, load_b1},
        {'i', 1, FAMILY_SIGNED, load_i1, load_i1},
        {'i', 2, FAMILY_SIGNED, load_i2, load_i2_swapped},
        {'i', 4, FAMILY_SIGNED, load_i4, load_i4_swapped},
        {'i', 8, FAMILY_SIGNED, load_i8, load_i8_swapped},
        {'u', 1, FAMILY_UNSIGNED, load_u1, load_u1},
        {'u', 2, FAMILY_UNSIGNED, load_u2, load_u2_swapped},
        {'u', 4, FAMILY_UNSIGNED, load_u4, load_u4_swapped},
        {'u', 8, FAMILY_UNSIGNED, load_u8, load_u8_swapped},
        {'f', 2, FAMILY_FLOAT, load_f2, load_f2_swapped},
        {'f', 4, FAMILY_FLOAT, load_f4, load_f4_swapped},
        {'f', 8, FAMILY_FLOAT, load_f8, load_f8_swapped},
};

// Type of the items; NULL if they are not numbers.
static const number_type *type_of(const opn_i_ndarray *array)
{
    for (size_t t = 0; t < sizeof(number_types) / sizeof(number_types[0]); t++)
        if (number_types[t].kind == array->kind &&
            number_types[t].item_size == array->item_size)
            return &number_types[t];
    return NULL;
}

static bool is_swapped(const opn_i_ndarray *array)
{
    return array->big_endian != opn_i_host_is_big_endian() && array->item_size > 1;
}

// Walks an array in C order, a block at a time.
typedef struct reader {
    const unsigned char *data;
    load_items *load;
    family family;
    bool is_native; // in host byte order and C order
    int n_dims;     // at least 1; always 1 for an array in C order
    int64_t shape[OPN_NDARRAY_MAX_DIMS];
    size_t stride[OPN_NDARRAY_MAX_DIMS]; // bytes
    int64_t at[OPN_NDARRAY_MAX_DIMS];    // index of the next item
    int64_t n_left;
} reader;

static opn_status
reader_init(opn_ctx *ctx, const char *what, const opn_i_ndarray *array, reader *out)
{
    const number_type *type = type_of(array);
    if (type == NULL)
        return opn_i_fail(ctx, OPN_ERR_FORMAT, "%s: holds %s, not numbers", what,
                          array->kind == 'O' ? "Python objects" : "text");

    const bool in_c_order = opn_i_ndarray_is_c_order(array);
    const bool swapped = is_swapped(array);
    reader made = {.data = array->data, .family = type->family, .n_dims = 1};
    made.load = swapped ? type->load_swapped : type->load;
    made.is_native = !swapped && in_c_order;
    made.n_left = array->n_items;
    made.shape[0] = array->n_items;
    made.stride[0] = (size_t)array->item_size;
    if (!in_c_order) {
        made.n_dims = array->n_dims;
        for (int d = 0; d < array->n_dims; d++)
            made.shape[d] = array->shape[d];
        for (int d = 1; d < array->n_dims && array->n_items > 0; d++)
            made.stride[d] = made.stride[d - 1] * (size_t)array->shape[d - 1];
    }
    *out = made;
    return OPN_OK;
}

// Fills the block with the next items and returns their number.
static size_t reader_next(reader *from, block *to)
{
    const int last = from->n_dims - 1;
    size_t n = 0;
    while (n < BLOCK && from->n_left > 0) {
        size_t offset = 0;
        for (int d = 0; d < from->n_dims; d++)
            offset += (size_t)from->at[d] * from->stride[d];
        const size_t n_ahead = (size_t)(from->shape[last] - from->at[last]);
        const size_t n_run = n_ahead < BLOCK - n ? n_ahead : BLOCK - n;
        from->load(from->data + offset, from->stride[last], n_run, n, to);
        n += n_run;
        from->n_left -= (int64_t)n_run;
        from->at[last] += (int64_t)n_run;
        for (int d = last; d > 0 && from->at[d] == from->shape[d]; d--) {
            from->at[d] = 0;
            from->at[d - 1]++;
        }
    }
    return n;
}

// ---- conversion ----------------------------------------------------------------------

// Converts the block to integers in place; `first` is the index of its first item.
static opn_status to_integers(opn_ctx *ctx,
                              const char *what,
                              family from,
                              int64_t first,
                              size_t n,
                              block *items)
{
    opn_status status = OPN_OK;
    if (from == FAMILY_UNSIGNED) {
        for (size_t i = 0; i < n; i++) {
            const uint64_t item = items->u[i];
            OPN_FAIL_IF(ctx, item > INT64_MAX, OPN_ERR_FORMAT,
                        "%s: item %" PRId64 " is %" PRIu64 ", beyond 64-bit integers",
                        what, first + (int64_t)i, item);
            items->i[i] = (int64_t)item;
        }
    } else if (from == FAMILY_FLOAT) {
        for (size_t i = 0; i < n; i++) {
            const double item = items->f[i];
            const bool in_range = item >= -0x1p63 && item < 0x1p63; // false for NaN
            const int64_t whole = in_range ? (int64_t)item : 0;
            OPN_FAIL_IF(ctx, !in_range || (double)whole != item, OPN_ERR_FORMAT,
                        "%s: item %" PRId64 " is %.9g, not a 64-bit integer", what,
                        first + (int64_t)i, item);
            items->i[i] = whole;
        }
    }
cleanup:
    return status;
}

// Converts the block to doubles in place; integers beyond 2^53 are rounded.
static void to_doubles(family from, size_t n, block *items)
{
    if (from == FAMILY_SIGNED)
        for (size_t i = 0; i < n; i++)
            items->f[i] = (double)items->i[i];
    else if (from == FAMILY_UNSIGNED)
        for (size_t i = 0; i < n; i++)
            items->f[i] = (double)items->u[i];
}

// Copies the stored bytes if they already have the wanted type.
static bool copy_as_is(const opn_i_ndarray *array,
                       const reader *from,
                       char kind,
                       size_t item_size,
                       void *out)
{
    if (!from->is_native || array->kind != kind || (size_t)array->item_size != item_size)
        return false;
    if (array->n_items > 0)
        memcpy(out, array->data, (size_t)array->n_items * item_size);
    return true;
}

opn_status opn_i_ndarray_to_i64(opn_ctx *ctx,
                                const char *what,
                                const opn_i_ndarray *array,
                                int64_t *out)
{
    opn_status status = OPN_OK;
    reader from;
    block items;
    OPN_TRY(reader_init(ctx, what, array, &from));
    if (copy_as_is(array, &from, 'i', sizeof(*out), out))
        goto cleanup;
    for (int64_t done = 0; done < array->n_items;) {
        const size_t n = reader_next(&from, &items);
        OPN_TRY(to_integers(ctx, what, from.family, done, n, &items));
        memcpy(out + done, items.i, n * sizeof(*out));
        done += (int64_t)n;
    }
cleanup:
    return status;
}

opn_status opn_i_ndarray_to_i32(opn_ctx *ctx,
                                const char *what,
                                const opn_i_ndarray *array,
                                int32_t *out)
{
    opn_status status = OPN_OK;
    reader from;
    block items;
    OPN_TRY(reader_init(ctx, what, array, &from));
    if (copy_as_is(array, &from, 'i', sizeof(*out), out))
        goto cleanup;
    for (int64_t done = 0; done < array->n_items;) {
        const size_t n = reader_next(&from, &items);
        OPN_TRY(to_integers(ctx, what, from.family, done, n, &items));
        for (size_t i = 0; i < n; i++, done++) {
            OPN_FAIL_IF(ctx, items.i[i] < INT32_MIN || items.i[i] > INT32_MAX,
                        OPN_ERR_FORMAT,
                        "%s: item %" PRId64 " is %" PRId64 ", beyond 32-bit integers",
                        what, done, items.i[i]);
            out[done] = (int32_t)items.i[i];
        }
    }
cleanup:
    return status;
}

opn_status opn_i_ndarray_to_f64(opn_ctx *ctx,
                                const char *what,
                                const opn_i_ndarray *array,
                                double *out)
{
    opn_status status = OPN_OK;
    reader from;
    block items;
    OPN_TRY(reader_init(ctx, what, array, &from));
    if (copy_as_is(array, &from, 'f', sizeof(*out), out))
        goto cleanup;
    for (int64_t done = 0; done < array->n_items;) {
        const size_t n = reader_next(&from, &items);
        to_doubles(from.family, n, &items);
        memcpy(out + done, items.f, n * sizeof(*out));
        done += (int64_t)n;
    }
cleanup:
    return status;
}

opn_status opn_i_ndarray_to_f32(opn_ctx *ctx,
                                const char *what,
                                const opn_i_ndarray *array,
                                float *out)
{
    // Halfway from the largest float to the next power of two: from here on rounding
    // would turn a finite number into infinity.
    const double limit = 0x1.ffffffp127;
    opn_status status = OPN_OK;
    reader from;
    block items;
    OPN_TRY(reader_init(ctx, what, array, &from));
    if (copy_as_is(array, &from, 'f', sizeof(*out), out))
        goto cleanup;
    for (int64_t done = 0; done < array->n_items;) {
        const size_t n = reader_next(&from, &items);
        to_doubles(from.family, n, &items);
        for (size_t i = 0; i < n; i++, done++) {
            const double item = items.f[i];
            const double size = item < 0 ? -item : item;
            OPN_FAIL_IF(ctx, size >= limit && size <= DBL_MAX, OPN_ERR_FORMAT,
                        "%s: item %" PRId64 " is %.9g, beyond 32-bit floats", what, done,
                        item);
            out[done] = (float)item;
        }
    }
cleanup:
    return status;
}

bool opn_i_ndarray_is_ones(const opn_i_ndarray *array)
{
    const number_type *type = type_of(array);
    block items;
    if (type == NULL || array->n_items == 0)
        return false;
    const size_t size = (size_t)array->item_size;
    (is_swapped(array) ? type->load_swapped : type->load)(array->data, size, 1, 0,
                                                          &items);
    const bool begins_with_one =
            type->family == FAMILY_FLOAT ? items.f[0] == 1 : items.u[0] == 1;
    // The others are ones if each is equal to the one before it.
    return begins_with_one && memcmp(array->data, array->data + size,
                                     ((size_t)array->n_items - 1) * size) == 0;
}
