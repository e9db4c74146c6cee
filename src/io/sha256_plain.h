// sha256_plain.h -- SHA-256 in plain C, for builds without libcrypto.

#ifndef OPN_SHA256_PLAIN_H
#define OPN_SHA256_PLAIN_H

#include <stddef.h>
#include <stdint.h>

typedef struct opn_i_sha256_state {
    uint32_t hash[8];
    uint64_t n_bytes;
    unsigned char block[64]; // of which n_bytes % 64 are filled
} opn_i_sha256_state;

void opn_i_sha256_plain_start(opn_i_sha256_state *state);
void opn_i_sha256_plain_add(opn_i_sha256_state *state, const void *data, size_t n_bytes);
void opn_i_sha256_plain_finish(opn_i_sha256_state *state, unsigned char digest[32]);

#endif // OPN_SHA256_PLAIN_H
