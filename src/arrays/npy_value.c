// npy_value.c -- the content of an npy file that may hold Python objects.

#include "arrays/npy_value.h"

#include "arrays/npy.h"
#include "base/number.h"
#include "io/utf8.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Room for any number as text: "%.17g" takes at most 24 characters.
enum { NUMBER_ROOM = 32 };

// ---- reading -------------------------------------------------------------------------

static void set_shape(opn_i_npy_value *value, const int64_t *shape, int n_dims)
{
    value->n_dims = n_dims;
    memcpy(value->shape, shape, (size_t)n_dims * sizeof(*shape));
}

// The shape that the list really has: a hostile file may add to it after the array was
// made.
static opn_status take_objects(opn_ctx *ctx,
                               const char *what,
                               const opn_i_ndarray *array,
                               const opn_i_pickle_list *objects,
                               opn_i_npy_value *value)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, objects->n != (size_t)array->n_items, OPN_ERR_FORMAT,
                "%s: %zu objects for %" PRId64 " places", what, objects->n,
                array->n_items);
    value->objects = objects;
    set_shape(value, array->shape, array->n_dims);
cleanup:
    return status;
}

// What a single object is: numpy.savez() wraps a matrix or a list in an array without
// dimensions.
static opn_status take_single(opn_ctx *ctx,
                              const char *what,
                              const opn_i_pickle_value *item,
                              opn_i_npy_value *value)
{
    opn_status status = OPN_OK;
    if (item->kind == OPN_PICKLE_SPARSE) {
        value->sparse = item->as.sparse;
        set_shape(value, value->sparse->shape, 2);
    } else if (item->kind == OPN_PICKLE_LIST) {
        const int64_t n = (int64_t)item->as.list->n;
        value->objects = item->as.list;
        set_shape(value, &n, 1);
    } else if (item->kind == OPN_PICKLE_NDARRAY && opn_i_pickle_objects(item) == NULL) {
        value->array = *item->as.array;
        set_shape(value, value->array.shape, value->array.n_dims);
    } else {
        OPN_FAIL_IF(ctx, true, OPN_ERR_UNSUPPORTED,
                    "%s: holds %s; only an array, a list or a SciPy matrix is read from "
                    "Python objects",
                    what, opn_i_pickle_kind_name(item->kind));
    }
cleanup:
    return status;
}

static opn_status
read_objects(opn_ctx *ctx, const char *what, size_t n_header, opn_i_npy_value *value)
{
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_pickle_load(ctx, what, value->bytes.data + n_header,
                              value->bytes.n - n_header, &value->pickle));
    const opn_i_pickle_value *root = opn_i_pickle_root(value->pickle);
    const opn_i_pickle_list *objects = opn_i_pickle_objects(root);
    OPN_FAIL_IF(ctx, objects == NULL, OPN_ERR_FORMAT,
                "%s: holds %s; expected an array of Python objects, as its header says",
                what, opn_i_pickle_kind_name(root->kind));
    if (root->as.array->n_dims == 0 && objects->n == 1)
        OPN_TRY(take_single(ctx, what, &objects->item[0], value));
    else
        OPN_TRY(take_objects(ctx, what, root->as.array, objects, value));
cleanup:
    return status;
}

opn_status opn_i_npy_value_read(opn_ctx *ctx,
                                const char *what,
                                opn_i_bytes *take,
                                opn_i_npy_value *out)
{
    opn_status status = OPN_OK;
    opn_i_npy_value value = {.bytes = *take};
    opn_i_npy_about about;
    *take = (opn_i_bytes){0};
    OPN_TRY(opn_i_npy_look(ctx, what, value.bytes.data, value.bytes.n, &about));
    if (strcmp(about.type, "|O") == 0 || strcmp(about.type, "O") == 0) {
        OPN_TRY(read_objects(ctx, what, about.n_header, &value));
    } else {
        OPN_TRY(opn_i_npy_read(ctx, what, value.bytes.data, value.bytes.n, &value.array));
        set_shape(&value, value.array.shape, value.array.n_dims);
    }
    *out = value;
    value = (opn_i_npy_value){0};
cleanup:
    opn_i_npy_value_release(ctx, &value);
    return status;
}

void opn_i_npy_value_release(opn_ctx *ctx, opn_i_npy_value *value)
{
    opn_i_pickle_free(value->pickle);
    opn_i_bytes_release(ctx, &value->bytes);
    *value = (opn_i_npy_value){0};
}

int64_t opn_i_npy_value_n_items(const opn_i_npy_value *value)
{
    return value->objects != NULL ? (int64_t)value->objects->n : value->array.n_items;
}

// ---- text ----------------------------------------------------------------------------

static bool is_text(const opn_i_pickle_value *item)
{
    return item->kind == OPN_PICKLE_TEXT || item->kind == OPN_PICKLE_BYTES;
}

opn_status opn_i_npy_value_text_room(opn_ctx *ctx,
                                     const char *what,
                                     const opn_i_npy_value *value,
                                     size_t *room)
{
    opn_status status = OPN_OK;
    const size_t n_objects = value->objects != NULL ? value->objects->n : 0;
    size_t longest = value->objects != NULL ? 0 : opn_i_ndarray_text_room(&value->array);
    const size_t n_file =
            value->bytes.n_packed > 0 ? value->bytes.n_packed : value->bytes.n;
    size_t n_all = 0;
    for (size_t i = 0; i < n_objects; i++) {
        const opn_i_pickle_value *item = &value->objects->item[i];
        const size_t n = is_text(item) ? item->as.text->n : 0;
        longest = n > longest ? n : longest;
        n_all += n;
        OPN_FAIL_IF(ctx, !opn_i_expansion_allowed(n_file, n_all), OPN_ERR_FORMAT,
                    "%s: the same long texts are used over and over", what);
    }
    *room = longest < NUMBER_ROOM ? NUMBER_ROOM : longest + 1;
cleanup:
    return status;
}

static opn_status object_text(opn_ctx *ctx,
                              const char *what,
                              const opn_i_pickle_value *item,
                              int64_t i,
                              char *out,
                              size_t *n_chars)
{
    opn_status status = OPN_OK;
    out[0] = 0;
    if (is_text(item)) {
        const opn_i_pickle_text *text = item->as.text;
        OPN_FAIL_IF(ctx,
                    !opn_i_utf8_is_valid((const unsigned char *)text->chars, text->n) ||
                            (text->n > 0 && memchr(text->chars, 0, text->n) != NULL),
                    OPN_ERR_FORMAT, "%s: item %" PRId64 " is not UTF-8 without NULs",
                    what, i);
        if (text->n > 0)
            memcpy(out, text->chars, text->n);
        out[text->n] = 0;
    } else if (item->kind == OPN_PICKLE_INT || item->kind == OPN_PICKLE_BOOL) {
        snprintf(out, NUMBER_ROOM, "%" PRId64, item->as.integer);
    } else if (item->kind == OPN_PICKLE_REAL) {
        if (!isnan(item->as.real))
            opn_i_format(out, NUMBER_ROOM, "%.17g", item->as.real);
    } else {
        OPN_FAIL_IF(ctx, item->kind != OPN_PICKLE_NONE, OPN_ERR_FORMAT,
                    "%s: item %" PRId64 " is %s; expected text or a number", what, i,
                    opn_i_pickle_kind_name(item->kind));
    }
    *n_chars = strlen(out);
cleanup:
    return status;
}

opn_status opn_i_npy_value_text(opn_ctx *ctx,
                                const char *what,
                                const opn_i_npy_value *value,
                                int64_t i,
                                char *out,
                                size_t *n_chars)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, value->sparse != NULL, OPN_ERR_FORMAT,
                "%s: holds a matrix, not text", what);
    assert(i >= 0 && i < opn_i_npy_value_n_items(value));
    if (value->objects != NULL) {
        OPN_TRY(object_text(ctx, what, &value->objects->item[i], i, out, n_chars));
    } else {
        OPN_TRY(opn_i_ndarray_text(ctx, what, &value->array, i, out, n_chars));
        out[*n_chars] = 0;
    }
cleanup:
    return status;
}
