// fault.c -- calls of the C library that fail on demand.

#include "support/fault.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

fault fault_heap;
char fault_refused[16];

bool fault_fails(fault *f, const char *call)
{
    if (!f->is_armed || ++f->n_calls != f->fail_at)
        return false;
    snprintf(fault_refused, sizeof(fault_refused), "%s", call);
    errno = f->error;
    return true;
}

void fault_arm(fault *f, long fail_at, int error)
{
    *f = (fault){.is_armed = true, .fail_at = fail_at, .error = error};
}

void fault_disarm(fault *f)
{
    f->is_armed = false;
}

#if HEAP_IS_OURS
// Hidden as the rest of the program is, they would not stand before those of the C
// library for libzip and its like.
#    define EXPORTED __attribute__((visibility("default")))

void *__libc_malloc(size_t n_bytes);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *ptr, size_t n_bytes);

EXPORTED void *malloc(size_t n_bytes)
{
    return fault_fails(&fault_heap, "malloc") ? NULL : __libc_malloc(n_bytes);
}

EXPORTED void *calloc(size_t n, size_t size)
{
    return fault_fails(&fault_heap, "calloc") ? NULL : __libc_calloc(n, size);
}

EXPORTED void *realloc(void *ptr, size_t n_bytes)
{
    return fault_fails(&fault_heap, "realloc") ? NULL : __libc_realloc(ptr, n_bytes);
}
#endif
