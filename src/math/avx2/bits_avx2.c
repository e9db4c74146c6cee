// bits_avx2.c -- random bits, and the entries they keep.

#include "math/avx2/avx2.h"

#ifdef OPN_HAS_AVX2

#    include <Random123/philox.h>

enum { BLOCKS = 8 }; // of four words, one in each lane

INLINE uint64_t deposit(uint64_t from, uint64_t places)
{
    return _pdep_u64(from, places);
}

// The high and low words of x times a constant, in eight lanes.
INLINE void multiply_wide(__m256i x, uint32_t by, __m256i *high, __m256i *low)
{
    const __m256i factor = _mm256_set1_epi32((int)by);
    const __m256i even = _mm256_mul_epu32(x, factor);
    const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(x, 32), factor);
    *high = _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
    *low = _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa);
}

// Eight blocks at a time, one per lane. Vectorised by hand, because a compiler turns the
// plain loop into vectors of half the width at a quarter of the speed.
static void
philox_blocks(const uint32_t counter[4], const uint32_t key[2], uint32_t out[32])
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
    // Transposes from one word of each block per register to block after block.
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

#    include "math/simd/bits.h"

void opn_k_avx2_keep(size_t n_words,
                     uint32_t threshold,
                     const uint8_t *random,
                     uint64_t *bits)
{
    // Unsigned random >= threshold is max(random, threshold) == random.
    const __m256i bound = _mm256_set1_epi8((char)threshold);
    for (size_t w = 0; w < n_words; w++) {
        const __m256i *from = (const __m256i *)(const void *)(random + 64 * w);
        const __m256i low = _mm256_loadu_si256(from);
        const __m256i high = _mm256_loadu_si256(from + 1);
        const int low_bits =
                _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_max_epu8(low, bound), low));
        const int high_bits = _mm256_movemask_epi8(
                _mm256_cmpeq_epi8(_mm256_max_epu8(high, bound), high));
        bits[w] = (uint64_t)(uint32_t)high_bits << 32 | (uint32_t)low_bits;
    }
}

// Indices that move the kept ones of eight entries to the front, from their eight bits.
INLINE __m256i kept_first(uint64_t kept)
{
    const uint64_t bytes = _pdep_u64(kept, 0x0101010101010101) * 0xff;
    return _mm256_cvtepu8_epi32(
            _mm_cvtsi64_si128((int64_t)_pext_u64(0x0706050403020100, bytes)));
}

INLINE void compact_eight(__m256i order, const void *from, void *to)
{
    _mm256_storeu_si256(to, _mm256_permutevar8x32_epi32(_mm256_loadu_si256(from), order));
}

// Eight entries at a time, regardless of rows, so that no branch is unpredictable. Writes
// past the kept entries are overwritten by the next eight; words with fewer than eight
// entries left after them use the plain code, because the next place may belong to
// another thread.
void opn_k_avx2_compact(size_t first,
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
        n_left += _mm_popcnt_u64(bits[w]);
    size_t w = first;
    for (; w < last; w++) {
        uint64_t word = bits[w];
        n_left -= _mm_popcnt_u64(word);
        if (n_left < 8)
            break;
        for (size_t b = 0; b < 64; b += 8, word >>= 8) {
            const __m256i order = kept_first(word & 0xff);
            compact_eight(order, col + 64 * w + b, to_col + at);
            if (value != NULL)
                compact_eight(order, value + 64 * w + b, to_value + at);
            at += _mm_popcnt_u32((unsigned)word & 0xff);
        }
    }
    opn_k_table_ref()->compact(w, last, bits, col, value, at, to_col, to_value);
}

void opn_k_avx2_count(size_t n_words,
                      const uint64_t *bits,
                      opn_off *rank,
                      int32_t n_ptr,
                      const opn_off *ptr,
                      opn_off *to_ptr)
{
    rank[0] = 0;
    for (size_t w = 0; w < n_words; w++)
        rank[w + 1] = rank[w] + _mm_popcnt_u64(bits[w]);
    for (int32_t i = 0; i < n_ptr; i++)
        to_ptr[i] = rank[ptr[i] / 64] +
                    _mm_popcnt_u64(_bzhi_u64(bits[ptr[i] / 64], (unsigned)ptr[i] % 64));
}

#endif
