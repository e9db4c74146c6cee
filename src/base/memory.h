// memory.h -- allocation through the caller's hooks, with checked sizes.

#ifndef OPN_MEMORY_H
#define OPN_MEMORY_H

#include "opine/base.h"

#include <stdbool.h>

// n zeroed items of size bytes; NULL on overflow or out of memory. n == 0 returns a valid
// block.
void *opn_i_calloc(const opn_alloc *alloc, size_t n, size_t size);

// Resizes a block from old_n to new_n items; contents are kept, new items are
// uninitialised. On overflow or out of memory returns NULL and ptr stays valid. ptr may
// be NULL.
void *
opn_i_resize(const opn_alloc *alloc, void *ptr, size_t old_n, size_t new_n, size_t size);

// New capacity when `wanted` items must fit: grows by half, so that appending one item
// costs amortised O(1).
size_t opn_i_next_room(size_t room, size_t wanted);

void opn_i_release(const opn_alloc *alloc, void *ptr); // accepts NULL

// *out = a * b; false on overflow.
bool opn_i_mul(size_t a, size_t b, size_t *out);
bool opn_i_add(size_t a, size_t b, size_t *out);

#endif // OPN_MEMORY_H
