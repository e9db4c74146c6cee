// pickle_fuzz.c -- any bytes as a pickle: a value that can be used, or an error.

#include "arrays/pickle.h"
#include "fuzz_target.h"

static volatile unsigned char sink;

// Out of bounds is what the sanitisers look for, so every byte is read.
static void read_bytes(const void *data, size_t n)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < n; i++)
        sink = bytes[i];
}

static void read_array(const opn_i_ndarray *array)
{
    read_bytes(array->data, (size_t)array->n_items * (size_t)array->item_size);
}

// The items of a list, a tuple, a dict or an array of objects; NULL for other values.
static const opn_i_pickle_list *items_of(const opn_i_pickle_value *value)
{
    if (value->kind == OPN_PICKLE_TUPLE || value->kind == OPN_PICKLE_LIST ||
        value->kind == OPN_PICKLE_DICT)
        return value->as.list;
    return opn_i_pickle_objects(value);
}

static void read_value(const opn_i_pickle_value *value)
{
    fuzz_check(value->kind != OPN_PICKLE_UNSET);
    if (value->kind == OPN_PICKLE_TEXT || value->kind == OPN_PICKLE_BYTES)
        read_bytes(value->as.text->chars, value->as.text->n);
    if (value->kind == OPN_PICKLE_NDARRAY)
        read_array(value->as.array);
    if (value->kind == OPN_PICKLE_SPARSE) {
        read_array(value->as.sparse->indptr);
        read_array(value->as.sparse->indices);
        read_array(value->as.sparse->data);
    }
    fuzz_check(value->kind != OPN_PICKLE_DICT || value->as.list->n % 2 == 0);
}

// To a fixed depth, as pickle.h asks of its callers; two levels are all that files of
// graphs have.
static void read_tree(const opn_i_pickle_value *root)
{
    const opn_i_pickle_list *items = items_of(root);
    read_value(root);
    for (size_t i = 0; items != NULL && i < items->n; i++) {
        const opn_i_pickle_list *inner = items_of(&items->item[i]);
        read_value(&items->item[i]);
        for (size_t j = 0; inner != NULL && j < inner->n; j++)
            read_value(&inner->item[j]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    opn_ctx *ctx = NULL;
    opn_i_pickle *pickle = NULL;
    if (opn_ctx_create(NULL, &ctx) != OPN_OK)
        return 0;
    const opn_status status = opn_i_pickle_load(ctx, "fuzz.pickle", data, size, &pickle);
    fuzz_check((status == OPN_OK) == (pickle != NULL));
    if (status == OPN_OK)
        read_tree(opn_i_pickle_root(pickle));
    opn_i_pickle_free(pickle);
    opn_ctx_free(ctx);
    return 0;
}
