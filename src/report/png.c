// png.c -- small grey images as PNG.

#include "report/png.h"

#include "io/base64.h"

#include <string.h>
#include <zlib.h>

static const char head[] = "data:image/png;base64,";

// Bytes of a chunk besides its data: length, type, checksum.
enum { N_SIGNATURE = 8, N_CHUNK = 12, N_HEADER = 13 };

static void put_be32(unsigned char *to, uint32_t x)
{
    for (int c = 0; c < 4; c++)
        to[c] = (unsigned char)(x >> (8 * (3 - c)));
}

// Completes the chunk whose data are at `at` + 8, and returns its end.
static unsigned char *close_chunk(unsigned char *at, const char *type, size_t n)
{
    put_be32(at, (uint32_t)n);
    memcpy(at + 4, type, 4);
    put_be32(at + 8 + n, (uint32_t)crc32(0, at + 4, (uInt)(n + 4)));
    return at + N_CHUNK + n;
}

// Writes the file to `to`, which has room, and returns its length; 0 without memory.
static size_t write_png(int32_t height,
                        int32_t width,
                        const unsigned char *rows,
                        uLong n_rows,
                        unsigned char *to)
{
    static const unsigned char signature[N_SIGNATURE] = {0x89, 'P',  'N',  'G',
                                                         '\r', '\n', 0x1a, '\n'};
    unsigned char *at = to;
    uLongf n_packed = compressBound(n_rows);
    memcpy(at, signature, N_SIGNATURE);
    at += N_SIGNATURE;
    put_be32(at + 8, (uint32_t)width);
    put_be32(at + 12, (uint32_t)height);
    memcpy(at + 16, "\x08\0\0\0\0", 5); // bits, grey, and the only methods there are
    at = close_chunk(at, "IHDR", N_HEADER);
    if (compress2(at + 8, &n_packed, rows, n_rows, Z_BEST_COMPRESSION) != Z_OK)
        return 0;
    at = close_chunk(at, "IDAT", n_packed);
    at = close_chunk(at, "IEND", 0);
    return (size_t)(at - to);
}

opn_status opn_i_png_address(opn_ctx *ctx,
                             int32_t height,
                             int32_t width,
                             const unsigned char *pixel,
                             char **out)
{
    opn_status status = OPN_OK;
    const size_t n_line = 1 + (size_t)width; // the filter of a row stands before it
    const size_t n_rows = (size_t)height * n_line;
    unsigned char *rows = NULL;
    unsigned char *file = NULL;
    char *text = NULL;
    OPN_TRY_NEW(ctx, rows, n_rows);
    OPN_TRY_NEW(ctx, file,
                N_SIGNATURE + 3 * N_CHUNK + N_HEADER + compressBound((uLong)n_rows));
    for (int32_t i = 0; i < height; i++)
        memcpy(rows + (size_t)i * n_line + 1, pixel + (size_t)i * (size_t)width,
               (size_t)width);
    const size_t n = write_png(height, width, rows, (uLong)n_rows, file);
    OPN_FAIL_IF(ctx, n == 0, OPN_ERR_NOMEM, "an image cannot be packed: out of memory");
    OPN_TRY_NEW(ctx, text, sizeof(head) + (n + 2) / 3 * 4);
    memcpy(text, head, sizeof(head) - 1);
    (void)opn_i_base64(file, n, text + sizeof(head) - 1);
    *out = text;
cleanup:
    opn_i_release(&ctx->alloc, rows);
    opn_i_release(&ctx->alloc, file);
    return status;
}
