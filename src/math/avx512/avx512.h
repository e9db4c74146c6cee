// avx512.h -- the kernels for CPUs with AVX-512 (F, BW, DQ, VL), in single precision;
// what they leave out is done by those for AVX2.

#ifndef OPN_AVX512_H
#define OPN_AVX512_H

#include "math/simd/declare.h"

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && \
        defined(__AVX512VL__) && defined(__FMA__) && defined(__BMI2__) &&     \
        !defined(OPN_REAL_DOUBLE)
#    define OPN_HAS_AVX512

#    include <immintrin.h>

OPN_K_DECLARE_KERNELS(avx2)
OPN_K_DECLARE_KERNELS(avx512)

// What math/simd asks for.
#    define KERNEL(name) opn_k_avx512_##name
#    define NARROW(name) opn_k_avx2_##name // for what is narrower than a vector
typedef __m512 vec;
typedef __m512i ints;
enum { VEC = 16, MOST_VECTORS = OPN_SLICE / VEC };

#    define MM(name)          _mm512_##name
#    define BITS_OF_INTS(x)   _mm512_castsi512_ps(x)
#    define BITS_OF_FLOATS(x) _mm512_castps_si512(x)
#    define LOAD_INTS(from)   _mm512_loadu_si512(from)
#    define AND_INTS          _mm512_and_si512
#    include "math/simd/operations.h"

INLINE vec v_mask(int is, vec x)
{
    return _mm512_maskz_mov_ps((__mmask16)-is, x);
}

INLINE vec v_kept(const uint8_t *bytes, uint64_t place, vec x)
{
    const unsigned low = bytes[place / 8], high = bytes[place / 8 + 1];
    return _mm512_maskz_mov_ps((__mmask16)(low | high << 8), x);
}

INLINE vec v_where(vec active, vec x)
{
    return _mm512_maskz_mov_ps(
            _mm512_cmp_ps_mask(active, _mm512_setzero_ps(), _CMP_GT_OQ), x);
}

// x where a == b, and where a >= 0; else 0.
INLINE vec v_where_equal(ints a, ints b, vec x)
{
    return _mm512_maskz_mov_ps(_mm512_cmpeq_epi32_mask(a, b), x);
}

INLINE vec v_where_natural(ints a, vec x)
{
    return _mm512_maskz_mov_ps(_mm512_cmpge_epi32_mask(a, _mm512_setzero_si512()), x);
}

INLINE bool i_any_natural(ints a)
{
    return _mm512_cmpge_epi32_mask(a, _mm512_setzero_si512()) != 0;
}

INLINE int64_t v_count_above(vec x, vec bound)
{
    return _mm_popcnt_u32(_mm512_cmp_ps_mask(x, bound, _CMP_GT_OQ));
}

// Four numbers for each quarter, `apart` from one to the next.
INLINE vec v_load_fours(const float *from, size_t apart)
{
    vec x = _mm512_castps128_ps512(_mm_loadu_ps(from));
    x = _mm512_insertf32x4(x, _mm_loadu_ps(from + apart), 1);
    x = _mm512_insertf32x4(x, _mm_loadu_ps(from + 2 * apart), 2);
    return _mm512_insertf32x4(x, _mm_loadu_ps(from + 3 * apart), 3);
}

INLINE void v_store_fours(float *to, size_t apart, vec x)
{
    _mm_storeu_ps(to, _mm512_castps512_ps128(x));
    _mm_storeu_ps(to + apart, _mm512_extractf32x4_ps(x, 1));
    _mm_storeu_ps(to + 2 * apart, _mm512_extractf32x4_ps(x, 2));
    _mm_storeu_ps(to + 3 * apart, _mm512_extractf32x4_ps(x, 3));
}

INLINE void add_four(double *to, __m128 x)
{
    _mm256_storeu_pd(to, _mm256_add_pd(_mm256_loadu_pd(to), _mm256_cvtps_pd(x)));
}

INLINE void v_add_fours(double *to, size_t apart, vec x)
{
    add_four(to, _mm512_castps512_ps128(x));
    add_four(to + apart, _mm512_extractf32x4_ps(x, 1));
    add_four(to + 2 * apart, _mm512_extractf32x4_ps(x, 2));
    add_four(to + 3 * apart, _mm512_extractf32x4_ps(x, 3));
}

#endif

#endif // OPN_AVX512_H
