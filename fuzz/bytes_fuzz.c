// bytes_fuzz.c -- any bytes as a file: what is packed against zlib's own gzread(), what
// is not against itself.

#include "fuzz_target.h"
#include "io/bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static char folder[64] = "/tmp/opine_fuzz.XXXXXX";
static char path[96];

static void remove_file(void)
{
    unlink(path);
    rmdir(folder);
}

// One file in a folder of its own for the whole run.
static void write_file(const uint8_t *data, size_t size)
{
    if (path[0] == 0) {
        fuzz_check(mkdtemp(folder) != NULL);
        snprintf(path, sizeof(path), "%s/in", folder);
        fuzz_check(atexit(remove_file) == 0);
    }
    FILE *file = fopen(path, "wb");
    fuzz_check(file != NULL);
    fuzz_check(size == 0 || fwrite(data, 1, size, file) == size);
    fuzz_check(fclose(file) == 0);
}

// What reads well must be what zlib makes of it. The other way round zlib is laxer: it
// takes what follows the last member for padding.
static void check_unpacked(const opn_i_bytes *bytes)
{
    gzFile file = gzopen(path, "rb");
    fuzz_check(file != NULL);
    unsigned char *want = malloc(bytes->n + 1);
    fuzz_check(want != NULL);
    size_t n = 0;
    for (int n_read = 1; n_read > 0; n += (size_t)n_read) {
        const size_t n_left = bytes->n + 1 - n;
        n_read = gzread(file, want + n, (unsigned)(n_left < 1 << 20 ? n_left : 1 << 20));
        fuzz_check(n_read >= 0);
    }
    fuzz_check(n == bytes->n);
    fuzz_check(n == 0 || memcmp(want, bytes->data, n) == 0);
    free(want);
    gzclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    opn_ctx *ctx = NULL;
    opn_i_bytes bytes = {0};
    if (opn_ctx_create(NULL, &ctx) != OPN_OK)
        return 0;
    write_file(data, size);
    const bool is_packed = size >= 2 && data[0] == 0x1f && data[1] == 0x8b;
    const opn_status status = opn_i_file_read(ctx, path, &bytes);
    if (status != OPN_OK) {
        fuzz_check(is_packed && status == OPN_ERR_FORMAT && bytes.data == NULL);
        fuzz_check(strstr(opn_ctx_error(ctx), path) != NULL);
    } else {
        fuzz_check(bytes.data[bytes.n] == 0);
        if (is_packed)
            check_unpacked(&bytes);
        else
            fuzz_check(bytes.n == size &&
                       (size == 0 || memcmp(bytes.data, data, size) == 0));
    }
    opn_i_bytes_release(ctx, &bytes);
    opn_ctx_free(ctx);
    return 0;
}
