// avx2.h -- the kernels for CPUs with AVX2, FMA and BMI2, in single precision; see
// kernels.h for what each does.

#ifndef OPN_AVX2_H
#define OPN_AVX2_H

#include "math/kernels.h"

#if defined(__AVX2__) && defined(__FMA__) && defined(__BMI2__) && \
        !defined(OPN_REAL_DOUBLE)
#    define OPN_HAS_AVX2

#    include <immintrin.h>

#    define INLINE static inline __attribute__((always_inline))

// Up to this many vectors of a row are kept in registers; calls kernel(V, ...) with their
// number, at most this one, as a constant, so that the compiler unrolls.
enum { MOST_VECTORS = 8 };
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
typedef __m256 vec;
enum { VEC = 8 };

INLINE vec v_zero(void)
{
    return _mm256_setzero_ps();
}

INLINE vec v_set1(float x)
{
    return _mm256_set1_ps(x);
}

INLINE vec v_load(const float *from)
{
    return _mm256_loadu_ps(from);
}

INLINE void v_store(float *to, vec x)
{
    _mm256_storeu_ps(to, x);
}

INLINE vec v_add(vec a, vec b)
{
    return _mm256_add_ps(a, b);
}

INLINE vec v_mul(vec a, vec b)
{
    return _mm256_mul_ps(a, b);
}

INLINE vec v_fma(vec a, vec b, vec c)
{
    return _mm256_fmadd_ps(a, b, c);
}

INLINE vec v_fms(vec a, vec b, vec c)
{
    return _mm256_fmsub_ps(a, b, c);
}

INLINE vec v_ramp(vec x)
{
    return _mm256_max_ps(_mm256_setzero_ps(), x); // in this order NaN stays NaN
}

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

void opn_k_avx2_philox(uint64_t seed,
                       uint32_t stream,
                       uint32_t step,
                       uint64_t first,
                       size_t n_blocks,
                       uint32_t *out);
void opn_k_avx2_keep(size_t n_words,
                     uint32_t threshold,
                     const uint16_t *random,
                     uint64_t *bits);
void opn_k_avx2_compact(size_t first,
                        size_t last,
                        const uint64_t *bits,
                        const int32_t *col,
                        const opn_real *value,
                        opn_off at,
                        int32_t *to_col,
                        opn_real *to_value);
void opn_k_avx2_count(size_t n_words,
                      const uint64_t *bits,
                      opn_off *rank,
                      int32_t n_ptr,
                      const opn_off *ptr,
                      opn_off *to_ptr);
void opn_k_avx2_spread(int32_t first,
                       int32_t last,
                       int32_t n_rows,
                       int32_t n_words,
                       const opn_off *row_ptr,
                       const uint64_t *bits,
                       const uint64_t *map,
                       uint64_t *kept);
void opn_k_avx2_turn(const uint64_t *from, uint64_t *to);
void opn_k_avx2_spmm(const opn_k_sparse *a,
                     int32_t first,
                     int32_t last,
                     int32_t width,
                     opn_k_in x,
                     opn_k_out y,
                     const opn_k_finish *finish);
void opn_k_avx2_scatter(const opn_k_sparse *a,
                        int32_t first,
                        int32_t last,
                        int32_t width,
                        opn_k_in x,
                        opn_k_out y);
void opn_k_avx2_lookup(int32_t n_rows,
                       const uint64_t *map,
                       int32_t n_bits,
                       int32_t width,
                       opn_k_in x,
                       bool adds,
                       opn_k_out y);
void opn_k_avx2_matmul(int32_t first,
                       int32_t last,
                       int32_t n_inner,
                       int32_t width,
                       opn_k_in x,
                       opn_k_in w,
                       opn_k_out y,
                       const opn_real *active,
                       opn_real factor);
void opn_k_avx2_matmul_tn(int32_t first,
                          int32_t last,
                          int32_t n_outer,
                          int32_t width,
                          opn_k_in x,
                          opn_k_in g,
                          opn_k_out sum);
void opn_k_avx2_adam(size_t n,
                     opn_real rate,
                     opn_real epsilon,
                     opn_real decay,
                     opn_real *w,
                     opn_real *mean,
                     opn_real *square,
                     const opn_real *g);
int64_t opn_k_avx2_exp_evidence_gradient(const opn_k_evidence *loss,
                                         int32_t first,
                                         int32_t last,
                                         const opn_real *z,
                                         opn_real *d_z);
void opn_k_avx2_add_moments(const opn_k_moments *sums,
                            int32_t first,
                            int32_t last,
                            const opn_real *z);

#endif

#endif // OPN_AVX2_H
