// memory.c -- allocation through the caller's hooks, with checked sizes.

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

bool opn_i_mul(size_t a, size_t b, size_t *out)
{
    if (b != 0 && a > SIZE_MAX / b)
        return false;
    *out = a * b;
    return true;
}

bool opn_i_add(size_t a, size_t b, size_t *out)
{
    if (a > SIZE_MAX - b)
        return false;
    *out = a + b;
    return true;
}

// Limited to malloc's largest object; a larger request is a bug or a bogus size in a
// file.
static bool block_size(size_t n, size_t size, size_t *n_bytes)
{
    if (!opn_i_mul(n, size, n_bytes) || *n_bytes > PTRDIFF_MAX)
        return false;
    if (*n_bytes == 0)
        *n_bytes = 1;
    return true;
}

void *opn_i_calloc(const opn_alloc *alloc, size_t n, size_t size)
{
    size_t n_bytes;
    if (!block_size(n, size, &n_bytes))
        return NULL;
    if (alloc->alloc == NULL)
        return calloc(1, n_bytes); // pages of large blocks stay unmapped until touched
    void *ptr = alloc->alloc(alloc->user, n_bytes);
    if (ptr != NULL)
        memset(ptr, 0, n_bytes);
    return ptr;
}

void *
opn_i_resize(const opn_alloc *alloc, void *ptr, size_t old_n, size_t new_n, size_t size)
{
    size_t n_bytes;
    if (!block_size(new_n, size, &n_bytes))
        return NULL;
    if (alloc->alloc == NULL)
        return realloc(ptr, n_bytes);
    void *grown = alloc->alloc(alloc->user, n_bytes);
    if (grown != NULL && ptr != NULL) {
        memcpy(grown, ptr, (old_n < new_n ? old_n : new_n) * size);
        alloc->release(alloc->user, ptr);
    }
    return grown;
}

size_t opn_i_next_room(size_t room, size_t wanted)
{
    const size_t grown = room + room / 2 + 64;
    return grown > wanted ? grown : wanted;
}

void opn_i_release(const opn_alloc *alloc, void *ptr)
{
    if (ptr == NULL)
        return;
    if (alloc->release != NULL)
        alloc->release(alloc->user, ptr);
    else
        free(ptr);
}
