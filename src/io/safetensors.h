// safetensors.h -- named tensors and metadata in one file: a header length of eight
// bytes, a JSON header, and one block of little-endian numbers.

#ifndef OPN_SAFETENSORS_H
#define OPN_SAFETENSORS_H

#include "base/context.h"

typedef enum opn_i_tensor_type {
    OPN_TENSOR_BOOL,
    OPN_TENSOR_U8,
    OPN_TENSOR_I8,
    OPN_TENSOR_U16,
    OPN_TENSOR_I16,
    OPN_TENSOR_F16,
    OPN_TENSOR_BF16,
    OPN_TENSOR_U32,
    OPN_TENSOR_I32,
    OPN_TENSOR_F32,
    OPN_TENSOR_U64,
    OPN_TENSOR_I64,
    OPN_TENSOR_F64
} opn_i_tensor_type;

const char *opn_i_tensor_type_name(opn_i_tensor_type type); // as in the file: "F32"
size_t opn_i_tensor_type_size(opn_i_tensor_type type);      // bytes of one item

enum { OPN_TENSOR_MAX_DIMS = 8 };

// A borrowed tensor, in C order.
typedef struct opn_i_tensor_view {
    const char *name;
    opn_i_tensor_type type;
    int n_dims;
    int64_t shape[OPN_TENSOR_MAX_DIMS];
    int64_t n_items;           // product of shape; 1 for a scalar
    const unsigned char *data; // n_items, little-endian, of any alignment
} opn_i_tensor_view;

// ---- reading -------------------------------------------------------------------------

typedef struct opn_i_safetensors opn_i_safetensors;

// Reads and checks the whole header: each tensor exactly fills its part of the block, and
// the parts cover the block without gaps or overlaps. Members of a tensor other than
// dtype, shape and data_offsets are ignored.
//
// name  of the file, for messages
// data  [n_bytes] the file; borrowed, and must outlive the result
//
// Errors: FORMAT (the header or its offsets), UNSUPPORTED (a dtype, more than
// OPN_TENSOR_MAX_DIMS dimensions), NOMEM.
// Cost: O(n log n) for n tensors; the block is not read.
OPN_NODISCARD opn_status opn_i_safetensors_open(opn_ctx *ctx,
                                                const char *name,
                                                const unsigned char *data,
                                                size_t n_bytes,
                                                opn_i_safetensors **out);
void opn_i_safetensors_free(opn_i_safetensors *file); // accepts NULL

// Tensors and metadata by index, sorted bytewise by name. Results live as long as the
// file.
size_t opn_i_safetensors_n_tensors(const opn_i_safetensors *file);
const opn_i_tensor_view *opn_i_safetensors_tensor(const opn_i_safetensors *file,
                                                  size_t i);
size_t opn_i_safetensors_n_metadata(const opn_i_safetensors *file);
const char *opn_i_safetensors_key(const opn_i_safetensors *file, size_t i);
const char *opn_i_safetensors_value(const opn_i_safetensors *file, size_t i);

// By name; NULL if not found.
const opn_i_tensor_view *opn_i_safetensors_find(const opn_i_safetensors *file,
                                                const char *name);
const char *opn_i_safetensors_metadata(const opn_i_safetensors *file, const char *key);

// Metadata that is an integer in [min, max]. `what` names the file in the message.
// Errors: FORMAT (missing, not a number, out of bounds).
OPN_NODISCARD opn_status opn_i_safetensors_int(opn_ctx *ctx,
                                               const char *what,
                                               const opn_i_safetensors *file,
                                               const char *key,
                                               int64_t min,
                                               int64_t max,
                                               int64_t *out);

// All items in host byte order; `out` holds n_items. `what` names the file in the
// message.
// Errors: FORMAT (the tensor has any other type).
OPN_NODISCARD opn_status opn_i_tensor_to_f32(opn_ctx *ctx,
                                             const char *what,
                                             const opn_i_tensor_view *tensor,
                                             float *out);
OPN_NODISCARD opn_status opn_i_tensor_to_i32(opn_ctx *ctx,
                                             const char *what,
                                             const opn_i_tensor_view *tensor,
                                             int32_t *out);
OPN_NODISCARD opn_status opn_i_tensor_to_i64(opn_ctx *ctx,
                                             const char *what,
                                             const opn_i_tensor_view *tensor,
                                             int64_t *out);
OPN_NODISCARD opn_status opn_i_tensor_to_f64(opn_ctx *ctx,
                                             const char *what,
                                             const opn_i_tensor_view *tensor,
                                             double *out);

// ---- writing -------------------------------------------------------------------------

// Collects tensors and metadata; the same calls give the same bytes. Tensors are written
// in the order added, metadata sorted by key.
typedef struct opn_i_safetensors_writer opn_i_safetensors_writer;

// Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_safetensors_writer_create(opn_ctx *ctx,
                                                         opn_i_safetensors_writer **out);

// `data`, in host byte order and C order, is borrowed until commit or discard; the rest
// is copied.
// Errors: INVALID_ARG (a name that is taken, reserved or not printable UTF-8), OVERFLOW,
// NOMEM.
OPN_NODISCARD opn_status
opn_i_safetensors_writer_add_tensor(opn_i_safetensors_writer *writer,
                                    const char *name,
                                    opn_i_tensor_type type,
                                    const int64_t *shape,
                                    int n_dims,
                                    const void *data);

// Both strings are copied.
// Errors: INVALID_ARG (a key that is taken or not printable UTF-8, a value that is not
// UTF-8), NOMEM.
OPN_NODISCARD opn_status opn_i_safetensors_writer_add_metadata(
        opn_i_safetensors_writer *writer, const char *key, const char *value);

OPN_NODISCARD opn_status opn_i_safetensors_writer_add_int(
        opn_i_safetensors_writer *writer, const char *key, int64_t value);

// Writes the file atomically, then frees the writer, even on failure.
// Errors: WRITE, OVERFLOW (a header larger than the reader accepts), NOMEM.
OPN_NODISCARD opn_status opn_i_safetensors_writer_commit(opn_i_safetensors_writer *writer,
                                                         const char *path);

// The same to memory; *out is freed by the caller. Errors: also INTERRUPTED.
OPN_NODISCARD opn_status opn_i_safetensors_writer_take(opn_i_safetensors_writer *writer,
                                                       char **out,
                                                       size_t *n_out);

void opn_i_safetensors_writer_discard(opn_i_safetensors_writer *writer); // accepts NULL

// ---- shared by reader and writer -----------------------------------------------------

#define OPN_SAFETENSORS_METADATA "__metadata__"
enum { OPN_SAFETENSORS_PREFIX = 8 }; // bytes of the header's length
enum { OPN_TENSOR_MAX_NAME = 255 };

// 1 to OPN_TENSOR_MAX_NAME bytes of UTF-8 without control characters: names appear in
// messages, and so on terminals.
bool opn_i_tensor_name_valid(const char *name);

// Items in `shape`, which has no negative extent, and their bytes; false on overflow.
bool opn_i_tensor_count(opn_i_tensor_type type,
                        const int64_t *shape,
                        int n_dims,
                        size_t *n_items,
                        size_t *n_bytes);

// Checks a header before Jansson sees it, so that the file controls neither its memory
// use nor its recursion. Returns `code` if the header is invalid.
OPN_NODISCARD opn_status opn_i_safetensors_check_header(
        opn_ctx *ctx, const char *name, const char *text, size_t n, opn_status code);

#endif // OPN_SAFETENSORS_H
