// bits_avx512.c -- random bits, and the entries they keep.

#include "math/avx512/avx512.h"

#ifdef OPN_HAS_AVX512

#    include <Random123/philox.h>

enum { BLOCKS = 16 }; // of four words, one in each lane

// The high and low words of x times a constant, in sixteen lanes.
INLINE void multiply_wide(__m512i x, uint32_t by, __m512i *high, __m512i *low)
{
    const __m512i factor = _mm512_set1_epi32((int)by);
    const __m512i even = _mm512_mul_epu32(x, factor);
    const __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64(x, 32), factor);
    *high = _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 32), odd);
    *low = _mm512_mask_blend_epi32(0xaaaa, even, _mm512_slli_epi64(odd, 32));
}

// From one word of each block per register to block after block.
INLINE void store_blocks(const __m512i c[4], uint32_t *out)
{
    const __m512i low01 = _mm512_unpacklo_epi32(c[0], c[1]);
    const __m512i high01 = _mm512_unpackhi_epi32(c[0], c[1]);
    const __m512i low23 = _mm512_unpacklo_epi32(c[2], c[3]);
    const __m512i high23 = _mm512_unpackhi_epi32(c[2], c[3]);
    // Blocks j, j + 4, j + 8 and j + 12 are in the quarters of the j-th.
    const __m512i each[4] = {
            _mm512_unpacklo_epi64(low01, low23), _mm512_unpackhi_epi64(low01, low23),
            _mm512_unpacklo_epi64(high01, high23), _mm512_unpackhi_epi64(high01, high23)};
    const __m512i even01 = _mm512_shuffle_i32x4(each[0], each[1], 0x88);
    const __m512i even23 = _mm512_shuffle_i32x4(each[2], each[3], 0x88);
    const __m512i odd01 = _mm512_shuffle_i32x4(each[0], each[1], 0xdd);
    const __m512i odd23 = _mm512_shuffle_i32x4(each[2], each[3], 0xdd);
    _mm512_storeu_si512(out, _mm512_shuffle_i32x4(even01, even23, 0x88));
    _mm512_storeu_si512(out + 16, _mm512_shuffle_i32x4(odd01, odd23, 0x88));
    _mm512_storeu_si512(out + 32, _mm512_shuffle_i32x4(even01, even23, 0xdd));
    _mm512_storeu_si512(out + 48, _mm512_shuffle_i32x4(odd01, odd23, 0xdd));
}

static void
philox_sixteen(const uint32_t counter[4], const uint32_t key[2], uint32_t *out)
{
    const __m512i lane =
            _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512i c[4];
    uint32_t k0 = key[0], k1 = key[1];
    for (int w = 0; w < 4; w++)
        c[w] = _mm512_set1_epi32((int)counter[w]);
    c[0] = _mm512_add_epi32(c[0], lane);
    for (int round = 0; round < 10; round++) {
        __m512i high0, low0, high2, low2;
        multiply_wide(c[0], PHILOX_M4x32_0, &high0, &low0);
        multiply_wide(c[2], PHILOX_M4x32_1, &high2, &low2);
        c[0] = _mm512_xor_si512(_mm512_xor_si512(high2, c[1]),
                                _mm512_set1_epi32((int)k0));
        c[2] = _mm512_xor_si512(_mm512_xor_si512(high0, c[3]),
                                _mm512_set1_epi32((int)k1));
        c[1] = low2;
        c[3] = low0;
        k0 += PHILOX_W32_0;
        k1 += PHILOX_W32_1;
    }
    store_blocks(c, out);
}

void opn_k_avx512_philox(uint64_t seed,
                         uint32_t stream,
                         uint32_t step,
                         uint64_t first,
                         size_t n_blocks,
                         uint32_t *out)
{
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    size_t b = 0;
    // Lanes add to the low word only; a carry and the rest are left to the other kernel.
    for (; n_blocks - b >= BLOCKS && (uint32_t)(first + b) <= UINT32_MAX - (BLOCKS - 1);
         b += BLOCKS) {
        const uint64_t at = first + b;
        const uint32_t counter[4] = {(uint32_t)at, (uint32_t)(at >> 32), step, stream};
        philox_sixteen(counter, key, out + 4 * b);
    }
    opn_k_avx2_philox(seed, stream, step, first + b, n_blocks - b, out + 4 * b);
}

void opn_k_avx512_keep(size_t n_words,
                       uint32_t threshold,
                       const uint8_t *random,
                       uint64_t *bits)
{
    const __m512i bound = _mm512_set1_epi8((char)threshold);
    for (size_t w = 0; w < n_words; w++)
        bits[w] = _mm512_cmpge_epu8_mask(_mm512_loadu_si512(random + 64 * w), bound);
}

// Sixteen entries at a time, regardless of rows, so that no branch is unpredictable.
// Writes past the kept entries are overwritten by the next sixteen; words with fewer than
// sixteen entries left after them use the plain code, because the next place may belong
// to another thread.
void opn_k_avx512_compact(size_t first,
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
        if (n_left < 16)
            break;
        for (size_t b = 0; b < 64; b += 16, word >>= 16) {
            const __mmask16 kept = (__mmask16)word;
            const __m512i from = _mm512_loadu_si512(col + 64 * w + b);
            _mm512_storeu_si512(to_col + at, _mm512_maskz_compress_epi32(kept, from));
            if (value != NULL)
                _mm512_storeu_ps(to_value + at,
                                 _mm512_maskz_compress_ps(
                                         kept, _mm512_loadu_ps(value + 64 * w + b)));
            at += _mm_popcnt_u32(kept);
        }
    }
    opn_k_table_ref()->compact(w, last, bits, col, value, at, to_col, to_value);
}

#endif
