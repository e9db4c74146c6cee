// npz.c -- NumPy's archive of named arrays: a zip archive of .npy members.

#include "arrays/npz.h"

#include "io/byte_order.h"
#include "io/file_write.h"

#include <stdio.h>
#include <string.h>
#include <zip.h>

enum {
    NAME_ROOM = 128, // of a member name; array names come from the code and are short
    // Level 1 packs Physics five times faster than level 6 and 17 % larger; floats, which
    // are most of the data, shrink by a tenth at any level.
    DEFLATE_LEVEL = 1,
    DOS_DATE_1980_01_01 = 33 // zip's epoch, which NumPy writes
};

static const char *member_name(const char *array, char out[NAME_ROOM])
{
    snprintf(out, NAME_ROOM, "%s.npy", array);
    return out;
}

// ---- reading -------------------------------------------------------------------------

bool opn_i_npz_has(const opn_i_zip *zip, const char *array)
{
    char member[NAME_ROOM];
    return opn_i_zip_has(zip, member_name(array, member));
}

const char *
opn_i_npz_what(const opn_i_zip *zip, const char *array, char out[OPN_ZIP_WHAT_ROOM])
{
    char member[NAME_ROOM];
    return opn_i_zip_what(zip, member_name(array, member), out);
}

opn_status opn_i_npz_read(opn_ctx *ctx,
                          const opn_i_zip *zip,
                          const char *array,
                          opn_i_bytes *owner,
                          opn_i_ndarray *out)
{
    opn_status status = OPN_OK;
    opn_i_bytes bytes = {0};
    opn_i_ndarray found;
    char member[NAME_ROOM];
    char what[OPN_ZIP_WHAT_ROOM];
    OPN_TRY(opn_i_zip_read(ctx, zip, member_name(array, member), &bytes));
    OPN_TRY(opn_i_npy_read(ctx, opn_i_zip_what(zip, member, what), bytes.data, bytes.n,
                           &found));
    *out = found;
    *owner = bytes;
    bytes = (opn_i_bytes){0};
cleanup:
    opn_i_bytes_release(ctx, &bytes);
    return status;
}

opn_status opn_i_npz_read_value(opn_ctx *ctx,
                                const opn_i_zip *zip,
                                const char *array,
                                opn_i_npy_value *out)
{
    opn_status status = OPN_OK;
    opn_i_bytes bytes = {0};
    char member[NAME_ROOM];
    char what[OPN_ZIP_WHAT_ROOM];
    OPN_TRY(opn_i_zip_read(ctx, zip, member_name(array, member), &bytes));
    OPN_TRY(opn_i_npy_value_read(ctx, opn_i_zip_what(zip, member, what), &bytes, out));
cleanup:
    return status;
}

// ---- writing -------------------------------------------------------------------------

// Data of a member that libzip borrows until the archive is packed.
typedef struct entry {
    struct entry *next;
    opn_i_bytes text; // items of a text array; empty for numbers
    size_t n_header;
    unsigned char header[OPN_NPY_HEADER_ROOM];
} entry;

struct opn_i_npz_writer {
    opn_ctx *ctx;
    opn_i_file_writer *file;
    zip_source_t *memory; // libzip writes the archive here
    zip_t *archive;
    entry *entries;
    opn_status status; // the first failure, with its message
    char message[sizeof(((opn_ctx *)0)->error)];
    char path[]; // for messages
};

static void release_writer(opn_i_npz_writer *writer)
{
    if (writer == NULL)
        return;
    opn_ctx *ctx = writer->ctx;
    if (writer->archive != NULL)
        zip_discard(writer->archive);
    zip_source_free(writer->memory); // accepts NULL
    for (entry *e = writer->entries; e != NULL;) {
        entry *next = e->next;
        opn_i_bytes_release(ctx, &e->text);
        opn_i_release(&ctx->alloc, e);
        e = next;
    }
    opn_i_file_writer_discard(writer->file);
    opn_i_release(&ctx->alloc, writer);
}

// libzip fails to pack only when out of memory, interrupted, or because of a bug here.
static opn_status fail_pack(opn_i_npz_writer *writer, const zip_error_t *error)
{
    const int code = zip_error_code_zip(error);
    if (code == ZIP_ER_CANCELLED) // by is_interrupted(), which has set the message
        return OPN_ERR_INTERRUPTED;
    return opn_i_fail(writer->ctx,
                      code == ZIP_ER_MEMORY ? OPN_ERR_NOMEM : OPN_ERR_INTERNAL,
                      "%s: cannot be packed (libzip error %d)", writer->path, code);
}

// libzip asks once in a few thousand bytes.
static int is_interrupted(zip_t *archive, void *user)
{
    const opn_i_npz_writer *writer = user;
    (void)archive;
    return opn_i_go_on(writer->ctx, "packing arrays") != OPN_OK;
}

static opn_status open_memory(opn_i_npz_writer *writer)
{
    opn_status status = OPN_OK;
    zip_error_t error;
    zip_error_init(&error);
    writer->memory = zip_source_buffer_create(NULL, 0, 0, &error);
    if (writer->memory == NULL)
        OPN_TRY(fail_pack(writer, &error));
    writer->archive =
            zip_open_from_source(writer->memory, ZIP_CREATE | ZIP_TRUNCATE, &error);
    if (writer->archive == NULL)
        OPN_TRY(fail_pack(writer, &error));
    zip_source_keep(writer->memory); // packing drops the archive's reference
    if (zip_register_cancel_callback_with_state(writer->archive, is_interrupted, NULL,
                                                writer) != 0)
        OPN_TRY(fail_pack(writer, zip_get_error(writer->archive)));
cleanup:
    zip_error_fini(&error);
    return status;
}

opn_status opn_i_npz_writer_open(opn_ctx *ctx, const char *path, opn_i_npz_writer **out)
{
    opn_status status = OPN_OK;
    opn_i_npz_writer *writer = NULL;
    const size_t n_bytes = sizeof(*writer) + strlen(path) + 1;
    writer = opn_i_calloc(&ctx->alloc, 1, n_bytes);
    if (writer == NULL)
        OPN_TRY(opn_i_fail_nomem(ctx, 1, n_bytes));
    writer->ctx = ctx;
    memcpy(writer->path, path, strlen(path));
    OPN_TRY(opn_i_file_writer_open(ctx, path, &writer->file));
    OPN_TRY(open_memory(writer));
    *out = writer;
    writer = NULL;
cleanup:
    release_writer(writer);
    return status;
}

static opn_status
add_member(opn_i_npz_writer *writer, const char *array, const zip_buffer_fragment_t *part)
{
    opn_status status = OPN_OK;
    char member[NAME_ROOM];
    zip_source_t *source = zip_source_buffer_fragment(writer->archive, part, 2, 0);
    if (source == NULL)
        OPN_TRY(fail_pack(writer, zip_get_error(writer->archive)));
    const zip_int64_t i = zip_file_add(writer->archive, member_name(array, member),
                                       source, ZIP_FL_ENC_UTF_8);
    if (i < 0) {
        zip_source_free(source);
        const zip_error_t *error = zip_get_error(writer->archive);
        OPN_FAIL_IF(writer->ctx, zip_error_code_zip(error) == ZIP_ER_EXISTS,
                    OPN_ERR_INVALID_ARG, "%s: two arrays are named %s", writer->path,
                    array);
        OPN_TRY(fail_pack(writer, error));
    }
    const zip_uint64_t at = (zip_uint64_t)i;
    if (zip_set_file_compression(writer->archive, at, ZIP_CM_DEFLATE, DEFLATE_LEVEL) !=
                0 ||
        zip_file_set_dostime(writer->archive, at, 0, DOS_DATE_1980_01_01, 0) != 0)
        OPN_TRY(fail_pack(writer, zip_get_error(writer->archive)));
cleanup:
    return status;
}

// Passes the array to libzip: a header kept here, and the items without a copy.
static opn_status add_entry(opn_i_npz_writer *writer,
                            const char *name,
                            const opn_i_ndarray *array,
                            entry *added)
{
    added->n_header = opn_i_npy_header(array, added->header);
    // libzip's fragments are not const because it may also be told to free them.
    unsigned char *items;
    memcpy(&items, &array->data, sizeof(items));
    const zip_buffer_fragment_t part[2] = {
            {added->header, added->n_header},
            {items, (zip_uint64_t)array->n_items * (zip_uint64_t)array->item_size}};
    return add_member(writer, name, part);
}

// Remembers the first failure for commit.
static void note(opn_i_npz_writer *writer, opn_status status)
{
    if (status == OPN_OK)
        return;
    writer->status = status;
    memcpy(writer->message, writer->ctx->error, sizeof(writer->message));
}

static entry *new_entry(opn_i_npz_writer *writer)
{
    if (writer->status != OPN_OK)
        return NULL;
    entry *added = opn_i_calloc(&writer->ctx->alloc, 1, sizeof(*added));
    if (added == NULL) {
        note(writer, opn_i_fail_nomem(writer->ctx, 1, sizeof(*added)));
        return NULL;
    }
    added->next = writer->entries;
    writer->entries = added;
    return added;
}

static void add_numbers(opn_i_npz_writer *writer,
                        const char *name,
                        char kind,
                        int32_t item_size,
                        const void *data,
                        const int64_t *shape,
                        int n_dims)
{
    entry *added = new_entry(writer);
    if (added == NULL)
        return;
    opn_i_ndarray array = {.kind = kind,
                           .item_size = item_size,
                           .big_endian = opn_i_host_is_big_endian(),
                           .n_dims = n_dims,
                           .n_items = 1,
                           .data = data};
    for (int d = 0; d < n_dims; d++) {
        array.shape[d] = shape[d];
        array.n_items *= shape[d];
    }
    note(writer, add_entry(writer, name, &array, added));
}

void opn_i_npz_writer_add_i32(opn_i_npz_writer *writer,
                              const char *array,
                              const int32_t *data,
                              const int64_t *shape,
                              int n_dims)
{
    add_numbers(writer, array, 'i', sizeof(*data), data, shape, n_dims);
}

void opn_i_npz_writer_add_i64(opn_i_npz_writer *writer,
                              const char *array,
                              const int64_t *data,
                              const int64_t *shape,
                              int n_dims)
{
    add_numbers(writer, array, 'i', sizeof(*data), data, shape, n_dims);
}

void opn_i_npz_writer_add_f32(opn_i_npz_writer *writer,
                              const char *array,
                              const float *data,
                              const int64_t *shape,
                              int n_dims)
{
    add_numbers(writer, array, 'f', sizeof(*data), data, shape, n_dims);
}

void opn_i_npz_writer_add_f64(opn_i_npz_writer *writer,
                              const char *array,
                              const double *data,
                              const int64_t *shape,
                              int n_dims)
{
    add_numbers(writer, array, 'f', sizeof(*data), data, shape, n_dims);
}

void opn_i_npz_writer_add_text(opn_i_npz_writer *writer,
                               const char *array,
                               const char *const *text,
                               const int64_t *shape,
                               int n_dims)
{
    entry *added = new_entry(writer);
    if (added == NULL)
        return;
    opn_i_ndarray items;
    char what[OPN_ZIP_WHAT_ROOM];
    snprintf(what, sizeof(what), "%s: array %s", writer->path, array);
    opn_status status =
            opn_i_npy_text(writer->ctx, what, text, shape, n_dims, &added->text, &items);
    if (status == OPN_OK)
        status = add_entry(writer, array, &items, added);
    note(writer, status);
}

// Copies the packed archive from libzip's memory to the file.
static opn_status copy_to_file(opn_i_npz_writer *writer)
{
    opn_status status = OPN_OK;
    unsigned char chunk[1 << 14];
    zip_int64_t n_read = 0;
    if (zip_source_open(writer->memory) != 0)
        return fail_pack(writer, zip_source_error(writer->memory));
    while ((n_read = zip_source_read(writer->memory, chunk, sizeof(chunk))) > 0)
        opn_i_file_writer_put(writer->file, chunk, (size_t)n_read);
    if (n_read < 0)
        status = fail_pack(writer, zip_source_error(writer->memory));
    zip_source_close(writer->memory);
    return status;
}

opn_status opn_i_npz_writer_commit(opn_i_npz_writer *writer)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = writer->ctx;
    OPN_FAIL_IF(ctx, writer->status != OPN_OK, writer->status, "%s", writer->message);
    OPN_FAIL_IF(ctx, writer->entries == NULL, OPN_ERR_INVALID_ARG,
                "%s: no array to be written", writer->path);
    if (zip_close(writer->archive) != 0)
        OPN_TRY(fail_pack(writer, zip_get_error(writer->archive)));
    writer->archive = NULL;
    OPN_TRY(copy_to_file(writer));
    opn_i_file_writer *file = writer->file;
    writer->file = NULL; // commit frees it
    OPN_TRY(opn_i_file_writer_commit(file));
cleanup:
    release_writer(writer);
    return status;
}

void opn_i_npz_writer_discard(opn_i_npz_writer *writer)
{
    release_writer(writer);
}
