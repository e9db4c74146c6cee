// sort.c -- sorting that can be interrupted.

#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

static const char sorting[] = "sorting";

// Sorted in about 10 ms, so that one is done between two questions.
enum { ITEMS_A_RUN = 1 << 16 };

// Two runs that follow each other, and where they become one.
typedef struct merge {
    const char *a, *a_end, *b, *b_end;
    char *out;
} merge;

static opn_status
merge_runs(opn_ctx *ctx, merge m, size_t size, int (*compare)(const void *, const void *))
{
    opn_status status = OPN_OK;
    for (size_t step = 0; m.a < m.a_end && m.b < m.b_end; step++) {
        OPN_TRY_GO_ON(ctx, step, sorting);
        const char **least = compare(m.b, m.a) < 0 ? &m.b : &m.a;
        memcpy(m.out, *least, size);
        *least += size;
        m.out += size;
    }
    memcpy(m.out, m.a, (size_t)(m.a_end - m.a));
    memcpy(m.out + (m.a_end - m.a), m.b, (size_t)(m.b_end - m.b));
cleanup:
    return status;
}

// Merges all pairs of runs of `run` items; the last may have no partner.
static opn_status merge_pairs(opn_ctx *ctx,
                              const char *from,
                              char *to,
                              size_t n,
                              size_t run,
                              size_t size,
                              int (*compare)(const void *, const void *))
{
    opn_status status = OPN_OK;
    for (size_t first = 0; first < n; first += 2 * run) {
        const size_t middle = n - first > run ? first + run : n;
        const size_t end = n - first > 2 * run ? first + 2 * run : n;
        const char *const at = from + middle * size;
        merge m = {.a = from + first * size, .a_end = at, .b = at};
        m.b_end = from + end * size;
        m.out = to + first * size;
        OPN_TRY(merge_runs(ctx, m, size, compare));
    }
cleanup:
    return status;
}

opn_status opn_i_sort(opn_ctx *ctx,
                      void *items,
                      size_t n,
                      size_t size,
                      int (*compare)(const void *, const void *))
{
    opn_status status = OPN_OK;
    char *spare = NULL;
    char *from = items;
    if (n <= ITEMS_A_RUN) {
        qsort(items, n, size, compare);
        return OPN_OK;
    }
    OPN_TRY_NEW_ROOM(ctx, spare, n * size);
    for (size_t first = 0; first < n; first += ITEMS_A_RUN) {
        const size_t rest = n - first;
        OPN_TRY(opn_i_go_on(ctx, sorting));
        qsort(from + first * size, rest < ITEMS_A_RUN ? rest : ITEMS_A_RUN, size,
              compare);
    }
    char *to = spare;
    for (size_t run = ITEMS_A_RUN; run < n; run *= 2) {
        OPN_TRY(merge_pairs(ctx, from, to, n, run, size, compare));
        char *const merged = to;
        to = from;
        from = merged;
    }
    if (from != items)
        memcpy(items, from, n * size);
cleanup:
    opn_i_release(&ctx->alloc, spare);
    return status;
}
