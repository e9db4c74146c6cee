// safetensors.c -- reading named tensors and metadata from a file.

#include "io/safetensors.h"

#include "base/number.h"
#include "io/utf8.h"

#include <assert.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

// The limit on the header's length is the reference implementation's. The limit on its
// values is ours: a value of two bytes costs Jansson up to 300, so a header within the
// first limit could still need many gigabytes.
enum {
    MAX_HEADER = 100000000,
    MAX_VALUES = 1 << 18,
    MAX_DEPTH = 3 // header, tensor, shape
};

typedef struct metadata_entry {
    const char *key;
    const char *value;
} metadata_entry;

struct opn_i_safetensors {
    opn_alloc alloc;
    json_t *header;            // owns the strings that the arrays below point to
    opn_i_tensor_view *tensor; // [n_tensors] sorted by name
    size_t n_tensors;
    metadata_entry *metadata; // [n_metadata] sorted by key
    size_t n_metadata;
};

// ---- types ---------------------------------------------------------------------------

static const struct {
    const char *name;
    size_t size;
} type_info[] = {
        [OPN_TENSOR_BOOL] = {"BOOL", 1}, [OPN_TENSOR_U8] = {"U8", 1},
        [OPN_TENSOR_I8] = {"I8", 1},     [OPN_TENSOR_U16] = {"U16", 2},
        [OPN_TENSOR_I16] = {"I16", 2},   [OPN_TENSOR_F16] = {"F16", 2},
        [OPN_TENSOR_BF16] = {"BF16", 2}, [OPN_TENSOR_U32] = {"U32", 4},
        [OPN_TENSOR_I32] = {"I32", 4},   [OPN_TENSOR_F32] = {"F32", 4},
        [OPN_TENSOR_U64] = {"U64", 8},   [OPN_TENSOR_I64] = {"I64", 8},
        [OPN_TENSOR_F64] = {"F64", 8},
};

const char *opn_i_tensor_type_name(opn_i_tensor_type type)
{
    return type_info[type].name;
}

size_t opn_i_tensor_type_size(opn_i_tensor_type type)
{
    return type_info[type].size;
}

static bool find_type(const char *name, opn_i_tensor_type *out)
{
    for (size_t t = 0; t < sizeof(type_info) / sizeof(type_info[0]); t++) {
        if (strcmp(type_info[t].name, name) == 0) {
            *out = (opn_i_tensor_type)t;
            return true;
        }
    }
    return false;
}

bool opn_i_tensor_name_valid(const char *name)
{
    const size_t n = strlen(name);
    if (n == 0 || n > OPN_TENSOR_MAX_NAME)
        return false;
    for (size_t c = 0; c < n; c++) {
        const unsigned char byte = (unsigned char)name[c];
        if (byte < 0x20 || byte == 0x7f)
            return false;
    }
    return opn_i_utf8_is_valid((const unsigned char *)name, n);
}

bool opn_i_tensor_count(opn_i_tensor_type type,
                        const int64_t *shape,
                        int n_dims,
                        size_t *n_items,
                        size_t *n_bytes)
{
    size_t n = 1;
    for (int d = 0; d < n_dims; d++) {
        if (!opn_i_mul(n, (size_t)shape[d], &n))
            return false;
    }
    *n_items = n;
    return opn_i_mul(n, opn_i_tensor_type_size(type), n_bytes) && *n_bytes <= INT64_MAX;
}

// ---- header --------------------------------------------------------------------------

// Every value except the first of its list follows a comma, so counting commas and
// opening brackets outside strings counts all values.
opn_status opn_i_safetensors_check_header(
        opn_ctx *ctx, const char *name, const char *text, size_t n, opn_status code)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, n > MAX_HEADER, code,
                "%s: header of %zu bytes, more than the %d allowed", name, n, MAX_HEADER);
    int depth = 0;
    int n_values = 1;
    bool in_string = false;
    for (size_t c = 0; c < n; c++) {
        if (text[c] == '"') {
            in_string = !in_string;
        } else if (in_string) {
            c += text[c] == '\\';
        } else if (text[c] == '{' || text[c] == '[') {
            depth++;
            n_values++;
        } else if (text[c] == '}' || text[c] == ']') {
            depth--;
        } else if (text[c] == ',') {
            n_values++;
        }
        OPN_FAIL_IF(ctx, depth > MAX_DEPTH, code,
                    "%s: header nested deeper than %d levels at its byte %zu", name,
                    MAX_DEPTH, c);
        OPN_FAIL_IF(ctx, n_values > MAX_VALUES, code, "%s: header of more than %d values",
                    name, MAX_VALUES);
    }
cleanup:
    return status;
}

static opn_status
parse_header(opn_ctx *ctx, const char *name, const char *text, size_t n, json_t **out)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, n == 0 || text[0] != '{', OPN_ERR_FORMAT,
                "%s: header does not begin with '{'; this is not a safetensors "
                "file",
                name);
    OPN_TRY(opn_i_safetensors_check_header(ctx, name, text, n, OPN_ERR_FORMAT));
    json_error_t error;
    json_t *header = json_loadb(text, n, JSON_REJECT_DUPLICATES, &error);
    // Jansson gives no reason when it runs out of memory, except inside a string, where
    // it blames the string.
    if (header == NULL && error.text[0] == '\0')
        return opn_i_fail_nomem(ctx, n, 1);
    // Jansson's message also quotes the file's bytes, which may be anything.
    const char *quote = header == NULL ? strstr(error.text, " near ") : NULL;
    const int n_reason =
            quote != NULL ? (int)(quote - error.text) : JSON_ERROR_TEXT_LENGTH;
    OPN_FAIL_IF(ctx, header == NULL, OPN_ERR_FORMAT, "%s: header: byte %d: %.*s", name,
                error.position, n_reason, error.text);
    *out = header;
cleanup:
    return status;
}

static int compare_keys(const void *a, const void *b)
{
    return strcmp(((const metadata_entry *)a)->key, ((const metadata_entry *)b)->key);
}

static opn_status read_metadata(opn_ctx *ctx, const char *name, opn_i_safetensors *file)
{
    opn_status status = OPN_OK;
    json_t *metadata = json_object_get(file->header, OPN_SAFETENSORS_METADATA);
    if (metadata == NULL)
        return OPN_OK;
    OPN_FAIL_IF(ctx, !json_is_object(metadata), OPN_ERR_FORMAT,
                "%s: %s is not an object of strings", name, OPN_SAFETENSORS_METADATA);
    OPN_TRY_NEW(ctx, file->metadata, json_object_size(metadata));
    const char *key;
    json_t *value;
    json_object_foreach(metadata, key, value)
    {
        OPN_FAIL_IF(ctx, !opn_i_tensor_name_valid(key), OPN_ERR_FORMAT,
                    "%s: %s: key %zu is not 1 to %d bytes of printable text", name,
                    OPN_SAFETENSORS_METADATA, file->n_metadata + 1, OPN_TENSOR_MAX_NAME);
        OPN_FAIL_IF(ctx, !json_is_string(value), OPN_ERR_FORMAT,
                    "%s: %s: the value of \"%s\" is not a string", name,
                    OPN_SAFETENSORS_METADATA, key);
        file->metadata[file->n_metadata++] =
                (metadata_entry){key, json_string_value(value)};
    }
    qsort(file->metadata, file->n_metadata, sizeof(*file->metadata), compare_keys);
cleanup:
    return status;
}

// ---- tensors -------------------------------------------------------------------------

// The file and tensor being checked.
typedef struct place {
    opn_ctx *ctx;
    const char *file;
    const char *tensor;
    const unsigned char *block; // [n_block] the data after the header
    size_t n_block;
} place;

static opn_status read_type(const place *at, const json_t *info, opn_i_tensor_type *type)
{
    opn_status status = OPN_OK;
    const char *dtype = json_string_value(json_object_get(info, "dtype"));
    OPN_FAIL_IF(at->ctx, dtype == NULL, OPN_ERR_FORMAT,
                "%s: tensor \"%s\": dtype is missing or not a string", at->file,
                at->tensor);
    OPN_FAIL_IF(at->ctx, !find_type(dtype, type), OPN_ERR_UNSUPPORTED,
                "%s: tensor \"%s\": dtype %s is not supported; F64, F32, F16, BF16, I64, "
                "I32, I16, I8, U64, U32, U16, U8 and BOOL are",
                at->file, at->tensor,
                opn_i_tensor_name_valid(dtype) ? dtype : "(unprintable)");
cleanup:
    return status;
}

static opn_status
read_shape(const place *at, const json_t *info, opn_i_tensor_view *tensor)
{
    opn_status status = OPN_OK;
    const json_t *shape = json_object_get(info, "shape");
    OPN_FAIL_IF(at->ctx, !json_is_array(shape), OPN_ERR_FORMAT,
                "%s: tensor \"%s\": shape is missing or not a list", at->file,
                at->tensor);
    OPN_FAIL_IF(at->ctx, json_array_size(shape) > OPN_TENSOR_MAX_DIMS,
                OPN_ERR_UNSUPPORTED,
                "%s: tensor \"%s\": shape has %zu dimensions, more than %d", at->file,
                at->tensor, json_array_size(shape), OPN_TENSOR_MAX_DIMS);
    tensor->n_dims = (int)json_array_size(shape);
    for (int d = 0; d < tensor->n_dims; d++) {
        const json_t *extent = json_array_get(shape, (size_t)d);
        OPN_FAIL_IF(at->ctx, !json_is_integer(extent) || json_integer_value(extent) < 0,
                    OPN_ERR_FORMAT,
                    "%s: tensor \"%s\": dimension %d of its shape is not an integer of "
                    "at least 0",
                    at->file, at->tensor, d);
        tensor->shape[d] = json_integer_value(extent);
    }
cleanup:
    return status;
}

static opn_status
read_offsets(const place *at, const json_t *info, size_t *begin, size_t *end)
{
    opn_status status = OPN_OK;
    const json_t *offsets = json_object_get(info, "data_offsets");
    const json_t *first = json_array_get(offsets, 0);
    const json_t *last = json_array_get(offsets, 1);
    OPN_FAIL_IF(at->ctx,
                json_array_size(offsets) != 2 || !json_is_integer(first) ||
                        !json_is_integer(last) || json_integer_value(first) < 0 ||
                        json_integer_value(last) < json_integer_value(first),
                OPN_ERR_FORMAT,
                "%s: tensor \"%s\": data_offsets is not a list of two integers "
                "[begin, end] with 0 <= begin <= end",
                at->file, at->tensor);
    OPN_FAIL_IF(at->ctx, (unsigned long long)json_integer_value(last) > at->n_block,
                OPN_ERR_FORMAT,
                "%s: tensor \"%s\": data_offsets end at %lld, beyond the %zu bytes of "
                "data",
                at->file, at->tensor, (long long)json_integer_value(last), at->n_block);
    *begin = (size_t)json_integer_value(first);
    *end = (size_t)json_integer_value(last);
cleanup:
    return status;
}

static opn_status
read_tensor(const place *at, const json_t *info, opn_i_tensor_view *tensor)
{
    opn_status status = OPN_OK;
    size_t begin = 0;
    size_t end = 0;
    size_t n_items = 0;
    size_t n_bytes = 0;
    OPN_FAIL_IF(at->ctx, !json_is_object(info), OPN_ERR_FORMAT,
                "%s: tensor \"%s\": not an object of dtype, shape and data_offsets",
                at->file, at->tensor);
    OPN_TRY(read_type(at, info, &tensor->type));
    OPN_TRY(read_shape(at, info, tensor));
    OPN_TRY(read_offsets(at, info, &begin, &end));
    const bool counted = opn_i_tensor_count(tensor->type, tensor->shape, tensor->n_dims,
                                            &n_items, &n_bytes);
    OPN_FAIL_IF(at->ctx, !counted, OPN_ERR_FORMAT,
                "%s: tensor \"%s\": its shape overflows", at->file, at->tensor);
    OPN_FAIL_IF(at->ctx, n_bytes != end - begin, OPN_ERR_FORMAT,
                "%s: tensor \"%s\": its shape needs %zu bytes, its data_offsets span %zu",
                at->file, at->tensor, n_bytes, end - begin);
    tensor->name = at->tensor;
    tensor->n_items = (int64_t)n_items;
    tensor->data = at->block + begin;
cleanup:
    return status;
}

static size_t size_of(const opn_i_tensor_view *tensor)
{
    return (size_t)tensor->n_items * opn_i_tensor_type_size(tensor->type);
}

// Orders by offset in the block; an empty tensor comes before another at the same offset.
static int compare_places(const void *a, const void *b)
{
    const opn_i_tensor_view *left = a;
    const opn_i_tensor_view *right = b;
    if (left->data != right->data)
        return left->data < right->data ? -1 : 1;
    return (size_of(left) > size_of(right)) - (size_of(left) < size_of(right));
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const opn_i_tensor_view *)a)->name,
                  ((const opn_i_tensor_view *)b)->name);
}

// Expects the tensors sorted by offset. Like the reference implementation, rejects bytes
// that no tensor owns: they could smuggle anything past an inspection of the tensors.
static opn_status check_coverage(const place *at, const opn_i_safetensors *file)
{
    opn_status status = OPN_OK;
    size_t covered = 0;
    for (size_t t = 0; t < file->n_tensors; t++) {
        const opn_i_tensor_view *tensor = &file->tensor[t];
        const size_t begin = (size_t)(tensor->data - at->block);
        OPN_FAIL_IF(at->ctx, begin < covered, OPN_ERR_FORMAT,
                    "%s: tensor \"%s\": data_offsets begin at %zu, inside tensor \"%s\", "
                    "which ends at %zu",
                    at->file, tensor->name, begin, file->tensor[t - 1].name, covered);
        OPN_FAIL_IF(at->ctx, begin > covered, OPN_ERR_FORMAT,
                    "%s: bytes %zu to %zu of the data belong to no tensor", at->file,
                    covered, begin);
        covered += size_of(tensor);
    }
    OPN_FAIL_IF(at->ctx, covered < at->n_block, OPN_ERR_FORMAT,
                "%s: bytes %zu to %zu of the data belong to no tensor", at->file, covered,
                at->n_block);
cleanup:
    return status;
}

static opn_status read_tensors(place *at, opn_i_safetensors *file)
{
    opn_status status = OPN_OK;
    const char *key;
    json_t *info;
    size_t n_members = 0;
    OPN_TRY_NEW(at->ctx, file->tensor, json_object_size(file->header));
    json_object_foreach(file->header, key, info)
    {
        n_members++;
        if (strcmp(key, OPN_SAFETENSORS_METADATA) == 0)
            continue;
        OPN_FAIL_IF(at->ctx, !opn_i_tensor_name_valid(key), OPN_ERR_FORMAT,
                    "%s: name %zu of the header is not 1 to %d bytes of printable text",
                    at->file, n_members, OPN_TENSOR_MAX_NAME);
        at->tensor = key;
        OPN_TRY(read_tensor(at, info, &file->tensor[file->n_tensors]));
        file->n_tensors++;
    }
    qsort(file->tensor, file->n_tensors, sizeof(*file->tensor), compare_places);
    OPN_TRY(check_coverage(at, file));
    qsort(file->tensor, file->n_tensors, sizeof(*file->tensor), compare_names);
cleanup:
    return status;
}

// ---- the file ------------------------------------------------------------------------

static uint64_t load_bits(const unsigned char *data, size_t n_bytes)
{
    uint64_t bits = 0;
    for (size_t b = 0; b < n_bytes; b++)
        bits |= (uint64_t)data[b] << (8 * b);
    return bits;
}

opn_status opn_i_safetensors_open(opn_ctx *ctx,
                                  const char *name,
                                  const unsigned char *data,
                                  size_t n_bytes,
                                  opn_i_safetensors **out)
{
    opn_status status = OPN_OK;
    opn_i_safetensors *file = NULL;
    OPN_FAIL_IF(ctx, n_bytes < OPN_SAFETENSORS_PREFIX, OPN_ERR_FORMAT,
                "%s: %zu bytes are too few for a safetensors file", name, n_bytes);
    const uint64_t n_declared = load_bits(data, OPN_SAFETENSORS_PREFIX);
    OPN_FAIL_IF(ctx, n_declared > n_bytes - OPN_SAFETENSORS_PREFIX, OPN_ERR_FORMAT,
                "%s: header of %llu bytes, beyond the %zu that follow its length", name,
                (unsigned long long)n_declared, n_bytes - OPN_SAFETENSORS_PREFIX);
    const size_t n_header = (size_t)n_declared;
    place at = {.ctx = ctx,
                .file = name,
                .block = data + OPN_SAFETENSORS_PREFIX + n_header,
                .n_block = n_bytes - OPN_SAFETENSORS_PREFIX - n_header};

    OPN_TRY_NEW(ctx, file, 1);
    file->alloc = ctx->alloc;
    OPN_TRY(parse_header(ctx, name, (const char *)data + OPN_SAFETENSORS_PREFIX, n_header,
                         &file->header));
    OPN_TRY(read_metadata(ctx, name, file));
    OPN_TRY(read_tensors(&at, file));

    *out = file;
    file = NULL; // ownership moved
cleanup:
    opn_i_safetensors_free(file);
    return status;
}

void opn_i_safetensors_free(opn_i_safetensors *file)
{
    if (file == NULL)
        return;
    const opn_alloc alloc = file->alloc;
    json_decref(file->header);
    opn_i_release(&alloc, file->tensor);
    opn_i_release(&alloc, file->metadata);
    opn_i_release(&alloc, file);
}

size_t opn_i_safetensors_n_tensors(const opn_i_safetensors *file)
{
    return file->n_tensors;
}

const opn_i_tensor_view *opn_i_safetensors_tensor(const opn_i_safetensors *file, size_t i)
{
    assert(i < file->n_tensors);
    return &file->tensor[i];
}

size_t opn_i_safetensors_n_metadata(const opn_i_safetensors *file)
{
    return file->n_metadata;
}

const char *opn_i_safetensors_key(const opn_i_safetensors *file, size_t i)
{
    assert(i < file->n_metadata);
    return file->metadata[i].key;
}

const char *opn_i_safetensors_value(const opn_i_safetensors *file, size_t i)
{
    assert(i < file->n_metadata);
    return file->metadata[i].value;
}

const opn_i_tensor_view *opn_i_safetensors_find(const opn_i_safetensors *file,
                                                const char *name)
{
    const opn_i_tensor_view wanted = {.name = name};
    return bsearch(&wanted, file->tensor, file->n_tensors, sizeof(wanted), compare_names);
}

const char *opn_i_safetensors_metadata(const opn_i_safetensors *file, const char *key)
{
    if (file->n_metadata == 0)
        return NULL;
    const metadata_entry wanted = {.key = key};
    const metadata_entry *found = bsearch(&wanted, file->metadata, file->n_metadata,
                                          sizeof(wanted), compare_keys);
    return found != NULL ? found->value : NULL;
}

opn_status opn_i_safetensors_int(opn_ctx *ctx,
                                 const char *what,
                                 const opn_i_safetensors *file,
                                 const char *key,
                                 int64_t min,
                                 int64_t max,
                                 int64_t *out)
{
    opn_status status = OPN_OK;
    const char *text = opn_i_safetensors_metadata(file, key);
    OPN_FAIL_IF(ctx, text == NULL, OPN_ERR_FORMAT, "%s: metadata \"%s\" is missing", what,
                key);
    OPN_FAIL_IF(ctx, !opn_i_parse_int(text, strlen(text), min, max, out), OPN_ERR_FORMAT,
                "%s: metadata \"%s\" is not a whole number in [%lld, %lld]", what, key,
                (long long)min, (long long)max);
cleanup:
    return status;
}

static opn_status check_type(opn_ctx *ctx,
                             const char *what,
                             const opn_i_tensor_view *tensor,
                             opn_i_tensor_type type)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, tensor->type != type, OPN_ERR_FORMAT,
                "%s: tensor \"%s\": dtype is %s, should be %s", what, tensor->name,
                opn_i_tensor_type_name(tensor->type), opn_i_tensor_type_name(type));
cleanup:
    return status;
}

static void copy_32(const opn_i_tensor_view *tensor, void *out)
{
    for (size_t i = 0; i < (size_t)tensor->n_items; i++) {
        const uint32_t bits = (uint32_t)load_bits(tensor->data + 4 * i, 4);
        memcpy((unsigned char *)out + 4 * i, &bits, 4);
    }
}

static void copy_64(const opn_i_tensor_view *tensor, void *out)
{
    for (size_t i = 0; i < (size_t)tensor->n_items; i++) {
        const uint64_t bits = load_bits(tensor->data + 8 * i, 8);
        memcpy((unsigned char *)out + 8 * i, &bits, 8);
    }
}

opn_status opn_i_tensor_to_f32(opn_ctx *ctx,
                               const char *what,
                               const opn_i_tensor_view *tensor,
                               float *out)
{
    opn_status status = OPN_OK;
    OPN_TRY(check_type(ctx, what, tensor, OPN_TENSOR_F32));
    copy_32(tensor, out);
cleanup:
    return status;
}

opn_status opn_i_tensor_to_i32(opn_ctx *ctx,
                               const char *what,
                               const opn_i_tensor_view *tensor,
                               int32_t *out)
{
    opn_status status = OPN_OK;
    OPN_TRY(check_type(ctx, what, tensor, OPN_TENSOR_I32));
    copy_32(tensor, out);
cleanup:
    return status;
}

opn_status opn_i_tensor_to_i64(opn_ctx *ctx,
                               const char *what,
                               const opn_i_tensor_view *tensor,
                               int64_t *out)
{
    opn_status status = OPN_OK;
    OPN_TRY(check_type(ctx, what, tensor, OPN_TENSOR_I64));
    copy_64(tensor, out);
cleanup:
    return status;
}

opn_status opn_i_tensor_to_f64(opn_ctx *ctx,
                               const char *what,
                               const opn_i_tensor_view *tensor,
                               double *out)
{
    opn_status status = OPN_OK;
    OPN_TRY(check_type(ctx, what, tensor, OPN_TENSOR_F64));
    copy_64(tensor, out);
cleanup:
    return status;
}
