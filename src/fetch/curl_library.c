// curl_library.c -- libcurl, loaded when something is fetched.

#include "fetch/curl_library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define FUNCTION(name)                            \
    {                                             \
        "curl_" #name, offsetof(opn_i_curl, name) \
    }
static const struct {
    const char *name;
    size_t offset; // of its pointer
} functions[] = {
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

// Never unloaded, because libraries it brings along register functions to call at exit.
static opn_status load(opn_ctx *ctx, void **out)
{
    const int flags = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
    void *handle = dlopen("libcurl.so.4", flags);
    if (handle == NULL) {
        const char *why = dlerror();
        opn_i_set_error(ctx, "downloading needs libcurl (libcurl4 in Debian): %s",
                        why != NULL ? why : "it cannot be loaded");
        handle = dlopen("libcurl-gnutls.so.4", flags); // Debian's other one
    }
    if (handle == NULL)
        return OPN_ERR_UNSUPPORTED;
    *out = handle;
    return OPN_OK;
}

opn_status opn_i_curl_open(opn_ctx *ctx, opn_i_curl *out)
{
    enum { OLDEST = 0x075700 }; // 7.87.0, as cmake/dependencies.cmake asks for
    opn_status status = OPN_OK;
    opn_i_curl curl = {0};
    const char *missing = NULL;
    OPN_TRY(load(ctx, &curl.handle));
    for (int f = 0; f < N_FUNCTIONS; f++) {
        void *found = dlsym(curl.handle, functions[f].name);
        // ISO C has no conversion between pointers to objects and functions.
        memcpy((char *)&curl + functions[f].offset, &found, sizeof(found));
        missing = found == NULL ? functions[f].name : missing;
    }
    OPN_FAIL_IF(ctx, missing != NULL, OPN_ERR_UNSUPPORTED,
                "downloading needs libcurl 7.87 or later; the installed one has no %s",
                missing);
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
    if (curl->handle != NULL)
        dlclose(curl->handle);
    *curl = (opn_i_curl){0};
}
