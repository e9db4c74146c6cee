// avx2.h -- the kernels for CPUs with AVX2, FMA and BMI2, in single precision; see
// kernels.h for what each does.

#ifndef OPN_AVX2_H
#define OPN_AVX2_H

#include "math/simd/declare.h"

#if defined(__AVX2__) && defined(__FMA__) && defined(__BMI2__) && \
        !defined(OPN_REAL_DOUBLE)
#    define OPN_HAS_AVX2

#    include <immintrin.h>

OPN_K_DECLARE_KERNELS(avx2)

// Up to this many vectors of a row are kept in registers; calls kernel(V, ...) with their
// number, at most this one, as a constant, so that the compiler unrolls.
#    define FOR_VECTORS(n_vectors, kernel, ...) \
        switch (n_vectors) {                    \
        case 1:                                 \
            kernel(1, __VA_ARGS__);             \
            break;                              \
        case 2:                                 \
            kernel(2, __VA_ARGS__);             \
            break;                              \
        case 3:                                 \
            kernel(3, __VA_ARGS__);             \
            break;                              \
        case 4:                                 \
            kernel(4, __VA_ARGS__);             \
            break;                              \
        case 5:                                 \
            kernel(5, __VA_ARGS__);             \
            break;                              \
        case 6:                                 \
            kernel(6, __VA_ARGS__);             \
            break;                              \
        case 7:                                 \
            kernel(7, __VA_ARGS__);             \
            break;                              \
        default:                                \
            kernel(8, __VA_ARGS__);             \
            break;                              \
        }

// All ones in the lanes whose bit in `byte` is set.
INLINE __m256 opn_k_lanes_of(uint8_t byte)
{
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256i all = _mm256_set1_epi8((char)byte); // one load if it is in memory
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(all, bit), bit));
}

// What math/simd asks for.
#    define KERNEL(name) opn_k_avx2_##name
#    define NARROW(name) opn_k_avx2_##name // for what is narrower than a vector
typedef __m256 vec;
typedef __m256i ints;
enum { VEC = 8, MOST_VECTORS = OPN_SLICE / VEC };

#    define MM(name)          _mm256_##name
#    define BITS_OF_INTS(x)   _mm256_castsi256_ps(x)
#    define BITS_OF_FLOATS(x) _mm256_castps_si256(x)
#    define LOAD_INTS(from)   _mm256_loadu_si256(from)
#    define AND_INTS          _mm256_and_si256
#    include "math/simd/operations.h"

INLINE vec v_mask(int is, vec x)
{
    return _mm256_and_ps(_mm256_castsi256_ps(_mm256_set1_epi32(-is)), x);
}

INLINE vec v_kept(const uint8_t *bytes, uint64_t place, vec x)
{
    return _mm256_and_ps(x, opn_k_lanes_of(bytes[place / 8]));
}

INLINE vec v_where(vec active, vec x)
{
    return _mm256_and_ps(_mm256_cmp_ps(active, _mm256_setzero_ps(), _CMP_GT_OQ), x);
}

// x where a == b, and where a >= 0; else 0.
INLINE vec v_where_equal(ints a, ints b, vec x)
{
    return _mm256_and_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(a, b)), x);
}

INLINE vec v_where_natural(ints a, vec x)
{
    return _mm256_andnot_ps(_mm256_castsi256_ps(_mm256_srai_epi32(a, 31)), x);
}

INLINE bool i_any_natural(ints a)
{
    return _mm256_movemask_ps(_mm256_castsi256_ps(a)) != 0xff;
}

INLINE int64_t v_count_above(vec x, vec bound)
{
    return _mm_popcnt_u32(
            (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(x, bound, _CMP_GT_OQ)));
}

// Four numbers for each quarter, `apart` from one to the next.
INLINE vec v_load_fours(const float *from, size_t apart)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(from)),
                                _mm_loadu_ps(from + apart), 1);
}

INLINE void v_store_fours(float *to, size_t apart, vec x)
{
    _mm_storeu_ps(to, _mm256_castps256_ps128(x));
    _mm_storeu_ps(to + apart, _mm256_extractf128_ps(x, 1));
}

INLINE void v_add_fours(double *to, size_t apart, vec x)
{
    const __m256d low = _mm256_cvtps_pd(_mm256_castps256_ps128(x));
    const __m256d high = _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1));
    _mm256_storeu_pd(to, _mm256_add_pd(_mm256_loadu_pd(to), low));
    _mm256_storeu_pd(to + apart, _mm256_add_pd(_mm256_loadu_pd(to + apart), high));
}

// exp with relative error 4e-7 for x in [-87, 0]; smaller x give exp(-87), i.e. nothing,
// and NaN stays NaN. Its dependency chain is short because attention waits for it: a
// tenth less time than with the exp of the evidence, a quarter for activate.
INLINE __m256 opn_k_exp_below_0(__m256 x)
{
    // At this size a float is an integer, with n + 127 in its last bits.
    const __m256 whole = _mm256_set1_ps(12582912.0f + 127.0f);
    x = _mm256_max_ps(_mm256_set1_ps(-87.0f), x);
    const __m256 shifted = _mm256_fmadd_ps(x, _mm256_set1_ps(1.44269504f), whole);
    const __m256 n = _mm256_sub_ps(shifted, whole);
    const __m256 r = _mm256_fnmadd_ps(n, _mm256_set1_ps(0.693147181f), x);
    const __m256 r2 = _mm256_mul_ps(r, r);
    const __m256 low = _mm256_fmadd_ps(r, _mm256_set1_ps(1.6667119670e-1f),
                                       _mm256_set1_ps(4.9999223817e-1f));
    const __m256 high = _mm256_fmadd_ps(r, _mm256_set1_ps(8.3123715153e-3f),
                                        _mm256_set1_ps(4.1891287307e-2f));
    const __m256 sum = _mm256_fmadd_ps(_mm256_fmadd_ps(high, r2, low), r2,
                                       _mm256_add_ps(r, _mm256_set1_ps(1.0f)));
    const __m256i power = _mm256_slli_epi32(_mm256_castps_si256(shifted), 23);
    return _mm256_mul_ps(sum, _mm256_castsi256_ps(power));
}

#endif

#endif // OPN_AVX2_H
