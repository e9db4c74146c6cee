// sha256.h -- SHA-256 of a sequence of arrays, by libcrypto where the build has it.

#ifndef OPN_SHA256_H
#define OPN_SHA256_H

#include "base/context.h"

enum { OPN_SHA256_BYTES = 32, OPN_SHA256_TEXT = 64 + 1 }; // hexadecimal and a NUL

typedef struct opn_i_sha256 opn_i_sha256;

OPN_NODISCARD opn_status opn_i_sha256_start(opn_ctx *ctx, opn_i_sha256 **out);
void opn_i_sha256_add(opn_i_sha256 *hash, const void *data, size_t n_bytes);

// The same of a large array: asks now and then whether to go on. Errors: INTERRUPTED.
OPN_NODISCARD opn_status opn_i_sha256_add_large(opn_i_sha256 *hash,
                                                const void *data,
                                                size_t n_bytes);

// Writes the digest and frees the hash.
// Errors: INTERNAL (OpenSSL refused a step).
OPN_NODISCARD opn_status
opn_i_sha256_finish_bytes(opn_i_sha256 *hash, unsigned char digest[OPN_SHA256_BYTES]);
OPN_NODISCARD opn_status opn_i_sha256_finish(opn_i_sha256 *hash,
                                             char text[OPN_SHA256_TEXT]);

void opn_i_sha256_discard(opn_i_sha256 *hash); // accepts NULL

#endif // OPN_SHA256_H
