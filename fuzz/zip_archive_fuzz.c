// zip_archive_fuzz.c -- any bytes as a zip archive; every member is read, also as array.

#include "arrays/npz.h"
#include "fuzz_target.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    opn_ctx *ctx = NULL;
    opn_i_zip *zip = NULL;
    if (opn_ctx_create(NULL, &ctx) != OPN_OK)
        return 0;
    if (opn_i_zip_open(ctx, "fuzz.npz", data, size, &zip) == OPN_OK) {
        for (int i = 0; i < opn_i_zip_n_members(zip); i++) {
            const char *member = opn_i_zip_member_name(zip, i);
            char array_name[100];
            opn_i_bytes bytes = {0};
            opn_i_ndarray array;
            if (opn_i_zip_read(ctx, zip, member, &bytes) == OPN_OK)
                opn_i_bytes_release(ctx, &bytes);
            const size_t n_name = strlen(member);
            if (n_name < 4 || n_name >= sizeof(array_name))
                continue;
            memcpy(array_name, member, n_name - 4);
            array_name[n_name - 4] = 0;
            if (opn_i_npz_read(ctx, zip, array_name, &bytes, &array) == OPN_OK)
                opn_i_bytes_release(ctx, &bytes);
        }
    }
    opn_i_zip_close(zip);
    opn_ctx_free(ctx);
    return 0;
}
