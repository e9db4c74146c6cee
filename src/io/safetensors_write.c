// safetensors_write.c -- writing named tensors and metadata to a file.

#include "io/safetensors.h"

#include "io/byte_order.h"
#include "io/file_write.h"
#include "io/utf8.h"

#include <assert.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

typedef struct block_part {
    const unsigned char *data; // borrowed
    size_t n_items;
    size_t item_size;
} block_part;

struct opn_i_safetensors_writer {
    opn_ctx *ctx;
    json_t *metadata;
    json_t *tensors;  // the header's entries, in the order added
    block_part *part; // [n_parts] their data
    size_t n_parts;
    size_t part_room;
    size_t n_block; // total bytes of all parts
};

// ---- collecting ----------------------------------------------------------------------

static opn_status fail_json_nomem(opn_ctx *ctx)
{
    return opn_i_fail(ctx, OPN_ERR_NOMEM, "out of memory for a safetensors header");
}

opn_status opn_i_safetensors_writer_create(opn_ctx *ctx, opn_i_safetensors_writer **out)
{
    opn_status status = OPN_OK;
    opn_i_safetensors_writer *writer = NULL;
    OPN_TRY_NEW(ctx, writer, 1);
    writer->ctx = ctx;
    writer->metadata = json_object();
    writer->tensors = json_object();
    if (writer->metadata == NULL || writer->tensors == NULL)
        OPN_TRY(fail_json_nomem(ctx));
    *out = writer;
    writer = NULL; // ownership moved
cleanup:
    opn_i_safetensors_writer_discard(writer);
    return status;
}

void opn_i_safetensors_writer_discard(opn_i_safetensors_writer *writer)
{
    if (writer == NULL)
        return;
    opn_ctx *ctx = writer->ctx;
    json_decref(writer->metadata);
    json_decref(writer->tensors);
    opn_i_release(&ctx->alloc, writer->part);
    opn_i_release(&ctx->alloc, writer);
}

opn_status opn_i_safetensors_writer_add_metadata(opn_i_safetensors_writer *writer,
                                                 const char *key,
                                                 const char *value)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = writer->ctx;
    OPN_FAIL_IF(ctx, !opn_i_tensor_name_valid(key), OPN_ERR_INVALID_ARG,
                "a metadata key is not 1 to %d bytes of printable text",
                OPN_TENSOR_MAX_NAME);
    OPN_FAIL_IF(ctx, json_object_get(writer->metadata, key) != NULL, OPN_ERR_INVALID_ARG,
                "metadata \"%s\" is given twice", key);
    OPN_FAIL_IF(ctx, !opn_i_utf8_is_valid((const unsigned char *)value, strlen(value)),
                OPN_ERR_INVALID_ARG, "metadata \"%s\" is not valid UTF-8", key);
    if (json_object_set_new(writer->metadata, key, json_string(value)) != 0)
        OPN_TRY(fail_json_nomem(ctx));
cleanup:
    return status;
}

// NULL if out of memory.
static json_t *describe(opn_i_tensor_type type,
                        const int64_t *shape,
                        int n_dims,
                        size_t begin,
                        size_t end)
{
    json_t *list = json_array();
    for (int d = 0; d < n_dims; d++) {
        if (json_array_append_new(list, json_integer(shape[d])) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return json_pack("{s:s, s:o, s:[I, I]}", "dtype", opn_i_tensor_type_name(type),
                     "shape", list, "data_offsets", (json_int_t)begin, (json_int_t)end);
}

opn_status opn_i_safetensors_writer_add_tensor(opn_i_safetensors_writer *writer,
                                               const char *name,
                                               opn_i_tensor_type type,
                                               const int64_t *shape,
                                               int n_dims,
                                               const void *data)
{
    assert(n_dims >= 0 && n_dims <= OPN_TENSOR_MAX_DIMS);
    opn_status status = OPN_OK;
    opn_ctx *ctx = writer->ctx;
    size_t n_items = 0;
    size_t n_bytes = 0;
    size_t end = 0;
    OPN_FAIL_IF(ctx,
                !opn_i_tensor_name_valid(name) ||
                        strcmp(name, OPN_SAFETENSORS_METADATA) == 0,
                OPN_ERR_INVALID_ARG,
                "a tensor's name is %s, or not 1 to %d bytes of printable text",
                OPN_SAFETENSORS_METADATA, OPN_TENSOR_MAX_NAME);
    OPN_FAIL_IF(ctx, json_object_get(writer->tensors, name) != NULL, OPN_ERR_INVALID_ARG,
                "tensor \"%s\" is given twice", name);
    OPN_FAIL_IF(ctx,
                !opn_i_tensor_count(type, shape, n_dims, &n_items, &n_bytes) ||
                        !opn_i_add(writer->n_block, n_bytes, &end) || end > INT64_MAX,
                OPN_ERR_OVERFLOW, "tensor \"%s\": its shape overflows", name);

    OPN_TRY_RESERVE(ctx, writer->part, writer->part_room, writer->n_parts,
                    writer->n_parts + 1);
    if (json_object_set_new(writer->tensors, name,
                            describe(type, shape, n_dims, writer->n_block, end)) != 0)
        OPN_TRY(fail_json_nomem(ctx));
    writer->part[writer->n_parts++] =
            (block_part){data, n_items, opn_i_tensor_type_size(type)};
    writer->n_block = end;
cleanup:
    return status;
}

// The header text, {"__metadata__":{...},"name":{...},...}, padded with spaces so that
// the data starts at a multiple of eight, as in the reference implementation. Jansson
// sorts all keys or none, so the two objects are printed separately, and the opening
// brace of the second is overwritten by the end of the text before it.
static opn_status
build_header(const opn_i_safetensors_writer *writer, char **out, size_t *n_out)
{
    static const char opening[] = "{\"" OPN_SAFETENSORS_METADATA "\":";
    const size_t sorted = JSON_COMPACT | JSON_SORT_KEYS;
    opn_status status = OPN_OK;
    opn_ctx *ctx = writer->ctx;
    char *text = NULL;
    const size_t n_metadata = json_dumpb(writer->metadata, NULL, 0, sorted);
    const size_t n_tensors = json_dumpb(writer->tensors, NULL, 0, JSON_COMPACT);
    OPN_TRY_NEW(ctx, text,
                sizeof(opening) + n_metadata + n_tensors + OPN_SAFETENSORS_PREFIX);

    bool printed = n_metadata > 0 && n_tensors > 0;
    char *end = text;
    *end++ = '{';
    if (json_object_size(writer->metadata) > 0) {
        memcpy(text, opening, sizeof(opening) - 1);
        end = text + sizeof(opening) - 1;
        printed &= json_dumpb(writer->metadata, end, n_metadata, sorted) == n_metadata;
        end += n_metadata;
        if (json_object_size(writer->tensors) > 0)
            *end++ = ',';
    }
    const char joint = *--end;
    printed &= json_dumpb(writer->tensors, end, n_tensors, JSON_COMPACT) == n_tensors;
    *end = joint;
    end += n_tensors;
    if (!printed)
        OPN_TRY(fail_json_nomem(ctx));
    while ((end - text) % OPN_SAFETENSORS_PREFIX != 0)
        *end++ = ' ';

    *out = text;
    *n_out = (size_t)(end - text);
    text = NULL; // ownership moved
cleanup:
    opn_i_release(&ctx->alloc, text);
    return status;
}

// ---- the file ------------------------------------------------------------------------

static void store_bits(uint64_t bits, size_t n_bytes, unsigned char *out)
{
    for (size_t b = 0; b < n_bytes; b++)
        out[b] = (unsigned char)(bits >> (8 * b));
}

// Bits of an item in host byte order.
static uint64_t item_bits(const unsigned char *item, size_t size)
{
    uint16_t half;
    uint32_t single;
    uint64_t wide;
    switch (size) {
    case 2:
        memcpy(&half, item, size);
        return half;
    case 4:
        memcpy(&single, item, size);
        return single;
    case 8:
        memcpy(&wide, item, size);
        return wide;
    default:
        return *item;
    }
}

// Where the bytes go.
typedef void put_fn(void *to, const void *data, size_t n_bytes);

static void put_to_file(void *to, const void *data, size_t n_bytes)
{
    opn_i_file_writer_put(to, data, n_bytes);
}

// Memory for all bytes, and whether the caller wants to stop.
typedef struct memory_room {
    opn_ctx *ctx;
    char *at;
    opn_status status;
} memory_room;

static void put_to_memory(void *to, const void *data, size_t n_bytes)
{
    enum { PIECE = 8 << 20 }; // a few ms
    memory_room *room = to;
    for (size_t at = 0; at < n_bytes && room->status == OPN_OK; at += PIECE) {
        const size_t n = n_bytes - at < PIECE ? n_bytes - at : PIECE;
        memcpy(room->at, (const char *)data + at, n);
        room->at += n;
        if (n == PIECE) // what is small is done before anyone notices
            room->status = opn_i_go_on(room->ctx, "writing");
    }
}

static void put_part(put_fn *put, void *to, const block_part *part)
{
    enum { CHUNK = 1024 };
    unsigned char bytes[CHUNK * 8];
    size_t n_done = 0;
    if (part->n_items > 0 && !opn_i_host_is_big_endian()) { // the file's own order
        put(to, part->data, part->n_items * part->item_size);
        return;
    }
    while (n_done < part->n_items) {
        const size_t n_left = part->n_items - n_done;
        const size_t n = n_left < CHUNK ? n_left : CHUNK;
        const unsigned char *from = part->data + n_done * part->item_size;
        for (size_t i = 0; i < n; i++)
            store_bits(item_bits(from + i * part->item_size, part->item_size),
                       part->item_size, bytes + i * part->item_size);
        put(to, bytes, n * part->item_size);
        n_done += n;
    }
}

opn_status opn_i_safetensors_writer_add_int(opn_i_safetensors_writer *writer,
                                            const char *key,
                                            int64_t value)
{
    char text[24];
    snprintf(text, sizeof(text), "%lld", (long long)value);
    return opn_i_safetensors_writer_add_metadata(writer, key, text);
}

// The header, to be freed. `path` names the file in messages.
static opn_status make_header(const opn_i_safetensors_writer *writer,
                              const char *path,
                              char **out,
                              size_t *n_out)
{
    opn_status status = OPN_OK;
    char *header = NULL;
    size_t n = 0;
    OPN_TRY(build_header(writer, &header, &n));
    OPN_TRY(opn_i_safetensors_check_header(writer->ctx, path, header, n,
                                           OPN_ERR_OVERFLOW));
    *out = header;
    *n_out = n;
    header = NULL;
cleanup:
    opn_i_release(&writer->ctx->alloc, header);
    return status;
}

// All bytes of the file.
static void put_all(const opn_i_safetensors_writer *writer,
                    const char *header,
                    size_t n_header,
                    put_fn *put,
                    void *to)
{
    unsigned char prefix[OPN_SAFETENSORS_PREFIX];
    store_bits(n_header, OPN_SAFETENSORS_PREFIX, prefix);
    put(to, prefix, OPN_SAFETENSORS_PREFIX);
    put(to, header, n_header);
    for (size_t p = 0; p < writer->n_parts; p++)
        put_part(put, to, &writer->part[p]);
}

opn_status opn_i_safetensors_writer_commit(opn_i_safetensors_writer *writer,
                                           const char *path)
{
    opn_status status = OPN_OK;
    opn_i_file_writer *file = NULL;
    char *header = NULL;
    size_t n_header = 0;
    OPN_TRY(opn_i_file_writer_open(writer->ctx, path, &file));
    OPN_TRY(make_header(writer, path, &header, &n_header));
    put_all(writer, header, n_header, put_to_file, file);
    status = opn_i_file_writer_commit(file);
    file = NULL;
cleanup:
    opn_i_file_writer_discard(file);
    opn_i_release(&writer->ctx->alloc, header);
    opn_i_safetensors_writer_discard(writer);
    return status;
}

opn_status
opn_i_safetensors_writer_take(opn_i_safetensors_writer *writer, char **out, size_t *n_out)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = writer->ctx;
    char *header = NULL;
    char *bytes = NULL;
    size_t n_header = 0;
    OPN_TRY(make_header(writer, "a part of the file", &header, &n_header));
    const size_t n = OPN_SAFETENSORS_PREFIX + n_header + writer->n_block;
    OPN_TRY_NEW_ROOM(ctx, bytes, n);
    memory_room room = {.ctx = ctx, .at = bytes};
    put_all(writer, header, n_header, put_to_memory, &room);
    OPN_TRY(room.status);
    *out = bytes;
    *n_out = n;
    bytes = NULL;
cleanup:
    opn_i_release(&ctx->alloc, header);
    opn_i_release(&ctx->alloc, bytes);
    opn_i_safetensors_writer_discard(writer);
    return status;
}
