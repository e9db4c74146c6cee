// http_gate.c -- where the server listens, and who may talk to it.

#include "explore/http_gate.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

enum { HTTP_PORT = 80, MAX_PORT = 65535 };

// ---- where to listen -----------------------------------------------------------------

// Divides "HOST:PORT" or "[HOST]:PORT"; *port points to the digits, or is NULL without.
static void divide(const char *text, const char **host, size_t *n_host, const char **port)
{
    const char *close = text[0] == '[' ? strchr(text, ']') : NULL;
    *host = close != NULL ? text + 1 : text;
    *n_host = close != NULL ? (size_t)(close - text) - 1 : strcspn(text, ":");
    const char *after = close != NULL ? close + 1 : text + *n_host;
    *port = *after == ':' ? after + 1 : NULL;
    // Without brackets the colons of an IPv6 address are its own.
    if (close == NULL && *port != NULL && strchr(*port, ':') != NULL) {
        *n_host = strlen(text);
        *port = NULL;
    }
}

// A number in [0, MAX_PORT]; -1 for anything else.
static int port_of(const char *digits)
{
    const size_t n = strlen(digits);
    if (n == 0 || n > 5 || strspn(digits, "0123456789") != n)
        return -1;
    const long port = strtol(digits, NULL, 10);
    return port > MAX_PORT ? -1 : (int)port;
}

static opn_status draw_token(opn_ctx *ctx, char token[OPN_TOKEN_CHARS + 1])
{
    opn_status status = OPN_OK;
    unsigned char drawn[OPN_TOKEN_CHARS / 2];
    OPN_FAIL_IF(ctx, getentropy(drawn, sizeof(drawn)) != 0, OPN_ERR_INTERNAL,
                "the system gives no random numbers for a token");
    for (size_t b = 0; b < sizeof(drawn); b++)
        snprintf(token + 2 * b, 3, "%02x", drawn[b]);
cleanup:
    return status;
}

opn_status opn_i_gate_init(opn_ctx *ctx, const char *listen, opn_i_gate *out)
{
    opn_status status = OPN_OK;
    opn_i_gate gate = {.host = "127.0.0.1"};
    const char *host = NULL;
    const char *port = NULL;
    size_t n_host = 0;
    divide(listen, &host, &n_host, &port);
    OPN_FAIL_IF(ctx, n_host >= sizeof(gate.host) || memchr(host, '/', n_host) != NULL,
                OPN_ERR_INVALID_ARG, "`listen` %s: is not HOST:PORT", listen);
    if (n_host > 0)
        snprintf(gate.host, sizeof(gate.host), "%.*s", (int)n_host, host);
    gate.port = port != NULL ? port_of(port) : 0;
    OPN_FAIL_IF(ctx, gate.port < 0, OPN_ERR_INVALID_ARG,
                "`listen` %s: the port is a number from 0 to %d", listen, MAX_PORT);
    gate.is_open = strcmp(gate.host, "0.0.0.0") == 0 || strcmp(gate.host, "::") == 0;
    OPN_TRY(draw_token(ctx, gate.token));
    *out = gate;
cleanup:
    return status;
}

bool opn_i_gate_is_public(const opn_i_gate *gate)
{
    return strncmp(gate->host, "127.", 4) != 0 && strcmp(gate->host, "::1") != 0 &&
           strcasecmp(gate->host, "localhost") != 0;
}

bool opn_i_gate_address(const opn_i_gate *gate, char *out, size_t room)
{
    const bool is_v6 = strchr(gate->host, ':') != NULL;
    const char *host = !gate->is_open ? gate->host : is_v6 ? "::1" : "127.0.0.1";
    const int n = snprintf(out, room, "http://%s%s%s:%d/%s/", is_v6 ? "[" : "", host,
                           is_v6 ? "]" : "", gate->port, gate->token);
    return n > 0 && (size_t)n < room;
}

// ---- who may come in -----------------------------------------------------------------

// An address in digits cannot be pointed elsewhere, unlike a name.
static bool is_address(const char *host)
{
    unsigned char bytes[sizeof(struct in6_addr)];
    return inet_pton(AF_INET, host, bytes) == 1 || inet_pton(AF_INET6, host, bytes) == 1;
}

static bool knows_host(const opn_i_gate *gate, const char *text)
{
    char name[OPN_HOST_ROOM];
    const char *host = NULL;
    const char *port = NULL;
    size_t n_host = 0;
    divide(text, &host, &n_host, &port);
    if (n_host == 0 || n_host >= sizeof(name))
        return false;
    snprintf(name, sizeof(name), "%.*s", (int)n_host, host);
    if ((port != NULL ? port_of(port) : HTTP_PORT) != gate->port)
        return false;
    if (strcasecmp(name, gate->host) == 0 || (gate->is_open && is_address(name)))
        return true;
    const bool is_local = gate->is_open || !opn_i_gate_is_public(gate);
    return is_local && (strcmp(name, "127.0.0.1") == 0 ||
                        strcasecmp(name, "localhost") == 0 || strcmp(name, "::1") == 0);
}

// A page of another site says so in Origin.
static bool is_own_origin(const char *origin, const char *host)
{
    return strncmp(origin, "http://", 7) == 0 && strcasecmp(origin + 7, host) == 0;
}

// In the same time wherever they differ, so that nobody learns how much of a guess was
// right. `text` has at least OPN_TOKEN_CHARS characters.
static bool is_token(const opn_i_gate *gate, const char *text)
{
    unsigned differ = 0;
    for (int c = 0; c < OPN_TOKEN_CHARS; c++)
        differ |= (unsigned)(gate->token[c] ^ text[c]);
    return differ == 0;
}

// What follows "/TOKEN" in the path; NULL if that is not there.
static const char *after_token(const opn_i_gate *gate, const char *path)
{
    static const char root[] = "/";
    if (path[0] != '/' || strcspn(path + 1, "/") != OPN_TOKEN_CHARS ||
        !is_token(gate, path + 1))
        return NULL;
    const char *rest = path + 1 + OPN_TOKEN_CHARS;
    return *rest == 0 ? root : rest;
}

static bool has_bearer(const opn_i_gate *gate, const char *authorization)
{
    static const char scheme[] = "Bearer ";
    const size_t n = sizeof(scheme) - 1;
    return authorization != NULL && strncasecmp(authorization, scheme, n) == 0 &&
           strlen(authorization + n) == OPN_TOKEN_CHARS &&
           is_token(gate, authorization + n);
}

int opn_i_gate_check(const opn_i_gate *gate,
                     const opn_i_visitor *visitor,
                     const char **path,
                     const char **why)
{
    enum { UNAUTHORIZED = 401, FORBIDDEN = 403 };
    if (visitor->host == NULL || !knows_host(gate, visitor->host)) {
        *why = "this Host is not the one that opine listens on";
        return FORBIDDEN;
    }
    if (visitor->origin != NULL && !is_own_origin(visitor->origin, visitor->host)) {
        *why = "requests from pages of other sites are refused";
        return FORBIDDEN;
    }
    const char *rest = after_token(gate, visitor->path);
    if (rest == NULL && (has_bearer(gate, visitor->authorization) ||
                         strcmp(visitor->path, "/healthz") == 0))
        rest = visitor->path;
    if (rest == NULL) {
        *why = "the token is missing or wrong: it is in the address that opine explore "
               "printed, and goes first in the path or into Authorization: Bearer";
        return UNAUTHORIZED;
    }
    *path = rest;
    return 0;
}
