// tally.c -- an allocator that knows how much is in use, and was at most.

#include "tally.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_HEAD = 64 }; // each block begins with its size

static void *take(void *user, size_t n_bytes)
{
    tally *of = user;
    char *block = malloc(n_bytes + BLOCK_HEAD);
    if (block == NULL)
        return NULL;
    memcpy(block, &n_bytes, sizeof(n_bytes));
    of->n_bytes += n_bytes;
    of->n_most = of->n_bytes > of->n_most ? of->n_bytes : of->n_most;
    return block + BLOCK_HEAD;
}

static void give_back(void *user, void *ptr)
{
    tally *of = user;
    size_t n_bytes;
    char *block = (char *)ptr - BLOCK_HEAD;
    memcpy(&n_bytes, block, sizeof(n_bytes));
    of->n_bytes -= n_bytes;
    free(block);
}

opn_alloc tally_alloc(tally *of)
{
    return (opn_alloc){take, give_back, of};
}

size_t tally_start(tally *of)
{
    of->n_most = of->n_bytes;
    return of->n_bytes;
}

double tally_megabytes(const tally *of, size_t n_before)
{
    return 1e-6 * (double)(of->n_most - n_before);
}
