// curl_library.c -- libcurl, loaded when something is fetched.

#include "fetch/curl_library.h"

#include "base/shared_library.h"

#include <stddef.h>

#define FUNCTION(name)                            \
    {                                             \
        "curl_" #name, offsetof(opn_i_curl, name) \
    }
static const opn_i_library_function functions[] = {
        FUNCTION(version_info),
        FUNCTION(global_init),
        FUNCTION(global_cleanup),
        FUNCTION(free),
        FUNCTION(url),
        FUNCTION(url_cleanup),
        FUNCTION(url_get),
        FUNCTION(url_set),
        FUNCTION(url_strerror),
        FUNCTION(easy_init),
        FUNCTION(easy_cleanup),
        FUNCTION(easy_setopt),
        FUNCTION(easy_getinfo),
        FUNCTION(easy_strerror),
        FUNCTION(multi_init),
        FUNCTION(multi_cleanup),
        FUNCTION(multi_add_handle),
        FUNCTION(multi_remove_handle),
        FUNCTION(multi_perform),
        FUNCTION(multi_poll),
        FUNCTION(multi_info_read),
        FUNCTION(multi_strerror),
};
#undef FUNCTION

enum { N_FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };
_Static_assert(sizeof(opn_i_curl) == (N_FUNCTIONS + 1) * sizeof(void *),
               "every function is looked up");

static const char *const files[] = {"libcurl.so.4",
                                    "libcurl-gnutls.so.4", // Debian's other one
                                    "libcurl.4.dylib", NULL};

opn_status opn_i_curl_open(opn_ctx *ctx, opn_i_curl *out)
{
    enum { OLDEST = 0x075700 }; // 7.87.0, as cmake/dependencies.cmake asks for
    opn_status status = OPN_OK;
    opn_i_curl curl = {0};
    const opn_i_library library = {files, "downloading needs libcurl",
                                   "libcurl4 in Debian", functions, N_FUNCTIONS};
    OPN_TRY(opn_i_library_open(ctx, &library, &curl, &curl.handle));
    const curl_version_info_data *version = curl.version_info(CURLVERSION_NOW);
    OPN_FAIL_IF(ctx, version->version_num < OLDEST, OPN_ERR_UNSUPPORTED,
                "downloading needs libcurl 7.87 or later; %.20s is installed",
                version->version);
    *out = curl;
    curl = (opn_i_curl){0};
cleanup:
    opn_i_curl_close(&curl);
    return status;
}

void opn_i_curl_close(opn_i_curl *curl)
{
    opn_i_library_close(curl->handle);
    *curl = (opn_i_curl){0};
}
