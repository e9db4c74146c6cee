// sort.h -- sorting that can be interrupted.

#ifndef OPN_SORT_H
#define OPN_SORT_H

#include "base/context.h"

// Sorts n items of `size` bytes as qsort() does, asking in between whether to go on:
// qsort() alone takes seconds for ten million. Errors: NOMEM, INTERRUPTED (the items are
// in no useful order).
OPN_NODISCARD opn_status opn_i_sort(opn_ctx *ctx,
                                    void *items,
                                    size_t n,
                                    size_t size,
                                    int (*compare)(const void *, const void *));

#endif // OPN_SORT_H
