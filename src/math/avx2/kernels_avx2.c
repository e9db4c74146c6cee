// kernels_avx2.c -- the kernels for CPUs with AVX2 and FMA, in single precision.

#include "math/kernels.h"

#if defined(__AVX2__) && defined(__FMA__) && !defined(OPN_REAL_DOUBLE)

#    include "math/special.h"

#    include <Random123/philox.h>
#    include <immintrin.h>
#    include <string.h>

// Widths up to this many vectors of eight are kept in registers while a row is summed.
enum { MAX_VECTORS = 8 };

#    define INLINE static inline __attribute__((always_inline))

// Calls kernel(V, ...) with the number of vectors as a constant, so that the compiler
// unrolls and keeps the sums in registers.
#    define FOR_WIDTH(n_vectors, kernel, ...) \
        switch (n_vectors) {                  \
        case 1:                               \
            kernel(1, __VA_ARGS__);           \
            break;                            \
        case 2:                               \
            kernel(2, __VA_ARGS__);           \
            break;                            \
        case 3:                               \
            kernel(3, __VA_ARGS__);           \
            break;                            \
        case 4:                               \
            kernel(4, __VA_ARGS__);           \
            break;                            \
        case 5:                               \
            kernel(5, __VA_ARGS__);           \
            break;                            \
        case 6:                               \
            kernel(6, __VA_ARGS__);           \
            break;                            \
        case 7:                               \
            kernel(7, __VA_ARGS__);           \
            break;                            \
        default:                              \
            kernel(8, __VA_ARGS__);           \
            break;                            \
        }

// ---- random bits ---------------------------------------------------------------------

// The high and the low words of x times a constant, in eight lanes.
INLINE void multiply_wide(__m256i x, uint32_t by, __m256i *high, __m256i *low)
{
    const __m256i factor = _mm256_set1_epi32((int)by);
    const __m256i even = _mm256_mul_epu32(x, factor);
    const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(x, 32), factor);
    *high = _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
    *low = _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa);
}

// Eight blocks side by side, one in each lane. Written out, because a compiler turns the
// plain loop into vectors of half the width at a quarter of the speed.
static void
philox_eight(const uint32_t counter[4], const uint32_t key[2], uint32_t out[32])
{
    __m256i c0 = _mm256_add_epi32(_mm256_set1_epi32((int)counter[0]),
                                  _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    __m256i c1 = _mm256_set1_epi32((int)counter[1]);
    __m256i c2 = _mm256_set1_epi32((int)counter[2]);
    __m256i c3 = _mm256_set1_epi32((int)counter[3]);
    uint32_t k0 = key[0];
    uint32_t k1 = key[1];
    for (int round = 0; round < 10; round++) {
        __m256i high0, low0, high2, low2;
        multiply_wide(c0, PHILOX_M4x32_0, &high0, &low0);
        multiply_wide(c2, PHILOX_M4x32_1, &high2, &low2);
        c0 = _mm256_xor_si256(_mm256_xor_si256(high2, c1), _mm256_set1_epi32((int)k0));
        c2 = _mm256_xor_si256(_mm256_xor_si256(high0, c3), _mm256_set1_epi32((int)k1));
        c1 = low2;
        c3 = low0;
        k0 += PHILOX_W32_0;
        k1 += PHILOX_W32_1;
    }
    // From a word of each block in a register to a block after the other.
    const __m256i low01 = _mm256_unpacklo_epi32(c0, c1);
    const __m256i high01 = _mm256_unpackhi_epi32(c0, c1);
    const __m256i low23 = _mm256_unpacklo_epi32(c2, c3);
    const __m256i high23 = _mm256_unpackhi_epi32(c2, c3);
    const __m256i blocks04 = _mm256_unpacklo_epi64(low01, low23);
    const __m256i blocks15 = _mm256_unpackhi_epi64(low01, low23);
    const __m256i blocks26 = _mm256_unpacklo_epi64(high01, high23);
    const __m256i blocks37 = _mm256_unpackhi_epi64(high01, high23);
    __m256i *to = (__m256i *)(void *)out;
    _mm256_storeu_si256(to, _mm256_permute2x128_si256(blocks04, blocks15, 0x20));
    _mm256_storeu_si256(to + 1, _mm256_permute2x128_si256(blocks26, blocks37, 0x20));
    _mm256_storeu_si256(to + 2, _mm256_permute2x128_si256(blocks04, blocks15, 0x31));
    _mm256_storeu_si256(to + 3, _mm256_permute2x128_si256(blocks26, blocks37, 0x31));
}

static void philox(uint64_t seed,
                   uint32_t stream,
                   uint32_t step,
                   uint64_t first,
                   size_t n_blocks,
                   uint32_t *out)
{
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    size_t b = 0;
    while (b < n_blocks) {
        const uint64_t at = first + b;
        const uint32_t counter[4] = {(uint32_t)at, (uint32_t)(at >> 32), step, stream};
        // The lanes add to the low word only, so a carry or the end goes the plain way.
        if (n_blocks - b >= 8 && (uint32_t)at <= UINT32_MAX - 7) {
            philox_eight(counter, key, out + 4 * b);
            b += 8;
        } else {
            opn_k_table_ref()->philox(seed, stream, step, at, 1, out + 4 * b);
            b++;
        }
    }
}

static void
keep(size_t n_words, uint32_t threshold, const uint16_t *random, uint64_t *bits)
{
    // Unsigned random >= threshold is max(random, threshold) == random.
    const __m256i bound = _mm256_set1_epi16((short)threshold);
    for (size_t w = 0; w < n_words; w++) {
        uint64_t word = 0;
        for (int half = 0; half < 2; half++) {
            const __m256i *from =
                    (const __m256i *)(const void *)(random + 64 * w + 32 * (size_t)half);
            const __m256i a = _mm256_loadu_si256(from);
            const __m256i b = _mm256_loadu_si256(from + 1);
            const __m256i low = _mm256_cmpeq_epi16(_mm256_max_epu16(a, bound), a);
            const __m256i high = _mm256_cmpeq_epi16(_mm256_max_epu16(b, bound), b);
            // packs works within halves; the permutation puts the quarters in order.
            const __m256i packed =
                    _mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0xd8);
            word |= (uint64_t)(uint32_t)_mm256_movemask_epi8(packed) << (32 * half);
        }
        bits[w] = word;
    }
}

// Bytes of four entries with the kept ones first, by the four bits that say which.
#    define ENTRY(k) 4 * (k), 4 * (k) + 1, 4 * (k) + 2, 4 * (k) + 3
#    define KEPT(a, b, c, d)                       \
        {                                          \
            ENTRY(a), ENTRY(b), ENTRY(c), ENTRY(d) \
        }
static const uint8_t kept_first[16][16] = {
        KEPT(0, 0, 0, 0), KEPT(0, 0, 0, 0), KEPT(1, 0, 0, 0), KEPT(0, 1, 0, 0),
        KEPT(2, 0, 0, 0), KEPT(0, 2, 0, 0), KEPT(1, 2, 0, 0), KEPT(0, 1, 2, 0),
        KEPT(3, 0, 0, 0), KEPT(0, 3, 0, 0), KEPT(1, 3, 0, 0), KEPT(0, 1, 3, 0),
        KEPT(2, 3, 0, 0), KEPT(0, 2, 3, 0), KEPT(1, 2, 3, 0), KEPT(0, 1, 2, 3),
};

INLINE void compact_four(unsigned kept, const void *from, void *to)
{
    const __m128i order =
            _mm_loadu_si128((const __m128i *)(const void *)kept_first[kept]);
    _mm_storeu_si128(to, _mm_shuffle_epi8(_mm_loadu_si128(from), order));
}

// Four entries at a time, whatever row they belong to, so that nothing is left to guess.
// What is written beyond the kept ones is overwritten by the next four; words after which
// fewer than four are left go the plain way, because the place after them may be another
// thread's.
static void compact(size_t first,
                    size_t last,
                    const uint64_t *bits,
                    const int32_t *col,
                    const float *value,
                    opn_off at,
                    int32_t *to_col,
                    float *to_value)
{
    opn_off n_left = 0;
    for (size_t w = first; w < last; w++)
        n_left += __builtin_popcountll(bits[w]);
    size_t w = first;
    for (; w < last; w++) {
        uint64_t word = bits[w];
        n_left -= __builtin_popcountll(word);
        if (n_left < 4)
            break;
        for (size_t b = 0; b < 64; b += 4, word >>= 4) {
            const unsigned kept = (unsigned)(word & 15);
            compact_four(kept, col + 64 * w + b, to_col + at);
            if (value != NULL)
                compact_four(kept, value + 64 * w + b, to_value + at);
            at += __builtin_popcount(kept);
        }
    }
    opn_k_table_ref()->compact(w, last, bits, col, value, at, to_col, to_value);
}

// ---- products ------------------------------------------------------------------------

// One row of spmm, V vectors from column `at` on. Even and odd entries are summed apart,
// because one chain of additions would wait for itself.
INLINE void spmm_row(size_t n_vectors,
                     const opn_k_sparse *a,
                     int32_t i,
                     int32_t width,
                     const float *x,
                     float *y)
{
    __m256 even[MAX_VECTORS];
    __m256 odd[MAX_VECTORS];
    for (size_t v = 0; v < n_vectors; v++)
        even[v] = odd[v] = _mm256_setzero_ps();
    const bool in_pairs = n_vectors <= 4; // more sums do not fit the 16 registers twice
    const opn_off last = a->end[i];
    opn_off e = a->begin[i];
    if (a->value == NULL) {
        for (; in_pairs && e + 1 < last; e += 2) {
            const float *one = x + (size_t)a->col[e] * (size_t)width;
            const float *two = x + (size_t)a->col[e + 1] * (size_t)width;
            for (size_t v = 0; v < n_vectors; v++) {
                even[v] = _mm256_add_ps(even[v], _mm256_loadu_ps(one + 8 * v));
                odd[v] = _mm256_add_ps(odd[v], _mm256_loadu_ps(two + 8 * v));
            }
        }
        for (; e < last; e++)
            for (size_t v = 0; v < n_vectors; v++)
                even[v] = _mm256_add_ps(
                        even[v],
                        _mm256_loadu_ps(x + (size_t)a->col[e] * (size_t)width + 8 * v));
    } else {
        for (; in_pairs && e + 1 < last; e += 2) {
            const float *one = x + (size_t)a->col[e] * (size_t)width;
            const float *two = x + (size_t)a->col[e + 1] * (size_t)width;
            const __m256 value1 = _mm256_set1_ps(a->value[e]);
            const __m256 value2 = _mm256_set1_ps(a->value[e + 1]);
            for (size_t v = 0; v < n_vectors; v++) {
                even[v] = _mm256_fmadd_ps(value1, _mm256_loadu_ps(one + 8 * v), even[v]);
                odd[v] = _mm256_fmadd_ps(value2, _mm256_loadu_ps(two + 8 * v), odd[v]);
            }
        }
        for (; e < last; e++) {
            const float *one = x + (size_t)a->col[e] * (size_t)width;
            const __m256 value = _mm256_set1_ps(a->value[e]);
            for (size_t v = 0; v < n_vectors; v++)
                even[v] = _mm256_fmadd_ps(value, _mm256_loadu_ps(one + 8 * v), even[v]);
        }
    }
    const __m256 scale = _mm256_set1_ps(a->scale == NULL ? 1.0f : a->scale[i]);
    for (size_t v = 0; v < n_vectors; v++)
        _mm256_storeu_ps(y + 8 * v, _mm256_mul_ps(scale, _mm256_add_ps(even[v], odd[v])));
}

INLINE void spmm_rows(size_t n_vectors,
                      const opn_k_sparse *a,
                      int32_t first,
                      int32_t last,
                      int32_t width,
                      const float *x,
                      float *y)
{
    for (int32_t i = first; i < last; i++)
        spmm_row(n_vectors, a, i, width, x, y + (size_t)i * (size_t)width);
}

static void spmm(const opn_k_sparse *a,
                 int32_t first,
                 int32_t last,
                 int32_t width,
                 const float *x,
                 float *y)
{
    for (int32_t at = 0; at < width; at += 8 * MAX_VECTORS) {
        const int32_t n = width - at;
        FOR_WIDTH(n / 8, spmm_rows, a, first, last, width, x + at, y + at)
    }
}

// Four rows at a time, so that four sums are under way.
INLINE void matmul_rows(size_t n_vectors,
                        int32_t first,
                        int32_t last,
                        int32_t n_inner,
                        int32_t x_width,
                        int32_t width,
                        const float *x,
                        const float *w,
                        float *y)
{
    enum { ROWS = 4 };
    for (int32_t i = first; i < last; i += ROWS) {
        __m256 sum[ROWS][MAX_VECTORS];
        const float *row[ROWS];
        for (int r = 0; r < ROWS; r++) { // rows beyond the end repeat the last
            row[r] = x + (size_t)(i + r < last ? i + r : last - 1) * (size_t)x_width;
            for (size_t v = 0; v < n_vectors; v++)
                sum[r][v] = _mm256_setzero_ps();
        }
        for (int32_t h = 0; h < n_inner; h++) {
            const float *w_row = w + (size_t)h * (size_t)width;
            for (size_t v = 0; v < n_vectors; v++) {
                const __m256 weight = _mm256_loadu_ps(w_row + 8 * v);
                for (int r = 0; r < ROWS; r++)
                    sum[r][v] =
                            _mm256_fmadd_ps(_mm256_set1_ps(row[r][h]), weight, sum[r][v]);
            }
        }
        for (int r = 0; r < ROWS && i + r < last; r++)
            for (size_t v = 0; v < n_vectors; v++)
                _mm256_storeu_ps(y + (size_t)(i + r) * (size_t)width + 8 * v, sum[r][v]);
    }
}

static void matmul(int32_t first,
                   int32_t last,
                   int32_t n_inner,
                   int32_t x_width,
                   int32_t width,
                   const float *x,
                   const float *w,
                   float *y)
{
    for (int32_t at = 0; at < width; at += 8 * MAX_VECTORS) {
        const int32_t n = width - at;
        FOR_WIDTH(n / 8, matmul_rows, first, last, n_inner, x_width, width, x, w + at,
                  y + at)
    }
}

// Eight rows of the result at a time stay in registers while all rows i pass by.
INLINE void matmul_tn_part(size_t n_vectors,
                           int32_t first,
                           int32_t last,
                           int32_t n_outer,
                           int32_t x_width,
                           int32_t width,
                           const float *x,
                           const float *g,
                           float *sum)
{
    enum { ROWS = 8 };
    // Beyond two vectors the sums would not fit in the 16 registers.
    for (int32_t h = 0; h < n_outer; h += ROWS) {
        for (size_t from = 0; from < n_vectors; from++) {
            __m256 part[ROWS];
            const int n_rows = n_outer - h < ROWS ? n_outer - h : ROWS;
            for (int r = 0; r < ROWS; r++)
                part[r] = _mm256_setzero_ps();
            for (int32_t i = first; i < last; i++) {
                const __m256 slope =
                        _mm256_loadu_ps(g + (size_t)i * (size_t)width + 8 * from);
                const float *row = x + (size_t)i * (size_t)x_width + h; // padded to ROWS
                for (int r = 0; r < ROWS; r++)
                    part[r] = _mm256_fmadd_ps(_mm256_set1_ps(row[r]), slope, part[r]);
            }
            for (int r = 0; r < n_rows; r++)
                _mm256_storeu_ps(sum + (size_t)(h + r) * (size_t)width + 8 * from,
                                 part[r]);
        }
    }
}

static void matmul_tn(int32_t first,
                      int32_t last,
                      int32_t n_outer,
                      int32_t x_width,
                      int32_t width,
                      const float *x,
                      const float *g,
                      float *sum)
{
    matmul_tn_part((size_t)width / 8, first, last, n_outer, x_width, width, x, g, sum);
}

// ---- single elements -----------------------------------------------------------------

// All ones in the lanes whose bit in `byte` is set.
INLINE __m256 lanes_of(uint8_t byte)
{
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256i all = _mm256_set1_epi32(byte);
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(all, bit), bit));
}

static void relu_drop(size_t n, float scale, const uint64_t *bits, float *x)
{
    const __m256 factor = _mm256_set1_ps(scale);
    const __m256 zero = _mm256_setzero_ps();
    for (size_t j = 0; j < n; j += 8) {
        const uint8_t byte = (uint8_t)(bits == NULL ? 0xff : bits[j / 64] >> (j % 64));
        const __m256 value = _mm256_max_ps(_mm256_loadu_ps(x + j), zero);
        _mm256_storeu_ps(x + j,
                         _mm256_and_ps(lanes_of(byte), _mm256_mul_ps(value, factor)));
    }
}

static void relu_drop_back(size_t n, float scale, const float *h, float *d)
{
    const __m256 factor = _mm256_set1_ps(scale);
    for (size_t j = 0; j < n; j += 8) {
        const __m256 active =
                _mm256_cmp_ps(_mm256_loadu_ps(h + j), _mm256_setzero_ps(), _CMP_GT_OQ);
        const __m256 slope = _mm256_mul_ps(_mm256_loadu_ps(d + j), factor);
        _mm256_storeu_ps(d + j, _mm256_and_ps(active, slope));
    }
}

static void adam(size_t n,
                 float rate,
                 float epsilon,
                 float decay,
                 float *w,
                 float *mean,
                 float *square,
                 const float *g)
{
    const __m256 beta1 = _mm256_set1_ps(0.9f);
    const __m256 beta2 = _mm256_set1_ps(0.999f);
    const __m256 rest1 = _mm256_set1_ps(1.0f - 0.9f);
    const __m256 rest2 = _mm256_set1_ps(1.0f - 0.999f);
    for (size_t j = 0; j < n; j += 8) {
        const __m256 weight = _mm256_loadu_ps(w + j);
        const __m256 slope =
                _mm256_fmadd_ps(_mm256_set1_ps(decay), weight, _mm256_loadu_ps(g + j));
        const __m256 first = _mm256_fmadd_ps(
                rest1, slope, _mm256_mul_ps(beta1, _mm256_loadu_ps(mean + j)));
        const __m256 second =
                _mm256_fmadd_ps(_mm256_mul_ps(rest2, slope), slope,
                                _mm256_mul_ps(beta2, _mm256_loadu_ps(square + j)));
        const __m256 root =
                _mm256_add_ps(_mm256_sqrt_ps(second), _mm256_set1_ps(epsilon));
        const __m256 move =
                _mm256_div_ps(_mm256_mul_ps(_mm256_set1_ps(rate), first), root);
        _mm256_storeu_ps(mean + j, first);
        _mm256_storeu_ps(square + j, second);
        _mm256_storeu_ps(w + j, _mm256_sub_ps(weight, move));
    }
}

// ---- evidence ------------------------------------------------------------------------

// exp to 1.5 ulp for x in [-87, 88]; smaller x give exp(-87), which is nothing.
INLINE __m256 exp_of(__m256 x)
{
    const __m256 log2e = _mm256_set1_ps(1.44269504f);
    x = _mm256_max_ps(x, _mm256_set1_ps(-87.0f));
    const __m256 n = _mm256_round_ps(_mm256_mul_ps(x, log2e),
                                     _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    // x - n ln 2 in two steps, so that no digit of the small difference is lost.
    __m256 r = _mm256_fnmadd_ps(n, _mm256_set1_ps(0.693359375f), x);
    r = _mm256_fnmadd_ps(n, _mm256_set1_ps(-2.12194440e-4f), r);
    __m256 sum = _mm256_set1_ps(1.9875691500e-4f);
    sum = _mm256_fmadd_ps(sum, r, _mm256_set1_ps(1.3981999507e-3f));
    sum = _mm256_fmadd_ps(sum, r, _mm256_set1_ps(8.3334519073e-3f));
    sum = _mm256_fmadd_ps(sum, r, _mm256_set1_ps(4.1665795894e-2f));
    sum = _mm256_fmadd_ps(sum, r, _mm256_set1_ps(1.6666665459e-1f));
    sum = _mm256_fmadd_ps(sum, r, _mm256_set1_ps(5.0000001201e-1f));
    sum = _mm256_fmadd_ps(sum, _mm256_mul_ps(r, r),
                          _mm256_add_ps(r, _mm256_set1_ps(1.0f)));
    const __m256i power = _mm256_slli_epi32(
            _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127)), 23);
    return _mm256_mul_ps(sum, _mm256_castsi256_ps(power));
}

// ln to 2 ulp for normal x > 0.
INLINE __m256 log_of(__m256 x)
{
    const __m256i bits = _mm256_castps_si256(x);
    // The exponent such that the mantissa is in [sqrt(1/2), sqrt(2)).
    const __m256i shifted = _mm256_sub_epi32(bits, _mm256_set1_epi32(0x3f3504f3));
    const __m256 n = _mm256_cvtepi32_ps(_mm256_srai_epi32(shifted, 23));
    const __m256i mantissa =
            _mm256_add_epi32(_mm256_and_si256(shifted, _mm256_set1_epi32(0x007fffff)),
                             _mm256_set1_epi32(0x3f3504f3));
    const __m256 r = _mm256_sub_ps(_mm256_castsi256_ps(mantissa), _mm256_set1_ps(1.0f));
    const __m256 r2 = _mm256_mul_ps(r, r);
    __m256 sum = _mm256_set1_ps(7.0376836292e-2f);
    sum = _mm256_fmadd_ps(sum, r, _mm256_set1_ps(-1.1514610310e-1f));
    sum = _mm256_fmadd_ps(sum, r, _mm256_set1_ps(1.1676998740e-1f));
    sum = _mm256_fmadd_ps(sum, r, _mm256_set1_ps(-1.2420140846e-1f));
    sum = _mm256_fmadd_ps(sum, r, _mm256_set1_ps(1.4249322787e-1f));
    sum = _mm256_fmadd_ps(sum, r, _mm256_set1_ps(-1.6668057665e-1f));
    sum = _mm256_fmadd_ps(sum, r, _mm256_set1_ps(2.0000714765e-1f));
    sum = _mm256_fmadd_ps(sum, r, _mm256_set1_ps(-2.4999993993e-1f));
    sum = _mm256_fmadd_ps(sum, r, _mm256_set1_ps(3.3333331174e-1f));
    sum = _mm256_mul_ps(sum, _mm256_mul_ps(r, r2));
    sum = _mm256_fmadd_ps(n, _mm256_set1_ps(-2.12194440e-4f), sum);
    sum = _mm256_fnmadd_ps(_mm256_set1_ps(0.5f), r2, sum);
    sum = _mm256_add_ps(r, sum);
    return _mm256_fmadd_ps(n, _mm256_set1_ps(0.693359375f), sum);
}

INLINE __m256 trigamma_q_of(__m256 y)
{
    static const float q[] = {OPN_TRIGAMMA_Q};
    __m256 sum = _mm256_set1_ps(q[OPN_TRIGAMMA_Q_TERMS - 1]);
    for (int k = OPN_TRIGAMMA_Q_TERMS - 2; k >= 0; k--)
        sum = _mm256_fmadd_ps(sum, y, _mm256_set1_ps(q[k]));
    return sum;
}

INLINE float sum_of(__m256 x)
{
    __m128 half = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    half = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
}

// Lanes of vector v that hold one of n classes.
INLINE __m256 lanes_in_use(int32_t n, size_t v)
{
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_castsi256_ps(
            _mm256_cmpgt_epi32(_mm256_set1_epi32(n - 8 * (int32_t)v), lane));
}

// opn_k_evidence_row() for exp(z); kernels.h has the formula.
INLINE int64_t gradient_row(size_t n_vectors,
                            const opn_k_evidence *loss,
                            int32_t i,
                            const float *z,
                            float *d_z)
{
    const size_t at = (size_t)i * (size_t)loss->width;
    const __m256 one = _mm256_set1_ps(1.0f);
    const __m256 bound = _mm256_set1_ps(loss->max_logit);
    __m256 evidence[MAX_VECTORS];
    __m256 slope[MAX_VECTORS];
    __m256 total = _mm256_setzero_ps();
    int n_bounded = 0;
    for (size_t v = 0; v < n_vectors; v++) {
        const __m256 used = lanes_in_use(loss->n_classes, v);
        const __m256 logit = _mm256_loadu_ps(z + 8 * v);
        n_bounded += __builtin_popcount((unsigned)_mm256_movemask_ps(
                _mm256_and_ps(used, _mm256_cmp_ps(logit, bound, _CMP_GT_OQ))));
        evidence[v] = _mm256_and_ps(used, exp_of(_mm256_min_ps(logit, bound)));
        total = _mm256_add_ps(total, evidence[v]);
    }
    const float strength = sum_of(total) + (float)loss->n_classes;
    const float inverse = 1.0f / strength;
    const float inverse1 = 1.0f / (strength + 1.0f);
    const int32_t target = loss->target[i];
    const float weight = target < 0 ? 0.0f : loss->target_weight;
    __m256 mean_slope = _mm256_setzero_ps();
    __m256 spread = _mm256_setzero_ps();
    for (size_t v = 0; v < n_vectors; v++) {
        const __m256 used = lanes_in_use(loss->n_classes, v);
        const __m256 p =
                _mm256_mul_ps(_mm256_add_ps(evidence[v], one), _mm256_set1_ps(inverse));
        slope[v] = _mm256_setzero_ps();
        if (target >= 0) {
            const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
            const __m256 hit = _mm256_castsi256_ps(
                    _mm256_cmpeq_epi32(lane, _mm256_set1_epi32(target - 8 * (int32_t)v)));
            const __m256 miss = _mm256_sub_ps(p, _mm256_and_ps(hit, one));
            const __m256 two = _mm256_set1_ps(2.0f);
            const __m256 variance = _mm256_mul_ps(_mm256_fnmadd_ps(two, p, one),
                                                  _mm256_set1_ps(inverse1));
            slope[v] = _mm256_mul_ps(_mm256_set1_ps(weight),
                                     _mm256_fmadd_ps(two, miss, variance));
            spread = _mm256_add_ps(
                    spread, _mm256_and_ps(used, _mm256_mul_ps(p, _mm256_sub_ps(one, p))));
        }
        if (loss->log_teacher != NULL)
            slope[v] = _mm256_fmadd_ps(
                    _mm256_set1_ps(loss->teacher_weight),
                    _mm256_sub_ps(log_of(p),
                                  _mm256_loadu_ps(loss->log_teacher + at + 8 * v)),
                    slope[v]);
        mean_slope = _mm256_add_ps(mean_slope,
                                   _mm256_and_ps(used, _mm256_mul_ps(slope[v], p)));
    }
    const float level =
            sum_of(mean_slope) + weight * sum_of(spread) * strength * inverse1 * inverse1;
    const float q_sum = opn_k_trigamma_q(inverse);
    const float half_sum =
            loss->prior == NULL ? 0.0f
                                : q_sum - loss->prior_sum[i] * (1.0f + inverse * q_sum);
    for (size_t v = 0; v < n_vectors; v++) {
        const __m256 share = _mm256_mul_ps(evidence[v], _mm256_set1_ps(inverse));
        __m256 result =
                _mm256_mul_ps(share, _mm256_sub_ps(slope[v], _mm256_set1_ps(level)));
        if (loss->prior != NULL) {
            const __m256 y = _mm256_div_ps(one, _mm256_add_ps(evidence[v], one));
            const __m256 q = trigamma_q_of(y);
            const __m256 p = _mm256_fmadd_ps(y, q, one);
            const __m256 half =
                    _mm256_fnmadd_ps(_mm256_loadu_ps(loss->prior + at + 8 * v), p, q);
            const __m256 kl =
                    _mm256_fmsub_ps(_mm256_mul_ps(evidence[v], y), half,
                                    _mm256_mul_ps(share, _mm256_set1_ps(half_sum)));
            result = _mm256_fmadd_ps(_mm256_set1_ps(loss->prior_weight), kl, result);
        }
        _mm256_storeu_ps(d_z + 8 * v,
                         _mm256_and_ps(lanes_in_use(loss->n_classes, v), result));
    }
    return n_bounded;
}

INLINE void gradient_rows(size_t n_vectors,
                          const opn_k_evidence *loss,
                          int32_t first,
                          int32_t last,
                          const float *z,
                          float *d_z,
                          int64_t *n_bounded)
{
    for (int32_t i = first; i < last; i++) {
        const size_t at = (size_t)i * (size_t)loss->width;
        *n_bounded += gradient_row(n_vectors, loss, i, z + at, d_z + at);
    }
}

static int64_t exp_evidence_gradient(const opn_k_evidence *loss,
                                     int32_t first,
                                     int32_t last,
                                     const float *z,
                                     float *d_z)
{
    int64_t n_bounded = 0;
    if (loss->width > 8 * MAX_VECTORS) // hundreds of classes are rare
        return opn_k_table_ref()->exp_evidence_gradient(loss, first, last, z, d_z);
    FOR_WIDTH(loss->width / 8, gradient_rows, loss, first, last, z, d_z, &n_bounded)
    return n_bounded;
}

// ---- moments -------------------------------------------------------------------------

INLINE void add_as_double(double *sum, __m256 x)
{
    const __m256d low = _mm256_cvtps_pd(_mm256_castps256_ps128(x));
    const __m256d high = _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1));
    _mm256_storeu_pd(sum, _mm256_add_pd(_mm256_loadu_pd(sum), low));
    _mm256_storeu_pd(sum + 4, _mm256_add_pd(_mm256_loadu_pd(sum + 4), high));
}

INLINE float largest_of(int32_t n, const float *z)
{
    float top = z[0];
    for (int32_t k = 1; k < n; k++)
        top = z[k] > top ? z[k] : top;
    return top;
}

INLINE void
moments_row(size_t n_vectors, const opn_k_moments *sums, int32_t i, const float *z)
{
    const size_t at = (size_t)i * (size_t)sums->width;
    const __m256 shift =
            _mm256_set1_ps(sums->is_softmax ? largest_of(sums->n_classes, z) : 0.0f);
    const __m256 bound = _mm256_set1_ps(sums->max_logit);
    const __m256 added = _mm256_set1_ps(sums->is_softmax ? 0.0f : 1.0f);
    __m256 e[MAX_VECTORS];
    __m256 total = _mm256_setzero_ps();
    for (size_t v = 0; v < n_vectors; v++) {
        const __m256 logit = _mm256_loadu_ps(z + 8 * v);
        e[v] = _mm256_add_ps(exp_of(_mm256_min_ps(_mm256_sub_ps(logit, shift), bound)),
                             added);
        e[v] = _mm256_and_ps(lanes_in_use(sums->n_classes, v), e[v]);
        total = _mm256_add_ps(total, e[v]);
        add_as_double(sums->z + at + 8 * v, logit);
        if (sums->alpha != NULL)
            add_as_double(sums->alpha + at + 8 * v, e[v]);
    }
    const __m256 inverse = _mm256_set1_ps(1.0f / sum_of(total));
    __m256 entropy = _mm256_setzero_ps();
    for (size_t v = 0; v < n_vectors; v++) {
        const __m256 p = _mm256_mul_ps(e[v], inverse);
        // The smallest normal number stands in for 0, whose logarithm counts nothing.
        const __m256 safe = _mm256_max_ps(p, _mm256_set1_ps(1.17549435e-38f));
        entropy = _mm256_fnmadd_ps(p, log_of(safe), entropy);
        add_as_double(sums->p + at + 8 * v, p);
    }
    sums->entropy[i] += (double)sum_of(entropy);
}

INLINE void moments_rows(size_t n_vectors,
                         const opn_k_moments *sums,
                         int32_t first,
                         int32_t last,
                         const float *z)
{
    for (int32_t i = first; i < last; i++)
        moments_row(n_vectors, sums, i, z + (size_t)i * (size_t)sums->width);
}

static void
add_moments(const opn_k_moments *sums, int32_t first, int32_t last, const float *z)
{
    if (sums->width > 8 * MAX_VECTORS) {
        opn_k_table_ref()->add_moments(sums, first, last, z);
        return;
    }
    FOR_WIDTH(sums->width / 8, moments_rows, sums, first, last, z)
}

const opn_k_table *opn_k_table_avx2(void)
{
    static const opn_k_table table = {
            "avx2",
            philox,
            keep,
            compact,
            spmm,
            matmul,
            matmul_tn,
            relu_drop,
            relu_drop_back,
            adam,
            exp_evidence_gradient,
            add_moments,
    };
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &table
                                                                           : NULL;
}

#else

const opn_k_table *opn_k_table_avx2(void)
{
    return NULL;
}

#endif
