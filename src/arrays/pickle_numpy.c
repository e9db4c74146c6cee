// pickle_numpy.c -- types, arrays, scalars and matrices as NumPy and SciPy pickle them.

#include "arrays/pickle_machine.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

// ---- types ---------------------------------------------------------------------------

opn_status opn_i_pickle_dtype_of(opn_i_pickle_machine *m,
                                 const opn_i_pickle_list *args,
                                 opn_i_pickle_value *out)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(m->ctx, args->n == 0 || !opn_i_pickle_is_text(&args->item[0]),
                OPN_ERR_FORMAT, "wrong arguments; expected the name of a type");
    const opn_i_pickle_text *name = args->item[0].as.text;
    OPN_FAIL_IF(m->ctx, name->n == 0 || name->n >= OPN_PICKLE_MAX_TYPE, OPN_ERR_FORMAT,
                "a type name of %zu characters; expected a name such as f8", name->n);

    opn_i_pickle_dtype *dtype = opn_i_pickle_take(m->pickle, 1, sizeof(*dtype));
    OPN_FAIL_IF(m->ctx, dtype == NULL, OPN_ERR_NOMEM, "out of memory for a type");
    dtype->type[0] = '<'; // until BUILD says otherwise
    memcpy(dtype->type + 1, name->chars, name->n);
    out->kind = OPN_PICKLE_DTYPE;
    out->as.dtype = dtype;
cleanup:
    return status;
}

// State of a dtype: version, byte order, None, None, None, size, alignment, flags.
static opn_status build_dtype(opn_i_pickle_machine *m,
                              opn_i_pickle_dtype *dtype,
                              const opn_i_pickle_value *state)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(m->ctx, state->kind != OPN_PICKLE_TUPLE || state->as.list->n < 8,
                OPN_ERR_FORMAT, "the state of a type is not a tuple of 8");
    const opn_i_pickle_value *item = state->as.list->item;
    OPN_FAIL_IF(m->ctx, !opn_i_pickle_is_text(&item[1]) || item[1].as.text->n != 1,
                OPN_ERR_FORMAT, "the byte order of a type is not a single character");
    for (int i = 2; i < 5; i++)
        OPN_FAIL_IF(m->ctx, item[i].kind != OPN_PICKLE_NONE, OPN_ERR_UNSUPPORTED,
                    "an array of records; only arrays of numbers and text are read");
    const char order = item[1].as.text->chars[0];
    OPN_FAIL_IF(
            m->ctx, order == '\0' || strchr("<>|=", order) == NULL, OPN_ERR_FORMAT,
            "byte order 0x%02x; expected one of < > | =", (unsigned)(unsigned char)order);
    dtype->type[0] = order;
cleanup:
    return status;
}

// ---- arrays --------------------------------------------------------------------------

opn_status opn_i_pickle_new_array(opn_i_pickle_machine *m, opn_i_pickle_value *out)
{
    opn_i_pickle_array *made = opn_i_pickle_take(m->pickle, 1, sizeof(*made));
    if (made == NULL)
        return opn_i_fail_nomem(m->ctx, 1, sizeof(*made));
    m->n_unbuilt++;
    out->kind = OPN_PICKLE_NDARRAY;
    out->as.array = &made->array;
    return OPN_OK;
}

static bool is_built(const opn_i_ndarray *array)
{
    return array->kind != '\0';
}

static opn_status read_shape(opn_i_pickle_machine *m,
                             const opn_i_pickle_value *value,
                             int64_t shape[OPN_NDARRAY_MAX_DIMS],
                             int *n_dims)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(m->ctx, value->kind != OPN_PICKLE_TUPLE, OPN_ERR_FORMAT,
                "the shape is %s; expected a tuple of ints",
                opn_i_pickle_kind_name(value->kind));
    const opn_i_pickle_list *tuple = value->as.list;
    OPN_FAIL_IF(m->ctx, tuple->n > OPN_NDARRAY_MAX_DIMS, OPN_ERR_FORMAT,
                "%zu dimensions; at most %d are read", tuple->n, OPN_NDARRAY_MAX_DIMS);
    for (size_t d = 0; d < tuple->n; d++) {
        OPN_FAIL_IF(m->ctx, tuple->item[d].kind != OPN_PICKLE_INT, OPN_ERR_FORMAT,
                    "the shape holds %s; expected a tuple of ints",
                    opn_i_pickle_kind_name(tuple->item[d].kind));
        shape[d] = tuple->item[d].as.integer;
    }
    *n_dims = (int)tuple->n;
cleanup:
    return status;
}

// Fills an array with Python objects, which are the items of a list.
static opn_status fill_objects(opn_i_pickle_machine *m,
                               const int64_t *shape,
                               int n_dims,
                               const opn_i_pickle_value *content,
                               opn_i_ndarray *array)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(m->ctx, content->kind != OPN_PICKLE_LIST, OPN_ERR_FORMAT,
                "the content of an array of objects is %s; expected a list",
                opn_i_pickle_kind_name(content->kind));
    opn_i_ndarray counted = {.item_size = 1}; // an object takes a place in the list
    OPN_TRY(opn_i_ndarray_set_shape(m->ctx, "array", shape, n_dims, content->as.list->n,
                                    &counted));
    *array = counted;
    array->kind = 'O';
    array->item_size = 0;
    opn_i_pickle_array_of(array)->objects = content->as.list;
cleanup:
    return status;
}

static bool is_object_type(const opn_i_pickle_value *dtype)
{
    return dtype->kind == OPN_PICKLE_DTYPE && dtype->as.dtype->type[1] == 'O';
}

// Fills the array, which must not have been filled before.
static opn_status fill_array(opn_i_pickle_machine *m,
                             const opn_i_pickle_value *dtype,
                             const int64_t *shape,
                             int n_dims,
                             const opn_i_pickle_value *bytes,
                             opn_i_ndarray *array)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(m->ctx, dtype->kind != OPN_PICKLE_DTYPE, OPN_ERR_FORMAT,
                "the type of an array is %s; expected numpy.dtype",
                opn_i_pickle_kind_name(dtype->kind));
    const char *type = dtype->as.dtype->type;
    OPN_TRY(opn_i_ndarray_set_type(m->ctx, "array", type, strlen(type), array));
    OPN_FAIL_IF(m->ctx, bytes->kind != OPN_PICKLE_BYTES, OPN_ERR_FORMAT,
                "the content of an array is %s; expected a byte string",
                opn_i_pickle_kind_name(bytes->kind));
    OPN_TRY(opn_i_ndarray_set_shape(m->ctx, "array", shape, n_dims, bytes->as.text->n,
                                    array));
    array->data = (const unsigned char *)bytes->as.text->chars;
cleanup:
    return status;
}

// State of an array: version, shape, dtype, whether in Fortran order, content.
static opn_status build_array(opn_i_pickle_machine *m,
                              opn_i_ndarray *array,
                              const opn_i_pickle_value *state)
{
    opn_status status = OPN_OK;
    int64_t shape[OPN_NDARRAY_MAX_DIMS];
    int n_dims = 0;
    OPN_FAIL_IF(m->ctx, is_built(array), OPN_ERR_FORMAT, "an array is filled twice");
    OPN_FAIL_IF(m->ctx, state->kind != OPN_PICKLE_TUPLE || state->as.list->n != 5,
                OPN_ERR_FORMAT, "the state of an array is not a tuple of 5");
    const opn_i_pickle_value *item = state->as.list->item;
    OPN_FAIL_IF(m->ctx, item[3].kind != OPN_PICKLE_BOOL && item[3].kind != OPN_PICKLE_INT,
                OPN_ERR_FORMAT, "the order of an array is %s; expected a bool",
                opn_i_pickle_kind_name(item[3].kind));
    OPN_TRY(read_shape(m, &item[1], shape, &n_dims));
    if (is_object_type(&item[2])) { // always in C order
        OPN_TRY(fill_objects(m, shape, n_dims, &item[4], array));
    } else {
        OPN_TRY(fill_array(m, &item[2], shape, n_dims, &item[4], array));
        array->fortran_order = item[3].as.integer != 0;
    }
    m->n_unbuilt--;
cleanup:
    return status;
}

opn_status opn_i_pickle_from_buffer(opn_i_pickle_machine *m,
                                    const opn_i_pickle_list *args,
                                    opn_i_pickle_value *out)
{
    opn_status status = OPN_OK;
    int64_t shape[OPN_NDARRAY_MAX_DIMS];
    int n_dims = 0;
    OPN_FAIL_IF(m->ctx, args->n != 4, OPN_ERR_FORMAT,
                "%zu arguments; expected bytes, type, shape and order", args->n);
    const bool is_fortran = opn_i_pickle_equals(&args->item[3], "F");
    OPN_FAIL_IF(m->ctx, !is_fortran && !opn_i_pickle_equals(&args->item[3], "C"),
                OPN_ERR_FORMAT, "an order that is neither 'C' nor 'F'");
    OPN_TRY(read_shape(m, &args->item[2], shape, &n_dims));
    OPN_TRY(opn_i_pickle_new_array(m, out));
    OPN_TRY(fill_array(m, &args->item[1], shape, n_dims, &args->item[0], out->as.array));
    out->as.array->fortran_order = is_fortran;
    m->n_unbuilt--;
cleanup:
    return status;
}

// The text of a scalar, which NumPy stores in four bytes per character.
static opn_status
scalar_text(opn_i_pickle_machine *m, const opn_i_ndarray *item, opn_i_pickle_value *out)
{
    opn_status status = OPN_OK;
    const size_t room = opn_i_ndarray_text_room(item);
    size_t n_chars = 0;
    OPN_TRY(opn_i_pickle_spend(m, room)); // the bytes may be shared by many scalars
    char *chars = opn_i_pickle_take(m->pickle, room, 1);
    OPN_FAIL_IF(m->ctx, chars == NULL, OPN_ERR_NOMEM, "out of memory for a text");
    OPN_TRY(opn_i_ndarray_text(m->ctx, "scalar", item, 0, chars, &n_chars));
    OPN_TRY(opn_i_pickle_new_text(m, OPN_PICKLE_TEXT, chars, n_chars, out));
cleanup:
    return status;
}

opn_status opn_i_pickle_scalar(opn_i_pickle_machine *m,
                               const opn_i_pickle_list *args,
                               opn_i_pickle_value *out)
{
    opn_status status = OPN_OK;
    opn_i_ndarray item = {0};
    OPN_FAIL_IF(m->ctx, args->n != 2, OPN_ERR_FORMAT,
                "%zu arguments; expected type and bytes", args->n);
    OPN_TRY(fill_array(m, &args->item[0], NULL, 0, &args->item[1], &item));
    if (item.kind == 'U') {
        OPN_TRY(scalar_text(m, &item, out));
    } else if (item.kind == 'S') {
        *out = args->item[1];
    } else if (item.kind == 'f') {
        out->kind = OPN_PICKLE_REAL;
        OPN_TRY(opn_i_ndarray_to_f64(m->ctx, "scalar", &item, &out->as.real));
    } else {
        out->kind = item.kind == 'b' ? OPN_PICKLE_BOOL : OPN_PICKLE_INT;
        OPN_TRY(opn_i_ndarray_to_i64(m->ctx, "scalar", &item, &out->as.integer));
    }
cleanup:
    return status;
}

// ---- matrices ------------------------------------------------------------------------

opn_status opn_i_pickle_new_sparse(opn_i_pickle_machine *m,
                                   opn_i_sparse_layout layout,
                                   opn_i_pickle_value *out)
{
    opn_i_pickle_sparse *sparse = opn_i_pickle_take(m->pickle, 1, sizeof(*sparse));
    if (sparse == NULL)
        return opn_i_fail_nomem(m->ctx, 1, sizeof(*sparse));
    sparse->layout = layout;
    m->n_unbuilt++;
    out->kind = OPN_PICKLE_SPARSE;
    out->as.sparse = sparse;
    return OPN_OK;
}

// Value of a text key, the last if repeated, as in Python; NULL if it is missing.
static const opn_i_pickle_value *find_key(const opn_i_pickle_list *dict, const char *key)
{
    for (size_t i = dict->n; i >= 2; i -= 2)
        if (opn_i_pickle_equals(&dict->item[i - 2], key))
            return &dict->item[i - 1];
    return NULL;
}

// A part of the matrix, which must be a one-dimensional array; NULL if it is missing.
static opn_status take_vector(opn_i_pickle_machine *m,
                              const opn_i_pickle_value *value,
                              const char *key,
                              const opn_i_ndarray **out)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(m->ctx, value == NULL, OPN_ERR_FORMAT, "the matrix has no '%s'", key);
    OPN_FAIL_IF(m->ctx, value->kind != OPN_PICKLE_NDARRAY || !is_built(value->as.array),
                OPN_ERR_FORMAT, "'%s' of the matrix is not a filled array", key);
    OPN_FAIL_IF(m->ctx, value->as.array->n_dims != 1, OPN_ERR_FORMAT,
                "'%s' of the matrix has %d dimensions; expected one", key,
                value->as.array->n_dims);
    *out = value->as.array;
cleanup:
    return status;
}

static opn_status find_vector(opn_i_pickle_machine *m,
                              const opn_i_pickle_list *dict,
                              const char *key,
                              const opn_i_ndarray **out)
{
    return take_vector(m, find_key(dict, key), key, out);
}

// Row and column numbers: a tuple of two since SciPy 1.13, before that two members.
static opn_status find_coordinates(opn_i_pickle_machine *m,
                                   const opn_i_pickle_list *dict,
                                   const opn_i_ndarray **row,
                                   const opn_i_ndarray **col)
{
    opn_status status = OPN_OK;
    const opn_i_pickle_value *pair = find_key(dict, "coords");
    if (pair == NULL) {
        OPN_TRY(find_vector(m, dict, "row", row));
        OPN_TRY(find_vector(m, dict, "col", col));
        goto cleanup;
    }
    OPN_FAIL_IF(m->ctx, pair->kind != OPN_PICKLE_TUPLE || pair->as.list->n != 2,
                OPN_ERR_FORMAT, "'coords' of the matrix is not a tuple of 2");
    OPN_TRY(take_vector(m, &pair->as.list->item[0], "coords", row));
    OPN_TRY(take_vector(m, &pair->as.list->item[1], "coords", col));
cleanup:
    return status;
}

static opn_status
find_shape(opn_i_pickle_machine *m, const opn_i_pickle_list *dict, int64_t shape[2])
{
    opn_status status = OPN_OK;
    int64_t found[OPN_NDARRAY_MAX_DIMS];
    int n_dims = 0;
    const opn_i_pickle_value *value = find_key(dict, "_shape");
    OPN_FAIL_IF(m->ctx, value == NULL, OPN_ERR_FORMAT, "the matrix has no '_shape'");
    OPN_TRY(read_shape(m, value, found, &n_dims));
    OPN_FAIL_IF(m->ctx, n_dims != 2, OPN_ERR_FORMAT,
                "the matrix has %d dimensions; expected two", n_dims);
    OPN_FAIL_IF(m->ctx, found[0] < 0 || found[1] < 0, OPN_ERR_FORMAT,
                "the matrix has shape (%" PRId64 ", %" PRId64 ")", found[0], found[1]);
    shape[0] = found[0];
    shape[1] = found[1];
cleanup:
    return status;
}

static opn_status check_sparse(opn_i_pickle_machine *m, const opn_i_pickle_sparse *sparse)
{
    opn_status status = OPN_OK;
    assert(sparse->indptr != NULL && sparse->indices != NULL && sparse->data != NULL);
    const bool by_columns = sparse->layout == OPN_SPARSE_COLUMNS;
    const int64_t n_entries = sparse->indices->n_items;
    const int64_t n_lines = sparse->shape[by_columns ? 1 : 0];
    OPN_FAIL_IF(m->ctx, n_entries != sparse->data->n_items, OPN_ERR_FORMAT,
                "the matrix has %" PRId64 " indices for %" PRId64 " values", n_entries,
                sparse->data->n_items);
    if (sparse->layout == OPN_SPARSE_TRIPLES) {
        OPN_FAIL_IF(m->ctx, sparse->indptr->n_items != n_entries, OPN_ERR_FORMAT,
                    "the matrix has %" PRId64 " row numbers for %" PRId64 " values",
                    sparse->indptr->n_items, n_entries);
        goto cleanup;
    }
    OPN_FAIL_IF(m->ctx, sparse->indptr->n_items - 1 != n_lines, OPN_ERR_FORMAT,
                "the matrix has %" PRId64 " offsets for %" PRId64
                " %s; expected one more",
                sparse->indptr->n_items, n_lines, by_columns ? "columns" : "rows");
cleanup:
    return status;
}

static opn_status build_sparse(opn_i_pickle_machine *m,
                               opn_i_pickle_sparse *sparse,
                               const opn_i_pickle_value *state)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(m->ctx, sparse->data != NULL, OPN_ERR_FORMAT, "a matrix is filled twice");
    OPN_FAIL_IF(m->ctx, state->kind != OPN_PICKLE_DICT, OPN_ERR_FORMAT,
                "the state of a matrix is %s; expected a dict",
                opn_i_pickle_kind_name(state->kind));
    const opn_i_pickle_list *dict = state->as.list;
    opn_i_pickle_sparse found = {.layout = sparse->layout};
    OPN_TRY(opn_i_pickle_spend(m, dict->n));
    OPN_TRY(find_shape(m, dict, found.shape));
    if (found.layout == OPN_SPARSE_TRIPLES) {
        OPN_TRY(find_coordinates(m, dict, &found.indptr, &found.indices));
    } else {
        OPN_TRY(find_vector(m, dict, "indptr", &found.indptr));
        OPN_TRY(find_vector(m, dict, "indices", &found.indices));
    }
    OPN_TRY(find_vector(m, dict, "data", &found.data));
    OPN_TRY(check_sparse(m, &found));
    *sparse = found;
    m->n_unbuilt--;
cleanup:
    return status;
}

opn_status opn_i_pickle_build(opn_i_pickle_machine *m,
                              const opn_i_pickle_value *object,
                              const opn_i_pickle_value *state)
{
    if (object->kind == OPN_PICKLE_DTYPE)
        return build_dtype(m, object->as.dtype, state);
    if (object->kind == OPN_PICKLE_NDARRAY)
        return build_array(m, object->as.array, state);
    if (object->kind == OPN_PICKLE_SPARSE)
        return build_sparse(m, object->as.sparse, state);
    return opn_i_fail(m->ctx, OPN_ERR_FORMAT, "gives a state to %s",
                      opn_i_pickle_kind_name(object->kind));
}
