// bits.h -- the kernels of bits that are the same for all sets of instructions, but for
// what each includes this after:
//
//   uint64_t deposit(uint64_t from, uint64_t places)
//              the lowest bits of `from` in the places of the bits set in the other, both
//              from the lowest on
//   void philox_blocks(counter, key, out)
//              BLOCKS blocks of random words, with counter[0] and as many after it

#ifndef OPN_SIMD_BITS_H
#define OPN_SIMD_BITS_H

#include <string.h>

void KERNEL(philox)(uint64_t seed,
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
        // Lanes add to the low word only, so a carry or the tail uses the plain code.
        if (n_blocks - b >= BLOCKS && (uint32_t)at <= UINT32_MAX - (BLOCKS - 1)) {
            philox_blocks(counter, key, out + 4 * b);
            b += BLOCKS;
        } else {
            opn_k_table_ref()->philox(seed, stream, step, at, 1, out + 4 * b);
            b++;
        }
    }
}

void KERNEL(spread)(int32_t first,
                    int32_t last,
                    int32_t n_rows,
                    int32_t n_words,
                    const opn_off *row_ptr,
                    const uint64_t *bits,
                    const uint64_t *map,
                    uint64_t *kept)
{
    for (int32_t i = first; i < last; i++) {
        uint64_t e = (uint64_t)row_ptr[i];
        for (int32_t w = 0; w < n_words; w++) {
            const size_t at = (size_t)w * (size_t)n_rows + (size_t)i;
            // The 64 bits from e on, of which as many are taken as the row has here. The
            // second shift is in two steps, because a shift by 64 would have no effect.
            const uint64_t from =
                    bits[e / 64] >> (e % 64) | bits[e / 64 + 1] << 1 << (63 - e % 64);
            kept[at] = deposit(from, map[at]);
            e += (uint64_t)__builtin_popcountll(map[at]);
        }
    }
}

// Swaps the off-diagonal quarters, then those of each quarter, down to single bits.
void KERNEL(transpose)(const uint64_t *from, uint64_t *to)
{
    static const uint64_t low_half[6] = {0x00000000ffffffff, 0x0000ffff0000ffff,
                                         0x00ff00ff00ff00ff, 0x0f0f0f0f0f0f0f0f,
                                         0x3333333333333333, 0x5555555555555555};
    memcpy(to, from, 64 * sizeof(*to));
    for (int step = 0; step < 6; step++) {
        const int size = 32 >> step;
        const uint64_t mask = low_half[step];
        for (int top = 0; top < 64; top += 2 * size) {
            for (int r = top; r < top + size; r++) {
                const uint64_t swapped = (to[r] >> size ^ to[r + size]) & mask;
                to[r] ^= swapped << size;
                to[r + size] ^= swapped;
            }
        }
    }
}

#endif // OPN_SIMD_BITS_H
