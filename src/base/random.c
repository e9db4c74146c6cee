// random.c -- counter-based random numbers.

#include "base/random.h"

#include <Random123/philox.h>

opn_i_random4
opn_i_random(uint64_t seed, opn_i_stream stream, uint32_t step, uint64_t element)
{
    const philox4x32_ctr_t counter = {
            {(uint32_t)element, (uint32_t)(element >> 32), step, (uint32_t)stream}};
    const philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    const philox4x32_ctr_t drawn = philox4x32(counter, key);
    return (opn_i_random4){{drawn.v[0], drawn.v[1], drawn.v[2], drawn.v[3]}};
}

opn_i_rng opn_i_rng_start(uint64_t seed, opn_i_stream stream, uint32_t step)
{
    return (opn_i_rng){.seed = seed, .stream = stream, .step = step};
}

opn_i_rng
opn_i_rng_start_at(uint64_t seed, opn_i_stream stream, uint32_t step, uint64_t element)
{
    opn_i_rng rng = opn_i_rng_start(seed, stream, step);
    rng.next_element = element << 16;
    return rng;
}

uint32_t opn_i_rng_word(opn_i_rng *rng)
{
    if (rng->n_left == 0) {
        rng->block = opn_i_random(rng->seed, rng->stream, rng->step, rng->next_element++);
        rng->n_left = 4;
    }
    return rng->block.word[4 - rng->n_left--];
}

double opn_i_rng_unit(opn_i_rng *rng)
{
    const uint64_t high = opn_i_rng_word(rng) >> 5; // 27 bits
    const uint64_t low = opn_i_rng_word(rng) >> 6;  // 26 bits
    return (double)(high << 26 | low) * 0x1p-53;
}

uint32_t opn_i_rng_below(opn_i_rng *rng, uint32_t n)
{
    // Lemire: the high half of word * n is uniform once the few low halves that would
    // favour some values are rejected and redrawn.
    const uint32_t n_unfair = (uint32_t)(-n) % n;
    uint64_t product;
    do
        product = (uint64_t)opn_i_rng_word(rng) * n;
    while ((uint32_t)product < n_unfair);
    return (uint32_t)(product >> 32);
}

void opn_i_rng_shuffle(opn_i_rng *rng, int32_t *item, int32_t n)
{
    for (int32_t i = n - 1; i > 0; i--) {
        const uint32_t j = opn_i_rng_below(rng, (uint32_t)i + 1);
        const int32_t kept = item[i];
        item[i] = item[j];
        item[j] = kept;
    }
}
