// operations.h -- what sets of instructions differ in by name alone. Included by each set
// after the types of its vectors and
//
//   MM(name)   the intrinsic of that name for its width
//   BITS_OF_INTS, BITS_OF_FLOATS, LOAD_INTS, AND_INTS
//              those whose names have the width twice

#ifndef OPN_SIMD_OPERATIONS_H
#define OPN_SIMD_OPERATIONS_H

#define OF_ONE(name, intrinsic) \
    INLINE vec name(vec a)      \
    {                           \
        return intrinsic(a);    \
    }
#define OF_TWO(name, intrinsic)   \
    INLINE vec name(vec a, vec b) \
    {                             \
        return intrinsic(a, b);   \
    }
#define OF_THREE(name, intrinsic)        \
    INLINE vec name(vec a, vec b, vec c) \
    {                                    \
        return intrinsic(a, b, c);       \
    }
#define OF_INTS(name, intrinsic)     \
    INLINE ints name(ints a, ints b) \
    {                                \
        return intrinsic(a, b);      \
    }

OF_ONE(v_sqrt, MM(sqrt_ps))
OF_TWO(v_add, MM(add_ps))
OF_TWO(v_sub, MM(sub_ps))
OF_TWO(v_mul, MM(mul_ps))
OF_TWO(v_div, MM(div_ps))
OF_TWO(v_min, MM(min_ps)) // of NaN and a number the second operand, as in v_max
OF_TWO(v_max, MM(max_ps))
OF_TWO(v_unpack_low, MM(unpacklo_ps))
OF_TWO(v_unpack_high, MM(unpackhi_ps))
OF_THREE(v_fma, MM(fmadd_ps))   // a b + c
OF_THREE(v_fms, MM(fmsub_ps))   // a b - c
OF_THREE(v_fnma, MM(fnmadd_ps)) // c - a b
OF_INTS(i_add, MM(add_epi32))
OF_INTS(i_sub, MM(sub_epi32))
OF_INTS(i_and, AND_INTS)

INLINE vec v_zero(void)
{
    return MM(setzero_ps)();
}

INLINE vec v_set1(float x)
{
    return MM(set1_ps)(x);
}

INLINE ints i_set1(int32_t x)
{
    return MM(set1_epi32)(x);
}

INLINE vec v_load(const float *from)
{
    return MM(loadu_ps)(from);
}

INLINE ints i_load(const int32_t *from)
{
    return LOAD_INTS((const void *)from);
}

INLINE void v_store(float *to, vec x)
{
    MM(storeu_ps)(to, x);
}

// The same bits as floats or integers, and the nearest integers.
INLINE vec v_bits(ints x)
{
    return BITS_OF_INTS(x);
}

INLINE ints i_bits(vec x)
{
    return BITS_OF_FLOATS(x);
}

INLINE vec v_from(ints x)
{
    return MM(cvtepi32_ps)(x);
}

INLINE ints i_from(vec x)
{
    return MM(cvtps_epi32)(x);
}

#define i_shift_left(x, n)  MM(slli_epi32)(x, n)
#define i_shift_right(x, n) MM(srai_epi32)(x, n)

// Pairs of numbers of each quarter.
INLINE vec v_pair_low(vec a, vec b)
{
    return MM(castpd_ps)(MM(unpacklo_pd)(MM(castps_pd)(a), MM(castps_pd)(b)));
}

INLINE vec v_pair_high(vec a, vec b)
{
    return MM(castpd_ps)(MM(unpackhi_pd)(MM(castps_pd)(a), MM(castps_pd)(b)));
}

INLINE vec v_ramp(vec x)
{
    return MM(max_ps)(MM(setzero_ps)(), x); // in this order NaN stays NaN
}

#endif // OPN_SIMD_OPERATIONS_H
