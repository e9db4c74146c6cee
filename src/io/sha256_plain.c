// sha256_plain.c -- SHA-256 of FIPS 180-4, whose letters are used.

#include "io/sha256_plain.h"

#include <string.h>

enum { BLOCK = 64, N_ROUNDS = 64 };

static const uint32_t constants[N_ROUNDS] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
        0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
        0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
        0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
        0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
        0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
        0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
        0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
        0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotr(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static void schedule(const unsigned char *block, uint32_t w[N_ROUNDS])
{
    for (int t = 0; t < 16; t++, block += 4)
        w[t] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 |
               (uint32_t)block[2] << 8 | block[3];
    for (int t = 16; t < N_ROUNDS; t++) {
        const uint32_t s0 = rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
        const uint32_t s1 = rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = s1 + w[t - 7] + s0 + w[t - 16];
    }
}

static void compress(uint32_t hash[8], const unsigned char *block)
{
    uint32_t w[N_ROUNDS];
    uint32_t v[8]; // a to h
    schedule(block, w);
    memcpy(v, hash, sizeof(v));
    for (int t = 0; t < N_ROUNDS; t++) {
        const uint32_t sum1 = rotr(v[4], 6) ^ rotr(v[4], 11) ^ rotr(v[4], 25);
        const uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        const uint32_t t1 = v[7] + sum1 + choice + constants[t] + w[t];
        const uint32_t sum0 = rotr(v[0], 2) ^ rotr(v[0], 13) ^ rotr(v[0], 22);
        const uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        memmove(v + 1, v, 7 * sizeof(*v));
        v[4] += t1;
        v[0] = t1 + sum0 + majority;
    }
    for (int j = 0; j < 8; j++)
        hash[j] += v[j];
}

void opn_i_sha256_plain_start(opn_i_sha256_state *state)
{
    static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    *state = (opn_i_sha256_state){0};
    memcpy(state->hash, first, sizeof(first));
}

void opn_i_sha256_plain_add(opn_i_sha256_state *state, const void *data, size_t n_bytes)
{
    const unsigned char *from = data;
    while (n_bytes > 0) {
        const size_t at = (size_t)(state->n_bytes % BLOCK);
        const size_t n = n_bytes < BLOCK - at ? n_bytes : BLOCK - at;
        memcpy(state->block + at, from, n);
        state->n_bytes += n;
        from += n;
        n_bytes -= n;
        if (at + n == BLOCK)
            compress(state->hash, state->block);
    }
}

void opn_i_sha256_plain_finish(opn_i_sha256_state *state, unsigned char digest[32])
{
    static const unsigned char padding[BLOCK] = {0x80};
    const uint64_t n_bits = 8 * state->n_bytes;
    const size_t at = (size_t)(state->n_bytes % BLOCK);
    unsigned char length[8];
    for (int j = 0; j < 8; j++)
        length[j] = (unsigned char)(n_bits >> (56 - 8 * j));
    opn_i_sha256_plain_add(state, padding, at < 56 ? 56 - at : 120 - at);
    opn_i_sha256_plain_add(state, length, sizeof(length));
    for (int j = 0; j < 32; j++)
        digest[j] = (unsigned char)(state->hash[j / 4] >> (24 - 8 * (j % 4)));
}
