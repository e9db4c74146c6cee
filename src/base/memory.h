// memory.h -- allocation through the caller's hooks, with checked sizes.

#ifndef OPN_MEMORY_H
#define OPN_MEMORY_H

#include "opine/base.h"

#include <stdbool.h>

// n items of size bytes, zeroed; NULL on overflow or exhaustion. n == 0 yields a real
// block.
void *opn_i_calloc(const opn_alloc *alloc, size_t n, size_t size);

// Grows or shrinks a block from old_n to new_n items, contents kept, new items not set.
// NULL on overflow or exhaustion, and then ptr is still valid. ptr may be NULL.
void *
opn_i_resize(const opn_alloc *alloc, void *ptr, size_t old_n, size_t new_n, size_t size);

// Room to ask for when `wanted` items must fit: half as much again, so that appending one
// by one costs O(1) each.
size_t opn_i_next_room(size_t room, size_t wanted);

void opn_i_release(const opn_alloc *alloc, void *ptr); // accepts NULL

// *out = a * b, or false when that does not fit.
bool opn_i_mul(size_t a, size_t b, size_t *out);
bool opn_i_add(size_t a, size_t b, size_t *out);

#endif // OPN_MEMORY_H
