// number_array.h -- elements of arrays that are float or double.

#ifndef OPN_NUMBER_ARRAY_H
#define OPN_NUMBER_ARRAY_H

#include "base/context.h"
#include "opine/numbers.h"

static inline double opn_i_number(opn_numbers x, size_t i)
{
    return x.f64 != NULL ? x.f64[i] : (double)x.f32[i];
}

static inline bool opn_i_numbers_missing(opn_numbers x)
{
    return x.f32 == NULL && x.f64 == NULL;
}

// As OPN_REJECT_NULL(), for numbers of which neither pointer is set.
#define OPN_REJECT_MISSING(ctx, x)                                                    \
    do {                                                                              \
        if (opn_i_numbers_missing(x))                                                 \
            return opn_i_fail((ctx), OPN_ERR_INVALID_ARG, "argument " #x " is NULL"); \
    } while (0)

static inline bool opn_i_room_missing(opn_number_room x)
{
    return x.f32 == NULL && x.f64 == NULL;
}

// The same for room that must be there.
#define OPN_REJECT_NO_ROOM(ctx, x)                                                    \
    do {                                                                              \
        if (opn_i_room_missing(x))                                                    \
            return opn_i_fail((ctx), OPN_ERR_INVALID_ARG, "argument " #x " is NULL"); \
    } while (0)

static inline void opn_i_number_put(opn_number_room room, size_t i, double x)
{
    if (room.f64 != NULL)
        room.f64[i] = x;
    else
        room.f32[i] = (float)x;
}

// Which of the n >= 1 numbers from `at` on is the largest; the first of equal ones.
static inline int32_t opn_i_largest(int32_t n, opn_numbers x, size_t at)
{
    int32_t top = 0;
    for (int32_t k = 1; k < n; k++)
        if (opn_i_number(x, at + (size_t)k) > opn_i_number(x, at + (size_t)top))
            top = k;
    return top;
}

// For qsort(): doubles, the smallest first, none NaN.
int opn_i_compare_numbers(const void *a, const void *b);

// A sorted copy of x [n], which the caller frees; `what` is each of them in a message.
// Errors: INVALID_ARG (one is NaN), NOMEM, INTERRUPTED.
OPN_NODISCARD opn_status opn_i_numbers_sorted(
        opn_ctx *ctx, int32_t n, opn_numbers x, const char *what, double **out);

#endif // OPN_NUMBER_ARRAY_H
