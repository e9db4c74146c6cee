// sha256.c -- SHA-256 of a sequence of arrays.

#include "io/sha256.h"

#include <stdio.h>

// ---- by libcrypto, or without it -----------------------------------------------------

#ifdef OPN_LIBCRYPTO

#    include <openssl/crypto.h>
#    include <openssl/evp.h>

struct opn_i_sha256 {
    opn_ctx *ctx;
    EVP_MD_CTX *digest;
    bool failed; // reported by finish, so that adding needs no check
};

// libcrypto 3 reads through NULL when it had no memory to set itself up.
static bool is_set_up(void)
{
#    if OPENSSL_VERSION_NUMBER >= 0x30000000L
    return OPENSSL_init_crypto(0, NULL) == 1 &&
           OSSL_LIB_CTX_get0_global_default() != NULL;
#    else
    return true;
#    endif
}

opn_status opn_i_sha256_start(opn_ctx *ctx, opn_i_sha256 **out)
{
    opn_status status = OPN_OK;
    opn_i_sha256 *hash = NULL;
    OPN_TRY_NEW(ctx, hash, 1);
    hash->ctx = ctx;
    hash->digest = is_set_up() ? EVP_MD_CTX_new() : NULL;
    OPN_FAIL_IF(ctx, hash->digest == NULL, OPN_ERR_NOMEM, "out of memory for a hash");
    // OpenSSL crashes on a digest that never started, so this cannot wait until finish.
    OPN_FAIL_IF(ctx, EVP_DigestInit_ex(hash->digest, EVP_sha256(), NULL) != 1,
                OPN_ERR_NOMEM, "out of memory for a hash");
    *out = hash;
    hash = NULL;
cleanup:
    opn_i_sha256_discard(hash);
    return status;
}

void opn_i_sha256_add(opn_i_sha256 *hash, const void *data, size_t n_bytes)
{
    if (n_bytes > 0 && EVP_DigestUpdate(hash->digest, data, n_bytes) != 1)
        hash->failed = true;
}

opn_status opn_i_sha256_finish_bytes(opn_i_sha256 *hash,
                                     unsigned char digest[OPN_SHA256_BYTES])
{
    opn_status status = OPN_OK;
    if (EVP_DigestFinal_ex(hash->digest, digest, NULL) != 1)
        hash->failed = true;
    OPN_FAIL_IF(hash->ctx, hash->failed, OPN_ERR_INTERNAL, "SHA-256 failed in OpenSSL");
cleanup:
    opn_i_sha256_discard(hash);
    return status;
}

void opn_i_sha256_discard(opn_i_sha256 *hash)
{
    if (hash == NULL)
        return;
    EVP_MD_CTX_free(hash->digest);
    opn_i_release(&hash->ctx->alloc, hash);
}

#else

#    include "io/sha256_plain.h"

struct opn_i_sha256 {
    opn_ctx *ctx;
    opn_i_sha256_state state;
};

opn_status opn_i_sha256_start(opn_ctx *ctx, opn_i_sha256 **out)
{
    opn_status status = OPN_OK;
    opn_i_sha256 *hash = NULL;
    OPN_TRY_NEW(ctx, hash, 1);
    hash->ctx = ctx;
    opn_i_sha256_plain_start(&hash->state);
    *out = hash;
cleanup:
    return status;
}

void opn_i_sha256_add(opn_i_sha256 *hash, const void *data, size_t n_bytes)
{
    opn_i_sha256_plain_add(&hash->state, data, n_bytes);
}

opn_status opn_i_sha256_finish_bytes(opn_i_sha256 *hash,
                                     unsigned char digest[OPN_SHA256_BYTES])
{
    opn_i_sha256_plain_finish(&hash->state, digest);
    opn_i_sha256_discard(hash);
    return OPN_OK;
}

void opn_i_sha256_discard(opn_i_sha256 *hash)
{
    if (hash != NULL)
        opn_i_release(&hash->ctx->alloc, hash);
}

#endif

// ---- in both -------------------------------------------------------------------------

opn_status opn_i_sha256_add_large(opn_i_sha256 *hash, const void *data, size_t n_bytes)
{
    enum { PIECE = 4 << 20 }; // 25 ms at 160 MB/s
    opn_status status = OPN_OK;
    const unsigned char *from = data;
    while (n_bytes > 0) {
        const size_t n = n_bytes < PIECE ? n_bytes : PIECE;
        opn_i_sha256_add(hash, from, n);
        from += n;
        n_bytes -= n;
        if (n_bytes > 0)
            OPN_TRY(opn_i_go_on(hash->ctx, "hashing the data"));
    }
cleanup:
    return status;
}

opn_status opn_i_sha256_finish(opn_i_sha256 *hash, char text[OPN_SHA256_TEXT])
{
    opn_status status = OPN_OK;
    unsigned char digest[OPN_SHA256_BYTES];
    OPN_TRY(opn_i_sha256_finish_bytes(hash, digest));
    for (size_t i = 0; i < sizeof(digest); i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
cleanup:
    return status;
}
