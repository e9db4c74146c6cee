// names.h -- a table of short strings in one block, with lookup by name.

#ifndef OPN_NAMES_H
#define OPN_NAMES_H

#include "base/context.h"

// Names 0 … n-1; zero-initialise. Each is NUL-terminated UTF-8 without embedded NULs.
typedef struct opn_i_names {
    char *text;    // all names, back to back
    size_t n_text; // bytes in use
    size_t text_room;
    size_t *offset; // [n] start of each name
    int64_t n;
    size_t offset_room;
    int32_t *slot;  // [n_slots] hash table, -1 empty; NULL until the first lookup
    size_t n_slots; // a power of two
} opn_i_names;

void opn_i_names_deinit(const opn_alloc *alloc, opn_i_names *names);

// Appends a name, even if it is already there.
// Errors: NOMEM, OVERFLOW (more than 2^31 - 1 names).
OPN_NODISCARD opn_status opn_i_names_add(opn_ctx *ctx,
                                         opn_i_names *names,
                                         const char *text,
                                         size_t n_chars);

const char *opn_i_names_at(const opn_i_names *names, int64_t i);

// Index of the name, which is added if it is new. A table filled only by this function
// has no duplicates.
OPN_NODISCARD opn_status opn_i_names_intern(
        opn_ctx *ctx, opn_i_names *names, const char *text, size_t n_chars, int32_t *out);

// Index of the name, or -1. Only for tables filled by intern.
int32_t opn_i_names_find(const opn_i_names *names, const char *text, size_t n_chars);

// Interns all names of a table, for lookup. Their indices are the same as long as no name
// stands there twice.
OPN_NODISCARD opn_status opn_i_names_index(opn_ctx *ctx,
                                           const opn_i_names *from,
                                           opn_i_names *to);

OPN_NODISCARD opn_status opn_i_names_copy(opn_ctx *ctx,
                                          const opn_i_names *from,
                                          opn_i_names *to);

// Whether the comma-separated list contains the name; an empty list contains all names.
bool opn_i_is_listed(const char *list, const char *name);

#endif // OPN_NAMES_H
