// mhd_library.c -- libmicrohttpd, loaded when something is served.

#include "explore/mhd_library.h"

#include "base/shared_library.h"

#include <stddef.h>

#define FUNCTION(name)                          \
    {                                           \
        "MHD_" #name, offsetof(opn_i_mhd, name) \
    }
static const opn_i_library_function functions[] = {
        FUNCTION(start_daemon),
        FUNCTION(stop_daemon),
        FUNCTION(create_response_from_buffer),
        FUNCTION(add_response_header),
        FUNCTION(queue_response),
        FUNCTION(destroy_response),
        FUNCTION(lookup_connection_value),
        FUNCTION(get_connection_info),
};
#undef FUNCTION

enum { N_FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };
_Static_assert(sizeof(opn_i_mhd) == (N_FUNCTIONS + 1) * sizeof(void *),
               "every function is looked up");

static const char *const files[] = {"libmicrohttpd.so.12", "libmicrohttpd.12.dylib",
                                    NULL};

opn_status opn_i_mhd_open(opn_ctx *ctx, opn_i_mhd *out)
{
    opn_status status = OPN_OK;
    opn_i_mhd mhd = {0};
    const opn_i_library library = {files, "serving a page needs libmicrohttpd",
                                   "libmicrohttpd12 in Debian", functions, N_FUNCTIONS};
    OPN_TRY(opn_i_library_open(ctx, &library, &mhd, &mhd.handle));
    *out = mhd;
cleanup:
    return status;
}

void opn_i_mhd_close(opn_i_mhd *mhd)
{
    opn_i_library_close(mhd->handle);
    *mhd = (opn_i_mhd){0};
}
