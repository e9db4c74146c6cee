// values.h -- numbers of either precision, so that what a caller has as float or double
// meets one implementation.

#ifndef OPN_VALUES_H
#define OPN_VALUES_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

// An array of floats or of doubles; the other pointer is NULL.
typedef struct opn_i_values {
    const float *f32;
    const double *f64;
} opn_i_values;

static inline opn_i_values opn_i_floats(const float *value)
{
    return (opn_i_values){.f32 = value};
}

static inline opn_i_values opn_i_doubles(const double *value)
{
    return (opn_i_values){.f64 = value};
}

// NaN of no array: nobody asks, but an analyzer cannot see that.
static inline double opn_i_value_at(opn_i_values values, int64_t i)
{
    if (values.f64 != NULL)
        return values.f64[i];
    return values.f32 != NULL ? (double)values.f32[i] : (double)NAN;
}

// The distance between 1 and the next number of that precision.
static inline double opn_i_values_epsilon(opn_i_values values)
{
    return values.f64 != NULL ? DBL_EPSILON : (double)FLT_EPSILON;
}

#endif // OPN_VALUES_H
