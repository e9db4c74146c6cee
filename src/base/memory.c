// memory.c -- allocation through the caller's hooks, with checked sizes.

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

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

// ---- huge pages ----------------------------------------------------------------------

// A page is mapped when it is first touched, and a huge one takes the place of 512 faults
// and 512 entries of the TLB: Computers loads in 25 ms of CPU time instead of 36; kernels
// gain 2 % at most. Where there are none, nothing is lost. All of a block that is filled
// in random order is mapped at once, during which nobody can interrupt: so larger ones go
// without.
enum { HUGE_PAGE = 2 << 20, MOST_HUGE = 64 << 20 };

// Asks for huge pages where the block, which may be NULL, fills whole ones; returns it.
static void *on_huge_pages(void *ptr, size_t n_bytes)
{
#ifdef MADV_HUGEPAGE
    const size_t n_before = (HUGE_PAGE - (uintptr_t)ptr % HUGE_PAGE) % HUGE_PAGE;
    if (ptr != NULL && n_bytes >= n_before + HUGE_PAGE && n_bytes <= MOST_HUGE)
        (void)madvise((char *)ptr + n_before,
                      (n_bytes - n_before) / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#else
    (void)n_bytes;
#endif
    return ptr;
}

// A block that is not cleared; free() and realloc() accept it.
static void *new_block(size_t n_bytes)
{
    void *ptr = NULL;
    if (n_bytes < HUGE_PAGE)
        return malloc(n_bytes);
    return posix_memalign(&ptr, HUGE_PAGE, n_bytes) == 0 ? on_huge_pages(ptr, n_bytes)
                                                         : NULL;
}

// ---- blocks --------------------------------------------------------------------------

void *opn_i_calloc(const opn_alloc *alloc, size_t n, size_t size)
{
    size_t n_bytes;
    if (!block_size(n, size, &n_bytes))
        return NULL;
    // Not aligned: calloc() knows which memory is clear, and pages of large blocks stay
    // unmapped until touched. Clearing them would add a quarter to the peak of training.
    if (alloc->alloc == NULL)
        return on_huge_pages(calloc(1, n_bytes), n_bytes);
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
    if (alloc->alloc == NULL && ptr == NULL)
        return new_block(n_bytes);
    if (alloc->alloc ==
        NULL) // without huge pages, which cost more to move than they save
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
