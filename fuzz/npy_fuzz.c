// npy_fuzz.c -- any bytes as a .npy file, then every conversion of what it holds.

#include "arrays/npy.h"
#include "fuzz_target.h"

#include <stdlib.h>

// Out of bounds is what the sanitisers look for; the room for text is checked here.
static void convert(opn_ctx *ctx, const opn_i_ndarray *array)
{
    const size_t n_items = (size_t)array->n_items;
    void *out = malloc(n_items * sizeof(double) + 1);
    char *text = malloc(opn_i_ndarray_text_room(array) + 1);
    size_t n_chars;
    opn_status status = opn_i_ndarray_to_i64(ctx, "fuzz.npy", array, out);
    status = opn_i_ndarray_to_i32(ctx, "fuzz.npy", array, out);
    status = opn_i_ndarray_to_f64(ctx, "fuzz.npy", array, out);
    status = opn_i_ndarray_to_f32(ctx, "fuzz.npy", array, out);
    for (int64_t i = 0; i < array->n_items; i++) {
        status = opn_i_ndarray_text(ctx, "fuzz.npy", array, i, text, &n_chars);
        fuzz_check(status != OPN_OK || n_chars <= opn_i_ndarray_text_room(array));
    }
    free(text);
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    opn_ctx *ctx = NULL;
    opn_i_ndarray array;
    if (opn_ctx_create(NULL, &ctx) != OPN_OK)
        return 0;
    if (opn_i_npy_read(ctx, "fuzz.npy", data, size, &array) == OPN_OK) {
        fuzz_check((size_t)array.n_items * (size_t)array.item_size <= size);
        convert(ctx, &array);
    }
    opn_ctx_free(ctx);
    return 0;
}
