// bits_neon.c -- random bits, and the entries they keep.

#include "math/neon/neon.h"

#ifdef OPN_HAS_NEON

#    include <Random123/philox.h>

INLINE uint64_t deposit(uint64_t from, uint64_t places)
{
    uint64_t to = 0;
    for (; places != 0; places &= places - 1, from >>= 1)
        to |= places & -places & -(from & 1);
    return to;
}

enum { BLOCKS = 4 }; // of four words, one in each lane

// The high and low words of x times a constant, in four lanes.
INLINE void multiply_wide(uint32x4_t x, uint32_t by, uint32x4_t *high, uint32x4_t *low)
{
    const uint32x4_t first = vreinterpretq_u32_u64(vmull_n_u32(vget_low_u32(x), by));
    const uint32x4_t second = vreinterpretq_u32_u64(vmull_high_n_u32(x, by));
    *high = vuzp2q_u32(first, second);
    *low = vuzp1q_u32(first, second);
}

static void philox_blocks(const uint32_t counter[4], const uint32_t key[2], uint32_t *out)
{
    static const uint32_t lane[BLOCKS] = {0, 1, 2, 3};
    uint32x4x4_t c;
    uint32_t k0 = key[0], k1 = key[1];
    for (int w = 0; w < 4; w++)
        c.val[w] = vdupq_n_u32(counter[w]);
    c.val[0] = vaddq_u32(c.val[0], vld1q_u32(lane));
    for (int round = 0; round < 10; round++) {
        uint32x4_t high0, low0, high2, low2;
        multiply_wide(c.val[0], PHILOX_M4x32_0, &high0, &low0);
        multiply_wide(c.val[2], PHILOX_M4x32_1, &high2, &low2);
        c.val[0] = veorq_u32(veorq_u32(high2, c.val[1]), vdupq_n_u32(k0));
        c.val[2] = veorq_u32(veorq_u32(high0, c.val[3]), vdupq_n_u32(k1));
        c.val[1] = low2;
        c.val[3] = low0;
        k0 += PHILOX_W32_0;
        k1 += PHILOX_W32_1;
    }
    vst4q_u32(out, c); // block after block
}

#    include "math/simd/bits.h"

void opn_k_neon_keep(size_t n_words,
                     uint32_t threshold,
                     const uint8_t *random,
                     uint64_t *bits)
{
    static const uint8_t bit[16] = {1, 2, 4, 8, 16, 32, 64, 128,
                                    1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t bound = vdupq_n_u8((uint8_t)threshold);
    const uint8x16_t place = vld1q_u8(bit);
    for (size_t w = 0; w < n_words; w++) {
        uint8x16_t kept[4];
        for (size_t v = 0; v < 4; v++)
            kept[v] =
                    vandq_u8(vcgeq_u8(vld1q_u8(random + 64 * w + 16 * v), bound), place);
        // Three sums of neighbours put the bits of eight bytes into one.
        const uint8x16_t low = vpaddq_u8(kept[0], kept[1]);
        const uint8x16_t all = vpaddq_u8(low, vpaddq_u8(kept[2], kept[3]));
        bits[w] = vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(all, all)), 0);
    }
}

// From one set bit to the next, so that only the end of a word is unpredictable.
void opn_k_neon_compact(size_t first,
                        size_t last,
                        const uint64_t *bits,
                        const int32_t *col,
                        const float *value,
                        opn_off at,
                        int32_t *to_col,
                        float *to_value)
{
    for (size_t w = first; w < last; w++) {
        for (uint64_t word = bits[w]; word != 0; word &= word - 1, at++) {
            const size_t from = 64 * w + (size_t)__builtin_ctzll(word);
            to_col[at] = col[from];
            if (value != NULL)
                to_value[at] = value[from];
        }
    }
}

// The reference counts by the instruction that there is.
void opn_k_neon_count(size_t n_words,
                      const uint64_t *bits,
                      opn_off *rank,
                      int32_t n_ptr,
                      const opn_off *ptr,
                      opn_off *to_ptr)
{
    opn_k_table_ref()->count(n_words, bits, rank, n_ptr, ptr, to_ptr);
}

#endif
