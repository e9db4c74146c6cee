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

// x in the lanes whose bit in `byte` is set, else 0.
INLINE vec v_lanes(uint8_t byte, vec x)
{
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256i all = _mm256_set1_epi8((char)byte); // one load if it is in memory
    const __m256i is_set = _mm256_cmpeq_epi32(_mm256_and_si256(all, bit), bit);
    return _mm256_and_ps(x, _mm256_castsi256_ps(is_set));
}

INLINE vec v_kept(const uint8_t *bytes, uint64_t place, vec x)
{
    return v_lanes(bytes[place / 8], x);
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

// For eight numbers to a vector only: a where x > 0, else b.
INLINE vec v_choose_positive(vec x, vec a, vec b)
{
    return _mm256_blendv_ps(b, a, _mm256_cmp_ps(x, _mm256_setzero_ps(), _CMP_GT_OQ));
}

// The bits of the lanes that are below the bound.
INLINE uint32_t v_bits_below(vec x, vec bound)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(x, bound, _CMP_LT_OQ));
}

// The sum of all lanes, in each of them.
INLINE vec v_total(vec x)
{
    x = _mm256_add_ps(x, _mm256_permute2f128_ps(x, x, 1));
    x = _mm256_add_ps(x, _mm256_permute_ps(x, 0x4e));
    return _mm256_add_ps(x, _mm256_permute_ps(x, 0xb1));
}

INLINE __m128 two_pairs(const float *a, const float *b)
{
    const __m128i first = _mm_loadl_epi64((const __m128i *)(const void *)a);
    return _mm_loadh_pi(_mm_castsi128_ps(first), (const __m64 *)(const void *)b);
}

// Two numbers from each place.
INLINE vec v_load_pairs(const float *a, const float *b, const float *c, const float *d)
{
    return _mm256_set_m128(two_pairs(c, d), two_pairs(a, b));
}

// The first and third numbers of each quarter of a, then of b; the second and fourth.
INLINE vec v_evens(vec a, vec b)
{
    return _mm256_shuffle_ps(a, b, 0x88);
}

INLINE vec v_odds(vec a, vec b)
{
    return _mm256_shuffle_ps(a, b, 0xdd);
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

#endif

#endif // OPN_AVX2_H
