// zip_archive.h -- reading members of an in-memory zip archive.

#ifndef OPN_ZIP_ARCHIVE_H
#define OPN_ZIP_ARCHIVE_H

#include "io/bytes.h"

enum { OPN_ZIP_MAX_MEMBERS = 4096 };

typedef struct opn_i_zip opn_i_zip;

// Opens the archive in `data`, which must outlive it; `name` (copied) is used in
// messages.
// Errors: FORMAT (not a zip archive, a broken directory, too many members, duplicate
// names, or members that share their bytes), NOMEM.
OPN_NODISCARD opn_status opn_i_zip_open(opn_ctx *ctx,
                                        const char *name,
                                        const unsigned char *data,
                                        size_t n_bytes,
                                        opn_i_zip **out);
void opn_i_zip_close(opn_i_zip *zip); // accepts NULL

// The same for the bytes of a file, which must not have been packed: limits of what an
// archive may unpack to count from the file, not from what gzip makes of it.
OPN_NODISCARD opn_status opn_i_zip_open_file(opn_ctx *ctx,
                                             const char *name,
                                             const opn_i_bytes *bytes,
                                             opn_i_zip **out);

int opn_i_zip_n_members(const opn_i_zip *zip);

// Name of a member in UTF-8, without control characters; lives as long as the archive.
const char *opn_i_zip_member_name(const opn_i_zip *zip, int i);

bool opn_i_zip_has(const opn_i_zip *zip, const char *member);

// Reads a whole member, stored or deflated, into memory of its size; unpacking takes its
// packed size as well. Its declared size is checked before allocating, and against the
// actual size.
// Errors: FORMAT (no such member, broken data, a wrong checksum, a size that is wrong or
// that opn_i_expansion_allowed() forbids), UNSUPPORTED (encrypted, another compression),
// NOMEM.
OPN_NODISCARD opn_status opn_i_zip_read(opn_ctx *ctx,
                                        const opn_i_zip *zip,
                                        const char *member,
                                        opn_i_bytes *out);

// "<archive>: member <member>", the prefix of messages about a member; returns `out`.
enum { OPN_ZIP_WHAT_ROOM = 512 };
const char *
opn_i_zip_what(const opn_i_zip *zip, const char *member, char out[OPN_ZIP_WHAT_ROOM]);

#endif // OPN_ZIP_ARCHIVE_H
