// npz.h -- NumPy's archive of named arrays: a zip archive of .npy members.

#ifndef OPN_NPZ_H
#define OPN_NPZ_H

#include "arrays/npy.h"
#include "arrays/npy_value.h"
#include "arrays/zip_archive.h"

// ---- reading

bool opn_i_npz_has(const opn_i_zip *zip, const char *array);

// Reads the array of that name (member "<array>.npy"). It borrows its items from *owner,
// which the caller releases.
// Errors: those of opn_i_zip_read() and opn_i_npy_read().
OPN_NODISCARD opn_status opn_i_npz_read(opn_ctx *ctx,
                                        const opn_i_zip *zip,
                                        const char *array,
                                        opn_i_bytes *owner,
                                        opn_i_ndarray *out);

// The same, of a member that may hold Python objects. The caller releases *out.
// Errors: those of opn_i_zip_read() and opn_i_npy_value_read().
OPN_NODISCARD opn_status opn_i_npz_read_value(opn_ctx *ctx,
                                              const opn_i_zip *zip,
                                              const char *array,
                                              opn_i_npy_value *out);

// Prefix of messages about an array, for converting it after reading; returns `out`.
const char *
opn_i_npz_what(const opn_i_zip *zip, const char *array, char out[OPN_ZIP_WHAT_ROOM]);

// ---- writing

// The archive is built in memory and written to `path` atomically on commit. The same
// arrays always give the same bytes.
typedef struct opn_i_npz_writer opn_i_npz_writer;

// Errors: WRITE (the folder is missing or not writable), NOMEM.
OPN_NODISCARD opn_status opn_i_npz_writer_open(opn_ctx *ctx,
                                               const char *path,
                                               opn_i_npz_writer **out);

// Adds an array in C order, with as many items as the product of shape; n_dims 0 is a
// scalar. Numbers are borrowed until commit or discard; texts (NUL-terminated UTF-8) are
// copied. A failure is remembered and returned by commit, so that callers need not check
// each call.
void opn_i_npz_writer_add_i32(opn_i_npz_writer *writer,
                              const char *array,
                              const int32_t *data,
                              const int64_t *shape,
                              int n_dims);
void opn_i_npz_writer_add_i64(opn_i_npz_writer *writer,
                              const char *array,
                              const int64_t *data,
                              const int64_t *shape,
                              int n_dims);
void opn_i_npz_writer_add_f32(opn_i_npz_writer *writer,
                              const char *array,
                              const float *data,
                              const int64_t *shape,
                              int n_dims);
void opn_i_npz_writer_add_f64(opn_i_npz_writer *writer,
                              const char *array,
                              const double *data,
                              const int64_t *shape,
                              int n_dims);
void opn_i_npz_writer_add_text(opn_i_npz_writer *writer,
                               const char *array,
                               const char *const *text,
                               const int64_t *shape,
                               int n_dims);

// Packs and writes the archive, which needs at least one array, then frees the writer. On
// failure the writer is freed too, nothing is left behind and `path` is unchanged.
// Errors: WRITE, NOMEM, INVALID_ARG (two arrays with the same name, or none), FORMAT (a
// text is not UTF-8), OVERFLOW; the first failure of any call on this writer.
OPN_NODISCARD opn_status opn_i_npz_writer_commit(opn_i_npz_writer *writer);

// Frees the writer and leaves `path` unchanged. Accepts NULL.
void opn_i_npz_writer_discard(opn_i_npz_writer *writer);

#endif // OPN_NPZ_H
