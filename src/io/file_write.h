// file_write.h -- atomic file writing.

#ifndef OPN_FILE_WRITE_H
#define OPN_FILE_WRITE_H

#include "base/text.h"

// Writes go to a temporary file next to `path`, which is synced and renamed on commit. A
// device, a pipe and "-" (standard output) are written to directly.
typedef struct opn_i_file_writer opn_i_file_writer;

// Errors: WRITE (the folder is missing or not writable), NOMEM.
OPN_NODISCARD opn_status opn_i_file_writer_open(opn_ctx *ctx,
                                                const char *path,
                                                opn_i_file_writer **out);

// Appends bytes or text. A failure is remembered and returned by commit, so that callers
// need not check each call.
void opn_i_file_writer_put(opn_i_file_writer *writer, const void *data, size_t n_bytes);
void opn_i_file_writer_printf(opn_i_file_writer *writer, const char *fmt, ...)
        OPN_PRINTF(2, 3);

// Lets the caller's wish to stop end the writing, asked for once in 64 KB. Without this a
// file is written even then, as a checkpoint must be.
void opn_i_file_writer_be_interruptible(opn_i_file_writer *writer);

// False once it has failed or was interrupted: what is put from then on is lost, so a
// long loop can end.
bool opn_i_file_writer_goes_on(const opn_i_file_writer *writer);

// A line buffer; end appends the line without trailing blanks and clears it for the next.
// Running out of memory for a line is a failure too.
opn_i_text *opn_i_file_writer_line(opn_i_file_writer *writer);
void opn_i_file_writer_end_line(opn_i_file_writer *writer);

// Flushes, syncs and renames, then frees the writer. On failure the writer is freed too,
// nothing is left behind and `path` is unchanged.
// Errors: WRITE, NOMEM, INTERRUPTED (the first failure of any call on this writer).
OPN_NODISCARD opn_status opn_i_file_writer_commit(opn_i_file_writer *writer);

// Discards everything written and frees the writer. Accepts NULL.
void opn_i_file_writer_discard(opn_i_file_writer *writer);

// Creates a new file (its descriptor goes to *file) or folder next to `path`, under a
// name that the caller frees.
// Errors: WRITE (the parent folder is missing or not writable), NOMEM.
OPN_NODISCARD opn_status opn_i_make_temporary(
        opn_ctx *ctx, const char *path, bool is_folder, char **out, int *file);

// Makes a rename to `path` survive a crash, if the file system can.
void opn_i_sync_folder_of(const char *path);

#endif // OPN_FILE_WRITE_H
