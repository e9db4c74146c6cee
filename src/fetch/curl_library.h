// curl_library.h -- libcurl, loaded when something is fetched: it brings thirty libraries
// along, which took three quarters of the instructions of every start.

#ifndef OPN_CURL_LIBRARY_H
#define OPN_CURL_LIBRARY_H

#include "base/context.h"

#include <curl/curl.h>

// The functions of libcurl that are called, each named without its curl_.
typedef struct opn_i_curl {
    void *handle; // of the loaded library
    curl_version_info_data *(*version_info)(CURLversion age);
    CURLcode (*global_init)(long flags);
    void (*global_cleanup)(void);
    void (*free)(void *text);
    CURLU *(*url)(void);
    void (*url_cleanup)(CURLU *url);
    CURLUcode (*url_get)(const CURLU *url, CURLUPart part, char **text, unsigned flags);
    CURLUcode (*url_set)(CURLU *url, CURLUPart part, const char *text, unsigned flags);
    const char *(*url_strerror)(CURLUcode code);
    CURL *(*easy_init)(void);
    void (*easy_cleanup)(CURL *easy);
    CURLcode (*easy_setopt)(CURL *easy, CURLoption option, ...);
    CURLcode (*easy_getinfo)(CURL *easy, CURLINFO info, ...);
    const char *(*easy_strerror)(CURLcode code);
    CURLM *(*multi_init)(void);
    CURLMcode (*multi_cleanup)(CURLM *multi);
    CURLMcode (*multi_add_handle)(CURLM *multi, CURL *easy);
    CURLMcode (*multi_remove_handle)(CURLM *multi, CURL *easy);
    CURLMcode (*multi_perform)(CURLM *multi, int *n_running);
    CURLMcode (*multi_poll)(
            CURLM *multi, struct curl_waitfd *extra, unsigned n_extra, int ms, int *n);
    CURLMsg *(*multi_info_read)(CURLM *multi, int *n_left);
    const char *(*multi_strerror)(CURLMcode code);
} opn_i_curl;

// Loads the library, or finds it loaded already; it stays in memory until the program
// ends. Errors: UNSUPPORTED (not installed, or too old).
OPN_NODISCARD opn_status opn_i_curl_open(opn_ctx *ctx, opn_i_curl *out);

void opn_i_curl_close(opn_i_curl *curl); // accepts one that is all zero

#endif // OPN_CURL_LIBRARY_H
