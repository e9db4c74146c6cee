// safetensors_mutator.c -- changes types, shapes and texts in the header of a safetensors
// file, lays the tensors out anew and gives the header its length; or changes the data
// alone.

#include "mutator.h"

#include <jansson.h>

enum { LENGTH = 8, MORE = 32 };

static const struct {
    const char *name;
    json_int_t n_bytes;
} types[] = {{"F32", 4}, {"I32", 4}, {"I64", 8},  {"F64", 8}, {"U8", 1},
             {"I8", 1},  {"F16", 2}, {"BF16", 2}, {"BOOL", 1}};
enum { N_TYPES = sizeof(types) / sizeof(types[0]) };

static const char metadata[] = "__metadata__";

// The i-th member of the object, modulo their number; NULL if it has none.
static const char *member_name(json_t *object, size_t i)
{
    const char *name = NULL;
    json_t *value = NULL;
    const size_t n = json_object_size(object);
    if (n == 0)
        return NULL;
    i %= n;
    json_object_foreach(object, name, value)
    {
        if (i-- == 0)
            return name;
    }
    return NULL;
}

// ---- changing ------------------------------------------------------------------------

static void change_shape(json_t *shape, uint32_t *state)
{
    static const json_int_t sizes[] = {0, 1, 2, 3, 16, 255, 65536, 1LL << 31, 1LL << 62};
    const json_int_t size = sizes[mutator_draw(state, sizeof(sizes) / sizeof(sizes[0]))];
    const size_t n = json_array_size(shape);
    if (n == 0 || mutator_draw(state, 4) == 0)
        json_array_append_new(shape, json_integer(size));
    else if (mutator_draw(state, 4) == 0)
        json_array_remove(shape, mutator_draw(state, n));
    else
        json_array_set_new(shape, mutator_draw(state, n), json_integer(size));
}

static void change_text(json_t *object, const char *name)
{
    static mutant work;
    const char *text = json_string_value(json_object_get(object, name));
    work.n = 0;
    work.is_full = false;
    if (text == NULL)
        return;
    mutant_put_changed(&work, (const uint8_t *)text, strlen(text), MORE);
    // NULL, which leaves the member alone, for what is not UTF-8.
    json_object_set_new(object, name, json_stringn((const char *)work.bytes, work.n));
}

static void change_header(json_t *header, uint32_t *state)
{
    json_t *about = json_object_get(header, metadata);
    const char *name = member_name(header, mutator_draw(state, 1 << 16));
    json_t *tensor = json_object_get(header, name != NULL ? name : metadata);
    switch (mutator_draw(state, 6)) {
    case 0:
        json_object_set_new(tensor, "dtype",
                            json_string(types[mutator_draw(state, N_TYPES)].name));
        break;
    case 1:
        change_shape(json_object_get(tensor, "shape"), state);
        break;
    case 2:
        json_object_del(header, name != NULL ? name : metadata);
        break;
    case 3: { // the same under the name of another, or under a new one
        const char *other = member_name(header, mutator_draw(state, 1 << 16));
        json_t *copy = json_deep_copy(tensor);
        json_object_set_new(header, mutator_draw(state, 2) == 0 && other ? other : "w",
                            copy);
        break;
    }
    case 4:
        name = member_name(about, mutator_draw(state, 1 << 16));
        json_object_del(about, name != NULL ? name : "");
        break;
    default:
        name = member_name(about, mutator_draw(state, 1 << 16));
        change_text(about, name != NULL ? name : "");
        break;
    }
}

// ---- writing -------------------------------------------------------------------------

// Bytes of a tensor as its type and shape have it; 0 if that is absurd.
static json_int_t tensor_size(const json_t *tensor)
{
    const char *type = json_string_value(json_object_get(tensor, "dtype"));
    const json_t *shape = json_object_get(tensor, "shape");
    json_int_t size = 0;
    for (size_t t = 0; t < N_TYPES && type != NULL; t++)
        if (strcmp(types[t].name, type) == 0)
            size = types[t].n_bytes;
    for (size_t d = 0; d < json_array_size(shape); d++) {
        const json_int_t n = json_integer_value(json_array_get(shape, d));
        if (n < 0 || n > MUTATOR_ROOM || size > MUTATOR_ROOM)
            return 0;
        size *= n;
    }
    return size > MUTATOR_ROOM ? 0 : size;
}

// Gives each tensor its place, one after another. Returns the bytes of all.
static size_t lay_out(json_t *header)
{
    const char *name = NULL;
    json_t *tensor = NULL;
    json_int_t at = 0;
    json_object_foreach(header, name, tensor)
    {
        const json_int_t size = strcmp(name, metadata) == 0 ? 0 : tensor_size(tensor);
        if (json_object_get(tensor, "data_offsets") != NULL)
            json_object_set_new(tensor, "data_offsets",
                                json_pack("[I,I]", at, at + size));
        at += size;
    }
    return (size_t)at;
}

static void put_file(mutant *out, const char *header, size_t n_header)
{
    mutant_put_number(out, n_header, LENGTH);
    mutant_put(out, header, n_header);
}

// The data that there were, cut off or continued with zeros.
static void put_data(mutant *out, const uint8_t *data, size_t n_data, size_t n_wanted)
{
    mutant_put(out, data, n_wanted < n_data ? n_wanted : n_data);
    for (size_t i = n_data; i < n_wanted && !out->is_full; i++)
        mutant_put_number(out, 0, 1);
}

static void mutate_structure(
        mutant *out, json_t *header, const uint8_t *data, size_t n_data, uint32_t *state)
{
    change_header(header, state);
    const size_t n_wanted = lay_out(header);
    char *text = json_dumps(header, JSON_COMPACT);
    out->is_full = text == NULL;
    if (text != NULL) {
        put_file(out, text, strlen(text));
        put_data(out, data, n_data, n_wanted);
    }
    free(text);
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    static mutant out;
    uint32_t state = seed;
    uint64_t n_header = 0;
    out.n = 0;
    out.is_full = false;
    for (size_t i = 0; i < LENGTH && size >= LENGTH; i++)
        n_header |= (uint64_t)data[i] << (8 * i);
    if (size < LENGTH || n_header > size - LENGTH || mutator_draw(&state, 8) == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    const uint8_t *rest = data + LENGTH + n_header;
    const size_t n_rest = size - LENGTH - (size_t)n_header;
    json_t *header = json_loadb((const char *)data + LENGTH, (size_t)n_header, 0, NULL);
    const uint32_t what = mutator_draw(&state, 8);
    if (what == 0) { // the data alone
        put_file(&out, (const char *)data + LENGTH, (size_t)n_header);
        mutant_put_changed(&out, rest, n_rest, 0);
    } else if (what == 1 || !json_is_object(header)) { // the text of the header
        mutant_put_number(&out, 0, LENGTH);
        mutant_put_changed(&out, data + LENGTH, (size_t)n_header, MORE);
        for (size_t i = 0; i < LENGTH; i++)
            out.bytes[i] = (uint8_t)((out.n - LENGTH) >> (8 * i));
        mutant_put(&out, rest, n_rest);
    } else {
        mutate_structure(&out, header, rest, n_rest, &state);
    }
    json_decref(header);
    return mutator_finish(&out, data, size, max_size);
}
