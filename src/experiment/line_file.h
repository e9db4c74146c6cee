// line_file.h -- two ways to keep lines in a file, so that a crash costs one line at
// most.
//
// An appended file has one writer, who holds a lock. A replaced file is written anew with
// each line and renamed into place, so that it needs no lock and readers on any machine
// see whole lines only: file systems of networks lack locks and may mix what several
// processes append.

#ifndef OPN_LINE_FILE_H
#define OPN_LINE_FILE_H

#include "io/bytes.h"

// Tells whether a file has changed since it was looked at.
typedef struct opn_i_file_stamp {
    uint64_t inode;
    int64_t n_bytes, seconds, nanoseconds;
} opn_i_file_stamp;

// All 0 if there is no file.
opn_i_file_stamp opn_i_file_stamp_of(const char *path);
bool opn_i_file_stamp_is_same(const opn_i_file_stamp *a, const opn_i_file_stamp *b);

// ---- appended ------------------------------------------------------------------------

typedef struct opn_i_append_file {
    char *path;
    int file;     // locked; -1 if not open
    bool is_made; // by this run; removed when closed if it is still empty
} opn_i_append_file;

// Zero-initialise, set `file` to -1, and close whatever this returns. Errors: WRITE
// (cannot be opened, or another run is writing to it), NOMEM.
OPN_NODISCARD opn_status opn_i_append_file_open(opn_ctx *ctx,
                                                const char *path,
                                                opn_i_append_file *out);
void opn_i_append_file_close(const opn_alloc *alloc, opn_i_append_file *file);

// Errors: READ, NOMEM.
OPN_NODISCARD opn_status opn_i_append_file_read(opn_ctx *ctx,
                                                const opn_i_append_file *file,
                                                opn_i_bytes *out);

// Removes what follows the first n bytes. Errors: WRITE.
OPN_NODISCARD opn_status opn_i_append_file_cut(opn_ctx *ctx,
                                               const opn_i_append_file *file,
                                               size_t n);

// Writes n characters, a line with its end, and syncs them; all of them or nothing.
// Errors: WRITE.
OPN_NODISCARD opn_status opn_i_append_file_add(opn_ctx *ctx,
                                               const opn_i_append_file *file,
                                               const char *line,
                                               size_t n);

// ---- replaced ------------------------------------------------------------------------

typedef struct opn_i_replace_file {
    char *path;
    char *text; // all lines
    size_t n, room;
} opn_i_replace_file;

void opn_i_replace_file_deinit(const opn_alloc *alloc, opn_i_replace_file *file);

// Adds a line with its end to the text alone. Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_replace_file_put(opn_ctx *ctx,
                                                opn_i_replace_file *file,
                                                const char *line,
                                                size_t n);

// Writes the text. Errors: WRITE, NOMEM.
OPN_NODISCARD opn_status opn_i_replace_file_write(opn_ctx *ctx, opn_i_replace_file *file);

#endif // OPN_LINE_FILE_H
