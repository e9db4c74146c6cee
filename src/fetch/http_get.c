// http_get.c -- downloading a file of known size over HTTP (libcurl).

#include "fetch/http_get.h"

#include "fetch/curl_library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAX_REDIRECTS = 5, POLL_MS = 100, STALL_BYTES_PER_SECOND = 100 };

typedef struct transfer {
    opn_ctx *ctx;
    const opn_i_curl *curl;
    const char *address;
    const char *stage;
    const opn_i_http_limits *limits;
    opn_i_part *part;
    CURL *easy;
    int64_t from;                // first byte requested
    int64_t range_from;          // first byte sent, by Content-Range; -1 if none
    bool has_begun;              // part of the body has arrived
    bool is_wrong_range;         // the server sent a different part than requested
    opn_status status;           // result of storing the bytes
    char words[CURL_ERROR_SIZE]; // libcurl's message, for other errors
} transfer;

// ---- addresses -----------------------------------------------------------------------

static bool is_https(const char *address)
{
    return strncasecmp(address, "https://", 8) == 0;
}

static bool has_part(const opn_i_curl *curl, const CURLU *url, CURLUPart part)
{
    char *text = NULL;
    const bool has = curl->url_get(url, part, &text, 0) == CURLUE_OK;
    curl->free(text);
    return has;
}

opn_status opn_i_http_check(opn_ctx *ctx, const char *what, const char *address)
{
    opn_status status = OPN_OK;
    CURLU *url = NULL;
    opn_i_curl curl = {0};
    OPN_FAIL_IF(ctx, !is_https(address) && strncasecmp(address, "http://", 7) != 0,
                OPN_ERR_INVALID_ARG,
                "%s: an address begins with http:// or https://; for a folder, give the "
                "path",
                what);
    OPN_TRY(opn_i_curl_open(ctx, &curl));
    url = curl.url();
    OPN_FAIL_IF(ctx, url == NULL, OPN_ERR_NOMEM, "out of memory for an address");
    const CURLUcode code = curl.url_set(url, CURLUPART_URL, address, 0);
    OPN_FAIL_IF(ctx, code == CURLUE_OUT_OF_MEMORY, OPN_ERR_NOMEM,
                "out of memory for an address");
    OPN_FAIL_IF(ctx, code != CURLUE_OK, OPN_ERR_INVALID_ARG, "%s: is not an address: %s",
                what, curl.url_strerror(code));
    OPN_FAIL_IF(ctx,
                has_part(&curl, url, CURLUPART_USER) ||
                        has_part(&curl, url, CURLUPART_PASSWORD),
                OPN_ERR_INVALID_ARG,
                "%s: an address must not contain a user name or password", what);
    OPN_FAIL_IF(ctx,
                has_part(&curl, url, CURLUPART_QUERY) ||
                        has_part(&curl, url, CURLUPART_FRAGMENT),
                OPN_ERR_INVALID_ARG,
                "%s: file names are appended to the address, so it must not contain ? "
                "or #",
                what);
cleanup:
    if (url != NULL)
        curl.url_cleanup(url);
    opn_i_curl_close(&curl);
    return status;
}

// ---- response ------------------------------------------------------------------------

// Records the start of a Content-Range, from the headers of the last response.
static size_t on_header(char *data, size_t size, size_t n, void *user)
{
    static const char name[] = "content-range:";
    enum { N_NAME = sizeof(name) - 1 };
    transfer *t = user;
    char line[128];
    const size_t n_line = size * n;
    const size_t n_copied = n_line < sizeof(line) - 1 ? n_line : sizeof(line) - 1;
    memcpy(line, data, n_copied);
    line[n_copied] = 0;
    if (strncmp(line, "HTTP/", 5) == 0) {
        t->range_from = -1;
        return n_line;
    }
    if (strncasecmp(line, name, N_NAME) != 0)
        return n_line;
    const char *value = line + N_NAME + strspn(line + N_NAME, " \t");
    char *end = NULL;
    if (strncasecmp(value, "bytes ", 6) == 0) {
        const long long first = strtoll(value + 6, &end, 10);
        t->range_from = *end == '-' && first >= 0 ? (int64_t)first : -1;
    }
    return n_line;
}

// Checks the response before any of its bytes are used.
static opn_status begin(transfer *t)
{
    opn_status status = OPN_OK;
    long answer = 0;
    curl_off_t n_announced = -1;
    opn_i_part *part = t->part;
    (void)t->curl->easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &answer);
    (void)t->curl->easy_getinfo(t->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T,
                                &n_announced);
    OPN_FAIL_IF(t->ctx, answer != 200 && answer != 206, OPN_ERR_READ,
                "%s: the server answered %ld", t->address, answer);
    t->is_wrong_range = answer == 206 && t->range_from != t->from;
    OPN_FAIL_IF(t->ctx, t->is_wrong_range, OPN_ERR_READ,
                "%s: the server sent a different part than requested", t->address);
    const int64_t from = answer == 206 ? t->from : 0;
    OPN_FAIL_IF(t->ctx, n_announced >= 0 && n_announced != part->n_bytes - from,
                OPN_ERR_FORMAT, "%s: has %lld bytes, expected %lld", t->address,
                (long long)from + (long long)n_announced, (long long)part->n_bytes);
    if (answer == 200 && part->n_have > 0)
        OPN_TRY(opn_i_part_restart(part));
cleanup:
    return status;
}

static opn_status take(transfer *t, const char *data, size_t n_bytes)
{
    opn_status status = OPN_OK;
    opn_i_part *part = t->part;
    if (!t->has_begun)
        OPN_TRY(begin(t));
    t->has_begun = true;
    if ((int64_t)n_bytes > part->n_bytes - part->n_have) {
        OPN_TRY(opn_i_part_restart(part)); // the wrong bytes are not worth keeping
        OPN_FAIL_IF(t->ctx, true, OPN_ERR_FORMAT,
                    "%s: sends more than the expected %lld bytes", t->address,
                    (long long)part->n_bytes);
    }
    OPN_TRY(opn_i_part_put(part, data, n_bytes));
cleanup:
    return status;
}

static size_t on_body(char *data, size_t size, size_t n, void *user)
{
    transfer *t = user;
    t->status = take(t, data, size * n);
    return t->status == OPN_OK ? size * n : 0; // 0 aborts the transfer
}

// ---- errors --------------------------------------------------------------------------

// Describes a failed transfer, without the address.
static void explain(const transfer *t, CURLcode code, char *text, size_t room)
{
    long answer = 0;
    curl_off_t connected = 0; // microseconds until connected; 0 if not
    long n_redirects = 0;
    (void)t->curl->easy_getinfo(t->easy, CURLINFO_REDIRECT_COUNT, &n_redirects);
    (void)t->curl->easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &answer);
    (void)t->curl->easy_getinfo(t->easy, CURLINFO_PRETRANSFER_TIME_T, &connected);
    if (code == CURLE_HTTP_RETURNED_ERROR)
        snprintf(text, room, "the server answered %ld", answer);
    else if (code == CURLE_TOO_MANY_REDIRECTS)
        snprintf(text, room, "redirects more than %d times", MAX_REDIRECTS);
    else if (code == CURLE_UNSUPPORTED_PROTOCOL && n_redirects > 0)
        snprintf(text, room, "redirects to an address that is not %s",
                 is_https(t->address) ? "https" : "http or https");
    else if (code == CURLE_PARTIAL_FILE || code == CURLE_GOT_NOTHING)
        snprintf(text, room, "the connection was closed early");
    else if (code == CURLE_OPERATION_TIMEDOUT && connected > 0)
        snprintf(text, room, "no data for %ld seconds", t->limits->stall_seconds);
    else
        snprintf(text, room, "%s",
                 t->words[0] != 0 ? t->words : t->curl->easy_strerror(code));
}

static opn_status check_transfer(transfer *t, CURLcode code)
{
    char why[CURL_ERROR_SIZE + 64];
    opn_i_part *part = t->part;
    if (t->status != OPN_OK)
        return t->status; // the callback has set the message
    if (code == CURLE_OUT_OF_MEMORY)
        return opn_i_fail(t->ctx, OPN_ERR_NOMEM, "%s: out of memory", t->address);
    if (code == CURLE_OK && part->n_have == part->n_bytes)
        return OPN_OK;
    if (code == CURLE_OK)
        code = CURLE_PARTIAL_FILE; // the server never sent a length
    explain(t, code, why, sizeof(why));
    if (!t->has_begun)
        return opn_i_fail(t->ctx, OPN_ERR_READ, "%s: %s", t->address, why);
    return opn_i_fail(t->ctx, OPN_ERR_READ,
                      "%s: %s, after %lld of %lld bytes; run the same command again to "
                      "continue",
                      t->address, why, (long long)part->n_have, (long long)part->n_bytes);
}

// ---- the transfer --------------------------------------------------------------------

static opn_status set_up(transfer *t)
{
    CURL *easy = t->easy;
    char range[32];
    const char *schemes = is_https(t->address) ? "https" : "http,https";
    bool ok = true;
    snprintf(range, sizeof(range), "%lld-", (long long)t->from);
#define SET(option, value) \
    ok = t->curl->easy_setopt(easy, (option), (value)) == CURLE_OK && ok
    SET(CURLOPT_URL, t->address);
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
    SET(CURLOPT_REDIR_PROTOCOLS_STR, schemes);
    SET(CURLOPT_FOLLOWLOCATION, 1L);
    SET(CURLOPT_MAXREDIRS, (long)MAX_REDIRECTS);
    SET(CURLOPT_FAILONERROR, 1L);
    SET(CURLOPT_NOSIGNAL, 1L); // signals belong to the program that links us
    SET(CURLOPT_USERAGENT, "opine/" OPN_VERSION_TEXT);
    SET(CURLOPT_ERRORBUFFER, t->words);
    SET(CURLOPT_CONNECTTIMEOUT, t->limits->connect_seconds);
    SET(CURLOPT_LOW_SPEED_LIMIT, (long)STALL_BYTES_PER_SECOND);
    SET(CURLOPT_LOW_SPEED_TIME, t->limits->stall_seconds);
    SET(CURLOPT_HEADERFUNCTION, on_header);
    SET(CURLOPT_HEADERDATA, t);
    SET(CURLOPT_WRITEFUNCTION, on_body);
    SET(CURLOPT_WRITEDATA, t);
    if (t->limits->certificates != NULL)
        SET(CURLOPT_CAINFO, t->limits->certificates);
    if (t->from > 0)
        SET(CURLOPT_RANGE, range);
#undef SET
    return ok ? OPN_OK
              : opn_i_fail(t->ctx, OPN_ERR_NOMEM, "%s: out of memory", t->address);
}

static opn_status check_multi(const transfer *t, CURLMcode code)
{
    if (code == CURLM_OK)
        return OPN_OK;
    return opn_i_fail(t->ctx,
                      code == CURLM_OUT_OF_MEMORY ? OPN_ERR_NOMEM : OPN_ERR_INTERNAL,
                      "%s: %s", t->address, t->curl->multi_strerror(code));
}

// libcurl alone would check the progress only once a second; here Ctrl-C takes effect at
// once, even while a name is being resolved.
static opn_status run(transfer *t, CURLM *multi, CURLcode *result)
{
    opn_status status = OPN_OK;
    int n_running = 1;
    int n_left = 0;
    while (n_running > 0) {
        OPN_TRY(check_multi(t, t->curl->multi_perform(multi, &n_running)));
        OPN_TRY(opn_i_progress(t->ctx, t->stage, t->part->n_have, t->part->n_bytes,
                               "bytes"));
        if (n_running > 0)
            OPN_TRY(check_multi(t, t->curl->multi_poll(multi, NULL, 0, POLL_MS, NULL)));
    }
    const CURLMsg *message = t->curl->multi_info_read(multi, &n_left);
    *result = message != NULL ? message->data.result : CURLE_OUT_OF_MEMORY;
cleanup:
    // Do not wait for a resolver that is still running.
    if (status == OPN_ERR_INTERRUPTED)
        (void)t->curl->easy_setopt(t->easy, CURLOPT_QUICK_EXIT, 1L);
    return status;
}

static opn_status get_once(transfer *t)
{
    opn_status status = OPN_OK;
    CURLcode code = CURLE_OK;
    CURLM *multi = t->curl->multi_init();
    t->easy = t->curl->easy_init();
    t->from = t->part->n_have;
    t->range_from = -1;
    t->has_begun = false;
    t->status = OPN_OK;
    t->words[0] = 0;
    OPN_FAIL_IF(t->ctx, multi == NULL || t->easy == NULL, OPN_ERR_NOMEM,
                "%s: out of memory", t->address);
    OPN_TRY(set_up(t));
    OPN_TRY(check_multi(t, t->curl->multi_add_handle(multi, t->easy)));
    OPN_TRY(run(t, multi, &code));
    long answer = 0;
    (void)t->curl->easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &answer);
    t->is_wrong_range = t->is_wrong_range || (t->from > 0 && answer == 416);
    OPN_TRY(check_transfer(t, code));
cleanup:
    if (multi != NULL && t->easy != NULL)
        (void)t->curl->multi_remove_handle(multi, t->easy);
    t->curl->easy_cleanup(t->easy);
    (void)t->curl->multi_cleanup(multi);
    return status;
}

opn_status opn_i_http_get(opn_ctx *ctx,
                          const char *address,
                          const char *stage,
                          const opn_i_http_limits *limits,
                          opn_i_part *part)
{
    opn_status status = OPN_OK;
    opn_i_curl curl = {0};
    transfer t = {.ctx = ctx,
                  .curl = &curl,
                  .address = address,
                  .stage = stage,
                  .limits = limits,
                  .part = part};
    bool is_ready = false;
    OPN_TRY(opn_i_curl_open(ctx, &curl));
    // libcurl counts these calls, so other users of it in the program are not disturbed.
    is_ready = curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
    OPN_FAIL_IF(ctx, !is_ready, OPN_ERR_NOMEM, "%s: out of memory", address);
    status = get_once(&t);
    if (status == OPN_ERR_READ && t.is_wrong_range && part->n_have > 0) {
        t.is_wrong_range = false;
        OPN_TRY(opn_i_part_restart(part));
        OPN_TRY(get_once(&t));
    }
cleanup:
    if (is_ready)
        curl.global_cleanup();
    opn_i_curl_close(&curl);
    return status;
}
