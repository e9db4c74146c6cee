// numbers.h -- arrays of floats or of doubles, as the caller has them.

#ifndef OPINE_NUMBERS_H
#define OPINE_NUMBERS_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Numbers to read, which are borrowed. One of the two is set: opn_f32(x) or opn_f64(x).
typedef struct opn_numbers {
    const float *f32;
    const double *f64;
} opn_numbers;

static inline opn_numbers opn_f32(const float *x)
{
    opn_numbers numbers;
    numbers.f32 = x;
    numbers.f64 = NULL;
    return numbers;
}

static inline opn_numbers opn_f64(const double *x)
{
    opn_numbers numbers;
    numbers.f32 = NULL;
    numbers.f64 = x;
    return numbers;
}

// Room for numbers: opn_into_f32(x) or opn_into_f64(x). All arithmetic is in double, and
// a float is rounded once, when it is stored. What is read may be written over.
typedef struct opn_number_room {
    float *f32;
    double *f64;
} opn_number_room;

static inline opn_number_room opn_into_f32(float *x)
{
    opn_number_room room;
    room.f32 = x;
    room.f64 = NULL;
    return room;
}

static inline opn_number_room opn_into_f64(double *x)
{
    opn_number_room room;
    room.f32 = NULL;
    room.f64 = x;
    return room;
}

#ifdef __cplusplus
}
#endif

#endif // OPINE_NUMBERS_H
